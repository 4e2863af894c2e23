"""What textbooks call a completion: they share the budget evenly among the places of a law."""

from __future__ import annotations

from fractions import Fraction

from kolahal.lang.ir import Hole
from kolahal.lang.noise import Noise
from kolahal.lang.polynomial import Polynomial
from kolahal.lang.sketch import Completion, Sketch
from kolahal.results import Law, Rule, Synthesis, describe_completion


def name_completion(completion: Completion, law: Law | None, sketch: Sketch) -> str | None:
    """`the classic pair` where two places take half of the budget each, and so on; None for what has no name, as where a place of the main rule is silent."""
    noisy = {hole for hole, scale in enumerate(completion) if scale}
    if any(scale.family not in (None, Noise.LAPLACE) for scale in completion):
        return None
    if law is None or len(noisy) < 2 or not any(_is_even(completion, rule, sketch, noisy) for rule in law.rules[:1]):
        return None
    return "the classic pair" if len(noisy) == 2 else "the classic split"


def name_lines(synthesis: Synthesis) -> list[str]:
    """Which of the ranked completions has a name."""
    found = []
    for place, judged in enumerate(synthesis.judged, 1):
        if name := name_completion(judged.ranked.completion, synthesis.law, synthesis.sketch):
            shown, budget = describe_completion(judged.ranked.completion), synthesis.sketch.variant.symbol
            found.append(f"Rank {place}, {shown}, is {name}: every place takes the same share of {budget}.")
    return found


def _is_even(completion: Completion, rule: Rule, sketch: Sketch, noisy: set[int]) -> bool:
    """Whether the places of a rule that is one sum take equal parts of the whole budget."""
    if len(rule.inequalities) != 1:
        return False
    holes = {draw.site: draw.scale.index for draw in sketch.sites if isinstance(draw.scale, Hole)}
    weights = dict(rule.inequalities[0].coefficients)
    if {holes.get(site) for site in weights} != noisy or any(completion[hole].root for hole in noisy):
        return False
    share = Polynomial.name(sketch.budget.name).times(Fraction(1, len(noisy)))
    return all(weight.divided(completion[holes[site]]) == share for site, weight in weights.items())
