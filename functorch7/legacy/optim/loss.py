"""The measure of a criterion."""

from ...training import validation
from ..bigdl.evaluation import described
from ..modules.criterion import Criterion


def Loss(criterion: Criterion | None = None) -> validation.Loss:
    """A criterion's value, averaged over samples; `functorch7.training.Loss` of an object of `nn` (ClassNLLCriterion).

    Shape: as the criterion's. Raises: what the criterion raises.
    Source: BigDL, Loss.
    """
    return validation.Loss() if criterion is None else described(validation.Loss(criterion))
