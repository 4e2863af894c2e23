"""Programs of all kinds, for what is looked at in many of them."""

from __future__ import annotations

import ast
import random
from functools import cache
from pathlib import Path

from computed_programs import COMPUTED, WATCHED
from draw_programs import DRAWS
from every_length import BROKEN, PRIVATE, load
from named_programs import BROKEN as BROKEN_NAMED
from named_programs import ODD as ODD_NAMED
from named_programs import PROVED as PROVED_NAMED
from named_programs import Namer, text
from odd_programs import ODD, RULED
from small_programs import SMALL
from streams import Writer

from kolahal.lang.sketch import Sketch
from kolahal.lang.source import SketchError
from kolahal.sketches.gallery import GALLERY, load_one
from list_programs import ListWriter

TESTS = Path(__file__).parent.parent
GENERATED = [seed for seed in range(24) if seed not in (3, 10, 17, 18)]  # without those with the most paths
FEW_PATHS = (5, 7, 19, 24, 28, 30, 41, 52, 59)  # of programs that name noise


@cache
def corpus() -> dict[str, dict[str, Sketch]]:
    """All programs, by where they come from."""
    gallery = {name: load_one(name).complete(*entry.textbook[0]).filled() for name, entry in GALLERY.items()}
    named = {name: text(*given) for name, given in PROVED_NAMED.items()}
    named |= {name: text("each_within", body) for name, body in (BROKEN_NAMED | ODD_NAMED).items()}
    return {
        "gallery": gallery,
        "gallery, whole": {name: sketch.discretised() for name, sketch in gallery.items()},
        "odd": {name: load(shown) for name, shown in ODD.items()},
        **{f"private {part}": _loaded(dict(list(PRIVATE.items())[part::3])) for part in range(3)},
        **{f"broken {part}": _loaded(dict(list(BROKEN.items())[part::3])) for part in range(3)},
        **{path.stem: _attacks(path) for path in sorted((TESTS / "known/attacks/programs").glob("*.py"))},
        "streams": _loaded({f"seed {seed}": Writer(random.Random(seed)).program() for seed in GENERATED}),
        "lists": _loaded(
            {f"seed {seed}": ListWriter(random.Random(seed), seed % 2 == 0).program() for seed in GENERATED}
        ),
        "named": _loaded(named),
        "ruled": {name: load(shown) for name, shown in RULED.items()},
        "draws": {name: load(shown) for name, shown in DRAWS.items()},
        "computed": {name: load(shown) for name, shown in COMPUTED.items()},
        "watched": {name: load(shown) for name, shown in WATCHED.items()},
        "small": {name: load(shown) for name, shown in SMALL.items()},
        "names": _loaded({f"seed {seed}": Namer(random.Random(seed)).program() for seed in FEW_PATHS}),
    }


def _loaded(texts: dict[str, str]) -> dict[str, Sketch]:
    """What the language takes of some texts."""
    found = {}
    for name, shown in texts.items():
        try:
            found[name] = load(shown)
        except SketchError:
            continue  # a name that is always None, mostly
    return found


def _attacks(path: Path) -> dict[str, Sketch]:
    text = path.read_text(encoding="utf-8")
    functions = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    return _loaded({node.name: ast.unparse(node) for node in functions})
