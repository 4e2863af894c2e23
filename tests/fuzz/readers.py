"""Everything of ours that reads what a stranger wrote, as functions of bytes: each returns, or raises a KolahalError."""

from __future__ import annotations

import io
import json
import sys
import tempfile
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path

from kolahal.checking import parse_claim
from kolahal.cli import main
from kolahal.cli.judge import _epsilon
from kolahal.cli.synth import _grammar
from kolahal.emission.program import emit
from kolahal.errors import KolahalError
from kolahal.lang.patch import make_patch
from kolahal.lang.plain.convert import sketch_of
from kolahal.lang.read.front import load_sketches
from kolahal.lang.read.parse import parse
from kolahal.lang.scale import parse_scale
from kolahal.lang.sketch import Mechanism, Sketch
from kolahal.lang.source import read_source
from kolahal.report.text import render_sketch
from kolahal.sketches.gallery import FOLDER, GALLERY, load_one

PLACE = Path(tempfile.gettempdir())
SKETCH = load_one("svt")
GALLERY_FILES = [(FOLDER / f"{name}.py").read_bytes() for name in GALLERY]


def read_sketches(raw: bytes) -> None:
    """A file of sketches, and all that is made of an accepted one without running it."""
    with _file(raw, ".py") as path:
        for sketch in load_sketches(path):
            assert parse(str(sketch)) == sketch, "what is printed is not what was read"
            assert is_plain(render_sketch(sketch))
            make_patch(read_source(path).text, sketch, fill(sketch).completion)


def write_program(raw: bytes) -> None:
    """The programs that are handed out for a file of sketches: Python that can be read again as the same mechanism."""
    with _file(raw, ".py") as path:
        for sketch in load_sketches(path):
            completed = fill(sketch)
            program = emit(completed)
            compile(program, "emitted", "exec")
            assert parse(program).body == completed.filled().body


def fill(sketch: Sketch) -> Mechanism:
    return sketch.complete(*["1/" + sketch.epsilon.name] * len(sketch.holes))


def read_plain(raw: bytes) -> None:
    """A file with a plain function."""
    with _file(raw, ".py") as path:
        parse(sketch_of(read_source(path).text))


def read_words(raw: bytes) -> None:
    """What stands on a command line."""
    text = raw.decode("utf-8", "surrogateescape")
    for read in (
        parse_scale,
        lambda words: parse_claim(SKETCH, words),
        lambda words: _grammar(words, ()),
        lambda words: _grammar(None, (words,)),
        _epsilon,
        load_one,
        lambda words: sketch_of("def f(q):\n    return q[0]\n", "f", words),
        lambda words: sketch_of("def f(q):\n    return q[0]\n", words),
    ):
        refused(read, text)


def read_result(raw: bytes) -> None:
    """A result that someone calls ours."""
    with _file(raw, ".json") as path, redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()) as err:
        target = path.with_suffix(".html")
        code = main(["report", str(path), "--out", str(target)])
        assert code in (0, 2), code
        assert code == 0 or is_plain(err.getvalue())
        target.unlink(missing_ok=True)


READERS: list[Callable[[bytes], None]] = [read_sketches, read_plain, read_words, read_result, write_program]


def refused(read: Callable[..., object], argument: object) -> bool:
    """Whether a reader refuses; nothing else but its return is allowed, and the reason must be fit for a terminal."""
    try:
        read(argument)
    except KolahalError as error:
        assert is_plain(str(error)), repr(str(error))
        return True
    return False


def is_plain(text: str) -> bool:
    """Whether a terminal shows `text` and does nothing else: no control characters, none that turn the writing round."""
    return bool(text) and all(c.isprintable() or c in "\n\t" or unicodedata.category(c) == "Zs" for c in text)


@contextmanager
def _file(raw: bytes, ending: str) -> Iterator[Path]:
    with tempfile.NamedTemporaryFile(suffix=ending, dir=PLACE) as file:
        file.write(raw)
        file.flush()
        yield Path(file.name)


# ---------------------------------------------------------------- nothing of a file is run

FORBIDDEN = (
    "import",
    "exec",
    "os.system",
    "os.exec",
    "os.posix_spawn",
    "os.fork",
    "subprocess.Popen",
    "socket.connect",
)
_seen: list[str] | None = None


def _watch(event: str, about: tuple[object, ...]) -> None:
    if _seen is not None and event in FORBIDDEN:
        file = getattr(about[0], "co_filename", "")
        if not file.endswith("template.html"):  # ours: the page's template is compiled when it is used
            _seen.append(f"{event} {about[0]!r}"[:200])


@contextmanager
def watched() -> Iterator[list[str]]:
    """What Python itself reports as imported, executed or started meanwhile."""
    global _seen
    if not getattr(sys, "_kolahal_watch", False):
        sys.addaudithook(_watch)
        sys._kolahal_watch = True  # type: ignore[attr-defined]
    _seen = []
    try:
        yield _seen
    finally:
        _seen = None


def result_documents() -> list[dict[str, object]]:
    """A real result of each kind."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        good, bad = (Path(folder) / name for name in ("good.py", "bad.py"))
        good.write_text(str(SKETCH.complete("2/eps", "4*N/eps")))
        bad.write_text(str(SKETCH.complete("1/eps", "4*N/eps")))
        for words in (["synth", "sum"], ["check", str(good)], ["check", str(bad)]):
            with redirect_stdout(io.StringIO()) as out:
                main([*words, "--json", "--workers", "1"])
            found.append(json.loads(out.getvalue()))
    return found
