"""The paths of a program, with those that only a past maximum tells apart joined into one.

`engine/symbolic.py` lists every path; a running maximum over n queries has 2^(n − 1) of them, though only n answers.
Here the paths go forward together, from one loop turn to the next, and paths that have come to the same state are
joined where their union is again a polyhedron. Paths that an event can no longer take are left out on the way.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from kolahal.engine.affine import Affine, Answer, Atom, Atoms, plain, symbol_form
from kolahal.engine.symbolic import Path, Value, _Again, _Block, _Explorer, _Next, _Outside, _State
from kolahal.lang.ir import Append, Assign, For, Return, Var, walk
from kolahal.lang.noise import Noise
from kolahal.lang.sketch import Sketch
from kolahal.measure.polyhedra import CannotIntegrate, cut
from kolahal.model import AllOf, Equals, Event, StartsWith

MOST_PATHS = 1_000  # for one event
MOST_OF_ALL = 300  # for all events together: beyond that, it is faster to ask for each event alone


@dataclass(frozen=True, slots=True)
class Outcomes:
    """Disjoint paths that together leave out only runs of probability 0, or runs outside the event asked about."""

    paths: tuple[Path, ...]
    noises: tuple[Noise, ...]  # by site


@dataclass(frozen=True, slots=True)
class Cohort:
    """States that together are all runs where `atoms` hold, no two of them sharing a run."""

    atoms: Atoms
    states: tuple[_State, ...]


def find_outcomes(
    sketch: Sketch,
    size: int,
    arguments: Mapping[str, Fraction | bool],
    silent: frozenset[int],
    database: Sequence[Fraction] | None = None,
    event: Event | None = None,
) -> Outcomes | CannotIntegrate:
    """The paths of a program of `size` answers; sites in `silent` draw no noise; `database` fixes the answers.

    With an `event`, paths that cannot end in it may be missing.
    """
    names: dict[str, Value] = {
        name: value if isinstance(value, bool) else plain(value) for name, value in arguments.items()
    }
    answers = [symbol_form(Answer(i)) for i in range(size)] if database is None else [plain(a) for a in database]
    names[sketch.private.name] = tuple(answers)
    search = _Search(sketch, silent, event)
    try:
        problem = search.run(_State(names, (_Block(sketch.body, 0, ()), None)))
    except _Outside as outside:
        return CannotIntegrate(outside.reason(sketch))
    return problem or Outcomes(tuple(search.found), search.explorer.noises)


class _Search:
    def __init__(self, sketch: Sketch, silent: frozenset[int], event: Event | None):
        self.explorer = _Explorer(sketch, silent)
        self.found: list[Path] = []
        self.filter = _Filter(sketch, event, self.explorer.noises) if event is not None else None
        self.keys = _Keys()
        self.most = MOST_OF_ALL if event is None else MOST_PATHS

    def run(self, start: _State) -> CannotIntegrate | None:
        cohorts = [Cohort((), (start,))]
        while cohorts:
            cohorts += self.turn(cohorts.pop())
            states = sum(len(cohort.states) for cohort in cohorts)
            if states + len(self.found) > self.most:
                return CannotIntegrate(f"the program has more than {self.most} paths")
        return None

    def turn(self, cohort: Cohort) -> list[Cohort]:
        """The states of a cohort at the next start of a loop turn."""
        arrived: list[tuple[int, _State]] = []
        left = len(self.found)
        dropped = False
        for place, state in enumerate(cohort.states):
            for after in self.advance(state):
                if self.filter is not None and not self.filter.may_hold(after):
                    dropped = True
                else:
                    arrived.append((place, after))
        if len(self.found) > left or dropped:
            # Some runs have gone, so the others are no longer all of anything but themselves.
            return [Cohort(state.atoms, (state,)) for _, state in arrived]
        if not arrived:
            return []
        return [Cohort(cohort.atoms, self.join(cohort, arrived))]

    def advance(self, state: _State) -> list[_State]:
        """Every state to which a state leads at the next start of a loop turn; runs that end are noted."""
        waiting: list[_State] = [state]
        arrived: list[_State] = []
        first = True
        while waiting:
            now = waiting.pop()
            if not first and now.todo is not None and isinstance(now.todo[0], _Again | _Next):
                arrived.append(now)
                continue
            first = False
            for after in reversed(self.explorer.step(now)):
                if isinstance(after, Path):
                    if self.filter is None or self.filter.may_end(after):
                        self.found.append(after)
                else:
                    waiting.append(after)
        return arrived

    def join(self, cohort: Cohort, arrived: list[tuple[int, _State]]) -> tuple[_State, ...]:
        groups: dict[Hashable, list[tuple[int, _State]]] = {}
        for place, state in arrived:
            groups.setdefault(self.keys.of(state), []).append((place, state))
        return tuple(state for group in groups.values() for state in self.join_group(cohort, group))

    def join_group(self, cohort: Cohort, group: list[tuple[int, _State]]) -> list[_State]:
        """One state for a group that is a polyhedron, or the group as it is.

        Say S₁ … Sᵣ are all runs of the cohort and went on by a₁ … aᵣ. If Sᵢ and aᵢ together imply every aⱼ, the
        union of all Sᵢ ∧ aᵢ is the cohort with every aⱼ: for a running maximum, "larger than all before".
        """
        states = [state for _, state in group]
        if len(states) == 1 or [place for place, _ in group] != list(range(len(cohort.states))):
            return states
        steps: list[Atom] = []
        for place, state in group:
            new = state.atoms[len(cohort.states[place].atoms) :]
            if len(new) != 1:
                return states
            steps.append(new[0])
        for (place, _), step in zip(group, steps, strict=True):
            known = {atom.form: atom.strict for atom in cohort.states[place].atoms}
            if not all(self.follows(other, step, known) for other in steps):
                return states
        return [replace(states[-1], atoms=(*cohort.atoms, *dict.fromkeys(steps)))]

    def follows(self, atom: Atom, step: Atom, known: Mapping[Affine, bool]) -> bool:
        """Whether `step` alone, or with one known comparison, implies `atom`."""
        if atom is step:
            return True
        rest = atom.form - step.form
        strict = known.get(rest, None if rest.terms or rest.constant > 0 else rest.constant < 0)
        if strict is None:
            return False
        return not atom.strict or step.strict or strict or bool(self.explorer.continuous_sites(atom.form))


class _Keys:
    """Equal keys for states that go on alike. Lists are hashed once, as the same ones come again and again."""

    def __init__(self) -> None:
        self.lists: dict[int, tuple[Value, int]] = {}

    def of(self, state: _State) -> Hashable:
        names = tuple((name, self.value(value)) for name, value in state.names.items())
        return names, state.draws, self.todo(state)

    def value(self, value: Value) -> Hashable:
        if isinstance(value, bool):
            return ("truth", value)
        if not isinstance(value, tuple):
            return value
        if id(value) not in self.lists:
            self.lists[id(value)] = (value, hash(value))
        return value if len(value) < 8 else (self.lists[id(value)][1], _Same(value))

    def todo(self, state: _State) -> Hashable:
        key: list[Hashable] = []
        todo = state.todo
        while todo is not None:
            match todo[0]:
                case _Block(body, at, turns):
                    key.append((id(body), at, turns))
                case _Again(node, turns, turn):
                    key.append((id(node), turns, turn))
                case _Next(node, items, turns, turn):
                    key.append((id(node), len(items), turns, turn))
            todo = todo[1]
        return tuple(key)


@dataclass(frozen=True, slots=True, eq=False)
class _Same:
    """A list that is hashed elsewhere; identical ones are equal without looking at their items."""

    items: tuple[object, ...]

    def __hash__(self) -> int:
        return len(self.items)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and (self.items is other.items or self.items == other.items)


class _Filter:
    """Which states can still end in an event, seen from the list that the program returns while it grows."""

    def __init__(self, sketch: Sketch, event: Event, noises: Sequence[Noise]):
        self.event, self.noises = event, noises
        self.name = _grown_list(sketch)
        self.front = any(isinstance(node, Append) and node.front for node in walk(sketch.body))
        match event:
            case Equals(value=tuple() as values):
                self.items: tuple[Event, ...] | None = tuple(Equals(v) for v in values)
            case StartsWith(values) if not self.front:
                self.items = tuple(Equals(v) for v in values)
            case AllOf(events):
                self.items = events
            case _:
                self.items = None
        self.open_ended = isinstance(event, StartsWith)

    def may_end(self, path: Path) -> bool:
        return cut(self.event, path.output, self.noises) != ()

    def may_hold(self, state: _State) -> bool:
        if self.name is None or self.items is None:
            return True
        grown = state.names.get(self.name)
        if not isinstance(grown, tuple):
            return True
        if len(grown) > len(self.items):
            if not self.open_ended:
                return False
            grown = grown[: len(self.items)]
        wanted = self.items[len(self.items) - len(grown) :] if self.front else self.items[: len(grown)]
        return all(cut(part, item, self.noises) != () for part, item in zip(wanted, grown, strict=True))


def _grown_list(sketch: Sketch) -> str | None:
    """The list that every `return` gives back, if it starts once as a list and then only grows, at one end."""
    returned = {
        node.value.name if isinstance(node.value, Var) else None
        for node in walk(sketch.body)
        if isinstance(node, Return)
    }
    if len(returned) != 1:
        return None
    (name,) = returned
    starts = [node for node in walk(sketch.body) if isinstance(node, Assign) and name in node.targets]
    once = [node for node in sketch.body if isinstance(node, Assign) and name in node.targets]
    ends = {node.front for node in walk(sketch.body) if isinstance(node, Append) and node.name == name}
    loops = [node for node in walk(sketch.body) if isinstance(node, For) and node.name == name]
    return name if len(starts) == len(once) == 1 and len(ends) == 1 and not loops else None
