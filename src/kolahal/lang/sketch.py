"""Whole programs: a sketch with holes, and a mechanism, which is a sketch with a scale for each hole."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import field, fields, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from kolahal.errors import UsageError
from kolahal.lang import ir
from kolahal.lang.accounting import gdp_of
from kolahal.lang.adjacency import Adjacency
from kolahal.lang.enclosures import MATH
from kolahal.lang.given import given_bit, given_number, plain_answer
from kolahal.lang.noise import Noise
from kolahal.lang.parameters import BUDGETS, NO_BELLS
from kolahal.lang.parameters import Parameter as Parameter
from kolahal.lang.parameters import Role as Role
from kolahal.lang.parameters import Type as Type
from kolahal.lang.parameters import Variant as Variant
from kolahal.lang.preconditions import holds
from kolahal.lang.pretty import ShownAsText, print_block, print_docstring, print_expression
from kolahal.lang.records.bins import read_count, sized_table
from kolahal.lang.records.moves import RecordRelation, positive_units
from kolahal.lang.records.run_text import as_written
from kolahal.lang.records.table import RECORDS, clip_value, open_record, read_records
from kolahal.lang.scale import Scale, base_of, gdp_name, parse_filling
from kolahal.lang.source import NOWHERE, Source, Span
from kolahal.lang.system_noise import Sampler, SystemSampler, draws_of
from kolahal.lang.unit_names import check_positive
from kolahal.nouns import dataclass

Completion = tuple[Scale, ...]
NAME_ONE = "find it with `kolahal synth`, or write Lap or Exp for Noise"


@dataclass(frozen=True)
class Sketch(ShownAsText):
    """A program whose noise scales may be holes, with what is private in it and who its neighbours are."""

    name: str
    parameters: tuple[Parameter, ...]
    adjacency: Adjacency
    body: ir.Block
    doc: str | None = field(default=None, compare=False)
    source: Source | None = field(default=None, compare=False, repr=False)
    span: Span = field(default=NOWHERE, compare=False, repr=False)
    preconditions: int = 0  # so many statements at the top are `assert`, each kept as `if not test: return None`

    @cached_property
    def _hash(self) -> int:
        return hash((self.name, self.parameters, self.adjacency, self.body))

    def __hash__(self) -> int:
        return self._hash  # many tables are kept by sketch, and a program is a deep tree

    def __getstate__(self) -> dict[str, Any]:
        """What was computed on demand stays behind: the hash of a text is another one in another process."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    @cached_property
    def sites(self) -> tuple[ir.Draw, ...]:
        """Every place that draws noise, in order, also of a family that is not chosen yet."""
        return tuple(sorted((node for node in ir.walk(self.body) if isinstance(node, ir.Draw)), key=lambda d: d.site))

    @property
    def is_open(self) -> bool:
        """Whether a family of noise is still to be chosen: `lang/families.py`."""
        return any(draw.noise.open for draw in self.sites)

    @cached_property
    def draws(self) -> tuple[ir.Draw, ...]:
        """Every place that draws noise, by site. Whoever runs or prices noise asks here, so bells under a pure budget and
        open families are refused here."""
        found = self.sites
        if any(draw.noise.open for draw in found):
            raise UsageError(f"{self.name} leaves the family of its noise open, and this needs one; {NAME_ONE}")
        if self.variant is Variant.PURE and any(draw.noise.bell for draw in found):
            raise UsageError(f"{self.name} draws Gaussian noise, which is never {Variant.PURE.words}; {NO_BELLS}")
        if self.variant is Variant.PURE and any(isinstance(draw.scale, Scale) and draw.scale.root for draw in found):
            raise UsageError(f"{self.name} has a root in a scale, which has no place in a pure budget; {NO_BELLS}")
        return found

    @cached_property
    def holes(self) -> tuple[ir.Hole, ...]:
        return tuple(draw.scale for draw in self.sites if isinstance(draw.scale, ir.Hole))

    @cached_property
    def selecting(self) -> frozenset[int]:
        """The holes that cannot go without noise: a place is chosen there."""
        return frozenset(d.scale.index for d in self.sites if isinstance(d.scale, ir.Hole) and d.noise.selects)

    @cached_property
    def private(self) -> Parameter:
        return next(p for p in self.parameters if p.role is Role.PRIVATE)

    @property
    def budget(self) -> Parameter:
        """ε, ρ or μ."""
        return next(p for p in self.parameters if p.role in BUDGETS)

    @property
    def delta(self) -> Parameter | None:
        return next((p for p in self.parameters if p.role is Role.DELTA), None)

    @cached_property
    def variant(self) -> Variant:
        return Variant.APPROXIMATE if self.delta is not None else BUDGETS[self.budget.role]

    @property
    def epsilon(self) -> Parameter:
        """ε of a pure claim. Whoever asks for it knows no other claim, and must not be asked about one."""
        self.must_be_pure("this")
        return self.budget

    def must_be_pure(self, what: str) -> None:
        """Refuse a program whose claim `what` knows nothing of."""
        if self.variant is not Variant.PURE:
            raise UsageError(f"{self.name} claims {self.variant.words}, and {what} is for {Variant.PURE.words} only")

    @property
    def arguments(self) -> tuple[Parameter, ...]:
        """The public parameters other than the budget, and other than the number of aggregates."""
        return tuple(p for p in self.parameters if p.role is Role.ARGUMENT and not p.counts)

    @cached_property
    def required(self) -> tuple[str, ...]:
        """The whole arguments that have to be at least 1, because a scale uses them or `%` divides by them.

        Calls and emitted programs refuse other values, and a proof assumes nothing else of whole arguments.
        """
        scales = [draw.scale for draw in self.sites if isinstance(draw.scale, Scale)]
        used = {name for scale in scales for name in scale.names}
        for node in ir.walk(self.body):
            if isinstance(node, ir.Binary) and node.op == "%":
                used |= ir.names_read(node.right)
        changed = ir.assigned_names(self.body)
        whole = [p.name for p in self.arguments if p.type is Type.INT]
        return tuple(name for name in whole if name in used and name not in changed)

    @property
    def asserted(self) -> tuple[ir.Expr, ...]:
        """What the program asserts of its public inputs.

        A call that does not keep to it is refused. To proofs it is an ordinary test, so that nothing is assumed in vain.
        """
        guards = [s for s in self.body[: self.preconditions] if isinstance(s, ir.If)]
        return tuple(guard.test.of for guard in guards if isinstance(guard.test, ir.Not))

    def broken(self, inputs: Mapping[str, Fraction | bool], length: int) -> str | None:
        """The first assertion that some public inputs break, as text."""
        return next((print_expression(test) for test in self.asserted if not holds(test, inputs, length)), None)

    def admits(self, database: Sequence[Fraction]) -> bool:
        """Whether the program takes these private answers: as many as it declares, and whole if it says so."""
        if isinstance(self.adjacency, RecordRelation):
            return self.adjacency.admits(database)
        count, whole, bits = self.private.count, self.private.whole, self.private.bits
        fit = set(database) <= {0, 1} if bits else not whole or all(a.denominator == 1 for a in database)
        return count in (None, len(database)) and fit

    def related(self, d1: Sequence[Fraction], d2: Sequence[Fraction]) -> bool:
        """Whether two databases are neighbours that the program takes."""
        return self.adjacency.related(d1, d2) and self.admits(d1) and self.admits(d2)

    def sizes(self, usual: Sequence[int]) -> tuple[int, ...]:
        """The numbers of answers to look at: the usual ones, or the one that is declared."""
        return tuple(usual) if self.private.count is None else (self.private.count,)

    @property
    def length_name(self) -> str:
        return self.private.length_name

    def name_of_length(self, name: str) -> str:
        """What scales call the length of a list."""
        return self.length_name if name == self.private.name else f"len({name})"

    def quantities(self) -> tuple[str, ...]:
        """The names that a scale may use: ε, arguments and the private input's length, where they never change."""
        return self._quantities

    @cached_property
    def _quantities(self) -> tuple[str, ...]:
        changed = ir.assigned_names(self.body)
        public = [p for p in self.parameters if p.role is not Role.PRIVATE and p.type is not Type.BOOL]
        names = [p.name for p in public if p.name not in changed and not p.counts]
        q = self.private.name
        rebinds = [value for target, value in ir.assignments(self.body) if target == q]
        # `q = [x + Lap(hole) for x in q]` keeps the length, and so the meaning of len(q).
        keeps_length = all(isinstance(value, ir.Comprehension) and value.over == ir.Var(q) for value in rebinds)
        written = (table := self.private.table) is not None and table.bins is not None and table.bins.size.isdigit()  # a number
        if keeps_length and not written and not any(isinstance(node, ir.For) and node.name == q for node in ir.walk(self.body)):
            names.append(self.length_name)
        if self.delta is not None:
            names.append(gdp_name(self.budget.name, self.delta.name))
        return (*names, *self.factors)

    @property
    def counted(self) -> frozenset[str]:
        """The quantities that are whole numbers; a scale may have the next one as a factor, too."""
        return frozenset({self.length_name, *(p.name for p in self.arguments if p.type is Type.INT)})

    @property
    def factors(self) -> tuple[str, ...]:
        """Widths of public bounds that a scale may use."""
        return self.adjacency.factors if isinstance(self.adjacency, RecordRelation) else ()

    @property
    def moved_in(self) -> tuple[str, ...]:
        """The units that aggregates move by multiples of."""
        return self.adjacency.units if isinstance(self.adjacency, RecordRelation) else ()

    @cached_property
    def units(self) -> tuple[str, ...]:
        """The public numbers, or widths of bounds, that aggregates move by multiples of, or that scales are made of: above 0."""
        scales = [draw.scale for draw in self.sites if isinstance(draw.scale, Scale)]
        named = [name for scale in scales for name, _ in scale.powers if name in self.factors]
        return tuple(dict.fromkeys(unit for unit in (*self.moved_in, *named) if unit))

    def complete(self, *scales: Scale | str | None) -> Mechanism:
        """The mechanism with `scales` in the holes, in order; texts such as "2/eps" are parsed, None is no noise.

        For `Noise(hole)` they name the family: "Exp(2/eps)".
        """
        given = (s if isinstance(s, Scale) else parse_filling(s) for s in scales)
        completion = tuple(scale.renamed(f"len({self.private.name})", self.length_name) for scale in given)
        if len(completion) != len(self.holes):
            holes = _count(len(self.holes), "hole")
            raise UsageError(f"{self.name} has {holes}, and {len(completion)} scales were given")
        allowed = self.quantities()
        if not all(completion[hole] for hole in self.selecting):
            raise UsageError(f"a place that {self.name} chooses needs a scale: None is no choice")
        for scale in completion:
            if scale.root and self.variant is Variant.PURE:
                raise UsageError(f"the scale {scale} has a root, which has no place in a pure budget; {NO_BELLS}")
            for name, _ in scale.powers:
                if name not in allowed and not (base_of(name) in allowed and base_of(name) in self.counted):
                    names = ", ".join(allowed)
                    raise UsageError(f"the scale {scale} uses {name}; a scale of {self.name} may use {names}")
        Mechanism(self, completion).closed()  # the families are told, and fit
        return Mechanism(self, completion)

    def with_noises(self, noises: Mapping[int, Noise]) -> Sketch:
        """The same program with other families of noise at some sites."""
        # Aggregates that are whole are declared so where the noise is whole, too, as a reader of such a program does it.
        whole = isinstance(self.adjacency, RecordRelation) and self.adjacency.whole and any(n.whole for n in noises.values())
        return self._with_draws_of(noises, whole)

    def _with_draws_of(self, noises: Mapping[int, Noise], whole: bool) -> Sketch:
        """The same program with other noise at some sites, whose answers are declared `whole` then."""

        def change(node: ir.Node) -> ir.Node | None:
            return replace(node, noise=noises[node.site]) if isinstance(node, ir.Draw) and node.site in noises else None

        parameters = tuple(replace(p, whole=p.whole or whole) if p.role is Role.PRIVATE else p for p in self.parameters)
        return replace(self, parameters=parameters, body=ir.rebuild(self.body, change))

    def opened(self) -> Mechanism:
        """A program without holes as a completion of the sketch whose every scale is a hole."""

        def change(node: ir.Node) -> ir.Node | None:
            return replace(node, scale=ir.Hole(node.site)) if isinstance(node, ir.Draw) else None

        scales = {draw.site: draw.scale for draw in self.draws if isinstance(draw.scale, Scale)}
        return Mechanism(
            replace(self, body=ir.rebuild(self.body, change)), tuple(scales[site] for site in sorted(scales))
        )

    def discretised(self) -> Sketch:
        """The same program with noise on the whole numbers, for whole answers: the paper's formal semantics."""
        whole = self.adjacency.distance.denominator == 1  # whole answers do not move by other distances
        if isinstance(self.adjacency, RecordRelation):
            whole = self.adjacency.whole
        return self._with_draws_of({draw.site: draw.noise.discrete for draw in self.draws}, whole)

    def __str__(self) -> str:
        """The program as Python text, ready to be parsed again."""
        table = self.private.table
        first = [] if table is None else table.row.definition()
        header = [*first, f"@sketch(adjacent={self.adjacency})", f"def {self.name}({', '.join(map(str, self.parameters))}):"]
        doc = [f"    {print_docstring(self.doc)}"] if self.doc is not None else []
        tests = as_written(self.asserted, self.private.name, table, before=True)
        asserted = [f"    assert {print_expression(test)}" for test in tests]
        answers = [] if table is None else table.definition(self.private.name)
        body = print_block(as_written(self.body[self.preconditions :], self.private.name, table))
        return "\n".join([*header, *doc, *asserted, *answers, *body]) + "\n"

    def __repr__(self) -> str:
        return f"<{self.name}: {_count(len(self.holes), 'hole')}, {self.adjacency}>"

    def __call__(self, *args: object, **kwargs: object) -> object:
        if self.holes:
            example = ", ".join([f'"2/{self.budget.name}"'] * len(self.holes))
            raise UsageError(
                f"{self.name} has {_count(len(self.holes), 'hole')}; fill them before calling it, "
                f"for example {self.name}.complete({example})"
            )
        return call_mechanism(self, args, kwargs, SystemSampler())


@dataclass(frozen=True, slots=True)
class Mechanism(ShownAsText):
    """A sketch with a scale for each of its holes."""

    sketch: Sketch
    completion: Completion

    def filled(self) -> Sketch:
        """The program without holes; a hole without noise is gone."""

        def fill(node: ir.Node) -> ir.Node | None:
            match node:
                case ir.Draw(scale=ir.Hole(index)) if self.completion[index]:
                    return replace(node, scale=self.completion[index])
                case _:
                    return None

        if (closed := self.closed()) is not self:
            return closed.filled()
        return replace(self.sketch, body=ir.number_sites(ir.rebuild(self._without_idle_holes(), fill)))

    def closed(self) -> Mechanism:
        """The same with the families of open places in the program, and no longer in the scales."""
        noises: dict[int, Noise] = {}
        for draw in self.sketch.sites:
            scale = self.completion[draw.scale.index] if isinstance(draw.scale, ir.Hole) else draw.scale
            if draw.noise.open:
                if scale and scale.family is None:
                    raise UsageError(f"{self.sketch.name} leaves the family of its noise open: name it, as in Lap({scale})")
                noises[draw.site] = scale.family or Noise.LAPLACE  # where there is no noise, any
            elif scale.family not in (None, draw.noise):
                raise UsageError(f"{self.sketch.name} has {draw.noise.value}(hole) on line {draw.span.line}, and {scale} is of another family")
        if not noises and not any(scale.family for scale in self.completion):
            return self
        return Mechanism(self.sketch.with_noises(noises), tuple(scale.plain for scale in self.completion))

    def reduced(self) -> Mechanism:
        """The same mechanism as a completion of a sketch that has only the holes with noise."""
        body = ir.number_sites(self._without_idle_holes())
        return Mechanism(replace(self.sketch, body=body), tuple(scale for scale in self.completion if scale))

    def _without_idle_holes(self) -> ir.Block:
        """The body without noise where there is none, and without `x = x + noise` there."""
        nothing, never = ir.Const(Fraction(0)), ir.Const(False)
        bare: list[ir.Node] = []  # what noise was taken from; kept, so that each stays the only one of its identity

        def drop(node: ir.Node) -> ir.Node | None:
            match node:
                case ir.Draw(noise, ir.Hole(index)) if not self.completion[index]:
                    assert not noise.selects, "a place is chosen with noise"
                    return never if noise.finite else nothing
                case ir.Binary("+" | "-", left, right) if right is nothing:
                    bare.append(left)
                    return left
                case ir.Binary("+", left, right) if left is nothing:
                    bare.append(right)
                    return right
                case ir.Negate(of) if of is nothing:
                    return nothing
                case ir.Negate(ir.Const(value=Fraction() as value)):  # minus a number is a number, as the parser has it
                    return ir.Const(-value, span=node.span)
                case _:
                    return ir.with_blocks(node, keep)

        def keep(block: ir.Block) -> ir.Block:
            return tuple(s for s in block if not (isinstance(s, ir.Assign) and is_idle(s)))

        def is_idle(node: ir.Assign) -> bool:
            same = node.values == tuple(map(ir.Var, node.targets))
            return same and all(any(value is other for other in bare) for value in node.values)

        return keep(ir.rebuild(self.sketch.body, drop))

    def __str__(self) -> str:
        return str(self.filled())

    def __repr__(self) -> str:
        return f"<{self.sketch.name}: {', '.join(map(str, self.completion))}>"

    def __call__(self, *args: object, **kwargs: object) -> object:
        return self.filled()(*args, **kwargs)


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"


# ---------------------------------------------------------------- calling a mechanism

def call_mechanism(sketch: Sketch, args: Sequence[object], kwargs: Mapping[str, object], sampler: Sampler) -> object:
    """Run a program without holes as the Python function that it prints as; noise comes from `sampler`."""
    values = bind(sketch, args, kwargs)
    body = "\n".join(print_block(as_written(sketch.body, sketch.private.name, sketch.private.table)))
    code = f"def {sketch.name}({', '.join(p.name for p in sketch.parameters)}):\n{body}\n"
    # What is executed is our own print of the allow-listed program, never the user's text.
    builtins = {"len": len, "range": range, "max": max, "min": min, "abs": abs, "list": list, "sum": sum, "clip": clip_value, **MATH}
    names: dict[str, object] = {"__builtins__": builtins}
    table = sketch.private.table
    if table is not None and table.depends_on_run:
        names[table.rows] = [open_record(table, record) for record in values.pop(RECORDS)]  # type: ignore[attr-defined]
    names |= draws_of(sampler)
    if sketch.variant is not Variant.PURE:
        names |= {"sqrt": math.sqrt, "gdp": gdp_of}
    exec(compile(code, f"<{sketch.name}>", "exec"), names)
    function: Callable[..., object] = names[sketch.name]  # type: ignore[assignment]
    return plain_answer(function(**values))


def bind(sketch: Sketch, args: Sequence[object], kwargs: Mapping[str, object]) -> dict[str, object]:
    """The values of all parameters of a call, checked: finite numbers of the declared types, ε above 0."""
    if len(args) > len(sketch.parameters):
        raise UsageError(f"{sketch.name} takes {len(sketch.parameters)} arguments, and {len(args)} were given")
    given: dict[str, object] = {p.called: a for p, a in zip(sketch.parameters, args)}
    names = {p.called: p for p in sketch.parameters}
    for name, value in kwargs.items():
        if name not in names:
            raise UsageError(f"{sketch.name} has no parameter {name}; it has {', '.join(names)}")
        if name in given:
            raise UsageError(f"{sketch.name} got {name} twice")
        given[name] = value
    values: dict[str, object] = {}
    for parameter in sketch.parameters:
        if parameter.called in given:
            values[parameter.name] = _checked(parameter, given[parameter.called])
        elif parameter.default is not None:
            default = parameter.default
            values[parameter.name] = default if isinstance(default, bool) else _plain(default)
        else:
            raise UsageError(f"{sketch.name} needs a value for {parameter.called}")
    public = {n: v if isinstance(v, bool) else Fraction(v) for n, v in values.items() if isinstance(v, int | float)}
    check_positive(sketch.name, positive_units(sketch.adjacency, sketch.units), public)
    table = sketch.private.table
    if table is not None:
        given_to = {name: _exact(values[name]) for name in table.public_names()}
        records = read_records(table, given[table.rows])
        if table.bins is not None and not table.bins.size.isdigit():
            table = sized_table(table, read_count(table.bins.size, values[table.bins.size]))
        fixed = replace(table, aggregates=tuple(a for a in table.aggregates if not a.run_names()))
        if table.depends_on_run:
            values[RECORDS] = records
        values[sketch.private.name] = [_plain(answer) for answer in fixed.answers(records, given_to)]
    for name in sketch.required:
        if values[name] < 1:  # type: ignore[operator]
            raise UsageError(f"{name} of {sketch.name} must be at least 1, not {values[name]}: a scale or a `%` uses it")
    broken = sketch.broken(public, len(values[sketch.private.name]))  # type: ignore[arg-type]
    if broken is not None:
        raise UsageError(f"{sketch.name} asserts {broken}, and these arguments break it; give others")
    return values


def _exact(value: object) -> Fraction | bool:
    assert isinstance(value, bool | int | float)
    return value if isinstance(value, bool) else Fraction(value)


def _plain(value: Fraction) -> int | float:
    return int(value) if value.denominator == 1 else float(value)


def _checked(parameter: Parameter, value: object) -> object:
    name = parameter.name
    if parameter.table is not None:
        return []  # aggregated when all arguments are known
    if parameter.type is Type.VECTOR:
        # A set has no order, and the texts and keys of the others are no answers.
        if isinstance(value, str | bytes | Mapping | Set) or not isinstance(value, Iterable):
            raise UsageError(f"{name} must be a list of numbers")
        try:
            items = list(value)
        except TypeError:  # an array without dimensions
            raise UsageError(f"{name} must be a list of numbers") from None
        if parameter.count is not None and len(items) != parameter.count:
            raise UsageError(f"{name} must have {_count(parameter.count, 'answer')}, and {len(items)} were given")
        if parameter.bits:
            return [given_bit(f"{name}[{i}]", item) for i, item in enumerate(items)]
        answers = [given_number(f"{name}[{i}]", item) for i, item in enumerate(items)]
        for i, answer in enumerate(answers if parameter.whole else ()):
            if answer != int(answer):
                raise UsageError(f"{name}[{i}] must be a whole number, not {answer}")
        return answers
    if parameter.type is Type.BOOL:
        return given_bit(name, value)
    number = given_number(name, value)
    if parameter.type is Type.INT and number != int(number):
        raise UsageError(f"{name} must be a whole number, not {number}")
    if parameter.role in (*BUDGETS, Role.DELTA) and number <= 0:
        raise UsageError(f"{name} must be above 0, not {number}")
    if parameter.role is Role.DELTA and number >= 1:
        raise UsageError(f"{name} must be below 1, not {number}")
    return int(number) if parameter.type is Type.INT else number
