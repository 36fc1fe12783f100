-- Programs, and behind --> what they return; a line with three dashes begins the next, with what it is about.

--- types
local x = torch.Tensor(2, 3)
return torch.type(x), type(x), torch.isTensor(x), x:isTensor(), torch.type({}), torch.type(1)
--> 'torch.FloatTensor', 'userdata', true, true, 'table', 'number'

--- sizes
local x = torch.zeros(2, 3)
return x:size(1), #x:size(), (#x)[2], x:dim(), x:nElement()
--> 2, 2, 3, 2, 6

--- elements
local x = torch.Tensor{{1, 2, 3}, {4, 5, 6}}
return x[2][3], x[{1, 2}], x[2]:sum()
--> 6, 2, 15

--- ranges
local x = torch.range(1, 12):resize(3, 4)
return x[{{1, 2}, {2, 3}}]:sum(), x[{{}, 2}]:sum(), x[{{2}}]:size(1), x[{2, {}}]:sum()
--> 18, 18, 1, 26

--- texts of tensors and storages, which end a line
return tostring(torch.Tensor{1, 2}), tostring(torch.LongStorage{3}), tostring(torch.Tensor())
--> ' 1\n 2\n[torch.FloatTensor of size 2]\n', ' 3\n[torch.LongStorage of size 1]\n', '[torch.FloatTensor with no dimension]\n'

--- tables within an optimiser's state, which were empty
local state, x = {}, torch.Tensor{1, 2}
local counts = {}
for i = 1, 3 do
  optim.lbfgs(function(x) return x[1]^2 + 3 * x[2]^2, torch.Tensor{2 * x[1], 6 * x[2]} end, x, {maxIter = 1}, state)
  counts[i] = #state.old_dirs
end
return counts[1], counts[2], counts[3]
--> 0, 1, 2

--- an empty table that is an optimiser's settings and state
local empty = {}
optim.adam(function(x) return x:sum(), x:clone() end, torch.Tensor{1, 2}, empty, empty)
return empty.t
--> 1

--- short lists of tensors, which are other ones later
local a, b, sum = torch.Tensor{1}, torch.Tensor{2}, nn.CAddTable()
local pair, twice = {a, b}, nn.ConcatTable():add(nn.Identity()):add(nn.Identity())
local first = sum:forward(pair)[1]
pair[2] = torch.Tensor{5}
local second = sum:forward(pair)[1]
pair[3] = b
local third, output = sum:forward(pair)[1], twice:forward(a)
output[2] = b
return first, second, third, #pair, sum:forward{a}[1], sum:forward(output)[1], twice.output[2][1], twice.output == output
--> 3, 6, 8, 3, 1, 3, 2, true

--- sizes with strides
local x, y = torch.range(1, 6), torch.Tensor()
x:resize(torch.LongStorage{2, 3}, torch.LongStorage{1, 2})
y:resize(torch.LongStorage{2, 2}, torch.LongStorage{3, -1})
return x[1][2], x[2][1], x:stride(2), #y:storage(), y:stride(1), y:stride(2)
--> 3, 2, 2, 5, 3, 1

--- masks
local x = torch.range(1, 6)
x[x:gt(4)] = 0
return x:sum(), x[x:lt(3)]:size(1)
--> 10, 4

--- assignment
local x = torch.zeros(2, 3)
x[{{}, 2}] = 1
x[1][3] = 5
x[2] = torch.Tensor{7, 8, 9}
return x:sum()
--> 30

--- operators
local x = torch.Tensor{1, 2}
return (x + 1)[2], (2 * x)[1], (x - x)[1], (-x)[2], (x / 2)[1], x * x
--> 3, 2, 0, -2, 0.5, 5

--- identity
local m = nn.Linear(2, 3)
return m.weight == m.weight, m.weight == m.gradWeight
--> true, false

--- keys
local x, t = torch.zeros(1), {}
t[x] = 5
local n = nn.Sequential():add(nn.Tanh())
t[n:get(1)] = 6
return t[x], t[n:get(1)]
--> 5, 6

--- makers
local x = torch.DoubleTensor(2)
return torch.type(x.new(3)), x.new(3):size(1), torch.type(x:float())
--> 'torch.DoubleTensor', 3, 'torch.FloatTensor'

--- storages
local s = torch.LongStorage{2, 3}
s[1] = 4
return #s, s[1], torch.zeros(s):nElement(), s:size()
--> 2, 4, 12, 2

--- several results
local value, place = torch.max(torch.Tensor{3, 9, 4}, 1)
return value[1], place[1]
--> 9, 2

--- surplus arguments
return torch.zeros(2):dim(7, 8, nn), nn.Linear(2, 3, true, 5):parameters()[1]:size(1)
--> 1, 3

--- nil in the middle
local m = nn.SpatialMaxPooling(2, 2, nil, nil, 1)
return m.dW, m.padW
--> 2, 1

--- nil at the end
return torch.zeros(3):size(nil)[1], torch.ones(2):sum(nil)
--> 3, 2

--- many arguments
local m = nn.Sequential()
local t = {}
for i = 1, 20 do t[i] = nn.Tanh() end
return nn.Container.extend(m, unpack(t)):size()
--> 20

--- text
return 'grün', ('\195\188'):len(), nn.Linear(2, 3).nothing
--> 'grün', 2, nil

--- bytes
local x = torch.deserialize(torch.serialize({1, torch.ones(2), s = '\255\0'}))
return x[2]:sum(), x.s:byte(1)
--> 2, 255

--- whole numbers
return 3, 2.5, 2 ^ 53 + 2, 1 / 0, -1 / 0
--> 3, 2.5, 9007199254740994, 1 / 0, -1 / 0

--- tables in tables
return {1, 2, {3}}, {1, nil, 3}, {1, 2, a = 3, [10] = 4}
--> {1, 2, {3}}, {[1] = 1, [3] = 3}, {[1] = 1, [2] = 2, a = 3, [10] = 4}

--- tables in themselves
local t = {x = 1}
t.t = t
local m = nn.Tanh()
m.own = t
return m.own.t.t.x
--> 1

--- long lists
local t = {}
for i = 1, 3000 do t[i] = i end
return torch.Tensor(t):sum(), #torch.Tensor(t):totable()
--> 3000 * 3001 / 2, 3000

--- tables of tensors
local y = nn.ConcatTable():add(nn.Identity()):add(nn.Identity()):forward(torch.ones(3))
return type(y), #y, y[2]:sum(), nn.CAddTable():forward(y):sum()
--> 'table', 2, 3, 6

--- a table that comes out of a file in a module's field has the length of what is there from 1 on
local m = nn.Identity()
m.kept = {[0] = 7, [1] = 8, [2] = 9, name = 'x'}
local kept, count = torch.deserialize(torch.serialize(m)).kept, 0
for _ in pairs(kept) do count = count + 1 end
return #kept, count, kept[#kept], kept[0]
--> 2, 4, 9, 7

--- an empty table
local state = {}
optim.adam(function(x) return x:sum(), torch.ones(2) end, torch.zeros(2), {}, state)
return state.t, state.m:size(1)
--> 1, 2

--- a table that is shared
local x, config = torch.zeros(2), {learningRate = 0.1, momentum = 0.9, dampening = 0}
local function feval() return 0, torch.ones(2) end
optim.sgd(feval, x, config)
optim.sgd(feval, x, config)
local second = x[1]
config.learningRate = 0
optim.sgd(feval, x, config)
return config.evalCounter, second, x[1]
--> 3, -0.1 - 0.1 * 1.9, -0.1 - 0.1 * 1.9

--- fields
local m = nn.Linear(2, 3)
m.name, m.own, m.flag = 'x', {1, k = 2}, false
m.own.k = 5
collectgarbage()
return m.name, m.own.k, m.flag, m.bias:size(1), m.train
--> 'x', 5, false, 3, true

--- all fields
local m, found = nn.Linear(2, 3), {}
m.own, m.name = {4}, 'x'
for name, value in pairs(m) do found[name] = value end
return found.weight == m.weight, found.own[1], found.name, found.nothing
--> true, 4, 'x', nil

--- what a call has left is among the fields
local net, found = nn.Sequential():add(nn.Linear(2, 3)):add(nn.Tanh()), {}
net:forward(torch.ones(2))
net:backward(torch.ones(2), torch.ones(3))
for i, each in ipairs(net:listModules()) do
  for name, value in pairs(each) do
    if name == 'output' or name == 'gradInput' then
      found[#found + 1] = value:nElement()
      each[name] = value.new()
    end
  end
end
local loss, of_criterion = nn.MSECriterion(), {}
loss:forward(torch.ones(2), torch.zeros(2))
for name, value in pairs(loss) do of_criterion[name] = value end
table.sort(found)
return table.concat(found, ' '), net.output:nElement(), net:get(1).gradInput:nElement(), of_criterion.output
--> '2 2 3 3 3 3', 0, 0, 1

--- tables of tds come out of files as they went in
local tds = require 'tds'
local hash = torch.deserialize(torch.serialize(tds.Hash {a = 1, list = {7, 8}}))
hash.list:insert(9)
return torch.type(hash), #hash, torch.type(hash.list), hash.list:concat(',')
--> 'tds.Hash', 2, 'tds.Vec', '7,8,9'

--- names of files are chosen by patterns of Lua's
local place, found = os.tmpname(), {}
for name in paths.files(paths.dirname(place), '^' .. paths.basename(place):gsub('%p', '%%%0') .. '$') do found[#found + 1] = name end
os.remove(place)
return #found, found[1] == paths.basename(place)
--> 1, true

--- objects of small classes have Torch's names and are printed by them
require 'optim' require 'nngraph' require 'torchx'
local dl, log, names = require 'dataload', os.tmpname(), {}
local node = nn.Identity()()
for i, each in ipairs {optim.Logger(log), dl.TensorLoader(torch.ones(2, 1), torch.ones(2)), node, node:split(1), graph.Graph(),
    torch.AliasMultinomial(torch.ones(2)), nn.StochasticGradient(nn.Tanh(), nn.MSECriterion())} do
  names[i] = tostring(each)
  assert(names[i] == torch.type(each))
end
os.remove(log)
return table.concat(names, ' '), torch.type(optim.ConfusionMatrix(2)), torch.isTypeOf(node, 'nngraph.Node')
--> 'optim.Logger dl.TensorLoader nngraph.Node nngraph.Node graph.Graph torch.AliasMultinomial nn.StochasticGradient', 'optim.ConfusionMatrix', true

--- operators of types may be read, replaced by what calls them, and put back
local of_type, names, before, x = torch.getmetatable('torch.DoubleTensor'), {'add', 'sub', 'mul', 'div', 'unm', 'pow'}, {}, torch.DoubleTensor {4}
for _, name in ipairs(names) do
  local usual = of_type['__' .. name]
  before[name] = usual
  rawset(of_type, '__' .. name, function(a, b)
    return (type(a) == 'table' or type(b) == 'table') and name or usual(a, b)
  end)
end
local found = {x + {}, {} - x, x * {}, x / {}, x ^ {}, (-x)[1], (x / 2)[1], (3 - x)[1], (x - x)[1]}
for _, name in ipairs(names) do rawset(of_type, '__' .. name, before[name]) end
return table.concat(found, ' '), pcall(function() return x * {} end), (x * 2)[1], torch.FloatTensor.__mul(x, x)
--> 'add sub mul div pow -4 2 -1 0', false, 8, 16

--- a layer is frozen by parameters of its own that are nil, until these are taken back
local net = nn.Sequential():add(nn.Linear(4, 5)):add(nn.Tanh()):add(nn.Linear(5, 3))
local frozen, whole = net:get(1), net:getParameters():size(1)
frozen.parameters = function() return nil end
local without, weight = net:getParameters():size(1), frozen.weight:clone()
net:zeroGradParameters()
net:forward(torch.ones(4))
net:backward(torch.ones(4), torch.ones(3))
net:updateParameters(1)
local none, same = frozen:parameters(), frozen.weight:dist(weight)
frozen.parameters = nil
return whole, without, none, same, #net:parameters(), net:getParameters():size(1)
--> 43, 18, nil, 0, 4, 43

--- constructors draw by reset, that of a class below or one that a program has put in its place
local Own, parent = torch.class('nn.DrawnByReset', 'nn.Linear')
function Own:__init(size) parent.__init(self, size, size) end
function Own:reset(stdv)
  self.times = (self.times or 0) + 1
  parent.reset(self, stdv)
  self.bias:fill(7)
end
torch.manualSeed(3)
local own = nn.DrawnByReset(2)
torch.manualSeed(3)
local usual, before = nn.Linear(2, 2), nn.LookupTable.reset
function nn.LookupTable:reset() self.weight:fill(4) end
local table_of_fours = nn.LookupTable(2, 2).weight:sum()
nn.LookupTable.reset = before
return own.times, own.bias:sum(), own.weight:dist(usual.weight), table_of_fours, nn.LookupTable(2, 2).weight:sum() ~= 16
--> 1, 14, 0, 16, true

--- fields may have any name that means nothing to Torch, and hide methods
local Own, parent = torch.class('nn.ManyFields', 'nn.Module')
function Own:__init()
  parent.__init(self)
  self.calls, self.pending, self.step, self.forget, self.write = 0, {1, 2}, 5, nn.Sigmoid(), nn.MulConstant(3)
end
function Own:updateOutput(input)
  self.calls, self.step = self.calls + 1, self.step + 1
  self.output = self.write:forward(self.forget:forward(input))
  return self.output
end
function Own:updateGradInput(input, gradOutput)
  self.gradInput = self.forget:backward(input, self.write:backward(self.forget.output, gradOutput))
  return self.gradInput
end
local own, plain = nn.ManyFields(), nn.Tanh()
plain.step, plain.dpnn_parameters = 4, {'weight', 'extra'}
local net, zero = nn.Sequential():add(own):add(plain), torch.zeros(1)
net:forward(zero)
net:backward(zero, torch.ones(1))
return own.output[1], own.calls, own.step, #own.pending, torch.type(own.forget), torch.type(own.write), plain.step, plain.dpnn_parameters[2]
--> 1.5, 1, 6, 2, 'nn.Sigmoid', 'nn.MulConstant', 4, 'extra'

--- a module may say how it is copied
require 'dpnn'
local own = nn.Linear(2, 2)
own.dpnn_sharedClone = function(self) return nn.Linear(2, self.weight:size(1) + 1) end
return nn.Sequential():add(own):sharedClone():get(1).weight:size(1), own:sharedClone().weight:size(1)
--> 3, 2

--- fields outlive what Lua sees
local s = nn.Sequential():add(nn.Tanh())
s:get(1).own = {n = 1}
s:get(1).seven = function() return 7 end
collectgarbage()
collectgarbage()
return s:get(1).own.n, s:get(1).seven()
--> 1, 7

--- modules
local s, n = nn.Sequential(), 0
table.insert(s.modules, nn.Linear(2, 3))
s.modules[2] = nn.Tanh()
for i, each in ipairs(s.modules) do n = n + i end
for _ in pairs(s.modules) do n = n + 10 end
local first = table.remove(s.modules, 1)
table.insert(s.modules, 1, first)
return #s.modules, n, type(s.modules), s:forward(torch.zeros(2)):size(1), torch.type((unpack(s.modules)))
--> 2, 1 + 2 + 20, 'table', 3, 'nn.Linear'

--- tds
local tds, n = require 'tds', 0
local h, v = tds.Hash{x = 1}, tds.Vec{4, 5}
h.y = 2
v:insert(6)
for k, each in pairs(h) do n = n + each end
return n, #h, h.nothing, #v, v[3]
--> 3, 2, nil, 3, 6

--- callbacks
local x, n = torch.Tensor{1, 2}, 0
x:apply(function(v) return v * 3 end)
nn.Sequential():add(nn.Tanh()):apply(function(m) n = n + 1 end)
return x[1], x[2], n
--> 3, 6, 2

--- coroutines
local co = coroutine.wrap(function()
  local x = torch.ones(2)
  for i = 1, 3 do
    x:apply(function(v) return v + i end)
    coroutine.yield(x:sum())
  end
end)
return co(), co(), co()
--> 4, 8, 14

--- iterators
local dl, n = require 'dataload', 0
for k, x, y in dl.TensorLoader(torch.ones(4, 2), torch.ones(4)):subiter(3) do n = n + x:size(1) end
return n
--> 4

--- methods as values
local m = nn.Tanh()
local forward = m.forward
return forward(m, torch.zeros(2)):sum(), nn.Tanh.forward(m, torch.zeros(2)):sum()
--> 0, 0

--- methods of one object
local m = nn.Tanh()
local before = m.updateOutput
function m:updateOutput(input)
  self.seen = input:size(1)
  return before(self, input)
end
nn.Sequential():add(m):forward(torch.ones(2))
return m.seen, m:clone():forward(torch.zeros(5)):sum(), m.seen
--> 2, 0, 2

--- methods of classes
function nn.Module:shout() return torch.type(self):upper() end
function torch.Tensor:twice() return self * 2 end
return nn.Linear(2, 3):shout(), torch.ones(2):twice():sum()
--> 'NN.LINEAR', 4

--- graphs
local x = nn.Identity()()
local a, b, c, d = (x - nn.Linear(2, 4) - nn.SplitTable(1)):split(4)
local h = nn.CAddTable()({a, b, c, d}):annotate{name = 'sum'}
local g = nn.gModule({x}, {h})
return torch.type(g), g:forward(torch.ones(2)):nElement()
--> 'nn.gModule', 1

--- errors
local ok, message = pcall(function() error('plain') end)
local thrown, what = pcall(function() torch.ones(1):apply(function() error({code = 5}) end) end)
local m = nn.Sequential():add(nn.Linear(2, 3))
local fits, why = pcall(m.forward, m, torch.ones(7))
return ok, message:match(': (.*)'), thrown, what.code, fits, why:match('In 1 module of nn.Sequential') ~= nil
--> false, 'plain', false, 5, false, true

--- layers without a gradient of their own
local Pick, parent = torch.class('nn.PickFirst', 'nn.Module')
function Pick:updateOutput(input) return torch.Tensor{input[1] > 0 and 1 or 0, input[2]} end
local net = nn.Sequential():add(nn.PickFirst()):add(nn.MulConstant(3))
local y = net:forward(torch.Tensor{5, 7})
return y[1], y[2], net:backward(torch.Tensor{5, 7}, torch.ones(2)):sum()
--> 3, 21, 0

--- the gradient is what updateGradInput leaves in gradInput, whatever it gives
local Leaves, parent = torch.class('nn.LeavesGradient', 'nn.Module')
function Leaves:updateOutput(input) self.output = input * 2 return self.output end
function Leaves:updateGradInput(input, gradOutput) self.gradInput = gradOutput * 5 end
local Both = torch.class('nn.LeavesGradientByBackward', 'nn.Module')
function Both:updateOutput(input) self.output = input * 2 return self.output end
function Both:backward(input, gradOutput) self.gradInput:resizeAs(gradOutput):copy(gradOutput):mul(7) return self.gradInput end
function Both:updateGradInput(input, gradOutput) self:backward(input, gradOutput, 0) end
function Both:accGradParameters(input, gradOutput, scale) self:backward(input, gradOutput, scale) end
local found, x = {}, torch.ones(1)
for i, each in ipairs {nn.LeavesGradient(), nn.LeavesGradientByBackward()} do
  local net = nn.Sequential():add(nn.MulConstant(3)):add(each)
  net:forward(x)
  found[2 * i - 1] = net:backward(x, x)[1]
  found[2 * i] = each:backward(x, x)[1]
end
return unpack(found)
--> 15, 5, 21, 7

--- classes of Lua's own
local Point = torch.class('Point')
function Point:__init(x, y) self.x, self.y = x, y end
function Point:norm() return math.sqrt(self.x ^ 2 + self.y ^ 2) end
function Point.__add__(a, b) return Point.new(a.x + b.x, a.y + b.y) end
local Labelled, parent = torch.class('Labelled', 'Point')
function Labelled:__init(x, y, label)
  parent.__init(self, x, y)
  self.label = label
end
local p, q = _G.Point(3, 4), _G.Labelled(6, 8, 'far')
return p:norm(), (p + q):norm(), q:norm(), torch.type(q), torch.isTypeOf(q, 'Point'), torch.isTypeOf(p, 'Labelled')
--> 5, 15, 10, 'Labelled', true, false

--- threads
local threads = require 'threads'
local pool, sum = threads.Threads(2, function() end), 0
for i = 1, 4 do pool:addjob(function() return i end, function(n) sum = sum + n end) end
pool:synchronize()
return sum
--> 10

--- threads for certain jobs wait for those before
local pool, seen = require 'threads'.Threads(2), {}
pool:addjob(function() return 'any' end, function(each) table.insert(seen, each) end)
pool:specific(true)
for i = 1, 2 do pool:addjob(i, function() return i end, function(each) table.insert(seen, each) end) end
pool:specific(false)
return table.concat(seen, ' '), pool:hasjob(), pool:specific()
--> 'any 1 2', false, false

--- json and folders
local cjson, lfs = require 'cjson', require 'lfs'
local t = cjson.decode(cjson.encode({a = {1, 2}, b = 'x'}))
return t.a[2], t.b, lfs.attributes('.', 'mode'), lfs.attributes('no such file')
--> 2, 'x', 'directory', nil, "cannot obtain information from file 'no such file': No such file or directory", 2

--- second names of files, and their times
local lfs = require 'lfs'
local folder = os.tmpname() os.remove(folder) lfs.mkdir(folder)
local file, twin, link = folder .. '/file', folder .. '/twin', folder .. '/link'
io.open(file, 'w'):close()
local made = {lfs.link(file, twin), lfs.link(file, link, true), lfs.touch(file, 100, 200)}
local found = {lfs.attributes(twin, 'nlink'), lfs.symlinkattributes(link, 'mode'), lfs.attributes(link, 'access')}
local written = lfs.attributes(twin, 'modification') + #lfs.attributes(twin, 'permissions') + lfs.attributes(twin).rdev
local again, why = lfs.link(file, twin)
for _, name in ipairs{file, twin, link} do os.remove(name) end
lfs.rmdir(folder)
return #made, found[1], found[2], found[3], written, again, type(why)
--> 3, 2, 'link', 100, 209, nil, 'string'

--- instances of cjson have settings of their own, and cjson.safe gives nil and the reason
local cjson, safe = require 'cjson', require 'cjson.safe'
local other = cjson.new()
other.encode_number_precision(3)
local text, problem = safe.decode('{ no json')
local made, reason = safe.encode({print})
return cjson.encode(1 / 3), other.encode(1 / 3), text == nil and type(problem), made == nil and type(reason),
  safe.decode('[1, null]')[2] == cjson.null, safe.new().decode('[7]')[1], (select('#', safe.decode('[7]')))
--> '0.33333333333333', '0.333', 'string', 'string', true, 7, 1

--- json as lua-cjson's manual has it
local cjson = require 'cjson'
local sparse, place = cjson.encode({[3] = 'data'}), {[1000] = 'excessively sparse'}
local ok, problem = pcall(cjson.encode, place)
local is_converted, ratio, safe = cjson.encode_sparse_array(true)
local numbers = cjson.encode({0.1 + 0.2, 5, 1 / 3, true, 'é"'})
local digits, third = cjson.encode_number_precision(3), cjson.encode(1 / 3)
cjson.encode_number_precision(14)
return sparse, ok, problem:match('excessively sparse array'), is_converted, ratio, safe, cjson.encode(place), numbers,
  digits, third, cjson.encode({}), (pcall(cjson.encode, 0 / 0)), (pcall(cjson.encode, {[true] = 1}))
--> '[null,null,"data"]', false, 'excessively sparse array', true, 2, 10, '{"1000":"excessively sparse"}',
    '[0.3,5,0.33333333333333,true,"é\\""]', 3, '0.333', '{}', false, false

--- null in json is a value of cjson's own
local cjson = require 'cjson'
local list, fields = cjson.decode('[1, null, 3]'), cjson.decode('{"a": null}')
return list[2] == cjson.null, #list, fields.a == cjson.null, cjson.decode('null') == cjson.null, cjson.null == nil,
  type(cjson.null), tostring(cjson.null), cjson.encode(cjson.null), cjson.encode({1, cjson.null, {cjson.null}}),
  cjson.encode({b = cjson.null}), cjson.encode(cjson.decode('{"a":[null,{"b":null}]}')), cjson.encode(nil)
--> true, 3, true, true, false, 'userdata', 'userdata: NULL', 'null', '[1,null,[null]]', '{"b":null}',
    '{"a":[null,{"b":null}]}', 'null'

--- files that cannot be opened are named
local function said(...) return (select(2, pcall(...)):gsub('^.*: (torch%.)', '%1')) end
local image = require 'image'
return said(torch.load, 'no such file'), said(torch.save, '/no such/file', 1), said(torch.DiskFile, 'no such file'),
  said(image.load, 'no such.png'):match('no such.png: No such file or directory$')
--> 'torch.load: cannot open <no such file> in mode r: No such file or directory',
    'torch.save: cannot open </no such/file> in mode w: No such file or directory',
    'torch.DiskFile: cannot open <no such file> in mode r: No such file or directory',
    'no such.png: No such file or directory'

--- texts for graphviz are in quotation marks unless they are words
local graph = require 'graph'
local function of(text) return graph._dotEscape(text) end
return of('red'), of('light blue'), of('a[1'), of('two\nlines'), of('say "hello"')
--> 'red', '"light blue"', '"a[1"', '"two\\nlines"', '"say \\"hello\\""'

--- C's pointers to what tensors hold
local ffi = require 'ffi'
local x, y = torch.CharTensor(2, 8):zero(), torch.DoubleTensor{1, 2, 3}
ffi.copy(x[2]:data(), 'hello')
y:data()[1] = 7
return ffi.string(torch.data(x[2])), x[2][1], y[2], y:storage():data()[2], type(y:data(true))
--> 'hello', 104, 7, 3, 'number'

--- constructors of types are tables
local T = torch.FloatTensor
return type(T), T.elementSize(), torch.IntStorage.elementSize(), T.new(2):size(1), T.add(T{1}, 1)[1]
--> 'table', 4, 4, 2, 2

--- what makes objects of a class has no type
local A = torch.class('ConstructedHere')
return torch.typename(A) == nil, torch.type(ConstructedHere), torch.type(ConstructedHere()), torch.type(nn.Linear)
--> true, 'table', 'ConstructedHere', 'table'

--- a parenthesis that begins a line calls what stands before it
local f = loadstring("local add = function(a) return function(b) return a + b end end\nreturn add(1)\n  (2)")
local line = select(2, pcall(loadstring("local f = print\nf\n()\nerror('here')", '=code')))
return f(), line, loadstring("local f = print\nf() -- more\n(f)()") == nil
--> 3, 'code:4: here', true

--- threads have global variables of their own
local Threads = require 'threads'
local first, sizes = Threads(2, function() seen = 'first' end, function(i) _G.other = i return 7, 8 end)
local second, found = Threads(1, function() seen = 'second' end), {}
for _, each in ipairs {first, second} do
  each:addjob(function() return seen, type(print) end, function(...) table.insert(found, table.concat({...}, ' ')) end)
  each:synchronize()
end
return sizes[2][2], found[1], found[2], seen == nil, other == nil
--> 8, 'first function', 'second function', true, true

--- ranges that end before the last
local x = torch.range(1, 12):view(3, 4)
return x[{{1, -2}, {-3, -2}}]:sum(), x[{{2, -1}, 4}]:sum()
--> 18, 20

--- ranges and numbers as they cross alone, and with what does not
local x = torch.range(1, 24):view(2, 3, 4)
local same = {
  torch.equal(x[{{2}, {1, -2}, {}}], x:narrow(1, 2, 1):narrow(2, 1, 2)), torch.equal(x[{{}, 2}], x:select(2, 2)),
  torch.equal(x[{{}, {}, {'3', 4}}], x:narrow(3, 3, 2)), torch.equal(x[{{1.7, 2}, 1, 1}], x:select(2, 1):select(2, 1)),
}
local refused = {pcall(function() return x[{{1, 9}}] end), pcall(function() return x[{{1, 2, 2}}] end),
  pcall(function() return x[{{}, {}, {}, {}}] end), (pcall(function() return torch.LongStorage{1}[{{1}}] end))}
x[{{}, {1, 2}, 4}], x[{2, {}, {1, 2}}], x[{{}, 3, {}}] = 0, torch.ones(3, 2), {1, 2, 3, 4, 5, 6, 7, 8}
return same[1] and same[2] and same[3] and same[4], refused[1] or refused[2] or refused[3] or refused[4], x:sum(),
  x:view(3, 1, 8)[{{}, {}, {2, 3}}]:sum()
--> true, false, 89, 30

--- texts in parts
local a, b = ('a,b,,c,'):split(','), (',x'):split(',')
return table.concat(a, '|'), table.concat(b, '|'), #(''):split(',')
--> 'a|b||c', 'x', 0

--- images' arguments by name
local image = require 'image'
return image.gaussian{width = 3, height = 1, normalize = true}:sum(), image.minmax{tensor = torch.Tensor{1, 3}}[2]
--> 1, 1

--- a layer whose class has been changed goes through a file
local before = nn.Add.updateGradInput
function nn.Add:updateGradInput(...) calls = (calls or 0) + 1 return before(self, ...) end
local file = torch.MemoryFile('w'):binary()
file:writeObject(nn.Add(2))
local loaded = torch.MemoryFile(file:storage(), 'r'):binary():readObject()
loaded:forward(torch.zeros(2))
loaded:backward(torch.zeros(2), torch.ones(2))
nn.Add.updateGradInput = before
return torch.type(loaded), calls
--> 'nn.Add', 1

--- types as tables
function torch.LongTensor:doubled() return self * 2 end
local ints = torch.getmetatable('torch.IntTensor')
function ints:doubled() return self * 3 end
local known = pcall(function() return torch.DoubleTensor{1}:doubled() end)
return torch.LongTensor{4}:doubled()[1], torch.IntTensor{4}:doubled()[1], known, torch.LongTensor.new(3):size(1),
  torch.LongTensor.add(torch.LongTensor{1}, 2)[1], torch.isTypeOf(torch.LongTensor{1}, torch.LongTensor)
--> 8, 12, false, 3, 3, true

--- operators of a type
function torch.ShortTensor:__sub(other) return 'less' end
return torch.ShortTensor{1} - torch.ShortTensor{2}, (torch.IntTensor{1} - torch.IntTensor{2})[1]
--> 'less', -1

--- sizes and places that are no whole numbers
local x = torch.range(1, 9)
return torch.zeros(3, 3.5):size(2), x:narrow(1, 2.5, 2.5):size(1), x:sub(1.5, 4.7):size(1), #torch.LongStorage(2.5),
  x:clone():resize(2, 2.5):size(2), #x:split(4.5), x[2.5], x:narrow(1, 2.5, 1)[1]
--> 3, 2, 4, 2, 2, 3, 2, 2

--- tables of steps
require 'rnn'
local l = nn.LSTM(2, 3)
for i = 1, 3 do l:forward(torch.ones(2)) end
local seen = 0
for step in pairs(l.sharedClones) do seen = seen + step end
return #l.sharedClones, #l.cells, l.nSharedClone, seen, type(l.outputs), l.outputs[2] == nil, l.outputs[9]
--> 3, 3, 3, 6, 'table', false, nil

--- fields that functorch7 computes, set by a class of Lua's
require 'rnn'
local Counted, parent = torch.class('nn.Counted', 'nn.Container')
function Counted:__init() parent.__init(self) self.step, self.sharedClones = 1, {} end
local c = nn.Counted()
c.step = c.step + 1
c.sharedClones[2] = 'second'
return c.step, c.sharedClones[1], c.sharedClones[2], nn.LSTM(2, 3).step
--> 2, nil, 'second', 1

--- functions of a class, with a dot and with a colon
require 'rnn'
local l, x = nn.LSTM(2, 3), {torch.ones(2)}
local copy = l.recursiveCopy(nil, x)
copy[1]:fill(2)
return copy[1]:sum(), l:recursiveCopy(copy, x)[1]:sum(), nn.rnn.recursiveCopy(nil, x)[1]:sum()
--> 4, 2, 2

--- names and patterns of classes
torch.class('Own') torch.class('BelowOwn', 'Own')
return torch.isTypeOf(BelowOwn(), 'Own'), torch.isTypeOf(Own(), 'BelowOwn'), torch.isTypeOf(BelowOwn(), 'low'),
  torch.isTypeOf(BelowOwn(), 'B.*'), torch.isTypeOf(BelowOwn(), Own), torch.isTypeOf(Own(), BelowOwn)
--> true, false, false, true, true, false

--- what fills a view
local x = torch.zeros(2, 3)
x:narrow(2, 2, 2):range(1, 4)
return x[2][2], x[2][3], x[1][1], x:clone():range(1, 3):dim(), pcall(torch.linspace, 0, 1, 1) == false
--> 3, 4, 0, 1, true

--- elements of vectors
local x = torch.IntTensor{4, 5}
return x:select(1, 2), x:select(3, 1), x:elementSize() + x:storage():elementSize(), x:real():type() == torch.getdefaulttensortype()
--> 5, 4, 8, true

--- modules in fields with the names of methods
local m = nn.Linear(2, 2)
m.sharedClone = m:sharedClone()
m:getParameters():fill(7)
return m.sharedClone.bias[1], m:clone().sharedClone.bias[1]
--> 7, 7

--- fields with the names of methods
local m = nn.Tanh()
m.inputs, m.clearState = {1, 2}, 5
local other = nn.Tanh()
m.inputs[3] = 4
return #m.inputs, m.clearState, m:clone().inputs[3], m:clone().clearState, type(other.clearState)
--> 3, 5, 4, 5, 'function'

--- the gradient of a chain is its first module's own
local Held, parent = torch.class('nn.Held', 'nn.Module')
function Held:updateOutput(input) return self.output:resizeAs(input):copy(input) end
function Held:updateGradInput(input, gradOutput) return self.gradInput:resizeAs(input):copy(gradOutput) end
local network = nn.Sequential():add(nn.Sequential():add(nn.Held())):add(nn.MulConstant(3))
local x = torch.ones(2)
network:forward(x)
local first = network:backward(x, torch.ones(2))
network:forward(x)
local second = network:backward(x, torch.ones(2) * 2)
return first == second, first == network.gradInput, first == network:get(1):get(1).gradInput, first:sum()
--> true, true, true, 12

--- nodes that are nil, and where nodes are made
require 'nngraph'
local x = nn.Identity()()
local place = ('[%s]:%d'):format(debug.getinfo(1).short_src, debug.getinfo(1).currentline - 1)
return pcall(function() return nn.Tanh()(nil) end) == false, x.data.annotations._debugLabel == place
--> true, true

--- functions in files
local factor = 3
local bytes = torch.serialize({n = 2, times = function(x) return x * factor end})
local ok, problem = pcall(torch.serialize, {settings = {5, write = print}})
local found = torch.deserialize(bytes)
return found.n, pcall(found.times, 2) == false, ok, problem:match("at %['settings'%]%['write'%]") ~= nil
--> 2, true, false, true

--- a squeezed element is a number
return torch.ones(1, 1):squeeze(), torch.ones(1):squeeze(1), torch.ones(1, 1):squeeze(1):size(1), torch.type(torch.ones(2, 1):squeeze())
--> 1, 1, 1, 'torch.FloatTensor'

--- a cache of what has been cast
local a, b, cache = nn.Linear(2, 2):double(), nn.Linear(2, 2):double(), {}
b.bias:set(a.bias)
a:type('torch.FloatTensor', cache)
b:type('torch.FloatTensor', cache)
a.bias:fill(3)
return b.bias[1], torch.type(b.bias)
--> 3, 'torch.FloatTensor'

--- a layer that is called, beside one that draws
local network = nn.Sequential():add(nn.Add(6)):add(nn.Dropout(0.5)):add(nn.Add(6))
local function gradients()
  torch.manualSeed(5)
  network:zeroGradParameters()
  network:forward(torch.ones(6))
  return network:backward(torch.ones(6), torch.range(1, 6)), network:get(1).gradBias:clone()
end
local input, bias = gradients()
local before = nn.Add.accGradParameters
function nn.Add:accGradParameters(...) called = true return before(self, ...) end
local again, bias_again = gradients()
nn.Add.accGradParameters = before
return called, input:dist(again), bias:dist(bias_again), input:sum() > 0
--> true, 0, 0, true

--- the length of containers, which are tables
local net = nn.Sequential():add(nn.Tanh()):add(nn.Abs())
local found = 0
for name in pairs(net) do if name == 'modules' then found = found + 1 end end
net.own = 3
return #net, type(net), torch.type(net), found, #nn.ConcatTable(), net.own, net:get(2) == net.modules[2]
--> 2, 'table', 'nn.Sequential', 1, 0, 3, true

--- objects of Lua's classes are equal to themselves, and classes have those above as metatables
torch.class('Above') torch.class('Below', 'Above')
function Above:name() return 'above' end
local a, b = Below(), Below()
return a == b, a == a, a ~= b, b:name(), torch.getmetatable('Below') == torch.getmetatable('Above'),
  getmetatable(torch.getmetatable('Below')).__typename, torch.isTypeOf(a, 'Above'), torch.isTypeOf(Above(), 'Below')
--> false, true, true, 'above', false, 'Above', true, false

--- metatables lead from class to class
local function chain(value)
  local names, metatable = {}, getmetatable(value)
  while metatable do
    names[#names + 1] = rawget(metatable, '__typename')
    metatable = getmetatable(metatable)
  end
  return table.concat(names, ' ')
end
local Deep, above = torch.class('nn.Deep', 'nn.Linear')
return chain(nn.Deep), chain(nn.Sequential()), chain(nn.LSTM(2, 2)), chain(nn.MSECriterion()),
  getmetatable(nn.Deep) == Deep, above == torch.getmetatable('nn.Linear'), getmetatable(nn.Linear(1, 1)) == above
--> 'nn.Deep nn.Linear nn.Module', 'nn.Sequential nn.Container nn.Module', 'nn.LSTM nn.AbstractRecurrent nn.Container nn.Module', 'nn.MSECriterion nn.Criterion', true, true, true

--- methods that are put into metatables count for all objects
getmetatable(nn.Tanh()).doubled = function(self, x) return self:forward(x) * 2 end
torch.getmetatable('nn.Module').named = function(self) return torch.type(self) end
return nn.Tanh():doubled(torch.zeros(1))[1], nn.Sequential():named(), nn.Linear.named ~= nil, nn.Linear.doubled
--> 0, 'nn.Sequential', true, nil

--- a table of fields becomes a module of the same tensors
local function copied(value)
  local made = {}
  for key, each in pairs(value) do made[key] = type(each) == 'table' and copied(each) or each end
  return torch.typename(value) and torch.setmetatable(made, torch.typename(value)) or made
end
local network = nn.Sequential():add(nn.SpatialConvolution(1, 2, 3, 3)):add(nn.View(-1)):add(nn.Linear(8, 2))
network.epoch = 3
local copy, x = copied(network:evaluate()), torch.randn(1, 4, 4)
local same = (copy:forward(x) - network:forward(x)):abs():max()
network:get(3).weight:fill(5)
local third = copy:get(3).weight[1][1]
copy:float()
return torch.type(copy), same, third, copy.train, copy.epoch, #copy.modules, copy.modules[1].kW,
  network:get(1).weight:type() == copy:get(1).weight:type()
--> 'nn.Sequential', 0, 5, false, 3, 3, 3, true

--- what makes no object of a class is refused
local ok, problem = pcall(torch.setmetatable, {}, 'nn.Linear')
local none, missing = pcall(torch.setmetatable, {}, 'no.Class')
return ok, problem:match('expected a tensor of 2 dimensions as weight') ~= nil, none, missing:match("no class 'no.Class'") ~= nil
--> false, true, false, true

--- three objects and a number after them
local linear = nn.Linear(1, 1)
local x, g = torch.ones(1), torch.ones(1)
linear:zeroGradParameters()
linear:forward(x)
linear:accGradParameters(x, g, 0.5)
linear:accGradParameters(x, g)
return linear.gradBias[1], linear.gradWeight[1][1]
--> 1.5, 1.5

--- a package can be gone through
local found = {}
for name, value in pairs(nn) do
  if torch.type(value) == 'nil' or getmetatable(value) then found[name] = getmetatable(getmetatable(value) or {}) end
end
nn.mine = 3
local count = 0
for name in pairs(nn) do if name == 'mine' or name == 'Linear' then count = count + 1 end end
nn.mine = nil
return found.SoftMax.__typename, found.MSECriterion.__typename, found.FastLSTM.__typename, count
--> 'nn.Module', 'nn.Criterion', 'nn.LSTM', 2

--- what packages import for themselves is not there
local found = {}
for _, package in ipairs{torch, nn, require 'optim', require 'xlua', require 'sys', require 'paths', require 'image'} do
  for _, name in ipairs{'annotations', 'Any', 'Callable', 'os', 'np', 'number', 'naming', 'Operation'} do
    if package[name] ~= nil then found[#found + 1] = name end
  end
end
return #found, nn.utils.addSingletonDimension(torch.Tensor(2)):dim(), xlua.progress ~= nil
--> 0, 2, true

--- methods of one type are put into its metatable by rawset, see Lua's own values, and are taken back
local metatable, x = torch.getmetatable('torch.DoubleTensor'), torch.DoubleTensor{1, 2, 3, 4}
local usual, token = torch.DoubleTensor.view, {}
rawset(metatable, 'view', function(first, second) return first == token, second end)
local same, second = x.view(token, 7)
local other, read = torch.FloatTensor(4):view(2, 2):dim(), torch.DoubleTensor.view(token)
rawset(metatable, 'view', usual)
local add = torch.DoubleTensor.add
rawset(metatable, 'add', function() return 'typed' end)
local typed, timer, module = x:add(1), torch.Timer().add, nn.Sequential():double():add(nn.Tanh()):size()
rawset(metatable, 'add', add)
return same, second, other, read, x:view(2, 2):sum(), rawset({}, 'a', 5).a, torch.isStorage(token),
  torch.isStorage(x:size()), torch.isStorage(x:storage()), torch.isStorage(x), typed, timer, module, x:add(1):sum()
--> true, 7, 2, true, 10, 5, false, true, true, false, 'typed', nil, 1, 14

--- classes are found by the name that torch.class has given them, whatever table they are in
local package = {}
local Inner, above = torch.class('some.place.Inner', 'nn.Module', package)
local made = torch.factory('some.place.Inner')()
return torch.type(made), torch.type(package.Inner()), torch.factory('some.place.Outer'), torch.factory('nn.Nothing')
--> 'some.place.Inner', 'some.place.Inner', nil, nil

--- functions of torch that are methods, too
local x = torch.ones(2)
return torch.zero(x):sum(), torch.fill(x, 3) == x, x:sum(), torch.scatter(torch.zeros(2, 2), 1, torch.LongTensor{{2, 1}},
  torch.Tensor{{5, 6}})[2][1], torch.DoubleTensor.cat({x, x}, 1):size(1)
--> 0, true, 6, 5, 4

--- files of objects take Lua's functions and objects, and give those again
local Kept = torch.class('KeptInFiles')
function Kept:__init(x) self.x = x end
local kept, file = KeptInFiles(3), torch.MemoryFile()
kept.me = kept
file:writeObject({kept, kept, function() end}):writeObject(kept):seek(1)
local found, again = file:readObject(), file:readObject()
return torch.type(found[1]), found[1] == found[2], found[1].me == found[1], again == found[1], again.x,
  torch.typename(file), torch.deserializeFromStorage(torch.serializeToStorage(kept)).x
--> 'KeptInFiles', true, true, true, 3, 'torch.MemoryFile', 3

--- classes below those that are no modules
local Extended, above = torch.class('ExtendedLine', 'torch.CmdLine')
function Extended:__init() above.__init(self) self.seen = {} end
function Extended:option(key, ...) above.option(self, key, ...) self.seen[#self.seen + 1] = key end
local line = ExtendedLine()
line:option('-rate', 0.5)
line:option('-size', 3)
line.options['-rate'].more = {4}
for i = 1, 3 do collectgarbage() end
return line:parse({'-rate', '2'}).rate, #line.seen, line.seen[2], getmetatable(getmetatable(line)).__typename,
  line.options['-rate'].more[1]
--> 2, 2, '-size', 'torch.CmdLine', 4

--- bit32 and md5, which programs expect beside LuaJIT's own
local bits, band = require 'bit32', require('bit32').band
return band(0xFFFFFFFF, 0xF0F0F0F0) == 0xF0F0F0F0, band(), bits.lshift(1, 31) == 2 ^ 31, bits.lshift(1, 32),
  bits.lshift(6, -1), bits.rshift(2 ^ 31, 31), bits.arshift(2 ^ 31, 31) == 2 ^ 32 - 1, bits.extract(0xABCD, 4, 8),
  bits.replace(0xABCD, 0, 4, 8), bits.btest(1, 2), bits.bnot(0) == 2 ^ 32 - 1, require('md5').sumhexa('')
--> true, 4294967295, true, 0, 3, 1, true, 0xBC, 0xA00D, false, true, 'd41d8cd98f00b204e9800998ecf8427e'

--- Python calls Lua from within coroutines, however these are gone on with
local function add(x, n) return x:apply(function(v) return v + n end) end
local co = coroutine.create(function(first, ...)
  local x = add(torch.ones(2), first)
  local more, last = coroutine.yield(x:sum(), ...)
  for i = 1, 2000 do x = x + more end
  return torch.deserialize(torch.serialize{x, {last}})
end)
local _, sum, extra = coroutine.resume(co, 1, 'extra', {})
local ok, found = coroutine.resume(co, 2, 'last')
local again = coroutine.wrap(function(...) add(torch.ones(2), 1) error(... .. '!') end)
local failed, problem = pcall(again, 'no')
return sum, extra, ok, found[1]:sum(), found[2][1], failed, problem:match('no!$'), add(torch.ones(1), 4)[1]
--> 4, 'extra', true, 8004, 'last', false, 'no!', 5

--- a last argument may name the type of what is made
return torch.type(torch.range(1, 4, 'torch.LongTensor')), torch.type(torch.rand(2, 'torch.DoubleTensor')),
  torch.randperm(3, 'torch.IntTensor'):type(), torch.zeros(2, 3, 'torch.DoubleTensor'):size(2), torch.eye(2):type()
--> 'torch.LongTensor', 'torch.DoubleTensor', 'torch.IntTensor', 3, 'torch.FloatTensor'

--- tables of tds have their names
local tds = require "tds"
local hash, vec = tds.hash{1}, tds.Vec()
return torch.type(hash), torch.type(vec), torch.typename(tds.AtomicCounter()), torch.isTypeOf(hash, 'tds.Hash')
--> 'tds.Hash', 'tds.Vec', 'tds.AtomicCounter', true

--- a program may make classes when a file asks for them, by its own torch.factory
local factory, bytes = torch.factory, nil
local Early, above = torch.class('nn.MadeLater', 'nn.Module')
function Early:__init(x) above.__init(self) self.x = x end
bytes = torch.serialize(nn.Sequential():add(nn.MadeLater(3))):gsub('MadeLater', 'MadeThere')
function torch.factory(name)
  if name == 'nn.MadeThere' then torch.class(name, 'nn.Module') end
  return factory(name)
end
local found = torch.deserialize(bytes)
torch.factory = factory
return torch.type(found:get(1)), found:get(1).x
--> 'nn.MadeThere', 3

--- classes of Lua's own, three deep
deep = {}
local A = torch.class('deep.A')
function A:__init(name) self.name = name end
function A:says() return 'A' end
local B = torch.class('deep.B', 'deep.A')
function B:says() return 'B ' .. self.name end
local C = torch.class('deep.C', 'deep.B')
local c = deep.C.new('c')
return torch.typename(c), c:says(), torch.isTypeOf(c, 'deep.A'), deep.B.new('b'):says(), deep.A.new('a'):says()
--> 'deep.C', 'B c', true, 'B b', 'A'

--- pointers
local a, f, x = {}, function() end, torch.zeros(3)
pointed = {}
torch.class('pointed.Object')
local o = pointed.Object()
local same = torch.pointer
return same(a) == same(a), same(a) == same({}), same(f) == same(f), same(o) == same(o), same(o) == same(pointed.Object()),
  same(x:storage()) == same(x:view(1, 3):storage()), type(same(a))
--> true, false, true, true, false, true, 'number'

--- nil and functions in assertions
local t = torch.Tester()
t:add(function()
  t:eq(nil, nil) t:ne(nil, 1) t:ne({}, nil) t:ne(function() end, nil) t:eq(t.run, t.run) t:eq(nil, nil, 'said')
end, 'nils')
local written = print
print = function() end
local ok = pcall(t.run, t)
print = written
return #t.errors, t.countasserts
--> 0, 6

--- suites of tests
local suite = torch.TestSuite()
function suite.one() return 1 end
local names = {}
for name, test in pairs(suite) do names[#names + 1] = name .. test() end
for name, test in pairs(suite.__tests) do
  names[#names + 1] = name .. test()
  suite.__tests[name] = function() return 2 * test() end
end
return names[1], names[2], #names, suite.one(), (pcall(function() suite.one = suite.one end))
--> 'one1', 'one1', 2, 2, false

--- options that a class below CmdLine changes
lines = {}
local Line, parent = torch.class('lines.Line', 'torch.CmdLine')
function Line:option(key, default, help, about)
  parent.option(self, key, default, help)
  self.options[key].about = about
  if about == 'hidden' then table.remove(self.helplines) end
end
local cmd = lines.Line()
cmd:option('-rate', 0.5, 'step', 'shown')
cmd:option('-secret', 'x', 'none', 'hidden')
cmd.options['-rate'].default = 2
return cmd.options['-rate'].about, cmd.options['-rate'].key, #cmd.helplines, cmd:parse({'-secret', 'y'}).rate,
  cmd:parse({'-secret', 'y'}).secret, cmd.options['-none']
--> 'shown', '-rate', 1, 2, 'y', nil

--- containers whose modules come later
local Later, parent = torch.class('nn.Later', 'nn.Container')
function Later:__init(inner) parent.__init(self) self:add(inner) end
function Later:updateOutput(input) self.output = self.modules[1]:updateOutput(input) return self.output end
local later = nn.Later()
local before = #later.modules
later.modules = {nn.MulConstant(3)}
return before, later:forward(torch.ones(2)):sum(), #nn.Later(nn.Tanh()).modules
--> 0, 6, 1

--- modes of layers in Lua
local Moody = torch.class('nn.Moody', 'nn.Module')
function Moody:updateOutput(input) self.output = input * (self.train and 2 or self.train == false and 3 or 5) return self.output end
local m, x = nn.Moody(), torch.ones(1)
local first = m:forward(x)[1]
return m.train == nil and first, m:training():forward(x)[1], m:evaluate():forward(x)[1],
  nn.Sequential():add(nn.Moody()):forward(x)[1], nn.Sequential():add(nn.Moody()):training():forward(x)[1]
--> 5, 2, 3, 5, 2

--- gradients of a part of a table
local First = torch.class('nn.FirstOfTwo', 'nn.Module')
function First:updateOutput(input) self.output = input[1] * input[2][1] return self.output end
function First:updateGradInput(input, g) self.gradInput = {g * input[2][1], nil} return self.gradInput end
local x = {torch.ones(2), torch.Tensor{4}}
local net = nn.Sequential():add(nn.ParallelTable():add(nn.Identity()):add(nn.MulConstant(1))):add(nn.FirstOfTwo())
net:forward(x)
local g = net:backward(x, torch.ones(2))
return g[1]:sum(), g[2]:sum()
--> 8, 0

--- weights without a gradient
local net = nn.Sequential():add(nn.LookupTable(4, 2)):add(nn.Linear(2, 1))
local x, g = torch.LongTensor{1, 3}, torch.ones(2, 1)
local words = net:get(1)
words.gradWeight = nil
local before, bias = words.weight:clone(), net:get(2).bias[1]
net:zeroGradParameters() net:forward(x) net:backward(x, g) net:updateParameters(0.5)
return #net:parameters(), (words.weight - before):abs():sum(), math.abs(bias - net:get(2).bias[1] - 1) < 1e-6, words.gradWeight
--> 2, 0, true, nil

--- what torchx finds in tensors
require 'torchx'
local m = torch.Tensor{{1, 2, 3}, {2, 6, 2}}
local all, rows = torch.find(m, 2), torch.find(m:t(), 2, 2)
local groups, values, places = torch.group(torch.Tensor{5, 3, 4, 5}, nil, true)
local a, b = torch.remap({torch.ones(2), {torch.ones(1)}}, nil, function(x, y) y:resizeAs(x):copy(x):add(1) end)
return #all, all[2], all[3], #rows[1], rows[3][1], groups[5].val:sum(), groups[3].idx[1], values[4], places[3],
  b[1]:sum(), b[2][1][1], torch.LongTensor(torch.find(m, 9)):nElement()
--> 3, 4, 6, 1, 2, 10, 2, 3, 3, 4, 2, 0

--- losses of classes give the total of the targets' weights, too
local x, t = torch.zeros(3, 2), torch.Tensor{1, 2, 2}
local Doubled, parent = torch.class('nn.DoubledLossHere', 'nn.ClassNLLCriterion')
function Doubled:updateOutput(input, target)
  local loss, total = parent.updateOutput(self, input, target)
  return 2 * loss + 1, total
end
local weighted = nn.ClassNLLCriterion(torch.Tensor{3, 0.5})
local image = nn.SpatialClassNLLCriterion()
return select('#', weighted:forward(x, t)), select(2, weighted:forward(x, t)), select('#', weighted:backward(x, t)),
  select('#', nn.MSECriterion():forward(x, x)), select(2, nn.DoubledLossHere():forward(x, t)),
  select(2, nn.ClassNLLCriterion():forward(x[1], 2)), select(2, image:forward(torch.zeros(1, 2, 2, 3), torch.ones(1, 2, 3)))
--> 2, 4, 1, 1, 3, 1, 6

--- networks are converted between nn and cudnn
require 'nn'
local cudnn = require 'cudnn'
local net = nn.Sequential():add(nn.SpatialConvolution(1, 1, 3, 3))
local ok, problem = pcall(cudnn.convert, net, {})
return cudnn.convert(net, cudnn) == net, cudnn.convert(net, nn, function() end) == net, ok,
  problem:match('expected nn or cudnn')
--> true, true, false, 'expected nn or cudnn'

--- layers below others that set the fields for themselves
require 'nn'
local Here, Linear = torch.class('nn.LinearWithoutBiasHere', 'nn.Linear')
function Here:__init(inputs, outputs)
  nn.Module.__init(self)
  self.weight, self.gradWeight = torch.Tensor(outputs, inputs), torch.Tensor(outputs, inputs)
  self:reset()
end
function Here:reset() self.weight:fill(2) self.gradWeight:zero() end
local layer, x = nn.LinearWithoutBiasHere(3, 2), torch.ones(4, 3)
local flat = nn.Sequential():add(layer):add(nn.Tanh()):getParameters()
local output, gradient = layer:forward(x), layer:backward(x, torch.ones(4, 2))
local again = torch.deserialize(torch.serialize(layer))
return flat:size(1), #layer:parameters(), output[4][2], gradient[4][3], layer.gradWeight[2][3], layer.bias,
  again:forward(x)[1][1], torch.type(again), layer:clone():forward(x)[1][1]
--> 6, 1, 6, 4, 4, nil, 6, 'nn.LinearWithoutBiasHere', 6

--- xlua requires Lua's packages, and th has dok
local before = print
print = function() end
local missing, sandboxed = xlua.require('no_such_package'), xlua.require('os.path')
print = before
return xlua.require('nn', true) == nn, missing, sandboxed, xrequire == xlua.require, type(dok.unpack)
--> true, false, false, true, 'function'

--- dok's unpack takes no arguments for the defaults, xlua's for a call for help
local before, shown, params = print, 0, {{arg = 'a', type = 'number', default = 3}, {arg = 'b', type = 'number', default = 4}}
for _, each in ipairs(params) do each.help = 'help' end
print = function() shown = shown + 1 end
local found, a, b = dok.unpack({}, 'f', 'does', unpack(params))
local both = {pcall(dok.unpack, {__printhelp = true}, 'f', 'does', unpack(params)),
  pcall(xlua.unpack, {}, 'f', 'does', unpack(params))}
print = before
return a, b, found.a, both[1], both[2], shown, require 'dok' == dok, dok.error == xlua.error
--> 3, 4, 3, false, false, 2, true, true

--- objects have the name of their class in __typename
require 'nn'
local Named = torch.class('nn.NamedHere', 'nn.Container')
function Named:__init() nn.Container.__init(self) end
local found = {}
for _, module in pairs(nn.Sequential():add(nn.Linear(1, 1)):add(nn.NamedHere()):listModules()) do
  table.insert(found, module.__typename)
end
return table.concat(found, ' '), nn.MSECriterion().__typename, torch.FloatTensor(2).__typename
--> 'nn.Sequential nn.Linear nn.NamedHere', 'nn.MSECriterion', 'torch.FloatTensor'

--- networks call the backward of layers that write nothing else of gradients
require 'nn'
local Twice, parent = torch.class('nn.TwiceHere', 'nn.Container')
function Twice:__init()
  parent.__init(self)
  self:add(nn.Linear(2, 2))
  self.count = 0
end
function Twice:updateOutput(input)
  self.count = self.count + 1
  self.output = self.modules[1]:forward(input) * 2
  return self.output
end
function Twice:backward(input, gradOutput, scale)
  self.count = self.count - 1
  self.gradInput = self.modules[1]:backward(input, gradOutput * 2, scale)
  return self.gradInput
end
local inside = nn.TwiceHere()
local net = nn.Sequential():add(nn.Linear(2, 2)):add(inside):add(nn.MulConstant(3))
local flat, gradients = net:getParameters()
flat:fill(1)
gradients:fill(10)
local x, counts = torch.ones(2), {}
for i = 1, 2 do
  net:forward(x)
  table.insert(counts, inside.count)
  net:backward(x, torch.ones(2), 0.5)
  table.insert(counts, inside.count)
end
return table.concat(counts, ' '), net.gradInput[1], net:get(1).gradBias[1], inside:get(1).gradBias[1],
  inside:get(1).gradWeight[1][1]
--> '1 0 1 0', 24, 22, 16, 28

--- a layer has no output and no gradInput until its __init calls the one above; gradients of its whole numbers are zeros
require 'nn'
local Flag, parent = torch.class('nn.FlagHere', 'nn.Module')
function Flag:updateOutput(input) return torch.ByteTensor{1} end
function Flag:updateGradInput(input, gradOutput) return input:clone():fill(0) end
local Pair = torch.class('nn.PairHere', 'nn.Container')
function Pair:__init() self.modules, self.made = {nn.ConcatTable():add(nn.MulConstant(2)):add(nn.FlagHere())}, 0 end
function Pair:updateOutput(input) self.output = self.modules[1]:forward(input) return self.output end
function Pair:updateGradInput(input, gradOutput)
  if not self.gradInput then self.made, self.gradInput = self.made + 1, input:clone() end
  self.gradInput:copy(self.modules[1]:updateGradInput(input, gradOutput))
  return self.gradInput
end
local pair = nn.PairHere()
local first = pair.output == nil and pair.gradInput == nil and nn.FlagHere().gradInput:dim() == 0
local net = nn.Sequential():add(nn.MulConstant(3)):add(pair):add(nn.SelectTable(1))
local x, found = torch.ones(2), {}
for i = 1, 2 do
  net:forward(x)
  found[i] = net:backward(x, x)[1]
end
return first, found[1], found[2], pair.made, pair:clone().gradInput ~= nil
--> true, 6, 6, 1, true

--- a table that was given the metatable of an object is an object, in files too
local Named = torch.class('NamedHere')
function Named:__init(n) self.n = n end
function Named:__add__(other) return type(self) == 'number' and self + other.n or self.n + other end
local Below = torch.class('NamedBelowHere', 'NamedHere')
local made = setmetatable({n = 5}, getmetatable(NamedBelowHere(4)))
local read = torch.deserialize(torch.serialize{made})[1]
return torch.isTypeOf(made, 'NamedHere'), torch.isTypeOf(made, NamedBelowHere), made + 1, 2 + made, torch.typename(read), read.n
--> true, true, 6, 7, 'NamedBelowHere', 5

--- backward of chains and branches calls a layer's own backward; that of other containers, and updateGradInput, its parts
require 'nn'
local called = ''
local All, parent = torch.class('nn.AllThreeHere', 'nn.Module')
function All:__init() parent.__init(self) self.weight, self.gradWeight = torch.ones(1), torch.zeros(1) end
function All:updateOutput(input) self.output = input:clone() return self.output end
for name, letter in pairs {backward = 'b', updateGradInput = 'u', accGradParameters = 'a'} do
  All[name] = function(self, input, gradOutput, scale)
    called = called .. letter .. (letter == 'u' and '' or scale)
    self.gradInput = gradOutput:clone()
    return self.gradInput
  end
end
local Chain = torch.class('nn.ChainHere', 'nn.Sequential')
function Chain:updateGradInput() called = called .. 'c' end
local x = torch.ones(1)
local function ask(network, input)
  called = called .. ' '
  network:forward(input)
  network:backward(input, input, 0.5)
  if torch.isTypeOf(network, 'nn.ChainHere') then return end
  network:updateGradInput(input, input)
  network:accGradParameters(input, input, 0.5)
end
ask(nn.Sequential():add(nn.Concat(1):add(nn.AllThreeHere())), x)
ask(nn.ParallelTable():add(nn.Sequential():add(nn.AllThreeHere())), {x})
ask(nn.ChainHere():add(nn.AllThreeHere()), x)
return called
--> ' b0.5ua0.5 ua0.5ua0.5 b0.5'

--- a layer at several places of a network, which writes backward alone, adds each place's gradient once
require 'nn'
local Scale, parent = torch.class('nn.ScaleHere', 'nn.Module')
function Scale:__init()
  parent.__init(self)
  self.weight, self.gradWeight = torch.Tensor{3}, torch.zeros(1)
end
function Scale:updateOutput(input)
  self.output = input:clone():mul(self.weight[1])
  return self.output
end
function Scale:backward(input, gradOutput, scale)
  self.gradWeight:add((scale or 1) * input:dot(gradOutput))
  self.gradInput = gradOutput:clone():mul(self.weight[1])
  return self.gradInput
end
local scale = nn.ScaleHere()
local twice = nn.Sequential():add(nn.MulConstant(2)):add(scale)
local net = nn.Sequential():add(nn.ConcatTable():add(scale):add(twice)):add(nn.CAddTable()):add(scale)
local x = torch.Tensor{1, 2}
local output = net:forward(x)
local gradient = net:backward(x, torch.ones(2))
local names = {}
for name in pairs(scale) do if name:find('added') then table.insert(names, name) end end
return output[1], gradient[1], scale.gradWeight[1], #names
--> 27, 27, 54, 0

--- of several results of updateOutput and updateGradInput networks take the first
require 'nn'
local Both, parent = torch.class('nn.BothHere', 'nn.Module')
function Both:updateOutput(input)
  self.output = input * 2
  return self.output, 'beside it'
end
function Both:updateGradInput(input, gradOutput)
  self.gradInput = gradOutput * 3
  return self.gradInput, 'beside it'
end
local net = nn.Sequential():add(nn.BothHere()):add(nn.MulConstant(5))
local x = torch.Tensor{1}
return net:forward(x)[1], net:backward(x, x)[1], (nn.BothHere():forward(x))[1], select('#', net:get(1):updateOutput(x))
--> 10, 15, 2, 2

--- the sizes of View, Reshape and CMul are LongStorages, which change the layer
require 'nn'
local view, x = nn.View(2, 3), torch.range(1, 6)
local net = nn.Sequential():add(view)
net:forward(x)
view.size[1], view.size[2] = 3, 2
local rows = net:forward(x):size(1)
local copy = view:clone()
copy.size[1], copy.size[2] = 1, 6
view.size = torch.LongStorage{6, 1}
local longer = nn.View(2, 3)
longer.size:resize(3)
longer.size[3], longer.size[2] = 3, 1
return longer:forward(x):dim(), torch.type(nn.Reshape(3, 2).size), #view.size, rows, net:forward(x):size(1), copy:forward(x):size(1),
  nn.CMul(4).size[1], tostring(view)
--> 3, 'torch.LongStorage', 2, 3, 6, 1, 4, 'nn.View(6, 1)'

--- numbers in the table that a layer of Lua's is given stay numbers, in networks too
require 'nn'
local Chosen, parent = torch.class('nn.ChosenHere', 'nn.Module')
function Chosen:__init()
  parent.__init(self)
  self.factors = {2, 3, 5}
end
function Chosen:updateOutput(input)
  self.output = input[2] * self.factors[input[1]]
  return self.output
end
function Chosen:updateGradInput(input, gradOutput)
  self.gradInput = {nil, gradOutput * self.factors[input[1]]}
  return self.gradInput
end
local x, layer = torch.Tensor{1, 2}, nn.ChosenHere()
local net = nn.Sequential():add(layer):add(nn.MulConstant(10))
local given = {3, x}
return layer:forward({2, x})[2], layer:backward({2, x}, x)[2][2], net:forward(given)[2], net:forward({1, x})[2],
  net:backward({1, x}, x)[2][2]
--> 6, 6, 100, 40, 40

--- a layer of Lua's that computes with a number in its input is right for each number
require 'nn'
local Times = torch.class('nn.TimesGiven', 'nn.Module')
function Times:updateOutput(input)
  self.output = input[2] * input[1]
  return self.output
end
local net = nn.Sequential():add(nn.TimesGiven()):add(nn.AddConstant(1))
local found = {}
for number = 1, 3 do table.insert(found, net:forward({number, torch.Tensor{1, 2}})[2]) end
return unpack(found)
--> 3, 5, 7

--- what is nil in the input of backward is forward's, as a graph in Torch reads nothing else
require 'nngraph'
local left, right = nn.Identity()(), nn.Identity()()
local net = nn.gModule({left, right}, {nn.CMulTable()({left, right})})
local x, y = torch.Tensor{2}, torch.Tensor{5}
net:forward({x, y})
local gradient = net:backward({nil, y}, torch.Tensor{1})
return gradient[1][1], gradient[2][1], net:backward(nil, torch.Tensor{3})[1][1]
--> 5, 2, 15

--- a copy of a network that shares its tensors leaves them alone when it is cast
require 'nn'
local Own, parent = torch.class('nn.OwnCopied', 'nn.Container')
function Own:__init()
  parent.__init(self)
  self.weight, self.gradWeight, self.name = torch.ones(2), torch.zeros(2), 'own'
  self:add(nn.Linear(2, 2))
end
function Own:updateOutput(input)
  self.output = self.modules[1]:forward(input) + self.weight
  return self.output
end
local function copied(fields)
  local copy = {}
  for name, each in pairs(fields) do copy[name] = type(each) == 'table' and copied(each) or each end
  return torch.typename(fields) and torch.setmetatable(copy, torch.typename(fields)) or copy
end
local net = nn.Sequential():add(nn.OwnCopied())
local weight, inner = net:get(1).weight, net:get(1):get(1).weight
local copy = copied(net)
local shared = copy:get(1).weight == weight and copy:get(1):get(1).weight == inner
copy:double()
inner:fill(0)
net:get(1):get(1).bias:fill(7)
local x = torch.ones(2)
return shared, tostring(copy:get(1)), copy:get(1).name, copy:get(1).weight:type(), weight:type(),
  inner == net:get(1):get(1).weight, net:forward(x)[1], copy:forward(x:double())[1] == 8
--> true, 'nn.OwnCopied', 'own', 'torch.DoubleTensor', 'torch.FloatTensor', true, 8, false

--- a mask that is an index has as many elements as the tensor, whatever its sizes
local x = torch.zeros(2, 3, 2)
local mask = torch.ByteTensor{{1, 0}, {0, 1}}
local plane = x[{{}, {2}, {}}]
plane[mask] = 5
x:select(2, 3)[mask:view(2, 1, 2)] = torch.Tensor{7, 8}
return x:sum(), x[1][2][1], x[2][2][2], x[2][3][2], plane[mask]:nElement(), (pcall(function() return x[mask] end))
--> 25, 5, 5, 8, 2, false

--- false is no number where Torch takes a default for it
require 'rnn'
local gru = nn.GRU(3, 4, false, 0.25, true)
return gru.rho, gru.p, nn.SpatialConvolution(2, 3, 1, 1, false, false).dW, nn.Linear(2, 3, false).bias == nil
--> 9999, 0.25, 1, true

--- a file of a rock's is what the package has under that name
local sgd, fpath = require 'optim.sgd', require 'sys.fpath'
return sgd == require 'optim'.sgd, type(fpath()), torch.typename(require 'nn.Linear'(2, 3)), (pcall(require, 'nn.Nothing'))
--> true, 'string', 'nn.Linear', false

--- a layer of Lua's that turns its weight learns behind a layer that checks its input
require 'nn'
local Rows = torch.class('nn.RowsBehind', 'nn.Module')
function Rows:__init()
  nn.Module.__init(self)
  self.weight, self.gradWeight = torch.Tensor{{1, 2}, {3, 4}}, torch.zeros(2, 2)
end
function Rows:updateOutput(input)
  self.output = torch.mm(input, self.weight:t())
  return self.output
end
function Rows:updateGradInput(input, gradOutput)
  self.gradInput = torch.mm(gradOutput, self.weight)
  return self.gradInput
end
function Rows:accGradParameters(input, gradOutput, scale) self.gradWeight:addmm(scale or 1, gradOutput:t(), input) end
local lookup = nn.LookupTable(3, 2)
lookup.weight:copy(torch.Tensor{{1, 0}, {0, 1}, {2, 2}})
local net = nn.Sequential():add(lookup):add(nn.RowsBehind())
net:getParameters()
local x = torch.Tensor{1, 3}
local output = net:forward(x)
net:backward(x, torch.ones(2, 2))
local of_rows, of_lookup = net:get(2).gradWeight, lookup.gradWeight
return output[1][2], output[2][2], of_rows[1][1], of_rows[2][2], of_lookup[1][2], of_lookup[2][1], of_lookup[3][1]
--> 3, 14, 3, 2, 6, 0, 4

--- options of xlua's parser are told in one table
require 'xlua'
local parser = xlua.OptionParser('%prog [options]')
parser:option{'-d', '--dir', action = 'store', dest = 'dir', help = 'a folder', default = 'here'}
parser:option{'-v', action = 'store_true', dest = 'loud'}
local options, rest = parser:parse({}, {'--dir', 'there', '-v', 'more'})
return options.dir, options.loud, rest[1], parser:parse({}, {}).dir, (pcall(parser.option, parser, {'-x'}))
--> 'there', true, 'more', 'here', false

--- texts that are numerals are numbers where numbers are wanted, as for Lua's arithmetic and Torch's functions in C
local words = {'2', '0.5', '-3'}
local x = torch.zeros('2', 3):add('1.5'):mul('0x2')
local linear, storage = nn.Linear('3', '2'), torch.LongStorage{'4', 2}
linear.weight:fill('1')
local view, drop = nn.View('3', -1):forward(x), nn.Dropout('0.25')
linear:zeroGradParameters()
linear.gradWeight:add('2')
linear:updateParameters('0.5')
return x:narrow('1', '2', 1):sum('2')[1][1], torch.Tensor(words):sum(), words[2], torch.FloatTensor{{'1', 2}}[1][1], storage[1],
  linear.weight:sum(), linear.weight:size(2), view:size(1), drop.p, (x * '2')[1][1], ('3' - x)[1][1],
  torch.deserialize(torch.serialize('12')), (pcall(torch.zeros, 'two'))
--> 9, -0.5, '0.5', 1, 4, 0, 3, 3, 0.25, 6, 0, '12', false

--- numbers are texts where texts are wanted, as in Lua's own functions
require 'paths'
return paths.basename(paths.concat(4001, 'log', 2.5)), paths.concat('/a', 7), paths.filep(12), torch.typename(7)
--> '2.5', '/a/7', false, nil

--- what has a text of its own gives it by its method, too
require 'optim'
local timer, file, matrix = torch.Timer(), torch.MemoryFile(), optim.ConfusionMatrix(2)
local same = 0
for _, each in ipairs {torch.ones(2), torch.LongStorage {3}, timer, file, matrix} do
  same = same + (each:__tostring__() == tostring(each) and 1 or 0)
end
local Named, parent = torch.class('NamedMatrix', 'optim.ConfusionMatrix')
function Named:__tostring__() return 'my ' .. parent.__tostring__(self) end
return same, tostring(NamedMatrix(2)):sub(1, 18)
--> 5, 'my ConfusionMatrix'

--- classes below others print under their own names, with the text of the class above
require 'nn'
require 'rnn'
for _, each in ipairs {'Linear', 'Dropout', 'Normalize', 'ConcatTable', 'Sequential', 'GRU', 'ReLU', 'MSECriterion'} do
  torch.class('nn.Named' .. each, 'nn.' .. each)
end
function nn.NamedDropout:updateOutput(input) return input end
local Said, parent = torch.class('nn.SaidLinear', 'nn.Linear')
function Said:__tostring__() return torch.type(self) .. ' says ' .. parent.__tostring__(self) end
local branches = nn.NamedConcatTable():add(nn.SaidLinear(3, 2)):add(nn.NamedReLU())
return tostring(nn.NamedLinear(3, 4)), tostring(nn.NamedDropout(0.5)), tostring(nn.NamedNormalize(2)),
  tostring(nn.NamedGRU(2, 3)), tostring(nn.NamedMSECriterion()), tostring(nn.SaidLinear(3, 2)),
  tostring(nn.NamedSequential():add(branches)), tostring(nn.Sequencer(nn.SaidLinear(3, 2))), nn.Tanh():__tostring__(),
  tostring(nn.NamedLinear(3, 4):noBias():clone())
--> 'nn.NamedLinear(3 -> 4)', 'nn.NamedDropout(0.5, busy)', 'nn.NamedNormalize(2)', 'nn.NamedGRU(2 -> 3, 0.00)',
  'nn.NamedMSECriterion', 'nn.SaidLinear says nn.SaidLinear(3 -> 2)', [[nn.Sequential {
  [input -> (1) -> output]
  (1): nn.NamedConcatTable {
    input
      |`-> (1): nn.SaidLinear says nn.SaidLinear(3 -> 2)
       `-> (2): nn.NamedReLU
       ... -> output
  }
}]], 'nn.Sequencer @ nn.Recursor @ nn.SaidLinear says nn.SaidLinear(3 -> 2)', 'nn.Tanh',
  'nn.NamedLinear(3 -> 4) without bias'

--- a criterion below another may set the fields itself, and has the gradient of the one above unless it writes its own
require 'rnn'
local Weighted, parent = torch.class('nn.WeightedSequence', 'nn.SequencerCriterion')
function Weighted:__init(criterion, factor)
  parent.__init(self)
  self.criterion, self.clones, self.gradInput, self.factor = criterion, {}, {}, factor
end
function Weighted:updateOutput(input, target)
  self.output = 0
  for i, each in ipairs(input) do
    self.output = self.output + self.factor * self:getStepCriterion(i):forward(each, target[i])
  end
  return self.output
end
local input, target = {torch.Tensor{1, 2}, torch.Tensor{3, 4}}, {torch.Tensor{0, 0}, torch.Tensor{3, 3}}
local criterion = nn.WeightedSequence(nn.MSECriterion(), 10)
local loss, gradient = criterion:forward(input, target), criterion:backward(input, target)
local Bare, above = torch.class('nn.BareLinear', 'nn.Linear')
function Bare:__init() above.__init(self, 3) end
return loss, gradient[1][2], gradient[2][1], gradient[2][2], criterion.criterion == criterion:clone().criterion,
  torch.type(criterion:clone().criterion), select(2, pcall(nn.BareLinear)):match('nn.Linear:.*')
--> 30, 2, 0, 1, false, 'nn.MSECriterion', 'nn.Linear: expected (inputSize, outputSize, [bias]), got (3)'

--- a layer below another that writes updateOutput alone has the gradient of the one above, in networks and sequences, too
require 'rnn'
local Doubled, parent = torch.class('nn.TwofoldLinear', 'nn.Linear')
function Doubled:updateOutput(input)
  self.output = parent.updateOutput(self, input) * 2
  return self.output
end
local Cell, above = torch.class('nn.TwofoldLSTM', 'nn.LSTM')
function Cell:updateOutput(input) return above.updateOutput(self, input) * 2 end
local x, g, seen = torch.Tensor{1, 5}, torch.Tensor{7}, {}
local layer = nn.TwofoldLinear(2, 1)
layer.weight:fill(3)
layer.bias:zero()
for _, net in ipairs {layer, nn.Sequential():add(nn.Identity()):add(layer)} do
  layer:zeroGradParameters()
  table.insert(seen, net:forward(x)[1])
  table.insert(seen, net:backward(x, g)[2])
  table.insert(seen, layer.gradWeight[1][2])
end
local doubled, plain, steps = nn.TwofoldLSTM(2, 3), nn.LSTM(2, 3), torch.rand(2, 4, 2)
for i, each in ipairs(plain:parameters()) do each:copy(doubled:parameters()[i]) end
doubled, plain = nn.Sequencer(doubled), nn.Sequencer(plain)
local difference = (doubled:forward(steps) - plain:forward(steps) * 2):abs():max()
local of_doubled, of_plain = doubled:backward(steps, torch.ones(2, 4, 3)), plain:backward(steps, torch.ones(2, 4, 3))
table.insert(seen, difference < 1e-5)
table.insert(seen, (of_doubled - of_plain):abs():max() < 1e-5)
return unpack(seen)
--> 36, 21, 35, 36, 21, 35, true, true

--- the types of C that Torch declares are there, for declarations of the program's own
local ffi = require 'ffi'
ffi.cdef 'void THFloatStorage_mine(THFloatStorage *self, THIntTensor *other);'
return ffi.sizeof('THDoubleTensor') > 0, ffi.offsetof('THByteStorage', 'size')
--> true, 8

--- unsup's part in C
require 'libunsup'
local x = torch.DoubleTensor{-3, 0.5, 2}
return x:shrinkage(1) == x, x[1], x[2], x[3], torch.FloatTensor{-1}:shrinkage(0.25)[1], type(unsup), (pcall(x.shrinkage, x, -1))
--> true, -2, 0, 1, -0.75, 'table', false

--- cephes: special functions of numbers and tensors, into results, and by C's names
require 'cephes'
local x, out = torch.DoubleTensor{1, 2, 5}, torch.FloatTensor(3, 1)
local close = function(a, b) return math.abs(a - b) < 1e-12 end
return close(cephes.lgam(5), math.log(24)), cephes.fac(5), close(cephes.gamma(x)[3], 24), cephes.pow(out, x, 2) == out,
  out[3][1], close(cephes.chdtr(2, 3), 1 - math.exp(-1.5)), close(cephes.ffi.ndtr(0), 0.5), close(cephes.erf(0.5), 0.5204998778130465),
  close(cephes.digamma(1), -0.5772156649015329), close(cephes.pdtr(1, 2), 3 * math.exp(-2)), close(cephes.lmvgam(3, 1), math.log(2)),
  cephes.isnan(cephes.nan), close(cephes.expn(1.9, 1), 0.21938393439552), (pcall(cephes.pow, x, torch.rand(2))), (pcall(cephes.gamma))
--> true, 120, true, true, 25, true, true, true, true, true, true, true, true, false, false

--- names of Lua 5.0 that Torch's LuaJIT has
local words = {}
for word in string.gfind('one two', '%a+') do table.insert(words, word) end
return table.getn(words), words[2], math.mod(7, 4)
--> 2, 'two', 3

--- what comes after a tensor does not count for a constructor
local x = torch.DoubleTensor{1, 2}
return torch.DoubleTensor(x, 5, {y = 1}):size(1), torch.DoubleTensor(x, x):storage() == x:storage()
--> 2, true

--- files of others, and windows that are files
local folder = os.tmpname()
os.remove(folder)
paths.mkdir(folder)
local npy4th, matio, display = require 'npy4th', require 'matio', require 'display'
require 'stn'
npy4th.savenpy(folder .. '/x.npy', torch.Tensor{{1, 2}})
matio.save(folder .. '/x.mat', {x = torch.Tensor{{1, 2, 3}}, t = 'hello'})
local as_tensor = torch.type(matio.load(folder .. '/x.mat', 't'))
matio.use_lua_strings = true
local grid = nn.AffineGridGeneratorBHWD(2, 3):forward(torch.Tensor{{1, 0, 0}, {0, 1, 0}})
local found = {
  npy4th.loadnpy(folder .. '/x.npy'):sum(), as_tensor, matio.load(folder .. '/x.mat', 't'),
  matio.load(folder .. '/x.mat').x:sum(), type(display.configure), grid[1][3][2], type(stn),
}
paths.rmall(folder, 'yes')
return unpack(found)
--> 3, 'torch.CharTensor', 'hello', 6, 'function', 1, 'table'

--- the functions of libstn, at the middle of an image that a batch shares: gradients add up where memory is shared
require 'stn'
local image, grid = torch.FloatTensor{{{1}, {3}}, {{5}, {7}}}:view(1, 2, 2, 1), torch.FloatTensor(2, 1, 1, 2):zero()
local images, output = image:expand(2, 2, 2, 1), torch.FloatTensor(2, 1, 1, 1)
images.nn.BilinearSamplerBHWD_updateOutput(nil, images, grid, output)
local of_image, of_grid = torch.FloatTensor(1, 2, 2, 1):zero(), torch.FloatTensor()
of_grid:resizeAs(grid)
images.nn.BilinearSamplerBHWD_updateGradInput(
  nil, images, grid, of_image:expand(2, 2, 2, 1), of_grid, output:clone():fill(1))
local alone = torch.FloatTensor():resizeAs(grid)
images.nn.BilinearSamplerBHWD_updateGradInputOnlyGrid(nil, images, grid, alone, output:clone():fill(1))
return output[1][1][1][1], output[2][1][1][1], of_image:sum(), of_image:max(), of_grid[1][1][1][1], of_grid[1][1][1][2],
  (alone - of_grid):abs():max()
--> 4, 4, 2, 0.5, 2, 1, 0

--- casts reach modules and tensors in tables of fields, and end where a table leads back
local Area, parent = torch.class('nn.AreaInTable', 'nn.Module')
function Area:__init()
  parent.__init(self)
  self.area = torch.Tensor(2)
end
local Holder, above = torch.class('nn.HolderOfTables', 'nn.Module')
function Holder:__init()
  above.__init(self)
  self.nets = {area = nn.AreaInTable(), chain = nn.Sequential():add(nn.AreaInTable()):add(nn.Linear(2, 2))}
  self.nets.back, self.nets.criterion, self.list = self, nn.ClassNLLCriterion(torch.ones(2)), {{torch.Tensor(1)}}
end
local net = nn.Sequential():add(nn.HolderOfTables()):double():float():double()
local nets = net:get(1).nets
local seen = {nets.area.area, nets.chain:get(1).area, nets.chain:get(2).weight, net:get(1).list[1][1], nets.criterion.weights}
for i, each in ipairs(seen) do seen[i] = each:type() == 'torch.DoubleTensor' end
return unpack(seen)
--> true, true, true, true, true

--- an error of a thread's job is one of synchronize, with the lines that led to it
local threads = require 'threads'
threads.Threads.serialization 'threads.sharedserialize'
local pool, seen = threads.Threads(2, function() end), {}
pool:addjob(function()
  function fails_in_a_job() error 'no such file' end
  fails_in_a_job()
end, function() seen.ended = true end)
seen.has = pool:haserror()
local ok, problem = pcall(pool.synchronize, pool)
pool:addjob(threads.safe(function() return 1, nil, 3 end), function(...) seen.count = select('#', ...) end)
pool:synchronize()
local mutex = threads.Mutex()
mutex:lock()
return seen.has, ok, problem:find('no such file') ~= nil, problem:find("in function 'fails_in_a_job'") ~= nil, seen.ended,
  pool:haserror(), seen.count, threads.Mutex(mutex:id()) == mutex
--> true, false, true, true, nil, false, 3, true

--- dataload brings what it requires, and torchx
require 'dataload'
local names = {torch.concat({torch.ones(2), torch.zeros(1)}):size(1), torch.treemax(torch.Tensor{0, 9, 5, 5}, {2, 2})}
return image ~= nil, lfs ~= nil, torchx ~= nil, require 'dataload._env' == dl, unpack(names)
--> true, true, true, true, 3, 5, 3

--- layers whose gradients are taken away run on, and learn nothing there
local seen = {}
for _, layer in ipairs {nn.Linear(3, 4), nn.SpatialConvolution(3, 4, 1, 1)} do
  local net, x = nn.Sequential():add(layer):add(nn.ReLU()), torch.rand(1, 3)
  if layer.kW then x = torch.rand(1, 3, 2, 2) end
  net:forward(x)
  layer.gradWeight, layer.gradBias = nil, nil
  local before = layer.weight:clone()
  local g = net:backward(x, net:forward(x):clone():fill(1))
  net:updateParameters(0.1)
  table.insert(seen, layer.gradWeight == nil and layer.gradBias == nil and g:isSameSizeAs(x))
  table.insert(seen, (layer.weight - before):abs():sum())
  table.insert(seen, net:clone():float():forward(x:float()):dim())
end
return unpack(seen)
--> true, 0, 2, true, 0, 4

--- a last layer with a gradient of its own is given a gradOutput of any shape
local Zero, parent = torch.class('nn.ZeroAtTheEnd', 'nn.Module')
function Zero:updateOutput(input)
  self.output = input
  return self.output
end
function Zero:updateGradInput(input, gradOutput)
  self.gradInput = input:clone():fill(gradOutput and gradOutput:nElement() or 0)
  return self.gradInput
end
local layer, seen, x = nn.Linear(3, 2), {}, torch.ones(3)
layer.weight:fill(0.5)
local inner = nn.Sequential():add(nn.MulConstant(2)):add(nn.ZeroAtTheEnd())
local net = nn.Sequential():add(layer):add(nn.Sequential():add(nn.Identity()):add(inner))
net:forward(x)
net:zeroGradParameters()
table.insert(seen, net:updateGradInput(x, torch.ones(7))[1])
table.insert(seen, net:backward(x, torch.ones(7))[2])
table.insert(seen, layer.gradBias[1])
table.insert(seen, net.gradInput[3])
local ok, problem = pcall(function() nn.Sequential():add(nn.Linear(3, 2)):backward(x, torch.ones(7)) end)
return seen[1], seen[2], seen[3], seen[4], ok, problem:find('expected a gradOutput of shape') ~= nil
--> 14, 14, 14, 14, false, true

--- nil adds no module, and classes whose modules come later say so, but Sequential asks the module for its output
local Late, parent = torch.class('nn.LateTable', 'nn.ConcatTable')
function Late:__init() parent.__init(self) parent.add(self, nil) self:add(self.missing) self:add(nn.Tanh()) end
local counts = {}
for place, each in ipairs{nn.ParallelTable(), nn.Concat(1), nn.MapTable(), nn.Container(), nn.DataParallelTable(1)} do
  counts[place] = #each:add(nil):add():add(nn.Tanh()).modules
end
return counts, #nn.LateTable().modules, (pcall(function() nn.Sequential():add(nil) end))
--> {1, 1, 1, 1, 1}, 1, false

--- constructors are of their classes' types, as their metatables are the classes; nodes of graphs have a name
local Own = torch.class('OwnBase')
local Below = torch.class('OwnBelow', 'OwnBase')
return torch.isTypeOf(OwnBelow, 'OwnBase'), torch.isTypeOf(OwnBase, OwnBelow), torch.isTypeOf(OwnBelow(), OwnBase),
  torch.isTypeOf(nn.Linear, 'nn.Module'), torch.isTypeOf(nn.Linear, nn.Tanh), torch.type(nn.Identity()())
--> true, false, true, true, false, 'nngraph.Node'

--- a logger's styles of columns that are not there are not asked for
local logger = optim.Logger(os.tmpname())
logger:style{['loss'] = '-'}:add{['loss'] = 1}
logger:style{['loss'] = '~', ['validation loss'] = '-'}:style{'~', '-'}
return logger.styles.loss[1], logger.styles['validation loss'], (pcall(logger.style, logger, 'loss'))
--> '~', nil, false

--- trepl's colours, which are not written to what is no terminal
require 'trepl'
local colors = require 'trepl.colors'
return require('trepl.colorize').red('warm') == colors.red .. 'warm' .. colors.none, colors.underline ~= nil, colors.pink
--> true, true, nil

--- a text that is a number is one where an element is set
local x, sizes = torch.zeros(3), torch.LongStorage(1)
x[1], x[{2}], sizes[1] = '2', '0x10', '7'
return x[1], x[2], sizes[1], (pcall(function() x[3] = 'three' end))
--> 2, 16, 7, false

--- cudnn's convolutions are told how to compute, and compute as before
require 'cudnn'
local both = {cudnn.SpatialConvolution(1, 1, 1, 1), nn.SpatialFullConvolution(1, 1, 1, 1), nn.TemporalConvolution(1, 1, 1)}
local same = {}
for place, each in ipairs(both) do
  same[place] = each:fastest():setMode('CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM', 1, 1):resetMode() == each
end
return same
--> {true, true, true}

--- operators of one type may be replaced, for numbers on the left, too; what was there computes as ever
local metatable, x = torch.getmetatable('torch.FloatTensor'), torch.FloatTensor{4, 8}
local sub, div, unm = metatable.__sub, torch.FloatTensor.__div, metatable.__unm
rawset(metatable, '__sub', function(a, b) return type(b) == 'table' and 'table' or sub(a, b) + 1 end)
rawset(metatable, '__div', function(a, b) return div(b, a) end)
rawset(metatable, '__unm', function(a) return unm(a) * 2 end)
local found = {x - {}, (x - x)[1], (10 - x)[2], (x / 2)[1], (2 / x)[2], (-x)[1], (x:double() / 2)[1]}
for name, each in pairs{__sub = sub, __div = div, __unm = unm} do rawset(metatable, name, each) end
return found, (10 - x)[2], (x / 2)[1], (-x)[1]
--> {'table', 1, 3, 0.5, 4, -8, 2}, 2, 2, -4

--- layers of programs' own call nn's functions in C, of layers without parameters
require 'nn'
local Own = torch.class('nn.OwnSoftMax', 'nn.Module')
function Own:updateOutput(input)
  input.THNN.SoftMax_updateOutput(input:cdata(), self.output:cdata())
  return self.output
end
function Own:updateGradInput(input, gradOutput)
  input.THNN.SoftMax_updateGradInput(input:cdata(), gradOutput:cdata(), self.gradInput:cdata(), self.output:cdata())
  return self.gradInput
end
local x, gradient, found = torch.randn(2, 3), torch.randn(2, 3), torch.Tensor()
local linear = nn.Linear(3, 3)
local own, usual = nn.Sequential():add(linear):add(nn.OwnSoftMax()), nn.Sequential():add(linear):add(nn.SoftMax())
local outputs = (own:forward(x) - usual:forward(x)):abs():max()
local gradients = (own:backward(x, gradient) - usual:backward(x, gradient)):abs():max()
x.THNN.ELU_updateOutput(x:cdata(), found:cdata(), 0.5, false)
return outputs < 1e-6, gradients < 1e-6, (found - nn.ELU(0.5):forward(x)):abs():max() < 1e-6,
  (pcall(function() return x.THNN.Linear_updateOutput end)), require('nn.THNN').optionalTensor(nil)
--> true, true, true, false, nil

--- a layer that is called is called once where a traced layer behind it turns out to read fields
require 'nn'
local Drawn, Shifted = torch.class('nn.DrawnOnce', 'nn.Module'), torch.class('nn.ShiftedBy', 'nn.Module')
function Drawn:updateOutput(input)
  self.calls = (self.calls or 0) + 1
  self.output = input[1] + torch.cmul(torch.randn(input[2]:size()), input[2])
  return self.output
end
function Shifted:__init(by)
  nn.Module.__init(self)
  self.by, self.twice = by, 2
end
function Shifted:updateOutput(input)
  self.output = input * self.by * self.twice
  return self.output
end
local network = nn.Sequential():add(nn.DrawnOnce()):add(nn.Linear(2, 3)):add(nn.ShiftedBy(0.1))
torch.manualSeed(3)
network:forward {torch.zeros(4, 2), torch.ones(4, 2)}
local left = torch.uniform()
torch.manualSeed(3)
return network:get(1).calls, (network:get(1).output - torch.randn(4, 2)):abs():max() < 1e-6, left == torch.uniform()
--> 1, true, true

--- nn's functions in C compute gradients from the output alone, which stays as it is, where programs give no input
require 'nn'
local x, gradient, far, changed = torch.randn(2, 3), torch.randn(2, 3), 0, 0
for _, name in ipairs {'Tanh', 'Sigmoid', 'SoftMax', 'LogSoftMax'} do
  local layer, found = nn[name](), torch.Tensor()
  local output = layer:forward(x):clone()
  x.THNN[name .. '_updateGradInput'](nil, gradient:cdata(), found:cdata(), output:cdata())
  far = math.max(far, (found - layer:backward(x, gradient)):abs():max())
  changed = math.max(changed, (output - layer.output):abs():max())
end
local _, why = pcall(x.THNN.Abs_updateGradInput, nil, gradient:cdata(), x:cdata())
return far < 1e-6, changed, why:match('THNN.*')
--> true, 0, 'THNN.Abs_updateGradInput: expected an input, got nil'

--- nn's functions in C are there for a convolution and for tables of rows, and as layers called them before THNN
require 'nn'
local conv, x, none = nn.SpatialConvolution(2, 3, 3, 2, 1, 2, 1, 0), torch.rand(2, 2, 6, 7), torch.Tensor()
local gradient = torch.rand(conv:forward(x):size())
conv:zeroGradParameters()
conv:backward(x, gradient, 0.5)
local made, kept = torch.Tensor(), {torch.Tensor(), torch.zeros(3, 12), torch.zeros(3)}
local thnn = x.THNN
local sizes = {3, 2, 1, 2, 1, 0}
thnn.SpatialConvolutionMM_updateOutput(x, made, conv.weight:view(3, -1), conv.bias, none, none, unpack(sizes))
thnn.SpatialConvolutionMM_updateGradInput(x, gradient, kept[1], conv.weight, none, none, unpack(sizes))
table.insert(sizes, 0.5)
thnn.SpatialConvolutionMM_accGradParameters(x, gradient, kept[2], kept[3], none, none, unpack(sizes))
local function far(a, b) return (a - b:viewAs(a)):abs():max() > 1e-5 end
local rows, places, gradient = nn.LookupTable(5, 2, 2), torch.LongTensor{{1, 2}, {5, 1}}, torch.rand(2, 2, 2)
local own = {gradWeight = torch.zeros(5, 2), paddingValue = 2, output = torch.Tensor()}
rows:zeroGradParameters()
rows:forward(places)
rows:backward(places, gradient, 3)
gradient.nn.LookupTable_accGradParameters(own, places, gradient, 3)
local is_far = far(rows.gradWeight, own.gradWeight)
rows.paddingValue = 0
rows:scaleGradByFreq():zeroGradParameters()
rows:forward(places)
rows:backward(places, gradient, 1)
own.gradWeight:zero()
thnn.LookupTable_accGradParameters(places, gradient, own.gradWeight, none, nil, nil, true, 0, 1)
local weight, long = torch.randn(4, 3), torch.randn(4, 3):mul(9)
long[2]:copy(weight[2]:div(weight[2]:norm()))
local shortened = long:clone()
torch.manualSeed(7)
local drawn = torch.rand(1)[1]
torch.manualSeed(7)
thnn.LookupTable_renorm(torch.LongTensor {3, 2, 3}, shortened, 2, 2)
drawn = drawn == torch.rand(1)[1]
long[3]:mul(2 / (long[3]:norm() + 1e-7))
return far(made, conv.output), far(kept[1], conv.gradInput), far(kept[2], conv.gradWeight), far(kept[3], conv.gradBias),
  far(shortened, long), drawn, is_far, far(rows.gradWeight, own.gradWeight), far(x.nn.Tanh_updateOutput(own, x), torch.tanh(x))
--> false, false, false, false, false, true, false, false, false

--- a layer that makes a table for its gradients has it in a file, too, and goes on writing into it
require 'nn'
local Pair = torch.class('nn.PairOfFiles', 'nn.Module')
function Pair:__init()
  nn.Module.__init(self)
  self.gradInput = {torch.Tensor(), torch.Tensor()}
end
function Pair:updateOutput(input) return self.output:resizeAs(input[1]):copy(input[1]):add(2, input[2]) end
function Pair:updateGradInput(input, gradOutput)
  self.gradInput[1]:set(gradOutput)
  self.gradInput[2] = gradOutput * 2
  return self.gradInput
end
local file = torch.MemoryFile()
file:writeObject(nn.Sequential():add(nn.PairOfFiles()))
file:seek(1)
local read, given = file:readObject(), {torch.ones(2), torch.ones(2)}
local made = read:forward(given):sum()
local found = read:backward(given, torch.ones(2))
collectgarbage()
return made, found[1]:sum(), found[2]:sum(), read:get(1).gradInput[2]:sum()
--> 6, 2, 4, 4

--- a layer's gradInput stays what it is where it is a part of the table that the layer gives
require 'nngraph'
local Gated = torch.class('nn.Gated', 'nn.Module')
function Gated:updateOutput(input) return self.output:resizeAs(input[1]):cmul(input[1], input[2]) end
function Gated:updateGradInput(input, gradOutput)
  assert(torch.isTensor(self.gradInput))
  return {self.gradInput:resizeAs(gradOutput):cmul(gradOutput, input[2]), input[2]:clone():zero()}
end
local x, gate = nn.Identity()(), nn.Identity()()
local net = nn.gModule({x, gate}, {nn.Gated()({nn.MulConstant(2)(x), gate})})
local given, sums = {torch.Tensor{1, 2}, torch.Tensor{3, 5}}, {}
for i = 1, 2 do
  net:forward(given)
  local found = net:backward(given, torch.ones(2))
  sums[i], sums[i + 2] = found[1]:sum(), found[2]:sum()
end
return sums
--> {16, 16, 0, 0}

--- tables of rows have a gradient of zeros at whatever input, so that classes below may shift it
local Shifted, parent = torch.class('nn.ShiftedTable', 'nn.LookupTable')
function Shifted:__init(rows, size) parent.__init(self, rows + 1, size) end
function Shifted:updateOutput(input)
  self.shifted = input + 1
  return parent.updateOutput(self, self.shifted)
end
function Shifted:accGradParameters(input, gradOutput, scale)
  parent.accGradParameters(self, self.shifted, gradOutput, scale)
end
local rows, input = nn.ShiftedTable(2, 1), torch.LongTensor{0, 2, 2}
local net = nn.Sequential():add(rows):add(nn.Sum(1))
net:zeroGradParameters()
net:forward(input)
local found = net:backward(input, torch.ones(1))
return found:abs():sum(), rows.gradWeight:view(-1):totable(), rows:updateGradInput(input, torch.ones(3, 1)):sum()
--> 0, {1, 0, 2}, 0

--- classes of programs below cudnn's are below nn's, which cudnn's names find, too
require 'cudnn'
local Up, parent = torch.class('cudnn.UpForTests', 'cudnn.SpatialConvolution')
function Up:__init(planes) parent.__init(self, planes, 4 * planes, 3, 3, 1, 1, 1, 1) end
function Up:updateOutput(input) return parent.updateOutput(self, input):view(1, -1, 2 * input:size(3), 2 * input:size(4)) end
local net = nn.Sequential():add(cudnn.UpForTests(2)):add(cudnn.ReLU()):add(cudnn.SpatialConvolution(2, 1, 1, 1))
local up, relu = net:get(1), net:get(2)
return table.concat(net:forward(torch.ones(1, 2, 3, 5)):size():totable(), ' '), torch.type(up),
  #net:findModules('cudnn.SpatialConvolution'), #net:findModules('cudnn.UpForTests'), #net:findModules('cudnn.Tanh'),
  torch.isTypeOf(up, 'cudnn.SpatialConvolution'), torch.isTypeOf(up, 'cudnn.ReLU'), torch.isTypeOf(relu, 'cudnn.ReLU'),
  cudnn.version >= 4000
--> '1 1 6 10', 'cudnn.UpForTests', 1, 1, 0, true, false, true, true

--- methods that programs put into cudnn's classes are those of nn's
require 'cudnn'
local reset = nn.SpatialConvolution.reset
function cudnn.SpatialConvolution:reset() self.weight:fill(3) self.bias:zero() end
function cudnn.SpatialConvolution:planesForTests() return self.nOutputPlane end
local made = cudnn.SpatialConvolution(1, 2, 1, 1)
cudnn.SpatialConvolution.reset = reset
return made.weight:sum(), made:planesForTests(), torch.type(made), cudnn.SpatialAveragePooling(2, 2).dW,
  cudnn.SpatialConvolution(4, 2, 1, 1, 1, 1, 0, 0, 2).weight:size(2)
--> 6, 2, 'nn.SpatialConvolution', 2, 2

--- an object makes others of its class by new, and takes weights of other sizes, with which it goes on
require 'nn'
local Wide, parent = torch.class('nn.WideForTests', 'nn.Linear')
function Wide:__init(size) parent.__init(self, size, 2 * size) end
local made, wide = nn.Linear(2, 3).new(4, 5), nn.WideForTests(3).new(4)
made.weight = made.weight[{{1, 2}, {2, 4}}]:clone()
made.bias = made.bias:narrow(1, 1, 2):clone()
made.gradWeight, made.gradBias = made.weight:clone():zero(), made.bias:clone():zero()
local net, x = nn.Sequential():add(made):add(nn.Tanh()), torch.rand(6, 3)
local expected = torch.tanh(torch.mm(x, made.weight:t()):add(made.bias:view(1, 2):expand(6, 2)))
local is_far = (net:forward(x) - expected):abs():max() > 1e-6
net:backward(x, torch.ones(6, 2))
return is_far, made.gradWeight:size(2), made.gradWeight:norm() > 0, wide.weight:size(1), torch.type(wide)
--> false, 3, true, 8, 'nn.WideForTests'

--- files have functions of packages as calls by their names, as Torch has what is written in Lua
require 'optim'
local text = torch.serialize {optim.adam}
return text:find('adam', 1, true) ~= nil, text:find('optim', 1, true) ~= nil, (pcall(torch.serialize, {math.sin}))
--> true, true, false

--- graphicsmagick loads, scales, turns and cuts pictures
local gm, image, folder = {Image = require 'graphicsmagick.Image'}, require 'image', os.tmpname()
for name, each in pairs(require 'graphicsmagick') do gm[name] = each end
os.remove(folder)
paths.mkdir(folder)
local file, x = folder .. '/x.png', torch.rand(3, 5, 8):mul(255):floor():div(255)
gm.save(file, x)
local function far(picture, expected) return (picture:toTensor('float', 'RGB', 'DHW') - expected):abs():max() > 1e-6 end
local picture = gm.Image(file)
local blob, count = picture:format('PNG'):toBlob()
local wide, high = picture:clone():size(4):size()
local least, other = picture:clone():size(nil, 10):size()
local blue = picture:toTensor('byte', 'BGR', 'DHW')[1][2][3] - x[3][2][3] * 255
local found = {
  far(picture, image.load(file)), far(picture:clone():flop(), image.hflip(x)), far(picture:clone():flip(), image.vflip(x)),
  far(picture:clone():crop(3, 2, 1, 2), image.crop(x, 1, 2, 4, 4)), far(gm.Image(x, 'RGB', 'DHW'), x),
  far(gm.Image():fromBlob(blob, count), x), far(picture:clone():rotate(90), x:transpose(2, 3):index(3, torch.range(5, 1, -1):long())),
  wide, high, least, other, math.abs(blue) < 1e-3, picture:toTensor():size(3), gm.info(file).width, (pcall(gm.Image, 'none.png')),
  picture:type(), far(picture:clone():gammaCorrection(2), x:clone():sqrt():mul(255):round():div(255)),
  picture:clone():size(4, 1, 'Box'):toTensor('float', 'I', 'DHW'):size(3),
}
paths.rmall(folder, 'yes')
return found
--> {false, false, false, false, false, false, false, 4, 2, 16, 10, true, 3, 8, false, 'TrueColor', false, 4}

--- pictures with transparent parts become JPEGs without
local gm, image = require 'graphicsmagick', require 'image'
local found = {}
for _, space in ipairs {'I', 'IA', 'RGB', 'RGBA'} do
  local x, name = torch.FloatTensor(8, 8, #space):fill(0.5), os.tmpname()
  local picture = gm.Image(x, space, 'HWD'):format('JPEG')
  picture:save(name .. '.jpg')
  for i, read in ipairs {gm.Image():fromString(picture:toString()), gm.Image(name .. '.jpg')} do
    found[#found + 1] = (read:toTensor('float', 'RGB', 'DHW') - 0.5):abs():max() < 0.01
  end
  os.remove(name .. '.jpg')
end
return #found, found[1] and found[2] and found[3] and found[4] and found[5] and found[6] and found[7] and found[8]
--> 8, true

--- endings of paths, as Penlight finds them
local path = require 'pl.path'
local found = {}
for _, each in ipairs {'data/images.t7', '.bashrc', 'a.b/c', 'x.tar.gz', 'x.', 'x'} do
  found[#found + 1] = table.concat({path.splitext(each)}, '|')
end
return table.concat(found, ' '), path.extension('a.b/c.d'), path.extension('a.b/c'), path.isfile(path.tmpname())
--> 'data/images|.t7 |.bashrc a.b/c| x.tar|.gz x|. x|', '.d', '', true

--- numbers as fields
require 'nngraph'
local layer, chain, node = nn.Linear(2, 2), nn.Sequential():add(nn.Tanh()), nn.Identity()()
layer[1], layer[2], chain[2], node[3] = torch.ones(2), {5, 6}, 'text', 7
layer[2][3] = 8
local clone, read = layer:clone(), torch.deserialize(torch.serialize(layer))
local seen = {}
for key, value in pairs(chain) do seen[key] = value end
chain[2] = nil
return layer[1][1], layer[3], clone[2][3], read[1]:sum(), read[2][3], seen[2], chain[1], chain[2], #chain, node[3], node[1]
--> 1, nil, 8, 2, 8, 'text', nil, nil, 1, 7, nil

--- modules behind a gap
local Gap, parent = torch.class('nn.WithGap', 'nn.Container')
function Gap:__init()
  parent.__init(self)
  self.modules = {}
  self.modules[3] = nn.Tanh()
  self.modules[1] = nn.Linear(2, 3)
  self.between = self.modules[2] == nil and #self.modules == 1 and torch.type(self.modules[3])
  self.modules[2] = nn.ReLU()
end
local made = nn.WithGap()
return made.between, #made.modules, torch.type(made.modules[2]), torch.type(made:get(3)), made:parameters()[1]:size(2)
--> 'nn.Tanh', 3, 'nn.ReLU', 'nn.Tanh', 2

--- classes with their own way to files
local Written = torch.class('WrittenItsWay')
function Written:__init(n) self.n, self.cache = n, {1, 2, 3} end
function Written:write(file) file:writeObject({tostring(self.n)}) end
function Written:read(file) self.n, self.cache = tonumber(file:readObject()[1]), {} end
local More = torch.class('WrittenMore', 'WrittenItsWay')
function More:__init(n, inside) self.n, self.inside, self.range = n, inside, torch.range(1, n) end
function More:__write(file)
  file:writeInt(self.n)
  file:writeObject(self.inside)
  file:writeDouble(self.n / 4)
  file:writeLong(torch.LongStorage{4, 5, 6})
  file:writeInt(5)
  file:writeString('a b c')
  file:writeObject({self.range, self.range, {self.inside}})
  file:writeObject(nil)
end
function More:__read(file, version)
  self.version, self.n, self.inside, self.quarter = version, file:readInt(), file:readObject(), file:readDouble()
  self.long = file:readLong(3)
  self.letters = file:readByte(file:readInt())
  local ranges = file:readObject()
  self.range, self.same = ranges[1], torch.pointer(ranges[1]) == torch.pointer(ranges[2])
  self.again, self.none = ranges[3][1] == self.inside, file:readObject() == nil
end
local Asks = torch.class('WrittenByAsking', 'WrittenItsWay')
function Asks:write(file) file:readInt() end
local shared = {1, k = 2}
local first = WrittenMore(3, WrittenMore(4, shared))
local whole = {first, shared, first.inside, nn.Linear(2, 1), WrittenItsWay(7), again = first}
local function told(read)
  local one = read[1]
  local is = {one.version, one.n, one.quarter, one.long[3], string.char(one.letters[5]), one.range:sum(), one.inside.inside.k,
    torch.type(read[4]), read[5].n, #read[5].cache}
  local are = one.same and one.again and one.none and one.inside == read[3] and one.inside.inside == read[2]
  return table.concat(is, ' ') .. (are and read.again == one and '' or ' are others')
end
local name = os.tmpname()
torch.save(name, whole)
local file = torch.MemoryFile()
file:writeObject(whole)
file:writeObject(first)
file:seek(1)
local found = file:readObject()
local texts = {told(torch.load(name)), told(torch.deserialize(torch.serialize(whole, 'ascii'), 'ascii')), told(found)}
os.remove(name)
local ok, problem = pcall(torch.serialize, WrittenByAsking(1))
return texts[1], texts[2] == texts[1], texts[3] == texts[1], file:readObject() == found[1], ok, problem:match('WrittenByAsking: [^\n]*')
--> '1 3 0.75 6 c 6 2 nn.Linear 7 0', true, true, true, false, 'WrittenByAsking: in its own way to be saved a file is written to; it has no place, nor contents'

--- operators behind an index of the class's own
local Callable = torch.class('CalledBehindIndex')
function Callable:__index(name) return 'no ' .. name end
function Callable:__call__(x) return x + 1 end
return CalledBehindIndex()(2), CalledBehindIndex().size
--> 3, 'no size'

--- a tester that counts for itself
local Own, parent = torch.class('OwnTester', 'torch.Tester')
function Own:_assert_sub(condition, message)
  self.asked = (self.asked or 0) + 1
  return parent._assert_sub(self, condition, message)
end
function Own:_run(tests)
  for name in pairs(tests) do self.ran = name end
  parent._run(self, tests)
end
torch.class('Pair').__init = function(self, n) self.n = n end
local tester, same, other = OwnTester(), nil, nil
tester:add(function()
  tester:eq({1}, {1})
  tester:asserteq(1, 1)
  same, other = tester:assertTableEq(Pair(2), Pair(2)), tester:assertTableNe(Pair(2), Pair(3))
end, 'pairs')
tester:run()
return tester.asked, tester.ran, same, other, tester.countasserts
--> 4, 'pairs', true, true, 4

--- files hold nil, as where a program saves what it has not
local file = os.tmpname()
torch.save(file)
local read = torch.load(file)
os.remove(file)
return read, torch.deserialize(torch.serialize(nil)), torch.deserialize(torch.serialize {1, nil, 3})[3]
--> nil, nil, 3

--- nodes of a graph are seen as they are, and not copied
require 'nngraph'
local input = nn.Identity()()
local network = nn.gModule({input}, {nn.Tanh()(nn.Linear(2, 2)(input))})
local names = {}
for i, node in ipairs(network.forwardnodes) do names[i] = node.data.module and torch.type(node.data.module) or '' end
return network.forwardnodes == network.forwardnodes, network.backwardnodes == network.backwardnodes, #network.forwardnodes,
  table.concat(names, ' '), network.forwardnodes[2] == network.forwardnodes[2], network.backwardnodes[1].id == #names
--> true, true, 5, ' nn.Identity nn.Linear nn.Tanh ', true, true

--- tables with a list part and names go through modules, forwards and backwards
require 'nn'
local Doubling = torch.class('nn.MixedDoubling', 'nn.Module')
function Doubling:updateOutput(input)
  self.output = {input[1] * 2, input[2] + 1, mask = input.mask}
  return self.output
end
function Doubling:updateGradInput(input, g)
  self.gradInput = {g[1] * 2, g[2], mask = g.mask}
  return self.gradInput
end
local Masked = torch.class('nn.MixedMasked', 'nn.Module')
function Masked:updateOutput(input)
  self.output = torch.cmul(input[1] + input[2], input.mask)
  return self.output
end
function Masked:updateGradInput(input, g)
  local masked = torch.cmul(g, input.mask)
  self.gradInput = {masked, masked:clone(), mask = torch.cmul(g, input[1] + input[2])}
  return self.gradInput
end
local net = nn.Sequential():add(nn.MixedDoubling()):add(nn.Identity()):add(nn.MixedDoubling()):add(nn.MixedMasked())
local input = {torch.Tensor{1, 2}, torch.Tensor{3, 4}, mask = torch.Tensor{1, 10}}
local output, g = net:forward(input):clone(), net:backward(input, torch.ones(2))
return output[1], output[2], g[1][1], g[1][2], g[2][2], g.mask[1], g.mask[2], net:get(1).output.mask[2],
  net:clone():forward(input)[2]
--> 9, 140, 4, 40, 10, 9, 14, 10, 140

--- tables that are put into classes are the classes' own, until an object has another
local Layer, parent = torch.class('nn.WithTables', 'nn.Module')
Layer.notes = {1, 2}
function Layer:__init() parent.__init(self) self.notes[3] = 3 end
function Layer:updateOutput(input) self.output = input * self.notes[3] return self.output end
local one, other = nn.WithTables(), nn.WithTables()
collectgarbage()
local before = nn.Sequential():add(one):forward(torch.ones(1))[1]
Layer.notes[3] = 5
local after = nn.Sequential():add(one):forward(torch.ones(1))[1]
other.notes = {}
for i = 1, 4 do other.notes[i] = 10 * i collectgarbage() end
local own = other:forward(torch.ones(1))[1]
other.notes = nil
return before, after, own, one.notes == Layer.notes, other.notes == Layer.notes
--> 3, 5, 30, true, true

--- fields of the name of what a program has put into the class above are written into files
nn.Module.step, nn.Module.clones = 1, {}
local layer, plain = nn.Linear(2, 2), nn.Tanh()
layer.step, layer.clones = 4, {}
for i = 1, 2 do layer.clones[i] = plain end
local file = torch.MemoryFile()
file:writeObject(layer)
file:seek(1)
local read, free = file:readObject(), plain.step
read.step, plain.step = read.step + 1, nil
local steps, clones = read.step, #read.clones
nn.Module.step, nn.Module.clones = nil, nil
return steps, clones, torch.type(layer.clones[2]), free, #layer:clone().clones
--> 5, 2, 'nn.Tanh', 1, 2

--- pairs gives the fields of a module whose methods a program has replaced
local layer, names = nn.SpatialConvolution(1, 2, 3, 3), {}
layer.updateOutput = function(self, input) return input end
for name in pairs(layer) do names[name] = true end
return names.nInputPlane, names.weight, names.updateOutput, layer:forward(torch.ones(1))[1]
--> true, true, true, 1

--- a tester's assertions give what its own _success and _failure give
local tester = torch.Tester()
tester._success = function(self) return true, self == tester end
tester._failure = function(self, message) return nil, message end
local _, is_self = tester:eq(1, 1)
local nothing, message = tester:assert(false, 'mine')
tester._assertTensorEqIgnoresDims = false
return is_self, nothing, message, tester:assertTensorEq(torch.ones(2), torch.ones(1, 2)) == nil
--> true, nil, 'mine\nBOOL violation condition=false', true

--- modules inside of others are cast by their own type
local Own, above = torch.class('nn.CastsItself', 'nn.Linear')
local seen = {}
function Own:type(name, ...)
  if not name then return above.type(self) end
  seen[#seen + 1] = name
  return above.type(self, name, ...)
end
local network = nn.Sequential():add(nn.Concat(1):add(nn.CastsItself(2, 2))):double()
network:get(1):get(1):float()
local holder = nn.Identity()
holder.inner = nn.CastsItself(1, 1)
holder:type('torch.DoubleTensor')
return table.concat(seen, ' '), network:get(1):get(1).weight:type(), holder.inner.bias:type()
--> 'torch.DoubleTensor torch.FloatTensor torch.DoubleTensor', 'torch.FloatTensor', 'torch.DoubleTensor'

--- numbers among a network's results are numbers
local Mixed = torch.class('nn.GivesNumbers', 'nn.Module')
function Mixed:updateOutput(input) self.output = {input, 2, {k = 3}} return self.output end
local output = nn.Sequential():add(nn.Identity()):add(nn.GivesNumbers()):add(nn.Identity()):forward(torch.ones(2))
return torch.type(output[1]), output[2], output[3].k
--> 'torch.FloatTensor', 2, 3

--- no sizes are those of an empty tensor
return torch.randn(torch.LongStorage()):nElement(), torch.zeros(torch.LongStorage(0)):dim(), pcall(torch.zeros)
--> 0, 0, false, 'Lua:1: torch.zeros: expected sizes: numbers, or one LongStorage or list of them; got ()'

--- what the state of an optimiser has beside what it goes on with, as Torch recorded it
local function bowl(x) return x:dot(x), x * 2 end
local x, state = torch.DoubleTensor{1, -2, 0}, {}
local function texts(...)
  local found = {}
  for i, name in ipairs{...} do found[i] = table.concat(state[name]:view(-1):totable(), ' ') end
  return unpack(found)
end
for i = 1, 3 do optim.rprop(bowl, x, {stepsize = 1, stepsizemin = 0.6}, state) end
local delta, sign, psign, nsign, zsign, dminmax = texts('delta', 'sign', 'psign', 'nsign', 'zsign', 'dminmax')
x, state = torch.DoubleTensor{1, -2}, {}
for i = 1, 2 do
  optim.sgd(bowl, x, {
    learningRate = 0.5, learningRates = torch.DoubleTensor{1, 0.5}, weightDecays = torch.DoubleTensor{0.25, 0},
    learningRateDecay = 1
  }, state)
end
local moved, decayed = texts('deltaParameters', 'decayParameters')
x, state = torch.DoubleTensor{1, -2}, {}
for i = 1, 2 do
  optim.sgd(bowl, x, {learningRate = 0, momentum = 0.5, weightDecay = 1, learningRates = torch.DoubleTensor{1, 0.5}}, state)
end
local resting = texts('deltaParameters')
x, state = torch.DoubleTensor{1, -2}, {}
for i = 1, 2 do optim.adamax(bowl, x, {learningRate = 0.5, beta2 = 0.5}, state) end
return delta, sign, psign, nsign, zsign, dminmax, moved, decayed, resting, texts('max', 'u')
--> '0 0 0', '0 0 0', '0 0 0', '0 1 0', '1 0 1', '0 0 0', '-0.28125 -1', '-0.03125 -0', '3 -3', '1 2 1 3', '1 3'

--- the mask of a lazy Dropout is kept until backward or forget
require 'rnn'
local layer, ones = nn.Dropout(0.5, false, false, true), torch.ones(1, 50)
local network = nn.Sequential():add(layer):add(nn.Identity())
local function same(module, other) return module:forward(ones):clone():eq(other):all() end
local first = layer:forward(ones):clone()
local kept = same(layer, first)
layer:backward(ones, ones)
local renewed, inside = same(layer, first), network:forward(ones):clone()
local kept_inside = same(network, inside)
network:backward(ones, ones)
return kept, renewed, kept_inside, same(network, inside)
--> true, false, true, false

--- layers that Torch makes of containers have tables of parameters, other layers none
return #nn.CReLU(1):parameters(), #nn.Convert('bf', 'bf'):parameters(), nn.Tanh():parameters(), #nn.Sequential():parameters()
--> 0, 0, nil, 0

--- erosion and dilation by kernels of even sizes keep an image's size
local image = require 'image'
local x, found = torch.Tensor{{1, 1, 0, 1}, {1, 1, 1, 0}, {1, 0, 1, 1}}, {}
local function digits(made) return table.concat(made:view(-1):totable(), '') end
for i, sizes in ipairs{{2, 3}, {3, 2}, {2, 2}, {1, 4}} do found[i] = digits(image.erode(x, torch.ones(unpack(sizes)))) end
return found[1], found[2], found[3], found[4], digits(image.dilate(x * 0 + torch.eye(3, 4), torch.ones(2, 2)))
--> '100000000001', '100000000000', '100000000011', '000010000001', '110011100110'

--- a run's name of arguments alone ends with the separator
local cmd = torch.CmdLine()
cmd:argument('a', 'an argument')
cmd:option('-b', 1, 'an option')
local function name(given) return cmd:string('exp', cmd:parse(given), {}) end
return name{'x'}, name{'-b', '2', 'x'}, torch.CmdLine():string('exp', {}, {})
--> 'exp,a=x,', 'exp,a=x,b=2', 'exp'

--- what constructors are given beyond what Torch's take is dropped
local cases = {
  Add = {2, false}, Clamp = {-1, 1}, Concat = {1}, ConcatTable = {}, CosineEmbeddingCriterion = {0.5}, Sequential = {},
  LinearNoBias = {2, 3}, MarginCriterion = {1}, ParallelCriterion = {false}, PartialLinear = {2, 3, true},
  SoftPlus = {1}, SpatialAveragePooling = {2, 2, 1, 1, 0, 0}, SpatialFullConvolution = {1, 1, 2, 2, 1, 1, 0, 0, 0, 0},
  TemporalRowConvolution = {2, 2, 1, false}, Linear = {2, 3, true}, Dropout = {0.5, false, false, false},
}
local Below, above = torch.class('nn.BelowAdd', 'nn.Add')
function Below:__init(size) above.__init(self, size, false, 7, 'more') end
local wrong = {}
for name, given in pairs(cases) do
  local more = {unpack(given)}
  more[#more + 1], more[#more + 2], more[#more + 3] = nn.Linear(2, 2), 'more', {}
  torch.manualSeed(3)
  local one = nn[name](unpack(given))
  torch.manualSeed(3)
  local other = nn[name](unpack(more))
  local params, others = one.parameters and one:parameters() or {}, other.parameters and other:parameters() or {}
  if tostring(one) ~= tostring(other) or #params ~= #others then wrong[#wrong + 1] = name end
  for i, each in ipairs(params) do if each:ne(others[i]):any() then wrong[#wrong + 1] = name end end
end
return table.concat(wrong, ' '), nn.BelowAdd(2).bias:eq(7):any()
--> '', false

--- tables, tensors, modules and storages are keys in files, each the same where it occurs again
local keys = {{5}, torch.Tensor{6}, nn.Tanh(), torch.LongStorage{7}}
local Own = torch.class('HasKeys')
local own, layer = HasKeys(), nn.Linear(1, 1)
own.cache = {}
for i, key in ipairs(keys) do own.cache[key] = i end
keys[5] = own
layer.cache = own.cache
local read = torch.deserialize(torch.serialize{keys = keys, own = own, layer = layer, [own] = 9, [true] = 10, [1] = 11})
local found = {}
for i = 1, 4 do found[i] = read.own.cache[read.keys[i]] or read.own.cache[i] end
local kinds = {}
for key, i in pairs(read.own.cache) do kinds[i] = torch.type(key) end
return found[1], found[2], found[3], table.concat(kinds, ' '), read[read.own], read[true], read[1],
  read.layer.cache[read.keys[1]], #layer:clone().weight:size()
--> 1, 2, 3, 'table torch.FloatTensor nn.Tanh torch.LongStorage', 9, 10, 11, 1, 2

--- functions that are called for every element may yield, stop halfway, and give nothing
local x, seen = torch.range(1, 6):resize(2, 3), {}
local co = coroutine.wrap(function() return x:t():apply(function(v) return coroutine.yield(v) end):sum() end)
local value = co()
while #seen < 6 do
  seen[#seen + 1] = value
  value = co(value > 4 and 10 * value or nil)
end
local bytes = torch.ByteTensor(2):fill(250):map(torch.ByteTensor{5, 6}, function(a, b) return a + b end)
local ok, said = pcall(function() x:map2(x, torch.ones(2), math.max) end)
return table.concat(seen, ' '), value, x[2][2], bytes[1], bytes[2], ok, said,
  select(2, pcall(function() x:apply() end)), select(2, pcall(function() x:apply(function(v) return {} end) end))
--> '1 4 2 5 3 6', 120, 50, 255, 0, false, 'Lua:9: torch.Tensor: map: expected tensors of as many elements, got 6 and 6 and 2', 'Lua:11: expected a function that is called for every element, got nil', 'Lua:11: expected a number for an element, got a table'

--- a network that ends in a sample is given no gradient
require 'rnn'
local network, x = nn.Sequential():add(nn.Linear(2, 3)):add(nn.SoftMax()):add(nn.ReinforceCategorical()), torch.ones(1, 2)
network:forward(x)
network:reinforce(torch.ones(1))
local none = network:backward(x, nil):clone()
network:zeroGradParameters()
return none:eq(network:backward(x, torch.zeros(1, 3))):all(), none:abs():max() > 0,
  pcall(network.get(network, 1).backward, network:get(1), x, nil)
--> true, true, false, 'Lua:8: nn.Linear(2 -> 3): backward needs a gradOutput of shape (1, 3)'

--- a tensor is the table of its rows for what asks for entries by number
local x = torch.range(1, 6):resize(2, 3)
local both = nn.Sequential():add(nn.ParallelTable():add(nn.Identity()):add(nn.MulConstant(2))):add(nn.JoinTable(1))
local function rows(layer, g)
  local y = layer:forward(x)
  local back = layer:backward(x, g or y)
  return y:sum() .. ' ' .. back[1]:sum() .. ' ' .. back[2]:sum()
end
local pair = nn.L1HingeEmbeddingCriterion()
local loss, back = pair:forward(x, 1), pair:backward(x, 1)
local narrowed = nn.NarrowTable(2, 1):forward(x)
local sides = nn.ConcatTable():add(nn.SelectTable(2)):add(nn.Identity()):forward(x)
return rows(both), nn.CSubTable():forward(x)[1], rows(nn.DotProduct()), loss, back[1][2], back[2][2],
  #narrowed, narrowed[1][3], nn.SelectTable(2):forward(x)[1], sides[1][2], sides[2][2][3]
--> '36 6 60', -3, '32 480 192', 9, -1, 1, 1, 6, 4, 5, 6

--- what is written to a layer's table of connections and constants counts, in clones and files, too
local x = torch.range(1, 2):resize(2, 1, 1)
local map = nn.SpatialConvolutionMap(nn.tables.oneToOne(2), 1, 1)
map.weight:fill(2)
map.bias:zero()
local connections, seen = map.connTable, {map:forward(x)[1][1][1]}
local function now(layer) seen[#seen + 1] = layer:forward(x)[1][1][1] end
connections[1][1] = 2
now(map)
connections[1][1] = 1
now(map)
connections[1][1] = 2
local clone, read = map:clone(), torch.deserialize(torch.serialize(map))
clone.connTable[1][1] = 1
now(clone) now(read) now(map)
local constant = nn.Constant(torch.Tensor{1, 2})
local whole = nn.Sequential():add(constant):add(nn.MulConstant(10))
local changes = {'zero', 'add', 'narrow'}
for i = 1, 4 do
  seen[#seen + 1] = whole:forward(x)[2]
  if changes[i] == 'zero' then constant.value:zero() end
  if changes[i] == 'add' then constant.value:add(3) end
  if changes[i] == 'narrow' then constant.value:narrow(1, 2, 1):fill(7) end
end
return table.concat(seen, ' '), map.connTable[1][1]
--> '2 4 2 2 4 4 20 0 30 70', 2

--- criterions hold the very weights that they are given, and none after nil
local x, seen = -torch.range(1, 6):resize(2, 3), {}
local function now(criterion, input, target)
  seen[#seen + 1] = ('%.4f'):format((criterion:forward(input or x, target or torch.Tensor{3, 1})))
end
local weights = torch.Tensor{1, 2, 3}
local nll, entropy, margin = nn.ClassNLLCriterion(weights), nn.CrossEntropyCriterion(weights), nn.MultiMarginCriterion(1, weights)
now(nll) now(entropy) now(margin, x / 10)
weights[1] = 50
now(nll) now(entropy) now(margin, x / 10)
local same = nll.weights == weights and entropy.nll.weights == weights
nll.weights, entropy.nll.weights = nil, nil
now(nll) now(entropy)
nll.weights = torch.Tensor{3, 1, 1}
nll.weights[2] = 9
now(nll)
return table.concat(seen, ' '), same, entropy.nll.weights
--> '3.2500 1.9076 1.4333 3.9434 0.5208 15.3167 3.5000 1.4076 3.7500', true, nil

--- clones and files of criterions have what the last call has left, of Lua's classes, too
local Own, parent = torch.class('nn.LeftByOwn', 'nn.Criterion')
function Own:updateOutput(x, y) self.output = (x - y):sum() * 3 return self.output end
function Own:updateGradInput(x, y) self.gradInput:resizeAs(x):fill(3) return self.gradInput end
local x = torch.ones(3)
local sum = nn.ParallelCriterion():add(nn.MSECriterion(), 2):add(nn.LeftByOwn())
sum:forward({x, x}, {x * 2, x * 3})
sum:backward({x, x}, {x * 2, x * 3})
local function left(criterion)
  local inside = criterion.criterions
  return table.concat({
    criterion.output, inside[1].output, inside[2].output, ('%.2f'):format(criterion.gradInput[1][1]), criterion.gradInput[2][1],
    ('%.2f'):format(inside[1].gradInput[1]), inside[2].gradInput[1],
  }, ' ')
end
local clone = sum:clone()
clone.gradInput[2]:fill(7)
clone.criterions[1].gradInput:fill(7)
local fresh = nn.MSECriterion():clone()
local pair = nn.CosineEmbeddingCriterion():clone()
return left(sum), left(sum:clone()), left(torch.deserialize(torch.serialize(sum))),
  left(torch.deserialize(torch.serialize(sum, 'ascii'), 'ascii')), sum:clone():forward({x, x}, {x, x}), fresh.output,
  fresh.gradInput:dim(), #pair.gradInput
--> '-16 1 -18 -1.33 3 -0.67 3', '-16 1 -18 -1.33 3 -0.67 3', '-16 1 -18 -1.33 3 -0.67 3', '-16 1 -18 -1.33 3 -0.67 3', 0, 0, 0, 2

--- messages have Lua's words for what Python calls None and True
local function said(f, ...) return (select(2, pcall(f, ...)):gsub('\n.*', '')) end
local linear, x = nn.Linear(2, 2), torch.ones(2)
return said(linear.forward, linear, {x, nil, true}), said(nn.Linear, 2, {true, 'None'}), said(torch.abs, nil, 1),
  said(linear.accGradParameters, linear, {x, nil, 'True'}), said(nn.Sequential().get, nn.Sequential(), nil)
--> 'Lua:1: nn.Linear(2 -> 2): expected a tensor, got a table of 3: shape (2,), nil, shape ()', "Lua:1: nn.Linear: expected output_size >= 1, got [true, 'None']", 'Lua:1: torch.abs: expected (tensor), after a result if one is given, got (nil, 1)', "Lua:1: nn.Linear.accGradParameters: expected (input, gradOutput, [scale]), got ([a tensor of size 2, nil, 'True'])", 'Lua:1: nn.Sequential: expected a whole number as index, got nil'

--- backward of a graph needs no input that fits
require 'nngraph'
local a, b = nn.Identity()(), nn.Identity()()
local product = nn.CMulTable(){nn.Square()(a), b}
local graph = nn.gModule({a, b}, {product, nn.MulConstant(2)(product)})
local x, y = torch.Tensor{1, 2}, torch.Tensor{3, 4}
graph:forward{x, y}
local function told(found) return found[1][1] .. ' ' .. found[1][2] .. ' ' .. found[2][1] .. ' ' .. found[2][2] end
local chain, linear = nn.Identity()(), nn.Linear(2, 2)
linear.weight:fill(1)
linear.bias:fill(0)
chain = nn.Sequential():add(nn.gModule({chain}, {nn.Square()(linear(chain))})):add(nn.MulConstant(2))
chain:zeroGradParameters()
chain:forward(x)
local back = chain:backward(torch.ones(5), y)
return told(graph:backward(nil, {x, y})), told(graph:backward({x, 5}, {x, y})), told(graph:updateGradInput(x, {x, y})),
  back[1], linear.gradWeight[2][2]
--> '42 160 7 40', '42 160 7 40', '42 160 7 40', 84, 96

--- layers that say nothing of gradients keep their gradInput, and parameters may give no tables, or one
local Mute, parent = torch.class('nn.MuteOfGradients', 'nn.Module')
function Mute:updateOutput(x) self.output = torch.ones(2) return self.output end
local mute, i = nn.MuteOfGradients(), torch.LongTensor{1, 2}
mute:forward(i)
local first = mute:backward(i, torch.ones(2)):dim() + mute.gradInput:dim() + mute:updateGradInput(i, torch.ones(2)):dim()
mute.gradInput = torch.ones(3)
local second = mute:backward(i, torch.ones(2)):sum()
local seen = {}
for name, given in pairs{NoTables = function() end, NilTables = function() return nil end, OneTable = function() return {} end} do
  local Own, above = torch.class('nn.' .. name, 'nn.Module')
  Own.parameters = given
  function Own:updateOutput(x) self.output = x * 2 return self.output end
  function Own:updateGradInput(x, g) self.gradInput = g * 2 return self.gradInput end
  local whole = nn.Sequential():add(nn.Linear(2, 1)):add(nn[name]())
  local params, gradients = whole:getParameters()
  whole:zeroGradParameters()
  whole:forward(torch.ones(2))
  whole:backward(torch.ones(2), torch.ones(1))
  whole:updateParameters(0)
  seen[#seen + 1] = #whole:clone():float():parameters() .. ' ' .. params:nElement() .. ' ' .. gradients:sum()
end
return first, second, table.concat(seen, ', ')
--> 0, 3, '2 3 6, 2 3 6, 2 3 6'

--- nodes are named after Lua's local variables, sorted in place, and of nngraph's class
require 'nngraph'
local function named() nngraph.annotateNodes(2) end
local function made(annotate)
  local first, second = nn.Identity()(), nn.Identity()()
  local sum = nn.CAddTable(){first, second}
  local output = nn.Tanh()(sum):annotate{name = 'mine'}
  annotate()
  return nn.gModule({first, second}, {output})
end
local seen = {}
for i, graph in ipairs{made(named), made(function() nngraph.annotateNodes() end)} do
  local names = {}
  for _, node in ipairs(graph.forwardnodes) do names[#names + 1] = node.data.annotations.name end
  table.sort(names)
  seen[i] = table.concat(names, ' ')
end
local graph = made(named)
local inputs = graph.innode.children[1].children
table.sort(inputs, function(a, b) return a.data.selectindex > b.data.selectindex end)
local first, second = inputs[1].data.selectindex, inputs[2].data.selectindex
table.sort(inputs, function(a, b) return a.data.selectindex < b.data.selectindex end)
return seen[1], seen[2], first, second, inputs[1].data.selectindex, #inputs, torch.isTypeOf(inputs[1], nngraph.Node),
  torch.isTypeOf(nn.Identity()(), nngraph.Node), torch.isTypeOf(graph, nngraph.Node)
--> 'first mine second sum', 'mine', 2, 1, 1, 2, true, true, false

--- a layer's own backward may call what the class above says of gradients
local Calls, parent = torch.class('nn.CallsAbove', 'nn.Module')
function Calls:updateOutput(x) self.output = x * 2 return self.output end
function Calls:backward(x, g, scale)
  self:accGradParameters(x, g, scale or 1)
  return self:updateGradInput(x, g)
end
local layer, x = nn.CallsAbove(), torch.ones(2)
layer:forward(x)
return layer:backward(x, x):dim(), layer.gradInput:dim()
--> 0, 0

--- the texts of storages and files are bytes, UTF-8 or not
local chars = torch.CharStorage():string('\200\255a')
local file = torch.MemoryFile()
file:writeByte(200)
local first, second = torch.ByteStorage{200, 65}:string():byte(1, -1)
return first, second, #chars, chars[1], chars:string() == '\200\255a', #file:storage():string()
--> 200, 65, 3, -56, true, 3

--- a storage grows to what is to view it
local storage = torch.DoubleStorage{1, 2, 3}
local matrix = torch.DoubleTensor(storage, 2, torch.LongStorage{2, 2})
local grown = #storage
local last = torch.DoubleTensor():set(storage, 9, 1)
return matrix[1][2], matrix[2][2], grown, #storage, last[1], pcall(torch.DoubleTensor, storage, 0, 1) == false
--> 3, 0, 5, 9, 0, true

--- Copy of equal types copies nothing, and casts make both of its types the module's, in networks and files, too
require 'nn'
local function types(module, input)
  local output = module:forward(input)
  return output:type():sub(7, 9) .. module:backward(input, output:clone()):type():sub(7, 9)
end
local double, float = torch.DoubleTensor(2):fill(1), torch.FloatTensor(2):fill(1)
local function copy(...) return nn.Copy(...) end
local function chain(...) return nn.Sequential():add(nn.Tanh()):add(nn.Copy(...)) end
local other = {'torch.DoubleTensor', 'torch.FloatTensor'}
local found = {
  types(copy('torch.DoubleTensor', 'torch.DoubleTensor'), float), types(copy(unpack(other)), double),
  types(copy(unpack(other)):float(), float), types(copy(unpack(other)):double(), double),
  types(copy(other[1], other[2], false, true):double(), double), types(chain(unpack(other)):double(), double),
  types(chain('torch.DoubleTensor', 'torch.DoubleTensor'):float(), float),
  types(torch.deserialize(torch.serialize(copy(unpack(other)))), double),
}
return table.concat(found, ' ')
--> 'FloFlo FloDou FloFlo DouDou FloDou DouDou FloFlo FloDou'

--- a layer without parameters gives nil for them, a container tables, and a layer of Lua's may hand either on
require 'nn'
local Handing, parent = torch.class('nn.HandingParameters', 'nn.Module')
function Handing:parameters()
  local weights, gradients = parent.parameters(self)
  return weights, gradients
end
local network = nn.Sequential():add(nn.HandingParameters()):add(nn.Linear(2, 3))
return nn.Tanh():parameters() == nil, #nn.Concat(1):parameters(), #nn.PReLU():parameters(),
  network:getParameters():nElement(), nn.HandingParameters():parameters() == nil
--> true, 0, 1, 9, true

--- clones have objects of Lua's classes of their own, one where they were one, and those that write themselves read themselves
require 'nn'
local Noted = torch.class('NotedInClones')
function Noted:__init() self.tensor, self.list = torch.Tensor{1}, {1} end
local Written = torch.class('WrittenInClones')
function Written:__init() self.count, self.tensor = 1, torch.Tensor{3} end
function Written:write(file) file:writeObject(self.tensor) end
function Written:read(file) self.count, self.tensor = 2, file:readObject() end
local network = nn.Sequential():add(nn.Tanh())
network.noted, network.written = NotedInClones(), WrittenInClones()
network.noted.itself, network:get(1).noted = network.noted, network.noted
local clone = network:clone()
clone.noted.tensor[1], clone.noted.list[1], clone.written.tensor[1] = 5, 6, 7
return network.noted.tensor[1], network.noted.list[1], network.written.tensor[1], clone.noted.itself == clone.noted,
  clone:get(1).noted == clone.noted, torch.type(clone.noted), clone.written.count
--> 1, 1, 3, true, true, 'NotedInClones', 2

--- casts reach all tensors that Lua puts into modules, whole numbers and those in tables among them
require 'nn'
local Keeping, parent = torch.class('nn.KeepingTensors', 'nn.Module')
function Keeping:__init()
  parent.__init(self)
  self.mask, self.inside = torch.ByteTensor{1}, {torch.IntTensor{1}, {torch.DoubleTensor{2}}}
end
local found = {}
for _, module in ipairs{nn.KeepingTensors(), nn.Identity(), nn.MSECriterion()} do
  module.inside = module.inside or {torch.IntTensor{1}, {torch.DoubleTensor{2}}}
  module.inside.itself = module.inside
  module:float()
  table.insert(found, module.inside[1]:type():sub(7, 9) .. module.inside[2][1]:type():sub(7, 9))
end
return table.concat(found, ' '), nn.KeepingTensors():float().mask:type()
--> 'FloFlo FloFlo FloFlo', 'torch.FloatTensor'

--- tables may nest deeper than calls can, and lead back to themselves
local deep = {}
local inner = deep
for i = 1, 3000 do
  inner.next = {i, inner}
  inner = inner.next
end
local loaded, depth = torch.deserialize(torch.serialize(deep)), 0
local last = loaded
while last.next do last, depth = last.next, depth + 1 end
return depth, last[1], last[2][1], loaded.next[2] == loaded
--> 3000, 3000, 2999, true

--- a table that occurs twice in a file keeps true as a key beside 1
local file, given = torch.MemoryFile(), {7, [true] = {8}}
file:writeObject(given)
file:writeObject(given)
file:seek(1)
local first, second = file:readObject(), file:readObject()
return first[1], first[true][1], second == first
--> 7, 8, true

--- programs of 2015 call backwardOnline of whole networks
require 'rnn'
local network = nn.Sequential():add(nn.Sequencer(nn.LSTM(2, 2)))
return network:backwardOnline(), network:get(1):backwardOnline(), nn.LSTM(2, 2):backwardOnline(),
  nn.SeqLSTM(2, 2):backwardOnline(), nn.Linear(2, 2):backwardOnline()
--> nil, nil, nil, nil, nil

--- modules that copy what they are given have it in their own type, of whole numbers, too
require 'nn'
local whole, image = torch.LongTensor {{1, 2}, {3, 4}}, torch.ByteTensor(1, 3, 3):fill(2)
local branches = nn.Concat(1):add(nn.Identity()):add(nn.Identity())
local network = nn.Sequential():add(nn.JoinTable(2)):add(nn.Linear(4, 3))
local joined, rows = nn.JoinTable(1):double():forward {whole, whole}, nn.Narrow(1, 1, 1):forward(whole)
local padded = nn.SpatialZeroPadding(1):forward(image)
return torch.type(joined), joined[4][2], torch.type(rows), torch.type(padded), torch.type(branches:forward(whole)),
  network:forward({whole, whole}):size(2), torch.type(nn.Padding(1, 1):forward(whole))
--> 'torch.DoubleTensor', 4, 'torch.LongTensor', 'torch.FloatTensor', 'torch.FloatTensor', 3, 'torch.FloatTensor'

--- a file that is opened quietly gives signs of errors
local name = os.tmpname()
local written = torch.DiskFile(name, 'w')
written:writeString('a\n')
written:close()
local file = torch.DiskFile(name, 'r', true)
local first, second, sign = file:readString('*l'), file:readString('*l'), file:hasError()
return first, second, sign, file:isQuiet(), torch.DiskFile('/no/such/file', 'r', true)
--> 'a', '', true, true, nil

--- dimension 0 is the batch's where a module knows how many an example has
require 'nn'
local x, example = torch.range(1, 6):resize(2, 3), torch.ones(3)
local pair, sums = nn.SplitTable(0, 1):forward(x), nn.Sum(0, 1):forward(x)
return #pair, pair[2][3], nn.JoinTable(0, 1):forward({x, x}):size(1), sums[3], nn.Max(0, 1):forward(x)[1],
  nn.Padding(0, 1, 1):forward(x):size(1), (pcall(nn.SplitTable, 0)), (pcall(nn.Sum(0, 1).forward, nn.Sum(0, 1), example))
--> 2, 6, 4, 9, 4, 3, false, false

--- a class as a table has what the program has put into it
require 'nn'
local Listed, Mixed = torch.class('nn.ListedHere', 'nn.Module'), torch.class('MixedHere')
function Mixed:hello() return 'hi' end
function Listed:updateOutput(input) return input end
for name, value in pairs(Mixed) do
  if name ~= 'new' and not name:match('^__') then Listed[name] = value end
end
local names = {}
for name in pairs(getmetatable(nn.ListedHere())) do table.insert(names, name) end
table.sort(names)
return table.concat(names, ' '), nn.ListedHere():hello()
--> 'hello updateOutput', 'hi'

--- print writes by what a program has put in the place of io.write, and into the file that io.output has opened
local kept, write, name = {}, io.write, os.tmpname()
io.write = function(...) kept[#kept + 1] = table.concat {...} end
print('a', {2})
print()
io.write = write
io.output(name)
print('b', 1)
io.output():close()
io.output(io.stdout)
return table.concat(kept), io.open(name):read('*a')
--> 'a\t{\n  1 : 2\n}\n', 'b\t1\t\n'

--- graphs hand objects that are no tensors from module to module, and have nodes around objects that are no modules
require 'nngraph'
local Times, parent = torch.class('nn.TimesHere', 'nn.Module')
function Times:updateOutput(input) return input[2] * input[1].factor end
function Times:updateGradInput(input, gradOutput) return {torch.zeros(1), gradOutput * input[1].factor} end
local Marking = torch.class('nn.MarkingHere', 'nn.Module')
function Marking:updateOutput(input)
  input[1].seen = input[2][2]
  return input[1]
end
function Marking:updateGradInput(input) return {torch.zeros(1), input[2] * 10} end
local squares = {
  updateOutput = function(_, input) return torch.cmul(input, input) end,
  updateGradInput = function(_, input, gradOutput) return torch.cmul(input, gradOutput) * 2 end,
  accGradParameters = function() end, parameters = function() return {}, {} end,
}
local object, x = nn.Identity()(), nn.Identity()()
local times, square = nn.TimesHere() {object, x}, nngraph.Node {module = squares}
square:add(times, true)
local network = nn.gModule({object, x}, {nn.MarkingHere() {object, square}, square})
torch.class('ThingHere')
local thing, given = ThingHere(), torch.Tensor {1, 2}
thing.factor = 3
local output = network:forward {thing, given}
local gradient = network:backward({thing, given}, {torch.zeros(1), torch.ones(2)})
return output[1] == thing, thing.seen, output[2][2], gradient[1][1], gradient[2][1], network:getParameters():nElement()
--> true, 36, 36, 0, 3 * 2 * 3 * (1 + 90), 0

--- what a whole sequence is given to start from comes before what is remembered
require 'rnn'
local layer, x, start = nn.SeqGRU(2, 2):remember(), torch.ones(1, 1, 2), torch.Tensor {{0.5, -0.5}}
layer.userPrevOutput = start
local first = layer:forward(x):clone()
local remembered = layer:forward(x):clone()
layer.userPrevOutput = start
return torch.all(layer:forward(x):eq(first)), torch.all(remembered:eq(first))
--> true, false

--- a layer or criterion in whose updateOutput a program has put its own keeps its gradient
require 'nn'
local seen, scaling, loss = 0, nn.Mul.updateOutput, nn.SmoothL1Criterion.updateOutput
function nn.Mul:updateOutput(input)
  local output = scaling(self, input)
  seen = seen + output[1]
  return output
end
function nn.SmoothL1Criterion:updateOutput(input, target)
  local value = loss(self, input, target)
  seen = seen + value
  return value
end
local layer, criterion, x = nn.Mul(), nn.SmoothL1Criterion(), torch.Tensor {2}
layer.weight:fill(4)
layer:zeroGradParameters()
local network = nn.Sequential():add(layer):add(nn.MulConstant(3))
local value = criterion:forward(network:forward(x), torch.Tensor {20})
local gradient = network:backward(x, criterion:backward(network.output, torch.Tensor {20}))
return seen, value, gradient[1], layer.gradWeight[1]
--> 8 + 3.5, 3.5, 3 * 4, 3 * 2

--- what is neither nil nor false is true, where a layer's argument is a flag
require 'nn'
return nn.Add(5, 3).bias:size(1), nn.Add(5, false).bias:size(1), nn.Linear(2, 3, 0).bias:size(1), nn.Linear(2, 3, false).bias
--> 1, 5, 3, nil

--- containers call a backward that is written for a class, an object or a whole class, once, and add what it adds
require 'nn'
local seen, added = {}, {}
local Other, above = torch.class('nn.BackwardHere', 'nn.Linear')
function Other:backward(input, gradOutput, scale)
  seen.class = (seen.class or 0) + 1
  self.gradBias:add(scale * 7)
  self.gradInput = input * 0 + 5
  return self.gradInput
end
local object, inside, other = nn.Mul(), nn.Sequential():add(nn.Identity()), nn.BackwardHere(2, 2)
object.weight:fill(3)
function object:backward(...)
  seen.object = (seen.object or 0) + 1
  return nn.Mul.backward(self, ...)
end
local network = nn.Sequential():add(inside):add(object):add(nn.Mul()):add(other)
network:get(3).weight:fill(2)
local backward = nn.Sequential.backward
function nn.Sequential:backward(...)
  seen.all = (seen.all or 0) + 1
  return backward(self, ...)
end
local _, gradients = network:getParameters()
local x = torch.Tensor {1, 2}
for round = 1, 2 do
  network:forward(x)
  network:backward(x, x, 0.5)
end
return seen.class, seen.object, seen.all, other.gradBias[1], object.gradWeight[1], gradients:sum(),
  network.gradInput[1]
--> 2, 2, 4, 7, 30, 2 * 7 + 30 + 45, 5 * 2 * 3

--- a criterion whose updateOutput is replaced runs those inside once for a loss, and not again for its gradient
require 'nn'
local losses, loss = 0, nn.ParallelCriterion.updateOutput
function nn.ParallelCriterion:updateOutput(input, target) return loss(self, input, target) end
local Counted, parent = torch.class('nn.CountedHere', 'nn.MSECriterion')
function Counted:updateOutput(input, target)
  losses = losses + 1
  return parent.updateOutput(self, input, target)
end
local both = nn.ParallelCriterion():add(nn.CountedHere()):add(nn.AbsCriterion(), 2)
local input, target = {torch.ones(2), torch.ones(2)}, {torch.zeros(2), torch.zeros(2)}
both:forward(input, target)
local gradient = both:backward(input, target)
local before = losses
input[1]:fill(2)
return before, gradient[1][1], both:backward(input, target)[1][1]
--> 1, 1, 2

--- backward that is given one tensor of forward's table takes what forward was given
require 'nn'
local words = nn.LookupTable(6, 2)
local network = nn.Sequential()
  :add(nn.ParallelTable():add(nn.Sequential():add(words):add(nn.Mean(2))):add(nn.Identity())):add(nn.CMulTable())
local questions, images = torch.Tensor {{1, 2}, {3, 4}, {5, 3}}, torch.Tensor(3, 2):fill(4)
network:forward {questions, images}
network:backward(questions, torch.ones(3, 2))
return words.gradWeight:select(2, 1):totable()
--> {2, 2, 4, 2, 2, 0}

--- CTC's loss is divided by the number of sequences, its gradient is not, and sequences too short for their labels count 0
require 'nnx'
local criterion = nn.CTCCriterion(true)
local scores, labels, sizes = torch.zeros(2, 2, 2), {{1}, {1, 1}}, torch.Tensor {2, 2}
local loss = criterion:forward(scores, labels, sizes)
local gradient = criterion:backward(scores, labels)
return math.floor(1e6 * loss + 0.5), math.floor(1e6 * criterion.output + 0.5), math.floor(6 * gradient[1][1][2] + 0.5),
  gradient[2]:norm()
--> math.floor(1e6 * math.log(4 / 3) / 2 + 0.5), math.floor(1e6 * math.log(4 / 3) + 0.5), -1, 0

--- a tester compares tables as Lua does, and a layer of Lua's with what its file gives
require 'nn'
local Point = {__eq = function(a, b) return a[1] == b[1] end}
local function point(x) return setmetatable({x}, Point) end
local Copied = torch.class('nn.CopiedHere', 'nn.Module')
function Copied:updateOutput(input) return input * 2 end
function Copied:updateGradInput(input, gradOutput) return gradOutput * 2 end
local tester, here, there = torch.Tester(), point(1), point(1)
tester._assert_sub = function(_, holds) return holds end
return tester:asserteq(here, there), tester:asserteq(here, {1}), tester:asserteq(here, here),
  nn.Jacobian.testIO(nn.CopiedHere(), torch.ones(2, 3))
--> true, false, true, 0, 0

--- classes of Torch that a program writes anew are the program's, in their clones and files, too
require 'nn'
local Expand = torch.class('nn.ExpandAs', 'nn.Module')
function Expand:updateOutput(input) return input[1]:expandAs(input[2]) * 2 end
local Table = nn.MixtureTable
function Table:__init(dim)
  nn.Module.__init(self)
  self.size = torch.LongStorage {dim}
end
function Table:updateOutput(input) return input[1]:expandAs(input[2]) + input[2] * self.size[1] end
local init = nn.Add.__init
function nn.Add:__init(number)
  init(self, 1, true)
  self.bias:fill(number)
end
local ones = {torch.ones(2, 1), torch.ones(2, 2)}
local expand, mixed = nn.ExpandAs(), nn.Sequential():add(nn.MixtureTable(3)):add(nn.Add(5))
nn.Add.__init = init
local function read(value) return torch.deserialize(torch.serialize(value)) end
return expand:forward(ones)[1][2], read(expand):forward(ones)[1][2], mixed:forward(ones)[1][2],
  mixed:clone():forward(ones)[1][2], read(mixed):forward(ones)[1][2]
--> 2, 2, 9, 9, 9

--- what a criterion's method has put into output is there for its other methods, whatever the loss is
require 'nn'
local Logistic, parent = torch.class('nn.LogisticHere', 'nn.Criterion')
function Logistic:updateOutput(input)
  self.output = torch.sigmoid(input)
  return -torch.log(self.output):sum()
end
function Logistic:updateGradInput()
  self.gradInput = {self.output - 1}
  return self.gradInput[1]
end
local criterion, x = nn.LogisticHere(), torch.zeros(2)
local loss = criterion:forward(x, x)
return math.abs(loss - 2 * math.log(2)) < 1e-6, criterion.output[1], criterion:backward(x, x)[2], criterion.gradInput[1][1]
--> true, 0.5, -0.5, -0.5

--- a container without modules hands on its input, and one of modules without parameters has their type
require 'nn'
local empty, one = nn.Sequential():double(), nn.Sequential():double()
local x = torch.FloatTensor {-1, 2}
one:add(nn.ReLU():float())
return empty:forward(x) == x, torch.type(one:forward(x)), torch.type(one:double():forward(x:double()))
--> true, 'torch.FloatTensor', 'torch.DoubleTensor'

--- tables with a metatable, which networks hand on from layer to layer, either way, as do passing modules
local Pair = {__index = {total = function(pair) return pair[1]:sum() + pair[2]:sum() end}}
local function pair(x, y) return setmetatable({torch.Tensor{x}, torch.Tensor{y}}, Pair) end
local seen = {}
local Gives, gives_parent = torch.class('GivesPairHere', 'nn.Module')
function Gives:updateOutput(input)
  self.output = pair(input:total(), 4)
  return self.output
end
function Gives:updateGradInput(input, gradOutput)
  seen[#seen + 1] = gradOutput:total()
  self.gradInput = pair(5, 6)
  return self.gradInput
end
local Takes, takes_parent = torch.class('TakesPairHere', 'nn.Module')
function Takes:updateOutput(input)
  seen[#seen + 1] = input:total()
  self.output = torch.Tensor{input:total()}
  return self.output
end
function Takes:updateGradInput(input, gradOutput)
  self.gradInput = pair(7, 8)
  return self.gradInput
end
local chain = nn.Sequential():add(GivesPairHere()):add(nn.Identity()):add(TakesPairHere()):add(nn.Linear(1, 1))
for i = 1, 2 do
  local x = pair(i, 2)
  chain:forward(x)
  local gradient = chain:backward(x, torch.Tensor{1})
  seen[#seen + 1] = gradient:total()
end
local x, twice = pair(1, 2), nn.ConcatTable():add(nn.Identity()):add(nn.Identity())
local branches = twice:forward(x)
local names = setmetatable({a = torch.Tensor{1}}, {})
return table.concat(seen, ' '), branches[1] == x, branches[2] == x, getmetatable(branches), #nn.FlattenTable():forward{x, x},
  nn.Identity():backward(x, x) == x, nn.Identity():forward(names) == names, nn.SelectTable(1):backward({x}, x)[1][2][1],
  getmetatable(nn.CAddTable():backward(x, torch.Tensor{1}))
--> '7 15 11 8 15 11', true, true, nil, 4, true, true, 2, nil

--- what a layer writes its results into, which copies of files have, too, and cleared layers a table for a table
local HasTables, has_tables_parent = torch.class('HasTablesHere', 'nn.Module')
function HasTables:__init()
  has_tables_parent.__init(self)
  self.gradInput = {}
  self.output = torch.Tensor(1)
end
function HasTables:updateOutput(input)
  self.output[1] = input:sum()
  return self.output
end
local function copy(object)
  local file = torch.MemoryFile()
  file:writeObject(object)
  file:seek(1)
  return file:readObject()
end
local made = copy(copy(HasTablesHere()))
local sum = made:forward(torch.Tensor{1, 2})[1]
return sum, torch.type(made.gradInput), torch.type(made:clearState().gradInput), made.output:nElement()
--> 3, 'table', 'table', 0

--- a gradient that has entries for some of a table's alone
local Second, second_parent = torch.class('SecondHere', 'nn.Module')
function Second:updateOutput(input)
  self.output = input[2]
  return self.output
end
function Second:updateGradInput(input, gradOutput)
  self.gradInput = {[2] = gradOutput}
  return self.gradInput
end
local three = nn.ParallelTable():add(nn.Identity()):add(nn.Identity()):add(nn.Identity())
local chain = nn.Sequential():add(three):add(SecondHere()):add(nn.MulConstant(3))
local x = {torch.Tensor{1}, torch.Tensor{2}, torch.Tensor{4}}
return chain:forward(x)[1], chain:backward(x, torch.Tensor{2})[2][1]
--> 6, 6

--- a user's methods that call those of the class above for the way back find the parameters of now, and update them
local Twice, twice_parent = torch.class('TwiceAccumulatedHere', 'nn.Linear')
function Twice:updateOutput(input)
  self.output = input * self.weight[1][1]
  return self.output
end
function Twice:updateGradInput(input, gradOutput) return twice_parent.updateGradInput(self, input, gradOutput) end
function Twice:accGradParameters(input, gradOutput, scale)
  twice_parent.accGradParameters(self, input, gradOutput, 2 * (scale or 1))
end
local layer, x, g = TwiceAccumulatedHere(1, 1), torch.Tensor{3}, torch.Tensor{1}
layer.weight:fill(1)
layer.gradWeight:fill(5)
layer:forward(x)
layer:updateGradInput(x, g)
layer:accUpdateGradParameters(x, g, 0.5)
local weight = layer.weight[1][1]
layer:forward(x)
local alone, chain, within = layer:updateGradInput(x, g)[1], nn.Sequential():add(layer):add(nn.MulConstant(2)), {}
for i = 1, 2 do
  layer.weight:fill(i)
  chain:forward(x)
  within[i] = chain:backward(x, g)[1]
end
return weight, layer.gradWeight[1][1], alone, within[1], within[2]
--> -2, 29, -2, 2, 4

--- fields that have the names of what makes descriptions here stay in files
local layer = nn.Linear(1, 1)
layer.no_bias = false
local file = torch.MemoryFile()
file:writeObject(layer)
file:seek(1)
return file:readObject().no_bias, layer:clone().no_bias
--> false, false

--- all results of a method reach the program that calls forward or backward, as Torch's hand them on
local Loss, parent = torch.class('nn.LossAndMore', 'nn.MSECriterion')
function Loss:updateOutput(input, target) return parent.updateOutput(self, input, target), 'more', 3 end
function Loss:updateGradInput(input, target) return parent.updateGradInput(self, input, target), 'back' end
local Layer = torch.class('nn.OutputAndMore', 'nn.Module')
function Layer:updateOutput(input) self.output = input * 2 return self.output, 'layer' end
local loss, layer, x = nn.LossAndMore(), nn.OutputAndMore(), torch.ones(2)
local gradient, also = loss:backward(x, x)
local outer = {nn.Sequential():add(layer):forward(x)}
return {loss:forward(x, x)}, also, select(2, layer:forward(x)), #outer, outer[1][1]
--> {0, 'more', 3}, 'back', 'layer', 1, 2

--- fields of a criterion are what its methods leave in them, whatever these return
local Pair = torch.class('nn.PairOfGradients', 'nn.Criterion')
function Pair:__init() self.gradInput = {torch.ones(1), torch.ones(2)} end
function Pair:updateOutput() self.output = 4 return self.output / 2 end
function Pair:updateGradInput() return self.gradInput[1], self.gradInput[2] end
local pair = nn.PairOfGradients()
local loss, first, second = pair:forward(1, 1), pair:backward(1, 1)
return loss, pair.output, first:nElement(), second:nElement(), #pair.gradInput
--> 2, 4, 1, 2, 2

--- luasocket's time is in a global variable, too
require 'socket'
return type(socket.gettime())
--> 'number'

--- parameters that are taken out of a module, and put back into it and its clone
local linear, kept, names = nn.Linear(2, 3), {}, {}
for _, name in ipairs {'weight', 'bias', 'gradWeight', 'gradBias'} do
  kept[name] = linear[name]
  linear[name] = nil
end
for name in pairs(linear) do names[#names + 1] = name end
table.sort(names)
local clone, x = linear:clone(), torch.ones(2)
local runs, problem = pcall(linear.forward, linear, x)
for name, tensor in pairs(kept) do
  clone[name] = tensor.new():set(tensor)
  linear[name] = tensor
end
linear.weight:fill(2)
return table.concat(names, ' '), runs, problem:match 'expected params with weight' ~= nil,
  clone.weight:sum(), clone:forward(x):dist(linear:forward(x))
--> '_type gradInput output', false, true, 12, 0

--- fields of recurrences, and of what shares, are no fields of other layers
local Counted, parent = torch.class('nn.CountedSteps', 'nn.Module')
function Counted:updateOutput(input)
  self.step, self.shared = (self.step or 0) + 1, self.shared or 'not yet'
  self.output = input
  return input
end
local layer, around, cell, linear = nn.CountedSteps(), nn.Sequential(), nn.GRU(2, 2), nn.Linear(2, 2)
around:add(layer):forward(torch.ones(2))
cell:forward(torch.ones(2))
return layer.step, layer.shared, around.step == nil, linear.step == nil, linear.shared == nil, cell.step,
  linear:share(nn.Linear(2, 2), 'weight').shared ~= nil
--> 1, "not yet", true, true, true, 2, true

--- fields with the names of methods that Torch does not have, in files
local Tree, parent = torch.class('nn.TreeOfLayers', 'nn.Module')
function Tree:__init(children) parent.__init(self) self.children, self.title, self.listed = children, 'a tree', 2 end
function Tree:updateOutput(input)
  self.output = input * self.listed
  for _, child in ipairs(self.children) do self.output = child:forward(self.output) end
  return self.output
end
local tree = nn.TreeOfLayers {nn.MulConstant(3), nn.TreeOfLayers {}}
local loaded = torch.deserialize(torch.serialize(nn.Sequential():add(tree))):clone()
loaded:get(1).listed = 3
return tree:forward(torch.ones(1))[1], loaded:forward(torch.ones(1))[1], #loaded:get(1).children, loaded:get(1).title,
  loaded:get(1).children[2].listed, #loaded:listModules()
--> 12, 18, 2, 'a tree', 2, 2

--- a layer with the weight of a module inside it, and no gradient of its own
local Around, parent = torch.class('nn.AroundALinear', 'nn.Module')
function Around:__init(inner) parent.__init(self) self.inner, self.weight, self.bias = inner, inner.weight, inner.bias end
function Around:updateOutput(input) self.output = self.inner:forward(input) return self.output end
function Around:updateGradInput(input, gradOutput) return self.inner:updateGradInput(input, gradOutput) end
function Around:accGradParameters(input, gradOutput, scale) self.inner:accGradParameters(input, gradOutput, scale) end
local inner, x = nn.Linear(2, 1), torch.Tensor {{1, 2}}
local network = nn.Sequential():add(nn.Identity()):add(nn.AroundALinear(inner)):add(nn.AroundALinear(nn.Linear(1, 1)))
inner:zeroGradParameters()
network:backward(x, network:forward(x))
local parameters, gradients = network:parameters()
local ok, problem = pcall(network.getParameters, network)
return inner.gradWeight[1][2] / inner.gradWeight[1][1], #parameters, #gradients, ok,
  problem:match 'check that you are sharing parameters' ~= nil
--> 2, 4, 0, false, true

--- a copy has what the module's own last call has given
local same, sum, tanh, x = nn.Identity(), nn.Sequential():add(nn.CAddTable()), nn.Tanh(), torch.ones(2)
same:forward {x, x}
sum:backward({x, x}, sum:forward {x, x})
tanh:forward(x)
local copy, last = sum:clone(), tanh:clone()
sum:forward {x, x * 2}
last:forward(x * 2)
return #same:clone().output, same:clone().output[2]:sum(), copy.output:sum(), #copy.gradInput, sum:clone().output:sum(),
  last.output[1] > tanh.output[1], tanh:clone():float().output:type(), tanh:clearState():clone().output:nElement()
--> 2, 2, 4, 2, 6, true, 'torch.FloatTensor', 0

--- tensors that never had elements, and the types of other values
local empty, none = torch.FloatTensor(torch.FloatStorage(), 1, torch.LongStorage(), torch.LongStorage()), torch.LongStorage()
return empty:dim(), empty:storage(), torch.Tensor(0):storage(), #torch.Tensor(2):resize(0):storage(),
  torch.Tensor(none, none):dim(), torch.Tensor():set(torch.FloatStorage(), 1, none):dim(),
  torch.Tensor.type(5), torch.Tensor.type(none), torch.Tensor.type(empty), torch.Tensor.type(nil)
--> 0, nil, nil, 2, 0, 0, nil, 'torch.LongStorage', 'torch.FloatTensor', nil

--- a table in the place of a tensor or number holds what is put into it, whoever holds the table, in copies and files, too
require 'nngraph'
require 'optim'
local Keeps = torch.class('nn.KeepsTablesHere', 'nn.Module')
local owners = {nn.Sequential(), nn.Linear(1, 1), Keeps(), nn.Identity()(), torch.Tester(), optim.ConfusionMatrix(2),
  require 'dataload'.TensorLoader(torch.ones(2, 2), torch.ones(2))}
local lost = {}
for i, owner in ipairs(owners) do
  for _, before in ipairs {torch.Tensor(), 0} do
    owner.history = before
    owner.history = {}
    table.insert(owner.history, i)
    owner.history.best = 7
    collectgarbage()
    collectgarbage()
    if owner.history[1] ~= i or owner.history.best ~= 7 then lost[#lost + 1] = i end
  end
end
local copied, read = owners[3]:clone(), torch.deserialize(torch.serialize(owners[1]))
return #lost, copied.history[1], read.history[1], owners[2].history.best
--> 0, 3, 1, 7

--- minus zero keeps its sign on every way into tensors, storages and files
local zero = 0
local z = -zero
local x, found = torch.zeros(2, 3), {}
local function see(value) found[#found + 1] = 1 / value == -math.huge and '-' or '+' end
x[1][2], x[{1, 3}], x[{{2}, {1}}] = z, z, z
see(x[1][2])
see(x[{1, 3}])
see(x[2][1])
x[2] = z
see(x[2][3])
for _, method in ipairs {'fill', 'mul', 'cmul'} do
  local ones = torch.ones(1)
  ones[method](ones, method == 'cmul' and torch.Tensor {z} or z)
  see(ones[1])
end
local storage = torch.DoubleStorage(2)
storage[1] = z
see(storage[1])
see(torch.zeros(2):indexFill(1, torch.LongTensor {1}, z)[1])
see(torch.zeros(2):maskedFill(torch.ByteTensor {1, 0}, z)[1])
see(torch.deserialize(torch.serialize(z)))
see(torch.deserialize(torch.serialize({z}))[1])
return table.concat(found), x:sum(), torch.ones(2):narrow(1, 1 + z, 1 - z):sum()
--> '------------', 0, 1

--- a number or text in a parameter's place is a note, until there is a tensor again; copies have the note
require 'nn'
local layer, x = nn.Linear(3, 2), torch.ones(3)
local weight, gradient = layer.weight, layer.gradWeight
layer.weight, layer.gradWeight = 1, 'taken'
local notes = {}
for key, value in pairs(layer) do if key == 'weight' or key == 'gradWeight' then table.insert(notes, value) end end
local copy, ran = layer:clone(), pcall(layer.forward, layer, x)
local noted, count = copy.weight .. copy.gradWeight, #layer:parameters()
layer.weight, layer.gradWeight = weight, gradient
copy.weight, copy.gradWeight = weight.new():set(weight), gradient.new():set(gradient)
layer:zeroGradParameters()
copy:backward(x, torch.ones(2))
weight:fill(1)
copy.bias:zero()
return #notes, ran, noted, count, gradient:sum(), copy:forward(x):sum(), #copy:parameters()
--> 2, false, '1taken', 1, 6, 6, 2

--- fields of several values are tables, not several results
require 'rnn'
local one = nn.Transpose({1, 2})
local both = nn.Transpose({1, 2}, {2, 3})
local fuse = nn.MuFuRu(3, 4)
local found = {#one.permutations, one.permutations[1][2], #both.permutations, both.permutations[2][2]}
return table.concat(found, ' '), select('#', both.permutations), #fuse.ops, fuse.ops[2], #fuse.dpnn_mediumEmpty
--> '1 2 2 3', 1, 8, 'replace', 4

--- nn's functions in C compute what the layers compute that they are
require 'nn'
torch.manualSeed(2)
local x, y, steps = torch.rand(2, 2, 4, 5), torch.rand(2, 4), torch.rand(2, 5, 3)
local far = {}
local function compare(name, one, other)
  if one:nElement() ~= other:nElement() or (one:double() - other:double():viewAs(one)):abs():max() > 1e-5 then far[#far + 1] = name end
end
local function check(name, layer, input)
  local own = setmetatable({output = torch.Tensor(), gradInput = torch.Tensor(), indices = torch.LongTensor()}, {__index = layer})
  local output = layer:forward(input)
  compare(name, input.nn[name .. '_updateOutput'](own, input), output)
  local gradient = torch.rand(output:size())
  if layer.gradWeight then layer:zeroGradParameters() own.gradWeight, own.gradBias = layer.gradWeight:clone(), layer.gradBias:clone() end
  local gradInput = layer:backward(input, gradient, 0.5)
  if layer.gradWeight then
    input.nn[name .. '_accGradParameters'](own, input, gradient, 0.5)
    compare(name .. ' weight', own.gradWeight, layer.gradWeight)
    compare(name .. ' bias', own.gradBias, layer.gradBias)
  end
  compare(name .. ' input', input.nn[name .. '_updateGradInput'](own, input, gradient), gradInput)
end
check('LeakyReLU', nn.LeakyReLU(0.1), y)
check('SpatialFullConvolution', nn.SpatialFullConvolution(2, 3, 2, 3, 2, 1), x)
check('SpatialDilatedConvolution', nn.SpatialDilatedConvolution(2, 3, 2, 2, 1, 1, 1, 0, 2, 1), x)
check('TemporalConvolution', nn.TemporalConvolution(3, 2, 2), steps)
check('SpatialSubSampling', nn.SpatialSubSampling(2, 2, 2, 1, 1), x)
check('SpatialMaxPooling', nn.SpatialMaxPooling(2, 2, 2, 2):ceil(), x)
check('SpatialAveragePooling', nn.SpatialAveragePooling(2, 2, 1, 1, 1, 1):setCountExcludePad(), x)
check('SpatialReflectionPadding', nn.SpatialReflectionPadding(1, 1, 2, 1), x)
check('SpatialUpSamplingNearest', nn.SpatialUpSamplingNearest(2), x)
local function loss(name, criterion, input, target, ...)
  local found, gradInput, total = torch.Tensor(1), torch.Tensor(), torch.Tensor(1)
  input.THNN[name .. '_updateOutput'](input, target, found, ...)
  input.THNN[name .. '_updateGradInput'](input, target, gradInput, ...)
  compare(name, found, torch.Tensor {(criterion:forward(input, target))})
  compare(name .. ' input', gradInput, criterion:backward(input, target))
end
local classes, weights, total = torch.Tensor {2, 4}, torch.rand(4), torch.zeros(1)
local summed = nn.ClassNLLCriterion(weights, false)
loss('ClassNLLCriterion', summed, y, classes, false, weights, total, -100)
loss('BCECriterion', nn.BCECriterion(), y, torch.rand(2, 4):round(), true, nil)
loss('MultiMarginCriterion', nn.MultiMarginCriterion(2, nil, 0.5), y, classes, true, 2, nil, 0.5)
local norm, mean, var, found, gradInput = nn.SpatialBatchNormalization(2), torch.zeros(2), torch.ones(2), torch.Tensor(), torch.Tensor()
local gradWeight, gradBias, save, none = torch.zeros(2), torch.zeros(2), torch.Tensor(), torch.Tensor()
x.THNN.BatchNormalization_updateOutput(x, found, norm.weight, norm.bias, mean, var, save, none, true, 0.1, 1e-5)
compare('BatchNormalization', found, norm:forward(x))
compare('running_var', var, norm.running_var)
compare('save_mean', save, norm.save_mean)
norm:zeroGradParameters()
local gradient = torch.rand(x:size())
x.THNN.BatchNormalization_backward(x, gradient, gradInput, gradWeight, gradBias, norm.weight, mean, var, save, none, true, 1, 1e-5)
compare('BatchNormalization input', gradInput, norm:backward(x, gradient))
compare('BatchNormalization weight', gradWeight, norm.gradWeight)
local pool = nn.SpatialMaxPooling(2, 2, 2, 2)
local unpool, small, back = nn.SpatialMaxUnpooling(pool), pool:forward(x), torch.Tensor()
x.THNN.SpatialMaxUnpooling_updateOutput(small, found, pool.indices, 5, 4)
compare('SpatialMaxUnpooling', found, unpool:forward(small))
x.THNN.SpatialMaxUnpooling_updateGradInput(small, x, back, pool.indices, 5, 4)
compare('SpatialMaxUnpooling input', back, unpool:backward(small, x))
return table.concat(far, ', '), total[1] == summed.total_weight_tensor[1]
--> '', true

--- layers below others begin as these leave them, may set flags to nil, and keep what they put into themselves
require 'nn'
require 'rnn'
local x, found = torch.Tensor {1, 2}, {}
local function below(name, above, init)
  local class, parent = torch.class('nn.' .. name, above)
  function class:__init(...) init(self, parent, ...) end
  return class, parent
end
below('Added', 'nn.CAddTable', function(self, parent, inplace) parent.__init(self) self.inplace = inplace end)
found[1] = nn.Added():forward({x, x})[2]
local class = below('Handed', 'nn.Container', function(self, parent) parent.__init(self) end)
function class:updateOutput(input) self.output:resizeAs(input):copy(input) return self.output end
found[2] = nn.Handed():add(nn.Linear(2, 2)):forward(x)[2]
class = below('Stepped', 'nn.AbstractSequencer', function(self, parent, module)
  parent.__init(self)
  self.modules[1] = module
end)
function class:updateOutput(input) self.output = self.modules[1]:forward(input) return self.output end
found[3] = nn.Stepped(nn.Square()):forward(x)[2]
below('Joined', 'nn.Concat', function(self, parent, dimension) parent.__init(self) self.dimension = dimension end)
found[4] = nn.Joined(1):add(nn.Square()):add(nn.Tanh()):forward(x):size(1)
below('Weighted', 'nn.MSECriterion', function(self, parent, weight) parent.__init(self) self.weight = weight end)
local criterion = nn.Weighted(x)
criterion.sizeAverage = false
found[5] = criterion.weight[2]
class = below('Plain', 'nn.Linear', function(self, parent) parent.__init(self, 2, 1) end)
function class:updateOutput(input)
  self:updateAddBuffer(input)
  self.output:resize(input:size(1), 1):addmm(0, self.output, 1, input, self.weight:t()):addr(1, self.addBuffer, self.bias)
  return self.output
end
local plain, input = nn.Plain(), torch.rand(3, 2)
local linear = nn.Linear(2, 1)
linear.weight, linear.bias = plain.weight, plain.bias
found[6] = (plain:forward(input) - linear:forward(input)):abs():max() < 1e-6 and 1 or 0
local class, parent = torch.class('nn.Rows', 'nn.LookupTable')
function class:updateOutput(input)
  self:backCompatibility()
  input = self:makeInputContiguous(input)
  self.output:index(self.weight, 1, input:view(-1))
  return self.output
end
found[7] = nn.Rows(4, 2):forward(torch.Tensor {{1, 2}, {3, 4}}:t()):size(1)
class = below('Scratch', 'nn.Module', function(self, parent) parent.__init(self) self._output = torch.Tensor() end)
function class:updateOutput(input)
  self._output:resizeAs(input):copy(input):mul(2)
  self.output:set(self._output)
  return self.output
end
found[8] = nn.Scratch():forward(x)[2]
return unpack(found)
--> 4, 2, 4, 4, 2, 1, 4, 4

--- classes that call another class's methods, or set the fields of the class above themselves, go on as in Torch
require 'rnn'
local Own, parent = torch.class('nn.OwnSequence', 'nn.Module')
function Own:__init() parent.__init(self) self._remember = 'neither' end
Own.remember = nn.Sequencer.remember
local own = nn.OwnSequence()
own:remember()
local always = own._remember
own:remember('eval')
local Pool, above = torch.class('nn.OwnPool', 'nn.SpatialMaxPooling')
function Pool:__init(k)
  above.__init(self)
  self.kW, self.kH, self.dW, self.dH, self.padW, self.padH, self.ceil_mode = k, k, 2, 2, 0, 0, false
end
function Pool:ceil() self.ceil_mode = true return self end
local pool = nn.OwnPool(2)
local floor = pool.ceil_mode
pool:ceil()
local Scaled = torch.class('nn.OwnScaled', 'nn.Linear')
function Scaled:__init() nn.Module.__init(self) self.weight, self.bias = torch.ones(1, 2), torch.zeros(1) self.gradBias = torch.zeros(1) end
local scaled = nn.OwnScaled()
local sum = scaled:forward(torch.Tensor {1, 2})[1]
scaled:zeroGradParameters()
local Steps, abstract = torch.class('nn.OwnSteps', 'nn.AbstractRecurrent')
function Steps:__init(module) abstract.__init(self) self.modules[1] = module self.recurrentModule = module end
function Steps:getHiddenState(step) return {step, nn.Container.getHiddenState(self, step)} end
local inner = nn.LSTM(2, 2)
inner:forward(torch.ones(1, 2))
local state = nn.OwnSteps(inner):getHiddenState(1)
nn.Sequential():add(nn.Linear(2, 2)):setOutputStep(1)
return always, own._remember, floor, pool:forward(torch.rand(1, 5, 5)):size(3), pool.ceil_mode, sum,
  table.concat(nn.Linear.dpnn_parameters, ' '), state[1], #state[2][1]
--> 'both', 'eval', false, 3, true, 3, 'weight bias', 1, 2

--- a list of modules may be emptied from any end; a place that is nil is a gap, and closes when it is filled
require 'nn'
local net, order = nn.Sequential(), {}
for i = 1, 4 do net:add(nn.MulConstant(i)) end
local list = net.modules
for i = 1, #list do
  order[i] = list[i].constant_scalar
  list[i] = nil
end
for i = 5, 7 do net:add(nn.MulConstant(i)) end
local x = torch.ones(1)
local whole = net:forward(x)[1]
local taken = table.remove(list, 1).constant_scalar
local rest = net:forward(x)[1]
list[1] = nil
list[1] = nn.MulConstant(3)
return table.concat(order, ' '), whole, taken, rest, #list, net:forward(x)[1], table.remove(nn.Sequential().modules)
--> '1 2 3 4', 210, 5, 42, 2, 21, nil

--- what is put into nn.Module is for the modules inside where containers have methods of their own
require 'nn'
local seen, found = {}, {}
for _, name in ipairs {'zeroGradParameters', 'updateParameters', 'share', 'clearState', 'parameters', 'training'} do
  local old = nn.Module[name]
  nn.Module[name] = function(self, ...)
    seen[#seen + 1] = torch.type(self):sub(4)
    return old(self, ...)
  end
  local net = nn.Sequential():add(nn.Linear(1, 1)):add(nn.ConcatTable():add(nn.Tanh()))
  seen = {}
  if name == 'share' then net:clone('weight') elseif name == 'updateParameters' then net:updateParameters(1) else net[name](net) end
  table.sort(seen)
  found[#found + 1] = table.concat(seen, ' ')
  nn.Module[name] = old
end
return unpack(found)
--> 'Linear Tanh', 'Linear Tanh', 'Linear Tanh', 'Linear Tanh', 'Linear Tanh', 'ConcatTable Linear Sequential Tanh'

--- a layer of a program's may have a module in its field `modules`, which no other method looks into, as in Torch
require 'nn'
local Inner, parent = torch.class('nn.Inner', 'nn.Module')
function Inner:__init() parent.__init(self) self.modules = nn.Sequential():add(nn.Linear(2, 1)) end
function Inner:updateOutput(input) self.output = self.modules:updateOutput(input) return self.output end
function Inner:updateGradInput(input, gradOutput) return self.modules:updateGradInput(input, gradOutput) end
function Inner:accGradParameters(...) return self.modules:accGradParameters(...) end
function Inner:parameters() return self.modules:parameters() end
local net, x = nn.Sequential():add(nn.Inner()):add(nn.MulConstant(2)), torch.ones(3, 2)
local weights, gradients = net:getParameters()
weights:fill(1) gradients:zero()
local y = net:forward(x):sum()
net:backward(x, torch.ones(3, 1))
local copy = torch.deserialize(torch.serialize(net))
net:evaluate()
return y, gradients:sum(), copy:forward(x):sum(), torch.type(copy:get(1).modules), #net:findModules('nn.Linear'),
  net:get(1).train, net:get(1).modules.train ~= false
--> 18, 18, 18, 'nn.Sequential', 0, false, true

--- classes below nn.Recurrent and nn.Recurrence keep their steps; nn.AbstractRecurrent's methods take their objects
require 'rnn'
local step = nn.Linear(2, 2)
step.weight:fill(1) step.bias:fill(0)
local Every, parent = torch.class('nn.Every', 'nn.Recurrent')
function Every:__init()
  nn.AbstractRecurrent.__init(self, 9)
  self.initialModule, self.recurrentModule = nn.MulConstant(10), nn.Sequential():add(nn.CAddTable()):add(step)
  self.modules, self.sharedClones = {self.initialModule, self.recurrentModule}, {[2] = self.recurrentModule}
end
function Every:updateOutput(input)
  self.calls = (self.calls or 0) + 1
  return parent.updateOutput(self, input)
end
local Sums, above = torch.class('nn.Sums', 'nn.Recurrence')
function Sums:__init() above.__init(self, nn.CAddTable(), 2, 1) end
function Sums:getHiddenState(number, input)
  local state = above.getHiddenState(self, number, input)
  self.inner = #state[2]
  return state
end
local x = {torch.ones(1, 2), torch.ones(1, 2), torch.ones(1, 2)}
local every, sums = nn.Every(), nn.Sums()
local first, second = nn.Sequencer(every), nn.Sequencer(sums)
local y, z = first:forward(x), second:forward(x)
local a, b = first:backward(x, x), second:backward(x, x)
return y[1][1][1], y[2][1][1], y[3][1][1], a[1][1][1], a[3][1][1], step.gradBias[1], every.calls,
  z[3][1][1], b[1][1][1], b[3][1][1], sums.inner, tostring(sums)
--> 10, 22, 46, 70, 2, 4, 3, 3, 3, 1, 0, 'nn.Sums @ nn.CAddTable'

--- classes below layers: what __init leaves, copies, fields of Python's names, nDim, and parameters of their own
require 'nn'
require 'dpnn'
local found, x = {}, torch.ones(3, 4)
local function below(name, above, init)
  local class, parent = torch.class('nn.' .. name, above)
  function class:__init(...) init(self, parent, ...) end
  return class, parent
end
local function trains(module) return module.train == nil and 'nil' or tostring(module.train) end
below('OfLinear', 'nn.Linear', function(self, parent) parent.__init(self, 4, 4) end)
below('OfSequential', 'nn.Sequential', function(self, parent) parent.__init(self) end)
below('OfDropout', 'nn.Dropout', function(self, parent) parent.__init(self, 0) end)
local linear = nn.OfLinear()
local trained, evaluated = linear:clone(), linear:clone()
trained:training()
evaluated:evaluate()
found[1] = trains(linear) .. trains(nn.OfSequential()) .. trains(nn.OfDropout()) .. trains(trained)
  .. trains(torch.deserialize(torch.serialize(linear))) .. trains(evaluated)
local chosen = below('Chosen', 'nn.Tanh', function(self, parent) parent.__init(self) end)
function chosen:updateOutput(input) self.output = self.train and input * 2 or input * 3 return self.output end
local choice = nn.Chosen()
local chain = nn.Sequential():add(choice)
local first = chain:forward(x):sum()
chain:training()
found[2] = first .. ' ' .. chain:forward(x):sum() .. ' ' .. choice:forward(x):sum()
found[3] = tostring(linear.buffers) .. tostring(linear.children) .. tostring(nn.OfSequential().title) .. tostring(linear.eval)
linear.buffers = linear.buffers or {}
found[4] = #linear.buffers
local norm = below('Maps', 'nn.BatchNormalization', function(self, parent) parent.__init(self, 2) end)
norm.nDim = 4
found[5] = nn.Maps():forward(torch.rand(2, 2, 3, 3)):dim() .. tostring(nn.Maps()) .. nn.Maps().nDim
local own = below('Weighed', 'nn.View', function(self, parent)
  parent.__init(self, -1)
  self.weight, self.gradWeight = torch.ones(12), torch.zeros(12)
end)
function own:updateOutput(input) self.output = torch.cmul(input:view(-1), self.weight) return self.output end
function own:updateGradInput(input, gradOutput) self.gradInput = torch.cmul(gradOutput, self.weight):viewAs(input) return self.gradInput end
function own:accGradParameters(input, gradOutput, scale) self.gradWeight:addcmul(scale, input:view(-1), gradOutput) end
local net = nn.Sequential():add(nn.Weighed())
local weights, gradients = net:getParameters()
net:backward(x, net:forward(x))
net:updateParameters(0.5)
found[6] = weights:sum() .. ' ' .. gradients:sum() .. ' ' .. net:forward(x):sum()
below('Biased', 'nn.PReLU', function(self, parent)
  parent.__init(self)
  self.bias, self.gradBias = torch.zeros(3), torch.zeros(3)
end)
found[7] = #nn.Biased():parameters()
local left, parent = below('Left', 'nn.Linear', function(self, parent) parent.__init(self, 4, 4) end)
function left:updateOutput(input) self.output:resizeAs(input):copy(input) return self.output end
function left:updateGradInput(input, gradOutput) self.gradInput = gradOutput return gradOutput end
local one = nn.Left()
local branches = nn.ConcatTable():add(one):add(nn.Identity())
branches:backward(x, branches:forward(x))
found[8] = one.gradInput:sum() .. ' ' .. one:clone().output:sum() .. ' ' .. branches:clone():forward(x)[1]:sum()
  .. ' ' .. one:clone().gradInput:sum()
below('Holding', 'nn.Tanh', function(self, parent) parent.__init(self) self.state = {nn.Linear(2, 2)} end)
found[9] = nn.Holding():getParameters():size(1)
local before, count = nn.Module.forward, 0
nn.Module.forward = function(self, input) count = count + 1 return before(self, input) end
nn.Linear(4, 1):forward(x)
nn.Module.forward = before
nn.Linear(4, 1):forward(x)
found[10] = count
return unpack(found)
--> 'nilniltruetruenilfalse', '36 24 24', 'nilnilnilnil', 0, '4nn.Maps (4D) (2)4', '6 12 6', 2, '12 12 12 12', 6, 1

--- a weight beside a layer's own is in its files and copies; nn.Module's parameters are replaced for layers alone, and put back
require 'nn'
local class, parent = torch.class('nn.TanhWithWeight', 'nn.Tanh')
function class:__init()
  parent.__init(self)
  self.weight, self.gradWeight, self.mean = torch.ones(5), torch.zeros(5), torch.ones(2)
end
local one, held = nn.TanhWithWeight(), nn.Container()
held.weight = torch.ones(3)
one.weight:fill(3)
local saved, copy = torch.deserialize(torch.serialize(one)), one:clone():float()
local found = {saved.weight:sum(), saved.gradWeight:nElement(), saved.mean:sum(), #saved:parameters(), copy.weight:sum(), torch.type(copy.gradWeight)}
local before, count = nn.Module.parameters, 0
nn.Module.parameters = function(self) count = count + 1 return before(self) end
nn.Sequential():add(nn.Tanh()):add(nn.Sequential():add(nn.Linear(1, 1))):parameters()
nn.Module.parameters = before
local none = nn.Tanh():parameters()
return table.concat(found, ' '), count, type(nn.Sequential():add(nn.Tanh()):parameters()), type(none)
--> '15 5 2 1 15 torch.FloatTensor', 2, 'table', 'nil'

--- recurrences that keep no steps, and methods of a MapTable, in networks
require 'rnn'
local x = torch.ones(3, 4)
local class, parent = torch.class('nn.Doubling', 'nn.AbstractRecurrent')
function class:__init() parent.__init(self, nn.Linear(4, 4)) end
function class:updateOutput(input) self.output = input * 2 return self.output end
function class:updateGradInput(input, gradOutput) self.gradInput = gradOutput * 2 return self.gradInput end
function class:accGradParameters() end
local net = nn.Sequential():add(nn.Doubling())
local doubled = net:backward(x, net:forward(x)):sum()
local class, parent = torch.class('nn.FrozenMap', 'nn.MapTable')
function class:__init() parent.__init(self, nn.Linear(4, 5)) end
function class:accGradParameters() end
local map = nn.FrozenMap()
local loaded = torch.deserialize(torch.serialize(nn.ConcatTable():add(map):add(map:clone())))
return doubled, loaded:forward({x, x})[2][1]:size(2)
--> 48, 5

--- shared clones share what modules in fields and tables have learned
require 'nn'
require 'dpnn'
local class, parent = torch.class('nn.WithParts', 'nn.Module')
function class:__init() parent.__init(self) self.inner, self.parts = nn.Linear(4, 4), {nn.Linear(2, 2)} end
local one = nn.WithParts()
local other = one:sharedClone()
one.inner.weight:fill(7)
one.parts[1].weight:fill(3)
local both = nn.ConcatTable():add(one):add(other):clone()
both.modules[1].inner.weight:fill(9)
local found = {other.inner.weight:sum(), other.parts[1].weight:sum(), both.modules[2].inner.weight:sum()}
return table.concat(found, ' '), both:getParameters():size(1)
--> '112 12 144', 26

--- elements in loops, of tensors that view others meanwhile
local x, y, seen = torch.DoubleTensor(6):fill(1), torch.DoubleTensor(3):fill(5), {}
for i = 1, 6 do x[i] = i end
x:resize(2, 3)
for i = 1, 2 do for j = 1, 3 do x[i][j] = x[i][j] * 2 end end
seen[1] = x:sum()
local row
for _ = 1, 6 do row = x[2] end
x:set(y)
for i = 1, 3 do x[i] = i end
row[1] = 100
x:resize(7):fill(0)
return seen[1], y:sum(), row:sum(), row[1], row:storage()[4], x:sum()
--> 42, 0, 122, 100, 100, 0

--- elements in loops, at places that are none, and of numbers that are not whole
local bytes, whole, x = torch.ByteTensor(5), torch.IntTensor(5), torch.DoubleTensor(5):fill(0)
for i = 1, 5 do bytes[i], whole[i], x[i] = 254 + i, -i - 0.5, i end
for i = 1, 5 do x[-i] = i end
local above, below = pcall(function() return x[6] end), pcall(function() x[0] = 1 end)
x[2] = -0
return bytes:sum(), whole:sum(), x[1], x[5], x[-1], above, below, 1 / x[2], (pcall(function() x[1] = 'a' end))
--> 261, -15, 5, 1, 1, false, false, -math.huge, false

--- rows that nobody has asked for anything but elements
local x, kept = torch.DoubleTensor(4, 3, 2):fill(0), {}
for i = 1, 4 do
  for j = 1, 3 do
    local row = x[i][j]
    for k = 1, 2 do row[k] = 100 * i + 10 * j + k end
    kept[#kept + 1] = row
  end
end
local part = x[3]
return x[2][3][1], part:sum(), torch.type(kept[5]), kept[5]:size(1), (kept[5] + kept[5])[2], x[{4, 2}]:sum(), #kept
--> 231, 1929, 'torch.DoubleTensor', 2, 444, 843, 12

--- an object's own updateOutput leaves it the gradient of its class, as that of a class below does
require 'nn'
local x = torch.range(1, 6):double():cos():view(2, 3)
local found = {}
local function step(layer)
  layer.weight:copy(torch.range(1, layer.weight:nElement()):sin():viewAs(layer.weight))
  local network = nn.Sequential():add(nn.Identity()):add(layer):add(nn.Identity())
  network:zeroGradParameters()
  local output = network:forward(x)
  local gradient = network:backward(x, output:clone():fill(1))
  for _, each in ipairs{output, gradient, layer.gradWeight, layer.gradInput} do table.insert(found, each:sum()) end
end
local Twice = torch.class('nn.TwiceCMul', 'nn.CMul')
function Twice:updateOutput(input) return nn.CMul.updateOutput(self, input):mul(2) end
step(nn.TwiceCMul(1, 3):double())
local own = nn.CMul(1, 3):double()
function own:updateOutput(input) return nn.CMul.updateOutput(self, input):mul(2) end
step(own)
for i = 1, 4 do found[i] = found[i] == found[i + 4] end
return unpack(found, 1, 4)
--> true, true, true, true

--- methods of single objects that call what they replace may be looked into
require 'nn'
local x = torch.range(1, 6):double():cos():view(2, 3)
local network = nn.Sequential():add(nn.Linear(3, 3)):add(nn.BatchNormalization(3)):add(nn.Dropout(0.5)):add(nn.Linear(3, 1))
network:double()
local calls = 0
for _, layer in ipairs(network.modules) do
  local before = layer.updateOutput
  function layer:updateOutput(input) calls = calls + 1 return before(self, input) end
end
network:forward(x)
network:backward(x, torch.ones(2, 1):double())
local dropout, last = network:get(3), network:get(4)
return calls, (dropout.gradInput - torch.cmul(last.gradInput, dropout.noise)):abs():max() < 1e-12
--> 4, true

--- methods of a recurrence, or of a container around one, that call what they replace leave a Sequencer as it was
require 'rnn'
local x = {torch.ones(2, 3):mul(0.3), torch.ones(2, 3):mul(-0.4), torch.ones(2, 3)}
local function losses(make, mode, replaced)
  local recurrence, found = make(), {}
  for _, each in ipairs(recurrence:parameters()) do each:copy(torch.range(1, each:nElement()):sin():viewAs(each)) end
  local before = recurrence[replaced or '']
  if replaced then recurrence[replaced] = function(self, ...) return before(self, ...) end end
  local network = nn.Sequencer(recurrence):remember(mode)
  for step = 1, 2 do
    network:zeroGradParameters()
    local output = network:forward(x)
    local gradient = network:backward(x, output)
    for _, each in ipairs{output[1], output[3], gradient[1]} do table.insert(found, each:sum()) end
    network:updateParameters(0.1)
  end
  return torch.Tensor(found)
end
local Own = torch.class('nn.OwnChain', 'nn.Sequential')
function Own:updateOutput(input) return nn.Sequential.updateOutput(self, input) end
local function make() return nn.Recurrent(2, nn.Linear(3, 2), nn.Linear(2, 2), nn.Tanh(), 5) end
local function chain() return nn.Sequential():add(nn.Linear(3, 3)):add(make()) end
local function own() return nn.OwnChain():add(nn.Linear(3, 3)):add(make()) end
local worst = 0
for _, mode in ipairs{'neither', 'both'} do
  local expected = losses(make, mode)
  for _, replaced in ipairs{'updateOutput', 'accGradParameters', 'backward'} do
    worst = math.max(worst, (losses(make, mode, replaced) - expected):abs():max())
  end
  expected = losses(chain, mode)
  for _, replaced in ipairs{'updateOutput', 'accGradParameters'} do
    worst = math.max(worst, (losses(chain, mode, replaced) - expected):abs():max())
  end
  worst = math.max(worst, (losses(own, mode) - expected):abs():max())
end
local one_by_one, gradient = chain(), torch.ones(2, 2)
function one_by_one:updateOutput(input) return self:get(2):updateOutput(self:get(1):updateOutput(input)) end
one_by_one:forward(x[1])
local said = select(2, pcall(one_by_one.backward, one_by_one, x[1], gradient))
return worst < 1e-5, said:match('nn.Sequential: its updateOutput has to call that of the class above, to go back') ~= nil
--> true, true

--- a layer whose gradInput a program has set to nil gives none, nor does a chain that begins with it
require 'nn'
local x, found = torch.ones(1, 3), {}
local function gives(network)
  network:zeroGradParameters()
  network:forward(x)
  local first, gradient = network:get(1), network:backward(x, torch.ones(1, 2))
  for _, each in ipairs{gradient == nil, network.gradInput == nil, first.gradInput == nil, first.gradWeight:sum() ~= 0} do
    table.insert(found, each)
  end
end
local network = nn.Sequential():add(nn.Linear(3, 2)):add(nn.Tanh())
network:get(1).gradInput = nil
gives(network)
gives(network:clone())
network:get(1).gradInput = torch.Tensor()
gives(network)
return unpack(found)
--> true, true, true, true, true, true, true, true, false, false, false, true

--- clones of a network that is written with other tensors in the place of its parameters get these by `set`
require 'nn'
local network, x, found = nn.Sequential():add(nn.LookupTable(5, 3)):add(nn.Linear(3, 4)), torch.LongTensor {1, 3}, {}
local function copied(from)
  local memory = torch.MemoryFile('w'):binary()
  memory:writeObject(from)
  return torch.MemoryFile(memory:storage(), 'r'):binary():readObject()
end
local function give(to, tensors, gradients)
  local own, ownGradients = to:parameters()
  for i = 1, #own do own[i]:set(tensors[i]) ownGradients[i]:set(gradients[i]) end
end
local parameters, gradients = network:parameters()
for size = 0, 2 do
  local hollow, other = copied(network), {}
  for i = 1, #parameters do other[i] = torch.zeros(size) end
  give(hollow, other, other)
  local clone = copied(hollow)
  found[#found + 1] = clone:get(1).weight:nElement()
  give(clone, parameters, gradients)
  found[#found + 1] = (clone:forward(x) - network:forward(x)):abs():max()
end
return unpack(found)
--> 0, 0, 1, 0, 2, 0

--- a backward for all modules is that of those which have none of their own
require 'nn'
local before, called = nn.Module.backward, {}
function nn.Module:backward(...)
  called[#called + 1] = torch.type(self):sub(4)
  return before(self, ...)
end
local branches = nn.ConcatTable():add(nn.Linear(3, 2)):add(nn.Sequential():add(nn.Linear(3, 2)))
local network, x = nn.Sequential():add(nn.BatchNormalization(3)):add(branches):add(nn.CAddTable()), torch.range(1, 6):view(2, 3)
network:forward(x)
network:backward(x, torch.ones(2, 2))
nn.Module.backward = before
network:backward(x, torch.ones(2, 2))
return table.concat(called, ' ')
--> 'CAddTable Linear Linear'

--- a table around gradInput does not take its place in `backward`
require 'nn'
local Times = torch.class('nn.TimesNumber', 'nn.Module')
function Times:updateOutput(input) self.output = input[1] * input[2] return self.output end
function Times:updateGradInput(input, gradOutput)
  self.gradInput:resizeAs(gradOutput):copy(gradOutput):mul(input[2])
  return {self.gradInput, 0}
end
local times, x, found = nn.TimesNumber(), {torch.ones(2), 5}, {}
for _ = 1, 2 do
  times:forward(x)
  table.insert(found, times:backward(x, torch.ones(2)):sum())
end
return found[1], found[2], times.gradInput:sum(), #times:updateGradInput(x, torch.ones(2))
--> 10, 10, 10, 2

--- layers below others call the __init above without arguments, and set all of its fields themselves
require 'dpnn'
local x, found = torch.range(1, 6):view(2, 3), {}
local function below(above, fields)
  local class, parent = torch.class('nn.Late' .. above, 'nn.' .. above)
  function class:__init() parent.__init(self) for name, value in pairs(fields) do self[name] = value end end
  return nn['Late' .. above]()
end
local sizes = torch.LongStorage {3}
found[1] = below('View', {size = torch.LongStorage {3, 2}, numElements = 6}):forward(x)[3][1]
found[2] = below('Reshape', {size = sizes, nelement = 3, batchsize = torch.LongStorage {1, 3}}):forward(x):dim()
found[3] = below('CMul', {size = sizes, weight = torch.Tensor {1, 2, 3}, gradWeight = torch.zeros(3)}):forward(x)[2][3]
found[4] = below('CAdd', {size = sizes, bias = torch.Tensor {1, 2, 3}, gradBias = torch.zeros(3)}):forward(x)[2][3]
found[5] = below('Transpose', {permutations = {{1, 2}}}):forward(x)[3][2]
found[6] = below('CReLU', {modules = nn.CReLU(1).modules, nInputDims = 1}):forward(x - 3):sum()
local criterion = below('ModuleCriterion', {criterion = nn.MSECriterion(), inputModule = nn.MulConstant(2), castTarget = true})
found[7] = criterion:double():forward(x:double(), x:double() * 3)
local decorated = below('Decorator', {modules = {nn.Square()}})
found[8] = decorated:forward(x)[2][3]
return unpack(found)
--> 5, 2, 18, 9, 6, 9, 91 / 6, 36

--- classes below layers and criterions have their own way to files and copies, and versions of their own
require 'nn'
local class, parent = torch.class('nn.WritesPart', 'nn.Linear')
function class:__init(n, m) parent.__init(self, n, m) self.scratch = torch.ones(9) end
function class:write(file) file:writeInt(self.weight:size(2)) file:writeObject({self.weight, self.bias}) end
function class:read(file)
  local n, parts = file:readInt(), file:readObject()
  parent.__init(self, n, parts[1]:size(1))
  self.weight, self.bias = parts[1], parts[2]
end
local class, parent = torch.class('nn.WritesLess', 'nn.Module')
class.__version = 3
function class:__init(by) parent.__init(self) self.by, self.cache = by, {1, 2} end
function class:updateOutput(input) self.output = input * self.by return self.output end
function class:write(file) local cache = self.cache self.cache = nil parent.write(self, file) self.cache = cache end
function class:read(file, version) parent.read(self, file) self.cache = {'version', version} end
local class, parent = torch.class('nn.ReadsItself', 'nn.Sequential')
function class:read(file) for name, value in pairs(file:readObject()) do self[name] = value end self.is_read = true end
local class, parent = torch.class('nn.WritesFlag', 'nn.MSECriterion')
function class:write(file) file:writeBool(self.sizeAverage) end
function class:read(file) parent.__init(self) self.sizeAverage = file:readBool() end
local part, x = nn.WritesPart(2, 2), torch.ones(1, 2)
local net = nn.ReadsItself():add(part):add(nn.WritesLess(2)):add(nn.Linear(2, 2)):add(nn.Sequential():add(nn.WritesPart(2, 3)))
net:get(3).weight = part.weight
local criterion = nn.WritesFlag()
criterion.sizeAverage = false
local whole, found = {net, criterion, part.weight}, {}
local function told(net, criterion, weight)
  local first, less = net:get(1), net:get(2)
  weight:fill(4)
  return table.concat({torch.type(first), less.cache[1], less.cache[2], tostring(net.is_read), first.weight:sum(), net:get(3).weight:sum(),
    tostring(first.scratch), net:forward(x):size(2), criterion:forward(x, x * 3)}, ' ')
end
for i, mode in ipairs {'binary', 'ascii'} do found[i] = told(unpack(torch.deserialize(torch.serialize(whole, mode), mode))) end
local copy = net:clone()
found[3] = told(copy, criterion:clone(), copy:get(1).weight)
return found[1], found[2] == found[1], found[3], part.weight:sum() == 16, net:get(2).cache[1]
--> 'nn.WritesPart version 3 true 16 16 nil 3 8', true, 'nn.WritesPart version 3 true 16 16 nil 3 8', false, 1

--- layers have the tensors and storages that Torch's constructors make, and each its own fields of those of its class
require 'nn'
require 'rnn'
local by, to = nn.SpatialUpSamplingBilinear(2), nn.SpatialUpSamplingBilinear {oheight = 5, owidth = 7}
local before = {tostring(by.owidth), to.oheight, to.owidth, tostring(to.scale_factor), by.scale_factor}
local class, parent = torch.class('nn.OwnConcat', 'nn.Concat')
function class:updateOutput(input)
  local outs = {}
  for i = 1, #self.modules do
    outs[i] = self.modules[i]:updateOutput(input)
    if i == 1 then self.outputSize:resize(outs[i]:dim()):copy(outs[i]:size())
    else self.outputSize[self.dimension] = self.outputSize[self.dimension] + outs[i]:size(self.dimension) end
  end
  self.output:resize(self.outputSize)
  local offset = 1
  for i, each in ipairs(outs) do
    self.output:narrow(self.dimension, offset, each:size(self.dimension)):copy(each)
    offset = offset + each:size(self.dimension)
  end
  return self.output
end
local concat = nn.OwnConcat(2):add(nn.Linear(3, 4)):add(nn.Linear(3, 2))
concat:forward(torch.ones(5, 3))
local pool, lstm, drop = nn.SpatialMaxPooling(2, 2), nn.SeqLSTM(2, 3), nn.Dropout()
local empty = {pool.indices:dim(), lstm.gates:dim(), drop.noise:dim(), nn.Linear(2, 2).finput == nil and 'none'}
pool:forward(torch.ones(1, 4, 4))
empty[5] = pool.indices:dim()
lstm:double()
empty[6] = torch.type(lstm.gates)
local fire, both = nn.FireModule(4, 2, 3, 3), nn.SeqBRNN(2, 3, true, nn.JoinTable(3))
return table.concat(before, ' '), table.concat(empty, ' '), table.concat(concat.outputSize:totable(), 'x'),
  torch.type(fire.squeeze) .. fire.expand:size(), torch.type(both.merge), nn.IndexLinear(5, 3, true, false, false).weight:size(1)
--> 'nil 5 7 nil 2', '0 0 0 none 3 torch.DoubleTensor', '5x6', 'nn.SpatialConvolution2', 'nn.JoinTable', 5

--- constructors that never reset do not call a class's own reset
require 'nn'
local counts = {}
for i, each in ipairs {{'PReLU'}, {'PartialLinear', 3, 2}, {'IndexLinear', 3, 2}, {'WeightNorm', nn.Linear(2, 2)}, {'Linear', 3, 2}} do
  local class, parent = torch.class('nn.Reset' .. each[1], 'nn.' .. each[1])
  counts[i] = 0
  function class:reset(...) counts[i] = counts[i] + 1 return parent.reset(self, ...) end
  nn['Reset' .. each[1]](unpack(each, 2))
end
return unpack(counts)
--> 0, 0, 0, 0, 1

--- layers show what the last call has found: indices of the largest, and moments of a batch in training alone
require 'nn'
local norm, pool, x = nn.BatchNormalization(2), nn.TemporalDynamicKMaxPooling(2), torch.Tensor {{1, 8}, {5, 2}, {3, 4}}
norm:forward(x)
pool:forward(x)
local mean = norm.save_mean:sum() - x:mean(1):sum()
norm:evaluate()
norm:training()
norm:forward(x * 2)
return math.abs(mean) < 1e-6, math.abs(norm.save_mean:sum() - 2 * x:mean(1):sum()) < 1e-6, pool.indices:view(-1):totable()
--> true, true, {2, 1, 3, 3}

--- rawget, rawset and next of modules reach their fields; a constructor that runs again makes the arrays anew
require 'nn'
local linear, x, found, count = nn.Linear(3, 2), torch.ones(2, 3), {}, 0
rawset(linear, 'weight', torch.ones(2, 3))
rawset(linear, 'bias', nil)
found[1] = linear:forward(x):sum()
found[2] = tostring(rawget(linear, 'weight') == linear.weight) .. tostring(rawget(linear, 'forward')) .. tostring(rawget(linear, 'bias'))
local class, parent = torch.class('nn.WithTable', 'nn.Module')
function class:__init() parent.__init(self) self.list = {1, 2} end
local own = nn.WithTable()
rawset(own, 'list', {9})
for name, value in next, own do count = count + (name == 'list' and value[1] or 1) end
found[3] = rawget(own, 'list')[1] .. ' ' .. count
local class, above = torch.class('nn.MadeTwice', 'nn.Linear')
function class:__init(n, m) above.__init(self, n, m) above.__init(self, m, n) end
local twice = nn.MadeTwice(2, 3)
found[4] = twice.weight:size(1) .. 'x' .. twice.gradWeight:size(2) .. ' ' .. twice:forward(x):size(2)
local class, above = torch.class('nn.BiasBeside', 'nn.LinearNoBias')
function class:__init(n, m) above.__init(self, n, m) self.bias, self.gradBias = torch.ones(m), torch.zeros(m) end
local beside = nn.BiasBeside(3, 2)
beside.weight:fill(1)
found[5] = beside:forward(x):sum() .. ' ' .. #beside:parameters()
return unpack(found)
--> 12, 'truenilnil', '9 12', '2x3 2', '12 2'

--- an attention shows where it has looked
require 'rnn'
local rnn = nn.Recurrent(4, nn.Sequential():add(nn.ParallelTable():add(nn.Linear(3, 4)):add(nn.Linear(2, 4))):add(nn.CAddTable()),
  nn.Linear(4, 4), nn.Tanh())
local look = nn.Sequential():add(nn.Linear(4, 2)):add(nn.Tanh())
local attention, x = nn.RecurrentAttention(rnn, look, 3, {4}), torch.rand(2, 3)
local outputs = attention:forward(x)
attention:backward(x, outputs)
local bias = look:get(1).bias
local first = (attention.actions[1] - torch.tanh(bias):view(1, 2):expand(2, 2)):abs():max()
local later = (attention.actions[3] - look:forward(outputs[2])):abs():max()
return #attention.actions, first < 1e-6, later < 1e-6
--> 3, true, true

--- nn.Module's updateOutput and its gradients are those of layers that have none
require 'nn'
local Plain = torch.class('nn.PlainLayer', 'nn.Module')
local x, count = torch.Tensor {1, 2}, 0
local plain, output, gradient, adding = nn.PlainLayer(), nn.Module.updateOutput, nn.Module.updateGradInput, nn.Module.accGradParameters
function nn.Module:updateOutput(input) count = count + 1 self.output = input * 2 return self.output end
function nn.Module:updateGradInput(_, gradOutput) count = count + 10 self.gradInput = gradOutput * 3 return self.gradInput end
function nn.Module:accGradParameters() count = count + 100 end
local network = nn.Sequential():add(nn.Linear(2, 2)):add(plain)
network:getParameters():fill(1)
local found = {network:forward(x):sum(), network:backward(x, x):sum(), count}
nn.Module.updateOutput, nn.Module.updateGradInput, nn.Module.accGradParameters = output, gradient, adding
function Plain:updateOutput(input) self.output = input return input end
network:forward(x)
found[4] = network:backward(x, x):sum() .. ' ' .. count
local tanh = nn.Tanh()
tanh:backward(x, tanh:forward(x))
found[5] = nn.Module.updateOutput(tanh, x) == tanh.output and nn.Module.updateGradInput(tanh, x, x) == tanh.gradInput
return unpack(found)
--> 16, 18, 111, '18 111', true

--- a layer whose accGradParameters does nothing does not learn
require 'nn'
local x, one = torch.ones(2, 3), torch.ones(2, 2)
local layer = nn.Linear(3, 2)
local network = nn.Sequential():add(layer):add(nn.Linear(2, 2))
local function step(scale)
  network:forward(x)
  network:backward(x, one, scale)
  return layer.gradWeight:sum() == 0 and network:get(2).gradWeight:sum() ~= 0
end
network:zeroGradParameters()
layer.accGradParameters = function() end
local found = {step(), network:get(2).gradBias:sum(), network:clone():get(1).gradWeight:sum()}
layer.accGradParameters = nn.Module.accGradParameters
found[4] = step()
layer.accGradParameters = function(self) self.bias:fill(7) end
found[5] = step() and layer.bias:sum()
layer.accGradParameters = nil
found[6] = step()
local tables = nn.ParallelTable():add(nn.Linear(3, 2))
tables:zeroGradParameters()
tables.accGradParameters = function() return nil end
tables:forward {x}
tables:backward({x}, {one})
found[7] = tables:get(1).gradWeight:sum()
return unpack(found)
--> true, 4, 0, true, 14, false, 0

--- a backward for all modules is also that of those which only pass on
require 'nn'
local before, count = nn.Module.backward, 0
function nn.Module:backward(...) count = count + 1 return before(self, ...) end
local x = torch.ones(2)
local network = nn.Sequential():add(nn.Identity()):add(nn.Tanh())
network:forward(x)
network:backward(x, x)
nn.Module.backward = before
network:backward(x, x)
nn.Identity():backward(x, x)
return count
--> 2

--- methods that a program has written count inside of criterions
require 'nn'
local x, t, count = torch.Tensor {{0.5, 2, 1}, {0, 1, 1}}, torch.Tensor {1, 3}, 0
local whole = nn.CrossEntropyCriterion(torch.Tensor {1, 2, 3})
local loss, gradient = whole:forward(x, t), whole:backward(x, t):clone()
local before = nn.ClassNLLCriterion.updateOutput
function nn.ClassNLLCriterion:updateOutput(input, target) count = count + 1 return before(self, input, target) end
local found = {math.abs(whole:forward(x, t) - loss) < 1e-6, (whole:backward(x, t) - gradient):abs():max() < 1e-6, count}
nn.ClassNLLCriterion.updateOutput = before
local part = nn.ClassNLLCriterion()
part.updateGradInput = function(self, input) self.gradInput = input * 7 return self.gradInput end
local both = nn.ParallelCriterion():add(part, 2):add(nn.MSECriterion())
both:forward({x, x}, {t, x})
found[4] = both:backward({x, x}, {t, x})[1]:sum()
return unpack(found)
--> true, true, 1, 77

--- nn's functions in C are there for leaky slopes that are drawn
require 'nn'
local ffi = require 'ffi'
local x, gradient = torch.range(-6, 5):view(3, 4), torch.range(1, 12):view(3, 4)
local farthest, generator = 0, ffi.typeof('THGenerator**')(torch._gen)[0]
for _, train in ipairs {true, false} do
  torch.manualSeed(5)
  local slopes = torch.ones(12)
  slopes:narrow(1, 1, 7):copy(train and torch.DoubleTensor(7):uniform(0.1, 0.4) or torch.DoubleTensor(7):fill(0.25))
  torch.manualSeed(5)
  local output, noise, gradInput, place = x.new(), x.new(), x.new(), x:clone()
  x.THNN.RReLU_updateOutput(x:cdata(), output:cdata(), noise:cdata(), 0.1, 0.4, train, false, generator)
  x.THNN.RReLU_updateGradInput(x:cdata(), gradient:cdata(), gradInput:cdata(), noise:cdata(), 0.1, 0.4, train, false)
  farthest = math.max(farthest, (output - torch.cmul(x, slopes)):abs():max(), (gradInput - torch.cmul(gradient, slopes)):abs():max())
  place.THNN.RReLU_updateOutput(place, output, noise, 0.2, 0.2, train, true, generator)
  farthest = math.max(farthest, math.abs(place[1][1] + 1.2))
end
return farthest < 1e-6
--> true

--- nn's functions in C are there for sparse inputs
require 'nn'
local weight, bias = torch.range(1, 12):view(2, 6), torch.Tensor {0.5, -0.5}
local gradWeight, gradBias, output = torch.zeros(2, 6), torch.zeros(2), torch.zeros(3, 2)
local gradOutput, dense = torch.range(1, 6):view(3, 2), torch.zeros(3, 6)
local rows = torch.Tensor {{1, 1, 0.5}, {1, 2, -1}, {3, 3, 2}, {3, 6, 1}, {3, 6, 0}}
for i = 1, 4 do dense[rows[i][1]][rows[i][2]] = rows[i][3] end
local thnn, expected = weight.THNN, dense * weight:t() + bias:view(1, 2):expand(3, 2)
thnn.SparseLinear_updateOutput(rows:cdata(), output:cdata(), weight:cdata(), bias:cdata())
local found = {(output - expected):abs():max()}
thnn.SparseLinear_accGradParameters(rows, gradOutput, gradWeight, gradBias, weight, bias, 0.1, 2)
found[2] = (gradWeight - gradOutput:t() * dense * 2 - weight * 0.1):abs():max() < 1e-5 and gradBias:sum()
local before = weight:clone()
thnn.SparseLinear_updateParameters(weight, bias, gradWeight, gradBias, rows, 0.5)
found[3] = (before - weight):gt(0):sum() .. ' ' .. bias:sum()
thnn.SparseLinear_zeroGradParameters(gradWeight, gradBias, rows)
found[4] = gradWeight:gt(0):sum()
local lists = torch.Tensor {{{1, 0.5}, {3, -1}}, {{2, 2}, {0, 0}}}
thnn.SparseLinear_legacyUpdateOutput(lists, output, before, torch.zeros(2))
found[5] = table.concat(output:view(-1):totable(), ' ')
local _, why = pcall(thnn.SparseLinear_updateOutput, torch.Tensor {{1, 7, 1}}, torch.zeros(1, 2), weight, bias)
found[6] = why:match 'index out.*'
local keys, values, sizes, index = torch.LongTensor {1, 3, 2, 6}, torch.Tensor {0.5, -1, 2, 1}, torch.LongTensor {2, 2}, torch.Tensor()
thnn.IndexLinear_updateOutput(keys, -1, values, sizes, sizes:cumsum(), index, before:t():contiguous(), bias, torch.Tensor(), 1)
found[7] = (index - output):add(-1, bias:view(1, 2):expand(2, 2)):narrow(1, 1, 1):abs():max()
return unpack(found)
--> 0, 42, '6 -21', 4, '-2.5 -5.5 4 16', 'index out of bound: 7 not between 1 and 6', 0

--- nn's functions in C are there for keys whose values are normalized
require 'nn'
local keys, values, sizes = torch.LongTensor {1, 3, 3}, torch.Tensor {0.5, -2, 4}, torch.LongTensor {2, 1}
local weight, bias, output, normal = torch.zeros(3, 6), torch.Tensor {0.5, 0}, torch.Tensor(), torch.Tensor()
weight:narrow(2, 5, 2):copy(torch.range(1, 6):view(3, 2))
local thnn, cumulated, gradOutput = output.THNN, sizes:cumsum(), torch.ones(2, 2)
thnn.IndexLinear_updateOutput(keys, -1, values, sizes, cumulated, output, weight, bias, normal, 1)
local found = {table.concat(normal:totable(), ' '), table.concat(output:view(-1):totable(), ' ')}
local gradWeight, gradBias = torch.Tensor(), torch.zeros(2)
thnn.IndexLinear_accGradParameters(keys, -1, normal, sizes, cumulated, gradOutput, gradWeight, gradBias, weight, bias, torch.Tensor(), 0, 1)
thnn.IndexLinear_updateParameters(gradWeight, gradBias, weight, bias, keys, cumulated, -1, 0, 0.5)
found[3] = table.concat(weight[3]:totable(), ' ')
thnn.IndexLinear_accUpdateGradParameters(keys, -1, normal, sizes, cumulated, gradOutput, weight, bias, 0, 0.5)
found[4] = table.concat(weight[3]:totable(), ' ') .. ' ' .. bias:sum()
return unpack(found)
--> '1 -1 1', '-3.5 -4 5.5 6', '4 0.25 1 -11.5 5 6', '4 0.25 1 -23 5 6 -3.5'

--- nn's functions in C are there for windows that are drawn, and for volumes that grow
require 'nn'
local x, samples, output, indices = torch.range(1, 36):view(1, 6, 6), torch.Tensor {{0.3, 0.7}}, torch.Tensor(), torch.LongTensor()
x.THNN.SpatialFractionalMaxPooling_updateOutput(x, output, 3, 3, 2, 2, indices, samples)
local found = {table.concat(output:view(-1):totable(), ' ')}
local gradInput = torch.Tensor()
x.THNN.SpatialFractionalMaxPooling_updateGradInput(x, output, gradInput, 3, 3, 2, 2, indices)
found[2] = (gradInput:view(-1):index(1, indices:view(-1)) - output):abs():max()
local volume, size = torch.range(1, 64):view(1, 4, 4, 4), torch.Tensor {{0.3, 0.7, 0.5}}
volume.THNN.VolumetricFractionalMaxPooling_updateOutput(volume, output, 2, 2, 2, 2, 2, 2, indices, size)
found[3] = table.concat(output:view(-1):totable(), ' ')
local small, gradient = torch.randn(1, 1, 2, 2, 2), torch.randn(1, 1, 4, 4, 4)
local layer = nn.UpSampling(2, 'linear')
small.THNN.VolumetricUpSamplingTrilinear_updateOutput(small, output, 4, 4, 4)
found[4] = (output - layer:forward(small)):abs():max()
small.THNN.VolumetricUpSamplingTrilinear_updateGradInput(gradient, gradInput, 1, 1, 2, 2, 2, 4, 4, 4)
found[5] = (gradInput - layer:backward(small, gradient)):abs():max()
return unpack(found)
--> '8 10 12 20 22 24 32 34 36', 0, '22 24 30 32 54 56 62 64', 0, 0

--- the gradient below a transfer function is that of the output that the class has left
require 'nn'
local y, g, far = torch.rand(4, 3):add(0.1), torch.range(1, 12):view(4, 3), 0
local slopes = {
  Tanh = function(o) return -torch.cmul(o, o) + 1 end, Sigmoid = function(o) return torch.cmul(o, -o + 1) end,
  Exp = function(o) return o end, Sqrt = function(o) return torch.cdiv(torch.ones(4, 3), o * 2) end,
  SoftPlus = function(o) return -torch.exp(-o) + 1 end,
}
for name, slope in pairs(slopes) do
  local Scaled, parent = torch.class('nn.Scaled' .. name, 'nn.' .. name)
  function Scaled:updateOutput(input) parent.updateOutput(self, input) self.output:mul(0.6) return self.output end
  local layer = nn['Scaled' .. name]()
  local expected = torch.cmul(g, slope(layer:forward(y)))
  far = math.max(far, (layer:backward(y, g) - expected):abs():max())
  local network = nn.Sequential():add(nn.Identity()):add(layer)
  network:forward(y)
  far = math.max(far, (network:backward(y, g) - expected):abs():max())
end
local own, found = nn.SoftMax(), {far < 1e-5}
own.updateOutput = function(self, input) self.output = input:clone():fill(0.5) return self.output end
own:forward(y)
found[2] = table.concat(own:backward(y, g)[1]:totable(), ' ')
own.updateOutput = nil
own:forward(y)
found[3] = own:backward(y, g)[1]:sum() < 1e-6
return unpack(found)
--> true, '-1 -0.5 0', true

--- how layers are updated may be replaced after their network has been used
require 'nn'
local network, x, log = nn.Sequential():add(nn.Linear(2, 2)):add(nn.Sequential():add(nn.Tanh())), torch.ones(2), {}
local function step()
  network:zeroGradParameters()
  network:forward(x)
  network:backward(x, x)
  network:updateParameters(0.1)
end
step()
local updated, cleared = nn.Module.updateParameters, nn.Container.zeroGradParameters
function nn.Module:updateParameters() log[#log + 1] = torch.type(self):sub(4) end
function nn.Container:zeroGradParameters() log[#log + 1] = 'zero' cleared(self) end
local before = network:get(1).weight:clone()
step()
nn.Module.updateParameters, nn.Container.zeroGradParameters = updated, cleared
local found = {table.concat(log, ' '), (network:get(1).weight - before):abs():sum()}
step()
found[3] = (network:get(1).weight - before):abs():sum() > 0 and #log
network.__tostring__ = function() return 'its own' end
found[4] = tostring(network):match 'own'
return unpack(found)
--> 'zero zero Linear Tanh', 0, 4
