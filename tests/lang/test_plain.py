"""From a program without noise to a sketch: places, types, words, and that nothing else changes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import examples
from kolahal.cli import main
from kolahal.errors import UsageError
from kolahal.lang.ir import Const, Draw, Node, rebuild
from kolahal.lang.patch import without_idle
from kolahal.lang.plain.convert import patch_plain, read_plain, sketch_of
from kolahal.lang.read.parse import parse
from kolahal.lang.sketch import Role, Sketch
from kolahal.lang.source import SketchError
from kolahal.sketches.gallery import FOLDER, GALLERY, load_one
from strategies import number, sketches


def body_of(text: str, name: str | None = None, **options: object) -> list[str]:
    """The lines of the sketch of a program, from its signature on."""
    return sketch_of(text, name, **options).rstrip("\n").split("\n")[4:]  # type: ignore[arg-type]


def without_noise(sketch: Sketch) -> object:
    return without_idle(sketch.complete(*[None] * len(sketch.holes)).filled().body)


# ---------------------------------------------------------------- the gallery

HOLES = {
    "histogram": 1,
    "sum": 2,
    "noisy_max_1": 3,
    "noisy_max_2": 4,
    "exp_noisy_max": 4,
    "smart_sum": 5,
    "svt": 2,
    "above_threshold_1": 4,
    "above_threshold_2": 5,
}


@pytest.mark.parametrize("name", GALLERY)
def test_the_gallerys_originals_become_sketches(name: str) -> None:
    gallery = load_one(name)
    text = sketch_of((FOLDER / f"{name}.py").read_text(), f"{name}_original", str(gallery.adjacency))
    sketch = parse(text)
    assert sketch.parameters == gallery.parameters and sketch.adjacency == gallery.adjacency
    assert without_noise(sketch) == without_noise(gallery)
    assert len(sketch.holes) == HOLES[name]
    # Each place that the gallery has for noise is one of them.
    noisy = {line.strip().replace("Exp(", "Lap(") for line in str(gallery).split("\n") if "(hole)" in line}
    assert noisy and all(line in text for line in noisy)


def test_svt_comes_out_as_in_the_paper() -> None:
    text = sketch_of((FOLDER / "svt.py").read_text(), "svt_original")
    assert parse(text).body == load_one("svt").body


# ---------------------------------------------------------------- places


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("s = q[0]\nreturn s", ["s = q[0] + Lap(hole)", "return s"]),
        ("return q[0]", ["return q[0] + Lap(hole)"]),
        ("return q", ["return [x + Lap(hole) for x in q]"]),
        ("return [2 * a for a in q]", ["return [2 * a + Lap(hole) for a in q]"]),
        ("return q[0], 3, q[1] > 0", ["return q[0] + Lap(hole), 3, q[1] + Lap(hole) > 0"]),
        ("out = []\nout.append(q[0])\nreturn out", ["out = []", "out.append(q[0] + Lap(hole))", "return out"]),
        ("out = [q[0], 1]\nreturn out", ["out = [q[0] + Lap(hole), 1]", "return out"]),
        ("out = []\nfor x in q:\n    out.append(x > 0)\nreturn out",
         ["out = []", "for x in q:", "    out.append(x + Lap(hole) > 0)", "return out"]),
        ("s = 0\nfor x in q:\n    s += x  # add\nreturn s", ["s = 0", "for x in q:", "    s += x + Lap(hole)  # add", "return s + Lap(hole)"]),
        ("s = q[0]\ns *= (2 + 1)\nreturn s", ["s = q[0] + Lap(hole)", "s = s * (2 + 1) + Lap(hole)", "return s"]),
        ("s = 0\nfor x in q:\n    s += x\nreturn s / 2 / len(q)",
         ["s = 0", "for x in q:", "    s += x + Lap(hole)", "return (s + Lap(hole)) / 2 / len(q)"]),
        ("return q[0] / q[1]", ["return q[0] / q[1] + Lap(hole)"]),
        ("a = b = q[0]\nreturn a", ["a = b = q[0] + Lap(hole)", "return a"]),
        ("x = (q[0]\n     + q[1])\nreturn x", ["x = (q[0]", "     + q[1] + Lap(hole))", "return x"]),
        ("ü = q[0]; é = ü\nreturn é", ["ü = q[0] + Lap(hole); é = ü + Lap(hole)", "return é"]),
        ("c = 0\nfor x in q:\n    if x > 3:\n        c += 1\nreturn c",
         ["c = 0", "for x in q:", "    if x + Lap(hole) > 3:", "        c += 1", "return c + Lap(hole)"]),
        ("best = 0\nfor i in range(len(q)):\n    if q[i] > q[best]:\n        best = i\nreturn best",
         ["noisy = [x + Lap(hole) for x in q]", "best = 0", "for i in range(len(noisy)):", "    if noisy[i] > noisy[best]:", "        best = i", "return best"]),
        ("return q.index(max(q))", ["noisy = [x + Lap(hole) for x in q]", "return noisy.index(max(noisy))"]),
        ("return max(range(len(q)), key=lambda i: q[i])", ["return max(range(len(q)), key=lambda i: q[i] + Lap(hole))"]),
        ("best, at = None, None\nfor i, x in enumerate(q):\n    if best is None or x > best:\n        best, at = x, i\nreturn at",
         ["noisy = [item + Lap(hole) for item in q]", "best, at = None, None", "for i, x in enumerate(noisy):", "    if best is None or x > best:", "        best, at = x, i", "return at"]),
        ("noisy, at = 0, 0\nwhile noisy < len(q):\n    if q[at] < q[noisy]:\n        at = noisy\n    noisy += 1\nreturn at + 1",
         ["noisy_answers = [x + Lap(hole) for x in q]", "noisy, at = 0, 0", "while noisy < len(noisy_answers):",
          "    if noisy_answers[at] < noisy_answers[noisy]:", "        at = noisy", "    noisy += 1", "return at + 1"]),
        ("c = 0\nfor i in range(1, len(q)):\n    if q[i] > q[i-1]:\n        c += 1\nreturn c",  # no place, a number
         ["c = 0", "for i in range(1, len(q)):", "    if q[i] + Lap(hole) > q[i-1] + Lap(hole):", "        c += 1", "return c + Lap(hole)"]),
        ("m = 0\nfor i in range(len(q)):\n    if q[i] > 0:\n        m = i\nreturn m",
         ["m = 0", "for i in range(len(q)):", "    if q[i] + Lap(hole) > 0:", "        m = i + Lap(hole)", "return m"]),
        ("found = False\nif q[0] > 0:\n    found = True\nreturn found", ["found = False", "if q[0] + Lap(hole) > 0:", "    found = True", "return found"]),
        ("return sum(q)", ["return sum(q) + Lap(hole)"]),
        ("return max(x for x in q if x > 0)", ["return max(x for x in q if x + Lap(hole) > 0) + Lap(hole)"]),
        ("return any(x > 0 for x in q)", ["return any(x + Lap(hole) > 0 for x in q)"]),
        ("for i, x in enumerate(q):\n    if x > 3:\n        return i\nreturn None",
         ["for i, x in enumerate(q):", "    if x + Lap(hole) > 3:", "        return i", "return None"]),
        ("t = 5\nreturn q[0] > t", ["t = 5 + Lap(hole)", "return q[0] + Lap(hole) > t"]),
        ("x = q[0]\nif 0 < x < 9:\n    return 1\nreturn 0", ["x = q[0] + Lap(hole)", "if 0 < x < 9:", "    return 1", "return 0"]),
    ],
)  # fmt: skip
def test_noise_goes_where_private_data_goes(body: str, wanted: list[str]) -> None:
    text = "def f(q):\n" + "".join(f"    {line}\n" for line in body.split("\n"))
    lines = body_of(text)
    assert lines[0] == "def f(q: Private, eps: Epsilon):"
    assert [line.removeprefix("    ") for line in lines[1:]] == wanted


def test_noise_on_a_list_as_a_whole_is_left_to_the_user() -> None:
    with pytest.raises(UsageError, match="for x in"):
        sketch_of("def f(q):\n    return sorted(q)[-1]\n")


def test_copies_can_be_left_alone() -> None:
    text = "def f(q):\n    a = q[0]\n    b = a\n    return b\n"
    assert "b = a + Lap(hole)" in sketch_of(text)
    assert "b = a\n" in sketch_of(text, copies=False)


def test_the_noise_can_be_chosen() -> None:
    text = "def f(q):\n    a = q[0]\n    return a\n"
    assert sketch_of(text, noise="Exp").startswith("from kolahal import Epsilon, Exp, Private")
    assert "a = q[0] + Exp(hole)" in sketch_of(text, noise="Exp")
    with pytest.raises(UsageError, match="choose Lap or Exp"):
        sketch_of(text, noise="Gauss")


def test_a_public_parameter_gets_its_noise_once() -> None:
    text = 'def f(q, T):\n    """Words."""\n    for x in q:\n        if x > T:\n            return True\n    return False\n'
    assert body_of(text)[:4] == [
        "def f(q: Private, T: float, eps: Epsilon):",
        '    """Words."""',
        "    T = T + Lap(hole)",
        "    for x in q:",
    ]


# ---------------------------------------------------------------- signatures


@pytest.mark.parametrize(
    ("signature", "body", "wanted"),
    [
        ("q, N", "for i in range(N):\n        s = q[i]", "q: Private, N: int, eps: Epsilon"),
        ("q, k", "s = q[k - 1]", "q: Private, k: int, eps: Epsilon"),
        ("q, k", "n = k\n    s = q[n]", "q: Private, k: int, eps: Epsilon"),
        ("q, M", "s = q[len(q) % M]", "q: Private, M: int, eps: Epsilon"),
        ("q, N", "c = 0\n    if c >= N:\n        s = 1", "q: Private, N: int, eps: Epsilon"),
        ("q, T", "if q[0] > T:\n        s = 1", "q: Private, T: float, eps: Epsilon"),
        ("q, T=0", "s = T", "q: Private, eps: Epsilon, T: float = 0"),
        ("q, flag", "if flag:\n        s = 1", "q: Private, flag: bool, eps: Epsilon"),
        ("q, flag=True", "s = 1", "q: Private, eps: Epsilon, flag: bool = True"),
        ("q: list, n: int, t: 'Any' = 2.5", "s = t", "q: Private, n: int, eps: Epsilon, t: float = 2.5"),
        ("q, epsilon", "s = 1", "q: Private, epsilon: Epsilon"),
        ("q, T", "eps = T\n    s = eps", "q: Private, T: float, epsilon: Epsilon"),
        ("q", "i = 0\n    while i < len(q):\n        i += 1", "q: Private, eps: Epsilon"),
    ],
)
def test_parameters_are_typed_by_their_use(signature: str, body: str, wanted: str) -> None:
    text = f"def f({signature}):\n    s = q[0]\n    {body}\n    return s\n"
    assert body_of(text)[0] == f"def f({wanted}):"


def test_the_private_parameter_can_be_named() -> None:
    sketch = parse(sketch_of("def f(T, data):\n    return data[0] > T\n", private="data"))
    assert [(p.name, p.role) for p in sketch.parameters][:2] == [("T", Role.ARGUMENT), ("data", Role.PRIVATE)]


def test_signatures_over_several_lines_and_bodies_on_one() -> None:
    text = "def f(\n    q,  # answers\n    T,\n):\n    # Why.\n    return q[0] > T\n"
    assert body_of(text)[1:] == ["    # Why.", "    T = T + Lap(hole)", "    return q[0] + Lap(hole) > T"]
    assert body_of("def f(q): return q[0]\n")[1:] == ["    return q[0] + Lap(hole)"]
    nested = "class A:\n    def f(q):\n        x = q[0]\n        return x\n"
    assert body_of(nested, "f")[1:] == ["    x = q[0] + Lap(hole)", "    return x"]


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("text", "name", "words"),
    [
        ("x = 1\n", None, "it has none"),
        ("def f(q):\n    return q[0]\ndef g(q):\n    return q[0]\n", None, "f, g"),
        ("def f(q):\n    return q[0]\n", "h", "it has f"),
        ("@cache\ndef f(q):\n    return q[0]\n", None, "decorator"),
        ("def f():\n    return 1\n", None, "at least one"),
        ("def f(*q):\n    return q[0]\n", None, "plain parameters"),
        ("def f(q):\n    return 3\n", None, "nothing that it returns depends on q"),
        ("def f(q, limit):\n    return [c > limit for c in q]\n", None, "depends on q by truth values"),
        ("def f(q):\n    return 0 < q[0] < 9\n", None, "<text>:2: there is no place for noise inside a chain"),
    ],
)
def test_what_is_no_plain_program_is_refused(text: str, name: str | None, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        sketch_of(text, name)


def test_faults_are_shown_at_the_users_own_lines() -> None:
    text = "import os\n\n\ndef f(\n    q,\n    T,\n):\n    x = 1\n    return os.getcwd()\n"
    with pytest.raises(SketchError) as caught:
        sketch_of(text, path="mine.py")
    assert str(caught.value).startswith("mine.py:9:12: error")


@pytest.mark.parametrize(
    "relation", ["each_within", "other(1)", "each_within(0)", "each_within(1); import os", "each_within('1')", "("]
)
def test_relations_that_do_not_exist_are_refused(relation: str) -> None:
    with pytest.raises(UsageError):
        sketch_of("def f(q):\n    return q[0]\n", "f", relation)


# ---------------------------------------------------------------- any program


@examples(40, quick=20)
@given(sketches(), st.booleans())
def test_a_sketch_without_noise_is_the_program_that_it_came_from(sketch: Sketch, copies: bool) -> None:
    """Programs are those of the whole language, stripped of their noise and their types."""

    def strip(node: Node) -> Node | None:
        nothing = Const(False) if isinstance(node, Draw) and node.noise.finite else number(0)
        return nothing if isinstance(node, Draw) else None

    bare = replace(sketch, body=rebuild(sketch.body, strip))
    _, _, *body = str(bare).split("\n")
    names = [p.name for p in bare.parameters]
    text = f"def program({', '.join(names)}):\n" + "\n".join(body)
    try:
        found = sketch_of(text, "program", private="q", copies=copies)
    except UsageError as error:
        assert "so that no noise is needed" in str(error) or "by truth values" in str(error)
        return
    if "for x in" not in found:  # a list that is answered as it is becomes `[x for x in q]`
        assert without_noise(parse(found)) == without_idle(bare.body)


# ---------------------------------------------------------------- the command


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "plain.py"
    path.write_text("def f(T, data):\n    x = data[0]\n    y = x\n    return y > T\n")
    assert main(["sketch", f"{path}:f", "--adjacent", "monotone(1/2)", "--private", "data", "--no-copies"]) == 0
    out = capsys.readouterr().out
    assert "@sketch(adjacent=monotone(1/2))" in out and "data: Private" in out and out.count("hole)") == 2
    assert main(["sketch", str(path), "--private", "data"]) == 0
    for argv in (
        ["sketch", "missing.py"],
        ["sketch", str(path)],
        ["sketch", f"{path}:g"],
        ["sketch", str(path), "--adjacent", "x"],
    ):
        assert main(argv) == 2
    assert "Traceback" not in capsys.readouterr().err


# ---------------------------------------------------------------- what names mean

MAXIMUM = "def f(q, T):\n    return max(q[0], T)\n"


def test_what_is_declared_of_the_answers_is_kept() -> None:
    for note in ("Private[int]", "Private[7]", "Private[int, 7]", "'Private[7]'"):
        assert (
            parse(sketch_of(f"def f(q: {note}):\n    return q[0]\n")).private
            == parse(f"@sketch(each_within(1))\ndef f(q: {note}, eps: Epsilon):\n    return 0\n").private
        )
    for note in ("list", "list[int]", "Sequence", "Private"):
        assert str(parse(sketch_of(f"def f(q: {note}):\n    return q[0]\n")).private) == "q: Private"
    with pytest.raises(SketchError, match="K142"):
        sketch_of("def f(q: Private[0]):\n    return q[0]\n")


@pytest.mark.parametrize("change", ["max = min\n", "def max(*_): ...\n", "from elsewhere import max\n"])
def test_a_name_that_the_file_gives_away_is_not_pythons(change: str) -> None:
    with pytest.raises(SketchError, match=r"f\.py:1:.*K144: `max` is given another meaning here"):
        sketch_of(change + MAXIMUM, "f", path="f.py")
    assert "hole" in sketch_of(change.replace("max", "other") + MAXIMUM, "f")


def test_a_patch_does_not_go_where_its_names_are_taken() -> None:
    for change in ("def Lap(scale): ...\n\n\n", "from elsewhere import *\n", "eval('3')\n"):
        sketch = read_plain(MAXIMUM)
        completion = sketch.complete(*["1/eps"] * len(sketch.holes)).completion
        assert "+@sketch" in patch_plain("x = 3\n\n\n" + MAXIMUM, "f", sketch, completion, "f.py")
        with pytest.raises(SketchError, match=r"K14[45]"):
            patch_plain(change + MAXIMUM, "f", sketch, completion, "f.py")


def _largest(q, T):
    return max(q[0], T)


def test_a_function_is_read_with_the_names_that_it_sees(monkeypatch: pytest.MonkeyPatch) -> None:
    assert read_plain(_largest).holes
    monkeypatch.setitem(globals(), "max", min)
    with pytest.raises(SketchError, match="K146: `max` is not Python's max here"):
        read_plain(_largest)
