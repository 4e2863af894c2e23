"""A result document → one HTML page that stands alone. Everything on it is in the document; nothing is computed."""

from __future__ import annotations

import base64
import hashlib
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, TemplateError
from markupsafe import Markup

from kolahal.errors import KolahalError
from kolahal.lang.scale import parse_scale
from kolahal.losses import loss_range
from kolahal.nouns import dataclass
from kolahal.report.costs import draw_by_length
from kolahal.report.pairs import bare_pairs, draw_pair
from kolahal.report.planner import planner_of
from kolahal.report.proofs import Explanation, explain
from kolahal.report.rounding import at_least, at_most, finite
from kolahal.report.safe import escape, visible
from kolahal.report.svg import RuledLine, Series, line_chart
from kolahal.report.svg_maps import loss_map
from kolahal.report.words import (
    Site,
    best_of,
    brief,
    describe_accuracy,
    find_sites,
    given_words,
    headline,
    pretty,
    pretty_claim,
    seconds_words,
    show,
    verdict_of,
    word_of,
)
from kolahal.settings import ALPHA

HERE = Path(__file__).parent
LONGEST_TEXT = 60_000  # characters of a counterexample as a program
MOST_ROWS = 12  # of a fragment
UNBOUNDED = "no upper bound is known"
ORDER = {"proved": 0, "bounded": 1, "unknown": 2, "tested": 2, "refuted": 3}


def render_page(document: dict[str, Any]) -> str:
    """The report of a synthesis, a check or a test, told apart by what the document holds."""
    try:
        return _render(document)
    except TemplateError as error:  # the template asked for something that is not there
        raise ValueError(f"this is not a result: {error}") from None


def _render(document: dict[str, Any]) -> str:
    style, script = (_read(name) for name in ("report.css", "report.js"))
    program = document.get("mechanism") or document.get("program") or ""
    sites = find_sites(program)
    pairs = [
        draw_pair(document, pair, number) for number, pair in enumerate(document.get("pairs") or bare_pairs(document))
    ]
    return (
        _environment()
        .get_template("template.html")
        .render(
            kind=_kind(document),
            title=document.get("sketch") or "mechanism",
            headline=headline(document),
            verdict=verdict_of(document),
            word=word_of(document),
            facts=facts(document),
            program=mark_noise(program, sites),
            sites=list(zip(sites, _labels(document, sites), strict=True)),
            complete=bool(document.get("mechanism")) or not document.get("holes"),
            candidates=[_row(c) for c in document.get("candidates", [])],
            best=best_of(document),
            holes=[label.replace("eta", "η") for label in document.get("holes", [])],
            error=error_words(document),
            law=_math(document.get("law")),
            alternatives=[_math(law) for law in document.get("alternatives", [])],
            figures=pictures(document),
            planner=planner_of(document),
            pairs=pairs,
            proof=proof_of(document),
            examples=[e for key in ("examples", "tests") for e in document.get(key, {}).get("kept", [])],
            snippet=_short(document.get("snippet")),
            commands=commands(document),
            seconds=seconds_words(seconds) if isinstance(seconds := document.get("seconds"), Mapping) else "",
            version=document.get("version", ""),
            show=show,
            brief=brief,
            pretty=pretty,
            style=Markup(style),
            script=Markup(script),
            policy=_policy(style, script),
        )
    )


def fragment(document: dict[str, Any]) -> str:
    """The verdict and the ranked table as a small piece of HTML, for a notebook; it inherits colours and font."""
    candidates = document.get("candidates", [])
    verdict = verdict_of(document)
    return (
        _environment()
        .get_template("fragment.html")
        .render(
            verdict=verdict,
            word=word_of(document),
            headline=headline(document),
            candidates=[_row(c) for c in candidates[:MOST_ROWS]],
            more=max(0, len(candidates) - MOST_ROWS),
            holes=[label.replace("eta", "η") for label in document.get("holes", [])],
            law=_math(document.get("law")),
            alternatives=[_math(law) for law in document.get("alternatives", [])],
            error=error_words(document),
            show=show,
            brief=brief,
        )
    )


def _environment() -> Environment:
    found = Environment(
        loader=FileSystemLoader(HERE), autoescape=True, trim_blocks=True, lstrip_blocks=True, finalize=_finalize
    )
    found.filters["ticked"] = ticked
    return found


def _finalize(value: Any) -> Any:
    """Every text that a template is given; what is markup already stays."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _read(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    """What the browser may do: nothing but this page's own style and script, told by their hashes."""

    def digest(text: str) -> str:
        return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

    return f"default-src 'none'; style-src {digest(style)}; script-src {digest(script)}; base-uri 'none'; form-action 'none'"


# ---------------------------------------------------------------- texts of a stranger


def ticked(text: str) -> Markup:
    """Words with `code` in backticks as markup."""
    parts = [escape(part) for part in str(text).split("`")]
    words = "".join(f"<code>{part}</code>" if i % 2 else part for i, part in enumerate(parts))
    return Markup(re.sub(r"\be\^\(([^()]*)\)", r"e<sup>\1</sup>", words))


def mark_noise(program: str, sites: Sequence[Site]) -> Markup:
    """The program, a line at a time, with its places of noise marked."""
    marks: dict[int, list[tuple[int, int]]] = {}
    for site in sites:
        marks.setdefault(site.line, []).append((site.column - 1, site.width))
    lines = []
    for number, line in enumerate(program.rstrip("\n").split("\n"), 1):
        text, done = "", 0
        for start, width in sorted(marks.get(number, ())):
            inside = escape(line[start : start + width])
            text += escape(line[done:start]) + f'<mark class="noise">{inside}</mark>'
            done = start + width
        lines.append(f'<span class="line">{text}{escape(line[done:])}\n</span>')
    return Markup("".join(lines)) if program else Markup("")


# ---------------------------------------------------------------- parts of the page


def _short(text: str | None) -> str | None:
    """A text that the page has room for; longer ones are in their own files."""
    return text if text is None or len(text) <= LONGEST_TEXT else None


def _kind(document: Mapping[str, Any]) -> str:
    if "candidates" in document:
        return "synthesis"
    return "check" if "verdict" in document else "test"


def facts(document: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The few lines below the verdict."""
    found: list[tuple[str, str]] = []
    if document.get("neighbours") or document.get("adjacency"):
        found.append(("Neighbours", document.get("neighbours") or document["adjacency"]))
    if document.get("claim"):
        found.append(("Claim", document.get("guarantee") or f"{pretty_claim(document['claim'])}-differential privacy"))
    if "verdict" in document:
        if not document.get("defect") and not document.get("guarantee"):
            bounded = document["verdict"] == "bounded"
            limit = f"at most the claim for {document['scope']}" if bounded else UNBOUNDED
            known = _bounds(document.get("epsilon_lower") or 0.0, document.get("epsilon_upper"), limit)
            found.append(("True ε", known))
    elif document.get("hardest") and (best := best_of(document)):
        proved = best["verdict"] == "proved"
        loss = finite(document["hardest"]["loss"])
        low = at_least(min(1.0, loss) if proved else loss)
        words = f"between {low}·ε and ε" if proved else f"at least {low}·ε"
        found.append(("True ε", f"of the best completion: {'ε, and not less' if proved and low == '1' else words}"))
    if document.get("p_value") is not None:
        found.append(("p-value", show(document["p_value"])))
    if document.get("method"):
        method = {"law": "straight from the law", "exact": "the paper’s search with integrals", "paper": "the paper’s search"}.get(
            document["method"], document["method"]
        )
        found.append(("Method", f"{method}, seed {document.get('seed', 0)}"))
    if document.get("confidence"):
        found.append(("Confidence", f"{document['confidence']} in {document.get('runs', 0):,} runs"))
    return found


def _bounds(lower: Any, upper: Any, otherwise: str = UNBOUNDED) -> str:
    """Where the true ε lies, in units of the claim; `otherwise` is said where there is no upper bound."""
    low = at_least(finite(lower))
    if low == "∞":
        return "unbounded: no noise hides the difference"
    if upper is None:
        return f"at least {low} times the claim; {otherwise}"
    high = at_most(finite(upper))
    return f"{low} times the claim" if low == high else f"between {low} and {high} times the claim"


def error_words(document: Mapping[str, Any]) -> str:
    """What the errors of the completions are; a document from before that was written down does not say."""
    first: Mapping[str, Any] = next(iter(document.get("candidates", [])), {})
    unit, at = first.get("error_unit"), first.get("error_at")
    if not unit or not at:
        return "expected, against the program without noise"
    given = given_words({"epsilon": at["epsilon"], "arguments": at["values"]})
    return describe_accuracy(str(unit), given, at["inputs"], at["size"])


def _labels(document: Mapping[str, Any], sites: Sequence[Site]) -> list[str]:
    """The hole that each place of noise was, where that is clear."""
    best = best_of(document)
    noisy = [i for i, scale in enumerate(best["scales"]) if scale is not None] if best else []
    if document.get("mechanism") and len(noisy) == len(sites):
        return [f"η{i + 1}" for i in noisy]
    return [f"η{i + 1}" if document.get("figures") and not document.get("holes") else "" for i in range(len(sites))]


def _row(candidate: Mapping[str, Any]) -> dict[str, Any]:
    """A row of the ranked table."""
    return {
        **candidate,
        "shown": [pretty(s) for s in candidate["scales"]],
        "order": ORDER.get(candidate["verdict"], 3),
        "loss": tightness(candidate),
        "cost": candidate.get("law_cost"),
    }


def tightness(candidate: Mapping[str, Any]) -> float | None:
    """The largest loss that was found of a candidate, in units of ε; an estimate from runs yields to a proof."""
    loss, against = candidate.get("log_loss"), candidate.get("counterexample")
    found = [] if loss is None else [finite(loss) / candidate["epsilon"]]
    if candidate["verdict"] == "proved":
        found = [min(1.0, loss) for loss in found]
    if against:
        (least, _) = loss_range(against["p1"], against["p2"])
        found.append(least / against["epsilon"])
    return max(found, default=None)


def _math(text: str | None) -> str:
    """A law as people read it: 1/η1 + 2·N/η2 ≤ ε."""
    if not text:
        return ""
    text = re.sub(r"\blen\((\w+)\)", r"|\1|", text).replace("<=", "≤").replace("**2", "²").replace("*", "·")
    return re.sub(r"\beps(ilon)?\b", "ε", re.sub(r"\beta(\d+)", r"η\1", text))


def proof_of(document: Mapping[str, Any]) -> Explanation | None:
    """The proof in words, of the checked program or of the best completion."""
    certificate = document.get("certificate") or document.get("proof")
    if not isinstance(certificate, dict):
        return None
    try:
        claim = document.get("claim")
        return explain(certificate, claimed=parse_scale(claim) if claim else None)
    except (KolahalError, KeyError, IndexError, ValueError, TypeError, AttributeError, RecursionError):
        return None  # the words are a service; the certificate is what counts


def commands(document: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What to type to get all of this again."""
    found = [("The same result again", document["command"])] if document.get("command") else []
    files = document.get("files", [])
    if "certificate.json" in files:
        found.append(("The proof checked again, without the search that found it", "kolahal verify certificate.json"))
    if "counterexample.py" in files:
        found.append(("The counterexample seen again, without Kolahal", "python counterexample.py"))
    private = next((name for name in files if name.endswith("_private.py")), None)
    if private:
        found.append(("The private program tested on your machine", f"python {private} --self-test"))
    return [*found, ("This page again, from the result alone", "kolahal report result.json")]


# ---------------------------------------------------------------- pictures


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure and what is to be seen on it."""

    title: str
    svg: Markup
    caption: str


def pictures(document: Mapping[str, Any]) -> list[Picture]:
    """All plots that the document has data for."""
    data = document.get("figures") or {}
    found = []
    if data.get("loss"):
        found.append(_losses(data["loss"], verdict_of(document) == "proved"))
    if data.get("landscape"):
        found.append(_landscape(data["landscape"], bool(document.get("candidates"))))
    if data.get("error"):
        found.append(_errors(data["error"]))
    if drawn := draw_by_length(document["cost"]) if document.get("cost") else None:
        found.append(Picture(drawn[0], Markup(drawn[1]), drawn[2]))
    curves = [
        (", ".join(pretty(s) for s in c["scales"]), c.get("curve", [])) for c in document.get("candidates", [])[:4]
    ]
    curves += [("p-value", document["curve"])] if document.get("curve") else []
    if any(points for _, points in curves):
        found.append(_p_values([(name, points) for name, points in curves if points]))
    return found


def _on(data: Mapping[str, Any]) -> str:
    return (
        "one hard pair of neighbours"
        if data["examples"] == 1
        else f"the worst of {data['examples']} pairs of neighbours"
    )


def _how(data: Mapping[str, Any]) -> str:
    return "by integration" if data["exact"] else "by weighing simulated runs"


def _count(answers: int) -> str:
    return f"{answers} private answer{'' if answers == 1 else 's'}"


def _hole(label: str) -> str:
    return label.replace("eta", "η")


def _losses(data: Mapping[str, Any], proved: bool) -> Picture:
    series, bounded = [], False
    for style, curve in enumerate(data["curves"]):
        name = f"{_hole(curve['hole'])} around {pretty(curve['scale'])}"
        points = tuple(zip(data["factors"], map(finite, curve["found"]), strict=True))
        series.append(Series(name, points, style=style))
        if curve["law"]:
            bounded = True
            law = tuple(zip(data["factors"], map(finite, curve["law"]), strict=True))
            series.append(Series(f"{_hole(curve['hole'])} by the law", law, dashed=True, style=style))
    title = "Loss against scale"
    chosen = at_least(min(1.0, _at_one(data))) if proved else show(_at_one(data))
    svg = line_chart(
        title,
        "scale, as a multiple of the chosen one",
        "loss, in units of the claim",
        series,
        top=3.0,
        rules=[RuledLine("what the claim allows", 1.0, left=True), RuledLine("chosen", 1.0, up=True)],
        log_x=True,
        description=f"The loss falls as a scale grows. At the chosen scales it is {chosen} of the claim.",
        heading=False,
    )
    caption = (
        f"One scale is changed and the others stay. Solid: the loss on {_on(data)}, {_how(data)} ({given_words(data)}): "
        f"{'a lower bound for the true loss' if data['exact'] else 'an estimate from below of the true loss'}."
    )
    caption += " Dashed: what the law says, an upper bound where the law holds." if bounded else ""
    return Picture(title, Markup(svg), caption)


def _at_one(data: Mapping[str, Any]) -> float:
    return max(finite(c["found"][len(data["factors"]) // 2]) for c in data["curves"])


def _landscape(data: Mapping[str, Any], synthesis: bool) -> Picture:
    first, second = (_hole(label) for label in data["holes"])
    found = [[finite(v) for v in row] for row in data["found"]]
    law = [[finite(v) for v in row] for row in data["law"]] if data["law"] else None
    places: dict[tuple[float, float], list[str]] = {}
    for mark in data["marks"]:
        places.setdefault((mark["x"], mark["y"]), []).append(str(mark["rank"]))
    marks = [(x, y, ", ".join(ranks) if synthesis else "this program") for (x, y), ranks in places.items()]
    title = "The landscape of the loss"
    svg = loss_map(
        title,
        f"scale of {first}",
        f"scale of {second}",
        data["xs"],
        data["ys"],
        found,
        law,
        marks,
        f"The loss falls towards the upper right, where both scales are large. {len(marks)} completions are marked.",
    )
    fixed = [f"{_hole(label)} = {pretty(scale)}" for label, scale in data["fixed"]]
    at = ", ".join([given_words(data), _count(data["size"]), *fixed])
    caption = f"The loss on {_on(data)} over both scales, in units of the claim, {_how(data)} ({at})."
    if _passes_one(found):
        caption += (
            " On the pale band it is 1: the objective of the search, the distance of the loss from the claim, is zero there. "
            "Orange is not private; blue is noisier than this needs."
        )
    if law and _passes_one(law):
        caption += " On the dark line the law’s cost is the claim, and beyond it the law promises privacy."
    caption += " Numbers are ranks." if synthesis else ""
    blank = any(math.isnan(v) for row in found for v in row)
    caption += " Blank: the probabilities are too small to compute." if blank else ""
    return Picture(title, Markup(svg), caption)


def _passes_one(values: Sequence[Sequence[float]]) -> bool:
    return any(v < 1 for row in values for v in row) and any(v > 1 for row in values for v in row)


def _errors(data: Mapping[str, Any]) -> Picture:
    probability = data["kind"] == "probability"
    series = [
        Series(
            ", ".join(pretty(s) for s in curve["scales"]),
            tuple(zip(data["epsilons"], map(finite, curve["errors"]), strict=True)),
            dots=True,
        )
        for curve in data["curves"]
    ]
    title = "Error against ε"
    low, high = data["epsilons"][0], data["epsilons"][-1]
    svg = line_chart(
        title,
        "ε",
        "share of wrong outputs" if probability else "mean distance from the true output",
        series,
        top=1.0 if probability else None,
        log_x=True,
        log_y=not probability,
        description=f"The expected error falls as ε grows from {low:g} to {high:g}.",
        heading=False,
    )
    what = (
        "How often the output is not the noiseless one"
        if probability
        else "How far the output is from the noiseless one"
    )
    at = given_words({"arguments": data["arguments"]})
    caption = (
        f"{what}, on average over {data['inputs']} inputs of {_count(data['size'])} between 0 and {data['most']} "
        f"with {data['runs']} simulated runs each"
        + (f" ({at})." if at else ".")
        + (" For lists it is the mean over the items." if not probability else "")
    )
    return Picture(title, Markup(svg), caption)


def _p_values(curves: Sequence[tuple[str, Sequence[Mapping[str, Any]]]]) -> Picture:
    series = [
        Series(name, tuple((p["test_epsilon"], p["p_value"]) for p in points), dots=True) for name, points in curves
    ]
    title = "The test’s p-value"
    svg = line_chart(
        title,
        "test ε",
        "p-value",
        series,
        top=1.0,
        rules=[RuledLine(str(ALPHA), ALPHA)],
        description="A small p-value speaks against privacy at that ε.",
        heading=False,
    )
    return Picture(
        title,
        Markup(svg),
        "A second opinion that shares nothing with the proof: the p-value of a statistical test that the loss is at most the "
        "test ε. Small values speak against privacy; large ones prove nothing.",
    )
