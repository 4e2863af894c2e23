from kolahal import Epsilon, Exp, Lap, Private, each_within, hole, one_within, sketch


@sketch(adjacent=each_within(1))
def a(
    N: int = 1,  # K135
    /,
    q: Private = 3,  # K140
    *rest: float,  # K135
    a: int = 1,  # K135
    eps: Epsilon,  # K135
    **more: float,  # K135
):
    return N + a
