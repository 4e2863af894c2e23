"""A noisy search asks its question in one sum, however its parts are named and compared."""

from itertools import pairwise

import pytest

from kolahal.lang.read.parse import parse
from kolahal.lang.source import SketchError

HEADER = """
@sketch(adjacent=add_remove(1))
def f(rows: Records[Between(0, 50)], K: int, eps: Epsilon):
"""
MEDIAN = """
    low, high = 0, 50
    {before}
    for _ in range(K):
        mid = (low + high) / 2
        {turn}
            low = mid
        else:
            high = mid
    return low
"""
WRITINGS = [
    ("pass", "if sum(1 for r in rows if r <= mid) - len(rows) / 2 + Lap(K/(2*eps)) < 0:"),
    ("n = len(rows)", "if sum(1 for r in rows if r <= mid) - n / 2 + Lap(K/(2*eps)) < 0:"),
    ("pass", "below = sum(1 for r in rows if r <= mid)\n        if below - 0.5 * len(rows) + Lap(K/(2*eps)) < 0:"),
    ("half = len(rows) / 2", "if sum(1 for r in rows if r <= mid) + Lap(K/(2*eps)) < half:"),
    ("n = len(rows)\n    half = n / 2", "noisy = sum(1 for r in rows if r <= mid) + Lap(K/(2*eps))\n        if noisy < half:"),
    (
        "pass",
        """below = 0
        for r in rows:
            if r <= mid:
                below += 1
        if below + Lap(K/(2*eps)) < len(rows) / 2:""",
    ),
]


def text(before: str, turn: str) -> str:
    return HEADER + MEDIAN.format(before=before, turn=turn)


def test_all_writings_are_one_program() -> None:
    programs = [str(parse(text(*writing))) for writing in WRITINGS]
    assert all(one == other for one, other in pairwise(program.replace("    pass\n", "") for program in programs))
    assert "sum((1 if (record <= mid) else 0) + (-0.5) for record in rows)" in programs[0]


def test_the_difference_keeps_its_direction() -> None:
    assert "sum(0.5 + ((-1) * (1 if (record <= mid) else 0)) for record in rows) + Lap(K/(2*eps)) > 0:" in str(
        parse(text("half = len(rows) / 2", "if half + Lap(K/(2*eps)) > sum(1 for r in rows if r <= mid):"))
    )


@pytest.mark.parametrize(
    "before, turn",
    [
        # the name has another value by then
        ("pass", "below = sum(1 for r in rows if r <= mid)\n        mid = mid + 1\n        if below - len(rows) / 2 + Lap(K/(2*eps)) < 0:"),
        ("below = 0", "old = below\n        below = sum(1 for r in rows if r <= mid)\n        if old - len(rows) / 2 + Lap(K/(2*eps)) < 0:"),
        # asked twice
        ("pass", "below = sum(1 for r in rows if r <= mid)\n        if below - len(rows) / 2 + Lap(K/eps) < 0 and below + Lap(K/eps) > 0:"),
        # the comprehension has a name of its own that is the same
        ("pass", "below = sum(1 for r in rows if r <= mid)\n        out = [below - len(rows) / 2 + Lap(K/(2*eps)) for mid in range(3)]\n        if out[0] < 0:"),
        # what one sum calls its records is what another one asks with
        ("pass", "below = sum(1 for r in rows if r <= mid) - sum(1 for mid in rows if mid > 9)\n        mid = 9\n        if below + Lap(K/(2*eps)) < len(rows) / 2:"),
        # what a draw is compared with is drawn as well
        ("pass", "noisy = sum(1 for r in rows if r <= mid) + Lap(K/eps)\n        if Lap(K/eps) + len(rows) / 2 > noisy:"),
        # the sum may fail, and would then fail at another time
        ("pass", "below = sum(1 / r for r in rows if r <= mid)\n        if below - len(rows) / 2 + Lap(K/(2*eps)) < 0:"),
    ],
)
def test_what_is_not_the_same_program_stays_refused(before: str, turn: str) -> None:
    with pytest.raises(SketchError) as refused:
        parse(text(before, turn))
    assert {fault.code for fault in refused.value.diagnostics} <= {"K174", "K175"}
