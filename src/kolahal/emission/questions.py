"""Programs over records whose aggregates depend on the run: in emitted files the records are kept, and asked when a run asks."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from fractions import Fraction

from kolahal.emission.rows import pass_words, print_pass
from kolahal.lang import ir
from kolahal.lang.operators import COMPARISONS
from kolahal.lang.pretty import print_expression
from kolahal.lang.records.bins import bins_at
from kolahal.lang.records.table import Aggregate, Apply, ArgumentOf, NumberOf, RecordFunction, RunOf, Table, parts_of
from kolahal.lang.sketch import Role, Sketch, Type


def asks_for_numbers(program: Sketch, table: Table) -> bool:
    """Whether what a record adds to an answer depends on the run, or on a public number that need not be whole.

    Then it may leave every grid; whether a record counts may depend on both.
    """
    real = {p.name for p in program.arguments if p.type is Type.FLOAT}
    parts = [part for a in table.every for part in _valued(a.item)] if table.depends_on_run else []
    return any(isinstance(part, RunOf) or (isinstance(part, ArgumentOf) and part.name in real) for part in parts)


def _valued(item: RecordFunction) -> list[RecordFunction]:
    """The parts of a function that its value is computed from, without those that only decide."""
    match item:
        case Apply("if", (_, then, orelse)):
            return [*_valued(then), *_valued(orelse)]
        case Apply(op, _) if op in (*COMPARISONS, "and", "or", "not"):
            return []
        case Apply(_, of):
            return [part for inner in of for part in _valued(inner)]
        case _:
            return list(parts_of(item))


def ask_in_place(program: Sketch) -> Sketch:
    """The program over answers, which calls the support code where it asks."""

    def change(node: ir.Node) -> ir.Node | None:
        if not isinstance(node, ir.Query):
            return None
        given = [node.of.name, print_expression(node.at), *(value.name for value in node.given)]
        return replace(node, text=f"_ask({', '.join(given)})")

    return replace(program, body=ir.rebuild(program.body, change))


def print_questions(table: Table, public: tuple[str, ...], real: Collection[str]) -> str:
    """The function that answers a question: its place, and the values of the run that it is asked with."""
    lines = [f"def _question({', '.join(['_rows', *public, '_place', '_given'])}):", f'    """{pass_words(table, "The answer of the records to one question")}"""']
    if table.bins is not None:
        own = table.bins.size
        size = NumberOf(Fraction(own)) if own.isdigit() else ArgumentOf(own)
        return "\n".join([*lines, *_print_answer(table, bins_at(table.bins, ArgumentOf("_place"), size), real)])
    for place, aggregate in enumerate(table.aggregates):
        if aggregate.run_names():
            body = _print_answer(table, aggregate, real)
            lines += [f"    if _place == {place}:", *(f"    {line}" for line in body)]
    return "\n".join([*lines, '    raise IndexError("there is no such question")'])


def _print_answer(table: Table, aggregate: Aggregate, real: Collection[str]) -> list[str]:
    names = aggregate.run_names()
    *body, last = print_pass(table, [aggregate], "_rows", real)
    end = last.replace("return [", "return ").removesuffix("]")
    return [*([f"    {', '.join(names)}, = _given"] if names else []), *body, end]


def print_asking_front(program: Sketch, name: str, inner: str, public: tuple[str, ...]) -> str:
    """The function that a user calls: it keeps the records while the run asks them."""
    table = program.private.table
    assert table is not None
    parameters = [(p.called if p.role is Role.PRIVATE else str(p)) for p in program.parameters]
    wanted = [p for name in public for p in program.parameters if p.name == name]
    read = [f'_argument("{p.name}", "{p.type.value}", {p.name})' for p in wanted]
    if table.bins is not None:
        size = table.bins.size
        count = size if size.isdigit() else f'_argument("{size}", "int", {size})'
        answers = f"[0] * {count}"
    else:
        fixed = sum(not aggregate.run_names() for aggregate in table.aggregates)
        count, answers = str(len(table.aggregates)), f"[*_aggregate(_rows, *_public), *[0] * {len(table.aggregates) - fixed}]"
    called = ", ".join("_list" if p.role is Role.PRIVATE else p.name for p in program.parameters if not p.counts)
    doc = f"{program.adjacency.describe()}; see the top of this file.".capitalize()
    return "\n".join(
        [
            f"def {name}({', '.join(parameters)}):",
            f'    """{doc}"""',
            f"    _rows = list(_records({table.rows!r}, {table.rows}, _FIELDS))",
            f"    _public = [{', '.join(read)}]",
            f"    _list = _Later({count}, lambda: {answers})",
            "    with _asking(lambda place, given: _question(_rows, *_public, place, given)):",
            f"        return {inner}({called})",
        ]
    )
