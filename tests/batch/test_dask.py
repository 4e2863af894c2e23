"""A real Dask cluster: the same bytes, also when one of its workers is killed in mid-run."""

import os
import signal
import subprocess
import sys

import pytest

from kolahal.batch import Wish, find_jobs, run_jobs
from kolahal.batch.journal import one_line
from kolahal.workers import connect

distributed = pytest.importorskip("distributed")

TEXT = """@sketch(adjacent=one_within(1))
def {}(q: Private, eps: Epsilon):
    return q[0] + Lap({})
"""


@pytest.fixture(scope="module")
def jobs(tmp_path_factory):
    path = tmp_path_factory.mktemp("cluster") / "mechanisms.py"
    scales = ["1/eps", "1/(2*eps)", "2/eps", "1/(3*eps)", "3/eps", "hole"]
    path.write_text("\n\n".join(TEXT.format(f"m{i}", scale) for i, scale in enumerate(scales)))
    return find_jobs([str(path)], Wish())


@pytest.fixture(scope="module")
def cluster():
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        yield cluster


def texts(entries) -> list[str]:
    return [one_line(entry.record) for entry in entries]


def test_a_cluster_gives_the_same_bytes_also_when_a_worker_is_killed(jobs, cluster):
    expected = texts(run_jobs(jobs, slots=2))
    executor, slots = connect(cluster.scheduler_address)
    assert slots == 2
    client = executor._client
    assert texts(run_jobs(jobs, executor, slots)) == expected

    killed = []

    def kill_one(ended, running) -> None:
        """As soon as the first job has ended, while others are under way."""
        if ended and not killed:
            assert running
            killed.append(sorted(client.run(os.getpid).values())[0])
            os.kill(killed[0], signal.SIGKILL)

    assert texts(run_jobs(jobs, executor, slots, watch=kill_one)) == expected
    client.wait_for_workers(2, timeout=60)
    assert killed[0] not in client.run(os.getpid).values(), "the cluster has another worker in its place"
    client.close()


def test_the_command_uses_a_cluster(jobs, cluster, tmp_path):
    path = jobs[0].target.rpartition(":")[0]
    command = [sys.executable, "-m", "kolahal", "batch", f"{path}:m0", "--cluster", cluster.scheduler_address]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "1 proved" in done.stdout
