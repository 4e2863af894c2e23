"""One frozen tree of settings; each default cites its reason. "App." is the paper's appendix on hyper-parameters."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, is_dataclass, replace
from fractions import Fraction
from typing import Any

from kolahal.errors import SettingsError


@dataclass(frozen=True, slots=True)
class Grammar:
    """Which scales exist: coefficient × |q|^a × Π argument^b × (1/ε)^c, and no noise (App., enumerative synthesis)."""

    coefficients: tuple[Fraction, ...] = (Fraction(1), Fraction(2), Fraction(3), Fraction(4))  # App.: [1-4]
    length_powers: tuple[int, ...] = (0, 1, 2)  # App.: |q|^[0-2]
    epsilon_powers: tuple[int, ...] = (1, 2)  # App.: (1/ε)^[1-2]
    argument_powers: tuple[int, ...] = (0, 1)  # of whole-number arguments; real ones may be zero or negative
    extra: tuple[str, ...] = ()  # further expressions of the user's, such as "T/eps"


@dataclass(frozen=True, slots=True)
class ArgumentSettings:
    """How fixParams chooses γ and γ′."""

    epsilons: tuple[Fraction, ...] = (Fraction(1, 2), Fraction(4, 5))  # the paper's running example has 0.5
    sizes: tuple[int, ...] = (5, 3)  # the paper's running example has 5 queries


@dataclass(frozen=True, slots=True)
class ExampleSettings:
    """selectExamples."""

    confusion: tuple[float, float] = (0.05, 0.9)  # App.: p-values that are neither a clear yes nor a clear no
    keep: int = 8  # examples an argument setting


@dataclass(frozen=True, slots=True)
class RegionSettings:
    """getNoiseRegion."""

    population: int = 50  # App.
    steps_per_hole: int = 500  # App.
    sparsity: float = 1.0  # App.: λ
    proposal_scale: float = 4.0  # App.: importance sampling
    runs: int = 20_000  # draws shared by all candidates and steps


@dataclass(frozen=True, slots=True)
class RankingSettings:
    """findExpr and the final test."""

    neighbourhood: float = 3.0  # App.: L1 distance from R
    finalists_per_hole: int = 5  # App.: top 5 × #holes go to the tester
    alpha: float = 0.05  # Sec. VI: the final test rejects below this


@dataclass(frozen=True, slots=True)
class TesterSettings:
    """The statistical tester."""

    select_runs: int = 20_000  # a database while a pair and an event are chosen
    test_runs: int = 200_000  # a database in the final, fresh test
    confidence: float = 0.99  # of the lower bound on ε and of the intervals


@dataclass(frozen=True, slots=True)
class ProofSettings:
    """Provers: limits are counted, not timed, so that the same input gives the same verdict everywhere."""

    paths: int = 5_000  # symbolic paths of one program of fixed size
    sizes: tuple[int, ...] = (1, 2, 3, 4)  # numbers of answers at which a law is computed
    solver_steps: int = 5_000_000  # resource units of one solver call


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings of a run; part of its result."""

    seed: int = 0
    grammar: Grammar = field(default_factory=Grammar)
    arguments: ArgumentSettings = field(default_factory=ArgumentSettings)
    examples: ExampleSettings = field(default_factory=ExampleSettings)
    region: RegionSettings = field(default_factory=RegionSettings)
    ranking: RankingSettings = field(default_factory=RankingSettings)
    tester: TesterSettings = field(default_factory=TesterSettings)
    proof: ProofSettings = field(default_factory=ProofSettings)

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise SettingsError(f"the seed must be 0 or more, not {self.seed}")


def as_data(value: Any) -> Any:
    """Settings as plain data for JSON."""
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: as_data(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, tuple):
        return [as_data(item) for item in value]
    return str(value) if isinstance(value, Fraction) else value


def with_changes(settings: Settings, section: str, **changes: Any) -> Settings:
    """The same settings with some values of one section replaced."""
    return replace(settings, **{section: replace(getattr(settings, section), **changes)})
