"""Mechanisms as OpenDP measurements, so that they compose with OpenDP's own. Needs the extra `kolahal[opendp]`."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from importlib import import_module
from typing import Any

from kolahal.checking import check
from kolahal.emission.program import OPENDP, load_emitted
from kolahal.emission.release import emit
from kolahal.errors import UsageError
from kolahal.lang.sketch import Mechanism, Sketch
from kolahal.report.advice import refusal
from kolahal.verdicts import Verdict


def to_opendp(
    mechanism: Mechanism | Sketch,
    epsilon: float | str | Fraction,
    arguments: Mapping[str, object] | None = None,
    T: str | None = None,
    verdict: Verdict | None = None,
) -> Any:
    """`mechanism` at `epsilon` as an OpenDP measurement on vectors; it is the one that `emit` writes, with exact noise.

    `arguments` are the values of its public parameters, and `T` is the type of the private answers, "f64" or "i64". OpenDP
    takes the privacy map on our word, so that there is a measurement only of what is proved, within bounds at least; without
    a `verdict` the mechanism is checked first.
    """
    try:
        import_module("opendp.prelude")
    except ImportError:
        raise UsageError("OpenDP is not installed; install it with: pip install 'kolahal[opendp]'") from None
    program = mechanism.filled() if isinstance(mechanism, Mechanism) else mechanism
    known = check(program).verdict if verdict is None else verdict
    if refused := refusal(known, program):
        raise UsageError(f"{refused}\nOnly a mechanism that is proved or bounded becomes a measurement.")
    make = load_emitted(emit(mechanism, known, backend=OPENDP)).__globals__["make_measurement"]
    try:
        return make(epsilon, arguments, T)
    except ValueError as error:  # OpenDP's own mistakes have a class of their own
        raise UsageError(str(error)) from None
