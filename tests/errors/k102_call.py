from kolahal import Epsilon, Exp, Lap, Private, each_within, hole, one_within, sketch


@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    s = round(q[0])  # K102
    print(s)  # K102
    t = set(q)  # K102
    u = laplace(2 / eps)  # K102
    v = math.sqrt(eps)  # K102
    w = (lambda y: y)(3)  # K102
    random.shuffle(q)  # K102
    return s
