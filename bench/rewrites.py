"""Whether the way to write a program matters: proved mechanisms, rewritten at random, and what is proved of the rewrites.

    python -m bench.rewrites [--count 500] [--seed 0] [WORD ...]

The programs are the private ones of tests/known/literature; words choose those whose names contain them. A rewrite that is
not proved is printed. Each has a process of its own and 20 seconds of its processor's time.
"""

from __future__ import annotations

import argparse
import ast
import random
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from tests.known.literature.literature_table import PRIVATE, Entry
from tests.known.rewrites.rewriting import rewritten

from kolahal.checking import check
from kolahal.lang.read.parse import parse_source
from kolahal.lang.source import SketchError, Source
from kolahal.limits import Limits, Stopped, WorkerDied
from kolahal.verdicts import name_verdict
from kolahal.workers import call, stop

SLOW = True
SECONDS = 20.0  # of the processor
PATIENCE = 8  # times as long by the clock
MOST_REWRITES = 4  # of one program at once


@dataclass(frozen=True)
class Variant:
    """A program in other words."""

    entry: Entry
    text: str
    rewrites: tuple[str, ...]


def variants(entries: list[Entry], count: int, seed: int) -> Iterator[Variant]:
    """Rewrites of programs in turn; none is its program's own text, and no two are alike."""
    rng = random.Random(seed)
    trees = {entry: function_of(entry) for entry in entries}
    seen = {ast.unparse(tree) for _, tree in trees.values()}
    given = 0
    while given < count:
        for entry, (header, tree) in trees.items():
            changed, names = rewritten(tree, rng, rng.randint(1, MOST_REWRITES))
            text = ast.unparse(changed)
            if text not in seen and given < count:
                seen.add(text)
                given += 1
                yield Variant(entry, f"{header}\n\n\n{text}\n", tuple(names))


def function_of(entry: Entry) -> tuple[str, ast.FunctionDef]:
    """The imports of a program's file, and its function without the docstring."""
    module = ast.parse(entry.path.read_text(encoding="utf-8"))
    header = "\n".join(ast.unparse(node) for node in module.body if isinstance(node, ast.ImportFrom))
    tree = next(node for node in module.body if isinstance(node, ast.FunctionDef) and node.name == entry.name)
    tree.body = tree.body[1:]
    return header, tree


def original(entry: Entry) -> str:
    header, tree = function_of(entry)
    return f"{header}\n\n\n{ast.unparse(tree)}\n"


def judge(text: str, claim: str) -> tuple[str, float]:
    """The verdict on the program in a text, and its seconds."""
    start = time.process_time()
    (sketch,) = parse_source(Source("rewrite.py", text))
    verdict = name_verdict(check(sketch, claim).verdict)
    seconds = time.process_time() - start
    return (verdict if seconds <= SECONDS else "unknown"), seconds


def judge_within(text: str, claim: str) -> tuple[str, float]:
    try:
        return call(Limits(SECONDS * PATIENCE), judge, text, claim)
    except (Stopped, WorkerDied):
        return "unknown", SECONDS
    except SketchError as error:
        return f"refused ({error})", 0.0


def main(words: Sequence[str] = (), count: int = 500, seed: int = 0) -> None:
    wanted = [entry for entry in PRIVATE if not words or any(word in str(entry) for word in words)]
    proved = [entry for entry in wanted if judge_within(original(entry), entry.claim)[0] == "proved"]
    print(f"{len(proved)} of {len(wanted)} programs are proved as they stand", flush=True)
    verdicts, fallen, seconds = Counter[str](), Counter[str](), []
    for variant in variants(proved, count, seed):
        verdict, taken = judge_within(variant.text, variant.entry.claim)
        verdicts[verdict] += 1
        seconds.append(taken)
        if verdict != "proved":
            fallen.update(variant.rewrites)
            print(f"{verdict}, {taken:.1f} s: {variant.entry} after {', '.join(variant.rewrites)}\n{variant.text}", flush=True)
    stop()
    print(f"{verdicts.total()} rewrites: {', '.join(f'{n} {verdict}' for verdict, n in verdicts.most_common())}")
    print(f"median {median(seconds):.2f} s, most {max(seconds):.1f} s; in those that fell: {dict(fallen.most_common())}")


if __name__ == "__main__":
    from bench.rewrites import main as run  # so that workers find what they are asked to do

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*")
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    run(given.words, given.count, given.seed)
