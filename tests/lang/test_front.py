"""The names that a user's file imports: sketches from Python itself, read from source and never run."""

import importlib.util
import math
import resource
import subprocess
import sys

import pytest

import kolahal
from kolahal.errors import UsageError
from kolahal.lang.read.front import load_sketches
from kolahal.lang.read.parse import parse
from kolahal.lang.source import SketchError


@pytest.fixture
def load(tmp_path, monkeypatch):
    """Write a module and import it."""
    count = 0

    def load_module(text: str):
        nonlocal count
        count += 1
        path = tmp_path / f"user_module_{count}.py"
        path.write_text(text)
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, path.stem, module)
        spec.loader.exec_module(module)
        return module

    return load_module


PROGRAM = """
def above_threshold(q: Private, T: float, eps: Epsilon):
    t = T + Lap(hole)
    for i in range(len(q)):
        if q[i] + Lap(hole) > t:
            return i
    return -1
"""


def indent(text: str) -> str:
    return "".join(f"    {line}\n" for line in text.splitlines())


PLAIN = (
    "from kolahal import Epsilon, Lap, Private, each_within, hole, sketch\n\n@sketch(adjacent=each_within(1))" + PROGRAM
)


def renamed(imports: str, **names: str) -> str:
    program = "@sketch(adjacent=each_within(1))" + PROGRAM
    for name, local in names.items():
        program = program.replace(name, local)
    return imports + program


def test_a_decorated_function_is_what_its_file_says(load):
    module = load(PLAIN)
    assert module.above_threshold == load_sketches(module.__file__)[0]
    assert module.above_threshold.source.path == module.__file__


@pytest.mark.parametrize(
    "text",
    [
        renamed("from kolahal import *\n"),
        renamed("from kolahal import Epsilon, Lap as L, Private, each_within, hole as h, sketch\n", Lap="L", hole="h"),
        renamed(
            "import kolahal as k\n", sketch="k.sketch", each_within="k.each_within", Private="k.Private", Epsilon="k.Epsilon", Lap="k.Lap", hole="k.hole"
        ),
        renamed(
            "import kolahal\n", sketch="kolahal.sketch", each_within="kolahal.each_within", Private="'kolahal.Private'", Epsilon="'kolahal.Epsilon'", Lap="kolahal.Lap", hole="kolahal.hole"
        ),
        renamed("from __future__ import annotations\nfrom kolahal import Epsilon, Lap, Private, each_within, hole, sketch\n"),
        renamed("from kolahal import *\nimport kolahal\nnoise = kolahal.Lap\n", Lap="noise"),
        "def make():\n    from kolahal import Epsilon, Lap as L, Private, each_within, hole, sketch as sk\n\n"
        + "    @sk(adjacent=each_within(1))" + PROGRAM.replace("Lap", "L").replace("\n", "\n    ") + "\n    return above_threshold\n\n\nabove_threshold = make()\n",
        "from kolahal import *\nclass Mechanisms:\n    @sketch(adjacent=each_within(1))" + PROGRAM.replace("\n", "\n    ") + "\nabove_threshold = Mechanisms.above_threshold\n",
    ],
)  # fmt: skip
def test_names_may_be_imported_in_any_way(load, text):
    assert load(text).above_threshold == parse(PLAIN)


def test_a_relation_may_be_given_in_any_form(load):
    for decorator in ("each_within(0.5)", "adjacent=each_within(1/2)", "each_within(distance=0.5)"):
        sketch = load(
            f"from kolahal import *\n@sketch({decorator})\ndef f(q: Private, eps: Epsilon):\n    return 0\n"
        ).f
        assert str(sketch.adjacency) == "each_within(1/2)"


def test_a_fault_points_into_the_users_file(load, tmp_path):
    text = "from kolahal import *\n\n\ndef outer():\n    @sketch(each_within(1))\n    def f(q: Private, eps: Epsilon):\n        return round(q)\n\n\nouter()\n"
    with pytest.raises(SketchError) as caught:
        load(text)
    assert str(caught.value).startswith(f"{tmp_path}/user_module_1.py:7:16: error K102")


def test_only_the_decorated_function_is_judged(load):
    """Another sketch of the file, at fault but not reached yet, is not this one's business."""
    text = (
        PLAIN
        + "\n\nfound = above_threshold\n\n\n@sketch(each_within(1))\ndef bad(q: Private, eps: Epsilon):\n    return round(q)\n"
    )
    with pytest.raises(SketchError) as caught:
        load(text)
    assert [fault.span.line for fault in caught.value.diagnostics] == [17]


def test_the_function_itself_never_runs(load):
    module = load(
        "from kolahal import *\ncalls = []\n\n@sketch(each_within(1))\ndef f(q: Private, eps: Epsilon):\n    return q[0] + Lap(2/eps)\n"
    )
    assert isinstance(module.f([3.0], eps=1.0), float)
    assert module.f.name == "f"


ONE = "@sketch(adjacent=each_within(1))\ndef f(q: Private, T: float, eps: Epsilon):\n    return max(q[0], T) + Lap(2/eps)\n"


def test_noise_that_is_not_ours_is_not_taken_for_ours(load):
    with pytest.raises(SketchError, match=r"user_module_1\.py:2:1: error K144: `Lap` is given another meaning here"):
        load("from kolahal import *\ndef Lap(scale):\n    return 0\n\n" + ONE)
    with pytest.raises(SketchError, match="K144"):  # the function's own Lap has no value yet when it is decorated
        load("from kolahal import *\ndef make():\n" + indent(ONE) + "    Lap = Exp\n    return f\n\nmake()\n")


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("Lap", kolahal.Exp, "`Lap` is not Kolahal's Lap here"),
        ("Lap", lambda scale: 0, "in the running program it is something else"),
        ("max", min, "`max` is not Python's max here"),
        ("each_within", kolahal.one_within, "is not each_within\\(1\\) here"),
        ("each_within", lambda d: kolahal.each_within(2 * d), "in the running program it is each_within\\(2\\)"),
        ("Private", kolahal.Epsilon, "`Private` is not Kolahal's Private here"),
        ("Epsilon", float, "it is Python's float"),
        ("float", int, "`float` is not Python's float here"),
        ("kolahal", math, "`kolahal` is not the module kolahal here"),
    ],
)
def test_a_name_that_is_something_else_in_the_running_program_is_refused(load, name, value, message):
    """Whoever changed it is not to be seen in the text."""
    change = "import inspect\n\ndef change(name, value):\n    inspect.currentframe().f_back.f_globals[name] = value\n"
    changer = load(change)
    body = ONE.replace("Lap(", "kolahal.Lap(") if name == "kolahal" else ONE
    head = f"from kolahal import *\nimport kolahal\nfrom {changer.__name__} import change, value, name\nchange(name, value)\n"
    changer.name, changer.value = name, value
    with pytest.raises(SketchError, match=message) as caught:
        load(head + body)
    assert [d.code for d in caught.value.diagnostics] == ["K146"]
    changer.name = "something_else"
    assert load(head + body).f == parse(ONE)


def test_a_changed_module_of_ours_is_refused(load, monkeypatch):
    text = "import kolahal\nfrom kolahal import *\n" + ONE.replace("Lap(", "kolahal.Lap(")
    assert load(text).f == parse(ONE)
    monkeypatch.setattr(kolahal, "Lap", kolahal.Exp)
    with pytest.raises(SketchError, match="`kolahal` is not the module kolahal here"):
        load(text)


def test_a_name_that_the_text_does_not_explain_means_what_it_is(load):
    """As in a notebook, where another cell has bound it, or for the parameter of a function around."""
    text = "from kolahal import *\ndef make(noise):\n" + indent(ONE.replace("Lap(", "noise(")) + "    return f\n"
    module = load(text)
    assert module.make(kolahal.Lap) == parse(ONE)
    assert module.make(kolahal.Exp).draws[0].noise.value == "Exp"
    with pytest.raises(SketchError, match="K102"):
        module.make(abs)


def test_what_is_declared_of_the_answers_is_read_from_the_source(load):
    for declared, whole, count in (
        ("Private[int]", True, None),
        ("Private[7]", False, 7),
        ("Private[int, 7]", True, 7),
    ):
        for note in (declared, f"'{declared}'", f"kolahal.{declared}"):
            module = load("import kolahal\nfrom kolahal import *\n" + ONE.replace("q: Private", f"q: {note}"))
            assert (module.f.private.whole, module.f.private.count) == (whole, count)
            assert module.f == load_sketches(module.__file__)[0]


def test_a_distance_may_be_a_fraction(load):
    assert (
        str(load("from kolahal import *\n" + ONE.replace("within(1)", "within(1/3)")).f.adjacency) == "each_within(1/3)"
    )


def test_misuse_of_the_decorator():
    for wrong in (None, 1, "each_within(1)", lambda q: q):
        with pytest.raises(UsageError, match="each_within"):
            kolahal.sketch(wrong)
    with pytest.raises(UsageError, match="each_within"):
        kolahal.sketch()
    names = {}
    exec("def f(q, eps):\n    return 0\n", names)
    for function in (names["f"], len, 3):
        with pytest.raises(UsageError, match="source"):
            kolahal.sketch(kolahal.each_within(1))(function)


@pytest.mark.parametrize("noise", ["Lap", "Exp", "DiscreteLap", "DiscreteExp"])
def test_noise_outside_a_sketch_is_an_error(noise):
    with pytest.raises(UsageError, match="only inside a function decorated with @sketch"):
        getattr(kolahal, noise)(1)
    assert repr(kolahal.hole) == "hole"


HEAVY = ("numpy", "scipy", "z3", "numba", "flint", "rich", "click", "jinja2")


def test_importing_kolahal_loads_nothing_heavy():
    code = f"import sys, kolahal; print([m for m in {HEAVY} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_importing_kolahal_is_quick():
    """Under 0.2 s more than bare Python: best of five, in seconds of the processor, as the machine may be busy."""

    def best(code: str) -> float:
        times = []
        for _ in range(5):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([sys.executable, "-c", code], check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        return min(times)

    assert best("import kolahal") - best("pass") < 0.2
