"""`kolahal tune`: the best scales there are, for stated arguments and typical data."""

from __future__ import annotations

import json
import shlex
import time
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from kolahal import __version__
from kolahal.cli.base import (
    UNKNOWN,
    as_json,
    cli,
    complete_target,
    exit_code,
    finish,
    progress,
    read_document,
    seed,
    supervised,
    tell_files,
    width,
    write_files,
)
from kolahal.cli.ends import echo_json
from kolahal.cli.files import OutFolder
from kolahal.errors import KolahalError, UsageError
from kolahal.lang.sketch import Sketch
from kolahal.settings import Settings
from kolahal.sketches.gallery import load_one

if TYPE_CHECKING:
    from kolahal.results import Tuning


@cli.command()
@click.argument("target", metavar="SKETCH", shell_complete=complete_target)
@click.option(
    "--at", "places", multiple=True, metavar="NAME=VALUE", help="Where errors are compared: len=100, eps=1, or a public argument such as N=10."
)
@click.option(
    "--typical", metavar="FILE", help="Answers or records to compare errors on, JSON or CSV; public or synthetic data only.  [default: made up]"
)
@as_json
@click.option("--out", type=OutFolder(), help="Also write result.json, the certificate, the private program and a picture of the error there.")
@seed
@supervised
def tune(target: str, places: tuple[str, ...], typical: str | None, as_json: bool, out: Path | None, seed: int) -> None:
    """The scales with the least expected error, as short fractions, proved like any other."""
    sketch = load_one(target)
    at = _read_places(sketch, places)
    from kolahal.inputs.requests import parse_data
    from kolahal.report.json import dump
    from kolahal.report.tuning import draw_tuning, render_tuning, tuning_document
    from kolahal.roads.tune import find_tuning
    from kolahal.verdicts import Unknown

    data = None if typical is None else parse_data(sketch, _read(typical), typical)
    start = time.perf_counter()
    with progress("tuning"):
        found = find_tuning(sketch, at, data, Settings(seed=seed), typical or "")
    seconds = time.perf_counter() - start
    if isinstance(found, Unknown):
        _tell_unknown(sketch, found.reason, as_json)
    result = tuning_document(found, seed, seconds, __version__)
    if out is not None:
        files = {"error.svg": picture} if (picture := draw_tuning(found)) else {}
        files |= _proved_files(found, shlex.join(["kolahal", "tune", target, *(f"--at={place}" for place in places)]))
        result = {**result, "files": sorted(files)}
        write_files(out, {"result.json": dump(result) + "\n", **files})
    echo_json(dump(result)) if as_json else click.echo(render_tuning(found, seconds, width()), nl=False)
    if out is not None:
        tell_files(out, result["files"])
    finish(exit_code(found.tuned.verdict))


def _proved_files(found: Tuning, command: str) -> dict[str, str]:
    """The certificate and the private program, where there are such."""
    from kolahal.emission.release import emit
    from kolahal.verdicts import proof_of

    certificate, sketch = proof_of(found.tuned.verdict), found.tuned.sketch
    files = {"certificate.json": certificate.text + "\n"} if certificate else {}
    try:
        program = emit(sketch.complete(*found.tuned.completion), found.tuned.verdict, command=command)
        return {**files, f"{sketch.name}_private.py": program}
    except KolahalError as error:
        click.echo(f"No program was written: {error}", err=True)
        return files


def _read_places(sketch: Sketch, places: tuple[str, ...]) -> dict[str, object]:
    """What --at says, each name once."""
    from kolahal.inputs.requests import read_request, refuse_request

    found: dict[str, object] = {}
    for place in places:
        name, equals, value = (part.strip() for part in place.partition("="))
        if not equals or not value:
            raise refuse_request(f"--at {place}", "K505", example="--at len=100")
        if name in found:
            raise UsageError(f"--at {place}: {name} is given twice; leave one of them out")
        found[name] = value
    read_request(sketch, found)  # mistakes are told before anything slow is loaded
    return found


def _read(path: str) -> str:
    """The text of a data file."""
    return read_document(Path(path), "give a JSON or CSV file")


def _tell_unknown(sketch: Sketch, reason: str, as_json: bool) -> NoReturn:
    if as_json:
        nothing = {"textbook": None, "tuned": None, "ratio": None}
        echo_json(json.dumps({"sketch": sketch.name, **nothing, "verdict": "unknown", "reason": reason}, ensure_ascii=False))
    else:
        click.echo(f"Unknown: {sketch.name} has no law to tune by: {reason}.")
    finish(UNKNOWN)
