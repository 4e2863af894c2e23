"""The nouns between the steps, in the order in which the road makes them. All are immutable."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from importlib import import_module
from typing import Any, TypeAlias, assert_never

from kolahal.errors import UsageError
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Completion, Mechanism, Sketch, Type
from kolahal.settings import Settings

Database: TypeAlias = tuple[Fraction, ...]
Scalar: TypeAlias = Fraction | bool | None
Output: TypeAlias = Scalar | tuple[Scalar, ...]  # a list and a tuple answer are both tuples here
Scales: TypeAlias = tuple[float, ...]  # one number a hole


@dataclass(frozen=True, slots=True)
class Arguments:
    """Concrete public inputs: ε, the other arguments, and how many private answers there are."""

    epsilon: Fraction
    size: int
    values: tuple[tuple[str, Fraction | bool], ...] = ()

    def quantities(self, sketch: Sketch) -> dict[str, Fraction]:
        """The value of every name that a scale may use."""
        numbers = {name: value for name, value in self.values if not isinstance(value, bool)}
        return numbers | {sketch.epsilon.name: self.epsilon, sketch.length_name: Fraction(self.size)}

    def concretise(self, sketch: Sketch, completion: Completion) -> Scales:
        """γ(η): the numbers that the scales of a completion have here."""
        names = self.quantities(sketch)
        return tuple(float(scale.at(names)) for scale in completion)

    def environment(self, sketch: Sketch) -> dict[str, Fraction | bool]:
        """The value of every public parameter."""
        given = dict(self.values)
        for parameter in sketch.arguments:
            if parameter.name not in given:
                raise UsageError(f"{sketch.name} needs a value for {parameter.name}")
        return given | {sketch.epsilon.name: self.epsilon}

    def accepted_by(self, sketch: Sketch, claim: Scale) -> bool:
        """Whether a call with these arguments is not refused, and `claim` is about them: its own are at least 1 too."""
        given = dict(self.values)
        return self.epsilon > 0 and all(given.get(name, 1) >= 1 for name in (*sketch.required, *dict(claim.powers)))

    def __str__(self) -> str:
        shown = [f"ε = {show(self.epsilon)}", *(f"{name} = {show(value)}" for name, value in self.values)]
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


def show(value: object) -> str:
    """A value as people write it: 0.5, not 1/2, where that is exact; otherwise at most six digits."""
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

    def flipped(self) -> Example:
        return Example(self.d2, self.d1, self.event, self.arguments)

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

    kept: tuple[Selected, ...]
    dropped: tuple[Selected, ...]

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


@dataclass(frozen=True, slots=True, order=True)
class Score:
    """The paper's three criteria, compared left to right; smaller is better."""

    violations: int  # examples whose loss is surely above e^ε
    slack: float  # how far the worst log-loss is from ε, in units of ε, to the resolution of the probe
    noise: float  # sum of the scales, over all γ and γ′
    error: float  # expected error against the noiseless program (design 7): breaks ties


@dataclass(frozen=True, slots=True)
class Ranked:
    """A completion with its score and what it costs in accuracy."""

    completion: Completion
    score: Score
    log_loss: float | None  # the worst on the examples of the first γ: compare with its ε; None where it has none


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


# ---------------------------------------------------------------- verdicts


@dataclass(frozen=True, slots=True)
class Everywhere:
    """Inputs of every length."""

    def __str__(self) -> str:
        return "every length"


@dataclass(frozen=True, slots=True)
class Exactly:
    """As many answers as the mechanism declares; it accepts no other number."""

    size: int

    def __str__(self) -> str:
        return f"its {self.size} answer{'' if self.size == 1 else 's'}"


@dataclass(frozen=True, slots=True)
class UpTo:
    """Inputs of at most `size` answers; `condition` names whole arguments that were fixed, if any, and `values` says to
    what: the least and the largest value of each."""

    size: int
    condition: str = ""
    values: tuple[int, int] | None = None

    def __str__(self) -> str:
        return f"up to {self.size} queries" + (f", {self.condition}" if self.condition else "")


@dataclass(frozen=True, slots=True)
class Certificate:
    """A proof as data: a JSON document that is checked again without trusting whoever found it."""

    text: str


@dataclass(frozen=True, slots=True)
class Proved:
    """ε-DP for all databases, all ε > 0 and all inputs that the mechanism accepts; the certificate was re-checked.

    `assumed` says what it does not accept, such as N below 1; calls and emitted programs refuse that.
    """

    certificate: Certificate
    scope: Everywhere | Exactly
    assumed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Bounded:
    """No loss above the claim within `scope`; nothing is said beyond. The certificate was re-checked."""

    certificate: Certificate
    scope: UpTo
    assumed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Refuted:
    """Not ε-DP: the example's loss is above e^ε for certain."""

    example: Example
    odds: Odds


@dataclass(frozen=True, slots=True)
class Unknown:
    """Neither; what was tried and where it stopped. With `defect`, what we know contradicts itself."""

    reason: str
    defect: bool = False
    failed_rechecks: tuple[str, ...] = ()  # proofs of ours that did not pass their own re-check


Verdict: TypeAlias = Proved | Bounded | Refuted | Unknown


def name_verdict(verdict: Verdict) -> str:
    """The verdict in one word, as results and tables have it."""
    return type(verdict).__name__.lower()


def scope_of(verdict: Verdict) -> str | None:
    """For which inputs a verdict holds, where there is a proof."""
    return str(verdict.scope) if isinstance(verdict, Proved | Bounded) else None


def assumed_by(verdict: Verdict) -> list[str]:
    """What a proof takes for granted of the arguments, such as N >= 1."""
    return list(verdict.assumed) if isinstance(verdict, Proved | Bounded) else []


def proof_of(verdict: Verdict) -> Certificate | None:
    """What stands behind a verdict, if that is a proof."""
    return verdict.certificate if isinstance(verdict, Proved | Bounded) else None


def describe_verdict(verdict: Verdict, private: str = "the input") -> str:
    """A verdict in one phrase."""
    match verdict:
        case Proved(scope=scope, assumed=assumed):
            where = f"every length of {private}" if isinstance(scope, Everywhere) else str(scope)
            return f"Proved, for {where}" + (f", where {' and '.join(assumed)}" if assumed else "")
        case Bounded(scope=scope, assumed=assumed):
            where = f"{scope}" + (f", where {' and '.join(assumed)}" if assumed else "")
            return f"Bounded: no loss above the claim for {where}; nothing is known of other inputs"
        case Refuted(example=example):
            return f"Refuted: {example}"
        case Unknown(reason):
            return f"Unknown: {reason}"
        case _:
            assert_never(verdict)


def describe_completion(completion: Completion) -> str:
    """(2/ε, 4/ε, ⊥)."""
    return "(" + ", ".join(scale.pretty() for scale in completion) + ")"


@dataclass(frozen=True, slots=True)
class Judged:
    """A ranked completion with the final test's trial and the verdict."""

    ranked: Ranked
    trial: Trial | None
    verdict: Verdict

    def __str__(self) -> str:
        return f"{describe_completion(self.ranked.completion)}  {describe_verdict(self.verdict)}"

    def is_rejected(self, alpha: float) -> bool:
        """Refuted, or undecided with a test that speaks against it."""
        failed = self.trial is not None and self.trial.p_value < alpha
        return isinstance(self.verdict, Refuted) or (isinstance(self.verdict, Unknown) and failed)

    def standing(self, alpha: float) -> int:
        """0 if proved, 1 bounded, 2 undecided, 3 rejected by the test, 4 refuted."""
        if self.is_rejected(alpha):
            return 4 if isinstance(self.verdict, Refuted) else 3
        match self.verdict:
            case Proved():
                return 0
            case Bounded():
                return 1
            case _:
                return 2


RANKINGS: dict[str, Callable[[Judged, float], float]] = {  # what completions can be ordered by; smaller is better
    "error": lambda judged, alpha: judged.ranked.score.error,
    "noise": lambda judged, alpha: judged.ranked.score.noise,
    "loss": lambda judged, alpha: judged.ranked.score.slack,
    "verdict": lambda judged, alpha: judged.standing(alpha),
}


def _ask(name: str, *values: Any, **options: Any) -> Any:
    """Have something done by a module above this one, which is loaded for it."""
    return getattr(import_module("kolahal.display"), name)(*values, **options)


def _verdict_row(verdict: Verdict, trial: Trial | None) -> dict[str, Any]:
    return {
        "verdict": name_verdict(verdict),
        "scope": scope_of(verdict),
        "p_value": trial.p_value if trial else None,
    }


@dataclass(frozen=True, slots=True)
class Law:
    """When a completion is private: each alternative is an inequality over the scales, such as 1/eta1 + 2/eta2 <= eps."""

    text: str
    sizes: tuple[int, ...]  # the numbers of answers at which it was confirmed
    alternatives: tuple[str, ...] = ()  # other ways to be private, such as noise at another place

    def __str__(self) -> str:
        return " or ".join((self.text, *self.alternatives))


@dataclass(frozen=True, slots=True)
class Synthesis:
    """A run of the road with everything that was found on the way."""

    sketch: Sketch
    method: str
    settings: Settings
    split: Split
    selection: Selection
    regions: tuple[Region, ...]
    candidates: int  # completions near the region
    tests: Selection
    ranked: tuple[Ranked, ...]
    judged: tuple[Judged, ...]
    law: Law | None
    seconds: tuple[tuple[str, float], ...] = ()
    accuracy: Accuracy | None = None  # what `error` is; None where nothing was ranked by it

    @property
    def best(self) -> Judged | None:
        """The first proved completion, else the first bounded one, else the first that nothing speaks against."""
        alpha = self.settings.ranking.alpha
        alive = [j for j in self.judged if not j.is_rejected(alpha)]
        return min(alive, key=lambda j: j.standing(alpha), default=None)  # of equal ones the first

    @property
    def mechanism(self) -> Mechanism:
        """The best completion as a mechanism that can be called and printed; `best.verdict` says what is known of it."""
        if self.best is None:
            raise UsageError(f"no private completion of {self.sketch.name} was found")
        return Mechanism(self.sketch, self.best.ranked.completion)

    def table(self) -> list[dict[str, Any]]:
        """One row a judged completion, best first, ready for a data frame; `loss` is in units of ε."""
        epsilon = float(self.split.training[0].epsilon)
        labels = [hole.label for hole in self.sketch.holes]
        return [
            {
                "rank": rank,
                **{label: str(s) if s else None for label, s in zip(labels, judged.ranked.completion, strict=True)},
                **_verdict_row(judged.verdict, judged.trial),
                "loss": None if judged.ranked.log_loss is None else judged.ranked.log_loss / epsilon,
                "noise": judged.ranked.score.noise,
                "error": judged.ranked.score.error,
            }
            for rank, judged in enumerate(self.judged, 1)
        ]

    def rerank(self, *by: str, key: Callable[[Judged], Any] | None = None) -> Synthesis:
        """The same result in another order, from what is known already: by some of error, noise, loss (the tightest
        first) and verdict, or by a `key` of your own, smaller first. What was rejected stays at the end.
        """
        alpha = self.settings.ranking.alpha
        for name in by:
            if name not in RANKINGS:
                raise UsageError(f"completions cannot be ranked by {name!r}: choose {', '.join(RANKINGS)}")
        if bool(by) == (key is not None):
            raise UsageError("say what to rank by: some of " + ", ".join(RANKINGS) + ", or a key")

        def place(judged: Judged) -> tuple[Any, ...]:
            chosen = (key(judged),) if key else tuple(RANKINGS[name](judged, alpha) for name in by)
            return judged.is_rejected(alpha), *chosen

        return replace(self, judged=tuple(sorted(self.judged, key=place)))

    def to_json(self) -> str:
        """The document that `kolahal synth --json` prints; `kolahal report` makes a page of it."""
        text: str = _ask("as_json", self)
        return text

    def to_python(self, command: str | None = None, backend: str = "python", force: bool = False) -> str:
        """The best completion as a Python file that stands alone, with its verdict in words; see `kolahal.emit`."""
        text: str = _ask("emit", self.mechanism, self._verdict, command=command, backend=backend, force=force)
        return text

    def to_opendp(
        self, epsilon: float | str | Fraction, arguments: Mapping[str, object] | None = None, T: str | None = None
    ) -> Any:
        """The best completion at `epsilon` as an OpenDP measurement, if it is proved, or bounded; see `kolahal.opendp`."""
        return _ask("to_opendp", self.mechanism, epsilon, arguments, T, self._verdict)

    @property
    def _verdict(self) -> Verdict:
        return self.best.verdict if self.best else Unknown("nothing was found")

    def _repr_html_(self) -> str:
        html: str = _ask("as_html", self)
        return html

    def __rich__(self) -> Any:
        return _ask("as_rich", self)


@dataclass(frozen=True, slots=True)
class Check:
    """The answer for a complete mechanism; both bounds are in units of the claimed ε."""

    verdict: Verdict
    epsilon_lower: float
    epsilon_upper: float | None  # None where nothing is known
    trial: Trial | None = None
    sketch: Sketch | None = None  # what was checked
    claim: str = ""  # and what was claimed of it
    example: Example | None = None  # what the lower bound comes from
    failed_rechecks: tuple[str, ...] = ()  # proofs of ours that did not pass their own re-check

    def table(self) -> list[dict[str, Any]]:
        """The one row of a check, ready for a data frame; both epsilons are in units of the claim."""
        bounds = {"epsilon_lower": self.epsilon_lower, "epsilon_upper": self.epsilon_upper}
        return [{**_verdict_row(self.verdict, self.trial), **bounds}]

    def to_json(self) -> str:
        """The document that `kolahal check --json` prints, without the program that shows a counterexample."""
        text: str = _ask("as_json", self)
        return text

    def _repr_html_(self) -> str:
        html: str = _ask("as_html", self)
        return html

    def __rich__(self) -> Any:
        return _ask("as_rich", self)
