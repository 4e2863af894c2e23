"""Results for people at a prompt or in a notebook. `model` asks here by name, because it stands below all of this."""

from __future__ import annotations

from typing import Any

from rich.table import Table
from rich.text import Text

from kolahal import __version__
from kolahal.emission.release import emit
from kolahal.lang.sketch import Sketch
from kolahal.opendp import to_opendp
from kolahal.report.advice import advise
from kolahal.report.html import error_words, fragment
from kolahal.report.json import check_document, dump, synthesis_document
from kolahal.results import Check, Judged, Synthesis
from kolahal.verdicts import describe_verdict

__all__ = ["as_document", "as_html", "as_json", "as_rich", "emit", "to_opendp"]


def as_document(result: Synthesis | Check) -> dict[str, Any]:
    """The JSON document of a result, as the command line prints it."""
    if isinstance(result, Synthesis):
        return synthesis_document(result, dict(result.seconds), __version__)
    names = {"sketch": result.sketch.name, "program": str(result.sketch)} if result.sketch else {}
    return {**check_document(result), **names, "claim": result.claim or None, "version": __version__}


def as_json(result: Synthesis | Check) -> str:
    return dump(as_document(result))


def as_html(result: Synthesis | Check) -> str:
    """A piece of HTML for a notebook."""
    return fragment(as_document(result))


def as_rich(result: Synthesis | Check) -> Table | Text:
    """A table for a terminal, or a line where there is nothing to put into one."""
    rows = result.table()
    if not rows:
        return Text(_caption(result))
    sketch: Sketch | None = result.sketch
    title = f"{sketch.name}: {sketch.adjacency.describe()}" if sketch else None
    found = Table(title=title, caption=_caption(result), title_justify="left", caption_justify="left")
    for heading in rows[0]:
        found.add_column(heading.replace("eta", "η"))
    best = result.judged.index(result.best) if isinstance(result, Synthesis) and result.best else None
    for place, row in enumerate(rows):
        found.add_row(*map(_cell, row.values()), style="bold" if place == best else None)
    return found


def _caption(result: Synthesis | Check) -> str:
    judged: Judged | Check | None = result.best if isinstance(result, Synthesis) else result
    if judged is None:
        return "No private completion was found."
    lines = [f"{describe_verdict(judged.verdict, result.sketch.private.name if result.sketch else 'the input')}."]
    if result.sketch and (remedy := advise(judged.verdict, result.sketch)):
        lines.append(f"What to do: {remedy}.")
    if isinstance(result, Synthesis):
        lines += [f"Law: {result.law}."] if result.law else []
        lines.append(f"Error: {error_words(as_document(result))}.")
    return "\n".join(lines)


def _cell(value: object) -> str:
    if value is None:
        return "–"
    return f"{value:.3g}" if isinstance(value, float) else str(value)
