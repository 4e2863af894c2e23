"""Proofs of claims other than ε: through the surrogate of the program, or through a pure budget and a conversion."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from kolahal.errors import UsageError
from kolahal.lang.canonical import concentrated, is_quadratic, pure, surrogate
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Sketch
from kolahal.proof.find import own_recheck
from kolahal.proof.find.lengths import find_proof
from kolahal.proof.trusted.certificate import LengthProof, Rejected, write_certificate
from kolahal.proof.trusted.concentrated import PURE, SHIFTS, check_shifts, read_verdict, recheck_budget, write_budget
from kolahal.proof.trusted.neighbours import enclosing
from kolahal.proof.trusted.restated.rescaled import in_other_units, units_of
from kolahal.proof.trusted.values import Unsupported
from kolahal.settings import ProofSettings
from kolahal.verdicts import Certificate, Proved, Unknown

REACHES = (Scale(Fraction(1)), Scale(Fraction(2)))  # the longest shifts that are tried, in units of the move


def prove_budget(
    sketch: Sketch,
    claim: Scale,
    settings: ProofSettings,
    reach: Mapping[int, Scale] | None = None,
    guess: LengthProof | None = None,
) -> Proved | Unknown:
    """Whether a program without holes keeps a claim other than ε, for inputs of every length.

    With `reach`, the longest shift of each draw in units of the move is known, and no other is tried. `guess` is the pure
    proof of a program that differs in its scales.
    """
    reasons: dict[str, None] = {}
    for rule, found in _proofs(sketch, claim, settings, reach, guess):
        if isinstance(found, str):
            reasons[found] = None
            continue
        certificate = write_budget(sketch, claim, rule, found)
        failures = recheck_budget(certificate, settings.solver_steps)
        if not failures:
            return read_verdict(sketch, claim, certificate)
        reasons[own_recheck.failed_recheck(f"a proof of {sketch.variant.words}", failures).reason] = None
    return Unknown(f"no proof of {sketch.variant.words}: {'; '.join(reasons)}")


def _proofs(
    sketch: Sketch, claim: Scale, settings: ProofSettings, reach: Mapping[int, Scale] | None, guess: LengthProof | None
) -> Iterator[tuple[str, Certificate | str]]:
    """By each rule a certificate of its pure program, or why there is none."""
    if reach is not None:
        yield SHIFTS, _through_surrogate(sketch, claim, settings, reach, guess)
        return
    derived = pure(sketch, claim)
    if not isinstance(derived, str):
        yield PURE, _through_pure(*derived, settings, guess)
    for reaches in _reaches(sketch):
        yield SHIFTS, _through_surrogate(sketch, claim, settings, reaches, guess)
    if isinstance(derived, str) and not any(draw.noise.bell for draw in sketch.draws):
        yield PURE, derived


def _reaches(sketch: Sketch) -> Iterator[dict[int, Scale]]:
    """The same for all draws; and two for chosen places, which may fall behind by two moves, where other noise moves once."""
    chosen = {draw.site for draw in sketch.draws if draw.noise.selects}
    for reach in REACHES:
        yield {draw.site: reach for draw in sketch.draws}
    if 0 < len(chosen) < len(sketch.draws):
        yield {draw.site: REACHES[draw.site in chosen] for draw in sketch.draws}


def _through_surrogate(
    sketch: Sketch, claim: Scale, settings: ProofSettings, reach: Mapping[int, Scale], guess: LengthProof | None
) -> Certificate | str:
    by_shifts = concentrated(sketch, claim)
    if isinstance(by_shifts, str):
        return by_shifts
    canonical, level = by_shifts
    lengths = {d.site: reach.get(d.site, REACHES[0]) for d in canonical.draws if is_quadratic(d, canonical.budget.name)}
    try:
        distance = enclosing(canonical.adjacency).distance
        priced = surrogate(canonical, lengths, distance)
        # A proof counts the shifts of a mean by its number of answers: there they are whole, and so many times shorter here.
        units = units_of(priced, in_other_units(priced))
        lengths = {site: length / units[site] for site, length in lengths.items()}
        found = find_proof(surrogate(canonical, lengths, distance), level, settings, lengths, guess=guess)
        if isinstance(found, str):
            return f"no shift that looks back alone was found: {found}"
        proof, product = found
        check_shifts(sketch, claim, proof, product)  # what has no price under this claim is no defect
        return write_certificate(proof, product)
    except (Unsupported, Rejected, UsageError) as error:  # such as a root in a scale whose price is not quadratic
        return str(error)


def _through_pure(program: Sketch, claim: Scale, settings: ProofSettings, guess: LengthProof | None) -> Certificate | str:
    try:
        found = find_proof(program, claim, settings, guess=guess)
        return found if isinstance(found, str) else write_certificate(*found)
    except Unsupported as error:
        return str(error)
