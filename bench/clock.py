"""Wall-clock seconds of the nine benchmarks by `--method paper`, one after the other, each with two workers."""

from __future__ import annotations

import os
import time
from concurrent.futures import ProcessPoolExecutor

from kolahal.roads.methods import travel
from kolahal.roads.watch import Watch
from kolahal.settings import Settings
from kolahal.sketches.gallery import GALLERY, load_one


def main() -> None:
    """The first run of a program on a machine compiles it too, some seconds each."""
    print(f"seed 0, 2 workers; load of the machine {os.getloadavg()[0]:.1f}, and seconds mean little unless that is near 0")
    total = 0.0
    for name in GALLERY:
        start = time.perf_counter()
        with ProcessPoolExecutor(2) as pool:
            travel(load_one(name), Settings(), "paper", Watch(pool))
        seconds = time.perf_counter() - start
        total += seconds
        print(f"{name:20}{seconds:7.1f} s", flush=True)
    print(f"{'together':20}{total:7.1f} s")
