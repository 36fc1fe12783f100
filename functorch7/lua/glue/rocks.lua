-- Packages: those of Torch's that functorch7 has, and the program's own files.
local border, python = ...
local call = border.call
local namespaces, package_numbers = {}, {} -- by the number of a package what stands for it, and back
border.places = setmetatable({}, {__mode = 'k'}) -- the numbers of Python's functions, by those that stand for them

-- A package of Python's: what it has is looked for when it is asked for.
local function namespace(number)
  local found = namespaces[number]
  if found then return found end
  found = setmetatable({}, {__index = function(self, key)
    if type(key) ~= 'string' then return nil end
    local kind, value = call(python.member_of_rock, number, nil, key)
    if kind == 'function' then
      local entry, place = border.function_of(value), value
      value = function(...) return call(entry, 0, (...), ...) end
      border.places[value] = place
    elseif kind == 'package' then
      value = namespace(value)
    elseif kind ~= 'constant' then
      return value
    end
    rawset(self, key, value)
    return value
  end})
  namespaces[number], package_numbers[found] = found, number
  return found
end
border.namespace = namespace

function border.number_of_namespace(value) return package_numbers[value] end

function border.is_namespace(value) return package_numbers[value] ~= nil end

-- All that a package has, what a program has put into it too, as a table; nothing for what is no package.
function border.content_of_namespace(value)
  local number = package_numbers[value]
  if not number then return nil end
  local found = {}
  for _, name in ipairs(call(python.names_of_rock, number, nil)) do found[name] = value[name] end
  for key, each in next, value do found[key] = each end
  return found
end

-- Whether the program would go on without what it requires.
local function is_tried()
  local level = 2
  while true do
    local frame = debug.getinfo(level, 'f')
    if not frame then return false end
    if frame.func == pcall then return true end
    level = level + 1
  end
end

-- What `require` gives for a name, and the global variables that it sets. A program that tries a GPU's package, to
-- learn whether there is a GPU, learns the truth; one that requires it in any case may still compute without.
function border.provide(name, number, globals)
  package.preload[name] = function()
    if globals.cutorch and is_tried() and namespace(globals.cutorch).getDeviceCount() == 0 then
      error(("'%s' is for a GPU, and JAX sees none"):format(name), 0)
    end
    local found = namespace(number)
    if globals.nn and name ~= 'nn' then require 'nn' end -- as theirs do
    for global, place in pairs(globals) do rawset(_G, global, rawget(_G, global) or namespace(place)) end
    if border.prepare[name] then border.prepare[name](found) end
    return found
  end
end
border.prepare = {}

-- What `require` gives for a name that is not on LUA_PATH, and for names of what is in such a package.
function border.fall_back(name, number)
  table.insert(package.loaders, function(wanted)
    if wanted == name then return function() return namespace(number) end end
    local part = wanted:sub(1, #name + 1) == name .. '.' and wanted:sub(#name + 2)
    local found = part and namespace(number)[part]
    return found and function() return found end or nil
  end)
end

-- What a rock's own file gives (`require 'sys.fpath'`): what the package has under that name.
table.insert(package.loaders, function(wanted)
  local rock, name = wanted:match('^([%w_]+)%.([%w_]+)$')
  local found = rock and package.preload[rock] and package_numbers[require(rock)] and require(rock)[name]
  return found and function() return found end or nil
end)

-- Python's packages, for programs that are allowed to see them.
function border.open_python()
  _G.python = {import = function(name) return namespace(call(python.import, 0, nil, name)) end}
end

local lua_require, lua_dofile = require, dofile

-- The folder of the file that a function is in.
local function folder(level)
  local found = debug.getinfo(level + 1, 'S').source:match('^@(.*/)') or ''
  return found:sub(1, 1) == '/' and found or namespace(border.paths).cwd() .. '/' .. found
end

-- The file that a place without its ending means, as th finds it.
local function file_at(place)
  for _, file in ipairs {place .. '.lua', place, place .. '/init.lua'} do
    if namespace(border.paths).filep(file) then return file end
  end
end

local function required_file(file)
  if package.loaded[file] == nil then package.loaded[file] = lua_dofile(file) or true end
  return package.loaded[file]
end

function require(name)
  if package.loaded[name] ~= nil then return package.loaded[name] end
  if name:match('^%.') then
    local place = namespace(border.paths).concat(folder(2), name)
    return required_file(file_at(place) or border.refuse('no file %s.lua', place))
  end
  local ok, found = xpcall(lua_require, function(problem)
    return type(problem) == 'string' and problem:match("^module '" .. name:gsub('%p', '%%%0') .. "' not found")
      and {missing = true} or problem
  end, name)
  if ok then return found end
  package.loaded[name] = nil -- where LuaJIT has left a mark
  if type(found) == 'table' and found.missing then
    local file = file_at(namespace(border.paths).concat(name)) -- th looks for a path, its ending too, where it runs
    if file then return required_file(file) end
    local known = {}
    for each in pairs(package.preload) do known[#known + 1] = each end
    table.sort(known)
    border.refuse("no package '%s', and no file %s.lua on LUA_PATH; there are: %s", name, (name:gsub('%%.', '/')),
      table.concat(known, ', '))
  end
  error(found, 0)
end

-- The global variables that a program has made or replaced, since `names` was noted with what they were.
function border.asked.new_globals(names)
  local found = {}
  for name, value in next, _G do
    local metatable = type(value) == 'table' and getmetatable(value)
    local is_package = metatable and rawget(metatable, '__typename') == nil
    if names[name] ~= value and name ~= 'arg' and not is_package then found[name] = value end
  end
  return border.answered(found)
end

function border.noted_globals()
  local names = {}
  for name, value in next, _G do names[name] = value end
  return names
end

function include(file)
  if file:sub(1, 1) ~= '/' then file = folder(2) .. file end
  return lua_dofile(file)
end

function border.prepare.torch(torch)
  function torch.data(value, ...) return value:data(...) end
  function torch.isatty(file) return file == io.stdout and call(python.isatty, 0, nil) end
  -- Whether Lua's collector hears of tensors' memory: it always does (registry.py), so that this only says so.
  function torch.setheaptracking(is_on) rawset(torch, '_heaptracking', is_on) end

  -- The folder of a package of the program's own, and a file in it that is run; those of packages here are parts of them.
  function torch.packageLuaPath(name)
    local place = package.searchpath(name, package.path)
    return place and place:match('^(.*)/[^/]*$')
  end
  function torch.include(name, file)
    local place = torch.packageLuaPath(name)
    return place and lua_dofile(place .. '/' .. file) or require(name)
  end
end

-- What is in a table, in braces.
local function in_braces(found, between)
  local function shown(value)
    if type(value) == 'table' then return in_braces(value, ',') end
    return type(value) == 'string' and ('%q'):format(value):gsub('\\\n', '\\n') or tostring(value)
  end
  local lines, count = {}, 0
  for i, value in ipairs(found) do lines[i], count = shown(value), i end
  for key, value in pairs(found) do
    local is_listed = type(key) == 'number' and key >= 1 and key <= count and key % 1 == 0
    if not is_listed then
      local name = type(key) == 'string' and key:match('^[%a_][%w_]*$') or '[' .. shown(key) .. ']'
      lines[#lines + 1] = name .. (between == ',' and '=' or ' : ') .. shown(value)
    end
  end
  if between == ',' then return '{' .. table.concat(lines, ',') .. '}' end
  table.sort(lines)
  return '{\n   ' .. table.concat(lines, '\n   ') .. '\n}'
end

function border.prepare.dataload()
  function table.tostring(found, by_line) return in_braces(found, by_line and '\n' or ',') end
  function table.print(found) print(in_braces(found, '\n')) end
end

-- Packages cross by their names. What functions of cudnn's make are objects of nn's classes of the same names.
function border.prepare.cudnn(cudnn)
  for _, name in ipairs(call(python.names_of_rock, package_numbers[cudnn], nil)) do
    local class = type(cudnn[name]) == 'function' and require('nn')[name]
    if class and border.class_number(class) then
      rawset(cudnn, name, border.other_constructor(class, cudnn[name]))
    end
  end
  local convert = cudnn.convert
  function cudnn.convert(net, into, ...)
    return convert(net, into == cudnn and 'cudnn' or into == rawget(_G, 'nn') and 'nn' or into, ...)
  end
end

-- C's NULL in lua-cjson, a userdata that equals itself alone.
local function null_userdata()
  local null = newproxy(true)
  getmetatable(null).__tostring = function() return 'userdata: NULL' end
  return null
end

-- A module with settings of its own; each of its functions gives those that it has set. `guarded` makes the functions
-- that may fail of those that raise an error.
local function prepare_cjson(cjson, encode, decode, null, guarded)
  local convert, ratio, safe, digits = false, 2, 10, 14
  cjson.null = null
  cjson.encode = guarded(function(value) return encode(value, null, convert, ratio, safe, digits) end)
  cjson.decode = guarded(function(text) return decode(text, null) end)
  function cjson.new() return prepare_cjson({}, encode, decode, null, guarded) end
  function cjson.encode_sparse_array(...)
    local is_converted, new_ratio, new_safe = ...
    if is_converted ~= nil then convert = is_converted end
    ratio, safe = new_ratio or ratio, new_safe or safe
    return convert, ratio, safe
  end
  function cjson.encode_number_precision(count)
    digits = count or digits
    return digits
  end
  return cjson
end

local function same(value) return value end

-- nil and the message in place of an error, as in cjson.safe.
local function without_errors(raising)
  return function(...)
    local ok, found = pcall(raising, ...)
    if ok then return found end
    return nil, tostring(found)
  end
end

function border.prepare.cjson(cjson)
  local encode, decode, null = cjson.encode, cjson.decode, null_userdata()
  prepare_cjson(cjson, encode, decode, null, same)
  cjson.safe = prepare_cjson({}, encode, decode, null, without_errors)
end

function border.prepare.dpnn()
  dpnn = rawget(_G, 'dpnn') or {}
  call(python.gather_kept, 0, nil)
end

function border.prepare.rnn()
  border.prepare.dpnn() -- which rnn requires
  call(python.has_rnn, 0, nil)
end

-- `matio.use_lua_strings` is looked at when a file is loaded.
function border.prepare.matio(matio)
  local load = matio.load
  matio.use_lua_strings = false
  function matio.load(file, name) return load(file, name, matio.use_lua_strings) end
end

-- Programs call libstn's functions themselves, too. Those of gradients add to the images', as memory may be shared.
function border.prepare.stn(nn)
  stn = rawget(_G, 'stn') or {}
  local samplers, libstn = {}, border.functions_of_layers(nn)
  local function sampler(images)
    local kind = images:type()
    samplers[kind] = samplers[kind] or nn.BilinearSamplerBHWD():type(kind)
    return samplers[kind]
  end
  function libstn.BilinearSamplerBHWD_updateOutput(_, images, grids, output)
    output:copy(sampler(images):forward {images, grids})
  end
  function libstn.BilinearSamplerBHWD_updateGradInputOnlyGrid(_, images, grids, of_grids, gradient)
    of_grids:copy(sampler(images):backward({images, grids}, gradient)[2])
  end
  function libstn.BilinearSamplerBHWD_updateGradInput(_, images, grids, of_images, of_grids, gradient)
    local found = sampler(images):backward({images, grids}, gradient)
    for i = 1, images:size(1) do of_images[i]:add(found[1][i]) end
    of_grids:copy(found[2])
  end
end

function border.prepare.libunsup(unsup)
  for _, name in ipairs(border.FLOATS) do torch[name].shrinkage = unsup.shrinkage end
end

function border.prepare.sys(sys)
  function sys.fpath()
    local file = debug.getinfo(2, 'S').source:gsub('^@', '')
    return (folder(2):gsub('/$', '')), namespace(border.paths).basename(file)
  end
end

function border.prepare.paths(paths)
  local files = paths.files
  -- A text is one of Lua's patterns.
  function paths.files(place, chosen)
    if type(chosen) ~= 'string' then return files(place, chosen) end
    return files(place, function(name) return name:find(chosen) end)
  end
  function paths.dofile(file, level)
    if file:sub(1, 1) ~= '/' then file = folder((level or 1) + 1) .. file end
    return lua_dofile(file)
  end
  function paths.thisfile(file, level)
    local source = debug.getinfo((level or 1) + 1, 'S').source:gsub('^@', '')
    local here = source:sub(1, 1) == '/' and source or paths.concat(paths.cwd(), source)
    return file and paths.concat(paths.dirname(here), file) or here
  end
end
