"""`kolahal check`, `verify` and `test`: is this mechanism private?"""

from __future__ import annotations

import time
from fractions import Fraction
from pathlib import Path

import click

from kolahal import __version__
from kolahal.cli.base import (
    REFUTED,
    UNKNOWN,
    as_json,
    cli,
    exit_code,
    finish,
    load_complete,
    processes,
    progress,
    seed,
    workers,
)
from kolahal.errors import UsageError
from kolahal.settings import Settings, TesterSettings


@cli.command()
@click.argument("target", metavar="MECHANISM")
@click.option(
    "--eps-claim", "claim", default="", help="The claimed privacy level, such as eps, 2*eps or N*eps.  [default: its ε]"
)
@as_json
@seed
@processes
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
    finish(exit_code(found.verdict))


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
        finish(REFUTED)
    click.echo("Valid: every obligation was checked again.")


@cli.command("test")
@click.argument("target", metavar="MECHANISM")
@click.option("--eps", "epsilon", default="0.5", show_default=True, help="The claimed ε.")
@click.option("--profile", type=click.Choice(["quick", "default", "thorough"]), default="default", show_default=True)
@as_json
@seed
@processes
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
    finish(REFUTED if trial.p_value < 0.05 else UNKNOWN)


def _epsilon(text: str) -> Fraction:
    try:
        epsilon = Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise UsageError(f"--eps {text}: write a number such as 0.5") from None
    if not 0 < epsilon <= 100:
        raise UsageError(f"--eps {text}: ε must be above 0 and at most 100")
    return epsilon
