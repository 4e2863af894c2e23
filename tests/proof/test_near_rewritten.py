"""Programs with one spot changed, beside those that are rewritten before they are proved: what each is rewritten to is what it was,
byte for byte; and where it draws the same noise, it gives the same output."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache

import pytest
from every_length import load
from test_idle import IDLE, NEEDED
from test_released_items import AS_IT_IS, WRITTEN
from test_released_items import program as listed
from test_rescaled import MEANS, WRONG
from test_rescaled import program as shared
from test_restated import FILLED, KEPT, SEARCHED
from test_restated import HEAD as RESTATED
from test_set_aside import BROKEN, PROVED, text
from test_units import ADAPTIVE, TOO_MUCH, WAYS
from test_unrolled import WINDOWS
from test_unrolled import load as windows
from test_watched import PROVED as FOLLOWED

from digests import agrees, digest
from kolahal.errors import KolahalError
from kolahal.lang.read.parse import parse
from kolahal.lang.sketch import Sketch
from kolahal.proof.trusted.restated.idle import without_idle
from kolahal.proof.trusted.restated.lists_and_loops import restated
from kolahal.proof.trusted.restated.released import before_last, released
from kolahal.proof.trusted.restated.rescaled import in_other_units, rescaled, units_of
from kolahal.proof.trusted.restated.set_aside import set_aside
from kolahal.proof.trusted.restated.tails import without_tails
from kolahal.proof.trusted.restated.units import in_units
from kolahal.proof.trusted.restated.unrolled import unrolled
from kolahal.proof.trusted.restated.watched import Followed, extremes, watched
from near_misses import near_misses, same_output, shown, taken

FILE = "near_rewritten.txt"
NEAR_WINDOWS = {
    **WINDOWS,
    "an end with a name": "out = []\nfor i in range(len(q)):\n    end = i + 2\n    if end < 0:\n        end = 0\n    s = 0\n    for j in range(i, min(end, len(q))):\n        s = s + q[j] * 2\n    out.append(s + Lap({0}))\nreturn out",
    "the last first": "out = []\nfor i in range(1, len(q)):\n    m = i - 1\n    d = 0\n    for j in range(m, m + 2):\n        d = q[j] - d\n    out.append(d + Lap({0}))\nreturn out",
    "a loop that counts": "i = 0\ns = 0\nwhile i < len(q) - 1:\n    for j in range(i, i + 2):\n        s = s + q[j]\n    i = i + 1\nreturn s + Lap({0})",
}
NEAR_TAILS = {name: WINDOWS[name] for name in ("tails", "a tail with a name")} | {
    "at most so many": "later = q[1:]\ns = 0\nfor i in range(min(len(q), len(later))):\n    s = s + later[i] * q[i + 1]\nreturn s + Lap({0})",
    "in a comprehension": "later = q[2:]\nreturn [later[i + 1] + Lap({0}) for i in range(0, len(later), 2) if i < 3] if False else [later[i] + Lap({0}) for i in range(len(later))]",
    "counted inside": "later = q[1:]\ni = 0\nout = []\nwhile i < 2:\n    for j in range(1, len(later)):\n        out.append(later[j] + q[j] + Lap({0}))\n    i = i + 1\nreturn out",
    "two tails": "a = q[1:]\nb = q[2:]\nout = []\nfor i in range(min(len(a), len(b))):\n    out.append(a[i] - b[i] + Lap({0}))\nreturn out",
}
LISTS = {f"{one}, {two}": f"{FILLED[one]}\n{SEARCHED[two]}\nreturn place" for one in FILLED for two in ("from the first", "by a counter", "in one line")}


def bodies(programs: dict[str, str], scale: str = "3/eps") -> dict[str, str]:
    return {name: body.format(scale) for name, body in programs.items()}


def headed(body: str) -> Sketch:
    return parse(RESTATED + "\n".join(f"    {line}" for line in body.split("\n")))


def follow(sketch: Sketch) -> str:
    found = extremes(sketch)
    shown = [watched(sketch, (Followed(name, last),)) for last in (False, True) for name in found]
    return repr([found, [(other.parameters, other.body) for other in shown]])


SAME: tuple[str, ...] = ("windows", "tails", "gathered", "idle", "set aside")  # these draw the same noise and give the same output
Rewriting = Callable[[Sketch], object]
KINDS: dict[str, tuple[tuple[Rewriting, ...], Callable[[str], Sketch], dict[str, str]]] = {
    "windows": ((unrolled,), windows, bodies(NEAR_WINDOWS)),
    "tails": ((without_tails,), windows, bodies(NEAR_TAILS)),
    "gathered": ((restated,), headed, LISTS | KEPT),
    "idle": ((without_idle,), lambda body: load(text(body)), IDLE | NEEDED),
    "set aside": ((set_aside,), lambda body: load(text(body)), PROVED | BROKEN),
    "means": ((in_other_units, rescaled, lambda sketch: units_of(sketch, in_other_units(sketch))), shared, MEANS | WRONG),
    "units": ((in_units,), load, {name: ADAPTIVE.format(**dict(zip(("start", "far", "near", "stop"), way, strict=True))).strip() for name, way in (WAYS | TOO_MUCH).items()}),
    "items": ((released, before_last), listed, {name: f"{body}return out" for name, body in (WRITTEN | AS_IT_IS).items()}),
    "followed": ((follow,), load, {name: body.strip() for name, body in FOLLOWED.items()}),
}
NAMES = [(kind, name) for kind, (_, _, programs) in KINDS.items() for name in programs]
FIRST = {next(iter(programs)) for _, _, programs in KINDS.values()}
MANY = [pytest.param(kind, name, marks=[] if name in FIRST else pytest.mark.thorough) for kind, name in NAMES]


@cache
def beside(kind: str, name: str) -> list[Sketch]:
    _, read, programs = KINDS[kind]
    return list(taken([programs[name], *near_misses(programs[name])], read))


def prepare() -> None:
    """`make mutants` does this once, before it makes copies of the process."""
    for kind, name in NAMES:
        beside(kind, name)


def rewritten(rewriting: Rewriting, sketch: Sketch) -> str:
    try:
        return shown(rewriting, sketch)
    except KolahalError as fault:
        return str(fault)


@pytest.mark.mutants
@pytest.mark.parametrize(("kind", "name"), MANY)
def test_what_programs_that_differ_in_one_spot_are_rewritten_to_is_what_it_was(kind: str, name: str) -> None:
    found = digest(rewritten(rewriting, sketch) for sketch in beside(kind, name) for rewriting in KINDS[kind][0])
    agrees(FILE, {f"{kind}: {name}": found}, [f"{kind}: {name}" for kind, name in NAMES])


@pytest.mark.parametrize(("kind", "name"), [param for param in MANY if param.values[0] in SAME and "while" not in KINDS[str(param.values[0])][2][str(param.values[1])]])
def test_they_give_the_same_output(kind: str, name: str) -> None:
    (rewriting,) = KINDS[kind][0]
    for sketch in beside(kind, name):
        other = rewriting(sketch)
        assert isinstance(other, Sketch)
        public = {p.name: True if p.name == "b" else Fraction(1) for p in sketch.parameters if p.name in ("T", "n", "b")}
        assert other == sketch or same_output(sketch, other, 5, 7, **public), str(sketch)
