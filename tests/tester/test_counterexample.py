import re
import subprocess
import sys
from fractions import Fraction

import pytest

import kolahal.settings as config
from kolahal.model import make_arguments
from kolahal.sketches.gallery import load_one
from kolahal.tester.counterexample import describe, frequencies, reproduce
from kolahal.tester.trial import test as ask
from kolahal.tester.trial import test_mechanism as ask_mechanism

HALF = Fraction(1, 2)


@pytest.mark.parametrize(
    ("name", "scales"),
    [("noisy_max_1", ("1/eps",)), ("smart_sum", ("1/eps", "1/eps")), ("svt", ("1/eps", "N/eps"))],
)
def test_the_program_shows_the_frequencies_again(name, scales, tmp_path):
    sketch = load_one(name).complete(*scales).filled()
    trial = ask_mechanism(sketch, HALF, config.TesterSettings.profile("quick"), 0)
    path = tmp_path / "again.py"
    path.write_text(reproduce(trial, sketch), encoding="utf-8")
    done = subprocess.run([sys.executable, path], capture_output=True, text=True, check=True)
    p1, p2 = (float(number) for number in re.findall(r"is about ([\d.e-]+)", done.stdout))
    # Two estimates of one probability, each within 6 standard errors of it: false alarm below 1e-8.
    for found, before in ((p1, trial.odds.p1), (p2, trial.odds.p2)):
        assert abs(found - before.value) < 9 * (before.value / before.runs) ** 0.5
    assert f"allowed {1.64872}" in done.stdout


def test_frequencies_take_the_scales_of_holes():
    sketch = load_one("noisy_max_1")
    trial = ask(sketch, (2.0,), make_arguments(sketch, HALF, 5, {}), config.TesterSettings.profile("quick"), 0)
    p1, p2 = frequencies(sketch, trial.example, runs=20_000, scales=(2.0,))
    assert p1 == pytest.approx(trial.odds.p1.value, abs=0.03)
    assert p2 == pytest.approx(trial.odds.p2.value, abs=0.03)


def test_a_trial_in_words():
    sketch = load_one("noisy_max_1")
    arguments = make_arguments(sketch, HALF, 5, {})
    broken = describe(ask(sketch, (2.0,), arguments, config.TesterSettings.profile("quick"), 0))
    assert "That is a violation" in broken and "times as often" in broken and "ε = 0.5" in broken
    assert "no sure violation" in describe(ask(sketch, (8.0,), arguments, config.TesterSettings.profile("quick"), 0))
    assert "never there" in describe(ask(sketch, (0.0,), arguments, config.TesterSettings.profile("quick"), 0))
