"""What is handed to OpenDP, to the last argument; a stand-in for the package writes it down."""

from __future__ import annotations

import inspect
import math
from fractions import Fraction
from typing import Any

import pytest

from kolahal.lang.templates import measurement

pytestmark = pytest.mark.mutants


class Recorder:
    """In place of OpenDP: every call gives back what it was."""

    def __init__(self, name: str = ""):
        self.name = name

    def __getattr__(self, name: str) -> Recorder:
        return Recorder(f"{self.name}.{name}" if self.name else name)

    def __call__(self, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        if self.name == "enable_features":
            FEATURES.append(args)
        return (self.name, *args, kwargs)


FEATURES: list[tuple[str, ...]] = []


@pytest.fixture(autouse=True)
def _stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    FEATURES.clear()
    loaded = {"opendp.prelude": Recorder()}
    monkeypatch.setattr(measurement, "import_module", loaded.__getitem__)


CALLS: list[dict[str, Any]] = []


def mechanism(q: Private[int, 2], N: int, T: float = 0.5, eps: Epsilon = 1) -> Any:  # type: ignore[name-defined]  # noqa: F821
    CALLS.append({"q": q, "N": N, "T": T, "eps": eps})
    return 3


def claim(N: int, T: float, eps: Fraction) -> Fraction:
    return eps * N + Fraction(T)


def build(relation: str = "each_within", whole: bool = False, kind: str = "i64", **changes: Any) -> Any:
    given = {"epsilon": "1/3", "arguments": {"N": 2}, "T": None, "distance": Fraction(2), **changes}
    return measurement._build_measurement(
        mechanism, relation, given["distance"], whole, kind, claim, given["epsilon"], given["arguments"], given["T"]
    )


F64 = ("vector_domain", ("atom_domain", {"T": "f64", "nan": False}), {})
I64 = ("vector_domain", ("atom_domain", {"T": "i64"}), {})


@pytest.mark.parametrize(
    ("relation", "whole", "asked", "domain", "metric"),
    [
        ("each_within", False, None, F64, ("linf_distance", {"T": "f64"})),
        ("each_within", True, None, I64, ("linf_distance", {"T": "i64"})),
        ("each_within", False, "i64", I64, ("linf_distance", {"T": "i64"})),
        ("monotone", False, None, F64, ("linf_distance", {"T": "f64", "monotonic": True})),
        ("one_within", False, None, I64, ("l1_distance", {"T": "i64"})),
        ("sum_within", False, None, F64, ("l1_distance", {"T": "f64"})),
        ("sum_within", True, "i64", I64, ("l1_distance", {"T": "i64"})),
    ],
)
def test_what_opendp_is_told(relation: str, whole: bool, asked: str | None, domain: Any, metric: Any) -> None:
    name, told, how, divergence, function, privacy_map, rest = build(relation, whole, T=asked)
    assert (name, told, how, divergence) == ("m.make_user_measurement", domain, metric, ("max_divergence", {}))
    assert rest == {"TO": "i64"} and FEATURES == [("contrib", "honest-but-curious")]
    CALLS.clear()
    assert function([7]) == 3 and [{"q": [7], "N": 2, "T": 0.5, "eps": Fraction(1, 3)}] == CALLS
    loss = Fraction(1, 3) * 2 + Fraction(1, 2)
    assert privacy_map(2) == measurement._round_up(loss * (2 if relation == "one_within" else 1))
    assert privacy_map(3) == measurement._round_up(loss * (3 if relation == "one_within" else 2))


def test_arguments_that_are_given_are_used() -> None:
    *_, function, privacy_map, _ = build(arguments={"N": 1, "T": 3})
    CALLS.clear()
    function([])
    assert [{"q": [], "N": 1, "T": 3, "eps": Fraction(1, 3)}] == CALLS
    assert privacy_map(1) == measurement._round_up(Fraction(1, 3) + 3)


def test_answers_get_the_type_that_was_promised() -> None:
    *_, function, _, _ = build(kind="f64")
    assert type(function([])) is float
    typed = measurement._typed
    assert repr(typed("f64", 3)) == "3.0" and repr(typed("i64", 3)) == "3"
    assert repr(typed("Vec<f64>", (1, 2.5))) == "[1.0, 2.5]" and repr(typed("Vec<i64>", [1])) == "[1]"
    assert typed("ExtrinsicObject", None) is None


@pytest.mark.parametrize(
    ("relation", "whole", "changes", "words"),
    [
        ("each_within", False, {"arguments": None}, "mechanism needs arguments for N, and got {}"),
        ("each_within", False, {"arguments": {"T": 1}}, "mechanism needs arguments for N, and got {'T': 1}"),
        ("each_within", False, {"arguments": {"N": 1, "K": 1}}, "mechanism needs arguments for N, and got {'N': 1, 'K': 1}"),
        ("each_within", False, {"arguments": {"N": 1, "eps": 1}}, "mechanism needs arguments for N, and got"),
        ("each_within", False, {"arguments": {"N": 1, "q": 1}}, "mechanism needs arguments for N, and got"),
        ("each_within", False, {"T": "u8"}, "answers of type 'u8' are not supported; use f64 or i64"),
        ("each_within", True, {"T": "f64"}, 'mechanism takes whole answers; use T="i64"'),
        (
            "one_within",
            False,
            {"T": "f64"},
            "mechanism is about one answer that moves, and OpenDP's L1 distance lets several real ones move; "
            'use T="i64" for counts, or declare and check it with sum_within(2)',
        ),
        ("each_within", False, {"epsilon": 0}, "ε must be above 0, not 0"),
        ("each_within", False, {"epsilon": "-1/2"}, "ε must be above 0, not '-1/2'"),
        ("each_within", False, {"epsilon": "x"}, "ε must be a number above 0, not 'x'"),
        ("each_within", False, {"epsilon": None}, "ε must be a number above 0, not None"),
        ("each_within", False, {"epsilon": "1/0"}, "ε must be a number above 0, not '1/0'"),
        ("each_within", False, {"epsilon": math.inf}, "ε must be a number above 0, not inf"),
    ],
)
def test_mistakes_are_refused_in_words(relation: str, whole: bool, changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError) as caught:
        build(relation, whole, **changes)
    assert str(caught.value).startswith(words)


def test_without_arguments_nothing_is_needed() -> None:
    def plain(q: Private, eps: Epsilon) -> int:  # type: ignore[name-defined]  # noqa: F821
        return len(inspect.signature(plain).parameters)

    with pytest.raises(ValueError, match=r"^plain needs arguments for nothing, and got \{'N': 1\}$"):
        measurement._build_measurement(plain, "each_within", Fraction(1), False, "i64", claim, 1, {"N": 1}, None)
    *_, function, _, _ = measurement._build_measurement(
        plain, "each_within", Fraction(1), False, "i64", lambda eps: eps, 1, None, None
    )
    assert function([1]) == 2


@pytest.mark.parametrize(
    ("relation", "distance", "d_in", "steps"),
    [
        ("each_within", "1", 0, 0),
        ("each_within", "1", 1, 1),
        ("each_within", "1", 1.5, 2),
        ("each_within", "1/2", 1, 2),
        ("each_within", "2", 1, 1),
        ("each_within", "2/3", 1, 2),
        ("one_within", "1", 3, 3),
        ("one_within", "2", 3, 3),
        ("one_within", "2/3", 2, 4),
        ("one_within", "1", 1.5, 2),
    ],
)
def test_every_step_costs_the_whole_loss(relation: str, distance: str, d_in: float, steps: int) -> None:
    privacy_map = measurement._build_privacy_map(relation, Fraction(distance), Fraction(1, 4))
    assert privacy_map(d_in) == steps / 4


def test_a_loss_is_rounded_up_and_no_distance_is_free() -> None:
    privacy_map = measurement._build_privacy_map("each_within", Fraction(1), Fraction(1, 3))
    assert privacy_map(math.inf) == privacy_map(math.nan) == privacy_map(-1.0) == math.inf
    for value in (Fraction(1, 3), Fraction(2, 3), Fraction(1, 10), Fraction(1, 2), Fraction(0), Fraction(7)):
        rounded = measurement._round_up(value)
        assert Fraction(rounded) >= value > Fraction(math.nextafter(rounded, -math.inf))
    assert measurement._round_up(Fraction(10) ** 400) == math.inf
    assert measurement._exact_epsilon("0.1") == Fraction(1, 10) and measurement._exact_epsilon(0.1) == Fraction(0.1)


# ---------------------------------------------------------------- other budgets, bits, records


def concentrated(q: Private, N: int, share: Rho) -> Any:  # type: ignore[name-defined]  # noqa: F821
    return [q, N, share]


def approximate(q: Private, eps: Epsilon, chance: Delta = "1/10") -> Any:  # type: ignore[name-defined]  # noqa: F821
    return [q, eps, chance]


def turns_bits(q: Private[bool, 3], eps: Epsilon) -> Any:  # type: ignore[name-defined]  # noqa: F821
    return [q, eps]


def with_budget(made: Any, relation: str, T: str | None = None, arguments: Any = None, distance: str = "1") -> Any:
    def loss(**given: Any) -> Fraction:
        return Fraction(given.get("share", given.get("eps"))) * given.get("N", 1)

    return measurement._build_measurement(made, relation, Fraction(distance), False, "Vec<i64>", loss, "1/3", arguments, T)


def test_the_loss_of_a_concentrated_claim_grows_with_squares() -> None:
    name, told, how, divergence, function, privacy_map, rest = with_budget(concentrated, "each_within", arguments={"N": 3})
    assert (told, how, divergence) == (F64, ("linf_distance", {"T": "f64"}), ("zero_concentrated_divergence", {}))
    assert (name, rest) == ("m.make_user_measurement", {"TO": "Vec<i64>"}) and function([5]) == [[5], 3, Fraction(1, 3)]
    assert [privacy_map(steps) for steps in (0, 1, 2, 3)] == [0.0, 1.0, 4.0, 9.0] and privacy_map(math.inf) == math.inf


def test_the_loss_of_an_approximate_claim_is_a_pair() -> None:
    *_, divergence, function, privacy_map, _ = with_budget(approximate, "each_within")
    assert divergence == ("approximate", ("max_divergence", {}), {})
    assert function([5]) == [[5], Fraction(1, 3), Fraction(1, 10)]
    third, tenth = measurement._round_up(Fraction(1, 3)), measurement._round_up(Fraction(1, 10))
    assert privacy_map(0) == (0.0, 0.0) and privacy_map(1) == (third, tenth) and privacy_map(math.nan) == (math.inf, 1.0)
    *_, function, privacy_map, _ = with_budget(approximate, "each_within", arguments={"chance": "1/5"})
    assert function([5]) == [[5], Fraction(1, 3), Fraction(1, 5)] and privacy_map(1) == (third, measurement._round_up(Fraction(1, 5)))


def test_chances_of_several_steps_grow_with_the_loss() -> None:
    half, tiny = Fraction(1, 2), Fraction(1, 10**9)
    of = measurement._delta_of_steps
    assert of(0, half, tiny) == 0.0 and of(1, half, Fraction(1, 3)) == measurement._round_up(Fraction(1, 3))
    for steps in (2, 3, 40):
        exactly = float(tiny) * sum(math.exp(turn / 2) for turn in range(steps))
        assert exactly * (1 + 2.0**-31) < of(steps, half, tiny) < min(1, exactly * (1 + 2.0**-29)) or of(steps, half, tiny) == 1
    assert of(3, half, tiny) < of(4, half, tiny) < 1e-6 and of(2, half, Fraction(9, 10)) == 1.0
    assert of(1, Fraction(10**9), half) == 0.5, "one step costs what was claimed"
    long = Fraction(1, 10**300)
    assert of(2, Fraction(600), long) < 1e-30 and of(2, Fraction(6001, 10), long) == 1.0
    nothing = Fraction(1, 10**12)
    assert of(10**6, nothing, nothing) < 1.1e-6 and of(10**6 + 1, nothing, nothing) == 1.0
    small = Fraction(1, 10**280)
    assert of(3, Fraction(300), small) < 1e-15 and of(3, Fraction(301), small) == 1.0


@pytest.mark.parametrize("relation", ["one_within", "sum_within"])
@pytest.mark.parametrize("asked", [None, "bool"])
def test_of_bits_those_are_counted_that_are_turned_over(relation: str, asked: str | None) -> None:
    _, told, how, divergence, function, privacy_map, rest = with_budget(turns_bits, relation, asked)
    assert (told, how) == (("vector_domain", ("atom_domain", {"T": "bool"}), {}), ("hamming_distance", {}))
    assert (divergence, rest) == (("max_divergence", {}), {"TO": "Vec<i64>"}) and function([True]) == [[True], Fraction(1, 3)]
    assert privacy_map(2) == measurement._round_up(Fraction(2, 3))


@pytest.mark.parametrize(("relation", "asked"), [("one_within", "i64"), ("sum_within", "f64"), ("each_within", None), ("monotone", "bool")])
def test_bits_have_one_type_and_one_distance(relation: str, asked: str | None) -> None:
    with pytest.raises(ValueError) as caught:
        with_budget(turns_bits, relation, asked)
    assert str(caught.value) == "turns_bits takes bits, some of which are turned over: leave T out, and use one_within or sum_within"


@pytest.mark.parametrize("given", [0, 1, "2", -1, "x", None, "1/0", math.inf, 1.5])
def test_a_chance_is_between_0_and_1(given: Any) -> None:
    with pytest.raises(ValueError) as caught:
        measurement._exact_delta(given)
    words = "a number between 0 and 1" if given in ("x", None, "1/0", math.inf) else "between 0 and 1"
    assert str(caught.value) == f"δ must be {words}, not {given!r}"
    assert measurement._exact_delta("0.1") == Fraction(1, 10)


def of_records(people: Any, N: int, low: float = 2, eps: Epsilon = 1) -> Any:  # type: ignore[name-defined]  # noqa: F821
    return [people, N, low, eps]


def of_concentrated(people: Any, share: Rho) -> Any:  # type: ignore[name-defined]  # noqa: F821
    return [people, share]


def of_chance(people: Any, eps: Epsilon, chance: Delta = "1/10") -> Any:  # type: ignore[name-defined]  # noqa: F821
    return [people, eps, chance]


def of_whole(people: Any, eps: Epsilon = 1) -> Any:  # type: ignore[name-defined]  # noqa: F821
    return 3


def record_measurement(plain: str = "f64", relation: str = "add_remove", made: Any = of_records, **changes: Any) -> Any:
    def loss(**given: Any) -> Fraction:
        return Fraction(given.get("share", given.get("eps"))) * given.get("N", 1) + given.get("low", 0)

    told = {"epsilon": "1/3", "arguments": {"N": 3} if made is of_records else None, "T": None, "kind": "Vec<i64>", **changes}
    return measurement._build_record_measurement(
        made, "people", plain, relation, 2, told["kind"], loss, told["epsilon"], told["arguments"], told["T"]
    )


@pytest.mark.parametrize(
    ("plain", "relation", "asked", "domain", "metric"),
    [
        ("f64", "add_remove", None, F64, "symmetric_distance"),
        ("f64", "replace", "i64", I64, "change_one_distance"),
        ("i64", "replace", None, I64, "change_one_distance"),
        ("i64", "add_remove", "f64", F64, "symmetric_distance"),
    ],
)
def test_what_opendp_is_told_of_records(plain: str, relation: str, asked: str | None, domain: Any, metric: str) -> None:
    name, told, how, divergence, function, privacy_map, rest = record_measurement(plain, relation, T=asked, kind="i64")
    assert (name, told, how, divergence) == ("m.make_user_measurement", domain, (metric, {}), ("max_divergence", {}))
    assert rest == {"TO": "i64"} and FEATURES == [("contrib", "honest-but-curious")]
    assert function([7]) == [[7], 3, 2, Fraction(1, 3)]
    assert [privacy_map(records) for records in (0, 1, 2, 3, 4)] == [0.0, 3.0, 3.0, 6.0, 6.0], "a claim about two records"


def test_records_that_are_rows_have_no_type() -> None:
    _, told, *_ = record_measurement("")
    assert told[:2] == ("user_domain", "records that of_records takes") and told[2](object()) is True
    for plain, asked, words in (("", "f64", "leave T out"), ("f64", "u8", "use f64 or i64"), ("i64", "", "use f64 or i64")):
        with pytest.raises(ValueError) as caught:
            record_measurement(plain, T=asked)
        assert str(caught.value) == f"records of type {asked!r} are not supported; {words}"


def test_records_with_other_budgets_and_arguments() -> None:
    *_, divergence, function, privacy_map, _ = record_measurement(made=of_concentrated)
    assert divergence == ("zero_concentrated_divergence", {}) and function([1]) == [[1], Fraction(1, 3)]
    assert privacy_map(4) == measurement._round_up(Fraction(4, 3))
    *_, divergence, function, privacy_map, _ = record_measurement(made=of_chance, arguments={"chance": "1/5"})
    assert divergence == ("approximate", ("max_divergence", {}), {}) and function([1]) == [[1], Fraction(1, 3), Fraction(1, 5)]
    assert privacy_map(2) == (measurement._round_up(Fraction(1, 3)), measurement._round_up(Fraction(1, 5)))
    *_, privacy_map, _ = record_measurement(arguments={"N": 1, "low": 4})
    assert privacy_map(1) == measurement._round_up(Fraction(13, 3))
    *_, function, _, _ = record_measurement(made=of_whole, kind="f64")
    assert repr(function([1])) == "3.0"
    for arguments in (None, {"low": 1}, {"N": 1, "people": 1}, {"N": 1, "eps": 1}):
        with pytest.raises(ValueError, match=r"^of_records needs arguments for N, and got"):
            record_measurement(arguments=arguments)
    with pytest.raises(ValueError, match="above 0"):
        record_measurement(epsilon=-1)
