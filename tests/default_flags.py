"""What tests/test_agreement.py runs in a process with JAX's default flags.

First come drawn networks: each line printed is a JSON object. Then come some of tests/golden/networks.jsonl.gz, which
have among them all modules that occur in one, at the sizes of real networks: every number of features or channels as it
is recorded times the same number. Their outputs and gradients are written to a file, for the process of the tests to
compare with its own.
"""

import json
import os
import pickle
import sys

import compiling
import jax
import numpy as np
from test_golden import built, cases

from benchmarks.agreement.__main__ import checked
from benchmarks.agreement.comparing import arrays
from benchmarks.agreement.drawing import draw
from functorch7.legacy import torch

SEED, NETWORKS = 2, 2
"""jaxlib 0.10.2 gets the first of these wrong where gradients are taken with respect to whole flat storages."""

WIDER = {"vector": 64, "sequence": 64, "image": 16}
BATCH = {"vector": 64, "sequence": 64, "image": 8}
SIDE = 3
"""How many times the sides of images become longer."""

SCALED = {  # which arguments are features or channels
    "Linear": (0, 1), "Cosine": (0, 1), "BatchNormalization": (0,), "Reshape": (0,), "View": (1,), "Recurrence": (1,),
    "SeqLSTM": (0, 1), "SeqGRU": (0, 1), "SeqLSTMP": (0, 1, 2), "FastLSTM": (0, 1), "LSTM": (0, 1), "GRU": (0, 1),
    "SpatialConvolution": (0, 1), "SpatialFullConvolution": (0, 1), "SpatialDilatedConvolution": (0, 1),
}  # fmt: skip


def scaled(spec, times):
    """A recorded network with more features. The gates of a mixture stay as many as its experts."""
    if isinstance(spec, list):
        return [scaled(each, times) for each in spec]
    if not isinstance(spec, dict) or "class" not in spec:
        return spec
    args = [scaled(argument, times) for argument in spec["args"]]
    for i in SCALED.get(spec["class"], ()):
        args[i] *= times
    if spec["class"] == "Narrow":
        args = [args[0], (args[1] - 1) * times + 1, args[2] * times]
    children = [[scaled(child, times), more] for child, more in spec.get("children", [])]
    if [child["class"] for child, _ in children] == ["Linear", "SoftMax"]:
        children[0][0]["args"][1] //= times
    return spec | {"args": args} | ({"children": children} if children else {})


def shape_of(family, shape):
    """Of the scaled network's input, with batches as those of training."""
    batch, wider = BATCH[family], WIDER[family]
    match family:
        case "vector":
            return batch, shape[-1] * wider
        case "image":
            return batch, shape[1] * wider, shape[2] * SIDE, shape[3] * SIDE
    return shape[0], batch, shape[-1] * wider


def run(spec, shape, dtype):
    """Outputs and gradients, after getParameters as in every program of Torch7."""
    torch.manualSeed(0)
    network, numbers = built(spec), np.random.default_rng(0)
    for parameter in network.parameters()[0]:
        values = numbers.normal(size=parameter.shape) / np.sqrt(parameter.nElement() / parameter.shape[0])
        parameter.copy(values.astype(np.float32))
    network.float().getParameters()
    input = numbers.normal(size=shape).astype(dtype)
    network.zeroGradParameters()
    output = np.asarray(network.forward(input))
    of_input = network.backward(input, numbers.normal(size=output.shape).astype(dtype))
    return {"output": output, "gradInput": of_input, "gradient": network.parameters()[1]}


def classes(spec):
    """Those of a network's modules."""
    if isinstance(spec, (list, tuple)):
        return set().union(*map(classes, spec))
    if not isinstance(spec, dict) or "class" not in spec:
        return set()
    return {spec["class"]} | classes(spec["args"]) | classes(spec.get("children", []))


def networks():
    """Recorded networks in which each class occurs, those first that have most of what others have not."""
    found = {case["id"]: case for case in cases() if case["id"].startswith("networks/")}
    left, chosen = classes([case["spec"] for case in found.values()]), []
    while left:
        chosen.append(max(found.values(), key=lambda case: len(classes(case["spec"]) & left)))
        left -= classes(chosen[-1]["spec"])
    return chosen


def recorded():
    """(name, outputs and gradients) of each of them."""
    for case in networks():
        family = case["id"].split("/")[1]
        spec, shape = scaled(case["spec"], WIDER[family]), shape_of(family, case["steps"][0]["input"]["t"])
        yield case["id"], arrays(run(spec, shape, "float32"))


if __name__ == "__main__":
    assert "XLA_FLAGS" not in os.environ and not jax.config.jax_disable_jit
    compiling.compile_quickly()
    for number in range(NETWORKS):
        case = draw(SEED, number)
        found = checked(case)
        print(json.dumps({"name": str(case), "found": str(found), "excess": found.excess}), flush=True)
    with open(sys.argv[1], "wb") as file:
        pickle.dump(dict(recorded()), file)
