"""What real Torch7 needs of a file to go on with it, which reading it here does not show.

Torch7 itself is not here: what it was seen to do with our files, and its own, is written out.
"""

import numpy as np
import pytest

from functorch7.interop import t7
from functorch7.legacy import nn, torch

from .helpers import same, values

NETWORKS = {
    "chain": lambda: nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.SelectTable(1), nn.CAddTable(), nn.ReverseTable()),
    "sequence": lambda: nn.Sequencer(nn.Recurrence(nn.Sequential(nn.ConcatTable(nn.Linear(2, 2))), 2, 1)),
    "both ways": lambda: nn.BiSequencer(nn.Linear(2, 2), nn.LSTM(2, 3)),
    "steps": lambda: nn.Repeater(nn.GRU(2, 3), 2),
    "pairs": lambda: nn.ParallelTable(nn.CosineDistance(), nn.Bilinear(2, 2, 3), nn.MixtureTable(), nn.MM()),
    "criterions": lambda: nn.ParallelCriterion().add(nn.MSECriterion()).add(nn.CosineEmbeddingCriterion()),
}


def written(module):
    return t7.deserialize(torch.serialize(module))


def slots(value, seen):
    """The places called output and gradInput below a value, with what is there."""
    if id(value) in seen or not isinstance(value, (t7.T7Object, list, dict)):
        return
    seen[id(value)] = value
    inside = value.fields if isinstance(value, t7.T7Object) else value
    for name, each in inside.items() if isinstance(inside, dict) else enumerate(inside):
        if name in ("output", "gradInput"):
            yield each
        yield from slots(each, seen)


@pytest.mark.parametrize("name", NETWORKS)
def test_every_output_and_gradient_is_an_object_of_its_own(name):
    """Torch7 writes into them: one object for two would have the gradient in the place of an output."""
    found = [each for each in slots(written(NETWORKS[name]()), {}) if isinstance(each, (np.ndarray, list, dict))]
    assert len(found) > 2 and len({id(each) for each in found}) == len(found)


def test_classes_have_the_versions_by_which_torch_reads_their_fields():
    newest = {nn.BatchNormalization(2): 2, nn.GradientReversal(0.5): 2, nn.LookupTable(2, 2): 4,
              nn.SpatialBatchNormalization(2): 2, nn.VolumetricMaxPooling(2, 2, 2): 2}  # fmt: skip
    for module, version in newest.items():
        assert written(module).version == version, module


def test_criterions_have_what_torch_writes_their_gradients_into():
    """Real Torch7 went no further than backward with one tensor for two inputs, nor than the criterion inside."""
    sizes = {nn.CosineEmbeddingCriterion: 0, nn.L1HingeEmbeddingCriterion: 0, nn.MarginRankingCriterion: 1}
    for kind, size in sizes.items():
        one, other = written(kind().float()).fields["gradInput"]
        assert one is not other and one.shape == other.shape == (size,) and one.dtype == np.float32, kind
    assert written(nn.ParallelCriterion().add(nn.MSECriterion())).fields["gradInput"] == []
    for average in (True, False):
        fields = written(nn.CrossEntropyCriterion(None, average)).fields
        assert fields["sizeAverage"] is fields["oldSizeAverage"] is fields["nll"].fields["sizeAverage"] is average


def test_torchs_own_kinds_are_in_fields_that_it_computes_with():
    bottle, profile = written(nn.Bottle(nn.Linear(3, 2), 3, 2)), written(nn.Profile(nn.Tanh()))
    assert [bottle.fields[name].shape for name in ("inShape", "outShape")] == [(3,), (2,)]
    assert profile.fields["timer"].class_name == "torch.Timer"
    assert written(nn.Convert("bf", "fb")).fields["modules"] == []
    assert written(nn.CReLU(1)).fields["modules"][1].fields["gradInput"] == []  # of JoinTable, which fills a table


@pytest.mark.parametrize("form", ["binary", "ascii"])
def test_a_timer_is_a_name_and_nothing_else(form):
    timer = t7.T7Object("torch.Timer", 1, np.zeros(0, np.uint8))
    assert t7.serialize(timer, form).strip().endswith(b"torch.Timer")
    found, seven = t7.deserialize(t7.serialize([timer, 7], form))
    assert found.class_name == "torch.Timer" and seven == 7


def test_weight_norm_is_read_without_the_weight_that_torch_leaves_out():
    module = nn.WeightNorm(nn.SpatialConvolution(2, 3, 2, 1), 1)
    x = torch.Tensor(values(4, 2, 3, 3))
    record = written(module)
    for fields in (record.fields, record.fields["modules"][0].fields):
        fields.pop("weight"), fields.pop("gradWeight", None)
    loaded = torch.deserialize(t7.serialize(record))
    same(loaded.forward(x), module.forward(x).numpy())
