"""Everyday Python, changed at random: what Python does with the text is what is read of it, stops included."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest
from test_idioms import IDIOMS, cases, run_by_python, text_of
from tests.perturbing import perturbed

from kolahal.engine import reference
from kolahal.engine.faults import RunError
from kolahal.engine.tape import Tape
from kolahal.errors import KolahalError
from kolahal.lang.read.parse import parse

BODIES = [body for body in IDIOMS.values() if "while" not in body]
ODD = ("T)", "/ T", "start=", "/ 3 /", "/ 7 /", "// 3", "// 7", "assert")  # scales that may be below 0, fractions to count from, and what is not run exactly here
STOPS = (IndexError, ValueError, ZeroDivisionError, TypeError, NameError, AttributeError)


def same(one: Any, other: Any) -> bool:
    """Whether two answers are one; Python divides whole numbers in floating point."""
    if isinstance(one, tuple) or isinstance(other, tuple):
        return isinstance(one, tuple) and isinstance(other, tuple) and len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, bool) or isinstance(other, bool) or one is None or other is None:
        return one is other
    return one == other or (isinstance(one, float) and abs(one - other) < 1e-9)


def look_at(seed: int, seen: Counter[str]) -> None:
    rng = random.Random(seed)
    body = perturbed(rng.choice(BODIES), rng, rng.choice((1, 1, 2, 2, 3)))
    if body is None or any(word in body for word in ODD):
        return
    text = text_of(body)
    try:
        sketch = parse(text)
    except KolahalError:
        return
    for database, arguments in cases(sketch, seed):
        log: list[Any] = []
        values = {n: int(v) if n == "N" else v for n, v in arguments.environment(sketch).items() if n != "q"}
        try:
            found: Any = reference.run(sketch, database, arguments, (), Tape((11,), 1).row(0), number=Fraction, log=log)
        except RunError as error:
            if "K404" in str(error):
                return
            found = "stopped"
        try:
            python: Any = run_by_python(text, list(database), values, [d for _, _, d in log])
        except STOPS:
            python = "stopped"
        seen["stopped" if found == "stopped" else "answered"] += 1
        assert (found == python == "stopped") or same(python, found), f"{list(map(str, database))} {arguments}: {python}, {found}\n{text}\n{sketch}"


def look_at_all(seeds: range, monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    monkeypatch.setattr(reference, "MOST_TURNS", 3_000)
    seen: Counter[str] = Counter()
    for seed in seeds:
        look_at(seed, seen)
    return seen


def test_python_means_what_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = look_at_all(range(250), monkeypatch)
    assert seen["answered"] > 200 and seen["stopped"] > 20, seen


@pytest.mark.thorough
@pytest.mark.parametrize("block", range(10))
def test_python_means_what_is_read_of_many(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    assert look_at_all(range(1_000 * (block + 1), 1_000 * (block + 2)), monkeypatch)["answered"] > 1_000
