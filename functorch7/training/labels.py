"""Which parameters are trained how: trees of labels for `optax.multi_transform`."""

from collections.abc import Mapping
from typing import Any

from ..checks.errors import describe
from ..core import Module
from ..core.tree import dotted, places
from ..core.types import Params, Tree
from ..network import find, named_parameters


def labels(module: Module, params: Params, rules: Mapping[str, str], default: str = "trained") -> Tree:
    """A tree like `params` with a label for each array: that of the most specific rule.

    The name of a rule is a place, "0" or "2.weight" (as in `state_dict`), or a name that `named` gave to a module; both
    apply to everything below. Or it is a class, "nn.BatchNormalization". Longer places come before shorter ones (names
    and classes of inner modules before those of outer ones), places before names, and names before classes.

        rule = {"trained": optax.adam(1e-3), "slow": optax.adam(1e-5), "frozen": optax.set_to_zero()}
        optimizer = optax.multi_transform(rule, labels(module, params, {"0": "frozen", "1": "slow"}))

    Raises: TypeError for rules that are no labels by name; ValueError for a rule that is about nothing in the network,
    and for a name that several modules have.

    >>> import functorch7 as f7, jax
    >>> from functorch7.training import labels
    >>> network = f7.Sequential(f7.Linear(3, 2), f7.Linear(2, 1))
    >>> labels(network, network.init(jax.random.key(0)).params, {"0": "slow", "1.bias": "fast"})
    [{'weight': 'slow', 'bias': 'slow'}, {'weight': 'trained', 'bias': 'fast'}]
    """
    if not isinstance(rules, Mapping):
        raise TypeError(f"labels: expected rules, a dict of labels by name, got {describe(rules)}")
    unfit = next((name for name in rules if not isinstance(name, str)), None)
    if unfit is not None:
        raise TypeError(f"labels: expected a text as the name of a rule, such as '0' or 'nn.Linear', got {unfit!r}")
    modules = dict(places(module))
    for name in rules:
        find(module, name)  # raises where it is the name of several
    used: set[str] = set()
    chosen: dict[str, str] = {}
    for path, _ in named_parameters(module, params):
        above = [dotted(path[:i]) for i in range(len(path), 0, -1)]
        around = [modules[path[:i]] for i in range(len(path) - 1, -1, -1) if path[:i] in modules]
        about = [*above, *(each.own_name for each in around), *(each.torch_name() for each in around)]
        found = [name for name in about if name in rules]
        chosen[dotted(path)] = rules[found[0]] if found else default
        used.update(found)
    idle = [str(name) for name in rules if name not in used]
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


def freeze(module: Module, params: Params, *names: str) -> Tree:
    """`labels` with "frozen" for what is named (everything, without names), "trained" for the rest.

    Raises: as `labels`; TypeError for names that are no texts.

    >>> import functorch7 as f7, jax
    >>> from functorch7.training import freeze
    >>> network = f7.Sequential(f7.Linear(3, 2), f7.Linear(2, 1))
    >>> freeze(network, network.init(jax.random.key(0)).params, "0")
    [{'weight': 'frozen', 'bias': 'frozen'}, {'weight': 'trained', 'bias': 'trained'}]
    """
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"freeze: expected names, such as '0' or 'nn.Linear', got {describe(name)}")
    return labels(module, params, dict.fromkeys(names, "frozen"), "trained" if names else "frozen")
