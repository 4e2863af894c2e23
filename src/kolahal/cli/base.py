"""What the commands share: exit codes, progress, workers, time limits, whole files, mistakes that end alike.

Packages that take long to load are imported by the commands that need them, so that `show` and mistakes answer at once.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from kolahal import __version__
from kolahal.errors import KolahalError, UsageError
from kolahal.lang.sketch import Sketch
from kolahal.sketches.gallery import load_one

if TYPE_CHECKING:
    from kolahal.model import Verdict

PROVED, REFUTED, MISTAKE, UNKNOWN = 0, 1, 2, 3  # exit codes; REFUTED also when nothing was found

# options that several commands have
as_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
seed = click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
processes = click.option(
    "--workers", "count", type=click.IntRange(1), help="Processes that share the work.  [default: one a core]"
)


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


def finish(code: int) -> NoReturn:
    click.get_current_context().exit(code)


def exit_code(verdict: Verdict) -> int:
    from kolahal.model import Proved, Refuted

    return PROVED if isinstance(verdict, Proved) else REFUTED if isinstance(verdict, Refuted) else UNKNOWN


def load_complete(target: str) -> Sketch:
    """A mechanism without holes."""
    sketch = load_one(target)
    if sketch.holes:
        raise UsageError(
            f"{sketch.name} has holes: {', '.join(hole.label for hole in sketch.holes)}. "
            "Fill them with `kolahal synth`, or write their scales into the file."
        )
    return sketch


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
