"""Values of a whole array moved into a range, or to 0 and 1."""

from typing import Any

import numpy as np


def rescale(data: Any, min: float, max: float, dmin: float | None = None, dmax: float | None = None) -> np.ndarray:
    """(data - dmin) / (dmax - dmin) * (max - min) + min; dmin and dmax are the data's least and greatest value.

    Shape: any -> the same; integers become float32, other dtypes stay.
    Raises: ValueError if dmin equals dmax. Source: dataload, utils.lua.
    """
    given = np.asarray(data)
    dmin = given.min() if dmin is None else dmin
    dmax = given.max() if dmax is None else dmax
    if dmin == dmax:
        raise ValueError(f"rescale: expected values of some range, but all are {dmin}")
    scaled = given.astype(np.float32 if given.dtype.kind in "iub" else given.dtype)
    scaled -= scaled.dtype.type(dmin)
    scaled *= scaled.dtype.type((max - min) / (float(dmax) - float(dmin)))
    scaled += scaled.dtype.type(min)
    return scaled


def binarize(x: Any, threshold: float) -> np.ndarray:
    """1 where x >= threshold, 0 elsewhere, in x's dtype.

    Differs from Torch7: there a threshold of 0 or less gives ones only, as its second step sees the first's zeros.
    Source: dataload, utils.lua.
    """
    values = np.asarray(x)
    return (values >= threshold).astype(values.dtype)
