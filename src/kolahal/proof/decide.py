"""The one ladder from a program to a verdict: proved, refuted, bounded, unknown, in the order in which they are asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial

from kolahal.inputs.arguments import sizes_of
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Sketch, Variant
from kolahal.model import with_labels
from kolahal.nouns import dataclass
from kolahal.proof.find import own_recheck
from kolahal.proof.find.lengths import prove_every_length, prove_over_reals
from kolahal.proof.refute.survey import Survey
from kolahal.proof.trusted.certificate import LengthProof
from kolahal.settings import ProofSettings, Settings
from kolahal.verdicts import Bounded, Decision, NoTies, Proved, Refuted, Unknown, Verdict

# What most programs never need is loaded late.


def _prove_bounded(program: Sketch, claim: Scale, effort: ProofSettings) -> Proved | Bounded | Unknown:
    from kolahal.proof.find import bounded

    return bounded.prove_bounded(program, claim, effort)


def _refute(program: Sketch, claim: Scale, settings: Settings, safe: int) -> Refuted | None:
    from kolahal.proof.refute.refute import refute
    from kolahal.proof.refute.scattered import find_scattered

    return refute(program, claim, settings, safe) or find_scattered(program, claim, settings)


def _decide_budget(program: Sketch, claim: Scale, settings: Settings, guess: LengthProof | None) -> Decision:
    from kolahal.proof.budgets import decide_budget

    return decide_budget(program, claim, settings, guess)


def _grow(program: Sketch, claim: Scale, settings: Settings, survey: Survey | None) -> Refuted | None:
    from kolahal.proof.refute.growth import find_growth

    return find_growth(program, claim, settings, survey)


def decide(
    program: Sketch,
    claim: Scale,
    settings: Settings,
    cost: Fraction | None = None,
    dear: str = "",
    survey: Survey | None = None,
    priced: bool = False,
    guess: LengthProof | None = None,
) -> Decision:
    """What is certain about a program without holes and its claim, whatever its budget is.

    `cost` is what the law says that it costs, in units of the claim, where that is one number: that is proved first,
    because such a proof bounds the loss. `dear` says why no proof of the claim is looked for, if so. `survey` are
    the largest losses, where they are known already. `priced` says that some law prices the program within its claim. `guess` is the proof of a program that differs in its scales.
    """
    climb = partial(_climb, program, claim, settings, cost, dear, survey, priced, guess)
    with own_recheck.noted() as failed:
        if program.variant is not Variant.PURE:
            found = _decide_budget(program, claim, settings, guess)
        elif program.private.count is None or not program.private.whole:
            found = climb()
        else:
            found = _count(program, claim, settings, climb)
    return replace(found, failed_rechecks=tuple(failed))


def _count(program: Sketch, claim: Scale, settings: Settings, otherwise: Callable[[], Decision]) -> Decision:
    """By counting all that can happen, where that decides."""
    from kolahal.proof.find.counted import prove_counted
    from kolahal.proof.refute.counted import refute_counted

    counted = prove_counted(program, claim, settings.proof)
    if isinstance(counted.proof, Proved):
        return Decision(counted.proof, counted.upper)
    refuted = refute_counted(program, claim, settings.proof.steps)
    if refuted is not None:
        return Decision(replace(refuted, example=with_labels(program, refuted.example)), counted.upper)
    found = otherwise()
    uppers = [upper for upper in (counted.upper, found.upper) if upper is not None]
    return replace(found, upper=min(uppers, default=None))


def _climb(
    program: Sketch,
    claim: Scale,
    settings: Settings,
    cost: Fraction | None,
    dear: str,
    survey: Survey | None,
    priced: bool,
    guess: LengthProof | None,
) -> Decision:
    """The ladder for programs that are not decided by counting all that can happen."""
    fixed = program.private.count is not None
    everywhere = _Everywhere(Unknown(dear))
    first = settings.proof if priced and not fixed else settings.proof.quick(fixed)  # there is likely a proof
    if not dear:
        everywhere = _prove_everywhere(program, claim, cost, first, guess)
    if isinstance(everywhere.proof, Proved):
        if fixed and NoTies() in everywhere.proof.assumed:  # a proof that leaves no ties out is worth more
            with_ties = _prove_bounded(program, claim, settings.proof)
            return everywhere.end(with_ties if isinstance(with_ties, Proved) else everywhere.proof)
        return everywhere.end(everywhere.proof)
    bounded = None
    if fixed and everywhere.upper is None:
        for level in dict.fromkeys([cost or Fraction(1), Fraction(1)]):
            bounded = _prove_bounded(program, Scale(claim.coefficient * level, claim.powers), settings.proof)
            if isinstance(bounded, Proved):
                everywhere = replace(everywhere, upper=level)
                if level <= 1:
                    return everywhere.end(bounded)
    # Also before a bounded proof is given: a program that fails at five answers may be private up to four. Where a law
    # speaks for the claim, that proof is looked for first, and its sizes are not searched for what cannot be there.
    if priced and bounded is None and everywhere.upper is None:
        bounded = _prove_bounded(program, claim, settings.proof)
    safe = bounded.scope.size if isinstance(bounded, Bounded) and not bounded.scope.condition else 0
    refuted = _refute(program, claim, settings, safe)
    if refuted is not None:
        return everywhere.end(replace(refuted, example=with_labels(program, refuted.example)))
    if not dear and everywhere.upper is None and everywhere.cut_short and first != settings.proof:
        everywhere = _prove_everywhere(program, claim, cost, settings.proof)
    if isinstance(everywhere.proof, Proved):
        return everywhere.end(everywhere.proof)
    grown = _grow(program, claim, settings, survey)
    if grown is not None:
        return everywhere.end(grown)
    bounded = bounded or _prove_bounded(program, claim, settings.proof)
    tried = tuple(_tried(program, everywhere.proof, dear, settings.proof))
    if isinstance(bounded, Proved | Bounded):
        return replace(everywhere.end(bounded), tried=tried)
    reasons = dict.fromkeys([everywhere.proof.reason, bounded.reason, "no certain counterexample"])
    tried += (f"a proof for a few answers: {bounded.reason}",)
    return replace(everywhere.end(Unknown("; ".join(reasons))), tried=tried)


def _tried(program: Sketch, proof: Unknown, dear: str, effort: ProofSettings) -> Iterator[str]:
    """What was looked for in vain, a line each."""
    if not dear:
        yield f"{proof.reason} (up to {effort.rehearsals} rehearsals of alignments)"
    sizes = sizes_of(program)
    many = f"{sizes[0]} to {sizes[-1]} answers" if len(sizes) > 1 else f"{sizes[0]} answers"
    yield f"counterexamples with {many}: no loss above the claim that is certain"
    if program.private.count is None:
        yield "counterexamples on several levels of answers, and losses that rise with their number: none"


@dataclass(frozen=True, slots=True)
class _Everywhere:
    """A proof of the claim for all inputs or why there is none, and the smallest multiple of it that was proved."""

    proof: Proved | Unknown
    upper: Fraction | None = None
    cut_short: bool = False  # whether a wider limit might give a proof

    def end(self, verdict: Verdict) -> Decision:
        return Decision(verdict, self.upper)


def _prove_everywhere(
    program: Sketch, claim: Scale, cost: Fraction | None, effort: ProofSettings, guess: LengthProof | None = None
) -> _Everywhere:
    cut_short = False
    if cost:
        tight = prove_every_length(program, Scale(claim.coefficient * cost, claim.powers), effort)
        if isinstance(tight, Proved):
            if cost <= 1:
                return _Everywhere(tight, cost)
            over_reals = prove_over_reals(program, claim, effort)  # shifts that follow the others, of which no law knows
            if isinstance(over_reals, Proved):
                return _Everywhere(over_reals, Fraction(1))
            return _Everywhere(Unknown(f"the cheapest alignment costs {float(cost):.4g} of the claim"), cost)
        cut_short = tight.cut_short
        if cost == 1:
            return _Everywhere(tight, None, cut_short)
    found = prove_every_length(program, claim, effort, guess)
    if isinstance(found, Proved):
        return _Everywhere(found, Fraction(1))
    return _Everywhere(found, None, cut_short or found.cut_short)
