"""No attack is taken for private, and no twin for broken.

`make test` asks the provers and the refuter alone; `make attacks` asks everything that gives a verdict, and emits.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest
from attack_table import ATTACKS, HERE, TWIN, TWINS, Entry, entries

from kolahal.checking import check
from kolahal.cli import main
from kolahal.emission.program import load_emitted
from kolahal.lang.read.parse import parse_source, read_functions
from kolahal.lang.scale import parse_scale
from kolahal.lang.sketch import Sketch
from kolahal.lang.source import Source
from kolahal.proof.find.bounded import prove_bounded
from kolahal.proof.find.lengths import prove_every_length
from kolahal.proof.refute.refute import refute
from kolahal.proof.trusted.bounded import WHOLE_VALUES
from kolahal.settings import Settings
from kolahal.verdicts import Bounded, Proved, Refuted, Verdict

SMALL = 3  # answers up to which the bounded proof is asked in `make test`
REFUSED = {"kinds-tuple_or_list", "kinds-noisy_tuple_or_list", "kinds-begun_list_or_written"}  # K220: never judged at all
LONG = {"loops-halving_twin"}  # takes most of a minute, so it is for `make attacks`
NAMES = sorted((HERE / "names").glob("*.py"))

def each(chosen):
    return [pytest.param(entry, id=_id(entry)) for entry in chosen]


def _id(entry: Entry | Path) -> str:
    return entry.stem if isinstance(entry, Path) else str(entry)


@cache
def sketches_of(path: Path) -> dict[str, Sketch | None]:
    """The functions of a file; None for those that are refused."""
    return {each.name: each.sketch for each in read_functions(Source(str(path), path.read_text(encoding="utf-8")))}


JUDGED = [entry for entry in ATTACKS if str(entry) not in REFUSED]


def sketch_of(entry: Entry) -> Sketch:
    sketch = sketches_of(entry.path)[entry.name]
    assert sketch is not None, f"{entry} is refused"
    return sketch


def covers(verdict: Verdict, entry: Entry) -> bool:
    """Whether what a verdict says of privacy is said of the neighbours on which this attack succeeds."""
    if isinstance(verdict, Proved):
        return True
    if not isinstance(verdict, Bounded):
        return False
    witness = entry.witness()
    wholes = [witness.given[name] for name, kind in entry.program.arguments.items() if kind == "int"]
    return len(witness.one) <= verdict.scope.size and all(n in WHOLE_VALUES for n in wholes)


# ---------------------------------------------------------------- the table itself


def test_every_attack_has_a_twin_and_a_truth():
    names = {(entry.path, entry.name) for entry in entries()}
    assert len(ATTACKS) + sum(not path.stem.endswith(TWIN) for path in NAMES) >= 150
    for entry in ATTACKS:
        assert (entry.path, entry.name + TWIN) in names, f"{entry} has no twin"
        assert entry.truth.startswith("not private"), entry
        assert entry.witness()
    assert all(entry.truth.startswith("private") for entry in TWINS)
    assert len(ATTACKS) == len(TWINS)


def test_brute_force_reaches_most_truths():
    assert sum(bool(entry.by_hand) for entry in entries()) <= 0.05 * len(entries())


# ---------------------------------------------------------------- in `make test`


def test_some_attacks_are_refused_before_anything_is_judged():
    """That is as good as a verdict, where it is meant."""
    assert {str(entry) for entry in entries() if sketches_of(entry.path)[entry.name] is None} == REFUSED


@pytest.mark.parametrize("entry", each(JUDGED))
def test_no_attack_is_proved(entry):
    sketch = sketch_of(entry)
    assert not isinstance(prove_every_length(sketch), Proved)
    size = len(entry.databases[0])
    if size <= SMALL:
        assert not covers(prove_bounded(sketch, size=None if sketch.private.count else size), entry)


@pytest.mark.parametrize("entry", each([twin for twin in TWINS if str(twin) not in LONG]))
def test_no_twin_is_refuted(entry):
    sketch = sketch_of(entry)
    assert not isinstance(refute(sketch, parse_scale(sketch.epsilon.name), Settings()), Refuted)


@pytest.mark.parametrize("path", each([path for path in NAMES if not path.stem.endswith(TWIN)]))
def test_a_name_that_means_something_else_is_refused(path, capsys):
    assert main(["show", str(path)]) == 2
    assert path.name in capsys.readouterr().err


@pytest.mark.parametrize("path", each([path for path in NAMES if path.stem.endswith(TWIN)]))
def test_other_names_are_free(path, capsys):
    assert main(["show", str(path)]) == 0


def test_an_import_under_another_name_is_what_it_imports():
    """`from kolahal import Exp as Lap` is honest Python: the noise is Exp, whatever it is called here."""
    text = (HERE / "names" / "assigned_twin.py").read_text(encoding="utf-8")
    renamed = text.replace("Exp, Lap, ", "").replace("lap = Exp", "from kolahal import Exp as Lap")
    (honest,), (sketch,) = (parse_source(Source("here.py", part)) for part in (text, renamed))
    assert isinstance(prove_every_length(honest), Proved)
    assert not isinstance(prove_every_length(sketch), Proved | Bounded)


# ---------------------------------------------------------------- in `make attacks`


@pytest.mark.attacks
@pytest.mark.parametrize("entry", each([entry for entry in ATTACKS if not entry.by_hand]))
def test_brute_force_confirms_the_attack(entry):
    assert entry.is_broken()


@pytest.mark.attacks
@pytest.mark.parametrize("entry", each([entry for entry in TWINS if not entry.by_hand]))
def test_brute_force_finds_nothing_against_the_twin(entry):
    assert entry.violations() == []


@pytest.mark.attacks
@pytest.mark.parametrize("entry", each(JUDGED))
def test_no_attack_is_judged_private(entry):
    found = check(sketch_of(entry))
    assert not covers(found.verdict, entry)
    assert found.epsilon_upper is None or found.epsilon_lower <= found.epsilon_upper


@pytest.mark.attacks
@pytest.mark.parametrize("entry", each(TWINS))
def test_no_twin_is_judged_broken(entry):
    assert not isinstance(check(sketch_of(entry)).verdict, Refuted)


@pytest.mark.attacks
@pytest.mark.parametrize("entry", each(ATTACKS))
def test_no_attack_is_emitted_as_private(entry, tmp_path):
    """Nothing is written, or a program that refuses the inputs on which the attack succeeds."""
    out = tmp_path / "private.py"
    code = main(["emit", f"{entry.path}:{entry.name}", "--out", str(out)])
    assert code != 0
    if not out.exists():
        return
    witness = entry.witness()
    given = {name: float(x) if isinstance(x, Fraction) else x for name, x in witness.given.items()}
    with pytest.raises((ValueError, TypeError)):
        load_emitted(out.read_text(encoding="utf-8"))([float(x) for x in witness.one], **given)
