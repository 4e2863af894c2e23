"""The gallery: the paper's nine, their noiseless originals, and their textbook answers."""

import ast
import random

import pytest

from kolahal.errors import UsageError
from kolahal.lang.read.parse import parse
from kolahal.sketches.gallery import FOLDER, GALLERY, NAMES, load, load_one

HOLES = {
    "histogram": 1, "sum": 1, "noisy_max_1": 1, "noisy_max_2": 2, "exp_noisy_max": 2, "smart_sum": 2, "svt": 2,
    "above_threshold_1": 2, "above_threshold_2": 3,
}  # fmt: skip


def test_the_nine_of_the_paper():
    assert set(GALLERY) == set(HOLES)
    assert {path.stem for path in FOLDER.glob("*.py")} == set(NAMES) | {"__init__", "gallery"}


@pytest.mark.parametrize("name", GALLERY)
def test_a_sketch_of_the_gallery(name):
    sketch = load_one(name)
    assert sketch.name == name
    assert sketch.doc
    assert len(sketch.holes) == HOLES[name]
    assert parse(str(sketch)) == sketch
    assert load(str(FOLDER / f"{name}.py")) == (sketch,)
    assert load_one(f"{FOLDER / name}.py:{name}") == sketch


@pytest.mark.parametrize("name", GALLERY)
def test_textbook_answers_are_completions(name):
    sketch = load_one(name)
    for textbook in GALLERY[name].textbook:
        mechanism = sketch.complete(*textbook)
        assert parse(str(mechanism)) == mechanism.filled()
        assert len(mechanism.filled().draws) == sum(scale is not None for scale in textbook)


@pytest.mark.parametrize("name", GALLERY)
def test_without_noise_a_sketch_is_the_original_beside_it(name):
    tree = ast.parse((FOLDER / f"{name}.py").read_text())
    (original,) = [node for node in tree.body if isinstance(node, ast.FunctionDef) and not node.decorator_list]
    assert original.name == f"{name}_original"
    assert not [node for node in ast.walk(original) if isinstance(node, ast.Name) and node.id in ("Lap", "Exp", "hole")]
    names = {}
    exec(compile(ast.Module([original], []), name, "exec"), names)
    sketch = load_one(name)
    silent = sketch.complete(*[None] * len(sketch.holes))
    public = {"T": 1.5, "N": 2, "M": 2}
    arguments = {p.name: public[p.name] for p in sketch.arguments}
    rng = random.Random(0)
    for _ in range(30):
        database = [rng.randint(-4, 4) / 2 for _ in range(rng.randint(0, 6))]
        assert silent(database, eps=1, **arguments) == names[original.name](database, **arguments)


def test_names_that_are_not_there():
    with pytest.raises(UsageError, match=r"(?s)no sketch called 'median'; did you mean noisy_median\?.*above_threshold_1"):
        load("median")


def test_a_file_with_several_sketches_needs_a_name(tmp_path):
    path = tmp_path / "two.py"
    one = "@sketch(each_within(1))\ndef {}(q: Private, eps: Epsilon):\n    return 0\n\n"
    path.write_text(one.format("a") + one.format("b"))
    with pytest.raises(UsageError, match="choose one"):
        load_one(str(path))
    assert load_one(f"{path}:b").name == "b"
