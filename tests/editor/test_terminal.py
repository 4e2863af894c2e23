"""`kolahal watch` in a process of its own, and findings as SARIF."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from tests.editor.texts import FAULTY, GREEDY, PRIVATE

from kolahal.cli import main

PATIENCE = 60.0


def test_watch_tells_faults_and_verdicts_whenever_a_file_changes(tmp_path: Path) -> None:
    file = tmp_path / "mechanisms.py"
    file.write_text(PRIVATE)
    command = [sys.executable, "-m", "kolahal", "watch", str(file)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    alarm = threading.Timer(PATIENCE, process.kill)
    alarm.start()
    try:

        def read_until(word: str) -> str:
            seen = ""
            for line in process.stdout or ():
                seen += line
                if word in line:
                    return seen
            raise AssertionError(f"{word!r} is not in {seen!r}")

        assert ":4: Proved, for its 1 answer" in read_until("Proved")
        file.write_text(FAULTY)
        assert f"{file}:6:" in read_until("error K102")
        file.unlink()
        read_until("error K001")
        file.write_text(PRIVATE)
        read_until("Proved")
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 130
    finally:
        alarm.cancel()
        process.kill()
        process.communicate()


# Of each object that we write: the properties that the schema of SARIF 2.1.0 has and we may use, the required ones first.
# The schema admits no others, and code hosts refuse a file that has any.
SARIF = {
    "log": ("version runs", "$schema"),
    "run": ("tool", "columnKind results"),
    "tool": ("driver", ""),
    "driver": ("name", "semanticVersion rules"),
    "rule": ("id", "shortDescription"),
    "shortDescription": ("text", ""),
    "result": ("message", "ruleId ruleIndex level locations partialFingerprints"),
    "message": ("text", ""),
    "location": ("physicalLocation", ""),
    "physicalLocation": ("artifactLocation", "region"),
    "artifactLocation": ("uri", "uriBaseId"),
    "region": ("startLine", "startColumn endColumn"),
}
SINGLE = {"runs": "run", "rules": "rule", "results": "result", "locations": "location"}  # what lists are of


def check_keys(kind: str, value: Any) -> None:
    """The properties of an object and of all that it has inside."""
    if isinstance(value, list):
        for item in value:
            check_keys(SINGLE[kind], item)
    elif isinstance(value, dict) and kind == "partialFingerprints":
        assert all(isinstance(text, str) for text in value.values())
    elif isinstance(value, dict):
        required, more = (set(names.split()) for names in SARIF[kind])
        assert required <= value.keys() <= required | more, (kind, value)
        for name, own in value.items():
            check_keys(name, own)
    else:
        whole = kind in ("ruleIndex", "startLine", "startColumn", "endColumn")
        assert isinstance(value, int if whole else str) and not isinstance(value, bool), (kind, value)


def check_form(document: dict[str, Any]) -> list[dict[str, Any]]:
    """What SARIF 2.1.0 asks of the parts that we write (sections 3.13, 3.14, 3.19, 3.27 to 3.30); gives the results."""
    check_keys("log", document)
    assert document["version"] == "2.1.0" and document["$schema"].startswith("https://")
    (run,) = document["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert run["tool"]["driver"]["name"] == "kolahal" and run["columnKind"] == "unicodeCodePoints"
    assert len({rule["id"] for rule in rules}) == len(rules) and all(rule["shortDescription"]["text"] for rule in rules)
    for result in run["results"]:
        assert result["level"] in ("error", "warning") and result["message"]["text"]
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        (location,) = result["locations"]
        physical = location["physicalLocation"]
        assert "\\" not in physical["artifactLocation"]["uri"] and " " not in physical["artifactLocation"]["uri"]
        region = physical.get("region", {"startLine": 1, "startColumn": 1, "endColumn": 2})
        assert region["startLine"] >= 1 and 1 <= region["startColumn"] < region["endColumn"]
    found: list[dict[str, Any]] = run["results"]
    return found


def test_check_prints_sarif(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    Path("some mechanisms.py").write_text(GREEDY)
    assert main(["check", "some mechanisms.py", "--sarif"]) == 1
    (result,) = check_form(json.loads(capsys.readouterr().out))
    physical = result["locations"][0]["physicalLocation"]
    assert physical["artifactLocation"] == {"uri": "some%20mechanisms.py", "uriBaseId": "%SRCROOT%"}
    assert physical["region"] == {"startLine": 5, "startColumn": 5, "endColumn": 11}
    assert result["ruleId"] == "refuted" and "d1 = [" in result["message"]["text"]
    Path("short.py").write_text(GREEDY.replace("def greedy", "def f"))
    assert main(["check", "short.py", "--sarif"]) == 1
    (result,) = check_form(json.loads(capsys.readouterr().out))
    assert result["locations"][0]["physicalLocation"]["region"] == {"startLine": 5, "startColumn": 5, "endColumn": 6}
    Path("fine.py").write_text(PRIVATE)
    assert main(["check", "fine.py", "--sarif"]) == 0
    assert check_form(json.loads(capsys.readouterr().out)) == []
    Path("faulty.py").write_text(FAULTY)
    assert main(["check", "faulty.py", "--sarif"]) == 2
    (result,) = check_form(json.loads(capsys.readouterr().out))
    assert result["ruleId"] == "K102" and result["locations"][0]["physicalLocation"]["region"]["startLine"] == 6
    assert main(["check", "nowhere.py", "--sarif"]) == 2
    (result,) = check_form(json.loads(capsys.readouterr().out))
    assert result["ruleId"] == "K001" and "region" not in result["locations"][0]["physicalLocation"]


def test_a_check_that_is_stopped_is_sarif_too(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "greedy.py"
    file.write_text(GREEDY)
    assert main(["check", str(file), "--sarif", "--limit", "0.001"]) == 3
    (result,) = check_form(json.loads(capfd.readouterr().out))
    assert result["ruleId"] == "unknown" and "limit" in result["message"]["text"]


def test_batch_writes_sarif(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in (("fine", PRIVATE), ("faulty", FAULTY)):
        Path(f"{name}.py").write_text(text)
    assert main(["batch", "--check", ".", "--sarif", "found.sarif"]) == 2
    (result,) = check_form(json.loads(Path("found.sarif").read_text()))
    assert result["ruleId"] == "K102"
    assert "[2 of 2]" in capsys.readouterr().err
