"""Who looks at texts while they change: in processes that may die, called off by newer text, remembering what is known.

A text is read in one lane and programs are judged in another, so that nobody waits for a proof to see a fault.
"""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from kolahal.editor.findings import WARNING, Findings, Judgement, Note, look
from kolahal.editor.fixes import Place
from kolahal.errors import harmless
from kolahal.limits import Limits, Stopped, WorkerDied
from kolahal.verdicts import Refuted, Unknown
from kolahal.workers import CalledOff, Crew, Elsewhere, call

MOST_KNOWN = 500  # judgements that are kept; the oldest goes first
READING = Limits(seconds=20, memory=2048)  # of a text; it takes milliseconds
JUDGING = "kolahal.editor.judging"  # loaded by the workers alone: it takes most of a second
judge, mend, load = (Elsewhere(JUDGING, name) for name in ("judge", "mend", "load"))

T = TypeVar("T")


class Desk:
    """Looks at texts. One for all documents of an editor: equal programs are judged once."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits  # of one judgement
        self.known: OrderedDict[str, Judgement] = OrderedDict()
        self._reading = _Lane("reading")
        self._judging = _Lane("judging")
        self._stops: set[threading.Event] = set()
        self._seen: dict[str, frozenset[str]] = {}  # path → keys of the programs that were there last

    def warm(self) -> None:
        """Start the processes, which load for most of a second, before there is anything to do."""
        self._judging.threads.submit(_quietly, self._judging, load)
        self._reading.threads.submit(_quietly, self._reading, look, "", "", {})

    def close(self) -> None:
        """End all that goes on."""
        for event in tuple(self._stops):
            event.set()
        for lane in (self._reading, self._judging):
            lane.crew.stop()
            lane.threads.shutdown(wait=False, cancel_futures=True)

    async def follow(self, text: str, path: str) -> AsyncIterator[Findings]:
        """What is to be said of a text: at once, and again after each judgement. Whoever stops listening calls it off."""
        findings = await self.read(text, path)
        yield findings
        for program in findings.open:
            if program.key not in self.known:  # two functions may be one program
                judgement = await self._judge(judge, text, path, program.name)
                self.remember(program.key, judgement)
                yield await self.read(text, path)
        for name, key in findings.programs.items():
            judged = self.known.get(key)
            if judged is not None and isinstance(judged.verdict, Refuted) and not judged.mended:
                mended = await self._judge(mend, text, path, name, judged)
                self.remember(key, mended if isinstance(mended.verdict, Refuted) else judged)
                yield await self.read(text, path)

    async def read(self, text: str, path: str) -> Findings:
        """What is to be said of a text by what is known now."""
        try:
            findings = await self._look(text, path, self._seen.get(path, frozenset()))
            if any(program.key in self.known for program in findings.open):
                findings = await self._look(text, path, frozenset(findings.programs.values()))
            self._seen[path] = frozenset(findings.programs.values())
            return findings
        except asyncio.CancelledError:
            raise
        except Exception as error:  # whatever a stranger's file does to its reader, the next one is read
            told = harmless(str(error).partition("\n")[0])
            return Findings([Note(Place(0, 0, 0, 0), WARNING, "unread", f"Kolahal could not read this text: {told}")])

    async def _look(self, text: str, path: str, keys: frozenset[str]) -> Findings:
        known = {key: self.known[key] for key in keys if key in self.known}  # not all: it is sent to another process
        return await self._do(self._reading, READING, look, text, path, known)

    def remember(self, key: str, judgement: Judgement) -> None:
        self.known[key] = judgement
        self.known.move_to_end(key)
        while len(self.known) > MOST_KNOWN:
            self.known.popitem(last=False)

    async def _judge(self, function: Callable[..., Judgement], *arguments: Any) -> Judgement:
        try:
            return await self._do(self._judging, self.limits, function, *arguments)
        except asyncio.CancelledError:
            raise
        except (Stopped, WorkerDied) as error:
            return Judgement(Unknown(str(error)))
        except Exception as error:
            told = harmless(str(error).partition("\n")[0])
            return Judgement(Unknown(f"the check failed: {type(error).__name__}: {told}"))

    async def _do(self, lane: _Lane, limits: Limits, function: Callable[..., T], *arguments: Any) -> T:
        event = threading.Event()
        self._stops.add(event)
        waiting: Future[T] = lane.threads.submit(partial(_unless_off, event, lane, limits, function, *arguments))
        try:
            return await asyncio.wrap_future(waiting)
        finally:
            event.set()  # of no effect on what has ended
            self._stops.discard(event)


class _Lane:
    """A thread and its worker, one thing at a time."""

    def __init__(self, name: str) -> None:
        self.threads = ThreadPoolExecutor(1, name)
        self.crew = Crew()


def _unless_off(event: threading.Event, lane: _Lane, limits: Limits, function: Callable[..., T], *arguments: Any) -> T:
    if event.is_set():
        raise CalledOff
    return call(limits, function, *arguments, stop=event, crew=lane.crew)


def _quietly(lane: _Lane, function: Callable[..., Any], *arguments: Any) -> None:
    try:
        call(READING, function, *arguments, crew=lane.crew)
    except (Stopped, WorkerDied, OSError):
        return  # the first real question will say so
