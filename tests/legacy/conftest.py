import pytest

from functorch7.legacy import cutorch, torch
from functorch7.legacy.tensors import devices


@pytest.fixture(autouse=True)
def seeded():
    """Every test starts from the same random numbers, and from the default type."""
    torch.manualSeed(7)
    yield
    torch.setdefaulttensortype("torch.FloatTensor")


@pytest.fixture
def accelerator(monkeypatch):
    """As if JAX had no CPU: its only device, which stands in for a GPU, is not the host."""
    monkeypatch.setattr(devices, "host_device", lambda: None)
    devices.has_others.cache_clear()
    cutorch.standIn(True)
    yield
    cutorch.standIn(False)
    devices.has_others.cache_clear()
