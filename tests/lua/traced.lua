--- OneHot: compiled with the rest
-- As char-rnn's: a field whose name begins with an underscore, and a layer that passes no gradient on.
local Layer, parent = torch.class('Layer', 'nn.Module')
function Layer:__init(size)
  parent.__init(self)
  self.size = size or 3
  self._eye = torch.eye(self.size)
end
function Layer:updateOutput(input)
  self.output:resize(input:size(1), self.size):zero()
  if self._eye == nil then self._eye = torch.eye(self.size) end
  self._eye = self._eye:float():double()
  self.output:copy(self._eye:index(1, input:clone():clamp(1, 3):floor():long()[{{}, 1}]))
  return self.output
end

--- Cube: compiled with the rest
-- Written as Torch's layers are.
local Layer, parent = torch.class('Layer', 'nn.Module')
function Layer:updateOutput(input)
  self.seen = input:clone()
  return self.output:resizeAs(input):copy(input):pow(3)
end
function Layer:updateGradInput(input, gradOutput)
  self.gradInput:resizeAs(input):copy(gradOutput):cmul(self.seen):cmul(self.seen):mul(3)
  return self.gradInput
end

--- Scale: compiled with the rest
-- With a parameter, a function beside it and one of the class.
local Layer, parent = torch.class('Layer', 'nn.Module')
local function scaled(x, weight) return torch.cmul(x, weight:view(1, weight:size(1)):expandAs(x)) end
function Layer:__init()
  parent.__init(self)
  self.weight = torch.range(1, 3)
  self.gradWeight = torch.zeros(3)
end
function Layer:scaled(x) return scaled(x, self.weight) end
function Layer:updateOutput(input)
  self.output = self:scaled(input)
  return self.output
end
function Layer:updateGradInput(input, gradOutput)
  self.gradInput = self:scaled(gradOutput)
  return self.gradInput
end
function Layer:accGradParameters(input, gradOutput, scale)
  self.gradWeight:add(scale or 1, torch.cmul(input, gradOutput):sum(1):view(3))
end

--- Loss: compiled with the rest
-- As neural-style's: a criterion inside, modes, and a loss that is a number.
local Layer, parent = torch.class('Layer', 'nn.Module')
function Layer:__init()
  parent.__init(self)
  self.strength, self.mode = 0.5, 'capture'
  self.target = torch.Tensor()
  self.crit = nn.MSECriterion()
end
function Layer:updateOutput(input)
  if self.mode == 'capture' then
    self.target:resizeAs(input):copy(input)
    self.mode = 'loss'
  elseif self.mode == 'loss' then
    self.loss = self.crit:forward(input, self.target) * self.strength
  end
  self.output = input
  return self.output
end
function Layer:updateGradInput(input, gradOutput)
  if self.mode == 'loss' and input:nElement() == self.target:nElement() then
    self.gradInput = self.crit:backward(input, self.target)
    if self.normalize then self.gradInput:div(torch.norm(self.gradInput, 1) + 1e-8) end
    self.gradInput:mul(self.strength)
    self.gradInput:add(gradOutput)
  else
    self.gradInput:resizeAs(gradOutput):copy(gradOutput)
  end
  return self.gradInput
end

--- Parts: compiled with the rest
-- Ranges, loops, tables, numbers of Lua's library, and variables outside.
local Layer, parent = torch.class('Layer', 'nn.Module')
local factor = 2
power = 3
function Layer:updateOutput(input)
  local parts, rows, columns = {}, input:size(1), input:size(2)
  for i = 1, columns do
    parts[#parts + 1] = input[{{}, {i}}] * (i % 2 == 0 and -factor or math.max(factor, math.sqrt(16)))
  end
  for i, part in ipairs(parts) do
    if i > 2 then part:add(power ^ 2):neg() end
  end
  local all = torch.cat(parts, 2)
  local left = columns
  while left > 1 do left = left - 1 end
  self.output:resizeAs(input):zero()
  self.output[{{}, {1, columns - 1}}] = all[{{}, {left + 1, columns}}]
  self.output[{{}, columns}]:copy(-all[{{}, 1}] + select('#', unpack(parts)) - 10 / 4)
  return self.output
end
function Layer:updateGradInput(input, gradOutput)
  self.gradInput = gradOutput:clone():fill(0)
  self.gradInput:narrow(2, 1, 2):add(gradOutput:narrow(2, 2, 2)):mul(2)
  return self.gradInput
end

--- Below: compiled with the rest
-- A class below another of Lua's, which it calls.
local Above, above = torch.class('Above', 'nn.Module')
function Above:__init(by)
  above.__init(self)
  self.by = by
end
function Above:shift() return 1 end
function Above:updateOutput(input)
  self.output:resizeAs(input):copy(input):mul(self.by):add(self:shift())
  return self.output
end
function Above:updateGradInput(input, gradOutput)
  self.gradInput:resizeAs(gradOutput):copy(gradOutput):mul(self.by)
  return self.gradInput
end
local Layer, parent = torch.class('Layer', 'Above')
function Layer:__init() parent.__init(self, 3) end
function Layer:shift() return parent.shift(self) * 2 end
function Layer:updateOutput(input) return parent.updateOutput(self, input):abs() end

--- Loops: compiled with the rest
-- Through tables that are made here, and those outside: lists, names, and how many.
local Layer = torch.class('Layer', 'nn.Module')
local factors, shifts = {2, 3, 4}, {first = 1, second = 20, third = 300}
function Layer:updateOutput(input)
  local sum = torch.zeros(input:size())
  for i, each in pairs {input, input * 2} do sum:add(i, each) end
  for i, factor in ipairs(factors) do sum[{{}, i}]:mul(factor) end
  for _, factor in pairs(factors) do sum:add(factor / #factors) end
  for name, shift in pairs(shifts) do sum:add(name == 'third' and -shift or shift) end
  for name, by in pairs {only = 5} do sum:mul(name == 'only' and by or 0) end
  if next({}) == nil and next(factors) == 1 and select('#', unpack(factors)) == 3 then sum:add(0.5) end
  self.output:resizeAs(sum):copy(sum)
  return self.output
end
function Layer:updateGradInput(input, gradOutput)
  self.gradInput:resizeAs(input):copy(gradOutput):mul(25)
  for i = #factors, 1, -1 do self.gradInput[{{}, i}]:mul(factors[i]) end
  return self.gradInput
end

--- Words: compiled with the rest
-- Names and messages that are made of others.
local Layer, parent = torch.class('Layer', 'nn.Module')
function Layer:__init()
  parent.__init(self)
  self.kind, self.times_two, self.times_three = 'TWO', 2, 3
end
function Layer:updateOutput(input)
  assert(input:dim() == 2, string.format('%s of %d dimensions', torch.type(self.output), input:dim()))
  local list, letters = {}, 0
  table.insert(list, tonumber(self.times_two))
  local kinds = {type(list), type(self.kind), type(list[1]), type(nil), type(input), type(true), type(assert)}
  for _, each in ipairs(kinds) do letters = letters + string.len(each) end
  if torch.typename(input) and not torch.typename(list) then letters = letters * string.len(select(2, unpack(kinds))) end
  self.output = input * self['times_' .. string.lower(self.kind)] + string.len(string.rep('ab', 3)) / 7 + letters / 50
  return self.output
end
function Layer:updateGradInput(_, gradOutput)
  self.gradInput = gradOutput * self[string.sub('a times_three', 3)]
  return self.gradInput
end

--- Closures: compiled with the rest
-- Functions that are made here: with variables that they share, one for each round of a loop, recursive ones, of tables.
local Layer = torch.class('Layer', 'nn.Module')
local outer = 2
function Layer:updateOutput(input)
  local calls, made = 0, {}
  local function counted(f)
    return function(...)
      calls = calls + 1
      return f(...)
    end
  end
  for i = 1, 3 do made[i] = counted(function(x) return x * (i + outer) end) end
  local function power(x, n)
    if n == 0 then return 1 end
    return x * power(x, n - 1)
  end
  local helper = {twice = function(x) return x * 2 end}
  self.output = made[1](input) + made[3](helper.twice(input)) * power(2, 3) + calls
  calls = 10
  self.output:add(calls):add((function() return calls + outer end)())
  return self.output
end
function Layer:updateGradInput(_, gradOutput)
  local factor = 0
  local function add(by) factor = factor + by end
  for _, by in ipairs {3, 80} do add(by) end
  self.gradInput = gradOutput * factor
  return self.gradInput
end

--- Composed: compiled with the rest
-- Of modules in its fields, whose methods it calls.
local Layer, parent = torch.class('Layer', 'nn.Module')
function Layer:__init()
  parent.__init(self)
  self.linear, self.tanh = nn.Linear(3, 3), nn.Tanh()
  self.both = nn.Sequential():add(nn.Linear(3, 3)):add(nn.Sigmoid())
end
function Layer:updateOutput(input)
  self.inner = self.linear:forward(input)
  self.output = self.tanh:updateOutput(self.inner) + self.both:forward(input)
  return self.output
end
function Layer:updateGradInput(input, gradOutput)
  local back = self.linear:updateGradInput(input, self.tanh:updateGradInput(self.inner, gradOutput))
  self.gradInput = back + self.both:updateGradInput(input, gradOutput)
  return self.gradInput
end

--- First: called between compiled parts (the network hands on its gradInput, the very tensor)
local Layer = torch.class('Layer', 'nn.Module')
function Layer:updateOutput(input) return self.output:resizeAs(input):copy(input) end
function Layer:updateGradInput(_, gradOutput) return self.gradInput:resizeAs(gradOutput):copy(gradOutput) end
first = true

--- Counting: called between compiled parts (its constants change too often)
local Layer = torch.class('Layer', 'nn.Module')
function Layer:updateOutput(input)
  self.count = (self.count or 0) + 1
  self.output = input * 2
  return self.output
end
function Layer:updateGradInput(_, gradOutput) return gradOutput * 2 end

--- Listing: called between compiled parts (it writes to something outside of it)
local Layer = torch.class('Layer', 'nn.Module')
seen = {}
function Layer:updateOutput(input)
  seen[#seen + 1] = 1
  return input * 2
end
function Layer:updateGradInput(_, gradOutput) return gradOutput * 2 end

--- Held: called between compiled parts (it uses factors)
local Layer = torch.class('Layer', 'nn.Module')
local factors = torch.Tensor(4, 3):fill(2)
function Layer:updateOutput(input)
  self.output = torch.cmul(input, factors)
  factors:add(1)
  return self.output
end
function Layer:updateGradInput(_, gradOutput) return gradOutput * 2 end

--- Keyed: called between compiled parts (it looks under true or false)
local Layer = torch.class('Layer', 'nn.Module')
function Layer:updateOutput(input)
  local factors = {5}
  factors[input:dim() == 2] = 2
  return input * factors[true]
end
function Layer:updateGradInput(_, gradOutput) return gradOutput * 2 end

--- KeyedAtFirst: called between compiled parts (its code is not readable: true or false as a key)
local Layer = torch.class('Layer', 'nn.Module')
function Layer:updateOutput(input) return input * ({5, [true] = 2})[1] end
function Layer:updateGradInput(_, gradOutput) return gradOutput * 2 end

--- Keeping: called between compiled parts (it writes to something outside of it)
local Layer = torch.class('Layer', 'nn.Module')
kept = {}
function Layer:updateOutput(input)
  kept.last = 1
  return input * 2
end
function Layer:updateGradInput(_, gradOutput) return gradOutput * 2 end

--- Setting: called between compiled parts (it sets a variable outside of it)
local Layer = torch.class('Layer', 'nn.Module')
local calls = 0
function Layer:updateOutput(input)
  calls = calls + 1
  return input * 2
end
function Layer:calls() return calls end
function Layer:updateGradInput(_, gradOutput) return gradOutput * 2 end

--- Looking: called between compiled parts (it asks for values)
local Layer = torch.class('Layer', 'nn.Module')
function Layer:updateOutput(input) return input:sum() > 0 and input * 2 or input * 3 end
function Layer:updateGradInput(_, gradOutput) return gradOutput * 2 end

--- Comparing: called between compiled parts (it asks for values)
local Layer = torch.class('Layer', 'nn.Module')
function Layer:updateOutput(input) return input:sum() == 0 and input * 3 or input * 2 end
function Layer:updateGradInput(_, gradOutput) return gradOutput * 2 end

--- Printing: called between compiled parts (it uses write)
local Layer = torch.class('Layer', 'nn.Module')
function Layer:updateOutput(input)
  io.write('')
  return input * 2
end
function Layer:updateGradInput(_, gradOutput) return gradOutput * 2 end

--- Drawing: called between compiled parts (it uses rand)
local Layer = torch.class('Layer', 'nn.Module')
function Layer:updateOutput(input) return input * 2 + torch.rand(1)[1] * 0 end
function Layer:updateGradInput(_, gradOutput) return gradOutput * 2 end

--- Writing: called between compiled parts (it writes to its arguments)
local Layer = torch.class('Layer', 'nn.Module')
function Layer:updateOutput(input) return input:mul(2):clone() end
function Layer:updateGradInput(_, gradOutput) return gradOutput * 2 end

--- Scattered: called between compiled parts (it goes through a table in Lua's own order)
local Layer = torch.class('Layer', 'nn.Module')
function Layer:updateOutput(input)
  local sum = torch.zeros(input:size())
  for _, each in pairs {a = input, b = input} do sum:add(each) end
  return sum
end
function Layer:updateGradInput(_, gradOutput) return gradOutput * 2 end

--- Handing: called between compiled parts (it hands a function or table on)
local Layer = torch.class('Layer', 'nn.Module')
function Layer:updateOutput(input) return input:clone():apply(function(x) return x * 2 end) end
function Layer:updateGradInput(_, gradOutput) return gradOutput * 2 end

--- Catching: called between compiled parts (it uses pcall)
local Layer = torch.class('Layer', 'nn.Module')
function Layer:updateOutput(input)
  local _, result = pcall(torch.mul, input, 2)
  return result
end
function Layer:updateGradInput(_, gradOutput) return gradOutput * 2 end

--- Tables: called between compiled parts (it has a table or function of Lua's in a field)
local Layer, parent = torch.class('Layer', 'nn.Module')
function Layer:__init()
  parent.__init(self)
  self.factors = {2, 2}
end
function Layer:updateOutput(input)
  self.output = input * self.factors[1]
  return self.output
end
function Layer:updateGradInput(_, gradOutput) return gradOutput * self.factors[2] end
