"""The way to write a mechanism does not matter: rewrites keep its distribution, and its verdict.

`python -m bench.rewrites` asks 500 of them; here are a few.
"""

from __future__ import annotations

import ast
import copy
import random
from fractions import Fraction

import pytest
from bench.rewrites import function_of, judge, variants
from tests.known.attacks.brute import find_distribution, read_programs
from tests.known.literature.literature_table import PRIVATE
from tests.known.rewrites.rewriting import REWRITES, Rewrite

from kolahal.lang.read.parse import parse_source
from kolahal.lang.source import Source

QUICK = ("above_threshold", "last_of_the_largest", "report_noisy_max", "sparse", "total_of_released")
ENTRIES = [entry for entry in PRIVATE if entry.path.stem == "textbooks" and entry.name in QUICK]
SMALL = {
    "return in a loop": """
@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon, T: float):
    rho = Lap(1 / eps)
    t = T + rho
    count = 0
    for i in range(len(q)):
        if q[i] + Lap(1 / eps) > t:
            return i
        else:
            count += 1
    return -1
""",
    "break": """
@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon, T: float):
    n = 0
    best = 0
    for x in q:
        if x + Lap(1 / eps) >= T:
            n += 1
            best = best + 1
            break
    return n, best
""",
}


def _changed(text: str, rewrite: Rewrite) -> ast.FunctionDef | None:
    (tree,) = ast.parse(text).body
    assert isinstance(tree, ast.FunctionDef)
    return tree if rewrite(tree, random.Random(0)) else None


@pytest.mark.parametrize(
    ("text", "rewrite"),
    [
        pytest.param(text, rewrite, id=f"{name}-{rewrite.__name__}")
        for name, text in SMALL.items()
        for rewrite in REWRITES
        if _changed(text, rewrite)
    ],
)
def test_a_rewrite_keeps_the_distribution(text: str, rewrite: Rewrite) -> None:
    after = _changed(text, rewrite)
    assert after is not None
    changed = ast.unparse(ast.fix_missing_locations(after))
    assert changed != ast.unparse(ast.parse(text))
    parse_source(Source("rewrite.py", changed))
    given = {"eps": Fraction(2), "T": Fraction(1)}
    one, two = (
        find_distribution(read_programs(source)["f"], (Fraction(0), Fraction(1)), given, Fraction(1), 1e-3)[0]
        for source in (text, changed)
    )
    keys = {_plain(key): value for key, value in one.items()}
    assert keys == pytest.approx({_plain(key): value for key, value in two.items()}, abs=2e-3)


def _plain(answer: object) -> object:
    """An answer whose being a list or a tuple does not matter."""
    return answer[1:] if isinstance(answer, tuple) else answer


@pytest.mark.parametrize("variant", list(variants(ENTRIES, 12, 0)), ids=lambda v: f"{v.entry.name}-{'-'.join(v.rewrites)}")
def test_what_is_proved_is_proved_in_other_words(variant) -> None:
    assert judge(variant.text, variant.entry.claim)[0] == "proved", variant.text


def test_every_rewrite_finds_a_place_in_the_literature() -> None:
    trees = [function_of(entry)[1] for entry in PRIVATE]
    idle = [r.__name__ for r in REWRITES if not any(r(copy.deepcopy(tree), random.Random(0)) for tree in trees)]
    assert not idle
