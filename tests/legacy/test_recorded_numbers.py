"""Numbers that torch7's own C code drew after one seed, in a row, bit for bit.

Recorded from TH of torch7 814ea4a, built with gcc 12 for x86-64: THRandom_manualSeed(2026), then the calls below.
"""

import numpy as np

from functorch7.legacy import torch

RECORDED = [  # the distribution, the type of a tensor of three, the parameters, and the numbers
    ("normal", "Double", (0.5, 2.0), ["0x1.27303caa4bf95p+0", "0x1.eca249a13ff9cp+1", "-0x1.ed81fa1c84628p+1"]),
    ("normal", "Float", (0.0, 1.0), ["0x1.532e280000000p+0", "0x1.44f8900000000p+1", "-0x1.806bc20000000p-2"]),
    ("exponential", "Double", (1.5,), ["0x1.fc75654d10250p-5", "0x1.a30e2b79f6d1cp-1", "0x1.bd7b6ecb57cf8p-2"]),
    ("cauchy", "Double", (0.25, 2.0), ["-0x1.0007183369ec7p+5", "0x1.9ae172b06ab8bp+5", "0x1.0e2dbdb2cf232p+0"]),
    ("logNormal", "Double", (0.5, 0.25), ["0x1.e655f4bec8b96p+0", "0x1.41027dc84966cp+1", "0x1.f74e54da5100ep+0"]),
    ("geometric", "Int", (0.75,), [3, 1, 6]),
    ("bernoulli", "Byte", (0.25,), [0, 0, 0]),
    ("uniform", "Float", (-1.0, 1.0), ["-0x1.a4a7b80000000p-3", "0x1.6c44940000000p-2", "-0x1.a1dbe40000000p-2"]),
]


def test_a_row_of_draws():
    torch.manualSeed(2026)
    for name, kind, args, numbers in RECORDED:
        drawn = getattr(getattr(torch, f"{kind}Tensor")(3), name)(*args)
        assert drawn.totable() == [float.fromhex(n) if isinstance(n, str) else n for n in numbers]
    assert torch.LongTensor(3).random().totable() == [2319323553, 3840080688, 3729675558]
    assert torch.randperm(6).totable() == [4, 2, 6, 5, 1, 3]
    weights = torch.DoubleTensor([[0.1, 0.2, 0.3, 0.4]])
    assert torch.multinomial(weights, 4).totable() == [[2, 3, 4, 1]]
    assert torch.multinomial(weights, 5, True).totable() == [[3, 4, 1, 1, 1]]
    many = torch.DoubleTensor(700).normal()
    assert [float(many[at]).hex() for at in (700, 351)] == ["0x1.193b4d445ab9ap+0", "0x1.19b1427d79454p-3"]


def test_a_seed_alone_is_the_state_that_torch7_has_after_it():
    torch.manualSeed(5)
    state = np.asarray(torch.getRNGState())
    assert state[8:12].view("i4") == 1 and state[16:24].view("u8") == 0
    torch.random()
    assert np.asarray(torch.getRNGState())[16:24].view("u8") == 1
