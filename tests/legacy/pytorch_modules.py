"""Modules in PyTorch's style that several tests use."""

from functorch7.legacy import nn, torch

from .helpers import values

X, Y = values(4, 3, seed=1).astype("f"), values(4, 3, seed=2).astype("f")


class Scale(nn.Module):
    """input * factor, with a learnable factor of an unusual name; notes when it is traced."""

    traces = []

    def __init__(self, factor=2.0):
        super().__init__()
        self.factor = nn.Parameter(torch.ones(1).mul(factor))

    def forward(self, input):
        self.traces.append(1)
        return input * self.factor


class Mixed(nn.Module):
    """Several arguments, a described module that is called twice, and a buffer inside."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)
        self.norm = nn.BatchNormalization(3)
        self.shift = 1.0

    def forward(self, a, b=None, *, times=1, name="plus"):
        h = self.linear(self.linear(a))
        if self.training:
            h = self.norm(h)
        h = h if b is None else (h + b if name == "plus" else h * b)
        return h * times + self.shift


def described():
    """A network of Torch's layers and a user's."""
    return nn.Sequential(
        nn.Linear(3, 4), nn.BatchNormalization(4), nn.Sequential(nn.ReLU(), nn.Linear(4, 2, False), Scale())
    )


def custom(forward, **attributes):
    """A module with this forward and with attributes of these values, or of what these functions make."""

    def init(self):
        super(kind, self).__init__()
        for name, value in attributes.items():
            setattr(self, name, value() if callable(value) else value)

    kind = type("Wrong", (nn.Module,), {"__init__": init, "forward": forward})
    return kind()
