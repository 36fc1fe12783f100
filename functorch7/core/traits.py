"""What others ask about a module, derived once for each description."""

from collections.abc import Callable
from typing import ClassVar, NamedTuple, TypeVar, cast

from jax.typing import DTypeLike

from ..checks.sizes import large_numbers
from .description import Description
from .types import State


class Traits(NamedTuple):
    """All facts about a module that what is around it depends on.

    Each is what the class declares under this name, as a value or a property; by default it follows from the modules
    inside. Declarations are read once for each description: others ask `module.traits`.
    """

    traceable: bool
    """Whether `apply` works under `jit`; False where an output's size depends on values."""
    sized: bool
    """Whether the sizes of outputs follow from those of inputs, so that `jax.eval_shape` finds them."""
    draws_in_training: bool
    draws_in_evaluation: bool
    checks_values: bool
    """Whether `forward` looks at values, by `check_values`; programs that report wrong ones do so for these."""
    takes_table: bool
    """Whether the input is a table, so that a list of plain numbers is one, too, and no tensor."""
    takes_complex: bool
    """Whether numbers may be complex, for which hardly any formula here is meant."""
    is_step: bool
    """Whether one call is one time step of a recurrence."""
    causal: bool
    """Whether each step of the output depends on the input's steps up to it alone, in sequences of any length: of what
    has time first, or is a table of steps, and so is the output."""
    starts_at_zero: bool
    """Whether forgotten recurrent state means zeros, so that a scan may start from them."""
    transient: tuple[str, ...]
    """Names of the buffers that are recurrent state: None when forgotten, never saved."""
    state_axis: int
    """Which axis of its recurrent state counts examples."""
    drawn: tuple[str, ...]
    """Those of them that are drawn once for a sequence (the masks of dropout): another sequence has others, also where
    the rest is remembered."""
    unsaved: tuple[str, ...]
    """Names of the buffers that are no recurrent state and yet not saved."""
    exposes: tuple[str, ...]
    """Names of the intermediate values that `forward` shows to recorders (`expose`)."""
    row_parameters: tuple[str, ...]
    """Names of the module's own parameters that a call reads only in places, by `gather`."""
    uncalled: tuple[int | str, ...]
    """Names of the modules inside whose arrays alone are used (the gates of a cell): hooks at them would never run."""
    large_numbers: tuple[int, ...]
    """Those among its fields that are too large for sizes, unless they mean something else."""
    scaled_axes: dict[str, int] | None
    """Of each of the module's weights, the axis that counts outputs, with a scale each in 8 bits (`Quantized`)."""

    def draws(self, train: bool) -> bool:
        """Whether `forward` draws from `key` in this mode."""
        return self.draws_in_training if train else self.draws_in_evaluation


DECLARED = tuple(name for name in Traits._fields if not name.startswith("draws_"))
"""The names under which classes declare their traits; `draws(train)` is a method."""


Given = TypeVar("Given")


def derived(rule: Callable[..., Given]) -> Given:
    """A declaration that follows from a rule where a class makes none, by a value (`causal = True`) or a property.

    To a type checker it is a variable, since a value of the class may not take the place of a property.
    """
    return cast(Given, property(rule))


class Declared(Description):
    """The declarations that few classes have to make; each says in `Traits` what it means.

    By default they follow from the modules inside, or from what is None among the buffers at first.
    """

    state_axis: ClassVar[int] = 0
    drawn: ClassVar[tuple[str, ...]] = ()
    unsaved: ClassVar[tuple[str, ...]] = ()
    exposes: ClassVar[tuple[str, ...]] = ()
    uncalled: ClassVar[tuple[int | str, ...]] = ()
    scaled_axes: ClassVar[dict[str, int] | None] = None
    tunable: ClassVar[tuple[str, ...]] = ()
    """The fields that `forward` uses as numbers alone, which programs may get as arguments (`network/numbers.py`)."""
    tuned: ClassVar[frozenset[str]] = frozenset()
    """Those of them that have been changed since the module was made."""

    def init_buffers(self) -> State:
        """This module's own buffers before the first call."""
        return {}

    def draws(self, train: bool) -> bool:
        """Whether `forward` draws from its key in this mode; by default where a module inside does."""
        return any(child.traits.draws(train) for child in self.child_modules())

    @derived
    def takes_table(self) -> bool:
        """Whether the input is a table."""
        return False

    @derived
    def takes_complex(self) -> bool:
        """Whether numbers may be complex: where those of a module inside may."""
        return any(child.traits.takes_complex for child in self.child_modules())

    @derived
    def causal(self) -> bool:
        """Whether each step of the output depends on the input's steps up to it alone: where the class says so."""
        return False

    @derived
    def wanted(self) -> str:
        """What a call takes, as errors say it."""
        return "a table of tensors" if self.traits.takes_table else "a tensor"

    @derived
    def traceable(self) -> bool:
        """Whether it can be compiled: where all modules inside can."""
        return all(child.traits.traceable for child in self.child_modules())

    @derived
    def sized(self) -> bool:
        """Whether sizes follow from sizes: as `traceable` where a class says that, else in all modules inside."""
        says_itself = type(self).traceable is not Declared.traceable
        return self.traceable if says_itself else all(child.traits.sized for child in self.child_modules())

    @derived
    def checks_values(self) -> bool:
        """Whether it looks at values: where a module inside does."""
        return any(child.traits.checks_values for child in self.child_modules())

    @derived
    def row_parameters(self) -> tuple[str, ...]:
        """The parameters that are read by rows: none."""
        return ()

    @derived
    def large_numbers(self) -> tuple[int, ...]:
        """Its fields' numbers that are too large for sizes."""
        return tuple(large_numbers([value for _, value in self._named_values()]))

    @derived
    def transient(self) -> tuple[str, ...]:
        """The buffers that are recurrent state: those that are None at first."""
        return tuple(name for name, value in self.init_buffers().items() if value is None)

    @derived
    def is_step(self) -> bool:
        """Whether a call is one time step: where there is recurrent state here, or in a step inside."""
        return bool(self.transient) or any(child.traits.is_step for child in self.child_modules())

    @derived
    def starts_at_zero(self) -> bool:
        """Whether forgotten state means zeros: where there is none, or in all modules inside."""
        return not self.transient and all(child.traits.starts_at_zero for child in self.child_modules())

    def initial_state(self, batch: tuple[int, ...], dtype: DTypeLike) -> State:
        """The recurrent state before the first step, for a batch of this shape; None where it is not known before."""
        return dict.fromkeys(self.traits.transient)

    @property
    def traits(self) -> Traits:
        """What others ask about this module: derived once, out of what it declares and of the modules inside."""
        try:
            return self.__dict__["_traits"]
        except KeyError:
            drawing = {f"draws_in_{mode}": self.draws(mode == "training") for mode in ("training", "evaluation")}
            self._set(_traits=Traits(**drawing, **{name: getattr(self, name) for name in DECLARED}))
            return self.__dict__["_traits"]
