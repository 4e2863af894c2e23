"""A proof by counting all that can happen, as a document, and the check that believes it or not.

For programs on a declared number of bits, or of whole answers that are looked at in levels, whose draws are coins and chosen places (`docs/theory-draws.md`, "All that can
happen"). What is seen of a run falls into parts with no bit and no draw in common, so probabilities are products, and losses
add up. The document says for each part how much is lost where so many of its bits are turned over; the check follows the program
again, and compares the probabilities of each sight on each two inputs as sums of exponentials: for all ε > 0 at once, or, where no
scale depends on ε, at the numbers that they are.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterator, Sequence
from fractions import Fraction
from typing import Any

from kolahal.errors import KolahalError
from kolahal.lang.adjacency import EachWithin, Monotone, OneWithin, SumWithin
from kolahal.lang.read.parse import parse
from kolahal.lang.scale import Scale, parse_scale
from kolahal.lang.sketch import Sketch, Type, Variant
from kolahal.logic.exponentials import Exponentials, is_above, later, minus, never_negative
from kolahal.nouns import dataclass
from kolahal.paths.kernels import Bits, Likelihoods, Part, kernel_of, parts_of, unit_of
from kolahal.paths.outcomes import ChoiceDraw, Coin, NotFinite, find_outcomes_of
from kolahal.proof.trusted.bounded import FixedArguments, find_budget
from kolahal.proof.trusted.documents import Malformed, read_json, read_number, take, take_all
from kolahal.verdicts import Certificate, Exactly, Proved, Unknown

KIND = "counted"


@dataclass(frozen=True, slots=True)
class CountedCase:
    """A program with these boolean arguments: its parts, and how likely all that is seen of them is."""

    parts: tuple[Part, ...]
    kernels: tuple[Likelihoods, ...]
    unit: int  # rates are multiples of 1/unit
    limit: Fraction  # what may be lost
    every_epsilon: bool  # whether t, in which losses and rates are counted, is any number above 0; else it is 1


def settings_of_counted(sketch: Sketch) -> Iterator[FixedArguments]:
    names = [p.name for p in sketch.arguments if p.type is Type.BOOL]
    for values in itertools.product((False, True), repeat=len(names)):
        yield dict(zip(names, values, strict=True))


def count(sketch: Sketch, claim: Scale, arguments: FixedArguments) -> CountedCase:
    """All that a program on its declared number of bits can do; raises NotFinite."""
    size = sketch.private.count
    if size is None or sketch.variant is not Variant.PURE:
        raise NotFinite("the number of bits is not declared")
    outcomes = find_outcomes_of(sketch, size, arguments)
    if sketch.preconditions and outcomes.answer is None:  # then there is nothing to prove, and a proof would mislead
        raise NotFinite("what the program asserts is broken")
    budget = find_budget(sketch, claim, size, arguments)
    if isinstance(budget, Unknown):
        raise NotFinite(budget.reason)
    rates = budget.prices
    if not all(unknown.site in rates for unknown in outcomes.unknowns if isinstance(unknown, Coin | ChoiceDraw)):
        raise NotFinite("a scale and the claim are not multiples of one power of ε")
    parts, unit = tuple(parts_of(outcomes)), unit_of(outcomes, rates)
    kernels = tuple(kernel_of(outcomes, part, rates, unit) for part in parts)
    return CountedCase(parts, kernels, unit, budget.limit, dict(claim.powers).get(sketch.epsilon.name, 0) != 0)


@dataclass(frozen=True, slots=True)
class Apart:
    """How far neighbours are apart, in bits that are turned over, or in levels of whole answers.

    A level is the nearest of some whole numbers, so levels of neighbours are no further apart than these are.
    """

    most: int  # what all changes together may count
    furthest: int  # that one answer may move
    adds: bool  # whether a change counts as far as it moves, or once
    one_way: bool  # whether all answers rise, or all fall

    def between(self, one: Bits, other: Bits) -> int | None:
        """What the changes from one to the other count; None where no neighbours have them."""
        steps = [b - a for a, b in zip(one, other, strict=True) if a != b]
        if any(abs(step) > self.furthest for step in steps) or (self.one_way and min(steps, default=0) < 0 < max(steps, default=0)):
            return None
        return sum(map(abs, steps)) if self.adds else len(steps)

    def ends(self, kernel: Likelihoods) -> int:
        """What the changes in one part may count."""
        longest = max((self.between(one, other) or 0 for one, other in itertools.product(kernel, repeat=2)), default=0)
        return min(self.most, longest)


def apart_of(sketch: Sketch, size: int) -> Apart:
    relation = sketch.adjacency
    far = int(relation.distance)
    match relation:
        case SumWithin():
            return Apart(far, far, True, False)
        case OneWithin():
            return Apart(1, far, False, False)
        case EachWithin():
            return Apart(size, far, False, False)
        case Monotone():
            return Apart(size, far, False, True)
        case _:
            raise NotFinite("its neighbours are not those of bits")


def compared(kernel: Likelihoods, changes: int, apart: Apart) -> set[tuple[tuple[tuple[int, int], ...], tuple[tuple[int, int], ...]]]:
    """How likely one sight is on two inputs whose changes count so many, each pair once."""
    frozen: dict[Hashable, dict[Bits, tuple[tuple[int, int], ...]]] = {}
    for bits, likely in kernel.items():
        for sight, weight in likely.items():
            frozen.setdefault(sight, {})[bits] = tuple(sorted(weight.items()))
    found = set()
    for one, other in itertools.product(kernel, repeat=2):
        if apart.between(one, other) == changes:
            found |= {(weights.get(one, ()), weights.get(other, ())) for weights in frozen.values()}
    return found


def is_within(first: Exponentials, second: Exponentials, loss: Fraction, case: CountedCase) -> bool:
    """Whether `first` ≤ e^(loss·t)·`second`, for every t > 0, or for t = 1, whichever the case is about."""
    whole = loss.denominator
    wide = [{rate * whole: c for rate, c in sum_.items()} for sum_ in (first, second)]
    gap = minus(later(wide[1], loss.numerator * case.unit), wide[0])
    return never_negative(gap) or (not case.every_epsilon and is_above(gap, Fraction(1, case.unit * whole)))


def add_up(losses: Sequence[Sequence[Fraction]], most: int) -> Fraction:
    """The largest sum of losses of all parts, where so many bits are turned over; losses[part][k] is for k bits of a part."""
    best = [Fraction(0)] * (most + 1)
    for part in losses:
        best = [max(best[total - k] + part[k] for k in range(min(total, len(part) - 1) + 1)) for total in range(most + 1)]
    return max(best)


def recheck_counted(certificate: Certificate, sketch: Sketch | None = None) -> tuple[str, ...]:
    """What is wrong with a certificate; nothing if it proves what it says. With `sketch`, it must be about that program."""
    try:
        document = read_json(certificate.text)
        program, claim = parse(take(document, "program", str)), parse_scale(take(document, "claim", str))
        if take(document, "kind", str) != KIND or (sketch is not None and program != sketch):
            return ("it is a certificate of another kind, or about another program",)
        settings, entries = list(settings_of_counted(program)), take_all(document, "cases", dict)
        if [take(entry, "arguments", dict) for entry in entries] != settings:
            return ("it does not have one case for each setting of the arguments",)
        apart = apart_of(program, program.private.count or 0)
        for arguments, entry in zip(settings, entries, strict=True):
            told = [_losses(row) for row in take_all(entry, "losses", list)]
            case = count(program, claim, arguments)
            if wrong := _wrong(case, told, apart):
                return (wrong,)
    except NotFinite as reason:
        return (f"the program has no such proof: {reason}",)
    except (Malformed, RecursionError, KolahalError) as error:
        return (f"it is not a certificate: {type(error).__name__}: {error}",)
    return ()


def _losses(row: list[Any]) -> list[Fraction]:
    return [read_number(value) for value in row]


def _wrong(case: CountedCase, losses: Sequence[Sequence[Fraction]], apart: Apart) -> str:
    wanted = [apart.ends(kernel) + 1 for kernel in case.kernels]
    if [len(row) for row in losses] != wanted or any(row[0] != 0 for row in losses):
        return "it does not have one loss for each part and number of bits"
    checked: list[tuple[Likelihoods, Sequence[Fraction]]] = []
    for part, (kernel, row) in enumerate(zip(case.kernels, losses, strict=True)):
        if (kernel, row) in checked:
            continue
        checked.append((kernel, row))
        for turned, loss in enumerate(row):
            pairs = compared(kernel, turned, apart)
            if not all(is_within(dict(first), dict(second), loss, case) for first, second in pairs):
                return f"part {part} may lose more than {loss} where its changes count {turned}"
    if add_up(losses, apart.most) > case.limit:
        return "the parts lose more than the claim together"
    return ""


def read_verdict(sketch: Sketch, certificate: Certificate) -> Proved:
    """What a valid certificate says."""
    assert sketch.private.count is not None
    return Proved(certificate, Exactly(sketch.private.count))
