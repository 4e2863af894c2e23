"""Programs that loop for ever, explode or wander: an answer within the budget, by counting and not by the clock."""

import math
import time
from dataclasses import replace

import pytest

from kolahal.checking import check
from kolahal.cli import base
from kolahal.emission.program import emit
from kolahal.engine import batch, kernel, reference
from kolahal.errors import KolahalError
from kolahal.lang.read.parse import parse
from kolahal.model import Arguments
from kolahal.paths import explore as symbolic
from kolahal.paths.explore import Explorer, explore
from kolahal.paths.state import MOST_WORK
from kolahal.roads.methods import synthesize
from kolahal.settings import TesterSettings as Profile
from kolahal.tester.runs import STEPS_A_RUN, afford, cost_of_a_run
from kolahal.tester.trial import test_mechanism as ask
from kolahal.verdicts import Unknown

HEAD = "@sketch(adjacent=each_within(1))\ndef hostile(q: Private, eps: Epsilon):\n"
QUICK = Profile.quick()


def hostile(text: str):
    return parse(HEAD + "".join(f"    {line}\n" for line in text.strip("\n").split("\n")))


NEVER_ENDS = {
    "a condition that stays": "i = 0\nwhile i < 1:\n    i = i + 0\nreturn q[0] + Lap(1/eps)",
    "a value that grows": "x = q[0]\nwhile x >= 0:\n    x = x + 1\nreturn x + Lap(1/eps)",
    "a list that grows": "out = []\ni = 0\nwhile i < 1:\n    out.append(q[0] + Lap(1/eps))\nreturn out",
    "a billion turns": "s = 0\nfor i in range(1000000000):\n    s = s + 1\nreturn q[0] + Lap(1/eps)",
    "a list of a billion": "a = [i for i in range(1000000000)]\nreturn q[0] + Lap(1/eps)",
}
LARGE_NUMBERS = {
    "squares": "x = 3\nfor i in range(100):\n    x = x * x\nreturn x * q[0] + Lap(1/eps)",
    "fractions": "x = 0.3\nfor i in range(60):\n    x = x * x + 0.1\nif x > 1:\n    return 0\nreturn q[0] * q[0] + Lap(1/eps)",
}
# Every turn of these has several noisy comparisons: 3^40, 2^20 and 19^n paths.
FLAT = "".join(f"    if y + Lap(1/eps) > {i}:\n        c = c + 1\n" for i in range(20))
NESTED = "".join(f"{'    ' * (i + 1)}if y + Lap(1/eps) > {i}:\n{'    ' * (i + 2)}c = c + 1\n" for i in range(12))
EXPLODES = {
    "a loop of branches": "s = 0\nfor i in range(20):\n    for x in q:\n        if x + Lap(1/eps) > s:\n"
    "            s = s + 1\n        elif x + Lap(2/eps) > 0:\n            s = s - 1\nreturn s",
    "twenty branches": f"c = 0\nfor x in q:\n    y = x + Lap(1/eps)\n{FLAT}return c",
    "nested branches": f"c = 0\nfor x in q:\n    y = x + Lap(1/eps)\n{NESTED}return c",
    "a noisy walk": "x = q[0]\nn = 0\nwhile x > 0:\n    x = x + Lap(1/eps)\n    n = n + 1\nreturn n",
}


@pytest.fixture
def impatient(monkeypatch):
    """Engines that give up a loop after 20,000 turns and not after a million, to save time."""
    for module in (reference, batch, kernel):
        monkeypatch.setattr(module, "MOST_TURNS", 20_000)


def test_a_loop_that_cannot_end_is_refused_when_it_is_read():
    with pytest.raises(KolahalError, match="K214"):
        hostile("x = q[0] + Lap(1/eps)\nwhile True:\n    x = x + 1\nreturn x")


@pytest.mark.parametrize("name", ["a value that grows", "a list that grows", "a list of a billion"])
def test_the_test_of_a_program_without_an_end_says_so(name, impatient):
    with pytest.raises(KolahalError, match=r"did not end|no end"):
        ask(hostile(NEVER_ENDS[name]), 1, QUICK, 0)


@pytest.mark.parametrize("text", [*EXPLODES.values(), *NEVER_ENDS.values()], ids=[*EXPLODES, *NEVER_ENDS])
def test_following_all_paths_is_given_up_within_the_budget(text, monkeypatch):
    """Counted, not timed: the work that was done is at most the budget and one step."""
    made = []

    class Watched(Explorer):
        def __init__(self, *args):
            super().__init__(*args)
            made.append(self)

    monkeypatch.setattr(symbolic, "Explorer", Watched)
    found = explore(hostile(text), 5, {}, 5_000)
    assert isinstance(found, Unknown) and any(word in found.reason for word in ("steps", "paths", "turns", "goes on"))
    (explorer,) = made
    assert explorer.work <= MOST_WORK * 1.1


@pytest.mark.parametrize("text", LARGE_NUMBERS.values(), ids=LARGE_NUMBERS)
def test_numbers_that_outgrow_all_bounds_end_as_unknown(text):
    found = check(hostile(text))
    assert isinstance(found.verdict, Unknown) and "binary digits" in found.verdict.reason


def test_coefficients_that_outgrow_all_bounds_are_given_up():
    found = explore(hostile("x = q[0]\nfor i in range(9000):\n    x = x + x\nreturn x + Lap(1/eps)"), 1, {}, 5_000)
    assert isinstance(found, Unknown) and "binary digits" in found.reason


def test_a_check_without_a_proof_or_a_test_is_unknown_with_both_reasons(impatient):
    found = check(hostile("x = q[0]\nwhile x * x >= 0:\n    x = x + 1\nreturn x + Lap(1/eps)"))
    assert isinstance(found.verdict, Unknown)
    assert "no test" in found.verdict.reason and "did not end" in found.verdict.reason


def test_products_of_noise_end_as_unknown():
    wandering = """
x = Lap(2/eps)
s = 0
for a in q:
    y = a + Lap(4/eps)
    s = s + y * x * y
    if s * s * x > y * x + s:
        return 1
    x = x * y - s * x
return 0
"""
    found = check(hostile(wandering))
    assert isinstance(found.verdict, Unknown) and found.trial is not None


def test_a_sketch_without_an_end_is_refused_by_the_search(impatient):
    with pytest.raises(KolahalError, match=r"did not end|no end"):
        synthesize(hostile("x = q[0] + Lap(hole)\nwhile x * x >= 0:\n    x = x + 1\nreturn x"), method="exact")


# ---------------------------------------------------------------- ten thousand queries

MANY = 10_000
ABOVE = """
t = Lap(2/eps)
for x in q:
    if x + Lap({scale}/eps) > t:
        return True
return False
"""


def test_a_command_without_a_limit_ends_too(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(base, "PATIENCE", 2)
    program = tmp_path / "hostile.py"
    program.write_text(str(hostile(EXPLODES["twenty branches"])))
    assert base.main(["check", str(program), "--workers", "1"]) == base.UNKNOWN
    assert "stopped after 2 s" in capsys.readouterr().out


def test_a_dear_run_is_made_less_often():
    sketch = hostile(ABOVE.format(scale=4))
    cost = cost_of_a_run(sketch, (), Arguments(1, MANY, ()))
    assert cost == 2 * MANY, "also where a run on zeros stops early"
    few = afford(Profile(), 2 * MANY)
    assert few.test_runs * 2 * MANY <= Profile().test_runs * STEPS_A_RUN
    assert afford(Profile(), STEPS_A_RUN) == Profile()


def test_a_run_that_ends_early_where_all_answers_are_alike_is_counted_where_they_are_not():
    """Permute-and-flip takes the first place that it tries if all are as good, and looks at most of them if one is better."""
    sketch = hostile("""
top = max(q)
left = [i for i in range(len(q))]
while len(left) > 0:
    i = left[choose([0 for x in left], 1)]
    if Exp(2/eps) >= top - q[i]:
        return i
    left = [x for x in left if x != i]
return 0
""")
    assert cost_of_a_run(sketch, (), Arguments(1, 40, ())) > 10 * 40


@pytest.mark.parametrize("size", [1_000, MANY])
def test_ten_thousand_queries_are_tested(size):
    """A sum with a tenth of the noise it needs: its p-value is tiny, so a false alarm is no concern."""
    sketch = hostile(f"s = 0\nfor x in q:\n    s = s + x\nreturn s + Lap({size // 10}/eps)")
    trial = ask(sketch, 1, replace(QUICK, sizes=(size,), joint_sizes=(size,)), 0)
    assert len(trial.example.d1) == size and trial.p_value < 1e-6


def test_ten_thousand_queries_run_in_an_emitted_program():
    space: dict = {"__name__": "emitted"}
    exec(compile(emit(hostile("return [x + Lap(1/eps) for x in q]")), "emitted", "exec"), space)
    start = time.process_time()
    answer = space["hostile"]([float(i) for i in range(MANY)], 1.0)
    assert len(answer) == MANY and all(map(math.isfinite, answer))
    assert abs(sum(answer) / MANY - (MANY - 1) / 2) < 0.2  # 14 standard deviations of the mean
    assert time.process_time() - start < 60
