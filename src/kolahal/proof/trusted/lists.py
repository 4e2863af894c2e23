"""Lists that a run makes: of the program's own, computed where they are read, or drawn at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from kolahal.lang import ir
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Sketch
from kolahal.logic.linear import variable
from kolahal.logic.terms import BOOL, INT, REAL, ZERO, Symbol, put, symbols_of
from kolahal.proof.trusted.expressions import UNDRAWN, Evaluator
from kolahal.proof.trusted.flow import find_followed, how_read, may_fault, names_of_views, noisy_views
from kolahal.proof.trusted.neighbours import public_symbols
from kolahal.proof.trusted.steps import is_remainder
from kolahal.proof.trusted.symbols import LENGTH, Cursor
from kolahal.proof.trusted.values import (
    Built,
    Logical,
    Maybe,
    NoisyItem,
    Numeric,
    Pending,
    PrivateAnswers,
    SymbolicValue,
    Unsupported,
    View,
    Walk,
    bound,
)

PLACE = Symbol("item.place", INT)  # no name of a program has a dot
ANSWER, WHOLE_ANSWER = Symbol("item.answer", REAL), Symbol("item.answer", INT)  # at that place


class ListMaker(Evaluator):
    """Makes lists for one of the two runs (`which` is 1 or 2)."""

    def __init__(self, sketch: Sketch, which: int, whole_answers: bool, at_once: bool):
        super().__init__(sketch, which, whole_answers)
        self.sketch = sketch
        self.at_once = at_once  # whether all items of a list of noise are drawn before anything else
        self.views = [n for n in ir.walk(sketch.body) if isinstance(n, ir.Comprehension)]
        named = names_of_views(sketch, self.views)
        self.noisy = noisy_views(self.views, named)
        self.followed = find_followed(sketch, self.noisy, named)
        self.backwards, self.late = how_read(sketch, self.views, self.noisy, named)
        self.item_ghosts = {ghost for pairs in self.followed.values() for _, ghost in pairs}

    def listed(self, items: Sequence[ir.Expr], state: Walk) -> Built:
        built = Built(None, ZERO)
        for item in items:
            built = built.grown(self.scalar(item, state), False)
        return built

    def passing_view(self, node: ir.Comprehension, target: str, state: Walk) -> View:
        """Scores that are made and chosen from at once: names still have the values that they had then, and whatever may
        stop an item is asked of the rival, which is any of them."""
        inner = list(ir.walk(node.item))
        noisy = any(view is node for i, view in enumerate(self.views) if i in self.noisy)
        if noisy or any(isinstance(n, ir.Comprehension) or is_remainder(n) or n == ir.Var(target) for n in inner):
            raise Unsupported("scores have noise of their own, or use `%`, another comprehension or themselves")
        for free in sorted({n.name for n in inner if isinstance(n, ir.Var)} - {node.name}):
            if isinstance(value := self.known(free, state), Pending):
                self.drawn_now(free, value, state)
        source: PrivateAnswers | View | Built | None = None
        if not self.all_places(node.over, state):
            found = self.known(node.over.name, state) if isinstance(node.over, ir.Var) else None
            if not isinstance(found, PrivateAnswers | View | Built):
                raise Unsupported("a comprehension runs over something other than a list")
            source = found
        return View(node.item, node.name, source, None, True)

    def view(self, node: ir.Comprehension, item: ir.Expr, name: str, over: ir.Var | ir.Range, state: Walk) -> View:
        source: PrivateAnswers | View | None = None
        if isinstance(over, ir.Var) and self.is_vector(over.name, state):
            found = state.names[over.name]
            assert isinstance(found, PrivateAnswers | View)
            source = found
        elif not self.all_places(over, state):
            raise Unsupported("a comprehension runs over something other than the answers")
        inside: set[int] = set()  # reads at the place of the item itself, which is inside every list of this length
        for inner in ir.walk(item):
            if isinstance(inner, ir.Comprehension):
                raise Unsupported("a comprehension stands inside another one")
            if inner == ir.Const(None):
                raise Unsupported("an item of a comprehension is None, which may stop the run where it is used")
            if isinstance(inner, ir.Var) and inner.name != name and inner.name not in self.fixed | self.once:
                raise Unsupported(f"a comprehension uses `{inner.name}`, which changes")
            if source is None and isinstance(inner, ir.Index) and inner.at == ir.Var(name) and self.is_vector(inner.of.name, state):
                inside.add(id(inner))
            if may_fault(inner) and id(inner) not in inside:
                raise Unsupported(
                    "an item of a comprehension may stop the run, and items are computed where they are read"
                )
        for free in sorted({inner.name for inner in ir.walk(item) if isinstance(inner, ir.Var)} - {name}):
            value = self.known(free, state)
            if isinstance(value, Pending):
                self.drawn_now(free, value, state)  # Python looks at it here
            if isinstance(value, Maybe):
                raise Unsupported(f"a comprehension uses `{free}`, which may be None, and then Python stops here")
        cursor = next(i for i, view in enumerate(self.views) if view is node)
        if cursor not in self.noisy:
            return View(item, name, source, None)
        if self.at_once:
            return self.drawn_at_once(node, View(item, name, source, None), cursor, state)
        state.ghosts[Cursor(cursor)] = variable(LENGTH) if cursor in self.backwards else ZERO
        state.items = {spot: item for spot, item in state.items.items() if spot.of != cursor}  # of the old one
        state.made |= {cursor}
        for _, ghost in self.followed[cursor]:
            state.names[ghost] = UNDRAWN
        return View(item, name, source, cursor)

    def drawn_at_once(self, node: ir.Comprehension, view: View, which: int, state: Walk) -> View:
        """A list whose items were drawn before anything else, or one that is computed from such lists."""
        if not any(isinstance(inner, ir.Draw) for inner in ir.walk(node.item)):
            return view
        if not any(value is node and target in self.once for target, value in ir.assignments(self.sketch.body)):
            raise Unsupported("a list of noise that is drawn at once is made once")
        public = frozenset(public_symbols(self.sketch))
        names = {n: _elsewhere(v, public) for n, v in state.names.items() if n in self.fixed | self.once}
        inner = Walk({n: v for n, v in names.items() if v is not None}, dict(state.ghosts))
        place = variable(PLACE)
        inner.names[view.name] = Numeric(place) if view.over is None else self.item(view.over, view.name, place, inner)
        value = self.scalar(view.item, inner)
        if self.bits or len(inner.draws) != 1 or len(inner.reads) != 1 or not isinstance(value, Numeric):
            raise Unsupported("an item that is drawn at once is one answer with one noise")
        (drawn,), (read,) = inner.draws, inner.reads
        rest = put(drawn.rest, {read.symbol: variable(ANSWER if read.symbol.sort == REAL else WHOLE_ANSWER)})
        unknowns = set(rest.terms) - {ANSWER, WHOLE_ANSWER}
        if not read.private or read.place != place or not unknowns <= public:
            raise Unsupported("an item that is drawn at once is made of the answer at its place and public numbers")
        added = drawn.factor and drawn.rest + variable(drawn.symbol).times(drawn.factor) == value.value
        if not added or drawn.noise.finite or drawn.noise.selects or not isinstance(drawn.scale, Scale):
            raise Unsupported("noise that is drawn at once is added")
        slope = sum((Fraction(rest.terms.get(symbol, 0)) for symbol in (ANSWER, WHOLE_ANSWER)), Fraction(0))
        item = NoisyItem(which, drawn.site, drawn.noise, drawn.scale, rest, slope, drawn.factor)
        if self.noisy_items.setdefault(which, item) != item:
            raise Unsupported("a list of noise is not always made alike")
        state.names |= {ghost: UNDRAWN for _, ghost in self.followed[which]}
        return replace(view, noisy=item)

    def all_places(self, over: ir.Var | ir.Range, state: Walk) -> bool:
        """Whether this is range(len(…)) of a list as long as the answers."""
        match over:
            case ir.Range(ir.Const(value=start), ir.Length(ir.Var(name)), ir.Const(value=step)):
                return start == 0 and step == 1 and self.is_vector(name, state)
            case _:
                return False


def _elsewhere(value: SymbolicValue, public: frozenset[Symbol]) -> SymbolicValue | None:
    """A value for an item that is drawn at once; other unknowns than public ones get a name of their own. What is read and drawn
    is numbered in each path, and a name that holds it would stand for the item's own answer or noise."""
    match value:
        case Numeric(known) | Logical(known):
            named = {symbol: Symbol(f"elsewhere.{symbol.name}", symbol.sort) for symbol in symbols_of(known) - public}
            return bound(value, {symbol: new if new.sort == BOOL else variable(new) for symbol, new in named.items()})
        case _:
            return value if isinstance(value, PrivateAnswers | View) else None
