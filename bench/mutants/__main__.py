"""Changes trusted code one spot at a time, and tells which changes no test sees.

    python -m bench.mutants [PART ...] [--children 2]

The mutants are mutmut's. What became of each is kept in tried.json, function by function, so that only functions whose text
has changed since are tried again, on any machine; `--anew` tries all. What survives must stand in survivors.toml with the
reason why it changes nothing, and what stands there must survive. A PART is a module such as `product`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mutmut import __main__ as tool
from mutmut.mutation.diff_apply import get_diff_for_mutant
from mutmut.stats import status_by_exit_code
from mutmut.utils.format_utils import orig_function_and_class_names_from_key

MUTANTS = Path("mutants")
SURVIVORS = Path(__file__).with_name("survivors.toml")
TRIED = Path(__file__).with_name("tried.json")
CONFIG = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["tool"]["mutmut"]
META_KEYS = ("exit_code_by_key", "hash_by_function_name", "type_check_error_by_key", "durations_by_key", "estimated_durations_by_key")
PUT_BACK = 75  # many seconds of tests did not see it, and it has not met the others
MARKS: dict[str, int | None] = {"k": 1, "t": 36, "c": -11, "s": 0, "u": PUT_BACK, "-": None}
STATUS = {"killed": "k", "timeout": "t", "segfault": "c", "survived": "s", "no tests": "s"}
NOTICED = "ktc"  # one that does not end, or takes the process with it, is seen too
GOLDEN = (5**0.5 - 1) / 2


@dataclass(frozen=True, order=True)
class Change:
    """What was changed, so that it is known again when other lines have changed too."""

    where: str
    was: str
    now: str


@dataclass(frozen=True)
class Mutant:
    """One change of one function, and what became of it."""

    name: str  # as mutmut has it
    path: Path
    result: int | None

    @property
    def mark(self) -> str:
        """What became of it, as a letter; what ended in no clear way is to be tried again."""
        if self.result == PUT_BACK:
            return "u"
        status = str(status_by_exit_code[self.result])
        return STATUS.get(status, "c" if (self.result or 0) < 0 else "-")

    @property
    def function(self) -> str:
        return self.name.rpartition(".")[2].partition("__mutmut_")[0]

    @property
    def number(self) -> int:
        return int(self.name.rpartition("_")[2])

    @property
    def module(self) -> str:
        return self.path.stem

    @property
    def place(self) -> str:
        function, holder = orig_function_and_class_names_from_key(self.name)
        return ".".join([*self.path.with_suffix("").parts[2:], *([holder] if holder else []), function])

    def change(self) -> Change:
        lines = get_diff_for_mutant(self.name, path=self.path).splitlines()
        sides = ["\n".join(line[1:].strip() for line in lines if _is(line, sign)) for sign in "-+"]
        return Change(self.place, *sides)


def _is(line: str, sign: str) -> bool:
    return line.startswith(sign) and not line.startswith(sign * 3)


def read_mutants(parts: Iterable[str]) -> list[Mutant]:
    """All that are known: of the folder in which they are tried, and of modules that it does not have, as they were kept."""
    kept = {Path(source): results(source, functions) for source, functions in read_tried().items()}
    here = {path.relative_to(MUTANTS).with_suffix(""): path for path in MUTANTS.rglob("*.py.meta")}
    kept |= {source: json.loads(path.read_text(encoding="utf-8"))["exit_code_by_key"] for source, path in here.items()}
    wanted = [source for source in sorted(kept) if not parts or source.stem in parts]
    return [Mutant(name, source, result) for source in wanted for name, result in kept[source].items()]


@dataclass(frozen=True)
class Reasons:
    """Why changes that no test sees change nothing: of single spots, and of some words for others wherever they stand."""

    single: Mapping[Change, str]
    wherever: Sequence[tuple[str, str]]

    def __contains__(self, change: Change) -> bool:
        return change in self.single or any(change.now in _exchanged(change.was, *pair) for pair in self.wherever)


def _exchanged(text: str, words: str, others: str) -> Iterator[str]:
    """The text with the words exchanged at one place."""
    parts = text.split(words)
    return (words.join(parts[:at]) + others + words.join(parts[at:]) for at in range(1, len(parts)))


def read_reasons(parts: Iterable[str] = ()) -> Reasons:
    known = tomllib.loads(SURVIVORS.read_text(encoding="utf-8"))
    every = {Change(**entry): group["why"] for group in known["group"] for entry in group["mutants"]}
    single = {change: why for change, why in every.items() if not parts or _module(change) in parts}
    return Reasons(single, [(group["words"], other) for group in known["wherever"] for other in group["instead"]])


def _module(change: Change) -> str:
    return next((p.stem for p in Path("src").rglob("*.py") if change.where.startswith(_dotted(p))), "")


def _dotted(path: Path) -> str:
    return ".".join(path.with_suffix("").parts[2:]) + "."


def run(parts: list[str], children: int, turns: int, first: list[str], only: list[str]) -> None:
    """Try those again that no test saw and nothing explains, and all mutants that were not tried."""
    gather()
    generate(children)
    known = read_reasons()
    left = [m for m in read_mutants(parts) if m.mark == "-" or (m.mark in "su" and m.change() not in known)]
    # Spread over all functions, so that wherever a run is stopped all are covered evenly.
    left.sort(key=lambda m: (parts.index(m.module) if parts else "trusted" not in m.path.parts, m.number * GOLDEN % 1))
    plan = {
        "children": children,
        "turns": turns,
        "first": first,
        "only": only,
        "digests": digests(),
        "again": [m.name for m in left if m.mark != "-"],  # there may be new tests for them
        "mutants": [m.name for m in left if m.mark == "-"],
    }
    if left:
        (MUTANTS / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
        tests, extra = CONFIG["pytest_add_cli_args_test_selection"], CONFIG["pytest_add_cli_args"]
        tests = [*tests[:2], *(only or tests[2:])]
        path = os.pathsep.join([str(Path("mutants/src").resolve()), str(MUTANTS.resolve())])
        subprocess.run([sys.executable, "-m", "pytest", "-q", "-s", *extra, *tests], cwd=MUTANTS, env=os.environ | {"PYTHONPATH": path}, check=True)


def generate(children: int) -> None:
    """Write the code with all its mutants, and forget what is known of functions whose text is another now."""
    tool.set_mutant_under_test("mutant_generation")
    MUTANTS.mkdir(exist_ok=True)
    with redirect_stdout(None):  # it names every file
        tool.copy_src_dir()
        tool.copy_also_copy_files()
        tool.create_mutants(children)


def digests() -> dict[str, str]:
    """Of the code and what of it is changed, and of each file of tests."""
    files = {"src": sorted(Path("src").rglob("*.py")), **{str(path): [path] for path in Path("tests").rglob("test_*.py")}}
    texts = {name: b"".join(path.read_bytes() for path in paths) for name, paths in files.items()}
    texts["src"] += repr(CONFIG["only_mutate"]).encode()
    return {name: hashlib.sha256(text).hexdigest()[:16] for name, text in texts.items()}


def gather(keep: bool = False) -> None:
    """Put what became of mutants, as the session wrote it down, to what is known of their functions."""
    path = MUTANTS / "results.tsv"
    if not path.exists():
        return
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    results = {name: int(result) for name, result in rows}
    for meta in MUTANTS.rglob("*.py.meta"):
        data: dict[str, Any] = json.loads(meta.read_text(encoding="utf-8"))
        known = data["exit_code_by_key"]
        known.update({name: results[name] for name in known.keys() & results.keys()})
        meta.write_text(json.dumps(data, indent=4), encoding="utf-8")
    if not keep:
        path.unlink()


def read_tried() -> dict[str, dict[str, tuple[str, str]]]:
    """Of each file and function: a digest of its text, and a mark for each mutant."""
    kept: dict[str, dict[str, tuple[str, str]]] = json.loads(TRIED.read_text(encoding="utf-8"))
    return {source: functions for source, functions in kept.items() if Path(source).exists()}


def results(source: str, functions: dict[str, tuple[str, str]]) -> dict[str, int | None]:
    """What became of the mutants of a file, by their names."""
    module = ".".join(Path(source).with_suffix("").parts[1:])
    marks = ((f"{module}.{function}__mutmut_", own) for function, (_, own) in functions.items())
    return {f"{stem}{number}": MARKS[mark] for stem, own in marks for number, mark in enumerate(own, start=1)}


def load_tried() -> None:
    """Lay out what is known of each function, so that mutmut tries those alone whose text is another now."""
    for source, functions in read_tried().items():
        meta = MUTANTS / f"{source}.meta"
        if meta.exists():
            continue  # that of this folder is as new, or newer
        data: dict[str, Any] = {key: {} for key in META_KEYS} | {
            "exit_code_by_key": results(source, functions),
            "hash_by_function_name": {function: text for function, (text, _) in functions.items()},
        }
        meta.parent.mkdir(parents=True, exist_ok=True)
        meta.write_text(json.dumps(data, indent=4), encoding="utf-8")


def keep_tried() -> None:
    """Write down what became of all mutants, a line a function."""
    lines = []
    for path in sorted(MUTANTS.rglob("*.py.meta")):
        data = json.loads(path.read_text(encoding="utf-8"))
        marks: dict[str, dict[int, str]] = {}
        source = path.relative_to(MUTANTS).with_suffix("")
        for mutant in (Mutant(name, source, result) for name, result in data["exit_code_by_key"].items()):
            marks.setdefault(mutant.function, {})[mutant.number] = mutant.mark
        texts = data["hash_by_function_name"]
        kept = {f: (texts[f], "".join(own[n] for n in sorted(own))) for f, own in sorted(marks.items()) if f in texts}
        rows = ",\n".join(f"  {json.dumps(function)}: {json.dumps(entry)}" for function, entry in kept.items())
        lines.append(f" {json.dumps(str(source))}: {{\n{rows}\n }}" if rows else f" {json.dumps(str(source))}: {{}}")
    TRIED.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def report(parts: list[str]) -> Iterator[str]:
    """The score, and what is not as it should be: each line of that begins with a capital letter."""
    mutants = read_mutants(parts)
    known = read_reasons(parts)
    yield f"  {'':14} mutants   tried noticed survived so far"
    for module in [*dict.fromkeys(m.module for m in mutants), "all"]:
        marks = Counter(m.mark for m in mutants if module in ("all", m.module))
        noticed = sum(marks[mark] for mark in NOTICED)
        tried = noticed + marks["s"] + marks["u"]
        yield f"  {module:14} {marks.total():7} {tried:7} {noticed:7} {marks['s']:8} {marks['u']:6}"
    yield f"  {noticed / max(tried, 1):.2%} of those that were tried were noticed"
    if marks["-"] or marks["u"]:
        yield f"Not tried: {marks['-']}, and {marks['u']} not with all tests"
    if not (MUTANTS / "src").exists():
        return  # what the changes are is known where they were made
    places = {change.where for change in known.single}
    alive = {m: m.change() for m in mutants if m.mark in "su"}
    explained = sum(change in known for change in alive.values())
    yield f"  {explained} of the {len(alive)} that survived so far have a reason why they change nothing"
    for mutant, change in alive.items():
        if change not in known:
            entry = ", ".join(f"{name} = {json.dumps(getattr(change, name), ensure_ascii=False)}" for name in ("where", "was", "now"))
            yield f"Unexplained ({mutant.mark}): {mutant.name}\n  {{ {entry} }},"
    seen = {m.change() for m in mutants if m.mark in NOTICED and m.place in places}
    for change in known.single.keys() & seen - set(alive.values()):
        yield f"Explained, and noticed: {change}"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.mutants", description=__doc__.split("\n")[0])
    parser.add_argument("parts", nargs="*", help="modules, such as product; all if none is named")
    parser.add_argument("--children", type=int, default=2, help="how many at once")
    parser.add_argument("--turns", type=int, default=5, choices=range(1, 6), help="stop after 0.2, 3, 20 or 120 seconds of tests of one mutant; 5 for all tests")
    parser.add_argument("--first", nargs="+", default=[], metavar="FILE", help="tests that come first, such as those that were written for survivors")
    parser.add_argument("--only", nargs="+", default=[], metavar="FILE", help="no other tests; what these do not see has not met the others")
    parser.add_argument("--report", action="store_true", help="try nothing, tell what is known")
    parser.add_argument("--anew", action="store_true", help="whatever is known, try all")
    given = parser.parse_args()
    if given.report:
        if MUTANTS.exists():
            gather(keep=True)
            keep_tried()
    else:
        if given.anew:
            shutil.rmtree(MUTANTS, ignore_errors=True)
        else:
            load_tried()
        try:
            run(given.parts, given.children, given.turns, given.first, given.only)
        finally:
            gather()  # also what was tried before it was stopped
            keep_tried()
    lines = list(report(given.parts))
    print("\n".join(lines))
    return int(any(line[0].isupper() for line in lines))


if __name__ == "__main__":
    sys.exit(main())
