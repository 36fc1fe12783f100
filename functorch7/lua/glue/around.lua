-- What classes of Lua's have of nn.Recurrence and nn.Recurrent, which run modules that they are given at every step.
local torch, below = ...

local function above() return below['nn.AbstractRecurrent'] end

local function step_is_over(self, output)
  self.outputs[self.step], self.output = output, output
  self.step = self.step + 1
  self.gradPrevOutput, self.updateGradInputStep, self.accGradParametersStep = nil, nil, nil
  return output
end

local function expect_a_step(self)
  if self.step <= 1 then error 'expecting at least one updateOutput' end
end

-- What arrives at a step's output: its gradient, and what the next step has passed back.
local function whole_gradient(self, step, passed, gradOutput)
  local whole = nn.rnn.recursiveCopy(self._gradOutputs[step], passed)
  nn.rnn.recursiveAdd(whole, gradOutput)
  self._gradOutputs[step] = whole
  return whole
end

local recurrence = {}

function recurrence:__init(recurrentModule, outputSize, nInputDim, rho)
  above().__init(self, rho or 9999)
  self.outputSize = type(outputSize) == 'number' and {outputSize} or outputSize
  self.nInputDim = nInputDim
  self.recurrentModule, self.module = recurrentModule, recurrentModule
  self.modules[1], self.sharedClones[1] = recurrentModule, recurrentModule
  self.typeTensor = torch.Tensor()
end

function recurrence:recursiveResizeZero(tensor, size, batchSize)
  local nested = torch.type(size) == 'table' and type(size[1]) ~= 'number'
  if nested then
    tensor = torch.type(tensor) == 'table' and tensor or {}
    for i, each in ipairs(size) do tensor[i] = self:recursiveResizeZero(tensor[i], each, batchSize) end
    return tensor
  end
  local sizes = {unpack(torch.type(size) == 'table' and size or size:totable())}
  if batchSize then table.insert(sizes, 1, batchSize) end
  tensor = torch.isTensor(tensor) and tensor or self.typeTensor.new()
  return tensor:resize(unpack(sizes)):zero()
end

function recurrence:getBatchSize(input, nInputDim)
  if torch.type(input) == 'table' then return self:getBatchSize(input[1]) end
  local extra = input:dim() - (nInputDim or self.nInputDim)
  if extra ~= 0 and extra ~= 1 then error('inconsistent number of dimensions: ' .. input:dim()) end
  return extra == 1 and input:size(1) or nil
end

function recurrence:getHiddenState(step, input)
  if step == 0 and input then
    self.zeroTensor = self:recursiveResizeZero(self.zeroTensor, self.outputSize, self:getBatchSize(input))
  end
  local before = self.outputs[step]
  if step == 0 then before = self.userPrevOutput or before or self.zeroTensor end
  return {before, nn.Container.getHiddenState(self, step)}
end

function recurrence:setHiddenState(step, state)
  self.outputs[step] = state[1]
  if state[2] then nn.Container.setHiddenState(self, step, state[2]) end
end

function recurrence:getGradHiddenState(step)
  local found = self.gradOutputs[step]
  if step == self.step - 1 then found = self.userNextGradOutput or found or self.zeroTensor end
  return {found, nn.Container.getGradHiddenState(self, step)}
end

function recurrence:setGradHiddenState(step, state)
  self.gradOutputs[step] = state[1]
  if state[2] then nn.Container.setGradHiddenState(self, step, state[2]) end
end

function recurrence:updateOutput(input)
  local before, module = self:getHiddenState(self.step - 1, input)[1], self.recurrentModule
  if self.train ~= false then
    self:recycle()
    module = self:getStepModule(self.step)
  end
  return step_is_over(self, module:updateOutput {input, before})
end

function recurrence:_updateGradInput(input, gradOutput)
  expect_a_step(self)
  local step = self.updateGradInputStep - 1
  local whole = whole_gradient(self, step, self:getGradHiddenState(step)[1], gradOutput)
  local found = self:getStepModule(step):updateGradInput({input, self:getHiddenState(step - 1)[1]}, whole)
  self:setGradHiddenState(step - 1, {found[2]})
  return found[1]
end

function recurrence:_accGradParameters(input, _, scale)
  local step = self.accGradParametersStep - 1
  local gradient = self._gradOutputs[step] or self:getGradHiddenState(step)[1]
  self:getStepModule(step):accGradParameters({input, self:getHiddenState(step - 1)[1]}, gradient, scale)
end

function recurrence:__tostring__() return torch.typename(self) .. ' @ ' .. tostring(self.modules[1]) end

local recurrent = {}

function recurrent:__init(start, input, feedback, transfer, rho, merge)
  above().__init(self, rho)
  if type(start) == 'number' or torch.type(start) == 'torch.LongStorage' then start = nn.Add(start) end
  if torch.type(start) == 'table' then start = nn.Add(torch.LongStorage(start)) end
  self.startModule, self.inputModule, self.feedbackModule = start, input, feedback
  self.transferModule, self.mergeModule = transfer or nn.Sigmoid(), merge or nn.CAddTable()
  self.modules = {start, input, feedback, self.transferModule, self.mergeModule}
  self:buildInitialModule()
  self:buildRecurrentModule()
  self.sharedClones[2] = self.recurrentModule
end

function recurrent:buildInitialModule()
  self.initialModule = nn.Sequential():add(self.inputModule:sharedClone()):add(self.startModule)
  self.initialModule:add(self.transferModule:sharedClone())
end

function recurrent:buildRecurrentModule()
  local both = nn.ParallelTable():add(self.inputModule):add(self.feedbackModule)
  self.recurrentModule = nn.Sequential():add(both):add(self.mergeModule):add(self.transferModule)
end

function recurrent:updateOutput(input)
  if self.step == 1 then return step_is_over(self, self.initialModule:updateOutput(input)) end
  local module = self.recurrentModule
  if self.train ~= false then
    self:recycle()
    module = self:getStepModule(self.step)
  end
  return step_is_over(self, module:updateOutput {input, self.outputs[self.step - 1]})
end

function recurrent:_updateGradInput(input, gradOutput)
  expect_a_step(self)
  local step = self.updateGradInputStep - 1
  if self.gradPrevOutput then gradOutput = whole_gradient(self, step, self.gradPrevOutput, gradOutput) end
  if step == 1 then return self.initialModule:updateGradInput(input, gradOutput) end
  local found = self:getStepModule(step):updateGradInput({input, self.outputs[step - 1]}, gradOutput)
  self.gradPrevOutput = found[2]
  return found[1]
end

function recurrent:_accGradParameters(input, gradOutput, scale)
  local step = self.accGradParametersStep - 1
  if step ~= self.step - 1 then gradOutput = self._gradOutputs[step] end
  if step == 1 then return self.initialModule:accGradParameters(input, gradOutput, scale) end
  self:getStepModule(step):accGradParameters({input, self.outputs[step - 1]}, gradOutput, scale)
end

function recurrent:__tostring__()
  local line = '\n  '
  local function part(module, indent) return tostring(module):gsub('\n', line .. indent) end
  local deep = '    |    '
  return torch.typename(self) .. ' {' .. line .. '[{input(t), output(t-1)} -> (1) -> (2) -> (3) -> output(t)]'
    .. line .. '(1):  {' .. line .. '  input(t)'
    .. line .. '    |`-> (t==0): ' .. part(self.startModule, deep)
    .. line .. '    |`-> (t~=0): ' .. part(self.inputModule, deep)
    .. line .. '  output(t-1)'
    .. line .. '    |`-> ' .. part(self.feedbackModule, deep) .. line .. '}'
    .. line .. '(2): ' .. part(self.mergeModule, '') .. line .. '(3): ' .. part(self.transferModule, '') .. '\n}'
end

for _, name in ipairs {'maskZero', 'trimZero'} do
  recurrent[name] = function()
    error("nn.Recurrent has another module for the first step, and no " .. name .. ": nn.Recurrence has")
  end
end

below['nn.Recurrence'], below['nn.Recurrent'] = recurrence, recurrent
