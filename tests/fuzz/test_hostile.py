"""Hostile input: files, words and results of strangers are read or refused, soon, and nothing of them is run."""

from __future__ import annotations

import io
import json
import random
import resource
import subprocess
import sys
import time
import tokenize
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fuzz.readers import (
    GALLERY_FILES,
    READERS,
    read_plain,
    read_result,
    read_sketches,
    read_words,
    refused,
    result_documents,
    watched,
    write_program,
)
from kolahal.lang.scale import parse_number

HEAD = "@sketch(each_within(1))\ndef f(q: Private, T: float, eps: Epsilon):\n"
SECONDS = 5  # of CPU for one input; ordinary ones take milliseconds


def soon(read: Any, raw: bytes) -> bool:
    """Whether `raw` is refused; either way, soon."""
    started = time.process_time()
    answer = refused(read, raw)
    assert time.process_time() - started < SECONDS
    return answer


# ---------------------------------------------------------------- bytes and texts

odd_text = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from("()[]{}:,.=+-*/%@#'\"\\\n\t\r\x00\x0c\ufeff\u202e\u2028\x1b0123456789eE_xq"),
    ),
    max_size=80,
)


@settings(max_examples=75)
@given(st.binary(max_size=200), st.sampled_from(READERS))
@example(b"\xef\xbb\xbf# coding: utf-16\n", read_sketches)
@example(b"# coding: rot13\nimport os\n", read_sketches)
@example(b"# coding: unicode_escape\n\\x0aimport os\n", read_plain)
@example(b"# coding: idna\nx\n", read_sketches)
@example(b"\x00", read_words)
@example(b"\xff\xfe{\x00}\x00", read_result)
def test_bytes(raw: bytes, read: Any) -> None:
    soon(read, raw)


@settings(max_examples=120)
@given(odd_text, st.sampled_from(READERS))
@example("10**10**10", read_words)
@example("9" * 5000 + "/eps", read_words)
@example("1e999999999", read_words)
@example("eps" + "/eps" * 400, read_words)
@example("(" * 5000, read_words)
@example("-" * 5000 + "1", read_words)
@example("1e-999999999/eps", read_words)
@example("\ud800", read_words)
@example("\x1b[2J/eps", read_words)
@example("\u202eeps", read_words)
@example("eps\x00", read_words)
@example("a.py:" + "b" * 100_000, read_words)
def test_texts(text: str, read: Any) -> None:
    soon(read, text.encode("utf-8", "surrogatepass"))


@given(st.one_of(st.fractions(), st.decimals(allow_nan=False, allow_infinity=False, places=20)))
def test_numbers_are_read_exactly(value: Fraction | Decimal) -> None:
    assert parse_number(f" {value} ") == Fraction(value)


@pytest.mark.parametrize(
    "text", ["1e999999999", "1e-999999999", "9" * 400, "1/0", "", ".", "e1", "inf", "nan", "1_0", "٣", "1/1e9"]
)
def test_numbers_that_cannot_be_meant(text: str) -> None:
    with pytest.raises(ValueError, match="is not a number"):
        parse_number(text)


# ---------------------------------------------------------------- almost sketches


def tokens_of(raw: bytes) -> list[str]:
    return [token.string or "\n" for token in tokenize.tokenize(io.BytesIO(raw).readline)][1:]


TOKENS = [tokens_of(raw) for raw in GALLERY_FILES]


@settings(max_examples=60)
@given(st.integers(0, len(TOKENS) - 1), st.integers(0, 2**32))
def test_tokens_that_are_missing_twice_there_or_swapped(which: int, seed: int) -> None:
    raw, rng = GALLERY_FILES[which].decode(), random.Random(seed)
    for _ in range(rng.randint(1, 4)):
        token, other = rng.choice(TOKENS[which]), rng.choice(rng.choice(TOKENS))
        places = [i for i in range(len(raw)) if raw.startswith(token, i)]
        if token.strip() and places:
            at = rng.choice(places)
            new = rng.choice(["", f"{token} {token}", other, f"{token} {other}"])
            raw = raw[:at] + new + raw[at + len(token) :]
    for read in READERS:
        if read is not read_words and read is not read_result:
            soon(read, raw.encode())


names = st.sampled_from(["q", "T", "eps", "x", "y", "out", "hole", "Lap", "__import__", "len", "é", "match", "_"])
numbers = st.sampled_from(
    ["0", "1", "2.5", "1e300", "1e400", "0x" + "f" * 300, "1_0", "10**10**10", "True", "None", "1j", "-1"]
)
leaves = st.one_of(
    names, numbers, st.sampled_from(["q[0]", "len(q)", "[]", "Lap(hole)", "Lap(2/eps)", "Exp(hole)", "''", "..."])
)


def combined(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    signs = st.sampled_from(
        ["+", "-", "*", "/", "//", "%", "**", "<", "<=", "==", "!=", "and", "or", "is", "in", "if 1 else"]
    )
    return st.one_of(
        st.builds("({} {} {})".format, inner, signs, inner),
        st.builds("{}({})".format, st.sampled_from(["Lap", "max", "abs", "len", "not ", "-", "print"]), inner),
        st.builds("{}[{}]".format, names, inner),
        st.builds("[{} for x in {}]".format, inner, st.sampled_from(["q", "out", "range(3)", "range(len(q))", "x"])),
        st.builds("max({}, {})".format, inner, inner),
    )


expressions = st.recursive(leaves, combined, max_leaves=8)


def blocks(inner: st.SearchStrategy[list[str]]) -> st.SearchStrategy[list[str]]:
    heads = st.one_of(
        st.builds("if {}:".format, expressions),
        st.builds("while {}:".format, expressions),
        st.builds("for {} in {}:".format, names, st.one_of(expressions, st.just("range(len(q))"), st.just("q"))),
        st.sampled_from(["else:", "with q:", "def g():", "class A:", "try:"]),
    )
    return st.builds(lambda head, body, rest: [head, *("    " + line for line in body), *rest], heads, inner, inner)


statements = st.one_of(
    st.builds("{} = {}".format, names, expressions),
    st.builds("{} += {}".format, names, expressions),
    st.builds("return {}".format, expressions),
    st.builds("out.append({})".format, expressions),
    st.sampled_from(
        ["pass", "break", "continue", "out = []", "x, y = 1, 2", "import os", "global q", "'''doc'''", "x: int"]
    ),
)
bodies = st.recursive(st.lists(statements, min_size=1, max_size=4), blocks, max_leaves=5)
heads = st.sampled_from(
    [HEAD, HEAD.replace("T: float", "N: int = 3"), HEAD.replace("each_within(1)", "adjacent=one_within(1/2)")]
)


@settings(max_examples=100)
@given(heads, bodies)
def test_programs_that_are_almost_sketches(head: str, body: list[str]) -> None:
    raw = (head + "".join(f"    {line}\n" for line in [*body, "return 0"])).encode()
    if not soon(read_sketches, raw):
        soon(write_program, raw)
    soon(read_plain, raw.partition(b"\n")[2].replace(b": Private", b""))


# ---------------------------------------------------------------- extremes

EXTREME = {
    "deep brackets": HEAD + "    return " + "(" * 90 + "0" + ")" * 90 + "\n",
    "very deep brackets": HEAD + "    return " + "(" * 100_000 + "0" + ")" * 100_000 + "\n",
    "deep minus": HEAD + "    return " + "-" * 200_000 + "1\n",
    "deep not": HEAD + "    return " + "not " * 100_000 + "True\n",
    "deep lists": HEAD + "    return " + "[" * 50_000 + "]" * 50_000 + "\n",
    "deep calls": HEAD + "    return " + "abs(" * 5_000 + "1" + ")" * 5_000 + "\n",
    "deep indices": HEAD + "    return " + "q[" * 5_000 + "0" + "]" * 5_000 + "\n",
    "deep blocks": HEAD + "".join("    " * (i + 1) + "if T > 0:\n" for i in range(99)) + "    " * 100 + "return 0\n    return 1\n",
    "deep loops": HEAD + "".join("    " * (i + 1) + "for i in q:\n" for i in range(60)) + "    " * 61 + "pass\n    return 1\n",
    "long sum": HEAD + "    return " + "1 + " * 200_000 + "1\n",
    "long and": HEAD + "    return " + "True and " * 30_000 + "True\n",
    "long comparison": HEAD + "    return " + "1 < " * 60_000 + "1\n",
    "long elif": HEAD + "    if T > 0:\n        return 1\n" + "    elif T > 0:\n        return 1\n" * 20_000 + "    return 0\n",
    "long attribute": HEAD + "    return q" + ".a" * 300_000 + "\n",
    "many statements": HEAD + "    x = 1\n" * 30_000 + "    return x\n",
    "many names": HEAD + "".join(f"    x{i} = {i}\n" for i in range(3_000)) + "    return 0\n",
    "many parameters": "@sketch(each_within(1))\ndef f(q: Private, eps: Epsilon, " + ", ".join(f"a{i}: int" for i in range(20_000)) + "):\n    return 0\n",
    "many decorators": "@sketch(each_within(1))\n" * 5_000 + "def f(q: Private, eps: Epsilon):\n    return 0\n",
    "digits": HEAD + "    return " + "9" * 900_000 + "\n",
    "hex digits": HEAD + "    return 0x" + "f" * 900_000 + "\n",
    "a large power": HEAD + "    return Lap(10**10**10)\n",
    "a large exponent": HEAD + "    return 1e" + "9" * 100_000 + "\n",
    "a long name": "@sketch(each_within(1))\ndef " + "f" * 900_000 + "(q: Private, eps: Epsilon):\n    return q[0]\n",
    "a long text": HEAD + "    '" + "x" * 900_000 + "'\n    return 0\n",
    "a long line of tabs": HEAD + "    return" + "\t" * 900_000 + "round(q)\n",
    "wide letters": HEAD + "    return " + "日" * 300_000 + "\n",
    "combining marks": HEAD + "    return é" + "\u0301" * 300_000 + "\n",
    "null bytes": HEAD + "    return 0\x00\n",
    "surrogates": HEAD + "    return '\\ud800'\n",
    "form feeds": "\x0c" + HEAD.replace("\n", "\n\x0c") + "    return\x0c0\n",
    "a mark at the start": "\ufeff" + HEAD + "    return q[0] + Lap(hole)\n",
    "two marks": "\ufeff\ufeff" + HEAD + "    return 0\n",
    "carriage returns": HEAD.replace("\n", "\r") + "    return q[0] + Lap(hole)\r",
    "mixed line ends": HEAD.replace("\n", "\r\n") + "    return q[0]\r    + Lap(hole)\n",
    "line separators": HEAD + "    return 0\u2028\u0085\x1c\n",
    "a backslash at the end": HEAD + "    return 0\\",
    "an open text": HEAD + "    '''",
    "an open bracket": HEAD + "    return (" + "q, " * 100_000,
    "many faults": HEAD + "    round(q)\n" * 5_000,
    "nested f-strings": HEAD + "    return " + "f'{" * 200 + "}'" * 200 + "\n",
    "deep lambdas": HEAD + "    return " + "lambda: " * 50_000 + "0\n",
    "deep types": HEAD.replace("float", "list[" * 5_000 + "int" + "]" * 5_000) + "    return 0\n",
    "a quoted type": HEAD.replace("float", repr("(" * 50_000)) + "    return 0\n",
    "names in a ring": HEAD + "    x = y\n    y = x\n    return x\n",
    "one sketch in another": HEAD + "    " + HEAD.replace("\n", "\n    ") + "    return 0\n    return 0\n",
    "an empty file": "",
    "only a mark": "\ufeff",
    "a return at the top": "return 0\n" + HEAD + "    return 0\n",
}  # fmt: skip
BUDGET = 1 << 30  # bytes of memory for the reader of any of them, Python and all imports included


READ_ALL = """
import sys, time
from pathlib import Path
from kolahal.errors import KolahalError
from kolahal.lang.read.front import load_sketches
from kolahal.lang.plain.convert import sketch_of
from kolahal.lang.source import read_source

for path in sorted(Path(sys.argv[1]).glob("*.py")):
    for read in (load_sketches, lambda file: sketch_of(read_source(file).text)):
        started = time.process_time()
        try:
            read(path)
        except KolahalError as error:
            assert str(error)
        except BaseException as error:
            print(path.stem, type(error).__name__, error)
        if time.process_time() - started > float(sys.argv[2]):
            print(path.stem, "takes long")
"""


def test_extremes_take_little_time_and_memory(tmp_path: Path) -> None:
    """All of them, one after the other, under a limit that the operating system enforces."""
    for name, text in EXTREME.items():
        (tmp_path / f"{name}.py").write_bytes(text.encode("utf-8", "surrogatepass"))
    limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (BUDGET, BUDGET))  # noqa: E731
    done = subprocess.run(
        [sys.executable, "-c", READ_ALL, str(tmp_path), str(SECONDS)],
        preexec_fn=limit,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr


# ---------------------------------------------------------------- results


@pytest.fixture(scope="module")
def documents() -> list[dict[str, object]]:
    return result_documents()


ODD: list[Any] = [
    None, True, 0, -1, 1, 10**400, 1e308, -1e308, 5e-324, float("nan"), float("inf"), "", "x", "</script>", "{{ 1 }}", "\ud800",
    "2/eps", "proved", "1" * 5000, "1e999999999", [], [[]], {}, {"a": 1}, [None], [1, "a"], [{"test_epsilon": 1}], {"epsilon": None},
]  # fmt: skip


def mutate(value: Any, rng: random.Random) -> Any:
    """A copy of a document with one part replaced, dropped, doubled or moved."""
    if isinstance(value, dict) and value and rng.random() < 0.85:
        key = rng.choice(list(value))
        choice = rng.random()
        if choice < 0.1:
            return {k: v for k, v in value.items() if k != key}
        if choice < 0.15:
            return {**value, key: value[rng.choice(list(value))]}
        return {**value, key: mutate(value[key], rng)}
    if isinstance(value, list) and value and rng.random() < 0.85:
        place = rng.randrange(len(value))
        if rng.random() < 0.15:
            return value[:place] + rng.choice([[], value * 2]) + value[place + 1 :]
        return [*value[:place], mutate(value[place], rng), *value[place + 1 :]]
    return rng.choice(ODD)


@settings(max_examples=60)
@given(st.integers(0, 2**32))
def test_results_that_somebody_changed(documents: list[dict[str, object]], seed: int) -> None:
    rng = random.Random(seed)
    document: Any = rng.choice(documents)
    for _ in range(rng.randint(1, 4)):
        document = mutate(document, rng)
    soon(read_result, json.dumps(document).encode())


json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.sampled_from(ODD)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.sampled_from(["candidates", "scales", "verdict", "curve", "regions", "members", "holes", "sketch", "seconds", "epsilon"]), inner, max_size=4),
    ),
    max_leaves=12,
)  # fmt: skip


@settings(max_examples=50)
@given(json_values)
def test_results_that_somebody_made_up(document: Any) -> None:
    soon(read_result, json.dumps(document).encode())


@pytest.mark.parametrize(
    "raw",
    [b"[" * 100_000, b'{"a":' * 100_000, b"9" * 10_000, b"-", b'"', b"\xff", b"\x00", b"NaN", b'{"sketch": "\\ud800", "candidates": []}', b'{"a": 1}' * 2, b'{"verdict": 1e308}'],
    ids=lambda raw: repr(raw[:12]),
)  # fmt: skip
def test_texts_that_are_hardly_json(raw: bytes) -> None:
    soon(read_result, raw)


# ---------------------------------------------------------------- nothing is run

TRAPS = [
    b"import antigravity\n",
    b"# coding: utf-8\nimport this\n" + HEAD.encode() + b"    return 0\n",
    HEAD.replace("float", "__import__('antigravity')").encode() + b"    return 0\n",
    HEAD.replace("T: float", "T: float = __import__('antigravity')").encode() + b"    return 0\n",
    HEAD.replace("each_within(1)", "exec('import antigravity')").encode() + b"    return 0\n",
    HEAD.replace("):", ") -> exec('import antigravity'):").encode() + b"    return q[0] + Lap(hole)\n",
    HEAD.encode() + b"    x: exec('import antigravity') = 0\n    return q[0] + Lap(hole)\n",
    b"def __import__(name):\n    raise SystemExit\n" + HEAD.encode() + b"    return q[0] + Lap(hole)\n",
    b"from kolahal import *\nfrom antigravity import Lap\n" + HEAD.encode() + b"    return q[0] + Lap(hole)\n",
    b'{"sketch": "{{ self.__init__.__globals__ }}", "candidates": []}',
    b'{"py/object": "os.system", "__reduce__": ["os.system", "true"]}',
    b"c__builtin__\neval\n(S'1'\ntR.",
]


@pytest.mark.parametrize("raw", TRAPS, ids=range(len(TRAPS)))
def test_nothing_of_a_file_is_imported_or_run(raw: bytes) -> None:
    for read in READERS[:4]:  # what is loaded once, such as packages for pages, is loaded here
        refused(read, GALLERY_FILES[0])
        refused(read, b'{"candidates": []}')
    with watched() as seen:
        for read in READERS[:4]:
            refused(read, raw)
    assert not seen
    refused(write_program, raw)  # this one runs what it has written, of which nothing outside the language may be left
    assert "antigravity" not in sys.modules


def test_the_watch_sees() -> None:
    with watched() as seen:
        exec("import this_module_does_not_exist_at_all" if len(sys.argv) < 0 else "1")
    assert len(seen) == 1
