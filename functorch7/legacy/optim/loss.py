"""The measure of a criterion."""

from typing import Any

from ...training import validation
from ..bigdl.evaluation import described


def Loss(criterion: Any = None) -> validation.Loss:
    """A criterion's value, averaged over samples; `functorch7.training.Loss` of an object of `nn` (ClassNLLCriterion).

    Shape: as the criterion's. Raises: what the criterion raises.
    Source: BigDL, Loss.
    """
    return validation.Loss() if criterion is None else described(validation.Loss(criterion))
