x = (1, 2  # K005: the bracket is never closed

def f():
    return 1
