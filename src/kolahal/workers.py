"""Processes that do jobs: each job runs in a fork of its own, with limits, and may die without harm to the others.

A *worker* is a fresh interpreter that has loaded what jobs need and forks for each of them. So a job sees the same
state whatever ran before it, which keeps results equal to the last byte on one worker, on many and on a cluster.
"""

from __future__ import annotations

import math
import os
import resource
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import suppress
from importlib import import_module
from multiprocessing.connection import Connection, Pipe, wait
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from kolahal.early import ONE_THREAD
from kolahal.errors import UsageError
from kolahal.limits import Limits, Stopped, WorkerDied

T = TypeVar("T")

SAME_EVERYWHERE = {"PYTHONHASHSEED": "0", **ONE_THREAD}  # the order of sets, and the last digits of linear algebra
MIB = 1 << 20
PATIENCE = 10  # seconds to wait for the scheduler of a cluster
GLANCE = 0.02  # seconds between two looks at whether a job was called off
OFF = "off"  # what a worker is told then


class CalledOff(Exception):
    """Nobody wants to know what comes of a job any more."""


def call(
    limits: Limits,
    function: Callable[..., T],
    *arguments: object,
    stop: threading.Event | None = None,
    crew: Crew | None = None,
) -> T:
    """`function(*arguments)` in a process of its own, which ends early, with CalledOff, once `stop` is set.

    Any thread may call; those of a pool, or of another machine's, make up the executor of a batch. A `crew` is there for
    those whose workers should not load what others need.
    """
    crew = crew or _crew
    worker = crew.take()
    kind, value = "lost", None
    try:
        kind, value = worker.do(limits, function, arguments, stop)
    finally:
        crew.give_back(worker, fit=kind in ("done", "raised", "memory", "died", "off"))
    result: T = _outcome(limits, kind, value)
    return result


def _outcome(limits: Limits, kind: str, value: Any) -> Any:
    match kind:
        case "done":
            return value
        case "raised":
            raise value
        case "memory":
            raise Stopped(f"stopped at its limit of {limits.memory} MiB")
        case "time":
            raise Stopped(f"stopped at its limit of {limits.seconds:g} s")
        case "off":
            raise CalledOff
        case _:
            raise WorkerDied(value or "its worker was killed")


class Elsewhere:
    """A function that is loaded where it is done, and not here."""

    def __init__(self, module: str, name: str) -> None:
        self.place = module, name

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[str, str]]:
        return _find, self.place

    def __call__(self, *arguments: object) -> Any:
        return _find(*self.place)(*arguments)


def _find(module: str, name: str) -> Any:
    return getattr(import_module(module), name)


def stop() -> None:
    """End all workers of this process, whatever they do; later calls start new ones."""
    _crew.stop()


def oversee(limits: Limits, work: Callable[[], int]) -> int:
    """The exit code of `work`, done in a fork of this process that shares its streams; Stopped at a limit."""
    sys.stdout.flush()
    sys.stderr.flush()
    here, there = Pipe(duplex=False)
    child = os.fork()
    if not child:
        here.close()
        os.setpgid(0, 0)  # so that whatever it starts ends with it
        _work(there, limits, work, ())
    with suppress(ProcessLookupError, PermissionError):
        os.setpgid(child, child)  # here too: whoever comes first, the group is there when it has to be ended
    there.close()
    try:
        while True:
            try:
                in_time = here.poll(limits.seconds)
                break
            except KeyboardInterrupt:  # it tells what it has found, and ends
                os.killpg(child, signal.SIGINT)
        kind, value = here.recv() if in_time else ("time", None)
    except (EOFError, OSError):
        kind, value = "died", None
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if kind == "died":
        value = f"its process ended with {_describe(status)}"
    return int(_outcome(limits, kind, value))


def connect(address: str) -> tuple[Executor, int]:
    """The executor of a running Dask scheduler, and how many jobs its workers can do at once."""
    try:
        distributed: Any = import_module("distributed")
    except ImportError:
        raise UsageError("--cluster needs Dask: pip install 'kolahal[dask]'") from None
    try:
        client = distributed.Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        raise UsageError(f"--cluster {address}: no Dask scheduler answers there ({error})") from None
    slots = sum(client.nthreads().values())
    if not slots:
        raise UsageError(f"--cluster {address}: the scheduler has no workers; start one with `dask worker {address}`")
    return client.get_executor(pure=False), slots


# ---------------------------------------------------------------- the side that asks


class _Worker:
    """A worker process, seen from the process that started it."""

    def __init__(self) -> None:
        self.link, theirs = Pipe(duplex=True)
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-c", f"from kolahal.workers import serve; serve({theirs.fileno()})"],
            pass_fds=[theirs.fileno()],
            process_group=0,  # of its own: Ctrl-C is for us alone, and we can end it with all that it started
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            env={**os.environ, **SAME_EVERYWHERE},
        )
        theirs.close()

    def do(
        self,
        limits: Limits,
        function: Callable[..., Any],
        arguments: tuple[object, ...],
        stop: threading.Event | None = None,
    ) -> tuple[str, Any]:
        """What came of a job: done, raised, memory, died, off, time, or nothing because the worker itself died."""
        try:
            self.link.send(sys.path)
            self.link.send((limits, function, arguments))
            self.link.recv()  # it has loaded the job: loading is not on the job's clock
            if stop is not None and not self._heard(limits.seconds, stop):
                return "time", None
            if stop is None and not self.link.poll(limits.seconds):
                return "time", None
            outcome: tuple[str, Any] = self.link.recv()
            return outcome
        except (EOFError, OSError):
            return "lost", None

    def _heard(self, seconds: float | None, stop: threading.Event) -> bool:
        """Wait for an outcome, and call the job off once `stop` is set; False if its time is up."""
        end = math.inf if seconds is None else time.monotonic() + seconds
        while not self.link.poll(GLANCE):
            if stop.is_set():
                self.link.send(OFF)  # it tells an outcome all the same, and is of use for other jobs
                return True
            if time.monotonic() > end:
                return False
        return True

    def kill(self) -> None:
        with suppress(ProcessLookupError, PermissionError):  # it has ended; macOS refuses to kill what has
            os.killpg(self.process.pid, signal.SIGKILL)

    def end(self) -> None:
        self.kill()
        self.process.wait()
        self.link.close()


class Crew:
    """Workers of this process: idle ones are used again."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.forget()

    def forget(self) -> None:
        self.owner = os.getpid()
        self.idle: list[_Worker] = []
        self.busy: list[_Worker] = []

    def take(self) -> _Worker:
        with self.lock:
            if self.owner != os.getpid():  # we are a fork: those workers are not ours
                self.forget()
            worker = self.idle.pop() if self.idle else _Worker()
            self.busy.append(worker)
        return worker

    def give_back(self, worker: _Worker, fit: bool) -> None:
        with self.lock:
            self.busy.remove(worker)
            if fit:
                self.idle.append(worker)
        if not fit:
            worker.end()

    def stop(self) -> None:
        with self.lock:
            for worker in self.busy:  # whoever waits for them hears of it
                worker.kill()
            for worker in self.idle:
                worker.end()
            self.idle.clear()


_crew = Crew()


# ---------------------------------------------------------------- the side that works


def serve(descriptor: int) -> None:
    """The life of a worker: take a job, fork for it, hand back what came of it; end with whoever started it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    link = Connection(descriptor)
    while True:
        try:
            told = link.recv()
            if told == OFF:  # too late: the outcome was on its way
                continue
            sys.path[:] = told
            job = link.recv()
        except EOFError:
            return
        except Exception as error:  # a function that cannot be found from here
            link.send("loaded")
            link.send(("raised", error))
            continue
        link.send("loaded")
        link.send_bytes(_fork(link, *job))


def _fork(link: Connection, limits: Limits, function: Callable[..., Any], arguments: tuple[object, ...]) -> bytes:
    """The outcome of a job, as the fork that does it sends it."""
    here, there = Pipe(duplex=False)
    child = os.fork()
    if not child:
        link.close()  # or nobody would hear of the worker's death while its fork lives
        here.close()
        _work(there, limits, function, arguments)
    there.close()
    ready = wait([here, link])
    if link in ready:
        _listen(link)
    if here not in ready:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        here.close()
        return _packed(("off", None))
    try:
        return here.recv_bytes()
    except (EOFError, OSError):
        _, status = os.waitpid(child, 0)
        child = 0
        return _packed(("died", f"its process ended with {_describe(status)}"))
    finally:
        here.close()
        if child:
            os.waitpid(child, 0)


def _listen(link: Connection) -> None:
    """Hear that a job is called off; or that nobody is there any more to hear the outcome, and end."""
    try:
        link.recv()
    except (EOFError, OSError):
        os.killpg(0, signal.SIGKILL)


def _work(there: Connection, limits: Limits, function: Callable[..., Any], arguments: tuple[object, ...]) -> NoReturn:
    try:
        most = resource.getrlimit(resource.RLIMIT_AS)
        if limits.memory is not None:
            resource.setrlimit(resource.RLIMIT_AS, (_address_space() + limits.memory * MIB, most[1]))
        outcome = _attempt(function, arguments)
        resource.setrlimit(resource.RLIMIT_AS, most)
        sys.stdout.flush()
        sys.stderr.flush()
        there.send_bytes(_packed(outcome))
    finally:
        os._exit(0)


def _attempt(function: Callable[..., Any], arguments: tuple[object, ...]) -> tuple[str, Any]:
    try:
        return "done", function(*arguments)
    except MemoryError:
        return "memory", None
    except BaseException as error:
        error.add_note(traceback.format_exc())
        return "raised", error


def _packed(outcome: tuple[str, Any]) -> bytes:
    """An outcome as bytes; what cannot be sent is told in words."""
    try:
        return bytes(ForkingPickler.dumps(outcome))
    except Exception as error:
        return bytes(ForkingPickler.dumps(("raised", RuntimeError(f"{outcome[1]!r} cannot be sent: {error}"))))


def _address_space() -> int:
    """The bytes of address space of this process; on systems that do not tell, what it has used at most."""
    try:
        pages = Path("/proc/self/statm").read_text().split()[0]
        return int(pages) * resource.getpagesize()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _describe(status: int) -> str:
    if os.WIFSIGNALED(status):
        return signal.Signals(os.WTERMSIG(status)).name
    return f"code {os.waitstatus_to_exitcode(status)}"
