"""What is taken for known of winners that are named for the whole run, against databases, noise and winners by number."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest
from test_obligations import made_up_invariant

from digests import agrees, digest
from kolahal.lang.noise import Noise
from kolahal.lang.read.parse import parse
from kolahal.lang.scale import parse_scale
from kolahal.logic.linear import number, variable
from kolahal.logic.terms import FALSE, INT, REAL, TRUE, Symbol, Truth, at_most, every, put, put_in, symbols_of
from kolahal.proof.trusted.budget import Share
from kolahal.proof.trusted.named_items import FoundInTurns, NamedItems, place_of_first, shift_of, spares
from kolahal.proof.trusted.neighbours import Neighbours, neighbours_of
from kolahal.proof.trusted.obligations import obligations
from kolahal.proof.trusted.others import MOVE, NONE, first, winner
from kolahal.proof.trusted.product import build_product, build_system
from kolahal.proof.trusted.shifts import Alignment, Always, AtGhost, FollowedSums, Form, Shift
from kolahal.proof.trusted.symbols import LENGTH, MOVED_AT, ghost_value, move_of, moved_by, moved_size, own
from kolahal.proof.trusted.values import Built, Logical, Maybe, NoisyItem, Numeric, Read, Spot, Unsupported

pytestmark = pytest.mark.mutants
FORMS = (Form(cancel=True, lead=True), Form(Fraction(1), lead=True), Form(cancel=True), Form(Fraction(2)), Form())


class Trial:
    """Two databases, the noise of the first run, and which places the ghosts name."""

    def __init__(self, seed: int):
        rng = self.rng = random.Random(seed)
        self.size, self.ghosts = rng.randint(1, 5), rng.randint(1, 3)
        self.slope, self.factor = (Fraction(rng.choice((-2, -1, 1, 3)), rng.choice((1, 2))) for _ in range(2))
        item = NoisyItem(0, 0, Noise.LAPLACE, parse_scale("3/eps"), variable(Symbol("item.answer", REAL)).times(self.slope), self.slope, self.factor)
        self.kind, self.least = rng.choice(("each", "up", "down", "one", "one up")), rng.random() < 0.5
        self.neighbours = Neighbours(self.kind, Fraction(2), False)
        self.named = NamedItems(item, rng.choice(FORMS), tuple(f"g{i}" for i in range(self.ghosts)), self.least, self.neighbours)
        self.places = [rng.randint(-1, self.size) for _ in range(self.ghosts)]
        low, high = self.neighbours.ends
        self.at, by = rng.randrange(self.size), Fraction(rng.randint(4 * low, 4 * high), 2)
        self.moves = [by if self.neighbours.single and i == self.at else Fraction(0) if self.neighbours.single else Fraction(rng.randint(4 * low, 4 * high), 2) for i in range(self.size)]
        self.given: dict[Symbol, Any] = {LENGTH: number(self.size), MOVED_AT: number(self.at), moved_by(REAL): number(by), moved_size(REAL): number(abs(by))}
        self.given |= {ghost_value(which): number(place) for which, place in enumerate(self.places)}
        for which, place in enumerate(self.places):
            self.given[move_of(-1 - which, REAL)] = number(self.moves[place] if 0 <= place < self.size else 0)
        values = [Fraction(rng.randint(-10**6, 10**6), 1000) for _ in range(self.size)]
        self.runs = [values, [value + move * self.slope for value, move in zip(values, self.moves, strict=True)]]  # without shifts
        self.follow()

    def turns_only(self) -> FoundInTurns:
        return FoundInTurns(self.named.item, 0, self.least, self.neighbours)

    def tells(self, place: int) -> bool:
        """Whether a look at a place tells that it is wrongly taken for a winner, or wrongly not."""
        if self.given[NONE] == TRUE:
            return True  # all places win
        values = [run[place] for run in self.runs]
        if place not in self.places:
            return number(place) in (self.given[place_of_first(1)], self.given[place_of_first(2)]) or number(values[0]) == self.given[first(1)]
        unmoved = (values[0], values[0] + self.moves[place] * self.slope)
        ends = [self.given[first(run)].constant for run in (1, 2)]
        return any(value < end if self.least else value > end for value, end in zip(unmoved, ends, strict=True))

    def follow(self) -> None:
        """The first of the others, and what winners move to."""
        others, best = [i for i in range(self.size) if i not in self.places], min if self.least else max
        self.given |= {NONE: Truth(not others), MOVE: number(0)}
        for run, values in enumerate(self.runs, start=1):
            at = best(others, key=values.__getitem__) if others else 0
            self.given |= {first(run): number(values[at]), place_of_first(run): number(at)}
        if others:
            ends = [put(variable(first(run)), self.given).constant for run in (1, 2)]
            self.given[MOVE] = number((ends[1] - ends[0]) / self.slope)
        self.shifts = [put(self.named.shift(which), self.given).constant for which in range(self.ghosts)]
        for which, place in enumerate(self.places):
            inside = 0 <= place < self.size
            values = [values[place] if inside else Fraction(which + 7) for values in self.runs]
            values[1] += self.shifts[which] * self.factor if inside else 0
            self.given |= {winner(which, run): number(values[run - 1]) for run in (1, 2)}
        for which, place in enumerate(self.places):
            if 0 <= place < self.size and which == self.places.index(place):
                self.runs[1][place] += self.shifts[which] * self.factor


@pytest.mark.parametrize("start", range(0, 240, 24))
def test_what_is_taken_for_known_is_so(start: int) -> None:
    for seed in range(start, start + 24):
        trial = Trial(seed)
        assert all(put_in(fact, trial.given) == TRUE for fact in trial.named.facts()), seed
        for run in (1, 2):
            reads = tuple(Read(Spot(0, number(i)), number(i), own(f"read.{i}", run, REAL), False, trial.named.item) for i in range(trial.size))
            given = trial.given | {read.symbol: number(value) for read, value in zip(reads, trial.runs[run - 1], strict=True)}
            told = list(trial.named.seen(run, reads, {}))
            assert told and all(put_in(fact, given) == TRUE for fact in told), seed
        for place, (before, after) in enumerate(zip(*trial.runs, strict=True)):
            unmoved = number(before + trial.moves[place] * trial.slope)
            assert put(trial.named.second(number(place), unmoved), trial.given) == number(after), seed


@pytest.mark.parametrize("start", range(0, 240, 80))
def test_what_is_not_so_is_not_taken_for_known(start: int) -> None:
    """Another number for the first of the others, a winner, or the move of the first contradicts what is known, where there is one."""
    for seed in range(start, start + 80):
        trial = Trial(seed)
        facts = list(trial.named.facts())
        apart = trial.size > len(set(trial.places))
        inside = [which for which, place in enumerate(trial.places) if 0 <= place < trial.size]
        wrong: list[Symbol] = [winner(which, 2) for which in inside]
        wrong += [first(1), first(2), MOVE] if trial.given[NONE] == FALSE else []
        for symbol in wrong:
            given = trial.given | {symbol: trial.given[symbol] + number(Fraction(1, 7))}
            assert any(put_in(fact, given) == FALSE for fact in facts), (seed, symbol)
        if trial.given[NONE] == FALSE:
            for which in inside:
                for run in (1, 2):
                    given = trial.given | {place_of_first(run): number(trial.places[which])}
                    assert any(put_in(fact, given) == FALSE for fact in facts), (seed, which)
                tie = trial.given | {winner(which, 1): trial.given[first(1)]}
                assert any(put_in(fact, tie) == FALSE for fact in facts), (seed, which)
        if apart and trial.size > trial.ghosts:
            assert any(put_in(fact, trial.given | {NONE: TRUE}) == FALSE for fact in facts), seed
        reads = tuple(Read(Spot(0, number(i)), number(i), own(f"read.{i}", 1, REAL), False, trial.named.item) for i in range(trial.size))
        given = trial.given | {read.symbol: number(value) for read, value in zip(reads, trial.runs[0], strict=True)}
        told = list(trial.named.seen(1, reads, {}))
        for place, read in enumerate(reads):
            off = number(-(10**9) if trial.least else 10**9)
            changed = given | {read.symbol: off}
            assert any(put_in(fact, changed) == FALSE for fact in told), (seed, place)


def test_winners_are_paid_for_where_they_are_places() -> None:
    for seed in range(60):
        trial = Trial(seed)
        for noise in (Noise.LAPLACE, Noise.EXPONENTIAL):
            item = NoisyItem(0, 0, noise, parse_scale("3/eps"), trial.named.item.rest, trial.slope, trial.factor)
            named = NamedItems(item, trial.named.form, trial.named.names, trial.least, trial.neighbours)
            none = own("g0", 1, "Bool", ".none")
            names: dict[str, Any] = {name: Numeric(variable(own(name, 1, INT))) for name in named.names}
            names["g0"] = Maybe(none, names["g0"])
            last = {name: names[name] for name in named.names[1:]}
            assert list(named.costs(SimpleNamespace(names=last))) == list(named.costs(SimpleNamespace(names=names)))[1:]  # type: ignore[arg-type]
            for is_none in (False, True):
                costs = list(named.costs(SimpleNamespace(names=names)))  # type: ignore[arg-type]
                assert len(costs) == trial.ghosts and list(named.costs(SimpleNamespace(names={}))) == []  # type: ignore[arg-type]
                for which, (cost, goals) in enumerate(costs):
                    paid = 0 <= trial.places[which] < trial.size and not (is_none and which == 0)
                    given = trial.given | {none: Truth(is_none)}
                    assert put(cost, given) == number(Fraction(abs(trial.shifts[which])) / 3 if paid else 0)
                    assert [put_in(goal, given) for goal in goals] == ([Truth(not paid or trial.shifts[which] >= 0)] if noise is Noise.EXPONENTIAL else [])


def test_a_winner_moves_by_its_form() -> None:
    """With its answer or not, a number of units, and as far as the first of the others."""
    for seed in range(120):
        trial = Trial(seed)
        form, first_moves = trial.named.form, trial.given[MOVE].constant * trial.slope
        for which, place in enumerate(trial.places):
            if 0 <= place < trial.size:
                ends = [trial.given[winner(which, run)].constant for run in (1, 2)]
                with_answer = 0 if form.cancel else trial.moves[place] * trial.slope
                units = put(trial.neighbours.unit, trial.given).constant * form.units * trial.factor
                assert ends[1] - ends[0] == with_answer + units + (first_moves if form.lead else 0), seed


def test_reads_of_other_lists_say_nothing() -> None:
    trial = Trial(3)
    other = NoisyItem(1, 1, Noise.LAPLACE, parse_scale("3/eps"), trial.named.item.rest, trial.slope, trial.factor)
    read = Read(Spot(1, number(0)), number(0), own("read.0", 1, REAL), False, other)
    assert list(trial.named.seen(1, (read,), {})) == []
    mine = Read(Spot(0, variable(Symbol("k", INT))), variable(Symbol("k", INT)), own("read.1", 2, REAL), False, trial.named.item)
    binding = {Symbol("k", INT): number(0), mine.symbol: number(5)}
    assert [*trial.named.seen(2, (read, mine), binding)] == [*trial.named.seen(2, (mine,), binding)] != []
    told = every(trial.named.seen(2, (read, mine), binding))
    assert not {Symbol("k", INT), mine.symbol} & symbols_of(told) and at_most(number(0), number(0)) == TRUE


# ---------------------------------------------------------------- winners of turns


class Turned(Trial):
    """The same, where the places are those that one ghost names at its arrivals."""

    def __init__(self, seed: int):
        super().__init__(seed)
        self.turns = FoundInTurns(self.named.item, 0, self.least, self.neighbours)
        self.others = self.given[NONE] == FALSE

    def looks(self) -> list[tuple[int, tuple[Fraction, Fraction], Fraction]]:
        """Each place, what the two runs find there if its noise keeps its value, and what the second run finds."""
        first_run, second_run = self.runs
        return [(i, (x, x + self.moves[i] * self.slope), second_run[i]) for i, x in enumerate(first_run)]


@pytest.mark.parametrize("start", range(0, 240, 40))
def test_what_is_taken_for_known_of_turns_is_so(start: int) -> None:
    for seed in range(start, start + 40):
        trial = Turned(seed)
        facts = list(trial.turns.facts())
        assert facts and all(put_in(fact, trial.given) == TRUE for fact in facts), seed
        wins, asked = own("wins", 1, "Bool"), variable(Symbol("k", INT))
        for place, values, after in trial.looks():
            won = place in trial.places
            given = trial.given | {wins: Truth(won), Symbol("k", INT): number(place)}
            told = list(trial.turns.look(asked, (number(values[0]), number(values[1])), wins))
            assert len(told) == 4 and all(put_in(fact, given) == TRUE for fact in told), (seed, place)
            gone = shift_of(trial.named.form, trial.named.item, number(trial.moves[place]), trial.neighbours).times(trial.factor)
            moved = put(gone, trial.given).constant if won else Fraction(0)
            assert values[1] + moved == after, (seed, place)
            assert any(put_in(fact, given | {wins: Truth(not won)}) == FALSE for fact in told) == trial.tells(place), (seed, place)
            far = number(-(10**9) if trial.least else 10**9)
            for off in ((far, number(values[1])), (number(values[0]), far)):
                changed = [put_in(fact, given) for fact in trial.turns.look(asked, off, wins)]
                assert (FALSE in changed) is not won, (seed, place)
        for outside in (-1, trial.size):  # nothing is known of what is no item
            given = trial.given | {wins: FALSE, Symbol("k", INT): number(outside)}
            assert all(put_in(fact, given) == TRUE for fact in trial.turns.look(asked, (number(10**9), number(10**9)), wins))


@pytest.mark.parametrize("start", range(0, 240, 80))
def test_what_is_not_so_is_not_taken_for_known_of_turns(start: int) -> None:
    for seed in range(start, start + 80):
        trial = Turned(seed)
        facts = list(trial.turns.facts())
        for symbol in (first(1), first(2), MOVE) if trial.others else (MOVE,):
            given = trial.given | {symbol: trial.given[symbol] + number(Fraction(1, 7))}
            assert any(put_in(fact, given) == FALSE for fact in facts), (seed, symbol)
        if trial.others:
            wins = own("wins", 1, "Bool")
            for outside in (-1, trial.size):
                for run in (1, 2):
                    assert any(put_in(fact, trial.given | {place_of_first(run): number(outside)}) == FALSE for fact in facts), seed
            inside = [place for place in trial.places if 0 <= place < trial.size]
            for place in inside:  # a winner that ties with the first of the others
                given = trial.given | {wins: TRUE}
                tie = (trial.given[first(1)], number(trial.runs[1][place]))
                assert any(put_in(fact, given) == FALSE for fact in trial.turns.look(number(place), tie, wins)), seed
            for run in (1, 2):  # the place that an arrival names is not that of the first of the others
                at = trial.given[place_of_first(run)]
                assert any(put_in(fact, trial.given | {ghost_value(0): at}) == FALSE for fact in trial.turns.coming()), seed
        for place in trial.places:
            assert all(put_in(fact, trial.given | {ghost_value(0): number(place)}) == TRUE for fact in trial.turns.coming()), seed


def test_the_ghost_of_turns_is_the_one_that_is_named() -> None:
    turns = FoundInTurns(Trial(0).named.item, 2, False, Trial(0).neighbours)
    assert ghost_value(2) in symbols_of(every(turns.coming())) and ghost_value(0) not in symbols_of(every(turns.coming()))


def test_lists_that_spare_the_first_of_the_others() -> None:
    """Whether a truth that is carried along says what it is to say, for lists that grow at both ends, of all kinds of items."""
    turns, best, none, high = Trial(3).turns_only(), own("best", 1, INT), own("best", 1, "Bool", ".none"), own("best", 1, REAL)
    whole: list[Any] = [Numeric(number(3)), Numeric(variable(best)), Maybe(none, Numeric(variable(best)))]
    other: list[Any] = [Numeric(variable(high)), Numeric(number(Fraction(7, 2))), Logical(TRUE)]
    at = place_of_first(1)
    place: Any = SimpleNamespace(names=(("gone", Built("gone", number(0))), ("x", Numeric(number(1)))))
    assert turns.symbols(place, 1) == (spares("gone", 1),) and turns.symbols(place, 2) == (spares("gone", 2),)
    for base, item, front in itertools.product(("gone", "more", None), (*whole, *other), (False, True)):
        built = Built(base, number(1), (item,) if front else (), () if front else (item, Numeric(number(4))))
        path: Any = SimpleNamespace(names={"gone": built, "x": Numeric(number(1))})
        ((symbol, truth),) = turns.updates(place, path, 1, {})
        assert symbol == spares("gone", 1)
        for before, is_none, it, first_at in itertools.product((TRUE, FALSE), (TRUE, FALSE), (2, 5), (2, 3, 4, 5)):
            given: dict[Symbol, Any] = {spares(name, 1): before for name in ("gone", "more")} | {none: is_none, best: number(it), high: number(it), at: number(first_at)}
            items = {3: item is whole[0], it: item is whole[1] or (item is whole[2] and is_none == FALSE), 4: not front}
            wanted = item in whole and not items.get(first_at, False) and (base is None or before == TRUE)
            assert put_in(truth, given) == Truth(wanted), (base, item, front, given)
    with pytest.raises(Unsupported):
        list(turns.updates(place, SimpleNamespace(names={"gone": Numeric(number(1))}), 1, {}))  # type: ignore[arg-type]
    bound: dict[Symbol, Any] = {best: number(3)}
    ((_, truth),) = turns.updates(place, SimpleNamespace(names={"gone": Built(None, number(1), (whole[1],))}), 1, bound)  # type: ignore[arg-type]
    assert best not in symbols_of(truth)


def test_what_is_read_of_lists_that_spare_the_first_of_the_others() -> None:
    turns, item = Trial(3).turns_only(), own("read.0", 2, INT)
    reads = (
        Read(Spot("gone", number(0)), number(0), item, False),
        Read(Spot("gone", number(1)), number(1), own("read.1", 2, REAL), False),
        Read(Spot(None, number(0)), number(0), own("read.2", 2, INT), True),
        Read(Spot(0, number(0)), number(0), own("read.3", 2, INT), False, turns.item),
    )
    (told,) = turns.items_read(SimpleNamespace(reads=reads), 2, {item: number(5)})  # type: ignore[arg-type]
    at = place_of_first(2)
    for spared, place in itertools.product((TRUE, FALSE), (4, 5)):
        assert put_in(told, {spares("gone", 2): spared, at: number(place)}) == Truth(spared == FALSE or place != 5)


# ---------------------------------------------------------------- what must be valid, byte for byte

ONCE = "noisy = [x + {item} for x in q]\nbest, top, second = -1, 0, 0\nfor i in range(len(q)):\n    if best == -1 or noisy[i] > top:\n        best, second, top = i, top, noisy[i]\n    elif i == 1 or noisy[i] > second:\n        second = noisy[i]\nreturn best, {answer}"
FOLLOW = AtGhost(0, Form(cancel=True, lead=True), Form())
TWICE = AtGhost(0, Form(cancel=True, lead=True), AtGhost(0, Form(cancel=True, lead=True), Form(), 1))
DERIVED = {
    "a gap": ("Lap(2/eps)", "top - second", "each_within(1)", Alignment((FOLLOW,), ("best",), lead=FollowedSums((0,)))),
    "a gap, one answer": ("Lap(2/eps)", "top - second", "one_within(1)", Alignment((FOLLOW,), ("best",), lead=FollowedSums((0,)))),
    "one-sided": ("Exp(2/eps)", "top - second", "monotone(1)", Alignment((FOLLOW,), ("best",), lead=FollowedSums((0,)))),
    "two winners": ("Lap(2/eps)", "top", "each_within(2)", Alignment((TWICE,), ("best", "i"), lead=FollowedSums((0,), True))),
    "with noise of its own": ("Lap(2/eps)", "top - second + Lap(1/eps)", "each_within(1)", Alignment((FOLLOW, Always(Form(Fraction(1), True))), ("best",), lead=FollowedSums((0,)))),
}
UP, STILL = Form(Fraction(1)), Form()
AS_WELL, ALIKE, NOT_MOVED = "only the noise of the list itself follows", "the items at the places of all ghosts move alike", "the noise of the others keeps its value"
REFUSED: dict[str, tuple[tuple[Shift, ...], tuple[str, ...], tuple[int | None, ...], str]] = {
    "other noise follows": ((FOLLOW, Always(Form(lead=True))), ("best",), (), AS_WELL),
    "two forms": ((AtGhost(0, UP, AtGhost(0, STILL, STILL, 1)), Always(STILL)), ("best", "i"), (), ALIKE),
    "another order of ghosts": ((AtGhost(0, UP, AtGhost(0, UP, STILL, 0), 1), Always(STILL)), ("best", "i"), (), ALIKE),
    "one ghost twice": ((AtGhost(0, UP, AtGhost(0, UP, STILL)), Always(STILL)), ("best", "i"), (), ALIKE),
    "one ghost too few": ((FOLLOW, Always(STILL)), ("best", "i"), (), ALIKE),
    "others move": ((AtGhost(0, UP, UP), Always(STILL)), ("best",), (), NOT_MOVED),
    "no ghost": ((Always(STILL), Always(STILL)), (), (), NOT_MOVED),
    "a ghost of a loop that there is not": ((FOLLOW, Always(STILL)), ("best",), (7,), "a ghost is renewed at a loop that does not exist"),
    "a ghost of the second loop that there is not": ((FOLLOW, Always(STILL)), ("best", "i"), (None, 7), "a ghost is renewed at a loop that does not exist"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_other_alignments_of_named_winners_are_refused(name: str) -> None:
    shifts, ghosts, renewed, why = REFUSED[name]
    lines = "\n".join(f"    {line}" for line in ONCE.format(item="Lap(2/eps)", answer="top - second + Lap(1/eps)").split("\n"))
    sketch = parse(f"@sketch(adjacent=each_within(1))\ndef f(q: Private, eps: Epsilon):\n{lines}\n")
    product = build_product(sketch, frozenset(), at_once=True)
    with pytest.raises(Unsupported, match=f"^{why}"):
        build_system(product, neighbours_of(sketch)[0], Alignment(shifts, ghosts, renewed, lead=FollowedSums((0,))), None, ())


@pytest.mark.parametrize("name", DERIVED)
def test_what_must_be_valid_of_named_winners_is_what_it_was(name: str) -> None:
    item, answer, relation, alignment = DERIVED[name]
    lines = "\n".join(f"    {line}" for line in ONCE.format(item=item, answer=answer).split("\n"))
    sketch = parse(f"@sketch(adjacent={relation})\ndef f(q: Private, eps: Epsilon):\n{lines}\n")
    product, found = build_product(sketch, frozenset(), at_once=True), list[str]()
    for neighbours in neighbours_of(sketch):
        for shares in (None, (Share((), Fraction(1), None),)):
            system = build_system(product, neighbours, alignment, shares, ())
            assert all(clause.updates == () for clause in system.clauses if clause.target is None)
            found += [obligation.script() for obligation in obligations(system, made_up_invariant(system))]
    agrees("named_items.txt", {name: digest(found)}, DERIVED)
