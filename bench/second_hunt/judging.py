"""One program, put to brute force and to everybody who gives verdicts; where they disagree, what and why."""

from __future__ import annotations

import itertools
import random
import re
import signal
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from types import FrameType

from bench.second_hunt.emitted import load
from bench.second_hunt.losses import (
    FINE,
    Inputs,
    Loss,
    Search,
    Signature,
    certain_loss,
    exceeds,
    inputs_for,
    pair_of,
    read_signature,
    search_loss,
)
from bench.second_hunt.machine import WHOLE, Machine, build
from bench.second_hunt.refutations import flaw
from kolahal.checking import check
from kolahal.emission.release import Withheld, emit
from kolahal.errors import KolahalError
from kolahal.lang.claims import plain_claim
from kolahal.lang.read.parse import parse
from kolahal.lang.sketch import Sketch
from kolahal.proof.find import alignments, concrete_runs, lengths
from kolahal.proof.find.bounded import prove_bounded
from kolahal.proof.refute.refute import refute
from kolahal.settings import ProofSettings, Settings
from kolahal.verdicts import Bounded, Exactly, Proved, Refuted, Unknown, UpTo, Verdict

# Counted limits, lower than the defaults: most programs of the hunt are decided well within them.
SETTINGS = Settings(proof=ProofSettings(paths=400, sizes=(1, 2), solver_steps=400_000))


@dataclass(frozen=True, slots=True)
class Effort:
    """Who is asked, and how much is tried."""

    refuter: bool = True
    everyone: bool = False  # `kolahal check` as a whole
    seconds: float = 10.0  # of processor time
    inputs: int = 8
    emitted: int = 2  # inputs of the emitted program


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found out about one program."""

    seed: int
    verdict: str
    reason: str = ""
    contradiction: str = ""
    loss: float = 0.0  # the largest certain one, in units of ε
    known: bool = False  # whether brute force followed most runs to their ends
    emitted: str = ""  # agrees, refused, not asked


class TooLong(Exception):
    """The processor time for one program is used up."""


def judge(text: str, seed: int, effort: Effort) -> Finding:
    """All verdicts on a program, and the first contradiction between them."""
    try:
        sketch = parse(text)
    except KolahalError as error:
        codes = re.findall(r"K\d\d\d", str(error))
        return Finding(seed, "refused", ", ".join(dict.fromkeys(codes)))
    found = _Case(text, seed, effort, sketch)
    try:
        with limited(effort.seconds):
            return found.judge()
    except TooLong:
        return replace(found.so_far, verdict="out of time", reason=found.stage)
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{where.filename.rsplit('/', 1)[-1]}, {where.name}"
        told = f"crash in {found.stage}: {type(error).__name__} {error} ({place})"
        return replace(found.so_far, verdict="crash", contradiction=told)


class _Case:
    def __init__(self, text: str, seed: int, effort: Effort, sketch: Sketch):
        self.text, self.effort, self.sketch = text, effort, sketch
        self.so_far = Finding(seed, "unknown")
        self.stage = "brute force"
        self.signature: Signature = read_signature(text)
        self.machine: Machine = build(text)
        self.real = not self.signature.noises <= set(WHOLE)
        self.step = Fraction(1, 2) if self.signature.distance.denominator > 1 or seed % 4 == 0 else Fraction(1)
        self.rng = random.Random(f"inputs {seed}")

    def judge(self) -> Finding:
        brute = self.search(self.effort.inputs)
        self.so_far = replace(self.so_far, loss=brute.worst.value, known=brute.known > 0.99)
        if brute.stray:
            return self.against(f"accepted, and Python does not know the name {', '.join(sorted(brute.stray))}")
        verdict = self.verdict(exceeds(brute.worst))
        self.so_far = replace(self.so_far, verdict=_name(verdict))
        if isinstance(verdict, Unknown):
            self.so_far = replace(self.so_far, reason=_short(verdict.reason))
            if verdict.defect or verdict.failed_rechecks:
                return self.against(f"a defect: {verdict.reason}")
        if isinstance(verdict, Refuted):
            self.stage = "the counterexample"
            wrong = flaw(self.machine, self.signature, verdict)
            return self.against(f"refuted, and {wrong}") if wrong else self.so_far
        if isinstance(verdict, Proved | Bounded):
            return self.against(self.contradict(verdict, brute))
        return self.so_far

    def against(self, contradiction: str) -> Finding:
        return replace(self.so_far, contradiction=contradiction)

    def search(self, count: int, verdict: Verdict | None = None) -> Search:
        """The largest loss by brute force, on inputs that a verdict covers if one is given."""
        some = itertools.islice(inputs_for(self.signature, self.rng, self.step), 4 * count)
        kept = (one for one in some if verdict is None or covers(verdict, one))
        return search_loss(pair_of(self.machine, self.signature, self.step), itertools.islice(kept, count))

    def verdict(self, broken: bool) -> Verdict:
        if self.effort.everyone:
            self.stage = "check"
            whole = check(self.sketch, settings=SETTINGS)
            if whole.epsilon_upper is not None and whole.epsilon_lower > whole.epsilon_upper * (1 + 1e-9):
                bounds = f"the lower bound {whole.epsilon_lower} is above the upper bound {whole.epsilon_upper}"
                return Unknown(bounds, defect=True)
            return whole.verdict
        # The judges one by one, the quick ones first, each against brute force; what the ladder says, `everyone` asks.
        self.stage = "the proof for every length"
        with hurried():
            proof = lengths.prove_every_length(self.sketch, None, SETTINGS.proof)
        if isinstance(proof, Proved) or proof.failed_rechecks:
            return proof
        self.stage = "the bounded proof"
        bounded = prove_bounded(self.sketch, None, SETTINGS.proof)
        if isinstance(bounded, Proved | Bounded) or bounded.failed_rechecks:
            return bounded
        self.stage = "the refuter"
        if self.effort.refuter and not broken:
            return refute(self.sketch, plain_claim(self.sketch), SETTINGS) or proof
        return Unknown("brute force finds a loss") if broken else proof

    def contradict(self, verdict: Proved | Bounded, brute: Search) -> str:
        """How brute force on the text, or on the emitted program, goes against a proof."""
        self.stage = "brute force on what is proved"
        worst = brute.worst
        if not (worst.inputs and exceeds(worst) and covers(verdict, worst.inputs)):
            worst = self.search(self.effort.inputs, verdict).worst if exceeds(worst) else worst
        shown = exceeds(worst) and worst.inputs is not None and covers(verdict, worst.inputs)
        if shown and not self.real:
            return f"{_name(verdict)}, and {_show(worst)}"
        self.stage = "emit"
        try:
            text = emit_checked(self.sketch, verdict)
        except Withheld:
            self.so_far = replace(self.so_far, emitted="refused")
            lasting = shown and worst.inputs is not None and self.lasts(worst)
            return f"{_name(verdict)} and not emitted, and on finer and finer grids {_show(worst)}" if lasting else ""
        self.so_far = replace(self.so_far, emitted="agrees")
        first = [worst.inputs] if shown and worst.inputs else []
        return self.emitted(verdict, text, first)

    def lasts(self, worst: Loss) -> bool:
        """Whether a loss on a grid is one of real noise too: the probability of a tie gets less on a finer grid."""
        assert worst.inputs is not None
        for parts in (2, 4):
            pair = pair_of(self.machine, self.signature, self.step / parts)(worst.inputs, FINE)
            assert pair is not None
            loss = certain_loss(*pair, worst.inputs.epsilon)
            if not exceeds(loss) or loss.low < 0.7 * worst.low:
                return False
        return True

    def emitted(self, verdict: Proved | Bounded, text: str, first: list[Inputs]) -> str:
        """What the emitted program loses on the grid; whatever it accepts, its claim must hold for it."""
        self.stage = "the emitted program"
        some = itertools.islice(inputs_for(self.signature, self.rng, self.step), 3 * self.effort.emitted)
        program = load(text)
        search = search_loss(
            program.pair(self.signature), itertools.islice([*first, *some], len(first) + self.effort.emitted), quick=30
        )
        if search.worst.inputs is None or not exceeds(search.worst):
            return ""
        # What happens to an answer before the caller has it may hide a loss again.
        inputs = search.worst.inputs
        pair = program.pair(self.signature)(inputs, FINE)
        assert pair is not None
        told = [program.handed_out(self.signature, inputs, one) for one in pair]
        loss = replace(certain_loss(told[0], told[1], inputs.epsilon), inputs=inputs)
        return f"{_name(verdict)} and emitted, and of the emitted program {_show(loss)}" if exceeds(loss) else ""


def emit_checked(sketch: Sketch, verdict: Proved | Bounded) -> str:
    """The program that the command `emit` writes for this verdict."""
    return emit(sketch, verdict)


def covers(verdict: Verdict, inputs: Inputs) -> bool:
    """Whether a proof speaks of these inputs: their number, and what it assumes of arguments."""
    if not isinstance(verdict, Proved | Bounded):
        return True
    given = dict(inputs.arguments)
    if isinstance(verdict, Proved) and any(given[assumed.name] < assumed.least for assumed in verdict.assumed):
        return False
    match verdict.scope:
        case Exactly():
            return len(inputs.d1) == verdict.scope.size
        case UpTo(size, condition):
            ranges = re.findall(r"(\w+) from (-?\d+) to (-?\d+)", condition)
            return len(inputs.d1) <= size and all(int(a) <= given[name] <= int(b) for name, a, b in ranges)
        case _:
            return True


@contextmanager
def hurried() -> Iterator[None]:
    """Let the prover search less. What it finds is checked again all the same."""
    before = lengths.SCENARIOS, alignments.MOST_TRIALS, concrete_runs.MORE
    lengths.SCENARIOS, alignments.MOST_TRIALS, concrete_runs.MORE = 40, 100, 100
    try:
        yield
    finally:
        lengths.SCENARIOS, alignments.MOST_TRIALS, concrete_runs.MORE = before


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """End what runs inside after so much processor time."""

    def stop(_: int, __: FrameType | None) -> None:
        raise TooLong

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _name(verdict: Verdict) -> str:
    match verdict:
        case Proved(scope=scope) | Bounded(scope=scope):
            return f"{type(verdict).__name__.lower()}, {re.sub(r'[0-9].*', 'n', str(scope))}"
        case _:
            return type(verdict).__name__.lower()


def _show(loss: Loss) -> str:
    inputs = loss.inputs
    assert inputs is not None
    d1, d2 = ([str(x) for x in d] for d in (inputs.d1, inputs.d2))
    given = ", ".join(f"{name} = {value}" for name, value in inputs.arguments)
    some = ", ".join(map(str, loss.event[:3]))
    return (
        f"brute force finds a loss of {loss.value:.4g} at eps = {inputs.epsilon}, q = {d1} and {d2}"
        f"{'; ' + given if given else ''}, answers {some}{', …' if len(loss.event) > 3 else ''}: "
        f"{loss.low:.4g} against {loss.high:.4g}{' (flipped)' if loss.flipped else ''}"
    )


def _short(reason: str) -> str:
    """A reason without the numbers, names and texts that are the program's own."""
    return re.sub(r"`[^`]*`|\d+", "…", reason.split(";")[0])[:90]
