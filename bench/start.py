"""Cold starts: the CPU seconds of a command from nothing to its answer.

Python's bytecode is there, as it is after an installation by pip or a first run. What an editor waits is `python -m bench editor`.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from kolahal.report.text import table
from kolahal.sketches.gallery import GALLERY, load_one

SLOW = True  # two minutes, and of use on a quiet machine alone
REPEATS = 3


def main() -> None:
    with TemporaryDirectory() as folder:
        home = Path(folder)
        commands = [["--version"], ["show", "sum"]]
        for name, benchmark in GALLERY.items():
            program = home / f"{name}.py"
            program.write_text(str(load_one(name).complete(*benchmark.textbook[0])), encoding="utf-8")
            commands += [["synth", name, "--workers", "1"], ["check", str(program), "--workers", "1"]]
        rows = []
        for command in commands:
            cpu, wall = cold(home / "bytecode", *command)
            shown = [Path(word).stem for word in command if word not in ("--workers", "1")]
            rows.append([" ".join(["kolahal", *shown]), f"{cpu:.2f}", f"{wall:.2f}"])
    print(table(["command", "CPU s", "wall s"], rows))


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
