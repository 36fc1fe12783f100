"""PyTorch's names other than layers and losses: functions, methods and optimisers, and what `legacy` has instead."""

FEVAL = "one call makes one step: optim.{}(feval, parameters, config), with parameters, gradients = net.getParameters()"
STOPPED = "inside forward, jax.lax.stop_gradient(x.array) is x without a gradient"
DIMENSIONS = "dimensions count from 0"
CLASSES = "classes count from 1"
UNSQUEEZED = "x.view with a size of 1, or nn.Unsqueeze"

INSTEAD = {
    "torch.no_grad": f"not needed outside forward, where nothing is recorded; {STOPPED}",
    "torch.enable_grad": "not needed: net.backward(input, gradOutput) adds up the gradients",
    "torch.tensor": "torch.Tensor([1, 2]), or a type such as torch.LongTensor([1, 2])",
    "torch.as_tensor": "torch.Tensor.of(array)",
    "torch.from_numpy": "torch.Tensor.of(array)",
    "torch.arange": "torch.range(first, last), which includes last",
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
    "torch.stack": "torch.cat of views with an extra dimension of size 1; nn.JoinTable in networks",
    "torch.flatten": "x.view(-1), or nn.Flatten()",
    "torch.softmax": f"nn.functional.softmax(x, dim); {DIMENSIONS}",
    "torch.argmax": "the second result of torch.max(x, dimension)",
    "torch.argmin": "the second result of torch.min(x, dimension)",
    "torch.argsort": "the second result of torch.sort(x, dimension)",
    "torch.unsqueeze": UNSQUEEZED,
    "torch.cuda": "functorch7.legacy.cutorch, for example cutorch.getDeviceCount()",
    "torch.utils": "functorch7.legacy.dl, for example dl.TensorLoader(inputs, targets).sampleiter(batch_size)",
    "torch.is_tensor": "torch.isTensor(x)",
    "torch.device": "the device's name: net.to('cuda')",
    "Tensor.to": "x.double(), or x.type('torch.DoubleTensor')",
    "Tensor.type_as": "x.typeAs(y)",
    "Tensor.detach": f"x, or x.clone(), outside forward; {STOPPED}",
    "Tensor.backward": "net.backward(input, gradOutput), with the criterion's gradient",
    "Tensor.grad": "net.gradWeight, or the grad of named_parameters()",
    "Tensor.cpu": "x.float()",
    "Tensor.device": "x.type(), which is torch.CudaTensor on a GPU",
    "Tensor.tolist": "x.totable()",
    "Tensor.flatten": "x.view(-1)",
    "Tensor.unsqueeze": UNSQUEEZED,
    "Tensor.matmul": "x @ y",
    "Tensor.argmax": "the second result of x.max(dimension)",
    "Tensor.argmin": "the second result of x.min(dimension)",
    "Tensor.argsort": "the second result of x.sort(dimension)",
    "Tensor.index_select": "x.index(dimension, indices)",
    "Tensor.softmax": f"nn.functional.softmax(x, dim); {DIMENSIONS}",
    "Tensor.log_softmax": f"nn.functional.log_softmax(x, dim); {DIMENSIONS}",
    "Tensor.relu": "nn.functional.relu(x)",
    "Tensor.square": "x.pow(2), which changes x, or torch.pow(x, 2)",
    "Tensor.multiply": "x.cmul(y), which changes x, or torch.cmul(x, y)",
    "Tensor.new_zeros": "x.new(2, 3).zero()",
    "Tensor.new_ones": "x.new(2, 3).fill(1)",
    "Tensor.new_tensor": "x.new(numbers)",
    "Tensor.bool": "x.byte()",
    "Tensor.unbind": "list(x)",
    "functional.linear": "x @ weight.t() + bias, or nn.Linear",
    "functional.dropout": "a module: self.drop = nn.Dropout(p)",
    "functional.conv2d": "a module: nn.SpatialConvolution",
    "functional.max_pool2d": "a module: nn.SpatialMaxPooling",
    "functional.embedding": "a module: nn.Embedding",
    "functional.layer_norm": "a module: nn.LayerNorm",
    "functional.mse_loss": "a criterion: nn.MSECriterion()",
    "functional.cross_entropy": f"a criterion: nn.CrossEntropyCriterion(); {CLASSES}",
    "functional.nll_loss": f"a criterion: nn.ClassNLLCriterion(); {CLASSES}",
    "functional.l1_loss": "a criterion: nn.AbsCriterion()",
    "functional.binary_cross_entropy": "a criterion: nn.BCECriterion()",
    "utils.clip_grad_norm_": "net.gradParamClip(cutoff)",
    "utils.clip_grad_value_": "gradients.clamp(-limit, limit), with parameters, gradients = net.getParameters()",
    "utils.parameters_to_vector": "net.getParameters(), two flat tensors that share the network's elements",
    "nn.init": "tensors' methods: layer.weight.uniform(a, b), .normal(mean, stdv), .fill(value)",
    **{f"optim.{name}": FEVAL.format(name.lower()) for name in (
        "SGD", "Adam", "Adamax", "Adadelta", "Adagrad", "RMSprop", "Rprop", "ASGD", "LBFGS",
    )},
    "optim.AdamW": FEVAL.format("adam") + "; functorch7.training runs optax.adamw",
    "optim.lr_scheduler": "config['learningRateDecay'], or config['learningRate'] = rate between steps",
}  # fmt: skip
"""What to write instead of each name, by the place that is asked for it."""


def instead(name: str) -> str:
    """What an error adds about a name such as "torch.arange"; nothing for unknown ones."""
    said = INSTEAD.get(name)
    return "" if said is None else f"; for PyTorch's {name}: {said}"
