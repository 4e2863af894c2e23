"""The paths of a program, with those that only a past maximum tells apart joined into one.

`paths/explore.py` lists every path; a running maximum over n queries has 2^(n − 1) of them, though only n answers.
Here the paths go forward together, from one loop turn to the next, and paths that have come to the same state are
joined where their union is again a polyhedron. A running maximum goes on as a single *contest*, whatever leads it, and
only the leaders that an event asks about are told apart at the end. Paths that an event can no longer take are left out
on the way. So the work for one event is proportional to the number of queries.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from kolahal.lang.ir import Append, Assign, Comprehension, Draw, Expr, For, ListOf, Return, Var, walk
from kolahal.lang.noise import Noise
from kolahal.lang.sketch import Sketch
from kolahal.logic.linear import Inequality, LinearForm, number, plain, variable
from kolahal.model import AllOf, Equals, Event, StartsWith
from kolahal.nouns import dataclass
from kolahal.paths.cuts import CannotIntegrate, cut
from kolahal.paths.explore import Explorer
from kolahal.paths.state import Fault, Item, Outside, Path, State, Value, begin, given_answers
from kolahal.paths.unknowns import Affine, AnswerAt, Atom, Atoms, Held, Indeterminate

MOST_PATHS = 1_000  # for one event
MOST_OPEN_BITS = 3  # that are looked at both ways
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
    states: tuple[State, ...]


@dataclass(frozen=True, slots=True)
class Entrant:
    """One that may lead a contest, and the values that variables have when it does."""

    values: Mapping[str, Affine]
    strict: bool  # whether it had to beat all before it strictly


@dataclass(frozen=True, slots=True)
class Contest:
    """All runs where `state.atoms` hold, told apart by which entrant leads; variables that differ are held.

    The leader's value of the variable `by` beats those of all others: sign × (theirs − the leader's) ≤ 0, or < 0 if
    it is the one of the two that loses a tie.
    """

    state: State
    by: str
    sign: int
    entrants: tuple[Entrant, ...]

    def leads(self, place: int) -> Atoms:
        """What makes the entrant at `place` the leader."""
        own = self.entrants[place]
        found = []
        for other_place, other in enumerate(self.entrants):
            if other_place != place:
                strict = own.strict if other_place < place else not other.strict
                ahead = (other.values[self.by] - own.values[self.by]).times(self.sign)
                found.append(Inequality(ahead, strict))
        return tuple(found)


def _size(group: Cohort | Contest) -> int:
    return len(group.states) if isinstance(group, Cohort) else 1


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
    if database is None and sketch.private.bits and size > MOST_OPEN_BITS:
        return CannotIntegrate("bits are looked at one database at a time: all of them together have too many paths")
    names: dict[str, Value] = {
        name: value if isinstance(value, bool) else plain(value) for name, value in arguments.items()
    }
    open_answers = tuple(variable(AnswerAt(i)) for i in range(size))
    names[sketch.private.name] = open_answers if database is None else given_answers(sketch, database)
    program = _item_by_item(sketch)
    search = _JoinedSearch(program, silent, event, size)
    try:
        problem = search.run(begin(program, names))
    except Outside as outside:
        return CannotIntegrate(outside.reason(sketch))
    return problem or Outcomes(tuple(search.found), search.explorer.noises)


def _item_by_item(sketch: Sketch) -> Sketch:
    """The program whose answer, if it is a list made at once with coins in it, grows item by item.

    So items that an event rules out are left out on the way. Draws keep their addresses.
    """
    *body, last = sketch.body
    made: Expr | None = last.value if isinstance(last, Return) else None
    before = body[-1] if body else None
    if isinstance(made, Var) and isinstance(before, Assign) and before.targets == (made.name,):
        (made,) = before.values
        body.pop()
    if not isinstance(made, Comprehension) or not any(isinstance(n, Draw) and n.noise.finite for n in walk(made.item)):
        return sketch
    grown = "the answer's items"  # which no program calls anything
    loop = For(made.name, made.over, (Append(grown, made.item, front=False),))
    return replace(sketch, body=(*body, Assign((grown,), (ListOf(()),)), loop, Return(Var(grown))))


class _JoinedSearch:
    def __init__(self, sketch: Sketch, silent: frozenset[int], event: Event | None, size: int):
        self.explorer = Explorer(sketch, silent, size)
        self.found: list[Path] = []
        self.filter = _Filter(sketch, event, self.explorer.noises) if event is not None else None
        self.keys = _Keys()
        self.most = MOST_OF_ALL if event is None else MOST_PATHS

    def run(self, start: State) -> CannotIntegrate | None:
        waiting: list[Cohort | Contest] = [Cohort((), (start,))]
        states = 1
        while waiting:
            last = waiting.pop()
            following = self.turn(last) if isinstance(last, Cohort) else self.contest_turn(last)
            waiting += following
            states += sum(map(_size, following)) - _size(last)
            if states + len(self.found) > self.most:
                return CannotIntegrate(f"the program has more than {self.most} paths")
        return None

    def turn(self, cohort: Cohort) -> list[Cohort | Contest]:
        """The states of a cohort at the next start of a loop turn."""
        arrived: list[tuple[int, State]] = []
        left = len(self.found)
        dropped = False
        for place, state in enumerate(cohort.states):
            paths, states = self.advance(state)
            self.found += [path for path in paths if self.filter is None or self.filter.may_end(path.output)]
            for after in states:
                if self.filter is not None and not self.filter.may_hold(after, state):
                    dropped = True
                else:
                    arrived.append((place, after))
            dropped = dropped or bool(paths)
        if dropped:
            # Some runs have gone, so the others are no longer all of anything but themselves.
            return [Cohort(state.atoms, (state,)) for _, state in arrived]
        if not arrived:
            return []
        assert len(self.found) == left
        if len(cohort.states) == 1 and len(arrived) == 2:
            contest = _open_contest(cohort, arrived[0][1], arrived[1][1])
            if contest is not None:
                return [contest]
        return [Cohort(cohort.atoms, self.join(cohort, arrived))]

    def advance(self, state: State) -> tuple[list[Path], list[State]]:
        """The runs that end before the next start of a loop turn, and the states of the others there."""
        waiting: list[State] = [state]
        ended: list[Path] = []
        arrived: list[State] = []
        first = True
        while waiting:
            now = waiting.pop()
            if not first and now.at_turn:
                arrived.append(now)
                continue
            first = False
            for after in reversed(self.explorer.step(now)):
                if isinstance(after, Path):
                    ended.append(after)
                else:
                    waiting.append(after)
        return ended, arrived

    # ---- contests

    def contest_turn(self, contest: Contest) -> list[Cohort | Contest]:
        """The contest after another turn; its leaders apart, if they do not go on alike."""
        try:
            ended, arrived = self.advance(contest.state)
        except Outside:  # what is held would have to be known
            return [self.dissolve(contest)]
        if not arrived:
            self.found += self.tell_apart(contest, ended)
            return []
        after = _go_on(contest, arrived) if not ended else None
        return [self.dissolve(contest) if after is None else after]

    def dissolve(self, contest: Contest) -> Cohort:
        """A state for each leader that is possible."""
        states: list[State] = []
        for place, entrant in enumerate(contest.entrants):
            atoms, point = contest.state.atoms, contest.state.point
            for atom in contest.leads(place):
                found = self.explorer.find_point(atoms, (atom,), point)
                if found is None:
                    break
                atoms, point = (*atoms, atom), found
            else:
                values = _by_symbol(entrant.values)
                names = {name: _told(value, values) for name, value in contest.state.names.items()}
                states.append(contest.state._replace(names=names, atoms=atoms, point=point))
        return Cohort(contest.state.atoms, tuple(states))

    def tell_apart(self, contest: Contest, paths: Sequence[Path]) -> list[Path]:
        """The paths of every leader that can end in the event."""
        found: list[Path] = []
        for place, entrant in enumerate(contest.entrants):
            values = _by_symbol(entrant.values)
            for path in paths:
                output = path.output if isinstance(path.output, Fault) else _told(path.output, values)
                if self.filter is not None and not self.filter.may_end(output):
                    continue
                rest = path.atoms[len(contest.state.atoms) :]
                told = [Inequality(atom.form.replace(values), atom.strict) for atom in rest]
                if all(atom.form.terms or atom.holds({}) for atom in told):
                    kept = (atom for atom in told if atom.form.terms)
                    atoms = dict.fromkeys((*contest.state.atoms, *contest.leads(place), *kept))
                    found.append(Path(tuple(atoms), output, path.draws, path.point, path.picks))
        return found

    # ---- cohorts

    def join(self, cohort: Cohort, arrived: list[tuple[int, State]]) -> tuple[State, ...]:
        if len(arrived) == 1:
            return (arrived[0][1],)
        groups: dict[Hashable, list[tuple[int, State]]] = {}
        for place, state in arrived:
            groups.setdefault(self.keys.of(state), []).append((place, state))
        return tuple(state for group in groups.values() for state in self.join_group(cohort, group))

    def join_group(self, cohort: Cohort, group: list[tuple[int, State]]) -> list[State]:
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
        return [states[-1]._replace(atoms=(*cohort.atoms, *dict.fromkeys(steps)))]

    def follows(self, atom: Atom, step: Atom, known: Mapping[Affine, bool]) -> bool:
        """Whether `step` alone, or with one known comparison, implies `atom`."""
        if atom is step:
            return True
        rest = atom.form - step.form
        strict = known.get(rest, None if rest.terms or rest.constant > 0 else rest.constant < 0)
        if strict is None:
            return False
        return not atom.strict or step.strict or strict or bool(self.explorer.continuous_sites(atom.form))


# ---------------------------------------------------------------- contests


def _open_contest(cohort: Cohort, first: State, second: State) -> Contest | None:
    """The contest of two states that one comparison tells apart, if it compares what they hold."""
    if (first.draws, first.picks) != (second.draws, second.picks) or first.place() != second.place():
        return None
    known = len(cohort.states[0].atoms)
    steps = [state.atoms[known:] for state in (first, second)]
    if first.names.keys() != second.names.keys() or any(len(step) != 1 for step in steps):
        return None
    (earlier,), (later,) = steps
    differing = [name for name, value in first.names.items() if not _alike(value, second.names[name])]
    told = [_held_values(state, differing) for state in (first, second)]
    if later != earlier.negated() or any(len(own) < len(differing) for own in told):
        return None
    for name in differing:
        ahead = told[0][name] - told[1][name]
        for sign in (1, -1):
            if later.form == ahead.times(sign):
                names: dict[str, Value] = {**first.names, **{n: variable(Held(n)) for n in differing}}
                state = first._replace(names=names, atoms=first.atoms[:known], point=cohort.states[0].point)
                return Contest(state, name, sign, (Entrant(told[0], True), Entrant(told[1], later.strict)))
    return None


def _go_on(contest: Contest, arrived: Sequence[State]) -> Contest | None:
    """The contest with one entrant more, or with none; None if its turn was no contest between leader and newcomer.

    If the newcomer beats the leader, it beats all that the leader beats: so the new leader beats all again.
    """
    known, names = len(contest.state.atoms), list(contest.entrants[0].values)
    held = {name: variable(Held(name)) for name in names}
    keeps = [all(state.names[n] == held[n] for n in names) for state in arrived]
    if keeps.count(True) != 1 or len(arrived) > 2:
        return None
    kept = arrived[keeps.index(True)]
    before = contest.state.names
    if any(n not in names and v is not before.get(n) and _names_held(v) for n, v in kept.names.items()):
        return None
    if len(arrived) == 1:
        return replace(contest, state=kept) if len(kept.atoms) == known else None
    won = arrived[keeps.index(False)]
    values = _held_values(won, names)
    if len(values) < len(names) or any(_names_held(value) for value in values.values()):
        return None
    if (kept.draws, kept.picks) != (won.draws, won.picks) or kept.place() != won.place() or kept.names.keys() != won.names.keys():
        return None
    if not all(n in names or _alike(v, won.names[n]) for n, v in kept.names.items()):
        return None
    new = won.atoms[known:]
    if len(new) != 1 or kept.atoms[known:] != (new[0].negated(),):
        return None
    if new[0].form != (held[contest.by] - values[contest.by]).times(contest.sign):
        return None
    state = kept._replace(atoms=contest.state.atoms, point=contest.state.point)
    return Contest(state, contest.by, contest.sign, (*contest.entrants, Entrant(values, new[0].strict)))


def _held_values(state: State, names: Sequence[str]) -> dict[str, Affine]:
    """The numbers among the values of `names`, as forms; nothing else can be held."""
    found: dict[str, Affine] = {}
    for name in names:
        value = state.names[name]
        if isinstance(value, LinearForm):
            found[name] = value
        elif value is not None and not isinstance(value, bool | tuple):
            found[name] = number(value)
    return found


def _alike(first: Value, second: Value) -> bool:
    """Equal, and not just as True equals 1."""
    if first is second:
        return True
    if isinstance(first, tuple) and isinstance(second, tuple):
        return len(first) == len(second) and all(map(_alike, first, second))
    return isinstance(first, bool) == isinstance(second, bool) and first == second


def _names_held(value: Value) -> bool:
    if isinstance(value, tuple):
        return any(map(_names_held, value))
    return isinstance(value, LinearForm) and any(isinstance(symbol, Held) for symbol in value.terms)


def _by_symbol(values: Mapping[str, Affine]) -> dict[Indeterminate, Affine]:
    return {Held(name): value for name, value in values.items()}


def _told(value: Value, values: Mapping[Indeterminate, Affine]) -> Value:
    """The value with what is held in place of its name."""
    if isinstance(value, tuple):
        return tuple(_told_item(item, values) for item in value)
    return _told_item(value, values)


def _told_item(item: Item, values: Mapping[Indeterminate, Affine]) -> Item:
    if not isinstance(item, LinearForm) or not any(isinstance(symbol, Held) for symbol in item.terms):
        return item
    told = item.replace(values)
    return told if told.terms else told.constant


# ---------------------------------------------------------------- states that go on alike, or not at all


class _Keys:
    """Equal keys for states that go on alike. Lists are hashed once, as the same ones come again and again."""

    def __init__(self) -> None:
        self.lists: dict[int, tuple[Value, int]] = {}

    def of(self, state: State) -> Hashable:
        names = tuple((name, self.value(value)) for name, value in state.names.items())
        return names, state.draws, state.picks, state.place()

    def value(self, value: Value) -> Hashable:
        if isinstance(value, bool):
            return ("truth", value)
        if not isinstance(value, tuple):
            return value
        if id(value) not in self.lists:
            self.lists[id(value)] = (value, hash(value))
        return value if len(value) < 8 else (self.lists[id(value)][1], _Same(value))


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

    def may_end(self, output: Value | Fault) -> bool:
        return cut(self.event, output, self.noises) != ()

    def may_hold(self, state: State, before: State) -> bool:
        """Whether a state can still end in the event, if the state `before` it could."""
        if self.name is None or self.items is None:
            return True
        grown, old = state.names.get(self.name), before.names.get(self.name, ())
        if not isinstance(grown, tuple) or not isinstance(old, tuple):
            return True
        if len(grown) > len(self.items) and not self.open_ended:
            return False
        count = len(grown) - len(old)
        if self.front:
            start = len(self.items) - len(grown)
            new = zip(self.items[start : start + count], grown[:count], strict=True)
        else:
            new = zip(self.items[len(old) :], grown[len(old) :], strict=False)
        return all(cut(part, item, self.noises) != () for part, item in new)


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
