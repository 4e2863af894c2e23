"""Proofs for inputs of every length: search for an alignment and an invariant, then believe only the re-check."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from kolahal.lang.claims import plain_claim
from kolahal.lang.ir import Comprehension, Draw, For, Index, Return, Var, While, assignments, walk
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Sketch
from kolahal.logic.terms import TRUE, Formula
from kolahal.proof.find import own_recheck
from kolahal.proof.find.alignments import AlignmentSearch, may_follow
from kolahal.proof.find.alike import known_cases, respent
from kolahal.proof.find.candidates import base_candidates, rich_candidates
from kolahal.proof.find.closings import closings
from kolahal.proof.find.compiled_paths import ObservedStates
from kolahal.proof.find.concrete_runs import Stage
from kolahal.proof.find.cost_candidates import end_candidates, share_formula
from kolahal.proof.find.effort import Effort
from kolahal.proof.find.houdini import Inductive
from kolahal.proof.find.observing import observe
from kolahal.proof.find.spacer_candidates import spacer_candidates
from kolahal.proof.trusted.budget import Share, within_claim
from kolahal.proof.trusted.certificate import CaseProof, LengthProof, read_verdict, recheck, write_certificate
from kolahal.proof.trusted.neighbours import Neighbours, assumed_names, neighbours_of
from kolahal.proof.trusted.obligations import System
from kolahal.proof.trusted.product import END, Product, build_product, build_system
from kolahal.proof.trusted.restated.lists_and_loops import restated
from kolahal.proof.trusted.restated.released import before_last
from kolahal.proof.trusted.restated.rescaled import in_other_units
from kolahal.proof.trusted.restated.set_aside import set_aside
from kolahal.proof.trusted.restated.watched import Followed, extremes
from kolahal.proof.trusted.shifts import Alignment
from kolahal.proof.trusted.values import NotLinear, Unsupported
from kolahal.settings import ProofSettings
from kolahal.verdicts import Proved, Unknown

DEFAULTS = ProofSettings()
SCENARIOS = 200  # rehearsals of one alignment; those that fail come first, so most alignments take one or two
MOST_ATTEMPTS = 5  # at a proof, of one ghost
MOST_WATCHED = 2  # names that may be followed to the places of their values
WATCHING = 4_000  # rehearsals for each choice of them
ATTEMPT = 1_500  # rehearsals that take as long as one of them
FEW = 2 * ATTEMPT  # rehearsals for a proof of what the last statements are computed from
MOST_SEEN = 300  # states of a place that candidates are drawn from
LOOK = 40  # rehearsals of an alignment that is carried over from another program


class Way(NamedTuple):
    """How the two runs of a program are cut, as `build_product` has it."""

    released: frozenset[int]
    delayed: bool
    at_once: bool = False
    parts: bool = False
    watches: tuple[Followed, ...] = ()


def prove_every_length(
    sketch: Sketch, claim: Scale | None = None, settings: ProofSettings = DEFAULTS, guess: LengthProof | None = None
) -> Proved | Unknown:
    """Whether a program without holes keeps its claim (ε, if none is given) for inputs of every length.

    The proof is by randomness alignment and covers all real databases, all ε > 0 and all values of the arguments,
    except for what the certificate lists as assumed. Unknown says nothing about the program. `guess` is the proof of a
    program like it, whose alignments are tried first.
    """
    claim = claim or plain_claim(sketch)
    found = _search(sketch, claim, settings, False, guess)
    if isinstance(found, Proved) or found.failed_rechecks or found.defect:
        return found
    over_reals = prove_over_reals(sketch, claim, settings)
    return over_reals if isinstance(over_reals, Proved) else found


def prove_over_reals(sketch: Sketch, claim: Scale, settings: ProofSettings = DEFAULTS) -> Proved | Unknown:
    """The same for real noise alone: runs in which noise ties are left out, so that a winner may follow the first of the
    others. Its verdict says so, and no program is emitted on it."""
    return _search(sketch, claim, settings, True)


def _search(sketch: Sketch, claim: Scale, settings: ProofSettings, real: bool, guess: LengthProof | None = None) -> Proved | Unknown:
    try:
        effort = Effort(settings.rehearsals)
        found = find_proof(sketch, claim, settings, real=real, effort=effort, guess=guess)
        if isinstance(found, str):
            return Unknown(f"no proof for every length: {found}", cut_short=effort.is_over)
        certificate = write_certificate(*found)
    except Unsupported as error:
        return Unknown(f"no proof for every length: {error}")
    failures = recheck(certificate, settings.solver_steps, program=sketch)
    if failures:
        return own_recheck.failed_recheck("a proof for every length", failures)
    return read_verdict(sketch, claim, certificate)


def find_proof(
    sketch: Sketch,
    claim: Scale,
    settings: ProofSettings = DEFAULTS,
    reach: Mapping[int, Scale] | None = None,
    real: bool = False,
    effort: Effort | None = None,
    guess: LengthProof | None = None,
) -> tuple[LengthProof, Product] | str:
    """A proof with its product, or why none was found. Lazy comprehensions are tried before eager ones, and what a `guess` has before all.

    The shifts of draws in `reach` do not look ahead, and are no longer than it says, in units of the move. With `real`,
    noise is real and never ties. `effort` tells afterwards how much was done.
    """
    if sketch.holes:
        raise Unsupported("the program has holes")
    if dict(claim.powers).get(sketch.epsilon.name, 0) != 1:
        raise Unsupported(f"the claim {claim} is not a multiple of {sketch.epsilon.name}")
    assumed = assumed_names(sketch, claim)
    reasons: dict[Way, Unsupported] = {}
    effort = effort or Effort(settings.rehearsals)
    usual = list(_ways(sketch, follows=not (real or reach)))
    known = None if guess is None else Way(guess.released, guess.delayed, guess.at_once, guess.parts, guess.watches)
    likely = known_cases(sketch, guess, reach or {})
    one_way = not (real or reach) and any(draw.noise.one_sided for draw in sketch.draws) and neighbours_of(sketch)[0].single
    for way, apart in itertools.product(sorted(usual, key=lambda way: way != known), (False, True) if one_way else (False,)):
        try:
            product = build_product(sketch, *way)
            if way.at_once and not product.first.noisy_items:
                continue
            cases = []
            own = Effort(WATCHING) if way.watches else Effort(FEW) if way.parts else effort
            for neighbours in neighbours_of(sketch, apart):
                first = likely.get(neighbours) if way == known else None
                case = find_case(product, neighbours, claim, assumed, settings.solver_steps, own, reach or {}, real, first)
                if isinstance(case, str):
                    raise Unsupported(case)
                cases.append(case)
                own.most += settings.rehearsals  # as much again for the next
            proof = LengthProof(sketch, claim, assumed, way.released, way.delayed, tuple(cases), way.at_once, way.parts, way.watches)
            return proof, product
        except Unsupported as error:
            reasons[way] = error
    told = [reasons[way] for way in usual if way in reasons and not (way.watches or way.parts)]
    return str(next((error for error in told if not isinstance(error, NotLinear)), told[0]))


def _ways(sketch: Sketch, follows: bool) -> Iterator[Way]:
    """How the runs of a program may be cut, in the order in which proofs are looked for."""
    named = any(isinstance(value, Draw) for _, value in assignments(set_aside(sketch).body))
    waits = (True, False) if named else (False,)
    stated = restated(sketch)
    plain = [Way(*way) for way in itertools.product(releases(stated), waits)]
    at_once = [way._replace(at_once=True) for way in plain]
    pairs, lone = watches_of(sketch) if follows else ([], [])
    yield from (way._replace(parts=True) for way in plain if ends_in_loops(stated))
    yield from (way._replace(watches=pair) for way in plain[: len(waits)] for pair in pairs)
    yield from (*at_once, *plain)
    yield from (way._replace(watches=one) for way in plain[: len(waits)] for one in lone)


def ends_in_loops(sketch: Sketch) -> bool:
    """Whether there are loops behind the last noise, which need no proof if what they are computed from may be given away."""
    loops = [sum(isinstance(node, For | While) for node in walk(program.body)) for program in (sketch, before_last(sketch) or sketch)]
    return loops[1] < loops[0]


def watches_of(sketch: Sketch) -> tuple[list[tuple[Followed, ...]], list[tuple[Followed, ...]]]:
    """Which names to follow to the places of their values: two, such as the least and the largest so far, or one."""
    names = extremes(in_other_units(sketch))[:MOST_WATCHED]
    pairs = itertools.permutations(names, 2)
    return [(Followed(one), Followed(other, True)) for one, other in pairs], [(Followed(name),) for name in names]


def releases(sketch: Sketch) -> list[frozenset[int]]:
    """Which comprehensions to take apart: as few as can be, all of them, or those without noise and answers."""
    comprehensions = frozenset(range(sum(isinstance(n, Comprehension) for n in walk(sketch.body))))
    return list(dict.fromkeys([must_release(sketch), comprehensions, comprehensions - private_lists(sketch)]))


def find_case(
    product: Product,
    neighbours: Neighbours,
    claim: Scale,
    assumed: tuple[str, ...],
    steps: int,
    effort: Effort,
    reach: Mapping[int, Scale],
    real: bool,
    likely: CaseProof | None = None,
) -> CaseProof | str:
    """An alignment with an invariant, or what was tried."""
    reason = "no alignment of the templates fits"
    if real and likely is None and not may_follow(product, reach):
        return reason
    stage = Stage(product, neighbours, claim, 0, SCENARIOS, effort)
    if likely is not None and stage.passes(likely.alignment, LOOK):
        found = prove_alike(product, stage, neighbours, likely, claim, assumed, steps)
        if isinstance(found, str) and stage.passes(likely.alignment):
            found = prove_alignment(product, stage, neighbours, likely.alignment, claim, assumed, steps)
        if isinstance(found, CaseProof):
            return found
    for candidates in AlignmentSearch(product, stage, reach, real).alignments():
        for alignment in itertools.islice(candidates, MOST_ATTEMPTS):
            effort.spent += ATTEMPT
            try:
                found = prove_alignment(product, stage, neighbours, alignment, claim, assumed, steps)
            except Unsupported as error:
                found = str(error)
            if isinstance(found, CaseProof):
                return found
            reason = found
    return reason


# ---------------------------------------------------------------- one alignment


def prove_alignment(
    product: Product,
    stage: Stage,
    neighbours: Neighbours,
    alignment: Alignment,
    claim: Scale,
    assumed: tuple[str, ...],
    steps: int,
) -> CaseProof | str:
    """Look for an invariant under one alignment."""
    sample = observe(stage, alignment, MOST_SEEN)
    if product.watched:
        alignment = replace(alignment, closed=closings(product, sample, steps))
    system = build_system(product, neighbours, alignment, None, assumed)
    shared = base_candidates(product, alignment, sample)
    base = Inductive(system, {**shared, END: ()}, steps)
    base.weaken()
    rich = rich_candidates(product, neighbours, alignment, claim, sample)
    formulas = offers(product, neighbours, claim, sample)
    # What the runs share may rest on what is known of their differences, so it has a second chance.
    def weakened() -> Inductive:
        full = {loop: (*held, *shared.get(loop, ()), *rich.get(loop, ())) for loop, held in base.left.items()}
        full[END] = tuple(dict.fromkeys(formulas.values()))
        found = Inductive(system, full, steps, base)
        found.weaken()
        return found

    found = weakened()
    result = concluded(product, neighbours, alignment, claim, found, formulas)
    if isinstance(result, str) and sample.rounds != sample.prices and not found.broken_goal():  # the runs agree, and the cost is not known
        rich = rich_candidates(product, neighbours, alignment, claim, replace(sample, prices=sample.rounds))
        found = weakened()
        result = concluded(product, neighbours, alignment, claim, found, formulas)
    if isinstance(result, str) and (alignment.ghosts or neighbours.single):  # what fell outright may hold under conditions
        fell = {loop: set(rich[loop]) - set(found.left[loop]) for loop in rich}
        again = rich_candidates(product, neighbours, alignment, claim, sample, fell)
        if {loop: set(own) for loop, own in again.items()} != {loop: set(own) for loop, own in rich.items()}:
            rich, found = again, weakened()
            result = concluded(product, neighbours, alignment, claim, found, formulas)
    if isinstance(result, str) and stage.effort.may_ask_spacer:
        stage.effort.asked += 1
        if (more := with_spacer(system, found, base, most_within(product, claim, formulas), steps)) is not None:
            by_spacer = concluded(product, neighbours, alignment, claim, more, formulas)
            result = result if isinstance(by_spacer, str) else by_spacer
    return result


def with_spacer(system: System, found: Inductive, base: Inductive, cost: tuple[Formula, ...], steps: int) -> Inductive | None:
    """What is left of an invariant, and what Spacer adds so that the goals and the bound on the cost follow, if it can."""
    extra = spacer_candidates(system, {loop: tuple(held) for loop, held in found.left.items()}, cost) if cost else {}
    if not any(extra.values()):
        return None
    full = {loop: (*held, *extra.get(loop, ())) for loop, held in found.left.items()}
    more = Inductive(system, full | {END: tuple(dict.fromkeys((*full[END], *cost)))}, steps, base)
    more.weaken()
    return more


def most_within(product: Product, claim: Scale, formulas: Mapping[Share, Formula]) -> tuple[Formula, ...]:
    """The largest bound on the cost that is within the claim, where there is one kind of scale."""
    fits = [share for share in formulas if share.per is None and within_claim((share,), claim, product.sketch)]
    if len(product.monomials) != 1 or not fits:
        return ()
    return (formulas[max(fits, key=lambda share: share.bound)],)


def prove_alike(
    product: Product,
    stage: Stage,
    neighbours: Neighbours,
    known: CaseProof,
    claim: Scale,
    assumed: tuple[str, ...],
    steps: int,
) -> CaseProof | str:
    """The proof of a program that differs in its scales, carried over: few candidates, so it takes a third of the time."""
    sample = observe(stage, known.alignment, MOST_SEEN)
    system = build_system(product, neighbours, known.alignment, None, assumed)
    formulas = offers(product, neighbours, claim, sample)
    found = Inductive(system, {**respent(product, neighbours, known, sample), END: tuple(dict.fromkeys(formulas.values()))}, steps)
    found.weaken()
    return concluded(product, neighbours, known.alignment, claim, found, formulas)


def offers(product: Product, neighbours: Neighbours, claim: Scale, sample: ObservedStates) -> dict[Share, Formula]:
    """Shares of the budget that may suffice, and what they say."""
    # Of a cost in proportion to the move, no part is in proportion to a public quantity as well.
    found = [share for share in end_candidates(product, claim, sample) if share.per is None or not neighbours.in_proportion]
    return {share: share_formula(product, neighbours, share) for share in found}


def concluded(
    product: Product, neighbours: Neighbours, alignment: Alignment, claim: Scale, found: Inductive, formulas: Mapping[Share, Formula]
) -> CaseProof | str:
    """The proof by an invariant that holds, if it suffices."""
    if broken := found.broken_goal():
        return f"no invariant was found that carries the step {broken}"
    valid = [share for share, formula in formulas.items() if formula in found.left[END] or formula == TRUE]
    shares = choose_shares(product, valid)
    if shares is None or not within_claim(shares, claim, product.sketch):
        return f"the cost found is not at most {claim}"
    invariant = found.prune({END: tuple(formulas[share] for share in shares)})
    return CaseProof(neighbours, alignment, shares, {loop: held for loop, held in invariant.items() if loop != END})


def choose_shares(product: Product, valid: list[Share]) -> tuple[Share, ...] | None:
    """For each kind of scale the smallest share that was found to hold."""
    result = []
    for powers in product.monomials:
        own = [share for share in valid if share.powers == powers]
        if not own:
            return None
        result.append(min(own, key=lambda share: (share.bound, share.per or "")))
    return tuple(result)


def private_lists(sketch: Sketch) -> frozenset[int]:
    """The comprehensions whose items draw noise or look at answers, themselves or in a list that does."""
    order = [node for node in walk(sketch.body) if isinstance(node, Comprehension)]
    lists, found = {sketch.private.name}, set[int]()
    for _ in order:
        for i, node in enumerate(order):
            read = {n.of.name for n in walk(node.item) if isinstance(n, Index)}
            read |= {node.over.name} if isinstance(node.over, Var) else set()
            if read & lists or any(isinstance(n, Draw) for n in walk(node.item)):
                found.add(i)
                lists |= {target for target, value in assignments(sketch.body) if value is node}
    return frozenset(found)


def must_release(sketch: Sketch) -> frozenset[int]:
    """The comprehensions that are themselves an answer, or whose name is."""
    order = [node for node in walk(sketch.body) if isinstance(node, Comprehension)]
    returned = [node.value for node in walk(sketch.body) if isinstance(node, Return)]
    names = {value.name for value in returned if isinstance(value, Var)}
    return frozenset(
        i
        for i, node in enumerate(order)
        if any(value is node for value in returned)
        or any(target in names and value is node for target, value in assignments(sketch.body))
    )
