"""Arguments in, exit code out. Commands parse and print; the work is done elsewhere.

Packages that take long to load are imported by the commands that need them, so that `show` and mistakes answer at once.
"""

from __future__ import annotations

import json
import os
import shlex
import signal
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from kolahal import __version__
from kolahal.errors import KolahalError, UsageError
from kolahal.lang.sketch import Sketch
from kolahal.settings import Grammar, Settings, TesterSettings
from kolahal.sketches.gallery import GALLERY, load, load_one

if TYPE_CHECKING:
    from kolahal.model import Synthesis, Verdict
    from kolahal.synthesis import Timer

PROVED, REFUTED, MISTAKE, UNKNOWN = 0, 1, 2, 3  # exit codes; REFUTED also when nothing was found
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


@contextmanager
def progress(text: str) -> Iterator[Any]:
    """A line on standard error that says what goes on, on a terminal; nothing where it is piped."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console

    with Console(stderr=True).status(f"{text} …") as status:
        yield status


@contextmanager
def workers(count: int | None) -> Iterator[Executor | None]:
    """Processes that share the work; none for a single one."""
    count = os.cpu_count() or 1 if count is None else count
    if count <= 1:
        yield None
        return
    with ProcessPoolExecutor(count, initializer=_leave_interrupts_to_us) as pool:
        try:
            yield pool
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _leave_interrupts_to_us() -> None:
    """Ctrl-C reaches all processes of a terminal; workers end when the command does, without a word."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


class _Group(click.Group):
    """Mistakes of every command end alike: a message on standard error, exit code 2."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except KolahalError as error:
            click.echo(str(error), err=True)
            ctx.exit(MISTAKE)


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="kolahal")
def cli() -> None:
    """Find noise scales that make a program differentially private, and no noisier than they must be.

    SKETCH is a name of the gallery, path.py, or path.py:function.
    """


def _finish(code: int) -> NoReturn:
    click.get_current_context().exit(code)


@cli.command()
@click.argument("target", metavar="SKETCH", required=False)
def show(target: str | None) -> None:
    """The sketch as it was understood; without a name, the gallery."""
    from kolahal.report.text import render_sketch

    if target is None:
        click.echo("The gallery: " + ", ".join(GALLERY))
        return
    click.echo("\n".join(render_sketch(sketch) for sketch in load(target)), nl=False)


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
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="Also write result.json, report.html and the private program there.",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@click.option(
    "--workers", "count", type=click.IntRange(1), help="Processes that share the work.  [default: one a core]"
)
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
    _finish(synthesis_code(found))


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


def exit_code(verdict: Verdict) -> int:
    from kolahal.model import Proved, Refuted

    return PROVED if isinstance(verdict, Proved) else REFUTED if isinstance(verdict, Refuted) else UNKNOWN


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
    _finish(UNKNOWN)


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


def write_files(folder: Path, files: dict[str, str]) -> None:
    """Write files into a folder; each appears whole or not at all."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            temporary = folder / f".{name}.part"
            temporary.write_text(text, encoding="utf-8")
            temporary.replace(folder / name)
    except OSError as error:
        raise UsageError(f"--out {folder}: {error.strerror or error}; give a folder that can be written") from None


@cli.command()
@click.argument("target", metavar="MECHANISM")
@click.option(
    "--eps-claim", "claim", default="", help="The claimed privacy level, such as eps, 2*eps or N*eps.  [default: its ε]"
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@click.option(
    "--workers", "count", type=click.IntRange(1), help="Processes that share the work.  [default: one a core]"
)
def check(target: str, claim: str, as_json: bool, seed: int, count: int | None) -> None:
    """Proved, refuted or unknown, for a mechanism without holes, with bounds from both sides."""
    sketch = load_complete(target)
    from kolahal.checking import check as judge
    from kolahal.checking import parse_claim
    from kolahal.model import Refuted
    from kolahal.report.json import check_document, dump
    from kolahal.report.text import render_check

    claimed = parse_claim(sketch, claim)
    with progress("proving"), workers(count) as pool:
        found = judge(sketch, claim, Settings(seed=seed), pool)
    exhibited, snippet = None, ""
    if isinstance(found.verdict, Refuted):
        from kolahal.proof import exhibit

        exhibited = exhibit.document(found.verdict, sketch, claimed)
        snippet = exhibit.snippet(found.verdict, sketch, claimed)
    if as_json:
        names = {"sketch": sketch.name, "claim": str(claimed), "program": str(sketch), "snippet": snippet or None}
        click.echo(dump({**check_document(found, exhibited), **names, "version": __version__}))
    else:
        click.echo(render_check(sketch, found, str(claimed), snippet), nl=False)
    _finish(exit_code(found.verdict))


@cli.command()
@click.argument("certificate", metavar="CERTIFICATE", type=click.Path(path_type=Path, dir_okay=False))
def verify(certificate: Path) -> None:
    """Check a certificate again, trusting no search: validity queries alone."""
    from kolahal.checking import verify as recheck

    try:
        text = certificate.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{certificate}: cannot be read ({error}); give a certificate") from None
    with progress("checking"):
        faults = recheck(text)
    if faults:
        click.echo("Rejected:\n" + "\n".join(f"  {fault}" for fault in faults))
        _finish(REFUTED)
    click.echo("Valid: every obligation was checked again.")


@cli.command("test")
@click.argument("target", metavar="MECHANISM")
@click.option("--eps", "epsilon", default="0.5", show_default=True, help="The claimed ε.")
@click.option("--profile", type=click.Choice(["quick", "default", "thorough"]), default="default", show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@click.option(
    "--workers", "count", type=click.IntRange(1), help="Processes that share the work.  [default: one a core]"
)
def test_command(target: str, epsilon: str, profile: str, as_json: bool, seed: int, count: int | None) -> None:
    """The statistical test alone, at a concrete ε: p-values, a lower bound, a counterexample."""
    sketch = load_complete(target)
    claimed = _epsilon(epsilon)
    from kolahal.measure.counterexample import reproduce
    from kolahal.measure.tester import test_mechanism
    from kolahal.report.json import dump, trial_document
    from kolahal.report.text import render_trial

    start = time.perf_counter()
    with progress("testing"), workers(count) as pool:
        trial = test_mechanism(sketch, claimed, TesterSettings.profile(profile), seed, pool)
    seconds = time.perf_counter() - start
    if as_json:
        click.echo(dump(trial_document(trial, seconds)))
    else:
        click.echo(render_trial(sketch, trial, seconds, reproduce(trial, sketch)))
    _finish(REFUTED if trial.p_value < 0.05 else UNKNOWN)


def load_complete(target: str) -> Sketch:
    """A mechanism without holes."""
    sketch = load_one(target)
    if sketch.holes:
        raise UsageError(
            f"{sketch.name} has holes: {', '.join(hole.label for hole in sketch.holes)}. "
            "Fill them with `kolahal synth`, or write their scales into the file."
        )
    return sketch


def _epsilon(text: str) -> Fraction:
    try:
        epsilon = Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise UsageError(f"--eps {text}: write a number such as 0.5") from None
    if not 0 < epsilon <= 100:
        raise UsageError(f"--eps {text}: ε must be above 0 and at most 100")
    return epsilon


@cli.command()
@click.argument("result", metavar="RESULT.json", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--out", type=click.Path(path_type=Path, dir_okay=False), help="Where to write it.  [default: beside the result]"
)
def report(result: Path, out: Path | None) -> None:
    """The report again as one HTML page, from a result, computing nothing."""
    from kolahal.report.html import render_page

    try:
        document = json.loads(result.read_text(encoding="utf-8"))
        page = render_page(document)
    except OSError as error:
        raise UsageError(
            f"{result}: {error.strerror or error}; give a result that `kolahal synth --out` wrote"
        ) from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise UsageError(
            f"{result}: this is not a result of kolahal; give a result.json that `--out` or `--json` wrote"
        ) from None
    target = out or result.with_name("report.html")
    write_files(target.parent, {target.name: page})
    click.echo(str(target))


@cli.command()
@click.option("--method", default="paper", show_default=True, help="How to synthesize.")
@click.option("--baselines", is_flag=True, help="Also run the paper's baselines.")
@click.option("--limit", type=float, default=60.0, show_default=True, help="Seconds for each baseline and benchmark.")
@click.option("--only", multiple=True, metavar="NAME", help="These benchmarks alone.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@click.option(
    "--workers", "count", type=click.IntRange(1), help="Processes that share the work.  [default: one a core]"
)
def table(method: str, baselines: bool, limit: float, only: tuple[str, ...], seed: int, count: int | None) -> None:
    """The paper's table: its minutes and ranks, our seconds and ranks."""
    from kolahal.evaluation import evaluate
    from kolahal.methods import METHODS, choose_parts
    from kolahal.report.text import table as columns

    unknown = [name for name in (*only, method) if name not in GALLERY and name not in METHODS and name != "auto"]
    if unknown:
        raise UsageError(
            f"there is no {unknown[0]}: benchmarks are {', '.join(GALLERY)}; methods are {', '.join(METHODS)}"
        )
    others = ["naive", "unlim", "lim", "noopt"] if baselines else []
    settings = Settings(seed=seed)
    rows = []
    with workers(count) as pool:
        for name in only or GALLERY:
            entry = GALLERY[name]
            with progress(f"{name} by {method}"):
                row = evaluate(name, choose_parts(method, load_one(name), settings).spread_over(pool), settings)
            cells = [f"{value:.1f}" for _, value in row.seconds]
            slower = []
            for other in others:
                with progress(f"{name} by {other}"), limited(limit):
                    slower.append(
                        f"{dict(evaluate(name, METHODS[other].spread_over(pool), settings).seconds)['total']:.1f}"
                    )
                if len(slower) < others.index(other) + 1:
                    slower.append("-")
            rows.append(
                [
                    entry.paper_name,
                    str(row.holes),
                    *cells,
                    str(row.rank or "-"),
                    "yes" if row.proved else "no",
                    *slower,
                    entry.minutes[4],
                    str(entry.rank),
                    *(entry.baselines if baselines else ()),
                ]
            )
    heads = [
        "benchmark",
        "#locs",
        "init",
        "opti",
        "enum",
        "verify",
        "total",
        "rank",
        "proved",
        *others,
        "paper min",
        "paper rank",
        *(f"paper {other}" for other in others),
    ]
    click.echo(columns(heads, rows))


class TimeIsUp(BaseException):
    """A limit of the command line; not an Exception, so that no step mistakes it for a fault of its own."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Give up what is inside after `seconds`."""

    def stop(*_: object) -> NoReturn:
        raise TimeIsUp

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    except TimeIsUp:
        pass
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@cli.command()
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), default=Path("figures"), show_default=True)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
def figures(out: Path, seed: int) -> None:
    """The paper's plots from our own runs, as SVG files."""
    from kolahal.evaluation import draw_figures

    with progress("drawing"):
        pictures = dict(draw_figures(Settings(seed=seed)))
    write_files(out, pictures)
    click.echo("\n".join(str(out / name) for name in pictures))


def main(argv: list[str] | None = None) -> int:
    """Run a command and give its exit code."""
    try:
        result = cli.main(args=argv, prog_name="kolahal", standalone_mode=False)
        return result if isinstance(result, int) else 0
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.ClickException as error:
        error.show()
        return MISTAKE
    except (click.Abort, KeyboardInterrupt):
        click.echo("Interrupted.", err=True)
        return UNKNOWN
    except BrokenPipeError:  # the reader of our output, such as `head`, has seen enough
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
        return 0


# ---------------------------------------------------------------- programs to hand out, and sketches of plain ones


@cli.command("emit")
@click.argument("target", metavar="MECHANISM")
@click.option(
    "--out", type=click.Path(path_type=Path, dir_okay=False), help="Where to write it.  [default: standard output]"
)
@click.option("--eps-claim", "claim", default="", help="The claimed privacy level.  [default: its ε]")
@click.option("--no-check", is_flag=True, help="Do not judge it first; the file says so.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def emit_command(target: str, out: Path | None, claim: str, no_check: bool, as_json: bool) -> None:
    """MECHANISM as a Python file that stands alone, with exact noise; not if it is refuted."""
    from kolahal.lang.emit import emit
    from kolahal.model import Refuted, Unknown, describe_verdict
    from kolahal.report.json import check_document, dump
    from kolahal.report.text import render_check

    program = load_complete(target)
    verdict: Verdict = Unknown("nobody has checked it")
    document: dict[str, Any] = {"verdict": "unknown", "scope": None}
    if not no_check:
        from kolahal.checking import check as judge

        with progress("proving"):
            found = judge(program, claim)
        verdict, document = found.verdict, check_document(found)
        click.echo(render_check(program, found, claim or program.epsilon.name), nl=False, err=True)
    text = None
    if not isinstance(verdict, Refuted):
        command = f"kolahal check {target}" + (f" --eps-claim '{claim}'" if claim else "")
        text = emit(program, f"{describe_verdict(verdict, program.private.name)}.", command, claim=claim)
        if out is not None:
            write_files(out.parent, {out.name: text})
        elif not as_json:
            click.echo(text, nl=False)
    if as_json:
        file = str(out) if out is not None and text is not None else None
        click.echo(dump({**document, "sketch": program.name, "file": file, "program": text, "version": __version__}))
    _finish(exit_code(verdict))


@cli.command("sketch")
@click.argument("target", metavar="PROGRAM.py[:FUNCTION]")
@click.option("--adjacent", default="each_within(1)", show_default=True, help="Who the neighbours are.")
@click.option("--private", help="The private parameter.  [default: the first]")
@click.option("--copies/--no-copies", default=True, show_default=True, help="Noise also where a noisy value is copied.")
def sketch_command(target: str, adjacent: str, private: str | None, copies: bool) -> None:
    """A sketch of a plain function: the same program with a place for noise wherever private data goes."""
    from kolahal.lang.plain import load_plain, sketch_of

    source, name = load_plain(target)
    click.echo(sketch_of(source.text, name, adjacent, private, copies, source.path), nl=False)
