"""Where program text came from, and how to point at it."""

from __future__ import annotations

import ast
import io
import tokenize
import unicodedata
import warnings
from dataclasses import field
from functools import lru_cache
from pathlib import Path

from kolahal.errors import KolahalError, harmless
from kolahal.lang.faults import FAULTS
from kolahal.nouns import dataclass

LARGEST_FILE = 1_000_000  # bytes; parsing far larger ones takes gigabytes, and no sketch is that long


@dataclass(frozen=True, slots=True)
class Span:
    """A place in a source: 1-based line, 1-based column in characters, and how many characters."""

    line: int
    column: int
    width: int = 1


NOWHERE = Span(0, 0, 0)


@dataclass(frozen=True, slots=True)
class Source:
    """Program text with the name that diagnostics print before the line number."""

    path: str
    text: str
    first_line: int = 1  # where `text` begins in `path`: a decorated function is not the whole file

    def lines(self) -> tuple[str, ...]:
        """The lines as Python counts them; `str.splitlines` also splits at form feeds and other characters."""
        return _split(self.text)

    def line(self, number: int) -> str:
        """The text of a line, numbered as in `path`, or nothing if there is no such line."""
        lines = self.lines()
        index = number - self.first_line
        return lines[index] if 0 <= index < len(lines) else ""


def with_newlines(text: str) -> str:
    """`text` without a byte order mark, and with a newline character at the end of each line."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


@lru_cache(maxsize=4)  # one text is asked for its lines once a fault
def _split(text: str) -> tuple[str, ...]:
    return tuple(with_newlines(text).split("\n"))


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One fault: a code, a place, what is wrong, why that matters, and what to do."""

    code: str
    span: Span
    what: str
    why: str
    fix: str

    def render(self, source: Source) -> str:
        """The fault as the user reads it; the first line is one that editors can jump to."""
        place, text = source.path, source.line(self.span.line)
        if self.span != NOWHERE:
            place += f":{self.span.line}:{self.span.column}"
        lines = [f"{place}: error {self.code}: {self.what}"]
        if text.strip():
            before, rest = text[: self.span.column - 1], text[self.span.column - 1 :]
            width = max(1, sum(map(_cells, rest[: self.span.width])))
            lines += [f"    {text}", f"    {_blank(before)}{'^' * width}"]
        # A newline inside a line, such as one in a file's name, must not make it look like two.
        return "\n".join(
            harmless(line.replace("\n", "\N{REPLACEMENT CHARACTER}"))
            for line in [*lines, f"  {self.why}", f"  {self.fix}"]
        )


def _cells(character: str) -> int:
    """How many columns of a terminal a character takes."""
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _blank(text: str) -> str:
    """Blanks as wide as `text`; tabs are kept, so that a caret below stands right however wide a tab is."""
    return "".join("\t" if c == "\t" else " " * _cells(c) for c in text)


def diagnose(code: str, span: Span = NOWHERE, **words: object) -> Diagnostic:
    """The fault `code` at a place, with `words` in the braces of its texts."""
    what, why, fix = (text.format(**words) for text in FAULTS[code])
    return Diagnostic(code, span, what, why, fix)


@dataclass(eq=False)
class SketchError(KolahalError):
    """A program that is not a sketch; carries every fault that was found, each once and in source order."""

    source: Source
    diagnostics: tuple[Diagnostic, ...] = field(default=())

    def __post_init__(self) -> None:
        ordered = sorted(self.diagnostics, key=lambda d: (d.span.line, d.span.column, d.code))
        self.diagnostics = tuple(dict.fromkeys(ordered))

    def __str__(self) -> str:
        return "\n\n".join(d.render(self.source) for d in self.diagnostics)


def refuse_source(source: Source, code: str, span: Span = NOWHERE, **words: object) -> SketchError:
    """The error for a file that cannot be read as sketches at all."""
    return SketchError(source, (diagnose(code, span, **words),))


def read_source(path: str | Path) -> Source:
    """The text of a file, decoded as Python would; never imported, never executed."""
    nothing = Source(str(path), "")
    try:
        with open(path, "rb") as file:
            raw = file.read(LARGEST_FILE + 1)  # not the size on disk: a device has none
    except FileNotFoundError:
        raise refuse_source(nothing, "K001") from None
    except (OSError, ValueError) as error:  # ValueError: a path with a NUL character
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise refuse_source(nothing, "K002", reason=reason) from None
    if str(path).endswith(".ipynb"):  # which would read as one large expression
        raise refuse_source(nothing, "K002", reason="it is a notebook, in which kolahal.check(f) is called in a cell")
    if len(raw) > LARGEST_FILE:
        raise refuse_source(nothing, "K003", most=LARGEST_FILE / 1e6)
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(raw).readline)
        text = raw.decode(encoding)
    except (SyntaxError, ValueError, LookupError):
        raise refuse_source(nothing, "K004") from None
    return Source(str(path), with_newlines(text))


def parse_expression(text: str) -> ast.expr:
    """`text` as a Python expression; SyntaxError, ValueError, RecursionError or MemoryError if it is none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an odd escape in a stranger's string is not our business
        return ast.parse(text.strip(), mode="eval").body


def parse_module(text: str) -> ast.Module:
    """`text` as a Python file; the same errors."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)
