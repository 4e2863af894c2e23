"""The nouns between the steps, in the order in which the road makes them. All are immutable."""

from __future__ import annotations

import dataclasses
import math
import operator
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any, TypeAlias

from kolahal.errors import UsageError
from kolahal.lang import ir
from kolahal.lang.accounting import gdp_of
from kolahal.lang.kinds import TEXT, answer_kinds, infer
from kolahal.lang.labels import LabelCode
from kolahal.lang.records.along_runs import Questions
from kolahal.lang.records.moves import positive_units
from kolahal.lang.scale import Scale, gdp_name
from kolahal.lang.sketch import Completion, Sketch, Type
from kolahal.lang.unit_names import unit_value
from kolahal.nouns import dataclass

Database: TypeAlias = tuple[Fraction, ...]
Scalar: TypeAlias = Fraction | bool | None
Output: TypeAlias = Scalar | tuple[Scalar, ...]  # a list and a tuple answer are both tuples here
Scales: TypeAlias = tuple[float, ...]  # one number a hole


@dataclass(frozen=True, slots=True)
class Arguments:
    """Concrete public inputs: the budget, the other arguments, and how many private answers there are."""

    epsilon: Fraction  # or ρ, or μ: the budget
    size: int
    values: tuple[tuple[str, Fraction | bool], ...] = ()
    delta: Fraction | None = None
    symbol: str = "ε"  # of the budget, in words

    def quantities(self, sketch: Sketch) -> dict[str, Fraction]:
        """The value of every name that a scale may use."""
        numbers = {name: value for name, value in self.values if not isinstance(value, bool)}
        numbers |= {factor: unit_value(factor, numbers) for factor in sketch.factors}
        found = numbers | self._budget(sketch) | {sketch.length_name: Fraction(self.size)}
        if sketch.delta is not None and self.delta is not None:
            touching = gdp_of(float(self.epsilon), float(self.delta))
            found[gdp_name(sketch.budget.name, sketch.delta.name)] = Fraction(touching)
        return found

    def _budget(self, sketch: Sketch) -> dict[str, Fraction]:
        if sketch.delta is None:
            return {sketch.budget.name: self.epsilon}
        if self.delta is None:
            raise UsageError(f"{sketch.name} needs a value for {sketch.delta.name}")
        return {sketch.budget.name: self.epsilon, sketch.delta.name: self.delta}

    def concretise(self, sketch: Sketch, completion: Completion) -> Scales:
        """γ(η): the numbers that the scales of a completion have here."""
        names = self.quantities(sketch)
        return tuple(scale.near(names) for scale in completion)

    def environment(self, sketch: Sketch) -> dict[str, Fraction | bool]:
        """The value of every public parameter."""
        given = dict(self.values)
        for parameter in sketch.arguments:
            if parameter.name not in given:
                raise UsageError(f"{sketch.name} needs a value for {parameter.name}")
        counts: dict[str, Fraction | bool] = {p.name: Fraction(self.size) for p in sketch.parameters if p.counts}
        return given | counts | self._budget(sketch)

    def accepted_by(self, sketch: Sketch, claim: Scale) -> bool:
        """Whether a call with these arguments is not refused, and `claim` is about them: its own are at least 1 too."""
        given = dict(self.values)
        if not (self.epsilon > 0 and all(given.get(name, 1) >= 1 for name in (*sketch.required, *dict(claim.powers)))):
            return False
        names = self.quantities(sketch)
        return all(names[unit] > 0 for unit in positive_units(sketch.adjacency, sketch.units)) and self.kept_by(sketch)

    def kept_by(self, sketch: Sketch) -> bool:
        """Whether these arguments keep to what the program asserts."""
        return not sketch.asserted or sketch.broken(self.environment(sketch), self.size) is None

    def __str__(self) -> str:
        budget = [f"{self.symbol} = {show(self.epsilon)}", *([f"δ = {show(self.delta)}"] if self.delta is not None else [])]
        shown = [*budget, *(f"{name} = {show(value)}" for name, value in self.values)]
        return ", ".join(shown)


def make_arguments(sketch: Sketch, epsilon: Fraction, size: int, given: Mapping[str, Fraction | bool]) -> Arguments:
    """Arguments in the sketch's order; what is not given comes from the signature's defaults."""
    values: list[tuple[str, Fraction | bool]] = []
    for parameter in sketch.arguments:
        value = given.get(parameter.name, parameter.default)
        if value is None:
            raise UsageError(f"{sketch.name} needs a value for {parameter.name}")
        if parameter.type is not Type.BOOL and isinstance(value, bool):
            raise UsageError(f"{parameter.name} of {sketch.name} is a number, not {value}")
        values.append((parameter.name, value))
    return Arguments(epsilon, size, tuple(values))


@dataclass(frozen=True, slots=True)
class Split:
    """Arguments γ to search with, and γ′ that only rank what was found."""

    training: tuple[Arguments, ...]
    testing: tuple[Arguments, ...]


# ---------------------------------------------------------------- events


@dataclass(frozen=True, slots=True)
class Equals:
    """The output is `value`."""

    value: Output


@dataclass(frozen=True, slots=True)
class Within:
    """The output is a number between the bounds, both included; None is no bound."""

    low: Fraction | None
    high: Fraction | None


@dataclass(frozen=True, slots=True)
class Anything:
    """Any item; only inside AllOf."""


@dataclass(frozen=True, slots=True)
class AllOf:
    """The output is a list with as many items as `events`, each item in its event."""

    events: tuple[Equals | Within | Anything, ...]


@dataclass(frozen=True, slots=True)
class StartsWith:
    """The output is a list that begins with these values."""

    values: tuple[Scalar, ...]


@dataclass(frozen=True, slots=True)
class Linear:
    """The output is a list of numbers whose weighted sum is at least `low`."""

    weights: tuple[Fraction, ...]
    low: Fraction


@dataclass(frozen=True, slots=True)
class OneOf:
    """At least one of `events` happens."""

    events: tuple[Equals | Within | AllOf | StartsWith | Linear, ...]


Event: TypeAlias = Equals | Within | Anything | AllOf | StartsWith | Linear | OneOf


def contains(event: Event, output: Output) -> bool:
    """Whether an output is in an event: the definition that faster readers are held to."""
    match event:
        case Equals(value):
            return type_of(value) == type_of(output) and value == output
        case Within(low, high):
            return is_number(output) and (low is None or low <= output) and (high is None or output <= high)  # type: ignore[operator]
        case Anything():
            return True
        case AllOf(events):
            return isinstance(output, tuple) and len(output) == len(events) and all(map(contains, events, output))
        case StartsWith(values):
            return (
                isinstance(output, tuple)
                and len(output) >= len(values)
                and all(contains(Equals(v), o) for v, o in zip(values, output))
            )
        case Linear(weights, low):
            if not isinstance(output, tuple) or len(output) != len(weights):
                return False
            numbers = [item for item in output if is_number(item)]
            return len(numbers) == len(weights) and sum(map(operator.mul, weights, numbers)) >= low
        case OneOf(events):
            return any(contains(e, output) for e in events)


def is_number(value: object) -> bool:
    return isinstance(value, int | float | Fraction) and not isinstance(value, bool)


def type_of(value: object) -> object:
    """Which values may be equal: Python's True == 1 is not equality of answers."""
    if isinstance(value, tuple):
        return tuple(type_of(item) for item in value)
    return "number" if is_number(value) else type(value)


def with_labels(sketch: Sketch, example: Example) -> Example:
    """The example whose event names the texts that numbers stand for in a program's answers; it is equal to the other."""
    texts = {n.value: n.value for n in ir.walk(sketch.body) if isinstance(n, ir.Const) and isinstance(n.value, LabelCode)}
    if not texts:
        return example
    kinds = answer_kinds(sketch.body, infer(sketch))

    def named(value: Any, place: int | None) -> Any:
        if isinstance(value, tuple):
            return tuple(named(item, i if i in kinds else -1) for i, item in enumerate(value))
        return texts.get(value, value) if is_number(value) and TEXT in kinds.get(place, ()) else value

    def told(event: Any, place: int | None) -> Any:
        match event:
            case Equals(value):
                return Equals(named(value, place))
            case StartsWith(values):
                return StartsWith(named(values, None))
            case AllOf(events):
                return AllOf(tuple(told(part, i if i in kinds else -1) for i, part in enumerate(events)))
            case OneOf(events):
                return OneOf(tuple(told(part, place) for part in events))
            case Within(low, high) if TEXT in kinds.get(place, ()):
                return Within(named(low, place), named(high, place))
            case _:
                return event

    return replace(example, event=told(example.event, None))


def show(value: object) -> str:
    """A value as people write it: 0.5, not 1/2, where that is exact; otherwise at most six digits."""
    if isinstance(value, LabelCode):
        return repr(value.text)
    if isinstance(value, tuple):
        return "[" + ", ".join(show(item) for item in value) + "]"
    if isinstance(value, Fraction):
        if value.denominator == 1:
            return str(value.numerator)
        return str(float(value)) if Fraction(str(float(value))) == value else str(value)
    if isinstance(value, float):
        return f"{value:.6g}"
    return str(value)


def describe_event(event: Event, subject: str = "the output") -> str:
    """An event in words."""
    match event:
        case Equals(value):
            return f"{subject} is {show(value)}"
        case Within(None, None):
            return f"{subject} is a number"
        case Within(low, None):
            return f"{subject} is at least {show(low)}"
        case Within(None, high):
            return f"{subject} is at most {show(high)}"
        case Within(low, high):
            return f"{subject} is between {show(low)} and {show(high)}"
        case Anything():
            return f"{subject} is anything"
        case AllOf(events):
            parts = [describe_event(e, f"item {i + 1}") for i, e in enumerate(events) if not isinstance(e, Anything)]
            length = f"{subject} has {len(events)} item{'' if len(events) == 1 else 's'}"
            return f"{length}; " + ", ".join(parts) if parts else length
        case StartsWith(values):
            return f"{subject} begins with {show(values)}"
        case Linear(weights, low):
            terms = [f"{show(w)}*item {i + 1}" for i, w in enumerate(weights) if w]
            return f"{subject} has {len(weights)} numbers with " + " + ".join(terms) + f" at least {show(low)}"
        case OneOf(events):
            return " or ".join(describe_event(e, subject) for e in events)


# ---------------------------------------------------------------- examples and what was measured on them


@dataclass(frozen=True, slots=True)
class Example:
    """Two neighbouring databases and an event, where privacy is hard."""

    d1: Database
    d2: Database
    event: Event
    arguments: Arguments
    asked: Questions | None = None  # by all runs that end in the event, where that depends on the run

    def flipped(self) -> Example:
        return replace(self, d1=self.d2, d2=self.d1)

    def __str__(self) -> str:
        return f"⟨{show(self.d1)}, {show(self.d2)}, {describe_event(self.event)}⟩"


@dataclass(frozen=True, slots=True)
class Selected:
    """An example, at which scales the tester found it, how sure it was, and why it was kept or dropped."""

    example: Example
    scales: Scales
    p_value: float
    why: str


@dataclass(frozen=True, slots=True)
class Selection:
    """Ex, hardest first, and what was found but dropped."""

    kept: tuple[Selected, ...] = ()
    dropped: tuple[Selected, ...] = ()

    @property
    def examples(self) -> tuple[Example, ...]:
        return tuple(selected.example for selected in self.kept)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A probability between `low` and `high` at the confidence of whoever made it."""

    low: float
    value: float
    high: float
    runs: int


@dataclass(frozen=True, slots=True)
class Odds:
    """How likely an example's event is on d1 and on d2."""

    p1: Estimate
    p2: Estimate


@dataclass(frozen=True, slots=True)
class Region:
    """R: the scale vectors of a final population with their objectives, at one setting of the arguments."""

    members: tuple[Scales, ...]
    objectives: tuple[float, ...]
    arguments: Arguments
    steps: int  # generations until it settled


@dataclasses.dataclass(frozen=True, slots=True, order=True)
class Score:
    """The paper's three criteria, compared left to right; smaller is better."""

    violations: int  # examples whose loss is surely above e^ε
    slack: float  # how far the worst log-loss is from ε, in units of ε, to the resolution of the probe
    noise: float  # sum of the scales, over all γ and γ′
    error: float  # expected error against the noiseless program (design 7): breaks ties


TINY = 1e-12  # in place of an error of 0, which has no logarithm


@dataclass(frozen=True, slots=True)
class Ranked:
    """A completion with its score and what it costs in accuracy."""

    completion: Completion
    score: Score
    log_loss: float | None  # the worst on the examples of the first γ: compare with its ε; None where it has none
    errors: tuple[tuple[int, float], ...] = ()  # by the number of private answers, where the error is a mean over several

    def overtakes(self, other: Ranked) -> float | None:
        """The length from which on this errs less than another completion that errs less where answers are few, if any.

        Between two lengths that were looked at, errors are taken for powers of the length.
        """
        lengths = [length for length, _ in self.errors]
        gaps = [math.log(max(b, TINY) / max(a, TINY)) for (_, a), (_, b) in zip(self.errors, other.errors)]
        for place in range(1, len(gaps)):
            if gaps[place - 1] < 0 <= gaps[place]:
                part = gaps[place - 1] / (gaps[place - 1] - gaps[place])
                return float(lengths[place - 1] * (lengths[place] / lengths[place - 1]) ** part)
        return None


@dataclass(frozen=True, slots=True)
class Accuracy:
    """What the errors of a ranking are: their unit, and the inputs that they were computed on, by simulation."""

    unit: str
    arguments: Arguments  # but for the number of private answers
    sizes: tuple[int, ...]  # numbers of private answers
    inputs: int  # for each of them
    runs: int  # on each input


@dataclass(frozen=True, slots=True)
class Trial:
    """What the tester hands back: the hardest example that it found and how sure it is."""

    example: Example
    odds: Odds  # on fresh runs, at `confidence`
    p_value: float  # at the claimed ε: small means not private
    curve: tuple[tuple[float, float], ...]  # (test ε, p-value), ascending
    epsilon_lower: float  # the true ε is at least this, at `confidence`
    confidence: float
    runs: int  # mechanism runs altogether

    @property
    def violates(self) -> bool:
        """Whether the example is a counterexample: at `confidence`, its loss is above the claimed ε."""
        return self.epsilon_lower > self.example.arguments.epsilon
