"""Linear forms and formulas as data, on their own: built simplified, printed, read, put in, asked of the solver."""

from __future__ import annotations

import itertools
import pickle
import random
from fractions import Fraction
from importlib.util import find_spec
from typing import Any

import pytest
import z3

from kolahal.logic import solver, terms
from kolahal.logic.counting import OutOfSteps, limited
from kolahal.logic.linear import Inequality, LinearForm, as_form, number, variable
from kolahal.logic.terms import (
    BOOL,
    FALSE,
    INT,
    REAL,
    TRUE,
    ZERO,
    Equation,
    Every,
    Formula,
    IfThenElse,
    Neither,
    NotATerm,
    Some,
    Symbol,
    at_most,
    below,
    choose,
    equal,
    every,
    implies,
    is_whole,
    magnitude,
    negate,
    parse_formula,
    print_term,
    put,
    put_in,
    same_truth,
    some,
    symbols_of,
)

pytestmark = pytest.mark.mutants

X, Y, N, K, B, C = (Symbol(name, sort) for name, sort in (("x", REAL), ("y", REAL), ("n", INT), ("k", INT), ("b", BOOL), ("let", BOOL)))
x, y, n, k = (variable(symbol) for symbol in (X, Y, N, K))
KNOWN = {symbol.name: symbol for symbol in (X, Y, N, K, B, C)}
HALF = Fraction(1, 2)

# ---------------------------------------------------------------- forms


def test_a_form_has_its_value() -> None:
    form = x.times(2) - y + number(HALF)
    assert form.at({X: Fraction(3), Y: Fraction(1, 4)}) == Fraction(25, 4) and number(7).at({}) == 7
    assert x.at({X: 5}) == 5 and (x - x).terms == {} and (x + y).times(0) == ZERO


@pytest.mark.parametrize(
    ("form", "text"),
    [
        (ZERO, "0"), (number(-2), "-2"), (x, "x"), (-x, "-x"), (x + number(1), "x + 1"), (x - number(HALF), "x - 1/2"), (y.times(2) + x, "x + 2*y"), (y - x.times(3), "-3*x + y"),
        (x.times(HALF) + number(HALF), "1/2*x + 1/2"), (x.times(HALF) - y.times(HALF), "1/2*x - 1/2*y"), (n + k + x, "k + n + x"),
    ],
)  # fmt: skip
def test_a_form_is_written_in_one_order(form: LinearForm[Symbol], text: str) -> None:
    assert str(form) == text and str(pickle.loads(pickle.dumps(form))) == text and pickle.loads(pickle.dumps(form)) == form
    assert str(Inequality(form, True)) == f"{text} < 0" and str(Inequality(form, False)) == f"{text} <= 0"
    assert form.ordered() == sorted(form.terms.items(), key=lambda term: str(term[0]))


def test_forms_that_are_unlike_have_hashes_that_are() -> None:
    forms = [x.times(a) + y.times(b) + number(c) for a, b, c in itertools.product(range(3), range(3), range(3))]
    assert len({hash(form) for form in forms}) == len(forms) and all(hash(form) == hash(LinearForm(dict(form.terms), form.constant)) for form in forms)


@pytest.mark.parametrize(
    ("form", "normal"),
    [
        (x.times(2) + number(4), x + number(2)), (x.times(Fraction(2, 3)) - y.times(Fraction(4, 9)) + number(2), x.times(3) - y.times(2) + number(9)), (x.times(-6) + number(-9), x.times(-2) - number(3)),
        (number(0), number(0)), (number(6), number(1)), (number(-6), number(-1)), (number(HALF), number(1)), (x.times(3) + y.times(2), x.times(3) + y.times(2)), (x.times(HALF), x), (x.times(2), x),
        (x.times(Fraction(3, 2)) + y.times(3), x + y.times(2)), (x.times(4) + number(HALF), x.times(8) + number(1)),
    ],
)  # fmt: skip
def test_comparisons_are_made_whole_and_short(form: LinearForm[Symbol], normal: LinearForm[Symbol]) -> None:
    for strict in (True, False):
        found = Inequality(form, strict).normal()
        assert found == Inequality(normal, strict) and {type(part) for part in (*found.form.terms.values(), found.form.constant)} == {int}
        assert Inequality(normal, strict).normal() is not None
    kept = Inequality(x.times(3) + y.times(2), True)
    assert kept.normal() is kept


# ---------------------------------------------------------------- formulas


def test_what_is_always_so_is_left_out() -> None:
    b, c, d = B, at_most(x, y), below(x, ZERO)
    assert every([]) == TRUE == every([TRUE, TRUE]) and some([]) == FALSE == some([FALSE]) and every([b]) == b == some([b, FALSE]) == every([TRUE, b]) == every([b, b]) == some([b, b])
    assert every([b, FALSE, c]) == FALSE and some([b, TRUE]) == TRUE
    assert every([every([b, c]), d]) == Every((b, c, d)) and some([b, some([c, d])]) == Some((b, c, d)) and every([some([b, c]), d]) == Every((Some((b, c)), d))
    assert at_most(ZERO, ZERO) == TRUE != below(ZERO, ZERO) == FALSE and at_most(number(1), ZERO) == FALSE and below(ZERO, number(1)) == TRUE
    assert at_most(x, x) == TRUE and below(x, x) == FALSE and equal(x, x) == TRUE and equal(x, x + number(1)) == FALSE
    assert at_most(x, y) == Inequality(x - y, False) and below(x, y) == Inequality(x - y, True)


def test_a_denial_is_the_other_comparison() -> None:
    assert negate(at_most(x, y)) == below(y, x) and negate(below(x, y)) == at_most(y, x) and isinstance(negate(at_most(x, y)), Inequality)
    assert negate(TRUE) == FALSE and negate(negate(B)) == B and negate(B) == Neither(B) and negate(equal(x, y)) == Neither(equal(x, y))
    assert implies(TRUE, B) == B and implies(FALSE, B) == TRUE and implies(B, FALSE) == Neither(B)


def test_an_equation_is_one_formula_however_it_is_written() -> None:
    assert equal(x, y) == equal(y, x) == Equation(x - y) and equal(x.times(-1), number(3)) == Equation(x + number(3))
    picked = choose(B, x, y)
    assert equal(picked, ZERO) == Equation(picked) and equal(ZERO, picked) == Equation(-picked) and equal(x.times(HALF), y) == Equation(x.times(HALF) - y)
    assert equal(x.times(-HALF), ZERO) == Equation(x.times(HALF))


def test_what_is_the_same_is_alike_or_implies_each_other() -> None:
    assert same_truth(B, B) == TRUE and same_truth(TRUE, B) == B == same_truth(B, TRUE) and same_truth(FALSE, B) == Neither(B) == same_truth(B, FALSE)
    assert same_truth(B, C) == Every((Some((Neither(B), C)), Some((Neither(C), B))))


def test_one_of_two_sums() -> None:
    assert choose(TRUE, x, y) == x and choose(FALSE, x, y) == y and choose(B, x, x) == x and choose(B, x, y) == variable(IfThenElse(B, x, y))
    assert magnitude(number(-3)) == number(3) == magnitude(number(3)) and magnitude(x) == variable(IfThenElse(at_most(ZERO, x), x, -x))


def test_whole_forms() -> None:
    for form, whole in (
        (n + k.times(2), True), (n.times(HALF), False), (n + number(HALF), False), (x, False), (n + x, False), (number(3), True), (choose(B, n, k), True), (choose(B, n, x), False), (choose(B, x, n), False), (choose(B, n, number(HALF)), False),
    ):  # fmt: skip
        assert is_whole(form) is whole

    class Other:
        kind = ""

    assert is_whole(variable(Other())) is False  # type: ignore[type-var]


def test_hashes_tell_formulas_apart() -> None:
    formulas: list[Any] = [Every((B, C)), Some((B, C)), Neither(B), Neither(C), Equation(x), Equation(y), Every((C, B)), IfThenElse(B, x, y), IfThenElse(C, x, y), Equation(x + y)]
    assert len({hash(formula) for formula in formulas}) == len(formulas) and hash(Every((B, C))) == hash(Every((B, C)))


# ---------------------------------------------------------------- put in place of symbols


def random_sum(rng: random.Random, deep: int) -> Any:
    form: Any = number(Fraction(rng.randint(-4, 4), rng.randint(1, 2)))
    for symbol in rng.sample([X, Y, N, K], rng.randint(0, 2)):
        form = form + variable(symbol).times(Fraction(rng.choice((-2, -1, 1, 1, 3)), rng.randint(1, 2)))
    if deep and rng.random() < 0.6:
        form = form + choose(random_formula(rng, deep - 1), random_sum(rng, deep - 1), random_sum(rng, deep - 1)).times(rng.choice((1, -1, 2)))
    return form


def random_formula(rng: random.Random, deep: int) -> Formula:
    kind = rng.randrange(8 if deep else 4)
    if kind < 2:
        return rng.choice((at_most, below, equal))(random_sum(rng, deep), random_sum(rng, deep))
    if kind < 4:
        return rng.choice((B, C, B, C, TRUE, FALSE))
    if kind < 5:
        return negate(random_formula(rng, deep - 1))
    parts = [random_formula(rng, deep - 1) for _ in range(rng.randint(1, 3))]
    return every(parts) if kind < 6 else some(parts) if kind < 7 else implies(parts[0], parts[-1])


def value_of(term: Any, given: dict[Symbol, Any]) -> Any:
    """What a sum or formula is, where all symbols have values; nothing of the code that is tested."""
    match term:
        case Symbol():
            return given[term]
        case terms.Truth(value):
            return value
        case LinearForm():
            parts = (c * (given[u] if isinstance(u, Symbol) else value_of(u.then if value_of(u.test, given) else u.orelse, given)) for u, c in term.terms.items())
            return sum(parts, Fraction(term.constant))
        case Equation(form):
            return value_of(form, given) == 0
        case Inequality(form, strict):
            found = value_of(form, given)
            return found < 0 or (found == 0 and not strict)
        case Every(parts):
            return all(value_of(part, given) for part in parts)
        case Some(parts):
            return any(value_of(part, given) for part in parts)
        case Neither(part):
            return not value_of(part, given)
    raise AssertionError


def random_values(rng: random.Random) -> dict[Symbol, Any]:
    numbers: dict[Symbol, Any] = {s: Fraction(rng.randint(-6, 6), 2) for s in (X, Y)}
    return numbers | {s: rng.randint(-3, 3) for s in (N, K)} | {s: rng.random() < 0.5 for s in (B, C)}


def put_terms(rng: random.Random) -> dict[Symbol, Any]:
    new = {s: random_sum(rng, 1) for s in (X, Y, N) if rng.random() < 0.6} | {s: random_formula(rng, 1) for s in (B, C) if rng.random() < 0.6}
    return {s: new[s] for s in rng.sample(list(new), len(new))}


@pytest.mark.parametrize("start", range(0, 600, 100))
def test_what_is_put_in_has_its_value_there(start: int) -> None:
    for seed in range(start, start + 100):
        rng = random.Random(seed)
        form, formula, binding, given = random_sum(rng, 2), random_formula(rng, 3), put_terms(rng), random_values(rng)
        there = given | {symbol: value_of(term, given) for symbol, term in binding.items()}
        assert value_of(put(form, binding), given) == value_of(form, there), seed
        assert value_of(put_in(formula, binding), given) == value_of(formula, there), seed
        everywhere = {symbol: number(v) if symbol.sort != BOOL else terms.Truth(v) for symbol, v in given.items()}
        assert put_in(formula, everywhere) == terms.Truth(value_of(formula, given)) and put(form, everywhere) == number(value_of(form, given)), seed
        assert put(form, {}) is form or any(isinstance(u, IfThenElse) for u in form.terms)


@pytest.mark.parametrize("start", range(0, 300, 100))
def test_formulas_say_what_they_were_made_of(start: int) -> None:
    for seed in range(start, start + 100):
        rng = random.Random(seed)
        one, two, form, given = random_formula(rng, 2), random_formula(rng, 2), random_sum(rng, 2), random_values(rng)
        a, b, size = value_of(one, given), value_of(two, given), value_of(form, given)
        made = (every([one, two]), some([one, two]), negate(one), implies(one, two), same_truth(one, two), equal(form, x), below(form, x), at_most(form, x))
        assert [value_of(f, given) for f in made] == [a and b, a or b, not a, not a or b, a == b, size == given[X], size < given[X], size <= given[X]], seed
        assert value_of(magnitude(form), given) == abs(size) and value_of(choose(one, form, x), given) == (size if a else given[X])
        for term in (one, form):
            assert symbols_of(term) == occurring(term), seed


def occurring(term: Any) -> frozenset[Symbol]:
    words = str(print_term(term)).replace("(", " ").replace(")", " ").split()
    return frozenset(symbol for name, symbol in KNOWN.items() if name in words or f"|{name}|" in words)


# ---------------------------------------------------------------- texts


@pytest.mark.parametrize(
    ("term", "text"),
    [
        (TRUE, "true"), (FALSE, "false"), (B, "b"), (C, "|let|"), (Neither(C), "(not |let|)"), (Every((B, C)), "(and b |let|)"), (Some((B, C)), "(or b |let|)"), (Some((Neither(B), C)), "(=> b |let|)"),
        (Some((Neither(B), C, at_most(x, ZERO))), "(=> b (or |let| (<= x 0.0)))"), (Some((B, Neither(C))), "(or b (not |let|))"), (Some((Neither(B), Neither(C))), "(=> b (not |let|))"), (Some((Neither(B),)), "(or (not b))"),
        (ZERO, "0"), (number(-3), "(- 3)"), (number(HALF), "(/ 1.0 2.0)"), (number(-HALF), "(- (/ 1.0 2.0))"), (number(1), "1"), (x, "x"), (x.times(2), "(* 2.0 x)"), (x.times(-2), "(* (- 2.0) x)"), (-x, "(* (- 1.0) x)"),
        (x + number(1), "(+ x 1.0)"), (n + number(1), "(+ n 1)"), (n.times(2), "(* 2 n)"), (n.times(HALF), "(* (/ 1.0 2.0) (to_real n))"), (n + x, "(+ (to_real n) x)"), (n + k - number(2), "(+ k n (- 2))"),
        (choose(B, n, number(2)), "(ite b n 2)"), (choose(B, n, x), "(ite b (to_real n) x)"), (choose(B, x, n), "(ite b x (to_real n))"), (choose(C, n, number(HALF)), "(ite |let| (to_real n) (/ 1.0 2.0))"), (choose(B, x, y).times(3), "(* 3.0 (ite b x y))"),
        (at_most(n, k), "(<= n k)"), (below(n, number(3)), "(< n 3)"), (below(number(3), n), "(< 3 n)"), (equal(x, y), "(= x y)"), (at_most(x + y, number(HALF)), "(<= (+ x y) (/ 1.0 2.0))"), (at_most(x.times(2), y.times(3)), "(<= (* 2.0 x) (* 3.0 y))"),
        (at_most(x, n), "(<= x (to_real n))"), (below(x.times(HALF), ZERO), "(< (* (/ 1.0 2.0) x) 0.0)"), (equal(n, number(-1)), "(= (+ n 1) 0)"), (equal(n, number(1)), "(= n 1)"), (below(x + number(2), y.times(HALF)), "(< (+ x 2.0) (* (/ 1.0 2.0) y))"),
    ],
)  # fmt: skip
def test_terms_are_written_and_read_again(term: Any, text: str) -> None:
    assert print_term(term) == text
    if not isinstance(term, LinearForm):
        again = parse_formula(text, KNOWN)
        assert again == (some(term.parts) if isinstance(term, Some) else term)
    else:
        assert parse_formula(f"(= {text} y)", KNOWN) == equal(term, y) or term == y


@pytest.mark.parametrize("start", range(0, 300, 100))
def test_what_is_written_is_read_as_the_same(start: int) -> None:
    for seed in range(start, start + 100):
        formula, given = random_formula(random.Random(seed), 3), random_values(random.Random(-seed))
        assert value_of(parse_formula(print_term(formula), KNOWN), given) == value_of(formula, given), seed


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("(>= x 2)", at_most(number(2), x)), ("(> x 2)", below(number(2), x)), ("(< x 2.5)", below(x, number(Fraction(5, 2)))), ("(<= (- x) y)", at_most(-x, y)), ("(<= (- x y) 0)", at_most(x, y)), ("(= (+ x y 1) 0)", equal(x + y, number(-1))),
        ("(<= (+) x)", at_most(ZERO, x)), ("(<= (/ x 4) y)", at_most(x.times(Fraction(1, 4)), y)), ("(<= (* 4 x) y)", at_most(x.times(4), y)), ("(<= (/ 1 4) y)", at_most(number(Fraction(1, 4)), y)),
        ("(and)", TRUE), ("(or)", FALSE), ("(and b true)", B), ("  ( or  false b )  ", B), ("(not (not b))", B), ("(=> b |let|)", implies(B, C)), ("(=> true b)", B), ("(< (to_real n) x)", below(n, x)), ("(= (ite (< x y) x y) 0)", equal(choose(below(x, y), x, y), ZERO)),
        ("let", C), ("|b|", B), ("(<= |x| y)", at_most(x, y)), ("(= x 007)", equal(x, number(7))),
    ],
)  # fmt: skip
def test_texts_are_read(text: str, formula: Formula) -> None:
    assert parse_formula(text, KNOWN) == formula


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x", "x is not a known truth value"), ("z", "z is not a known truth value"), ("(<= b x)", "b is not a known number"), ("(<= z x)", "z is not a known number"), ("(xor b b)", "['xor', 'b', 'b'] is not a formula"), ("(not b b)", "['not', 'b', 'b'] is not a formula"),
        ("(<= x (abs y))", "['abs', 'y'] is not a number"), ("(<= (* x y) 0)", "['*', 'x', 'y'] is not linear"), ("(<= (* x 4) y)", "['*', 'x', '4'] is not linear"), ("(<= (/ 1 x) 0)", None), ("(<= (/ x 0) 0)", None), ("b b", "more than one formula"), (")", "a parenthesis too many"), ("(and b", None), ("", None),
        ("(<= x -2)", "-2 is not a known number"), ("|b", "cannot read '|b'"), ("(<= x 2.)", "2. is not a known number"), ("(= x 1.5.5)", "1.5.5 is not a known number"), ("XXbXX", "XXbXX is not a known truth value"), ("(<= XXxXX y)", "XXxXX is not a known number"), ("b)", "more than one formula"),
    ],
)  # fmt: skip
def test_other_texts_are_refused(text: str, words: str | None) -> None:
    with pytest.raises(NotATerm) as caught:
        parse_formula(text, KNOWN)
    assert words is None or str(caught.value) == words


def test_names_are_quoted_where_they_must_be() -> None:
    for name, shown in (("a", "a"), ("a@1", "a@1"), ("_x", "_x"), ("1a", "|1a|"), ("a b", "|a b|"), ("and", "|and|"), ("é", "|é|"), ("Int", "|Int|"), ("a-b", "|a-b|"), ("_", "|_|"), ("!", "|!|"), ("a'", "|a'|")):
        assert terms.print_symbol(name) == shown
        symbol = Symbol(name, BOOL)
        assert parse_formula(shown, {name: symbol}) == symbol
    for name in ("a|b", "a\\b", "|", "\\"):
        with pytest.raises(AssertionError):
            terms.print_symbol(name)


# ---------------------------------------------------------------- the solver


@pytest.mark.parametrize("start", range(0, 120, 40))
def test_z3_is_asked_what_is_meant(start: int) -> None:
    words = solver.Translator()
    for seed in range(start, start + 40):
        rng = random.Random(seed)
        formula, given = random_formula(rng, 2), random_values(rng)
        asked = z3.Solver(ctx=words.context)
        words.tell(asked, [words.formula(formula)])
        for symbol, found in given.items():
            words.tell(asked, [words.formula(symbol if found is True else negate(symbol) if found is False else equal(variable(symbol), number(found)))])
        assert asked.check() == (z3.sat if value_of(formula, given) else z3.unsat), seed
        assert words.formula(formula) is words.formula(formula)


def test_unknowns_and_numbers_are_made_once() -> None:
    words = solver.Translator()
    assert words.unknown(X) is words.unknown(X) and len({id(sort) for sort in (words.unknown(X).sort(), words.unknown(Y).sort())}) and list(words.sorts) == [REAL]
    assert words.number(2, True) is words.number(2, True) and words.number(2, True) is not words.number(2, False)
    assert str(words.formula(terms.Truth(False))) == "False" and str(words.formula(terms.Truth(True))) == "True"
    assert words.formula(TRUE).ctx == words.context


def test_each_question_has_one_option() -> None:
    choices = solver.Choices([2, 3])
    seen = set()
    while (found := choices.pick(3)) is not None:
        assert len(found) == 2 and found[0] < 2 and tuple(found) not in seen
        seen.add(tuple(found))
        choices.exclude([(0, found[0]), (1, found[1])])
    assert len(seen) == 6
    more = solver.Choices([3, 3])
    assert more.pick(1) == [0, 0] and more.pick(3, [(0, 2), (1, 1)]) == [2, 1]
    more.exclude([(0, 2)])
    kept = more.pick(3, [(0, 2)])
    assert kept is not None and kept[0] != 2, "what cannot be kept is not"
    more.exclude([(0, 0)])
    assert more.pick(1) is None and (more.pick(2) or [None])[0] == 1
    for option in range(3):
        more.exclude([(1, option)])
    assert more.pick(3) is None and more.pick(3, [(0, 1)]) is None


@pytest.mark.parametrize("start", range(0, 200, 50))
def test_what_is_said_to_be_empty_is(start: int) -> None:
    """Points with halves in a small box, and the polyhedra around them."""
    empty = 0
    for seed in range(start, start + 50):
        rng = random.Random(seed)

        def atoms(many: int, rng: random.Random = rng) -> list[Inequality[Any]]:
            return [Inequality(x.times(rng.randint(-2, 2)) + y.times(rng.choice((-1, 1))) + as_form(Fraction(rng.randint(-3, 3), 2)), rng.random() < 0.5) for _ in range(many)]

        inside, ways = atoms(rng.randint(0, 3)), [atoms(rng.randint(1, 2)) for _ in range(rng.randint(0, 2))]
        outside, bits = [atoms(rng.randint(1, 2)) for _ in range(rng.randint(0, 2))], [X] if rng.random() < 0.4 else []
        one_of = ways if rng.random() < 0.6 else None
        found = solver.is_empty(inside, 10**6, one_of, outside, bits)
        empty += found
        points = [{X: Fraction(a, 4), Y: Fraction(b, 4)} for a in range(-8, 9, 2) for b in range(-8, 9)]
        there = [
            p for p in points
            if all(a.holds(p) for a in inside) and (one_of is None or any(all(a.holds(p) for a in way) for way in one_of)) and not any(all(a.holds(p) for a in way) for way in outside) and (not bits or p[X] in (0, 1))
        ]  # fmt: skip
        assert not (found and there), seed
        asked = z3.Solver()
        words = solver.Translator(z3.main_ctx())
        asked.add([words.formula(a) for a in inside])
        asked.add([z3.Or(words.unknown(bit) == 0, words.unknown(bit) == 1) for bit in bits])
        if one_of is not None:
            asked.add(z3.Or([z3.And([words.formula(a) for a in way]) for way in one_of]))
        asked.add([z3.Not(z3.And([words.formula(a) for a in way])) for way in outside])
        assert found == (asked.check() == z3.unsat), seed
    assert empty > 5


def atom(form: Any, strict: bool = False) -> Inequality[Any]:
    return Inequality(form, strict)


AT_TWO = [atom(x - number(2)), atom(number(2) - x)]
EMPTY: list[tuple[list[Inequality[Any]], Any, Any, Any, bool]] = [  # inside, one of, none of, bits
    (AT_TWO, None, (), (), False), ([*AT_TWO, atom(x - number(1))], None, (), (), True), ([*AT_TWO, atom(x - number(2), True)], None, (), (), True), (AT_TWO, None, [[atom(x)]], (), False),
    (AT_TWO, None, [[atom(x - number(3))]], (), True), (AT_TWO, None, [[atom(x)], [atom(x - number(3))]], (), True), (AT_TWO, None, [[atom(x - number(3)), atom(number(3) - x)]], (), False), (AT_TWO, None, [[]], (), True),
    (AT_TWO, None, (), (X,), True), ([atom(x), atom(-x)], None, (), (X,), False), ([atom(x - number(1)), atom(number(1) - x)], None, (), (X,), False), ([atom(x - number(HALF)), atom(number(HALF) - x)], None, (), (X,), True),
    ([atom(x), atom(-x)], None, [[atom(x)]], (X,), True), (AT_TWO, [[atom(x)], [atom(number(1) - x)]], (), (), False), (AT_TWO, [[atom(x)], [atom(number(3) - x)]], (), (), True), (AT_TWO, [], (), (), True),
    ([], [AT_TWO, [atom(x), atom(-x)]], [[atom(x)]], (), False), ([], [AT_TWO, [atom(x), atom(-x)]], [[atom(x - number(5))]], (), True), ([atom(-x, True), atom(x - number(1), True)], None, (), (X,), True),
    ([atom(-x, True), atom(x - number(1), True)], None, (), (), False), ([atom(x, True), atom(y, True), atom(-x - y, True)], None, (), (), True), ([atom(x), atom(y), atom(-x - y)], None, (), (), False),
    ([atom(x + y), atom(-x - y, True)], None, (), (), True), ([atom(x + y), atom(-x - y)], None, (), (), False), ([atom(x + y, True), atom(-x - y)], None, (), (), True), ([atom(x + y - number(1)), atom(number(2) - x - y), atom(x + y - number(9))], None, (), (), True),
    ([atom(x + y - number(9)), atom(number(2) - x - y), atom(x + y - number(1))], None, (), (), True), ([atom(x + y - number(9)), atom(number(2) - x - y)], None, (), (), False), ([], None, (), (), False), ([atom(number(1))], None, (), (), True),
    ([atom(x + y), atom(-x - y)], None, [[atom(x)]], (X,), False), ([atom(x + y), atom(-x - y)], None, [[atom(x - number(1))]], (X,), True),
]  # fmt: skip


@pytest.mark.parametrize("at", range(len(EMPTY)))
def test_emptiness_of_small_sets(at: int) -> None:
    inside, one_of, none_of, bits, empty = EMPTY[at]
    assert solver.is_empty(inside, 10**6, one_of, none_of, bits) is empty


def test_plain_contradictions() -> None:
    one, two = x + y - number(1), -x - y
    assert solver.contradict([atom(one), atom(two + number(2))]) and solver.contradict([atom(one), atom(two + number(1), True)]) and solver.contradict([atom(one, True), atom(two + number(1))])
    assert solver.contradict([atom(one, True), atom(two + number(1), True)]) and not solver.contradict([atom(one), atom(two + number(1))]) and not solver.contradict([atom(one), atom(two)])
    assert solver.contradict([atom(one), atom(x), atom(two + number(2))]) and not solver.contradict([atom(one), atom(-x + number(5))]) and not solver.contradict([]) and not solver.contradict([atom(one), atom(one, True)])
    assert solver.contradict([atom(one), atom(two + number(2)), atom(one - number(8))]) and solver.contradict([atom(one - number(8)), atom(two + number(2)), atom(one)]) and solver.contradict([atom(number(1))]) is True and solver.contradict([atom(number(0), True)]) is True


def test_questions_to_z3_are_counted() -> None:
    inside = [atom(x, True), atom(y, True), atom(-x - y, True)]
    with limited(3 * solver.QUESTION):
        assert solver.is_empty(inside, 10**6) and solver.is_empty(inside, 10**6)
        with pytest.raises(OutOfSteps):
            solver.is_empty(inside, 10**6), solver.is_empty(inside, 10**6)
    with limited(1):
        assert not solver.is_empty([atom(x), atom(y)], 10**6) and solver.is_empty(AT_TWO, 10**6, [])


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (at_most(x, y.times(2)), "0 >= x + -2*y"), (below(n, k), "0 > -1*k + n"), (equal(x, number(HALF)), "0 == x + -1/2"), (at_most(n, x), "0 >= ToReal(n) + -1*x"), (at_most(choose(B, n, x), ZERO), "0 >= If(b, ToReal(n), x)"),
        (at_most(choose(B, n, k), ZERO), "0 >= If(b, n, k)"), (at_most(x, ZERO), "0 >= x"), (at_most(n.times(3), number(2)), "0 >= 3*n + -2"), (equal(choose(B, x, number(1)).times(-1), y), "0 == y + If(b, x, 1)"),
        (every([B, at_most(x, ZERO)]), "And(b, 0 >= x)"), (some([B, negate(C)]), "Or(b, Not(let))"), (TRUE, "True"), (FALSE, "False"), (at_most(n, number(HALF)), "0 >= ToReal(n) + -1/2"), (at_most(x.times(HALF), ZERO), "0 >= 1/2*x"),
    ],
)  # fmt: skip
def test_what_z3_is_given(formula: Formula, text: str) -> None:
    words = solver.Translator()
    found = words.formula(formula)
    assert str(found) == text and found.ctx == words.context
    left = [found, *found.children(), *(part for child in found.children() for part in child.children())]
    assert {part.ctx == words.context for part in left} == {True}
    numbers = [part for part in left if z3.is_arith(part)]
    whole = not any(str(part.sort()) == "Real" for part in numbers)
    assert whole == (not any(symbol.sort == REAL for symbol in symbols_of(formula)) and "1/2" not in text)


def test_parts_belong_to_the_context_of_their_words() -> None:
    words = solver.Translator(z3.Context())
    whole, real = words.form(n + k, True), words.form(n + choose(B, x, y), False)
    for made in (whole, real, words.unknown(B), words.number(3, True), words.number(3, False), words.implies(words.unknown(B), words.formula(C)), words.arithmetic(z3.Z3_mk_mul, [whole, whole])):
        assert made.ctx == words.context
    assert words.form(n, False).ctx == words.form(choose(B, n, x), False).ctx == words.context
    assert str(words.implies(words.unknown(B), words.formula(C))) == "Implies(b, let)" and str(words.form(ZERO, True)) == "0" == str(words.form(ZERO, False))
    assert [str(words.form(form, True).sort()) for form in (ZERO, n, n + number(1))] == ["Int"] * 3 and [str(words.form(form, False).sort()) for form in (ZERO, n, n + number(1))] == ["Real"] * 3
    assert solver.Translator().context != words.context != z3.main_ctx()

    class Other:
        kind, sort = "other ", "Int"

        def __str__(self) -> str:
            return "w"

    other = words.unknown(Other())
    assert str(other) == "other w" and str(other.sort()) == "Real"


def test_switches_assert_while_they_are_assumed() -> None:
    words = solver.Translator()
    board = solver.Switchboard(words, [at_most(x, number(5))], 10**6)
    low, high, far = (board.assertion(name, f) for name, f in (("low", at_most(number(3), x)), ("high", at_most(x, number(1))), ("far", at_most(number(7), x))))
    above, below_ = board.denial("above", at_most(x, number(4))), board.denial("below", at_most(number(2), x))
    assert [low, above] == [Symbol("low", BOOL), Symbol("above", BOOL)] and [board.check(some) for some in ([], [low], [low, high], [far], [low, above], [high, above])] == ["sat", "sat", "unsat", "unsat", "sat", "unsat"]
    assert board.check([low, high, above]) == "unsat" and board.core() in ({"low", "high"}, {"high", "above"})
    assert board.check([far, low]) == "unsat" and board.core() == {"far"}
    assert board.broken([low], [above]) == [True] and board.broken([high], [above]) == [False] and board.broken([high], [below_]) == [True] and board.broken([low, high], [above, below_]) == [False, False]
    assert board.broken([high], [above, below_]) == [False, True] and board.broken([low], [above, below_]) == [True, False], "one of them is false"
    assert board.check([low]) == "sat" and board.broken([], [above, below_]) in ([True, False], [False, True]), "what was asked is forgotten"
    given = solver.Switchboard(words, [every([at_most(x, number(5)), at_most(number(6), x)])], 10**6)
    assert given.check([]) == "unsat" and given.core() == set() and given.broken([], []) == []


HARD = "(declare-const a Int)(declare-const b Int)(declare-const c Int)(assert (= (+ (* a a a) (* b b b) (* c c c)) 33))(assert (> (* a b) 7))(check-sat)"


def test_scripts_are_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    script = "(declare-const x Real)(assert (< x {}))(assert (> x 1.0))"
    assert [solver.check_script(script.format(end), 10**6) for end in ("1.0", "2.0", "y")] == ["unsat", "sat", "unknown"]
    assert solver.check_script(HARD, 2_000) == "unknown" and solver.has_second_opinion() is (find_spec("cvc5") is not None)
    contexts: list[Any] = []
    made = z3.Solver
    monkeypatch.setattr(solver.z3, "Solver", lambda ctx: contexts.append(ctx) or made(ctx=ctx))
    own = solver.new_context()
    assert solver.check_script(script.format("1.0"), 10**6, own) == "unsat" and solver.check_script(script.format("2.0"), 10**6, own) == "sat" and solver.check_script("(assert false)", 10**6) == "unsat"
    assert contexts[0] is contexts[1] is own and contexts[2] is not own and isinstance(contexts[2], z3.Context) and contexts[2] is not z3.main_ctx()


@pytest.mark.skipif(not solver.has_second_opinion(), reason="cvc5 is not installed")
def test_the_second_solver_is_asked_the_same() -> None:
    script = "(set-logic ALL)(declare-const x Real)(assert (< x {}))(assert (> x 1.0)){}"
    ask = "(check-sat)"
    assert [solver.second_opinion(script.format(*given), 10_000) for given in (("1.0", ask), ("2.0", ask), ("y", ask), ("1.0", ""), ("1.0", ask + ask), ("1.0", ask + "(echo \"x\")"))] == ["unsat", "sat", *["unknown"] * 4]
    assert solver.second_opinion(f"(set-logic ALL){HARD}", 1) == "unknown" and solver.second_opinion("(set-logic ALL)(echo \"maybe\")", 10_000) == "unknown"
