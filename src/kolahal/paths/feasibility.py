"""Which comparisons of unknown values can hold together, within a budget of counted work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from kolahal.lang.ir import Node
from kolahal.lang.sketch import Sketch
from kolahal.logic.counting import take_steps
from kolahal.logic.linear import Inequality, LinearForm, Number, plain, unknowns_of, variable
from kolahal.logic.simplex import find_point
from kolahal.paths.state import MOST_BITS, MOST_WORK, Outside
from kolahal.paths.unknowns import Affine, Argument, Atom, Atoms, Indeterminate, NoiseAt

OPEN_TURNS, OPEN_TURNS_A_PLACE = (
    40,
    4,
)  # turns of a `while` that unknown values may keep alive, and more for each answer
STEPS = 4  # that a unit of work takes


class Feasibility:
    """What can hold, and what it took to find out; `silent` names sites whose noise is switched off.

    Without `ties`, runs in which continuous noise hits one value exactly are left out, and noted in `almost`.
    """

    def __init__(self, sketch: Sketch, silent: frozenset[int], size: int, ties: bool = False):
        self.silent, self.ties = silent, ties
        self.open_turns = OPEN_TURNS + OPEN_TURNS_A_PLACE * size
        self.noises = tuple(draw.noise for draw in sketch.draws)
        self.bits = sketch.private.bits
        self.epsilon = Argument(sketch.epsilon.name)
        self.almost: set[int] = set()
        self.now: Node = sketch.body[0]  # the statement that is being followed
        self.work = 0
        self.asked = 0  # comparisons of unknown values

    def spend(self, work: int) -> None:
        """Count work, so that a program which explodes is given up at the same place on every machine."""
        self.work += work
        take_steps(STEPS * work)
        if self.work > MOST_WORK:
            raise Outside("work", self.now)

    def checked(self, value: Affine | Number, node: Node) -> Affine | Number:
        """A value that was computed, unless it has outgrown all bounds."""
        numbers: tuple[Number, ...] = (value,) if not isinstance(value, LinearForm) else (value.constant, *value.terms.values())
        if len(numbers) > 16:
            self.spend((len(numbers) - 1) // 16)
        for part in numbers:
            if part.numerator.bit_length() > MOST_BITS or part.denominator.bit_length() > MOST_BITS:
                raise Outside("number", node)
        return value

    def find_point(
        self, before: Atoms, new: Atoms, point: Mapping[Indeterminate, Number]
    ) -> Mapping[Indeterminate, Number] | None:
        """A point where `before` and `new` hold, starting from a point where `before` does, or None."""
        inner = [self.interior(atom) for atom in new]
        # Whatever was compared before has a place in the point.
        unseen = {s: self.usual(s) for atom in new for s in atom.form.terms if s not in point}
        point = {**point, **unseen}
        if all(atom.holds(point) for atom in inner):
            return point
        form = inner[0].form
        fresh = next((s for s in form.terms if s in unseen and self.is_free(s)), None)
        if fresh is not None:
            # Nothing was asked of this unknown before, so it alone can make the comparison true; two are an equation.
            margin = 1 if inner[0].strict and len(new) == 1 else 0
            step = (form.at(point) + margin) / Fraction(form.terms[fresh])
            return {**point, fresh: plain(point[fresh] - step)}
        asked = _strongest([*_linked(before, new), *new])
        self.spend(1 + len(asked) ** 2 * len(unknowns_of(asked)) // 128)  # what solving takes
        positive = {s for s in unknowns_of(asked) if isinstance(s, NoiseAt) and self.noises[s.site].one_sided}
        if self.epsilon in unknowns_of(asked):
            asked.append(Inequality(-variable(self.epsilon), strict=True))
        moved = find_point([self.interior(atom) for atom in asked], positive)
        if moved is None:
            edges = [atom for atom in asked if not atom.strict and self.continuous_sites(atom.form)]
            tie = find_point(asked, positive) if edges else None
            if tie is None or self.ties:
                return None if tie is None else {**point, **tie}
            self.almost.update(*(self.continuous_sites(atom.form) for atom in edges))
            return None
        return {**point, **moved}

    def interior(self, atom: Atom) -> Atom:
        """The atom without its boundary where continuous noise makes that improbable; a point there says more."""
        return Inequality(atom.form, strict=True) if self.continuous_sites(atom.form) else atom

    def continuous_sites(self, form: Affine) -> set[int]:
        return {s.site for s in form.terms if isinstance(s, NoiseAt) and not self.noises[s.site].whole}

    def is_free(self, symbol: Indeterminate) -> bool:
        """Whether the unknown takes every real value."""
        if isinstance(symbol, NoiseAt):
            return not self.noises[symbol.site].one_sided
        return symbol != self.epsilon

    def usual(self, symbol: Indeterminate) -> Number:
        return 0 if self.is_free(symbol) else 1


def _linked(before: Atoms, new: Atoms) -> list[Atom]:
    """The atoms that share unknowns with `new`, directly or through others; the rest cannot contradict it."""
    reached = set(unknowns_of(new))
    waiting, linked = list(before), []
    growing = True
    while growing:
        growing = False
        for atom in list(waiting):
            if not reached.isdisjoint(atom.form.terms):
                reached.update(atom.form.terms)
                waiting.remove(atom)
                linked.append(atom)
                growing = True
    return linked


def _strongest(atoms: Sequence[Atom]) -> list[Atom]:
    """The atoms without those that another one implies because it bounds the same form more tightly."""
    best: dict[frozenset[tuple[Indeterminate, Number]], Atom] = {}
    for atom in atoms:
        key = frozenset(atom.form.terms.items())
        known = best.get(key)
        if known is None or (known.form.constant, known.strict) < (atom.form.constant, atom.strict):
            best[key] = atom
    return list(best.values())
