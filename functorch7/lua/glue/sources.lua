-- Source code. Torch's LuaJIT reads a parenthesis that begins a line as the call of what stands before, as Lua 5.2 does;
-- the one here finds that ambiguous, so that such a line is joined to the one before it.
local border = ...
local lua_loadstring, lua_loadfile, lua_dofile = loadstring, loadfile, dofile
local lua_loader = package.loaders[2]

-- A chunk with the global variables of the thread that is running.
local function placed(found)
  return border.environment and setfenv(found, border.environment) or found
end

-- The source with a line put at the end of the one before; nil where that ends in what may be a comment.
local function joined(source, line)
  local place = 0
  local before = 1
  for _ = 1, line - 1 do
    before = place + 1
    place = source:find('\n', place + 1, true)
  end
  if source:sub(before, place):find('--', 1, true) then return nil end
  local ends = source:find('\n', place + 1, true) or #source + 1
  return source:sub(1, place - 1) .. ' ' .. source:sub(place + 1, ends - 1) .. '\n' .. source:sub(ends)
end

local function ambiguous_line(problem) return tonumber(problem:match(':(%d+): ambiguous syntax')) end

function loadstring(source, name)
  local found, problem = lua_loadstring(source, name)
  local line = not found and ambiguous_line(problem)
  while line and line > 1 do
    source = joined(source, line)
    if not source then break end
    found, problem = lua_loadstring(source, name)
    line = not found and ambiguous_line(problem)
  end
  if found then return placed(found) end
  return nil, problem
end

function loadfile(file, ...)
  local found, problem = lua_loadfile(file, ...)
  if found then return placed(found) end
  if not file or not ambiguous_line(problem) then return nil, problem end
  local opened = assert(io.open(file, 'rb'))
  local source = opened:read('*a'):gsub('^#', '--#')
  opened:close()
  return loadstring(source, '@' .. file)
end

function dofile(file)
  if not file then return lua_dofile() end
  local found, problem = loadfile(file)
  if not found then error(problem, 0) end
  return found()
end

package.loaders[2] = function(name)
  local ok, found = pcall(lua_loader, name)
  if not ok and ambiguous_line(found) then
    ok, found = pcall(loadfile, (assert(package.searchpath(name, package.path))))
  end
  return ok and found or error(found, 0)
end
