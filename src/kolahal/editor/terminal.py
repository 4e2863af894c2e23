"""`kolahal watch`: what a desk finds in one file, as lines of text, each time that it changes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

from kolahal.editor.desk import Desk
from kolahal.editor.findings import Findings
from kolahal.lang.source import SketchError, Source, read_source

GLANCE = 0.2  # seconds between two looks at the file


async def watch_file(path: str, desk: Desk) -> AsyncIterator[str]:
    """What is to be said of a file, whenever that is another thing than before."""
    said = ""
    while True:
        before = _stamp(path)
        async for text in _texts(path, desk, before):
            if text and text != said:
                said = text
                yield text
        while _stamp(path) == before:
            await asyncio.sleep(GLANCE)


async def _texts(path: str, desk: Desk, stamp: object) -> AsyncIterator[str]:
    """Faults at once, and verdicts when all are there; nothing more once the file has changed."""
    try:
        source = read_source(path)
    except SketchError as error:
        yield str(error)
        return
    async for findings in _until_changed(desk, source, path, stamp):
        if findings.notes or not findings.open:
            yield render_findings(path, findings)


async def _until_changed(desk: Desk, source: Source, path: str, stamp: object) -> AsyncIterator[Findings]:
    following = desk.follow(source.text, path)
    while True:
        waiting = asyncio.ensure_future(anext(following))
        while not waiting.done():
            await asyncio.wait([waiting], timeout=GLANCE)
            if _stamp(path) != stamp:
                waiting.cancel()
                await asyncio.wait([waiting])
                return
        try:
            yield waiting.result()
        except StopAsyncIteration:
            return


def _stamp(path: str) -> object:
    """What changes when a file does; None while there is none, as when an editor writes it anew."""
    try:
        found = Path(path).stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def render_findings(path: str, findings: Findings) -> str:
    """Lines that begin with a place, which editors and terminals can jump to, in the order of the text."""
    lines = [((lens.line, 0, 0), f"{path}:{lens.line + 1}: {lens.text}") for lens in findings.lenses]
    lines += [((h.line, h.column, 1), f"{path}:{h.line + 1}:{h.column + 1}: {h.text}") for h in findings.hints]
    for note in findings.notes:
        first, *others = note.text.split("\n")
        place = f"{path}:{note.place.line + 1}:{note.place.column + 1}"
        text = "\n".join([f"{place}: {note.severity} {note.code}: {first}", *(f"    {line}" for line in others)])
        lines.append(((note.place.line, note.place.column, 2), text))
    lines += [
        ((fix.place.line, fix.place.column, 3), f"    remedy: {fix.title[:1].lower()}{fix.title[1:]}")
        for fix in findings.fixes
    ]
    return "\n".join(text for _, text in sorted(lines, key=lambda line: line[0])) or f"{path}: there is no sketch here"
