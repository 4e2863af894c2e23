"""What the commands share: options, progress, workers, time limits, documents; `ends` and `files` have the rest.

Packages that take long to load are imported by the commands that need them, so that `show` and mistakes answer at once.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from functools import wraps
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click
from click.shell_completion import CompletionItem

from kolahal import __version__
from kolahal.cli.ends import BOUNDED as BOUNDED
from kolahal.cli.ends import DEFECT as DEFECT
from kolahal.cli.ends import INTERRUPTED as INTERRUPTED
from kolahal.cli.ends import MISTAKE as MISTAKE
from kolahal.cli.ends import PROVED as PROVED
from kolahal.cli.ends import REFUTED as REFUTED
from kolahal.cli.ends import UNKNOWN as UNKNOWN
from kolahal.cli.ends import conclude, echo_json, streams, tell
from kolahal.cli.ends import echo_lines as echo_lines
from kolahal.cli.files import tell_files as tell_files
from kolahal.cli.files import write_files as write_files
from kolahal.errors import UsageError, harmless
from kolahal.lang.sketch import Sketch
from kolahal.limits import Limits, Stopped, WorkerDied
from kolahal.report.sarif import Remark, sarif_document
from kolahal.sketches.gallery import NAMES, find, load_one

if TYPE_CHECKING:
    from kolahal.verdicts import Verdict

PATIENCE = 600  # seconds for a command without --limit: every step is counted, but there may be many

MOST_SECONDS, MOST_MEMORY = 1_000_000, 1 << 30  # of --limit and --memory: more is no limit, and more than clocks can count

Command = Callable[..., Any]


class _Seconds(click.FloatRange):
    """A range of numbers, none of which is NaN."""

    def convert(self, value: Any, parameter: click.Parameter | None, context: click.Context | None) -> Any:
        found = super().convert(value, parameter, context)
        return self.fail(f"{value} is not a number.", parameter, context) if isnan(found) else found


SECONDS = _Seconds(0, MOST_SECONDS, min_open=True)

# options that several commands have
as_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
backends = click.option(
    "--backend",
    type=click.Choice(["python", "opendp"]),
    default="python",
    show_default=True,
    help="Programs for the standard library alone, or that also build an OpenDP measurement.",
)
queries = click.option(
    "--queries", type=click.IntRange(1, 100_000), help="This many private answers alone.  [default: any number]"
)
seed = click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
verbosely = click.option("--verbose", is_flag=True, help="Also count and show proofs of ours that did not pass their own re-check.")
processes = click.option(
    "--workers", "count", type=click.IntRange(1), help="Processes that share the work.  [default: one a core]"
)


def limits(seconds: float | None, memory: int | None) -> Callable[[Command], Command]:
    """Options for what a job may take, given to the command as one `limit`."""

    def decorate(command: Command) -> Command:
        @click.option(
            "--limit", "limit", type=SECONDS, default=seconds, show_default=seconds is not None,
            help="Seconds that a job may take.",
        )  # fmt: skip
        @click.option(
            "--memory", type=click.IntRange(1, MOST_MEMORY), default=memory, show_default=memory is not None,
            help="MiB that a job may take.",
        )  # fmt: skip
        @wraps(command)
        def with_limits(*, limit: float | None, memory: int | None, **given: Any) -> Any:
            return command(limit=Limits(limit, memory), **given)

        return with_limits

    return decorate


def supervised(command: Command) -> Command:
    """A command with `--limit` and `--memory`: it runs in a process of its own, and what goes beyond ends as unknown."""

    @limits(None, None)
    @wraps(command)
    def within_limits(*, limit: Limits, **given: Any) -> Any:
        code, why = UNKNOWN, f"stopped after {PATIENCE} s; give it more time with --limit {6 * PATIENCE}"
        try:
            if limit.seconds is None and limit.memory is None:
                with limited(PATIENCE):
                    return command(**given)
            else:
                from kolahal.workers import oversee

                code, why = oversee(limit, lambda: conclude(lambda: command(**given))), ""
        except Stopped as stopped:
            why = str(stopped)
        except MemoryError:
            why = "it ran out of memory"
        except WorkerDied as died:
            why = f"{died}; give it less to do, or more memory"
            if "SIGKILL" not in str(died):  # which somebody else sends: a person, or the system for want of memory
                code, why = DEFECT, f"{died}; this is a defect of Kolahal: please report it with the program"
        if why:
            if given.get("sarif"):
                echo_json(json.dumps(sarif_document([Remark(find(given["target"]), 0, 0, 0, "unknown", why)], __version__)))
            elif given.get("as_json"):
                bounds: dict[str, Any] = {"scope": None, "assumed": [], "epsilon_lower": 0.0, "epsilon_upper": None}
                echo_json(json.dumps({"verdict": "unknown", **bounds, "reason": why}, ensure_ascii=False))
            else:
                click.echo(f"Unknown: {why}.")
        finish(code)

    return within_limits


@contextmanager
def progress(text: str) -> Iterator[Any]:
    """A line on standard error that says what goes on, on a terminal; nothing where it is piped."""
    if sys.stderr is None or not sys.stderr.isatty():
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
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    with ProcessPoolExecutor(count, initializer=_leave_interrupts_to_us) as pool:
        try:
            yield pool
        except (KeyboardInterrupt, TimeIsUp):
            pool.shutdown(wait=False, cancel_futures=True)
            for child in multiprocessing.active_children():  # what they work at is of no use any more
                child.terminate()
            raise


def _leave_interrupts_to_us() -> None:
    """Ctrl-C reaches all processes of a terminal; workers end when the command does, without a word."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


class _Commands(click.Group):
    """Commands whose first sentences are listed whole; one that is misspelt is told what may be meant."""

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0].isidentifier() and args[0] not in self.commands:
            from difflib import get_close_matches  # which only a mistake needs

            near = get_close_matches(args[0], self.commands, 1)
            meant = f" Did you mean {near[0]!r}?" if near else f" There are {', '.join(sorted(self.commands))}."
            ctx.fail(f"No such command {args[0]!r}.{meant}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rows = [(name, command.get_short_help_str(limit=1000)) for name, command in sorted(self.commands.items())]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="kolahal")
def cli() -> None:
    """Find noise scales that make a program differentially private, and no noisier than they must be.

    SKETCH is a name of the gallery, path.py, or path.py:function.
    """


def width() -> int | None:
    """The columns of the terminal; None where output goes elsewhere."""
    return shutil.get_terminal_size().columns if sys.stdout is not None and sys.stdout.isatty() else None


def complete_target(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """For the shell: names of the gallery, and files."""
    names = [name for name in NAMES if name.startswith(incomplete)]
    if not names:
        return [CompletionItem(incomplete, type="file")]
    here = sorted(path.name for path in Path().glob("*.py") if path.name.startswith(incomplete))
    return [CompletionItem(name) for name in (*here, *names)]  # shells offer nothing beside files of their own


def finish(code: int) -> NoReturn:
    click.get_current_context().exit(code)


def exit_code(verdict: Verdict) -> int:
    from kolahal.verdicts import Bounded, Proved, Refuted

    match verdict:
        case Proved():
            return PROVED
        case Bounded():
            return BOUNDED
        case Refuted():
            return REFUTED
        case _:
            return DEFECT if verdict.defect else UNKNOWN


def tell_failed(rechecks: Sequence[str]) -> None:
    """What `--verbose` adds."""
    click.echo(f"proofs that did not pass their own re-check: {len(rechecks)}", err=True)
    for told in rechecks:
        click.echo(f"  {harmless(told)}", err=True)


def load_complete(target: str) -> Sketch:
    """A mechanism without holes."""
    sketch = load_one(target)
    if sketch.holes:
        raise UsageError(
            f"{sketch.name} has holes: {', '.join(hole.label for hole in sketch.holes)}. "
            "Fill them with `kolahal synth`, or write their scales into the file."
        )
    return sketch


LARGEST_DOCUMENT = 50_000_000  # bytes; certificates and results of ours have a few thousand to a million


def read_document(path: Path, want: str) -> str:
    """The text of a file that a stranger may have written; `want` says what to give instead of one that cannot be read."""
    try:
        with open(path, "rb") as file:
            raw = file.read(LARGEST_DOCUMENT + 1)  # not the size on disk: a device has none
        if len(raw) > LARGEST_DOCUMENT:
            raise UsageError(f"{path}: larger than {LARGEST_DOCUMENT / 1e6:g} MB; {want}")
        return raw.decode("utf-8")
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}; {want}") from None
    except ValueError:  # no UTF-8, or a path with a NUL character
        raise UsageError(f"{path}: cannot be read as text; {want}") from None


class TimeIsUp(BaseException):
    """A limit of the command line; not an Exception, so that no step mistakes it for a fault of its own."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Give up what is inside after `seconds`."""

    def stop(*_: object) -> NoReturn:
        raise TimeIsUp

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)  # again and again: Python ignores what is raised in __del__
    try:
        yield
    except TimeIsUp:
        pass
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def main(argv: list[str] | None = None) -> int:
    """Run a command and give its exit code."""
    with streams():
        try:
            return conclude(lambda: cli.main(args=argv, prog_name="kolahal", standalone_mode=False))
        except MemoryError:
            return tell("Unknown: it ran out of memory.", UNKNOWN)
