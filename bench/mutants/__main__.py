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
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
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
KILLED = ("killed", "timeout", "segfault")
META_KEYS = ("exit_code_by_key", "hash_by_function_name", "type_check_error_by_key", "durations_by_key", "estimated_durations_by_key")
MARKS: dict[str, int | None] = {"k": 1, "t": 36, "c": -11, "s": 0, "-": None}  # killed, timeout, crash, survived, not tried


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
    def status(self) -> str:
        return str(status_by_exit_code[self.result])

    @property
    def is_dead(self) -> bool:
        """Whether a test saw it; one that does not end, or takes the process with it, was seen too."""
        return self.status in KILLED or (self.result or 0) < 0

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
    found = []
    for path in sorted(MUTANTS.rglob("*.py.meta")):
        source = path.relative_to(MUTANTS).with_suffix("")
        if not parts or source.stem in parts:
            results = json.loads(path.read_text(encoding="utf-8"))["exit_code_by_key"]
            found += [Mutant(name, source, result) for name, result in results.items()]
    return found


def read_survivors(parts: Iterable[str]) -> dict[Change, str]:
    """What is known to survive, and why."""
    groups = tomllib.loads(SURVIVORS.read_text(encoding="utf-8"))["group"]
    every = {Change(**entry): group["why"] for group in groups for entry in group["mutants"]}
    return {change: why for change, why in every.items() if not parts or _module(change) in parts}


def _module(change: Change) -> str:
    return next((p.stem for p in Path("src").rglob("*.py") if change.where.startswith(_dotted(p))), "")


def _dotted(path: Path) -> str:
    return ".".join(path.with_suffix("").parts[2:]) + "."


def run(parts: list[str], children: int) -> None:
    """Try all mutants that were not tried, and those survivors again that are not explained."""
    gather()
    generate(children)
    known = read_survivors(())
    places = {change.where for change in known}

    def explained(mutant: Mutant) -> bool:
        return mutant.place in places and mutant.change() in known  # to see a change takes longer than to see its place

    found = read_mutants(parts)
    if parts:
        found.sort(key=lambda mutant: parts.index(mutant.module))
    again = {m for m in found if not m.is_dead and m.result is not None and not explained(m)}
    forget(again)
    left = [m for m in found if m.result is None or m in again]
    plan: dict[str, Any] = {"children": children, "digests": digests(), "mutants": [], "explained": []}
    for mutant in left:
        plan["explained" if explained(mutant) else "mutants"].append(mutant.name)
    if left:
        (MUTANTS / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
        tests, extra = CONFIG["pytest_add_cli_args_test_selection"], CONFIG["pytest_add_cli_args"]
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
    """Of the code, and of each file of tests."""
    files = {"src": sorted(Path("src").rglob("*.py")), **{str(path): [path] for path in Path("tests").rglob("test_*.py")}}
    return {name: hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()[:16] for name, paths in files.items()}


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


def load_tried() -> None:
    """Lay out what is known of each function, so that mutmut tries those alone whose text is another now."""
    for source, functions in json.loads(TRIED.read_text(encoding="utf-8")).items():
        meta = MUTANTS / f"{source}.meta"
        if meta.exists() or not Path(source).exists():
            continue  # that of this folder is as new, or newer
        module = ".".join(Path(source).with_suffix("").parts[1:])
        results = {
            f"{module}.{function}__mutmut_{number}": MARKS[mark]
            for function, (_, marks) in functions.items()
            for number, mark in enumerate(marks, start=1)
        }
        data: dict[str, Any] = {key: {} for key in META_KEYS} | {
            "exit_code_by_key": results,
            "hash_by_function_name": {function: text for function, (text, _) in functions.items()},
        }
        meta.parent.mkdir(parents=True, exist_ok=True)
        meta.write_text(json.dumps(data, indent=4), encoding="utf-8")


def keep_tried() -> None:
    """Write down what became of all mutants, a line a function: a digest of its text, and a mark for each mutant."""
    kept: dict[str, dict[str, tuple[str, str]]] = {}
    for path in sorted(MUTANTS.rglob("*.py.meta")):
        data = json.loads(path.read_text(encoding="utf-8"))
        marks: dict[str, dict[int, str]] = {}
        for name, result in data["exit_code_by_key"].items():
            function, _, number = name.rpartition(".")[2].rpartition("__mutmut_")
            marks.setdefault(function, {})[int(number)] = _mark(result)
        source = str(path.relative_to(MUTANTS).with_suffix(""))
        texts = data["hash_by_function_name"]
        kept[source] = {f: (texts[f], "".join(own[n] for n in sorted(own))) for f, own in sorted(marks.items()) if f in texts}
    lines = []
    for source, functions in kept.items():
        rows = ",\n".join(f"  {json.dumps(function)}: {json.dumps(entry)}" for function, entry in functions.items())
        lines.append(f" {json.dumps(source)}: {{\n{rows}\n }}" if rows else f" {json.dumps(source)}: {{}}")
    TRIED.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def _mark(result: int | None) -> str:
    """What became of a mutant, as a letter; what ended in no clear way is to be tried again."""
    match str(status_by_exit_code[result]):
        case "killed":
            return "k"
        case "timeout":
            return "t"
        case "survived" | "no tests":
            return "s"
        case "segfault":
            return "c"
        case _:
            return "c" if (result or 0) < 0 else "-"


def forget(mutants: Collection[Mutant]) -> None:
    """Make mutmut try them again."""
    for path in {mutant.path for mutant in mutants}:
        file = MUTANTS / f"{path}.meta"
        data: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        for mutant in mutants:
            if mutant.path == path:
                data["exit_code_by_key"][mutant.name] = None
        file.write_text(json.dumps(data, indent=4), encoding="utf-8")


def report(parts: list[str]) -> Iterator[str]:
    """The score, and what is not as it should be: each line of that begins with a capital letter."""
    mutants = read_mutants(parts)
    known = read_survivors(parts)
    tried = [m for m in mutants if m.result is not None]
    alive = {m: m.change() for m in tried if not m.is_dead}
    for module in dict.fromkeys(m.module for m in mutants):
        mine = [m for m in mutants if m.module == module]
        yield f"  {module:14} {len(mine):5} mutants, {sum(m in tried for m in mine):5} tried, {sum(m.is_dead for m in mine):5} killed"
    killed = Counter(m.status if m.status in KILLED else "crash" for m in mutants if m.is_dead)
    explained = sum(change in known for change in alive.values())
    total, dead = len(tried), sum(killed.values())
    if total < len(mutants):
        yield f"Not tried: {len(mutants) - total} of {len(mutants)}"
    if not total:
        return
    yield f"  {dead} of {total} killed: {dead / total:.2%} ({', '.join(f'{n} {status}' for status, n in killed.items())})"
    yield f"  {dead} of the {total - explained} that change something: {dead / (total - explained):.2%}"
    for mutant, change in alive.items():
        if change not in known:
            entry = ", ".join(f"{name} = {json.dumps(getattr(change, name), ensure_ascii=False)}" for name in ("where", "was", "now"))
            yield f"Unexplained ({mutant.status}): {mutant.name}\n  {{ {entry} }},"
    for change in known.keys() - set(alive.values()) if total == len(mutants) else ():
        yield f"Explained, and does not survive: {change}"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.mutants", description=__doc__.split("\n")[0])
    parser.add_argument("parts", nargs="*", help="modules, such as product; all if none is named")
    parser.add_argument("--children", type=int, default=2, help="how many at once")
    parser.add_argument("--report", action="store_true", help="try nothing, tell what is known")
    parser.add_argument("--anew", action="store_true", help="whatever is known, try all")
    given = parser.parse_args()
    if not given.anew:
        load_tried()
    try:
        if not given.report:
            run(given.parts, given.children)
    finally:
        gather(keep=given.report)  # also what was tried before it was stopped
        keep_tried()
    lines = list(report(given.parts))
    print("\n".join(lines))
    return int(any(line[0].isupper() for line in lines))


if __name__ == "__main__":
    sys.exit(main())
