"""A proof of a program as one of the program that gives away what its answer is computed from.

An emitted program draws its noise on a grid and computes exactly, so its answer is a function of these parts as they are on the
grid. Where the answer leaves every grid and the parts do not, the proof must be about the parts.
"""

from __future__ import annotations

import json
from typing import Any

from kolahal.errors import KolahalError
from kolahal.lang.read.parse import parse
from kolahal.lang.sketch import Sketch
from kolahal.proof.trusted import affine, bounded, certificate, concentrated, union
from kolahal.proof.trusted.restated.released import released
from kolahal.verdicts import Certificate


def read_as_parts(proof: Certificate, program: Sketch) -> Sketch | None:
    """The program of the parts, if what a certificate holds is a proof of it, too."""
    parts = released(program)
    if parts == program:
        return None
    try:
        document = _about_parts(proof.document())
        if isinstance(document.get("proof"), dict):
            document["proof"] = _about_parts(document["proof"])
    except (ValueError, LookupError, TypeError, AttributeError, KolahalError):
        return None
    return None if _faults(Certificate(json.dumps(document))) else parts


def _about_parts(document: dict[str, Any]) -> dict[str, Any]:
    rest = {name: value for name, value in document.items() if name != "parts"}
    return {**rest, "program": str(released(parse(document["program"])))}


def _faults(proof: Certificate) -> list[str] | tuple[str, ...]:
    match proof.document().get("kind"):
        case "bounded":
            return bounded.recheck_bounded(proof)
        case union.KIND:
            return union.recheck_union(proof)
        case concentrated.KIND:
            return concentrated.recheck_budget(proof)
        case affine.KIND:
            return affine.recheck_affine(proof)
        case None:
            return certificate.recheck(proof)
        case _:
            return ["no such proof is known"]
