"""Makes a case that disagrees smaller, as long as it disagrees."""

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from .case import Case


def shrunk(case: Case, disagrees: Callable[[Case], bool], seconds: float) -> Case:
    """The smallest case that was found in that time: none of its smaller ones disagrees, if it was enough."""
    end, refused = time.monotonic() + seconds, {case}
    while True:
        for smaller in smaller_ones(case):
            if time.monotonic() > end:
                return case
            if smaller not in refused and smaller.fits and disagrees(smaller):
                case = smaller
                break
            refused.add(smaller)
        else:
            return case


def smaller_ones(case: Case) -> Iterator[Case]:
    """With a layer less; with a size of a half, or of three quarters, where faults depend on sizes."""
    layers = case.layers
    for i in range(len(layers)):
        yield replace(case, layers=layers[:i] + layers[i + 1 :])
    for share in (2, 4):
        for name in ("batch", "outputs", "features", "length"):
            size = getattr(case, name)
            if size > 1:
                yield replace(case, **{name: size - -(-size // share) if share == 4 else size // 2})
        for i, (name, width) in enumerate(layers):
            if width > 1:
                less = width // 2 if share == 2 else width - -(-width // 4)
                yield replace(case, layers=(*layers[:i], (name, less), *layers[i + 1 :]))
