"""`kolahal convert`: what a guarantee is worth as another one."""

from __future__ import annotations

import click

from kolahal import __version__
from kolahal.cli.base import PROVED, as_json, cli, finish
from kolahal.cli.ends import echo_json
from kolahal.errors import UsageError
from kolahal.lang.conversions import Guarantee
from kolahal.lang.scale import parse_number


@cli.command("convert")
@click.option("--eps", help="ε of pure privacy.")
@click.option("--rho", help="ρ of zero-concentrated privacy.")
@click.option("--mu", help="μ of Gaussian privacy.")
@click.option("--delta", help="The δ at which an ε is asked for.")
@as_json
def convert_command(eps: str | None, rho: str | None, mu: str | None, delta: str | None, as_json: bool) -> None:
    """What ε, ρ or μ is worth as another guarantee, with the formula's name."""
    from kolahal.lang.conversions import convert, sufficient
    from kolahal.report.json import dump

    given = {}
    for name, text in (("eps", eps), ("rho", rho), ("mu", mu), ("delta", delta)):
        if text is not None:
            try:
                given[name] = float(parse_number(text))
            except (ValueError, OverflowError):
                raise UsageError(f"--{name} {text}: write a number such as 0.5 or 1e-6") from None
    found = convert(given)
    needed = sufficient(given["eps"], given["delta"]) if {"eps", "delta"} <= set(given) else None
    if as_json:
        worth = [_document(guarantee) for guarantee in found]
        enough = {} if needed is None else {"sufficient": _document(needed)}
        echo_json(dump({"from": given, "to": worth, **enough, "version": __version__}))
    else:
        for guarantee in found:
            click.echo(f"{guarantee}  [{guarantee.formula}]")
        if needed is not None:
            click.echo(f"To be ({eps}, {delta})-DP, {needed} is enough  [{needed.formula}]")
    finish(PROVED)


def _document(guarantee: Guarantee) -> dict[str, float | str]:
    return {**dict(guarantee.values), "formula": guarantee.formula}
