"""Mechanisms as OpenDP measurements, so that they compose with OpenDP's own. Needs the extra `kolahal[opendp]`."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import wraps
from importlib import import_module
from typing import Any

from kolahal.checking import check
from kolahal.errors import UsageError
from kolahal.lang.emit import OPENDP, emit, load_emitted
from kolahal.lang.sketch import Mechanism, Sketch, Type
from kolahal.model import Bounded, Verdict, proof_of
from kolahal.report.advice import refusal


def to_opendp(
    mechanism: Mechanism | Sketch,
    epsilon: float | str | Fraction,
    arguments: Mapping[str, object] | None = None,
    T: str | None = None,
    verdict: Verdict | None = None,
) -> Any:
    """`mechanism` at `epsilon` as an OpenDP measurement on vectors; it is the one that `emit` writes, with exact noise.

    `arguments` are the values of its public parameters, and `T` is the type of the private answers, "f64" or "i64".
    OpenDP takes the privacy map on our word, so the mechanism is checked first, unless `verdict` is what `check` said of it:
    only a proved one becomes a measurement, or a bounded one, whose measurement refuses what the proof does not cover.
    """
    try:
        import_module("opendp.prelude")
    except ImportError:
        raise UsageError("OpenDP is not installed; install it with: pip install 'kolahal[opendp]'") from None
    program = mechanism.filled() if isinstance(mechanism, Mechanism) else mechanism
    known = check(program).verdict if verdict is None else verdict
    if refused := refusal(known, program):
        raise UsageError(f"{refused}\nOnly a mechanism that is proved or bounded becomes a measurement.")
    certificate = proof_of(known)
    assert certificate is not None, "what is not refused has a proof"
    function = load_emitted(emit(mechanism, certificate=certificate.text, backend=OPENDP))
    space = function.__globals__
    if isinstance(known, Bounded):
        space[space["__all__"][0]] = _within(function, program, known)
    try:
        return space["make_measurement"](epsilon, arguments, T)
    except ValueError as error:  # OpenDP's own mistakes have a class of their own
        raise UsageError(str(error)) from None


def _within(function: Callable[..., Any], program: Sketch, verdict: Bounded) -> Callable[..., Any]:
    """An emitted function that refuses what a bounded proof says nothing about: longer lists and other whole arguments."""
    cases = json.loads(verdict.certificate.text)["cases"]
    whole = [p.name for p in program.arguments if p.type is Type.INT]
    covered = {tuple(Fraction(case["arguments"][name]) for name in whole) for case in cases}
    signature = inspect.signature(function)

    @wraps(function)
    def within(*values: Any, **named: Any) -> Any:
        given = signature.bind(*values, **named)
        given.apply_defaults()
        answers = given.arguments[program.private.name]
        if len(answers) > verdict.scope.size:
            raise ValueError(
                f"{program.name} is proved for at most {verdict.scope.size} private answers, and {len(answers)} were given"
            )
        if whole and tuple(given.arguments[name] for name in whole) not in covered:
            raise ValueError(f"{program.name} is proved for {verdict.scope}, and other arguments were given")
        return function(*values, **named)

    return within
