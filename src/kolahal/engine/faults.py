"""What can go wrong while a program runs; every engine raises the same error for the same fault."""

from __future__ import annotations

from kolahal.lang.ir import Node
from kolahal.lang.sketch import Sketch
from kolahal.lang.source import Diagnostic, SketchError, Source

MOST_TURNS = 1_000_000  # loop turns of one run; a loop that goes on beyond has most likely no end

FAULTS: dict[str, tuple[str, str, str]] = {
    "K401": (
        "this place is outside the list",
        "The run stops here, as Python does.",
        "Compare the place with len(…) first.",
    ),
    "K402": ("this divides by zero", "The run stops here, as Python does.", "Test the divisor first."),
    "K403": (
        "a number is needed here, and there is None or nothing yet",
        "The run stops here, as Python does.",
        "Test with `is None` first, or give it a number before.",
    ),
    "K404": (
        f"this loop did not end within {MOST_TURNS} turns",
        "A run that never ends has no output.",
        "Give the loop a condition that becomes false.",
    ),
    "K405": (
        "this name has no value yet",
        "The run reached this place before any assignment to it.",
        "Assign it before the branch or loop.",
    ),
    "K406": ("a truth value is needed here", "The run stops here.", "Compare first, or test with `is None`."),
}


class RunError(SketchError):
    """A program that stops with a fault on some input, as the Python function would."""


def fault(sketch: Sketch, code: str, node: Node) -> RunError:
    source = sketch.source or Source(sketch.name, str(sketch))
    return RunError(source, (Diagnostic(code, node.span, *FAULTS[code]),))
