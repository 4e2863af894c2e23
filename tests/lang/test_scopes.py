"""What the names of a sketch mean: the program that is judged is the program that Python would run."""

import types
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import ALL, some
from kolahal.emission.release import emit
from kolahal.lang.read.parse import parse, parse_source
from kolahal.lang.read.scopes import OURS
from kolahal.lang.source import SketchError, Source
from kolahal.sketches.gallery import load_one

HEAD = "from kolahal import Epsilon, Exp, Lap, Private, each_within, one_within, sketch\n"
BODY = """\
@sketch(adjacent=each_within(1))
def f(q: Private, N: int, eps: Epsilon):
    x = max(q[0], 0)
    for i in range(len(q)):
        x = x + q[i]
    return x + Lap(2 / eps), len(q) + abs(N)
"""


def indent(text: str, by: str = "    ") -> str:
    return "".join(by + line + "\n" for line in text.splitlines())


def codes(text: str) -> list[tuple[str, int]]:
    try:
        parse_source(Source("file.py", text))
    except SketchError as error:
        return [(d.code, d.span.line) for d in error.diagnostics]
    return []


# ---------------------------------------------------------------- known places

HARMLESS = {
    "nothing": BODY,
    "imported twice": HEAD + "from kolahal import Lap\nfrom kolahal.lang.read.front import Lap\n" + BODY,
    "imported under another name": HEAD + "from kolahal import Lap as L\n" + BODY.replace("Lap(", "L("),
    "a star of ours": "from kolahal import *\n" + BODY,
    "the name of a comprehension": HEAD + "x = [Lap for Lap in (1, 2)], {max: max for max in (1, 2)}\n" + BODY,
    "a parameter elsewhere": HEAD + "def g(Lap, *max, **Private):\n    return Lap\n\nh = lambda Lap: Lap\n" + BODY,
    "a name elsewhere": HEAD + "def g():\n    Lap = 3\n    from other import Private\n    del Lap\n" + BODY,
    "a name of a class elsewhere": HEAD + "class A:\n    Lap = 3\n    def max(self): ...\n" + BODY,
    "attributes of other things": HEAD + "class A:\n    def __init__(self):\n        self.max = self.Lap = 1\n" + BODY,
    "a class around, for the body": HEAD + "class A:\n    max = Lap = 3\n" + indent(BODY),
    "an import around": "def make():\n    from kolahal import Lap as L\n" + indent(BODY.replace("Lap(", "L(")),
    "names of its own around, and another meaning outside":
        "Lap = 3\ndef make():\n    from kolahal import Lap\n" + indent(BODY),
    "names below a star": "from other import *\n" + HEAD + "from builtins import abs, int, len, max, range\n" + BODY,
    "its own name": HEAD + BODY.replace("def f", "def one_within"),
    "what a sketch does not use": HEAD + "Exp = monotone = min = float = 3\n" + BODY,
    "our module in many ways": "import kolahal.lang\nimport kolahal\n" + HEAD + BODY.replace("Lap(", "kolahal.Lap("),
    "a setting of our module": HEAD + "import kolahal\nkolahal.color = 3\nsetattr(kolahal, 'color', 3)\n" + BODY,
    "a function called eval": HEAD + "def eval(x): ...\neval(3)\n" + BODY,
    "a method called eval": HEAD + "model.eval()\nvars(model)\nsetattr(model, 'Lap', 3)\n" + BODY,
}  # fmt: skip


@pytest.mark.parametrize("text", HARMLESS.values(), ids=HARMLESS)
def test_what_a_sketch_cannot_see_is_harmless(text):
    assert codes(text) == []


REFUSED = {
    "behind the sketch": (HEAD + BODY + "Lap = Exp\n", "K144", 8),
    "a star of another's": (HEAD + "from other import *\n" + BODY, "K144", 2),
    "a star, and Python's names": ("from other import *\n" + HEAD + BODY, "K144", 1),
    "a star, and an import under a condition":
        (HARMLESS["names below a star"].replace(" Lap,", "").replace("@", "if x:\n    from kolahal import Lap\n@"), "K144", 1),
    "one of two imports": (
        "try:\n    from kolahal import Lap\nexcept ImportError:\n    from other import Lap\n" + BODY, "K144", 4),
    "no import of ours": ("from other import each_within\n" + BODY, "K144", 1),
    "two of ours": (HEAD + "from kolahal import Exp as Lap\n" + BODY, "K144", 2),
    "in a function around": (HEAD + "def make():\n    Lap = Exp\n" + indent(BODY), "K144", 3),
    "in a function around, behind": (HEAD + "def make():\n" + indent(BODY) + "    Lap = Exp\n", "K144", 9),
    "in two functions around": (HEAD + "def a(Lap):\n    def make():\n" + indent(BODY, "        "), "K144", 2),
    "in a class around, for the header": (HEAD + "class A:\n    Private = list\n" + indent(BODY), "K144", 3),
    "in a class with global names": (HEAD + "class A:\n    global Lap\n    Lap = Exp\n" + BODY, "K144", 4),
    "from within": (
        "def make():\n    from kolahal import Lap\n    def g():\n        nonlocal Lap\n        Lap = Exp\n" + indent(BODY), "K144", 5),
    "in an unread annotation": (HEAD + "def g(x: (Lap := Exp)): ...\n" + BODY, "K144", 2),
    "in a base": (HEAD + "class A((Lap := Exp)): ...\n" + BODY, "K144", 2),
    "in a decorator": (HEAD + "@(Lap := Exp)\ndef g(): ...\n" + BODY, "K144", 2),
    "a module of that name": ("import Lap\n" + BODY, "K144", 1),
    "a noise for a builtin": (HEAD + "from kolahal import Lap as max\n" + BODY, "K144", 2),
    "a decorator of that name": (HEAD + "def sketch(adjacent): ...\n" + BODY, "K144", 2),
    "a name of Python's own": (HEAD + "len = print\n" + BODY, "K144", 2),
    "numbers of an emitted program": (HEAD + "Fraction = int\n" + BODY.replace("2 / eps", "Fraction(2) / eps").replace(", len", ", Fraction(1) + len"), "K144", 2),
    "exec": (HEAD + "exec('Lap = Exp')\n" + BODY, "K145", 2),
    "exec by another name": (HEAD + "run = exec\nrun('Lap = Exp')\n" + BODY, "K145", 2),
    "globals": (HEAD + "globals()['Lap'] = Exp\n" + BODY, "K145", 2),
    "vars": (HEAD + "vars()['Lap'] = Exp\n" + BODY, "K145", 2),
    "a copy of our module": (HEAD + "import kolahal\nk = kolahal\nk2: object = k\nk2.Lap = Exp\n" + BODY, "K145", 5),
    "setattr": (HEAD + "import kolahal as k\nsetattr(k, 'Lap', Exp)\n" + BODY, "K145", 3),
    "setattr of anything": (HEAD + "import kolahal as k\nsetattr(k, name, Exp)\n" + BODY, "K145", 3),
    "a patch": (HEAD + "import kolahal as k\nmonkeypatch.setattr(k, 'Lap', Exp)\n" + BODY, "K145", 3),
    "its table of names": (HEAD + "import kolahal as k\nk.__dict__['Lap'] = Exp\n" + BODY, "K145", 3),
    "the table of modules": (HEAD + "import sys as s\ns.modules['kolahal'].Lap = Exp\n" + BODY, "K145", 3),
    "the table of modules, by name": (HEAD + "from sys import modules\nmodules['kolahal'].Lap = Exp\n" + BODY, "K145", 3),
    "a module by its name": (HEAD + "__import__('kolahal').Lap = Exp\n" + BODY, "K145", 2),
    "setattr by another name": (HEAD + "import kolahal as k\nput = setattr\nput(k, 'Lap', Exp)\n" + BODY, "K145", 3),
    "the globals of a function": (HEAD + "def g(): ...\ng.__globals__['Lap'] = Exp\n" + BODY, "K145", 3),
    "the globals of a frame": (HEAD + "import sys\nsys._getframe().f_globals['Lap'] = Exp\n" + BODY, "K145", 3),
    "exec by a name in a text": (HEAD + "import builtins\ngetattr(builtins, 'ex' + 'ec')('Lap = Exp')\n" + BODY, "K145", 3),
    "Python's own module": (HEAD + "import builtins\nbuiltins.max = min\n" + BODY, "K145", 3),
}  # fmt: skip


@pytest.mark.parametrize(("text", "code", "line"), REFUSED.values(), ids=REFUSED)
def test_another_meaning_is_refused_at_its_place(text, code, line):
    assert codes(text) == [(code, line)]


def test_somebody_elses_decorator_makes_no_sketch():
    assert codes("from p5 import sketch\n\n@sketch(adjacent=3)\ndef draw(): ...\n") == [("K007", 0)]


def test_the_same_name_means_different_things_in_different_functions():
    text = "".join(
        f"def {name}():\n    from kolahal import {noise} as L\n"
        + indent(BODY.replace("Lap(", "L(").replace("f(q", f"{name}_(q"))
        for name, noise in (("a", "Lap"), ("b", "Exp"), ("c", "Lap"))
    )
    found = parse_source(Source("file.py", text))
    assert [sketch.draws[0].noise.value for sketch in found] == ["Lap", "Exp", "Lap"]


def test_a_fault_of_names_belongs_to_the_sketches_that_use_them():
    other = "@sketch(adjacent=each_within(1))\ndef g(q: Private, eps: Epsilon):\n    return q[0] + Exp(2 / eps)\n"
    assert codes(HEAD + "Lap = 3\n" + other) == []
    assert codes(HEAD + "Lap = 3\n" + other + BODY) == [("K144", 2)]


# ---------------------------------------------------------------- emitted programs


def test_an_emitted_program_brings_its_own_names_and_no_others():
    mechanism = load_one("above_threshold_1").complete("2/eps", "4/eps")
    for backend in ("python", "opendp"):
        text = emit(mechanism, backend=backend)
        assert parse(text) == mechanism.filled()
        for change in (
            "Lap = Exp",
            "def _draw(*_):\n    return 0",
            "_run = print",
            "from random import Fraction",
            "max = min",
        ):
            assert [code for code, _ in codes(f"{text}\n{change}\n")] == ["K144"], change
    tampered = text.replace("grid * (run.noise", "0 * (run.noise")
    assert tampered != text
    # Support code that is not ours is read like any other, and it looks up its plan in the globals of a function.
    assert {code for code, _ in codes(tampered)} == {"K144", "K145"}


# ---------------------------------------------------------------- against Python itself

SNIPPETS = [
    "from kolahal import *", "from kolahal import Lap", "from kolahal import Exp as Lap", "from other import Lap",
    "from other import *", "import kolahal as Lap", "import other as max", "Lap = Exp", "Lap = 3", "Lap: object = Exp",
    "Lap: object", "def Lap(x):\n    return 7", "class Lap: ...", "for Lap in (Exp,): ...", "del Lap", "(Lap := Exp)",
    "[(Lap := Exp) for _ in (1,)]", "[Lap for Lap in (1, 2)]", "with other.manager as Lap: ...", "max = min",
    "def max(*_):\n    return 7", "from builtins import max", "from other import max", "def g(Lap):\n    return Lap",
    "def g():\n    global Lap\n    Lap = Exp\ng()", "def g():\n    Lap = 3\ng()", "lambda Lap: Lap", "import kolahal",
    "try:\n    from kolahal import Lap\nexcept ImportError:\n    from other import Lap", "match Exp:\n    case Lap: ...",
    "try:\n    1 / 0\nexcept ZeroDivisionError as Lap: ...", "each_within = one_within", "kolahal.Lap = Exp",
    "from kolahal import one_within as each_within", "setattr(kolahal, 'Lap', Exp)", "globals()['Lap'] = Exp",
    "exec('Lap = Exp')", "def g(x=(Lap := Exp)): ...", "class A:\n    Lap = Exp\n    each_within = one_within",
    "from kolahal import each_within", "import builtins\nbuiltins.max = min", "def sketch(adjacent):\n    return lambda f: f",
]  # fmt: skip
PROGRAM = """\
@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    return max(1, 2), {call}(2)
"""
CODES = {"Lap": 100, "Exp": 200}


def run_in_python(text: str) -> tuple[Any, Any]:
    """The relation that the decorator is given, and the answer of the function, with stand-ins for the modules."""
    recorded = []

    def sketch(adjacent):
        recorded.append(adjacent)
        return lambda function: recorded.append(function) or function

    ours = types.SimpleNamespace(
        sketch=sketch, Private=list, Epsilon=float, hole=None, DiscreteLap=None, DiscreteExp=None, sum_within=None,
        monotone=None, each_within=lambda d: "each_within", one_within=lambda d: "one_within",
        Lap=lambda scale: CODES["Lap"], Exp=lambda scale: CODES["Exp"],
    )  # fmt: skip
    ours.__all__ = sorted(OURS)
    other = types.SimpleNamespace(Lap=lambda scale: 7, max=lambda *_: 7, __all__=["Lap", "max"], manager=_Manager())
    python = types.SimpleNamespace(
        **{name: getattr(__import__("builtins"), name) for name in dir(__import__("builtins"))}
    )

    def load(name, *_, **__):
        return {"kolahal": ours, "other": other, "builtins": python}[name]

    names = vars(python)
    names["__import__"] = load
    space = {"__builtins__": names, "__name__": "file", "other": other}
    exec(text, space)
    return recorded[0], recorded[1]([1], 1.0)


class _Manager:
    def __enter__(self):
        return lambda scale: 7

    def __exit__(self, *_):
        return None


@st.composite
def files(draw) -> str:
    """A file that binds names in odd ways, with a sketch at its top level, in a function or in a class."""
    some = st.lists(st.sampled_from(SNIPPETS), max_size=3).map("\n".join)
    program = PROGRAM.format(call=draw(st.sampled_from(["Lap", "Lap", "kolahal.Lap"])))
    place = draw(st.sampled_from(["top", "function", "class"]))
    if place == "function":
        inner = indent(draw(some) + "\n" + program + draw(some))
        program = f"def make({draw(st.sampled_from(['', 'Lap=None', 'max=min']))}):\n{inner}\nmake()\n"
    elif place == "class":
        program = "class Around:\n" + indent(draw(some) + "\n" + program)
    return HEAD + "\n".join([draw(st.sampled_from(["", "import kolahal"])), draw(some), program, draw(some)]) + "\n"


@pytest.mark.examples
def test_what_is_judged_is_what_python_would_run():
    compared = []

    @some(600, quick=200)
    @given(files())
    def compare(text):
        compared.append(compare_with_python(text))

    compare()
    assert sum(compared) > (50 if ALL else 20), "enough of them are accepted, and run"


def compare_with_python(text: str) -> bool:
    """Whether there was something to compare."""
    try:
        compile(text, "file.py", "exec")
        (sketch,) = parse_source(Source("file.py", text))
    except (SyntaxError, SketchError):
        return False
    try:
        relation, answer = run_in_python(text)
    except (NameError, TypeError, AttributeError, IndexError):
        return False  # it does not run at all, so nobody is misled
    assert relation == sketch.adjacency.name
    assert answer == (2, CODES[sketch.draws[0].noise.value])
    return True


def test_the_comparison_with_python_sees_what_it_should():
    """Files that run and are accepted, and files whose meaning Python changes."""
    assert run_in_python(HEAD + PROGRAM.format(call="Lap")) == ("each_within", (2, 100))
    assert run_in_python(HEAD + PROGRAM.format(call="Lap") + "Lap = Exp\n") == ("each_within", (2, 200))
    assert run_in_python(HEAD + "each_within = one_within\nmax = min\n" + PROGRAM.format(call="Lap"))[0] == "one_within"
    assert codes(HEAD + PROGRAM.format(call="Lap")) == []
