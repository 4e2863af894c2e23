"""Programs with one spot changed, beside those that are restated: what is made of each is what it was, byte for byte, and gives the
same output. Most of the spots decide whether a program is of the form that is looked for."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from test_flags import ANEW, ONE_SHOT, PEELED, WANDERING
from test_flags import program as flagged
from test_left import LISTED
from test_left import PEELED as LEFT
from test_left import program as listed
from test_permute_and_flip import FORMS
from test_selection import program as permuted

from digests import agrees, digest
from kolahal.exact.probe import event_probability
from kolahal.lang.sketch import Sketch
from kolahal.model import Arguments, Equals
from kolahal.proof.trusted.restated.flagged import without_flags
from kolahal.proof.trusted.restated.left_over import without_left
from kolahal.proof.trusted.restated.permuted import without_permutation
from near_misses import near_misses, same_output, shown, taken

FILE = "near_misses_of_draws.txt"
FLAGS = {
    "set": PEELED,
    "set, of one list": ONE_SHOT,
    "made anew": PEELED.replace("used[best] = True", ANEW),
    "made anew, by places": PEELED.replace("used[best] = True", "used = [j == best or used[j] for j in range(len(used))]"),
    "by a length with a name": PEELED.replace("used = [False] * len(q)", "n = len(q)\nused = [False for x in q]").replace("range(len(q))", "range(n)"),
    "places that are computed": WANDERING.format("    used[i // 2] = True\n    used[0 - i] = True"),
    "made anew, of others": WANDERING.format("    b = i - 1\n    used = [used[j] or b == j for j in range(len(used))]"),
    "asked twice": "used = [False] * len(q)\nfor i in range(len(q)):\n    if used[i]:\n        continue\n    used[len(q) - 1] = True\n    if i == 0 and not used[i] and used[i] != used[i]:\n        return [1]\nreturn [len(used)]",
}
OTHERS = {
    "listed": LEFT.format("Lap(2*k/eps)", "k"),
    "by a loop": LEFT.format("Lap(2*k/eps)", "k").replace("i != best]", "best != i]").replace(LISTED, "left = []\nfor i in range(len(q)):\n    left.append(i)\n"),
    "of two": LEFT.format("Exp(4/eps)", "2").replace(LISTED, "left = [i for i in range(len(q))]\n").replace("[i for i in left if i != best]", "[j for j in left if not j == best]"),
}
PROGRAMS: dict[str, tuple[Callable[[Sketch], Sketch], Callable[[str], Sketch], str]] = {
    **{f"flags, {name}": (without_flags, flagged, body) for name, body in FLAGS.items()},
    **{f"left, {name}": (without_left, lambda body: listed(body, "k: int, "), body) for name, body in OTHERS.items()},
    **{f"permuted, {name}": (without_permutation, permuted, body) for name, body in FORMS.items()},
}


@cache
def beside(name: str) -> list[Sketch]:
    _, read, body = PROGRAMS[name]
    return list(taken([body, *near_misses(body)], read))


def prepare() -> None:
    """`make mutants` does this once, before it makes copies of the process."""
    for name in PROGRAMS:
        beside(name)


@pytest.mark.mutants
@pytest.mark.parametrize("name", PROGRAMS)
def test_what_programs_that_differ_in_one_spot_are_restated_as_is_what_it_was(name: str) -> None:
    restate = PROGRAMS[name][0]
    agrees(FILE, {name: digest(shown(restate, program) for program in beside(name))}, PROGRAMS)


@pytest.mark.parametrize("name", PROGRAMS)
def test_they_give_the_same_output(name: str) -> None:
    restate = PROGRAMS[name][0]
    changed = [(program, other) for program in beside(name) if (other := restate(program)) != program]
    assert changed
    if restate is not without_permutation:
        assert all(same_output(one, other, 6, 5, by_turn=restate is without_flags) for one, other in changed)
        return
    for one, other in changed:
        for place in range(2):
            chances = [event_probability(p, (Fraction(1), Fraction(0)), Arguments(Fraction(1), 2), np.zeros((1, 0)), Equals(Fraction(place)))[0] for p in (one, other)]
            assert float(chances[0]) == pytest.approx(float(chances[1]), rel=1e-9), str(one)
