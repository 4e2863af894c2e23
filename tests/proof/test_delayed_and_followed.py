"""Noise that is only named, and lists of noise that are read at variables: what they mean, and what is never proved."""

from __future__ import annotations

import json
import random
from fractions import Fraction

import pytest
from every_length import load
from named_programs import BROKEN, PROVED, Namer, text
from test_segments import ONE, both_ways

from known.attacks.brute import find_settings, is_violated, read_programs, usual_arguments
from kolahal.lang.ir import Comprehension, walk
from kolahal.lang.source import SketchError
from kolahal.model import Arguments
from kolahal.proof.find.bounded import prove_bounded
from kolahal.proof.find.lengths import prove_every_length
from kolahal.proof.trusted.certificate import recheck
from kolahal.proof.trusted.values import Unsupported
from kolahal.verdicts import Bounded, Certificate, Proved, Unknown

# ---------------------------------------------------------------- meaning


@pytest.mark.parametrize("block", range(4))
def test_segments_mean_what_the_reference_means(block: int) -> None:
    """The reference draws where the text says; the noise of a name and of an item is the same, wherever it is drawn."""
    answered = 0
    for seed in range(30 * block, 30 * block + 30):
        try:
            sketch = load(Namer(random.Random(seed)).program())
        except SketchError:
            continue
        count = sum(isinstance(node, Comprehension) for node in walk(sketch.body))
        for trial in range(4):
            rng = random.Random(trial)
            size = rng.randint(1, 5)
            database = tuple(Fraction(rng.randint(-3, 3)) for _ in range(size))
            arguments = Arguments(ONE, size, (("T", Fraction(rng.randint(-2, 2))),))
            released = frozenset(range(count)) if trial == 3 else frozenset[int]()
            try:
                answered += both_ways(sketch, released, database, arguments, trial, delayed=trial != 2)
            except Unsupported:
                break
    assert answered > 25


# ---------------------------------------------------------------- what is proved is true

@pytest.mark.parametrize("name", PROVED)
def test_what_is_proved_is_true(name: str) -> None:
    """The bounded proof draws where the text says, and the brute force knows nothing of proofs."""
    shown = text(*PROVED[name])
    sketch = load(shown)
    assert isinstance(prove_every_length(sketch), Proved)
    assert isinstance(prove_bounded(sketch, size=2), Bounded)
    assert not violations(shown, most=6)


def violations(shown: str, most: int) -> bool:
    program = read_programs(shown)["f"]
    given = usual_arguments(program, (Fraction(3),)) | {"T": (Fraction(0),)}
    settings = list(find_settings(program, (1, 2), (Fraction(0), Fraction(1)), given))
    chosen = random.Random(0).sample(settings, min(most, len(settings)))
    return any(is_violated(program, setting, Fraction(1), 1e-2) for setting in chosen)


# ---------------------------------------------------------------- what is not private is not proved

@pytest.mark.parametrize("name", BROKEN)
def test_what_is_not_private_is_not_proved(name: str) -> None:
    shown = text("each_within", BROKEN[name])
    assert isinstance(prove_every_length(load(shown)), Unknown)
    assert violations(shown, most=30)


# ---------------------------------------------------------------- certificates


def test_when_noise_is_drawn_is_part_of_the_proof() -> None:
    verdict = prove_every_length(load(text(*PROVED["named"])))
    assert isinstance(verdict, Proved)
    document = json.loads(verdict.certificate.text)
    assert document["delayed"] is True and recheck(verdict.certificate) == []
    for other in (False, None, 1, "true", [True]):
        assert recheck(Certificate(json.dumps({**document, "delayed": other}))) != []
    del document["delayed"]
    assert recheck(Certificate(json.dumps(document))) != []


@pytest.mark.parametrize("part", ["ghost", "follow"])
def test_the_ghost_of_an_item_is_no_variable(part: str) -> None:
    verdict = prove_every_length(load(text(*PROVED["the largest"])))
    assert isinstance(verdict, Proved) and "item 1 at best" in verdict.certificate.text
    document = json.loads(verdict.certificate.text)
    (case,) = document["cases"]
    if part == "ghost":
        case["ghost"] = "item 1 at best"
    else:
        (rule,) = case["alignment"]
        rule["then"]["follow"] = "item 1 at best"
        rule["words"] = rule["words"].replace("2 × the distance", "2 × the distance plus the difference of `item 1 at best`")
    failures = recheck(Certificate(json.dumps(document)))
    assert failures != [] and not any("in words" in failure for failure in failures)
