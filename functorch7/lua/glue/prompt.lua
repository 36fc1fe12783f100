-- For prompts: what code gives, and which names there are at a place.
local border, python = ...
local asked = border.asked

local function shown(...)
  local found = {}
  for i = 1, select('#', ...) do found[i] = border.shown((select(i, ...))) end
  return found
end

-- The results of a function, as `print` writes them.
function asked.shown_results(reference)
  local found = border.pinned[reference]
  return border.outcome(xpcall(function() return shown(found()) end, border.noted))
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
  local value = _G
  for name in place:gmatch('[^.:]+') do
    if type(value) ~= 'table' and type(value) ~= 'userdata' then return border.answered({}) end
    value = value[name]
  end
  return border.answered(names_of(value))
end
