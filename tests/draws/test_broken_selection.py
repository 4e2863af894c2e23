"""Known mistakes with coins, the exponential mechanism and top-k: each is refuted, with a counterexample that is certain."""

from __future__ import annotations

import pytest

from kolahal.checking import check
from kolahal.lang.read.parse import parse
from kolahal.lang.sketch import Sketch
from kolahal.verdicts import Refuted

TWO, THREE = "q: Private[2]", "q: Private[3]"
BITS = "q: Private[bool, 2]"
ONE_SHOT = """first, second, a, b = -1, -1, 0, 0
for i in range(len(q)):
    x = q[i] + Lap({0})
    if first == -1 or x > a:
        first, second, a, b = i, first, x, a
    elif second == -1 or x > b:
        second, b = i, x
return first, second"""

# What it is: the private list, and the body.
BROKEN: dict[str, tuple[str, str]] = {
    "the exponential mechanism at half its scale": (TWO, "return choose(q, 1/eps)"),
    "scores that move by 2": (TWO, "return choose([2 * x for x in q], 2/eps)"),
    "a score with a step": (TWO, "return choose([x if x > 1 else 0 for x in q], 2/eps)"),
    "the winner with its answer": (TWO, "place = choose(q, 2/eps)\nreturn place, q[place]"),
    "places that depend on the answers": (
        TWO, "left = [i for i in range(len(q)) if q[i] > 0]\nif len(left) == 0:\n    return -1\nreturn left[choose([q[i] for i in left], 2/eps)]",
    ),
    "the same budget for each of two choices": (TWO, "return choose(q, 2/eps), choose(q, 2/eps)"),
    "permute-and-flip without the permutation": (
        TWO, "best = max(q)\nfor i in range(len(q)):\n    if q[i] + Exp(2/eps) >= best:\n        return i\nreturn -1",
    ),
    "one-shot top-2 with the scale of noisy max": ("q: Private[4]", ONE_SHOT.format("2/eps")),
    "noisy max that tells the noisy score": (
        THREE, "best, top = -1, 0\nfor i in range(len(q)):\n    x = q[i] + Lap(2/eps)\n    if best == -1 or x > top:\n        best, top = i, x\nreturn best, top",
    ),
    "noisy max at the scale of counts that move alike": (
        TWO, "best, top = -1, 0\nfor i in range(len(q)):\n    x = q[i] + Lap(1/eps)\n    if best == -1 or x > top:\n        best, top = i, x\nreturn best",
    ),
    "an answer told with and without its coin": (BITS, "return q[0] != Flip(1/eps), q[0]"),
    "a coin that is told": (BITS, "c = Flip(1/eps)\nreturn q[0] != c, c"),
    "one coin for all bits": (BITS, "c = Flip(1/eps)\nreturn [b != c for b in q]"),
    "two answers about one bit": (BITS, "return q[0] != Flip(1/eps), q[0] != Flip(1/eps)"),
    "a coin whose bias depends on the bit": (BITS, "return Flip(0.25/eps) if q[0] else Flip(1/eps)"),
    "a coin for ones alone": (BITS, "return [b and not Flip(1/eps) for b in q]"),
    "RAPPOR that forgets its memory": (
        "q: Private[bool, 1]", "out = []\nfor turn in range(2):\n    memo = q[0] != Flip(1/eps)\n    out.append(memo != Flip(0.25/eps))\nreturn out",
    ),
    "k-ary randomized response with a value that is never told": (
        "q: Private[int, 1]", "x = 0\nif q[0] >= 1:\n    x = 1\nreturn x + Pick(1/eps, 3)",
    ),
    "geometric noise cut off at the answer": ("q: Private[int, 1]", "return max(q[0] + Geometric(1/eps), q[0])"),
}


def program(private: str, body: str) -> Sketch:
    relation = "one_within(1)" if "bool" in private else "each_within(1)"
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    return parse(f"@sketch(adjacent={relation})\ndef f({private}, eps: Epsilon):\n{lines}\n")


@pytest.mark.parametrize("name", BROKEN)
def test_known_mistakes_are_refuted(name: str) -> None:
    assert isinstance(check(program(*BROKEN[name])).verdict, Refuted)
