-- Programs, and behind --> what Torch7 with LuaJIT printed for them (tables as trepl prints them, by their keys' order).

--- tables, as th prints them
print {a = 1, long = {2, {}}, x = torch.ones(2), s = torch.LongStorage {3}, t = 'text'}
print {{{{{{1}}}}}}
print(setmetatable({1}, {__index = {b = 2}}))
print {shown = setmetatable({u = 1}, {__tostring = function() return 'never' end})}
print(setmetatable({u = 1}, {__tostring = function() return 'a text' end}))
print {}
-->
{
  a : 1
  long : 
    {
      1 : 2
      2 : {...}
    }
  s : LongStorage - size: 1
  t : "text"
  x : DoubleTensor - size: 2
}
{
  1 : 
    {
      1 : 
        {
          1 : 
            {
              1 : 
                {
                  1 : {...}
                }
            }
        }
    }
}
{
  1 : 1
}
{
  shown : 
    {
      u : 1
    }
}
a text
{}

--- indices that are numerals, fractions, or none
local x, s = torch.Tensor {4, 5}, torch.LongStorage {7, 8}
x['2'] = 9
x[1.9] = 6
print(x['1'], x['2'], x[2.7], s['1'], s[1.9])
print(x[nil], x[true], x[print], s[nil], x.foo)
print(pcall(function() x[nil] = 3 end), (pcall(function() s[1] = {} end)))
print(x:size(1.5), x:narrow(1, 1.9, 2.2):sum())
-->
6	9	9	7	7
nil	nil	nil	nil	nil
false	false
2	15

--- strides of dimensions that repeat
local x = torch.ones(1, 4)
print(unpack(x:expandAs(x):stride():totable()))
print(unpack(torch.ones(1, 1):expand(2, 1):stride():totable()))
-->
0	1
0	0

--- what is written has to be texts or numbers
io.write('a', 1, ' ', 2.5, '\n')
print((pcall(io.write, {})), (pcall(io.write, nil)), (pcall(io.write, torch.ones(1))))
-->
a1 2.5
false	false	false

--- the help has the program's name from the table of its arguments
local cmd = torch.CmdLine()
cmd:text('Train')
cmd:option('-n', 1, 'how many')
cmd:argument('file', 'a file')
local words = {[0] = 'script.lua', '-n', '5', 'x'}
print(cmd:parse(words).n)
cmd:help(words)
print(cmd:string('run', {}, {}))
-->
5
Usage: script.lua [options] <file>
Train
  -n     how many [1]
  <file> a file
run

--- metatables of tensors are those of their types
local x = torch.ones(1)
print(getmetatable(x).__typename, getmetatable(torch.LongStorage()).__typename)
print(getmetatable(x) == torch.getmetatable('torch.DoubleTensor'), getmetatable(x:float()) == getmetatable(x))
-->
torch.DoubleTensor	torch.LongStorage
true	false

--- a data set that finds its examples by a metatable
torch.manualSeed(1)
local data = {data = torch.randn(4, 2), label = torch.Tensor {1, 2, 1, 2}}
setmetatable(data, {__index = function(t, i) return {t.data[i], t.label[i]} end})
function data:size() return self.data:size(1) end
local net = nn.Sequential():add(nn.Linear(2, 2)):add(nn.LogSoftMax())
local trainer = nn.StochasticGradient(net, nn.ClassNLLCriterion())
trainer.shuffleIndices, trainer.learningRate, trainer.maxIteration = false, 0.1, 2
trainer:train(data)
print(net:get(1).weight)
-->
# StochasticGradient: training
# current error = 1.0397854738907
# current error = 1.002927988315
# StochasticGradient: you have reached the maximum number of iterations
# training error = 1.002927988315
-0.6166 -0.4187
-0.4595 -0.1008
[torch.DoubleTensor of size 2x2]

--- a data set of a class
local Examples = torch.class('ExamplesOfAClass')
function Examples:__init(n) for i = 1, n do self[i] = {torch.ones(2) * i, torch.zeros(1)} end end
function Examples:size() return 2 end
local layer = nn.Linear(2, 1)
layer.weight:zero()
layer.bias:zero()
local trainer = nn.StochasticGradient(layer, nn.MSECriterion())
trainer.shuffleIndices, trainer.maxIteration, trainer.verbose = false, 1, false
trainer.hookExample = function(_, example) io.write(example[1][1], ' ') end
trainer.hookIteration = function(_, iteration, loss) print(iteration, ('%.1f'):format(loss * 0)) end
trainer:train(ExamplesOfAClass(2))
-->
# StochasticGradient: training
1 2 1	0.0
# StochasticGradient: you have reached the maximum number of iterations
# training error = 0

--- settings that a metatable has
local config = setmetatable({x = 1}, {__index = {learningRate = 0.5, momentum = 0.9}})
local x = torch.Tensor {1}
for i = 1, 3 do optim.sgd(function(x) return x[1], torch.ones(1) end, x, config) end
print(x[1], config.evalCounter, rawget(config, 'learningRate'))
-->
-0.5	3	nil

--- tables that are called
local count = setmetatable({n = 0}, {__call = function(self, value) self.n = self.n + 1 return value and 2 * self.n end})
print(torch.zeros(3):apply(count):sum(), count.n)
nn.Sequential():add(nn.Tanh()):apply(count)
print(count.n)
local loss = setmetatable({}, {__call = function(_, x) return x:dot(x), x * 2 end})
local x, values = optim.sgd(loss, torch.Tensor {1, 2}, {learningRate = 0.1})
print(x[1], x[2], values[1])
-->
12	3
5
0.8	1.6	5

--- conjugate gradients where 1.25 maxIter is a fraction
local x, settings = torch.Tensor {1, -2}, {maxIter = 3}
local function loss(x)
  return x[1] ^ 2 + 10 * x[2] ^ 2 + x[1] * x[2], torch.Tensor {2 * x[1] + x[2], 20 * x[2] + x[1]}
end
for i = 1, 3 do
  local _, values, count = optim.cg(loss, x, settings)
  print(#values, count, ('%.9f %.9f'):format(values[#values], x[1]))
end
-->
2	6	0.975000000 1.000000000
2	4	0.024375000 0.025000000
2	4	0.000624602 0.025000000

--- methods that are taken out of a class again
function nn.Tanh:__tostring__() return 'mine' end
print(nn.Tanh())
nn.Tanh.__tostring__ = nil
nn.Tanh.own = 5
print(nn.Tanh(), nn.Tanh().own)
nn.Tanh.own = nil
print(nn.Tanh().own)
-->
mine
nn.Tanh
5
nil

--- keys that Python's dicts do not have
local key, sizes, x = {1}, torch.LongStorage {1}, torch.ones(1)
local config = {
  learningRate = 0.1, [key] = 'table', [sizes] = 'storage', [x] = 'tensor', [1] = 'one', [true] = 'yes', [0] = 'zero',
  [false] = 'no',
}
optim.sgd(function(x) return x[1], torch.ones(1) end, torch.Tensor {1}, config)
print(config.evalCounter, config[key], config[sizes], config[x], config[1], config[true], config[0], config[false])
-->
1	table	storage	tensor	one	yes	zero	no

--- tables with a list part and names are their list part for functions in C
local packed = {1, 2, n = 2}
print(torch.Tensor(packed):size(1), torch.LongStorage(packed)[2], torch.Tensor({x = 1}):nElement())
print(torch.cat({torch.ones(1), torch.ones(2), n = 2}):sum(), torch.range(1, 4):view(2, 2)[{1, 2, n = 2}])
-->
2	2	0
3	2

--- functions in files are functions
local made = torch.deserialize(torch.serialize {run = function() return 1 end, [2] = 'two'})
print(type(made.run), torch.type(made.run), made[2])
print(type(torch.deserialize(torch.serialize(made.run))))
-->
function	function	two
function

--- tables in files have keys of any kind, which are one with what they are elsewhere
local key, x, s = {1}, torch.ones(2), torch.LongStorage {5}
local Key = torch.class('KeyInAFile')
local object = KeyInAFile()
local made = torch.deserialize(torch.serialize {
  [key] = 'table', key = key, [x] = 'tensor', x = x, [s] = 'storage', s = s, [object] = 'object', object = object,
  [true] = 'yes', [1] = 'one', [false] = 'no', [0] = 'zero', [{key}] = 'around',
})
print(made[made.key], made[made.x], made[made.object], made[true], made[1], made[false], made[0])
for each, value in pairs(made) do
  if value == 'around' then print(each[1] == made.key) end
end
print(made[made.s], made[key])
-->
table	tensor	object	yes	one	no	zero
true
storage	nil

--- fields of a class are set as it says
local Noting = torch.class('NotesFields')
function Noting:__init() rawset(self, 'names', {}) end
function Noting:__newindex__(name, value)
  table.insert(self.names, name)
  if name ~= 'plain' then
    rawset(self, name, 2 * value)
    return true
  end
end
local Below = torch.class('NotesFieldsToo', 'NotesFields')
local noting = NotesFieldsToo()
noting.plain, noting.x = 1, 2
noting.x = 3
print(noting.plain, noting.x, table.concat(noting.names, ' '))
-->
1	3	x plain

--- how tensors of a type are shown and indexed is its metatable's
local metatable = torch.getmetatable('torch.DoubleTensor')
local text, index = metatable.__tostring__, metatable.__index
metatable.__tostring__ = function(x) return x:nElement() .. ' numbers:\n' .. text(x) end
metatable.__index = function(x, key)
  if key == 'last' then return index(x, x:size(1)) end
  return index(x, key)
end
print(torch.Tensor {4, 5})
print(torch.Tensor {4, 5}.last, torch.Tensor {4, 5}[1], torch.Tensor {4, 5}:sum(), torch.ones(1):float())
metatable.__tostring__, metatable.__index = text, index
print(torch.Tensor {4, 5}.last, torch.ones(1))
-->
2 numbers:
 4
 5
[torch.DoubleTensor of size 2]

5	4	9	 1
[torch.FloatTensor of size 1]

nil	 1
[torch.DoubleTensor of size 1]

--- xlua reads the global table of words, and puts arguments into objects
arg = {[0] = 'program', '-s', '5', 'file'}
local parser = xlua.OptionParser('%prog [options]')
parser:option {'-s', '--size', action = 'store', dest = 'size', help = 'size', default = 3}
local options, rest = parser:parse()
print(options.size, rest[1])
local Unpacked = torch.class('UnpackedByXlua')
function Unpacked:__init(...)
  xlua.unpack_class(self, {...}, 'UnpackedByXlua', 'help', {arg = 'n', type = 'number', help = 'n', default = 7},
    {arg = 'm', type = 'table', help = 'm'})
end
print(UnpackedByXlua(3, {1}).m[1], UnpackedByXlua(3).m, UnpackedByXlua {m = {}}.n)
arg = nil
-->
5	file
1	nil	7

--- packages have Torch's names alone
local found = {}
for name in pairs(torch) do found[name] = true end
print(found.ones, found.FloatTensor, found.LongStorage, found.CmdLine, found.tic, found.class, found.naming, found.t7)
local names = {}
for name in pairs(xlua) do table.insert(names, name) end
table.sort(names)
print(table.concat(names, ' '))
-->
true	true	true	true	true	true	nil	nil
OptionParser Profiler clear clearall envparams error formatTime installed log print progress require table2string trycatch unpack unpack_class usage usage_module who

--- clocks and files say how they are
local timer, file = torch.Timer(), torch.DiskFile(os.tmpname(), 'w')
print(timer, timer:stop())
print((tostring(file):gsub('<.*>', '<>')))
file:close()
print((tostring(file):gsub('<.*>', '<>')), torch.MemoryFile())
-->
torch.Timer [status: stopped]
torch.Timer [status: stopped]
torch.DiskFile on <> [status: open -- mode  w]
torch.DiskFile on <> [status: closed -- mode  w]	torch.MemoryFile [status: open -- mode: rw]

--- containers of Lua's are named alone, inside of others, too
require 'nn'
local Alone, parent = torch.class('nn.NamedAlone', 'nn.Container')
function Alone:__init()
  parent.__init(self)
  self:add(nn.Tanh())
end
print(nn.NamedAlone(), nn.Sequential():add(nn.NamedAlone()))
-->
nn.NamedAlone
nn.Sequential {
  [input -> (1) -> output]
  (1): nn.NamedAlone
}

--- tables of tensors with as many elements in other sizes
local function texts(t) return torch.isTensor(t) and table.concat(t:size():totable(), 'x') .. ': ' .. table.concat(t:clone():view(-1):totable(), ' ') end
local function r(...) return torch.range(1, torch.LongTensor {...}:prod()):view(...) end
for _, name in ipairs {'CAddTable', 'CSubTable', 'CMulTable', 'CDivTable', 'CMaxTable', 'CMinTable', 'DotProduct'} do
  local module, input = nn[name](), {r(2, 3), r(6) + 1}
  local output = module:forward(input)
  local gradients = module:backward(input, output)
  print(name, texts(output:clone():mul(100):round()), gradients[1]:dim() .. gradients[2]:dim())
end
print(texts(nn.MaskedSelect():forward {r(2, 3), torch.ByteTensor {1, 0, 1, 0, 0, 1}}))
local t, zip = {}
for i = 1, 6 do t[i] = torch.Tensor {i} end
zip = nn.ZipTable():forward {{t[1], t[2]}, {t[3], t[4], t[5]}, {t[6]}}
print(#zip, zip[1][3][1], zip[2][2][1], #zip[2], zip[3][1], zip[3][2][1])
-->
CAddTable	2x3: 300 500 700 900 1100 1300	21
CSubTable	2x3: -100 -100 -100 -100 -100 -100	21
CMulTable	2x3: 200 600 1200 2000 3000 4200	21
CDivTable	2x3: 50 67 75 80 83 86	21
CMaxTable	2x3: 200 300 400 500 600 700	21
CMinTable	2x3: 100 200 300 400 500 600	21
DotProduct	2: 2000 9200	21
3: 1 3 6
3	6	4	2	nil	5

--- several values, of which tensors and tables end their line
print(torch.ones(2), {a = 1}, 'text', 3, nn.Tanh(), nil, true)
print('text', torch.LongStorage {3}, 4)
print(1, 2)
print(nil, nil)
print({})
print(print == print, torch.ones(1))
print('end')
-->
 1
 1
[torch.DoubleTensor of size 2]

{
  a : 1
}
text	3	nn.Tanh
nil	true
text	 3
[torch.LongStorage of size 1]

4
1	2
nil	nil
{}
true	 1
[torch.DoubleTensor of size 1]

end

--- a class's __index__ comes before its methods, and says whether it knows the key
local Known = torch.class('KnownKeys')
function Known:__init() self.unit = 5 end
function Known:__index__(key)
  if key == 'len' then return 7, true elseif type(key) == 'number' then return self.unit * key, true end
  return false
end
function Known:__newindex__(key, value)
  if type(key) == 'number' then self.unit = value return true end
  return false
end
function Known:len() return 'a method' end
function Known:other() return 'another' end
local known = KnownKeys()
print(known.len, known[3], known:other(), known.nothing)
known[1], known.free = 10, 3
print(known[2], rawget(known, 'free'), rawget(known, 1))
-->
7	15	another	nil
20	3	nil

--- a layer's own clearState and forget are called by what is around it
local Layer, parent = torch.class('nn.ClearsAndForgets', 'nn.Module')
function Layer:updateOutput(x)
  self.calls, self.buffer = (self.calls or 0) + 1, self.buffer or x.new()
  self.buffer:resizeAs(x):copy(x)
  self.output = x * self.calls
  return self.output
end
function Layer:updateGradInput(x, gradOutput) self.gradInput = gradOutput * self.calls return self.gradInput end
function Layer:clearState() nn.utils.clear(self, 'buffer') return parent.clearState(self) end
function Layer:forget() self.calls = 0 return parent.forget(self) end
local layer = nn.ClearsAndForgets()
local inner = nn.Sequential():add(nn.Linear(3, 3)):add(layer)
local network = nn.Sequential():add(nn.Concat(1):add(inner)):add(nn.Tanh())
network:forward(torch.ones(3))
network:forward(torch.ones(3))
print(layer.calls, layer.buffer:nElement())
network:clearState()
print(layer.buffer:nElement(), layer.output:nElement())
network:forget()
network:forward(torch.ones(3))
print(layer.calls, layer.buffer:nElement())
-->
2	3
0	0
1	3

--- a recurrence of Lua's keeps its steps in Torch's tables
require 'rnn'
local Cell, parent = torch.class('nn.KeepsItsSteps', 'nn.AbstractRecurrent')
function Cell:__init(inputSize, outputSize)
  parent.__init(self, 9)
  self.inputSize, self.outputSize, self.forgotten = inputSize, outputSize, 0
  local both = nn.ParallelTable():add(nn.Linear(inputSize, outputSize)):add(nn.Linear(outputSize, outputSize))
  self.recurrentModule = nn.Sequential():add(both):add(nn.CAddTable()):add(nn.Tanh())
  self.modules[1], self.sharedClones[1] = self.recurrentModule, self.recurrentModule
end
function Cell:before(step, input) return self.outputs[step - 1] or input.new(input:size(1), self.outputSize):zero() end
function Cell:updateOutput(input)
  local before, module = self:before(self.step, input), self.recurrentModule
  if self.train ~= false then module = self:recycle():getStepModule(self.step) end
  self.output = module:updateOutput {input, before}
  self.outputs[self.step], self.step = self.output, self.step + 1
  self.updateGradInputStep, self.accGradParametersStep = nil, nil
  return self.output
end
function Cell:_updateGradInput(input, gradOutput)
  local step = self.updateGradInputStep - 1
  local whole = gradOutput:clone()
  if self.gradOutputs[step] then whole:add(self.gradOutputs[step]) end
  self._gradOutputs[step] = whole
  local found = self:getStepModule(step):updateGradInput({input, self:before(step, input)}, whole)
  self.gradOutputs[step - 1] = found[2]
  return found[1]
end
function Cell:_accGradParameters(input, gradOutput, scale)
  local step = self.accGradParametersStep - 1
  self:getStepModule(step):accGradParameters({input, self:before(step, input)}, self._gradOutputs[step], scale)
end
function Cell:forget() self.forgotten = self.forgotten + 1 return parent.forget(self) end
torch.manualSeed(3)
local cell = nn.KeepsItsSteps(2, 2)
local network, x, gradient = nn.Sequencer(nn.Sequential():add(cell):add(nn.Tanh())), {}, {}
for i = 1, 3 do x[i], gradient[i] = torch.ones(1, 2) * i, torch.ones(1, 2) end
local parameters, gradients = network:getParameters()
local function show(name)
  gradients:zero()
  local output = network:forward(x)
  local back = network:backward(x, gradient)
  print(name, ('%.4f %.4f %.4f %.4f'):format(output[1]:sum(), output[3]:sum(), back[1]:sum(), gradients:norm()), cell.step)
end
show 'a first sequence'
show 'anew'
network:remember 'both'
show 'anew'
show 'going on'
network:forget()
show 'forgotten'
network:remember 'neither':evaluate()
print(network:forward(x)[3]:sum() == network:forward(x)[3]:sum(), cell.forgotten > 4)
print(cell, #cell.sharedClones, torch.isTypeOf(cell, 'nn.AbstractRecurrent'), #network:clone():findModules('nn.Linear'))
network:training()
cell:forget()
for i = 1, 3 do cell:forward(x[i]) end
for i = 3, 1, -1 do io.write(('%.4f '):format(cell:backward(x[i], gradient[i]):sum())) end
print(cell.step, #cell.outputs)
-->
a first sequence	-0.6504 -0.1584 -0.1898 7.6205	4
anew	-0.6504 -0.1584 -0.1898 7.6205	4
anew	-0.8535 -0.1640 -0.5352 7.0795	7
going on	-0.8539 -0.1640 -0.5343 7.0796	10
forgotten	-0.6504 -0.1584 -0.1898 7.6205	4
true	true
nn.KeepsItsSteps(2 -> 2)
4	true	2
0.3579 0.3353 -0.1242 4	3

--- classes below nn.LSTM, nn.GRU and nn.FastLSTM keep their steps, or build other parts of one
require 'rnn'
local Own, above = torch.class('nn.OwnStepsOfLSTM', 'nn.LSTM')
function Own:__init(inputSize, outputSize) self.named = 'own' above.__init(self, inputSize, outputSize, 4) end
function Own:buildGate()
  local both = nn.ParallelTable():add(nn.Linear(self.inputSize, self.outputSize)):add(nn.LinearNoBias(self.outputSize, self.outputSize))
  return nn.Sequential():add(nn.NarrowTable(1, 2)):add(both):add(nn.CAddTable()):add(nn.Sigmoid())
end
function Own:updateOutput(input)
  local h, c, module = self.output, self.cell, self.recurrentModule
  if self.step == 1 then h, c = self.zeroTensor:resize(input:size(1), self.outputSize):zero(), self.zeroTensor end
  if self.train ~= false then self:recycle() module = self:getStepModule(self.step) end
  self.output, self.cell = unpack(module:updateOutput {input, h, c})
  self.outputs[self.step], self.cells[self.step] = self.output, self.cell
  self.step, self.updateGradInputStep, self.accGradParametersStep = self.step + 1, nil, nil
  return self.output
end
local Counting, aboveCounting = torch.class('nn.CountsWaysBack', 'nn.GRU')
function Counting:_updateGradInput(...) self.counted = (self.counted or 0) + 1 return aboveCounting._updateGradInput(self, ...) end
local Asked, aboveAsked = torch.class('nn.CountsStates', 'nn.FastLSTM')
function Asked:getHiddenState(...) self.counted = (self.counted or 0) + 1 return aboveAsked.getHiddenState(self, ...) end
local Builds, aboveBuilds = torch.class('nn.BuildsHidden', 'nn.LSTM')
function Builds:buildHidden() local hidden = aboveBuilds.buildHidden(self) hidden:remove() return hidden:add(nn.SoftSign()) end
local x, gradient = {}, {}
torch.manualSeed(1)
for i = 1, 3 do x[i], gradient[i] = torch.randn(2, 2), torch.randn(2, 2) end
for _, name in ipairs {'OwnStepsOfLSTM', 'CountsWaysBack', 'CountsStates', 'BuildsHidden'} do
  torch.manualSeed(3)
  local cell = nn[name](2, 2)
  local network = nn.Sequencer(nn.Sequential():add(cell):add(nn.Tanh()))
  local parameters, gradients = network:getParameters()
  for i = 1, 2 do
    gradients:zero()
    local output, back = network:forward(x), network:backward(x, gradient)
    print(cell, ('%.5f %.5f %.5f %.5f'):format(parameters:sum(), output[3]:sum(), back[1]:sum(), gradients:norm()), cell.step, cell.counted)
    network:updateParameters(0.1)
  end
  network:remember 'both'
  io.write(('%.5f '):format(network:forward(x)[3]:sum()))
  cell:forget()
  if name:find 'States' or name:find 'Hidden' then cell.userPrevOutput, cell.userPrevCell = torch.ones(2, 2), torch.ones(2, 2) end
  print(('%.5f %.5f'):format(cell:forward(x[1]):sum(), cell:backward(x[1], gradient[1]):sum()), torch.isTypeOf(cell, 'nn.LSTM'), torch.isTypeOf(cell, 'nn.AbstractRecurrent'))
  print(#cell.outputs, cell.cells and #cell.cells, cell:type())
end
-->
nn.OwnStepsOfLSTM(2 -> 2)
-4.21965 -0.14246 -0.11509 0.75384	4	nil
nn.OwnStepsOfLSTM(2 -> 2)
-4.22535 -0.17706 -0.12296 0.75897	4	nil
-0.23179 0.08369 -0.15663	true	true
1	1	torch.DoubleTensor
nn.CountsWaysBack(2 -> 2, 0.00)
-4.86447 -0.45272 -0.41019 5.77190	4	3
nn.CountsWaysBack(2 -> 2, 0.00)
-4.49173 -0.42409 0.18323 2.21277	4	6
-0.51505 -0.41755 0.24122	false	true
1	0	torch.DoubleTensor
nn.CountsStates(2 -> 2)
-4.21965 0.30627 0.29513 0.98204	4	9
nn.CountsStates(2 -> 2)
-4.32329 0.30722 0.27531 0.95591	4	18
0.31686 1.24987 -0.17509	true	true
1	1	torch.DoubleTensor
nn.BuildsHidden(2 -> 2)
-4.80652 0.03458 -0.02746 0.54449	4	nil
nn.BuildsHidden(2 -> 2)
-4.77574 0.03050 -0.03021 0.53945	4	nil
0.03214 0.71963 -0.58280	true	true
1	1	torch.DoubleTensor

--- a class calls a method of the class above that changes its description
local Unbiased, above = torch.class('nn.UnbiasedAndNamed', 'nn.SpatialConvolution')
function Unbiased:noBias() above.noBias(self) self.named = 'unbiased' return self end
local made = nn.UnbiasedAndNamed(1, 1, 1, 1):noBias()
print(made.bias, made.named, #made:parameters(), nn.View.setNumInputDims(nn.View(3), 1).numInputDims)
-->
nil	unbiased	1	1

--- Dropout is rnn's where a program requires rnn: the fourth argument is lazy, the fifth mono
require 'rnn'
local lazy = nn.Dropout(0.5, false, false, true)
local first = lazy:forward(torch.ones(2, 50)):clone()
print(lazy.lazy, lazy.mono, (lazy:forward(torch.ones(2, 50)) - first):abs():sum())
lazy:evaluate()
print(lazy:forward(torch.ones(2, 50)):sum())
local Below, above = torch.class('nn.DroppingForAll', 'nn.Dropout')
function Below:__init(p) above.__init(self, p, false, false, true, true) end
local all = nn.DroppingForAll(0.3)
local output = all:forward(torch.ones(5, 50))
print(all.lazy, all.mono, all.p, (output[1] - output[5]):abs():sum())
-->
true	false	0
100
true	true	0.3	0

--- a clone has what the module's own updateOutput has left
local Remembering = torch.class('nn.AddsToItsOutput', 'nn.Module')
function Remembering:updateOutput(input) self.output = self.output:nElement() > 0 and self.output + input or input:clone() return self.output end
local module = nn.AddsToItsOutput()
module:forward(torch.ones(2))
local network = nn.Sequential():add(module)
print(module:clone():forward(torch.ones(2))[1], network:clone():get(1).output:nElement(), module:forward(torch.ones(2))[1], #nn.AddsToItsOutput().output:size())
-->
2	2	2	0

--- parameters that a program has emptied stay so in files, and get their elements back by `set`
local network = nn.Sequential():add(nn.Linear(3, 4)):add(nn.BatchNormalization(4)):add(nn.LookupTable(5, 2))
local function copied(module) return torch.deserialize(torch.serialize(module)) end
local light = copied(network)
local parameters, gradients = light:parameters()
for i = 1, #parameters do parameters[i]:set(torch.Tensor()) gradients[i]:set(torch.Tensor()) end
local read = copied(light)
local own, theirs, theirGradients = {read:parameters()}, network:parameters()
print(#own[1], own[1][1]:nElement(), own[1][2]:nElement(), own[2][5]:nElement())
for i = 1, #theirs do own[1][i]:set(theirs[i]) own[2][i]:set(theirGradients[i]) end
network:get(1).weight:fill(1)
print(tostring(read:get(1)), read:get(1):forward(torch.ones(1, 3)):sum() == network:get(1):forward(torch.ones(1, 3)):sum(), read:get(3).weight:size(1))
network:zeroGradParameters()
read:get(1):backward(torch.ones(1, 3), torch.ones(1, 4))
print(network:get(1).gradWeight:sum())
-->
5	0	0	0
nn.Linear(3 -> 4)	true	5
12

--- dpnn's getParameters takes weights that are shared without their gradients
require 'dpnn'
local first, second = nn.Linear(2, 2), nn.Linear(2, 2)
second.weight, second.bias = first.weight, first.bias
local network = nn.Sequential():add(first):add(second)
local parameters, gradients = network:getParameters()
print(parameters:nElement(), gradients:nElement())
gradients:zero()
network:forward(torch.ones(1, 2))
network:backward(torch.ones(1, 2), torch.ones(1, 2))
local apart = first.gradWeight:sum() + first.gradBias:sum() + second.gradWeight:sum() + second.gradBias:sum()
print(math.abs(gradients:sum() - apart) < 1e-12)
first.weight:fill(3)
print(second.weight:sum(), parameters:narrow(1, 1, 4):sum(), second.gradBias:sum())
-->
6	12
true
12	12	2

--- places in tables of numbers, as they are read and set
local x = torch.range(1, 24):resize(2, 3, 4)
print(x[{1, 2, 3}], x[{2}]:size(1), x[{1, 2}]:size(1), x[{-1, -1, -1}], x[{1.7, 2, 1}], x[{{1}, 2, {1, 2}}]:size(2))
x[{1, 2, 3}], x[{2, 1}], x[{1, 1}] = 100, 7, torch.ones(4)
print(x:sum(), (pcall(function() return x[{1, 4, 1}] end)), (pcall(function() x[{1, 1, 1, 1}] = 1 end)))
local bytes, key = torch.ByteTensor {{1, 2}, {3, 4}}, {1, 2}
bytes[key] = 9
key[2] = 1
print(bytes[key], bytes[{1, 2}], torch.LongStorage {3, 4}[2])
-->
7	3	4	24	5	2
357	false	false
1	9	4

--- xlua prints tables and help, finds the program's global variables, and logs
local function escaped(text) return (text:gsub('\27', '^')) end
local function lists(a, b) print(table.concat(a, ' '), table.concat(b, ' ')) end
local written, write = {}, io.write
io.write = function(...) for i = 1, select('#', ...) do table.insert(written, (select(i, ...))) end end
xlua.print({1, 'two'})
xlua.print {a = 'a text of more than forty letters, which is cut', b = nil}
xlua.print {torch.ones(1)}
xlua.print(setmetatable({5}, {__tostring = function() return 'mine' end}))
xlua.print('a\nb')
made_by_program = 5
xlua.who()
xlua.clear 'made_by_program'
io.write = write
local text = table.concat(written)
local place = text:find('\nGlobal Libs', 1, true)
print(escaped(text:sub(1, place)), text:find('[made_by_program] = 5', place, true) ~= nil, made_by_program)
lists(table.splice({1, 2, 3, 4}, 2, 2))
lists(table.splice({1, 2, 3}, 0, 2), table.splice({1, 2}))
local pruned = table.prune({'a', 'bb', 'cc'}, string.len, function(a, b) return a .. b end)
table.sort(pruned)
lists(pruned, table.prune {3, 3})
local args, n, m = xlua.unpack({5}, 'f', 'does it', {arg = 'n', type = 'number', help = 'N', req = true},
  {arg = 'm', type = 'string', help = 'M', default = 'd'}, {arg = 'k', type = 'number', help = 'K', defaulta = 'n'})
print(n, m, args.k, args[2])
print(escaped(tostring(args.usage)))
print(escaped(xlua.usage('g', nil, 'g(1)', {type = 'number', help = 'N', req = true}, '', {type = 'table', help = 'T'})))
print(escaped(xlua.usage_module({}, 'name', 'what')))
print(escaped(select(2, pcall(xlua.error, 'no', 'g', 'usage'))):match('%^.*'), string.tosymbol('math').floor(2.5))
local name, other, before = os.tmpname(), os.tmpname() .. "$(it's)/log", {print, io.write}
xlua.log(name)
print('a', 1)
io.write('b', 2, '\n')
xlua.log(other) -- in both from now on
io.write('c\n')
print, io.write = before[1], before[2]
print(io.open(name):read('*a') == 'a    1\nb2\nc\n', io.open(other):read('*a') == 'c\n')
os.remove(name)
os.remove(other)
require('paths').rmdir(sys.dirname(other))
-->
{[1] = 1,
 [2] = two}
{[a] = a text of more than forty letters, which^[0m ... }
{[1] = <userdata>}
mine:
{[1] = 5}
a
b

	true	nil
1 4	2 3
2 3	2
a ccbb	3
5	d	5	d
+++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++
^[1;35mf^[0m

does it

^[0;34m> ^[0musage:
^[0;36mf{
    n = number                          -- N
    [m = string]                        -- M  [default = d]
    [k = number]                        -- K  [default == n]
}
^[0m
^[0;36mf{m=string, n=number}
f(number, ...)^[0m
+++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++
+++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++
^[1;35mg^[0m

^[0;34m> ^[0musage:
^[0;36mg(
    number                              -- N
)
g(
    [table]                             -- T
)
^[0m
^[0;36mg(1)^[0m
+++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++
^[0;35m+++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++
PACKAGE:
name

DESC:
what
++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++^[0m
^[1;31m<g> no^[0m
usage	2
a    1
b2
c
true	true

--- layers and criterions with settings that few programs use
require 'dpnn'
torch.manualSeed(1)
nn.LayerNormalization(2, 0.5)
nn.SpatialBinaryConvolution(1, 2, 1, 1)
print(torch.uniform(), torch.uniform())
print(nn.VolumetricFullConvolution(1, 2, 1, 1, 1, 2, 2, 2, 0, 0, 0, 1, 0, 1):noBias())
print(nn.SpatialFullConvolution(1, 2, 1, 1, 2, 2, 0, 0, 1, 0), nn.SpatialFullConvolution(1, 2, 1, 1))
print(nn.VolumetricDilatedConvolution(1, 2, 1, 1, 1, 1, 1, 1, 0, 0, 0, 2, 1, 1):noBias())
local bottle = nn.Bottle(nn.Linear(2, 3), 1)
local doubled = nn.Bottle(nn.Sequential():add(nn.Replicate(2)):add(nn.Contiguous()):add(nn.View(-1, 2)))
print(bottle:forward(torch.ones(1, 2)):size(), doubled:forward(torch.ones(3, 4, 2)):size())
print(nn.Unsqueeze(0, 2):forward(torch.ones(3, 2, 2)):size())
local ranking = nn.MarginRankingCriterion(1)
local pair, y = {torch.zeros(3, 2), torch.ones(3, 2)}, torch.ones(3, 2)
print(ranking:forward(pair, y), ranking:backward(pair, y)[1])
local labels = nn.MultiLabelSoftMarginCriterion()
print(labels:forward(torch.zeros(2, 1, 2), torch.ones(2, 1, 2)), labels:backward(torch.zeros(2, 1, 2), torch.ones(2, 1, 2)):size())
local normed, x = nn.LinearWeightNorm(2, 1, false, 0.5), torch.Tensor{1, -1}
normed.v:fill(2)
normed.g:fill(3)
normed:zeroGradParameters()
normed:forward(x)
normed:backward(x, torch.ones(1))
print(normed.gradG, normed.gradV)
-->
0.14675589255057	0.236088976264
nn.VolumetricFullConvolution(1 -> 2, 1x1x1, 2,2,2, 1,0,1)
nn.SpatialFullConvolution(1 -> 2, 1x1, 2,2, 1,0)
nn.SpatialFullConvolution(1 -> 2, 1x1)
nn.VolumetricDilatedConvolution(1 -> 2, 1x1x1, 2,1,1) without bias
 1
 3
[torch.LongStorage of size 2]

 3
 8
 2
[torch.LongStorage of size 3]

 1
 3
 2
 2
[torch.LongStorage of size 4]

4	-0.3333 -0.3333
-0.3333 -0.3333
-0.3333 -0.3333
[torch.DoubleTensor of size 3x2]

0.69314718055995	 2
 1
 2
[torch.LongStorage of size 3]

 0
[torch.DoubleTensor of size 1x1]

 1.0607 -1.0607
[torch.DoubleTensor of size 1x2]

