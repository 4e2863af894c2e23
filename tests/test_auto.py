"""From a program without noise to a proved mechanism: the gallery's originals, choices of holes, and the command."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kolahal.settings as config
from examples import examples
from kolahal import check, synthesize, synthesize_plain
from kolahal.cli import main
from kolahal.cli.synth import _patch, synthesis_code
from kolahal.engine.accuracy import expected_errors
from kolahal.errors import UsageError
from kolahal.lang.plain.convert import read_plain
from kolahal.lang.read.parse import parse
from kolahal.lang.scale import parse_scale
from kolahal.lang.sketch import Completion, Mechanism
from kolahal.lang.taint import answers_with_counts
from kolahal.law.hole_choices import HoleChoice, find_all_laws, find_choices, law_for, restrict, shares_of
from kolahal.law.law import print_rule
from kolahal.law.pricing import tight_completions
from kolahal.roads.law import price_completions
from kolahal.search.arguments import fix_arguments
from kolahal.sketches.gallery import FOLDER, GALLERY, load, load_one
from kolahal.verdicts import Bounded, Certificate, Everywhere, Proved, Unknown, UpTo
from strategies import completions, sketches

QUICK = config.Settings(tester=config.TesterSettings.quick())
HEADER = "from kolahal import Epsilon, Lap, Private, hole, one_within, sketch\n\n\n"


# ---------------------------------------------------------------- the nine of the paper


LONG = ("noisy_max_2", "smart_sum", "svt", "above_threshold_2")  # several seconds each


@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.paper) if n in LONG else n for n in GALLERY])
def test_the_originals_of_the_gallery_become_textbook_mechanisms(name: str) -> None:
    gallery = load_one(name)
    text = (FOLDER / f"{name}.py").read_text()
    noise = "Exp" if "Exp(hole)" in str(gallery) else "Lap"
    found = synthesize_plain(text, gallery.adjacency, function_name=f"{name}_original", noise=noise, settings=QUICK)
    best = found.best
    assert found.method == "law" and best is not None
    assert best.ranked.log_loss <= float(found.split.training[0].epsilon) * (1 + 1e-9)
    assert isinstance(best.verdict, Proved) and best.verdict.scope == Everywhere()
    # As good as the textbook's on the same databases and the same noise, or better; two digits are what is sure.
    textbook = gallery.complete(*GALLERY[name].textbook[0])
    arguments = found.split.training[0]
    ours, theirs = (expected_errors(m.sketch, [m.completion], arguments, QUICK)[0] for m in (found.mechanism, textbook))
    assert ours <= 1.05 * theirs
    noisy = sum(1 for scale in best.ranked.completion if scale)
    assert noisy <= sum(scale is not None for scale in GALLERY[name].textbook[0])


# ---------------------------------------------------------------- which holes

HIDDEN = """
@sketch(adjacent=each_within(1))
def largest(q: Private, eps: Epsilon):
    m, v = 0, None
    for i in range(len(q)):
        b = q[i] + Lap(hole)
        if v is None or b > v:
            m, v = i + 1, b + Lap(hole)
    return m + Lap(hole)
"""
MANY = """
@sketch(adjacent=sum_within(5))
def several(q: Private[3], eps: Epsilon):
    a = q[0] + Lap(hole)
    b = q[1] + Lap(hole)
    c = q[2] + Lap(hole)
    d = a + Lap(hole)
    e = b + Lap(hole)
    f = c + Lap(hole)
    g = 3 + Lap(hole)
    return d, e, f, g
"""


def choices_of(text: str) -> dict[tuple[int, ...], list[str]]:
    sketch = parse(text)
    found = find_choices(sketch, config.ProofSettings())
    assert not isinstance(found, Unknown)
    return {choice.holes: [print_rule(sketch, rule) for rule in choice.laws.rules] for choice in found}


def test_noise_that_is_not_needed_does_not_hide_a_law() -> None:
    """With noise on the largest answer so far, two answers no longer decide, and the law of all holes is twice as dear."""
    found = choices_of(HIDDEN)
    assert found[0,] == ["2/eta1 <= eps"]
    assert found[2,] == ["(len(q) - 1)/eta3 <= eps"]
    assert not any({0} < set(holes) for holes in found), "more holes than a steady law needs"


def test_the_law_that_is_shown_is_one_that_the_completion_keeps() -> None:
    sketch = parse(HIDDEN)
    private, dear = (sketch.complete(scale, None, None).completion for scale in ("2/eps", "1/eps"))
    laws = find_all_laws(sketch, [private, dear], config.ProofSettings())
    assert law_for(sketch, None, laws).text == "4/eta1 <= eps"  # type: ignore[union-attr]
    assert law_for(sketch, private, laws).text == "2/eta1 <= eps"  # type: ignore[union-attr]
    assert law_for(sketch, dear, laws).text == "4/eta1 <= eps"  # type: ignore[union-attr]


def lawful_completions(text: str) -> list[Completion]:
    sketch = parse(text)
    choices = find_choices(sketch, QUICK.proof)
    assert not isinstance(choices, Unknown)
    return [priced.completion for priced in price_completions(sketch, choices, QUICK)]


def test_noise_of_the_users_own_may_be_enough() -> None:
    text = (
        "@sketch(adjacent=one_within(1))\ndef f(q: Private, eps: Epsilon):\n    return q[0] + Lap(1/eps) + Lap(hole)\n"
    )
    assert lawful_completions(text) == [(parse_scale(None),)]
    other = text.replace("1/eps", "2/eps").replace(" + Lap(hole)", ", q[0] + Lap(hole)")
    assert (parse_scale("2/eps"),) in lawful_completions(other)


def test_a_program_with_many_holes_keeps_those_that_nothing_replaces() -> None:
    """Three answers leave, each with noise at one of two places; neighbours that are 5 apart are beyond the grammar."""
    sketch = parse(MANY)
    found = find_choices(sketch, config.ProofSettings())
    assert not isinstance(found, Unknown)
    small = {choice.holes for choice in found}
    assert {(0, 1, 2), (3, 4, 5), (0, 4, 2)} & small == {(0, 1, 2), (3, 4, 5)} and all(len(h) == 3 for h in small)
    (first,) = [choice for choice in found if choice.holes == (0, 1, 2)]
    shares = list(shares_of(sketch, first))
    assert shares and tight_completions(sketch, first.laws, shares)
    assert all(isinstance(check(Mechanism(sketch, c)).verdict, Proved) for c in shares[:1])


@examples(40, quick=20)
@given(st.data())
def test_a_reduced_mechanism_is_the_same_program(data: st.DataObject) -> None:
    sketch = data.draw(sketches())
    mechanism = sketch.complete(*data.draw(completions(len(sketch.holes))))
    reduced = mechanism.reduced()
    assert reduced.filled() == mechanism.filled() and all(reduced.completion)
    on = [i for i, scale in enumerate(mechanism.completion) if scale]
    assert reduced.sketch == restrict(sketch, on)
    spread = HoleChoice(tuple(on), None).spread(reduced.completion, len(sketch.holes))  # type: ignore[arg-type]
    assert spread == mechanism.completion


def test_noise_that_is_gone_leaves_no_trace() -> None:
    text = "@sketch(adjacent=each_within(1))\ndef f(q: Private, T: float, eps: Epsilon):\n    T = T + Lap(hole)\n"
    text += "    x = q[0]\n    x += Lap(hole)\n    x = x\n    return x + Lap(hole) > T\n"
    assert str(parse(text).complete(None, None, "1/eps")).split("\n")[2:-1] == [
        "    x = q[0]",
        "    x = x",
        "    return x + Lap(1/eps) > T",
    ]


# ---------------------------------------------------------------- what counts as an error


@pytest.mark.parametrize(
    ("body", "counts"),
    [
        ("c = 0\nfor x in q:\n    if x > 3:\n        c += 1\nreturn c", True),
        ("s = 0\nfor x in q:\n    s += x\nreturn s", True),
        ("c = 0\nd = 0\nfor x in q:\n    if x > 3:\n        c += 1\n    else:\n        d += 1\nreturn c, d", True),
        ("for i in range(len(q)):\n    if q[i] > 3:\n        return i\nreturn 0", False),
        ("i = 0\nwhile i < len(q) and q[i] < 3:\n    i += 1\nreturn i", False),
        ("m = 0\nfor i in range(len(q)):\n    if q[i] > 0:\n        m = i + 1\nreturn m", False),
        ("return q[0] > 3", False),
        ("k = 0\nfor x in q:\n    k += 1\n    if x > 3:\n        return k\nreturn 0", False),
        ("k = 0\nfor i in range(len(q)):\n    if q[i] > 3:\n        return k\n    k += 1\nreturn -1", False),
        ("k = 0\nfor x in q:\n    if x > 3:\n        continue\n    k += 1\nreturn k", True),
        ("k = 0\nfor x in q:\n    k += 1\n    if x > 3:\n        k += 1\nreturn k", True),
    ],
)
def test_counts_are_told_from_places(body: str, counts: bool) -> None:
    """A count that is off by one is nearly right; a place that is off by one is wrong."""
    text = "@sketch(adjacent=one_within(1))\ndef f(q: Private, eps: Epsilon):\n"
    assert answers_with_counts(parse(text + "".join(f"    {line}\n" for line in body.split("\n")))) is counts


def test_what_the_program_divides_by_is_never_zero() -> None:
    text = "@sketch(adjacent=one_within(1))\ndef f(q: Private, n: float, T: float, eps: Epsilon):\n"
    split = fix_arguments(parse(text + "    return q[0] / n + T + Lap(hole)\n"), config.Settings())
    values = [dict(a.values) for a in split.training + split.testing]
    assert all(v["n"] > 0 for v in values) and any(v["T"] == 0 for v in values)


# ---------------------------------------------------------------- from Python


def first_above(answers, limit):  # type: ignore[no-untyped-def]
    for i in range(len(answers)):
        if answers[i] > limit:
            return i + 1
    return 0


def never_called(q):  # type: ignore[no-untyped-def]
    total = 0
    for x in q:
        total += x
    return total / len(q)


def test_a_function_is_read_and_not_called() -> None:
    sketch = read_plain(first_above)
    assert [p.name for p in sketch.parameters] == ["answers", "limit", "eps"] and len(sketch.holes) == 2
    assert "return (total + Lap(hole)) / len(q)" in str(read_plain(never_called, adjacent="one_within(1)"))
    with pytest.raises(UsageError, match="no text"):
        read_plain(len)


def test_neighbours_that_are_far_apart_are_beyond_the_grammar_and_have_an_answer() -> None:
    def total(q):  # type: ignore[no-untyped-def]
        s = 0
        for x in q:
            s = s + x
        return s

    found = synthesize_plain(total, "one_within(100)", settings=QUICK)
    assert [str(scale) for scale in found.best.ranked.completion] == ["None", "100/eps"]  # type: ignore[union-attr]
    assert isinstance(found.best.verdict, Proved)  # type: ignore[union-attr]


# ---------------------------------------------------------------- the command

PLAIN = '''"""Words."""

import math


def other(x):
    return math.sqrt(x)


def first_above(limit, answers):
    # The first answer above the limit.
    for i in range(len(answers)):
        if answers[i] > limit:
            return i + 1
    return 0
'''


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    path = tmp_path / "plain.py"
    path.write_text(PLAIN)
    return path


Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def call(*argv: str) -> tuple[int, str, str]:
        code = main([*argv])
        out, err = capsys.readouterr()
        return code, out, err

    return call


def test_the_command_goes_all_the_way(plain: Path, run: Run, tmp_path: Path) -> None:
    out = tmp_path / "out"
    options = ["--auto", "--private", "answers", "--workers", "1", "--out", str(out)]
    code, text, _ = run("synth", f"{plain}:first_above", *options, "--json")
    document = json.loads(text)
    assert code == 0 and document["candidates"][0]["scales"] in (["2/eps", "4/eps"], ["3/eps", "3/eps"])
    assert document["law"] == "1/eta1 + 2/eta2 <= eps" and "--auto" in document["command"]
    emitted = (out / "first_above_private.py").read_text()
    assert "# The first answer above the limit." in emitted and "Lap(" in emitted
    assert run("check", str(out / "first_above_private.py"), "--workers", "1")[0] == 0


def test_the_patch_turns_the_plain_file_into_a_private_one(plain: Path, run: Run) -> None:
    before = PLAIN.replace("\n", "\r\n")
    plain.write_bytes(before.encode())
    code, patch, _ = run("synth", f"{plain}:first_above", "--auto", "--private", "answers", "--patch", "--workers", "1")
    assert code == 0
    (plain.parent / "change.patch").write_bytes(patch.encode())
    subprocess.run(["git", "apply", "--whitespace=nowarn", "change.patch"], cwd=plain.parent, check=True)
    after = plain.read_bytes().decode()
    assert after.count("\r\n") == after.count("\n")
    lines = after.replace("\r\n", "\n").split("\n")
    assert [line for line in lines if line in PLAIN.split("\n")] != lines and "import math" in lines
    assert "from kolahal import Epsilon, Lap, Private, each_within, sketch" in lines
    assert run("check", f"{plain}:first_above", "--workers", "1")[0] == 0


def test_what_cannot_be_made_private_is_said(plain: Path, run: Run) -> None:
    plain.write_text(
        "def f(q):\n    a = q[0] * q[1]\n    b = a * q[2]\n    c = b * q[0]\n    d = c * q[1]\n    return d\n"
    )
    code, out, err = run("synth", str(plain), "--auto", "--workers", "1")
    assert code == 1 and "No private completion of f" in out and "Why: " in err and "multiplied" in err
    code, out, err = run("synth", str(plain), "--auto", "--patch", "--workers", "1")
    assert code == 1 and not out and "No patch" in err


@pytest.mark.parametrize("auto", [True, False])
def test_only_what_is_proved_leaves_as_a_patch(
    auto: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A bounded completion needs --force, and then a comment says so; an unknown one stays here."""
    monkeypatch.chdir(tmp_path)
    plain = "import math\n\n\ndef f(q):\n    return q[0]\n"
    text = HEADER + "@sketch(adjacent=one_within(1))\ndef f(q: Private, eps: Epsilon):\n    return q[0] + Lap(hole)\n"
    Path("f.py").write_text(plain if auto else text)
    sketch = read_plain(plain, "f", "one_within(1)", path="f.py") if auto else load_one("f.py")
    found = synthesize(sketch, QUICK)
    assert isinstance(found.judged[0].verdict, Proved)
    proved = _patch("f.py", found, auto, False)
    assert "Lap(1/eps)" in proved and "Bounded" not in proved
    bounded = replace(found, judged=(replace(found.judged[0], verdict=Bounded(Certificate("{}"), UpTo(4))),))
    assert _patch("f.py", bounded, auto, False) == ""
    err = capsys.readouterr().err
    assert "No patch: Bounded" in err and "q: Private[1]" in err and "--force" in err
    forced = _patch("f.py", bounded, auto, True)
    assert "+# Bounded: no loss above the claim for up to 4 queries" in forced
    Path("change.patch").write_text(forced)
    subprocess.run(["git", "apply", "change.patch"], check=True)
    (after,) = load("f.py")
    assert not after.holes and "Lap(1/eps)" in str(after)
    for verdict in (Unknown("it is hard"), Unknown("a defect", defect=True)):
        unknown = replace(found, judged=(replace(found.judged[0], verdict=verdict, trial=None),))
        assert _patch("f.py", unknown, auto, True) == "" and "No patch: f is neither" in capsys.readouterr().err
    assert synthesis_code(found) == 0 and synthesis_code(bounded) == 4 and synthesis_code(unknown) == 70
    assert synthesis_code(replace(found, judged=())) == 1


def test_options_of_auto_alone_are_refused_elsewhere(run: Run) -> None:
    for options in (["--private", "q"], ["--adjacent", "one_within(1)"], ["--noise", "Exp"]):
        code, _, err = run("synth", "sum", *options)
        assert code == 2 and "--auto" in err


def test_the_weights_of_a_law_are_never_below_zero() -> None:
    """Three sizes of M fit (3 - M)/eta1, which is no law."""
    gallery = load_one("smart_sum")
    text = (FOLDER / "smart_sum.py").read_text()
    sketch = read_plain(text, "smart_sum_original", gallery.adjacency)
    found = find_choices(sketch, config.ProofSettings())
    assert not isinstance(found, Unknown)
    for choice in found:
        for rule in choice.laws.rules:
            for inequality in rule.inequalities:
                for _, weight in inequality.coefficients:
                    for m in (1, 2, 10):
                        assert weight.at({"M": Fraction(m), "len(q)": Fraction(10)}) >= 0
