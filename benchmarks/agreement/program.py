"""A case as a program: what the check runs, and what it prints for its readers."""

from string import Template
from typing import Any

from .case import Case

PROGRAM = Template('''\
import jax
import numpy as np
from jax.flatten_util import ravel_pytree

import functorch7 as f7
from benchmarks.agreement.cells import cells
from benchmarks.agreement.comparing import TYPES, report
from functorch7.legacy import nn, torch
from functorch7.core.precision import cast_floating


def run(dtype):
    """What the network gives in this precision."""
    torch.manualSeed($seed)
    numbers = np.random.default_rng($seed)
    normal = lambda *shape: numbers.normal(size=shape).astype(dtype)
    network = nn.Sequential()
$network
    for parameter in network.parameters()[0]:
        parameter.copy(normal(*parameter.shape) / np.sqrt(parameter.nElement() / parameter.shape[0]))
    input = $input
    target = $target
$steps

if __name__ == "__main__":
    report(run, "$dtype", draws=$draws)
''')

LEGACY = Template("""\
    criterion = $criterion.type(TYPES[dtype])
    network.type(TYPES[dtype])
$flatten\
    network.zeroGradParameters()
    output = network.forward(input)
    loss = criterion.forward(output, target)
    of_input = network.backward(input, criterion.backward(output, target))
    return {"output": output, "loss": loss, "gradInput": of_input, "gradient": network.parameters()[1]}
""")

FUNCTIONAL = Template("""\
    criterion = $criterion
    module, variables = network.functional()
    with jax.enable_x64(dtype == "float64"):
        params, buffers = cast_floating(variables, dtype)
$flatten\

        def losses(params):
            output, _ = module.apply($tree, buffers, input, key=jax.random.key($seed), train=True)
            return criterion(output, target), output

        (loss, output), gradient = jax.jit(jax.value_and_grad(losses, has_aux=True))(params)
    return {"output": output, "loss": loss, "gradient": $result}
""")

FLATTEN = {"legacy": "    network.getParameters()\n", "functional": "        params, tree = ravel_pytree(params)\n"}


def program(case: Case) -> str:
    """The text, which runs as it stands from the root of the checkout."""
    legacy, given = case.interface == "legacy", {"seed": case.seed}
    steps = (LEGACY if legacy else FUNCTIONAL).substitute(
        given,
        criterion=case.criterion("nn" if legacy else "f7"),
        flatten=FLATTEN[case.interface] if case.flat else "",
        tree="tree(params)" if case.flat else "params",
        result="tree(gradient)" if case.flat else "gradient",
    )
    network = "\n".join(f"    network.add({text})" for text in case.built[0])
    return PROGRAM.substitute(
        given, network=network, input=case.input, target=case.target, steps=steps, dtype=case.dtype, draws=case.draws
    )


def loaded(text: str) -> Any:
    """The program's function `run`."""
    names: dict[str, Any] = {"__name__": "case"}
    exec(compile(text, "<case>", "exec"), names)
    return names["run"]
