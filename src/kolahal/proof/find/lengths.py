"""Proofs for inputs of every length: search for an alignment and an invariant, then believe only the re-check."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from fractions import Fraction

from kolahal.lang.claims import plain_claim
from kolahal.lang.ir import Assign, Comprehension, Draw, For, Return, Var, While, assigned_names, walk
from kolahal.lang.kinds import NONE, WHOLE, infer
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Sketch
from kolahal.logic.terms import TRUE, is_whole, symbols_of
from kolahal.proof.find.candidates import base_candidates, end_candidates, rich_candidates, share_formula
from kolahal.proof.find.concrete_runs import Outcome, Stage, branches_fed
from kolahal.proof.find.houdini import Inductive
from kolahal.proof.find.own_recheck import failed_recheck
from kolahal.proof.trusted.budget import Share, within_claim
from kolahal.proof.trusted.certificate import (
    CaseProof,
    LengthProof,
    read_certificate,
    read_verdict,
    recheck,
    write_certificate,
)
from kolahal.proof.trusted.neighbours import Neighbours, assumed_names, neighbours_of
from kolahal.proof.trusted.product import END, Product, build_product, build_system
from kolahal.proof.trusted.shifts import Alignment, Always, AtGhost, ByBranch, Form, Shift
from kolahal.proof.trusted.values import Numeric, Unsupported
from kolahal.settings import ProofSettings
from kolahal.verdicts import Proved, Unknown

DEFAULTS = ProofSettings()
SCENARIOS = 200  # rehearsals of one alignment; those that fail come first, so most alignments take one or two
MOST_TRIALS = 3_000  # of one ghost
MOST_ATTEMPTS = 4  # at a proof, of one ghost
MOST_PREFIXES = 200_000  # of combinations looked at, of one ghost: with many sites most are refused before a trial


def prove_every_length(
    sketch: Sketch, claim: Scale | None = None, settings: ProofSettings = DEFAULTS
) -> Proved | Unknown:
    """Whether a program without holes keeps its claim (ε, if none is given) for inputs of every length.

    The proof is by randomness alignment and covers all real databases, all ε > 0 and all values of the arguments,
    except for what the certificate lists as assumed. Unknown says nothing about the program.
    """
    claim = claim or plain_claim(sketch)
    try:
        found = find_proof(sketch, claim, settings.solver_steps)
        if isinstance(found, str):
            return Unknown(f"no proof for every length: {found}")
        certificate = write_certificate(found)
    except Unsupported as error:
        return Unknown(f"no proof for every length: {error}")
    failures = recheck(certificate, settings.solver_steps)
    if not failures and read_certificate(certificate)[0].sketch != sketch:
        failures = ["the program does not read back from its text"]
    if failures:
        return failed_recheck("a proof for every length", failures)
    return read_verdict(sketch, claim, certificate)


def find_proof(sketch: Sketch, claim: Scale, steps: int) -> LengthProof | str:
    """A proof, or why none was found. Lazy comprehensions are tried before eager ones."""
    if sketch.holes:
        raise Unsupported("the program has holes")
    if dict(claim.powers).get(sketch.epsilon.name, 0) != 1:
        raise Unsupported(f"the claim {claim} is not a multiple of {sketch.epsilon.name}")
    assumed = assumed_names(sketch, claim)
    comprehensions = frozenset(range(sum(isinstance(n, Comprehension) for n in walk(sketch.body))))
    reasons = []
    ways = dict.fromkeys([must_release(sketch), comprehensions])
    named = any(isinstance(value, Draw) for n in walk(sketch.body) if isinstance(n, Assign) for value in n.values)
    for released, delayed in itertools.product(ways, (False, True) if named else (False,)):
        try:
            product = build_product(sketch, released, delayed)
            cases = []
            for neighbours in neighbours_of(sketch):
                case = find_case(product, neighbours, claim, assumed, steps)
                if isinstance(case, str):
                    raise Unsupported(case)
                cases.append(case)
            return LengthProof(sketch, claim, assumed, released, delayed, tuple(cases))
        except Unsupported as error:
            reasons.append(str(error))
    return reasons[0]


def find_case(
    product: Product, neighbours: Neighbours, claim: Scale, assumed: tuple[str, ...], steps: int
) -> CaseProof | str:
    """An alignment with an invariant, or what was tried."""
    stage = Stage(product, neighbours, claim, 0, SCENARIOS)
    reason = "no alignment of the templates fits"
    refused = _Refused()
    for candidates in enumerate_alignments(product, _units(stage), refused):
        trials = attempts = 0
        for alignment in candidates:
            if trials >= MOST_TRIALS or attempts >= MOST_ATTEMPTS:
                break
            trials += 1
            failure = stage.failure(alignment)
            if failure is not None:
                refused.add(alignment, failure)
                continue
            attempts += 1
            try:
                found = prove_alignment(product, stage, neighbours, alignment, claim, assumed, steps)
            except Unsupported as error:
                found = str(error)
            if isinstance(found, CaseProof):
                return found
            reason = found
    return reason


class _Refused:
    """Alignments that rehearsals spoke against: whatever has the same shifts at the sites that were used fails too."""

    def __init__(self) -> None:
        self.known: dict[frozenset[int], set[tuple[str | None, tuple[Shift, ...]]]] = {}

    def add(self, alignment: Alignment, failure: Outcome) -> None:
        shifts = tuple(alignment.shifts[site] for site in sorted(failure.blame))
        bound = failure.at_end or any(isinstance(shift, AtGhost) for shift in shifts)
        self.known.setdefault(failure.blame, set()).add((alignment.ghost if bound else None, shifts))

    def knows(self, ghost: str | None, shifts: tuple[Shift, ...]) -> bool:
        """Whether alignments that begin with these shifts are known to fail."""
        for sites, known in self.known.items():
            if all(site < len(shifts) for site in sites):
                own = tuple(shifts[site] for site in sorted(sites))
                if (ghost, own) in known or (None, own) in known:
                    return True
        return False


STAY, CANCEL = Form(), Form(cancel=True)


def _units(stage: Stage) -> list[Fraction]:
    """The shifts to try, in units of the distance: once and twice what a sum can differ by, both ways."""
    sizes = stage.sensitivities()[:3] or [Fraction(1)]
    both = sorted({size * k for size in sizes for k in (1, 2)})
    return [sign * size for size in both for sign in (1, -1)]


def enumerate_alignments(product: Product, units: list[Fraction], refused: _Refused) -> Iterator[Iterator[Alignment]]:
    """Alignments of the templates, first those without a ghost and then those of each ghost, simple ones first."""
    sites = range(len(product.sketch.draws))
    options = [_options(product, site, units) for site in sites]
    yield _by_rank(None, options, refused)
    for ghost in _ghosts(product):
        near = _sites_near(product, ghost)
        chosen = [_ghost_options(product, site, units) if site in near else options[site] for site in sites]
        yield _by_rank(ghost, chosen, refused)


def _moved(units: list[Fraction]) -> list[Form]:
    """Shifts by so much, large ones first, and then those that also make a sum equal."""
    ordered = sorted(units, key=lambda unit: (unit < 0, -abs(unit)))
    return [Form(unit) for unit in ordered] + [Form(unit, True) for unit in ordered]


def _options(product: Product, site: int, units: list[Fraction]) -> list[Shift]:
    plain: list[Shift] = [Always(STAY), Always(CANCEL), *(Always(Form(unit)) for unit in units)]
    gaps = [Form(Fraction(0), True, name) for name in _names_compared(product, site)]
    for branch in sorted(branches_fed(product, site)):
        for form in [CANCEL, *_moved(units), *gaps]:
            plain += [ByBranch(branch, form, STAY), ByBranch(branch, STAY, form)]
    if not branches_fed(product, site):
        for branch in sorted(_branches_passed(product, site)):
            for unit in units:
                plain += [ByBranch(branch, STAY, Form(unit)), ByBranch(branch, Form(unit), STAY)]
    return plain


def _branches_passed(product: Product, site: int) -> set[int]:
    """The conditions that are decided in the turn of this draw, on some path with it and on some both ways."""
    outcomes: dict[int, set[bool]] = {}
    for paths in product.first.paths.values():
        for path in paths:
            if any(drawn.site == site for drawn in path.draws):
                for branch, outcome in path.decisions.items():
                    outcomes.setdefault(branch, set()).add(outcome)
    return {branch for branch, seen in outcomes.items() if len(seen) == 2}


def _ghost_options(product: Product, site: int, units: list[Fraction]) -> list[Shift]:
    """A draw is shifted for the answer that the ghost names, or as without a ghost."""
    others = _options(product, site, units)
    chosen: list[Shift] = []
    for form in [*_moved(units), CANCEL]:
        chosen += [AtGhost(offset, form, STAY) for offset in (0, 1, -1)]
    return [others[0], *chosen, *others[1:]]


def _sites_near(product: Product, ghost: str) -> set[int]:
    """The draws that are added to answers where the ghost's variable, or what it is computed from, gets its value."""
    body = product.sketch.body
    names, size = {ghost}, 0
    while len(names) > size:
        size = len(names)
        for node in walk(body):
            if isinstance(node, Assign):
                pairs = zip(node.targets, node.values, strict=True)
                names |= {v.name for t, value in pairs if t in names for v in walk(value) if isinstance(v, Var)}
    loops = [node for node in walk(body) if isinstance(node, For | While)]
    near = [node for node in loops if assigned_names(node.body) & names]
    sites = {d.site for node in near for d in walk(node) if isinstance(d, Draw)}
    for paths in product.first.paths.values():
        for path in paths:
            answers = {read.symbol for read in path.reads if read.private}
            drawn = [d for d in path.draws if d.spot or symbols_of(d.rest) & answers]
            sites |= {d.site for d in drawn if d.spot or not _in_a_loop(d.site, loops)}
    return sites


def _in_a_loop(site: int, loops: Sequence[For | While]) -> bool:
    return any(isinstance(d, Draw) and d.site == site for loop in loops for d in walk(loop))


def _names_compared(product: Product, site: int) -> list[str]:
    """The real variables that stand in a condition together with this draw."""
    found: dict[str, None] = {}
    for paths in product.first.paths.values():
        for path in paths:
            for drawn in path.draws:
                tests = [symbols_of(test) for test in path.tests.values() if drawn.symbol in symbols_of(test)]
                for name, value in drawn.names.items():
                    if drawn.site != site or not isinstance(value, Numeric) or is_whole(value.value):
                        continue
                    if any(symbols_of(value.value) & symbols for symbols in tests):
                        found[name] = None
    return list(found)


def _by_rank(ghost: str | None, options: Sequence[Sequence[Shift]], refused: _Refused) -> Iterator[Alignment]:
    """All combinations that are not refused, those of early options first."""
    limits = [len(own) - 1 for own in options]
    looks = 0

    def of_rank(total: int, chosen: tuple[Shift, ...]) -> Iterator[Alignment]:
        nonlocal looks
        looks += 1
        site = len(chosen)
        if looks > MOST_PREFIXES or refused.knows(ghost, chosen):
            return
        if site == len(options):
            yield Alignment(chosen, ghost)
            return
        least = max(0, total - sum(limits[site + 1 :]))
        for rank in range(least, min(total, limits[site]) + 1):
            yield from of_rank(total - rank, (*chosen, options[site][rank]))

    for total in range(sum(limits) + 1):
        if looks <= MOST_PREFIXES:
            yield from of_rank(total, ())


def _ghosts(product: Product) -> list[str]:
    """Whole-number variables that the answer is computed from, those that are the answer first."""
    body = product.sketch.body
    types = infer(product.sketch)
    public = {p.name for p in product.sketch.parameters}
    found: list[str] = []
    todo: list[object] = [node.value for node in walk(body) if isinstance(node, Return)]
    while todo:
        names = [node.name for node in walk(todo.pop(0)) if isinstance(node, Var)]
        for name in dict.fromkeys(names):
            if name not in public and name not in found:
                found.append(name)
                todo += [
                    value
                    for node in walk(body)
                    if isinstance(node, Assign)
                    for target, value in zip(node.targets, node.values, strict=True)
                    if target == name
                ]
    changing = frozenset().union(*(assigned_names(n.body) for n in walk(body) if isinstance(n, For | While)))
    copies = [name for name in found if types.names.get(name, frozenset()) <= {WHOLE, NONE} and types.names.get(name)]
    return [name for name in copies if name in changing][:2]


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
    sample = stage.states(alignment, 300)
    system = build_system(product, neighbours, alignment, None, assumed)
    base = Inductive(system, {**base_candidates(product, sample), END: ()}, steps)
    base.weaken()
    rich = rich_candidates(product, neighbours, alignment, claim, sample)
    offers = end_candidates(product, claim, sample)
    formulas = {share: share_formula(product, neighbours, share) for share in offers}
    full = {loop: (*held, *rich.get(loop, ())) for loop, held in base.left.items()}
    full[END] = tuple(dict.fromkeys(formulas.values()))
    found = Inductive(system, full, steps, base)
    found.weaken()
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


def must_release(sketch: Sketch) -> frozenset[int]:
    """The comprehensions that are themselves an answer, or whose name is."""
    order = [node for node in walk(sketch.body) if isinstance(node, Comprehension)]
    returned = [node.value for node in walk(sketch.body) if isinstance(node, Return)]
    names = {value.name for value in returned if isinstance(value, Var)}
    return frozenset(
        i
        for i, node in enumerate(order)
        if any(value is node for value in returned) or names & _names_given(sketch, node)
    )


def _names_given(sketch: Sketch, node: Comprehension) -> set[str]:
    return {
        target
        for assign in walk(sketch.body)
        if isinstance(assign, Assign)
        for target, value in zip(assign.targets, assign.values, strict=True)
        if value is node
    }
