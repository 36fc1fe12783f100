-- nn's functions in C, which layers of programs' own call on tensors: `input.THNN.SoftMax_updateOutput(input:cdata(), ...)`.
-- Those of layers without parameters that compute element by element, or along a dimension, are those layers here.
local border = ...

local LAYERS = {}
for name in ([[Abs ELU HardShrink HardTanh LeakyReLU LogSigmoid LogSoftMax Sigmoid SoftMax SoftPlus SoftShrink Sqrt
  Square Tanh Threshold]]):gmatch('%w+') do LAYERS[name] = true end

-- What C is given: tensors, of which those behind the results are its own notes, and the numbers that make a layer.
local function sorted(...)
  local tensors, settings = {}, {}
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

local function filled(result, values) result:resizeAs(values):copy(values) end

local function functions(nn)
  local made = {}
  local function layer(name, tensor, settings)
    local key = key_of(name, tensor:type(), unpack(settings))
    made[key] = made[key] or nn[name](unpack(settings)):type(tensor:type())
    return made[key]
  end

  local function updateOutput(name, ...)
    local tensors, settings = sorted(...)
    filled(tensors[2], layer(name, tensors[1], settings):forward(tensors[1]))
  end

  local function updateGradInput(name, ...)
    local tensors, settings = sorted(...)
    local input, gradOutput, gradInput = unpack(tensors)
    local found = layer(name, input, settings)
    found:forward(input)
    filled(gradInput, found:backward(input, gradOutput))
  end

  local methods = {updateOutput = updateOutput, updateGradInput = updateGradInput}
  return setmetatable({}, {__index = function(self, key)
    local name, method = key:match('^(%w+)_(%w+)$')
    if not LAYERS[name] or not methods[method] then
      border.fail(("THNN.%s is not here: there are updateOutput and updateGradInput of layers that compute element by "
        .. "element, and of SoftMax and LogSoftMax"):format(key), -1)
    end
    rawset(self, key, function(...) methods[method](name, ...) end)
    return rawget(self, key)
  end})
end

function border.prepare.nn(nn)
  local thnn = functions(nn)
  for _, name in ipairs {'FloatTensor', 'DoubleTensor', 'CudaTensor', 'CudaDoubleTensor'} do torch[name].THNN = thnn end
end

package.preload['nn.THNN'] = function()
  return {optionalTensor = function(tensor) return tensor and tensor:cdata() end}
end
