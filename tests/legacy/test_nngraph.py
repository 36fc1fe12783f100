"""Graphs of modules: nngraph's README and tests, with outputs and gradients from the same formulas in JAX."""

import copy
import pickle

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import functorch7 as f7
from functorch7.legacy import nn, nngraph, torch


def values(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def check(module, input, formula):
    """Output, input's and parameters' gradients are those of formula(parameters, input)."""
    params = [np.array(p) for p in module.parameters()[0]]
    expected, pull = jax.vjp(formula, params, input)
    output = module.forward(input)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6), output, expected)
    cotangent = jax.tree.map(lambda leaf: values(*leaf.shape, seed=9), expected)
    of_params, of_input = pull(cotangent)
    module.zeroGradParameters()
    gradient = module.backward(input, cotangent)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6), gradient, of_input)
    for mine, theirs in zip(module.parameters()[1], of_params, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-5, atol=1e-6)


def two_by_two():
    x1, x2 = nn.Linear(20, 20)(), nn.Linear(10, 10)()
    m0, m1 = nn.Linear(20, 1)(nn.Tanh()(x1)), nn.Linear(10, 1)(nn.Tanh()(x2))
    madd = nn.CAddTable()([m0, m1])
    return nn.gModule([x1, x2], [nn.Sigmoid()(madd), nn.Tanh()(madd)])


def affine(p, x):
    return x @ p[0].T + p[1][None]


def formula_of_two_by_two(p, input):
    first = affine(p[2:], jnp.tanh(affine(p, input[0])))
    second = affine(p[6:], jnp.tanh(affine(p[4:], input[1])))
    return [jax.nn.sigmoid(first + second), jnp.tanh(first + second)]


def test_a_chain_and_a_net_of_two_inputs_and_outputs():
    x1 = nn.Linear(20, 10)()
    chain = nn.gModule([x1], [nn.Linear(10, 1)(nn.Tanh()(nn.Linear(10, 10)(nn.Tanh()(x1))))])
    check(chain, values(20), lambda p, x: p[4] @ jnp.tanh(p[2] @ jnp.tanh(p[0] @ x + p[1]) + p[3]) + p[5])
    assert str(chain) == "nn.gModule"
    network = two_by_two()
    check(network, [values(3, 20), values(3, 10, seed=1)], formula_of_two_by_two)
    assert [m.typename() for m in network.modules[:4]] == ["nn.Linear", "nn.Tanh", "nn.Linear", "nn.Linear"]


def test_a_functional_graph_is_the_same(key):
    x1, x2 = f7.Node(f7.Linear(20, 20)), f7.Node(f7.Linear(10, 10))
    madd = f7.Node(f7.CAddTable(), x1 - f7.Tanh() - f7.Linear(20, 1), x2 - f7.Tanh() - f7.Linear(10, 1))
    graph = f7.Graph([x1, x2], [madd - f7.Sigmoid(), madd - f7.Tanh()])
    params, buffers = graph.init(key)
    flat = [array for _, array in f7.network.named_parameters(graph, params)]
    input = [values(3, 20), values(3, 10, seed=1)]
    outputs = jax.jit(lambda params, input: graph.apply(params, buffers, input)[0])(params, input)
    for mine, theirs in zip(outputs, formula_of_two_by_two(flat, input), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-5)
    assert pickle.loads(pickle.dumps(graph)) == graph and hash(graph) == hash(two_by_two().description())


def test_splits_hand_out_the_entries_of_a_table():
    x, state = nn.Identity()(), nn.Identity()()
    h, cell = state.split(2)
    out = nn.CAddTable()([nn.CMulTable()([x, h]), nn.CMulTable()([h, cell])])
    check(nn.gModule([x, state], [out]), [values(3), [values(3, seed=1), values(3, seed=2)]],
          lambda p, i: i[0] * i[1][0] + i[1][0] * i[1][1])  # fmt: skip
    state = nn.Identity()()
    h, cell = state.split(2)
    after = nn.gModule([state], [h, nn.Identity()(state), nn.Sigmoid()(cell)])
    check(after, [values(4), values(4, seed=1)], lambda p, i: [i[0], list(i), jax.nn.sigmoid(i[1])])
    with pytest.raises(ValueError, match=r"split\(2\) cannot split 3 outputs"):
        after.forward([values(4)] * 3)
    only = nn.Identity()()
    (element,) = only.split(1)
    assert nn.gModule([only], [nn.Tanh()(element)]).forward([values(2)]).shape == (2,)


def test_outputs_that_are_inputs_and_nested_tables():
    x = nn.Identity()()
    both = nn.gModule([x], [nn.Identity()(x), nn.Identity()(x)])
    check(both, values(3), lambda p, i: [i, i])
    check(both, [values(2), [values(3), values(4)]], lambda p, i: [list(i), list(i)])
    a, b, c = (nn.Identity()() for _ in range(3))
    nested = nn.gModule([a, b, c], [nngraph.nest([a, [b], c])])
    out = nested.forward([values(1), values(2), values(3)])
    assert [np.shape(out[0]), np.shape(out[1][0]), np.shape(out[2])] == [(1,), (2,), (3,)]
    assert nngraph.nest(a) is a
    for wrong, message in [(3, "what is this in the nest input"), (None, "Pass an input")]:
        with pytest.raises(TypeError, match=message):
            nngraph.nest(wrong)


def test_minus_signs_make_nodes():
    x = -nn.Linear(3, 4)
    network = nn.gModule([x], [[x - nn.Tanh(), x - nn.Sigmoid()] - nn.CMulTable()])

    def formula(p, input):
        hidden = affine(p, input)
        return jnp.tanh(hidden) * jax.nn.sigmoid(hidden)

    check(network, values(2, 3), formula)


def test_a_module_in_two_nodes_shares_its_parameters():
    linear, x = nn.Linear(3, 3), nn.Identity()()
    network = nn.gModule([x], [linear(linear(x))])
    weight, bias = (np.array(p) for p in linear.parameters()[0])
    np.testing.assert_allclose(network.forward(values(3)), weight @ (weight @ values(3) + bias) + bias, rtol=1e-5)


def test_graphs_train_inside_other_networks_and_are_cloned():
    network = nn.Sequential().add(nn.Linear(4, 3)).add(two_by_two_on_halves()).add(nn.LogSoftMax())
    criterion, input, target = nn.ClassNLLCriterion(), values(8, 4), np.arange(8) % 2 + 1
    before = criterion.forward(network.forward(input), target)
    for _ in range(20):
        network.zeroGradParameters()
        network.backward(input, criterion.backward(network.forward(input), target))
        network.updateParameters(0.5)
    assert criterion.forward(network.forward(input), target) < before
    for other in (network.clone(), copy.deepcopy(network), pickle.loads(pickle.dumps(network))):
        np.testing.assert_array_equal(other.forward(input), network.forward(input))
    cast = network.clone().double()
    assert cast.forward(input.astype(np.float64)).dtype == np.float64


def two_by_two_on_halves():
    x = nn.Identity()()
    return nn.gModule([x], [nn.Linear(3, 2)(nn.CAddTable()([nn.Tanh()(x), nn.Linear(3, 3)(x)]))])


def test_a_recurrence_of_a_graph_runs_over_sequences():
    x, h = nn.Identity()(), nn.Identity()()
    step = nn.gModule([x, h], [nn.Tanh()(nn.CAddTable()([nn.Linear(3, 2)(x), nn.Linear(2, 2)(h)]))])
    network = nn.Sequencer(nn.Recurrence(step, 2, 1))
    w, b, u, c = (np.array(p) for p in step.parameters()[0])
    state, input = np.zeros((4, 2)), values(5, 4, 3)
    for t, output in enumerate(np.asarray(network.forward(input))):
        state = np.tanh(input[t] @ w.T + b + state @ u.T + c)
        np.testing.assert_allclose(output, state, rtol=1e-4, atol=1e-5)


def test_criterions_are_nodes():
    x, y = nn.Identity()(), nn.Identity()()
    network = nn.gModule([x, y], [nn.MSECriterion()([nn.Linear(3, 2)(x), y])])
    target = values(4, 2, seed=1)
    output = network.forward([values(4, 3), target])
    weight, bias = (np.array(p) for p in network.parameters()[0])
    np.testing.assert_allclose(output, [((values(4, 3) @ weight.T + bias - target) ** 2).mean()], rtol=1e-5)
    gradients = network.backward([values(4, 3), target], np.ones(1, np.float32))
    assert np.any(np.asarray(gradients[0])) and not np.any(np.asarray(gradients[1]))


def dangling():
    x = nn.Identity()()
    nn.Tanh()(x)
    return nn.gModule([x], [nn.Sigmoid()(x)])


def unused_part():
    x = nn.Identity()()
    return nn.gModule([x], [x.split(2)[0]])


def unused_input():
    x = nn.Identity()()
    return nn.gModule([x, nn.Identity()()], [x])


def same_twice():
    x = nn.Identity()()
    return nn.CAddTable()([x, x])


def input_with_inputs():
    x = nn.Identity()()
    y = nn.Tanh()(x)
    return nn.gModule([x, y], [y])


@pytest.mark.parametrize(
    "make, message",
    [
        (dangling, r"node declared on \[test_nngraph.py\]:\d+ does not connect to gmodule output"),
        (unused_part, r"1 of split\(2\) outputs from the node declared at \[test_nngraph.py\]:\d+ are unused"),
        (unused_input, "1 of 2 inputs do not lead to an output"),
        (same_twice, "Don't pass the same input twice"),
        (input_with_inputs, "an input should have no inputs"),
        (lambda: nn.gModule([], [nn.Identity()()]), "no inputs are not supported"),
        (lambda: nn.Tanh()([]), "cannot pass an empty table of inputs"),
        (lambda: nn.Tanh()(None), r"typo / bad index"),
        (lambda: nn.Tanh()(nn.Linear(2, 2)), "Did you forget a second set of parens"),
        (lambda: nn.Tanh()(nn.Identity()(), nn.Identity()()), "to pass multiple inputs"),
        (lambda: two_by_two().forward(values(20)), "a table of 2 inputs"),
        (lambda: two_by_two().forward([values(20)]), "a table of 2 inputs"),
        (lambda: two_by_two().add(nn.Tanh()), "cannot be changed after it is made"),
        (lambda: two_by_two().map(two_by_two_on_halves(), print), "different structure"),
    ],
)
def test_wrong_graphs_are_refused(make, message):
    with pytest.raises((ValueError, TypeError), match=message):
        make()


def test_other_functions_run_in_the_graphs_order():
    network, other = two_by_two(), two_by_two()
    pairs = []
    network.map(other, lambda mine, theirs: pairs.append((mine.typename(), theirs.typename())))
    assert len(pairs) == 9 and all(mine == theirs for mine, theirs in pairs)
    input = [values(3, 20), values(3, 10)]
    for how in ("updateOutput", lambda module, value: module.forward(value)):
        for mine, theirs in zip(network.runForwardFunction(how, input), network.forward(input), strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-6)


def test_pictures_show_names_and_failures(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PATH", "")  # without graphviz
    monkeypatch.chdir(tmp_path)
    x = nn.Identity()()
    hidden = nn.Linear(3, 4)(x)
    out = nn.Linear(4, 2)(hidden).annotate({"description": "the end"})
    nngraph.annotateNodes()
    network = nn.gModule([x], [out])
    network.name = "net"
    assert str(network) == "net"
    picture = nngraph.graph.dot(network.fg, "a title", str(tmp_path / "forward"))
    text = picture.read_text()
    assert all(word in text for word in ("a title", "hidden", "nn.Linear(3 -&gt; 4)", "the end", "test_nngraph.py"))
    dot = (tmp_path / "forward.dot").read_text()
    assert "n1 -> n2;" in dot and "n2 -> n1;" in nngraph.simple_print.todot(network.bg)
    nngraph.setDebug(True)
    try:
        with pytest.raises(ValueError, match="expected input of size 3"):
            network.forward(values(5))
    finally:
        nngraph.setDebug(False)
    assert 'fill="red"' in (tmp_path / "net.svg").read_text() and "saving net.svg" in capsys.readouterr().err


class FirstRowOfDebugged(nn.Module):
    """Gives other sizes than it gets, and looks at what it gets: it cannot be traced, and is guessed at first."""

    def updateOutput(self, input):
        self.output = input[1] if input[1][1] > 0 else input[0]
        return self.output

    def updateGradInput(self, input, gradOutput):
        self.gradInput = input.clone().zero()
        return self.gradInput


def test_what_fails_while_a_network_is_found_out_about_is_no_failure(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    x = nn.Identity()()
    network = nn.gModule([x], [nn.Linear(3, 4)(nn.View(3)(FirstRowOfDebugged()(x)))])
    nngraph.setDebug(True)
    try:
        assert network.forward(torch.ones(2, 3)).size() == [4] and not [*tmp_path.iterdir()]
    finally:
        nngraph.setDebug(False)


def test_programs_walk_through_the_nodes_of_a_graph():
    x, state = nn.Identity()(), nn.Identity()()
    h, cell = state.split(2)
    total = nn.CAddTable()([x, h]).annotate({"name": "total"})
    network = nn.gModule([x, state], [nn.CMulTable()([total, cell]), total])
    assert total.data.module is network.forwardnodes[-4].data.module and total.data.annotations["name"] == "total"
    forwards, backwards = network.forwardnodes, network.backwardnodes  # in Torch's orders
    assert [node.data.selectindex or 0 for node in forwards] == [0, 0, 1, 0, 2, 0, 0, 1, 0, 2, 0, 0]
    assert [node.data.selectindex or 0 for node in backwards] == [0, 0, 0, 0, 1, 2, 1, 0, 0, 2, 0, 0]
    names = {1: "nn.CMulTable", 2: "nn.CAddTable", 3: "nn.Identity", 8: "nn.Identity"}
    assert {i: node.data.module.typename() for i, node in enumerate(backwards) if node.data.module} == names
    assert network.forwardnodes[0] is network.innode and network.backwardnodes[0] is network.outnode
    assert [child.data.module.typename() for child in network.outnode.children] == ["nn.CMulTable", "nn.CAddTable"]
    assert network.innode.data.input == [] == network.outnode.data.gradOutput
    inputs = [torch.Tensor(values(3, seed=i)) for i in range(3)]
    a, b, c = map(np.array, inputs)
    first, second = torch.Tensor(values(3, seed=3)), torch.Tensor(values(3, seed=4))
    network.forward([inputs[0], inputs[1:]])
    network.backward([inputs[0], inputs[1:]], [first, second])
    (node,) = [node for node in network.forwardnodes if node.data.annotations.get("name") == "total"]
    assert network.innode.data.input[0] is inputs[0] and network.innode.data.input[1][1] is inputs[2]
    np.testing.assert_array_equal(node.data.input[0], a)
    np.testing.assert_array_equal(node.data.input[1], b)
    np.testing.assert_allclose(
        sum(map(np.array, node.data.gradOutput)), np.array(first) * c + np.array(second), rtol=1e-6
    )
    np.testing.assert_allclose(network.outnode.data.input[0], (a + b) * c, rtol=1e-6)
    assert [parent.data for parent in node.children] == [network.outnode.data, network.forwardnodes[-2].data]
    network.double()
    assert {node.data.input[0].type(), network.output[0].type()} == {"torch.DoubleTensor"}
    node.data.module = nn.CSubTable()
    assert network.get(3).typename() == "nn.CSubTable"


def test_entries_of_tables_keep_what_is_noted_of_them(tmp_path):
    x = nn.Identity()()
    pair, last = nn.SplitTable(1)(x).annotate({"name": "rows"}).split(2)
    left, right = nn.ConcatTable().add(nn.Tanh()).add(nn.Identity())(pair.annotate({"name": "pair"})).split(2)
    nngraph.annotateNodes()
    network = nn.gModule([x], [nn.CAddTable()([left, nn.CMulTable()([right, last])])])
    last.annotate({"description": "noted later"})
    torch.save(tmp_path / "graph.t7", network)
    expected = ["left", "right", "pair", "last"]
    for graph in (network, network.clone(), torch.load(tmp_path / "graph.t7")):
        noted = {node.data.annotations.get("name"): node.data for node in graph.forwardnodes}
        assert [noted[name].selectindex for name in expected] == [1, 2, 1, 2] and noted["rows"].module is graph.get(2)
        assert noted["last"].annotations["description"] == "noted later" and noted["last"].module is None


def test_a_graph_inside_a_network_has_the_gradients_that_came_to_it():
    x = nn.Identity()()
    graph = nn.gModule([x], [nn.Tanh()(x)])
    network = nn.Sequential().add(nn.Linear(2, 3)).add(graph).add(nn.MulConstant(3))
    gradient = torch.Tensor(values(4, 3))
    network.forward(values(4, 2))
    network.backward(values(4, 2), gradient)
    assert graph.outnode.data.gradOutput[0].totable() == gradient.clone().mul(3).totable()
    np.testing.assert_array_equal(graph.innode.data.input[0], network.get(1).output)


def test_pictures_have_names_colours_and_tooltips_as_torch_writes_them():
    entry = nn.Identity()().annotate({"name": "Input", "description": "DescA", "graphAttributes": {"color": "red"}})
    entry.data.annotations["_debugLabel"] = "here"
    assert [part.data.annotations["_debugLabel"] for part in entry.split(2)] == ["here-1", "here-2"]
    assert entry.annotate(["x", "y"]).data.annotations[2] == "y"  # a table without names
    given = nn.Identity()().annotate({"name": "Input", "description": "DescA", "graphAttributes": {"color": "red"}})
    hidden = nn.Linear(2, 2)(given).annotate(
        {"name": "Hidden A", "graphAttributes": {"fontcolor": "green", "tooltip": "I am green"}}
    )
    text = nngraph.simple_print.todot(nn.gModule([given], [hidden]).fg)
    assert 'n2[color=red, label="Input (2)\\nDescA\\nnn.Identity", tooltip="[test_nngraph.py]:' in text
    assert 'n3[fontcolor=green, label="Hidden A (3)\\nnn.Linear(2 -> 2)", tooltip="I am green"];' in text


def test_backward_takes_no_more_of_a_table_than_there_are_inputs():
    first, second = nn.Identity()(), nn.Identity()()
    network = nn.gModule([first, second], [nn.CMulTable()([first, second])])
    x, y, gradient = (values(2, 3, seed=i) for i in range(3))
    given = [torch.Tensor(x), torch.Tensor(y)]
    network.forward(given)
    for each, expected in zip(network.backward([*given, given[0]], torch.Tensor(gradient)), (y, x), strict=True):
        np.testing.assert_allclose(each, expected * gradient, rtol=1e-6)
    with pytest.raises(ValueError, match="expected a table of 2 inputs"):
        network.forward([*given, given[0]])


def test_a_gModules_graphs_may_be_walked_through():
    x = nn.Identity()()
    network = nn.gModule([x], [nn.CAddTable()([nn.Tanh()(x), x])])
    forward, backward = network.fg, network.bg
    assert torch.type(forward) == str(forward) == "graph.Graph" and list(forward.nodes) == network.forwardnodes
    assert torch.type(network.innode) == str(network.innode) == "nngraph.Node"
    assert forward.roots() == [network.innode] and backward.roots() == [network.outnode]
    ways = [
        sorted((edge.start.id, edge.to.id)[::way] for edge in each.edges)
        for each, way in ((forward, 1), (backward, -1))
    ]
    assert ways[0] == ways[1] and len(ways[0]) == 5
    names = [node.data.module.typename() for node in forward.topsort()[0] if node.data.module is not None]
    assert names == ["nn.Identity", "nn.Tanh", "nn.CAddTable"]


@pytest.mark.parametrize("around", [lambda graph: graph, lambda graph: nn.Sequential().add(graph)])
def test_backward_reads_no_input_but_forwards(around):
    """As nngraph's, whose nodes keep what forward brought them: a program may give it any other."""
    network = around(two_by_two())
    given, other = ([values(2, 20, seed=s), values(2, 10, seed=s + 1)] for s in (1, 3))
    found = []
    for input in (given, other, None):
        output = network.forward(given)
        network.zeroGradParameters()
        gradient = network.backward(input, [each.clone().fill(1) for each in output])
        found.append([np.asarray(each) for each in (*gradient, *network.parameters()[1])])
    for others in found[1:]:
        for mine, theirs in zip(found[0], others, strict=True):
            np.testing.assert_array_equal(mine, theirs)
