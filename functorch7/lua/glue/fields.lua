-- Fields of Python's objects that are tables and functions of Lua's.
local border, python = ...
local call, numbers, type = border.call, border.numbers, type

local fields = {} -- by an object's number those that only Lua understands
local shown = {} -- and tables of which Python has lists or dicts: they hold what the program puts into them later
border.fields = fields

local function keep(place, number, key, value)
  local own = place[number]
  if not own then
    own = {}
    place[number] = own
  end
  own[key] = value
end

-- Sets a field: Python says where a table or function is kept.
function border.set_field(self, key, value)
  local number = numbers[self]
  if border.is_of_lua(value) then
    local place = call(python.place, 0, nil, self, key, type(value) == 'function')
    if place == 'lua' or place == 'both' then keep(fields, number, key, value) end
    if place == 'shown' then keep(shown, number, key, value) end
    if place ~= 'lua' then call(python.set, 0, nil, self, key, value) end
    return
  end
  local own, seen = fields[number], shown[number]
  if own then own[key] = nil end
  if seen then seen[key] = nil end
  call(python.set, 0, nil, self, key, value)
end

-- A field that only Lua understands: Python keeps its place.
function border.asked.own(number, key, code, value)
  keep(fields, number, key, border.decode(code, value))
  border.arrived()
end

function border.asked.contents(number) return border.answered(fields[number]) end

function border.asked.disown(number, key) fields[number][key] = nil end

function border.asked.forget(number) fields[number], shown[number] = nil, nil end
