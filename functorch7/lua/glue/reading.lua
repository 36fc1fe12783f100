-- What Python is told when it carries out a function's instructions itself: its code, and what it finds outside of itself.
local border, names = ...
local debug, getfenv, getmetatable, next, rawequal, rawget, type =
  debug, getfenv, getmetatable, next, rawequal, rawget, type
local STRING, VALUE = 2, 4 -- as in border.lua
local asked, numbers, pinned = border.asked, border.numbers, border.pinned

local known = setmetatable({}, {__mode = 'k'}) -- Lua's functions that only compute, by their names in `library.py`
for _, name in ipairs(names) do
  local package, short = name:match '^(%w+)%.(%w+)$'
  local found = package and _G[package][short] or _G[name]
  if found then known[found] = name end
end

-- A function's instructions as text; nothing for one of C's.
function asked.code(reference)
  local is_own, code = pcall(string.dump, pinned[reference], true)
  if not is_own or border.is_ours(debug.getinfo(pinned[reference], 'S').source) then return nil end
  return border.answered(code)
end

-- What is outside of a function or in a table: a variable around it (by its number), a global one, or an entry; the
-- table's length, its first key, or the one after another.
local function found_at(kind, holder, key)
  if kind == 'length' then return #holder, true end
  if kind == 'first' then return next(holder), true end
  if kind == 'next' then
    if rawget(holder, key) == nil then return nil, false end
    return next(holder, key), true
  end
  if kind == 'upvalue' then
    local _, value = debug.getupvalue(holder, key)
    return value, true
  end
  if kind == 'global' then holder = getfenv(holder) end
  local value = rawget(holder, key)
  if value == nil and getmetatable(holder) then
    if not border.is_namespace(holder) then return nil, false end
    value = holder[key]
  end
  return value, true
end

-- The name of a variable around a function.
function asked.variable(reference, number) return (debug.getupvalue(pinned[reference], number)) end

local function described(value)
  local kind = type(value)
  if kind == 'function' then
    if known[value] then return border.answered('library', known[value]) end
    if border.places[value] then return border.answered('python', border.places[value]) end
  elseif kind == 'table' and not (numbers[value] and numbers[value] >= border.OBJECTS) then
    return 'table', STRING + 8 * VALUE, border.refer(value)
  end
  return border.answered('value', value)
end

local guards, last = {}, 0 -- by number what functions have found outside, each entry as kind, holder, key and value

function asked.guard()
  last = last + 1
  guards[last] = {}
  return last
end

function asked.unguard(guard) guards[guard] = nil end

-- What is there, which is kept in mind for `stands`.
function asked.outside(guard, kind, reference, key)
  local holder = pinned[reference]
  local value, is_plain = found_at(kind, holder, key)
  if not is_plain then return border.answered('strange') end
  local found = guards[guard]
  local count = #found
  found[count + 1], found[count + 2], found[count + 3] = kind, holder, key
  found[count + 4] = value == nil and border or value -- in place of nothing, which would end the list
  return described(value)
end

-- Whether what was found is there still.
function asked.stands(guard)
  local found = guards[guard]
  for i = 1, #found, 4 do
    local value = found_at(found[i], found[i + 1], found[i + 2])
    if value == nil then value = border end
    if not rawequal(value, found[i + 3]) then return false end
  end
  return true
end

local computing = {['^'] = function(a, b) return a ^ b end, ['%'] = function(a, b) return a % b end}
for value, name in pairs(known) do computing[name] = value end

-- What a function of numbers and strings gives.
function asked.computed(name, ...) return computing[name](...) end
