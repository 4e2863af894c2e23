"""docs/language.md: its code runs, its tables are the language, and its list of codes is complete."""

import importlib.util
import re
from pathlib import Path

import pytest

from kolahal.engine import faults as engine_faults
from kolahal.lang.adjacency import RELATIONS
from kolahal.lang.faults import FAULTS
from kolahal.lang.read import body
from kolahal.lang.read.parse import parse, parse_source
from kolahal.lang.read.tree import DEEPEST, NOISES, PICK
from kolahal.lang.source import LARGEST_FILE, SketchError, Source

PAGE = (Path(__file__).parents[2] / "docs" / "language.md").read_text()
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def section(title: str) -> str:
    return PAGE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def cells(title: str) -> list[str]:
    """The pieces of code in the first column of a section's table."""
    rows = re.findall(r"^\| (`.*?`) \|", section(title), re.MULTILINE)
    return [code for row in rows for code in re.findall(r"`(.*?)`", row)]


def test_the_page_has_code():
    assert len(BLOCKS) >= 3
    assert len(cells("Statements")) >= 12
    assert len(cells("Expressions")) >= 20


@pytest.mark.parametrize("block", [b for b in BLOCKS if "@sketch" in b])
def test_a_sketch_of_the_page_is_a_sketch(block):
    for sketch in parse_source(Source("docs/language.md", block)):
        assert parse(str(sketch)) == sketch


def test_the_code_of_the_page_runs(tmp_path):
    path = tmp_path / "language_page.py"
    path.write_text("\n\n".join(BLOCKS))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.answer in (0, 1, 2, 3)
    assert [s.name for s in parse_source(Source(str(path), path.read_text()))] == ["above_threshold", "noisy_answers", "capped_total"]


TEMPLATE = """
@sketch(adjacent=each_within(1))
def f(q: Private, N: int, T: float, flag: bool, eps: Epsilon):
    x, y = 1, 2
    out = []
    for k in range(3):
        {}
    return x
"""


@pytest.mark.parametrize("code", cells("Statements"))
def test_a_statement_of_the_page_is_a_statement(code):
    assert parse(TEMPLATE.format(code.replace("…", "pass")))


@pytest.mark.parametrize("code", cells("Expressions"))
def test_an_expression_of_the_page_is_an_expression(code):
    assert parse(TEMPLATE.format(f"z = {code}"))


@pytest.mark.parametrize("code", cells("Noise and scales"))
def test_noise_of_the_page_is_noise(code):
    assert len(parse(TEMPLATE.format(f"z = {code}")).sites) == 1
    assert {c.partition("(")[0] for c in cells("Noise and scales")} == {PICK, *(name for name, noise in NOISES.items() if not noise.bell)}


@pytest.mark.parametrize("budget", cells("Budgets"))
def test_budgets_of_the_page_are_budgets(budget):
    bells = [name for name, noise in NOISES.items() if noise.bell and "Gauss" in section("Budgets")]
    for noise in bells if budget != "eps: Epsilon" else ["Lap"]:
        assert parse(f"@sketch(each_within(1))\ndef f(q: Private, {budget}):\n    return q[0] + {noise}(hole)\n").holes


def test_relations_and_parameters_of_the_page():
    assert [code.partition("(")[0] for code in cells("Neighbours")] == list(RELATIONS)
    for code in cells("Neighbours"):
        assert parse(TEMPLATE.replace("each_within(1)", code).format("pass"))
    for code in cells("The private list"):
        sketch = parse(f"@sketch(each_within(1))\ndef f({code}, eps: Epsilon):\n    return 0\n")
        assert str(sketch.private) == code
    parameters = ", ".join(cells("Parameters"))
    assert parse(f"@sketch(each_within(1))\ndef f({parameters}):\n    return 0\n")


def test_the_error_of_the_page_is_the_real_one():
    shown = PAGE.partition("```\nsketches/bad.py")[2].partition("\n```")[0]
    with pytest.raises(SketchError) as caught:
        parse(
            "@sketch(each_within(1))\ndef f(q: Private, T: float, eps: Epsilon):\n    t = T + Lap(2 * hole)\n    return t\n"
        )
    assert str(caught.value) == "<text>" + shown


def test_every_code_is_listed_once_and_in_order():
    listed = re.findall(r"^\| (K\d{3}) \|", PAGE, re.MULTILINE)
    assert listed == sorted(FAULTS) + sorted(engine_faults.FAULTS)


def test_limits_of_the_page_are_the_real_ones():
    assert f"{LARGEST_FILE // 10**6} MB a file, {DEEPEST} levels of nesting, {body.DEEPEST_LOOP} nested" in PAGE
    assert engine_faults.MOST_TURNS == 10**6
