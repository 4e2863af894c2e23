"""What to do about a verdict that is no proof for all inputs."""

from __future__ import annotations

from kolahal.lang.ir import Call, Draw, walk
from kolahal.lang.places import answers_needed, reads_fixed_places_alone
from kolahal.lang.records.moves import RecordRelation
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
    if _compares_with_the_largest(sketch):
        return (
            f"it compares {name} with its largest answer, which has no noise; if this is permute-and-flip, write it as the place of "
            "the largest of x + Exp(…), which is as likely to be each place, and is proved"
        )
    return ""


def _compares_with_the_largest(sketch: Sketch) -> bool:
    """Whether one-sided noise or coins are drawn in a program that looks for its largest answer without noise."""
    drawn = any(draw.noise.one_sided and not draw.noise.selects for draw in sketch.draws)
    return drawn and any(isinstance(node, Call) and node.function == "max" and not _draws(node) for node in walk(sketch.body))


def _draws(node: Call) -> bool:
    return any(isinstance(part, Draw) for part in walk(node))


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
