"""Storages: sizes and strides, elements from 1, and what takes sizes. Beside torch7/doc/storage.md and tensor.md."""

import copy
import math
import pickle

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from functorch7.legacy import nn, torch

from .helpers import counted, same, values


def test_sizes_and_strides_are_long_storages():
    x = counted(4, 5)
    for storage, expected in ((x.size(), [4, 5]), (x.stride(), [5, 1]), (x.t().stride(), [1, 5])):
        assert torch.typename(storage) == "torch.LongStorage"
        assert storage == expected and storage == tuple(expected) and expected == storage and storage != [4]
        assert list(storage) == storage.totable() == expected and len(storage) == storage.size() == 2
        assert (storage[1], storage[2]) == tuple(expected) and isinstance(storage[1], int)
    assert x.size() == counted(4, 5).size() and x.size() != x.t().size() and x.size() != "4x5"
    assert str(x.size()) == " 4\n 5\n[torch.LongStorage of size 2]"
    assert str(torch.FloatStorage([0.5, 10])) == "  0.5000\n 10.0000\n[torch.FloatStorage of size 2]"
    rows, columns = x.size()
    assert (rows, columns) == (4, 5)


@pytest.mark.parametrize("given", [
    lambda: counted(2, 3).size(), lambda: torch.LongStorage([2, 3]), lambda: (2, 3), lambda: [2, 3],
])  # fmt: skip
def test_sizes_are_taken_as_storages_lists_and_numbers(given):
    t = counted(6)
    for make in (torch.zeros, torch.ones, torch.rand, torch.randn, t.view, t.reshape, torch.Tensor().resize):
        assert make(given()).size() == make(2, 3).size() == [2, 3]
    assert counted(2, 1).expand(given()).size() == [2, 3]
    result = torch.Tensor(1)
    assert torch.ones(result, given()) is result
    same(result, np.ones((2, 3)))


def test_tensors_of_sizes_and_of_numbers():
    x = counted(2, 3)
    assert torch.Tensor(x.size()).size() == torch.DoubleTensor(torch.LongStorage([2, 3])).size() == [2, 3]
    same(torch.Tensor([2, 3]), [2, 3])
    same(torch.LongTensor(x.size()), [2, 3])  # of its own type: the numbers
    assert x.resize(torch.LongStorage([3, 2])).size() == [3, 2]
    assert nn.View(torch.LongStorage([6])).forward(counted(4, 6)).size() == [4, 6]
    assert nn.Reshape(counted(3, 2).size()).forward(counted(4, 6)).size() == [4, 3, 2]
    assert torch.Tensor(2.5, 3).size() == [2, 3]  # as C casts it: Torch's own tests have such sizes
    for sizes in ((math.inf,), ("a",), (torch.FloatStorage(2),)):
        with pytest.raises(TypeError, match="expected sizes"):
            torch.DoubleTensor(*sizes, *sizes)
    for storage in (torch.FloatStorage([2]), torch.IntStorage([2])):
        with pytest.raises(TypeError, match=f"{storage.type()} of size 1"):
            torch.DoubleTensor(storage)


def test_tensors_share_the_storages_and_tensors_that_they_are_made_from():
    storage = torch.FloatStorage([1, 2, 3, 4])
    whole, part = torch.Tensor(storage), torch.Tensor(storage, 2, torch.LongStorage([1, 3]))
    twin = torch.Tensor(part)
    storage[3] = 30
    same([whole, part, twin], [[1, 2, 30, 4], [[2, 30, 4]], [[2, 30, 4]]])
    twin.zero()
    assert storage == [1, 0, 0, 0] and whole.storage() is storage
    assert torch.FloatStorage(storage) is storage and torch.DoubleStorage(storage) == [1, 0, 0, 0]
    grown = torch.Tensor(storage, 2, 4)  # as Torch7: what is beyond the end is made
    assert grown.size() == [4] and storage == [1, 0, 0, 0, 0]
    for offset in (0, 7):
        with pytest.raises(IndexError, match=f"offset {offset} in 5 elements"):
            torch.Tensor(storage, offset)
    double = torch.DoubleTensor(whole)  # of another type: a copy
    double.fill(5)
    assert whole[1] == 1


def test_elements_of_storages_count_from_one():
    storage = torch.LongStorage([8, 2])
    storage[2] = 5
    assert storage == [8, 5] and torch.LongStorage(2) == [0, 0] and torch.LongStorage() == []
    for index in (0, 3, -1):
        with pytest.raises(IndexError, match=f"index {index} out of range of a storage of 2 elements"):
            _ = storage[index]
        with pytest.raises(IndexError, match="count from 1"):
            storage[index] = 1
    assert torch.LongStorage(2).fill(7) == [7, 7]
    assert torch.IntStorage(2).copy(storage) == [8, 5]
    with pytest.raises(ValueError, match="expected 3 elements, got 2"):
        torch.LongStorage(3).copy(storage)
    assert torch.LongStorage([1, 2]).resize(3) == [1, 2, 0] and torch.LongStorage([1, 2]).resize(1) == [1]


def test_a_tensors_storage_is_written_to_through_either():
    t = counted(2, 3)
    t.storage()[4] = 40
    assert t[2, 1] == 40
    t[1, 1] = 10
    assert t.storage() == [10, 2, 3, 40, 5, 6]


def test_resize_views_the_same_storage_which_grows_if_need_be():
    t = counted(2, 3)
    row = t.select(1, 2)
    t.resize(3, 2)[3, 1] = 50
    same(row, [4, 50, 6])
    t.resize(2, 2)
    assert t.storage() is row.storage() and len(t.storage()) == 6
    same(t.resize(2, 4), [[1, 2, 3, 4], [50, 6, 0, 0]])
    t.fill(9)
    same(row, [9, 9, 9])
    same(t.select(1, 2).resize(5), [9, 9, 9, 9, 0])


def test_an_empty_tensor_has_no_dimensions():
    for empty in (torch.Tensor(), torch.Tensor(0), torch.Tensor(2).set(), torch.Tensor([])):
        assert (empty.dim(), empty.nElement(), len(empty.size()), len(empty.stride())) == (0, 0, 0, 0)
        with pytest.raises(IndexError, match="dimension 1 out of range of a 0D tensor"):
            empty.size(1)
        assert empty.resize(2).size() == [2]


def test_sub_with_ranges_is_a_view():
    """The example of the chapter on tensors."""
    x = torch.Tensor(5, 6)
    y = x.sub(2, 4).fill(1)
    z = x.sub(2, 4, 3, 4).fill(2)
    assert (y.size(), z.size(), x.sub(-2, -1).size(), x.sub(2, -2, -3, -1).size()) == ([3, 6], [3, 2], [2, 6], [3, 3])
    expected = np.zeros((5, 6))
    expected[1:4], expected[1:4, 2:4] = 1, 2
    same(x, expected)
    same(counted(4).sub(2, 3), [2, 3])
    same(counted(3).sub(1), [0, 1, 2])
    same(counted(3).sub(counted(3)), [0, 0, 0])
    for ranges in ((0, 1), (1, 6), (3, 2), (1, 2, 1, 7), (1, 2, 1, 2, 1, 2)):
        with pytest.raises(IndexError, match="out of range"):
            x.sub(*ranges)
    with pytest.raises(TypeError, match="a first and a last index for each dimension"):
        x.sub(1, 2, 3)


@pytest.mark.skipif(jax.default_backend() == "gpu", reason="there is a GPU")
@pytest.mark.parametrize("name", ["CudaTensor", "CudaDoubleTensor", "CudaHalfTensor", "CudaStorage"])
def test_tensors_of_cuda_need_a_gpu(name):
    with pytest.raises(RuntimeError, match=f"torch.{name} needs a GPU, but JAX sees only"):
        getattr(torch, name)(3)


def test_tensors_of_cuda_are_on_the_gpu(monkeypatch, accelerator):
    """With the CPU in the place of a GPU: the elements are an array of the device that was asked for."""
    asked, (device, *_) = [], jax.devices("cpu")
    monkeypatch.setattr(jax, "devices", lambda kind: asked.append(kind) or [device])
    made = torch.CudaTensor([[1, 2]]), torch.CudaDoubleTensor(counted(2).size())
    assert torch.CudaStorage([1, 2]).array.devices() == {device}
    assert set(asked) == {"gpu"}
    for tensor, dtype, expected in zip(made, (np.float32, np.float64), ([[1, 2]], np.zeros((2,))), strict=True):
        array = tensor.storage().array
        assert isinstance(array, jax.Array) and array.devices() == {device} and array.dtype == dtype
        same(tensor, expected)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s))], ids=["deepcopy", "pickle"])
def test_copies_of_storages_are_their_own(copied):
    storage = torch.LongStorage([1, 2])
    other = copied(storage)
    other[1] = 5
    assert (storage, other) == ([1, 2], [5, 2])


def test_sizes_are_attributes_and_arguments_of_modules(tmp_path):
    class Shaped(nn.Module):
        def __init__(self, size):
            super().__init__()
            self.size = size

        def forward(self, x, size=None):
            return x.view(self.size if size is None else size)

    net = Shaped(torch.LongStorage([2, 2]))
    assert net(counted(4)).size() == [2, 2]
    assert net(counted(4), counted(4, 1).size()).size() == [4, 1]
    net.size[1], net.size[2] = 1, 4
    assert net(counted(4)).size() == [1, 4]
    torch.save(tmp_path / "size.t7", [counted(2, 3).size()])
    (size,) = torch.load(tmp_path / "size.t7")
    assert torch.typename(size) == "torch.LongStorage" and size == [2, 3]


def test_values_that_are_assigned_have_as_many_elements():
    t = torch.Tensor(2, 3)
    t[1] = torch.Tensor([[1], [2], [3]])
    t[[1, 2], 3] = [7, 8]
    t[t.numpy() == 0] = 5
    same(t, [[1, 2, 7], [5, 5, 8]])
    for place, wrong in ((1, [1, 2]), ([], [1]), (t.numpy() == 5, [1])):
        with pytest.raises(ValueError, match="expected a number or elements for size"):
            t[place] = wrong


def test_a_part_of_a_tensor_without_values_is_written_to():
    """In a user's updateOutput, which is differentiated: narrow, copy and fill of what is traced."""

    class Halves(nn.Module):
        def updateOutput(self, input):
            self.output = input.clone().mul(2)
            self.output.narrow(2, 1, 2).copy(input.narrow(2, 2, 2)).mul(3)
            return self.output

    x, g = values(2, 3), values(2, 3, seed=1)
    net = Halves().double()
    doubled = 2 * x
    doubled[:, :2] = 3 * x[:, 1:]
    same(net.forward(torch.DoubleTensor(x)), doubled)
    gradient = np.zeros_like(x)
    gradient[:, 1:] += 3 * g[:, :2]
    gradient[:, 2] += 2 * g[:, 2]
    same(net.backward(torch.DoubleTensor(x), torch.DoubleTensor(g)), gradient)


def test_arrays_of_jax_and_numpy_take_sizes_too():
    size = counted(2, 3).size()
    assert np.zeros(tuple(size)).shape == jnp.zeros(tuple(size)).shape == (2, 3)
    same(np.asarray(size), [2, 3])


def test_gradients_that_somebody_has_seen_are_not_written_over():
    net, x = nn.Sequential().add(nn.Linear(3, 2)).add(nn.Linear(2, 2)), np.ones((4, 3), np.float32)
    _, flat = net.getParameters()
    g, seen = np.ones((4, 2), np.float32), []
    for times in range(1, 5):
        net.forward(x)
        net.backward(x, g)
        if times % 2:
            seen += [(times, flat.clone()), (times, flat.numpy()), (times, net.get(1).gradBias.clone())]
            seen.append((times, copy.deepcopy(net).get(2).gradWeight))
    one = nn.Sequential().add(net.get(1)).add(net.get(2)).clone()
    one.zeroGradParameters()
    one.forward(x)
    one.backward(x, g)
    whole = np.concatenate([np.asarray(t).reshape(-1) for t in one.parameters()[1]])
    expected = (whole, whole, np.asarray(one.get(1).gradBias), np.asarray(one.get(2).gradWeight))
    for place, (times, value) in enumerate(seen):
        np.testing.assert_allclose(np.asarray(value), times * expected[place % 4], rtol=1e-5)
    np.testing.assert_allclose(np.asarray(flat), 4 * whole, rtol=1e-5)


@pytest.mark.parametrize("part", [lambda x: x[2], lambda x: x.narrow(2, 2, 2), lambda x: x.t()[1], lambda x: x])
def test_a_tensor_of_another_type_has_a_storage_of_its_own_elements_alone(part):
    x = torch.range(1, 12).resize(3, 4)
    made, given = part(x).double(), part(x)
    assert made.totable() == given.totable() and made.type() == "torch.DoubleTensor"
    assert made.storage().size() == given.nElement() and made.storageOffset() == 1
    made.fill(0)
    assert given.totable() == part(torch.range(1, 12).resize(3, 4)).totable()


X, INDICES = np.float32(np.random.default_rng(0).normal(size=(4, 3))), torch.LongTensor([3, 5, 9, 11])
IN_TURN = {
    "copy": lambda t: t.select(1, 2).copy(torch.rand(4, 3)),
    "assign": lambda t: t.__setitem__(2, torch.rand(4, 3)),
    "assign an element": lambda t: t[2][1].__setitem__(3, 0.5),
    "read a part and write to it": lambda t: t.select(1, 2).mul(t.select(1, 2).sum()),
    "compute with another part": lambda t: t.select(1, 2).csub(t.select(1, 3)),
    "sum of all": lambda t: (t.sum(), t.select(1, 2).fill(1)),
    "a new tensor of all": lambda t: (t.eq(1), t + 1, torch.tanh(t), t.select(1, 2).fill(1)),
    "rows by their numbers": lambda t: (t.index(1, INDICES), t.select(1, 2).fill(1)),
    "rows where a mask is set": lambda t: (t[t.gt(0)], t.select(1, 2).fill(1)),
    "indexCopy": lambda t: t.indexCopy(1, INDICES, torch.rand(4, 4, 3)),
    "indexAdd": lambda t: t.indexAdd(1, INDICES, torch.rand(4, 4, 3)),
    "indexFill": lambda t: t.indexFill(1, INDICES, 2),
    "maskedFill": lambda t: t.maskedFill(t.gt(0), 2),
    "scatter": lambda t: t.select(1, 2).scatter(2, torch.LongTensor(4, 1).fill(1), 1),
    "forward of a part": lambda t: t.select(1, 2).copy(nn.Tanh().forward(t.select(1, 2))),
    "clone a part": lambda t: (t.narrow(1, 2, 2).clone(), t.select(1, 2).uniform()),
}


@pytest.mark.parametrize("name", IN_TURN)
def test_parts_are_written_where_they_are(name):
    """Who fills a large tensor part by part, and reads parts in turn, does not copy the whole for each."""
    tensor = torch.FloatTensor(20, 4, 3).fill(0)
    tensor[1] = X
    memory = tensor.storage_.writable()
    IN_TURN[name](tensor)
    assert np.may_share_memory(memory, tensor.storage_.writable())


def test_what_was_handed_out_stays_as_it_is():
    tensor = torch.FloatTensor(20, 3).fill(0)
    tensor[1] = 1
    array, part = tensor.numpy(), tensor.narrow(1, 1, 12).numpy()
    diagonal, whole = torch.diag(torch.FloatTensor(tensor.storage(), 1, torch.LongStorage([3, 3]))), tensor.clone()
    tensor.fill(7)
    tensor[1] = 5
    assert array.sum() == part.sum() == diagonal.sum() + 2 == whole.sum() == 3


@pytest.mark.parametrize(
    "set_number",
    [
        lambda x: x.__setitem__(1, 1e300),
        lambda x: x.__setitem__(([1, 2],), 1e300),
        lambda x: x.fill(1e300),
        lambda x: x.narrow(1, 1, 2).fill(1e300),
        lambda x: x.storage().__setitem__(1, 1e300),
        lambda x: x.storage().fill(1e300),
        lambda x: x.indexFill(1, torch.LongTensor([1]), 1e300),
        lambda x: x.copy(torch.DoubleTensor([1e300, 1, 1])),
        lambda x: x.mul(1e300),
    ],
)
def test_numbers_that_are_too_large_for_a_type_become_infinite_without_a_warning(set_number):
    x = torch.FloatTensor([1, 1, 1])
    set_number(x)
    assert x[1] == np.inf
