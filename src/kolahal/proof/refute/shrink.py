"""A counterexample made certain, and as simple as it can be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from kolahal.errors import UsageError
from kolahal.exact.balls import exceeds, log_ratio
from kolahal.exact.cut_short import certain_probability
from kolahal.exact.probe import Integrator, ask, exact_losses
from kolahal.lang.records.along_runs import along
from kolahal.lang.records.cells import TooComplex
from kolahal.lang.records.moves import RecordRelation
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Sketch, Type
from kolahal.model import AllOf, Anything, Event, Example, Linear, Odds, OneOf, Within
from kolahal.nouns import dataclass
from kolahal.paths.cuts import CannotIntegrate
from kolahal.proof.refute.questions import asked_for, asks_as_it_runs
from kolahal.verdicts import Refuted

MOST_HALVES = 12  # events and moves of programs with whole noise on answers that need not be whole


def confirm(sketch: Sketch, example: Example, claim: Scale) -> Refuted | None:
    """The example with rigorous intervals, d1 as the likelier side, if they show a violation for certain."""
    if not is_real(sketch, example):
        return None
    assert example.arguments.accepted_by(sketch, claim), "the program and the claim take the arguments of an example"
    p1, p2 = (certain_probability(sketch, d, example.arguments, example.event) for d in (example.d1, example.d2))
    if isinstance(p1, CannotIntegrate) or isinstance(p2, CannotIntegrate):
        return None
    level = claim.at(example.arguments.quantities(sketch))
    if exceeds(p1, p2, level):
        return Refuted(example, Odds(p1.estimate(), p2.estimate()))
    if exceeds(p2, p1, level):
        return Refuted(example.flipped(), Odds(p2.estimate(), p1.estimate()))
    return None


def is_real(sketch: Sketch, example: Example) -> bool:
    """Whether the databases of an example are neighbours; of a program over records, at its arguments.

    Where questions depend on the run, all runs that end in the event must ask those of the example.
    """
    adjacency, given = sketch.adjacency, dict(example.arguments.values)
    if not isinstance(adjacency, RecordRelation) or not asks_as_it_runs(sketch):
        public = adjacency.public if isinstance(adjacency, RecordRelation) else ()
        return all(given[name] == value for name, value in public) and sketch.related(example.d1, example.d2)
    asked, size = example.asked, example.arguments.size
    if asked is None or asked != asked_for(sketch, example.arguments, example.event):
        return False
    try:
        relation = along(adjacency, asked, size)
    except TooComplex:
        return False
    return all(given[name] == value for name, value in adjacency.public) and relation.related(example.d1, example.d2)


def measure(sketch: Sketch, example: Example, claim: Scale) -> float | None:
    """A loss that the example's is not below, in units of the claim, for certain."""
    if not is_real(sketch, example):
        return None
    p1, p2 = (certain_probability(sketch, d, example.arguments, example.event) for d in (example.d1, example.d2))
    if isinstance(p1, CannotIntegrate) or isinstance(p2, CannotIntegrate):
        return None
    low = max(log_ratio(p1, p2)[0], log_ratio(p2, p1)[0], 0.0)
    return low / float(claim.at(example.arguments.quantities(sketch)))


def shrink(sketch: Sketch, example: Example, claim: Scale) -> Example:
    """A simpler example at the same size that still violates the claim, by doubles."""
    integrator = Integrator(sketch)
    level = float(claim.at(example.arguments.quantities(sketch)))

    def first_that_violates(candidates: Iterable[Example]) -> Example | None:
        chosen = [c for c in candidates if sketch.related(c.d1, c.d2)]
        for start in range(0, len(chosen), 16):
            part = chosen[start : start + 16]
            for candidate, loss in zip(part, losses_of(integrator, part), strict=True):
                if loss > level * (1 + MARGIN):
                    return candidate
        return None

    for _ in range(4):
        before = example
        for simplify in (_simpler_arguments, _simpler_events, _simpler_moves, _closer_answers, _rounder_bounds):
            for variants in simplify(example, sketch):
                example = first_that_violates(v(example) for v in variants) or example
        if example == before:
            break
    return example


def _simpler_events(example: Example, sketch: Sketch) -> Iterator[list[_Edit]]:
    match example.event:
        case OneOf(events):
            yield [_Edit(event=event) for event in events]
        case AllOf(events):
            for place, part in enumerate(events):
                if isinstance(part, Within):
                    yield [_Edit(part=(place, Anything()))]
        case _:
            return


def _simpler_arguments(example: Example, sketch: Sketch) -> Iterator[list[_Edit]]:
    real = {parameter.name for parameter in sketch.arguments if parameter.type is Type.FLOAT}
    for name, value in example.arguments.values:
        if name in real:
            yield [_Edit(argument=(name, v)) for v in _smaller(Fraction(value))[:7]]


def _simpler_moves(example: Example, sketch: Sketch) -> Iterator[list[_Edit]]:
    for place, (a, b) in enumerate(zip(example.d1, example.d2, strict=True)):
        if a != b:
            yield [_Edit(stay=place)]


def _closer_answers(example: Example, sketch: Sketch) -> Iterator[list[_Edit]]:
    """Smaller numbers: equal answers together first, then one by one."""
    values = sorted(set(example.d1), key=lambda v: -abs(v))
    for value in values:
        places = tuple(i for i, a in enumerate(example.d1) if a == value)
        if len(places) > 1:
            yield [_Edit(answers=places, value=v) for v in _smaller(value)]
    for place, value in enumerate(example.d1):
        yield [_Edit(answers=(place,), value=v) for v in _smaller(value)]


def _rounder_bounds(example: Example, sketch: Sketch) -> Iterator[list[_Edit]]:
    match example.event:
        case Within(low, high):
            for old, name in ((low, "low"), (high, "high")):
                if old is not None:
                    yield [_Edit(event=replace(example.event, **{name: v})) for v in _smaller(old)]
        case AllOf(events):
            for place, part in enumerate(events):
                if isinstance(part, Within):
                    for old, name in ((part.low, "low"), (part.high, "high")):
                        if old is not None:
                            yield [_Edit(part=(place, replace(part, **{name: v}))) for v in _smaller(old)]
        case Linear(weights, low):
            yield [_Edit(event=Linear(weights, v)) for v in _smaller(low)]
        case _:
            return


def _smaller(value: Fraction) -> list[Fraction]:
    """Simpler numbers than `value`, simplest first: whole ones by size, of which large ones are left out."""
    sizes = [0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100, 150, 200, 300, 400, 500, 1000]
    found = [Fraction(sign * size) for size in sizes for sign in (1, -1) if size or sign > 0]
    return [
        v
        for v in found
        if abs(v) < abs(value) or (v.denominator == 1 != value.denominator and abs(v) <= abs(value) + 1)
    ]


@dataclass(frozen=True, slots=True)
class _Edit:
    """A change that makes an example simpler; applied to whatever the example has become by then."""

    argument: tuple[str, Fraction] | None = None
    event: Event | None = None
    part: tuple[int, Within | Anything] | None = None
    stay: int | None = None  # an answer that no longer moves
    answers: tuple[int, ...] = ()
    value: Fraction = Fraction(0)

    def __call__(self, example: Example) -> Example:
        if self.argument is not None:
            values = tuple((n, self.argument[1] if n == self.argument[0] else v) for n, v in example.arguments.values)
            return replace(example, arguments=replace(example.arguments, values=values))
        if self.event is not None:
            return replace(example, event=self.event)
        if self.part is not None:
            assert isinstance(example.event, AllOf)
            place, part = self.part
            events = example.event.events
            return replace(example, event=AllOf((*events[:place], part, *events[place + 1 :])))
        d1, d2 = list(example.d1), list(example.d2)
        if self.stay is not None:
            d2[self.stay] = d1[self.stay]
        for place in self.answers:
            d1[place], d2[place] = self.value, self.value + d2[place] - d1[place]
        return replace(example, d1=tuple(d1), d2=tuple(d2))


MARGIN = 1e-7  # relative excess that doubles must show before ball arithmetic is asked


def losses_of(integrator: Integrator, examples: Sequence[Example]) -> list[float]:
    """The log-losses of examples of a program without holes, in doubles; 0 where integration is out of reach."""
    result = [0.0] * len(examples)
    for arguments in dict.fromkeys(example.arguments for example in examples):
        places = [i for i, example in enumerate(examples) if example.arguments == arguments]
        questions = [(examples[i].event, d) for i in places for d in (examples[i].d1, examples[i].d2)]
        try:
            found = ask(integrator, arguments, np.zeros((1, 0)), questions)
        except UsageError:  # a scale that is negative here
            continue
        if isinstance(found, CannotIntegrate) and len(places) > 1:
            for i in places:
                result[i] = losses_of(integrator, [examples[i]])[0]
        elif not isinstance(found, CannotIntegrate):
            losses = exact_losses(found[0::2, 0], found[1::2, 0])
            for i, loss in zip(places, losses, strict=True):
                result[i] = float(loss)
    return result
