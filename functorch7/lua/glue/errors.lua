-- Errors that come from Python, and those that go there.
local border = ...
local debug, error, type = debug, error, type
local pcall, resume, xpcall = pcall, coroutine.resume, xpcall
local RAISED, RETHROWN, THROWN, ENDING = -1, -2, -3, -11 -- as in border.py

-- Whether a line is one of the bridge itself, which nobody wants to read about.
local function is_ours(source)
  return source:sub(1, 11) == '=functorch7'
end
border.is_ours = is_ours

-- The next frame of a program's own, from a level of the stack on, and its level; nothing outside of any program.
local function own_frame(level)
  while true do
    local frame = debug.getinfo(level, 'Sl')
    if not frame or (frame.currentline > 0 and not is_ours(frame.source)) then return frame, level - 1 end
    level = level + 1
  end
end

-- Where the program is there: its file and line in some form.
local function position(form, level)
  local frame = own_frame(level + 1)
  return frame and form:format(frame.short_src, frame.currentline) or ''
end

-- Raises what Python raised.
function border.fail(problem, kind)
  border.is_ending = kind == ENDING
  if kind == RAISED then error(position('%s:%d: ', 3) .. problem, 0) end
  if kind == RETHROWN or kind == ENDING then error(problem, 0) end
  error(border.decode(THROWN - kind, problem), 0)
end

-- Raises an error in these words, of Lua's line that led here.
function border.refuse(form, ...) border.fail(form:format(...), RAISED) end

function border.asked.place() return border.answered(position('%s:%d', 2)) end

-- Python's objects in local variables: their names and they, of the function that asks (1), or that called it (2).
function border.asked.local_objects(levels)
  local found, _, level = {}, own_frame(2)
  local place = 1
  while true do
    local name, value = debug.getlocal(level + levels - 1, place)
    if not name then return border.answered(found) end
    if (border.numbers[value] or 0) >= border.OBJECTS then found[#found + 1] = {name, value} end
    place = place + 1
  end
end

local traceback = debug.traceback

-- Lua's lines that led to here, without those of the bridge, of error and of xpcall.
function border.traceback(message, level)
  local lines = {}
  for line in traceback('', (level or 1) + 1):gmatch('[^\n]+') do
    local is_of_bridge = line:find('functorch7/', 1, true) or line:find("'what'", 1, true)
      or line:find("^%s*%[C%]: in function '[xe]")
    if not is_of_bridge then
      lines[#lines + 1] = line
    end
  end
  return (message and message .. '\n' or '') .. table.concat(lines, '\n')
end

function debug.traceback(first, ...)
  if type(first) == 'thread' then return traceback(first, ...) end
  if first ~= nil and type(first) ~= 'string' then return first end
  return border.traceback(first, ...)
end

-- What ends the program (os.exit, Ctrl-C) is an error on its way out, which no call of the program's catches.
local function unless_ending(ok, ...)
  if not ok and border.is_ending then error((...), 0) end
  return ok, ...
end

function _G.pcall(...) return unless_ending(pcall(...)) end

function _G.xpcall(what, handler, ...)
  local function handled(problem)
    if border.is_ending then return problem end
    return handler(problem)
  end
  return unless_ending(xpcall(what, handled, ...))
end

function coroutine.resume(...) return unless_ending(resume(...)) end

-- An error on its way to Python, as it crosses: its kind and what it says. Nothing else holds what is thrown meanwhile.
function border.noted(problem)
  border.is_ending, border.thrown = false, problem
  if type(problem) == 'string' then return {RAISED, problem, border.traceback(nil, 2)} end
  local code, value = border.encode(problem)
  return {THROWN - code, value, border.traceback(nil, 2)}
end

-- For Torch's Tester.
function border.asked.is_found(pattern, text) return text:find(pattern) ~= nil end
function border.asked.are_equal(code, value, other_code, other)
  return border.decode(code, value) == border.decode(other_code, other)
end
