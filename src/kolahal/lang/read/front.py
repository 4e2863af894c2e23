"""The names that a user's file imports, and the ways from a target to a sketch."""

from __future__ import annotations

import builtins
import inspect
import math
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from math import sqrt as sqrt
from pathlib import Path
from typing import Any

from kolahal.errors import UsageError
from kolahal.lang.accounting import gdp_of
from kolahal.lang.adjacency import Adjacency, EachWithin, Monotone, OneWithin, SumWithin
from kolahal.lang.read.parse import Seen, parse_function, parse_named, parse_source
from kolahal.lang.read.scopes import OURS, PYTHONS, USUAL
from kolahal.lang.read.tree import Aliases
from kolahal.lang.records.moves import AddRemove, Replace
from kolahal.lang.scale import parse_number
from kolahal.lang.sketch import Sketch
from kolahal.lang.source import Source, read_source, with_newlines

Distance = int | float | str | Fraction


class Private(list[float]):
    """Marks the private input: the list of query answers; `Private[int]` whole ones, `Private[bool]` bits, `Private[7]` exactly seven."""

    def __class_getitem__(cls, declared: object) -> type[Private]:  # type: ignore[override]
        return cls  # what is declared is read from the source, like everything else


class Records(list[Any]):
    """Marks private records: `Records` numbers, `Records[Between(0, 1)]` clamped ones, `Records[Row]` rows of a class."""

    def __class_getitem__(cls, declared: object) -> type[Records]:  # type: ignore[override]
        return cls  # read from the source, too


class Between(float):
    """The type of a field whose values lie between two numbers; those outside are moved to the nearer one."""

    def __new__(cls, low: Distance, high: Distance, whole: bool = False) -> Between:
        return super().__new__(cls, float(high))


def clip(value: float, low: float, high: float) -> float:
    """The number between `low` and `high` that is nearest to `value`."""
    return min(max(value, low), high)


class Epsilon(float):
    """Marks the privacy budget: ε-DP, or (ε, δ)-DP beside a `Delta`."""


class Rho(float):
    """Marks the privacy budget of zero-concentrated privacy: ρ-zCDP."""


class Mu(float):
    """Marks the privacy budget of Gaussian privacy: μ-GDP."""


class Delta(float):
    """Marks δ of (ε, δ)-DP, beside an `Epsilon`."""


def gdp(epsilon: float, delta: float) -> float:
    """The μ whose trade-off curve touches (ε, δ): a μ-GDP program is (ε, δ)-DP, and none with a larger μ need be."""
    return gdp_of(epsilon, delta)


class _Hole:
    def __repr__(self) -> str:
        return "hole"


hole = _Hole()


def _only_in_sketches(name: str) -> Callable[[object], float]:
    def draw(scale: object) -> float:
        raise UsageError(f"{name}(…) draws noise only inside a function decorated with @sketch")

    draw.__name__ = name
    return draw


Lap = _only_in_sketches("Lap")
Exp = _only_in_sketches("Exp")
DiscreteLap = _only_in_sketches("DiscreteLap")
DiscreteExp = _only_in_sketches("DiscreteExp")
Geometric = _only_in_sketches("Geometric")
Flip = _only_in_sketches("Flip")
Gauss = _only_in_sketches("Gauss")
DiscreteGauss = _only_in_sketches("DiscreteGauss")
Noise = _only_in_sketches("Noise")  # of a family that is left open


def choose(scores: object, scale: object) -> int:
    """A place of a list of scores, with probability proportional to exp(score/scale): the exponential mechanism."""
    raise UsageError("choose(…) draws a place only inside a function decorated with @sketch")


def Pick(scale: object, k: int) -> int:
    """0, or with probability exp(−1/scale) times that each of 1, …, k − 1."""
    raise UsageError("Pick(…) draws a number only inside a function decorated with @sketch")



def _distance(distance: Distance) -> Fraction:
    try:
        return parse_number(str(distance)) if isinstance(distance, float | str) else Fraction(distance)
    except (TypeError, ValueError):
        raise UsageError(f"{distance!r} is not a distance; write a number above 0, such as 1 or 0.5") from None


def each_within(distance: Distance) -> Adjacency:
    """Every answer may move by at most `distance`."""
    return EachWithin(_distance(distance))


def one_within(distance: Distance) -> Adjacency:
    """One answer may move by at most `distance`, the others stay."""
    return OneWithin(_distance(distance))


def sum_within(distance: Distance) -> Adjacency:
    """The moves of all answers add up to at most `distance`."""
    return SumWithin(_distance(distance))


def monotone(distance: Distance) -> Adjacency:
    """All answers move the same way, each by at most `distance`."""
    return Monotone(_distance(distance))


def add_remove(records: int = 1) -> Adjacency:
    """Up to so many records more or fewer: how many there are is private."""
    return AddRemove.declared(records)


def replace(records: int = 1) -> Adjacency:
    """Up to so many records changed: how many there are is public."""
    return Replace.declared(records)


def sketch(adjacent: Adjacency | None = None) -> Callable[[Callable[..., object]], Sketch]:
    """Read the decorated function as a sketch; the function itself never runs."""
    if not isinstance(adjacent, Adjacency):
        raise UsageError("@sketch needs to know who the neighbours are: @sketch(adjacent=each_within(1))")

    def read(function: Callable[..., object]) -> Sketch:
        try:
            lines, _ = inspect.findsource(function)
            path = inspect.getsourcefile(function)
            line = function.__code__.co_firstlineno  # that of the first decorator
        except (OSError, TypeError, AttributeError):
            raise UsageError(
                f"the source of {getattr(function, '__name__', function)} is not available; put the sketch into a file"
            ) from None
        text = Source(path or "<unknown>", with_newlines("".join(lines)))
        return parse_function(text, line, Seen(meanings(function), adjacent, _noted(function)))

    return read


def meanings(function: Callable[..., object]) -> Aliases:
    """What each name that `function` sees means, or "" where that is nothing of a sketch's."""
    seen = {**_PYTHONS, **vars(builtins), **getattr(function, "__globals__", {})}
    code = getattr(function, "__code__", None)
    for name, cell in zip(getattr(code, "co_freevars", ()), getattr(function, "__closure__", None) or ()):
        seen.pop(name, None)
        with suppress(ValueError):  # it gets its value later, and the text says which
            seen[name] = cell.cell_contents
    return {name: _meaning(value) for name, value in seen.items()}


def _noted(function: Callable[..., object]) -> Aliases:
    """What each annotation means that Python has evaluated; one that is kept as text is read from the source."""
    try:
        notes = dict(getattr(function, "__annotations__", {}))
    except NameError:  # evaluated late, and a name is missing
        return {}
    return {name: _meaning(note) for name, note in notes.items() if not isinstance(note, str)}


def _meaning(value: object) -> str:
    if value is sys.modules.get("kolahal"):
        return "kolahal" if all(getattr(value, name, None) is ours for name, ours in _OURS.items()) else ""
    return _NAMES.get(id(value), "")


_OURS: dict[str, object] = {name: globals()[name] for name in OURS}
_PYTHONS: dict[str, object] = {name: getattr(builtins, name) for name in PYTHONS}  # as they were
_NAMES = {
    **{id(ours): name for name, ours in _OURS.items()},
    **{id(python): USUAL[name] for name, python in _PYTHONS.items()},
    id(Fraction): USUAL["Fraction"],
    id(sqrt): USUAL["sqrt"],
    id(math): USUAL["math"],
}


def load_sketches(target: str | Path) -> tuple[Sketch, ...]:
    """The sketches that `path.py` or `path.py:function` names; nothing is imported or executed."""
    path, name = split_target(target)
    source = read_source(path)
    return (parse_named(source, name),) if name else parse_source(source)


def split_target(target: str | Path) -> tuple[str, str]:
    """The path and the function of a target; no function where it names a whole file."""
    text = str(target)
    path, colon, name = text.rpartition(":")
    if not colon or os.path.exists(text) or not name.isidentifier():
        return text, ""
    return path, name
