"""What must be valid for a proof, byte for byte, of many programs and alignments: good ones, wrong ones, made-up ones.

`make golden` rewrites the list of digests; a line that changes means that something else is proved than before. Most
of these alignments prove nothing: what follows from them is looked at, not whether it is valid.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import pytest
from corpus import corpus

from digests import agrees, digest, read_list
from kolahal.lang.ir import Comprehension, For, If, While, assigned_names, walk
from kolahal.lang.sketch import Sketch, Type
from kolahal.logic.linear import number, variable
from kolahal.logic.terms import BOOL, FALSE, Formula, at_most, below, choose, equal, negate, print_term
from kolahal.proof.find.lengths import must_release
from kolahal.proof.trusted.budget import Share
from kolahal.proof.trusted.neighbours import neighbours_of
from kolahal.proof.trusted.obligations import System, obligations
from kolahal.proof.trusted.product import Product, build_product, build_system
from kolahal.proof.trusted.restated.watched import Followed, extremes
from kolahal.proof.trusted.shifts import Alignment, Always, AtGhost, AtValue, ByBranch, Form, Shift, ShiftRule
from kolahal.proof.trusted.states import known_to
from kolahal.proof.trusted.values import Unsupported

FILE = "obligations.txt"
ALIGNMENTS = 4  # of each program
RULES = {"ruled": 8, "draws": 24}  # of each program that is there for them


def made_up(sketch: Sketch, rng: random.Random, turn: int) -> Alignment:
    """Some alignment of a program, the first ones plain."""
    if turn < 2:
        return Alignment(tuple(Always(Form(Fraction(1), bool(turn))) for _ in sketch.draws))
    names = sorted(assigned_names(sketch.body)) + [p.name for p in sketch.parameters]
    branches = sum(isinstance(node, If | While) for node in walk(sketch.body))
    forms = [Form(Fraction(1)), Form(Fraction(-1, 2), True), Form(Fraction(2)), Form(follow=rng.choice(names)), Form()]

    def shift() -> Shift:
        one, two = rng.choice(forms), rng.choice(forms)
        kinds = [Always(one), Always(two), AtGhost(rng.randint(-1, 1), one, two)]
        if branches:
            kinds.append(ByBranch(rng.randrange(branches), one, two))
        return rng.choice(kinds)

    return Alignment(tuple(shift() for _ in sketch.draws), (ghost,) if (ghost := rng.choice([None, "i", "m", "N", *names])) else ())


def made_up_rules(sketch: Sketch, rng: random.Random, renewed: bool) -> Alignment:
    """Rules inside rules of all kinds, and ghosts, perhaps such that begin anew; some ask for what is not there."""
    assigned = sorted(assigned_names(sketch.body))
    whole = [p.name for p in sketch.arguments if p.type is Type.INT]
    branches = sum(isinstance(node, If | While) for node in walk(sketch.body))
    forms = [Form(Fraction(1)), Form(Fraction(-2)), Form(Fraction(1), True), Form(follow=rng.choice([*whole, *assigned])), Form()]
    sides = [Form(Fraction(1)), Form(cancel=True), Form(Fraction(1), True), Form(follow=sketch.private.name), *forms[3:]]
    forms += [Form(lead=True)] * renewed

    def rule(deep: int, coin: bool) -> ShiftRule:
        if not deep:
            return rng.choice(sides if coin else forms)
        ways = rule(deep - 1, coin), rule(deep - 1, coin)
        branch = rng.randint(0, branches)
        return rng.choice(
            [
                ByBranch(branch, *ways),
                ByBranch((branch, rng.randint(0, 3)), *ways),
                AtGhost(rng.randint(-1, 1), *ways, which=rng.choice([0, 0, 0, 1])),
                AtValue(rng.choice([*whole, *assigned]), rng.choice([None, *whole]), rng.randint(-1, 1), *ways),
            ]
        )

    drawn = (rule(rng.randint(0, 3), draw.noise.finite) for draw in sketch.draws)
    ghosts = rng.choice([[], assigned, assigned, [name for name in assigned if name in "jk"]])
    shifts = tuple(Always(shift) if isinstance(shift, Form) else shift for shift in drawn)
    sorted_by = tuple(rng.choice(ghosts) for _ in range(rng.randint(1, 2)) if ghosts)
    loops = [None, *range(sum(isinstance(node, For | While) for node in walk(sketch.body)))] if renewed else [None]
    return Alignment(shifts, sorted_by, tuple(rng.choice(loops) for _ in sorted_by) if renewed else ())


def made_up_cells(product: Product, sketch: Sketch, rng: random.Random) -> Alignment:
    """Rules for runs that are sorted by the places that watched names' values are from, and perhaps by others' values."""
    plain = made_up_rules(sketch, rng, renewed=False)
    ghosts = tuple(rng.choice([*sorted(product.watched) * 3, *sorted(assigned_names(sketch.body))]) for _ in range(rng.randint(1, 2)))
    renewed = tuple(rng.choice([None, None, None, 0]) for _ in ghosts)
    closed = []
    for loop in (loop for loop in product.first.paths if loop is not None and rng.random() < 0.7):
        symbols = rng.sample(known := known_to(product.first, loop), min(2, len(known)))
        closed.append((loop, tuple(s if s.sort == BOOL else at_most(number(2), variable(s)) for s in symbols)))
    return replace(plain, ghosts=ghosts, renewed=renewed, closed=tuple(closed))


def watches_of(sketch: Sketch) -> list[tuple[Followed, ...]]:
    names = extremes(sketch)
    return [*((Followed(name, last),) for name in names for last in (False, True)), tuple(map(Followed, names))]


def made_up_shares(product: Product, sketch: Sketch, rng: random.Random) -> tuple[Share, ...]:
    per = [None, None, sketch.length_name, *(p.name for p in sketch.arguments if p.type is Type.INT)]
    return tuple(Share(powers, Fraction(rng.randint(0, 3), 2), rng.choice(per)) for powers in product.monomials)


def made_up_invariant(system: System) -> dict[int, tuple[Formula, ...]]:
    """Something of every symbol of a state, and of every pair of them."""
    held: dict[int, tuple[Formula, ...]] = {}
    for loop, state in system.states.items():
        truths = [symbol for symbol in state if symbol.sort == BOOL]
        numbers = [variable(symbol) for symbol in state if symbol.sort != BOOL]
        parts: list[Formula] = [at_most(term, number(3)) for term in numbers] + [negate(symbol) for symbol in truths]
        parts += [equal(a, b) for a, b in itertools.pairwise(numbers)]
        parts += [below(choose(truth, term, number(Fraction(1, 2))), number(7)) for truth, term in zip(truths, numbers)]
        held[loop] = tuple(parts)
    return held


def derive(sketch: Sketch, name: str, part: str) -> Iterator[str]:
    """All that is derived of a program under some alignments, or why nothing is; with noise that is drawn late, too."""
    rng = random.Random(name)
    delayed, ruled, renewed, sorted_by = part in DELAYED, part in RULES, part == "draws", part == "watched"
    every = frozenset(range(sum(isinstance(node, Comprehension) for node in walk(sketch.body))))
    assumed = tuple(p.name for p in sketch.arguments if p.type is Type.INT and rng.random() < 0.7)
    ways = dict.fromkeys([frozenset[int](), must_release(sketch), every])
    for released, late, watches in itertools.product(ways, (False, True) if delayed else (False,), watches_of(sketch) if sorted_by else [()]):
        try:
            product = build_product(sketch, released, late, watches=watches)
        except Unsupported as error:
            yield f"{sorted(released)}: {error}"
            continue
        for neighbours in neighbours_of(sketch):
            for turn in range(RULES.get(part, ALIGNMENTS)):
                shares = made_up_shares(product, sketch, rng) if turn % 3 else None
                try:
                    alignment = (
                        made_up_cells(product, sketch, rng)
                        if sorted_by
                        else made_up_rules(sketch, rng, renewed)
                        if ruled
                        else made_up(sketch, rng, turn)
                    )
                    system = build_system(product, neighbours, alignment, shares, assumed)
                except Unsupported as error:
                    yield str(error)
                    continue
                for obligation in obligations(system, made_up_invariant(system)):
                    yield obligation.script()
                # What an impossible step has for a goal is not derived, so it is looked at by itself.
                yield str([(clause.name, clause.source, clause.target, FALSE in clause.goals) for clause in system.clauses])
                if delayed:  # an invariant that a step breaks on its face hides the state after it
                    yield from (f"{s.name} := {print_term(t)}" for clause in system.clauses for s, t in clause.updates)


QUICK = {"computed", "draws", "kinds", "lists", "names", "named", "odd", "ruled", "small", "watched"}
DELAYED = {"names", "named", "ruled", "small"}
TOGETHER = 3  # programs of one test; mutants are tried on the shortest tests first
SLICES = [
    pytest.param(part, first, marks=[pytest.mark.mutants] if part in QUICK else [])
    for part, programs in corpus().items()
    for first in range(0, len(programs), TOGETHER)
]


@pytest.mark.parametrize(("part", "first"), SLICES)
def test_what_must_be_valid_is_what_it_was(part: str, first: int) -> None:
    for name, sketch in list(corpus()[part].items())[first : first + TOGETHER]:
        agrees(FILE, {f"{part}: {name}": digest(derive(sketch, name, part))}, names())


def names() -> list[str]:
    return [f"{part}: {name}" for part, programs in corpus().items() for name in programs]


def test_the_list_is_of_these_programs() -> None:
    assert list(read_list(FILE)) == names()
