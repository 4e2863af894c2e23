"""What synthesis and checks give: completions with their verdicts, and all that led to them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from html import escape
from typing import Any

from kolahal.errors import UsageError
from kolahal.lang.polynomial import Polynomial
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Completion, Mechanism, Sketch
from kolahal.model import Accuracy, Arguments, Example, Ranked, Region, Selection, Split, Trial
from kolahal.nouns import dataclass
from kolahal.settings import Settings
from kolahal.verdicts import Bounded, Proved, Refuted, Unknown, Verdict, describe_verdict, name_verdict, scope_of


def describe_completion(completion: Completion) -> str:
    """(2/ε, 4/ε, ⊥)."""
    return "(" + ", ".join(scale.pretty() for scale in completion) + ")"


@dataclass(frozen=True, slots=True)
class Judged:
    """A ranked completion with the final test's trial and the verdict."""

    ranked: Ranked
    trial: Trial | None
    verdict: Verdict
    failed_rechecks: tuple[str, ...] = ()  # of proofs that were found and are not given, whatever the verdict

    def __str__(self) -> str:
        return f"{describe_completion(self.ranked.completion)}  {describe_verdict(self.verdict)}"

    def __repr__(self) -> str:
        return f"<{self}>"

    def _repr_html_(self) -> str:
        return f"<p><b>{describe_completion(self.ranked.completion)}</b> {escape(describe_verdict(self.verdict))}</p>"

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


def _verdict_row(verdict: Verdict, trial: Trial | None) -> dict[str, Any]:
    return {
        "verdict": name_verdict(verdict),
        "scope": scope_of(verdict),
        "p_value": trial.p_value if trial else None,
    }


@dataclass(frozen=True, slots=True)
class LawInequality:
    """Σ coefficient/scale over some sites is at most the budget."""

    coefficients: tuple[tuple[int, Polynomial], ...]  # by site


@dataclass(frozen=True, slots=True)
class Rule:
    """Inequalities that together make a completion private; sites that do not occur may be without noise."""

    inequalities: tuple[LawInequality, ...]

    @property
    def sites(self) -> frozenset[int]:
        return frozenset(site for inequality in self.inequalities for site, _ in inequality.coefficients)

    def grows(self, name: str) -> bool:
        return name in {n for n, power in self.powers() if power > 0}

    def powers(self) -> Iterator[tuple[str, int]]:
        """The names in its weights, with their powers."""
        return (factor for i in self.inequalities for _, p in i.coefficients for powers, _ in p.terms for factor in powers)


@dataclass(frozen=True, slots=True)
class Priced:
    """A completion within the budget: by which rule, what it costs, and whether no scale of it can be lowered."""

    completion: Completion
    rule: Rule
    costs: tuple[tuple[int, Fraction], ...]  # at a number of answers, every whole argument 1, in units of the budget
    minimal: bool

    @property
    def worst(self) -> Fraction:
        return max(cost for _, cost in self.costs)


@dataclass(frozen=True, slots=True)
class Law:
    """When a completion is private: each alternative is an inequality over the scales, such as 1/eta1 + 2/eta2 <= eps."""

    text: str
    sizes: tuple[int, ...]  # the numbers of answers at which it was confirmed
    alternatives: tuple[str, ...] = ()  # other ways to be private, such as noise at another place
    rules: tuple[Rule, ...] = ()  # what the texts say, in their order

    def __str__(self) -> str:
        return " or ".join((self.text, *self.alternatives))

    def __repr__(self) -> str:
        return f"<law: {self}>"


@dataclass(frozen=True, slots=True)
class ErrorCost:
    """What the best completion and the next one err by: at one length, for smaller and larger budgets."""

    unit: str
    completions: tuple[Completion, ...]
    length: int
    by_budget: tuple[tuple[float, tuple[float, ...]], ...]  # the budget, and the error of each completion


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
    accuracy: Accuracy | None = None  # what `error` is; None where nothing was ranked by it
    priced: tuple[Priced, ...] = ()  # what the law priced, where the completions come from it
    reason: str = ""  # why the law gave no completion, if it was asked for all of them and gave none
    losses: tuple[tuple[str, int], ...] = ()  # how many the search has asked for, by where they came from
    rival: Synthesis | None = None  # the same with another family of noise, where that is not better
    cost: ErrorCost | None = None  # what the best completion costs in errors
    failed_rechecks: tuple[str, ...] = ()  # proofs of ours that did not pass their own re-check

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

    @property
    def crossings(self) -> tuple[tuple[Judged, float], ...]:
        """Other completions that err less than the best one up to some length, and that length."""
        if self.best is None:
            return ()
        alive = [j for j in self.judged if j is not self.best and not j.is_rejected(self.settings.ranking.alpha)]
        found = [(j, self.best.ranked.overtakes(j.ranked)) for j in alive]
        return tuple((j, length) for j, length in found if length is not None)

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


@dataclass(frozen=True, slots=True)
class Measured:
    """A completion of a sketch, which may be one of several families of noise, with its expected error and its verdict."""

    sketch: Sketch
    completion: Completion
    shares: tuple[Fraction, ...]  # of the budget, by hole; 0 where there is no noise
    error: float
    uncertainty: float  # the standard error of that; 0 where it is an integral
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Tuning:
    """The scales with the least expected error beside the textbook's, which share the budget evenly."""

    textbook: Measured
    tuned: Measured
    ratio: float  # of the two errors
    uncertainty: float  # the standard error of the ratio, on common noise
    law: str
    unit: str  # of the errors
    cases: tuple[Arguments, ...]  # of the inputs, one each
    source: str  # where the inputs come from; empty where they are made up
    runs: int  # on each input; 0 where errors are integrals
    rows: int = 0  # records of each made-up input, where it is made of records
    curve: tuple[tuple[float, float], ...] = ()  # the first hole's share, and the error there, where two holes share the budget


@dataclass(frozen=True, slots=True)
class LowerBound:
    """The loss of an example in units of the claim: no smaller claim is true."""

    loss: float
    example: Example


@dataclass(frozen=True, slots=True)
class Check:
    """The answer for a complete mechanism; both bounds are in units of the claimed ε."""

    verdict: Verdict
    epsilon_lower: float
    epsilon_upper: float | None  # None where nothing is known
    trial: Trial | None = None
    sketch: Sketch | None = None  # what was checked
    claim: Scale | None = None  # and what was claimed of it
    example: Example | None = None  # what the lower bound comes from
    failed_rechecks: tuple[str, ...] = ()  # proofs of ours that did not pass their own re-check
    law: Law | None = None  # over the places of its noise, eta1, eta2, …
    bound: LowerBound | None = None  # the largest loss that is certain, whatever the verdict
    tried: tuple[str, ...] = ()  # what was looked for and not found, where something is left open

    def table(self) -> list[dict[str, Any]]:
        """The one row of a check, ready for a data frame; both epsilons are in units of the claim."""
        bounds = {"epsilon_lower": self.epsilon_lower, "epsilon_upper": self.epsilon_upper}
        return [{**_verdict_row(self.verdict, self.trial), **bounds}]
