"""A result document → one HTML page that stands alone. Everything on it is in the document; nothing is computed."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any

from jinja2 import Environment
from markupsafe import Markup

from kolahal.lang.scale import parse_scale
from kolahal.report.svg import Series, line_chart, scatter

TEMPLATE = Path(__file__).with_name("template.html")
WORDS = {"proved": "Proved", "refuted": "Refuted", "unknown": "Unknown"}


def render_page(document: dict[str, Any]) -> str:
    """The report of a synthesis, a check or a test, told apart by what the document holds."""
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    template = environment.from_string(TEMPLATE.read_text(encoding="utf-8"))
    return template.render(
        title=document.get("sketch", "mechanism"),
        headline=headline(document),
        verdict=verdict_of(document),
        facts=facts(document),
        program=highlight(document.get("mechanism") or document.get("program") or ""),
        candidates=document.get("candidates", []),
        holes=[label.replace("eta", "η") for label in document.get("holes", [])],
        pictures=pictures(document),
        counterexample=counterexample(document),
        examples=document.get("examples", {}).get("kept", []) + document.get("tests", {}).get("kept", []),
        proof=document.get("proof", []),
        reproduce=document.get("command", ""),
        version=document.get("version", ""),
        words=WORDS,
        show=show,
        pretty=pretty,
    )


def show(value: Any) -> str:
    """A cell of a table."""
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list):
        return "[" + ", ".join(show(item) for item in value) + "]"
    return str(value)


def pretty(scale: str | None) -> str:
    """A scale as people read it."""
    return parse_scale(scale).pretty()


def verdict_of(document: dict[str, Any]) -> str:
    if "verdict" in document:
        return str(document["verdict"])
    alive = [c for c in document.get("candidates", []) if c["verdict"] != "refuted"]
    if alive:
        return str(alive[0]["verdict"])
    return "refuted" if "candidates" in document else "unknown"


def headline(document: dict[str, Any]) -> str:
    """The verdict in one sentence."""
    name = document.get("sketch", "The mechanism")
    if "candidates" in document:
        alive = [c for c in document["candidates"] if c["verdict"] != "refuted"]
        if not alive:
            return f"No private completion of {name} was found in the grammar."
        best = alive[0]
        scales = ", ".join(pretty(s) for s in best["scales"])
        if best["verdict"] == "proved":
            return f"{name} with noise scales ({scales}) is proved ε-differentially private, for {best['scope']}."
        return f"{name} with noise scales ({scales}) is the best candidate; it is neither proved nor refuted."
    if "verdict" in document:
        tail = f", for {document['scope']}" if document.get("scope") else ""
        return f"{name}: {WORDS[document['verdict']].lower()}{tail}."
    return f"{name} at ε = {show(document['epsilon'])}: p-value {show(document['p_value'])}, ε at least {show(document['epsilon_lower'])}."


def facts(document: dict[str, Any]) -> list[tuple[str, str]]:
    names = {
        "law": "law",
        "adjacency": "neighbours",
        "method": "method",
        "seed": "seed",
        "confidence": "confidence",
        "epsilon_lower": "ε at least, in units of the claim",
        "epsilon_upper": "ε at most, in units of the claim",
        "reason": "reason",
        "runs": "runs",
    }
    found = [(label, show(document[key])) for key, label in names.items() if document.get(key) is not None]
    seconds = document.get("seconds")
    if isinstance(seconds, dict):
        found.append(("seconds", ", ".join(f"{k} {v:.1f}" for k, v in seconds.items())))
    return found


def highlight(program: str) -> Markup:
    """The program with its places of noise marked."""
    text = escape(program)
    for call in ("DiscreteLap(", "DiscreteExp(", "Lap(", "Exp("):
        pieces = text.split(call)
        text = pieces[0]
        for piece in pieces[1:]:
            if text.endswith(("Discrete", '<mark class="noise">Discrete')):
                text += call + piece
                continue
            inside, closing, rest = _until_closed(piece)
            text += f'<mark class="noise">{call}{inside}{closing}</mark>{rest}'
    return Markup(text)


def _until_closed(text: str) -> tuple[str, str, str]:
    depth = 1
    for place, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return text[:place], ")", text[place + 1 :]
    return text, "", ""


def pictures(document: dict[str, Any]) -> list[Markup]:
    found = []
    curves = [
        (", ".join(pretty(s) for s in c["scales"]), c.get("curve", [])) for c in document.get("candidates", [])[:4]
    ]
    if document.get("curve"):
        curves.append(("p-value", document["curve"]))
    lines = [
        Series(name, tuple((p["test_epsilon"], p["p_value"]) for p in points)) for name, points in curves if points
    ]
    if lines:
        found.append(line_chart("p-value against test ε: small means a violation", "test ε", "p-value", lines, top=1.0))
    for region in document.get("regions", [])[:1]:
        members = region["members"]
        if members and len(members[0]) >= 2:
            points = [(m[0], m[1]) for m in members]
            title = (
                f"noise region at ε = {show(region['arguments']['epsilon'])}: scales that look tight on the examples"
            )
            found.append(scatter(title, "η1", "η2", points))
    return [Markup(picture) for picture in found]


def counterexample(document: dict[str, Any]) -> dict[str, Any] | None:
    found = document.get("counterexample")
    if found is None:
        for candidate in document.get("candidates", []):
            if candidate["verdict"] == "refuted" and candidate.get("counterexample"):
                return dict(candidate["counterexample"])
    return found
