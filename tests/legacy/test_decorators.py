"""Decorators: what they add to the module inside."""

import os
import pickle
import re
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import functorch7 as f7
from functorch7.legacy import nn, torch

from .helpers import same, values

# NaN -----------------------------------------------------------------------------------------------------------------


def culprit(run):
    with pytest.raises(FloatingPointError) as caught:
        run()
    return re.match(r"NaN found in (\w+) of module :\n(nn\.NaN\(\d+\) @ .*)", str(caught.value)).groups()


def test_NaN_names_the_culprit_of_a_forward():
    m = nn.NaN(nn.Linear(2, 2), 5)
    assert culprit(lambda: m.forward([1, np.nan])) == ("input", "nn.NaN(5) @ nn.Linear(2 -> 2)")
    m.get(1).weight.fill(np.nan)
    assert culprit(lambda: m.forward([1, 1]))[0] == "parameters"
    assert culprit(lambda: nn.NaN(nn.Log()).forward([-1, 1]))[0] == "output"


def test_NaN_names_the_culprit_of_a_backward():
    m = nn.NaN(nn.Linear(2, 2))
    m.forward([1, 1])
    assert culprit(lambda: m.backward([1, 1], [np.nan, 1]))[0] == "gradOutput"
    power = nn.NaN(nn.Power(0.5))  # whose slope at 0 is infinite
    power.forward([0, 1])
    assert culprit(lambda: power.backward([0, 1], [0, 1]))[0] == "gradInput"


def test_NaN_looks_at_gradients_as_they_have_accumulated():
    m = nn.NaN(nn.Linear(2, 2))
    m.forward([1, 2])
    m.get(1).gradBias.fill(np.nan)
    assert culprit(lambda: m.backward([1, 2], [1, 1]))[0] == "gradParameters"
    m.updateGradInput([1, 2], [1, 1])
    assert culprit(lambda: m.accGradParameters([1, 2], [1, 1]))[0] == "gradParameters"
    m.zeroGradParameters()
    m.backward([1, 2], [1, 1])


def test_NaN_tells_the_way_to_it():
    model = nn.Sequential().add(nn.NaN(nn.Identity(), 1)).add(nn.NaN(nn.Sqrt(), 2))
    with pytest.raises(FloatingPointError, match="output of module") as caught:
        model.forward([-1])
    assert caught.value.__notes__[0] == "In 2 module of nn.Sequential:"


def test_NaN_lets_everything_else_through():
    m, plain = nn.NaN(nn.Linear(3, 2)), nn.Linear(3, 2)
    plain.weight.copy(m.get(1).weight)
    plain.bias.copy(m.get(1).bias)
    x, g = values(4, 3), values(4, 2)
    same(m.forward(x), plain.forward(x), rtol=1e-5)
    same(m.backward(x, g), plain.backward(x, g), rtol=1e-5)
    same(m.get(1).gradWeight, plain.gradWeight, rtol=1e-5)
    same(nn.NaN(nn.ReLU()).forward([np.inf, 1]), [np.inf, 1])


def test_NaN_counts_its_objects():
    first, _, second = nn.NaN(nn.Tanh()), nn.Profile(nn.Tanh()), nn.NaN(nn.Tanh())
    assert second.id == first.id + 1
    assert nn.NaN.newId() == second.id + 1


def test_NaN_inside_jit():
    module = f7.NaN(f7.Log(), 1)
    params, buffers = module.init(jax.random.key(0))
    apply = jax.jit(lambda x: module.apply(params, buffers, x)[0])
    same(apply(jnp.ones(2)), [0, 0])
    with pytest.raises(jax.errors.JaxRuntimeError, match="NaN found in output of module"):
        apply(-jnp.ones(2)).block_until_ready()


# Profile -------------------------------------------------------------------------------------------------------------


def test_profile_prints_every_so_many_passes(capsys):
    m = nn.Profile(nn.Linear(3, 2), 3, "first layer")
    x, g = values(4, 3), values(4, 2)
    for _ in range(4):
        m.forward(x)
        m.backward(x, g)
    lines = capsys.readouterr().out.splitlines()
    assert [re.sub(r"\d+\.\d{3}", "T", line) for line in lines] == [
        "first layer took T seconds for 3 forward passes",
        "first layer took T seconds for 3 backward passes",
    ]
    assert (m.numFwds, m.numBwds) == (1, 1)
    assert m.summedFwdTime > 0 and m.summedBwdTime > 0
    assert m.module is m.get(1) and str(m) == "nn.Profile @ nn.Linear(3 -> 2)"


def test_profiles_count_for_themselves_and_are_named_after_their_modules():
    first, second = nn.Profile(nn.Tanh()), nn.Profile(nn.Tanh())
    first.forward([1])
    assert (first.numFwds, second.numFwds, first.name) == (1, 0, "nn.Tanh")


def test_profile_inside_jit(capsys):
    module = f7.Profile(f7.Linear(3, 2), 1)
    params, buffers = module.init(jax.random.key(0))
    jax.jit(jax.grad(lambda p: module.apply(p, buffers, jnp.ones((4, 3)))[0].sum()))(params)
    jax.effects_barrier()
    assert re.findall(r"for 1 (\w+) passes", capsys.readouterr().out) == ["forward", "backward"]


# GPU -----------------------------------------------------------------------------------------------------------------


def test_GPU_on_one_device_is_the_module():
    m, plain = nn.GPU(nn.Linear(3, 2), 1), nn.Linear(3, 2)
    plain.weight.copy(m.get(1).weight)
    plain.bias.copy(m.get(1).bias)
    x, g = values(4, 3), values(4, 2)
    same(m.forward(x), plain.forward(x), rtol=1e-5)
    same(m.backward(x, g), plain.backward(x, g), rtol=1e-5)
    m.updateParameters(0.1)
    plain.updateParameters(0.1)
    same(m.get(1).weight, plain.weight, rtol=1e-5)
    assert (str(m), m.device, m.outdevice) == ("nn.GPU(1) @ nn.Linear(3 -> 2)", 1, 1)
    again = pickle.loads(pickle.dumps(m.float()))
    same(again.forward(x), plain.forward(x), rtol=1e-5)


def test_GPU_warns_of_a_device_that_is_not_there():
    m = nn.GPU(nn.Tanh(), 9)
    with pytest.warns(UserWarning, match="device 9 is not there, using device 1 of 1"):
        same(m.forward([0]), [0])


@pytest.mark.parametrize("device", ["cuda:0", None])
def test_GPU_takes_the_number_of_a_device(device):
    with pytest.raises(TypeError, match="expected the number of a device"):
        nn.GPU(nn.Tanh(), device)


ON_FOUR_DEVICES = """
import jax, numpy as np
from functorch7.legacy import cutorch, manualSeed, nn, torch
mlp = nn.Sequential()
for device in (1, 2, 3):
    mlp.add(nn.GPU(nn.Linear(6, 6), device))
mlp.add(nn.GPU(nn.Linear(6, 2), 4, 1))
plain = nn.Sequential(*[]).add(nn.Linear(6, 6)).add(nn.Linear(6, 6)).add(nn.Linear(6, 6)).add(nn.Linear(6, 2))
for a, b in zip(mlp.parameters()[0], plain.parameters()[0]):
    b.copy(a)
place = lambda value: next(iter(value.devices())).id
x, criterion = torch.randn(5, 6), nn.MSECriterion()
for _ in range(3):
    losses = []
    for model in (mlp, plain):
        y = model.forward(x)
        losses.append(criterion.forward(y, torch.ones(5, 2)))
        model.zeroGradParameters()
        model.backward(x, criterion.backward(y, torch.ones(5, 2)))
        model.updateParameters(0.1)
    assert abs(losses[0] - losses[1]) < 1e-5, losses
assert [place(m.get(1).weight.array) for m in mlp.modules] == [0, 1, 2, 3]
assert place(mlp.forward(x).array) == 0 and place(mlp.get(2).output.array) == 1
assert [place(m.get(1).gradWeight.array) for m in mlp.modules] == [0, 1, 2, 3]
moved = nn.GPU.recursiveSetDevice(None, [x, [x]], 3)
assert place(moved[1][0].array) == 2
back = nn.GPU.recursiveSetDevice(None, moved, [x, [torch.ones(1)]])
assert place(back[0].array) == 0
assert place(mlp.get(1).setDevice(4).get(1).weight.array) == 3
inner = [nn.GPU(nn.Linear(6, 2), 1), nn.GPU(nn.Linear(6, 3), 3)]
outer = nn.GPU(nn.Concat(2).add(inner[0]).add(inner[1]), 2)
x = torch.randn(5, 6)
y, apart = outer.forward(x), [np.asarray(each.get(1).forward(x)) for each in inner]
assert place(y.array) == 1 and np.allclose(y, np.concatenate(apart, 1)), y
g = np.asarray(outer.backward(x, torch.ones(5, 5)))
assert np.allclose(g, sum(np.asarray(each.get(1).weight).sum(0) for each in inner), atol=1e-6), g
cutorch.standIn()
assert (y.getDevice(), inner[1].parameters()[0][0].getDevice()) == (1, 2)  # the host is none of the GPUs
halved, whole = [nn.NCEModule(4, 7, 2, torch.ones(7), 1).reset(0.5) for _ in range(2)]
halved.weight.copy(whole.weight), halved.bias.copy(whole.bias)
assert halved.multicuda(2, 4) is halved
x, criterion = [torch.randn(3, 4), torch.LongTensor([1, 5, 7])], nn.NCECriterion()
for _ in range(2):
    losses = []
    for module in (halved, whole):
        manualSeed(1)
        losses.append(criterion.forward(module.forward(x)))
        module.zeroGradParameters()
        module.backward(x, criterion.backward(module.output))
        module.updateParameters(0.5)
    assert abs(losses[0] - losses[1]) < 1e-5, losses
parts = [torch.Tensor.of(jax.device_put(jax.numpy.full((2, 3), i), jax.devices()[i])) for i in (1, 2)]
multi = torch.MultiCudaTensor(2, parts)
assert [s.device.id for s in multi.array.addressable_shards] == [1, 2], multi.array.sharding
assert multi.size() == [2, 6] and multi.totable()[0] == [1, 1, 1, 2, 2, 2]
assert multi.index(1, torch.LongTensor([2, 2, 1])).size() == [3, 6] and multi.sum() == 18
for array in (halved.weight.array, halved.gradWeight.array):
    assert [(s.device.id, s.data.shape) for s in array.addressable_shards] == [(1, (7, 2)), (3, (7, 2))]
print("done")
"""


def test_GPU_spreads_a_network_over_devices():
    flags = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count=4"
    command = [sys.executable, "-c", ON_FOUR_DEVICES]
    environment = {"XLA_FLAGS": flags, "JAX_PLATFORMS": "cpu"}
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert run.stdout == "done\n", run.stderr


# DontCast ------------------------------------------------------------------------------------------------------------


def test_DontCast_keeps_the_module_as_it_is():
    model = nn.Sequential().add(nn.DontCast(nn.Linear(3, 2), True)).add(nn.Linear(2, 2)).double()
    inside = model.get(1).get(1)
    assert (inside.weight.type(), model.get(2).weight.type()) == ("torch.FloatTensor", "torch.DoubleTensor")
    x = values(4, 3)
    y = model.forward(x)
    assert y.type() == "torch.DoubleTensor"
    hidden = (x.astype(np.float32) @ np.asarray(inside.weight).T + np.asarray(inside.bias)).astype(float)
    same(y, hidden @ np.asarray(model.get(2).weight).T + np.asarray(model.get(2).bias), rtol=1e-6)
    assert model.backward(x, np.ones((4, 2))).type() == "torch.DoubleTensor"
    assert inside.gradWeight.type() == "torch.FloatTensor"


def test_DontCast_casts_in_and_out():
    with jax.enable_x64(True):
        inside = f7.Linear(3, 2)
        params, buffers = inside.init(jax.random.key(0))
        x = jnp.ones((4, 3), jnp.float64)
        for options, dtype in [((False,), "float32"), ((True,), "float64"), ((True, False), "float32")]:
            assert f7.DontCast(inside, *options).apply([params], [buffers], x)[0].dtype == dtype
        copying = f7.DontCast(f7.Identity(), True, False, "torch.HalfTensor")
        assert copying.apply([{}], [{}], x)[0].dtype == "float16"
        with pytest.raises(ValueError, match=r"module_type \(argument 4\)"):
            f7.DontCast(f7.Identity(), True).apply([{}], [{}], x)


# WeightNorm ----------------------------------------------------------------------------------------------------------


def test_weight_norm_rebuilds_the_weight_from_length_and_direction():
    m = nn.WeightNorm(nn.Linear(3, 2)).double()
    m.v.copy([[3, 0, 4], [0, 1, 0]])
    m.g.copy([[10], [2]])
    expected = np.array([[6, 0, 8], [0, 2, 0]])
    same(m.weight, expected, rtol=1e-4)  # 1e-4 is added to the squared length
    x = values(4, 3)
    same(m.forward(x), x @ np.asarray(m.weight).T + np.asarray(m.bias), rtol=1e-9)
    network = nn.Sequential().add(m).add(nn.Tanh())
    assert [each.typename() for each in network.listModules()] == [
        "nn.Sequential", "nn.WeightNorm", "nn.Linear", "nn.Tanh",
    ]  # fmt: skip
    (inside,), (around,) = network.evaluate().findModules("nn.Linear")
    assert around is m and inside is m.get(1) and not inside.in_training
    network.apply(lambda each: hasattr(each, "bias") and each.bias.fill(7))
    same(m.forward(np.zeros(3)), [7, 7])
    m.g.mul(2)
    same(m.get(1).weight, 2 * expected, rtol=1e-4)


def test_replace_meets_the_module_in_weight_norm():
    m, met = nn.WeightNorm(nn.Linear(3, 2)), []

    def sharing(each):
        met.append(each.typename())
        if each is m:
            return m
        made = RenamedLinear(3, 2)
        made.weight, made.bias = each.weight, each.bias
        return made

    class RenamedLinear(nn.Linear):
        pass

    before = m.forward(values(4, 3))
    assert m.replace(sharing) is m and met == ["nn.WeightNorm", "nn.Linear"]
    assert str(m) == "nn.WeightNorm @ nn.RenamedLinear(3 -> 2)"
    same(m.forward(values(4, 3)), before)
    with pytest.raises(TypeError, match=r"the weight of nn.RenamedLinear\(3 -> 2\) in its place"):
        m.replace(lambda each: each if each is m else nn.Linear(3, 2))


def test_weight_norm_starts_with_the_lengths_of_v():
    m = nn.WeightNorm(nn.SpatialConvolution(2, 3, 2, 2))
    m.resetInit()
    same(m.g, np.linalg.norm(np.asarray(m.v), axis=1, keepdims=True), rtol=1e-5)
    same(m.bias, np.zeros(3))
    assert (m.v.size(), m.gradV.size(), m.weight.size()) == ([3, 8], [3, 2, 2, 2], [3, 2, 2, 2])


def test_weight_norm_needs_a_weight():
    with pytest.raises(ValueError, match="expected a module with a weight, got nn.Tanh"):
        nn.WeightNorm(nn.Tanh())


def test_linear_weight_norm_comes_from_and_goes_to_linear():
    linear, x = nn.Linear(3, 2), values(4, 3)
    m = nn.LinearWeightNorm.fromLinear(linear)
    same(m.forward(x), linear.forward(x), rtol=1e-5)
    m.g.mul(2)
    m.updateWeightMatrix()
    same(m.weight, 2 * np.asarray(linear.weight), rtol=1e-5)
    same(m.toLinear().forward(x), m.forward(x), rtol=1e-5)
    without = nn.LinearWeightNorm(3, 2, False)
    assert without.toLinear().bias is None
    same(nn.LinearWeightNorm(3, 2).initFromWeight(torch.ones(2, 3)).g, np.full((2, 1), 3**0.5))
    narrow = nn.LinearWeightNorm(3, 2).half().initFromWeight(torch.HalfTensor(2, 3).fill(300))
    same(narrow.g, np.full((2, 1), np.float16(300 * 3**0.5)))  # of squares that a HalfTensor has no room for


# A decorator of one's own --------------------------------------------------------------------------------------------


def test_decorate_lends_the_methods_of_a_decorator():
    class Wrapped(nn.Container):
        def __init__(self, module):
            super().__init__()
            self.modules = [module]

    nn.Decorator.decorate(Wrapped)
    m, x, g = Wrapped(nn.Linear(3, 2)), values(4, 3), values(4, 2)
    inside = m.modules[0].clone()
    same(nn.Sequential().add(m).forward(x), inside.forward(x), rtol=1e-5)
    same(m.forward(x), inside.forward(x), rtol=1e-5)
    same(m.backward(x, g), inside.backward(x, g), rtol=1e-5)
    assert str(m) == "nn.Wrapped @ nn.Linear(3 -> 2)"


def test_a_data_parallel_table_on_one_device_is_its_module(tmp_path):
    inside = nn.Sequential().add(nn.Linear(3, 2)).double()
    parallel = nn.DataParallelTable(1, True, True).add(inside, [1]).add(inside.clone(), 1).threads()
    x, g = values(4, 3), values(4, 2, seed=1)
    same(parallel.forward(x), np.array(inside.forward(x)))
    same(parallel.backward(x, g), np.array(inside.backward(x, g)))
    assert parallel.get(1) is inside and parallel.get(1, 1) is inside.get(1) and parallel.syncParameters() is None
    same(parallel.getParameters()[0], np.concatenate([np.ravel(each) for each in inside.parameters()[0]]))
    torch.save(str(tmp_path / "net.t7"), parallel)
    assert torch.type(torch.load(str(tmp_path / "net.t7"))) == "nn.Sequential"
    with pytest.raises(ValueError, match=r"nn.DataParallelTable\(1\): expected a module inside"):
        nn.DataParallelTable(1).forward(x)
