"""Events learned from made-up answers, where the best event is known beforehand."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from kolahal.engine.outputs import UNSET, Outputs, hits, pack
from kolahal.model import AllOf, Anything, Arguments, Equals, Example, OneOf, StartsWith, Within, contains
from kolahal.tester.discrete_parts import sort_answers
from kolahal.tester.learned_events import Criterion, learn_events
from kolahal.tester.runs import tally_of

CRITERION = Criterion(test_runs=100_000, margin=2.33, caution=2.0)
RUNS = 4000


def learn(first: list[Any], second: list[Any], keep: int = 1) -> tuple[Any, ...]:
    return learn_events(pack(first), pack(second), (CRITERION,), keep)


def units(name: str, *shape: int) -> Any:
    return np.random.default_rng([ord(letter) for letter in name]).laplace(size=shape or (RUNS,))


def test_a_single_value():
    noise = units("value")
    first, second = [[float(v) for v in np.clip(np.round(noise + shift), -2, 2)] for shift in (0.0, 1.0)]
    (found,) = learn(first, second)
    assert found.event == Equals(Fraction(-2)) and not found.flipped


def test_a_half_line():
    noise = units("line")
    (found,) = learn(list(noise + 1), list(noise))
    low, high = found.event.low, found.event.high
    assert not found.flipped and high is None and low >= Fraction(1, 2)
    assert low.denominator <= 100, "a threshold is a short decimal"


def test_a_union_by_likelihood_ratio():
    rng = np.random.default_rng(3)
    p1, p2 = [0.2, 0.3, 0.2, 0.3], [0.1, 0.4, 0.1, 0.4]
    first, second = ([float(v) for v in rng.choice(4, size=RUNS, p=p)] for p in (p1, p2))
    found = learn(first, second, keep=3)
    assert OneOf((Equals(Fraction(0)), Equals(Fraction(2)))) in [f.event for f in found]


def test_the_beginning_of_a_list():
    rng = np.random.default_rng(4)
    tails = rng.random((RUNS, 6)) < 0.5
    heads1, heads2 = rng.random((2, RUNS)) < np.array([[0.6], [0.3]])
    first, second = ([(bool(h), *map(bool, t)) for h, t in zip(heads, tails)] for heads in (heads1, heads2))
    (found,) = learn(first, second)
    assert found.event == StartsWith((True,)) and not found.flipped


def test_a_box_where_two_numbers_move():
    noise = units("box", 3, RUNS)
    first, second = ([tuple(row) for row in (noise + np.array([[shift], [0.0], [shift]])).T] for shift in (0.0, 1.0))
    (found,) = learn(first, second)
    assert isinstance(found.event, AllOf) and found.event.events[1] == Anything()
    assert all(isinstance(found.event.events[i], Within) for i in (0, 2))


def test_a_number_that_only_follows_another_is_left_out():
    noise = units("follows", 2, RUNS)
    made = []
    for shift in (0.0, 1.0):
        lead = noise[0] + shift
        made.append([tuple(row) for row in np.stack([lead, lead + 5 * noise[1]]).T])
    (found,) = learn(*made)
    assert isinstance(found.event, AllOf)
    assert found.event.events[1] == Anything()


def test_a_number_behind_a_discrete_part():
    noise = units("mixed")
    flags = np.random.default_rng(1).random(RUNS) < 0.5
    first, second = (
        [(False, float(v)) if flag else (True,) for flag, v in zip(flags, noise + shift)] for shift in (0.0, 1.0)
    )
    (found,) = learn(first, second)
    assert isinstance(found.event, AllOf)
    assert found.event.events[0] == Equals(False)
    assert isinstance(found.event.events[1], Within)


def test_atoms_among_numbers():
    """A number that comes up again and again is a value, although the others are a continuum."""
    noise = units("atoms")
    first, second = ([float(v) for v in np.maximum(noise + shift, 0.0)] for shift in (0.0, 1.0))
    answers = sort_answers(pack(first), pack(second))
    assert answers.count == 2
    assert {answers.whole(code) for code in (0, 1)} == {Equals(Fraction(0)), Within(None, None)}
    assert Equals(Fraction(0)) in [found.event for found in learn(first, second, keep=4) if not found.flipped]


@pytest.mark.parametrize("kind", ["numbers", "lists", "mixed", "scalars"])
def test_the_score_is_that_of_the_event_as_written(kind):
    """The counts behind a score, made from cells, are those of the event that stands for them."""
    rng = np.random.default_rng(8)
    noise = rng.laplace(size=(3, RUNS))

    def answers(shift: float) -> list[Any]:
        x = noise + shift
        match kind:
            case "numbers":
                return [float(v) for v in x[0]]
            case "lists":
                return [tuple(map(float, row)) for row in x.T]
            case "mixed":
                return [(False, float(a)) if b > 0 else (True,) if c > 0 else None for a, b, c in x.T]
            case _:
                return [float(round(v)) for v in x[0]]

    first, second = answers(0.0), answers(1.0)
    d1, d2 = (Fraction(0),), (Fraction(1),)
    learned = learn(first, second, keep=12)
    # A union is scored on the half of the runs that did not put its cells in order.
    simple = [found for found in learned if not isinstance(found.event, OneOf)]
    assert len(simple) >= 3
    for found in simple:
        tally = tally_of(Example(d1, d2, found.event, Arguments(Fraction(1), 1)), pack(first), pack(second))
        assert tally.hits1 == sum(contains(found.event, answer) for answer in first)
        score = CRITERION.of(tally.flipped() if found.flipped else tally)
        assert found.score <= score + 1e-9
        assert found.score >= score - 0.1


def test_rare_luck_does_not_win():
    """Two equal distributions with many values: no event promises a loss."""
    rng = np.random.default_rng(2)
    first, second = ([float(v) for v in rng.integers(0, 60, RUNS)] for _ in range(2))
    learned = learn(first, second, keep=5)
    assert learned and all(found.score < 0.1 for found in learned)


def test_hits_of_learned_events_agree_with_the_definition():
    noise = units("agree", 2, 500)
    first, second = ([tuple(map(float, row)) for row in (noise + shift).T] for shift in (0.0, 1.0))
    learned = learn(first, second, keep=6)
    assert len(learned) == 6
    for found in learned:
        assert hits(found.event, pack(first)).tolist() == [contains(found.event, answer) for answer in first]


def test_values_beyond_an_answer_are_not_looked_at_where_nobody_tells_numbers():
    """Kernels do not clear them: whatever is left in memory must change no event and no count."""
    rng = np.random.default_rng(4)

    def answers(chance: float) -> Outputs:
        stops = np.minimum(rng.geometric(chance, RUNS), 6)
        return pack([(*(False,) * (stop - 1), True) if stop < 6 else (False, None) for stop in stops.tolist()])

    def spoil(outputs: Outputs) -> Outputs:
        left_over = rng.choice([np.nan, np.inf, 1e300, 1.0], size=outputs.values.shape)
        return Outputs(outputs.lengths, outputs.kinds, np.where(outputs.kinds == UNSET, left_over, outputs.values))

    first, second = answers(0.5), answers(0.3)
    found = learn_events(first, second, (CRITERION,), 6)
    assert len(found) > 2 and found == learn_events(spoil(first), spoil(second), (CRITERION,), 6)
    assert all((hits(one.event, first) == hits(one.event, spoil(first))).all() for one in found)
