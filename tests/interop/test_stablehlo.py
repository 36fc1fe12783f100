"""Exported programs: the same numbers, here and in a process that has no functorch7."""

import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import functorch7 as f7
from functorch7.interop.stablehlo import export, load_exported, save_exported

from .helpers import made

pytest.importorskip("flatbuffers")

LENET = f7.Sequential(
    f7.SpatialConvolution(1, 2, 5, 5), f7.ReLU(), f7.SpatialMaxPooling(2, 2, 2, 2), f7.SpatialBatchNormalization(2),
    f7.Dropout(0.5), f7.View(8).set_num_input_dims(3), f7.Linear(8, 3), f7.LogSoftMax(),
)  # fmt: skip

ALONE = """
import sys
sys.modules["functorch7"] = None  # whoever imports it gets an ImportError
import jax, numpy as np
folder = sys.argv[1]
served = jax.export.deserialize(bytearray(open(folder + "/lenet.stablehlo", "rb").read()))
np.save(folder + "/output.npy", served.call(np.load(folder + "/input.npy")))
assert not any(name.startswith("functorch7.") for name in sys.modules)
"""


def image(batch):
    return np.random.default_rng(batch).normal(size=(batch, 1, 8, 8)).astype(np.float32)


def test_a_network_runs_in_a_process_without_functorch7(tmp_path):
    params, buffers = made(LENET)
    save_exported(tmp_path / "lenet.stablehlo", LENET, params, buffers, ("batch", 1, 8, 8))
    served = load_exported(tmp_path / "lenet.stablehlo")
    expected, _ = LENET.apply(params, buffers, image(3))
    np.testing.assert_allclose(served(image(3)), expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(served(image(3)[:1]), expected[:1], rtol=1e-5, atol=1e-6)
    np.save(tmp_path / "input.npy", image(3))
    subprocess.run([sys.executable, "-c", ALONE, str(tmp_path)], check=True, cwd=tmp_path)
    np.testing.assert_allclose(np.load(tmp_path / "output.npy"), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    "module, sizes",
    [
        (f7.Bilinear(2, 3, 4), [(2,), (3,)]),
        (f7.MixtureTable(), [(2,), [(3,), (3,)]]),
        (f7.Constant(2.0, 1), (3,)),
        (f7.SpatialAdaptiveMaxPooling(2, 2), (1, 5, 5)),
        (f7.CategoricalEntropy(), (3,)),
        (f7.GroupNorm(2, 4), (4, 3)),
        (f7.BilinearSamplerBHWD(), [(4, 3, 2), (2, 2, 2)]),
        (f7.SeqLSTM(3, 2, batchfirst=True), (4, 3)),
        (f7.Sequencer(f7.Sequential(f7.FastLSTM(3, 2), f7.Linear(2, 2))), (4, 3)),  # of any length
        (f7.SeqBRNN(3, 2), (4, 3)),
        (f7.SeqGRU(3, 2).mask_zero(True), (4, 3)),
        (f7.Sequencer(f7.LSTM(3, 2)).remember("both"), (4, 3)),
    ],
    ids=str,
)  # fmt: skip
def test_batches_of_any_size(module, sizes, key):
    """What `export` traces; compiling would tell no more."""
    (batch,) = jax.export.symbolic_shape("batch")
    with_batch = lambda size: jax.ShapeDtypeStruct((batch, *size), jnp.float32)  # noqa: E731
    inputs = jax.tree.map(with_batch, sizes, is_leaf=lambda leaf: isinstance(leaf, tuple))
    variables = jax.eval_shape(module.init, key)
    output, _ = jax.eval_shape(module.apply, *variables, inputs)
    assert output.shape[0] == batch


@pytest.mark.parametrize(
    ("network", "least"),
    [
        (f7.Sequencer(f7.Sequential(f7.FastLSTM(3, 2), f7.Linear(2, 2))), 1),
        # whose first step is another than others
        (f7.Sequencer(f7.Sequential(f7.Recurrent(2, f7.Linear(3, 2), f7.Linear(2, 2)), f7.NormStabilizer(0.1))), 1),
        (f7.BiSequencer(f7.Linear(3, 2), f7.GRU(3, 2)), 1),
        (f7.BiSequencerLM(f7.GRU(3, 2), f7.Linear(3, 2), f7.CAddTable()), 2),
    ],
    ids=["chain", "first step apart", "both ways", "words around"],
)
def test_a_recurrence_serves_sequences_of_any_length(network, least):
    """A program for all lengths, with loops that the lengths decide, beside the recurrence at each."""
    variables = made(network)
    served = load_exported(export(network, *variables, ("time + 1" if least > 1 else "time", "batch", 3)))
    given = np.random.default_rng(0).normal(size=(4, 2, 3)).astype(np.float32)
    for length in (least, 4):
        expected, _ = network.apply(*variables, given[:length])
        np.testing.assert_allclose(served(given[:length]), expected, rtol=1e-5, atol=1e-6)


def test_tables_and_indices():
    network = f7.Sequential(f7.ParallelTable(f7.LookupTable(5, 3), f7.Identity()), f7.CAddTable())
    variables = made(network)
    inputs = [jax.ShapeDtypeStruct((2,), jnp.int32), (2, 3)]
    served = load_exported(export(network, *variables, inputs))
    given = [np.array([1, 5], np.int32), np.ones((2, 3), np.float32)]
    expected = np.asarray(variables.params[0][0]["weight"])[[0, 4]] + 1
    np.testing.assert_allclose(served(given), expected, rtol=1e-6)
    assert str(served) == "exported program for input ['(2) int32', '(2, 3) float32']"


@pytest.mark.parametrize(
    "input",
    [
        np.zeros((2, 4), np.float32), np.zeros((2, 3)), np.zeros(3, np.float32), np.zeros((0, 3), np.float32),
        [np.zeros((2, 3), np.float32)], 1.0,
    ],
)  # fmt: skip
def test_other_inputs_are_refused(input):
    served = load_exported(export(f7.Tanh(), {}, {}, ("batch", 3)))
    with pytest.raises(ValueError, match=r"exported program for input \(batch, 3\) float32: got"):
        served(input)


def test_what_cannot_be_exported_says_why():
    linear = f7.Linear(3, 2)
    with pytest.raises(ValueError, match="expected input of size 3 in the last dimension"):
        export(linear, *made(linear), ("batch", 4))
    with pytest.raises(ValueError, match=r"nn\.Parallel needs a number in place of 'batch'"):
        export(f7.Parallel(1, 1, f7.Identity(), f7.Identity()), [{}, {}], [{}, {}], ("batch", 4))
    around = f7.BiSequencerLM(f7.Linear(3, 2))  # takes two steps or more, ("time + 1", "batch", 3)
    with pytest.raises(ValueError, match="needs a number in place of 'time': .* inconclusive.$"):
        export(around, *made(around), ("time", "batch", 3))
    for shape in ([2, 3], "batch", (None, 3), (-1, 3)):
        with pytest.raises((ValueError, TypeError), match="expected a shape"):
            export(linear, *made(linear), shape)
    for wrong in ("cpu", ["gpu"], [], ["cpu", "cdua"], 3):
        with pytest.raises(TypeError, match="expected a list of platforms, such as .*, cuda, rocm, tpu, got"):
            export(linear, *made(linear), (2, 3), platforms=wrong)
    with pytest.raises(TypeError, match="expected a name such as 'batch' for a size, got ''"):
        export(linear, *made(linear), ("", 3))
    with pytest.raises(ValueError, match="depends on values"):
        export(f7.MaskedSelect(), {}, {}, [(2, 3), (2, 3)])
    with pytest.raises(ValueError, match="cannot be exported: serialization of host_callbacks"):
        export(f7.PrintSize("here"), {}, {}, (2, 3))
    noise = f7.ReinforceNormal(0.1, stochastic=True)
    with pytest.raises(ValueError, match="draws random numbers in evaluation"):
        export(noise, *made(noise), ("batch", 4))


def test_platforms_and_damaged_files(tmp_path):
    data = export(f7.Tanh(), {}, {}, (2, 3), platforms=("cpu", "cuda"))
    served = load_exported(data)
    assert served.exported.platforms == ("cpu", "cuda")
    assert "stablehlo.tanh" in served.exported.mlir_module()
    pytest.importorskip("fsspec")
    save_exported("memory://exported/tanh", f7.Tanh(), {}, {}, (2, 3))
    np.testing.assert_allclose(load_exported("memory://exported/tanh")(np.ones((2, 3), "f")), np.tanh(1), rtol=1e-6)
    (tmp_path / "damaged").write_bytes(data[: len(data) // 2])
    with pytest.raises(ValueError, match="no exported program in .*damaged"):
        load_exported(tmp_path / "damaged")
    with pytest.raises(ValueError, match="no exported program in the bytes"):
        load_exported(b"PK")
