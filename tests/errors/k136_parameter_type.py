from kolahal import Epsilon, Exp, Lap, Private, each_within, hole, one_within, sketch


@sketch(adjacent=each_within(1))
def f(
    q: Private,
    eps: Epsilon,
    T,  # K136
    n: str,  # K136
    r: list[float],  # K136
    s: 'not an annotation (',  # K136
):
    return T + Lap(n / eps)
