-- Elements of tensors and storages in memory that Python has lent, without asking it for each.
--
-- What is known of a tensor that programs index with numbers is a window: how often it was asked for elements, where it
-- begins and, once its memory is lent, the layout there. A part of such a tensor (`x[i]`) has no Python object before
-- somebody needs one: `x[i][j]` needs none. A storage is a vector whose indices do not count back from its end.
local border, python = ...
local numbers = border.numbers
local ffi = require 'ffi'
local cast, getmetatable, select, setmetatable, tonumber, unpack =
  ffi.cast, getmetatable, select, setmetatable, tonumber, unpack

local OBJECT = 1 -- as in border.lua
local FEW = 3 -- so many elements are asked for one by one
local WORTH = 32 -- memory that was taken back after fewer was not worth lending: the next time twice as many are asked for
local LIMITS = { -- the numbers that whole elements can be
  uint8_t = {0, 2 ^ 8 - 1}, int8_t = {-2 ^ 7, 2 ^ 7 - 1}, int16_t = {-2 ^ 15, 2 ^ 15 - 1},
  int32_t = {-2 ^ 31, 2 ^ 31 - 1}, int64_t = {-2 ^ 53, 2 ^ 53},
}
local pointers, address_of = {}, ffi.typeof 'uintptr_t' -- types
for _, kind in ipairs {'uint8_t', 'int8_t', 'int16_t', 'int32_t', 'int64_t', 'float', 'double'} do
  pointers[kind] = ffi.typeof(kind .. ' *')
end
local moment = cast('const double *', cast('uintptr_t', python.moment()))
local windows = setmetatable({}, {__mode = 'k'})

-- A layout: since when the memory is lent, where it is, and by dimension the size (1, 2, ...) and the stride (-1, ...);
-- the storage where there are parts, which are views of it.
local function layout_of(kind, address, may_write, counts_back, since, storage, ...)
  local limits = LIMITS[kind]
  local found = {
    moment = since, data = cast(pointers[kind], address_of(address)), may_write = may_write, storage = storage,
    lowest = limits and limits[1], highest = limits and limits[2], counts_back = counts_back,
    dimensions = select('#', ...) / 2,
  }
  for i = 1, found.dimensions do found[i], found[-i] = select(i, ...), select(found.dimensions + i, ...) end
  return found
end

-- The layout of a tensor's parts in its first dimension.
local function inner(layout)
  local found = layout.inner
  if not found then
    found = {
      moment = layout.moment, data = layout.data, may_write = layout.may_write, storage = layout.storage,
      lowest = layout.lowest, highest = layout.highest, counts_back = layout.counts_back,
      dimensions = layout.dimensions - 1,
    }
    for i = 1, found.dimensions do found[i], found[-i] = layout[i + 1], layout[-i - 1] end
    layout.inner = found
  end
  return found
end

local function opened(window, kind, address, may_write, counts_back, since, storage, offset, ...)
  if kind and may_write == nil then border.received(nil, kind, address) end -- an error
  window.patience = window.used < WORTH and 2 * window.patience or FEW
  window.asked, window.used = 0, 0
  if not kind then return nil end
  window.offset = offset
  window.layout = layout_of(kind, address, may_write, counts_back, since, storage and border.decode(OBJECT, storage), ...)
  return window
end

-- The window of a tensor whose memory is lent now; nothing for one that was asked for few elements so far.
local function window_of(self)
  local window = windows[self]
  if not window then
    windows[self] = {asked = 1, used = WORTH, patience = FEW}
    return nil
  end
  local layout = window.layout
  if layout and layout.moment == moment[0] then
    window.used = window.used + 1
    return window
  end
  window.asked = window.asked + 1
  if window.asked <= window.patience then return nil end
  return opened(window, python.lend(numbers[self]))
end

-- How far a place in a dimension is from the first one, in elements; nothing where Python is to say what is there.
local function distance(layout, dimension, index)
  local size = layout[dimension]
  if index < 0 and layout.counts_back then index = size + 1 + index end
  return index >= 1 and index <= size and index % 1 == 0 and (index - 1) * layout[-dimension] or nil
end

-- The number of the element at a place, counted from 0; nothing where Python is to be asked.
local function position(window, first, second, third, fourth)
  local layout = window.layout
  local dimensions = layout.dimensions
  local one = distance(layout, 1, first)
  if not one then return nil end
  local place = window.offset + one
  if second == nil then return dimensions == 1 and place or nil end
  local two = dimensions >= 2 and distance(layout, 2, second)
  if not two then return nil end
  place = place + two
  if third == nil then return dimensions == 2 and place or nil end
  local three = dimensions >= 3 and distance(layout, 3, third)
  if not three then return nil end
  place = place + three
  if fourth == nil then return dimensions == 3 and place or nil end
  local four = dimensions >= 4 and distance(layout, 4, fourth)
  return four and place + four or nil
end

-- The number at a place of as many whole numbers as the tensor has dimensions; nothing where Python is to be asked.
function border.lent_element(self, ...)
  local window = window_of(self)
  local place = window and position(window, ...)
  return place and tonumber(window.layout.data[place])
end

-- What a tensor has at a number: an element, or a part of it; nothing where Python is to be asked.
function border.lent_part(class, self, index)
  local window = window_of(self)
  if not window then return nil end
  local layout = window.layout
  local found = distance(layout, 1, index)
  if not found then return nil end
  local offset = window.offset + found
  if layout.dimensions == 1 then return tonumber(layout.data[offset]) end
  local part = class.stand_in()
  windows[part] = {layout = inner(layout), offset = offset, asked = 0, used = WORTH, patience = FEW, is_unmade = true}
  return part
end

-- Puts a number there; whether it could.
function border.put_lent_element(self, value, ...)
  local window = window_of(self)
  local layout = window and window.layout
  if not layout or not layout.may_write then return false end
  local lowest = layout.lowest
  if lowest and not (value % 1 == 0 and value >= lowest and value <= layout.highest) then return false end
  local place = position(window, ...)
  if not place then return false end
  layout.data[place] = value
  return true
end

-- Makes the object of a part, for whoever needs its number. It may become another view, of which nobody would tell before
-- memory is lent to it as to any tensor.
getmetatable(numbers).__index = function(_, value)
  local window = windows[value]
  if not window or not window.is_unmade then return nil end
  local layout, given = window.layout, {}
  for i = 1, layout.dimensions do given[i], given[layout.dimensions + i] = layout[i], layout[-i] end
  local number, problem = python.view(numbers[layout.storage], window.offset, unpack(given))
  if problem then border.received(nil, number, problem) end
  border.hold(value, number)
  window.is_unmade, window.layout, window.asked = nil, nil, FEW - 1
  return number
end
