"""What type the answers of a program have, in OpenDP's words."""

from __future__ import annotations

from kolahal.lang.ir import Return, TupleOf, walk
from kolahal.lang.kinds import BOOLEAN, LIST, NONE, NUMBER, WHOLE, Kinds, infer
from kolahal.lang.sketch import Sketch

OBJECT = "ExtrinsicObject"  # what OpenDP calls an answer that it has no type for
SCALARS = {frozenset({WHOLE}): "i64", frozenset({NUMBER}): "f64", frozenset({NUMBER, WHOLE}): "f64"}


def answer_type(program: Sketch) -> str:
    """OpenDP's name for the type of a program's answers; answers of several kinds are objects to it."""
    types = infer(program)
    found = set()
    for node in walk(program.body[program.preconditions :]):
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
