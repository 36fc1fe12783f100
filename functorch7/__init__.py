"""functorch7: Torch7's neural-network stack on JAX, as pure functions with explicit state.

Every layer is a description with `init(key) -> (params, buffers)` and
`apply(params, buffers, input) -> (output, buffers)`; `functorch7.legacy` has Torch7's stateful interface.
"""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from . import interop as interop
from .compression import fake_quantized as fake_quantized
from .compression import observed as observed
from .compression import pruning as pruning
from .compression import quantize as quantize
from .core import Composite as Composite
from .core import Const as Const
from .core import Container as Container
from .core import Emitted as Emitted
from .core import Lambda as Lambda
from .core import Layer as Layer
from .core import Map as Map
from .core import Module as Module
from .core import TableMap as TableMap
from .core import Variables as Variables
from .core import checked as checked
from .core import emitted as emitted
from .core import penalty as penalty
from .interop.pytorch_names import unknown as _unknown
from .interop.t7 import T7FormatError as T7FormatError
from .interop.torch7 import load_model as load_model
from .interop.torch7 import save_model as save_model
from .layers import *
from .losses import *
from .network import Shared as Shared
from .network import ZeroMask as ZeroMask
from .network import carry_of as carry_of
from .network import find as find
from .network import forget as forget
from .network import hooked as hooked
from .network import init_carry as init_carry
from .network import load_state_dict as load_state_dict
from .network import output_shape as output_shape
from .network import state_dict as state_dict
from .network import with_carry as with_carry
from .network.listing import named_buffers as named_buffers
from .network.listing import named_children as named_children
from .network.listing import named_modules as named_modules
from .network.listing import named_parameters as named_parameters
from .network.listing import to as to
from .programs import keep_freed_memory as keep_freed_memory
from .recurrent import *
from .reinforce import *
from .version import __version__ as __version__

_LAZY = ("data", "legacy", "lua", "optim", "recipes", "testing", "training", "viz", "zoo")
_PACKAGES = frozenset("core data interop layers losses optim pruning recurrent reinforce training viz zoo".split())
_TOOLS = {
    "compare": "interop.compare",
    "draw": "viz",
    "make_train_step": "training",
    "profile": "viz",
    "summary": "viz",
}
_OBJECTS = _TOOLS | {"load_t7": "lua.programs", "save_t7": "legacy.objects.files"}
"""What is imported when it is asked for, and where it is; what is about Torch's objects is for those who name it."""

if TYPE_CHECKING:
    from . import data as data
    from . import legacy as legacy
    from . import lua as lua
    from . import optim as optim
    from . import recipes as recipes
    from . import testing as testing
    from . import training as training
    from . import viz as viz
    from . import zoo as zoo
    from .interop.compare import compare as compare
    from .legacy.objects.files import save_t7 as save_t7
    from .lua.programs import load_t7 as load_t7
    from .training import make_train_step as make_train_step
    from .viz import draw as draw
    from .viz import profile as profile
    from .viz import summary as summary
else:

    def __getattr__(name: str) -> Any:
        """What is about Torch's objects, or only some programs need, is imported when it is asked for."""
        if name in _LAZY:
            return import_module(f"{__name__}.{name}")
        if name in _OBJECTS:
            globals()[name] = found = getattr(import_module(f"{__name__}.{_OBJECTS[name]}"), name)
            return found
        if name in ("nn", "nngraph", "torch"):
            raise AttributeError(
                f"functorch7 has no {name!r}: Torch's is functorch7.legacy.{name}; layers are f7.Linear, ..."
            )
        public = not name.startswith("_")  # what others look for, such as __wrapped__, imports nothing
        where = [
            package
            for package in sorted(_PACKAGES)
            if public and name in dir(globals().get(package) or __getattr__(package))
        ]
        if where:
            raise AttributeError(f"functorch7 has no {name!r}; it is f7.{where[0]}.{name}")
        raise _unknown("functorch7 has no", name, __dir__())

    def _is_public(name: str, value: Any) -> bool:
        """Whether it is meant for users: no file of a package, and nothing that is only used here."""
        if name.startswith("_") or isinstance(value, ModuleType):
            return name in _PACKAGES
        return getattr(value, "__module__", "").startswith(f"{__name__}.")

    _here = {name for name, value in globals().items() if _is_public(name, value)}
    __all__ = sorted(_here | _PACKAGES.intersection(_LAZY) | {*_TOOLS})


def __dir__() -> list[str]:
    return sorted({*globals()["__all__"], *_LAZY, *_OBJECTS, *(name for name in globals() if name.startswith("__"))})
