"""A plugin of pytest that tries mutants: each is a copy of this process, which has imported and collected everything and run nothing.

The tests that run the changed line come first, and of these the ones that saw most in the least time. A mutant that many seconds
of tests did not see is put back until all others had their turn, which is written down, and goes on where it was; it survives when
all tests that run its function have passed.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import re
import resource
import signal
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import pairwise, takewhile
from pathlib import Path
from time import process_time
from types import CodeType, FrameType, FunctionType
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
LINES = Path("lines.json")  # which lines each quick test runs

SEES_MOST = "test_obligations.py"
TURNS = (0.25, 2.5, 20.0, 120.0, float("inf"))  # seconds of tests of one mutant before it is put back
SURVIVED, KILLED, TIMEOUT, UNSEEN, PUT_BACK = 0, 1, 36, 33, 75
MEMORY = 8 << 30
QUICK = 0.3  # seconds of a test whose lines are looked at
CALLS = 200  # of one function in one test whose lines are looked at
ORIGINAL = "__mutmut_orig"
DEFINED = re.compile(r"\s*(?:async )?def (\w+__mutmut_\w+)\(")


@dataclass(frozen=True)
class Test:
    item: pytest.Item
    seconds: float
    runs: frozenset[str]  # functions, with their modules
    lines: int | None = None  # those it runs, as bits; None where that is not known

    def comes_by(self, line: int | None) -> int:
        """0 if it does not run a line, 1 if it may, and 2 if it does."""
        return 1 if line is None or self.lines is None else 2 * (self.lines >> line & 1)


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
    """How many mutants each test met, and how many it saw, for the order of tests: by line, function, or module, and test."""

    lines: dict[str, int]  # which line a mutant changes
    met: Counter[tuple[str | int, str]] = field(default_factory=Counter)
    saw: Counter[tuple[str | int, str]] = field(default_factory=Counter)

    def around(self, mutant: str) -> tuple[str | int, ...]:
        """Where a mutant is, from far to near."""
        function = mutant.partition("__mutmut_")[0]
        return (function.rpartition(".")[0], function, *([self.lines[mutant]] if mutant in self.lines else []))

    def add(self, mutant: str, test: str, saw: bool) -> None:
        for place in self.around(mutant):
            self.met[place, test] += 1
            self.saw[place, test] += saw

    def rate(self, mutant: str, test: Test) -> float:
        """How many mutants like this one a test may see in a second; what is quick and met none yet soon has its turn."""
        name = test.item.nodeid
        often = 0.5 if SEES_MOST in name else 0.25
        for weight, place in zip((1, 2, 2), self.around(mutant)):
            often = (self.saw[place, name] + weight * often) / (self.met[place, name] + weight)
        return often / (test.seconds + 0.02)


def pytest_configure(config: pytest.Config) -> None:
    config.option.tbstyle = "native"  # to print the formulas that a failing function was given takes minutes
    assert Path(kolahal.__file__).is_relative_to(Path.cwd()), "what is tested is not what was mutated"


def pytest_runtestloop(session: pytest.Session) -> bool:
    plan = json.loads(PLAN.read_text(encoding="utf-8"))
    for prepare in {getattr(item, "module", None) and getattr(item.module, "prepare", None) for item in session.items} - {None}:
        prepare()  # what takes long, and is of no code that is changed
    tests = watch(session.items, plan["digests"])
    gc.collect()
    gc.freeze()  # each copy would look for garbage in all that is loaded, which takes longer than many tests
    killed = [line.split("\t") for line in KILLERS.read_text(encoding="utf-8").splitlines()] if KILLERS.exists() else []
    queue = [Tried(name, min(1, plan["turns"] - 1)) for name in plan["again"]] + [Tried(name) for name in plan["mutants"]]
    lines = known_lines()
    tests = watch_lines(tests, plan["digests"], lines)
    seen = Seen(changed_lines([*(mutant.name for mutant in queue), *(name for name, _ in killed)], lines))
    for name, test in killed:
        seen.add(name, test, saw=True)
    with RESULTS.open("a", encoding="utf-8") as results, KILLERS.open("a", encoding="utf-8") as killers:
        for mutant, result, test in attempts(queue, tests, seen, plan):
            results.write(f"{mutant.name}\t{result}\n")
            results.flush()
            if test:
                killers.write(f"{mutant.name}\t{test}\n")
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


# ---------------------------------------------------------------- which lines each test runs


def known_lines() -> dict[tuple[str, int], int]:
    """A number for each line of a function that has mutants, by file."""
    found: set[tuple[str, int]] = set()
    for module in list(sys.modules.values()):
        if isinstance(getattr(module, "__file__", None), str) and Path(str(module.__file__)).is_relative_to(Path.cwd() / "src"):
            holders = [vars(module), *(vars(kind) for kind in vars(module).values() if isinstance(kind, type) and kind.__module__ == module.__name__)]
            for item in [item for holder in holders for item in holder.values()]:
                if isinstance(item, FunctionType) and item.__name__.endswith(ORIGINAL):
                    found |= {(item.__code__.co_filename, line) for line in _lines(item.__code__)}
    return {place: i for i, place in enumerate(sorted(found))}


def _lines(code: CodeType) -> Iterator[int]:
    yield code.co_firstlineno
    yield from (line for *_, line in code.co_lines() if line is not None)
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _lines(inner)


def watch_lines(tests: Sequence[Test], digests: dict[str, str], lines: dict[tuple[str, int], int]) -> list[Test]:
    """The tests, the quick ones with the lines that they run."""
    known: dict[str, list[str]] = json.loads(LINES.read_text(encoding="utf-8")) if LINES.exists() else {}
    keys = {test.item.nodeid: digests["src"] + digests[test.item.nodeid.partition("::")[0]] for test in tests}
    new = [test.item for test in tests if test.seconds <= QUICK and known.get(test.item.nodeid, [""])[0] != keys[test.item.nodeid]]
    if new:
        child = os.fork()
        if not child:
            os._exit(_watch_lines(new, keys, known, lines))
        assert os.waitpid(child, 0)[1] == 0, "a test fails where its lines are looked at"
        known = json.loads(LINES.read_text(encoding="utf-8"))
    ran = {name: int(mask, 16) for name, (key, mask) in known.items() if keys.get(name) == key}
    return [replace(test, lines=ran.get(test.item.nodeid)) for test in tests]


def _watch_lines(items: Sequence[pytest.Item], keys: dict[str, str], known: dict[str, list[str]], lines: dict[tuple[str, int], int]) -> int:
    seen: set[tuple[CodeType, int]] = set()
    calls: Counter[CodeType] = Counter()
    trampoline.get_mutant_under_test = lambda: ""  # the code as it was

    def enter(frame: FrameType, event: str, argument: Any) -> Any:
        code = frame.f_code
        if ORIGINAL not in code.co_qualname or calls[code] > CALLS:
            return None
        calls[code] += 1
        seen.add((code, code.co_firstlineno))
        return step

    def step(frame: FrameType, event: str, argument: Any) -> Any:
        seen.add((frame.f_code, frame.f_lineno))
        return step

    for item, after in pairwise([*items, None]):
        sys.settrace(enter)
        failed = any(report.failed for report in runtestprotocol(item, log=False, nextitem=after))
        sys.settrace(None)
        if failed:
            return 1
        places = {lines.get((code.co_filename, line)) for code, line in seen} - {None}
        known[item.nodeid] = [keys[item.nodeid], f"{sum(1 << place for place in places if place is not None):x}"]
        seen.clear()
        calls.clear()
    LINES.write_text(json.dumps(known), encoding="utf-8")
    return 0


def changed_lines(names: Sequence[str], lines: dict[tuple[str, int], int]) -> dict[str, int]:
    """For each mutant the number of the line that it changes, or of the one before, where that is none by itself."""
    found: dict[str, int] = {}
    for file in {file for file, _ in lines}:
        text = Path(file).read_text(encoding="utf-8").splitlines()
        starts = {match[1]: at for at, line in enumerate(text) if (match := DEFINED.match(line))}
        own = sorted(line for place, line in lines if place == file)
        module = ".".join(Path(file).relative_to(Path.cwd() / "src").with_suffix("").parts)
        for name in (name for name in names if name.rpartition(".")[0] == module):
            mutated = starts.get(name.rpartition(".")[2])
            original = starts.get(name.rpartition(".")[2].partition("__mutmut_")[0] + ORIGINAL)
            if mutated is None or original is None:
                continue
            same = takewhile(lambda pair: pair[0] == pair[1], zip(text[original + 1 :], text[mutated + 1 :]))
            heads = [text[at].partition("(")[2] for at in (original, mutated)]
            changed = original + (1 if heads[0] != heads[1] else 2 + sum(1 for _ in same))  # counted from 1
            before = [line for line in own if original < line <= changed]
            if before:
                found[name] = lines[file, before[-1]]
    return found


# ---------------------------------------------------------------- trying


def attempts(queue: list[Tried], tests: Sequence[Test], seen: Seen, plan: dict[str, Any]) -> Iterator[tuple[Tried, int, str]]:
    """What became of each mutant, and the test that saw it, as soon as that is known."""
    children, turns, first = plan["children"], plan["turns"], set(plan["first"])
    running: dict[int, tuple[Tried, list[Test], bool, int]] = {}
    try:
        while queue or running:
            while queue and len(running) < children:
                mutant = queue.pop(0)
                order, partial = ordered(mutant, tests, seen, first)
                if not order:
                    yield mutant, PUT_BACK if plan["only"] else SURVIVED if mutant.passed else UNSEEN, ""
                    continue
                out, into = os.pipe()
                child = os.fork()
                if not child:
                    code = KILLED  # if pytest itself ends
                    try:
                        code = attempt(mutant, order, into)
                    finally:
                        os._exit(code)
                os.close(into)
                running[child] = mutant, order, partial, out
            if running:
                child, status = os.wait()
                mutant, order, partial, out = running.pop(child)
                with os.fdopen(out) as pipe:
                    met = [order[int(place)].item.nodeid for place in pipe]
                code = os.waitstatus_to_exitcode(status)
                code = PUT_BACK if code == SURVIVED and (partial or plan["only"]) else code
                for test in met:
                    seen.add(mutant.name, test, saw=code == KILLED and test == met[-1])
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


def ordered(mutant: Tried, tests: Sequence[Test], seen: Seen, first: set[str]) -> tuple[list[Test], bool]:
    """The tests that a mutant is to meet in this turn, and whether that is not all: none that takes longer than the turn, and at
    first those that run the changed line."""
    line = seen.lines.get(mutant.name)
    order = [t for t in tests if mutant.function in t.runs and t.item.nodeid not in mutant.passed]
    order.sort(key=lambda t: (t.item.nodeid.partition("::")[0] not in first, -t.comes_by(line), -seen.rate(mutant.name, t)))
    now = [t for t in order if t.seconds <= TURNS[mutant.turn] and (mutant.turn or t.comes_by(line))] or order[:1]
    return now, len(now) < len(order)


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
