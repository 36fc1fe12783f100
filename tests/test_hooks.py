"""Hooks of descriptions: what they see, what they replace, and under which of JAX's transformations."""

import gc
from collections import Counter

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import functorch7 as f7
from functorch7.core import recording
from functorch7.core.tree import dotted, places


def network():
    return f7.Sequential(f7.Linear(3, 4), f7.Tanh(), f7.Linear(4, 2))


@pytest.fixture(scope="module")
def variables():
    return network().init(jax.random.key(0))


def input_of(*shape, seed=0):
    return jnp.asarray(np.random.default_rng(seed).normal(size=shape), jnp.float32)


def loss_of(module, params, buffers, input):
    return (module.apply(params, buffers, input)[0] ** 2).sum()


def same(got, expected):
    jax.tree.map(lambda g, e: np.testing.assert_allclose(g, e, rtol=1e-4, atol=1e-6), got, expected)


KINDS = {
    "forward_pre": (lambda m, i: 2 * i, lambda m, i: (2 * i[0],)),
    "forward": (lambda m, i, o: o + i.sum(), lambda m, i, o: o + i[0].sum()),
    "backward_pre": (lambda m, go: go - 3, lambda m, go: (go[0] - 3,)),
    "backward": (lambda m, gi, go: gi + go.sum(), lambda m, gi, go: (gi[0] + go[0].sum(),)),
}
"""A hook of each kind that replaces something: ours, and PyTorch's."""


@pytest.fixture
def in_torch(variables):
    """The same network in PyTorch."""
    torch = pytest.importorskip("torch")
    made = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 2))
    for layer, params in ((made[0], variables.params[0]), (made[2], variables.params[2])):
        layer.weight.data, layer.bias.data = (torch.tensor(np.asarray(params[n])) for n in ("weight", "bias"))
    return made


def register(target, kind):
    """PyTorch's method for a kind of hook."""
    return getattr(target, f"register_{kind.replace('backward', 'full_backward')}_hook")


@pytest.mark.parametrize("place", ["1", "2", "*"])
@pytest.mark.parametrize("kind", KINDS)
def test_replaced_values_and_gradients_are_pytorchs(kind, place, variables, in_torch):
    import torch
    from torch.nn.modules import module as globally

    ours, theirs = KINDS[kind]
    params, buffers = variables
    module = f7.hooked(network(), place, **{kind: ours})
    gradients = jax.jit(jax.grad(lambda p, x: loss_of(module, p, buffers, x), argnums=(0, 1)))(params, input_of(2, 3))
    if place == "*":
        handle = getattr(globally, f"register_module_{kind.replace('backward', 'full_backward')}_hook")(theirs)
    else:
        handle = register(in_torch[int(place)], kind)(theirs)
    with handle:
        input = torch.tensor(np.asarray(input_of(2, 3)), requires_grad=True)
        (in_torch(input) ** 2).sum().backward()
    same(gradients[1], input.grad.numpy())
    for layer in (0, 2):
        same(gradients[0][layer]["weight"], in_torch[layer].weight.grad.numpy())
        same(gradients[0][layer]["bias"], in_torch[layer].bias.grad.numpy())


@pytest.mark.parametrize(
    "kinds", [("forward_pre", "forward"), ("backward_pre", "backward")], ids=["forward", "backward"]
)
def test_hooks_run_in_pytorchs_order(kinds, variables, in_torch):
    import torch
    from torch.nn.modules import module as globally

    ours, theirs, handles = [], [], []

    def note(log, *what):
        def hook(module, *values):
            log.append((*what, type(module).__name__))

        return hook

    module = network()
    for kind in kinds:
        for which in ("first", "second"):
            module = f7.hooked(module, "1", **{kind: note(ours, kind, which)})
            register(in_torch[1], kind)(note(theirs, kind, which))
        module = f7.hooked(module, "*", **{kind: note(ours, kind, "everywhere")})  # set last, runs first
        name = f"register_module_{kind.replace('backward', 'full_backward')}_hook"
        handles.append(getattr(globally, name)(note(theirs, kind, "everywhere")))
    input = torch.tensor(np.asarray(input_of(2, 3)), requires_grad=True)
    in_torch(input).sum().backward()
    for handle in handles:
        handle.remove()
    params, buffers = variables
    _, pull = jax.vjp(lambda p, x: module.apply(p, buffers, x)[0], params, input_of(2, 3))
    pull(jnp.ones((2, 2)))
    assert len(theirs) == 12 and ours == theirs


def test_each_hook_sees_what_the_one_before_has_returned(variables):
    seen = []
    module = f7.hooked(network(), "0", forward=lambda m, i, o: 0 * o + 5)
    module = f7.hooked(module, "0", forward=lambda m, i, o: seen.append(o))
    module = f7.hooked(module, "*", forward=lambda m, i, o: o + 1 if type(m) is f7.Linear else None)
    output, _ = module.apply(*variables, input_of(2, 3))
    same(seen[0], jnp.full((2, 4), 5.0))
    second = variables.params[2]
    same(output, jnp.tanh(jnp.full((2, 4), 5.0)) @ second["weight"].T + second["bias"][None] + 1)


def double(module, input, output):
    return 2 * output


def test_hooks_are_part_of_a_descriptions_value_and_of_nothing_else():
    plain, hooked = network(), f7.hooked(network(), "2", forward=double)
    assert hooked != plain and hooked == f7.hooked(network(), "2", forward=double)
    assert hash(hooked) == hash(f7.hooked(network(), "2", forward=double))
    assert str(hooked) == str(plain) and type(hooked) is type(plain)
    assert jax.tree.structure(hooked.init(jax.random.key(0))) == jax.tree.structure(plain.init(jax.random.key(0)))


def test_place_that_is_not_there():
    with pytest.raises(TypeError, match="hooked: expected a function as forward hook, got 3"):
        f7.hooked(network(), forward=3)
    with pytest.raises(ValueError, match=r"hooked: nn.Sequential has nothing at '7'; there are '', '0', '1', '2'"):
        f7.hooked(network(), "7", forward=double)


@pytest.mark.parametrize(
    "cell", [f7.FastLSTM(2, 2, p=0.5), f7.GRU(2, 2), f7.MuFuRu(2, 2), f7.RecLSTM(2, 2), f7.RecGRU(2, 2)]
)
def test_places_that_are_never_called_are_refused(cell):
    known = [dotted(path) for path, _ in places(cell) if path]
    network = f7.Sequential(f7.Sequencer(cell), f7.Linear(2, 3))
    for place in known:
        with pytest.raises(ValueError, match=f"hooked: a hook at '0.0.{place}' would never run"):
            f7.hooked(network, f"0.0.{place}", forward=double)
    log = []
    watched = f7.hooked(f7.hooked(network, "nn.Linear", forward=double), "*", forward=lambda m, i, o: log.append(m))
    jax.eval_shape(watched.apply, *network.init(jax.random.key(0)), jnp.ones((3, 1, 2)))
    assert {type(module) for module in log} == {type(network), f7.Sequencer, type(cell), f7.Linear}


def test_normalizations_of_a_cell_are_called():
    cell, log = f7.FastLSTM(2, 2, bn=True), []
    hooked = f7.hooked(cell, "bn_wx", forward=lambda module, input, output: log.append(output))
    hooked.apply(*cell.init(jax.random.key(0)), jnp.ones((3, 2)))
    assert len(log) == 1


@pytest.mark.parametrize("at", ["0.0", "nn.Tanh"], ids=["place", "class"])
def test_inner_places_and_classes(at):
    inner = f7.Sequential(f7.Sequential(f7.Tanh(), f7.Abs()))
    output, _ = f7.hooked(inner, at, forward=double).apply([[{}, {}]], [[{}, {}]], -jnp.ones(2))
    same(output, jnp.full(2, 2 * np.tanh(1)))


def test_wrong_gradient_is_refused(variables):
    module = f7.hooked(network(), "2", backward=lambda m, gi, go: go)
    message = (
        r"nn.Linear\(4 -> 2\): expected a backward hook to return a gradient of shape \(2, 4\), or None; got \(2, 2\)"
    )
    with pytest.raises(ValueError, match=message):
        jax.grad(lambda x: loss_of(module, *variables, x))(input_of(2, 3))


def clipped(module, grad_input, grad_output):
    """A hook that is not linear: it tells one example's gradient from a batch's."""
    return grad_input / jnp.maximum(1, 10 * jnp.linalg.norm(grad_input)) + 0.01 * grad_output.sum()


def test_transformations_give_what_single_calls_give(variables):
    params, buffers = variables
    module, inputs = f7.hooked(network(), "1", forward=double, backward=clipped), input_of(4, 2, 3)
    gradient = jax.jit(jax.grad(lambda p, x: loss_of(module, p, buffers, x), argnums=(0, 1)))
    each = [gradient(params, input) for input in inputs]
    of_params, of_inputs = (jax.tree.map(lambda *g: jnp.stack(g), *of) for of in zip(*each, strict=True))
    same(jax.vmap(gradient, (None, 0))(params, inputs), (of_params, of_inputs))

    def mapped(params, inputs):
        return jax.vmap(lambda x: loss_of(module, params, buffers, x))(inputs).sum()

    def scanned(params, inputs):
        return jax.lax.scan(lambda sum, x: (sum + loss_of(module, params, buffers, x), None), 0.0, inputs)[0]

    summed = (jax.tree.map(lambda g: g.sum(0), of_params), of_inputs)
    same(jax.jit(jax.grad(mapped, (0, 1)))(params, inputs), summed)
    same(jax.jit(jax.grad(scanned, (0, 1)))(params, inputs), summed)


def test_parameters_alone_bring_the_hook_of_the_first_layer():
    table = f7.Sequential(f7.LookupTable(5, 3), f7.Linear(3, 2))
    params, buffers = table.init(jax.random.key(0))
    seen = []

    def look(module, grad_input, grad_output):
        assert grad_input is None
        jax.debug.callback(lambda g: seen.append(np.asarray(g)), grad_output)

    module = f7.hooked(table, "0", backward=look)
    jax.jit(jax.grad(lambda p: module.apply(p, buffers, jnp.array([1, 2]))[0].sum()))(params)
    jax.effects_barrier()
    same(seen, [np.tile(np.asarray(params[1]["weight"]).sum(0), (2, 1))])


SEQUENCES = {
    "cell": ("nn.FastLSTM", lambda: f7.FastLSTM(3, 2), lambda: f7.Sequential(f7.FastLSTM(3, 2), f7.MulConstant(2))),
    "layer": ("nn.Linear", lambda: f7.Linear(3, 2), lambda: f7.Sequential(f7.Linear(3, 2), f7.MulConstant(2))),
    "trimmed": (
        "nn.GRU", lambda: f7.GRU(3, 2).trim_zero(1),
        lambda: f7.Sequential(f7.GRU(3, 2).trim_zero(1), f7.MulConstant(2)),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", SEQUENCES)
def test_a_sequencer_runs_hooks_at_every_step(case):
    at, make, composed = SEQUENCES[case]
    hooked, other = f7.hooked(f7.Sequencer(make()), at, forward=double), f7.Sequencer(composed())
    params, _ = hooked.init(jax.random.key(1))
    inner = {"recurrent_module": [params[0].get("recurrent_module", params[0]), {}]}
    input = input_of(3, 2, 3).at[1, 0].set(0)

    def value(module, params):
        return loss_of(module, params, module.init(jax.random.key(0)).buffers, input)

    got = jax.jit(jax.value_and_grad(lambda p: value(hooked, p)))(params)
    expected = jax.jit(jax.value_and_grad(lambda p: value(other, p)))([inner])
    same(got[0], expected[0])
    same(jax.tree.leaves(got[1]), jax.tree.leaves(expected[1]))


def test_backward_hooks_at_every_step_of_a_recurrence():
    # h = w (x + h'), whose gradient passes w at every step: with the hook it is halved there, too.
    cell = f7.Recurrence(f7.Sequential(f7.CAddTable(), f7.CMul(1, 1)), 1, 1)
    module = f7.hooked(f7.Sequencer(cell), "nn.CMul", backward=lambda m, gi, go: gi / 2)
    params, buffers = module.init(jax.random.key(0))
    params = jax.tree.map(lambda p: jnp.full_like(p, 3.0), params)
    gradient = jax.grad(lambda x: module.apply(params, buffers, x)[0][-1].sum())(jnp.ones((3, 1, 1)))
    same(gradient.ravel(), jnp.array([1.5**3, 1.5**2, 1.5]))


def test_masked_modules_run_their_hooks_once(variables):
    seen = []
    module = f7.hooked(f7.MaskZero(f7.Linear(3, 2), 1), "nn.Linear", forward=lambda m, i, o: seen.append(o))
    params, buffers = module.init(jax.random.key(0))
    module.apply(params, buffers, jnp.ones((2, 3)))
    assert len(seen) == 1


def test_recorders_see_what_hooks_have_left(variables):
    with recording() as seen:
        f7.hooked(network(), "0", forward=lambda m, i, o: 0 * o).apply(*variables, input_of(2, 3))
    same(seen.outputs[1,], jnp.zeros((2, 4)))


def test_state_that_a_hook_does_not_touch_is_kept():
    module = f7.BatchNormalization(3)
    params, buffers = module.init(jax.random.key(0))
    _, expected = module.apply(params, buffers, input_of(4, 3), train=True)
    _, new = f7.hooked(module, forward=double, backward=clipped).apply(params, buffers, input_of(4, 3), train=True)
    same(new, expected)


def test_what_cannot_be_traced_has_backward_hooks_too():
    select = f7.Sequential(f7.MaskedSelect(), f7.MulConstant(3))
    assert not select.traits.traceable
    table = [jnp.arange(4.0), jnp.array([1, 0, 1, 0], jnp.uint8)]
    module = f7.hooked(select, "*", backward=lambda m, gi, go: jax.tree.map(lambda g: 2 * g, gi))
    params, buffers = module.init(jax.random.key(0))
    gradient = jax.grad(lambda x: module.apply(params, buffers, [x, table[1]])[0].sum())(table[0])
    same(gradient, jnp.array([24.0, 0, 24, 0]))  # 3, doubled at each of three modules


LEFT_BEHIND = {
    "a chain": (lambda: f7.hooked(network(), "1", forward=double, backward=clipped), (2, 3)),
    "a sequence": (lambda: f7.hooked(f7.Sequencer(f7.FastLSTM(3, 2)), "0", backward=clipped), (3, 2, 3)),
    "trimmed steps": (lambda: f7.Sequencer(f7.FastLSTM(3, 2).trim_zero()), (3, 2, 3)),
    "a trimmed layer": (lambda: f7.TrimZero(f7.Linear(3, 2), 1), (2, 3)),
}


def tracers():
    gc.collect()
    counted = Counter(map(type, gc.get_objects()))
    return sum(count for kind, count in counted.items() if issubclass(kind, jax.core.Tracer))


@pytest.mark.parametrize("name", LEFT_BEHIND)
def test_programs_keep_nothing_of_what_was_traced(name, little_to_collect):
    """Which JAX looks for, too, but more slowly, where `jax_check_tracer_leaks` is set."""
    make, shape = LEFT_BEHIND[name]
    module, before = make(), tracers()
    params, buffers = module.init(jax.random.key(0))
    program = jax.make_jaxpr(jax.grad(lambda p, x: loss_of(module, p, buffers, x)))(params, input_of(*shape))
    assert program.eqns and tracers() <= before
