"""Symbolic values, and the paths of one run between two loop heads, as data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from fractions import Fraction
from typing import TypeAlias

from kolahal.lang.ir import Draw, Expr
from kolahal.lang.noise import Noise
from kolahal.lang.scale import Scale
from kolahal.logic.linear import number, variable
from kolahal.logic.terms import (
    FALSE,
    INT,
    REAL,
    TRUE,
    ZERO,
    Binding,
    Formula,
    Sum,
    Symbol,
    Term,
    Truth,
    at_most,
    below,
    choose,
    equal,
    every,
    is_whole,
    negate,
    put,
    put_in,
    same_truth,
    some,
    symbols_of,
)
from kolahal.nouns import dataclass
from kolahal.proof.trusted.shifts import Asked
from kolahal.proof.trusted.symbols import LENGTH, Computed, Ghost


class Unsupported(Exception):
    """The program is outside what proofs for every length cover; the text says why."""


class NotLinear(Unsupported):
    """It multiplies or divides values that both runs may have different ones of."""


# ---------------------------------------------------------------- values


@dataclass(frozen=True, slots=True)
class Numeric:
    value: Sum


@dataclass(frozen=True, slots=True)
class Logical:
    value: Formula


@dataclass(frozen=True, slots=True)
class Maybe:
    """None where `none` holds, `value` elsewhere."""

    none: Formula
    value: Numeric | Logical


@dataclass(frozen=True, slots=True)
class PrivateAnswers:
    """The private answers."""


@dataclass(frozen=True, slots=True)
class NoisyItem:
    """Any item of a list of noise that is drawn at once: `rest`, a sum of the answer at its place and of public numbers, and
    noise with a factor; `slope` is the answer's factor."""

    number: int  # of the list, among the comprehensions
    site: int
    noise: Noise
    scale: Scale
    rest: Sum
    slope: Fraction
    factor: Fraction

    @property
    def sort(self) -> str:
        return INT if self.noise.whole and is_whole(self.rest) and Fraction(self.factor).denominator == 1 else REAL


@dataclass(frozen=True, slots=True)
class View:
    """`[item for name in over]`, computed item by item where it is read; `cursor` numbers those that draw noise."""

    item: Expr
    name: str
    over: Vector | Built | None  # None: the places of the answers themselves
    cursor: int | None
    passing: bool = False  # whether a place of it is chosen by the very next step, and nothing else looks at it
    noisy: NoisyItem | None = None  # of a list that is drawn at once

    @property
    def drawn(self) -> int | None:
        """The number of a list of noise."""
        return self.cursor if self.noisy is None else self.noisy.number

    @property
    def is_noise(self) -> bool:
        """Whether its items are noise and nothing else, which belongs to the sum that it is first read for."""
        return isinstance(self.item, Draw) and not self.item.noise.finite


@dataclass(frozen=True, slots=True)
class Built:
    """A list that the program made, as a value: what `base` was where the segment began, between newer items.

    Lists are values: no two names share one that grows, so `c = a` gives c what a is now. At a loop head every list is
    its own base, and has the same items in both runs, because the lists of the two runs are compared on arrival.
    """

    base: str | None  # a variable at the beginning of the segment; None for a list that began inside it
    length: Sum
    front: tuple[SingleValue, ...] = ()
    back: tuple[SingleValue, ...] = ()
    inside: Formula = TRUE  # from which it follows that all items are places of the answers

    def grown(self, item: SingleValue, at_front: bool) -> Built:
        length, inside = self.length + number(1), every([self.inside, is_place(item)])
        if not at_front:
            return Built(self.base, length, self.front, (*self.back, item), inside)
        if self.base is None:  # kept in one place, so that equal lists look alike
            return Built(None, length, (), (item, *self.back), inside)
        return Built(self.base, length, (item, *self.front), self.back, inside)


@dataclass(frozen=True, slots=True)
class Pending:
    """Noise that was only named so far: it is drawn where it is first looked at, which no output can tell."""

    draw: Draw

    @property
    def law(self) -> tuple[Noise, object]:
        """Where noise of one law waits under a name, it does not matter which of it is drawn."""
        return self.draw.noise, self.draw.scale


@dataclass(frozen=True, slots=True)
class Several:
    """`a, b, …` as an answer."""

    items: tuple[SingleValue, ...]


SingleValue: TypeAlias = Numeric | Logical | Maybe
Vector: TypeAlias = PrivateAnswers | View
SymbolicValue: TypeAlias = SingleValue | Vector | Built | Pending
Environment: TypeAlias = dict[str, SymbolicValue]


def is_place(value: SymbolicValue) -> Formula:
    """From which it follows that a value is a place of the private answers."""
    if not isinstance(value, Numeric) or not is_whole(value.value):
        return FALSE
    return every([at_most(ZERO, value.value), below(value.value, variable(LENGTH))])


def same(left: SymbolicValue, right: SymbolicValue) -> Formula:
    """Whether two values of the two runs are equal; kinds that can never be equal give false."""
    match left, right:
        case Numeric(a), Numeric(b):
            return equal(a, b)
        case Logical(a), Logical(b):
            return same_truth(a, b)
        case (Maybe(), Numeric() | Logical() | Maybe()) | (Numeric() | Logical(), Maybe()):
            first, second = lift(left), lift(right)
            alike = some([first.none, same(first.value, second.value)])
            return every([same_truth(first.none, second.none), alike])
        case Built(), Built() if _shape(left) == _shape(right):
            pairs = zip((*left.front, *left.back), (*right.front, *right.back), strict=True)
            return every(same(x, y) for x, y in pairs)
        case _:
            return FALSE


def _shape(built: Built) -> tuple[str | None, int, int]:
    return built.base, len(built.front), len(built.back)


def pick(test: Formula, then: SingleValue, orelse: SingleValue) -> SingleValue:
    """`then` where the test holds, `orelse` elsewhere."""
    if test == TRUE or then == orelse:
        return then
    if test == FALSE:
        return orelse
    match then, orelse:
        case Numeric(a), Numeric(b):
            return Numeric(choose(test, a, b))
        case Logical(a), Logical(b):
            return Logical(some([every([test, a]), every([negate(test), b])]))
        case (Maybe(), _) | (_, Maybe()):
            first, second = lift(then), lift(orelse)
            none = some([every([test, first.none]), every([negate(test), second.none])])
            # Where one of them is never a value, its stand-in says nothing.
            inner = second.value if first.none == TRUE else first.value
            if TRUE not in (first.none, second.none):
                both = pick(test, first.value, second.value)
                assert isinstance(both, Numeric | Logical)
                inner = both
            return Maybe(none, inner)
        case _:
            raise Unsupported("a list holds both numbers and truth values")


def lift(value: SymbolicValue) -> Maybe:
    if isinstance(value, Maybe):
        return value
    assert isinstance(value, Numeric | Logical)
    return Maybe(FALSE, value)


def bound(value: SymbolicValue, binding: Mapping[Symbol, Term]) -> SymbolicValue:
    """A value with terms in place of symbols."""
    match value:
        case Numeric(term):
            return Numeric(put(term, binding))
        case Logical(formula):
            return Logical(put_in(formula, binding))
        case Maybe(none, inner):
            plain = bound(inner, binding)
            assert isinstance(plain, Numeric | Logical)
            return Maybe(put_in(none, binding), plain)
        case Built(base, length, front, back, inside):
            items = (_bound_all(front, binding), _bound_all(back, binding))
            return Built(base, put(length, binding), *items, put_in(inside, binding))
        case _:
            return value


def _bound_all(items: tuple[SingleValue, ...], binding: Mapping[Symbol, Term]) -> tuple[SingleValue, ...]:
    return tuple(bound(item, binding) for item in items)  # type: ignore[misc]


# ---------------------------------------------------------------- paths


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a path looks, written alike for both runs: a place of the answers, of a list, or of a comprehension."""

    of: str | int | None  # a list by its name, a comprehension by its number; None is the answers
    place: Sum


@dataclass(frozen=True, slots=True)
class Read:
    """A place of a list that a path looks at; equal spots of two runs are one place, if their places are equal."""

    spot: Spot
    place: Sum
    symbol: Symbol
    private: bool  # an answer, which may differ between the runs; otherwise an item alike in both
    noisy: NoisyItem | None = None  # of a list that was drawn at once, where items may differ, too


@dataclass(frozen=True, slots=True)
class Rival:
    """Any other place of the list that a place was chosen from, and how far its score is ahead of the chosen one's."""

    symbol: Symbol  # its place
    length: Sum  # of the list
    gap: Sum


@dataclass(frozen=True, slots=True)
class Drawn:
    """A draw: `rest` is the sum it is part of without it and later noise, and `factor` its factor in that sum."""

    site: int
    order: int  # among the draws of its path
    spot: Spot | None  # the item of a comprehension it belongs to
    noise: Noise
    scale: Scale
    symbol: Symbol
    place: Sum  # of that item
    names: Mapping[str, SymbolicValue]  # the variables at that moment
    turn: Sum  # the place of the answer that was looked at last before it, or the number of the turn
    rest: Sum
    factor: Fraction
    waits: bool  # whether nothing has looked at it yet, so that it has no sum
    side: Formula = FALSE  # of a coin: the truth value that it stands in, had it and all later noise been 0
    rival: Rival | None = None  # of a chosen place, which is what `symbol` stands for then

    @property
    def law(self) -> tuple[Noise, Scale, Spot | None]:
        """How it is distributed, and the item it is for: what draws of the two runs have in common that go together."""
        return self.noise, self.scale, self.spot


@dataclass(frozen=True, slots=True)
class Computation:
    """What a path computes that is not linear: `left op right`."""

    symbol: Computed
    op: str
    left: Sum
    right: Sum


@dataclass(frozen=True, slots=True)
class Goto:
    loop: int


@dataclass(frozen=True, slots=True)
class NoScores:
    """Where a run stops because there is nothing to choose from, which is as good as an answer that says so."""

    step: int  # of the program


@dataclass(frozen=True, slots=True)
class Returned:
    value: SymbolicValue | Several | NoScores
    step: int  # of the program


@dataclass(frozen=True, slots=True)
class SegmentPath:
    """One way through a segment: possible where all `conditions` hold, and faulty where one of `faults` does."""

    conditions: tuple[Formula, ...]
    faults: tuple[Formula, ...]
    decisions: Mapping[Asked, bool]  # by branch
    tests: Mapping[Asked, Formula]  # what was asked there
    reads: tuple[Read, ...]
    draws: tuple[Drawn, ...]
    end: Goto | Returned
    names: Mapping[str, SymbolicValue]
    ghosts: Mapping[Ghost, Sum]
    computed: tuple[Computation, ...] = ()


@dataclass(frozen=True, slots=True)
class SegmentStart:
    """Where segments begin: the start of the program (loop None) or a loop head, with the variables alive there."""

    loop: int | None
    names: tuple[tuple[str, SymbolicValue], ...]  # with the symbols of the run
    ghosts: tuple[tuple[Ghost, Symbol], ...]


@dataclass(frozen=True, slots=True)
class Opaque:
    """A public value that is not linear: a symbol for `left op right`, of which nothing is known but that it is the same
    in both runs."""

    symbol: Symbol
    op: str
    left: Sum
    right: Sum


@dataclass(frozen=True, slots=True)
class Run:
    """All segments of one run."""

    which: int
    places: tuple[SegmentStart, ...]
    paths: Mapping[int | None, tuple[SegmentPath, ...]]
    opaque: tuple[Opaque, ...]
    # By loop head, and by the loop whose next head counts as an end too: names that may change until an end, or that one
    # of these does not know.
    unsettled: Mapping[tuple[int, int | None], frozenset[str]]
    noisy_items: tuple[NoisyItem, ...] = ()  # of the lists that are drawn at once

    def place(self, loop: int | None) -> SegmentStart:
        return next(place for place in self.places if place.loop == loop)


@dataclass(slots=True)
class Walk:
    """A path under construction."""

    names: Environment
    ghosts: dict[Ghost, Sum]
    conditions: list[Formula] = field(default_factory=list)
    faults: list[Formula] = field(default_factory=list)
    decisions: dict[Asked, bool] = field(default_factory=dict)
    tests: dict[Asked, Formula] = field(default_factory=dict)
    reads: list[Read] = field(default_factory=list)
    draws: list[Drawn] = field(default_factory=list)
    items: dict[Spot, tuple[Sum, SingleValue]] = field(default_factory=dict)  # of views, computed in this segment
    computed: list[Computation] = field(default_factory=list)
    made: frozenset[int] = frozenset()  # lists of noise that began in this segment, so that all that was drawn of them is known

    def fork(self) -> Walk:
        return Walk(
            dict(self.names),
            dict(self.ghosts),
            list(self.conditions),
            list(self.faults),
            dict(self.decisions),
            dict(self.tests),
            list(self.reads),
            list(self.draws),
            dict(self.items),
            list(self.computed),
            self.made,
        )

    def path(self, end: Goto | Returned) -> SegmentPath:
        return SegmentPath(
            tuple(self.conditions),
            tuple(self.faults),
            self.decisions,
            self.tests,
            tuple(self.reads),
            tuple(self.draws),
            end,
            self.names,
            self.ghosts,
            tuple(self.computed),
        )


def lost_from(
    place: SegmentStart, paths: Mapping[int | None, tuple[SegmentPath, ...]], end: int | None
) -> frozenset[str]:
    """The names of a place that some answer after it does not know, or the next arrival at the head of the loop `end`."""
    todo, seen, lost = [place.loop], set(), set()
    while todo:
        here = todo.pop()
        if here not in seen:
            seen.add(here)
            for path in paths[here]:
                if isinstance(path.end, Returned) or path.end.loop == end:
                    lost |= {name for name, _ in place.names if name not in path.names}
                else:
                    todo.append(path.end.loop)
    return frozenset(lost)


def same_answer(left: object, right: object, binding: Mapping[Symbol, Term]) -> Formula:
    if isinstance(left, Several) and isinstance(right, Several):
        if len(left.items) != len(right.items):
            return FALSE
        return every(same(a, bound(b, binding)) for a, b in zip(left.items, right.items, strict=True))
    if isinstance(left, NoScores) or isinstance(right, NoScores):
        return Truth(left == right)
    return same(left, bound(right, binding))  # type: ignore[arg-type]


def after(drawn: Drawn, drawn_here: Iterable[Drawn], symbols: Iterable[Symbol]) -> Binding:
    """This noise, later noise, and what is computed later, as 0: a function of what is left is settled before this noise."""
    later = [other.symbol for other in drawn_here if other.order >= drawn.order]
    return dict.fromkeys([*later, *(s for s in symbols if isinstance(s, Computed) and s.before > drawn.order)], ZERO)


def in_sum(drawn: Drawn, value: Sum, drawn_here: Iterable[Drawn]) -> Drawn:
    """`drawn` with the sum that looks at it first, be it a part of that or not."""
    if not drawn.waits or drawn.symbol not in symbols_of(value):
        return drawn
    rest = put(value, after(drawn, drawn_here, symbols_of(value)))
    return replace(drawn, rest=rest, factor=Fraction(value.terms.get(drawn.symbol, 0)), waits=False)
