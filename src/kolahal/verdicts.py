"""What is certain of a mechanism: proved, bounded, refuted or unknown, and for which inputs."""

from __future__ import annotations

import json
from dataclasses import field
from fractions import Fraction
from typing import Any, TypeAlias, assert_never

from kolahal.model import Example, Odds
from kolahal.nouns import dataclass


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
class AnyRecords:
    """Lists of any number of records."""

    def __str__(self) -> str:
        return "any number of records"


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

    text: str = field(repr=False)  # thousands of lines

    def document(self) -> Any:
        """The text as data; whoever wrote it, nothing of it is checked yet."""
        return json.loads(self.text)


@dataclass(frozen=True, slots=True)
class AtLeast:
    """What a proof takes for granted of a whole argument."""

    name: str
    least: int = 1

    def __str__(self) -> str:
        return f"{self.name} >= {self.least}"


@dataclass(frozen=True, slots=True)
class NoTies:
    """What a proof over real noise leaves out, because it has probability 0 there: no program on a grid keeps it."""

    def __str__(self) -> str:
        return "noise is real and never ties"


@dataclass(frozen=True, slots=True)
class Proved:
    """The claim for all databases, all budgets and all inputs that the mechanism accepts; the certificate was re-checked.

    `assumed` says what it does not accept, such as N below 1; calls and emitted programs refuse that. A proof that holds over
    real noise alone says so there too, and no program is emitted on it.
    """

    certificate: Certificate
    scope: Everywhere | Exactly | AnyRecords
    assumed: tuple[AtLeast | NoTies, ...] = ()


@dataclass(frozen=True, slots=True)
class Bounded:
    """No loss above the claim within `scope`; nothing is said beyond. The certificate was re-checked."""

    certificate: Certificate
    scope: UpTo


@dataclass(frozen=True, slots=True)
class Refuted:
    """Not private: the example's loss is above the claim for certain."""

    example: Example
    odds: Odds
    order: Fraction | None = None  # of the Rényi divergence that is above it, where the claim is zCDP


@dataclass(frozen=True, slots=True)
class Unknown:
    """Neither; what was tried and where it stopped. With `defect`, what we know contradicts itself."""

    reason: str
    defect: bool = False
    failed_rechecks: tuple[str, ...] = ()  # proofs of ours that did not pass their own re-check
    cut_short: bool = False  # whether the search ended at its limit, and might find more with a wider one


@dataclass(frozen=True, slots=True)
class Tested(Unknown):
    """Nobody asked the prover: the reason says what the final test found."""


Verdict: TypeAlias = Proved | Bounded | Refuted | Unknown


@dataclass(frozen=True, slots=True)
class Decision:
    """A verdict, and the smallest multiple of the claim that was proved for every length, if any."""

    verdict: Verdict
    upper: Fraction | None = None
    failed_rechecks: tuple[str, ...] = ()  # of proofs that were found and are not given, whatever the verdict
    tried: tuple[str, ...] = ()  # what was looked for and not found, where the verdict leaves something open


def name_verdict(verdict: Verdict) -> str:
    """The verdict in one word, as results and tables have it."""
    return type(verdict).__name__.lower()


def scope_of(verdict: Verdict) -> str | None:
    """For which inputs a verdict holds, where there is a proof."""
    return str(verdict.scope) if isinstance(verdict, Proved | Bounded) else None


def assumed_by(verdict: Verdict) -> list[str]:
    """What a proof takes for granted of the arguments, such as N >= 1."""
    return list(map(str, verdict.assumed)) if isinstance(verdict, Proved) else []


def proof_of(verdict: Verdict) -> Certificate | None:
    """What stands behind a verdict, if that is a proof."""
    return verdict.certificate if isinstance(verdict, Proved | Bounded) else None


def describe_verdict(verdict: Verdict, private: str = "the input") -> str:
    """A verdict in one phrase."""
    match verdict:
        case Proved(scope=scope):
            where = f"every length of {private}" if isinstance(scope, Everywhere) else str(scope)
            assumed = " and ".join(assumed_by(verdict))
            return f"Proved, for {where}" + (f", where {assumed}" if assumed else "")
        case Bounded(scope=bounds):
            return f"Bounded: no loss above the claim for {bounds}; nothing is known of other inputs"
        case Refuted(example=example):
            return f"Refuted: {example}"
        case Tested(reason):
            return f"Tested: {reason}"
        case Unknown(reason):
            return f"Unknown: {reason}"
        case _:
            assert_never(verdict)
