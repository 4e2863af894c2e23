"""Helper functions of the same file, which are read where they are called."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Set
from contextlib import contextmanager
from copy import deepcopy

from kolahal.lang.read.constants import Constants
from kolahal.lang.read.scopes import Function
from kolahal.lang.read.snippets import expression, names_of, statements, with_names
from kolahal.lang.read.tree import Refused, Tree, clip, own_names

Answering = Callable[[ast.expr], list[ast.stmt]]  # what becomes of an answer


class Helpers:
    """The functions of a file that a sketch may call; `own` are the names that the sketch itself gives away."""

    def __init__(self, tree: Tree, function: Function, own: set[str], constants: Constants):
        self.tree = tree
        self.function = function
        self.own = own
        self.constants = constants
        self._open: list[Function] = []  # those that are being read, outermost first
        self._top = [node for node in tree.module.body if isinstance(node, Function)]

    def is_helper(self, node: ast.Call) -> bool:
        """Whether a call is of a function of this file."""
        return self._called(node) is not None

    def _called(self, node: ast.Call) -> Function | None:
        if not isinstance(node.func, ast.Name) or self.tree.aliases.get(node.func.id):  # ours, or Python's
            return None
        if node.func.id in self.own - {self.function.name}:
            return None
        if node.func.id == self.function.name:
            return self.function
        binding = self.tree.scopes.only_binding(self.function, node.func.id)
        return next((f for f in self._top if binding is not None and f is binding.node), None)

    def enter(self, node: ast.Call) -> tuple[Function, list[tuple[str, ast.expr]]]:
        """The function that is called, if it can be read, and its parameters with what they are given, in Python's order."""
        helper = self._called(node)
        assert helper is not None
        if helper is self.function or helper in self._open:
            raise self.tree.refuse("K151", node, name=helper.name)
        self._check(node, helper)
        return helper, self._arguments(node, helper)

    @contextmanager
    def inside(self, helper: Function) -> Iterator[None]:
        self._open.append(helper)
        try:
            yield
        finally:
            self._open.pop()

    def body(self, helper: Function) -> list[ast.stmt]:
        """A copy of a helper's statements, with literals in place of constants."""
        return self.constants.put_into(helper.body, helper)

    def _check(self, node: ast.Call, helper: Function) -> None:
        """Refuse a function that Python would not run as it reads here."""
        self.tree.check_size(helper)
        args = helper.args
        if isinstance(helper, ast.AsyncFunctionDef) or helper.decorator_list:
            raise self._odd(node, helper, "it is decorated or `async`", "Write a plain function.")
        if args.posonlyargs or args.kwonlyargs or args.vararg or args.kwarg:
            raise self._odd(node, helper, "its parameters are not plain", "Write every parameter by name, without *, ** or /.")
        if any(_goes_on(part) for part in ast.walk(helper)):  # such as `yield`, which would make it a generator
            raise self._odd(node, helper, "statements stand behind a `return`", "Remove what no run reaches.")
        for word in sorted(names_of(self.body(helper)) - own_names(helper)):
            meaning = self.tree.scopes.meaning(helper, word, header=False)
            meant, here = meaning.name, self.tree.scopes.meaning(self.function, word, header=False).name
            if meaning.against or meant != here or (word in self.own and word != self.function.name):
                raise self._odd(node, helper, f"`{word}` means something else there than in the sketch", "Rename one of them.")
            if meant == "hole":
                raise self.tree.refuse("K152", node, name=helper.name)
            if meant:
                self.tree.aliases[word] = meant
            elif not self._is_known(helper, word):
                raise self._odd(node, helper, f"`{word}` is none of its parameters", "Hand it over as an argument.")

    def _is_known(self, helper: Function, word: str) -> bool:
        binding = self.tree.scopes.only_binding(helper, word)
        if binding is None:
            return not self.tree.scopes.is_bound(helper, word)  # nobody's: the reader refuses what it does not know
        return any(f is binding.node for f in self._top)

    def _odd(self, node: ast.Call, helper: Function, reason: str, fix: str) -> Refused:
        return self.tree.refuse("K150", node, name=helper.name, reason=reason, fix=fix)

    def _arguments(self, node: ast.Call, helper: Function) -> list[tuple[str, ast.expr]]:
        words = [arg.arg for arg in helper.args.args]
        given: list[tuple[str, ast.expr]] = list(zip(words, node.args))
        given += [(keyword.arg or "**", keyword.value) for keyword in node.keywords]
        have = [word for word, _ in given]
        first = len(words) - len(helper.args.defaults)
        for word, default in zip(words[first:], helper.args.defaults):
            if word not in have:
                value = self.constants.literal(helper, default)
                if value is None or isinstance(value, ast.Tuple):
                    raise self._odd(node, helper, f"the default `{clip(default)}` is no number", "Hand the value over.")
                given.append((word, value))
        starred = any(isinstance(value, ast.Starred) for value in node.args)
        if starred or len(node.args) > len(words) or sorted(word for word, _ in given) != sorted(words):
            raise self._odd(node, helper, f"it takes {', '.join(words) or 'nothing'}", "Give each of these one value.")
        for _, value in given:
            if any(self.tree.ours(part) == "hole" and value is part for part in ast.walk(value)):
                raise self.tree.refuse("K152", value, name=helper.name)
        return given


def may_stop(node: ast.expr, positive: str) -> bool:
    """Whether a value of public numbers divides by one that may be 0; the one called `positive` is not."""
    parts = [part for part in ast.walk(node) if isinstance(part, ast.BinOp)]
    divisors = [part.right for part in parts if isinstance(part.op, ast.Div | ast.FloorDiv | ast.Mod)]
    return not all(getattr(divisor, "value", 0) or getattr(divisor, "id", "") == positive for divisor in divisors)


def substituted(node: ast.stmt, names: Mapping[str, ast.expr]) -> ast.stmt:
    """A statement with other names, or with values in place of names; the statement itself changes."""

    def put(word: ast.Name) -> ast.expr:
        value = names.get(word.id, word)
        if isinstance(value, ast.Name):
            return ast.copy_location(ast.Name(value.id, word.ctx), word)
        return deepcopy(value)

    return with_names(node, put)


# ---------------------------------------------------------------- answers


def always_returns(body: list[ast.stmt]) -> bool:
    """Whether no run reaches the end of some statements, as far as can be seen without asking which way it takes."""
    for node in body:
        match node:
            case ast.Return():
                return True
            case ast.If(_, then, orelse) if always_returns(then) and always_returns(orelse):
                return True
    return False


def _goes_on(node: ast.AST) -> bool:
    """Whether something stands in a block of `node` that no run reaches."""
    blocks = [getattr(node, field, None) for field in ("body", "orelse")]
    return any(always_returns(block[:-1]) for block in blocks if isinstance(block, list))


def _returns(node: ast.AST) -> bool:
    return any(isinstance(part, ast.Return) for part in ast.walk(node))


def without_returns(body: list[ast.stmt], give: Answering, fresh: Callable[[str], str], at: ast.AST) -> list[ast.stmt]:
    """Statements that go on behind their end where they would return, having given their answer to `give`."""
    found: list[ast.stmt] = []
    for place, node in enumerate(body):
        rest = body[place + 1 :]
        match node:
            case ast.Return(value):
                return [*found, *give(value or expression("None", node))]
            case ast.If(test, then, orelse) if _returns(node):
                ways = [way if always_returns(way) else [*way, *deepcopy(rest)] for way in (then, orelse)]
                first, second = (without_returns(way, give, fresh, node) for way in ways)
                return [*found, *statements("if test: A\nelse: B", node, test=test, A=first, B=second)]
            case (ast.For() | ast.While()) if _returns(node):
                done = fresh("done")
                node.body = _leaving(node.body, give, done)
                behind = without_returns(rest, give, fresh, node)
                found += statements("done = False", node, done=done)
                return [*found, node, *statements("if not done: rest", node, done=done, rest=behind)]
            case _:
                found.append(node)
    return [*found, *give(expression("None", at))]


def _leaving(body: list[ast.stmt], give: Answering, done: str) -> list[ast.stmt]:
    """The body of a loop that is left where it would return, with `done` set."""
    found: list[ast.stmt] = []
    for node in body:
        match node:
            case ast.Return(value):
                answer = give(value or expression("None", node))
                return [*found, *answer, *statements("done = True\nbreak", node, done=done)]
            case ast.If(_, then, orelse):
                node.body, node.orelse = _leaving(then, give, done), _leaving(orelse, give, done)
                found.append(node)
            case (ast.For() | ast.While()) if _returns(node):
                node.body = _leaving(node.body, give, done)
                found += [node, *statements("if done: break", node, done=done)]
            case _:
                found.append(node)
    return found


def is_fixed(node: ast.expr, fixed: Set[str], builtin: Callable[[ast.AST], str | None]) -> bool:
    """Whether a value is computed from public numbers alone that never change."""
    for part in ast.walk(node):
        match part:
            case ast.Name(word) if word not in fixed and word != "len":
                return False
            case ast.Constant(value) if isinstance(value, str | bytes):
                return False
            case ast.Call() if builtin(part) != "len":
                return False
            case ast.expr() if not isinstance(part, ast.Name | ast.Constant | ast.Call | ast.BinOp | ast.UnaryOp):
                return False
    return True
