"""A batch: the same records however often it is disturbed and whoever does the work."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest

from kolahal import workers
from kolahal.batch import Journal, Limits, Wish, find_jobs, judging, run_jobs
from kolahal.batch.journal import NAME, one_line
from kolahal.cli import main
from kolahal.cli.batch import _code
from kolahal.errors import UsageError
from kolahal.results import Check
from kolahal.sketches.gallery import GALLERY
from kolahal.verdicts import Unknown

DEFAULT = Wish()
HEAD = "from kolahal import Epsilon, Lap, Private, each_within, hole, one_within, sketch\n\n\n"
TEXT = """@sketch(adjacent=one_within(1))
def {name}(q: Private, eps: Epsilon):
    return q[0] + Lap({scale})


"""


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> Path:
    """Mechanisms that take little time: private, broken, with a hole, and with a mistake."""
    folder = tmp_path_factory.mktemp("files")
    quick = [("private", "1/eps"), ("broken", "1/(2*eps)"), ("wide", "3/eps"), ("narrow", "1/(3*eps)")]
    (folder / "quick.py").write_text(HEAD + "".join(TEXT.format(name=n, scale=s) for n, s in quick))
    (folder / "holes.py").write_text(HEAD + TEXT.format(name="open", scale="hole"))
    (folder / "mistake.py").write_text(HEAD + TEXT.format(name="bad", scale="q[0]"))
    (folder / "other.py").write_text("# it says kolahal, and has no sketch\n")
    (folder / "python2.py").write_text("print 'none of ours'\n")
    return folder


def texts(entries) -> list[str]:
    return [one_line(entry.record) for entry in entries]


@pytest.fixture(scope="module")
def jobs(files):
    return find_jobs([str(files)], Wish())


@pytest.fixture(scope="module")
def undisturbed(jobs) -> list[str]:
    return texts(run_jobs(jobs, slots=1))


# ---------------------------------------------------------------- which jobs


def names(found) -> list[str]:
    return [Path(job.target).name for job in found]


def test_a_folder_a_pattern_a_file_and_a_function_are_targets(files):
    everything = ["holes.py:open", "mistake.py:bad", *(f"quick.py:{n}" for n in ("private", "broken", "wide", "narrow"))]
    assert names(find_jobs([str(files)], Wish())) == everything
    assert names(find_jobs([f"{files}/*.py"], Wish())) == everything
    assert names(find_jobs([f"{files}/quick.py"], Wish())) == everything[2:]
    assert names(find_jobs([f"{files}/quick.py:wide"], Wish())) == ["quick.py:wide"]
    assert names(find_jobs([f"{files}/quick.py:wide", f"{files}/quick.py"], Wish()))[0] == "quick.py:wide"
    assert len(find_jobs([str(files), str(files)], Wish())) == len(everything)
    assert names(find_jobs(["gallery"], Wish())) == list(GALLERY)
    with pytest.raises(UsageError, match="no file matches"):
        find_jobs([f"{files}/*.txt"], Wish())


def test_a_faulty_function_does_not_refuse_the_others(tmp_path, capsys):
    path = tmp_path / "some.py"
    functions = [("first", "1/eps"), ("bad", "q[0]"), ("last", "1/(2*eps)"), ("worse", "eps + 1")]
    path.write_text(HEAD + "".join(TEXT.format(name=n, scale=s) for n, s in functions))
    jobs = find_jobs([str(path)], Wish())
    assert [(Path(j.target).name, bool(j.sketch)) for j in jobs] == [
        ("some.py:first", True), ("some.py:bad", False), ("some.py:last", True), ("some.py:worse", False)
    ]  # fmt: skip
    assert [j.mistake.count("error K") for j in jobs] == [0, 1, 0, 1], "each is told its own fault alone"
    lines = path.read_text().split("\n")
    for job, scale in ((jobs[1], "q[0])"), (jobs[3], "eps + 1)")):
        (line,) = [number for number, text in enumerate(lines, 1) if text.endswith(scale)]
        assert job.mistake.startswith(f"{path}:{line}:")
    code, out, _ = run(capsys, str(path))
    assert code == 1 and "1 proved, 2 mistake, 1 refuted" in out
    assert all(job.mistake in out for job in jobs), "the place and the remedy are told in full"
    assert names(find_jobs([f"{path}:first", f"{path}:bad"], Wish())) == ["some.py:first", "some.py:bad"]


def test_two_functions_of_one_name_are_one_mistake(tmp_path):
    path = tmp_path / "twice.py"
    texts = [TEXT.format(name=n, scale=s) for n, s in (("f", "1/eps"), ("g", "1/eps"), ("f", "2/eps"))]
    path.write_text(HEAD + "".join(texts))
    assert [(Path(j.target).name, "K009" in j.mistake) for j in find_jobs([str(path)], Wish())] == [
        ("twice.py:f", True), ("twice.py:g", False)
    ]  # fmt: skip


def test_what_we_contradict_ourselves_on_has_failed(files, monkeypatch):
    (job,) = find_jobs([f"{files}/quick.py:private"], Wish())
    defect = Check(Unknown("two things that cannot both be", defect=True), 0.0, None)
    monkeypatch.setattr(judging, "check", lambda *_: defect)
    record = judging.judge_job(job)
    assert record["verdict"] == "failed" and "cannot both be" in record["summary"]


def test_hidden_folders_and_environments_are_passed_over(files, tmp_path):
    for place in (".hidden", "env", "kept"):
        (tmp_path / place).mkdir()
        (tmp_path / place / "quick.py").write_text((files / "quick.py").read_text())
    (tmp_path / "env" / "pyvenv.cfg").write_text("")
    assert {Path(job.target).parent.name for job in find_jobs([str(tmp_path)], Wish())} == {"kept"}


def test_holes_say_what_is_to_be_done_unless_the_user_does(files):
    assert [job.action for job in find_jobs([f"{files}/holes.py", f"{files}/quick.py:wide"], Wish())] == [
        "synth",
        "check",
    ]
    (forced,) = run_jobs(find_jobs([f"{files}/quick.py:wide"], Wish(action="synth")), slots=1)
    assert forced.record["verdict"] == "mistake" and "no holes" in forced.record["summary"]


def test_the_name_of_a_job_changes_with_all_that_matters_and_nothing_else(files, tmp_path):
    path = tmp_path / "one.py"

    def name(text: str = TEXT.format(name="one", scale="1/eps"), wish: Wish = DEFAULT) -> str:
        path.write_text(HEAD + text)
        return find_jobs([str(path)], wish)[0].name

    same = name()
    assert name(TEXT.format(name="one", scale="1/eps").replace("  return", "  return ")) == same
    others = [
        name(TEXT.format(name="one", scale="2/eps")),
        name(TEXT.format(name="two", scale="1/eps")),
        name(wish=Wish(claim="2*eps")),
        name(wish=Wish(version="another")),
        name("\n" + TEXT.format(name="one", scale="1/eps")),  # reasons tell the line
    ]
    assert len({same, *others}) == 6


# ---------------------------------------------------------------- who does them


def test_the_records_say_what_is_true(undisturbed):
    found = {Path(r["target"]).name: r for r in map(json.loads, undisturbed)}
    assert {name: r["verdict"] for name, r in found.items()} == {
        "holes.py:open": "proved",
        "mistake.py:bad": "mistake",
        "quick.py:private": "proved",
        "quick.py:broken": "refuted",
        "quick.py:wide": "proved",
        "quick.py:narrow": "refuted",
    }
    assert found["holes.py:open"]["result"]["candidates"][0]["scales"] == ["1/eps"]
    assert found["quick.py:private"]["result"]["certificate"] and found["quick.py:broken"]["result"]["refutation"]
    assert "error K114: " in found["mistake.py:bad"]["summary"]


@pytest.mark.parametrize("executor", [None, ThreadPoolExecutor, ProcessPoolExecutor])
def test_many_workers_give_the_same_bytes_as_one(executor, jobs, undisturbed):
    if executor is None:
        assert texts(run_jobs(tuple(reversed(jobs)), slots=3))[::-1] == undisturbed
    else:
        with executor(2) as pool:
            assert texts(run_jobs(jobs, pool, 2)) == undisturbed


class Unlucky(ThreadPoolExecutor):
    """Workers that are killed while they do the jobs whose targets end with a name, so many times each."""

    def __init__(self, times: int, *names: str):
        super().__init__(2)
        self.names, self.times, self.deaths = names, times, {}

    def submit(self, call, limits, function, job):
        count = self.deaths.get(job.target, 0)
        if job.target.endswith(self.names) and count < self.times:
            self.deaths[job.target] = count + 1
            return super().submit(call, limits, die, job)
        return super().submit(call, limits, function, job)


def die(job):
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_job_whose_worker_dies_is_done_again(jobs, undisturbed):
    with Unlucky(1, ":wide", ":broken") as pool:
        found = run_jobs(jobs, pool, 2)
    assert texts(found) == undisturbed
    assert [entry.attempts for entry in found] == [
        2 if "wide" in t or "broken" in t else 1 for t in (j.target for j in jobs)
    ]


def test_a_job_that_kills_its_worker_twice_fails_and_the_rest_goes_on(jobs, undisturbed):
    with Unlucky(9, ":wide") as pool:
        found = run_jobs(jobs, pool, 2)
    (failed,) = [entry.record for entry in found if entry.record["verdict"] == "failed"]
    assert failed["target"].endswith(":wide") and "died 2 times" in failed["summary"] and "SIGKILL" in failed["summary"]
    others = [i for i, job in enumerate(jobs) if not job.target.endswith(":wide")]
    assert [texts(found)[i] for i in others] == [undisturbed[i] for i in others]


# ---------------------------------------------------------------- going on


def test_finished_jobs_are_not_done_again(jobs, undisturbed, tmp_path):
    def nobody(*_):
        raise AssertionError("a finished job was done again")

    with Journal(tmp_path) as journal:
        run_jobs(jobs[:3], slots=2, journal=journal)
    with Journal(tmp_path) as journal:
        assert len(journal.entries) == 3
        done = []
        again = run_jobs(jobs, slots=2, journal=journal, watch=lambda entry, _: done.append(entry))
        assert texts(again) == undisturbed and len([entry for entry in done if entry]) == len(jobs) - 3
    with Journal(tmp_path) as journal, ThreadPoolExecutor(1) as pool:
        pool.submit = nobody
        assert texts(run_jobs(jobs, pool, 1, journal=journal)) == undisturbed
    lines = (tmp_path / NAME).read_bytes().splitlines()
    assert len(lines) == len(jobs), "none is lost, none is there twice"


def test_what_was_stopped_at_a_limit_is_done_again_with_another_limit(files, tmp_path):
    jobs = find_jobs([f"{files}/quick.py:wide"], Wish())
    short, long = Limits(seconds=0.001), Limits(seconds=100)
    for limits, retry, verdict, lines in [
        (short, False, "unknown", 1),
        (short, False, "unknown", 1),
        (short, True, "unknown", 2),
        (long, False, "proved", 3),
        (short, True, "proved", 3),
    ]:
        with Journal(tmp_path) as journal:
            (found,) = run_jobs(jobs, slots=1, limits=limits, journal=journal, retry=retry)
        assert found.record["verdict"] == verdict
        assert verdict == "proved" or found.record["summary"] == "stopped at its limit of 0.001 s"
        assert len((tmp_path / NAME).read_bytes().splitlines()) == lines


def test_a_batch_that_is_killed_and_resumed_ends_with_the_same_bytes(files, undisturbed, tmp_path):
    """Killed with -9 at random moments; each time with half a line behind what it wrote, as a lost machine leaves it."""
    rng = random.Random(0)
    command = [sys.executable, "-m", "kolahal", "batch", str(files), "--workers", "2", "--out", str(tmp_path)]
    start = time.monotonic()
    done = subprocess.run([*command[:-1], str(tmp_path / "timing")], capture_output=True)
    whole = time.monotonic() - start
    assert done.returncode == 1
    for _ in range(3):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(whole * rng.uniform(0.2, 0.9))
        process.kill()
        process.wait()
        with open(tmp_path / NAME, "ab") as journal:
            journal.write(b'{"sum":"12')
    last = subprocess.run(command, capture_output=True, text=True)
    assert last.returncode == 1 and "unfinished last line" in last.stderr
    assert (tmp_path / "results.jsonl").read_text().splitlines() == undisturbed
    assert (tmp_path / "timing" / "results.jsonl").read_text().splitlines() == undisturbed
    assert len((tmp_path / NAME).read_bytes().splitlines()) == len(undisturbed)


# ---------------------------------------------------------------- the command


def run(capsys, *argv: str) -> tuple[int, str, str]:
    code = main(["batch", "--workers", "2", *argv])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_the_worst_verdict_is_the_exit_code(files, tmp_path, capsys):
    quick = f"{files}/quick.py"
    assert run(capsys, f"{quick}:private")[0] == 0
    assert run(capsys, f"{quick}:private", f"{files}/mistake.py", "--limit", "0.001")[0] == 2
    code, out, _ = run(capsys, f"{quick}:private", "--limit", "0.001")
    assert code == 3 and "stopped at its limit" in out
    assert run(capsys, f"{quick}:private", "--limit", "0.001", "--allow-unknown")[0] == 0
    code, out, err = run(capsys, str(files))
    assert code == 1 and "6 jobs" in out and "3 proved, 1 mistake, 2 refuted" in out
    assert "is not eps-private" in out and "d1 = [" in out, "a failure of CI shows the counterexample"
    assert err.count("\n") == 6


def test_bounded_is_a_verdict_of_its_own():
    def entry(verdict: str, **result: object) -> SimpleNamespace:
        return SimpleNamespace(record={"verdict": verdict, "result": result})

    proved, bounded, unknown, refuted = map(entry, ("proved", "bounded", "unknown", "refuted"))
    assert _code([proved, bounded], set()) == 4 and _code([proved, bounded], {"bounded"}) == 0
    assert _code([bounded], {"unknown"}) == 4 and _code([unknown, bounded], {"bounded"}) == 3
    assert _code([unknown, bounded], set()) == 3 and _code([refuted, bounded], {"bounded", "unknown"}) == 1
    wrong = entry("unknown", defect=True)
    best = entry("unknown", best=2, candidates=[{"defect": False}, {"defect": True}])
    assert _code([wrong], {"unknown"}) == 70 == _code([best, proved], {"unknown"})


def test_json_lines_come_in_the_order_of_the_jobs(files, undisturbed, capsys):
    code, out, _ = run(capsys, str(files), "--json")
    assert code == 1 and out.splitlines() == undisturbed


def test_mistakes_of_the_command_are_told(files, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(workers, "PATIENCE", 0.5)
    (tmp_path / "empty").mkdir()
    for argv, words in [
        ([str(tmp_path / "empty")], "there is no sketch"),
        ([f"{files}/nothing*.py"], "no file matches"),
        ([str(files), "--cluster", "tcp://127.0.0.1:1"], "--cluster"),
    ]:
        code, out, err = run(capsys, *argv)
        assert (code, out) == (2, "") and words in err and "Traceback" not in err
    with Journal(tmp_path):
        code, out, err = run(capsys, str(files), "--out", str(tmp_path))
    assert (code, out) == (2, "") and "in use by another batch" in err


# ---------------------------------------------------------------- CI

ROOT = Path(__file__).parents[2]


def test_the_examples_for_ci_are_what_the_page_shows():
    page = (ROOT / "docs" / "how-to" / "ci.md").read_text(encoding="utf-8")
    for name in ("mechanisms.yml", "pre-commit-config.yaml"):
        _, _, body = (ROOT / "examples" / "ci" / name).read_text(encoding="utf-8").partition("\n")
        assert body.strip() in page, name


def test_the_hook_fails_with_the_counterexample_and_passes_over_other_files(files, capsys):
    """Run as pre-commit runs it: the entry of the hook, and the files of the commit."""
    hook = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    (entry,) = [line.split(": ", 1)[1] for line in hook.splitlines() if line.strip().startswith("entry:")]
    command, *options = entry.split()
    assert command == "kolahal"
    assert main([*options, f"{files}/other.py", f"{files}/python2.py"]) == 0
    capsys.readouterr()
    assert main([*options, f"{files}/other.py", f"{files}/quick.py"]) == 1
    assert "is not eps-private" in capsys.readouterr().out
