"""What the parser accepts, what it makes of it, and that nothing a stranger writes can hurt."""

import ast
import random
import time
from fractions import Fraction

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kolahal.errors import KolahalError, UsageError
from kolahal.lang.adjacency import EachWithin, OneWithin
from kolahal.lang.ir import Assign, Comprehension, Const, For, Negate, Return, TupleOf, Var
from kolahal.lang.read.front import load_sketches
from kolahal.lang.read.parse import parse, parse_source
from kolahal.lang.scale import parse_scale
from kolahal.lang.sketch import Sketch
from kolahal.lang.source import SketchError, Source, parse_module
from kolahal.sketches.gallery import FOLDER, GALLERY

GALLERY_TEXTS = [(FOLDER / f"{name}.py").read_text() for name in GALLERY]


def body(text: str, parameters: str = "q: Private, T: float, N: int, flag: bool, eps: Epsilon") -> Sketch:
    lines = "\n".join(f"    {line}" for line in text.strip("\n").split("\n"))
    return parse(f"@sketch(adjacent=each_within(1))\ndef f({parameters}):\n{lines}\n")


def codes(text: str, **options) -> list[str]:
    with pytest.raises(SketchError) as caught:
        body(text, **options)
    return [fault.code for fault in caught.value.diagnostics]


# ---------------------------------------------------------------- what is accepted

ACCEPTED = [
    "T = T + Lap(hole)\nreturn T > 0",
    "q = [x + Lap(hole) for x in q]\nreturn q",
    "q = [x + Lap(len(q)/eps) for x in q]\nreturn q",
    "N += 1\nreturn N",
    "a = b = 1\nreturn a + b",
    "[a, b] = 1, 2\nreturn a - b",
    "a, = 1,\nreturn a",
    "x: int = 3\ny: 'whatever' = 4\nz: float\nreturn x + y",
    "e1 = eps / 2\ne2 = eps - e1\nreturn T + Lap(1 / e1)",
    "n = len(q)\nreturn T + Lap(3 * n / eps ** 2)",
    "return 0 < T < 1 <= 2",
    "return 0 < q[0] < len(q) - 1",
    "return T == None or None == T or T is None",
    "return +T, -T, - -1, -+2",
    "out = []\nout.insert(0, T)\nout.append(flag)\nout.append(None)\nreturn out",
    "for i in range(len(q) - 1, -1, -1):\n    if q[i] > 0:\n        return i\nreturn None",
    "for i in range(3):\n    i = i + 1\nreturn i",
    "for T in q:\n    pass\nreturn T",
    "x = 5\na = [x for x in q]\nreturn x",
    "a = [1]\nb = [a for a in q]\nreturn a[0] + b[0]",
    "while True:\n    if T > 3:\n        break\n    T = T + 1\nreturn T",
    "while True:\n    return T",
    "if T > 3:\n    return 1\nelif T > 2:\n    return 2\nelse:\n    return 3",
    "'a string on its own'\nreturn 1",
    "return q[-1] + q[- 1]",
    "return max(1, T, len(q)) - min(T, 2) + abs(-T) // 2 % 3",
    "m, v = None, None\nfor i in range(len(q)):\n    if v is None or q[i] > v:\n        m, v = i, q[i]\nreturn m",
    "m = None\nfor i in range(len(q)):\n    if m is not None:\n        k = m - 1\n        return q[k]\n    m = i\nreturn 0",
    "if flag:\n    out = [1]\nelse:\n    out = [2]\nreturn out",
    "if flag:\n    return 0\nelse:\n    out = []\nreturn out",
    "for x in q:\n    out = [x]\n    out.append(x)\nreturn 0",
    "sum = 0\nnext = 1\nprint = 2\nid = sum + next\nmonotone = 3\nSketch = 4\nreturn id",
    "return [i + Lap(hole) for i in range(N)]",
    "\u03b1 = T\n\ufb01 = 2\nreturn fi + α",  # Python reads the ligature as fi
    "return 1_000 + 0x10 + 1e3 + .5",
    "return (\n    T\n    + Lap(\n        hole\n    )\n)",
]


@pytest.mark.parametrize("text", ACCEPTED)
def test_accepted_programs_print_as_themselves(text):
    sketch = body(text)
    assert parse(str(sketch)) == sketch
    compile(str(sketch), "<printed>", "exec")


def test_statements_become_what_they_say():
    sketch = body("a = b = T\nfor x in q:\n    pass\nreturn -1, -T")
    assert sketch.body == (
        Assign(("a",), (Var("T"),)),
        Assign(("b",), (Var("a"),)),
        For("x", Var("q"), ()),
        Return(TupleOf((Const(Fraction(-1)), Negate(Var("T"))))),
    )


def test_numbers_are_exactly_what_was_written():
    values = body("return 0.1, 1e-3, 2.50, 0x10, 1_0").body[0].value.items
    assert [item.value for item in values] == [Fraction("0.1"), Fraction("0.001"), Fraction("2.5"), 16, 10]


def test_holes_and_sites_count_in_source_order():
    sketch = body(
        "t = Lap(hole)\na = [x + Exp(hole) for x in q]\nif Lap(2/eps) > t:\n    t = Lap(hole)\nreturn DiscreteLap(hole)"
    )
    assert [hole.label for hole in sketch.holes] == ["eta1", "eta2", "eta3", "eta4"]
    assert [(draw.site, draw.noise.value) for draw in sketch.draws] == [
        (0, "Lap"), (1, "Exp"), (2, "Lap"), (3, "Lap"), (4, "DiscreteLap"),
    ]  # fmt: skip
    assert [hole.span.line for hole in sketch.holes] == [3, 4, 6, 7]


def test_a_name_given_once_to_a_scale_stands_for_it():
    sketch = body("half = eps / 2\nn = len(q)\nreturn T + Lap(N * n / half)")
    assert sketch.draws[0].scale == parse_scale("2*N*len(q)/eps")


def test_a_comprehension_has_a_scope_of_its_own():
    sketch = body("x = 5\na = [x + 1 for x in q]\nreturn x")
    assert sketch.body[1] == Assign(("a",), (Comprehension(body("return x + 1", parameters="q: Private, x: float, eps: Epsilon").body[0].value, "x", Var("q")),))  # fmt: skip
    assert codes("a = [x for x in q]\nreturn x") == ["K201"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("T = T + 1\nreturn Lap(T / eps)", ["K114"]),
        ("N = 3\nreturn Lap(N / eps)", ["K114"]),
        ("if flag:\n    e = eps / 2\nreturn Lap(1 / e)", ["K114"]),
        ("for i in range(3):\n    T = T + Lap(i / eps)\nreturn T", ["K114"]),
        ("q = [1]\nreturn Lap(len(q) / eps)", ["K218"]),
        ("n = len(q)\nq = [1]\nreturn Lap(n / eps)", ["K218"]),
        ("q = [x for x in range(3)]\nreturn Lap(len(q) / eps)", ["K218"]),
        ("def g(x):\n    return x\nreturn g(T)", ["K101", "K102"]),
        ("return max(*q)", ["K122"]),
        ("return max(1, *q)", ["K103"]),
        ("a = 1; b = a.b; return b'x'", ["K103", "K118"]),
        ("while undefined(q):\n    pass\nreturn 0", ["K102"]),  # and not: this loop never ends
        ("for i in undefined(q):\n    if i:\n        return i\nreturn 0", ["K110"]),
    ],
)
def test_refused_programs(text, expected):
    assert codes(text) == expected


# ---------------------------------------------------------------- headers


@pytest.mark.parametrize(
    ("decorator", "relation"),
    [
        ("@sketch(adjacent=each_within(1))", EachWithin(Fraction(1))),
        ("@sketch(each_within(1))", EachWithin(Fraction(1))),
        ("@sketch(each_within(distance=1))", EachWithin(Fraction(1))),
        ("@sketch(adjacent=each_within(0.5))", EachWithin(Fraction(1, 2))),
        ("@sketch(adjacent=each_within(1/2))", EachWithin(Fraction(1, 2))),
        ("@sketch(adjacent=each_within(1/3))", EachWithin(Fraction(1, 3))),
        ("@sketch(adjacent=one_within(2**3))", OneWithin(Fraction(8))),
        ("@kolahal.sketch(adjacent=kolahal.one_within(2))", OneWithin(Fraction(2))),
    ],
)
def test_ways_to_write_the_decorator(decorator, relation):
    sketch = parse(f"import kolahal\n{decorator}\ndef f(q: Private, eps: Epsilon):\n    return 0\n")
    assert sketch.adjacency == relation
    assert parse(str(sketch)) == sketch


ALIASES = [
    ("from kolahal import Lap as L, hole as h\n", "L(h)"),
    ("import kolahal as k\n", "k.Lap(k.hole)"),
    ("import kolahal\n", "kolahal.Lap(kolahal.hole)"),
    ("from kolahal import *\n", "Lap(hole)"),
    ("from kolahal.lang.read.front import Lap as noise\n", "noise(hole)"),
    (
        "try:\n    from kolahal import Lap as L\nexcept ImportError:\n    from kolahal.lang.read.front import Lap as L\n",
        "L(hole)",
    ),
    ("", "Lap(hole)"),
]


@pytest.mark.parametrize(("imports", "call"), ALIASES)
def test_names_of_ours_are_followed_through_imports(imports, call):
    sketch = parse(f"{imports}@sketch(each_within(1))\ndef f(q: Private, eps: Epsilon):\n    return q[0] + {call}\n")
    assert str(sketch).endswith("return q[0] + Lap(hole)\n")


@pytest.mark.parametrize("imports", ["from elsewhere import Lap\n", "import elsewhere as Lap\n", "from . import Lap\n"])
def test_a_name_imported_from_elsewhere_is_not_ours(imports):
    with pytest.raises(SketchError, match=r":1:[0-9]+: error K144: `Lap` is given another meaning here"):
        parse(f"{imports}@sketch(each_within(1))\ndef f(q: Private, eps: Epsilon):\n    return q[0] + Lap(hole)\n")


def test_swapped_names_mean_what_they_were_imported_as():
    sketch = parse(
        "from kolahal import Exp as Lap\n@sketch(each_within(1))\ndef f(q: Private, eps: Epsilon):\n    return Lap(hole)\n"
    )
    assert sketch.draws[0].noise.value == "Exp"


@pytest.mark.parametrize(
    "parameters",
    [
        "q: Private, eps: Epsilon",
        "q: 'Private', eps: \"Epsilon\"",
        "q: kolahal.Private, eps: 'kolahal.Epsilon'",
        "eps: Epsilon, q: Private, N: 'int', T: float = -1.5, flag: bool = True",
        "q: Private, eps: Epsilon = 0.5",
        "q: Private, ε: Epsilon, größe: float = 1e-3",
    ],
)
def test_ways_to_write_the_parameters(parameters):
    sketch = parse(
        f"import kolahal\n@sketch(each_within(1))\ndef f({parameters}) -> 'anything at all':\n    return q[0]\n"
    )
    assert parse(str(sketch)) == sketch
    assert sketch.private.name == "q"


DOCUMENTS = [
    '"""One line."""',
    "'single quotes'",
    "r'''raw \\d \\ '''",
    '"""Ends with a quote\\""""',
    '"""Has \\"\\"\\" inside."""',
    '"""Back\\\\slash at the end\\\\"""',
    '"""Several lines.\n\n    An indented one.\n    """',
    '"""\n    The first line is empty.\n        And this is deeper.\n    """',
    '"""\n        Deeper first.\n    Then less.\n    """',
    '"""\\x00 \\x1b \\r \\u2028 \\ud800 ⊥"""',
    '""""""',
    '"""trailing spaces   \n    and tabs\\t\n    """',
]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_documentation_survives_printing(document):
    sketch = parse(f"@sketch(each_within(1))\ndef f(q: Private, eps: Epsilon):\n    {document}\n    return 0\n")
    again = parse(str(sketch))
    assert again.doc == sketch.doc
    assert sketch.doc is not None
    assert str(again) == str(sketch)


# ---------------------------------------------------------------- files


def test_line_ends_tabs_and_marks_do_not_matter(tmp_path):
    plain = "# größe\n@sketch(each_within(1))\ndef f(q: Private, eps: Epsilon):\n    if eps > 1:\n        return 1\n    return 0\n"
    expected = parse(plain)
    variants = {
        "crlf": plain.replace("\n", "\r\n").encode(),
        "cr": plain.replace("\n", "\r").encode(),
        "bom": b"\xef\xbb\xbf" + plain.encode(),
        "tabs": plain.replace("    ", "\t").encode(),
        "no newline at the end": plain.rstrip("\n").encode(),
        "latin-1": ("# coding: latin-1\n" + plain).encode("latin-1"),
        "form feed": plain.replace("@sketch", "\f\n@sketch").encode(),
    }
    for name, content in variants.items():
        path = tmp_path / "sketch.py"
        path.write_bytes(content)
        assert load_sketches(path) == (expected,), name
    assert parse("\ufeff" + plain.replace("\n", "\r\n")) == expected


def test_several_sketches_in_one_file(tmp_path):
    path = tmp_path / "many.py"
    one = "@sketch(each_within(1))\ndef {}(q: Private, eps: Epsilon):\n    return q[0] + Lap(hole)\n\n\n"
    nested = "if True:\n    @sketch(each_within(1))\n    def inner(q: Private, eps: Epsilon):\n        return 0\n\n\n"
    plain = "def helper(q):\n    return 0\n\n\nclass Thing:\n    pass\n\n\n"
    path.write_text(one.format("a") + plain + nested + one.format("b"))
    assert [s.name for s in load_sketches(path)] == ["a", "inner", "b"]
    assert [s.name for s in load_sketches(f"{path}:b")] == ["b"]
    with pytest.raises(UsageError, match="3 sketches: a, inner, b"):
        parse(path.read_text())


def test_a_path_may_contain_colons(tmp_path):
    path = tmp_path / "odd:name"
    path.write_text("@sketch(each_within(1))\ndef f(q: Private, eps: Epsilon):\n    return 0\n")
    assert load_sketches(path)[0].name == "f"
    assert load_sketches(f"{path}:f")[0].name == "f"


# ---------------------------------------------------------------- strangers


def test_parsing_never_executes(tmp_path):
    trap, path = tmp_path / "trap", tmp_path / "hostile.py"
    path.write_text(
        f"""
import pathlib
pathlib.Path({str(trap)!r}).write_text("executed")
raise SystemExit("executed")

def touch(function):
    pathlib.Path({str(trap)!r}).write_text("executed")
    return function

@sketch(adjacent=each_within(1))
def f(q: Private, T: float, eps: Epsilon) -> print(1 / 0):
    '''A sketch below a trap.'''
    return q[0] + T + Lap(hole)
"""
    )
    (sketch,) = load_sketches(path)
    assert sketch.name == "f"
    assert not trap.exists()
    path.write_text(path.read_text().replace("T: float", "T: (lambda: 1)() = touch(1)"))
    with pytest.raises(SketchError):
        load_sketches(path)
    assert not trap.exists()


HOSTILE = {
    "a name of Python's": "@sketch(each_within(1))\ndef __import__(q: Private, eps: Epsilon):\n    return 0\n",
    "builtins": "@sketch(each_within(1))\ndef __builtins__(q: Private, eps: Epsilon):\n    return 0\n",
    "attributes": "@sketch(each_within(1))\ndef f(q: Private, eps: Epsilon):\n    return q.__class__.__mro__\n",
    "a call": "@sketch(each_within(1))\ndef f(q: Private, eps: Epsilon):\n    return __import__('os').system('true')\n",
    "a tower of powers": "@sketch(each_within(1))\ndef f(q: Private, eps: Epsilon):\n    return Lap(" + "(" * 60 + "2" + "**16)" * 60 + ")\n",
    "a tower of chains": "@sketch(each_within(1))\ndef f(q: Private, eps: Epsilon):\n    return " + "0 < (" * 60 + "1" + ") < 2" * 60 + "\n",
    "a long number": "@sketch(each_within(1))\ndef f(q: Private, eps: Epsilon):\n    return 0x" + "f" * 500_000 + "\n",
    "a long default": "@sketch(each_within(1))\ndef f(q: Private, N: int = 0x" + "f" * 100_000 + ", *, eps: Epsilon):\n    return 0\n",
    "a long distance": "@sketch(each_within(0x" + "f" * 100_000 + "))\ndef f(q: Private, eps: Epsilon):\n    return 0\n",
    "wide characters": "@sketch(each_within(1))\ndef f(q: Private, eps: Epsilon):\n    return [1j, '日', " + "'本', " * 5000 + "]\n",
    "names in a ring": "@sketch(each_within(1))\ndef f(q: Private, eps: Epsilon):\n" + "".join(f"    a{i} = a{i + 1}\n" for i in range(1500)) + "    a1500 = b'x'\n    return a0\n",
    "many small faults": "@sketch(each_within(1))\ndef f(q: Private, eps: Epsilon):\n" + "    sum(q)\n" * 2000 + "    return 0\n",
    "many sketches": "".join(f"@sketch(each_within(1))\ndef f{i}(q: Private, eps: Epsilon):\n    sum(q)\n    return 0\n" for i in range(600)),
    "escape sequences": "@sketch(each_within(1))\ndef f(q: Private, eps: Epsilon):\n    return '\x1b]0;owned\x07'\n",
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_is_refused_quickly(name):
    started = time.process_time()
    with pytest.raises(SketchError) as caught:
        parse_source(Source("hostile.py", HOSTILE[name]))
    message = str(caught.value)
    assert time.process_time() - started < 5
    assert "\x1b" not in message


def check_fuzz(text: str) -> bool:
    """Text is sketches or a mistake of the user's; nothing else happens. What is accepted is Python."""
    try:
        sketches = parse_source(Source("fuzz.py", text))
    except KolahalError as error:
        assert str(error)
        return False
    functions = {node.name: node for node in ast.walk(parse_module(text)) if isinstance(node, ast.FunctionDef)}
    for sketch in sketches:
        compile(ast.Module([functions[sketch.name]], []), "fuzz.py", "exec", dont_inherit=True)
        assert parse(str(sketch)) == sketch
    return True


TOKENS = [
    "q", "eps", "T", "i", "x", "out", "hole", "Lap", "Exp", "len", "range", "max", "abs", "None", "True", "0", "1", "2.5",
    "1e999", "'s'", "(", ")", "[", "]", "{", "}", ",", ":", ".", "+", "-", "*", "/", "//", "%", "**", "=", "==", "<", ">=",
    "!=", "+=", ":=", "and", "or", "not", "is", "in", "if", "else", "elif", "for", "while", "return", "break", "continue",
    "lambda", "yield", "await", "def", "class", "import", "del", "global", "pass", "append", "insert", "@", "~", "*q", "...",
    "\n    ", "\n        ", "\n", "# c", "é", "ﬁ", "\\", "\t", ";", '"""', "\x00", "\x0c", "\u2028", "0x1f", "1j", "f'{q}'",
]  # fmt: skip


@settings(max_examples=200)
@given(st.sampled_from(GALLERY_TEXTS), st.integers(0, 2**32))
def test_mutated_sketches_are_read_or_refused(text, seed):
    rng = random.Random(seed)
    for _ in range(rng.randint(1, 6)):
        place = rng.randrange(len(text))
        cut = rng.choice([0, 0, 1, 1, 3, 8])
        text = text[:place] + rng.choice(["", *TOKENS, text[rng.randrange(len(text)) :][:12]]) + text[place + cut :]
    check_fuzz(text)


@settings(max_examples=200)
@given(st.lists(st.sampled_from(TOKENS), max_size=25))
@example(["q", "=", "q", "\n    ", "return", "q"])
def test_token_soup_is_read_or_refused(tokens):
    check_fuzz(
        "@sketch(each_within(1))\ndef f(q: Private, T: float, eps: Epsilon):\n    "
        + " ".join(tokens)
        + "\n    return 0\n"
    )


def test_mutations_of_the_tree_are_read_or_refused():
    """Whole expressions and statements change places, which mostly gives valid Python."""
    rng = random.Random(0)
    trees = [ast.parse(text) for text in GALLERY_TEXTS]
    donors = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.expr | ast.stmt)]
    accepted = 0
    for _ in range(300):
        tree = _Swap(rng, donors).visit(ast.parse(rng.choice(GALLERY_TEXTS)))
        accepted += check_fuzz(ast.unparse(ast.fix_missing_locations(tree)))
    assert 30 < accepted < 270, "both outcomes are exercised"


class _Swap(ast.NodeTransformer):
    def __init__(self, rng, donors):
        self.rng, self.donors = rng, donors

    def visit(self, node):
        kinds = (ast.stmt, ast.expr) if isinstance(node, ast.stmt | ast.expr) else ()
        for kind in kinds:
            if isinstance(node, kind) and not isinstance(node, ast.FunctionDef) and self.rng.random() < 0.01:
                fitting = [d for d in self.donors if isinstance(d, kind) and not isinstance(d, ast.FunctionDef)]
                return self.rng.choice(fitting)
        return self.generic_visit(node)
