"""How time grows with the number of holes and with the size of the grammar, by `--method exact` and by `auto`."""

from __future__ import annotations

import time
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction

from kolahal.lang.read.parse import parse
from kolahal.lang.sketch import Sketch
from kolahal.report.text import table
from kolahal.roads.methods import synthesize
from kolahal.search.grammar import enumerate_scales
from kolahal.settings import Grammar, Settings

SLOW = True
HOLES = (1, 2, 3, 4, 5)
COEFFICIENTS = (4, 8, 16, 33)  # with |q|^[0-2] and (1/ε)^[1-2]: 25 to 199 expressions


def main() -> None:
    """One table a method: holes down, sizes of the grammar across."""
    with ProcessPoolExecutor(2) as pool:
        for method in ("exact", "auto"):
            rows = []
            for holes in HOLES:
                cells = []
                for largest in COEFFICIENTS:
                    sketch, settings = make_sketch(holes), make_settings(largest)
                    start = time.perf_counter()
                    found = synthesize(sketch, settings, method, pool)
                    cells.append(f"{time.perf_counter() - start:.1f} s, {found.candidates} tried")
                rows.append([str(holes), *cells])
                print(f"{method}: {holes} holes done", flush=True)
            sizes = [
                f"{len(enumerate_scales(make_settings(c).grammar, make_sketch(1)))} expressions" for c in COEFFICIENTS
            ]
            print(f"\nmethod {method}, 2 workers\n\n" + table(["holes", *sizes], rows) + "\n", flush=True)


def make_sketch(holes: int) -> Sketch:
    """As many releases of one private sum, so that every hole is needed and ε is shared among them."""
    releases = "".join("    out.append(s + Lap(hole))\n" for _ in range(holes))
    return parse(
        "@sketch(adjacent=one_within(1))\ndef releases(q: Private, eps: Epsilon):\n"
        f"    s = 0\n    for x in q:\n        s = s + x\n    out = []\n{releases}    return out\n"
    )


def make_settings(largest: int) -> Settings:
    return Settings(grammar=Grammar(coefficients=tuple(Fraction(c) for c in range(1, largest + 1))))
