from kolahal import Epsilon, Exp, Lap, Private, each_within, hole, one_within, sketch


@sketch(adjacent=each_within(1))
async def f(q: Private, eps: Epsilon):  # K134
    async with q:  # K101
        pass
    async for x in q:  # K101
        pass
    return await q  # K103
