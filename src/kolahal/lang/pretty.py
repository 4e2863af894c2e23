"""Programs as Python text that parses back to the same program."""

from __future__ import annotations

from fractions import Fraction
from html import escape

from kolahal.lang import ir
from kolahal.lang.labels import LabelCode


class ShownAsText:
    """A notebook shows its text, and not the tree behind it."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"


OR, AND, NOT, COMPARE, SUM, PRODUCT, UNARY, ATOM = range(1, 9)
_LEVEL = {"or": OR, "and": AND, "+": SUM, "-": SUM, "*": PRODUCT, "/": PRODUCT, "//": PRODUCT, "%": PRODUCT}


def print_number(value: Fraction) -> str:
    """A number as a Python literal. Every number in a program was a literal, so its decimal form ends."""
    sign, value = ("-", -value) if value < 0 else ("", value)
    if value.denominator == 1:
        return f"{sign}{value.numerator}"
    places = 0
    while value.denominator != 1:
        value *= 10
        places += 1
        if places > 2000:
            raise AssertionError("a literal with an endless decimal form")
    digits = str(value.numerator).rjust(places + 1, "0")
    return f"{sign}{digits[:-places]}.{digits[-places:]}"


def print_expression(expr: ir.Expr, level: int = 0) -> str:
    """`expr` as Python, in parentheses if it binds less tightly than `level`."""
    own, text = _print(expr)
    return f"({text})" if own < level else text


def _print(expr: ir.Expr) -> tuple[int, str]:
    match expr:
        case ir.Const(value=LabelCode() as label):
            return ATOM, repr(label.text)
        case ir.Const(value=Fraction() as value):
            return (UNARY if value < 0 else ATOM), print_number(value)
        case ir.Const(value):
            return ATOM, str(value)
        case ir.Var(name):
            return ATOM, name
        case ir.Length(of):
            return ATOM, f"len({of.name})"
        case ir.Query(text=text):
            return ATOM, text
        case ir.Index(of, at):
            return ATOM, f"{of.name}[{print_expression(at)}]"
        case ir.Not(of=ir.IsNone(of)):
            return COMPARE, f"{print_expression(of, COMPARE + 1)} is not None"
        case ir.Not(of):
            return NOT, f"not {print_expression(of, NOT)}"
        case ir.Negate(of):
            return UNARY, f"-{print_expression(of, UNARY)}"
        case ir.IsNone(of):
            return COMPARE, f"{print_expression(of, COMPARE + 1)} is None"
        case ir.Binary(op, left, right):
            own = _LEVEL.get(op, COMPARE)
            # Comparisons do not associate: a < b < c means something else.
            left_level = own + 1 if own == COMPARE else own
            return own, f"{print_expression(left, left_level)} {op} {print_expression(right, own + 1)}"
        case ir.Call(function, arguments):
            return ATOM, f"{function}({', '.join(print_expression(a) for a in arguments)})"
        case ir.Draw(noise, scale, _, of):
            shown = "hole" if isinstance(scale, ir.Hole) else str(scale)
            return ATOM, f"{noise.value}({shown if of is None else f'{of.name}, {shown}'})"
        case ir.ListOf(items):
            return ATOM, f"[{', '.join(print_expression(item) for item in items)}]"
        case ir.TupleOf(items):
            return 0, ", ".join(print_expression(item, OR) for item in items) + ("," if len(items) == 1 else "")
        case ir.Comprehension(item, name, over):
            return ATOM, f"[{print_expression(item)} for {name} in {print_iterable(over)}]"


def print_iterable(over: ir.Var | ir.Range) -> str:
    match over:
        case ir.Var(name):
            return name
        case ir.Range(ir.Const(value=start), stop, ir.Const(value=step)) if start == 0 and step == 1:
            return f"range({print_expression(stop)})"
        case ir.Range(start, stop, ir.Const(value=step)) if step == 1:
            return f"range({print_expression(start)}, {print_expression(stop)})"
        case ir.Range(start, stop, step):
            return f"range({print_expression(start)}, {print_expression(stop)}, {print_expression(step)})"


def print_block(body: ir.Block, indent: str = "    ") -> list[str]:
    """The lines of `body`; an empty block is `pass`."""
    lines = [indent + line for stmt in body for line in _lines(stmt)]
    return lines or [indent + "pass"]


def _lines(stmt: ir.Stmt) -> list[str]:
    match stmt:
        case ir.Assign(targets, values):
            shown = ", ".join(print_expression(v, OR) for v in values)
            return [f"{', '.join(targets)} = {shown}"]
        case ir.If(test, then, (ir.If() as elif_,)):
            rest = _lines(elif_)
            return [f"if {print_expression(test)}:", *print_block(then), "el" + rest[0], *rest[1:]]
        case ir.If(test, then, orelse):
            tail = ["else:", *print_block(orelse)] if orelse else []
            return [f"if {print_expression(test)}:", *print_block(then), *tail]
        case ir.While(test, body):
            return [f"while {print_expression(test)}:", *print_block(body)]
        case ir.For(name, over, body):
            return [f"for {name} in {print_iterable(over)}:", *print_block(body)]
        case ir.Append(name, value, front):
            shown = print_expression(value)
            return [f"{name}.insert(0, {shown})" if front else f"{name}.append({shown})"]
        case ir.Break():
            return ["break"]
        case ir.Continue():
            return ["continue"]
        case ir.Return(value):
            return [f"return {print_expression(value)}"]


def print_docstring(doc: str) -> str:
    """`doc` as a literal that cannot end early, whatever it contains; more than one line is set off by four spaces."""
    plain = doc.replace("\\", "\\\\")
    if '"""' in doc or doc.endswith('"'):
        plain = plain.replace('"', '\\"')
    plain = "".join(c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode() for c in plain)
    if "\n" in plain:  # the first line stands on its own, or Python would not measure its indentation
        lines = [f"    {line}" if line else "" for line in plain.split("\n")]
        return "\n".join(['"""', *lines, '    """'])
    return f'"""{plain}"""'
