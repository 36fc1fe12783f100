-- bit32, the operations on bits of Lua 5.2, by LuaJIT's: results are never negative, and what is shifted out is gone.
local bit = require 'bit'
local WORD = 2 ^ 32

local function unsigned(operation)
  return function(...) return operation(...) % WORD end
end

local function shift(operation, opposite)
  return function(value, places)
    if places < 0 then return opposite()(value, -places) end
    return places < 32 and operation(value, places) % WORD or 0
  end
end

package.preload.bit32 = function()
  local found = {bnot = unsigned(bit.bnot), lrotate = unsigned(bit.rol), rrotate = unsigned(bit.ror)}
  for name, neutral in pairs {band = -1, bor = 0, bxor = 0} do
    local operation = bit[name]
    found[name] = function(...) return operation(neutral, ...) % WORD end
  end
  found.lshift = shift(bit.lshift, function() return found.rshift end)
  found.rshift = shift(bit.rshift, function() return found.lshift end)
  function found.arshift(value, places)
    if places < 0 then return found.lshift(value, -places) end
    return bit.arshift(value, math.min(places, 31)) % WORD
  end
  function found.btest(...) return found.band(...) ~= 0 end
  function found.extract(value, place, width) return found.band(found.rshift(value, place), 2 ^ (width or 1) - 1) end
  function found.replace(value, content, place, width)
    local mask = 2 ^ (width or 1) - 1
    return found.bor(found.band(value, found.bnot(found.lshift(mask, place))), found.lshift(found.band(content, mask), place))
  end
  return found
end
