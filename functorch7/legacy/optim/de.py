"""Differential evolution."""

import math
from collections.abc import Callable

import numpy as np

from .objective import Objective, Point, table


def de(opfunc: Callable, x: Point, config: dict | None = None, state: dict | None = None) -> tuple[Point, list[float]]:
    """The best of a population in [minRegion, maxRegion]^D that evolves by best/1/bin; only x's shape matters.

    A child is best + scaleFactor * (a - b) in each coordinate with probability crossoverRate (at least in one), else
    its parent, which it replaces if it is no worse. Generations start until maxFEs evaluations are made. Returns x,
    changed in place, and the losses of all evaluations. Random numbers are the same in every call.

    config: popsize (10 D), scaleFactor, crossoverRate and maxFEs (required), maxRegion (30), minRegion (-30).
    Raises: ValueError naming a missing setting, and for a population of less than 5.
    Differs from Torch7: the first best is the best, in Torch7 the worst; children are kept within the region; x moves.
    Source: optim/de.lua; Storn & Price, 1997. Computed by scipy.optimize.differential_evolution.
    """
    from scipy.optimize import differential_evolution

    config = table("de", "config", config)
    for key in ("scaleFactor", "crossoverRate", "maxFEs"):
        if config.get(key) is None:
            raise ValueError(f"optim.de: expected {key} in config, which has {list(config)}")
    objective, losses = Objective("de", opfunc, x), []
    size, low, high = objective.point.size, config.get("minRegion", -30), config.get("maxRegion", 30)
    number = int(config.get("popsize", 10 * size))
    if number < 5:
        raise ValueError(f"optim.de: expected popsize >= 5, got {number}")
    generator = np.random.default_rng(1)

    def loss(point: np.ndarray) -> float:
        losses.append(objective.value(point))
        return losses[-1]

    found = differential_evolution(
        loss,
        [(low, high)] * size,
        init=generator.uniform(low, high, (number, size)),  # type: ignore[arg-type]
        mutation=config["scaleFactor"],
        recombination=config["crossoverRate"],
        maxiter=max(0, math.ceil((config["maxFEs"] - 1 - number) / number)),
        tol=0,
        polish=False,
        updating="deferred",
        rng=generator,
    )
    return objective.move(found.x), losses
