-- Lua's tables on their way to Python, where lists and dicts have the same contents.
local border, python = ...
local live, numbers, encode, refer, OBJECTS, VALUE =
  border.live, border.numbers, border.encode, border.refer, border.OBJECTS, border.VALUE
local error, getmetatable, next, pcall, rawget, type, unpack = error, getmetatable, next, pcall, rawget, type, unpack
local concat, remove = table.concat, table.remove

local SHIFT, LUA_TABLE = 2 ^ 32, 1 -- as in border.lua
local CHUNK, SHORT = 240, 16
local DEEPEST = 100 -- tables inside of others that are sent by calls of calls
local LIST, LISTED, DICT, INDEXED, CALLED = 0, 1, 2, 3, 4 -- what Python makes of a table

local tables_given = 0
local sent = {} -- with the outermost table

local function is_list(value, length)
  for key in next, value do
    if type(key) ~= 'number' or key < 1 or key > length or key % 1 ~= 0 then return false end
  end
  return true
end

local function kind_of_table(value, length)
  local metatable = getmetatable(value)
  local has = type(metatable) == 'table' and metatable or {}
  if rawget(has, '__call') then return CALLED end
  if is_list(value, length) then return metatable and LISTED or LIST end
  return metatable and INDEXED or DICT
end

-- Whether Python's dicts have no such key: tables, storages, and true beside 1, which it takes for the same.
local function is_key_of_lua(value, key)
  local kind = type(key)
  if kind == 'string' or kind == 'number' then return false end
  if kind == 'boolean' then return rawget(value, key and 1 or 0) ~= nil end
  local number = numbers[key]
  if number and number >= OBJECTS then return border.is_storage(number) end
  return kind == 'table'
end

local function number_of_table(value)
  local number = numbers[value]
  if not number then
    tables_given = tables_given + 1
    number = LUA_TABLE * SHIFT + tables_given
    border.hold_table(value, number)
  end
  return number
end

local buffer = {}

-- How many numbers are in `buffer` for a short list of Python's objects and nothing else, which most tables are.
local function numbers_of_objects(value)
  local length = #value
  if length == 0 or length > SHORT or getmetatable(value) then return nil end
  for i = 1, length do
    local number = numbers[value[i]]
    if not number or number < OBJECTS then return nil end
    buffer[i] = number
  end
  local count = 0
  for _ in next, value do count = count + 1 end
  return count == length and length or nil
end

-- Fills a table's Python list or dict, which is `opened` where others may refer to it already.
local function fill(value, number, kind, opened)
  local codes, values, count = {}, {}, 0
  local function flush(is_last)
    python.fill(number, kind, not opened, is_last, concat(codes, '', 1, count), unpack(values, 1, count))
    count, opened = 0, true
  end
  local function put(each)
    count = count + 1
    codes[count], values[count] = encode(each)
  end
  if kind <= LISTED then
    for i = 1, #value do
      if not opened and type(value[i]) == 'table' then flush(false) end -- so that it may refer to this one
      put(value[i])
      if count == CHUNK then flush(false) end
    end
  else
    for key, each in next, value do
      if not opened and type(each) == 'table' then flush(false) end
      if is_key_of_lua(value, key) then
        count = count + 1
        codes[count], values[count] = VALUE, refer(key)
      else
        put(key)
      end
      put(each)
      if count >= CHUNK then flush(false) end
    end
  end
  flush(true)
end

-- Sends what a table holds, once with the outermost that holds it; its Python list or dict is the same one each time.
-- Tables nest deeper than calls can: from some depth on those inside wait, open, until the outermost is sent.
local depth, waiting = 0, {}

local function fill_all(...)
  fill(...)
  while #waiting > 0 do fill(unpack(remove(waiting))) end
end

function border.send(value)
  local number = number_of_table(value)
  if sent[value] then return number end
  sent[value] = depth > 0 or nil
  local objects = numbers_of_objects(value)
  if objects then
    python.fill_with_objects(number, unpack(buffer, 1, objects))
    return number
  end
  sent[value] = true
  local kind = kind_of_table(value, #value)
  if depth == DEEPEST then
    python.fill(number, kind, true, false, '')
    waiting[#waiting + 1] = {value, number, kind, true}
    return number
  end
  depth = depth + 1
  if depth > 1 then
    fill(value, number, kind, false)
    depth = depth - 1
    return number
  end
  local ok, problem = pcall(fill_all, value, number, kind, false)
  depth, sent, waiting = 0, {}, {} -- also where a signal came meanwhile: what comes next is sent anew
  if not ok then error(problem, 0) end
  return number
end
