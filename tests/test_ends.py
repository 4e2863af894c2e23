"""How a command ends: exit codes whatever happens, Ctrl-C, and output into streams that cannot take all of it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import click
import pytest

from kolahal.cli import base, judge, main
from kolahal.cli.ends import DEFECT, INTERRUPTED, MISTAKE, UNHEARD, UNKNOWN, WORDS, conclude
from kolahal.errors import UsageError

GREEK = """
@sketch(adjacent=one_within(1))
def f(q: Private, eps: Epsilon):
    ζ = q[0] + Lap(1/eps)  # é
    return ζ
"""


def command(*argv: str, **streams: Any) -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, **streams.pop("environment", {})}
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
    return subprocess.run([sys.executable, "-m", "kolahal", *argv], env=environment, timeout=120, **streams)


# ---------------------------------------------------------------- exit codes


def stops(error: BaseException) -> Any:
    def run() -> None:
        raise error

    return run


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (ValueError("surprise"), DEFECT, "ValueError: surprise\nThis is a defect of Kolahal"),
        (AssertionError(), DEFECT, "This is a defect of Kolahal"),
        (OSError(28, "No space left on device"), DEFECT, "Traceback"),  # of nobody's output
        (RecursionError("deep"), DEFECT, "RecursionError: deep"),
        (EOFError(), DEFECT, "EOFError"),
        (KeyboardInterrupt(), INTERRUPTED, "Interrupted."),
        (UsageError("no such thing"), MISTAKE, "no such thing"),
        (click.UsageError("no such option"), MISTAKE, "no such option"),
        (click.exceptions.Exit(4), 4, ""),
    ],
)
def test_whatever_stops_a_command_has_its_exit_code(
    error: BaseException, code: int, words: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = signal.getsignal(signal.SIGINT)
    monkeypatch.setitem(base.cli.commands, "stops", click.Command("stops", callback=stops(error)))
    try:
        assert main(["stops"]) == code
    finally:
        signal.signal(signal.SIGINT, before)
    captured = capsys.readouterr()
    assert captured.out == "" and words in captured.err
    assert ("Traceback" in captured.err) == (code == DEFECT)


def test_a_crash_within_limits_is_a_defect_too(tmp_path: Path) -> None:
    """It happens in a fork of the command."""
    path = tmp_path / "f.py"
    path.write_text(GREEK)
    breaking = "import kolahal.checking as c, kolahal.cli as k\nc.check = lambda *a: 1 // 0\nraise SystemExit(k.main())"
    done = subprocess.run(
        [sys.executable, "-c", breaking, "check", str(path), "--limit", "60"], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == DEFECT and done.stdout == ""
    assert done.stderr.startswith("ZeroDivisionError") and "This is a defect of Kolahal" in done.stderr


@pytest.mark.parametrize(("number", "code"), [(signal.SIGSEGV, DEFECT), (signal.SIGKILL, UNKNOWN)])
def test_a_process_that_breaks_down_is_a_defect_and_one_that_is_killed_is_not(
    number: signal.Signals, code: int, tmp_path: Path
) -> None:
    path = tmp_path / "f.py"
    path.write_text(GREEK)
    breaking = f"import os, kolahal.checking as c, kolahal.cli as k\nc.check = lambda *a: os.kill(os.getpid(), {int(number)})\n"
    argv = ["check", str(path), "--limit", "60", "--json"]
    done = subprocess.run(
        [sys.executable, "-c", breaking + "raise SystemExit(k.main())", *argv], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == code and json.loads(done.stdout)["verdict"] == "unknown"
    assert ("please report it" in done.stdout) == (code == DEFECT) and number.name in done.stdout


def test_no_memory_is_a_limit_and_not_a_defect(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "f.py"
    path.write_text(GREEK)
    for error in (MemoryError(), RuntimeError("out of memory")):
        with pytest.raises(MemoryError):
            conclude(stops(error))
    monkeypatch.setattr(judge, "load_complete", lambda target: stops(MemoryError())())
    assert main(["check", str(path)]) == UNKNOWN
    assert "ran out of memory" in capsys.readouterr().out
    monkeypatch.setitem(base.cli.commands, "stops", click.Command("stops", callback=stops(MemoryError())))
    assert main(["stops"]) == UNKNOWN


@pytest.mark.parametrize("as_json", [False, True])
def test_a_command_that_is_stopped_says_how_to_give_it_more_time(
    as_json: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "f.py"
    path.write_text(GREEK)
    monkeypatch.setattr(base, "PATIENCE", 0.2)
    monkeypatch.setattr(judge, "load_complete", lambda target: time.sleep(5))
    assert main(["check", str(path), *(["--json"] if as_json else [])]) == UNKNOWN
    out = capsys.readouterr().out
    assert "--limit 1.2" in out
    if as_json:
        assert {"verdict", "scope", "assumed", "epsilon_lower", "epsilon_upper", "reason"} == set(json.loads(out))


# ---------------------------------------------------------------- Ctrl-C


def interrupted_after(seconds: float) -> tuple[int, str, str]:
    process = subprocess.Popen(
        [sys.executable, "-m", "kolahal", "synth", "above_threshold_2", "--method", "naive"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        time.sleep(seconds)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    return process.returncode, out, err


def test_interrupting_shows_what_was_found() -> None:
    for seconds in (4, 15, 45):  # on a busy machine nothing may have been found after four
        code, out, err = interrupted_after(seconds)
        assert code == INTERRUPTED
        assert "Interrupted" in err and "Traceback" not in err + out
        if out:
            break
    assert "above_threshold_2" in out


def test_an_interrupted_batch_shows_what_has_ended(tmp_path: Path) -> None:
    path = tmp_path / "f.py"
    slow = "\n@sketch(adjacent=each_within(1))\ndef slow(q: Private, eps: Epsilon):\n    c = 0\n    for x in q:\n"
    slow += "".join(f"        if x + Lap(hole) > {i}:\n            c = c + 1\n" for i in range(9)) + "    return c\n"
    path.write_text(GREEK + slow)
    argv = ["batch", str(path), "--workers", "2", "--method", "naive", "--out", str(tmp_path / "out")]
    process = subprocess.Popen(
        [sys.executable, "-m", "kolahal", *argv], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    assert "f.py:f: proved" in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == INTERRUPTED and "Traceback" not in err + out
    assert "1 of 2 jobs" in err and "goes on from there" in err
    assert "f.py:f" in out and "1 proved" in out


@pytest.mark.parametrize("package", ["click", "ast"])  # one that the command loads, and one that `import kolahal` does
def test_interrupting_while_it_loads_has_no_traceback(package: str, tmp_path: Path) -> None:
    """The package that is loaded presses Ctrl-C, as a person would at that moment."""
    (tmp_path / f"{package}.py").write_text(
        "import os, signal, time\nos.kill(os.getpid(), signal.SIGINT)\ntime.sleep(30)\n"
    )
    done = command("show", "svt", environment={"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])})
    assert (done.returncode, done.stdout, done.stderr) == (INTERRUPTED, b"", b"Interrupted.\n")


def test_importing_kolahal_leaves_interrupts_alone() -> None:
    code = "import signal, kolahal; print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "True"


# ---------------------------------------------------------------- output


@pytest.fixture
def greek(tmp_path: Path) -> str:
    path = tmp_path / "f.py"
    path.write_text(GREEK, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "utf-8"])
def test_what_an_encoding_lacks_is_written_in_words(encoding: str, greek: str) -> None:
    done = command("check", greek, environment={"PYTHONIOENCODING": encoding})
    out, err = done.stdout.decode(encoding), done.stderr.decode(encoding)
    assert done.returncode == 0 and err == ""
    assert "costs at most ε" in out if encoding == "utf-8" else "costs at most eps" in out
    assert "?" not in out and ("\\u03b6" in out) == (encoding != "utf-8")
    missing = command("show", "ε.py", environment={"PYTHONIOENCODING": encoding})
    assert missing.returncode == MISTAKE and b"Traceback" not in missing.stderr
    assert ("eps.py" in missing.stderr.decode(encoding)) == (encoding != "utf-8")


def test_json_stays_exact_in_every_encoding(greek: str) -> None:
    done = command("check", greek, "--json", environment={"PYTHONIOENCODING": "ascii"})
    assert "ζ = q[0]" in json.loads(done.stdout.decode("ascii"))["program"]
    lines = command("batch", greek, "--json", environment={"PYTHONIOENCODING": "cp1252"}).stdout.decode("cp1252")
    assert "ζ = q[0]" in json.loads(lines)["result"]["program"]


def test_a_program_is_not_written_with_other_names(greek: str) -> None:
    plain = Path(greek).with_name("plain.py")
    plain.write_text("def f(q):\n    ε = q[0]\n    return ε\n", encoding="utf-8")
    for argv in (["emit", greek], ["sketch", str(plain)]):
        done = command(*argv, environment={"PYTHONIOENCODING": "cp1252"})
        assert done.returncode == MISTAKE and done.stdout == b"", argv
        assert b"PYTHONIOENCODING=utf-8" in done.stderr and b"Traceback" not in done.stderr
        assert command(*argv, environment={"PYTHONIOENCODING": "utf-8"}).returncode == 0


def test_every_word_can_be_written_everywhere() -> None:
    assert all(word.isascii() and '"' not in word and "\\" not in word for word in WORDS.values())


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no such device")
@pytest.mark.parametrize("buffered", ["", "1"])
@pytest.mark.parametrize("argv", [["--help"], ["check", "--json", "--limit", "60"]])
def test_output_to_a_full_device_is_a_mistake(argv: list[str], buffered: str, greek: str) -> None:
    argv = [argv[0], greek, *argv[1:]] if argv[0] == "check" else argv
    with open("/dev/full", "wb") as full:
        done = command(*argv, stdout=full, environment={"PYTHONUNBUFFERED": buffered})
        assert done.returncode == MISTAKE
        assert done.stderr.decode().startswith("standard output cannot be written: No space left on device")
        assert b"Traceback" not in done.stderr and b"ignored" not in done.stderr
        assert command("show", "nothing", stdout=full, stderr=full).returncode == MISTAKE


def test_output_to_a_reader_who_has_left_has_its_own_code(greek: str) -> None:
    read, write = os.pipe()
    os.close(read)
    done = command("check", greek, stdout=write)
    os.close(write)
    assert (done.returncode, done.stderr) == (UNHEARD, b"")


def test_closed_streams_are_no_error(greek: str) -> None:
    script = f"{sys.executable} -m kolahal check {greek} >&- 2>&-"
    assert subprocess.run(["bash", "-c", script], timeout=60).returncode == 0
