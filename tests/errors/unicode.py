from kolahal import Epsilon, Exp, Lap, Private, each_within, hole, one_within, sketch


@sketch(adjacent=each_within(1))
def größe(q: Private, ε: Epsilon, Δ: float):
    x = "日本語" + 1  # K202
    α = Δ + round(q)  # K102 ü
    if α > 0:
	    return β  # K201
    # a form feed  and a line separator   end no line
    return ω + Lap(2 * hole)  # K112
