"""PyTorch's names beside its layers, of functions and optimisers, and what is written for them in `legacy`."""

FEVAL = "one call is a step: optim.{}(feval, parameters, config), with parameters, gradients = net.getParameters()"

INSTEAD = {
    "torch.no_grad": "there is no tape: nothing keeps what is computed, and nothing has to be told",
    "torch.enable_grad": "there is no tape: gradients are what net.backward(input, gradOutput) adds up",
    "torch.tensor": "torch.Tensor([1, 2]), or torch.LongTensor([1, 2]) and its like",
    "torch.as_tensor": "torch.Tensor.of(array)",
    "torch.from_numpy": "torch.Tensor.of(array)",
    "torch.arange": "torch.range(first, last), whose last number is among them",
    "torch.full": "torch.Tensor(2, 3).fill(value)",
    "torch.empty": "torch.Tensor(2, 3)",
    "torch.zeros_like": "x.clone().zero()",
    "torch.ones_like": "x.clone().fill(1)",
    "torch.empty_like": "x.clone()",
    "torch.rand_like": "x.clone().uniform()",
    "torch.randn_like": "x.clone().normal()",
    "torch.manual_seed": "torch.manualSeed(number)",
    "torch.matmul": "a @ b",
    "torch.sub": "a - b, or torch.csub(a, b)",
    "torch.stack": "torch.cat of views with a dimension of size 1; nn.JoinTable joins a network's tables",
    "torch.flatten": "x.view(-1), or nn.Flatten()",
    "torch.softmax": "nn.functional.softmax(x, dim), whose dimensions count from 0",
    "torch.argmax": "the second result of torch.max(x, dimension)",
    "torch.argmin": "the second result of torch.min(x, dimension)",
    "torch.argsort": "the second result of torch.sort(x, dimension)",
    "torch.unsqueeze": "x.view of sizes with a 1 among them; nn.Unsqueeze",
    "torch.is_tensor": "torch.isTensor(x)",
    "torch.device": "a name: net.to('cuda')",
    "functional.linear": "x @ weight.t() + bias, or nn.Linear",
    "functional.dropout": "a module that draws: self.drop = nn.Dropout(p)",
    "functional.conv2d": "a module: nn.SpatialConvolution",
    "functional.max_pool2d": "a module: nn.SpatialMaxPooling",
    "functional.embedding": "a module: nn.Embedding",
    "functional.layer_norm": "a module: nn.LayerNorm",
    "functional.mse_loss": "a criterion: nn.MSECriterion()",
    "functional.cross_entropy": "a criterion: nn.CrossEntropyCriterion(), whose classes count from 1",
    "functional.nll_loss": "a criterion: nn.ClassNLLCriterion(), whose classes count from 1",
    "functional.l1_loss": "a criterion: nn.AbsCriterion()",
    "functional.binary_cross_entropy": "a criterion: nn.BCECriterion()",
    "utils.clip_grad_norm_": "net.gradParamClip(cutoff)",
    "utils.clip_grad_value_": "gradients.clamp(-limit, limit), with parameters, gradients = net.getParameters()",
    "utils.parameters_to_vector": "net.getParameters(), whose flat tensors the network's are views of",
    "nn.init": "methods of tensors: layer.weight.uniform(a, b), .normal(mean, stdv), .fill(value)",
    **{f"optim.{name}": FEVAL.format(name.lower()) for name in (
        "SGD", "Adam", "Adamax", "Adadelta", "Adagrad", "RMSprop", "Rprop", "ASGD", "LBFGS",
    )},
    "optim.AdamW": FEVAL.format("adam") + "; functorch7.training runs optax.adamw",
    "optim.lr_scheduler": "config['learningRateDecay'], or config['learningRate'] = rate between steps",
}  # fmt: skip
"""What is said of each name, by what it is asked of."""


def instead(name: str) -> str:
    """What an error says in addition of one of its names, such as "torch.arange"; nothing of others."""
    said = INSTEAD.get(name)
    return "" if said is None else f"; for PyTorch's {name}: {said}"
