"""What a program over records asks on the way to its answers, where that depends on the run."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from kolahal.lang.canonical import twin
from kolahal.lang.records.along_runs import Questions, read_questions
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Sketch, Variant
from kolahal.logic.linear import LinearForm
from kolahal.model import Arguments, Event, Output, contains
from kolahal.paths.cuts import CannotIntegrate
from kolahal.paths.joined import find_outcomes
from kolahal.paths.state import Fault
from kolahal.proof.trusted.restated.told import told


def asks_as_it_runs(sketch: Sketch) -> bool:
    table = sketch.private.table
    return table is not None and table.depends_on_run


@lru_cache(maxsize=16)  # whoever looks for an example asks, and whoever believes it asks again
def find_questions(sketch: Sketch, arguments: Arguments) -> dict[Output, set[Questions]] | None:
    """What is asked on the way to each answer; None where that, or an answer, has noise in it, or there is too much to list."""
    table = sketch.private.table
    assert table is not None
    names = arguments.quantities(sketch)
    silent = frozenset(d.site for d in sketch.draws if isinstance(d.scale, Scale) and not d.scale.squared.at(names))
    pure = sketch if sketch.variant is Variant.PURE else twin(sketch)  # other noise, on the same paths
    outcomes = find_outcomes(told(pure, marked=True), arguments.size, arguments.environment(sketch), silent)
    if isinstance(outcomes, CannotIntegrate):
        return None
    found: dict[Output, set[Questions]] = {}
    for path in outcomes.paths:
        if isinstance(path.output, Fault):
            continue
        assert isinstance(path.output, tuple)
        items = [item for item in path.output if not isinstance(item, LinearForm)]
        if len(items) < len(path.output):
            return None
        mark = next(place for place, item in enumerate(items) if isinstance(item, bool))
        asked = read_questions(table, [item for item in items[:mark] if item is not None])
        answer = tuple(Fraction(i) if isinstance(i, int) and not isinstance(i, bool) else i for i in items[mark + 1 :])
        found.setdefault(answer if items[mark] else answer[0], set()).add(asked)
    return found


def asked_for(sketch: Sketch, arguments: Arguments, event: Event) -> Questions | None:
    """The questions of every run that ends in an event, if they are the same for all of them."""
    known = find_questions(sketch, arguments)
    if known is None:
        return None
    ways = set().union(*(asked for answer, asked in known.items() if contains(event, answer)))
    return ways.pop() if len(ways) == 1 else None
