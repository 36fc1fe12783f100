"""What users of Flax, PyTorch and Torch7 try with descriptions: errors name the module and say what is written here."""

import pickle
import re

import jax
import jax.numpy as jnp
import optax
import pytest

import functorch7 as f7
from functorch7.core.elsewhere import ELSEWHERE
from functorch7.interop import onnx, stablehlo
from functorch7.legacy import nn
from functorch7.training import freeze, init_state, labels, make_train_step, predict

NETWORK = f7.Sequential(f7.Linear(3, 4), f7.Linear(4, 2))
KEY = jax.random.key(0)
VARIABLES = NETWORK.init(KEY)
PARAMS, BUFFERS = VARIABLES
X = jnp.ones((2, 3))
APPLY = "nn.Sequential: expected apply(params, buffers, input, *, key=None, train=False), got "
FORWARD = "expected forward(params, buffers, input, *, key, train), got (shape (2, 3)"
APART = "nn.Sequential: expected params and buffers one by one; Variables has both"


class Fenced(f7.Map, abstract=True):
    """A user's module whose property fails."""

    @property
    def height(self):
        return self.missing.height

    def f(self, input):
        return input * self.height


class KeylessMap(f7.Module):
    """A user's module whose forward takes too little."""

    def forward(self, params, buffers, input):
        return input, buffers


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: NETWORK.apply(VARIABLES, X), APPLY + "(Variables, shape (2, 3)); Variables has both: apply(given."),
        (lambda: NETWORK.apply(PARAMS, X), APPLY + "(a table of 2, shape (2, 3))"),
        (lambda: NETWORK.apply(*VARIABLES, X, rngs=KEY), APPLY + "(a table of 2, a table of 2, shape (2, 3), rngs="),
        (lambda: NETWORK.apply(*VARIABLES, X, KEY, True), APPLY + "(a table of 2, a table of 2, shape (2, 3), sh"),
        (lambda: jax.jit(NETWORK.apply)(VARIABLES, X), APPLY + "(Variables, shape (2, 3))"),
        (lambda: NETWORK.apply(VARIABLES, BUFFERS, X), APART),
        (lambda: NETWORK.apply(PARAMS, VARIABLES, X), APART),
        (lambda: NETWORK.init(), "nn.Sequential: expected init(key, stdv=None), got ()"),
        (lambda: f7.MSECriterion()(), "nn.MSECriterion: expected criterion(input, target=None, zero_mask=None, *"),
        (lambda: f7.MSECriterion().apply(X, X), "nn.MSECriterion: expected apply(params, buffers, input, *, key=None"),
        (lambda: f7.MSECriterion().forward(X, X), f"nn.MSECriterion: {FORWARD}, shape (2, 3)); users call criterion("),
        (lambda: f7.to(NETWORK, "float16"), "to: expected arrays, such as variables, got nn.Sequential, which ho"),
        (lambda: f7.to(PARAMS, VARIABLES), "to: expected a floating-point dtype, got a table of 2: a table"),
        (lambda: NETWORK.forward(X), f"nn.Sequential: {FORWARD}); users call apply(params, buffers, input, *"),
        (
            lambda: KeylessMap().apply({}, {}, X),
            "nn.KeylessMap: expected a class with forward(params, buffers, input, *, key, train), got "
            "forward(params, buffers, input)",
        ),
    ],
)  # fmt: skip
def test_calls_with_other_arguments_say_what_is_taken_and_what_was_given(call, said):
    with pytest.raises(TypeError, match="^" + re.escape(said)):
        call()


@pytest.mark.parametrize("way", [lambda apply: apply, jax.jit])
def test_params_in_the_place_of_buffers_are_refused(way):
    with pytest.raises(ValueError, match="expected buffers, as init makes them, got params, twice: 'weight' is in bot"):
        way(NETWORK.apply)(PARAMS, PARAMS, X)


@pytest.mark.parametrize("ask", [
    f7.forget, f7.carry_of, lambda *given: f7.with_carry(*given, BUFFERS), lambda *given: freeze(*given, "0"),
    lambda *given: list(f7.named_parameters(*given)), lambda *given: list(f7.named_buffers(*given)), freeze,
])  # fmt: skip
@pytest.mark.parametrize("given, told", [
    (VARIABLES, "Variables, which has params and buffers"), (PARAMS[:1], "a table of 1: .*"), (None, "None"),
    ({}, "a table with keys .*"), ([PARAMS, 3], ".*"),
])  # fmt: skip
def test_trees_of_other_arrays_are_told(ask, given, told):
    expected = rf"^nn.\w+.*: expected a tree of its arrays, a \w+.*, as init makes it, got {told}$"
    with pytest.raises(ValueError, match=expected):
        ask(NETWORK, given)


@pytest.mark.parametrize("call, said", [
    (lambda: labels(NETWORK, PARAMS, "frozen"), "labels: expected rules, a dict of labels by name, got 'frozen'"),
    (lambda: labels(NETWORK, PARAMS, {0: "slow"}), "labels: expected a text as the name of a rule, such as '0' or"),
    (lambda: freeze(NETWORK, PARAMS, 0), "freeze: expected names, such as '0' or 'nn.Linear', got 0"),
])  # fmt: skip
def test_labels_are_told_what_their_rules_are(call, said):
    with pytest.raises(TypeError, match="^" + re.escape(said)):
        call()


@pytest.mark.parametrize("index, error", [(2, IndexError), (-3, IndexError), (0.5, TypeError), ("a", TypeError)])
def test_positions_that_a_container_has_not_are_named(index, error):
    with pytest.raises(error, match=f"^nn.Sequential: .*{index}.*"):
        NETWORK[index]
    assert NETWORK[-1] is NETWORK[1.0] is NETWORK.modules[1]


def test_a_training_state_in_the_place_of_params_says_what_it_has():
    state = init_state(NETWORK, optax.sgd(0.1), KEY)
    with pytest.raises(TypeError, match=re.escape("TrainState has both: apply(given.params, given.buffers, input)")):
        NETWORK.apply(state, X)


@pytest.mark.parametrize("run", [
    lambda keys: NETWORK.init(keys),
    lambda keys: f7.Dropout(0.5).apply({}, {}, X, key=keys, train=True),
    lambda keys: f7.Sequential(f7.Dropout(0.5)).apply([{}], [{}], X, key=keys, train=True),
])  # fmt: skip
@pytest.mark.parametrize("make", [jax.random.key, jax.random.PRNGKey])
def test_several_keys_are_refused_and_vmap_takes_them(run, make):
    keys = jax.random.split(make(0), 3)
    with pytest.raises(ValueError, match=r"^nn\.\w+.*: expected one random key, got several"):
        run(keys)
    stacked, single = jax.vmap(run)(keys), run(keys[1])
    assert jax.tree.all(jax.tree.map(lambda many, one: jnp.array_equal(many[1], one), stacked, single))


@pytest.mark.parametrize("name", [*ELSEWHERE, "wieght"])
def test_names_of_other_libraries_say_where_it_is(name):
    with pytest.raises(AttributeError, match=rf"^nn.Sequential has no attribute '{name}'") as error:
        getattr(NETWORK, name)
    assert (error.value.name, error.value.obj) == (name, NETWORK)
    assert str(error.value).endswith(f"; {ELSEWHERE[name]}" if name in ELSEWHERE else "'")


def test_what_errors_name_is_there():
    """Every f7.name that an answer writes exists."""
    names = {name for said in ELSEWHERE.values() for name in re.findall(r"\bf(?:unctorch)?7\.(\w+)", said)}
    assert "state_dict" in names and all(hasattr(f7, name) for name in names)


def test_an_error_inside_a_property_stays_and_protocols_find_nothing():
    with pytest.raises(AttributeError, match="^nn.Fenced has no attribute 'missing'$"):
        Fenced().apply({}, {}, X)
    assert not hasattr(NETWORK, "__jax_array__") and not hasattr(NETWORK, "_anything")
    assert pickle.loads(pickle.dumps(NETWORK)) == NETWORK


@pytest.mark.parametrize("make", [
    lambda: f7.LinearNoBias(3, 4, True),
    lambda: f7.LinearNoBias(3, 4, bias=True),
    lambda: f7.LinearNoBias(3, 4).replace(bias=True),
])  # fmt: skip
def test_a_linear_layer_without_bias_gets_none(make):
    with pytest.raises(ValueError, match="^nn.LinearNoBias: expected bias to be False, got True; nn.Linear has one"):
        make()
    assert list(f7.LinearNoBias(3, 4, False).init(KEY).params) == ["weight"]


OBJECT = nn.Sequential().add(nn.Linear(3, 4))
"""What Torch's interface has where the functional one has descriptions."""


@pytest.mark.parametrize("ask", [
    lambda: f7.output_shape(OBJECT, X), lambda: f7.hooked(OBJECT, "0", forward=print), lambda: f7.find(OBJECT, "a"),
    lambda: [*f7.named_parameters(OBJECT, PARAMS)], lambda: [*f7.named_buffers(OBJECT, BUFFERS)],
    lambda: f7.forget(OBJECT, BUFFERS), lambda: f7.carry_of(OBJECT, BUFFERS), lambda: f7.init_carry(OBJECT, 2),
    lambda: [*f7.named_modules(OBJECT)], lambda: freeze(OBJECT, PARAMS, "0"), lambda: f7.Shared(OBJECT, ()),
    lambda: predict(OBJECT, PARAMS, BUFFERS, X, 2), lambda: stablehlo.export(OBJECT, PARAMS, BUFFERS, (2, 3)),
    lambda: onnx.export(OBJECT, PARAMS, BUFFERS, (2, 3)), lambda: f7.Sequential(OBJECT, f7.Tanh()),
    lambda: make_train_step(NETWORK, nn.MSECriterion(), optax.sgd(0.1)),
])  # fmt: skip
def test_objects_of_legacy_in_the_place_of_descriptions_say_how_to_get_these(ask):
    with pytest.raises(TypeError, match=r"expected (the description of )?a .*, got nn\.\w+; take its functional\(\)$"):
        ask()


def test_arrays_that_are_gone_name_the_module_that_is_given_them():
    gone, leaked = jnp.ones((2, 3)) + 1, []
    gone.delete()
    with pytest.raises(RuntimeError, match=r"nn.Linear\(3 -> 4\): expected arrays that exist, got: Array has been del"):
        NETWORK.apply(*VARIABLES, gone)
    jax.eval_shape(lambda x: leaked.append(x), X)
    with pytest.raises(jax.errors.UnexpectedTracerError, match=r"nn.Linear\(3 -> 4\): expected arrays that exist"):
        NETWORK.apply(*VARIABLES, leaked[0])
