import pytest

from functorch7.legacy import torch


@pytest.fixture(autouse=True)
def seeded():
    """Every test starts from the same random numbers, and from the default type."""
    torch.manualSeed(7)
    yield
    torch.setdefaulttensortype("torch.FloatTensor")
