"""What to do about a verdict that is no proof for all inputs."""

from __future__ import annotations

from kolahal.lang.places import answers_needed, reads_fixed_places_alone
from kolahal.lang.record_moves import RecordRelation
from kolahal.lang.sketch import Sketch
from kolahal.verdicts import Bounded, Proved, Refuted, Unknown, Verdict


def advise(verdict: Verdict, sketch: Sketch) -> str:
    """A remedy in one sentence; nothing where none is known."""
    adjacency = sketch.adjacency
    if isinstance(adjacency, RecordRelation) and adjacency.unbounded and not isinstance(verdict, Proved):
        return f"one record can move {adjacency.show(adjacency.unbounded[0])} by any amount: clip what it adds up"
    if not isinstance(verdict, Bounded | Unknown) or sketch.private.count is not None:
        return ""
    if isinstance(verdict, Unknown) and verdict.defect:
        return ""
    name, needed = sketch.private.name, answers_needed(sketch)
    if needed and reads_fixed_places_alone(sketch):
        return (
            f"{sketch.name} reads {name} at fixed places and needs {_count(needed)}: declare them, {_declared(sketch, needed)}, "
            "and it is judged at that number"
        )
    if needed > 1:
        return (
            f"{sketch.name} reads a fixed place of {name} and needs at least {_count(needed)}: if there are always as many, "
            f"declare how many, as in {_declared(sketch, needed)}, and it is judged at that number"
        )
    if isinstance(verdict, Bounded):
        return (
            f"if there are always equally many answers, declare how many, as in {_declared(sketch, 7)}, "
            "and it is judged at that number"
        )
    return ""


def refusal(verdict: Verdict, sketch: Sketch, claim: str = "") -> str:
    """Why a mechanism does not leave as a private one; nothing if it may."""
    level = claim or sketch.budget.name
    match verdict:
        case Refuted(example=example):
            return f"{sketch.name} is not {level}-private: {example}"
        case Unknown(reason):
            return f"{sketch.name} is neither proved nor refuted to be {level}-private: {reason}"
        case _:
            return ""


def _count(answers: int) -> str:
    return f"{answers} answer{'' if answers == 1 else 's'}"


def _declared(sketch: Sketch, answers: int) -> str:
    kind = "int, " if sketch.private.whole else ""
    return f"{sketch.private.name}: Private[{kind}{answers}]"
