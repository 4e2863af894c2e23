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
