"""`kolahal show`, `sketch`, `emit` and `report`: programs and pages for people."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kolahal import __version__
from kolahal.cli.base import (
    BOUNDED,
    MISTAKE,
    PROVED,
    as_json,
    backends,
    cli,
    complete_target,
    echo_lines,
    exit_code,
    finish,
    load_complete,
    progress,
    read_document,
)
from kolahal.cli.ends import echo_json
from kolahal.cli.files import OutFile, write_file
from kolahal.errors import UsageError, harmless
from kolahal.sketches.gallery import BEYOND, GALLERY, OTHER_BUDGETS, RECORDS, load

if TYPE_CHECKING:
    from kolahal.verdicts import Verdict


@cli.command()
@click.argument("target", metavar="SKETCH", required=False, shell_complete=complete_target)
def show(target: str | None) -> None:
    """The sketch as it was understood; without a name, the gallery."""
    from kolahal.report.text import render_sketch

    if target is None:
        click.echo("The gallery: " + ", ".join((*GALLERY, *BEYOND)))
        click.echo("Over records: " + ", ".join(RECORDS))
        click.echo("With budgets other than ε: " + ", ".join(OTHER_BUDGETS))
        return
    click.echo("\n".join(render_sketch(sketch) for sketch in load(target)), nl=False)


@cli.command("emit")
@click.argument("target", metavar="MECHANISM", shell_complete=complete_target)
@click.option("--out", type=OutFile(), help="Where to write it.  [default: standard output]")
@click.option("--eps-claim", "claim", default="", help="The claimed privacy level.  [default: its ε]")
@click.option("--no-check", is_flag=True, help="Do not judge it first; then it is only written with --force.")
@click.option(
    "--force", is_flag=True, help="Write it also where nothing is proved; its title says that nothing is claimed."
)
@click.option(
    "--online", is_flag=True, help="Also a class that is asked one answer at a time, where the proof allows that."
)
@backends
@as_json
def emit_command(
    target: str, out: Path | None, claim: str, no_check: bool, force: bool, online: bool, backend: str, as_json: bool
) -> None:
    """MECHANISM as a Python file that stands alone, with exact noise, if it is proved."""
    from kolahal.emission.release import NOBODY, Withheld, emit
    from kolahal.proof.online import NotOnline
    from kolahal.report.json import check_document, dump
    from kolahal.report.text import render_check

    program = load_complete(target)
    verdict: Verdict = NOBODY
    document: dict[str, Any] = {"verdict": "unknown", "scope": None}
    if not no_check:
        from kolahal.checking import check as judge

        with progress("proving"):
            found = judge(program, claim)
        verdict, document = found.verdict, check_document(found)
        click.echo(render_check(program, found), nl=False, err=True)
    text, withheld = None, None
    try:
        command = f"kolahal check {target}" + (f" --eps-claim '{claim}'" if claim else "")
        text = emit(program, verdict, claim, command, force, backend, online)
    except (Withheld, NotOnline) as error:
        withheld = str(error)
        click.echo(withheld, err=True)
    if text is not None and out is not None:
        write_file(out, text)
        proved = exit_code(verdict) in (PROVED, BOUNDED)
        what = "the private program, to run and to hand out" if proved else "the program, of whose privacy nothing is claimed"
        click.echo(harmless(f"Written to {out}: {what}."), err=True)
    elif text is not None and not as_json:
        echo_lines(text)
    if as_json:
        file = str(out) if out is not None and text is not None else None
        extra = {"sketch": program.name, "file": file, "program": text, "withheld": withheld, "version": __version__}
        echo_json(dump({**document, **extra}))
    code = exit_code(verdict)
    finish(MISTAKE if withheld and code in (PROVED, BOUNDED) else code)  # proved, and still not what would be run


@cli.command("sketch")
@click.argument("target", metavar="PROGRAM.py[:FUNCTION]")
@click.option("--adjacent", default="each_within(1)", show_default=True, help="Who the neighbours are.")
@click.option("--private", help="The private parameter.  [default: the first]")
@click.option("--copies/--no-copies", default=True, show_default=True, help="Noise also where a noisy value is copied.")
@click.option("--noise", type=click.Choice(["Lap", "Exp", "Noise"]), default="Lap", show_default=True)
@click.option("--between", multiple=True, metavar="FIELD=LOW:HIGH", help="Bounds of a field of records, such as age=0:100.")
def sketch_command(
    target: str, adjacent: str, private: str | None, copies: bool, noise: str, between: tuple[str, ...]
) -> None:
    """A sketch of a plain function: the same program with a place for noise wherever private data goes."""
    from kolahal.lang.plain.convert import load_plain, sketch_of

    source, name = load_plain(target)
    echo_lines(sketch_of(source.text, name, adjacent, private, copies, source.path, noise, between))


@cli.command()
@click.argument("result", metavar="RESULT.json", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--out", type=OutFile(), help="Where to write it.  [default: beside the result]")
def report(result: Path, out: Path | None) -> None:
    """The report again as one HTML page, from a result, computing nothing."""
    from kolahal.report.html import render_page

    text = read_document(result, "give a result that `kolahal synth --out` wrote")
    try:
        page = render_page(json.loads(text))
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError):
        raise UsageError(
            f"{result}: this is not a result of kolahal; give a result.json that `--out` or `--json` wrote"
        ) from None
    target = out or result.with_name("report.html")
    write_file(target, page)
    click.echo(harmless(str(target)))
