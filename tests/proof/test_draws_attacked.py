"""Programs with finite draws that are nearly private, judged by an enumeration of all draws that uses nothing of Kolahal."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import pytest

from kolahal.exact.counted import known_outcomes
from kolahal.lang.claims import plain_claim
from kolahal.lang.read.parse import parse
from kolahal.model import Arguments
from kolahal.proof.find.bounded import prove_bounded
from kolahal.proof.find.lengths import prove_every_length
from kolahal.proof.refute.counted import refute_counted
from kolahal.settings import ProofSettings
from kolahal.verdicts import Bounded, Proved

SIZE, EPSILON = 2, 1.0


class More(Exception):
    """The run asks for a draw that has not been chosen yet; its values come with their probabilities."""


def soft_max(scores: list[float], scale: float) -> list[tuple[Any, float]]:
    weights = [math.exp((score - max(scores)) / scale) for score in scores]
    return [(place, weight / sum(weights)) for place, weight in enumerate(weights)]


VALUES: dict[str, Callable[..., list[tuple[Any, float]]]] = {
    "Flip": lambda scale: [(bool(place), chance) for place, chance in soft_max([1, 0], scale)],
    "Pick": lambda scale, k: soft_max([1, *[0] * (k - 1)], scale),
    "choose": soft_max,
}


def distribution(code: Any, database: tuple[Any, ...]) -> dict[str, float]:
    found: dict[str, float] = {}
    todo: list[tuple[tuple[Any, ...], float]] = [((), 1.0)]
    while todo:
        drawn, chance = todo.pop()
        left = iter(drawn)

        def draw(name: str, *given: Any, left: Iterator[Any] = left) -> Any:
            for value in left:
                return value
            raise More(VALUES[name](*given))

        names: dict[str, Any] = {name: lambda *given, name=name, draw=draw: draw(name, *given) for name in VALUES}
        exec(code, names)
        try:
            answer = repr(names["f"](list(database), EPSILON))
        except More as more:
            todo += [((*drawn, value), chance * part) for value, part in more.args[0]]
            continue
        except IndexError:
            answer = "stopped"
        found[answer] = found.get(answer, 0.0) + chance
    return found


def loss(body: str, bits: bool, single: bool) -> float:
    """The largest log-ratio of the probabilities of an answer, over neighbours of a few values."""
    code = compile("def f(q, eps):\n" + indent(body), "<attack>", "exec")
    bases = list(itertools.product([False, True] if bits else [0, 4], repeat=SIZE))
    worst = 0.0
    for one in bases:
        for move in itertools.product((-1, 0, 1), repeat=SIZE):
            two = tuple((a != bool(step)) if bits else a + step for a, step in zip(one, move, strict=True))
            if single and sum(map(bool, move)) > 1:
                continue
            here, there = distribution(code, one), distribution(code, two)
            if set(here) != set(there):
                return math.inf
            worst = max(worst, *(abs(math.log(here[answer] / there[answer])) for answer in here))
    return worst


def indent(body: str) -> str:
    return "".join(f"    {line}\n" for line in body.split("\n"))


def is_proved(body: str, private: str, relation: str) -> bool:
    program = parse(f"@sketch(adjacent={relation})\ndef f(q: {private}, eps: Epsilon):\n{indent(body)}")
    found = prove_every_length(program, plain_claim(program))
    return isinstance(found, Proved) or isinstance(prove_bounded(program, size=SIZE), Bounded)


COUNT = "b = 0\nif q[0]:\n    b = 1\n"
BITS = [
    ("x = Flip(1/eps)\nreturn [q[0] != x, q[0] != x]", True),
    ("x = Flip(1/eps)\nreturn [q[0] != x, x]", False),
    ("x = Flip(1/eps)\nreturn [b != x for b in q]", False),
    ("x = Flip(1/eps)\ny = q[0] != x\nreturn y != x", False),
    ("if q[0]:\n    return Flip(1/eps)\nreturn not Flip(1/eps)", True),
    ("if q[0]:\n    return Flip(0.9/eps)\nreturn not Flip(0.9/eps)", False),
    ("return q[0] and Flip(1/eps)", False),
    ("return (q[0] != Flip(1/eps)) and (q[0] != Flip(1/eps))", False),
    ("return (q[0] != Flip(1/eps)) != (q[0] != Flip(1/eps))", True),
    (COUNT + "p = Pick(1/eps, 2)\nif p == 1:\n    b = 1 - b\nreturn b", True),
    (COUNT + "p = Pick(1/eps, 3)\nif p == 1:\n    b = 1 - b\nreturn b", False),
    (COUNT + "return choose([b, 0, 1 - b], 2/eps)", True),
    ("if q[0]:\n    return choose([3, 2, 0], 2/eps)\nreturn choose([3, 2], 2/eps)", False),
]
ANSWERS = [
    ("return choose([q[0] - x for x in q], 2/eps)", True),
    ("return choose([q[0] - 2 * x for x in q], 2/eps)", False),
    ("i = choose(q, 4/eps)\nreturn i, choose([q[0], q[i]], 4/eps)", True),
    ("i = choose(q, 2/eps)\nreturn i, choose(q, 2/eps)", False),
    ("s = []\nfor x in q:\n    s.append(3 * x)\nreturn choose(s, 2/eps)", False),
    ("s = [0]\nfor x in q:\n    if x > 0:\n        s.append(x)\nreturn choose(s, 2/eps)", False),
    ("i = choose(q, 2/eps)\nif Flip(1/eps):\n    return i\nreturn choose(q, 2/eps)", False),
]


@pytest.mark.parametrize(("body", "proved"), BITS)
def test_bits_are_proved_only_where_all_draws_say_so(body: str, proved: bool) -> None:
    assert is_proved(body, "Private[bool]", "one_within(1)") == proved
    assert not proved or loss(body, bits=True, single=True) <= EPSILON + 1e-9


@pytest.mark.parametrize(("body", "proved"), ANSWERS)
def test_places_are_proved_only_where_all_draws_say_so(body: str, proved: bool) -> None:
    assert is_proved(body, "Private[int]", "each_within(1)") == proved
    assert not proved or loss(body, bits=False, single=False) <= EPSILON + 1e-9


@pytest.mark.parametrize("body", [body for body, proved in BITS if not proved])
def test_what_is_not_proved_of_bits_is_not_private(body: str) -> None:
    assert loss(body, bits=True, single=True) > EPSILON + 1e-9


STOPPED = {
    "a division": "y = 1/(T - T)\nreturn q[0]",
    "a division before a coin": "y = 1/(T - T)\nreturn q[0] != Flip(1/(9*eps))",
    "a place": "xs = [1, 2]\ny = xs[k*k + 5]\nreturn q[0]",
    "None": "m = None\nif T > T + 1:\n    m = 1\ny = m + 1\nreturn q[0]",
}


@pytest.mark.parametrize("name", STOPPED)
def test_runs_that_stop_give_no_answer(name: str) -> None:
    """What an argument makes of a value was not looked at, and runs were counted that stop before they answer."""
    lines = "\n".join(f"    {line}" for line in STOPPED[name].split("\n"))
    sketch = parse(f"@sketch(adjacent=one_within(1))\ndef f(q: Private[bool, 1], eps: Epsilon, T: float = 0, k: int = 1):\n{lines}\n")
    assert refute_counted(sketch, plain_claim(sketch), ProofSettings().steps) is None
    asked = Arguments(Fraction(1), 1, (("T", Fraction(0)), ("k", Fraction(1))))
    assert known_outcomes(sketch, asked) is None


def test_an_argument_that_stops_no_run_refutes() -> None:
    sketch = parse("@sketch(adjacent=one_within(1))\ndef f(q: Private[bool, 1], eps: Epsilon, T: float = 0):\n    y = 1/T\n    return q[0]\n")
    found = refute_counted(sketch, plain_claim(sketch), ProofSettings().steps)
    assert found is not None and dict(found.example.arguments.values)["T"] != 0


@pytest.mark.parametrize("items", ["[]", "[True]", "[True, False]", "[False, True, True]"])
def test_an_answer_that_may_be_a_list_is_compared_as_one(items: str) -> None:
    text = f"out = {items}\nif q[0] != Flip(1/(9*eps)):\n    return True\nreturn out"
    lines = "\n".join(f"    {line}" for line in text.split("\n"))
    sketch = parse(f"@sketch(adjacent=one_within(1))\ndef f(q: Private[bool, 1], eps: Epsilon):\n{lines}\n")
    assert refute_counted(sketch, plain_claim(sketch), ProofSettings().steps) is not None
