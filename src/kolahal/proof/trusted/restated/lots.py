"""What the names of a program stand for where places are chosen by lot: lists of what is left, lots, scores, noise that is compared.

A block is read statement by statement. `Reader.known` says what names stand for behind those that were read; of a statement that is
not understood nothing is known, and what it gives its names stands for nothing. `permuted.py` asks what it looks for of that.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TypeAlias

from kolahal.lang import ir
from kolahal.lang.noise import Noise
from kolahal.lang.sketch import Sketch
from kolahal.nouns import dataclass
from kolahal.proof.trusted.restated.left_over import copied, times_in

ZERO, ONE = (ir.Const(Fraction(value)) for value in (0, 1))

# What a name may stand for, besides forms and coins.
ALL = "all places, in a list"
LEFT = "the places that no turn before looked at"
REST = "these, without the one of this turn"
EMPTY = "an empty list"
GONE = "the places that turns before looked at"
MORE = "these, and the one of this turn"
ORDER = "all places in a random order"
PASSED = "the places that pass"
EQUAL = "equal scores, one for each of the places to choose from"
LISTS = (ALL, LEFT, REST, EMPTY, GONE, MORE, ORDER, PASSED, EQUAL)
LOT = "one of them, drawn by lot"
PLACE = "the place of this turn"


@dataclass(frozen=True, slots=True)
class ScoreSum:
    """A sum of the score of this turn's place, the largest score and noise, each with a factor."""

    parts: frozenset[tuple[str, Fraction]]
    scores: str = ""
    noise: ir.Expr | None = None

    def plus(self, other: ScoreSum, sign: int) -> ScoreSum | None:
        mine, more = dict(self.parts), dict(other.parts)
        summed = {name: mine.get(name, Fraction(0)) + sign * more.get(name, Fraction(0)) for name in mine.keys() | more.keys()}
        one_list = not (self.scores and other.scores) or self.scores == other.scores
        if not one_list or (self.noise is not None and other.noise is not None):
            return None
        parts = frozenset((name, factor) for name, factor in summed.items() if factor)
        return ScoreSum(parts, self.scores or other.scores, self.noise if self.noise is not None else other.noise)


@dataclass(frozen=True, slots=True)
class PassTest:
    """Whether a place passes; or whether it does not, unless it `passes`."""

    scores: str
    noise: ir.Expr
    passes: bool = True


SCORE, MOST, NOISE = "score", "most", "noise"
COIN = frozenset([(SCORE, Fraction(1)), (NOISE, Fraction(1)), (MOST, Fraction(-1))])
NOTHING = ScoreSum(frozenset())
StandsFor: TypeAlias = str | ScoreSum | PassTest


def changes(body: ir.Block, name: str) -> int:
    """How often a name is given something, or grows."""
    given = sum(targets.count(name) for targets in (part.targets for part in ir.walk(body) if isinstance(part, ir.Assign)))
    return given + sum(isinstance(part, ir.For | ir.Append | ir.Comprehension) and part.name == name for part in ir.walk(body))


def changed_names(body: ir.Block) -> set[str]:
    return set(ir.assigned_names(body)) | {part.name for part in ir.walk(body) if isinstance(part, ir.Append)}


class Reader:
    """Reads a program from the top; `known` says what names stand for at the statement that is looked at."""

    def __init__(self, sketch: Sketch):
        self.sketch, self.body = sketch, sketch.body
        self.arguments = {p.name for p in sketch.parameters if not changes(self.body, p.name)}
        self.lists: set[str] = {sketch.private.name} & self.arguments  # lists of one length, without noise, whose items lie on the grid that the answers are on
        self.drawn: set[str] = set()  # lists of noise, as long, of which one item is looked at in one place
        self.lengths: set[str] = set()
        self.known: dict[str, StandsFor] = {}
        self.lot: ir.Draw | None = None
        self.drawn_from: str | None = None  # the list that the lot is a place of, once that has been looked at
        self.coin: PassTest | None = None
        self.in_turn = False

    # ---- lists that do not change

    def note(self, node: ir.Stmt) -> None:
        """Behind a statement: note a list with one item for each answer, or how many these are, where this is all that a name ever stands for."""
        match node:
            case ir.Assign((name,)) if changes(self.body, name) > 1 or any(p.name == name for p in self.sketch.parameters):
                pass
            case ir.Assign((name,), (ir.Length(ir.Var(of)),)) if of in self.lists:
                self.lengths.add(name)
            case ir.Assign((name,), (ir.Comprehension(item, turn, over),)) if self.is_over_all(over):
                if isinstance(item, ir.Draw) and item.noise is Noise.EXPONENTIAL and times_in(self.body, name) == 2:
                    self.drawn.add(name)
                elif all(map(_stays_on_grid, ir.walk(item))) and ir.names_in(item) <= {turn, *self.lists, *self.arguments}:
                    self.lists.add(name)

    def is_over_all(self, over: ir.Var | ir.Range) -> bool:
        """Whether these are all items, or all places, of one of the lists."""
        return over.name in self.lists if isinstance(over, ir.Var) else self.is_all(over)

    def is_all(self, over: ir.Expr | ir.Range) -> bool:
        return isinstance(over, ir.Range) and over.start == ZERO and over.step == ONE and self.is_length(over.stop)

    def is_length(self, stop: ir.Expr) -> bool:
        match stop:
            case ir.Length(ir.Var(name)):
                return name in self.lists
            case ir.Var(name):
                return name in self.lengths
        return False

    # ---- what expressions stand for

    def meaning(self, expr: ir.Expr) -> StandsFor | None:
        match expr:
            case ir.Var(name):
                found = self.known.get(name)
                return None if found in LISTS else found  # two names for one list
            case ir.Const():
                return NOTHING if expr == ZERO else None
            case ir.ListOf(()):
                return EMPTY
            case ir.Index(ir.Var(name), at):
                return self.item(name, at)
            case ir.Draw():
                return self.drawn_here(expr)
            case ir.Comprehension(item, turn, over):
                return self.listed(item, turn, over, expr)
            case ir.Not(of):
                inner = self.meaning(of)
                return replace(inner, passes=not inner.passes) if isinstance(inner, PassTest) else None
            case ir.Negate(of):
                inner = self.meaning(of)
                return NOTHING.plus(inner, -1) if isinstance(inner, ScoreSum) else None
            case ir.Binary("+" | "-" | "<" | "<=" | ">" | ">=" as op, left, right):
                one, two = self.meaning(left), self.meaning(right)
                if not isinstance(one, ScoreSum) or not isinstance(two, ScoreSum):
                    return None
                return one.plus(two, 1 if op == "+" else -1) if op in "+-" else _coin(op, one, two)
        return None

    def item(self, name: str, at: ir.Expr) -> StandsFor | None:
        place = self.meaning(at)
        if place == LOT and self.known.get(name) in (LEFT, PASSED) and self.drawn_from in (None, name):
            self.drawn_from = name
            return PLACE
        if place == PLACE and name in self.lists:
            return ScoreSum(frozenset([(SCORE, Fraction(1))]), name)
        if place == PLACE and name in self.drawn:
            return ScoreSum(frozenset([(NOISE, Fraction(1))]), noise=ir.Var(name))
        return None

    def drawn_here(self, draw: ir.Draw) -> StandsFor | None:
        """A lot, or noise of this turn."""
        match draw:
            case ir.Draw(Noise.CHOOSE, of=ir.Var(name)) if self.known.get(name) == EQUAL and self.lot is None:
                self.lot = draw
                return LOT
            case ir.Draw(Noise.EXPONENTIAL) if self.in_turn:
                return ScoreSum(frozenset([(NOISE, Fraction(1))]), noise=draw)
        return None

    def listed(self, item: ir.Expr, turn: str, over: ir.Var | ir.Range, expr: ir.Comprehension) -> StandsFor | None:
        if isinstance(item, ir.Const):
            return EQUAL if type(item.value) is Fraction and self.is_over_left(over) else None
        if item == ir.Var(turn) and self.is_all(over):
            return ALL
        copy = self.known.get(copied(expr))
        return copy if isinstance(copy, str) and copy in (ALL, LEFT, REST) else None

    def is_over_left(self, over: ir.Var | ir.Range) -> bool:
        match over:
            case ir.Var(name) | ir.Range(ir.Const(), ir.Length(ir.Var(name)), ir.Const()):
                whole = isinstance(over, ir.Var) or (over.start == ZERO and over.step == ONE)
                return whole and self.known.get(name) in (LEFT, PASSED)
        return False

    # ---- statements

    def understood(self, body: ir.Block) -> int:
        """How many statements at the start of a block are understood together; what they give is noted."""
        if len(body) > 1 and (found := self.pair(body[0], body[1])) is not None:
            name, meaning = found
            self.forget(body[:2])
            self.known[name] = meaning
            return 2
        match body[0]:
            case ir.Assign(targets, values):
                meanings = [self.meaning(value) for value in values]
                self.forget(body[:1])
                self.known |= {name: meaning for name, meaning in zip(targets, meanings, strict=True) if meaning is not None}
                return int(None not in meanings)
            case ir.Append(name, value, _) if self.known.get(name) == GONE and self.meaning(value) == PLACE:
                self.known[name] = MORE
                return 1
        return 0

    def forget(self, body: ir.Block) -> None:
        for name in changed_names(body):
            self.known.pop(name, None)
            if name == self.drawn_from:
                self.drawn_from = ""  # another list from now on, whose places are others

    def pair(self, one: ir.Stmt, two: ir.Stmt) -> tuple[str, StandsFor] | None:
        """What a name stands for behind a statement and a loop that belong together."""
        match one, two:
            case ir.Assign((name,), (ir.Index(ir.Var(scores), at),)), ir.For(turn, over, (step,)) if at == ZERO and scores in self.lists:
                if turn != name and self.is_raised(name, step, self.item_of(scores, turn, over)):
                    return name, ScoreSum(frozenset([(MOST, Fraction(1))]), scores)
            case ir.Assign((name,), (ir.ListOf(()),)), ir.For(turn, over, (ir.Append(into, kept, False),)):
                if into == name != turn and kept == ir.Var(turn) and self.is_all(over):
                    return name, ALL
            case ir.Assign((name,), (ir.ListOf(()),)), ir.For(turn, over, (ir.If(test, (ir.Append(into, kept, False),), ()),)):
                if into == name != turn and self.is_rest(name, turn, over, test, kept):
                    return name, REST
            case ir.Assign((name,), (ir.ListOf(()),)), ir.For(turn, over, (*search, ir.If(test, (ir.Append(into, kept, False),), ()))):
                if into == name != turn and kept == ir.Var(turn) and self.is_all(over) and self.is_search(turn, name, search, test):
                    return name, LEFT
        return None

    def item_of(self, scores: str, turn: str, over: ir.Var | ir.Range) -> ir.Expr | None:
        """What a turn looks at in a loop over all scores; the first may be left out."""
        if isinstance(over, ir.Var):
            return ir.Var(turn) if over.name == scores else None
        if over.start in (ZERO, ONE) and over.step == ONE and self.is_length(over.stop):
            return ir.Index(ir.Var(scores), ir.Var(turn))
        return None

    def is_raised(self, name: str, step: ir.Stmt, item: ir.Expr | None) -> bool:
        """Whether a statement makes a name the larger of itself and an item."""
        own = ir.Var(name)
        match step:
            case ir.Assign((target,), (ir.Call("max", arguments),)):
                return item is not None and target == name and arguments in ((own, item), (item, own))
            case ir.If(ir.Binary(op, left, right), (ir.Assign((target,), (value,)),), ()):
                larger = {">": (item, own), ">=": (item, own), "<": (own, item), "<=": (own, item)}.get(op)
                return item is not None and target == name and value == item and (left, right) == larger
        return False

    def is_rest(self, name: str, turn: str, over: ir.Var | ir.Range, test: ir.Expr, kept: ir.Expr) -> bool:
        """Whether a loop lists what is left but for the place of this turn, by its value or by its place in the list."""
        match test:
            case ir.Binary("!=", one, two) | ir.Not(ir.Binary("==", one, two)):
                other = two if one == ir.Var(turn) else one if two == ir.Var(turn) else None
            case _:
                return False
        if not isinstance(other, ir.Var) or other.name in (turn, name):
            return False
        match over:
            case ir.Var(left) if left != name and self.known.get(left) == LEFT:
                return kept == ir.Var(turn) and self.known.get(other.name) == PLACE
            case ir.Range(start, ir.Length(ir.Var(left)), step) if left != name and self.known.get(left) == LEFT:
                by_place = kept == ir.Index(ir.Var(left), ir.Var(turn)) and self.known.get(other.name) == LOT
                if by_place and start == ZERO and step == ONE and self.drawn_from in (None, left):
                    self.drawn_from = left
                    return True
        return False

    def is_search(self, turn: str, name: str, search: list[ir.Stmt], test: ir.Expr) -> bool:
        """Whether it is asked that a place is not among those that are gone."""
        match search, test:
            case (
                [ir.Assign((flag,), (first,)), ir.For(other, ir.Var(gone), (ir.If(same, (ir.Assign((again,), (found,)), ir.Break()), ()),))],
                (ir.Var() | ir.Not(ir.Var())) as asked,
            ):
                stays = asked == ir.Var(flag)
                values = (first, found) == (ir.Const(stays), ir.Const(not stays))
                names = len({turn, name, flag, other, gone}) == 5 and asked in (ir.Var(flag), ir.Not(ir.Var(flag))) and again == flag
                return names and values and self.known.get(gone) == GONE and _is_same(same, turn, other)
        return False


def _coin(op: str, one: ScoreSum, two: ScoreSum) -> PassTest | None:
    """What a comparison asks, if it is whether s[i] + noise >= max(s), or the denial of that."""
    form = one.plus(two, -1) if op in (">=", "<") else two.plus(one, -1)
    if form is None or form.parts != COIN or form.noise is None:
        return None
    return PassTest(form.scores, form.noise, op in (">=", "<="))


def _is_same(test: ir.Expr, turn: str, other: str) -> bool:
    both = (ir.Var(turn), ir.Var(other))
    match test:
        case ir.Binary("==", one, two) | ir.Not(ir.Binary("!=", one, two)):
            return (one, two) in (both, both[::-1])
    return False


def _stays_on_grid(part: ir.Node) -> bool:
    """Whether what is made of multiples of a grid, of which 1 is one, is a multiple of it again; noise may have another grid."""
    match part:
        case ir.Binary("*", one, two):
            return any(isinstance(side, ir.Const) and type(side.value) is Fraction and side.value.denominator == 1 for side in (one, two))
        case ir.Binary(op):
            return op in ("+", "-")
    return isinstance(part, ir.Const | ir.Var | ir.Length | ir.Index | ir.Negate | ir.Call)
