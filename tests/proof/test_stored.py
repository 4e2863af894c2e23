"""Certificates that are kept are read, written and believed as they were; `make golden` finds them anew."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest
from stored import FILE, NAMES, RULES, certificate, completed, digest, entries, find, without_obligations

from kolahal.proof.trusted.certificate import recheck
from kolahal.verdicts import Certificate, Proved


def found_now(name: str) -> Certificate:
    verdict = find(name)
    assert isinstance(verdict, Proved)
    return verdict.certificate


@pytest.fixture(scope="module", autouse=True)
def _rewrite() -> None:
    if os.environ.get("KOLAHAL_GOLDEN") != "rewrite":
        return
    new: dict[str, Any] = {}
    for name in NAMES:
        text = found_now(name).text
        new[name] = {"digest": digest(Certificate(text)), "document": without_obligations(text)}
    FILE.write_text(json.dumps(new, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    entries.cache_clear()
    certificate.cache_clear()


def test_every_certificate_is_kept() -> None:
    assert tuple(entries()) == NAMES


@pytest.mark.mutants
@pytest.mark.parametrize("name", NAMES)
def test_a_kept_certificate_is_what_it_was(name: str) -> None:
    assert digest(completed(entries()[name]["document"])) == entries()[name]["digest"]


QUICK = ("histogram", "mean", "guard_len", "named_noise", "lead", *RULES)


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.mutants) if name in QUICK else name for name in NAMES])
def test_a_kept_certificate_is_believed(name: str) -> None:
    assert recheck(certificate(name)) == []
