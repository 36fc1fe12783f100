"""Names from Flax, Equinox and Keras, and what to write here."""

OF_FLAX = {
    "Dense": "f7.Linear(3, 4); the first number is the input's size",
    "Conv": "f7.SpatialConvolution(3, 16, 5, 5), which takes B x C x H x W; f7.TemporalConvolution takes B x T x C",
    "ConvTranspose": "f7.SpatialFullConvolution(3, 16, 5, 5), which takes B x C x H x W",
    "Embed": "f7.LookupTable(10, 4); indices count from 1",
    "BatchNorm": "f7.BatchNormalization(4); f7.SpatialBatchNormalization(4) for images",
    "MLP": "f7.Sequential(f7.Linear(3, 8), f7.ReLU(), f7.Linear(8, 2))",
    "OptimizedLSTMCell": "f7.FastLSTM(3, 4)",
    "MultiHeadDotProductAttention": "f7.MultiHeadAttention(8, 2)",
    "max_pool": "f7.SpatialMaxPooling(2, 2)",
    "avg_pool": "f7.SpatialAveragePooling(2, 2, 2, 2); the default stride is 1",
    "tabulate": "f7.summary(network, (2, 3))",
    "filter_jit": "jax.jit: a network is static, and its parameters are trees of arrays only",
    "filter_grad": "jax.grad with respect to the params, which hold all that is learned",
    "tree_at": "network.replace(...), or params[0] | {'weight': array} for its arrays",
}
"""What to write instead of each name."""
