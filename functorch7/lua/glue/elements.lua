-- What calls a function of Lua's for every element of a tensor: here, so that the elements cross together, and that the
-- function may yield.
local border, python = ...
local call = border.call
local ffi = require 'ffi'
local error, ipairs, select, tonumber, type, unpack = error, ipairs, select, tonumber, type, unpack

-- tensor:apply(f), tensor:map(other, f), tensor:map2(first, second, f)
function border.mapping(self, ...)
  local count = select('#', ...)
  local given, columns = {...}, {}
  local mapped = given[count]
  if mapped == nil then border.fail('expected a function that is called for every element, got nil', -1) end
  given[count] = nil
  local size, texts = nil, {call(python.columns, 0, nil, self, unpack(given, 1, count - 1))}
  for i, text in ipairs(texts) do
    columns[i], size = ffi.cast('const double *', text), #text / 8
  end
  local first, second, third = unpack(columns)
  local found = ffi.new('double[?]', size)
  for i = 0, size - 1 do
    local value
    if third then
      value = mapped(first[i], second[i], third[i])
    elseif second then
      value = mapped(first[i], second[i])
    else
      value = mapped(first[i])
    end
    if value == nil then
      value = first[i]
    elseif type(value) ~= 'number' then
      value = tonumber(value) or error(('expected a number for an element, got a %s'):format(type(value)), 2)
    end
    found[i] = value
  end
  call(python.put_column, 0, nil, self, ffi.string(found, size * 8))
  return self
end
