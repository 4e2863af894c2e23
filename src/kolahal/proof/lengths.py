"""Proofs for inputs of every length: search for an alignment and an invariant, then believe only the re-check."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice

from kolahal.lang.check import NONE, WHOLE, infer
from kolahal.lang.ir import Comprehension, Return, Var, walk
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Sketch
from kolahal.proof.candidates import base_candidates, end_candidates, rich_candidates, share_formula
from kolahal.proof.horn import weaken
from kolahal.proof.obligations import Invariant, System
from kolahal.proof.product import (
    END,
    Alignment,
    Always,
    AtGhost,
    ByBranch,
    Form,
    Neighbours,
    Product,
    Share,
    Shift,
    build_product,
    build_system,
    must_release,
    neighbours_of,
    within_claim,
)
from kolahal.proof.rehearsal import Stage
from kolahal.proof.segments import Unsupported
from kolahal.proof.terms import TRUE, symbols_of

SCENARIOS = 200
MOST_ALIGNMENTS = 20_000
MOST_PROOFS = 6


@dataclass(frozen=True, slots=True)
class Case:
    """A proof for one set of moves: alignment, shares of the budget and invariant."""

    neighbours: Neighbours
    alignment: Alignment
    shares: tuple[Share, ...]
    invariant: Invariant


def find_case(product: Product, neighbours: Neighbours, claim: Scale, steps: int) -> Case | str:
    """An alignment with an invariant, or what was tried."""
    stage = Stage(product, neighbours, claim, 0, SCENARIOS)
    tried = 0
    reason = "no alignment of the templates fits"
    for alignment in enumerate_alignments(product):
        if not stage.survives(alignment):
            continue
        tried += 1
        if tried > MOST_PROOFS:
            break
        try:
            found = prove_alignment(product, stage, neighbours, alignment, claim, steps)
        except Unsupported as error:
            reason = str(error)
            continue
        if isinstance(found, Case):
            return found
        reason = found
    return reason


def one(units: int, cancel: bool = False, follow: str | None = None) -> Form:
    return Form(Fraction(units), cancel, follow)


STAY = one(0)
PLAIN = (STAY, one(0, True), one(1), one(-1), one(2), one(-2))
MOVED = (one(2), one(1), one(1, True), one(0, True), one(-1), one(-2), one(-1, True), one(2, True), one(-2, True))


def enumerate_alignments(product: Product) -> Iterator[Alignment]:
    """Alignments of the templates, simple ones first."""
    sites = range(len(product.sketch.draws))
    branches = {site: sorted(_branches_fed(product, site)) for site in sites}
    in_loop = {site: _is_in_loop(product, site) for site in sites}
    plain = [_options(branches[site]) for site in sites]
    yield from (Alignment(shifts, None) for shifts in _by_rank(plain))
    for ghost in _ghosts(product):
        options = [_ghost_options() if in_loop[site] else [Always(f) for f in PLAIN] for site in sites]
        yield from (Alignment(shifts, ghost) for shifts in _by_rank(options))


def _options(branches: Sequence[int]) -> list[Shift]:
    result: list[Shift] = [Always(form) for form in PLAIN]
    for branch in branches:
        result += [ByBranch(branch, form, STAY) for form in MOVED]
        result += [ByBranch(branch, STAY, form) for form in MOVED]
    return result


def _ghost_options() -> list[Shift]:
    result: list[Shift] = [Always(STAY)]
    for form in MOVED:
        result += [AtGhost(offset, form, STAY) for offset in (1, 0, -1)]
    return [*result, Always(one(0, True))]


def _by_rank(options: Sequence[Sequence[Shift]]) -> Iterator[tuple[Shift, ...]]:
    """All combinations, those of early options first."""

    def of_rank(total: int, left: Sequence[Sequence[Shift]]) -> Iterator[tuple[Shift, ...]]:
        if not left:
            if total == 0:
                yield ()
            return
        for rank, option in enumerate(left[0][: total + 1]):
            for rest in of_rank(total - rank, left[1:]):
                yield (option, *rest)

    highest = sum(len(own) - 1 for own in options)
    ordered = (shifts for total in range(highest + 1) for shifts in of_rank(total, options))
    return islice(ordered, MOST_ALIGNMENTS)


def _branches_fed(product: Product, site: int) -> set[int]:
    """The ifs that look at this draw in the turn in which it is made."""
    found: set[int] = set()
    for paths in product.first.paths.values():
        for path in paths:
            symbols = {drawn.symbol for drawn in path.draws if drawn.site == site}
            found |= {branch for branch, test in path.tests.items() if symbols & symbols_of(test)}
    return found


def _is_in_loop(product: Product, site: int) -> bool:
    return any(
        drawn.site == site
        for loop, paths in product.first.paths.items()
        if loop is not None
        for path in paths
        for drawn in path.draws
    )


def _ghosts(product: Product) -> list[str]:
    """Whole-number variables that the answer may be sorted by, those in the answer first."""
    types = infer(product.sketch)
    whole = [name for name, kinds in types.names.items() if kinds and kinds <= {WHOLE, NONE}]
    public = {p.name for p in product.sketch.parameters}
    returned = {
        n.name for r in walk(product.sketch.body) if isinstance(r, Return) for n in walk(r.value) if isinstance(n, Var)
    }
    candidates = [name for name in whole if name not in public]
    return sorted(candidates, key=lambda name: name not in returned)[:3]


# ---------------------------------------------------------------- one alignment


def prove_alignment(
    product: Product, stage: Stage, neighbours: Neighbours, alignment: Alignment, claim: Scale, steps: int
) -> Case | str:
    """Look for an invariant under one alignment."""
    states = list(stage.states(alignment, 300))
    system = build_system(product, neighbours, alignment, None)
    base = weaken(system, base_candidates(product, states) | {END: ()}, steps)
    rich = rich_candidates(product, neighbours, alignment, claim, states)
    offers = end_candidates(product, neighbours, alignment, claim)
    formulas = {share: share_formula(product, neighbours, share) for share in offers}
    full = {loop: (*held, *rich.get(loop, ())) for loop, held in base.invariant.items()}
    full[END] = tuple(dict.fromkeys(formulas.values()))
    found = weaken(system, full, steps)
    if not found.goals_hold:
        return f"no invariant was found that carries the step {found.broken}"
    shares = choose_shares(product, [s for s, f in formulas.items() if f in found.invariant[END] or f == TRUE])
    if shares is None or not within_claim(shares, claim, product.sketch):
        return f"the cost found is not at most {claim}"
    invariant = {loop: held for loop, held in found.invariant.items() if loop != END}
    return Case(neighbours, alignment, shares, invariant)


def choose_shares(product: Product, valid: list[Share]) -> tuple[Share, ...] | None:
    """For each kind of scale the smallest share that was found to hold."""
    result = []
    for powers in product.monomials:
        own = [share for share in valid if share.powers == powers]
        if not own:
            return None
        result.append(min(own, key=lambda share: (share.bound, share.per or "")))
    return tuple(result)
