"""Generated programs over the whole language, and everything that a run of one needs.

Programs are built well-typed, so that the checker accepts each of them: a name has a family of values for good, what
is stored in loops stays small, and every loop ends. Faults at run time are wanted, and happen in some of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from kolahal.lang import ir
from kolahal.lang.adjacency import RELATIONS
from kolahal.lang.ir import (
    Append,
    Assign,
    Binary,
    Block,
    Break,
    Call,
    Comprehension,
    Const,
    Continue,
    Draw,
    Expr,
    For,
    Hole,
    If,
    Index,
    IsNone,
    Length,
    ListOf,
    Negate,
    Not,
    Range,
    Return,
    Stmt,
    TupleOf,
    Var,
    While,
)
from kolahal.lang.noise import Noise
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Parameter, Role, Sketch, Type
from kolahal.model import Arguments, Database, Scales, show

SMALL = tuple(Fraction(n) for n in (0, 1, 2, 3, -1, -2))
FRACTIONS = tuple(map(Fraction, ("0.5", "-0.5", "1.5", "0.1", "-2.25", "7.0")))
MOST_DRAWS = 8
DEEPEST_LOOP = 2

PARAMETERS = (
    Parameter("q", Role.PRIVATE, Type.VECTOR),
    Parameter("N", Role.ARGUMENT, Type.INT),
    Parameter("T", Role.ARGUMENT, Type.FLOAT),
    Parameter("flag", Role.ARGUMENT, Type.BOOL),
    Parameter("eps", Role.EPSILON, Type.FLOAT),
)


def number(value: int | Fraction) -> Const:
    return Const(Fraction(value))


@dataclass(slots=True)
class _Maker:
    """Builds one program; `pick` chooses, and each name belongs to one family for good."""

    draw: Callable[..., object]
    reals: list[str] = field(default_factory=lambda: ["T", "eps"])
    wholes: list[str] = field(default_factory=lambda: ["N"])
    truths: list[str] = field(default_factory=lambda: ["flag"])
    maybes: list[str] = field(default_factory=list)  # a number or None
    real_lists: list[str] = field(default_factory=lambda: ["q"])
    whole_lists: list[str] = field(default_factory=list)
    truth_lists: list[str] = field(default_factory=list)
    mixed_lists: list[str] = field(default_factory=list)
    grown: list[str] = field(default_factory=list)  # lists of our own, which may grow
    tuples: bool = False  # answers of several values are tuples, or else lists: a sketch has one kind of them
    growing_barred: tuple[str, ...] = ()  # lists that a loop around runs over
    draws: int = 0
    names: int = 0

    # ---- choices

    def pick(self, options: Sequence[object]) -> object:
        return self.draw(st.sampled_from(options))

    def chance(self, one_in: int) -> bool:
        return self.draw(st.integers(1, one_in)) == one_in

    def count(self, low: int, high: int) -> int:
        return self.draw(st.integers(low, high))

    def fresh(self, letter: str) -> str:
        self.names += 1
        return f"{letter}{self.names}"

    def name(self, names: Sequence[str]) -> Var:
        return Var(self.pick(names))

    @property
    def lists(self) -> list[str]:
        return self.real_lists + self.whole_lists + self.truth_lists + self.mixed_lists

    # ---- whole numbers: places, bounds and counters

    def whole(self, depth: int = 2) -> Expr:
        ways = ["const", "name", "length"]
        if depth:
            ways += ["sum", "product", "quotient", "rest", "extreme", "size", "negative", "item"]
        match self.pick(ways):
            case "name":
                return self.name(self.wholes)
            case "length":
                return Length(self.name(self.lists))
            case "sum":
                return Binary(self.pick("+-"), self.whole(depth - 1), self.whole(depth - 1))
            case "product":
                return Binary("*", self.whole(depth - 1), self.whole(depth - 1))
            case "quotient" | "rest" as way:
                divisor = self.whole(0) if self.chance(12) else number(self.pick((2, 3, -2)))
                return Binary("//" if way == "quotient" else "%", self.whole(depth - 1), divisor)
            case "extreme":
                return Call(self.pick(("max", "min")), tuple(self.whole(depth - 1) for _ in range(self.count(2, 3))))
            case "size":
                return Call("abs", (self.whole(depth - 1),))
            case "negative":
                # A minus in front of a number is part of the number.
                return Negate(self.name(self.wholes))
            case "item" if self.whole_lists:
                return self.item(self.whole_lists)
            case _:
                return number(self.pick(SMALL))

    def stored_whole(self) -> Expr:
        """A whole number that stays small, however often the statement runs."""
        match self.pick(("const", "step", "rest", "length", "extreme")):
            case "step":
                return Binary(self.pick("+-"), self.name(self.wholes), number(self.pick((1, 2))))
            case "rest":
                return Binary("%", self.whole(), number(self.pick((2, 3, 5, -3))))
            case "length":
                return Length(self.name(self.lists))
            case "extreme":
                bounded = Binary("%", self.whole(1), number(4))
                return Call(self.pick(("max", "min")), (bounded, number(self.pick(SMALL))))
            case _:
                return number(self.pick(SMALL))

    def turns(self) -> Expr:
        """A bound of a loop."""
        match self.pick(("length", "length", "const", "rest", "few")):
            case "length":
                return Length(Var("q"))
            case "const":
                return number(self.count(0, 4))
            case "rest":
                return Binary("%", self.whole(1), number(4))
            case _:
                return Call("min", (self.name(self.wholes), number(3)))

    def place(self, items: str) -> Expr:
        """A place in a list: nearly always one that is there."""
        match "any" if self.chance(12) else self.pick(("inside", "inside", "first", "last")):
            case "inside":
                return Binary("%", self.whole(1), Length(Var(items)))
            case "first":
                return number(0)
            case "last":
                return number(-1)
            case _:
                return self.whole(1)

    def item(self, names: Sequence[str]) -> Expr:
        of = self.pick(names)
        return Index(Var(of), self.place(of))

    # ---- real numbers

    def real(self, depth: int = 2) -> Expr:
        ways = ["const", "name", "name", "item", "noise", "whole"]
        if depth:
            ways += ["sum", "sum", "product", "quotient", "floor", "extreme", "size", "negative", "noisy"]
        match self.pick(ways):
            case "const":
                return number(self.pick(FRACTIONS))
            case "item":
                return self.item(self.real_lists)
            case "noise" if self.draws < MOST_DRAWS:
                return self.noise()
            case "noisy" if self.draws < MOST_DRAWS:
                return Binary("+", self.real(depth - 1), self.noise())
            case "whole":
                return self.whole(1)
            case "sum":
                return Binary(self.pick("+-"), self.real(depth - 1), self.real(depth - 1))
            case "product":
                return Binary("*", self.real(depth - 1), self.real(depth - 1))
            case "quotient" | "floor" as way:
                op = "/" if way == "quotient" else self.pick(("//", "%"))
                divisor = self.real(0) if self.chance(4) else number(self.pick(FRACTIONS))
                return Binary(op, self.real(depth - 1), divisor)
            case "extreme":
                return Call(self.pick(("max", "min")), tuple(self.real(depth - 1) for _ in range(self.count(2, 3))))
            case "size":
                return Call("abs", (self.real(depth - 1),))
            case "negative":
                return Negate(Binary("+", self.real(depth - 1), number(Fraction(1, 2))))
            case "const" | "name":
                return self.name(self.reals)
            case _:
                # A number that may be None stops the run where it is.
                return self.name(self.maybes) if self.maybes and self.chance(3) else self.name(self.reals)

    def stored_real(self) -> Expr:
        """A number that stays small, however often the statement runs."""
        match self.pick(("flat", "flat", "step", "mean", "rest", "clamp")):
            case "flat":
                return self.flat_real()
            case "step":
                return Binary(self.pick("+-"), self.name(self.reals), self.flat_real())
            case "mean":
                return Binary("*", Binary(self.pick("+-"), self.real(0), self.real(0)), number(Fraction(1, 2)))
            case "rest":
                return Binary("%", self.real(1), number(self.pick((Fraction(7), Fraction("2.5"), Fraction("-1.5")))))
            case _:
                inner = Call("max", (self.real(1), number(-8)))
                return Call("min", (inner, number(8)))

    def flat_real(self) -> Expr:
        """A number that no name holds: a constant, an answer, noise, or an answer with noise."""
        answer = Index(Var("q"), self.place("q"))
        match self.pick(("const", "answer", "noise", "noisy")):
            case "answer":
                return answer
            case "noise" if self.draws < MOST_DRAWS:
                return self.noise()
            case "noisy" if self.draws < MOST_DRAWS:
                return Binary("+", answer, self.noise())
            case _:
                return number(self.pick(FRACTIONS))

    def noise(self) -> Draw:
        site, self.draws = self.draws, self.draws + 1
        scale = Hole(site) if self.chance(2) or self.chance(2) else self.fixed_scale()
        return Draw(self.pick(tuple(n for n in Noise if not (n.finite or n.selects or n.bell or n.open))), scale, site)

    def coin(self) -> Draw:
        return replace(self.noise(), noise=Noise.FLIP)

    def fixed_scale(self) -> Scale:
        powers = {"eps": self.count(-2, 1), "N": self.count(0, 1), "len(q)": self.count(0, 1)}
        return Scale(self.pick((Fraction(1), Fraction(2), Fraction(1, 2))), tuple(powers.items()))

    # ---- truth values

    def truth(self, depth: int = 2) -> Expr:
        ways = ["compare", "compare", "toss", "toss", "none", "name"]
        if depth:
            ways += ["and", "or", "and", "or", "not", "same", "guarded", "const", "item"]
        match self.pick(ways):
            case "name":
                return self.name(self.truths)
            case "const":
                return Const(self.pick((True, False)))
            case "toss" if self.draws < MOST_DRAWS:
                # Runs must part ways, or masks are never tested.
                if self.chance(3):
                    return self.coin()
                return Binary(self.pick(("<", ">")), self.noise(), self.pick((number(0), number(1), self.real(0))))
            case "and" | "or" as op:
                return Binary(op, self.truth(depth - 1), self.truth(depth - 1))
            case "not":
                return Not(self.truth(depth - 1))
            case "none" if self.maybes:
                test = IsNone(self.name(self.maybes))
                return Not(test) if self.chance(2) else test
            case "same":
                return Binary(self.pick(("==", "!=")), *self.pair())
            case "guarded":
                # What stands behind `and` must not be looked at when the place is outside.
                items, at = self.pick(self.real_lists), self.name(self.wholes)
                inside = Binary("and", Binary("<=", number(0), at), Binary("<", at, Length(Var(items))))
                return Binary("and", inside, Binary(">", Index(Var(items), at), self.real(0)))
            case "item" if self.truth_lists:
                return self.item(self.truth_lists)
            case _:
                return Binary(self.pick(("<", "<=", ">", ">=")), self.real(1), self.real(1))

    def pair(self) -> tuple[Expr, Expr]:
        """Two values that may be compared for equality."""
        match self.pick(("whole", "truth", "maybe", "real")):
            case "whole":
                return self.whole(1), self.whole(1)
            case "truth":
                return self.truth(0), self.truth(0)
            case "maybe" if self.maybes:
                return self.name(self.maybes), self.pick((Const(None), number(1), self.name(self.maybes)))
            case _:
                return self.real(1), self.real(1)

    def mixed(self) -> Expr:
        """A value of any kind, where nothing is done with it but to keep it."""
        match self.pick(("none", "truth", "real", "maybe", "item")):
            case "none":
                return Const(None)
            case "truth":
                return self.truth(0)
            case "maybe" if self.maybes:
                return self.name(self.maybes)
            case "item" if self.mixed_lists:
                return self.item(self.mixed_lists)
            case _:
                return self.stored_real()

    # ---- lists

    def comprehension(self, item: Callable[[], Expr], noisy: bool = False) -> Comprehension:
        """A list made of another; `noisy` allows the usual thing, each item with noise."""
        if self.chance(3):
            names, over = self.wholes, self.range()
        else:
            names = self.pick([n for n in (self.reals, self.wholes) if n is self.reals or self.whole_lists])
            over = self.name(self.real_lists if names is self.reals else self.whole_lists)
        # A name of its own, or one that hides another until the list is made.
        name = self.pick(self.own(names) or ["c"]) if self.chance(3) else self.fresh("c")
        names.append(name)
        plain = item()
        names.pop()
        if noisy and names is self.reals and self.draws < MOST_DRAWS and self.chance(2):
            return Comprehension(Binary("+", Var(name), self.noise()), name, over)
        return Comprehension(plain, name, over)

    def range(self) -> Range:
        match self.pick(("stop", "stop", "start", "step", "down")):
            case "stop":
                return Range(number(0), self.turns(), number(1))
            case "start":
                return Range(self.pick((number(1), number(-1))), self.turns(), number(1))
            case "step":
                step = Binary("%", self.whole(0), number(3)) if self.chance(4) else number(2)
                return Range(number(self.pick(SMALL)), self.turns(), step)
            case _:
                return Range(self.turns(), number(self.pick((0, -1))), number(-1))

    def list_value(self, item: Callable[[], Expr], noisy: bool = False) -> Expr:
        if self.chance(3):
            return self.comprehension(item, noisy)
        return ListOf(tuple(item() for _ in range(0 if self.chance(8) else self.count(1, 3))))

    # ---- statements

    def block(self, statements: int, loops: int, deep: int) -> Block:
        made: list[Stmt] = []
        for _ in range(statements):
            made += self.statement(loops, deep)
        if self.chance(5):
            ends: list[Callable[[], Stmt]] = [self.answer]
            if loops:
                ends += [Break, Continue, Break, Continue]
            made.append(self.pick(ends)())
        return tuple(made)

    def statement(self, loops: int, deep: int) -> list[Stmt]:
        ways = ["real", "real", "whole", "truth", "maybe", "swap", "append", "append", "list", "augmented"]
        if deep:
            ways += ["if", "if", "if", "elif"]
            if loops < DEEPEST_LOOP:
                ways += ["for", "for", "each", "while", "forever"]
        match self.pick(ways):
            case "whole":
                return [self.assign(self.wholes, self.stored_whole())]
            case "truth":
                return [self.assign(self.truths, self.truth())]
            case "maybe" if self.maybes:
                value = Const(None) if self.chance(3) else self.stored_real()
                return [Assign((self.pick(self.maybes),), (value,))]
            case "swap":
                return self.swap()
            case "append":
                return self.append()
            case "list":
                return self.rebind()
            case "augmented":
                # Reads as x += 1 to a person and as x = x + 1 to us.
                name = self.pick(self.own(self.reals))
                return [Assign((name,), (Binary(self.pick("+-"), Var(name), self.flat_real()),))]
            case "if":
                orelse = self.block(self.count(0, 2), loops, deep - 1) if self.chance(2) else ()
                return [If(self.truth(), self.block(self.count(0, 2), loops, deep - 1), orelse)]
            case "elif":
                last = If(self.truth(), self.block(1, loops, deep - 1), self.block(self.count(0, 1), loops, deep - 1))
                return [If(self.truth(), self.block(1, loops, deep - 1), (last,))]
            case "for":
                return [self.loop(self.wholes, self.range(), loops, deep)]
            case "each":
                names = self.pick([n for n in (self.real_lists, self.whole_lists, self.truth_lists) if n])
                over = self.name(names)
                held = {id(self.real_lists): self.reals, id(self.whole_lists): self.wholes}.get(id(names), self.truths)
                barred, self.growing_barred = self.growing_barred, (*self.growing_barred, over.name)
                made = self.loop(held, over, loops, deep)
                self.growing_barred = barred
                return [made]
            case "while" | "forever" as way:
                return self.while_loop(way == "forever", loops, deep)
            case _:
                return [self.assign(self.reals, self.stored_real())]

    def own(self, names: Sequence[str]) -> list[str]:
        """Names that the program made; the first ones, which nothing hides, are always there."""
        return [name for name in names if name not in ("q", "N", "T", "flag", "eps") and name[0] not in "cw"]

    def assign(self, names: list[str], value: Expr) -> Assign:
        return Assign((self.pick(self.own(names)),), (value,))

    def swap(self) -> list[Stmt]:
        """Several names at once; those on the right still have their old values."""
        family = self.pick([n for n in (self.reals, self.wholes, self.truths) if len(self.own(n)) > 1] or [[]])
        if not family:
            return [self.assign(self.reals, self.stored_real())]
        first, second = self.draw(st.permutations(self.own(family)))[:2]
        other = {id(self.reals): self.stored_real, id(self.wholes): self.stored_whole}.get(id(family), self.truth)()
        return [Assign((first, second), (Var(second), Var(first) if self.chance(2) else other))]

    def item_maker(self, name: str) -> Callable[[], Expr]:
        if name in self.whole_lists:
            return self.stored_whole
        if name in self.truth_lists:
            return self.truth
        return self.mixed if name in self.mixed_lists else self.stored_real

    def append(self) -> list[Stmt]:
        names = [name for name in self.grown if name not in self.growing_barred]
        if not names:
            return []
        name = self.pick(names)
        made = [Append(name, self.item_maker(name)(), front=self.chance(2))]
        if name in self.real_lists and self.chance(3):
            made.append(Append(name, Index(Var(name), self.place(name)), front=self.chance(2)))
        return made

    def rebind(self) -> list[Stmt]:
        """A list gets another value; a loop around goes on over the old one."""
        if len(self.grown) > 1 and self.chance(3):
            names = self.draw(st.permutations(self.grown))[:2]
            return [
                Assign(tuple(names), tuple(self.list_value(self.item_maker(n), n in self.real_lists) for n in names))
            ]
        name = self.pick(self.grown)
        return [Assign((name,), (self.list_value(self.item_maker(name), name in self.real_lists),))]

    def loop(self, names: list[str], over: Var | Range, loops: int, deep: int) -> For:
        name = self.fresh("w")
        names.append(name)
        body = self.block(self.count(1, 3), loops + 1, deep - 1)
        names.remove(name)
        if self.chance(6):  # the name stays behind the loop, and has no value if there was no turn
            names.append(name)
        return For(name, over, body)

    def while_loop(self, forever: bool, loops: int, deep: int) -> list[Stmt]:
        counter = self.fresh("w")
        most = self.turns() if self.chance(2) else number(self.count(0, 4))
        start = Assign((counter,), (number(0),))
        step = Assign((counter,), (Binary("+", Var(counter), number(1)),))
        self.wholes.append(counter)
        body = self.block(self.count(1, 3), loops + 1, deep - 1)
        if forever:
            stop = If(Binary(">", Var(counter), most), (Break(),), ())
            return [start, While(Const(True), (stop, step, *body))]
        test: Expr = Binary("<", Var(counter), most)
        if self.chance(2):
            test = Binary("and", test, self.truth(1))
        return [start, While(test, (step, *body))]

    def answer(self) -> Return:
        match self.pick(("real", "whole", "truth", "maybe", "list", "list", "tuple", "items", "comprehension", "none")):
            case "real":
                return Return(self.real())
            case "whole":
                return Return(self.whole())
            case "truth":
                return Return(self.truth())
            case "maybe" if self.maybes:
                return Return(self.name(self.maybes))
            case "list" if not self.tuples:
                return Return(self.name(self.lists))
            case "tuple" if self.tuples:
                return Return(TupleOf(tuple(self.mixed() for _ in range(self.count(1, 3)))))
            case "items" if not self.tuples:
                return Return(ListOf(tuple(self.mixed() for _ in range(self.count(0, 3)))))
            case "comprehension" if not self.tuples:
                return Return(self.comprehension(self.mixed, noisy=True))
            case _:
                return Return(Const(None))

    # ---- the whole

    def opening(self) -> list[Stmt]:
        """First values, so that most names that are read have one."""
        made: list[Stmt] = []

        def give(names: list[str], letter: str, value: Expr) -> None:
            name = self.fresh(letter)
            made.append(Assign((name,), (value,)))
            names.append(name)

        give(self.reals, "x", self.flat_real())
        give(self.reals, "x", number(self.pick(FRACTIONS)))
        give(self.wholes, "i", number(0))
        if self.chance(2):
            give(self.wholes, "i", self.stored_whole())
        give(self.truths, "b", self.truth(0))
        if self.chance(2):
            give(self.truths, "b", Const(self.pick((True, False))))
        if self.chance(2):
            later = self.stored_real()
            give(self.maybes, "m", Const(None))
            made.append(If(self.truth(1), (Assign((self.maybes[0],), (later,)),), ()))
        if self.chance(3):  # a name that only some runs give a value
            late = self.fresh("x")
            made.append(If(self.truth(1), (Assign((late,), (self.stored_real(),)),), ()))
            self.reals.append(late)
        for names, item in (
            (self.real_lists, self.stored_real),
            (self.whole_lists, self.stored_whole),
            (self.truth_lists, self.truth),
            (self.mixed_lists, self.mixed),
        ):
            if names is self.real_lists or self.chance(3):
                give(names, "a", self.list_value(item, names is self.real_lists))
                self.grown.append(names[-1])
        if self.chance(3):  # another name of the private list
            alias, x = self.fresh("q"), self.pick(self.own(self.reals))
            pair = Assign((alias, x), (Var("q"), self.stored_real()))
            made.append(pair if self.chance(2) else Assign((alias,), (Var("q"),)))
            self.real_lists.append(alias)
        elif self.chance(4) and self.draws < MOST_DRAWS:
            name = self.fresh("c")
            made.append(Assign(("q",), (Comprehension(Binary("+", Var(name), self.noise()), name, Var("q")),)))
        return made

    def sketch(self) -> Sketch:
        self.tuples = self.chance(4)
        body = [*self.opening(), *self.block(self.count(2, 6), 0, 3)]
        if not (body and isinstance(body[-1], Return)):
            body.append(self.answer())
        relation = RELATIONS[self.pick(sorted(RELATIONS))](self.pick((Fraction(1), Fraction(2), Fraction(1, 2))))
        whole = relation.distance.denominator == 1 and self.chance(3)
        declared = replace(PARAMETERS[0], whole=whole, count=self.count(1, 4) if self.chance(6) else None)
        parameters = tuple(self.draw(st.permutations((declared, *PARAMETERS[1:]))))
        return Sketch("program", parameters, relation, ir.number_sites(tuple(body)))


@st.composite
def sketches(draw: Callable[..., object]) -> Sketch:
    """Programs that the parser accepts, with up to `MOST_DRAWS` draws."""
    return _Maker(draw).sketch()


# ---------------------------------------------------------------- what a run needs

answers = st.sampled_from([Fraction(n, d) for n in range(-4, 5) for d in (1, 2, 10)])
sizes = st.sampled_from((2, 3, 4, 1, 2, 3, 4, 0))
databases = sizes.flatmap(lambda size: st.tuples(*[answers] * size))


def databases_of(sketch: Sketch) -> st.SearchStrategy[Database]:
    """Databases that a sketch accepts."""
    declared = sketch.private
    kinds = answers.filter(lambda answer: answer.denominator == 1) if declared.whole else answers
    if declared.count is not None:
        return st.tuples(*[kinds] * declared.count)
    return sizes.flatmap(lambda size: st.tuples(*[kinds] * size))


seeds = st.integers(0, 2**32)
epsilons = st.sampled_from([Fraction(1), Fraction(1, 2), Fraction(7, 10), Fraction(3)])


def scale_vectors(holes: int) -> st.SearchStrategy[Scales]:
    """One scale a hole, 0 for no noise."""
    return st.tuples(*[st.sampled_from([0.0, 0.3, 1.0, 4.0])] * holes)


def completions(holes: int) -> st.SearchStrategy[tuple[str | None, ...]]:
    return st.tuples(*[st.sampled_from([None, "1/eps", "2/eps", "3*len(q)/eps", "N/eps**2", "1/2"])] * holes)


@dataclass(frozen=True, slots=True)
class Case:
    """A program with all that its runs depend on."""

    sketch: Sketch
    database: Database
    arguments: Arguments
    scales: Scales
    seed: int

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """How Hypothesis shows it: as the program that one would write."""
        printer.text(f"{self.sketch}\nq = {show(self.database)}, {self.arguments}, {self.scales=}, {self.seed=}")


@st.composite
def cases(draw: Callable[..., object]) -> Case:
    sketch = draw(sketches())
    database = draw(databases_of(sketch))
    return Case(
        sketch, database, draw(argument_sets(len(database))), draw(scale_vectors(len(sketch.holes))), draw(seeds)
    )


@st.composite
def argument_sets(draw: Callable[..., object], size: int) -> Arguments:
    values = (
        ("N", draw(st.sampled_from([Fraction(1), Fraction(2), Fraction(3)]))),
        ("T", draw(answers)),
        ("flag", draw(st.booleans())),
    )
    return Arguments(draw(epsilons), size, values)
