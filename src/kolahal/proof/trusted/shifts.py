"""How far each draw moves between the two runs: the randomness alignment as data, and in words."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TypeAlias

from kolahal.lang.noise import Noise
from kolahal.lang.scale import Scale
from kolahal.logic.terms import Formula
from kolahal.nouns import dataclass


@dataclass(frozen=True, slots=True)
class Form:
    """A shift: `units` times the adjacency's distance, minus the difference of the sum that the draw is part of if
    `cancel`, plus the difference of the variable `follow` between the runs, plus what makes the sum follow the largest of
    the others if `lead`."""

    units: Fraction = Fraction(0)
    cancel: bool = False
    follow: str | None = None
    lead: bool = False


@dataclass(frozen=True, slots=True)
class Always:
    form: Form


@dataclass(frozen=True, slots=True)
class ByBranch:
    """One shift if the first run takes `branch`, another if not; the second run must come to the same shift."""

    branch: Asked
    then: ShiftRule
    orelse: ShiftRule


@dataclass(frozen=True, slots=True)
class AtGhost:
    """One shift for the noise of the answer at place ghost − `offset`, another for all others; `which` ghost."""

    offset: int
    then: ShiftRule
    orelse: ShiftRule
    which: int = 0


@dataclass(frozen=True, slots=True)
class AtValue:
    """One shift where a whole variable of the first run is the argument `of` (0 without one) plus `plus` when the noise
    is drawn, another elsewhere."""

    name: str
    of: str | None
    plus: int
    then: ShiftRule
    orelse: ShiftRule


Asked: TypeAlias = int | tuple[int, int]  # a condition of the program by its number, or a part of one by its own
ShiftRule: TypeAlias = Form | ByBranch | AtGhost | AtValue
Shift: TypeAlias = Always | ByBranch | AtGhost | AtValue


@dataclass(frozen=True, slots=True)
class FollowedSums:
    """The largest (or `least`) of the noisy sums of all answers but those that the ghosts name; `sites` draw their noise."""

    sites: tuple[int, ...]
    least: bool = False


@dataclass(frozen=True, slots=True)
class Alignment:
    """A shift for each draw, by site; `ghosts` are the variables whose final values the runs are sorted by."""

    shifts: tuple[Shift, ...]
    ghosts: tuple[str, ...] = ()
    renewed: tuple[int | None, ...] = ()  # by ghost, a loop: its value is that at the next arrival there, again and again
    reach: tuple[Scale | None, ...] = ()  # by site, the longest shift in units of the move, where that is promised
    lead: FollowedSums | None = None  # which sums the shifts with `lead` follow
    closed: tuple[tuple[int, tuple[Formula, ...]], ...] = ()  # by loop, each says that no watched place is noted any more

    def renewal(self, which: int) -> int | None:
        return self.renewed[which] if which < len(self.renewed) else None

    def limit(self, site: int) -> Scale | None:
        return self.reach[site] if site < len(self.reach) else None

    def chosen(self, site: int, decisions: Mapping[Asked, bool]) -> ShiftRule:
        """The rule that is left for a draw once the conditions are decided."""
        shift = self.shifts[site]
        return _settled(shift.form if isinstance(shift, Always) else shift, decisions)


def _settled(rule: ShiftRule, decisions: Mapping[Asked, bool]) -> ShiftRule:
    match rule:
        case ByBranch(branch, then, orelse):
            return _settled(then if decisions.get(branch) else orelse, decisions)
        case AtGhost(offset, then, orelse, which):
            return AtGhost(offset, _settled(then, decisions), _settled(orelse, decisions), which)
        case AtValue(name, of, plus, then, orelse):
            return AtValue(name, of, plus, _settled(then, decisions), _settled(orelse, decisions))
        case _:
            return rule


def describe_form(form: Form, single: bool, noise: Noise = Noise.LAPLACE) -> str:
    """A shift in words."""
    if noise.finite:
        where = ["always"] * bool(form.units) + ["where its truth value would differ between the runs"] * form.cancel
        where += [] if form.follow is None else [f"where `{form.follow}` differs"]
        return f"to its other side {', and back '.join(where)}" if where else "nothing"
    unit = "the size of the move" if single else "the distance"
    parts = []
    if form.units:
        parts.append(unit if form.units == 1 else f"{form.units} × {unit}")
    if form.cancel:
        parts.append("what makes its sum equal in both runs")
    if form.follow is not None:
        parts.append(f"the difference of `{form.follow}`")
    if form.lead:
        parts.append("how far the first of the others moves")
    return " plus ".join(parts) or "nothing"


def describe_shift(shift: Shift, single: bool, noise: Noise = Noise.LAPLACE) -> str:
    """A rule in words."""
    told = _describe(shift.form if isinstance(shift, Always) else shift, single, noise)
    if noise.selects:
        return f"is the same place, which may fall behind any other by {told}"
    return f"is turned over: {told}" if noise.finite else f"moves by {told}"


def _describe(rule: ShiftRule, single: bool, noise: Noise) -> str:
    match rule:
        case ByBranch(branch, then, orelse):
            where = f"if {describe_asked(branch)} of the program holds"
        case AtGhost(offset, then, orelse, which):
            ghost = "the ghost" if which == 0 else f"ghost {which + 1}"
            chosen = ghost if offset == 0 else f"{ghost} {'-' if offset > 0 else '+'} {abs(offset)}"
            where = f"for the answer at place {chosen}, counted from 0"
        case AtValue(name, of, plus, then, orelse):
            value = str(plus) if of is None else of if not plus else f"{of} {'-' if plus < 0 else '+'} {abs(plus)}"
            where = f"where `{name}` is {value}"
        case form:
            return describe_form(form, single, noise)
    return f"{_inner(then, single, noise)} {where}, else {'' if noise.finite else 'by '}{_describe(orelse, single, noise)}"


def _inner(rule: ShiftRule, single: bool, noise: Noise) -> str:
    told = _describe(rule, single, noise)
    return told if isinstance(rule, Form) else f"({told})"


def describe_asked(branch: Asked) -> str:
    """A condition in words; conditions and their parts are counted from 1."""
    if isinstance(branch, int):
        return f"condition number {branch + 1}"
    return f"part {branch[1] + 1} of condition number {branch[0] + 1}"
