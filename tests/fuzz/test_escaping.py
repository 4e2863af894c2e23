"""Names, texts, comments and paths of a stranger's sketch stay what they are in every output: none becomes code or a command."""

from __future__ import annotations

import ast
import io
import json
import re
import shlex
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from html.parser import HTMLParser
from pathlib import Path

import pytest

from fuzz.readers import is_plain
from kolahal.cli import main
from kolahal.emission.program import emit
from kolahal.emission.promise import Promise
from kolahal.lang.read.front import load_sketches
from kolahal.lang.read.parse import parse

ODD_WORDS = {
    "the end of a text": 'x"""\nimport os\nos.abort()\n"""',
    "the other end": "x'''\nimport os\nos.abort()\n'''",
    "quotes": '"',
    "backslashes": "a\\",
    "more backslashes": '\\\\\\"""',
    "a script": "</script><script>alert(1)</script>",
    "markup": "<img src=x onerror=alert(1)> & &lt; ]]> <!--",
    "a template": "{{ 7 * 7 }} {% raw %} ${x} {0} %s",
    "escape sequences": "\x1b[2J\x1b]0;owned\x07\x9b31m",
    "right to left": "\u202e\u2066abc\u2069 \u200f",
    "odd spaces": "a\u00a0b\u3000c\u2028d\u0085e\u200bf",
    "null and friends": "\x00\x01\x7f\ufeff\ufffe",
    "a surrogate": "\ud800",
    "a new line": "one\ntwo\r\nthree\rfour\x0cfive",
    "other letters": "日本 עברית ελληνικά 🎲",
}
SKETCH = """
@sketch(adjacent=each_within(1))
def {name}(q: Private, eps: Epsilon):
    {doc}
    # {comment}
    x = 0  # {comment}
    {doc}
    return q[0] + Lap({scale})
"""


def literal(words: str) -> str:
    """Python's own literal, so that the text is in the program whatever it is."""
    return ascii(words)


def raw(words: str) -> str:
    """What can stand in a comment: everything but the ends of lines and what no file can hold."""
    return re.sub(r"[\n\r\x00\ud800-\udfff]", " ", words)


def write(folder: Path, words: str, scale: str, name: str = "f") -> Path:
    path = folder / "sketch.py"
    path.write_text(SKETCH.format(name=name, doc=literal(words), comment=raw(words), scale=scale), encoding="utf-8")
    return path


def run(*words: str) -> tuple[int, str, str]:
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
        code = main(list(words))
    return code, out.getvalue(), err.getvalue()


class _Page(HTMLParser):
    """The tags and the text of a page; what is inside scripts and styles is not text."""

    def __init__(self, page: str):
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.handlers: list[str] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.handlers += [
            name for name, value in attrs if name.startswith("on") or (value or "").startswith("javascript:")
        ]

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize("what", ODD_WORDS)
def test_words_are_words_everywhere(what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ODD_WORDS[what]
    monkeypatch.chdir(tmp_path)
    path = write(tmp_path, words, "hole")

    code, shown, _ = run("show", str(path))
    assert code == 0 and is_plain(shown)
    assert ast.get_docstring(ast.parse(shown.split("\n\nq: ")[0]).body[0]) is not None or not words.strip()

    code, text, _ = run("synth", str(path), "--workers", "1", "--out", "out")
    assert code == 0 and is_plain(text)
    document = Path("out/result.json").read_text(encoding="utf-8")
    assert is_plain(document)
    assert parse(json.loads(document)["program"]) == parse(path.read_text(encoding="utf-8"))

    emitted = Path("out/f_private.py").read_text(encoding="utf-8")
    assert is_plain(emitted)
    tree = ast.parse(emitted)
    assert not any(isinstance(node, ast.Attribute) and node.attr == "abort" for node in ast.walk(tree))
    assert [s.body for s in load_sketches("out/f_private.py")] == [parse(str(json.loads(document)["mechanism"])).body]

    page = Path("out/report.html").read_text(encoding="utf-8")
    assert page_is_safe(page)


def page_is_safe(page: str) -> bool:
    """No tag of a stranger's is in the page, no control character, and no address to load something from."""
    found = _Page(page)
    assert "img" not in found.tags and "alert(1)" not in "".join(re.findall(r"<script\b.*?</script>", page, re.S))
    assert not found.handlers
    assert not re.search(r"""(src|href)\s*=\s*["']?(https?:)?//""", page)
    assert all(c.isprintable() or c in "\n\t\u00a0\u3000" for c in page), [
        hex(ord(c)) for c in page if not c.isprintable() and c != "\n"
    ][:5]
    return "49" not in re.findall(r"\{\{ 7 \* 7 \}\}|\b49\b", found.text)


@pytest.mark.parametrize("what", ODD_WORDS)
def test_programs_that_show_a_counterexample(what: str, tmp_path: Path) -> None:
    path = write(tmp_path, ODD_WORDS[what], "1/(2*eps)")
    code, text, _ = run("check", str(path), "--snippet", "--workers", "1")
    assert code == 1 and is_plain(text)
    programs = [text.partition("without Kolahal:\n")[2]]
    if what == "the end of a text":  # slower, and made of the same parts
        code, text, _ = run("test", str(path), "--eps", "1", "--profile", "quick", "--workers", "1")
        assert code == 1 and is_plain(text)
        programs.append(text.partition("To see it yourself:\n")[2])
    for program in programs:
        assert program and not any(
            isinstance(n, ast.Attribute) and n.attr == "abort" for n in ast.walk(ast.parse(program))
        )


NAMES = ["__import__", "__builtins__", "exec", "print", "Fraction", "sys", "_main", "class_", "ᵉval", "日本"]


def test_programs_that_were_handed_out_run(tmp_path: Path) -> None:
    """The files themselves, in a process of their own: each has a docstring and an answer, and nothing else happens."""
    written = {}
    for number, words in enumerate(ODD_WORDS.values()):
        (sketch,) = load_sketches(write(tmp_path, words, "1/eps"))
        written[f"words_{number}"] = emit(sketch, Promise(text=words), command=words)
    for number, name in enumerate(NAMES):
        path = write(tmp_path, "x", "1/eps", name)
        code, shown, err = run("show", str(path))
        assert code == (2 if name.startswith("__") else 0) and is_plain(shown + err)
        if code == 0:
            written[f"name_{number}"] = emit(load_sketches(path)[0])
    for name, text in written.items():
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    code = (
        "import importlib, sys\n"
        "for name in sys.argv[1:]:\n"
        "    module = importlib.import_module(name)\n"
        "    print(name, getattr(module, module.__all__[0])([1e9], eps=1) > 0, len(module.__doc__) > 100)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *written], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert done.stdout == "".join(f"{name} True True\n" for name in written), done.stderr


@pytest.mark.parametrize("what", [w for w in ODD_WORDS if w not in ("null and friends", "a surrogate")])
def test_paths_are_shown_and_not_obeyed(what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    name = ODD_WORDS[what].replace("/", "-")[:60] + ".py"
    Path(name).write_text(SKETCH.format(name="f", doc="'x'", comment="c", scale="hole"), encoding="utf-8")
    for words in (["show", name + ":g"], ["show", name], ["check", name], ["synth", name, "--patch", "--workers", "1"]):
        _, out, err = run(*words)
        assert is_plain(out + err), (words, out, err)
    code, document, _ = run("synth", name, "--json", "--workers", "1")
    assert code == 0 and is_plain(document)
    assert shlex.split(json.loads(document)["command"])[2] == name
    code, out, _ = run("emit", "other.py")
    assert code == 2


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_strangers_lines_on_a_terminal(tmp_path: Path) -> None:
    """Where a command prints lines of the file itself, a pipe gets them unchanged and a terminal without control characters."""
    path = write(tmp_path, ODD_WORDS["escape sequences"], "hole")
    plain = tmp_path / "plain.py"
    plain.write_text("def f(q):\n    return q[0]  # \x1b[2J\u202e\n", encoding="utf-8")
    for words in (["synth", str(path), "--patch", "--workers", "1"], ["sketch", str(plain)]):
        assert "\x1b" in run(*words)[1]
        with redirect_stdout(_Terminal()) as out:
            main(words)
        assert is_plain(out.getvalue())


def test_messages_about_words_of_a_command_line() -> None:
    for words in (
        ["check", "sum\x1b[2J"],
        ["synth", "sum", "--coefficients", "\x1b[2J"],
        ["synth", "sum", "--also", "\x1b[2J/eps"],
        ["test", "sum", "--eps", "\u202e1"],
        ["report", "\x1b.json"],
        ["sketch", "\x1b.py"],
    ):
        code, out, err = run(*words)
        assert code == 2 and is_plain(out + err), (words, err)
