"""Single pieces of trusted code against what they should give, said in so many words."""

from __future__ import annotations

import itertools
import json
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest
import stored
import z3
from every_length import load

from kolahal.lang.ir import Append, Assign, Binary, Comprehension, Const, If, Index, Length, Return, Var, walk
from kolahal.lang.read.parse import parse
from kolahal.lang.scale import Scale, base_of, parse_scale
from kolahal.lang.sketch import Sketch
from kolahal.logic import solver
from kolahal.logic.compiled import compile_formula, compile_sum
from kolahal.logic.linear import Inequality, LinearForm, number, variable
from kolahal.logic.solver import (
    Choices,
    Switchboard,
    Translator,
    check_script,
    has_second_opinion,
    is_empty,
    second_opinion,
)
from kolahal.logic.terms import (
    BOOL,
    FALSE,
    INT,
    REAL,
    TRUE,
    ZERO,
    Formula,
    NotATerm,
    Sum,
    Symbol,
    at_most,
    below,
    choose,
    equal,
    every,
    implies,
    is_whole,
    magnitude,
    negate,
    parse_formula,
    print_symbol,
    print_term,
    put_in,
    same_truth,
    some,
    symbols_of,
)
from kolahal.paths.unknowns import AnswerAt, Atom, MoveAt
from kolahal.proof.find.lengths import must_release
from kolahal.proof.trusted import segments
from kolahal.proof.trusted.bounded import read_verdict as read_bounded_verdict
from kolahal.proof.trusted.budget import Share, powers_of, within_claim
from kolahal.proof.trusted.certificate import (
    CaseProof,
    LengthProof,
    Rejected,
    describe_assumptions,
    read_certificate,
    read_verdict,
    recheck,
    write_certificate,
)
from kolahal.proof.trusted.coins import turn
from kolahal.proof.trusted.computed import bind_computed, compute
from kolahal.proof.trusted.documents import MOST_DIGITS, Malformed, read_number, read_whole, shorten
from kolahal.proof.trusted.expressions import UNDRAWN
from kolahal.proof.trusted.flow import find_followed, may_fault, names_of_views, noisy_views
from kolahal.proof.trusted.neighbours import (
    Neighbours,
    assumed_names,
    neighbours_of,
    public_facts,
    public_symbols,
    quantity,
)
from kolahal.proof.trusted.obligations import Clause, Obligation, System, obligations
from kolahal.proof.trusted.product import build_product, build_system, settle_answers
from kolahal.proof.trusted.restated.watched import Followed
from kolahal.proof.trusted.segments import Machine
from kolahal.proof.trusted.shifts import (
    Alignment,
    Always,
    AtGhost,
    AtValue,
    ByBranch,
    Form,
    describe_form,
    describe_shift,
)
from kolahal.proof.trusted.states import updates_of
from kolahal.proof.trusted.steps import Head, compile_steps, live_names, reached_from
from kolahal.proof.trusted.symbols import Computed, in_common, own
from kolahal.proof.trusted.values import (
    Computation,
    Logical,
    Maybe,
    Numeric,
    Opaque,
    PrivateAnswers,
    Unsupported,
    View,
    pick,
)
from kolahal.verdicts import AnyRecords, AtLeast, Bounded, Certificate, Everywhere, Exactly, Proved, UpTo


def add(*terms: Sum) -> Sum:
    return sum(terms[1:], terms[0]) if terms else ZERO


def scale(factor: Fraction | int, term: Sum) -> Sum:
    return term.times(factor)


def subtract(left: Sum, right: Sum) -> Sum:
    return left - right


pytestmark = pytest.mark.mutants

# ---------------------------------------------------------------- numbers in documents


def test_numbers_of_documents_are_exact_and_bounded() -> None:
    most = 10**MOST_DIGITS
    for given, value in ((3, 3), (-3, -3), ("-3/4", Fraction(-3, 4)), ("+2.5", Fraction(5, 2)), (most - 1, most - 1)):
        assert read_number(given) == value
    assert read_number("9" * MOST_DIGITS) == most - 1
    wrong = (True, most, -most, "9" * (MOST_DIGITS + 1), "1/0", "1e5", 1.5, None, "", "x", "1/2/3", "٣", " 1", ["1"])
    for value in wrong:
        with pytest.raises(Malformed):
            read_number(value)
    for value in (0, 1, 5):
        assert read_whole(value, 5) == value
    for value in (-1, 6, True, False, "3", 2.0, None):
        with pytest.raises(Malformed):
            read_whole(value, 5)


def test_values_in_messages_are_short() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    assert shorten("a" * 58) == repr("a" * 58) and len(shorten("a" * 58)) == 60
    assert shorten("a" * 59) == "'" + "a" * 58 + "…"
    assert shorten(10**5000) == "this int" and shorten(deep) == "this list"


# ---------------------------------------------------------------- the budget

SKETCH = load(
    "@sketch(adjacent=each_within(1))\ndef f(q: Private, N: int, M: int, T: float, on: bool, eps: Epsilon):\n    return q[0] + Lap(1/eps)\n"
)


def share(bound: Fraction | int | str, per: str | None = None, **powers: int) -> Share:
    return Share(tuple(sorted(powers.items())), Fraction(bound), per)


@pytest.mark.parametrize(
    ("claim", "shares", "holds"),
    [
        ("eps", [share(1)], True),
        ("eps", [share("1/2"), share("1/2", N=1)], True),
        ("eps", [share("1/2"), share("2/3", N=1)], False),
        ("eps", [], True),
        ("eps", [share("11/10")], False),
        ("eps", [share(1, "N", N=1)], True),
        ("eps", [share(1, "N", N=2)], True),
        ("eps", [share(1, "N")], False),
        ("eps", [share(1, "N", M=1)], False),
        ("eps", [share(1, N=-1)], False),
        ("N*eps", [share(1, N=-1)], True),
        ("N*eps", [share(1, "N", N=-1)], False),
        ("N*eps", [share(1, "N")], True),
        ("N**2*eps", [share(1, "N", N=-1)], True),
        ("eps", [share(0, N=-1), share(1)], True),
        ("eps", [share(0, "T", eps=-1), share(1)], True),
        ("eps", [share(1, eps=-1)], False),
        ("eps", [share(1, eps=1)], False),
        ("eps", [share(-1), share(2)], False),
        ("2*eps", [share(2)], True),
        ("0*eps", [], False),
        ("eps**2", [share(1)], False),
        ("1", [share(1)], False),
        ("N", [share(1)], False),
        ("1/eps", [share(1)], False),
        ("T*eps", [share(1)], False),
        ("len(q)*eps", [share(1)], True),
        ("len(q)*eps", [share(1, "len(q)")], True),
        ("N*M*len(q)*eps", [share(1)], True),
        ("eps", [share(0), share(1, N=-1)], False),
        ("eps/N", [share(1)], False),
        ("eps/N", [share(1, N=1)], True),
    ],
)
def test_shares_are_within_a_claim_or_not(claim: str, shares: list[Share], holds: bool) -> None:
    assert within_claim(tuple(shares), parse_scale(claim), SKETCH) is holds


def test_powers_of_a_scale() -> None:
    for text, powers in (
        ("2/eps", ()),
        ("3*N/eps", (("N", 1),)),
        ("len(q)*N/eps", (("N", 1), ("len(q)", 1))),
        ("1/eps**2", (("eps", -1),)),
        ("1", (("eps", 1),)),
        ("1/(N*eps)", (("N", -1),)),
    ):
        assert powers_of(parse_scale(text), SKETCH) == powers
    for wrong in (parse_scale("T/eps"), parse_scale("K/eps"), Scale(Fraction(0), ())):
        with pytest.raises(Unsupported):
            powers_of(wrong, SKETCH)
    rebound = load(
        "@sketch(adjacent=each_within(1))\ndef f(q: Private, N: int, eps: Epsilon):\n    N = 2\n    return q[0] + Lap(1/eps)\n"
    )
    with pytest.raises(Unsupported):
        powers_of(parse_scale("N/eps"), rebound)


# ---------------------------------------------------------------- public inputs


def test_public_symbols_have_their_sorts() -> None:
    found = {symbol.name: symbol.sort for symbol in public_symbols(SKETCH)}
    inputs = {"N": INT, "M": INT, "T": REAL, "on": BOOL, "eps": REAL}
    ghosts = dict.fromkeys(("ghost.value", "ghost.value.1", "ghost.value.2", "ghost.value.3"), INT)
    assert found == {"len(q)": INT, **ghosts, **inputs}


def test_only_whole_arguments_can_be_assumed() -> None:
    length = "(<= 1 |len(q)|)"
    assert list(map(print_term, public_facts(SKETCH, ("M",)))) == [length, "(< 0.0 eps)", "(<= 1 M)"]
    for wrong in ("T", "on", "eps", "q", "K"):
        with pytest.raises(Unsupported):
            public_facts(SKETCH, (wrong,))
    counted = load("@sketch(adjacent=each_within(1))\ndef f(q: Private[3], eps: Epsilon):\n    return q[0] + Lap(1/eps)\n")
    assert list(map(print_term, public_facts(counted, ()))) == [length, "(< 0.0 eps)", "(= |len(q)| 3)"]


def test_quantities_of_scales_are_whole_numbers_of_the_clauses() -> None:
    other = load("@sketch(adjacent=each_within(1))\ndef f(data: Private, N: int, eps: Epsilon):\n    return data[0] + Lap(1/eps)\n")
    assert other.length_name == "len(data)" and quantity("len(data)", other) == variable(Symbol("len(q)", INT))
    assert quantity("N", other) == variable(Symbol("N", INT))
    assert quantity("(N + 1)", other) == variable(Symbol("N", INT)) + ONE and base_of("(N + 1)") == "N"


def test_what_is_assumed_is_what_is_required_and_what_the_claim_names() -> None:
    required = load(
        "@sketch(adjacent=each_within(1))\ndef f(q: Private, N: int, M: int, K: int, eps: Epsilon):\n    return q[0] + Lap(N/eps)\n"
    )
    assert assumed_names(required, parse_scale("eps")) == ("N",)
    assert assumed_names(required, parse_scale("K*eps")) == ("N", "K")


def test_comprehensions_that_are_an_answer_must_be_released() -> None:
    head = "@sketch(adjacent=one_within(1))\ndef f(q: Private, on: bool, eps: Epsilon):\n"
    lists = "    a = [x + Lap(1/eps) for x in q]\n    b = [x + Lap(2/eps) for x in q]\n"
    for text, wanted in (
        ("    return b\n", {1}),
        ("    if on:\n        return a\n    return [x for x in q]\n", {0, 2}),
        ("    return [a[0], b[0]]\n", set()),
    ):
        assert must_release(load(head + lists + text)) == wanted


def test_a_list_with_two_names_does_not_grow() -> None:
    """The language refuses such a program; trusted code does not rely on it."""
    sketch = load("@sketch(adjacent=one_within(1))\ndef f(q: Private, eps: Epsilon):\n    a = [1]\n    b = a\n    return b\n")
    build_product(sketch, frozenset())
    for name in ("a", "b"):
        grows = Append(name, Const(Fraction(2), span=sketch.body[0].span), False, span=sketch.body[0].span)
        with pytest.raises(Unsupported, match="`b` and `a` are the same list, and it grows"):
            build_product(replace(sketch, body=(*sketch.body[:-1], grows, sketch.body[-1])), frozenset())


UNIT = Const(Fraction(1))
ITEMS = Comprehension(Var("x"), "x", Var("q"))


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ((Assign(("y",), (Binary("+", Var("q"), UNIT),)), Return(UNIT)), "the list `q` stands where one value is needed"),
        ((Assign(("y",), (Binary("+", ITEMS, UNIT),)), Return(UNIT)), "Comprehension is not covered"),
        ((Assign(("y",), (Binary("+", Const(True), UNIT),)), Return(UNIT)), "a truth value stands where a number is needed"),
        ((If(Var("N"), (Return(UNIT),), ()), Return(UNIT)), "a condition is not a truth value"),
        ((Return(Length(Var("N"))),), "`N` may not be a list here"),
        ((Return(Index(Var("N"), UNIT)),), "`N` is not a list here"),
        ((Append("N", UNIT, False), Return(UNIT)), "`N` may not be a list of the program's own where it grows"),
        ((Append("nobody", UNIT, False), Return(UNIT)), "`nobody` may not be a list of the program's own where it grows"),
        ((Assign(("a",), (Comprehension(ITEMS, "y", Var("q")),)), Return(UNIT)), "a comprehension stands inside another one"),
        ((If(Binary(">", Index(Var("q"), Length(ITEMS)), UNIT), (Return(UNIT),), ()), Return(UNIT)), "in an unusual place"),  # type: ignore[arg-type]
    ],
)
def test_what_the_language_refuses_is_refused_here_again(body: tuple[Any, ...], words: str) -> None:
    with pytest.raises(Unsupported, match=words):
        build_product(replace(SKETCH, body=body), frozenset())


def test_programs_that_are_not_covered_are_refused() -> None:
    head = "@sketch(adjacent=one_within(1))\ndef f(q: Private, eps: Epsilon):\n"
    with pytest.raises(Unsupported, match="holes"):
        build_product(load(head + "    return q[0] + Lap(hole)\n"), frozenset())
    for adjacency in (SimpleNamespace(distance=Fraction(1)), None):
        with pytest.raises((Unsupported, AttributeError)):
            neighbours_of(replace(SKETCH, adjacency=adjacency))  # type: ignore[arg-type]
    with pytest.raises(Unsupported, match="both numbers and truth values"):
        pick(a, Numeric(X), Logical(b))


def test_a_turn_has_only_so_many_paths(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "@sketch(adjacent=one_within(1))\ndef f(q: Private, on: bool, up: bool, eps: Epsilon):\n    k = 0\n    if on:\n        k = 1\n    if up:\n        k = k + 2\n    return k + q[0] + Lap(1/eps)\n"
    monkeypatch.setattr(segments, "MOST_PATHS", 4)
    assert len(build_product(load(text), frozenset()).first.paths[None]) == 4
    monkeypatch.setattr(segments, "MOST_PATHS", 3)
    with pytest.raises(Unsupported, match="one turn has more than 3 paths"):
        build_product(load(text), frozenset())


def with_body(*lines: str) -> Sketch:
    head = "@sketch(adjacent=one_within(1))\ndef f(q: Private, N: int, on: bool, eps: Epsilon):\n"
    return load(head + "".join(f"    {line}\n" for line in lines))


def test_what_names_stand_for_is_found_in_the_text() -> None:
    lists = ("a = [x + Lap(2/eps) for x in q]", "d = [2 * x for x in q]", "b = d", "c = d", "for x in q:", "    c = b", "    b = a")
    more = ("e = [c[i] + 1 for i in range(len(q))]", "g = [e[i] for i in range(len(q))]", "j = 0", "k = 0", "m = 0")
    loop = ("for i in range(len(q)):", "    m = k", "    k = j", "    if c[m] > a[i]:", "        j = i", "return e[j]")
    sketch = with_body(*lists, *more, *loop)
    views = [node for node in walk(sketch.body) if isinstance(node, Comprehension)]
    named = names_of_views(sketch, views)
    assert named == {0: {"a", "b", "c"}, 1: {"b", "c", "d"}, 2: {"e"}, 3: {"g"}}
    assert noisy_views(views, named) == {0, 2, 3}
    places = tuple((name, f"item 1 at {name}") for name in "jkm")
    assert find_followed(sketch, frozenset({0, 2, 3}), named) == {0: places, 2: (("j", "item 3 at j"),), 3: ()}
    plain = with_body("a = [x for x in q]", "return a[0] + Lap(1/eps)")
    (view,) = [node for node in walk(plain.body) if isinstance(node, Comprehension)]
    assert names_of_views(plain, [view]) == {0: {"a"}} and noisy_views([view], {0: {"a"}}) == frozenset()


def test_what_may_stop_a_run() -> None:
    x, zero = Var("x"), Const(Fraction(0))
    for op, right, stops in (("/", UNIT, False), ("/", zero, True), ("/", x, True), ("//", UNIT, True), ("%", UNIT, True), ("+", zero, False)):
        assert may_fault(Binary(op, x, right)) is stops
    assert may_fault(Index(x, UNIT)) and not may_fault(x)


def test_what_may_come_later_in_a_run() -> None:
    turn = ("if x + Lap(1/eps) > j:", "    k = n", "    break", "if on:", "    continue", "k = j")
    loops = ("for x in q:", "    j = k", "    for n in range(N):", *(f"        {line}" for line in turn))
    nested = with_body("k = 0", "j = 0", *loops, "if on:", "    return k", "while k > 0:", "    k = k - 1", "return j")
    steps = compile_steps(nested.body)
    never = {10, 13, 19}  # the jumps over an `else`, behind what leaves
    live = [set(names) for names in live_names(steps)]
    assert len(steps) == 25 and [at for at, step in enumerate(steps) if isinstance(step, Head)] == [3, 6, 21]
    for at in range(17):
        assert reached_from(steps, at) == set(range(min(at, 3), 25)) - never | {at}
    assert [sorted(reached_from(steps, at)) for at in (17, 18, 21, 23, 24, 25)] == [[17, 18, 20, 21, 22, 23, 24], [18], [21, 22, 23, 24], [21, 22, 23, 24], [24], []]
    inputs = {"N", "on", "q"}
    assert live[:7] == [inputs, inputs | {"k"}, *[inputs | {"j", "k"}] * 2, inputs | {"k", "x"}, *[inputs | {"j", "k", "x"}] * 2]
    assert live[7:10] == [inputs | {"j", "k", "n", "x"}, inputs | {"j", "n"}, inputs | {"j", "k"}]
    assert live[17:] == [{"on", "j", "k"}, {"k"}, *[{"j", "k"}] * 5, {"j"}, set()]
    lost = inputs | {"j", "k", "n", "x"}  # the inputs because the answer after the last loop does not know them
    unsettled = Machine(nested, 1, False, frozenset()).run().unsettled
    assert {loop: names for (loop, end), names in unsettled.items() if end is None} == {0: lost, 1: lost, 2: {"k"}}
    # Until the next head of the outer loop only its inner one has changed anything; x and j are given behind that head.
    assert unsettled[1, 0] == {"k", "n"} and unsettled[0, 0] == lost and unsettled[0, 1] == lost - {"n"}
    assert unsettled[0, 2] == unsettled[1, 2] == {"j", "k", "n", "x"} and unsettled[2, 0] == unsettled[2, 2] == {"k"}
    assert reached_from(steps, 6, 3) == {6, 7, 8, 9, 11, 12, 14, 15, 16}
    assert reached_from(steps, 3, 3) == reached_from(steps, 3)


def test_ghosts_are_settled_where_every_answer_knows_them() -> None:
    start = ("j = 0", "k = 0", "e = Lap(1/eps)", "if e > 0:", "    j = 1", "if e > 1:", "    k = 1", "s = 0")
    first = ("for x in q:", "    if j + k > 5:", "        s = 1")
    for one, two in (("j", "k"), ("k", "j")):
        ways = ("if on:", "    for x in q:", f"        if {one} > 3:", "            s = 2", f"    return {one}, s")
        last = ("for x in q:", f"    if {two} > 3:", "        s = 3", f"return {two}, s")
        found = Machine(with_body(*start, *first, *ways, *last), 1, False, frozenset()).run().unsettled
        ended = {loop: names for (loop, end), names in found.items() if end is None}
        assert ended == {0: {"j", "k", "on", "s", "x"}, 1: {"s", "x"}, 2: {"s", "x"}}
        unread = Machine(with_body(*start, *first, *last), 1, False, frozenset()).run().unsettled
        assert found[2, None] == unread[1, None] and unread[0, None] == {one, "s", "x"}


def test_answers_of_several_places_are_compared_only_as_they_stand() -> None:
    """Where public arithmetic is left out of answers, those of different places to answer have lost different arithmetic."""
    noisy = ("x = q[0] + Lap(1/eps)", "if x > 0:")
    for lines, settled in (
        (("x = q[0] + Lap(1/eps)", "return x * N / len(q)"), False),
        ((*noisy, "    return x", "return x - 1"), False),
        ((*noisy, "    return x * N", "return x / len(q)"), True),
        ((*noisy, "    return x", "return x / len(q)"), True),
    ):
        sketch = with_body(*lines)
        product = build_product(sketch, frozenset())
        assert product.settled is settled
        for moves in neighbours_of(sketch):
            system = build_system(product, moves, Alignment((Always(Form(Fraction(1))),)), (share(1),), ())
            apart = [clause for clause in system.clauses if clause.name.endswith(("path 1 with path 2", "path 2 with path 1"))]
            assert all((FALSE in clause.goals) is settled for clause in apart)


def test_public_arithmetic_is_left_out_of_answers() -> None:
    left = {
        "(x + 1, x - N, x * 2, x / len(q), 1 + x, N - x, -2 * x)": "(x, x, x, x, x, x, x)",
        "(2 * x + -(N), (x - 1) / (N * 2), x * q[1], 1 / x)": "(x, x, x * q[1], 1 / x)",
        "x + -q[1] * (N + 1)": "x + -q[1] * (N + 1)",
        "(x + (N + q[1]), x - (q[1] - N))": "(x + (N + q[1]), x - (q[1] - N))",
    }
    for given, wanted in left.items():
        before, after = (
            with_body("x = q[0] + Lap(1/eps)", "if on:", f"    return {text}", "else:", f"    return {text}") for text in (given, wanted)
        )
        assert settle_answers(before).body == after.body
    named = with_body("x = q[0] + Lap(1/eps)", "y = x * N", "return y")
    assert settle_answers(named).body == with_body("x = q[0] + Lap(1/eps)", "return x").body
    for kept in (("y = x", "return y"), ("y = x * N", "return x"), ("y = x * N", "z = 1", "return y")):
        sketch = with_body("x = q[0] + Lap(1/eps)", *kept)
        assert settle_answers(sketch) == sketch


def test_noise_is_drawn_where_it_stands_unless_it_is_said() -> None:
    sketch = with_body("e = Lap(1/eps)", "if q[0] > 0:", "    return 1", "return q[0] + e")
    now, late = (build_product(sketch, frozenset(), delayed) for delayed in (False, True))
    assert build_product(sketch, frozenset()) == now != late
    assert (now.first.which, now.second.which) == (1, 2)
    assert Machine(sketch, 1, False, frozenset()).run() == Machine(sketch, 1, False, frozenset(), False).run()
    assert Machine(sketch, 1, False, frozenset()).run() != Machine(sketch, 1, False, frozenset(), True).run()


def test_shifts_are_told_apart_by_whole_arguments_only() -> None:
    sketch = with_body("k = 0", "x = q[0] + Lap(1/eps)", "return x + k")
    product = build_product(sketch, frozenset())
    (moves,) = neighbours_of(sketch)

    def system(of: str | None) -> System:
        rule = AtValue("k", of, 1, Form(Fraction(1)), Form())
        return build_system(product, moves, Alignment((rule,)), (share(1),), ())

    assert len({str(system(of).clauses) for of in (None, "N")}) == 2
    for wrong in ("on", "eps", "q", "k", "nobody"):
        with pytest.raises(Unsupported, match=f"{wrong} is not a whole argument"):
            system(wrong)


def test_a_coin_follows_truth_values_and_makes_those_equal_that_it_stands_in() -> None:
    def coin(factor: int | None, value: Any) -> Any:
        return SimpleNamespace(factor=factor, names={"x": value}, symbol=Symbol("noise", INT), side=TRUE)

    each, one, two = Neighbours("each", Fraction(1), False), coin(1, Logical(TRUE)), coin(1, Logical(FALSE))
    assert turn(Form(follow="x"), one, two, {}, each) == turn(Form(Fraction(1)), one, two, {}, each)  # they always differ
    assert turn(Form(follow="x"), one, one, {}, each) == ZERO == turn(Form(cancel=True), one, two, {}, each)
    for pair in itertools.product((one, coin(1, Numeric(ZERO)), coin(1, None)), repeat=2):
        if pair != (one, one):
            with pytest.raises(Unsupported, match="`x` is not a truth value where the coin is flipped"):
                turn(Form(follow="x"), *pair, {}, each)
    for pair in ((coin(0, None), one), (one, coin(0, None)), (coin(None, None), coin(None, None)), (coin(0, None), coin(0, None))):
        with pytest.raises(Unsupported, match="a coin that stands in no truth value"):
            turn(Form(cancel=True), *pair, {}, each)
    with pytest.raises(Unsupported, match="two sides"):
        turn(Form(Fraction(2)), one, two, {}, each)


def test_each_draw_has_a_shift_and_each_scale_a_share() -> None:
    product = build_product(SKETCH, frozenset())
    (moves,) = neighbours_of(SKETCH)
    shift = Always(Form(Fraction(1)))
    build_system(product, moves, Alignment((shift,)), (share(1),), ())
    for shifts in ((), (shift, shift)):
        with pytest.raises(Unsupported, match="not one shift for each draw"):
            build_system(product, moves, Alignment(shifts), (share(1),), ())
    for shares in ((), (share(1, N=1),), (share(1), share(1))):
        with pytest.raises(Unsupported, match="do not match the scales"):
            build_system(product, moves, Alignment((shift,)), shares, ())


def test_what_is_wrongly_taken_for_whole_is_found_on_arrival(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "@sketch(adjacent=one_within(1))\ndef f(q: Private[int], eps: Epsilon):\n    s = 0\n    for x in q:\n        s = s + {}\n    return s + DiscreteLap(1/eps)\n"
    monkeypatch.setattr(segments, "whole_names", lambda sketch: frozenset({"s"}))
    for step, whole in (("2", True), ("1/2", False)):
        sketch = load(text.format(step))
        for moves in neighbours_of(sketch):
            given = (build_product(sketch, frozenset()), moves, Alignment((Always(Form()),), ()), (share(1),), ())
            if whole:
                build_system(*given)
            else:
                with pytest.raises(Unsupported, match="s may not be a whole number"):
                    build_system(*given)


def test_a_shift_follows_a_number_and_moves_by_units_too() -> None:
    head = "@sketch(adjacent=one_within(1))\ndef f(q: Private, eps: Epsilon):\n"
    sketch = load(head + "    x = q[0]\n    return x + Lap(1/eps)\n")
    product = build_product(sketch, frozenset())
    (moves, *_) = neighbours_of(sketch)
    forms = (Form(follow="x"), Form(Fraction(1), follow="x"), Form(Fraction(1)))
    systems = [build_system(product, moves, Alignment((Always(form),), ()), (share(1),), ()) for form in forms]
    assert len({str(system.clauses) for system in systems}) == len(forms)
    unsure = load(head + "    x = 1\n    if q[0] + Lap(1/eps) > 0:\n        x = None\n    y = Lap(1/eps)\n    if x is None:\n        return y\n    return 0\n")
    shifts = (Always(Form()), Always(Form(follow="x")))
    with pytest.raises(Unsupported, match="`x` is not a number where the noise is drawn"):
        build_system(build_product(unsure, frozenset()), moves, Alignment(shifts, ()), (share(1),), ())


def test_public_numbers_are_known_by_what_they_are_made_of() -> None:
    text = "@sketch(adjacent=one_within(1))\ndef f(q: Private, N: int, T: float, eps: Epsilon):\n    x = N * T / N\n    return q[0] + x + Lap(1/eps)\n"
    product, quotient = Symbol("(N * T)", REAL), Symbol("((N * T) / N)", REAL)
    n, t = variable(Symbol("N", INT)), variable(Symbol("T", REAL))
    both = build_product(load(text), frozenset())
    assert both.first.opaque == both.second.opaque == (Opaque(product, "*", n, t), Opaque(quotient, "/", variable(product), n))


def test_variables_get_what_they_can_hold() -> None:
    """Kinds are inferred before; that a variable holds a value of its kind is seen here again."""
    truth, real = own("v", 1, BOOL), own("v", 1, REAL)
    held = {"none": own("v", 1, BOOL, ".none"), "truth": Logical(truth), "number": Numeric(variable(real))}
    for name, symbol, stand_in, other in (
        ("truth", truth, FALSE, Numeric(X)),
        ("number", real, ZERO, Logical(a)),
    ):
        place = Maybe(held["none"], held[name])
        value = held[name]
        assert updates_of(place, Maybe(TRUE, other), {}) == [(held["none"], TRUE), (symbol, stand_in)]
        assert updates_of(place, Maybe(b, value), {}) == [(held["none"], b), (symbol, value.value)]
        for wrong in (Maybe(b, other), Maybe(FALSE, other), other):
            with pytest.raises(Unsupported, match="several kinds"):
                updates_of(place, wrong, {})
    assert updates_of(Numeric(X), Numeric(X), {}) == updates_of(Logical(a), Logical(a), {}) == []
    known = Maybe(held["none"], held["number"])
    assert updates_of(known, Maybe(a, Numeric(X)), {a: b, x: Y}) == [(held["none"], b), (real, Y)]
    assert updates_of(known, Numeric(X), {x: Y}) == [(held["none"], FALSE), (real, Y)]
    assert updates_of(Logical(truth), Logical(a), {a: b}) == [(truth, b)]
    for held_fast in (PrivateAnswers(), View(Var("x"), "x", PrivateAnswers(), None), UNDRAWN):
        assert updates_of(held_fast, held_fast, {}) == []
        for other in (View(Var("y"), "y", None, 1), Maybe(b, Numeric(X)), Numeric(X)):
            with pytest.raises(Unsupported):
                updates_of(held_fast, other, {})


def test_only_impossible_steps_owe_nothing() -> None:
    impossible = Clause("impossible", None, (FALSE,), (a,), None, ())
    clauses = (impossible, Clause("first", None, (b,), (a,), 0, ((a, b),)), Clause("next", 0, (), (a,), None, ()))
    found = obligations(System((negate(b),), {0: (a,)}, clauses), {0: (negate(a),)})
    assert found == (
        Obligation("first", (negate(b), b), every([a, negate(b)])),
        Obligation("next", (negate(b), negate(a)), a),
    )
    assert obligations(System((), {}, clauses[2:]), {}) == (Obligation("next", (), a),)


# ---------------------------------------------------------------- shifts in words


def test_shifts_in_words() -> None:
    whole, half = Form(Fraction(1)), Form(Fraction(1, 2), True, "v")
    assert describe_form(Form(), False) == "nothing"
    assert describe_form(whole, False) == "the distance" and describe_form(whole, True) == "the size of the move"
    words = "1/2 × {} plus what makes its sum equal in both runs plus the difference of `v`"
    assert describe_form(half, False) == words.format("the distance")
    assert describe_shift(Always(whole), True) == "moves by the size of the move"
    assert describe_shift(ByBranch(2, whole, half), True) == (
        f"moves by the size of the move if condition number 3 of the program holds, else by {words.format('the size of the move')}"
    )
    assert describe_shift(ByBranch((2, 0), whole, Form()), True) == (
        "moves by the size of the move if part 1 of condition number 3 of the program holds, else by nothing"
    )
    for offset, place in ((0, "the ghost"), (1, "the ghost - 1"), (-2, "the ghost + 2")):
        for single, unit in ((True, "the size of the move"), (False, "the distance")):
            assert describe_shift(AtGhost(offset, whole, half), single) == (
                f"moves by {unit} for the answer at place {place}, counted from 0, else by {words.format(unit)}"
            )
    assert describe_shift(AtGhost(1, whole, Form(), 1), True) == (
        "moves by the size of the move for the answer at place ghost 2 - 1, counted from 0, else by nothing"
    )
    for of, plus, value in ((None, 3, "3"), (None, -1, "-1"), ("N", 0, "N"), ("N", 2, "N + 2"), ("N", -1, "N - 1")):
        for single, unit in ((True, "the size of the move"), (False, "the distance")):
            rule = AtValue("k", of, plus, whole, Form())
            assert describe_shift(rule, single) == f"moves by {unit} where `k` is {value}, else by nothing"
            assert describe_shift(ByBranch(0, rule, rule), single) == (
                f"moves by ({unit} where `k` is {value}, else by nothing) if condition number 1 of the program holds, "
                f"else by {unit} where `k` is {value}, else by nothing"
            )


def test_a_limit_and_a_renewal_are_those_of_a_site_and_a_ghost() -> None:
    two = Alignment((Always(Form()),) * 2, ("i", "j"), (0, None), (None, parse_scale("2")))
    assert [two.limit(site) for site in range(3)] == [None, parse_scale("2"), None]
    assert [two.renewal(which) for which in range(3)] == [0, None, None]
    assert Alignment(()).limit(0) is None and Alignment(()).renewal(0) is None


def test_a_result_of_the_second_run_is_known_once_its_draws_are_made() -> None:
    def result(run: int, before: int, left: Sum) -> Computation:
        return Computation(Computed(f"computed.{before}@{run}", REAL, f"computed.{before}", run, "", before), "*", left, left)

    x, y = variable(Symbol("x", REAL)), variable(Symbol("y", REAL))
    early, late, theirs = result(1, 0, x), result(1, 1, x), result(2, 1, y)
    before: dict[Symbol, Any] = {}
    bind_computed([early, late], [theirs], 0, before)
    assert before == {}
    bind_computed([early, late], [theirs], 1, before)
    here = equal(x, y)
    wanted = choose(here, variable(late.symbol), choose(here, variable(early.symbol), variable(theirs.symbol)))
    assert before == {theirs.symbol: wanted}
    known: dict[Symbol, Any] = {theirs.symbol: ZERO}
    bind_computed([early], [theirs], 7, known)
    assert known == {theirs.symbol: ZERO}, "what is settled stays"
    first: dict[Symbol, Any] = {}
    bind_computed([late], [result(2, 0, y)], 1, first)
    assert list(first.values()) == [variable(result(2, 0, y).symbol)], "a result of fewer draws is compared with none of more"


def test_results_are_told_apart_and_are_the_same_for_either_run() -> None:
    whole, x, y = variable(Symbol("n", INT)), variable(Symbol("x", REAL)), variable(Symbol("y", REAL))
    runs: list[Any] = [SimpleNamespace(faults=[], computed=[], draws=[None] * 3) for _ in range(2)]
    made = [[compute(op, *pair, which, state) for op, pair in (("*", (x, y)), ("*", (y, x)), ("/", (x, y)), ("*", (whole, whole)), ("/", (whole, whole)))] for which, state in enumerate(runs, 1)]
    for which, (results, state) in enumerate(zip(made, runs, strict=True), 1):
        assert len(set(results)) == len(set(map(in_common, results))) == len(state.computed) == 5
        assert compute("*", x, y, which, state) == results[0] and len(state.computed) == 5
        assert state.faults == [equal(y, ZERO), equal(whole, ZERO)]
        symbols = [known.symbol for known in state.computed]
        assert [symbol.sort for symbol in symbols] == [REAL, REAL, REAL, INT, REAL]
        assert {(symbol.run, symbol.before) for symbol in symbols} == {(which, 3)}
    assert not set(made[0]) & set(made[1]) and list(map(in_common, made[0])) == list(map(in_common, made[1]))


def test_rules_are_settled_by_the_conditions() -> None:
    one, two, three = (Form(Fraction(units)) for units in (1, 2, 3))
    parts = ByBranch((0, 1), ByBranch(1, one, two), three)
    for decisions, left in (
        ({}, three),
        ({(0, 1): False, 1: True}, three),
        ({(0, 1): True}, two),
        ({(0, 1): True, 1: False}, two),
        ({(0, 1): True, 1: True}, one),
    ):
        given = Alignment((Always(two), parts, AtGhost(1, parts, one, 1), AtValue("k", "N", 2, one, parts)))
        settled = [given.chosen(site, decisions) for site in range(4)]
        assert settled == [two, left, AtGhost(1, left, one, 1), AtValue("k", "N", 2, one, left)]
        other = Alignment((AtGhost(1, one, parts), AtValue("k", "N", 2, parts, one)))
        assert [other.chosen(site, decisions) for site in range(2)] == [AtGhost(1, one, left), AtValue("k", "N", 2, left, one)]


def test_only_what_is_surely_whole_is_whole() -> None:
    half = number(Fraction(1, 2))
    for form, whole in ((I + J, True), (I.times(2), True), (choose(a, I, J), True), (I + half, False), (I.times(HALF), False)):
        assert is_whole(form) is whole
    for form in (X, choose(a, I, X), choose(a, half, I), variable(MoveAt(0))):
        assert not is_whole(form)


def test_places_are_written_alike_for_either_run() -> None:
    first, second = (choose(own("b", run, BOOL), variable(own("k", run, INT)) + I, J) for run in (1, 2))
    assert first != second and in_common(first) == in_common(second)
    length = own("k", 2, INT, ".len")
    assert (length.name, length.sort, length.stem, length.run, length.part) == ("k@2.len", INT, "k", 2, ".len")
    assert in_common(first) == choose(Symbol("b@", BOOL), variable(Symbol("k@", INT)) + I, J)


# ---------------------------------------------------------------- formulas

x, y = Symbol("x", REAL), Symbol("y", REAL)
i, j = Symbol("i", INT), Symbol("j", INT)
a, b = Symbol("a", BOOL), Symbol("b 2", BOOL)
X, Y, I, J = map(variable, (x, y, i, j))
SYMBOLS = {symbol.name: symbol for symbol in (x, y, i, j, a, b)}
HALF = Fraction(1, 2)


# A formula, its text, and other texts that say the same; made anew by each test, by the code that is tested.
def written() -> list[tuple[Formula, str, list[str]]]:
    return [
        (TRUE, "true", ["(and)", "(or true a)", "(not false)"]),
        (FALSE, "false", ["(or)", "(and a false)", "(not true)", "(< 1.0 1.0)"]),
        (a, "a", ["|a|", "(and a a)", "(or a false)", "(not (not a))"]),
        (b, "|b 2|", []),
        (at_most(X, number(3)), "(<= x 3.0)", ["(>= 3.0 x)", "(<= (+ x 2) 5)", "(not (< 3.0 x))", "(not (> x 3.0))"]),
        (below(X, Y), "(< x y)", ["(> y x)", "(< (- x y) 0.0)", "(not (>= x y))", "(< (+ x 1.5) (+ y (/ 3 2)))"]),
        (equal(X, Y), "(= x y)", ["(= y x)", "(= (- y) (- x))", "(= (- x y) 0)"]),
        (at_most(I, J), "(<= i j)", ["(<= (to_real i) (to_real j))"]),
        (below(I, number(HALF)), "(< (to_real i) (/ 1.0 2.0))", ["(< i 0.5)", "(< i (/ 1 2))", "(< (* 1 i) (/ 3 6))"]),
        (at_most(scale(-HALF, X), number(-2)), "(<= 2.0 (* (/ 1.0 2.0) x))", ["(<= (- (* 0.5 x)) (- 2))", "(<= 2 (/ x 2))"]),
        (every([a, b]), "(and a |b 2|)", ["(and (and a) |b 2|)", "(and a true |b 2|)"]),
        (some([a, b]), "(or a |b 2|)", ["(or (or a) |b 2|)", "(or a false |b 2|)"]),
        (implies(a, b), "(=> a |b 2|)", ["(or (not a) |b 2|)"]),
        (negate(a), "(not a)", ["(=> a false)"]),
        (negate(equal(X, Y)), "(not (= x y))", []),
        (implies(every([a, b]), below(X, Y)), "(=> (and a |b 2|) (< x y))", []),
        (some([negate(a), b, below(X, Y)]), "(=> a (or |b 2| (< x y)))", []),
        (at_most(choose(a, X, Y), ZERO), "(<= (ite a x y) 0.0)", ["(<= (ite a x y) 0)"]),
        (at_most(choose(a, I, J), number(HALF)), "(<= (ite a (to_real i) (to_real j)) (/ 1.0 2.0))", []),
        (below(add(scale(2, X), I, number(-3)), choose(below(X, Y), X, Y)), "(< (+ (to_real i) (* 2.0 x)) (+ (ite (< x y) x y) 3.0))", []),
        (at_most(scale(3, I), number(-2)), "(<= (+ (* 3 i) 2) 0)", []),
    ]


@pytest.mark.parametrize("case", range(21))
def test_formulas_are_written_and_read(case: int) -> None:
    assert len(written()) == 21
    formula, text, others = written()[case]
    assert print_term(formula) == text
    for given in (text, f"  {text}\n", *others):
        assert parse_formula(given, SYMBOLS) == formula


@pytest.mark.parametrize(
    "text",
    [
        *("", ")", "(", "(and a", "a b", "(and a) b", "x", "3", "c", "(not a b)", "(=> a)", "(< x)", "(< x y 1)"),
        *("(< a x)", "(< x a)", "(< x c)", "(< (* x y) 1)", "(< (/ 1 x) 1)", "(< (/ x 0) 1)", "(< (/ x y) 1)"),
        *("(< (ite x x y) 1)", "(xor a a)", "(< (abs x) 1)", "|a", "(< x 1e3)", "(< x .5)", "(< x 5.)", "(< x -1)"),
        *("(< (/ x (+ y 2)) 1)", "(< (* (+ y 2) x) 1)", "(<= x)", "()", "(< x ())", "(< x (to_real))", "(< x (-))", "(< x (- 1 2 3))", "(" * 5000),
    ],
)
def test_what_is_no_formula_is_refused(text: str) -> None:
    with pytest.raises(NotATerm):
        parse_formula(text, SYMBOLS)


def test_names_are_read_as_they_stand() -> None:
    truth, term = Symbol("XaX", BOOL), Symbol("XbX", REAL)
    symbols = {symbol.name: symbol for symbol in (truth, term)}
    for text in ("(and XaX (< XbX 1.0))", "(and |XaX| (< |XbX| 1.0))"):
        assert parse_formula(text, symbols) == every([truth, below(variable(term), number(1))])


def test_names_are_quoted_where_they_must_be() -> None:
    for plain in ("x", "x@1.len", "_x", "read.0", "A9", "turn.1", "x!", "~"):
        assert print_symbol(plain) == plain
    for quoted in ("len(q)", "9", "a b", "", "and", "or", "not", "ite", "true", "false", "let", "Int", "Real", "x'y", "_", "mod"):
        assert print_symbol(quoted) == f"|{quoted}|"
    for wrong in ("a|b", "a\\b"):
        with pytest.raises(AssertionError):
            print_symbol(wrong)


def test_numbers_are_written_with_their_sort() -> None:
    for term, text in (
        (number(3), "3"),
        (number(-3), "(- 3)"),
        (number(Fraction(-3, 2)), "(- (/ 3.0 2.0))"),
        (add(I, number(-1)), "(+ i (- 1))"),
        (add(X, number(-1)), "(+ x (- 1.0))"),
        (add(scale(-2, I), X), "(+ (* (- 2.0) (to_real i)) x)"),
        (scale(-1, choose(a, I, ZERO)), "(* (- 1) (ite a i 0))"),
        (choose(a, X, number(HALF)), "(ite a x (/ 1.0 2.0))"),
        (ZERO, "0"),
    ):
        assert print_term(term) == text


VALUES: list[Mapping[Symbol, Any]] = [
    {x: p, y: r, i: k, j: 2, a: truth, b: not truth or k > 0}
    for p in (Fraction(-1), Fraction(1, 2), Fraction(3))
    for r in (Fraction(1, 2), Fraction(3))
    for k in (-1, 0, 2)
    for truth in (True, False)
]


def sums() -> list[tuple[Sum, Any]]:
    return [
        (ZERO, lambda v: 0),
        (number(HALF), lambda v: HALF),
        (X, lambda v: v[x]),
        (scale(2, X), lambda v: 2 * v[x]),
        (add(X, number(1)), lambda v: v[x] + 1),
        (add(scale(HALF, X), scale(-3, I), number(Fraction(1, 3))), lambda v: v[x] / 2 - 3 * v[i] + Fraction(1, 3)),
        (choose(a, X, Y), lambda v: v[x] if v[a] else v[y]),
        (add(scale(2, choose(a, X, Y)), Y), lambda v: 2 * (v[x] if v[a] else v[y]) + v[y]),
        (magnitude(X), lambda v: abs(v[x])),
        (subtract(X, magnitude(I)), lambda v: v[x] - abs(v[i])),
    ]


def formulas() -> list[tuple[Formula, Any]]:
    return [
        (TRUE, lambda v: True),
        (FALSE, lambda v: False),
        (a, lambda v: v[a]),
        (negate(b), lambda v: not v[b]),
        (at_most(X, Y), lambda v: v[x] <= v[y]),
        (below(X, Y), lambda v: v[x] < v[y]),
        (equal(X, Y), lambda v: v[x] == v[y]),
        (negate(equal(X, Y)), lambda v: v[x] != v[y]),
        (negate(at_most(X, Y)), lambda v: v[x] > v[y]),
        (negate(below(X, Y)), lambda v: v[x] >= v[y]),
        (every([a, b, at_most(I, ZERO)]), lambda v: v[a] and v[b] and v[i] <= 0),
        (some([negate(a), negate(b), at_most(I, ZERO)]), lambda v: not v[a] or not v[b] or v[i] <= 0),
        (implies(a, b), lambda v: not v[a] or v[b]),
        (same_truth(a, b), lambda v: v[a] == v[b]),
        (same_truth(a, TRUE), lambda v: v[a]),
        (same_truth(a, FALSE), lambda v: not v[a]),
        (same_truth(TRUE, b), lambda v: v[b]),
        (same_truth(FALSE, b), lambda v: not v[b]),
        (same_truth(a, a), lambda v: True),
        (at_most(choose(below(X, Y), X, Y), I), lambda v: min(v[x], v[y]) <= v[i]),
    ]


@pytest.mark.parametrize("case", range(10))
def test_sums_are_evaluated(case: int) -> None:
    assert len(sums()) == 10
    term, meaning = sums()[case]
    for values in VALUES:
        found = compile_sum(term)(values)
        assert found == meaning(values)
    assert type(compile_sum(add(scale(2, I), number(3)))(values)) is int, "whole values stay int"


def bound(symbol: Symbol, value: Any) -> Any:
    return (TRUE if value else FALSE) if symbol.sort == BOOL else number(Fraction(value))


@pytest.mark.parametrize("case", range(20))
def test_formulas_are_evaluated_replaced_and_translated(case: int) -> None:
    assert len(formulas()) == 20
    formula, meaning = formulas()[case]
    translated = Translator()
    asked = translated.formula(formula)
    for values in VALUES:
        found = compile_formula(formula)(values)
        assert found is meaning(values)
        assert put_in(formula, {s: bound(s, v) for s, v in values.items()}) == (TRUE if found else FALSE)
        held = [translated.formula(_is(symbol, value)) for symbol, value in values.items()]
        solver = z3.Solver(ctx=translated.context)
        solver.add([*held, asked])
        assert str(solver.check()) == ("sat" if found else "unsat")


def _is(symbol: Symbol, value: Any) -> Formula:
    return (symbol if value else negate(symbol)) if symbol.sort == BOOL else equal(variable(symbol), number(Fraction(value)))


def test_symbols_of_a_term() -> None:
    assert symbols_of(add(choose(a, X, I), Y)) == {a, x, i, y}
    assert symbols_of(every([a, some([negate(b), below(X, ZERO)])])) == {a, b, x}
    assert symbols_of(TRUE) == symbols_of(ZERO) == frozenset()


def test_sums_are_put_together_in_one_way_only() -> None:
    assert add(X, Y) == add(Y, X) and subtract(X, X) == ZERO
    assert subtract(choose(a, X, Y), choose(a, X, Y)) == ZERO
    assert choose(a, X, X) == X and choose(TRUE, X, Y) == X and choose(FALSE, X, Y) == Y
    assert equal(X, Y) == equal(Y, X) and equal(X, X) == TRUE and at_most(X, X) == TRUE and below(X, X) == FALSE
    assert every([a, every([b, a]), TRUE]) == every([a, b]) and every([a, FALSE, b]) == FALSE and every([]) == TRUE
    assert some([a, some([b, a]), FALSE]) == some([a, b]) and some([a, TRUE, b]) == TRUE and some([]) == FALSE
    assert dict(X.ordered()) == {x: 1}
    assert [is_whole(add(*parts)) for parts in ((I, J), (I, X), (I, number(HALF)), (scale(HALF, I),), ())] == [True, False, False, False, True]
    assert is_whole(choose(a, I, J)) and not is_whole(choose(a, I, X)) and not is_whole(choose(a, X, I))


def test_forms_in_words() -> None:
    shown = {X: "x", -X: "-x", X.times(HALF) + number(HALF): "1/2*x + 1/2", number(0): "0", Y - X.times(2): "-2*x + y"}
    shown |= {X - number(HALF): "x - 1/2", number(-3): "-3"}
    assert {str(form): form for form in shown} == {text: form for form, text in shown.items()}


def test_comparisons_have_one_normal_form() -> None:
    for form, normal in (
        (X.times(4) + Y.times(-6), X.times(2) - Y.times(3)),
        (X.times(HALF) + number(Fraction(1, 3)), X.times(3) + number(2)),
        (X.times(Fraction(2, 3)) + number(Fraction(4, 3)), X + number(2)),
        (X.times(2) + number(3), X.times(2) + number(3)),
        (number(0), number(0)),
        (number(5), number(1)),
    ):
        assert Inequality(form, True).normal() == Inequality(normal, True)
        assert Inequality(form, False).normal() == Inequality(normal, False)


# ---------------------------------------------------------------- solvers

q0, q1, d0 = variable(AnswerAt(0)), variable(AnswerAt(1)), variable(MoveAt(0))


def less(left: Any, right: Any, strict: bool = True) -> Atom:
    return Inequality(left - right, strict)


ONE, TWO = number(1), number(2)
MANY = 1_000_000


def test_what_is_empty_is_proved_to_be() -> None:
    assert is_empty([less(q0, ONE), less(ONE, q0)], MANY)
    assert is_empty([less(q0, ONE), less(ONE, q0, False)], MANY)
    assert not is_empty([less(q0, ONE, False), less(ONE, q0, False)], MANY)
    assert not is_empty([less(q0, ONE), less(ONE, q1)], MANY)
    assert is_empty([less(q0, q1), less(q1, d0), less(d0, q0)], MANY)
    assert not is_empty([], MANY)
    assert not is_empty([less(q0, ONE), less(q0 + q0, ONE + TWO)], MANY)
    assert is_empty([less(q0 + q0 + q0, TWO), less(ONE, q0)], MANY)
    assert is_empty([less(number(0), number(0))], MANY)
    assert not is_empty([less(number(0), number(0), False)], MANY)
    assert is_empty([less(q0 + q0, ONE + TWO), less(TWO, q0)], MANY)
    assert not is_empty([less(q0, number(0)), less(ONE, d0)], MANY), "symbols of two kinds are two"


def test_pieces_are_taken_together() -> None:
    low, high = (less(q0, ONE),), (less(ONE, q0, False),)
    middle = (less(number(0), q0), less(q0, TWO))
    assert is_empty([], MANY, none_of=[low, high]) and not is_empty([], MANY, none_of=[low])
    assert not is_empty([], MANY, none_of=[middle]) and is_empty(middle, MANY, none_of=[middle])
    assert is_empty([less(TWO, q0)], MANY, one_of=[low, middle]) and not is_empty([less(TWO, q0)], MANY, one_of=[low, high])
    assert is_empty([], MANY, one_of=[]) and not is_empty([], MANY, one_of=[()])
    assert is_empty([], MANY, none_of=[()])
    assert is_empty([less(q0, number(0))], MANY, one_of=[middle])


@pytest.mark.parametrize("seed", range(6))
def test_what_is_seen_at_once_is_what_the_solver_says(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    rng = random.Random(seed)
    unknowns = [q0, q1]

    def some(most: int, factors: Sequence[int] = (1, -1, 2, -2)) -> list[Atom]:
        return [less(rng.choice(unknowns).times(rng.choice(factors)), number(rng.randint(-1, 2)), rng.random() < 0.4) for _ in range(rng.randint(0, most))]

    def pinned(x: Any, value: int) -> list[Atom]:
        return [less(x, number(value), False), less(number(value * 2), x.times(2), False)]

    asked = []
    for _ in range(60):
        inside = [*(atom for x in unknowns[: rng.randint(0, 2)] for atom in pinned(x, rng.randint(-1, 2))), *some(2)]
        inside += [less(q0 + q1, number(rng.randint(0, 2)), rng.random() < 0.5)] * rng.randint(0, 1)
        rng.shuffle(inside)
        bits = [AnswerAt(rng.randint(0, 1))] * rng.randint(0, 1)
        asked.append((inside, [some(2) for _ in range(rng.randint(0, 2))], bits))
    quick = [(solver.contradict(inside), solver._at_one_point(inside, none_of, bits)) for inside, none_of, bits in asked]
    found = [is_empty(inside, MANY, none_of=none_of, bits=bits) for inside, none_of, bits in asked]
    monkeypatch.setattr(solver, "contradict", lambda atoms: False)
    monkeypatch.setattr(solver, "_at_one_point", lambda *_: None)
    monkeypatch.setattr(solver, "find_point", lambda _: None)
    truth = [is_empty(inside, MANY, none_of=none_of, bits=bits) for inside, none_of, bits in asked]
    assert found == truth
    for (plainly, at_one), empty, (inside, none_of, bits) in zip(quick, truth, asked, strict=True):
        assert empty or not plainly
        assert at_one is None or plainly or at_one == empty
        needed = {*bits, *(x for atoms in (inside, *none_of) for atom in atoms for x in atom.form.terms)}
        assert at_one is None or all({-1, 1} <= _ends(inside, x).keys() for x in needed)
        if all(_is_pinned(inside, x) for x in needed):
            assert at_one is not None
    assert 10 < sum(at_one is not None for _, at_one in quick) < 55 and 2 < sum(plainly for plainly, _ in quick) < 55


def _ends(inside: Sequence[Atom], unknown: Any) -> Counter[int]:
    """How often an unknown is bounded by a number on each side, itself included."""
    return Counter(1 if a.form.terms[unknown] > 0 else -1 for a in inside if list(a.form.terms) == [unknown] and not a.strict)


def _is_pinned(inside: Sequence[Atom], unknown: Any) -> bool:
    own = [a.form for a in inside if list(a.form.terms) == [unknown] and not a.strict]
    return len(own) == 2 and len({-form.constant / Fraction(form.terms[unknown]) for form in own}) == 1


def test_a_question_that_takes_too_long_is_not_proved() -> None:
    n = 7  # pigeons in one hole fewer, each a number between two others
    forms = [variable(AnswerAt(k)) for k in range(n)]
    inside = [less(number(0), f, False) for f in forms] + [less(f, number(n - 2), False) for f in forms]
    apart = [((less(f, g - ONE, False),), (less(g, f - ONE, False),)) for f in forms for g in forms if str(f) < str(g)]
    asked = [(left[0].negated(), right[0].negated()) for left, right in apart]
    assert not is_empty(inside, 100, none_of=asked) and is_empty(inside, 100_000_000, none_of=asked)


def test_switches_say_something_while_they_are_assumed() -> None:
    board = Switchboard(Translator(), [at_most(ZERO, X)], MANY)
    low, high = board.assertion("low", at_most(X, ONE)), board.assertion("high", at_most(TWO, X))
    negative, large = board.denial("negative", at_most(ZERO, X)), board.denial("large", at_most(X, ONE))
    assert board.check([]) == board.check([low]) == board.check([high, large]) == "sat"
    assert board.check([low, large]) == "unsat" and board.core() == {"low", "large"}
    assert board.check([low, high, negative]) == "unsat" and board.core() in ({"low", "high"}, {"negative"})
    assert board.broken([], [negative, large]) == [False, True] and board.broken([low], [negative, large]) == [False, False]
    assert board.check([low]) == "sat", "what was asked before is forgotten"


def test_combinations_are_picked_until_all_are_excluded() -> None:
    choices = Choices((2, 3, 1))
    assert choices.solver.ctx is not z3.main_ctx()
    assert choices.pick(1) == choices.pick(1) == [0, 0, 0]
    found = []
    while (combination := choices.pick(2)) is not None:
        found.append(combination)
        choices.exclude(list(enumerate(combination)))
    assert sorted(found) == [[0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 0]] and choices.pick(1) is None
    choices.exclude([(0, 1)])
    assert choices.pick(3) == [0, 2, 0]
    choices.exclude([])
    assert choices.pick(3) is None


def test_what_a_search_could_not_find_out_may_be_broken() -> None:
    n = 7
    places = [variable(Symbol(f"p{k}", REAL)) for k in range(n)]
    inside = [at_most(ZERO, p) for p in places] + [at_most(p, number(n - 2)) for p in places]
    apart = [some([at_most(p, r - ONE), at_most(r, p - ONE)]) for k, p in enumerate(places) for r in places[:k]]
    for steps, broken in ((100, [True]), (100_000_000, [False])):
        board = Switchboard(Translator(), [*inside, *apart], steps)
        assert board.broken([], [board.denial("never", FALSE)]) == broken


SCRIPT = "(declare-const x Real)\n(assert (< x {}))\n(assert (> x 1.0))\n(check-sat)\n"
HARD = "".join(f"(declare-const x{k} Int)\n(assert (> x{k} 1))\n" for k in range(3))
HARD += "(assert (= (+ (* x0 x0 x0) (* x1 x1 x1)) (* x2 x2 x2)))\n(check-sat)\n"


@pytest.mark.parametrize("check", [check_script, second_opinion])
def test_solvers_say_what_they_know(check: Any) -> None:
    if check is second_opinion and not has_second_opinion():
        pytest.skip("cvc5 is not installed")
    script = SCRIPT if check is check_script else "(set-logic ALL)\n" + SCRIPT
    assert check(script.format("1.0"), 10_000) == "unsat" and check(script.format("2.0"), 10_000) == "sat"
    assert check(script.format("y"), 10_000) == "unknown" and check("(check-sat", 10_000) == "unknown"


def test_each_question_has_a_context_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """What Z3 answers depends on all that its context has seen."""
    contexts: list[Any] = []

    def solver(ctx: Any) -> Any:
        contexts.append(ctx)
        return z3.SimpleSolver(ctx=ctx)

    monkeypatch.setattr(z3, "Solver", solver)
    assert check_script(SCRIPT.format("1.0"), 10_000) == check_script(SCRIPT.format("1.0"), 10_000) == "unsat"
    contexts += [Translator().context, Translator().context, z3.main_ctx()]
    assert len(set(map(id, contexts))) == 5 and all(isinstance(context, z3.Context) for context in contexts)


def test_a_second_solver_is_there_or_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solver, "find_spec", {"cvc5": "something"}.get)
    assert has_second_opinion()
    monkeypatch.setattr(solver, "find_spec", {}.get)
    assert not has_second_opinion()


@pytest.mark.parametrize(
    ("term", "text"),
    [
        (X, "x"),
        (scale(2, X), "(* 2.0 x)"),
        (scale(HALF, I), "(* (/ 1.0 2.0) (to_real i))"),
        (scale(-3, I), "(* (- 3) i)"),
        (add(I, J), "(+ i j)"),
        (add(I, number(-2)), "(+ i (- 2))"),
        (add(X, number(2)), "(+ x 2.0)"),
        (number(3), "3"),
        (number(HALF), "(/ 1.0 2.0)"),
        (ZERO, "0"),
        (choose(a, I, J), "(ite a i j)"),
        (add(X, choose(a, I, number(1))), "(+ x (ite a (to_real i) 1.0))"),
        (add(X, choose(a, number(1), J)), "(+ x (ite a 1.0 (to_real j)))"),
        (TRUE, "true"),
        (a, "a"),
        (negate(a), "(not a)"),
        (at_most(I, ZERO), "(>= 0 i)"),
        (at_most(X, number(1)), "(>= 0.0 (+ x (- 1.0)))"),
        (below(I, X), "(> 0.0 (+ (to_real i) (* (- 1.0) x)))"),
        (equal(I, J), "(= 0 (+ i (* (- 1) j)))"),
        (every([a, b]), "(and a |b 2|)"),
        (some([a, b]), "(or a |b 2|)"),
    ],
)
def test_terms_in_the_solvers_words(term: Any, text: str) -> None:
    to = Translator()
    found = to.form(term, is_whole(term)) if isinstance(term, LinearForm) else to.formula(term)
    assert found.sexpr() == text


def test_all_that_is_translated_is_of_one_context() -> None:
    words, x, truth = Translator(), Symbol("x", REAL), Symbol("b", BOOL)
    parts = [words.formula(truth), words.formula(at_most(variable(x), number(1)))]
    made = [*parts, words.every(parts), words.some(parts), words.neither(parts[0]), words.implies(*parts)]
    made += [words.form(variable(x).times(2) + number(1), False), words.number(1, True), words.number(1, False), words.formula(TRUE)]
    choices = Choices([2])
    assert all(term.ctx is words.context for term in made)
    assert choices._without(choices.options[0][1]).ctx is choices.context


def test_bounds_that_contradict_each_other_by_less_than_one() -> None:
    x, y = variable(Symbol("x", REAL)), variable(Symbol("y", REAL))
    least, near = Inequality(x - y + number(Fraction(1, 2)), strict=False), Inequality(y - x - number(Fraction(1, 4)), strict=False)
    assert solver.contradict([least, near])
    for strict in (False, True):
        assert solver.contradict([least, Inequality(y - x - number(Fraction(1, 2)), strict)]) is strict


def test_a_solver_stops_after_so_many_steps() -> None:
    assert check_script(HARD, 10_000) == "unknown"


def test_two_answers_of_the_second_solver_are_none() -> None:
    if not has_second_opinion():
        pytest.skip("cvc5 is not installed")
    twice = "(set-logic ALL)\n" + SCRIPT.format("1.0") + "(check-sat)\n"
    assert second_opinion(twice, 10_000) == "unknown"
    assert second_opinion("(set-logic ALL)\n(echo \"unsat\")\n(check-sat)\n", 10_000) == "unknown"
    assert second_opinion('(set-logic ALL)\n(echo "hello")\n', 10_000) == "unknown"
    assert second_opinion("(set-logic ALL)\n" + HARD, 1) == "unknown"


# ---------------------------------------------------------------- certificates for every length


def test_a_shift_may_follow_what_has_a_value_where_late_noise_is_drawn() -> None:
    sketch = load("@sketch(adjacent=one_within(1))\ndef f(q: Private, eps: Epsilon):\n    e = Lap(1/eps)\n    x = q[0]\n    return x + e\n")
    alignment = Alignment((Always(Form(follow="x")),), ())
    cases = tuple(CaseProof(moves, alignment, (share(1),), {}) for moves in neighbours_of(sketch))
    late = LengthProof(sketch, parse_scale("eps"), (), frozenset(), True, cases)
    assert read_certificate(write_certificate(late))[0] == late
    with pytest.raises(Unsupported, match="`x` is not a number where the noise is drawn"):
        write_certificate(replace(late, delayed=False))


def refused(document: Any, words: str) -> None:
    text = Certificate(json.dumps(document))
    with pytest.raises(Rejected, match=words):
        read_certificate(text)
    assert len(recheck(text)) == 1


def test_a_document_is_read_only_if_it_is_of_the_right_form() -> None:
    def document() -> Any:
        return json.loads(stored.certificate("guard_len").text)

    program = document()["program"]
    for key, value, words in (
        ("version", 2, "of a version that is known"),
        ("scope", "every size", "of a version that is known"),
        ("program", "x = 1", "there is no sketch"),
        ("program", program + program.replace("def f(", "def g("), "must hold one program"),
        ("adjacency", "one_within(1)", "the program's neighbours are"),
        ("assumed", ["N"], "the assumptions in words"),
        ("assumptions", [], "the assumptions in words"),
        ("released", [True], "released is .True., and not of the right form"),
        ("released", ["0"], "released is .'0'., and not of the right form"),
        ("cases", 3, "not of the right form"),
        ("claim", "eps +", "is not a scale"),
    ):
        refused({**document(), key: value}, words)
    for edit, words in (
        (lambda case: case.update(ghost=3), "ghost"),
        (lambda case: case["alignment"][0].update(draw="Lap(9/eps)"), "not that of draw 1"),
        (lambda case: case["alignment"][1].update(words="stays"), "not that of draw 2"),
        (lambda case: case["alignment"][0].update(rule="often"), "there is no rule 'often'"),
        (lambda case: case["alignment"][0]["then"].update(follow=3), "and not of the right form"),
        (lambda case: case["alignment"][0]["then"].update(cancel="no"), "and not of the right form"),
        (lambda case: case["alignment"][0]["then"].update(cancel=1), "and not of the right form"),
        (lambda case: case["alignment"][0]["then"].update(units="1e9"), "is not an exact number"),
        (lambda case: case["shares"][0].update(per="K"), "something that is not a public quantity"),
        (lambda case: case["shares"][0].update(powers={"N": "1"}), "and not of the right form"),
        (lambda case: case["shares"][0].update(bound="much"), "is not an exact number"),
        (lambda case: case["invariant"].update({"7": []}), "a loop that does not exist"),
        (lambda case: case["invariant"].update({"0": ["(< secret 1)"]}), "is not a known number"),
        (lambda case: case.update(alignment=case["alignment"][:1]), "one shift for each draw"),
        (lambda case: case.update(shares=[]), "do not match the scales"),
    ):
        changed = document()
        edit(changed["cases"][0])
        refused(changed, words)


HEAD = "@sketch(adjacent=each_within(1))\ndef f(q: Private, eps: Epsilon):\n    {}\n"
READINGS = {
    "delayed": ("e = Lap(1/eps)\n    return q[0] + e", {"delayed": True}, True),
    "at once": ("noisy = [x + Lap(1/eps) for x in q]\n    return noisy[0]", {"at_once": True}, True),
    "parts": ("return sorted([x + Lap(1/eps) for x in q])[0]", {"parts": True, "released": frozenset({0})}, True),
    "watched": (
        "most = q[0]\n    for x in q:\n        if x > most:\n            most = x\n    if most > 9:\n        return 1\n    return 0",
        {"watches": (Followed("most", True),)},
        [{"name": "most", "last": True}],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", READINGS)
def test_how_a_program_is_looked_at_is_written_and_read(name: str) -> None:
    body, fields, told = READINGS[name]
    plain = LengthProof(load(HEAD.format(body)), parse_scale("eps"), (), frozenset(), False, ())
    proof = replace(plain, **fields)  # type: ignore[arg-type]
    document = write_certificate(proof).document()
    assert document[name] == told and not READINGS.keys() - {name} & document.keys()
    assert read_certificate(write_certificate(proof))[0] == proof != plain
    refused({**document, name: 7}, f"{name} is 7, and not of the right form")
    if name == "watched":
        refused({**document, name: [7]}, "and not of the right form")
        for wrong in ({"name": "most"}, {"last": True}, {"name": True, "last": True}, {"name": "most", "last": 1}):
            refused({**document, name: [wrong]}, "and not of the right form")


def test_what_closes_a_cell_is_of_the_first_run_and_of_a_loop() -> None:
    document = json.loads(stored.certificate("the largest of the first").text)

    def with_closed(closed: Any) -> Any:
        return {**document, "cases": [{**document["cases"][0], "closed": closed}]}

    (proof, *_), closed = read_certificate(stored.certificate("the largest of the first")), document["cases"][0]["closed"]
    assert [loop for loop, _ in proof.cases[0].alignment.closed] == [0] and list(closed) == ["0"]
    refused(with_closed(7), "closed is 7, and not of the right form")
    refused(with_closed({"0": 7}), "0 is 7, and not of the right form")
    refused(with_closed({"0": [7]}), "0 is .7., and not of the right form")
    refused(with_closed({**closed, "7": ["true"]}), "it is told of a loop that does not exist")
    refused(with_closed({"0": ["(< most@2 0)"]}), "is not a known")
    refused(with_closed({"0": ["(< nobody 0)"]}), "is not a known")


def test_all_that_is_wrong_with_a_proof_is_told() -> None:
    proof, stored_scripts, _ = read_certificate(stored.certificate("histogram"))
    text = json.loads(write_certificate(proof).text)
    assert stored_scripts == [case["obligations"] for case in text["cases"]]
    text["claim"] = "eps/2"
    text["cases"][0]["obligations"] = []
    assert recheck(Certificate(json.dumps(text))) == [
        "the shares of the budget are not at most eps/2",
        "the obligations in the document are not those of the program",
    ]
    text = json.loads(write_certificate(proof).text)
    text["cases"][0]["moves"]["distance"] = "2"
    assert recheck(Certificate(json.dumps(text)))[0] == "the cases are not the sets of moves that make up the adjacency"
    text = json.loads(stored.certificate("svt").text)
    text["assumed"], text["assumptions"] = [], [words for words in text["assumptions"] if words != "N >= 1"]
    assert recheck(Certificate(json.dumps(text)), 1_000)[0] == (
        "the arguments that are assumed to be at least 1 are not those that the program requires to be"
    )
    assert recheck(stored.certificate("histogram"), steps=1) != []


def test_an_obligation_that_is_not_shown_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from kolahal.proof.trusted import certificate

    names = [script.split("\n")[0][2:] for script in json.loads(stored.certificate("mean").text)["cases"][0]["obligations"]]
    asked: list[tuple[str, int]] = []
    monkeypatch.setattr(solver, "check_script", lambda script, steps, context=None: asked.append((script, steps)) or "sat")
    assert recheck(stored.certificate("mean"), 77) == [f"not shown: {name} (sat)" for name in names]
    assert [steps for _, steps in asked] == [77] * len(names)
    monkeypatch.setattr(solver, "check_script", lambda *_: "unsat")
    monkeypatch.setattr(solver, "second_opinion", lambda script, steps: f"{script.count('check-sat')} {steps}")
    assert recheck(stored.certificate("mean"), 77) == []
    assert certificate.check_proof(*read_certificate(stored.certificate("mean")), 77) == []
    assert recheck(stored.certificate("mean"), 77, program=stored.program("mean")) == []
    assert recheck(stored.certificate("mean"), 77, program=stored.program("sum")) == ["the program does not read back from its text"]
    assert recheck(stored.certificate("mean"), 77, second=True) == [
        f"the solvers disagree: {name} (Z3 unsat, cvc5 1 77)" for name in names
    ]


def test_what_is_taken_for_granted_in_words() -> None:
    neighbours = "neighbours: every answer may move by at most 1"
    whole = load("@sketch(adjacent=each_within(1))\ndef f(q: Private[int, 3], e: Epsilon):\n    return q[0] + DiscreteLap(1/e)\n")
    assert describe_assumptions(SKETCH, ("N", "M")) == [
        *("eps > 0", neighbours, "N >= 1", "M >= 1", "the private answers are real numbers")
    ]
    assert describe_assumptions(whole, ()) == [
        *("e > 0", neighbours, "there are 3 private answers", "the private answers are whole numbers")
    ]


def test_shifts_by_the_size_of_the_move_are_written_and_read() -> None:
    proof, *_ = read_certificate(stored.certificate("sum"))
    alignment = replace(proof.cases[0].alignment, shifts=(Always(Form(Fraction(1))),))
    text = write_certificate(replace(proof, cases=(replace(proof.cases[0], alignment=alignment),)))
    assert json.loads(text.text)["cases"][0]["alignment"][0]["words"] == "moves by the size of the move"
    assert read_certificate(text)[0].cases[0].alignment == alignment


def test_what_a_certificate_says() -> None:
    certificate = stored.certificate("svt")
    sketch = stored.program("svt")
    said = read_verdict(sketch, parse_scale("eps"), certificate)
    assert (said.certificate, said.scope, said.assumed) == (certificate, Everywhere(), (AtLeast("N"),))
    counted = load("@sketch(adjacent=each_within(1))\ndef f(q: Private[3], eps: Epsilon):\n    return q[0] + Lap(1/eps)\n")
    assert read_verdict(counted, parse_scale("eps"), certificate).scope == Exactly(3)


def test_what_a_bounded_certificate_says() -> None:
    certificate = stored.certificate("sum")

    def says(private: str, arguments: str) -> Any:
        text = f"@sketch(adjacent=each_within(1))\ndef f(q: {private}, {arguments}eps: Epsilon):\n    return q[0] + Lap(1/eps)\n"
        return read_bounded_verdict(load(text), 3, certificate)

    assert says("Private[3]", "T: float, ") == Proved(certificate, Exactly(3))
    assert says("Private", "on: bool, ") == Bounded(certificate, UpTo(3))
    records = parse("@sketch(adjacent=add_remove(1))\ndef f(rows: Records, eps: Epsilon):\n    return len(rows) + Lap(1/eps)\n")
    assert read_bounded_verdict(records, 1, certificate) == Proved(certificate, AnyRecords())
    whole = "N from 1 to 3, M from 1 to 3"
    assert says("Private[3]", "N: int, M: int, ") == Bounded(certificate, UpTo(3, whole, (1, 3)))
    assert says("Private", "N: int, ") == Bounded(certificate, UpTo(3, "N from 1 to 3", (1, 3)))
