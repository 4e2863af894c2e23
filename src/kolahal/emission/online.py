"""Mechanism → a class that is asked one answer at a time, where its certificate allows that."""

from __future__ import annotations

import textwrap
from dataclasses import replace

from kolahal.emission.promise import WIDTH
from kolahal.lang import ir
from kolahal.lang.adjacency import EachWithin
from kolahal.lang.pretty import print_block, print_expression
from kolahal.lang.sketch import Role, Sketch
from kolahal.proof.online import AnswerTurns, NotOnline

LAZY, ENDLESS = "_Lazy", "_ENDLESS"  # of the support code


def print_turns(program: Sketch, turns: AnswerTurns, counter: str) -> str:
    """The program as a generator that waits, with its list, wherever its loop begins a turn."""
    if {LAZY, ENDLESS} & ir.assigned_names(program.body):
        raise NotOnline(f"{program.name} cannot be asked one answer at a time: it uses a name of the support code; use another")
    waiting = f"yield {turns.told}"
    private = program.private.name
    head = [
        f"def _turns({', '.join(p.name for p in program.parameters)}):",
        f'    """The same program; before each turn it waits for another answer in {private}."""',
    ]
    lines = [*head, *_before(turns)]
    loop = turns.loop
    if isinstance(loop, ir.While):
        endless = ir.rebuild(loop.test, lambda node: ir.Var(ENDLESS) if isinstance(node, ir.Length) else None)
        lines += [
            "    while True:",
            f"        if not ({print_expression(endless)}):",
            "            break",
            f"        {waiting}",
            f"        if not ({print_expression(loop.test)}):",
            "            break",
        ]
    else:
        item = counter if isinstance(loop.over, ir.Range) else f"{private}[{counter}]"
        lines += [
            f"    {counter} = 0",
            "    while True:",
            f"        {waiting}",
            f"        if {counter} >= len({private}):",
            "            break",
            f"        {loop.name} = {item}",
            f"        {counter} += 1",
        ]
    return "\n".join([*lines, *print_block(loop.body, " " * 8), *(print_block(turns.after) if turns.after else [])])


def _before(turns: AnswerTurns) -> list[str]:
    """The statements before the loop; lists of noisy answers are made item by item, when they are read."""
    lines = []
    for statement in turns.before:
        if isinstance(statement, ir.Assign) and turns.lazy & set(statement.targets):
            for target, value in zip(statement.targets, statement.values, strict=True):
                if isinstance(value, ir.Comprehension) and target in turns.lazy:
                    assert isinstance(value.over, ir.Var)
                    lines.append(f"    {target} = {LAZY}({value.over.name}, lambda {value.name}: {print_expression(value.item)})")
                else:
                    lines += print_block((replace(statement, targets=(target,), values=(value,)),))
        else:
            lines += print_block((statement,))
    return lines


def print_class(program: Sketch, turns: AnswerTurns, mechanism: str, name: str, claim: str) -> list[str]:
    """The class that a user makes for each run, and the claim as a function of public values."""
    public = [p for p in program.parameters if p.role is not Role.PRIVATE]
    names = ", ".join(p.name for p in public)
    given = ", ".join(f'"{p.name}": {p.name}' for p in public)
    ordered = sorted(public, key=lambda p: p.default is not None)  # those without a default come first
    sums = isinstance(program.adjacency, EachWithin)
    this, records = (ir.lengthened(word, {p.name for p in public}) for word in ("self", "records"))
    return [
        f'def _claim({names}):\n    """What a run costs."""\n    return {claim}',
        f'''\
class {name}(_Online):
    """One run of {mechanism}, asked one answer at a time: ask(answer), done, answer, spent, close()."""

    _tells, _front, _sums = {turns.told is not None}, {turns.front}, {sums}

    def __init__({this}, {", ".join(map(str, ordered))}, {records}=None):
        super().__init__({mechanism}, _turns, _claim, {{{given}}}, {records})''',
    ]


def describe_online(program: Sketch, name: str, claim: str) -> str:
    """What is promised of the class, for the top of the file."""
    neighbours = program.adjacency.describe()
    told = (
        f"Online. {name} is the same mechanism, given its answers one at a time, and it tells its result at once. Claim: let each question be "
        f"chosen by someone who has seen all results before it. If for two data sets, whatever the results were, the lists of answers are "
        f"neighbours ({neighbours}), then for every set of sequences of results its probability on one data set is at most exp({claim}) times its "
        "probability on the other. A run spends that once, however much is asked; how many answers there are, and when it is closed, is "
        "not hidden. Questions about records are clamped to the distance one by one, and must be functions of the record alone."
    )
    return textwrap.fill(told, WIDTH, break_long_words=False, break_on_hyphens=False)


def class_name(mechanism: str) -> str:
    """above_threshold → AboveThreshold."""
    return "".join(part[:1].upper() + part[1:] for part in mechanism.split("_")) or mechanism
