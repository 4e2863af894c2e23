"""Programs on bits that are decided by counting all that can happen: against every single run, and against what people write."""

from __future__ import annotations

import itertools
import json
import math
from fractions import Fraction

import pytest
from tests.paths.test_tables import BITS, answer_of, shown, written

from kolahal.checking import check
from kolahal.exact.intervals import rigorous_probability
from kolahal.lang.claims import parse_claim, plain_claim
from kolahal.lang.read.parse import parse
from kolahal.lang.sketch import Sketch
from kolahal.logic.exponentials import Exponentials, is_above, never_negative
from kolahal.model import AllOf, Anything, Arguments, Equals
from kolahal.paths.outcomes import Bit, Coin, NotFinite, find_outcomes_of
from kolahal.paths.tables import looked_up
from kolahal.proof.find.counted import CountedProof, prove_counted
from kolahal.proof.refute.counted import refute_counted
from kolahal.proof.trusted.counted import recheck_counted
from kolahal.settings import ProofSettings
from kolahal.verdicts import Certificate, Proved, Refuted
from kolahal.verification import inspect_document

pytestmark = pytest.mark.mutants


def program(body: str, bits: int = 2, relation: str = "one_within(1)", more: str = "") -> Sketch:
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    return parse(f"@sketch(adjacent={relation})\ndef f(q: Private[bool, {bits}], {more}eps: Epsilon):\n{lines}\n")


def counted(sketch: Sketch, claim: str = "") -> CountedProof:
    return prove_counted(sketch, parse_claim(sketch, claim), ProofSettings())


def loss_of(sketch: Sketch) -> float:
    """The largest loss where one bit is turned over, from all runs of the reference; all scales are 1."""
    found = find_outcomes_of(sketch, BITS, {})
    odds: dict[tuple[int, ...], dict[str, float]] = {}
    for way in itertools.product(*[range(size) for size in found.sizes]):
        chance, bits = 1.0, []
        for unknown, i in zip(found.unknowns, way, strict=True):
            if isinstance(unknown, Bit):
                bits.append(i)
            else:
                assert isinstance(unknown, Coin)
                chance *= (1, math.e)[not i] / (1 + math.e)
        into = odds.setdefault(tuple(bits), {})
        answer = repr(shown(answer_of(sketch, found, way)))
        into[answer] = into.get(answer, 0) + chance
    pairs = [(a, b) for a, b in itertools.product(odds, repeat=2) if sum(x != y for x, y in zip(a, b, strict=True)) == 1]
    losses = [math.log(p / odds[b][answer]) if odds[b].get(answer) else math.inf for a, b in pairs for answer, p in odds[a].items()]
    return max(losses, default=0.0)


def test_what_is_counted_is_what_all_runs_lose() -> None:
    """Random programs with coins: never less than the truth, and no more where nothing was released."""
    tight = 0
    for seed in range(28):
        sketch = written(seed, hidden=True)
        if sketch is None:
            continue
        try:
            found = find_outcomes_of(sketch, BITS, {})
        except NotFinite:
            continue
        if len(found.unknowns) > 7:
            continue
        upper, truth = counted(sketch, "1").upper, loss_of(sketch)
        if upper is None:
            assert truth == math.inf
        else:
            assert truth - 1e-9 <= upper <= truth * (1 + 1e-5) + 1e-5
            tight += truth > 0
    assert tight > 5


MEMORY = "out = []\nfor b in q:\n    memo = b != Flip({})\n    out.append(memo != Flip({}))\nreturn out"


@pytest.mark.parametrize("body", [
    MEMORY,
    "memory = [b != Flip({}) for b in q]\nreturn [b != Flip({}) for b in memory]",
    "out = []\nfor i in range(len(q)):\n    b = not q[i] if Flip({}) else q[i]\n    if Flip({}):\n        b = not b\n    out.append(b)\nreturn out",
    "memory = [b != Flip({}) for b in q]\ntold = [b != Flip({}) for b in memory]\nreturn (sum(1 for b in told if b) - 9) / 0.025",
])
def test_a_memory_however_it_is_written(body: str) -> None:
    """Keep probabilities 0.625 and 0.55: a bit survives with 0.5125, so eight of twenty lose 8·log(0.5125/0.4875) = 0.40008."""
    sketch = program(body.format(*(1 / math.log(keep / (1 - keep)) for keep in (0.625, 0.55))), 20, "sum_within(8)")
    found = counted(sketch, "0.4002")
    assert isinstance(found.proof, Proved) and found.upper is not None
    assert float(found.upper) == pytest.approx(8 * math.log(0.5125 / 0.4875) / 0.4002, rel=1e-4)
    assert not isinstance(counted(sketch, "0.4").proof, Proved)


def test_true_and_1_are_two_answers() -> None:
    assert counted(program("return True if q[0] else 1"), "eps").upper is None


@pytest.mark.parametrize(("body", "relation", "upper"), [
    ("return [(b != Flip(2/eps)) != Flip(2/eps) for b in q]", "one_within(1)", Fraction(1, 2)),  # in the limit of large ε
    ("return choose([1 if b else 0 for b in q], 2/eps)", "each_within(1)", None),
    ("c = Flip(1/eps)\nreturn c if q[0] else not c", "one_within(1)", Fraction(1)),
    ("x = 1 if q[0] else 0\ny = x + Pick(1/eps, 3)\nreturn y - 3 if y >= 3 else y", "one_within(1)", Fraction(1)),
    ("return max([1 if b != Flip(2/eps) else 0 for b in q])", "each_within(1)", Fraction(1)),
    ("flag = q[0] != Flip(1/eps)\nreturn T * 2 if flag else T", "one_within(1)", Fraction(1)),
])
def test_losses_for_every_epsilon(body: str, relation: str, upper: Fraction | None) -> None:
    sketch = program(body, relation=relation, more="T: float, ")
    found = counted(sketch)
    assert isinstance(found.proof, Proved) and found.upper is not None
    if upper is not None:
        assert found.upper == upper
    slower = Certificate(found.proof.certificate.text.replace("/eps", "/(2*eps)"))
    assert recheck_counted(slower), "half the noise"


def test_verdicts_from_both_sides() -> None:
    """The bounds meet, the proof is checked again from its document, and too small a claim has a counterexample."""
    rappor = program(MEMORY.format(1.957615, 4.983288), 4, "sum_within(2)")
    found = check(rappor, "0.12")
    assert isinstance(found.verdict, Proved) and found.epsilon_upper is not None
    assert found.epsilon_lower > 0.99 * found.epsilon_upper
    assert inspect_document(found.verdict.certificate.text).faults == ()
    assert isinstance(check(rappor, "0.0999").verdict, Refuted)


def test_what_a_certificate_cannot_say() -> None:
    found = counted(program(MEMORY.format("2/eps", "2/eps")))
    assert isinstance(found.proof, Proved)
    document = json.loads(found.proof.certificate.text)
    assert recheck_counted(found.proof.certificate) == ()
    for change in (
        {"cases": []},
        {"cases": [{"arguments": {}, "losses": [["0", "1/3"], ["0", "1/2"]]}]},
        {"cases": [{"arguments": {}, "losses": [["0"], ["0"]]}]},
        {"cases": [{"arguments": {}, "losses": [["0", "-1"], ["0", "1/2"]]}]},
        {"claim": "eps/3"},
        {"claim": "1"},
        {"program": document["program"].replace("Flip(2/eps)", "Flip(2/eps**2)")},
        {"program": document["program"].replace("one_within", "sum_within").replace("(1)", "(3)"), "claim": "eps/2"},
        {"program": document["program"].replace("memo !=", "q[0] !=")},
        {"kind": "bounded"},
    ):
        assert recheck_counted(Certificate(json.dumps(document | change))), change


def test_what_is_not_counted() -> None:
    for body in ("return q[0] != Flip(1/eps**2)", "return q[0] != Flip(1)", "return 1 / (1 if q[0] else 0)", "if q[0]:\n    x = 1\nreturn x"):
        assert not isinstance(counted(program(body)).proof, Proved)
    noisy = program("return sum(1 for b in q if b) + Geometric(1/eps)")
    assert not isinstance(prove_counted(noisy, plain_claim(noisy), ProofSettings()).proof, Proved)


@pytest.mark.parametrize(("terms", "holds"), [
    ({0: -1, 1: 1}, True), ({0: 1, 1: -1}, False), ({0: 1, 1: -2, 2: 1}, True), ({0: 3, 1: -5, 2: 2}, False), ({}, True), ({1: -1, 3: 1}, True),
])
def test_sums_that_stay_above_zero(terms: Exponentials, holds: bool) -> None:
    assert never_negative(terms) is holds
    values = [sum(c * math.exp(rate * t / 50) for rate, c in terms.items()) for t in range(1, 200)]
    assert holds is (min(values) >= 0)
    assert all(is_above(terms, Fraction(t, 50)) is (value > 1e-30) for t, value in enumerate(values, 1))


IF_ABOVE = "y = x + Pick({}, 4)\nif y > 3:\n    return y - 4\nreturn y"
CLAMPED = "x = min(max(q[0], 0), 3)\n"


@pytest.mark.parametrize("body", [
    CLAMPED + IF_ABOVE.format("1/eps"),
    CLAMPED.replace("min(max(q[0], 0), 3)", "max(0, min(3, q[0]))") + IF_ABOVE.format("1/eps"),
    "x = 0\nfor level in range(1, 4):\n    if q[0] >= level:\n        x = level\n" + IF_ABOVE.format("1/eps"),
    CLAMPED + "return (x + Pick(1/eps, 4)) % 4",
    CLAMPED + "return choose([1 if i == x else 0 for i in range(4)], 1/eps)",
])
def test_k_ary_randomized_response_of_whole_answers(body: str) -> None:
    """Four values, told truly with odds e^ε: tight, also at answers far out."""
    head = "@sketch(adjacent=one_within(3))\ndef f(q: Private[int, 1], eps: Epsilon):\n"
    sketch = parse(head + "".join(f"    {line}\n" for line in body.split("\n")))
    found = counted(sketch)
    assert isinstance(found.proof, Proved) and found.upper == 1
    less = parse(str(sketch).replace("1/eps", "0.98/eps"))
    assert counted(less).upper == Fraction(50, 49) and refute_counted(less, plain_claim(less), ProofSettings().steps) is not None
    arguments = Arguments(Fraction(1), 1)
    for answer, value in ((-7, 0), (0, 0), (2, 2), (4, 3), (50, 3)):
        chance = rigorous_probability(sketch, (Fraction(answer),), arguments, (), Equals(Fraction(value)))
        assert chance.low <= math.e / (math.e + 3) <= chance.high


@pytest.mark.parametrize("body", [
    "return (q[0] > 2) != Flip(1/eps), q[0] * 0", "xs = [q[0], 1]\ni = 1 if Flip(1/eps) else 0\nreturn xs[i] > 2", "return min(q[0], 3) + choose([0, 0], 1/eps)",
    "return (q[0] % 2 == 0) != Flip(1/eps)", "t = q[1]\nreturn (q[0] > t) != Flip(1/eps)", "return choose([q[0], 1], 1/eps)",
])
def test_whole_answers_that_are_not_looked_at_in_levels(body: str) -> None:
    sketch = parse("@sketch(adjacent=each_within(1))\ndef f(q: Private[int, 2], eps: Epsilon):\n" + "".join(f"    {line}\n" for line in body.split("\n")))
    assert counted(sketch).upper is None


def survey(body: str, private: str) -> Sketch:
    return parse(f"@sketch(adjacent=one_within(1))\ndef f(q: Private[{private}], eps: Epsilon):\n" + "".join(f"    {line}\n" for line in body.split("\n")))


SURVEY = "out = [b != Flip(1/eps) for b in q]\n"


@pytest.mark.parametrize(("body", "private"), [
    (SURVEY + "out.append(q[17])\nreturn out", "bool, 30"),
    ("n = 0\nfor b in q:\n    if b != Flip(1/eps):\n        n += 1\nreturn n, q[4]", "bool, 30"),  # the sum itself is no table
    ("c = Flip(1/eps)\nreturn [b != c for b in q]", "bool, 30"),  # all items belong together: some are looked at
    (SURVEY + "if len(q) > 20:\n    out.append(q[20])\nreturn out", "bool"),
    ("first = [b != Flip(1/eps) for b in q]\nreturn first + [b != Flip(1/eps) for b in q]", "bool"),
    ("out = []\nfor b in q:\n    if b:\n        out.append(Flip(1/eps))\nreturn out", "bool"),  # the answer is one table of lists
])
def test_what_tells_a_bit_of_many_is_refuted(body: str, private: str) -> None:
    sketch = survey(body, private)
    refuted = refute_counted(sketch, plain_claim(sketch), ProofSettings().steps)
    assert refuted is not None and sum(a != b for a, b in zip(refuted.example.d1, refuted.example.d2, strict=True)) == 1


@pytest.mark.parametrize("body", [SURVEY + "return out", "return sum(b != Flip(1/eps) for b in q)", SURVEY + "return out[3], out[3] != Flip(1/eps)"])
@pytest.mark.parametrize("private", ["bool", "bool, 30"])
def test_what_tells_no_more_than_the_claim_is_not(body: str, private: str) -> None:
    if "," not in private:
        body = body.replace("out[3]", "out[0]")
    sketch = survey(body, private)
    assert refute_counted(sketch, plain_claim(sketch), ProofSettings().steps) is None


def test_events_of_some_items_have_the_probabilities_of_these_alone() -> None:
    """Of an answer with an item that is no table, and of a list that is one table."""
    mixed = program("n = sum(b != Flip(1/eps) for b in q)\nreturn n, q[4], q[0] != Flip(1/eps)", 12)
    bits = (Fraction(1), *[Fraction(0)] * 11)
    event = AllOf((Anything(), Equals(False), Equals(True)))
    chance = rigorous_probability(mixed, bits, Arguments(Fraction(1), 12), (), event)
    assert chance.low <= math.e / (1 + math.e) <= chance.high and chance.high - chance.low < 1e-9
    lists = program("out = []\nfor b in q:\n    if b:\n        out.append(Flip(1/eps))\nreturn out", 2)
    for wanted, odds in (((), 0), ((True,), 1 / (1 + math.e)), ((False,), math.e / (1 + math.e)), ((False, True), 0)):
        chance = rigorous_probability(lists, (Fraction(0), Fraction(1)), Arguments(Fraction(1), 2), (), Equals(wanted))
        assert chance.low <= odds + 1e-12 and odds - 1e-12 <= chance.high


SKIPPED = (
    "m = None\nif b:\n    m = 1\nif b:\n    if m > 0:\n        return 5\nreturn q[1]",
    "m = None\nif b:\n    m = 1\nif b:\n    if not m <= 0:\n        return 5\nreturn q[1]",
    "m = 0\nif b:\n    m = 1\nif b:\n    if 1 / m > 0:\n        return 5\nreturn q[1]",
    "if b:\n    m = 1\nif b:\n    if m > 0 and m < 2:\n        return 5\nreturn q[1]",
    "out = []\nif b:\n    out.append(1)\nif b:\n    if out[0] > 0:\n        return 5\nreturn q[1]",
    "m = None\nif b:\n    m = 1\nfor i in range(2):\n    if b:\n        if m > 0:\n            return 5\nreturn q[1]",
    "m, r = None, q[1]\nif b:\n    m = 1\nfor i in range(2):\n    if b:\n        if m > 0:\n            break\n    return r\nreturn 5",
    "m = None\nif b:\n    m = 1\nwhile b:\n    while m > 0:\n        return 5\nreturn q[1]",
)


@pytest.mark.parametrize("body", SKIPPED)
def test_a_condition_that_would_stop_a_run_decides_nothing_where_no_run_comes(body: str) -> None:
    """The bit is told wherever the condition is not asked."""
    sketch = program(f"b = q[0] != Flip(1/eps)\n{body}")
    assert counted(sketch).upper is None and isinstance(check(sketch).verdict, Refuted)
    found = find_outcomes_of(sketch, 2, {})
    for way in itertools.product(range(2), repeat=3):
        told = answer_of(sketch, found, way)
        assert shown(looked_up(found.answer, dict(enumerate(way)), found.sizes)) == shown(told)


@pytest.mark.parametrize("body", ["return choose([1 if q[0] else 0] + [0] * 1024, 1/(100*eps))", "s = [0 for i in range(1025)]\nif q[0]:\n    s = [i - i for i in range(1025)]\nreturn choose(s, 1/eps) != 0"])
def test_draws_of_more_places_than_a_table_has_are_not_counted(body: str) -> None:
    with pytest.raises(NotFinite, match="has more than 1024 values"):
        find_outcomes_of(program(body, 1), 1, {})
