"""Single pieces of the check of proofs by counting, against what they should give, said in so many words."""

from __future__ import annotations

import itertools
import json
import math
import random
from fractions import Fraction
from typing import Any

import pytest

from kolahal.lang.claims import parse_claim
from kolahal.lang.read.parse import parse
from kolahal.lang.scale import parse_scale
from kolahal.lang.sketch import Sketch
from kolahal.paths.kernels import Likelihoods
from kolahal.paths.outcomes import NotFinite
from kolahal.proof.find.counted import prove_counted
from kolahal.proof.trusted.counted import (
    Apart,
    CountedCase,
    _wrong,
    add_up,
    apart_of,
    compared,
    count,
    is_within,
    read_verdict,
    recheck_counted,
    settings_of_counted,
)
from kolahal.settings import ProofSettings
from kolahal.verdicts import Certificate, Exactly, Proved

pytestmark = pytest.mark.mutants


def program(body: str, head: str = "q: Private[bool, 2], eps: Epsilon", relation: str = "one_within(1)") -> Sketch:
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    return parse(f"@sketch(adjacent={relation})\ndef f({head}):\n{lines}")


RESPONSE = "return [b != Flip({}) for b in q]"
BOTH = program("a = q[0] != Flip(1/eps)\nb = q[1] != Flip(3/(2*eps))\nreturn a, b")


def proof_of(sketch: Sketch, claim: str = "eps") -> dict[str, Any]:
    found = prove_counted(sketch, parse_claim(sketch, claim), ProofSettings()).proof
    assert isinstance(found, Proved), found
    document = found.certificate.document()
    assert isinstance(document, dict)
    return document


def test_each_setting_of_the_truth_values_is_a_case() -> None:
    both = program("return on", "q: Private[bool, 2], N: int, on: bool, eps: Epsilon, off: bool")
    assert list(settings_of_counted(both)) == [{"on": on, "off": off} for on in (False, True) for off in (False, True)]
    assert list(settings_of_counted(BOTH)) == [{}]


def test_what_is_counted_of_a_program() -> None:
    """Rates are 1 and 2/3, so they are counted in thirds."""
    case = count(BOTH, parse_scale("2*eps"), {})
    assert (case.unit, case.limit, case.every_epsilon) == (3, 2, True)
    assert [part.bits for part in case.parts] == [(0,), (1,)]
    assert [sorted(map(repr, kernel)) for kernel in case.kernels] == [["(0,)", "(1,)"]] * 2
    one, two = ({tuple(sorted(odds.items())) for likely in kernel.values() for odds in likely.values()} for kernel in case.kernels)
    assert one == {((3, 1),), ((0, 1),)} and two == {((2, 1),), ((0, 1),)}
    numbers = count(program(RESPONSE.format(2)), parse_scale("1"), {})
    assert (numbers.unit, numbers.limit, numbers.every_epsilon) == (2, 1, False)


@pytest.mark.parametrize(
    ("sketch", "reason"),
    [
        (program(RESPONSE.format("1/eps"), "q: Private[bool], eps: Epsilon"), "the number of bits is not declared"),
        (program(RESPONSE.format("1/rho"), "q: Private[bool, 2], rho: Rho"), "the number of bits is not declared"),
        (program("assert len(q) > 5\n" + RESPONSE.format("1/eps")), "what the program asserts is broken"),
        (program(RESPONSE.format("1/eps**2")), "a scale and the claim are not multiples of one power of ε"),
        (program("return choose([1 if b else 0 for b in q], 1/eps**2)"), "a scale and the claim are not multiples of one power of ε"),
        (program(RESPONSE.format("hole")), "the program has holes"),
    ],
)
def test_what_is_not_counted(sketch: Sketch, reason: str) -> None:
    with pytest.raises(NotFinite, match=f"^{reason}$"):
        count(sketch, parse_scale("rho" if "rho" in str(sketch) else "eps"), {})


def test_an_assertion_that_holds_leaves_all_to_be_counted() -> None:
    assert count(program("assert len(q) == 2\n" + RESPONSE.format("1/eps")), parse_scale("eps"), {}).unit == 1


@pytest.mark.parametrize(
    ("relation", "private", "apart"),
    [
        ("sum_within(2)", "bool, 3", Apart(2, 2, True, False)),
        ("one_within(2)", "int, 3", Apart(1, 2, False, False)),
        ("each_within(2)", "int, 3", Apart(3, 2, False, False)),
        ("monotone(2)", "int, 3", Apart(3, 2, False, True)),
    ],
)
def test_how_far_neighbours_are_apart(relation: str, private: str, apart: Apart) -> None:
    sketch = program("return 0", f"q: Private[{private}], eps: Epsilon", relation)
    assert apart_of(sketch, sketch.private.count or 0) == apart


def test_changes_count_as_neighbours_may_differ() -> None:
    """Against all moves of neighbours of a few answers."""
    for relation in ("one_within(2)", "each_within(1)", "sum_within(3)", "monotone(2)", "each_within(2)"):
        sketch = program("return 0", "q: Private[int, 3], eps: Epsilon", relation)
        apart = apart_of(sketch, 3)
        values = list(itertools.product(range(4), repeat=3))
        for one, other in itertools.product(values[::3], values):
            move = [Fraction(b - a) for a, b in zip(one, other, strict=True)]
            counted = apart.between(one, other)
            if counted is None:
                assert not sketch.adjacency.allows(move)
            else:
                assert sketch.adjacency.allows(move) == (counted <= apart.most), (relation, one, other)
                assert counted == (sum(map(abs, move)) if "sum" in relation else sum(1 for step in move if step))


@pytest.mark.parametrize(
    ("apart", "ends"),
    [(Apart(9, 1, False, False), 1), (Apart(9, 3, False, False), 2), (Apart(1, 3, False, False), 1), (Apart(9, 3, True, False), 4), (Apart(9, 2, True, False), 1), (Apart(9, 3, True, True), 3)],
)
def test_what_the_changes_of_one_part_may_count(apart: Apart, ends: int) -> None:
    """Of inputs that are 3 and 1 apart in opposite ways, 3 and 0, and 0 and 1."""
    kernel: Likelihoods = {(0, 1): {}, (3, 0): {}, (3, 1): {}}
    assert apart.ends(kernel) == ends
    assert apart.ends({(0,): {}}) == 0


def test_which_likelihoods_are_compared() -> None:
    kernel: Likelihoods = {(0, 0): {"a": {0: 1, -1: 2}}, (0, 1): {"a": {2: 1}, "b": {1: 1}}, (1, 1): {"b": {5: 1}}}
    apart = Apart(2, 1, False, False)
    first, second, third, b = ((-1, 2), (0, 1)), ((2, 1),), ((5, 1),), ((1, 1),)
    assert compared(kernel, 0, apart) == {(first, first), (second, second), (third, third), (b, b), ((), ())}
    assert compared(kernel, 1, apart) == {(first, second), (second, first), ((), b), (b, ()), (second, ()), ((), second), (b, third), (third, b)}
    assert compared(kernel, 2, apart) == {(first, ()), ((), first), ((), third), (third, ())}
    assert compared(kernel, 1, Apart(2, 0, False, False)) == set()


def case_of(unit: int, every_epsilon: bool) -> CountedCase:
    return CountedCase((), (), unit, Fraction(1), every_epsilon)


def test_losses_are_compared_as_they_are_counted() -> None:
    """1 + e^(t/2) against 2: within a loss of 1/2 for every t > 0, and of 0.3 for t = 1, but not of 0.2."""
    first, second = {0: 1, 1: 1}, {0: 2}
    assert is_within(first, second, Fraction(1, 2), case_of(2, True)) and is_within(first, second, Fraction(1, 2), case_of(2, False))
    assert not is_within(first, second, Fraction(1, 4), case_of(2, True))  # for large t
    assert math.log((1 + math.exp(0.5)) / 2) == pytest.approx(0.28093, abs=1e-5)
    for loss, within in ((Fraction(281, 1000), True), (Fraction(2809, 10000), False), (Fraction(0), False), (Fraction(3, 10), True)):
        assert is_within(first, second, loss, case_of(2, False)) is within
        assert not is_within(first, second, loss, case_of(2, True))
    assert is_within(second, first, Fraction(0), case_of(2, True)) and not is_within(second, first, Fraction(-1, 3), case_of(2, True))
    assert is_within({}, first, Fraction(0), case_of(1, True)) and not is_within(first, {}, Fraction(9), case_of(1, False))


def test_losses_of_parts_add_up() -> None:
    rng = random.Random(1)
    for _ in range(60):
        losses = [[Fraction(0), *(Fraction(rng.randint(0, 9)) for _ in range(rng.randint(0, 3)))] for _ in range(rng.randint(0, 3))]
        most = rng.randint(0, 4)
        ways = itertools.product(*(range(len(part)) for part in losses))
        wanted = max(sum((part[k] for part, k in zip(losses, way, strict=True)), Fraction(0)) for way in ways if sum(way) <= most)
        assert add_up(losses, most) == wanted


def wrong(losses: list[list[str]], claim: str = "eps", apart: Apart | None = None) -> str:
    case = count(BOTH, parse_scale(claim), {})
    return _wrong(case, [[Fraction(value) for value in row] for row in losses], apart or apart_of(BOTH, 2))


def test_what_is_wrong_with_losses() -> None:
    """The parts lose 1 and 2/3."""
    assert wrong([["0", "1"], ["0", "2/3"]]) == ""
    assert wrong([["0", "1"], ["0", "1"]]) == ""
    form = "it does not have one loss for each part and number of bits"
    for losses in ([["0", "1"]], [["0", "1"], ["0"]], [["0", "1"], ["0", "1", "1"]], [["0", "1"], ["1/9", "1"]]):
        assert wrong(losses) == form
    assert wrong([["0", "0.99"], ["0", "2/3"]]) == "part 0 may lose more than 99/100 where its changes count 1"
    assert wrong([["0", "1"], ["0", "0.66"]]) == "part 1 may lose more than 33/50 where its changes count 1"
    assert wrong([["0", "1"], ["0", "2/3"]], "eps/2") == "the parts lose more than the claim together"
    both = Apart(2, 1, False, False)
    assert wrong([["0", "1"], ["0", "2/3"]], "5/3*eps", both) == ""
    assert wrong([["0", "1"], ["0", "2/3"]], "3/2*eps", both) == "the parts lose more than the claim together"


def test_parts_that_are_alike_are_looked_at_once_each_with_its_own_losses() -> None:
    twice = count(program(RESPONSE.format("1/eps")), parse_scale("eps"), {})
    one = Apart(1, 1, False, False)
    assert _wrong(twice, [[Fraction(0), Fraction(1)]] * 2, one) == ""
    assert _wrong(twice, [[Fraction(0), Fraction(1)], [Fraction(0), Fraction(1, 2)]], one) == "part 1 may lose more than 1/2 where its changes count 1"


def test_a_part_behind_parts_that_are_alike_is_looked_at_too() -> None:
    three = program("a = q[0] != Flip(1/eps)\nb = q[1] != Flip(1/eps)\nc = q[2] != Flip(1/(2*eps))\nreturn a, b, c", "q: Private[bool, 3], eps: Epsilon")
    case, one = count(three, parse_scale("2*eps"), {}), Apart(1, 1, False, False)
    ones, two = [Fraction(0), Fraction(1)], [Fraction(0), Fraction(2)]
    assert _wrong(case, [ones, ones, two], one) == ""
    assert _wrong(case, [ones, ones, ones], one) == "part 2 may lose more than 1 where its changes count 1"


def test_changes_go_one_way_or_they_do_not() -> None:
    apart = Apart(3, 2, False, True)
    assert apart.between((1, 1), (1, 1)) == 0 and apart.between((0, 1), (1, 1)) == apart.between((1, 1), (0, 1)) == 1
    assert apart.between((0, 0), (2, 1)) == apart.between((2, 1), (0, 0)) == 2
    assert apart.between((0, 1), (1, 0)) is None and apart.between((0, 0), (3, 0)) is None


OF_TRUTHS = program("a = q[0] != Flip(1/eps)\nif on:\n    a = q[0] != Flip(2/eps)\nreturn a", "q: Private[bool, 1], on: bool, eps: Epsilon")


def told(document: dict[str, Any], sketch: Sketch | None = None) -> tuple[str, ...]:
    return recheck_counted(Certificate(json.dumps(document)), sketch)


def test_a_document_is_refused_for_what_is_wrong_with_it() -> None:
    document = proof_of(OF_TRUTHS)
    assert told(document) == told(document, OF_TRUTHS) == ()
    other = ("it is a certificate of another kind, or about another program",)
    assert told(document, BOTH) == told(document | {"kind": "bounded"}) == told(document | {"kind": "bounded"}, OF_TRUTHS) == other
    cases = document["cases"]
    settings = ("it does not have one case for each setting of the arguments",)
    for wrong_cases in ([], cases[:1], cases[::-1], cases + cases[:1], [cases[0] | {"arguments": {}}, cases[1]]):
        assert told(document | {"cases": wrong_cases}) == settings
    assert told(document | {"claim": "eps/2"}) == ("the parts lose more than the claim together",)
    less = [cases[0], cases[1] | {"losses": [["0", "1/3"]]}]
    assert told(document | {"cases": less}) == ("part 0 may lose more than 1/3 where its changes count 1",)
    powers = ("the program has no such proof: a scale and the claim are not multiples of one power of ε",)
    assert told(document | {"claim": "eps**2"}) == powers


@pytest.mark.parametrize("part", ["kind", "program", "claim", "cases"])
def test_a_part_of_a_document_that_is_missing_or_of_another_kind(part: str) -> None:
    document = proof_of(OF_TRUTHS)
    for changed in ({k: v for k, v in document.items() if k != part}, document | {part: 7}, document | {part: [7]}):
        (reason,) = told(changed)
        assert reason.startswith(f"it is not a certificate: Malformed: {part} is ")


def test_a_part_of_a_case_that_is_missing_or_of_another_kind() -> None:
    document = proof_of(OF_TRUTHS)
    for name, value in (("arguments", 7), ("losses", 7), ("losses", [7]), ("arguments", None)):
        (reason,) = told(document | {"cases": [document["cases"][0] | {name: value}, document["cases"][1]]})
        assert reason.startswith(f"it is not a certificate: Malformed: {name} is ")
    (reason,) = told(document | {"cases": [document["cases"][0] | {"losses": [["0", "1e9"]]}, document["cases"][1]]})
    assert reason == "it is not a certificate: Malformed: '1e9' is not an exact number"
    assert recheck_counted(Certificate("["))[0].startswith("it is not a certificate: Malformed: this is not JSON")
    assert told(document | {"program": "def"})[0].startswith("it is not a certificate: SketchError: ")


def test_what_a_proof_by_counting_says() -> None:
    certificate = Certificate("{}")
    assert read_verdict(BOTH, certificate) == Proved(certificate, Exactly(2))
