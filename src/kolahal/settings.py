"""One frozen tree of settings; each default cites its reason. "App." is the paper's appendix on hyper-parameters."""

from __future__ import annotations

from dataclasses import field, fields, is_dataclass, replace
from fractions import Fraction
from typing import Any

from kolahal.errors import SettingsError
from kolahal.nouns import dataclass

ALPHA = 0.05  # Sec. VII: the p-value below which a test counts as a violation


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

    # The excess of a violation grows with ε, so it is seen with fewer runs at 1 than at the paper's 0.5.
    epsilons: tuple[Fraction, ...] = (Fraction(1), Fraction(5, 2), Fraction(1, 2), Fraction(2))
    # The paper's running example has 5 queries; scales that ought to grow with |q| and do not are seen at more.
    sizes: tuple[int, ...] = (5, 4, 7, 10)
    testing: int = 2  # how many γ′


@dataclass(frozen=True, slots=True)
class ExampleSettings:
    """selectExamples."""

    confusion: tuple[float, float] = (ALPHA, 0.9)  # App.: p-values that are neither a clear yes nor a clear no
    keep: int = 8  # examples an argument setting
    steps: int = 4  # halvings of a line: the noise is then known to a factor of 1.4, and harder examples tell the rest
    lengthenings: int = 2  # times that a line goes on to where the hardest example is tight
    starts: int = 3  # examples of a line, or of a completion, from which harder ones are searched
    start_runs: int = 30_000  # in which those of a completion are looked for
    climbs: int = 80  # turns of an exact climb from each
    first_climbs: int = 7  # examples tried from each start in a sampled one, and again from the better ones
    sampled_climbs: int = 20  # and then from the best of them
    climb_runs: int = 3_000  # on each of its two tapes
    walk: int = 6  # proposals for an example, from where it was found along where it is tight
    walk_beyond: int = 2  # where holes have noise that had none when it was found: who adds noise there seldom leads
    walk_runs: int = 1_500  # from which each of them is fitted
    rounds: int = 24  # of looking for examples that separate the best completions
    examined: int = 4  # completions a round


@dataclass(frozen=True, slots=True)
class RegionSettings:
    """getNoiseRegion."""

    population: int = 50  # App.
    steps_per_hole: int = 500  # App.
    sparsity: float = 1.0  # App.: λ
    proposal_scales: tuple[float, ...] = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0)  # App. has 4 alone; decision 0002
    runs: int = 16_000  # draws shared by all candidates and steps
    patience: int = 40  # generations without any improvement before the search ends early
    log_form: bool = False  # |log L − ε| instead of |L − e^ε| (Sec. IV-D)


@dataclass(frozen=True, slots=True)
class RankingSettings:
    """findExpr and the final test."""

    neighbourhood: float = 3.0  # App.: L1 distance from R
    finalists_per_hole: int = 5  # App.: top 5 × #holes go to the tester
    alpha: float = ALPHA  # the final test rejects below this
    resolution: float = 0.05  # losses closer than this, in units of ε, count as equal: the probe's own error
    tight: float = 0.1  # this far from ε a loss counts as tight: climbs do not reach the limit, and estimates differ
    # Errors are compared at these lengths, as their geometric mean: few answers must not decide what is best for many.
    lengths: tuple[int, ...] = (5, 50, 500)
    measured_per_hole: int = 20  # how many get their expected error simulated
    second_opinion: bool = False  # whether the final test also looks at what is proved; it takes as long as a proof


@dataclass(frozen=True, slots=True)
class TesterSettings:
    """The statistical tester; the defaults are the profile `default`. Runs are counted a database."""

    method: str = "paired"  # "statdp" is StatDP's method as published, for comparison
    select_runs: int = 20_000  # while pairs and events are searched; all share one tape
    judge_runs: int = 300_000  # while the finalists are compared, on a tape of their own
    test_runs: int = 2_500_000  # in the final, fresh test
    glance_runs: int = 0  # of them, after which a test that sees nothing ends; 0 is never
    bases: int = 4  # databases to start from
    moves: int = 6  # neighbours of each
    climbed: int = 2  # how many of these are improved
    climbs: int = 12  # steps tried from each
    refine_runs: int = 80_000  # while the best examples are compared and improved, on tapes of their own
    appraised: int = 12  # examples compared for that
    refined: int = 3  # how many of them are improved
    refinements: int = 16  # steps tried from each: answers that move alike together
    singles: int = 0  # and one answer alone: many steps, little gain, much luck
    finalists: int = 8  # examples that are compared on held-out runs
    confidence: float = 0.99  # of the lower bound on ε and of the intervals
    test_factors: tuple[float, ...] = (0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.3, 1.4)  # test ε over claimed ε
    sizes: tuple[int, ...] = (5, 10)  # numbers of answers, for a complete mechanism: StatDP's
    longer: int = 4  # times the largest of them, with less effort: a loss may grow with the answers; 0 is no such look
    joint_sizes: tuple[int, ...] = (2, 3, 4)  # for lists of numbers, where joint events get rare as lists get long

    @staticmethod
    def profile(name: str) -> TesterSettings:
        """A profile by its name."""
        profiles = {"quick": TesterSettings.quick, "default": TesterSettings, "thorough": TesterSettings.thorough}
        if name not in profiles:
            raise SettingsError(f"there is no profile {name!r}: choose {', '.join(profiles)}")
        return profiles[name]()

    @staticmethod
    def quick() -> TesterSettings:
        """For the many calls of a search: some tens of milliseconds."""
        return TesterSettings(
            select_runs=8_000,
            judge_runs=20_000,
            test_runs=100_000,
            bases=1,
            moves=4,
            climbs=10,
            refined=0,
            finalists=3,
        )

    @staticmethod
    def final() -> TesterSettings:
        """For the last few completions of a synthesis: some hundreds of milliseconds."""
        return TesterSettings(
            select_runs=10_000,
            judge_runs=50_000,
            test_runs=500_000,
            glance_runs=100_000,
            bases=2,
            moves=4,
            climbs=10,
            refined=0,
            finalists=4,
        )

    @staticmethod
    def thorough() -> TesterSettings:
        """For one mechanism that matters: some tens of seconds."""
        return TesterSettings(
            select_runs=40_000,
            judge_runs=4_000_000,
            test_runs=30_000_000,
            bases=6,
            moves=8,
            climbs=16,
            refine_runs=600_000,
            appraised=16,
            refined=6,
            refinements=40,
            singles=20,
            finalists=16,
        )


DEEPER = 10  # times as many rehearsals, where asked for


@dataclass(frozen=True, slots=True)
class ProofSettings:
    """Provers: limits are counted, not timed, so that the same input gives the same verdict everywhere."""

    paths: int = 5_000  # symbolic paths of one program of fixed size
    sizes: tuple[int, ...] = (1, 2, 3, 4)  # numbers of answers at which a law is computed
    solver_steps: int = 5_000_000  # resource units of one solver call
    rehearsals: int = 12_000  # of alignments, in the search for one proof for every length: some seconds
    quick_rehearsals: int = 5_000  # of them, before a counterexample is looked for
    steps: int = 150_000  # of one of its other searches (law, survey, counterexamples, a proof at one size): some seconds
    first_rehearsals: int = 500  # of them, where the number of answers is fixed, and a proof for that number is near

    def quick(self, fixed: bool) -> ProofSettings:
        """For the first look, which settles most programs."""
        return replace(self, rehearsals=min(self.rehearsals, self.first_rehearsals if fixed else self.quick_rehearsals))

    def deep(self) -> ProofSettings:
        """For those who have the time."""
        return replace(self, rehearsals=DEEPER * self.rehearsals, steps=DEEPER * self.steps)


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings of a run; part of its result."""

    seed: int = 0
    grammar: Grammar = field(default_factory=Grammar)
    arguments: ArgumentSettings = field(default_factory=ArgumentSettings)
    examples: ExampleSettings = field(default_factory=ExampleSettings)
    region: RegionSettings = field(default_factory=RegionSettings)
    ranking: RankingSettings = field(default_factory=RankingSettings)
    tester: TesterSettings = field(default_factory=TesterSettings.final)
    proof: ProofSettings = field(default_factory=ProofSettings)

    @property
    def quick_tester(self) -> TesterSettings:
        """For the many questions of a search, by the method that the final test has too."""
        return replace(TesterSettings.quick(), method=self.tester.method)

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
