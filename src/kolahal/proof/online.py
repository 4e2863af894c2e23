"""Whether a mechanism may be asked one answer at a time, by whoever chooses the next question after seeing the last result.

docs/theory-online.md has the theorem. It needs a certificate for every length, whose two runs go side by side from loop head
to loop head, and a program whose turns take one answer each and can be told from its end. Anything else is refused here.
"""

from __future__ import annotations

from fractions import Fraction

from kolahal.errors import UsageError
from kolahal.lang import ir
from kolahal.lang.records.moves import RecordRelation
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Sketch
from kolahal.nouns import dataclass
from kolahal.proof.trusted.certificate import read_certificate
from kolahal.proof.trusted.product import Product
from kolahal.proof.trusted.restated.idle import without_idle
from kolahal.proof.trusted.restated.lists_and_loops import restated
from kolahal.proof.trusted.values import Built, Goto, Returned, SegmentPath
from kolahal.verdicts import Everywhere, Proved, Verdict

ONE = ir.Const(Fraction(1))
FLIPPED = {">=": "<=", ">": "<"}


class NotOnline(UsageError):
    """A mechanism that is not handed out to be asked one answer at a time."""


@dataclass(frozen=True, slots=True)
class AnswerTurns:
    """The loop that takes one answer a turn, and what surrounds it."""

    before: ir.Block
    loop: ir.For | ir.While
    after: ir.Block
    place: ir.Expr | None  # where a turn reads; None where the loop itself does, as in `for x in q`
    lists: frozenset[str]  # names of the private list
    lazy: frozenset[str]  # names of lists of noisy answers, whose items are made when they are read
    told: str | None  # the list that grows turn by turn and is the answer
    front: bool  # whether it grows at its front


def find_turns(program: Sketch, verdict: Verdict) -> AnswerTurns:
    """The turns of a program that may be asked one answer at a time; raises NotOnline with the reason where it may not."""
    program.must_be_pure("a class that is asked one answer at a time")
    name = program.name
    if not isinstance(verdict, Proved) or not isinstance(verdict.scope, Everywhere):
        raise NotOnline(f"{name} cannot be asked one answer at a time: that needs a proof for inputs of every length")
    if isinstance(program.adjacency, RecordRelation) or program.private.count is not None:
        raise NotOnline(f"{name} cannot be asked one answer at a time: it declares what its whole input is")
    if program.private.bits or any(draw.noise.finite or draw.noise.selects for draw in program.draws):
        raise NotOnline(f"{name} cannot be asked one answer at a time: it flips coins, chooses places or takes bits, of which nothing is known here")
    stepped = without_idle(program)  # which gives the same results, and is what the proof is about
    if any(not name.isidentifier() for name in ir.assigned_names(stepped.body)):
        raise NotOnline(f"{name} cannot be asked one answer at a time: a loop that nothing depends on draws noise, and its proof leaves it out; take it out")
    turns = _Reader(stepped).read()
    proof, _, product = read_certificate(verdict.certificate)
    if proof.sketch != program:
        raise NotOnline(f"{name} cannot be asked one answer at a time: its certificate is about another program")
    if proof.released:
        raise NotOnline(f"{name} cannot be asked one answer at a time: its proof takes a comprehension apart that is one step of the program")
    if program.length_name in proof.claim.names:
        raise NotOnline(f"{name} cannot be asked one answer at a time: its claim depends on the number of answers, which nobody knows yet")
    if any(case.alignment.renewed for case in proof.cases):
        raise NotOnline(f"{name} cannot be asked one answer at a time: its proof sorts runs by what each turn of a loop finds")
    if any(case.alignment.lead for case in proof.cases):
        raise NotOnline(f"{name} cannot be asked one answer at a time: its proof looks ahead to answers that come later")
    if proof.watches:
        raise NotOnline(f"{name} cannot be asked one answer at a time: its proof sorts runs by answers that come later")
    if proof.at_once:
        raise NotOnline(f"{name} cannot be asked one answer at a time: its proof draws the noise of a whole list at once")
    if proof.delayed:
        raise NotOnline(f"{name} cannot be asked one answer at a time: its proof draws noise later than it is named; add it where it is drawn")
    if restated(stepped) != stepped:
        raise NotOnline(f"{name} cannot be asked one answer at a time: its proof is about the same program with whole lists in place of loops")
    if reason := _why_not_in_step(stepped, turns, product):
        raise NotOnline(f"{name} cannot be asked one answer at a time: {reason}")
    return turns


# ---------------------------------------------------------------- the shape


class _Reader:
    """Finds the loop, and refuses every use of the private list that is not the answer of the turn."""

    def __init__(self, program: Sketch) -> None:
        self.program = program
        self.lists = {program.private.name}
        self.lazy: set[str] = set()

    def refuse(self, why: str, node: ir.Node | None = None) -> NotOnline:
        where = f"line {node.span.line}: " if node is not None and node.span.line else ""
        return NotOnline(f"{self.program.name} cannot be asked one answer at a time: {where}{why}")

    def read(self) -> AnswerTurns:
        body = self.program.body
        if any(self.looks(test) for test in self.program.asserted):
            raise self.refuse("it asserts something of the number of answers")
        for draw in self.program.draws:
            if isinstance(draw.scale, Scale) and self.program.length_name in draw.scale.names:
                raise self.refuse("a scale depends on the number of answers, which nobody knows yet", draw)
        where = next((i for i, s in enumerate(body) if isinstance(s, ir.For | ir.While) and self.goes_through(s)), None)
        before = body if where is None else body[:where]
        for statement in before:
            self.name_lists(statement)
        if where is None:
            raise self.refuse("no loop at its top level goes through the private answers")
        loop, after = body[where], body[where + 1 :]
        assert isinstance(loop, ir.For | ir.While)
        place = self.place_of(loop, before)
        for statement in after:
            if self.looks(statement):
                raise self.refuse("it looks at the private answers, or at their number, after the loop", statement)
        self.check_body(loop, place)
        told, front = self.find_told(before, loop)
        return AnswerTurns(before, loop, after, place, frozenset(self.lists), frozenset(self.lazy), told, front)

    def looks(self, node: object) -> bool:
        """Whether something uses the private list, or its length."""
        known = self.lists | self.lazy
        return any(isinstance(part, ir.Var) and part.name in known for part in ir.walk(node))

    def goes_through(self, loop: ir.For | ir.While) -> bool:
        names = {*self.lists, *(t for t, v in ir.assignments(self.program.body) if isinstance(v, ir.Var | ir.Comprehension))}
        asked = loop.over if isinstance(loop, ir.For) else loop.test
        return any(isinstance(part, ir.Var) and part.name in names for part in ir.walk(asked))

    def name_lists(self, statement: ir.Stmt) -> None:
        """Other names of the list, and lists of its items with noise; before the loop it is used for nothing else."""
        if isinstance(statement, ir.Assign):
            for target, value in zip(statement.targets, statement.values, strict=True):
                times = sum(target == name for name, _ in ir.assignments(self.program.body))
                if target == self.program.private.name:
                    raise self.refuse("it gives the name of the private list to something else", statement)
                match value:
                    case ir.Var(name) if name in self.lists and times == 1:
                        self.lists.add(target)
                    case ir.Comprehension(item, own, ir.Var(over)) if over in self.lists and times == 1:
                        self.check_item(item, own, statement)
                        self.lazy.add(target)
                    case _ if self.looks(value):
                        raise self.refuse("it looks at the private answers, or at their number, before the loop", statement)
        elif self.looks(statement):
            raise self.refuse("it looks at the private answers, or at their number, before the loop", statement)

    def check_item(self, item: ir.Expr, own: str, statement: ir.Stmt) -> None:
        """An item that is made later must be what it would have been at once."""
        changing = ir.assigned_names(self.program.body)
        for node in ir.walk(item):
            if isinstance(node, ir.Comprehension | ir.Index | ir.Length) or (
                isinstance(node, ir.Var) and node.name != own and node.name in changing
            ):
                raise self.refuse("an item of the list looks at more than its own answer and fixed arguments", statement)

    def place_of(self, loop: ir.For | ir.While, before: ir.Block) -> ir.Expr | None:
        """The place that a turn must read, in the words of the program."""
        if isinstance(loop, ir.While):
            return self.place_of_while(loop, before)
        match loop.over:
            case ir.Var(name) if name in self.lists:
                return None
            case ir.Range(ir.Const(value=start), ir.Length(ir.Var(name)), ir.Const(value=step)):
                if start == 0 and step == 1 and name in self.lists | self.lazy:
                    return ir.Var(loop.name)
        raise self.refuse("its loop does not go through the answers from the first to the last", loop)

    def place_of_while(self, loop: ir.While, before: ir.Block) -> ir.Expr:
        """`while i <= len(q)` with i from 1 on reads i - 1; with `<`, i counts from 0 and is the place itself."""
        asked = [part for part in _conjuncts(loop.test) if self.looks(part)]
        if len(asked) != 1 or any(isinstance(node, ir.Draw | ir.Index) for node in ir.walk(loop.test)):
            raise self.refuse("its loop does not ask once, and for nothing else, whether there is another answer", loop)
        match asked[0]:
            case ir.Binary(op, ir.Var(counter), ir.Length(ir.Var(name))) if op in FLIPPED.values():
                inclusive = op == "<="
            case ir.Binary(op, ir.Length(ir.Var(name)), ir.Var(counter)) if op in FLIPPED:
                inclusive = FLIPPED[op] == "<="
            case _:
                raise self.refuse("its loop does not compare a counter with the number of answers", loop)
        first = Fraction(1 if inclusive else 0)
        starts = [value for target, value in ir.assignments(before) if target == counter]
        steps = [value for target, value in ir.assignments(loop) if target == counter]
        step = ir.Binary("+", ir.Var(counter), ONE)
        grows = [s for s in loop.body if isinstance(s, ir.Assign) and counter in s.targets]
        others = {node.name for node in ir.walk(loop.body) if isinstance(node, ir.For)}
        counted = starts == [ir.Const(first)] and steps == [step] and len(grows) == 1 and counter not in others
        if not counted or name not in self.lists | self.lazy:
            raise self.refuse(f"`{counter}` does not count the turns of its loop, by one in each", loop)
        if any(isinstance(node, ir.Continue) for node in ir.walk(loop.body)):
            raise self.refuse("its loop may go on without counting the turn", loop)
        after = loop.body[loop.body.index(grows[0]) :]
        if any(isinstance(node, ir.Index) and self.looks(node.of) for node in ir.walk(after)):
            raise self.refuse("it reads an answer after it has counted the turn", loop)
        return ir.Binary("-", ir.Var(counter), ONE) if inclusive else ir.Var(counter)

    def check_body(self, loop: ir.For | ir.While, place: ir.Expr | None) -> None:
        """In a turn the private list is used for nothing but the answer of the turn."""
        allowed: list[ir.Node] = []  # by identity
        for node in ir.walk(loop.body):
            if isinstance(node, ir.Index) and place is not None and node.at == place:
                allowed.append(node.of)
        fixed = {loop.name} if isinstance(loop, ir.For) else set()
        if fixed & ir.assigned_names(loop.body):
            raise self.refuse("it changes the name that its loop counts with", loop)
        if (self.lists | self.lazy) & ir.assigned_names(loop.body):
            raise self.refuse("it gives a name of the private list to something else", loop)
        for node in ir.walk(loop.body):
            if isinstance(node, ir.Var) and node.name in self.lists | self.lazy and not any(node is one for one in allowed):
                raise self.refuse(f"a turn uses `{node.name}` for more than the answer of the turn", node)
            if isinstance(node, ir.Append) and node.name in self.lists | self.lazy:
                raise self.refuse("it changes the private list", node)

    def find_told(self, before: ir.Block, loop: ir.For | ir.While) -> tuple[str | None, bool]:
        """The list that is given back, if it begins empty, and only grows, at one end, in the loop."""
        body = self.program.body
        own = body[self.program.preconditions :]  # a call that breaks an assertion is refused before anything runs
        answers = {node.value for node in ir.walk(own) if isinstance(node, ir.Return)}
        if len(answers) != 1:
            return None, False
        (answer,) = answers
        if not isinstance(answer, ir.Var):
            return None, False
        given = [value for target, value in ir.assignments(body) if target == answer.name]
        grows = [node for node in ir.walk(body) if isinstance(node, ir.Append) and node.name == answer.name]
        inside = [node for node in ir.walk(loop.body) if isinstance(node, ir.Append) and node.name == answer.name]
        at_top = any(isinstance(s, ir.Assign) and answer.name in s.targets for s in before)
        if given != [ir.ListOf(())] or not at_top or len(grows) != len(inside) or len({node.front for node in grows}) != 1:
            return None, False
        return answer.name, grows[0].front


def _conjuncts(test: ir.Expr) -> tuple[ir.Expr, ...]:
    match test:
        case ir.Binary("and", left, right):
            return (*_conjuncts(left), *_conjuncts(right))
        case _:
            return (test,)


# ---------------------------------------------------------------- the two runs take their turns together


def _why_not_in_step(program: Sketch, turns: AnswerTurns, product: Product) -> str:
    """Why one run might end where the other takes another turn, or tell another list; nothing if neither may."""
    loops = [node for node in ir.walk(program.body) if isinstance(node, ir.For | ir.While)]
    number = next(i for i, node in enumerate(loops) if node is turns.loop)
    inner = {i for i, node in enumerate(loops) if any(node is part for part in ir.walk(turns.loop.body))}
    lazily = [v for t, v in ir.assignments(turns.before) if t in turns.lazy]
    sites = {node.site for node in ir.walk((*turns.loop.body, *lazily)) if isinstance(node, ir.Draw)}
    if not _is_marked(turns.loop.body, turns.lazy):
        return "a turn may end without a draw of noise, so that its end cannot be told from the end of the loop"
    for run in (product.first, product.second):
        if turns.told is not None and not isinstance(dict(run.place(number).names).get(turns.told), Built):
            return f"the proof does not compare `{turns.told}` turn by turn"
        own = [path for path in run.paths[number] if _takes_turn(path, sites, inner)]
        others = [path for path in run.paths[number] if not _takes_turn(path, sites, inner)]
        for path in others:
            if path.end == Goto(number):
                return "the proof has a turn without noise"
            if any(_may_pair(path, turn) for turn in own):
                return "the proof does not tell a turn that ends the run from the end of the loop"
    return ""


def _takes_turn(path: SegmentPath, sites: set[int], inner: set[int]) -> bool:
    """Whether a path from the head of the loop goes into a turn: it draws noise of the turn, or comes to a loop inside."""
    inside = isinstance(path.end, Goto) and path.end.loop in inner
    return inside or any(draw.site in sites for draw in path.draws)


def _may_pair(one: SegmentPath, two: SegmentPath) -> bool:
    """Whether the clauses of a proof let two runs go these ways side by side; if not, they show that it never happens."""
    if [draw.law for draw in one.draws] != [draw.law for draw in two.draws]:
        return False
    if isinstance(one.end, Returned) or isinstance(two.end, Returned):
        return isinstance(one.end, Returned) and isinstance(two.end, Returned)
    return one.end == two.end


def _is_marked(block: ir.Block, lazy: frozenset[str]) -> bool:
    """Whether every way through a block draws noise, or enters a loop, before it leaves the block."""
    for statement in block:
        match statement:
            case ir.For() | ir.While():
                return True
            case ir.Assign(values=values):
                if any(_draws(value, lazy) for value in values):
                    return True
            case ir.Append(value=value):
                if _draws(value, lazy):
                    return True
            case ir.If(test, then, orelse):
                if _draws(test, lazy) or (_is_marked(then, lazy) and _is_marked(orelse, lazy)):
                    return True
                if any(_leaves(part) and not _is_marked(part, lazy) for part in (then, orelse)):
                    return False
            case ir.Return(value):
                return _draws(value, lazy)
            case ir.Break() | ir.Continue():
                return False
    return False


def _leaves(block: ir.Block) -> bool:
    return any(isinstance(node, ir.Return | ir.Break | ir.Continue) for node in ir.walk(block))


def _draws(value: ir.Expr, lazy: frozenset[str]) -> bool:
    """Whether an expression draws noise whatever its values are: on the right of `and` and `or` it may not."""
    match value:
        case ir.Draw():
            return True
        case ir.Index(ir.Var(name), at):
            return name in lazy or _draws(at, lazy)
        case ir.Binary("and" | "or", left, _):
            return _draws(left, lazy)
        case ir.Binary(_, left, right):
            return _draws(left, lazy) or _draws(right, lazy)
        case ir.Not(of) | ir.Negate(of) | ir.IsNone(of):
            return _draws(of, lazy)
        case ir.Call(_, arguments):
            return any(_draws(argument, lazy) for argument in arguments)
        case ir.ListOf(items) | ir.TupleOf(items):
            return any(_draws(item, lazy) for item in items)
        case _:
            return False
