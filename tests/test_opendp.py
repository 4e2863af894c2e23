"""Mechanisms as OpenDP measurements, against the real package."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kolahal
import kolahal.settings as config
from kolahal import synthesize
from kolahal.cli import main
from kolahal.emission.answer_type import answer_type
from kolahal.emission.program import emit, load_emitted
from kolahal.emission.promise import PROVED, Promise
from kolahal.errors import UsageError
from kolahal.lang.adjacency import RELATIONS, OneWithin
from kolahal.lang.read.parse import parse
from kolahal.lang.sketch import Mechanism
from kolahal.lang.templates.measurement import _build_privacy_map, _exact_epsilon, _round_up
from kolahal.opendp import to_opendp
from kolahal.proof.find.bounded import prove_bounded
from kolahal.sketches.gallery import GALLERY, load_one
from kolahal.verdicts import Bounded, Certificate, Unknown

ARGUMENTS = {"T": 1.0, "N": 1, "M": 2}


def textbook(name: str) -> Mechanism:
    return load_one(name).complete(*GALLERY[name].textbook[0])


# ---------------------------------------------------------------- without the package

positive = st.fractions(min_value=Fraction(1, 1000), max_value=1000)


@given(st.sampled_from(sorted(RELATIONS)), positive, positive, positive)
def test_the_privacy_map_pays_for_every_step(
    relation: str, distance: Fraction, epsilon: Fraction, d_in: Fraction
) -> None:
    privacy_map = _build_privacy_map(relation, distance, epsilon)
    loss = privacy_map(d_in)
    assert loss >= epsilon * d_in / distance or relation == "one_within"
    assert loss >= epsilon and privacy_map(0) == 0
    assert privacy_map(2 * d_in) >= loss
    if relation != "one_within":
        assert privacy_map(distance) == _round_up(epsilon)


@given(st.lists(st.integers(-9, 9), max_size=5), positive, positive)
def test_one_answer_at_a_time_costs_no_more_than_the_map_says(
    moves: list[int], distance: Fraction, epsilon: Fraction
) -> None:
    """Whole answers: go from one database to the other one answer at a time, in steps of at most `distance`."""
    steps = sum(math.ceil(abs(move) / distance) for move in moves)
    loss = _build_privacy_map("one_within", distance, epsilon)(sum(map(abs, moves)))
    assert steps * epsilon <= loss


@given(st.fractions())
def test_rounding_goes_up(value: Fraction) -> None:
    rounded = _round_up(value)
    assert Fraction(rounded) >= value and (Fraction(math.nextafter(rounded, -math.inf)) < value)


def test_odd_distances_and_budgets() -> None:
    privacy_map = _build_privacy_map("each_within", Fraction(1), Fraction(1))
    assert privacy_map(math.inf) == privacy_map(math.nan) == privacy_map(-1.0) == math.inf
    assert _round_up(Fraction(10) ** 400) == math.inf
    assert _exact_epsilon("0.1") == Fraction(1, 10) < _exact_epsilon(0.1)
    for bad in (0, -1, "x", math.nan, math.inf, None, "1/0"):
        with pytest.raises(ValueError, match="ε must be"):
            _exact_epsilon(bad)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("return 3", "i64"),
        ("return q[0] + Lap(1/eps)", "f64"),
        ("return q[0] + Lap(1/eps) > 0", "bool"),
        ("return None", "ExtrinsicObject"),
        ("return q", "Vec<f64>"),
        ("return [1, 2]", "Vec<i64>"),
        ("return [x > 0 for x in q]", "Vec<bool>"),
        ("return 1, 2", "ExtrinsicObject"),
        ("return [None, 1]", "ExtrinsicObject"),
        ("if q[0] > 0:\n        return 0\n    return q[0]", "f64"),
        ("if q[0] > 0:\n        return 0\n    return False", "ExtrinsicObject"),
    ],
)
def test_answers_have_opendps_types(body: str, kind: str) -> None:
    assert (
        answer_type(parse(f"@sketch(adjacent=each_within(1))\ndef f(q: Private, eps: Epsilon):\n    {body}\n")) == kind
    )


# ---------------------------------------------------------------- with it


@pytest.fixture
def dp():
    return pytest.importorskip("opendp.prelude", reason="OpenDP is not installed: pip install 'kolahal[opendp]'")


@pytest.mark.parametrize("name", ["histogram", "noisy_max_1", "smart_sum", "svt", "above_threshold_1"])
def test_the_gallery_measures_and_composes(name: str, dp) -> None:
    mechanism = textbook(name)
    needed = {p.name: ARGUMENTS[p.name] for p in mechanism.sketch.arguments}
    measurement = to_opendp(mechanism, 0.5, needed)
    one_answer_moves = isinstance(mechanism.sketch.adjacency, OneWithin)
    database, unit = ([3, 1, 2], 1) if one_answer_moves else ([3.0, 1.0, 2.0], 1.0)
    assert measurement.map(unit) == 0.5 and measurement.check(unit, 0.5) and not measurement.check(unit, 0.4999)
    assert measurement.map(3 * unit) == 1.5
    composed = dp.c.make_composition([measurement, measurement])
    assert composed.map(unit) == 1.0
    answers = composed(database)
    assert len(answers) == 2 and type(answers[0]) is type(measurement(database))


def test_bits_are_measured_by_how_many_are_turned_over(dp) -> None:
    """Against OpenDP's own randomized response: the same loss at the same probability."""
    measurement = to_opendp(load_one("randomized_response").complete("1/eps"), 1.0, {})
    assert measurement.map(1) == 1.0 and measurement.map(3) == 3.0
    assert all(type(bit) is bool for bit in measurement([True, False, True]))
    theirs = dp.m.make_randomized_response_bool(math.e / (1 + math.e))
    assert theirs.map(1) == pytest.approx(1.0)
    two = parse("@sketch(adjacent=sum_within(2))\ndef f(q: Private[bool, 3], eps: Epsilon):\n    return [b != Flip(2/eps) for b in q]\n")
    assert to_opendp(two, 1.0, {}).map(2) == 1.0
    with pytest.raises(kolahal.UsageError, match="bits"):
        to_opendp(load_one("randomized_response").complete("1/eps"), 1.0, {}, T="i64")


def test_the_exponential_mechanism_measures(dp) -> None:
    measurement = to_opendp(parse("@sketch(adjacent=each_within(1))\ndef f(q: Private, eps: Epsilon):\n    return choose(q, 2/eps)\n"), 0.5, {})
    assert measurement.map(1.0) == 0.5 and measurement([3.0, 1.0, 2.0]) in (0, 1, 2)
    theirs = dp.m.make_noisy_max(dp.vector_domain(dp.atom_domain(T="i64")), dp.linf_distance(T="i64"), dp.max_divergence(), scale=4.0)
    assert theirs.map(1) == pytest.approx(0.5)  # exponential noise of scale 2/ε: the same loss


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("T", ["f64", "i64"])
def test_every_relation_has_a_metric(relation: str, T: str, dp) -> None:
    mechanism = parse(
        f"@sketch(adjacent={relation}(2))\ndef f(q: Private, eps: Epsilon):\n"
        "    return [x + Lap(2*len(q)/eps) for x in q]\n"
    )
    if (relation, T) == ("one_within", "f64"):
        with pytest.raises(UsageError, match="sum_within"):
            to_opendp(mechanism, 1, T=T)
        return
    measurement = to_opendp(mechanism, Fraction(1), T=T)
    number = int if T == "i64" else float
    assert measurement.map(number(2)) == (2.0 if relation == "one_within" else 1.0)
    assert measurement.map(number(3)) == (3.0 if relation == "one_within" else 2.0)
    answers = measurement([number(1), number(10**9)])
    assert all(type(answer) is float for answer in answers) and answers[1] > 10**8  # false alarm: e^-10^7


LISTED = "@sketch(adjacent=each_within(1))\ndef f(q: Private, N: int, eps: Epsilon):\n    return q[0] + Lap({}/eps)\n"


def test_only_what_is_proved_becomes_a_measurement(dp) -> None:
    with pytest.raises(UsageError, match=r"f is not eps-private: ⟨.*⟩\nOnly a mechanism that is proved"):
        to_opendp(parse(LISTED.format("1/2*1")), 1.0, {"N": 1})
    for verdict in (Unknown("it is hard"), Unknown("a defect of ours", defect=True)):
        with pytest.raises(UsageError, match="neither proved nor refuted"):
            to_opendp(parse(LISTED.format("1")), 1.0, {"N": 1}, verdict=verdict)


def test_a_bounded_measurement_refuses_what_its_proof_does_not_cover(dp) -> None:
    sketch = parse(LISTED.format("1"))
    verdict = prove_bounded(sketch, size=2)
    assert isinstance(verdict, Bounded)
    measurement = to_opendp(sketch, 1.0, {"N": 3}, verdict=verdict)
    assert measurement.map(1.0) == 1.0 and measurement([1.0, 1e9]) < 1e8
    with pytest.raises(dp.OpenDPException, match="at most 2 answers, and 3 were given"):
        measurement([1.0, 2.0, 3.0])
    with pytest.raises(dp.OpenDPException, match="N must be"):
        to_opendp(sketch, 1.0, {"N": 4}, verdict=verdict)([1.0, 2.0])


def test_it_goes_behind_opendps_own_transformations(dp) -> None:
    counted = dp.t.make_count_by_categories(
        dp.vector_domain(dp.atom_domain(T=str)),
        dp.symmetric_distance(),
        categories=["a", "b"],
        MO=dp.L1Distance["i64"],
        TOA="i64",
    ) >> to_opendp(textbook("histogram"), 1000.0)
    assert [round(x) for x in counted(["a", "a", "b"])] == [2, 1, 0]  # false alarm: 3 e^-500
    assert counted.map(1) == 1000.0


def test_an_emitted_file_builds_the_measurement_by_itself(dp, tmp_path: Path) -> None:
    """The file in a fresh interpreter that knows nothing of kolahal; it composes with OpenDP's own noise."""
    path = tmp_path / "private.py"
    path.write_text(kolahal.emit(textbook("above_threshold_1"), backend="opendp"), encoding="utf-8")
    program = """
import sys
sys.modules["kolahal"] = None
import opendp.prelude as dp
from private import above_threshold_1, make_measurement
above = make_measurement("0.5", {"T": 100.0})
assert above([1.0, 2.0, 1e9]) == 3 == above_threshold_1([1.0, 2.0, 1e9], 100.0, 0.5)
assert above.map(1.0) == 0.5 and above.map(0.25) == 0.5 and above.map(1.5) == 1.0 and above.check(2.0, 1.0)
domain, metric = above.input_space
largest = dp.m.make_noisy_max(domain, metric, dp.max_divergence(), scale=4.0)
both = dp.c.make_composition([above, largest])
assert both([1.0, 2.0, 1e9]) == [3, 2] and both.map(1.0) == 1.0
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    self_test = subprocess.run([sys.executable, str(path), "--self-test"], capture_output=True, text=True, timeout=120)
    assert self_test.returncode == 0


def test_the_claim_is_what_a_step_costs(dp) -> None:
    sketch = textbook("svt")

    def write(claim: str) -> str:
        document = json.dumps({"program": str(sketch.filled()), "claim": claim, "cases": []})
        return emit(sketch, Promise(PROVED, "Proved.", Certificate(document)), claim=claim, backend="opendp")

    make = load_emitted(write("2*N*eps")).__globals__["make_measurement"]
    assert make(0.25, {"N": 3, "T": 0.0}).map(1.0) == 1.5
    with pytest.raises(UsageError, match="length"):
        write("len(q)*eps")
    with pytest.raises(UsageError, match="python or opendp"):
        emit(sketch, backend="spark")


def test_there_is_no_measurement_of_which_nothing_is_known(dp) -> None:
    broken = parse(
        "@sketch(adjacent=one_within(1))\ndef f(q: Private, eps: Epsilon):\n    return q[0] + Lap(1/(2*eps))\n"
    )
    with pytest.raises(UsageError, match="f is not eps-private"):
        to_opendp(broken, 1.0)
    with pytest.raises(UsageError, match="no OpenDP measurement of f: it would claim a loss, and unknown: nobody"):
        emit(broken, backend="opendp")


def test_whole_answers_are_whole_for_opendp(dp) -> None:
    text = "@sketch(adjacent=sum_within(2))\ndef f(q: Private[int], eps: Epsilon):\n    return [x + DiscreteLap(2/eps) for x in q]\n"
    measurement = to_opendp(parse(text), 1.0)
    assert (measurement.map(1), measurement.map(3)) == (1.0, 2.0) and len(measurement([3, 4])) == 2
    with pytest.raises(UsageError, match="takes whole answers"):
        to_opendp(parse(text), 1.0, T="f64")


def test_a_measurement_keeps_to_the_bounds_of_its_proof(dp) -> None:
    source = parse(
        "@sketch(adjacent=sum_within(1))\ndef f(q: Private, eps: Epsilon):\n"
        "    return q[0] + Lap(1/eps) + len(q) * len(q)\n"
    )
    verdict = prove_bounded(source, size=2)
    assert isinstance(verdict, Bounded)
    measurement = to_opendp(source, 1.0, verdict=verdict)
    assert isinstance(measurement([1.0, 2.0]), float)
    with pytest.raises(dp.OpenDPException, match="at most 2 answers, and 3 were given"):
        measurement([1.0, 2.0, 3.0])


def test_a_result_becomes_a_measurement(dp) -> None:
    found = synthesize(load_one("histogram"), config.Settings(tester=config.TesterSettings.quick()))
    counts = found.to_opendp("0.1")
    assert counts.map(1) >= 0.1 and len(counts([5, 0, 2])) == 3


def test_the_commands_write_files_for_opendp(dp, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["synth", "sum", "--workers", "1", "--out", str(tmp_path), "--backend", "opendp"]) == 0
    emitted = tmp_path / "sum_opendp.py"
    assert load_emitted(emitted.read_text()).__globals__["make_measurement"](1).map(2) == 2.0
    assert main(["emit", str(emitted), "--backend", "opendp"]) == 0
    assert "def make_measurement(" in capsys.readouterr().out
    assert main(["emit", str(emitted), "--no-check", "--force", "--backend", "opendp"]) == 2
    assert "it would claim a loss" in capsys.readouterr().err


def test_mistakes_are_named(dp) -> None:
    with pytest.raises(UsageError, match="needs arguments for N, T"):
        to_opendp(textbook("svt"), 1.0, {"N": 1})
    with pytest.raises(UsageError, match="nothing"):
        to_opendp(textbook("sum"), 1.0, {"N": 1})
    with pytest.raises(UsageError, match="f64 or i64"):
        to_opendp(textbook("svt"), 1.0, {"N": 1, "T": 0}, T="u8")
    with pytest.raises(dp.OpenDPException, match="finite"):
        to_opendp(textbook("svt"), 1.0, {"N": 1, "T": 0})([math.inf])


def test_without_the_package_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "opendp.prelude", None)
    with pytest.raises(UsageError, match=r"pip install 'kolahal\[opendp\]'"):
        to_opendp(textbook("sum"), 1.0)


# ---------------------------------------------------------------- records

VISITS = """
class Visit(NamedTuple):
    age: float
    kind: Literal["new", "returning"]

@sketch(adjacent={})
def f(visits: Records[Visit], {}eps: Epsilon):
    s = sum(clip(v.age, 0, 100) for v in visits if v.kind == "new") + Lap({}/eps)
    n = sum(1 for v in visits if v.kind == "new") + Lap({}/eps)
    return s / max(n, 1)
"""
NUMBERS = "@sketch(adjacent={})\ndef f(xs: Records[{}], eps: Epsilon):\n    return sum(x for x in xs) + Lap({}/eps)\n"


@pytest.mark.parametrize(("relation", "metric"), [("add_remove", "SymmetricDistance"), ("replace", "ChangeOneDistance")])
def test_records_have_the_metric_of_their_relation(relation: str, metric: str, dp) -> None:
    """Against OpenDP's own Laplace mechanism behind its own clipped sum: the same loss at the same scale."""
    measurement = to_opendp(parse(NUMBERS.format(f"{relation}(1)", "Between(0, 8)", "8")), 0.5)
    assert metric in str(measurement.input_metric)
    assert measurement.map(1) == 0.5 and measurement.map(3) == 1.5 and measurement.map(0) == 0
    assert abs(measurement([1.5, 20.0, 3.0]) - 12.5) < 8 / 0.5 * 40
    # To exchange a record is to take one away and to add one, where there are always three.
    bounded = dp.atom_domain(bounds=(0, 8))
    domain, far = (dp.vector_domain(bounded), 1) if relation == "add_remove" else (dp.vector_domain(bounded, size=3), 2)
    theirs = dp.t.make_sum(domain, dp.symmetric_distance()) >> dp.m.then_laplace(scale=16.0)
    assert theirs.map(far) == pytest.approx(measurement.map(1), abs=1e-9)
    composed = dp.c.make_composition([measurement, measurement])
    assert composed.map(1) == 1.0 and len(composed([1.0])) == 2


def test_rows_of_a_class_are_measured_by_how_many_come_or_go(dp) -> None:
    text = VISITS.format("add_remove(2)", "", 400, 4).partition("    s = ")[0] + "    return sum(1 for v in visits if v.kind == 'new') + Lap(2/eps)\n"
    measurement = to_opendp(parse(text), "0.5")
    assert [measurement.map(d) for d in (1, 2, 3, 4, 5)] == [0.5, 0.5, 1.0, 1.0, 1.5]
    found = measurement([(30.0, "new"), {"age": 500, "kind": "new"}, (9, "returning")])
    assert isinstance(found, float)
    with pytest.raises(UsageError, match="leave T out"):
        to_opendp(parse(text), 1, T="i64")


def test_records_that_are_whole_and_arguments(dp) -> None:
    whole = to_opendp(parse(NUMBERS.format("add_remove(1)", "Between(0, 8, whole=True)", "8")), 1)
    assert isinstance(whole([1, 2, 3]), float)
    more = parse(VISITS.format("add_remove(1)", "T: float, ", 200, 2))
    assert to_opendp(more, 1, {"T": 3.0}).map(1) == 1.0
    with pytest.raises(UsageError, match="needs arguments for T"):
        to_opendp(more, 1)
    with pytest.raises(UsageError, match="not eps-private"):
        to_opendp(parse(NUMBERS.format("add_remove(1)", "Between(0, 8)", "4")), 1)


def test_a_median_is_a_measurement(dp) -> None:
    measurement = to_opendp(load_one("noisy_median").complete("4/eps"), 10**6)
    assert measurement.map(1) == 10**6 and measurement([1.0, 40.0, 41.0, 42.0, 100.0]) == pytest.approx(41, abs=1)
