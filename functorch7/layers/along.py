"""Layers that work along one dimension of their input."""

from ..core import Module, check_dimension


class AlongDimension(Module, abstract=True):
    """Modules that work along a dimension; in those with `n_input_dims`, 0 is the batch's.

    Raises: ValueError for dimension 0 otherwise.
    """

    dimension: int

    def __post_init__(self) -> None:
        super().__post_init__()
        check_dimension(self, self.dimension, getattr(self, "n_input_dims", None))
