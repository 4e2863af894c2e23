"""What is to be said of a text: faults, verdicts, costs and remedies, each at its place. Quick: nothing is proved here.

Places are counted in characters from 0; each door puts them into its own units.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from hashlib import sha256

from kolahal.editor.fixes import Fix, Place, declare_count, fill_holes, name_place, top_line, use_scales
from kolahal.errors import harmless
from kolahal.lang.ir import Draw
from kolahal.lang.read.parse import read_functions
from kolahal.lang.sketch import Completion, Mechanism, Sketch
from kolahal.lang.source import LARGEST_FILE, Diagnostic, SketchError, Source, diagnose, with_newlines
from kolahal.nouns import dataclass
from kolahal.report.advice import advise
from kolahal.report.proofs import Explanation, explain
from kolahal.report.records import counterexample_lines
from kolahal.results import Law, describe_completion
from kolahal.verdicts import Bounded, Proved, Refuted, Unknown, Verdict, describe_verdict, proof_of

NO_SKETCH = "K007"  # most files of an editor have none, and nothing is wrong with them
ERROR, WARNING, INFORMATION = "error", "warning", "information"


@dataclass(frozen=True, slots=True)
class Judgement:
    """What is known of a program: of a sketch with holes, of the completion that is offered for it."""

    verdict: Verdict
    law: Law | None = None
    completion: Completion | None = None  # for the holes; or scales with which a refuted mechanism would be proved
    mended: bool = False  # whether such scales were looked for


@dataclass(frozen=True, slots=True)
class Note:
    """Something that is wrong or worth knowing at a place."""

    place: Place
    severity: str
    code: str
    text: str


@dataclass(frozen=True, slots=True)
class Lens:
    """A line of words above a function."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Hint:
    """Words inside a line, behind a draw of noise."""

    line: int
    column: int
    text: str


@dataclass(frozen=True, slots=True)
class Tip:
    """What is said, in Markdown, about what stands at a place."""

    place: Place
    text: str


@dataclass(frozen=True, slots=True)
class Open:
    """A program of which nothing is known yet; equal programs have equal keys, wherever they stand."""

    name: str
    key: str


@dataclass(slots=True)
class Findings:
    """All that is known of a text, and what is still to be found out."""

    notes: list[Note] = field(default_factory=list)
    lenses: list[Lens] = field(default_factory=list)
    hints: list[Hint] = field(default_factory=list)
    tips: list[Tip] = field(default_factory=list)
    fixes: list[Fix] = field(default_factory=list)
    open: list[Open] = field(default_factory=list)
    programs: dict[str, str] = field(default_factory=dict)  # name → key


def key_of(sketch: Sketch) -> str:
    """A digest of all that a verdict depends on."""
    return sha256(str(replace(sketch, doc=None)).encode("utf-8", "surrogatepass")).hexdigest()


def look(text: str, path: str, known: Mapping[str, Judgement]) -> Findings:
    """What is to be said of a text, given judgements by key; a program without one is `open`."""
    found = Findings()
    source = Source(path, with_newlines(text))
    if len(text) > LARGEST_FILE:
        found.notes.append(_fault(source, diagnose("K003", most=LARGEST_FILE / 1e6)))
        return found
    try:
        readings = read_functions(source)
    except SketchError as error:
        found.notes += [_fault(source, d) for d in error.diagnostics if d.code != NO_SKETCH]
        return found
    faults = dict.fromkeys(fault for reading in readings for fault in reading.faults)
    found.notes += [_fault(source, fault) for fault in faults]
    for reading in readings:
        if reading.sketch is not None:
            _tell(found, source, reading.sketch, known)
    return found


def _fault(source: Source, fault: Diagnostic) -> Note:
    span = fault.span
    line = max(0, span.line - 1)
    start = max(0, span.column - 1)
    end = min(len(source.line(span.line)), start + span.width)
    return Note(Place(line, start, line, max(start, end)), ERROR, fault.code, harmless(f"{fault.what}\n{fault.why}\n{fault.fix}"))


def _tell(found: Findings, source: Source, sketch: Sketch, known: Mapping[str, Judgement]) -> None:
    """Add what is to be said of one program."""
    key = key_of(sketch)
    found.programs[sketch.name] = key
    line, place = top_line(source, sketch), name_place(source, sketch)
    judgement = known.get(key)
    if judgement is None:
        found.open.append(Open(sketch.name, key))
        found.lenses.append(Lens(line, "Kolahal: checking …"))
        return
    verdict, completion = judgement.verdict, judgement.completion
    program = Mechanism(sketch, completion).filled() if sketch.holes and completion is not None else sketch
    found.lenses.append(Lens(line, " · ".join(_lens_words(sketch, judgement))))
    explanation = _explain(verdict, program)
    found.hints += _hints(sketch, program, explanation)
    found.tips.append(Tip(Place(place.line, 0, place.line, place.end_column), _story(sketch, program, judgement, explanation)))
    found.tips += _draw_tips(program, explanation)
    note = _note(sketch, judgement, place)
    if note is not None:
        found.notes.append(note)
    found.fixes += _fixes(source, sketch, judgement, place)


def _lens_words(sketch: Sketch, judgement: Judgement) -> Iterator[str]:
    verdict, law = judgement.verdict, judgement.law
    said = describe_verdict(verdict, sketch.private.called).partition("\n")[0]
    if sketch.holes and judgement.completion is not None:
        yield f"{describe_completion(judgement.completion)}: {said}"
    else:
        yield said
    if law is not None and not isinstance(verdict, Unknown):
        yield f"law: {law}"


# ---------------------------------------------------------------- notes


def _note(sketch: Sketch, judgement: Judgement, place: Place) -> Note | None:
    """A verdict that is no proof, or the holes that are still open, as something to look at."""
    verdict = judgement.verdict
    remedy = advise(verdict, sketch)
    advice = [f"What to do: {remedy}."] if remedy else []
    said = describe_verdict(verdict, sketch.private.called)
    if sketch.holes:
        count = f"{len(sketch.holes)} hole{'' if len(sketch.holes) == 1 else 's'}"
        found = judgement.completion
        offer = f"{describe_completion(found)} is offered. {said}." if found is not None else f"no scales were found. {said}."
        severity = INFORMATION if isinstance(verdict, Proved) else WARNING
        return Note(place, severity, "holes", harmless("\n".join([f"{count}: {offer}", *advice])))
    match verdict:
        case Proved():
            return None
        case Refuted():
            lines = [f"{sketch.name} is not {sketch.budget.name}-private. The counterexample:", *counterexample_lines(verdict, sketch)]
            return Note(place, ERROR, "refuted", harmless("\n".join([*lines, *advice])))
        case Bounded():
            return Note(place, WARNING, "bounded", harmless("\n".join([f"{said}.", *advice])))
        case _:
            severity = ERROR if verdict.defect else WARNING
            return Note(place, severity, "unknown", harmless("\n".join([f"{said}.", *advice])))


# ---------------------------------------------------------------- proofs in words


def _explain(verdict: Verdict, program: Sketch) -> Explanation | None:
    proof = proof_of(verdict)
    return None if proof is None else explain(proof.document(), program)


def _costs(program: Sketch, explanation: Explanation | None) -> dict[tuple[int, int], list[str]]:
    """What each draw costs, in each of the cases of a proof, by its place."""
    found: dict[tuple[int, int], list[str]] = {}
    for story in () if explanation is None else explanation.stories:
        if len(story.moves) == len(program.draws) and all(move.line is not None for move in story.moves):
            for draw, move in zip(program.draws, story.moves, strict=True):
                found.setdefault(_at(draw), []).append(move.costs or "nothing")
    return {place: list(dict.fromkeys(costs)) for place, costs in found.items()}


def _at(draw: Draw) -> tuple[int, int]:
    return draw.span.line, draw.span.column


def _hints(sketch: Sketch, program: Sketch, explanation: Explanation | None) -> list[Hint]:
    """Behind each draw what it costs; at a hole also the scale that is offered."""
    costs = _costs(program, explanation)
    opened = {_at(draw) for draw in sketch.sites if draw.noise.open}
    scales = {
        _at(draw): f"{draw.noise.value}({draw.scale})" if _at(draw) in opened else str(draw.scale) for draw in program.draws
    }
    hints = []
    for draw in sketch.sites if explanation is not None else ():
        place = _at(draw)
        words = ["costs " + " or ".join(costs[place])] if place in costs else []
        if program is not sketch and draw in _hole_draws(sketch):
            words = [scales[place], *words] if place in scales else ["no noise is needed"]
        if words:
            hints.append(Hint(draw.span.line - 1, draw.span.column - 1 + draw.span.width, ", ".join(words)))
    return list(dict.fromkeys(hints))


def _hole_draws(sketch: Sketch) -> tuple[Draw, ...]:
    """The draws whose scale is a hole."""
    holes = set(map(id, sketch.holes))
    return tuple(draw for draw in sketch.sites if id(draw.scale) in holes)


def _draw_tips(program: Sketch, explanation: Explanation | None) -> Iterator[Tip]:
    """How the proof moves each draw."""
    for story in () if explanation is None else explanation.stories:
        if len(story.moves) != len(program.draws) or any(move.line is None for move in story.moves):
            return
        for draw, move in zip(program.draws, story.moves, strict=True):
            title = f"{story.title}: " if story.title else ""
            costs = f"; costs {move.costs}" if move.costs else ""
            line, column = draw.span.line - 1, draw.span.column - 1
            words = f"`{move.draw}`: {title}the neighbour's run gets this noise moved {move.moves}{costs}."
            yield Tip(Place(line, column, line, column + draw.span.width), harmless(words))


def _story(sketch: Sketch, program: Sketch, judgement: Judgement, explanation: Explanation | None) -> str:
    """The verdict, the law, and the proof or the counterexample, in Markdown."""
    said = describe_verdict(judgement.verdict, sketch.private.called)
    offer = f"{describe_completion(judgement.completion)}: " if sketch.holes and judgement.completion is not None else ""
    parts = [f"**{sketch.name}** {offer}{said}."]
    if judgement.law is not None:
        parts.append(f"Law: `{judgement.law}`.")
    if isinstance(judgement.verdict, Refuted):
        parts.append("```text\n" + "\n".join(counterexample_lines(judgement.verdict, program)) + "\n```")
    if explanation is not None:
        parts += explanation.opening
        for story in explanation.stories:
            parts += [f"*{story.title}.*"] if story.title else []
            parts += [story.opening] if story.opening else []
            parts += [_table([(str(m.line or ""), f"`{m.draw}`", m.moves, m.costs) for m in story.moves]), story.total]
        parts += explanation.closing
    return harmless("\n\n".join(part for part in parts if part))


def _table(rows: Sequence[tuple[str, ...]]) -> str:
    head = [("line", "noise", "moved", "costs"), ("---",) * 4]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in [*head, *rows])


# ---------------------------------------------------------------- remedies


def _fixes(source: Source, sketch: Sketch, judgement: Judgement, place: Place) -> list[Fix]:
    verdict, completion = judgement.verdict, judgement.completion
    found: list[Fix | None] = []
    if sketch.holes and completion is not None and isinstance(verdict, Proved):
        found.append(fill_holes(source, sketch, completion, place))
    elif isinstance(verdict, Refuted) and completion is not None and not sketch.holes:
        found.append(use_scales(source, sketch, completion, place))
    elif not isinstance(verdict, Proved | Refuted) and not sketch.holes:
        found.append(declare_count(source, sketch, place))
    return [fix for fix in found if fix is not None]
