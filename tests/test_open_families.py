"""Synthesis with `Noise(hole)`: the family is found, shown, proved, and written into the program."""

import json
from pathlib import Path

import pytest

from kolahal.cli import main
from kolahal.editor.findings import look
from kolahal.editor.judging import judge
from kolahal.errors import UsageError
from kolahal.lang.families import close_families
from kolahal.lang.read.parse import parse
from kolahal.lang.sketch import Sketch
from kolahal.law.law import find_laws
from kolahal.pictures.result import picture_synthesis
from kolahal.results import Synthesis
from kolahal.roads.methods import synthesize
from kolahal.settings import ProofSettings
from kolahal.verdicts import Proved, Unknown

ABOVE = """from kolahal import Epsilon, Noise, Private, each_within, hole, sketch


@sketch(adjacent=each_within(1))
def above(q: Private, T: float, eps: Epsilon):
    t = T + Noise(hole)
    for i in range(len(q)):
        if q[i] + Noise(hole) >= t:
            return i
    return None
"""


@pytest.fixture(scope="module")
def found() -> Synthesis:
    return synthesize(parse(ABOVE))


def read(body: str, header: str = "q: Private[1], eps: Epsilon", relation: str = "each_within(1)") -> Sketch:
    return parse(f"from kolahal import *\n@sketch(adjacent={relation})\ndef f({header}):\n    {body}\n")


def shown(result: Synthesis) -> dict[tuple[str | None, ...], str]:
    return {tuple(str(s) if s else None for s in j.ranked.completion): type(j.verdict).__name__ for j in result.judged}


def test_one_sided_noise_is_proved_at_the_scales_of_laplace_noise(found: Synthesis) -> None:
    """The same law for all four choices."""
    verdicts = shown(found)
    for families in (("Lap", "Lap"), ("Exp", "Exp"), ("Lap", "Exp"), ("Exp", "Lap")):
        assert verdicts[f"{families[0]}(2/eps)", f"{families[1]}(4/eps)"] == "Proved"
    assert found.law is not None and found.law.text == "1/eta1 + 2/eta2 <= eps"


def test_noisy_max_errs_less_with_one_sided_noise() -> None:
    """Which is permute-and-flip, and never worse than the exponential mechanism (McKenna and Sheldon 2020)."""
    body = "best, top = 0, None\n    for i, x in enumerate(q):\n        v = x + Noise(hole)\n        if top is None or v > top:\n            best, top = i, v\n    return best"
    found = synthesize(read(body, "q: Private, eps: Epsilon"))
    assert list(shown(found).items()) == [(("Exp(2/eps)",), "Proved"), (("Lap(2/eps)",), "Proved")]
    assert found.judged[0].ranked.score.error < found.judged[1].ranked.score.error


def test_a_result_can_be_shown_called_and_pictured(found: Synthesis) -> None:
    assert found.best is not None and "Noise" not in str(found.mechanism)
    assert found.mechanism([5, 0], 2, 1000) == 0
    pictures = picture_synthesis(found)
    assert len(pictures["costs"]) == len(found.judged) and {"loss", "error"} <= set(pictures["figures"])
    assert found.table()[0]["eta2"].startswith(("Lap(", "Exp("))


def test_the_program_with_its_families_goes_through_every_door(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "above.py"
    file.write_text(ABOVE)
    assert main(["synth", str(file), "--json", "--out", str(tmp_path / "out")]) == 0
    document = json.loads(capsys.readouterr().out)
    scales = document["candidates"][0]["scales"]
    assert all(scale.partition("(")[0] in ("Lap", "Exp") for scale in scales)
    assert f"T + {scales[0]}" in document["mechanism"] and "Noise(hole)" in document["program"]
    for name in ("report.html", "above_private.py"):
        text = (tmp_path / "out" / name).read_text()
        assert scales[0].removesuffix("eps)") in text and (name == "report.html" or "Noise(hole" not in text)
    assert main(["verify", str(tmp_path / "out" / "certificate.json")]) == 0
    capsys.readouterr()
    assert main(["synth", str(file), "--patch"]) == 0
    patch = capsys.readouterr().out
    filled = "\n".join(line[1:] for line in patch.split("\n")[3:] if not line.startswith("-"))
    assert "import Epsilon, Exp, Lap, Private" in filled and "Noise" not in filled
    file.write_text(filled)
    assert main(["check", str(file)]) == 0


@pytest.mark.parametrize("command", ["check", "test", "emit"])
def test_commands_for_complete_mechanisms_refuse_an_open_family(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "above.py").write_text(ABOVE)
    assert main([command, str(tmp_path / "above.py")]) == 2 and "holes" in capsys.readouterr().err


@pytest.mark.parametrize("method", ["exact", "paper", "naive"])
def test_methods_that_know_one_family_say_so(method: str) -> None:
    with pytest.raises(UsageError, match="leaves the family of its noise open"):
        synthesize(parse(ABOVE), method=method)


@pytest.mark.parametrize(
    ("body", "header"),
    [
        ("return q[0] + Noise(hole)", "q: Private[1], eps: Epsilon"),
        ("return q[0] - Noise(hole)", "q: Private[1], eps: Epsilon"),
        ("v = q[0] + Noise(hole)\n    return v > T", "q: Private[1], T: float, eps: Epsilon"),
        ("return abs(q[0] + Noise(hole)) > T", "q: Private[1], T: float, eps: Epsilon"),
        ("v = q[0] + Noise(hole)\n    if v > T:\n        return v\n    return None", "q: Private[1], T: float, eps: Epsilon"),
        ("return [x + Noise(hole) for x in q]", "q: Private, eps: Epsilon"),
        ("return q[0] + Noise(hole) > 3", "q: Private[int, 1], eps: Epsilon"),
    ],
)  # fmt: skip
def test_one_sided_noise_is_not_offered_where_a_shift_would_leave_its_support(body: str, header: str) -> None:
    """The neighbour's answer may be larger, and noise that is never below 0 cannot be moved down to hide that."""
    verdicts = shown(synthesize(read(body, header)))
    assert "Proved" in verdicts.values() and not any("Exp" in str(scales) for scales in verdicts)


def test_the_difference_of_two_one_sided_draws_is_laplace_noise() -> None:
    assert shown(synthesize(read("return q[0] + Noise(hole) - Noise(hole)")))["Exp(1/eps)", "Exp(1/eps)"] == "Proved"


def test_the_side_of_one_sided_noise_matters() -> None:
    """For the least answer, noise that is added has to grow with their number; noise that is taken away does not."""
    argmin = "best, low = 0, None\n    for i, x in enumerate(q):\n        v = x {} Noise(hole)\n        if low is None or v < low:\n            best, low = i, v\n    return best"
    laws = []
    for sign in "+-":
        one_sided = close_families(read(argmin.format(sign), "q: Private, eps: Epsilon"))[1]
        found = find_laws(one_sided, ProofSettings())
        assert not isinstance(found, Unknown)
        laws.append(found.law(one_sided).text)
    assert "len(q)" in laws[0] and laws[1] == "2/eta1 <= eps"


def test_a_whole_count_of_records_gets_whole_noise() -> None:
    found = synthesize(read("return sum(1 for r in rows if r > 5) + Noise(hole)", "rows: Records[Between(0, 9)], eps: Epsilon", "add_remove(1)"))
    assert list(shown(found)) == [("DiscreteLap(1/eps)",), ("Lap(1/eps)",)]
    assert found.best is not None and isinstance(found.best.verdict, Proved)


@pytest.mark.parametrize(
    ("budget", "best"),
    [("rho: Rho", "Gauss(sqrt(len(q)/(2*rho)))"), ("mu: Mu", "Gauss(sqrt(len(q))/mu)")],
)
def test_gaussian_noise_where_the_budget_allows_it(budget: str, best: str) -> None:
    verdicts = shown(synthesize(read("return [x + Noise(hole) for x in q]", f"q: Private, {budget}")))
    assert next(iter(verdicts)) == (best,) and verdicts[best,] == "Proved"


def test_editors_offer_a_family() -> None:
    judgement = judge(ABOVE, "above.py", "above")
    assert judgement.completion is not None and all(scale.family for scale in judgement.completion)
    assert isinstance(judgement.verdict, Proved)
    (opened,) = look(ABOVE, "above.py", {}).open
    found = look(ABOVE, "above.py", {opened.key: judgement})
    assert any(hint.text.startswith(("Lap(", "Exp(")) for hint in found.hints)
    (fix,) = [fix for fix in found.fixes if fix.title.startswith("Fill in")]
    assert {edit.text for edit in fix.edits} >= {str(scale.plain) for scale in judgement.completion}


def test_a_plain_program_gets_families_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "plain.py"
    file.write_text("def first(q, T):\n    for i in range(len(q)):\n        if q[i] > T:\n            return i\n    return -1\n")
    assert main(["synth", "--auto", "--noise", "Noise", str(file), "--patch"]) == 0
    patch = capsys.readouterr().out
    assert "+from kolahal import Epsilon, Exp, Lap, Private, each_within, sketch" in patch and "Noise" not in patch
