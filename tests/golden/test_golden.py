"""How things read. `make golden` rewrites the files beside this one; look at the difference before committing it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kolahal.cli import main
from kolahal.sketches.gallery import GALLERY

HERE = Path(__file__).parent
BROKEN = """
@sketch(adjacent=each_within(1))
def above_threshold(q: Private, T: float, eps: Epsilon):
    t = T + Lap(1/eps)
    for i in range(len(q)):
        if q[i] + Lap(4/eps) > t:
            return i + 1
    return 0
"""


def agrees(name: str, text: str) -> None:
    path = HERE / f"{name}.txt"
    if os.environ.get("KOLAHAL_GOLDEN") == "rewrite":
        path.write_text(text)
    assert text == path.read_text()


@pytest.mark.parametrize("name", GALLERY)
def test_show(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["show", name])
    agrees(f"show-{name}", capsys.readouterr().out)


def test_a_refutation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    Path("broken.py").write_text(BROKEN)
    assert main(["check", "broken.py"]) == 1
    agrees("check-refuted", capsys.readouterr().out)


def test_a_proof(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    Path("fine.py").write_text(BROKEN.replace("1/eps", "2/eps"))
    assert main(["check", "fine.py"]) == 0
    agrees("check-proved", capsys.readouterr().out)


def test_help(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--help"])
    agrees("help", capsys.readouterr().out)
