-- A model of letters as char-rnn trains it: an LSTM by clones over time, rmsprop by a function of the flat parameters.
require 'nn'
require 'nngraph'
require 'optim'

local Letters, parent = torch.class('nn.Letters', 'nn.Module')

function Letters:__init(count)
  parent.__init(self)
  self.count, self.unit = count, torch.eye(count)
end

function Letters:updateOutput(input)
  self.output:resize(input:size(1), self.count):zero()
  self.unit = self.unit:float()
  self.output:copy(self.unit:index(1, input:long()))
  return self.output
end

-- The cell and output of one layer, after those of the step before.
local function lstm_layer(x, width, c, h, size)
  local sums = nn.CAddTable()({nn.Linear(width, 4 * size)(x), nn.Linear(size, 4 * size)(h)})
  local let_in, forget, out, new = nn.SplitTable(2)(nn.Reshape(4, size)(sums)):split(4)
  local kept = nn.CMulTable()({nn.Sigmoid()(forget), c})
  local added = nn.CMulTable()({nn.Sigmoid()(let_in), nn.Tanh()(new)})
  local next_c = nn.CAddTable()({kept, added})
  return next_c, nn.CMulTable()({nn.Sigmoid()(out), nn.Tanh()(next_c)})
end

local function network(vocabulary, size, layers)
  local inputs, outputs = {nn.Identity()()}, {}
  local x, width = nn.Letters(vocabulary)(inputs[1]), vocabulary
  for layer = 1, layers do
    local c, h = nn.Identity()(), nn.Identity()()
    table.insert(inputs, c)
    table.insert(inputs, h)
    local next_c, next_h = lstm_layer(x, width, c, h, size)
    table.insert(outputs, next_c)
    table.insert(outputs, next_h)
    x, width = next_h, size
  end
  table.insert(outputs, nn.LogSoftMax()(nn.Linear(size, vocabulary)(x)))
  return nn.gModule(inputs, outputs)
end

-- Copies by way of a file, whose parameters are the original's.
local function clones(original, count)
  local found, file = {}, torch.MemoryFile('w'):binary()
  file:writeObject(original)
  for i = 1, count do
    local reader = torch.MemoryFile(file:storage(), 'r'):binary()
    found[i] = reader:readObject()
    reader:close()
    if original.parameters then
      local params, grads = original:parameters()
      local own_params, own_grads = found[i]:parameters()
      for k = 1, #(params or {}) do -- criterions have none
        own_params[k]:set(params[k])
        own_grads[k]:set(grads[k])
      end
    end
  end
  file:close()
  return found
end

local function copies(tensors, as_zeros)
  local found = {}
  for i, each in ipairs(tensors) do
    found[i] = each:clone()
    if as_zeros then found[i]:zero() end
  end
  return found
end

-- A step of training on one batch of text, which gives its loss.
function char_rnn(vocabulary, size, layers, batch, length)
  torch.manualSeed(1)
  local model = network(vocabulary, size, layers)
  local params, grads = model:getParameters()
  params:uniform(-0.08, 0.08)
  local models, criterions = clones(model, length), clones(nn.ClassNLLCriterion(), length)
  local text = torch.rand(batch, length + 1):mul(vocabulary):floor():add(1):byte()
  local x_batch, y_batch = text:narrow(2, 1, length), text:narrow(2, 2, length)
  local zeros = {}
  for i = 1, 2 * layers do zeros[i] = torch.zeros(batch, size) end
  local begin, settings = copies(zeros), {learningRate = 2e-3, alpha = 0.95}

  local function feval(given)
    if given ~= params then params:copy(given) end
    grads:zero()
    local x, y = x_batch:transpose(1, 2):contiguous(), y_batch:transpose(1, 2):contiguous()
    local states, predictions, loss = {[0] = begin}, {}, 0
    for t = 1, length do
      models[t]:training()
      local outputs = models[t]:forward({x[t], unpack(states[t - 1])})
      states[t] = {}
      for i = 1, #zeros do table.insert(states[t], outputs[i]) end
      predictions[t] = outputs[#outputs]
      loss = loss + criterions[t]:forward(predictions[t], y[t])
    end
    loss = loss / length
    local gradients = {[length] = copies(zeros, true)}
    for t = length, 1, -1 do
      table.insert(gradients[t], criterions[t]:backward(predictions[t], y[t]))
      local found = models[t]:backward({x[t], unpack(states[t - 1])}, gradients[t])
      gradients[t - 1] = {}
      for place, value in pairs(found) do
        if place > 1 then gradients[t - 1][place - 1] = value end
      end
    end
    begin = states[#states]
    grads:clamp(-5, 5)
    return loss, grads
  end

  return function()
    local _, losses = optim.rmsprop(feval, params, settings)
    return losses[1]
  end
end
