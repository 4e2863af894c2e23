"""Single spots of what proofs of fixed size stand on, each with what would be believed wrongly, or lost, without it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest
import z3

from kolahal.lang.adjacency import EachWithin
from kolahal.lang.canonical import IN_UNITS
from kolahal.lang.claims import plain_claim
from kolahal.lang.noise import Noise
from kolahal.lang.read.parse import parse
from kolahal.lang.scale import parse_scale
from kolahal.lang.sketch import Sketch, Variant
from kolahal.logic import solver
from kolahal.logic.linear import Inequality, LinearForm, number, variable
from kolahal.logic.solver import Translator, contradict, is_empty
from kolahal.logic.terms import BOOL, REAL, Symbol
from kolahal.paths.events import OutputCell
from kolahal.paths.unknowns import AnswerAt, Argument, MoveAt, NoiseAt
from kolahal.proof.find.bounded import prove_bounded
from kolahal.proof.find.budgets import prove_budget
from kolahal.proof.trusted import affine, concentrated, union
from kolahal.proof.trusted.affine import Release, recheck_affine, write_affine
from kolahal.proof.trusted.bounded import DEFAULTS, CaseCheck, Flaw, find_budget, recheck_bounded
from kolahal.proof.trusted.certificate import Rejected
from kolahal.proof.trusted.concentrated import check_shifts, recheck_budget
from kolahal.proof.trusted.neighbours import Neighbours
from kolahal.proof.trusted.passages import Crossing, Row, find_fault, mixed_units, relation, shape, whole_moves
from kolahal.proof.trusted.shifts import Alignment, Always, Form
from kolahal.proof.trusted.union import Squares, _distance_above, _UnionCheck, find_squares, too_long
from kolahal.verdicts import Bounded, Certificate, Proved, Unknown

pytestmark = pytest.mark.mutants


def program(body: str, relation: str = "each_within(1)", private: str = "Private", arguments: str = "eps: Epsilon") -> Sketch:
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    return parse(f"@sketch(adjacent={relation})\ndef f(q: {private}, {arguments}):\n{lines}\n")


# ---------------------------------------------------------------- bounded proofs


def proved(body: str, size: int, *more: str) -> dict[str, Any]:
    """The document of a proof, which is believed."""
    found = prove_bounded(sketch := program(body, *more), size=size)
    assert isinstance(found, Bounded | Proved), found
    assert recheck_bounded(found.certificate, DEFAULTS, sketch) == ()
    return json.loads(found.certificate.text)


def said(document: Any) -> str:
    return " ".join(recheck_bounded(Certificate(json.dumps(document)), DEFAULTS))


@pytest.mark.parametrize(
    ("body", "size", "more"),
    [
        ("x = q[0] + Lap(1/eps)\nif x == 0:\n    return 1\nreturn 0", 1, ()),  # a tie is a way of its own
        ("s = q[0] + Lap(2/eps)\nn = q[1] + Lap(2/eps)\nif s == 0:\n    return 0\nreturn s / max(n, 1)", 2, ("each_within(1)", "Private[2]")),
        ("return q[0] != Flip(1/eps)", 1, ("one_within(1)", "Private[bool, 1]")),
        ("j = choose([1, 0], 1/eps)\nif q[0] > 0:\n    if j == 0:\n        return 1\n    return 0\nif j == 0:\n    return 0\nreturn 1", 1, ("each_within(1)", "Private[1]")),
        ("e = Lap(2/eps)\nreturn choose([q[0] + e, q[0]], 4/eps)", 1, ("each_within(1)", "Private[1]")),
        ("t = q[0] + Lap(2/eps)\nc = 0\nif t == 0:\n    c = 1\ns = q[0] + Lap(4/eps)\nn = q[1] + Lap(4/eps)\nreturn c, s / max(n, 1)", 2, ("each_within(1)", "Private[2]")),
        ("return (q[0] and q[1]) != Flip(1/eps)", 2, ("one_within(1)", "Private[bool, 2]")),
        ("e = Lap(2/eps)\ns = q[0]\nif s < 0:\n    s = 0\nreturn choose([s + e, s], 4/eps)", 1, ("each_within(1)", "Private[1]")),
        ("j = choose([0, 0], 1/eps)\nreturn q[0] + Lap(1/eps), j", 1, ("each_within(1)", "Private[1]")),
    ],
)
def test_proofs_that_each_need_one_thing(body: str, size: int, more: tuple[str, ...]) -> None:
    proved(body, size, *more)


def test_ends_and_moved_places_are_said() -> None:
    document = proved("s = q[0]\nif q[0] < 0:\n    s = 0\nreturn s + Lap(1/eps)", 1)
    passages = document["cases"][0]["passages"]
    assert any("ends" in passage for passage in passages)
    for passage in passages:
        if "ends" in passage:
            kept = passage.pop("ends")
            assert "ends" in said(document)
            passage["ends"] = kept
    assert said(document) == ""
    document["cases"][0]["moved"] = 1
    assert "moved" in said(document)


def case(sketch: Sketch, size: int) -> CaseCheck:
    entry = {"active": [], "events": [], "passages": []}
    return CaseCheck(sketch, find_budget(sketch, parse_scale("eps"), size, {}), size, {}, DEFAULTS, entry)


def test_too_many_bits_and_moves_without_bound_are_refused() -> None:
    with pytest.raises(Flaw, match="bits of more than 7"):
        case(program("return q[0] != Flip(1/eps)", "sum_within(2)", "Private[bool, 8]"), 8)
    case(program("return q[0] != Flip(1/eps)", "one_within(1)", "Private[bool, 8]"), 8)
    case(program("return q[0] != Flip(1/eps)", "sum_within(2)", "Private[bool, 2]"), 2)
    text = "class R(NamedTuple):\n    x: float\n\n@sketch(adjacent=add_remove(1))\ndef f(rs: Records[R], eps: Epsilon):\n    return sum(r.x for r in rs) + Lap(1/eps)\n"
    with pytest.raises(Flaw, match="by any amount"):
        case(parse(text), 1)


def test_a_row_has_one_unit_and_changes_with_the_moves_alone() -> None:
    units: Any = SimpleNamespace(units=("u",), moved_in=("u", "v"), draws=(), factors={})
    plain: Any = SimpleNamespace(units=(), moved_in=("u", "v"))
    one, two = variable(MoveAt(0)), variable(MoveAt(1))
    for change, mixed in ((one, False), (one + two, True), (one + number(1), True), (one + variable(Argument("x")), True), (number(1), True)):
        row = Row(number(0), change, equal=False)
        assert bool(mixed_units(units, [Row(number(0), one, equal=False), row])) is mixed
        assert not mixed_units(plain, [row])


def test_what_two_events_have_in_common() -> None:
    """What a shift can lead from one event to the other needs: the same noise everywhere, whatever the answers are."""
    shifted, stays, answer = variable(NoiseAt(0, ())), variable(NoiseAt(1, ())), variable(AnswerAt(0))

    def event(facets: Any, output: Any, *picks: tuple[int, Any]) -> Any:
        chosen = tuple(SimpleNamespace(draw=NoiseAt(2, ()), scores=scores, place=place) for place, scores in picks)
        return OutputCell((0,), tuple(facets), output, chosen)  # type: ignore[arg-type]

    active, fact = frozenset({0}), at_most(answer + stays, 0)
    plain = event([at_most(shifted + answer, 0), fact], (shifted, number(1)))
    for other, alike in (
        (event([at_most(shifted - answer, 7)], (shifted + answer, number(1))), True),
        (event([at_most(shifted + answer, 0, True), fact], (shifted, number(1))), False),
        (event([at_most(-shifted + answer, 0), fact], (shifted, number(1))), False),
        (event([fact], (shifted, number(1))), False),
        (event([at_most(shifted + answer, 0), fact], (-shifted, number(1))), False),
        (event([at_most(shifted + answer, 0), fact], (number(1), shifted)), False),
        (event([at_most(shifted + answer, 0), fact], shifted), False),
        (event([at_most(shifted + answer, 0), fact], (shifted, True)), False),
        (event([at_most(shifted + answer, 0), fact], (shifted, number(1)), (0, (answer, answer))), False),
    ):
        assert (shape(plain, active, False) == shape(other, active, False)) is alike
    for scores, moved, alike in (((answer, stays), False, False), ((answer, stays), True, True), ((answer, shifted), False, False), ((answer, shifted), True, False)):
        one, two = (event([], number(0), (place, scores)) for place in (0, 1))
        assert (shape(one, active, moved) == shape(two, active, moved)) is alike
        assert shape(one, active, moved) != shape(event([], number(0), (0, (shifted, answer))), active, moved)


def test_events_are_apart_where_a_solver_says_so() -> None:
    x, y = variable(AnswerAt(0)), variable(AnswerAt(1))
    case: Any = SimpleNamespace(relation=list)
    low, high = (at_most(x + y, 0),), (at_most(-x, -1), at_most(-y, 0))
    assert find_fault(case, Crossing((0, 1), (low, high), (), ()), 10_000) == ""
    assert "which of several equal outputs" in find_fault(case, Crossing((0, 1), (low, high[:1]), (), ()), 10_000)


BINS = """
class Visit(NamedTuple):
    day: Between(0, 364, whole=True)

@sketch(adjacent=replace(1))
def f(visits: Records[Visit], days: int, eps: Epsilon):
    counts = [sum(1 for v in visits if v.day == d) for d in range(days)]
    return [c + Lap(2/eps) for c in counts]
"""


def test_moves_of_bins_are_those_of_their_number() -> None:
    bins = parse(BINS).adjacency
    for size in (1, 2, 3):
        assert {len(move) for move in whole_moves(bins, size)} == {size}
        assert {piece.places for piece in relation(bins, size)} == {tuple(range(size))}


# ---------------------------------------------------------------- polyhedra and Z3


def at_most(form: Any, value: int | Fraction, strict: bool = False) -> Inequality[Any]:
    return Inequality(form - number(value), strict)


def test_plain_contradictions_are_seen_and_no_others() -> None:
    x = variable(MoveAt(0))
    for low, contradicts in ((Fraction(1, 2), True), (0, False), (-1, False)):
        assert contradict([at_most(x, 0), at_most(-x, -low)]) is contradicts
    for first, second in ((True, False), (False, True), (True, True)):
        assert contradict([at_most(x, 0, first), at_most(-x, 0, second)])
    assert contradict([at_most(-x, 3), at_most(x, 5), at_most(x, -7)])


def test_single_points_and_bits() -> None:
    bit, other = MoveAt(0), MoveAt(1)
    x, y = variable(bit), variable(other)

    def is_value(form: Any, value: int) -> list[Inequality[Any]]:
        return [at_most(form, value), at_most(-form, -value)]

    for value, empty in ((0, False), (1, False), (2, True), (-1, True)):
        assert is_empty(is_value(x, value), 10_000, bits=[bit]) is empty
        assert is_empty([*is_value(x, value), at_most(y, 5)], 10_000, bits=[bit]) is empty
        assert not is_empty(is_value(x, value), 10_000)
        assert is_empty(is_value(x, value), 10_000, none_of=[is_value(x, value)])
        assert not is_empty(is_value(x, value), 10_000, none_of=[is_value(x, value + 3)])
    for low, high, empty in ((0, 1, False), (1, 5, False), (-5, 0, False), (Fraction(1, 4), Fraction(3, 4), True), (2, 3, True)):
        assert is_empty([at_most(x, high), at_most(-x, -low)], 10_000, bits=[bit]) is empty
    assert not is_empty([at_most(x + y, 2), at_most(-x - y, -2)], 10_000, bits=[bit, other])
    assert is_empty([at_most(x + y, 2), at_most(-x - y, -2), at_most(x, Fraction(1, 2))], 10_000, bits=[bit, other])
    assert is_empty([*is_value(x.times(-2), -2), *is_value(x, 0)], 10_000)
    assert not is_empty([*is_value(x.times(-2), -2), *is_value(x, 1)], 10_000)


def test_what_is_translated_belongs_to_its_context() -> None:
    words = Translator(z3.Context())
    a, b = (words.formula(Symbol(name, BOOL)) for name in "ab")
    x = words.unknown(Symbol("x", REAL))
    made = (words.every([a, b]), words.some([a, b]), words.implies(a, b), words.arithmetic(z3.Z3_mk_add, [x, x]))
    assert all(term.ctx is words.context for term in made)


def test_sums_of_three_are_written_without_a_gap() -> None:
    x, y, z = (variable(Argument(name)) for name in "xyz")
    assert str(LinearForm({**x.terms, **(-y).terms, **z.times(2).terms}, Fraction(-3))) == "x - y + 2*z - 3"


# ---------------------------------------------------------------- releases


def test_a_step_of_half_costs_half_or_a_quarter() -> None:
    draws = NoiseAt(0, ()), NoiseAt(1, ())
    release = Release((), (), {0: Fraction(1), 1: Fraction(1)}, frozenset({1}), Fraction(1))
    assert [release.cost({drawn: Fraction(1, 2)}) for drawn in draws] == [Fraction(1, 2), Fraction(1, 4)]
    assert [release.cost({drawn: Fraction(-3)}) for drawn in draws] == [3, 9]


def test_half_of_an_answer_on_too_little_noise() -> None:
    for scale, believed in (("1/(2*rho)", True), ("1/(4*rho)", False)):
        sketch = program(f"return q[0] / 2 + Lap({scale}), τ", "one_within(1)", "Private[1]", "τ: float, rho: Rho")
        certificate = write_affine(sketch, plain_claim(sketch), {1: ({NoiseAt(0, ()): Fraction(-1, 2)},)})
        assert certificate.text == json.dumps(certificate.document(), indent=1, ensure_ascii=False)
        told = recheck_affine(certificate)
        assert (told == []) is believed, told


@pytest.mark.parametrize("claim", ["rho**2", "sqrt(rho)", "1", "1/rho", "2"])
def test_a_claim_is_a_multiple_of_the_budget(claim: str) -> None:
    sketch = program("return q[0] + Gauss(1/sqrt(2*rho))", "one_within(1)", "Private[1]", "rho: Rho")
    shifts: Mapping[int, Any] = {1: ({NoiseAt(0, ()): Fraction(-1)},)}
    assert recheck_affine(write_affine(sketch, plain_claim(sketch), shifts)) == []
    assert recheck_affine(write_affine(sketch, parse_scale(claim), shifts))
    with pytest.raises(Rejected):
        affine.read_release(sketch, parse_scale(claim), 1)


def test_a_scale_with_a_number_that_is_not_known_has_no_price() -> None:
    sketch = program("return q[0] + Gauss(T/sqrt(2*rho))", "one_within(1)", "Private[1]", "T: float, rho: Rho")
    told = recheck_affine(write_affine(sketch, plain_claim(sketch), {1: ({NoiseAt(0, ()): Fraction(-1)},)}))
    assert any("has no price" in line for line in told)


def test_more_neighbours_than_are_looked_at_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    sketch = program("return [x + Gauss(sqrt(2/(2*rho))) for x in q]", "each_within(1)", "Private[2]", "rho: Rho")
    certificate = write_affine(sketch, plain_claim(sketch), {2: tuple({NoiseAt(0, (i,)): Fraction(-1)} for i in range(2))})
    certificate = _with_shifts(certificate, sketch)
    for most, believed in ((4, True), (3, False)):
        monkeypatch.setattr(affine, "MOST_MOVES", most)
        told = recheck_affine(certificate)
        assert told == [] if believed else any("more than 3 extreme neighbours" in line for line in told), told


def _with_shifts(certificate: Certificate, sketch: Sketch) -> Certificate:
    """A document in which each answer is hidden by its own noise, whatever that is called."""
    release = affine.read_release(sketch, plain_claim(sketch), 2)
    document = json.loads(certificate.text)
    document["sizes"][0]["shifts"] = [{str(next(iter(row))): "-1"} for row in release.noise]
    return Certificate(json.dumps(document))


def test_the_second_solver_is_asked_if_it_is_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    sketch = program("return q[0] + Gauss(1/sqrt(2*rho))", "one_within(1)", "Private", "rho: Rho")
    found = prove_budget(sketch, plain_claim(sketch), DEFAULTS)
    assert isinstance(found, Proved)
    asked: list[str] = []
    monkeypatch.setattr(solver, "second_opinion", lambda script, steps: asked.append(script) or "sat")
    assert recheck_budget(found.certificate) == [] == asked
    (disagrees, *_) = recheck_budget(found.certificate, second=True)
    assert "the solvers disagree" in disagrees and asked and all("check-sat" in script for script in asked)


def test_a_pure_proof_is_about_the_program_of_the_claim() -> None:
    sketch = program("return q[0] + Lap(1/eps)", "one_within(1)", "Private", "eps: Epsilon, delta: Delta")
    found = prove_budget(sketch, plain_claim(sketch), DEFAULTS)
    assert isinstance(found, Proved)
    document = found.certificate.document()
    assert document["rule"] == "pure" and recheck_budget(found.certificate) == []
    other = json.dumps({**document, "program": document["program"].replace("q[0]", "2*q[0]")})
    assert recheck_budget(Certificate(other)) == ["the inner proof is not about the program that belongs to the claim"]
    assert recheck_budget(Certificate(json.dumps({**document, "rule": "mixed"}))) == ["there is no rule 'mixed'"]


MOVES = Always(Form(Fraction(1)))


@pytest.mark.parametrize(
    ("variant", "noises", "shifts", "kinds", "asked", "reach", "reason"),
    [
        (Variant.ZCDP, "GL", (MOVES, MOVES), ("one",), False, "1", ""),
        (Variant.ZCDP, "GL", (MOVES, MOVES), ("sum",), False, "1", "does not add up over moves"),
        (Variant.ZCDP, "GL", (MOVES, Always(Form())), ("sum",), False, "1", ""),
        (Variant.GDP, "GL", (MOVES, Always(Form())), ("one",), False, "1", ""),
        (Variant.GDP, "GL", (MOVES, MOVES), ("one",), False, "1", "has no price"),
        (Variant.GDP, "G", (MOVES,), ("up", "down"), False, "1 1", ""),
        (Variant.GDP, "G", (MOVES,), ("up", "down"), False, "1 2", "not the same in all cases"),
        (Variant.GDP, "G", (MOVES,), ("up",), False, "-", "is missing"),
        (Variant.GDP, "G", (MOVES,), ("one",), True, "1", "how far a question of the run moves"),
        (Variant.GDP, "G", (Always(Form(cancel=True)),), ("one",), True, "1", ""),
        (Variant.GDP, "G", (MOVES,), ("up", "down"), True, "1 1", ""),
        (Variant.ZCDP, "GL", (Always(Form(cancel=True)), MOVES), ("one",), True, "1", ""),
    ],
)
def test_prices_that_add_up(
    monkeypatch: pytest.MonkeyPatch, variant: Variant, noises: str, shifts: tuple[Any, ...], kinds: tuple[str, ...], asked: bool, reach: str, reason: str
) -> None:
    """Of a made-up surrogate: what its alignments may and may not do."""
    draws = [SimpleNamespace(site=i, noise={"G": Noise.GAUSS, "L": Noise.LAPLACE}[letter]) for i, letter in enumerate(noises)]
    private = SimpleNamespace(table=SimpleNamespace(depends_on_run=asked))
    canonical = SimpleNamespace(draws=draws, private=private, budget=SimpleNamespace(name="rho"), adjacency=EachWithin(Fraction(1)), required=())
    monkeypatch.setattr(concentrated, "concentrated", lambda program, claim: (canonical, "level"))
    monkeypatch.setattr(concentrated, "is_quadratic", lambda draw, name: draw.noise is Noise.GAUSS)
    monkeypatch.setattr(concentrated, "surrogate", lambda *given: SimpleNamespace(required=()))
    monkeypatch.setattr(concentrated, "_check_laws", lambda *given: None)
    monkeypatch.setattr(concentrated, "_expect", lambda derived, proof: derived[1] == "level" or pytest.fail("another level"))
    reaches = [() if word == "-" else (parse_scale(word), *[None] * (len(noises) - 1)) for word in reach.split()]
    cases = tuple(SimpleNamespace(neighbours=Neighbours(kind, Fraction(1), False), alignment=Alignment(shifts, reach=far)) for kind, far in zip(kinds, reaches, strict=True))
    given: Any = (SimpleNamespace(variant=variant), None, SimpleNamespace(cases=cases, at_once=False), None)
    if not reason:
        check_shifts(*given)
        return
    with pytest.raises(Rejected, match=reason):
        check_shifts(*given)


# ---------------------------------------------------------------- looking ahead on Gaussian noise

DELTA = "eps: Epsilon, delta: Delta"


def test_noise_of_other_families_has_no_price_wherever_it_stands() -> None:
    for body in ("return q[0] + Lap(1/eps) + Gauss(1/gdp(eps, delta))", "return q[0] + Gauss(1/gdp(eps, delta)) + Lap(1/eps)"):
        sketch = program(body, "each_within(1)", "Private[1]", DELTA)
        squares = find_squares(sketch, 1, {})
        assert not isinstance(squares, Unknown)
        assert set(squares.prices) == {draw.site for draw in sketch.draws if draw.noise is Noise.GAUSS}
    in_units: Any = SimpleNamespace(units=("u",))
    assert find_squares(in_units, 1, {}) == Unknown(IN_UNITS)
    alone = program("return q[0] + Lap(1/eps)", "each_within(1)", "Private[1]", DELTA)
    assert isinstance(find_squares(alone, 1, {}), Unknown)


def test_a_number_above_the_distance_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    for epsilon, delta in ((Fraction(1, 2), Fraction(1, 10**6)), (Fraction(3), Fraction(1, 100)), (Fraction(0), Fraction(1, 3))):
        above = _distance_above(epsilon, delta)
        low, _ = union.delta_bounds(above, epsilon)
        assert low >= delta and union.delta_bounds(above * (1 - Fraction(3, 2**41)), epsilon)[0] < delta
    # δ of a distance as if it were the distance itself, between bounds that are far apart.
    monkeypatch.setattr(union, "delta_bounds", lambda distance, epsilon: (distance, distance + 1))
    for near, above in ((Fraction(1, 2), Fraction(1, 2) * (1 + Fraction(1, 2**40))), (Fraction(1, 3), 1), (Fraction(3, 10), Fraction(9, 10)), (Fraction(5, 16), Fraction(5, 8)), (Fraction(4, 9), Fraction(5, 9)), (Fraction(1, 4), Fraction(3, 4))):
        wanted = {Fraction(1, 2): Fraction(1, 2), Fraction(1, 3): Fraction(1), Fraction(3, 10): Fraction(7, 10), Fraction(5, 16): Fraction(5, 8), Fraction(4, 9): Fraction(5, 9), Fraction(1, 4): Fraction(3, 4)}[near]
        monkeypatch.setattr(union, "rising", lambda value, delta, near=near: near)
        assert _distance_above(Fraction(1), wanted) == above
    monkeypatch.setattr(union, "rising", lambda value, delta: Fraction(1, 4))
    with pytest.raises(Rejected, match="no μ is known"):
        _distance_above(Fraction(1), Fraction(4, 5))


def test_how_long_the_shifts_of_groups_are() -> None:
    first, second = NoiseAt(0, ()), NoiseAt(1, ())

    def asked(drawn: NoiseAt, *shifts: dict[NoiseAt, Fraction]) -> tuple[list[Row], list[dict[NoiseAt, Fraction]]]:
        return [Row(variable(drawn), variable(MoveAt(0)), equal=True)], list(shifts)

    def lengths(*events: Any, moves: tuple[int, ...] = (1, -1)) -> list[list[Fraction]]:
        check = object.__new__(_UnionCheck)
        check.asked, check.budget, check.where = list(events), Squares({0: Fraction(1), 1: Fraction(9)}, Fraction(0), "eps"), ""
        check.moves = lambda: iter([(Fraction(move),) for move in moves])  # type: ignore[method-assign]
        return list(check.lengths())

    up, down = ({first: Fraction(step)} for step in (1, -1))
    far, back = ({second: Fraction(step)} for step in (1, -1))
    both, neither = ({first: Fraction(step), second: Fraction(step)} for step in (1, -1))
    assert lengths(asked(first, up, down)) == [[1], [1]]
    assert lengths(asked(first, up, down), asked(second, far, back)) == [[1, 9]]
    assert lengths(asked(first, up, down), asked(first, up, down)) == [[1], [1]]
    assert lengths(asked(first, up, down, both, neither), asked(second, far, back, both, neither)) == [[10], [1, 9]]
    assert lengths(asked(first, up, down), moves=()) == [[0], [0]]
    assert lengths(asked(first, {first: Fraction(0)}), asked(first, {}), moves=(0,)) == [[0]]
    assert lengths(asked(first, {first: Fraction(1), second: Fraction(0)}, down), asked(first, up, down)) == [[1]]
    for events in ([asked(first, up)], [asked(first, up, down), asked(second, far)], [asked(first)]):
        with pytest.raises(Flaw, match="no shift hides some move"):
            lengths(*events)


def test_all_of_delta_may_be_spent(monkeypatch: pytest.MonkeyPatch) -> None:
    sketch = program("assert eps <= 1 and delta >= 1e-6\nreturn q[0] + Gauss(5/eps)", "each_within(1)", "Private[1]", DELTA)
    for spent, fits in ((Fraction(1, 2 * 10**6), True), (Fraction(1, 2 * 10**6) + Fraction(1, 10**12), False)):
        monkeypatch.setattr(union, "delta_bounds", lambda distance, epsilon, spent=spent: (Fraction(0), spent))
        assert (too_long(sketch, plain_claim(sketch), "eps", [Fraction(1), Fraction(1, 2)]) == "") is fits
