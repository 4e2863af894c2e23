"""`kolahal synth`."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from kolahal import __version__
from kolahal.cli.base import (
    REFUTED,
    UNKNOWN,
    as_json,
    cli,
    exit_code,
    finish,
    processes,
    progress,
    seed,
    workers,
    write_files,
)
from kolahal.errors import KolahalError, UsageError
from kolahal.lang.sketch import Sketch
from kolahal.settings import Grammar, Settings
from kolahal.sketches.gallery import load_one

if TYPE_CHECKING:
    from kolahal.model import Synthesis
    from kolahal.synthesis import Timer

NEXT = {  # what goes on after a step has finished
    "": "fixing arguments",
    "fix_arguments": "drawing noise",
    "build_probe": "selecting examples",
    "select_examples": "searching the noise region",
    "find_regions": "enumerating completions",
    "enumerate_completions": "selecting test examples",
    "select_tests": "ranking",
    "rank_completions": "testing and proving",
    "judge": "finding the law",
    "find_law": "done",
}


def _grammar(coefficients: str | None, also: tuple[str, ...]) -> Grammar:
    grammar = Grammar(extra=also)
    if coefficients:
        try:
            numbers = tuple(Fraction(part.strip()) for part in coefficients.split(","))
        except (ValueError, ZeroDivisionError):
            raise UsageError(f"--coefficients {coefficients}: write numbers with commas, such as 1,2,3,4") from None
        if any(number <= 0 for number in numbers):
            raise UsageError(f"--coefficients {coefficients}: coefficients must be above 0")
        grammar = replace(grammar, coefficients=numbers)
    return grammar


@cli.command()
@click.argument("target", metavar="SKETCH")
@click.option(
    "--method",
    type=click.Choice(["auto", "law", "paper", "naive", "unlim", "lim", "noopt"]),
    default="auto",
    show_default=True,
    help="Straight from the law, the paper's method, or one of its baselines; auto: the law where there is one.",
)
@as_json
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="Also write result.json, report.html and the private program there.",
)
@seed
@processes
@click.option("--coefficients", help="Coefficients of the grammar, such as 1,2,3,4,6.")
@click.option("--also", multiple=True, metavar="EXPR", help="A further scale for the grammar, such as 'T/eps'.")
@click.option("--patch", is_flag=True, help="Print a unified diff that fills the holes of the file.")
def synth(
    target: str,
    method: str,
    as_json: bool,
    out: Path | None,
    seed: int,
    count: int | None,
    coefficients: str | None,
    also: tuple[str, ...],
    patch: bool,
) -> None:
    """Find scales for the holes of SKETCH, ranked, each with a verdict."""
    sketch = load_one(target)
    settings = Settings(seed=seed, grammar=_grammar(coefficients, also))
    if not sketch.holes:
        raise UsageError(f"{sketch.name} has no holes: there is nothing to find. Use `kolahal check` to judge it.")
    from kolahal.methods import choose_parts
    from kolahal.report.json import dump, synthesis_document
    from kolahal.report.text import render_synthesis
    from kolahal.synthesis import Timer, synthesize

    timer = Timer()
    with progress(NEXT[""]) as status, workers(count) as pool:
        parts = choose_parts(method, sketch, settings).spread_over(pool).watched_by(timer)
        if status is not None:
            parts = parts.watched_by(lambda step, _, __: status.update(f"{NEXT[step]} …"))
        try:
            found = synthesize(sketch, settings, parts)
        except KeyboardInterrupt:
            _interrupted(sketch, timer)
    seconds = timer.total()
    command = f"kolahal synth {shlex.quote(target)} --method {method} --seed {seed}"
    document = dump({**synthesis_document(found, seconds, __version__), "command": command})
    if out is not None:
        _write(out, found, document, command)
    if patch:
        click.echo(_patch(sketch, found), nl=False)
    else:
        click.echo(document if as_json else render_synthesis(found, seconds), nl=as_json)
    finish(synthesis_code(found))


def _patch(sketch: Sketch, found: Synthesis) -> str:
    """The best completion as a diff of the user's own file."""
    from kolahal.lang.patch import make_patch

    if found.best is None or sketch.source is None:
        return ""
    with open(sketch.source.path, encoding="utf-8", newline="") as file:
        text = file.read()
    return make_patch(text, sketch, found.best.ranked.completion)


def synthesis_code(found: Synthesis) -> int:
    """The exit code of a synthesis."""
    return REFUTED if found.best is None else exit_code(found.best.verdict)


def _interrupted(sketch: Sketch, watch: Timer) -> NoReturn:
    """What was found until Ctrl-C."""
    from kolahal.model import describe_completion

    click.echo(f"Interrupted after {watch.total()['total']:.1f} s. Found so far:", err=True)
    ranked = watch.results.get("rank_completions", ())
    selection = watch.results.get("select_examples")
    if ranked:
        click.echo(
            f"{sketch.name}: ranked but not judged: " + ", ".join(describe_completion(r.completion) for r in ranked[:5])
        )
    elif selection is not None:
        click.echo(f"{sketch.name}: {len(selection.kept)} examples, no completions yet")
    else:
        click.echo(f"{sketch.name}: nothing yet")
    finish(UNKNOWN)


def _write(folder: Path, found: Synthesis, document: str, command: str) -> None:
    """result.json, the report, and the private program, if there is one."""
    from kolahal.lang.emit import emit
    from kolahal.model import describe_verdict
    from kolahal.report.html import render_page

    files = {"result.json": document + "\n", "report.html": render_page(json.loads(document))}
    if found.best is not None:
        verdict = describe_verdict(found.best.verdict, found.sketch.private.name)
        try:
            files[f"{found.sketch.name}_private.py"] = emit(found.mechanism, f"{verdict}.", command)
        except KolahalError as error:
            click.echo(f"No program was written: {error}", err=True)
    write_files(folder, files)
