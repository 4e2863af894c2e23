"""Aggregates that depend on the run: noisy binary search, thresholds that are noisy themselves; and what must not be proved."""

import random
from fractions import Fraction
from types import SimpleNamespace

import pytest

from kolahal.lang.adjacency import EachWithin, Monotone
from kolahal.lang.ir import Query, walk
from kolahal.lang.read.parse import parse
from kolahal.lang.records.moves import RecordRelation
from kolahal.lang.scale import parse_scale
from kolahal.lang.sketch import Sketch, call_mechanism
from kolahal.lang.source import SketchError
from kolahal.law.law import find_laws
from kolahal.proof.decide import decide
from kolahal.proof.find.bounded import prove_bounded
from kolahal.proof.find.lengths import prove_every_length
from kolahal.proof.trusted.bounded import recheck_bounded
from kolahal.proof.trusted.certificate import recheck
from kolahal.proof.trusted.neighbours import enclosing
from kolahal.proof.trusted.restated.told import told
from kolahal.settings import ProofSettings, Settings
from kolahal.verdicts import AnyRecords, Bounded, Certificate, Proved, Refuted, Unknown

HEADER = """
class Visit(NamedTuple):
    age: Between(0, 100)
    kind: Literal["new", "old"]

@sketch(adjacent={relation})
def f(rows: Records[Visit], K: int, eps: Epsilon):
    {body}
"""
MEDIAN = """lo, hi = 0, 100
    for k in range({turns}):
        mid = (lo + hi) / 2
        if {test} > 0:
            hi = mid
        else:
            lo = mid
    return lo"""
WAYS = [
    "sum(1 for r in rows if r.age <= mid) - len(rows) / 2 + Lap({scale}/eps)",
    "Lap({scale}/eps) + sum(1 for r in rows if r.age <= mid) - 0.5 * len(rows)",
    "sum((1 if r.age <= mid else 0) - 0.5 for r in rows) + Lap({scale}/eps)",
    "(sum(1 for r in rows if r.age <= mid) - sum(1 for r in rows if r.age > mid)) / 2 + Lap({scale}/eps)",
    "sum(1 for r in rows if r.age <= mid) / 2 - sum(1 for r in rows if not r.age <= mid) / 2 + Lap({scale}/eps)",
]


def median(way: str, relation: str, turns: object, scale: str) -> Sketch:
    return read(MEDIAN.format(turns=turns, test=way.format(scale=scale)), relation)


def read(body: str, relation: str = "add_remove(1)") -> Sketch:
    return parse(HEADER.format(relation=relation, body=body))


@pytest.mark.parametrize("way", [w for i, w in enumerate(WAYS) if i != 3])
def test_noisy_binary_search_costs_half_a_step_a_turn(way):
    program = median(way, "add_remove(1)", "K", "K/2")
    assert parse(str(program)) == program
    found = prove_every_length(program)
    assert isinstance(found, Proved), found
    assert found.scope == AnyRecords()
    assert not isinstance(prove_every_length(median(way, "add_remove(1)", "K", "K/2.5")), Proved)
    assert not recheck(found.certificate)
    assert recheck(Certificate(found.certificate.text.replace("add_remove(1)", "replace(1)")))


def test_it_costs_twice_as_much_where_records_are_replaced():
    assert isinstance(prove_every_length(median(WAYS[0], "replace(1)", "K", "K")), Proved)
    assert not isinstance(prove_every_length(median(WAYS[0], "replace(1)", "K", "K/2")), Proved)


def test_a_written_number_of_turns():
    program = parse(str(median(WAYS[0], "add_remove(1)", 4, "2")).replace("K: int, ", ""))
    found = prove_bounded(program)
    assert isinstance(found, Proved), found
    assert not recheck_bounded(found.certificate)
    thin = parse(str(median(WAYS[0], "add_remove(1)", 4, "1.9")).replace("K: int, ", ""))
    assert isinstance(prove_bounded(thin), Unknown)


def test_the_law_of_the_search():
    sketch = parse(str(median(WAYS[0], "add_remove(1)", "K", "1")).replace("Lap(1/eps)", "Lap(hole)"))
    laws = find_laws(sketch, ProofSettings())
    assert not isinstance(laws, Unknown) and laws.law(sketch).text == "K/(2*eta1) <= eps"


def test_the_relations_of_questions():
    def of(test: str, relation: str) -> object:
        return enclosing(median(test, relation, "K", "1").adjacency)

    assert of(WAYS[0], "add_remove(1)") == EachWithin(Fraction(1, 2))
    assert of("sum(1 for r in rows if r.age <= mid) + Lap({scale}/eps)", "add_remove(1)") == Monotone(1)
    assert of("sum(1 for r in rows if r.age <= mid) + Lap({scale}/eps)", "replace(1)") == EachWithin(1)


SPREAD = """mean = sum(clip(r.age, 0, 100) for r in rows) + Lap({}/eps)
    far = sum(min(abs(r.age - mean), 50) for r in rows) + Lap({}/eps)
    return {}"""


@pytest.mark.parametrize("answer", ["far", "(mean, far)", "far - mean", "far / max(mean, 1)"])
def test_a_question_about_a_noisy_value(answer):
    program = parse(str(read(SPREAD.format(200, 100, answer))).replace("K: int, ", ""))
    assert parse(str(program)) == program
    assert isinstance(prove_bounded(program), Proved)
    assert isinstance(prove_bounded(parse(str(program).replace("Lap(100/eps)", "Lap(90/eps)"))), Unknown)


@pytest.mark.parametrize(
    "body",
    [
        # What is asked with a value that has no noise tells that value.
        "n = len(rows)\n    return sum(1 for r in rows if r.age <= n) + Lap(4/eps)",
        "n = sum(1 for r in rows if r.age > 3)\n    x = sum(1 for r in rows if r.age <= n) + Lap(4/eps)\n    return x",
        # Noise that a question is asked with is spent, though it is nowhere in the answer.
        "t = sum(clip(r.age, 0, 50) for r in rows) + Lap(0.1/eps)\n    return sum(1 for r in rows if r.age <= t) + Lap(1.5/eps)",
        # Which of two questions is asked is decided by a comparison without noise.
        "t = 3\n    if len(rows) > 10:\n        t = 5\n    return sum(1 for r in rows if r.age <= t) + Lap(4/eps)",
        # The same noise twice.
        "t = len(rows) + Lap(1/eps)\n    x = sum(1 for r in rows if r.age <= t) + Lap(1/eps)\n    return x",
        MEDIAN.format(turns="K", test="sum(1 for r in rows if r.age <= mid) - len(rows) / 2 + Lap(1/eps)"),
    ],
)
def test_what_is_not_private_is_not_proved(body):
    program = read(body)
    assert any(isinstance(node, Query) for node in walk(program.body))
    assert not isinstance(prove_every_length(program), Proved)
    assert not isinstance(prove_bounded(program, size=2), Proved | Bounded) or "for k in" in body


@pytest.mark.parametrize(
    "body",
    [
        "t = 50 + Lap(hole)\n    while t > 0:\n        t = sum(1 for r in rows if r.age <= t) + Lap(hole)\n    return t",
        "t = 0 + Lap(hole)\n    for i in range(K):\n        for j in range(K):\n            t = sum(1 for r in rows if r.age <= t) + Lap(hole)\n    return t",
        "t = 0 + Lap(hole)\n    for i in range(K):\n        t = sum(1 for r in rows if r.age <= t) + Lap(hole)\n        t = sum(1 for r in rows if r.age <= t) + Lap(hole)\n    return t",
        "t = 0 + Lap(hole)\n    for i in range(K):\n        t = sum(1 for r in rows if r.age <= t) + Lap(hole)\n    return t + sum(1 for r in rows if r.age <= t) + Lap(hole)",
        "t = 0 + Lap(hole)\n    return [sum(1 for r in rows if r.age <= t) + Lap(hole) for i in range(K)]",
        "t = 0 + Lap(hole)\n    return 1 if any(sum(1 for r in rows if r.age <= t) + Lap(hole) > 0 for i in range(K)) else 0",
        "ts = [50 + Lap(hole)]\n    x = 0\n    for t in ts:\n        x = sum(1 for r in rows if r.age <= t) + Lap(hole)\n    return x",
        "t = None\n    if K > 1:\n        t = 1\n    return sum(1 for r in rows if r.age <= t) + Lap(hole)",
        "t = [1]\n    return sum(1 for r in rows if r.age <= t) + Lap(hole)",
        "t = 50 + Lap(hole)\n    return sum(1 for r in rows if r.age * t <= 1) + sum(r.age * t for r in rows) + Lap(hole)",
    ],
)
def test_questions_that_cannot_be_followed_are_refused(body):
    with pytest.raises(SketchError, match=r"K174|K175|K202|K171"):
        read(body)


def test_what_is_asked_is_told_before_the_answer():
    text = str(told(median(WAYS[0], "add_remove(1)", "K", "K/2")))
    assert "told.append(mid)" in text and text.index("told.append(mid)") < text.index("told.append(lo)")
    plain = read("return len(rows) + Lap(1/eps)")
    assert told(plain) is plain


@pytest.mark.parametrize("name", ["told", "told_", "told_item", "told_list"])
def test_no_name_of_the_program_empties_what_is_told(name):
    """Of 50 records below 51 and a million at 51, one record more moves the second count by a million."""
    leak = f"t = sum(1 for r in rows if r.age <= 50)\n    c = sum(1 for r in rows if r.age <= t) + Lap(4/eps)\n    {name} = []\n    return c"
    assert f"{name}.append" not in str(told(read(leak)))
    assert not isinstance(prove_every_length(read(leak)), Proved)
    fine = leak.replace("<= 50)", "<= 50) + Lap(2/eps)")
    assert isinstance(prove_every_length(read(fine)), Proved)


def test_no_name_of_the_run_is_that_of_a_record():
    body = "record = sum(1 for r in rows if r.age > 3) + Lap(2/eps)\n    t = sum(1 for r in rows if r.age <= {0})\n    return t + Lap(2/eps)"
    with pytest.raises(SketchError, match="K141"):
        read(body.format("record"))
    assert isinstance(prove_every_length(read(body.format("50"))), Proved)


def test_where_the_answer_begins_is_told_unless_all_have_as_many_items():
    ask = "t = len(rows) + Lap(2/eps)\n    x = sum(1 for r in rows if r.age <= t) + Lap(2/eps)\n    "
    for end, marked in (("return x", False), ("return t, x", False), ("if x > 3:\n        return t, x\n    return x", True), ("out = [x]\n    return out", True)):
        assert ("told.append(True)" in str(told(read(ask + end)))) is marked


@pytest.mark.parametrize("seed", range(5))
def test_a_call_asks_the_records(seed):
    rng = random.Random(seed)
    rows = [(Fraction(rng.randint(0, 100)), rng.choice(["new", "old"])) for _ in range(21)]
    program = median(WAYS[0], "add_remove(1)", "K", "K/2")
    found = call_mechanism(program, [rows, 8, 1.0], {}, lambda noise, scale: 0.0)
    ages = sorted(age for age, _ in rows)
    assert abs(found - float(ages[10])) <= 100 / 2**8 * 1.01
    spread = read(SPREAD.format(200, 100, "(mean, far)"))
    mean, far = call_mechanism(spread, [rows, 8, 1.0], {}, lambda noise, scale: 0.0)
    assert (mean, far) == (sum(ages), float(sum(min(abs(age - sum(ages)), 50) for age in ages)))


def test_a_loop_over_the_records_may_ask_too():
    body = MEDIAN.format(turns="K", test="n + Lap(K/(2*eps))").replace(
        "        if n", "        n = 0\n        for r in rows:\n            if r.age <= mid:\n                n += 0.5\n            else:\n                n -= 0.5\n        if n"
    )
    program = read(body)
    assert isinstance(prove_every_length(program), Proved)


def test_answers_without_questions_are_no_neighbours():
    """Of two lists of answers alone nobody knows what was asked; tests/proof/test_record_runs.py has lists of records."""
    program = median(WAYS[0], "add_remove(1)", "K", "K/2")
    assert isinstance(program.adjacency, RecordRelation)
    zero, half = (Fraction(0),) * 2, (Fraction(1, 2),) * 2
    assert not program.related(zero, half) and not program.related(zero, zero)


# The first asks about x and then about y, the others about x alone. What is asked second in `b` is told as what is asked first
# in others: of values alone nobody knows to which question they belong.
CHANGING_PLACES = """x, y = 0, 200
    t = x
    if {first}:
        a = sum(1 for r in rows if r.age < x)
        t = y
    b = sum(1 for r in rows if r.age < t)
    if {second}:
        c = sum(1 for r in rows if r.age < y)
    return b + Lap({scale}/eps)"""


def test_which_question_is_asked_is_told():
    """With 4 records the answer is 4, with 3 it is 0, each with noise of scale 1/eps."""
    without = read(CHANGING_PLACES.format(first="len(rows) > 3", second="len(rows) <= 3", scale=1))
    assert isinstance(prove_bounded(without), Unknown)
    noisy = "n = len(rows) + Lap(2/eps)\n    " + CHANGING_PLACES.format(first="n > 3", second="n <= 3", scale=2)
    assert isinstance(prove_bounded(read(noisy)), Bounded)


@pytest.mark.parametrize(
    ("before", "fits"),
    [
        ("if len(rows) + Lap(2/eps) > 3:\n        t = 1", False),
        ("for i in range(K):\n        t = i", False),
        ("for t in range(K):\n        pass", False),
        ("if len(rows) + Lap(2/eps) > 3:\n        t = 1\n    else:\n        t = 2", True),
        ("if len(rows) + Lap(2/eps) > 3:\n        return 0\n    t = 1", True),
    ],
)
def test_what_is_asked_with_has_a_value(before, fits):
    """Python looks at `t` once for each record: without a value, whether there are records decides whether a run stops."""
    body = f"{before}\n    return sum(1 for r in rows if r.age < t) + Lap(2/eps)"
    if fits:
        assert isinstance(prove_bounded(read(body)), Bounded)
        return
    with pytest.raises(SketchError, match="K168"):
        read(body)


@pytest.mark.parametrize(
    "total",
    [
        "sum(1 for r in rows if r.age < t) - len(rows) / 2 + max((r.age for r in rows), default=0)",
        "3 * max((r.age for r in rows), default=0) - (len(rows) - sum(1 for r in rows if r.age < t)) / 4",
        "7 - (len(rows) / 2 - (sum(1 for r in rows if r.age < t) - t)) - min((r.age for r in rows), default=0) * 2",
        "0 * len(rows) + sum(r.age for r in rows if r.age < t) / 2 - -len(rows) + t",
    ],
)
def test_no_part_of_a_sum_is_lost_beside_a_question(total):
    rows = [(Fraction(age), "new") for age in (3, 40, 41, 77)]
    program = read(f"t = 41 + Lap(2/eps)\n    x = {total}\n    return x + Lap(2/eps)")
    found = call_mechanism(program, [rows, 1, 1.0], {}, lambda noise, scale: 0.0)
    assert found == eval(total, {"rows": [SimpleNamespace(age=age) for age, _ in rows], "t": 41})
    assert isinstance(prove_bounded(program), Unknown)


@pytest.mark.parametrize("added", ["k", "0", "0 if r.age <= k else 0"])
def test_questions_that_move_by_any_amount_or_not_at_all_have_a_verdict(added):
    body = f"c, k = 0, 1\n    for i in range(2):\n        for r in rows:\n            c += {added}\n        k = 100\n    return c + Lap(2/eps)"
    assert not isinstance(decide(read(body), parse_scale("eps"), Settings()).verdict, Refuted)
