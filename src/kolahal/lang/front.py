"""The names that a user's file imports, and the ways from a target to a sketch."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

from kolahal.errors import UsageError
from kolahal.lang.adjacency import Adjacency, EachWithin, Monotone, OneWithin, SumWithin
from kolahal.lang.parse import choose, parse_source
from kolahal.lang.sketch import Sketch
from kolahal.lang.source import Source, read_source


class Private(list[float]):
    """Marks the private input: the list of query answers."""


class Epsilon(float):
    """Marks the privacy budget."""


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

Distance = int | float | str | Fraction


def _distance(distance: Distance) -> Fraction:
    return Fraction(str(distance)) if isinstance(distance, float) else Fraction(distance)


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


def sketch(adjacent: Adjacency) -> Callable[[Callable[..., object]], Sketch]:
    """Read the decorated function as a sketch; the function itself never runs."""
    if not isinstance(adjacent, Adjacency):
        raise UsageError("@sketch needs to know who the neighbours are: @sketch(adjacent=each_within(1))")

    def read(function: Callable[..., object]) -> Sketch:
        try:
            lines, first = inspect.getsourcelines(function)
        except (OSError, TypeError):
            raise UsageError(
                f"the source of {getattr(function, '__name__', function)} is not available; put the sketch into a file"
            ) from None
        path = inspect.getsourcefile(function) or "<unknown>"
        imports = _imports_of(function)
        text = imports + textwrap.dedent("".join(lines))
        return parse_source(Source(path, text, max(first, 1) - imports.count("\n")))[0]

    return read


def _imports_of(function: Callable[..., object]) -> str:
    """One line of imports that gives our names the local names they have where `function` was written."""
    parts = []
    for local, value in getattr(function, "__globals__", {}).items():
        if inspect.ismodule(value) and value.__name__ == "kolahal" and local != "kolahal":
            parts.append(f"import kolahal as {local}")
        parts += [
            f"from kolahal import {name} as {local}" for name, ours in _OURS.items() if value is ours and local != name
        ]
    return "; ".join(parts) + "\n" if parts else ""


_OURS: dict[str, object] = {
    "Private": Private,
    "Epsilon": Epsilon,
    "hole": hole,
    "Lap": Lap,
    "Exp": Exp,
    "DiscreteLap": DiscreteLap,
    "DiscreteExp": DiscreteExp,
    "each_within": each_within,
    "one_within": one_within,
    "sum_within": sum_within,
    "monotone": monotone,
    "sketch": sketch,
}


def load_sketches(target: str | Path) -> tuple[Sketch, ...]:
    """The sketches that `path.py` or `path.py:function` names; nothing is imported or executed."""
    text = str(target)
    path, colon, name = text.rpartition(":")
    if not colon or Path(text).exists() or not name.isidentifier():
        path, name = text, ""
    source = read_source(path)
    sketches = parse_source(source)
    return (choose(sketches, source, name),) if name else sketches
