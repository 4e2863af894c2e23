from kolahal import Epsilon, Exp, Lap, Private, each_within, hole, one_within, sketch

state = [1]
state.append(2)
count = 0


def reads_state(x):
    return x + state[0]


def reads_what_changes(x):
    return x + count


count = 1


def needs_two(x, y):
    return x + y


def grows(x, out=[]):
    return x


def starred(*xs):
    return xs


@starred
def decorated(x):
    return x


def outer_name(x):
    return x + total


@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    total = 1
    a = reads_state(q[0])  # K150
    b = reads_what_changes(q[0])  # K150
    c = needs_two(q[0])  # K150
    d = grows(q[0])  # K150
    e = starred(q[0])  # K150
    g = decorated(q[0])  # K150
    h = outer_name(q[0])  # K150
    return total
