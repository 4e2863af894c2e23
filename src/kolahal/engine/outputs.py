"""The answers of many runs as arrays, and which of them are in an event."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kolahal.engine.noise import Array
from kolahal.model import AllOf, Anything, Equals, Event, Linear, OneOf, StartsWith, Within
from kolahal.nouns import dataclass

UNSET, NONE, BOOLEAN, NUMBER = range(4)  # kinds of a scalar
SCALAR = -1  # the length of an answer that is no list

KindCodes = NDArray[np.uint8]
Lengths = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Outputs:
    """Answers of runs: item i of run r is `values[i, r]`, of kind `kinds[i, r]`; `lengths[r]` is SCALAR or a count.

    Beyond its length the kinds of an answer are UNSET; where nobody tells numbers, the values there may be anything.
    """

    lengths: Lengths  # (runs,)
    kinds: KindCodes  # (items, runs)
    values: Array  # (items, runs)

    @property
    def runs(self) -> int:
        return len(self.lengths)

    def row(self, run: int) -> Any:
        """The answer of one run as a Python value."""
        length = int(self.lengths[run])
        width = 1 if length == SCALAR else length
        items = [_scalar(int(self.kinds[i, run]), float(self.values[i, run])) for i in range(width)]
        return items[0] if length == SCALAR else tuple(items)

    def rows(self) -> list[Any]:
        return [self.row(run) for run in range(self.runs)]


def _scalar(kind: int, value: float) -> Any:
    match kind:
        case 1:
            return None
        case 2:
            return bool(value)
        case _:
            return value


def pack(rows: Sequence[Any]) -> Outputs:
    """Answers as Python values, as arrays."""
    lists = [row if isinstance(row, tuple) else (row,) for row in rows]
    width = max(map(len, lists), default=1) or 1
    kinds, values = np.zeros((width, len(rows)), dtype=np.uint8), np.zeros((width, len(rows)))
    for run, items in enumerate(lists):
        for place, item in enumerate(items):
            kinds[place, run] = NONE if item is None else BOOLEAN if isinstance(item, bool) else NUMBER
            values[place, run] = item or 0.0
    lengths = [len(row) if isinstance(row, tuple) else SCALAR for row in rows]
    return Outputs(np.array(lengths, dtype=np.int64), kinds, values)


def join(parts: list[Outputs]) -> Outputs:
    """Outputs of several batches as one."""
    width = max((p.values.shape[0] for p in parts), default=1)

    def wide(array: NDArray[Any]) -> NDArray[Any]:
        return np.pad(array, ((0, width - array.shape[0]), (0, 0)))

    return Outputs(
        np.concatenate([p.lengths for p in parts]),
        np.concatenate([wide(p.kinds) for p in parts], axis=1),
        np.concatenate([wide(p.values) for p in parts], axis=1),
    )


def hits(event: Event, outputs: Outputs) -> Mask:
    """Which runs ended in `event`; agrees with `model.contains`."""
    found: Mask = _hits(event, outputs)
    return found


def _hits(event: Event, outputs: Outputs) -> Any:
    match event:
        case Equals(value=tuple() as values):
            return (outputs.lengths == len(values)) & _prefix(values, outputs)
        case Equals() | Within():
            return (outputs.lengths == SCALAR) & _item(event, outputs, 0)
        case Anything():
            return np.ones(outputs.runs, dtype=bool)
        case StartsWith(values):
            return (outputs.lengths >= len(values)) & _prefix(values, outputs)
        case AllOf(events):
            found = outputs.lengths == len(events)
            if found.any():
                for place, part in enumerate(events):
                    found &= _item(part, outputs, place)
            return found
        case Linear(weights, low):
            found = outputs.lengths == len(weights)
            if not found.any():
                return found
            found &= (outputs.kinds[: len(weights)] == NUMBER).all(axis=0)
            with np.errstate(all="ignore"):  # lists of other lengths hold nonsense here
                # One by one and not as a matrix product, which adds in an order of its own.
                total = sum(float(w) * value for w, value in zip(weights, outputs.values))
            return found & np.greater_equal(total, float(low))
        case OneOf(events):
            return (
                np.logical_or.reduce([hits(e, outputs) for e in events])
                if events
                else np.zeros(outputs.runs, dtype=bool)
            )


def _prefix(values: tuple[Any, ...], outputs: Outputs) -> Any:
    found = np.ones(outputs.runs, dtype=bool)
    if len(values) > outputs.values.shape[0]:
        return ~found
    for place, value in enumerate(values):
        found &= _item(Equals(value), outputs, place)
    return found


def _item(event: Event, outputs: Outputs, place: int) -> Any:
    if place >= outputs.values.shape[0]:
        return np.zeros(outputs.runs, dtype=bool)
    kinds, values = outputs.kinds[place], outputs.values[place]
    match event:
        case Equals(value=None):
            return kinds == NONE
        case Equals(value=bool() as value):
            return (kinds == BOOLEAN) & (values == float(value))
        case Equals(value=Fraction() as value):
            return (kinds == NUMBER) & (values == float(value))
        case Within(low, high):
            found = kinds == NUMBER
            if low is not None:
                found = found & (values >= float(low))
            if high is not None:
                found = found & (values <= float(high))
            return found
        case _:
            return np.ones(outputs.runs, dtype=bool)
