"""What an emitted program fixes before it runs: its scales, and the numbers that its grid has to contain."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from dataclasses import dataclass, fields
from fractions import Fraction

from kolahal.lang.check import WHOLES, infer
from kolahal.lang.flow import bindings, find_flow
from kolahal.lang.ir import (
    Assign,
    Binary,
    Call,
    Comprehension,
    Const,
    Expr,
    For,
    Length,
    Negate,
    Node,
    Var,
    rebuild,
    walk,
)
from kolahal.lang.pretty import print_expression
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Role, Sketch, Type


@dataclass(frozen=True, slots=True)
class Plan:
    """Texts of public expressions, and why a proof about real noise may not carry over to the grid, if so."""

    scales: tuple[str, ...]
    counts: tuple[str, ...]  # whole arguments that scales use
    numbers: tuple[str, ...]  # that the grid has to contain
    factors: tuple[str, ...]  # that refine the grid of noise
    whole: bool  # whether some noise is in whole numbers by its name
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Site:
    """A product with, or a quotient by, a public number."""

    operand: Expr
    factor: Expr


def find_refinement(certificate: str, distance: Fraction) -> int:
    """Into how many parts a step of the grid must fall for the shifts of a proof to be on the grid of the noise.

    Shifts of a proof are fractions of the distance of neighbours, apart from what the program's own factors do to them.
    Where a proof has shifts for the two ends of a change only, those in between are mixtures, in parts of its width.
    """
    shifts, widths = 1, 1
    for case in json.loads(certificate)["cases"]:  # by place: other keys are names of the user's, `steps` among them
        passages = case.get("passages", ())
        forms = [rule[part] for rule in case.get("alignment", ()) for part in ("then", "else") if part in rule]
        found = [Fraction(form["units"]) for form in forms]
        found += [Fraction(s) / distance for p in passages for shift in p["shifts"] for s in shift["steps"].values()]
        shifts = math.lcm(shifts, *(shift.denominator for shift in found))
        for low, high in (pair for passage in passages for pair in passage.get("ends") or ()):
            ends = Fraction(low) / distance, Fraction(high) / distance
            width = (ends[1] - ends[0]).numerator or 1
            widths = math.lcm(widths, width, *(end.denominator for end in ends))
    return shifts * widths


def plan_grid(sketch: Sketch) -> Plan:
    """The plan of a program without holes."""
    return _Planner(sketch).plan()


class _Planner:
    def __init__(self, sketch: Sketch):
        self.sketch = sketch
        self.data = find_flow(sketch, answers=True, noise=True)
        self.noisy = find_flow(sketch, answers=False, noise=True)
        self.types = infer(sketch)
        self.fixed: dict[str, Expr] = {}
        self.define()
        self.reasons: list[str] = []

    def plan(self) -> Plan:
        body = self.sketch.body
        scales = [draw.scale for draw in self.sketch.draws if isinstance(draw.scale, Scale)]
        used = {name for scale in scales for name, _ in scale.powers}
        sites = self.sites()
        self.refuse_endless(sites)
        whole = any(draw.noise.discrete is draw.noise for draw in self.sketch.draws)
        literals = [node for node in walk(body) if isinstance(node, Const) and not _is_whole(node)]
        reals = [
            Var(p.name)
            for p in self.sketch.parameters
            if p.role is not Role.PRIVATE and p.type is Type.FLOAT and Var(p.name) in walk(body)
        ]
        quotients = [
            self.resolve(node)
            for node in walk(body)
            if isinstance(node, Binary) and node.op == "/" and not self.data.of(node) and self.is_fixed(node)
        ]
        factors = [self.resolve(site.factor) for site in sites.values()]
        if whole and (factors or literals or self.sketch.adjacency.distance.denominator != 1):
            self.reasons.append("noise in whole numbers meets numbers that are not whole")
        return Plan(
            tuple(dict.fromkeys(map(str, scales))),
            tuple(p.name for p in self.sketch.arguments if p.type is Type.INT and p.name in used),
            tuple(dict.fromkeys(print_expression(n) for n in [*literals, *reals, *quotients])),
            tuple(print_expression(factor) for factor in factors),
            whole,
            tuple(dict.fromkeys(self.reasons)),
        )

    # ---- public numbers that are fixed before the program runs

    def define(self) -> None:
        """Find the names that always hold one public number, and the expression over inputs that it is."""
        assigned: dict[str, int] = defaultdict(int)
        for node in walk(self.sketch.body):
            if isinstance(node, Assign):
                for name in node.targets:
                    assigned[name] += 1
            elif isinstance(node, For | Comprehension):
                assigned[node.name] += 1
        self.fixed = {
            p.name: Var(p.name)
            for p in self.sketch.parameters
            if p.role is not Role.PRIVATE and p.type is not Type.BOOL and not assigned[p.name]
        }
        for statement in self.sketch.body:
            if isinstance(statement, Assign):
                for name, value in zip(statement.targets, statement.values, strict=True):
                    if assigned[name] == 1 and name not in self.fixed and self.is_fixed(value):
                        self.fixed[name] = self.resolve(value)

    def is_fixed(self, expr: Expr) -> bool:
        match expr:
            case Const(value=Fraction()):
                return True
            case Var(name):
                return name in self.fixed
            case Length(of):
                return (
                    f"len({of.name})" == self.sketch.length_name and self.sketch.length_name in self.sketch.quantities()
                )
            case Negate(of):
                return self.is_fixed(of)
            case Binary("+" | "-" | "*" | "/" | "//" | "%", left, right):
                return self.is_fixed(left) and self.is_fixed(right)
            case Call(_, arguments):
                return all(map(self.is_fixed, arguments))
            case _:
                return False

    def resolve(self, expr: Expr) -> Expr:
        """A fixed expression over inputs alone."""
        return rebuild(expr, lambda node: self.fixed.get(node.name) if isinstance(node, Var) else None)

    # ---- where the grid is refined

    def sites(self) -> dict[int, _Site]:
        """Every product and quotient of private data or noise with a public number that is not 1."""
        found: dict[int, _Site] = {}
        for node in walk(self.sketch.body):
            match node:
                case Binary("*" | "/" | "//" | "%" as op, left, right):
                    depends = self.data.of(left), self.data.of(right)
                    if not any(depends):
                        continue
                    operand, factor = (left, right) if depends[0] else (right, left)
                    if all(depends) or (op != "*" and depends[1]):
                        self.refuse(node, "divides by" if op != "*" else "multiplies two of", "private values or noise")
                    elif op in ("//", "%"):
                        if self.types.of(node) != WHOLES:
                            self.refuse(node, "takes the floor or the rest of", "a private value or noise")
                    elif factor in (Const(Fraction(1)), Const(Fraction(-1))):
                        continue
                    elif self.is_fixed(factor):
                        found[id(node)] = _Site(operand, factor)
                    elif op == "/" or self.types.of(factor) != WHOLES or self.noisy.of(operand):
                        self.refuse(node, "multiplies or divides by a number that is not fixed before the run:", "")
        return found

    def refuse_endless(self, sites: dict[int, _Site]) -> None:
        """A value that is refined by a site and comes back to it would need a finer grid in every turn."""
        through: dict[str, set[int]] = defaultdict(set)

        def of(node: object) -> set[int]:
            found: set[int] = set()
            if isinstance(node, tuple):
                return found.union(*map(of, node))
            if isinstance(node, Var):
                return through[node.name]
            if isinstance(node, Node) and not isinstance(node, Length):
                found = found.union(*(of(getattr(node, f.name)) for f in fields(node) if f.name != "span"))
                return found | ({id(node)} & sites.keys())
            return found

        changed = True
        while changed:
            changed = False
            for name, value in bindings(self.sketch):
                new = of(value)
                if not new <= through[name]:
                    through[name] |= new
                    changed = True
        for node in walk(self.sketch.body):
            if id(node) in sites and id(node) in of(sites[id(node)].operand):
                self.refuse(node, "refines the grid again in every turn:", "")

    def refuse(self, node: Node, what: str, of_what: str) -> None:
        where = f"line {node.span.line}: " if node.span.line else ""
        shown = print_expression(node)  # type: ignore[arg-type]
        self.reasons.append(f"{where}`{shown}` {what} {of_what}".rstrip(" :"))


def _is_whole(node: Const) -> bool:
    return not isinstance(node.value, Fraction) or node.value.denominator == 1
