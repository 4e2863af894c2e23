"""Where program text came from, and how to point at it."""

from __future__ import annotations

import io
import tokenize
from dataclasses import dataclass, field
from pathlib import Path

from kolahal.errors import KolahalError

LARGEST_FILE = 2_000_000  # bytes; parsing far larger ones takes gigabytes, and no sketch is that long


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

    def line(self, number: int) -> str:
        """The text of a line, numbered as in `path`, or nothing if there is no such line."""
        lines = self.text.splitlines()
        index = number - self.first_line
        return lines[index] if 0 <= index < len(lines) else ""


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
        lines = []
        if self.span == NOWHERE:
            lines.append(f"{source.path}: error {self.code}: {self.what}")
        else:
            lines.append(f"{source.path}:{self.span.line}:{self.span.column}: error {self.code}: {self.what}")
            text = source.line(self.span.line)
            if text.strip():
                before = text[: self.span.column - 1]
                # Tabs are kept, so that the caret stands below what it points at however wide a tab is.
                blank = "".join("\t" if c == "\t" else " " for c in before)
                width = max(1, min(self.span.width, len(text) - len(before)))
                lines += [f"    {text}", f"    {blank}{'^' * width}"]
        lines += [f"  {self.why}", f"  {self.fix}"]
        return "\n".join(lines)


@dataclass(eq=False)
class SketchError(KolahalError):
    """A program that is not a sketch; carries every fault that was found, in source order."""

    source: Source
    diagnostics: tuple[Diagnostic, ...] = field(default=())

    def __str__(self) -> str:
        ordered = sorted(self.diagnostics, key=lambda d: (d.span.line, d.span.column, d.code))
        return "\n\n".join(d.render(self.source) for d in ordered)


def refuse_file(
    path: str, code: str, what: str, why: str, fix: str, span: Span = NOWHERE, text: str = ""
) -> SketchError:
    """The error for a file that cannot be read as a sketch at all."""
    return SketchError(Source(path, text), (Diagnostic(code, span, what, why, fix),))


def read_source(path: str | Path) -> Source:
    """The text of a file, decoded as Python would; never imported, never executed."""
    name = str(path)
    try:
        if Path(path).is_dir():
            raise refuse_file(
                name,
                "K002",
                "this is a folder, not a file",
                "A sketch is a function in a Python file.",
                "Give the path of one file, such as sketches/svt.py.",
            )
        size = Path(path).stat().st_size
        if size > LARGEST_FILE:
            raise refuse_file(
                name,
                "K003",
                f"the file has {size / 1e6:.1f} MB, more than {LARGEST_FILE / 1e6:.0f} MB",
                "A sketch is a short function; parsing a file of this size would take gigabytes of memory.",
                "Copy the sketch into a file of its own.",
            )
        raw = Path(path).read_bytes()
    except FileNotFoundError:
        raise refuse_file(
            name,
            "K001",
            "there is no such file",
            "The sketch is read from a file or from the gallery.",
            "Check the path; `kolahal show` without a name lists the gallery.",
        ) from None
    except (OSError, ValueError) as error:  # ValueError: a path with a NUL character
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise refuse_file(
            name,
            "K002",
            f"the file cannot be read: {reason}",
            "The sketch is read from this file.",
            "Check the path and its permissions.",
        ) from None
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(raw).readline)
        text = raw.decode(encoding)
    except (SyntaxError, UnicodeDecodeError, LookupError):
        raise refuse_file(
            name,
            "K004",
            "the file is not UTF-8 text",
            "Python source is UTF-8 unless its first lines say otherwise.",
            "Save the file as UTF-8, or declare its encoding in the first line.",
        ) from None
    return Source(name, text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n"))
