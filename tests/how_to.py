"""Runs what a page shows: its files, Python and commands in order, in a folder of their own, and compares the output.

- A block with a file's name behind its language is that file.
- A `python` block is run; all of a page share one namespace.
- In a `console` block, lines that begin with `$` are commands, and the others are what they print on both streams.
- A block of `text` or a `diff` is what the Python block before it prints.
- `no-run` behind the language marks what cannot run here. A block without a language is a picture.

`…` in what is printed stands for anything, and seconds are not compared. With KOLAHAL_GOLDEN=rewrite the page is given the output
of today.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path

from kolahal.cli import main

ROOT = Path(__file__).parents[1]
PAGES = ROOT / "docs" / "how-to"
BLOCK = re.compile(r"^```(?P<language>\w*)[ ]?(?P<file>[\w./-]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
SECONDS = re.compile(r"\b(preparing|finding the law|ranking|proving|the rest|total|in) \d+\.\d+")
REWRITE = os.environ.get("KOLAHAL_GOLDEN") == "rewrite"


def run_page(name: str | Path, folder: Path) -> int:
    """Run all blocks of a page (of the how-to pages, if it is a plain name) inside `folder`; gives how many ran."""
    path = PAGES / name
    page = path.read_text(encoding="utf-8")
    runner = _Runner(folder)
    before = set(sys.modules)
    sys.path.insert(0, str(folder))  # as for a program that stands in the folder
    try:
        with chdir(folder):
            today = BLOCK.sub(runner.run, page)
    finally:
        sys.path.remove(str(folder))
        for new in set(sys.modules) - before:
            if (getattr(sys.modules[new], "__file__", None) or "").startswith(str(folder)):
                del sys.modules[new]
    if today != page:  # only when rewriting: otherwise the first difference has been raised
        path.write_text(today, encoding="utf-8")
    return runner.ran


class _Runner:
    def __init__(self, folder: Path):
        self.folder = folder
        self.space: dict[str, object] = {"__name__": "page"}
        self.printed = ""
        self.ran = 0

    def run(self, block: re.Match[str]) -> str:
        """The block as it should read."""
        language, file, text = block["language"], block["file"], block["text"]
        self.ran += bool(language) and file != "no-run"
        new = text
        if file == "no-run" or not language:
            pass
        elif file:
            (self.folder / file).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / file).write_text(text, encoding="utf-8")
            if language == "python":
                compile(text, file, "exec")
        elif language == "python":
            self.printed = self.python(text)
        elif language == "console":
            new = COMMAND.sub(
                lambda found: f"$ {found[1]}\n{shown(found[2], run_command(found[1], self.folder))}", text
            )
        elif language in ("text", "diff"):
            new = shown(text, self.printed)
        else:
            raise AssertionError(f"a block of {language!r} that is neither a file nor marked no-run")
        start, end = (place - block.start() for place in block.span("text"))
        return block[0][:start] + new + block[0][end:]

    def python(self, text: str) -> str:
        """What a block prints. It stands in a file of its own, where @sketch finds its source."""
        path = self.folder / f"block_{self.ran}.py"
        path.write_text(text, encoding="utf-8")
        with redirect_stdout(io.StringIO()) as out:
            exec(compile(text, str(path), "exec"), self.space)
        return out.getvalue()


def run_command(command: str, folder: Path) -> str:
    """What a command prints, on both streams. Our own run in this process, which saves the time to start it."""
    piped = re.fullmatch(r"(kolahal .*) \| head -(\d+)", command)
    if piped:
        return "\n".join(run_command(piped[1], folder).splitlines()[: int(piped[2])])
    words = shlex.split(command)
    into = words.pop() if words[-2:-1] == [">"] else None
    if words[0] == "kolahal" and not set("|;&<>") & set("".join(words[1:-1] if into else words)):
        out = io.StringIO()
        with redirect_stdout(out), redirect_stderr(io.StringIO() if into else out) as err:
            main(words[1:-1] if into else words[1:])
        if into is None:
            return out.getvalue()
        (folder / into).write_text(out.getvalue(), encoding="utf-8")
        return err.getvalue()
    for word, program in (("kolahal ", f"{sys.executable} -m kolahal "), ("python ", f"{sys.executable} ")):
        command = program + command.removeprefix(word) if command.startswith(word) else command
    done = subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True, timeout=300)
    return done.stdout + done.stderr


def shown(wanted: str, printed: str) -> str:
    """What the page should show: what it shows already, if that is what was printed."""
    now = "\n".join(line.rstrip() for line in printed.splitlines()).strip()
    pattern = ".*".join(re.escape(SECONDS.sub(r"\1 0.0", part)) for part in wanted.strip().split("…"))
    if re.fullmatch(pattern, SECONDS.sub(r"\1 0.0", now), re.DOTALL):
        return wanted
    assert REWRITE and "…" not in wanted, f"printed\n{now}\n\nand not\n{wanted}"
    return now + "\n" if now else ""
