from kolahal import Epsilon, Exp, Lap, Private, each_within, hole, one_within, sketch


def down(n):
    return 0 if n <= 0 else down(n - 1)  # K151


def even(n):
    if n <= 0:
        return True
    return odd(n - 1)


def odd(n):
    if n <= 0:
        return False
    return even(n - 1)  # K151


@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    a = down(3)
    b = even(3)
    return f(q, eps)  # K151
