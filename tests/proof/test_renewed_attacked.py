"""Programs that would be proved by mistake if a case of these rules was forgotten: ghosts that are renewed at a loop, scores
that are chosen from at once, lists of places, lengths that are left out. Draws with finitely many values are judged by an
enumeration that uses nothing of Kolahal."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from kolahal.lang.claims import plain_claim
from kolahal.lang.read.parse import parse
from kolahal.proof.find.lengths import prove_every_length
from kolahal.proof.trusted.certificate import recheck
from kolahal.settings import ProofSettings
from kolahal.verdicts import Certificate, Proved, Unknown

SHORT = replace(ProofSettings(), rehearsals=600)
EPSILON = 1.0


def indent(text: str, by: int = 4) -> str:
    return "".join(f"{' ' * by}{line}\n" for line in text.split("\n") if line)


@cache
def judged(body: str, more: str = "k: int, ", relation: str = "each_within(1)") -> Proved | Unknown:
    program = parse(f"@sketch(adjacent={relation})\ndef f(q: Private, {more}eps: Epsilon):\n{indent(body)}")
    return prove_every_length(program, plain_claim(program), SHORT)


# ---------------------------------------------------------------- chosen places, by enumeration


class More(Exception):
    """The run asks for a place that has not been chosen yet; the places come with their probabilities."""


def outputs(code: Any, database: tuple[float, ...], k: int) -> dict[str, float]:
    found: dict[str, float] = {}
    todo: list[tuple[tuple[int, ...], float]] = [((), 1.0)]
    while todo:
        drawn, chance = todo.pop()

        def choose(scores: list[float], scale: float, left: Iterator[int] = iter(drawn)) -> int:  # noqa: B008
            for place in left:
                return place
            weights = [math.exp((score - max(scores)) / scale) for score in scores]
            raise More([(place, weight / sum(weights)) for place, weight in enumerate(weights)])

        names: dict[str, Any] = {"choose": choose}
        exec(code, names)
        try:
            answer = repr(names["f"](list(database), k, EPSILON))
        except More as more:
            todo += [((*drawn, place), chance * part) for place, part in more.args[0]]
            continue
        except IndexError:
            answer = "stopped"
        found[answer] = found.get(answer, 0.0) + chance
    return found


def loss(body: str) -> float:
    """The largest log-ratio of the probabilities of an answer, over some neighbours of one to three answers and k up to 2."""
    code = compile(f"def f(q, k, eps):\n{indent(body)}", "<attack>", "exec")
    worst = 0.0
    for size, k in itertools.product((1, 2, 3), (1, 2)):
        for one in itertools.product((0, 2), repeat=size):
            for move in itertools.product((-1, 1), repeat=size):
                here, there = (outputs(code, d, k) for d in (one, tuple(a + b for a, b in zip(one, move, strict=True))))
                if set(here) != set(there):
                    return math.inf
                worst = max(worst, *(abs(math.log(here[answer] / there[answer])) for answer in here))
    return worst


TURNS = "out, w = [], 0\nfor t in range(k):\n"
FILTERED = """left = [i for i in range(len(q))]
out = []
for t in range(k):
    j = choose([q[c] for c in left], 2*k/eps)
    w = left[j]
    out.append(w)
    {0}
    if len(left) == 0:
        return out
return out"""
CHOSEN = [
    # The list of scores is as long as the range says, not as the answers are.
    ("j = choose([0 for i in range(k)], 2/eps)\nif j >= len(q):\n    return q[0]\nreturn j", False),
    ("s = [q[0] - q[0] for i in range(k)]\nj = choose(s, 2/eps)\nif j >= len(q):\n    return q[0]\nreturn j", False),
    (TURNS + "    w = choose([t for i in range(k)], 2*k/eps)\nif w >= len(q):\n    return q[0]\nreturn w", False),
    (TURNS + "    w = choose([t for i in range(1, len(q))], 2*k/eps)\n    out.append(w)\nreturn out", False),
    # Names at the moment of the choice: the comprehension's own, those of the same statement, those that changed since.
    (TURNS + "    w = choose([q[w] for w in range(len(q))], 2*k/eps)\n    out.append(w)\nreturn out", True),
    (TURNS + "    v, w = w, choose([q[i] - w for i in range(len(q))], 2*k/eps)\n    out.append(w)\nreturn out", True),
    (TURNS + "    w = choose([q[i] - q[w] for i in range(len(q))], 2*k/eps)\n    out.append(w)\nreturn out", True),
    (TURNS + "    w = choose([2 * q[i] - q[w] for i in range(len(q))], 2*k/eps)\n    out.append(w)\nreturn out", False),
    (TURNS + "    s = [w * q[i] for i in range(len(q))]\n    w = 0\n    w = choose(s, 2*k/eps)\n    out.append(w + 1)\nreturn out", False),
    (TURNS + "    s = [q[i] - w for i in range(len(q))]\n    w = choose(s, 2*k/eps)\n    out.append(s[w])\nreturn out", False),
    # How many turns there are, and who decides it.
    (TURNS + "    w = choose([q[i] - t for i in range(len(q))], 2*k/eps)\n    out.append(w)\n    if w > 0:\n        break\nreturn out", True),
    (TURNS + "    w = choose([q[i] - t for i in range(len(q))], 2*k/eps)\n    out.append(w)\n    if q[w] > 1:\n        break\nreturn out", False),
    (TURNS.replace("range(k)", "range(k + 1)") + "    w = choose([q[i] - t for i in range(len(q))], 2*k/eps)\n    out.append(w)\nreturn out", False),
    # Lists of places: one that is chosen twice, out of range, or chosen by the answers.
    (FILTERED.format("left = [c for c in left if c != w]"), True),
    (FILTERED.format("left = [c for c in left if c != w and q[c] > q[w]]"), False),
    ("left = [i - 1 for i in range(len(q))]\nreturn choose([q[c] for c in left], 2/eps)", False),
]


@pytest.mark.parametrize(("body", "proved"), CHOSEN)
def test_chosen_places_are_proved_only_where_all_choices_say_so(body: str, proved: bool) -> None:
    assert isinstance(judged(body), Proved) == proved
    assert not proved or loss(body) <= EPSILON + 1e-9


def test_the_enumeration_knows_what_is_not_private() -> None:
    """The scores over a range leak an answer where k is above the number of answers."""
    assert all(loss(body) == math.inf for body, _ in CHOSEN[:2])


# ---------------------------------------------------------------- winners of each turn


def peeled(
    turn: str = "out.append(best)", look: str = "", score: str = "q[i]", scale: str = "2*k/eps",
    loop: str = "for t in range(k):", first: str = "best, top = 0, 0", end: str = "return out",
) -> str:  # fmt: skip
    """Noisy max again and again; `turn` is done with each winner, `look` with each noisy score."""
    inside = f"{first}\nfor i in range(len(q)):\n" + indent(f"x = {score} + Lap({scale})\n{look}\nif i == 0 or x > top:\n    best, top = i, x")
    return f"out, last, best, n = [], 0, 1, 0\n{loop}\n{indent(inside + turn)}{end}"


COUNTED = "while best > 0 and n {0} k:"
PEELED = [
    (peeled(), True),
    (peeled(scale="1.9*k/eps"), False),
    (peeled(scale="2/eps"), False),
    (peeled(first="best, top = None, 0"), True),
    (peeled("out.append(best)\nlast = best", score="q[i] - last"), True),  # the last winner is known to both runs
    (peeled("out.append(best)\nlast = top", score="q[i] - last"), False),  # the last noisy score is not
    (peeled("out.append(top)"), False),
    (peeled("out.append(best)\nif top > 5:\n    break"), False),
    (peeled(look="if q[i] < 0:\n    continue"), False),
    (peeled("out.append(best)\nn = n + 1", loop=COUNTED.format("<")), True),  # turns that winners put an end to
    (peeled("out.append(best)\nn = n + 1", loop=COUNTED.format("<=")), False),  # one turn more than is paid for
    (peeled("out.append(best)\nn = n + 1", loop="z = q[0] + Lap(2/eps)\nwhile z > n and n < k:"), False),  # and so does an answer
    (peeled(first="if q[0] > t:\n    continue\nbest, top = 0, 0"), False),
    (peeled(first="n = n + 0"), False),  # the winner and its score are carried over, unless place 0 begins anew
]  # fmt: skip


@pytest.mark.parametrize(("body", "proved"), PEELED)
def test_winners_of_each_turn_are_paid_for_in_each_turn(body: str, proved: bool) -> None:
    assert isinstance(judged(body), Proved) == proved


def test_what_a_renewed_ghost_will_be_is_not_known_to_an_invariant() -> None:
    """`ghost.value = ghost.next.0` would hold on every arrival, and make all winners the same one."""
    found = judged(peeled())
    assert isinstance(found, Proved) and not recheck(found.certificate)
    document = json.loads(found.certificate.text)
    assert document["cases"][0]["renewed"] == [0]
    document["cases"][0]["invariant"]["0"].append("(= ghost.value ghost.next.0)")
    assert recheck(Certificate(json.dumps(document)))


# ---------------------------------------------------------------- lengths that are left out, and next whole numbers

SHORTER = "if len(q) < 4:\n    return q[0]\nreturn x + Lap(1/eps)"
FIXED = [
    (f"x = q[3]\n{SHORTER}", True),
    (f"p = [q[3]] * 0\nx = q[1]\n{SHORTER}", True),  # the answer is read, whatever is made of it
    (f"x = 0\nif len(q) < 4:\n    x = 1\ny = q[3]\n{SHORTER}", False),
    (f"p = [1, 2, 3, 4]\nx = p[3]\n{SHORTER}", False),
    (f"p = q\nx = p[3]\n{SHORTER}", False),
    (f"x = q[3] if k > 5 else 0\n{SHORTER}", False),
    (f"x = max(q[3], 0)\n{SHORTER}", False),
    (f"y = k > 5 and q[3] > 0\nx = 0\n{SHORTER}", False),
    ("out = []\nfor i in range(k + 1):\n    out.append(q[0] + Lap((k + 1)/eps))\nreturn out", True),
    ("out = []\nfor i in range(k + 2):\n    out.append(q[0] + Lap((k + 1)/eps))\nreturn out", False),
    ("out = []\nfor i in range(len(q) + 1):\n    out.append(q[0] + Lap((len(q) + 1)/eps))\nreturn out", True),
    ("out = []\nfor i in range(len(q) + 2):\n    out.append(q[0] + Lap((len(q) + 1)/eps))\nreturn out", False),
    ("out = []\nfor i in range(k):\n    out.append(q[0] + Lap(k*k/(k + 1)/eps))\nreturn out", False),
]


@pytest.mark.parametrize(("body", "proved"), FIXED)
def test_lengths_are_left_out_only_where_every_run_stops(body: str, proved: bool) -> None:
    assert isinstance(judged(body, relation="one_within(1)"), Proved) == proved
