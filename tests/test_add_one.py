"""The walks of docs/architecture.md, "to add one": each is taken in a copy of the package, by the edits that the page names."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import kolahal

PACKAGE = Path(kolahal.__file__).parent


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package that may be built on."""
    root = tmp_path_factory.mktemp("house")
    shutil.copytree(PACKAGE, root / "kolahal", ignore=shutil.ignore_patterns("__pycache__"))
    return root


def add(house: Path, file: str, behind: str, text: str) -> None:
    """Put lines behind the one that is named, which must be there once."""
    path = house / "kolahal" / file
    old = path.read_text()
    assert old.count(behind) == 1, file
    path.write_text(old.replace(behind, behind + text))


def run(house: Path, *command: str) -> subprocess.CompletedProcess[str]:
    surroundings = {**os.environ, "PYTHONPATH": str(house)}
    return subprocess.run([sys.executable, "-m", "kolahal", *command], capture_output=True, text=True, env=surroundings)


def check(house: Path, program: str) -> subprocess.CompletedProcess[str]:
    path = house / "program.py"
    path.write_text(f"from kolahal import *\n\n{program}")
    return run(house, "check", str(path))


def test_a_noise_family_is_one_entry_one_class_and_its_name(house: Path) -> None:
    program = """
@sketch(adjacent=one_within(1))
def histogram(q: Private, eps: Epsilon):
    return [x + DoubleExp({}/eps) for x in q]
"""
    assert check(house, program.format(1)).returncode == 2, "nobody knows it yet"
    add(house, "lang/noise.py", '    GEOMETRIC = "DiscreteExp", "discrete Exponential", True, True\n', '    DOUBLE = "DoubleExp", "double exponential", False, False\n')  # fmt: skip
    add(house, "engine/noise.py", "        return -np.log(-np.expm1(-1 / scale))\n", '''

class DoubleExponential(Family):
    """Laplace's noise under another name: the difference of two exponential variates."""

    noise = Noise.DOUBLE
    parts = 2
    code = "{s} * ({u0} - {u1})"

    def value(self, scale: Any, units: Sequence[Any], floor: Callable[[Any], Any]) -> Any:
        return scale * (units[0] - units[1])

    def log_norm(self, scale: Array) -> Array:
        return np.log(2 * scale)
''')  # fmt: skip
    add(house, "lang/read/front.py", 'DiscreteExp = _only_in_sketches("DiscreteExp")\n', 'DoubleExp = _only_in_sketches("DoubleExp")\n')  # fmt: skip
    proved = check(house, program.format(1))
    assert proved.returncode == 0 and "Proved, for every length of q" in proved.stdout
    refuted = check(house, program.format("1/2"))
    assert refuted.returncode == 1 and "Refuted" in refuted.stdout


def test_a_relation_is_one_class_and_its_moves_in_proofs(house: Path) -> None:
    """The first answer alone may move. Without the lines in the trusted folder, proofs for every length say that they do not know it."""
    program = """
@sketch(adjacent=first_within(1))
def release(q: Private, eps: Epsilon):
    out = []
    for i in range(len(q)):
        if i == 0:
            out.append(q[i] + Lap(1/eps))
        else:
            out.append(q[i])
    return out
"""
    add(house, "lang/adjacency.py", "        return tuple(sign * abs(_part(self.distance, rng)) for _ in range(size))\n", '''

@dataclass(frozen=True, slots=True)
class FirstWithin(Adjacency):
    """The first answer moves by at most `distance`, the others stay."""

    name: ClassVar[str] = "first_within"
    words: ClassVar[str] = "the first answer may move by at most {d}, the others stay"

    def allows(self, move: Sequence[Fraction]) -> bool:
        return not any(move[1:]) and all(abs(step) <= self.distance for step in move)

    def vertices(self, size: int) -> Iterator[Move]:
        return itertools.islice(_axes(self.distance, size), 2)

    def draw_move(self, size: int, rng: random.Random) -> Move:
        return tuple(_part(self.distance, rng) if i == 0 else Fraction(0) for i in range(size))
''')  # fmt: skip
    add(house, "lang/read/front.py", "    return Monotone(_distance(distance))\n", '''

def first_within(distance: Distance) -> Adjacency:
    """The first answer may move by at most `distance`, the others stay."""
    return FirstWithin(_distance(distance))
''')
    add(house, "lang/read/front.py", "from kolahal.lang.adjacency import Adjacency, EachWithin", ", FirstWithin")
    adjacency = house / "kolahal" / "lang" / "adjacency.py"
    adjacency.write_text(adjacency.read_text().replace("SumWithin, Monotone)}", "SumWithin, Monotone, FirstWithin)}"))
    add(house, "proof/trusted/passages.py", "            return [box((place,), -reach, reach) for place in every]\n", "        case FirstWithin():\n            return [box((0,), -reach, reach)]\n")  # fmt: skip
    add(house, "proof/trusted/passages.py", "from kolahal.lang.adjacency import Adjacency, EachWithin", ", FirstWithin")
    bounded = check(house, program)
    assert bounded.returncode == 4 and "up to 4 queries" in bounded.stdout
    add(house, "proof/trusted/neighbours.py", '        return self.kind.startswith(("one", "sum"', ', "first"')
    add(house, "proof/trusted/neighbours.py", "            at_most(ZERO, variable(MOVED_AT)),\n", '            *((at_most(variable(MOVED_AT), ZERO),) if self.kind == "first" else ()),\n')  # fmt: skip
    add(house, "proof/trusted/neighbours.py", '            kinds = ("sum up", "sum down") if one_way else ("sum",)\n', '        case FirstWithin():\n            kinds = ("first",)\n')  # fmt: skip
    add(house, "proof/trusted/neighbours.py", "from kolahal.lang.adjacency import Adjacency, EachWithin", ", FirstWithin")
    proved = check(house, program)
    assert proved.returncode == 0 and "Proved, for every length of q" in proved.stdout


def test_a_command_is_one_file_and_one_line(house: Path) -> None:
    assert run(house, "holes", "svt").returncode == 2
    (house / "kolahal" / "cli" / "holes.py").write_text('''"""`kolahal holes`."""

import click

from kolahal.cli.base import cli
from kolahal.sketches.gallery import load_one


@cli.command()
@click.argument("target", metavar="SKETCH")
def holes(target: str) -> None:
    """How many holes a sketch has."""
    click.echo(len(load_one(target).holes))
''')
    door = house / "kolahal" / "cli" / "__init__.py"
    door.write_text(door.read_text().replace("import batch, ", "import batch, holes, ", 1))
    found = run(house, "holes", "svt")
    assert (found.returncode, found.stdout) == (0, "2\n")
    assert "How many holes a sketch has." in run(house, "--help").stdout
