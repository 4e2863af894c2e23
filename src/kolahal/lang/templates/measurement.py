"""A mechanism as an OpenDP measurement. `emit` copies this file, from here on, into programs for OpenDP."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from importlib import import_module
from typing import Any

# ---------------------------------------------------------------- OpenDP
#
# OpenDP takes the privacy map on our word (its feature `honest-but-curious`): what is known of the claim stands at the top.
# The loss is epsilon for each step from neighbour to neighbour. Less than a step costs a whole one, because a mechanism may
# spend all of epsilon on the smallest move: noise on an index does.


def _build_measurement(
    mechanism: Callable[..., Any],
    relation: str,
    distance: Fraction,
    whole: bool,
    kind: str,
    claim: Callable[..., Fraction],
    epsilon: float | str | Fraction,
    arguments: Mapping[str, object] | None,
    T: str | None,
) -> Any:
    dp = import_module("opendp.prelude")
    dp.enable_features("contrib", "honest-but-curious")
    parameters = inspect.signature(mechanism).parameters
    roles = {str(parameter.annotation).partition("[")[0]: name for name, parameter in parameters.items()}
    concentrated = "Rho" in roles  # then the loss is rho of zero-concentrated privacy
    spent = roles["Rho" if concentrated else "Epsilon"]
    delta = roles.get("Delta")  # the name of delta, where the loss is a pair
    public = {n: p for n, p in parameters.items() if n not in (roles["Private"], spent)}
    given, budget = _read_arguments(mechanism, public, arguments), _exact_epsilon(epsilon)
    bits = "[bool" in str(parameters[roles["Private"]].annotation)
    if bits and (T not in (None, "bool") or relation not in ("one_within", "sum_within")):
        raise ValueError(f"{mechanism.__name__} takes bits, some of which are turned over: leave T out, and use one_within or sum_within")
    T = "bool" if bits else T or ("i64" if relation == "one_within" or whole else "f64")
    if T not in ("f64", "i64") and not bits:
        raise ValueError(f"answers of type {T!r} are not supported; use f64 or i64")
    if whole and T == "f64":
        raise ValueError(f'{mechanism.__name__} takes whole answers; use T="i64"')
    if relation == "one_within" and T == "f64":
        # OpenDP's L1 distance lets all answers move a little, and `one_within` says nothing of that.
        raise ValueError(
            f"{mechanism.__name__} is about one answer that moves, and OpenDP's L1 distance lets several real ones move; "
            f'use T="i64" for counts, or declare and check it with sum_within({distance})'
        )

    values = {n: given.get(n, p.default) for n, p in public.items()}
    chance = None if delta is None else _exact_delta(values[delta])
    given |= {} if delta is None else {delta: chance}
    loss = Fraction(claim(**{**values, spent: budget}))

    def function(answers: list[Any]) -> Any:
        return _typed(kind, mechanism(**{**given, roles["Private"]: answers, spent: budget}))

    metrics = {
        "each_within": lambda: dp.linf_distance(T=T),
        "monotone": lambda: dp.linf_distance(T=T, monotonic=True),
        "one_within": lambda: dp.l1_distance(T=T),
        "sum_within": lambda: dp.l1_distance(T=T),
    }
    domain = dp.vector_domain(dp.atom_domain(T="f64", nan=False) if T == "f64" else dp.atom_domain(T=T))
    privacy_map = _build_privacy_map(relation, distance, loss, concentrated, chance)
    measure = _measure(dp, concentrated, chance)
    metric = dp.hamming_distance() if bits else metrics[relation]()  # of bits: how many of them are turned over
    return dp.m.make_user_measurement(domain, metric, measure, function, privacy_map, TO=kind)


def _build_record_measurement(
    mechanism: Callable[..., Any],
    rows: str,
    plain: str,
    relation: str,
    count: int,
    kind: str,
    claim: Callable[..., Fraction],
    epsilon: float | str | Fraction,
    arguments: Mapping[str, object] | None,
    T: str | None,
) -> Any:
    """The measurement of a mechanism over records: numbers of the type `plain`, or rows if that is empty.

    Distances are numbers of records, in which order does not count: those that come or go, or those that are exchanged.
    """
    dp = import_module("opendp.prelude")
    dp.enable_features("contrib", "honest-but-curious")
    parameters = inspect.signature(mechanism).parameters
    spent = next(name for name, parameter in parameters.items() if parameter.annotation in ("Epsilon", "Rho"))
    concentrated = parameters[spent].annotation == "Rho"
    delta = next((name for name, parameter in parameters.items() if parameter.annotation == "Delta"), None)
    public = {n: p for n, p in parameters.items() if n not in (rows, spent)}
    given, budget = _read_arguments(mechanism, public, arguments), _exact_epsilon(epsilon)
    if T not in ((None, "f64", "i64") if plain else (None,)):
        raise ValueError(f"records of type {T!r} are not supported; {'use f64 or i64' if plain else 'leave T out'}")
    values = {n: given.get(n, p.default) for n, p in public.items()}
    loss = Fraction(claim(**{**values, spent: budget}))
    chance = None if delta is None else _exact_delta(values[delta])
    given |= {} if delta is None else {delta: chance}

    def function(records: Any) -> Any:
        return _typed(kind, mechanism(**{**given, rows: records, spent: budget}))

    T = T or plain
    if plain:
        domain = dp.vector_domain(dp.atom_domain(T="f64", nan=False) if T == "f64" else dp.atom_domain(T=T))
    else:
        domain = dp.user_domain(f"records that {mechanism.__name__} takes", lambda records: True)
    metric = dp.symmetric_distance() if relation == "add_remove" else dp.change_one_distance()
    measure = _measure(dp, concentrated, chance)
    privacy_map = _build_privacy_map(relation, Fraction(count), loss, concentrated, chance)
    return dp.m.make_user_measurement(domain, metric, measure, function, privacy_map, TO=kind)


def _read_arguments(
    mechanism: Callable[..., Any], public: Mapping[str, inspect.Parameter], arguments: Mapping[str, object] | None
) -> dict[str, object]:
    """The public arguments that were given; none that is needed is missing, and none is too many."""
    needed = {name for name, parameter in public.items() if parameter.default is inspect.Parameter.empty}
    given = dict(arguments or {})
    if not needed <= given.keys() <= public.keys():
        raise ValueError(
            f"{mechanism.__name__} needs arguments for {', '.join(sorted(needed)) or 'nothing'}, and got {given}"
        )
    return given


def _exact_epsilon(epsilon: float | str | Fraction) -> Fraction:
    """The budget exactly as given: a text or a fraction as it reads, a double as the number that it is."""
    try:
        exact = Fraction(epsilon)
    except (TypeError, ValueError, ZeroDivisionError, OverflowError):
        raise ValueError(f"ε must be a number above 0, not {epsilon!r}") from None
    if exact <= 0:
        raise ValueError(f"ε must be above 0, not {epsilon!r}")
    return exact


def _exact_delta(delta: Any) -> Fraction:
    """Delta exactly as given."""
    try:
        exact = Fraction(delta)
    except (TypeError, ValueError, ZeroDivisionError, OverflowError):
        raise ValueError(f"δ must be a number between 0 and 1, not {delta!r}") from None
    if not 0 < exact < 1:
        raise ValueError(f"δ must be between 0 and 1, not {delta!r}")
    return exact


def _measure(dp: Any, concentrated: bool, delta: Fraction | None) -> Any:
    if delta is not None:
        return dp.approximate(dp.max_divergence())
    return dp.zero_concentrated_divergence() if concentrated else dp.max_divergence()


def _build_privacy_map(
    relation: str, distance: Fraction, loss: Fraction, concentrated: bool = False, delta: Fraction | None = None
) -> Callable[[float], Any]:
    """From a distance of inputs to the privacy loss: `loss` for each step from neighbour to neighbour that it takes; of
    zero-concentrated privacy the roots of losses add up. With `delta`, k steps cost it 1 + e^loss + ... + e^((k-1)*loss) times."""

    def count_steps(d_in: float) -> int:
        if relation == "one_within":
            # Whole numbers: the costliest way to spend d_in is to move that many answers by 1 each.
            return math.ceil(Fraction(d_in)) * math.ceil(1 / distance)
        return math.ceil(Fraction(d_in) / distance)

    def privacy_map(d_in: float) -> Any:
        if not 0 <= d_in < math.inf:
            return math.inf if delta is None else (math.inf, 1.0)
        steps = count_steps(d_in)
        if delta is not None:
            return _round_up(steps * loss), _delta_of_steps(steps, loss, delta)
        return _round_up((steps**2 if concentrated else steps) * loss)

    return privacy_map


def _delta_of_steps(steps: int, loss: Fraction, delta: Fraction) -> float:
    """Of so many steps, at least; from 1 on it says nothing more."""
    if steps == 0:
        return 0.0
    if (steps - 1) * loss > 600 or steps > 10**6:
        return 1.0
    # Doubles are right to some bits of the last; a sum of k of them with k times that, and a margin of 2**-30 is more than both.
    total = math.fsum(math.exp(float(turn * loss)) for turn in range(steps))
    return min(1.0, _round_up(delta) if steps == 1 else float(delta) * total * (1 + 2.0**-30))


def _round_up(value: Fraction) -> float:
    """The smallest double that is not below `value`."""
    try:
        nearest = float(value)
    except OverflowError:
        return math.inf
    return nearest if Fraction(nearest) >= value else math.nextafter(nearest, math.inf)


def _typed(kind: str, answer: Any) -> Any:
    """An answer in the type that OpenDP was promised: whole answers among real ones are int."""
    if kind == "f64":
        return float(answer)
    return [float(item) for item in answer] if kind == "Vec<f64>" else answer
