"""Certificates for every length that were found once, and are kept: without their obligations, which are derived."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any

from every_length import PRIVATE, load
from leads import LEADS

from kolahal.lang.claims import plain_claim
from kolahal.lang.sketch import Sketch
from kolahal.proof.find.lengths import prove_every_length, prove_over_reals
from kolahal.proof.trusted.certificate import read_certificate, write_certificate
from kolahal.sketches.gallery import GALLERY, load_one
from kolahal.verdicts import Certificate, Proved, Unknown

FILE = Path(__file__).parent.parent / "golden" / "certificates.json"
OTHERS = (
    *("svt_mono", "hist_sum", "num_svt2", "noisy_max_comp", "exp_max_mono", "two_loops_max", "smart_checkdp"),
    *("discrete_above", "flagged", "guard_len", "eps2_post", "repeat_release", "every_other", "mean", "num_svt", "named_noise", "largest_of_list"),
)
NAMES = (*GALLERY, *OTHERS, *LEADS)


def find(name: str) -> Proved | Unknown:
    """The search for a proof of it, for real noise if it is a winner's lead."""
    sketch = program(name)
    return prove_over_reals(sketch, plain_claim(sketch)) if name in LEADS else prove_every_length(sketch)


def program(name: str) -> Sketch:
    if name in LEADS:
        return LEADS[name]
    return load(PRIVATE[name]) if name in PRIVATE else load_one(name).complete(*GALLERY[name].textbook[0]).filled()


@cache
def entries() -> dict[str, Any]:
    """By name, a document without obligations, and the digest of the one with them."""
    return json.loads(FILE.read_text(encoding="utf-8"))


def without_obligations(text: str) -> dict[str, Any]:
    document = json.loads(text)
    for case in document["cases"]:
        case["obligations"] = []
    return document


def completed(document: dict[str, Any]) -> Certificate:
    """A document with the obligations that are derived from it now."""
    return write_certificate(read_certificate(Certificate(json.dumps(document)))[0])


@cache
def certificate(name: str) -> Certificate:
    return completed(entries()[name]["document"])


def digest(found: Certificate) -> str:
    return hashlib.sha256(found.text.encode()).hexdigest()
