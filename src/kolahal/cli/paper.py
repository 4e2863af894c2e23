"""`kolahal table` and `figures`: the paper's evaluation from our own runs."""

from __future__ import annotations

from pathlib import Path

import click

from kolahal.cli.base import SECONDS, cli, limited, processes, progress, seed, workers, write_files
from kolahal.cli.files import OutFolder
from kolahal.errors import UsageError
from kolahal.settings import Settings
from kolahal.sketches.gallery import GALLERY


@cli.command()
@click.option(
    "--method", "methods", multiple=True, default=("paper", "exact", "auto"), show_default=True, help="How to synthesize."
)
@click.option("--baselines", is_flag=True, help="Also run the paper's baselines.")
@click.option("--limit", type=SECONDS, default=60.0, show_default=True, help="Seconds for each baseline and benchmark.")
@click.option("--only", multiple=True, metavar="NAME", help="These benchmarks alone.")
@seed
@processes
def table(
    methods: tuple[str, ...], baselines: bool, limit: float, only: tuple[str, ...], seed: int, count: int | None
) -> None:
    """The paper's table: its minutes and ranks, our seconds and ranks.

    rank is that of the classic answer alone, variant that of another one that is as tight, which the paper calls new, and
    prover is what the prover says of the first answer.
    """
    from kolahal.evaluation import evaluate
    from kolahal.report.text import table as columns
    from kolahal.roads.methods import METHODS

    unknown = [name for name in (*only, *methods) if name not in GALLERY and name not in METHODS]
    if unknown:
        raise UsageError(
            f"there is no {unknown[0]}: benchmarks are {', '.join(GALLERY)}; methods are {', '.join(METHODS)}"
        )
    others = ["naive", "unlim", "lim", "noopt"] if baselines else []
    settings = Settings(seed=seed)
    rows = []
    heads = ["benchmark", "#locs", *(f"{m}{part}" for m in methods for part in (": s", " rank", " variant", " prover"))]
    heads += [*(f"{other}: s, rank" for other in others), "paper min", "paper rank", *(f"paper {o}" for o in others)]
    try:
        for name in only or GALLERY:
            entry, cells, first = GALLERY[name], [], None
            for method in methods:
                with progress(f"{name} by {method}"), workers(count) as pool:
                    row = evaluate(name, method, settings, pool)
                first = first or row
                cells += [f"{row.total:.1f}", str(row.rank or "-"), str(row.variant or "-"), row.prover]
            for other in others:
                cell = "-"  # as in the paper: the limit was passed
                with progress(f"{name} by {other}"), limited(limit), workers(count) as pool:
                    row = evaluate(name, other, settings, pool)
                    cell = f"{row.total:.1f} ({row.total / first.total:.1f}×), {row.rank or '-'}" if first else "-"
                cells.append(cell)
            published = [entry.minutes[4], str(entry.rank), *(entry.baselines if baselines else ())]
            rows.append([entry.paper_name, str(first.holes if first else 0), *cells, *published])
    finally:  # also what was found until Ctrl-C
        click.echo(columns(heads, rows))


@cli.command()
@click.option("--out", type=OutFolder(), default=Path("figures"), show_default=True)
@click.option("--tester", type=click.Choice(["paired", "statdp"]), default="paired", show_default=True, help="Whose p-values.")
@seed
@processes
def figures(out: Path, tester: str, seed: int, count: int | None) -> None:
    """The paper's plots as SVG files, from runs of --method paper and the examples that these find."""
    from kolahal.figures import draw_figures
    from kolahal.settings import with_changes

    with progress("running and drawing"), workers(count) as pool:
        pictures = dict(draw_figures(with_changes(Settings(seed=seed), "tester", method=tester), pool))
    write_files(out, pictures)
    click.echo("\n".join(str(out / name) for name in pictures))
