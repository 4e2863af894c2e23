"""What prover, refuter, tester and brute force say of one mechanism, and whether they contradict one another."""

from __future__ import annotations

import math
import re
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from ctypes import ArgumentError
from dataclasses import dataclass
from fractions import Fraction
from types import FrameType

from scipy import stats

from bench.hunt.grid import TOLERANCE, Loss, loss_above
from kolahal.engine import batch
from kolahal.engine.faults import RunError
from kolahal.engine.outputs import hits
from kolahal.engine.tape import Tape
from kolahal.lang.read.parse import parse
from kolahal.lang.scale import parse_scale
from kolahal.lang.sketch import Sketch, Type
from kolahal.model import Database, Estimate
from kolahal.paths.explore import explore
from kolahal.paths.state import Paths
from kolahal.proof.decide import decide
from kolahal.proof.find.bounded import find_upper_bound, prove_bounded
from kolahal.proof.find.lengths import prove_every_length
from kolahal.proof.refute.refute import refute
from kolahal.settings import ProofSettings, Settings, TesterSettings
from kolahal.tester.trial import test_mechanism
from kolahal.verdicts import Bounded, Proved, Refuted, Unknown

CLAIM = parse_scale("eps")
SIZE = 2  # answers up to which costs are computed and bounded proofs are given
SETTINGS = Settings(proof=ProofSettings(paths=1_000, solver_steps=1_000_000))
RUNS = 20_000  # in which a counterexample is sampled
FALSE_ALARM = 1e-12  # of one sampled probability, and of one test


@dataclass(frozen=True, slots=True)
class Finding:
    """The verdict on one mechanism."""

    seed: int
    verdict: str  # proved, every length; proved, up to 2 queries; refuted; unknown
    reason: str = ""  # of an unknown
    affine: bool = False
    contradiction: str = ""
    bounded: bool = False  # whether the cheapest alignment's cost was compared with brute force
    tight: bool = False  # and was found to be the loss, within 1 %
    summed: bool = False  # whether brute force was possible
    whole: bool = False  # whether everyone was asked, the whole ladder too where the first of them left it open

    @property
    def is_open(self) -> bool:
        return self.verdict == "unknown" or self.verdict.startswith("bounded")


class TimeUp(BaseException):
    """A mechanism has had its time; not an Exception, so that nothing on the way catches it."""


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raise TimeUp after so much processor time."""

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise TimeUp

    def tell(what: sys.UnraisableHookArgs) -> None:
        if not issubclass(what.exc_type, TimeUp):
            hook(what)

    before, hook = signal.signal(signal.SIGPROF, stop), sys.unraisablehook
    sys.unraisablehook = tell
    signal.setitimer(signal.ITIMER_PROF, seconds, 0.5)  # again and again: Python ignores what is raised in __del__
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
        sys.unraisablehook = hook


@dataclass(frozen=True, slots=True)
class Effort:
    """Who is asked. Costs, bounded proofs and brute force are cheap; the others wait for a reason, or for `everyone`."""

    lengths: bool = True  # a proof for every length where the cost allows one
    refuter: bool = True  # refuter and prover where it does not
    everyone: bool = False  # all of them and the tester, whatever the cost
    seconds: float = 10.0  # of processor time
    points: int = 20_000  # of a lattice
    bases: int = 2  # databases of each size on it


def judge(text: str, seed: int, effort: Effort) -> Finding:
    """The verdict on a mechanism, and whether two judges contradict each other."""
    sketch = parse(text)
    affine = False
    try:
        with at_most(effort.seconds):
            affine = is_affine(sketch)
            return _judge(sketch, seed, affine, effort)
    except (TimeUp, ArgumentError):  # ctypes says ArgumentError for whatever is raised while it looks at arguments
        return Finding(seed, "unknown", "time", affine, whole=effort.everyone)
    except Exception as error:
        crash = f"crash: {type(error).__name__} {error}"
        return Finding(seed, "unknown", "crash", affine, crash)


def is_affine(sketch: Sketch) -> bool:
    """Whether all runs on two answers have affine paths."""
    values: dict[str, Fraction | bool] = {}
    for parameter in sketch.arguments:
        if parameter.type is not Type.FLOAT:
            values[parameter.name] = Fraction(2) if parameter.type is Type.INT else True
    return isinstance(explore(sketch, SIZE, values, SETTINGS.proof.paths), Paths)


def _judge(sketch: Sketch, seed: int, affine: bool, effort: Effort) -> Finding:
    cost = float(find_upper_bound(sketch, CLAIM, SETTINGS.proof, SIZE)) if affine else math.inf
    refuted: Refuted | None = None
    proof: Proved | Bounded | Unknown = Unknown("not asked")
    if effort.everyone or (effort.refuter and cost > 1):
        refuted = refute(sketch, CLAIM, SETTINGS)
    if effort.everyone or (effort.lengths if cost <= 1 else effort.refuter and refuted is None):
        proof = prove_every_length(sketch, CLAIM, SETTINGS.proof)
    if isinstance(proof, Unknown) and not _failed(proof) and refuted is None and cost <= 1:
        proof = prove_bounded(sketch, CLAIM, SETTINGS.proof, SIZE)
    if effort.everyone and refuted is None and not is_everywhere(proof) and not _failed(proof):
        last = decide(sketch, CLAIM, Settings()).verdict
        refuted = last if isinstance(last, Refuted) else None
        proof = last if isinstance(last, Proved) or (isinstance(last, Unknown) and _failed(last)) else proof
    # Where there is no bound and no proof, brute force has nothing to contradict.
    loss = None
    if isinstance(proof, Proved | Bounded) or math.isfinite(cost) or refuted is None:
        loss = _brute_force(sketch, min(cost, 1.0) if isinstance(proof, Proved | Bounded) else cost, seed, effort)
    if is_everywhere(proof) and not isinstance(loss, str):
        larger = _brute_force(sketch, 1.0, seed, effort, (SIZE + 1,))
        if isinstance(larger, str) or (larger is not None and larger.value > 1 + TOLERANCE):
            loss = larger
    contradiction = _contradiction(sketch, proof, refuted, cost, loss, effort.everyone, seed)
    verdict = "refuted" if refuted else _words(proof) if isinstance(proof, Proved | Bounded) else "unknown"
    reason = _reason(proof, loss) if verdict == "unknown" and isinstance(proof, Unknown) else ""
    value = loss.value if isinstance(loss, Loss) else None
    compared = value is not None and math.isfinite(cost)
    tight = value is not None and compared and value >= 0.99 * cost
    return Finding(seed, verdict, reason, affine, contradiction, compared, tight, value is not None, effort.everyone)


def _failed(proof: Proved | Bounded | Unknown) -> bool:
    """Whether a proof was found that does not pass its re-check: a contradiction by itself."""
    return isinstance(proof, Unknown) and bool(proof.failed_rechecks)


def is_everywhere(proof: Proved | Bounded | Unknown) -> bool:
    """Whether it is a proof for every length."""
    return isinstance(proof, Proved)


def _brute_force(
    sketch: Sketch, bound: float, seed: int, effort: Effort, sizes: Sequence[int] = (1, SIZE)
) -> Loss | str | None:
    """The largest loss on a lattice, or the fault that a run stops with; None if there are too many draws."""
    try:
        return loss_above(sketch, bound, seed, effort.points, effort.bases, sizes)
    except RunError as error:
        return str(error)


def _contradiction(
    sketch: Sketch,
    proof: Proved | Bounded | Unknown,
    refuted: Refuted | None,
    cost: float,
    loss: Loss | str | None,
    test: bool,
    seed: int,
) -> str:
    """What two judges disagree on; empty if all agree."""
    if isinstance(proof, Unknown) and proof.failed_rechecks:
        return proof.failed_rechecks[0]
    proved = isinstance(proof, Proved | Bounded)
    everywhere = is_everywhere(proof)
    if refuted is not None:
        if everywhere or (proved and refuted.example.arguments.size <= SIZE):
            return "proved and refuted"
        if wrong := _sampled_otherwise(sketch, refuted, seed):
            return wrong
    if proved and isinstance(loss, Loss) and loss.value > 1 + TOLERANCE:
        return f"proved, and brute force finds {loss}"
    if everywhere and isinstance(loss, str):
        return f"proved, and a run faults: {loss}"
    if isinstance(loss, Loss) and loss.value > cost + TOLERANCE:
        return f"the cheapest alignment costs {cost}, and brute force finds {loss}"
    if everywhere and test:
        trial = test_mechanism(sketch, Fraction(1, 2), TesterSettings.quick(), seed)
        if trial.p_value < FALSE_ALARM:
            return f"proved, and the test finds a violation (p = {trial.p_value:.2g}) on {trial.example}"
    return ""


def _sampled_otherwise(sketch: Sketch, refuted: Refuted, seed: int) -> str:
    """Whether the probabilities of a counterexample are not those that runs show."""
    example = refuted.example
    pairs: list[tuple[Database, Estimate]] = [(example.d1, refuted.odds.p1), (example.d2, refuted.odds.p2)]
    for place, (database, stated) in enumerate(pairs):
        try:
            outputs = batch.run(sketch, database, example.arguments, (), Tape((seed, place), RUNS))
        except RunError:  # some run stops there, and then none can be sampled
            return ""
        found = int(hits(example.event, outputs).sum())
        few, many = stats.binom.cdf(found, RUNS, stated.high), stats.binom.sf(found - 1, RUNS, stated.low)
        if (stated.high < 1 and many < FALSE_ALARM) or (stated.low > 0 and few < FALSE_ALARM):
            return (
                f"refuted by {example}, whose probability {place + 1} is {stated}, but {found} of {RUNS} runs are in it"
            )
    return ""


def _words(proof: Proved | Bounded) -> str:
    return "proved, every length" if is_everywhere(proof) else f"bounded, up to {SIZE} queries"


def _reason(proof: Unknown, loss: Loss | str | None) -> str:
    """Why there is no verdict, without what is peculiar to the mechanism."""
    shown = isinstance(loss, Loss) and loss.value > 1 + 1e-3
    reason = re.sub(r"`[^`]*`", "`…`", re.sub(r"[^ ]*:\d+:\d+: ", "", proof.reason))
    reason = re.sub(r"(from (the start|loop \d+), )?path \d+ with path \d+", "…", reason)
    reason = re.sub(r"\d+(/\d+)?", "…", reason).removeprefix("no proof for every length: ")
    return f"{'not private by brute force: ' if shown else ''}{reason}"
