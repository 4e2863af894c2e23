"""Lists are values: the model agrees with the reference on what a name stands for, and no proof loses sight of it."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from contextlib import suppress
from fractions import Fraction

import pytest
from driver import Faulty, drive

from kolahal.engine import reference
from kolahal.engine.faults import RunError
from kolahal.lang.read.parse import parse
from kolahal.lang.sketch import Sketch
from kolahal.lang.source import SketchError
from kolahal.model import Arguments, type_of
from kolahal.proof.find.bounded import prove_bounded
from kolahal.proof.find.lengths import prove_every_length
from kolahal.proof.trusted.values import Unsupported
from kolahal.verdicts import Proved, Unknown
from list_programs import ListWriter

ONE = Fraction(1)
VALUES = (Fraction(0), Fraction(1))


def generate(seed: int, noise: bool) -> Sketch | None:
    """A program, or None where the language refuses it, mostly because a list is not there on every way."""
    try:
        return parse(ListWriter(random.Random(seed), noise).program())
    except SketchError:
        return None


def answer(sketch: Sketch, database: tuple[Fraction, ...], whole: int, noise: int = 0) -> object:
    """What the reference says; a text where it stops with an error."""
    arguments = Arguments(ONE, len(database), (("N", Fraction(whole)),))
    try:
        found = reference.run(sketch, database, arguments, (), lambda *_: (noise,), number=Fraction)
    except RunError:
        return "fault"
    return type_of(found), found


@pytest.mark.parametrize("block", [0, *(pytest.param(block, marks=pytest.mark.thorough) for block in (1, 2, 3))])
def test_segments_know_which_list_a_name_stands_for(block: int) -> None:
    compared = 0
    for seed in range(60 * block, 60 * block + 60):
        sketch = generate(seed, noise=seed % 2 == 0)
        if sketch is None:
            continue
        for database, whole, noise in itertools.product([(ONE,), (-ONE, ONE)], (1, 3), (-2, 2)):
            expected = answer(sketch, database, whole, noise)
            values = {"N": Fraction(whole), "eps": ONE}
            with suppress(Unsupported, Faulty):
                found = drive(sketch, frozenset(), database, values, lambda *_: noise)  # noqa: B023
                assert (type_of(found), found) == expected, f"seed {seed}\n{sketch}"
                compared += 1
    assert compared > 100


@pytest.mark.parametrize(("begin", "count"), [(0, 30), *(pytest.param(60 * block, 60, marks=pytest.mark.hunt) for block in range(4))])
def test_without_noise_what_is_proved_does_not_depend_on_the_private_answers(begin: int, count: int) -> None:
    """Brute force: a program without noise is private only if neighbours give equal answers."""
    verdicts: Counter[str] = Counter()
    for seed in range(begin, begin + count):
        sketch = generate(10_000 + seed, noise=False)
        if sketch is None:
            continue
        proved = isinstance(prove_every_length(sketch), Proved)
        bounded = not isinstance(prove_bounded(sketch, size=2), Unknown)
        leaks = False
        for size, whole in itertools.product((1, 2), (-1, 0, 1, 2, 3)):
            pairs = itertools.combinations(itertools.product(VALUES, repeat=size), 2)
            neighbours = [(a, b) for a, b in pairs if sketch.adjacency.related(a, b)]
            given = {d: answer(sketch, d, whole) for pair in neighbours for d in pair}
            differ = [(a, b) for a, b in neighbours if "fault" not in (given[a], given[b]) and given[a] != given[b]]
            assert not (proved and differ), f"seed {seed}, {differ[0]}, N = {whole}\n{sketch}"
            assert not (bounded and differ and whole >= 1), f"seed {seed}, {differ[0]}, N = {whole}\n{sketch}"
            leaks = leaks or bool(differ)
        verdicts[f"{'leaks' if leaks else 'silent'}, {'proved' if proved else 'not proved'}"] += 1
    assert verdicts["leaks, not proved"] > count // 8 and verdicts["silent, proved"] > count // 6, verdicts


TRICKS = {
    "exchanged": "a, b = [0], [1]\nif q[0] > 0:\n    a, b = b, a\nreturn a[0]",
    "another name": "a, b = [0], [1]\nc = a\nif q[0] > 0:\n    c = b\nreturn c[0]",
    "returned under two names": "a = [0]\nb = a\na = [1]\nif q[0] > 0:\n    return a\nreturn b",
    "within one run": "a, b = [0], [1]\nc = a\nx = c[0]\nc = b\ny = c[0]\nif x == y:\n    return 0\nreturn q[0]",
    "in a loop": "a, b = [0], [1]\nfor x in q:\n    if x > 0:\n        a, b = b, a\nreturn a[0]",
    "the last arrival": "a, b = [0], [1]\nfor x in q:\n    if x > 0:\n        a = b\n    else:\n        a = [0]\nreturn a[0]",
    "different items": "if q[0] > 0:\n    a = [0]\nelse:\n    a = [1]\nif a[0] == 0:\n    return 0\nreturn 1",
    "different lengths": "a = [0]\nif q[0] > 0:\n    a = [0, 0]\nfor i in range(2):\n    pass\nreturn len(a)",
    "a list for the private one": "a = q\nif q[0] > 0:\n    a = [x + 1 for x in q]\nif a[0] > q[0]:\n    return 0\nreturn 1",
}


@pytest.mark.parametrize("name", TRICKS)
def test_a_list_that_private_data_chooses_is_not_proved(name: str) -> None:
    body = "\n".join("    " + line for line in TRICKS[name].split("\n"))
    for relation in ("each_within(1)", "one_within(1)"):
        sketch = parse(f"@sketch(adjacent={relation})\ndef f(q: Private, eps: Epsilon):\n{body}\n")
        assert isinstance(prove_every_length(sketch), Unknown)
        assert isinstance(prove_bounded(sketch, size=2), Unknown)


def test_a_public_exchange_of_lists_in_a_loop_is_proved() -> None:
    sketch = parse("""
@sketch(adjacent=one_within(1))
def f(q: Private, N: int, eps: Epsilon):
    a, b = [0], [1]
    for i in range(N):
        a, b = b, a
    return a[0], q[0] + Lap(1/eps)
""")
    assert isinstance(prove_every_length(sketch), Proved)
