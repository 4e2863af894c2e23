"""A plugin of pytest that tries mutants: each is a copy of this process, which has imported and collected everything and run nothing.

The tests that saw most in the least time come first. A mutant that many seconds of tests did not see is put back until all others
had their turn, which is written down, and goes on where it was; it survives when all tests that run its function have passed.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import resource
import signal
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from time import process_time
from typing import Any

import pytest
from _pytest.runner import runtestprotocol
from mutmut.mutation import trampoline

import kolahal

# All in the folder where mutants are tested.
PLAN = Path("plan.json")  # whose turn it is
RESULTS = Path("results.tsv")  # what became of each, a line a mutant
KILLERS = Path("killers.tsv")  # which test saw which mutant, of all runs
WATCHED = Path("watched.json")  # what each test runs, and its seconds

SEES_MOST = "test_obligations.py"
TURNS = (0.8, 2.5, 20.0, 120.0, float("inf"))  # seconds of tests of one mutant before it is put back
SURVIVED, KILLED, TIMEOUT, UNSEEN, PUT_BACK = 0, 1, 36, 33, 75
MEMORY = 8 << 30


@dataclass(frozen=True)
class Test:
    item: pytest.Item
    seconds: float
    runs: frozenset[str]  # functions, with their modules


@dataclass
class Tried:
    """A mutant, and the tests that did not see it."""

    name: str
    turn: int = 0
    passed: set[str] = field(default_factory=set)

    @property
    def function(self) -> str:
        return self.name.partition("__mutmut_")[0]


@dataclass
class Seen:
    """How many mutants each test met, and how many it saw, for the order of tests: by function, or module, and test."""

    met: Counter[tuple[str, str]] = field(default_factory=Counter)
    saw: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, function: str, test: str, saw: bool) -> None:
        for place in (function, function.rpartition(".")[0]):
            self.met[place, test] += 1
            self.saw[place, test] += saw

    def rate(self, function: str, test: Test) -> float:
        """How many mutants of a function a test may see in a second; what is quick and met none yet soon has its turn."""
        here, around = (function, test.item.nodeid), (function.rpartition(".")[0], test.item.nodeid)
        often = (self.saw[around] + (0.5 if SEES_MOST in test.item.nodeid else 0.25)) / (self.met[around] + 1)
        return (self.saw[here] + 2 * often) / (self.met[here] + 2) / (test.seconds + 0.02)


def pytest_configure(config: pytest.Config) -> None:
    config.option.tbstyle = "native"  # to print the formulas that a failing function was given takes minutes
    assert Path(kolahal.__file__).is_relative_to(Path.cwd()), "what is tested is not what was mutated"


def pytest_runtestloop(session: pytest.Session) -> bool:
    plan = json.loads(PLAN.read_text(encoding="utf-8"))
    tests = watch(session.items, plan["digests"])
    gc.collect()
    gc.freeze()  # each copy would look for garbage in all that is loaded, which takes longer than many tests
    seen = Seen()
    if KILLERS.exists():
        for line in KILLERS.read_text(encoding="utf-8").splitlines():
            seen.add(*line.split("\t"), saw=True)
    queue = [Tried(name, min(1, plan["turns"] - 1)) for name in plan["again"]] + [Tried(name) for name in plan["mutants"]]
    with RESULTS.open("a", encoding="utf-8") as results, KILLERS.open("a", encoding="utf-8") as killers:
        for mutant, result, test in attempts(queue, tests, seen, plan):
            results.write(f"{mutant.name}\t{result}\n")
            results.flush()
            if test:
                killers.write(f"{mutant.function}\t{test}\n")
                killers.flush()
    return True


# ---------------------------------------------------------------- what each test runs


def watch(items: Sequence[pytest.Item], digests: dict[str, str]) -> list[Test]:
    """Run the tests that are new once in a copy of this process, on code that is not mutated, and import here what they import."""
    known = json.loads(WATCHED.read_text(encoding="utf-8")) if WATCHED.exists() else {"tests": {}, "modules": []}
    keys = {item.nodeid: digests["src"] + digests[item.nodeid.partition("::")[0]] for item in items}
    new = [item for item in items if known["tests"].get(item.nodeid, [""])[0] != keys[item.nodeid]]
    if new:
        child = os.fork()
        if not child:
            os._exit(_watch(new, keys, known))
        assert os.waitpid(child, 0)[1] == 0, "a test fails on code that is not mutated"
        known = json.loads(WATCHED.read_text(encoding="utf-8"))
    for name in known["modules"]:
        if name not in sys.modules:
            with suppress(ImportError):
                importlib.import_module(name)
    return [Test(item, known["tests"][item.nodeid][1], frozenset(known["tests"][item.nodeid][2])) for item in items]


def _watch(items: Sequence[pytest.Item], keys: dict[str, str], known: dict[str, Any]) -> int:
    runs: set[str] = set()
    trampoline.record_trampoline_hit = lambda name, caller=None: runs.add(name)
    trampoline.get_mutant_under_test = lambda: "stats"
    for item, after in pairwise([*items, None]):
        start = process_time()
        failed = [report for report in runtestprotocol(item, log=False, nextitem=after) if report.failed]
        if failed:
            print(item.nodeid, failed[0].longreprtext)
            return 1
        known["tests"][item.nodeid] = keys[item.nodeid], round(process_time() - start, 3), sorted(runs)
        runs.clear()
    modules = {name for name, module in sys.modules.items() if "." not in name or hasattr(module, "__file__")}
    known["modules"] = sorted(modules.union(known["modules"]))
    WATCHED.write_text(json.dumps(known), encoding="utf-8")
    return 0


# ---------------------------------------------------------------- trying


def attempts(queue: list[Tried], tests: Sequence[Test], seen: Seen, plan: dict[str, Any]) -> Iterator[tuple[Tried, int, str]]:
    """What became of each mutant, and the test that saw it, as soon as that is known."""
    children, turns, first = plan["children"], plan["turns"], set(plan["first"])
    running: dict[int, tuple[Tried, list[Test], int]] = {}
    try:
        while queue or running:
            while queue and len(running) < children:
                mutant = queue.pop(0)
                order = [t for t in tests if mutant.function in t.runs and t.item.nodeid not in mutant.passed]
                if not order:
                    yield mutant, SURVIVED if mutant.passed else UNSEEN, ""
                    continue
                order.sort(key=lambda test: (test.item.nodeid.partition("::")[0] not in first, -seen.rate(mutant.function, test)))
                out, into = os.pipe()
                child = os.fork()
                if not child:
                    code = KILLED  # if pytest itself ends
                    try:
                        code = attempt(mutant, order, into)
                    finally:
                        os._exit(code)
                os.close(into)
                running[child] = mutant, order, out
            if running:
                child, status = os.wait()
                mutant, order, out = running.pop(child)
                with os.fdopen(out) as pipe:
                    met = [order[int(place)].item.nodeid for place in pipe]
                code = os.waitstatus_to_exitcode(status)
                for test in met:
                    seen.add(mutant.function, test, saw=code == KILLED and test == met[-1])
                if code == PUT_BACK:
                    mutant.turn += 1
                    mutant.passed |= set(met)
                    yield mutant, PUT_BACK, ""
                    if mutant.turn == turns:
                        continue
                    place = next((at for at, other in enumerate(queue) if other.turn > mutant.turn), len(queue))
                    queue.insert(place, mutant)
                elif code in (-signal.SIGPROF, -signal.SIGALRM):
                    yield mutant, TIMEOUT, ""
                else:
                    yield mutant, code, met[-1] if code == KILLED and met else ""
    finally:
        for child in running:  # where the run is stopped
            os.kill(child, signal.SIGKILL)


def attempt(mutant: Tried, order: Sequence[Test], into: int) -> int:
    """Meet the tests in this copy of the process; those that were met are written into a pipe."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    trampoline.set_mutant_under_test(mutant.name)
    trampoline.get_mutant_under_test = lambda: mutant.name
    left = TURNS[mutant.turn]
    for place, (test, after) in enumerate(pairwise([*order, None])):
        if left < 0:
            return PUT_BACK
        signal.setitimer(signal.ITIMER_PROF, 3 + 5 * test.seconds)  # one that does not end is seen, too
        signal.alarm(900)
        start = process_time()
        reports = runtestprotocol(test.item, log=False, nextitem=after.item if after else None)
        left -= process_time() - start
        os.write(into, f"{place}\n".encode())
        if any(report.failed for report in reports):
            return KILLED
    return SURVIVED
