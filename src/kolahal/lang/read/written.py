"""Loops over values that are written out, and dictionaries with written labels, in programs over records: places instead.

`for name, bar in zip(NAMES, BARS)` becomes a loop over range(n), with items of two lists of constants for the names; a dictionary
becomes the list of its values. What cannot be read so stays as it is, and the reader refuses it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import field
from itertools import product
from typing import TypeAlias

from kolahal.lang.ir import numbered
from kolahal.lang.read.record_trees import MOST_AGGREGATES, at_place, written
from kolahal.lang.read.snippets import changed_lists, expression
from kolahal.lang.read.tree import Tree, stored_names
from kolahal.nouns import dataclass

Label: TypeAlias = str | int
NamingNode = ast.For | ast.ListComp | ast.DictComp | ast.GeneratorExp


@dataclass(frozen=True, slots=True)
class TurnValues:
    """What a name of a loop is in each turn: constants, or the items of a dictionary that is a list now."""

    values: tuple[ast.expr, ...]
    of: str = ""


BUILTINS = ("zip", "enumerate", "dict", "len", "range", "max", "min")  # that are given their meaning here


def with_places(body: list[ast.stmt], rows: str, taken: set[str]) -> tuple[list[ast.stmt], dict[str, tuple[ast.expr, ...]]]:
    """Statements without loops over written values that are used outside aggregates and without dictionaries; and lists of constants."""
    found = _Places(body, rows, taken)
    found.run()
    return found.body, found.lists


def refuse_dictionary(tree: Tree, body: list[ast.stmt]) -> bool:
    """Whether a program answers with a dictionary, which is refused."""
    for answer in (n for statement in body for n in ast.walk(statement) if isinstance(n, ast.Return)):
        if isinstance(answer.value, ast.Dict | ast.DictComp):
            tree.fault("K103", answer.value, thing="a dictionary as an answer", fix="Answer with the list of its values: [… for k in labels].")
            return True
    return False


@dataclass(slots=True)
class _Places:
    body: list[ast.stmt]
    rows: str
    taken: set[str]
    lists: dict[str, tuple[ast.expr, ...]] = field(default_factory=dict)
    labels: dict[str, tuple[Label, ...]] = field(default_factory=dict)  # of dictionaries
    new: list[ast.stmt] = field(default_factory=list)

    def run(self) -> None:
        stored = [n.id for n in self.nodes() if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
        changed = changed_lists(self.body)
        for statement in self.body:
            match statement:
                case ast.Assign([ast.Name(id=name)], ast.List(items) | ast.Tuple(items)) if stored.count(name) == 1 and name not in changed:
                    if items and all(written(item) is not None for item in items) and len(items) <= MOST_AGGREGATES:
                        self.lists[name] = tuple(items)
                        statement.value = at_place(ast.List(items, ast.Load()), statement.value)  # a tuple never changes either
        self.drop_shared()
        for statement in self.body:
            self.find_dictionary(statement, stored)
        self.labels = {name: labels for name, labels in self.labels.items() if labels}
        self.drop_early()
        self.drop_odd()
        for statement in self.body:
            self.make_list(statement)
        self.body = [_Uses(self).visit(statement) for statement in self.body]
        self.body[:0] = self.new

    def drop_shared(self) -> None:
        """Forget lists that may get another name, by which they could change."""
        plain: set[int] = set()
        for node in self.nodes():
            match node:
                case ast.Subscript(of):
                    plain.add(id(of))
                case ast.Call(ast.Name(id="len" | "zip" | "enumerate"), args):
                    plain |= set(map(id, args))
                case ast.For(_, over) | ast.comprehension(_, over):
                    plain.add(id(over))
        for node in self.nodes():
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) not in plain:
                self.lists.pop(node.id, None)

    def drop_early(self) -> None:
        """Forget what is named before it is made: Python stops there, and whether it comes there may depend on the records."""
        named: set[str] = set()
        for statement in self.body:
            made = ""
            match statement:
                case ast.Assign([ast.Name(id=name)], value) if name in self.lists or self.labels_of(value) == self.labels.get(name, ()):
                    made = name if not any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(value)) else ""
            here = {n.id for n in ast.walk(statement) if isinstance(n, ast.Name)}
            for name in here - named - {made}:
                self.lists.pop(name, None)
                self.labels.pop(name, None)
            named |= here

    def nodes(self) -> Iterator[ast.AST]:
        return (node for statement in self.body for node in ast.walk(statement))

    def fresh(self, base: str) -> str:
        word = numbered(base, self.taken, 1)
        self.taken.add(word)
        return word

    # ---- dictionaries

    def find_dictionary(self, node: ast.stmt, stored: Sequence[str]) -> None:
        match node:
            case ast.Assign([ast.Name(id=name)], value):
                made = [n for n in self.body if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name) and n.targets[0].id == name]
                labels = self.labels_of(value)
                if labels and len(set(labels)) == len(labels) <= MOST_AGGREGATES and stored.count(name) == len(made):
                    self.labels[name] = labels if self.labels.get(name, labels) == labels else ()
                elif name in self.labels:
                    self.labels[name] = ()  # it is something else later on

    def labels_of(self, value: ast.expr) -> tuple[Label, ...] | None:
        keys: Sequence[ast.expr | None] = ()
        match value:
            case ast.Dict(keys, _):
                pass
            case ast.Call(ast.Attribute(ast.Name(id="dict"), "fromkeys"), [over, ast.Constant()], []):
                columns = self.columns(over)
                keys = columns[0].values if columns is not None and len(columns) == 1 else ()
            case ast.DictComp(ast.Name(id=name), _, [ast.comprehension(target, over, [], 0)]):
                turns = self.turn(target, over)
                keys = turns[name].values if turns is not None and name in turns and not turns[name].of else ()
            case _:
                return None
        found = [key.value for key in keys if isinstance(key, ast.Constant) and isinstance(key.value, str | int) and not isinstance(key.value, bool)]
        return tuple(found) if len(found) == len(keys) else None

    def drop_odd(self) -> None:
        """Forget dictionaries that are used in other ways than those that are known here."""
        while True:
            plain = {id(name) for node in self.nodes() for name in self.plain_uses(node)}
            odd = {n.id for n in self.nodes() if isinstance(n, ast.Name) and n.id in self.labels and id(n) not in plain}
            if not odd:
                return
            for name in odd:
                del self.labels[name]

    def plain_uses(self, node: ast.AST) -> list[ast.Name]:
        match node:
            case ast.Assign([ast.Name(id=name) as target], _) if name in self.labels:
                return [target]
            case ast.Subscript(ast.Name(id=name) as of, ast.Constant(value=label)) if name in self.labels and label in self.labels[name]:
                return [of]
            case ast.For(_, ast.Name(id=rows), body) if rows == self.rows:  # `counts[r.kind] += 1`
                targets = [n.target for s in body for n in ast.walk(s) if isinstance(n, ast.AugAssign)]
                return [t.value for t in targets if isinstance(t, ast.Subscript) and isinstance(t.value, ast.Name)]
            case ast.Call(ast.Name(id="len"), [ast.Name(id=name) as of], []) if name in self.labels:
                return [of]
            case ast.Call(ast.Attribute(ast.Name(id=name) as of, "values"), [], []) if name in self.labels:
                return [of]
            case ast.Call(ast.Attribute(ast.Name(id=name) as of, "get"), [ast.Constant(), *rest], []) if name in self.labels:
                return [of] if [written(other) is not None for other in rest] in ([], [True]) else []  # Python computes the other value, too
            case ast.Call(ast.Name(id="max" | "min"), [ast.Name(id=name) as of], [ast.keyword("key", ast.Attribute(ast.Name(id=again) as by, "get"))]):
                return [of, by] if name == again else []
            case ast.For(target, over, inner):
                return self.in_turns(target, over, inner)
            case ast.ListComp(item, [ast.comprehension(target, over, ifs, 0)]) | ast.GeneratorExp(item, [ast.comprehension(target, over, ifs, 0)]):
                return self.in_turns(target, over, [item, *ifs])
            case ast.DictComp(_, item, [ast.comprehension(target, over, [], 0)]):
                return self.in_turns(target, over, [item])
            case _:
                return []

    def in_turns(self, target: ast.expr, over: ast.expr, inner: Sequence[ast.AST]) -> list[ast.Name]:
        """The dictionaries that a loop over written values goes over, and those that it reads at its own labels."""
        turn = self.turn(target, over)
        if turn is None or not self.is_inner(turn, inner):
            return []
        found = [n for n in ast.walk(over) if isinstance(n, ast.Name) and n.id in self.labels]
        for part in (part for tree in inner for part in ast.walk(tree)):
            match part:
                case ast.Subscript(ast.Name(id=name) as of, ast.Name(id=key)) if name in self.labels and key in turn:
                    if not turn[key].of and set(_labels(turn[key].values)) <= set(self.labels[name]):
                        found.append(of)
        return found

    def make_list(self, node: ast.stmt) -> None:
        """A dictionary as the list of its values."""
        match node:
            case ast.Assign([ast.Name(id=name)], value) if name in self.labels:
                match value:
                    case ast.Dict(_, values):
                        node.value = at_place(ast.List(values, ast.Load()), value)
                    case ast.Call(_, [_, start]):
                        node.value = at_place(ast.List([start] * len(self.labels[name]), ast.Load()), value)
                    case ast.DictComp(_, item, generators):
                        node.value = at_place(ast.ListComp(item, generators), value)

    # ---- what loops go over

    def columns(self, over: ast.expr) -> list[TurnValues] | None:
        """What an expression that is gone over has in each turn, if that is written out."""
        match over:
            case (ast.Tuple(items) | ast.List(items)) if items and all(written(item) is not None for item in items):
                return [TurnValues(tuple(items))]
            case ast.Name(id=name) if name in self.lists:
                return [TurnValues(self.lists[name])]
            case ast.Call(ast.Name(id="range"), [start, stop, step], []) if numbers := _range(start, stop, step):
                return [TurnValues(tuple(at_place(ast.Constant(number), over) for number in numbers))]
            case ast.Name(id=name) | ast.Call(ast.Attribute(ast.Name(id=name), "keys"), [], []) if name in self.labels:
                return [TurnValues(tuple(at_place(ast.Constant(label), over) for label in self.labels[name]))]
            case ast.Call(ast.Attribute(ast.Name(id=name), "items" | "values" as what), [], []) if name in self.labels:
                keys = tuple(at_place(ast.Constant(label), over) for label in self.labels[name])
                return [*([TurnValues(keys)] if what == "items" else []), TurnValues(keys, name)]
            case ast.Subscript(of, ast.Slice(lower, upper, None)):
                inner, ends = self.columns(of), [_whole(end) for end in (lower, upper)]
                if inner is None or (lower is not None and ends[0] is None) or (upper is not None and ends[1] is None):
                    return None
                return [TurnValues(c.values[ends[0] : ends[1]]) for c in inner] if not any(c.of for c in inner) else None
            case ast.Call(ast.Name(id="enumerate"), [of], []):
                inner = self.columns(of)
                places = () if inner is None else range(len(inner[0].values))
                return None if inner is None else [TurnValues(tuple(at_place(ast.Constant(i), over) for i in places)), *inner]
            case ast.Call(ast.Name(id="zip"), several, []) if several:
                found = [self.columns(one) for one in several]
                parts = [column for one in found if one is not None for column in one]
                least = min((len(column.values) for column in parts), default=0)
                cut = any(column.of and len(column.values) > least for column in parts)
                return [TurnValues(c.values[:least], c.of) for c in parts] if None not in found and least and not cut else None
            case _:
                return None

    def turn(self, target: ast.expr, over: ast.expr) -> dict[str, TurnValues] | None:
        """What each name of a loop's target is in each turn."""
        columns, names = self.columns(over), list(_names(target))
        if columns is None or len(columns) != len(names) or len(set(names)) != len(names) or len(columns[0].values) > MOST_AGGREGATES:
            return None
        if _shape(target) != _shape_of(over):
            return None
        return dict(zip(names, columns, strict=True))

    def is_inner(self, turn: Mapping[str, TurnValues], inner: Sequence[ast.AST]) -> bool:
        """Whether the names of a loop have no other value inside it, and their last one, which a statement leaves, is not read."""
        if any(name in stored_names(tree) for name in turn for tree in inner):
            return False
        items = [n for tree in inner for n in ast.walk(tree) if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store)]
        if {n.value.id for n in items if isinstance(n.value, ast.Name)} & {column.of for column in turn.values()}:
            return False  # the name keeps the value from before
        return not any(isinstance(tree, ast.stmt) for tree in inner) or not any(self.is_read_behind(name, inner) for name in turn)

    def is_read_behind(self, name: str, inner: Sequence[ast.AST]) -> bool:
        """Whether a name is read outside some trees, and not in a loop that gives it a value of its own."""
        own = {id(node) for tree in inner for node in ast.walk(tree)}
        for node in self.nodes():
            if isinstance(node, NamingNode) and name in _bound(node):
                own |= {id(part) for tree in _inside(node) for part in ast.walk(tree)}
        changed = {id(n.target) for n in self.nodes() if isinstance(n, ast.AugAssign)}
        mine = (n for n in self.nodes() if isinstance(n, ast.Name) and n.id == name and id(n) not in own)
        return any(isinstance(n.ctx, ast.Load) or id(n) in changed for n in mine)


class _Uses(ast.NodeTransformer):
    """Puts places in the place of loops over written values, and of labels."""

    def __init__(self, places: _Places):
        self.all = places

    def visit_For(self, node: ast.For) -> ast.stmt:
        if isinstance(node.iter, ast.Name) and node.iter.id == self.all.rows:
            node.body = [_Counting(self.all.labels).visit(statement) for statement in node.body]
            return node
        put = self.placed(node.target, node.iter, node.body)
        if put is not None:
            node.target, node.iter, change = put
            node.body = [change(statement) for statement in node.body]
        self.generic_visit(node)
        return node

    def comprehension(self, node: ast.ListComp | ast.GeneratorExp) -> ast.expr:
        if len(node.generators) == 1:
            (loop,) = node.generators
            put = self.placed(loop.target, loop.iter, [node.elt, *loop.ifs])
            if put is not None:
                loop.target, loop.iter, change = put
                node.elt, loop.ifs = change(node.elt), [change(test) for test in loop.ifs]
        self.generic_visit(node)
        return node

    visit_ListComp = visit_GeneratorExp = comprehension

    def placed(self, target: ast.expr, over: ast.expr, inner: Sequence[ast.AST]) -> tuple[ast.Name, ast.expr, Callable] | None:  # type: ignore[type-arg]
        """The place that a loop goes over instead, if it goes over written values and needs one, and what puts it inside."""
        turn = self.all.turn(target, over)
        if turn is None or not self.all.is_inner(turn, inner) or not (len(turn) > 1 or self.needs_place(turn, over, inner)):
            return None
        place, size = self.all.fresh("place"), len(next(iter(turn.values())).values)
        items: dict[str, ast.expr] = {}
        for name, column in turn.items():
            if not column.of and not self.is_used(name, inner):
                continue
            if column.of:
                items[name] = ast.Subscript(ast.Name(column.of, ast.Load()), ast.Name(place, ast.Load()), ast.Load())
            elif [getattr(value, "value", None) for value in column.values] == list(range(size)):
                items[name] = ast.Name(place, ast.Load())
            else:
                items[name] = ast.Subscript(ast.Name(self.listed(name, column, over), ast.Load()), ast.Name(place, ast.Load()), ast.Load())
        keys = {n: _labels(c.values) for n, c in turn.items() if not c.of}
        at: dict[tuple[str, str], ast.expr] = {}
        for (name, labels), (key, own) in product(self.all.labels.items(), keys.items()):
            if own == labels:
                at[name, key] = ast.Name(place, ast.Load())
            elif set(own) <= set(labels) and self.is_read(name, key, inner):  # in another order
                others = TurnValues(tuple(at_place(ast.Constant(labels.index(label)), over) for label in own))
                at[name, key] = ast.Subscript(ast.Name(self.listed(name, others, over), ast.Load()), ast.Name(place, ast.Load()), ast.Load())
        change = _Items(items, at)
        return at_place(ast.Name(place, ast.Store()), target), expression(f"range({size})", over), change.visit

    def is_used(self, name: str, inner: Sequence[ast.AST]) -> bool:
        """Whether a name of a loop is more than the label of dictionaries."""
        nodes = [node for tree in inner for node in ast.walk(tree)]
        keys = {id(n.slice) for n in nodes if isinstance(n, ast.Subscript) and isinstance(n.value, ast.Name) and n.value.id in self.all.labels}
        return any(isinstance(n, ast.Name) and n.id == name and id(n) not in keys for n in nodes)

    def is_read(self, name: str, key: str, inner: Sequence[ast.AST]) -> bool:
        parts = (part for tree in inner for part in ast.walk(tree) if isinstance(part, ast.Subscript))
        return any(ast.unparse(part) == f"{name}[{key}]" for part in parts)

    def needs_place(self, turn: Mapping[str, TurnValues], over: ast.expr, inner: Sequence[ast.AST]) -> bool:
        """Whether a value is used outside aggregates, or is a label or an item of a dictionary."""
        (name,) = turn
        inside = {id(n) for tree in inner for part in ast.walk(tree) if self.is_aggregate(part) for n in ast.walk(part)}
        used = [n for tree in inner for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id == name and id(n) not in inside]
        asked = any(self.is_aggregate(part) for tree in inner for part in ast.walk(tree))
        dictionary = any(isinstance(n, ast.Name) and n.id in self.all.labels for tree in (over, *inner) for n in ast.walk(tree))
        return bool(turn[name].of) or dictionary or (asked and (bool(used) or not isinstance(over, ast.Tuple | ast.List)))

    def is_aggregate(self, node: ast.AST) -> bool:
        loops = [g.iter for g in node.generators] if isinstance(node, ast.GeneratorExp | ast.ListComp) else []
        return any(isinstance(over, ast.Name) and over.id == self.all.rows for over in loops)

    def listed(self, name: str, column: TurnValues, at: ast.expr) -> str:
        """The list of the constants of a column."""
        known = next((n for n, values in self.all.lists.items() if values == column.values), None)
        if known is not None:
            return known
        word = self.all.fresh(f"{name}_values")
        self.all.lists[word] = column.values
        values = ast.List([deepcopy(v) for v in column.values], ast.Load())
        self.all.new.append(at_place(ast.Assign([ast.Name(word, ast.Store())], values), at))
        return word

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        match node:
            case ast.Subscript(ast.Name(id=name), ast.Constant(value=label)) if name in self.all.labels:
                node.slice = at_place(ast.Constant(self.all.labels[name].index(label)), node)
        self.generic_visit(node)
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        labels = self.all.labels
        match node:
            case ast.Call(ast.Name(id="len"), [of], []) if (known := self.all.columns(of)) is not None and not isinstance(of, ast.Call):
                return at_place(ast.Constant(len(known[0].values)), node)
            case ast.Call(ast.Attribute(ast.Name(id=name) as of, "values"), [], []) if name in labels:
                return of
            case ast.Call(ast.Attribute(ast.Name(id=name) as of, "get"), [ast.Constant(value=label), *rest], []) if name in labels:
                if label in labels[name]:
                    place = ast.Constant(labels[name].index(label))
                    return at_place(ast.Subscript(of, place, ast.Load()), node)
                return rest[0] if rest else at_place(ast.Constant(None), node)
            case ast.Call(ast.Name(id="max" | "min"), [ast.Name(id=name) as of], [ast.keyword("key")]) if name in labels:
                keys = TurnValues(tuple(at_place(ast.Constant(label), node) for label in labels[name]))
                best = ast.Call(node.func, [of], [])
                at = ast.Call(ast.Attribute(deepcopy(of), "index", ast.Load()), [best], [])
                return at_place(ast.Subscript(ast.Name(self.listed(name, keys, node), ast.Load()), at, ast.Load()), node)
        self.generic_visit(node)
        return node


class _Counting(ast.NodeTransformer):
    """`counts[r.kind] += 1` in a loop over records, where `counts` was a dictionary: the place of the label."""

    def __init__(self, labels: Mapping[str, tuple[Label, ...]]):
        self.labels = labels

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        match node.target:
            case ast.Subscript(ast.Name(id=name), key) if name in self.labels:
                known = self.labels[name]
                place: ast.expr = ast.Constant(len(known))  # a label that the dictionary does not have: Python stops
                for i, label in reversed(list(enumerate(known))):
                    same = ast.Compare(deepcopy(key), [ast.Eq()], [ast.Constant(label)])
                    place = ast.IfExp(same, ast.Constant(i), place)
                node.target.slice = at_place(place, node.target)
        return node


class _Items(ast.NodeTransformer):
    """Puts items of lists at a place in the place of the names of a loop."""

    def __init__(self, items: Mapping[str, ast.expr], at: Mapping[tuple[str, str], ast.expr]):
        self.items, self.at = items, at  # of dictionaries, the place of the label that a name stands for

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        match node:
            case ast.Subscript(ast.Name(id=name), ast.Name(id=key)) if (name, key) in self.at:
                node.slice = at_place(deepcopy(self.at[name, key]), node)
                return node
        self.generic_visit(node)
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return at_place(deepcopy(self.items[node.id]), node) if node.id in self.items else node


def _labels(values: Sequence[ast.expr]) -> tuple[Label, ...]:
    return tuple(value.value if isinstance(value, ast.Constant) else ast.unparse(value) for value in values)  # type: ignore[misc]


def _whole(node: ast.expr | None) -> int | None:
    match node:
        case ast.Constant(value=int() as value):
            return value
        case ast.UnaryOp(ast.USub(), ast.Constant(value=int() as value)):
            return -value
        case _:
            return None


def _range(*bounds: ast.expr) -> range | None:
    """A range that is written out, and not too long."""
    start, stop, step = map(_whole, bounds)
    numbers = range(start, stop, step) if start is not None and stop is not None and step else range(0)
    return numbers if len(numbers) <= MOST_AGGREGATES else None


def _names(target: ast.expr) -> Iterator[str]:
    match target:
        case ast.Name(id=name):
            yield name
        case ast.Tuple(parts) | ast.List(parts):
            for part in parts:
                yield from _names(part)


def _bound(node: NamingNode) -> Iterator[str]:
    for target in [node.target] if isinstance(node, ast.For) else [g.target for g in node.generators]:
        yield from _names(target)


def _inside(node: NamingNode) -> Sequence[ast.AST]:
    """What is computed with the names that a loop binds."""
    match node:
        case ast.For(_, _, body):
            return body
        case ast.DictComp(key, value, generators):
            return [key, value, *(test for loop in generators for test in loop.ifs)]
        case _:
            return [node.elt, *(test for loop in node.generators for test in loop.ifs)]


def _shape(target: ast.expr) -> object:
    return tuple(map(_shape, target.elts)) if isinstance(target, ast.Tuple | ast.List) else 1


def _shape_of(over: ast.expr) -> object:
    """What a target must look like for one turn of an expression that is gone over."""
    match over:
        case ast.Call(ast.Attribute(_, "items"), [], []):
            return (1, 1)
        case ast.Call(ast.Name(id="enumerate"), [of], []):
            return (1, _shape_of(of))
        case ast.Call(ast.Name(id="zip"), several, []):
            return tuple(map(_shape_of, several))
        case _:
            return 1
