"""A variable of both runs, as invariants speak of it."""

from __future__ import annotations

from kolahal.logic.terms import Formula, Sum
from kolahal.nouns import dataclass


@dataclass(frozen=True, slots=True)
class Both:
    """A number in both runs; `known` says where it is not None."""

    one: Sum
    two: Sum
    known: Formula
    counts: bool  # whether it is a whole number by the program's own types, and not only because answers are

    @property
    def difference(self) -> Sum:
        return self.two - self.one
