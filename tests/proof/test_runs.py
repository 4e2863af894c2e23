"""What the two runs of a program do, byte for byte, of many programs: quicker than what must be valid under an alignment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass

import pytest
from corpus import corpus

from digests import agrees, digest, read_list
from kolahal.lang import ir
from kolahal.lang.noise import Noise
from kolahal.lang.sketch import Sketch
from kolahal.logic.linear import LinearForm
from kolahal.logic.terms import Equation, Every, Neither, Some, Symbol, Truth, print_term
from kolahal.proof.trusted.product import build_product
from kolahal.proof.trusted.values import Unsupported

pytestmark = pytest.mark.mutants
FILE = "runs.txt"
PARTS = ("odd", "small", "named", "ruled", "draws", "computed")
TOGETHER = 6  # programs of one test
SLICES = [(part, first) for part in PARTS for first in range(0, len(corpus()[part]), TOGETHER)]


def shown(value: object) -> str:
    """A value as text, sets and dictionaries in order, without places in a source."""
    match value:
        case LinearForm() | Equation() | Every() | Some() | Neither() | Truth():
            return print_term(value)
        case Symbol() | str() | Noise():
            return str(value)
        case AbstractSet():
            return "{" + ", ".join(sorted(map(shown, value))) + "}"
        case Mapping():
            return "{" + ", ".join(sorted(f"{shown(key)}: {shown(item)}" for key, item in value.items())) + "}"
        case tuple() | list():
            return "[" + ", ".join(map(shown, value)) + "]"
        case _ if is_dataclass(value) and not isinstance(value, type):
            return type(value).__name__ + shown([getattr(value, part.name) for part in fields(value) if part.name != "span"])
        case _:
            return repr(value)


def runs(sketch: Sketch) -> Iterator[str]:
    every = range(sum(isinstance(node, ir.Comprehension) for node in ir.walk(sketch.body)))
    for released, delayed, at_once in ((frozenset[int](), False, False), (frozenset(every), False, False), (frozenset[int](), True, False), (frozenset[int](), False, True)):
        if (released or at_once) and not every:
            continue
        try:
            product = build_product(sketch, released, delayed, at_once)
        except Unsupported as error:
            yield str(error)
            continue
        yield shown((product.monomials, product.settled, product.units, product.first.places, product.first.unsettled))
        for run in (product.first, product.second):
            yield from (shown(path) for paths in run.paths.values() for path in paths)
            yield shown((run.opaque, run.noisy_items))


@pytest.mark.parametrize(("part", "first"), SLICES)
def test_what_the_runs_do_is_what_they_did(part: str, first: int) -> None:
    programs = list(corpus()[part].values())[first : first + TOGETHER]
    agrees(FILE, {f"{part} {first}": digest(line for sketch in programs for line in runs(sketch))}, names())


def names() -> list[str]:
    return [f"{part} {first}" for part, first in SLICES]


def test_the_list_is_of_these_programs() -> None:
    assert list(read_list(FILE)) == names()
