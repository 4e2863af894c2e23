"""`kolahal check`, `verify` and `test`: is this mechanism private?"""

from __future__ import annotations

import json
import shlex
import time
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from kolahal import __version__
from kolahal.cli.base import (
    MISTAKE,
    PROVED,
    REFUTED,
    UNKNOWN,
    as_json,
    cli,
    complete_target,
    exit_code,
    finish,
    load_complete,
    processes,
    progress,
    queries,
    read_document,
    seed,
    supervised,
    tell_failed,
    tell_files,
    verbosely,
    workers,
    write_files,
)
from kolahal.cli.ends import echo_json
from kolahal.cli.files import OutFolder
from kolahal.cli.remarks import check_remarks, fault_remarks
from kolahal.errors import KolahalError, UsageError, harmless
from kolahal.lang.claims import print_claim
from kolahal.lang.scale import Scale, parse_number
from kolahal.lang.sketch import Sketch, Variant
from kolahal.report.sarif import sarif_document
from kolahal.settings import ALPHA, ProofSettings, Settings, TesterSettings

if TYPE_CHECKING:
    from kolahal.results import Check
    from kolahal.verification import Verified


@cli.command()
@click.argument("target", metavar="MECHANISM", shell_complete=complete_target)
@click.option(
    "--eps-claim", "claim", default="", help="The claimed privacy level, such as eps, 2*eps or N*eps; a number, if no scale depends on ε.  [default: its ε]"
)
@queries
@as_json
@click.option("--sarif", is_flag=True, help="Print what is wrong, faults included, as one SARIF 2.1.0 document.")
@click.option("--snippet", is_flag=True, help="Also print a program that shows the counterexample without Kolahal.")
@click.option(
    "--out",
    type=OutFolder(),
    help="Also write result.json, report.html and the certificate or the counterexample there.",
)
@seed
@processes
@click.option("--deep", is_flag=True, help="Search ten times as long, for proofs and for counterexamples.")
@verbosely
@supervised
def check(
    target: str,
    claim: str,
    queries: int | None,
    as_json: bool,
    sarif: bool,
    snippet: bool,
    out: Path | None,
    seed: int,
    count: int | None,
    deep: bool,
    verbose: bool,
) -> None:
    """Proved, refuted or unknown, for a mechanism without holes, with bounds from both sides."""
    from kolahal.inputs.arguments import with_queries

    sketch = with_queries(_load_or_remark(target) if sarif else load_complete(target), queries)
    from kolahal.checking import check as judge
    from kolahal.checking import parse_claim, refutation_of
    from kolahal.report.budgets import worth_of
    from kolahal.report.json import check_document, dump
    from kolahal.report.text import render_check

    claimed = parse_claim(sketch, claim)
    with progress("proving"), workers(count) as pool:
        found = judge(sketch, claim, Settings(seed=seed, proof=ProofSettings().deep() if deep else ProofSettings()), pool)
    shown = _snippet(sketch, found, claimed)
    said = print_claim(sketch, claimed)
    names = {"sketch": sketch.name, "claim": said, "program": str(sketch), "snippet": shown or None}
    result = {**check_document(found, refutation_of(found)), **names, "worth": worth_of(found), "version": __version__}
    if out is not None:
        command = f"kolahal check {shlex.quote(target)}" + (f" --eps-claim {shlex.quote(claim)}" if claim else "")
        command += f" --queries {queries}" if queries is not None else ""
        command += " --deep" if deep else ""
        with progress("drawing the report"):
            result = _write(
                out, sketch, found, claimed, {**result, "seed": seed, "command": f"{command} --seed {seed}"}
            )
    if sarif:
        echo_json(dump(sarif_document(check_remarks(sketch, found), __version__)))
    elif as_json:
        echo_json(dump(result))
    else:
        click.echo(render_check(sketch, found, shown if snippet else ""), nl=False)
        if shown and not snippet:
            click.echo("A program that shows it without Kolahal: the same command with --snippet.")
    if out is not None:
        tell_files(out, result["files"])
    if verbose:
        tell_failed(found.failed_rechecks)
    finish(exit_code(found.verdict))


def _snippet(sketch: Sketch, found: Check, claim: Scale) -> str:
    """A program that shows a counterexample."""
    from kolahal.verdicts import Refuted

    if not isinstance(found.verdict, Refuted) or sketch.variant is not Variant.PURE:
        return ""
    from kolahal.proof.refute.counterexample_data import snippet

    return snippet(found.verdict, sketch, claim)


def _load_or_remark(target: str) -> Sketch:
    """A mechanism without holes; what is wrong with one that is none is printed as SARIF."""
    try:
        return load_complete(target)
    except KolahalError as error:
        echo_json(json.dumps(sarif_document(fault_remarks(target, str(error)), __version__), indent=2))
        finish(MISTAKE)


def _write(folder: Path, sketch: Sketch, found: Check, claim: Scale, result: dict[str, Any]) -> dict[str, Any]:
    """result.json, the report, and what stands behind the verdict: a certificate, or the counterexample as a program."""
    from kolahal.pictures.result import picture_check
    from kolahal.report.html import render_page
    from kolahal.report.json import as_plain, dump, with_pictures
    from kolahal.verdicts import proof_of

    files = {}
    if certificate := proof_of(found.verdict):
        files["certificate.json"] = certificate.text + "\n"
    if result["snippet"]:
        files["counterexample.py"] = result["snippet"]
    pure = sketch.variant is Variant.PURE  # of other budgets there are no pictures yet
    pictures = picture_check(sketch, claim, found, Settings(seed=result["seed"])) if pure else {}
    result = with_pictures({**result, "neighbours": sketch.adjacency.describe()}, pictures, files)
    pages = {"result.json": dump(result) + "\n", "report.html": render_page(as_plain(result))}
    write_files(folder, {**pages, **files})
    return result


@cli.command()
@click.argument("document", metavar="CERTIFICATE", type=click.Path(path_type=Path, dir_okay=False))
@as_json
def verify(document: Path, as_json: bool) -> None:
    """Check a proof or a counterexample again, trusting no search, and say what it is about.

    CERTIFICATE is a file that --out wrote, or what `check --json` printed; all that it says must fit together. Exit
    code: 0 valid, 1 rejected, 2 no such document.
    """
    from kolahal.report.json import dump
    from kolahal.verification import inspect_document

    text = read_document(document, "give a certificate")
    beside = document.with_name("certificate.json")
    has_its_own = '"candidates"' not in text or not beside.is_file()
    proof = None if has_its_own else read_document(beside, "give a certificate")
    with progress("checking"):
        try:
            found = inspect_document(text, certificate=proof)
        except UsageError as error:
            raise UsageError(f"{document}: {error}") from None
    if as_json:
        echo_json(dump({**_verified_document(found), "version": __version__}))
    else:
        click.echo(harmless(_render_verified(found)))
    finish(REFUTED if found.faults else PROVED)


MOST_LINES = 40  # of a program that was checked again
KINDS = {
    "proved": "a proof, for {scope}; every obligation was checked again",
    "bounded": "a bounded proof, for {scope}; nothing is said of larger inputs; every case was checked again",
    "refuted": "a refutation; both probabilities were computed again",
}


def _render_verified(found: Verified) -> str:
    """What was checked again, with what result, and of what."""
    kind = KINDS.get(found.verdict, "neither a proof nor a refutation").format(scope=found.scope)
    if not found.faults:
        lines = [f"Valid: {kind}."]
    else:
        lines = ["Rejected:", *(f"  {fault}" for fault in found.faults), f"It was to be {kind.partition(';')[0]}."]
    if found.program is None:
        return "\n".join(lines)
    lines += ["", f"claim: {found.claim}", f"neighbours: {found.program.adjacency.describe()}"]
    lines += [f"assumed: {', '.join(found.assumed)}"] if found.assumed else []
    if found.example is not None:
        lines += [f"counterexample: {found.example}", f"  with {found.example.arguments}"]
    program = str(found.program).rstrip("\n").split("\n")
    more = [f"… and {len(program) - MOST_LINES} lines more"] if len(program) > MOST_LINES else []
    return "\n".join([*lines, f"program: {found.program.name}", "", *program[:MOST_LINES], *more])


def _verified_document(found: Verified) -> dict[str, Any]:
    program = found.program
    return {
        "valid": not found.faults,
        "kind": {"proved": "proof", "bounded": "proof", "refuted": "refutation"}.get(found.verdict),
        "verdict": found.verdict or None,
        "scope": found.scope,
        "assumed": list(found.assumed),
        "claim": found.claim or None,
        "adjacency": None if program is None else str(program.adjacency),
        "neighbours": None if program is None else program.adjacency.describe(),
        "sketch": None if program is None else program.name,
        "program": None if program is None else str(program),
        "faults": list(found.faults),
    }


@cli.command("test")
@click.argument("target", metavar="MECHANISM", shell_complete=complete_target)
@click.option("--eps", "epsilon", default="0.5", show_default=True, help="The claimed ε.")
@click.option("--rho", default="0.5", show_default=True, help="The claimed ρ, of a program with that budget.")
@click.option("--mu", default="1", show_default=True, help="The claimed μ, of a program with that budget.")
@click.option("--delta", default="0.01", show_default=True, help="The claimed δ, of a program with such a budget.")
@click.option("--profile", type=click.Choice(["quick", "default", "thorough"]), default="default", show_default=True)
@queries
@as_json
@seed
@processes
@supervised
def test_command(
    target: str, epsilon: str, rho: str, mu: str, delta: str, profile: str, queries: int | None, as_json: bool, seed: int,
    count: int | None,
) -> None:  # fmt: skip
    """The statistical test alone, at a concrete ε: p-values, a lower bound, a counterexample."""
    from kolahal.inputs.arguments import with_queries

    sketch = with_queries(load_complete(target), queries)
    if sketch.variant is not Variant.PURE:
        _test_budget(sketch, {Variant.ZCDP: ("rho", rho), Variant.GDP: ("mu", mu)}.get(sketch.variant, ("eps", epsilon)), delta, as_json, seed)
    claimed = _epsilon(epsilon)
    from kolahal.report.json import dump, trial_document
    from kolahal.report.text import render_trial
    from kolahal.tester.counterexample import reproduce
    from kolahal.tester.trial import test_mechanism

    start = time.perf_counter()
    with progress("testing"), workers(count) as pool:
        trial = test_mechanism(sketch, claimed, TesterSettings.profile(profile), seed, pool)
    seconds = time.perf_counter() - start
    if as_json:
        echo_json(dump(trial_document(trial, seconds)))
    else:
        click.echo(render_trial(sketch, trial, seconds, reproduce(trial, sketch)))
    finish(REFUTED if trial.p_value < ALPHA else UNKNOWN)


def _epsilon(text: str, name: str = "eps", symbol: str = "ε") -> Fraction:
    try:
        epsilon = parse_number(text)
    except ValueError:
        raise UsageError(f"--{name} {text}: write a number such as 0.5") from None
    if not 0 < epsilon <= 100:
        raise UsageError(f"--{name} {text}: {symbol} must be above 0 and at most 100")
    return epsilon


def _test_budget(sketch: Sketch, budget: tuple[str, str], delta: str, as_json: bool, seed: int) -> NoReturn:
    """The test of a claim other than ε: a lower bound at a stated confidence."""
    from kolahal.report.budgets import budget_trial_document, render_budget_trial
    from kolahal.report.json import dump
    from kolahal.tester.budgets import test_budget

    name, text = budget
    least = _epsilon(delta, "delta", "δ") if sketch.delta is not None else None
    if least is not None and least >= 1:
        raise UsageError(f"--delta {delta}: δ must be below 1")
    with progress("testing"):
        trial = test_budget(sketch, _epsilon(text, name, sketch.variant.symbol), least, seed)
    told = (trial.example, trial.odds, trial.lower, trial.claimed, trial.order, trial.confidence, trial.runs)
    if as_json:
        echo_json(dump({**budget_trial_document(sketch, *told), "version": __version__}))
    else:
        click.echo(render_budget_trial(sketch, *told), nl=False)
    finish(REFUTED if trial.violates else UNKNOWN)
