"""Sketches and mechanisms as values: completing them, and calling them with checked inputs."""

import math
import pickle
import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from kolahal.errors import UsageError
from kolahal.lang.noise import Noise
from kolahal.lang.read.parse import parse
from kolahal.lang.scale import NO_NOISE, parse_scale
from kolahal.lang.sketch import Sketch, call_mechanism
from kolahal.lang.system_noise import SystemSampler

ABOVE = parse(
    """
@sketch(adjacent=each_within(1))
def above(q: Private, T: float, eps: Epsilon):
    t = T + Lap(hole)
    for i in range(len(q)):
        if q[i] + Lap(hole) > t:
            return i
    return -1
"""
)
ECHO = parse(
    """
@sketch(adjacent=each_within(1))
def echo(q: Private, N: int, flag: bool, T: float = 0.5, eps: Epsilon = 1):
    out = [x for x in q]
    out.append(N)
    out.append(flag)
    out.append(T)
    out.append(eps)
    return out
"""
)


def test_completing_a_sketch():
    mechanism = ABOVE.complete("2/eps", parse_scale("4/eps"))
    assert mechanism.completion == (parse_scale("2/eps"), parse_scale("4/eps"))
    assert "Lap(2/eps)" in str(mechanism)
    assert "Lap(4/eps)" in str(mechanism)
    assert ABOVE.complete(None, "⊥").completion == (NO_NOISE, NO_NOISE)
    assert "Lap" not in str(ABOVE.complete(None, "0"))
    assert "t = T\n" in str(ABOVE.complete(None, "2/eps"))


@pytest.mark.parametrize(
    ("scales", "message"),
    [
        ((), "above has 2 holes, and 0 scales were given"),
        (("2/eps",) * 3, "2 holes, and 3 scales"),
        (("2/eps", "3*N/eps"), "uses N; a scale of above may use T, eps, len(q)"),
        (("2/epsilon", "2/eps"), "uses epsilon"),
        (("2/eps", "nonsense("), "is not a scale"),
        ((2, "2/eps"), "is not a scale"),
    ],
)
def test_completing_a_sketch_wrongly(scales, message):
    with pytest.raises(UsageError, match=re.escape(message)):
        ABOVE.complete(*scales)


@pytest.mark.parametrize(
    ("body", "quantities"),
    [
        ("return q", ("N", "T", "eps", "len(q)")),
        ("T = T + Lap(hole)\n    return T", ("N", "eps", "len(q)")),
        ("for N in q:\n        T = N\n    return T", ("eps", "len(q)")),
        ("q = [x + Lap(hole) for x in q]\n    return q", ("N", "T", "eps", "len(q)")),
        ("q = [1]\n    return q", ("N", "T", "eps")),
        ("q, T = [1], 2\n    return q", ("N", "eps")),
    ],
)
def test_a_scale_may_use_what_never_changes(body, quantities):
    sketch = parse(
        f"@sketch(each_within(1))\ndef f(q: Private, N: int, T: float, flag: bool, eps: Epsilon):\n    {body}\n"
    )
    assert sketch.quantities() == quantities


def test_noise_on_the_whole_numbers():
    discrete = ABOVE.discretised()
    assert {draw.noise for draw in discrete.draws} == {Noise.DISCRETE_LAPLACE}
    assert discrete.discretised() == discrete
    assert parse(str(discrete)) == discrete
    assert discrete != ABOVE


def test_sketches_are_values():
    assert pickle.loads(pickle.dumps(ABOVE)) == ABOVE
    assert len({ABOVE, parse(str(ABOVE)), ABOVE.discretised()}) == 2


# ---------------------------------------------------------------- calling a mechanism


def test_calling_a_mechanism():
    mechanism = ABOVE.complete("2/eps", "4/eps")
    answers = {mechanism([1, 2, 3], T=1.0, eps=0.5) for _ in range(50)}
    assert answers <= {-1, 0, 1, 2}
    assert len(answers) > 1
    assert mechanism([], 1, 0.5) == -1


def test_without_noise_a_mechanism_is_the_program():
    mechanism = ABOVE.complete(None, None)
    assert mechanism([0, 5, 9], T=4, eps=1) == 1
    assert mechanism((0, 5, 9), 6, 1) == 2
    assert mechanism(iter([0.5]), T=0, eps=Fraction(1, 2)) == 0
    assert mechanism(np.array([0.0, 7.0]), T=np.float64(3), eps=np.int64(1)) == 1


def test_values_arrive_as_they_are_and_defaults_stand_in():
    assert ECHO([1, 2.5], 3, True) == [1, 2.5, 3, True, 0.5, 1]
    assert ECHO(q=[Decimal("0.25"), Fraction(1, 2)], N=4.0, flag=False, T=-1, eps=2) == [0.25, 0.5, 4, False, -1, 2]
    assert type(ECHO([1], 4.0, True)[1]) is int


@pytest.mark.parametrize(
    ("args", "kwargs", "message"),
    [
        (([1, math.nan], 1.0, 0.5), {}, "q[1] must be a finite number, not nan"),
        (([math.inf], 1.0, 0.5), {}, "q[0] must be a finite number, not inf"),
        (([10**400], 1.0, 0.5), {}, "q[0] must be a finite number"),
        ((["1"], 1.0, 0.5), {}, "q[0] must be a number, not '1'"),
        (([None], 1.0, 0.5), {}, "q[0] must be a number, not None"),
        (([True], 1.0, 0.5), {}, "q[0] must be a number, not True"),
        (([1j], 1.0, 0.5), {}, "q[0] must be a number"),
        (([[1, 2]], 1.0, 0.5), {}, "q[0] must be a number"),
        ((np.ones((2, 2)), 1.0, 0.5), {}, "q[0] must be a number"),
        ((np.array(3.0), 1.0, 0.5), {}, "q must be a list of numbers"),
        ((3, 1.0, 0.5), {}, "q must be a list of numbers"),
        (("123", 1.0, 0.5), {}, "q must be a list of numbers"),
        (({1: 2}, 1.0, 0.5), {}, "q must be a list of numbers"),
        (({1, 2}, 1.0, 0.5), {}, "q must be a list of numbers"),
        (([1], math.nan, 0.5), {}, "T must be a finite number"),
        (([1], "1", 0.5), {}, "T must be a number"),
        (([1], 1.0, 0), {}, "eps must be above 0, not 0"),
        (([1], 1.0, -0.5), {}, "eps must be above 0"),
        (([1], 1.0, math.inf), {}, "eps must be a finite number"),
        (([1], 1.0, None), {}, "eps must be a number"),
        (([1],), {"eps": 1}, "above needs a value for T"),
        (([1], 1.0), {}, "above needs a value for eps"),
        (([1], 1.0, 0.5), {"tau": 3}, "above has no parameter tau; it has q, T, eps"),
        (([1], 1.0, 0.5), {"T": 3}, "above got T twice"),
        (([1], 1.0, 0.5, 4), {}, "above takes 3 arguments, and 4 were given"),
    ],
)  # fmt: skip
def test_inputs_are_checked(args, kwargs, message):
    with pytest.raises(UsageError, match=re.escape(message)):
        ABOVE.complete("2/eps", "4/eps")(*args, **kwargs)


@pytest.mark.parametrize(
    ("given", "message"),
    [({"N": 1.5}, "N must be a whole number, not 1.5"), ({"N": True}, "N must be a number"), ({"flag": 1}, "flag must be True or False")],
)  # fmt: skip
def test_types_of_arguments_are_checked(given, message):
    with pytest.raises(UsageError, match=re.escape(message)):
        ECHO(**({"q": [1], "N": 1, "flag": True} | given))


def test_a_sketch_with_holes_says_how_to_fill_them():
    with pytest.raises(
        UsageError,
        match=re.escape('above has 2 holes; fill them before calling it, for example above.complete("2/eps", "2/eps")'),
    ):
        ABOVE([1], 1.0, 0.5)


def test_a_scale_that_is_negative_at_a_call():
    sketch = parse(
        "@sketch(each_within(1))\ndef f(q: Private, T: float, eps: Epsilon):\n    return q[0] + Lap(T/eps)\n"
    )
    assert isinstance(sketch([1], 1, 1), float)
    with pytest.raises(UsageError, match="noise scale"):
        sketch([1], -1, 1)


def test_noise_comes_from_the_sampler_at_the_written_scales():
    asked = []

    def sampler(noise, scale):
        asked.append((noise, scale))
        return 100.0

    program = ABOVE.complete("2/eps", "4/eps").filled()
    assert call_mechanism(program, ([1.0, 200.0], 1.0, 0.5), {}, sampler) == 1
    assert asked == [(Noise.LAPLACE, 4.0), (Noise.LAPLACE, 8.0), (Noise.LAPLACE, 8.0)]


@pytest.mark.parametrize("noise", [noise for noise in Noise if not noise.open])
def test_the_samplers_noise_has_the_right_mean_size(noise):
    """P(false alarm) < 1e-9: 20 000 draws with a standard deviation below 1.5 times the scale."""
    scale, runs = 3.0, 20_000
    sampler = SystemSampler()
    draws = [sampler(noise, scale) for _ in range(runs)]
    ratio = math.exp(-1 / scale)
    expected = {
        Noise.LAPLACE: scale,
        Noise.EXPONENTIAL: scale,
        Noise.DISCRETE_LAPLACE: 2 * ratio / (1 - ratio**2),
        Noise.GEOMETRIC: ratio / (1 - ratio),
        Noise.FLIP: ratio / (1 + ratio),
        Noise.CHOOSE: scale * 1.0160,  # of Gumbel noise: γ − 2 Ei(−1)
        Noise.GAUSS: scale * math.sqrt(2 / math.pi),
        Noise.DISCRETE_GAUSS: scale * math.sqrt(2 / math.pi),  # to one part in 10⁴ of it
    }[noise]
    assert abs(sum(map(abs, draws)) / runs - expected) < 6.2 * 1.5 * scale / math.sqrt(runs)
    if noise in (Noise.DISCRETE_LAPLACE, Noise.GEOMETRIC):
        assert all(draw == int(draw) for draw in draws)
    if noise in (Noise.EXPONENTIAL, Noise.GEOMETRIC):
        assert min(draws) >= 0
    assert noise.words
    assert noise.discrete.discrete == noise.discrete


# ---------------------------------------------------------------- what is declared of inputs


def declared(note: str, body: str = "return 0", relation: str = "each_within(1)", more: str = "") -> Sketch:
    return parse(f"@sketch(adjacent={relation})\ndef f(q: {note}, {more}eps: Epsilon):\n    {body}\n")


@pytest.mark.parametrize(
    ("note", "whole", "count"),
    [("Private", False, None), ("Private[int]", True, None), ("Private[7]", False, 7), ("Private[int, 7]", True, 7)],
)
def test_what_is_declared_of_the_private_answers(note, whole, count):
    sketch = declared(note)
    assert (sketch.private.whole, sketch.private.count) == (whole, count)
    assert f"q: {note}, " in str(sketch)
    assert parse(str(sketch)) == sketch
    assert (sketch == declared("Private")) is (note == "Private")
    assert (
        declared(f"'{note}'") == sketch == parse("import kolahal as k\n" + str(sketch).replace("Private", "k.Private"))
    )


def test_calls_refuse_what_is_not_declared():
    echo = "return [x for x in q]"
    assert declared("Private", echo)([0.5, 1], 1) == [0.5, 1]
    assert declared("Private[int]", echo)([3.0, -1, np.float64(2)], 1) == [3, -1, 2]
    assert declared("Private[int]", echo)([], 1) == []
    assert declared("Private[2]", echo)([0.5, 1], 1) == [0.5, 1]
    for note, answers, message in (
        ("Private[int]", [1, 0.5], "q[1] must be a whole number, not 0.5"),
        ("Private[int, 2]", [1, 0.5], "q[1] must be a whole number"),
        ("Private[2]", [1], "q must have 2 answers, and 1 were given"),
        ("Private[2]", [1, 2, 3], "q must have 2 answers, and 3 were given"),
        ("Private[1]", [], "q must have 1 answer, and 0 were given"),
        ("Private[int, 2]", (1.0,), "q must have 2 answers"),
    ):
        with pytest.raises(UsageError, match=re.escape(message)):
            declared(note, echo)(answers, 1)


@pytest.mark.parametrize(
    ("body", "required"),
    [
        ("return N + M", ()),
        ("return q[0] + Lap(N/eps)", ("N",)),
        ("return q[0] + Lap(len(q)*M*N/eps)", ("N", "M")),
        ("return q[0] + Lap(1/(N*eps))", ("N",)),
        ("return 7 % M", ("M",)),
        ("return 7 % (2 * N + M)", ("N", "M")),
        ("return M % 7", ()),
        ("k = eps / N\n    return q[0] + Lap(1/k)", ("N",)),
        ("return q[0] + Lap(T/eps)", ()),
        ("N = N + 1\n    return 7 % N", ()),
    ],
)
def test_whole_arguments_that_have_to_be_at_least_1(body, required):
    mechanism = declared("Private", body, more="N: int, M: int, T: float, ")
    assert mechanism.required == required
    assert mechanism([1.0], 1, 1, 1.0, 1.0) is not None
    for name in required:
        for low in (0, -3):
            with pytest.raises(UsageError, match=f"{name} of f must be at least 1, not {low}"):
                mechanism([1.0], T=1.0, eps=1.0, **{"N": 1, "M": 1, name: low})


def test_a_completion_requires_what_its_scales_use():
    sketch = declared("Private", "return q[0] + Lap(hole)", more="N: int, ").complete("N/eps").filled()
    assert sketch.required == ("N",)
    with pytest.raises(UsageError, match="N of f must be at least 1, not 0"):
        sketch([1.0], N=0, eps=1)


def test_whole_noise_is_for_whole_answers():
    assert ABOVE.discretised().private.whole
    half = declared("Private", "return q[0] + Lap(hole)", "each_within(1/2)")
    assert not half.discretised().private.whole  # there are no whole neighbours at this distance
    assert declared("Private[7]", "return q[0] + Lap(hole)").discretised().private.count == 7


# ---------------------------------------------------------------- what an answer tells


@pytest.mark.parametrize(
    ("body", "answer"),
    [
        ("return 6 / 2", "3"),
        ("return 0 * q[0]", "0"),
        ("return -0.0 * q[0], True", "(0, True)"),
        ("return [q[0] / 2, 1.0, None, False]", "[-0.5, 1, None, False]"),
        ("return (q[0] / 1,)", "(-1,)"),
        ("return q", "[-1]"),
    ],
)
def test_the_types_of_an_answer_tell_its_value_alone(body, answer):
    """0.0 and -0.0, or 3 and 3.0, would tell how an answer was computed."""
    assert repr(declared("Private", body)([-1.0], 1)) == answer
