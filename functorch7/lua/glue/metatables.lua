-- What stands for Python's classes in Lua: the metatables of their objects, as programs see them, and what makes objects.
local border, python = ...
local call, received, numbers, classes = border.call, border.received, border.numbers, border.classes
local VALUE = border.VALUE
local getmetatable, setmetatable = getmetatable, setmetatable

local class_tables, constructors = {}, {} -- by a class's number the metatable of its objects, and what makes some
local about = setmetatable({}, {__mode = 'k'}) -- what is known of both of these

-- Lets what classes have under a name be looked for again, as one of them has something else there now.
function border.forget(key)
  for _, class in pairs(classes) do class.methods[key], class.names[key] = nil, nil end
  for _, class_table in pairs(class_tables) do about[class_table].members[key] = nil end
end

local function forget_all()
  for _, class in pairs(classes) do
    for _, known in ipairs {class.methods, class.names} do
      for key in pairs(known) do known[key] = nil end
    end
  end
  for _, class_table in pairs(class_tables) do
    local members = about[class_table].members
    for key in pairs(members) do members[key] = nil end
  end
end

local function member(number, key)
  local kind, found = call(python.member, number, nil, key)
  if kind == 'function' then return border.method_of_class(found) end
  if kind == 'method' then return border.method(found) end
  if kind == 'mapping' then return border.mapping end
  return found
end

-- A method of a class below which Lua's keep their steps, called by the class's name: for objects of those it is theirs.
local function of_either(name, key, value)
  local kept = border.keeping_steps and border.keeping_steps[name]
  local method = kept and kept[key]
  if not method then return value end
  return function(self, ...) return (self.keeps_steps and method or value)(self, ...) end
end

local function construct(class_table, ...)
  local class = about[class_table]
  if not class.is_lua then return call(python.construct, class.number, nil, ...) end
  local made = call(python.blank, class.number, nil)
  class_table.__init(made, ...)
  if class.is_described then call(python.complete, 0, nil, made) end
  return made
end

-- The metatable of a class's objects, as programs see it: what the class has can be read and defined in it, and its own
-- metatable is that of the class above. What only this file may know of it lies in `about`.
function border.class(number)
  local found = class_tables[number]
  if found then return found end
  local name, is_lua, above, is_described = call(python.class_name, number, nil)
  local members = {}
  found = {__typename = name}
  class_tables[number] = found
  about[found] = {number = number, is_lua = is_lua, is_described = is_described, members = members}
  setmetatable(found, {
    __index = function(self, key)
      if key == '__index' then return self end
      if key == 'new' then return function(...) return construct(self, ...) end end
      local value = members[key]
      if value == nil then
        value = member(number, key)
        if value == nil and key == '__tostring' then value = tostring end
        if not is_lua then value = of_either(name, key, value) end
        members[key] = value
      end
      return value
    end,
    __newindex = function(_, key, value)
      if type(value) == 'table' and border.is_of_lua(value) then -- which stays the table that it is
        local code, name = border.encode(key)
        received(nil, python.define(number, code + 8 * VALUE, name, border.refer(value)))
      elseif call(python.define, number, nil, key, value, value and border.method_number(value)) then
        forget_all()
      end
      border.forget(key)
    end,
    __call = construct,
    __tostring = function() return name end,
    __metatable = above and border.class(above) or false,
  })
  numbers[found] = numbers[border.constructor(number)]
  return found
end

-- What stands for a class in its package: it makes objects, and has what the class has.
function border.constructor(number)
  local found = constructors[number]
  if found then return found end
  found = {}
  constructors[number] = found
  local class = border.class(number)
  about[found] = about[class]
  setmetatable(found, {
    __index = class, __newindex = class, __call = construct, __metatable = class,
    __tostring = function() return class.__typename end,
  })
  call(python.class_object, number, nil) -- which lets Python know it by a number
  numbers[class] = numbers[found]
  return found
end

-- What stands for the same class in another package, whose function makes the objects.
function border.other_constructor(constructor, make)
  local class = getmetatable(constructor)
  local found = setmetatable({}, {
    __index = class, __newindex = class, __call = function(_, ...) return make(...) end, __metatable = class,
    __tostring = function() return class.__typename end,
  })
  about[found], numbers[found] = about[constructor], numbers[constructor]
  return found
end

-- The number of the class that a table stands for, if it does.
function border.class_number(value)
  local class = about[value]
  return class and class.number
end
