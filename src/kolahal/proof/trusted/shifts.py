"""How far each draw moves between the two runs: the randomness alignment as data, and in words."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Form:
    """A shift: `units` times the adjacency's distance, minus the difference of the sum that the draw is part of if
    `cancel`, plus the difference of the variable `follow` between the runs."""

    units: Fraction = Fraction(0)
    cancel: bool = False
    follow: str | None = None


@dataclass(frozen=True, slots=True)
class Always:
    form: Form


@dataclass(frozen=True, slots=True)
class ByBranch:
    """One shift if the first run takes `branch`, another if not; the second run must decide it alike."""

    branch: int
    then: Form
    orelse: Form


@dataclass(frozen=True, slots=True)
class AtGhost:
    """One shift for the noise of the answer at place ghost − `offset`, another for all others."""

    offset: int
    then: Form
    orelse: Form


Shift: TypeAlias = Always | ByBranch | AtGhost


@dataclass(frozen=True, slots=True)
class Alignment:
    """A shift for each draw, by site; `ghost` is the variable whose final value the runs are sorted by."""

    shifts: tuple[Shift, ...]
    ghost: str | None

    def consulted(self) -> frozenset[int]:
        return frozenset(shift.branch for shift in self.shifts if isinstance(shift, ByBranch))


def describe_form(form: Form, single: bool) -> str:
    """A shift in words."""
    unit = "the size of the move" if single else "the distance"
    parts = []
    if form.units:
        parts.append(unit if form.units == 1 else f"{form.units} × {unit}")
    if form.cancel:
        parts.append("what makes its sum equal in both runs")
    if form.follow is not None:
        parts.append(f"the difference of `{form.follow}`")
    return " plus ".join(parts) or "nothing"


def describe_shift(shift: Shift, single: bool) -> str:
    """A rule in words."""
    match shift:
        case Always(form):
            return f"moves by {describe_form(form, single)}"
        case ByBranch(branch, then, orelse):
            return (
                f"moves by {describe_form(then, single)} if condition number {branch + 1} of the program holds, "
                f"else by {describe_form(orelse, single)}"
            )
        case AtGhost(offset, then, orelse):
            chosen = "the ghost" if offset == 0 else f"the ghost {'-' if offset > 0 else '+'} {abs(offset)}"
            return (
                f"moves by {describe_form(then, single)} for the answer at place {chosen}, counted from 0, "
                f"else by {describe_form(orelse, single)}"
            )
