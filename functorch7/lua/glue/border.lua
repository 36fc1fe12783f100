-- The border between Lua and Python, which numbers, strings and booleans alone cross: a Python object is a number here,
-- with a table or userdata that stands for it as long as Lua has a use for that; a Lua function is a number there.
local python = ...
local getmetatable, next, pairs, rawget, select, setmetatable, type, unpack =
  getmetatable, next, pairs, rawget, select, setmetatable, type, unpack
local collectgarbage, floor, tonumber, tostring, xpcall = collectgarbage, math.floor, tonumber, tostring, xpcall

local SHIFT = 2 ^ 32 -- a number is that of a class, and behind it a count
local PYTHON_TABLE = 2
local OBJECTS = 3 * SHIFT -- smaller numbers are those of tables
local OBJECT, STRING, FUNCTION, VALUE, OWNER, METHOD, NIL = 1, 2, 3, 4, 5, 6, 7
local MINUS_ZERO = 5 -- to Python, of which lupa makes the whole number 0
local NEW_LIST = -12 -- in place of the kinds of results: a list's number, and those of its objects
local CHUNK = 240

local live = setmetatable({}, {__mode = 'v'}) -- by number what stands for a Python object
local numbers = setmetatable({}, {__mode = 'k'}) -- and back
local held, holding = {}, 0 -- all numbers that Python holds an object for
local tables = {} -- those of tables
local pinned, references = {}, setmetatable({}, {__mode = 'k'}) -- what Python has of Lua, by number and back
local arriving, arrivals = {}, 0 -- tables on their way, which nothing else holds yet
local classes = {} -- what stands for the objects of a class, by its number
local border = {live = live, numbers = numbers, classes = classes, OBJECTS = OBJECTS, VALUE = VALUE}

-- Functions of Python's by their numbers, for good: lupa keeps its own in a weak table with places that are given
-- again, so that one which Lua collects may let two others be taken for each other.
local function kept(find)
  local found = {}
  return function(number)
    local value = found[number]
    if not value then
      value = find(number)
      found[number] = value
    end
    return value
  end
end
border.function_of, border.field_of = kept(python.function_of), kept(python.field_of)

-- To Python --------------------------------------------------------------------------------------------------------

local references_given = 0

local function refer(value)
  local reference = references[value]
  if not reference then
    references_given = references_given + 1
    reference = references_given
    references[value], pinned[reference] = reference, value
  end
  return reference
end

function border.is_minus_zero(value) return value == 0 and 1 / value < 0 end

-- The kind of a value, and the number, string or boolean that stands for it.
local function encode(value)
  local number = numbers[value]
  if number and number >= OBJECTS then return OBJECT, number end
  local kind = type(value)
  if kind == 'number' and value == 0 and 1 / value < 0 then return MINUS_ZERO, 0 end
  if kind == 'number' or kind == 'boolean' then return 0, value end
  if kind == 'nil' then return NIL, nil end
  if kind == 'string' then return STRING, value end
  if kind == 'table' then
    local metatable = getmetatable(value)
    if type(metatable) ~= 'table' or rawget(metatable, '__typename') == nil then return OBJECT, border.send(value) end
  end
  if kind == 'function' then return FUNCTION, refer(value) end
  if kind == 'cdata' and tonumber(value) then return 0, tonumber(value) end
  return VALUE, refer(value)
end

-- Whether a value is a table or function of Lua's own.
function border.is_of_lua(value)
  local kind = type(value)
  return (kind == 'table' or kind == 'function') and (numbers[value] or 0) < OBJECTS
end

-- From Python ------------------------------------------------------------------------------------------------------

-- Lets a value stand for the object of a number.
local function hold(value, number)
  live[number], numbers[value] = value, number
  holding = holding + 1
  held[holding] = number
end
border.hold = hold

function border.hold_table(value, number)
  hold(value, number)
  tables[number] = true
end

local function make(number)
  local class, made = floor(number / SHIFT), nil
  if class > PYTHON_TABLE then
    made = (classes[class] or border.describe(class)).stand_in(number)
    hold(made, number)
    return made
  end
  made = {}
  arrivals = arrivals + 1
  arriving[arrivals] = made
  if tables[number] then
    live[number], numbers[made] = made, number
    python.send_again(number) -- collected, which Python has not heard of
  else
    border.hold_table(made, number)
  end
  return made
end

local function new_list(number, ...)
  local made = {...}
  for i = 1, #made do made[i] = live[made[i]] or make(made[i]) end
  border.hold_table(made, number)
  return made
end

local function decode(code, value)
  if code == 0 or code == NIL then return value end
  if code == OBJECT then return live[value] or make(value) end
  if code == METHOD then return border.method(value) end
  return pinned[value]
end

local function several(sig, first, ...)
  local count = select('#', ...) + 1
  if count == 1 then return decode(sig, first) end
  local values = {first, ...}
  for i = 1, count do
    values[i] = decode(sig % 8, values[i])
    sig = floor(sig / 8)
  end
  return unpack(values, 1, count)
end

-- The results of a call: a plain value alone; or the first, the kinds of all, and the others.
local function received(owner, first, sig, ...)
  if sig == nil then return first end
  if sig == OBJECT and select('#', ...) == 0 then
    local found = live[first] or make(first)
    if arrivals > 0 then arriving, arrivals = {}, 0 end
    return found
  end
  if sig == OWNER then return owner end
  if sig == NEW_LIST then return new_list(first, ...) end
  if sig < 0 then return border.fail(first, sig) end
  if sig == 0 then return first, ... end
  return border.arrived(several(sig, first, ...))
end
border.received = received

-- Values that have arrived: others hold their tables now.
function border.arrived(...)
  if arrivals > 0 then arriving, arrivals = {}, 0 end
  return ...
end

-- Calls a function of Python's, what(name, kinds, values...); few arguments need no table.
local function call(what, name, owner, ...)
  local count = select('#', ...)
  if count == 0 then return received(owner, what(name, 0)) end
  if count == 1 then
    local code, value = encode((...))
    return received(owner, what(name, code, value))
  end
  if count == 2 then
    local first, second = ...
    local code1, value1 = encode(first)
    local code2, value2 = encode(second)
    return received(owner, what(name, code1 + 8 * code2, value1, value2))
  end
  if count == 3 then
    local first, second, third = ...
    local code1, value1 = encode(first)
    local code2, value2 = encode(second)
    local code3, value3 = encode(third)
    return received(owner, what(name, code1 + 8 * code2 + 64 * code3, value1, value2, value3))
  end
  if count > 16 then return border.call_many(what, name, owner, {...}, count) end
  local values, sig, scale = {...}, 0, 1
  for i = 1, count do
    local code
    code, values[i] = encode(values[i])
    sig, scale = sig + code * scale, scale * 8
  end
  return received(owner, what(name, sig, unpack(values, 1, count)))
end
border.call = call

-- More arguments than kinds fit into a number: a list of them.
function border.call_many(what, name, owner, values, count)
  for i = 1, count do
    if values[i] == nil then border.refuse 'more than 16 arguments, with nil among them' end
  end
  return received(owner, what(name, -1, border.send(values)))
end

-- What Python asks of Lua ------------------------------------------------------------------------------------------

local asked = {}

local function answered(...)
  local count = select('#', ...)
  if count == 0 then return nil end
  local sig, scale, values = 0, 1, {...}
  for i = 1, count do
    local code
    code, values[i] = encode(values[i])
    sig, scale = sig + code * scale, scale * 8
  end
  if count == 1 and sig == 0 then return values[1] end
  return values[1], sig, unpack(values, 2, count)
end

local function outcome(ok, ...)
  if ok then return answered(...) end
  local problem = ...
  return problem[2], problem[1], problem[3]
end

-- What a function gives; errors come back as values.
local function called(found, ...) return outcome(xpcall(found, border.noted, ...)) end
border.called = called

-- Calls the function of a number.
function asked.call(reference, sig, ...)
  local found = pinned[reference]
  if sig == 0 then return called(found, ...) end
  if select('#', ...) == 0 then return called(found) end
  return called(found, border.arrived(several(sig, ...)))
end

function asked.describe(reference) return tostring(pinned[reference]) end

function asked.type_of(reference) return type(pinned[reference]) end

function asked.itself(reference) return answered(pinned[reference]) end

function asked.entries(reference)
  local found = {}
  for key, each in next, pinned[reference] do found[key] = each end
  return answered(found)
end

-- What a table has at a key by way of its metatable.
function asked.indexed(number, code, key)
  local value = live[number]
  return answered(value and value[decode(code, key)])
end

function asked.as_function(number) return refer(live[number]), FUNCTION end

function asked.field(reference, name) return answered(pinned[reference][name]) end

function asked.item(reference, code, key) return answered(pinned[reference][decode(code, key)]) end

-- Changes entries of a table: pairs of keys and values, whose kinds are bytes.
function asked.change(number, codes, ...)
  local target, given = live[number] or make(number), {...}
  for i = 1, #codes, 2 do
    local key = decode(codes:byte(i), given[i])
    target[key] = decode(codes:byte(i + 1), given[i + 1])
  end
end

-- Adds values to a table behind those that it has.
function asked.extend(number, count, codes, ...)
  local target, given = live[number] or make(number), {...}
  for i = 1, #codes do target[count + i] = decode(codes:byte(i), given[i]) end
end

-- Collects garbage, and lets Python drop those objects that Lua has no use for. What is in use, in kilobytes.
function asked.drop_unused()
  collectgarbage('step', 1e6)
  local before, gone, count = holding, {}, 0
  holding = 0
  for i = 1, before do
    local number = held[i]
    if live[number] ~= nil then
      holding = holding + 1
      held[holding] = number
    else
      count = count + 1
      gone[count] = number
      tables[number] = nil
    end
  end
  for i = holding + 1, before do held[i] = nil end
  for first = 1, count, CHUNK do python.drop(unpack(gone, first, math.min(first + CHUNK - 1, count))) end
  return collectgarbage('count')
end

function asked.release(...)
  for i = 1, select('#', ...) do
    local reference = select(i, ...)
    local value = pinned[reference]
    if value ~= nil then references[value] = nil end
    pinned[reference] = nil
  end
end

border.answered, border.outcome = answered, outcome
border.asked, border.encode, border.decode, border.refer, border.pinned = asked, encode, decode, refer, pinned
return border
