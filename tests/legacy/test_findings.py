"""What is wrong with values on an accelerator is told when somebody looks at something there."""

import pytest

from functorch7 import legacy
from functorch7.legacy import cutorch, nn, torch
from functorch7.legacy.tensors import findings

LOOKS = {
    "output": lambda net, loss: net.output.numpy(),
    "loss": lambda net, loss: float(loss),
    "weight": lambda net, loss: net.get(2).weight.sum() > 0,
    "elements": lambda net, loss: net.get(2).gradWeight[1].numpy(),
    "text": lambda net, loss: str(net.output),
    "inside": lambda net, loss: net.get(1).output.numpy(),
    "sums of losses": lambda net, loss: (loss + loss) / 2 > 0,
    "a copy": lambda net, loss: torch.FloatTensor(2, 2).copy(net.output),
    "on the host": lambda net, loss: net.output.float().numpy(),
    "synchronize": lambda net, loss: cutorch.synchronize(),
}


def _words(rows):
    """A network of words, after forward and backward of such rows, and its loss."""
    net = nn.Sequential().add(nn.LookupTable(5, 3)).add(nn.Linear(3, 2)).cuda()
    criterion, target = nn.MSECriterion().cuda(), torch.zeros(len(rows), 2).cuda()
    net.zeroGradParameters()
    loss = criterion.forward(net.forward(torch.LongTensor(rows)), target)
    net.backward(torch.LongTensor(rows), criterion.backward(net.output, target))
    net.updateParameters(0.1)
    return net, loss


@pytest.mark.parametrize("look", LOOKS)
def test_wrong_values_are_told_at_a_look_and_once(look, accelerator):
    for _ in range(2):
        LOOKS[look](*_words([1, 5]))  # nothing is wrong with these
    found = _words([1, 6])
    others = [_words([2, 3]) for _ in range(2)]
    with pytest.raises(ValueError, match=r"nn.LookupTable: .* 6 at position 2"):
        LOOKS[look](*others[1])
    LOOKS[look](*others[0])
    LOOKS[look](*found)


def test_wrong_values_are_told_at_the_call_where_calls_run_at_once(accelerator):
    legacy.eager(True)
    try:
        with pytest.raises(ValueError, match=r"nn.LookupTable: .* 6 at position 2"):
            _words([1, 6])
    finally:
        legacy.eager(False)


def test_so_many_wrong_values_wait_at_most(accelerator):
    net, row = nn.LookupTable(5, 3).cuda(), torch.LongTensor([6])
    with pytest.raises(ValueError, match=r"nn.LookupTable: .* 6 at position 1"):  # nobody looks
        for _ in range(findings.MOST):
            net.forward(row)
