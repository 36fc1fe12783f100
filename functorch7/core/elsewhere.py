"""What users of other libraries ask of a description, and what they find here instead: errors say it."""

from ..checks.errors import Described
from .types import Value

MODES = "apply(params, buffers, input, key=key, train=True) is training; train=False, the default, is evaluation"
ARRAYS = "a description holds no arrays: params, buffers = module.init(key)"
LEARNING = "jax.grad gives gradients, and optax's optimizers, or functorch7.training, change params by them"
CASTING = 'f7.to(variables, dtype="bfloat16", device="cpu") gives the arrays in another type, and elsewhere'
NEVER_CHANGE = "descriptions never change: give a container its modules at once, f7.Sequential(*network, f7.Tanh())"

ELSEWHERE: dict[str, str] = {
    **dict.fromkeys(("train", "eval", "training", "evaluate"), MODES),
    **dict.fromkeys(("weight", "bias", "params", "buffers", "variables", "parameters", "getParameters"), ARRAYS),
    **dict.fromkeys(
        ("backward", "updateGradInput", "accGradParameters", "updateParameters", "zero_grad", "zeroGradParameters"),
        LEARNING,
    ),
    **dict.fromkeys(("to", "type", "float", "double", "half", "bfloat16", "cuda", "cpu"), CASTING),
    **dict.fromkeys(("add", "append", "extend", "insert", "remove"), NEVER_CHANGE),
    "get": "network[0] is the first module",
    "size": "len(network) is the number of modules",
    "output": "with f7.core.recording() as seen: seen has what goes in and out of each module inside",
    "clone": "a description never changes, so that one is enough; init makes other arrays of it",
    "share": "f7.Shared(network, ties) has one array for several places",
    "forget": "f7.forget(network, buffers) gives the buffers without recurrent state",
    "reset": "init(key, stdv) makes fresh arrays",
    "state_dict": "f7.state_dict(network, variables)",
    "load_state_dict": "f7.load_state_dict(network, variables, state)",
    "named_parameters": "f7.named_parameters(network, params)",
    "requires_grad_": "functorch7.training.freeze(network, params, place) labels params for optax.multi_transform",
    "register_forward_hook": "f7.hooked(network, place, forward=hook)",
    "register_forward_pre_hook": "f7.hooked(network, place, forward_pre=hook)",
    "register_full_backward_hook": "f7.hooked(network, place, backward=hook)",
    "tabulate": "f7.summary(network, shape)",
    "bind": "module.apply(params, buffers, input)",
    "init_with_output": "params, buffers = module.init(key), and then apply",
}
"""What the error says for each name, after the object that does not have it."""


def found_elsewhere(module: Described, name: str) -> Value:
    """Raises AttributeError that says where a missing attribute is found; errors of properties are raised again."""
    if hasattr(type(module), name):
        return object.__getattribute__(module, name)
    hint = f"; {ELSEWHERE[name]}" if name in ELSEWHERE else ""
    raise AttributeError(f"{module.torch_name()} has no attribute {name!r}{hint}", name=name, obj=module)
