-- What coroutines need of the border. While one runs that was begun or gone on with on Lua's first stack, lupa takes what
-- that call was given for results of all that Python calls, and before these: a mark says where they begin (`asked.py`).
local border = ...
local asked, error = border.asked, error
local mark, is_marked = coroutine.create(function() end), false
local running, resume, wrap = coroutine.running, coroutine.resume, coroutine.wrap

function border.asked_as(name)
  local found = asked[name]
  return function(...)
    if is_marked then return mark, found(...) end
    return found(...)
  end
end

local function unmarked(...)
  is_marked = false
  return ...
end

function coroutine.resume(...)
  if is_marked or running() then return resume(...) end
  is_marked = true
  return unmarked(resume(...))
end

-- As above; an error says where the program went on, as it does without this.
local function finished(ok, ...)
  is_marked = false
  if not ok then error((...), 2) end
  return ...
end

function coroutine.wrap(body)
  local go_on = wrap(body)
  return function(...)
    if is_marked or running() then return go_on(...) end
    is_marked = true
    return finished(pcall(go_on, ...))
  end
end
