"""Results as plain text for a terminal, a log or a golden file."""

from __future__ import annotations

import math
from collections.abc import Sequence

from kolahal.lang.claims import plain_claim, print_claim
from kolahal.lang.ir import Hole
from kolahal.lang.sketch import Role, Sketch, Variant
from kolahal.losses import epsilon_lower
from kolahal.model import Accuracy, Example, Trial, show
from kolahal.report.advice import advise
from kolahal.report.budgets import render_budget_check, worth_lines
from kolahal.report.costs import cost_words, crossing_lines
from kolahal.report.names import name_lines
from kolahal.report.records import counterexample_lines, sensitivity_lines
from kolahal.report.rounding import at_least, at_most, compare
from kolahal.report.words import describe_accuracy, seconds_words
from kolahal.results import Check, Judged, Law, Synthesis, describe_completion
from kolahal.settings import ALPHA
from kolahal.verdicts import (
    Bounded,
    Proved,
    Refuted,
    Tested,
    Unknown,
    describe_verdict,
    name_verdict,
    proof_of,
    scope_of,
)


def table(headings: Sequence[str], rows: Sequence[Sequence[str]], most: int | None = None) -> str:
    """Columns under their headings, as wide as they need; where that is more than `most`, each row as lines of its own."""
    widths = [max(len(row[i]) for row in [headings, *rows]) for i in range(len(headings))]
    if most is not None and sum(widths) + 2 * (len(widths) - 1) > most:
        return "\n\n".join(
            "\n".join(f"{heading}: {cell}" if heading else cell for heading, cell in zip(headings, row, strict=True) if cell)
            for row in rows
        )
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in [headings, ["-" * w for w in widths], *rows]
    ]
    return "\n".join(lines)


def render_sketch(sketch: Sketch) -> str:
    """A sketch as it was understood: its text, its parameters, its neighbours and its places of noise."""
    lines = [str(sketch)]
    roles = {
        Role.PRIVATE: "the private answers",
        Role.EPSILON: "the privacy budget ε",
        Role.RHO: "the privacy budget ρ",
        Role.MU: "the privacy budget μ",
        Role.DELTA: "the δ of the privacy budget",
        Role.ARGUMENT: "public argument",
    }
    for parameter in sketch.parameters:
        default = f", for example {show(parameter.default)}" if parameter.default is not None else ""
        role = roles[parameter.role] if parameter.table is None else "the private records"
        lines.append(f"{parameter.called}: {role} ({parameter.type.value}){default}")
    lines.append(f"neighbours: {sketch.adjacency.describe()}")
    lines += sensitivity_lines(sketch)
    for draw in sketch.sites:
        scale = draw.scale.label if isinstance(draw.scale, Hole) else draw.scale.pretty()
        lines.append(f"noise {draw.site + 1}: {draw.noise.words} of scale {scale}, line {draw.span.line}")
    count = len(sketch.holes)
    lines.append(f"holes: {count}" if count else "holes: none, this is a complete mechanism")
    return "\n".join(lines) + "\n"


def _number(value: float | None, digits: int = 3) -> str:
    if value is None or math.isnan(value):
        return "–"
    return "∞" if math.isinf(value) else f"{value:.{digits}g}"


def _law_lines(law: Law, sketch: Sketch) -> list[str]:
    """The law, and other ways to keep the budget, each with the places that it leaves without noise."""
    lines = [f"law: {law.text}"]
    for place, other in enumerate(law.alternatives, 1):
        used = law.rules[place].sites if place < len(law.rules) else frozenset(draw.site for draw in sketch.sites)
        silent = [d.scale.label for d in sketch.sites if isinstance(d.scale, Hole) and d.site not in used]
        lines.append(f"  or, without noise at {' and '.join(silent)}: {other}" if silent else f"  or {other}")
    return lines


def render_synthesis(synthesis: Synthesis, seconds: dict[str, float], most: int | None = None) -> str:
    """The ranked table, the pick, and the private program, for a terminal of at most so many columns."""
    sketch = synthesis.sketch
    lines = [
        f"{sketch.name}: {len(sketch.holes)} hole{'' if len(sketch.holes) == 1 else 's'}; {sketch.adjacency.describe()}"
    ]
    lines += sensitivity_lines(sketch)
    if synthesis.law:
        lines += _law_lines(synthesis.law, sketch)
    best = synthesis.best
    if synthesis.judged:
        epsilon = float(synthesis.split.training[0].epsilon)
        rows = [_row(place + 1, judged, judged is best, epsilon) for place, judged in enumerate(synthesis.judged)]
        labels = [hole.label.replace("eta", "η") for hole in sketch.holes]
        lines += ["", table(["", "rank", *labels, "verdict", "loss/ε", "p-value", "error"], rows, most)]
        lines += [f"error: {_accuracy(synthesis.accuracy)}"] if synthesis.accuracy else []
        lines += [f"cost: {words}."] if (words := cost_words(synthesis)) else []
        lines += [*crossing_lines(synthesis), *name_lines(synthesis)]
    if synthesis.rival is not None and (other := synthesis.rival.best) is not None:
        family, shown = synthesis.rival.sketch.draws[0].noise.words, describe_completion(other.ranked.completion)
        lines.append(f"With {family} noise: {shown}, {name_verdict(other.verdict)}, error {_number(other.ranked.score.error)}")
    lines.append("")
    if best is None:
        lines.append(f"No private completion of {sketch.name} was found in the grammar.")
        lines += _remedy(advise(synthesis.judged[0].verdict, sketch)) if synthesis.judged else []
        lines += _smallest_violation(synthesis)
    else:
        lines.append(
            f"Best: {describe_completion(best.ranked.completion)}  {describe_verdict(best.verdict, sketch.private.name)}"
        )
        lines += _remedy(advise(best.verdict, sketch))
        lines += ["", str(synthesis.mechanism)]
    sampled = any(isinstance(judged.verdict, Tested) for judged in synthesis.judged)
    lines.append(f"seconds: {seconds_words(seconds, sampled)}; method {synthesis.method}, seed {synthesis.settings.seed}")
    return "\n".join(lines) + "\n"


def _row(rank: int, judged: Judged, picked: bool, epsilon: float) -> list[str]:
    verdict = judged.verdict
    scope = scope_of(verdict)
    word = name_verdict(verdict) + (f", {scope}" if scope else "")
    if isinstance(verdict, Unknown) and verdict.defect:
        word += ", a defect of ours"
    if isinstance(verdict, Tested) and judged.is_rejected(ALPHA):
        word = "fails its test"
    trial = judged.trial
    return [
        ">>>>" if picked else "",
        str(rank),
        *(scale.pretty() for scale in judged.ranked.completion),
        word,
        _loss(judged, epsilon),
        _number(trial.p_value if trial else None),
        _number(judged.ranked.score.error) if math.isfinite(judged.ranked.score.error) else "–",
    ]


def _accuracy(found: Accuracy) -> str:
    return describe_accuracy(found.unit, str(found.arguments), found.inputs, found.sizes) + "."


def _loss(judged: Judged, epsilon: float) -> str:
    """The largest loss that was found, in units of ε: not above what is proved, and not below what refutes."""
    found = [] if judged.ranked.log_loss is None else [judged.ranked.log_loss / epsilon]
    match judged.verdict:
        case Proved():
            found = [min(1.0, loss) for loss in found]
        case Refuted() as refuted:
            found.append(_log_loss(refuted) / float(refuted.example.arguments.epsilon))
        case _:
            pass
    return _number(max(found, default=None))


def _remedy(words: str) -> list[str]:
    return [f"What to do: {words}."] if words else []


def _smallest_violation(synthesis: Synthesis) -> list[str]:
    """Why nothing was found: what comes closest, and the example that speaks against it."""
    against = [(j, j.verdict if isinstance(j.verdict, Refuted) else j.trial) for j in synthesis.judged]
    known = [(_log_loss(found), j, found) for j, found in against if found is not None]
    if not known:
        return (
            ["No completion is near the region of noise that the examples allow."] if synthesis.selection.kept else []
        )
    loss, closest, found = min(known, key=lambda item: item[0])
    at = found.example.arguments
    sure = "for certain" if isinstance(found, Refuted) else f"with confidence {found.confidence}"
    return [
        f"The smallest violation is that of {describe_completion(closest.ranked.completion)}: at {at.symbol} = {show(at.epsilon)} its loss is "
        f"at least {_number(loss)} {sure}, on this example:",
        *counterexample_lines(found, synthesis.sketch),
    ]


def _log_loss(found: Trial | Refuted) -> float:
    """The loss that is shown at least."""
    return found.epsilon_lower if isinstance(found, Trial) else epsilon_lower(found.odds)


def render_trial(sketch: Sketch, trial: Trial, seconds: float, snippet: str) -> str:
    """The statistical test's table and counterexample."""
    claimed = float(trial.example.arguments.epsilon)
    rows = [[f"{e:.3g}", _number(p), "claimed" if abs(e - claimed) < 1e-12 else ""] for e, p in trial.curve]
    found = (
        "a violation of the claimed ε" if trial.p_value < ALPHA else "no violation of the claimed ε, which is no proof"
    )
    return "\n".join(
        [
            f"{sketch.name} at ε = {claimed:g}: the test finds {found} (p = {_number(trial.p_value)}).",
            f"The true ε is at least {_number(trial.epsilon_lower, 4)} with confidence {trial.confidence}.",
            "",
            table(["test ε", "p-value", ""], rows),
            "",
            *_hardest_lines(trial, claimed, sketch),
            "",
            f"{trial.runs} runs in {seconds:.1f} s. To see it yourself:",
            "",
            snippet,
        ]
    )


def render_check(sketch: Sketch, check: Check, snippet: str = "") -> str:
    """The verdict on a complete mechanism in words."""
    claim = check.claim or plain_claim(sketch)
    if sketch.variant is not Variant.PURE:
        return render_budget_check(sketch, check, print_claim(sketch, claim))
    lines = [f"{sketch.name}, claimed {claim}: {describe_verdict(check.verdict, sketch.private.name)}."]
    lines += _remedy(advise(check.verdict, sketch))
    lines += sensitivity_lines(sketch)
    lines += _bounds(check)
    proof = proof_of(check.verdict)
    if proof is not None:
        certificate = proof.document()
        from kolahal.report.proofs import explain_shortly

        lines += explain_shortly(certificate, sketch, claim)
        assumed = certificate.get("assumptions", [])
        lines += [f"Assumed: {'; '.join(assumed)}."] if assumed else []
    if isinstance(check.verdict, Refuted):
        allowed = float(claim.at(check.verdict.example.arguments.quantities(sketch)))
        (share, _) = compare(_log_loss(check.verdict) / allowed, 1.0, over=True)
        lines += [f"The counterexample, which loses {share} of the claim:", *counterexample_lines(check.verdict, sketch)]
        lines += ["To see it yourself, without Kolahal:", "", snippet] if snippet else []
    elif check.trial is not None and proof is None:
        allowed = float(claim.at(check.trial.example.arguments.quantities(sketch)))
        lines += _hardest_lines(check.trial, allowed, sketch)
    if check.tried:
        lines += ["Looked for:", *(f"  {told}" for told in check.tried), "With --deep the search for a proof takes longer."]
    return "\n".join([*lines, *worth_lines(check)]) + "\n"


def _bounds(check: Check) -> list[str]:
    """What is known of the true ε, and which example the lower bound comes from, where that is not shown as it is."""
    if isinstance(check.verdict, Unknown) and check.verdict.defect:
        return []
    upper = "nothing is known" if check.epsilon_upper is None else at_most(check.epsilon_upper)
    if isinstance(check.verdict, Bounded) and check.epsilon_upper is None:
        upper = f"1 for {check.verdict.scope}, and nothing is known of other inputs"
    sampled = check.trial is not None and check.example is check.trial.example
    low = at_least(check.epsilon_lower) + (
        f" with confidence {check.trial.confidence}" if check.trial and sampled else ""
    )
    lines = [f"In units of the claim, the true ε is at least {low}; upper bound: {upper}."]
    shown = (
        check.verdict.example if isinstance(check.verdict, Refuted) else check.trial.example if check.trial else None
    )
    if check.example is not None and not _same(check.example, shown):
        lines += [f"The lower bound comes from {check.example}, at {check.example.arguments}."]
    return lines


def _same(one: Example, other: Example | None) -> bool:
    return other is not None and one in (other, other.flipped())


def _hardest_lines(trial: Trial, allowed: float, sketch: Sketch) -> list[str]:
    """What a test found: a counterexample only if it shows a loss above the claim."""
    share = (
        f"it loses at least {at_least(trial.epsilon_lower / allowed)} of the claim, with confidence {trial.confidence}"
    )
    if trial.epsilon_lower > allowed:
        return [f"A counterexample, by the test: {share}.", *counterexample_lines(trial, sketch)]
    lines = counterexample_lines(trial, sketch)
    return [f"The hardest example that was found, which is no counterexample: {share}.", *lines]
