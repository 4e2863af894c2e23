"""Lists of digests in tests/golden: what many programs gave, byte for byte. `make golden` rewrites them."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path

GOLDEN = Path(__file__).parent / "golden"


def digest(texts: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:16]


def read_list(file: str) -> dict[str, str]:
    path = GOLDEN / file
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return {line[17:]: line[:16] for line in lines}


def agrees(file: str, found: dict[str, str], order: Iterable[str]) -> None:
    """Whether what was found is what stands in the list; `order` has the names of all of it."""
    if os.environ.get("KOLAHAL_GOLDEN") == "rewrite":
        kept = read_list(file) | found
        lines = [f"{kept[name]} {name}\n" for name in order if name in kept]
        (GOLDEN / file).write_text("".join(lines), encoding="utf-8")
    wanted = read_list(file)
    assert {name: wanted.get(name) for name in found} == found
