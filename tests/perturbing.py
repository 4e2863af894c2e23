"""Programs that differ from others by a change or two, at random: a statement more or less, another bound, a name that is given something else.

`perturbed` changes the text of a body; most of what comes out means something, and some of it is what nobody thought of.
"""

from __future__ import annotations

import ast
import copy
import random
from collections.abc import Callable, Iterator

Block = list[ast.stmt]
DONORS = (
    "0", "1", "-1", "2", "1 / 2", "None", "True", "False", "len(q)", "k", "T", "q[0]", "q[-1]", "q[k]", "q", "[]", "[0]", "[k]", "Lap(1/eps)", "len(q) - 1", "-k", "0 - 1", "not True",
    "[i for i in q]", "[q[j] for j in range(1, len(q))]", "range(k)", "range(1, len(q))", "range(len(q))", "max(q)",
)  # fmt: skip
OWN = frozenset({"range", "len", "max", "min", "Lap", "Exp", "choose", "eps", "list", "sum", "enumerate", "zip", "abs", "any", "all", "sorted", "reversed"})
JUMPS = ("break", "continue", "return {0}", "{1} = {0}", "{1} += {0}", "{1}.append({0})", "{1}[{0}] = {2}", "pass")


def perturbed(body: str, rng: random.Random, many: int) -> str | None:
    """The body with so many changes; None where one found no place."""
    tree = ast.parse(body)
    for _ in range(many):
        change = rng.choices([c for c, _ in CHANGES], [weight for _, weight in CHANGES])[0]
        try:
            if not change(tree, rng):
                return None
        except (SyntaxError, IndexError):  # two parts that do not stand beside one another, or no place at all
            return None
    ast.fix_missing_locations(tree)
    return ast.unparse(tree)


def _blocks(node: ast.AST) -> Iterator[Block]:
    for part in ast.walk(node):
        for name in ("body", "orelse"):
            inner = getattr(part, name, None)
            if isinstance(inner, list) and inner:
                yield inner


def _place(tree: ast.AST, rng: random.Random) -> tuple[Block, int]:
    block = rng.choice(list(_blocks(tree)))
    return block, rng.randrange(len(block))


def _names(tree: ast.AST) -> list[str]:
    found = sorted({node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} - OWN)
    return [*found, "new"]


def _slots(tree: ast.AST) -> list[tuple[ast.AST, str, int | None]]:
    """Where an expression stands."""
    found: list[tuple[ast.AST, str, int | None]] = []
    for node in ast.walk(tree):
        for name, value in ast.iter_fields(node):
            if _is_value(value):
                found.append((node, name, None))
            elif isinstance(value, list):
                found += [(node, name, i) for i, item in enumerate(value) if _is_value(item)]
    return found


def _is_value(node: object) -> bool:
    return isinstance(node, ast.expr) and not isinstance(node, ast.Slice) and not isinstance(getattr(node, "ctx", ast.Load()), ast.Store)


def _get(slot: tuple[ast.AST, str, int | None]) -> ast.expr:
    node, name, at = slot
    value = getattr(node, name)
    return value if at is None else value[at]


def _put(slot: tuple[ast.AST, str, int | None], new: ast.expr) -> None:
    node, name, at = slot
    if at is None:
        setattr(node, name, new)
    else:
        getattr(node, name)[at] = new


def _donor(tree: ast.AST, rng: random.Random) -> ast.expr:
    """An expression: one of the program's own, or a plain one."""
    if rng.random() < 0.5:
        return copy.deepcopy(_get(rng.choice(_slots(tree))))
    return ast.parse(rng.choice((*DONORS, *_names(tree))), mode="eval").body


def _jump(tree: ast.AST, rng: random.Random) -> ast.stmt:
    parts = [ast.unparse(_donor(tree, rng)) for _ in range(3)]
    parts[1] = rng.choice(_names(tree))
    return ast.parse(rng.choice(JUMPS).format(*parts)).body[0]


def delete(tree: ast.AST, rng: random.Random) -> bool:
    block, at = _place(tree, rng)
    if len(block) > 1:
        del block[at]
    return True


def duplicate(tree: ast.AST, rng: random.Random) -> bool:
    (block, at), (other, to) = _place(tree, rng), _place(tree, rng)
    other.insert(to + rng.randint(0, 1), copy.deepcopy(block[at]))
    return True


def move(tree: ast.AST, rng: random.Random) -> bool:
    block, at = _place(tree, rng)
    if len(block) == 1:
        return False
    node = block.pop(at)
    other, to = _place(tree, rng)
    other.insert(to + rng.randint(0, 1), node)
    return True


def swap(tree: ast.AST, rng: random.Random) -> bool:
    block, at = _place(tree, rng)
    if at + 1 >= len(block):
        return False
    block[at], block[at + 1] = block[at + 1], block[at]
    return True


def insert(tree: ast.AST, rng: random.Random) -> bool:
    block, at = _place(tree, rng)
    new = _jump(tree, rng)
    kind = rng.random()
    test, names = _donor(tree, rng), _names(tree)
    if kind < 0.3:
        head = rng.choice((f"if {ast.unparse(test)} > {ast.unparse(_donor(tree, rng))}: pass", f"if {rng.choice(names)} == {rng.choice(names)}: pass", f"if {ast.unparse(test)}: pass", f"if {rng.choice(names)} is None: pass"))
        holder = ast.parse(head).body[0]
        holder.body = [new]  # type: ignore[attr-defined]
        new = holder
    elif kind < 0.45:
        holder = ast.parse(f"for {rng.choice(names)} in {ast.unparse(test)}: pass").body[0]
        holder.body = [new]  # type: ignore[attr-defined]
        new = holder
    block.insert(at + rng.randint(0, 1), new)
    return True


def wrap(tree: ast.AST, rng: random.Random) -> bool:
    block, at = _place(tree, rng)
    names = _names(tree)
    head = rng.choice(("if T > 0: pass", "if q[0] > T: pass", f"for {rng.choice(names)} in range(k): pass", f"for {rng.choice(names)} in q: pass", f"if {rng.choice(names)} > 0: pass"))
    holder = ast.parse(head).body[0]
    holder.body = block[at : at + rng.randint(1, 3)]  # type: ignore[attr-defined]
    block[at : at + len(holder.body)] = [holder]  # type: ignore[attr-defined]
    return True


def exchange(tree: ast.AST, rng: random.Random) -> bool:
    _put(rng.choice(_slots(tree)), _donor(tree, rng))
    return True


def rename_one(tree: ast.AST, rng: random.Random) -> bool:
    rng.choice([node for node in ast.walk(tree) if isinstance(node, ast.Name)]).id = rng.choice(_names(tree))
    return True


def rename_all(tree: ast.AST, rng: random.Random) -> bool:
    old, new = rng.choice(_names(tree)), rng.choice(_names(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id == old:
            node.id = new
    return True


def operator(tree: ast.AST, rng: random.Random) -> bool:
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Compare | ast.BinOp | ast.BoolOp)]
    if not found:
        return False
    node = rng.choice(found)
    if isinstance(node, ast.Compare):
        node.ops = [rng.choice((ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq))()]
        node.comparators = node.comparators[:1]
    elif isinstance(node, ast.BinOp):
        node.op = rng.choice((ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod))()
    else:
        node.op = rng.choice((ast.And, ast.Or))()
    return True


def nudge(tree: ast.AST, rng: random.Random) -> bool:
    slot = rng.choice(_slots(tree))
    value = _get(slot)
    new = ast.BinOp(value, rng.choice((ast.Add, ast.Sub, ast.Mult))(), ast.Constant(rng.choice((0, 1, 2)))) if rng.random() < 0.7 else ast.UnaryOp(ast.USub(), value)
    _put(slot, new)
    return True


Change = Callable[[ast.AST, random.Random], bool]
CHANGES: tuple[tuple[Change, int], ...] = (
    (delete, 1), (duplicate, 2), (move, 2), (swap, 2), (insert, 6), (wrap, 2), (exchange, 4), (rename_one, 4), (rename_all, 2), (operator, 2), (nudge, 2),
)  # fmt: skip
