"""Whatever a program is restated as behaves as the program: of recognised programs that were changed at random.

The generator knows nothing of what the rules look for. `make test` looks at a few programs, `make hunt` at many.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import pytest
from test_idle import IDLE, NEEDED
from test_restated import FILLED, HEAD, KEPT, SEARCHED
from test_unrolled import WINDOWS
from tests.draws.test_flags import ANEW, ONE_SHOT, PEELED, WANDERING
from tests.draws.test_left import PEELED as PICKED
from tests.perturbing import perturbed

from kolahal.engine import reference
from kolahal.errors import KolahalError
from kolahal.lang.noise import Noise
from kolahal.lang.read.parse import parse
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Sketch
from kolahal.model import Arguments
from kolahal.proof.trusted.restated import filled, lists_and_loops
from kolahal.proof.trusted.restated.flagged import without_flags
from kolahal.proof.trusted.restated.idle import without_idle
from kolahal.proof.trusted.restated.left_over import without_left
from kolahal.proof.trusted.restated.permuted import without_permutation
from kolahal.proof.trusted.restated.set_aside import set_aside
from kolahal.proof.trusted.restated.tails import without_tails
from kolahal.proof.trusted.restated.units import in_units
from kolahal.proof.trusted.restated.unrolled import unrolled
from kolahal.proof.trusted.restated.watched import Followed, extremes, watched

SUMS = [
    "s = Lap(2/eps)\nfor x in q:\n    s += x\n    if s > T:\n        return 1\nreturn s",
    "out = []\ns = Lap(2/eps)\nn = 0\nfor x in q:\n    s = s + x\n    n += 1\n    if n == k:\n        out.append(s)\n        s = Lap(2/eps) - x\n        n = 0\nreturn out",
    "a = q[0] + Lap(2/eps)\nb = q[-1] + Lap(2/eps)\ne = Lap(1/eps)\nt = T + e\nfor x in q:\n    t = t + 1\n    t += x\nif a - b > t:\n    return 1\nreturn a - b",
]
EXTREMES = [
    "least = q[0] + Lap(1/eps)\nmost = least\nfor x in q:\n    r = x + Lap(1/eps)\n    least = min(least, r)\n    if r > most:\n        most = r\nif most - least > T:\n    return 1\nreturn 0",
    "least, most = None, None\nfor i in range(len(q)):\n    r = q[i] + Lap(1/eps)\n    if least is None or r <= least:\n        least = r\n    if most is None or most < r:\n        most = r\nif most - least > T:\n    return 1\nreturn 0",
]
BUDGETS = [
    "spent = 0\nout = []\nt = T + Lap(2/eps)\nfor x in q:\n    if spent + 2*eps/(8*k) > eps - eps/(4*k):\n        break\n    if x + Lap(8*k/eps) > t:\n        out.append(1)\n        spent += 2*eps/(8*k)\n    else:\n        out.append(0)\nreturn out",
    "b = eps / 2\nc = 0\nn = 0\nwhile c <= b and n < len(q):\n    c = c + eps/(4*k)\n    n = n + 1\n    if q[n - 1] + Lap(1/eps) > T:\n        c = b - c\nreturn n",
]
FAMILIES = [
    [f"{filled}\n{searched}\nreturn place" for filled in FILLED.values() for searched in SEARCHED.values()],
    [*KEPT.values()],
    [body.format("3/eps") for body in WINDOWS.values()],
    [*IDLE.values(), *(body.replace("n]", "k]") for body in NEEDED.values())],
    [PEELED, ONE_SHOT, PEELED.replace("used[best] = True", ANEW), WANDERING.format("    used[i // 2] = True\n    used[0 - i] = True")],
    [PICKED.format("Lap(2*k/eps)", "k")],
    [*SUMS],
    [*EXTREMES],
    [*BUDGETS],
]


def _only(change: Callable[[Sketch], object]) -> Callable[[Sketch], Sketch]:
    return lambda sketch: replace(sketch, body=change(sketch))


def _watched(sketch: Sketch) -> Sketch:
    return watched(sketch, tuple(Followed(name, last) for name, last in zip(extremes(sketch), (True, False), strict=False)))


def _restated(sketch: Sketch) -> Sketch:
    """All at once; permute-and-flip is as likely to give each answer, and not the same with the same noise."""
    return sketch if without_permutation(sketch) != sketch else lists_and_loops.restated(sketch)


STAGES: dict[str, Callable[[Sketch], Sketch]] = {
    "tails": without_tails,
    "short loops": unrolled,
    "what is left": without_left,
    "flags": without_flags,
    "idle": without_idle,
    "gathered": _only(lambda sketch: filled.gathered(sketch.body)),
    "unread": _only(lambda sketch: lists_and_loops._without_unread(sketch.body)),
    "first turns": _only(lambda sketch: lists_and_loops._begun(sketch.body, sketch)),
    "set aside": set_aside,
    "watched": _watched,
    "budgets": in_units,
    "all": _restated,
}


class InTheirOrder:
    """Noise for each draw of a site, in the order of the draws: a rule may count the turns of a loop in another way."""

    def __init__(self, seed: int):
        self.seed, self.drawn = seed, Counter[int]()

    def __call__(self, kind: Noise, site: int, _: object) -> list[Fraction]:
        self.drawn[site] += 1
        noise = Fraction(random.Random(f"{self.seed} {site} {self.drawn[site]}").randint(-6, 6), 2)
        return [abs(noise) if kind is Noise.EXPONENTIAL else noise]


def outcome(sketch: Sketch, database: list[Fraction], arguments: Arguments, seed: int) -> object:
    try:
        found = reference.run(sketch, database, arguments, (), InTheirOrder(seed), Fraction)
    except KolahalError as error:
        return "no end" if "K404" in str(error) else "stopped"
    return [(type(item) is bool, item) for item in found] if isinstance(found, tuple) else (type(found) is bool, found)


def look_at(seed: int, changed: Counter[str]) -> None:
    rng = random.Random(seed)
    body = perturbed(rng.choice(rng.choice(FAMILIES)), rng, rng.choice((1, 1, 1, 2, 2, 3)))
    if body is None:
        return
    text = HEAD + "\n".join(f"    {line}" for line in body.split("\n"))
    try:
        sketch = parse(text)
    except KolahalError:
        return
    if not all(isinstance(draw.scale, Scale) for draw in sketch.draws):
        return
    for stage, change in STAGES.items():
        other = change(sketch)
        changed[stage] += other != sketch
        for run in range(6 if other != sketch else 0):
            rng = random.Random(1000 * seed + run)
            size = rng.randint(1, 5)
            arguments = Arguments(Fraction(1), size, (("k", Fraction(rng.randint(1, 4))), ("T", Fraction(rng.randint(-4, 4), 2))))
            database = [Fraction(rng.randint(-4, 5), rng.choice((1, 1, 2))) for _ in range(size)]
            one, two = (outcome(program, database, arguments, run) for program in (sketch, other))
            if "no end" in (one, two) or (stage == "watched" and two == "stopped"):
                break  # a place may be asked for that has no value yet: such a program is not proved
            assert one == two, f"{stage}, {database}, {arguments}\n{text}\n\n{other}"


def look_at_all(seeds: range, monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    monkeypatch.setattr(reference, "MOST_TURNS", 3_000)
    changed: Counter[str] = Counter()
    for seed in seeds:
        look_at(seed, changed)
    return changed


def test_a_changed_program_behaves_as_what_it_is_restated_as(monkeypatch: pytest.MonkeyPatch) -> None:
    assert look_at_all(range(250), monkeypatch)["all"] > 20


@pytest.mark.hunt
@pytest.mark.parametrize("block", range(20))
def test_no_changed_program_behaves_otherwise(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    changed = look_at_all(range(1_000 * (block + 1), 1_000 * (block + 2)), monkeypatch)
    assert changed["all"] > 60 and sum(changed[stage] > 1 for stage in STAGES) > 9, changed
