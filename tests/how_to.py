"""Runs what the how-to pages show: Python blocks in order, in one namespace, commands, and the output of both."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path

PAGES = Path(__file__).parents[1] / "docs" / "how-to"
BLOCK = re.compile(r"^```(\w*)[ ]?([\w./]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)


def run_page(name: str, folder: Path) -> int:
    """Run all blocks of a page inside `folder`; gives how many there were.

    A block with a file's name behind its language is that file. A block of text or a diff is what the block before it
    prints. Lines of a console block that begin with `$` are commands, and the others are what they print. `…` stands
    for anything.
    """
    space: dict[str, object] = {"__name__": "page"}
    printed = ""
    blocks = BLOCK.findall((PAGES / name).read_text(encoding="utf-8"))
    for language, file, text in blocks:
        if file:
            (folder / file).write_text(text, encoding="utf-8")
        elif language == "python":
            with redirect_stdout(io.StringIO()) as out:
                exec(compile(text, name, "exec"), space)
            printed = out.getvalue()
        elif language == "console":
            for command, wanted in COMMAND.findall(text):
                assert_prints(wanted, run_command(command, folder), command)
        else:
            assert language in ("text", "diff"), f"{name}: a block of {language!r}"
            assert_prints(text, printed, name)
    return len(blocks)


def run_command(command: str, folder: Path) -> str:
    """What a command prints, on both streams."""
    for word, program in (("kolahal ", f"{sys.executable} -m kolahal "), ("python ", f"{sys.executable} ")):
        command = program + command.removeprefix(word) if command.startswith(word) else command
    done = subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True, timeout=300)
    return done.stdout + done.stderr


def assert_prints(wanted: str, printed: str, what: str) -> None:
    shown = "\n".join(line.rstrip() for line in printed.splitlines()).strip()
    pattern = ".*".join(re.escape(part) for part in wanted.strip().split("…"))
    assert re.fullmatch(pattern, shown, re.DOTALL), f"{what}\nprinted\n{printed}\nand not\n{wanted}"
