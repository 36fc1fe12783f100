-- A residual network for small pictures as fb.resnet.torch trains it: sgd with momentum and weight decay.
require 'nn'
require 'optim'

local function convolved(into, planes, wanted, kernel, stride)
  local pad = (kernel - 1) / 2
  into:add(nn.SpatialConvolution(planes, wanted, kernel, kernel, stride, stride, pad, pad))
  return into:add(nn.SpatialBatchNormalization(wanted))
end

local function shortcut(planes, wanted, stride)
  if planes == wanted then return nn.Identity() end
  return convolved(nn.Sequential(), planes, wanted, 1, stride)
end

local function block(planes, wanted, stride)
  local residual = convolved(nn.Sequential(), planes, wanted, 3, stride):add(nn.ReLU(true))
  convolved(residual, wanted, wanted, 3, 1)
  local both = nn.ConcatTable():add(residual):add(shortcut(planes, wanted, stride))
  return nn.Sequential():add(both):add(nn.CAddTable(true)):add(nn.ReLU(true))
end

local function stage(planes, wanted, count, stride)
  local found = nn.Sequential()
  for i = 1, count do found:add(block(i == 1 and planes or wanted, wanted, i == 1 and stride or 1)) end
  return found
end

local function network(depth)
  local count, model = (depth - 2) / 6, nn.Sequential()
  convolved(model, 3, 16, 3, 1):add(nn.ReLU(true))
  model:add(stage(16, 16, count, 1)):add(stage(16, 32, count, 2)):add(stage(32, 64, count, 2))
  model:add(nn.SpatialAveragePooling(8, 8, 1, 1)):add(nn.View(64):setNumInputDims(3)):add(nn.Linear(64, 10))
  for _, each in pairs(model:findModules('nn.SpatialConvolution')) do
    each.weight:normal(0, math.sqrt(2 / (each.kW * each.kH * each.nOutputPlane)))
    each.bias:zero()
  end
  for _, each in pairs(model:findModules('nn.SpatialBatchNormalization')) do
    each.weight:fill(1)
    each.bias:zero()
  end
  return model
end

-- How many of a hundred are wrong where one may guess once, and where one may guess five times.
local function errors(output, target)
  local count = output:size(1)
  local _, guesses = output:float():sort(2, true)
  local right = guesses:eq(target:long():view(count, 1):expandAs(output))
  return 100 * (1 - right:narrow(2, 1, 1):sum() / count), 100 * (1 - right:narrow(2, 1, 5):sum() / count)
end

-- A step of training on one batch of pictures, which gives its loss.
function resnet(depth, batch)
  torch.manualSeed(1)
  local model, criterion = network(depth), nn.CrossEntropyCriterion()
  local params, grads = model:getParameters()
  local pictures, classes = torch.randn(batch, 3, 32, 32), torch.rand(batch):mul(10):floor():add(1)
  local input, target, losses, count = torch.Tensor(), torch.Tensor(), 0, 0
  local settings = {
    learningRate = 0.1, learningRateDecay = 0, momentum = 0.9, nesterov = true, dampening = 0, weightDecay = 1e-4,
  }
  local function feval() return criterion.output, grads end

  return function()
    model:training()
    input:resize(pictures:size()):copy(pictures)
    target:resize(classes:size()):copy(classes)
    local output = model:forward(input):float()
    local loss = criterion:forward(model.output, target)
    model:zeroGradParameters()
    criterion:backward(model.output, target)
    model:backward(input, criterion.gradInput)
    optim.sgd(feval, params, settings)
    local top1, top5 = errors(output, classes)
    losses, count = losses + loss * batch + 0 * (top1 + top5), count + batch
    assert(params:storage() == model:parameters()[1]:storage())
    return loss
  end
end
