"""What a symbolic run is made of: values, paths, and the states on the way to them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import field
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

from kolahal.engine.tape import Turns
from kolahal.lang.ir import Block, For, Node, While
from kolahal.lang.noise import Noise
from kolahal.lang.sketch import Sketch
from kolahal.lang.source import Source, Span
from kolahal.logic.linear import Inequality, LinearForm, Number, key_of, plain, variable
from kolahal.nouns import dataclass
from kolahal.paths.unknowns import Affine, AnswerAt, Argument, Atom, Atoms, Indeterminate, NoiseAt

MOST_TURNS = 10_000  # loop turns of one path; proofs are about a handful of answers, so a loop this long has no end
MOST_BITS = 1_000  # of a whole number: doubles end there, and larger ones come from squaring or doubling in a loop
MOST_WORK = 200_000  # of one exploration, in statements; comparisons and long lists count as many
# Why a program is outside the affine core; the place in the source stands before it.
REFUSALS = {
    "product": "two unknown values are multiplied, so the output is not affine in the noise and the private answers",
    "quotient": "this divides by an unknown value, so the output is not affine in the noise and the private answers",
    "floor": "// and % of an unknown value are not affine",
    "place": "a place in a list depends on an unknown value",
    "bound": "the number of turns of a loop depends on an unknown value",
    "open": "whether this loop goes on depends on unknown values in every turn, and nothing else ends it",
    "turns": f"a loop goes on for more than {MOST_TURNS} turns",
    "work": f"following all paths to here takes more than {MOST_WORK} steps",
    "number": f"a number has more than {MOST_BITS} binary digits here",
}


@dataclass(frozen=True, slots=True)
class Fault:
    """That a run stops with a fault, which its caller can see as well as an answer."""

    code: str
    span: Span


Item: TypeAlias = Affine | Number | bool | None
Value: TypeAlias = Item | tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class ChosenPlace:
    """That a place of a list of scores was chosen. Other places of the same list are other paths, whatever the noise."""

    draw: NoiseAt
    place: int
    scores: tuple[Affine, ...]

    @property
    def gaps(self) -> tuple[Affine, ...]:
        """How far each other score is ahead of the chosen one; its probability is 1/(1 + Σ exp(gap/scale))."""
        own = self.scores[self.place]
        return tuple(score - own for place, score in enumerate(self.scores) if place != self.place)


@dataclass(frozen=True, slots=True)
class Path:
    """Where `atoms` hold, a run gives `output` after drawing `draws`, in this order."""

    atoms: Atoms
    output: Value | Fault
    draws: tuple[NoiseAt, ...]
    point: Mapping[Indeterminate, Number] = field(compare=False, repr=False)  # a place inside
    picks: tuple[ChosenPlace, ...] = ()


@dataclass(frozen=True, slots=True)
class Paths:
    """Every path of a program with `size` private answers; together they leave out no run, or only runs of probability 0.

    Which of the two, `explore` was asked: ties have probability 0 over the reals, and on a grid they do not.
    """

    sketch: Sketch
    size: int
    paths: tuple[Path, ...]
    noises: tuple[Noise, ...]  # by site
    # Sites whose noise made a left-out run improbable: with those switched off, nothing is known.
    almost: frozenset[int]

    def is_continuous(self, symbol: Indeterminate) -> bool:
        """Whether this is noise that hits one value with probability 0."""
        return isinstance(symbol, NoiseAt) and not self.noises[symbol.site].whole

    def bits(self, symbols: Iterable[Indeterminate]) -> tuple[Indeterminate, ...]:
        """Those of some unknowns that are 0 or 1: coins, and private answers that are truth values."""
        return tuple(s for s in sorted(symbols, key=key_of) if self.is_bit(s))

    def is_bit(self, symbol: Indeterminate) -> bool:
        if isinstance(symbol, AnswerAt):
            return self.sketch.private.bits
        return isinstance(symbol, NoiseAt) and self.noises[symbol.site].finite

    def domain(self, symbols: Iterable[Indeterminate]) -> Atoms:
        """What always holds: one-sided noise is at least 0, and ε is above 0."""
        found: list[Atom] = []
        for symbol in sorted(symbols, key=key_of):
            if isinstance(symbol, NoiseAt) and self.noises[symbol.site].one_sided:
                found.append(Inequality(-variable(symbol), strict=False))
            elif symbol == Argument(self.sketch.epsilon.name):
                found.append(Inequality(-variable(symbol), strict=True))
        return tuple(found)


@dataclass(frozen=True, slots=True)
class BlockTask:
    """Go on with `body[at]`."""

    body: Block
    at: int
    turns: Turns


@dataclass(frozen=True, slots=True)
class WhileTask:
    """Test the condition of a `while` for its next turn."""

    node: While
    turns: Turns
    turn: int


@dataclass(frozen=True, slots=True)
class ForTask:
    """Take the next item of a `for`."""

    node: For
    items: tuple[Item, ...]
    turns: Turns
    turn: int


Todo: TypeAlias = tuple[BlockTask | WhileTask | ForTask, Any] | None  # the rest of the run, first thing first


class State(NamedTuple):  # one for every statement of every path
    """Runs that are between the same two statements with the same values; `point` is a place inside."""

    names: dict[str, Value]  # not changed in place, as other paths may share it
    todo: Todo
    atoms: Atoms
    point: Mapping[Indeterminate, Number]
    draws: tuple[NoiseAt, ...] = ()
    turns_left: int = MOST_TURNS
    picks: tuple[ChosenPlace, ...] = ()

    def at(self, todo: Todo) -> State:
        """The same with something else to do; as `_replace`, in a third of the time."""
        return State(self.names, todo, self.atoms, self.point, self.draws, self.turns_left, self.picks)

    def named(self, names: dict[str, Value]) -> State:
        """The same with other values."""
        return State(names, self.todo, self.atoms, self.point, self.draws, self.turns_left, self.picks)

    @property
    def at_turn(self) -> bool:
        """Whether a loop comes next: its next turn, or its end."""
        return self.todo is not None and isinstance(self.todo[0], WhileTask | ForTask)

    def place(self) -> Hashable:
        """Equal for states of one program that stand at the same statement in the same turns."""
        key: list[Hashable] = []
        todo = self.todo
        while todo is not None:
            match todo[0]:
                case BlockTask(body, at, turns):
                    key.append((id(body), at, turns))
                case WhileTask(node, turns, turn):
                    key.append((id(node), turns, turn))
                case ForTask(node, items, turns, turn):
                    key.append((id(node), len(items), turns, turn))
            todo = todo[1]
        return tuple(key)


def given_answers(sketch: Sketch, database: Sequence[Fraction]) -> tuple[Item, ...]:
    """The private answers as the program sees them."""
    return tuple(bool(answer) if sketch.private.bits else plain(Fraction(answer)) for answer in database)


def begin(sketch: Sketch, names: dict[str, Value]) -> State:
    """The state before the first statement, with the values of all parameters."""
    return State(names, (BlockTask(sketch.body, 0, ()), None), (), {})


class Outside(Exception):
    """The program does something that is not affine."""

    def __init__(self, why: str, node: Node):
        super().__init__(why)
        self.why, self.node = why, node

    def reason(self, sketch: Sketch) -> str:
        source = sketch.source or Source(sketch.name, "")
        place = f"{source.path}:{self.node.span.line}:{self.node.span.column}" if self.node.span.line else source.path
        return f"{place}: {REFUSALS[self.why]}"


class Stop(Exception):
    """The run stops with a fault."""

    def __init__(self, code: str, node: Node):
        super().__init__(code)
        self.fault = Fault(code, node.span)


def affine_parts(output: Value | Fault) -> tuple[Affine, ...]:
    """The parts of an answer that depend on unknowns, in order."""
    items = output if isinstance(output, tuple) else (output,)
    return tuple(item for item in items if isinstance(item, LinearForm))


def discrete_part(output: Value | Fault) -> tuple[object, ...]:
    """What is known of an answer: equal for two answers that differ at most in the values of their affine parts."""
    if isinstance(output, Fault):
        return ("fault", output.code, output.span)
    items = output if isinstance(output, tuple) else (output,)
    return ("list" if isinstance(output, tuple) else "value", *map(_kind, items))


def _kind(item: Item) -> tuple[str, object]:
    if isinstance(item, LinearForm):
        return ("number", None)
    if item is None or isinstance(item, bool):  # True is not 1 as an answer
        return ("constant", str(item))
    return ("constant", item)
