"""`compare` names the first layer that deviates."""

from types import MappingProxyType

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from test_golden import decoded

import functorch7 as f7
from functorch7.legacy import nn
from tests.interop.test_t7 import CASES, FOLDER


def network():
    return nn.Sequential().add(nn.Linear(3, 4)).add(nn.Sequential().add(nn.Tanh()).add(nn.Linear(4, 2))).double()


def test_the_first_layer_that_deviates():
    net, x = network(), np.ones((2, 3), np.float32)
    output = np.asarray(net.forward(x))
    recorded = {"0": np.asarray(net.get(1).output), "1.1": np.asarray(net.get(2, 2).output), "": output}
    assert f7.compare(net, x, recorded) is None
    assert f7.compare(net, x, output) is None
    net.get(2, 2).bias.add(1)
    deviation = f7.compare(net, x, recorded)
    assert (deviation.name, str(deviation.layer)) == ("1.1", "nn.Linear(4 -> 2)")
    assert deviation.difference == pytest.approx(1)
    assert str(deviation).startswith("layer 1.1, nn.Linear(4 -> 2): deviates by 1 ")
    deviation = f7.compare(net, x, output[:, :1])
    assert (deviation.name, deviation.difference) == ("", np.inf)


@pytest.mark.parametrize(
    ("got", "expected", "difference"),
    [
        ([1.0, 2], [1.0, 2.5], 0.5),
        ([np.nan, 1], [2.0, 1], np.inf),
        ([np.nan, 1], [np.nan, 4], 3),
        ([np.inf, 1], [np.inf, 4], 3),
        ([np.inf], [-np.inf], np.inf),
        ([np.nan, np.inf], [np.nan, np.inf], None),
    ],
)
def test_what_is_no_number_deviates_from_numbers_infinitely(got, expected, difference):
    found = f7.compare((f7.Identity(), {}, {}), np.array(got), np.array(expected))
    assert (found and found.difference) == difference


def test_shared_parameters():
    module = f7.Shared(f7.Sequential(f7.Linear(2, 2), f7.Linear(2, 2)), (((0, "weight"), (1, "weight")),))
    params, buffers = module.init(jax.random.key(0))
    x = jnp.ones((1, 2))
    output, _ = module.apply(params, buffers, x)
    assert f7.compare((module, params, buffers), x, {"": output}) is None
    assert f7.compare((module, params, buffers), x, {"1": output + 1}).layer == f7.Linear(2, 2)


def test_outputs_that_a_file_has_kept():
    """The network was saved after a forward of this input in training mode."""
    case = next(c for c in CASES if c["file"] == "t7/depthconcat.t7")
    assert f7.compare(FOLDER / "depthconcat.t7", decoded(case["input"])) is None
    deviation = f7.compare(FOLDER / "depthconcat.t7", decoded(case["input"]) + 1)
    assert deviation.name == "0.0"


def test_what_cannot_be_compared():
    with pytest.raises(ValueError, match="no layer '7'; there are '0', '1.0', '1.1', '1', ''"):
        f7.compare(network(), np.ones(3), MappingProxyType({"7": np.ones(2)}))
    for wrong in (f7.Tanh(), (f7.Tanh(), {}), None):
        with pytest.raises(TypeError, match=r"compare: expected \(module, params, buffers\), an object of .* got"):
            f7.compare(wrong, np.ones(3), np.ones(3))
    with pytest.raises(ValueError, match="there are no recorded outputs"):
        f7.compare(network(), np.ones(3))
