"""A counterexample to a claim other than ε, checked again from its data."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from kolahal.errors import KolahalError
from kolahal.exact.gaussian import budget_probability
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Sketch, Variant
from kolahal.model import Example
from kolahal.paths.cuts import CannotIntegrate
from kolahal.proof.refute import counterexample_data
from kolahal.proof.refute.budgets import breaks
from kolahal.proof.trusted.documents import Malformed, read_number, shorten, take

KIND = counterexample_data.OTHER_BUDGET


def read_document(data: Any) -> tuple[Sketch, Scale, Example, Fraction | None]:
    """The program, the claim, the example and the order of a document."""
    if take(data, "kind", str) != KIND:
        raise Malformed(f"its kind is {shorten(data['kind'])} and not {KIND!r}")
    sketch, claim, example = counterexample_data.read_document({**data, "kind": counterexample_data.KIND})
    delta = None if data.get("delta") is None else read_number(data["delta"])
    if (delta is None) != (sketch.delta is None) or (delta is not None and not 0 < delta < 1):
        raise Malformed("δ is missing, or not between 0 and 1, or one too many")
    if take(data, "variant", str) != sketch.variant.value or sketch.variant is Variant.PURE:
        raise Malformed(f"the program claims {sketch.variant.words}, not what is written")
    order = None if data.get("order") is None else read_number(data["order"])
    return sketch, claim, replace(example, arguments=replace(example.arguments, delta=delta, symbol=sketch.variant.symbol)), order


def find_faults(data: object) -> list[str]:
    """What is wrong with a counterexample; nothing, if it holds."""
    try:
        sketch, claim, example, order = read_document(data)
        if fault := counterexample_data.find_misfit(sketch, claim, example):
            return [fault]
        p, q = (budget_probability(sketch, d, example.arguments, example.event) for d in (example.d1, example.d2))
        if isinstance(p, CannotIntegrate) or isinstance(q, CannotIntegrate):
            reason = p.reason if isinstance(p, CannotIntegrate) else str(q)
            return [f"the probabilities cannot be computed: {reason}"]
        if not breaks(sketch, example.arguments, claim, p, q, order):
            return [f"the probabilities {p.high:.6g} on d1 and {q.low:.6g} on d2 do not break the claim"]
        return list(counterexample_data.misstated(data, example.event, {"p1": p, "p2": q}))
    except (KolahalError, Malformed, RecursionError) as error:
        return [f"the document cannot be read: {error}"]
