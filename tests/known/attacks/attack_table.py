"""The table: every program of `programs/`, what is true of it, and where its own text says to look.

A docstring's first line tells the trick. A line `Truth:` says whether the program is private and why. An attack has a
line `Witness:` with two neighbouring databases and the arguments (those not named are 1, and False), and a twin may
have a line `Search:` with what the brute force is to try. `By hand:` says why brute force cannot reach the truth.
`step` is the grid of the noise, `cut` the probability below which noise is left out.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from brute import Program, Setting, find_settings, is_neighbour, is_violated, read_programs, usual_arguments

HERE = Path(__file__).parent
FILES = sorted((HERE / "programs").glob("*.py"))
TWIN = "_twin"


@dataclass(frozen=True)
class Entry:
    """One program of the table."""

    path: Path
    name: str
    truth: str
    by_hand: str
    options: Mapping[str, str]  # of the lines Witness and Search
    databases: tuple[tuple[Fraction, ...], ...]

    @property
    def is_twin(self) -> bool:
        return self.name.endswith(TWIN)

    @property
    def program(self) -> Program:
        return programs_of(self.path)[self.name]

    @property
    def step(self) -> Fraction:
        return Fraction(self.options.get("step", self.program.distance))

    @property
    def cut(self) -> float:
        return float(self.options.get("cut", "1e-6"))

    def __str__(self) -> str:
        return f"{self.path.stem}-{self.name}"

    def witness(self) -> Setting:
        """Where this attack succeeds."""
        program = self.program
        one, two = self.databases
        assert is_neighbour(program, one, two), f"{self}: the witness is no pair of neighbours"
        given: dict[str, Any] = {name: _value("1", kind) for name, kind in program.arguments.items()}
        given[program.epsilon] = Fraction(1)
        for name, text in self.options.items():
            if name in given:
                given[name] = _value(text, program.arguments.get(name, "float"))
        return Setting(one, two, given)

    def is_broken(self) -> bool:
        """Whether brute force confirms this attack."""
        return is_violated(self.program, self.witness(), self.step, self.cut)

    def violations(self) -> list[Setting]:
        """Where brute force contradicts that this twin is private: nowhere, if all is well."""
        program, options = self.program, self.options
        epsilons = [Fraction(e) for e in options.get("eps", "1").split(",")]
        given = usual_arguments(program, epsilons)
        for name, kind in program.arguments.items():
            if name in options:
                given[name] = [_value(text, kind) for text in options[name].split(",")]
        sizes = [int(size) for size in options.get("sizes", "1,2").split(",")]
        values = [Fraction(value) for value in options.get("values", "0,1").split(",")]
        settings = find_settings(program, sizes, values, given)
        return [setting for setting in settings if is_violated(program, setting, self.step, self.cut)]


def _value(text: str, kind: str) -> Any:
    if kind == "bool":
        return text == "True"
    return int(text) if kind == "int" else Fraction(text)


@cache
def programs_of(path: Path) -> dict[str, Program]:
    return read_programs(path.read_text(encoding="utf-8"))


def _read(path: Path, node: ast.FunctionDef) -> Entry:
    doc = ast.get_docstring(node) or ""
    lines = dict(re.findall(r"^(Truth|Witness|Search|By hand): (.*)$", doc, re.MULTILINE))
    place = lines.get("Witness", lines.get("Search", ""))
    databases = tuple(
        tuple(Fraction(x) for x in text.split(",") if x.strip()) for text in re.findall(r"\[([^]]*)\]", place)
    )
    options = dict(re.findall(r"(\w+)=(\S+)", place))
    return Entry(path, node.name, lines["Truth"], lines.get("By hand", ""), options, databases)


@cache
def entries() -> tuple[Entry, ...]:
    """All programs of the table, each attack before its twin."""
    return tuple(
        _read(path, node)
        for path in FILES
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef)
    )


ATTACKS = tuple(entry for entry in entries() if not entry.is_twin)
TWINS = tuple(entry for entry in entries() if entry.is_twin)
