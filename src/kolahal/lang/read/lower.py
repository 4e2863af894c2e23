"""Everyday Python → the few forms that a sketch is made of, in Python's own order of evaluation.

Whatever is one of these forms already stays as it is, and what is none of them and not known here goes on to the reader, which
refuses it. So engines, proofs and emitted programs know the few forms only.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence, Set
from copy import deepcopy
from itertools import takewhile

from kolahal.lang.ir import numbered
from kolahal.lang.read.constants import Constants
from kolahal.lang.read.draws import lower_draw, needs_list
from kolahal.lang.read.header import Header
from kolahal.lang.read.inline import Helpers, always_returns, is_fixed, may_stop, substituted, without_returns
from kolahal.lang.read.items import ListChanges
from kolahal.lang.read.joined import find_lists, is_surely_list
from kolahal.lang.read.loops import AGGREGATES, BUILTINS, LISTS, Loops, copied, is_membership, is_range, membership
from kolahal.lang.read.powers import needs_name, outside_scales
from kolahal.lang.read.scopes import Function
from kolahal.lang.read.snippets import Lowered, changed_lists, changed_names, expression, name, names_of, statements
from kolahal.lang.read.tables import without_tables
from kolahal.lang.read.tree import LONGEST, NOISES, PICK, Refused, Tree, clip, stored_names, surely_stored
from kolahal.lang.sketch import Role
from kolahal.lang.source import SketchError, diagnose


class Lowering:
    """The statements of one function in simpler forms. Faults are collected in the tree, as the reader does."""

    def __init__(self, tree: Tree, function: Function, header: Header, body: list[ast.stmt]):
        self.tree = tree
        self.function = function
        self.parameters = {p.name for p in header.parameters} | header.lost
        self.private = next(p.name for p in header.parameters if p.role is Role.PRIVATE)
        stored: set[str] = set().union(*map(stored_names, body))
        self.own = self.parameters | stored | {function.name}
        self.taken = names_of(body) | self.own
        self.fixed = self.parameters - stored
        self.epsilon = next((p.name for p in header.parameters if p.role is Role.EPSILON), "")
        self.made: set[str] = set()  # names for values that had none
        self.sure = self.parameters  # names that have a value on every way to where the lowering is
        self.lost: set[str] = set()  # names whose value stands in a statement that was refused
        self.changed: set[str] = set()  # lists some item of which is assigned
        self.rebuilt: set[ast.AST] = set()  # the places where such a list is replaced by one with another item
        self.constants = Constants(tree)
        self.helpers = Helpers(tree, function, self.own, self.constants)
        self.loops = Loops(self)
        self.items = ListChanges(self)
        self.parts = 0
        self.lists = find_lists(body, [self.private], self.makes_list)

    def body(self, nodes: list[ast.stmt]) -> list[ast.stmt]:
        """The whole body; the tree of the file stays as it is."""
        return self.block(without_tables(self.constants.put_into(nodes, self.function), self.variable))

    def preconditions(self, nodes: list[ast.stmt]) -> list[ast.stmt]:
        """What is asserted at the top, each as a test with an answer of its own for those who break it."""
        top = list(takewhile(lambda node: isinstance(node, ast.Assert), nodes))
        found: list[ast.stmt] = []
        for node in self.constants.put_into(top, self.function):
            assert isinstance(node, ast.Assert)
            worded = node.msg is None or (isinstance(node.msg, ast.Constant) and isinstance(node.msg.value, str))
            test = node.test
            if not (worded and self.is_public(test)):
                self.tree.fault("K129", node)
                test = expression("None is None", node)
            found += statements("if not test: return None", node, test=test)
        return found

    def is_public(self, node: ast.expr) -> bool:
        """Whether an expression can be computed from public inputs alone before anything runs."""
        lengths = {id(part.args[0]) for part in ast.walk(node) if self.builtin(part) == "len" and len(part.args) == 1}  # type: ignore[attr-defined]
        drawn = any(isinstance(part, ast.Call) and self.tree.ours(part.func) in NOISES for part in ast.walk(node))
        told = any(isinstance(p, ast.Name) and p.id == self.private and id(p) not in lengths for p in ast.walk(node))
        return not drawn and not told and not self.needs_statements(node)

    def fresh(self, base: str) -> str:
        """A name that nobody has, for a value that has none."""
        word = numbered(base, self.taken, 1)
        self.taken.add(word)
        self.made.add(word)
        return word

    def variable(self, base: str) -> str:
        """A name that nobody has, for something that may change, or get its value on some ways only."""
        word = self.fresh(base)
        self.made.remove(word)
        return word

    def builtin(self, node: ast.AST) -> str | None:
        """The name of Python's own function that is called, if one of those that are known here is."""
        match node:
            case ast.Call(ast.Name(word)) if word in BUILTINS and word not in self.own and not self.helpers.is_helper(node):
                return word
            case _:
                return None

    # ---- statements

    def block(self, nodes: Sequence[ast.stmt], given: Set[str] = frozenset()) -> list[ast.stmt]:
        """Statements in a row; those before the first have given the names `given` a value."""
        found: list[ast.stmt] = []
        outside, self.sure = self.sure, self.sure | given
        for node in nodes:
            always = surely_stored([node])
            try:
                found += self.statement(node)
            except Refused:
                self.lost |= stored_names(node)
            self.sure = self.sure | always
        self.sure = outside
        self.parts += len(found)
        if self.parts > LONGEST:
            raise SketchError(self.tree.source, (diagnose("K010", self.tree.span(self.function), most=LONGEST),))
        return found

    def statement(self, node: ast.stmt) -> list[ast.stmt]:
        match node:
            case ast.Assign([ast.Name(word)], value) | ast.AnnAssign(target=ast.Name(word), value=ast.expr() as value):
                return self.into(word, value, node)
            case ast.Assign([ast.Tuple() | ast.List() as target], value):
                return self.unpacking(node, target, value)
            case ast.Assign([ast.Subscript() as target], value):
                before, value = self.expression(value)
                return [*before, *self.items.put(target, value, node)]
            case ast.Assign(_, value):
                before, node.value = self.expression(value)
                return [*before, node]
            case ast.AugAssign(target, op, value):
                return self.items.step(node, target, op, value)
            case ast.If(test, then, orelse):
                before, node.test = self.condition(test)
                node.body, node.orelse = self.block(then) or [self.nothing(node)], self.block(orelse)
                return [*before, node]
            case ast.While(test, inner):
                before, node.test = self.condition(test)
                node.body = self.block(inner)
                if before:  # the test is computed anew in every turn
                    leave = statements("if not test: break", test, test=node.test)
                    node.test, node.body = expression("True", test), [*before, *leave, *node.body]
                node.body = node.body or [self.nothing(node)]
                return [node]
            case ast.For(target, over, inner):
                orelse = self.block(node.orelse)
                return self.loops.loop(target, over, self.block(inner, stored_names(target)) or [self.nothing(node)], node, orelse)
            case ast.Return(ast.expr() as value):
                return self.answer(node, value)
            case ast.Expr(value):
                return self.effect(node, value)
            case ast.Assert():
                raise self.tree.refuse("K129", node)
            case _:
                return [node]

    def nothing(self, at: ast.AST) -> ast.stmt:
        return statements("pass", at)[0]

    def condition(self, test: ast.expr) -> Lowered:
        """A condition; if it is at fault the block behind it is still read."""
        try:
            return self.expression(test)
        except Refused:
            self.lost |= stored_names(test)
            return [], expression("None is None", test)

    def into(self, word: str, value: ast.expr, node: ast.stmt) -> list[ast.stmt]:
        """`word = value`, which is what `node` says."""
        match value:
            case ast.IfExp():
                return self.choice(value, lambda way: self.into(word, way, self.assignment(word, way, node)))
            case ast.Call() if self.helpers.is_helper(value):
                return self.inlined(value, lambda way: [self.assignment(word, way, node)])
            case ast.BinOp(ast.Name(again), _, more) if again == word not in self.parameters and self.is_joined(value):
                return self.items.added(word, more, node)  # no two names share a list that grows
            case ast.BinOp(ast.List([item]), ast.Add(), ast.Name(again)) if again == word not in self.parameters | names_of([item]):
                before, item = self.expression(item)
                return [*before, *statements("xs.insert(0, x)", node, xs=word, x=item)]
        if not self.is_built(value):
            before, left = self.expression(value)
            if not before and left is value:
                return [node]
            return [*before, self.assignment(word, left, node)]
        if word not in names_of([value]) and word not in self.parameters:
            return self.build(value, word)
        before, built = self.expression(value)
        if self.makes_list(value) or self.is_joined(value):  # a copy: two names never share a list that grows
            built = copied(built, self.fresh("item"))
        return [*before, self.assignment(word, built, node)]

    def assignment(self, word: str, value: ast.expr, at: ast.AST) -> ast.stmt:
        return statements("word = value", at, word=word, value=value)[0]

    def choice(self, node: ast.IfExp, give: Callable[[ast.expr], list[ast.stmt]]) -> list[ast.stmt]:
        """`a if test else b`: only one of the two is computed."""
        before, test = self.condition(node.test)
        return [*before, *statements("if test: A\nelse: B", node, test=test, A=give(node.body), B=give(node.orelse))]

    def unpacking(self, node: ast.Assign, target: ast.Tuple | ast.List, value: ast.expr) -> list[ast.stmt]:
        def again(way: ast.expr) -> list[ast.stmt]:
            copy = ast.copy_location(ast.Assign([deepcopy(target)], way), node)
            return self.unpacking(copy, target, way)

        match value:
            case ast.IfExp():
                return self.choice(value, again)
            case ast.Call() if self.helpers.is_helper(value):
                return self.inlined(value, lambda way: [ast.copy_location(ast.Assign([deepcopy(target)], way), node)])
            case ast.Tuple(values) | ast.List(values):
                before, value.elts = self.ordered(values)
                if all(isinstance(part, ast.Name) for part in target.elts) or len(target.elts) != len(values):
                    return [*before, node]
                return [*before, *self.items.put_all(node, target.elts, value.elts)]
            case _:
                return [node]

    def answer(self, node: ast.Return, value: ast.expr) -> list[ast.stmt]:
        def give(way: ast.expr) -> list[ast.stmt]:
            return self.answer(ast.copy_location(ast.Return(way), node), way)

        match value:
            case ast.IfExp():
                return self.choice(value, give)
            case ast.Tuple(items):
                before, value.elts = self.ordered(items)
                return [*before, node]
            case ast.Call() if self.helpers.is_helper(value):
                return self.inlined(value, None)
            case _:
                before, node.value = self.expression(value)
                return [*before, node]

    def effect(self, node: ast.Expr, value: ast.expr) -> list[ast.stmt]:
        match value:
            case ast.Call(ast.Attribute(ast.Name(word), "extend"), [items], []):
                return self.items.extend(word, items, node)
            case ast.Call(ast.Attribute(ast.Name(word), "sort"), [], keywords):
                return self.items.sort(word, keywords, node)
            case ast.Call(ast.Attribute(ast.Name(_), _), args, []):
                before, value.args = self.ordered(args)
                return [*before, node]
            case ast.Call() if self.helpers.is_helper(value):

                def drop(way: ast.expr) -> list[ast.stmt]:
                    if not (isinstance(way, ast.Constant) and way.value is None):
                        raise self.tree.refuse("K123", node)
                    return []

                return self.inlined(value, drop)
            case _ if self.needs_statements(value):
                raise self.tree.refuse("K123", node)
            case _:
                return [node]

    # ---- expressions

    def expression(self, node: ast.expr) -> Lowered:
        match node:
            case ast.IfExp():
                word = self.fresh("value")
                return self.into(word, node, self.assignment(word, node, node)), name(word, node)
            case ast.BoolOp(op, values):
                return self.short_circuit(node, isinstance(op, ast.And), values)
            case ast.Compare(left, _, comparators):
                return self.comparison(node, [left, *comparators])
            case ast.BinOp(ast.List([item]), ast.Mult(), times):
                before, item = self.kept(item, "item")  # one value, however often it stands in the list
                more, times = self.expression(times)
                made = expression("[x for i in range(n)]", node, x=item, i=self.fresh("i"), n=times)
                return [*before, *more], made
            case ast.BinOp() | ast.ListComp() if self.is_built(node):
                word = self.fresh("items")
                return self.build(node, word), name(word, node)
            case ast.BinOp(left, _, right):
                if needs_name(node):
                    before, node.left = self.kept(left, "base")
                else:
                    before, (node.left, node.right) = self.ordered([left, right])
                return before, node
            case ast.UnaryOp(_, operand):
                before, node.operand = self.expression(operand)
                return before, node
            case ast.List(items):
                before, node.elts = self.ordered(items)
                return before, node
            case ast.Subscript(of, ast.Slice() as part, ast.Load()):
                return self.loops.slice(node, of, part)
            case ast.Subscript(of, place, ast.Load()):
                if isinstance(of, ast.Name):
                    before, node.slice = self.expression(place)
                    return before, node
                first, word = self.named(of)
                before, node.slice = self.expression(place)
                node.value = name(word, of)
                return [*first, *before], node
            case ast.Call():
                return self.call(node)
            case ast.ListComp(_, [ast.comprehension(iter=ast.Call() as over)]):
                before, over.args = self.ordered(over.args)
                return before, node
            case _:
                return [], node

    def call(self, node: ast.Call) -> Lowered:
        if self.tree.ours(node.func) in (*NOISES, PICK):
            return lower_draw(self.tree, node, self.fresh, self.named)
        if (same := self.loops.in_words(node)) is not None:
            return self.expression(same) if isinstance(same, ast.expr) else same
        if self.helpers.is_helper(node):
            word = self.fresh("value")
            return self.into(word, node, self.assignment(word, node, node)), name(word, node)
        if self.is_built(node):
            word = self.fresh(AGGREGATES.get(self.builtin(node) or "", "items"))
            return self.build(node, word), name(word, node)
        if self.builtin(node) == "len" and len(node.args) == 1 and not isinstance(node.args[0], ast.Name):
            before, word = self.named(node.args[0])
            return before, expression("len(xs)", node, xs=word)
        before, node.args = self.ordered(node.args)
        return before, node

    def ordered(self, nodes: Sequence[ast.expr]) -> tuple[list[ast.stmt], list[ast.expr]]:
        """Expressions that Python computes one after the other; what comes first is kept where something runs in between."""
        pairs = [self.expression(node) for node in nodes]
        before: list[ast.stmt] = []
        left: list[ast.expr] = []
        for place, (first, value) in enumerate(pairs):
            before += first
            later = [statement for more, _ in pairs[place + 1 :] for statement in more]
            if later and not self.is_inert(value, later):
                kept, value = self.keep(value, "value")
                before += kept
            left.append(value)
        return before, left

    def is_inert(self, node: ast.expr, later: list[ast.stmt]) -> bool:
        """Whether it makes no difference if an expression is computed before some statements or behind them."""
        draws = any(isinstance(p, ast.Call) and self.tree.ours(p.func) in NOISES for p in ast.walk(node))
        return not draws and not names_of([node]) & changed_names(later)

    def keep(self, node: ast.expr, base: str) -> tuple[list[ast.stmt], ast.Name]:
        word = self.fresh(base)
        return [self.assignment(word, node, node)], name(word, node)

    def kept(self, node: ast.expr, base: str) -> Lowered:
        """A value that can be used again: a literal, or a name of its own."""
        before, left = self.expression(node)
        if isinstance(left, ast.Constant) or (isinstance(left, ast.Name) and left.id in self.made):
            return before, left
        kept, left = self.keep(left, base)
        return [*before, *kept], left

    def is_list(self, node: ast.expr) -> bool:
        """Whether the form of an expression says that it may be a list."""
        match node:
            case ast.List() | ast.ListComp() | ast.Subscript(slice=ast.Slice()) | ast.IfExp() | ast.BinOp(ast.List()):
                return True
            case ast.Call():
                return self.helpers.is_helper(node) or self.builtin(node) in LISTS or is_range(node)
            case _:
                return self.is_joined(node)

    def named(self, node: ast.expr) -> tuple[list[ast.stmt], str]:
        """A list by its name."""
        if isinstance(node, ast.Name):
            return [], node.id
        if isinstance(node, ast.Tuple):
            node = ast.copy_location(ast.List(node.elts, ast.Load()), node)
        if not self.is_list(node):
            raise self.tree.refuse("K110", node, thing=clip(node))
        word = self.fresh("items")
        if is_range(node):
            node = expression("[x for x in xs]", node, x=self.fresh("x"), xs=node)
        return self.into(word, node, self.assignment(word, node, node)), word

    def short_circuit(self, node: ast.BoolOp, conjunction: bool, values: list[ast.expr]) -> Lowered:
        pairs = [self.expression(value) for value in values]
        first, node.values = pairs[0][0], [value for _, value in pairs]
        if not any(before for before, _ in pairs[1:]):
            return first, node
        word = self.fresh("holds")
        test = "word" if conjunction else "not word"
        rest: list[ast.stmt] = []
        for before, value in reversed(pairs[1:]):
            block = [*before, self.assignment(word, value, node), *rest]
            rest = statements(f"if {test}: block", node, word=word, block=block)
        return [*first, self.assignment(word, pairs[0][1], node), *rest], name(word, node)

    def comparison(self, node: ast.Compare, operands: list[ast.expr]) -> Lowered:
        if is_membership(node):
            before, left = ([], node.left) if isinstance(node.left, ast.Name) else self.kept(node.left, "value")
            more, found = self.expression(membership(node, left, self.fresh("x")))
            return [*before, *more], found
        if len(operands) == 2 or not any(map(self.needs_statements, operands[1:])):
            before, (node.left, *node.comparators) = self.ordered(operands)
            return before, node
        # `a < b < c` is `a < b and b < c`, with b computed once, and c only if it comes to that.
        word = self.fresh("holds")
        first, left = self.kept(operands[0], "value")
        blocks: list[list[ast.stmt]] = []
        for op, operand in zip(node.ops, operands[1:], strict=True):
            before, right = self.kept(operand, "value")
            link = ast.copy_location(ast.Compare(left, [op], [right]), node)
            blocks.append([*before, self.assignment(word, link, node)])
            left = right
        rest: list[ast.stmt] = []
        for block in reversed(blocks[1:]):
            rest = statements("if word: block", node, word=word, block=[*block, *rest])
        return [*first, *blocks[0], *rest], name(word, node)

    def needs_statements(self, node: ast.expr) -> bool:
        """Whether an expression, or a part of it, cannot be computed in one of the simpler forms."""
        return any(isinstance(part, ast.expr) and self.is_special(part) for part in outside_scales(node, self.tree))

    def is_special(self, node: ast.expr) -> bool:
        match node:
            case ast.IfExp() | ast.Subscript(slice=ast.Slice()):
                return True
            case ast.Subscript(of, _):
                return not isinstance(of, ast.Name)
            case ast.Compare():
                return is_membership(node)
            case ast.BinOp(ast.List([_]), ast.Mult(), _):
                return True
            case ast.BinOp() if needs_name(node):
                return True
            case ast.Call(_, [of]) if self.builtin(node) == "len":
                return not isinstance(of, ast.Name)
            case ast.Call(called) if self.tree.ours(called) in (*NOISES, PICK):
                return needs_list(self.tree, node)
            case ast.Call() if self.helpers.is_helper(node) or self.loops.is_by_key(node):
                return True
            case _:
                return self.is_built(node)

    # ---- what is built in a loop

    def makes_list(self, node: ast.expr) -> bool:
        return isinstance(node, ast.ListComp) or self.builtin(node) in LISTS

    def is_joined(self, node: ast.expr) -> bool:
        """Whether this is `xs + ys`, of lists."""
        return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and is_surely_list(node, self.lists, self.makes_list)

    def is_built(self, node: ast.expr) -> bool:
        """Whether a value needs a loop of its own."""
        match node, self.builtin(node):
            case ast.ListComp(item, [ast.comprehension(ast.Name(), over, [], 0)]), _:
                return not self.loops.is_plain(over) or self.needs_statements(item)
            case ast.ListComp(_, generators), _:
                return not any(generator.is_async for generator in generators)
            case ast.Call(_, args), "max" | "min":
                return len(args) == 1 and not self.loops.is_by_key(node)
            case _, found:
                return found in AGGREGATES or found in LISTS or self.is_joined(node)

    def build(self, node: ast.expr, word: str) -> list[ast.stmt]:
        if isinstance(node, ast.ListComp):
            return self.loops.listed(node, word)
        if isinstance(node, ast.BinOp):
            return self.items.joined(node, word)
        assert isinstance(node, ast.Call)
        return self.loops.aggregate(node, self.builtin(node) or "", word)

    # ---- helper functions

    def inlined(self, node: ast.Call, give: Callable[[ast.expr], list[ast.stmt]] | None) -> list[ast.stmt]:
        """The statements of a helper in place of its call; `give` says what becomes of its answer, None that it is the sketch's."""
        helper, given = self.helpers.enter(node)
        stored = stored_names(helper)
        names: dict[str, ast.expr] = {}
        values: list[tuple[str, ast.expr]] = []
        for word, value in given:
            known = isinstance(value, ast.Name) and value.id in self.sure | self.made
            if word not in stored and (known or isinstance(value, ast.Constant) or is_fixed(value, self.fixed, self.builtin)):
                names[word] = value  # what it stands for cannot change while the helper runs
            else:
                values.append((word, value))
        before, left = self.ordered([value for _, value in values])
        # Python computes every argument, whether the helper uses it or not.
        before += [self.assignment(self.fresh(word), value, value) for word, value in names.items() if may_stop(value, self.epsilon)]
        for word in sorted({word for word, _ in values} | stored):
            names[word] = name(self.variable(word), node)
        for (word, _), value in zip(values, left, strict=True):
            local = names[word]
            assert isinstance(local, ast.Name)
            before.append(self.assignment(local.id, value, value))
        body = [substituted(statement, names) for statement in self.helpers.body(helper)]
        if give is None:
            body += [] if always_returns(body) else statements("return None", node)
        else:
            # A list that the helper made has no other name once it returns, so that a copy is as good.
            made = {local.id for word, local in names.items() if word in stored and isinstance(local, ast.Name)}
            made &= changed_lists(body)
            body = without_returns(body, lambda way: give(copied(way, self.fresh("item")) if isinstance(way, ast.Name) and way.id in made else way), self.fresh, node)
        with self.helpers.inside(helper):
            return [*before, *self.block(body, surely_stored(before))]
