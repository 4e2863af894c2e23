"""Documents → sentences: the verdict, and what stands around it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from kolahal.errors import KolahalError
from kolahal.lang.ir import Assign, Draw, walk
from kolahal.lang.noise import Noise
from kolahal.lang.pretty import print_expression
from kolahal.lang.read.parse import parse
from kolahal.lang.scale import Scale, parse_scale
from kolahal.lang.sketch import Sketch
from kolahal.nouns import dataclass
from kolahal.report.rounding import compare
from kolahal.settings import ALPHA

PHASES = {"init": "preparing", "opti": "finding the law", "enum": "ranking", "verify": "proving"}  # of the paper, in words
SAMPLED = {"init": "selecting examples", "opti": "searching the region", "enum": "ranking", "verify": "final tests"}

WORDS = {"proved": "Proved", "bounded": "Bounded", "refuted": "Refuted", "unknown": "Unknown", "tested": "Tested"}
FAMILIES = frozenset(noise.value for noise in Noise)


# ---------------------------------------------------------------- the verdict


def verdict_of(document: Mapping[str, Any]) -> str:
    """Proved, bounded, refuted or unknown: of a check, or of the best completion of a synthesis."""
    if "verdict" in document:
        return str(document["verdict"])
    best = best_of(document)
    if best is not None:
        return str(best["verdict"])
    return "refuted" if "candidates" in document else "unknown"


def word_of(document: Mapping[str, Any]) -> str:
    """The verdict in a word."""
    if "candidates" in document and best_of(document) is None:
        return "Nothing found"
    return WORDS[verdict_of(document)]


def best_of(document: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The best completion of a synthesis that was not rejected."""
    candidates: Sequence[Mapping[str, Any]] = document.get("candidates", [])
    if "best" in document:
        return next((c for c in candidates if c["rank"] == document["best"]), None)
    return next((c for c in candidates if c["verdict"] != "refuted"), None)


def headline(document: Mapping[str, Any]) -> str:
    """The verdict in a sentence or two, with what to do about it where something can be done."""
    name = document.get("sketch") or "The mechanism"
    if "candidates" in document:
        best = best_of(document)
        if best is None:
            return f"No private completion of {name} was found in the grammar."
        scales = ", ".join(pretty(s) for s in best["scales"])
        subject = f"{name} with noise of scale{'' if len(best['scales']) == 1 else 's'} {scales}"
        return _verdict_words(subject, "ε", best, document.get("guarantee")) + _remedy_words(document)
    claim = pretty_claim(document["claim"]) if document.get("claim") else "ε"
    if "verdict" in document:
        return _verdict_words(name, claim, document, document.get("guarantee")) + _remedy_words(document)
    found = "a violation" if document["p_value"] < ALPHA else "no violation, which is no proof"
    return f"At ε = {show(document['epsilon'])} the test of {name} finds {found} (p = {show(document['p_value'])})."


def _verdict_words(subject: str, claim: str, judged: Mapping[str, Any], guarantee: str | None = None) -> str:
    """What is known of a mechanism and its claim; `guarantee` names one other than ε-DP."""
    private = guarantee or f"{claim}-differentially private"
    assumed = " and ".join(map(str, judged.get("assumed") or ()))
    where = scope_words(judged.get("scope")) + (f", where {assumed}" if assumed else "")
    match judged["verdict"]:
        case "proved":
            return f"{subject} is {private} for {where}; the proof was checked again."
        case "bounded":
            return (
                f"{subject} loses no more than {claim} on {where}, which was checked again. That is no proof that it is "
                "private: nothing is known of other inputs."
            )
        case "refuted":
            return f"{subject} is not {private}{_because(judged.get('counterexample'), guarantee or claim)}."
    reason = judged.get("reason") or "no reason was given"
    if judged.get("defect"):
        return f"What Kolahal found out about {subject} contradicts itself, so nothing is claimed. {sentence(reason)}."
    return f"{subject} is neither proved nor refuted to be {private}: {reason}."


def _remedy_words(document: Mapping[str, Any]) -> str:
    return f" What to do: {document['remedy']}." if document.get("remedy") else ""


def sentence(text: str) -> str:
    """A text with a capital at its beginning."""
    return text[:1].upper() + text[1:]


def scope_words(scope: str | None) -> str:
    if scope in (None, "every length"):
        return "inputs of every length"
    return f"inputs of {scope}" if str(scope).startswith("up to") else str(scope)


def describe_accuracy(unit: str, at: str, inputs: int, sizes: Sequence[int]) -> str:
    """What an error is, and the inputs it was computed on."""
    meaning = {
        "mean distance": "mean distance of the output from the one without noise (in lists, of the items)",
        "share of wrong outputs": "share of outputs that are not the one without noise (in lists, of items)",
    }.get(unit, unit)
    if len(sizes) == 1:
        return f"{meaning}, at {at}, on {inputs} inputs of {sizes[0]} private answer{'' if sizes[0] == 1 else 's'}"
    lengths = join_words([str(size) for size in sizes])
    return f"{meaning}, at {at}, on made-up inputs of {lengths} private answers, as the geometric mean of the {len(sizes)} lengths"


def _because(example: Mapping[str, Any] | None, claim: str) -> str:
    """How a counterexample shows it."""
    if not example:
        return ""
    (low1, high1), (low2, high2) = example["p1"], example["p2"]
    low, high = (low1, high2) if low1 >= low2 else (low2, high1)
    event = f": on two neighbouring inputs the event “{example['event']}” is"
    if not high:
        return f"{event} possible on one and impossible on the other"
    allowed = math.exp(min(700, example["epsilon"]))
    times, limit = compare(low / high, allowed, over=True) if claim == "ε" else (f"{low / high:.4g}", "")
    found = f"{event} {times} times as likely on one as on the other"
    return f"{found}, and ε = {show(example['epsilon'])} allows a factor of {limit}" if limit else found


def seconds_words(seconds: Mapping[str, float], sampled: bool = False) -> str:
    """Where the time went; what is left over is loading and drawing."""
    words = SAMPLED if sampled else PHASES
    steps = {words.get(step, step): value for step, value in seconds.items() if step != "total"}
    total = seconds.get("total", sum(steps.values()))
    steps["the rest"] = max(0.0, total - sum(steps.values()))
    return ", ".join(f"{step} {value:.1f}" for step, value in {**steps, "total": total}.items())


def join_words(words: Sequence[str]) -> str:
    """a, b and c."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else ""


def show(value: Any) -> str:
    """A cell of a table."""
    if value is None or value != value:  # JSON has no NaN, but a result that was never written may
        return "–"
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, int | float):
        return f"{value:.4g}".replace("-", "−") if math.isfinite(value) else "∞"
    if isinstance(value, list):
        return "[" + ", ".join(show(item) for item in value) + "]"
    return {"Infinity": "∞", "-Infinity": "−∞"}.get(str(value), str(value))


def brief(value: Any) -> str:
    """A number with the three digits that tables have room for."""
    return show(float(f"{value:.3g}")) if isinstance(value, float) else show(value)


def given_words(about: Mapping[str, Any]) -> str:
    parts = [f"{about.get('symbol', 'ε')} = {show(about['epsilon'])}"] if "epsilon" in about else []
    parts += [f"δ = {show(about['delta'])}"] if "delta" in about else []
    return ", ".join(parts + [f"{name} = {show(value)}" for name, value in about.get("arguments", {}).items()])


def pretty_claim(claim: str) -> str:
    """A claim as people read it: ε, 2·ρ, (ε, δ)."""
    level, comma, delta = claim.partition(",")
    return f"({pretty(level)}, {'δ' if delta == 'delta' else delta})" if comma else pretty(level)


def pretty(scale: str | None) -> str:
    """A scale as people read it."""
    family, bracket, inner = (scale or "").partition("(")
    if bracket and family in FAMILIES:  # a completion that names its noise
        return f"{family}({pretty(inner.removesuffix(')'))})"
    return parse_scale(scale).pretty()


# ---------------------------------------------------------------- places of noise


@dataclass(frozen=True, slots=True)
class Site:
    """A place of noise: where it stands in the printed program, and what it is."""

    line: int
    draw: str
    noise: str
    scale: str
    target: str  # the name that takes the noisy value, or nothing
    column: int  # in its line, from 1
    width: int


def find_sites(program: str) -> tuple[Site, ...]:
    """The places of noise of a printed program, in their order; nothing where the text is no program."""
    try:
        sketch = parse(program)
    except (KolahalError, RecursionError):
        return ()
    return tuple(_site(sketch, draw) for draw in sketch.draws)


def _site(sketch: Sketch, draw: Draw) -> Site:
    scale = draw.scale.pretty() if isinstance(draw.scale, Scale) else draw.scale.label.replace("eta", "η")
    named = [n for n in walk(sketch.body) if isinstance(n, Assign) and any(d is draw for d in walk(n))]
    target = ", ".join(named[-1].targets) if named else ""
    span = draw.span
    return Site(span.line, print_expression(draw), draw.noise.words, scale, target, span.column, span.width)
