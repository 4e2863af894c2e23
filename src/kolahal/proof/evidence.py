"""The one place that compares all that is known of a mechanism. What contradicts itself is a defect of ours, no verdict."""

from __future__ import annotations

from kolahal.results import LowerBound
from kolahal.verdicts import Bounded, Proved, Refuted, Unknown, UpTo, Verdict, describe_verdict

ROUNDING = 1e-9  # relative; bounds from below are doubles, rounded from intervals
SUSPICIOUS = 1e-9  # a p-value of the final test that no private mechanism shows: one false alarm in 10⁹ tests
REPORT = "please report it, with the program and this line"


def reconcile(
    verdict: Verdict, lower: LowerBound | None, upper: float | None, p_value: float | None = None
) -> Verdict:
    """The verdict, if nothing that is known speaks against it; otherwise Unknown, marked as a defect.

    `lower` and `upper` enclose the true ε in units of the claim, the one by an exact example and the other by a
    certificate; `p_value` is the final test's at the claim.
    """
    found = find_contradiction(verdict, lower, upper, p_value)
    return defect(f"{found}. The verdict would have been: {describe_verdict(verdict)}") if found else verdict


def find_contradiction(verdict: Verdict, lower: LowerBound | None, upper: float | None, p_value: float | None) -> str:
    """What speaks against a verdict, in words; nothing, if nothing does."""
    if lower is not None:
        shown = f"an example loses {lower.loss:.6g} of the claim for certain ({lower.example})"
        if upper is not None and lower.loss > upper * (1 + ROUNDING):
            return f"{shown}, and a certificate says at most {upper:.6g}"
        if lower.loss > 1 + ROUNDING and _covers(verdict, lower):
            return f"{shown}, and a certificate says at most 1"
    if isinstance(verdict, Refuted) and upper is not None and upper <= 1:
        return f"a counterexample is certain ({verdict.example}), and a certificate says at most {upper:.6g} of the claim"
    if isinstance(verdict, Proved) and p_value is not None and p_value < SUSPICIOUS:
        return f"the statistical test finds a violation (p = {p_value:.2g}), and a certificate says that there is none"
    return ""


def _covers(verdict: Verdict, lower: LowerBound) -> bool:
    """Whether a proof speaks of the inputs of an example."""
    match verdict:
        case Proved():
            return True
        case Bounded(scope=UpTo(size, condition)):
            return not condition and len(lower.example.d1) <= size
        case _:
            return False


def defect(text: str) -> Unknown:
    """What is given instead of a verdict; the tests make an error of it."""
    return Unknown(f"this is a defect of Kolahal, {REPORT}: {text}", defect=True)
