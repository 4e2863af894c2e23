"""Pieces that few proofs have: parts of documents, written, read, and refused; and relations of records."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
import stored
from every_length import load
from test_obligations import made_up_invariant

from digests import agrees, digest
from kolahal.lang.adjacency import Adjacency, EachWithin, Monotone, OneWithin, SumWithin
from kolahal.lang.noise import Noise
from kolahal.lang.read.parse import parse
from kolahal.lang.records.moves import RecordRelation
from kolahal.lang.scale import parse_scale
from kolahal.lang.sketch import Sketch
from kolahal.paths.unknowns import MoveAt
from kolahal.proof.trusted import certificate
from kolahal.proof.trusted.budget import Share, within_claim
from kolahal.proof.trusted.certificate import MOST_LEVELS, UNTIED, Rejected, describe_assumptions, read_verdict
from kolahal.proof.trusted.documents import Malformed
from kolahal.proof.trusted.neighbours import MOST_GHOSTS, Neighbours, enclosing, least_length, neighbours_of
from kolahal.proof.trusted.obligations import obligations
from kolahal.proof.trusted.passages import find_no_bound, relation
from kolahal.proof.trusted.product import build_product, build_system
from kolahal.proof.trusted.shifts import (
    Alignment,
    Always,
    AtGhost,
    AtValue,
    ByBranch,
    FollowedSums,
    Form,
    Shift,
    ShiftRule,
    describe_form,
    describe_shift,
)
from kolahal.proof.trusted.values import Unsupported
from kolahal.verdicts import AnyRecords, AtLeast, Certificate, Everywhere, NoTies, Proved

pytestmark = pytest.mark.mutants

PLAIN, OTHER = Form(Fraction(-3, 2)), Form(Fraction(1), True, "x", True)
FORM = {"units": "-3/2", "cancel": False, "follow": None}
WAYS = {"then": FORM, "else": {"units": "1", "cancel": True, "follow": "x", "lead": True}}
RULES: list[tuple[ShiftRule, dict[str, Any]]] = [
    (PLAIN, FORM),
    (OTHER, WAYS["else"]),
    (ByBranch(2, PLAIN, OTHER), {"rule": "branch", "branch": 2, **WAYS}),
    (ByBranch((2, 1), PLAIN, OTHER), {"rule": "branch", "branch": 2, "part": 1, **WAYS}),
    (ByBranch((2, 0), PLAIN, OTHER), {"rule": "branch", "branch": 2, "part": 0, **WAYS}),
    (AtGhost(-1, PLAIN, OTHER), {"rule": "ghost", "offset": -1, **WAYS}),
    (AtGhost(0, PLAIN, OTHER, 1), {"rule": "ghost", "which": 1, "offset": 0, **WAYS}),
    (AtValue("x", None, -2, PLAIN, OTHER), {"rule": "value", "name": "x", "of": None, "plus": -2, **WAYS}),
    (AtValue("x", "N", 0, PLAIN, OTHER), {"rule": "value", "name": "x", "of": "N", "plus": 0, **WAYS}),
]


@pytest.mark.parametrize(("rule", "written"), RULES)
def test_rules_of_shifts_are_written_and_read(rule: ShiftRule, written: dict[str, Any]) -> None:
    assert json.dumps(certificate._write_rule(rule)) == json.dumps(written) and certificate._read_rule(written) == rule
    assert repr(certificate._read_rule(written)) == repr(rule), "numbers and truths are told apart"
    if isinstance(rule, Form):
        always = {"rule": "always", "then": written}
        assert certificate._write_shift(Always(rule)) == always and certificate._read_shift(always) == Always(rule)
    else:
        assert certificate._write_shift(rule) == written and certificate._read_shift(written) == rule


@pytest.mark.parametrize(("rule", "written"), RULES)
def test_rules_with_a_part_of_another_kind_or_without_it_are_refused(rule: Shift, written: dict[str, Any]) -> None:
    free = {"lead", "part", "which"}  # what need not be there
    for name in written:
        for value in (1.5, [], object()):
            with pytest.raises((Rejected, Malformed)):
                certificate._read_rule({**written, name: value})
        if name not in {*free, "rule"}:
            with pytest.raises((Rejected, Malformed)):
                certificate._read_rule({n: v for n, v in written.items() if n != name})
    for name in free & written.keys():
        left = certificate._read_rule({n: v for n, v in written.items() if n != name})
        shown = {"lead": OTHER, "part": ByBranch(2, PLAIN, OTHER), "which": AtGhost(0, PLAIN, OTHER)}[name]
        assert repr(left) == repr(replace(OTHER, lead=False) if name == "lead" else shown)


def test_rules_are_of_known_kinds_and_not_too_deep() -> None:
    def nested(levels: int) -> dict[str, Any]:
        rule: dict[str, Any] = FORM
        for _ in range(levels):
            rule = {"rule": "branch", "branch": 0, "then": FORM, "else": rule}
        return rule

    assert isinstance(certificate._read_rule(nested(MOST_LEVELS)), ByBranch)
    with pytest.raises(Rejected) as caught:
        certificate._read_rule(nested(MOST_LEVELS + 1))
    assert str(caught.value) == f"a rule for a shift has more than {MOST_LEVELS} levels"
    for kind in ("always", "often", "ghost "):
        with pytest.raises(Rejected) as caught:
            certificate._read_rule({"rule": kind, **WAYS})
        assert str(caught.value) == f"there is no rule {kind!r} for a shift"
    with pytest.raises(Rejected, match=r"^what is always so is not one form$"):
        certificate._read_shift({"rule": "always", "then": nested(1)})
    for shift in (FORM, {"rule": 3, **WAYS}, {"rule": "always"}, {"rule": "always", "then": []}):
        with pytest.raises(Malformed):
            certificate._read_shift(shift)


def test_ghosts_are_written_and_read() -> None:
    for ghosts, written in (((), None), (("a",), "a"), (("a", "b"), ["a", "b"])):
        assert certificate._write_ghosts(ghosts) == written and certificate._read_ghosts({"ghost": written}) == ghosts
    most = [f"g{n}" for n in range(MOST_GHOSTS)]
    assert certificate._read_ghosts({"ghost": most}) == tuple(most)
    for told in ([], ["a"], [*most, "more"]):
        with pytest.raises(Rejected) as caught:
            certificate._read_ghosts({"ghost": told})
        assert str(caught.value) == f"runs are sorted by at most {MOST_GHOSTS} variables"
    for item in ({}, {"ghost": 3}, {"ghost": ["a", 3]}, {"ghost": ["a", None]}):
        with pytest.raises(Malformed, match="ghost"):
            certificate._read_ghosts(item)


def test_names_are_texts_or_null() -> None:
    assert certificate._name({"of": None}, "of") is None and certificate._name({"of": "N"}, "of") == "N"
    for item in ({}, {"of": 3}, {"of": True}):
        with pytest.raises(Malformed, match=r"^of is"):
            certificate._name(item, "of")


def test_where_ghosts_begin_anew_is_read() -> None:
    read = certificate._read_renewed
    assert read({}, 2) == () and read({"renewed": [None, 0]}, 2) == (None, 0) and read({"renewed": []}, 0) == ()
    for told in ([None], [None, 0, 1], [None, True], ["0", None], [0.0, None]):
        with pytest.raises(Rejected, match=r"^where ghosts are renewed is not one loop, or null, for each ghost$"):
            read({"renewed": told}, 2)
    with pytest.raises(Malformed, match=r"^renewed is"):
        read({"renewed": 0}, 1)


def test_what_shifts_follow_is_read() -> None:
    lead = FollowedSums((0, 2), True)
    for given, written in ((None, {}), (lead, {"lead": {"sites": [0, 2], "least": True}})):
        assert certificate._write_lead(given) == written and certificate._read_lead(written) == given
    assert certificate._read_lead({"lead": {"sites": [1], "least": False}}) == FollowedSums((1,), False)
    for told in (None, {}, {"sites": [0]}, {"least": True}, {"sites": 0, "least": True}, {"sites": [True], "least": True}, {"sites": [0], "least": 1}):
        with pytest.raises(Malformed):
            certificate._read_lead({"lead": told})


def test_how_far_shifts_reach_is_read() -> None:
    read = certificate._read_reach
    assert read({}, 2) == () and read({"reach": [None, "2/eps"]}, 2) == (None, parse_scale("2/eps")) and read({"reach": [1]}, 1) == (parse_scale("1"),)
    for told in ([], [None], [None] * 3):
        with pytest.raises(Rejected, match=r"^the reach of the shifts is not one number for each draw$"):
            read({"reach": told}, 2)
    with pytest.raises(Malformed, match=r"^reach is"):
        read({"reach": None}, 1)


# ---------------------------------------------------------------- a case with all of them


def sketch() -> Sketch:
    return load(
        "@sketch(adjacent=each_within(1))\ndef f(q: Private, k: int, eps: Epsilon):\n    out = []\n    for t in range(k):\n        best = 0\n"
        "        for i in range(len(q)):\n            if q[i] + Lap(2*k/eps) > 3:\n                best = i\n        out.append(best)\n    return out\n"
    )


def written(alignment: Alignment, delayed: bool = False, at_once: bool = False) -> Any:
    program = sketch()
    neighbours = neighbours_of(program)[0]
    case = certificate.CaseProof(neighbours, alignment, (), {})
    proof = certificate.LengthProof(program, parse_scale("eps"), (), frozenset(), delayed, (case,), at_once)
    return json.loads(certificate.write_certificate(proof).text)


def test_only_what_is_there_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = stored.certificate("histogram")  # it is kept for all tests, so it is made of what is not replaced
    monkeypatch.setattr(certificate, "case_obligations", lambda product, assumed, case: ())
    shift = AtGhost(0, PLAIN, Form())
    plain = written(Alignment((shift,)))
    assert {"delayed", "at once"}.isdisjoint(plain) and {"renewed", "lead", "reach"}.isdisjoint(plain["cases"][0])
    assert UNTIED not in plain["assumptions"]
    proof = certificate.read_certificate(kept)[0]
    assert certificate.write_certificate(proof).text.startswith('{\n "version": 1,\n "scope": ') and proof.sketch == stored.program("histogram")
    assert "renewed" not in written(Alignment((shift,), ("best",), (None,)))["cases"][0]
    case = written(Alignment((shift,), ("best",), (0,)), delayed=True)["cases"][0]
    assert case["renewed"] == [0] and case["ghost"] == "best"
    assert written(Alignment((shift,), ("best",), (0,)), delayed=True)["delayed"] is True
    assert written(Alignment((shift,)), at_once=True)["at once"] is True
    led = written(Alignment((shift,), reach=(parse_scale("1"),), lead=FollowedSums((0,))))
    assert led["cases"][0]["reach"] == ["1"] and led["cases"][0]["lead"] == {"sites": [0], "least": False}
    assert led["assumptions"][-1] == UNTIED
    assert written(Alignment((shift,), reach=(None,)))["cases"][0]["reach"] == [None]


def test_a_case_with_all_of_them_is_read_back() -> None:
    proof = certificate.LengthProof(sketch(), parse_scale("eps"), (), frozenset(), True, ())
    shares = tuple(certificate.Share(powers, Fraction(1, 2), "k") for powers in proof.product().monomials)
    alignment = Alignment((AtGhost(0, PLAIN, Form()),), ("best",), (1,), (parse_scale("3"),))
    empty = certificate.CaseProof(neighbours_of(proof.sketch)[0], alignment, shares, {})
    loops = certificate.build_system(proof.product(), empty.neighbours, alignment, shares, ()).states
    case = replace(empty, invariant=dict.fromkeys(loops, ()))
    text = certificate.write_certificate(replace(proof, cases=(case,)))
    back, scripts, _ = certificate.read_certificate(text)
    assert back == replace(proof, cases=(case,)) and repr(back.delayed) == "True" and repr(back.at_once) == "False"
    assert [len(own) for own in scripts] == [len(json.loads(text.text)["cases"][0]["obligations"])] and scripts[0]
    for key, value in (("delayed", 1), ("at once", None), ("delayed", "yes"), ("at once", 0)):
        with pytest.raises(Rejected, match=f"{key} is .*, and not of the right form"):
            certificate.read_certificate(Certificate(json.dumps({**json.loads(text.text), key: value})))


def test_a_proof_over_real_noise_says_so() -> None:
    assert describe_assumptions(sketch(), (), True) == [*describe_assumptions(sketch(), ()), UNTIED]
    bits = load("@sketch(adjacent=one_within(1))\ndef f(q: Private[bool], eps: Epsilon):\n    return q[0] != Flip(1/eps)\n")
    assert describe_assumptions(bits, ())[-1] == "the private answers are truth values"
    document = stored.certificate("svt").document()
    for case in document["cases"]:
        case["lead"] = {}
    program = stored.program("svt")
    for changed in (document, {"proof": document}):
        said = read_verdict(program, parse_scale("eps"), Certificate(json.dumps(changed)))
        assert (said.scope, said.assumed) == (Everywhere(), (AtLeast("N"), NoTies()))
    records = parse(RECORDS.format(relation="add_remove(1)", body="len(visits) + Lap(1/eps)"))
    assert read_verdict(records, parse_scale("eps"), Certificate(json.dumps(document))) == Proved(
        Certificate(json.dumps(document)), AnyRecords(), (NoTies(),)
    )
    assert read_verdict(records, parse_scale("eps"), stored.certificate("svt")) == Proved(stored.certificate("svt"), AnyRecords(), ())


# ---------------------------------------------------------------- relations of records

RECORDS = """
class Visit(NamedTuple):
    age: Between(0, 100)
    score: Between(-2, 2)
    day: Between(0, 6, whole=True)

@sketch(adjacent={relation})
def f(visits: Records[Visit], days: int, lo: float, hi: float, eps: Epsilon):
    return {body}
"""
DAYS = "[sum(1 for v in visits if v.day {} d) + Lap(1/eps) for d in range({})]"
BOTH_HALVES = "sum(1 for v in visits if v.age < 3), sum(1 for v in visits if v.age >= 3) + Lap(1/eps)"


@pytest.mark.parametrize(
    ("relation", "body", "contained"),
    [
        ("add_remove(1)", "len(visits) + Lap(1/eps)", OneWithin(Fraction(1))),
        ("add_remove(3)", "len(visits) + Lap(1/eps)", SumWithin(Fraction(3))),
        ("add_remove(1)", "sum(v.age for v in visits) + Lap(1/eps)", OneWithin(Fraction(100))),
        ("replace(1)", "sum(v.score for v in visits) + Lap(1/eps)", SumWithin(Fraction(4))),
        ("add_remove(1)", BOTH_HALVES, OneWithin(Fraction(1))),
        ("replace(1)", BOTH_HALVES, SumWithin(Fraction(2))),
        ("add_remove(1)", DAYS.format(">", 3), Monotone(Fraction(1))),
        ("replace(1)", DAYS.format(">", 3), EachWithin(Fraction(1))),
        ("add_remove(1)", DAYS.format(">", 2), SumWithin(Fraction(2))),
        ("add_remove(1)", DAYS.format("==", 7), OneWithin(Fraction(1))),
        ("add_remove(1)", DAYS.format("==", "days"), OneWithin(Fraction(1))),
        ("replace(1)", DAYS.format("==", "days"), SumWithin(Fraction(2))),
        ("add_remove(1)", DAYS.format(">", "days"), Monotone(Fraction(1))),
        ("add_remove(2)", DAYS.format(">", "days"), EachWithin(Fraction(2))),
    ],
)
def test_relations_of_records_are_inside_those_of_answers(relation: str, body: str, contained: Adjacency) -> None:
    program = parse(RECORDS.format(relation=relation, body=body))
    assert enclosing(program.adjacency) == contained
    kinds = {EachWithin: ("each",), OneWithin: ("one",), SumWithin: ("sum",), Monotone: ("up", "down")}[type(contained)]
    assert neighbours_of(program) == tuple(Neighbours(kind, contained.distance, program.private.whole) for kind in kinds)
    if "days" not in body:
        adjacency = program.adjacency
        assert isinstance(adjacency, RecordRelation) and program.private.count
        assert all(contained.allows(move) for move in adjacency.vertices(program.private.count))


@pytest.mark.parametrize("way", ["add_remove(1)", "add_remove(2)", "replace(1)"])
def test_pieces_of_records_are_boxes_around_their_moves(way: str) -> None:
    body = "sum(v.age for v in visits if v.score > 0) + sum(v.score for v in visits) + Lap(1/eps)"
    adjacency = parse(RECORDS.format(relation=way, body=body)).adjacency
    assert isinstance(adjacency, RecordRelation)
    pieces, boxes = relation(adjacency, 2), adjacency.at(2).boxes()
    assert len(pieces) == len(boxes) and all(piece.places == (0, 1) for piece in pieces)
    for piece, box in zip(pieces, boxes, strict=True):
        ends = [sorted({*pair, pair[0] - 1, pair[1] + 1}) for pair in box]
        for point in itertools.product(*ends):
            inside = all(atom.holds({MoveAt(i): step for i, step in enumerate(point)}) for atom in piece.atoms)
            assert inside == all(low <= step <= high for step, (low, high) in zip(point, box, strict=True))
    held = [[atom.holds({MoveAt(i): step for i, step in enumerate(move)}) for atom in piece.atoms] for move in adjacency.vertices(2) for piece in pieces]
    assert sum(map(all, held)) >= len(list(adjacency.vertices(2)))


def test_records_without_bounds_are_told_by_what_adds_them_up() -> None:
    text = "@sketch(adjacent=add_remove(1))\ndef f(xs: Records, eps: Epsilon):\n    return len(xs) + sum(x for x in xs) + Lap(1/eps)\n"
    adjacency = parse(text).adjacency
    reason = find_no_bound(adjacency, 2, False)
    assert reason == f"one record can move {adjacency.show(1)} by any amount; clip what it adds up"  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("relation", "body", "words"),
    [
        ("replace(1)", "len(visits) + Lap(1/eps)", "the aggregates of the records do not move"),
        ("add_remove(1)", "sum(v.age for v in visits) + len(visits) + Lap(1/eps)", "the aggregates of the records move by different distances"),
        ("add_remove(1)", "sum(clip(v.age, lo, hi) for v in visits) + Lap(1/eps)", "the aggregates of the records move by multiples of public bounds"),
        ("add_remove(1)", "sum(v.free for v in visits) + Lap(1/eps)", "one record can move an aggregate by any amount"),
    ],
)
def test_relations_of_records_that_no_relation_of_answers_holds_are_refused(relation: str, body: str, words: str) -> None:
    program = parse(RECORDS.replace("day:", "free: float\n    day:").format(relation=relation, body=body))
    with pytest.raises(Unsupported) as caught:
        neighbours_of(program)
    assert str(caught.value) == words


# ---------------------------------------------------------------- what few alignments say

ABOVE = "t = T + {0}(2/eps)\n    for i in range(len(q)):\n        if q[i] + {0}(4*N/eps) > t:\n            return i\n    return 0"
UP, TWO, STAY = Form(Fraction(1)), Form(Fraction(2)), Form()
FOUND = (Always(UP), ByBranch(0, TWO, STAY))
FEW: dict[str, tuple[str, str, Alignment]] = {
    "found": ("Lap", "each_within(1)", Alignment(FOUND)),
    "reach": ("Lap", "each_within(2)", Alignment(FOUND, reach=(parse_scale("1"), parse_scale("2")))),
    "reach of one": ("Lap", "each_within(1)", Alignment(FOUND, reach=(None, parse_scale("2/3")))),
    "reach of the length": ("Lap", "each_within(3)", Alignment(FOUND, reach=(parse_scale("2*len(q)"), None))),
    "reach of the length, by the move": ("Lap", "one_within(1)", Alignment(FOUND, reach=(parse_scale("len(q)"), None))),
    "reach by the move": ("Lap", "sum_within(2)", Alignment(FOUND, reach=(parse_scale("3"), None))),
    "reach of squares": ("Lap", "each_within(1)", Alignment(FOUND, reach=(parse_scale("len(q)**2"), None))),
    "reach of an argument": ("Lap", "each_within(1)", Alignment(FOUND, reach=(None, parse_scale("N")))),
    "reach of a root": ("Lap", "each_within(1)", Alignment(FOUND, reach=(parse_scale("sqrt(len(q))"), None))),
    "too few shifts": ("Lap", "each_within(1)", Alignment(FOUND[:1])),
    "renewed where no loop is": ("Lap", "each_within(1)", Alignment(FOUND, ("i",), (1,))),
    "renewed at the loop": ("Lap", "each_within(1)", Alignment(FOUND, ("i",), (0,))),
    "no such ghost": ("Lap", "each_within(1)", Alignment((AtGhost(0, UP, STAY, 1), Always(STAY)), ("i",))),
    "a ghost before the first": ("Lap", "each_within(1)", Alignment((AtGhost(0, UP, STAY, -1), Always(STAY)), ("i",))),
    "half steps": ("DiscreteLap", "each_within(1)", Alignment((Always(Form(Fraction(1, 2))), Always(STAY)))),
    "whole steps": ("DiscreteLap", "each_within(1)", Alignment(FOUND)),
    "follows nothing": ("Lap", "each_within(1)", Alignment((Always(Form(follow="u")), Always(STAY)))),
    "asks for no number": ("Lap", "each_within(1)", Alignment((AtValue("on", None, 0, UP, STAY), Always(STAY)))),
    "asks for no argument": ("Lap", "each_within(1)", Alignment((Always(UP), AtValue("i", "T", 0, UP, STAY)))),
    "asks for the place": ("Lap", "each_within(1)", Alignment((Always(UP), AtValue("i", "N", -1, UP, STAY)))),
    "sorted by no whole number": ("Lap", "each_within(1)", Alignment(FOUND, ("t",))),
    "leads without a rule": ("Lap", "each_within(1)", Alignment((Always(Form(lead=True)), Always(STAY)))),
    "no such lead": ("Lap", "each_within(1)", Alignment(FOUND, ("i",), lead=FollowedSums((2,)))),
    "a lead that moves": ("Lap", "each_within(1)", Alignment(FOUND, ("i",), lead=FollowedSums((0,)))),
}


@pytest.mark.parametrize("name", FEW)
def test_what_must_be_valid_of_few_alignments_is_what_it_was(name: str) -> None:
    noise, relation, alignment = FEW[name]
    private = "Private[int]" if noise == "DiscreteLap" else "Private"
    program = parse(f"@sketch(adjacent={relation})\ndef f(q: {private}, N: int, T: float, on: bool, eps: Epsilon):\n    {ABOVE.format(noise)}\n")
    product, said = build_product(program, frozenset()), []
    for shares in (None, tuple(Share(powers, Fraction(1, 2), None) for powers in product.monomials), ()):
        try:
            system = build_system(product, neighbours_of(program)[0], alignment, shares, ("N",))
            said += [obligation.script() for obligation in obligations(system, made_up_invariant(system))]
        except Unsupported as error:
            said.append(str(error))
    agrees("pieces.txt", {name: digest(said)}, [*FEW, "units of len(q)", "units of N"])


def test_shifts_of_coins_and_of_chosen_places_in_words() -> None:
    coin, chosen = (next(noise for noise in Noise if which(noise)) for which in (lambda n: n.finite, lambda n: n.selects))
    always, differs = Form(Fraction(1)), "where its truth value would differ between the runs"
    for form, words in (
        (STAY, "nothing"),
        (always, "to its other side always"),
        (Form(cancel=True), f"to its other side {differs}"),
        (Form(follow="v"), "to its other side where `v` differs"),
        (Form(Fraction(1), True, "v"), f"to its other side always, and back {differs}, and back where `v` differs"),
    ):
        assert describe_form(form, False, coin) == words and describe_shift(Always(form), True, coin) == f"is turned over: {words}"
    split = ByBranch(0, AtGhost(0, always, STAY), STAY)
    assert describe_shift(split, False, coin) == (
        "is turned over: (to its other side always for the answer at place the ghost, counted from 0, else nothing) "
        "if condition number 1 of the program holds, else nothing"
    )
    assert describe_shift(Always(always), True, chosen) == "is the same place, which may fall behind any other by the size of the move"
    assert describe_form(Form(Fraction(2), lead=True), False) == "2 × the distance plus how far the first of the others moves"
    assert describe_form(Form(follow="v", lead=True), True) == "the difference of `v` plus how far the first of the others moves"


@pytest.mark.parametrize(("by", "unit"), [("len(q)", "1/len(q)"), ("N", "1/N")])
def test_what_counts_as_one_is_told(by: str, unit: str) -> None:
    body = f"s = 0\n    for x in q:\n        s = s + x\n    return s / {by} + Lap(1/({by}*eps))"
    program = load(f"@sketch(adjacent=one_within(1))\ndef f(q: Private, N: int, eps: Epsilon):\n    {body}\n")
    product, neighbours = build_product(program, frozenset()), neighbours_of(program)[0]
    assert product.units == (parse_scale(by),)
    assert certificate._words(program, product, 0, Always(UP), neighbours) == f"moves by the size of the move, where 1 counts as {unit}"
    reach = Alignment((Always(UP),), reach=(parse_scale(f"1/{by}"),))
    system = build_system(product, neighbours, reach, None, ())
    agrees("pieces.txt", {f"units of {by}": digest(o.script() for o in obligations(system, made_up_invariant(system)))}, [*FEW, "units of len(q)", "units of N"])


def test_a_claim_with_a_root_is_not_within_reach() -> None:
    for claim, holds in (("eps", True), ("2*eps", True), ("sqrt(2)*eps", False), ("sqrt(len(q))*eps", False), ("sqrt(eps)", False), ("eps/2", False)):
        assert within_claim((Share((), Fraction(1), None),), parse_scale(claim), sketch()) == holds, claim


# ---------------------------------------------------------------- lengths at which every run stops


@pytest.mark.parametrize(
    ("body", "least"),
    [
        *((f"x = q[4] {op} T", 5) for op in ("+", "-", "*")),
        *((f"if T {op} q[4]:\n        return 1", 5) for op in ("<", "<=", ">", ">=", "==", "!=")),
        ("x = -q[2]\n    y = max(q[1], q[6])", 7),
        ("x = [q[1], q[3]]\n    y = abs(q[0])", 4),
        ("x = q[1] / 2\n    y = q[8]", 1),
        ("x = q[3]\n    if T > 1:\n        return q[9]", 4),
        ("if not (q[2] > 0 and q[7] > 0):\n        return 1", 3),
        ("if q[2] > 0 or q[7] > 0:\n        return 1", 3),
        ("while q[5] + Lap(1/eps) > T:\n        return q[8]", 6),
        ("x = Lap(1/eps)\n    y = q[2]\n    for z in q:\n        y = q[9]", 3),
        ("x = q[2]\n    return x, q[6] + Lap(1/eps)", 7),
        ("x = q[N]\n    y = q[5]", 1),
        ("x = len(q)\n    y = q[5]", 1),
        ("out = []\n    out.append(q[4])\n    return out", 5),
        ("x = T\n    y = q[1]", 2),
    ],
)
def test_places_at_the_top_say_how_many_answers_there_are(body: str, least: int) -> None:
    head = "def f(q: {}, N: int, T: float, eps: Epsilon):\n    {}\n    return q[0] + Lap(1/eps)\n"
    assert least_length(load(f"@sketch(adjacent=each_within(1))\n{head.format('Private', body)}")) == least
    declared = load(f"@sketch(adjacent=each_within(1))\n{head.format('Private[12]', body)}")
    assert least_length(declared) == 1, "how many there are is known"
