import pytest

from functorch7.legacy import torch


@pytest.fixture(autouse=True)
def seeded():
    """Every test starts from the same random numbers."""
    torch.manualSeed(7)
