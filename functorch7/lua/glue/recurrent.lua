-- What classes of Lua's have of nn.AbstractRecurrent: they keep their steps, and a clone for each, in Torch's tables.
local border, python, torch = ...
local call = border.call

local methods = {}

local function container() return torch.getmetatable('nn.Container') end

-- What is in a table under whole numbers, in their order, from 1 on.
local function closed_up(found)
  local places, made = {}, {}
  for place in pairs(found) do places[#places + 1] = place end
  table.sort(places)
  for i, place in ipairs(places) do made[i] = found[place] end
  return made
end

local function count(found)
  local many = 0
  for _ in pairs(found) do many = many + 1 end
  return many
end

function methods:__init(rho)
  container().__init(self)
  self.modules, self.rho, self.step = {}, rho or 99999, 1
  for _, name in ipairs {'outputs', 'gradInputs', '_gradOutputs', 'gradOutputs', 'sharedClones'} do self[name] = {} end
  self:reset()
end

function methods:getStepModule(step)
  if not step then error('expecting step at arg 1') end
  local found = self.sharedClones[step]
  if not found then
    found = self.recurrentModule:stepClone()
    self.sharedClones[step] = found
    self.nSharedClone = count(self.sharedClones)
  end
  return found
end

function methods:updateGradInput(input, gradOutput)
  local due = self.updateGradInputStep or self.step
  self.updateGradInputStep = due
  self.gradInput = self:_updateGradInput(input, gradOutput)
  self.updateGradInputStep = due - 1
  self.gradInputs[due - 1] = self.gradInput
  return self.gradInput
end

function methods:accGradParameters(input, gradOutput, scale)
  if not self.updateGradInputStep or self.updateGradInputStep >= self.step then error('Missing updateGradInput') end
  local due = self.accGradParametersStep or self.step
  self.accGradParametersStep = due
  self:_accGradParameters(input, gradOutput, scale)
  self.accGradParametersStep = due - 1
end

-- Lets the clone of a step that is older than `rho` serve the present one.
function methods:recycle()
  self.nSharedClone = self.nSharedClone or count(self.sharedClones)
  local kept = math.max(self.rho + 1, self.nSharedClone)
  local old = self.step - kept
  if self.sharedClones[self.step] == nil then
    for _, name in ipairs {'sharedClones', '_gradOutputs'} do
      self[name][self.step] = self[name][old]
      self[name][old] = nil
    end
  end
  self.outputs[old - 1], self.gradInputs[old - 1] = nil, nil
  return self
end

function methods:forget()
  container().forget(self)
  if self.train ~= false then
    self.outputs, self.gradInputs, self.gradOutputs = {}, {}, {}
    self.sharedClones, self._gradOutputs = closed_up(self.sharedClones), closed_up(self._gradOutputs)
    if self.cells then self.cells, self.gradCells = {}, {} end
  end
  self.step = 1
  return self
end

function methods:clearState()
  self:forget()
  for _, name in ipairs {'gradPrevOutput', 'cell', '_input', '_gradOutput'} do self[name] = nil end
  for _, name in ipairs {'outputs', 'gradInputs', 'gradOutputs', '_gradOutputs'} do self[name] = {} end
  if self.cells then self.cells, self.gradCells = {}, {} end
  for _, clone in ipairs(self.sharedClones) do clone:clearState() end
  return container().clearState(self)
end

-- What is said to the module is said to its clones, too.
for _, name in ipairs {'training', 'evaluate'} do
  methods[name] = function(self, ...)
    for _, clone in pairs(self.sharedClones or {}) do clone[name](clone, ...) end
    return container()[name](self, ...)
  end
end

function methods:setOutputStep(step)
  self.output, self.gradInput = self.outputs[step], self.gradInputs[step]
  if not self.output then error('no output for step ' .. step) end
end

-- Shows the output of a step, if the class keeps steps.
function methods:_showStep(step)
  if next(self.outputs or {}) ~= nil then self:setOutputStep(step) end
end

function methods:includingSharedClones(f)
  local modules, clones = self.modules, self.sharedClones
  local all = {}
  for _, found in ipairs {modules, clones} do
    for _, each in pairs(found) do all[#all + 1] = each end
  end
  self.modules, self.sharedClones = all, nil
  local results = {f()}
  self.modules, self.sharedClones = modules, clones
  return unpack(results)
end

function methods:__tostring__()
  local name = torch.typename(self)
  return self.inputSize and self.outputSize and ('%s(%d -> %d)'):format(name, self.inputSize, self.outputSize) or name
end

function methods:maxBPTTstep(rho) self.rho = rho end

for _, name in ipairs {'getHiddenState', 'setHiddenState', 'getGradHiddenState', 'setGradHiddenState'} do
  methods[name] = function() error 'Not Implemented' end
end

-- A module around that of the step clears what it gives for padding.
for name, around in pairs {maskZero = 'MaskZero', trimZero = 'TrimZero'} do
  methods[name] = function(self, dimensions)
    self.recurrentModule = nn[around](self.recurrentModule, dimensions, true)
    self.sharedClones, self.modules[1] = {self.recurrentModule}, self.recurrentModule
    return self
  end
end

local below = {['nn.AbstractRecurrent'] = methods} -- by the name of a class what those of Lua's below it have of it
border.keeping_steps = below

local made = {} -- the numbers of the classes that stand for Python's

-- A method for those that keep their steps; classes that only build other parts of a step have Python's.
local function method_of_either(number, key, method)
  local compiled = border.class(number)
  return function(self, ...) return (self.keeps_steps and method or compiled[key])(self, ...) end
end

-- The number of the class that a class of Lua's is derived from: of a recurrence one that keeps its steps in Lua.
function border.derived_from(number)
  if made[number] then return made[number] end
  local found, name, above = call(python.class_with_steps, number, nil)
  if not found then return number end
  made[number] = found
  local class = border.class(found)
  for key, method in pairs(below[name]) do class[key] = method_of_either(number, key, method) end
  if above then border.derived_from(above) end
  return found
end
