"""Bounded proofs forged for programs that are not private: made of the program's own paths, with shifts that hide nothing.

Each needs one check of the re-check to be refused, and that is the check that must refuse it.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest

from kolahal.lang.adjacency import EachWithin, Monotone, OneWithin, SumWithin
from kolahal.lang.read.parse import parse
from kolahal.lang.scale import parse_scale
from kolahal.lang.sketch import Sketch
from kolahal.logic.linear import number, variable
from kolahal.paths.events import OutputCell, normal
from kolahal.paths.explore import explore
from kolahal.paths.state import Paths
from kolahal.paths.unknowns import AnswerAt, Atom, MoveAt, NoiseAt
from kolahal.proof.find.bounded import prove_bounded
from kolahal.proof.trusted.bounded import Budget, CaseCheck, find_budget, find_stop, recheck_bounded, settings_of
from kolahal.proof.trusted.passages import (
    MOST_CORNERS,
    Row,
    SizedProgram,
    TooLarge,
    find_no_bound,
    find_rows,
    move_answers,
    pinned_at,
    relation,
    shape,
    whole_moves,
    worst_changes,
)
from kolahal.settings import ProofSettings
from kolahal.verdicts import Bounded, Certificate, Unknown

pytestmark = pytest.mark.mutants
SETTINGS = ProofSettings()
STAY: dict[str, Any] = {"steps": {}, "cost": "0"}


def program(body: str, relation: str = "each_within(1)", private: str = "Private") -> Sketch:
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    return parse(f"@sketch(adjacent={relation})\ndef f(q: {private}, eps: Epsilon):\n{lines}\n")


def paths_of(sketch: Sketch, size: int) -> Paths:
    paths = explore(sketch, size, {}, SETTINGS.paths, ties=True)
    assert isinstance(paths, Paths)
    return paths


def forge(sketch: Sketch, active: Sequence[int] = (), shifts: Sequence[dict[str, Any]] = (STAY,), size: int = 1) -> Any:
    """A document with an event for each path, and the same shifts for every passage there may be."""
    cases = []
    for count in range(1 if sketch.private.table is None else size, size + 1):
        paths = paths_of(sketch, count)
        events = [
            {"paths": [i], "facets": [str(atom) for atom in normal(path.atoms)]} for i, path in enumerate(paths.paths)
        ]
        pieces = range(len(relation(sketch.adjacency, count)))
        places = range(len(events))
        passages = [
            {"from": i, "to": j, "piece": piece, "ends": None, "shifts": list(shifts)}
            for i, j in itertools.product(places, places)
            for piece in (*pieces, None)
        ]
        cases.append({"size": count, "arguments": {}, "active": list(active), "events": events, "passages": passages})
    return {"kind": "bounded", "program": str(sketch), "claim": "eps", "size": size, "cases": cases}


def said(document: Any, settings: ProofSettings = SETTINGS) -> str:
    return " ".join(recheck_bounded(Certificate(json.dumps(document)), settings))


def move(step: int | str, cost: int | str = 1) -> dict[str, Any]:
    return {"steps": {"noise1": str(step)}, "cost": str(cost)}


BOTH = (move(1), move(-1), STAY)
GIVEN = program("return q[0] + Lap(1/eps)")


def test_what_is_private_can_be_written_this_way_too() -> None:
    assert said(forge(GIVEN, [0], BOTH)) == "" and said(forge(program("return 1"))) == ""
    assert said(forge(program("return q[0] + DiscreteLap(1/eps)", private="Private[int]"), [0], BOTH)) == ""


LEAKS = {
    "an answer without noise": (program("return q[0]"), (), "no shift hides the move"),
    "noise that stays": (GIVEN, (), "no shift hides the move"),
    "a comparison without noise": (
        program("if q[0] > 0:\n    return 1\nreturn 0"),
        (),
        "has no noise, and a neighbour beyond it never gives the same output",
    ),
    "overlapping ways to an answer": (
        program("x = Lap(1/eps)\nif q[0] > 0:\n    if x > 5:\n        if x <= 10:\n            return 1\n        return 0\n    if x > q[0]:\n        return 1\n    return 0\nreturn 0"),
        (0,),
        "a comparison without noise decides which of several equal outputs is given",
    ),
    "a comparison with noise": (program("if q[0] + Lap(1/eps) > 0:\n    return 1\nreturn 0"), (0,), "no shift hides the move"),
}


@pytest.mark.parametrize("name", LEAKS)
def test_what_is_not_private_is_refused_for_the_right_reason(name: str) -> None:
    sketch, active, words = LEAKS[name]
    assert f": {words}" in said(forge(sketch, active)) or said(forge(sketch, active)).endswith(f" {words}")


@pytest.mark.parametrize("kept", [(move(1), STAY), (move(-1), STAY), BOTH[:2]])
def test_every_extreme_or_whole_move_must_be_hidden(kept: tuple[dict[str, Any], ...]) -> None:
    whole = program("return q[0] + DiscreteLap(1/eps)", private="Private[int]")
    assert "no shift hides the move" in said(forge(whole, [0], kept))
    hidden = said(forge(GIVEN, [0], kept))
    assert (hidden == "") is (kept == BOTH[:2]), "real moves between two extreme ones are mixtures of them"


@pytest.mark.parametrize(
    ("sketch", "shifts", "words"),
    [
        (GIVEN, (move(1, 2), move(-1, 2)), "a shift costs 1, above 1 or not what is written"),
        (GIVEN, (move(2, 2), move(-2, 2)), "a shift costs 2, above 1"),
        (program("return q[0] + Lap(1/(2*eps))"), (move(1, 2), move(-1, 2)), "a shift costs 2, above 1"),
        (program("return q[0] + Exp(1/eps)"), (move(1), move(-1)), "the shift of noise1 leaves the noise's support"),
        (program("return q[0] + DiscreteExp(1/eps)", private="Private[int]"), (move(1), move(-1)), "leaves the noise's support"),
        (program("return 2 * q[0] + DiscreteLap(1/eps)", private="Private[int]"), (move("1/2", "1/2"),), "is not a whole number"),
        (program("return q[0] + DiscreteLap(1/eps)"), BOTH, "an output with whole noise moves by less than a whole number"),
        (program("if q[0] + DiscreteLap(1/eps) > 0:\n    return 1\nreturn 0"), BOTH[2:], "no whole shift hides every move"),
        (program("return q[0] + Lap(1/eps**2)"), (move(1), move(-1)), "noise is shifted whose scale does not fit the claim"),
    ],
)
def test_shifts_must_be_possible_and_paid_for(sketch: Sketch, shifts: Any, words: str) -> None:
    assert words in said(forge(sketch, [0], shifts))


def test_a_whole_shift_that_does_for_all_moves_is_enough() -> None:
    sketch = program("if q[0] + DiscreteLap(1/eps) > 0:\n    return 1\nreturn 0")
    assert said(forge(sketch, [0], [move(1), move(-1)])) == ""


CLIPPED = program("x = q[0]\nif x > 1:\n    x = 1\nif x < 0:\n    x = 0\nreturn x + Lap(1/eps)")


def clipped() -> Any:
    found = prove_bounded(CLIPPED, size=1)
    assert isinstance(found, Bounded)
    return json.loads(found.certificate.text)


def bounded_passages(document: Any) -> list[Any]:
    return [p for p in document["cases"][0]["passages"] if p["ends"] is not None]


def test_changes_that_depend_on_the_database_need_bounds() -> None:
    assert said(clipped()) == "" and bounded_passages(clipped())
    document = clipped()
    for passage in bounded_passages(document):
        passage["ends"] = None
    assert "a change depends on the database, and no bounds are given" in said(document)
    for low, high in (("0", "1"), ("-1", "0")):
        document = clipped()
        for passage in bounded_passages(document):
            passage["ends"] = [[low, high] for _ in passage["ends"]]
        assert "goes beyond its bounds" in said(document)
    document = clipped()
    for passage in bounded_passages(document):
        passage["shifts"] = passage["shifts"][:1]
    assert "no shift leads from event" in said(document)


def test_whole_noise_does_not_make_up_for_a_change_that_depends_on_the_database() -> None:
    document = clipped()
    document["program"] = document["program"].replace("Private", "Private[int]").replace("Lap(", "DiscreteLap(")
    assert "an output with whole noise changes by an amount that depends on the database" in said(document)


# ---------------------------------------------------------------- moves and shapes

DISTANCES = (Fraction(1), Fraction(2), Fraction(3, 2), Fraction(1, 2))


@pytest.mark.parametrize("kind", [EachWithin, OneWithin, SumWithin, Monotone])
@pytest.mark.parametrize("distance", DISTANCES)
def test_whole_moves_are_all_of_them(kind: Any, distance: Fraction) -> None:
    adjacency = kind(distance)
    for size in (1, 2, 3):
        every = itertools.product([Fraction(s) for s in range(-3, 4)], repeat=size)
        found = list(whole_moves(adjacency, size))
        assert sorted(found) == sorted(move for move in every if adjacency.allows(move))
        assert {type(step) for move in found for step in move} <= {Fraction}


@pytest.mark.parametrize("kind", [EachWithin, OneWithin, SumWithin, Monotone])
def test_pieces_hold_every_move_and_no_other(kind: Any) -> None:
    adjacency = kind(Fraction(3, 2))
    steps = [Fraction(n, 2) for n in range(-4, 5)]
    for size in (1, 2):
        pieces = relation(adjacency, size)
        for move_ in itertools.product(steps, repeat=size):
            values = {MoveAt(i): step for i, step in enumerate(move_)}
            inside = [
                all(atom.form.at(values) < 0 or (not atom.strict and atom.form.at(values) == 0) for atom in piece.atoms)
                and all(step == 0 for i, step in enumerate(move_) if i not in piece.places)
                for piece in pieces
            ]
            assert any(inside) == adjacency.allows(move_)


@pytest.mark.parametrize("kind", [OneWithin, SumWithin])
@pytest.mark.parametrize("distance", [Fraction(1), Fraction(2), Fraction(5, 2)])
def test_bits_that_are_turned_over_were_what_they_no_longer_are(kind: Any, distance: Fraction) -> None:
    adjacency = kind(distance)
    for size in (1, 2, 3):
        pieces = relation(adjacency, size, bits=True)
        for bits in itertools.product((0, 1), repeat=size):
            for after in itertools.product((0, 1, 2), repeat=size):
                step = [Fraction(b - a) for a, b in zip(bits, after)]
                at = {AnswerAt(i): a for i, a in enumerate(bits)} | {MoveAt(i): s for i, s in enumerate(step)}
                inside = [piece for piece in pieces if all(atom.holds(at) for atom in piece.atoms) and {i for i, s in enumerate(step) if s} <= set(piece.places)]
                allowed = 2 not in after and (sum(map(abs, step)) <= distance if kind is SumWithin else sum(map(abs, step)) <= 1)
                assert len(inside) == allowed, (bits, after)


def test_too_many_bits_are_not_looked_at_and_nor_are_records_without_bounds() -> None:
    words = "the bits of more than 7 answers are turned over in too many ways"
    assert find_no_bound(SumWithin(Fraction(1)), 8, True) == words and find_no_bound(EachWithin(Fraction(1)), 9, True) == words
    for adjacency, size, bits in ((SumWithin(Fraction(1)), 7, True), (OneWithin(Fraction(1)), 8, True), (SumWithin(Fraction(1)), 8, False)):
        assert find_no_bound(adjacency, size, bits) == ""


def test_records_that_move_an_aggregate_by_any_amount_are_not_hidden() -> None:
    head = "@sketch(adjacent=add_remove(1))\ndef f(xs: Records, eps: Epsilon):\n"
    bounded = parse(head + "    return sum(clip(x, 0, 1) for x in xs) + Lap(1/eps)\n")
    document = forge(bounded, [0], BOTH)
    assert said(document) == ""
    document["program"] = str(parse(head + "    return sum(x for x in xs) + Lap(1/eps)\n"))
    assert said(document) == "one record can move sum(record for record in xs) by any amount; clip what it adds up"


def test_a_place_may_be_chosen_by_noise_that_stays_where_its_scores_do() -> None:
    shifts = tuple({"steps": {"noise2": step}, "cost": "1"} for step in ("1", "-1"))
    told = "j = choose([1, 2], 2/eps)\nreturn j, q[0] + Lap(1/eps)"
    assert said(forge(program(told), [1], (*shifts, STAY))) == ""
    private = program(told.replace("[1, 2]", "[q[0], 2]"), private="Private[1]")
    assert "no shift hides the move" in said(forge(private, [1], (*shifts, STAY)))


def test_a_run_that_answers_at_a_tie_alone_does_not_answer() -> None:
    assert find_stop(program("x = q[0] + Lap(1/eps)\nif x == 0:\n    return 0\nreturn 1/0"), 1, SETTINGS).startswith("every run with up to 1 answers stops")


def test_a_coin_is_pinned_by_both_its_sides() -> None:
    coin, other = NoiseAt(0, ()), NoiseAt(1, ())
    x, y = variable(coin), variable(other)

    def pinned(*facets: Atom) -> int | None:
        return pinned_at(OutputCell((0,), facets, 1), coin)

    one = number(1)
    assert pinned(Atom(x, False), Atom(-x, False)) == 0 and pinned(Atom(one - x, False), Atom(x - one, False)) == 1
    assert pinned() is None and pinned(Atom(x, False)) is None and pinned(Atom(-x, False)) is None
    assert pinned(Atom(x, True), Atom(-x, False)) is None and pinned(Atom(x, False), Atom(-x, True)) is None
    assert pinned(Atom(y, False), Atom(-y, False)) is None and pinned(Atom(x - one - one, False), Atom(one + one - x, False)) is None


COIN = program("return q[0] != Flip(1/eps)", "one_within(1)", "Private[bool, 1]")


def test_coins_are_turned_over_where_events_say_how_they_fell() -> None:
    found = prove_bounded(COIN, size=1)
    document = json.loads(found.certificate.text)
    assert said(document) == ""
    turned = [s for p in document["cases"][0]["passages"] for s in p["shifts"] if s["steps"]]
    assert turned and {abs(Fraction(step)) for s in turned for step in s["steps"].values()} == {1}
    for s in turned:
        s["steps"] = {name: str(-Fraction(step)) for name, step in s["steps"].items()}
    assert "is turned over between events that do not say how it fell" in said(document)
    for s in turned:
        s["steps"], s["cost"] = {}, "0"
    assert "no shift hides the move" in said(document)


UNITS = """
class Visit(NamedTuple):
    age: float

@sketch(adjacent=add_remove(1))
def f(visits: Records[Visit], top: float, eps: Epsilon):
    a = sum(clip(v.age, 0, top) for v in visits)
    b = len(visits)
    {}
"""

@pytest.mark.parametrize(
    ("body", "active", "words"),
    [
        ("return a + Lap(2*top/eps), b + Lap(2/eps)", [0, 1], "no shift hides the move (0, 1)"),
        ("return a + b + Lap(2*top/eps)", [0], "it adds or compares numbers that move by different units: 1, top"),
        ("return a + Lap(2/eps)", [0], "it adds or compares numbers that move by different units: 1, top"),
        ("return b + Lap(2*top/eps)", [0], "it adds or compares numbers that move by different units: 1, top"),
        ("return a + Lap(2*top/eps) + Lap(2/eps)", [0, 1], "it adds or compares numbers that move by different units: 1, top"),
        ("x = Lap(1/eps)\n    if a > 0:\n        return x\n    return x + 1", [0], "a comparison without noise is of numbers that move by public units"),
        ("if a + Lap(top/eps) > 3:\n        return 1\n    return 0", [0], "no shift hides the move"),
    ],
)
def test_numbers_that_move_by_different_units_are_not_added(body: str, active: list[int], words: str) -> None:
    sketch = parse(UNITS.format(body))
    assert words in said(forge(sketch, active, size=sketch.private.count or 0))


def case_of(sketch: Sketch, size: int) -> SizedProgram:
    return SizedProgram(paths_of(sketch, size), (), ())


def test_the_worst_change_of_each_row_is_over_all_moves() -> None:
    case = case_of(program("return q[0] + DiscreteLap(1/eps)", "each_within(2)"), 2)
    noise = variable(NoiseAt(0, ()))
    first, second = variable(MoveAt(0)), variable(MoveAt(1))
    rows = [Row(noise, form, False) for form in (first, first - second, second - first - first)]
    assert worst_changes(case, rows) == (2, 4, 6)
    stays = Row(noise, first - first, True)
    assert worst_changes(case, [stays]) == (0,)
    moves = worst_changes(case, [Row(noise, first, True)])
    assert isinstance(moves, Unknown) and not isinstance(moves, TooLarge) and "declare whole answers" in moves.reason
    assert worst_changes(case, []) == ()


def test_too_many_moves_are_not_looked_at() -> None:
    sketch = program("return DiscreteLap(1/eps)")
    assert MOST_CORNERS == 2**12 and not isinstance(worst_changes(case_of(sketch, 12), []), Unknown)
    found = worst_changes(case_of(sketch, 13), [])
    assert isinstance(found, TooLarge) and found.reason == "an event has more than 4096 extreme neighbours"


def test_events_of_one_shape_have_the_same_noise_and_answer() -> None:
    def shapes(body: str, active: Sequence[int]) -> list[object]:
        sketch = program(body)
        document = forge(sketch, active)
        recheck = CaseCheck(sketch, find_budget(sketch, parse_scale("eps"), 1, {}), 1, {}, SETTINGS, document["cases"][0])
        return [shape(event, recheck.active, False) for event in recheck.case.events]

    apart = shapes("if q[0] > 0:\n    if Lap(1/eps) > 0:\n        return 1\n    return 0\nif Lap(1/eps) > 0:\n    return 1\nreturn 0", [0, 1])
    assert len(set(apart)) == len(apart) == 4
    alike = shapes("x = Lap(1/eps)\nif q[0] > 0:\n    if x > 0:\n        return 1\n    return 0\nif x > 0:\n    return 1\nreturn 0", [0])
    assert len(alike) == 4 and len(set(alike)) == 2
    strict = shapes("x = Lap(1/eps)\nif q[0] > 0:\n    if x > 0:\n        return 1\n    return 0\nif x >= 0:\n    return 1\nreturn 0", [0])
    assert len(strict) == 4 and len(set(strict)) == 4
    scaled = shapes("x = Lap(1/eps)\nif q[0] > 0:\n    return 2 * x\nreturn x", [0])
    assert len(set(scaled)) == 2


# ---------------------------------------------------------------- single checks


def test_noise_that_stays_does_not_hide_what_comes_after_it() -> None:
    body = "x = Lap(1/eps)\ny = Lap(2/eps)\nif y > 0:\n    if q[0] + x > 0:\n        return 1\n    return 0\nreturn 2"
    assert "no shift hides the move" in said(forge(program(body), [0]))


def test_a_proof_for_fewer_answers_than_declared_is_none() -> None:
    sketch = program("return q[0] + Lap(1/eps)", private="Private[3]")
    document = forge(sketch, [0], BOTH, size=3)
    assert said({**document, "cases": document["cases"][2:]}) == ""
    fewer = {**document, "size": 2, "cases": document["cases"][1:2]}
    assert said(fewer) == "2 is not a number of answers that it can be about"
    assert said({**document, "size": 0, "cases": []}) == "0 is not a number of answers that it can be about"


def test_rows_compare_facets_with_the_same_noise() -> None:
    x, y = variable(NoiseAt(0, ())), variable(NoiseAt(1, ()))
    q0, q1, d1 = variable(AnswerAt(0)), variable(AnswerAt(1)), variable(MoveAt(1))
    source = OutputCell((0,), (Atom(x - q0, True), Atom(y - q1 + number(100), True), Atom(x + q1, False)), 1)
    target = OutputCell((1,), (Atom(q0, True), Atom(x - q1, True)), 1)
    rows = find_rows(source, target, frozenset({0, 1}), move_answers([0, 1]))
    assert rows == (Row(x, q0 - q1 - d1, False),)
    several = OutputCell((0,), (Atom(x - q0, True), Atom(x - q1 + number(1), True), Atom(x - q1, True), Atom(x - q1, False)), 1)
    assert find_rows(several, target, frozenset({0, 1}), move_answers([0, 1])) == (Row(x, -d1 - number(1), False),), "the one that asks least"


def test_a_program_that_always_stops_has_no_proof() -> None:
    body = "return q[1] / (q[0] - q[0]) + Lap(1/eps)"
    for sketch, words in (
        (program(body), "every run with up to 2 answers stops with an error: K401, K402"),
        (program(body, private="Private[2]"), "every run with 2 answers stops with an error: K402"),
    ):
        assert find_stop(sketch, 2, SETTINGS) == words
    assert find_stop(GIVEN, 2, SETTINGS) == ""
    few = ProofSettings(paths=1)
    branching = program("if q[0] + Lap(1/eps) > 0:\n    return 1\nreturn 0")
    assert find_stop(branching, 1, few) == "every run with up to 1 answers stops with an error: "


def test_a_program_that_breaks_what_it_asserts_has_no_proof() -> None:
    head = "@sketch(adjacent=each_within(1))\ndef f(q: Private, N: int, T: float, eps: Epsilon):\n    assert {}\n    return q[{}] + Lap(1/eps)\n"
    assert find_stop(parse(head.format("N > 3", 0)), 1, SETTINGS) == "what the program asserts is broken at N from 1 to 3"
    assert find_stop(parse(head.format("N > 2", 0)), 1, SETTINGS) == ""
    assert find_stop(parse(head.format("N > 2", 1)), 1, SETTINGS) == "every run with up to 1 answers stops with an error: K401"
    fixed = parse(head.format("2 < 1", 0).replace("N: int, ", ""))
    assert find_stop(fixed, 1, SETTINGS) == "what the program asserts is broken everywhere"


def test_a_passage_says_which_piece_it_is_about() -> None:
    document = forge(GIVEN, [0], BOTH)
    for passage in document["cases"][0]["passages"]:
        del passage["piece"]
    assert said(document).startswith("it is not a certificate: Malformed: piece is None")


def test_one_sided_noise_may_stay_where_it_is() -> None:
    stays = {"steps": {"noise1": "0"}, "cost": "0"}
    assert said(forge(program("return Exp(1/eps)"), [0], [stays])) == ""
    assert "leaves the noise's support" in said(forge(program("return Exp(1/eps)"), [0], [move("-1/9", "1/9")]))


def test_a_program_with_too_many_paths_has_no_proof() -> None:
    document = forge(program("if q[0] + Lap(1/eps) > 0:\n    return 1\nreturn 0"), [0], BOTH)
    assert said(document) == ""
    refused = said(document, ProofSettings(paths=1))
    assert refused.startswith("the program has no such proof: ") and "paths" in refused and "Budget" not in refused


def test_an_event_has_one_answer_and_the_facets_of_its_paths() -> None:
    sketch = program("if q[0] + Lap(1/eps) > 0:\n    return 1\nreturn 0")
    document = forge(sketch, [0], BOTH)
    case = document["cases"][0]
    case["events"] = [{"paths": [0, 1], "facets": []}]
    assert said(document) == "1 answer: an event has two different outputs"
    document = forge(program("if q[0] + Lap(1/eps) > 0:\n    return 1\nreturn 1"), [0], BOTH)
    document["cases"][0]["events"] = [{"paths": [0, 1], "facets": []}]
    assert said(document) == "", "what is everything has no facets"
    document["cases"][0]["events"][0]["facets"] = forge(sketch)["cases"][0]["events"][0]["facets"]
    assert said(document) == "1 answer: the facets of an event are not those of its paths"
    document = forge(sketch, [0], [STAY])
    for event in document["cases"][0]["events"]:
        event["facets"] = []
    assert said(document) == "1 answer: the facets of an event are not those of its paths"


ALL_KINDS = parse(
    "@sketch(adjacent=each_within(1))\ndef f(q: Private, N: int, on: bool, T: float, eps: Epsilon):\n"
    "    return q[0] + Lap(2/eps) + Lap(3*N/eps) + Lap(1/eps**2) + Lap(T/eps) + Lap(len(q)/eps) + Lap(1)\n"
)


def test_all_arguments_and_sizes_are_covered() -> None:
    whole = [Fraction(1), Fraction(2), Fraction(3)]
    every = [({"N": n, "on": on}, size) for n in whole for on in (False, True) for size in (1, 2)]
    assert list(settings_of(ALL_KINDS, 2)) == every
    counted = program("return q[0] + Lap(1/eps)", private="Private[3]")
    assert list(settings_of(counted, 3)) == [({}, 3)] and list(settings_of(GIVEN, 3)) == [({}, 1), ({}, 2), ({}, 3)]


def test_prices_and_limits() -> None:
    usual = {0: Fraction(1, 2), 1: Fraction(1, 6), 4: Fraction(1, 3)}
    for claim, prices, limit in (
        ("eps", usual, 1),
        ("2*eps", usual, 2),
        ("len(q)*N*eps", usual, 6),
        ("eps**2", {2: Fraction(1)}, 1),
        ("2", {5: Fraction(1)}, 2),
    ):
        arguments = {"N": Fraction(2), "on": True}
        assert find_budget(ALL_KINDS, parse_scale(claim), 3, arguments) == Budget(prices, Fraction(limit))
    for claim in ("T*eps", "K*eps", "eps*on"):
        found = find_budget(ALL_KINDS, parse_scale(claim), 3, {"N": Fraction(2), "on": True})
        assert found == Unknown(f"the claim {claim} uses a quantity without a fixed value")
    holes = program("return q[0] + Lap(hole)")
    assert find_budget(holes, parse_scale("eps"), 3, {}) == Unknown("the program has holes")
    counted = parse("@sketch(adjacent=each_within(1))\ndef f(q: Private, eps: Epsilon):\n    return q[0] + Lap(1/eps)\n")
    assert find_budget(counted, parse_scale("len(q)*eps"), 3, {}) == Budget({0: Fraction(1)}, Fraction(3))
