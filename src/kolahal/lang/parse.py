"""Python source → sketches. A list of what exists: whatever has no arm here is refused, with place and remedy.

The text is parsed with `ast` and never imported or executed.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from fractions import Fraction

from kolahal.errors import UsageError
from kolahal.lang import ir
from kolahal.lang.adjacency import RELATIONS, Adjacency, EachWithin
from kolahal.lang.check import check
from kolahal.lang.ir import Binary, Block, Const, Draw, Expr, Hole, Stmt, Var
from kolahal.lang.noise import Noise
from kolahal.lang.scale import NotAScale, Scale, exact, scale_of
from kolahal.lang.sketch import Parameter, Role, Sketch, Type
from kolahal.lang.source import Diagnostic, SketchError, Source, Span, refuse_file

DEEPEST = 150  # nested blocks and operators; a + b + c nests as deep as it has terms

NOISES = {noise.value: noise for noise in Noise}
OURS = frozenset(NOISES) | frozenset(RELATIONS) | {"hole", "sketch", "Private", "Epsilon"}
RESERVED = frozenset(NOISES) | {"hole", "len", "range", "max", "min", "abs", "list", "kolahal"}

ARITHMETIC: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
}
COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}
SIGNS: dict[type[ast.operator], str] = {
    ast.Pow: "**",
    ast.MatMult: "@",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
}
STATEMENTS = {
    "Try": "try",
    "TryStar": "try",
    "With": "with",
    "AsyncWith": "async with",
    "AsyncFor": "async for",
    "FunctionDef": "def",
    "AsyncFunctionDef": "async def",
    "ClassDef": "class",
    "Import": "import",
    "ImportFrom": "import",
    "Raise": "raise",
    "Assert": "assert",
    "Delete": "del",
    "Global": "global",
    "Nonlocal": "nonlocal",
    "Match": "match",
}
EXPRESSIONS = {
    "Lambda": "a lambda",
    "IfExp": "a conditional expression",
    "Dict": "a dictionary",
    "Set": "a set",
    "SetComp": "a set comprehension",
    "DictComp": "a dictionary comprehension",
    "GeneratorExp": "a generator",
    "Await": "await",
    "Yield": "yield",
    "YieldFrom": "yield from",
    "JoinedStr": "an f-string",
    "NamedExpr": "an assignment inside an expression",
    "Starred": "a starred expression",
    "Attribute": "an attribute",
}


def parse_source(source: Source) -> tuple[Sketch, ...]:
    """All sketches of a source, in order; raises SketchError with every fault of all of them."""
    tree = _tree(source)
    aliases = _aliases(tree)
    found: list[Sketch] = []
    faults: list[Diagnostic] = []
    for node, decorator in _decorated(tree, aliases):
        parser = _Parser(source, aliases)
        sketch = parser.sketch(node, decorator)
        faults += parser.faults
        if sketch is not None:
            found.append(sketch)
    if faults:
        raise SketchError(source, tuple(faults))
    if not found:
        empty = not source.text.strip()
        raise refuse_file(
            source.path,
            "K007",
            "the file is empty" if empty else "there is no sketch in this file",
            "A sketch is a function with the decorator @sketch(adjacent=…).",
            "Write @sketch(adjacent=each_within(1)) above the function.",
        )
    return tuple(found)


def parse(text: str, path: str = "<text>") -> Sketch:
    """The one sketch of a text."""
    sketches = parse_source(Source(path, text))
    if len(sketches) != 1:
        raise UsageError(f"{path} has {len(sketches)} sketches: {', '.join(s.name for s in sketches)}")
    return sketches[0]


def choose(sketches: tuple[Sketch, ...], source: Source, name: str) -> Sketch:
    """The sketch called `name`."""
    for sketch in sketches:
        if sketch.name == name:
            return sketch
    have = ", ".join(s.name for s in sketches)
    raise refuse_file(
        source.path,
        "K008",
        f"there is no sketch called {name} in this file",
        f"The file has: {have}.",
        f"Write for example {source.path}:{sketches[0].name}.",
    )


def _tree(source: Source) -> ast.Module:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an odd escape in a stranger's string is not our business
            return ast.parse(source.text)
    except SyntaxError as error:
        line = (error.lineno or 1) + source.first_line - 1
        raise SketchError(
            source,
            (
                Diagnostic(
                    "K005",
                    Span(line, max(1, error.offset or 1)),
                    f"this is not Python: {error.msg}",
                    "The file must be valid Python before it can be read as a sketch.",
                    "Mend the syntax at this place.",
                ),
            ),
        ) from None
    except (RecursionError, MemoryError):
        raise _too_deep(source, Span(source.first_line, 1)) from None
    except ValueError as error:  # a NUL character
        raise refuse_file(
            source.path,
            "K005",
            f"this is not Python: {error}",
            "The file must be valid Python.",
            "Remove the character.",
        ) from None


def _too_deep(source: Source, span: Span) -> SketchError:
    return SketchError(
        source,
        (
            Diagnostic(
                "K006",
                span,
                f"this is nested more than {DEEPEST} levels deep",
                "Programs of that shape are not read, so that a hostile file cannot exhaust the machine.",
                "Give parts of it names of their own.",
            ),
        ),
    )


def _aliases(tree: ast.Module) -> dict[str, str]:
    """Local name → our name, from the imports; a name of ours stands for itself where nothing is imported."""
    aliases = {name: name for name in OURS} | {"kolahal": "kolahal"}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module == "kolahal":
            for item in node.names:
                if item.name in OURS:
                    aliases[item.asname or item.name] = item.name
        elif isinstance(node, ast.Import):
            for item in node.names:
                if item.name == "kolahal" and item.asname:
                    aliases[item.asname] = "kolahal"
    return aliases


def _our_name(node: ast.AST, aliases: dict[str, str]) -> str | None:
    """Which of our names an expression is: `Lap`, an alias of it, or `kolahal.Lap`."""
    match node:
        case ast.Name(id=name):
            return aliases.get(name)
        case ast.Attribute(value=ast.Name(id=module), attr=name) if aliases.get(module) == "kolahal" and name in OURS:
            return name
        case ast.Constant(value=str() as text) if text in aliases:  # a quoted annotation
            return aliases[text]
        case _:
            return None


def _decorated(
    tree: ast.Module, aliases: dict[str, str]
) -> Iterator[tuple[ast.FunctionDef | ast.AsyncFunctionDef, ast.expr]]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            for decorator in node.decorator_list:
                called = decorator.func if isinstance(decorator, ast.Call) else decorator
                if not isinstance(called, ast.Constant) and _our_name(called, aliases) == "sketch":
                    yield node, decorator
                    break


class _Refused(Exception):
    """Unwinds to the nearest statement, so that one fault does not hide the others."""


class _Parser:
    """One function. Faults are collected; what comes after a faulty statement is still read."""

    def __init__(self, source: Source, aliases: dict[str, str]):
        self.source = source
        self.aliases = aliases
        self.faults: list[Diagnostic] = []
        self.lines = source.text.splitlines()
        self.holes = 0
        self.sites = 0
        self.loops = 0
        self.depth = 0
        self.known: dict[str, Scale] = {}
        self.lost: set[str] = set()  # names whose value stands in a statement that was refused

    # ---- faults

    def span(self, node: ast.AST) -> Span:
        line = getattr(node, "lineno", 1)
        start = getattr(node, "col_offset", 0)
        end = getattr(node, "end_col_offset", start + 1)
        text = self.lines[line - 1] if line <= len(self.lines) else ""
        raw = text.encode()
        column = len(raw[:start].decode(errors="replace")) + 1
        same_line = getattr(node, "end_lineno", line) == line
        width = len(raw[start:end].decode(errors="replace")) if same_line else max(1, len(text) - column + 1)
        return Span(line + self.source.first_line - 1, column, max(1, width))

    def fault(self, code: str, node: ast.AST, what: str, why: str, fix: str) -> None:
        self.faults.append(Diagnostic(code, self.span(node), what, why, fix))

    def refuse(self, code: str, node: ast.AST, what: str, why: str, fix: str) -> _Refused:
        self.fault(code, node, what, why, fix)
        return _Refused()

    # ---- the function

    def sketch(self, node: ast.FunctionDef | ast.AsyncFunctionDef, decorator: ast.expr) -> Sketch | None:
        if isinstance(node, ast.AsyncFunctionDef):
            self.fault(
                "K134",
                node,
                "a sketch cannot be `async`",
                "A sketch runs from top to bottom, with nothing to wait for.",
                "Write `def` instead of `async def`.",
            )
        adjacency = self.decorators(node, decorator)
        parameters = self.parameters(node)
        if node.name in RESERVED:
            self.shadowed(node, node.name)
        self.find_constants(node, parameters)
        body = list(node.body)
        doc = ast.get_docstring(node, clean=True)
        if doc is not None:
            body = body[1:]
        block = self.block(body)
        roles = {p.role for p in parameters}
        if not {Role.PRIVATE, Role.EPSILON} <= roles:
            return None
        found = Sketch(
            node.name, parameters, adjacency or EachWithin(Fraction(1)), block, doc, self.source, self.span(node)
        )
        # Kinds are checked even where something was refused, so that all faults show in one go.
        self.faults += check(found, frozenset(self.lost) if self.faults else None)
        return None if self.faults else found

    def decorators(self, node: ast.FunctionDef | ast.AsyncFunctionDef, ours: ast.expr) -> Adjacency | None:
        for other in node.decorator_list:
            if other is not ours:
                self.fault(
                    "K133",
                    other,
                    "a sketch has only the decorator @sketch",
                    "Another decorator could change what the function does.",
                    "Remove it, or put it on a function that calls the finished mechanism.",
                )
        missing = (
            "K130",
            ours,
            "the decorator does not say which databases are neighbours",
            "Privacy is relative to a relation between databases.",
            "Write @sketch(adjacent=each_within(1)), or one_within, sum_within, monotone.",
        )
        if not isinstance(ours, ast.Call):
            self.fault(*missing)
            return None
        given: ast.expr | None = None
        for value in ours.args:
            if given is not None or isinstance(value, ast.Starred):
                self.fault(
                    "K130",
                    value,
                    "@sketch takes one relation",
                    "Neighbours are defined by one relation.",
                    "Keep one of them.",
                )
                return None
            given = value
        for keyword in ours.keywords:
            if keyword.arg == "adjacent" and given is None:
                given = keyword.value
            else:
                self.fault(
                    "K130",
                    keyword.value,
                    f"@sketch does not take `{keyword.arg or '**'}` here",
                    "It takes `adjacent` only, once.",
                    "Write @sketch(adjacent=each_within(1)).",
                )
                return None
        if given is None:
            self.fault(*missing)
            return None
        return self.relation(given)

    def relation(self, node: ast.expr) -> Adjacency | None:
        name = _our_name(node.func, self.aliases) if isinstance(node, ast.Call) else None
        if not isinstance(node, ast.Call) or name not in RELATIONS:
            self.fault(
                "K131",
                node,
                f"`{_clip(node)}` is not a relation between databases",
                f"The relations are {', '.join(RELATIONS)}, each with a distance.",
                "Write for example each_within(1).",
            )
            return None
        values = node.args + [k.value for k in node.keywords if k.arg in ("d", "distance")]
        if len(values) != 1 or len(node.args) + len(node.keywords) != 1:
            self.fault(
                "K132",
                node,
                f"`{name}` takes one distance",
                "The distance is how far an answer may move between neighbours.",
                f"Write for example {name}(1).",
            )
            return None
        try:
            distance = scale_of(values[0], {})
        except NotAScale:
            distance = Scale(Fraction(0))
        if not distance or distance.powers or distance.coefficient < 0:
            self.fault(
                "K132",
                values[0],
                "the distance must be a number above 0",
                "It is how far an answer may move between neighbours.",
                f"Write for example {name}(1).",
            )
            return None
        return RELATIONS[name](distance.coefficient)

    def parameters(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> tuple[Parameter, ...]:
        args = node.args
        for odd in [args.vararg, args.kwarg, *args.kwonlyargs, *args.posonlyargs]:
            if odd is not None:
                self.fault(
                    "K135",
                    odd,
                    f"the parameter `{odd.arg}` is not a plain one",
                    "A sketch has a fixed list of named parameters.",
                    "Write every parameter by name, without *, ** or /.",
                )
        defaults: list[ast.expr | None] = [None] * (len(args.args) - len(args.defaults)) + list(args.defaults)
        found = [self.parameter(arg, default) for arg, default in zip(args.args, defaults, strict=True)]
        parameters = tuple(p for p in found if p is not None)
        for role, example in ((Role.PRIVATE, "q: Private"), (Role.EPSILON, "eps: Epsilon")):
            named = [arg for arg, p in zip(args.args, found, strict=True) if p is not None and p.role is role]
            if not named and len(parameters) == len(found):
                self.fault(
                    "K137",
                    node,
                    f"no parameter is marked `{role.value}`",
                    "A sketch has one private input and one privacy budget.",
                    f"Annotate it: {example}.",
                )
            for extra in named[1:]:
                self.fault(
                    "K138",
                    extra,
                    f"a second parameter is marked `{role.value}`",
                    "A sketch has one private input and one privacy budget.",
                    "Put all private answers into one list." if role is Role.PRIVATE else "Keep one of them.",
                )
        return parameters

    def parameter(self, arg: ast.arg, default: ast.expr | None) -> Parameter | None:
        if arg.arg in RESERVED:
            self.shadowed(arg, arg.arg)
        note = arg.annotation
        ours = _our_name(note, self.aliases) if note is not None else None
        plain = note.id if isinstance(note, ast.Name) else note.value if isinstance(note, ast.Constant) else None
        if ours == "Private":
            role, type_ = Role.PRIVATE, Type.VECTOR
        elif ours == "Epsilon":
            role, type_ = Role.EPSILON, Type.FLOAT
        elif plain in ("int", "float", "bool"):
            role, type_ = Role.ARGUMENT, Type(plain)
        else:
            what = "has no type" if note is None else f"has a type that a sketch does not know: `{_clip(note)}`"
            self.fault(
                "K136",
                note or arg,
                f"the parameter `{arg.arg}` {what}",
                "The type says whether it is private, the budget, or a public argument.",
                f"Write {arg.arg}: Private, {arg.arg}: Epsilon, or int, float, bool for a public argument.",
            )
            return None
        return Parameter(arg.arg, role, type_, self.default(default, role, type_) if default is not None else None)

    def default(self, node: ast.expr, role: Role, type_: Type) -> Fraction | bool | None:
        value: object = None
        try:
            value = self.expression(node)
        except _Refused:
            self.faults.pop()
        constant = value.value if isinstance(value, Const) else None
        good = isinstance(constant, bool) if type_ is Type.BOOL else isinstance(constant, Fraction)
        if isinstance(constant, Fraction):
            good = good and (type_ is not Type.INT or constant.denominator == 1)
            good = good and (role is not Role.EPSILON or constant > 0)
        if role is Role.PRIVATE or not good:
            self.fault(
                "K140",
                node,
                f"`{_clip(node)}` cannot be a default here",
                "A default is a representative value of a public argument.",
                "Remove it."
                if role is Role.PRIVATE
                else f"Write a plain {type_.value}" + (" above 0." if role is Role.EPSILON else "."),
            )
            return None
        return constant

    def shadowed(self, node: ast.AST, name: str) -> None:
        self.fault(
            "K141",
            node,
            f"`{name}` has a meaning of its own in a sketch",
            "Giving the name to something else would hide that meaning.",
            "Choose another name.",
        )

    def find_constants(self, node: ast.FunctionDef | ast.AsyncFunctionDef, parameters: tuple[Parameter, ...]) -> None:
        """The names a scale may use: public parameters that never change, and names given once to such a scale."""
        times: dict[str, int] = {}
        for part in ast.walk(node):
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                times[part.id] = times.get(part.id, 0) + 1
        for p in parameters:
            if p.role is Role.PRIVATE:
                self.known[f"len({p.name})"] = Scale(Fraction(1), ((f"len({p.name})", 1),))
            elif p.type is not Type.BOOL and p.name not in times:
                self.known[p.name] = Scale(Fraction(1), ((p.name, 1),))
        for statement in node.body:
            if (
                isinstance(statement, ast.Assign)
                and len(statement.targets) == 1
                and isinstance(statement.targets[0], ast.Name)
            ):
                name = statement.targets[0].id
                if times.get(name) == 1 and name not in {p.name for p in parameters}:
                    try:
                        self.known[name] = scale_of(statement.value, self.known)
                    except (NotAScale, RecursionError):
                        continue

    # ---- statements

    def block(self, nodes: list[ast.stmt]) -> Block:
        self.depth += 1
        if self.depth > DEEPEST:
            raise _too_deep(self.source, self.span(nodes[0]))
        statements: list[Stmt] = []
        for node in nodes:
            try:
                statements += self.statement(node)
            except _Refused:
                self.lost |= {
                    part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
                }
        self.depth -= 1
        return tuple(statements)

    def statement(self, node: ast.stmt) -> list[Stmt]:
        span = self.span(node)
        match node:
            case ast.Pass():
                return []
            case ast.Assign(targets, value):
                return self.assignment(node, targets, value)
            case ast.AnnAssign(target=ast.Name() as target, value=value):
                if value is None:
                    return []
                return self.assignment(node, [target], value)
            case ast.AugAssign(target=ast.Name(id=name) as target, op=op, value=value):
                self.bindable(target, name)
                sign = self.arithmetic(node, op)
                return [
                    ir.Assign(
                        (name,),
                        (Binary(sign, Var(name, span=self.span(target)), self.expression(value), span=span),),
                        span=span,
                    )
                ]
            case ast.AnnAssign(target=target) | ast.AugAssign(target=target):
                raise self.bad_target(target)
            case ast.If(test, then, orelse):
                condition = self.guarded(test)
                return [ir.If(condition, self.block(then), self.block(orelse), span=span)]
            case ast.While(test, body, orelse):
                self.no_else(node, orelse)
                condition = self.guarded(test)
                return [ir.While(condition, self.loop(body), span=span)]
            case ast.For(target, iterable, body, orelse):
                self.no_else(node, orelse)
                if not isinstance(target, ast.Name):
                    self.fault(
                        "K110",
                        target,
                        "a loop has one plain variable",
                        "Each turn gives one number.",
                        "Write `for i in range(len(q)):` and take q[i] in the body.",
                    )
                    self.lost |= {part.id for part in ast.walk(target) if isinstance(part, ast.Name)}
                    self.loop(body)
                    return []
                self.bindable(target, target.id)
                over = self.guarded_iterable(iterable)
                return [ir.For(target.id, over, self.loop(body), span=span)]
            case ast.Break() | ast.Continue():
                word = "break" if isinstance(node, ast.Break) else "continue"
                if not self.loops:
                    raise self.refuse(
                        "K124",
                        node,
                        f"`{word}` stands outside a loop",
                        "There is no loop that it could leave or repeat.",
                        "Remove it.",
                    )
                return [ir.Break(span=span) if isinstance(node, ast.Break) else ir.Continue(span=span)]
            case ast.Return(value):
                if value is None:
                    raise self.refuse(
                        "K120",
                        node,
                        "`return` gives nothing back",
                        "Every run of a sketch ends with an answer.",
                        "Write `return None` if the answer is None.",
                    )
                if isinstance(value, ast.Tuple):
                    if not value.elts:
                        raise self.refuse(
                            "K120",
                            node,
                            "`return` gives nothing back",
                            "Every run of a sketch ends with an answer.",
                            "Return a value.",
                        )
                    return [
                        ir.Return(
                            ir.TupleOf(tuple(self.expression(e) for e in value.elts), span=self.span(value)), span=span
                        )
                    ]
                return [ir.Return(self.expression(value), span=span)]
            case ast.Expr(ast.Call(ast.Attribute(ast.Name(id=name), method), args, keywords)) if (
                name not in self.aliases
            ):
                return [self.method(node, name, method, args, keywords)]
            case ast.Expr(ast.Constant(value=str())):
                return []
            case ast.Expr(value):
                self.expression(value)
                raise self.refuse(
                    "K101",
                    node,
                    "this value is computed and then lost",
                    "A statement of a sketch assigns, branches, loops or returns.",
                    "Assign it to a name, or remove it.",
                )
            case _:
                word = STATEMENTS.get(type(node).__name__, type(node).__name__.lower())
                raise self.refuse(
                    "K101",
                    node,
                    f"a sketch has no `{word}` statement",
                    "A sketch has assignments, if, while, for, break, continue, append and return.",
                    "Write it with these, or do it outside the sketch.",
                )

    def guarded(self, node: ast.expr) -> Expr:
        """A condition; if it is at fault the block behind it is still read."""
        try:
            return self.expression(node)
        except _Refused:
            return Const(True)

    def guarded_iterable(self, node: ast.expr) -> Var | ir.Range:
        try:
            return self.iterable(node)
        except _Refused:
            return ir.Range(Const(Fraction(0)), Const(Fraction(0)), Const(Fraction(1)))

    def loop(self, body: list[ast.stmt]) -> Block:
        self.loops += 1
        block = self.block(body)
        self.loops -= 1
        return block

    def no_else(self, node: ast.stmt, orelse: list[ast.stmt]) -> None:
        if orelse:
            self.fault(
                "K109",
                orelse[0],
                "a loop has no `else`",
                "Whether it runs depends on how the loop ended, which readers miss.",
                "Set a flag before `break`, and test it after the loop.",
            )

    def bindable(self, node: ast.AST, name: str) -> None:
        if name in RESERVED:
            self.shadowed(node, name)

    def bad_target(self, node: ast.expr) -> _Refused:
        if isinstance(node, ast.Subscript):
            return self.refuse(
                "K107",
                node,
                "an item of a list cannot be assigned",
                "Lists of a sketch only grow, so that runs can be compared item by item.",
                "Build a new list with append, or use a variable of its own.",
            )
        return self.refuse(
            "K107",
            node,
            f"`{_clip(node)}` cannot be assigned",
            "Only plain names hold values in a sketch.",
            "Assign to a name.",
        )

    def assignment(self, node: ast.stmt, targets: list[ast.expr], value: ast.expr) -> list[Stmt]:
        span = self.span(node)
        first, *others = targets
        if isinstance(first, ast.Tuple | ast.List):
            if others:
                raise self.refuse(
                    "K108",
                    node,
                    "names are unpacked and assigned in one go",
                    "The order of such assignments is easy to misread.",
                    "Write two assignments.",
                )
            if not isinstance(value, ast.Tuple | ast.List) or len(value.elts) != len(first.elts):
                raise self.refuse(
                    "K108",
                    node,
                    f"{len(first.elts)} names need {len(first.elts)} values, written out",
                    "A sketch unpacks only values that stand on the same line.",
                    "Write for example `m, v = None, None`.",
                )
            names = [self.target(t) for t in first.elts]
            if len(set(names)) != len(names):
                raise self.refuse(
                    "K108",
                    first,
                    "a name is assigned twice here",
                    "Only the last value would stay.",
                    "Use each name once.",
                )
            return [ir.Assign(tuple(names), tuple(self.expression(e) for e in value.elts), span=span)]
        names = [self.target(t) for t in targets]
        statements: list[Stmt] = [ir.Assign((names[0],), (self.expression(value),), span=span)]
        for previous, name in zip(names, names[1:], strict=False):
            statements.append(ir.Assign((name,), (Var(previous, span=span),), span=span))
        return statements

    def target(self, node: ast.expr) -> str:
        if not isinstance(node, ast.Name):
            raise self.bad_target(node)
        self.bindable(node, node.id)
        return node.id

    def method(self, node: ast.stmt, name: str, method: str, args: list[ast.expr], keywords: list[ast.keyword]) -> Stmt:
        span = self.span(node)
        if keywords or any(isinstance(a, ast.Starred) for a in args):
            raise self.refuse(
                "K122",
                node,
                f"`{method}` takes plain values only",
                "Keyword and starred arguments are not part of the language.",
                f"Write {name}.append(x) or {name}.insert(0, x).",
            )
        match method, args:
            case "append", [value]:
                return ir.Append(name, self.expression(value), front=False, span=span)
            case "insert", [ast.Constant(value=0), value]:
                return ir.Append(name, self.expression(value), front=True, span=span)
            case "insert", [_, _]:
                raise self.refuse(
                    "K116",
                    node,
                    "`insert` puts an item at the front only",
                    "Lists of a sketch grow at their two ends.",
                    f"Write {name}.insert(0, x) or {name}.append(x).",
                )
            case _:
                raise self.refuse(
                    "K106",
                    node,
                    f"a sketch has no `{name}.{method}(…)` with {len(args)} values",
                    "Lists have append(x) and insert(0, x).",
                    f"Write {name}.append(x) or {name}.insert(0, x).",
                )

    # ---- expressions

    def arithmetic(self, node: ast.AST, op: ast.operator) -> str:
        if type(op) not in ARITHMETIC:
            sign = SIGNS.get(type(op), type(op).__name__)
            raise self.refuse(
                "K104",
                node,
                f"a sketch has no operator `{sign}`",
                "Arithmetic is + - * / // %.",
                "Write x * x for a square; `**` stands only inside a noise scale."
                if sign == "**"
                else "Write it with these.",
            )
        return ARITHMETIC[type(op)]

    def expression(self, node: ast.expr) -> Expr:
        self.depth += 1
        if self.depth > DEEPEST:
            raise _too_deep(self.source, self.span(node))
        try:
            return self.expression_at(node, self.span(node))
        finally:
            self.depth -= 1

    def expression_at(self, node: ast.expr, span: Span) -> Expr:
        if _our_name(node, self.aliases) == "hole" and not isinstance(node, ast.Constant):
            raise self.refuse(
                "K115",
                node,
                "`hole` stands outside a noise call",
                "A hole is an unknown scale of noise, nothing else.",
                "Write Lap(hole) or Exp(hole).",
            )
        match node:
            case ast.Constant(value=bool() | None as value):
                return Const(value, span=span)
            case ast.Constant(value=int() | float() as value):
                number = exact(value, ast.unparse(node))
                if number is None:
                    raise self.refuse(
                        "K118",
                        node,
                        "this number is too large",
                        "Numbers of a sketch fit into a double.",
                        "Write a smaller number.",
                    )
                return Const(number, span=span)
            case ast.Constant(value=value):
                raise self.refuse(
                    "K118",
                    node,
                    f"a sketch has no {type(value).__name__} values",
                    "Values are numbers, True, False, None and lists of these.",
                    "Use a number or a truth value instead.",
                )
            case ast.Name(id=name):
                if name in RESERVED or self.aliases.get(name) in NOISES:
                    raise self.refuse(
                        "K103",
                        node,
                        f"`{name}` is not a value",
                        "It has a meaning only where it is called.",
                        f"Write for example {name}(…).",
                    )
                return Var(name, span=span)
            case ast.BinOp(left, op, right):
                return Binary(self.arithmetic(node, op), self.expression(left), self.expression(right), span=span)
            case ast.UnaryOp(ast.USub(), operand):
                inner = self.expression(operand)
                if isinstance(inner, Const) and isinstance(inner.value, Fraction) and isinstance(operand, ast.Constant):
                    return Const(-inner.value, span=span)
                return ir.Negate(inner, span=span)
            case ast.UnaryOp(ast.UAdd(), operand):
                return self.expression(operand)
            case ast.UnaryOp(ast.Not(), operand):
                return ir.Not(self.expression(operand), span=span)
            case ast.UnaryOp():
                raise self.refuse(
                    "K104",
                    node,
                    "a sketch has no operator `~`",
                    "Arithmetic is + - * / // %.",
                    "Use `not` for truth values.",
                )
            case ast.BoolOp(op, values):
                word = "and" if isinstance(op, ast.And) else "or"
                result = self.expression(values[0])
                for value in values[1:]:
                    result = Binary(word, result, self.expression(value), span=span)
                return result
            case ast.Compare(left, ops, comparators):
                return self.comparison(node, [left, *comparators], ops)
            case ast.Call():
                return self.call(node)
            case ast.Subscript(value, ast.Slice()):
                raise self.refuse(
                    "K119",
                    node,
                    "a sketch has no slices",
                    "Lists are read one item at a time.",
                    "Loop over the places that you need.",
                )
            case ast.Subscript(ast.Name(id=name) as value, place):
                return ir.Index(Var(name, span=self.span(value)), self.expression(place), span=span)
            case ast.List(elts):
                return ir.ListOf(tuple(self.expression(e) for e in elts), span=span)
            case ast.ListComp(item, generators):
                return self.comprehension(node, item, generators)
            case ast.Tuple():
                raise self.refuse(
                    "K103",
                    node,
                    "a tuple stands only in `return` and in `a, b = x, y`",
                    "Values are numbers, True, False, None and lists of these.",
                    "Use a list, or names of their own.",
                )
            case _:
                what = EXPRESSIONS.get(type(node).__name__, f"`{_clip(node)}`")
                raise self.refuse(
                    "K103",
                    node,
                    f"a sketch has no place for {what}",
                    "Expressions are numbers, names, arithmetic, comparisons, and/or/not, items, lists and noise.",
                    "Write it with assignments and `if`.",
                )

    def comparison(self, node: ast.Compare, parts: list[ast.expr], ops: list[ast.cmpop]) -> Expr:
        span = self.span(node)
        links: list[Expr] = []
        for left, op, right in zip(parts, ops, parts[1:], strict=False):
            # In a chain each middle part stands in two comparisons but is computed once.
            if len(ops) > 1 and right is not parts[-1] and not isinstance(right, ast.Name | ast.Constant):
                raise self.refuse(
                    "K121",
                    right,
                    "the middle of a chained comparison must be a name or a number",
                    "It would be computed twice.",
                    "Give it a name first, or write two comparisons with `and`.",
                )
            if isinstance(op, ast.Is | ast.IsNot):
                if not (isinstance(right, ast.Constant) and right.value is None):
                    raise self.refuse(
                        "K105",
                        node,
                        "`is` compares with None only",
                        "Numbers and truth values are compared by value.",
                        "Write == or !=.",
                    )
                test: Expr = ir.IsNone(self.expression(left), span=span)
                links.append(ir.Not(test, span=span) if isinstance(op, ast.IsNot) else test)
            elif type(op) in COMPARISONS:
                links.append(Binary(COMPARISONS[type(op)], self.expression(left), self.expression(right), span=span))
            else:
                raise self.refuse(
                    "K105",
                    node,
                    "a sketch has no `in`",
                    "Comparisons are < <= > >= == != and `is None`.",
                    "Loop over the list and compare.",
                )
        result = links[0]
        for link in links[1:]:
            result = Binary("and", result, link, span=span)
        return result

    def call(self, node: ast.Call) -> Expr:
        span = self.span(node)
        ours = _our_name(node.func, self.aliases)
        if ours in NOISES:
            return self.noise(node, NOISES[ours])
        if node.keywords or any(isinstance(a, ast.Starred) for a in node.args):
            raise self.refuse(
                "K122",
                node,
                f"`{_clip(node.func)}` takes plain values only",
                "Keyword and starred arguments are not part of the language.",
                "Write the values in order.",
            )
        name = node.func.id if isinstance(node.func, ast.Name) else None
        match name, node.args:
            case "len", [ast.Name(id=of) as inner]:
                return ir.Length(Var(of, span=self.span(inner)), span=span)
            case (("max" | "min"), [_, _, *_]):
                return ir.Call(str(name), tuple(self.expression(a) for a in node.args), span=span)
            case "abs", [value]:
                return ir.Call("abs", (self.expression(value),), span=span)
            case (("len" | "max" | "min" | "abs"), args):
                want = {"len": "one list, by its name", "abs": "one number"}.get(str(name), "two numbers or more")
                raise self.refuse(
                    "K122",
                    node,
                    f"`{name}` takes {want}, and {len(args)} {'was' if len(args) == 1 else 'were'} given",
                    "Calls of a sketch are len(q), max(a, b), min(a, b) and abs(a).",
                    "Loop over the list for its maximum or minimum.",
                )
            case "range", _:
                raise self.refuse(
                    "K103",
                    node,
                    "`range` stands only in a loop",
                    "It is not a value.",
                    "Write `for i in range(len(q)):`.",
                )
            case _:
                raise self.refuse(
                    "K102",
                    node,
                    f"a sketch has no `{_clip(node.func)}(…)` call",
                    "Calls of a sketch are len, max, min, abs, range, and the noises Lap and Exp.",
                    "Write it out with a loop and arithmetic."
                    if name == "sum"
                    else "Write it out, or do it outside the sketch.",
                )

    def noise(self, node: ast.Call, noise: Noise) -> Expr:
        if len(node.args) != 1 or node.keywords or isinstance(node.args[0], ast.Starred):
            raise self.refuse(
                "K113",
                node,
                f"`{noise.value}` takes one value, the scale",
                "The centre is added to it: q[i] + Lap(hole).",
                f"Write {noise.value}(hole) or {noise.value}(2/eps).",
            )
        argument = node.args[0]
        site, self.sites = self.sites, self.sites + 1
        if _our_name(argument, self.aliases) == "hole" and not isinstance(argument, ast.Constant):
            index, self.holes = self.holes, self.holes + 1
            return Draw(noise, Hole(index, span=self.span(argument)), site, span=self.span(node))
        if any(_our_name(part, self.aliases) == "hole" for part in ast.walk(argument)):
            raise self.refuse(
                "K112",
                argument,
                "a hole must be the whole scale",
                "Kolahal chooses the complete scale, so a part of one cannot be kept.",
                f"Write {noise.value}(hole), and give the factor to the grammar.",
            )
        try:
            scale = scale_of(argument, self.known)
        except NotAScale as error:
            raise self.refuse(
                "K114",
                error.node,
                f"this is not a scale: {error}",
                "A scale is a number times powers of eps, of public arguments and of len(q), the same for the whole run.",
                "Write for example 2/eps or 4*N/eps.",
            ) from None
        if scale.coefficient <= 0:
            raise self.refuse(
                "K114",
                argument,
                "this is not a scale: it must be above 0",
                "Noise of scale 0 is no noise.",
                "Remove the noise, or give it a positive scale.",
            )
        return Draw(noise, scale, site, span=self.span(node))

    def comprehension(self, node: ast.ListComp, item: ast.expr, generators: list[ast.comprehension]) -> Expr:
        first = generators[0]
        if len(generators) != 1 or first.ifs or first.is_async or not isinstance(first.target, ast.Name):
            raise self.refuse(
                "K117",
                node,
                "a comprehension has one `for` with one name, and no `if`",
                "It stands for one vector with an item for each turn.",
                "Write a loop with append.",
            )
        self.bindable(first.target, first.target.id)
        return ir.Comprehension(self.expression(item), first.target.id, self.iterable(first.iter), span=self.span(node))

    def iterable(self, node: ast.expr) -> Var | ir.Range:
        span = self.span(node)
        match node:
            case ast.Name(id=name):
                return Var(name, span=span)
            case ast.Call(ast.Name(id="range"), [_] | [_, _] | [_, _, _] as args, []) if not any(
                isinstance(a, ast.Starred) for a in args
            ):
                values = [self.expression(a) for a in args]
                zero, one = Const(Fraction(0), span=span), Const(Fraction(1), span=span)
                match values:
                    case [stop]:
                        return ir.Range(zero, stop, one, span=span)
                    case [start, stop]:
                        return ir.Range(start, stop, one, span=span)
                    case _:
                        return ir.Range(values[0], values[1], values[2], span=span)
            case ast.Call(ast.Name(id="range")):
                raise self.refuse(
                    "K111",
                    node,
                    "`range` takes one to three numbers",
                    "They are start, stop and step.",
                    "Write range(len(q)).",
                )
            case _:
                raise self.refuse(
                    "K110",
                    node,
                    f"a loop cannot run over `{_clip(node)}`",
                    "Loops run over range(…) or over a list, by its name.",
                    "Write `for i in range(len(q)):` or `for x in q:`.",
                )


def _clip(node: ast.AST, most: int = 40) -> str:
    """What the user wrote, cut short."""
    try:
        text = " ".join(ast.unparse(node).split())
    except (RecursionError, ValueError):
        return "…"
    return text if len(text) <= most else text[: most - 1] + "…"
