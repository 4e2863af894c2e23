"""The verdict on a complete mechanism: proved, refuted or unknown, with bounds on its ε from both sides."""

from __future__ import annotations

import json
from concurrent.futures import Executor
from fractions import Fraction

from kolahal.errors import UsageError
from kolahal.lang.scale import Scale, parse_scale
from kolahal.lang.sketch import Mechanism, Sketch
from kolahal.measure.loss import epsilon_lower
from kolahal.measure.tester import test_mechanism
from kolahal.model import Certificate, Check, Proved, Refuted, Unknown, show
from kolahal.proof import exhibit
from kolahal.proof.bounded import prove_bounded, recheck_bounded
from kolahal.proof.certificate import recheck
from kolahal.proof.judge import known_laws
from kolahal.proof.law import cost_of
from kolahal.proof.lengths import prove_every_length
from kolahal.proof.refute import best_lower_bound, refute
from kolahal.settings import Settings, TesterSettings

CONCRETE = Fraction(1, 2)  # the ε at which a mechanism is tested where it must be a number


def check(
    sketch: Sketch | Mechanism, claim: str = "", settings: Settings | None = None, executor: Executor | None = None
) -> Check:
    """Whether a program without holes is `claim`-private (its ε, if nothing is claimed): a proof, a counterexample, or why neither.

    The statistical test speaks only where nothing else decides.
    """
    program = sketch.filled() if isinstance(sketch, Mechanism) else sketch
    settings = settings or Settings()
    if program.holes:
        raise UsageError(f"{program.name} has holes; fill them before it is checked")
    claimed = parse_claim(program, claim)
    proof, upper = _prove(program, claimed, _law_cost(program, claimed, settings), settings)
    bound = best_lower_bound(program, claimed, settings)
    lower = 0.0 if bound is None else bound.loss
    if isinstance(proof, Proved):
        return Check(proof, lower, float(upper or 1))
    refuted = refute(program, claimed, settings)
    if refuted is not None:
        return Check(refuted, max(lower, _shown(refuted, program, claimed)), None if upper is None else float(upper))
    trial = test_mechanism(program, CONCRETE, TesterSettings(), settings.seed, executor)
    sampled = trial.epsilon_lower / float(claimed.at(trial.example.arguments.quantities(program)))
    found = "a" if sampled > 1 else "no"
    reason = f"{proof.reason}; no certain counterexample; the test finds {found} violation (p = {trial.p_value:.2g} at ε = {show(CONCRETE)})"
    return Check(Unknown(reason), max(lower, sampled), None if upper is None else float(upper), trial)


def _shown(refuted: Refuted, sketch: Sketch, claim: Scale) -> float:
    """The loss of a counterexample in units of the claim."""
    return epsilon_lower(refuted.odds) / float(claim.at(refuted.example.arguments.quantities(sketch)))


def parse_claim(sketch: Sketch, text: str) -> Scale:
    """The claimed privacy level as an expression: `eps`, `2*eps`, `N*eps`."""
    epsilon = sketch.epsilon.name
    claim = parse_scale(text or epsilon)
    allowed = sketch.quantities()
    if not claim or dict(claim.powers).get(epsilon) != 1:
        raise UsageError(
            f"the claim {text} is not a multiple of {epsilon}; write for example {epsilon}, 2*{epsilon} or N*{epsilon}"
        )
    for name, _ in claim.powers:
        if name not in allowed:
            raise UsageError(f"the claim {text} uses {name}; a claim about {sketch.name} may use {', '.join(allowed)}")
    return claim


def _law_cost(sketch: Sketch, claim: Scale, settings: Settings) -> Fraction | None:
    """What the mechanism costs by its law, in units of the claim, where that is one number for all inputs."""
    laws = known_laws(sketch, settings.proof)
    cost = None if isinstance(laws, Unknown) else cost_of(sketch, laws)
    only_epsilon = all(name == sketch.epsilon.name for name, _ in claim.powers)
    return cost / claim.coefficient if cost is not None and only_epsilon else None


def _prove(
    sketch: Sketch, claim: Scale, cost: Fraction | None, settings: Settings
) -> tuple[Proved | Unknown, Fraction | None]:
    """A proof of the claim or why there is none, and the smallest multiple of the claim that was proved."""
    reasons: list[str] = []
    if cost:
        tight = Scale(claim.coefficient * cost, claim.powers)
        found = prove_every_length(sketch, tight, settings.proof)
        if isinstance(found, Proved):
            if cost <= 1:
                return found, cost
            return Unknown(f"the cheapest alignment costs {float(cost):.4g} of the claim"), cost
        reasons.append(found.reason)
    if cost is None or cost <= 1:
        for prove in (prove_every_length, prove_bounded):
            found = prove(sketch, claim, settings.proof)
            if isinstance(found, Proved):
                return found, Fraction(1)
            reasons.append(found.reason)
    else:
        reasons.append(f"the cheapest alignment costs {float(cost):.4g} of the claim")
    return Unknown("; ".join(dict.fromkeys(reasons))), None


# ---------------------------------------------------------------- checking again


def verify(text: str, settings: Settings | None = None) -> list[str]:
    """What is wrong with a certificate or a counterexample; nothing, if it is valid.

    The whole output of `check --json` is accepted too.
    """
    settings = settings or Settings()
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        raise UsageError("this is not JSON; give a certificate, or what `kolahal check --json` printed") from None
    if isinstance(document, dict):
        document = document.get("certificate") or document.get("refutation") or document
    if not isinstance(document, dict) or "program" not in document or "claim" not in document:
        raise UsageError("there is no certificate in this document; give what `kolahal check --json` printed")
    certificate = Certificate(json.dumps(document))
    match document.get("kind"):
        case "bounded":
            return list(recheck_bounded(certificate, settings.proof))
        case exhibit.KIND:
            return exhibit.find_faults(document)
        case _:
            return recheck(certificate, settings.proof.solver_steps)
