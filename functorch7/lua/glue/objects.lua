-- What stands for Python's objects in Lua.
local border, python = ...
local ffi = require 'ffi'
local call, received, numbers, live, classes = border.call, border.received, border.numbers, border.live, border.classes
local floor = math.floor
local SHIFT = 2 ^ 32 -- as in border.lua
local is_minus_zero = border.is_minus_zero
local OBJECTS = border.OBJECTS
local getmetatable, newproxy, next, rawget, rawset, select, setmetatable, type, unpack =
  getmetatable, newproxy, next, rawget, rawset, select, setmetatable, type, unpack

local fields = border.fields
local listings = setmetatable({}, {__mode = 'k'}) -- what stands for lists and dicts that belong to Python's objects
local containers = setmetatable({}, {__mode = 'k'}) -- what stands for objects that are tables in Torch, with a length
border.listings, border.containers = listings, containers

-- Methods and fields -----------------------------------------------------------------------------------------------

local methods_by_name = {}

-- The method of a name, of whatever object it is called on.
function border.method(name)
  local method = methods_by_name[name]
  if not method then
    local call_method = python.call_method
    method = function(self, ...) return call(call_method, name, self, self, ...) end
    methods_by_name[name] = method
  end
  return method
end

local methods_by_number, method_numbers = {}, {}

-- The function of a number as a method. Most calls have no more than three arguments, which are numbers and at most two
-- objects, and need no more than these.
function border.method_of_class(number)
  local method = methods_by_number[number]
  if method then return method end
  local entry = border.function_of(number)
  method = function(self, ...)
    local owner, count = numbers[self], select('#', ...)
    if owner and owner >= OBJECTS and count <= 3 then
      if count == 0 then return received(self, entry(0, 1, owner)) end
      local first, second, third = ...
      local one, other = numbers[first], numbers[second]
      if one and one >= OBJECTS then
        if count == 1 then return received(self, entry(0, 9, owner, one)) end
        if count == 2 and other and other >= OBJECTS then return received(self, entry(0, 73, owner, one, other)) end
      elseif type(first) == 'number' and not is_minus_zero(first) then
        if count == 1 then return received(self, entry(0, 1, owner, first)) end
        if count == 2 then
          if type(second) == 'number' and not is_minus_zero(second) then
            return received(self, entry(0, 1, owner, first, second))
          end
          if other and other >= OBJECTS then return received(self, entry(0, 65, owner, first, other)) end
        elseif type(second) == 'number' and type(third) == 'number'
          and not is_minus_zero(second) and not is_minus_zero(third) then
          return received(self, entry(0, 1, owner, first, second, third))
        end
      end
    end
    return call(entry, 0, self, self, ...)
  end
  methods_by_number[number], method_numbers[method] = method, number
  return method
end

-- The number of a function of Python's that Lua has as a method.
function border.method_number(method) return method_numbers[method] end

local C_TYPES = {
  Byte = 'unsigned char', Char = 'signed char', Short = 'short', Int = 'int', Long = 'long', Half = 'unsigned short',
  Float = 'float', Double = 'double',
}

-- The types of C that Torch declares, by which programs declare their own.
ffi.cdef 'typedef struct THGenerator THGenerator;'
for name, element in pairs(C_TYPES) do
  ffi.cdef((([[
    typedef struct THNAMEStorage {ELEMENT *data; ptrdiff_t size; int refcount; char flag;} THNAMEStorage;
    typedef struct THNAMETensor {
      long *size; long *stride; int nDimension; THNAMEStorage *storage; ptrdiff_t storageOffset; int refcount; char flag;
    } THNAMETensor;
  ]]):gsub('NAME', name):gsub('ELEMENT', element)))
end

-- The function of a number that gives an address, as a method that gives a pointer of C's.
local function pointer_method(number)
  return function(self, as_number)
    local address = call(border.function_of(number), 0, nil, self, true)
    if as_number then return address end
    local kind = C_TYPES[self:type():match('^torch%.(%u%l+)')]
    return ffi.cast(kind .. ' *', ffi.cast('uintptr_t', address))
  end
end

-- Looks for what instances of a class have under a name, once.
local function look_up(class, key)
  local kind, found = call(python.look_up, class.number, nil, key)
  if kind == 'function' then
    class.methods[key] = border.method_of_class(found)
  elseif kind == 'method' then
    class.methods[key] = border.method(found)
  elseif kind == 'mapping' then
    class.methods[key] = border.mapping
  elseif kind == 'pointer' then
    class.methods[key] = pointer_method(found)
  elseif kind == 'lua' then
    class.methods[key] = found
  elseif kind == 'constructor' then
    class.methods[key] = border.class(class.number).new
  else
    class.names[key] = border.field_of(found)
  end
end

local function get(class, self, key)
  local name = class.names[key]
  if not name then
    look_up(class, key)
    if class.methods[key] then return class.methods[key] end
    name = class.names[key]
  end
  return received(nil, name(numbers[self]))
end

local lent_element, lent_part, put_lent_element = border.lent_element, border.lent_part, border.put_lent_element
local at, item, ranges = python.at, border.method_of_class(python.item), border.function_of(python.ranges)

-- The numbers of a place that is one to four of them in a table (`x[{1, 2}]`), which cross without the table.
local function numbers_of_place(key)
  if type(key) ~= 'table' or getmetatable(key) or key[5] ~= nil then return nil end
  local first, second, third, fourth = key[1], key[2], key[3], key[4]
  if type(first) ~= 'number' or (second == nil and (third or fourth)) or (third == nil and fourth) then return nil end
  if second ~= nil and type(second) ~= 'number' or third ~= nil and type(third) ~= 'number'
    or fourth ~= nil and type(fourth) ~= 'number' then return nil end
  return first, second, third, fourth
end

local parts = {}

-- How many numbers are in `parts` for a place of up to four numbers and ranges (`x[{{1, 2}, 3}]`), which crosses without
-- its tables: of each part how many numbers it has (-1: it is one itself), the first, and the last.
local function parts_of_place(key)
  if type(key) ~= 'table' or getmetatable(key) or key[5] ~= nil then return nil end
  local count = 0
  for i = 1, 4 do
    local part = key[i]
    if part == nil then
      if key[i + 1] ~= nil then return nil end
      break
    end
    local length, first, last = -1, part, 0
    if type(part) == 'table' then
      if getmetatable(part) or part[3] ~= nil then return nil end
      first, last = part[1], part[2]
      length = last ~= nil and 2 or first ~= nil and 1 or 0
      if first == nil and next(part) ~= nil then return nil end
      first, last = length > 0 and first or 0, last or 0
    end
    if type(first) ~= 'number' or type(last) ~= 'number' then return nil end
    parts[count + 1], parts[count + 2], parts[count + 3] = length, first, last
    count = count + 3
  end
  return count > 0 and count or nil
end

local typed_methods = {} -- by name the methods of tensors or storages of one type, by the type's name

-- What a class's objects give for a key; `class.index` is what they give whatever programs have made of it.
local function text_of(self) return call(python.text, 0, nil, self) end

local function index_of(class)
  local methods = class.methods
  local is_typed = class.is_typed
  local function type_of(self) return (methods.type or get(class, self, 'type'))(self) end
  function class.index(self, key)
    if is_typed and type(key) == 'number' then
      return lent_part(class, self, key) or received(nil, at(numbers[self], key))
    end
    local own = fields[numbers[self]]
    if own and own[key] ~= nil then return own[key] end
    local typed = is_typed and typed_methods[key]
    if typed then
      local found = typed[type_of(self)]
      if found then return found end
    end
    local method = methods[key]
    if method then return method end
    if is_typed and key == '__tostring__' then return text_of end
    local is_numeral = is_typed and type(key) == 'string' and key:find '^%-?%d' -- which is an index
    if type(key) == 'string' and not is_numeral then
      local found = get(class, self, key)
      if found == nil and key == '__tostring' then return tostring end -- which Torch's metatables have
      return found
    end
    if is_typed then
      local first, second, third, fourth = numbers_of_place(key)
      if first then
        return lent_element(self, first, second, third, fourth)
          or received(nil, python.element(0, 1, numbers[self], first, second, third, fourth))
      end
      local count = parts_of_place(key)
      if count then return received(nil, ranges(0, 1, numbers[self], unpack(parts, 1, count))) end
    end
    return item(self, key)
  end
  local index = class.index
  return not is_typed and index or function(self, key)
    local written = typed_methods.__index
    return ((written and written[type_of(self)]) or index)(self, key)
  end
end

local function class_of(value) return classes[floor(numbers[value] / SHIFT)] end

local function new_index(self, key, value)
  if type(key) == 'string' or type(key) == 'number' and class_of(self).is_table then
    border.set_field(self, key, value)
  else
    call(python.set_item, 0, nil, self, key, value)
  end
end

-- The same for tensors and storages.
local function new_typed_index(self, key, value)
  if type(key) == 'string' then return border.set_field(self, key, value) end
  local is_number = type(value) == 'number'
  if is_number and type(key) == 'number' and put_lent_element(self, value, key) then return end
  local first, second, third, fourth = numbers_of_place(key)
  if first and is_number and put_lent_element(self, value, first, second, third, fourth) then return end
  local is_plain = is_number and not is_minus_zero(value)
  if first and is_plain then
    received(nil, python.put_element(0, 1, numbers[self], value, first, second, third, fourth))
    return
  end
  local number = not is_number and numbers[value]
  local count = (is_plain or number and number >= OBJECTS) and parts_of_place(key)
  if count then
    received(nil, python.put_ranges(0, number and 9 or 1, numbers[self], number or value, unpack(parts, 1, count)))
  else
    call(python.set_item, 0, nil, self, key, value)
  end
end

-- Operators --------------------------------------------------------------------------------------------------------

local OPERATORS = {'__add', '__sub', '__mul', '__div', '__unm', '__mod', '__pow', '__concat', '__lt', '__le'}

local function metatable_for(class)
  local metatable = {
    __index = index_of(class),
    __newindex = class.is_typed and new_typed_index or new_index,
    __tostring = not class.is_typed and text_of or function(self)
      local written = typed_methods.__tostring__ or typed_methods.__tostring
      return (written and written[self:type()] or text_of)(self)
    end,
    __call = function(self, ...) return call(python.call_object, 0, nil, self, ...) end,
    __len = function(self) return call(python.length, 0, nil, self) end,
    __metatable = border.class(class.number),
  }
  for _, name in ipairs(OPERATORS) do metatable[name] = border.method_of_class(python[name]) end
  return metatable
end

-- Stand-ins, by the kind of class ----------------------------------------------------------------------------------

local kinds = {}

function kinds.table(class)
  local metatable = metatable_for(class)
  return function() return setmetatable({}, metatable) end
end

local function proxies(metatable)
  local template = newproxy(true)
  local own = getmetatable(template)
  for name, value in pairs(metatable) do own[name] = value end
  return function() return newproxy(template) end
end

function kinds.userdata(class) return proxies(metatable_for(class)) end

-- Containers: they have a length, which lupa's LuaJIT gives tables no say in (that of Torch does).
function kinds.container(class)
  local make = proxies(metatable_for(class))
  return function()
    local made = make()
    containers[made] = true
    return made
  end
end

-- Tables that belong to Python: every access goes there.
local function tables_of_python(metatable)
  return proxies {
    __metatable = metatable,
    __index = item,
    __newindex = function(self, key, value) call(python.set_item, 0, nil, self, key, value) end,
    __len = function(self) return call(python.length, 0, nil, self) end,
    __tostring = text_of,
  }
end

function kinds.list()
  local make = tables_of_python(false)
  return function()
    local made = make()
    listings[made] = true
    return made
  end
end

function kinds.mapping(class) return tables_of_python(border.class(class.number)) end

kinds['function'] = function()
  return function()
    local made
    made = function(...) return call(python.call_object, 0, nil, made, ...) end
    return made
  end
end

function kinds.class()
  return function(number) return border.constructor(python.class_number(number)) end
end

local types = setmetatable({}, {__mode = 'k'}) -- what stands for types
local SEEN_HERE = {__index = true, __tostring = true, __tostring__ = true} -- what Lua alone asks types for

local function index_of_any(self, key) return class_of(self).index(self, key) end

-- Types of tensors and storages: they make some, and have their methods, which may be defined for one type.
function kinds.type()
  local function stand_in()
    local made = {}
    types[made] = true
    local function make(...) return call(python.call_object, 0, nil, made, ...) end
    return setmetatable(made, {
      __index = function(_, key)
        if key == 'new' then return make end
        if key == '__typename' then return tostring(made) end
        if key == 'elementSize' then return function(value) return (value or make()):elementSize() end end
        local typed = typed_methods[key]
        if typed and typed[tostring(made)] then return typed[tostring(made)] end
        if SEEN_HERE[key] then return key == '__index' and index_of_any or text_of end
        return border.class(call(python.class_of_type, 0, nil, made))[key]
      end,
      __newindex = function(_, key, value)
        local name, typed = tostring(made), typed_methods[key] or {}
        typed[name] = not method_numbers[value] and value or nil
        typed_methods[key] = next(typed) ~= nil and typed or nil
        if SEEN_HERE[key] then return end
        call(python.define_for_type, 0, nil, made, key, method_numbers[value] or value)
        border.forget(key)
      end,
      __call = function(_, ...) return make(...) end,
      __tostring = text_of,
    })
  end
  return stand_in
end

-- Programs define methods of a type by rawset, too: they put them into its metatable.
function _G.rawset(value, key, content)
  if not types[value] then return rawset(value, key, content) end
  value[key] = content
  return value
end

-- Whether a number is that of a tensor or storage.
function border.is_typed(number)
  local class = classes[floor(number / SHIFT)]
  return class and class.is_typed
end

function border.is_storage(number) return border.is_typed(number) and classes[floor(number / SHIFT)].name ~= 'torch.Tensor' end

function border.describe(number)
  local kind, name, is_table = call(python.describe, number, nil)
  local class = {number = number, name = name, methods = {}, names = {}, is_table = is_table}
  class.is_typed = name == 'torch.Tensor' or name:match('^torch%..*Storage$') ~= nil
  classes[number] = class
  class.stand_in = kinds[kind](class)
  return class
end

-- Lets a table of Lua's stand for an object of Python's, in place of what does so now.
function border.become(value, stand_in)
  local number = numbers[stand_in]
  for key in next, value do value[key] = nil end
  live[number], numbers[value] = value, number
  return setmetatable(value, metatable_for(classes[floor(number / SHIFT)]))
end
