-- nn's functions in C, which layers of programs' own call on tensors (`input.THNN.SoftMax_updateOutput(input:cdata(),
-- ...)`). They are those layers here (`thnn_layers.lua`), made of what the functions are given. Before THNN they were
-- called by `input.nn.SoftMax_updateOutput(self, input)`, and found all else in the layer's fields.
local border = ...

border.FLOATS = {'FloatTensor', 'DoubleTensor', 'CudaTensor', 'CudaDoubleTensor'} -- types with functions in C

local layers = border.thnn_layers

local function filled(result, values) result:resizeAs(values):copy(values) end

local function is_of(tensor, other) return tensor and tensor:nElement() == other:nElement() end

local function added(total, gradient) -- to a total that may be missing, or have no elements
  if is_of(total, gradient) then total:add(gradient:viewAs(total)) end
end

-- What an argument says of the layer that is to be made.
local function said_of(name, value)
  if not torch.isTensor(value) then return tostring(value) end
  if name == 'connTable' then return table.concat(value:double():view(-1):totable(), ',') end
  local is_parameter = name == 'weight' or name == 'gradWeight'
  return is_parameter and table.concat(value:size():totable(), 'x') or ''
end

-- The gradient at the input by the output, from which alone C computes it: programs may give no input. `at` is that at
-- an input.
local BY_OUTPUT = {
  LogSoftMax = function(output, _, at) return at(output) end,
  Sigmoid = function(output, gradient) return torch.cmul(gradient, output):cmul(-output + 1) end,
  SoftMax = function(output, _, at) return at(torch.log(output)) end,
  Tanh = function(output, gradient) return torch.cmul(gradient, -torch.cmul(output, output) + 1) end,
}

local special = border.thnn_special

local function functions(nn)
  local made, layer = {}, {}

  -- A layer of a tensor's type, which is made once for all that its key says.
  local function kept(key, like, make)
    key = like:type() .. ' ' .. key
    if not made[key] then
      local numbers = torch.getRNGState() -- the program's: C draws none
      made[key] = make():type(like:type())
      torch.setRNGState(numbers)
    end
    return made[key]
  end

  -- The layer that a function is, with the parameters that it is given.
  local function of(name, method, given)
    local entry, key = layers[name], {name}
    for each in entry[method]:gmatch '%S+' do key[#key + 1] = said_of(each, given[each]) end
    local found = kept(table.concat(key, ' '), given.input or given.gradOutput, function()
      local made_of = entry.made_of
      local layer = type(made_of) == 'string' and nn[name](border.values(given, made_of)) or made_of(nn, given)
      if given.ceil_mode or given.ceilMode then layer:ceil() end
      if given.count_include_pad == false then layer:setCountExcludePad() end
      if given.sizeAverage ~= nil then layer.sizeAverage = given.sizeAverage end
      return layer
    end)
    if given.weight then found.weight:copy(given.weight) end
    if found.bias then if is_of(given.bias, found.bias) then found.bias:copy(given.bias) else found.bias:zero() end end
    if given.weights then found.weights = given.weights end
    return found
  end

  function layer.updateOutput(name, given)
    local found = of(name, 'updateOutput', given)
    filled(given.output, found:forward(given.input))
    if given.indices then filled(given.indices, found.indices) end
  end

  function layer.updateGradInput(name, given)
    local found = of(name, 'updateGradInput', given)
    local function at(input)
      found:forward(input)
      return found:updateGradInput(input, given.gradOutput)
    end
    filled(given.gradInput, given.input and at(given.input) or BY_OUTPUT[name](given.output, given.gradOutput, at))
  end

  function layer.accGradParameters(name, given)
    local found = of(name, 'accGradParameters', given)
    found:zeroGradParameters()
    found:forward(given.input)
    found:backward(given.input, given.gradOutput, given.scale or 1)
    added(given.gradWeight, found.gradWeight)
    if found.gradBias then added(given.gradBias, found.gradBias) end
  end

  local criterion = {}

  function criterion.updateOutput(name, given)
    local found = of(name, 'updateOutput', given)
    given.output:resize(1):fill((found:forward(given.input, given.target)))
    if given.total_weight then given.total_weight:resize(1):fill(found.total_weight_tensor[1]) end
  end

  function criterion.updateGradInput(name, given)
    filled(given.gradInput, of(name, 'updateGradInput', given):backward(given.input, given.target))
  end

  return function(key)
    local name, method = key:match '^(%w+)_(%w+)$'
    local entry = layers[name]
    if not (entry and entry[method]) then
      border.refuse('THNN.%s is not here, as none is that no layer of nn calls', key)
    end
    local apart = special[key]
    if apart then return function(given) apart(given, nn, kept) end, entry[method] end
    local done = (entry.is_criterion and criterion or layer)[method]
    return function(given) done(name, given) end, entry[method]
  end
end

-- The rows of gradOutput times the scale are added to those rows of gradWeight that input names.
function special.LookupTable_accGradParameters(given)
  local rows, gradWeight = given.input:long():view(-1), given.gradWeight
  local gradients = given.gradOutput:contiguous():view(rows:nElement(), -1) * (given.scale or 1)
  local function weighted(weights) gradients:cmul(weights:typeAs(gradients):view(-1, 1):expandAs(gradients)) end
  if given.scaleGradByFreq then
    local counts = torch.zeros(gradWeight:size(1)):indexAdd(1, rows, torch.ones(rows:nElement()))
    weighted(counts:index(1, rows):pow(-1))
  end
  if given.paddingValue and given.paddingValue ~= 0 then weighted(rows:ne(given.paddingValue)) end
  gradWeight:indexAdd(1, rows, gradients)
end

function special.LookupTable_renorm(given, nn, kept)
  local weight = given.weight
  local sizes = {weight:size(1), weight:size(2), 0, given.maxNorm, given.normType}
  local key = 'LookupTable ' .. table.concat(sizes, ' ')
  local found = kept(key, weight, function() return nn.LookupTable(unpack(sizes)) end)
  found.weight:copy(weight)
  found:renorm(given.idx)
  weight:copy(found.weight)
end

local BY_DIMENSIONS = {
  [2] = 'BatchNormalization', [4] = 'SpatialBatchNormalization', [5] = 'VolumetricBatchNormalization',
}

-- A normalization with the means and variances that it is given, and its input and gradOutput as it takes them.
local function normalization(given, nn, kept)
  local input = given.input
  local class, sizes = BY_DIMENSIONS[input:dim()], input:size()
  if not class then class, sizes = BY_DIMENSIONS[4], torch.LongStorage {input:size(1), input:size(2), -1, 1} end
  local learns = given.weight ~= nil
  local key = table.concat({class, input:size(2), given.eps, given.momentum or '', tostring(learns)}, ' ')
  local found = kept(key, input, function() return nn[class](input:size(2), given.eps, given.momentum, learns) end)
  found.train = given.train
  found.running_mean:copy(given.running_mean)
  found.running_var:copy(given.running_var)
  if learns then found.weight:copy(given.weight) end
  if found.bias then if given.bias then found.bias:copy(given.bias) else found.bias:zero() end end
  local function seen(tensor) return tensor:contiguous():view(sizes) end
  return found, seen
end

function special.BatchNormalization_updateOutput(given, nn, kept)
  local found, seen = normalization(given, nn, kept)
  filled(given.output, found:forward(seen(given.input)):viewAs(given.input))
  given.running_mean:copy(found.running_mean)
  given.running_var:copy(found.running_var)
  if given.train and given.save_mean then
    filled(given.save_mean, found.save_mean)
    filled(given.save_std, found.save_std)
  end
end

function special.BatchNormalization_backward(given, nn, kept)
  local found, seen = normalization(given, nn, kept)
  found:zeroGradParameters()
  found:forward(seen(given.input))
  local gradInput = found:backward(seen(given.input), seen(given.gradOutput), given.scale or 1)
  if given.gradInput then filled(given.gradInput, gradInput:viewAs(given.input)) end
  if found.gradWeight then
    added(given.gradWeight, found.gradWeight)
    added(given.gradBias, found.gradBias)
  end
end

-- Unpooling: numbers at the places of their planes that indices name, all else zero.
local function in_rows(tensor, spatial)
  local rows = 1
  for i = 1, tensor:dim() - spatial do rows = rows * tensor:size(i) end
  return tensor:contiguous():view(rows, -1)
end

for name, sides in pairs {SpatialMaxUnpooling = {'oheight', 'owidth'}, VolumetricMaxUnpooling = {'oT', 'oH', 'oW'}} do
  special[name .. '_updateOutput'] = function(given)
    local sizes, spatial = given.input:size(), #sides
    for i, side in ipairs(sides) do sizes[#sizes - spatial + i] = given[side] end
    given.output:resize(sizes):zero()
    in_rows(given.output, spatial):scatter(2, in_rows(given.indices, spatial):long(), in_rows(given.input, spatial))
  end
  special[name .. '_updateGradInput'] = function(given)
    local spatial = #sides
    local rows = in_rows(given.gradOutput, spatial):gather(2, in_rows(given.indices, spatial):long())
    filled(given.gradInput, rows:viewAs(given.input))
  end
end

-- These are given the input's sizes alone.
for name, sides in pairs {
  SpatialUpSamplingBilinear = {'Height', 'Width'}, VolumetricUpSamplingTrilinear = {'Depth', 'Height', 'Width'},
} do
  special[name .. '_updateGradInput'] = function(given, nn, kept)
    local sizes, key = {given.nbatch, given.nchannels}, {name}
    for i, side in ipairs(sides) do sizes[2 + i], key[1 + i] = given['input' .. side], given['output' .. side] end
    local input = given.gradOutput.new():resize(unpack(sizes)):zero()
    local found = kept(table.concat(key, ' '), input, function() return layers[name].made_of(nn, given) end)
    found:forward(input)
    filled(given.gradInput, found:updateGradInput(input, given.gradOutput))
  end
end

-- As layers called them before THNN: what is in a layer's fields ------------------------------------------------------

local OTHER_NAMES = {padW = 'padding', padH = 'padding', scaleGradByFreq = 'shouldScaleGradByFreq'}

local function from_fields(layer, given, names)
  for name in names:gmatch '%S+' do
    if given[name] == nil then given[name] = layer[name] end
    if given[name] == nil and OTHER_NAMES[name] then given[name] = layer[OTHER_NAMES[name]] end
  end
  return given
end

local RESULTS = {updateOutput = 'output', updateGradInput = 'gradInput'}

local function before(name, method, found, names)
  local second = layers[name].is_criterion and 'target' or 'gradOutput'
  return function(layer, input, other, scale)
    local given, field = {input = input, [second] = other, scale = scale}, RESULTS[method]
    if layers[name].is_criterion and field == 'output' then given.output = input.new() end
    found(from_fields(layer, given, names))
    if layers[name].is_criterion and field == 'output' then layer.output = given.output[1] end
    return field and layer[field]
  end
end

local function by_name(make)
  return setmetatable({}, {__index = function(self, key)
    rawset(self, key, make(key))
    return rawget(self, key)
  end})
end

local of_layers

-- The functions that tensors have under `nn`, to which other packages add theirs; those under `THNN` come with them.
function border.functions_of_layers(nn)
  if of_layers then return of_layers end
  local find = functions(nn)
  local thnn = by_name(function(key)
    local found, names = find(key)
    return function(...)
      local given, i = {}, 0
      for name in names:gmatch '%S+' do
        i = i + 1
        given[name] = (select(i, ...))
      end
      local by_output = given.output and BY_OUTPUT[key:match '^(%w+)_updateGradInput$']
      if names:find '^input ' and not (given.input or by_output) then
        border.refuse('THNN.%s: expected an input, got nil', key)
      end
      found(given)
    end
  end)
  of_layers = by_name(function(key)
    local found, names = find(key)
    local name, method = key:match '^(%w+)_(%w+)$'
    return before(name, method, found, names)
  end)
  for _, name in ipairs(border.FLOATS) do
    torch[name].THNN, torch[name].nn = thnn, of_layers
  end
  return of_layers
end

-- The file of tests that nn requires draws so many numbers: those of a program that has seeded before come after them.
local DRAWN_BY_NN = 4

function border.prepare.nn(nn)
  border.functions_of_layers(nn)
  for _ = 1, DRAWN_BY_NN do torch.random() end
end

package.preload['nn.THNN'] = function()
  return {optionalTensor = function(tensor) return tensor and tensor:cdata() end}
end
