"""What others ask about a module, derived once for each description."""

from typing import NamedTuple, Protocol


class Traits(NamedTuple):
    """All facts about a module that what is around it depends on.

    Each is what the class declares under this name, as a value or a property; by default it follows from the modules
    inside. Declarations are read once for each description: others ask `module.traits`.
    """

    traceable: bool
    """Whether `apply` works under `jit`; False where an output's size depends on values."""
    draws_in_training: bool
    draws_in_evaluation: bool
    checks_values: bool
    """Whether `forward` looks at values, by `check_values`; programs that report wrong ones do so for these."""
    takes_table: bool
    """Whether the input is a table, so that a list of plain numbers is one, too, and no tensor."""
    is_step: bool
    """Whether one call is one time step of a recurrence."""
    starts_at_zero: bool
    """Whether forgotten recurrent state means zeros, so that a scan may start from them."""
    transient: tuple[str, ...]
    """Names of the buffers that are recurrent state: None when forgotten, never saved."""
    unsaved: tuple[str, ...]
    """Names of the buffers that are no recurrent state and yet not saved."""
    exposes: tuple[str, ...]
    """Names of the intermediate values that `forward` shows to recorders (`expose`)."""
    row_parameters: tuple[str, ...]
    """Names of the module's own parameters that a call reads only in places, by `gather`."""
    uncalled: tuple[int | str, ...]
    """Names of the modules inside whose arrays alone are used (the gates of a cell): hooks at them would never run."""
    scaled_axes: dict[str, int] | None
    """Of each of the module's weights, the axis that counts outputs, with a scale each in 8 bits (`Quantized`)."""

    def draws(self, train: bool) -> bool:
        """Whether `forward` draws from `key` in this mode."""
        return self.draws_in_training if train else self.draws_in_evaluation


DECLARED = tuple(name for name in Traits._fields if not name.startswith("draws_"))
"""The names under which classes declare their traits; `draws(train)` is a method."""


class Declaring(Protocol):
    """What declares traits, the others under their names."""

    def draws(self, train: bool) -> bool: ...


def derived(module: Declaring) -> Traits:
    """The record of a module, out of what its class declares and the records of the modules inside."""
    declared = {name: getattr(module, name) for name in DECLARED}
    return Traits(draws_in_training=module.draws(True), draws_in_evaluation=module.draws(False), **declared)
