-- Lua's own functions, where they have to know of Python's objects.
local border, python = ...
local call, listings, containers = border.call, border.listings, border.containers
local raw_type, raw_ipairs, raw_pairs, raw_next, raw_unpack = type, ipairs, pairs, next, unpack
local raw_get, raw_set = rawget, rawset
local insert, remove, sort, concat = table.insert, table.remove, table.sort, table.concat

-- Lua 5.0's names, which the LuaJIT of Torch's time has.
string.gfind, math.mod = string.gfind or string.gmatch, math.mod or math.fmod

function type(...)
  local kind = raw_type(...)
  if kind == 'userdata' and (listings[(...)] or containers[(...)]) then return 'table' end
  return kind
end

-- What a listing holds, as a table of Lua's.
local function copied(value) return call(python.copied, 0, nil, value) end

local function next_item(value, position)
  local found = value[position + 1]
  if found ~= nil then return position + 1, found end
end

local raw_getmetatable = getmetatable

-- Of a list or dict of Python's none, as of a table; of a tensor or storage that of its type.
function getmetatable(value)
  local found = raw_getmetatable(value) or nil
  local number = raw_type(value) == 'userdata' and border.numbers[value]
  local name = number and border.is_typed(number) and value:type():match('^torch%.(.+)')
  return name and torch[name] or found
end

function ipairs(value)
  if listings[value] or raw_type(value) == 'userdata' then return next_item, value, 0 end
  return raw_ipairs(value)
end

local function with_own_pairs(value)
  local metatable = raw_type(value) ~= 'string' and getmetatable(value)
  return raw_type(metatable) == 'table' and rawget(metatable, '__pairs') or nil
end

-- The number of an object of Python's; nothing for other values.
local function number_of(value)
  local number = border.numbers[value]
  return number and number >= border.OBJECTS and number or nil
end

local function is_object(value) return number_of(value) and not border.class_number(value) end

-- An object's fields, those that only Lua understands too.
local function all_fields(value, number)
  local found = call(python.fields, 0, nil, value)
  for name, each in raw_pairs(border.fields[number] or {}) do found[name] = each end
  return found
end

function pairs(value)
  local is_container = containers[value]
  if raw_type(value) == 'userdata' and not is_container then return raw_next, copied(value) end
  local number = number_of(value)
  if number then return raw_next, all_fields(value, number) end
  local own = with_own_pairs(value)
  if own then return own(value) end
  return raw_pairs(border.content_of_namespace(value) or value)
end

local fields_of = setmetatable({}, {__mode = 'k'}) -- of objects that `next` goes through

function next(value, key)
  if listings[value] then return raw_next(copied(value), key) end
  if not is_object(value) then return raw_next(value, key) end
  if key == nil then fields_of[value] = all_fields(value, number_of(value)) end
  return raw_next(fields_of[value], key)
end

function rawget(value, key)
  if not is_object(value) then return raw_get(value, key) end
  return all_fields(value, number_of(value))[key]
end

function rawset(value, key, new)
  if not is_object(value) then return raw_set(value, key, new) end
  value[key] = new
  return value
end

function unpack(value, ...)
  if raw_type(value) == 'userdata' then value = copied(value) end
  return raw_unpack(value, ...)
end
table.unpack = unpack

function table.pack(...) return {n = select('#', ...), ...} end

function table.insert(list, ...)
  if not listings[list] then return insert(list, ...) end
  if select('#', ...) == 1 then
    list[#list + 1] = ...
  else
    call(python.insert, 0, nil, list, ...)
  end
end

function table.remove(list, position)
  if not listings[list] then return remove(list, position) end
  return (call(python.remove, 0, nil, list, position or #list))
end

function table.sort(list, ...)
  if not listings[list] then return sort(list, ...) end
  local sorted = copied(list)
  sort(sorted, ...)
  for i, value in raw_ipairs(sorted) do list[i] = value end
end

function table.concat(list, ...) return concat(listings[list] and copied(list) or list, ...) end

-- What is printed goes where Python prints, so that lines keep their order ------------------------------------------

local function written(...) python.write(0, 2, table.concat({...})) end

local output = io.stdout
local files = getmetatable(output).__index
local file_write, file_flush, io_write = files.write, files.flush, io.write

-- What LuaJIT's own function writes, which takes texts and numbers.
local function texts(...)
  local found = {...}
  for i = 1, select('#', ...) do
    local kind = raw_type(found[i])
    if kind ~= 'string' and kind ~= 'number' then
      error(("bad argument #%d to 'write' (string expected, got %s)"):format(i, kind), 3)
    end
    found[i] = tostring(found[i])
  end
  return unpack(found)
end

function files.write(file, ...)
  if file ~= output then return file_write(file, ...) end
  written(texts(...))
  return file
end

function files.flush(file)
  if file ~= output then return file_flush(file) end
  python.flush(0)
  return file
end

function io.write(...)
  if io.output() ~= output then return io_write(...) end
  written(texts(...))
  return output
end

local own_write = io.write

local depth_shown = 5 -- th shows no tables further in than that

local function key_order(a, b)
  if raw_type(a) == raw_type(b) and (raw_type(a) == 'number' or raw_type(a) == 'string') then return a < b end
  return raw_type(a) < raw_type(b)
end

-- What is in a table, which is what th shows of it; nothing for other values, and for functorch7's objects.
local function content(value)
  if listings[value] then return copied(value) end
  local is_of_python = (border.numbers[value] or 0) >= border.OBJECTS or border.is_namespace(value)
  return raw_type(value) == 'table' and not is_of_python and value or nil
end

-- Tensors and storages within tables are shown by their sizes.
local function size_shown(value)
  local kind = (torch and torch.typename(value) or ''):match('^torch%.(%a+)$')
  if not kind then return nil end
  if kind:match('Storage$') then return kind .. ' - size: ' .. value:size() end
  if not kind:match('Tensor$') then return nil end
  if value:dim() == 0 then return kind .. ' - empty' end
  return kind .. ' - size: ' .. table.concat(value:size():totable(), 'x')
end

border.size_shown = size_shown

-- Adds a table as th prints it: a line for each entry, in the order of their keys.
local function add_table(lines, found, depth)
  local indent, keys = ('    '):rep(depth), {}
  local function add(...) lines[#lines + 1] = indent .. concat {...} end
  for key in raw_pairs(found) do keys[#keys + 1] = key end
  if #keys == 0 then return add '{}' end
  sort(keys, key_order)
  add '{'
  for _, key in raw_ipairs(keys) do
    local each, name = found[key], '  ' .. tostring(key) .. ' : '
    local inner = content(each)
    if raw_type(each) == 'string' then
      add(name, '"', each, '"')
    elseif not inner then
      add(name, size_shown(each) or tostring(each))
    elseif depth >= depth_shown - 1 or raw_next(inner) == nil then
      add(name, '{...}')
    else
      add(name)
      add_table(lines, inner, depth + 1)
    end
  end
  add '}'
end

-- A value as `print` writes it.
function border.shown(value)
  local found, metatable = content(value), getmetatable(value)
  if not found or raw_type(metatable) == 'table' and metatable.__tostring then return tostring(value) end
  local lines = {}
  add_table(lines, found, 0)
  return concat(lines, '\n')
end

-- As th has it, what is no plain value ends its line, a tab follows each plain one, and nothing is printed for nothing.
local ENDS_ITS_LINE = {table = true, userdata = true, cdata = true}

local function emitted(shown, ending)
  if io.write == own_write and io.output() == output then
    call(python.print, 0, nil, ending, unpack(shown))
  else -- th prints by io.write, whatever a program has put there
    io.write(concat(shown, '\t'), ending)
  end
end

function print(...)
  local count, found, shown, begun = select('#', ...), {...}, {}, ''
  for i = 1, count do
    local ends = i < count and ENDS_ITS_LINE[type(found[i])]
    begun = begun .. border.shown(found[i])
    if ends then begun = begun .. '\n' else shown[#shown + 1], begun = begun, '' end
  end
  emitted(shown, count == 0 and '' or ENDS_ITS_LINE[type(found[count])] and '\n' or '\t\n')
end
print_new = print

function print_old(...)
  local shown = {...}
  for i = 1, select('#', ...) do shown[i] = tostring(shown[i]) end
  emitted(shown, '\n')
end

-- Sets how many tables in one another `print` shows; with 0 it is Lua's own.
function setprintlevel(level)
  if not (tonumber(level) and tonumber(level) >= 0) then error('expected number [0,+)') end
  depth_shown = math.floor(level)
  print = depth_shown == 0 and print_old or print_new
end

function os.exit(code) call(python.exit, 0, nil, code == true and 0 or code == false and 1 or code or 0) end

local collect = collectgarbage

function collectgarbage(...)
  local result = collect(...)
  if ... == nil or ... == 'collect' then python.collected(0) end
  return result
end
