"""Data classes whose methods are made when they are called are what they would be otherwise."""

import dataclasses
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = '''
import copy
import pickle
from dataclasses import FrozenInstanceError, dataclass, field, fields, replace

@dataclass(frozen=True, slots=True)
class Point:
    x: int
    y: int = 2
    rest: tuple = field(default=(), compare=False)

@dataclass(frozen=True, slots=True)
class Named(Point):
    name: str = ""

    def __post_init__(self):
        object.__setattr__(self, "name", self.name or "nobody")

@dataclass(order=True)
class Loose:
    items: list = field(default_factory=list)

def said(work):
    try:
        return repr(work())
    except Exception as error:
        return f"{type(error).__name__}: {error}"

def attempts():
    yield lambda: Point()
    yield lambda: Point(1, 2, (), 4)
    yield lambda: Point(1, z=3)
    yield lambda: (Point(1), Point(1, 3), Named(1), Named(1, name="a"))
    yield lambda: (Point(1) == Point(1, 2, (5,)), Point(1) == Point(2), Point(1) == Named(1), Named(1) == Named(1), Point(1) == 1)
    yield lambda: (hash(Point(1)) == hash((1, 2)), {Named(1), Named(1)} == {Named(1)})
    yield lambda: replace(Named(1), x=7, name="b")
    yield lambda: setattr(Point(1), "x", 2)
    yield lambda: setattr(Named(1), "name", "")
    yield lambda: delattr(Named(1), "x")
    yield lambda: (pickle.loads(pickle.dumps(Named(3))), copy.copy(Point(4)), copy.deepcopy(Loose([1])))
    yield lambda: (Loose([1]) < Loose([2]), Loose().items is Loose().items, sorted([Loose([2]), Loose([1])]))
    yield lambda: [part.name for part in fields(Named)]
    yield lambda: (Named.__eq__.__qualname__, Point.__match_args__)
    yield lambda: super(Named, Named(1)).__repr__()

for turn in range(2):  # when they are made, and afterwards
    for attempt in attempts():
        print(said(attempt))
'''


def _printed(folder: Path, start: str) -> str:
    file = folder / "points.py"
    file.write_text(PROGRAM, encoding="utf-8")
    text = f"import sys, runpy; sys.argv = [{start!r}]; import kolahal.early; runpy.run_path({str(file)!r}, run_name='__main__')"
    return subprocess.run([sys.executable, "-c", text], check=True, text=True, capture_output=True).stdout


def test_methods_that_are_made_on_use_do_what_others_do(tmp_path: Path) -> None:
    printed = _printed(tmp_path, "kolahal")
    assert printed == _printed(tmp_path, "another")
    assert "FrozenInstanceError" in printed and "missing 1 required positional argument" in printed


@pytest.mark.skipif(not hasattr(dataclasses, "_create_fn"), reason="this Python makes all methods of a class at once")
def test_a_command_makes_them_on_use_and_nobody_else_does() -> None:
    ask = "import sys; sys.argv = [{!r}]; import kolahal.early, dataclasses; print(dataclasses._create_fn.__module__)"
    said = [
        subprocess.run([sys.executable, "-c", ask.format(name)], check=True, text=True, capture_output=True).stdout
        for name in ("kolahal", "another")
    ]
    assert said == ["kolahal.early\n", "dataclasses\n"]
