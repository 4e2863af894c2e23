"""Emitted programs are as private as they claim: the exact distribution of their answers on a coarse grid, by brute force.

What is emitted draws its noise on a grid of 2⁴⁰ steps a scale, where nobody can count. The same file with a coarse grid is
the same program and the same argument, and there every noise can be looked at, ties included.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

from kolahal.checking import check
from kolahal.emission import resolution as grid
from kolahal.emission.program import load_emitted
from kolahal.emission.release import emit
from kolahal.errors import UsageError
from kolahal.lang.read.parse import parse
from kolahal.lang.sketch import Sketch
from kolahal.proof.find.bounded import prove_bounded
from kolahal.proof.find.lengths import prove_every_length
from kolahal.sketches.gallery import GALLERY, load_one
from kolahal.verdicts import Bounded, Proved, Unknown

RARE = 3e-7  # noise less likely than this is not looked at; what it could hide is allowed for
Answers = tuple[Fraction, ...]


# ---------------------------------------------------------------- the exact distribution of an emitted program


class _More(Exception):
    """A run that asks for noise beyond the given one."""


class _Given:
    """Noise from a list; beyond its end, what was asked for is remembered."""

    def __init__(self, noise: tuple[int, ...]):
        self.left, self.one_sided, self.scale = list(noise), False, Fraction(0)

    def laplace(self, scale: Fraction) -> int:
        if self.left:
            return self.left.pop(0)
        self.one_sided, self.scale = False, scale
        raise _More

    def exponential(self, scale: Fraction) -> int:
        if self.left:
            return self.left.pop(0)
        self.one_sided, self.scale = True, scale
        raise _More


@dataclass(frozen=True, slots=True)
class Distribution:
    """How likely each answer is, and how likely the runs are that were not looked at."""

    chances: dict[str, float]
    lost: float


def distribution(function: Callable[..., Any], inputs: dict[str, Any]) -> Distribution:
    """All answers of an emitted program, over all noise that is not rare."""
    space, inner = function.__globals__, function.__wrapped__  # type: ignore[attr-defined]
    values = dict(inputs)
    plan = space["_Plan"](**space["_plan"](**{**values, "q": range(len(values["q"]))}))
    space["_check_inputs"]("q", values["q"], plan)
    grid, noise_grid = space["_grids"](plan, function._rounds)  # type: ignore[attr-defined]
    values["q"] = space["_on_grid"]("q", values["q"], grid, function._rounds)  # type: ignore[attr-defined]
    chances: dict[str, float] = {}
    lost = 0.0
    waiting: list[tuple[tuple[int, ...], float]] = [((), 1.0)]
    while waiting:
        noise, chance = waiting.pop()
        source = _Given(noise)
        space["_running"].set(space["_Run"](source, noise_grid))
        try:
            answer = repr(space["_plain"](inner(**values), list))
        except _More:
            kept, rest = _draws(float(source.scale), source.one_sided, RARE / chance)
            waiting += [((*noise, k), chance * p) for k, p in kept]
            lost += chance * rest
            continue
        except (ArithmeticError, LookupError, TypeError) as error:
            answer = type(error).__name__
        chances[answer] = chances.get(answer, 0.0) + chance
    return Distribution(chances, lost)


def _draws(scale: float, one_sided: bool, rare: float) -> tuple[list[tuple[int, float]], float]:
    """Whole numbers with their chances, those below `rare` left out, and how likely these are together."""
    ratio = math.exp(-1 / scale)
    top = 1 - ratio if one_sided else (1 - ratio) / (1 + ratio)
    reach = max(0, math.floor(scale * math.log(max(top / rare, 1))))
    tail = ratio ** (reach + 1) * (1 if one_sided else 2 / (1 + ratio))
    return [(k, top * ratio ** abs(k)) for k in range(0 if one_sided else -reach, reach + 1)], tail


def excess(one: Distribution, two: Distribution, loss: float) -> float:
    """By how much the likeliest event of `one` is above e^loss times its chance in `two`, for certain."""
    factor = math.exp(loss)
    over = sum(max(0.0, chance - factor * two.chances.get(answer, 0.0)) for answer, chance in one.chances.items())
    return over - factor * two.lost


# ---------------------------------------------------------------- neighbours on the grid


@dataclass(frozen=True, slots=True)
class Trial:
    """A program, at which ε and with how many answers it is looked at, and the step of its private answers."""

    name: str
    text: str
    eps: Fraction = Fraction(3)
    size: int = 1
    step: Fraction = Fraction(1, 2)
    public: tuple[tuple[str, Any], ...] = ()
    steps: Fraction = Fraction(1, 2)  # of the grid for each scale
    lengths: bool = (
        False  # whether only the proof for every length is looked at: the other has a grid of very many steps
    )

    def sketch(self) -> Sketch:
        return parse(self.text)

    def inputs(self, database: Answers) -> dict[str, Any]:
        return {"q": list(database), "eps": self.eps, **dict(self.public)}

    def coarse(self, text: str) -> Callable[..., Any]:
        """The emitted program, on a coarse grid."""
        function = load_emitted(text)
        space = function.__globals__
        space["_RESOLUTION"] = space["_Resolution"](self.steps, self.step, self.step)
        return function

    def pairs(self, sketch: Sketch) -> Iterator[tuple[Answers, Answers]]:
        """Neighbours whose answers are on the grid, near each other and near 0."""
        reach = math.floor(sketch.adjacency.distance / self.step)
        moves = [self.step * k for k in range(-reach, reach + 1)]
        bases = [self.step * k for k in range(3 if self.size == 1 else 2)]
        for base in itertools.product(bases, repeat=self.size):
            for move in itertools.product(moves, repeat=self.size):
                if any(move) and sketch.adjacency.allows(move):
                    yield base, tuple(a + b for a, b in zip(base, move, strict=True))


def worst(trial: Trial, text: str, claim: float | None = None) -> float:
    """The largest excess over all neighbours on the grid, both ways."""
    function, sketch, known = trial.coarse(text), trial.sketch(), {}
    loss = float(trial.eps) if claim is None else claim
    found = -math.inf
    for pair in trial.pairs(sketch):
        for database in pair:
            if database not in known:
                known[database] = distribution(function, trial.inputs(database))
        one, two = (known[database] for database in pair)
        found = max(found, excess(one, two, loss), excess(two, one, loss))
    return found


proof_of = cache(prove_every_length)


def verdicts(sketch: Sketch) -> list[Proved | Bounded]:
    """A proof for every length and a bounded one, where there are such."""
    found = [proof_of(sketch), prove_bounded(sketch, size=2)]
    return [verdict for verdict in found if not isinstance(verdict, Unknown)]


# ---------------------------------------------------------------- programs


def program(relation: str, body: str, private: str = "Private", more: str = "") -> str:
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    return f"@sketch(adjacent={relation})\ndef f(q: {private}, {more}eps: Epsilon):\n{lines}"


MAXIMUM = "m, v = 0, None\nfor i in range(len(q)):\n    b = q[i] + {}\n    if v is None or b {} v:\n        m, v = i + 1, b\nreturn m"
THRESHOLD = "t = T + Lap({})\nfor i in range(len(q)):\n    if q[i] {}+ Lap({}) {} t:\n        return i + 1\nreturn 0"
T = (("T", Fraction(1, 2)),)
THIRD = Fraction(1, 3)

SMALL = [
    Trial("plain", program("one_within(1)", "return q[0] + Lap(1/eps)")),
    Trial("each", program("each_within(1)", "return q[0] + Lap(1/eps)")),
    Trial("monotone", program("monotone(1)", "return q[0] + Lap(1/eps)")),
    Trial("sum", program("sum_within(1)", "return q[0] + Lap(1/eps)")),
    Trial("third apart", program("each_within(1/3)", "return q[0] + Lap(1/(3*eps))"), step=THIRD / 2, eps=Fraction(2)),
    Trial("tenth apart", program("one_within(0.1)", "return q[0] + Lap(0.1/eps)"), step=Fraction(1, 20), eps=Fraction(2)),
    Trial("wide", program("each_within(2)", "return q[0] + Lap(2/eps)"), step=Fraction(1)),
    Trial("one-sided", program("each_within(1)", "return q[0] + Exp(1/eps) - Exp(1/eps) > 1"), step=Fraction(1)),
    Trial("one-sided, closed", program("monotone(1)", "return q[0] + Exp(2/eps) - Exp(2/eps) >= 0"), step=Fraction(1)),
    Trial("third of an answer", program("one_within(1)", "return q[0] / 3 + Lap(1/(3*eps))")),
    Trial("noise times three", program("one_within(1)", "return q[0] + 3 * Lap(1/(3*eps))")),
    Trial("noise over three", program("one_within(1)", "return q[0] + Lap(3/eps) / 3")),
    Trial("decimal factor", program("one_within(1)", "return 0.5 * q[0] / 3 + Lap(1/(6*eps))"), steps=Fraction(1, 4)),
    Trial("two factors", program("one_within(1)", "x = q[0] / 3\nreturn x / 5 + Lap(1/(15*eps))"), lengths=True),
    Trial("divided afterwards", program("one_within(1)", "return (q[0] + Lap(1/eps)) / 7")),
    Trial("divided by the length", program("one_within(1)", "return (q[0] + Lap(1/eps)) / len(q)"), size=2),
    Trial("half", program("one_within(1)", "return q[0] / 2 + Lap(0.5/eps) > T", more="T: float, "), public=T),
    Trial("real argument", program("one_within(1)", "return q[0] + Lap(1/eps) >= T", more="T: float, "), public=(("T", THIRD),)),
    Trial("chosen product", program("one_within(1)", "x = 0\nif q[0] > 0:\n    x = 0.3 * 0.3\nreturn x + Lap(0.09/eps)"), lengths=True),
    Trial("chosen quotient", program("one_within(1)", "x = 0\nif q[0] > 0:\n    x = 1 / 3\nreturn x + Lap(1/(3*eps))")),
    Trial("chosen in a loop", program("one_within(1)", "x = 0\nfor i in range(3):\n    if q[0] > i:\n        x = i / 3\nreturn x + Lap(2/(3*eps))", "Private[1]")),
    Trial("clamped", program("one_within(1)", "return max(0, min(q[0], 0.7)) + Lap(0.7/eps)"), lengths=True),
    Trial("absolute", program("each_within(1)", "return abs(q[0]) + Lap(1/eps)")),
    Trial("two draws", program("one_within(1)", "a = q[0] + Lap(2/eps)\nb = q[0] + Lap(2/eps)\nreturn a, b")),
    Trial("noise of noise", program("one_within(1)", "a = q[0] + Lap(1/eps)\nif a > 0:\n    return a / 3\nreturn 0")),
    Trial("compared twice", program("each_within(1)", "x = q[0] + Lap(1/eps)\nif x > 0:\n    return 1\nif x >= 0:\n    return 2\nreturn 3")),
    Trial("equal", program("each_within(1)", "x = q[0] + Lap(1/eps)\nif x == 0:\n    return 1\nreturn 2")),
    Trial("public tie", program("each_within(1)", "x = Lap(1/eps)\nif x == 0:\n    return 5\nreturn q[0] + Lap(1/eps)")),
    Trial("whole", program("one_within(1)", "return q[0] + DiscreteLap(1/eps)", "Private[int]"), step=Fraction(1)),
    Trial("whole, doubled", program("one_within(1)", "return 2 * q[0] + DiscreteLap(2/eps)", "Private[int]"), step=Fraction(1)),
    Trial("whole, one-sided", program("each_within(1)", MAXIMUM.format("DiscreteExp(2/eps)", ">"), "Private[int]"), size=2, step=Fraction(1)),
    Trial("whole noise, real answers", program("each_within(1)", "return q[0] + DiscreteLap(1/eps) > 0.5")),
    Trial("both noises", program("one_within(1)", "x = q[0] + DiscreteLap(2/eps)\nreturn x, q[0] / 3 + Lap(2/(3*eps))", "Private[int]"), step=Fraction(1)),
    Trial("maximum", program("each_within(1)", MAXIMUM.format("Lap(2/eps)", ">")), size=2, step=Fraction(1)),
    Trial("maximum, last of equal", program("monotone(1)", MAXIMUM.format("Lap(1/eps)", ">=")), size=2),
    Trial("maximum, one-sided", program("each_within(1)", MAXIMUM.format("Exp(2/eps)", ">")), size=2),
    Trial("threshold", program("each_within(1)", THRESHOLD.format("2/eps", "", "4/eps", ">="), more="T: float, "), public=T),
    Trial("threshold of thirds", program("each_within(1)", THRESHOLD.format("1/eps", "/ 3 ", "4/(3*eps)", ">"), more="T: float, "), public=T, steps=Fraction(1, 8), step=Fraction(1)),
    Trial("histogram", program("sum_within(1)", "return [x + Lap(1/eps) for x in q]"), size=2),
    Trial("maximum of noise", program("each_within(1)", "y = max(q[0] + Lap(2/eps), q[1] + Lap(2/eps))\nreturn y > 0", "Private[2]"), size=2, step=Fraction(1)),
    Trial("mean", program("one_within(1)", "return sum(q) / len(q) + Lap(1/(eps*len(q)))"), size=2, lengths=True),
    Trial("mean, compared", program("one_within(1)", "return sum(q) / len(q) + Lap(1/(eps*len(q))) > T", more="T: float, "), size=2, public=(("T", THIRD),), lengths=True),
    Trial("mean by weights", program("one_within(1)", "m = 0\nfor x in q:\n    m += x / len(q)\nreturn m + Lap(1/(eps*len(q)))"), size=2, lengths=True),
    Trial("noise times an argument", program("one_within(1)", "return q[0] + N * Lap(1/(N*eps)) > T", more="N: int, T: float, "), public=(("N", 3), ("T", THIRD)), lengths=True),
    Trial("largest share", program("each_within(1)", MAXIMUM.format("0", ">").replace("q[i] + 0", "q[i] / N + Exp(2/(N*eps))"), more="N: int, "), size=2, public=(("N", 3),), lengths=True),
    Trial("scaled by an argument", program("one_within(1)", "return q[0] * N + Lap(N/eps)", more="N: int, "), public=(("N", 3),)),
]  # fmt: skip


@pytest.mark.parametrize("trial", SMALL, ids=lambda trial: trial.name)
def test_an_emitted_program_is_as_private_as_it_says(trial: Trial) -> None:
    found = verdicts(trial.sketch())
    assert found, "this program is private, and proved to be"
    for verdict in found[:1] if trial.lengths else found:
        text = emit(trial.sketch(), verdict)
        assert "Claim." in text and worst(trial, text) <= 1e-12


PUBLIC = {"N": 1, "M": 2, "T": Fraction(1)}


# With two answers, the sketches whose last hole is silent are the ones without it.
@pytest.mark.parametrize(
    ("name", "size"),
    [(name, size) for name in GALLERY for size in (1, 2) if size == 1 or name not in ("noisy_max_2", "above_threshold_2")],
)
def test_the_emitted_gallery_is_as_private_as_it_says(name: str, size: int) -> None:
    mechanism = load_one(name).complete(*GALLERY[name].textbook[0])
    public = tuple((p.name, PUBLIC[p.name]) for p in mechanism.sketch.arguments)
    coarse = Fraction(1) if size == 2 else Fraction(1, 2)
    trial = Trial(name, str(mechanism), Fraction(4), size, coarse, public, coarse / 2)
    verdict = proof_of(mechanism.filled())
    assert isinstance(verdict, Proved)
    assert worst(trial, emit(mechanism, verdict)) <= 1e-12


MIXED = "z = Exp(4/eps){}\nreturn min(q[0], z) + Lap({}/eps)"


def test_shifts_that_are_mixed_by_other_noise_are_on_the_grid_or_refused() -> None:
    """Where z is the smaller one, the bounded proof shifts the other noise by what z is away from q[0]."""
    whole = Trial("mixed", program("each_within(1)", MIXED.format("", "1")), eps=Fraction(2), steps=Fraction(1, 4))
    bounded = prove_bounded(whole.sketch(), size=1)
    assert isinstance(bounded, Bounded) and worst(whole, emit(whole.sketch(), bounded)) <= 1e-12
    for divided, scale in ((" / 2", "1"), (" * 0.5", "1")):
        sketch = parse(program("each_within(1)", MIXED.format(divided, scale)))
        bounded = prove_bounded(sketch, size=1)
        assert isinstance(bounded, Bounded)
        with pytest.raises(UsageError, match="by a part of what other noise is away from a value"):
            emit(sketch, bounded)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (
            "y = max(q[0], Lap(2/eps))\nreturn y / 2 + Lap(1/(2*eps))",
            "lets noise make up for other noise that is multiplied or divided",
        ),
        (
            "y = max(q[0], Lap(2/eps))\ne = Lap(1/(2*eps))\nreturn y / 2 + e",
            "noise that has a name makes up for a difference",
        ),
    ],
)
def test_noise_that_makes_up_for_divided_noise_is_refused(
    body: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The proof for every length shifts the second noise by half of what q[0] is away from the first noise.

    That is half a step of the grid now and then, and without the refusal the brute force finds it.
    """
    text = program("each_within(1)", body)
    trial = Trial("half a step", text, Fraction(2), step=Fraction(1), steps=Fraction(1, 4))
    verdict = prove_every_length(trial.sketch())
    assert isinstance(verdict, Proved)
    with pytest.raises(UsageError, match=words):
        emit(trial.sketch(), verdict)
    monkeypatch.setattr(grid._Planner, "refuse_finer_noise", lambda *_: None)
    assert worst(trial, emit(trial.sketch(), verdict)) > 0.01


# ---------------------------------------------------------------- ties

TIES = [
    Trial("equal to a number", program("one_within(1)", "x = Lap(1/eps)\nif x == 0:\n    return q[0] + 1000\nreturn 0")),
    Trial("not unequal", program("one_within(1)", "x = Lap(1/eps)\nif x != 0:\n    return 1\nreturn q[0]")),
    Trial("above, then not below", program("one_within(1)", "x = Lap(1/eps)\nif x > 0:\n    return 1\nelif x >= 0:\n    return q[0]\nreturn 2")),
    Trial("neither way", program("each_within(1)", "x = q[0] + Lap(2/eps)\nif x < 1:\n    return 1\nif x > 1:\n    return 2\nreturn q[0]")),
    Trial("one-sided", program("one_within(1)", "if Exp(1/eps) > 0:\n    return 1\nreturn q[0]", "Private[1]")),
    Trial("two draws", program("one_within(1)", "x = Lap(1/eps)\ny = Lap(1/eps)\nif x == y:\n    return q[0]\nreturn 0")),
    Trial("two draws, in order", program("one_within(1)", "x = Lap(1/eps)\ny = Lap(1/eps)\nif x > y:\n    return 1\nif y > x:\n    return 1\nreturn q[0]")),
    Trial("of a maximum", program("one_within(1)", "x = Lap(1/eps)\nif max(x, 0) == min(x, 0):\n    return q[0]\nreturn 0")),
    Trial("of a sum", program("one_within(1)", "x = Lap(1/eps)\nif x >= 0 and 0 - x >= 0:\n    return q[0]\nreturn 0")),
    Trial("of a size", program("one_within(1)", "x = Lap(1/eps)\nif abs(x) <= 0:\n    return q[0]\nreturn 0", "Private[1]")),
    Trial("counted", program("one_within(1)", "n = 0\nfor i in range(2):\n    if Lap(1/eps) == 0:\n        n = n + q[0]\nreturn n")),
    Trial("with an argument", program("one_within(1)", "x = T + Lap(1/eps)\nif x == T:\n    return q[0]\nreturn 0", more="T: float, "), public=T),
]  # fmt: skip


@pytest.mark.parametrize("trial", TIES, ids=lambda trial: trial.name)
def test_what_is_private_but_for_ties_is_not_emitted(trial: Trial) -> None:
    """Over the reals these are private. On a grid they are not, as the brute force shows: it can fail."""
    sketch = trial.sketch()
    assert verdicts(sketch) == []
    bounded = prove_bounded(sketch, size=1)
    assert isinstance(bounded, Unknown) and "that tie has a probability" in bounded.reason
    with pytest.raises(UsageError, match="nothing is claimed"):
        emit(sketch, bounded)
    forced = emit(sketch, bounded, force=True)
    assert "nothing is claimed" in forced and worst(trial, forced) > 1e-3


def test_a_tie_is_the_reason_that_people_see() -> None:
    verdict = check(TIES[0].sketch()).verdict
    assert isinstance(verdict, Unknown) and not verdict.defect
    assert (
        "where noise1 = 0, and on a grid, where programs draw their noise, that tie has a probability" in verdict.reason
    )


# ---------------------------------------------------------------- what the brute force can see


@pytest.mark.parametrize(
    "name", ["plain", "third apart", "decimal factor", "whole", "two draws", "histogram", "absolute"]
)
def test_a_smaller_claim_does_not_hold(name: str) -> None:
    """Mechanisms that spend all of ε: nine tenths of it are not enough."""
    (trial,) = [trial for trial in SMALL if trial.name == name]
    text = emit(trial.sketch(), proof_of(trial.sketch()))
    assert worst(trial, text, 0.9 * float(trial.eps)) > 1e-4


@pytest.mark.parametrize("name", ["chosen product", "chosen quotient", "third of an answer", "clamped"])
def test_a_grid_without_the_shifts_of_the_proof_gives_everything_away(name: str) -> None:
    trial = next(trial for trial in SMALL if trial.name == name)
    text = emit(trial.sketch(), proof_of(trial.sketch()))
    plan = text[text.index("def _plan(") :]
    kept = "\n".join(f'        "{line.split(chr(34))[1]}": [],' if "numbers" in line or "factors" in line else line
                     for line in plan.split("\n"))  # fmt: skip
    assert worst(trial, text.replace(plan, kept)) > 0.1
