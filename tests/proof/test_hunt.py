"""No generated mechanism gets a wrong verdict; `make hunt` looks at many more, and at larger ones."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction

import pytest
from bench.hunt import SMALL, summary, verdicts
from bench.hunt.grid import TOLERANCE, largest_loss
from bench.hunt.shrink import shrink
from bench.hunt.verdicts import Effort, Finding, judge
from bench.hunt.writer import write

from kolahal.exact.balls import Interval
from kolahal.exact.intervals import rigorous_probability
from kolahal.lang.read.parse import parse
from kolahal.lang.sketch import Sketch
from kolahal.model import Arguments, Equals, Estimate
from kolahal.proof.find import lengths
from kolahal.proof.find.bounded import find_upper_bound
from kolahal.proof.refute.refute import refute
from kolahal.sketches.gallery import load_one
from kolahal.verdicts import Certificate, Everywhere, Proved

BLOCKS, EACH = 25, 80  # 2,000 mechanisms
FEW = 2  # blocks of them in `make test`


def look_at(seed: int) -> Finding:
    """Costs, bounded proofs and brute force for all; the other judges for some."""
    effort = Effort(lengths=seed % 10 == 0, refuter=seed % 10 == 5, seconds=20, points=2_500, bases=1)
    return judge(write(seed, SMALL), seed, effort)


@pytest.mark.parametrize("block", [*range(FEW), *(pytest.param(b, marks=pytest.mark.hunt) for b in range(FEW, BLOCKS))])
def test_no_verdict_is_contradicted(block: int) -> None:
    findings = [look_at(10_000_000 + EACH * block + number) for number in range(EACH)]
    assert [f for f in findings if f.contradiction] == []
    # A hunt that decides nothing, or compares nothing, would pass too.
    assert sum(f.verdict.startswith(("proved", "bounded")) for f in findings) > EACH / 4
    assert sum(f.summed for f in findings) > EACH / 2
    assert sum(f.tight for f in findings) > EACH / 4


def fill(name: str, *scales: str | None) -> Sketch:
    return load_one(name).complete(*scales).filled()


EXACT: dict[str, tuple[float, tuple[str | None, ...]]] = {
    "histogram": (0.99, ("{a}/eps",)),
    "sum": (0.9, ("{a}/eps",)),  # the loss grows slowly: a polynomial stands before the exponential
    "noisy_max_1": (0.9, ("{a}/eps",)),
    "exp_noisy_max": (0.99, ("{a}/eps", None)),
    "above_threshold_1": (0.95, ("{a}/eps", "{b}/eps")),
    "svt": (0.95, ("{a}/eps", "{b}/eps")),
    "smart_sum": (0.99, ("{a}/eps", "{b}/eps")),
}


@pytest.mark.parametrize("name", EXACT)
def test_where_the_linear_program_is_exact_brute_force_reaches_its_value(name: str) -> None:
    """Each comparison and each output has an answer of its own here, so databases far apart lose what shifts cost."""
    share, scales = EXACT[name]
    rng = random.Random(name)
    for seed in range(3):
        a, b = rng.choice((1, 2, 3)), rng.choice((1, 2, 4))
        mechanism = fill(name, *(scale and scale.format(a=a, b=b) for scale in scales))
        cost = float(find_upper_bound(mechanism, size=2))
        found = largest_loss(mechanism, seed, sizes=(2,), bases=60, moves=6, stop=share * cost)
        assert found is not None and share * cost < found.value <= cost + TOLERANCE, (a, b, cost, found)


NOT_PRIVATE = {
    "no noise": "return q[0] > 0",
    "a draw that shows itself": "t = Lap(1/eps)\n    return q[0] + t, t",
    "too little noise": "return q[0] + Lap(0.99/eps)",
    "one-sided noise": "return q[0] + Exp(1/eps)",
    "one-sided noise on the whole numbers": "return q[0] + DiscreteExp(4/eps)",
    "a draw used twice": "t = DiscreteLap(1/eps)\n    return [x + t for x in q]",
    "a branch on the answer": "if q[0] > 0:\n        return Lap(1/eps)\n    return 3 + Lap(1/eps)",
}


@pytest.mark.parametrize("name", NOT_PRIVATE)
def test_brute_force_sees_what_is_not_private(name: str) -> None:
    found = largest_loss(program(NOT_PRIVATE[name]), bases=6)
    assert found is not None and found.value > 1 + TOLERANCE


def program(body: str) -> Sketch:
    return parse(f"@sketch(adjacent=one_within(1))\ndef f(q: Private, eps: Epsilon):\n    {body}\n")


@pytest.mark.parametrize("name", NOT_PRIVATE)
def test_a_prover_that_believes_anything_is_caught(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = Proved(Certificate("{}"), Everywhere())
    monkeypatch.setattr(verdicts, "prove_every_length", lambda *_: wrong)
    text = str(program(NOT_PRIVATE[name]))
    assert judge(text, 0, Effort(everyone=True, bases=6)).contradiction.startswith("proved")
    monkeypatch.setattr(verdicts, "refute", lambda *_: None)
    assert judge(text, 0, Effort(everyone=True, bases=6)).contradiction.startswith("proved, and brute force finds")


@pytest.mark.contradiction
def test_a_recheck_that_refuses_our_own_proofs_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lengths, "recheck", lambda *_, **__: ["it does not hold"])
    found = judge(str(fill("histogram", "1/eps")), 0, Effort(everyone=True))
    assert found.contradiction == "a proof for every length did not pass its re-check: it does not hold"


def test_too_low_a_cost_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verdicts, "find_upper_bound", lambda *_: 0.9)
    found = judge(str(fill("histogram", "1/eps")), 0, Effort(lengths=False))
    assert found.contradiction.startswith("the cheapest alignment costs 0.9, and brute force finds loss 1 ")


def test_a_refuter_that_computes_wrongly_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism = fill("histogram", "0.5/eps")
    found = refute(mechanism, verdicts.CLAIM, verdicts.SETTINGS)
    assert found is not None
    off = Estimate(0.9, 0.9, 0.9, 0)
    monkeypatch.setattr(verdicts, "refute", lambda *_: replace(found, odds=replace(found.odds, p1=off)))
    assert judge(str(mechanism), 0, Effort()).contradiction.startswith("refuted by")


def test_a_lattice_that_is_too_large_says_nothing() -> None:
    many = "return [x + Lap(1/eps) + Lap(1/eps) + Lap(1/eps) + Lap(1/eps) for x in q]"
    assert largest_loss(program(many), sizes=(2,), most=1_000) is None


def test_shrinking_keeps_what_matters() -> None:
    text = write(7, (0, 100, 0, 0, 0))
    small = shrink(text, lambda other: "return" in other)
    assert len(small) < len(text) and parse(small)
    kept = shrink(str(fill("svt", "2/eps", "4*N/eps")), lambda other: "for" in other and "Lap(" in other)
    assert "for" in kept and kept.count("Lap(") == 1 and len(kept.splitlines()) <= 6


def test_the_summary_counts_everything() -> None:
    findings = [look_at(seed) for seed in range(20_000_000, 20_000_020)]
    text = summary([*findings, Finding(1, "unknown", "time", True, "proved and refuted")], 1.0)
    assert "21 mechanisms in 1 s; contradictions: 1" in text
    assert "     1  time" in text


# ---------------------------------------------------------------- what hunts have found


def test_an_answer_between_the_whole_numbers_is_impossible() -> None:
    """Two limits without a whole number between them gave a wrong probability, and a private program was refuted."""
    mechanism = program("return q[0] + DiscreteLap(8/eps) + DiscreteLap(1/eps)")
    for answer in (0, 1):
        half = (Fraction(1, 2),)
        found = rigorous_probability(mechanism, half, Arguments(Fraction(1), 1, ()), (), Equals(Fraction(answer)))
        assert isinstance(found, Interval) and found.is_zero


def test_an_answer_that_is_given_twice_can_be_refuted() -> None:
    assert refute(program("b = q[0] + Lap(0.5/eps)\n    return b, b"), verdicts.CLAIM, verdicts.SETTINGS) is not None


HEAD = "@sketch(adjacent={})\ndef hunted(q: Private, eps: Epsilon):\n    {}\n"
FOUND = {
    # Whole noise and moves by halves: among whole numbers such neighbours are equal, so anything was proved.
    "moves by halves": HEAD.format("each_within(1/2)", "return q[0] + DiscreteLap(0.5/eps)"),
    # A cost that is in proportion to the move and to a public quantity stopped the prover.
    "a cost that is not linear": HEAD.format(
        "sum_within(1)", "return [q[0] + DiscreteLap(len(q)*2/eps) for k in range(len(q))]"
    ),
}


@pytest.mark.parametrize("name", FOUND)
def test_what_was_once_judged_wrongly(name: str) -> None:
    assert not judge(FOUND[name], 0, Effort(everyone=True, seconds=60)).contradiction


@pytest.mark.parametrize(
    "body",
    [
        "    if q[0] > 0:\n        return q[0] + Lap(1/eps)\n    return q[0] + Lap(1/eps)\n",
        "    if q[0] > 0:\n        a = Lap(1/eps)\n    else:\n        a = 1 + Lap(1/eps)\n    return a\n",
    ],
)
def test_brute_force_takes_a_release_in_two_branches_for_one(body: str) -> None:
    program = parse(f"@sketch(adjacent=one_within(1))\ndef f(q: Private, eps: Epsilon):\n{body}")
    found = largest_loss(program)
    assert found is not None and found.value == pytest.approx(1, abs=TOLERANCE)
