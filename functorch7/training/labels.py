"""Which parameters are trained how: trees of labels for `optax.multi_transform`."""

from collections.abc import Mapping
from typing import Any

import jax

from ..core import Module, named_parameters
from ..core.places import dotted, places


def labels(module: Module, params: Any, rules: Mapping[str, str], default: str = "trained") -> Any:
    """A tree like `params` with a label for each array: that of the rule that says most about it.

    A rule's name is a place, "0" or "2.weight" (as in `state_dict`), and counts for all below it; or a class,
    "nn.BatchNormalization". Longer places come before shorter ones, and places before classes.

        rule = {"trained": optax.adam(1e-3), "slow": optax.adam(1e-5), "frozen": optax.set_to_zero()}
        optimizer = optax.multi_transform(rule, labels(module, params, {"0": "frozen", "1": "slow"}))

    Raises: ValueError for a rule that is about nothing in the network.
    """
    classes = {path: each.torch_name() for path, each in places(module)}
    used: set[str] = set()
    chosen: dict[str, str] = {}
    for path, _ in named_parameters(module, params):
        above = [dotted(path[:i]) for i in range(len(path), 0, -1)]
        kinds = [classes[path[:i]] for i in range(len(path) - 1, -1, -1) if path[:i] in classes]
        rule = next((name for name in (*above, *kinds) if name in rules), None)
        chosen[dotted(path)] = default if rule is None else rules[rule]
        used |= {name for name in (*above, *kinds) if name in rules}
    idle = [name for name in rules if name not in used]
    if idle:
        raise ValueError(
            f"labels: {module.torch_name()} has no parameters at {', '.join(idle)}; there are {', '.join(chosen)}"
        )

    def labelled(tree: Any, path: tuple) -> Any:
        if isinstance(tree, dict):
            return {name: labelled(branch, (*path, name)) for name, branch in tree.items()}
        if isinstance(tree, list):
            return [labelled(branch, (*path, i)) for i, branch in enumerate(tree)]
        return None if tree is None else chosen[dotted(path)]

    return labelled(params, ())


def freeze(module: Module, params: Any, *names: str) -> Any:
    """`labels` with "frozen" for what is named (everything, without names), "trained" for the rest."""
    if not names:
        return jax.tree.map(lambda _: "frozen", params)
    return labels(module, params, dict.fromkeys(names, "frozen"))
