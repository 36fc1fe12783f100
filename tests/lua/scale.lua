-- A layer and a criterion in Lua, and functions beside them.
require 'nn'

local Scale, parent = torch.class('nn.LuaScale', 'nn.Module')

function Scale:__init(factor)
  parent.__init(self)
  self.factor = factor
  self.weight = torch.ones(1)
  self.gradWeight = torch.zeros(1)
  self.seen = {sizes = {}}
end

function Scale:updateOutput(input)
  table.insert(self.seen.sizes, input:nElement())
  self.output = input * self.factor * self.weight[1]
  return self.output
end

function Scale:updateGradInput(input, gradOutput)
  self.gradInput = gradOutput * self.factor * self.weight[1]
  return self.gradInput
end

function Scale:accGradParameters(input, gradOutput, scale)
  self.gradWeight:add((scale or 1) * self.factor * torch.cmul(input, gradOutput):sum())
end

function Scale:__tostring__() return ('nn.LuaScale(%g)'):format(self.factor) end

-- Two outputs, and a gradient that is a table's.
local Both, both = torch.class('nn.LuaBoth', 'nn.Module')

function Both:__init()
  both.__init(self)
  self.output = {}
  self.gradInput = torch.Tensor()
end

function Both:updateOutput(input)
  self.output[1], self.output[2] = input, input * 2
  return self.output
end

function Both:updateGradInput(input, gradOutput)
  self.gradInput:resizeAs(input):copy(gradOutput[1]):add(2, gradOutput[2])
  return self.gradInput
end

-- What the layer above does, and one more.
local Wide, linear = torch.class('nn.LuaWide', 'nn.Linear')

function Wide:__init(width) linear.__init(self, width, width) end

function Wide:updateOutput(input)
  self.calls = (self.calls or 0) + 1
  return linear.updateOutput(self, input)
end

local Squares = torch.class('nn.LuaSquares', 'nn.Criterion')

function Squares:updateOutput(input, target)
  self.output = (input - target):pow(2):sum()
  return self.output
end

function Squares:updateGradInput(input, target)
  self.gradInput = (input - target) * 2
  return self.gradInput
end

local Counter = torch.class('LuaCounter')

function Counter:__init(first) self.count = first or 0 end

function Counter:next()
  self.count = self.count + 1
  return self.count
end

function average(x) return x:mean(), x:nElement() end

return {version = 3, names = {'a', 'b'}}
