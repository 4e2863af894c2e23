"""What `--out` writes: whole files or none, of one run and not of two."""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import click

from kolahal.errors import UsageError, harmless

UNFINISHED = ".kolahal-unfinished"  # a folder for files that are being written
PATIENCE = 10.0  # seconds to wait for another run that is writing; that takes it a fraction of one
OURS = re.compile(
    r"certificate\.json|counterexample\.py|[^\W\d]\w*_(private|opendp)\.py"
)  # what results list as theirs


class OutFolder(click.Path):
    """A folder that can be made, or is there: known before anything is computed."""

    def __init__(self) -> None:
        super().__init__(file_okay=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        try:
            check_parent(path)
        except UsageError as error:
            self.fail(str(error), param, ctx)
        return path


class OutFile(OutFolder):
    """A file in a folder that is there."""

    def __init__(self) -> None:
        super().__init__()
        self.file_okay, self.dir_okay, self.name = True, False, "file"


def check_parent(path: Path) -> None:
    """Refuse a path whose folder does not exist: it may be a slip of the pen, and one folder too many is hard to find."""
    missing = path.parent
    if missing.is_dir():
        return
    while not missing.parent.exists():
        missing = missing.parent
    if missing.exists():
        raise UsageError(f"{path}: {missing} is not a folder")
    raise UsageError(f"{path}: there is no folder {missing}; make it first, with mkdir -p {path.parent}")


PURPOSES = {  # of the files that are written, in words
    "report.html": "the page to read",
    "result.json": "all the data; `kolahal report` makes the page of it",
    "certificate.json": "the proof; `kolahal verify` checks it again",
    "counterexample.py": "a program that shows the counterexample without Kolahal",
    "error.svg": "a picture of the error over the curve of the law",
}


def tell_files(folder: Path, files: Iterable[str]) -> None:
    """Say what a folder holds now, and what for, on standard error: standard output may be a document."""
    click.echo(harmless(f"Written to {folder}:"), err=True)
    has_page = (folder / "report.html").exists()
    for name in (*(["report.html"] if has_page else []), *files, "result.json"):
        purpose = PURPOSES.get(name, "the private program, to run and to hand out")
        click.echo(harmless(f"  {name}: {purpose if has_page else purpose.partition(';')[0]}"), err=True)


def write_files(folder: Path, files: dict[str, str]) -> None:
    """Write files into a folder, all of them or none; what an earlier result there lists as its own goes."""
    try:
        check_parent(folder)
        folder.mkdir(exist_ok=True)
        with _held(folder):
            _write(folder, files)
    except OSError as error:
        raise UsageError(f"--out {folder}: {error.strerror or error}; give a folder that can be written") from None


def write_file(path: Path, text: str) -> None:
    """Write one file beside others; a device or a link is written through, and not replaced."""
    if not path.is_symlink() and (path.is_file() or not path.exists()):
        check_parent(path)
        write_files(path.parent, {path.name: text})
        return
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"--out {path}: {error.strerror or error}; give a file that can be written") from None


def _write(folder: Path, files: dict[str, str]) -> None:
    unfinished = folder / UNFINISHED
    if unfinished.exists():  # nobody writes there now, so whoever did was killed
        shutil.rmtree(unfinished)
    try:
        unfinished.mkdir()
        for name, text in files.items():
            (unfinished / name).write_text(text, encoding="utf-8")
        stale = _listed(folder) - set(files) if "result.json" in files else ()
        for name in files:
            (unfinished / name).replace(folder / name)
        for name in stale:
            with suppress(FileNotFoundError):
                (folder / name).unlink()
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _listed(folder: Path) -> set[str]:
    """The files that the result in a folder lists as written beside it: not true of the next result any more."""
    try:
        files = json.loads((folder / "result.json").read_text(encoding="utf-8"))["files"]
        return {name for name in files if isinstance(name, str) and OURS.fullmatch(name)}
    except (OSError, ValueError, LookupError, TypeError, RecursionError):  # there is none, or it is not ours
        return set()


@contextmanager
def _held(folder: Path) -> Iterator[None]:
    """Nobody else writes into a folder meanwhile. The lock is the system's: it ends with the process that holds it."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        end = time.monotonic() + PATIENCE
        while not _locked(handle):
            if time.monotonic() > end:
                raise UsageError(f"--out {folder}: another run is writing there; wait for it, or give another folder")
            time.sleep(0.02)
        yield
    finally:
        os.close(handle)


def _locked(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        pass
    return True
