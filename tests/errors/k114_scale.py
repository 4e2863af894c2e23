from kolahal import Epsilon, Exp, Lap, Private, each_within, hole, one_within, sketch


@sketch(adjacent=each_within(1))
def f(q: Private, flag: bool, N: int, eps: Epsilon):
    n = 2
    n = n + 1
    late = 0
    b = Lap(q[0])  # K114
    c = Lap(n / eps)
    d = Lap(0)  # K114
    e = Lap(-1 / eps)  # K114
    f = Lap(1 / 0)  # K114
    g = Lap(eps ** 99)  # K114
    h = Lap(eps + 1)  # K114
    i = Lap(True)  # K114
    j = Lap(1e999)  # K114
    k = Lap(flag / eps)  # K114
    l = Lap(len(out))  # K114
    m = Lap(0 ** -1)  # K114
    o = Lap(((9 ** 16) ** 16) ** 16)  # K114
    p = Lap(((eps ** 16) ** 2) ** -1)  # K114
    r = Lap(never)  # K114
    s = Lap(1 / half)  # K114: not before it has a value
    half = eps / 2
    N = N + 1
    u = Lap(N / eps)  # K114: it changes
    return b
