"""Mechanisms as OpenDP measurements, so that they compose with OpenDP's own. Needs the extra `kolahal[opendp]`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from kolahal.errors import UsageError
from kolahal.lang.adjacency import Adjacency, EachWithin, Monotone, OneWithin, SumWithin
from kolahal.lang.check import BOOLEAN, LIST, NONE, NUMBER, WHOLE, Kinds, infer
from kolahal.lang.emit import emit, load_emitted
from kolahal.lang.ir import Return, TupleOf, walk
from kolahal.lang.sketch import Mechanism, Sketch

OBJECT = "ExtrinsicObject"  # what OpenDP calls an answer that it has no type for
SCALARS = {frozenset({WHOLE}): "i64", frozenset({NUMBER}): "f64", frozenset({NUMBER, WHOLE}): "f64"}


def to_opendp(
    mechanism: Mechanism | Sketch,
    epsilon: float | str | Fraction,
    arguments: Mapping[str, object] | None = None,
    T: str | None = None,
) -> Any:
    """`mechanism` at `epsilon` as an OpenDP measurement on vectors; it runs as emitted, with exact noise.

    `arguments` are the values of its public parameters, and `T` is the type of the private answers, "f64" or "i64".
    OpenDP takes the privacy map on our word: whether the mechanism is private at all is what `kolahal check` tells.
    """
    dp = _import_opendp()
    if isinstance(mechanism, Sketch):
        mechanism = mechanism.complete()
    program = mechanism.filled()
    run, given = load_emitted(emit(mechanism)), dict(arguments or {})
    adjacency, kind = program.adjacency, answer_type(program)
    T = T or ("i64" if isinstance(adjacency, OneWithin) else "f64")
    if T not in ("f64", "i64"):
        raise UsageError(f"answers of type {T!r} are not supported; use f64 or i64")
    if isinstance(adjacency, OneWithin) and T == "f64":
        # OpenDP's L1 distance lets all answers move a little, and `one_within` says nothing of that.
        raise UsageError(
            f"{program.name} is about one answer that moves, and OpenDP's L1 distance lets several real ones move; "
            f'use T="i64" for counts, or declare and check it with sum_within({adjacency.distance})'
        )
    budget = exact_epsilon(epsilon)
    needed = {p.name for p in program.arguments if p.default is None}
    if not needed <= given.keys() <= {p.name for p in program.arguments}:
        raise UsageError(
            f"{program.name} needs arguments for {', '.join(sorted(needed)) or 'nothing'}, and got {given}"
        )

    def function(answers: list[Any]) -> Any:
        return _as(kind, run(**{**given, program.private.name: answers, program.epsilon.name: budget}))

    domain = dp.vector_domain(dp.atom_domain(T="f64", nan=False) if T == "f64" else dp.atom_domain(T=T))
    return dp.m.make_user_measurement(
        domain, _metric(dp, adjacency, T), dp.max_divergence(), function, build_privacy_map(adjacency, budget), TO=kind
    )


def _import_opendp() -> Any:
    try:
        import opendp.prelude as dp
    except ImportError:
        raise UsageError("OpenDP is not installed; install it with: pip install 'kolahal[opendp]'") from None
    dp.enable_features("contrib", "honest-but-curious")
    return dp


def exact_epsilon(epsilon: float | str | Fraction) -> Fraction:
    """ε exactly as given: a text or a fraction as it reads, a double as the number that it is."""
    try:
        exact = Fraction(epsilon)
    except (TypeError, ValueError, ZeroDivisionError, OverflowError):
        raise UsageError(f"ε must be a number above 0, not {epsilon!r}") from None
    if exact <= 0:
        raise UsageError(f"ε must be above 0, not {epsilon!r}")
    return exact


# ---------------------------------------------------------------- distances and losses


def _metric(dp: Any, adjacency: Adjacency, T: str) -> Any:
    match adjacency:
        case EachWithin():
            return dp.linf_distance(T=T)
        case Monotone():
            return dp.linf_distance(T=T, monotonic=True)
        case OneWithin() | SumWithin():
            return dp.l1_distance(T=T)
        case _:
            raise UsageError(f"OpenDP has no metric for {adjacency}")


def build_privacy_map(adjacency: Adjacency, epsilon: Fraction) -> Callable[[float], float]:
    """From a distance of inputs to the privacy loss: ε for each step from neighbour to neighbour that it takes.

    Less than a whole step costs a whole one, because a mechanism may well spend all of ε on the smallest move.
    """
    distance = adjacency.distance

    def count_steps(d_in: float) -> int:
        if isinstance(adjacency, OneWithin):
            # Whole numbers: the costliest way to spend d_in is to move that many answers by 1 each.
            return math.ceil(Fraction(d_in)) * math.ceil(1 / distance)
        return math.ceil(Fraction(d_in) / distance)

    def privacy_map(d_in: float) -> float:
        if not 0 <= d_in < math.inf:
            return math.inf
        return round_up(count_steps(d_in) * epsilon)

    return privacy_map


def round_up(value: Fraction) -> float:
    """The smallest double that is not below `value`."""
    try:
        nearest = float(value)
    except OverflowError:
        return math.inf
    return nearest if Fraction(nearest) >= value else math.nextafter(nearest, math.inf)


# ---------------------------------------------------------------- answers


def answer_type(program: Sketch) -> str:
    """OpenDP's name for the type of a program's answers; answers of several kinds are objects to it."""
    types = infer(program)
    found = set()
    for node in walk(program.body):
        if isinstance(node, Return):
            kinds = types.of(node.value)
            if isinstance(node.value, TupleOf):
                found.add(OBJECT)
            elif kinds == {LIST}:
                found.add(_scalar(types.items_of(node.value), "Vec<{}>"))
            else:
                found.add(_scalar(kinds, "{}"))
    if found == {"i64", "f64"}:
        return "f64"
    return found.pop() if len(found) == 1 else OBJECT


def _scalar(kinds: Kinds, form: str) -> str:
    if kinds == {BOOLEAN}:
        return form.format("bool")
    return form.format(SCALARS[kinds]) if kinds in SCALARS and NONE not in kinds else OBJECT


def _as(kind: str, answer: Any) -> Any:
    """An answer in the type that OpenDP was promised: whole answers among real ones are int."""
    if kind == "f64":
        return float(answer)
    return [float(item) for item in answer] if kind == "Vec<f64>" else answer
