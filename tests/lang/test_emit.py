"""Emitted programs, as they are handed out: run from their files, with noise from a tape, against the reference."""

from __future__ import annotations

import ast
import inspect
import itertools
import json
import math
import random
import subprocess
import sys
import threading
import time
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

import kolahal
from examples import examples
from kolahal import check, checking
from kolahal.cli import main
from kolahal.emission import release as emission
from kolahal.emission.program import emit, load_emitted
from kolahal.emission.promise import BOUNDED, PROVED, Promise
from kolahal.emission.resolution import read_shifts
from kolahal.engine import reference
from kolahal.engine.faults import RunError
from kolahal.engine.noise import FAMILIES
from kolahal.engine.tape import Turns
from kolahal.errors import KolahalError, UsageError
from kolahal.exact.probe import event_probability
from kolahal.lang.adjacency import RELATIONS, EachWithin
from kolahal.lang.ir import Return, Var
from kolahal.lang.noise import Noise
from kolahal.lang.patch import without_idle
from kolahal.lang.read.parse import parse
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Mechanism, Parameter, Role, Sketch, Type
from kolahal.lang.source import SketchError
from kolahal.lang.templates import runtime
from kolahal.model import AllOf, Arguments, Equals, Estimate, Event, Example, Odds, Within, contains, make_arguments
from kolahal.paths.cuts import CannotIntegrate
from kolahal.results import Check
from kolahal.sketches.gallery import GALLERY, load_one
from kolahal.verdicts import AtLeast, Bounded, Certificate, Proved, Refuted, Unknown
from strategies import answers, argument_sets, completions, databases_of, sketches

steps = st.lists(st.integers(-(2**44), 2**44) | st.integers(-3, 3), max_size=20)


class TapeOver(Exception):
    """A run that asks for more noise than the tape has."""


class TapeNoise:
    """Whole numbers from a list in place of noise."""

    def __init__(self, tape: list[int]):
        self.tape = list(tape)

    def __repr__(self) -> str:
        return "<NOT RANDOM, NOT PRIVATE: noise from a tape, for tests>"

    def laplace(self, scale: Fraction) -> int:
        if not self.tape:
            raise TapeOver
        return self.tape.pop(0)

    def exponential(self, scale: Fraction) -> int:
        return abs(self.laplace(scale))


def promised(program: Sketch | Mechanism, claim: str = "eps", kind: str = PROVED, **known: Any) -> Promise:
    """What a certificate without a proof in it would promise; `emit` takes it for one of this program."""
    filled = program.filled() if isinstance(program, Mechanism) else program
    document = {"program": str(filled), "claim": claim, "cases": [], **known.pop("document", {})}
    return Promise(kind, "Proved, for all.", Certificate(json.dumps(document)), **known)


def inputs_of(sketch: Sketch, database: tuple[Fraction, ...], arguments: Arguments) -> dict[str, Any]:
    return {**arguments.environment(sketch), sketch.private.name: list(database)}


loaded = lru_cache(8)(load_emitted)  # several runs of one program


def run_emitted(text: str, inputs: dict[str, Any], tape: list[int]) -> Any:
    function = loaded(text)
    space = function.__globals__
    return space["_run"](function.__wrapped__, function._rounds, (), inputs, TapeNoise(tape))


def grids(text: str, sketch: Sketch, inputs: dict[str, Any]) -> tuple[Fraction, Fraction]:
    """The grids that an emitted program uses for answers and noise."""
    space = loaded(text).__globals__
    public = {**inputs, sketch.private.name: range(len(inputs[sketch.private.name]))}
    for parameter in sketch.parameters:
        if parameter.type.value == "int":
            public[parameter.name] = int(public[parameter.name])
    rounds = sketch.adjacency.name != "sum_within"
    return space["_grids"](space["_Plan"](**space["_plan"](**public)), rounds)


def run_reference(
    program: Sketch, database: tuple[Fraction, ...], arguments: Arguments, tape: list[int], grid: Fraction
) -> Any:
    """The reference on exact numbers, with noise of whole numbers of steps of the grid."""
    left = list(tape)
    sizes = [draw.scale.at(arguments.quantities(program)) for draw in program.draws if isinstance(draw.scale, Scale)]

    def units(noise: Noise, site: int, turns: Turns) -> tuple[Any, ...]:
        if sizes[site] == 0:
            return (Fraction(0),) * FAMILIES[noise].parts
        if not left:
            raise TapeOver
        step = left.pop(0)
        if noise in (Noise.EXPONENTIAL, Noise.GEOMETRIC):
            step = abs(step)
        size = Fraction(float(sizes[site]))  # as the reference takes it; the product with a unit is exact again
        if noise is Noise.DISCRETE_LAPLACE:
            return max(step, 0) / size, max(-step, 0) / size
        return (Fraction(step) * (1 if noise is Noise.GEOMETRIC else grid) / size,)

    return reference.run(program, database, arguments, (), units, number=Fraction)


def plain(answer: Any) -> Any:
    """What an emitted program makes of an exact answer."""
    if isinstance(answer, tuple):
        return tuple(plain(item) for item in answer)
    if isinstance(answer, Fraction):
        return int(answer) if answer.denominator == 1 else float(answer)
    return answer


def assert_means(mechanism: Mechanism, database: tuple[Fraction, ...], arguments: Arguments, tape: list[int], text: str = "") -> bool:
    """The emitted file does what the reference does, with the same noise, on rounded inputs; whether both answer. `text` is the
    file, if it is known."""
    program = mechanism.filled()
    text = text or emit(mechanism)
    inputs = inputs_of(program, database, arguments)
    try:
        grid, noise_grid = grids(text, program, inputs)
    except (ValueError, ZeroDivisionError):  # public arguments that are refused
        with pytest.raises(ValueError):
            run_emitted(text, inputs, tape)
        return False
    rounded = tuple(math.floor(answer / grid + Fraction(1, 2)) * grid for answer in database)
    try:
        expected = run_reference(program, rounded, arguments, tape, noise_grid)
    except RunError:
        with pytest.raises((RuntimeError, ValueError)):
            run_emitted(text, inputs, tape)
        return False
    except TapeOver:
        with pytest.raises((TapeOver, ValueError)):
            run_emitted(text, inputs, tape)
        return False
    try:
        found = run_emitted(text, inputs, tape)
    except ValueError as error:
        assert any(word in str(error) for word in ("grid", "scale"))
        return False
    found = tuple(found) if isinstance(found, list) else found
    assert repr(found) == repr(plain(expected))
    return True


def test_an_emitted_file_does_what_the_mechanism_means() -> None:
    answered = []

    @settings(max_examples=60)
    @given(st.data())
    def compare(data: st.DataObject) -> None:
        sketch = data.draw(sketches())
        if data.draw(st.booleans()):
            sketch = parse(str(sketch))
        mechanism = sketch.complete(*data.draw(completions(len(sketch.holes))))
        database = data.draw(databases_of(sketch))
        answered.append(assert_means(mechanism, database, data.draw(argument_sets(len(database))), data.draw(steps)))

    compare()
    assert sum(answered) >= 10, "the others refuse their inputs, or fault"


def textbook(name: str) -> Mechanism:
    return load_one(name).complete(*GALLERY[name].textbook[0])


@pytest.mark.parametrize("name", GALLERY)
def test_the_emitted_gallery_does_what_it_means(name: str) -> None:
    answered, mechanism = [], textbook(name)
    text = emit(mechanism)

    @settings(max_examples=8)
    @given(st.data())
    def compare(data: st.DataObject) -> None:
        database = tuple(data.draw(st.lists(answers, max_size=6)))
        given_arguments = {"T": data.draw(answers), "N": Fraction(2), "M": Fraction(3)}
        arguments = make_arguments(mechanism.sketch, Fraction(1, 2), len(database), given_arguments)
        tape = data.draw(st.lists(st.integers(-(2**44), 2**44), min_size=15, max_size=15))
        answered.append(assert_means(mechanism, database, arguments, tape, text))

    compare()
    assert sum(answered) >= 5


@pytest.mark.parametrize("name", GALLERY)
def test_an_emitted_mechanism_parses_to_itself(name: str) -> None:
    """So the file that is handed out can be checked, and is what was checked."""
    text = emit(textbook(name), command="again")
    assert parse(text) == textbook(name).filled()
    assert emit(parse(text), command="again") == text
    text = emit(textbook(name), promised(textbook(name)))
    assert parse(text) == textbook(name).filled()


OTHERS = {
    "one answer at a time": ("one_within(1)", "eps: Epsilon", "out = []\n    for x in q:\n        out.append(x + Lap(1/eps))\n    return out"),
    "discrete Gaussian noise": ("one_within(1)", "rho: Rho", "return [x + Gauss(1/sqrt(2*rho)) for x in q]"),
    "rounded Gaussian noise": ("one_within(1)", "mu: Mu", "return [x + Gauss(1/mu) for x in q]"),
    "a root in a scale": ("one_within(1)", "rho: Rho", "return [x + Lap(1/sqrt(2*rho)) for x in q]"),
    "a chosen place with a root": ("each_within(1)", "rho: Rho", "return choose(q, 1/sqrt(2*rho))"),
    "delta": ("one_within(1)", "eps: Epsilon, delta: Delta", "return [x + Gauss(1/gdp(eps, delta)) for x in q]"),
}


@pytest.mark.parametrize("backend", ["python", "opendp"])
@pytest.mark.parametrize("name", OTHERS)
def test_an_emitted_program_is_read_whatever_support_code_it_has(name: str, backend: str) -> None:
    relation, budget, body = OTHERS[name]
    if backend == "opendp" and "Mu" in budget:
        pytest.skip("OpenDP has no such measure")
    program = parse(f"@sketch(adjacent={relation})\ndef f(q: Private, {budget}):\n    {body}\n")
    online = name == "one answer at a time"
    text = emission.emit(program, backend=backend, online=online)
    assert parse(text) == program
    assert ("class F(_Online)" in text) == online
    for changed in (text.replace("range(", "list(range(", 1), text.replace("\n\nclass _", "\nLap = None\n\nclass _", 1)):
        with pytest.raises(KolahalError):
            parse(changed)


def test_an_emitted_program_over_records_is_not_judged_by_its_aggregates() -> None:
    with pytest.raises(SketchError) as caught:
        parse(emit(load_one("clipped_mean").complete("150/eps", "3/eps")))
    assert [fault.code for fault in caught.value.diagnostics] == ["K011"]


@examples(25, quick=10)
@given(st.data())
def test_an_emitted_program_parses_to_itself(data: st.DataObject) -> None:
    sketch = data.draw(sketches())
    mechanism = sketch.complete(*data.draw(completions(len(sketch.holes))))
    text = emit(mechanism)
    if "Fraction_" not in text:  # a name of the program's own that is called Fraction
        assert without_idle(parse(text).body) == without_idle(mechanism.filled().body)


# ---------------------------------------------------------------- how it reads

COMMENTED = '''\
from kolahal import Lap as L, hole, sketch, each_within, Private, Epsilon
import kolahal as k


class Holder:
    # Above the decorator.
    @sketch(adjacent=each_within(1))  # who
    def above(
        q: Private,  # the answers
        T: "float" = 0.1,
        eps: Epsilon = 1,
    ) -> print("evaluated when the function is defined"):
        """The first, or "0".

        Ends in a backslash: \\\\"""
        # First comment.
        t: print("never") = T + L(hole)  # the threshold
        u: float
        for i in range(len(q)):
\t\t\t# odd indentation
            if q[i] + k.Lap(hole) > t / 4:
                return i + 1  # found \u202e\x07
        return 0
        # Last comment.

# Not part of it.
'''


def test_the_users_words_stay(capsys: pytest.CaptureFixture[str]) -> None:
    text = emit(parse(COMMENTED).complete("2/eps", "4/eps"))
    own = text[text.index("# Above the decorator.") : text.index("\n\n\n# Inputs, and")]
    assert (
        own
        == '''\
# Above the decorator.
# who
# the answers
@sketch(adjacent=each_within(1))
def above(q: Private, T: float = 0.1, eps: Epsilon = 1):
    """The first, or "0".

    Ends in a backslash: \\\\
    """
    # First comment.
    t = T + Lap(2/eps)  # the threshold
    pass
    for i in range(len(q)):
\t\t\t# odd indentation
        if q[i] + Lap(4/eps) > t / 4:
            return i + 1  # found \ufffd\ufffd
    return 0
    # Last comment.'''
    )
    above = load_emitted(text)
    assert above([1e6], T=0, eps=5) == 1 and inspect.getdoc(above).endswith("backslash: \\")
    assert capsys.readouterr().out == ""


def words_of(text: str) -> str:
    return " ".join((ast.get_docstring(ast.parse(text)) or "").split())


def test_the_docstring_says_what_is_claimed_and_known() -> None:
    svt = textbook("svt")
    flat = words_of(emit(svt, promised(svt, "2*eps", assumed=(AtLeast("N"),)), "kolahal check x.py", "2*eps"))
    assert flat.startswith(
        "svt: a program that answers with differential privacy. Claim. Take two lists q of equal length"
    )
    for part in (
        "every answer may move by at most 1", "exp(2*eps)", "for every eps above 0 and every N >= 1, whatever T is",
        "Verdict. Proved, for all.", "Accepted, everything else is refused: N >= 1.",
        "To find out again: kolahal check x.py", "Lap(2/eps), Lap(4*N/eps)", "How long a run takes", "memory", "--self-test",
    ):  # fmt: skip
        assert part in flat


def test_without_a_promise_nothing_is_claimed() -> None:
    flat = words_of(emit(textbook("sum")))
    assert flat.startswith(
        "sum: a program with noise; nothing is claimed about its privacy. Verdict. Unknown: nobody has checked"
    )
    for part in ("Claim.", "differential privacy", "keeps the claim", "exp("):
        assert part not in flat


def test_a_bounded_promise_is_kept_to() -> None:
    bounded = {"kind": BOUNDED, "most": 4, "values": (1, 3), "assumed": (AtLeast("N"),)}
    text = emit(textbook("svt"), promised(textbook("svt"), **bounded))
    flat = words_of(text)
    assert "differential privacy for at most 4 private answers and N from 1 to 3, and refuses others." in flat
    assert "of equal length, with at most 4 answers, that are neighbours" in flat
    assert "for every eps above 0 and every N from 1 to 3, whatever T is" in flat
    svt = load_emitted(text)
    assert len(svt([0, 0, 0, 0], 3, 1e9, 1)) == 4 and svt([], 1, 0, 1) == []
    with pytest.raises(ValueError, match="q may have at most 4 answers, and 5 were given: nothing is known"):
        svt([0] * 5, 3, 0, 1)
    for wrong in (0, 4):
        with pytest.raises(ValueError, match="N must be from 1 to 3: nothing is known of this program elsewhere"):
            svt([0], wrong, 0, 1)


def test_what_a_proof_assumes_is_enforced() -> None:
    """Also where no scale uses it, but the claim does."""
    source = program("return q[0] + Lap(1/eps)")
    f = load_emitted(emit(source, promised(source, "N*eps", assumed=(AtLeast("N"),)), claim="N*eps"))
    assert isinstance(f([0], 1, 0, 1), int | float)
    with pytest.raises(ValueError, match="N must be at least 1: nothing is known of this program elsewhere; give"):
        f([0], 0, 0, 1)
    for assumed in (AtLeast("T"), AtLeast("M"), AtLeast("N >= 1 or True")):
        with pytest.raises(UsageError, match="nobody would enforce what its proof assumes"):
            emit(source, promised(source, assumed=(assumed,)))


def test_what_the_program_requires_is_enforced_without_a_proof() -> None:
    f = load_emitted(
        emit(program("x = 0\nfor i in range(3):\n    if i % N == 0:\n        x = x + q[0]\nreturn x + Lap(1/eps)"))
    )
    with pytest.raises(ValueError, match="N must be at least 1"):
        f([0], 0, 0, 1)


def test_declared_answers_are_enforced() -> None:
    head = (
        "@sketch(adjacent=one_within(1))\ndef f(q: Private[{}], eps: Epsilon):\n    return q[0] + DiscreteLap(1/eps)\n"
    )
    three, whole, both = (load_emitted(emit(parse(head.format(kind)))) for kind in ("3", "int", "int, 2"))
    assert (
        isinstance(three([0.5, 1, 2], 1), float)
        and isinstance(whole([4], 1), int)
        and isinstance(both([4.0, 5], 1), int)
    )
    for f, database in ((three, [1, 2]), (three, []), (both, [1, 2, 3])):
        with pytest.raises(ValueError, match=r"q must have . answers, as this program declares, and . were given"):
            f(database, 1)
    for f, fractional in ((whole, [1, 77.5]), (both, [0, Fraction(77, 2)])):
        with pytest.raises(ValueError, match=r"q\[1\] must be a whole number, as this program declares") as caught:
            f(fractional, 1)
        assert "77" not in str(caught.value)
    flat = words_of(emit(parse(head.format("int, 2")), promised(parse(head.format("int, 2")))))
    assert "two lists q of 2 whole answers each that are neighbours" in flat
    assert len(load_emitted(emit(parse(head.format("int, 7")))).__globals__["_KNOWN"]) == 2


def test_a_promise_is_about_this_program_and_this_claim() -> None:
    one, other = program("return q[0] + Lap(1/eps)"), program("return q[0] + Lap(2/eps)")
    emit(one, promised(one, "1/2*eps"))
    for promise, words in (
        (promised(other), "another program"),
        (promised(one, "2*eps"), r"its certificate is for 2\*eps, not for eps"),
        (promised(one, "N*eps"), "not for eps"),
        (Promise(PROVED, "Proved."), "no certificate"),
        (Promise(PROVED, "Proved.", Certificate("[]")), "no certificate"),
        (Promise(PROVED, "Proved.", Certificate(json.dumps({"program": str(one), "claim": "eps"}))), "no certificate"),
    ):
        with pytest.raises(UsageError, match=words):
            emit(one, promise)


# ---------------------------------------------------------------- hostile programs


HOSTILE = ['"""', 'x"""\nimport os\n"""', "\\", '"', "\\N{DASH}", "{evil}", "a\x00b", "\ud800", "#", "\u202e", "'''"]


@pytest.mark.parametrize("words", HOSTILE)
def test_texts_cannot_break_out(words: str) -> None:
    program = replace(textbook("sum").filled(), doc=words, source=None)
    module = ast.parse(emit(program, Promise(text=words), command=words).encode("utf-8").decode())
    plain_module = ast.parse(emit(replace(program, doc="x"), Promise(text="x"), command="x"))
    kinds = [type(node).__name__ for node in ast.walk(module)]
    assert kinds == [type(node).__name__ for node in ast.walk(plain_module)]


@pytest.mark.parametrize(
    "name", ["__import__", "x\nimport os", "f(", "", "a b", "lambda", "q)\n    evil(", "len", "__doc__"]
)
def test_names_that_nobody_could_have_written_are_refused(name: str) -> None:
    program = textbook("sum").filled()
    with pytest.raises(UsageError):
        emit(replace(program, name=name))
    with pytest.raises(UsageError):
        emit(replace(program, parameters=(*program.parameters, Parameter(name, Role.ARGUMENT, Type.INT))))
    with pytest.raises(UsageError):
        emit(replace(program, body=(Return(Var(name)),)))


@pytest.mark.parametrize(
    "name", ["isinstance", "Fraction", "_run", "_plan", "Private", "sketch", "sum", "print", "os", "type"]
)
def test_a_name_that_the_support_code_needs_does_not_stand_in_its_way(name: str) -> None:
    text = f"@sketch(adjacent=one_within(1))\ndef {name}(q: Private, _Plan: int, {name}: float, eps: Epsilon):\n"
    text += f"    Fraction = {name} * 0.5 + 1 / 4\n    return Fraction + q[0] + Lap(_Plan/eps)\n"
    mechanism = load_emitted(emit(parse(text)))
    assert abs(mechanism([0], 1, 1000, 10) - 500.25) < 100  # a false alarm has probability e^-1000
    assert mechanism.__name__ in (name, f"{name}_mechanism")


def test_a_program_that_does_not_end_can_be_emitted() -> None:
    for body in (
        "while True:\n        x = x + 0 * Lap(1/eps)",
        "while x > 0:\n        x = x * x",
        "for i in range(10000000):\n        x = 1",
    ):
        text = f"@sketch(adjacent=one_within(1))\ndef endless(q: Private, eps: Epsilon):\n    x = 2\n    {body}\n"
        text += "" if "True" in body else "    return x + Lap(1/eps)\n"
        if "True" in body:
            text += "        if x < 0:\n            return x\n"
        assert "_KNOWN: Any = []" in emit(parse(text))


# ---------------------------------------------------------------- the distribution of answers


def cells_of(name: str) -> list[Event]:
    """Events that cover all answers of a gallery mechanism for three queries, no two at once but with probability 0."""
    halves = [Within(None, Fraction(1)), Within(Fraction(1), None)]
    if name == "sum":
        edges = [Fraction(n) for n in range(-4, 10, 2)]
        return [Within(low, high) for low, high in zip([None, *edges], [*edges, None])]
    if name in ("histogram", "smart_sum"):
        return [AllOf(items) for items in itertools.product(halves, repeat=3)]
    if name == "svt":  # it halts after the second True
        lists = {
            items[: 1 + ([*itertools.accumulate(items), 2].index(2))]
            for items in itertools.product((False, True), repeat=3)
        }
        return [Equals(items) for items in sorted(lists)]
    return [Equals(Fraction(n)) for n in range(0 if "above" in name else 1, 4)]


def chi_square_p(name: str, mechanism: Mechanism, truth: Mechanism, runs: int = 4000) -> float:
    """The p-value of answers of the emitted `mechanism` under the exact distribution of `truth`.

    The distribution is that of real noise, which differs from that of noise on the grid by less than 1e-9.
    """
    far = (Fraction(12), Fraction(-9), Fraction(6))  # the noise of SVT is wide
    database = far if name == "svt" else (Fraction(1), Fraction(3, 2), Fraction(0))
    arguments = make_arguments(truth.sketch, Fraction(1), 3, {"T": Fraction(1), "N": Fraction(2), "M": Fraction(2)})
    scales = np.array([arguments.concretise(truth.sketch, truth.completion)])
    cells = cells_of(name)
    exact = [event_probability(truth.sketch, database, arguments, scales, cell) for cell in cells]
    chances = np.array([float(p[0]) for p in exact if not isinstance(p, CannotIntegrate)])
    assert len(chances) == len(cells) and abs(chances.sum() - 1) < 1e-9 and (runs * chances).min() > 20
    function = load_emitted(emit(mechanism))
    inputs = inputs_of(mechanism.sketch, database, arguments)
    counts = np.zeros(len(cells))
    for _ in range(runs):
        answer = function(**inputs)
        answer = tuple(answer) if isinstance(answer, list) else answer
        counts[next(i for i, cell in enumerate(cells) if contains(cell, answer))] += 1
    return float(chisquare(counts, runs * chances).pvalue)


@pytest.mark.parametrize("name", GALLERY)
def test_the_emitted_gallery_has_the_exact_distribution(name: str, seeded: None) -> None:
    """False alarms: one in a million for each, and none with this seed."""
    assert chi_square_p(name, textbook(name), textbook(name)) > 1e-6


@pytest.mark.parametrize("name", ["sum", "svt", "smart_sum"])
def test_another_scale_has_another_distribution(name: str, seeded: None) -> None:
    """So that the test above can fail."""
    wrong = Mechanism(textbook(name).sketch, tuple(s * Scale(Fraction(3, 2)) for s in textbook(name).completion))
    assert chi_square_p(name, wrong, textbook(name)) < 1e-6


def test_long_inputs_run_at_once() -> None:
    """Ten thousand queries take some tenths of a second; a minute would be a fault."""
    for name in ("histogram", "smart_sum", "svt"):
        mechanism = load_emitted(emit(textbook(name)))
        public = {"N": 3, "T": 1e9, "M": 100}
        needed = {p.name: public[p.name] for p in textbook(name).sketch.arguments}
        start = time.process_time()
        assert len(mechanism([0.5] * 10_000, eps=1, **needed)) == 10_000
        assert time.process_time() - start < 60


# ---------------------------------------------------------------- shifts that a proof needs


def test_the_grid_contains_the_shifts_of_the_proof() -> None:
    """Shifts by thirds of the distance are on the grid of the noise where the certificate has them, and only there."""
    sketch = program("return q[0] + Lap(1/eps)")
    inputs = {"q": [0], "N": 1, "T": 0, "eps": 1}
    thirds = json.dumps({"cases": [{"passages": [{"shifts": [{"steps": {"noise1": "-2/3"}, "cost": "2/3"}]}]}]})
    fifths = json.dumps({"cases": [{"alignment": [{"then": {"units": "1/5"}, "else": {"units": "3"}}]}]})
    between = json.dumps({"cases": [{"active": [0], "passages": [{"ends": [["0", "0"], ["-1", "2"]], "shifts": []}]}]})
    for certificate, parts in (("{}", 1), (thirds, 3), (fifths, 5), (between, 3)):
        promise = promised(sketch, document=json.loads(certificate))
        _, noise_grid = grids(emit(sketch, promise), sketch, inputs)
        for denominator in (1, 3, 5):
            assert ((Fraction(1, denominator) / noise_grid).denominator == 1) == (parts % denominator == 0)
    assert [read_shifts(Certificate(thirds), d).parts for d in (Fraction(1, 3), Fraction(4))] == [1, 6]


@pytest.mark.parametrize("name", ["histogram", "above_threshold_1"])
def test_the_proofs_of_the_gallery_need_whole_shifts(name: str) -> None:
    verdict = check(textbook(name)).verdict
    assert isinstance(verdict, Proved) and read_shifts(verdict.certificate, Fraction(1)).parts == 1


# ---------------------------------------------------------------- inputs


SVT = load_emitted(emit(textbook("svt")))
GOOD: dict[str, Any] = {"q": [1, 2.5], "N": 1, "T": 0, "eps": 1}


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"q": [1, math.nan]}, ValueError, r"q\[1\] must be a finite number"),
        ({"q": [-math.inf]}, ValueError, r"q\[0\] must be a finite number"),
        ({"q": [Decimal("NaN")]}, ValueError, "finite"),
        ({"q": [Decimal("1e999999")]}, ValueError, "too large"),
        ({"q": [10**400]}, ValueError, "too large"),
        ({"q": ["77"]}, TypeError, r"q\[0\] must be a number, and it is of type str"),
        ({"q": [None]}, TypeError, "NoneType"),
        ({"q": [True]}, TypeError, "bool"),
        ({"q": [[1]]}, TypeError, "list"),
        ({"q": [1j]}, TypeError, "complex"),
        ({"q": 5}, TypeError, "q must be a list"),
        ({"q": "123"}, TypeError, "q must be a list"),
        ({"q": {1: 2}}, TypeError, "q must be a list"),
        ({"q": {1, 2}}, TypeError, "q must be a list"),
        ({"N": 1.5}, ValueError, "N must be a whole number"),
        ({"N": True}, TypeError, "N must be a number"),
        ({"N": 0}, ValueError, "N must be at least 1"),
        ({"N": -3}, ValueError, "N must be at least 1"),
        ({"T": math.nan}, ValueError, "T must be a finite number"),
        ({"T": "0"}, TypeError, "T must be a number"),
        ({"eps": 0}, ValueError, "eps must be above 0"),
        ({"eps": -0.5}, ValueError, "eps must be above 0"),
        ({"eps": math.nan}, ValueError, "eps must be a finite number"),
        ({"eps": math.inf}, ValueError, "eps must be a finite number"),
        ({"eps": "0"}, ValueError, "eps must be above 0"),
        ({"eps": "1/0"}, ValueError, "eps must be a number above 0"),
        ({"eps": "1e999999999"}, ValueError, "eps must be a number above 0"),
        ({"eps": None}, TypeError, "eps must be a number"),
        ({"sampler": 1}, TypeError, "sampler"),
        ({"_sampler": 1}, TypeError, "_sampler"),
    ],
)
def test_bad_inputs_are_refused_in_words(change: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words) as caught:
        SVT(**{**GOOD, **change})
    assert "77" not in str(caught.value)


def test_good_inputs_of_all_kinds_are_taken() -> None:
    for q in (
        [],
        (1, 2),
        np.array([1.5, 2]),
        np.array([1, 2]),
        [Fraction(1, 3)],
        [Decimal("0.1")],
        [np.float32(0.1)],
        iter([1]),
    ):
        assert all(isinstance(answer, bool) for answer in SVT(q, 1, 0, 1))
    for eps in (1, 0.1, "0.1", "1/10", Fraction(1, 10), Decimal("0.1"), 1e-300, 5e-324, 1e300):
        assert all(isinstance(answer, bool) for answer in SVT([1], np.int64(2), Fraction(1, 3), eps))
    with pytest.raises(TypeError, match="missing"):
        SVT([1])


def test_the_public_signature_is_the_sketchs() -> None:
    assert list(inspect.signature(SVT).parameters) == ["q", "N", "T", "eps"]


def test_a_run_that_stops_does_not_show_private_values() -> None:
    text = "@sketch(adjacent=one_within(1))\ndef f(q: Private, eps: Epsilon):\n    return q[1] / (q[0] - q[0]) + Lap(1/eps)\n"
    f = load_emitted(emit(parse(text)))
    with pytest.raises(RuntimeError, match=r"^f stopped: it divided by zero$") as caught:
        f([7, 123456], 1)
    assert caught.value.__context__ is None and caught.value.__cause__ is None
    with pytest.raises(RuntimeError, match=r"^f stopped: it read a place outside a list, which may be too short$"):
        f([], 1)


def test_the_type_of_an_answer_tells_nothing_but_its_value() -> None:
    """0 that was never touched and 0 that noise happened to give look alike."""
    text = "@sketch(adjacent=one_within(1))\ndef f(q: Private, eps: Epsilon):\n    x = 0\n    if q[0] > 0:\n        x = Lap(1/eps)\n"
    text += "        return [x, 2.5]\n    return [x, 2.5]\n"
    emitted = emit(parse(text))
    assert repr(run_emitted(emitted, {"q": [1], "eps": 1}, [0])) == repr(
        run_emitted(emitted, {"q": [0], "eps": 1}, [0])
    )


def test_an_answer_beyond_all_doubles_is_the_largest_one() -> None:
    text = "@sketch(adjacent=one_within(1))\ndef f(q: Private, eps: Epsilon):\n    return q[0] + Lap(1/eps)\n"
    huge = 2**44 * 10**310
    assert run_emitted(emit(parse(text)), {"q": [0.5], "eps": 1}, [huge + 1]) == sys.float_info.max
    assert run_emitted(emit(parse(text)), {"q": [0.5], "eps": 1}, [-huge - 1]) == -sys.float_info.max


# ---------------------------------------------------------------- the grid

PLAN = runtime._Plan(1, {}, {}, [], [], False, None, None, False)
positive = st.fractions(min_value=Fraction(1, 10**9), max_value=10**9)


@given(
    st.integers(-5000, 5000).map(lambda n: Fraction(n, 16)),
    st.integers(-5000, 5000).map(lambda n: Fraction(n, 16)),
    st.integers(1, 40),
)
def test_rounded_neighbours_are_neighbours(a: Fraction, b: Fraction, multiple: int) -> None:
    grid = Fraction(1, 4)
    first, second = runtime._on_grid("q", [a, b], grid, True)
    if abs(a - b) <= multiple * grid:
        assert abs(first - second) <= multiple * grid
    assert first % grid == 0 and abs(first - a) <= grid / 2


def test_rounding_halves_to_even_would_not_keep_neighbours() -> None:
    assert abs(round(Fraction(1, 2)) - round(Fraction(3, 2))) == 2  # though they are 1 apart


@given(positive, positive, st.lists(positive, max_size=3), st.lists(positive, max_size=3), st.booleans())
def test_the_grid_divides_what_it_must(
    distance: Fraction, scale: Fraction, numbers: list[Fraction], factors: list[Fraction], rounds: bool
) -> None:
    plan = PLAN._replace(distance=distance, scales={"s": scale}, numbers=numbers, factors=factors)
    grid, noise_grid = runtime._grids(plan, rounds)
    for number in (1, distance, *numbers):
        assert (number / grid).denominator == 1
    product = Fraction(1)
    for factor in factors:
        product *= factor
    for multiple in (grid / 2, grid * product, grid / product):  # what private answers become, and what undoes it
        assert (multiple / noise_grid).denominator == 1
    assert scale / grid >= 2**40
    if not numbers and distance == 1:
        assert bin(grid.denominator).count("1") == 1


def test_a_usual_grid_is_a_power_of_two_just_below_the_smallest_scale_over_two_to_the_forty() -> None:
    plan = PLAN._replace(scales={"2/eps": Fraction(4), "4/eps": Fraction(8)})
    assert runtime._grids(plan, True) == (Fraction(4, 2**40), Fraction(4, 2**41))
    assert runtime._grids(plan._replace(numbers=[Fraction(0.1)]), True) == (Fraction(1, 2**55), Fraction(1, 2**56))


def test_where_only_the_sum_is_bounded_nothing_is_rounded() -> None:
    text = "@sketch(adjacent=sum_within(1))\ndef f(q: Private, eps: Epsilon):\n    return [x + Lap(1/eps) for x in q]\n"
    f = load_emitted(emit(parse(text)))
    assert len(f([5e-324, 1e308, 0.1, 7], 1)) == 4
    assert runtime._grids(PLAN._replace(scales={"1/eps": 1}), False)[0] == Fraction(1, 2**1074)
    with pytest.raises(ValueError, match=r"q\[0\] is not on the grid"):
        f([Fraction(1, 3)], 1)


def program(body: str, relation: str = "each_within(1)") -> Sketch:
    head = f"@sketch(adjacent={relation})\ndef f(q: Private, N: int, T: float, eps: Epsilon):\n"
    return parse(head + "".join(f"    {line}\n" for line in body.split("\n")))


@pytest.mark.parametrize(
    ("body", "denominator"),
    [
        ("return q[0] / 3 + Lap(1/eps)", 3),
        ("x = q[0] + Lap(1/eps)\nx = x / 3\nx = x / 5\nreturn x + Lap(1/eps)", 15),
        ("return q[0] * 0.3 + Lap(1/eps)", 30),
        ("x = q[0] / N\ny = x / 7\nreturn y + Lap(1/eps)", 35),
        ("w = 1 / len(q)\ns = 0\nfor x in q:\n    s = s + x * w\nreturn s + Lap(1/eps)", 2),
        ("return q[0] * T + Lap(1/eps)", 9),
        ("t = T + Lap(1/eps)\nreturn 3 * t > q[0] + Lap(1/eps)", 3),
        ("return -1 * q[0] + 1 * Lap(1/eps)", 1),
    ],
)
def test_division_refines_the_grid_and_never_leaves_it(body: str, denominator: int) -> None:
    sketch = program(body)
    text = emit(sketch)
    grid, noise_grid = grids(text, sketch, {"q": [0, 0], "N": 5, "T": Fraction(1, 9), "eps": Fraction(1)})
    assert (Fraction(1, denominator) / noise_grid).denominator == 1 and (grid / noise_grid).denominator == 1


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("return q[0] * q[1] + Lap(1/eps)", "line 3: `q\\[0\\] \\* q\\[1\\]` multiplies two"),
        ("return 1 / q[0] + Lap(1/eps)", "divides by private values"),
        ("return q[0] // 2 + Lap(1/eps)", "floor"),
        ("m = 0\nfor x in q:\n    m = m * 0.9 + x\nreturn m + Lap(1/eps)", "again in every turn"),
        (
            "i = 0\nx = 0\nwhile i < 3:\n    i = i + 1\n    x = q[0] / i + Lap(1/eps)\nreturn x",
            "not fixed before the run",
        ),
        # Public values count as well: which of them a run takes may depend on private data.
        ("x = 1\ni = 1\nwhile i < 3:\n    i = i + 1\n    x = T / i\nreturn max(x, q[0]) + Lap(1/eps)", "not fixed"),
        ("x = T\nfor i in range(3):\n    x = x / 3\nreturn max(x, q[0]) + Lap(1/eps)", "again in every turn"),
        (
            "x = T\ny = T\nfor i in range(3):\n    x = x + 0.1\n    y = x * x\nreturn max(y, q[0]) + Lap(1/eps)",
            "not fixed",
        ),
    ],
)
def test_a_program_that_leaves_every_grid_is_refused(body: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        emit(program(body), promised(program(body)))
    flat = words_of(emit(program(body)))
    assert (
        "nothing is claimed" in flat
        and "Off the grid. What is proved of real noise would not hold for this file" in flat
    )


@pytest.mark.parametrize(
    ("body", "number"),
    [
        ("x = 0\nif q[0] > 0:\n    x = 0.3 * 0.3\nreturn x + Lap(1/eps)", Fraction(9, 100)),
        ("a = 1 / 7\nx = 0\nif q[0] > 0:\n    x = a * a\nreturn x + Lap(1/eps)", Fraction(1, 49)),
        ("x = 0\nfor i in range(3):\n    if q[0] > i:\n        x = i / 11\nreturn x + Lap(1/eps)", Fraction(1, 11)),
        ("x = 0\nif q[0] > 0:\n    x = T * T\nreturn x + Lap(1/eps)", Fraction(1, 81)),
    ],
)
def test_public_numbers_that_private_data_chooses_are_on_the_grid_of_the_noise(body: str, number: Fraction) -> None:
    sketch = program(body)
    text = emit(sketch, promised(sketch))
    _, noise_grid = grids(text, sketch, {"q": [0, 0], "N": 5, "T": Fraction(1, 9), "eps": Fraction(1)})
    assert (number / noise_grid).denominator == 1


SHIFTED = [
    # Divided noise that a draw cancels, or follows, where the runs may have taken it from different draws.
    (
        "y = max(q[0] + Lap(2/eps), q[1] + Lap(2/eps))\nreturn y / 3 + Lap(1/eps)",
        {2: "cancel"},
        "make up for other noise",
    ),
    (
        "y = max(q[0] + Lap(2/eps), q[1] + Lap(2/eps))\nreturn y + 3 * Lap(1/eps)",
        {2: "cancel"},
        "make up for other noise",
    ),
    ("return max(Lap(2/eps), q[1]) / 3 + Lap(1/eps)", {1: "cancel"}, "make up for other noise"),
    (
        "a = [x + Lap(2/eps) for x in q]\nk = 0\nfor i in range(len(q)):\n    if a[i] > a[k]:\n        k = i\n"
        "return a[k] / 3 + Lap(1/eps)",
        {1: "cancel"},
        "make up for other noise",
    ),
    ("a = [x + Lap(2/eps) for x in q]\nk = 0\nreturn a[k] / 3 + Lap(1/eps)", {1: "cancel"}, None),
    ("v = Lap(1/eps)\nif v > q[0]:\n    v = q[0]\nw = v / 3\nb = q[0] + Lap(1/eps)\nreturn b > w", {1: "w"}, "`w`"),
    # Differences that come back divided, turn by turn, through noise that follows them.
    ("v = 0\nb = 0\nfor x in q:\n    b = x + Lap(1/eps)\n    v = b / 3\nreturn v", {0: "v"}, "again in every turn"),
    ("y = max(q[0] + Lap(2/eps), q[1] + Lap(2/eps))\nreturn (y + Lap(1/eps)) / 3", {2: "cancel"}, None),
    ("y = max(q[0] + Lap(2/eps), q[1] + Lap(2/eps))\nreturn 3 * y + Lap(1/eps)", {2: "cancel"}, None),
    ("y = max(q[0] + Lap(2/eps), q[1] + Lap(2/eps))\nreturn y + Lap(1/eps) / 3", {2: "cancel"}, None),
    ("y = max(q[0] + Lap(2/eps), q[1] + Lap(2/eps))\nreturn y / 3 + Lap(1/eps)", {}, None),
    ("y = q[0] + Lap(2/eps)\nreturn y / 3 + Lap(1/eps)", {1: "cancel"}, None),
]


@pytest.mark.parametrize(("body", "rules", "words"), SHIFTED)
def test_noise_is_not_asked_to_make_up_for_finer_noise(body: str, rules: dict[int, str], words: str | None) -> None:
    sketch = program(body)
    still = {"units": "0", "cancel": False, "follow": None}
    forms = [{"then": dict(still)} for _ in sketch.draws]
    for site, rule in rules.items():
        forms[site]["then"] |= {"cancel": True} if rule == "cancel" else {"follow": rule}
    promise = promised(sketch, document={"cases": [{"alignment": forms}]})
    if words is None:
        assert "Claim." in emit(sketch, promise)
        return
    with pytest.raises(UsageError, match=words):
        emit(sketch, promise)


def test_mixtures_that_begin_off_the_grid_are_on_the_grid_of_the_noise() -> None:
    """A change between 1/3 and 10/3 is (c - 1/3)/3 of the way: in ninths, not in thirds."""
    passage = {"ends": [["1/3", "10/3"], ["5/7", "5/7"]], "shifts": []}
    ends = json.dumps({"cases": [{"active": [0], "passages": [passage]}]})
    assert read_shifts(Certificate(ends), Fraction(1)).parts == 9


def test_noise_in_whole_numbers_leaves_answers_as_they_are() -> None:
    """Its shifts are whole in every proof, so that other numbers need not be."""
    text = emit(program("return q[0] + T + DiscreteLap(2/eps)"))
    assert run_emitted(text, {"q": [1.5], "N": 1, "T": 2, "eps": 1}, [5]) == 8.5


def test_ties_follow_the_programs_own_comparison() -> None:
    for sign, wanted in ((">", 1), (">=", 2)):
        text = emit(
            program(
                f"m, v = 0, None\nfor i in range(len(q)):\n    b = q[i] + Lap(2/eps)\n    if v is None or b {sign} v:\n        m, v = i + 1, b\nreturn m"
            )
        )
        assert run_emitted(text, {"q": [1, 0], "N": 1, "T": 0, "eps": Fraction(2)}, [0, 2**41]) == wanted


# ---------------------------------------------------------------- the sampler


@pytest.fixture
def seeded(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same bytes in every run, in place of the operating system's."""
    source = random.Random(20260101)
    monkeypatch.setattr(runtime.os, "urandom", source.randbytes)


class TwiceZero(runtime._Sampler):
    def laplace(self, scale: Fraction) -> int:
        size = self.exponential(scale)
        return -size if self.below(2) else size


class TooWide(runtime._Sampler):
    def exponential(self, scale: Fraction) -> int:
        return super().exponential(scale * Fraction(6, 5))


class Lopsided(runtime._Sampler):
    def laplace(self, scale: Fraction) -> int:
        return super().laplace(scale) + (self.below(8) == 0)


class LinearCoin(runtime._Sampler):
    def happens(self, above: int, below: int) -> bool:
        return self.below(2 * below) >= above  # 1 - x/2 in place of exp(-x)


def test_the_self_test_lets_the_sampler_pass(seeded: None) -> None:
    """False alarms: at most one in a million, and none with this seed."""
    assert runtime._check_sampler(runtime._Sampler()) == []


@pytest.mark.parametrize("wrong", [TwiceZero, TooWide, Lopsided, LinearCoin])
def test_the_self_test_finds_wrong_samplers(wrong: type[runtime._Sampler], seeded: None) -> None:
    assert runtime._check_sampler(wrong()) != []


def test_a_coin_lands_with_probability_exp(seeded: None) -> None:
    """Exact by design; here within 6 standard deviations, a false alarm of 1 in 500 million for each of 5 coins."""
    sampler, runs = runtime._Sampler(), 20_000
    for above, below in ((0, 1), (1, 1), (1, 3), (2**60 - 1, 2**60), (1, 2**60)):
        hits = sum(sampler.happens(above, below) for _ in range(runs))
        chance = math.exp(-above / below)
        assert abs(hits - runs * chance) <= 6 * math.sqrt(runs * chance * (1 - chance)) + 1


def test_uniform_numbers_are_in_range_and_reach_it(seeded: None) -> None:
    sampler = runtime._Sampler()
    for bound in (1, 2, 3, 5, 8):
        assert {sampler.below(bound) for _ in range(400)} == set(range(bound))
    assert sampler.below(2**3000) < 2**3000


def test_no_sampler_outlives_a_call() -> None:
    """A buffer that a fork or a thread could see twice would give the same noise twice."""
    space = SVT.__globals__
    assert not [value for value in space.values() if isinstance(value, space["_Sampler"])]
    results: list[float] = []
    noisy_sum = load_emitted(emit(textbook("sum")))
    threads = [threading.Thread(target=lambda: results.append(noisy_sum([1, 2], 1))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(results)) == 8  # a false alarm has probability below 2^-30


def test_test_noise_says_so() -> None:
    assert "NOT PRIVATE" in repr(TapeNoise([]))
    text = emit(textbook("sum"))
    assert "random.Random" not in text and "seed" not in text and "numpy" not in text


# ---------------------------------------------------------------- the float attack


def share_of_odd_ones(outputs: list[float]) -> float:
    """How often an output is near 0 and not a multiple of 2^-52: the event that gives floating-point noise away."""
    return sum(1 for x in outputs if -0.25 < x < 0.25 and x * 2**52 % 1 != 0) / len(outputs)


def test_the_float_attack_breaks_doubles_and_not_the_emitted_program() -> None:
    """At ε = 1 the event may be at most e times as likely on one of the neighbours 0 and 1; sampling moves both by little.

    The naive shares are 0.203 and 0.026 up to 0.01 (6 standard deviations of 50 000 runs); ours are exactly 0.
    """
    rng = np.random.default_rng(7)
    naive = [share_of_odd_ones([value + float(x) for x in rng.laplace(size=50_000)]) for value in (0.0, 1.0)]
    assert naive[0] > 2 * math.e * naive[1] > 0
    text = "@sketch(adjacent=one_within(1))\ndef f(q: Private, eps: Epsilon):\n    return q[0] + Lap(1/eps)\n"
    ours = load_emitted(emit(parse(text)))
    for value in (0.0, 1.0):
        outputs = [ours([value], 1) for _ in range(4000)]
        assert share_of_odd_ones(outputs) == 0
        assert len([x for x in outputs if -0.25 < x < 0.25]) > 100  # false alarm below 1e-9: at least 330 are expected
        assert all(x * 2**44 % 1 == 0 for x in outputs)


# ---------------------------------------------------------------- as handed out


def run_file(path: Path, *argv: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-I", "-S", str(path), *argv], capture_output=True, text=True, timeout=120)


def test_the_file_stands_alone_and_tests_itself(tmp_path: Path) -> None:
    path = tmp_path / "svt_private.py"
    text = emit(textbook("svt"), promised(textbook("svt")))
    path.write_text(text, encoding="utf-8")
    done = run_file(path, "--self-test")
    assert done.returncode == 0 and "1 in 1000000" in done.stdout and "2 runs" in done.stdout
    assert "Claim." in run_file(path).stdout
    path.write_text(text.replace("Lap(4*N/eps)", "Lap(1/eps)"), encoding="utf-8")
    done = run_file(path, "--self-test")
    assert done.returncode == 1 and "with fixed noise the answer for" in done.stdout
    imported = {
        name.split(".")[0]
        for node in ast.walk(ast.parse(text))
        for name in (
            [a.name for a in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert imported <= sys.stdlib_module_names


@pytest.mark.parametrize("name", GALLERY)
def test_the_gallery_knows_its_answers(name: str) -> None:
    text = emit(textbook(name))
    function = load_emitted(text)
    known = function.__globals__["_KNOWN"]
    assert len(known) == 2 and function.__globals__["_check_known"](function, known) == []


@pytest.mark.parametrize("name", GALLERY)
def test_the_gallery_passes_its_self_test(
    name: str, seeded: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With fewer draws than the files make, at the same rate of false alarms: one in a million."""
    function = load_emitted(emit(textbook(name)))
    space = function.__globals__
    monkeypatch.setitem(space, "_RUNS", 1000)
    monkeypatch.setattr(sys, "argv", ["private.py", "--self-test"])
    assert space["_main"](function, space["_KNOWN"], "") == 0
    assert "gave the known answers" in capsys.readouterr().out


@pytest.mark.parametrize("relation", RELATIONS)
def test_distances_that_are_no_doubles_stay_exact(relation: str) -> None:
    sketch = program("return q[0] + Lap(1/eps)", f"{relation}(1/3)")
    function = load_emitted(emit(sketch))
    plan = function.__globals__["_plan"](range(1), 1, Fraction(0), Fraction(1))
    assert plan["distance"] == Fraction(1, 3) and isinstance(function([0.5], 1, 0, 1), int | float)


def test_a_sketch_with_holes_is_not_emitted() -> None:
    with pytest.raises(UsageError, match="hole"):
        emit(load_one("svt"))
    emit(replace(textbook("svt").filled(), adjacency=EachWithin(Fraction(2))))


# ---------------------------------------------------------------- the command


@pytest.fixture
def complete(tmp_path: Path) -> Path:
    path = tmp_path / "laplace.py"
    path.write_text(f"from kolahal import *\n\n\n{textbook('sum')}")
    return path


def test_the_command_writes_what_is_proved(complete: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "private.py"
    assert main(["emit", str(complete), "--out", str(out), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["verdict"] == "proved" and document["file"] == str(out) and document["withheld"] is None
    assert document["program"] == out.read_text() and words_of(out.read_text()).startswith(
        "sum: a program that answers with"
    )


def test_the_command_writes_a_file_that_was_not_checked_only_by_force(
    complete: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "private.py"
    assert main(["emit", str(complete), "--no-check", "--out", str(out), "--json"]) == 3
    document = json.loads(capsys.readouterr().out)
    assert document["program"] is None and "neither proved nor refuted. `kolahal emit --force`" in document["withheld"]
    assert not out.exists()
    assert main(["emit", str(complete), "--no-check", "--force", "--out", str(out), "--json"]) == 3
    document = json.loads(capsys.readouterr().out)
    assert document["verdict"] == "unknown" and document["file"] == str(out)
    assert document["program"] == out.read_text() and "nobody has checked it" in out.read_text()
    assert main(["emit", str(complete), "--no-check", "--force"]) == 3
    assert capsys.readouterr().out.startswith('"""sum: a program with noise; nothing is claimed about its privacy.')


def test_the_command_has_no_use_for_holes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["emit", "svt"]) == 2
    assert "holes" in capsys.readouterr().err


HALF = Estimate(0.5, 0.5, 0.5, 1)
EXAMPLE = Example((Fraction(0),), (Fraction(1),), Equals(Fraction(0)), Arguments(Fraction(1), 1))


@pytest.mark.parametrize(
    ("verdict", "code", "words"),
    [
        (
            Refuted(EXAMPLE, Odds(HALF, Estimate(0.1, 0.1, 0.1, 1))),
            1,
            "sum is not written, because it is refuted. `kolahal emit --force`",
        ),
        (
            Unknown("too hard"),
            3,
            "sum is not written, because it is neither proved nor refuted. `kolahal emit --force`",
        ),
        (
            Unknown("no", defect=True),
            70,
            "sum is not written, with or without --force: what is known of it contradicts",
        ),
    ],
)
def test_what_is_not_proved_is_written_only_by_force(
    verdict: Refuted | Unknown, code: int, words: str, complete: Path, tmp_path: Path,
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(checking, "check", lambda *_: Check(verdict, 1.6, None))
    monkeypatch.setattr(emission, "check", lambda *_: Check(verdict, 1.6, None))
    out = tmp_path / "private.py"
    assert main(["emit", str(complete), "--out", str(out)]) == code
    assert not out.exists() and words in capsys.readouterr().err
    with pytest.raises(UsageError, match=words):
        kolahal.emit(textbook("sum"))
    with pytest.raises(UsageError, match=words):
        kolahal.emit(textbook("sum"), verdict)
    assert main(["emit", str(complete), "--out", str(out), "--force"]) == code
    if code == 70:
        assert not out.exists()
        return
    flat = words_of(out.read_text())
    assert flat.startswith("sum: a program with noise; nothing is claimed about its privacy. Verdict. ")
    assert "Claim." not in flat and words_of(kolahal.emit(textbook("sum"), force=True)).startswith(flat[:100])


def test_the_door_checks_what_it_hands_out() -> None:
    text = kolahal.emit(textbook("sum"))
    assert "Verdict. Proved, for every length of q." in words_of(text) and "Claim." in text
    with pytest.raises(UsageError, match="refuted"):
        kolahal.emit(load_one("sum").complete("1/2/eps"))


def test_a_bounded_program_is_handed_out_with_its_bounds() -> None:
    """It reads a fixed place, and nothing is said of longer lists."""
    source = parse("@sketch(adjacent=one_within(1))\ndef f(q: Private, N: int, eps: Epsilon):\n"
                   "    y = 0\n    for i in range(N):\n        y = y + i // 2\n    return q[0] + y + Lap(1/eps)\n")  # fmt: skip
    verdict = check(source).verdict
    assert isinstance(verdict, Bounded), verdict
    text = kolahal.emit(source, verdict)
    assert f"for at most {verdict.scope.size} private answers and N from 1 to 3, and refuses others" in words_of(text)
    f = load_emitted(text)
    f([0] * verdict.scope.size, 3, 1)
    with pytest.raises(ValueError, match="nothing is known"):
        f([0] * (verdict.scope.size + 1), 3, 1)
    with pytest.raises(ValueError, match="nothing is known"):
        f([0], 4, 1)


def test_what_cannot_be_carried_to_the_grid_is_written_only_by_force(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "thirds.py"
    path.write_text(
        "from kolahal import *\n\n\n@sketch(adjacent=one_within(1))\ndef f(q: Private, eps: Epsilon):\n    x = 1\n"
        "    for i in range(3):\n        x = x / 3\n    return q[0] + x + Lap(1/eps)\n"
    )
    out = tmp_path / "private.py"
    assert main(["emit", str(path), "--out", str(out)]) == 2
    error = capsys.readouterr().err
    assert not out.exists() and "leave every grid" in error and "--force" in error
    main(["emit", str(path), "--out", str(out), "--force"])
    assert "nothing is claimed" in words_of(out.read_text()) and "Off the grid." in words_of(out.read_text())
