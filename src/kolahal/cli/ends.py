"""How a command ends: its exit code whatever happens, and its output wherever that goes."""

from __future__ import annotations

import codecs
import io
import json
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO

import click

from kolahal.errors import KolahalError, UsageError, harmless

PROVED, REFUTED, MISTAKE, UNKNOWN, BOUNDED = 0, 1, 2, 3, 4  # exit codes; REFUTED also when nothing was found
DEFECT, INTERRUPTED, UNHEARD = 70, 130, 141  # UNHEARD: whoever read our output has left

READABLE, EXACT = "kolahal.readable", "kolahal.exact"  # ways to write a character that a terminal does not know
WORDS = {
    "ε": "eps", "η": "eta", "γ": "gamma", "δ": "delta", "Σ": "sum", "∞": "inf", "⊥": "None", "½": "1/2",
    "≤": "<=", "≥": ">=", "−": "-", "–": "-", "·": "*", "×": "x", "→": "->", "…": "...", "⟨": "<", "⟩": ">",
    "“": "'", "”": "'", "’": "'", "²": "^2", "\N{REPLACEMENT CHARACTER}": "?",
}  # fmt: skip


# ---------------------------------------------------------------- where output goes


class Unwritable(Exception):
    """Output did not get where it was to go; not an OSError, which click has its own way with."""

    def __init__(self, name: str, why: OSError):
        super().__init__(f"{name} cannot be written: {why.strerror or why}; send the output elsewhere")
        self.unheard = isinstance(why, BrokenPipeError)


class _Output(io.TextIOWrapper):
    """A standard stream that writes what it can, and tells apart that it cannot write from all else that goes wrong.

    One for ASCII calls itself UTF-8: click takes ASCII for a mistake of the system, and writes UTF-8 there.
    """

    def __init__(self, stream: io.TextIOWrapper):
        self.real = codecs.lookup(stream.encoding).name
        super().__init__(
            stream.buffer,
            encoding="utf-8" if self.real == "ascii" else self.real,
            errors=READABLE,
            line_buffering=stream.line_buffering,
            write_through=stream.write_through,
        )
        self.called = {"<stdout>": "standard output", "<stderr>": "standard error"}[stream.name]

    def write(self, text: str) -> int:
        try:
            return super().write(text.encode("ascii", READABLE).decode() if self.real == "ascii" else text)
        except OSError as error:
            raise Unwritable(self.called, error) from None

    def flush(self) -> None:
        try:
            super().flush()
        except OSError as error:
            raise Unwritable(self.called, error) from None


@contextmanager
def streams() -> Iterator[None]:
    """Standard output and error that can hold all characters in some way; those of a test are left to it."""
    codecs.register_error(READABLE, _readable)
    codecs.register_error(EXACT, _exact)
    before = sys.stdout, sys.stderr
    ours = []
    for name, stream in (("stdout", sys.__stdout__), ("stderr", sys.__stderr__)):
        if stream is getattr(sys, name) and isinstance(stream, io.TextIOWrapper):  # not closed, and nobody else's
            stream.flush()
            ours.append(_Output(stream))
            setattr(sys, name, ours[-1])
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before
        for output in ours:
            with suppress(Unwritable):
                output.flush()
            output.detach()  # or it would close the stream as it goes


def _readable(error: UnicodeError) -> tuple[str, int]:
    """In words, where there are any."""
    text, end = _lost(error)
    return "".join(WORDS.get(c) or _escape(c) for c in text), end


def _exact(error: UnicodeError) -> tuple[str, int]:
    """In JSON's own way, which tells the character."""
    text, end = _lost(error)
    return _escape(text), end


def _lost(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError)
    return error.object[error.start : error.end], error.end


def _escape(text: str) -> str:
    return json.dumps(text)[1:-1]


def _encoding() -> str:
    return getattr(sys.stdout, "real", None) or getattr(sys.stdout, "encoding", None) or "utf-8"


def echo_json(text: str, nl: bool = True) -> None:
    """A JSON document, with escapes for what the output cannot hold."""
    click.echo(text.encode(_encoding(), EXACT).decode(_encoding()), nl=nl)


def echo_lines(text: str) -> None:
    """A stranger's own lines: as they are into a file or a pipe, without control characters onto a terminal."""
    shown = harmless(text) if sys.stdout is not None and sys.stdout.isatty() else text
    try:
        shown.encode(_encoding())
    except UnicodeEncodeError as error:
        raise UsageError(
            f"standard output is {_encoding()}, which has no {_escape(error.object[error.start])}, and another character "
            "would make it another program; set PYTHONIOENCODING=utf-8"
        ) from None
    click.echo(shown, nl=False, color=True)  # color: click drops nothing


# ---------------------------------------------------------------- whatever happens


def conclude(run: Callable[[], Any]) -> int:
    """The exit code of what runs; whatever stops it is told on standard error."""
    try:
        code = _code_of(run)
        if sys.stdout is not None:
            sys.stdout.flush()
        return code
    except KolahalError as error:
        return tell(str(error), MISTAKE)
    except click.ClickException as error:
        return tell(_usage(error), MISTAKE)
    except Unwritable as error:
        _abandon(sys.stdout)
        return UNHEARD if error.unheard else tell(str(error), MISTAKE)
    except MemoryError:
        raise  # a limit, and not a fault
    except KeyboardInterrupt:
        return _interrupted()
    except click.Abort as stop:  # what click makes of an interrupt, and of a file that ends early
        return tell(_defect(stop.__cause__), DEFECT) if isinstance(stop.__cause__, EOFError) else _interrupted()
    except Exception as error:
        if "out of memory" in str(error):  # as the solver says it
            raise MemoryError from error
        return tell(_defect(error), DEFECT)


def _code_of(run: Callable[[], Any]) -> int:
    try:
        code = run()
    except click.exceptions.Exit as stop:
        code = stop.exit_code
    return code if isinstance(code, int) else PROVED


def _interrupted() -> int:
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # a second one ends us at once, without a word
    return tell("Interrupted.", INTERRUPTED)


def _usage(error: click.ClickException) -> str:
    """A mistake in the command as click tells it."""
    text = io.StringIO()
    error.show(text)
    return text.getvalue().rstrip("\n")


def _defect(error: Exception) -> str:
    """A crash: nothing that a user did should lead to one."""
    last = "".join(traceback.format_exception_only(error)).strip().splitlines()[0]
    told = "".join(traceback.format_exception(error))
    return harmless(
        f"{last}\nThis is a defect of Kolahal, and says nothing about your program. "
        f"Please report it with the command, the file and what follows.\n\n{told}"
    )


def tell(text: str, code: int) -> int:
    """Say something on standard error; the code is given back."""
    try:
        click.echo(text, err=True)
    except (Unwritable, OSError):  # nobody hears it, but the code tells
        _abandon(sys.stderr)
    return code


def _abandon(stream: TextIO) -> None:
    """Let what waits in a stream go nowhere, so that Python does not fail to write it once more as it ends."""
    with suppress(OSError, ValueError):  # a stream without a file
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
