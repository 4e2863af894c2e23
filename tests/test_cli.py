"""The command line as a user meets it: what it prints, where, and its exit codes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from kolahal.cli import main
from kolahal.sketches.gallery import GALLERY


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    code = main(list(argv))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.mark.parametrize("name", GALLERY)
def test_show_prints_every_sketch_of_the_gallery_as_it_was_understood(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, "show", name)
    assert (code, err) == (0, "")
    assert f"def {name}(" in out and "neighbours:" in out and "holes:" in out


def test_show_prints_all_sketches_of_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = "@sketch(adjacent=one_within(1))\ndef {}(q: Private, eps: Epsilon):\n    return q[0] + Lap(hole)\n"
    path = tmp_path / "two.py"
    path.write_text(one.format("first") + "\n\n" + one.format("second"))
    assert run(capsys, "show", str(path))[1].count("def ") == 2
    assert run(capsys, "show", f"{path}:second")[1].count("def ") == 1
    code, _, err = run(capsys, "synth", str(path))
    assert code == 2 and "first" in err and "second" in err


def test_a_faulty_function_does_not_refuse_the_others(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = "@sketch(adjacent=one_within(1))\ndef {}(q: Private, eps: Epsilon):\n    return {}\n\n\n"
    huge = "[" + "1," * 30_000 + "]"  # a fault that ends the reading of its function
    path = tmp_path / "some.py"
    path.write_text(one.format("bad", "round(q)") + one.format("huge", huge) + one.format("good", "q[0] + Lap(1/eps)"))
    code, out, err = run(capsys, "show", f"{path}:good")
    assert (code, err) == (0, "") and "def good(" in out
    code, _, err = run(capsys, "show", f"{path}:bad")
    assert code == 2 and err.count("error K") == 1 and "error K102" in err
    code, _, err = run(capsys, "show", f"{path}:none")
    assert code == 2 and "K008" in err and "bad, huge, good" in err
    code, _, err = run(capsys, "show", str(path))
    assert code == 2 and err.count("error K") == 2 and "K102" in err and "K010" in err
    path.write_text(path.read_text() + "def broken(:\n")
    code, _, err = run(capsys, "show", f"{path}:good")
    assert code == 2 and "K005" in err, "what is wrong with the whole file concerns each function"


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["show", "no_such_sketch"], "gallery"),
        (["show", "no/such/file.py"], "K001"),
        (["synth"], "Missing argument"),
        (["synth", "sum", "--method", "magic"], "magic"),
        (["synth", "sum", "--coefficients", "1,x"], "1,2,3,4"),
        (["synth", "sum", "--also", "2/(x+1)"], "scale"),
        (["synth", "sum", "--also", "T/eps"], "T"),
        (["test", "sum"], "holes"),
        (["nonsense"], "nonsense"),
        (["report", "no/such/result.json"], "result"),
    ],
)
def test_mistakes_end_with_code_2_and_a_message_on_standard_error(
    argv: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, *argv)
    assert code == 2 and out == "" and words in err
    assert "Traceback" not in err


def test_a_mechanism_without_holes_is_not_synthesized(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "done.py"
    path.write_text(
        "@sketch(adjacent=one_within(1))\ndef done(q: Private, eps: Epsilon):\n    return q[0] + Lap(1/eps)\n"
    )
    code, _, err = run(capsys, "synth", str(path))
    assert code == 2 and "no holes" in err


def test_synth_prints_the_documented_json(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "synth", "noisy_max_1", "--json", "--workers", "1", "--method", "exact")
    document = json.loads(out)
    assert err == ""
    assert document["sketch"] == "noisy_max_1" and document["holes"] == ["eta1"]
    assert document["seed"] == 0 and re.fullmatch(r"\d+\.\d+\.\d+", document["version"])
    assert set(document["seconds"]) == {"init", "opti", "enum", "verify", "total"}
    first = document["candidates"][0]
    assert first["rank"] == 1 and first["scales"] == ["2/eps"]
    assert {"verdict", "scope", "log_loss", "epsilon", "p_value", "error"} <= set(first)
    assert code == {"proved": 0, "unknown": 3}[first["verdict"]]
    assert document["examples"]["kept"] and document["regions"][0]["members"]


def test_synth_writes_whole_files_and_the_report_comes_from_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "folder"
    run(capsys, "synth", "histogram", "--workers", "1", "--out", str(out))
    assert json.loads((out / "result.json").read_text())["sketch"] == "histogram"
    private = (out / "histogram_private.py").read_text()
    assert "Lap(1/eps)" in private
    assert {path.name for path in out.iterdir()} == {
        "result.json", "report.html", "certificate.json", "histogram_private.py"
    }  # fmt: skip
    code, printed, _ = run(capsys, "report", str(out / "result.json"))
    page = (out / "report.html").read_text()
    assert code == 0 and printed.strip().endswith("report.html")
    assert (
        "histogram" in page and "http://" not in page.replace("http://www.w3.org/2000/svg", "") and len(page) < 300_000
    )


def test_a_file_that_is_no_result_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for text in ("", "[]", "{}", "null", '{"candidates": 3}', "[" * 100_000):
        path = tmp_path / "result.json"
        path.write_text(text)
        code, _, err = run(capsys, "report", str(path))
        assert code == 2 and "result" in err and not (tmp_path / "report.html").exists()


def test_names_and_texts_of_a_stranger_are_escaped_in_the_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hostile = "</script><script>alert(1)</script>"
    document = {
        "sketch": hostile,
        "holes": ["eta1"],
        "program": f'"""{hostile}"""\nx + Lap(hole)',
        "candidates": [],
        "law": hostile,
    }
    path = tmp_path / "result.json"
    path.write_text(json.dumps(document))
    assert run(capsys, "report", str(path))[0] == 0
    assert "<script>alert" not in (tmp_path / "report.html").read_text()


def test_check_and_test_take_the_number_of_answers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The sum of two answers with noise for two is private, and with more of them it is not."""
    path = tmp_path / "few.py"
    body = "    s = 0\n    for x in q:\n        s = s + x\n    return s + Lap(2/eps)\n"
    path.write_text(f"@sketch(adjacent=each_within(1))\ndef few(q: Private, eps: Epsilon):\n{body}")
    asked = [run(capsys, "check", str(path), "--workers", "1", *more)[0] for more in ((), ("--queries", "2"), ("--queries", "3"))]
    assert asked == [1, 0, 1]
    tested = [run(capsys, "test", str(path), "--profile", "quick", "--workers", "1", "--queries", n)[0] for n in ("2", "5")]
    assert tested == [3, 1]
    fixed = tmp_path / "fixed.py"
    fixed.write_text(path.read_text().replace("Private", "Private[2]"))
    code, _, err = run(capsys, "check", str(fixed), "--queries", "3")
    assert code == 2 and "2 private answers" in err
