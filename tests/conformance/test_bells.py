"""Gaussian noise in all engines: reference = batch = compiled text = Python."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from test_engines import INTERPRETED, same

from kolahal.engine import reference
from kolahal.engine.engines import BATCH, REFERENCE
from kolahal.engine.tape import Tape
from kolahal.lang.read.parse import parse
from kolahal.lang.sketch import call_mechanism
from kolahal.model import Arguments

PROGRAMS = {
    "rho": """
@sketch(adjacent=each_within(1))
def f(q: Private, N: int, rho: Rho):
    out = []
    for x in q:
        if x + Gauss(sqrt(len(q)/(2*rho))) > 0:
            out.append(x + DiscreteGauss(3*N/sqrt(2*rho)))
    return out
""",
    "mu": """
@sketch(adjacent=each_within(1))
def f(q: Private, N: int, mu: Mu):
    return [x + Gauss(sqrt(N)/mu) + Lap(1/mu) for x in q]
""",
    "eps,delta": """
@sketch(adjacent=one_within(1))
def f(q: Private, N: int, eps: Epsilon, delta: Delta):
    return max(q[0] + Gauss(sqrt(N)/gdp(eps, delta)), q[1] + DiscreteGauss(delta/eps)), eps * delta
""",
}


@pytest.mark.parametrize("claim", PROGRAMS)
def test_engines_agree_on_gaussian_noise(claim: str) -> None:
    sketch = parse(PROGRAMS[claim])
    assert sketch.variant.value == claim and parse(str(sketch)) == sketch
    delta = Fraction(1, 100) if sketch.delta is not None else None
    arguments = Arguments(Fraction(1, 2), 3, (("N", Fraction(2)),), delta)
    database, tape = (Fraction(1), Fraction(-2), Fraction(5, 2)), Tape((4,), 40)
    expected = REFERENCE.run(sketch, database, arguments, (), tape)
    for engine in (BATCH, INTERPRETED):
        found = engine.run(sketch, database, arguments, (), tape)
        assert all(same(found.row(run), expected.row(run)) for run in range(40)), engine
    for run in range(10):
        log: list[reference.DrawnValue] = []
        answer = reference.run(sketch, database, arguments, (), tape.row(run), log=log)
        given = {p.name: database if p.name == "q" else arguments.environment(sketch)[p.name] for p in sketch.parameters}
        values = [float(drawn) for _, _, drawn in reversed(log)]
        told = call_mechanism(sketch, (), given, lambda noise, scale, values=values: values.pop())
        told = tuple(told) if isinstance(told, list) else told
        assert len(told) == len(answer) and all(math.isclose(a, b, rel_tol=1e-12) for a, b in zip(told, answer, strict=True))
