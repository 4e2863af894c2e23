"""The values of many runs at once: a scalar or a list for each lane. Idle lanes may hold nonsense, never trap.

Arrays are as long as there are lanes, some thousand, so what is asked for each value of each expression counts: each function
here is the fastest of those that numpy has for it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from kolahal.engine.noise import Array
from kolahal.engine.outputs import NONE, NUMBER, UNSET, KindCodes, Lengths, Mask
from kolahal.nouns import dataclass


class Lanes(NamedTuple):  # made for every value of every expression
    """One scalar a lane; a kind or a value that all lanes share is a single one."""

    kind: int | KindCodes
    value: Any  # number or truth value, or an array of these

    def where(self, mask: Any, old: Lanes) -> Lanes:
        """These in the lanes of `mask`, `old` in the rest."""
        if not (is_single(self.kind) and is_single(old.kind) and int(self.kind) == int(old.kind)):
            return Lanes(np.where(mask, self.kind, old.kind).astype(np.uint8), np.where(mask, self.value, old.value))
        value = np.empty(mask.shape) if is_single(old.value) else old.value.copy()
        if is_single(old.value):
            value.fill(old.value)
        np.copyto(value, self.value, where=mask, casting="unsafe")
        return Lanes(self.kind, value)

    def equals(self, other: Lanes) -> Any:
        """Whether two scalars are equal, as Python has it: of one kind, and of the same value unless both are None."""
        if is_single(self.kind) and is_single(other.kind):
            return self.kind == other.kind and (self.kind == NONE or self.value == other.value)
        return np.equal(self.kind, other.kind) & (np.equal(self.value, other.value) | np.equal(self.kind, NONE))


@dataclass(slots=True)
class Items:
    """One list a lane: `front` grows by insert(0, …) and is kept in reverse, `back` by append."""

    runs: int
    front: Stack
    back: Stack

    @staticmethod
    def of(value: Any, runs: int) -> Items:
        """A list as one that can differ between lanes; an empty one of what is no list."""
        if isinstance(value, Items):
            return value
        made = Items(runs, Stack.empty(runs), Stack.empty(runs))
        if isinstance(value, PrivateLanes):
            for place in range(value.lengths):
                made.back.push(value.at(place), np.ones(runs, dtype=bool))
        return made

    @property
    def lengths(self) -> Lengths:
        return self.front.lengths + self.back.lengths

    def at(self, place: Any) -> Lanes:
        """The items at `place`, counted from 0; out of range gives nonsense."""
        ahead = self.front.lengths
        if not in_some(ahead):
            return self.back.at(place)
        first, second = self.front.at(ahead - 1 - place), self.back.at(place - ahead)
        return first.where(place < ahead, second)


    def as_stack(self, mask: Mask) -> Stack:
        """All items in their order, where `mask` holds."""
        if not in_some(self.front.lengths):
            return self.back
        found = Stack.empty(self.runs, int(self.lengths.max(initial=1)))
        for place in range(int(self.lengths[mask].max(initial=0))):
            found.push(self.at(np.full(self.runs, place)), mask & (self.lengths > place))
        return found


@dataclass(slots=True)
class Stack:
    """Items that are added at one end."""

    lengths: Lengths  # (runs,)
    kinds: Any  # codes, (room, runs); a single one where all items have it, and UNSET where there are none
    values: Array  # (room, runs)

    @staticmethod
    def empty(runs: int, room: int = 4) -> Stack:
        return Stack(np.zeros(runs, dtype=np.int64), UNSET, np.zeros((room, runs)))

    def at(self, place: Any) -> Lanes:
        top = len(self.values) - 1
        if is_single(place):
            rows: Any = min(max(int(place), 0), top)
            return Lanes(self.kinds if is_single(self.kinds) else self.kinds[rows], self.values[rows])
        rows, lanes = np.clip(np.asarray(place, dtype=np.int64), 0, top), np.arange(len(self.lengths))
        return Lanes(self.kinds if is_single(self.kinds) else self.kinds[rows, lanes], self.values[rows, lanes])

    def push(self, item: Lanes, mask: Mask) -> None:
        """An item more in the lanes of `mask`."""
        rows = self.lengths[mask]
        if not len(rows):
            return
        row = int(rows[0])
        if not in_some(rows != row):  # the common case: lanes in step
            self.make_room(row, item.kind)
            np.copyto(self.values[row], item.value, where=mask, casting="unsafe")
            if not is_single(self.kinds):
                np.copyto(self.kinds[row], item.kind, where=mask)
        else:
            self.make_room(int(rows.max()), item.kind)
            (lanes,) = mask.nonzero()
            self.values[rows, lanes] = np.broadcast_to(item.value, mask.shape)[lanes]
            if not is_single(self.kinds):
                self.kinds[rows, lanes] = np.broadcast_to(item.kind, mask.shape)[lanes]
        self.lengths += mask

    def put(self, row: int, item: Lanes) -> None:
        """Let all lanes have an item in a row; those that are shorter have nonsense there."""
        self.make_room(row, item.kind)
        self.values[row] = item.value
        if not is_single(self.kinds):
            self.kinds[row] = item.kind

    def make_room(self, row: int, kind: Any) -> None:
        """For an item of a kind in a row."""
        while row >= len(self.values):
            self.values = np.concatenate([self.values, np.zeros_like(self.values)])
            if not is_single(self.kinds):
                self.kinds = np.concatenate([self.kinds, np.zeros_like(self.kinds)])
        if is_single(self.kinds) and not (is_single(kind) and self.kinds == kind):
            self.kinds = int(kind) if is_single(kind) and self.kinds == UNSET else self.all_kinds()

    def all_kinds(self) -> KindCodes:
        """The kind of each item, and UNSET where there is none."""
        there = np.arange(len(self.values))[:, None] < self.lengths
        return np.where(there, self.kinds, UNSET).astype(np.uint8)

    def merged(self, mask: Mask, other: Stack) -> Stack:
        """This stack in the lanes of `mask`, `other` in the rest."""
        room = max(len(self.values), len(other.values))

        def wide(array: Any) -> Any:
            return array if len(array) == room else np.pad(array, ((0, room - len(array)), (0, 0)))

        alike = is_single(self.kinds) and is_single(other.kinds) and self.kinds == other.kinds
        return Stack(
            np.where(mask, self.lengths, other.lengths),
            self.kinds if alike else np.where(mask, wide(self.all_kinds()), wide(other.all_kinds())),
            np.where(mask, wide(self.values), wide(other.values)),
        )


@dataclass(slots=True)
class PrivateLanes:
    """The private answers: the same list in every lane."""

    values: Array  # (answers,)
    kind: int = NUMBER

    @property
    def lengths(self) -> int:
        return len(self.values)

    def at(self, place: Any) -> Lanes:
        if not len(self.values):
            return Lanes(self.kind, 0.0)
        if is_single(place):
            return Lanes(self.kind, float(self.values[min(max(int(place), 0), len(self.values) - 1)]))
        return Lanes(self.kind, np.take(self.values, np.asarray(place, dtype=np.int64), mode="clip"))


def are_outside(place: Any, length: Any) -> Any:
    """Whether places are in no list of some length, counted from either end."""
    if is_single(place) and is_single(length):
        return not -length <= place < length
    return np.logical_not((place >= np.negative(length)) & (place < length))


def in_some(lanes: Any) -> bool:
    """Whether something holds in a lane."""
    return bool(lanes[lanes.argmax()])


def is_single(value: Any) -> bool:
    """Whether all lanes share a value; np.ndim says the same and takes ten times as long for Python's own numbers."""
    return bool(getattr(value, "ndim", 0) == 0)


def in_step(values: Any, mask: Mask) -> Any:
    """The value that all lanes of `mask` share, as a single one, where they do: most loops count alike in every lane."""
    if is_single(values):
        return values
    own = values[mask]
    return own[0] if len(own) and not in_some(own != own[0]) else values


def any_in(condition: Any, mask: Mask) -> bool:
    """Whether a condition holds in a lane of `mask`."""
    if is_single(condition):
        return bool(condition) and in_some(mask)
    return in_some(condition & mask)
