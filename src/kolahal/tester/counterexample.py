"""A trial in words, and as a program that shows its two frequencies again."""

from __future__ import annotations

import math
import re

from kolahal.engine.engines import choose_engine
from kolahal.lang.read.scopes import OURS
from kolahal.lang.sketch import Sketch
from kolahal.losses import log_ratio
from kolahal.model import Database, Example, Scales, Trial, describe_event, show
from kolahal.settings import ALPHA, TesterSettings
from kolahal.tester.runs import Question, count


def describe(trial: Trial) -> str:
    """The trial's example, its two frequencies and what follows, in a few sentences."""
    example, p1, p2 = trial.example, trial.odds.p1, trial.odds.p2
    epsilon = float(example.arguments.epsilon)
    ratio = math.exp(min(700.0, log_ratio(p1.value, p2.value)))
    times = f"{show(ratio)} times as often" if p2.value else "never there"
    lines = [
        f"On d1 = {show(example.d1)}, {describe_event(example.event)} in {p1.value:.4%} of {p1.runs:,} runs;",
        f"on its neighbour d2 = {show(example.d2)}, in {p2.value:.4%}: {times}, where ε allows {math.exp(epsilon):.4g}",
        f"({example.arguments}).",
    ]
    if trial.p_value < ALPHA:
        lines.append(f"That is a violation, p = {trial.p_value:.2g};")
    else:
        lines.append(f"That is no sure violation, p = {trial.p_value:.2g};")
    lines.append(f"the true ε is at least {trial.epsilon_lower:.4g}, at confidence {trial.confidence:.4g}.")
    return " ".join(lines)


def frequencies(
    sketch: Sketch, example: Example, runs: int = 1_000_000, seed: int = 0, scales: Scales = ()
) -> tuple[float, float]:
    """How often the example's event happens on d1 and on d2; `scales` fill the holes, if there are any."""
    engine = choose_engine(sketch, total_runs=2 * runs).name
    question = Question(sketch, scales, example.arguments, TesterSettings(), seed, engine)
    (tally,) = count(question, [example], "frequencies", runs)
    return tally.hits1 / tally.runs, tally.hits2 / tally.runs


def reproduce(trial: Trial, sketch: Sketch) -> str:
    """A Python program that runs the mechanism again on both databases and prints how often the event happens."""
    example = trial.example
    text = str(sketch).rstrip()
    words = set(re.findall(r"\w+", text))
    names = [name for name in _PUBLIC if name in words]
    model = [name for name in _MODEL if name in set(re.findall(r"\w+", repr(example)))]
    runs = trial.odds.p1.runs
    return f'''"""{describe(trial)}"""

import math
from fractions import Fraction

from kolahal import {", ".join(sorted([*names, "sketch"]))}
from kolahal.tester.trial import frequencies
from kolahal.model import {", ".join(model)}


{text}


def numbers(text):
    return tuple(Fraction(word) for word in text.split())


example = Example(
    d1=numbers("{_words(example.d1)}"),
    d2=numbers("{_words(example.d2)}"),
    event={example.event!r},
    arguments={example.arguments!r},
)
p1, p2 = frequencies({sketch.name}, example, runs={runs}, seed=1)
print(f"P(event on d1) is about {{p1:.6g}}, P(event on d2) is about {{p2:.6g}}")
print(f"ratio {{p1 / p2 if p2 else math.inf:.6g}}, allowed {{math.exp(example.arguments.epsilon):.6g}}")
'''


def _words(database: Database) -> str:
    return " ".join(show(value) for value in database)


_PUBLIC = sorted(OURS - {"sketch"})
_MODEL = ("AllOf", "Anything", "Arguments", "Equals", "Example", "Linear", "OneOf", "StartsWith", "Within")
