"""The second hunt's judge is right, nothing it is given wrongly passes, and it finds nothing in 60 programs; `make hunt` looks at more."""

from __future__ import annotations

import itertools
import math
import random
from dataclasses import replace
from fractions import Fraction

import pytest
from bench.second_hunt import emitted, judging, refutations, summary
from bench.second_hunt.judging import Effort, Finding, judge
from bench.second_hunt.losses import (
    FINE,
    ROUGH,
    Inputs,
    Loss,
    are_neighbours,
    certain_loss,
    exceeds,
    inputs_for,
    moves_of,
    pair_of,
    read_signature,
    search_loss,
    values_for,
)
from bench.second_hunt.machine import Limits, Support, build, each_path, names_for, run
from bench.second_hunt.programs import HEAD, write
from bench.second_hunt.smaller import make_small

from kolahal.emission.program import emit as write_program
from kolahal.errors import KolahalError
from kolahal.lang.read.parse import parse
from kolahal.model import Estimate
from kolahal.proof.find import lengths
from kolahal.proof.refute.refute import refute
from kolahal.results import Check
from kolahal.verdicts import AtLeast, Certificate, Everywhere, Proved, Unknown

BLOCKS, EACH = 10, 15  # 150 programs
FEW = 4  # blocks of them in `make test`


def program(body: str, relation: str = "one_within(1)", private: str = "Private[int]", more: str = "") -> str:
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    return f"{HEAD}\n\n@sketch(adjacent={relation})\ndef hunted(q: {private}, {more}eps: Epsilon):\n{lines}\n"


def worst(text: str, count: int = 40, step: Fraction = Fraction(1), claim: float = math.inf) -> Loss:
    """The largest certain loss on some inputs; an infinite claim lets all of them be tried."""
    signature = read_signature(text)
    inputs = itertools.islice(inputs_for(signature, random.Random(1), step), count)
    return search_loss(pair_of(build(text), signature, step), inputs, claim, quick=10_000).worst


# ---------------------------------------------------------------- no contradiction


@pytest.mark.parametrize("block", [*range(FEW), *(pytest.param(b, marks=pytest.mark.hunt) for b in range(FEW, BLOCKS))])
def test_no_verdict_is_contradicted(block: int) -> None:
    seeds = range(10_000_000 + EACH * block, 10_000_000 + EACH * (block + 1))
    findings = [judge(write(seed), seed, Effort(refuter=seed % 5 == 0, seconds=20, inputs=5)) for seed in seeds]
    assert [f for f in findings if f.contradiction] == []
    # A hunt that decides nothing, or compares nothing, would pass too.
    assert sum(f.verdict.startswith(("proved", "bounded")) for f in findings) >= EACH / 5
    assert sum(f.known for f in findings) >= EACH / 2
    assert sum(f.verdict == "refused" for f in findings) <= EACH / 5


def test_few_programs_are_refused_and_many_are_broken() -> None:
    refused, broken = 0, 0
    for seed in range(60):
        text = write(seed)
        try:
            parse(text)
        except KolahalError:
            refused += 1
            continue
        broken += exceeds(worst(text, count=3, claim=1.0))
    assert refused <= 3
    assert 10 <= broken <= 40


# ---------------------------------------------------------------- the judge is right


def three(name: str, _: object) -> Support:
    """Noise with few values, so that whole runs of Python can be counted."""
    return Support(((0, 0.5), (1, 0.3), (2, 0.2)) if "Exp" in name else ((-1, 0.25), (0, 0.5), (1, 0.25)), 0.0)


def test_steps_give_what_whole_runs_of_python_give() -> None:
    compared = 0
    for seed in range(120):
        text = write(seed)
        signature, machine = read_signature(text), build(text)
        for inputs in itertools.islice(inputs_for(signature, random.Random(seed), Fraction(1)), 2):
            values = values_for(signature, inputs, False)
            paths = list(itertools.islice(each_path(text, values, three), 800))
            if len(paths) == 800:
                continue
            expected: dict[object, float] = {}
            for answer, chance in paths:
                expected[answer] = expected.get(answer, 0.0) + chance
            found = run(machine, values, Limits(10**6, 0.0), names_for(three))
            assert found.stopped == pytest.approx(expected.pop(None, 0.0)), (seed, text)
            assert found.answers == pytest.approx(expected), (seed, text)
            compared += 1
    assert compared > 180


@pytest.mark.parametrize("seed", range(6))
def test_one_release_loses_what_its_scale_says(seed: int) -> None:
    scale = random.Random(seed).choice((0.5, 0.75, 1, 1.5, 2, 3, 4))
    assert worst(program(f"return q[0] + DiscreteLap({scale}/eps)")).value == pytest.approx(1 / scale, abs=1e-2)


LOSSES = {
    "two releases": ("return q[0] + DiscreteLap(2/eps), q[0] - DiscreteLap(2/eps)", 1.0),
    "two answers": ("return [x + DiscreteLap(2/eps) for x in q]", 0.5),
    "nothing private": ("a, b = [0], [1]\na, b = b, a\nreturn a", 0.0),
    "a swap": ("a, b = [0], [1]\nif q[0] > 0:\n    a, b = b, a\nreturn a[0]", math.inf),
    "another name": ("a, b = [0], [1]\nc = a\nif q[0] > 0:\n    c = b\nreturn c[0]", math.inf),
    "a list and a tuple": ("if q[0] > 0:\n    return [1, 1]\nreturn 1, 1", math.inf),
    "a number and a truth value": ("if q[0] > 0:\n    return True\nreturn 1", math.inf),
    "one-sided": ("return q[0] + DiscreteExp(4/eps)", math.inf),
    "a run that stops": ("if q[0] > 0:\n    return q[7]\nreturn 1", math.inf),
    "noise that is compared": ("return DiscreteLap(1/eps) > DiscreteLap(1/eps)", 0.0),
}


@pytest.mark.parametrize("name", LOSSES)
def test_known_losses(name: str) -> None:
    body, expected = LOSSES[name]
    found = worst(program(body)).value
    # Where runs were cut off, an infinite loss shows as a large one.
    assert found > 3 if expected == math.inf else found == pytest.approx(expected, abs=1e-2)


def test_a_comparison_loses_what_the_formula_says() -> None:
    """P(q + noise > 0) by hand, for q = 0 and q = 1."""
    text = program("return q[0] + DiscreteLap(1/eps) > 0")
    inputs = Inputs((Fraction(0),), (Fraction(1),), Fraction(1))
    first, second = pair_of(build(text), read_signature(text), Fraction(1))(inputs, FINE) or ()
    r = math.exp(-1)
    assert first.answers["True"] == pytest.approx(r / (1 + r), abs=1e-6)
    assert second.answers["True"] == pytest.approx(1 / (1 + r), abs=1e-6)
    assert certain_loss(first, second, Fraction(1)).value == pytest.approx(1, abs=1e-4)


def test_what_is_cut_off_never_makes_a_loss_larger() -> None:
    text = program("t = DiscreteLap(2/eps)\nif q[0] + DiscreteLap(2/eps) > t:\n    return t\nreturn 0")
    inputs = Inputs((Fraction(0),), (Fraction(1),), Fraction(1))
    pair = pair_of(build(text), read_signature(text), Fraction(1))
    limits = [Limits(9**9, 1e-5, 1e-3), ROUGH, FINE, Limits(9**9, 1e-14, 1e-12)]
    found = [pair(inputs, one) for one in limits]
    losses = [certain_loss(*two, Fraction(1)).value for two in found if two]
    assert losses == sorted(losses) and losses[-1] == pytest.approx(0.5, abs=1e-6)
    for first, second in filter(None, found):
        for one in (first, second):
            assert sum(one.answers.values()) + one.stopped + one.unknown == pytest.approx(1)


def test_a_loop_without_a_bound_is_cut_off() -> None:
    text = program("n = 0\nwhile DiscreteLap(1/eps) + q[0] >= -100:\n    n += 1\nreturn n")
    inputs = Inputs((Fraction(0),), (Fraction(1),), Fraction(1))
    first, _ = pair_of(build(text), read_signature(text), Fraction(1))(inputs, ROUGH) or ()
    assert first.unknown > 0.9


@pytest.mark.parametrize("relation", ["each_within", "one_within", "sum_within", "monotone"])
def test_neighbours_are_those_of_the_language(relation: str) -> None:
    text = program("return 0", f"{relation}(2)", "Private[2]")
    signature, sketch = read_signature(text), parse(text)
    steps = [Fraction(k, 2) for k in range(-6, 7)]
    start = (Fraction(1), Fraction(0))
    for move in itertools.product(steps, repeat=2):
        other = (start[0] + move[0], start[1] + move[1])
        assert are_neighbours(signature, start, other) == sketch.adjacency.related(start, other)
        assert (move in moves_of(signature, 2, Fraction(1, 2))) == (any(move) and sketch.adjacency.allows(move))
    assert not are_neighbours(signature, start, (*start, Fraction(0)))
    whole = read_signature(program("return 0", f"{relation}(2)", "Private[int]"))
    assert not are_neighbours(whole, start, (Fraction(3, 2), Fraction(0)))


# ---------------------------------------------------------------- what is wrong is caught

BROKEN = {
    "a swap": program("a, b = [0], [1]\nif q[0] > 0:\n    a, b = b, a\nreturn a[0]"),
    "a swap in a loop": program("a, b = [0], [1]\nfor x in q:\n    if x > 0:\n        a, b = b, a\nreturn a"),
    "too little noise": program("return q[0] + DiscreteLap(0.9/eps)"),
    "noise used twice": program("t = DiscreteLap(1/eps)\nreturn q[0] + t, t"),
    "only where N is small": program("if N < 1:\n    return q[0]\nreturn q[0] + DiscreteLap(1/eps)", more="N: int, "),
    "real noise": program("return q[0] + Lap(0.8/eps)", private="Private"),
    "a tie": program("if q[0] + Lap(1/eps) == 0:\n    return q[0]\nreturn 7", private="Private"),
    "a tie that is not written": program(
        "x = q[0] + Lap(2/eps)\nif x > 0:\n    return 1\nelif x >= 0:\n    return q[0] + 50\nreturn 2",
        private="Private",
    ),
}


def believe(monkeypatch: pytest.MonkeyPatch, verdict: Proved) -> None:
    """Plant a verdict, and an emitter that writes whatever it is given."""
    monkeypatch.setattr(lengths, "prove_every_length", lambda *_: verdict)
    monkeypatch.setattr(judging, "emit_checked", lambda sketch, _: write_program(sketch))


@pytest.mark.parametrize("name", BROKEN)
def test_a_prover_that_believes_anything_is_caught(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    believe(monkeypatch, Proved(Certificate("{}"), Everywhere()))
    found = judge(BROKEN[name], 1, Effort(inputs=40, emitted=40, seconds=60))
    assert found.contradiction.startswith("proved, every length"), found


def test_a_proof_is_held_to_what_it_covers_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    text = BROKEN["only where N is small"]
    wrong = Proved(Certificate("{}"), Everywhere(), (AtLeast("N"),))
    believe(monkeypatch, wrong)
    assert judging.covers(wrong, Inputs((Fraction(0),), (Fraction(1),), Fraction(1), (("N", Fraction(1)),)))
    assert not judging.covers(wrong, Inputs((Fraction(0),), (Fraction(1),), Fraction(1), (("N", Fraction(0)),)))
    # The emitted program takes N = 0, and so its claim is wrong whatever the proof assumes.
    assert "of the emitted program" in judge(text, 1, Effort(inputs=40, emitted=40, seconds=60)).contradiction


def test_another_emitted_program_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    private, other = (program(f"return q[0] + Lap({c}/eps)", private="Private") for c in ("1", "0.5"))
    assert not judge(private, 1, Effort(emitted=10, seconds=60)).contradiction
    monkeypatch.setattr(judging, "emit_checked", lambda *_: write_program(parse(other)))
    assert "of the emitted program" in judge(private, 1, Effort(emitted=10, seconds=60)).contradiction


def test_an_emitted_program_loses_what_its_text_loses() -> None:
    text = program("if q[0] + DiscreteLap(2/eps) > q[-1]:\n    return [1, q[0] + DiscreteLap(2/eps)]\nreturn 0")
    signature = read_signature(text)
    plain = pair_of(build(text), signature, Fraction(1))
    handed = emitted.load(write_program(parse(text))).pair(signature)
    for inputs in itertools.islice(inputs_for(signature, random.Random(3), Fraction(1)), 4):
        for one, other in zip(plain(inputs, ROUGH) or (), handed(inputs, ROUGH) or (), strict=True):
            assert one.answers and one.answers == pytest.approx(other.answers)


def test_a_refuter_that_computes_wrongly_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    for text in (program("return q[0] + DiscreteLap(0.5/eps)"), program("return q[0] + Lap(0.5/eps) > 0")):
        sketch = parse(text)
        found = refute(sketch, lengths.Scale(Fraction(1), (("eps", 1),)), judging.SETTINGS)
        assert found is not None
        machine, signature = build(text), read_signature(text)
        assert refutations.flaw(machine, signature, found) == ""
        off = Estimate(0.9, 0.9, 0.9, 0)
        wrong = replace(found, odds=replace(found.odds, p1=off))
        assert "is said to be 0.9" in refutations.flaw(machine, signature, wrong)
        far = replace(found, example=replace(found.example, d2=tuple(x + 9 for x in found.example.d1)))
        assert "no neighbours" in refutations.flaw(machine, signature, far)
        enough = program("return q[0] + DiscreteLap(1/eps)" if "Discrete" in text else "return q[0] + Lap(1/eps) > 0")
        assert refutations.flaw(build(enough), signature, found)
        monkeypatch.setattr(judging, "refute", lambda *_, wrong=wrong: wrong)
        monkeypatch.setattr(judging, "prove_bounded", lambda *_: Unknown("no"))
        monkeypatch.setattr(lengths, "prove_every_length", lambda *_: Unknown("no"))
        assert judge(enough, 1, Effort(seconds=60)).contradiction.startswith("refuted, and")


def test_a_crash_and_bounds_that_cross_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    text = program("return q[0] + DiscreteLap(1/eps)")
    monkeypatch.setattr(lengths, "prove_every_length", lambda *_: 1 / 0)
    assert judge(text, 1, Effort()).contradiction.startswith("crash in the proof for every length")
    proved = Proved(Certificate("{}"), Everywhere())
    monkeypatch.setattr(judging, "check", lambda *_, **__: Check(proved, 1.5, 1.0))
    assert judge(text, 1, Effort(everyone=True)).contradiction.startswith("a defect: the lower bound 1.5 is above")
    monkeypatch.setattr(judging, "check", lambda *_, **__: Check(Unknown("seen", defect=True), 0.0, None))
    assert judge(text, 1, Effort(everyone=True)).contradiction.startswith("a defect: seen")


# ---------------------------------------------------------------- what is shown


def test_shrinking_keeps_what_matters() -> None:
    text = next(t for t in map(write, range(200)) if "for" in t and "if" in t and t.count("\n") > 14)
    small = make_small(text, lambda other: "for" in other and "return" in other)
    assert len(small) < len(text) and "for" in small and small.count("\n") <= 9


def test_the_summary_counts_everything() -> None:
    findings = [
        Finding(1, "unknown", "time", "proved and not"),
        Finding(2, "refused", "K143"),
        Finding(3, "proved", loss=2),
    ]
    text = summary(findings, 2.0)
    assert "3 programs in 2 s (1.5 a second); contradictions: 1" in text
    assert "     1  refused: K143" in text
