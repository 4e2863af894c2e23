"""Programs over records that were once proved, or emitted, and are not what they seem."""

from fractions import Fraction
from types import SimpleNamespace

import pytest

from kolahal.checking import check
from kolahal.emission.program import emit as write
from kolahal.emission.program import load_emitted
from kolahal.emission.release import emit
from kolahal.errors import KolahalError, UsageError
from kolahal.lang.read.parse import parse
from kolahal.lang.records.table import read_records
from kolahal.lang.sketch import Sketch
from kolahal.proof.find.bounded import prove_bounded
from kolahal.verdicts import Bounded, Proved, Unknown

HEADER = """
class Visit(NamedTuple):
    x: Between(100, 1000)
    y: Between(100, 1000)
    z: float
    n: int
    d: Between(0, 2, whole=True)

@sketch(adjacent=add_remove(1))
def f(rows: Records[Visit], t: float, eps: Epsilon):
{body}
"""


def read(body: str) -> Sketch:
    return parse(HEADER.format(body="\n".join(f"    {line}" for line in body.splitlines())))


def is_proved(body: str) -> bool:
    try:
        return isinstance(check(read(body)).verdict, Proved | Bounded)
    except KolahalError:
        return False


@pytest.mark.parametrize("test", ["r.z > r.x * r.y", "r.z > r.x ** 2", "r.z > 1_000_000 * r.x / r.y", "t > r.x * r.y"])
def test_a_field_without_bounds_goes_beyond_every_product(test):
    """Products are far larger than fields, and so was where they are compared: beyond the cut, where nobody looked."""
    assert not is_proved(f"return sum(1 for r in rows if {test}) + Lap(0.01/eps)")


def test_a_product_is_compared_with_what_has_bounds():
    assert is_proved("return sum(1 for r in rows if r.x > r.x * r.y / 100 and r.z > 3) + Lap(1/eps)")


COUNT = "\nfor r in rows:\n    c[r.d] += 1\n"


@pytest.mark.parametrize(
    "body",
    [
        "c = [0] * 3\na = len(rows)\nc = [a, a, a]" + COUNT + "return [v + Lap(1/eps) for v in c]",
        "c = [0] * 3\na = len(rows)\nif a > 3:\n    c = [a, a, a]" + COUNT + "return [v + Lap(1/eps) for v in c]",
        "c = [0] * 3\ne = c[0]" + COUNT + "return c[0] - e + Lap(0.01/eps)",
        "c = [0] * 3\ne = [v for v in c]" + COUNT + "return c[0] - e[0] + Lap(0.01/eps)",
    ],
    ids=["another list", "another list at times", "a zero kept", "zeros kept"],
)
def test_counting_starts_at_the_zeros_or_not_at_all(body):
    assert not is_proved(body)


def test_counts_of_zeros_made_again_are_proved():
    assert is_proved("c = [1]\nc = [0] * 3\nx = 1" + COUNT + "return [v + x + Lap(1/eps) for v in c]")


@pytest.mark.parametrize(
    "body",
    [
        "a = sum(1 for r in rows if clip(r.d, 0, 2) / 3 < 1 / 3) + Lap(1/eps)\n"
        "b = sum(1 for r in rows if r.d >= 1) + Lap(1/eps)\nreturn a, b",
        "return sum(1 for r in rows if clip(r.n, 0, 9) ** 2 / 7 <= 9 / 7) + Lap(1/eps)",
        "return max((clip(r.n, -9, -1) for r in rows if r.d > 0), default=-9) + Lap(8/eps)",
        "return min((clip(r.z, 0, 0.1) for r in rows if r.d > 1), default=0.5) + Lap(1/eps)",
    ],
    ids=["clipped third", "clipped square", "max", "min"],
)
def test_an_emitted_program_aggregates_exactly(body):
    program = read(body)
    table = program.private.table
    assert table is not None
    space = load_emitted(emit(program, force=True)).__globals__
    for rows in ([], [(100, 100, 0.1, 3, 1)], [(100, 100, 7.5, 3, 0), (100, 100, 0.1, 2, 2), (100, 100, -3, 3, 1)]):
        found = space["_aggregate"](rows)
        assert tuple(found) == table.answers(read_records(table, rows), {})
        assert all(isinstance(answer, int | Fraction) for answer in found)


@pytest.mark.parametrize("name", ["answer_0", "record_z", "record_", "answer__0", "t"])
@pytest.mark.parametrize("rows", ["rows", "answer_0", "record_z"])
def test_names_of_parameters_are_not_taken_by_the_emitted_program(name, rows):
    if name == rows:
        return
    body = f"    return sum(2 for r in {rows} if r.z > {name}) + Lap(2/eps)"
    program = parse(HEADER.replace("rows", rows).replace("t: float, eps", f"{name}: float, eps").format(body=body))
    space = load_emitted(emit(program)).__globals__
    given = [(100, 100, z, 0, 0) for z in (1, 4, 7, 3)]
    assert space["_aggregate"](given, Fraction(3)) == [4]
    assert abs(space["f"](given, 3, 1000) - 4) < 1  # fails once in exp(500) runs


DIVIDED = """
@sketch(adjacent=add_remove(1))
def f(rows: Records, lo: float, hi: float, eps: Epsilon):
    return {item}
"""


@pytest.mark.parametrize(
    ("item", "bounds"),
    [
        ("sum(clip(r, hi, 0) / hi for r in rows)", (0, -3)),
        ("sum(1 for r in rows if r / hi > 1 and r < 0) + Lap(0.1/eps)", (0, -1)),
        ("sum(max(0, lo - hi) / (hi - lo) for r in rows) + Lap(0.001/eps)", (3, 1)),
    ],
)
@pytest.mark.parametrize("rows", [[], [-2.0]])
def test_what_is_only_divided_by_is_above_zero_too(item, bounds, rows):
    """Where the divisor is above 0 no record counts at all; elsewhere each may, and a call must not get there.

    Not even to a quotient by 0: that there is no error tells that there are no records.
    """
    program = parse(DIVIDED.format(item=item))
    assert isinstance(check(program).verdict, Proved)
    program(rows=rows, lo=-1, hi=3, eps=1)
    for low, high in (bounds, (0, 0)):
        with pytest.raises(UsageError, match="must be above 0"):
            program(rows=rows, lo=low, hi=high, eps=1)


@pytest.mark.parametrize(
    "inner",
    [
        "sum(sum(100 * (2 - d) for r in rows) for d in range(2))",
        "sum([sum(100 * (2 - d) for r in rows) for d in range(2)])",
        "sum([sum(100 * (2 - d) for r in rows) for d in zeros])",
        "max(sum(100 * (2 - d) for r in rows) + Lap(1/eps) for d in range(1))",
    ],
)
@pytest.mark.parametrize("before", ["", "y = sum(0.5 for r in rows)\n"])
def test_a_comprehension_inside_has_its_own_variable(inner, before):
    """In `range(2, 3)` the record would add nothing; but that is not the `d` that it adds."""
    assert not is_proved(f"zeros = [0, 0]\n{before}x = [{inner} for d in range(2, 3)]\nreturn x[0] + Lap(1/eps)")


def test_a_comprehension_beside_another_may_have_the_same_variable():
    assert is_proved("x = [[sum(1 for r in rows if r.d == d) for d in range(3)][0], 0]\ny = [v + Lap(1/eps) for v in x]\nreturn y[0]")


@pytest.mark.parametrize(
    "made",
    ["[len(rows)]", "[sum(1 for r in rows if r.d == i) for i in range(2)]", "[0] * 3\nfor r in rows:\n    made[r.d] += 1"],
    ids=["a list", "a comprehension", "zeros"],
)
def test_a_list_of_aggregates_is_there_from_where_it_is_made(made):
    """Before that Python stops, here where more than three records are below 1."""
    end = f"made = {made}\nreturn made[0] + Lap(1/eps)"
    assert is_proved(end)
    assert not is_proved("one = 1\nc = sum(1 for r in rows if r.z < one)\nif c > 3:\n    y = made[0]\n" + end)


@pytest.mark.parametrize("before", ["if t > 3:\n    s = 0\n", "s = None\nif t > 3:\n    s = 0\n", "while t > 3:\n    s = 0\n    t = 0\n"])
@pytest.mark.parametrize("add", ["s += 1", "s = s - r.x", "if r.z > 3:\n        s += 1"])
def test_a_loop_adds_to_a_number(before, add):
    """Otherwise Python stops as soon as there is a record that counts, and goes on where there is none."""
    loop = f"for r in rows:\n    {add}\nreturn len(rows) + Lap(1/eps)"
    assert not is_proved(before + loop)
    assert is_proved("s = 0\n" + before.replace("s = None\n", "") + loop)


@pytest.mark.parametrize(
    "turn",
    [
        "w = 1 / (r.x - 100)",
        "w = r.z ** 3",
        "w = log(r.z)",
        "w = 1 / t",
        "w = 1\n    w /= r.n",
        "if 1 / r.n > 3:\n        pass",
        "w = 1 / r.n\n    if r.n > 3 and w > 1:\n        continue",
        "w = r.x / t\n    if t >= 1:\n        s += clip(r.z, 0, 1) / t",
    ],
)
def test_what_a_turn_computes_has_a_value_for_every_record(turn):
    """Python stops at a quotient by 0, whether it counts or not, and that a run stops tells of a record."""
    assert not is_proved(f"s = 0\nfor r in rows:\n    {turn}\n    s += 1\nreturn s + Lap(1/eps)")


@pytest.mark.parametrize("turn", ["w = r.z / 2", "w = 3 * r.z", "w = r.x ** 3", "w = 1 / r.x", "if 9 > r.n > 3:\n        w = 1 / r.n", "w = sqrt(r.z) if r.z > 3 and r.z < 9 else 0", "w = atan(r.z)"])
def test_what_a_turn_computes_need_not_count(turn):
    assert is_proved(f"s = 0\nfor r in rows:\n    {turn}\n    s += 1\nreturn s + Lap(1/eps)")


def test_a_local_name_may_be_divided_by_an_argument_that_counts():
    body = "s = 0\n    for r in rows:\n        w = clip(r, 0, hi) / hi\n        if w > 0.5:\n            s += w\n    return s + Lap(1/eps)"
    assert isinstance(check(parse(DIVIDED.replace("return {item}", body))).verdict, Proved)


@pytest.mark.parametrize("test", ["r.n == i", "r.n >= i"], ids=["named", "all"])
@pytest.mark.parametrize("how", ["max", "min"])
def test_bins_of_an_emitted_program_are_those_of_the_sketch(how, test):
    """A largest of each bin was added up: records moved it further than the noise hides."""
    of = f"{how}((r.d for r in rows if {test}), default=1)"
    program = parse(HEADER.replace("t: float", "m: int").format(body=f"    return [{of} + Lap(9/eps) for i in range(m)]"))
    count = load_emitted(write(program)).__globals__["_aggregate"]
    rows = [SimpleNamespace(x=100, y=100, z=0, n=n, d=d) for n, d in ((0, 2), (0, 0), (1, 0), (1, 0), (3, 2), (3, 2))]
    for m in (1, 4):
        assert count(rows, m) == eval(f"[{of} for i in range(m)]", {"rows": rows, "m": m})


@pytest.mark.parametrize("name", ["clip", "floor", "math"])
@pytest.mark.parametrize("before", ["{} = 3\n", "for {} in range(3):\n    pass\n", ""])
def test_a_value_is_no_function(name, before):
    """Python stops at the first record that asks it."""
    call = {"clip": "clip(r.z, 0, 1)", "floor": "floor(clip(r.z, 0, 1))", "math": "math.floor(clip(r.z, 0, 1))"}[name]
    assert not is_proved(before.format(name) + f"return sum({call} for {'r' if before else name} in rows) + Lap(1/eps)")


@pytest.mark.parametrize("name", ["Fraction", "_records", "_FIELDS", "_aggregate"])
def test_arguments_do_not_hide_names_of_the_emitted_program(name):
    program = parse(HEADER.replace("t: float", f"{name}: float").format(body=f"    return sum(r.x / 3 for r in rows if r.z > {name}) + Lap(334/eps)"))
    with pytest.raises(UsageError, match=f"uses the name {name}"):
        write(program)


def test_a_proof_of_calls_that_are_all_refused_is_none():
    """Bounded proofs look at 1, 2 and 3."""
    program = parse(HEADER.replace("t: float", "t: int").format(body="    assert t >= 5\n    return sum(1 for r in rows if r.z > t) + Lap(0.01/eps)"))
    assert isinstance(prove_bounded(program), Unknown)
    assert not isinstance(check(program).verdict, Proved | Bounded)


@pytest.mark.parametrize(
    ("turn", "fits"),
    [
        ("c[clip(r.n, 0, 2.0)] += 1", False),
        ("c[1.0 if r.z > 3 else 0] += 1", False),
        ("c[r.d * 1.0] += 1", False),
        ("w = 2.0\n    u = clip(r.n, 0, w)\n    c[u] += 1", False),
        ("w = r.d\n    w += 0.0\n    c[w] += 1", False),
        ("c[TOP if r.z > 3 else 0] += 1", False),
        ("c[1 if r.z > 3.5 else 0] += 1.5", True),
        ("c[floor(clip(r.z, 0, 2.5))] += 0.5", True),
        ("w = r.d\n    c[w] += 0.5", True),
    ],
)
def test_places_are_no_floats(turn, fits):
    """Python stops at `c[2.0]`, and so tells that a record is above 2."""
    body = f"c = [0] * 3\nfor r in rows:\n    {turn}\nreturn [v + Lap(2/eps) for v in c]"
    program = "TOP = 2.0\n" + HEADER.format(body="\n".join(f"    {line}" for line in body.splitlines()))
    if fits:
        assert isinstance(check(parse(program)).verdict, Proved)
        return
    with pytest.raises(KolahalError, match="K170"):
        parse(program)


@pytest.mark.parametrize("function", ["sin", "cos", "atan"])
def test_a_record_beyond_all_doubles_is_no_error(function):
    table = read(f"return sum({function}(r.n) for r in rows) + Lap(2/eps)").private.table
    assert table is not None
    for huge in (10**400, -(10**400)):
        (found,) = table.answers(read_records(table, [(100, 100, 0, huge, 0)]), {})
        assert abs(found) < 2
