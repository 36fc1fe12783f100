"""Operations in place on views that overlap: as Torch's loops, element by element."""

import numpy as np
import pytest

from functorch7.legacy import torch

from .helpers import same


def parts(sizes, generator):
    """A view of some of a matrix's elements, as they are or transposed, and the numbers of these elements."""
    rows, columns = (int(generator.integers(1, 6 - size + 2)) for size in sizes)
    numbers = np.arange(36).reshape(6, 6)[rows - 1 : rows - 1 + sizes[0], columns - 1 : columns - 1 + sizes[1]]
    return (lambda x: x.narrow(1, rows, sizes[0]).narrow(2, columns, sizes[1])), numbers


LOOPS = {
    "copy": lambda x, y: y,
    "add": lambda x, y: x + y,
    "csub": lambda x, y: x - y,
    "cmul": lambda x, y: x * y,
    "cmax": max,
}


@pytest.mark.parametrize("name", LOOPS)
@pytest.mark.parametrize("kind", [torch.DoubleTensor, torch.LongTensor])
def test_operations_on_views_that_overlap_go_element_by_element(kind, name):
    """As Torch's loops do where a view does not lie row by row (`x:add(-1, x[{{}, {1}}]:expandAs(x))`)."""
    generator = np.random.default_rng(1)
    for turn in range(30):
        x = kind(6, 6).copy(torch.range(1, 36))
        (first, written), (second, read) = (
            parts((3, 4), generator),
            parts((4, 3) if turn % 3 == 0 else (3, 4), generator),
        )
        target, source = first(x), second(x)
        if turn % 3 == 0:
            source, read = source.t(), read.T
        expected = [*map(float, range(1, 37))]
        for to, of in zip(written.reshape(-1), read.reshape(-1), strict=True):
            expected[to] = LOOPS[name](expected[to], expected[of])
        getattr(target, name)(source)
        assert x.view(36).totable() == expected, turn


@pytest.mark.parametrize("count", [5, 59, 60, 61, 130])
def test_a_matrix_that_becomes_its_own_transpose_is_symmetric_outside_of_blocks(count):
    """Torch copies large ones in blocks of 60 rows and columns, of which each is read before it is written."""
    x, side = torch.range(1, count * count).view(count, count), 60 if count >= 60 else 1
    expected = x.numpy().copy()
    for row in range(0, count, side):
        for column in range(0, count, side):
            block = expected[column : column + side, row : row + side].T.copy()
            expected[row : row + side, column : column + side] = block
    same(x.copy(x.t()), expected)


def test_operations_on_views_that_overlap_take_all_tensors_and_numbers():
    x = torch.DoubleTensor([[2] * 5] * 2)
    part, before = x.narrow(2, 2, 4), x.narrow(2, 1, 4)
    part.addcmul(1, before, torch.DoubleTensor([[1] * 4] * 2))
    same(x, [[2, 4, 6, 8, 10]] * 2)
    torch.pow(part, before, 2)
    same(x, [[2, 4, 16, 256, 65536]] * 2)
    same(x.copy([[6, 3, 2, 1, 12]] * 2).cdiv(x.narrow(2, 2, 1).expandAs(x)), [[2, 1, 2, 1, 12]] * 2)
