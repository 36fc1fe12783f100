-- Elements of tensors in memory that Python has lent, without asking it for each.
--
-- What is known of a tensor that programs index with numbers is a window: how often it was asked for elements, where it
-- begins and, once its memory is lent, the layout there. A part of such a tensor (`x[i]`) has no Python object before
-- somebody needs one: `x[i][j]` needs none.
local border, python = ...
local call, numbers = border.call, border.numbers
local ffi = require 'ffi'
local cast, getmetatable, rawget, select, setmetatable, tonumber, unpack = ffi.cast, getmetatable, rawget, select, setmetatable, tonumber, unpack

local OBJECT = 1 -- as in border.lua
local FEW = 3 -- so many elements are asked for one by one
local WORTH = 32 -- memory that was taken back after fewer was not worth lending: the next time twice as many are asked for
local LIMITS = { -- the numbers that whole elements can be
  uint8_t = {0, 2 ^ 8 - 1}, int8_t = {-2 ^ 7, 2 ^ 7 - 1}, int16_t = {-2 ^ 15, 2 ^ 15 - 1},
  int32_t = {-2 ^ 31, 2 ^ 31 - 1}, int64_t = {-2 ^ 53, 2 ^ 53},
}
local moment = cast('const double *', cast('uintptr_t', call(python.moment, 0, nil)))
local windows = setmetatable({}, {__mode = 'k'})

-- A layout: since when the memory is lent, where it is, and by dimension the size (1, 2, ...) and the stride (-1, ...).
local function layout_of(kind, address, may_write, storage, ...)
  local limits = LIMITS[kind]
  local found = {
    moment = moment[0], data = cast(kind .. ' *', cast('uintptr_t', address)), may_write = may_write, storage = storage,
    lowest = limits and limits[1], highest = limits and limits[2], dimensions = select('#', ...) / 2,
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
      lowest = layout.lowest, highest = layout.highest, dimensions = layout.dimensions - 1,
    }
    for i = 1, found.dimensions do found[i], found[-i] = layout[i + 1], layout[-i - 1] end
    layout.inner = found
  end
  return found
end

local function opened(window, storage, kind, address, may_write, offset, ...)
  window.patience = window.used < WORTH and 2 * window.patience or FEW
  window.asked, window.used = 0, 0
  if not storage then return nil end
  window.layout, window.offset = layout_of(kind, address, may_write, border.decode(OBJECT, storage), ...), offset
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
  return opened(window, call(python.lend, 0, nil, self))
end

local function is_place(index, size) return index >= 1 and index <= size and index % 1 == 0 end

-- The number of the element at a place, counted from 0; nothing where Python is to say what is there.
local function position(window, first, second, third, fourth)
  local layout = window.layout
  local dimensions = layout.dimensions
  if not is_place(first, layout[1]) then return nil end
  local place = window.offset + (first - 1) * layout[-1]
  if second == nil then return dimensions == 1 and place or nil end
  if dimensions < 2 or not is_place(second, layout[2]) then return nil end
  place = place + (second - 1) * layout[-2]
  if third == nil then return dimensions == 2 and place or nil end
  if dimensions < 3 or not is_place(third, layout[3]) then return nil end
  place = place + (third - 1) * layout[-3]
  if fourth == nil then return dimensions == 3 and place or nil end
  if dimensions < 4 or not is_place(fourth, layout[4]) then return nil end
  return place + (fourth - 1) * layout[-4]
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
  if not is_place(index, layout[1]) then return nil end
  local offset = window.offset + (index - 1) * layout[-1]
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

-- Makes the object of a part, for whoever needs its number.
getmetatable(numbers).__index = function(_, value)
  local window = windows[value]
  if not window or not window.is_unmade then return nil end
  window.is_unmade = nil
  local layout, given = window.layout, {}
  for i = 1, layout.dimensions do given[i], given[layout.dimensions + i] = layout[i], layout[-i] end
  border.hold(value, python.view(numbers[layout.storage], window.offset, unpack(given)))
  return rawget(numbers, value)
end
