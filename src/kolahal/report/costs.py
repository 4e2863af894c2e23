"""What did it cost? Errors by length and by budget, in words, as data and as a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kolahal.model import show
from kolahal.report.words import join_words, pretty
from kolahal.results import Synthesis, describe_completion

SHARE = "share of wrong outputs"
MOST_CROSSINGS = 2  # that a terminal shows; the JSON has all


def cost_document(synthesis: Synthesis) -> dict[str, Any] | None:
    """The errors of the best completion and of the next one by length and by budget, and a sentence for people."""
    best, cost = synthesis.best, synthesis.cost
    if best is None or cost is None:
        return None
    by_length = {j.ranked.completion: dict(j.ranked.errors) for j in synthesis.judged}
    both = [by_length.get(completion, {}) for completion in cost.completions]
    budget = float(synthesis.split.training[0].epsilon)
    return {
        "error_unit": cost.unit,
        "scales": [[str(scale) if scale else None for scale in completion] for completion in cost.completions],
        "budget": budget,
        "by_length": [
            {"length": length, "errors": [errors.get(length) for errors in both]} for length, _ in best.ranked.errors
        ],
        "length": cost.length,
        "by_budget": [{"budget": amount, "errors": list(errors)} for amount, errors in cost.by_budget],
        "crossings": [
            {"rank": synthesis.judged.index(judged) + 1, "below": round(length, 1)} for judged, length in synthesis.crossings
        ],
        "words": cost_words(synthesis),
    }


def cost_words(synthesis: Synthesis) -> str:
    """One line: how often the output is right, or how far it is off, at each length."""
    best, cost = synthesis.best, synthesis.cost
    if best is None or cost is None or not best.ranked.errors:
        return ""
    lengths = join_words([str(length) for length, _ in best.ranked.errors])
    at = f"{synthesis.split.training[0].symbol} = {show(synthesis.split.training[0].epsilon)}"
    errors = [error for _, error in best.ranked.errors]
    answers = "answer" if lengths == "1" else "answers"
    if cost.unit == SHARE:
        right = join_words([str(round(100 * (1 - error))) for error in errors])
        return f"at {at} and {lengths} {answers} the right output is found in {right} of 100 runs (in lists, the right items)"
    off = join_words([f"{error:.2g}" for error in errors])
    return f"at {at} and {lengths} {answers} the output is off by {off} on average"


def crossing_lines(synthesis: Synthesis) -> list[str]:
    """Which completions are better than the best one where answers are few, or a little better everywhere."""
    lines = [
        f"Below about {length:.0f} answers {describe_completion(judged.ranked.completion)} errs less."
        for judged, length in sorted(synthesis.crossings, key=lambda crossing: -crossing[1])[:MOST_CROSSINGS]
    ]
    if cost_words(synthesis) and synthesis.best is not None and min(j.ranked.score.error for j in synthesis.judged) < synthesis.best.ranked.score.error:
        lines.append("Of completions that err about as much, the one with the least noise is first; `kolahal tune` finds the best scales for a length.")
    return lines


def draw_by_length(cost: Mapping[str, Any]) -> tuple[str, str, str] | None:
    """Title, picture and caption of the errors by length; nothing where there is one length alone."""
    rows = cost["by_length"]
    if len(rows) < 2:
        return None
    from kolahal.report.svg import Series, line_chart

    names = [_name(scales) for scales in cost["scales"]]
    series = [
        Series(name, tuple((row["length"], row["errors"][place]) for row in rows if row["errors"][place] is not None), dots=True)
        for place, name in enumerate(names)
    ]
    share = cost["error_unit"] == SHARE
    title = "Error against length"
    svg = line_chart(
        title, "private answers", cost["error_unit"], series, top=1.0 if share else None, log_x=True, log_y=not share,
        description=cost["words"], heading=False,
    )  # fmt: skip
    return title, svg, f"What it costs: {cost['words']}. The answers are made up, as many of them to a unit of noise at every length."


def _name(scales: Sequence[str | None]) -> str:
    return ", ".join(map(pretty, scales))
