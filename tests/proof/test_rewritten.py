"""What programs are rewritten to before they are proved, byte for byte, of many programs. That the rewritten program gives the
same output, or tells as much, is shown by the tests of each rewriting."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import cache

import pytest
from corpus import corpus
from every_length import load
from test_quotients import ANSWERS, mean
from test_released_items import AS_IT_IS, WRITTEN
from test_released_items import program as listed
from test_rescaled import MEANS, WRONG, random_shares
from test_rescaled import program as shared
from test_restated import FILLED, SEARCHED, random_lists
from test_restated import program as searched
from test_set_aside import BROKEN, PROVED, random_sums
from test_set_aside import text as summed
from test_units import TOO_MUCH, WAYS, adaptive, random_budgets
from test_watched import PROVED as FOLLOWED

from digests import agrees, digest, read_list
from kolahal.errors import KolahalError
from kolahal.lang.read.parse import parse
from kolahal.lang.sketch import Sketch
from kolahal.proof.trusted.restated.left_over import without_left
from kolahal.proof.trusted.restated.lists_and_loops import restated
from kolahal.proof.trusted.restated.released import before_last, released
from kolahal.proof.trusted.restated.rescaled import in_other_units, rescaled, units_of
from kolahal.proof.trusted.restated.set_aside import set_aside
from kolahal.proof.trusted.restated.units import in_units
from kolahal.proof.trusted.restated.watched import Followed, extremes, watched

pytestmark = pytest.mark.mutants
FILE = "rewritten.txt"
TOGETHER = 8  # programs of one test
SEEDS = 32
PARTS = ("computed", "draws", "named", "odd", "small", "watched")
PEELED = """left = {0}
out = []
for turn in range(k):
    best, top = -1, 0
    for i in left:
        x = q[i] + Lap(2*k/eps)
        if best == -1 or x > top:
            best, top = i, x
    out.append(best)
    left = [i for i in left if {1}]
return out"""
LEFT = [(first, kept) for first in ("list(range(len(q)))", "[i for i in range(len(q))]", "[i for i in range(k)]") for kept in ("i != best", "best != i", "not i == best", "i < best", "i != k")]


def texts() -> dict[str, list[Callable[[], Sketch]]]:
    """Programs by what they are written for; some of the random ones are not taken."""
    return {
        "lists": [lambda seed=seed: parse(random_lists(seed)) for seed in range(SEEDS)],
        "lists, at once": [lambda one=one, two=two: searched(one, two) for one in FILLED.values() for two in SEARCHED.values()],
        "shares": [lambda seed=seed: shared(random_shares(seed)) for seed in range(2 * SEEDS)],
        "means": [lambda body=body: shared(body) for body in (MEANS | WRONG).values()],
        "sums": [lambda seed=seed: load(summed(random_sums(random.Random(seed)))) for seed in range(SEEDS)],
        "sums that wait": [lambda body=body: load(summed(body)) for body in (PROVED | BROKEN).values()],
        "budgets": [lambda seed=seed: parse(random_budgets(seed)) for seed in range(SEEDS)],
        "adaptive": [lambda way=way: adaptive(way) for way in (WAYS | TOO_MUCH).values()],
        "items": [lambda body=body: listed(body + "return out") for body in (WRITTEN | AS_IT_IS).values()],
        "quotients": [lambda answer=answer: mean(answer) for answer in ANSWERS],
        "left": [lambda way=way: load(summed(PEELED.format(*way), "each_within", "k: int")) for way in LEFT],
        "extremes": [lambda text=text: load(text) for text in FOLLOWED.values()],
    } | {part: [lambda sketch=sketch: sketch for sketch in corpus()[part].values()] for part in PARTS}  # fmt: skip


SLICES = [(part, first) for part, programs in texts().items() for first in range(0, len(programs), TOGETHER)]


def rewritings(sketch: Sketch) -> Iterator[Callable[[], object]]:
    yield from (lambda: restated(sketch), lambda: in_units(sketch), lambda: without_left(sketch))
    yield from (lambda: rescaled(sketch), lambda: in_other_units(sketch), lambda: units_of(sketch, in_other_units(sketch)))
    yield from (lambda: set_aside(sketch), lambda: set_aside(in_other_units(sketch)))
    yield from (lambda: released(sketch), lambda: before_last(sketch), lambda: extremes(sketch))
    for name in extremes(sketch):
        yield from (lambda last=last, name=name: watched(sketch, (Followed(name, last),)) for last in (False, True))
    yield lambda: watched(sketch, tuple(map(Followed, extremes(sketch))))


@cache
def programs(part: str) -> list[Sketch | None]:
    found: list[Sketch | None] = []
    for make in texts()[part]:
        try:
            found.append(make())
        except KolahalError:
            found.append(None)  # not in the language
    return found


def shown(sketch: Sketch) -> Iterator[str]:
    for rewriting in rewritings(sketch):
        try:
            found = rewriting()
        except KolahalError as error:
            yield str(error)
        else:
            yield "as it was" if found == sketch else repr((found.adjacency, found.body)) if isinstance(found, Sketch) else repr(found)


@pytest.mark.parametrize(("part", "first"), SLICES)
def test_what_a_program_is_rewritten_to_is_what_it_was(part: str, first: int) -> None:
    texts = (line for sketch in programs(part)[first : first + TOGETHER] for line in (shown(sketch) if sketch else ["not taken"]))
    agrees(FILE, {f"{part} {first}": digest(texts)}, names())


def names() -> list[str]:
    return [f"{part} {first}" for part, first in SLICES]


def test_the_list_is_of_these_programs() -> None:
    assert list(read_list(FILE)) == names()
