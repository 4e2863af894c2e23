from kolahal import Flip, Pick, Private, Rho, choose, hole, one_within, sketch


@sketch(adjacent=one_within(1))
def f(q: Private[int], rho: Rho):
    turned = Flip(hole)  # K155
    place = choose(q, hole)  # K155
    return turned, place + Pick(hole, 3)  # K155
