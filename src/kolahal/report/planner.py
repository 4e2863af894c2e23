"""The budget planner of a report: sliders over the law, and what is to be seen before anyone moves them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from kolahal.nouns import dataclass
from kolahal.report.rounding import finite


@dataclass(frozen=True, slots=True)
class Planner:
    """A slider for each place of noise, one for ε, and the data that the page computes from."""

    data: str  # JSON
    places: tuple[tuple[str, float, str], ...]  # of each place of noise: its name, its share in percent, and its scale
    budgets: tuple[float, ...]
    middle: int  # of the budgets, the one that is shown first
    error: str
    size: int
    probability: bool


def planner_of(document: Mapping[str, Any]) -> Planner | None:
    """The planner, where the document has data for one."""
    data = (document.get("figures") or {}).get("planner")
    if not data:
        return None
    budgets = tuple(float(finite(budget)) for budget in data["budgets"])
    middle = len(budgets) // 2
    parts = zip(data["holes"], data["shares"], data["whole"], strict=True)
    places = tuple(
        (str(label).replace("eta", "η"), round(100 * finite(share)), f"{finite(whole) / finite(share) / budgets[middle]:.3g}")
        for label, share, whole in parts
    )
    error = _between(data["parts"], data["errors"][0][middle], finite(data["shares"][0]))
    probability = data["kind"] == "probability"
    shown = f"{100 * error:.0f} % wrong outputs" if probability else f"{error:.3g} off on average"
    return Planner(json.dumps(data), places, budgets, middle, shown, int(data["size"]), probability)


def _between(xs: list[float], ys: list[float], x: float) -> float:
    """The height at a place between points, as the page computes it."""
    place = next((i for i in range(1, len(xs)) if x <= xs[i]), len(xs) - 1)
    part = (min(max(x, xs[0]), xs[-1]) - xs[place - 1]) / (xs[place] - xs[place - 1])
    return finite(ys[place - 1]) + part * (finite(ys[place]) - finite(ys[place - 1]))
