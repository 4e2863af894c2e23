"""Runs what the how-to pages show: Python blocks in order, in one namespace, and commands with their output."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

PAGES = Path(__file__).parents[1] / "docs" / "how-to"
BLOCK = re.compile(r"^```(\w*)[ ]?([\w./]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run_page(name: str, folder: Path) -> int:
    """Run all blocks of a page inside `folder`; gives how many there were.

    A block with a file's name behind its language is that file. Lines of a console block that begin with `$` are
    commands, and the others are what they print, where `…` stands for anything.
    """
    space: dict[str, object] = {"__name__": "page"}
    blocks = BLOCK.findall((PAGES / name).read_text(encoding="utf-8"))
    for language, file, text in blocks:
        if file:
            (folder / file).write_text(text, encoding="utf-8")
        elif language == "python":
            exec(compile(text, name, "exec"), space)
        elif language == "console":
            run_commands(text, folder)
        else:
            assert language in ("text", "diff"), f"{name}: a block of {language!r}"
    return len(blocks)


def run_commands(text: str, folder: Path) -> None:
    for command, wanted in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", text, re.MULTILINE):
        program = command.replace("kolahal ", f"{sys.executable} -m kolahal ", 1) if command.startswith("kolahal ") else command
        program = program.replace("python ", f"{sys.executable} ", 1) if program.startswith("python ") else program
        done = subprocess.run(program, shell=True, cwd=folder, capture_output=True, text=True, timeout=300)
        printed = "\n".join(line.rstrip() for line in (done.stdout + done.stderr).splitlines())
        pattern = ".*".join(re.escape(part) for part in wanted.strip().split("…"))
        assert re.fullmatch(pattern, printed.strip(), re.DOTALL), f"{command}\nprinted\n{printed}\nand not\n{wanted}"
