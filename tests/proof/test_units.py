"""Budgets in variables: counted in a unit they are the same program, and proofs see through them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction

import pytest

from kolahal.engine import reference
from kolahal.errors import KolahalError
from kolahal.lang.read.parse import parse_source
from kolahal.lang.sketch import Sketch
from kolahal.lang.source import Source
from kolahal.model import Arguments
from kolahal.proof.find.lengths import prove_every_length
from kolahal.proof.trusted.restated.units import in_units
from kolahal.verdicts import Proved

ADAPTIVE = """
@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon, k: int = 1, T: float = 0):
    {start}
    t = T + Lap(2/eps)
    out = []
    for x in q:
        if x + Lap(8*k/eps) >= t + 3:
            out.append(2)
            {far}
        elif x + Lap(4*k/eps) >= t:
            out.append(1)
            {near}
        else:
            out.append(0)
        if {stop}:
            break
    return out
"""
# What is spent at first, for an answer far above, for one just above, and when to stop.
WAYS = {
    "multiples of eps": ("c = eps/2", "c += eps/(4*k)", "c += eps/(2*k)", "c > eps - eps/(2*k)"),
    "without a quotient": ("c = 2*k*eps", "c = c + eps", "c = c + 2*eps", "c > 4*k*eps - 2*eps"),
    "shares of one": ("c = 0.5", "c += 1/(4*k)", "c += 1/(2*k)", "c > 1 - 1/(2*k)"),
    "per cent": ("c = 50", "c += 25/k", "c += 50/k", "c + 50/k > 100"),
    "what is left": ("c = eps/2", "c -= eps/(4*k)", "c = c - eps/(2*k)", "c < eps/(2*k)"),
    "below zero": ("c = -eps/2", "c -= -eps/(4*k)", "c = c + eps/(2*k)", "-c < eps/(2*k)"),
    "names for the parts": (
        "all = eps\n    c = all/2\n    part = all/(4*k)\n    more = 2*part",
        "c += part",
        "c += more",
        "not c + more <= all",
    ),
}
TOO_MUCH = {
    "until nothing is left": ("c = eps/2", "c -= eps/(4*k)", "c = c - eps/(2*k)", "c < 0"),
    "too little is counted": ("c = eps/2", "c -= eps/(8*k)", "c = c - eps/(2*k)", "c < eps/(2*k)"),
    "too little for the near": ("c = 0.5", "c += 1/(4*k)", "c += 1/(4*k)", "c > 1 - 1/(2*k)"),
    "the threshold is free": ("c = 0", "c += eps/(4*k)", "c += eps/(2*k)", "c > eps - eps/(2*k)"),
    "nothing is counted": ("c = eps/2", "d = c + eps/(4*k)", "c = c + 0*eps", "c > eps - eps/(2*k)"),
}


def adaptive(way: tuple[str, str, str, str]) -> Sketch:
    (found,) = parse_source(Source("adaptive", ADAPTIVE.format(**dict(zip(("start", "far", "near", "stop"), way, strict=True)))))
    return found


@pytest.mark.parametrize("way", WAYS)
def test_a_budget_in_a_variable_is_seen_through(way: str) -> None:
    assert isinstance(prove_every_length(adaptive(WAYS[way])), Proved)


@pytest.mark.parametrize("way", TOO_MUCH)
def test_a_budget_that_is_overspent_is_not_proved(way: str) -> None:
    assert not isinstance(prove_every_length(adaptive(TOO_MUCH[way])), Proved)


def random_budgets(seed: int) -> str:
    """A program with names of one, several or no common unit, used in ways that a unit must respect."""
    rng = random.Random(seed)
    amounts = ["eps", "eps/k", "2*eps/(3*k)", "k*eps", "eps/(k*n)", "1", "1/k", "0", "eps/len(q)", "eps*eps", "T", "x", "d", "c"]

    def amount() -> str:
        return f"{rng.choice((1, 2, 3))}*{rng.choice(amounts)} {rng.choice('+-')} {rng.choice(amounts)}"

    def statements(indent: str) -> Iterator[str]:
        for _ in range(rng.randint(1, 3)):
            match rng.randrange(4):
                case 0:
                    yield f"{indent}if {rng.choice('cde')} {rng.choice(('<', '<=', '>', '>=', '==', '!='))} {amount()}:"
                    yield f"{indent}    out.append({rng.choice(('1', '2', 'x + Lap(k*n/eps)', rng.choice('cde')))})"
                case 1:
                    yield f"{indent}c, d = {amount()}, {rng.choice('cd')}"
                case _:
                    name = rng.choice("cde")
                    yield f"{indent}{name} = {name} {rng.choice('+-')} {amount()}"

    lines = ["@sketch(adjacent=each_within(1))", "def f(q: Private, eps: Epsilon, k: int = 1, n: int = 1, T: float = 0):"]
    share = f"    share = {rng.choice(amounts[:9])}"
    start = ["    x = 0", share, "    c = 0", "    d = share", "    e = share + c", "    out = []"]
    late = [start.pop(rng.randrange(1, 5))] if rng.randrange(3) == 0 else []
    lines += [*start, "    for x in q:", "        out.append(x + Lap(k*n/eps))", *statements("        "), *late]
    return "\n".join([*lines, f"    return {rng.choice(('out', 'out', 'c'))}", ""])


@pytest.mark.mutants
def test_the_program_in_units_gives_the_same_output() -> None:
    changed = 0
    faults: list[KolahalError] = []
    for seed in range(400):
        (program,) = parse_source(Source("budgets", random_budgets(seed)))
        counted = in_units(program)
        changed += counted != program
        rng = random.Random(seed)
        for _ in range(3):
            size = rng.randint(1, 4)
            values = (("k", Fraction(rng.randint(1, 4))), ("n", Fraction(rng.randint(1, 3))), ("T", Fraction(rng.randint(-2, 2), 2)))
            arguments = Arguments(Fraction(rng.randint(1, 9), rng.randint(1, 9)), size, values)
            database = [Fraction(rng.randint(-3, 3)) for _ in range(size)]
            noise = {}

            def units(kind: object, site: int, turns: object, rng: random.Random = rng, noise: dict = noise) -> list[Fraction]:
                return noise.setdefault((site, turns), [Fraction(rng.randint(-64, 64), 8)])

            def outcome(p: Sketch, *given: object) -> object:
                try:
                    return reference.run(p, *given, Fraction)
                except KolahalError as fault:
                    faults.append(fault)
                    return str(fault)

            one, two = (outcome(p, database, arguments, (), units) for p in (program, counted))
            assert one == two, random_budgets(seed)
    assert changed > 60
    assert len(faults) > 100


LATE = """
@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon, k: int = 1):
    c = eps / k
    for x in q:
        if x > 0:
            {read}
        c = c + eps / k
        {inside}
    {after}
    return Lap(k / eps)
"""
# Each stops, or not, with an error that the private data decides: a name is read that has no value yet.
FAULTS = {
    "compared": ("c = c + eps if c < d else c", "c = c + eps", "d = 2 * eps"),
    "cancelled": ("c = c + d - d", "d = c + eps", "c = 0"),
    "times nothing": ("c = c + 0 * d", "c = c + eps", "d = c + eps"),
    "a constant": ("c = c + 0 * d", "c = c + eps", "d = eps"),
    "given to each other": ("c, d = c + d - d, eps", "c = c + eps", "c = eps"),
    "given what it is": ("d = d - d + c", "c = c + eps", "c = eps"),
}


@pytest.mark.parametrize("way", FAULTS)
def test_a_name_without_a_value_keeps_its_fault(way: str) -> None:
    read, inside, after = FAULTS[way]
    (program,) = parse_source(Source("late", LATE.format(read=read, inside=inside, after=after)))
    assert not isinstance(prove_every_length(program), Proved)
