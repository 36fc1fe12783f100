-- xlua's functions that are about Lua's own tables, global variables and errors.
local border = ...
local raw_unpack = unpack

-- For OptionParser.
function border.asked.command_line() return border.answered(rawget(_G, 'arg') or {}) end

local function colored(color, text) return sys.COLORS[color] .. text .. sys.COLORS.none end

-- What is printed ----------------------------------------------------------------------------------------------------

local LONGEST = 40 -- letters of an entry

local function brief(value)
  if type(value) == 'userdata' then return '<userdata>' end
  local text = tostring(value):gsub('\n', '\\n')
  return #text <= LONGEST and text or text:sub(1, LONGEST) .. sys.COLORS.none .. ' ... '
end

local function with_entries(found)
  local metatable, head, lines = getmetatable(found), tostring(found), {}
  if type(metatable) == 'table' and metatable.__tostring__ then return metatable.__tostring__(found) end
  if head:find('table: ', 1, true) then
    head = ''
  elseif type(found.usage) == 'string' then
    head = found.usage .. '\n\nFIELDS:\n'
  else
    head = head .. ':\n'
  end
  for key, value in pairs(found) do lines[#lines + 1] = ('[%s] = %s'):format(tostring(key), brief(value)) end
  return head .. '{' .. table.concat(lines, ',\n ') .. '}'
end

local function prepare_printing(xlua)
  function xlua.print(value, ...)
    io.write(type(value) == 'table' and with_entries(value) or tostring(value))
    if select('#', ...) == 0 then return io.write('\n') end
    io.write('    ')
    print(...)
  end
  xprint = xlua.print

  -- From then on what is printed is in a file, too.
  function xlua.log(file, append)
    require('paths').mkdir(sys.dirname(file))
    local log = assert(io.open(file, append and 'a' or 'w'))
    local write = io.write
    io._write, _print, print = write, print, xlua.print
    function io.write(...)
      write(...)
      log:write(...)
      log:flush()
    end
  end

  -- Help for a package, which is printed for it.
  function xlua.usage_module(module, name, description)
    local line = ('+'):rep(69)
    local about = description and '\nDESC:\n' .. description .. '\n' or ''
    local text = colored('magenta', ('%s\nPACKAGE:\n%s\n%s%s+'):format(line, name, about, line))
    local metatable = getmetatable(module) or {}
    function metatable.__tostring() return text end
    setmetatable(module, metatable)
    return text
  end
end

-- Global variables ---------------------------------------------------------------------------------------------------

local function prepare_globals(xlua)
  local first = border.noted_globals()

  -- Those that a program has made, and the packages among them.
  local function made()
    local libraries, others = {}, {}
    for name, value in pairs(_G) do
      if package.loaded[name] and name ~= '_G' then
        table.insert(libraries, name)
      elseif first[name] == nil then
        others[name] = value
      end
    end
    return libraries, others
  end

  function xlua.who()
    local libraries, others = made()
    for _, each in ipairs {'', 'Global Libs:', libraries, '', 'Global Vars:', others, ''} do xlua.print(each) end
  end

  function xlua.clear(name)
    _G[name] = nil
    collectgarbage()
  end

  function xlua.clearall()
    local libraries, others = made()
    for _, name in ipairs(libraries) do
      if first[name] == nil then _G[name], package.loaded[name] = nil, nil end
    end
    for name in pairs(others) do _G[name] = nil end
    collectgarbage()
  end
end

-- Errors and packages ------------------------------------------------------------------------------------------------

local function prepare_errors(xlua)
  function xlua.error(message, domain, usage)
    local text = colored('Red', (domain and '<' .. domain .. '> ' or '') .. tostring(message))
    error(usage and text .. '\n' .. tostring(usage) or text, 2)
  end
  xerror = xlua.error

  function xlua.trycatch(attempt, catch)
    local ok, problem = pcall(attempt)
    if not ok then catch(problem) end
  end

  function xlua.require(name)
    local ok, found = pcall(require, name)
    if ok then return found end
    print(found)
    print(('warning: <%s> could not be loaded (is it installed?)'):format(name))
    return false
  end
  xrequire = xlua.require

  function xlua.installed(name)
    local place = package.searchpath(name, package.path)
    return place ~= nil or package.preload[name] ~= nil, place
  end
end

-- A function's arguments ---------------------------------------------------------------------------------------------

-- A table whose text is the function's help.
local function help_of(xlua, name, description, params)
  local first, second = params[1], params[2]
  local example = second and ('%s{%s=%s, %s=%s}\n%s(%s, ...)'):format(
    name, second.arg, second.type, first.arg, first.type, name, first.type)
  return setmetatable({}, {
    __tostring = function() return xlua.usage(name, description, example, raw_unpack(params)) end,
  })
end

-- What was given, by name: as one table of names, or in order.
local function named(args, params)
  local only = args[1]
  if #args == 1 and type(only) == 'table' and torch.typename(only) == nil and #only == 0 then return only end
  local found = {}
  for i, param in ipairs(params) do found[param.arg] = args[i] end
  return found
end

-- A function that takes arguments apart, or shows help in place of those that ask for it.
local function unpacker(xlua, asks_for_help)
  return function(args, name, description, ...)
    local params = {...}
    local help = help_of(xlua, name, description, params)
    local function refuse(...)
      for _, each in ipairs {...} do print(each) end
      print(help)
      error(colored('Red', 'error'), 3)
    end
    if asks_for_help(args) then refuse() end
    local given, found = named(args, params), {usage = help}
    for i, param in ipairs(params) do
      local value = given[param.arg]
      if value == nil and param.req then refuse(colored('Red', 'missing argument: ' .. param.arg)) end
      if value == nil then value = param.default end
      if value == nil and param.defaulta then value = found[param.defaulta] end
      found[param.arg], found[i] = value, value
    end
    return found, raw_unpack(found, 1, #params)
  end
end

local function prepare_arguments(xlua)
  xlua.unpack = unpacker(xlua, function(args) return #args == 0 end)

  function xlua.unpack_class(object, ...)
    for name, value in pairs((xlua.unpack(...))) do
      if type(name) ~= 'number' then object[name] = value end
    end
  end
end

-- Lua's tables and texts ---------------------------------------------------------------------------------------------

local function prepare_texts()
  -- The list without `length` entries from `start` on, and these.
  function table.splice(list, start, length)
    local rest, taken = {}, {}
    local first = start or 1
    for i, value in ipairs(list) do
      table.insert(i >= first and i < first + (length or 1) and taken or rest, value)
    end
    return rest, taken
  end

  -- One entry for each that `hash` gives: the last, or what `merge` makes of one and those before.
  function table.prune(list, hash, merge)
    local by_hash, found = {}, {}
    for _, value in ipairs(list) do
      local place = hash and hash(value) or value
      local before = by_hash[place]
      by_hash[place] = merge and before and merge(value, before) or value
    end
    for _, value in pairs(by_hash) do table.insert(found, value) end
    return found
  end

  -- What is between the places where a pattern is found; nothing before one at the beginning, or after one at the end.
  function string.split(text, pattern)
    local found, place = {}, 1
    while place <= #text do
      local first, last = text:find(pattern, place)
      if first ~= 1 then found[#found + 1] = text:sub(place, (first or 0) - 1) end
      place = (last or #text) + 1
    end
    return found
  end

  function string.tosymbol(text)
    local ok, found = pcall(loadstring('return ' .. text))
    if not ok then error(found, 0) end
    return found or error(('symbol "%s" does not exist'):format(text), 2)
  end
end

function border.prepare.xlua(xlua)
  prepare_printing(xlua)
  prepare_errors(xlua)
  prepare_arguments(xlua)
  prepare_texts()
  prepare_globals(xlua)
end

-- dok has the functions that were there before xlua's. Its `unpack` needs no arguments where all have defaults.
package.preload.dok = function()
  local xlua = require 'xlua'
  local unpack = unpacker(xlua, function(args) return args.__printhelp end)
  local dok = setmetatable({unpack = unpack}, {__index = xlua})
  rawset(_G, 'dok', dok)
  return dok
end
