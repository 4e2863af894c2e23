"""A batch of the gallery and the broken mechanisms of the literature: how well workers share it, and what kills do to it.

Two workers are to take at most 0.6 of one worker's time. And a batch that is killed ten times with -9 at random moments
and resumed is to end with exactly the bytes of an undisturbed one.
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SLOW = True
KNOWN = Path(__file__).parents[1] / "tests" / "known" / "files"
TARGETS = ("gallery", *(str(KNOWN / f"{name}.py") for name in ("noisy_max", "sums", "above_threshold")))
KILLS = 10


def command(out: Path, workers: int) -> list[str]:
    return [sys.executable, "-m", "kolahal", "batch", *TARGETS, "--workers", str(workers), "--out", str(out)]


def run(out: Path, workers: int) -> float:
    """The seconds of a whole batch."""
    start = time.perf_counter()
    done = subprocess.run(command(out, workers), capture_output=True, text=True)
    if done.returncode != 1:  # some are refuted
        raise SystemExit(f"exit code {done.returncode}\n{done.stderr}")
    return time.perf_counter() - start


def main() -> None:
    rng = random.Random(0)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run(folder / "first", 2)  # compiles what can be compiled, so that both find it there
        one, two = run(folder / "one", 1), run(folder / "two", 2)
        print(f"one worker   {one:7.1f} s\ntwo workers  {two:7.1f} s, {two / one:.2f} of it")
        for kill in range(KILLS):
            process = subprocess.Popen(
                command(folder / "killed", 2), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            time.sleep(rng.uniform(0, two / 2))
            process.kill()
            process.wait()
            lines = len((folder / "killed" / "journal.jsonl").read_bytes().splitlines()) if kill else 0
            print(f"killed {kill + 1:2} times: {lines} lines in the journal")
        run(folder / "killed", 2)
        results = {name: (folder / name / "results.jsonl").read_bytes() for name in ("first", "one", "two", "killed")}
        same = len(set(results.values())) == 1
        jobs = results["one"].count(b"\n")
        print(f"{jobs} results of one worker, two, and two killed {KILLS} times: {'equal' if same else 'DIFFERENT'}")
