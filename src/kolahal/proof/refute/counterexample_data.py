"""A counterexample as data that can be checked again, and as a program that a reader can run without us."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from kolahal.engine.noise import FAMILIES
from kolahal.errors import KolahalError
from kolahal.exact.balls import Interval, exceeds
from kolahal.exact.cut_short import certain_probability
from kolahal.exact.finite import CoinCount
from kolahal.exact.intervals import site_scales
from kolahal.exact.polyhedra import AffineBound, Bounds, Density, Polyhedron, Potential, build_polyhedra
from kolahal.lang.noise import Noise
from kolahal.lang.read.parse import parse
from kolahal.lang.records.along_runs import Questions
from kolahal.lang.scale import Scale, parse_scale
from kolahal.lang.sketch import Sketch, Variant
from kolahal.model import (
    AllOf,
    Anything,
    Arguments,
    Equals,
    Event,
    Example,
    Linear,
    OneOf,
    Output,
    Scalar,
    StartsWith,
    Within,
    describe_event,
    show,
    with_labels,
)
from kolahal.paths.cuts import CannotIntegrate
from kolahal.paths.joined import find_outcomes
from kolahal.paths.quotients import linear_event
from kolahal.paths.state import ChosenPlace
from kolahal.paths.unknowns import Affine, AnswerAt
from kolahal.proof.refute.shrink import is_real
from kolahal.proof.trusted.documents import Malformed, read_number, shorten, take
from kolahal.verdicts import Refuted

KIND, OTHER_BUDGET = "counterexample", "budget counterexample"
MOST_ANSWERS = 64  # of a document that is checked again

# ---------------------------------------------------------------- data


def document(refuted: Refuted, sketch: Sketch, claim: Scale) -> dict[str, Any]:
    """Everything that is needed to check a counterexample again, as JSON data; numbers are exact texts."""
    example, odds = with_labels(sketch, refuted.example), refuted.odds
    given, more = example.arguments, dict[str, Any]()
    if sketch.variant is not Variant.PURE:
        order = None if refuted.order is None else str(refuted.order)
        more = {"kind": OTHER_BUDGET, "variant": sketch.variant.value, "delta": None if given.delta is None else str(given.delta), "order": order}
    return {
        "kind": KIND,
        "program": str(sketch),
        "claim": str(claim),
        "epsilon": str(given.epsilon),
        "arguments": {name: v if isinstance(v, bool) else str(v) for name, v in given.values},
        "d1": [str(a) for a in example.d1],
        "d2": [str(a) for a in example.d2],
        **({} if example.asked is None else {"asked": [[place, *map(str, values)] for place, values in example.asked]}),
        "event": write_event(example.event),
        "words": describe_event(example.event),
        "p1": [odds.p1.low, odds.p1.high],
        "p2": [odds.p2.low, odds.p2.high],
        **more,
    }


def find_faults(data: object) -> list[str]:
    """What is wrong with a counterexample; nothing, if it holds."""
    try:
        sketch, claim, example = read_document(data)
    except (KolahalError, Malformed, RecursionError) as error:
        return [f"the document cannot be read: {error}"]
    if fault := find_misfit(sketch, claim, example):
        return [fault]
    try:
        level = claim.at(example.arguments.quantities(sketch))
        p1, p2 = (
            certain_probability(sketch, d, example.arguments, example.event) for d in (example.d1, example.d2)
        )
    except KolahalError as error:
        return [str(error)]
    for p in (p1, p2):
        if isinstance(p, CannotIntegrate):
            return [f"the probabilities cannot be computed: {p.reason}"]
    assert not isinstance(p1, CannotIntegrate) and not isinstance(p2, CannotIntegrate)
    if not exceeds(p1, p2, level):
        return [f"P(event on d1) is at most {p1.high:.6g}, which is not above exp({show(level)}) times {p2.low:.6g}"]
    return list(misstated(data, example.event, {"p1": p1, "p2": p2}))


def find_misfit(sketch: Sketch, claim: Scale, example: Example) -> str | None:
    """Why an example says nothing of a program and its claim, if so."""
    if sketch.holes:
        return "the program has holes"
    if not is_real(sketch, example):
        return f"d1 and d2 are not neighbours that {sketch.name} takes: {sketch.adjacency.describe()}"
    if not example.arguments.accepted_by(sketch, claim):
        return f"{sketch.name} does not take these arguments, or the claim {claim} says nothing of them"
    return None


def misstated(data: Any, event: Event, found: Mapping[str, Interval]) -> Iterator[str]:
    """What a document tells its readers beside the example, where that is not so."""
    if data.get("words") != describe_event(event):
        yield f"the event in words is not that of the example: {describe_event(event)}"
    for name, p in found.items():
        match data.get(name):
            case [float() | int() as low, float() | int() as high] if low <= p.high and p.low <= high:
                pass
            case _:
                yield f"{name} is not the probability on d{name[1]}, which is between {p.low:.6g} and {p.high:.6g}"


def read_document(data: Any) -> tuple[Sketch, Scale, Example]:
    """The program, the claim and the example of a document."""
    if take(data, "kind", str) != KIND:
        raise Malformed(f"its kind is {shorten(data['kind'])} and not {KIND!r}")
    if max(len(take(data, name, list)) for name in ("d1", "d2")) > MOST_ANSWERS:
        raise Malformed(f"it has more than {MOST_ANSWERS} answers")
    sketch = parse(take(data, "program", str))
    d1, d2 = (tuple(read_number(a) for a in data[name]) for name in ("d1", "d2"))
    told = take(data, "arguments", dict)
    given = {name: v if isinstance(v, bool) else read_number(v) for name, v in told.items()}
    if missing := [p.name for p in sketch.arguments if p.name not in given]:
        raise Malformed(f"the arguments {', '.join(missing)} are missing")
    values = tuple((p.name, given[p.name]) for p in sketch.arguments)
    epsilon = read_number(data.get("epsilon"))
    if epsilon <= 0:
        raise Malformed("ε must be above 0")
    arguments = Arguments(epsilon, len(d1), values)
    example = Example(d1, d2, read_event(data.get("event")), arguments, _read_asked(data.get("asked")))
    return sketch, parse_scale(take(data, "claim", str)), with_labels(sketch, example)


def _read_asked(data: Any) -> Questions | None:
    """The questions of an example, each with its place first."""
    if data is None:
        return None
    found = []
    for one in data if isinstance(data, list) else [None]:
        if not isinstance(one, list) or not one or type(one[0]) is not int or not 0 <= one[0] < MOST_ANSWERS:
            raise Malformed("what is asked must be a list of places and numbers")
        found.append((one[0], tuple(read_number(value) for value in one[1:])))
    return tuple(found)


def write_event(event: Event) -> dict[str, Any]:
    match event:
        case Equals(value):
            return {"equals": _write_value(value)}
        case Within(low, high):
            return {"within": [None if bound is None else str(bound) for bound in (low, high)]}
        case Anything():
            return {"anything": True}
        case AllOf(events):
            return {"all": [write_event(part) for part in events]}
        case StartsWith(values):
            return {"starts": [_write_value(value) for value in values]}
        case Linear(weights, low):
            return {"linear": [str(weight) for weight in weights], "low": str(low)}
        case OneOf(events):
            return {"any": [write_event(part) for part in events]}


def read_event(data: Any) -> Event:
    match data:
        case {"all": [*parts]}:
            return AllOf(tuple(_read_part(part) for part in parts))
        case {"starts": [*values]}:
            return StartsWith(tuple(_read_scalar(value) for value in values))
        case {"linear": [*weights], "low": low}:
            return Linear(tuple(read_number(weight) for weight in weights), read_number(low))
        case {"any": [*parts]}:
            events = tuple(read_event(part) for part in parts)
            plain = tuple(event for event in events if not isinstance(event, OneOf | Anything))
            if len(plain) < len(events):
                raise Malformed("a union has simple parts only")
            return OneOf(plain)
        case {"equals": [*values]}:
            return Equals(tuple(_read_scalar(value) for value in values))
        case _:
            return _read_part(data)


def _read_part(data: Any) -> Equals | Within | Anything:
    match data:
        case {"equals": value}:
            return Equals(_read_scalar(value))
        case {"within": [low, high]}:
            return Within(*(None if bound is None else read_number(bound) for bound in (low, high)))
        case {"anything": True}:
            return Anything()
        case _:
            raise Malformed(f"there is no such event: {shorten(data)}")


def _write_value(value: Output) -> Any:
    if isinstance(value, tuple):
        return [_write_value(item) for item in value]
    return value if value is None or isinstance(value, bool) else str(value)


def _read_scalar(value: Any) -> Scalar:
    return value if value is None or isinstance(value, bool) else read_number(value)


# ---------------------------------------------------------------- a program that a reader can run

_TOOLS = '''
from math import ceil, exp, floor, inf, tanh


def laplace(low, high, scale):
    """P(low <= X <= high) for Laplace noise; never as 1 minus something close to 1."""
    if low >= high:
        return 0.0
    if low >= 0:
        return (exp(-low / scale) - exp(-high / scale)) / 2
    if high <= 0:
        return (exp(high / scale) - exp(low / scale)) / 2
    return 1 - (exp(low / scale) + exp(-high / scale)) / 2


def laplace_density(x, scale):
    return exp(-abs(x) / scale) / (2 * scale)


def exponential(low, high, scale):
    """P(low <= X <= high) for one-sided exponential noise."""
    low, high = max(low, 0), max(high, 0)
    return exp(-low / scale) - exp(-high / scale) if low < high else 0.0


def exponential_density(x, scale):
    return exp(-x / scale) / scale if x >= 0 else 0.0


def integral(function, points, scale, steps=100):
    """Simpson's rule between the points where the function has kinks, and 64 noise scales beyond them."""
    points = sorted({p for p in points if abs(p) < inf})
    tail = [scale * 2.0**i for i in range(-2, 7)]
    points = [points[0] - t for t in reversed(tail)] + points + [points[-1] + t for t in tail]
    total = 0.0
    for left, right in zip(points, points[1:]):
        h = (right - left) / steps
        inner = sum((4 if i % 2 else 2) * function(left + i * h) for i in range(1, steps))
        nudge = 1e-12 * (right - left)  # at a jump, take the value from inside
        total += h / 3 * (function(left + nudge) + inner + function(right - nudge))
    return total
'''

_WHOLE_TOOLS = '''
from math import ceil, exp, floor, inf, tanh


def laplace(low, high, scale):
    """P(low <= X <= high) for Laplace noise on the whole numbers."""
    low, high = max(low, -60 * scale), min(high, 60 * scale)
    return sum(laplace_density(x, scale) for x in range(ceil(low), floor(high) + 1))


def laplace_density(x, scale):
    return tanh(1 / (2 * scale)) * exp(-abs(x) / scale)


def exponential(low, high, scale):
    """P(low <= X <= high) for one-sided exponential noise on the whole numbers."""
    low, high = max(low, 0), min(high, 60 * scale)
    return sum(exponential_density(x, scale) for x in range(ceil(low), floor(high) + 1))


def exponential_density(x, scale):
    return (1 - exp(-1 / scale)) * exp(-x / scale) if x >= 0 else 0.0


def integral(function, points, scale):
    """The sum from 64 noise scales before the first point to 64 after the last."""
    points = [p for p in points if abs(p) < inf]
    return sum(function(x) for x in range(floor(min(points) - 64 * scale), ceil(max(points) + 64 * scale) + 1))
'''


def snippet(refuted: Refuted, sketch: Sketch, claim: Scale | None = None) -> str:
    """A Python program that computes both probabilities with nothing but the standard library."""
    example = refuted.example
    level = claim.at(example.arguments.quantities(sketch)) if claim is not None else example.arguments.epsilon
    arguments = example.arguments
    sites = site_scales(sketch, arguments, ())
    silent = frozenset(site for site, scale in enumerate(sites) if not scale)
    asked, event = linear_event(sketch, example.event)
    outcomes = find_outcomes(asked, arguments.size, arguments.environment(asked), silent, event=event)
    if isinstance(outcomes, CannotIntegrate):
        return ""
    polyhedra = build_polyhedra(outcomes.paths, event, outcomes.noises)
    if isinstance(polyhedra, CannotIntegrate):
        return ""
    writer = _PythonWriter(sites, outcomes.noises)
    terms = "\n".join(writer.polyhedron(polyhedron) for polyhedron in polyhedra)
    words = describe_event(example.event)
    return f'''"""Not private ({arguments}): on d1 the event "{words}" has probability p1, on its neighbour d2 only p2.

{_indented(str(sketch))}
"""
{_WHOLE_TOOLS if writer.is_whole() else _TOOLS}

def probability(q):
    """Sums over the ways in which it happens; each integral is over noise that several comparisons share."""
    p = 0.0
{terms}
    return p


d1 = {_numbers(example.d1)}
d2 = {_numbers(example.d2)}
p1, p2 = probability(d1), probability(d2)
print(f"p1 = {{p1:.9g}}, p2 = {{p2:.9g}}")
print(f"p1/p2 = {{p1 / p2 if p2 else inf:.6g}}, and privacy allows at most exp({show(level)}) = {{exp({_number(level)}):.6g}}")
'''


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.replace('"""', "'''").replace("\\", "\\\\").splitlines())


def _numbers(values: Sequence[Fraction]) -> str:
    return "[" + ", ".join(_number(value) for value in values) + "]"


def _number(value: Fraction) -> str:
    return str(value) if value.denominator == 1 else f"{value.numerator} / {value.denominator}"


class _PythonWriter:
    """Polyhedra as Python expressions of `q`."""

    def __init__(self, scales: Sequence[Fraction], noises: Sequence[Noise]):
        self.scales, self.noises = scales, noises

    def is_whole(self) -> bool:
        return any(noise.whole and not noise.finite for noise in self.noises)

    def polyhedron(self, polyhedron: Polyhedron) -> str:
        facts = [f"{_form(fact.form)} {'<' if fact.strict else '<='} 0" for fact in polyhedron.facts]
        factors = [self.total(tree) for tree in polyhedron.trees]
        factors += [*map(self.coins, polyhedron.coins), *map(self.pick, polyhedron.picks)]
        factors = factors or ["1.0"]
        value = " * ".join(factors)
        adds = "+=" if polyhedron.sign > 0 else "-="
        return f"    p {adds} {value} if {' and '.join(facts)} else 0.0" if facts else f"    p {adds} {value}"

    def coins(self, coin: CoinCount) -> str:
        rate = _number(1 / self.scales[coin.site])
        return f"exp(-{coin.ones} * ({rate})) / (1 + exp(-({rate})))**{coin.total}"

    def pick(self, pick: ChosenPlace) -> str:
        scale = _number(self.scales[pick.draw.site])
        return f"1 / ({' + '.join(['1', *(f'exp(({_form(gap)}) / ({scale}))' for gap in pick.gaps)])})"

    def total(self, node: Potential) -> str:
        """The probability of a whole tree."""
        if not node.children and node.density is not None:
            return self.interval(node.density, *self.limits(node.bounds))
        return self.integral(node, "x", None)

    def integral(self, node: Potential, name: str, parent: str | None) -> str:
        """∫ over the node, which is called `name`; its parent has a name already."""
        factors: list[str] = []
        points = ["0"]
        low, high = self.limits(node.bounds)
        if node.density is not None:
            factors.append(self.density(node.density, name))
        if parent is not None:
            below, above = self.limits(node.link_bounds, parent)
            low, high = low + below, high + above
            points.append(parent)
            if node.link_density is not None:
                factors.append(self.density(node.link_density, f"({name} - {parent})"))
        points += [*low, *high]
        tests = [f"{b} <= {name}" for b in low] + [f"{name} <= {b}" for b in high]
        for place, child in enumerate(node.children):
            if _is_leaf(child):
                factors.append(self.leaf(child, name))
                points += self.kinks(child)
            else:
                factors.append(self.integral(child, f"{name}{place + 1}", name))
                points += self.shifts(child)
        value = " * ".join(factors) or "1.0"
        body = f"({value} if {' and '.join(tests)} else 0.0)" if tests else value
        scale = max(self.scale(d) for n in node.walk() for d in (n.density, n.link_density) if d is not None)
        return f"integral(lambda {name}: {body}, [{', '.join(dict.fromkeys(points))}], {_number(scale)})"

    def leaf(self, node: Potential, parent: str) -> str:
        if node.density is not None:
            own, link = self.limits(node.bounds), self.limits(node.link_bounds, parent)
            return self.interval(node.density, own[0] + link[0], own[1] + link[1])
        assert node.link_density is not None
        own, link = self.limits(node.bounds, f"-{parent}"), self.limits(node.link_bounds)
        return self.interval(node.link_density, own[0] + link[0], own[1] + link[1])

    def kinks(self, node: Potential) -> Iterator[str]:
        """Where the probability of a leaf has kinks, seen from its parent."""
        own = [m.form for m in (*node.bounds.low, *node.bounds.high)]
        link = [m.form for m in (*node.link_bounds.low, *node.link_bounds.high)]
        if node.density is None:
            yield from (_form(m) for m in own)
            yield from (_form(m - s) for m in own for s in link)
        else:
            yield from (_form(-m) for m in link)
            yield from (_form(s - m) for m in link for s in own)

    def shifts(self, node: Potential) -> Iterator[str]:
        """Some kinks of what a subtree gives its parent."""
        for m in (*node.link_bounds.low, *node.link_bounds.high):
            yield _form(-m.form)
            yield from (_form(s.form - m.form) for s in (*node.bounds.low, *node.bounds.high))

    def limits(self, bounds: Bounds, base: str = "") -> tuple[list[str], list[str]]:
        """Lower and upper limits, measured from `base`."""
        return [self.limit(m, 1, base) for m in bounds.low], [self.limit(m, -1, base) for m in bounds.high]

    def limit(self, limit: AffineBound, way: int, base: str) -> str:
        if not self.is_whole():
            return _form(limit.form, base)
        text = _form(limit.form)
        if limit.strict:
            text = f"floor({text}) + 1" if way > 0 else f"ceil({text}) - 1"
        else:
            text = f"ceil({text})" if way > 0 else f"floor({text})"
        return f"{base} + {text}" if base else text

    def scale(self, density: Density) -> Fraction:
        return self.scales[density.draw.site] / abs(density.weight)

    def interval(self, density: Density, low: Sequence[str], high: Sequence[str]) -> str:
        family = FAMILIES[self.noises[density.draw.site]]
        below, above = _pick("max", low, "-inf"), _pick("min", high, "inf")
        name = "laplace" if family.two_sided else "exponential"
        if not family.two_sided and density.weight < 0:
            below, above = f"-({above})", f"-({below})"
        return f"{name}({below}, {above}, {_number(self.scale(density))})"

    def density(self, density: Density, at: str) -> str:
        family = FAMILIES[self.noises[density.draw.site]]
        name = "laplace" if family.two_sided else "exponential"
        sign = "-" if not family.two_sided and density.weight < 0 else ""
        return f"{name}_density({sign}{at}, {_number(self.scale(density))})"


def _is_leaf(node: Potential) -> bool:
    return not node.children and (node.density is None) != (node.link_density is None)


def _pick(function: str, texts: Sequence[str], nothing: str) -> str:
    return nothing if not texts else texts[0] if len(texts) == 1 else f"{function}({', '.join(texts)})"


def _form(form: Affine, base: str = "") -> str:
    """An affine form of the answers as Python, added to `base`."""
    parts: list[str] = [base] if base else []
    for symbol, coefficient in form.terms.items():
        assert isinstance(symbol, AnswerAt), "arguments have values here"
        size = abs(Fraction(coefficient))
        factor = "" if size == 1 else f"{_number(size)} * "
        parts.append(f"{'-' if coefficient < 0 else '+'} {factor}q[{symbol.place}]")
    if form.constant or not parts:
        constant = Fraction(form.constant)
        if constant or not base:
            parts.append(f"{'-' if constant < 0 else '+'} {_number(abs(constant))}")
    text = " ".join(parts)
    return text[2:] if text.startswith("+ ") else "-" + text[2:] if text.startswith("- ") else text
