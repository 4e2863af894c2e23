"""Every file beside this one is broken; the expected codes stand in a comment on each faulty line."""

import pickle
import re
import time
from fractions import Fraction
from pathlib import Path

import pytest

from kolahal.engine import batch, reference
from kolahal.engine import faults as engine_faults
from kolahal.engine.tape import Tape
from kolahal.errors import KolahalError
from kolahal.lang import faults as lang_faults
from kolahal.lang import source as lang_source
from kolahal.lang.faults import FAULTS
from kolahal.lang.read.front import load_sketches
from kolahal.lang.ir import Const, If, Return
from kolahal.lang.read.parse import parse, parse_source
from kolahal.lang.source import NOWHERE, SketchError, Source, Span, diagnose, read_source
from kolahal.model import make_arguments

HERE = Path(__file__).parent
FILES = sorted(path for path in HERE.glob("*.py") if not path.name.startswith("test_"))
CODE = re.compile(r"\bK\d{3}\b")
HEADER = re.compile(r"(?P<path>.+):(?P<line>\d+):(?P<column>\d+): error (?P<code>K\d{3}): (?P<what>.+)")


def error_of(path: Path) -> SketchError:
    with pytest.raises(SketchError) as caught:
        load_sketches(path)
    return caught.value


def expected_codes(path: Path) -> list[tuple[int, str]]:
    lines = path.read_text().split("\n")
    return [
        (number, code) for number, line in enumerate(lines, 1) for code in sorted(CODE.findall(line.partition("#")[2]))
    ]


# ---------------------------------------------------------------- faults of a sketch


@pytest.mark.parametrize("path", [p for p in FILES if p.stem != "k007_no_sketch"], ids=lambda p: p.stem)
def test_exactly_the_expected_faults_are_reported_on_exactly_their_lines(path):
    found = [(d.span.line, d.code) for d in error_of(path).diagnostics]
    assert sorted(found) == expected_codes(path)
    assert [line for line, _ in found] == sorted(line for line, _ in found), "faults are in source order"


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_a_message_has_place_caret_reason_and_remedy(path):
    error = error_of(path)
    lines = error.source.lines()
    for fault, message in zip(error.diagnostics, str(error).split("\n\n"), strict=True):
        first, *middle, why, fix = message.split("\n")
        assert (why, fix) == (f"  {fault.why}", f"  {fault.fix}")
        assert why.endswith(".")
        assert fix.endswith(".")
        if fault.span == NOWHERE:
            assert first.startswith(f"{path}: error {fault.code}: ")
            continue
        header = HEADER.fullmatch(first)
        assert header
        assert header["path"] == str(path)
        assert (int(header["line"]), int(header["column"])) == (fault.span.line, fault.span.column)
        text, caret = middle
        assert set(caret) <= set(" \t^")
        assert caret.strip("\t ") == "^" * len(caret.strip("\t "))
        assert text.lstrip("\t ") in {line.replace("\u2028", "\ufffd").lstrip("\t ") for line in lines}
        assert fault.span.width <= len(lines[fault.span.line - 1]), "a span stays on its line"


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_a_message_quotes_the_user_and_no_class_of_ours(path):
    for fault in error_of(path).diagnostics:
        words = f"{fault.what} {fault.why} {fault.fix}"
        assert not re.search(r"\bast\.|\b(Var|Const|Binary|ListOf|NoneType|Fraction|BoolOp|BinOp|Constant)\b", words)
        assert fault.what[0].islower() or fault.what[0] in "`@N"
        assert not fault.what.endswith(".")


def test_one_fault_reads_as_it_should():
    text = """@sketch(adjacent=each_within(1))
def f(q: Private, T: float, eps: Epsilon):
    t = T + Lap(2 * hole)
    return t
"""
    with pytest.raises(SketchError) as caught:
        parse(text, "sketches/bad.py")
    assert (
        str(caught.value)
        == """\
sketches/bad.py:3:17: error K112: a hole must be the whole scale
        t = T + Lap(2 * hole)
                    ^^^^^^^^
  Kolahal chooses the complete scale, so a part of one cannot be kept.
  Write Lap(hole), and give the factor to the grammar."""
    )


@pytest.mark.parametrize(
    ("line", "pointed_at"),
    [
        ('    x = "日本語" + 1\n    return 0', '"日本語"'),
        ("    return q[0] + ζζ", "ζζ"),
        ("\treturn round(q)", "round(q)"),
        ("    return 'é' + 1", "'é'"),
        ("    return (1 +\n        round(q))", "round(q)"),
        ("    if [1,\n        2]:\n        return 1\n    return 2", "[1,"),
    ],
)
def test_a_caret_stands_below_what_it_points_at(line, pointed_at):
    with pytest.raises(SketchError) as caught:
        parse(f"@sketch(each_within(1))\ndef f(q: Private, eps: Epsilon):\n{line}\n")
    fault = caught.value.diagnostics[0]
    text = caught.value.source.line(fault.span.line)
    assert text[fault.span.column - 1 : fault.span.column - 1 + fault.span.width] == pointed_at
    shown, caret = fault.render(caught.value.source).split("\n")[1:3]
    assert caret.count("\t") == shown.count("\t")
    wide = 3 if "日" in pointed_at else 0  # each of the three takes two columns of a terminal
    assert caret.count("^") == len(pointed_at) + wide


def test_a_message_has_no_control_characters_of_a_strangers_file():
    with pytest.raises(SketchError) as caught:
        parse("@sketch(each_within(1))\ndef f(q: Private, eps: Epsilon):\n    return '\x1b[2J\x07'\n", "\x1b[2Jname")
    assert all(c.isprintable() or c == "\n" for c in str(caught.value))


def test_an_error_travels_between_processes():
    error = error_of(HERE / "all_at_once.py")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


# ---------------------------------------------------------------- faults of a file


def write(tmp_path: Path, content: str | bytes) -> Path:
    path = tmp_path / "sketch.py"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


SKETCH = "@sketch(adjacent=each_within(1))\ndef f(q: Private, eps: Epsilon):\n    return {}\n"
FILE_FAULTS = {
    "empty": (b"", "K007"),
    "only a comment": (b"# nothing\n", "K007"),
    "not UTF-8": (b"x = '\xff\xfe'\n", "K004"),
    "an encoding that does not exist": (b"# coding: klingon\n", "K004"),
    "an encoding that is none": (b"# coding: rot13\nx = 1\n", "K004"),
    "an encoding that always fails": (b"# coding: undefined\nx = 1\n", "K004"),
    "UTF-16": ("x = 1\n".encode("utf-16"), "K004"),
    "10 MB": (b"#" * 10_000_000, "K003"),
    "a NUL character": (b"x = 1\n\0\n", "K005"),
    "a syntax error": (b"def f(:\n", "K005"),
    "a block that is missing": (b"def f():\n\n\n", "K005"),
    "a number with too many digits": (b"x = " + b"9" * 5000, "K005"),
    "nested brackets": (b"x = " + b"(" * 300 + b"1" + b")" * 300, "K006"),
    "nested blocks": ("\n".join(" " * i + "if 1:" for i in range(120)).encode(), "K006"),
    "signs": (b"x = " + b"-" * 50_000 + b"1", "K006"),
    "a sum of 5000 terms": (SKETCH.format("+".join(["1"] * 5000)).encode(), "K006"),
    "a sum of 800 terms": (SKETCH.format("+".join(["1"] * 800)).encode(), "K006"),
    "a product of 800 terms as a scale": (SKETCH.format("Lap(" + "*".join(["2"] * 800) + ")").encode(), "K006"),
    "5000 conditions": (SKETCH.format(" and ".join(["eps > 1"] * 5000)).encode(), "K006"),
    "5000 comparisons": (SKETCH.format(" < ".join(["eps"] * 5000)).encode(), "K006"),
    "a list with 50 000 items": (SKETCH.format("[" + "1," * 50_000 + "]").encode(), "K010"),
}


@pytest.mark.parametrize("name", FILE_FAULTS)
def test_a_file_that_is_no_sketch(name, tmp_path):
    content, code = FILE_FAULTS[name]
    path = write(tmp_path, content)
    started = time.process_time()
    error = error_of(path)
    assert [d.code for d in error.diagnostics] == [code]
    assert str(error).startswith(str(path))
    assert len(str(error)) < 500_000
    assert time.process_time() - started < 5


def test_a_path_that_is_no_file(tmp_path):
    for path, code in {
        tmp_path / "missing.py": "K001",
        tmp_path: "K002",
        tmp_path / ("x" * 400 + ".py"): "K002",
        Path("a\0b.py"): "K002",
        Path("/dev/zero"): "K003",
    }.items():
        assert [d.code for d in error_of(path).diagnostics] == [code]
    assert [d.code for d in error_of(Path("x" * 400 + ".py:f")).diagnostics] == ["K002"]
    (notebook := tmp_path / "work.ipynb").write_text('{"cells": [], "metadata": {}, "nbformat": 4}')
    assert "it is a notebook" in str(error_of(notebook))


def test_a_function_that_the_file_does_not_have(tmp_path):
    path = write(tmp_path, SKETCH.format("0"))
    (sketch,) = load_sketches(f"{path}:f")
    assert sketch.name == "f"
    error = error_of(Path(f"{path}:g"))
    assert [d.code for d in error.diagnostics] == ["K008"]
    assert f"{path}:f" in str(error)


# ---------------------------------------------------------------- faults of a run

RUNS = {
    "K401": "a = [1]\nreturn a[len(q)]",
    "K402": "return 1 / (q[0] - q[0])",
    "K403": "v = None\nif q[0] > 10:\n    v = 1\nreturn v + 1",
    "K404": "while q[0] < 10:\n    x = 1\nreturn 0",
    "K405": "if q[0] > 10:\n    v = 1\nreturn v",
}
LINES = {"K401": 4, "K402": 3, "K403": 6, "K404": 3, "K405": 5}


def reference_fault(sketch):
    arguments = make_arguments(sketch, Fraction(1), 1, {})
    with pytest.raises(engine_faults.RunError) as caught:
        reference.run(sketch, [Fraction(3)], arguments, [1.0] * len(sketch.holes), Tape((0,), 1).row(0))
    return caught.value


def batch_fault(sketch):
    arguments = make_arguments(sketch, Fraction(1), 1, {})
    with pytest.raises(engine_faults.RunError) as caught:
        batch.run(sketch, [Fraction(3)], arguments, [1.0] * len(sketch.holes), Tape((0,), 3))
    return caught.value


@pytest.fixture
def few_turns(monkeypatch):
    """A loop without end need not take its million turns here."""
    for module in (reference, batch):
        monkeypatch.setattr(module, "MOST_TURNS", 50)


@pytest.mark.parametrize("engine", [reference_fault, batch_fault])
@pytest.mark.parametrize("code", RUNS)
def test_a_run_that_stops_says_where_and_why(code, engine, few_turns):
    body = "\n".join(f"    {line}" for line in RUNS[code].split("\n"))
    sketch = parse(f"@sketch(adjacent=each_within(1))\ndef f(q: Private, eps: Epsilon):\n{body}\n", "f.py")
    error = engine(sketch)
    assert [(d.code, d.span.line) for d in error.diagnostics] == [(code, LINES[code])]
    assert len(str(error).split("\n")) == 5, "place, source, caret, reason, remedy"
    assert isinstance(error, KolahalError)


@pytest.mark.parametrize("engine", [reference_fault, batch_fault])
def test_a_condition_that_is_no_truth_value_stops_a_run(engine):
    """The checker lets no such program through, so this one is put together by hand."""
    sketch = parse(SKETCH.format("0"))
    one = Const(Fraction(1), span=Span(3, 12))
    unchecked = type(sketch)("f", sketch.parameters, sketch.adjacency, (If(one, (Return(one),), (Return(one),)),))
    assert [d.code for d in engine(unchecked).diagnostics] == ["K406"]


# ---------------------------------------------------------------- the list of codes

# Tested above, one by one; K011 is for emitted programs, in lang/test_emit.py, and K146 for running ones, in lang/test_front.py.
ELSEWHERE = {"K001", "K002", "K003", "K004", "K008", "K010", "K011", "K146", "K406", *RUNS}


def codes_in(module) -> list[str]:
    return re.findall(r'"(K\d{3})"', Path(module.__file__).read_text())


def test_every_code_has_a_test_and_stands_for_one_thing():
    listed = re.findall(r'^    "(K\d{3})":', Path(lang_faults.__file__).read_text(), re.MULTILINE)
    assert len(listed) == len(set(listed)), "no code is listed twice"
    assert set(listed) == set(FAULTS)
    assert not set(FAULTS) & set(engine_faults.FAULTS)
    first_words = [words.what for words in FAULTS.values()] + [what for what, _, _ in engine_faults.FAULTS.values()]
    assert len(first_words) == len(set(first_words)), "no fault has two codes"
    tested = {d.code for path in FILES for d in error_of(path).diagnostics}
    assert tested | ELSEWHERE == set(FAULTS) | set(engine_faults.FAULTS)


def test_every_code_in_the_source_is_listed():
    used = set()
    for path in Path(lang_source.__file__).parent.rglob("*.py"):
        used |= set(re.findall(r'"(K\d{3})"', path.read_text()))
    assert used == set(FAULTS)
    listed_only = set(FAULTS) - {
        code
        for path in Path(lang_source.__file__).parent.rglob("*.py")
        if path.name != "faults.py"
        for code in re.findall(r'"(K\d{3})"', path.read_text())
    }
    assert not listed_only, "a code that nothing reports"


def test_the_words_of_a_fault_are_filled_in_by_whoever_finds_it():
    assert diagnose("K001").what == "there is no such file"
    with pytest.raises(KeyError):
        diagnose("K101")


def test_a_fault_in_a_part_of_a_file_counts_lines_from_its_start():
    text = "@sketch(adjacent=each_within(1))\ndef f(q: Private, eps: Epsilon):\n    return round(q)\n"
    with pytest.raises(SketchError) as caught:
        parse_source(Source("big.py", text, first_line=41))
    assert str(caught.value).startswith("big.py:43:12: error K102")
    assert "return round(q)" in str(caught.value)


def test_read_source_decodes_as_python_does(tmp_path):
    assert read_source(write(tmp_path, b"\xef\xbb\xbfx = 1\r\ny = 2\rz = 3\n")).text == "x = 1\ny = 2\nz = 3\n"
    assert read_source(write(tmp_path, b"# coding: latin-1\nx = '\xe9'\n")).text == "# coding: latin-1\nx = 'é'\n"
