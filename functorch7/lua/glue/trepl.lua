-- What trepl, the prompt of `th`, gives all programs beside `print`.
local border = ...

local function described(value)
  if type(value) == 'string' then
    local text = value:gsub('\n', '\\n')
    return ('string : "%s"'):format(#text > 40 and text:sub(1, 40) .. '...' or text)
  end
  if type(value) == 'table' then
    return torch.type(value) == 'table' and 'table - size: ' .. #value or torch.type(value)
  end
  return border.size_shown(value) or tostring(value)
end

local first -- the variables that are there before the program

-- Prints names and values of the program's variables, with `all` after those of all others.
function who(all)
  local names, longest = {[true] = {}, [false] = {}}, 0
  for name, value in pairs(_G) do
    table.insert(names[first[name] == nil], tostring(name))
    longest = math.max(longest, #tostring(name))
  end
  for _, are_new in ipairs(all and {false, true} or {true}) do
    print(are_new and '== User Variables ==' or '== System Variables ==')
    table.sort(names[are_new])
    for _, name in ipairs(names[are_new]) do
      print(('[%s]%s = %s'):format(name, (' '):rep(longest - #name), described(_G[name])))
    end
  end
  print '=='
end

-- Requires a package, and makes what it has global variables; those that are there stay, unless they are forced away.
function import(package, forced)
  local found = require(package)
  local symbols = _G[package] or found
  if type(symbols) ~= 'table' then return end
  for name, value in pairs(border.content_of_namespace(symbols) or symbols) do
    if forced or _G[name] == nil then _G[name] = value end
  end
end

_RESULTS, _LAST = {}, '' -- what a prompt's expressions gave
first = border.noted_globals()
