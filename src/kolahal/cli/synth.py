"""`kolahal synth`."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from kolahal import __version__
from kolahal.cli.base import (
    INTERRUPTED,
    REFUTED,
    as_json,
    backends,
    cli,
    complete_target,
    echo_lines,
    exit_code,
    finish,
    processes,
    progress,
    seed,
    supervised,
    tell_failed,
    tell_files,
    verbosely,
    width,
    workers,
    write_files,
)
from kolahal.cli.ends import echo_json
from kolahal.cli.files import OutFolder
from kolahal.errors import KolahalError, UsageError
from kolahal.lang.scale import parse_number
from kolahal.lang.sketch import Sketch, Variant
from kolahal.settings import Grammar, Settings, with_changes
from kolahal.sketches.gallery import load_one

if TYPE_CHECKING:
    from kolahal.results import Synthesis
    from kolahal.roads.watch import Watch


def _grammar(coefficients: str | None, also: tuple[str, ...]) -> Grammar:
    grammar = Grammar(extra=also)
    if coefficients:
        try:
            numbers = tuple(map(parse_number, coefficients.split(",")))
        except ValueError:
            raise UsageError(f"--coefficients {coefficients}: write numbers with commas, such as 1,2,3,4") from None
        if any(number <= 0 for number in numbers):
            raise UsageError(f"--coefficients {coefficients}: coefficients must be above 0")
        grammar = replace(grammar, coefficients=numbers)
    return grammar


@cli.command()
@click.argument("target", metavar="SKETCH", shell_complete=complete_target)
@click.option(
    "--method",
    type=click.Choice(["auto", "law", "exact", "paper", "naive", "unlim", "lim", "noopt"]),
    default="auto",
    show_default=True,
    help="Straight from the law; the paper's method with integrals and proofs (exact), as it is, all sampled (paper), or one of its baselines; auto: the law where there is one.",
)
@click.option(
    "--tester",
    type=click.Choice(["paired", "statdp"]),
    default="paired",
    show_default=True,
    help="How examples are found and finalists tested: our sampler, or StatDP's way as it is published.",
)
@click.option("--length", type=click.IntRange(1, 10_000), help="Rank for this many private answers.  [default: for growth, at 5, 50 and 500]")
@click.option("--second-opinion", is_flag=True, help="Also put what is proved to the statistical test.")
@as_json
@click.option(
    "--out",
    type=OutFolder(),
    help="Also write result.json, report.html, the certificate and the private program there.",
)
@seed
@processes
@click.option("--coefficients", help="Coefficients of the grammar, such as 1,2,3,4,6.")
@click.option("--also", multiple=True, metavar="EXPR", help="A further scale for the grammar, such as 'T/eps'.")
@click.option("--patch", is_flag=True, help="Print a unified diff of the file instead: holes filled, or noise added.")
@click.option(
    "--force", is_flag=True, help="With --patch: also for a bounded completion; a comment in the file says so."
)
@backends
@click.option("--auto", is_flag=True, help="SKETCH is a plain function: find the places for noise, too.")
@click.option("--adjacent", help="With --auto: who the neighbours are.  [default: each_within(1)]")
@click.option("--private", help="With --auto: the private parameter.  [default: the first]")
@click.option(
    "--noise", type=click.Choice(["Lap", "Exp", "Noise"]), help="With --auto: the noise at all places; Noise leaves the family open.  [default: Lap]"
)
@click.option("--between", multiple=True, metavar="FIELD=LOW:HIGH", help="With --auto: bounds of a field of records.")
@verbosely
@supervised
def synth(
    target: str,
    method: str,
    tester: str,
    length: int | None,
    second_opinion: bool,
    as_json: bool,
    out: Path | None,
    seed: int,
    count: int | None,
    coefficients: str | None,
    also: tuple[str, ...],
    patch: bool,
    force: bool,
    auto: bool,
    adjacent: str | None,
    private: str | None,
    noise: str | None,
    between: tuple[str, ...],
    verbose: bool,
    backend: str,
) -> None:
    """Find scales for the holes of SKETCH, ranked, each with a verdict."""
    sketch = _load(target, auto, adjacent, private, noise, between)
    settings = with_changes(Settings(seed=seed, grammar=_grammar(coefficients, also)), "tester", method=tester)
    ranking: dict[str, Any] = {"second_opinion": second_opinion, **({"lengths": (length,)} if length else {})}
    settings = with_changes(settings, "ranking", **ranking)
    if not sketch.holes:
        raise UsageError(f"{sketch.name} has no holes: there is nothing to find. Use `kolahal check` to judge it.")
    from kolahal.report.json import dump, synthesis_document
    from kolahal.report.text import render_synthesis
    from kolahal.roads.methods import travel
    from kolahal.roads.watch import Watch

    with progress("starting") as status, workers(count) as pool:
        watch = Watch(pool, None if status is None else lambda doing: status.update(f"{doing} …"))
        try:
            found = travel(sketch, settings, method, watch)
        except KeyboardInterrupt:
            _interrupted(sketch, watch)
    seconds = watch.total()
    plain = ["--auto", f"--adjacent={sketch.adjacency}", f"--private={sketch.private.called}"] if auto else []
    plain += [*([f"--noise={noise}"] if noise else []), *(f"--between={given}" for given in between)]
    plain += [f"--tester={tester}"] if tester != "paired" else []
    plain += [*(["--second-opinion"] if second_opinion else []), *([f"--length={length}"] if length else [])]
    command = shlex.join(["kolahal", "synth", target, *plain, "--method", method, "--seed", str(seed)])
    result = {**synthesis_document(found, seconds, __version__), "command": command}
    if out is not None:
        with progress("drawing the report"):
            result = _write(out, found, result, command, backend)
    if patch:
        echo_lines(_patch(target, found, auto, force))
    else:
        echo_json(dump(result)) if as_json else click.echo(render_synthesis(found, seconds, width()), nl=False)
    if out is not None:
        tell_files(out, result["files"])
    _tell_more(found, verbose)
    finish(synthesis_code(found))


def _tell_more(found: Synthesis, verbose: bool) -> None:
    """Why the law gave nothing, and what `--verbose` adds."""
    if found.reason:
        pure = found.sketch.variant is Variant.PURE
        more = " `--method exact` searches all the same, for as long as that takes." if pure else ""
        click.echo(f"Why: {found.reason}.{more}", err=True)
    if verbose:
        tell_failed(found.failed_rechecks)


def _load(
    target: str, auto: bool, adjacent: str | None, private: str | None, noise: str | None, between: tuple[str, ...]
) -> Sketch:
    """The sketch of a target, or of the plain function that it names."""
    if auto:
        from kolahal.lang.plain.convert import load_plain, read_plain

        source, name = load_plain(target)
        return read_plain(source.text, name, adjacent or "each_within(1)", private, True, source.path, noise or "Lap", between)
    if adjacent or private or noise or between:
        raise UsageError("--adjacent, --private, --noise and --between go with --auto; a sketch says these things itself")
    return load_one(target)


def _patch(target: str, found: Synthesis, auto: bool, force: bool) -> str:
    """The best completion as a diff of the user's own file, if it is proved; a bounded one says so in a comment."""
    from kolahal.lang.patch import make_patch
    from kolahal.lang.plain.convert import load_plain, patch_plain
    from kolahal.report.advice import advise, refusal
    from kolahal.verdicts import Bounded, describe_verdict

    if found.rival is not None and not auto and found.sketch != load_one(target):  # the file has the other family of noise
        found = found.rival
    sketch = found.sketch
    if found.best is None or sketch.source is None:
        click.echo(f"No patch: no private completion of {sketch.name} was found.", err=True)
        return ""
    verdict, note = found.best.verdict, ""
    refused = refusal(verdict, sketch)
    if isinstance(verdict, Bounded):
        note = f"{describe_verdict(verdict, sketch.private.name)}."
        remedy = advise(verdict, sketch)
        advice = f"\nWhat to do: {remedy}." if remedy else ""
        refused = "" if force else f"{note}{advice}\n--force gives the patch all the same, with a comment that says so"
    if refused:
        click.echo(f"No patch: {refused}.", err=True)
        return ""
    with open(sketch.source.path, encoding="utf-8", newline="") as file:
        text = file.read()
    completion, path = found.best.ranked.completion, sketch.source.path
    if auto:
        return patch_plain(text, load_plain(target)[1], sketch, completion, path, note)
    return make_patch(text, sketch, completion, note=note)


def synthesis_code(found: Synthesis) -> int:
    """The exit code of a synthesis."""
    return REFUTED if found.best is None else exit_code(found.best.verdict)


def _interrupted(sketch: Sketch, watch: Watch) -> NoReturn:
    """What was found until Ctrl-C."""
    from kolahal.results import describe_completion

    click.echo(f"Interrupted after {watch.total()['total']:.1f} s. Found so far:", err=True)
    ranked = watch.results.get("ranking", ())
    selection = watch.results.get("examples")
    if ranked:
        click.echo(
            f"{sketch.name}: ranked but not judged: " + ", ".join(describe_completion(r.completion) for r in ranked[:5])
        )
    elif selection is not None:
        click.echo(f"{sketch.name}: {len(selection.kept)} examples, no completions yet")
    else:
        click.echo(f"{sketch.name}: nothing yet")
    finish(INTERRUPTED)


def _write(folder: Path, found: Synthesis, result: dict[str, Any], command: str, backend: str) -> dict[str, Any]:
    """result.json, the report, the best completion's certificate, and the private program, where there are such."""
    from kolahal.emission.release import emit
    from kolahal.pictures.result import picture_synthesis
    from kolahal.report.html import render_page
    from kolahal.report.json import as_plain, dump, with_pictures
    from kolahal.verdicts import proof_of

    files = {}
    if found.best is not None:
        if certificate := proof_of(found.best.verdict):
            files["certificate.json"] = certificate.text + "\n"
        try:
            kind = "private" if backend == "python" else backend
            files[f"{found.sketch.name}_{kind}.py"] = emit(found.mechanism, found.best.verdict, command=command, backend=backend)
        except KolahalError as error:
            click.echo(f"No program was written: {error}", err=True)
    pure = found.sketch.variant is Variant.PURE  # of other budgets there are no pictures yet
    result = with_pictures(result, picture_synthesis(found) if pure else {}, files)
    pages = {"result.json": dump(result) + "\n", "report.html": render_page(as_plain(result))}
    write_files(folder, {**pages, **files})
    return result
