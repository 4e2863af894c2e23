"""All runs of a program of fixed size at once: private answers, real arguments and noise are unknowns.

Every value is affine in the unknowns and every branch compares such a value with 0, so a program falls apart into
*paths*: a polyhedron of answers, arguments and noise, and the answer that every run inside it gives. Scales play no
part: a draw is an unknown, whatever its scale.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from kolahal.engine.tape import Turns
from kolahal.lang.ir import Append, Assign, Break, Const, Continue, For, If, Return, Stmt, While
from kolahal.lang.sketch import Sketch, Type
from kolahal.logic.linear import Number, plain, variable
from kolahal.paths.evaluation import Decisions, Evaluation, Impossible, T
from kolahal.paths.feasibility import Feasibility
from kolahal.paths.state import (
    BlockTask,
    ForTask,
    Outside,
    Path,
    Paths,
    State,
    Stop,
    Todo,
    Value,
    WhileTask,
    begin,
    given_answers,
)
from kolahal.paths.unknowns import AnswerAt, Argument, Indeterminate
from kolahal.verdicts import Unknown


def explore(
    sketch: Sketch,
    size: int,
    arguments: Mapping[str, Fraction | bool],
    most: int,
    silent: frozenset[int] = frozenset(),
    database: Sequence[Fraction] | None = None,
    ties: bool = False,
) -> Paths | Unknown:
    """All paths of a program with `size` private answers, or why there is no such list.

    `arguments` fixes the whole-number and boolean arguments, and may fix real ones and ε; `silent` names sites
    whose noise is switched off; `database` fixes the private answers. Runs in which continuous noise hits one value
    exactly are followed with `ties` only.
    """
    names: dict[str, Value] = {}
    for parameter in (*sketch.arguments, sketch.epsilon):
        value = arguments.get(parameter.name)
        if value is None:
            if parameter.type in (Type.INT, Type.BOOL):
                return Unknown(f"the argument {parameter.name} has no value")
            names[parameter.name] = variable(Argument(parameter.name))
        else:
            names[parameter.name] = value if isinstance(value, bool) else plain(Fraction(value))
    places = [variable(AnswerAt(i)) for i in range(size)]
    names[sketch.private.name] = tuple(places) if database is None else given_answers(sketch, database)
    explorer = Explorer(sketch, silent, size, ties)
    found: list[Path] = []
    states: list[State | Path] = [begin(sketch, names)]
    try:
        while states:
            state = states.pop()
            if isinstance(state, Path):
                found.append(state)
                if len(found) > most:
                    return Unknown(f"there are more than {most} paths at {size} answers")
            else:
                states.extend(reversed(explorer.step(state)))
    except Outside as outside:
        return Unknown(outside.reason(sketch))
    return Paths(sketch, size, tuple(found), explorer.noises, frozenset(explorer.almost))


class Explorer(Feasibility):
    """The meaning of statements for states."""

    # ---- statements

    def step(self, state: State) -> list[State | Path]:
        """What a state can become by its next statement."""
        assert state.todo is not None, "a checked program ends with an answer"
        task, rest = state.todo
        self.spend(1 + (len(state.atoms) + len(state.draws)) // 32)
        match task:
            case BlockTask(body, at, turns):
                if at == len(body):
                    return [state.at(rest)]
                self.now = body[at]
                after: Todo = (BlockTask(body, at + 1, turns), rest) if at + 1 < len(body) else rest
                return self.statement(body[at], turns, state.at(after))
            case WhileTask(loop, turns, turn):
                inner = (*turns, turn)
                again: Todo = (BlockTask(loop.body, 0, inner), (WhileTask(loop, turns, turn + 1), rest))

                def test(goes_on: bool, state: State) -> State:
                    return self.turn(state.at(again), loop) if goes_on else state.at(rest)

                asked = self.asked
                found = self.outcomes(state, lambda e: e.truth(loop.test, inner), test)
                unknown = self.asked > asked or len(state.atoms) >= turn or loop.test == Const(True)
                if turn > self.open_turns and unknown:
                    raise Outside("open", loop)
                return found
            case ForTask(node, items, turns, turn):
                if turn == len(items):
                    return [state.at(rest)]
                names = {**state.names, node.name: items[turn]}
                following = (BlockTask(node.body, 0, (*turns, turn)), (ForTask(node, items, turns, turn + 1), rest))
                return [self.turn(state.named(names).at(following), node)]

    def turn(self, state: State, loop: Stmt) -> State:
        if not state.turns_left:
            raise Outside("turns", loop)
        return state._replace(turns_left=state.turns_left - 1)

    def statement(self, node: Stmt, turns: Turns, state: State) -> list[State | Path]:
        def bind(new: dict[str, Value], state: State) -> State:
            return state.named({**state.names, **new})

        def push(task: BlockTask | WhileTask | ForTask, state: State) -> State:
            return state.at((task, state.todo))

        match node:
            case Assign(targets, values):
                return self.outcomes(
                    state, lambda e: dict(zip(targets, [e.value(v, turns) for v in values], strict=True)), bind
                )
            case Append():
                return self.outcomes(state, lambda e: {node.name: e.grown(node, turns)}, bind)
            case If(test, then, orelse):
                return self.outcomes(
                    state,
                    lambda e: e.truth(test, turns),
                    lambda yes, s: push(BlockTask(then if yes else orelse, 0, turns), s),
                )
            case While():
                return [push(WhileTask(node, turns, 0), state)]
            case For(_, over, _):
                return self.outcomes(
                    state, lambda e: e.items(over, turns), lambda items, s: push(ForTask(node, items, turns, 0), s)
                )
            case Return(value):
                return self.outcomes(
                    state, lambda e: e.answer(value, turns), lambda output, s: Path(s.atoms, output, s.draws, s.point, s.picks)
                )
            case Break() | Continue():
                todo = state.todo
                while todo is not None and isinstance(todo[0], BlockTask):
                    todo = todo[1]
                assert todo is not None, "the parser refuses `break` outside a loop"
                return [state.at(todo[1] if isinstance(node, Break) else todo)]

    def outcomes(
        self, state: State, compute: Callable[[Evaluation], T], then: Callable[[T, State], State | Path]
    ) -> list[State | Path]:
        """Every way in which a computation can end, and the state after it.

        At a comparison that can go several ways, the others are noted, and the computation is done again for each.
        """
        pending: list[tuple[Decisions, Mapping[Indeterminate, Number]]] = [((), state.point)]
        found: list[State | Path] = []
        while pending:
            choices, point = pending.pop()
            evaluation = Evaluation(self, state, choices, point)
            try:
                result = compute(evaluation)
                found.append(then(result, evaluation.after()))
            except Stop as stop:
                after = evaluation.after()
                found.append(Path(after.atoms, stop.fault, after.draws, after.point, after.picks))
            except Impossible:
                pass
            pending.extend(reversed(evaluation.others))
        return found
