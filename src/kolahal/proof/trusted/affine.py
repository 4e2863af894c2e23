"""A proof that a release of fixed size keeps a budget other than ε, as a document, and the check (Theorem C).

Without comparisons on noise or answers an output is affine, y = B·q + A·x. A shift s = S·δ of the noise with A·S = −B
hides every move δ, whatever the noise is, so it looks back alone, and its price is convex in δ: the corners of the
relation are the worst. docs/theory-budgets.md argues.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from fractions import Fraction

from kolahal.errors import KolahalError
from kolahal.lang.canonical import concentrated, is_quadratic, twin
from kolahal.lang.noise import Noise
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Sketch, Type, Variant
from kolahal.logic.linear import LinearForm
from kolahal.nouns import dataclass
from kolahal.paths.explore import explore
from kolahal.paths.unknowns import AnswerAt, Argument, NoiseAt
from kolahal.proof.trusted.bounded import MOST_ANSWERS, DrawSteps
from kolahal.proof.trusted.certificate import Rejected
from kolahal.proof.trusted.concentrated import read_head
from kolahal.proof.trusted.documents import Malformed, read_number, read_whole, take_all
from kolahal.proof.trusted.passages import find_no_bound
from kolahal.verdicts import AnyRecords, Bounded, Certificate, Exactly, Proved, Unknown, UpTo

KIND = "affine"
MOST_MOVES = 4_096  # corners of a relation
MOST_PATHS = 2  # more than one is too many


@dataclass(frozen=True, slots=True)
class Release:
    """What a program of fixed size gives: for each number the coefficients of the noise and of the answers."""

    noise: tuple[Mapping[NoiseAt, Fraction], ...]
    answers: tuple[Mapping[int, Fraction], ...]
    prices: Mapping[int, Fraction]  # by site, of a step of 1, in units of the budget; sites that are not in it cannot move
    squares: frozenset[int]  # sites whose price is that of the square of a step
    limit: Fraction

    def cost(self, steps: DrawSteps) -> Fraction:
        return sum(
            (self.prices[d.site] * (s * s if d.site in self.squares else abs(s)) for d, s in steps.items() if s), Fraction(0)
        )


def read_release(program: Sketch, claim: Scale, size: int) -> Release:
    """The release of a program with so many answers, and what steps of its noise cost."""
    found = concentrated(program, claim)
    if isinstance(found, str):
        raise Rejected(found)
    canonical, level = found
    table = program.private.table
    if (table is not None and (table.bins is not None or table.depends_on_run)) or any(
        p.type is not Type.FLOAT for p in program.arguments
    ):
        raise Rejected("whole arguments, bins of records and questions that depend on the run are not covered")
    if reason := find_no_bound(program.adjacency, size, program.private.bits):
        raise Rejected(reason)
    rho = canonical.budget.name
    values = {canonical.length_name: Fraction(size), rho: Fraction(1)}
    if dict(level.powers) != {rho: 1} or level.root:
        raise Rejected(f"the claim {claim} is not a multiple of the budget")
    prices, squares = {}, set()
    for draw in canonical.draws:
        if not isinstance(draw.scale, Scale):
            raise Rejected("the program has holes")
        square = is_quadratic(draw, rho)
        scale = Scale(Fraction(2)) * draw.scale.squared if square else draw.scale
        fits = dict(scale.powers).get(rho) == -1 and not scale.root and scale.names <= set(values) & set(canonical.quantities())
        priced = draw.noise is Noise.GAUSS or program.variant is Variant.ZCDP
        if fits and priced and not draw.noise.one_sided:
            prices[draw.site] = 1 / scale.at(values)
            squares |= {draw.site} if square else set()
    noise, answers = _coefficients(canonical, size)
    return Release(noise, answers, prices, frozenset(squares), level.coefficient)


def _coefficients(
    program: Sketch, size: int
) -> tuple[tuple[Mapping[NoiseAt, Fraction], ...], tuple[Mapping[int, Fraction], ...]]:
    paths = explore(twin(program), size, {}, MOST_PATHS, ties=True)
    if isinstance(paths, Unknown):
        raise Rejected(paths.reason)
    if len(paths.paths) != 1 or paths.paths[0].atoms or paths.almost:
        raise Rejected("the program compares noise or answers")
    output = paths.paths[0].output
    noise, answers = [], []
    for item in output if isinstance(output, tuple) else (output,):
        if isinstance(item, LinearForm):
            if not all(isinstance(symbol, NoiseAt | AnswerAt | Argument) for symbol in item.terms):
                raise Rejected("the output is not affine")
            noise.append({s: Fraction(c) for s, c in item.terms.items() if isinstance(s, NoiseAt)})
            answers.append({s.place: Fraction(c) for s, c in item.terms.items() if isinstance(s, AnswerAt)})
        elif not isinstance(item, int | Fraction | None):  # what is the same whatever the answers are needs no noise
            raise Rejected("the output is not affine")
    return tuple(noise), tuple(answers)


def write_affine(program: Sketch, claim: Scale, shifts: Mapping[int, tuple[DrawSteps, ...]]) -> Certificate:
    """A proof as text: for each size, and each answer, how the noise moves when the answer moves by 1."""
    sizes = [
        {"size": size, "shifts": [{str(d): str(s) for d, s in sorted(steps.items()) if s} for steps in rows]}
        for size, rows in shifts.items()
    ]
    document = {
        "kind": KIND,
        "variant": program.variant.value,
        "program": str(program),
        "claim": str(claim),
        "adjacency": str(program.adjacency),
        "sizes": sizes,
    }
    return Certificate(json.dumps(document, indent=1, ensure_ascii=False))


def recheck_affine(certificate: Certificate) -> list[str]:
    """What is wrong with a certificate; nothing, if it is a proof."""
    try:
        document, program, claim = read_head(certificate, KIND)
        entries = take_all(document, "sizes", dict)
        count = program.private.count
        wanted = list(range(1, len(entries) + 1)) if count is None else [count]
        if not entries or [read_whole(e.get("size"), MOST_ANSWERS) for e in entries] != wanted:
            raise Rejected("it does not have one case for each size")
        for size, entry in zip(wanted, entries, strict=True):
            _check_size(program, claim, size, take_all(entry, "shifts", dict))
    except (Rejected, Malformed, KolahalError, RecursionError) as error:
        return [str(error)]
    return []


def _check_size(program: Sketch, claim: Scale, size: int, told: list[dict[str, str]]) -> None:
    release = read_release(program, claim, size)
    draws = {str(drawn): drawn for row in release.noise for drawn in row}
    if len(told) != size or any(not set(steps) <= set(draws) for steps in told):
        raise Rejected("the shifts are not those of the noise of the release")
    shifts = [{draws[name]: read_number(step) for name, step in steps.items()} for steps in told]
    families = {draw.site: draw.noise for draw in program.draws}
    for steps in shifts:
        for drawn, step in steps.items():
            if drawn.site not in release.prices:
                raise Rejected(f"{drawn} is shifted, and has no price under {program.variant.words}")
            if families[drawn.site].whole and (step.denominator != 1 or not program.private.whole):
                raise Rejected(f"the shift of {drawn} is not a whole number")
    for noise, answers in zip(release.noise, release.answers, strict=True):
        for place in range(size):
            moved = sum((c * shifts[place].get(d, Fraction(0)) for d, c in noise.items()), Fraction(0))
            if moved != -answers.get(place, Fraction(0)):
                raise Rejected(f"the shifts do not hide a move of answer {place + 1}")
    moves = list(itertools.islice(program.adjacency.vertices(size), MOST_MOVES + 1))
    if len(moves) > MOST_MOVES:
        raise Rejected(f"there are more than {MOST_MOVES} extreme neighbours")
    for move in moves:
        total: dict[NoiseAt, Fraction] = {}
        for step, steps in zip(move, shifts, strict=True):
            for drawn, part in steps.items():
                total[drawn] = total.get(drawn, Fraction(0)) + step * part
        if release.cost(total) > release.limit:
            raise Rejected(f"a move costs {release.cost(total)}, above {release.limit}")


def read_verdict(program: Sketch, certificate: Certificate, most: int) -> Proved | Bounded:
    """What a valid certificate says."""
    count = program.private.count
    if program.private.table is not None:
        return Proved(certificate, AnyRecords())  # aggregates are as many as they are, whatever the records
    return Bounded(certificate, UpTo(most)) if count is None else Proved(certificate, Exactly(count))
