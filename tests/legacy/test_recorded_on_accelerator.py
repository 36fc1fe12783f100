"""What real Torch7 recorded, on an accelerator, where calls are noted and run together, or each at once.

All cases hold in both ways; to keep the suite short every thirtieth is run, and every third that trains.
"""

import pytest
import test_golden

from functorch7 import legacy
from functorch7.legacy.objects.described import Described

ON_HOST = ("loader", "optim")
"""What has no networks."""
NETWORKS = [case for case in test_golden.cases() if case["kind"] not in ON_HOST]
TRAINED = [case for case in NETWORKS if case["kind"] in ("training", "optim_network", "stochastic_gradient")]
CASES = [*TRAINED[::3], *[case for case in NETWORKS if case not in TRAINED][::30]]


@pytest.mark.one_in(5)
@pytest.mark.filterwarnings("ignore:nn.Inception")
@pytest.mark.parametrize("runs_at_once", [False, True])
@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in CASES])
def test_torch7_agrees_on_an_accelerator(case, runs_at_once, accelerator, monkeypatch):
    monkeypatch.setattr(Described, "double", lambda self, cache=None: self._typed("torch.CudaDoubleTensor", cache))
    legacy.eager(runs_at_once)
    try:
        test_golden.test_torch7_agrees(case)
    finally:
        legacy.eager(False)
