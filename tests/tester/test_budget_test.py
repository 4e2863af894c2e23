"""The test of claims other than ε: bounds from below that hold at their confidence."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
from click.testing import CliRunner

from kolahal.cli import cli
from kolahal.errors import UsageError
from kolahal.lang.read.parse import parse
from kolahal.sketches.gallery import OTHER_BUDGETS, load_one
from kolahal.tester.budgets import test_budget as bound_by_test

RELEASE = "@sketch(adjacent=each_within(1))\ndef f(q: Private{}, {}):\n    return [x + {} for x in q]\n"
PRIVATE = [  # what is claimed, tightly; a bound above it is wrong once in a hundred seeds at most, and these are fixed
    ("", "rho: Rho", "Gauss(sqrt(len(q)/(2*rho)))", Fraction(1, 2), None),
    ("", "mu: Mu", "Gauss(sqrt(len(q))/mu)", Fraction(1), None),
    ("", "eps: Epsilon, delta: Delta", "Gauss(sqrt(len(q))/gdp(eps, delta))", Fraction(1), Fraction(1, 100)),
    ("[int]", "rho: Rho", "DiscreteGauss(sqrt(len(q)/(2*rho)))", Fraction(1, 2), None),
]


@pytest.mark.parametrize(("private", "budget", "noise", "level", "delta"), PRIVATE)
def test_bounds_are_below_the_truth_and_near_it(
    private: str, budget: str, noise: str, level: Fraction, delta: Fraction | None
) -> None:
    found = bound_by_test(parse(RELEASE.format(private, budget, noise)), level, delta, 0)
    assert not found.violates and 0.4 * found.claimed < found.lower <= found.claimed and found.confidence == 0.99


@pytest.mark.parametrize(("private", "budget", "noise", "level", "delta"), PRIVATE)
def test_half_the_noise_is_found_out(
    private: str, budget: str, noise: str, level: Fraction, delta: Fraction | None
) -> None:
    family, _, scale = noise.partition("(")
    bold = parse(RELEASE.format(private, budget, f"{family}(0.5*{scale}"))
    found = bound_by_test(bold, level, delta, 0)
    assert found.violates and found.lower > found.claimed and bold.related(found.example.d1, found.example.d2)


def test_the_command(tmp_path: object) -> None:
    runner = CliRunner()
    from pathlib import Path

    path = Path(str(tmp_path)) / "release.py"
    path.write_text("from kolahal import *\n\n" + RELEASE.format("", "rho: Rho", "Gauss(0.5*sqrt(len(q)/(2*rho)))"))
    told = runner.invoke(cli, ["test", str(path), "--rho", "0.5", "--json"])
    document = json.loads(told.stdout)
    assert told.exit_code == 1 and document["violates"] and document["rho_lower"] > 0.5 and document["claim"] == "rho"
    assert runner.invoke(cli, ["test", str(path)]).exit_code == 1
    with pytest.raises(UsageError):
        bound_by_test(parse(RELEASE.format("", "eps: Epsilon", "Lap(1/eps)")), Fraction(1), None, 0)


def test_the_gallery_is_read() -> None:
    assert [load_one(name).name for name in OTHER_BUDGETS] == list(OTHER_BUDGETS)
