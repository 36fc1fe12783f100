"""Descriptions: values, names, trees of arrays, side outputs, ties, errors."""

import dataclasses
import re
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from cases import MODULES
from scipy.sparse import coo_array

import functorch7 as f7
from functorch7.legacy import nn
from functorch7.network import buffer_kinds, named_buffers, named_parameters

NET = f7.Sequential(f7.Linear(3, 4), f7.Tanh(), f7.BatchNormalization(4), f7.Linear(4, 2))
X = jnp.asarray(np.random.default_rng(0).normal(size=(5, 3)), jnp.float32)


def test_a_container_is_a_sequence_of_its_modules(key):
    assert list(NET) == list(NET.modules) and len(NET) == 4 and NET[-1] == f7.Linear(4, 2)
    params, buffers = NET.init(key)
    first, rest = NET[:1], NET[1:]
    assert type(rest) is f7.Sequential and rest.modules == NET.modules[1:]
    between, _ = first.apply(params[:1], buffers[:1], X)
    output, _ = rest.apply(params[1:], buffers[1:], between)
    np.testing.assert_array_equal(output, NET.apply(params, buffers, X)[0])
    assert f7.Concat(2, *NET)[1:] == f7.Concat(2, *NET.modules[1:])
    with pytest.raises(TypeError, match="Linear"):
        list(f7.Linear(3, 4))


def test_containers_without_modules_are_true():
    """They are modules, so that `given or default` is what was given."""
    assert all((f7.Sequential(), f7.ConcatTable(), f7.ParallelTable(), nn.Sequential()))
    transfer = f7.Recurrent(2, f7.Linear(3, 2), f7.Linear(2, 2), f7.Sequential()).modules
    assert f7.Sequential() in transfer and f7.Sigmoid() not in transfer


def test_a_container_takes_a_list_and_functions():
    assert f7.Sequential([f7.Linear(3, 4), f7.Tanh()]) == f7.Sequential(f7.Linear(3, 4), f7.Tanh())
    assert f7.Concat(2, [f7.Tanh(), f7.Abs()]) == f7.Concat(2, f7.Tanh(), f7.Abs())
    assert f7.Sequential(f7.Tanh(), jnp.square)[1] == f7.Lambda(jnp.square)
    assert str(f7.Sequential(jnp.square)[0]) == "nn.Lambda(square)"
    for wrong in (f7.Tanh(), f7.Tanh, 3):
        with pytest.raises(TypeError, match=r"nn.Lambda: expected a function, got "):
            f7.Lambda(wrong)


def test_descriptions_are_values():
    again = f7.Sequential(f7.Linear(3, 4), f7.Tanh(), f7.BatchNormalization(4), f7.Linear(4, 2))
    assert again == NET and hash(again) == hash(NET)
    assert NET != f7.Sequential(f7.Linear(3, 4), f7.Tanh(), f7.BatchNormalization(4), f7.Linear(4, 3))
    assert f7.Linear(3, 4) != f7.Linear(3, 4, bias=False)
    with pytest.raises(AttributeError):
        f7.Linear(3, 4).input_size = 5


def numpys(value):
    """A number as NumPy's of another width; None for what is none."""
    if isinstance(value, bool):
        return np.bool_(value)
    if isinstance(value, int):
        return np.int32(value)
    return np.float64(value) if isinstance(value, float) else None


def test_numbers_of_numpys_are_the_same_hyper_parameters():
    changed = 0
    for case in MODULES:
        fields = {each.name: getattr(case.module, each.name, None) for each in dataclasses.fields(case.module)}
        given = {name: numpys(value) for name, value in fields.items() if numpys(value) is not None}
        again = case.module.replace(**given)
        kept = [(name, type(getattr(again, name))) for name in given if isinstance(getattr(again, name), np.generic)]
        assert again == case.module and not kept, (case.id, kept)
        changed += bool(given)
    assert changed > 100
    assert f7.Dropout(np.float32(0.5)) == f7.Dropout(0.5)
    assert f7.Linear(np.int64(2), np.int8(3)) == f7.Linear(2, 3)


def test_jit_compiles_once_for_equal_modules(key):
    traces = []

    def run(module, params, buffers, input):
        traces.append(module)
        return module.apply(params, buffers, input)[0]

    compiled = jax.jit(run, static_argnums=0)
    params, buffers = f7.Linear(3, 4).init(key)
    for module in (f7.Linear(3, 4), f7.Linear(3, 4), f7.Linear(3, 4).replace(bias=True)):
        compiled(module, params, buffers, X)
    assert len(traces) == 1


def test_replace_makes_a_checked_copy():
    assert f7.Dropout(0.5).replace(p=0.2) == f7.Dropout(0.2)
    with pytest.raises(ValueError, match="expected 0 <= p < 1"):
        f7.Dropout(0.5).replace(p=2)
    with pytest.raises(TypeError, match="nn.Dropout: no such field: q"):
        f7.Dropout(0.5).replace(q=2)


def test_arrays_nest_as_the_modules_do(key):
    params, buffers = NET.init(key)
    assert jax.tree.map(jnp.shape, params, is_leaf=lambda v: hasattr(v, "shape")) == [
        {"weight": (4, 3), "bias": (4,)}, {}, {"weight": (4,), "bias": (4,)}, {"weight": (2, 4), "bias": (2,)},
    ]  # fmt: skip
    assert [sorted(b) for b in buffers] == [[], [], ["running_mean", "running_var"], []]


def test_equal_keys_give_equal_arrays_and_positions_count(key):
    one, two = (f7.Sequential(f7.Linear(3, 3), f7.Linear(3, 3)).init(key).params for _ in range(2))
    np.testing.assert_array_equal(one[0]["weight"], two[0]["weight"])
    assert not np.array_equal(one[0]["weight"], one[1]["weight"])


@pytest.mark.parametrize("module, fan_in", [(f7.Linear(50, 60), 50), (f7.SpatialConvolution(8, 40, 5, 5), 200)])
@pytest.mark.parametrize("stdv", [None, 0.01])
def test_initial_values_are_torchs(module, fan_in, stdv, key):
    """Uniform on +-1/sqrt(fan in), or on +-stdv * sqrt(3)."""
    bound = fan_in**-0.5 if stdv is None else stdv * 3**0.5
    weight = module.init(key, stdv).params["weight"]
    assert abs(weight).max() <= bound
    assert weight.std() == pytest.approx(bound / 3**0.5, rel=0.05)


def test_apply_changes_nothing_that_it_is_given(key):
    params, buffers = NET.init(key)
    before = jax.tree.map(np.array, (params, buffers))
    _, after = NET.apply(params, buffers, X, train=True)
    jax.tree.map(np.testing.assert_array_equal, before, (params, buffers))
    assert not np.array_equal(after[2]["running_mean"], buffers[2]["running_mean"])
    assert jax.tree.structure(after) == jax.tree.structure(buffers)


def test_keys_differ_by_position(key):
    net = f7.ConcatTable(f7.Dropout(0.5), f7.Dropout(0.5))
    one, other = net.apply(*net.init(key), jnp.ones(64), key=key, train=True)[0]
    assert not np.array_equal(one, other)


def test_errors_say_where(key):
    net = f7.Sequential(f7.Linear(3, 4), f7.Sequential(f7.Tanh(), f7.Linear(5, 2)))
    with pytest.raises(
        ValueError, match=r"nn.Linear\(5 -> 2\): expected input of size 5 .*got shape \(5, 4\)"
    ) as caught:
        net.apply(*net.init(key), X)
    assert caught.value.__notes__[:2] == ["In 2 module of nn.Sequential:"] * 2


def test_what_is_no_module_is_refused():
    with pytest.raises(TypeError, match="as module 2, got the class Tanh; call it"):
        f7.Sequential(f7.Linear(2, 2), f7.Tanh)
    with pytest.raises(TypeError, match="expected a module as module 1, got 3"):
        f7.Concat(1, 3)


# Names ---------------------------------------------------------------------------------------------------------------


def test_names_of_parameters_and_buffers(key):
    params, buffers = NET.init(key)
    assert [path for path, _ in named_parameters(NET, params)] == [
        (0, "weight"), (0, "bias"), (2, "weight"), (2, "bias"), (3, "weight"), (3, "bias"),
    ]  # fmt: skip
    assert [path for path, _ in named_buffers(NET, buffers)] == [(2, "running_mean"), (2, "running_var")]


def test_state_dicts_go_both_ways(key):
    variables = NET.init(key)
    state = f7.state_dict(NET, variables)
    assert list(state) == [
        "0.weight", "0.bias", "2.weight", "2.bias", "3.weight", "3.bias", "2.running_mean", "2.running_var",
    ]  # fmt: skip
    loaded = f7.load_state_dict(NET, tuple(NET.init(jax.random.key(9))), {n: np.asarray(v) for n, v in state.items()})
    jax.tree.map(np.testing.assert_array_equal, loaded, variables)


def test_a_state_that_does_not_fit_is_refused_with_all_reasons(key):
    variables = NET.init(key)
    state = f7.state_dict(NET, variables) | {"7.weight": np.zeros(2), "3.bias": np.zeros(5)}
    state["0.weight"] = np.ma.masked_array(state.pop("0.bias"))
    with pytest.raises(ValueError) as caught:
        f7.load_state_dict(NET, variables, state)
    for reason in ("missing 0.bias", "unexpected 7.weight", "expected shape (2,), got (5,)", "a numpy.MaskedArray"):
        assert reason in str(caught.value)


def test_kinds_of_buffers(key):
    net = f7.Sequential(f7.BatchNormalization(3), f7.L1Penalty(0.1), f7.FastLSTM(3, 2))
    kinds = buffer_kinds(net, net.init(key).buffers)
    assert kinds[0] == {"running_mean": "persistent", "running_var": "persistent"}
    assert kinds[1] == {"loss": "side output"}
    assert kinds[2]["output"] == kinds[2]["cell"] == "transient"


# Numbers -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [f7.Dropout, f7.SpatialDropout, f7.TotalDropout])
def test_no_dropout_may_be_written_as_a_whole_number(make, key):
    x = jnp.ones((2, 3, 2, 2))
    for train in (True, False):
        np.testing.assert_array_equal(make(0).apply({}, {}, x, key=key, train=train)[0], x)


# Side outputs --------------------------------------------------------------------------------------------------------


def test_penalties_add_up(key):
    net = f7.Sequential(f7.L1Penalty(0.1), f7.ConcatTable(f7.L1Penalty(0.5), f7.Identity()))
    _, buffers = net.apply(*net.init(key), X)
    np.testing.assert_allclose(f7.penalty(buffers), 0.6 * np.abs(X).sum(), rtol=1e-6)
    assert f7.penalty(net.init(key).buffers) == 0


def test_penalties_and_log_probabilities_of_a_tables_entries_add_up(key):
    table = [X, 2 * X]
    net = f7.MapTable(f7.L1Penalty(0.1))
    gradients = jax.grad(lambda table: f7.penalty(net.apply(*net.init(key), table)[1]))(table)
    np.testing.assert_allclose(gradients, [0.1 * np.sign(X)] * 2, rtol=1e-6)
    net = f7.MapTable(f7.ReinforceBernoulli())
    p = jnp.full((4, 3), 0.3)
    samples, buffers = net.apply(*net.init(key), [p, p], key=key, train=True)
    found = f7.reinforce_loss(buffers, jnp.arange(4.0))  # one reward for each example, whichever entry it is in
    of_examples = sum(np.log(np.where(sample > 0, 0.3, 0.7)).sum(1) for sample in samples)
    np.testing.assert_allclose(found, -(np.arange(4) * of_examples).sum(), rtol=1e-5)
    with pytest.raises(TypeError, match="draws for REINFORCE"):
        net.apply(*net.init(key), [p, p[:2]], key=key, train=True)


def test_side_outputs_of_a_kind_that_nobody_looks_for_are_refused():
    for look in (f7.core.Emitted, f7.emitted):
        with pytest.raises(ValueError, match="expected 'loss' or 'log_prob' or 'parameter' or 'report' as kind, got"):
            look(None, "penalty")


def test_a_penaltys_gradient_is_that_of_the_formula(key):
    net = f7.L1Penalty(0.1)
    gradient = jax.grad(lambda x: f7.penalty(net.apply({}, net.init(key).buffers, x)[1]))(X)
    np.testing.assert_allclose(gradient, 0.1 * np.sign(X), rtol=1e-6)


def test_log_probabilities_come_out_under_jit_and_vmap(key):
    net = f7.ReinforceBernoulli()
    p = jnp.full((4, 3), 0.3)

    @jax.jit
    @jax.vmap
    def run(key, p):
        sample, buffers = net.apply({}, net.init(key).buffers, p, key=key, train=True)
        return sample, f7.emitted(buffers, "log_prob")[0].value

    sample, log_prob = run(jax.random.split(key, 4), p)
    np.testing.assert_allclose(log_prob, np.log(np.where(sample > 0, 0.3, 0.7)), rtol=1e-5)


# Ties ----------------------------------------------------------------------------------------------------------------

TIED = f7.Shared(f7.Sequential(f7.Linear(3, 3), f7.Tanh(), f7.Linear(3, 3)), (((0, "weight"), (2, "weight")),))


def test_tied_parameters_are_one_array_with_the_sum_of_the_gradients(key):
    params, buffers = TIED.init(key)
    assert params[0][2]["weight"] is None
    untied = [params[0][0], {}, {**params[0][2], "weight": params[0][0]["weight"]}]
    run = lambda module: lambda p: (module.apply(p, buffers if module is TIED else buffers[0], X)[0] ** 2).sum()  # noqa: E731
    tied, plain = jax.grad(run(TIED))(params)[0], jax.grad(run(TIED.module))(untied)
    np.testing.assert_allclose(tied[0]["weight"], plain[0]["weight"] + plain[2]["weight"], rtol=1e-5)
    np.testing.assert_allclose(tied[2]["bias"], plain[2]["bias"], rtol=1e-5)


@pytest.mark.parametrize("order", [1, -1])
def test_a_chain_of_ties_is_one_array(order, key):
    ties = (((0, "weight"), (1, "weight")), ((1, "weight"), (2, "weight")))[::order]
    module = f7.Shared(f7.Sequential(*[f7.Linear(3, 3, bias=False)] * 3), ties)
    params, buffers = module.init(key)
    weight = params[0][0]["weight"]
    assert params == [[{"weight": weight}, {"weight": None}, {"weight": None}]]
    np.testing.assert_allclose(module.apply(params, buffers, X)[0], X @ weight.T @ weight.T @ weight.T, rtol=1e-5)


def test_ties_of_different_shapes_are_refused(key):
    with pytest.raises(ValueError, match="cannot tie"):
        f7.Shared(f7.Sequential(f7.Linear(3, 4), f7.Linear(4, 3)), (((0, "weight"), (1, "weight")),)).init(key)


@pytest.mark.parametrize(
    ("ties", "said"),
    [
        (((0, "weight"), (2, "weight")), 'expected ties (("0.weight", "2.weight"), ...), pairs of names or paths, got'),
        (("0.weight", "2.weight"), "pairs of names or paths, got '0.weight'"),
        ({"0.weight": "2.weight"}, "got a table with keys ['0.weight']"),
        ((("0.weight", "1.weight"),), "there is no parameter at (1, 'weight')"),
        ((((0, "weight"), (7, "weight")),), "there is no parameter at (7, 'weight')"),
        ((((0, "weight"), (0, "weight")),), "expected ties of each alias to one other owner"),
        ((((0, "weight"), (2, "weight")), ((0, "bias"), (2, "weight"))), "ties of each alias to one other owner"),
    ],
)
def test_ties_of_another_form_are_refused(ties, said, key):
    with pytest.raises(ValueError, match=re.escape("nn.Shared @ nn.Sequential: ")) as error:
        f7.Shared(TIED.module, ties).init(key)
    assert said in str(error.value)


@pytest.mark.parametrize("ties", [[[[0, "weight"], [2, "weight"]]], [["0.weight", "2.weight"]]])
def test_ties_may_be_given_as_lists_and_by_name(ties):
    assert f7.Shared(TIED.module, ties) == TIED


def test_tied_buffers_go_on_at_each_place_from_what_the_place_before_has_left(key):
    norm = f7.BatchNormalization(3, affine=False)
    ties = tuple(((0, name), (1, name)) for name in ("running_mean", "running_var"))
    siamese = f7.Shared(f7.ParallelTable(norm, f7.Shared(f7.Sequential(norm, norm), (), ties)), ())
    siamese = siamese.replace(tied_buffers=(((0, "running_mean"), (1, 0, 0, "running_mean")),))
    params, buffers = siamese.init(key)
    inputs = [X, 2 * X + 1]
    outputs, ((after, ((second, third),)),) = jax.jit(partial(siamese.apply, train=True))(params, buffers, inputs)
    assert jax.tree.structure(after) == jax.tree.structure(norm.init_buffers())
    both = norm.init_buffers()
    steps = []
    for each in (X, 2 * X + 1, norm.apply({}, both, 2 * X + 1, train=True)[0]):
        output, both = norm.apply({}, both, each, train=True)
        steps.append(output)
    np.testing.assert_allclose(outputs[1], steps[-1], rtol=1e-5)
    for place in (after, second, third):
        np.testing.assert_allclose(place["running_mean"], both["running_mean"], rtol=1e-5)
    assert not np.allclose(after["running_var"], second["running_var"])  # which only the inner two share
    with pytest.raises(ValueError, match=r"there is no buffer at \(0, 'weight'\)"):
        siamese.replace(tied_buffers=(((0, "weight"), (1, 0, 0, "running_mean")),)).init(key)


def test_a_state_dict_of_a_tied_network_has_the_array_once(key):
    state = f7.state_dict(TIED, TIED.init(key))
    assert sorted(state) == ["0.0.bias", "0.0.weight", "0.2.bias"]


# Arrays as hyper-parameters ------------------------------------------------------------------------------------------


def test_arrays_as_fields_are_compared_by_content():
    weights = np.array([1.0, 2.0])
    criterion = f7.ClassNLLCriterion(weights)
    weights[0] = 5
    assert criterion == f7.ClassNLLCriterion(np.array([1.0, 2.0]))
    assert hash(criterion) == hash(f7.ClassNLLCriterion([1.0, 2.0]))
    assert criterion != f7.ClassNLLCriterion(weights)


def test_printed_trees():
    net = f7.Sequential(f7.Linear(3, 4), f7.ConcatTable(f7.Tanh(), f7.Identity()), f7.JoinTable(2))
    assert str(net) == (
        "nn.Sequential {\n"
        "  [input -> (1) -> (2) -> (3) -> output]\n"
        "  (1): nn.Linear(3 -> 4)\n"
        "  (2): nn.ConcatTable {\n"
        "    input\n"
        "      |`-> (1): nn.Tanh\n"
        "       `-> (2): nn.Identity\n"
        "       ... -> output\n"
        "  }\n"
        "  (3): nn.JoinTable\n"
        "}"
    )


@pytest.mark.parametrize(
    "given, shown",
    [
        (3, "3"),
        (np.int32(3), "int32 of shape ()"),
        ([0, 3], "a table of 2: 0, 3"),
        (np.ones((2, 3)), "float64 of shape (2, 3)"),
        (coo_array(np.eye(2)), "a scipy.coo_array; its toarray() is a tensor"),
    ],
    ids=str,
)
def test_a_seed_is_no_key(given, shown):
    message = rf"expected a random key, such as jax.random.key\(\d\), got {re.escape(shown)}"
    with pytest.raises(TypeError, match=f"nn.Linear: {message}"):
        f7.Linear(2, 3).init(given)
    with pytest.raises(TypeError, match=f"nn.Dropout: {message}"):
        f7.Dropout().apply({}, {}, np.ones(2), key=given, train=True)


def test_a_mode_that_is_traced_is_refused(key):
    params, buffers = f7.Linear(2, 3).init(key)
    with pytest.raises(TypeError, match="nn.Linear: expected train to be True or False.*static_argnames"):
        jax.eval_shape(lambda train: f7.Linear(2, 3).apply(params, buffers, np.ones(2), train=train), True)


@pytest.mark.parametrize("module", [f7.Tanh(), f7.Linear(1, 1), f7.Sequential(f7.Tanh())], ids=str)
def test_init_takes_no_input(module, key):
    with pytest.raises(TypeError, match=r"got shape \(1, 1\); init takes a key and no input"):
        module.init(key, np.ones((1, 1)))
