"""The zoo: numbers of parameters from independent sources, sizes, files of Torch7, PyTorch's orders."""

import inspect
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import functorch7 as f7
from functorch7 import legacy, zoo
from functorch7.network import structure_of
from functorch7.viz.visits import visits

# torchvision's documentation (num_params); bvlc_alexnet and bvlc_googlenet of Caffe's model zoo; the DCGAN of PyTorch's
# examples; char-rnn's own print for tiny Shakespeare; of CIFAR's residual networks, He et al.'s table 6 has the rounded
# numbers. What torchvision counts of Inception v3 has a classifier at the side, too.
SIDE = 768 * 128 + 2 * 128 + 128 * 768 * 25 + 2 * 768 + 768 * 1000 + 1000
COUNTS = {
    "lenet": (zoo.lenet(), 61_706),
    "alexnet": (zoo.alexnet(), 61_100_840),
    "alexnet_two_towers": (zoo.alexnet_two_towers(), 60_965_224),
    "vgg11": (zoo.vgg(11), 132_863_336),
    "vgg13": (zoo.vgg(13), 133_047_848),
    "vgg16": (zoo.vgg(), 138_357_544),
    "vgg19": (zoo.vgg(19), 143_667_240),
    "vgg16_bn": (zoo.vgg(16, batch_norm=True), 138_365_992),
    "googlenet": (zoo.googlenet(), 6_998_552),
    "inception_v3": (zoo.inception_v3(), 27_161_264 - SIDE),
    "squeezenet1_0": (zoo.squeezenet("1.0"), 1_248_424),
    "squeezenet1_1": (zoo.squeezenet(), 1_235_496),
    "resnet18": (zoo.resnet(18), 11_689_512),
    "resnet34": (zoo.resnet(34), 21_797_672),
    "resnet50": (zoo.resnet(50), 25_557_032),
    "resnet101": (zoo.resnet(101), 44_549_160),
    "resnet152": (zoo.resnet(152), 60_192_808),
    "resnet20": (zoo.resnet(20), 0.27e6),
    "resnet32": (zoo.resnet(32), 0.46e6),
    "resnet44": (zoo.resnet(44), 0.66e6),
    "resnet56": (zoo.resnet(56), 0.85e6),
    "resnet110": (zoo.resnet(110), 1.7e6),
    "dcgan_generator": (zoo.dcgan_generator(), 3_576_704),
    "dcgan_discriminator": (zoo.dcgan_discriminator(), 2_765_568),
    "char_rnn": (zoo.char_rnn(65), 240_321),
    "recurrent_attention": (
        zoo.recurrent_attention(),
        (2 + 1) * 128 + (64 + 1) * 128 + 3 * (256 + 1) * 256 + 256 + (256 + 1) * 2 + (256 + 1) * 10 + 1,
    ),
}


@pytest.mark.parametrize("name", COUNTS)
def test_numbers_of_parameters_are_the_known_ones(name):
    network, known = COUNTS[name]
    counted = sum(math.prod(array.shape) for array in jax.tree.leaves(structure_of(network).params))
    assert counted == known if isinstance(known, int) else counted == pytest.approx(known, rel=0.02)


def test_summary_counts_as_many():
    assert f7.summary(zoo.lenet(), (1, 1, 32, 32)).parameters == 61_706


# Sizes inside, by the figures of the papers: the place of a layer, and what it gives for one image.
SIZES = [
    (zoo.alexnet_two_towers(), (227, 227), {0: (96, 55, 55), 4: (256, 27, 27), 8: (384, 13, 13), 14: (256, 6, 6)}),
    (zoo.googlenet(), (224, 224), {0: (64, 112, 112), 9: (192, 28, 28), 11: (480, 28, 28), 17: (832, 14, 14),
                                   20: (1024, 7, 7)}),
    (zoo.inception_v3(), (299, 299), {0: (32, 149, 149), 16: (192, 35, 35), 19: (288, 35, 35), 24: (768, 17, 17),
                                      25: (1280, 8, 8), 27: (2048, 8, 8)}),
    (zoo.resnet(50), (224, 224), {3: (64, 56, 56), 4: (256, 56, 56), 5: (512, 28, 28), 6: (1024, 14, 14),
                                  7: (2048, 7, 7)}),
]  # fmt: skip


def sizes_inside(network, image):
    """What the layers of a chain give for one image, by place."""
    key = jax.random.key(0)
    found = visits(network, *structure_of(network), jax.ShapeDtypeStruct((1, 3, *image), jnp.float32), key, False)
    return {each.path[0]: each.output.shape[1:] for each in found if len(each.path) == 1}


@pytest.mark.parametrize(("network", "image", "known"), SIZES, ids=["alexnet", "googlenet", "inception_v3", "resnet50"])
def test_sizes_inside_are_the_papers(network, image, known):
    found = sizes_inside(network, image)
    assert {place: found[place] for place in known} == known


def test_a_shortcut_of_kind_a_adds_every_second_pixel_and_zeros():
    block = zoo.resnet(20).modules[4].modules[0]
    way_round = block.modules[0].modules[1]
    image = jnp.arange(2 * 16 * 6 * 6, dtype=jnp.float32).reshape(2, 16, 6, 6)
    output, _ = way_round.apply(*way_round.init(jax.random.key(0)), image)
    np.testing.assert_array_equal(output, np.concatenate([image[:, :, ::2, ::2], np.zeros((2, 16, 3, 3))], 1))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: zoo.vgg(12), "zoo.vgg: expected a depth of 11, 13, 16 or 19, got 12"),
        (lambda: zoo.resnet(19), r"zoo.resnet: expected a depth of 18, 34, 50, 101, 152 or 6 n \+ 2, got 19"),
        (lambda: zoo.resnet(20, shortcut="D"), "zoo.resnet: expected shortcut 'A', 'B' or 'C', got 'D'"),
        (lambda: zoo.squeezenet("2"), "zoo.squeezenet: expected version '1.0' or '1.1', got '2'"),
    ],
)
def test_what_is_not_there_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_a_small_one_learns():
    """A step against the gradient lowers the loss, through all layers."""
    network, criterion = zoo.lenet(), f7.CrossEntropyCriterion()
    params, buffers = network.init(jax.random.key(0))
    images, classes = jax.random.normal(jax.random.key(1), (4, 1, 32, 32)), jnp.array([1, 2, 3, 10])

    @jax.jit
    @jax.value_and_grad
    def loss(params):
        return criterion(network.apply(params, buffers, images)[0], classes)

    before, gradient = loss(params)
    assert all(float(jnp.abs(g).max()) > 0 for g in jax.tree.leaves(gradient))
    after, _ = loss(jax.tree.map(lambda p, g: p - 0.1 * g, params, gradient))
    assert after < before


def test_char_rnn_is_an_lstm_with_two_biases():
    """Against our own SeqLSTM, whose one bias is their sum, over a sequence of 3 characters."""
    network = zoo.char_rnn(5, hidden=4, layers=1)
    params, buffers = network.init(jax.random.key(0))
    (x_weight, x_bias), (h_weight, h_bias), (out_weight, out_bias) = (
        (each["weight"], each["bias"]) for each in params if isinstance(each, dict) and "weight" in each
    )
    layer = f7.SeqLSTM(5, 4)
    rows = jnp.concatenate([x_weight, h_weight], 1)
    own = {"weight": rows.T, "bias": x_bias + h_bias}
    characters = jnp.array([[1, 2], [5, 3], [4, 4]])
    hidden, _ = layer.apply(own, layer.init_buffers(), jax.nn.one_hot(characters - 1, 5))
    expected = jax.nn.log_softmax(np.asarray(hidden) @ np.asarray(out_weight).T + np.asarray(out_bias))
    state = [jnp.zeros((2, 4))] * 2
    for step, wanted in zip(characters, expected, strict=True):
        (*state, scores), _ = network.apply(params, buffers, [step, *state])
        np.testing.assert_allclose(scores, wanted, rtol=1e-5, atol=1e-6)


def test_starting_values_are_the_scripts():
    """Means and deviations of what is drawn, and what is 0 or 1."""
    network = f7.Sequential(
        f7.SpatialConvolution(8, 64, 3, 5), f7.SpatialBatchNormalization(4096), f7.SpatialFullConvolution(64, 16, 3, 3),
        f7.ReLU(), f7.Linear(3, 4),
    )  # fmt: skip
    (kernels, norm, full, _, linear), _ = zoo.start_residual(network, jax.random.key(0))
    assert float(kernels["weight"].std()) == pytest.approx((2 / (15 * 64)) ** 0.5, rel=0.03)
    assert (np.asarray(norm["weight"]) == 1).all() and float(jnp.abs(full["weight"]).max()) < 0.05  # the layer's own
    assert not any(np.asarray(each["bias"]).any() for each in (kernels, norm, linear)) and linear["weight"].any()
    (kernels, norm, full, *_), _ = zoo.start_dcgan(network, jax.random.key(0))
    for array, mean in ((kernels["weight"], 0), (norm["weight"], 1), (full["weight"], 0)):
        assert float(array.mean()) == pytest.approx(mean, abs=2e-3) and float(array.std()) == pytest.approx(
            0.02, rel=0.05
        )
    assert not any(np.asarray(each["bias"]).any() for each in (kernels, norm, full))


def test_torchs_interface_has_every_architecture_with_its_arguments():
    made = {name: value for name, value in vars(zoo).items() if inspect.isfunction(value)}
    for name, make in made.items():
        if name != "load" and not name.startswith("start_"):  # these are about arrays
            assert inspect.signature(getattr(legacy.zoo, name)).parameters == inspect.signature(make).parameters, name


def test_objects_of_torchs_interface():
    legacy.manualSeed(1)
    network = legacy.zoo.lenet(classes=3, planes=2)
    assert network.forward(legacy.torch.randn(2, 2, 32, 32)).size() == [2, 3]
    assert network.functional()[0] == zoo.lenet(classes=3, planes=2)


def as_saved(module, how):
    """The layers of a network in another order of containers, and of classes, as public files have them."""
    layers = [layer for layer in module.modules if not isinstance(layer, f7.ReLU)]
    matrices = [
        f7.SpatialConvolutionMM(*(getattr(layer, n) for n in ("n_input_plane", "n_output_plane", "kw", "kh")))
        if how == "matrices" and type(layer) is f7.SpatialConvolution
        else layer
        for layer in layers
    ]
    return f7.Sequential(f7.Sequential(*matrices[:4]), f7.Sequential(*matrices[4:], f7.LogSoftMax()))


@pytest.mark.parametrize("how", ["nested", "matrices"])
def test_files_of_torch7_are_loaded_by_order_and_shape(how, tmp_path):
    network = zoo.lenet()
    source = as_saved(network, how)
    variables = source.init(jax.random.key(3))
    f7.save_model(tmp_path / "public.t7", source, *variables)
    params, buffers = zoo.load(tmp_path / "public.t7", network)
    theirs = list(f7.state_dict(source, variables).values())
    for own, array in zip(f7.state_dict(network, (params, buffers)).values(), theirs, strict=True):
        np.testing.assert_array_equal(own, array.reshape(own.shape))
    with pytest.raises(ValueError, match=r"public.t7 does not fit: 0.weight of shape \(6, 3, 5, 5\) here, 0.0.weight"):
        zoo.load(tmp_path / "public.t7", zoo.lenet(planes=3))


def test_files_that_end_too_early_or_go_on_are_refused(tmp_path):
    network = zoo.lenet()
    source = f7.Sequential(*network.modules[:3])
    f7.save_model(tmp_path / "short.t7", source, *source.init(jax.random.key(0)))
    with pytest.raises(ValueError, match=r"does not fit: 3.weight of shape .* here, nothing in the file"):
        zoo.load(tmp_path / "short.t7", network)


def test_running_statistics_come_with_the_file(tmp_path):
    """A residual network of one block for each size, saved as fb.resnet.torch does, with its statistics."""
    network = zoo.resnet(8)
    random = np.random.default_rng(0)
    params, buffers = jax.tree.map(lambda a: random.normal(size=a.shape).astype(a.dtype), structure_of(network))
    f7.save_model(tmp_path / "resnet.t7", network, params, buffers)
    again = zoo.load(tmp_path / "resnet.t7", network)
    jax.tree.map(np.testing.assert_array_equal, (again.params, again.buffers), (params, buffers))
