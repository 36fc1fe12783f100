-- For prompts: what code gives, and what there is at a place.
local border, python = ...
local asked = border.asked

-- The results as `print` writes them. As in th, the first one is kept for what is typed next.
local function shown(...)
  local count, found = select('#', ...), {}
  for i = 1, count do found[i] = border.shown((select(i, ...))) end
  if count > 0 then
    _LAST = (...)
    table.insert(_RESULTS, _LAST)
  end
  return found
end

function asked.shown_results(reference)
  return border.called(function() return shown(border.pinned[reference]()) end)
end

-- The value at a place such as "nn.Linear" or "model:forward"; that of "" has all variables.
local function value_at(place)
  local value = _G
  for name in place:gmatch('[^.:]+') do
    if type(value) ~= 'table' and type(value) ~= 'userdata' then return nil end
    value = value[name]
  end
  return value
end

local function names_of(value)
  local found = {}
  if border.numbers[value] or border.class_number(value) then
    return border.call(python.names, 0, nil, value)
  end
  if type(value) ~= 'table' then return found end
  for key in next, value do found[#found + 1] = key end
  local number = border.number_of_namespace(value)
  if number then
    for _, name in ipairs(border.call(python.names_of_rock, number, nil)) do found[#found + 1] = name end
  end
  return found
end

function asked.names_in(place)
  return border.called(function() return names_of(value_at(place)) end)
end

-- The number of the package at a place, or what else is there.
function asked.owner_at(place)
  return border.called(function()
    local value = value_at(place)
    return border.number_of_namespace(value), value
  end)
end
