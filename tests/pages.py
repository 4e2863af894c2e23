"""The pages that are generated: one for each sketch of the gallery, the API reference, and the README's picture."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from fractions import Fraction
from typing import Any

import kolahal
from kolahal import check, synthesize
from kolahal.display import ShownCheck, ShownSynthesis
from kolahal.lang.scale import Scale, parse_filling
from kolahal.lang.sketch import Sketch
from kolahal.model import Accuracy
from kolahal.report.svg import escape
from kolahal.results import Judged, Law, describe_completion
from kolahal.sketches.gallery import BEYOND, FOLDER, GALLERY, RECORDS, load_one
from kolahal.verdicts import Bounded, Proved, Refuted, Unknown

# ---------------------------------------------------------------- the gallery

PAGE = """\
# {paper_name}

{what}

```python {name}.py
{sketch}
```

## Scales

```console
$ kolahal synth {name}.py
{synth}```

The first column of the table marks the pick; *loss/ε* is the part of the budget that is used; what *error* is stands below the
table. With `--second-opinion` there is a p-value too, of a test that shares nothing with the proof.

## Why the pick is private

```python pick.py
{pick}```

```console
$ kolahal check pick.py
{proof}```

[Why such shifts are a proof](../theory.md), and [how it reaches every length](../theory-lengths.md).

## With half the noise at one place

```python too_little.py
{too_little}```

```console
$ kolahal check too_little.py | head -10
{refuted}```
"""


def gallery_page(name: str, best: str) -> str:
    """The page of a sketch and its best completion, as it is printed; without what the blocks of the page print."""
    source = (FOLDER / f"{name}.py").read_text(encoding="utf-8")
    imports = next(line for line in source.splitlines() if line.startswith("from kolahal import"))
    shown = imports + "\n\n" + source[source.index("@sketch(") :].strip() if name not in RECORDS else source.split('"""', 2)[2].strip()
    titles = {**BEYOND, **RECORDS}
    what = re.sub(r"^\w+ of the paper: ", "", source.split('"""')[1].strip())
    scales = [_read(text) for text in best[1:-1].split(", ")]
    return PAGE.format(
        name=name,
        paper_name=f"{titles[name] if name in titles else GALLERY[name].paper_name}: `{name}`",
        what=what[0].upper() + what[1:],
        sketch=shown,
        pick=_imports(str(load_one(name).complete(*scales))),
        too_little=_imports(str(load_one(name).complete(*_halved(scales)))),
        synth="",
        proof="",
        refuted="",
    )


def find_best(name: str) -> str:
    """The best completion of a sketch as it is printed."""
    found = synthesize(load_one(name)).best
    assert found is not None
    return describe_completion(found.ranked.completion)


def best_of_page(page: str) -> str:
    """The completion that a page says is the best."""
    found = re.search(r"^Best: (\(.*?\))  Proved", page, re.MULTILINE)
    assert found is not None
    return found[1]


def _read(printed: str) -> Scale:
    """A scale from the way in which people read it."""
    plain = re.sub(r"\|(\w+)\|", r"len(\1)", printed.replace("·", "*").replace("ε", "eps"))
    return parse_filling(plain)


def _halved(scales: list[Scale]) -> Iterator[Scale]:
    """The first noise halved."""
    first = next(place for place, scale in enumerate(scales) if scale)
    for place, scale in enumerate(scales):
        yield replace(scale, coefficient=scale.coefficient / 2) if place == first else scale


def _imports(program: str) -> str:
    code = program.split('"""')[0] + program.split('"""')[-1]
    used = [name for name in kolahal.__all__ if re.search(rf"\b{name}\b", code)]
    rows = [name for name in ("Literal", "NamedTuple") if re.search(rf"\b{name}\b", code)]
    typing = f"from typing import {', '.join(rows)}\n\n" if rows else ""
    return f"{typing}from kolahal import {', '.join(sorted(used, key=lambda n: (n[0].islower(), n)))}\n\n{program}"


def without_output(page: str) -> str:
    """A page without what its commands and its programs print."""
    page = re.sub(r"(?m)^(\$ .*\n)(?:(?!```|\$ ).*\n)*", r"\1", page)
    return re.sub(r"(?ms)^```text\n.*?^```", "```text\n```", page)


# ---------------------------------------------------------------- the API reference

SECTIONS: dict[str, tuple[Any, ...]] = {
    "Writing sketches": (
        "sketch", "Private", "Epsilon", "hole", "Lap", "Exp", "DiscreteLap", "Geometric", "DiscreteExp", "Flip", "Pick", "choose", "Noise",
        "each_within", "one_within", "sum_within", "monotone",
    ),
    "Other budgets": ("Rho", "Mu", "Delta", "Gauss", "DiscreteGauss", "gdp", "sqrt"),
    "Records": ("Records", "Between", "add_remove", "replace", "clip"),
    "Working with them": ("synthesize", "synthesize_plain", "tune", "check", "emit", "Sketch", "Mechanism", "Scale", "parse_scale", "Settings", "Grammar"),
    "Results": (ShownSynthesis, Judged, Law, Accuracy, ShownCheck, Proved, Bounded, Refuted, Unknown),
    "Errors": ("KolahalError", "UsageError", "SettingsError"),
}  # fmt: skip
NOTES = {
    "hole": "Stands for a scale that Kolahal is to find.",
    "Lap": "Laplace noise of this scale.",
    "Exp": "Exponential noise of this scale, never below 0.",
    "DiscreteLap": "Laplace noise on the whole numbers.",
    "DiscreteExp": "Exponential noise on the whole numbers.",
    "Geometric": "Laplace noise on the whole numbers, as the geometric mechanism has it.",
    "Flip": "A coin of this scale: True with probability 1/(1 + e^(1/scale)).",
    "Gauss": "Gaussian noise of this standard deviation.",
    "Noise": "Noise of a family that Kolahal is to find, too: only `Noise(hole)`.",
    "DiscreteGauss": "Gaussian noise on the whole numbers.",
}  # these exist only inside sketches, and have no docstring at run time


def api_page() -> str:
    """Signatures and docstrings of the public names."""
    named = {name for names in SECTIONS.values() for name in names if isinstance(name, str)}
    assert named == set(kolahal.__all__), "a public name is in no section, or a section has one that does not exist"
    lines = [
        "# API reference",
        "",
        "Made from the docstrings by `make golden`. All names without a module are in `kolahal`.",
        "",
    ]
    for title, names in SECTIONS.items():
        lines += [f"## {title}", ""]
        for name in names:
            value = getattr(kolahal, name) if isinstance(name, str) else name
            lines += (
                _entry(name, value) if isinstance(name, str) else _entry(f"{value.__module__}.{value.__name__}", value)
            )
    return "\n".join(lines).rstrip() + "\n"


def _entry(name: str, value: Any) -> list[str]:
    doc = (NOTES.get(name) or inspect.getdoc(value) or "").partition(">>>")[0].strip()
    assert doc, f"{name} has no docstring"
    called = f"{name}(scale)" if name in NOTES and name != "hole" else name + _signature(value)
    lines = [f"### `{called}`", "", doc, ""]
    if inspect.isclass(value) and value.__module__.startswith("kolahal") and not issubclass(value, Exception):
        lines += [f"- `{part}`: {_first_line(text)}" for part, text in _members(value)]
        lines += [""] if lines[-1] else []
    return lines


def _signature(value: Any) -> str:
    if inspect.isclass(value) or not callable(value):
        return ""
    signature = inspect.signature(value)
    plain = [p.replace(annotation=inspect.Parameter.empty) for p in signature.parameters.values()]
    return str(signature.replace(parameters=plain, return_annotation=inspect.Signature.empty))


def _members(value: Any) -> Iterator[tuple[str, str]]:
    """The fields, properties and methods of a class that have a name for users."""
    if is_dataclass(value):
        yield from ((f.name, str(f.type)) for f in fields(value) if not f.name.startswith("_"))
    ours = [kind for kind in reversed(value.__mro__) if kind.__module__.startswith("kolahal")]
    for name, member in (item for kind in ours for item in vars(kind).items()):
        doc = inspect.getdoc(member.fget if isinstance(member, property) else member)
        if doc and not name.startswith("_") and (isinstance(member, property) or inspect.isfunction(member)):
            yield (
                name
                if isinstance(member, property)
                else name + _signature(member).replace("(self, ", "(").replace("(self)", "()"),
                doc,
            )


def _first_line(text: str) -> str:
    return text.split("\n")[0]


# ---------------------------------------------------------------- the picture

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 780, 430, 64, 256, 52, 56
LARGEST = 8  # scales from 1/ε to 8/ε
PROVED, REFUTED, SMALL = "proved for every length", "refuted", "bounded: short lists only"
Verdicts = dict[tuple[int, int], str]


def judge_scales(sketch: Sketch, places: list[tuple[int, int]]) -> Verdicts:
    """What `check` says of (a/ε, b/ε)."""
    return {(a, b): _word(check(sketch.complete(f"{a}/eps", f"{b}/eps"))) for a, b in places}


def _word(found: ShownCheck) -> str:
    match found.verdict:
        case Proved():
            return PROVED
        case Bounded():
            return SMALL
        case Refuted():
            return REFUTED
        case Unknown(reason):
            raise AssertionError(reason)


def draw_verdicts(law: str, verdicts: Verdicts, picked: list[tuple[int, int]]) -> str:
    """The plane of both scales: the law's curve, and what was proved and refuted. On a card, for light and dark pages."""
    first, second = (Fraction(n) for n in re.findall(r"(\d+)/eta", law))
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM

    def x(value: float) -> float:
        return LEFT + (value - 0.5) / LARGEST * (right - LEFT)

    def y(value: float) -> float:
        return bottom - (value - 0.5) / LARGEST * (bottom - TOP)

    high = LARGEST + 0.5
    low = float(first / (1 - second / Fraction(high)))  # where the curve enters at the top
    steps = [low + (high - low) * (i / 48) ** 2 for i in range(49)]
    curve = " ".join(f"{x(a):.1f},{y(float(second) / (1 - float(first) / a)):.1f}" for a in steps)
    parts = [
        f'<rect x="1" y="1" width="{WIDTH - 2}" height="{HEIGHT - 2}" rx="10" fill="#fbfaf7" stroke="#c9c4b8"/>',
        f'<text x="{LEFT}" y="30" class="t">Above threshold: which noise is enough?</text>',
        f'<polygon points="{curve} {x(high):.1f},{y(high):.1f}" fill="#15803d" fill-opacity=".1"/>',
        f'<polyline points="{curve}" fill="none" stroke="#15803d" stroke-width="2"/>',
        f'<path d="M{LEFT} {TOP}V{bottom}H{right}" fill="none" stroke="#57534e"/>',
    ]
    for tick in range(1, LARGEST + 1):
        parts.append(f'<text x="{x(tick):.1f}" y="{bottom + 18}" text-anchor="middle">{tick}/ε</text>')
        parts.append(f'<text x="{LEFT - 8}" y="{y(tick) + 4:.1f}" text-anchor="end">{tick}/ε</text>')
    middle = (TOP + bottom) / 2
    parts.append(
        f'<text x="{(LEFT + right) / 2}" y="{HEIGHT - 14}" text-anchor="middle">noise on the threshold, η1</text>'
    )
    parts.append(
        f'<text transform="translate(18 {middle}) rotate(-90)" text-anchor="middle">noise on each query, η2</text>'
    )
    for (a, b), word in verdicts.items():
        parts.append(f"<g>{_mark(x(a), y(b), word)}<title>{a}/ε, {b}/ε: {word}</title></g>")
    for place, (a, b) in enumerate(picked, 1):
        parts.append(
            f'<circle cx="{x(a):.1f}" cy="{y(b):.1f}" r="11" fill="none" stroke="#b45309" stroke-width="2.5"/>'
        )
        parts.append(f'<text x="{x(a):.1f}" y="{y(b) - 15:.1f}" text-anchor="middle" class="b">{place}</text>')
    side = right + 24
    parts.append(f'<text x="{side}" y="{TOP + 10}" class="b">the law that was found</text>')
    parts.append(f'<text x="{side}" y="{TOP + 30}" fill="#15803d">{escape(_pretty(law))}</text>')
    count = {word: sum(v == word for v in verdicts.values()) for word in (PROVED, REFUTED, SMALL)}
    for row, word in enumerate(w for w in count if count[w]):
        at = TOP + 66 + 24 * row
        parts.append(f'{_mark(side + 6, at - 4, word)}<text x="{side + 20}" y="{at}">{count[word]} {word}</text>')
    for row, (a, b) in enumerate(picked):
        at = TOP + 160 + 28 * row
        parts.append(f'<circle cx="{side + 8}" cy="{at - 4}" r="9" fill="none" stroke="#b45309" stroke-width="2.5"/>')
        parts.append(f'<text x="{side + 8}" y="{at}" text-anchor="middle" class="b">{row + 1}</text>')
        parts.append(f'<text x="{side + 26}" y="{at}">answer {row + 1}: ({a}/ε, {b}/ε)</text>')
    style = "text{font:13px system-ui,sans-serif;fill:#292524}.t{font-size:17px;font-weight:600}.b{font-weight:600}"
    title = "Every pair of scales for above threshold, judged"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img" '
        f'aria-label="{title}"><title>{title}</title><style>{style}</style>\n' + "\n".join(parts) + "\n</svg>\n"
    )


def _mark(x: float, y: float, word: str) -> str:
    if word == REFUTED:
        return f'<path d="M{x - 5:.1f} {y - 5:.1f}l10 10m0 -10l-10 10" stroke="#b91c1c" stroke-width="2.5"/>'
    fill = "#15803d" if word == PROVED else "#fbfaf7"
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{fill}" stroke="#15803d" stroke-width="2"/>'


def _pretty(law: str) -> str:
    return law.replace("eta", "η").replace("eps", "ε").replace("<=", "≤")


def read_verdicts(picture: str) -> Verdicts:
    """The verdicts that a picture shows."""
    return {(int(a), int(b)): word for a, b, word in re.findall(r"<title>(\d+)/ε, (\d+)/ε: (.*?)</title>", picture)}
