"""Single spots of what proofs for every length stand on, each with what would be believed wrongly, or lost, without it."""

from __future__ import annotations

import itertools
import pickle
import random
from collections.abc import Iterator
from dataclasses import fields, replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest
from test_obligations import made_up, made_up_rules, made_up_shares

from kolahal.lang.ir import Assign, Comprehension, Const, Negate, Var, names_in, walk
from kolahal.lang.kinds import infer
from kolahal.lang.noise import Noise
from kolahal.lang.read.parse import parse
from kolahal.lang.scale import parse_scale
from kolahal.lang.sketch import Sketch
from kolahal.logic.linear import number, variable
from kolahal.logic.terms import (
    BOOL,
    FALSE,
    INT,
    REAL,
    TRUE,
    ZERO,
    Symbol,
    Truth,
    at_most,
    below,
    choose,
    equal,
    every,
    implies,
    negate,
    put,
    put_in,
    some,
    symbols_of,
)
from kolahal.proof.trusted import flow
from kolahal.proof.trusted.cells import Cells
from kolahal.proof.trusted.certificate import (
    CaseProof,
    LengthProof,
    Rejected,
    check_proof,
    read_certificate,
    write_certificate,
)
from kolahal.proof.trusted.expressions import UNDRAWN
from kolahal.proof.trusted.neighbours import Neighbours, least_length, neighbours_of
from kolahal.proof.trusted.noisy_lists import _returning, _within
from kolahal.proof.trusted.obligations import System, obligations
from kolahal.proof.trusted.others import MOVE, Others, find_others
from kolahal.proof.trusted.product import Product, build_product, build_system
from kolahal.proof.trusted.restated.rescaled import in_other_units, units_of
from kolahal.proof.trusted.restated.set_aside import set_aside
from kolahal.proof.trusted.restated.watched import Followed
from kolahal.proof.trusted.segments import Machine
from kolahal.proof.trusted.shifts import Alignment, Always, AtGhost, FollowedSums, Form, describe_shift
from kolahal.proof.trusted.steps import Jump, chosen_next, compile_steps, decide_flags, live_names
from kolahal.proof.trusted.symbols import LENGTH, Turn, ghost_symbol, ghost_value, next_ghost_value, own
from kolahal.proof.trusted.values import (
    Built,
    Goto,
    Logical,
    Maybe,
    Numeric,
    Pending,
    Read,
    Returned,
    Run,
    SegmentPath,
    SegmentStart,
    Several,
    Spot,
    Unsupported,
    Walk,
    same_answer,
)
from kolahal.verdicts import Certificate

pytestmark = pytest.mark.mutants
UP, STAY = Always(Form(Fraction(1))), Always(Form())


def program(body: str, relation: str = "each_within(1)", private: str = "Private", arguments: str = "N: int, T: float, on: bool") -> Sketch:
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    return parse(f"@sketch(adjacent={relation})\ndef f(q: {private}, {arguments}, eps: Epsilon):\n{lines}\n")


def paths_of(body: str, *more: str, **ways: Any) -> list[SegmentPath]:
    product = build_product(program(body, *more), frozenset(), **ways)
    return [path for paths in product.first.paths.values() for path in paths]


def system_of(sketch: Sketch, alignment: Alignment, **ways: Any) -> System:
    return build_system(build_product(sketch, frozenset(), **ways), neighbours_of(sketch)[0], alignment, None, ())


# ---------------------------------------------------------------- names, from the text alone

ITEMS = "a = [x + Lap(2/eps) for x in q]\n"
DOWN = "for i in range(len(q) - 1, -1, -1):\n    "
READ: dict[str, tuple[str, set[int], set[int]]] = {
    # the program, the lists that are read from the last to the first, and those whose first item no loop comes to
    "up": ("for i in range(len(q)):\n    if a[i] > T:\n        return i", set(), set()),
    "down": (f"{DOWN}if a[i] > T:\n        return i", {0}, set()),
    "down, by a step that is negated": ("for i in range(len(q), 0, -N):\n    if a[i - 1] > T:\n        return i", {0}, set()),
    "with a step of 1": ("for i in range(0, len(q), 1):\n    if a[i] > T:\n        return i", set(), set()),
    "at what is left": ("for i in range(len(q)):\n    if a[len(q) - 1 - i] > T:\n        return i", {0}, set()),
    "at a sum of both": (f"{DOWN}for j in range(len(q)):\n        if a[i + j] > T:\n            return i", {0}, set()),
    "at a sum, the other way round": (f"{DOWN}for j in range(len(q)):\n        if a[j + i] > T:\n            return i", {0}, set()),
    "at a sum of rising ones": ("for i in range(len(q)):\n    if a[i + N] > T:\n        return i", set(), set()),
    "at a difference of a falling one": (f"{DOWN}if a[i - N] > T:\n        return i", {0}, set()),
    "a variable that falls": ("j = len(q) - 1\nwhile j >= 0:\n    if a[j] > T:\n        return j\n    j = j - 1", {0}, set()),
    "a variable that rises": ("j = 0\nwhile j < len(q):\n    if a[j] > T:\n        return j\n    j = j + 1", set(), set()),
    "a variable that goes both ways": ("j = 1\nwhile j < len(q):\n    if a[j] > T:\n        return j\n    j = j + 1\n    if on:\n        j = j - 1", set(), {0}),
    "a variable from another one": ("j = 5\nk = 7\nwhile j < len(q):\n    if a[j] > T:\n        return j\n    j = k - 1\n    k = k + 1", set(), {0}),
    "a copy of what falls": (f"j = 0\n{DOWN}j = i\n    if a[j] > T:\n        return i", {0}, set()),
    "a copy of what is left": ("j = 0\nfor i in range(len(q)):\n    j = len(q) - 1 - i\n    if a[j] > T:\n        return i", {0}, set()),
    "through another list": (f"b = [2 * y for y in a]\n{DOWN}if b[i] > T:\n        return i", {0, 1}, set()),
    "through another list, by its places": (f"b = [2 * a[k] for k in range(len(q))]\n{DOWN}if b[i] > T:\n        return i", {0, 1}, set()),
    "one list up and one down": (f"b = [x + Lap(3/eps) for x in q]\n{DOWN}if b[i] > T:\n        return i\nfor i in range(len(q)):\n    if a[i] > T:\n        return i", set(), set()),
    "one list up, another down": (f"b = [x + Lap(3/eps) for x in q]\n{DOWN}if b[i] > T:\n        return i\nfor j in range(len(q)):\n    if a[j] > T:\n        return j", {1}, set()),
    "another list of the answers, down": (f"b = [2 * x for x in q]\n{DOWN}if b[i] + Lap(1/eps) > T:\n        return i\nif a[0] > T:\n    return 1", set(), set()),
    "a truth for a step": ("for i in range(0, len(q), N):\n    if a[i] > T:\n        return i", set(), set()),
    "from the second on": ("best = 0\nfor i in range(1, len(q)):\n    if a[i] > a[best]:\n        best = i", set(), {0}),
    "places that are multiplied": ("j = 1\nwhile j < len(q):\n    if a[j] > T:\n        return j\n    j = j * 2", set(), {0}),
}


@pytest.mark.parametrize("name", READ)
def test_how_lists_of_noise_are_read(name: str) -> None:
    body, backwards, late = READ[name]
    sketch = program(f"{ITEMS}{body}\nreturn 0")
    views = [node for node in walk(sketch.body) if isinstance(node, Comprehension)]
    named = flow.names_of_views(sketch, views)
    assert flow.how_read(sketch, views, flow.noisy_views(views, named), named) == (backwards, late)


def test_what_may_stand_for_no_place() -> None:
    sketch = program("a = -1\nb = 0\nc = 1\nd = N\ng = None\nh = -N\nk = -2\nm = b\nif on:\n    g = 1\nreturn q[0] + Lap(1/eps)")
    assert flow.may_be_none(sketch, infer(sketch)) == {"a", "g", "k"}
    for value, negative in ((Const(Fraction(1)), True), (Const(Fraction(0)), False), (Var("N"), False), (Const(True), False)):
        given = replace(sketch, body=(Assign(("n",), (Negate(value),)), *sketch.body))
        assert ("n" in flow.may_be_none(given, infer(sketch))) is negative


def test_variables_that_only_go_on() -> None:
    body = "a = 0\nb = 0\nc = 0\nd = 0\ne = 0\ng = 0\nk = 0\nm = N\no = -N\nfor i in range(len(q)):\n    a = a + 1\n    b = b - N\n    c = 2 * c\n    d = i\n    e = e + i\n    g = 1 - g\n    k = a + 1\n    m = m + m\n    q[i]\nreturn q[0] + Lap(1/eps)"
    assert flow.counters(program(body.replace("    q[i]\n", ""))) == {"a", "b", "o"}


@pytest.mark.parametrize(
    ("body", "least"),
    [("return q[-3] + Lap(1/eps)", 3), ("return q[2] + Lap(1/eps)", 3), ("return q[0] + Lap(1/eps)", 1), ("return q[-1] + Lap(1/eps)", 1)]
    + [(f"x = q[3] {op} T\nif x:\n    return Lap(1/eps)\nreturn 0", 4) for op in ("<", "<=", ">", ">=", "==", "!=")]
    + [(f"return q[3] {op} q[1] + Lap(1/eps)", 4) for op in "+-"]
    + [("return q[3] / q[1] + Lap(1/eps)", 1)],
)
def test_how_many_answers_every_run_needs(body: str, least: int) -> None:
    assert least_length(program(body)) == least


@pytest.mark.parametrize(
    ("relation", "private", "kinds", "one_way"),
    [
        ("each_within(3)", "Private", ["each"], ["each"]),
        ("one_within(3)", "Private", ["one"], ["one up", "one down"]),
        ("sum_within(3)", "Private", ["sum"], ["sum up", "sum down"]),
        ("monotone(3)", "Private", ["up", "down"], ["up", "down"]),
        ("sum_within(1)", "Private[int]", ["one"], ["one up", "one down"]),
        ("sum_within(2)", "Private[int]", ["sum"], ["sum up", "sum down"]),
        ("sum_within(1)", "Private", ["sum"], ["sum up", "sum down"]),
    ],
)
def test_the_moves_between_databases(relation: str, private: str, kinds: list[str], one_way: list[str]) -> None:
    sketch, distance = program("return q[0] + Lap(1/eps)", relation, private), Fraction(relation[-2])
    for found, wanted in ((neighbours_of(sketch), kinds), (neighbours_of(sketch, one_way=True), one_way)):
        assert found == tuple(Neighbours(kind, distance, private == "Private[int]") for kind in wanted)
    for kind, low, high in (("each", -3, 3), ("up", 0, 3), ("down", -3, 0)):
        neighbours = Neighbours(kind, Fraction(3), False)
        move, facts = neighbours.move(0, ZERO)
        assert facts == (at_most(number(low), move), at_most(move, number(high)))
        by = variable(MOVE)
        assert Others(FollowedSums((0,)), 0, Fraction(1)).facts(neighbours) == (at_most(number(low), by), at_most(by, number(high)))


def test_lone_moves_may_be_proved_one_way_at_a_time() -> None:
    sketch = program("return q[0] + Lap(1/eps)", "one_within(1)")
    product = build_product(sketch, frozenset())
    for kinds, right in ((("one",), True), (("one up", "one down"), True), (("one up",), False), (("one down", "one up"), False), ((), False)):
        cases = tuple(CaseProof(Neighbours(kind, Fraction(1), False), Alignment((UP,)), made_up_shares(product, sketch, random.Random(0)), {}) for kind in kinds)
        said = check_proof(LengthProof(sketch, parse_scale("eps"), (), frozenset(), False, cases), [[] for _ in cases], product, 1000)
        assert ("the cases are not the sets of moves that make up the adjacency" not in said) is right


# ---------------------------------------------------------------- steps


def test_both_sides_of_an_if_leave_a_loop_and_go_on() -> None:
    sketch = program("for x in q:\n    if x + Lap(1/eps) > T:\n        N = 1\n    else:\n        if on:\n            break\n        else:\n            continue\n    N = 2\nreturn N")
    steps = compile_steps(sketch.body)
    jumps = {at: step.to for at, step in enumerate(steps) if isinstance(step, Jump)}
    assert [type(step).__name__ for step in steps] == ["Enter", "Head", "Test", "Set", "Jump", "Test", "Jump", "Jump", "Jump", "Set", "Next", "Give"]
    assert jumps == {4: 9, 6: 11, 7: 9, 8: 10}


def test_what_a_loop_is_left_with_is_what_it_was() -> None:
    """The name of a loop has its old value where the loop is left."""
    sketch = program("i = N\nfor i in range(len(q)):\n    if q[i] + Lap(1/eps) > T:\n        return 0\nreturn i")
    assert [("i" in names) for names in live_names(compile_steps(sketch.body))][:3] == [False, True, True]


@pytest.mark.parametrize(
    ("body", "chosen"),
    [
        ("s = [2 * x for x in q]\nj = choose(s, 4/eps)\nreturn j", True),
        ("s = [2 * x for x in q]\nreturn choose(s, 4/eps)", True),
        ("s = [2 * x for x in q]\nj = choose(s, 4/eps)\nreturn j, s[0]", False),
        ("s = [2 * x for x in q]\nj = choose(s, 4/eps) + len(s)\nreturn j", False),
        ("s = [2 * x for x in q]\nb = choose(s, 4/eps) > 0 and on\nreturn b", False),
        ("s = [2 * x for x in q]\nb = choose(s, 4/eps) > 0 or on\nreturn b", False),
        ("s = [2 * x for x in q]\nb = choose(s, 4/eps) > 0\nreturn b", True),
        ("s = [2 * x for x in q]\nif choose(s, 4/eps) > 0:\n    return 1\nreturn 0", False),
        ("s = [2 * x for x in q]\nj = N\nreturn choose(s, 4/eps) + j", False),
        ("for i in range(N):\n    s = [x + i for x in q]\n    j = choose(s, 4/eps)\n    if j > 3:\n        return s[0] + Lap(1/eps)\nreturn 0", False),
        ("for i in range(N):\n    s = [x + i for x in q]\n    j = choose(s, 4/eps)\n    if j > 3:\n        return j\nreturn 0", True),
    ],
)
def test_scores_that_nothing_else_looks_at(body: str, chosen: bool) -> None:
    steps = compile_steps(program(body).body)
    at = next(at for at, step in enumerate(steps) if getattr(step, "targets", None) == ("s",))
    assert chosen_next(steps, live_names(steps), "s", at) is chosen


@pytest.mark.parametrize("op", ["+", "-", "*", "/", "//", "%", "<"])
def test_conditions_and_not_sums_are_decided_where_they_are_made(op: str) -> None:
    right = "3" if op == "%" else "2"
    sketch = program(f"b = N {op} {right}\nfor x in q:\n    if b == 1:\n        return x + Lap(1/eps)\nreturn b" if op != "<" else "b = N < 2\nfor x in q:\n    if b:\n        return x + Lap(1/eps)\nreturn b")
    assert (decide_flags(sketch) != sketch) is (op == "<")


@pytest.mark.parametrize(("op", "decided"), [("and", True), ("or", True), ("==", False)])
def test_a_truth_that_may_not_draw_is_decided(op: str, decided: bool) -> None:
    sketch = program(f"b = on {op} (q[0] + Lap(1/eps) > T)\nreturn N if b else 0")
    assert (decide_flags(sketch) != sketch) is decided


# ---------------------------------------------------------------- values


def test_lists_keep_what_is_known_of_their_items() -> None:
    inside, place, real = Symbol("inside", BOOL), Numeric(variable(Symbol("k", INT))), Numeric(variable(Symbol("x", REAL)))
    for base, at_front in itertools.product((None, "out"), (False, True)):
        built = Built(base, variable(Symbol("n", INT)), inside=inside)
        assert built.grown(real, at_front).inside == FALSE
        grown = built.grown(place, at_front).inside
        assert grown not in (TRUE, FALSE, inside) and {inside, Symbol("k", INT), LENGTH} <= symbols_of(grown)


def test_a_path_that_forks_has_all_that_it_had() -> None:
    state = Walk({"a": Logical(TRUE)}, {Turn(0): ZERO}, [TRUE], [FALSE], {1: True}, {2: TRUE}, [], [], {}, [], frozenset({3}))
    assert [getattr(state.fork(), part.name) for part in fields(state)] == [getattr(state, part.name) for part in fields(state)]


def test_one_value_is_never_two() -> None:
    one, two = Numeric(ZERO), Several((Numeric(ZERO), Numeric(ZERO)))
    for left, right in ((one, two), (two, one), (Built(None, ZERO), two), (two, Built(None, ZERO)), (two, Several((one,)))):
        assert same_answer(left, right, {}) == FALSE
    assert same_answer(two, two, {}) == TRUE
    mine, other = Symbol("x@1", REAL), Symbol("x@2", REAL)
    ends = [Several((one, Numeric(variable(symbol)))) for symbol in (mine, other)]
    assert same_answer(*ends, {other: variable(mine)}) == TRUE
    assert same_answer(*ends, {}) == equal(variable(mine), variable(other))


def test_formulas_are_flat_and_can_be_sent_elsewhere() -> None:
    a, b, c = (Symbol(name, BOOL) for name in "abc")
    for join in (every, some):
        assert join([join([a, b]), c]) == join([a, join([b, c])]) == join([a, b, c])
        assert join([join([a, b]), c]).parts == (a, b, c)  # type: ignore[union-attr]
    x, y, z = (variable(Symbol(name, REAL)) for name in "xyz")
    deep = choose(a, x, choose(b, x + y, choose(c, y, x)))
    assert put(deep, {Symbol("x", REAL): z, Symbol("y", REAL): z}) == choose(a, z, choose(b, z.times(2), z))
    for formula in (every([a, negate(b)]), implies(a, below(x, y)), equal(deep, z), TRUE, negate(some([a, b]))):
        assert pickle.loads(pickle.dumps(formula)) == formula


@pytest.mark.parametrize(("op", "decided"), [("<", True), ("<=", True), (">", True), (">=", True), ("==", False), ("!=", False)])
def test_only_what_compares_by_size_is_decided(op: str, decided: bool) -> None:
    for body in (f"b = N {op} 2\nfor x in q:\n    if b:\n        return x + Lap(1/eps)\nreturn b", f"return not N {op} 2"):
        sketch = program(body)
        assert (decide_flags(sketch) != sketch) is decided


def test_ghosts_have_names_of_their_own() -> None:
    symbols = [make(which) for make in (ghost_value, next_ghost_value) for which in range(4)]
    assert len({symbol.name for symbol in symbols}) == 8 and {symbol.sort for symbol in symbols} == {INT}


# ---------------------------------------------------------------- runs


def test_noise_alone_belongs_to_the_sum_that_it_is_read_for() -> None:
    (path,) = paths_of("e = [Lap(1/eps) for x in q]\nreturn q[0] + e[0]")
    assert [(drawn.factor, len(drawn.rest.terms), drawn.waits) for drawn in path.draws] == [(1, 1, False)]


def test_two_lists_that_begin_in_one_segment_are_both_known() -> None:
    (path,) = paths_of("a = [x + Lap(1/eps) for x in q]\nb = [x + Lap(2/eps) for x in q]\ns = b[1] + b[0] + a[1]\nreturn s + a[0]")
    assert len(path.draws) == 4 and TRUE not in path.faults
    for place in ("N", "0"):
        found = paths_of(f"a = [x + Lap(1/eps) for x in q]\ns = a[{place}] + a[1]\nreturn s + a[N]")
        assert {symbol.name for path in found for ghost in path.ghosts.values() for symbol in symbols_of(ghost)} <= {"N"}


def test_a_list_of_noise_that_is_drawn_for_a_place_is_a_sum_of_its_own() -> None:
    body = "e = [Lap(1/eps) for x in q]\nbest = None\nfor i in range(len(q)):\n    if best is None or q[i] + e[i] > T + e[best]:\n        best = i\nreturn best"
    assert not any(drawn.waits for path in paths_of(body) for drawn in path.draws)


@pytest.mark.parametrize(
    ("place", "draws"),
    [("0", 1), ("1", 1), ("N", 1), ("N - 1", 1), ("-1", 0), ("None", 0)],
)
def test_an_item_is_drawn_when_a_variable_that_had_no_place_gets_one(place: str, draws: int) -> None:
    head = "a = [x + Lap(1/eps) for x in q]\nj = N\nbest = None\nif on:\n    best = {}\n"
    loop = "for i in range(len(q)):\n    if best is None or a[i] > a[best] + a[j]:\n        best = i\nreturn best"
    found = build_product(program(head.format(place) + loop), frozenset()).first.paths[None]
    assert sorted(len(path.draws) for path in found) == sorted([0, draws])


def heads(body: str, **ways: Any) -> dict[int, dict[str, Any]]:
    """What the first run knows at each loop head."""
    product = build_product(program(body), frozenset(), **ways)
    return {place.loop: dict(place.names) for place in product.first.places if place.loop is not None}


NOISY_LIST = "a = [x + Lap(2/eps) for x in q]\n"


def test_items_that_were_drawn_on_no_way_to_a_loop_are_known_to_be_undrawn() -> None:
    loop = "for i in range(len(q)):\n    if q[i] + Lap(1/eps) > T:\n        return 0\n"
    found = heads(f"{NOISY_LIST}k = N\n{loop}return a[k]")
    assert found[0]["item 1 at k"] == UNDRAWN
    found = heads(f"{NOISY_LIST}k = N\ns = a[k]\n{loop}return a[k] + s")
    assert found[0]["item 1 at k"] == Maybe(own("item 1 at k", 1, BOOL, ".none"), Numeric(variable(own("item 1 at k", 1, REAL))))
    found = heads(f"{NOISY_LIST}k = N\nfor i in range(len(q)):\n    if q[i] > T:\n        s = a[k]\n        if s > T:\n            return 0\nreturn 1")
    assert found[0]["item 1 at k"] != UNDRAWN
    none = "k = None\nif on:\n    return q[0] + Lap(1/eps)\nfor x in q:\n    if k is None and x + Lap(1/eps) > T:\n        return k\nreturn 0"
    assert heads(none.replace("k = None\n", "k = None\nm = k\n"))[0]["k"] != UNDRAWN
    assert "item 1 at k" not in heads(f"{NOISY_LIST}k = N\ns = a[k]\n{loop}return s")[0]


def test_an_item_goes_with_the_variable_that_gets_its_place() -> None:
    loop = "for i in range(len(q)):\n    if q[i] + Lap(1/eps) > T:\n        return 0\n"
    body = f"{NOISY_LIST}k = N\nbest = N + 1\ns = a[k]\n{loop}if on:\n    best = k\nk = k + 1\n{loop}if a[best] + a[k] > T + s:\n    return 2\nreturn 0"
    assert heads(body)[1]["item 1 at best"] == Maybe(own("item 1 at best", 1, BOOL, ".none"), Numeric(variable(own("item 1 at best", 1, REAL))))


def test_what_may_have_been_drawn_is_looked_at_last() -> None:
    """`a[k]` may be an item from before, and `a[0]` is the next one."""
    for text in ("a[k] - a[0]", "a[0] - a[k]"):
        (path,) = paths_of(f"{NOISY_LIST}j = 0\nj = j + 1\nk = j\nx = {text}\nreturn x")
        assert [drawn.place for drawn in path.draws] == [ZERO, number(1)]


def test_no_shift_looks_at_noise_that_waits_for_its_sum() -> None:
    body = "e = [Lap(1/eps) for x in q]\nn = e[0]\nm = q[2] + Lap(3/eps)\nx = q[0] + Lap(2/eps)\ny = q[1] + n\nreturn x, y, m"
    (path,) = paths_of(body)
    *_, last = path.draws
    assert "m" in last.names and "n" not in last.names


def test_scores_that_may_be_none_may_stop_the_run() -> None:
    (one, *_) = [path for path in paths_of("m = None\nif on:\n    m = 1\nfor i in range(N):\n    c = [m, 1]\n    j = choose(c, 1/eps)\n    if j > 0:\n        return 1\nreturn 0") if path.draws]
    assert own("m", 1, BOOL, ".none") in {symbol for fault in one.faults for symbol in symbols_of(fault)}


def test_truths_in_an_answer_are_truths() -> None:
    for test in ("N < 2", "N <= 2", "N > 2", "N >= 2", "N == 2", "N != 2", "not on", "on and N < 2", "on or N < 2"):
        (path,) = paths_of(f"return q[0] + Lap(1/eps), {test}")
        assert isinstance(path.end, Returned) and isinstance(path.end.value, Several) and isinstance(path.end.value.items[1], Logical)


def test_lists_grow_at_the_end_that_is_named() -> None:
    for step, front, back in (("out.insert(0, i)", 1, 0), ("out.append(i)", 0, 1)):
        paths = paths_of(f"out = []\nfor i in range(len(q)):\n    {step}\n    if q[i] + Lap(1/eps) > T:\n        return out\nreturn out")
        grown = {(len(out.front), len(out.back)) for path in paths if isinstance(out := path.names.get("out"), Built) and out.base}
        assert (front, back) in grown and (back, front) not in grown


def test_parts_of_the_condition_of_a_loop_are_counted_too() -> None:
    keys = {key for path in paths_of("i = 0\nwhile (q[0] + Lap(1/eps) > 0) == (i < N):\n    i = i + 1\nreturn i") for key in path.decisions}
    assert {0, (0, 0), (0, 1)} <= keys and not any(key is None or (isinstance(key, tuple) and key[0] is None) for key in keys)


def test_noise_waits_where_it_has_one_law_on_every_way() -> None:
    loop = "for x in q:\n    if x > T:\n        {0}\n    if x < T:\n        return 1\n"
    test = "if e > T:\n    return 2\nreturn 3"
    for name, body, waits in (
        ("kept", f"e = Lap(1/eps)\n{loop.format('N = 1')}{test}", True),
        ("drawn anew", f"e = Lap(1/eps)\n{loop.format('e = Lap(1/eps)')}{test}", True),
        ("another scale", f"e = Lap(1/eps)\n{loop.format('e = Lap(2/eps)')}{test}", False),
        ("another family", f"e = Lap(1/eps)\n{loop.format('e = Exp(1/eps)')}{test}", False),
        ("another scale in every turn", "e = Lap(1/eps)\nfor x in q:\n    if x + e > T:\n        return 1\n    e = Lap(2/eps)\nreturn 0", False),
        ("a number first", f"e = 0\n{loop.format('e = Lap(1/eps)')}{test}", False),
        ("a number then", f"e = Lap(1/eps)\n{loop.format('e = 1')}{test}", False),
    ):
        sketch = program(body)
        assert isinstance(heads(body, delayed=True)[0]["e"], Pending) is waits, name
        system_of(sketch, Alignment((UP,) * len(sketch.draws)), delayed=True)


def test_what_is_known_of_variables_at_a_loop() -> None:
    places = "out = [0]\nfor i in range(len(q)):\n    if q[out[0]] + Lap(1/eps) > T:\n        out.append(i)\nreturn out"
    assert heads(places)[0]["out"].inside == own("out", 1, BOOL, ".inside")
    plain = "out = [0]\nfor i in range(len(q)):\n    if q[i] + Lap(1/eps) > T:\n        out.append(i)\nreturn out"
    assert heads(plain)[0]["out"].inside == FALSE
    with pytest.raises(Unsupported, match="`k` holds values of several kinds"):
        heads("k = N\nfor x in q:\n    k = x + Lap(1/eps) > 0\nreturn k")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("k = N\nfor i in range(k):\n    k = k + 1\n    if q[0] + Lap(1/eps) > k:\n        return i\nreturn 0", "depend on something that changes"),
        ("a = [N, 2]\nfor i in range(a[0]):\n    if q[0] + Lap(1/eps) > i:\n        return i\nreturn 0", "depend on something that changes"),
        ("for i in range(choose(q, 1/eps)):\n    if q[0] > i:\n        return i\nreturn 0", "depend on something that changes"),
        ("a = [1]\nfor i in range(len(a)):\n    a.append(1)\n    if q[0] + Lap(1/eps) > i:\n        return i\nreturn 0", "depend on something that changes"),
        ("a = [1, 2, N]\nfor y in a:\n    a = [3]\n    if q[0] + Lap(1/eps) > y:\n        return y\nreturn 0", "changes while a loop runs over it"),
    ],
)
def test_loops_over_what_changes_are_refused(body: str, words: str) -> None:
    with pytest.raises(Unsupported, match=words):
        Machine(program(body), 1, False, frozenset("a") if "append" in body else frozenset()).run()


def test_an_item_of_noise_with_a_name_belongs_to_the_sum_that_it_is_read_for() -> None:
    (path,) = paths_of("e = [Lap(1/eps) for x in q]\nn = e[0]\nx = q[0] + n\nreturn x")
    assert [(drawn.factor, len(drawn.rest.terms), drawn.waits) for drawn in path.draws] == [(1, 1, False)]


def test_parts_of_a_condition_are_counted_on() -> None:
    body = "e = Lap(1/eps)\nf = Lap(1/eps)\nif ({0}) and (e > N % 2 and f > 1):\n    return 1\nreturn q[0]"
    keys = {key for path in paths_of(body.format("e > 0 and f > 0")) for key in path.decisions}
    assert keys == {0, (0, 0), (0, 1), (0, 2), (0, 3)}
    # `not (a or b)` is settled by one that holds, and then it does not hold itself.
    for test, outcomes in (("e > 0 or f > 0", {(True,): True, (False, True): True, (False, False): False}), ("not (e > 0 or f > 0)", {(True,): False, (False, True): False, (False, False): True})):
        found = {}
        for path in paths_of(f"e = Lap(1/eps)\nf = Lap(1/eps)\nif {test}:\n    return 1\nreturn q[0]"):
            parts = tuple(held for key, held in sorted((key, held) for key, held in path.decisions.items() if isinstance(key, tuple)))
            found[parts] = path.decisions[0]
        assert found == outcomes


@pytest.mark.parametrize(
    "test",
    ["e > 0 and f > 1", "e > 0 or f > 1", "not (e > 0 or f > 1)", "(e > 0 or f > 1) != True", "(e > 0 and f > 1) != True", "(e > 0 or f > 1) == on", "(e > 0 or f > 1) != on"]
    + ["e > 0 and f > 1 or e > f", "not (e > 0 and (f > 1 or e > f))", "(e > 0) == (f > 1)", "on or e > 0 and f > 1", "(e > 0 and f > 1) != (e > f)"],
)
def test_a_condition_holds_on_the_ways_on_which_it_is_taken_to(test: str) -> None:
    paths = paths_of(f"e = Lap(1/eps)\nf = Lap(1/eps)\nif {test}:\n    return 1\nreturn q[0]")
    for e, f, on in itertools.product((-1, 0, 1, 2), (-1, 1, 2), (False, True)):
        given: dict[Symbol, Any] = {own("noise.0", 1, REAL): number(e), own("noise.1", 1, REAL): number(f), Symbol("on", BOOL): Truth(on)}
        (taken,) = (path for path in paths if all(put_in(part, given) == TRUE for part in path.conditions))
        assert taken.decisions[0] is bool(eval(test, {"e": e, "f": f, "on": on}))


@pytest.mark.parametrize(
    ("value", "wanted"),
    [("a // 2", 3), ("-a // 2", -4), ("a / 2", Fraction(7, 2)), ("2 * a - 1", 13), ("a * a", 49), ("a // 0", None), ("q[0] / (N + 1)", None), ("q[0] // (N + 1)", None), ("(N + 1) // 2", None)],
)
def test_numbers_are_what_they_are_computed_to(value: str, wanted: Fraction | None) -> None:
    machine = Machine(program(f"a = 7\nb = {value}\nif q[1] + Lap(1/eps) > b:\n    return 1\nreturn 0"), 1, False, frozenset())
    if wanted is None:
        with pytest.raises(Unsupported, match="not linear"):
            machine.run()
    else:
        assert {path.names["b"] for path in machine.run().paths[None]} == {Numeric(number(wanted))}


@pytest.mark.parametrize("value", ["a / 0", "a / (1 - 1)", "N / 0", "T / (2 - 2)"])
def test_a_division_by_nothing_stops_the_run(value: str) -> None:
    assert all(TRUE in path.faults for path in paths_of(f"a = 7\nb = {value}\nif q[1] + Lap(1/eps) > b:\n    return 1\nreturn 0"))


@pytest.mark.parametrize("test", ["not (e > 0 or f > 1)", "(e > 0 or f > 1) != True", "(e > 0 and f > 1) != True", "(e > 0 or f > 1) == on", "(e > 0) != (f > 1)"])
def test_shifts_may_depend_on_the_parts_of_a_condition(test: str) -> None:
    paths = paths_of(f"e = Lap(1/eps)\nf = Lap(1/eps)\nif {test}:\n    return 1\nreturn q[0]")
    assert {0, (0, 0), (0, 1)} <= {key for path in paths for key in path.decisions}


def test_what_is_left_is_what_is_not_gone_where_noise_is_drawn_at_once() -> None:
    body = "noisy = [x + Lap(2*N/eps) for x in q]\nleft = list(range(len(q)))\nout = []\nfor t in range(N):\n    best, top = -1, 0\n    for i in left:\n        if best == -1 or noisy[i] > top:\n            best, top = i, noisy[i]\n    out.append(best)\n    left = [i for i in left if i != best]\nreturn out"
    sketch = program(body)
    product = build_product(sketch, frozenset(), at_once=True)
    assert product.sketch == in_other_units(sketch) and "left" not in names_in(product.sketch.body)


@pytest.mark.parametrize("body", [
    "c = q[0]\nnoisy = [x - c + Lap(1/eps) for x in q]",
    "c = q[0]\nmore = [x - c for x in q]\nnoisy = [m + Lap(1/eps) for m in more]",
    "z = Lap(1/eps)\nnoisy = [x + z + Lap(1/eps) for x in q]",
    "c = q[0]\nnoisy = []\nfor x in q:\n    noisy.append(x - c + Lap(1/eps))",
])
def test_no_name_is_taken_for_the_answer_or_the_noise_of_an_item_that_is_drawn_at_once(body: str) -> None:
    sketch = program(body + "\nbest = 0\nfor i in range(len(q)):\n    if noisy[i] > noisy[best]:\n        best = i\nreturn best")
    for delayed in (False, True):
        with pytest.raises(Unsupported):
            build_product(sketch, frozenset(), delayed, at_once=True)
    assert build_product(program(body.replace("= q[0]", "= T").replace("z = Lap(1/eps)", "z = T") + "\nreturn 1 if noisy[0] > 0 else 0"), frozenset(), at_once=True)


def test_answers_of_several_places_to_answer_are_told_apart() -> None:
    noisy = "x = q[0] + Lap(1/eps)\nif x > 0:\n    return x{0}\nreturn x{1}"
    for ends, settled in (((" * N", " / len(q)"), True), (("", " - 1"), False)):
        assert build_product(program(noisy.format(*ends)), frozenset()).settled is settled


def test_the_answers_of_several_places_are_not_compared_where_arithmetic_was_left_out() -> None:
    body = "x = q[0] + Lap(1/eps)\nif x > 0:\n    return x * N\nreturn x / len(q)"
    system = system_of(program(body), Alignment((UP,)))
    assert [FALSE in clause.goals for clause in system.clauses] == [False, True, True, False]


def test_noise_inside_a_choice_of_items_is_added_to_nothing() -> None:
    (path,) = paths_of("e = [Lap(1/eps) for x in q]\ny = e[N] + e[N + 1] + q[0]\nreturn y")
    assert [drawn.factor for drawn in path.draws] == [1, 1]
    found = [drawn for path in paths_of("e = [Lap(1/eps) for x in q]\ny = e[N] + e[0] + q[0]\nreturn y") for drawn in path.draws]
    assert found and all(drawn.factor == 0 or drawn.symbol not in symbols_of(drawn.rest) for drawn in found)
    assert {drawn.factor for drawn in found} == {0, 1}


def test_a_result_waits_for_the_noise_that_it_is_computed_from() -> None:
    body = "j = choose(q, 2/eps)\ne = q[0] + Lap(1/eps)\ny = e * e\nif y > T:\n    return j\nreturn 0"
    system = system_of(program(body), Alignment((UP, UP)))
    names = {symbol.name for clause in system.clauses for part in (*clause.premises, *clause.goals) for symbol in symbols_of(part)}
    assert any("computed" in name or "*" in name for name in names) and "noise.1@2" not in names


def test_an_item_at_another_place_is_other_noise() -> None:
    body = f"{NOISY_LIST}k = 0\nwhile k < len(q):\n    if a[k] > T:\n        return k\n    k = k + 1\nreturn 0"
    system = system_of(program(body), Alignment((UP,)))
    names = {symbol.name for clause in system.clauses for part in clause.premises for symbol in symbols_of(part)}
    assert {"noise.0@1", "noise.0@2", "k@1", "k@2"} <= names


def test_what_is_not_said_is_not_so() -> None:
    """Noise is drawn where it stands, item by item, and products of what may differ are refused."""
    named = program("e = Lap(1/eps)\nif q[0] > 0:\n    return 1\nreturn q[0] + e")
    listed = program("noisy = [x + Lap(1/eps) for x in q]\nif noisy[0] > T:\n    return 1\nreturn noisy[1]")
    for sketch in (named, listed):
        assert Machine(sketch, 1, False, frozenset()).run() == Machine(sketch, 1, False, frozenset(), False, False, frozenset(), False).run()
        assert build_product(sketch, frozenset()) == build_product(sketch, frozenset(), False, False, False, ())
    with pytest.raises(Unsupported):
        Machine(program("x = q[0] * (q[1] + Lap(1/eps))\nif x > T:\n    return 1\nreturn 0"), 1, False, frozenset()).run()


@pytest.mark.parametrize("body", ["e = Lap(1/eps)\nx = q[0] * q[1]\nreturn x + e", "s = (q[0] + Lap(4/eps)) * T\ne = Lap(1/eps)\nreturn s, e"])
def test_units_and_noise_that_is_set_aside_are_those_that_are_asked_for(body: str) -> None:
    sums = "s = Lap(2/eps)\nfor x in q:\n    s = s + x\nreturn s"
    for text, delayed, at_once in itertools.product((sums, body), (False, True), (False, True)):
        sketch = program(text, "one_within(1)")
        counted = in_other_units(sketch)
        try:
            product = build_product(sketch, frozenset(), delayed, at_once)
        except Unsupported:
            continue
        assert product.sketch == (set_aside(counted) if delayed else counted)
        assert product.units == units_of(sketch, counted)


PRODUCTS = "noisy = [x + Lap(1/eps) for x in q]\ny = noisy[0] * noisy[1]\nif y > T:\n    return 1\nreturn 0"


def test_products_are_computed_only_where_nothing_else_is_asked_for() -> None:
    build_product(program(PRODUCTS), frozenset())
    with pytest.raises(Unsupported, match="not linear"):
        build_product(program(PRODUCTS), frozenset(), at_once=True)
    followed = "most = 0\nfor i in range(len(q)):\n    r = q[i] + Lap(1/eps)\n    if i == 0 or r > most:\n        most = r\nif most * most > T:\n    return 1\nreturn 0"
    build_product(program(followed), frozenset())
    with pytest.raises(Unsupported, match="not linear"):
        build_product(program(followed), frozenset(), watches=(Followed("most", False),))


@pytest.mark.parametrize(
    ("body", "ways"),
    [
        ("e = Lap(1/eps)\nfor x in q:\n    if x > T:\n        return 1\nreturn q[0] + e", {"delayed": True}),  # it waits past a loop head
        ("e = Lap(1/eps)\nfor x in q:\n    if x + e > T:\n        return 1\nreturn q[0]", {"delayed": True}),
        ("e = Lap(1/eps)\nfor x in q:\n    if x + e > T:\n        e = Lap(1/eps)\nreturn 0", {"delayed": True}),
        ("e = Lap(1/eps)\nfor x in q:\n    if x > T:\n        e = Lap(2/eps)\nreturn q[0] + e", {"delayed": True}),
        ("for i in range(len(q)):\n    if q[i] + Lap(1/eps) > T:\n        break\n    N = N + 1\nreturn N", {}),
        ("best = 0\nnoisy = [x + Lap(1/eps) for x in q]\nfor i in range(len(q)):\n    if noisy[i] > noisy[best]:\n        best = i\nreturn best", {}),
        ("best = -1\nnoisy = [x + Lap(1/eps) for x in q]\nfor i in range(len(q)):\n    if best == -1 or noisy[i] > noisy[best]:\n        best = i\nreturn best", {}),
    ],
)
def test_programs_that_are_covered(body: str, ways: dict[str, Any]) -> None:
    sketch = program(body)
    system = system_of(sketch, Alignment((UP,) * len(sketch.draws)), **ways)
    assert system.clauses and not any(FALSE in clause.goals for clause in system.clauses if clause.name.endswith("path 1 with path 1"))


# ---------------------------------------------------------------- both runs


def test_a_variable_that_one_run_has_says_nothing_of_the_other() -> None:
    for body in ("if q[0] + Lap(1/eps) > T:\n    k = 1\n    return k\nreturn 1", "if q[0] + Lap(1/eps) > T:\n    return 1\nk = 1\nreturn k"):
        system = system_of(program(body), Alignment((UP,), ("k",)))
        assert [FALSE in clause.goals for clause in system.clauses] == [False, True, True, False]


def test_noise_with_another_factor_is_still_paid_for() -> None:
    body = "e = Lap(1/eps)\nif q[0] > T:\n    x = q[1] + 2 * e\nelse:\n    x = q[2] - e\nif x > T:\n    return 1\nreturn 0"
    for delayed in (False, True):
        system = system_of(program(body), Alignment((UP,)), delayed=delayed)
        assert all(dict(clause.updates) != {} and ZERO not in dict(clause.updates).values() for clause in system.clauses if clause.target is not None)


def test_bits_move_to_bits() -> None:
    sketch = program("for b in q:\n    if b != Flip(1/eps):\n        return 1\nreturn 0", "one_within(1)", "Private[bool]")
    for shift in (Form(follow="q"), Form(cancel=True), Form()):
        system = system_of(sketch, Alignment((Always(shift),)))
        reads = [symbol for clause in system.clauses for part in clause.premises for symbol in symbols_of(part) if "read" in symbol.name]
        assert reads
        both = [part for clause in system.clauses for part in clause.premises if any("moved" in s.name for s in symbols_of(part))]
        assert both, "that the answer of the second run is a bit, too, is known"


def test_shifts_go_as_far_as_is_promised() -> None:
    for relation, reach, wanted in (("each_within(3)", "2", 6), ("each_within(3)", "2*len(q)", "6*len(q)"), ("each_within(1/2)", "len(q)", "len(q)/2")):
        sketch = program("return q[0] + Lap(1/eps)", relation)
        (clause,) = system_of(sketch, Alignment((UP,), reach=(parse_scale(reach),))).clauses
        size = variable(LENGTH).times(Fraction(wanted.split("*")[0]) if "*" in wanted else Fraction(1, 2)) if isinstance(wanted, str) else number(wanted)
        assert at_most(number(neighbours_of(sketch)[0].distance), size) in clause.goals


def test_coins_in_words_and_in_formulas() -> None:
    sketch = program("b = q[0] != Flip(1/eps)\nreturn b", "one_within(1)", "Private[bool]")
    (neighbours,), shift = neighbours_of(sketch), Always(Form(follow="q"))
    proof = LengthProof(sketch, parse_scale("eps"), (), frozenset(), False, (CaseProof(neighbours, Alignment((shift,)), made_up_shares(build_product(sketch, frozenset()), sketch, random.Random(0)), {}),))
    words = write_certificate(proof).document()["cases"][0]["alignment"][0]["words"]
    assert words == describe_shift(shift, True, Noise.FLIP) != describe_shift(shift, True, Noise.LAPLACE)


RENEWED = "best, top = 0, 0\nout = []\nfor t in range(N):\n    best, top = 0, 0\n    for i in range(len(q)):\n        x = q[i] + Lap(4/eps)\n        if i == 0 or x > top:\n            best, top = i, x\n    out.append(best)\nreturn out"


def test_a_ghost_that_is_renewed_gets_a_value_of_its_own() -> None:
    sketch = program(RENEWED)
    for ghosts, renewed in ((("best",), (0,)), (("best", "i"), (0, None)), (("i", "best"), (0, 0)), (("best", "best"), (1, 0))):
        system = system_of(sketch, Alignment((AtGhost(0, Form(Fraction(2)), Form()),), ghosts, renewed))
        for which, end in enumerate(renewed):
            given = [dict(clause.updates).get(ghost_value(which)) for clause in system.clauses if clause.target == end and end is not None]
            assert all(value == variable(next_ghost_value(which)) for value in given)
            others = [clause for clause in system.clauses if clause.target != end or end is None]
            assert not any(ghost_value(which) in dict(clause.updates) for clause in others)
        counted = {clause.name: sum(ghost_value(0) in symbols_of(part) for part in clause.premises) for clause in system.clauses}
        assert any(counted.values()), "only first runs with the ghost's value count"


def test_a_first_run_that_has_the_value_which_counts_next() -> None:
    """Where `best` does not change until the next arrival, its value is that of the ghost."""
    sketch = program(RENEWED.replace("    out.append(best)", "    n = 0\n    for j in range(N):\n        n = n + j\n    out.append(best)\n    out.append(n)"))
    product = build_product(sketch, frozenset())
    system = system_of(sketch, Alignment((AtGhost(0, Form(Fraction(2)), Form()),), ("best",), (0,)))
    settled = {place.loop for place in product.first.places if place.loop and "best" in dict(place.names) and "best" not in product.first.unsettled[place.loop, 0]}
    assert settled == {2}
    for clause in system.clauses:
        if clause.target in settled:
            assert any(ghost_value(0) in symbols_of(part) for part in clause.premises[-1:]), clause.name


# ---------------------------------------------------------------- cells


def cell(place: SegmentStart, *reads: Any) -> Cells:
    read = tuple(Read(Spot(None, at), at, own(f"read.{i}", 1, REAL), True) for i, at in enumerate(reads))
    path: Any = SimpleNamespace(reads=read)
    return Cells(Run(1, (place,), {0: (path,)}, (), {}), Alignment(()), frozenset())


def test_the_place_that_a_turn_looks_at() -> None:
    k, turn = variable(own("k", 1, INT)), ghost_symbol(Turn(0), 1)
    place = SegmentStart(0, (("k", Numeric(k)),), ((Turn(0), turn),))
    everything = k + variable(turn) + variable(LENGTH)
    assert cell(place, everything).place(0) == everything
    assert cell(place, k).place(0) == k and cell(place, k, k).place(0) == k
    for reads in ((), (k, k + number(1)), (variable(own("other", 1, INT)),)):
        assert cell(place, *reads).place(0) == variable(turn)


def test_only_where_a_watched_name_may_change_it_is_shown_that_it_is_passed() -> None:
    sketch, ways, _ = CASES["watched"]
    product = build_product(sketch, frozenset(), **ways)
    (name,) = product.watched
    system = build_system(product, neighbours_of(sketch)[0], Alignment((UP,) * len(sketch.draws), (name,)), None, ())
    passed = [clause for clause in system.clauses if "past ghost" in clause.name]
    changing = {loop for (loop, end), names in product.first.unsettled.items() if end is None and name in names}
    assert changing and changing != set(product.first.paths) - {None}
    assert {int(clause.name.split()[2].rstrip(",")) - 1 for clause in passed} == changing
    assert all(clause.target is None and clause.updates == () for clause in passed)


# ---------------------------------------------------------------- lists that are drawn at once

ONCE = "noisy = [{0} for {1}]\nout = []\nbest, top = -1, 0\nfor i in range(len(q)):\n    if i == 0 or noisy[i] > top:\n        best, top = i, noisy[i]\nout.append(best)\nreturn out"


@pytest.mark.parametrize(
    ("item", "over", "words"),
    [
        ("Lap(1/eps)", "i in range(len(q))", "one answer with one noise"),
        ("x + Lap(1/eps) > T", "x in q", "one answer with one noise|not a number|needed|added"),
        ("abs(x + Lap(1/eps))", "x in q", "is added"),
        ("x + choose(s, 1/eps)", "x in q", "is added|no value"),
        ("x + choose(q, 1/eps)", "x in q", "one answer with one noise"),
        ("x * Lap(1/eps)", "x in q", "not linear|is added"),
    ],
)
def test_items_that_are_not_an_answer_and_its_noise_are_refused(item: str, over: str, words: str) -> None:
    body = f"s = [N, 2 * N]\nnoisy = [{item} for {over}]\nif noisy[0] == noisy[1]:\n    return 1\nreturn 0"
    with pytest.raises(Unsupported, match=words):
        build_product(program(body), frozenset(), at_once=True)


def test_real_answers_with_whole_noise_are_real() -> None:
    for private, sort in (("Private", REAL), ("Private[int]", INT)):
        (path, *_) = paths_of("noisy = [x + DiscreteLap(1/eps) for x in q]\nif noisy[0] > T:\n    return 1\nreturn 0", "each_within(1)", private, at_once=True)
        assert [read.symbol.sort for read in path.reads] == [sort]


TOP = "noisy = [x + {noise}(2*N/eps) for x in q]\nout = []\nwhile len(out) < N:\n    best, top = {none}, 0\n    for i in range(len(q)):\n        if i not in out and ({first} or noisy[i] > top):\n            best, top = i, noisy[i]\n    {turn}\n{after}\nreturn out"
WORDS = {"noise": "Lap", "none": "-1", "first": "best == -1", "turn": "out.append(best)", "after": "pass"}


def top(units: int, **words: str) -> System:
    sketch = program(TOP.format(**WORDS | words))
    return system_of(sketch, Alignment((AtGhost(0, Form(Fraction(units)), Form()),), ("best",), (0,)), at_once=True)


def test_one_sided_noise_of_winners_is_shown_not_to_fall() -> None:
    asked = {(noise, units): {str(goal) for clause in top(units, noise=noise).clauses for goal in clause.goals if goal != TRUE} for noise in ("Lap", "Exp") for units in (2, -2)}
    assert asked["Lap", 2] == asked["Exp", 2] == asked["Lap", -2] != asked["Exp", -2]
    (fall,) = {goal for clause in top(-2, noise="Exp").clauses for goal in clause.goals} - {goal for clause in top(2).clauses for goal in clause.goals}
    assert {ghost_value(0), LENGTH} <= symbols_of(fall)


def _after(ends: dict[Any, list[int | None]], start: int) -> set[int]:
    seen, todo = set[int](), [start]
    while todo:
        more = {to for to in ends[todo.pop()] if to is not None} - seen
        seen, todo = seen | more, [*todo, *more]
    return seen


def test_loops_from_which_every_way_passes_another() -> None:
    """Against a walk along every way there is."""
    rng = random.Random(5)
    for _ in range(300):
        many = rng.randint(1, 5)
        ends = {here: [rng.choice([None, *range(many)]) for _ in range(rng.randint(0, 3))] for here in (None, *range(many))}
        run: Any = SimpleNamespace(paths={here: [SimpleNamespace(end=Returned(None, 0) if to is None else Goto(to)) for to in ways] for here, ways in ends.items()})  # type: ignore[arg-type]
        for loop in range(many):
            inside = _within(run, loop)
            assert inside == {start for start in range(many) if start != loop and loop in _after(ends, start)}
            wanted = set()
            for start in range(many):
                seen, todo, answers = set[int](), [start], False
                while todo:
                    here = todo.pop()
                    if here in seen:
                        continue
                    seen.add(here)
                    answers = answers or (None in ends[here] and here not in inside)
                    todo += [to for to in ends[here] if to is not None and to != loop]
                if start == loop or not answers:
                    wanted.add(start)
            assert _returning(run, loop, inside) == wanted


def test_the_move_of_a_winner_that_is_paid_for_is_no_other_move() -> None:
    """What is known of the answer that is paid for has a symbol of its own where answers are looked at on the way."""
    system = top(2, turn="out.append(best)\n    if noisy[0] > T:\n        T = T + 1")
    assert system.clauses
    sketch = program(TOP.format(**WORDS | {"turn": "out.append(best)\n    top = noisy[0] + q[0]"}))
    alignment = Alignment((AtGhost(0, Form(Fraction(1), True), Form()),), ("best",), (0,))
    system = system_of(sketch, alignment, at_once=True)
    renewing = [clause for clause in system.clauses if clause.target == 0 and clause.source == 1]
    assert renewing
    for clause in renewing:
        reads = {symbol.name for part in clause.premises for symbol in symbols_of(part) if symbol.name.startswith("move.")}
        assert len(reads) in (1, 3)
    assert any(len({s.name for part in clause.premises for s in symbols_of(part) if s.name.startswith("move.")}) == 3 for clause in renewing)


def test_a_turn_finds_a_place_only_where_every_answer_follows_one() -> None:
    """Behind the last turn no winner is found any more: that an item looked at there is one is not known."""
    after = "for y in range(N):\n    if noisy[y] > T:\n        T = T + 1\nfor z in range(N):\n    if noisy[z] > T:\n        return [z]"
    system = top(2, after=after)
    told = {clause.source for clause in system.clauses for part in clause.premises if {s.name for s in symbols_of(part)} >= {"ghost.value", "wins.0"}}
    assert told == {2}
    sources = {clause.source for clause in system.clauses if any("wins.0" in {s.name for s in symbols_of(part)} for part in clause.premises)}
    assert {2, 3, 4} <= sources


def test_winners_that_may_be_none_are_paid_for_where_they_are_not() -> None:
    body = "noisy = [x + Lap(2*N/eps) for x in q]\nn = 0\nwhile n < N:\n    best, top = None, 0\n    for i in range(len(q)):\n        if best is None or noisy[i] > top:\n            best, top = i, noisy[i]\n    n = n + 1\nreturn n"
    system = system_of(program(body), Alignment((AtGhost(0, Form(Fraction(2)), Form()),), ("best",), (0,)), at_once=True)
    costs = [term for clause in system.clauses if clause.target == 0 and clause.source == 1 for symbol, term in clause.updates if symbol.name.startswith("spent")]
    none = own("best", 1, BOOL, ".none")
    assert costs and all(none in symbols_of(equal(cost, ZERO)) for cost in costs)


def test_a_lead_of_other_noise_does_not_go_with_a_list_that_is_drawn_at_once() -> None:
    body = ITEMS.replace("a =", "noisy =") + "best, top = -1, 0\nfor i in range(len(q)):\n    x = q[i] + Lap(2/eps)\n    if best == -1 or x > top:\n        best, top = i, x\nif noisy[0] > T:\n    return 1\nreturn best"
    sketch = program(body)
    with pytest.raises(Unsupported, match="may follow the others of that list"):
        system_of(sketch, Alignment((STAY, AtGhost(0, Form(cancel=True, lead=True), Form())), ("best",), lead=FollowedSums((1,))), at_once=True)
    system_of(sketch, Alignment((STAY, UP), ("best",)), at_once=True)


# ---------------------------------------------------------------- the first of the others


def others(body: str, shift: Any = STAY, site: int = 0, private: str = "Private") -> Any:
    sketch = program(body, private=private)
    product = build_product(sketch, frozenset())
    shifts = tuple(shift if at == site else STAY for at in range(len(sketch.draws)))
    return find_others(Alignment(shifts, ("best",), lead=FollowedSums((site,))), product.first, product.second, sketch)


LARGEST = "best, top = -1, 0\nfor i in range(len(q)):\n    {0}\n    if best == -1 or x > top:\n        best, top = i, x\nreturn best"


def test_noise_that_is_always_kept_is_kept() -> None:
    for shift in (STAY, AtGhost(0, Form(Fraction(1)), Form()), AtGhost(0, Form(Fraction(1)), AtGhost(0, Form(), Form()))):
        assert others(LARGEST.format("x = q[i] + Lap(2/eps)"), shift)


@pytest.mark.parametrize("text", ["x = q[i] + DiscreteLap(2/eps)", "s = [N, 2 * N]\n    x = q[i] + choose(s, 2/eps)", "x = q[i] + choose(q, 2/eps)"])
def test_noise_that_may_tie_is_followed_by_none(text: str) -> None:
    with pytest.raises(Unsupported, match="may tie with them"):
        others(LARGEST.format(text))


# ---------------------------------------------------------------- documents


def proofs() -> Iterator[tuple[str, Sketch, dict[str, Any], str]]:
    loop = "for i in range(len(q)):\n    "
    yield "plain", program(f"{loop}if q[i] + Lap(1/eps) > T:\n        return i\nreturn 0"), {}, ""
    yield "set aside", program("s = Lap(2/eps)\nfor x in q:\n    s = s + x\nreturn s", "one_within(1)"), {"delayed": True}, ""
    yield "drawn at once", program(TOP.format(**WORDS)), {"at_once": True}, "once"
    yield "parts", program("s = q[0] + Lap(2/eps)\nn = q[1] + Lap(2/eps)\nif on:\n    n = 1\nreturn s / max(n, 1)"), {"parts": True}, ""
    least = f"most = 0\nout = []\n{loop}if i == 0:\n        most = q[i] + Lap(4/eps)\n    elif i < N:\n        r = q[i] + Lap(4/eps)\n        if r > most:\n            most = r\n    else:\n        r = q[i] + Lap(4/eps)\n        if r < most:\n            out.append(0)\nfor x in q:\n    if x + Lap(1/eps) > most:\n        out.append(1)\nreturn out"
    yield "watched", program(least), {"watches": (Followed("most", False),)}, "watched"
    yield "watched, the last", program(least), {"watches": (Followed("most", True),)}, "watched"
    yield "led", program(LARGEST.format("x = q[i] + Lap(2/eps)")), {}, "led"


CASES = {name: (sketch, ways, kind) for name, sketch, ways, kind in proofs()}


def alignments(product: Product, sketch: Sketch, kind: str) -> Iterator[Alignment]:
    rng = random.Random(kind)
    if kind == "once":
        yield Alignment((AtGhost(0, Form(Fraction(2)), Form()),), ("best",), (0,))
    elif kind == "led":
        for least in (False, True):
            yield Alignment((AtGhost(0, Form(cancel=True, lead=True), Form()),), ("best",), lead=FollowedSums((0,), least))
    elif kind == "watched":
        for loop in (0, 1):
            seen = (at_most(number(2), variable(ghost_symbol(Turn(loop), 1))),)
            yield Alignment((UP,) * len(sketch.draws), tuple(product.watched), closed=((loop, seen),))
    else:
        for turn in range(4):
            yield made_up(sketch, rng, turn)
            yield made_up_rules(sketch, rng, renewed=False)
        yield Alignment((UP,) * len(sketch.draws), reach=(parse_scale("2"), None)[: len(sketch.draws)])


@pytest.mark.parametrize("name", CASES)
def test_what_is_written_is_read_again(name: str) -> None:
    sketch, ways, kind = CASES[name]
    product, rng, read = build_product(sketch, frozenset(), **ways), random.Random(name), 0
    for neighbours, alignment in itertools.product(neighbours_of(sketch), alignments(product, sketch, kind)):
        shares = made_up_shares(product, sketch, rng)
        try:
            system = build_system(product, neighbours, alignment, shares, ())
        except Unsupported:
            continue
        invariant = {loop: tuple(s if s.sort == BOOL else at_most(variable(s), number(3)) for s in state) for loop, state in system.states.items()}
        proof = LengthProof(sketch, parse_scale("eps"), (), frozenset(), ways.get("delayed", False), (CaseProof(neighbours, alignment, shares, invariant),), ways.get("at_once", False), ways.get("parts", False), ways.get("watches", ()))
        assert proof.product() == product
        certificate = write_certificate(proof)
        found, stored, again = read_certificate(certificate)
        assert (found, again) == (proof, product)
        assert stored == [[obligation.script() for obligation in obligations(system, invariant)]]
        read += 1
    assert read


def test_what_follows_noise_that_does_not_tie_says_so() -> None:
    sketch, _, kind = CASES["led"]
    product = build_product(sketch, frozenset())
    alignment = next(alignments(product, sketch, kind))
    system = build_system(product, neighbours_of(sketch)[0], alignment, shares := made_up_shares(product, sketch, random.Random(1)), ())
    case = CaseProof(neighbours_of(sketch)[0], alignment, shares, dict.fromkeys(system.states, ()))
    text = write_certificate(LengthProof(sketch, parse_scale("eps"), (), frozenset(), False, (case,))).text
    read_certificate(Certificate(text))
    silent = text.replace(',\n  "noise is real: runs in which noise ties have probability 0 and are left out"', "")
    assert silent != text
    with pytest.raises(Rejected, match="assumptions in words"):
        read_certificate(Certificate(silent))
