"""How recurrent layers of whole sequences are written with ONNX's operators."""

import numpy as np

from ...recurrent.cudnn import KINDS
from ...recurrent.gates import in_order
from .program import Call, Program, Value

ORDERS = {"LSTM": "iofg", "GRU": "urn", "RNN": "h"}
"""ONNX's orders of the gates."""


def lstm(program: Program, call: Call, value: Value) -> Value:
    """SeqLSTM."""
    module = call.module
    weight, bias = (np.asarray(call.arrays[name]).T for name in ("weight", "bias"))
    rows, bias = (in_order(each, "ifog", ORDERS["LSTM"]) for each in (weight, bias))
    bias = np.concatenate([bias, np.zeros_like(bias)])
    parts = {"weight_ih": rows[:, : module.input_size], "weight_hh": rows[:, module.input_size :], "bias": bias}
    arrays = [program.constant(array[None], name) for name, array in parts.items()]
    outputs = program.add("LSTM", value, *arrays, hidden_size=module.output_size)
    return program.add("Squeeze", outputs, program.integers(1))


def in_a_row(program: Program, call: Call, value: Value) -> Value:
    """Those of cudnn: an operator for each layer, whose outputs are time x directions x batch x features."""
    module = call.module
    operator, _, function = module.kind.partition("_")
    attributes = {
        "hidden_size": module.hidden_size,
        "direction": "bidirectional" if module.bidirectional else "forward",
    }
    if operator == "GRU":
        attributes["linear_before_reset"] = 1
    if function == "RELU":
        attributes["activations"] = ["Relu"] * module.directions
    orders = KINDS[module.kind].gates, ORDERS[operator]
    parts = module.parts(np.asarray(call.arrays["weight"]))
    value = program.add("Transpose", value, perm=[1, 0, 2]) if module.batch_first else value
    width = program.integers(0, 0, module.directions * module.hidden_size)
    for layer in range(module.num_layers):
        own = parts[layer * module.directions :][: module.directions]
        of_x, of_h, *biases = ([in_order(each, *orders) for each in same] for same in zip(*own, strict=True))
        arrays = {
            "weight_ih": of_x,
            "weight_hh": of_h,
            "bias": [np.concatenate(both) for both in zip(*biases, strict=True)],
        }
        names = [program.constant(np.stack(array), f"{name}_l{layer}") for name, array in arrays.items()]
        outputs = program.add(operator, value, *names, **attributes)
        value = program.add("Reshape", program.add("Transpose", outputs, perm=[0, 2, 1, 3]), width)
    return program.add("Transpose", value, perm=[1, 0, 2]) if module.batch_first else value
