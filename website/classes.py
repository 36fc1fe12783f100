"""A page for each module and criterion, by chapter: how it is written, and what it says of itself."""

import inspect
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from functorch7.interop import pytorch_names
from functorch7.legacy.objects.generated import class_of

from .docstrings import parts
from .public import full_name, home_of, modules

CHAPTERS = {
    "Containers and graphs": "layers.containers layers.graph core.module network.sharing",
    "Linear layers": "layers.linear layers.affine layers.lookup layers.sparse layers.products layers.distances "
    "recurrent.simple",
    "Convolution": "layers.convolution layers.transposed layers.temporal layers.connections layers.binary "
    "layers.inception layers.borders",
    "Pooling and sampling": "layers.pooling layers.adaptive layers.lp_pooling layers.unpooling layers.upsampling "
    "layers.subsampling",
    "Transfer functions": "layers.transfer layers.rectifiers layers.smooth layers.composites layers.pointwise",
    "Normalisation": "layers.normalization layers.example_normalization layers.local_normalization",
    "Dropout and penalties": "layers.dropout layers.penalties",
    "Attention": "layers.attention recurrent.attention",
    "Recurrent": "recurrent.sequencer recurrent.lstm recurrent.gru recurrent.fused recurrent.cudnn "
    "recurrent.simple_recurrences recurrent.recurrence recurrent.bidirectional recurrent.reversal recurrent.step "
    "recurrent.masking recurrent.variable_length recurrent.stabilizer",
    "Shapes": "layers.shape layers.slicing layers.reductions layers.layouts",
    "Tables": "layers.table layers.selection",
    "Criterions": "losses.regression losses.classification losses.binary losses.multiclass losses.embedding "
    "losses.ctc losses.combined losses.as_module recurrent.criterions",
    "Stochastic modules and rewards": "reinforce.modules reinforce.rewards",
    "Large outputs": "layers.nce losses.nce layers.tree_softmax layers.bigrams",
    "Images": "layers.vision layers.spatial_transformer",
    "Around a module": "layers.decorators layers.recomputed layers.quantized layers.placement layers.data_parallel "
    "layers.monitors layers.clustering",
}
"""The files of each chapter, in the order in which a reader meets them."""

FLAX = {
    "BatchNormalization": "nnx.BatchNorm", "BiSequencer": "nnx.Bidirectional", "Dropout": "nnx.Dropout",
    "ELU": "nnx.elu", "Embedding": "nnx.Embed", "FastLSTM": "nnx.OptimizedLSTMCell", "GELU": "nnx.gelu",
    "GRU": "nnx.GRUCell", "GatedLinearUnit": "nnx.glu", "GroupNorm": "nnx.GroupNorm", "HardTanh": "nnx.hard_tanh",
    "LayerNorm": "nnx.LayerNorm", "LeakyReLU": "nnx.leaky_relu", "Linear": "nnx.Linear", "LinearRNN": "nnx.SimpleCell",
    "LogSigmoid": "nnx.log_sigmoid", "LogSoftMax": "nnx.log_softmax", "LookupTable": "nnx.Embed",
    "MultiHeadAttention": "nnx.MultiHeadAttention", "OneHot": "jax.nn.one_hot", "PReLU": "nnx.PReLU",
    "RMSNorm": "nnx.RMSNorm", "ReLU": "nnx.relu", "Remat": "nnx.remat", "SeqLSTM": "nnx.RNN", "Sequencer": "nnx.RNN",
    "Sequential": "nnx.Sequential", "SiLU": "nnx.silu", "Sigmoid": "nnx.sigmoid", "SoftMax": "nnx.softmax",
    "SoftPlus": "nnx.softplus", "SoftSign": "nnx.soft_sign", "SpatialAveragePooling": "nnx.avg_pool",
    "SpatialBatchNormalization": "nnx.BatchNorm", "SpatialConvolution": "nnx.Conv",
    "SpatialFullConvolution": "nnx.ConvTranspose", "SpatialMaxPooling": "nnx.max_pool", "Tanh": "nnx.tanh",
    "TemporalConvolution": "nnx.Conv", "VolumetricConvolution": "nnx.Conv", "WeightNorm": "nnx.WeightNorm",
}  # fmt: skip
"""What flax, or JAX, has for a class."""

REPOSITORIES = {
    "nn": "torch/nn", "nngraph": "torch/nngraph", "rnn": "Element-Research/rnn", "dpnn": "Element-Research/dpnn",
}  # fmt: skip
"""Where Torch's packages and their documentation are."""


@cache
def chapters() -> dict[str, list[Any]]:
    """The classes of each chapter, in the order of its files and in theirs."""
    found = {}
    for title, files in CHAPTERS.items():
        homes = [f"functorch7.{file}" for file in files.split()]
        inside = [kind for kind in modules().values() if home_of(kind) in homes]
        found[title] = sorted(inside, key=lambda kind: (homes.index(home_of(kind)), _line(kind)))
    return found


def _line(kind: Any) -> int:
    return inspect.getsourcelines(kind)[1]


def place(kind: Any) -> str:
    """The page of a class."""
    return f"classes/{kind.__name__}.md"


def pages() -> dict[str, str]:
    """The Markdown of each page, and of the one that lists them, by their places."""
    found = {place(kind): _page(kind, title) for title, kinds in chapters().items() for kind in kinds}
    return found | {"classes/index.md": _index()}


def navigation() -> list[dict[str, Any]]:
    """The list, and the chapters with their pages."""
    inside = [{title: [{kind.__name__: place(kind)} for kind in kinds]} for title, kinds in chapters().items()]
    return [{"Modules and criterions": "classes/index.md"}, *inside]


def _index() -> str:
    lines = ["# Modules and criterions", ""]
    for title, kinds in chapters().items():
        links = [f"[{kind.__name__}]({kind.__name__}.md)" for kind in kinds]
        lines += [f"## {title}", "", ", ".join(links), ""]
    return "\n".join(lines)


def _page(kind: Any, chapter: str) -> str:
    """A page that a search for the name finds first."""
    options = ["heading_level: 1", f"heading: {kind.__name__}", "show_source: true", "show_root_full_path: false"]
    block = [f"::: {full_name(kind)}", "    options:", *(f"      {option}" for option in options)]
    rows = ["| | |", "| --- | --- |", *(f"| {where} | {what} |" for where, what in _elsewhere(kind))]
    begun = sum(name.startswith(kind.__name__) for kinds in chapters().values() for name in _names(kinds))
    boost = 4 if begun == 1 else 40  # before those whose names begin alike
    lines = ["---", "search:", f"  boost: {boost}", "---", "", *block, "", "## Elsewhere", "", *rows, ""]
    return "\n".join([*lines, f"Chapter: [{chapter}](index.md#{_anchor(chapter)})", ""])


def _names(kinds: list[Any]) -> list[str]:
    return [kind.__name__ for kind in kinds]


def _anchor(title: str) -> str:
    return re.sub(r"\W+", "-", title.lower())


def _elsewhere(kind: Any) -> Iterator[tuple[str, str]]:
    """Where else the class is, and how it is written there."""
    taken = ", ".join(str(each.replace(annotation=each.empty)) for each in _arguments(class_of(kind)))
    yield "[`legacy`](../porting.md)", f"`{kind.torch_name()}({taken})`".replace("|", "\\|")
    for row in (row for rows in pytorch_names.TABLES.values() for row in rows if row.here == kind.__name__):
        differs = f": {row.differs}" if row.differs else ""
        yield "[PyTorch](../pytorch-names.md)", f"`{row.theirs}` is `{row.ours}`{differs}"
    if kind.__name__ in FLAX:
        yield "Flax", f"`{FLAX[kind.__name__]}`"
    sources = parts(kind.__doc__)[1].get("Source", "").split("\n\n")[0]
    yield "Documentation", re.sub(r"\b(nn|nngraph|rnn|dpnn)/([\w/.-]+\.md(#[\w.]+)?)", _link, sources).replace("|", "")
    yield "Source", f"`{home_of(kind).replace('.', '/')}.py`"


def _arguments(kind: Any) -> Iterator[inspect.Parameter]:
    return iter(inspect.signature(kind).parameters.values())


def _link(match: re.Match) -> str:
    """A place in Torch's documentation as a link."""
    path = match[2].rstrip(".")
    return f"[{match[0].rstrip('.')}](https://github.com/{REPOSITORIES[match[1]]}/blob/master/{path})"
