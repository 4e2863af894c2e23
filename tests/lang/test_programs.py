"""Random programs: what is printed reads back as itself, and Python runs it as the reference engine does."""

import random
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kolahal.engine import reference
from kolahal.engine.faults import RunError
from kolahal.engine.tape import Tape
from kolahal.lang import ir
from kolahal.lang.adjacency import EachWithin, Monotone, OneWithin
from kolahal.lang.ir import (
    Append,
    Assign,
    Binary,
    Break,
    Call,
    Comprehension,
    Const,
    Continue,
    Draw,
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
    TupleOf,
    Var,
    While,
    walk,
)
from kolahal.lang.noise import Noise
from kolahal.lang.pretty import print_block, print_number
from kolahal.lang.read.parse import parse
from kolahal.lang.scale import parse_scale
from kolahal.lang.sketch import Parameter, Role, Sketch, Type, call_mechanism
from kolahal.model import make_arguments

# Names have one kind each: q, out are lists; x, y numbers; i, k whole; b a truth value; v a number or None.
Q, OUT, X, Y, I, K, B, V, T, N, Z = map(Var, ["q", "out", "x", "y", "i", "k", "b", "v", "T", "N", "z"])
ZERO, ONE = Const(Fraction(0)), Const(Fraction(1))
LITERALS = [Const(Fraction(text)) for text in ("0", "1", "2", "3", "-1", "-2", "0.5", "0.1", "-2.25", "1e-3")]
SCALES = [parse_scale(text) for text in ("2/eps", "4*N/eps", "1/(3*eps)", "len(q)/eps**2")]
DOCS = (None, "", "One line.", 'Quotes """ and "', "Back\\slash\\", "Two\n  lines\n\nand more", "\x00\x1b\u2028 é ⊥")
PARAMETERS = (
    Parameter("q", Role.PRIVATE, Type.VECTOR),
    Parameter("T", Role.ARGUMENT, Type.FLOAT, Fraction("0.5")),
    Parameter("N", Role.ARGUMENT, Type.INT, Fraction(2)),
    Parameter("eps", Role.EPSILON, Type.FLOAT, Fraction(1)),
)
START = (
    Assign(("out",), (ListOf(()),)),
    Assign(("x", "y", "i", "k"), (ZERO, Const(Fraction("1.5")), ZERO, ZERO)),
    Assign(("b", "v"), (Const(False), Const(None))),
    If(Binary(">", T, ZERO), (Assign(("v",), (X,)),), ()),
)


class Writer:
    """Writes random programs that pass the checker; `left` bounds how much it still writes."""

    def __init__(self, seed: int):
        self.rng = random.Random(seed)
        self.left = 60
        self.tuples = self.rng.random() < 0.3  # answers of several values are of one kind
        self.sites = 0
        self.holes = 0

    def pick(self, *makers):
        """What one of `makers` makes; when there is little room left, what the first one makes."""
        self.left -= 1
        return (self.rng.choice(makers) if self.left > 0 else makers[0])()

    def one(self, *values):
        return self.rng.choice(values)

    def whole(self):
        return self.pick(
            lambda: self.one(ZERO, ONE, I, K, N, Length(Q), Length(OUT)),
            lambda: Binary(self.one("+", "-", "*", "//", "%"), self.whole(), self.whole()),
            lambda: Call(self.one("max", "min"), (self.whole(), self.whole())),
        )

    def number(self):
        return self.pick(
            lambda: self.one(X, Y, V, T, I, N, *LITERALS),
            self.draw,
            lambda: Index(self.one(Q, OUT), self.whole()),
            lambda: Binary(self.one("+", "-", "*", "/", "//", "%"), self.number(), self.number()),
            lambda: Negate(self.one(X, V, Length(Q), Index(Q, ZERO))),
            lambda: Negate(Binary(self.one("+", "*"), self.number(), self.number())),
            lambda: Call(self.one("max", "min"), tuple(self.number() for _ in range(self.one(2, 3)))),
            lambda: Call("abs", (self.number(),)),
        )

    def draw(self):
        site, self.sites = self.sites, self.sites + 1
        if self.rng.random() < 0.5:
            return Draw(self.one(*(noise for noise in Noise if not (noise.bell or noise.finite or noise.selects or noise.open))), self.one(*SCALES), site)
        hole, self.holes = Hole(self.holes), self.holes + 1
        return Draw(self.one(*(noise for noise in Noise if not (noise.bell or noise.finite or noise.selects or noise.open))), hole, site)

    def boolean(self):
        return self.pick(
            lambda: self.one(B, Const(True), Const(False), IsNone(V), Not(IsNone(V))),
            lambda: Binary(self.one("<", "<=", ">", ">=", "==", "!="), self.number(), self.number()),
            lambda: Binary(self.one("and", "or", "==", "!="), self.boolean(), self.boolean()),
            lambda: Not(self.boolean()),
        )

    def range(self):
        return self.one(Range(ZERO, Length(Q), ONE), Range(ONE, self.whole(), ONE), Range(N, self.whole(), LITERALS[4]))

    def comprehension(self, over=None):
        item = Binary("+", Z, self.draw()) if self.rng.random() < 0.5 else self.number()
        return Comprehension(item, "z", over or self.one(Q, OUT, self.range()))

    def statement(self, loop=False):
        return self.pick(
            lambda: Assign((self.one("x", "y"),), (self.number(),)),
            lambda: Assign(("x", "y"), (self.number(), self.number())),
            lambda: Assign(("b",), (self.boolean(),)),
            lambda: Assign(("v",), (self.one(Const(None), self.number()),)),
            lambda: Assign(("out",), (self.pick(lambda: ListOf(()), lambda: ListOf((self.number(),)), self.comprehension),)),
            lambda: Assign(("q",), (self.comprehension(Q),)),
            lambda: Append("out", self.number(), self.one(True, False)),
            lambda: If(self.boolean(), self.block(loop), self.one((), self.block(loop))),
            lambda: For("i", self.range(), self.block(True)),
            lambda: For("x", Q, self.block(True)),
            lambda: self.while_loop(),
            lambda: If(self.boolean(), (Return(self.answer()),), ()),
            lambda: self.one(Break(), Continue()) if loop else self.statement(),
        )  # fmt: skip

    def while_loop(self):
        """A loop that ends: its counter grows first, so that `continue` cannot skip it."""
        test = Binary("and", Binary("<", K, LITERALS[3]), self.boolean())
        return While(test, (Assign(("k",), (Binary("+", K, ONE),)), *self.block(True)))

    def block(self, loop=False):
        return tuple(self.statement(loop) for _ in range(self.one(1, 1, 2, 3)))

    def answer(self):
        items = lambda: tuple(self.pick(self.number, self.boolean) for _ in range(self.one(1, 2)))  # noqa: E731
        several = (lambda: TupleOf(items()),) if self.tuples else (self.comprehension, lambda: OUT)
        return self.pick(self.number, self.boolean, lambda: Const(None), *several)

    def sketch(self):
        adjacency = self.one(EachWithin(1), OneWithin(Fraction(1, 2)), Monotone(Fraction(7, 3)))
        body = (*START, *self.block(), *self.block(), Return(self.answer()))
        return Sketch("f", PARAMETERS, adjacency, ir.number_sites(body), self.one(*DOCS))


def sketches(count):
    return [Writer(seed).sketch() for seed in range(count)]


def without_holes(sketch):
    return sketch.complete(*["2/eps"] * len(sketch.holes)).filled()


def test_a_printed_program_parses_to_itself():
    for sketch in sketches(120):
        again = parse(str(sketch))
        assert again == sketch
        assert hash(again) == hash(sketch)
        assert str(again) == str(sketch), "documentation included"
        assert [d.site for d in again.draws] == list(range(len(sketch.draws)))
        assert [h.index for h in again.holes] == list(range(len(sketch.holes)))


def test_a_mechanism_prints_as_the_program_without_holes():
    rng = random.Random(0)
    for sketch in sketches(100):
        scales = [rng.choice([None, "2/eps", "3*N/eps"]) for _ in sketch.holes]
        mechanism = sketch.complete(*scales)
        filled = mechanism.filled()
        assert not filled.holes
        assert parse(str(mechanism)) == filled
        assert len(filled.draws) == len(sketch.draws) - scales.count(None)
        assert ir.number_sites(filled.body) == filled.body


def test_python_runs_the_printed_program_as_the_reference_does():
    rng = random.Random(0)
    answers = 0
    for seed, sketch in enumerate(sketches(300)):
        program = without_holes(sketch)
        database = [Fraction(rng.randint(-16, 16), 4) for _ in range(rng.randint(0, 4))]
        arguments = make_arguments(program, Fraction(1), len(database), {})
        log = []
        try:
            expected = reference.run(program, database, arguments, (), Tape((seed,), 1).row(0), log=log)
            answers += 1
        except RunError:
            expected = RunError
        drawn = iter([value for _, _, value in log])
        try:
            found = call_mechanism(program, (database,), {"eps": 1}, lambda *_, drawn=drawn: next(drawn))
        except (IndexError, ZeroDivisionError, TypeError):
            found = RunError
        found = tuple(found) if isinstance(found, list) else found
        assert repr(_plain(found)) == repr(_plain(expected)), f"seed {seed}\n{program}"
    assert answers > 100, "many programs run to their end"


def _plain(value):
    """An answer with one spelling for equal numbers: Python has 2 and 2.0, 0.0 and -0.0."""
    if isinstance(value, tuple):
        return tuple(map(_plain, value))
    return float(value) + 0.0 if isinstance(value, int | float) and not isinstance(value, bool) else value


def test_equality_sees_what_a_program_does_and_not_where_it_stands():
    for sketch in sketches(20):
        moved = parse("\n\n# further down\n" + str(sketch))
        for one, other in zip(walk(moved.body), walk(parse(str(sketch)).body), strict=True):
            assert one == other
            assert one.span != other.span


def test_true_is_not_one():
    """Python holds True == 1; a program that answers True is another one."""
    template = "@sketch(adjacent=each_within(1))\ndef f(q: Private, eps: Epsilon):\n    return {}\n"
    assert parse(template.format("True")) != parse(template.format("1"))
    assert parse(template.format("False")) != parse(template.format("0"))
    assert parse(template.format("1.0")) == parse(template.format("1"))


@given(st.decimals(allow_nan=False, allow_infinity=False, places=6, min_value=-(10**9), max_value=10**9))
def test_a_number_prints_as_the_literal_that_it_is(number):
    exact = Fraction(str(number))
    assert Fraction(print_number(exact)) == exact


def test_an_empty_block_prints_as_pass():
    assert print_block(()) == ["    pass"]
    text = "@sketch(adjacent=each_within(1))\ndef f(q: Private, eps: Epsilon):\n    while eps < 0:\n        pass\n    return 0\n"
    assert str(parse(text)) == text


@pytest.mark.parametrize("depth", [10, 140])
def test_programs_at_the_limit_of_depth_can_be_read_printed_and_run(depth):
    sums = " + ".join(["x"] * depth)
    elses = "".join(f"    elif x > {i}:\n        x = {i}\n" for i in range(depth // 2))
    text = (
        f"@sketch(adjacent=each_within(1))\ndef f(q: Private, eps: Epsilon):\n    x = 1\n    x = {sums}\n"
        f"    if x > 1000:\n        x = 0\n{elses}    return x + Lap(hole)\n"
    )
    sketch = parse(text)
    assert parse(str(sketch)) == sketch
    program = sketch.complete(None).filled()
    arguments = make_arguments(program, Fraction(1), 0, {})
    assert reference.run(program, [], arguments, (), Tape((0,), 1).row(0)) == program([], eps=1)
