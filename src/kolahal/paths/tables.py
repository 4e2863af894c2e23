"""Values that depend on finitely many unknowns, each with finitely many values: tables of all that they may be."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from kolahal.lang.operators import OPERATORS
from kolahal.nouns import dataclass
from kolahal.paths.state import MOST_BITS


@dataclass(frozen=True, slots=True)
class Broken:
    """What stands in a table where a run would have stopped with a fault, or where a name has no value."""


class Told:
    """A value that is a function of what is released, and of public inputs, whatever it is. Two of them may differ.

    `kind` is NUMBER or TRUTH where it surely is a number or a truth value, else empty.
    """

    __slots__ = ("kind",)

    def __init__(self, kind: str = "") -> None:
        self.kind = kind


class NotFinite(Exception):
    """Why there is no list of all that a program may do."""


class WouldStop(Exception):
    """An operation that its operands do not allow."""


BROKEN = Broken()
NUMBER, TRUTH = "number", "truth"


@dataclass(frozen=True, slots=True, eq=False)
class ValueTable:
    """`entries[i]` is the value where the unknowns `of`, by number and ascending, have their i-th values: the last one
    changes fastest."""

    of: tuple[int, ...]
    entries: tuple[Any, ...]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ValueTable) and self.of == other.of and key(self.entries) == key(other.entries)

    def __hash__(self) -> int:
        return hash((self.of, key(self.entries)))


def kind_of(value: Any) -> str:
    """NUMBER or TRUTH if a value surely is one, else empty."""
    match value:
        case Told():
            return value.kind
        case ValueTable():
            kinds = set(map(kind_of, value.entries))
            return kinds.pop() if len(kinds) == 1 else ""
        case bool():
            return TRUTH
        case Fraction():
            return NUMBER
    return ""


def key(value: Any) -> Any:
    """A value as it is compared where True and 1 are two answers, which they are to whoever sees them."""
    if isinstance(value, ValueTable):
        return value
    if isinstance(value, tuple):
        return tuple(map(key, value))
    return type(value) is bool, value


def value_of(compared: Any) -> Any:
    """The value, or list of values as a tuple, that has this key."""
    return compared[1] if len(compared) == 2 and isinstance(compared[0], bool) else tuple(map(value_of, compared))


def applied(function: Callable[..., Any], values: Sequence[Any], sizes: Sequence[int], most: int) -> Any:
    """A function of values, each a table or a constant, as a table of the unknowns that it depends on, or as a constant; None
    if that has more than so many entries."""
    of = tuple(sorted({name for value in values if isinstance(value, ValueTable) for name in value.of}))
    if math.prod(sizes[name] for name in of) > most:
        return None
    columns = [_column(value, of, sizes) for value in values]
    return _reduced(of, tuple(_entry(function, row) for row in zip(*columns, strict=True)), sizes)


def _entry(function: Callable[..., Any], row: tuple[Any, ...]) -> Any:
    if BROKEN in row:
        return BROKEN
    try:
        return function(*row)
    except WouldStop:
        return BROKEN


def _column(value: Any, of: tuple[int, ...], sizes: Sequence[int]) -> list[Any]:
    """A value at all values of these unknowns, in the order of a table."""
    if not isinstance(value, ValueTable):
        return [value] * math.prod(sizes[name] for name in of)
    found: list[int] = [0]
    for name in of:  # places in the table of fewer unknowns
        step = sizes[name] if name in value.of else 1
        found = [place * step + (i if name in value.of else 0) for place in found for i in range(sizes[name])]
    return [value.entries[place] for place in found]


def _reduced(of: tuple[int, ...], entries: tuple[Any, ...], sizes: Sequence[int]) -> Any:
    """The same without the unknowns that it does not depend on."""
    keys = [key(entry) for entry in entries]
    after = 1
    for name in reversed(of):
        size, block = sizes[name], after * sizes[name]
        starts = [start for at in range(0, len(keys), block) for start in range(at, at + after)]
        if all(keys[start] == keys[start + i * after] for start in starts for i in range(1, size)):
            keys, entries = [keys[s] for s in starts], tuple(entries[s] for s in starts)
            of = tuple(other for other in of if other != name)
        else:
            after = block
    return ValueTable(of, entries) if of else entries[0]


def looked_up(value: Any, at: Mapping[int, int], sizes: Sequence[int]) -> Any:
    """A value where each unknown has the value of that number."""
    if not isinstance(value, ValueTable):
        return value
    place = 0
    for name in value.of:
        place = place * sizes[name] + at[name]
    return value.entries[place]


def assignments_of(names: Sequence[int], sizes: Sequence[int]) -> list[dict[int, int]]:
    """All that some unknowns may be, each by the number of its value."""
    return [dict(zip(names, chosen, strict=True)) for chosen in itertools.product(*[range(sizes[n]) for n in names])]


# ---------------------------------------------------------------- operations on single values


def truth_of(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    raise WouldStop


def number_of(value: Any) -> Any:
    if value is None or isinstance(value, bool | tuple):
        raise WouldStop
    return value


def items_of(value: Any) -> Any:
    if isinstance(value, tuple):
        return value
    raise WouldStop


def item_of(items: Any, at: Any) -> Any:
    if not -len(items_of(items)) <= number_of(at) < len(items):
        raise WouldStop
    return items[math.trunc(at)]


def of_kind(kind: str, *values: Any) -> str:
    """The kind, if all values surely are of it."""
    return kind if all(kind_of(value) == kind for value in values) else ""


def surely(op: str, left: Any, right: Any) -> str:
    """The kind of what an operation surely gives, whatever its operands are; empty if it may stop the run."""
    if op in ("==", "!="):
        return TRUTH
    if not of_kind(NUMBER, left, right):
        return ""
    if op in ("/", "//", "%"):
        divisors = right.entries if isinstance(right, ValueTable) else (right,)
        return "" if any(isinstance(divisor, Told) or divisor == 0 for divisor in divisors) else NUMBER
    return NUMBER if op in ("+", "-", "*") else TRUTH


def operation_of(op: str) -> Callable[[Any, Any], Any]:
    def operate(left: Any, right: Any) -> Any:
        if op in ("==", "!="):
            return (left == right) == (op == "==")
        if op in ("/", "//", "%") and number_of(right) == 0:
            raise WouldStop
        found = OPERATORS[op](number_of(left), number_of(right))
        if isinstance(found, bool):
            return found
        if max(found.numerator.bit_length(), found.denominator.bit_length()) > MOST_BITS:
            raise NotFinite("a number is too long")
        return Fraction(found)

    return operate
