"""The support code of programs over records, as the module it is here: rows in any form, files, and what is refused in which words."""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from kolahal.lang.templates import rows, runtime

pytestmark = pytest.mark.mutants

STEPS = 2**20
AGE = rows._Field("age", "int", 0, 100, ())
WEIGHT = rows._Field("weight", "float", Fraction(1, 2), 80, (), 3 * STEPS)
KIND = rows._Field("kind", "label", None, None, ("new", "old"))
MEMBER = rows._Field("member", "bool", None, None, ())
FREE = rows._Field("free", "float", None, None, (), STEPS)
COUNT = rows._Field("count", "int", None, None, (), 6)
FIELDS = (AGE, WEIGHT, KIND, MEMBER)


@pytest.fixture(autouse=True)
def _support(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "_exact", runtime._exact, raising=False)


def raises(error: type[Exception], words: str, call: Callable[[], object]) -> None:
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value) == words


def test_fields_are_used_and_counted_in_ones_unless_they_say_otherwise() -> None:
    assert (AGE.unit, AGE.used, rows._STEPS) == (1, True, STEPS) and 2**53 / STEPS >= rows._NEAR == 2**30 and rows._AT_ONCE == 10_000


# ---------------------------------------------------------------- numbers


def test_numbers_are_clipped_and_whole_ones_are_whole() -> None:
    assert [rows.clip(x, 2, 5) for x in (1, 2, 3, 5, 6)] == [2, 2, 3, 5, 5] and rows.clip(1, 3, 2) == 2
    for given, found in ((Fraction(4), 4), (Fraction(7, 2), Fraction(7, 2)), (3, 3), (Fraction(-2), -2)):
        number = rows._whole(given)
        assert number == found and type(number) is type(found)


def test_functions_are_rounded_to_the_nearest_step() -> None:
    for top, below in ((1, 1), (1, 3), (-7, 5), (0, 1)):
        exact = math.sin(top / below) * STEPS
        found = rows._of_math(math.sin, top, below)
        assert type(found) is int and abs(found - exact) <= 0.5
    assert [rows._of_math(lambda x: x / STEPS, top, 4) for top in (1, 2, 3, 4, -1, -2, -3)] == [0, 1, 1, 1, 0, 0, -1], "halves go up"
    assert rows._of_math(math.tanh, 10**400, 1) == STEPS and rows._of_math(math.tanh, -(10**400), 1) == -STEPS
    assert rows._of_math(lambda x: x, 3, 2) == 3 * STEPS // 2
    with pytest.raises(ZeroDivisionError):
        rows._of_math(math.sin, 1, 0)


def test_quotients_are_rounded_to_the_nearest_step() -> None:
    for top, below in ((1, 3), (-1, 3), (5, 2), (7, 2**21), (-7, 2**21), (1, 2**21), (-1, 2**21), (3, 2**21), (0, 5), (2, 7)):
        assert rows._quotient(top, below) == math.floor(Fraction(top, below) * STEPS + Fraction(1, 2))


VALUES: list[tuple[rows._Field, Any, Any]] = [
    (AGE, 30, 30), (AGE, -4, 0), (AGE, 0, 0), (AGE, 100, 100), (AGE, 101, 100), (AGE, 7.0, 7), (AGE, np.int64(9), 9), (AGE, Fraction(12), 12),
    (WEIGHT, 1, 3 * STEPS), (WEIGHT, 0.5, 3 * STEPS // 2), (WEIGHT, 0, 3 * STEPS // 2), (WEIGHT, 81.0, 240 * STEPS), (WEIGHT, Fraction(1, 2) + Fraction(1, 2**21), 3 * (STEPS // 2 + 1)),
    (WEIGHT, Fraction(1, 2) + Fraction(1, 2**22), 3 * (STEPS // 2)), (WEIGHT, Decimal("2.5"), 15 * STEPS // 2),
    (KIND, "new", "new"), (KIND, "old", "old"), (KIND, np.str_("old"), "old"), (MEMBER, True, True), (MEMBER, 0, False), (MEMBER, np.bool_(True), True), (MEMBER, 1.0, True),
    (FREE, -2.5, -5 * STEPS // 2), (FREE, 10**12, 10**12 * STEPS), (COUNT, 5, 5), (COUNT, -5, -5),
]  # fmt: skip


@pytest.mark.parametrize("at", range(len(VALUES)))
def test_a_value_is_whole_and_within_its_bounds(at: int) -> None:
    field, value, expected = VALUES[at]
    found = rows._value("v[0].x", field, value)
    assert found == expected and type(found) is type(expected)


@pytest.mark.parametrize(
    ("field", "value", "error", "words"),
    [
        (KIND, "other", ValueError, "v[0].x must be one of new, old"),
        (MEMBER, 2, ValueError, "v[0].x must be True or False"),
        (MEMBER, "True", ValueError, "v[0].x must be True or False"),
        (AGE, 1.5, ValueError, "v[0].x must be a whole number"),
        (AGE, Fraction(1, 3), ValueError, "v[0].x must be a whole number"),
        (AGE, "1", TypeError, "v[0].x must be a number, and it is of type str"),
        (WEIGHT, True, TypeError, "v[0].x must be a number, and it is of type bool"),
    ],
)
def test_other_values_are_refused_without_showing_them(field: rows._Field, value: Any, error: type[Exception], words: str) -> None:
    raises(error, words, lambda: rows._value("v[0].x", field, value))


def test_bounds_are_counted_in_units() -> None:
    assert rows._ends(AGE) == (0, 100) and rows._ends(WEIGHT) == (3 * STEPS // 2, 240 * STEPS) and rows._ends(FREE) == (None, None)
    assert rows._ends(AGE._replace(high=None)) == (0, None) and rows._ends(AGE._replace(low=None)) == (None, 100)
    assert rows._value("", AGE._replace(high=None), -3) == -3 and rows._value("", AGE._replace(low=None), 300) == 300


# ---------------------------------------------------------------- columns


COLUMNS: list[tuple[rows._Field, Sequence[Any], Sequence[Any] | None]] = [
    (AGE, [1, 2, 3], [1, 2, 3]), (AGE, [-1, 50, 101], [0, 50, 100]), (AGE, [0, 100], [0, 100]), (AGE, [1.0, 7.0], [1, 7]), (AGE, [-1.0, 200.0], [0, 100]), (AGE, [1.5, 2.0], None),
    (AGE, [1, 2.0], [1, 2]), (AGE, [1, 2.5], None), (AGE, [True, False], None), (AGE, [1, "2"], None), (AGE, [], []), (AGE, [1, Fraction(2)], None), (AGE, [1.0, math.inf], None),
    (AGE, [-1, 5], [0, 5]), (AGE, [5, 101], [5, 100]),
    (COUNT, [1, -2], [6, -12]), (COUNT, [1.0, -2.0], [1, -2]), (COUNT, [10**40], [6 * 10**40]),
    (WEIGHT, [0.5, 1.0], [3 * STEPS // 2, 3 * STEPS]), (WEIGHT, [0.25, 100.0, 2.0], [3 * STEPS // 2, 240 * STEPS, 6 * STEPS]), (WEIGHT, [1, 2], [3 * STEPS, 6 * STEPS]),
    (WEIGHT, [1, 2.5], [3 * STEPS, 15 * STEPS // 2]), (WEIGHT, [2**30, 2.5], None), (WEIGHT, [-(2**30), 2.5], None), (WEIGHT, [2.0**30, 2.5], None), (WEIGHT, [-(2.0**30), 2.5], None),
    (WEIGHT, [2.0**30 - 1, 2.5], [240 * STEPS, 15 * STEPS // 2]), (WEIGHT, [1 - 2.0**30, 2.5], [3 * STEPS // 2, 15 * STEPS // 2]), (WEIGHT, [2**30 - 1, 2.5], [240 * STEPS, 15 * STEPS // 2]),
    (WEIGHT, [1 - 2**30, 2.5], [3 * STEPS // 2, 15 * STEPS // 2]), (WEIGHT, [math.nan, 1.0], None),
    (WEIGHT, [1 + 2**-21, 1 + 2**-22, 1 + 3 * 2**-22], [3 * (STEPS + 1), 3 * STEPS, 3 * (STEPS + 1)]), (WEIGHT, [2**40], [240 * STEPS]),
    (FREE, [-2.5, 3.0], [-5 * STEPS // 2, 3 * STEPS]), (FREE, [7], [7 * STEPS]), (FREE, [2.0**30], None),
    (FREE._replace(used=False), [2.0**40, -1.5], [2.0**40, -1.5]), (FREE._replace(used=False), [math.inf], None), (AGE._replace(used=False), [1.0, 2.5], None),
    (KIND, ["new", "old", "new"], ["new", "old", "new"]), (KIND, ["new", "other"], None), (KIND, ["new", 1], None), (KIND, [], []), (MEMBER, [True, False], [True, False]), (MEMBER, [True, 1], None),
    (MEMBER, [0, 1], None), (AGE._replace(low=None), [-5, 300], [-5, 300]), (AGE._replace(high=None), [-5, 300], [-5, 300]),
]  # fmt: skip


@pytest.mark.parametrize("at", range(len(COLUMNS)))
def test_a_column_is_what_its_values_are(at: int) -> None:
    field, column, expected = COLUMNS[at]
    found = rows._column(field, column)
    assert found == expected and (found is None or [*map(type, found)] == [*map(type, expected or [])])
    if found is not None and field.used and (field.unit == 1 or field.kind == "float"):
        assert found == [rows._value("", field, value) for value in column], "each as by itself"


def test_columns_of_random_doubles_are_what_their_values_are() -> None:
    rng = random.Random(5)
    for scale in (1e-7, 1e-3, 1.0, 1e5, 1e9):
        column = [rng.uniform(-scale, scale) for _ in range(40)]
        for field in (WEIGHT, FREE):
            assert rows._column(field, column) == [rows._value("", field, value) for value in column]


def test_columns_are_taken_from_rows_of_one_type() -> None:
    assert rows._split([1, 2.5], [""]) == [[1, 2.5]] and rows._split([1, "2"], [""]) is None and rows._split([(1,), (2,)], [""]) is None
    assert rows._split([(1, "a"), (2, "b")], ["x", "y"]) == [(1, 2), ("a", "b")] and rows._split([(1, 2), (1,)], ["x", "y"]) is None
    assert rows._split([(1, 2)], ["x"]) is None and rows._split([(1, 2), [1, 2]], ["x", "y"]) is None
    assert rows._split([{"x": 1, "y": 2, "z": 3}, {"y": 5, "x": 4}], ["x", "y"]) == [[1, 4], [2, 5]]
    assert rows._split([{"x": 1, "y": 2}, {"x": 4}], ["x", "y"]) is None
    objects = [SimpleNamespace(x=1, y=2), SimpleNamespace(x=3, y=4)]
    assert rows._split(objects, ["x", "y"]) == [[1, 3], [2, 4]] and rows._split(objects, ["x", "z"]) is None
    assert rows._split([*objects, {"x": 1, "y": 2}], ["x", "y"]) is None

    class Other(dict[str, int]):
        x = 1
        y = 2

    class Pair(tuple[int, ...]):
        x = 7
        y = 8

    assert rows._split([Other(x=4, y=5)], ["x", "y"]) is None, "what it is asked by name is not what it holds"
    assert rows._split([Pair((1, 2))], ["x", "y"]) == [[7], [8]] and rows._split([(1, 2), Pair((1, 2))], ["x", "y"]) is None


@dataclass
class Row:
    age: int
    weight: float
    kind: str
    member: bool


def each(name: str, first: int, given: Sequence[Any], names: Sequence[str]) -> list[Any]:
    return [tuple(values) for values in rows._each(name, first, given, names)]


def test_values_are_taken_from_each_row_whatever_it_is() -> None:
    names = [field.name for field in FIELDS]
    given = [(1, 2.0, "new", True), {"member": False, "age": 3, "weight": 4.0, "kind": "old", "more": 1}, Row(5, 6.0, "new", False), [7, 8.0, "old", True]]
    assert each("v", 0, given, names) == [(1, 2.0, "new", True), (3, 4.0, "old", False), (5, 6.0, "new", False), (7, 8.0, "old", True)]
    assert each("v", 0, [1, (2,), "x"], [""]) == [(1,), (2,), ("x",)]
    needs = "must have age, weight, kind, member"
    for at, wrong in enumerate([(1, 2), {"age": 1}, SimpleNamespace(age=1), "abcd", b"abcd", 5, [1, 2, 3], None]):
        raises(ValueError, f"v[{at + 4}] {needs}", lambda at=at, wrong=wrong: each("v", 4, [given[0]] * at + [wrong], names))
    raises(ValueError, "v[1] must have a number", lambda: each("v", 0, [(1,), (1, 2)], [""]))


def test_what_can_be_cut_is_listed() -> None:
    for given, found in (([1, 2], [1, 2]), ((1, 2), (1, 2)), (np.array([1, 2]), [1, 2]), (range(2), [0, 1]), (iter([3]), [3]), ("ab", ["a", "b"])):
        listed = rows._listed(given)
        assert listed == found and type(listed) is type(found)
    assert [*map(type, rows._listed(np.array([1.5])))] == [float]


def in_columns(given: Any, names: Sequence[str]) -> list[list[list[Any]]]:
    return [[list(column) for column in columns] for columns in rows._in_columns("v", given, names)]


def test_rows_come_as_columns_so_many_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "_AT_ONCE", 2)
    two = [[[1, 2], ["a", "b"]], [[3], ["c"]]]
    forms: list[Any] = [
        [(1, "a"), (2, "b"), (3, "c")], ((n, w) for n, w in ((1, "a"), (2, "b"), (3, "c"))), {"x": [1, 2, 3], "y": ("a", "b", "c"), "z": []},
        [[1, "a"], (2, "b"), {"x": 3, "y": "c"}], [SimpleNamespace(x=n, y=w) for n, w in ((1, "a"), (2, "b"), (3, "c"))],
        {"x": np.array([1, 2, 3]), "y": iter("abc")},
    ]  # fmt: skip
    for form in forms:
        assert in_columns(form, ["x", "y"]) == two

    class Frame(SimpleNamespace):
        def itertuples(self) -> None: ...

        def __getitem__(self, name: str) -> Any:
            return getattr(self, name)

    assert in_columns(Frame(x=[1, 2, 3], y=["a", "b", "c"]), ["x", "y"]) == two
    assert in_columns(np.array([1.5, 2.5, 3.5]), [""]) == [[[1.5, 2.5]], [[3.5]]] and in_columns([], ["x"]) == [] and in_columns({"x": [], "y": []}, ["x", "y"]) == []
    assert in_columns([4, 5, 6], [""]) == [[[4, 5]], [[6]]] and in_columns([(4,), 5, 6], [""]) == [[[4, 5]], [[6]]]
    raises(ValueError, "v must have as many values in each column", lambda: in_columns({"x": [1, 2], "y": [1]}, ["x", "y"]))
    for wrong in ("ab", b"ab", {"x": [1]}, {1, 2}, 5, None):
        raises(TypeError, f"v must be a list of records, and it is of type {type(wrong).__name__}", lambda wrong=wrong: in_columns(wrong, ["x", "y"]))
    raises(ValueError, "v[2] must have x, y", lambda: in_columns([(1, 2), (3, 4), (5,)], ["x", "y"]))
    raises(ValueError, "v[5] must have x, y", lambda: in_columns([(1, 2), (3, 4), (5, 6), (7, 8), (9, 0), (7,)], ["x", "y"]))
    assert in_columns(np.array([[1, 2], [3, 4], [5, 6]]), ["x", "y"]) == [[[1, 3], [2, 4]], [[5], [6]]]
    assert {type(value) for columns in in_columns(np.array([1.5, 2.5, 3.5]), [""]) for value in columns[0]} == {float}
    raises(ValueError, "v[3] must have x, y", lambda: in_columns([(1, 2), (3, 4), (5, 6), (7,)], ["x", "y"]))


def test_records_are_of_the_fields_that_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "_AT_ONCE", 2)
    given = [(30, 1.0, "new", True), (500, 0.0, "old", False), (1.0, 2, "new", True), (2, Fraction(3), "old", False)]
    expected = [(30, 3 * STEPS, "new", True), (100, 3 * STEPS // 2, "old", False), (1, 6 * STEPS, "new", True), (2, 9 * STEPS, "old", False)]
    assert list(rows._records("v", given, FIELDS)) == expected
    some = [AGE, WEIGHT._replace(used=False), KIND, MEMBER._replace(used=False)]
    assert list(rows._records("v", given, some)) == [(age, kind) for age, _, kind, _ in expected]
    raises(ValueError, "v[3].kind must be one of new, old", lambda: list(rows._records("v", [*given[:3], (1, 1, "x", True)], FIELDS)))
    raises(ValueError, "v[2].age must be a whole number", lambda: list(rows._records("v", [*given[:2], (1.5, 1, "new", True)], some)))
    raises(ValueError, "v[1].member must be True or False", lambda: list(rows._records("v", [given[0], (1, 1, "new", 7)], some)))
    raises(ValueError, "v[5].kind must be one of new, old", lambda: list(rows._records("v", [*given, given[0], (1, 1, "x", True)], FIELDS)))
    raises(TypeError, "v must be a list of records, and it is of type int", lambda: list(rows._records("v", 5, FIELDS)))
    assert list(rows._records("v", [1, 2], [COUNT._replace(name="")])) == [(6,), (12,)]


# ---------------------------------------------------------------- questions of the run


def test_questions_are_answered_by_whoever_is_there() -> None:
    asked: list[Any] = []
    assert rows._ask([5, 7], 1, 3) == 7
    with rows._asking(lambda place, given: asked.append((place, given)) or "told"):
        assert rows._ask([5, 7], 1, 3, 4) == "told" and rows._ask([], 0) == "told"
        with rows._asking(lambda place, given: "inner"):
            assert rows._ask([], 0) == "inner"
        assert rows._ask([], 0) == "told"
    assert rows._ask([5, 7], 0) == 5 and asked == [(1, (3, 4)), (0, ()), (0, ())] and rows._asked.get() is None
    with pytest.raises(KeyError), rows._asking(lambda place, given: 1):
        raise KeyError
    assert rows._asked.get() is None


# ---------------------------------------------------------------- files

CELLS: list[tuple[rows._Field, str, Any]] = [
    (KIND, " new", " new"), (KIND, "1", "1"), (MEMBER, "true", True), (MEMBER, " FALSE ", False), (MEMBER, "1", True), (MEMBER, "0", False), (MEMBER, "True", True), (MEMBER, "False", False), (AGE, "12", 12),
    (AGE, " -12 ", -12), (AGE, "12.0", 12.0), (AGE, "1e2", 100.0), (AGE, "9" * 30, 10**30 - 1), (WEIGHT, "12", 12.0), (WEIGHT, "0.1", 0.1), (WEIGHT, "-2e-3", -0.002),
]  # fmt: skip


@pytest.mark.parametrize("at", range(len(CELLS)))
def test_a_cell_is_what_python_reads(at: int) -> None:
    field, text, expected = CELLS[at]
    found = rows._from_text("line 2, x", field, text)
    assert found == expected and type(found) is type(expected)
    together = rows._cells(field, [text, text], [2, 3])
    assert together == [expected] * 2 and [*map(type, together)] == [type(expected)] * 2


@pytest.mark.parametrize(("field", "text"), [(MEMBER, "yes"), (AGE, "x"), (WEIGHT, "nan"), (WEIGHT, "inf"), (WEIGHT, "1e999"), (WEIGHT, ""), (AGE, "-inf"), (AGE, "--1"), (MEMBER, "")])
def test_other_cells_are_refused_without_showing_them(field: rows._Field, text: str) -> None:
    words = f"is not of type {field.kind}, or too large"
    raises(ValueError, f"line 2, x {words}", lambda: rows._from_text("line 2, x", field, text))
    good = "1"
    raises(ValueError, f"line 9, {field.name} {words}", lambda: rows._cells(field, [good, text], [7, 9]))


def test_what_is_a_number_in_a_text() -> None:
    assert [rows._is_number(text) for text in ("1", " 2.5 ", "1e3", "nan", "", "x", "1,5")] == [True, True, True, True, False, False, False]


def read(path: Path, text: str, fields: Sequence[rows._Field], at_once: int = 2) -> list[Any]:
    path.write_text(text, encoding="utf-8")
    return [[list(column) for column in columns] for columns in rows._read_csv(str(path), fields)]


def test_a_file_is_read_by_the_names_in_its_first_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "_AT_ONCE", 2)
    path = tmp_path / "rows.csv"
    text = "kind,more,age\nnew,x,3\n\nold,y,4\nnew,z,5\nold,,6\n"
    assert read(path, text, [AGE, KIND]) == [[[3], ["new"]], [[4, 5], ["old", "new"]], [[6], ["old"]]]
    assert read(path, "\ufeff" + text, [KIND])[0] == [["new"]], "a mark at the start is no name"
    assert read(path, 'kind,age\n"new, or not",3\n', [KIND]) == [[["new, or not"]]] and read(path, "kind\n", [KIND]) == []
    alone = AGE._replace(name="")
    assert read(path, "whatever\n3\n4\n5\n", [alone]) == [[[3, 4]], [[5]]]
    path.write_bytes(b'kind,age\r\n"new\r\nor not",3\r\n')
    assert [[list(c) for c in columns] for columns in rows._read_csv(str(path), [KIND, AGE])] == [[["new\r\nor not"], [3]]], "a cell is as it stands there"
    for text, fields, words in (
        ("kind,age,kind\nnew,3,old\n", [AGE, KIND], f"{path} has several columns kind: its first line must name each once"),
        ("age\n3\n", [AGE, KIND], f"{path} needs the columns age, kind in its first line"),
        ("", [AGE, KIND], f"{path} needs the columns age, kind in its first line"),
        ("a,b\n1,2\n", [alone], f"{path} needs the columns  in its first line"),
        ("3\n4\n", [alone], f"{path} begins with a number: its first line must name the column, or a record would be lost"),
        ("age,kind\n3,new\n4\n", [AGE], f"line 3 of {path} does not have 2 values, as its first line says"),
        ("age,kind\n3,new\n\n4,old\n5,new,6\n", [AGE], f"line 5 of {path} does not have 2 values, as its first line says"),
        ("age,kind\n3,new\n\nx,old\n", [AGE], "line 4, age is not of type int, or too large"),
    ):
        raises(ValueError, words, lambda text=text, fields=fields: read(path, text, fields))
    assert read(path, "age,a,a\n3,1,2\n", [AGE]) == [[[3]]], "others may come twice"
    path.write_bytes(b"age\n\xff\n")
    with pytest.raises(UnicodeDecodeError):
        list(rows._read_csv(str(path), [AGE]))


def test_a_file_gives_its_columns_to_records(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("kind,age,member\nnew,3,yes\nold,400,no\n", encoding="utf-8")
    fields = [AGE, KIND, MEMBER._replace(used=False)]
    file = rows._File(str(path), fields)
    assert [[list(c) for c in columns] for columns in file.columns(["age"])] == [[[3, 400]]]
    assert list(rows._records("v", file, fields)) == [(3, "new"), (100, "old")], "what is not used is not looked at"
    with pytest.raises(ValueError, match=r"^line 2, member is not of type bool"):
        list(rows._records("v", file, [AGE, KIND, MEMBER]))


# ---------------------------------------------------------------- the command


def run(arguments: Sequence[str], function: Callable[..., Any], fields: Sequence[rows._Field] = (AGE,)) -> int:
    return rows._main_over_records(function, fields, lambda: 17, arguments)


def answer(people: Any, T: float, N: int = 3, on: bool = False) -> Any:
    return [list(rows._records("people", people, (AGE,))), T, N, on]


def test_a_command_answers_for_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("age\n3\n400\n", encoding="utf-8")
    assert run([], answer) == run(["--self-test"], answer) == run(["-h"], answer) == 17
    assert run([str(path), "--T", "1/3", "--on", "TRUE"], answer) == 0
    assert capsys.readouterr().out == f"{[[(3,), (100,)], Fraction(1, 3), 3, True]}\n"
    assert run([str(path), "--N", "7", "--T", "0.5"], answer) == 0
    assert capsys.readouterr().out == f"{[[(3,), (100,)], Fraction(1, 2), Fraction(7), False]}\n"
    how = "ValueError: write FILE.csv and --T VALUE --N VALUE --on VALUE\n"
    for arguments in (["--T"], ["--T", "1", "--N"], ["--X", "1"], ["--T", "1", "--X", "1"]):
        assert run([str(path), *arguments], answer) == 2
        assert capsys.readouterr() == ("", how)
    assert run([str(path), "--T", "x"], answer) == 2 and capsys.readouterr().err.startswith("ValueError: Invalid literal for Fraction")
    assert run([str(path), "--T", "1", "--on", "yes"], answer) == 2 and capsys.readouterr().err == "KeyError: 'yes'\n"
    assert run([str(tmp_path / "none.csv"), "--T", "1"], answer) == 2 and capsys.readouterr().err.startswith("FileNotFoundError: ")
    assert run([str(path)], answer) == 2 and capsys.readouterr().err == how
    path.write_bytes(b"age\n\xff\n")
    assert run([str(path), "--T", "1"], answer) == 2
    assert capsys.readouterr() == ("", f"UnicodeError: {path} is not a text in UTF-8\n")


@pytest.mark.parametrize("error", [OSError, ValueError, KeyError, TypeError, IndexError, ZeroDivisionError, RuntimeError, rows.csv.Error])
def test_what_goes_wrong_is_told_in_a_line(error: type[Exception], capsys: pytest.CaptureFixture[str]) -> None:
    def fails(people: Any) -> None:
        raise error("words")

    assert run(["rows.csv"], fails) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and captured.err == f"{error.__name__}: {error('words')}\n"


def test_other_errors_are_defects_and_seen(capsys: pytest.CaptureFixture[str]) -> None:
    def fails(people: Any) -> None:
        raise AttributeError

    with pytest.raises(AttributeError):
        run(["rows.csv"], fails)
    assert sys.float_info.max > 0 and capsys.readouterr() == ("", "")
