"""The hunt again, by another hand: other programs, and brute force as the judge of every verdict and every emitted program.

    python -m bench.second_hunt [COUNT] [--seed S] [--workers W] [--seconds S] [--everyone SHARE] [--refuter SHARE]

A contradiction is made small and printed as a test to add. COUNT is also read from the environment variable KOLAHAL_HUNT.
Nothing here is shared with `bench.hunt`, and nothing with kolahal but what is judged.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial

from bench.second_hunt.judging import Effort, Finding, judge
from bench.second_hunt.programs import write
from bench.second_hunt.smaller import make_small

SLOW = True  # runs only by name
EVERY = 500  # programs between two lines of progress


def main(arguments: Sequence[str] = ()) -> int:
    """Hunt, and show what was found; 1 if there was a contradiction."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.second_hunt", description="Hunt for a wrong verdict, by brute force."
    )
    parser.add_argument("count", nargs="?", type=int, default=int(os.environ.get("KOLAHAL_HUNT", "1000")))
    parser.add_argument("--seed", type=int, default=0, help="of the first program; the next one has the next seed")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seconds", type=float, default=10.0, help="processor time for one program")
    parser.add_argument("--everyone", type=float, default=0.01, help="share that `kolahal check` judges as a whole")
    parser.add_argument("--refuter", type=float, default=0.5, help="share of the undecided that the refuter looks at")
    options = parser.parse_args(arguments)
    hunt = partial(look_at, seconds=options.seconds, everyone=options.everyone, refuter=options.refuter)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # stopped or interrupted, what was found is shown
    start, findings = time.perf_counter(), []
    try:
        for finding in _findings(hunt, range(options.seed, options.seed + options.count), options.workers):
            findings.append(finding)
            if finding.contradiction:
                report(finding, effort_for(finding.seed, 4 * options.seconds, options.everyone, options.refuter))
            if len(findings) % EVERY == 0:
                print(f"{len(findings)} of {options.count} in {time.perf_counter() - start:.0f} s", flush=True)
    except KeyboardInterrupt:
        print("interrupted; what was found until now:", file=sys.stderr)
    print(summary(findings, time.perf_counter() - start), flush=True)
    return int(any(finding.contradiction for finding in findings))


def effort_for(seed: int, seconds: float, everyone: float, refuter: float) -> Effort:
    """Who is asked about the program of a seed."""
    rng = random.Random(f"who {seed}")
    return Effort(everyone=rng.random() < everyone, refuter=rng.random() < refuter, seconds=seconds)


def look_at(seed: int, seconds: float, everyone: float, refuter: float) -> Finding:
    """The verdict on one generated program."""
    return judge(write(seed), seed, effort_for(seed, seconds, everyone, refuter))


def _findings(hunt: partial[Finding], seeds: Iterable[int], workers: int) -> Iterator[Finding]:
    if workers == 1:
        yield from map(hunt, seeds)
        return
    with ProcessPoolExecutor(workers) as pool:
        yield from pool.map(hunt, seeds, chunksize=8)


def report(finding: Finding, effort: Effort) -> None:
    """A contradiction as a test to add."""
    text, kind = write(finding.seed), finding.contradiction.split()[0]
    thorough = replace(effort, inputs=30, emitted=8)

    def still(text: str) -> bool:
        try:
            return judge(text, finding.seed, thorough).contradiction.startswith(kind)
        except (ValueError, AssertionError, SyntaxError, IndexError, NameError):  # no program any more
            return False

    print(f"\nCONTRADICTION, seed {finding.seed}: {finding.contradiction}\n\n{text}", flush=True)
    if not still(text):
        return
    small = make_small(text, still)
    print("as a test to add:\n")
    print(f'def test_seed_{finding.seed}() -> None:\n    text = """\n{small}"""')
    print(f"    effort = {thorough}\n    assert not judge(text, {finding.seed}, effort).contradiction\n", flush=True)


def summary(findings: Sequence[Finding], seconds: float) -> str:
    """The shares of all verdicts, of the unknown ones by reason, and what brute force said."""
    total = len(findings)
    lines = [""]
    for verdict, number in Counter(f.verdict for f in findings).most_common():
        same = [f for f in findings if f.verdict == verdict]
        lines.append(
            f"{verdict:26} {number:6} {_percent(number, total)}    brute force finds a loss in "
            f"{sum(f.loss > 1 for f in same):6}, followed the runs in {_percent(sum(f.known for f in same), number)}"
        )
    unknown = [f for f in findings if f.verdict in ("unknown", "refused", "out of time")]
    lines += ["", f"unknown, refused or out of time, by reason ({len(unknown)}):"]
    lines += [f"{number:6}  {verdict}: {reason}" for (verdict, reason), number in _reasons(unknown)]
    emitted = Counter(f.emitted for f in findings if f.emitted)
    lines += [
        "",
        "emitted programs of what is proved or bounded: " + ", ".join(f"{n} {word}" for word, n in emitted.items()),
        f"{total} programs in {seconds:.0f} s ({total / max(seconds, 1e-9):.1f} a second); "
        f"contradictions: {sum(bool(f.contradiction) for f in findings)}",
    ]
    return "\n".join(lines)


def _reasons(findings: Sequence[Finding]) -> list[tuple[tuple[str, str], int]]:
    return Counter((f.verdict, f.reason) for f in findings).most_common(25)


def _percent(number: int, total: int) -> str:
    return f"{100 * number / total:5.1f} %" if total else "    – "
