"""What may be said of a program that is handed out, and to which inputs it must keep for that to be true."""

from __future__ import annotations

import textwrap

from kolahal.errors import KolahalError, UsageError
from kolahal.lang.noise import Noise
from kolahal.lang.pretty import print_expression
from kolahal.lang.read.parse import parse
from kolahal.lang.records.moves import RecordRelation
from kolahal.lang.scale import parse_scale
from kolahal.lang.sketch import Sketch, Type, Variant
from kolahal.nouns import dataclass
from kolahal.verdicts import AtLeast, Certificate, NoTies

WIDTH = 110
NOT_CHECKED = "Unknown: nobody has checked this program yet."
PROVED, BOUNDED, NOTHING = "proved", "bounded", "nothing"  # kinds of promises


@dataclass(frozen=True, slots=True)
class Promise:
    """What is known of a program. A claim comes with its proof, whose shifts the grid of the noise must contain."""

    kind: str = NOTHING
    text: str = NOT_CHECKED  # the verdict in words
    certificate: Certificate | None = None
    assumed: tuple[AtLeast | NoTies, ...] = ()
    most: int | None = None  # private answers
    values: tuple[int, int] | None = None  # of every whole argument, the least and the largest

    @property
    def claims(self) -> bool:
        return self.kind != NOTHING


@dataclass(frozen=True, slots=True)
class AcceptedRange:
    """The values of a whole argument that a program accepts."""

    name: str
    least: int
    most: int | None = None

    def __str__(self) -> str:
        return f"{self.name} >= {self.least}" if self.most is None else f"{self.name} from {self.least} to {self.most}"


def find_limits(program: Sketch, promise: Promise) -> tuple[AcceptedRange, ...]:
    """What a program has to refuse so that a promise is kept: what it requires itself, and what the proof assumes."""
    least = dict.fromkeys(program.required, 1)
    whole = [p.name for p in program.arguments if p.type is Type.INT]
    for assumed in promise.assumed:
        if isinstance(assumed, NoTies):  # which the plan of its grid refuses
            continue
        if assumed.name not in whole:
            raise UsageError(f"{program.name} cannot be emitted: nobody would enforce what its proof assumes, {assumed}")
        least[assumed.name] = max(least.get(assumed.name, assumed.least), assumed.least)
    if promise.values is not None:
        return tuple(
            AcceptedRange(name, max(promise.values[0], least.get(name, promise.values[0])), promise.values[1]) for name in whole
        )
    return tuple(AcceptedRange(name, least[name]) for name in whole if name in least)


def check_proof(program: Sketch, promise: Promise, claim: str) -> Certificate:
    """The proof of a promise, unless it is of another program, or of a weaker claim."""
    certificate = promise.certificate or Certificate("")
    try:
        document = certificate.document()
        proved, claimed = parse_scale(document["claim"]), parse_scale(claim.partition(",")[0])
        shifts = document.get("sizes") or document.get("proof", document)["cases"]
        same_program = parse(document["program"]) == program and isinstance(shifts, list)
    except (ValueError, LookupError, TypeError, AttributeError, KolahalError):
        raise UsageError(f"{program.name} cannot be emitted: what is promised of it has no certificate") from None
    if not same_program:
        raise UsageError(f"{program.name} cannot be emitted: its certificate is about another program; check this one")
    if proved.powers != claimed.powers or proved.coefficient > claimed.coefficient:
        raise UsageError(
            f"{program.name} cannot be emitted: its certificate is for {proved}, not for {claimed}; check it with that claim"
        )
    return certificate


# ---------------------------------------------------------------- in words


def describe(
    program: Sketch,
    promise: Promise,
    off_grid: tuple[str, ...],
    limits: tuple[AcceptedRange, ...],
    claim: str,
    command: str,
    version: str,
) -> str:
    """The docstring of an emitted program."""
    noise = dict.fromkeys(map(print_expression, program.draws))
    drawn = (
        f"Noise. {', '.join(noise) if noise else 'None'}. It is discrete, drawn exactly with the operating system's randomness, on a "
        "grid with at least 2**40 steps a scale; private answers are rounded to the grid, and all arithmetic is exact."
        + (" Gaussian noise is normal noise that is rounded to the grid." if _has_normal(program) else "")
    )
    costs = f" A second call: each call spends {claim} again."
    paragraphs = [
        _title(program, promise, limits),
        *([_claim(program, promise, limits, claim)] if promise.claims else []),
        f"Verdict. {promise.text}",
        f"To find out again: {command}",
        *([_assumed(program)] if program.private.table is not None else []),
        drawn + (" Comments below say why this keeps the claim." if promise.claims else ""),
        "Not covered. How long a run takes and what it leaves in memory. That an input is refused, or that a run stops with an error."
        + (costs if promise.claims else ""),
        *([_refused(program, promise, limits)] if _refused(program, promise, limits) else []),
        *(
            [f"Off the grid. What is proved of real noise would not hold for this file: {'; '.join(off_grid)}"]
            if off_grid
            else []
        ),
        "To test the noise, and the program with fixed noise: python FILE --self-test",
        f"Written by kolahal {version}.",
    ]
    return "\n\n".join(
        textwrap.fill(text, WIDTH, break_long_words=False, break_on_hyphens=False) for text in paragraphs
    )


def _has_normal(program: Sketch) -> bool:
    return program.variant is not Variant.ZCDP and any(draw.noise is Noise.GAUSS for draw in program.draws)


def _assumed(program: Sketch) -> str:
    """What is taken for granted of the records."""
    assert isinstance(program.adjacency, RecordRelation)
    count = program.adjacency.count
    most = "one record" if count == 1 else f"{count} records"
    return (
        f"Assumed, and not enforced: one person has at most {most} in {program.private.called}. Values outside the bounds of a "
        "field are moved to the nearer bound; what is not a number, a truth value or a label of its field is refused."
    )


def _title(program: Sketch, promise: Promise, limits: tuple[AcceptedRange, ...]) -> str:
    if not promise.claims:
        return f"{program.name}: a program with noise; nothing is claimed about its privacy."
    if promise.kind == BOUNDED:
        bounds = _bounds(program, promise, limits)
        return f"{program.name}: a program that answers with differential privacy for {bounds}, and refuses others."
    return f"{program.name}: a program that answers with differential privacy."


def _bounds(program: Sketch, promise: Promise, limits: tuple[AcceptedRange, ...]) -> str:
    """Up to where a bounded proof reaches: at most 4 private answers and N from 1 to 3."""
    count = program.private.count
    answers = f"at most {promise.most} private answers" if count is None else f"its {count} private answers"
    return " and ".join([answers, *(str(limit) for limit in limits if limit.most is not None)])


def _claim(program: Sketch, promise: Promise, limits: tuple[AcceptedRange, ...], claim: str) -> str:
    q, eps = program.private.called, program.budget.name
    kind = "bits" if program.private.bits else "whole answers" if program.private.whole else "answers"
    if program.private.table is not None:
        lists = f"two lists {q} of any number of records"
    elif program.private.count is not None:
        lists = f"two lists {q} of {program.private.count} {kind} each"
    elif promise.most is not None:
        lists = f"two lists {q} of equal length, with at most {promise.most} {kind},"
    else:
        lists = f"two lists {q} of equal length" + (f", of {kind}," if program.private.whole else "")
    limited = {limit.name for limit in limits}
    free = [p.name for p in program.arguments if p.name not in limited]
    every = " and ".join([f"every {eps} above 0", *(f"every {limit}" for limit in limits)])
    whatever = f", whatever {' and '.join(free)} {'is' if len(free) == 1 else 'are'}" if free else ""
    says = (
        f"for every set of outputs, its probability on one of them is at most exp({claim}) times its probability on the other"
        if program.variant is Variant.PURE
        else other_claim(program, claim)
    )
    return f"Claim. Take {lists} that are neighbours: {program.adjacency.describe()}. Then, for {every}{whatever}, and {says}."



def _refused(program: Sketch, promise: Promise, limits: tuple[AcceptedRange, ...]) -> str:
    """The inputs that are refused because nothing is known of them, or because the program does not declare them."""
    found = [*map(str, limits), *map(print_expression, program.asserted)]
    q = program.private.name
    if program.private.table is not None:
        pass  # aggregates are what they are
    elif program.private.count is not None:
        found.append(f"{q} with exactly {program.private.count} answers")
    elif promise.most is not None:
        found.append(f"{q} with at most {promise.most} answers")
    if program.private.whole:
        found.append(f"{'truth values' if program.private.bits else 'whole answers'} in {q}")
    return f"Accepted, everything else is refused: {', '.join(found)}." if found else ""


def other_claim(program: Sketch, claim: str) -> str:
    """What a claim other than ε says of two neighbours, to be read behind "Then, for every …"."""
    if program.delta is not None:
        eps = program.budget.name
        return f"for every set of outputs, its probability on one of them is at most exp({eps}) times its probability on the other, plus {program.delta.name}"
    if program.variant is Variant.GDP:
        return (
            "every test that tells the outputs on the one from those on the other errs at least as often as the best test of the "
            f"normal laws N(0, 1) and N(m, 1), m = {claim}: Gaussian differential privacy"
        )
    return (
        f"for every order a > 1, the Renyi divergence of order a between the outputs on the one and on the other is at most "
        f"a * ({claim}): zero-concentrated differential privacy"
    )
