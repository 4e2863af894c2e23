"""Targets → jobs: what is to be done, with a name that changes when anything that matters for the result does."""

from __future__ import annotations

import glob
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import field
from hashlib import sha256
from pathlib import Path
from typing import Any

from kolahal import __version__
from kolahal.errors import KolahalError, UsageError
from kolahal.lang.read.front import split_target
from kolahal.lang.read.parse import parse_named, read_functions
from kolahal.lang.sketch import Sketch
from kolahal.lang.source import SketchError, read_source
from kolahal.nouns import dataclass
from kolahal.settings import Settings, as_data
from kolahal.sketches.gallery import GALLERY, find

WHOLE_GALLERY = "gallery"
MARKS = (b"kolahal", b"@sketch")  # a file of a folder with none of these is not ours, and need not be parsed
NO_SKETCH = "K007"


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be done with every sketch: `action` is check, synth, or auto for what its holes ask for."""

    action: str = "auto"
    claim: str = ""
    method: str = "auto"
    settings: Settings = field(default_factory=Settings)
    version: str = __version__


@dataclass(frozen=True, slots=True)
class Job:
    """One sketch and what is to be done with it; or a target that is no sketch, and the mistake in it."""

    target: str
    wish: Wish
    sketch: Sketch | None = None
    mistake: str = ""

    @property
    def action(self) -> str:
        if self.wish.action != "auto" or self.sketch is None:
            return self.wish.action
        return "synth" if self.sketch.holes else "check"

    @property
    def name(self) -> str:
        """A digest of all that the result depends on."""
        sketch, wish = self.sketch, self.wish
        program = self.mistake if sketch is None else [str(sketch), sketch.span.line]
        parts = [self.target, program, self.action, wish.claim, wish.method, wish.version, as_data(wish.settings)]
        return sha256(json.dumps(parts).encode()).hexdigest()[:24]

    def head(self) -> dict[str, Any]:
        """How every record of this job begins."""
        asked = {"claim": self.wish.claim or None} if self.action == "check" else {"method": self.wish.method}
        seed, version = self.wish.settings.seed, self.wish.version
        return {
            "job": self.name, "target": self.target, "action": self.action, **asked, "seed": seed, "version": version
        }  # fmt: skip


def find_jobs(targets: Sequence[str], wish: Wish, pass_over: bool = False) -> tuple[Job, ...]:
    """The jobs of all targets in their order, each once.

    A target is a name of the gallery, `gallery` for all of it, path.py, path.py:function, a folder, or a pattern such
    as 'src/**/*.py'. A function or a file that cannot be read is a job with a mistake; files of a folder or a pattern
    without any sketch are passed over, and with `pass_over` all such files.
    """
    found: dict[str, Job] = {}
    for target in targets:
        for job in _jobs_of(target, wish, pass_over):
            found.setdefault(job.name, job)
    return tuple(found.values())


def _jobs_of(target: str, wish: Wish, pass_over: bool) -> Iterator[Job]:
    if target == WHOLE_GALLERY:
        for name in GALLERY:
            yield from _read(name, wish)
    elif os.path.isdir(target):
        yield from _several(_files_of(Path(target)), wish)
    elif glob.has_magic(target) and not os.path.exists(target):
        paths = sorted(path for path in glob.glob(target, recursive=True) if os.path.isfile(path))
        if not paths:
            raise UsageError(f"no file matches {target}")
        yield from _several(paths, wish)
    elif pass_over and os.path.isfile(target):
        yield from _several([target], wish)
    else:
        yield from _read(target, wish)


def _files_of(folder: Path) -> list[str]:
    """The Python files below a folder; not hidden ones, and none of an environment that is installed there."""
    found = []
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(
            name for name in folders if not name.startswith(".") and not os.path.exists(Path(place, name, "pyvenv.cfg"))
        )
        found += [str(Path(place, name)) for name in files if name.endswith(".py") and not name.startswith(".")]
    return sorted(found)


def _several(paths: Sequence[str], wish: Wish) -> Iterator[Job]:
    for path in paths:
        if _is_ours(path):
            yield from _read(path, wish, passing_over=True)


def _is_ours(path: str) -> bool:
    try:
        text = Path(path).read_bytes()
    except OSError:
        return True  # what is wrong with it will be said
    return any(mark in text for mark in MARKS)


def _read(target: str, wish: Wish, passing_over: bool = False) -> Iterator[Job]:
    """A job for each function of a target; what is wrong with one is its own mistake, and the others go on."""
    try:
        path, name = split_target(target if passing_over else find(target))
        source = read_source(path)
        if name:
            yield Job(target, wish, parse_named(source, name))
            return
        readings = read_functions(source)
    except KolahalError as error:
        if passing_over and isinstance(error, SketchError) and {d.code for d in error.diagnostics} == {NO_SKETCH}:
            return
        yield Job(target, wish, mistake=str(error))
        return
    for reading in readings:
        mistake = str(SketchError(source, reading.faults)) if reading.sketch is None else ""
        yield Job(target if target in GALLERY else f"{target}:{reading.name}", wish, reading.sketch, mistake)
