"""What an emitted program fixes before it runs: its scales, and the numbers that its grid has to contain."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field, fields, replace
from fractions import Fraction
from typing import Any

from kolahal.lang import ir
from kolahal.lang.kinds import WHOLES, infer
from kolahal.lang.pretty import print_expression
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Role, Sketch, Type
from kolahal.lang.taint import bindings, find_flow
from kolahal.nouns import dataclass
from kolahal.proof.trusted.restated.lists_and_loops import restated
from kolahal.proof.trusted.restated.set_aside import set_aside
from kolahal.verdicts import Certificate

ARITHMETIC = ("+", "-", "*", "/")


@dataclass(frozen=True, slots=True)
class GridPlan:
    """Texts of public expressions, and why a proof about real noise may not carry over to the grid, if so."""

    scales: tuple[str, ...]
    numbers: tuple[str, ...]  # that the grid has to contain
    factors: tuple[str, ...]  # that refine the grid of noise
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Site:
    """A product with, or a quotient by, a public number."""

    operand: ir.Expr
    factor: ir.Expr
    product: bool


@dataclass(frozen=True, slots=True)
class Shifts:
    """What the grid of the noise has to know of the shifts of a proof.

    `parts` is into how many parts a step of the grid must fall. `cancels` are the sites whose noise makes up for the
    difference of the sum that it stands in, and `followed` the variables whose difference a draw is shifted by; these may
    depend on other noise. So may shifts that are mixed by a change, on the noise of all sites but those in `mixing`.
    `delayed`: noise that is only named makes up for the difference of a sum in which its name stands. `untied`: it leaves out
    runs in which noise ties, and on a grid these have a probability.
    """

    parts: int = 1
    cancels: frozenset[int] = frozenset()
    followed: Mapping[int, frozenset[str]] = field(default_factory=dict)
    mixing: frozenset[int] | None = None  # None where nothing is mixed so
    delayed: bool = False
    untied: bool = False


NO_SHIFTS = Shifts()


def read_shifts(certificate: Certificate, distance: Fraction) -> Shifts:
    """The shifts of the proof in a certificate.

    They are fractions of the distance of neighbours, apart from what the program's own factors do to them. Where a proof
    has shifts for the two ends of a change only, those in between are mixtures: with weights that are whole multiples of
    a step over the width of the change, counted from an end that need not be on the grid itself.
    """
    shifts, widths = 1, 1
    cancels: set[int] = set()
    followed: dict[int, frozenset[str]] = {}
    mixing: frozenset[int] | None = None
    document = certificate.document()
    document = document.get("proof", document)  # of another budget, the inner one
    if "sizes" in document:  # of an affine release, whose shifts are the same multiples of every move
        steps = [Fraction(s) for entry in document["sizes"] for row in entry["shifts"] for s in row.values()]
        return Shifts(math.lcm(1, *(step.denominator for step in steps)))
    for case in document["cases"]:  # by place: other keys are names of the user's, `steps` among them
        rules, passages = case.get("alignment") or (), case.get("passages") or ()
        found = [Fraction(s) / distance for p in passages for shift in p["shifts"] for s in shift["steps"].values()]
        for site, rule in enumerate(rules):
            forms = _forms(rule)
            found += [Fraction(form["units"]) for form in forms]
            # The proof gives names of its own to what it takes apart: x' is made of x.
            names = {form["follow"].partition("'")[0] for form in forms if form.get("follow")}
            followed[site] = followed.get(site, frozenset()) | names
            cancels |= {site for form in forms if form.get("cancel")}
        shifts = math.lcm(shifts, *(shift.denominator for shift in found))
        open_ends = [pair for passage in passages for pair in _open_ends(passage)]
        for low, high in open_ends:
            ends = low / distance, high / distance
            off = math.lcm(*(end.denominator for end in ends))
            widths = math.lcm(widths, (ends[1] - ends[0]).numerator * off)
        if open_ends:
            active = frozenset(case["active"])
            mixing = active if mixing is None else mixing & active
    untied = any("lead" in case for case in document["cases"])
    return Shifts(shifts * widths, frozenset(cancels), followed, mixing, bool(document.get("delayed")), untied)


def _forms(rule: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The forms of a rule and of those within it."""
    parts = [rule[part] for part in ("then", "else") if part in rule]
    return [form for part in parts for form in _forms(part)] if parts else [rule]


def _open_ends(passage: Mapping[str, Any]) -> list[tuple[Fraction, Fraction]]:
    """The ends of the changes of a passage that are not fixed."""
    ends = [(Fraction(low), Fraction(high)) for low, high in passage.get("ends") or ()]
    return [(low, high) for low, high in ends if low != high]


def plan_grid(sketch: Sketch, shifts: Shifts = NO_SHIFTS) -> GridPlan:
    """The plan of a program without holes, whose proof shifts its noise by `shifts`; the proof may be about another way to write it."""
    stated = restated(sketch)
    plans = [_Planner(program, shifts).plan() for program in dict.fromkeys([sketch, set_aside(stated) if shifts.delayed else stated])]
    return GridPlan(**{f.name: tuple(dict.fromkeys(item for plan in plans for item in getattr(plan, f.name))) for f in fields(GridPlan)})


class _Planner:
    """What matters is by how much a value can differ between the two runs of a proof: shifts are made of that.

    So public values count too: which of them a run takes may depend on private data.
    """

    def __init__(self, sketch: Sketch, shifts: Shifts):
        coins = {draw.site for draw in sketch.draws if draw.noise.finite}  # they are turned over on no grid
        followed = {site: names for site, names in shifts.followed.items() if site not in coins}
        # Coins and chosen places leave no grid: what is computed with them alone is computed exactly, whatever it is.
        self.adds_noise = any(not (draw.noise.finite or draw.noise.selects) for draw in sketch.draws)
        self.sketch, self.shifts = sketch, replace(shifts, cancels=shifts.cancels - coins, followed=followed)
        self.data = find_flow(sketch, answers=True, noise=True)
        self.noisy = find_flow(sketch, answers=False, noise=True)
        self.steered = find_flow(sketch, answers=True, noise=True, control=True)
        self.types = infer(sketch)
        self.fixed: dict[str, ir.Expr] = {}
        self.define()
        self.reasons: list[str] = []

    def plan(self) -> GridPlan:
        body = self.sketch.body
        scales = [draw.scale for draw in self.sketch.draws if isinstance(draw.scale, Scale)]
        sites = self.sites()
        self.refuse_endless(sites)
        self.refuse_finer_noise(sites)
        literals = [node for node in ir.walk(body) if isinstance(node, ir.Const) and not _is_whole(node)]
        reals = [
            ir.Var(p.name)
            for p in self.sketch.parameters
            if p.role is not Role.PRIVATE and p.type is Type.FLOAT and ir.Var(p.name) in ir.walk(body)
        ]
        computed = [
            self.resolve(node)
            for node in ir.walk(body)
            if isinstance(node, ir.Binary) and node.op in ("*", "/") and self.is_fixed(node)
        ]
        factors = [print_expression(self.resolve(site.factor)) for site in sites.values()]
        parts = [str(self.shifts.parts)] if self.shifts.parts > 1 else []
        return GridPlan(
            tuple(dict.fromkeys(map(str, scales))),
            tuple(dict.fromkeys(print_expression(n) for n in [*literals, *reals, *computed])),
            (*factors, *parts),
            tuple(dict.fromkeys(self.reasons)) if self.adds_noise else (),
        )

    # ---- public numbers that are fixed before the program runs

    def define(self) -> None:
        """Find the names that always hold one public number, and the expression over inputs that it is."""
        assigned: dict[str, int] = defaultdict(int)
        for node in ir.walk(self.sketch.body):
            if isinstance(node, ir.Assign):
                for name in node.targets:
                    assigned[name] += 1
            elif isinstance(node, ir.For | ir.Comprehension):
                assigned[node.name] += 1
        self.fixed = {
            p.name: ir.Var(p.name)
            for p in self.sketch.parameters
            if p.role is not Role.PRIVATE and p.type is not Type.BOOL and not assigned[p.name]
        }
        for statement in self.sketch.body:
            if isinstance(statement, ir.Assign):
                for name, value in zip(statement.targets, statement.values, strict=True):
                    if assigned[name] == 1 and name not in self.fixed and self.is_fixed(value):
                        self.fixed[name] = self.resolve(value)

    def is_fixed(self, expr: ir.Expr) -> bool:
        match expr:
            case ir.Const(value=Fraction()):
                return True
            case ir.Var(name):
                return name in self.fixed
            case ir.Length(of):
                return (
                    of.name == self.sketch.private.name and self.sketch.length_name in self.sketch.quantities()
                )
            case ir.Negate(of):
                return self.is_fixed(of)
            case ir.Binary("+" | "-" | "*" | "/" | "//" | "%", left, right):
                return self.is_fixed(left) and self.is_fixed(right)
            case ir.Call(_, arguments):
                return all(map(self.is_fixed, arguments))
            case _:
                return False

    def resolve(self, expr: ir.Expr) -> ir.Expr:
        """A fixed expression over inputs alone."""
        return ir.rebuild(expr, lambda node: self.fixed.get(node.name) if isinstance(node, ir.Var) else None)

    # ---- where the grid is refined

    def sites(self) -> dict[int, _Site]:
        """Every product and quotient with a public number that is not 1, unless it is itself fixed or whole."""
        found: dict[int, _Site] = {}
        apart = self.apart()
        for node in ir.walk(self.sketch.body):
            match node:
                case ir.Binary() if id(node) in apart:
                    continue
                case ir.Binary("*" | "/" as op, left, right) if (
                    not self.is_fixed(node) and self.types.of(node) != WHOLES
                ):
                    depends = self.data.of(left), self.data.of(right)
                    if all(depends) or (op == "/" and depends[1]):
                        self.refuse(node, "divides by" if op == "/" else "multiplies two of", "private values or noise")
                        continue
                    swap = op == "*" and (depends[1] or (not any(depends) and self.is_fixed(left)))
                    operand, factor = (right, left) if swap else (left, right)
                    if factor in (ir.Const(Fraction(1)), ir.Const(Fraction(-1))):
                        continue
                    if self.is_fixed(factor):
                        found[id(node)] = _Site(operand, factor, op == "*")
                    elif op == "/" or not self.is_multiple(operand, factor):
                        self.refuse(node, "multiplies or divides by a number that is not fixed before the run:", "")
                case ir.Binary("//" | "%", left, right) if self.data.of(left) or self.data.of(right):
                    if self.types.of(node) != WHOLES:
                        self.refuse(node, "takes the floor or the rest of", "a private value or noise")
        return found

    def apart(self) -> set[int]:
        """The parts of a program that asks the records as it runs whose values meet neither private data nor noise, but
        for what is asked with them: no shift is made of them.
        """
        body = self.sketch.body
        if not any(isinstance(node, ir.Query) for node in ir.walk(body)):
            return set()
        bound = [(name, value) for name, value in bindings(self.sketch)]
        meeting = [n for n in ir.walk(body) if isinstance(n, ir.Binary | ir.Call | ir.Draw | ir.Negate) and self.data.of(n)]
        names = {name for several in self.shifts.followed.values() for name in several} | self.data.names
        names = names.union(*map(_names_beside_questions, meeting))
        names = self.sources(names, bound)
        safe = [value for name, value in bound if name not in names and not self.data.of(value)]
        safe += [node.value for node in ir.walk(body) if isinstance(node, ir.Return) and not self.data.of(node.value)]
        return {id(part) for value in safe for part in ir.walk(value)}

    def sources(self, names: set[str], bound: list[tuple[str, ir.Expr | ir.Range]]) -> set[str]:
        """`names`, and every name that one of them is given a value of."""
        while True:
            more = {n for name, value in bound if name in names for n in _names_beside_questions(value)} - names
            if not more:
                return names
            names = names | more

    def is_multiple(self, operand: ir.Expr, factor: ir.Expr) -> bool:
        """Whether a product is a whole multiple of something on the grid; to undo that for noise would leave it."""
        if self.noisy.of(operand) or self.noisy.of(factor):
            return False
        return WHOLES in (self.types.of(factor), self.types.of(operand))

    def refuse_endless(self, sites: dict[int, _Site]) -> None:
        """A value that is refined by a site and comes back to it would need a finer grid in every turn.

        Noise that follows a variable in the proof brings that variable's differences with it. Outside loops a site is passed
        at most once.
        """
        through: dict[str, set[int]] = defaultdict(set)

        def of(node: object) -> set[int]:
            found: set[int] = set()
            if isinstance(node, tuple):
                return found.union(*map(of, node))
            if isinstance(node, ir.Var):
                return through[node.name]
            if isinstance(node, ir.Draw):
                return found.union(*(through[name] for name in self.shifts.followed.get(node.site, ())))
            if isinstance(node, ir.Node) and not isinstance(node, ir.Length):
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
        loops = [node for node in ir.walk(self.sketch.body) if isinstance(node, ir.For | ir.While)]
        for node in {id(node): node for loop in loops for node in ir.walk(loop)}.values():
            if id(node) in sites and id(node) in of(sites[id(node)].operand):
                self.refuse(node, "refines the grid again in every turn:", "")

    # ---- noise that makes up for other noise

    def refuse_finer_noise(self, sites: dict[int, _Site]) -> None:
        """Noise that has been divided is on a finer grid than noise that may have to make up for it.

        That matters only where the two runs may have taken their values from different draws; elsewhere they differ by a
        shift, which is on a coarser grid than the noise.
        """
        if self.shifts.untied:
            self.reasons.append("the proof leaves out runs in which noise ties, and on a grid a tie has a probability: there it loses more")
        selected, divided = self.selected(), self.divided(sites)
        others = {draw.site for draw in self.sketch.draws} - (self.shifts.mixing or frozenset())
        finer = self.shifts.parts > 1 or any(self.is_finer(site, sites) for site in sites)
        if self.shifts.mixing is not None and others and finer:
            self.reasons.append("the proof shifts noise by a part of what other noise is away from a value")
        apart = set_aside(self.sketch) if self.shifts.delayed else replace(self.sketch, body=())
        named = {value.site for _, value in bindings(apart) if isinstance(value, ir.Draw)}
        lists = [node.item for node in ir.walk(self.sketch.body) if isinstance(node, ir.Comprehension)]
        named |= {item.site for item in lists if isinstance(item, ir.Draw)}
        if sites and named & self.shifts.cancels:
            # It may stand in several sums, with other factors in each.
            self.reasons.append("noise that has a name makes up for a difference, and the program multiplies or divides")
        for names in self.shifts.followed.values():
            for name in sorted(names & selected & divided):
                self.reasons.append(
                    f"noise makes up for differences of `{name}`, which is made of noise that was divided"
                )
        for root in _sums(self.sketch.body):
            terms = list(_terms(root, ()))
            chosen = [(leaf, chain) for leaf, chain in terms if self.is_selected(leaf, selected)]
            for draw, own in terms:
                if isinstance(draw, ir.Draw) and draw.site in self.shifts.cancels:
                    for leaf, chain in chosen:
                        if not self.keeps_grid(leaf, chain, own, divided, sites):
                            self.refuse(root, "lets noise make up for other noise that is multiplied or divided:", "")

    def selected(self) -> set[str]:
        """The noisy names that the two runs may have taken from different draws: by a condition, or by max, min, abs."""
        controlled = self.steered.controlled
        names = {name for node in controlled if isinstance(node, ir.Assign) for name in node.targets}
        names |= {node.name for node in controlled if isinstance(node, ir.Append)}
        names &= self.noisy.names
        return self.spread(lambda value, known: any(self.is_selected(node, known) for node in ir.walk(value)), names)

    def is_selected(self, node: ir.Node, known: set[str]) -> bool:
        match node:
            case ir.Var(name):
                return name in known
            case ir.Index(of, at):  # a proof may let the two runs read noise at different places
                return of.name in known or (of.name in self.noisy.names and self.steered.of(at))
            case ir.Call(_, arguments):
                return any(map(self.noisy.of, arguments))
            case _:
                return False

    def divided(self, sites: dict[int, _Site]) -> set[str]:
        """The names that noise reaches after a division or a product with a fraction."""

        def is_divided(value: ir.Expr | ir.Range, known: set[str]) -> bool:
            nodes = list(ir.walk(value))
            return any(n.name in known if isinstance(n, ir.Var) else self.is_finer(id(n), sites) for n in nodes)

        return self.spread(is_divided, set())

    def is_finer(self, node: int, sites: dict[int, _Site]) -> bool:
        """Whether a product or quotient of noise may be off the grid of the noise."""
        site = sites.get(node)
        return site is not None and self.noisy.of(site.operand) and not self.is_whole_product(site)

    def is_whole_product(self, site: _Site) -> bool:
        return site.product and self.types.of(site.factor) == WHOLES

    def keeps_grid(
        self, leaf: ir.Expr, chain: tuple[int, ...], own: tuple[int, ...], divided: set[str], sites: dict[int, _Site]
    ) -> bool:
        """Whether what a draw has to make up for, divided by the draw's own factor, is a whole multiple of `leaf`."""
        if any(
            node.name in divided if isinstance(node, ir.Var) else self.is_finer(id(node), sites)
            for node in ir.walk(leaf)
        ):
            return False
        mine = [sites[node] for node in chain if node in sites and node not in own]
        its = [sites[node] for node in own if node in sites and node not in chain]
        whole = all(map(self.is_whole_product, mine))
        return whole and all(not site.product and self.types.of(site.factor) == WHOLES for site in its)

    def spread(self, holds: Callable[[ir.Expr | ir.Range, set[str]], bool], names: set[str]) -> set[str]:
        """`names`, and every name that is given a value of which `holds` is true, given those before."""
        while True:
            more = {name for name, value in bindings(self.sketch) if name not in names and holds(value, names)}
            if not more:
                return names
            names = names | more

    def refuse(self, node: ir.Node, what: str, of_what: str) -> None:
        where = f"line {node.span.line}: " if node.span.line else ""
        shown = print_expression(node)  # type: ignore[arg-type]
        self.reasons.append(f"{where}`{shown}` {what} {of_what}".rstrip(" :"))


def _sums(node: object) -> Iterator[ir.Expr]:
    """Every largest sum, product or quotient, and every draw that stands alone, below `node`."""
    if isinstance(node, tuple):
        for part in node:
            yield from _sums(part)
    elif isinstance(node, ir.Draw | ir.Negate) or (isinstance(node, ir.Binary) and node.op in ARITHMETIC):
        yield node
        for leaf, _ in _terms(node, ()):
            yield from _sums(_inside(leaf))
    elif isinstance(node, ir.Node):
        yield from _sums(_inside(node))


def _names_beside_questions(node: ir.Node) -> set[str]:
    """The names in an expression, without those that questions to the records are asked with."""
    if isinstance(node, ir.Query):
        return set()
    own = {node.name} if isinstance(node, ir.Var) else set()
    inner = [part for part in _inside(node) if isinstance(part, ir.Node)]
    inner += [n for part in _inside(node) if isinstance(part, tuple) for n in part if isinstance(n, ir.Node)]
    return own.union(*map(_names_beside_questions, inner))


def _inside(node: ir.Node) -> tuple[object, ...]:
    return tuple(getattr(node, part.name) for part in fields(node) if part.name != "span")


def _terms(expr: ir.Expr, chain: tuple[int, ...]) -> Iterator[tuple[ir.Expr, tuple[int, ...]]]:
    """What a sum is made of, each with the products and quotients, by identity, that it stands in."""
    match expr:
        case ir.Negate(of):
            yield from _terms(of, chain)
        case ir.Binary(op, left, right) if op in ARITHMETIC:
            inner = chain if op in ("+", "-") else (*chain, id(expr))
            yield from _terms(left, inner)
            yield from _terms(right, inner)
        case _:
            yield expr, chain


def _is_whole(node: ir.Const) -> bool:
    return not isinstance(node.value, Fraction) or node.value.denominator == 1
