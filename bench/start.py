"""Cold starts: the seconds of a command from nothing to its answer, as the table of docs/results.md.

Python's bytecode is there, as it is after an installation by pip or a first run. What an editor waits is `python -m bench editor`.
KOLAHAL_NAMES="svt sum" chooses among the sketches of the gallery.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from kolahal.roads.methods import synthesize
from kolahal.sketches.gallery import GALLERY, NAMES, load_one

SLOW = True  # three minutes, and of use on a quiet machine alone
REPEATS = 3
CHOSEN = os.environ.get("KOLAHAL_NAMES", " ".join(NAMES)).split()


def main() -> None:
    with TemporaryDirectory() as folder:
        home = Path(folder)
        print(f"kolahal --version: {cold(home / 'bytecode', '--version')[0]:.2f} CPU s")
        print("\n| sketch | `synth`, CPU s | wall s | `check`, CPU s | wall s |\n| --- | --- | --- | --- | --- |")
        for name in CHOSEN:
            program = home / f"{name}.py"
            program.write_text(complete(name), encoding="utf-8")
            commands = (["synth", name], ["check", str(program)])
            found = [seconds for command in commands for seconds in cold(home / "bytecode", *command, "--workers", "1")]
            print(f"| {name} | " + " | ".join(f"{seconds:.2f}" for seconds in found) + " |", flush=True)


def complete(name: str) -> str:
    """A sketch of the gallery with scales: the textbook's, or else those that are found."""
    sketch = load_one(name)
    return str(sketch.complete(*GALLERY[name].textbook[0]) if name in GALLERY else synthesize(sketch).mechanism)


def cold(bytecode: Path, *argv: str) -> tuple[float, float]:
    """CPU and wall seconds of a command: the least of several runs, after one that does not count."""
    around = {**os.environ, "PYTHONPYCACHEPREFIX": str(bytecode)}
    around.pop("PYTHONDONTWRITEBYTECODE", None)
    best = (float("inf"), float("inf"))
    for turn in range(1 + REPEATS):
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        command = [sys.executable, "-m", "kolahal", *argv]
        subprocess.run(command, env=around, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        after, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - start
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        best = min(best, (cpu, wall)) if turn else best
    return best


if __name__ == "__main__":
    main()
