"""Cold starts: the CPU seconds of a command from nothing to its answer, and an editor's wait from opening a file to the verdict."""

from __future__ import annotations

import asyncio
import os
import resource
import subprocess
import sys
import time

from kolahal.editor.desk import Desk
from kolahal.report.text import table
from kolahal.sketches.gallery import FOLDER, GALLERY, load_one
from kolahal.workers import Limits

SLOW = True  # half a minute, and of use on a quiet machine alone
REPEATS = 3


def cold(*argv: str) -> tuple[float, float]:
    """CPU and wall seconds of a command with one worker: the least of several runs."""
    best = (float("inf"), float("inf"))
    for _ in range(REPEATS):
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run([sys.executable, "-m", "kolahal", *argv], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        after, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - start
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        best = min(best, (cpu, wall))
    return best


async def opened(desk: Desk, name: str) -> float:
    """Seconds from opening a file of the gallery to its verdict, with a server that is up."""
    text = (FOLDER / f"{name}.py").read_text()
    start = time.perf_counter()
    async for findings in desk.follow(text, f"{name}.py"):
        if not findings.open:
            return time.perf_counter() - start
    raise AssertionError("a verdict always comes")


def main() -> None:
    rows = [["kolahal --version", *_shown(cold("--version"))], ["kolahal show sum", *_shown(cold("show", "sum"))]]
    for name, benchmark in GALLERY.items():
        rows.append([f"kolahal synth {name}", *_shown(cold("synth", name, "--workers", "1"))])
        program = str(load_one(name).complete(*benchmark.textbook[0]))
        path = f"/tmp/kolahal-start-{os.getpid()}.py"
        with open(path, "w", encoding="utf-8") as file:
            file.write(program)
        rows.append([f"kolahal check {name}", *_shown(cold("check", path, "--workers", "1"))])
        os.unlink(path)
    print(table(["command", "CPU s", "wall s"], rows))
    desk = Desk(Limits(60, 4096))
    desk.warm()

    async def waits() -> list[list[str]]:
        await opened(desk, "sum")  # until the workers have loaded
        desk.known.clear()
        return [[name, f"{await opened(desk, name):.2f}"] for name in GALLERY]

    print("\n" + table(["opened in an editor", "s to the verdict"], asyncio.run(waits())))
    desk.close()


def _shown(seconds: tuple[float, float]) -> tuple[str, str]:
    return f"{seconds[0]:.2f}", f"{seconds[1]:.2f}"


if __name__ == "__main__":
    main()
