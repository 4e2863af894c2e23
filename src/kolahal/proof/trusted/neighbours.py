"""Which databases are neighbours, as moves between two runs; and what is known of public inputs."""

from __future__ import annotations

from fractions import Fraction

from kolahal.lang import ir
from kolahal.lang.adjacency import Adjacency, EachWithin, Monotone, OneWithin, SumWithin
from kolahal.lang.records.bins import BinsRelation
from kolahal.lang.records.moves import RecordRelation
from kolahal.lang.scale import Scale, base_of
from kolahal.lang.sketch import Role, Sketch, Type
from kolahal.logic.linear import number, variable
from kolahal.logic.terms import BOOL, INT, REAL, ZERO, Formula, Sum, Symbol, at_most, below, choose, equal, some
from kolahal.nouns import dataclass
from kolahal.proof.trusted.symbols import LENGTH, MOVED_AT, ghost_value, move_of, moved_by, moved_size
from kolahal.proof.trusted.values import Unsupported

MOST_GHOSTS = 4  # variables that first runs are sorted by


@dataclass(frozen=True, slots=True)
class Neighbours:
    """A set of moves between databases; a relation is the union of one or two of them.

    `kind` is each, up, down (every answer moves by ≤ distance: any way, not down, not up) or one, sum (one answer
    moves by ≤ distance; for `sum` the cost must also be in proportion to the move, see docs/theory-lengths.md), these
    two also with up or down behind, if it moves that way.
    """

    kind: str
    distance: Fraction
    whole: bool

    @property
    def single(self) -> bool:
        return self.kind.startswith(("one", "sum"))

    @property
    def in_proportion(self) -> bool:
        return self.kind.startswith("sum")

    @property
    def ends(self) -> tuple[int, int]:
        """Which ways answers move: from −1 to 1, or 0 at an end."""
        return 0 if self.kind.endswith("up") else -1, 0 if self.kind.endswith("down") else 1

    @property
    def sort(self) -> str:
        return INT if self.whole else REAL

    @property
    def unit(self) -> Sum:
        """What shifts are multiples of."""
        return variable(moved_size(self.sort)) if self.single else number(self.distance)

    def fixed(self) -> tuple[Formula, ...]:
        if not self.single:
            return ()
        by, size = variable(moved_by(self.sort)), self.unit
        return (
            at_most(ZERO, size),
            at_most(size, number(self.distance)),
            some(equal(by, size.times(way)) for way in reversed(self.ends) if way),
            at_most(ZERO, variable(MOVED_AT)),
        )

    def move(self, read: int, place: Sum) -> tuple[Sum, tuple[Formula, ...]]:
        """By how much the answer at `place` moves, and what is known of that."""
        if self.single:
            at, by = variable(MOVED_AT), variable(moved_by(self.sort))
            return choose(equal(place, at), by, ZERO), ()
        move = variable(move_of(read, self.sort))
        low, high = self.ends
        return move, (at_most(number(low * self.distance), move), at_most(move, number(high * self.distance)))


def neighbours_of(sketch: Sketch, one_way: bool = False) -> tuple[Neighbours, ...]:
    """The sets of moves whose union is the adjacency; each gets a proof of its own. A lone move goes one way or the other."""
    adjacency = enclosing(sketch.adjacency)
    if isinstance(adjacency, SumWithin) and sketch.private.whole and adjacency.distance < 2:
        adjacency = OneWithin(adjacency.distance)  # two whole moves are 2 together
    kinds: tuple[str, ...]
    match adjacency:
        case EachWithin():
            kinds = ("each",)
        case OneWithin():
            kinds = ("one up", "one down") if one_way else ("one",)
        case SumWithin():
            kinds = ("sum up", "sum down") if one_way else ("sum",)
        case Monotone():
            kinds = ("up", "down")
        case _:
            raise Unsupported(f"the relation {sketch.adjacency} is not covered")
    return tuple(Neighbours(kind, adjacency.distance, sketch.private.whole) for kind in kinds)


def enclosing(adjacency: Adjacency) -> Adjacency:
    """The relation itself; of records, one on answers that contains it: what is proved of the larger one holds for it."""
    if not isinstance(adjacency, RecordRelation):
        return adjacency
    if adjacency.unbounded:
        raise Unsupported("one record can move an aggregate by any amount")
    if adjacency.units:
        raise Unsupported("the aggregates of the records move by multiples of public bounds")
    if isinstance(adjacency, BinsRelation):
        return adjacency.enclosing()
    columns = zip(*adjacency.boxes()[0], strict=True)
    lows, highs = ({abs(end) for end in column} for column in columns)
    if len(lows | highs) > 1:
        raise Unsupported("the aggregates of the records move by different distances")
    (distance,) = lows
    moves = list(adjacency.vertices(len(adjacency.boxes()[0])))
    total = max((sum(map(abs, move)) for move in moves), default=Fraction(0))
    if not total:
        raise Unsupported("the aggregates of the records do not move")
    if adjacency.moves_one:
        return OneWithin(distance)
    if total <= 2 * distance:
        return SumWithin(total)
    return Monotone(distance) if adjacency.moves_one_way else EachWithin(distance)


def public_facts(sketch: Sketch, assumed: tuple[str, ...]) -> tuple[Formula, ...]:
    """What is taken for granted of public inputs: ε is above 0, and the length and `assumed` are at least 1.

    A database without answers has no neighbour but itself, so nothing is lost by leaving length 0 out, nor lengths at
    which every run stops in the same way. A number of answers that is declared is enforced wherever the program is called.
    """
    facts = [at_most(number(least_length(sketch)), variable(LENGTH)), below(ZERO, variable(Symbol(sketch.epsilon.name, REAL)))]
    if sketch.private.count is not None:
        facts.append(equal(variable(LENGTH), number(sketch.private.count)))
    for name in assumed:
        if not any(p.name == name and p.type is Type.INT for p in sketch.arguments):
            raise Unsupported(f"{name} is not a whole argument")
        facts.append(at_most(number(1), variable(Symbol(name, INT))))
    return tuple(facts)


def least_length(sketch: Sketch) -> int:
    """The number of answers below which every run stops with the same error at the same place; at least 1.

    The statements at the top that compute nothing but sums and products of answers, names and noise are executed by
    every run, in the same order, whatever is drawn, and so is the first part of the first condition. A place in them that
    is written as a number is missing on both databases or on none, and no way has been chosen or answer given before.
    A number of answers that is declared is known already; that a program never gets so far is no proof of it.
    """
    least, private = 1, sketch.private.name
    for statement in sketch.body if sketch.private.count is None else ():
        match statement:
            case ir.Assign(targets, values) if private not in targets:
                pass
            case ir.Append(name, value) if name != private:
                values = (value,)
            case ir.Return(value):
                values = (value,)
            case ir.If(test) | ir.While(test):
                values = (_looked_at_first(test),)
            case _:
                return least
        places = [_fixed_places(value, private) for value in values]
        for found in places:
            if found is None:
                return least
            least = max([least, *found])
        if isinstance(statement, ir.Return | ir.If | ir.While):
            return least
    return least


def _looked_at_first(test: ir.Expr) -> ir.Expr:
    """The part of a condition that every run computes."""
    while isinstance(test, ir.Not) or (isinstance(test, ir.Binary) and test.op in ("and", "or")):
        test = test.of if isinstance(test, ir.Not) else test.left
    return test


def _fixed_places(value: ir.Expr, private: str) -> list[int] | None:
    """How many answers each place needs that an expression reads; None where something else may stop a run in it."""
    match value:
        case ir.Const() | ir.Draw(of=None):
            return []
        case ir.Var(name) if name != private:
            return []
        case ir.Query():
            return None
        case ir.Index(ir.Var(name), ir.Const(Fraction() as at)) if name == private and at.denominator == 1:
            return [int(at) + 1 if at >= 0 else -int(at)]
        case ir.Binary("+" | "-" | "*" | "<" | "<=" | ">" | ">=" | "==" | "!=", left, right):
            parts: tuple[ir.Expr, ...] = (left, right)
        case ir.Call(_, arguments):
            parts = arguments
        case ir.Negate(inner):
            parts = (inner,)
        case ir.ListOf(items) | ir.TupleOf(items):
            parts = items
        case _:
            return None
    found = [_fixed_places(part, private) for part in parts]
    return None if None in found else [place for part in found for place in part or []]


def assumed_names(sketch: Sketch, claim: Scale) -> tuple[str, ...]:
    """The whole arguments that a proof takes to be at least 1: those that calls require to be, and the claim's own."""
    named = claim.names
    return tuple(p.name for p in sketch.arguments if p.name in sketch.required or p.name in named)


def public_symbols(sketch: Sketch) -> tuple[Symbol, ...]:
    """The symbols that stand for inputs and never change."""
    result = [LENGTH, *map(ghost_value, range(MOST_GHOSTS))]
    for parameter in sketch.parameters:
        if parameter.role is not Role.PRIVATE:
            result.append(Symbol(parameter.name, {Type.BOOL: BOOL, Type.INT: INT}.get(parameter.type, REAL)))
    return tuple(result)


def quantity(name: str, sketch: Sketch) -> Sum:
    """A public quantity of a scale, or the next whole number, as a number of the clauses."""
    base = base_of(name)
    found = variable(LENGTH if base == sketch.length_name else Symbol(base, INT))
    return found if base == name else found + number(1)
