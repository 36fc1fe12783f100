"""The results that torch7's documentation prints: tensor.md, maths.md, storage.md, random.md; DoubleTensors."""

import math

import pytest

from functorch7.legacy import torch

from .helpers import same


@pytest.fixture(autouse=True)
def doubles():
    """Torch's default type."""
    before = torch.getdefaulttensortype()
    torch.setdefaulttensortype("torch.DoubleTensor")
    yield
    torch.setdefaulttensortype(before)


def T(*rows):
    return torch.DoubleTensor(list(rows))


def long(*rows):
    return torch.LongTensor(list(rows))


def counted(*sizes):
    return torch.range(1, math.prod(sizes)).view(*sizes)


def zeros(*sizes):
    return torch.zeros(*sizes)


def changed(x, change):
    """x, after what is done to views of it."""
    change(x)
    return x


def counting(storage):
    for i in range(1, storage.size() + 1):
        storage[i] = i


def wiped(x):
    memory = torch.data(x)
    for i in range(x.nElement()):
        memory[i] = 0


def setting(x, key, value):
    x[key] = value
    return x


X = [
    [0.8020, 0.7246, 0.1204, 0.3419, 0.4385], [0.0369, 0.4158, 0.0985, 0.3024, 0.8186],
    [0.2746, 0.9362, 0.2546, 0.8586, 0.6674], [0.7473, 0.9028, 0.1046, 0.9085, 0.6622],
    [0.1412, 0.6784, 0.1624, 0.8113, 0.3949],
]  # fmt: skip
G = [
    [0.7259, 0.5291, 0.4559, 0.4367, 0.4133], [0.0513, 0.4404, 0.4741, 0.0658, 0.0653],
    [0.3393, 0.1735, 0.6439, 0.1011, 0.7923], [0.7606, 0.5025, 0.5706, 0.7193, 0.1572],
    [0.1720, 0.3546, 0.8354, 0.8339, 0.3025],
]  # fmt: skip
S = [[0.3227, 0.4294, 0.8476, 0.9414, 0.1159], [0.7338, 0.5185, 0.2947, 0.0578, 0.1273]]
V = [0.7160, 0.6514, 0.0704, 0.7856, 0.7452]
N = [[2, 0, 2, 0], [0, 0, 1, 2], [0, 2, 2, 1], [2, 1, 2, 2]]
B = [[2, 4, 2, 2, 5, 4], [3, 5, 1, 5, 3, 5], [3, 4, 2, 5, 5, 1]]
SORTED = [[-1.2470, -0.4288, -0.5337], [0.8836, -0.1622, 0.9604], [0.6297, 0.2397, 0.0746]]
MAXED = [[1.1994, -0.6290, 0.6888], [-0.0038, -0.0908, -0.2075], [0.3437, -0.9948, 0.1216]]
MEDIAN = [[0.7860, 0.7687, -0.9362], [0.0411, 0.5407, -0.3616], [-0.0129, -0.2499, -0.5786]]
CUBE = [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]
PART, COUNTED = [1, 1, 2, 2, 1, 1], [[5 * i + j for j in range(1, 6)] for i in range(4)]
ADDED = [
    [-2.1742, 0.5688, -1.0201, 0.1383, 1.0504], [0.0970, 0.2169, 0.1324, 0.9553, -1.9518],
    [-0.7607, 0.8947, 0.1658, -0.2181, -2.1237], [-1.4099, 0.2342, 0.4549, 0.6316, -0.2608],
    [0.0349, 0.4713, 0.0050, 0.1677, 0.2103],
]  # fmt: skip
LEFT = [0.5694, 0.5264, 0.3041, 0.4159, 0.1677, 0.7964, 0.0257, 0.2093, 0.6564, 0.0740]
RIGHT = [0.2950, 0.4867, 0.9133, 0.1291, 0.1811, 0.3921, 0.7750, 0.3259, 0.2263, 0.1737]
LESS = [0, 0, 1, 0, 1, 0, 1, 1, 0, 1]
SIX_LINES = [[0] * 6, [1] * 6, [1] * 6, [1] * 6, [0] * 6]

TENSORS = {
    "strides of 0": (lambda: setting(torch.Tensor(torch.LongStorage([4]), torch.LongStorage([0])), 1, 1), [1] * 4),
    "sizes or numbers": (lambda: [torch.FloatTensor(torch.LongStorage([1, 2])).size().totable(),
                                  torch.LongTensor(torch.LongStorage([1, 2]))], [[1, 2], [1, 2]]),
    "storages": (lambda: changed(torch.Storage(10).fill(1), lambda s: torch.Tensor(
        s, 1, torch.LongStorage([2, 5])).zero()), [0] * 10),
    "the long way to an element": (lambda: (x := counted(7, 7, 7)).storage()[
        x.storageOffset() + 2 * x.stride(1) + 3 * x.stride(2) + 4 * x.stride(3)], 2 * 49 + 3 * 7 + 4 + 1),
    "clone": (lambda: changed(counted(5), lambda x: x.clone().fill(1)), [1, 2, 3, 4, 5]),
    "contiguous": (lambda: changed(torch.ones(2, 3), lambda x: (x.contiguous().fill(2), x.t().contiguous().fill(3.14))),
                   [[2] * 3] * 2),
    "type": (lambda: torch.Tensor(3).fill(3.14).type("torch.IntTensor"), [3, 3, 3]),
    "the same type": (lambda: changed(torch.ones(3), lambda x: x.type("torch.DoubleTensor").zero()), [0] * 3),
    "questions": (lambda: [
        torch.isTensor(x := torch.randn(3, 4)), torch.isTensor(x[1]), torch.isTensor(x[1][2]),
        torch.randn(4, 5).isContiguous(), torch.randn(4, 5).select(2, 3).isContiguous(),
        torch.Tensor(4, 5).isSize(torch.LongStorage([4, 5])), torch.Tensor(4, 5).isSize(torch.LongStorage([5, 4, 1])),
        torch.Tensor(4, 5).isSameSizeAs(torch.Tensor(4, 5)), torch.Tensor(4, 5).isSameSizeAs(torch.Tensor(4, 6)),
        T(1, 2, 3).equal(T(1, 2, 3)), T(1, 2, 3).equal(T(1, 2, 4)),
    ], [1, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0]),
    "numbers about it": (lambda: [(x := torch.Tensor(4, 5)).size(2), x.stride(2), x.stride(1), x.nElement(), x.dim(),
                                  x.select(2, 3).stride(1)], [5, 1, 5, 20, 2, 5]),
    "elements": (lambda: [(x := counted(3, 3))[2][3], x[2, 3], x[torch.LongStorage([2, 3])], x[2], x[torch.le(x, 3)]],
                 [6, 6, 6, [4, 5, 6], [1, 2, 3]]),
    "isSetTo": (lambda: [(y := torch.Tensor()).isSetTo(x := torch.Tensor(2, 5)), y.set(x).isSetTo(x), y.t().isSetTo(x)],
                [0, 1, 0]),
    "copy": (lambda: torch.Tensor(2, 2).copy(torch.ones(4)), [[1, 1], [1, 1]]),
    "narrow": (lambda: changed(zeros(5, 6), lambda x: x.narrow(1, 2, 3).fill(1)), SIX_LINES),
    "sub": (lambda: changed(zeros(5, 6), lambda x: x.sub(2, 4).fill(1)), SIX_LINES),
    "sub of two dimensions": (lambda: changed(
        zeros(5, 6), lambda x: (x.sub(2, 4).fill(1), x.sub(2, 4, 3, 4).fill(2))).sub(2, 4).sub(-1, -1, 3, 4), [[2, 2]]),
    "select": (lambda: changed(zeros(5, 6), lambda x: (x.select(1, 2).fill(2), x.select(2, 5).fill(5))),
               [[0, 0, 0, 0, 5, 0], [2, 2, 2, 2, 5, 2], *[[0, 0, 0, 0, 5, 0]] * 3]),
    "places": (lambda: [
        setting(setting(zeros(5, 6), (1, 3), 1), (2, [2, 4]), 2),
        setting(setting(zeros(5, 6), ([], 4), -1), ([], 2), torch.range(1, 5)),
        setting(x := T([1, -1]), torch.lt(x, 0), -2),
    ], [[[0, 0, 1, 0, 0, 0], [0, 2, 2, 2, 0, 0], *[[0] * 6] * 3], [[0, i, 0, -1, 0, 0] for i in range(1, 6)],
        [[1, -2]]]),
    "index": (lambda: [T(*X).index(1, long(3, 1)), torch.Tensor().index(T(*X), 1, long(3, 1))], [[X[2], X[0]]] * 2),
    "indexCopy": (lambda: T(*X).indexCopy(2, long(5, 1), T(*[[-1, -2]] * 5)), [[-2, *row[1:4], -1] for row in X]),
    "indexAdd": (lambda: torch.range(1, 5).indexAdd(1, long(1, 1, 3, 3), torch.range(1, 4)), [4, 2, 10, 4, 5]),
    "indexFill": (lambda: T(*X).indexFill(2, long(4, 2), -10), [[a, -10, c, -10, e] for a, _, c, _, e in X]),
    "gather rows": (lambda: T(*G).gather(1, long([1, 2, 3, 4, 5], [2, 3, 4, 5, 1])), [
        [0.7259, 0.4404, 0.6439, 0.7193, 0.3025], [0.0513, 0.1735, 0.5706, 0.8339, 0.4133]]),
    "gather columns": (lambda: T(*G).gather(2, long([1, 2], [2, 3], [3, 4], [4, 5], [5, 1])), [
        [0.7259, 0.5291], [0.4404, 0.4741], [0.6439, 0.1011], [0.7193, 0.1572], [0.3025, 0.1720]]),
    "scatter": (lambda: zeros(3, 5).scatter(1, long([1, 2, 3, 1, 1], [3, 1, 1, 2, 3]), T(*S)), [
        [0.3227, 0.5185, 0.2947, 0.9414, 0.1159], [0, 0.4294, 0, 0.0578, 0], [0.7338, 0, 0.8476, 0, 0.1273]]),
    "scatter a number": (lambda: zeros(2, 4).scatter(2, long([3], [4]), 1.23), [[0, 0, 1.23, 0], [0, 0, 0, 1.23]]),
    "maskedSelect": (lambda: counted(3, 4).maskedSelect(torch.ByteTensor([[1, 0, 1, 0, 0, 0], [1, 1, 0, 0, 0, 1]])),
                     [1, 3, 7, 8, 12]),
    "maskedCopy": (lambda: zeros(4).maskedCopy(torch.ByteTensor([0, 1, 0, 1]), T(10, 20)), [0, 10, 0, 20]),
    "maskedCopy of other sizes": (lambda: torch.Tensor(2, 4).fill(-1).maskedCopy(
        torch.ByteTensor([[0, 0, 1, 1, 1, 0, 1, 0]]), counted(2, 2)), [[-1, -1, 1, 2], [3, -1, 4, -1]]),
    "maskedFill": (lambda: counted(1, 4).maskedFill(torch.ByteTensor([[0, 0], [1, 1]]), -1), [[1, 2, -1, -1]]),
    "nonzero": (lambda: [(x := torch.IntTensor(N)).nonzero(), torch.nonzero(x), torch.LongTensor().nonzero(x),
                         x.eq(1).nonzero()],
                [*[[[1, 1], [1, 3], [2, 3], [2, 4], [3, 2], [3, 3], [3, 4], [4, 1], [4, 2], [4, 3], [4, 4]]] * 3,
                 [[2, 3], [3, 4], [4, 2]]]),
    "expand": (lambda: changed(torch.rand(10, 1), lambda x: torch.expand(x, 10, 2).fill(1)), [[1]] * 10),
    "repeatTensor": (lambda: [torch.repeatTensor(T(*V), 3, 2), torch.repeatTensor(T(*V), 3, 2, 1)],
                     [[V + V] * 3, [[V, V]] * 3]),
    "squeeze": (lambda: [torch.squeeze(counted(2, 1, 2, 1, 2)), torch.squeeze(counted(2, 1, 2, 1, 2), 2)],
                [CUBE, [[[[1, 2]], [[3, 4]]], [[[5, 6]], [[7, 8]]]]]),
    "view": (lambda: [zeros(4).view(*sizes) for sizes in ((2, 2), (2, -1), (torch.LongStorage([2, 2]),))],
             [[[0, 0], [0, 0]]] * 3),
    "transpose": (lambda: changed(zeros(3, 4), lambda x: (x.select(2, 3).fill(7), x.t().select(2, 3).fill(8))),
                  [[0, 0, 7, 0], [0, 0, 7, 0], [8] * 4]),
    "permute": (lambda: torch.Tensor(3, 4, 2, 5).permute(2, 3, 1, 4).size().totable(), [4, 2, 3, 5]),
    "unfold": (lambda: [counted(7).unfold(1, 2, 1), counted(7).unfold(1, 2, 2)],
               [[[i, i + 1] for i in range(1, 7)], [[1, 2], [3, 4], [5, 6]]]),
    "apply": (lambda: counted(3, 3).apply(math.sin), [
        [0.8415, 0.9093, 0.1411], [-0.7568, -0.9589, -0.2794], [0.6570, 0.9894, 0.4121]]),
    "the sum of sines": (lambda: counted(3, 3).apply(math.sin).sum(), 1.9552094821074),
    "map": (lambda: counted(3, 3).map(counted(9), lambda x, y: x * y), [[1, 4, 9], [16, 25, 36], [49, 64, 81]]),
    "map2": (lambda: counted(3, 3).apply(lambda i: math.cos(i) ** 2).map2(
        counted(9), counted(3, 3), lambda x, y, z: x + y * z),
        [[1.2919, 4.1732, 9.9801], [16.4272, 25.0805, 36.9219], [49.5684, 64.0212, 81.8302]]),
    "six dimensions": (lambda: [(x := torch.Tensor(torch.LongStorage([4, 5, 6, 2, 7, 3]))).nDimension(),
                                x.size().totable()], [6, [4, 5, 6, 2, 7, 3]]),
    "a storage as a matrix": (lambda: changed(torch.Tensor(4, 5), lambda x: counting(x.storage())), COUNTED),
    "strides": (lambda: [(x := counted(4, 5)).stride().totable(), x.select(2, 3).stride().totable()], [[5, 1], [5]]),
    "over another's elements": (lambda: changed(torch.ones(2, 5), lambda x: torch.Tensor(x).zero()), [[0] * 5] * 2),
    "a table": (lambda: torch.Tensor([[1, 2, 3, 4], [5, 6, 7, 8]]), [[1, 2, 3, 4], [5, 6, 7, 8]]),
    "a cast": (lambda: torch.Tensor(3).fill(3.14).int(), [3] * 3),
    "its own sizes": (lambda: (x := torch.Tensor(4, 5)).isSize(x.size()), 1),
    "fill and zero": (lambda: [torch.DoubleTensor(4).fill(3.14), torch.Tensor(4).zero()], [[3.14] * 4, [0] * 4]),
    "sub and its views": (lambda: [(y := (x := zeros(5, 6)).sub(2, 4).fill(1)).sub(1, -1, 3, 4).fill(2), y, x],
                          [[[2, 2]] * 3, [PART] * 3, [[0] * 6, *[PART] * 3, [0] * 6]]),
    "select and its views": (lambda: [(x := zeros(5, 6)).select(1, 2).fill(2).clone(), x.select(2, 5).fill(5)],
                             [[2] * 6, [5] * 5]),
    "an element of a view": (lambda: changed(zeros(2, 3), lambda x: setting(x.t(), (3, 1), 8)), [[0, 0, 8], [0, 0, 0]]),
    "indexAdd of columns": (lambda: T(*ADDED).indexAdd(2, long(5, 1), T(*[[-1, -2]] * 5)), [
        [-4.1742, 0.5688, -1.0201, 0.1383, 0.0504], [-1.9030, 0.2169, 0.1324, 0.9553, -2.9518],
        [-2.7607, 0.8947, 0.1658, -0.2181, -3.1237], [-3.4099, 0.2342, 0.4549, 0.6316, -1.2608],
        [-1.9651, 0.4713, 0.0050, 0.1677, -0.7897]]),
    "maskedSelect into a result": (lambda: changed(torch.DoubleTensor(), lambda z: z.maskedSelect(
        counted(3, 4), torch.ByteTensor([[1, 0, 1, 0, 0, 0], [1, 1, 0, 0, 0, 1]]))), [1, 3, 7, 8, 12]),
    "viewAs": (lambda: zeros(4).viewAs(torch.Tensor(2, 2)), [[0, 0], [0, 0]]),
    "t": (lambda: (x := zeros(3, 4), x.select(2, 3).fill(7), x.t())[2], [[0] * 3, [0] * 3, [7] * 3, [0] * 3]),
    "squares of cosines": (lambda: counted(3, 3).apply(lambda i: math.cos(i) ** 2), [
        [0.2919, 0.1732, 0.9801], [0.4272, 0.0805, 0.9219], [0.5684, 0.0212, 0.8302]]),
    "data": (lambda: changed(T([0.8008, -0.6103], [0.6473, -0.1870], [-0.0023, -0.4902]), wiped), [[0, 0]] * 3),
    "split": (lambda: [part.size().totable() for n, dim in ((2, 1), (3, 2), (2, 3))
                       for part in torch.randn(3, 4, 5).split(n, dim)],
              [[2, 4, 5], [1, 4, 5], [3, 3, 5], [3, 1, 5], [3, 4, 2], [3, 4, 2], [3, 4, 1]]),
    "chunk": (lambda: [part.size().totable() for dim in (1, 2, 3) for part in torch.randn(3, 4, 5).chunk(2, dim)],
              [[2, 4, 5], [1, 4, 5], [3, 2, 5], [3, 2, 5], [3, 4, 3], [3, 4, 2]]),
}  # fmt: skip

MATHS = {
    "cat": (lambda: torch.cat(torch.ones(3), zeros(2)), [1, 1, 1, 0, 0]),
    "cat of rows": (lambda: torch.cat(torch.ones(3, 2), zeros(2, 2), 1), [[1, 1]] * 3 + [[0, 0]] * 2),
    "cat of columns": (lambda: torch.cat(torch.ones(2, 2), zeros(2, 2), 2), [[1, 1, 0, 0]] * 2),
    "cat of many": (lambda: torch.cat([torch.ones(2, 2), zeros(2, 2), torch.ones(3, 2)], 1),
                    [[1, 1]] * 2 + [[0, 0]] * 2 + [[1, 1]] * 3),
    "cat of nothing": (lambda: torch.cat([torch.Tensor(), torch.ones(3, 2)], 1), [[1, 1]] * 3),
    "bhistc": (lambda: torch.bhistc(T(*B), 5, 1, 5), [[0, 3, 0, 2, 1], [1, 0, 2, 0, 3], [1, 1, 1, 1, 2]]),
    # The chapter prints 3 0 2 0 1; by torch7's source 4, at two thirds of the way from 2 to 5, is in the fourth bin.
    "bhistc from least to greatest": (lambda: torch.bhistc(T(B[0]), 5), [[3, 0, 0, 2, 1]]),
    "bhistc, bounds of all rows": (lambda: torch.bhistc(T([1, 2], [3, 9]), 2), [[2, 0], [1, 1]]),
    "convolutions into a result": (lambda: torch.conv2(torch.Tensor(), x := torch.rand(20, 20), k := torch.rand(
        3, 3)).dist(torch.conv2(x, k)), 0),
    "comparisons": (lambda: [getattr(torch, name)(T(*LEFT), T(*RIGHT)) for name in ("lt", "eq", "ne", "gt")],
                    [LESS, [0] * 10, [1] * 10, [1 - each for each in LESS]]),
    "places by comparison": (lambda: [
        setting(a := T(*LEFT), torch.gt(a, T(*RIGHT)), 10).clone(), setting(a, torch.gt(a, 1), -1)], [
        [b if less else 10 for b, less in zip(LEFT, LESS, strict=True)],
        [b if less else -1 for b, less in zip(LEFT, LESS, strict=True)]]),
    "all and any": (lambda: [torch.all(a := torch.ones(3).byte()), torch.all(setting(a, 2, 0)), torch.any(a),
                             torch.any(a.zero())], [1, 0, 1, 0]),
    "pairs of operators": (lambda: [T(4, 4).dot(T(5, 5)), torch.Tensor(2, 2).fill(2) * torch.Tensor(2, 4).fill(3),
                                    torch.Tensor(2, 2).fill(2) * torch.Tensor(2).fill(4)],
                           [40, [[12] * 4] * 2, [16, 16]]),
    "range": (lambda: [torch.range(2, 5), torch.range(2, 5, 1.2)], [[2, 3, 4, 5], [2, 3.2, 4.4]]),
    "addcdiv": (lambda: torch.ones(2, 2).addcdiv(2, torch.range(1, 4), torch.Tensor(2, 2).fill(5)),
                [[1.4, 1.8], [2.2, 2.6]]),
    "clshift": (lambda: torch.LongTensor(2, 2).fill(1).clshift(torch.LongTensor(2, 2).range(1, 4)), [[2, 4], [8, 16]]),
    "crshift": (lambda: torch.LongTensor(2, 2).fill(32).crshift(torch.LongTensor(2, 2).range(1, 4)), [[16, 8], [4, 2]]),
    "remainders": (lambda: [f(T(-3, 3), n) for f in (torch.fmod, torch.remainder) for n in (2, -2)],
                   [[-1, 1], [-1, 1], [1, 1], [-1, -1]]),
    "cfmod": (lambda: T([3, 3], [-3, -3]).cfmod(T([2, -2], [2, -2])), [[1, 1], [-1, -1]]),
    "bits": (lambda: [torch.LongTensor(4).fill(n).__getattribute__(name)(long(1, 2, 4, 8))
                      for n, name in ((6, "cbitand"), (3, "cbitor"), (15, "cbitxor"))],
             [[0, 2, 4, 0], [3, 3, 7, 11], [14, 13, 11, 7]]),
    "addmv": (lambda: zeros(3).addmv(torch.Tensor(3, 2).fill(3), torch.Tensor(2).fill(2)), [12] * 3),
    "addr": (lambda: [(M := zeros(3, 2)).addr(x := torch.range(1, 3), y := torch.range(1, 2)).clone(),
                      M.addr(2, 1, x, y).clone(), M.addr(2, counted(3, 2), 1, x, y)],
             [[[1, 2], [2, 4], [3, 6]], [[3, 6], [6, 12], [9, 18]], [[3, 6], [8, 12], [13, 18]]]),
    "functions of numbers": (lambda: [torch.lerp(1, 3, 0.25), torch.exp(1), torch.pow(2, 3), torch.atan2(1, -1)],
                             [1.5, math.e, 8, 3 * math.pi / 4]),
    "operators": (lambda: [(x := torch.Tensor(2, 2).fill(2)) + torch.Tensor(4).fill(3), torch.Tensor(4).fill(3) - x,
                           x + 3, -x, x / 3, T([1, 2], [3, 4]) % 3],
                  [[[5, 5]] * 2, [1] * 4, [[5, 5]] * 2, [[-2, -2]] * 2, [[2 / 3] * 2] * 2, [[1, 2], [0, 1]]]),
    "cumprod": (lambda: [torch.cumprod(torch.range(1, 5)), torch.cumprod(A := long([1, 4, 7], [2, 5, 8], [3, 6, 9])),
                         torch.cumprod(A, 2)],
                [[1, 2, 6, 24, 120], [[1, 4, 7], [2, 20, 56], [6, 120, 504]], [[1, 4, 28], [2, 10, 80], [3, 18, 162]]]),
    "max": (lambda: [torch.max(T(*MAXED)), *torch.max(T(*MAXED), 1), *torch.max(T(*MAXED), 2)],
            [1.1994, [[1.1994, -0.0908, 0.6888]], [[1, 2, 1]], [[1.1994], [-0.0038], [0.3437]], [[1], [1], [1]]]),
    "cmax and cmin": (lambda: [f(T(1, 2, 3), other) for f in (torch.cmax, torch.cmin) for other in (T(3, 2, 1), 2)],
                      [[3, 2, 3], [2, 2, 3], [1, 2, 1], [1, 2, 2]]),
    "median": (lambda: [*torch.median(T(*MEDIAN)), *torch.median(T(*MEDIAN), 1)],
               [[[0.7687], [0.0411], [-0.2499]], [[2], [1], [2]], [[0.0411, 0.5407, -0.5786]], [[2, 2, 3]]]),
    "prod": (lambda: [torch.prod(T(*CUBE), dim) for dim in (1, 2, 3)],
             [[[[5, 12], [21, 32]]], [[[3, 8]], [[35, 48]]], [[[2], [12]], [[30], [56]]]]),
    "sort": (lambda: list(torch.sort(T(*SORTED))), [[[-1.2470, -0.5337, -0.4288], [-0.1622, 0.8836, 0.9604],
             [0.0746, 0.2397, 0.6297]], [[1, 3, 2], [2, 1, 3], [3, 2, 1]]]),
    "sizes of convolutions": (lambda: [torch.conv2(zeros(100, 100), torch.ones(10, 10), *f).size().totable()
                                       for f in ((), ("F",))], [[91, 91], [109, 109]]),
    "random": (lambda: [torch.manualSeed(0) or torch.random(), torch.random()], [2357136044, 2546248239]),
    "uniform": (lambda: torch.manualSeed(123) or [torch.uniform() for _ in range(3)],
                [0.69646918727085, 0.71295532141812, 0.28613933874294]),
    "totable": (lambda: torch.totable(T(1, 2, 3)), [1, 2, 3]),
}  # fmt: skip


@pytest.mark.parametrize("name", [*TENSORS, *MATHS])
def test_documented_results(name):
    call, expected = (TENSORS | MATHS)[name]
    same(call(), expected, rtol=0, atol=6e-5)


PRINTED = {
    lambda: torch.cat(torch.ones(2, 2), zeros(2, 2), 2): " 1  1  0  0\n 1  1  0  0\n[torch.DoubleTensor of size 2x4]",
    lambda: torch.cat(torch.ones(1, 2), T([0.3227, 0.0493]), 1):
        " 1.0000  1.0000\n 0.3227  0.0493\n[torch.DoubleTensor of size 2x2]",
    lambda: T(-3, 3).fmod(2): "-1\n 1\n[torch.DoubleTensor of size 2]",
    lambda: torch.LongTensor(4).fill(3).cbitor(long(1, 2, 4, 8)):
        "  3\n  3\n  7\n 11\n[torch.LongTensor of size 4]",
    lambda: torch.prod(T(*CUBE), 2): "(1,.,.) = \n   3   8\n\n(2,.,.) = \n  35  48\n[torch.DoubleTensor of size 2x1x2]",
    lambda: torch.range(1, 5).indexAdd(1, long(1, 1, 3, 3), torch.range(1, 4)):
        "  4\n  2\n 10\n  4\n  5\n[torch.DoubleTensor of size 5]",
    lambda: T([0.8414, 0.4121], [0.3029, 0.2040]).indexFill(2, long(2), -10):
        "  0.8414 -10.0000\n  0.3029 -10.0000\n[torch.DoubleTensor of size 2x2]",
    lambda: torch.IntStorage([1, 2, 3, 4]): " 1\n 2\n 3\n 4\n[torch.IntStorage of size 4]",
    lambda: changed(torch.DoubleStorage(3).fill(0), lambda s: torch.DoubleStorage(s, 2, 1).fill(1)):
        " 0\n 1\n 0\n[torch.DoubleStorage of size 3]",
    lambda: T(*LEFT[:2]).lt(0.55): " 0\n 1\n[torch.ByteTensor of size 2]",
    lambda: torch.Tensor(4, 5).size(): " 4\n 5\n[torch.LongStorage of size 2]",
    lambda: torch.CharStorage().string("bl a"): "  98\n 108\n  32\n  97\n[torch.CharStorage of size 4]",
    lambda: zeros(2, 1, 2, 1, 1): "\n\n".join(f"({i},1,{j},.,.) = \n  0" for j in (1, 2) for i in (1, 2))
        + "\n[torch.DoubleTensor of size 2x1x2x1x1]",
    # By the rules of the printing function: a common factor, exponents, whole numbers of many figures, wide matrices.
    lambda: T(1234567.5, 100): "1e+06 *\n 1.2346\n 0.0001\n[torch.DoubleTensor of size 2]",
    lambda: T([0.001, 0.0025]): "0.001 *\n  1.0000  2.5000\n[torch.DoubleTensor of size 1x2]",
    lambda: T(1e-3, 0.5e6): " 1.0000e-03\n 5.0000e+05\n[torch.DoubleTensor of size 2]",
    lambda: T(12345678901, 1): " 1.2346e+10\n 1.0000e+00\n[torch.DoubleTensor of size 2]",
    lambda: torch.ones(1, 30): "Columns 1 to 26\n" + "  ".join(["", *["1"] * 26])[1:]
        + "\n\nColumns 27 to 30\n 1  1  1  1\n[torch.DoubleTensor of size 1x30]",
    lambda: torch.Tensor(): "[torch.DoubleTensor with no dimension]",
    lambda: torch.zeros(2).mul(-1): " 0\n 0\n[torch.DoubleTensor of size 2]",
    # What torch7 itself prints of what is infinite, and of what is no number.
    lambda: T(math.inf, 3): "        inf\n 3.0000e+00\n[torch.DoubleTensor of size 2]",
    lambda: T(-math.inf, 1.5): "        -inf\n  1.5000e+00\n[torch.DoubleTensor of size 2]",
    lambda: T([math.nan, 300], [1, -2.5]): "nan 300.000000\n1.000000 -2.500000\n[torch.DoubleTensor of size 2x2]",
}  # fmt: skip


@pytest.mark.parametrize("make", PRINTED)
def test_tensors_are_printed_as_torch_prints_them(make):
    assert str(make()) == PRINTED[make]


SYSTEM = [[6.80, -6.05, -0.45, 8.32, -9.67], [-2.11, -3.30, 2.58, 2.71, -5.14], [5.66, 5.36, -2.70, 4.35, -7.26],
          [5.97, -4.44, 0.27, -7.17, 6.08], [8.23, 1.08, 9.04, 2.14, -6.87]]  # fmt: skip
SIDES = [[4.02, -1.56, 9.81], [6.19, 4.00, -4.09], [-8.22, -8.67, -4.57], [-7.57, 1.75, -8.61], [-3.03, 2.86, 8.99]]
TRIANGLE = [[6.80, -2.11, 5.66, 5.97, 8.23], [0, -3.30, 5.36, -4.44, 1.08], [0, 0, -2.70, 0.27, 9.04],
            [0, 0, 0, -7.17, 2.14], [0, 0, 0, 0, -6.87]]  # fmt: skip
POSITIVE = [[1.2705, 0.9971, 0.4948, 0.1389, 0.2381], [0.9971, 0.9966, 0.6752, 0.0686, 0.1196],
            [0.4948, 0.6752, 1.1434, 0.0314, 0.0582], [0.1389, 0.0686, 0.0314, 0.0270, 0.0526],
            [0.2381, 0.1196, 0.0582, 0.0526, 0.3957]]  # fmt: skip
CHOLESKY = [[1.1272, 0.8846, 0.4390, 0.1232, 0.2112], [0, 0.4626, 0.6200, -0.0874, -0.1453],
            [0, 0, 0.7525, 0.0419, 0.0738], [0, 0, 0, 0.0491, 0.2199], [0, 0, 0, 0, 0.5255]]  # fmt: skip
SYMMETRIC = [[1.96, -6.49, -0.47, -7.20, -0.65], [0, 3.80, -6.39, 1.50, -6.34], [0, 0, 4.17, -1.51, 2.67],
             [0, 0, 0, 5.70, 1.80], [0, 0, 0, 0, -7.10]]  # fmt: skip
MATRIX = [[8.79, 9.93, 9.83, 5.45, 3.16], [6.11, 6.91, 5.04, -0.27, 7.98], [-9.15, -7.93, 4.86, 4.85, 3.01],
          [9.57, 1.64, 8.83, 0.74, 5.80], [-3.49, 4.02, 9.80, 10.00, 4.27],
          [9.84, 0.15, -8.99, -6.02, -5.31]]  # fmt: skip
LINEAR = {
    "gesv": (lambda: torch.gesv(T(*SIDES), T(*SYSTEM))[0], [
        [-0.8007, -0.3896, 0.9555], [-0.6952, -0.5544, 0.2207], [0.5939, 0.8422, 1.9006], [1.3217, -0.1038, 5.3577],
        [0.5658, 0.1057, 4.0406]]),
    "trtrs": (lambda: torch.trtrs(T(*SIDES), T(*TRIANGLE))[0], [
        [-3.5416, -0.2514, 3.0847], [4.2072, 2.0391, -4.5146], [4.6399, 1.7804, -2.6077], [1.1874, -0.3683, 0.8103],
        [0.4410, -0.4163, -1.3086]]),
    "potrf": (lambda: [torch.potrf(T(*POSITIVE)), torch.potrf(T(*POSITIVE), "L").t()], [CHOLESKY] * 2),
    "pstrf": (lambda: torch.pstrf(T(*POSITIVE))[1], [1, 3, 5, 2, 4]),
    "pstrf's product": (lambda: (u := torch.pstrf(T(*POSITIVE))[0]).t() * u, [
        [1.2705, 0.4948, 0.2381, 0.9971, 0.1389], [0.4948, 1.1434, 0.0582, 0.6752, 0.0314],
        [0.2381, 0.0582, 0.3957, 0.1196, 0.0526], [0.9971, 0.6752, 0.1196, 0.9966, 0.0686],
        [0.1389, 0.0314, 0.0526, 0.0686, 0.0270]]),
    "residuals": (lambda: [(b := T(*SIDES)).dist(T(*SYSTEM) * torch.gesv(b, T(*SYSTEM))[0]),
                           b.dist(T(*TRIANGLE) * torch.trtrs(b, T(*TRIANGLE))[0])], [0, 0]),
    "symeig's vectors": (lambda: torch.symeig(T(*SYMMETRIC), "V")[1].abs(), [
        [0.2981, 0.6075, 0.4026, 0.3745, 0.4896], [0.5078, 0.2880, 0.4066, 0.3572, 0.6053],
        [0.0816, 0.3843, 0.6600, 0.5008, 0.3991], [0.0036, 0.4467, 0.4553, 0.6204, 0.4564],
        [0.8041, 0.4480, 0.1725, 0.3108, 0.1622]]),
    "symeig's product": (lambda: torch.triu((v := (found := torch.symeig(T(*SYMMETRIC), "V"))[1]) * torch.diag(found[0])
                                            * v.t()), SYMMETRIC),
    "svd's vectors": (lambda: [(found := torch.svd(T(*MATRIX)))[0].abs(), found[2].abs()], [
        [[0.5911, 0.2632, 0.3554, 0.3143, 0.2299], [0.3976, 0.2438, 0.2224, 0.7535, 0.3636],
         [0.0335, 0.6003, 0.4508, 0.2334, 0.3055], [0.4297, 0.2362, 0.6859, 0.3319, 0.1649],
         [0.4697, 0.3509, 0.3874, 0.1587, 0.5183], [0.2934, 0.5763, 0.0209, 0.3791, 0.6526]],
        [[0.2514, 0.8148, 0.2606, 0.3967, 0.2180], [0.3968, 0.3587, 0.7008, 0.4507, 0.1402],
         [0.6922, 0.2489, 0.2208, 0.2513, 0.5891], [0.3662, 0.3686, 0.3859, 0.4342, 0.6265],
         [0.4076, 0.0980, 0.4933, 0.6227, 0.4396]]]),
    "svd's product": (lambda: (found := torch.svd(T(*MATRIX)))[0] * torch.diag(found[1]) * found[2].t(), MATRIX),
    "inverse": (lambda: (x := T(*SYSTEM)) * torch.inverse(x), [[int(i == j) for j in range(5)] for i in range(5)]),
    "symeig": (lambda: torch.symeig(T(*SYMMETRIC))[0], [-11.0656, -6.2287, 0.8640, 8.8655, 16.0948]),
    "eig": (lambda: torch.eig(T(*SYMMETRIC) + torch.triu(T(*SYMMETRIC), 1).t())[0].select(2, 1).sort()[0],
            [-11.0656, -6.2287, 0.8640, 8.8655, 16.0948]),
    "svd": (lambda: torch.svd(T(*MATRIX))[1], [27.4687, 22.6432, 8.5584, 5.9857, 2.0149]),
}  # fmt: skip


@pytest.mark.parametrize("name", LINEAR)
def test_documented_linear_algebra(name):
    call, expected = LINEAR[name]
    same(call(), expected, rtol=0, atol=2e-3 if name == "potrf" else 6e-5)  # of the matrix, four figures are printed
