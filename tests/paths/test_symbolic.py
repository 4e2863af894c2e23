"""Symbolic = reference: of all paths of a program, a concrete run is on exactly one, and gets that path's answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import programs
from examples import ALL, some
from kolahal.engine import reference
from kolahal.engine.faults import RunError
from kolahal.lang.noise import Noise
from kolahal.lang.read.parse import parse
from kolahal.lang.sketch import Sketch, Type
from kolahal.logic.linear import Inequality, LinearForm, Number, variable
from kolahal.logic.simplex import find_point, find_supremum, minimise, pinned
from kolahal.model import Arguments, type_of
from kolahal.paths.explore import explore
from kolahal.paths.state import Fault, Path, Paths, Value, affine_parts
from kolahal.paths.unknowns import Affine, AnswerAt, Argument, Indeterminate, NoiseAt, Public
from kolahal.sketches.gallery import GALLERY, load_one
from kolahal.verdicts import Unknown
from strategies import Case, cases

HEAD = "from kolahal import *\n@sketch(adjacent=each_within(1))\n"

ODD = {
    "loops": """def p(q: Private, N: int, eps: Epsilon):
    out = []
    i = 0
    while True:
        j = 0
        while j < N:
            j = j + 1
            if q[i] + Lap(hole) > j:
                continue
            if j == 2:
                break
            out.insert(0, j)
        i = i + 1
        if i >= len(q) or len(out) > 3:
            break
    return out
""",
    "draws_in_conditions": """def p(q: Private, T: float, eps: Epsilon):
    k = 0
    while k < 3 and Lap(hole) + q[0] > T:
        k = k + 1
    return k, T + 1
""",
    "extremes": """def p(q: Private, T: float, eps: Epsilon):
    low = min(q[0], q[1] + Exp(hole), T)
    high = max(q[0] + Lap(hole), abs(q[1] - T), 2)
    return [high - low, low > high, None]
""",
    "equality": """def p(q: Private, eps: Epsilon):
    x = q[0] + DiscreteLap(hole)
    if x == 1 or x != 2 * q[1]:
        return x
    if q[0] == q[1]:
        return True
    return 1
""",
    "public_terms": """def p(q: Private, T: float, U: float, eps: Epsilon):
    t = T * U + (T + 1) / (2 * eps) + Lap(hole)
    if q[0] > t and T > 0:
        return t * 2
    return T * U
""",
    "faults": """def p(q: Private, N: int, eps: Epsilon):
    v = None
    if q[0] + Lap(hole) > 0:
        v = q[N]
    if q[0] > 2:
        return 1 // (N - 1)
    return v + 1
""",
    "nested_lists": """def p(q: Private, N: int, eps: Epsilon):
    a = [x + Lap(hole) for x in q]
    b = [a[i] - q[-1] for i in range(len(a) - 1, -1, -1)]
    total = 0
    for x in b:
        total = total + N * x / 3
    return [total, len(b) % 2, b[0] <= total]
""",
}


def values_of(
    symbols: Iterable[Indeterminate],
    database: Sequence[Number],
    arguments: Mapping[str, Number | bool],
    draws: Callable[[NoiseAt], Number],
) -> dict[Indeterminate, Number]:
    """The values of unknowns in one concrete run."""

    def value(symbol: Indeterminate) -> Number:
        match symbol:
            case AnswerAt(place):
                return database[place]
            case Argument(name):
                return arguments[name]
            case NoiseAt():
                return draws(symbol)
            case Public(op, left, right):
                a, b = (form.at({s: value(s) for s in form.terms}) for form in (left, right))
                return a * b if op == "*" else Fraction(a) / b
            case _:
                raise AssertionError(f"{symbol} has no value in one run")

    return {symbol: value(symbol) for symbol in symbols}


def output_at(output: Value | Fault, values: Mapping[Indeterminate, Number]) -> Any:
    """The concrete answer of a run."""
    if isinstance(output, tuple):
        return tuple(output_at(item, values) for item in output)
    return output.at(values) if isinstance(output, LinearForm) else output


def symbols_in(paths: Iterable[Path]) -> frozenset[Indeterminate]:
    """Every unknown of some paths, in their atoms, answers and draws."""

    def each() -> Iterator[Indeterminate]:
        for path in paths:
            yield from path.draws
            scores = (score for pick in path.picks for score in pick.scores)
            for form in (*(atom.form for atom in path.atoms), *affine_parts(path.output), *scores):
                yield from form.terms

    return frozenset(each())


def measure_run(
    sketch: Sketch,
    database: Sequence[Fraction],
    arguments: Arguments,
    draws: Mapping[int, list[Fraction]],
    silent: frozenset[int],
) -> tuple[Any, list[tuple[int, tuple[int, ...], Any]]]:
    """The reference's answer or fault, and its log; every turn of a site takes the next of the site's draws."""
    seen: dict[tuple[int, tuple[int, ...]], Fraction] = {}

    def units(noise: Noise, site: int, turns: tuple[int, ...]) -> tuple[Any, ...]:
        value = seen.setdefault((site, turns), draws[site][len(seen) % len(draws[site])])
        return (
            (value, 0)
            if value >= 0 and noise is Noise.DISCRETE_LAPLACE
            else (0, -value)
            if noise is Noise.DISCRETE_LAPLACE
            else (value,)
        )

    log: list[tuple[int, tuple[int, ...], Any]] = []
    scales = [0 if draw.site in silent else 1 for draw in sketch.draws]
    try:
        answer = reference.run(sketch, database, arguments, scales, units, number=Fraction, log=log)  # type: ignore[arg-type]
    except RunError as error:
        (diagnostic,) = error.diagnostics
        answer = Fault(diagnostic.code, diagnostic.span)
    return answer, [entry for entry in log if entry[0] not in silent]


def with_holes(sketch: Sketch) -> Sketch:
    """Every fixed scale is a hole, so that all draws can be given."""
    text = str(sketch)
    for draw in sketch.draws:
        text = text.replace(f"{draw.noise.value}({draw.scale})", f"{draw.noise.value}(hole)")
    return parse("from kolahal import *\n" + text)


def agree(
    sketch: Sketch,
    database: Sequence[Fraction],
    arguments: Arguments,
    draws: Mapping[int, list[Fraction]],
    silent: frozenset[int],
) -> Path | None:
    """The path of a run, on which symbolic and reference agree; None where there are no paths, or a tie is improbable."""
    given = dict(arguments.values)
    known = {p.name: given[p.name] for p in sketch.arguments if p.type in (Type.INT, Type.BOOL)}
    paths = explore(sketch, len(database), known, 300, silent)
    if isinstance(paths, Unknown):
        assert paths.reason
        return None
    answer, log = measure_run(sketch, database, arguments, draws, silent)
    drawn = {(site, turns): value for site, turns, value in log}
    names = dict(arguments.values) | {sketch.epsilon.name: arguments.epsilon}
    values = values_of(symbols_in(paths.paths), database, names, lambda d: drawn.get((d.site, d.turns), Fraction(7, 3)))
    if is_tie(paths, values):
        return None
    on = [path for path in paths.paths if all(atom.holds(values) for atom in path.atoms)]
    assert len(on) == 1
    got = output_at(on[0].output, values)
    assert type_of(got) == type_of(answer)
    assert got == answer
    assert [(d.site, d.turns) for d in on[0].draws] == [(site, turns) for site, turns, _ in log]
    return on[0]


def is_tie(paths: Paths, values: Mapping[Any, Any]) -> bool:
    """Whether a value with continuous noise is exactly at the edge of a comparison, which has probability 0."""
    atoms = {atom for path in paths.paths for atom in path.atoms}
    return bool(paths.almost) or any(
        atom.form.at(values) == 0 for atom in atoms if any(map(paths.is_continuous, atom.form.terms))
    )


@st.composite
def draws_for(draw: Any, sketch: Sketch) -> dict[int, list[Fraction]]:
    """Three draws for each site, by its family."""
    found = {}
    for place in sketch.draws:
        low = 0 if place.noise.one_sided else -6
        parts = st.integers(low, 6) if place.noise.whole else st.fractions(low, 6, max_denominator=97)
        found[place.site] = [Fraction(draw(parts)) for _ in range(3)]
    return found


@pytest.mark.examples
def test_generated_programs_mean_what_the_reference_means() -> None:
    followed = []

    @given(cases(), st.data())
    @some(80, quick=40)
    def compare(case: Case, data: Any) -> None:
        sketch = with_holes(case.sketch)
        silent = frozenset(site for site, scale in enumerate(case.scales[: len(sketch.draws)]) if not scale)
        followed.append(agree(sketch, case.database, case.arguments, data.draw(draws_for(sketch)), silent) is not None)

    compare()
    assert sum(followed) > (25 if ALL else 8), "many have paths, and are not at a tie"


CHOSEN = {
    **{name: lambda name=name: load_one(name) for name in GALLERY},
    **{name: lambda name=name: programs.load(name) for name in programs.TEXTS},
    **{name: lambda name=name: parse(HEAD + ODD[name], f"{name}.py") for name in ODD},
}


@pytest.mark.parametrize("name", CHOSEN)
def test_chosen_programs_mean_what_the_reference_means(name: str) -> None:
    followed = []

    @given(data=st.data())
    @settings(max_examples=12)
    def compare(data: Any) -> None:
        followed.append(agree(*chosen_run(CHOSEN[name](), data)) is not None)

    compare()
    assert any(followed)


def chosen_run(sketch: Sketch, data: Any) -> tuple[Any, ...]:
    """Inputs and noise for a run."""
    database = data.draw(st.lists(st.fractions(-4, 4, max_denominator=3), min_size=2, max_size=3))
    values = []
    for parameter in sketch.arguments:
        choice = {Type.INT: st.integers(1, 3).map(Fraction), Type.BOOL: st.booleans()}
        values.append((parameter.name, data.draw(choice.get(parameter.type, st.fractions(-3, 3, max_denominator=2)))))
    arguments = Arguments(data.draw(st.sampled_from([Fraction(1), Fraction(1, 2)])), len(database), tuple(values))
    silent = data.draw(st.frozensets(st.integers(0, max(0, len(sketch.draws) - 1)), max_size=1))
    return sketch, database, arguments, data.draw(draws_for(sketch)), silent


def test_every_kind_of_end_is_met() -> None:
    paths = explore(parse(HEAD + ODD["faults"]), 2, {"N": Fraction(1)}, 100)
    assert isinstance(paths, Paths)
    codes = {p.output.code if isinstance(p.output, Fault) else "answer" for p in paths.paths}
    assert codes == {"answer", "K402", "K403"}


# ---------------------------------------------------------------- what the paths look like


@pytest.mark.parametrize(
    ("name", "size", "count"),
    [("histogram", 8, 1), ("smart_sum", 6, 1), ("above_threshold_1", 8, 9), ("noisy_max_1", 8, 128), ("svt", 6, 22)],
)
def test_as_many_paths_as_there_are_ways(name: str, size: int, count: int) -> None:
    paths = explore(load_one(name), size, {"N": Fraction(2), "M": Fraction(2)}, 500)
    assert isinstance(paths, Paths)
    assert len(paths.paths) == count
    for path in paths.paths:
        inside = {symbol: path.point.get(symbol, 0) for symbol in symbols_in([path])}
        assert all(atom.holds(inside) for atom in path.atoms)


def test_a_path_that_stops_early_has_not_drawn_the_later_noise() -> None:
    paths = explore(load_one("svt"), 3, {"N": Fraction(1)}, 100)
    assert isinstance(paths, Paths)
    assert sorted(len(path.draws) for path in paths.paths) == [2, 3, 4, 4]


def test_switched_off_noise_is_zero() -> None:
    paths = explore(load_one("noisy_max_2"), 2, {}, 100, silent=frozenset({0, 1}))
    assert isinstance(paths, Paths)
    assert {str(path.output) for path in paths.paths} == {"1", "2"}
    assert not any(path.draws for path in paths.paths)


def test_a_fixed_database_leaves_only_noise() -> None:
    paths = explore(load_one("above_threshold_1"), 2, {"T": Fraction(0)}, 100, database=[Fraction(1), Fraction(2)])
    assert isinstance(paths, Paths)
    assert all(isinstance(symbol, NoiseAt) for symbol in symbols_in(paths.paths))


def test_equality_with_continuous_noise_is_improbable_and_says_so() -> None:
    text = HEAD + "def p(q: Private, eps: Epsilon):\n    if q[0] + {}(hole) == 0:\n        return 1\n    return 0\n"
    smooth = explore(parse(text.format("Lap")), 1, {}, 10)
    whole = explore(parse(text.format("DiscreteLap")), 1, {}, 10)
    assert isinstance(smooth, Paths) and isinstance(whole, Paths)
    assert [path.output for path in smooth.paths] == [0]
    assert smooth.almost == {0}
    assert sorted(str(path.output) for path in whole.paths) == ["0", "0", "1"]
    assert not whole.almost


def test_an_edge_of_probability_zero_is_no_path() -> None:
    text = "def p(q: Private, eps: Epsilon):\n    x = q[0] + Lap(hole)\n    if x >= 0:\n        if x <= 0:\n            return 1\n        return 2\n    return 3\n"
    paths = explore(parse(HEAD + text), 1, {}, 10)
    assert isinstance(paths, Paths)
    assert [path.output for path in paths.paths] == [2, 3]
    assert paths.almost == {0}


def test_the_edge_of_one_sided_noise_is_improbable_too() -> None:
    text = "def p(q: Private, eps: Epsilon):\n    if {}(hole) <= 0:\n        return q[0]\n    return 0\n"
    smooth, whole = (explore(parse(HEAD + text.format(noise)), 1, {}, 10) for noise in ("Exp", "DiscreteExp"))
    assert isinstance(smooth, Paths) and isinstance(whole, Paths)
    assert [path.output for path in smooth.paths] == [0]
    assert smooth.almost == {0}, "without noise, q[0] is the answer"
    assert (len(whole.paths), whole.almost) == (2, frozenset())


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("return q[0] * Lap(hole)", "two unknown values are multiplied"),
        ("return 1 / (q[0] + Lap(hole))", "divides by an unknown value"),
        ("return Lap(hole) // 2", "// and %"),
        ("return q[0] * eps + Lap(hole)", "two unknown values are multiplied"),
    ],
)
def test_what_is_not_affine_is_refused_with_its_place(line: str, words: str) -> None:
    found = explore(parse(HEAD + f"def p(q: Private, eps: Epsilon):\n    {line}\n", "file.py"), 1, {}, 10)
    assert isinstance(found, Unknown)
    assert words in found.reason
    assert found.reason.startswith("file.py:4:")


def test_too_many_paths_are_reported() -> None:
    found = explore(load_one("noisy_max_1"), 8, {}, 100)
    assert found == Unknown("there are more than 100 paths at 8 answers")


def test_a_loop_without_end_is_reported() -> None:
    text = "def p(q: Private, eps: Epsilon):\n    i = 0\n    while i >= 0:\n        i = i + 1\n    return Lap(hole)\n"
    found = explore(parse(HEAD + text), 1, {}, 10)
    assert isinstance(found, Unknown) and "more than" in found.reason


# ---------------------------------------------------------------- exact arithmetic


X, Y, Z = (variable(AnswerAt(i)) for i in range(3))
SYMBOLS = (AnswerAt(0), AnswerAt(1), AnswerAt(2), Argument("T"))


@st.composite
def forms(draw: Any) -> Affine:
    terms = {symbol: draw(st.integers(-3, 3)) for symbol in SYMBOLS}
    return LinearForm({s: c for s, c in terms.items() if c}, draw(st.fractions(-4, 4, max_denominator=4)))


@given(forms(), forms(), st.fractions(-3, 3, max_denominator=5), st.lists(st.integers(-9, 9), min_size=4, max_size=4))
def test_forms_calculate_like_numbers(a: Affine, b: Affine, factor: Fraction, values: list[int]) -> None:
    at = dict(zip(SYMBOLS, values, strict=True))
    assert (a + b).at(at) == a.at(at) + b.at(at)
    assert (a - b).at(at) == a.at(at) - b.at(at)
    assert a.times(factor).at(at) == a.at(at) * factor
    assert Inequality(a, True).normal().holds(at) == Inequality(a, True).holds(at)
    assert a - b + b == a and hash(a - b + b) == hash(a)
    assert a.replace({AnswerAt(0): b}).at(at) == a.at(at | {AnswerAt(0): b.at(at)})


@given(
    st.lists(st.tuples(forms(), st.booleans()), max_size=7),
    st.lists(st.fractions(-5, 5, max_denominator=3), min_size=4, max_size=4),
)
def test_a_point_is_found_wherever_there_is_one(parts: list[tuple[Affine, bool]], values: list[Fraction]) -> None:
    atoms = [Inequality(form, strict) for form, strict in parts]
    at = dict(zip(SYMBOLS, values, strict=True))
    known = [atom if atom.holds(at) else atom.negated() for atom in atoms]
    point = find_point(known)
    assert point is not None
    assert all(atom.holds({s: point.get(s, 0) for s in SYMBOLS}) for atom in known)
    found = find_point(atoms)
    assert found is None or all(atom.holds({s: found.get(s, 0) for s in SYMBOLS}) for atom in atoms)


def test_contradictions_have_no_point() -> None:
    assert find_point([Inequality(X - Y, True), Inequality(Y - Z, False), Inequality(Z - X, False)]) is None
    assert find_point([Inequality(X - Y, False), Inequality(Y - Z, False), Inequality(Z - X, False)]) is not None
    assert find_point([Inequality(X + variable(AnswerAt(9)), True)], positive={AnswerAt(0), AnswerAt(9)}) is None


def test_bounds_are_exact() -> None:
    box = [
        Inequality(X - LinearForm({}, 2), True),
        Inequality(-X, False),
        Inequality(Y - X, False),
        Inequality(-Y - LinearForm({}, 3), False),
    ]
    assert find_supremum(X.times(2) + Y, box) == 6
    assert find_supremum(-Y, box) == 3
    assert find_supremum(Z, box) is None
    assert find_supremum(LinearForm({}, Fraction(7, 2)), box) == Fraction(7, 2)


def test_a_bound_where_unknowns_have_one_value() -> None:
    """It is the value there, without a search; a comparison that is strict or of another unknown says nothing of it."""
    half = [Inequality(X.times(2) - LinearForm({}, 1), False), Inequality(LinearForm({}, 1) - X.times(2), False)]
    assert pinned(half) == {AnswerAt(0): Fraction(1, 2)}
    assert find_supremum(X.times(4) + LinearForm({}, 1), half) == 3
    assert find_supremum(X + Y, [*half, Inequality(Y - X, False)]) == 1
    assert pinned([Inequality(X, False), Inequality(-X, True)]) == {} == pinned([Inequality(X - Y, False), Inequality(Y - X, False)])


def test_the_cheapest_point_and_its_prices() -> None:
    # min 3a + b with a + b ≥ 4, a − b ≥ −2: a = 1, b = 3
    best = minimise([[3, 1]], [[-1, -1], [-1, 1]], [-4, 2])
    assert best is not None
    assert (best.value, best.point) == (6, (1, 3))
    assert best.value == best.prices[0] * 4 - best.prices[1] * 2
    assert minimise([[1]], [[1], [-1]], [1, -2]) is None
