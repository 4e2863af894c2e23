"""Programs as data. Two equal programs are equal, wherever they stand in their files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import field, fields, replace
from fractions import Fraction
from operator import attrgetter
from typing import Any, TypeAlias, TypeVar

from kolahal.lang.labels import LabelCode
from kolahal.lang.noise import Noise
from kolahal.lang.scale import Scale
from kolahal.lang.source import NOWHERE, Span
from kolahal.nouns import dataclass, remembered

# ---------------------------------------------------------------- expressions


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """Anything with a place in the source; the place rides along and is not part of what the node is."""

    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class Const(Node):
    """A number, exactly as written; True or False; None; or a text, by its number."""

    value: Fraction | bool | None

    def __eq__(self, other: object) -> bool:
        """Python holds True and 1 for equal; two programs that answer them are not."""
        return isinstance(other, Const) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[bool, Fraction | bool | None, str | None]:
        return isinstance(self.value, bool), self.value, self.value.text if isinstance(self.value, LabelCode) else None


@dataclass(frozen=True, slots=True)
class Var(Node):
    name: str


@dataclass(frozen=True, slots=True)
class Length(Node):
    """`len(name)`."""

    of: Var


@dataclass(frozen=True, slots=True)
class Index(Node):
    """`name[at]`; a negative place counts from the end, as in Python."""

    of: Var
    at: Expr


@dataclass(frozen=True, slots=True)
class Query(Index):
    """A private answer that depends on the run: an aggregate of records, with the values that it is asked with.

    Each is read once. To proofs it is an answer as others are, if what it is asked with is told (`proof/trusted/restated/told.py`).
    """

    text: str
    given: tuple[Var, ...]


@dataclass(frozen=True, slots=True)
class Not(Node):
    of: Expr


@dataclass(frozen=True, slots=True)
class Negate(Node):
    of: Expr


@dataclass(frozen=True, slots=True)
class IsNone(Node):
    """`of is None`."""

    of: Expr


@dataclass(frozen=True, slots=True)
class Binary(Node):
    """Arithmetic (+ - * / // %), comparison (< <= > >= == !=), or a short-circuit `and` / `or`."""

    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Call(Node):
    """`max`, `min` (two arguments or more) or `abs` (one)."""

    function: str
    arguments: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Hole(Node):
    """An unknown scale; `index` counts from 0 in source order."""

    index: int

    @property
    def label(self) -> str:
        return f"eta{self.index + 1}"


@dataclass(frozen=True, slots=True)
class Draw(Node):
    """One draw of noise; `site` numbers the draws of the program in source order, from 0."""

    noise: Noise
    scale: Hole | Scale
    site: int
    of: Var | None = None  # the scores that a place is drawn from, where the noise selects


@dataclass(frozen=True, slots=True)
class ListOf(Node):
    """`[a, b, …]`."""

    items: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class TupleOf(Node):
    """`a, b, …`, only as what `return` gives back."""

    items: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Range(Node):
    """`range(start, stop, step)`."""

    start: Expr
    stop: Expr
    step: Expr


@dataclass(frozen=True, slots=True)
class Comprehension(Node):
    """`[item for name in over]`: a loop of its own, whose turns are part of the addresses of its draws."""

    item: Expr
    name: str
    over: Var | Range


Expr: TypeAlias = (
    Const | Var | Length | Index | Not | Negate | IsNone | Binary | Call | Draw | ListOf | TupleOf | Comprehension
)

# ---------------------------------------------------------------- statements


@dataclass(frozen=True, slots=True)
class Assign(Node):
    """`a, b = x, y`: all values are computed before any name changes."""

    targets: tuple[str, ...]
    values: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class If(Node):
    test: Expr
    then: Block
    orelse: Block


@dataclass(frozen=True, slots=True)
class While(Node):
    test: Expr
    body: Block


@dataclass(frozen=True, slots=True)
class For(Node):
    name: str
    over: Var | Range
    body: Block


@dataclass(frozen=True, slots=True)
class Append(Node):
    """`name.append(value)`, or `name.insert(0, value)` when `front`."""

    name: str
    value: Expr
    front: bool


@dataclass(frozen=True, slots=True)
class Break(Node):
    pass


@dataclass(frozen=True, slots=True)
class Continue(Node):
    pass


@dataclass(frozen=True, slots=True)
class Return(Node):
    value: Expr


Stmt: TypeAlias = Assign | If | While | For | Append | Break | Continue | Return
Block: TypeAlias = tuple[Stmt, ...]

# ---------------------------------------------------------------- walking

T = TypeVar("T")
N = TypeVar("N", bound=Node)


_PARTS: dict[type, tuple[str, ...]] = {}  # asked for at every step of every rebuilding
PLAIN = ("str", "int", "bool", "Noise", "Fraction | bool | None", "tuple[str, ...]")  # types of fields that hold no nodes


def _parts(node: Node) -> tuple[str, ...]:
    """The names of a node's fields, other than its place."""
    kind = type(node)
    if kind not in _PARTS:
        _PARTS[kind] = tuple(f.name for f in fields(kind) if f.name != "span")
    return _PARTS[kind]


Inner: TypeAlias = Callable[[Any], Iterable[Any]]
_INNER: dict[type, Inner | None] = {}  # what may hold nodes in a node, last first; None for what is no node


def _inner_of(kind: type) -> Inner | None:
    if not issubclass(kind, Node):
        return reversed if issubclass(kind, tuple) else None
    names = [f.name for f in fields(kind) if f.name != "span" and f.type not in PLAIN][::-1]
    if not names:
        return lambda node: ()
    values = attrgetter(*names)
    return values if len(names) > 1 else lambda node: (values(node),)


def walk(node: object) -> Iterator[Node]:
    """Every node below `node`, itself included, parents first and in source order."""
    return iter(_nodes(node))


@remembered(1_000)  # the same programs are walked dozens of times
def _nodes(node: object) -> tuple[Node, ...]:
    found: list[Node] = []
    waiting = [node]
    while waiting:
        node = waiting.pop()
        kind = type(node)
        try:
            inner = _INNER[kind]
        except KeyError:
            inner = _INNER[kind] = _inner_of(kind)
        if inner is not None:
            if isinstance(node, Node):
                found.append(node)
            waiting += inner(node)
    return tuple(found)


def assignments(node: object) -> Iterator[tuple[str, Expr]]:
    """Every name that an assignment in `node` gives a value to, with the value."""
    for part in walk(node):
        if isinstance(part, Assign):
            yield from zip(part.targets, part.values, strict=True)


def names_read(node: object) -> set[str]:
    """The names that a part reads, or calls the items of its comprehensions."""
    return {part.name for part in walk(node) if isinstance(part, Var)}


def names_in(node: object) -> set[str]:
    """All names in a part, read or given something."""
    parts = list(walk(node))
    found = {part.name for part in parts if isinstance(part, Var | For | Comprehension | Append)}
    return found.union(*(part.targets for part in parts if isinstance(part, Assign)))


def assigned_names(body: Block) -> frozenset[str]:
    """The names that statements of `body` bind (a comprehension's own name is not one of them)."""
    names: set[str] = set()
    for node in walk(body):
        if isinstance(node, Assign):
            names.update(node.targets)
        elif isinstance(node, For):
            names.add(node.name)
    return frozenset(names)


def changed_names(body: Block) -> set[str]:
    """The names that statements of `body` bind, and those of lists that they append to."""
    return {*assigned_names(body), *(node.name for node in walk(body) if isinstance(node, Append))}


def numbered(base: str, taken: Set[str], first: int = 0) -> str:
    """The first of base_0, base_1, … that is not taken."""
    return next(word for i in range(first, first + len(taken) + 1) if (word := f"{base}_{i}") not in taken)


def lengthened(word: str, taken: Set[str], tail: str = "_") -> str:
    """A name that is not taken, made of a word and as many tails as that needs."""
    while word in taken:
        word += tail
    return word


def rebuild(node: T, change: Callable[[Node], Node | None]) -> T:
    """A copy of `node` in which each node that `change` gives a replacement for is replaced, leaves first."""
    if isinstance(node, tuple):
        return tuple(rebuild(part, change) for part in node)  # type: ignore[return-value]
    if not isinstance(node, Node):
        return node
    parts = {name: getattr(node, name) for name in _parts(node)}
    new = {name: rebuild(part, change) for name, part in parts.items()}
    same = all(new[name] is parts[name] for name in parts)
    built: Node = node if same else replace(node, **new)
    return change(built) or built  # type: ignore[return-value]


def with_blocks(node: N, change: Callable[[Block], Block]) -> N:
    """A statement with other blocks in place of its own; any other node as it is."""
    match node:
        case If(_, then, orelse):
            return replace(node, then=change(then), orelse=change(orelse))
        case For(body=body) | While(body=body):
            return replace(node, body=change(body))
        case _:
            return node


def replaced(body: Block, change: Callable[[Stmt], Block | None]) -> Block:
    """A block in which each statement that `change` gives others for is replaced by these, inner ones first."""
    result: list[Stmt] = []
    for node in body:
        node = with_blocks(node, lambda block: replaced(block, change))
        result += change(node) or (node,)
    return tuple(result)


def number_sites(body: Block) -> Block:
    """The same statements with draws and holes numbered from 0 in source order."""
    sites = [node.site for node in walk(body) if isinstance(node, Draw)]
    place = {site: i for i, site in enumerate(sites)}
    holes = [node.index for node in walk(body) if isinstance(node, Hole)]
    hole_place = {index: i for i, index in enumerate(holes)}

    def change(node: Node) -> Node | None:
        match node:
            case Hole(index):
                return replace(node, index=hole_place[index])
            case Draw(site=site):
                return replace(node, site=place[site])
            case _:
                return None

    return rebuild(body, change)
