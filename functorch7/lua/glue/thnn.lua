-- nn's functions in C, which layers of programs' own call on tensors: `input.THNN.SoftMax_updateOutput(input:cdata(), ...)`.
-- Those of layers without parameters that compute element by element, or along a dimension, are those layers here; of
-- those with parameters there are the ones that programs call whose layers are LookupTables or convolutions of a kind.
-- Before THNN they were called by `input.nn.SoftMax_updateOutput(self, input)`, and found all else in the layer's fields.
local border = ...

border.FLOATS = {'FloatTensor', 'DoubleTensor', 'CudaTensor', 'CudaDoubleTensor'} -- types with functions in C

local LAYERS = {}
for name in ([[Abs ELU HardShrink HardTanh LeakyReLU LogSigmoid LogSoftMax Sigmoid SoftMax SoftPlus SoftShrink Sqrt
  Square Tanh Threshold]]):gmatch('%w+') do LAYERS[name] = true end

-- What C is given: tensors, of which those behind the results are its own notes, and the numbers that make a layer.
-- Only the first of the tensors, the input, keeps its place if it is nil.
local function sorted(...)
  local tensors, settings = {}, {}
  if (...) == nil then tensors[1] = false end
  for i = 1, select('#', ...) do
    local each = select(i, ...)
    local found = torch.isTensor(each) and tensors or settings
    if each ~= nil then found[#found + 1] = each end
  end
  return tensors, settings
end

local function key_of(...)
  local texts = {}
  for i = 1, select('#', ...) do texts[i] = tostring((select(i, ...))) end
  return table.concat(texts, ' ')
end

-- The gradient at the input by the output, from which alone C computes it: programs may give no input. `at` is that at
-- an input.
local BY_OUTPUT = {
  LogSoftMax = function(output, _, at) return at(output) end,
  Sigmoid = function(output, gradient) return torch.cmul(gradient, output):cmul(-output + 1) end,
  SoftMax = function(output, _, at) return at(torch.log(output)) end,
  Tanh = function(output, gradient) return torch.cmul(gradient, -torch.cmul(output, output) + 1) end,
}

local function check_input(key, tensors)
  local by_output = BY_OUTPUT[key:match('^(%w+)_updateGradInput$')] and tensors[4]
  if not (tensors[1] or by_output) then border.refuse('THNN.%s: expected an input, got nil', key) end
end

local function filled(result, values) result:resizeAs(values):copy(values) end

-- The rows of gradOutput times the scale are added to those rows of gradWeight that input names.
local function rows_of_table(tensors, settings)
  local input, gradOutput, gradWeight = unpack(tensors)
  local by_frequency, padding, scale = unpack(settings)
  local rows = input:long():view(-1)
  local added = gradOutput:contiguous():view(rows:nElement(), -1) * (scale or 1)
  local function weighted(weights) added:cmul(weights:typeAs(added):view(-1, 1):expandAs(added)) end
  if by_frequency then
    local counts = torch.zeros(gradWeight:size(1)):indexAdd(1, rows, torch.ones(rows:nElement()))
    weighted(counts:index(1, rows):pow(-1))
  end
  if padding and padding ~= 0 then
    weighted(rows:ne(padding))
  end
  gradWeight:indexAdd(1, rows, added)
end

local function functions(nn)
  local made, special = {}, {LookupTable_accGradParameters = rows_of_table}
  local function layer(name, tensor, settings)
    local key = key_of(name, tensor:type(), unpack(settings))
    if not made[key] then
      local numbers = torch.getRNGState() -- the program's: C draws none
      made[key] = nn[name](unpack(settings)):type(tensor:type())
      torch.setRNGState(numbers)
    end
    return made[key]
  end

  function special.LookupTable_renorm(tensors, settings)
    local rows, weight = unpack(tensors)
    local found = layer('LookupTable', weight, {weight:size(1), weight:size(2), 0, unpack(settings)})
    found.weight:copy(weight)
    found:renorm(rows)
    weight:copy(found.weight)
  end

  local function updateOutput(name, tensors, settings)
    filled(tensors[2], layer(name, tensors[1], settings):forward(tensors[1]))
  end

  local function updateGradInput(name, tensors, settings)
    local input, gradOutput, gradInput, output = unpack(tensors)
    local found = layer(name, gradOutput, settings)
    local function at(given)
      found:forward(given)
      return found:backward(given, gradOutput)
    end
    filled(gradInput, input and at(input) or BY_OUTPUT[name](output, gradOutput, at))
  end

  -- The convolution of a matrix of weights, which has a row for each plane of the output.
  local function convolution(weight, bias, settings)
    local kW, kH = unpack(settings)
    local planes = weight:nElement() / weight:size(1) / (kW * kH)
    local found = layer('SpatialConvolution', weight, {planes, weight:size(1), unpack(settings, 1, 6)})
    found.weight:copy(weight)
    if bias then found.bias:copy(bias) else found.bias:zero() end
    return found
  end

  function special.SpatialConvolutionMM_updateOutput(tensors, settings)
    local input, output, weight, bias = unpack(tensors)
    local has_bias = bias and bias:dim() == 1 and bias:size(1) == weight:size(1)
    filled(output, convolution(weight, has_bias and bias, settings):forward(input))
  end

  function special.SpatialConvolutionMM_updateGradInput(tensors, settings)
    local input, gradOutput, gradInput, weight = unpack(tensors)
    local found = convolution(weight, nil, settings)
    found:forward(input)
    filled(gradInput, found:updateGradInput(input, gradOutput))
  end

  function special.SpatialConvolutionMM_accGradParameters(tensors, settings)
    local input, gradOutput, gradWeight, gradBias = unpack(tensors)
    local found = convolution(gradWeight, nil, settings)
    found:zeroGradParameters()
    found:forward(input)
    found:backward(input, gradOutput, settings[7] or 1)
    gradWeight:add(found.gradWeight:viewAs(gradWeight))
    if gradBias and gradBias:dim() == 1 and gradBias:size(1) == gradWeight:size(1) then gradBias:add(found.gradBias) end
  end

  local methods = {updateOutput = updateOutput, updateGradInput = updateGradInput}
  return function(key)
    if special[key] then return special[key] end
    local name, method = key:match('^(%w+)_(%w+)$')
    if not LAYERS[name] or not methods[method] then
      border.refuse("THNN.%s is not here: there are updateOutput and updateGradInput of layers that compute element by "
        .. "element, of SoftMax and LogSoftMax; SpatialConvolutionMM's; LookupTable's accGradParameters and renorm", key)
    end
    return function(tensors, settings) methods[method](name, tensors, settings) end
  end
end

-- What is in the fields of a layer in place of what THNN's functions are given.
local before = {}

function before.updateOutput(layer, input) return {input, layer.output, layer.weight, layer.bias}, layer.output end

function before.updateGradInput(layer, input, gradOutput)
  return {input, gradOutput, layer.gradInput, layer.weight}, layer.gradInput
end

function before.accGradParameters(layer, input, gradOutput)
  return {input, gradOutput, layer.gradWeight, layer.gradBias}
end

local function settings_of(name, layer, scale)
  if name == 'SpatialConvolutionMM' then
    return {layer.kW, layer.kH, layer.dW, layer.dH, layer.padW or layer.padding, layer.padH or layer.padding, scale}
  end
  return name == 'LookupTable' and {layer.shouldScaleGradByFreq or false, layer.paddingValue or 0, scale} or {}
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
    local found = find(key)
    return function(...)
      local tensors, settings = sorted(...)
      check_input(key, tensors)
      found(tensors, settings)
    end
  end)
  of_layers = by_name(function(key)
    local found, name, method = find(key), key:match('^(%w+)_(%w+)$')
    return function(layer, input, gradOutput, scale)
      local tensors, result = before[method](layer, input, gradOutput)
      found(tensors, settings_of(name, layer, scale))
      return result
    end
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
