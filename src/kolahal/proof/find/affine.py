"""The cheapest shifts of an affine release, by exact least squares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from kolahal.lang.adjacency import OneWithin, SumWithin
from kolahal.lang.claims import plain_claim
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Sketch
from kolahal.paths.unknowns import NoiseAt
from kolahal.proof.find import own_recheck
from kolahal.proof.trusted.affine import Release, read_release, read_verdict, recheck_affine, write_affine
from kolahal.proof.trusted.bounded import MOST_ANSWERS, DrawSteps
from kolahal.proof.trusted.certificate import Rejected
from kolahal.settings import ProofSettings
from kolahal.verdicts import Bounded, Proved, Unknown

NO_DEFECT = ("a move costs", "the shift of ")  # too much, or no whole number: then the cheapest shifts are no proof


def prove_affine(sketch: Sketch, claim: Scale, settings: ProofSettings) -> Proved | Bounded | Unknown:
    """Whether a release keeps a claim other than ε at its declared number of answers, or at small ones."""
    count = sketch.private.count
    if count is not None and count > MOST_ANSWERS:
        return Unknown(f"no proof of a release of more than {MOST_ANSWERS} answers")
    shifts: dict[int, tuple[DrawSteps, ...]] = {}
    found: Proved | Bounded | Unknown = Unknown("no release of any size is affine")
    for size in range(1, max(settings.sizes) + 1) if count is None else [count]:
        try:
            rows = _cheapest(read_release(sketch, claim, size), size)
        except Rejected as reason:
            return found if not isinstance(found, Unknown) else Unknown(str(reason))
        if rows is None:
            return found if not isinstance(found, Unknown) else Unknown("no shift of the noise hides a move of an answer")
        shifts[size] = rows
        certificate = write_affine(sketch, claim, shifts)
        failures = recheck_affine(certificate)
        if failures and failures[0].startswith(NO_DEFECT):
            return found if not isinstance(found, Unknown) else Unknown(failures[0])
        if failures:
            return own_recheck.failed_recheck("a proof of a release", failures)
        found = read_verdict(sketch, certificate, size)
    return found


def reach_of(bounded: Bounded, sketch: Sketch) -> dict[int, Scale]:
    """The longest shift of each draw in a proof of small releases, in units of the move: what longer ones may need, too."""
    longest: dict[int, dict[int, Fraction]] = {}
    alone = isinstance(sketch.adjacency, OneWithin | SumWithin)  # the moves of several answers do not add up
    for entry in bounded.certificate.document().get("sizes", ()):
        release = read_release(sketch, plain_claim(sketch), entry["size"])
        sites = {str(drawn): drawn.site for row in release.noise for drawn in row}
        for steps in entry["shifts"]:
            for name, step in steps.items():
                here, length = longest.setdefault(sites[name], {}), abs(Fraction(step))
                known = here.get(entry["size"], Fraction(0))
                here[entry["size"]] = max(known, length) if alone else known + length
    return {site: _fit(lengths, sketch) for site, lengths in longest.items() if any(lengths.values())}


def _fit(lengths: Mapping[int, Fraction], sketch: Sketch) -> Scale:
    """A bound that holds at all sizes, which grows with them if need be."""
    ratios = {length / size for size, length in lengths.items()}
    grows = len(ratios) == 1 and len(lengths) > 1
    return Scale(ratios.pop(), ((sketch.length_name, 1),)) if grows else Scale(max(lengths.values()))


def _cheapest(release: Release, size: int) -> tuple[DrawSteps, ...] | None:
    """For each answer the shift of least Σ price × step² that hides its move by 1; None if there is none."""
    draws = sorted({d for row in release.noise for d in row if d.site in release.prices})
    matrix = [[row.get(d, Fraction(0)) for d in draws] for row in release.noise]
    weights = [1 / release.prices[d.site] for d in draws]
    normal = [
        [sum((a * b * w for a, b, w in zip(one, other, weights, strict=True)), Fraction(0)) for other in matrix] for one in matrix
    ]
    wanted = [[-row.get(place, Fraction(0)) for place in range(size)] for row in release.answers]
    solved = _solve(normal, wanted)
    if solved is None:
        return None
    found: list[dict[NoiseAt, Fraction]] = []
    for place in range(size):
        found.append(
            {
                d: w * sum((matrix[i][j] * solved[i][place] for i in range(len(matrix))), Fraction(0))
                for j, (d, w) in enumerate(zip(draws, weights, strict=True))
            }
        )
    return tuple(found)


def _solve(matrix: Sequence[Sequence[Fraction]], right: Sequence[Sequence[Fraction]]) -> list[list[Fraction]] | None:
    """X with matrix·X = right, free unknowns 0; None if there is none."""
    size, many = len(matrix), len(right[0]) if right else 0
    rows = [[*a, *b] for a, b in zip(matrix, right, strict=True)]
    pivots: list[int] = []
    for column in range(size):
        at = next((i for i in range(len(pivots), size) if rows[i][column]), None)
        if at is None:
            continue
        top = len(pivots)
        rows[top], rows[at] = rows[at], rows[top]
        lead = rows[top][column]
        rows[top] = [entry / lead for entry in rows[top]]
        for i in range(size):
            if i != top and rows[i][column]:
                factor = rows[i][column]
                rows[i] = [a - factor * b for a, b in zip(rows[i], rows[top], strict=True)]
        pivots.append(column)
    if any(any(row[size:]) for row in rows[len(pivots) :]):
        return None
    result = [[Fraction(0)] * many for _ in range(size)]
    for row, column in zip(rows, pivots):
        result[column] = row[size:]
    return result
