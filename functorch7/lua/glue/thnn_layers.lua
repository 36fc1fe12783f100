-- Which layers nn's functions in C are, and what they are given, by name, after the first arguments: these are input
-- and output of `updateOutput`, input, gradOutput and gradInput of `updateGradInput`, input and gradOutput of
-- `accGradParameters`, and input, target and output or gradInput of criterions.
local border = ...

local layers = {}
border.thnn_layers, border.thnn_special = layers, {} -- the latter are functions that are no layer's calls alone

-- The arguments of these names, in their order.
local function values(given, names)
  local found, count = {}, 0
  for name in names:gmatch '%S+' do
    count = count + 1
    found[count] = given[name]
  end
  return unpack(found, 1, count)
end
border.values = values

-- The last entry are the arguments of the layer's constructor: names, or a function (nn, arguments) that makes it.
local function layer(name, of_output, of_gradient, of_parameters, made_of)
  layers[name] = {
    updateOutput = 'input output ' .. of_output, updateGradInput = 'input gradOutput gradInput ' .. of_gradient,
    accGradParameters = of_parameters and 'input gradOutput ' .. of_parameters, made_of = made_of or '',
  }
end

local function criterion(name, settings, made_of)
  layers[name] = {
    updateOutput = 'input target output ' .. settings, updateGradInput = 'input target gradInput ' .. settings,
    made_of = made_of or '', is_criterion = true,
  }
end

-- Functions of single numbers, or along a dimension ------------------------------------------------------------------

for name in ('Abs Square'):gmatch '%w+' do layer(name, '', '') end
for name in ('LogSoftMax Sigmoid SoftMax Tanh'):gmatch '%w+' do layer(name, '', 'output') end
layer('ELU', 'alpha inplace', 'output alpha inplace', nil, 'alpha')
layer('GatedLinear', 'dim', 'dim', nil, function(nn, given) return nn.GatedLinearUnit(given.dim) end)
layer('HardShrink', 'lambda', 'lambda', nil, 'lambda')
layer('HardTanh', 'min_val max_val inplace', 'min_val max_val inplace', nil, 'min_val max_val')
layer('LeakyReLU', 'negval inplace', 'negval inplace', nil, 'negval')
layer('LogSigmoid', 'buffer', 'buffer')
layer('PReLU', 'weight nOutputPlane', 'weight nOutputPlane',
  'gradInput weight gradWeight gradWeightBuf gradWeightBuf2 nOutputPlane scale', 'nOutputPlane')
layer('SoftPlus', 'beta threshold', 'output beta threshold', nil, 'beta')
layer('SoftShrink', 'lambda', 'lambda', nil, 'lambda')
layer('Sqrt', 'eps', 'output', nil, 'eps')
layer('Threshold', 'threshold val inplace', 'threshold val inplace', nil, 'threshold val')

-- Criterions ---------------------------------------------------------------------------------------------------------

for name in ('AbsCriterion DistKLDivCriterion MSECriterion SmoothL1Criterion SoftMarginCriterion'):gmatch '%w+' do
  criterion(name, 'sizeAverage')
end
criterion('BCECriterion', 'sizeAverage weights')
criterion('ClassNLLCriterion', 'sizeAverage weights total_weight ignore_index', function(nn, given)
  return nn.ClassNLLCriterion(nil, nil, given.ignore_index)
end)
criterion('SpatialClassNLLCriterion', 'sizeAverage weights total_weight')
criterion('MarginCriterion', 'sizeAverage margin', 'margin')
criterion('MultiMarginCriterion', 'sizeAverage p weights margin', function(nn, given)
  return nn.MultiMarginCriterion(given.p, given.weights, given.margin)
end)
criterion('MultiLabelMarginCriterion', 'isTarget sizeAverage')

-- Convolutions and their like ----------------------------------------------------------------------------------------

local function weight_of(given) return given.weight or given.gradWeight end

local function parameters(settings, buffers, of_gradient)
  return 'weight bias ' .. buffers .. settings, 'weight ' .. (of_gradient or buffers) .. settings,
    'gradWeight gradBias ' .. buffers .. settings .. ' scale'
end

-- A layer whose weight begins with the planes of output and input, or, transposed, of input and output.
local function convolution(name, settings, buffers, of_gradient, made_of)
  local of_output, of_input, of_parameters = parameters(settings, buffers, of_gradient)
  layer(name, of_output, of_input, of_parameters, made_of)
end

-- Made of (planes of the input, planes of the output, these settings), where the weight is a matrix or not.
local function by_planes(class, settings, sizes)
  return function(nn, given)
    local weight, area = weight_of(given), 1
    for name in sizes:gmatch '%S+' do area = area * given[name] end
    local planes = weight:nElement() / weight:size(1) / area
    return nn[class](planes, weight:size(1), values(given, settings))
  end
end

local PLANE, VOLUME = 'kW kH dW dH padW padH', 'kT kW kH dT dW dH pT pW pH'

convolution('SpatialConvolutionMM', PLANE, 'finput fgradInput ', nil, by_planes('SpatialConvolution', PLANE, 'kW kH'))
convolution('VolumetricConvolutionMM', VOLUME, 'finput ', 'finput fgradInput ',
  by_planes('VolumetricConvolution', VOLUME, 'kT kW kH'))
convolution('SpatialDilatedConvolution', PLANE .. ' dilationW dilationH', 'columns ones ', 'gradColumns ',
  by_planes('SpatialDilatedConvolution', PLANE .. ' dilationW dilationH', 'kW kH'))

local DILATED_VOLUME = 'kT kW kH dT dW dH padT padW padH dilationT dilationW dilationH'
convolution('VolumetricDilatedConvolution', DILATED_VOLUME, 'columns ones ', 'gradColumns ',
  by_planes('VolumetricDilatedConvolution', DILATED_VOLUME, 'kT kW kH'))

-- Of a weight with all its dimensions, whose kernels are in the last ones.
local function by_sizes(class, settings)
  return function(nn, given)
    local weight = weight_of(given)
    local kT, kH, kW = weight:size(3), weight:size(4), weight:size(5)
    local first, second = weight:size(1), weight:size(2)
    if class == 'VolumetricConvolution' then first, second = second, first end
    return nn[class](first, second, kT, kW, kH, values(given, settings))
  end
end

convolution('VolumetricConvolution', 'dT dW dH pT pW pH', 'finput fgradInput ', 'finput ',
  by_sizes('VolumetricConvolution', 'dT dW dH pT pW pH'))
convolution('VolumetricFullConvolution', 'dT dW dH pT pW pH aT aW aH', 'finput fgradInput ', nil,
  by_sizes('VolumetricFullConvolution', 'dT dW dH pT pW pH aT aW aH'))
convolution('SpatialFullConvolution', PLANE .. ' adjW adjH', 'columns ones ', 'gradColumns ', function(nn, given)
  local weight = weight_of(given)
  return nn.SpatialFullConvolution(weight:size(1), weight:size(2), values(given, PLANE .. ' adjW adjH'))
end)
convolution('SpatialDepthWiseConvolution', PLANE, 'finput fgradInput ', nil, function(nn, given)
  local weight = weight_of(given)
  local planes = weight:dim() == 4 and weight:size(2) or weight:size(2) / (given.kW * given.kH)
  return nn.SpatialDepthWiseConvolution(planes, weight:size(1), values(given, PLANE))
end)

local LOCAL = PLANE .. ' inputWidth inputHeight outputWidth outputHeight'
convolution('SpatialConvolutionLocal', LOCAL, 'finput fgradInput ', nil, function(nn, given)
  local weight = weight_of(given)
  local outputs = weight:nElement() / (given.outputWidth * given.outputHeight)
  local planes = given.input:size(given.input:dim() - 2)
  local kernels, width, height = outputs / (planes * given.kW * given.kH), given.inputWidth, given.inputHeight
  return nn.SpatialConvolutionLocal(planes, kernels, width, height, values(given, PLANE))
end)

for name in ('SpatialConvolutionMap SpatialFullConvolutionMap'):gmatch '%w+' do
  local settings = 'connTable nInputPlane nOutputPlane dW dH'
  layer(name, 'weight bias ' .. settings, 'weight bias ' .. settings, 'gradWeight gradBias ' .. settings .. ' scale',
    function(nn, given)
      local weight = weight_of(given)
      return nn[name](given.connTable, weight:size(3), weight:size(2), given.dW, given.dH)
    end)
end

layer('SpatialSubSampling', 'weight bias kW kH dW dH', 'weight kW kH dW dH', 'gradWeight gradBias kW kH dW dH scale',
  function(nn, given) return nn.SpatialSubSampling(weight_of(given):size(1), values(given, 'kW kH dW dH')) end)
layer('TemporalConvolution', 'weight bias kW dW inputFrameSize outputFrameSize', 'weight kW dW',
  'gradWeight gradBias kW dW scale', function(nn, given)
    local weight = weight_of(given)
    return nn.TemporalConvolution(weight:size(2) / given.kW, weight:size(1), given.kW, given.dW)
  end)
layer('TemporalSubSampling', 'weight bias kW dW inputFrameSize', 'weight kW dW', 'gradWeight gradBias kW dW scale',
  function(nn, given) return nn.TemporalSubSampling(weight_of(given):size(1), given.kW, given.dW) end)
convolution('TemporalRowConvolution', 'kW dW padW featFirst', 'finput fgradInput ', nil, function(nn, given)
  return nn.TemporalRowConvolution(weight_of(given):size(1), given.kW, given.dW, given.featFirst)
end)

-- Pooling, padding and other sizes -----------------------------------------------------------------------------------

local function pooling(name, settings, rounds, made_of)
  layer(name, 'indices ' .. settings .. rounds, 'indices ' .. settings .. rounds, nil, made_of or settings)
end

pooling('TemporalMaxPooling', 'kW dW', '')
pooling('SpatialMaxPooling', PLANE, ' ceil_mode')
pooling('SpatialDilatedMaxPooling', PLANE .. ' dilationW dilationH', ' ceil_mode')
pooling('VolumetricMaxPooling', VOLUME, ' ceilMode')
pooling('VolumetricDilatedMaxPooling', VOLUME .. ' dilationT dilationW dilationH', ' ceilMode')

for name, settings in pairs {
  SpatialAveragePooling = PLANE, VolumetricAveragePooling = 'kT kW kH dT dW dH padT padW padH',
} do
  layer(name, settings .. ' ceil_mode count_include_pad', settings .. ' ceil_mode count_include_pad', nil, settings)
end

-- Of adaptive ones the gradient's function is not given the size, which its gradOutput has.
for name, indices in pairs {SpatialAdaptiveMaxPooling = 'indices', SpatialAdaptiveAveragePooling = ''} do
  layer(name, indices .. ' owidth oheight', indices, nil, function(nn, given)
    local result = given.gradOutput
    return nn[name](given.owidth or result:size(result:dim()), given.oheight or result:size(result:dim() - 1))
  end)
end

local SIDES = 'pad_l pad_r pad_t pad_b'
for name, settings in pairs {
  SpatialReflectionPadding = SIDES, SpatialReplicationPadding = SIDES,
  VolumetricReplicationPadding = 'pleft pright ptop pbottom pfront pback', SpatialUpSamplingNearest = 'scale_factor',
} do
  layer(name, settings, settings, nil, settings)
end
layer('VolumetricUpSamplingNearest', 'scale_factor', 'scale_factor', nil, function(nn, given)
  return nn.UpSampling(given.scale_factor, 'nearest')
end)
layer('SpatialUpSamplingBilinear', 'outputHeight outputWidth', '', nil, function(nn, given)
  return nn.SpatialUpSamplingBilinear {oheight = given.outputHeight, owidth = given.outputWidth}
end)
layers.SpatialUpSamplingBilinear.updateGradInput =
  'gradOutput gradInput nbatch nchannels inputHeight inputWidth outputHeight outputWidth'
layer('VolumetricUpSamplingTrilinear', 'outputDepth outputHeight outputWidth', '', nil, function(nn, given)
  return nn.UpSampling({odepth = given.outputDepth, oheight = given.outputHeight, owidth = given.outputWidth}, 'linear')
end)
layers.VolumetricUpSamplingTrilinear.updateGradInput = 'gradOutput gradInput nbatch nchannels inputDepth inputHeight '
  .. 'inputWidth outputDepth outputHeight outputWidth'
layer('FeatureLPPooling', 'power width stride batchMode', '', nil, 'width stride power batchMode')
layers.FeatureLPPooling.updateGradInput = 'gradOutput input output gradInput power width stride batchMode'

-- Those that are no layer's calls alone ------------------------------------------------------------------------------

layers.L1Cost = {
  updateOutput = 'input output', updateGradInput = 'input gradOutput gradInput', made_of = '', is_criterion = true,
}
layers.BatchNormalization = {
  updateOutput = 'input output weight bias running_mean running_var save_mean save_std train momentum eps',
  backward = 'input gradOutput gradInput gradWeight gradBias weight running_mean running_var save_mean save_std train '
    .. 'scale eps',
}
layers.LookupTable = {
  accGradParameters = 'input gradOutput gradWeight count sorted indices scaleGradByFreq paddingValue scale',
  renorm = 'idx weight maxNorm normType',
}
for name, settings in pairs {
  SpatialMaxUnpooling = 'owidth oheight', VolumetricMaxUnpooling = 'oT oW oH dT dW dH pT pW pH',
} do
  layers[name] = {
    updateOutput = 'input output indices ' .. settings,
    updateGradInput = 'input gradOutput gradInput indices ' .. settings,
  }
end
