"""Networks that rows of `cases.py` are about."""

import functorch7 as f7


def ties():
    return f7.Shared(f7.Sequential(f7.Linear(3, 3), f7.Tanh(), f7.Linear(3, 3)), (((0, "weight"), (2, "weight")),))


def recurrence():
    step = f7.Sequential(f7.ParallelTable(f7.Linear(3, 4), f7.Linear(4, 4)), f7.CAddTable(), f7.Tanh())
    return f7.Recurrence(step, 4, 1)


def attention():
    step = f7.Sequential(f7.ParallelTable(f7.Linear(3, 4), f7.Linear(2, 4)), f7.CAddTable(), f7.Tanh())
    return f7.RecurrentAttention(f7.Recurrent(4, step, f7.Linear(4, 4)), f7.Linear(4, 2), 2, 4)


def graph():
    first, second = f7.Node(f7.Linear(3, 4)), f7.Node(f7.Identity())
    left, right = second.split(2)
    return f7.Graph([first, second], [f7.Node(f7.CAddTable(), first - f7.Tanh(), left), right - f7.Linear(4, 2)])


def last_steps():
    return f7.VariableLength(f7.Sequencer(f7.RecGRU(3, 2).mask_zero()), last_only=True)
