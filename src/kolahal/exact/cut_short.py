"""Programs whose loops may go on for ever, cut short: probabilities from both sides.

`while noisy < 0: noisy = q[0] + Lap(s)` has no last turn. Cut after n turns, and with an answer of our own where it would go on, the
program has finitely many paths. A run that is not cut gives the answer that it would give anyway, so an event is at least as likely as
in the program cut short, and at most as likely as there together with the runs that are cut.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from kolahal.exact.balls import Interval, precision
from kolahal.exact.intervals import rigorous_probability
from kolahal.lang import ir
from kolahal.lang.sketch import Sketch
from kolahal.model import Arguments, Database, Equals, Event, contains
from kolahal.paths.cuts import CannotIntegrate
from kolahal.paths.state import REFUSALS

MOST_TURNS = (8, 32, 96)  # of each loop, until the interval is narrow
NARROW = 1e-3  # the share of an event's probability that may be left open
BITS = 256
GOES_ON = (None,) * 9  # the answer of runs that are cut; no event of a counterexample is one in which it is


def cut_short(sketch: Sketch, turns: int) -> Sketch:
    """The program in which a run answers GOES_ON where a `while` begins another turn after so many."""
    cut = ir.Return(ir.TupleOf(tuple(ir.Const(None) for _ in GOES_ON)))

    def block(body: ir.Block) -> ir.Block:
        return tuple(map(statement, body))

    def statement(node: ir.Stmt) -> ir.Stmt:
        match node:
            case ir.While(test, body):
                turn = ir.Var("the turn's number", span=node.span)  # which no program calls anything
                over = ir.Range(*(ir.Const(Fraction(n)) for n in (0, turns + 1, 1)), span=node.span)
                last = ir.If(ir.Binary("==", turn, ir.Const(Fraction(turns))), (cut,), ())
                goes_on = ir.If(test, (last, *block(body)), (ir.Break(),), span=node.span)
                return ir.For(turn.name, over, (goes_on,), span=node.span)
            case _:
                return ir.with_blocks(node, block)

    return replace(sketch, body=block(sketch.body))


def certain_probability(sketch: Sketch, database: Database, arguments: Arguments, event: Event) -> Interval | CannotIntegrate:
    """P(event) of a program without holes as an interval that holds for certain, also where loops may go on for ever."""
    found = rigorous_probability(sketch, database, arguments, (), event)
    if isinstance(found, Interval) or not found.reason.endswith(REFUSALS["open"]) or contains(event, GOES_ON):
        return found
    for turns in MOST_TURNS:
        program = cut_short(sketch, turns)
        least, cut = (rigorous_probability(program, database, arguments, (), asked) for asked in (event, Equals(GOES_ON)))
        if isinstance(least, CannotIntegrate) or isinstance(cut, CannotIntegrate):
            return found
        with precision(BITS):
            found = Interval(least.ball.union(least.ball + cut.ball))
        if cut.high <= NARROW * least.low:
            break
    return found
