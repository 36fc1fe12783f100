"""Graphs in Torch7's files: what is written runs by nngraph's own algorithm, and comes back the same."""

import numpy as np
import pytest

import functorch7 as f7
from functorch7.interop import t7
from functorch7.interop.torch7 import Reader
from functorch7.legacy import nn
from tests.interop.test_t7 import FOLDER


def values(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


RUN = {
    "nn.Identity": lambda module, x: x,
    "nn.Tanh": lambda module, x: np.tanh(x),
    "nn.CAddTable": lambda module, x: sum(x),
    "nn.CMulTable": lambda module, x: np.prod(np.stack(x), 0),
    "nn.Linear": lambda module, x: x @ module.fields["weight"].T + module.fields["bias"],
}


def entries(table):
    return table if isinstance(table, list) else [table[i] for i in range(1, len(table) // 2 + 1)]


def run_as_torch_does(graph, input):
    """nngraph's gmodule.lua, runForwardFunction: nodes hand their output to their children's tables of inputs."""
    fields = graph.fields
    inputs = {id(node.fields["data"]): {} for node in fields["forwardnodes"]}
    inputs[id(fields["innode"].fields["data"])] = dict(enumerate(input if fields["nInputs"] > 1 else [input], 1))
    for node in fields["forwardnodes"]:
        data = node.fields["data"]
        given = [inputs[id(data)][i] for i in sorted(inputs[id(data)])]
        value = given[0] if len(given) == 1 else given
        if "selectindex" in data:
            value = value[data["selectindex"] - 1]
        elif "module" in data:
            value = RUN[data["module"].class_name](data["module"], value)
        assert "nSplitOutputs" not in data or len(value) == data["nSplitOutputs"]
        for child in entries(node.fields["children"]):
            where = entries(child.fields["data"]["mapindex"])
            place = next(i for i, each in enumerate(where, 1) if each is data)
            inputs[id(child.fields["data"])][place] = value
    output = inputs[id(fields["outnode"].fields["data"])]
    return [output[i] for i in sorted(output)]


def network():
    x, state = nn.Identity()(), nn.Identity()()
    h, cell = state.split(2)
    hidden = nn.Tanh()(nn.CAddTable()([nn.Linear(3, 4)(x), nn.Linear(4, 4)(h)]))
    return nn.gModule([x, state], [hidden, nn.CMulTable()([hidden, cell])])


@pytest.mark.parametrize("format", ["binary", "ascii"])
def test_a_written_graph_runs_as_torch_runs_it(tmp_path, format):
    module, input = network(), [values(2, 3), [values(2, 4, seed=1), values(2, 4, seed=2)]]
    f7.save_t7(tmp_path / "graph.t7", module, format)
    record = t7.read(tmp_path / "graph.t7")
    for mine, theirs in zip(run_as_torch_does(record, input), module.forward(input), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-5, atol=1e-6)
    fields = record.fields
    assert [m.class_name for m in fields["modules"]] == [m.typename() for m in module.modules]
    assert len(entries(fields["outnode"].fields["children"])) == 2
    back = f7.load_t7(tmp_path / "graph.t7")
    assert back.description() == module.description()
    spec, params, buffers = f7.load_model(tmp_path / "graph.t7")
    for mine, theirs in zip(spec.apply(params, buffers, input)[0], module.forward(input), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-5, atol=1e-6)


def test_a_graph_of_one_input_with_a_shared_module_and_a_name(tmp_path):
    linear, x = nn.Linear(3, 3), nn.Identity()()
    module = nn.gModule([x], [linear(nn.Tanh()(linear(x)))])
    module.name = "twice"
    f7.save_t7(tmp_path / "graph.t7", module)
    (output,) = run_as_torch_does(t7.read(tmp_path / "graph.t7"), values(3))
    np.testing.assert_allclose(output, module.forward(values(3)), rtol=1e-5)
    back = f7.load_t7(tmp_path / "graph.t7")
    assert str(back) == "twice" and back.get(2) is back.get(4)


def no_inputs(fields):
    del fields["forwardnodes"][2].fields["data"]["mapindex"]


def beyond_the_table(fields):
    fields["forwardnodes"][4].fields["data"]["selectindex"] = 99


def in_a_circle(fields):
    split, entry = (fields["forwardnodes"][i].fields["data"] for i in (3, 4))
    split["mapindex"] = {1: entry}


@pytest.mark.parametrize(
    "damage, message",
    [(no_inputs, "has no inputs"), (beyond_the_table, "entry 99 of 2"), (in_a_circle, "nested too deeply")],
)
def test_damaged_graphs_are_refused(damage, message):
    record = t7.read(FOLDER / "gmodule_split.t7")
    damage(record.fields)
    with pytest.raises(f7.T7FormatError, match=message):
        Reader().read(record)


def test_masks_keep_their_kind(tmp_path):
    for module in (nn.Sequencer(nn.MaskZero(nn.Linear(3, 2), True, True, False)), nn.SeqLSTM(3, 2).maskZero(False)):
        module.setZeroMask(np.zeros((4, 2), np.uint8))
        f7.save_t7(tmp_path / "masked.t7", module)
        back = f7.load_t7(tmp_path / "masked.t7")
        assert back.description() == module.description()
    with pytest.raises(ValueError, match="setZeroMask"):
        back.forward(values(4, 2, 3))
