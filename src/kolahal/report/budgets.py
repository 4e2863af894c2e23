"""The verdict on a program with a budget other than ε, in words."""

from __future__ import annotations

from typing import Any

from kolahal.lang.claims import plain_claim, print_claim
from kolahal.lang.conversions import convert, short
from kolahal.lang.sketch import Sketch, Variant
from kolahal.model import Example, Odds, describe_event, show
from kolahal.report.json import example_document, interval
from kolahal.report.records import counterexample_lines, sensitivity_lines
from kolahal.results import Check
from kolahal.verdicts import Proved, Refuted, describe_verdict, proof_of

PRICES = {
    Variant.ZCDP: "a draw of scale σ that moves by s costs s²/(2σ²) of ρ (Laplace and Exponential noise that looks ahead: s/b)",
    Variant.GDP: "a draw of standard deviation σ that moves by s costs s²/σ² of μ²",
    Variant.APPROXIMATE: "a draw of standard deviation σ that moves by s costs s²/σ² of gdp(ε, δ)²",
}
CONVERSIONS = {
    Variant.ZCDP: "it is √(2ρ)-DP, and ε-DP is ε·tanh(ε/2)-zCDP, which is at most ε²/2",
    Variant.APPROXIMATE: "it is ε-DP, and ε-DP is (ε, δ)-DP for every δ",
}
AHEAD = (
    "each group of runs with one answer has a shift of its own; one that is m deviations long adds what N(m, 1) and N(0, 1)\n"
    "  have at ε to δ, and all together stay within δ, at every ε and δ that the program accepts."
)
BROKEN = {  # what an event shows
    Variant.ZCDP: "The Rényi divergence of order {order} between the chances of the event is above {order}·ρ",
    Variant.GDP: "The event is a better test of the two inputs than any test of N(0, 1) against N(μ, 1)",
    Variant.APPROXIMATE: "P(event on d1) − e^ε·P(event on d2) is above δ",
}


def describe_break(refuted: Refuted, sketch: Sketch) -> str:
    """In which way the event of a counterexample breaks a claim other than ε."""
    return BROKEN[sketch.variant].format(order="" if refuted.order is None else show(refuted.order))


def render_budget_check(sketch: Sketch, check: Check, said: str) -> str:
    """The verdict, and what stands behind it."""
    verdict = check.verdict
    words = sketch.variant.words
    lines = [f"{sketch.name}, claimed {words} with {said}: {describe_verdict(verdict, sketch.private.name)}."]
    lines += sensitivity_lines(sketch)
    proof = proof_of(verdict)
    if proof is not None:
        document = proof.document()
    if proof is not None and document["kind"] == "affine":
        lines.append(f"Why: {PRICES[sketch.variant]}; the shift that hides a move is the cheapest of all, so this is exact.")
    elif proof is not None and document["kind"] == "union":
        lines.append(f"Why: {AHEAD}")
    elif proof is not None:
        told = CONVERSIONS[sketch.variant] if document["rule"] == "pure" else PRICES[sketch.variant]
        lines.append(f"Why: {told}.")
        moves = [f"  {item['draw']} {item['words']}" for case in document["proof"]["cases"] for item in case["alignment"]]
        noise = [f"{draw.noise.value}({draw.scale})" for draw in sketch.draws]
        lines += [f"Noise: {', '.join(dict.fromkeys(noise))}. In the proof, on the pure program that stands for it:", *dict.fromkeys(moves)]
    if isinstance(verdict, Refuted):
        lines += [f"{describe_break(verdict, sketch)}:", *counterexample_lines(verdict, sketch)]
    return "\n".join(lines) + "\n"


# ---------------------------------------------------------------- what a pure proof is worth

DELTA = 1e-6  # at which (ε, δ) is told


def worth_of(check: Check) -> dict[str, Any] | None:
    """What a proof of ε-DP is worth as ρ-zCDP and as (ε, δ)-DP, where ε is 1; None for other verdicts and claims."""
    sketch = check.sketch
    if sketch is None or sketch.variant is not Variant.PURE or not isinstance(check.verdict, Proved):
        return None
    claim = check.claim or plain_claim(sketch)
    if claim.powers != ((sketch.budget.name, 1),):
        return None
    found = {name: value for g in convert({"eps": float(claim.coefficient), "delta": DELTA}) for name, value in g.values}
    return {"epsilon": 1.0, "rho": found["rho"], "delta": DELTA, "epsilon_at_delta": found["eps"]}


def worth_lines(check: Check) -> list[str]:
    worth = worth_of(check)
    if worth is None:
        return []
    rho, epsilon = worth["rho"], worth["epsilon_at_delta"]
    return [f"Worth at ε = 1: ρ = {short(rho, digits=4)} as zCDP, and (ε, δ)-DP with ε = {short(epsilon)} at δ = {DELTA:g}."]


# ---------------------------------------------------------------- the statistical test

BOUNDED = {Variant.ZCDP: "rho_lower", Variant.GDP: "mu_lower", Variant.APPROXIMATE: "delta_lower"}


def budget_trial_document(
    sketch: Sketch, example: Example, odds: Odds, lower: float, claimed: float, order: float | None, confidence: float, runs: int
) -> dict[str, Any]:
    """What `test --json` prints for a claim other than ε."""
    shown = {"p1": interval(odds.p1), "p2": interval(odds.p2)}
    return {
        "claim": print_claim(sketch, plain_claim(sketch)),
        "guarantee": sketch.variant.words,
        "epsilon": float(example.arguments.epsilon),
        "claimed": claimed,
        BOUNDED[sketch.variant]: lower,
        "order": order,
        "confidence": confidence,
        "violates": lower > claimed,
        "counterexample": {**example_document(example, sketch), **shown},
        "runs": runs,
    }


def render_budget_trial(
    sketch: Sketch, example: Example, odds: Odds, lower: float, claimed: float, order: float | None, confidence: float, runs: int
) -> str:
    """A lower bound in words, and the event that it comes from."""
    name = {Variant.ZCDP: "ρ", Variant.GDP: "μ"}.get(sketch.variant, f"δ at ε = {show(example.arguments.epsilon)}")
    found = "a violation" if lower > claimed else "no violation, which is no proof,"
    at = "" if order is None else f" (order {order:g})"
    lines = [
        f"{sketch.name}: the test finds {found} of {sketch.variant.words} at {example.arguments}.",
        f"The true {name} is at least {lower:.4g}{at}, with confidence {confidence}; claimed is {claimed:.4g}.",
        f"  d1 = {show(example.d1)}",
        f"  d2 = {show(example.d2)}",
        f"  event: {describe_event(example.event)}",
        f"  P(event on d1) is between {odds.p1.low:.6g} and {odds.p1.high:.6g}",
        f"  P(event on d2) is between {odds.p2.low:.6g} and {odds.p2.high:.6g}",
        f"{runs} runs.",
    ]
    return "\n".join(lines) + "\n"
