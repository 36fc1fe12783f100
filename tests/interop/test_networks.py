"""Networks in Torch7's files: every recorded one computes what it computed, and survives being written."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from cases import MODULES
from criterion_cases import CRITERIONS
from test_golden import assert_same, decoded

import functorch7 as f7
from functorch7.interop import t7
from functorch7.interop.torch7 import Reader, UnknownClassError, Writer
from functorch7.interop.torch7.node import functional
from functorch7.interop.torch7.writer import node_of
from functorch7.legacy import nn, torch
from tests.interop.test_t7 import CASES, FOLDER

NETWORKS = [c for c in CASES if c["kind"] in ("t7_model", "t7_network")]


def given(case):
    value = decoded(case["input"])
    return value.astype(np.float32) if case.get("float") else value


def tolerance(case):
    return 1e-5 if case.get("float") else 1e-6


@pytest.mark.parametrize("case", NETWORKS, ids=lambda case: case["id"])
def test_recorded_networks(case, tmp_path):
    network = f7.load_t7(FOLDER.parent / case["file"]).evaluate()
    if case.get("print", "").strip():
        assert str(network) == case["print"]
    torch.save(tmp_path / "again.t7", network)
    again = torch.load(tmp_path / "again.t7")
    assert str(again) == str(network)
    for old, new in zip(network.parameters(), again.parameters(), strict=True):
        for old_tensor, new_tensor in zip(old, new, strict=True):
            np.testing.assert_array_equal(old_tensor, new_tensor, strict=True)
    if case.get("train") != case["evaluate"]:  # where both modes are the same, the next test looks at one
        assert_same(again.evaluate().forward(given(case)), decoded(case["evaluate"]), tolerance(case))


@pytest.mark.parametrize("case", [c for c in NETWORKS if c["kind"] == "t7_network"], ids=lambda case: case["id"])
def test_recorded_gradients(case):
    network = f7.load_t7(FOLDER.parent / case["file"])
    assert_same(list(network.parameters()[0]), decoded(case["params"]), 1e-12)
    network.training()
    assert_same(network.forward(given(case)), decoded(case["train"]), 1e-6)
    network.zeroGradParameters()
    assert_same(network.backward(given(case), decoded(case["gradOutput"])), decoded(case["gradInput"]), 1e-6)
    assert_same(list(network.parameters()[1]), decoded(case["gradParams"]), 1e-6)


@pytest.mark.parametrize("name", ["mlp", "convnet", "lstm", "more_seqlstmp", "more_tied", "lookup"])
def test_as_a_pure_function(name):
    case = next(c for c in NETWORKS if c["file"] == f"t7/{name}.t7")
    with jax.enable_x64(True):
        module, params, buffers = f7.load_model(FOLDER / f"{name}.t7")
        input = jax.tree.map(jnp.asarray, given(case))
        output, _ = jax.jit(module.apply)(params, buffers, input)
        assert_same(output, decoded(case["evaluate"]), 1e-6)


def test_a_file_without_a_network():
    with pytest.raises(TypeError, match="holds a table of 5 entries; no network is in it; see load_t7"):
        f7.load_model(FOLDER / "table_binary.t7")


def test_the_network_of_a_checkpoint(tmp_path):
    first, second = nn.Linear(2, 3), nn.Sequential().add(nn.Linear(3, 1))
    protos = {"rnn": first, "again": first, "criterion": nn.MSECriterion()}
    protos["itself"] = protos
    f7.save_t7(tmp_path / "one.t7", {"epoch": 3, "protos": protos})
    f7.save_t7(tmp_path / "two.t7", [second, {"protos": protos}])
    expected = np.asarray(first.weight)
    for name, entry in (("one", None), ("one", "protos.rnn"), ("one", "protos.again"), ("two", "2.protos.rnn")):
        _, params, _ = f7.load_model(tmp_path / f"{name}.t7", entry=entry)
        np.testing.assert_array_equal(params["weight"], expected)
    assert str(f7.load_model(tmp_path / "two.t7", entry="1")[0]) == str(second)
    for entry, said in ((None, "holds a table of 2 entries; "), ("3", "no network at 3; ")):
        with pytest.raises(TypeError, match=f"{said}name one of those in it as entry: 1, 2.protos.rnn"):
            f7.load_model(tmp_path / "two.t7", entry=entry)


def test_shared_parameters_stay_shared(tmp_path):
    network = f7.load_t7(FOLDER / "shared_weights.t7")
    first, second = network.get(1), network.get(3)
    assert first.weight.storage() is second.weight.storage()
    module, params, _ = f7.load_model(FOLDER / "shared_weights.t7")
    assert isinstance(module, f7.Shared) and ((0, "weight"), (2, "weight")) in module.ties
    f7.save_model(tmp_path / "tied.t7", module, *module.init(jax.random.key(0)))
    assert f7.load_model(tmp_path / "tied.t7")[0] == module
    assert len(jax.tree.leaves(params)) == 2


def test_flattened_parameters_stay_flat(tmp_path):
    network = f7.load_t7(FOLDER / "mlp.t7")
    flat, _ = network.getParameters()
    f7.save_t7(tmp_path / "flat.t7", {"net": network, "flat": flat})
    loaded = f7.load_t7(tmp_path / "flat.t7")
    loaded["flat"].fill(0.5)
    assert all((np.asarray(p) == 0.5).all() for p in loaded["net"].parameters()[0])


def test_one_object_at_two_places(tmp_path):
    layer = nn.Linear(2, 2)
    f7.save_t7(tmp_path / "twice.t7", [nn.Sequential().add(layer).add(layer), layer])
    network, same = f7.load_t7(tmp_path / "twice.t7")
    assert network.get(1) is network.get(2) is same


def test_values_around_networks(tmp_path):
    value = {"net": nn.Linear(2, 3), "criterion": nn.MSECriterion(), "x": torch.ones(2, 2), "n": 3, "list": [1, "a"]}
    value["sizes"], value["self"] = torch.LongStorage([4, 5]), value
    for format in ("binary", "ascii"):
        f7.save_t7(tmp_path / "all.t7", value, format)
        got = f7.load_t7(tmp_path / "all.t7")
        assert (got["n"], got["list"], str(got["net"])) == (3, [1, "a"], "nn.Linear(2 -> 3)")
        assert got["self"] is got
        np.testing.assert_array_equal(got["x"], np.ones((2, 2), np.float32), strict=True)
        np.testing.assert_array_equal(got["sizes"].array, [4, 5])
        assert got["criterion"].forward([1.0, 3.0], [1.0, 1.0]) == 2
    assert torch.deserialize(torch.serialize([1.5])) == [1.5]


def test_bfloat16_is_written_as_float():
    params = {"weight": jnp.ones((2, 3), jnp.bfloat16), "bias": jnp.ones(2, jnp.bfloat16)}
    record = Writer().object(node_of(f7.Linear(3, 2), f7.Variables(params, {})))
    assert record.fields["weight"].dtype == np.float32 and record.fields["_type"] == "torch.FloatTensor"


def test_trainers(tmp_path):
    trainer = nn.StochasticGradient(nn.Linear(2, 1), nn.MSECriterion())
    trainer.learningRate = 0.5
    f7.save_t7(tmp_path / "trainer.t7", trainer)
    loaded = f7.load_t7(tmp_path / "trainer.t7")
    assert isinstance(loaded, nn.StochasticGradient) and (loaded.learningRate, loaded.shuffleIndices) == (0.5, True)
    np.testing.assert_array_equal(loaded.module.weight, trainer.module.weight)
    assert isinstance(loaded.criterion, nn.MSECriterion)


def test_criterions_and_what_is_inside_them():
    network = nn.Sequential().add(nn.Linear(2, 3)).add(nn.ReinforceNormal(0.1))
    both = nn.ParallelCriterion(True).add(nn.MSECriterion(), 0.5).add(nn.AbsCriterion())
    value = [network, nn.VRClassReward(network), both, nn.CriterionTable(nn.MSECriterion())]
    same, reward, parallel, table = torch.deserialize(torch.serialize(value))
    assert reward.module is same and isinstance(reward.criterion, nn.MSECriterion)
    x, y = [np.ones(2), np.zeros(2)], np.full(2, 0.5)
    assert parallel.weights == [0.5, 1] and parallel.forward(x, y) == both.forward(x, y) == 0.625
    assert np.asarray(table.forward([np.ones(2), np.zeros(2)])) == 1


def test_an_unpooling_and_its_pooling():
    pooling = nn.SpatialMaxPooling(2, 2)
    network = nn.Sequential().add(pooling).add(nn.SpatialMaxUnpooling(pooling))
    loaded = torch.deserialize(torch.serialize(network))
    assert loaded.get(2).pooling is loaded.get(1)
    x = np.random.default_rng(0).random((1, 1, 4, 4), np.float32)
    np.testing.assert_array_equal(loaded.forward(x), network.forward(x))


@pytest.mark.parametrize(
    "make", [lambda: nn.SpatialDepthWiseConvolution(2, 3, 2, 2), lambda: nn.WeightNorm(nn.Linear(2, 3))]
)
def test_gradients_keep_their_sizes(make):
    module = make()
    loaded = torch.deserialize(torch.serialize(module))
    assert [g.shape for g in loaded.parameters()[1]] == [g.shape for g in module.parameters()[1]]


RUNTIME = {
    "save_mean", "save_std", "_expand", "_gradInput", "_gradOutput", "_gradWeight", "_input", "_output", "_repeat",
    "_sum", "_weight", "cell", "addBuffer", "copiedInput", "gradPrevOutput", "_grad_x", "_return_grad_h0",
    "_return_grad_c0", "recompute_backward", "userGradPrevOutput", "userGradPrevCell", "grad_next_h", "next_h",
    "tablegradinput", "iheight", "iwidth", "shared",
}  # fmt: skip
"""What modules keep of their calls, and make anew."""
CONSTRUCTED = {
    "dpnn_online", "dpnn_mediumEmpty", "dpnn_serialEmpty", "dpnn_typename", "inputSize", "kernelSize", "kernelStride",
    "outputSize", "padding", "pool", "poolSize", "poolStride", "reduceSize", "reduceStride", "transfer",
}  # fmt: skip
"""What Inception's constructor and nn.Serial have used, and nothing later does."""


def fields_by_class(value):
    """The names of the fields of all objects in a file, by class."""
    found, waiting, seen = {}, [value], set()
    while waiting:
        each = waiting.pop()
        if isinstance(each, t7.T7Object) and id(each) not in seen:
            seen.add(id(each))
            found.setdefault((each.class_name, each.version), set()).update(each.fields)
            waiting += each.fields.values()
        elif isinstance(each, (list, dict)):
            waiting += each if isinstance(each, list) else each.values()
    return found


@pytest.mark.parametrize("name", sorted({c["file"] for c in NETWORKS}))
def test_what_is_written_has_the_classes_and_fields_of_torch(name):
    data = torch.serialize(f7.load_t7(FOLDER.parent / name))
    written = fields_by_class(t7.deserialize(data))
    for kind, names in fields_by_class(t7.read(FOLDER.parent / name)).items():
        constructed = kind[0] in ("nn.Inception", "nn.Sequencer") or "serial" in name
        left_out = CONSTRUCTED if constructed else set()
        assert names - written[kind] <= RUNTIME | left_out, kind


@pytest.mark.parametrize("mode", ["heavySerial", "mediumSerial", "lightSerial"])
def test_serial_forms(tmp_path, mode):
    network = nn.Sequential().add(nn.Linear(2, 2)).add(nn.Linear(2, 1))
    x, y = np.ones((1, 2), np.float32), np.ones((1, 1), np.float32)
    output = np.asarray(network.forward(x))
    network.backward(x, y)
    f7.save_t7(tmp_path / "serial.t7", getattr(network.Serial(), mode)())
    saved = t7.read(tmp_path / "serial.t7").fields["modules"][0].fields["modules"][0]
    assert (saved.fields["gradWeight"].size == 0) == (mode == "lightSerial")
    np.testing.assert_array_equal(f7.load_t7(tmp_path / "serial.t7").forward(x), output)


def test_a_serial_is_cast_when_it_is_saved(tmp_path):
    f7.save_t7(tmp_path / "cast.t7", nn.Sequential().add(nn.Linear(2, 2)).double().Serial("torch.FloatTensor"))
    assert f7.load_t7(tmp_path / "cast.t7").parameters()[0][0].dtype == np.float32


def fields_of(module):
    """The fields that are written of a module, in double precision."""
    variables = jax.tree.map(lambda leaf: np.asarray(leaf, np.float64), module.init(jax.random.key(0)))
    return Writer().object(node_of(module, variables)).fields


def test_estimators_of_a_neighbourhood_take_batches():
    """A convolution to one plane, as in today's nn: older ones' sum over dimension 1 is of examples in a batch."""
    for kernel, names in ((np.ones(3), ["ZeroPadding", "ConvolutionMap", "Convolution"]), (np.ones((3, 3)), None)):
        inside = fields_of(f7.SpatialSubtractiveNormalization(2, kernel))["meanestimator"].fields["modules"]
        found = [each.class_name.removeprefix("nn.Spatial") for each in inside]
        assert found == [*(names or ["ZeroPadding", "Convolution"]), "nn.Replicate"]
        last = inside[-2].fields
        assert (last["nInputPlane"], last["nOutputPlane"], last["weight"].shape[:2]) == (2, 1, (1, 2))
    assert [last["weight"].sum(), last["bias"].tolist()] == [1, [0]]


def test_a_sampler_of_noise_is_written_with_its_probabilities():
    fields = fields_of(f7.NCEModule(4, 5, 3, [5, 1, 0, 2, 4]))
    np.testing.assert_allclose(fields["unigrams"], np.array([5, 1, 0, 2, 4]) / 12)
    sampler = fields["aliasmultinomial"].fields
    shares = sampler["q"] / 5  # each of 5 columns is itself with q, else J
    np.add.at(shares, sampler["J"] - 1, (1 - sampler["q"]) / 5)
    np.testing.assert_allclose(shares, fields["unigrams"], atol=1e-9)


def test_fields_without_which_torchs_methods_fail():
    sparse = fields_of(f7.IndexLinear(3, 2, normalize=True))
    assert sparse["normalize"] == 4 and sparse["running"] == {
        "cumSumSizes": [],
        "keys": [],
        "gradWeight": [],
        "counter": 1,
    }
    assert fields_of(f7.IndexLinear(3, 2))["normalize"] == 0
    assert fields_of(f7.DontCast(f7.Linear(3, 2), True))["moduleType"] == "torch.DoubleTensor"
    assert fields_of(f7.NormStabilizer())["rho"] == 99999
    for kind in (f7.ReinforceNormal, f7.ReinforceGamma):
        assert isinstance(fields_of(kind())["gradInput"], list) and not isinstance(
            fields_of(kind(0.5))["gradInput"], list
        )


def described_again(module, variables):
    data = t7.serialize(Writer().object(node_of(module, variables)))
    return functional(Reader().read(t7.deserialize(data)))


# What is not as it was: initial values, which are arguments only; constants in the network's own precision; kernels and
# unigrams, which Torch normalises; what a pooling and its unpooling share; the type in which a DontCast computes.
NOT_EQUAL = (
    "LayerNormalization", "PartialLinear", "AddConstant of a tensor", "SpatialMaxUnpooling", "VolumetricMaxUnpooling",
    "SpatialSubtractiveNormalization", "SpatialDivisiveNormalization", "SpatialContrastiveNormalization",
    "SpatialNormalization", "SimpleColorTransform", "ReinforceNormal, two stdevs", "Bigrams", "DontCast",
    *(case.id for case in MODULES if type(case.module) is f7.NCEModule),
)  # fmt: skip
OF_8_BITS = ("Quantized", "FakeQuantized", "Observed")  # Torch7 has none (test_quantization.py)
NOT_OF_TORCH = ("Lambda", "MultiHeadAttention")
OTHERS = (*OF_8_BITS, *NOT_OF_TORCH, "DataParallelTable")  # of the last, its module is written (test_names.py)
ROWS = [(case.id, case.make) for case in MODULES if not case.id.startswith(OTHERS)]
ROWS += [(f"criterion {i} {type(row[0]).__name__}", lambda row=row: row[0]) for i, row in enumerate(CRITERIONS)]


@pytest.mark.parametrize(("id", "make"), ROWS, ids=[row[0] for row in ROWS])
def test_every_module_survives(id, make):
    module, random = make(), np.random.default_rng(0)
    shapes = jax.eval_shape(module.init, jax.random.key(0))
    variables = jax.tree.map(lambda like: random.uniform(1, 2, like.shape).astype(like.dtype), shapes)
    if isinstance(module, f7.NCEModule):  # its Z is in the buffers
        variables = module.init(jax.random.key(0))
    got, (params, buffers) = described_again(module, variables)
    if isinstance(got, f7.Profile):  # each counts for itself
        got = got.replace(number=module.number)
    if id not in NOT_EQUAL:
        assert got == module
    assert str(got) == str(module)
    assert jax.tree.structure((params, buffers)) == jax.tree.structure(tuple(variables))
    for old, new in zip(jax.tree.leaves(variables.params), jax.tree.leaves(params), strict=True):
        np.testing.assert_array_equal(old, new, strict=True)


@pytest.mark.parametrize("id", NOT_OF_TORCH)
def test_a_layer_that_no_file_can_hold_is_refused_by_name(id):
    module = next(case for case in MODULES if case.id == id).module
    with pytest.raises(TypeError, match=f"nn.{id}.*Torch7 has no such layer"):
        Writer().object(node_of(f7.Sequential(module), f7.Sequential(module).init(jax.random.key(0))))


@pytest.mark.parametrize(
    "id", [i for i in NOT_EQUAL if "Unpooling" not in i and "Normal, " not in i and i != "Bigrams"]
)
def test_what_is_written_otherwise_computes_the_same(id):
    case = next(case for case in MODULES if case.id == id)
    variables = case.module.init(jax.random.key(0))
    got, others = described_again(case.module, variables)
    input, key = jax.tree.map(jnp.asarray, case.input), jax.random.key(1)
    wanted, _ = case.module.apply(*variables, input, key=key)
    output, _ = got.apply(*others, input, key=key)
    for new, old in zip(jax.tree.leaves(output), jax.tree.leaves(wanted), strict=True):
        np.testing.assert_allclose(new, old, rtol=1e-5, atol=1e-6)


def test_a_written_mufuru_is_composed_as_in_torch():
    cell = f7.MuFuRu(3, 2)
    variables = cell.init(jax.random.key(0))
    x, h = jax.random.normal(jax.random.key(1), (4, 3)), jax.random.normal(jax.random.key(2), (4, 2))
    wanted, _ = cell.apply(variables.params, {"output": h}, x)
    record = Writer().object(node_of(cell, variables))
    step, (params, buffers) = functional(Reader().read(record.fields["recurrentModule"]))
    np.testing.assert_allclose(step.apply(params, buffers, [x, h])[0], wanted, rtol=1e-5, atol=1e-6)


def test_what_torch_has_not(tmp_path):
    class Doubled(f7.Map):
        def f(self, input):
            return 2 * input

    with pytest.raises(TypeError, match="only Torch's own classes can be written"):
        f7.save_model(tmp_path / "own.t7", f7.Sequential(Doubled()), [{}], [{}])
    assert not list(tmp_path.iterdir())


def strange():
    inner = t7.T7Object("my.Layer", 1, {"alpha": 2})
    return t7.T7Object("nn.Sequential", 1, {"modules": [t7.T7Object("nn.Tanh", 1, {}), inner], "train": True})


def test_unknown_classes_are_named_all_at_once(tmp_path):
    t7.write(tmp_path / "strange.t7", {"a": strange(), "b": [t7.T7Object("my.Table", 1, {})]})
    with pytest.raises(UnknownClassError) as raised:
        f7.load_t7(tmp_path / "strange.t7")
    assert sorted(raised.value.classes) == [
        ("my.Layer", "['a'].modules[2]", ["alpha"]), ("my.Table", "['b'][1]", [])
    ]  # fmt: skip
    assert "my.Layer at ['a'].modules[2], with the fields alpha" in str(raised.value)
    assert "my.Table at ['b'][1], with no fields" in str(raised.value)
    loaded = f7.load_t7(tmp_path / "strange.t7", allow_unknown=True)
    assert np.asarray(loaded["a"].get(1).forward(np.zeros(2))).tolist() == [0, 0]
    with pytest.raises(NotImplementedError, match=r"my\.Layer: functorch7 has no such class"):
        loaded["a"].forward(np.zeros(2))
    with pytest.raises(UnknownClassError, match=r"my\.Table"):
        f7.load_t7(tmp_path / "strange.t7", allow_unknown=["my.Layer"])


def test_fields_that_make_no_module(tmp_path):
    layer = t7.T7Object("nn.Linear", 1, {"weight": np.zeros((2, 3)), "bias": np.zeros(5)})
    t7.write(tmp_path / "bad.t7", t7.T7Object("nn.Sequential", 1, {"modules": [layer]}))
    with pytest.raises(f7.T7FormatError, match=r"nn.Linear at the top.modules\[1\]: expected bias of shape \(2,\)"):
        f7.load_t7(tmp_path / "bad.t7")
    t7.write(tmp_path / "bad.t7", t7.T7Object("nn.Narrow", 1, {"dimension": 1}))
    with pytest.raises(f7.T7FormatError, match="nn.Narrow at the top: no field index; there are: dimension"):
        f7.load_model(tmp_path / "bad.t7")
