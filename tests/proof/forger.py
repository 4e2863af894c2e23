"""Certificates for every length, forged: random alignments for programs that are not private, and Spacer looks for the invariant.

A forger knows the rules better than the search does: nothing of what it offers was rehearsed, and no template of ours limits its
invariants. What it writes is a complete document, with the obligations and words that belong to it.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from kolahal.lang import ir
from kolahal.lang.claims import plain_claim
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Sketch
from kolahal.logic import solver
from kolahal.logic.terms import Formula
from kolahal.proof.find.houdini import Inductive
from kolahal.proof.find.lengths import Way, _ways
from kolahal.proof.find.spacer_candidates import spacer_candidates
from kolahal.proof.trusted.budget import Share
from kolahal.proof.trusted.certificate import CaseProof, LengthProof
from kolahal.proof.trusted.neighbours import assumed_names, neighbours_of
from kolahal.proof.trusted.obligations import System, obligations
from kolahal.proof.trusted.product import Product, build_product, build_system
from kolahal.proof.trusted.restated.watched import Followed
from kolahal.proof.trusted.shifts import (
    Alignment,
    Always,
    Asked,
    AtGhost,
    AtValue,
    ByBranch,
    FollowedSums,
    Form,
    Shift,
    ShiftRule,
)
from kolahal.proof.trusted.values import Logical, Unsupported

UNITS = tuple(map(Fraction, ("0", "0", "0", "1", "-1", "2", "-2", "1/2")))
FEW = 200_000  # steps of a solver for one question


def with_noise(sketch: Sketch, share: Fraction) -> Sketch:
    """The same program with so much of its noise."""

    def change(node: ir.Node) -> ir.Node | None:
        if isinstance(node, ir.Draw) and isinstance(node.scale, Scale):
            return replace(node, scale=Scale(share) * node.scale)
        return None

    return replace(sketch, body=ir.rebuild(sketch.body, change))


class Forger:
    """Writes certificates for one program; `known` are alignments that prove it with more noise, and are changed in one place."""

    def __init__(self, sketch: Sketch, rng: random.Random, known: Sequence[tuple[Way, Alignment]] = ()):
        self.sketch, self.rng, self.known = sketch, rng, known
        self.claim = plain_claim(sketch)
        self.assumed = assumed_names(sketch, self.claim)
        self.usual = list(_ways(sketch, True))
        self.products: dict[Way, Product | None] = {}
        self.names: list[str] = sorted(ir.assigned_names(sketch.body))
        self.asked: list[Asked] = []

    def forged(self) -> LengthProof | None:
        """A proof whose parts all follow, if this try gives one."""
        way, alignment = self.offer()
        if (product := self.product(way)) is None:
            return None
        shares = self.shares(product)
        cases = []
        for neighbours in neighbours_of(self.sketch, self.rng.random() < 0.2):
            try:
                mine = alignment if alignment is not None else self.alignment(product)
                system = build_system(product, neighbours, mine, shares, self.assumed)
            except Unsupported:
                return None
            if (invariant := invariant_of(system)) is None:
                return None
            cases.append(CaseProof(neighbours, mine, shares, invariant))
        return LengthProof(self.sketch, self.claim, self.assumed, way.released, way.delayed, tuple(cases), way.at_once, way.parts, way.watches)

    def offer(self) -> tuple[Way, Alignment | None]:
        rng = self.rng
        if self.known and rng.random() < 0.5:
            way, alignment = rng.choice(self.known)
            if (product := self.product(way)) is not None:
                return way, self.changed(product, alignment)
        if rng.random() < 0.6:
            return rng.choice(self.usual), None
        lists = sum(isinstance(node, ir.Comprehension) for node in ir.walk(self.sketch.body))
        released = frozenset(i for i in range(lists + 1) if rng.random() < 0.5)
        watched = [Followed(rng.choice(self.names), rng.random() < 0.5)] if self.names and rng.random() < 0.2 else []
        return Way(released, rng.random() < 0.5, rng.random() < 0.3, rng.random() < 0.2, tuple(watched)), None

    def product(self, way: Way) -> Product | None:
        if way not in self.products:
            try:
                self.products[way] = build_product(self.sketch, *way)
            except Unsupported:
                self.products[way] = None
        return self.products[way]

    def shares(self, product: Product) -> tuple[Share, ...]:
        fit = [powers for powers in product.monomials if all(power >= 0 for _, power in powers)]
        return tuple(Share(powers, Fraction(powers in fit, max(1, len(fit))), None) for powers in product.monomials)

    def alignment(self, product: Product) -> Alignment:
        """Any alignment at all."""
        rng = self.rng
        ghosts: tuple[str, ...] = ()
        if product.watched and rng.random() < 0.8:
            ghosts = tuple(sorted(product.watched))
        elif self.names and rng.random() < 0.45:
            ghosts = tuple(rng.choice(self.names) for _ in range(rng.choice([1, 1, 1, 2])))
        loops = [loop for loop in product.first.paths if loop is not None]
        renewed = tuple(rng.choice(loops) for _ in ghosts) if loops and rng.random() < 0.3 else ()
        sites = range(len(product.sketch.draws))
        lead = None
        if ghosts and sites and rng.random() < 0.05:
            lead = FollowedSums(tuple(sorted(rng.sample(sites, rng.randint(1, len(sites))))), rng.random() < 0.3)
        shifts = tuple(self.shift(product, len(ghosts)) for _ in sites)
        return Alignment(shifts, ghosts, renewed, (), lead, self.closed(product))

    def closed(self, product: Product) -> tuple[tuple[int, tuple[Formula, ...]], ...]:
        flags = [(place.loop, value.value) for place in product.first.places for _, value in place.names if isinstance(value, Logical)]
        found = [(loop, (flag,)) for loop, flag in flags if loop is not None]
        return (self.rng.choice(found),) if product.watched and found and self.rng.random() < 0.5 else ()

    def changed(self, product: Product, alignment: Alignment) -> Alignment:
        """An alignment with one thing changed."""
        rng = self.rng
        site = rng.randrange(len(alignment.shifts)) if alignment.shifts else 0
        shifts = tuple(self.shift(product, len(alignment.ghosts)) if i == site else shift for i, shift in enumerate(alignment.shifts))
        loops = [loop for loop in product.first.paths if loop is not None]
        match rng.randrange(6):
            case 0 if alignment.ghosts and self.names:
                return replace(alignment, ghosts=(rng.choice(self.names), *alignment.ghosts[1:]))
            case 1 if alignment.ghosts and loops:
                return replace(alignment, renewed=tuple(rng.choice([None, *loops]) for _ in alignment.ghosts))
            case 2:
                return replace(alignment, lead=None, closed=self.closed(product))
            case _:
                return replace(alignment, shifts=shifts)

    def shift(self, product: Product, ghosts: int) -> Shift:
        draws = [drawn for paths in product.first.paths.values() for path in paths for drawn in path.draws]
        names = sorted({name for drawn in draws for name in drawn.names})
        asked = sorted({asked for paths in product.first.paths.values() for path in paths for asked in path.decisions}, key=str)
        rule = self.rule(names, asked, ghosts, 2)
        return Always(rule) if isinstance(rule, Form) else rule

    def rule(self, names: Sequence[str], asked: Sequence[Asked], ghosts: int, deep: int) -> ShiftRule:
        rng = self.rng
        pick = rng.random() if deep else 1.0
        if pick < 0.53 and ((pick < 0.2 and asked) or (pick < 0.5 and ghosts) or (pick > 0.5 and names)):
            then, orelse = (self.rule(names, asked, ghosts, deep - 1) for _ in range(2))
            if pick < 0.2 and asked:
                return ByBranch(rng.choice(asked), then, orelse)
            if pick < 0.5:
                return AtGhost(rng.choice([0, 0, 0, 0, 1, -1]), then, orelse, rng.randrange(ghosts))
            return AtValue(rng.choice(names), None, rng.randrange(3), then, orelse)
        if rng.random() < 0.6:
            return rng.choice([Form(), Form(), Form(cancel=True)])
        follow = rng.choice(names) if names and rng.random() < 0.2 else None
        return Form(rng.choice(UNITS), rng.random() < 0.4, follow, rng.random() < 0.03)


def invariant_of(system: System) -> Mapping[int, tuple[Formula, ...]] | None:
    """What carries all goals, if Spacer finds it."""
    context = solver.new_context()
    starts = [replace(clause, target=None, updates=()) for clause in system.clauses if clause.source is None]
    for obligation in obligations(System(system.fixed, system.states, tuple(starts)), {}):
        if solver.check_script(obligation.script(), FEW, context) != solver.UNSAT:
            return None
    offered = spacer_candidates(system, {}, ())
    found = Inductive(system, {loop: offered.get(loop, ()) for loop in system.states}, 10 * FEW)
    found.weaken()
    return None if found.broken_goal() else {loop: tuple(held) for loop, held in found.left.items()}
