"""Permute-and-flip, as noisy max with exponential noise.

*What is looked for.* A loop takes a place by lot from those that are left, again and again. A place i of a list s of scores is
*taken*, and ends the loop, if s[i] + Exp(scale) >= max(s); if not, it is taken out of those that are left. Or all places are put in
such an order first, and looked at in that order. Or all places that pass are listed first, and one of them is chosen by lot.

*Why the best noisy score is as likely to be at each place* (McKenna and Sheldon 2020; Ding and others 2021). Whether a place passes
depends on its own noise alone, and lots know nothing of noise. So in each of the three ways the place is one of those that pass, each
as likely as another. Of a place that passes, s[i] + Exp(scale) - max(s) is exponential again with the same scale, whatever s is, and
independent of all else: exponential noise forgets. So the largest of these is at each of the places that pass with the same
probability, and it is the largest of all s[i] + Exp(scale), because the others are below max(s). At least one place passes, that of
max(s), because noise is never below 0: no loop ends without a place.

The lots are drawn once, under a name of their own, so that every draw of the text keeps its place in proofs. The place is not the
same with the same noise, as in other programs that are restated, but as likely, given all that was drawn before. On a grid
that all scores are on, a place passes with the very probability that it has for real noise, so that the program has the same answers
with the same probabilities there, and what is proved for real noise holds. That is why scores hold no noise here, and no factor but whole numbers, and why `>` in the
place of `>=` is another program.

A program is read statement by statement, and what is not understood is not restated. docs/theory-draws.md has the argument.
"""

from __future__ import annotations

from dataclasses import replace

from kolahal.lang import ir
from kolahal.lang.noise import Noise
from kolahal.lang.sketch import Sketch
from kolahal.proof.trusted.restated.left_over import name_for
from kolahal.proof.trusted.restated.lots import (
    ALL,
    EMPTY,
    EQUAL,
    GONE,
    LEFT,
    LOT,
    MORE,
    ONE,
    ORDER,
    PASSED,
    PLACE,
    REST,
    ZERO,
    PassTest,
    Reader,
    changed_names,
)


def without_permutation(sketch: Sketch) -> Sketch:
    """The program with noisy max in the place of permute-and-flip; the program itself where there is none."""
    families = {draw.noise for draw in sketch.sites}
    if not {Noise.CHOOSE, Noise.EXPONENTIAL} <= families or any(isinstance(node, ir.Query) for node in ir.walk(sketch.body)):
        return sketch
    body = _Selection(sketch).selected()
    return sketch if body is None else without_permutation(replace(sketch, body=body))


class _Selection(Reader):
    """Reads a program from the top, and its loops turn by turn."""

    def __init__(self, sketch: Sketch):
        super().__init__(sketch)
        self.best = ir.Var(name_for("place", sketch, "best"))
        self.orders: dict[str, tuple[int, ir.Draw]] = {}  # by lists in random order, the loops that make them, and their lots

    # ---- a turn

    def turn(self, body: ir.Block) -> tuple[ir.Block, set[str]] | None:
        """What follows where a place passes, and the names that the place has then; None if a turn does anything else but take out a
        place that does not pass. The names at the end of a turn that goes on are known then."""
        tail: ir.Block | None = None
        names: set[str] = set()
        while body:
            coin = self.meaning(body[0].test) if isinstance(body[0], ir.If) else None
            if isinstance(body[0], ir.If) and isinstance(coin, PassTest) and tail is None:
                self.coin = coin
                then, orelse = (body[0].then, body[0].orelse) if coin.passes else (body[0].orelse, body[0].then)
                tail, body = (*then, *body[1:]), (*orelse, *body[1:])
                names = {name for name, meaning in self.known.items() if meaning == PLACE}
            elif isinstance(body[0], ir.Continue):
                break
            elif (length := self.understood(body)) != 0:
                body = body[length:]
            else:
                return None
        return tail or (), names

    def begin(self, loop: ir.For | ir.While) -> dict[str, str]:
        """What is known where a turn begins; what lists that it changes must be where it ends."""
        changed = changed_names((loop,))
        lists = {name: meaning for name, meaning in self.known.items() if name in changed and meaning in (ALL, EMPTY)}
        self.known = {name: meaning for name, meaning in self.known.items() if name not in changed}
        self.known |= {name: LEFT if meaning == ALL else GONE for name, meaning in lists.items()}
        self.lot = self.coin = self.drawn_from = None
        self.in_turn = True
        return {name: REST if meaning == ALL else MORE for name, meaning in lists.items()}

    def goes_on(self, loop: ir.For | ir.While) -> bool:
        """Whether a loop goes on while places are left, for at least as many turns as there are places."""
        if isinstance(loop, ir.For):
            return self.is_over_all(loop.over)
        match loop.test:
            case ir.Const(True):
                return True
            case ir.Binary(">" | "!=", ir.Length(ir.Var(name)), end):
                return end == ZERO and self.known.get(name) == LEFT
            case ir.Binary(">=", ir.Length(ir.Var(name)), end):
                return end == ONE and self.known.get(name) == LEFT
            case ir.Binary("<" | "!=", ir.Length(ir.Var(name)), end):
                return self.is_length(end) and self.known.get(name) == GONE
        return False

    # ---- the program

    def selected(self) -> ir.Block | None:
        """The statements of the program with noisy max, where a part of it is permute-and-flip."""
        at = 0
        while at < len(self.body):
            node = self.body[at]
            if isinstance(node, ir.For | ir.While):
                before = dict(self.known)
                for way in (self.by_lots, self.in_order, self.of_those_that_pass):
                    self.known = dict(before)
                    if isinstance(found := way(node, at), tuple):
                        return found
                    self.in_turn = False
                    if found:
                        break
                else:
                    self.known = before
                    self.forget((node,))
                at += 1
                continue
            length = self.understood(self.body[at:])
            self.note(node)
            if not length:
                self.forget((node,))
            at += length or 1
        return None

    def by_lots(self, loop: ir.For | ir.While, at: int) -> ir.Block | bool:
        """A loop that takes places by lot; or puts all places in order, which is noted."""
        ends = self.begin(loop)
        if not ends or not self.goes_on(loop) or (found := self.turn(loop.body)) is None or self.lot is None:
            return False
        if any(self.known.get(name) != meaning for name, meaning in ends.items()):
            return False
        lot = self.lot
        if self.coin is not None:
            return self.ended(loop, at, *found, lot) or False
        if isinstance(loop, ir.While) and loop.test == ir.Const(True):
            return False
        self.forget((loop,))
        for name, meaning in ends.items():
            if meaning == MORE:
                self.known[name] = ORDER
                self.orders[name] = at, lot
        return True

    def in_order(self, loop: ir.For | ir.While, at: int) -> ir.Block | bool:
        """A loop over all places in random order."""
        over = loop.over if isinstance(loop, ir.For) else None
        if not isinstance(loop, ir.For) or not isinstance(over, ir.Var) or self.known.get(over.name) != ORDER:
            return False
        if over.name in changed_names((loop,)) or self.begin(loop):
            return False
        self.known[loop.name] = PLACE
        if (found := self.turn(loop.body)) is None or self.coin is None or self.lot is not None:
            return False
        first, lot = self.orders[over.name]
        return self.ended(loop, at, *found, lot, first) or False

    def of_those_that_pass(self, loop: ir.For | ir.While, at: int) -> ir.Block | bool:
        """A loop that lists all places that pass, of which one is chosen by lot later on."""
        if not isinstance(loop, ir.For) or not self.is_all(loop.over):
            return False
        lists = [name for name, meaning in self.known.items() if meaning == EMPTY and name in changed_names((loop,))]
        self.begin(loop)
        self.known[loop.name] = PLACE
        if len(lists) != 1 or (found := self.turn(loop.body)) is None or self.coin is None or self.lot is not None:
            return False
        (passed,), (tail, names) = lists, found
        match tail:
            case (ir.Append(name, ir.Var(place), _),) if name == passed and place in names and self.known.get(passed) == GONE:
                return self.chosen(loop, at, passed) or False
        return False

    def chosen(self, loop: ir.For, at: int, passed: str) -> ir.Block | None:
        """The program where one of those that pass is chosen by lot, once."""
        assert self.coin is not None
        coin, before, rest, self.in_turn = self.coin, self.body[:at], self.body[at + 1 :], False
        self.known, self.drawn_from = {passed: PASSED}, None
        gone = changed_names((loop,)) | {passed}
        while rest and isinstance(node := rest[0], ir.Assign) and len(node.targets) == 1:
            (name,), meaning = node.targets, self.meaning(node.values[0])
            if meaning == PLACE:
                return self.joined(before, (), {name}, rest[1:], gone - {name}, self.lot, coin)
            if meaning not in (EQUAL, LOT):
                break
            self.known[name] = meaning
            gone, rest = gone | {name}, rest[1:]
        own = {part.name for part in ir.walk(rest) if isinstance(part, ir.Comprehension)}  # another name, though it reads the same
        if (changed_names(rest) | own) & self.known.keys():
            return None

        def change(part: ir.Node) -> ir.Node | None:
            return self.best if isinstance(part, ir.Index) and part.of == ir.Var(passed) and self.meaning(part) == PLACE else None

        # A lot without a name is drawn by the next statement, and drawn once.
        here = rest if self.lot else rest[:1]
        if not self.lot and any(isinstance(part, ir.For | ir.While | ir.If | ir.Comprehension) for part in ir.walk(here)):
            return None
        return self.joined(before, (), set(), (*ir.rebuild(here, change), *rest[len(here) :]), gone, self.lot, coin)

    def ended(
        self, loop: ir.For | ir.While, at: int, tail: ir.Block, names: set[str], lot: ir.Draw, first: int | None = None
    ) -> ir.Block | None:
        """The program where a place that passes ends a loop; `first` is the loop that puts places in order, if one does."""
        assert self.coin is not None
        end = next((i for i, node in enumerate(tail) if isinstance(node, ir.Return | ir.Break)), None)
        if end is None or any(isinstance(node, ir.Break | ir.Continue) for node in ir.walk(tail[:end])):
            return None
        rest = self.body[at + 1 :]
        if isinstance(tail[end], ir.Return):
            if any(isinstance(node, ir.Draw) for node in ir.walk(rest)):
                return None
            tail, rest = tail[: end + 1], ()
        else:
            tail = tail[:end]
        before = self.body[:at]
        ordering: ir.Block = ()
        if first is not None:
            before, ordering = (*self.body[:first], *self.body[first + 1 : at]), self.body[first : first + 1]
            if _read(self.body[first + 1 : at]) & changed_names(ordering):
                return None
        gone = changed_names((*ordering, loop)) - names
        return self.joined(before, tail, names, rest, gone, lot, self.coin)

    def joined(
        self, before: ir.Block, tail: ir.Block, names: set[str], rest: ir.Block, gone: set[str], lot: ir.Draw | None, coin: PassTest
    ) -> ir.Block | None:
        """What stands before, noisy max, and what follows, if nothing of it looks at what the turns left."""
        for node in tail:
            if _read(node) & gone:
                return None
            gone = gone - set(node.targets) if isinstance(node, ir.Assign) else gone
        if lot is None or _read(rest) & gone:
            return None
        given = tuple(ir.Assign((name,), (self.best,)) for name in sorted(names))
        body = (*before, *self.noisy_max(coin, lot), *given, *tail, *rest)
        kept = sorted(node.site for node in ir.walk(body) if isinstance(node, ir.Draw))
        return body if kept == [draw.site for draw in self.sketch.sites] else None

    def noisy_max(self, coin: PassTest, lot: ir.Draw) -> ir.Block:
        """The place of the largest of the scores with noise; and the lots, once, for nobody."""
        scores, best = ir.Var(coin.scores), self.best
        spot, value, top, equal = (ir.Var(f"{best.name}'{word}") for word in ("spot", "value", "top", "equal"))
        noise = ir.Index(coin.noise, spot) if isinstance(coin.noise, ir.Var) else coin.noise
        noisy = ir.Binary("+", ir.Index(scores, spot, span=lot.span), noise, span=lot.span)
        better = ir.Binary("or", ir.Binary("==", spot, ZERO), ir.Binary(">", value, top))
        found = ir.If(better, (ir.Assign((best.name, top.name), (spot, value)),), ())
        return (
            ir.Assign((equal.name,), (ir.Comprehension(ZERO, f"{best.name}'each", scores),)),
            ir.Assign((f"idle'{lot.site}",), (replace(lot, of=equal),), span=lot.span),
            ir.Assign((best.name, top.name), (ZERO, ZERO)),
            ir.For(spot.name, ir.Range(ZERO, ir.Length(scores), ONE), (ir.Assign((value.name,), (noisy,)), found)),
        )


def _read(node: object) -> set[str]:
    """The names that a part reads, also those that it has given something itself."""
    return {part.name for part in ir.walk(node) if isinstance(part, ir.Var | ir.Append)}
