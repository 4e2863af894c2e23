"""Budgets that a program keeps in variables, counted in a unit.

`priv += 2*eps/(8*k)` and `priv <= eps - eps/(4*k)` are not linear in the public quantities; in the unit eps/(8*k) they
are `priv += 2` and `priv <= 8*k - 2`. A name is a budget if all that it is given is a sum of budgets and of multiples of
public quantities, and if nothing is asked of it but how it compares with such sums. Budgets that meet have one unit. It is
positive and never changes: divided by it, they compare as before, so the program gives the same output for the same noise.
A name that may be read before it is given something is no budget: sums may lose it (`c - c`), and its fault with it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Set
from dataclasses import replace
from fractions import Fraction

from kolahal.lang import ir
from kolahal.lang.operators import COMPARISONS
from kolahal.lang.polynomial import Polynomial
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Sketch
from kolahal.proof.trusted.restated.public_values import expression_of, given_first, polynomial_of


def in_units(sketch: Sketch) -> Sketch:
    """The program with its budgets counted in a unit, in whole numbers; the program itself if it has none."""
    return _Budgets(sketch).rewritten()


class _Budgets:
    def __init__(self, sketch: Sketch):
        self.sketch = sketch
        self.epsilon = sketch.epsilon.name
        positive = {self.epsilon, sketch.length_name, *sketch.required}
        self.quantities = positive & set(sketch.quantities())
        self.constants: dict[str, Polynomial] = {}
        self.budgets: frozenset[str] = frozenset()
        given = [name for name, _ in ir.assignments(sketch.body)]
        others = {node.name for node in ir.walk(sketch.body) if isinstance(node, ir.For | ir.Comprehension)}
        others |= {parameter.name for parameter in sketch.parameters}
        certain = given_first(sketch.body) - others
        for name, value in ir.assignments(tuple(s for s in sketch.body if isinstance(s, ir.Assign))):
            found = self.polynomial(value)
            if found is not None and given.count(name) == 1 and name in certain:
                self.constants[name] = found
        self.budgets = certain - set(self.constants)
        while misused := self.budgets & set(self.misused(sketch.body)):
            self.budgets -= misused

    def rewritten(self) -> Sketch:
        units: dict[str, Scale] = {}
        for names, sides in self.groups():
            units |= dict.fromkeys(names, self.unit(sides))
        counted = {name: unit for name, unit in units.items() if unit.powers}
        if not counted:
            return self.sketch

        def change(node: ir.Node) -> ir.Node | None:
            match node:
                case ir.Assign(targets, values) if counted.keys() & set(targets):
                    pairs = zip(targets, values, strict=True)
                    return replace(node, values=tuple(self.counted(v, counted[t]) if t in counted else v for t, v in pairs))
                case ir.Binary(op, left, right) if op in COMPARISONS and (names := counted.keys() & self.names(node)):
                    unit = counted[names.pop()]
                    return replace(node, left=self.counted(left, unit), right=self.counted(right, unit))
                case _:
                    return None

        body = ir.rebuild(self.sketch.body, change)
        read = ir.names_read(body)
        unread = self.constants.keys() - read
        return replace(self.sketch, body=tuple(s for s in body if not _gives_only(s, unread)))

    def groups(self) -> list[tuple[set[str], list[Polynomial]]]:
        """Budgets that go into each other or are compared, and all that is given to them or compared with them."""
        facts = [({name} | self.names(value), [value]) for name, value in ir.assignments(self.sketch.body) if name in self.budgets]
        for node in ir.walk(self.sketch.body):
            if isinstance(node, ir.Binary) and node.op in COMPARISONS and self.names(node):
                facts.append((self.names(node), [node.left, node.right]))
        result: list[tuple[set[str], list[Polynomial]]] = []
        for names, sides in facts:
            joined = (set(names), [found for side in sides if (found := self.measure(side)) is not None])
            for group in [group for group in result if group[0] & names]:
                result.remove(group)
                joined = (joined[0] | group[0], joined[1] + group[1])
            result.append(joined)
        return result

    def unit(self, sides: list[Polynomial]) -> Scale:
        """What makes all terms whole multiples of products; no powers if they are that already."""
        terms = [(p, c) for found in sides for p, c in found.terms if not self.budgets & {name for name, _ in p}]
        least = {name: min((dict(powers).get(name, 0) for powers, _ in terms), default=0) for name in self.quantities}
        powers = tuple((name, power) for name, power in least.items() if power < 0 or name == self.epsilon)
        shared = Fraction(math.gcd(*(c.numerator for _, c in terms)), math.lcm(*(c.denominator for _, c in terms)))
        return Scale(shared, powers)

    def names(self, node: object) -> set[str]:
        return {part.name for part in ir.walk(node) if isinstance(part, ir.Var) and part.name in self.budgets}

    def misused(self, body: object) -> Iterator[str]:
        """The names that are given something else than a budget, or used for something else."""
        match body:
            case tuple():
                for part in body:
                    yield from self.misused(part)
            case ir.Assign(targets, values):
                for target, value in zip(targets, values, strict=True):
                    if target not in self.budgets:
                        yield from self.misused(value)
                    elif self.measure(value) is None:
                        yield target
                        yield from self.misused(value)
            case ir.Binary(op, left, right) if op in COMPARISONS and self.names(body):
                if self.measure(left) is None or self.measure(right) is None:
                    yield from self.names(body)
            case ir.If(test, then, orelse):
                yield from self.misused((test, *then, *orelse))
            case ir.While(test, inner):
                yield from self.misused((test, *inner))
            case ir.For(_, over, inner):
                yield from self.misused((over, *inner))
            case ir.Not(inner):
                yield from self.misused(inner)
            case ir.Binary("and" | "or", left, right):
                yield from self.misused((left, right))
            case _:
                yield from self.names(body)
                if isinstance(body, ir.Append):
                    yield body.name

    def measure(self, expr: ir.Expr) -> Polynomial | None:
        """A sum of budgets and of multiples of public quantities, or None."""
        found = self.polynomial(expr)
        for powers, _ in found.terms if found else ():
            if self.budgets & {name for name, _ in powers} and (len(powers) > 1 or powers[0][1] != 1):
                return None
        return found

    def polynomial(self, expr: ir.Expr) -> Polynomial | None:
        return polynomial_of(expr, self.known, self.quantities)

    def known(self, expr: ir.Expr) -> Polynomial | None:
        match expr:
            case ir.Var(name) if name in self.constants:
                return self.constants[name]
            case ir.Var(name) if name in self.quantities | self.budgets:
                return Polynomial.name(name)
            case ir.Length(ir.Var(name)) if (word := self.sketch.name_of_length(name)) in self.quantities:
                return Polynomial.name(word)
            case _:
                return None

    def counted(self, expr: ir.Expr, unit: Scale) -> ir.Expr:
        """A sum of budgets and of public quantities, in the unit."""
        found = self.measure(expr)
        assert found is not None
        total = Polynomial(())
        for powers, coefficient in found.terms:
            budget = bool(powers) and powers[0][0] in self.budgets
            total = total + Polynomial(((powers, coefficient),)).divided(Scale(Fraction(1)) if budget else unit)
        return expression_of(total, self.sketch, expr)


def _gives_only(node: ir.Stmt, names: Set[str]) -> bool:
    return isinstance(node, ir.Assign) and set(node.targets) <= names
