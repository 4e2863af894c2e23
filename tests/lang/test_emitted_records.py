"""Emitted programs over records: they aggregate as the reference does, and refuse what they cannot keep private."""

import random
import subprocess
import sys
import time
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import pytest

from kolahal.checking import check
from kolahal.emission.program import load_emitted
from kolahal.emission.release import Withheld, emit
from kolahal.lang.read.parse import parse
from kolahal.lang.records.bins import sized_table
from kolahal.lang.records.table import read_records
from kolahal.lang.sketch import Sketch
from kolahal.verdicts import Proved

HEADER = """
class Visit(NamedTuple):
    age: Between(0, 100, whole=True)
    weight: float
    day: Between(0, 6, whole=True)
    kind: Literal["new", "returning"]
    member: bool

@sketch(adjacent={relation})
def f(visits: Records[Visit], T: float, eps: Epsilon):
{body}
"""
MEAN = """    s = sum(clip(v.age, 0, 80) for v in visits if v.kind == "new") + Lap(160/eps)
    n = sum(1 for v in visits if v.kind == "new") + Lap(2/eps)
    return s / max(n, 1)"""
BINS = "    return [sum(1 for v in visits if v.day == d and v.weight / 3 > T) + Lap(1/eps) for d in range(7)]"
HALVES = "    return sum(0.5 if v.weight * 0.1 > 3 else -0.5 for v in visits if not v.member) + Lap(0.5/eps)"


def read(body: str, relation: str = "add_remove(1)") -> Sketch:
    return parse(HEADER.format(relation=relation, body=body))


@pytest.mark.parametrize("body", [MEAN, BINS, HALVES], ids=["mean", "bins", "halves"])
def test_records_are_aggregated_as_in_the_reference(body):
    program, rng = read(body), random.Random(body)
    table = program.private.table
    assert table is not None
    space = load_emitted(emit(program)).__globals__
    for _ in range(100):
        threshold = Fraction(rng.randint(0, 40))
        rows = [
            (rng.randint(-20, 120), rng.uniform(0, 100), rng.randint(-1, 8), rng.choice(table.row.fields[3].labels), rng.random() < 0.5)
            for _ in range(rng.randint(0, 8))
        ]
        names = [field.name for field in table.row.fields]
        forms = [rows, [dict(zip(names, row, strict=True)) for row in rows], dict(zip(names, zip(*rows, strict=True), strict=True)) if rows else []]
        public = [threshold] if table.public_names() else []
        for form in forms:
            found = space["_aggregate"](form, *public)
            assert tuple(found) == table.answers(read_records(table, rows), {"T": threshold})


@dataclass
class Visit:
    age: int
    weight: float
    day: int
    kind: str
    member: bool


def test_an_emitted_program_answers_for_records_and_files(tmp_path: Path):
    text = emit(read(MEAN))
    function = load_emitted(text)
    rows = [Visit(30, 1.0, 1, "new", True), Visit(500, 1.0, 1, "new", True), Visit(9, 1.0, 1, "returning", True)]
    assert function(rows, 0, 10**6) == pytest.approx(55, abs=0.1)
    assert "one person has at most one record in visits" in " ".join(text.split())
    assert "two lists visits of any number of records" in " ".join(text.split())
    (tmp_path / "f.py").write_text(text)
    (tmp_path / "v.csv").write_text("kind,age,weight,day,member\nnew,30,1.5,1,true\nnew,999,0,1,0\n")

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "f.py", *arguments]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert float(run("v.csv", "--T", "0", "--eps", "1000000").stdout) == pytest.approx(55, abs=0.1)
    assert run("--self-test").returncode == 0
    for bad in [("missing.csv", "--T", "0", "--eps", "1"), ("v.csv", "--eps"), ("v.csv", "--X", "1"), ("v.csv", "--T", "0", "--eps", "0")]:
        found = run(*bad)
        assert found.returncode == 2 and "Traceback" not in found.stderr


def test_no_message_shows_a_value():
    function = load_emitted(emit(read(MEAN)))
    for bad in (
        5, "text", [(1, 2)], [(1.25, 0, 0, "new", True)], [(1, float("nan"), 0, "new", True)], [(1, 0, 0, "secret", True)],
        [(1, 0, 0, "new", 77)], [("77", 0, 0, "new", True)], [None],
    ):  # fmt: skip
        with pytest.raises((TypeError, ValueError)) as caught:
            function(bad, 0, 1)
        assert not any(shown in str(caught.value) for shown in ("1.25", "nan", "secret", "77"))


def test_shifts_that_may_leave_the_grid_are_not_emitted():
    """One-sided noise is never shifted below 0, so that its shifts are not the same multiple of every move."""
    rough = read(
        "    a = sum(clip(v.weight, 0, 1) * clip(v.age, 0, 1) for v in visits) + Exp(4/eps)\n"
        "    b = sum(clip(v.weight, 0, 2) for v in visits) + Exp(4/eps)\n    return 1 if a > b else 0"
    )
    found = check(rough).verdict
    assert isinstance(found, Proved)
    with pytest.raises(Withheld, match="hides more than what noise undoes"):
        emit(rough, found)


ROUGH = [
    ("    return sum(clip(v.weight, 0, 1) for v in visits) + Lap(1/eps)", "add_remove(1)"),
    ("    return sum(clip(v.weight / 3, -0.7, 1) for v in visits) + Lap(1.7/eps)", "replace(1)"),
    ("    s = sum(clip(v.weight, 0, 10) for v in visits) + Lap(20/eps)\n    n = len(visits) + Lap(2/eps)\n    return s / max(n, 1)", "add_remove(1)"),
    ("    return max((clip(v.weight, 0, 9) for v in visits), default=0) + Lap(9/eps)", "add_remove(1)"),
    ("    return min((clip(v.weight, 0, 9) for v in visits if v.member), default=9) + Lap(9/eps)", "replace(1)"),
    ("    x = 0\n    if any(v.weight > 50 for v in visits):\n        x = 1\n    return x + Lap(1/eps)", "add_remove(1)"),
    ("    return 1 - (1 if all(v.weight > 50 for v in visits) else 0) + Lap(1/eps)", "add_remove(1)"),
]


@pytest.mark.parametrize(("body", "relation"), ROUGH)
def test_numbers_that_are_not_whole_are_rounded_one_by_one(body, relation):
    program, rng = read(body, relation), random.Random(body)
    space = load_emitted(emit(program, check(program).verdict)).__globals__
    table, step = program.private.table, Fraction(1, 2**20)
    assert table is not None
    plan = space["_Plan"](**space["_plan"](range(1), 0, 1))
    grid, noise = space["_grids"](plan, True)
    assert (grid / noise).denominator == 1
    for _ in range(60):
        rows = [
            (rng.randint(0, 99), rng.choice([rng.uniform(-5, 100), rng.uniform(0, 1), 50.0, 1e300, 3]), rng.randint(0, 6), "new", rng.random() < 0.5)
            for _ in range(rng.randint(0, 6))
        ]
        near = [(a, (Fraction(w) / step + Fraction(1, 2)).__floor__() * step, d, k, m) for a, w, d, k, m in rows]
        found = space["_aggregate"](rows)
        assert tuple(found) == table.answers(read_records(table, near), {})
        assert all((Fraction(answer) / grid).denominator == 1 for answer in found), "nothing is rounded again"


def test_a_value_is_read_as_what_it_is():
    function = load_emitted(emit(read(MEAN)))
    assert function([(1, 0, 0, "new", True)], 0, 1) is not None
    for bad in ([(1, 0, 0, "new", True), (True, 0, 0, "new", True)], [(200.5, 0, 0, "new", True)], [(1, 0, 2.5, "new", True)]):
        with pytest.raises((TypeError, ValueError)):
            function(bad, 0, 1)


def test_a_file_without_names_or_with_short_rows_is_refused(tmp_path: Path):
    numbers = "@sketch(adjacent=add_remove(1))\ndef f(xs: Records[Between(0, 1)], _argument: float, eps: Epsilon):\n    return sum(1 for x in xs if x > _argument) + Lap(1/eps)\n"
    (tmp_path / "f.py").write_text(emit(parse(numbers)))
    (tmp_path / "g.py").write_text(emit(read(MEAN)))
    (tmp_path / "bare.csv").write_text("0.5\n0.7\n")
    (tmp_path / "named.csv").write_text("x\n0.5\n0.7\n")
    (tmp_path / "short.csv").write_text("kind,age,weight,day,member\nnew,30,1.5,1,true\nnew,30\n")

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, *arguments], cwd=tmp_path, capture_output=True, text=True, check=False)

    assert float(run("f.py", "named.csv", "--_argument", "0.6", "--eps", "1000000").stdout) == pytest.approx(1, abs=0.1)
    for file, path, public in (("f.py", "bare.csv", "_argument"), ("g.py", "short.csv", "T")):
        found = run(file, path, f"--{public}", "0", "--eps", "1")
        assert found.returncode == 2 and "ValueError" in found.stderr and "Traceback" not in found.stderr


@pytest.mark.parametrize(
    "body",
    [
        "    return [sum(1 for v in visits if v.day == d) + Lap(1/eps) for d in range(days)]",
        "    return [sum(1 for v in visits if v.day > d) + Lap(days/eps) for d in range(days)]",
        "    counts = [0] * days\n    for v in visits:\n        counts[min(v.day, days - 1)] += v.age\n    return [c + Lap(100/eps) for c in counts]",
    ],
)
def test_as_many_bins_as_an_argument_says(body):
    text = HEADER.replace("T: float", "days: int").format(relation="add_remove(1)", body=body)
    program, rng = parse(text), random.Random(body)
    space = load_emitted(emit(program, check(program).verdict)).__globals__
    table = program.private.table
    assert table is not None
    for days in (1, 2, 5, 9):
        rows = [(rng.randint(0, 99), 0.5, rng.randint(0, 6), "new", True) for _ in range(12)]
        assert tuple(space["_aggregate"](rows, days)) == sized_table(table, days).answers(read_records(table, rows), {})
        assert len(space["f"](rows, days, 1)) == days
    for wrong in (0, -3, 1.5, None):
        with pytest.raises((TypeError, ValueError)):
            space["f"]([], wrong, 1)


ADDED = "    return sum(clip(v.age + T, 1, 4) for v in visits) + Lap(4/eps){}"


@pytest.mark.parametrize("more", ["", ", sum(4 - clip(v.age + T, 1, 4) for v in visits) + Lap(4/eps)"])
def test_public_numbers_that_are_added_up_are_on_the_grid(more):
    """If sums were rounded, each by itself, the two of a record that moves them by 4 in all would move by 4 and a step."""
    program = read(ADDED.format(more))
    assert isinstance(check(program).verdict, Proved)
    space = load_emitted(emit(program)).__globals__
    for public in (Fraction(1, 3), Fraction(0.1), Fraction(2)):
        found = space["_aggregate"]([(1, 0, 0, "new", True)], public)
        grid, _ = space["_grids"](space["_Plan"](**space["_plan"](range(len(found)), public, 1)), True)
        assert found[0] == min(max(1 + public, 1), 4) and all((Fraction(answer) / grid).denominator == 1 for answer in found)


SMALL = 64


def forms(rows: list[tuple], names: list[str]) -> list[object]:
    """The same records in every form that is taken."""
    named = NamedTuple("named", [(name, object) for name in names])
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)) if rows else {name: [] for name in names}
    return [rows, iter(rows), [dict(zip(names, row, strict=True)) for row in rows], [named(*row) for row in rows], [Visit(*row) for row in rows], columns]


@pytest.mark.parametrize("seed", range(20))
def test_records_all_at_once_are_what_they_are_one_by_one(seed):
    """Columns of one type are read together; the twin looks at each value. What one refuses the other refuses in the same words."""
    rng = random.Random(seed)
    space = load_emitted(emit(read(MEAN))).__globals__
    fields, names = space["_FIELDS"], [field.name for field in space["_FIELDS"]]
    space["_AT_ONCE"] = rng.choice((1, 3, 10_000))
    numbers = [0.5, 3.25, -7.0, 2**-21, -(2**-21), 3 * 2**-21, 1e300, 12.3456789, 0.49999999999999994, 2.0**30, -(2.0**30)]
    odd = [float("nan"), float("inf"), True, "1", None, Fraction(1, 3), 10**400] if seed % 2 else [Fraction(1, 3), 7]
    rows = [
        (
            rng.choice([rng.randint(-5, 120), 7.0]) if seed % 3 else rng.randint(-5, 120),
            rng.choice(numbers if rng.random() < 0.97 else odd),
            rng.randint(-1, 8),
            rng.choice(["new", "returning"]) if rng.random() < 0.99 else "other",
            rng.random() < 0.5,
        )
        for _ in range(SMALL)
    ]
    expected, fault = [], ""
    try:
        for place, row in enumerate(rows):
            expected.append(tuple(space["_value"](f"visits[{place}].{f.name}", f, v) for f, v in zip(fields, row, strict=True)))
    except (TypeError, ValueError) as error:
        fault = str(error)
    for form in forms(rows, names):
        form = list(form) if not isinstance(form, dict) else form
        if not fault:
            used = [place for place, field in enumerate(fields) if field.used]
            assert used == [0, 3] and list(space["_records"]("visits", form, fields)) == [tuple(row[i] for i in used) for row in expected]
            assert list(space["_records"]("visits", form, [field._replace(used=True) for field in fields])) == expected
        else:
            with pytest.raises((TypeError, ValueError)) as caught:
                list(space["_records"]("visits", form, fields))
            assert str(caught.value) == fault


def test_a_million_records_take_seconds():
    """A tenth of them here: 0.12 s where this was written; the limit allows for slow machines."""
    text = "    s = sum(clip(v.weight, 0, 10) for v in visits if v.member) + Lap(20/eps)\n    return s, len(visits) + Lap(2/eps)"
    function, rng = load_emitted(emit(read(text))), random.Random(15)
    rows = [(rng.randint(0, 99), rng.uniform(0, 12), rng.randint(0, 6), "new", rng.random() < 0.5) for _ in range(100_000)]
    before = time.process_time()
    function(rows, 0, 1)
    assert time.process_time() - before < 1.0


def test_files_as_others_write_them(tmp_path: Path):
    """Columns that no aggregate reads are not looked at."""
    every = MEAN.replace('v.kind == "new"', 'v.kind == "new" and (v.member or v.weight >= 0)')
    (tmp_path / "f.py").write_text(emit(read(every)))
    head, rows = "kind,age,weight,day,member", "new,30,1.5,1,true\n\nnew,999,1e-3,1,0\n"

    def run(content: bytes) -> subprocess.CompletedProcess[str]:
        (tmp_path / "v.csv").write_bytes(content)
        command = [sys.executable, "f.py", "v.csv", "--T", "0", "--eps", "1000000"]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)

    marked = run(b"\xef\xbb\xbf" + f"{head}\n{rows}".encode())  # as spreadsheets begin a file
    assert float(marked.stdout) == pytest.approx(55, abs=0.1)
    assert run(f"{head}\nnew,30,1.5,Monday,true\n".encode()).returncode == 0
    for content, fault in (
        (f"{head},age\n" + "new,30,1.5,1,true,7\n", "several columns age"),
        (f"{head}\nnew,1e999999999,1,1,true\n", "line 2, age"),
        (f"{head}\n\nnew,1,1e999999999,1,true\n", "line 3, weight"),
        (f"{head}\nnew,1,nan,1,true\n", "line 2, weight"),
        (f"{head}\nnew,{'9' * 9999},1,1,true\n", "line 2, age"),
        (f"{head}\nnew,1,1,1,maybe\n", "line 2, member"),
        (f"{head}\nnew,1,1,1\n", "line 2"),
        (f"{head}\nnew,{'1' * 140_000},1,1,true\n", "field larger"),
        (f"{head}\nnew,1,1,1,\udcff\n", "is not a text in UTF-8\n"),
    ):
        found = run(content.encode(errors="surrogateescape"))
        assert found.returncode == 2 and fault in found.stderr and "Traceback" not in found.stderr
