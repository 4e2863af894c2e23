"""What `--out` writes: a page, a result that draws it again, and what stands behind the verdict."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from kolahal.cli import main

PROGRAM = """
@sketch(adjacent=one_within(1))
def total(q: Private, eps: Epsilon):
    s = 0
    for x in q:
        s = s + x
    return s + Lap({scale}/eps)
"""


def files(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "result"


def check(tmp_path: Path, folder: Path, scale: str, *more: str) -> int:
    path = tmp_path / "total.py"
    path.write_text(PROGRAM.format(scale=scale))
    return main(["check", str(path), "--out", str(folder), *more])


def test_a_proof_is_written_and_can_be_checked_again(tmp_path: Path, folder: Path, capsys) -> None:
    assert check(tmp_path, folder, "1") == 0
    assert "Why: give the neighbour's run the same noise" in capsys.readouterr().out
    assert files(folder) == {"result.json", "report.html", "certificate.json"}
    assert main(["verify", str(folder / "certificate.json")]) == 0
    assert main(["verify", str(folder / "result.json")]) == 0
    assert "kolahal verify certificate.json" in (folder / "report.html").read_text()


def test_a_refutation_is_written_as_a_program_that_shows_it(tmp_path: Path, folder: Path, capsys) -> None:
    assert check(tmp_path, folder, "1/2*1", "--json") == 1
    assert json.loads(capsys.readouterr().out) == json.loads((folder / "result.json").read_text())
    assert files(folder) == {"result.json", "report.html", "counterexample.py"}
    shown = subprocess.run([sys.executable, folder / "counterexample.py"], capture_output=True, text=True, timeout=60)
    assert shown.returncode == 0 and "privacy allows at most" in shown.stdout
    assert main(["verify", str(folder / "result.json")]) == 0


def test_the_page_comes_from_the_result_alone(tmp_path: Path, folder: Path, monkeypatch) -> None:
    check(tmp_path, folder, "1")
    page = (folder / "report.html").read_text()
    (folder / "report.html").unlink()
    for name in ("kolahal.pictures.result.picture_check", "kolahal.checking.check"):  # nothing is computed
        monkeypatch.setattr(name, None)
    assert main(["report", str(folder / "result.json")]) == 0
    assert (folder / "report.html").read_text() == page


def test_a_check_without_a_folder_writes_and_draws_nothing(tmp_path: Path, monkeypatch, capsys) -> None:
    path = tmp_path / "total.py"
    path.write_text(PROGRAM.format(scale="1"))
    monkeypatch.setattr("kolahal.pictures.result.picture_check", None)
    assert main(["check", str(path), "--json"]) == 0
    assert files(tmp_path) == {"total.py"} and "figures" not in json.loads(capsys.readouterr().out)


def test_junk_is_refused_by_name(tmp_path: Path, capsys) -> None:
    good = {"verdict": "refuted", "epsilon_lower": 2.0, "counterexample": None}
    for junk in ({**good, "pairs": [{"events": []}]}, {**good, "figures": {"loss": 3}}, {**good, "program": 7}):
        (tmp_path / "result.json").write_text(json.dumps(junk))
        assert main(["report", str(tmp_path / "result.json")]) == 2
        assert "not a result of kolahal" in capsys.readouterr().err
