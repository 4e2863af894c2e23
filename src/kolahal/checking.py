"""The verdict on a complete mechanism: proved, refuted or unknown, with bounds on its ε from both sides."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import Executor
from fractions import Fraction

from kolahal.errors import UsageError
from kolahal.lang.scale import Scale, parse_scale
from kolahal.lang.sketch import Mechanism, Sketch
from kolahal.measure.tester import test_mechanism
from kolahal.model import Certificate, Check, Proved, Refuted, Trial, Unknown
from kolahal.proof.bounded import prove_bounded, recheck_bounded
from kolahal.proof.certificate import recheck
from kolahal.proof.judge import known_laws
from kolahal.proof.law import cost_of
from kolahal.proof.lengths import prove_every_length
from kolahal.settings import Settings, TesterSettings

CONCRETE = Fraction(1, 2)  # the ε at which a mechanism is tested where it must be a number


def check(
    sketch: Sketch | Mechanism, claim: str = "", settings: Settings | None = None, executor: Executor | None = None
) -> Check:
    """Whether a program without holes is `claim`-private (its ε, if nothing is claimed): a proof, a counterexample, or why neither."""
    program = sketch.filled() if isinstance(sketch, Mechanism) else sketch
    settings = settings or Settings()
    if program.holes:
        raise UsageError(f"{program.name} has holes; fill them before it is checked")
    claimed = parse_claim(program, claim)
    cost = _law_cost(program, claimed, settings)
    proof, upper = _prove(program, claimed, cost, settings)
    if isinstance(proof, Proved):
        lower, trial = _lower(program, claimed, settings, executor)
        return Check(proof, min(lower, float(upper or 1)), float(upper or 1), trial)
    lower, trial = _lower(program, claimed, settings, executor)
    verdict: Refuted | Unknown = proof
    if lower > 1:
        verdict = Unknown(
            f"the test finds a loss of at least {lower:.4g} of the claim, with confidence {trial.confidence}; "
            "that is no certainty"
        )
    return Check(verdict, lower, None if upper is None else float(upper), trial)


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


def _lower(sketch: Sketch, claim: Scale, settings: Settings, executor: Executor | None) -> tuple[float, Trial]:
    """A lower bound on ε in units of the claim, from the tester."""
    trial = test_mechanism(sketch, CONCRETE, TesterSettings(), settings.seed, executor)
    names = trial.example.arguments.quantities(sketch)
    return trial.epsilon_lower / float(claim.at(names)), trial


# ---------------------------------------------------------------- checking again


def verify(text: str, settings: Settings | None = None) -> list[str]:
    """What is wrong with a certificate; nothing, if it is valid. The whole output of `check --json` is accepted too."""
    settings = settings or Settings()
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        raise UsageError("this is not JSON; give a certificate, or what `kolahal check --json` printed") from None
    if isinstance(document, dict) and document.get("certificate"):
        document = document["certificate"]
    if not isinstance(document, dict) or not ("cases" in document or "counterexample" in document):
        raise UsageError("there is no certificate in this document; give what `kolahal check --json` printed")
    certificate = Certificate(json.dumps(document))
    kinds: dict[str, Callable[[], list[str]]] = {
        "bounded": lambda: list(recheck_bounded(certificate, settings.proof)),
    }
    return kinds.get(str(document.get("kind")), lambda: recheck(certificate, settings.proof.solver_steps))()
