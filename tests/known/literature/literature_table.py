"""The table: every program of `programs/`, one file a source, and what is true of it.

A docstring's first line says what the program is and where it is from. A line `truth:` says `private` (for every length,
or for the number of answers that it declares) or `broken`, and why. `claim:` is the claimed level where that is not eps.
`witness:` gives two neighbouring databases and arguments (those not named are 1) at which brute force over the noise
confirms that a program is broken; the others are too long for it, and say the limit that they reach.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from tests.known.attacks.brute import Setting, find_distribution, find_excess, is_neighbour, read_programs

from kolahal.lang.read.front import load_sketches
from kolahal.lang.sketch import Sketch

FILES = sorted((Path(__file__).parent / "programs").glob("*.py"))
TRUTHS = ("private", "broken")


@dataclass(frozen=True)
class Entry:
    """One program of the table."""

    path: Path
    name: str
    title: str
    truth: str  # one of TRUTHS
    why: str
    claim: str
    witness: str

    @property
    def private(self) -> bool:
        return self.truth == "private"

    def __str__(self) -> str:
        return f"{self.path.stem}-{self.name}"

    def load(self) -> Sketch:
        return sketches_of(self.path)[self.name]

    def is_broken(self) -> bool:
        """Whether brute force finds an event at the witness that is surely too likely on one of the two."""
        program = read_programs(self.path.read_text(encoding="utf-8"))[self.name]
        options = dict(re.findall(r"(\w+)=(\S+)", self.witness))
        one, two = (tuple(map(Fraction, text.split(","))) for text in re.findall(r"\[([^]]*)\]", self.witness))
        assert is_neighbour(program, one, two), f"{self}: the witness is no pair of neighbours"
        given: dict[str, Any] = {
            name: (int if kind == "int" else Fraction)(options.get(name, "1"))
            for name, kind in {**program.arguments, program.epsilon: "float"}.items()
        }
        step, cut = Fraction(options.get("step", program.distance)), float(options.get("cut", "1e-6"))
        setting = Setting(one, two, given)
        first, second = (find_distribution(program, d, setting.given, step, cut) for d in (one, two))
        factor = math.exp(float(Fraction(self.claim.partition("*")[0] or 1) * given[program.epsilon]))
        return max(find_excess(first, second, factor), find_excess(second, first, factor)) > 1e-12


@cache
def sketches_of(path: Path) -> Mapping[str, Sketch]:
    """The programs of a file as Kolahal reads them; a fault in one of them is raised."""
    return {sketch.name: sketch for sketch in load_sketches(str(path))}


def _read(path: Path, node: ast.FunctionDef) -> Entry:
    doc = ast.get_docstring(node) or ""
    lines = dict(re.findall(r"^(truth|claim|witness): (.*)$", doc, re.MULTILINE))
    truth, _, why = lines.get("truth", "").partition(" ")
    return Entry(path, node.name, doc.partition("\n")[0], truth, why, lines.get("claim", ""), lines.get("witness", ""))


ENTRIES = tuple(
    _read(path, node)
    for path in FILES
    for node in ast.parse(path.read_text(encoding="utf-8")).body
    if isinstance(node, ast.FunctionDef)
)
PRIVATE = tuple(entry for entry in ENTRIES if entry.private)
BROKEN = tuple(entry for entry in ENTRIES if not entry.private)
