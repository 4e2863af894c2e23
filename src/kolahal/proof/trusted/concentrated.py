"""Proofs of claims other than ε as documents, and the check that believes them or not; docs/theory-budgets.md argues.

Each rests on a certificate of a pure program that is derived from the program's own text:

- `shifts` (Theorems B and D): the surrogate, in which every step of a shift costs at least its quadratic price, with
  an alignment whose shifts do not look ahead where the price is quadratic;
- `pure`: the program itself with a pure budget, and a conversion.
"""

from __future__ import annotations

import itertools
import json
from typing import Any

from kolahal.errors import KolahalError
from kolahal.lang.canonical import concentrated, is_quadratic, pure, surrogate
from kolahal.lang.claims import parse_claim
from kolahal.lang.ir import Draw
from kolahal.lang.noise import Noise
from kolahal.lang.read.parse import parse
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Sketch, Variant
from kolahal.proof.trusted import certificate as every_length
from kolahal.proof.trusted.certificate import STEPS, LengthProof, Rejected, check_proof, read_certificate
from kolahal.proof.trusted.documents import Malformed, read_json, take
from kolahal.proof.trusted.neighbours import enclosing
from kolahal.proof.trusted.product import Product
from kolahal.proof.trusted.shifts import Alignment, Always, AtValue, Form, Shift, ShiftRule
from kolahal.proof.trusted.values import Unsupported
from kolahal.verdicts import Certificate, Proved

KIND = "budget"
SHIFTS, PURE = "shifts", "pure"  # the two rules


def write_budget(sketch: Sketch, claim: Scale, rule: str, inner: Certificate) -> Certificate:
    """A proof as text."""
    document = {
        "kind": KIND,
        "variant": sketch.variant.value,
        "program": str(sketch),
        "claim": str(claim),
        "adjacency": str(sketch.adjacency),
        "rule": rule,
        "proof": inner.document(),
    }
    return Certificate(json.dumps(document, indent=1, ensure_ascii=False))


def read_head(certificate: Certificate, kind: str) -> tuple[dict[str, Any], Sketch, Scale]:
    """A document of a kind, its program, and the claim of it, which must be what is written of them."""
    document: dict[str, Any] = read_json(certificate.text)
    if take(document, "kind", str) != kind:
        raise Rejected("it is a certificate of another kind")
    program = parse(take(document, "program", str))
    claim = parse_claim(program, take(document, "claim", str) or "nothing")
    said = {"variant": program.variant.value, "adjacency": str(program.adjacency)}
    if program.variant is Variant.PURE or any(take(document, name, str) != value for name, value in said.items()):
        raise Rejected(f"the program claims {program.variant.words} under {program.adjacency}, not what is written")
    return document, program, claim


def recheck_budget(certificate: Certificate, steps: int = STEPS, second: bool = False) -> list[str]:
    """What is wrong with a certificate; nothing, if it is a proof."""
    try:
        document, program, claim = read_head(certificate, KIND)
        proof, stored, product = read_certificate(Certificate(json.dumps(take(document, "proof", dict))))
        match take(document, "rule", str):
            case "shifts":
                check_shifts(program, claim, proof, product)
            case "pure":
                _expect(pure(program, claim), proof)
            case other:
                raise Rejected(f"there is no rule {other!r}")
        return check_proof(proof, stored, product, steps, second)
    except (Rejected, Unsupported, Malformed, KolahalError, RecursionError) as error:
        return [str(error)]


def _expect(derived: tuple[Sketch, Scale] | str, proof: LengthProof) -> None:
    if isinstance(derived, str):
        raise Rejected(derived)
    if (proof.sketch, proof.claim) != derived:
        raise Rejected("the inner proof is not about the program that belongs to the claim")


def check_shifts(program: Sketch, claim: Scale, proof: LengthProof, product: Product) -> None:
    """That the inner certificate, of this product, is about the surrogate, and its alignments are such that costs add up."""
    found = concentrated(program, claim)
    if isinstance(found, str):
        raise Rejected(found)
    canonical, level = found
    steady = [draw.site for draw in canonical.draws if is_quadratic(draw, canonical.budget.name)]
    if not proof.cases:
        raise Rejected("there is no case")
    reach = proof.cases[0].alignment.reach
    for case in proof.cases:
        if case.alignment.reach != reach or any(not _is_reach(case.alignment.limit(site)) for site in steady):
            raise Rejected("the longest shift of a draw is missing, or not the same in all cases")
    lengths = {site: most for site in steady if (most := reach[site])}
    priced = surrogate(canonical, lengths, enclosing(canonical.adjacency).distance)
    if not set(priced.required) <= set(canonical.required):
        raise Rejected("the longest shift of a draw uses an argument that may be below 1")
    _expect((priced, level), proof)
    _check_laws(canonical.draws, proof, product)
    asked = canonical.private.table is not None and canonical.private.table.depends_on_run
    for case in proof.cases:
        if case.alignment.lead:
            raise Rejected("a shift that follows the others looks ahead")
        if proof.at_once:
            raise Rejected("the shifts of a list that is drawn at once look ahead")
        check_alignment(case.alignment, steady)
        if asked and case.neighbours.single and any(form.units for site in steady for form in _forms(case.alignment.shifts[site])):
            raise Rejected("a shift by the size of the move looks ahead: how far a question of the run moves is known when it is asked")
        for draw, shift in zip(canonical.draws, case.alignment.shifts, strict=True):
            if shift == Always(Form()):
                continue
            if program.variant is not Variant.ZCDP and draw.noise is not Noise.GAUSS:
                raise Rejected(f"{draw.noise.words} noise is shifted, and has no price under {program.variant.words}")
            if case.neighbours.in_proportion and draw.site not in steady:  # moves in several steps cost more than each alone
                raise Rejected("a price that is not quadratic does not add up over moves of several answers")


def _is_reach(most: Scale | None) -> bool:
    return most is not None and bool(most)


def _check_laws(draws: tuple[Draw, ...], proof: LengthProof, product: Product) -> None:
    """Draws that go together in the inner proof, because the surrogate gives them one law, must be of one law."""

    def compare(one: int, two: int) -> None:
        if (draws[one].noise, draws[one].scale) != (draws[two].noise, draws[two].scale):
            raise Rejected("two kinds of noise look alike in the inner proof")

    for loop, paths in product.first.paths.items():
        for one, two in itertools.product(paths, product.second.paths[loop]):
            for mine, other in zip(one.draws, two.draws):
                if mine.law != other.law:
                    break
                compare(mine.site, other.site)
    for first, second in itertools.combinations(proof.sketch.draws if proof.delayed else (), 2):
        if (first.noise, first.scale) == (second.noise, second.scale):
            compare(first.site, second.site)  # noise that waits at a loop head may stand for either


def check_alignment(alignment: Alignment, steady: list[int]) -> None:
    """That no shift of a steady draw looks ahead: it asks no condition and no ghost, and where other draws do, it is the
    same whatever they do."""
    ahead = bool(alignment.ghosts) or any(_looks_ahead(shift) for shift in alignment.shifts)
    for site in steady:
        shift = alignment.shifts[site]
        if _looks_ahead(shift):
            raise Rejected(f"the shift of draw {site + 1} looks ahead")
        if ahead and any(form.cancel or form.follow is not None for form in _forms(shift)):
            raise Rejected(f"the shift of draw {site + 1} follows one that looks ahead")


def _looks_ahead(shift: Shift | ShiftRule) -> bool:
    match shift:
        case Always() | Form():
            return False
        case AtValue(then=then, orelse=orelse):
            return _looks_ahead(then) or _looks_ahead(orelse)
        case _:
            return True


def _forms(shift: Shift | ShiftRule) -> list[Form]:
    match shift:
        case Always(form):
            return [form]
        case Form():
            return [shift]
        case AtValue(then=then, orelse=orelse):
            return [*_forms(then), *_forms(orelse)]
        case _:
            raise Rejected("a shift that looks ahead has no single form")


def read_verdict(sketch: Sketch, claim: Scale, certificate: Certificate) -> Proved:
    """What a valid certificate says."""
    return every_length.read_verdict(sketch, claim, certificate)
