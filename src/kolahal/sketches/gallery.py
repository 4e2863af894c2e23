"""Names of the gallery → sketches, and the textbook answers for the table (no search ever reads those)."""

from __future__ import annotations

import os
from pathlib import Path

from kolahal.errors import UsageError
from kolahal.lang.read.front import load_sketches
from kolahal.lang.sketch import Sketch
from kolahal.nouns import dataclass

FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A benchmark of the paper: its name there, its answers in the literature, and the paper's minutes."""

    paper_name: str
    textbook: tuple[tuple[str | None, ...], ...]  # the classic one first; the others are as tight, and the paper lists them as new
    minutes: tuple[str, str, str, str, str]  # init, opti, enum, verify, total, as printed in the paper's table
    rank: int
    baselines: tuple[str, str, str, str]  # naive, unlim, lim, noopt


GALLERY: dict[str, Benchmark] = {
    "histogram": Benchmark("Histogram", (("1/eps",),), ("4", "1", "<1", "15", "20"), 1, ("55", "98", "74", "60")),
    "sum": Benchmark("Sum", (("1/eps",),), ("3", "<1", "<1", "10", "15"), 1, ("55", "69", "68", "52")),
    "noisy_max_1": Benchmark("NoisyMax1", (("2/eps",),), ("9", "1", "1", "20", "32"), 1, ("84", "63", "61", "54")),
    "noisy_max_2": Benchmark("NoisyMax2", (("2/eps", None),), ("14", "2", "6", "48", "72"), 1, ("-", "-", "-", "-")),
    "exp_noisy_max": Benchmark("ExpNoisyMax", (("2/eps", None),), ("32", "1", "7", "50", "90"), 1, ("-", "-", "-", "217")),
    "smart_sum": Benchmark("SmartSum", (("2/eps", "2/eps"),), ("31", "6", "12", "42", "91"), 4, ("-", "-", "-", "289")),
    "svt": Benchmark(
        "SVT", (("2/eps", "4*N/eps"), ("3/eps", "3*N/eps")), ("18", "2", "4", "18", "44"), 1, ("-", "-", "-", "128")
    ),
    "above_threshold_1": Benchmark(
        "AboveT1",
        (("2/eps", "4/eps"), ("3/eps", "3/eps")),
        ("13", "2", "6", "38", "60"),
        1,
        ("1582", "-", "1647", "115"),
    ),
    "above_threshold_2": Benchmark(
        "AboveT2",
        (("2/eps", "4/eps", None), ("3/eps", "3/eps", None)),
        ("24", "7", "41", "54", "126"),
        2,
        ("-", "-", "-", "-"),
    ),
}


# Beyond the paper: draws with finitely many values, families that are found; and what each page calls them.
BEYOND: dict[str, str] = {
    "randomized_response": "Randomized response",
    "exponential_mechanism": "The exponential mechanism",
    "top_three": "Top three by peeling",
    "above_threshold_open": "Above threshold, whatever the noise",
}

# Over records, from rows to answer.
RECORDS: dict[str, str] = {
    "clipped_mean": "Clipped mean",
    "shop_histogram": "Histogram by shop",
    "busiest_day": "The busiest day",
    "first_busy_day": "The first busy day",
    "noisy_median": "The median by noisy binary search",
    "visits_so_far": "Visits up to each day",
}

# With budgets other than ε.
OTHER_BUDGETS = ("gaussian_histogram", "gaussian_tree", "gaussian_max", "gaussian_threshold")
NAMES = (*GALLERY, *BEYOND, *RECORDS, *OTHER_BUDGETS)


def load(target: str) -> tuple[Sketch, ...]:
    """The sketches that a gallery name, `path.py` or `path.py:function` stands for."""
    return load_sketches(find(target))


def find(target: str) -> str:
    """Where a target is: the file of a name of the gallery, and other targets as they are."""
    if target in NAMES:
        return str(FOLDER / f"{target}.py")
    if not target.endswith(".py") and ".py:" not in target and not os.path.exists(target):
        from difflib import get_close_matches  # which only a mistake needs

        near = get_close_matches(target, NAMES, 1)
        meant = f"; did you mean {near[0]}?\n  Else" if near else ":"
        raise UsageError(
            f"there is no sketch called {target!r}{meant} give path.py, path.py:function, or a name of the gallery "
            f"({', '.join(NAMES)})"
        )
    return target


def load_one(target: str) -> Sketch:
    """The one sketch of a target."""
    sketches = load(target)
    if len(sketches) > 1:
        raise UsageError(
            f"{target} has {len(sketches)} sketches; choose one: " + ", ".join(f"{target}:{s.name}" for s in sketches)
        )
    return sketches[0]
