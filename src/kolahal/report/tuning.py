"""What `tune` found, as text, as a JSON document and as a picture."""

from __future__ import annotations

from typing import Any

from kolahal.lang.claims import plain_claim, print_claim
from kolahal.report.json import arguments, guarantee_of, scales_document
from kolahal.report.svg import RuledLine, Series, line_chart
from kolahal.report.text import table
from kolahal.report.words import describe_accuracy
from kolahal.results import Measured, Tuning
from kolahal.verdicts import assumed_by, describe_verdict, name_verdict, scope_of

GIVEN = "The data must be public or synthetic: the scales depend on them, and say something of them."


def tuning_document(found: Tuning, seed: int, seconds: float, version: str) -> dict[str, Any]:
    """The two completions, how their errors compare, and what they were compared on."""
    sketch = found.tuned.sketch
    return {
        "sketch": sketch.name,
        "textbook": _measured(found.textbook),
        "tuned": _measured(found.tuned),
        "ratio": found.ratio,
        "ratio_standard_error": found.uncertainty,
        "law": found.law,
        "claim": print_claim(sketch, plain_claim(sketch)),
        **guarantee_of(sketch),
        "at": arguments(found.cases[0]),
        "error": found.unit,
        "inputs": {
            "count": len(found.cases),
            "sizes": sorted({a.size for a in found.cases}),
            "source": found.source or "made up",
            "note": GIVEN if found.source else _words_of_made_up(found),
        },
        "runs": found.runs or None,
        "curve": [{"share": share, "error": error} for share, error in found.curve],
        "mechanism": str(found.tuned.sketch.complete(*found.tuned.completion)),
        "seed": seed,
        "seconds": round(seconds, 3),
        "version": version,
    }


def _measured(found: Measured) -> dict[str, Any]:
    return {
        "scales": scales_document(found.completion),
        "shares": [str(share) for share in found.shares],
        "error": found.error,
        "standard_error": found.uncertainty,
        "verdict": name_verdict(found.verdict),
        "scope": scope_of(found.verdict),
        "assumed": assumed_by(found.verdict),
    }


def render_tuning(found: Tuning, seconds: float, most: int | None = None) -> str:
    """Both completions beside each other, how much is gained, and on which data."""
    sketch, first = found.tuned.sketch, found.cases[0]
    sizes = sorted({a.size for a in found.cases})
    labels = [hole.label.replace("eta", "η") for hole in sketch.holes]
    rows = [_row(name, measured) for name, measured in (("textbook", found.textbook), ("tuned", found.tuned))]
    gain = f"The tuned scales err {found.ratio:.3g} times as much as the textbook's, which share the budget evenly"
    off = f" (standard error {found.uncertainty:.1g})" if found.runs else ""
    lines = [
        f"{sketch.name}: {sketch.adjacency.describe()}",
        f"law: {found.law}",
        "",
        table(["", *labels, "shares", "error", "verdict"], rows, most),
        "",
        f"{gain}{off}.",
        f"error: {describe_accuracy(found.unit, str(first), len(found.cases), sizes)}; {_how(found)}.",
        GIVEN if found.source else _words_of_made_up(found),
        f"Tuned: {describe_verdict(found.tuned.verdict, sketch.private.name)}",
        "",
        str(sketch.complete(*found.tuned.completion)),
        f"seconds: {seconds:.1f}",
    ]
    return "\n".join(lines) + "\n"


def _how(found: Tuning) -> str:
    if not found.runs:
        return "by integration, the same for all private answers"
    where = f"from {found.source}" if found.source else "made up"
    return f"{where}, {found.runs} runs on each, with the same noise for both"


def _words_of_made_up(found: Tuning) -> str:
    if not found.runs:
        return "The error does not depend on the private answers."
    if found.rows:
        return f"Each input is {found.rows} made-up records. Use --typical FILE to compare on public or synthetic data of yours."
    if found.unit == "mean distance":
        return "The answers are made up: few of them stand out. Use --typical FILE to compare on public or synthetic data of yours."
    return (
        "The answers are made up: few of them stand out, and they are so far apart that the textbook's output is right about "
        "half of the time. Use --typical FILE to compare on public or synthetic data of yours."
    )


def _row(name: str, found: Measured) -> list[str]:
    scope = scope_of(found.verdict)
    word = name_verdict(found.verdict) + (f", {scope}" if scope else "")
    shares = ", ".join(str(share) for share in found.shares if share)
    return [name, *(scale.pretty() for scale in found.completion), shares, f"{found.error:.4g}", word]


def draw_tuning(found: Tuning) -> str:
    """The error over the law's curve: how much of the budget the first hole takes; nothing where there is no such curve."""
    if not found.curve:
        return ""
    sketch, noisy = found.tuned.sketch, [bool(share) for share in found.tuned.shares]
    label = sketch.holes[noisy.index(True)].label.replace("eta", "η")
    shown = [(name, m) for name, m in (("textbook", found.textbook), ("tuned", found.tuned)) if [bool(s) for s in m.shares] == noisy]
    rules = [RuledLine(name, float(m.shares[noisy.index(True)]), up=True) for name, m in shown]
    curve = Series(f"error at {found.cases[0].size} answers, the rest going to the other place", found.curve)
    title = f"{sketch.name}: the error over the curve of its law"
    return line_chart(title, f"share of the budget that {label} takes", found.unit, [curve], rules=rules, description=found.law)
