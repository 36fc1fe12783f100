"""What authors of modules may leave out, and what they are told."""

import re
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import functorch7 as f7
from functorch7.core.traits import DECLARED, Declared
from functorch7.legacy import nn


class Counter(f7.Module, abstract=True):
    """A cell that says nothing of its state: the number of the step, which starts at 1."""

    def init_buffers(self):
        return {"count": None}

    def forward(self, params, buffers, input, *, key, train):
        count = jnp.ones(()) if buffers["count"] is None else buffers["count"]
        return input + count, {"count": count + 1}


def test_a_cells_state_starts_where_it_says_and_is_forgotten_after_a_sequence():
    sequencer = f7.Sequencer(Counter())
    variables = sequencer.init(jax.random.key(0))
    for _ in range(2):
        output, buffers = sequencer.apply(*variables, jnp.zeros((3, 1)))
        np.testing.assert_array_equal(output.ravel(), [1, 2, 3])
        variables = variables._replace(buffers=buffers)
    remembering = sequencer.remember("both")
    _, buffers = remembering.apply(*variables, jnp.zeros((3, 1)))
    np.testing.assert_array_equal(remembering.apply(variables.params, buffers, jnp.zeros((2, 1)))[0].ravel(), [4, 5])


class Residual(f7.Composite, abstract=True):
    """after(x + body(x))."""

    body: tuple
    after: f7.Module

    def f(self, run, input):
        inner = input
        for module in run.body:
            inner = module(inner)
        return run.after(input + inner)


@pytest.mark.parametrize("kind", [tuple, list])
def test_a_list_of_modules_in_a_field_has_parameters(kind):
    module = Residual(kind([f7.Linear(4, 4), f7.Tanh()]), f7.Identity())
    params, buffers = module.init(jax.random.key(0))
    weight, bias = map(np.asarray, (params["body.0"]["weight"], params["body.0"]["bias"]))
    x = np.random.default_rng(0).normal(size=(2, 4)).astype(np.float32)
    np.testing.assert_allclose(module.apply(params, buffers, x)[0], x + np.tanh(x @ weight.T + bias), 1e-4, 1e-6)
    assert hash(module) == hash(Residual((f7.Linear(4, 4), f7.Tanh()), f7.Identity()))


@pytest.mark.parametrize(
    "wrong", [{"a": f7.Tanh()}, [[f7.Tanh()]], ({"a": [f7.Tanh()]},)], ids=["dict", "list", "both"]
)
def test_modules_that_would_have_no_parameters_are_refused(wrong):
    with pytest.raises(TypeError, match=r"nn.Residual: the modules in its field 'body' .* give a list of modules"):
        Residual(wrong, f7.Identity())


@pytest.mark.parametrize(
    ("params", "buffers", "wrong"),
    [({"body.0": 0}, {}, "'body.0' from init_params"), ({}, {"after": None}, "'after' from init_buffers"),
     ({"rate": 0}, {"rate": 0}, "'rate' from init_buffers")],
)  # fmt: skip
def test_arrays_that_would_take_each_others_place_are_refused(params, buffers, wrong):
    """A cell with a module and a state that are called alike had no state, or the module no arrays."""
    own = {"init_params": lambda self, key, stdv=None: params, "init_buffers": lambda self: buffers}
    Twice = type("Twice", (Residual,), own, abstract=True)
    with pytest.raises(ValueError, match=rf"nn.Twice: expected another name than {wrong}: a module inside"):
        Twice([f7.Linear(4, 4)], f7.Identity()).init(jax.random.key(0))


def test_objects_in_a_list_are_those_inside():
    class Around(Residual):
        """The same under a name that `legacy` knows."""

    linear = nn.Linear(4, 4)
    module = nn.Around((linear, nn.Tanh()), nn.Tanh())
    x = np.random.default_rng(0).normal(size=(2, 4)).astype(np.float32)
    inner = np.tanh(x @ np.asarray(linear.weight).T + np.asarray(linear.bias))
    np.testing.assert_allclose(module.forward(x), np.tanh(x + inner), 1e-4, 1e-6)
    module.backward(x, x)
    assert [id(p) for p in module.parameters()[0]] == [id(linear.weight), id(linear.bias)]
    assert np.abs(np.asarray(linear.gradWeight)).max() > 0


def test_a_container_with_arrays_of_its_own_is_refused_when_its_class_is_made():
    with pytest.raises(TypeError, match=r"nn.Scaled: a container's parameters .* make it a Composite"):

        class Scaled(f7.Container, abstract=True):
            def init_params(self, key, stdv=None):
                return {"weight": jnp.ones(3)}


def made_in(module, name="Swish"):
    return type(name, (f7.Map,), {"__module__": module, "f": lambda self, x: x * jax.nn.sigmoid(x)})


def test_of_two_authors_classes_of_one_name_the_newer_counts_and_both_are_told():
    first = made_in("first.author")
    assert nn.Swish.spec_class is first
    with pytest.warns(UserWarning, match=r"nn.Swish is that of second.author, no longer of first.author"):
        second = made_in("second.author")
    assert nn.Swish.spec_class is second
    del f7.core.registry["nn.Swish"]


def test_no_class_takes_the_place_of_one_of_the_package():
    with pytest.warns(UserWarning, match=r"nn.Linear is functorch7.layers.linear's"):
        made_in("an.author", "Linear")
    assert nn.Linear.spec_class is f7.Linear


def test_there_are_14_names_that_an_author_has_to_know():
    """The docstring lists them; they are all that `Module` defines, and some of its bases'."""
    known = re.findall(r"`(\w+)`", f7.Module.__doc__.split("- to write")[1].split("What has")[0])
    defined = {name for name in vars(f7.Module) if not name.startswith("_")}
    assert len(known) == len(set(known)) == 14
    assert defined <= set(known) and all(hasattr(f7.Module, name) for name in known)
    assert {*known} - defined == {"init_buffers", "draws", "printed", "takes_table", "replace", "traits"}
    page = (Path(__file__).parent.parent / "docs" / "custom-layer.md").read_text()
    table = page.split("Most layers use four or fewer")[1].split("Other properties")[0]
    assert re.findall(r"`(\w+)`", table) == known
    assert {*DECLARED} <= {*vars(Declared)}


class Metric(f7.LearnedCriterion, abstract=True):
    """sum(weight * |x - y|): a criterion with parameters."""

    def init_params(self, key, stdv=None):
        return {"weight": jnp.ones(3) if stdv is None else stdv * jnp.ones(3)}

    def loss(self, run, input, target):
        return jnp.sum(jnp.abs(input - target) @ run.params["weight"])


def test_a_criterion_of_ones_own_is_learned_in_both_interfaces():
    class Distance(Metric):
        """The same under a name that `legacy` knows."""

    x, y = np.random.default_rng(0).normal(size=(2, 4, 3)).astype(np.float32)
    criterion, sums = Distance(), np.abs(x - y).sum(0)
    params, buffers = criterion.init(jax.random.key(0), 0.5)
    slopes = jax.grad(lambda params: criterion.apply(params, buffers, (x, y))[0])(params)
    np.testing.assert_allclose(slopes["weight"], sums, 1e-5)
    held = nn.Distance()
    np.testing.assert_allclose(held.forward(x, y), sums.sum(), 1e-5)
    np.testing.assert_allclose(held.backward(x, y), np.sign(x - y), 1e-5)
    np.testing.assert_allclose(held.gradWeight, sums, 1e-5)
    held.updateParameters(0.01)
    np.testing.assert_allclose(held.weight, 1 - 0.01 * sums, 1e-5)
    np.testing.assert_allclose(held.forward(x, y), sums @ (1 - 0.01 * sums), 1e-5)


def test_a_criterion_whose_loss_would_not_see_its_arrays_is_refused_when_its_class_is_made():
    with pytest.raises(TypeError, match=r"nn.Blind: its init_params makes arrays.* make it a LearnedCriterion"):

        class Blind(f7.Criterion, abstract=True):
            def init_params(self, key, stdv=None):
                return {"weight": jnp.ones(3)}

            def loss(self, input, target):
                return jnp.sum(input - target)


class Returning(f7.Module, abstract=True):
    """A module whose forward gives what its author's function makes of (input, buffers)."""

    what: object

    def forward(self, params, buffers, input, *, key, train):
        return self.what(input, buffers)


class Making(f7.Layer, abstract=True):
    """A layer whose arrays are what its author gives in the place of a dict."""

    def init_params(self, key, stdv=None):
        return jnp.ones(3)


class Undeclared(f7.Composite, abstract=True):
    """A module that draws and does not say so, in one of two ways, or calls a module inside without `run`."""

    body: f7.Module
    way: str = "run"

    def f(self, run, input):
        if self.way == "without run":
            return self.body(input)
        return run.body(input) + jax.random.normal(run.key, input.shape)


class Sized(f7.Map, abstract=True):
    sizes: object

    def f(self, input):
        return input


class Setting(f7.Map, abstract=True):
    def __init__(self, size):
        self.size = size


KEY = jax.random.key(0)


@pytest.mark.parametrize("rows", [2, 3])  # an array of two rows could be unpacked into output and buffers
@pytest.mark.parametrize(
    ("what", "given"),
    [
        (lambda input, buffers: input, "shape (ROWS, 3)"),
        (lambda input, buffers: (input, input), "a table of 2: shape (ROWS, 3), shape (ROWS, 3)"),
        (lambda input, buffers: (input, buffers, None), "a table of 3: shape (ROWS, 3), a table with keys [], None"),
        (lambda input, buffers: None, "None"),
    ],
)
def test_a_forward_that_gives_no_output_and_buffers_is_told_so(what, given, rows):
    network = f7.Sequential(Returning(what), f7.Tanh())
    said = f"nn.Returning: expected (output, buffers) from forward, got {given.replace('ROWS', str(rows))}"
    for apply in (network.apply, jax.jit(network.apply)):
        with pytest.raises(TypeError, match=re.escape(said)) as error:
            apply([{}, {}], [{}, {}], jnp.ones((rows, 3)))
        assert "In 1 module of nn.Sequential:" in error.value.__notes__


@pytest.mark.parametrize(
    ("mistake", "said"),
    [
        (lambda: Making().init(KEY), "nn.Making: expected arrays by name, a dict, from init_params, got shape (3,)"),
        (lambda: f7.Lambda(lambda x: None).apply({}, {}, jnp.ones(2)), "nn.Lambda(<lambda>): expected an output"),
        (lambda: _called(f7.Sequential(Undeclared(f7.Linear(3, 3)))), "nn.Undeclared: has no random key"),
        (
            lambda: _called(Undeclared(f7.Linear(3, 3), "without run")),
            "nn.Linear(3 -> 3): a description is no",
        ),
        (lambda: f7.Linear(3, 4)(jnp.ones((2, 3))), "nn.Linear(3 -> 4): a description is no function"),
        (lambda: hash(Sized([1, 2])), "nn.Sized: its field 'sizes' is a list, which is not compared by value"),
        (lambda: hash(Sized(np.ones(2))), "nn.Sized: its field 'sizes' is a ndarray, which is not compared by value"),
        (lambda: Setting(3), "nn.Setting: cannot change 'size', because descriptions never change"),
        (lambda: _trained("eval"), "nn.Linear: expected train to be True or False, got 'eval'"),
        (lambda: _trained(None), "nn.Linear: expected train to be True or False, got None"),
        (lambda: _trained(np.ones(2)), "nn.Linear: expected train to be True or False, got array([1., 1.])"),
        (lambda: setattr(f7.Linear(3, 4), "bias", False), "nn.Linear: cannot change 'bias'"),
        (lambda: delattr(f7.Linear(3, 4), "bias"), "nn.Linear: cannot change 'bias'"),
    ],
)
def test_an_authors_mistake_is_told_by_the_module_and_what_to_write(mistake, said):
    with pytest.raises((TypeError, ValueError, AttributeError), match=re.escape(said)):
        mistake()


def _trained(train):
    network = f7.Linear(3, 4)
    return network.apply(*network.init(KEY), jnp.ones((2, 3)), train=train)


def _called(module):
    return module.apply(*module.init(KEY), jnp.ones((2, 3)), key=KEY, train=True)
