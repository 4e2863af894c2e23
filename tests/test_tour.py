"""The README, executed: its program, its commands, and what it says that they print."""

from __future__ import annotations

import io
import re
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from kolahal.cli import cli, main

README = (Path(__file__).parent.parent / "README.md").read_text()


def blocks(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", README, flags=re.S)


def without_seconds(text: str) -> str:
    return re.sub(r"(init|opti|enum|verify|total) \d+\.\d", r"\1 …", text).rstrip()


def test_the_program_prints_what_the_readme_says(tmp_path: Path) -> None:
    (program,) = blocks("python")
    path = tmp_path / "tour.py"
    path.write_text(program)
    out = io.StringIO()
    with redirect_stdout(out):
        exec(compile(program, str(path), "exec"), {"__name__": "tour"})
    assert out.getvalue().rstrip() == blocks("text")[0].rstrip()


def test_the_command_prints_what_the_readme_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (session,) = blocks("console")
    command, _, expected = session.partition("\n")
    (program,) = blocks("python")
    lines = program.partition("result = ")[0].replace(", synthesize", "")
    (tmp_path / "above_threshold.py").write_text(lines)
    monkeypatch.chdir(tmp_path)
    assert main(command.removeprefix("$ kolahal ").split()) == 0
    assert without_seconds(capsys.readouterr().out) == without_seconds(expected)


def test_every_command_is_in_the_readme() -> None:
    assert set(re.findall(r"^kolahal (\w+) +[A-Za-z.]+ ", README, flags=re.M)) == set(cli.commands)
