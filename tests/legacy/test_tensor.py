"""Tensors: views of storages, counted from 1."""

import copy
import pickle
import re

import jax.numpy as jnp
import numpy as np
import pytest

from functorch7.legacy import torch

from .helpers import counted, same, values


def test_construction():
    assert torch.Tensor(2, 3).size() == [2, 3]
    same(torch.Tensor([[1, 2], [3, 4]]), [[1, 2], [3, 4]])
    assert (torch.Tensor().dim(), torch.Tensor().size(), torch.Tensor().nElement()) == (0, [], 0)
    assert torch.Tensor(2).type() == "torch.FloatTensor"
    assert torch.LongTensor([1, 2]).type() == "torch.LongTensor"
    assert torch.DoubleTensor(3).dtype == np.float64
    same(torch.range(1, 2, 0.5), [1, 1.5, 2])
    with pytest.raises(AttributeError, match="NoSuchTensor"):
        _ = torch.NoSuchTensor


def test_elements_count_from_one():
    t = counted(2, 3)
    assert t[1, 1] == 1 and t[2, 3] == 6 and t[-1, -1] == 6
    same(t[2], [4, 5, 6])
    same(t[[1, 2], [2, 3]], [[2, 3], [5, 6]])
    same(t[[], 2], [2, 5])
    same(t[:, 2], [2, 5])
    assert [row.size() for row in t] == [[3], [3]]


@pytest.mark.parametrize("index", [0, 3, -3, (1, 4), (1, 0)])
def test_indices_out_of_range(index):
    with pytest.raises(IndexError, match="count from 1"):
        counted(2, 3)[index]


def test_python_slices_are_refused_as_ambiguous():
    with pytest.raises(IndexError, match="ambiguous"):
        counted(4)[1:2]


def test_assignment_through_indices_and_masks():
    t = counted(2, 3)
    t[1, 2] = 20
    t[2] = [7, 8, 9]
    t[[1, 2], 1] = 0
    same(t, [[0, 20, 3], [0, 8, 9]])
    t[t.numpy() == 0] = -1
    same(t[t.numpy() < 0], [-1, -1])
    t[t.numpy() < 0] = torch.Tensor([5, 6, 7])  # of which there are places for two
    same(t, [[5, 20, 3], [6, 8, 9]])
    with pytest.raises(ValueError, match="expected a number or elements for size 6, got 2"):
        t[t.numpy() > 0] = torch.Tensor([5, 6])


@pytest.mark.parametrize("view, position", [
    (lambda t: t.narrow(1, 2, 1), (2, 1)), (lambda t: t.select(2, 3), (1, 3)), (lambda t: t.t(), (1, 1)),
    (lambda t: t.view(3, 2), (1, 1)), (lambda t: t[2], (2, 1)), (lambda t: t.transpose(1, 2).narrow(1, 2, 2), (1, 2)),
])  # fmt: skip
def test_views_share_their_elements(view, position):
    t = counted(2, 3)
    seen = view(t)
    seen.fill(0)
    assert t[position] == 0
    t.fill(5)
    assert (np.asarray(seen) == 5).all()


@pytest.mark.parametrize("view, copied", [
    (lambda t: t.view(1, 3).expand(2, 3), [[1, 4, 7], [1, 4, 7]]), (lambda t: t.unfold(1, 2, 1), [[1, 4], [4, 7]]),
    (lambda t: t.narrow(1, 2, 2), [4, 7]), (lambda t: torch.Tensor(t.storage(), 1, 2, 2), [1, 7]),
])  # fmt: skip
def test_views_of_what_was_copied_from_a_column_show_it(view, copied):
    t = torch.Tensor(3)
    seen = view(t)
    t.copy(torch.Tensor([[1, 2, 3], [4, 5, 6], [7, 8, 9]]).select(2, 1))
    same(seen, copied)
    same(view(torch.Tensor.of(np.arange(1, 10, dtype=np.float32)[::3])), copied)


def test_squeezed_views_go_into_a_tensor():
    t, r = counted(1, 2, 1), torch.Tensor()
    for dims, sizes in (((), [2]), ((3,), [1, 2]), ((2,), [1, 2, 1])):
        for found in (torch.squeeze(r, t, *dims), torch.Tensor.squeeze(r, t, *dims)):
            assert found is r and r.size() == sizes and r.storage() is t.storage()
    with pytest.raises(TypeError, match=r"torch.squeeze: expected \(\[tensor,\] \[dim\]\), got \(1, 2\)"):
        t.squeeze(1, 2)


@pytest.mark.parametrize("view", [
    lambda t: t.t(), lambda t: t.view(3, 2).narrow(1, 1, 1), lambda t: t.view(2, 3).narrow(1, 1, 1).narrow(2, 1, 1),
    lambda t: t.view(1, 6).expand(1, 6).transpose(1, 2), lambda t: t.unfold(1, 1, 1).select(3, 1),
])  # fmt: skip
def test_strides_of_dimensions_of_size_1_do_not_count(view):
    """As in THTensor_(isContiguous): nobody takes such a step."""
    t = view(counted(6, 1))
    assert t.isContiguous() and t.contiguous() is t
    t.view(t.nElement())[1] = 9
    assert t[(1,) * t.dim()] == 9


def test_a_range_of_all_is_another_view():
    t = counted(2, 3)
    for whole in (t[[],], t[[], []], t[[1, -1],]):
        assert whole is not t and whole.isSetTo(t)
        whole.resize(6)
    assert t.size() == [2, 3]


@pytest.mark.parametrize("whole", [float, np.int64, np.float32])
@pytest.mark.parametrize("call", [
    lambda t, one, two: t.unfold(two, two, one), lambda t, one, two: t.topk(two, one), lambda t, one, two: t.topk(two),
    lambda t, one, two: t.histc(two), lambda t, one, two: t.bhistc(two, one, two), lambda t, one, two: t.histc(one),
    lambda t, one, two: torch.cat(t, t, one), lambda t, one, two: torch.cat([t, t], two),
    lambda t, one, two: torch.multinomial(t, two),
    lambda t, one, two: torch.FloatTensor(t.storage(), one, two, one, two, two),
])  # fmt: skip
def test_whole_numbers_may_be_written_as_fractions(call, whole):
    """As all numbers of Lua's are."""
    found = []
    for one, two in ((1, 2), (whole(1), whole(2))):
        torch.manualSeed(1)
        made = call(counted(2, 3).float(), one, two)
        found.append([(each.type(), each.totable()) for each in (made if isinstance(made, tuple) else [made])])
    assert found[0] == found[1]


@pytest.mark.parametrize("call, message", [
    (lambda t: t.view(3, 2, 1).t(), "torch.t: expected a matrix, got size 3x2x1"),
    (lambda t: t[1].t(), "torch.t: expected a matrix, got size 3"),
    (lambda t: t[1].narrow(1, 1, 1).squeeze(2), "torch.squeeze: dimension 2 out of range of a 1D tensor"),
    (lambda t: t[1, 2, []], "dimension 3 out of range|dimension 1 out of range"),
    (lambda t: t[[], [], []], "dimension 3 out of range"),
    (lambda t: t[[1, 2, 3],], r"expected \[first, last\] as a range of an index, got \[1, 2, 3\]"),
    (lambda t: t[torch.LongStorage([1])], "expected 2 indices in a LongStorage, got 1"),
    (lambda t: t[None], "expected a number as an index, got None"),
    (lambda t: t["size"], "expected a number as an index, got 'size'"),
    (lambda t: t.view(-2, -3), "torch.view: expected sizes for the 6 elements of 2x3, got -2x-3"),
    (lambda t: t.gather(2, torch.LongTensor([1, 2])), "torch.gather: expected indices of size 2xn, got size 2"),
    (lambda t: torch.Tensor(t.storage(), 8), "torch.Tensor: offset 8 in 6 elements"),
    (lambda t: torch.Tensor().set(t.storage(), 20), "torch.Tensor: offset 20 in 6 elements"),
])  # fmt: skip
def test_views_that_there_are_not(call, message):
    with pytest.raises((ValueError, IndexError, TypeError), match=message):
        call(counted(2, 3))


def test_views_are_those_of_numpy():
    t, array = counted(2, 3, 4), np.arange(1, 25).reshape(2, 3, 4)
    same(t.transpose(1, 3), array.transpose(2, 1, 0))
    same(t.select(2, 3), array[:, 2])
    same(t.narrow(3, 2, 2), array[:, :, 1:3])
    same(t.view(-1, 4), array.reshape(-1, 4))
    same(t.select(1, 2).t().narrow(1, 2, 2), array[1].T[1:3])
    same(counted(2, 1).expandAs(torch.Tensor(2, 3)), [[1, 1, 1], [2, 2, 2]])


def test_sizes_strides_and_offsets():
    t = counted(2, 3)
    assert (t.size(), t.size(2), t.dim(), t.nElement(), len(t)) == ([2, 3], 3, 2, 6, 2)
    assert (t.stride(), t.stride(1), t.storageOffset()) == ([3, 1], 3, 1)
    assert t.select(1, 2).storageOffset() == 4
    assert t.t().stride() == [1, 3] and not t.t().isContiguous()
    with pytest.raises(ValueError, match="contiguous"):
        t.t().view(6)
    same(t.t().contiguous().view(6), [1, 4, 2, 5, 3, 6])
    with pytest.raises(IndexError, match="dimension 3 out of range of a 2D tensor"):
        t.size(3)


def test_set_makes_two_tensors_one():
    a, b = counted(3), torch.Tensor(2)
    b.set(a)
    assert b.isSetTo(a)
    b[2] = 50
    assert a[2] == 50


def test_clone_and_copy():
    t = counted(2, 3)
    twin = t.t().clone()
    assert twin.isContiguous()
    twin.zero()
    assert t[1, 1] == 1
    same(torch.Tensor(6).copy(t), [1, 2, 3, 4, 5, 6])
    with pytest.raises(ValueError, match="torch.copy: expected 4 elements"):
        torch.Tensor(4).copy(t)


def test_resize_keeps_the_elements_that_fit():
    same(counted(2, 3).resize(2, 2), [[1, 2], [3, 4]])
    assert counted(2).resizeAs(torch.Tensor(3, 4)).size() == [3, 4]


IN_PLACE = {
    "add number": (lambda t, o: t.add(2), lambda a, b: a + 2),
    "add tensor": (lambda t, o: t.add(o), lambda a, b: a + b),
    "add scaled": (lambda t, o: t.add(-0.5, o), lambda a, b: a - 0.5 * b),
    "sub": (lambda t, o: t.sub(o), lambda a, b: a - b),
    "mul": (lambda t, o: t.mul(3), lambda a, b: a * 3),
    "div": (lambda t, o: t.div(4), lambda a, b: a / 4),
    "cmul": (lambda t, o: t.cmul(o), lambda a, b: a * b),
    "cdiv": (lambda t, o: t.cdiv(o), lambda a, b: a / b),
    "pow": (lambda t, o: t.pow(2), lambda a, b: a**2),
    "abs": (lambda t, o: t.abs(), lambda a, b: np.abs(a)),
    "exp": (lambda t, o: t.exp(), lambda a, b: np.exp(a)),
    "cmax": (lambda t, o: t.cmax(o), np.maximum),
    "cmin": (lambda t, o: t.cmin(0), lambda a, b: np.minimum(a, 0)),
    "apply": (lambda t, o: t.apply(lambda v: v * 2 if v > 0 else None), lambda a, b: np.where(a > 0, 2 * a, a)),
}


@pytest.mark.parametrize("name", IN_PLACE)
@pytest.mark.parametrize("part", [lambda t: t, lambda t: t.t(), lambda t: t.select(2, 2)], ids=["all", "t", "column"])
def test_methods_work_in_place_on_views(name, part):
    torch_way, numpy_way = IN_PLACE[name]
    a, b = values(3, 3, seed=1), values(3, 3, seed=2)
    t, other = torch.DoubleTensor(a), torch.DoubleTensor(b)
    seen = part(t)
    expected = numpy_way(np.array(seen), np.array(part(other)))
    untouched = np.array(t)
    assert torch_way(seen, part(other)) is seen
    same(seen, expected)
    if part(t).nElement() < t.nElement():
        same(t.select(2, 1), untouched[:, 0])


def test_reductions():
    a = values(3, 4)
    t = torch.DoubleTensor(a)
    assert t.sum() == pytest.approx(a.sum()) and t.mean() == pytest.approx(a.mean())
    assert t.max() == a.max() and t.min() == a.min()
    assert t.std() == pytest.approx(a.std(ddof=1)) and t.var() == pytest.approx(a.var(ddof=1))
    same(t.sum(1), a.sum(0, keepdims=True))
    largest, position = t.max(2)
    same(largest, a.max(1, keepdims=True))
    same(position, a.argmax(1)[:, None] + 1)


def test_operators_give_new_tensors():
    a, b = counted(3), counted(3)
    same(a + b, [2, 4, 6])
    same(2 * a - 1, [1, 3, 5])
    same(-a / 2, [-0.5, -1, -1.5])
    same(a, [1, 2, 3])
    assert isinstance(a + 1, torch.Tensor)


def test_types():
    t = counted(3)
    assert t.type("torch.DoubleTensor").dtype == np.float64
    assert t.type("torch.FloatTensor") is t
    assert t.typeAs(torch.LongTensor(1)).type() == "torch.LongTensor"
    with pytest.raises(ValueError, match="unknown type 'torch.Tensor64'"):
        t.type("torch.Tensor64")


def test_numpy_and_jax_see_the_elements():
    t = counted(2, 2)
    same(np.asarray(t) @ np.eye(2), [[1, 2], [3, 4]])
    same(jnp.asarray(t) * 2, [[2, 4], [6, 8]])
    assert t.totable() == [[1, 2], [3, 4]]
    with pytest.raises(ValueError, match="read-only"):
        t.numpy()[0, 0] = 5


def test_an_array_that_was_handed_out_never_changes():
    t = counted(3)
    seen = np.asarray(t)
    t.fill(9)
    t[1] = 4
    same(seen, [1, 2, 3])


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda t: pickle.loads(pickle.dumps(t))], ids=["deepcopy", "pickle"])
def test_copies_keep_views_of_one_storage_together(copied):
    t = counted(2, 3)
    whole, row = copied([t, t.select(1, 2)])
    row.zero()
    same(whole, [[1, 2, 3], [0, 0, 0]])
    assert t[2, 1] == 4


def test_storages():
    t = counted(2, 2)
    assert len(t.storage()) == 4
    assert len(torch.LongStorage([8, 2])) == 2
    assert torch.typename(t) == "torch.FloatTensor" and torch.typename(3) is None
    assert torch.isTensor(t) and not torch.isTensor([1])


def test_what_a_transposed_tensor_gives_is_written_to_in_part():
    """NumPy's results lie as its arguments do; a storage's elements lie row by row."""
    for made in (torch.add(torch.range(1, 6).view(2, 3).t(), 1), torch.range(1, 6).view(2, 3).t() * 2):
        made[2][1] = 50
        made.select(2, 2).fill(7)
        assert [row[1] for row in made.totable()] == [7, 7, 7] and made[2][1] == 50
        assert made.storage()[3] == 50 and made.view(-1)[3] == 50


def test_a_copied_array_stays_its_owners():
    array = np.ones(3, np.float32)
    t = torch.Tensor(3).copy(array)
    array[0] = 9
    same(t, [1, 1, 1])
    t.fill(2)
    same(array, [9, 1, 1])


@pytest.mark.parametrize("number", [300, -1, 2.75, -3])
def test_numbers_are_converted_to_a_tensors_type_as_in_c(number):
    wanted = np.full(2, int(number)).astype(np.uint8)
    for made in (
        torch.ByteTensor([number, number]), torch.ByteTensor(2).fill(number), torch.ByteTensor(2).add(number),
        torch.ByteTensor(2) + number, torch.ByteTensor([1, 1]) * number, torch.ByteStorage(2).fill(number),
        torch.ByteTensor(2).indexFill(1, torch.LongTensor([1, 2]), number), torch.ByteStorage([number] * 2),
        torch.ByteTensor(2).maskedFill(torch.ByteTensor([1, 1]), number),
    ):  # fmt: skip
        same(made, wanted)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: torch.Tensor(-1), "torch.Tensor: expected sizes that are not negative, got -1"),
        (lambda x: x.new(2, -3), "torch.new: expected sizes that are not negative, got 2x-3"),
        (lambda x: torch.zeros(2, -3), "torch.zeros: expected sizes that are not negative, got 2x-3"),
        (lambda x: torch.randn(-1), "expected sizes that are not negative, got -1"),
        (lambda x: x.resize(-1, 2), "torch.resize: expected sizes that are not negative, got -1x2"),
        (lambda x: x.gather(1, torch.LongTensor([1, 2])), "torch.gather: expected indices of size nx2, got size 2"),
        (lambda x: x.gather(2, torch.LongTensor([[1]])), "torch.gather: expected indices of size 2xn, got size 1x1"),
        (lambda x: x.repeatTensor(-1, 1), "torch.repeatTensor: expected sizes that are not negative, got -1x1"),
        (lambda x: x.storage().resize(-1), "torch.resize: expected sizes that are not negative, got -1"),
        (lambda x: torch.LongStorage(-1), "expected sizes that are not negative, got -1"),
        (lambda x: torch.Tensor([[1, 2], [3]]), "torch.Tensor: expected numbers, and tables of one size"),
        (lambda x: torch.LongTensor(["a"]), "torch.Tensor: expected numbers, and tables of one size"),
        (lambda x: x.__setitem__((1, 1), "a"), "expected a number, a tensor or a table of numbers for elements"),
    ],
)  # fmt: skip
def test_what_is_no_size_and_no_element(call, message):
    x = torch.ones(2, 2)
    with pytest.raises((TypeError, ValueError), match=re.escape(message)):
        call(x)
    assert x.size().totable() == [2, 2]
