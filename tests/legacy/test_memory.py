"""Elements in memory that others see: data, storages of files, addresses and parts. Beside torch7/doc/storage.md."""

import copy

import numpy as np
import pytest

from functorch7.legacy import nn, torch

from .helpers import same


def test_data_are_the_elements():
    """The example of torch7/doc/tensor.md."""
    t = torch.randn(3, 2)
    data = torch.data(t)
    for i in range(t.nElement()):
        data[i] = i
    same(t, [[0, 1], [2, 3], [4, 5]])
    for change, expected in (
        (lambda: t.mul(2), [0, 2, 4, 6, 8, 10]), (lambda: t.fill(3), [3] * 6), (lambda: t.zero(), [0] * 6),
        (lambda: t[2].fill(7), [0, 0, 7, 7, 0, 0]), (lambda: t.copy(torch.range(1, 6)), [1, 2, 3, 4, 5, 6]),
    ):  # fmt: skip
        change()
        same(data, expected)
    same(t.t()[2].data()[:3], [2, 3, 4])  # from the first element on, whatever lies between
    clone, deep, double = t.clone(), copy.deepcopy(t), t.double()
    data[0] = 9
    assert (t[1, 1], clone[1, 1], deep[1, 1], double[1, 1]) == (9, 1, 1, 1)
    before = nn.Tanh().forward(t)
    data[:] = 0
    assert before[1, 1] == pytest.approx(np.tanh(9)) and t.sum() == 0


def test_a_networks_calls_write_to_memory_that_others_see():
    linear = nn.Linear(2, 1)
    weight, gradient = linear.weight.data(), linear.gradWeight.data()
    before, x = weight.copy(), torch.Tensor([[1, 2]])
    linear.zeroGradParameters()
    for times in (1, 2):
        linear.forward(x)
        linear.backward(x, torch.Tensor([[1]]))
        same(gradient, [times, 2 * times])
    linear.updateParameters(0.5)
    same(weight, before - 0.5 * gradient)
    linear.zeroGradParameters()
    same(gradient, [0, 0])


def test_addresses_are_storages_again():
    """The example of torch7/doc/tensor.md."""
    t = torch.DoubleTensor([1, 2, 3, 4])
    twin = torch.DoubleTensor(torch.DoubleStorage(4, torch.data(t, True)))
    twin[2] = 20
    assert t[2] == 20 and t.narrow(1, 2, 3).data(True) == t.data(True) + 8
    assert t.storage().data(True) == t.data(True)


def test_the_fields_of_c():
    x = torch.range(1, 6).view(2, 3).narrow(2, 2, 2)
    c = x.cdata()
    assert (c.size, c.stride, c.nDimension, c.storageOffset, c.storage.size) == ((2, 2), (3, 1), 2, 1, 6)
    assert c.storage.data[c.storageOffset + c.stride[0]] == x[2, 1] == 5


def test_memory_that_others_see_moves_when_it_grows():
    t = torch.range(1, 3)
    data = t.data()
    t.resize(5)[1] = 10
    same(t, [10, 2, 3, 0, 0])
    assert data[0] == 1


def test_files_are_storages(tmp_path):
    """The examples of torch7/doc/storage.md."""
    path = tmp_path / "hello.txt"
    path.write_text("Hello World\n")
    x = torch.CharStorage(str(path))
    assert x.size() == 12 and x.string() == "Hello World\n" and x.fill(42).string() == "*" * 12
    assert path.read_text() == "Hello World\n"
    shared = torch.CharStorage(str(path), True)
    shared.fill(42)
    assert path.read_text() == "*" * 12
    assert torch.CharStorage(str(path), False, 3).string() == "***"
    grown = torch.IntStorage(str(tmp_path / "new"), True, 4)
    grown[2] = 258
    assert (tmp_path / "new").read_bytes() == np.array([0, 258, 0, 0], np.int32).tobytes()
    assert torch.IntStorage(str(tmp_path / "new")) == [0, 258, 0, 0]
    with pytest.raises(ValueError, match="expected 4 elements, whose memory is not its own, got 5"):
        grown.resize(5)
    assert grown.resize(4) is grown


def test_parts_of_storages_share_their_elements():
    whole = torch.FloatStorage([1, 2, 3, 4])
    part = torch.FloatStorage(whole, 2, 2)
    part[1] = 20
    assert whole == [1, 20, 3, 4] and torch.FloatStorage(whole, 3) == [3, 4]
    with pytest.raises(IndexError, match="expected a part of a storage"):
        torch.FloatStorage(whole, 4, 2)


def test_texts_are_storages():
    x = torch.CharStorage().string("blah blah")
    assert x == [98, 108, 97, 104, 32, 98, 108, 97, 104] and x.string() == "blah blah"
    assert x.string("é").size() == 2 and x.string() == "é"
    bytes_of_any_text = torch.ByteStorage().string(b"a\xff")
    assert bytes_of_any_text.string().encode("utf-8", "surrogateescape") == b"a\xff"  # as in os.fsencode
    assert torch.ByteStorage().string(bytes_of_any_text.string()) == [97, 255]
    with pytest.raises(TypeError, match="torch.IntStorage: string: expected a CharStorage or ByteStorage"):
        torch.IntStorage(2).string()
    assert x.retain() is x.free() is None
    assert torch.Storage(2).type() == "torch.FloatStorage"


def test_tensors_are_set_to_storages_and_tensors():
    storage = torch.FloatStorage([1, 2, 3, 4, 5, 6])
    x = torch.Tensor()
    sizes = torch.LongStorage([2, 3])
    for given, expected in (
        ((storage,), [1, 2, 3, 4, 5, 6]), ((storage, 3), [3, 4, 5, 6]), ((storage, 1, sizes), [[1, 2, 3], [4, 5, 6]]),
        ((storage, 2, torch.LongStorage([2, 2]), torch.LongStorage([1, 2])), [[2, 4], [3, 5]]),
        ((storage, 1, 3, 2), [1, 3, 5]), ((storage, 1, 2, 3, 2, 1), [[1, 2], [4, 5]]), ((storage, 4, 3), [4, 5, 6]),
        ((storage, 1, sizes, torch.LongStorage([-1, -1])), [[1, 2, 3], [4, 5, 6]]),
    ):  # fmt: skip
        assert x.set(*given) is x and x.storage() is storage
        same(x, expected)
        same(torch.Tensor(*given), expected)
    y = torch.Tensor().set(x.t())
    assert y.isSetTo(x.t()) and not y.isSetTo(x)
    repeated = torch.Tensor(torch.LongStorage([4]), torch.LongStorage([0]))
    repeated[1] = 5
    same(repeated, [5, 5, 5, 5])
    for wrong in (torch.DoubleTensor(2), torch.IntStorage(2), 3):
        with pytest.raises(TypeError, match="torch.set: expected a torch.FloatTensor or its storage, got"):
            x.set(wrong)


def test_views_into_a_result():
    x, result = torch.range(1, 6), torch.Tensor()
    for make, expected in (
        (lambda: torch.view(result, x, 2, 3), [2, 3]), (lambda: result.view(x, torch.LongStorage([3, -1])), [3, 2]),
        (lambda: result.viewAs(x, torch.Tensor(6, 1)), [6, 1]),
        (lambda: torch.expand(result, x.view(6, 1), 6, 2), [6, 2]),
        (lambda: result.expandAs(x.view(1, 6), torch.Tensor(3, 6)), [3, 6]),
    ):  # fmt: skip
        assert make() is result and result.size() == expected and result.storage() is x.storage()
    parts = [1, 2, 3]
    assert torch.split(parts, x, 4) is parts and [part.size() for part in parts] == [[4], [2]]
    assert [part.size() for part in torch.chunk(x, 3)] == [[2]] * 3
