from kolahal import Epsilon, Exp, Lap, Private, each_within, hole, one_within, sketch


@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    import math  # K101
    with q:  # K101
        x = 1
    try:  # K101
        x = 2
    except ValueError:
        x = 3
    def helper(y):  # K101
        return y
    class Thing:  # K101
        pass
    assert eps > 0  # K129
    raise ValueError  # K101
    global z  # K101
    del q  # K101
    match eps:  # K101
        case 1:
            x = 4
    return x
