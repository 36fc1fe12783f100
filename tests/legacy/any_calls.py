"""Networks with their criterions, and the calls that programs make of them, in any order."""

import copy

import numpy as np

from functorch7.legacy import nn, torch

NETWORKS = {
    "tanh": lambda: nn.Sequential().add(nn.Linear(3, 4)).add(nn.Tanh()).add(nn.Linear(4, 3)),
    "normalised": lambda: nn.Sequential().add(nn.Linear(3, 4)).add(nn.BatchNormalization(4)).add(nn.Linear(4, 3)),
    "drawing": lambda: nn.Sequential().add(nn.Linear(3, 8)).add(nn.Dropout(0.5)).add(nn.Linear(8, 3)),
    "branches": lambda: (
        nn.Sequential()
        .add(nn.ConcatTable().add(nn.Linear(3, 3)).add(nn.Identity()))
        .add(nn.CAddTable())
        .add(nn.Sigmoid())
    ),
    "recurrent": lambda: nn.Sequencer(nn.FastLSTM(3, 3)),
    "penalised": lambda: nn.Sequential().add(nn.L1Penalty(0.1)).add(nn.Linear(3, 3)),
}

WAITING = "tanh", "drawing", "branches"
"""Those whose calls leave nothing but an output, and may wait for the criterion."""

WAITING_ON_THE_HOST = *WAITING, "recurrent"
"""There they may leave recurrent state, too."""


class Program:
    """A network, flat or not, with its criterion and data, to which the same calls are made here and there."""

    def __init__(self, name, is_flat, move):
        torch.manualSeed(3)
        self.net, self.criterion = move(NETWORKS[name]()), move(nn.MSECriterion())
        self.flat = self.net.getParameters() if is_flat else None
        self.x, self.y = move(torch.FloatTensor(4, 3).uniform()), move(torch.FloatTensor(4, 3).uniform())
        self.given = self.gradient = None
        self.seen = []

    def forward(self):
        self.given, self.gradient = self.x, None
        self.net.forward(self.x)

    def loss(self):
        if self.given is not None:
            self.seen.append(self.criterion.forward(self.net.output, self.y))
            self.gradient = self.criterion.backward(self.net.output, self.y)

    def backward(self):
        if self.gradient is not None:
            self.net.backward(self.given, self.gradient)
            self.gradient = None

    def in_two(self):
        if self.gradient is not None:
            self.net.updateGradInput(self.given, self.gradient)
            self.net.accGradParameters(self.given, self.gradient, 0.5)
            self.gradient = None

    def change_input(self):
        self.x.mul(0.9).add(0.1, self.y)

    def look_inside(self):
        if self.given is not None:
            self.seen.append(np.asarray(self.net.get(1).output if self.net.size() > 1 else self.net.output).sum())

    def by_hand(self):
        for parameter, gradient in zip(*self.net.parameters()[:2], strict=True):
            gradient.mul(0.5)
            parameter.add(-0.1, gradient)

    def switch(self):
        (self.net.evaluate if self.net.train else self.net.training)()

    def copied(self):
        self.net.forward(self.x)
        self.net, self.given, self.gradient = copy.deepcopy(self.net), None, None
        self.flat = None if self.flat is None else self.net.getParameters()

    def zero(self):
        self.net.zeroGradParameters()

    def update(self):
        self.net.updateParameters(0.1)

    CALLS = (
        "forward", "forward", "loss", "loss", "backward", "backward", "in_two", "change_input", "look_inside",
        "by_hand", "switch", "copied", "zero", "update",
    )  # fmt: skip
    STEP = ("zero", "forward", "loss", "backward", "update")
