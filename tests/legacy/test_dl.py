"""legacy.dl: Torch's package dataload, with tensors."""

import re

import jax
import numpy as np
import pytest
from PIL import Image

from functorch7 import data
from functorch7.interop import t7
from functorch7.legacy import Tensor, dl, manualSeed, optim, torch
from functorch7.legacy.tensors.random import generator


@pytest.fixture
def five():
    return dl.TensorLoader(torch.range(1, 5), torch.range(1, 5))


def listed(batches):
    return [(k, np.asarray(inputs).tolist()) for k, inputs, *_ in batches]


@pytest.mark.parametrize("wrap", [lambda loader: loader, dl.AsyncIterator], ids=["loader", "async"])
def test_the_documented_examples_print_what_they_print(five, wrap, capsys):
    loader = wrap(five)
    for i, (k, inputs, targets) in enumerate(loader.subiter(2, 6), 1):
        print(f"batch {i}, nsampled = {k}")
        assert inputs.type() == "torch.FloatTensor" and np.array_equal(inputs, targets)
    printed = capsys.readouterr().out.splitlines()
    assert printed == [f"batch {i}, nsampled = {k}" for i, k in ((1, 2), (2, 4), (3, 5), (4, 6))]
    loader.reset()
    assert listed(loader.subiter(2, 6)) == [(2, [1, 2]), (4, [3, 4]), (5, [5]), (6, [1])]
    assert [(k, inputs.size(1)) for k, inputs, _ in loader.sampleiter(2, 6)] == [(2, 2), (4, 2), (6, 2)]


def test_manual_seed_decides_the_samples(five):
    for wrap in (lambda loader: loader, dl.AsyncIterator):
        manualSeed(3)
        first = listed(wrap(five).sampleiter(2, 40))
        manualSeed(3)
        assert listed(wrap(five).sampleiter(2, 40)) == first


def test_given_tensors_are_overwritten_and_returned(five):
    inputs, targets = torch.Tensor(), torch.Tensor(3, 4)
    found = five.index(torch.LongTensor([3, 1, 3]), inputs, targets)
    assert found[0] is inputs and found[1] is targets
    assert list(inputs) == list(targets) == [3, 1, 3]
    nested = dl.TensorLoader([torch.randn(4, 2), torch.randn(4)], {"a": torch.ones(4)})
    buffers = [torch.Tensor(), torch.Tensor()]
    assert nested.sub(2, 3, buffers)[0] is buffers and buffers[0].size() == [2, 2]


def test_a_loader_gives_what_its_tensors_hold_now(five):
    first, rest = five.split(0.5)
    first.inputs.fill(7)
    assert list(five.sub(1, 3)[0]) == [7, 7, 3] and rest.size() == 3
    same, indices = five.shuffle()
    assert same is five and indices.type() == "torch.LongTensor" and sorted(indices) == [1, 2, 3, 4, 5]
    assert five.clone("inputs").inputs is five.inputs and five.clone().inputs is not five.inputs
    with pytest.raises(ValueError, match="Expecting 0 < arg < 1"):
        five.split(1.5)
    with pytest.raises(TypeError, match=r"TensorLoader.split: expected a number between 0 and 1, got \[0.8, 0.2\]"):
        five.split([0.8, 0.2])


class Squares(dl.DataLoader):
    def size(self):
        return 10

    def index(self, indices, inputs=None, targets=None):
        values = torch.LongTensor(np.asarray(indices))
        return values, torch.LongTensor(np.asarray(values) ** 2)


def test_a_loader_of_ones_own():
    loader = Squares()
    assert listed(loader.subiter(4)) == listed(dl.AsyncIterator(loader).subiter(4))
    inputs, targets = loader.sample(3)
    assert (np.asarray(inputs) ** 2 == np.asarray(targets)).all()
    for missing in (loader.shuffle, loader.isize, loader.tsize):
        with pytest.raises(NotImplementedError, match="Not Implemented"):
            missing()
    loader.gcdelay = 2
    loader.collectgarbage()
    assert loader.gccount == 1
    loader.collectgarbage()
    assert loader.gccount == 0


def test_steps_of_a_sequence_are_views():
    loader = dl.SequenceLoader(torch.range(1, 23), 4)
    inputs, targets = torch.Tensor(), torch.Tensor()
    assert loader.sub(2, 4, inputs, targets)[0] is inputs
    assert inputs.size() == [3, 4] and inputs[1, 1] == 2 and targets[1, 1] == 3
    assert (loader.size(), loader.isize(), loader.batchsize, loader.data.size()) == (4, [4], 4, [5, 4])
    with pytest.raises(NotImplementedError, match="Use subiter instead"):
        loader.sampleiter(3)


def test_sequences_stream_with_masks():
    loader = dl.MultiSequence([torch.LongTensor([5, 6, 7]), torch.LongTensor([8, 9])], 1)
    inputs, targets = loader.sub(1, 5)
    assert list(inputs.select(2, 1)) == [0, 5, 6, 0, 8] and list(targets.select(2, 1)) == [1, 6, 7, 1, 9]
    assert loader.seqlen == 5 and list(loader.sequences[0]) == [5, 6, 7]
    loader.randseq = True
    assert loader.functional().randseq


@pytest.fixture
def folder(tmp_path):
    for name, shade in {"b": 100, "a": 50}.items():
        (tmp_path / name).mkdir()
        for i in range(2):
            Image.fromarray(np.full((10, 12, 3), shade, np.uint8)).save(tmp_path / name / f"{i}.png")
    return tmp_path


def test_images_in_folders(folder, capsys):
    loader = dl.ImageClass([str(folder)], [3, 10, 10], None, None, lambda a, b: a > b)
    assert capsys.readouterr().out == "found 2 classes, 4 images\n"
    assert loader.classes == ["b", "a"] and loader.iclasses == {"b": 1, "a": 2} and loader.nsample == 4
    assert list(loader.imageClass) == [1, 1, 2, 2] and [list(each) for each in loader.classList] == [[1, 2], [3, 4]]
    inputs, targets, paths = loader.index(torch.LongTensor([1, 4]))
    assert inputs.size() == [2, 3, 10, 10] and list(targets) == [1, 2] and paths[1] == str(folder / "a" / "1.png")
    assert bytes(np.asarray(loader.imagePath[1]).tobytes()).rstrip(b"\0").decode() == str(folder / "b" / "0.png")
    assert loader.index(torch.LongTensor([1, 4]), None, None, "sampleTest")[0].size() == [20, 3, 10, 10]
    assert loader.size("a") == loader.size(2) == 2
    loader.samplefunc = "sampleTrain"
    for k, inputs, _, paths in dl.AsyncIterator(loader, 2).sampleiter(3, 5):
        assert inputs.size(1) == len(paths) == (3 if k == 3 else 2)


def test_sample_functions_of_ones_own(folder):
    def half(loader, dst, path):
        return loader.sampleDefault(dst, path).mul(0.5)

    loader = dl.ImageClass(str(folder), [3, 10, 10], [3, 4, 4], half, None, False)
    assert abs(loader.sub(1, 1)[0].mean() - 25 / 255) < 1e-6
    dst = torch.Tensor()
    assert loader.sampleTest(dst, str(folder / "a" / "0.png")) is dst and dst.size() == [10, 3, 4, 4]
    with pytest.raises(ValueError, match=r"no sample function 'sampleBest'"):
        loader.samplefunc = "sampleBest"
    views, classes = loader.tableToTensor([dst, dst], [2, 1], torch.Tensor(), torch.LongTensor())
    assert views.size() == [20, 3, 4, 4] and list(classes) == [2] * 10 + [1] * 10


def test_sample_functions_may_fill_buffers_that_are_kept(folder):
    loader = dl.ImageClass(str(folder), [3, 10, 10], None, None, None, False)
    buffer = loader.getImageBuffer(2)
    buffer.resize(3, 4)
    assert loader.getImageBuffer(2) is buffer and loader.getImageBuffer(1) is not buffer
    loader.reset()
    assert loader.getImageBuffer(2).nElement() == 0


def test_image_sequences(tmp_path, capsys):
    (tmp_path / "s").mkdir()
    for t in (1, 2):
        Image.fromarray(np.full((8, 8, 3), 100, np.uint8)).save(tmp_path / "s" / f"in{t}.png")
        Image.fromarray(np.full((4, 4), 50, np.uint8)).save(tmp_path / "s" / f"out{t}.png")
    loader = dl.MultiImageSequence(str(tmp_path), 1, [[3, 8, 8], [1, 4, 4]], [3, 6, 6])
    loader.inputpattern, loader.targetpattern = "in%d.png", "out%d.png"
    loader.buildIndex()
    assert capsys.readouterr().out == "Found 1 sequences with a total of 2 frames\n"
    loader.cropeverystep = loader.varyloadsize = True
    loader.samplefunc = "sampleTrain"
    inputs, targets = loader.sub(1, 3)
    assert inputs.size() == [3, 1, 3, 6, 6] and targets.size() == [3, 1, 1, 3, 3]
    assert loader.functional().crop_every_step and loader.seqdirs == [("s", 2)]

    def blank(self, input, target, inputpath, targetpath, tracker):
        input.fill(tracker["step"] + 1)

    assert loader.sub(1, 3, None, None, blank)[0].max() == 2


def frames(folder):
    (folder / "frames").mkdir()
    for kind, size in {"input": (8, 8, 3), "target": (4, 4)}.items():
        for t in (1, 2, 3):
            Image.fromarray(np.full(size, 20 * t, np.uint8)).save(folder / "frames" / f"{kind}{t}.png")
    loader = dl.MultiImageSequence(str(folder), 2, [[3, 8, 8], [1, 4, 4]], [3, 6, 6])
    loader.inputpattern, loader.targetpattern = "input%d.png", "target%d.png"
    return loader


SAVED = {  # loaders, and fields of theirs that dataload's files have
    "TensorLoader": (lambda folder: dl.TensorLoader(torch.rand(5, 2), [torch.range(1, 5)]), {"inputs", "targets"}),
    "SequenceLoader": (lambda folder: dl.SequenceLoader(torch.range(1, 20), 2), {"data", "batchsize", "bidirectional"}),
    "MultiSequence": (
        lambda folder: dl.MultiSequence([torch.range(1, 3), torch.range(11, 17)], 2),
        {"sequences", "batchsize", "seqlen", "trackers"},
    ),
    "ImageClass": (
        lambda folder: dl.ImageClass([str(folder)], [3, 10, 10], None, "sampleDefault", None, False),
        {"datapath", "loadsize", "samplesize", "samplefunc", "classes", "iclasses", "imagePath", "classList"},
    ),
    "MultiImageSequence": (frames, {"datapath", "seqdirs", "nframe", "seqlen", "trackers", "inputpattern"}),
}  # fmt: skip


@pytest.mark.parametrize("name", SAVED)
def test_loaders_go_on_from_files_where_they_were(name, folder, tmp_path_factory, capsys):
    make, fields = SAVED[name]
    loader, path = make(folder), tmp_path_factory.mktemp("files") / "loader.t7"
    loader.vocab = {"the": 1, "a": 2}
    next(loader.subiter(2))
    torch.save(path, [loader, loader])
    record = t7.read(path)[0]
    assert record.class_name == f"dl.{name}" and fields <= record.fields.keys()
    first, second = torch.load(path)
    assert first is second and type(first) is type(loader) and first.vocab == {"the": 1, "a": 2}
    assert first.size() == loader.size() and first.isize() == loader.isize()
    for _ in range(2):
        for mine, theirs in zip(next(first.subiter(2)), next(loader.subiter(2)), strict=True):
            for a, b in zip(jax.tree.leaves(mine), jax.tree.leaves(theirs), strict=True):
                assert np.array_equal(a, b)


def test_files_say_what_a_loader_lacks(tmp_path):
    t7.write(tmp_path / "loader.t7", t7.T7Object("dl.SequenceLoader", 1, {"batchsize": 2}))
    with pytest.raises(ValueError, match="dl.SequenceLoader: 'data'"):
        torch.load(tmp_path / "loader.t7")


def test_asynchronous_requests():
    loader = dl.AsyncIterator(Squares(), 2, False, "binary")
    loader.asyncPut("sub", [1, 2], 2)
    result = loader.asyncGet()
    assert result["size"] == 2 and list(result[2]) == [1, 4]
    loader.asyncPut("sub", [1, 2], 2)
    loader.synchronize()
    with pytest.raises(RuntimeError, match="nothing was asked for"):
        loader.asyncGet()
    loader.close()
    with pytest.raises(ValueError, match="Serial mode can only be ascii or binary"):
        dl.AsyncIterator(Squares(), 2, False, "text")
    with pytest.raises(TypeError, match=r"expected a dl.DataLoader, got list"):
        dl.AsyncIterator([1])


def test_images_are_normalised_in_place():
    manualSeed(1)
    images = torch.randn(64, 3, 4, 4).mul(3).add(2)
    loader = dl.TensorLoader(images, torch.ones(64))
    normalize = dl.fitImageNormalize(loader, 2000)
    inputs, _ = loader.sub(1, 64)
    assert normalize(inputs) is inputs
    assert abs(inputs.mean()) < 0.1 and abs(np.std(np.asarray(inputs)) - 1) < 0.1


def test_values_are_scaled_in_place():
    x = torch.Tensor([1, 2, 3])
    assert dl.rescale(x, 0, 1) is x and list(x) == [0, 0.5, 1]
    assert dl.binarize(x, 0.5) is x and list(x) == [0, 1, 1]


def test_loaders_of_functorch7_data_get_torchs_calls():
    class Worded(data.SequenceLoader):
        vocab = {"a": 1}

        def text(self, ids):
            return " ".join(map(str, ids))

    loader = dl.with_torch_calls(Worded(np.arange(9), 2))
    assert isinstance(loader, dl.SequenceLoader) and loader.vocab == {"a": 1}
    assert loader.text(torch.LongTensor([1, 2])) == "1 2"
    inner = dl.with_torch_calls(data.AsyncIterator(data.TensorLoader(np.arange(4.0), np.arange(4)), 3))
    assert isinstance(inner, dl.AsyncIterator) and isinstance(inner.dataset.inputs, Tensor) and inner.nthread == 3
    with pytest.raises(AttributeError, match="dl has no 'loadNothing'"):
        dl.loadNothing()


@pytest.mark.parametrize("call, said", [
    (lambda loader, counts: loader.index("a"), "dl.TensorLoader.index: expected (indices, [inputs], [ta"),
    (lambda loader, counts: loader.index([1.5]), "TensorLoader.index: expected a list of whole numbers, got fl"),
    (lambda loader, counts: loader.sub(1), "dl.TensorLoader.sub: expected (start, stop, [inputs], [ta"),
    (lambda loader, counts: counts.add("a", "b"), "optim.ConfusionMatrix.add: expected classes or scores, got 'a'"),
    (lambda loader, counts: optim.sgd(None, torch.ones(2)), "optim.sgd: expected a function of x that gives loss and"),
    (lambda loader, counts: optim.lbfgs(lambda x: (1, x), torch.ones(2), {"maxIter": "a"}), "optim.lbfgs: expected ("),
])  # fmt: skip
def test_calls_that_do_not_fit_are_named(call, said):
    loader = dl.TensorLoader(torch.randn(4, 3), torch.randn(4, 1))
    assert loader.index([1.0, 4.0])[0].size() == [2, 3]
    with pytest.raises(TypeError, match="^" + re.escape(said)):
        call(loader, optim.ConfusionMatrix(3))


def test_samples_are_those_that_torch_draws():
    """The numbers are those of dataload in Torch7, after manualSeed(1), one draw after the other."""
    numbers = Tensor(range(1, 21))
    loader = dl.TensorLoader(numbers, numbers)
    manualSeed(1)
    assert loader.sample(6)[1].totable() == [6, 20, 5, 9, 4, 14]
    assert torch.rand(1)[1] == pytest.approx(0.30233256774954)
    assert [batch[2].totable() for batch in loader.sampleiter(4, 8)] == [[2, 20, 13, 9], [10, 17, 4, 14]]
    assert torch.rand(1)[1] == pytest.approx(0.66974604036659)
    loader.shuffle()
    assert loader.index(Tensor(range(1, 11)))[1].totable() == [3, 2, 5, 8, 19, 9, 11, 13, 12, 17]
    assert torch.rand(1)[1] == pytest.approx(0.43069857009687)
    manualSeed(1)
    expected = generator().numpy.permutation(20)
    manualSeed(1)
    assert (generator().numpy.permutation(np.int64(20)) == expected).all()  # as many samples as NumPy counts
