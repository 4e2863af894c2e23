"""Which query has the largest answer? Right ones, and wrong ones that release the value or add too little noise."""

from kolahal import Epsilon, Exp, Lap, Private, each_within, monotone, one_within, sketch


@sketch(adjacent=each_within(1))
def laplace_index(q: Private, eps: Epsilon):
    m, v = None, None
    for i in range(len(q)):
        b = q[i] + Lap(2 / eps)
        if v is None or b > v:
            m, v = i, b
    return m


@sketch(adjacent=each_within(1))
def exponential_index(q: Private, eps: Epsilon):
    m, v = None, None
    for i in range(len(q)):
        b = q[i] + Exp(2 / eps)
        if v is None or b > v:
            m, v = i, b
    return m


@sketch(adjacent=one_within(1))
def one_moves(q: Private, eps: Epsilon):
    m, v = None, None
    for i in range(len(q)):
        b = q[i] + Lap(1 / eps)
        if v is None or b > v:
            m, v = i, b
    return m


@sketch(adjacent=monotone(1))
def all_move_one_way(q: Private, eps: Epsilon):
    m, v = None, None
    for i in range(len(q)):
        b = q[i] + Exp(1 / eps)
        if v is None or b > v:
            m, v = i, b
    return m


@sketch(adjacent=each_within(1))
def half_the_noise(q: Private, eps: Epsilon):
    m, v = None, None
    for i in range(len(q)):
        b = q[i] + Lap(1 / eps)
        if v is None or b > v:
            m, v = i, b
    return m


@sketch(adjacent=each_within(1))
def laplace_value(q: Private, eps: Epsilon):
    v = None
    for x in q:
        b = x + Lap(2 / eps)
        if v is None or b > v:
            v = b
    return v


@sketch(adjacent=each_within(1))
def exponential_value(q: Private, eps: Epsilon):
    v = None
    for x in q:
        b = x + Exp(2 / eps)
        if v is None or b > v:
            v = b
    return v
