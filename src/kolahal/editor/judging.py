"""The slow part, which is done in a process of its own: what is known of one program of a text."""

from __future__ import annotations

from dataclasses import replace

from kolahal import later
from kolahal.checking import check
from kolahal.editor.findings import Judgement
from kolahal.lang.read.parse import parse_named
from kolahal.lang.sketch import Sketch
from kolahal.lang.source import Source, with_newlines
from kolahal.roads import quick
from kolahal.settings import Settings

later.load_all()  # once, and not in each fork


def judge(text: str, path: str, name: str) -> Judgement:
    """The verdict on a mechanism, or on the best completion of a sketch with holes."""
    sketch = _read(text, path, name)
    if sketch.holes:
        picked = quick.pick(sketch, Settings())
        return Judgement(picked.verdict, picked.law, picked.completion)
    found = check(sketch)
    return Judgement(found.verdict, found.law)


def mend(text: str, path: str, name: str, judgement: Judgement) -> Judgement:
    """The same judgement of a refuted mechanism, with scales that would be proved, if there are such."""
    return replace(judgement, completion=quick.mend(_read(text, path, name), Settings()), mended=True)


def load() -> None:
    """Nothing; whoever is asked for it has loaded all that a judgement needs."""


def _read(text: str, path: str, name: str) -> Sketch:
    return parse_named(Source(path, with_newlines(text)), name)
