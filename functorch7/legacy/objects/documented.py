"""Names of arguments: those of descriptions, those of Torch's source, and those of its documentation."""

from functools import cache

from ... import core
from ...interop.torch7.schema import in_camels
from .described import arguments_of, by_torch_name

DOCUMENTED = (
    ("N", "n_output"), ("L1weight", "l1weight"), ("dim", "dimension"), ("inputDimension", "input_size"),
    ("inputDimension1", "input_size1"), ("inputDimension2", "input_size2"), ("inputsize", "input_size"),
    ("k", "constant_scalar"), ("l", "lower"), ("m", "module"), ("max_value", "max_val"), ("min_value", "min_val"),
    ("nFeature", "n_features"), ("nInputDim", "n_input_dims"), ("name", "prefix"), ("outputDimension", "output_size"),
    ("outputsize", "output_size"), ("p", "pow"), ("p", "norm"), ("r", "upscale_factor"), ("share", "shared"),
    ("size", "sizes"), ("stdev", "std"), ("u", "upper"),
)  # fmt: skip
"""What Torch's documentation calls an argument where its source has another name, and the fields of descriptions."""


@cache
def argument_names(spec_class: type[core.Module]) -> dict[str, str]:
    """The arguments of a description by all names that they may be given under."""
    fields = [parameter.name for parameter in arguments_of(spec_class)]
    names = by_torch_name(spec_class, fields)
    documented = {name: field for name, field in DOCUMENTED if field in fields}
    return {in_camels(name): name for name in fields} | documented | names


@cache
def open_argument(spec_class: type[core.Module]) -> str | None:
    """The argument of which there may be any number, such as the sizes of a View."""
    return next((each.name for each in arguments_of(spec_class) if each.kind is each.VAR_POSITIONAL), None)
