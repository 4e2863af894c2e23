"""Mechanisms that are asked one answer at a time: the same as the emitted batch program, and refused where the proof does not carry."""

from __future__ import annotations

import copy
import itertools
import math
import os
import pickle
import random
from collections import defaultdict
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

from kolahal.cli import main
from kolahal.emission.program import load_emitted
from kolahal.emission.release import emit
from kolahal.lang.claims import plain_claim
from kolahal.lang.read.parse import parse
from kolahal.lang.sketch import Sketch
from kolahal.proof.decide import decide
from kolahal.proof.online import NotOnline, find_turns
from kolahal.settings import Settings
from kolahal.sketches.gallery import load_one
from kolahal.verdicts import Proved, Unknown, Verdict

HEAD = "@sketch(adjacent={})\ndef {}(q: Private{}, {}eps: Epsilon):\n"


def above(body: str) -> str:
    return HEAD.format("each_within(1)", "above", "", "T: float, ") + body


MONITORS = {
    "above": above("    t = T + Lap(2/eps)\n    for i in range(len(q)):\n        if q[i] + Lap(4/eps) > t:\n            return i + 1\n    return 0\n"),
    "for_each": above("    t = T + Lap(2/eps)\n    n = 0\n    for x in q:\n        n = n + 1\n        if x + Lap(4/eps) > t:\n            return n\n    return 0\n"),
    "flags": above(
        "    t = T + Lap(2/eps)\n    out = []\n    for x in q:\n        if x + Lap(4/eps) >= t:\n            out.append(True)\n            return out\n"
        "        out.append(False)\n    return out\n"
    ),
    "enumerated": above("    t = T + Lap(2/eps)\n    for i, x in enumerate(q):\n        y = x + Lap(4/eps)\n        if y > t:\n            return i\n    return None\n"),
    "strict": above(
        "    i = 0\n    t = T + Lap(3/eps)\n    a = q\n    while len(a) > i:\n        y = a[i] + Lap(3/eps)\n        i = i + 1\n        if y > t:\n"
        "            return i / 2\n    return -1\n"
    ),
    "asserted": above(
        "    assert T >= -5\n    t = T + Lap(2/eps)\n    out = []\n    for x in q:\n        if x + Lap(4/eps) >= t:\n            out.append('above')\n            return out\n"
        "        out.append('below')\n    return out\n"
    ),
    "running": HEAD.format("one_within(1)", "running", "", "") + (
        "    total = 0\n    out = []\n    for x in q:\n        total = total + x + Lap(1/eps)\n        out.append(total)\n    return out\n"
    ),
    "doubled": HEAD.format("sum_within(1)", "doubled", "", "") + (
        "    out = []\n    for x in q:\n        y = x + Lap(1/eps)\n        out.append(y / 2)\n    return out\n"
    ),
    "whole": HEAD.format("each_within(1)", "whole", "[int]", "T: int, ") + (
        "    t = T + DiscreteLap(2/eps)\n    out = []\n    for x in q:\n        if x + DiscreteLap(4/eps) >= t:\n            out.append(True)\n            return out\n"
        "        out.append(False)\n    return out\n"
    ),
    "idle": above(
        "    seen = 0\n    for x in q:\n        seen = seen + 1\n    t = T + Lap(2/eps)\n    for i in range(len(q)):\n        for j in range(3):\n            seen = seen + j\n"
        "        if q[i] + Lap(4/eps) > t:\n            return i + 1\n    for x in q:\n        seen = seen - 1\n    return 0\n"
    ),
}  # fmt: skip
GALLERY = {
    "above_threshold_1": ("2/eps", "4/eps"),
    "above_threshold_2": ("2/eps", "4/eps", None),
    "svt": ("2/eps", "4*N/eps"),
    "smart_sum": ("2/eps", "2/eps"),
    "noisy_max_1": ("2/eps",),
}


@cache
def proved(name: str) -> tuple[Sketch, Verdict]:
    program = load_one(name).complete(*GALLERY[name]).filled() if name in GALLERY else parse(MONITORS[name])
    return program, decide(program, plain_claim(program), Settings()).verdict


@cache
def emitted(name: str) -> tuple[Sketch, dict[str, Any]]:
    """A program, and the names of the file with its class."""
    program, verdict = proved(name)
    return program, load_emitted(emit(program, verdict, online=True)).__globals__


class NoiseOfScales:
    """Fixed noise in which every scale has a stream of its own, so that the order among places does not matter."""

    def __init__(self, seed: int) -> None:
        self.streams: dict[Fraction, random.Random] = defaultdict(lambda: random.Random(seed))

    def laplace(self, scale: Fraction) -> int:
        return math.floor(Fraction(self.streams[scale].randint(-3000, 3000), 1000) * scale)

    def exponential(self, scale: Fraction) -> int:
        return abs(self.laplace(scale))


def inputs(name: str, rng: random.Random) -> tuple[list[float], dict[str, Any]]:
    program, _ = emitted(name)
    answers = [rng.randint(-9, 9) if program.private.whole else rng.randint(-40, 40) / 4 for _ in range(rng.randrange(7))]
    values = {"T": rng.randint(-3, 9), "N": rng.randint(1, 3), "M": rng.randint(1, 3), "eps": "1/2"}
    return answers, {p.name: values[p.name] for p in program.parameters if p.name in values}


def begin(name: str, seed: int, given: dict[str, Any]) -> Any:
    _, space = emitted(name)
    noise = NoiseOfScales(seed)
    kind = type("Fixed", (space[space["__all__"][1]],), {"_noise": lambda self: noise})
    return kind(**given)


def batch(name: str, seed: int, answers: Sequence[float], given: dict[str, Any]) -> Any:
    program, space = emitted(name)
    function = space[space["__all__"][0]]
    values = {program.private.name: list(answers), **given}
    return space["_run"](function.__wrapped__, function._rounds, (), values, NoiseOfScales(seed))


@pytest.mark.parametrize("name", [*MONITORS, *GALLERY])
def test_a_run_turn_by_turn_is_the_batch_program(name: str) -> None:
    rng = random.Random(name)
    turns = find_turns(*proved(name))
    for seed in range(12):
        answers, given = inputs(name, rng)
        run = begin(name, seed, given)
        told: list[Any] = []
        assert run.spent == 0 and run.answer is None
        for count, answer in enumerate(answers, 1):
            result = run.ask(answer)
            so_far = batch(name, seed, answers[:count], given)
            if turns.told is not None:
                told += result
                assert (told[::-1] if turns.front else told) == so_far
            else:
                assert result == (so_far if run.done else None)
            assert run.spent == 0.5
            if run.done:
                assert run.answer == batch(name, seed, answers, given), "whatever would have come after"
                break
        assert repr(run.close()) == repr(batch(name, seed, answers, given))
        assert run.done and repr(run.close()) == repr(run.answer)


def test_a_run_that_has_ended_stays_so() -> None:
    _, space = emitted("above")
    run = space["Above"](T=-1000, eps=1)
    assert run.ask(0) == 1 and run.done and run.answer == 1 and run.spent == 1
    with pytest.raises(ValueError, match="has ended"):
        run.ask(0)
    assert run.close() == 1


def test_a_wrong_answer_changes_nothing() -> None:
    _, space = emitted("flags")
    run = space["Above"](T=10**6, eps=1)
    for wrong in ("1", None, float("nan"), [1], True):
        with pytest.raises((TypeError, ValueError)):
            run.ask(wrong)
    assert run.spent == 0 and run.ask(0) == [False] and run.close() == [False]
    with pytest.raises(ValueError, match="whole number"):
        emitted("whole")[1]["Whole"](T=3, eps=1).ask(0.5)
    with pytest.raises(ValueError, match="above 0"):
        space["Above"](T=1, eps=0)
    with pytest.raises(ValueError, match="asserts T >= -5"):
        emitted("asserted")[1]["Above"](T=-6, eps=1)
    with pytest.raises(ValueError, match="on the grid"):
        emitted("doubled")[1]["Doubled"](eps=1).ask(Fraction(1, 3))


def test_a_run_cannot_be_copied() -> None:
    _, space = emitted("above")
    run = space["Above"](T=1, eps=1)
    for copied in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="cannot be copied"):
            copied(run)
    child = os.fork()
    if not child:
        try:
            run.ask(0)
        except RuntimeError:
            os._exit(0)
        os._exit(1)
    assert os.waitpid(child, 0)[1] == 0


def test_questions_about_records_are_clamped_one_by_one() -> None:
    _, space = emitted("flags")
    run = space["Above"](T=0, eps=1, records=[1, 5, -3, "no number", 0.5])
    assert run._sum(lambda record: record) == Fraction(5, 2), "1 + 1 + 0 + 0 + 1/2"
    assert run._sum(lambda record: record == 5) == 1
    assert run._sum(lambda record: 1 / 0) == 0, "no error tells of a record"
    assert run.ask(lambda record: True) in ([True], [False])
    with pytest.raises(TypeError, match="needs records"):
        space["Above"](T=0, eps=1).ask(lambda record: 1)
    with pytest.raises(TypeError, match="needs records"):
        emitted("running")[1]["Running"](eps=1, records=[1]).ask(lambda record: 1)


def test_no_question_is_refused_because_of_a_record() -> None:
    _, space = emitted("whole")
    run = space["Whole"](T=0, eps=1, records=[1, 2, 3])
    assert run._sum(lambda record: record / 2) == 2, "0 + 1 + 1"
    assert run.ask(lambda record: 0.5 if record == 2 else 0) in ([True], [False])


# ---------------------------------------------------------------- what is refused

LATE = "    t = T + Lap(2/eps)\n    n = 0\n    for i in range(len(q)):\n"
REFUSED = {
    "look ahead": above(LATE + "        if q[i] + Lap(4/eps) > t:\n            return i + q[0] * 0\n    return 0\n"),
    "the length after the loop": above(LATE + "        if q[i] + Lap(4/eps) > t:\n            return i\n    return len(q)\n"),
    "the length in a scale": above(
        "    for i in range(len(q)):\n        if q[i] + Lap(len(q)/eps) > T:\n            return i + 1\n    return 0\n"
    ),
    "the name of the list given away": above(
        "    t = T + Lap(2/eps)\n    q = [x + Lap(4/eps) for x in q]\n    for i in range(len(q)):\n        if q[i] > t:\n            return i + 1\n    return 0\n"
    ),
    "noise at the end alone": HEAD.format("one_within(1)", "total", "", "")
    + "    s = 0\n    for x in q:\n        s = s + x\n    return s + Lap(1/eps)\n",
    "a turn that may end without noise": above(
        LATE + "        if i >= 3:\n            return 0\n        if q[i] + Lap(4/eps) > t:\n            return i\n    return 0\n"
    ),
    "no loop": HEAD.format("one_within(1)", "one", "", "") + "    return [x + Lap(1/eps) for x in q]\n",
    "fixed places": HEAD.format("one_within(1)", "one", "[3]", "") + "    return q[0] + Lap(1/eps)\n",
    "counts by two": above(
        "    t = T + Lap(2/eps)\n    i = 0\n    while i < len(q):\n        if q[i] + Lap(4/eps) > t:\n            return i\n        i = i + 2\n    return 0\n"
    ),
    "counts by something else": above(
        "    t = T + Lap(2/eps)\n    i = 0\n    n = 0\n    while i < len(q) and n == 0:\n        if q[i] + Lap(4/eps) > t:\n            n = 1\n        for i in range(1):\n            pass\n        i = i + 1\n    return n\n"
    ),
    "from the last": above(
        "    t = T + Lap(2/eps)\n    for i in range(len(q)):\n        if q[len(q) - 1 - i] + Lap(4/eps) > t:\n            return i\n    return 0\n"
    ),
    "noise in an idle loop": above(
        "    t = T + Lap(2/eps)\n    for i in range(len(q)):\n        for j in range(3):\n            y = Lap(1/eps)\n        if q[i] + Lap(4/eps) > t:\n            return i\n    return 0\n"
    ),
    "noise that is named first": above(
        LATE + "        e = Lap(4/eps)\n        if q[i] + e > t:\n            return i\n    return 0\n"
    ),
}  # fmt: skip


REASONS = {
    "look ahead": "more than the answer of the turn",
    "the length after the loop": "after the loop",
    "the length in a scale": "a scale depends on the number of answers",
    "the name of the list given away": "the name of the private list",
    "no loop": "before the loop",
    "fixed places": "inputs of every length",
    "counts by two": "does not count the turns",
    "counts by something else": "does not count the turns",
    "from the last": "more than the answer of the turn",
    "noise in an idle loop": "a loop that nothing depends on draws noise",
    "noise that is named first": "later than it is named",
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_the_proof_does_not_carry_is_refused(name: str) -> None:
    program = parse(REFUSED[name])
    verdict = decide(program, plain_claim(program), Settings()).verdict
    with pytest.raises(NotOnline, match="cannot be asked one answer at a time: ") as refused:
        find_turns(program, verdict)
    assert REASONS.get(name, "a turn may end without a draw of noise") in str(refused.value)


def test_odd_names_of_parameters_are_no_trouble() -> None:
    odd = MONITORS["above"].replace("T: float", "self: float, records: float").replace("t = T +", "t = self + records +")
    odd = odd.replace("def above", "def Above")
    program = parse(odd)
    space = load_emitted(emit(program, decide(program, plain_claim(program), Settings()).verdict, online=True)).__globals__
    assert space["__all__"] == ["Above", "AboveOnline"]
    run = space["AboveOnline"](-(10**6), records=0, eps=1)
    assert run.ask(0) == 1 and run.done


def test_without_a_proof_nothing_is_handed_out(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    greedy = tmp_path / "greedy.py"
    greedy.write_text(MONITORS["above"].replace("4/eps", "2/eps"))
    assert main(["emit", str(greedy), "--online", "--force"]) == 1
    captured = capsys.readouterr()
    assert "class" not in captured.out and "cannot be asked one answer at a time" in captured.err
    program, _ = proved("above")
    with pytest.raises(NotOnline):
        find_turns(program, Unknown("nobody asked"))
    _, other = proved("for_each")
    assert isinstance(other, Proved)
    with pytest.raises(NotOnline, match="about another program"):
        find_turns(program, other)


# ---------------------------------------------------------------- someone who chooses by what was told

REACH = 7  # whole noise beyond this many scales has a probability of about e^-7 at each draw


class Tape:
    """Whole noise in a given order."""

    def __init__(self, values: Sequence[int]) -> None:
        self.values = list(values)

    def laplace(self, scale: Fraction) -> int:
        return self.values.pop(0)


def histories(ask: Callable[[list[Any]], int], epsilon: str, scales: Sequence[float], turns: int) -> dict[Any, float]:
    """The probability of every sequence of results, over all noise within reach."""
    _, space = emitted("whole")
    found: dict[Any, float] = defaultdict(float)
    weights = [
        {k: math.exp(-abs(k) / s) * math.tanh(1 / (2 * s)) for k in range(-math.ceil(REACH * s), math.ceil(REACH * s) + 1)}
        for s in scales
    ]
    for noise in itertools.product(*weights):
        tape = Tape(noise)
        run = type("Fixed", (space["Whole"],), {"_noise": lambda self, tape=tape: tape})(T=0, eps=epsilon)
        told: list[Any] = []
        while not run.done and len(told) < turns:
            told += run.ask(ask(told))
        found[tuple(told)] += math.prod(weight[k] for weight, k in zip(weights, noise, strict=True))
    return found


def test_adaptive_questions_stay_within_the_budget() -> None:
    """Two turns, the second question chosen by the first result, and neighbours that move as they like: ε is kept."""
    epsilon = 4.0  # scales of 1/2 and 1: all noise within reach can be gone through

    def question(told: list[Any]) -> int:
        return 0 if not told else 1

    plain = histories(question, "4", (0.5, 1.0, 1.0), 2)
    for moves in ((1, 1), (1, -1), (-1, 1)):
        moved = histories(lambda told, moves=moves: question(told) + moves[len(told)], "4", (0.5, 1.0, 1.0), 2)
        lost = 1 - min(sum(plain.values()), sum(moved.values()))
        assert lost < 3e-3 and len(plain) == 3
        for history in plain:
            for one, other in ((plain, moved), (moved, plain)):
                assert one[history] <= math.exp(epsilon) * (other[history] + lost)
