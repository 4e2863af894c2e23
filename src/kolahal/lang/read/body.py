"""The body of a sketch. A list of what exists: whatever has no arm here is refused, with place and remedy."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Sequence, Set
from contextlib import suppress
from fractions import Fraction
from functools import reduce
from itertools import pairwise

from kolahal.lang import ir
from kolahal.lang.ir import Binary, Block, Const, Draw, Expr, Hole, Stmt, Var
from kolahal.lang.labels import LabelCode
from kolahal.lang.noise import Noise
from kolahal.lang.parameters import BUDGETS, Role, Type
from kolahal.lang.read.header import Header
from kolahal.lang.read.others import find_remedy
from kolahal.lang.read.powers import MOST_POWER, power_of
from kolahal.lang.read.tree import DEEPEST_LOOP, NOISES, Refused, Tree, clip, stored_names
from kolahal.lang.records.moves import RecordRelation
from kolahal.lang.scale import NotAScale, Scale, exact, exact_literal, gdp_name, next_of, scale_of
from kolahal.lang.source import Span

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

# ---- words for what is refused

SIGNS: dict[type[ast.AST], str] = {
    ast.Pow: "**",
    ast.MatMult: "@",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.Invert: "~",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Is: "is",
    ast.IsNot: "is not",
}
SIGN_FIXES = {
    "**": f"A power is a whole number from 1 to {MOST_POWER}, written out; x ** 0.5 and others stand in noise scales and in functions of one record.",
    "&": "Write `and`.",
    "|": "Write `or`.",
    "~": "Write `not`.",
}
STATEMENTS: dict[type[ast.stmt], str] = {
    ast.Try: "try",
    ast.TryStar: "try",
    ast.With: "with",
    ast.AsyncWith: "async with",
    ast.AsyncFor: "async for",
    ast.FunctionDef: "def",
    ast.AsyncFunctionDef: "async def",
    ast.ClassDef: "class",
    ast.Import: "import",
    ast.ImportFrom: "import",
    ast.Delete: "del",
}
EXPRESSIONS: dict[type[ast.expr], tuple[str, str]] = {
    ast.NamedExpr: ("an assignment inside an expression", "Assign on a line of its own."),
    ast.Lambda: ("a lambda", "Write it out where it is used."),
    ast.JoinedStr: ("an f-string", "Use a number or a truth value instead."),
    ast.Tuple: ("a tuple outside `return` and `a, b = x, y`", "Use a list, or names of their own."),
    ast.Dict: ("this dictionary", 'Write its labels out wherever it is used, as in d["a"], or use names of their own.'),
    ast.Set: ("a set", "Use a list, or names of their own."),
    ast.SetComp: ("a set comprehension", "Write it with square brackets."),
    ast.DictComp: ("a dictionary comprehension", "Use a list, or names of their own."),
    ast.GeneratorExp: ("a generator", "Write it with square brackets."),
    ast.Starred: ("a starred value", "Write the values out."),
    ast.Attribute: ("an attribute", "Make its value a parameter of the sketch."),
    ast.Subscript: ("an item of something without a name", "Give the list a name first."),
    ast.Await: ("`await`", "Do it outside the sketch."),
    ast.Yield: ("`yield`", "Append to a list, and return the list."),
    ast.YieldFrom: ("`yield from`", "Append to a list, and return the list."),
}
LITERALS = {"str": "text", "bytes": "bytes", "complex": "complex numbers", "ellipsis": "`...`"}
CALLS = {
    "round": "Return the number as it is, and round it outside the sketch.",
    "print": "Remove it; what a sketch releases is what it returns.",
}
WANTED = {
    "len": ("one list, by its name", "Write len(q)."),
    "abs": ("one number", "Write abs(x)."),
    "max": ("two numbers or more, or one list", "Write max(a, b) or max(q)."),
    "min": ("two numbers or more, or one list", "Write min(a, b) or min(q)."),
}

LONGEST_LABEL = 200


class Body:
    """One function's statements. Faults are collected; what comes after a faulty statement is still read."""

    def __init__(self, tree: Tree, header: Header, statements: list[ast.stmt], lost: Set[str] = frozenset()):
        self.tree = tree
        self.lost = header.lost | lost  # names whose value stands in a statement that was refused
        self.parameters = {p.name for p in header.parameters} | header.lost
        stores = [part for statement in statements for part in ast.walk(statement) if isinstance(part, ast.Name)]
        self.times = Counter(part.id for part in stores if isinstance(part.ctx, ast.Store))
        # All other names are given their values by statements at the top, one after the other.
        self.changing = set(self.times - Counter(name for statement in statements for name in _targets(statement)))
        self.pure = {p.role for p in header.parameters} & {*BUDGETS, Role.DELTA} == {Role.EPSILON}
        self.scales = self.quantities(header)
        self.labels: dict[str, int] = {}  # texts, by the numbers that stand for them
        self.depth = 0
        self.holes = 0
        self.sites = 0
        self.loops = 0

    def quantities(self, header: Header) -> dict[str, Scale]:
        """The names that a scale may use: public numbers that never change. Names given to such scales join later."""
        names = list(header.lost)
        for p in header.parameters:
            # That the budget and the length do not change either is for the checker to see.
            if p.role is Role.PRIVATE:
                names.append(f"len({p.name})")
            elif p.role in BUDGETS or (p.type is not Type.BOOL and not self.times[p.name]):
                names.append(p.name)
        if isinstance(header.adjacency, RecordRelation):
            names += header.adjacency.factors
        roles = {p.role: p.name for p in header.parameters}
        if Role.DELTA in roles and Role.EPSILON in roles:
            names.append(gdp_name(roles[Role.EPSILON], roles[Role.DELTA]))
        whole = [p.name for p in header.parameters if p.role is Role.ARGUMENT and p.type is Type.INT]
        names += [next_of(name) for name in names if name in whole or name.startswith("len(")]
        lengths = {f"len({p.name})": p.length_name for p in header.parameters if p.role is Role.PRIVATE}
        return {name: Scale(Fraction(1), ((lengths.get(name, name), 1),)) for name in names}

    # ---- statements

    def block(self, nodes: Sequence[ast.stmt]) -> Block:
        self.depth += 1
        statements: list[Stmt] = []
        outside = self.scales
        for node in nodes:
            try:
                statements += self.statement(node)
            except Refused:
                self.lost |= stored_names(node)
        self.depth -= 1
        self.scales = outside
        return tuple(statements)

    def statement(self, node: ast.stmt) -> list[Stmt]:
        span = self.tree.span(node)
        match node:
            case ast.Pass() | ast.AnnAssign(target=ast.Name(), value=None) | ast.Expr(ast.Constant(value=str())):
                return []
            case ast.Assign([ast.Tuple(targets) | ast.List(targets)], ast.Tuple(values) | ast.List(values)):
                return [self.unpacking(node, targets, values)]
            case ast.Assign(targets, value) if not any(isinstance(t, ast.Tuple | ast.List) for t in targets):
                return self.assignment(node, targets, value)
            case ast.Assign():
                raise self.tree.refuse("K108", node)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                return self.assignment(node, [target], value)
            case ast.AugAssign(target, op, value):
                name = self.target(target)
                old = Var(name, span=self.tree.span(target))
                new = self.arithmetic(node, old, op, value)
                self.name_scales([name], [ast.BinOp(ast.Name(name), op, value)])
                return [ir.Assign((name,), (new,), span=span)]
            case ast.If(test, then, orelse):
                return [ir.If(self.condition(test), self.block(then), self.block(orelse), span=span)]
            case ast.While(test, body, orelse):
                self.no_else(orelse)
                return [ir.While(self.condition(test), self.loop(node, body), span=span)]
            case ast.For(ast.Name(id=name) as target, over, body, orelse):
                self.no_else(orelse)
                self.target(target)
                return [ir.For(name, self.loop_over(name, over), self.loop(node, body), span=span)]
            case ast.For(target, _, body, orelse):
                self.no_else(orelse)
                self.tree.fault("K125", target)
                self.lost |= stored_names(target)
                self.loop(node, body)
                return []
            case ast.Break() if self.loops:
                return [ir.Break(span=span)]
            case ast.Continue() if self.loops:
                return [ir.Continue(span=span)]
            case ast.Break() | ast.Continue():
                raise self.tree.refuse("K124", node, word=clip(node))
            case ast.Return(None | ast.Tuple([])):
                raise self.tree.refuse("K120", node)
            case ast.Return(ast.Tuple(items) as value):
                answer = ir.TupleOf(tuple(map(self.expression, items)), span=self.tree.span(value))
                return [ir.Return(answer, span=span)]
            case ast.Return(ast.expr() as value):
                return [ir.Return(self.expression(value), span=span)]
            case ast.Expr(ast.Call(ast.Attribute(ast.Name(id=name), method), args, keywords)) if hasattr(list, method):
                return [self.method(node, name, method, [] if keywords else args)]
            case ast.Expr(value):
                self.expression(value)
                raise self.tree.refuse("K123", node)
            case _:
                word = STATEMENTS.get(type(node), type(node).__name__.lower())
                raise self.tree.refuse("K101", node, word=word)

    def condition(self, node: ast.expr) -> Expr:
        """A condition; if it is at fault the block behind it is still read."""
        try:
            return self.expression(node)
        except Refused:
            self.lost |= stored_names(node)
            return ir.IsNone(Const(None))

    def loop_over(self, name: str, node: ast.expr) -> Var | ir.Range:
        """What a loop runs over; if it is at fault the body behind it is still read."""
        try:
            return self.iterable(node)
        except Refused:
            self.lost |= {name} | stored_names(node)
            return ir.Range(Const(Fraction(0)), Const(Fraction(0)), Const(Fraction(1)))

    def loop(self, node: ast.stmt, body: list[ast.stmt]) -> Block:
        if self.loops == DEEPEST_LOOP:
            raise self.tree.refuse("K006", node, most=DEEPEST_LOOP)
        self.loops += 1
        block = self.block(body)
        self.loops -= 1
        return block

    def no_else(self, orelse: list[ast.stmt]) -> None:
        if orelse:
            self.tree.fault("K109", orelse[0])
            self.block(orelse)

    def target(self, node: ast.expr) -> str:
        if not isinstance(node, ast.Name):
            raise self.tree.refuse("K107", node, target=clip(node))
        if self.tree.is_reserved(node.id):
            self.tree.fault("K141", node, name=node.id)
        return node.id

    def unpacking(self, node: ast.stmt, targets: list[ast.expr], values: list[ast.expr]) -> Stmt:
        names = tuple(map(self.target, targets))
        if not names or len(values) != len(names) or len(set(names)) != len(names):
            raise self.tree.refuse("K108", node)
        assigned = ir.Assign(names, tuple(map(self.expression, values)), span=self.tree.span(node))
        self.name_scales(names, values)
        return assigned

    def assignment(self, node: ast.stmt, targets: list[ast.expr], value: ast.expr) -> list[Stmt]:
        span = self.tree.span(node)
        names = [self.target(target) for target in targets]
        first = ir.Assign((names[0],), (self.expression(value),), span=span)
        self.name_scales(names, [value] * len(names))
        return [first, *(ir.Assign((name,), (Var(before, span=span),), span=span) for before, name in pairwise(names))]

    def name_scales(self, names: Sequence[str], values: Sequence[ast.expr]) -> None:
        """What names stand for in scales from here on: to the end of a block, if no other place gives them anything."""
        found: dict[str, Scale] = {}
        for name, value in zip(names, values, strict=True):
            if name not in self.parameters and (self.times[name] == 1 or name not in self.changing):
                with suppress(NotAScale):  # most values are no scales, and only scales are asked for
                    found[name] = scale_of(value, self.scales)
        self.scales = {name: scale for name, scale in self.scales.items() if name not in names} | found

    def method(self, node: ast.stmt, name: str, method: str, args: list[ast.expr]) -> Stmt:
        span = self.tree.span(node)
        match method, args:
            case "append", [value]:
                return ir.Append(name, self.expression(value), front=False, span=span)
            case "insert", [ast.Constant(value=int() as place), value] if place == 0:
                return ir.Append(name, self.expression(value), front=True, span=span)
            case "insert", _:
                raise self.tree.refuse("K116", node, name=name)
            case _:
                raise self.tree.refuse("K106", node, name=name, method=method)

    # ---- expressions

    def expression(self, node: ast.expr) -> Expr:
        span = self.tree.span(node)
        self.no_hole(node)
        match node:
            case ast.Constant(value=bool() | None as value):
                return Const(value, span=span)
            case ast.Constant(value=int() | float() as value):
                number = exact(value)
                if number is None:
                    raise self.tree.refuse("K126", node)
                return Const(number, span=span)
            case ast.Constant(value=str() as text) if len(text) <= LONGEST_LABEL and text.isprintable():
                return Const(LabelCode(self.labels.setdefault(text, len(self.labels)), text), span=span)
            case ast.Constant(value=value):
                raise self.tree.refuse("K118", node, kind=LITERALS.get(type(value).__name__, clip(node)))
            case ast.Name():
                return self.variable(node)
            case ast.BinOp(left, op, right):
                return self.arithmetic(node, self.expression(left), op, right)
            case ast.UnaryOp(ast.USub(), operand):
                inner = self.expression(operand)
                if isinstance(inner, Const) and isinstance(inner.value, Fraction) and not isinstance(inner.value, LabelCode):
                    return Const(-inner.value, span=span)
                return ir.Negate(inner, span=span)
            case ast.UnaryOp(ast.UAdd(), operand):
                inner = self.expression(operand)
                return inner if isinstance(inner, Const) else Binary("+", Const(Fraction(0)), inner, span=span)
            case ast.UnaryOp(ast.Not(), operand):
                return ir.Not(self.expression(operand), span=span)
            case ast.UnaryOp(op, _):
                raise self.bad_operator(node, op)
            case ast.BoolOp(op, values):
                return self.joined("and" if isinstance(op, ast.And) else "or", map(self.expression, values), span)
            case ast.Compare(left, ops, comparators):
                return self.comparison(node, [left, *comparators], ops)
            case ast.Call():
                return self.call(node)
            case ast.Subscript(_, ast.Slice()):
                raise self.tree.refuse("K119", node)
            case ast.Subscript(ast.Name() as of, place) if hasattr(node, "query"):
                text, given = node.query
                asked = tuple(Var(name, span=span) for name in given)
                return ir.Query(self.variable(of), self.expression(place), text, asked, span=span)
            case ast.Subscript(ast.Name() as of, place):
                return ir.Index(self.variable(of), self.expression(place), span=span)
            case ast.List(items):
                return ir.ListOf(tuple(map(self.expression, items)), span=span)
            case ast.ListComp(item, [ast.comprehension(ast.Name(id=name) as target, over, [], 0)]):
                self.target(target)
                return ir.Comprehension(self.expression(item), name, self.iterable(over), span=span)
            case ast.ListComp():
                raise self.tree.refuse("K117", node)
            case _:
                thing, fix = EXPRESSIONS.get(type(node), (f"`{clip(node)}`", "Write it with assignments and `if`."))
                raise self.no_place(node, thing, fix)

    def no_place(self, node: ast.expr, thing: str, fix: str) -> Refused:
        return self.tree.refuse("K103", node, thing=thing, fix=fix)

    def no_hole(self, node: ast.expr) -> None:
        if self.tree.ours(node) == "hole":
            raise self.tree.refuse("K115", node)

    def variable(self, node: ast.Name) -> Var:
        self.no_hole(node)
        if self.tree.is_reserved(node.id):
            raise self.no_place(node, f"`{node.id}` as a value", f"Call it, as in {node.id}(…), or use another name.")
        return Var(node.id, span=self.tree.span(node))

    def arithmetic(self, node: ast.AST, left: Expr, op: ast.operator, right: ast.expr) -> Expr:
        if power := power_of(op, right):
            return self.joined("*", [left] * power if power > 1 else [left, Const(Fraction(1))], self.tree.span(node))
        if type(op) not in ARITHMETIC:
            raise self.bad_operator(node, op)
        return Binary(ARITHMETIC[type(op)], left, self.expression(right), span=self.tree.span(node))

    def bad_operator(self, node: ast.AST, op: ast.AST) -> Refused:
        sign = SIGNS[type(op)]
        return self.tree.refuse("K104", node, sign=sign, fix=SIGN_FIXES.get(sign, "Write it with these."))

    def joined(self, word: str, parts: Iterable[Expr], span: Span) -> Expr:
        return reduce(lambda left, right: Binary(word, left, right, span=span), parts)

    def comparison(self, node: ast.Compare, parts: list[ast.expr], ops: list[ast.cmpop]) -> Expr:
        for middle in parts[1:-1]:
            if any(isinstance(p, ast.Compare) or self.tree.ours(p) in NOISES for p in ast.walk(middle)):
                raise self.tree.refuse("K121", middle)
        links = (self.link(node, left, op, right) for (left, right), op in zip(pairwise(parts), ops, strict=True))
        return self.joined("and", links, self.tree.span(node))

    def link(self, node: ast.Compare, left: ast.expr, op: ast.cmpop, right: ast.expr) -> Expr:
        span = self.tree.span(node)
        match op, right:
            case ast.Is(), ast.Constant(value=None):
                return ir.IsNone(self.expression(left), span=span)
            case ast.IsNot(), ast.Constant(value=None):
                return ir.Not(ir.IsNone(self.expression(left), span=span), span=span)
            case ((ast.Is() | ast.IsNot() | ast.In() | ast.NotIn()), _):
                fix = "Write == or !=, or put None on the right."
                if isinstance(op, ast.In | ast.NotIn):
                    fix = "Loop over the list and compare."
                raise self.tree.refuse("K105", node, word=SIGNS[type(op)], fix=fix)
            case _:
                return Binary(COMPARISONS[type(op)], self.expression(left), self.expression(right), span=span)

    def call(self, node: ast.Call) -> Expr:
        span = self.tree.span(node)
        ours = self.tree.ours(node.func)
        if ours in NOISES:
            return self.noise(node, NOISES[ours])
        name = clip(node.func) if isinstance(node.func, ast.Name | ast.Attribute) else f"({clip(node.func)})"
        match name, [] if node.keywords else node.args:
            case "len", [ast.Name() as of]:
                return ir.Length(self.variable(of), span=span)
            case (("max" | "min"), [_, _, *_] as args) | ("abs", [_] as args):
                return ir.Call(name, tuple(map(self.expression, args)), span=span)
            case (("len" | "max" | "min" | "abs"), _):
                want, fix = WANTED[name]
                raise self.tree.refuse("K122", node, name=name, want=want, fix=fix)
            case "Fraction", [inner]:  # as emitted programs write numbers, so that they can be read again
                number = exact_literal(inner)
                return self.expression(inner) if number is None else ir.Const(number, span=span)
            case "range", _:
                raise self.no_place(node, "`range` outside a loop", "Write `for i in range(len(q)):`.")
            case _:
                fix = CALLS.get(name) or find_remedy(name) or "Write it out, or do it outside the sketch."
                raise self.tree.refuse("K102", node, name=name, fix=fix)

    def noise(self, node: ast.Call, noise: Noise) -> Expr:
        wanted = 2 if noise.selects else 1
        if len(node.args) != wanted or node.keywords or any(isinstance(a, ast.Starred) for a in node.args):
            code = "K153" if noise.selects else "K113"
            raise self.tree.refuse(code, node, noise=noise.value)
        if noise.bell and self.pure:
            self.tree.fault("K148", node, noise=noise.value)
        of = None
        if noise.selects:
            if not isinstance(node.args[0], ast.Name):
                raise self.tree.refuse("K153", node)
            of = self.variable(node.args[0])
        argument, site = self.tree.exact_scale(node.args[-1]), self.sites
        self.sites += 1
        if self.tree.ours(argument) == "hole":
            hole = Hole(self.holes, span=self.tree.span(argument))
            self.holes += 1
            return Draw(noise, hole, site, of, span=self.tree.span(node))
        if any(self.tree.ours(part) == "hole" for part in ast.walk(argument)):
            raise self.tree.refuse("K112", argument, noise=noise.value)
        if noise.open:
            raise self.tree.refuse("K156", node, example=f"Lap({clip(argument)})")
        return Draw(noise, self.scale(argument), site, of, span=self.tree.span(node))

    def scale(self, node: ast.expr) -> Scale:
        try:
            scale = scale_of(node, self.scales)
            if not scale:
                raise NotAScale("it is 0, which is no noise", node)
            if scale.root and self.pure:
                raise NotAScale("a root has no place in a pure budget", node)
        except NotAScale as error:
            raise self.tree.refuse("K114", error.node, reason=error) from None
        return scale

    def iterable(self, node: ast.expr) -> Var | ir.Range:
        span = self.tree.span(node)
        zero, one = Const(Fraction(0), span=span), Const(Fraction(1), span=span)
        match node:
            case ast.Name():
                return self.variable(node)
            case ast.Call(ast.Name(id="range"), args, keywords):
                match list(map(self.expression, args)):
                    case [stop] if not keywords:
                        return ir.Range(zero, stop, one, span=span)
                    case [start, stop] if not keywords:
                        return ir.Range(start, stop, one, span=span)
                    case [start, stop, step] if not keywords:
                        return ir.Range(start, stop, step, span=span)
                    case _:
                        raise self.tree.refuse("K111", node)
            case _:
                raise self.tree.refuse("K110", node, thing=clip(node))


def _targets(statement: ast.stmt) -> list[str]:
    """The names that an assignment gives their values itself, as a loop or a comprehension in it does not."""
    match statement:
        case ast.Assign(targets):
            parts = [part for target in targets for part in (target.elts if isinstance(target, ast.Tuple | ast.List) else [target])]
        case ast.AugAssign(target) | ast.AnnAssign(target, _, ast.expr()):
            parts = [target]
        case _:
            parts = []
    return [part.id for part in parts if isinstance(part, ast.Name)]
