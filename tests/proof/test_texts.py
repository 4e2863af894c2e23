"""What trusted code finds in the text of a program, byte for byte, of many programs: quick, where obligations take longer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet

import pytest
from corpus import corpus

from digests import agrees, digest, read_list
from kolahal.lang import ir
from kolahal.lang.kinds import infer
from kolahal.lang.sketch import Sketch
from kolahal.proof.trusted import flow
from kolahal.proof.trusted.neighbours import least_length, public_facts, public_symbols
from kolahal.proof.trusted.steps import (
    Set,
    chosen_next,
    compile_steps,
    decide_flags,
    is_remainder,
    live_names,
    reached_from,
    remainder_key,
    settle_answers,
    spread_comprehensions,
    written_by,
)
from kolahal.proof.trusted.values import Unsupported

pytestmark = pytest.mark.mutants
FILE = "texts.txt"
TOGETHER = 12  # programs of one test
SLICES = [(part, first) for part, programs in corpus().items() for first in range(0, len(programs), TOGETHER)]


def shown(value: object) -> str:
    """A value as text, sets and dictionaries in order."""
    match value:
        case AbstractSet():
            return "{" + ", ".join(sorted(map(shown, value))) + "}"
        case Mapping():
            return "{" + ", ".join(sorted(f"{shown(key)}: {shown(item)}" for key, item in value.items())) + "}"
        case tuple() | list():
            return "[" + ", ".join(map(shown, value)) + "]"
        case _:
            return repr(value)


def names_in(sketch: Sketch) -> Iterator[object]:
    views = [node for node in ir.walk(sketch.body) if isinstance(node, ir.Comprehension)]
    types, named = infer(sketch), flow.names_of_views(sketch, views)
    noisy = flow.noisy_views(views, named)
    yield named, noisy, flow.how_read(sketch, views, noisy, named), flow.find_followed(sketch, noisy, named)
    yield flow.indexing_lists(sketch, types), flow.may_be_none(sketch, types), flow.assigned_once(sketch), flow.whole_names(sketch)
    yield [flow.may_fault(node) for node in ir.walk(sketch.body)]
    yield least_length(sketch), public_facts(sketch, ()), public_symbols(sketch)


def steps_of(sketch: Sketch) -> Iterator[object]:
    steps = compile_steps(sketch.body)
    live = live_names(steps)
    yield steps, live, [written_by(step) for step in steps]
    yield [reached_from(steps, at) for at in range(len(steps))], [reached_from(steps, at, 2) for at in range(len(steps))]
    for at, step in enumerate(steps[:-1]):
        if isinstance(step, Set) and len(step.targets) == 1:
            yield at, chosen_next(steps, live, step.targets[0], at)
    yield [remainder_key(node) for node in ir.walk(sketch.body) if is_remainder(node)]
    every = range(sum(isinstance(node, ir.Comprehension) for node in ir.walk(sketch.body)))
    for released in (frozenset(every), frozenset(every[:1]), frozenset(every[1:])):
        try:
            yield compile_steps(spread_comprehensions(sketch, released).body)
        except Unsupported as error:
            yield str(error)
    yield compile_steps(settle_answers(sketch).body), compile_steps(decide_flags(sketch).body)


@pytest.mark.parametrize(("part", "first"), SLICES)
def test_what_a_text_says_is_what_it_said(part: str, first: int) -> None:
    programs = list(corpus()[part].values())[first : first + TOGETHER]
    found = digest(f"{shown(list(names_in(sketch)))}\n{shown(list(steps_of(sketch)))}" for sketch in programs)
    agrees(FILE, {f"{part} {first}": found}, names())


def names() -> list[str]:
    return [f"{part} {first}" for part, first in SLICES]


def test_the_list_is_of_these_programs() -> None:
    assert list(read_list(FILE)) == names()
