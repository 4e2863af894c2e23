"""What `--out` leaves behind: whole files of one run, or nothing."""

from __future__ import annotations

import errno
import fcntl
import json
import multiprocessing
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kolahal.batch import Journal
from kolahal.cli import files, main
from kolahal.cli.files import UNFINISHED, check_parent, write_file, write_files
from kolahal.errors import UsageError

MECHANISM = """
@sketch(adjacent=one_within(1))
def f(q: Private, eps: Epsilon):
    return q[0] + Lap({}/eps)
"""


def contents(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir()}


# ---------------------------------------------------------------- folders that are missing


@pytest.mark.parametrize(
    "argv",
    [
        ["emit", "f.py", "--out", "none/at/all.py"],
        ["check", "f.py", "--out", "none/at/all"],
        ["synth", "sum", "--out", "none/at/all"],
        ["batch", "f.py", "--out", "none/at/all"],
        ["report", "result.json", "--out", "none/at/all.html"],
        ["figures", "--out", "none/at/all"],
    ],
)
def test_a_missing_folder_is_named_before_anything_is_computed(
    argv: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("f.py").write_text(MECHANISM.format(1))
    start = time.process_time()
    assert main(argv) == 2
    assert time.process_time() - start < 1
    captured = capsys.readouterr()
    assert captured.out == "" and "there is no folder none; make it first, with mkdir -p none/at" in captured.err
    assert [path.name for path in tmp_path.iterdir()] == ["f.py"]


def test_the_last_folder_is_made(tmp_path: Path) -> None:
    write_files(tmp_path / "new", {"a": "1"})
    assert contents(tmp_path / "new") == {"a": "1"}
    with Journal(tmp_path / "other"):
        assert (tmp_path / "other").is_dir()
    for make in (lambda: write_files(tmp_path / "a" / "b", {}), lambda: Journal(tmp_path / "a" / "b")):
        with pytest.raises(UsageError):
            make()
    assert not (tmp_path / "a").exists()


def test_a_file_is_no_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    assert main(["check", "sum", "--out", str(tmp_path / "file")]) == 2
    assert "is a file" in capsys.readouterr().err
    with pytest.raises(UsageError, match="is not a folder"):
        check_parent(tmp_path / "file" / "below")
    assert main(["emit", "sum", "--out", str(tmp_path)]) == 2
    assert "is a directory" in capsys.readouterr().err


# ---------------------------------------------------------------- all of it or nothing


def test_a_full_disk_leaves_everything_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_files(tmp_path, {"a": "old", "b": "old"})
    write = Path.write_text

    def fill(path: Path, text: str, **options: str) -> int:
        if path.name == "b":
            write(path, text[:1], **options)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(path, text, **options)

    monkeypatch.setattr(Path, "write_text", fill)
    with pytest.raises(UsageError, match="No space left on device"):
        write_files(tmp_path, {"a": "new", "b": "new", "c": "new"})
    monkeypatch.undo()
    assert contents(tmp_path) == {"a": "old", "b": "old"}


def test_a_disk_that_is_really_full(tmp_path: Path) -> None:
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(tmp_path)], capture_output=True).returncode:
        pytest.skip("only root may make a small disk")
    try:
        write_files(tmp_path, {"a": "old"})
        with pytest.raises(UsageError, match="No space left on device"):
            write_files(tmp_path, {"a": "new", "b": "x" * 100_000})
        assert contents(tmp_path) == {"a": "old"}
        with pytest.raises(UsageError, match="No space left on device"):
            write_file(tmp_path / "a", "x" * 100_000)
        assert contents(tmp_path) == {"a": "old"}
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)


def test_what_a_killed_run_left_is_cleared_away(tmp_path: Path) -> None:
    killed = "import os, pathlib, kolahal.cli.files as f\n"
    killed += "pathlib.Path.replace = lambda *_: os.kill(os.getpid(), 9)\n"
    killed += f"f.write_files(pathlib.Path({str(tmp_path)!r}), {{'a': 'half'}})"
    assert subprocess.run([sys.executable, "-c", killed]).returncode == -9
    assert (tmp_path / UNFINISHED / "a").read_text() == "half"
    write_files(tmp_path, {"b": "whole"})
    assert contents(tmp_path) == {"b": "whole"}


def test_a_device_and_a_link_are_written_through(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    write_file(tmp_path / "pipe", "text")
    assert os.read(reader, 10) == b"text" and (tmp_path / "pipe").is_fifo()
    os.close(reader)
    (tmp_path / "file").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    write_file(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "file").read_text() == "new"


# ---------------------------------------------------------------- of one run


def write_often(folder: str, mark: str) -> None:
    for turn in range(10):
        write_files(Path(folder), {f"{n}.txt": f"{mark}{turn}" for n in range(20)})


def test_two_runs_into_one_folder_do_not_mix_their_files(tmp_path: Path) -> None:
    """After each round all files are of one of the runs, and none of the runs stumbled over another."""
    context = multiprocessing.get_context("fork")
    for turn in range(3):
        folder = tmp_path / str(turn)
        runs = [context.Process(target=write_often, args=(str(folder), mark)) for mark in "abc"]
        for run in runs:
            run.start()
        for run in runs:
            run.join()
            assert run.exitcode == 0
        assert len(set(contents(folder).values())) == 1 and len(contents(folder)) == 20


def test_a_run_waits_for_another_one_and_not_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    handle = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    monkeypatch.setattr(files, "PATIENCE", 0.1)
    with pytest.raises(UsageError, match="another run is writing there"):
        write_files(tmp_path, {"a": "1"})
    os.close(handle)  # as when its process ends, however that comes about
    write_files(tmp_path, {"a": "1"})
    assert contents(tmp_path) == {"a": "1"}


def test_a_file_system_without_locks_is_written_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: int) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", refuse)
    write_files(tmp_path, {"a": "1"})
    assert contents(tmp_path) == {"a": "1"}


def test_what_an_earlier_result_lists_does_not_stay_beside_the_next(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A certificate of what the program was once would stand beside its refutation."""
    source, out = tmp_path / "f.py", tmp_path / "out"
    source.write_text(MECHANISM.format(1))
    assert main(["check", str(source), "--out", str(out)]) == 0
    (out / "notes.txt").write_text("mine")
    assert (out / "certificate.json").exists()
    source.write_text(MECHANISM.format("(1/2)"))
    assert main(["check", str(source), "--out", str(out)]) == 1
    assert set(contents(out)) == {"result.json", "report.html", "counterexample.py", "notes.txt"}


def test_a_strangers_result_cannot_have_other_files_removed(tmp_path: Path) -> None:
    listed = ["notes.txt", "../keep_private.py", "/etc/passwd", "sub/certificate.json", "", 3, None, "certificate.json"]
    out = tmp_path / "out"
    out.mkdir()
    (tmp_path / "keep_private.py").write_text("")
    (out / "result.json").write_text(json.dumps({"files": listed}))
    (out / "notes.txt").write_text("mine")
    write_files(out, {"result.json": "{}"})
    assert set(contents(out)) == {"notes.txt", "result.json"} and (tmp_path / "keep_private.py").exists()
    for odd in ("[]", "3", '{"files": 3}', '{"files": {"a": 1}}', "{", '{"files": [["a"]]}'):
        (out / "result.json").write_text(odd)
        write_files(out, {"result.json": odd})
