"""Programs for other backends than the CPU, as far as they can be made without one: lowered, not compiled."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from cases import MODULES
from criterion_cases import CRITERIONS
from jax._src import xla_bridge
from jax.extend.core import jaxprs_in_params
from test_every_module import initial_shapes

import functorch7 as f7
from functorch7.core import backend, host_device, traced_for, tracing_for
from functorch7.interop.stablehlo import export, load_exported
from functorch7.legacy import nn, optim, torch
from functorch7.training import init_state, make_loss, make_train_step
from functorch7.training.guarded import make_guarded_step
from functorch7.training.step import descent

KEY = jax.random.key(7)
ACCELERATORS = ("cuda", "tpu")
CALL_THE_HOST = {"NaN", "PrintSize", "Profile"}
"""What cannot be lowered for other platforms than JAX runs on: it makes calls of the host for that one alone."""


def lower(function, *arguments):
    """Makes a function's program for accelerators."""
    with tracing_for(ACCELERATORS):
        jax.jit(function).trace(*arguments).lower(lowering_platforms=ACCELERATORS)


def with_gradients(function, *given):
    """The function with the gradients of its results' sum by all that is real, as a function of arrays; and these."""
    leaves, structure = jax.tree.flatten(jax.tree.map(np.asarray, given))
    real = [np.issubdtype(leaf.dtype, np.inexact) for leaf in leaves]

    def run(moving, fixed):
        def total(moving):
            parts = iter(moving), iter(fixed)
            results = function(*structure.unflatten([next(parts[0] if each else parts[1]) for each in real]))
            sums = [jnp.sum(leaf) for leaf in jax.tree.leaves(results) if jnp.issubdtype(leaf.dtype, jnp.inexact)]
            return sum(sums, jnp.float32(0)), results

        return jax.value_and_grad(total, has_aux=True)(moving)

    return run, *([leaf for leaf, each in zip(leaves, real, strict=True) if each == wanted] for wanted in (True, False))


@pytest.mark.one_in(6)
@pytest.mark.parametrize("case", [case for case in MODULES if case.traceable], ids=lambda case: case.id)
def test_every_module_lowers_for_accelerators(case):
    shapes = initial_shapes(case.module)
    params, buffers = jax.tree.map(lambda leaf: np.zeros(leaf.shape, leaf.dtype), shapes)
    program = with_gradients(
        lambda *given: case.module.apply(*given, key=KEY, train=case.train), params, buffers, case.input
    )
    if case.id in CALL_THE_HOST:
        with pytest.raises((NotImplementedError, ValueError), match="python_callback|platform"):
            lower(*program)
    else:
        lower(*program)


def test_every_criterion_lowers_for_accelerators():
    for criterion, input, target in CRITERIONS:
        lower(*with_gradients(partial(criterion_of, criterion, target), input))


def criterion_of(criterion, target, input):
    return criterion(input, target)


@pytest.mark.parametrize("compute_dtype", [None, jnp.bfloat16])
def test_training_steps_lower_for_accelerators(compute_dtype):
    network = f7.Sequential(
        f7.SpatialConvolution(1, 4, 5, 5), f7.SpatialBatchNormalization(4), f7.ReLU(), f7.SpatialMaxPooling(2, 2),
        f7.Dropout(0.5), f7.Reshape(4, 4), f7.Transpose([1, 2]), f7.SeqLSTM(4, 3), f7.Select(1, -1), f7.LogSoftMax(),
    )  # fmt: skip
    optimizer = optax.chain(optax.add_decayed_weights(1e-4), optax.sgd(0.1, momentum=0.9))
    state = init_state(network, optimizer, KEY)
    batch = np.zeros((2, 1, 8, 8), np.float32), np.array([1, 3])
    whole = make_train_step(network, f7.ClassNLLCriterion(), optimizer, compute_dtype=compute_dtype)
    loss = make_loss(network, f7.ClassNLLCriterion(), compute_dtype)
    guarded = make_guarded_step(network, descent(network, loss, optimizer))
    lower(whole, state, batch, KEY)
    lower(guarded, state, batch, KEY, 0)


def test_what_is_traced_for_follows_the_default_device_and_the_platforms_asked_for():
    assert traced_for() == jax.default_backend() == "cpu"
    with jax.default_device(jax.devices()[0]):
        assert traced_for() == "cpu"
    for platforms, kind in ((["cuda"], "gpu"), (["cuda", "rocm"], "gpu"), (["tpu"], "tpu"), (ACCELERATORS, "")):
        with tracing_for(platforms):
            assert traced_for() == kind


def test_exported_programs_have_the_formulation_of_their_platform():
    layer = f7.SpatialConvolution(2, 3, 1, 1)
    found = {}
    for platform in ("cpu", "cuda"):
        program = load_exported(export(layer, *layer.init(KEY), (2, 2, 3, 3), platforms=[platform]))
        found[platform] = "stablehlo.convolution" in program.exported.mlir_module()
    assert found == {"cpu": False, "cuda": True}  # on CPU a matrix product


RECURRENT = {
    "SeqLSTM": f7.SeqLSTM(2, 3),
    "SeqGRU": f7.SeqGRU(2, 3).mask_zero(),
    "a cell": f7.Sequencer(f7.FastLSTM(2, 3)),
    "any step": f7.Sequencer(f7.Recurrent(3, f7.Linear(2, 3), f7.Linear(3, 3))),
}


@pytest.mark.parametrize("layer", RECURRENT.values(), ids=RECURRENT)
def test_on_a_gpu_a_loop_has_several_steps_and_gives_the_same(layer):
    variables = layer.init(KEY)
    x = np.random.default_rng(0).normal(size=(7, 2, 2)).astype(np.float32)  # not a multiple of a body's steps

    def made(platform):
        with tracing_for([platform]):
            program = with_gradients(lambda *given: layer.apply(*given)[0], *variables, x)
            traced = jax.jit(program[0]).trace(*program[1:])
        return traced.lower().compile()(*program[1:]), {each.params["unroll"] for each in scans(traced.jaxpr.jaxpr)}

    (expected, alone), (got, several) = made("cpu"), made("cuda")
    assert alone == {1} and several == {backend.STEPS_IN_A_BODY["gpu"]}
    jax.tree.map(lambda g, e: np.testing.assert_allclose(g, e, rtol=1e-5, atol=1e-6), got, expected)


def scans(jaxpr):
    for equation in jaxpr.eqns:
        if equation.primitive.name == "scan":
            yield equation
        for inner in jaxprs_in_params(equation.params):
            yield from scans(inner)


@pytest.fixture
def no_cpu(monkeypatch):
    """JAX as it is with JAX_PLATFORMS=cuda: what it computes on is there, but no CPU by its name."""

    def without_cpu(function):
        def devices(*given, backend=None, **named):
            if "cpu" in (*given, backend):
                raise RuntimeError("Unknown backend cpu")
            return function(*given, **named)

        return devices

    for module, name in ((jax, "devices"), (jax, "local_devices"), (xla_bridge, "local_devices")):
        monkeypatch.setattr(module, name, without_cpu(getattr(module, name)))
    host_device.cache_clear()
    yield
    monkeypatch.undo()
    host_device.cache_clear()


def test_the_stateful_interface_needs_no_cpu_backend(no_cpu, capsys):
    net = nn.Sequential(nn.Linear(2, 3), nn.PrintSize("here"), nn.Tanh())
    x = torch.Tensor([[1, 2], [3, 4]])
    output = net.forward(x)
    net.zeroGradParameters()
    net.backward(x, output)
    assert capsys.readouterr().out == "".join(
        f"here:{what}\n\t 2\n 3\n[torch.LongStorage of size 2]\n\n" for what in ("input", "gradOutput")
    )
    parameters, gradients = net.getParameters()
    before = parameters.clone()
    gradients.add(0.5, parameters)
    optim.sgd(lambda _: (0, gradients), parameters, {"learningRate": 0.1, "momentum": 0.9, "weightDecay": 0.1})
    expected = before.numpy() - 0.1 * (gradients.numpy() + 0.1 * before.numpy())
    np.testing.assert_allclose(parameters.numpy(), expected, rtol=1e-5)


@pytest.mark.parametrize("module", [f7.PrintSize(), f7.NaN(f7.Tanh(), 1), f7.Profile(f7.Tanh())], ids=repr)
def test_without_a_cpu_backend_compiled_calls_of_the_host_say_what_they_need(no_cpu, module):
    variables = module.init(KEY)
    assert module.apply(*variables, np.ones(2, np.float32))[0].shape == (2,)
    with pytest.raises(RuntimeError, match=rf"{module.torch_name()} calls the host, .* JAX_PLATFORMS=cpu,cpu"):
        jax.jit(lambda x: module.apply(*variables, x)[0])(np.ones(2, np.float32))
