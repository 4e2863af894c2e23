"""A certificate → sentences: which draw moves by how much, when, and what it costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from kolahal.lang.ir import Assign, Binary, Comprehension, Draw, If, While, walk
from kolahal.lang.pretty import print_expression
from kolahal.lang.read.parse import parse
from kolahal.lang.scale import Scale, parse_number, parse_scale
from kolahal.lang.sketch import Sketch
from kolahal.nouns import dataclass
from kolahal.proof.trusted.restated.lists_and_loops import restated
from kolahal.proof.trusted.restated.watched import Followed, watched
from kolahal.proof.trusted.steps import decide_flags, spread_comprehensions
from kolahal.report.words import join_words

MOST_SHIFTS = 12  # rows that a bounded proof shows


@dataclass(frozen=True, slots=True)
class ShownShift:
    """One draw: where it is, how the second run's noise differs from the first's, and what that costs."""

    line: int | None
    draw: str
    moves: str
    costs: str


@dataclass(frozen=True, slots=True)
class Story:
    """A proof for one kind of neighbours, or at one size."""

    title: str
    opening: str
    moves: tuple[ShownShift, ...]
    total: str
    facts: tuple[str, ...]  # what holds at loop heads, as the solver was asked


@dataclass(frozen=True, slots=True)
class Explanation:
    """A proof in words."""

    opening: tuple[str, ...]
    stories: tuple[Story, ...]
    closing: tuple[str, ...]
    assumptions: tuple[str, ...]


def explain(certificate: Mapping[str, Any], source: Sketch | None = None, claimed: Scale | None = None) -> Explanation | None:
    """A certificate in words; lines are those of the printed program, or of `source`, if that is given. None for budgets other
    than ε.

    `claimed` is what the user claimed, which may be more than what the certificate proves.
    """
    kind = certificate.get("kind")
    if kind == "counted":
        return _counted(certificate)
    if kind not in (None, "bounded"):
        return None
    sketch = source or parse(certificate["program"])
    claim = claimed or parse_scale(certificate["claim"])
    neighbours = sketch.adjacency.describe()
    opening = (
        f"Take any two neighbouring inputs ({neighbours}) and run the program on both, side by side.",
        "Whatever noise the first run draws, the second run gets the same noise, moved as the table says. "
        "Then both runs give the same output, so every way to an output on one input has a partner on the other.",
        "Noise of scale c that is moved by s is at most e^(s/c) times less likely, so a move costs s/c of the budget. "
        "Different noise stays different, so the partners’ chances add up.",
    )
    if kind == "bounded":
        return Explanation(
            opening, _bounded_stories(sketch, claim, certificate), _bounded_closing(sketch, certificate), ()
        )
    watches = tuple(Followed(item["name"], item["last"]) for item in certificate.get("watched", ()))
    tests = _conditions(sketch, certificate, watches)
    stories = tuple(_story(sketch, claim, case, tests, watches) for case in certificate["cases"])
    count = sum(
        c["obligations"] if isinstance(c["obligations"], int) else len(c["obligations"]) for c in certificate["cases"]
    )
    closing = (
        f"That the outputs agree and the budget is kept on every run was put into {count} formulas, derived again from the "
        "program’s text, and a solver found each of them valid. What holds whenever the runs reach the head of a loop is "
        "what carries the argument from one turn to the next, and so to inputs of every length.",
    )
    return Explanation(opening, stories, closing, tuple(certificate.get("assumptions", ())))


def explain_shortly(certificate: Mapping[str, Any], source: Sketch, claimed: Scale | None = None) -> list[str]:
    """A proof for every length, or by counting, in a few lines of text; nothing for a bounded one, whose shifts are many."""
    if certificate.get("kind") == "bounded":
        return []
    if certificate.get("kind") == "counted":
        first, *rest = _counted(certificate).opening
        return [f"Why: {first[0].lower()}{first[1:]}", *(f"  {sentence}" for sentence in rest)]
    found = explain(certificate, source, claimed)
    lines = []
    for story in () if found is None else found.stories:
        moved = [m for m in story.moves if m.costs != "nothing"]
        head = f"Why{f', {story.title.lower()}' if story.title else ''}: give the neighbour's run the same noise, but"
        parts = [
            f"  line {m.line}, {m.draw}: moved {m.moves}" + (f"; costs {m.costs}" if m.costs else "") for m in moved
        ]
        lines += [head, *parts, f"  {story.total}"]
    return lines


MOST_PARTS = 4  # whose losses are told one by one


def _counted(certificate: Mapping[str, Any]) -> Explanation:
    """A proof by counting all that can happen. Losses are told of the last setting of the arguments."""
    (*_, case) = certificate["cases"]
    losses = [tuple(map(_exact, row)) for row in case["losses"]]
    claim = parse_scale(certificate["claim"])
    number, unit = ("every ε", "·ε") if claim.powers else ("the numbers that its scales are", "")
    opening = [f"All that can happen was counted, on every two neighbouring inputs, and compared exactly for {number}."]
    alike = {row: losses.count(row) for row in losses}
    for row, times in list(alike.items())[:MOST_PARTS]:
        one = "is one part" if times == 1 else f"are {times} parts"
        lost = [f"{_counted_bits(k)} cost{'s' if k == 1 else ''} at most {float(loss):.6g}{unit}" for k, loss in enumerate(row) if k]
        opening.append(f"Of what is seen of a run there {one}, independent of the rest, in which {join_words(lost) if lost else 'nothing is private'}.")
    closing = (
        "Parts that have no bit and no draw in common are independent, so what they lose adds up, over as many bits as neighbours differ in. "
        "That every loss is what it is said to be was derived again from the program’s text.",
    )
    return Explanation(tuple(opening), (), closing, ())


def _counted_bits(many: int) -> str:
    return "one bit that is turned over" if many == 1 else f"{many} bits"


_TITLES = {"up": "If the answers move up", "down": "If the answers move down"}


def _story(
    sketch: Sketch, claim: Scale, case: Mapping[str, Any], tests: Sequence[tuple[str, int]], watches: Sequence[Followed]
) -> Story:
    kind, distance = case["moves"]["kind"], _exact(case["moves"]["distance"])
    single = kind.startswith(("one", "sum"))
    told = case["ghost"]
    places = {watch.place: f"the place of `{watch.name}`" for watch in watches}
    ghosts = [places.get(name, f"`{name}`") for name in ([] if told is None else [told] if isinstance(told, str) else told)]
    opening = ""
    ends = ["the first run" if loop is None else "its turn of the outer loop" for loop in case.get("renewed", [None] * len(ghosts))]
    if ghosts:
        opening = (
            f"How the noise moves depends on the value that {join_words(ghosts)} has when "
            f"{ends[0]} ends: the runs are sorted by it, and those of each kind are matched on their own."
        )
    moves = tuple(
        _move(sketch, draw, item, single, distance, list(zip(ghosts, ends, strict=True)), tests)
        for draw, item in zip(sketch.draws, case["alignment"], strict=True)
    )
    facts = tuple(str(fact) for parts in case.get("invariant", {}).values() for fact in parts)
    return Story(_TITLES.get(kind.split()[-1], ""), opening, moves, _total(sketch, claim, case["shares"]), facts)


def _move(
    sketch: Sketch, draw: Draw, item: Mapping[str, Any], single: bool, distance: Fraction, ghosts: Sequence[tuple[str, str]],
    tests: Sequence[tuple[str, int]],
) -> ShownShift:  # fmt: skip
    scale = draw.scale
    assert isinstance(scale, Scale)
    around = _sum_around(sketch, draw)

    def told(rule: Mapping[str, Any]) -> tuple[str, str]:
        """How far a rule moves the noise, and what that costs."""
        if "rule" not in rule and draw.noise.finite:
            return _turned(rule, sketch), _share(Fraction(1), scale) if _is_turned(rule) else "nothing"
        if "rule" not in rule:
            moved = _behind(rule, single, distance) if draw.noise.selects else _form(rule, single, distance, around)
            return moved, _cost(rule, scale, distance)
        moved, cost = told(rule["then"])
        if rule["rule"] == "always":
            return moved, cost
        other, other_cost = told(rule["else"])
        moved = f"({moved})" if "rule" in rule["then"] else moved
        match rule["rule"]:
            case "branch":
                test, line = tests[rule["branch"]]
                part = f"part {rule['part'] + 1} of " if "part" in rule else ""
                words = f"{moved} if {part}`{test}` holds (line {line}), else {other}"
                return words, _either(cost, other_cost, "if it holds", "if not")
            case "ghost":
                (ghost, end), offset = ghosts[rule.get("which", 0)], rule["offset"]
                off = f" − {offset}" if offset > 0 else f" + {-offset}" if offset < 0 else ""
                plain = f"place {ghost[1:-1]}" if ghost.startswith("`") else ghost
                where = f"the answer at {plain}{off} (counted from 0; {ghost} as {end} ends)"
                return f"{moved} for {where}, {other} for the others", _either(cost, other_cost, "for that one", "for each other")
            case _:
                where = " + ".join(str(part) for part in (rule["of"], rule["plus"]) if part) or "0"
                words = f"{moved} where `{rule['name']}` is {where}, else {other}"
                return words, _either(cost, other_cost, "there", "elsewhere")

    return ShownShift(draw.span.line, print_expression(draw), *told(item))


def _either(cost: str, other: str, when: str, otherwise: str) -> str:
    if cost == other:
        return cost
    return f"{cost} {when}" + ("" if other == "nothing" else f", {other} {otherwise}")


def _form(form: Mapping[str, Any], single: bool, distance: Fraction, around: str) -> str:
    units = _exact(form["units"])
    parts = []
    if units:
        size = units * distance
        if single:
            parts.append(f"by {_times(units)}the size of the move, at most {_number(abs(size))}")
        else:
            parts.append(f"{'up' if size > 0 else 'down'} by {_number(abs(size))}")
    if form.get("lead"):
        parts.append(f"by what lets {around} move as far as the first of the others does")
    elif form["cancel"]:
        parts.append(f"by what keeps {around} the same in both runs")
    if form["follow"] is not None:
        parts.append(f"by as much as `{form['follow']}` differs between the runs")
    return " and ".join(parts) or "not at all"


def _is_turned(form: Mapping[str, Any]) -> bool:
    return bool(_exact(form["units"]) or form["cancel"] or form.get("follow"))


def _behind(form: Mapping[str, Any], single: bool, distance: Fraction) -> str:
    """By how much a chosen place may fall behind the others."""
    units = _exact(form["units"])
    size = f"{_times(units)}the size of the move" if single else _number(units * distance)
    return f"to the same place, which may fall behind any other by {size}"


def _turned(form: Mapping[str, Any], sketch: Sketch) -> str:
    """When a coin is turned over."""
    if not _is_turned(form):
        return "nowhere"
    where = ["always"] if _exact(form["units"]) else []
    where += ["where the truth value that it stands in would differ"] if form["cancel"] else []
    if form.get("follow"):
        told = "the answer at its place" if form["follow"] == sketch.private.name else f"`{form['follow']}`"
        where.append(f"where {told} differs between the runs")
    return f"to its other side {' and back '.join(where)}"


def _times(units: Fraction) -> str:
    return "" if units == 1 else f"{_number(units)} times "


def _exact(value: Any) -> Fraction:
    """A number of a certificate, which a stranger may have written."""
    return parse_number(value) if isinstance(value, str) else Fraction(value)


def _number(value: Fraction) -> str:
    return str(value).replace("-", "−")


def _cost(form: Mapping[str, Any], scale: Scale, distance: Fraction) -> str:
    """What one move costs at most, where the rule alone tells it."""
    if form["follow"] is not None or form.get("lead") or (form["cancel"] and _exact(form["units"])):
        return "as much as the runs differ"
    if form["cancel"]:
        return f"{_share(distance, scale)} for a difference of {_number(distance)}"
    units = abs(_exact(form["units"])) * distance
    return _share(units, scale) if units else "nothing"


def _share(step: Fraction, scale: Scale) -> str:
    """step/scale as people read it: ε/2, 2·ε/(3·N)."""
    powers = tuple(sorted((name, -power) for name, power in scale.powers))
    return Scale(step / scale.coefficient, powers).pretty()


def _total(sketch: Sketch, claim: Scale, shares: Sequence[Mapping[str, Any]]) -> str:
    """The sum of the shares of the budget."""
    if not sketch.draws:
        return "No noise is drawn, so nothing has to move, and it costs nothing."
    epsilon = sketch.epsilon.name
    spent = sum((_exact(share["bound"]) for share in shares), Fraction(0))
    if not spent:
        return "It costs nothing."
    total = Scale(spent, claim.powers)
    verb = "that is the claim" if total == claim else f"within the claim of {claim.pretty()}"
    if len(shares) == 1:
        return f"Over the whole run this costs at most {total.pretty()}: {verb}."
    parts: list[str] = []
    for share in shares:
        lines = sorted({d.span.line for d in sketch.draws if _powers(d.scale, epsilon) == share["powers"]})
        where = f"line{'' if len(lines) == 1 else 's'} {join_words([str(n) for n in lines])}"
        bound = _exact(share["bound"])
        cost = f"at most {Scale(bound, claim.powers).pretty()}" if bound else "nothing"
        parts.append(f"that of {where} {cost}" if parts else f"the noise of {where} costs {cost}")
    return f"Over the whole run {join_words(parts)}, together {total.pretty()}: {verb}."


def _powers(scale: Any, epsilon: str) -> dict[str, int] | None:
    """The quantities of a scale c·μ/ε other than 1/ε, as a certificate names its shares."""
    if not isinstance(scale, Scale):
        return None
    found = dict(scale.powers)
    found[epsilon] = found.get(epsilon, 0) + 1
    return {name: power for name, power in found.items() if power}


def _conditions(sketch: Sketch, certificate: Mapping[str, Any], watches: tuple[Followed, ...]) -> list[tuple[str, int]]:
    """The conditions in source order, as certificates number them, with their lines: of `if`, of `while`, and of the names that
    are given a comparison and looked at later."""
    stated = watched(restated(sketch), watches)
    decided = decide_flags(spread_comprehensions(stated, frozenset(certificate["released"])))
    return [(print_expression(n.test), n.span.line) for n in walk(decided.body) if isinstance(n, If | While)]


def _sum_around(sketch: Sketch, draw: Draw) -> str:
    """The noisy value that a draw is part of, in words."""
    for node in walk(sketch.body):
        if isinstance(node, Assign):
            for target, value in zip(node.targets, node.values, strict=True):
                if any(part is draw for part in walk(value)):
                    return f"every item of `{target}`" if isinstance(value, Comprehension) else f"the new `{target}`"
        elif isinstance(node, Binary) and node.op in ("+", "-") and any(part is draw for part in walk(node)):
            return f"`{print_expression(node)}`"
    return "its sum"


# ---------------------------------------------------------------- proofs up to a size


def _bounded_stories(sketch: Sketch, claim: Scale, certificate: Mapping[str, Any]) -> tuple[Story, ...]:
    """The shifts at the largest size: the dearest of each event."""
    case = certificate["cases"][-1]
    arguments = "".join(f", {name} = {value}" for name, value in case["arguments"].items())
    title = f"At {case['size']} quer{'y' if case['size'] == 1 else 'ies'}{arguments}"
    rows: list[tuple[Fraction, ShownShift]] = []
    for passage in case["passages"]:
        dearest = max(passage["shifts"], key=lambda s: _exact(s["cost"]), default=None)
        if dearest is None:
            continue
        facets = case["events"][passage["from"]]["facets"]
        event = " and ".join(facets[:3]) + (f" and {len(facets) - 3} more" if len(facets) > 3 else "")
        moves = "; ".join(_step_words(name, _exact(step)) for name, step in dearest["steps"].items())
        cost = _exact(dearest["cost"])
        shown = Scale(cost, ((sketch.epsilon.name, 1),)).pretty() if cost else "nothing"
        rows.append((cost, ShownShift(None, event.replace("-", "−") or "always", moves or "nothing moves", shown)))
    rows.sort(key=lambda row: -row[0])
    worst = rows[0][0] if rows else Fraction(0)
    total = f"The dearest of {len(rows)} such moves costs {Scale(worst, ((sketch.epsilon.name, 1),)).pretty() if worst else 'nothing'} at this size; the claim is {claim.pretty()}."
    opening = (
        "Each row is one way in which the runs can go, as what must be true of the answers and the noise; "
        "`noise2.0` is the noise of the second place, in its first turn."
    )
    return (Story(title, opening, tuple(move for _, move in rows[:MOST_SHIFTS]), total, ()),)


def _step_words(name: str, step: Fraction) -> str:
    return f"`{name}` {'up' if step > 0 else 'down'} by {_number(abs(step))}"


def _bounded_closing(sketch: Sketch, certificate: Mapping[str, Any]) -> tuple[str, ...]:
    cases = certificate.get("all_cases", len(certificate["cases"]))
    if sketch.private.count is not None:
        return (
            f"Tables: {cases}, one for each setting of the arguments that are whole or truth values; every row of every one was "
            f"checked again in exact arithmetic. The program takes {sketch.private.count} private answers and no other number.",
        )
    return (
        f"There are {cases} such tables, one for each number of queries up to {certificate['size']} and each setting of the "
        "whole arguments; every row of every one was checked again in exact arithmetic. Larger inputs were not examined.",
    )
