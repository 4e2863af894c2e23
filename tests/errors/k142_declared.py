from kolahal import Epsilon, Private, each_within, sketch


@sketch(adjacent=each_within(1))
def nothing(q: Private[0], eps: Epsilon):  # K142
    return 0


@sketch(adjacent=each_within(1))
def below(q: Private[-1], eps: Epsilon):  # K142
    return 0


@sketch(adjacent=each_within(1))
def bits(q: Private[str], eps: Epsilon):  # K142
    return 0


@sketch(adjacent=each_within(1))
def order(q: Private[7, int], eps: Epsilon):  # K142
    return 0


@sketch(adjacent=each_within(1))
def twice(q: Private[int, int], eps: Epsilon):  # K142
    return 0


@sketch(adjacent=each_within(1))
def more(q: Private[int, 7, 7], eps: Epsilon):  # K142
    return 0


@sketch(adjacent=each_within(1))
def truth(q: Private[True], eps: Epsilon):  # K142
    return 0


@sketch(adjacent=each_within(1))
def named(q: Private[N], N: int, eps: Epsilon):  # K142
    return 0


@sketch(adjacent=each_within(1))
def huge(q: Private[1_000_001], eps: Epsilon):  # K142
    return 0


@sketch(adjacent=each_within(1))
def quoted(q: "Private[1.0]", eps: Epsilon):  # K142
    return 0


@sketch(adjacent=each_within(1))
def empty(q: Private[()], eps: Epsilon):  # K142
    return 0
