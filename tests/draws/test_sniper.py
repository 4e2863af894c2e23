"""DP-Sniper's local mechanisms and its truncated geometric one, k-ary randomized response: true ε from both sides."""

from __future__ import annotations

import json
import math
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.stats import chisquare

from kolahal.checking import check
from kolahal.cli import cli
from kolahal.emission.program import load_emitted
from kolahal.emission.release import emit
from kolahal.emission.resolution import plan_grid
from kolahal.engine.engines import BATCH
from kolahal.engine.tape import Tape
from kolahal.exact.probe import event_probability
from kolahal.lang.read.parse import parse
from kolahal.law.law import find_laws
from kolahal.model import Arguments, Equals
from kolahal.proof.find.bounded import prove_bounded
from kolahal.settings import Settings
from kolahal.verdicts import Proved, Refuted, Unknown
from kolahal.verification import inspect_document

FALSE_ALARM = 1e-9
KARY = """
@sketch(adjacent=one_within(2))
def kary(q: Private[int, 1], eps: Epsilon):
    x = 0
    if q[0] == 1:
        x = 1
    if q[0] >= 2:
        x = 2
    y = x + Pick({}, 3)
    return y - 3 if y >= 3 else y
"""
ONE_TIME = """
@sketch(adjacent=sum_within(8))
def one_time_rappor(q: Private[bool, 20], eps: Epsilon):
    out = []
    for b in q:
        out.append(b != Flip({}/eps))
    return out
"""


def test_k_ary_randomized_response() -> None:
    sketch = parse(KARY.format("hole"))
    laws = find_laws(sketch, Settings().proof)
    assert not isinstance(laws, Unknown) and laws.law(sketch).text == "1/eta1 <= eps"
    tight = check(parse(KARY.format("1/eps")))
    assert isinstance(tight.verdict, Proved) and tight.epsilon_lower == pytest.approx(1, rel=0.01)
    assert isinstance(check(parse(KARY.format("0.98/eps"))).verdict, Refuted)
    # What tells how often the draw was not 0 is not hidden by turning to another place.
    twice = parse("@sketch(adjacent=one_within(2))\ndef f(q: Private[int, 1], eps: Epsilon):\n    r = Pick(1/eps, 3)\n    if q[0] >= 1:\n        return r > 0\n    return r == 1\n")
    assert not isinstance(prove_bounded(twice), Proved)


def test_an_emitted_pick_has_the_true_value_with_the_larger_probability() -> None:
    """A right sampler fails with chance below 1e-9."""
    private = load_emitted(emit(parse(KARY.format("1/eps"))))
    runs = 4000
    counts = Counter(private([1], 1) for _ in range(runs))
    odds = [1.0, math.e, 1.0]
    assert chisquare([counts[i] for i in range(3)], [runs * o / sum(odds) for o in odds]).pvalue > FALSE_ALARM


def test_the_rest_of_a_pick_is_emitted_and_that_of_noise_is_not() -> None:
    """Around the circle by %, as the documentation has it: where nothing is added to values there is no grid to leave."""
    head = "@sketch(adjacent=one_within(3))\ndef f(q: Private[int, 1], eps: Epsilon):\n    x = min(max(q[0], 0), 3)\n"
    private = load_emitted(emit(parse(head + "    return (x + Pick(1/eps, 4)) % 4\n")))
    runs = 2000
    counts = Counter(private([3], 1) for _ in range(runs))
    odds = [1.0, 1.0, 1.0, math.e]
    assert chisquare([counts[i] for i in range(4)], [runs * o / sum(odds) for o in odds]).pvalue > FALSE_ALARM
    (reason,) = plan_grid(parse(head + "    return (x + Geometric(3/eps)) % 4\n")).reasons
    assert "takes the floor or the rest" in reason


HEAD = "from kolahal import Epsilon, Flip, Geometric, Private, each_within, sketch, sum_within\n\n\n"
MEMORY = """@sketch(adjacent=sum_within(8))
def rappor(q: Private[bool, 20], eps: Epsilon):
    memory = [b != Flip(1.957615) for b in q]
    return [b != Flip(4.983288) for b in memory]
"""
TRUNCATED = """@sketch(adjacent=each_within(1))
def truncated(q: Private[int, 1], eps: Epsilon):
    return min(max(q[0] + Geometric(1/eps), 0), 5)
"""


@pytest.mark.parametrize(("text", "claim", "truth"), [
    # f = 0.95: a bit is turned over with probability 0.475 = 1/(1 + exp(1/9.991662)); two values differ in 8 bits.
    (ONE_TIME.replace("{}/eps", "9.991662"), "1", 8 * math.log(0.525 / 0.475)),
    # f = 0.75, p = 0.45, q = 0.55: a bit survives both coins with probability 0.5125.
    (MEMORY, "0.5", 8 * math.log(0.5125 / 0.4875)),
    (TRUNCATED, "", 1.0),
], ids=["one-time", "memory", "truncated"])
def test_dp_sniper_from_both_sides_from_the_command_line(text: str, claim: str, truth: float, tmp_path: Path) -> None:
    """The true ε of its three local mechanisms, each within 1 %, whatever is claimed above it; and not with less."""
    file = tmp_path / "mechanism.py"
    file.write_text(HEAD + text, encoding="utf-8")
    result = CliRunner().invoke(cli, ["check", str(file), "--json", *(["--eps-claim", claim] if claim else [])])
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    level = float(claim or 1)
    assert 0.99 * truth <= told["epsilon_lower"] * level <= truth * 1.000_001
    assert truth * 0.999_999 <= told["epsilon_upper"] * level <= 1.01 * truth
    assert inspect_document(result.stdout).faults == ()


def test_one_time_rappor_as_a_formula() -> None:
    tight = check(parse(ONE_TIME.format("8")))
    assert isinstance(tight.verdict, Proved) and tight.epsilon_lower == pytest.approx(1, rel=0.01)


@pytest.mark.parametrize(("text", "database", "values"), [
    (KARY.format("1/eps"), (Fraction(1),), range(3)),
    ("@sketch(adjacent=each_within(1))\ndef f(q: Private[int, 1], eps: Epsilon):\n    return min(max(q[0] + Geometric(1/eps), 0), 5)\n", (Fraction(2),), range(6)),
])
def test_sampled_is_exact(text: str, database: tuple[Fraction, ...], values: range) -> None:
    """The sampler against exact probabilities; a right one fails with chance below 1e-9."""
    program, arguments, runs = parse(text), Arguments(Fraction(1), 1), 20_000
    exact = [float(event_probability(program, database, arguments, np.zeros((1, 0)), Equals(Fraction(v)))[0]) for v in values]
    assert sum(exact) == pytest.approx(1)
    counts = Counter(BATCH.run(program, database, arguments, (), Tape((7,), runs)).rows())
    assert chisquare([counts[float(v)] for v in values], [runs * p for p in exact]).pvalue > FALSE_ALARM


@pytest.mark.parametrize("body", ["return min(max(q[0] + Geometric({}), 0), 5)", "x = q[0] + Geometric({})\nif x < 0:\n    return 0\nif x > 5:\n    return 5\nreturn x"])
def test_truncated_geometric_noise(body: str) -> None:
    head = "@sketch(adjacent=each_within(1))\ndef f(q: Private[int, 1], eps: Epsilon):\n"
    text = head + "".join(f"    {line}\n" for line in body.split("\n"))
    tight = check(parse(text.format("1/eps")))
    assert isinstance(tight.verdict, Proved) and tight.epsilon_lower == pytest.approx(1, rel=0.01)
    assert isinstance(check(parse(text.format("0.99/eps"))).verdict, Refuted)
    assert "DiscreteLap" in str(parse(text.format("1/eps")))
