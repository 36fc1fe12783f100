-- Two networks against each other as dcgan.torch trains them: each by adam, with a function of its own.
require 'nn'
require 'optim'

local function begin(module)
  local name = torch.type(module)
  if name:find('Convolution') then
    module.weight:normal(0, 0.02)
    module:noBias()
  elseif name:find('BatchNormalization') then
    module.weight:normal(1, 0.02)
    module.bias:fill(0)
  end
end

-- Pictures of 64 x 64, out of noise.
local function generator(noise, width)
  local made = nn.Sequential():add(nn.SpatialFullConvolution(noise, width * 8, 4, 4))
  for _, wanted in ipairs {width * 4, width * 2, width} do
    made:add(nn.SpatialBatchNormalization(wanted * 2)):add(nn.ReLU(true))
    made:add(nn.SpatialFullConvolution(wanted * 2, wanted, 4, 4, 2, 2, 1, 1))
  end
  made:add(nn.SpatialBatchNormalization(width)):add(nn.ReLU(true))
  made:add(nn.SpatialFullConvolution(width, 3, 4, 4, 2, 2, 1, 1)):add(nn.Tanh())
  return made:apply(begin)
end

-- Whether such pictures are real.
local function discriminator(width)
  local made = nn.Sequential():add(nn.SpatialConvolution(3, width, 4, 4, 2, 2, 1, 1)):add(nn.LeakyReLU(0.2, true))
  for _, wanted in ipairs {width * 2, width * 4, width * 8} do
    made:add(nn.SpatialConvolution(wanted / 2, wanted, 4, 4, 2, 2, 1, 1))
    made:add(nn.SpatialBatchNormalization(wanted)):add(nn.LeakyReLU(0.2, true))
  end
  made:add(nn.SpatialConvolution(width * 8, 1, 4, 4)):add(nn.Sigmoid()):add(nn.View(1):setNumInputDims(3))
  return made:apply(begin)
end

-- A step of training of both on one batch of pictures, which gives the sum of their losses.
function dcgan(size, width, batch)
  torch.manualSeed(1)
  local maker, judge, criterion = generator(size, width), discriminator(width), nn.BCECriterion()
  local judge_params, judge_grads = judge:getParameters()
  local maker_params, maker_grads = maker:getParameters()
  local pictures = torch.rand(batch, 3, 64, 64):mul(2):add(-1)
  local input, noise, label = torch.Tensor(batch, 3, 64, 64), torch.Tensor(batch, size, 1, 1), torch.Tensor(batch)
  local judge_settings, maker_settings = {learningRate = 2e-4, beta1 = 0.5}, {learningRate = 2e-4, beta1 = 0.5}
  local count, judge_loss, maker_loss = 0, nil, nil

  local function judged(real)
    label:fill(real)
    local output = judge:forward(input)
    local loss = criterion:forward(output, label)
    judge:backward(input, criterion:backward(output, label))
    return loss
  end

  local function judge_feval()
    judge_grads:zero()
    input:copy(pictures)
    local loss_of_real = judged(1)
    count = count + 1
    torch.manualSeed(count) -- so that all ways draw the same
    noise:normal(0, 1)
    input:copy(maker:forward(noise))
    judge_loss = loss_of_real + judged(0)
    return judge_loss, judge_grads
  end

  local function maker_feval()
    maker_grads:zero()
    label:fill(1)
    local output = judge.output
    maker_loss = criterion:forward(output, label)
    maker:backward(noise, judge:updateGradInput(input, criterion:backward(output, label)))
    return maker_loss, maker_grads
  end

  return function()
    optim.adam(judge_feval, judge_params, judge_settings)
    optim.adam(maker_feval, maker_params, maker_settings)
    return judge_loss + maker_loss
  end
end
