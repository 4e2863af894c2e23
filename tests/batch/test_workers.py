"""Workers: a job's result or its fate, and nothing of a job is left for the next one."""

import math
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from kolahal import workers
from kolahal.limits import Limits, Stopped, WorkerDied
from kolahal.workers import call, oversee

FREE = Limits()


@pytest.fixture(scope="module", autouse=True)
def clean():
    yield
    workers.stop()


def mark() -> bool:
    """Whether another job has been here."""
    before = hasattr(math, "marked")
    math.marked = True
    return before


def die() -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return 0


def eat() -> int:
    return len(bytearray(1 << 30))


def is_alive(process: int) -> bool:
    with suppress(OSError):
        os.kill(process, 0)
        return True
    return False


def wait_for(condition, seconds: float = 20) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False


def test_results_and_errors_come_back():
    assert call(FREE, divmod, 17, 5) == (3, 2)
    with pytest.raises(ValueError, match="invalid literal"):
        call(FREE, int, "x")
    with pytest.raises(RuntimeError, match="cannot be sent"):
        call(FREE, threading.Lock)


def test_a_job_leaves_nothing_behind():
    assert [call(FREE, mark) for _ in range(3)] == [False, False, False]


def test_sets_have_the_same_order_in_every_worker():
    with ThreadPoolExecutor(2) as pool:
        jobs = [pool.submit(call, FREE, hash, "a text") for _ in range(4)]
    assert len({job.result() for job in jobs}) == 1


def test_a_job_that_kills_its_process_fails_alone():
    with ThreadPoolExecutor(2) as pool:
        dying = pool.submit(call, FREE, die)
        living = pool.submit(call, FREE, divmod, 9, 4)
        with pytest.raises(WorkerDied, match="SIGKILL"):
            dying.result()
        assert living.result() == (2, 1)


def test_a_worker_that_is_killed_is_replaced():
    with ThreadPoolExecutor(1) as pool:
        job = pool.submit(call, FREE, time.sleep, 60)
        assert wait_for(lambda: workers._crew.busy)
        worker = workers._crew.busy[0].process.pid
        os.kill(worker, signal.SIGKILL)
        with pytest.raises(WorkerDied):
            job.result(timeout=30)
    assert call(FREE, os.getppid) != worker


def test_a_job_beyond_its_seconds_is_stopped_with_all_that_it_started():
    start = time.monotonic()
    with pytest.raises(Stopped, match=r"limit of 0\.3 s"):
        call(Limits(seconds=0.3), time.sleep, 60)
    assert time.monotonic() - start < 20
    assert call(FREE, divmod, 7, 7) == (1, 0)


def test_a_job_beyond_its_memory_is_stopped():
    with pytest.raises(Stopped, match="limit of 300 MiB"):
        call(Limits(memory=300), eat)
    assert call(Limits(memory=3000), eat) == 1 << 30


def test_stopping_ends_what_goes_on():
    with ThreadPoolExecutor(1) as pool:
        job = pool.submit(call, FREE, time.sleep, 60)
        assert wait_for(lambda: workers._crew.busy)
        workers.stop()
        with pytest.raises(WorkerDied):
            job.result(timeout=30)


ORPHAN = """
import os, sys, threading, time
from kolahal import workers
threading.Thread(target=workers.call, args=(workers.Limits(), time.sleep, 600), daemon=True).start()
while not workers._crew.busy:
    time.sleep(0.01)
print(workers._crew.busy[0].process.pid, flush=True)
time.sleep(600)
"""


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are listed as Linux lists them")
def test_workers_and_their_jobs_end_with_whoever_started_them():
    parent = subprocess.Popen([sys.executable, "-c", ORPHAN], stdout=subprocess.PIPE, text=True)
    worker = int(parent.stdout.readline())

    def jobs() -> list[str]:
        """The processes of the worker's group."""
        found = []
        for path in Path("/proc").glob("[0-9]*/stat"):
            with suppress(OSError):
                if path.read_text().rpartition(")")[2].split()[2] == str(worker):
                    found.append(path.parent.name)
        return found

    assert wait_for(lambda: len(jobs()) == 2), "the worker, and the fork that does the job"
    parent.kill()
    parent.wait()
    parent.stdout.close()
    assert wait_for(lambda: not is_alive(worker) and not jobs())


def test_processes_of_an_executor_have_workers_of_their_own():
    call(FREE, divmod, 1, 1)  # so that there is a worker that a fork could mistake for its own
    with ProcessPoolExecutor(2) as pool:
        jobs = [pool.submit(call, FREE, divmod, 10, n) for n in (3, 4, 5)]
        assert [job.result() for job in jobs] == [(3, 1), (2, 2), (2, 0)]


def test_a_command_is_overseen_in_a_fork():
    assert oversee(Limits(seconds=60), lambda: 0) == 0
    assert oversee(Limits(seconds=60), lambda: 3) == 3
    with pytest.raises(Stopped, match=r"limit of 0\.2 s"):
        oversee(Limits(seconds=0.2), lambda: time.sleep(60))
    with pytest.raises(WorkerDied, match="SIGKILL"):
        oversee(Limits(seconds=60), die)
    with pytest.raises(Stopped, match="300 MiB"):
        oversee(Limits(memory=300), eat)


def test_a_job_is_called_off_and_its_worker_goes_on() -> None:
    """Whoever calls a job off hears of it at once, and the next job finds what is loaded."""
    crew = workers.Crew()
    try:
        first = call(FREE, os.getppid, crew=crew)
        off = threading.Event()
        threading.Timer(0.2, off.set).start()
        start = time.monotonic()
        with pytest.raises(workers.CalledOff):
            call(FREE, time.sleep, 60, stop=off, crew=crew)
        assert time.monotonic() - start < 20
        assert call(FREE, os.getppid, crew=crew) == first, "it is the same worker"
        assert call(Limits(seconds=30), abs, -1, stop=threading.Event(), crew=crew) == 1
        with pytest.raises(Stopped):
            call(Limits(seconds=0.2), time.sleep, 60, stop=threading.Event(), crew=crew)
    finally:
        crew.stop()


def test_a_function_elsewhere_is_loaded_by_the_worker_alone() -> None:
    there = workers.Elsewhere("this_is_no_module_of_python", "any")
    with pytest.raises(ModuleNotFoundError):
        call(FREE, there)
    assert call(FREE, workers.Elsewhere("math", "gcd"), 12, 18) == 6
