import jax
import pytest

from functorch7.legacy import cutorch, torch
from functorch7.legacy.engine import ahead, layout, waiting
from functorch7.legacy.tensors import devices


@pytest.fixture(autouse=True)
def seeded():
    """Every test starts from the same random numbers, and from the default type."""
    torch.manualSeed(7)
    yield
    torch.setdefaulttensortype("torch.FloatTensor")


@pytest.fixture
def broadcasting():
    """What users write in `forward` may broadcast, as by JAX's default settings."""
    with jax.numpy_rank_promotion("allow"):
        yield


@pytest.fixture
def as_if_large(monkeypatch):
    """Small flat parameters are cut into parts for programs, as larger ones are."""
    monkeypatch.setattr(layout, "SMALL", 0)


@pytest.fixture
def accelerator(monkeypatch):
    """As if JAX had no CPU: its only device, which stands in for a GPU, is not the host."""
    monkeypatch.setattr(devices, "host_device", lambda: None)
    devices.forget()
    cutorch.standIn(True)
    yield
    cutorch.standIn(False)
    devices.forget()


@pytest.fixture(params=["the host", "an accelerator beside it"])
def devices_there(request, monkeypatch):
    """JAX has the host alone, and then, by what it says, another device, on which nothing lies."""
    if request.param != "the host":
        there = [*jax.local_devices(), object()]
        monkeypatch.setattr(jax, "local_devices", lambda: there)
        devices.forget()
        assert devices.has_others()
    yield
    devices.forget()


@pytest.fixture
def together(monkeypatch):
    """The calls of networks that run with their criterions, which they do from the second step on."""
    found, with_loss = [], waiting.WaitingCall.with_loss

    def counting(self, *args):
        found.append(self)
        return with_loss(self, *args)

    monkeypatch.setattr(ahead, "OFTEN", 1)
    monkeypatch.setattr(waiting.WaitingCall, "with_loss", counting)
    return found
