"""The hunt for a wrong verdict: generated mechanisms, each put to prover, refuter, tester and brute force.

    python -m bench.hunt [COUNT] [--seed S] [--workers W] [--seconds S] [--everyone SHARE] [--lengths SHARE]
                           [--quick]

A mechanism that two judges disagree on is made small and printed as a test to add. COUNT is also read from the
environment variable KOLAHAL_HUNT. `--everyone 1 --show` puts every mechanism to the prover for every length and to the
whole ladder of `kolahal check`, and prints those that stay open.
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

from bench.hunt.shrink import shrink
from bench.hunt.verdicts import Effort, Finding, judge
from bench.hunt.writer import SHAPES, write

SLOW = True  # runs only by name
SMALL = (90, 5, 1, 2, 2)  # how often each shape comes, with --quick
EVERY = 500  # mechanisms between two lines of progress


def main(arguments: Sequence[str] = ()) -> int:
    """Hunt, and show what was found; 1 if there was a contradiction."""
    parser = argparse.ArgumentParser(prog="python -m bench.hunt", description="Hunt for a wrong verdict.")
    parser.add_argument("count", nargs="?", type=int, default=int(os.environ.get("KOLAHAL_HUNT", "1000")))
    parser.add_argument("--seed", type=int, default=0, help="of the first mechanism; the next one has the next seed")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seconds", type=float, default=10.0, help="processor time for one mechanism")
    parser.add_argument("--everyone", type=float, default=0.1, help="share that is put to all judges")
    parser.add_argument(
        "--lengths", type=float, default=1.0, help="share of the cheap ones that get a proof for every length"
    )
    parser.add_argument("--show", action="store_true", help="print the affine ones that stay unknown or bounded")
    parser.add_argument("--quick", action="store_true", help="small programs and lattices")
    options = parser.parse_args(arguments)
    hunt = partial(
        look_at, seconds=options.seconds, everyone=options.everyone, lengths=options.lengths, quick=options.quick
    )
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # stopped or interrupted, what was found is shown
    start, findings = time.perf_counter(), []
    try:
        for finding in _findings(hunt, range(options.seed, options.seed + options.count), options.workers):
            findings.append(finding)
            if finding.contradiction:
                report(finding, write(finding.seed, SMALL if options.quick else SHAPES), options.seconds)
            elif options.show and finding.affine and finding.is_open:
                text = write(finding.seed, SMALL if options.quick else SHAPES)
                print(f"\nseed {finding.seed}: {finding.verdict} {finding.reason}\n{text}", flush=True)
            if len(findings) % EVERY == 0:
                print(f"{len(findings)} of {options.count} in {time.perf_counter() - start:.0f} s", flush=True)
    except KeyboardInterrupt:
        print("interrupted; what was found until now:", file=sys.stderr)
    print(summary(findings, time.perf_counter() - start), flush=True)
    return int(any(finding.contradiction for finding in findings))


def look_at(seed: int, seconds: float, everyone: float, lengths: float, quick: bool) -> Finding:
    """The verdict on one generated mechanism; its seed says who is asked."""
    rng = random.Random(f"judges {seed}")
    effort = Effort(everyone=rng.random() < everyone, lengths=rng.random() < lengths, seconds=seconds)
    if not quick:
        return judge(write(seed), seed, effort)
    return judge(write(seed, SMALL), seed, replace(effort, points=4_000, bases=1))


def _findings(hunt: partial[Finding], seeds: Iterable[int], workers: int) -> Iterator[Finding]:
    if workers == 1:
        yield from map(hunt, seeds)
        return
    with ProcessPoolExecutor(workers) as pool:
        yield from pool.map(hunt, seeds, chunksize=16)


def report(finding: Finding, text: str, seconds: float) -> None:
    """A contradiction as a test to add."""
    kind = finding.contradiction.split(",")[0][:20]

    def still(text: str) -> bool:
        return judge(text, finding.seed, Effort(everyone=True, seconds=2 * seconds)).contradiction.startswith(kind)

    print(f"\nCONTRADICTION, seed {finding.seed}: {finding.contradiction}\n{text}", flush=True)
    if still(text):
        print("as a test to add:\n")
        print(f'def test_seed_{finding.seed}() -> None:\n    text = """\n{shrink(text, still, 60)}"""')
        print(f"    assert not judge(text, {finding.seed}, Effort(everyone=True)).contradiction\n", flush=True)


def summary(findings: Sequence[Finding], seconds: float) -> str:
    """The shares of all verdicts, of the unknown ones by reason."""
    total, affine = len(findings), [f for f in findings if f.affine]
    lines = [""]
    for verdict, number in Counter(f.verdict for f in findings).most_common():
        own = sum(f.verdict == verdict for f in affine)
        lines.append(
            f"{verdict:26} {number:6} {_percent(number, total)}    of the affine {own:6} {_percent(own, len(affine))}"
        )
    asked = [f for f in affine if f.whole]
    undecided = sum(f.is_open for f in asked)
    lines += ["", f"unknown or bounded of the affine ones that everyone was asked of: {undecided} of {len(asked)}{_percent(undecided, len(asked))}"]
    unknown = [f for f in findings if f.verdict == "unknown"]
    lines += ["", f"unknown, by reason ({len(unknown)}):"]
    lines += [f"{number:6}  {reason}" for reason, number in Counter(f.reason for f in unknown).most_common(25)]
    compared = [f for f in findings if f.bounded]
    lines += [
        "",
        f"brute force was possible for {sum(f.summed for f in findings)}; the cheapest alignment was never below it in "
        f"{len(compared)} comparisons, and within 1 % of it in {sum(f.tight for f in compared)}",
        f"{total} mechanisms in {seconds:.0f} s; contradictions: {sum(bool(f.contradiction) for f in findings)}",
    ]
    return "\n".join(lines)


def _percent(number: int, total: int) -> str:
    return f"{100 * number / total:5.1f} %" if total else "    – "
