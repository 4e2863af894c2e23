"""The pytest marker `dp`: proved passes, refuted fails with the counterexample, the others fail unless they are allowed."""

from __future__ import annotations

import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from kolahal import checking  # here, so that all runs inside this one share it
from kolahal.lang.read.parse import parse
from kolahal.pytest_plugin import describe_counterexample
from kolahal.verdicts import Refuted

pytest_plugins = ["pytester"]

INSTALLED = any(point.value == "kolahal.pytest_plugin" for point in metadata.entry_points(group="pytest11"))

# A checker that answers by the mechanism's name, and writes down what it was asked.
FAKE = """
import pytest
from fractions import Fraction
from kolahal import checking
from kolahal.lang.claims import parse_claim
from kolahal.model import *
from kolahal.results import *
from kolahal.verdicts import *

ASKED = []


def fake(mechanism, claim="", settings=None):
    parse_claim(mechanism, claim)
    ASKED.append((mechanism.name, claim))
    example = Example((Fraction(0),), (Fraction(1),), Equals(Fraction(1)), Arguments(Fraction(1, 2), 1))
    odds = Odds(Estimate(0.5, 0.5, 0.5, 0), Estimate(0.1, 0.1, 0.125, 0))
    verdict = {
        "good": Proved(Certificate("{}"), Everywhere()),
        "bad": Refuted(example, odds),
        "odd": Unknown("the solver gave up"),
        "short": Bounded(Certificate("{}"), UpTo(4)),
        "wrong": Unknown("this is a defect of Kolahal", defect=True),
    }[mechanism.name]
    return Check(verdict, 1.0, None)


@pytest.fixture(autouse=True)
def faked(monkeypatch):
    monkeypatch.setattr(checking, "check", fake)
    ASKED.clear()
"""

HEAD = """
import pytest
from conftest import ASKED
from kolahal.lang.read.parse import parse

def make(name, scale="1/eps"):
    return parse(f"@sketch(adjacent=one_within(1))\\ndef {name}(q: Private, eps: Epsilon):\\n    return q[0] + Lap({scale})\\n")
"""


@pytest.fixture
def run(pytester: pytest.Pytester):
    def run(tests: str, *arguments: str) -> pytest.RunResult:
        pytester.makeconftest(FAKE)
        pytester.makepyfile(HEAD + tests)
        plugin = () if INSTALLED else ("-p", "kolahal.pytest_plugin")
        return pytester.runpytest_inprocess(
            *plugin, "-p", "no:cacheprovider", "-p", "no:xdist", "--strict-markers", *arguments
        )

    return run


def test_each_verdict_has_its_outcome(run) -> None:
    result = run("""
@pytest.mark.dp
def test_good():
    return make("good")

@pytest.mark.dp()
def test_bad():
    return make("bad")

@pytest.mark.dp
def test_odd():
    return make("odd")

@pytest.mark.dp(allow_unknown=True)
def test_odd_is_expected():
    return make("odd")

@pytest.mark.dp(allow_unknown=True, allow_bounded=True)
def test_bad_is_never_expected():
    return make("bad")

@pytest.mark.dp(allow_unknown=True)
def test_short():
    return make("short")

@pytest.mark.dp(allow_bounded=True)
def test_short_is_accepted():
    return make("short")

@pytest.mark.dp(allow_bounded=True)
def test_odd_is_not_bounded():
    return make("odd")

@pytest.mark.dp(allow_unknown=True)
def test_a_defect_is_never_expected():
    return make("wrong")

def test_other():
    pass
""")
    result.assert_outcomes(passed=3, failed=6, xfailed=1)
    result.stdout.fnmatch_lines(
        [
            "*bad is not eps-private.*",
            "With ε = 0.5, take the neighbours*",
            "  d1 = [[]0[]]*",
            "  d2 = [[]1[]]*",
            "and the event that the output is 1. Its probability is*",
            "  between 0.5 and 0.5 on d1*",
            "  between 0.1 and 0.125 on d2*",
            "The first is at least 4 times the second, more than exp(eps).*",
            "*odd: neither a proof that it is eps-private nor a counterexample: the solver gave up*",
            "*short is not proved eps-private. Bounded: no loss above the claim for up to 4 queries; nothing is known *",
            "What to do: short reads q at fixed places and needs 1 answer: declare them, q: Private[[]1[]]*",
            "If inputs beyond that never occur, accept it: @pytest.mark.dp(allow_bounded=True).*",
            "*wrong: neither a proof *: this is a defect of Kolahal*",
        ]
    )
    assert "pytest_plugin.py" not in result.stdout.str()  # no traceback of ours
    assert "PytestReturnNotNone" not in result.stdout.str()


def test_mechanisms_come_from_returns_names_and_arguments(run, pytester: pytest.Pytester) -> None:
    pytester.makefile(
        ".py",
        stored="@sketch(adjacent=one_within(1))\ndef good(q: Private, eps: Epsilon):\n    return q[0] + Lap(1/eps)\n",
    )
    result = run("""
@pytest.fixture
def mechanism():
    return make("good")

@pytest.mark.dp(eps="2*eps")
def test_fixture(mechanism, tmp_path):
    assert mechanism.name == "good"

@pytest.mark.dp
@pytest.mark.parametrize("m", [make("good"), make("good", "hole").complete("1/eps")])
def test_parameters(m):
    pass

@pytest.mark.dp("stored.py:good")
def test_named():
    pass

class TestMethods:
    @pytest.mark.dp
    def test_method(self):
        return make("good")

def test_what_was_asked():
    pass
""")
    result.assert_outcomes(passed=6)


def test_a_counterexample_to_another_budget_is_told_in_its_terms() -> None:
    sketch = parse("@sketch(adjacent=each_within(1))\ndef f(q: Private[1], rho: Rho):\n    return q[0] + Gauss(0.9*sqrt(1/(2*rho)))\n")
    found = checking.check(sketch)
    assert isinstance(found.verdict, Refuted)
    told = describe_counterexample(found.verdict, sketch, "rho")
    assert "The Rényi divergence of order " in told and told.endswith("·ρ.") and "exp(rho)" not in told


def test_the_claim_is_handed_on(run) -> None:
    result = run(
        """
@pytest.mark.dp(eps="2*eps")
def test_claim(request):
    request.addfinalizer(lambda: print("asked", ASKED))
    return make("good")
""",
        "-s",
    )
    result.stdout.fnmatch_lines(["*asked [[]('good', '2[*]eps')[]]*"])


def test_a_failing_body_fails_before_anything_is_checked(run) -> None:
    result = run("""
@pytest.mark.dp
def test_body():
    assert make("good").name == "bad"
""")
    result.assert_outcomes(failed=1)


@pytest.mark.parametrize(
    ("marker", "words"),
    [
        ("@pytest.mark.dp", "found no mechanism"),
        ("@pytest.mark.dp(level=2)", "level"),
        ("@pytest.mark.dp(1, 2)", "target=None"),
        ("@pytest.mark.dp('nowhere.py')", "K001"),
        ("@pytest.mark.dp('svt', eps='2*epsi')", "epsi"),
    ],
)
def test_mistakes_are_named(run, marker: str, words: str) -> None:
    result = run(f"""
{marker}
def test_nothing():
    pass
""")
    result.assert_outcomes(failed=1)
    told = result.stdout.str()
    assert words in told and "pytest_plugin.py" not in told and "another exception" not in told


def test_the_plugin_is_declared_and_cheap() -> None:
    pyproject = Path(__file__).parents[1] / "pyproject.toml"
    assert '[project.entry-points.pytest11]\nkolahal = "kolahal.pytest_plugin"' in pyproject.read_text()
    code = "import sys, kolahal.pytest_plugin; print([m for m in ('numpy', 'scipy', 'z3', 'flint', 'click') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "[]", done.stderr


def test_a_path_is_looked_for_beside_the_test(pytester: pytest.Pytester) -> None:
    """Wherever pytest was started; and what is wrong with a file is told without our own code around it."""
    folder = pytester.mkdir("below")
    program = "@sketch(adjacent=one_within(1))\ndef f(q: Private[1], eps: Epsilon):\n    return {}q[0] + Lap(1/eps)\n"
    (folder / "mechanisms.py").write_text(program.format(""))
    (folder / "broken.py").write_text(program.format("round(q) + "))
    (folder / "test_beside.py").write_text(
        "import pytest\n\n@pytest.mark.dp('mechanisms.py:f')\ndef test_good():\n    pass\n\n"
        "@pytest.mark.dp('broken.py')\ndef test_broken():\n    pass\n"
    )
    plugin = () if INSTALLED else ("-p", "kolahal.pytest_plugin")
    result = pytester.runpytest_inprocess(*plugin, "-p", "no:cacheprovider", "-p", "no:xdist", "below")
    result.assert_outcomes(passed=1, failed=1)
    text = result.stdout.str()
    assert "error K102" in text and "pytest_plugin.py" not in text
