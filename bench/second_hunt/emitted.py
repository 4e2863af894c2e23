"""The exact distribution of an emitted program: its own text, its own grid made coarse, its noise spelt out.

Everything but the random bits is the emitted file's: what it refuses, how it rounds, its scales and draws, its answers.
"""

from __future__ import annotations
import __future__

import ast
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from types import CodeType
from typing import Any

from bench.second_hunt.losses import Inputs, Pair, Signature
from bench.second_hunt.machine import (
    Distribution,
    Limits,
    Machine,
    Support,
    Tape,
    build_function,
    plain,
    run,
    whole_noise,
)

MARKER = "# ---------------------------------------------------------------- the mechanism\n"


class Captured(BaseException):
    """What the function would have been called with; no support code catches it."""

    def __init__(self, values: dict[str, Any], run: Any):
        self.values, self.run = values, run


@dataclass(slots=True)
class Emitted:
    """An emitted program whose function is stepped from outside."""

    space: dict[str, Any]
    name: str
    machine: Machine
    answer: Any = None  # what the function is made to return
    asked: bool = False

    def take(self, values: dict[str, Any]) -> Any:
        """Stands where the body of the function stood."""
        if self.asked:
            return self.answer
        raise Captured(values, self.space["_running"].get())

    def call(self, database: tuple[Fraction, ...], signature: Signature, inputs: Inputs) -> Any:
        given = {signature.private: list(database), signature.epsilon: inputs.epsilon, **dict(inputs.arguments)}
        return self.space[self.name](**given)

    def distribution(self, signature: Signature, inputs: Inputs, second: bool, limits: Limits) -> Distribution | None:
        """The answers as the caller gets them; None where these inputs are refused."""
        database = inputs.d2 if second else inputs.d1
        self.asked = False
        try:
            self.call(database, signature, inputs)
        except Captured as captured:
            values, grid = captured.values, captured.run.grid
        except (ValueError, TypeError):
            return None
        token = None

        def names(tape: Tape) -> dict[str, Any]:
            nonlocal token
            token = self.space["_running"].set(self.space["_Run"](_Noise(tape, limits.tail), grid))
            return self.space

        try:
            raw = run(self.machine, values, limits, names)
        finally:
            self.space["_running"].reset(token)
        return raw

    def pair(self, signature: Signature) -> Pair:
        def both(inputs: Inputs, limits: Limits) -> tuple[Distribution, Distribution] | None:
            first = self.distribution(signature, inputs, False, limits)
            second = self.distribution(signature, inputs, True, limits)
            return None if first is None or second is None else (first, second)

        return both

    def handed_out(self, signature: Signature, inputs: Inputs, found: Distribution) -> Distribution:
        """The same distribution after all that happens to an answer before the caller has it."""
        result = Distribution(stopped=found.stopped, unknown=found.unknown)
        self.asked = True
        for answer, chance in found.answers.items():
            self.answer = rich(answer)
            told = plain(self.call(inputs.d1, signature, inputs))
            result.answers[told] = result.answers.get(told, 0.0) + chance
        self.asked = False
        return result


def rich(answer: Any) -> Any:
    """The value that `plain` made the key of."""
    if isinstance(answer, tuple):
        kind, *items = answer
        return (list if kind == "list" else tuple)(map(rich, items))
    return {"True": True, "False": False, "None": None}[answer] if isinstance(answer, str) else answer


class _Noise:
    """Where the emitted program's draws ask for whole numbers."""

    def __init__(self, tape: Tape, tail: float):
        self.tape, self.tail = tape, tail

    def laplace(self, scale: Fraction) -> int:
        return int(self.tape.draw(lambda: _support(False, scale, self.tail)))

    def exponential(self, scale: Fraction) -> int:
        return int(self.tape.draw(lambda: _support(True, scale, self.tail)))


@lru_cache(maxsize=512)
def _support(one_sided: bool, scale: Fraction, tail: float) -> Support:
    return whole_noise(one_sided, float(scale), tail)


def load(text: str) -> Emitted:
    """An emitted program on a grid that is as coarse as its public numbers and its proof allow."""
    support, marker, own = text[text.index("from __future__") :].partition(MARKER)
    assert marker, "an emitted program says where its mechanism begins"
    tree = ast.parse(own)
    function = [n for n in tree.body if isinstance(n, ast.FunctionDef) and _is_sketch(n)][-1]
    machine = build_function(function)
    function.body = ast.parse("return _take(dict(locals()))").body
    space: dict[str, Any] = {"__name__": "emitted", "__doc__": ""}
    exec(_compiled(support), space)
    exec(compile(ast.fix_missing_locations(tree), "<emitted>", "exec", __future__.annotations.compiler_flag), space)
    # Its argument for privacy is about what the grid contains, and not about how fine it is.
    coarse = {"steps": Fraction(1, 2**20), "coarsest": Fraction(1), "finest": Fraction(1)}
    space["_RESOLUTION"] = space["_RESOLUTION"]._replace(**coarse)
    found = Emitted(space, function.name, machine)
    space["_take"] = found.take
    return found


@lru_cache(maxsize=8)
def _compiled(support: str) -> CodeType:
    return compile(support, "<support>", "exec")


def _is_sketch(node: ast.FunctionDef) -> bool:
    return any(isinstance(d, ast.Call) and ast.unparse(d.func) == "sketch" for d in node.decorator_list)
