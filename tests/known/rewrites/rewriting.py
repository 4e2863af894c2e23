"""Other ways to write a program: rewrites of its text that keep the distribution of its answer.

A rewrite is given a function's tree and a source of chance, changes the tree in one place, and tells whether there was one.
"""

from __future__ import annotations

import ast
import copy
import random
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

Rewrite = Callable[[ast.FunctionDef, random.Random], bool]

DRAWS = ("Lap", "Exp", "DiscreteLap", "DiscreteExp")
TURNED = {ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE}
DENIED = {ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt}


def rewritten(tree: ast.FunctionDef, rng: random.Random, count: int) -> tuple[ast.FunctionDef, list[str]]:
    """A copy of a function after `count` rewrites, and the names of those that found a place."""
    tree = copy.deepcopy(tree)
    done: list[str] = []
    for rewrite in rng.sample(list(REWRITES), len(REWRITES)):
        if len(done) < count and rewrite(tree, rng):
            ast.fix_missing_locations(tree)
            done.append(rewrite.__name__)
    return tree, done


# ---------------------------------------------------------------- noise


def name_noise(tree: ast.FunctionDef, rng: random.Random) -> bool:
    """`x + Lap(s)` as `eta = Lap(s)` and then `x + eta`."""
    places = [
        (block, at, holder, field)
        for block in _blocks(tree)
        for at, statement in enumerate(block)
        for holder, field in _always_evaluated(statement)
        if _is_draw(_get(holder, field)) and not (isinstance(statement, ast.Assign) and holder is statement)
    ]
    if not places:
        return False
    block, at, holder, field = rng.choice(places)
    name = _fresh(tree, rng.choice(("eta", "noise", "nu")))
    block.insert(at, _assign(name, _get(holder, field)))
    _put(holder, field, ast.Name(name))
    return True


def noisy_list_first(tree: ast.FunctionDef, rng: random.Random) -> bool:
    """The noisy answers as a list before the loop, or their noise alone."""
    for block, at, loop in _loops(tree):
        place = _place_of_noisy_answer(tree, loop)
        if place is None:
            continue
        answer, draw, holder, field = place
        name, over = _fresh(tree, "noisy"), copy.deepcopy(_list_of(answer, loop))
        index = loop.target.id
        if isinstance(answer, ast.Name):  # `for x in q`
            item = ast.BinOp(ast.Name("x"), ast.Add(), draw)
            loop.iter = ast.Name(name)
            _put(holder, field, ast.Name(index))
        elif rng.random() < 0.5:
            item = draw
            _put(holder, field, ast.BinOp(answer, ast.Add(), _item(name, index)))
        else:
            item = ast.BinOp(ast.Name("x"), ast.Add(), draw)
            _put(holder, field, _item(name, index))
        block.insert(at, _assign(name, ast.ListComp(item, [ast.comprehension(ast.Name("x"), over, [], 0)])))
        return True
    return False


def _place_of_noisy_answer(tree: ast.FunctionDef, loop: ast.For) -> tuple[ast.expr, ast.expr, ast.AST, object] | None:
    """The only sum of the loop's own answer and a draw, if the answer is used nowhere else and the scale stays."""
    inner = [node for node in ast.walk(loop) if isinstance(node, ast.For | ast.While | ast.ListComp) and node is not loop]
    draws = [node for node in ast.walk(loop) if _is_draw(node)]
    if inner or len(draws) != 1 or _names_read(draws[0]) & _names_written(loop):
        return None
    for statement in loop.body:
        for holder, field in _everything(statement):
            node = _get(holder, field)
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and _is_draw(node.right):
                answer, private = node.left, _private(tree)
                if isinstance(answer, ast.Name) and ast.unparse(loop.iter) == private and answer.id == loop.target.id:
                    uses = sum(isinstance(n, ast.Name) and n.id == answer.id for n in ast.walk(tree))
                    if uses == 2:
                        return answer, node.right, holder, field
                elif ast.unparse(answer) == f"{private}[{loop.target.id}]" and _counts_answers(loop, private):
                    return answer, node.right, holder, field
    return None


def _list_of(answer: ast.expr, loop: ast.For) -> ast.expr:
    return loop.iter if isinstance(answer, ast.Name) else answer.value  # type: ignore[attr-defined]


# ---------------------------------------------------------------- loops


def count_the_turns(tree: ast.FunctionDef, rng: random.Random) -> bool:
    """`for x in q` as `for i in range(len(q))` with `x = q[i]`."""
    for _, _, loop in _loops(tree):
        if isinstance(loop.iter, ast.Name) and loop.iter.id not in _names_written(loop):
            index, over = _fresh(tree, rng.choice(("i", "k", "place"))), loop.iter.id
            loop.body.insert(0, _assign(loop.target.id, _item(over, index)))
            loop.target, loop.iter = ast.Name(index), _parsed(f"range(len({over}))")
            return True
    return False


def write_while(tree: ast.FunctionDef, rng: random.Random) -> bool:
    """`for i in range(n)` as a `while` that counts."""
    for block, at, loop in _loops(tree):
        match loop.iter:
            case ast.Call(ast.Name("range"), [stop]):
                pass
            case _:
                continue
        index = loop.target.id
        written = {name for node in loop.body for name in _names_written(node)}
        later = any(isinstance(n, ast.Name) and n.id == index for rest in block[at + 1 :] for n in ast.walk(rest))
        goes_on = any(isinstance(n, ast.Continue) for n in ast.walk(loop))
        if later or goes_on or written & {index, *_names_read(stop)} or _own_loops(tree, block):
            continue
        step = _parsed_statement(f"{index} += 1" if rng.random() < 0.5 else f"{index} = {index} + 1")
        test = ast.Compare(ast.Name(index), [ast.Lt()], [stop])
        block[at : at + 1] = [_assign(index, ast.Constant(0)), ast.While(test, [*loop.body, step], [])]
        return True
    return False


def take_the_items(tree: ast.FunctionDef, rng: random.Random) -> bool:
    """`for i in range(len(q))` as `for x in q`, where i is only used as q[i]."""
    for _, _, loop in _loops(tree):
        private = _private(tree)
        if not _counts_answers(loop, private):
            continue
        index, name = loop.target.id, _fresh(tree, "x")
        uses = sum(isinstance(n, ast.Name) and n.id == index for n in ast.walk(tree))
        reads = [(h, f) for node in loop.body for h, f in _everything(node) if ast.unparse(_get(h, f)) == f"{private}[{index}]"]
        if uses != len(reads) + 1:
            continue
        for holder, field in reads:
            _put(holder, field, ast.Name(name))
        loop.target, loop.iter = ast.Name(name), ast.Name(private)
        return True
    return False


def flag_instead_of_return(tree: ast.FunctionDef, rng: random.Random) -> bool:
    """A `return` inside a loop, and the one behind it, as a flag and one `return`."""
    if len(tree.body) < 2 or not isinstance(tree.body[-2], ast.For) or not isinstance(tree.body[-1], ast.Return):
        return False
    loop, last = tree.body[-2], tree.body[-1]
    returns = [node for node in ast.walk(loop) if isinstance(node, ast.Return)]
    nested = [node for node in ast.walk(loop) if isinstance(node, ast.For | ast.While) and node is not loop]
    jumps = [node for node in ast.walk(loop) if isinstance(node, ast.Break | ast.Continue)]
    values = [node.value for node in (*returns, last)]
    lists = _names_of_lists(tree)
    if not returns or nested or jumps or any(_is_several(value, lists) for value in values):
        return False
    done, result = _fresh(tree, "done"), _fresh(tree, "result")
    body = _guarded(loop.body, ast.Return, done, lambda node: [_assign(result, node.value)])
    loop.body = [ast.If(ast.UnaryOp(ast.Not(), ast.Name(done)), body, [])]
    fixed = isinstance(last.value, ast.Constant)
    first = last.value if fixed else ast.Constant(0)
    end = [] if fixed else [ast.If(ast.UnaryOp(ast.Not(), ast.Name(done)), [_assign(result, last.value)], [])]
    tree.body[-2:] = [_assign(done, ast.Constant(False)), _assign(result, first), loop, *end, ast.Return(ast.Name(result))]
    return True


def _names_of_lists(tree: ast.FunctionDef) -> set[str]:
    return {
        target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.List | ast.ListComp)
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def _is_several(value: ast.expr | None, lists: set[str]) -> bool:
    return isinstance(value, ast.Tuple | ast.List | ast.ListComp) or (isinstance(value, ast.Name) and value.id in lists)


def flag_instead_of_break(tree: ast.FunctionDef, rng: random.Random) -> bool:
    """A `break` as a flag, or as a counter of stops, that the rest of the loop is asked under."""
    for block, at, loop in _loops(tree):
        nested = [n for n in ast.walk(loop) if isinstance(n, ast.For | ast.While) and n is not loop]
        breaks = any(isinstance(n, ast.Break) for n in ast.walk(loop))
        used_later = any(loop.target.id in _names_read(rest) for rest in block[at + 1 :])
        if nested or not breaks or used_later or any(isinstance(n, ast.Continue) for n in ast.walk(loop)):
            continue
        flag = _fresh(tree, "stopped")
        body = _guarded(loop.body, ast.Break, flag, lambda _: [])
        loop.body = [ast.If(ast.UnaryOp(ast.Not(), ast.Name(flag)), body, [])]
        block.insert(at, _assign(flag, ast.Constant(False)))
        return True
    return False


def _guarded(
    block: Sequence[ast.stmt], kind: type[ast.stmt], flag: str, instead: Callable[..., list[ast.stmt]]
) -> list[ast.stmt]:
    """A block in which statements of a kind raise a flag, and what would not be reached after them asks for it."""
    result: list[ast.stmt] = []
    for at, node in enumerate(block):
        if isinstance(node, kind):
            return [*result, *instead(node), _assign(flag, ast.Constant(True))]
        ends = any(isinstance(inner, kind) for inner in ast.walk(node))
        if isinstance(node, ast.If) and ends:
            node.body = _guarded(node.body, kind, flag, instead)
            node.orelse = _guarded(node.orelse, kind, flag, instead)
        result.append(node)
        if ends and block[at + 1 :]:
            rest = _guarded(block[at + 1 :], kind, flag, instead)
            return [*result, ast.If(ast.UnaryOp(ast.Not(), ast.Name(flag)), rest, [])]
    return result


# ---------------------------------------------------------------- conditions and values


def deny_a_comparison(tree: ast.FunctionDef, rng: random.Random) -> bool:
    """`a > b` as `not a <= b`."""
    return _change_comparison(tree, rng, lambda a, op, b: ast.UnaryOp(ast.Not(), ast.Compare(a, [DENIED[op]()], [b])))


def turn_a_comparison(tree: ast.FunctionDef, rng: random.Random) -> bool:
    """`a > b` as `b < a`; not where both sides draw, which are then drawn in the other order."""
    return _change_comparison(tree, rng, lambda a, op, b: ast.Compare(b, [TURNED[op]()], [a]))


def compare_with_zero(tree: ast.FunctionDef, rng: random.Random) -> bool:
    """`a > b` as `a - b > 0`."""
    zero = ast.Constant(0)
    return _change_comparison(tree, rng, lambda a, op, b: ast.Compare(ast.BinOp(a, ast.Sub(), b), [op()], [zero]))


def _change_comparison(
    tree: ast.FunctionDef, rng: random.Random, change: Callable[[ast.expr, type[ast.cmpop], ast.expr], ast.expr]
) -> bool:
    places = [
        (holder, field)
        for statement in tree.body
        for holder, field in _everything(statement)
        if isinstance(node := _get(holder, field), ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in TURNED
    ]
    if not places:
        return False
    holder, field = rng.choice(places)
    node = _get(holder, field)
    _put(holder, field, change(node.left, type(node.ops[0]), node.comparators[0]))
    return True


def swap_branches(tree: ast.FunctionDef, rng: random.Random) -> bool:
    """`if c: A else: B` as `if not c: B else: A`."""
    ifs = [n for n in ast.walk(tree) if isinstance(n, ast.If) and n.orelse]
    if not ifs:
        return False
    node = rng.choice(ifs)
    node.test = ast.UnaryOp(ast.Not(), node.test)
    node.body, node.orelse = node.orelse, node.body
    return True


def outline(tree: ast.FunctionDef, rng: random.Random) -> bool:
    """A sum as a variable of its own."""
    places = [
        (block, at, holder, field)
        for block in _blocks(tree)
        for at, statement in enumerate(block)
        for holder, field in _always_evaluated(statement)
        if isinstance(_get(holder, field), ast.BinOp) and not (isinstance(statement, ast.Assign) and holder is statement)
    ]
    if not places:
        return False
    block, at, holder, field = rng.choice(places)
    name = _fresh(tree, rng.choice(("value", "v", "total")))
    block.insert(at, _assign(name, _get(holder, field)))
    _put(holder, field, ast.Name(name))
    return True


def inline(tree: ast.FunctionDef, rng: random.Random) -> bool:
    """A variable that is used once, in the next statement, as what it stands for."""
    for block in _blocks(tree):
        for at, node in enumerate(block[:-1]):
            if not (isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)):
                continue
            name = node.targets[0].id
            uses = sum(isinstance(n, ast.Name) and n.id == name for n in ast.walk(tree))
            found = [(h, f) for h, f in _always_evaluated(block[at + 1]) if _is_name(_get(h, f), name)]
            if uses == 2 and len(found) == 1 and not isinstance(node.value, ast.List | ast.ListComp | ast.Tuple):
                holder, field = found[0]
                _put(holder, field, node.value)
                del block[at]
                return True
    return False


def reorder(tree: ast.FunctionDef, rng: random.Random) -> bool:
    """Two assignments that do not need each other, the other way round."""
    places = []
    for block in _blocks(tree):
        for at, (one, two) in enumerate(pairwise(block)):
            if isinstance(one, ast.Assign) and isinstance(two, ast.Assign):
                written = _names_written(one), _names_written(two)
                if not (written[0] & (_names_read(two) | written[1]) or written[1] & _names_read(one)):
                    places.append((block, at))
    if not places:
        return False
    block, at = rng.choice(places)
    block[at], block[at + 1] = block[at + 1], block[at]
    return True


def write_out_steps(tree: ast.FunctionDef, rng: random.Random) -> bool:
    """`x += 1` as `x = x + 1`, and the other way round."""
    for block in _blocks(tree):
        for at, node in enumerate(block):
            match node:
                case ast.AugAssign(ast.Name(name), op, value):
                    block[at] = _assign(name, ast.BinOp(ast.Name(name), op, value))
                    return True
                case ast.Assign([ast.Name(name)], ast.BinOp(ast.Name(left), ast.Add() as op, value)) if left == name:
                    block[at] = ast.AugAssign(ast.Name(name), op, value)
                    return True
    return False


def rename(tree: ast.FunctionDef, rng: random.Random) -> bool:
    """Other names for the program's own variables."""
    own = sorted({n for statement in tree.body for n in _names_written(statement)} - {a.arg for a in tree.args.args})
    new = {name: f"{rng.choice('abcuvwz')}{index}" for index, name in enumerate(own)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in new:
            node.id = new[node.id]
    return bool(own)


def list_or_tuple_out(tree: ast.FunctionDef, rng: random.Random) -> bool:
    """`return a, b` as `return [a, b]`, and the other way round."""
    returns = [n for n in ast.walk(tree) if isinstance(n, ast.Return)]
    if len(returns) != 1 or not isinstance(returns[0].value, ast.Tuple | ast.List) or not returns[0].value.elts:
        return False
    value = returns[0].value
    returns[0].value = (ast.List if isinstance(value, ast.Tuple) else ast.Tuple)(value.elts)
    return True


REWRITES: tuple[Rewrite, ...] = (
    name_noise,
    noisy_list_first,
    count_the_turns,
    write_while,
    take_the_items,
    flag_instead_of_return,
    flag_instead_of_break,
    deny_a_comparison,
    turn_a_comparison,
    compare_with_zero,
    swap_branches,
    outline,
    inline,
    reorder,
    write_out_steps,
    rename,
    list_or_tuple_out,
)

# ---------------------------------------------------------------- trees


def _private(tree: ast.FunctionDef) -> str:
    return next(a.arg for a in tree.args.args if a.annotation and ast.unparse(a.annotation).startswith("Private"))


def _counts_answers(loop: ast.For, private: str) -> bool:
    return ast.unparse(loop.iter) == f"range(len({private}))" and not _names_written(loop) & {private}


def _blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    for inner in ast.walk(node):
        for field in ("body", "orelse"):
            block = getattr(inner, field, None)
            if isinstance(block, list) and block:
                yield block


def _loops(tree: ast.FunctionDef) -> Iterator[tuple[list[ast.stmt], int, ast.For]]:
    for block in list(_blocks(tree)):
        for at, node in enumerate(block):
            if isinstance(node, ast.For) and isinstance(node.target, ast.Name):
                yield block, at, node


def _own_loops(tree: ast.FunctionDef, block: list[ast.stmt]) -> bool:
    """Whether a block is inside a loop, where the variable of an inner loop keeps its last value."""
    return any(inner is block for n in ast.walk(tree) if isinstance(n, ast.For | ast.While) for inner in _blocks(n))


def _always_evaluated(statement: ast.stmt) -> Iterator[tuple[ast.AST, object]]:
    """The expressions that are evaluated once whenever a statement is reached, and before it has an effect."""
    match statement:
        case ast.Assign() | ast.AugAssign() | ast.Return() if statement.value is not None:
            start: tuple[ast.AST, object] = (statement, "value")
        case ast.If():
            start = (statement, "test")
        case ast.Expr(ast.Call(ast.Attribute(), [_])):
            start = (statement.value, ("args", 0))
        case _:
            return
    yield from _within(*start)


def _everything(statement: ast.stmt) -> Iterator[tuple[ast.AST, object]]:
    for node in ast.walk(statement):
        for field, value in ast.iter_fields(node):
            if isinstance(value, ast.expr):
                yield node, field
            elif isinstance(value, list):
                yield from ((node, (field, i)) for i, item in enumerate(value) if isinstance(item, ast.expr))


def _within(holder: ast.AST, field: object) -> Iterator[tuple[ast.AST, object]]:
    yield holder, field
    node = _get(holder, field)
    if isinstance(node, ast.ListComp | ast.IfExp) or _is_draw(node):
        return
    for name, value in ast.iter_fields(node):
        if isinstance(value, ast.expr):
            yield from _within(node, name)
        elif isinstance(value, list):
            items = value[:1] if isinstance(node, ast.BoolOp) or (isinstance(node, ast.Compare) and len(value) > 1) else value
            for i, item in enumerate(items):
                if isinstance(item, ast.expr):
                    yield from _within(node, (name, i))


def _get(holder: ast.AST, field: object) -> ast.AST:
    if isinstance(field, tuple):
        name, index = field
        return getattr(holder, name)[index]  # type: ignore[no-any-return]
    return getattr(holder, str(field))  # type: ignore[no-any-return]


def _put(holder: ast.AST, field: object, value: ast.AST) -> None:
    if isinstance(field, tuple):
        name, index = field
        getattr(holder, name)[index] = value
    else:
        setattr(holder, str(field), value)


def _is_draw(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in DRAWS


def _is_name(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _names_read(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def _names_written(node: ast.AST) -> set[str]:
    found: set[str] = set()
    for inner in ast.walk(node):
        match inner:
            case ast.Assign(targets):
                found |= {n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)}
            case ast.AugAssign(ast.Name(name)) | ast.For(ast.Name(name)):
                found.add(name)
            case ast.Call(ast.Attribute(ast.Name(name), "append" | "insert")):
                found.add(name)
    return found


def _fresh(tree: ast.FunctionDef, stem: str) -> str:
    taken = _names_read(tree) | {a.arg for a in tree.args.args}
    return next(name for i in range(len(taken) + 1) if (name := stem if i == 0 else f"{stem}{i}") not in taken)


def _assign(name: str, value: ast.AST) -> ast.Assign:
    return ast.Assign([ast.Name(name)], value)


def _item(name: str, index: str) -> ast.expr:
    return _parsed(f"{name}[{index}]")


def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _parsed_statement(text: str) -> ast.stmt:
    return ast.parse(text).body[0]
