"""Emitted programs whose questions to the records depend on the run: they are answered as the reference answers them."""

from __future__ import annotations

import random
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from kolahal.checking import check
from kolahal.emission.program import load_emitted
from kolahal.emission.release import emit
from kolahal.errors import UsageError
from kolahal.lang.read.parse import parse
from kolahal.lang.records.along_runs import along
from kolahal.lang.records.moves import RecordRelation
from kolahal.lang.records.table import read_records
from kolahal.lang.sketch import Sketch

HEAD = "@sketch(adjacent={})\ndef f(records: Records[Between(0, 128)], {}eps: Epsilon):\n"
MEDIAN = """    lo, hi = 0, 128
    for k in range({}):
        mid = (lo + hi) / 2
        if sum(1 for r in records if r <= mid) - len(records) / 2 + Lap({}/eps) > 0:
            hi = mid
        else:
            lo = mid
    return lo"""
LATE = """    t = 10
    if sum(1 for r in records if r > T) + Lap(2/eps) > 5:
        t = 20.5
    return t, sum(1 for r in records if t < r < T) + Lap(2/eps)"""
TOTAL = """    t = 10 + Lap(2/eps)
    return t, sum(r for r in records if r > t) + Lap(256/eps)"""
PROGRAMS = {
    "median": HEAD.format("add_remove(1)", "") + MEDIAN.format(8, 4),
    "median in K steps": HEAD.format("replace(1)", "K: int, ") + MEDIAN.format("K", "K"),
    "outside loops": HEAD.format("add_remove(1)", "T: float, ") + LATE,
    "a noisy threshold": HEAD.format("add_remove(1)", "") + TOTAL,
}


def emitted(name: str) -> tuple[Sketch, dict[str, Any]]:
    program = parse(PROGRAMS[name])
    return program, load_emitted(emit(program, check(program).verdict)).__globals__


@pytest.mark.parametrize("name", PROGRAMS)
def test_questions_are_answered_as_in_the_reference(name: str) -> None:
    program, space = emitted(name)
    rng, table = random.Random(name), program.private.table
    assert table is not None and isinstance(program.adjacency, RecordRelation)
    size = 5 if table.bins is not None else len(table.aggregates)
    plan = space["_Plan"](**space["_plan"](range(size), *[1] * (len(program.parameters) - (2 if "K" in PROGRAMS[name] else 1))))
    grid, _ = space["_grids"](plan, True)
    for _ in range(30):
        rows = [rng.choice([rng.randint(0, 128), rng.uniform(-5, 140), 64.0]) for _ in range(rng.randint(0, 9))]
        near = [(Fraction(r) * 2**20 + Fraction(1, 2)).__floor__() / Fraction(2**20) for r in rows]
        asked = [p for p in range(size) if table.bins is not None or table.aggregates[p].run_names()]
        given = [(place, (rng.choice([Fraction(64), Fraction(1, 3), Fraction(rng.uniform(0, 128))]),)) for place in asked]
        fixed = along(program.adjacency, tuple(given), size).table
        public = {"T": Fraction(rng.choice([7, 100]))} if table.public_names() else {}
        assert fixed is not None
        expected = fixed.answers(read_records(table, near), public)
        read = list(space["_records"]("records", rows, space["_FIELDS"]))
        more = [*public.values(), *([size] if "K" in PROGRAMS[name] else [])]
        for place, values in given:
            found = space["_question"](read, *more, place, values)
            assert found == expected[place] and (Fraction(found) / grid).denominator == 1
        if table.bins is None:
            at_once = [answer for place, answer in enumerate(expected) if place not in asked]
            assert space["_aggregate"](read, *more) == at_once


def test_a_run_asks_what_it_comes_to() -> None:
    _, space = emitted("median")
    rows = [1, 5, 40, 41.5, 42, 100, 120]
    assert space["f"](rows, 10**6) == 41
    assert space["f"](iter(rows), 10**6) == 41
    _, space = emitted("median in K steps")
    assert space["f"](rows, 2, 10**6) == 32
    with pytest.raises(ValueError, match="K"):
        space["f"](rows, 0.5, 1)
    _, space = emitted("outside loops")
    assert [round(x) for x in space["f"]([30, 40, 50, 60], 45, 10**6)] == [10, 2]


def test_a_file_and_the_self_test(tmp_path: Path) -> None:
    program = parse(PROGRAMS["median"])
    (tmp_path / "f.py").write_text(emit(program, check(program).verdict))
    (tmp_path / "v.csv").write_text("age\n40\n41.5\n42\n")
    for arguments in (["v.csv", "--eps", "1000000"], ["--self-test"]):
        found = subprocess.run([sys.executable, "f.py", *arguments], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert found.returncode == 0, found.stderr


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("    t = 10 + Lap(2/eps)\n    return t, sum(clip(r, 0, 1) if r > t else clip(t, 0, 1) for r in records) + Lap(4/eps)", "depend on the run"),
        ("    t = 10 + Lap(2/eps)\n    return sum(clip(T, 0, 1) for r in records if r > t) + Lap(2/eps)", "on an argument"),
        ("    b_times_2 = 10 + Lap(2/eps)\n    return sum(1 for r in records if r > b_times_2) + Lap(2/eps)", "b_times_2"),
    ],
)
def test_what_is_not_emitted_says_why(body: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        emit(parse(HEAD.format("add_remove(1)", "T: float, ") + body), force=True)
