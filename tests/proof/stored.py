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
_HEAD = "@sketch(adjacent={})\ndef f(q: Private, eps: Epsilon, k: int = 2):\n"
RULES = {  # one for each thing that a document may say and that the others do not
    "the largest of the first": _HEAD.format("each_within(1)")
    + "    most = 0\n    out = []\n    for i in range(len(q)):\n        if i == 0:\n            most = q[i] + Lap(4/eps)\n        elif i < k:\n"
    "            r = q[i] + Lap(4/eps)\n            if r > most:\n                most = r\n        else:\n            r = q[i] + Lap(4/eps)\n"
    "            if r < most:\n                out.append(0)\n            else:\n                out.append(1)\n                break\n    return out\n",
    "sorted": _HEAD.format("each_within(1)") + "    return sorted([x + Lap(len(q)/eps) for x in q])[-2]\n",
    "averages": _HEAD.format("one_within(1)")
    + "    s = 0\n    out = []\n    for i in range(len(q)):\n        s += q[i]\n        out.append((s + Lap(len(q)/eps)) / (i + 1))\n    return out\n",
    "squares": _HEAD.format("one_within(1)") + "    out = []\n    for x in q:\n        y = x + Lap(1/eps)\n        out.append(y*y - y)\n    return out\n",
}
NAMES = (*GALLERY, *OTHERS, *LEADS, *RULES)


def find(name: str) -> Proved | Unknown:
    """The search for a proof of it, for real noise if it is a winner's lead."""
    sketch = program(name)
    return prove_over_reals(sketch, plain_claim(sketch)) if name in LEADS else prove_every_length(sketch)


def program(name: str) -> Sketch:
    if name in LEADS:
        return LEADS[name]
    if name in RULES:
        return load(RULES[name])
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
