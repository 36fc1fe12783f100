-- Those of nn's functions in C that are no layer's calls: of RReLU, of sparse layers and of fractional pooling.
local border = ...
local layers, special = border.thnn_layers, border.thnn_special

local function declare(name, methods) layers[name] = methods end

local function as_rows(vector, like) return vector:view(-1, 1):expandAs(like) end

-- Leaky slopes that are drawn -----------------------------------------------------------------------------------------

local SLOPES = 'noise lower upper train inplace'
declare('RReLU', {
  updateOutput = 'input output ' .. SLOPES .. ' generator', updateGradInput = 'input gradOutput gradInput ' .. SLOPES,
})

local function mean_slopes(given)
  local slope = (given.lower + given.upper) / 2
  return given.input:le(0):typeAs(given.input):mul(slope - 1):add(1)
end

local function times(result, values, slopes, in_place)
  if in_place then return result:set(values:cmul(slopes)) end
  result:resizeAs(values):copy(values):cmul(slopes)
end

function special.RReLU_updateOutput(given)
  local input, slopes = given.input, given.noise
  if given.train then
    local is_leaky = input:le(0)
    local drawn = torch.DoubleTensor(is_leaky:sum())
    slopes:resizeAs(input):fill(1)
    if drawn:nElement() > 0 then slopes:maskedCopy(is_leaky, drawn:uniform(given.lower, given.upper):typeAs(slopes)) end
  else
    slopes = mean_slopes(given)
  end
  times(given.output, input, slopes, given.inplace)
end

function special.RReLU_updateGradInput(given)
  local is_drawn = given.train and given.upper - given.lower > 1e-6
  times(given.gradInput, given.gradOutput, is_drawn and given.noise or mean_slopes(given), given.inplace)
end

-- Sparse inputs: rows of (example, column, value), or, before, a list of (column, value) for each example -------------

local PARAMETERS = 'gradWeight gradBias weight bias weightDecay scale'
declare('SparseLinear', {
  updateOutput = 'input output weight bias', legacyUpdateOutput = 'input output weight bias',
  accGradParameters = 'input gradOutput ' .. PARAMETERS, legacyAccGradParameters = 'input gradOutput ' .. PARAMETERS,
  zeroGradParameters = 'gradWeight gradBias input', legacyZeroGradParameters = 'gradWeight gradBias input',
  updateParameters = 'weight bias gradWeight gradBias input learningRate',
  legacyUpdateParameters = 'weight bias gradWeight gradBias input learningRate',
})

-- Examples, columns and values of what is not zero, if anything is.
local function entries(given, inputs)
  local input, examples = given.input, nil
  if input:dim() == 3 then
    local count, each = input:size(1), input:size(2)
    examples = torch.range(1, count):long():view(-1, 1):expand(count, each):contiguous():view(-1)
    input = input:contiguous():view(-1, 2)
  else
    examples, input = input:select(2, 1):long(), input:narrow(2, 2, 2)
  end
  local kept = input:select(2, 2):ne(0):nonzero()
  if kept:nElement() == 0 then return end
  kept = kept:view(-1)
  local columns, values = input:select(2, 1):long():index(1, kept), input:select(2, 2):index(1, kept)
  for _, column in ipairs {columns:min(), columns:max()} do
    if column < 1 or column > inputs then border.refuse('index out of bound: %d not between 1 and %d', column, inputs) end
  end
  return examples:index(1, kept), columns, values
end

local sparse = {}

function sparse.updateOutput(given)
  local weight, output = given.weight, given.output
  if given.input:dim() == 3 then output:resize(given.input:size(1), weight:size(1)) end
  output:copy(given.bias:view(1, -1):expandAs(output))
  local examples, columns, values = entries(given, weight:size(2))
  if not examples then return end
  local terms = weight:t():index(1, columns)
  output:indexAdd(1, examples, terms:cmul(as_rows(values, terms)))
end

function sparse.accGradParameters(given)
  local gradWeight, gradOutput = given.gradWeight, given.gradOutput
  local examples, columns, values = entries(given, gradWeight:size(2))
  if examples then
    local terms = gradOutput:index(1, examples)
    gradWeight:t():indexAdd(1, columns, terms:cmul(as_rows(values, terms)):mul(given.scale))
  end
  given.gradBias:add(given.scale, gradOutput:sum(1):view(-1))
  if given.weightDecay ~= 0 then gradWeight:add(given.weightDecay, given.weight) end
end

function sparse.zeroGradParameters(given)
  local _, columns = entries(given, given.gradWeight:size(2))
  given.gradBias:zero()
  if columns then given.gradWeight:indexFill(2, columns, 0) end
end

function sparse.updateParameters(given)
  local weight = given.weight
  local _, columns = entries(given, weight:size(2))
  if not columns then return end
  given.bias:add(-given.learningRate, given.gradBias)
  local is_used = torch.zeros(weight:size(2)):indexFill(1, columns, 1):typeAs(weight):view(1, -1):expandAs(weight)
  weight:addcmul(-given.learningRate, given.gradWeight, is_used)
end

for method, done in pairs(sparse) do
  special['SparseLinear_' .. method] = done
  special['SparseLinear_legacy' .. method:gsub('^%l', string.upper)] = done
end

-- Rows of a weight by keys, which may begin with what normalizes their values: the largest one, its inverse, a rate and
-- a bias ----------------------------------------------------------------------------------------------------------------

local KEYS = 'keys keysOffset values sizes cumSumSizes '
declare('IndexLinear', {
  updateOutput = KEYS .. 'output weight bias normalizedValues train',
  accGradParameters = KEYS .. 'gradOutput gradWeight gradBias weight bias valuesBuffer weightDecay scale',
  accUpdateGradParameters = KEYS .. 'gradOutput weight bias weightDecay scale',
  updateParameters = 'gradWeight gradBias weight bias keys cumSumSizes keysOffset weightDecay learningRate',
})

local RATE, BIAS = 3, 4

local function row_numbers(given) return given.keys:long() + given.keysOffset + 1 end

local function in_front(given) return given.weight:size(2) - given.bias:size(1) end -- so many numbers of each row

local function examples_of(given) -- the example of each key
  local found, place = torch.LongTensor(given.keys:nElement()), 0
  for example = 1, given.sizes:nElement() do
    for _ = 1, given.sizes[example] do
      place = place + 1
      found[place] = example
    end
  end
  return found
end

local function normalized(given, rows)
  local values, weight, result = given.values, given.weight, given.normalizedValues:resize(rows:nElement())
  for i = 1, rows:nElement() do
    local value, row = values[i], weight[rows[i]]
    local size = math.abs(value)
    if given.train ~= 0 then
      if size > row[1] then row[1], row[2] = size, 1 / size end
      row[RATE] = 1
    end
    local sign = value < 0 and -1 or value > 0 and 1 or 0
    result[i] = (size > row[1] and sign or value * row[2]) + row[BIAS]
  end
  return result
end

function special.IndexLinear_updateOutput(given)
  local rows, front, outputs = row_numbers(given), in_front(given), given.bias:size(1)
  local values = front > 0 and normalized(given, rows) or given.values
  local output = given.output:resize(given.sizes:nElement(), outputs)
  output:copy(given.bias:view(1, -1):expandAs(output))
  local terms = given.weight:narrow(2, front + 1, outputs):index(1, rows)
  output:indexAdd(1, examples_of(given), terms:cmul(as_rows(values, terms)))
end

local function by_example(given) return given.gradOutput:view(given.sizes:nElement(), given.bias:size(1)) end

function special.IndexLinear_accGradParameters(given)
  local gradOutput, outputs, count = by_example(given), given.bias:size(1), given.keys:nElement()
  local terms = gradOutput:index(1, examples_of(given)):mul(given.scale)
  local is_normalized = in_front(given) > 0
  local gradWeight = given.gradWeight:resize(count, is_normalized and 2 * outputs or outputs)
  if is_normalized then gradWeight:narrow(2, 1, outputs):copy(terms) end
  gradWeight:narrow(2, gradWeight:size(2) - outputs + 1, outputs):copy(terms:cmul(as_rows(given.values, terms)))
  given.gradBias:add(given.scale, gradOutput:sum(1):view(-1))
end

-- One key's step down the gradients of its bias and of its weights.
local function descend(given, row, rate, of_bias, of_weights)
  local front, outputs, decay = in_front(given), given.bias:size(1), given.weightDecay
  local weights = row:narrow(1, front + 1, outputs)
  if front > 0 then
    rate, decay = rate * row[RATE], decay * row[RATE]
    row[BIAS] = row[BIAS] - rate * weights:dot(of_bias)
    if outputs == 1 then decay = -decay end -- as C does
  end
  weights:mul(1 - decay):add(-rate, of_weights)
end

function special.IndexLinear_updateParameters(given)
  local rows, gradWeight, outputs = row_numbers(given), given.gradWeight, given.bias:size(1)
  gradWeight = gradWeight:view(rows:nElement(), -1)
  given.bias:add(-given.learningRate, given.gradBias)
  for i = 1, rows:nElement() do
    local gradients = gradWeight[i]
    local of_weights = gradients:narrow(1, gradients:size(1) - outputs + 1, outputs)
    descend(given, given.weight[rows[i]], given.learningRate, gradients:narrow(1, 1, outputs), of_weights)
  end
end

function special.IndexLinear_accUpdateGradParameters(given)
  local rows, examples, gradOutput = row_numbers(given), examples_of(given), by_example(given)
  given.bias:add(-given.scale, gradOutput:sum(1):view(-1))
  for i = 1, rows:nElement() do
    local gradient = gradOutput[examples[i]]
    descend(given, given.weight[rows[i]], given.scale, gradient, gradient * given.values[i])
  end
  if in_front(given) > 0 and given.bias:size(1) == 1 then given.weight:select(2, RATE):indexFill(1, rows, 0) end
end

-- Pooling of windows whose places follow from random numbers ----------------------------------------------------------

-- The first places of the windows along one side.
local function places(sample, size, count, window)
  if count + window - 1 >= size then
    border.refuse('expected windows and outputs that fit a side of %d, got %d windows of %d', size, count, window)
  end
  local found, step = torch.LongTensor(count):fill(size - window), (size - window) / (count - 1)
  for i = 0, count - 2 do found[i + 1] = math.floor((i + sample) * step) - math.floor(sample * step) end
  return found
end

-- The places of each window's elements in one plane: a matrix, and the windows' numbers along each side.
local function windows_of(sides, samples)
  local count, shape, found = #sides, {}, nil
  for i, side in ipairs(sides) do shape[i], shape[count + i] = side.count, side.window end
  found = torch.LongTensor(unpack(shape)):fill(1)
  for i, side in ipairs(sides) do
    local sizes = {}
    for j = 1, 2 * count do sizes[j] = (j == i or j == count + i) and shape[j] or 1 end
    local first = places(samples[count - i + 1], side.size, side.count, side.window):view(-1, 1)
    local all = first:expand(side.count, side.window) + torch.range(0, side.window - 1):long():view(1, -1)
      :expand(side.count, side.window)
    found:add(side.step, all:view(unpack(sizes)):expandAs(found))
  end
  return found
end

local function fractional(name, sides)
  local outputs, windows = {}, {}
  for i, side in ipairs(sides) do
    outputs[#sides - i + 1], windows[#sides - i + 1] = 'output' .. side, 'poolSize' .. side
  end
  local sizes = table.concat(outputs, ' ') .. ' ' .. table.concat(windows, ' ')
  declare(name, {
    updateOutput = 'input output ' .. sizes .. ' indices randomSamples',
    updateGradInput = 'input gradOutput gradInput ' .. sizes .. ' indices',
  })

  local function planes_of(tensor)
    local planes = 1
    for i = 1, tensor:dim() - #sides do planes = planes * tensor:size(i) end
    return tensor:contiguous():view(planes, -1)
  end

  special[name .. '_updateOutput'] = function(given)
    local input, shape, of_sides, step = given.input, given.input:size(), {}, 1
    for i = #sides, 1, -1 do
      local place, side = input:dim() - #sides + i, sides[i]
      of_sides[i] = {
        size = shape[place], count = given['output' .. side], window = given['poolSize' .. side], step = step,
      }
      step, shape[place] = step * shape[place], given['output' .. side]
    end
    local planes, samples = planes_of(input), given.randomSamples:contiguous():view(-1, #sides)
    local output, indices = given.output:resize(shape), given.indices:resize(shape)
    local of_planes, found = output:view(planes:size(1), -1), indices:view(planes:size(1), -1)
    for plane = 1, planes:size(1) do
      local windows = windows_of(of_sides, samples[plane]):view(of_planes:size(2), -1)
      local largest, which = torch.max(planes[plane]:index(1, windows:view(-1)):viewAs(windows), 2)
      of_planes[plane]:copy(largest)
      found[plane]:copy(windows:gather(2, which))
    end
  end

  special[name .. '_updateGradInput'] = function(given)
    local gradInput = given.gradInput:resizeAs(given.input):zero()
    local planes, gradients, indices = planes_of(gradInput), planes_of(given.gradOutput), planes_of(given.indices):long()
    for plane = 1, planes:size(1) do planes[plane]:indexAdd(1, indices[plane], gradients[plane]) end
  end
end

fractional('SpatialFractionalMaxPooling', {'H', 'W'})
fractional('VolumetricFractionalMaxPooling', {'H', 'W', 'T'})
