-- torch.class: classes in Lua, below Python's or of Lua's own; and what torch says about values.
local border, python, torch = ...
local call, numbers = border.call, border.numbers
local getmetatable, next, rawget, rawset, setmetatable, type = getmetatable, next, rawget, rawset, setmetatable, type

local python_setmetatable = torch.setmetatable
local own_classes = {} -- classes without a parent in Python, by name
local derived_classes = {} -- the numbers of the others, by name
local constructors = setmetatable({}, {__mode = 'k'})
local is_own = setmetatable({}, {__mode = 'k'}) -- the classes of Lua's own

local OPERATORS = {'call', 'add', 'sub', 'mul', 'div', 'mod', 'pow', 'unm', 'concat', 'len', 'eq', 'lt', 'le'}

-- The class of Lua's own whose object a table is, by whatever means it has got its metatable; no class is an object.
local function own_class_of(value)
  local class = type(value) == 'table' and not constructors[value] and not is_own[value] and getmetatable(value)
  return is_own[class] and class or nil
end

local function operator(name)
  local method = '__' .. name .. '__'
  return function(self, other, ...)
    local owner = (own_class_of(self) or other == nil) and self or other
    local found = getmetatable(owner)[method] -- as luaT looks for it, whatever the class has made of reading fields
    if not found and name == 'eq' then return rawequal(self, other) end
    if not found then border.refuse('%s has no %s', getmetatable(owner).__typename, method) end
    return found(self, other, ...)
  end
end

local function to_text(self)
  local method = self.__tostring__
  return method and method(self) or getmetatable(self).__typename
end

-- A class whose objects are tables of Lua's. It is put together by `rawset`: the class above may say what setting does.
local function own_class(name, parent)
  local class = {__typename = name, __tostring = to_text}
  class.__index = function(self, key)
    if class.__index__ then -- it comes before the methods, and says whether it knows the key
      local found, known = class.__index__(self, key)
      if known or known == nil and found then return found end
    end
    return class[key]
  end
  class.__newindex = function(self, key, value)
    local put = class.__newindex__
    if not (put and put(self, key, value)) then rawset(self, key, value) end
  end
  for _, each in ipairs(OPERATORS) do class['__' .. each] = operator(each) end
  if parent then setmetatable(class, parent) end -- programs follow the metatables from class to class
  own_classes[name], is_own[class] = class, true
  debug.getregistry()[class] = name -- where programs look for classes
  return class
end

local function blank(class) return setmetatable({}, class) end

-- What makes objects of a class of Lua's: reading and defining reach the class.
local function constructor(class)
  local function construct(_, ...)
    local made = blank(class)
    if class.__init then class.__init(made, ...) end
    return made
  end
  rawset(class, 'new', function(...) return construct(nil, ...) end)
  local made = setmetatable({}, {__index = class, __newindex = class, __call = construct, __metatable = class})
  constructors[made] = true
  return made
end

local function place_of(name, package)
  local prefix, short = name:match('^(.*)%.([^.]+)$')
  if not prefix then return package or _G, name end
  if package then return package, short end
  local found = _G
  for part in prefix:gmatch('[^.]+') do
    found = found[part]
    if found == nil then border.refuse('torch.class: %s is not a package', prefix) end
  end
  return found, short
end

-- The class of a name, or that a value stands for: a table of Lua's, and its number if it is below one of Python's.
local function class_named(given)
  if type(given) == 'table' then
    local number = border.class_number(given)
    if number then return border.class(number), number end
    return constructors[given] and getmetatable(given) or given
  end
  if own_classes[given] then return own_classes[given] end
  if derived_classes[given] then return border.class(derived_classes[given]), derived_classes[given] end
  local package, short = place_of(given)
  local number = border.class_number(package[short])
  return number and border.class(number) or package[short], number
end

function torch.class(name, parent, package)
  if type(name) ~= 'string' then
    border.refuse('torch.class: expected a name, the class above and a package, got a %s', type(name))
  end
  if type(parent) == 'table' and not border.class_number(parent) and not rawget(parent, '__typename')
    and not getmetatable(parent) then
    parent, package = nil, parent
  end
  local above, number
  if parent then
    above, number = class_named(parent)
    if not above then border.refuse('torch.class: invalid parent class name %s', tostring(parent)) end
  end
  local target, short = place_of(name, package)
  if number then
    local from = border.derived_from(number)
    local derived = call(python.derive, from, nil, name)
    derived_classes[name] = derived
    rawset(target, short, border.constructor(derived))
    return border.class(derived), from == number and above or border.class(from)
  end
  local class = own_class(name, above)
  rawset(target, short, constructor(class))
  return class, above
end

function torch.getmetatable(name)
  if own_classes[name] then return own_classes[name] end
  local ok, found = pcall(class_named, name)
  if ok and found then return found end
end

function torch.getconstructortable(name)
  local package, short = place_of(name)
  return package[short]
end

function torch.factory(name)
  local known, class, number = pcall(class_named, name)
  if not known or not class then return nil end
  return function() return number and call(python.blank, number, nil) or blank(class) end
end

local torch_factory = torch.factory

-- For files: whether a class is one of Lua's own; a program that has a torch.factory of its own may make it first.
function border.asked.is_own_class(name)
  if torch.factory ~= torch_factory then pcall(torch.factory, name) end
  return own_classes[name] ~= nil
end

-- An object of a class below one of Python's, with a table's entries as fields; its `__init` does not run.
local function with_fields(number, fields)
  local made = call(python.blank, number, nil)
  for name, each in next, fields do made[name] = each end
  call(python.complete, 0, nil, made)
  return made
end

-- A table becomes an object of a class, with its entries as fields.
function torch.setmetatable(value, name)
  if derived_classes[name] then return border.become(value, with_fields(derived_classes[name], value)) end
  if not own_classes[name] then return border.become(value, python_setmetatable(value, name)) end
  return setmetatable(value, own_classes[name])
end
torch.pushudata = torch.setmetatable

local python_typename, python_is_type = torch.typename, torch.isTypeOf

function torch.typename(value)
  local number = numbers[value]
  if number and number >= border.OBJECTS then
    return not border.class_number(value) and python_typename(value) or nil
  end
  local metatable = type(value) == 'table' and getmetatable(value)
  return type(metatable) == 'table' and not constructors[value] and rawget(metatable, '__typename') or nil
end

function torch.type(value) return torch.typename(value) or type(value) end

-- A class's name itself must be whole, a pattern may match a part.
local function is_name(typename, name)
  local matched = typename:match(name)
  return matched ~= nil and (matched ~= name or matched == typename)
end

-- What a class's constructor stands for: its methods' table, as `getmetatable` of the constructor gives it in Torch.
local function class_of(value)
  if constructors[value] then return getmetatable(value) end
  local own = own_class_of(value)
  if own then return own end
  local number = type(value) == 'table' and border.class_number(value)
  return number and border.class(number)
end

function torch.isTypeOf(value, wanted)
  if type(wanted) ~= 'string' and type(wanted) ~= 'table' then
    border.refuse('torch.isTypeOf: expected an object and a class or its name, got a %s', type(wanted))
  end
  local class = value ~= nil and class_of(value)
  local name = class and type(wanted) == 'table' and class_of(wanted).__typename or wanted
  if not class then
    local number = value ~= nil and numbers[value]
    if not number or number < border.OBJECTS then return false end
    if type(wanted) ~= 'string' or wanted:match('^cudnn%.') then return python_is_type(value, wanted) end
    for _, each in ipairs(call(python.type_names, 0, nil, value)) do
      if is_name(each, name) then return true end
    end
  end
  while class do
    if is_name(rawget(class, '__typename'), name) then return true end
    class = getmetatable(class)
  end
  return false
end

local python_pointer = torch.pointer

function torch.pointer(value)
  if (numbers[value] or 0) >= border.OBJECTS then return python_pointer(value) end
  return tonumber(('%p'):format(value))
end

-- Here, so that tables that are no such thing are not sent to Python.
function torch.isTensor(value) return torch.type(value):match('^torch%..*Tensor$') ~= nil end
function torch.isStorage(value) return torch.type(value):match('^torch%..*Storage$') ~= nil end

-- A class's own way to write or read its objects, under either of the names that Torch looks for.
local function way(value, name)
  local class = getmetatable(value)
  return class['__' .. name] or class[name]
end

-- For files: what an object of a class of Lua's holds, or that it writes itself.
function border.asked.taken_apart(reference)
  local value = border.pinned[reference]
  local class = own_class_of(value)
  if not class then return nil end
  local writes_itself, found = way(value, 'write') ~= nil, {}
  if not writes_itself then
    for key, each in next, value do found[key] = each end
  end
  return border.answered(class.__typename, rawget(class, '__version') or 1, found, writes_itself)
end

-- Lets an object write itself into a file.
function border.asked.write_itself(reference, code, number)
  local value = border.pinned[reference]
  way(value, 'write')(value, border.decode(code, number))
  border.arrived()
end

-- For copies: a new object, and what is to be in it, or one that has read what the other wrote.
function border.asked.begun_copy(reference)
  local value = border.pinned[reference]
  local class = own_class_of(value)
  if not class then return nil end
  local made, write, found = blank(class), way(value, 'write'), {}
  if write then
    local file = torch.MemoryFile():binary()
    write(value, file)
    file:seek(1)
    way(made, 'read')(made, file, 1)
    return border.answered(made, nil)
  end
  for key, each in next, value do found[key] = each end
  return border.answered(made, found)
end

function border.asked.blank(name) return border.answered(blank(own_classes[name])) end

function border.asked.has_own_read(name) return way(blank(own_classes[name]), 'read') ~= nil end

-- Lets an object read itself from a file.
function border.asked.read_itself(reference, version, code, number)
  local value = border.pinned[reference]
  way(value, 'read')(value, border.decode(code, number), version)
  border.arrived()
end

function border.asked.take_fields(reference, code, number)
  local value = border.pinned[reference]
  for key, each in next, border.decode(code, number) do value[key] = each end
  border.arrived()
end

local variables = {} -- numbers of the variables that functions share

-- A package's function as one of Lua's that asks the package for it: Torch's packages are written in Lua for the most part.
local function by_name(value)
  for name, package in pairs(package.loaded) do
    if border.is_namespace(package) then
      for key, each in next, package do
        if each == value then return loadstring(('return require(%q)[%q](...)'):format(name, key)) end
      end
    end
  end
  return value
end

-- For files: a function's code, and the variables outside that it names; nothing for one that is not written in Lua.
function border.asked.dumped(reference)
  local found = border.pinned[reference]
  found = border.places[found] and by_name(found) or found
  local is_own, code = pcall(string.dump, found)
  if not is_own or border.is_ours(debug.getinfo(found, 'S').source) then return nil end
  local outside = {}
  for i = 1, debug.getinfo(found, 'u').nups do
    local name, value = debug.getupvalue(found, i)
    local variable = tostring(debug.upvalueid(found, i))
    if not variables[variable] then
      variables.count = (variables.count or 0) + 1
      variables[variable] = variables.count
    end
    outside[i] = {name = name, id = variables[variable], value = value}
  end
  return border.answered(code, outside)
end

-- For files, where the program may call what is in them: a function of this code, or why it is none.
function border.asked.undumped(code)
  local found, problem = loadstring(code, '=function of a file')
  return border.answered(found or problem)
end

function border.asked.take_variable(reference, place, code, value)
  debug.setupvalue(border.pinned[reference], place, border.decode(code, value))
  border.arrived()
end

function border.asked.join_variable(reference, place, other, other_place)
  debug.upvaluejoin(border.pinned[reference], place, border.pinned[other], other_place)
end
