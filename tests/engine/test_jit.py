"""Compiled kernels: what is written, where it is kept, and what happens where it cannot be."""

from __future__ import annotations

import gc
import re
import subprocess
import sys
import weakref
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from kolahal.engine import batch, engines, jit
from kolahal.engine.engines import BATCH, NUMBA, RUNS_WORTH_COMPILING, RUNS_WORTH_LOADING, choose_engine
from kolahal.engine.faults import RunError
from kolahal.engine.kernel import PARAMETERS, write_kernel
from kolahal.engine.tape import Tape
from kolahal.lang.read.parse import parse
from kolahal.lang.sketch import Sketch
from kolahal.model import Arguments
from strategies import Case, cases

needs_numba = pytest.mark.skipif(not jit.available(), reason="Numba is not installed")
TEXT = """
@sketch(adjacent=one_within(1))
def total(q: Private, eps: Epsilon):
    secret_name = 0
    for x in q:
        secret_name += x
    return secret_name + Lap(hole)
"""
ARGUMENTS = Arguments(Fraction(1), 2)
DATABASE = (Fraction(1), Fraction(2))


def run(sketch: Sketch) -> list[object]:
    return jit.run(sketch, DATABASE, ARGUMENTS, (1.0,), Tape((4,), 5)).rows()


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, and nothing in memory."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(jit, "_loaded", {})
    return tmp_path / "kolahal"


@settings(max_examples=20)
@given(cases())
def test_a_kernel_holds_no_word_of_the_users(case: Case) -> None:
    renamed = parse(str(case.sketch).replace("flag", "evil_name"))
    assert "evil_name" not in write_kernel(renamed).text
    assert len(write_kernel(renamed).around) == len(renamed.draws)


def test_names_of_python_and_of_the_kernel_are_names_like_others() -> None:
    body = "\n    state, left, rows = 1, 2, q\n    for r in rows:\n        left = left + r\n    return state + left"
    sketch = parse("@sketch(adjacent=one_within(1))\ndef f(q: Private, runs: int, eps: Epsilon):" + body)
    arguments = Arguments(Fraction(1), 2, (("runs", Fraction(7)),))
    outputs, _ = jit.drive(jit.interpret(sketch), sketch, DATABASE, arguments, (), Tape((4,), 2))
    assert outputs.rows() == [6.0, 6.0]


@needs_numba
def test_a_compiled_kernel_is_kept_and_found_again(cache: Path) -> None:
    sketch = parse(TEXT)
    assert not jit.is_on_disk(sketch)
    expected = run(sketch)
    assert jit.is_loaded(sketch) and jit.is_on_disk(sketch)
    (kernel,) = cache.iterdir()
    stamp = kernel.stat().st_mtime_ns
    program = (
        f"from kolahal.engine import jit; from kolahal.engine.tape import Tape; from kolahal.lang.read.parse import parse\n"
        f"from kolahal.model import Arguments; from fractions import Fraction\n"
        f"s = parse({TEXT!r})\nassert jit.is_on_disk(s)\n"
        f"print(jit.run(s, (Fraction(1), Fraction(2)), Arguments(Fraction(1), 2), (1.0,), Tape((4,), 5)).rows())\n"
        f"import sys; assert 'numba' not in sys.modules"  # which takes longer to load than most tests
    )
    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert printed.strip() == str(expected)
    assert kernel.stat().st_mtime_ns == stamp


CHOICES = {
    "largest": "best = None\n    at = 0\n    for i in range(len(q)):\n        y = q[i] + Lap(2)\n"
    "        if best is None or y > best:\n            best = y\n            at = i\n    return [at, best]",
    "swap": "a = q[0] + Lap(1)\n    b = q[1] + Lap(1)\n    if a > b:\n        a, b = b, a\n    return [a, b]",
    "one after the other": "a = Lap(1)\n    b = 0\n    if a > 0:\n        b = a\n        a = b + 1\n    return [a, b]",
    "kinds": "a = None\n    b = False\n    if Lap(1) > 0:\n        a = 3\n        b = True\n    else:\n        a = True\n    return [a, b]",
    "unset": "if Lap(1) > -3:\n        a = 1\n    return a",
    "and": "a = 0\n    b = Lap(1)\n    if b > 0 and Lap(1) > b:\n        a = 1\n    else:\n        a = -b\n        b = 2\n    return [a, b]",
    "neither": "a = 1\n    if q[0] > Lap(1) or Lap(1) > 1:\n        a = 2 * q[1] - 1\n    else:\n        pass\n    return a",
}


@pytest.mark.parametrize("name", CHOICES)
def test_choices_without_a_branch_are_those_of_the_program(name: str) -> None:
    sketch = parse(f"@sketch(adjacent=each_within(1))\ndef f(q: Private, eps: Epsilon):\n    {CHOICES[name]}\n")
    tape = Tape((4,), 200)
    told = []
    for run in (batch.run, lambda *given: jit.drive(jit.interpret(sketch), *given)[0]):
        try:
            told.append(run(sketch, DATABASE, ARGUMENTS, (), tape).rows())
        except RunError as error:
            told.append([d.code for d in error.diagnostics])
    assert told[0] == told[1]
    assert (told[0] == ["K405"]) == (name == "unset")
    without_a_branch = bool(re.search(r"= \S+ if x_\d+ else", write_kernel(sketch).text))
    assert without_a_branch if name in ("largest", "swap") else name != "neither" or not without_a_branch


def test_noise_goes_with_its_tape() -> None:
    sketch, tape = parse(TEXT), Tape((4,), 300)
    jit.drive(jit.interpret(sketch), sketch, DATABASE, ARGUMENTS, (1.0,), tape)
    noise = weakref.ref(tape.units(sketch.draws[0].noise, 0, ()))
    gc.disable()
    try:
        del tape
        assert noise() is None
    finally:
        gc.enable()


@needs_numba
@pytest.mark.parametrize("damage", [lambda code: b"", lambda code: code[:-9], lambda code: code[:200] + b"?" + code[201:]])
def test_a_damaged_cache_is_mended(damage: Callable[[bytes], bytes], cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sketch = parse(TEXT)
    expected = run(sketch)
    (kernel,) = cache.iterdir()
    damaged = damage(kernel.read_bytes())
    kernel.write_bytes(damaged)
    monkeypatch.setattr(jit, "_loaded", {})
    assert run(sketch) == expected and kernel.read_bytes() != damaged


@needs_numba
@pytest.mark.parametrize("home", ["file/below", ""])
def test_where_nothing_can_be_kept_every_process_compiles(
    home: str, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / home) if home else "~nobody-of-that-name/below")
    sketch = parse(TEXT)
    assert not jit.is_on_disk(sketch)
    assert run(sketch) == batch.run(sketch, DATABASE, ARGUMENTS, (1.0,), Tape((4,), 5)).rows()
    assert not jit.is_on_disk(sketch)


@needs_numba
def test_machine_code_that_is_called_otherwise_is_not_called(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sketch = parse(TEXT)
    expected = batch.run(sketch, DATABASE, ARGUMENTS, (1.0,), Tape((4,), 5)).rows()
    for way in ("is_called_so", "is_known_symbol"):
        monkeypatch.setattr(jit, way, lambda *given: False)
        assert run(sketch) == expected and not jit.is_loaded(sketch)
        monkeypatch.undo()
        monkeypatch.setenv("XDG_CACHE_HOME", str(cache.parent))


@needs_numba
def test_a_kernel_takes_no_array_of_another_shape(cache: Path) -> None:
    sketch = parse(TEXT)
    run(sketch)
    function = jit._loaded[sketch].function
    given = [0, 1, *(np.zeros((1,) * (kind.count(",") + 1), kind.partition("[")[0]) for kind in list(PARAMETERS.values())[2:])]
    for place in (2, 4):
        for wrong in (given[place].astype("float32"), given[place][None], np.zeros((4,) * given[place].ndim)[..., ::2]):
            with pytest.raises(TypeError):
                function(*given[:place], wrong, *given[place + 1 :])


@needs_numba
def test_equal_programs_share_a_kernel_and_keep_their_places(cache: Path) -> None:
    body = "def f(q: Private, eps: Epsilon):\n    return q[5]"
    for lines in (0, 3):
        sketch = parse("\n" * lines + "@sketch(adjacent=one_within(1))\n" + body)
        with pytest.raises(Exception, match=f":{3 + lines}:12: error K401"):
            jit.run(sketch, DATABASE, ARGUMENTS, (), Tape((4,), 5))
    assert len(list(cache.iterdir())) == 1


@needs_numba
def test_what_python_cannot_nest_is_run_by_the_batch_engine(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loops = "".join(f"{'    ' * (i + 1)}for i{i} in range(1):\n" for i in range(20))
    body = f"{loops}{'    ' * 21}x += Lap(hole)\n    return x"
    sketch = parse(f"@sketch(adjacent=one_within(1))\ndef f(q: Private, eps: Epsilon):\n    x = 0\n{body}")
    assert run(sketch) == batch.run(sketch, DATABASE, ARGUMENTS, (1.0,), Tape((4,), 5)).rows()
    monkeypatch.setattr(jit, "LARGEST_TABLE", 0)
    assert run(parse(TEXT)) == batch.run(parse(TEXT), DATABASE, ARGUMENTS, (1.0,), Tape((4,), 5)).rows()


def test_importing_kolahal_does_not_import_numba() -> None:
    program = "import kolahal, kolahal.engine.engines, sys; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_without_numba_everything_still_runs() -> None:
    program = (
        "import sys; sys.modules['numba'] = None\n"
        "import kolahal; from kolahal.engine import jit; from kolahal.engine.engines import choose_engine\n"
        "from kolahal.sketches.gallery import load_one\n"
        "assert not jit.available() and not jit.is_on_disk(load_one('svt'))\n"
        "assert choose_engine(load_one('svt'), 10**9).name == 'batch'"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


@needs_numba
def test_the_engine_is_chosen_by_what_it_saves(cache: Path) -> None:
    sketch = parse(TEXT)
    assert choose_engine(sketch, 1000) is BATCH
    assert choose_engine(sketch, RUNS_WORTH_LOADING) is BATCH
    assert choose_engine(sketch, RUNS_WORTH_COMPILING) is NUMBA
    run(sketch)
    jit._loaded.clear()
    assert choose_engine(sketch, 1000) is BATCH
    assert choose_engine(sketch, RUNS_WORTH_LOADING) is NUMBA
    run(sketch)
    assert choose_engine(sketch, 1) is NUMBA
    assert set(engines.ENGINES) == {"reference", "batch", "numba"}


@needs_numba
def test_the_machine_code_has_no_fused_multiply_add(cache: Path) -> None:
    sketch = parse(TEXT.replace("Lap(hole)", "Lap(hole) * x + 2 * x"))
    (code,) = jit.by_numba(write_kernel(sketch)).inspect_asm().values()
    assert "mulsd" in code and "fmadd" not in code and "fmla" not in code
