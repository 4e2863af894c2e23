"""The user's own file with its holes filled, and the patch that does it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import examples
from kolahal.emission.own_text import own_text
from kolahal.errors import UsageError
from kolahal.lang.patch import diff, fill_source, make_patch, without_idle
from kolahal.lang.read.parse import parse, parse_source
from kolahal.lang.scale import parse_scale
from kolahal.lang.sketch import Completion, Sketch
from kolahal.lang.source import Source, read_source
from kolahal.sketches.gallery import FOLDER, GALLERY, load_one
from strategies import completions, sketches

HEAD = """\
from kolahal import Lap as Noise, hole, sketch, each_within, Private, Epsilon
import kolahal

# Not ours: x + Lap(hole)
OTHER = "Lap(hole)"


@sketch(adjacent=each_within(1))
def program(q: Private, T: float, eps: Epsilon):
"""


def scales(*texts: str | None) -> Completion:
    return tuple(map(parse_scale, texts))


def filled(body: str, *texts: str | None) -> str:
    """The body of a program with scales in its holes."""
    text = HEAD + "".join(f"    {line}\n" for line in body.split("\n"))
    sketch = parse(text)
    new = fill_source(Source("<text>", text), sketch, scales(*texts))
    assert new.startswith(HEAD)
    again = parse(new)
    assert without_idle(again.body) == without_idle(sketch.complete(*texts).filled().body)
    return "\n".join(line.removeprefix("    ") for line in new.removeprefix(HEAD).rstrip("\n").split("\n"))


@pytest.mark.parametrize(
    ("body", "texts", "wanted"),
    [
        ("return T + Noise(hole)  # why", ["2/eps"], "return T + Noise(2/eps)  # why"),
        ("return T + Noise(hole)  # why", [None], "return T  # why"),
        ("x = T\nx = x + Noise(hole)\nreturn x", [None], "x = T\nreturn x"),
        ("x = T\nif x > 0:\n    x = x - Noise(hole)\nreturn x", [None], "x = T\nif x > 0:\n    pass\nreturn x"),
        ("return T+Noise( hole )", ["4*len(q)/eps**2"], "return T+Noise( 4*len(q)/eps**2 )"),
        ("return T+Noise( hole )", [None], "return T"),
        ("return kolahal.Lap(hole) + T", [None], "return T"),
        ("return kolahal.Lap(hole) - T", [None], "return 0 - T"),
        ("return -Noise(hole)", [None], "return 0"),
        ("return (T) - (Noise(hole))", [None], "return (T)"),
        ("return ((Noise(hole))) + T", [None], "return T"),
        ("return 2 * (Noise(hole) + Noise(hole))", [None, None], "return 2 * (0)"),
        ("return T + Noise(hole) + Noise(hole)", ["1/eps", None], "return T + Noise(1/eps)"),
        ("return T + Noise(hole) + Noise(hole)", [None, "1/eps"], "return T + Noise(1/eps)"),
        ("return [x  +  Noise(hole) for x in q]", [None], "return [x for x in q]"),
        ("return max(Noise(hole), T + -Noise(hole))", [None, None], "return max(0, T)"),
        ("return (T  # one\n        + Noise(hole)  # two\n        )", [None], "return (T  # one\n        # two\n        )"),
        ("return (T +  # one\n        Noise(hole)\n        )", [None], "return (T  # one\n        )"),
        ("return (\n    T\n    + Noise(hole)\n)", [None], "return (\n    T\n)"),
        ("ü = T; é = ü + Noise(hole); return é", [None], "ü = T; é = ü; return é"),
        ("x = T\nx += Noise(hole)\nreturn x", [None], "x = T\nreturn x"),
        ("x = T\nx -= Noise(hole)  # two\nreturn x", [None], "x = T\npass  # two\nreturn x"),
        ("x = T\nif T > 0:\n    x += Noise(hole)\nreturn x", [None], "x = T\nif T > 0:\n    pass\nreturn x"),
        ("x = T\nx += Noise(hole)\nreturn x", ["1/eps"], "x = T\nx += Noise(1/eps)\nreturn x"),
        ("x = T\nx *= Noise(hole)\nreturn x", [None], "x = T\nx *= 0\nreturn x"),
        ("return T + \\\n    Noise(hole)", ["1/eps"], "return T + \\\n    Noise(1/eps)"),
    ],
)  # fmt: skip
def test_only_what_the_holes_ask_for_changes(body: str, texts: list[str | None], wanted: str) -> None:
    assert filled(body, *texts) == wanted


@examples(40, quick=20)
@given(st.data())
def test_a_filled_file_parses_to_the_completed_mechanism(data: st.DataObject) -> None:
    sketch = data.draw(sketches())
    texts = data.draw(completions(len(sketch.holes)))
    lines = str(sketch).split("\n")
    text = "\n".join(line + f"  # {i} Lap(hole)" if i > 1 and line else line for i, line in enumerate(lines))
    new = fill_source(Source("<text>", text), parse(text), scales(*texts))
    assert without_idle(parse(new).body) == without_idle(sketch.complete(*texts).filled().body)
    before = [line.split("#")[0] for line in text.split("\n")]
    after = [line.split("#")[0] for line in new.split("\n")]
    unchanged = {line for line in before if "hole" not in line}
    assert unchanged <= set(after)
    assert [line.partition("#")[2] for line in text.split("\n")] == [line.partition("#")[2] for line in new.split("\n")]


def apply(patch: str, folder: Path, tool: str) -> None:
    command = {"patch": ["patch", "-p1", "--binary"], "git": ["git", "apply", "--whitespace=nowarn", "-"]}[tool]
    done = subprocess.run(command, input=patch.encode(), cwd=folder, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()


@pytest.mark.parametrize("tool", ["patch", "git"])
@pytest.mark.parametrize("name", GALLERY)
def test_a_patch_fills_the_gallerys_own_files(
    name: str, tool: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub folder").mkdir()
    target = tmp_path / "sub folder" / f"{name}.py"
    target.write_bytes((FOLDER / f"{name}.py").read_bytes())
    sketch = load_one(str(target))
    completion = scales(*GALLERY[name].textbook[0])
    apply(make_patch(target.read_text(), sketch, completion), tmp_path, tool)
    (again,) = parse_source(read_source(target))
    assert again == sketch.complete(*completion).filled()


@pytest.mark.parametrize("tool", ["patch", "git"])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{}", "{}"),
        ("\ufeff{}", "\ufeff{}"),
        ("{}return T", "{}return T"),  # no end of the last line
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_line_ends_and_marks_stay(
    before: str, after: str, newline: str, tool: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    body = "@sketch(adjacent=each_within(1))\ndef f(q: Private, T: float, eps: Epsilon):\n    ü = T + Lap(hole)\n    return ü - Lap(hole)"
    tail = "" if "return" in before else "\n"
    text = (before.replace("return T", "").format(body) + tail).replace("\n", newline)
    path = tmp_path / "f.py"
    path.write_bytes(text.encode())
    sketch = load_one(str(path))
    apply(make_patch(text, sketch, scales("1/eps", None)), tmp_path, tool)
    wanted = text.replace("Lap(hole)", "Lap(1/eps)", 1).replace(" - Lap(hole)", "")
    assert path.read_bytes() == wanted.encode()


def test_a_name_with_odd_characters_is_quoted_as_git_does() -> None:
    assert diff("a\n", "b\n", "x y.py").startswith("--- a/x y.py\t\n+++ b/x y.py\t\n")
    assert diff("a\n", "b\n", 'x"y.py').startswith('--- "a/x\\"y.py"\n')
    assert diff("a\n", "a\n", "x.py") == ""
    assert "No newline at end of file" in diff("a", "b", "x.py")


def test_a_file_outside_goes_by_its_name(tmp_path: Path) -> None:
    assert diff("a\n", "b\n", str(tmp_path / "far.py")).startswith("--- a/far.py\n")


def test_a_file_that_changed_is_refused() -> None:
    text = HEAD + "    return T + Noise(hole)\n"
    sketch: Sketch = parse(text)
    with pytest.raises(UsageError, match="changed"):
        make_patch("\n" + text, sketch, scales("1/eps"))
    with pytest.raises(UsageError, match="no sketch"):
        make_patch("x = 1\n", sketch, scales("1/eps"))
    with pytest.raises(UsageError, match="each hole: 1"):
        make_patch(text, sketch, scales())


def test_what_is_declared_of_the_private_answers_is_kept(tmp_path: Path) -> None:
    text = HEAD_OF_DECLARED + "    # two of three\n    return q[0] + k.Lap(k.hole), q[1] + k.Lap(k.hole)\n"
    (sketch,) = parse_source(Source("f.py", text))
    mechanism = sketch.complete("1/eps", None)
    (again,) = parse_source(Source("f.py", fill_source(Source("f.py", text), sketch, mechanism.completion)))
    assert again == mechanism.filled()
    own = own_text(mechanism, "g")
    assert own is not None and "def g(q: Private[int, 3], eps: Epsilon):" in own and "# two of three" in own
    assert make_patch(text, sketch, mechanism.completion).count("\n+") == 2


HEAD_OF_DECLARED = "import kolahal as k\n\n@k.sketch(k.one_within(1))\ndef f(q: k.Private[int, 3], eps: k.Epsilon):\n"


def test_the_scale_of_a_chosen_place_is_filled_where_it_stands() -> None:
    assert filled("return choose(q, hole)", "2/eps") == "return choose(q, 2/eps)"
    assert filled("b = T > 0\nreturn b != Flip(hole)", None) == "b = T > 0\nreturn b != False"
