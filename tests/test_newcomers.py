"""What someone sees who tries it for the first time: words, folds, completions, remedies."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner

from kolahal import check, synthesize
from kolahal.cli import cli, main
from kolahal.cli.ends import MISTAKE
from kolahal.lang.read.others import find_remedy
from kolahal.lang.read.parse import parse
from kolahal.report.text import render_synthesis, table
from kolahal.settings import Settings, with_changes
from kolahal.sketches.gallery import NAMES, load_one

FIRST = "@sketch(adjacent=one_within(1))\ndef first(q: Private[2], eps: Epsilon):\n    return q[0] + Lap({})\n"


def test_no_sentence_of_the_help_is_cut() -> None:
    runner = CliRunner()
    text = "".join(runner.invoke(cli, [*words, "--help"]).output for words in ([], *([name] for name in cli.commands)))
    assert "..." not in text.replace("[ARGS]...", "").replace("TARGET...", "").replace("[OPTIONS]...", "")


def test_the_shell_completes_names_of_the_gallery_and_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def completed(*words: str) -> list[tuple[str, str]]:
        *before, last = words
        shell = ShellComplete(cli, {}, "kolahal", "_KOLAHAL_COMPLETE")
        return [(item.type, item.value) for item in shell.get_completions(before, last)]

    assert completed("synth", "above") == [("plain", name) for name in NAMES if name.startswith("above")] != []
    assert len(completed("show", "")) == len(NAMES)
    (tmp_path / "above_threshold.py").touch()
    monkeypatch.chdir(tmp_path)
    assert completed("check", "above")[:2] == [("plain", "above_threshold.py"), ("plain", "above_threshold_1")]
    assert ("plain", "above_threshold.py") in completed("check", "")
    assert completed("check", "src/") == [("file", "src/")]
    assert completed("batch", "svt", "mech") == [("file", "mech")]


def test_a_table_folds_where_there_is_no_room() -> None:
    rows = [["1", "a long verdict, which is proved"], ["2", ""]]
    assert table(["rank", "verdict"], rows, 80) == table(["rank", "verdict"], rows)
    folded = table(["rank", "verdict"], rows, 30)
    assert folded == "rank: 1\nverdict: a long verdict, which is proved\n\nrank: 2"
    found = synthesize(parse(FIRST.format("hole")))
    narrow = render_synthesis(found, {}, 40)
    assert "verdict: proved, its 2 answers" in narrow and "----" not in narrow


@pytest.mark.parametrize("value", ["nan", "inf", "0", "-1", "1e9", "x"])
def test_a_limit_is_a_number_that_a_clock_can_count(value: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "sum", "--limit", value]) == MISTAKE
    assert "--limit" in capsys.readouterr().err


def test_a_misspelt_command_is_told_what_may_be_meant(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["chek", "sum"]) == MISTAKE and "Did you mean 'check'?" in capsys.readouterr().err
    assert main(["frobnicate"]) == MISTAKE and "There are batch, check," in capsys.readouterr().err


def test_the_seconds_add_up_and_have_words() -> None:
    found = synthesize(parse(FIRST.format("hole")))
    text = render_synthesis(found, {"init": 0.1, "opti": 0.2, "enum": 0.3, "verify": 0.4, "total": 1.5})
    assert "preparing 0.1, finding the law 0.2, ranking 0.3, proving 0.4, the rest 0.5, total 1.5" in text


def test_another_way_of_a_law_says_where_no_noise_is() -> None:
    found = synthesize(load_one("above_threshold_1"))
    text = render_synthesis(found, {})
    assert "law: 1/eta1 + 2/eta2 <= eps\n  or, without noise at eta1: len(q)/eta2 <= eps\n" in text


def test_a_second_opinion_is_given_when_it_is_asked_for() -> None:
    sketch = parse(FIRST.format("hole"))
    assert synthesize(sketch).judged[0].trial is None
    asked = synthesize(sketch, with_changes(Settings(), "ranking", second_opinion=True))
    assert asked.judged[0].trial is not None and asked.judged[0].trial.p_value > 1e-6


def test_what_was_written_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = tmp_path / "first.py"
    program.write_text(FIRST.format("1/eps"))
    assert main(["check", str(program), "--out", str(tmp_path / "out")]) == 0
    told = capsys.readouterr().err
    assert "report.html: the page to read" in told and "certificate.json: the proof" in told
    for line in told.strip().split("\n")[1:]:
        assert (tmp_path / "out" / line.split(":")[0].strip()).is_file(), line


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("Gauss", "Gauss(hole)"), ("np.random.normal", "Gauss(hole)"), ("np.random.laplace", "Lap(scale)"), ("dp.m.make_laplace", "Lap(scale)"),
        ("Laplace", "Lap(scale)"), ("geometric", "DiscreteLap(scale)"), ("np.sum", "sum(…)"), ("numpy.max", "max(…)"), ("np.clip", "max(low, min(x, high))"),
        ("statistics.mean", "sum(q) / len(q)"), ("random.random", "Lap(hole)"),
    ],
)  # fmt: skip
def test_names_of_other_libraries_get_ours(name: str, word: str) -> None:
    assert word in find_remedy(name)


def test_notebooks_show_programs_and_no_trees() -> None:
    mechanism = parse(FIRST.format("hole")).complete("1/eps")
    found = check(mechanism)
    assert mechanism._repr_html_().startswith("<pre>@sketch(") and "Lap(1/eps)" in mechanism._repr_html_()
    assert repr(mechanism) == "<first: 1/eps>" and repr(mechanism.sketch) == "<first: 1 hole, one_within(1)>"
    assert repr(mechanism.completion) == "(<1/eps>,)"
    assert repr(found) == "<first, claimed eps: Proved, for its 2 answers>"
    assert repr(synthesize(mechanism.sketch)) == "<first: (1/ε)  Proved, for its 2 answers>"
    best = synthesize(mechanism.sketch).best
    assert best is not None and best._repr_html_() == "<p><b>(1/ε)</b> Proved, for its 2 answers</p>"
    for shown in (found, found.verdict, best, mechanism):
        assert "(assert" not in repr(shown) and "Binary(" not in repr(shown)
