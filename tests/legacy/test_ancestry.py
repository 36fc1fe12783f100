"""The classes above classes, as Torch7's packages nn, dpnn, rnn, nnx and nngraph declare them."""

import pytest

from functorch7.legacy import nn, torch
from functorch7.legacy.program.objects import type_names

BELOW = {
    "Concat": "DepthConcat",
    "GRU": "MuFuRu",
    "HardTanh": "Clamp",
    "Identity": "CopyGrad",
    "LSTM": "FastLSTM",
    "LookupTable": "LookupTableMaskZero",
    "MaskZero": "TrimZero",
    "SeqLSTM": "SeqLSTMP",
    "SpatialMaxPooling": "SpatialDilatedMaxPooling",
    "Sum": "Mean",
    "Threshold": "ReLU",
    "VolumetricConvolution": "VolumetricDilatedConvolution",
    "VolumetricMaxPooling": "VolumetricDilatedMaxPooling",
    "AbstractSequencerCriterion": "RepeaterCriterion SequencerCriterion",
    "BatchNormalization": "SpatialBatchNormalization VolumetricBatchNormalization",
    "BiSequencer": "SeqBGRU SeqBLSTM",
    "Recurrence": "LinearRNN LookupRNN",
    "SpatialConvolution": "SpatialBinaryConvolution SpatialDilatedConvolution",
    "Linear": "LinearNoBias LinearWeightNorm NCEModule",
    "MSECriterion": "ClassSimplexCriterion SpatialAutoCropMSECriterion WeightedMSECriterion",
    "Reinforce": "ReinforceBernoulli ReinforceCategorical ReinforceGamma ReinforceNormal",
    "Sequential": "CReLU LayerNormalization Maxout SpatialLPPooling",
    "AbstractSequencer": "BiSequencer BiSequencerLM RecurrentAttention Repeater Sequencer",
    "AbstractRecurrent": "GRU LSTM NormStabilizer RecGRU RecLSTM Recurrence Recurrent Recursor",
    "Decorator":
        "Bottle DontCast FireModule Inception MaskZero NaN Profile ReverseUnreverse Serial VariableLength "
        "WeightNorm",
    "Container":
        "AbstractRecurrent AbstractSequencer Concat ConcatTable Convert Decorator GPU MapTable Parallel "
        "ParallelTable SeqBRNN Sequential SoftMaxForest gModule",
    "Criterion":
        "AbsCriterion AbstractSequencerCriterion BCECriterion BinaryClassReward BinaryLogisticRegression CTCCriterion "
        "ClassNLLCriterion CosineEmbeddingCriterion CrossEntropyCriterion DistKLDivCriterion "
        "HingeEmbeddingCriterion MSECriterion MarginCriterion MarginRankingCriterion MaskZeroCriterion "
        "ModuleCriterion MultiCriterion MultiLabelMarginCriterion MultiLabelSoftMarginCriterion "
        "MultiMarginCriterion NCECriterion ParallelCriterion SoftMarginCriterion "
        "SpatialBinaryLogisticRegression SpatialClassNLLCriterion TreeNLLCriterion VRClassReward",
    "Module":
        "Abs Add AddConstant AffineGridGeneratorBHWD AffineTransformMatrixGenerator ArgMax BatchNormalization Bilinear "
        "BilinearSamplerBHWD CAdd CAddTable CAddTensorTable CDivTable "
        "CMaxTable CMinTable CMul CMulTable CSubTable CategoricalEntropy Clip Collapse Constant Container "
        "Contiguous Copy Cosine CosineDistance CriterionTable DotProduct Dropout ELU Euclidean Exp ExpandAs "
        "FeatureLPPooling FlattenTable GatedLinearUnit GradientReversal HardShrink HardTanh Identity Index "
        "IndexLinear JoinTable Kmeans LeakyReLU Linear Log LogSigmoid LogSoftMax LookupTable MM MV "
        "MaskedSelect Max Min Minus MixtureTable ModuleFromCriterion Mul MulConstant Narrow NarrowTable Normalize "
        "OneHot PCAColorTransform PReLU Padding PairwiseDistance PartialLinear PixelShuffle Power PrintSize "
        "RReLU Reinforce Replicate Reshape ReverseSequence ReverseTable SAdd Select SelectTable SeqGRU "
        "SeqLSTM SeqReverseSequence Sigmoid SimpleColorTransform SoftMax SoftMaxTree SoftMin SoftPlus "
        "SoftShrink SoftSign SparseLinear SpatialAdaptiveAveragePooling SpatialAdaptiveMaxPooling "
        "SpatialAveragePooling SpatialContrastiveNormalization SpatialConvolution SpatialConvolutionLocal "
        "SpatialConvolutionMM SpatialConvolutionMap SpatialCrossMapLRN SpatialDepthWiseConvolution "
        "SpatialDivisiveNormalization SpatialDropout SpatialFeatNormalization SpatialFractionalMaxPooling "
        "SpatialFullConvolution SpatialFullConvolutionMap SpatialGlimpse SpatialLogSoftMax SpatialMaxPooling "
        "SpatialMaxUnpooling SpatialNormalization SpatialReflectionPadding SpatialRegionDropout "
        "SpatialReSampling SpatialReSamplingEx SpatialReplicationPadding SpatialSoftMax SpatialSubSampling "
        "SpatialSubtractiveNormalization SpatialUniformCrop SpatialUpSampling "
        "SpatialUpSamplingBilinear SpatialUpSamplingNearest SpatialZeroPadding SplitTable "
        "Sqrt Square Squeeze StepGRU StepLSTM Sum Tanh TanhShrink TemporalConvolution "
        "TemporalDynamicKMaxPooling TemporalMaxPooling TemporalRowConvolution TemporalSubSampling Threshold "
        "TotalDropout Transpose Unsqueeze UpSampling View VolumetricConvolution VolumetricDropout "
        "VolumetricFractionalMaxPooling VolumetricFullConvolution VolumetricMaxPooling VolumetricMaxUnpooling "
        "VolumetricReplicationPadding WeightedEuclidean WhiteNoise ZeroGrad ZipTable ZipTableOneToMany",
}  # fmt: skip
"""By the class above: those that torch.class names as its children."""

PARENTS = {name: above for above, names in BELOW.items() for name in names.split()}


def chain(name):
    """The class and those above it, by Torch's declarations."""
    return [f"nn.{name}", *(chain(PARENTS[name]) if name in PARENTS else [])]


@pytest.mark.parametrize("name", PARENTS)
def test_classes_are_below_those_that_torch_has_above_them(name):
    kind = getattr(nn, name)
    bare = kind.__new__(kind)  # what it is is known before it is made
    assert type_names(bare) == chain(name)
    assert torch.isTypeOf(bare, getattr(nn, PARENTS[name])) and torch.isTypeOf(bare, f"nn.{name}")
    assert torch.isTypeOf(bare, nn.Module) is ("nn.Module" in chain(name))


def test_users_classes_are_below_their_bases_and_all_above_these():
    class Mine(nn.SeqLSTM):
        pass

    names = type_names(Mine(2, 3))
    assert names == ["nn.Mine", "nn.SeqLSTM", "nn.Module"]
    assert torch.isTypeOf(Mine(2, 3), Mine) and not torch.isTypeOf(nn.SeqLSTM(2, 3), Mine)
