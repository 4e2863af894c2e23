"""Affine releases with Gaussian noise are decided exactly (Theorem C)."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from kolahal.lang.claims import plain_claim
from kolahal.lang.read.parse import parse
from kolahal.proof.budgets import decide_budget
from kolahal.proof.find.affine import prove_affine
from kolahal.proof.trusted.affine import read_release, read_verdict, recheck_affine
from kolahal.proof.trusted.certificate import Rejected
from kolahal.settings import Settings
from kolahal.verdicts import AnyRecords, Bounded, Certificate, Exactly, Proved, Refuted, Unknown, UpTo
from kolahal.verification import verify

pytestmark = pytest.mark.mutants

SUMS = """
@sketch(adjacent={})
def f(q: Private[4], T: float, {}):
    out = [T]
    s = 0
    for x in q:
        s = s + x
        out.append(s + {})
    return out
"""
TREE = """
@sketch(adjacent=one_within(1))
def f(q: Private[8], rho: Rho):
    nodes = []
    for i in range(8):
        nodes.append(q[i] + Gauss({0}))
    for i in range(4):
        nodes.append(q[2 * i] + q[2 * i + 1] + Gauss({0}))
    for i in range(2):
        nodes.append(q[4 * i] + q[4 * i + 1] + q[4 * i + 2] + q[4 * i + 3] + Gauss({0}))
    nodes.append(sum(q) + Gauss({0}))
    return nodes
"""
ADDED = """
@sketch(adjacent=each_within(1))
def f(q: Private[1], mu: Mu):
    return q[0] + {} + {}
"""
# (program, just enough, a little less): the squares of the sums' moves are 1 + 4 + 9 + 16 where all answers move, and 4 where one does
TIGHT = [
    (SUMS, ("each_within(1)", "rho: Rho", "Gauss(sqrt(15/rho))"), ("each_within(1)", "rho: Rho", "Gauss(sqrt(14.9/rho))")),
    (SUMS, ("one_within(1)", "mu: Mu", "Gauss(2/mu)"), ("one_within(1)", "mu: Mu", "Gauss(1.99/mu)")),
    (
        SUMS,
        ("sum_within(2)", "eps: Epsilon, delta: Delta", "Gauss(4/gdp(eps, delta))"),
        ("sum_within(2)", "eps: Epsilon, delta: Delta", "Gauss(3.9/gdp(eps, delta))"),
    ),
    (SUMS, ("monotone(1)", "rho: Rho", "Gauss(sqrt(15/rho))"), ("monotone(1)", "rho: Rho", "Gauss(sqrt(14.9/rho))")),
    (TREE, ("sqrt(4/(2*rho))",), ("0.99*sqrt(4/(2*rho))",)),
    (ADDED, ("Gauss(0.6/mu)", "Gauss(0.8/mu)"), ("Gauss(0.6/mu)", "Gauss(0.79/mu)")),
]


@pytest.mark.parametrize("case", range(len(TIGHT)))
def test_the_least_noise_is_proved_and_less_is_refuted(case: int) -> None:
    text, enough, less = TIGHT[case]
    sketch = parse(text.format(*enough))
    found = prove_affine(sketch, plain_claim(sketch), Settings().proof)
    assert isinstance(found, Proved) and isinstance(found.scope, Exactly)
    assert recheck_affine(found.certificate) == [] and verify(found.certificate.text) == []
    sketch = parse(text.format(*less))
    assert isinstance(prove_affine(sketch, plain_claim(sketch), Settings().proof), Unknown)
    assert isinstance(decide_budget(sketch, plain_claim(sketch), Settings()).verdict, Refuted)


def test_what_is_not_declared_is_bounded() -> None:
    sketch = parse(SUMS.format("one_within(1)", "rho: Rho", "Gauss(sqrt(4/(2*rho)))").replace("Private[4]", "Private"))
    found = prove_affine(sketch, plain_claim(sketch), Settings().proof)
    assert isinstance(found, Bounded) and found.scope.size == 4 and verify(found.certificate.text) == []
    # At five answers it is one too many.
    assert isinstance(decide_budget(sketch, plain_claim(sketch), Settings()).verdict, Bounded)


def test_as_many_neighbours_as_may_be_are_looked_at() -> None:
    sketch = parse("@sketch(adjacent=each_within(1))\ndef f(q: Private[12], rho: Rho):\n    return [x + Gauss(sqrt(12/(2*rho))) for x in q]\n")
    found = prove_affine(sketch, plain_claim(sketch), Settings().proof)
    assert isinstance(found, Proved) and recheck_affine(found.certificate) == []


@pytest.mark.parametrize(
    "body",
    [
        "    return q[0] + Gauss(1/sqrt(2*rho)) > 0",
        "    if q[0] > 0:\n        return q[0] + Gauss(1/sqrt(2*rho))\n    return 0",
        "    e = Gauss(1/sqrt(2*rho))\n    return q[0] + e, q[1] + e",
        "    return q[0] + Gauss(1/sqrt(2*rho)), q[1]",
        "    return q[0] * Gauss(1/sqrt(2*rho))",
        "    return q[0] + Exp(1/rho)",
        "    return q[0] + Gauss(1/rho)",
        "    return q[2] + Gauss(1/sqrt(2*rho))",
        "    return max(q[0] + Gauss(1/sqrt(2*rho)), 0)",
    ],
)
def test_no_release(body: str) -> None:
    sketch = parse(f"@sketch(adjacent=one_within(1))\ndef f(q: Private[2], rho: Rho):\n{body}\n")
    assert isinstance(prove_affine(sketch, plain_claim(sketch), Settings().proof), Unknown)


@pytest.mark.parametrize(
    ("budget", "noise", "proved"),
    [
        ("rho: Rho", "DiscreteGauss(1/sqrt(2*rho))", True),
        ("mu: Mu", "DiscreteGauss(1/mu)", False),
        ("mu: Mu", "Lap(1/mu)", False),
        ("rho: Rho", "Lap(1/sqrt(2*rho))", True),
        ("rho: Rho", "Lap(1/rho)", True),
        ("eps: Epsilon, delta: Delta", "Lap(1/gdp(eps, delta))", False),
    ],
)
def test_families(budget: str, noise: str, proved: bool) -> None:
    sketch = parse(f"@sketch(adjacent=one_within(1))\ndef f(q: Private[int, 2], {budget}):\n    return [x + {noise} for x in q]\n")
    assert isinstance(prove_affine(sketch, plain_claim(sketch), Settings().proof), Proved) == proved


RECORDS = "@sketch(adjacent=add_remove(1))\ndef f(rows: Records[Between(0, 9)], {}rho: Rho):\n    {}\n"
G = "Gauss(1/sqrt(2*rho))"


@pytest.mark.parametrize(
    ("arguments", "body", "reason"),
    [
        ("days: int, ", f"return [sum(1 for r in rows if r == d) + {G} for d in range(days)]", "bins of records"),
        ("", f"t = sum(1 for r in rows if r > 5) + {G}\n    return sum(1 for r in rows if r > t) + {G}", "questions that depend on the run"),
        ("k: int, ", f"return len(rows) + k + {G}", "whole arguments"),
    ],
)
def test_which_records_are_not_looked_at(arguments: str, body: str, reason: str) -> None:
    sketch = parse(RECORDS.format(arguments, body))
    with pytest.raises(Rejected, match=reason):
        read_release(sketch, plain_claim(sketch), 2)


def test_records_without_bounds_are_not_released() -> None:
    sketch = parse(RECORDS.format("", f"return sum(r for r in rows) + {G}").replace("[Between(0, 9)]", ""))
    with pytest.raises(Rejected, match="by any amount"):
        read_release(sketch, plain_claim(sketch), 1)


def test_what_a_certificate_says() -> None:
    given = Certificate("{}")
    plain, declared = (parse(SUMS.format("one_within(1)", "rho: Rho", G).replace("Private[4]", private)) for private in ("Private", "Private[4]"))
    assert read_verdict(parse(RECORDS.format("", f"return len(rows) + {G}")), given, 1) == Proved(given, AnyRecords())
    assert read_verdict(plain, given, 3) == Bounded(given, UpTo(3)) and read_verdict(declared, given, 4) == Proved(given, Exactly(4))


def test_sizes_stand_in_order_from_1() -> None:
    sketch = parse(SUMS.format("one_within(1)", "rho: Rho", "Gauss(sqrt(4/(2*rho)))").replace("Private[4]", "Private"))
    found = prove_affine(sketch, plain_claim(sketch), Settings().proof)
    assert isinstance(found, Bounded)
    document = found.certificate.document()
    sizes = document["sizes"]
    assert [entry["size"] for entry in sizes] == [1, 2, 3, 4]
    for told in (sizes[::-1], sizes[1:], [*sizes, sizes[0]], []):
        assert recheck_affine(Certificate(json.dumps({**document, "sizes": told}))) == ["it does not have one case for each size"]
    assert recheck_affine(Certificate(json.dumps({**document, "sizes": sizes[:2]}))) == []


def test_no_document_passes_for_another() -> None:
    sketch = parse(SUMS.format("each_within(1)", "rho: Rho", "Gauss(sqrt(15/rho))"))
    found = prove_affine(sketch, plain_claim(sketch), Settings().proof)
    assert isinstance(found, Proved)
    document = found.certificate.document()
    (entry,) = document["sizes"]
    name, step = next(iter(entry["shifts"][0].items()))
    other = {**entry["shifts"][0], name: str(Fraction(step) / 2)}
    for change in (
        {"program": str(parse(SUMS.format("each_within(1)", "rho: Rho", "Gauss(sqrt(14/rho))")))},
        {"program": str(parse(SUMS.format("each_within(1)", "rho: Rho", "Lap(9/rho)")))},
        {"claim": "rho/2"},
        {"claim": "sqrt(rho)"},
        {"claim": "rho**2"},
        {"claim": "20"},
        {"variant": "mu"},
        {"adjacency": "one_within(1)"},
        {"sizes": []},
        {"sizes": [{**entry, "size": 3}]},
        {"sizes": [{**entry, "shifts": entry["shifts"][1:]}]},
        {"sizes": [{**entry, "shifts": [other, *entry["shifts"][1:]]}]},
        {"sizes": [{**entry, "shifts": [{"noise9": "1"}, *entry["shifts"][1:]]}]},
        {"kind": "budget"},
    ):
        assert recheck_affine(Certificate(json.dumps({**document, **change}))), change
