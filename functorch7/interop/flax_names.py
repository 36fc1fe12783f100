"""Names from Flax, Equinox and Keras, and what they are called here."""

OF_FLAX = {
    "Dense": "f7.Linear(3, 4), which is told the size of its input",
    "Conv": "f7.SpatialConvolution(3, 16, 5, 5), of B x C x H x W; f7.TemporalConvolution of B x T x C",
    "ConvTranspose": "f7.SpatialFullConvolution(3, 16, 5, 5), of B x C x H x W",
    "Embed": "f7.LookupTable(10, 4), whose indices count from 1",
    "BatchNorm": "f7.BatchNormalization(4); f7.SpatialBatchNormalization(4) of images",
    "MLP": "f7.Sequential(f7.Linear(3, 8), f7.ReLU(), f7.Linear(8, 2))",
    "OptimizedLSTMCell": "f7.FastLSTM(3, 4)",
    "MultiHeadDotProductAttention": "f7.MultiHeadAttention(8, 2)",
    "max_pool": "f7.SpatialMaxPooling(2, 2)",
    "avg_pool": "f7.SpatialAveragePooling(2, 2, 2, 2), whose strides would be 1",
    "tabulate": "f7.summary(network, (2, 3))",
    "filter_jit": "jax.jit: a network is static, and its arrays are trees of nothing else",
    "filter_grad": "jax.grad with respect to the params, which are all that is learned",
    "tree_at": "network.replace(...), and params[0] | {'weight': array} of its arrays",
}
"""What to write in place of each name."""
