from kolahal import Epsilon, Exp, Lap, Private, each_within, hole, one_within, sketch


@sketch(adjacent=each_within(1))
def f(
    q: Private = 0,  # K140
    a: int = 1.5,  # K140
    b: bool = 1,  # K140
    c: float = None,  # K140
    d: float = 1e999,  # K140
    e: int = True,  # K140
    f: float = Lap(hole),  # K140
    g: int = 1 + 1,  # K140
    h: float = -1.5,
    eps: Epsilon = 0,  # K140
):
    return 0
