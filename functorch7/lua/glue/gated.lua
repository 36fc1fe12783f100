-- What classes of Lua's have of nn.LSTM, nn.FastLSTM and nn.GRU: they keep their steps, as those below nn.AbstractRecurrent.
local border, python, torch, below = ...
local call = border.call

local PARTS = {
  {output = 'output', outputs = 'outputs', gradients = 'gradOutputs', first = 'userPrevOutput', last = 'userNextGradOutput'},
  {output = 'cell', outputs = 'cells', gradients = 'gradCells', first = 'userPrevCell', last = 'userNextGradCell'},
}

-- Methods of those whose step is a module [x, h] -> h, or, where the state has two parts, [x, h, c] -> [h, c].
local function stepping(count)
  local methods = {}

  local function packed(values)
    if count == 1 then return values[1] end
    return values
  end

  local function parts_of(state) return count == 1 and {state} or {unpack(state, 1, count)} end

  local function collected(get)
    local found = {}
    for i = 1, count do found[i] = get(PARTS[i]) end
    return packed(found)
  end

  local function with_state(self, input, state) return {input, unpack(parts_of(state), 1, count)} end

  function methods:getHiddenState(step, input)
    step = step or self.step - 1
    if step == 0 and input then
      self.zeroTensor:resize(unpack(input:dim() == 2 and {input:size(1), self.outputSize} or {self.outputSize})):zero()
    end
    return collected(function(part)
      local kept = self[part.outputs][step]
      return step == 0 and (self[part.first] or kept or self.zeroTensor) or kept
    end)
  end

  function methods:setHiddenState(step, state)
    for i, each in ipairs(parts_of(state)) do self[PARTS[i].outputs][step or self.step - 1] = each end
  end

  function methods:getGradHiddenState(step)
    step = step or (self.updateGradInputStep or self.step) - 1
    return collected(function(part)
      local kept = self[part.gradients][step]
      return step == self.step - 1 and (self[part.last] or kept or self.zeroTensor) or kept
    end)
  end

  function methods:setGradHiddenState(step, state)
    step = step or (self.updateGradInputStep or self.step) - 1
    for i, each in ipairs(parts_of(state)) do self[PARTS[i].gradients][step] = each end
  end

  function methods:updateOutput(input)
    local before, module = self:getHiddenState(self.step - 1, input), self.recurrentModule
    if self.train ~= false then
      self:recycle()
      module = self:getStepModule(self.step)
    end
    for i, each in ipairs(parts_of(module:updateOutput(with_state(self, input, before)))) do
      self[PARTS[i].outputs][self.step], self[PARTS[i].output] = each, each
    end
    self.step = self.step + 1
    self.gradPrevOutput, self.updateGradInputStep, self.accGradParametersStep = nil, nil, nil
    return self.output
  end

  function methods:_updateGradInput(input, gradOutput)
    if self.step <= 1 then error 'expecting at least one updateOutput' end
    local step = self.updateGradInputStep - 1
    local module, gradients = self:getStepModule(step), parts_of(self:getGradHiddenState(step))
    local whole = nn.rnn.recursiveCopy(self._gradOutputs[step], gradients[1])
    nn.rnn.recursiveAdd(whole, gradOutput)
    self._gradOutputs[step], gradients[1] = whole, whole
    local found = module:updateGradInput(with_state(self, input, self:getHiddenState(step - 1)), packed(gradients))
    self:setGradHiddenState(step - 1, packed {unpack(found, 2, count + 1)})
    return found[1]
  end

  function methods:_accGradParameters(input, gradOutput, scale)
    local step = self.accGradParametersStep - 1
    local module, gradients = self:getStepModule(step), parts_of(self:getGradHiddenState(step))
    gradients[1] = self._gradOutputs[step] or gradients[1]
    module:accGradParameters(with_state(self, input, self:getHiddenState(step - 1)), packed(gradients), scale)
  end

  function methods:clearState()
    for _, name in ipairs {'zeroTensor', 'userPrevOutput', 'userPrevCell', 'userGradPrevOutput', 'userGradPrevCell'} do
      if self[name] then self[name]:set() end
    end
    return torch.getmetatable('nn.AbstractRecurrent').clearState(self)
  end

  return methods
end

-- The step's module, and the tables of the steps.
local function begin(self)
  self.recurrentModule = self:buildModel()
  self.modules[1], self.sharedClones[1] = self.recurrentModule, self.recurrentModule
  self.zeroTensor, self.cells, self.gradCells = torch.Tensor(), {}, {}
end

local function built(self, name) return call(python.part_of_step, 0, nil, self, name) end

local lstm = stepping(2)

function lstm:__init(inputSize, outputSize, rho, cell2gate, p, mono)
  below['nn.AbstractRecurrent'].__init(self, rho or 9999)
  self.inputSize, self.outputSize = inputSize, outputSize or inputSize
  self.cell2gate, self.p, self.mono = cell2gate == nil or cell2gate, p or 0, mono or false
  begin(self)
end

local BUILT = {
  buildInputGate = 'inputGate', buildForgetGate = 'forgetGate', buildHidden = 'hiddenLayer', buildCell = 'cellLayer',
  buildOutputGate = 'outputGate',
}

for name, field in pairs(BUILT) do
  lstm[name] = function(self)
    self[field] = built(self, name)
    return self[field]
  end
end

function lstm:buildGate() return built(self, 'buildGate') end
function lstm:buildModel() return built(self, 'buildModel') end

-- What builds the step of a cell like one of Python's; the layers that compute all gates at once are fields.
local function building_as(make)
  return function(self)
    local whole = call(make, 0, nil, self)
    self.i2g, self.o2g = whole.i2g, whole.o2g
    return whole.recurrentModule
  end
end

local fast = {buildModel = building_as(python.fast_lstm)}

function fast:__init(inputSize, outputSize, rho, eps, momentum, affine, p, mono)
  self.eps, self.momentum, self.affine = eps, momentum, affine == nil or affine
  lstm.__init(self, inputSize, outputSize, rho, nil, p, mono)
end

local gru = stepping(1)
gru.buildModel = building_as(python.gru)

function gru:__init(inputSize, outputSize, rho, p, mono)
  below['nn.AbstractRecurrent'].__init(self, rho or 9999)
  self.inputSize, self.outputSize, self.p, self.mono = inputSize, outputSize, p or 0, mono or false
  begin(self)
end

function gru:__tostring__()
  return ('%s(%d -> %d, %.2f)'):format(torch.typename(self), self.inputSize, self.outputSize, self.p)
end

below['nn.LSTM'], below['nn.FastLSTM'], below['nn.GRU'] = lstm, fast, gru
