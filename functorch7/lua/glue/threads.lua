-- The package threads, in one thread: a job runs when it is added, and what ends it when the program waits for it.
local border = ...

local Threads = {}
Threads.__index = Threads

local function make(_, count, ...)
  local made = setmetatable({N = count, waiting = {}, results = 0}, Threads)
  for thread = 1, count do
    for i = 1, select('#', ...) do (select(i, ...))(thread) end
    break -- all threads are this one, so that it begins once
  end
  return made
end

local function add(self, job, ending, ...)
  local results = {n = 0}
  local function keep(...) results = {n = select('#', ...), ...} end
  keep(job(...))
  table.insert(self.waiting, function() if ending then ending(unpack(results, 1, results.n)) end end)
end

function Threads:addjob(first, ...)
  if type(first) == 'number' then return add(self, ...) end -- the thread that is to run it
  return add(self, first, ...)
end

function Threads:dojob()
  local ending = table.remove(self.waiting, 1)
  if ending then ending() end
end

function Threads:synchronize()
  while #self.waiting > 0 do self:dojob() end
end

function Threads:acceptsjob() return #self.waiting < self.N end
function Threads:hasjob() return #self.waiting > 0 end
function Threads:haserror() return false end
function Threads:specific(value) return value == nil and false or self end
function Threads:terminate() self:synchronize() end

local package_threads = setmetatable({Threads = setmetatable({}, {__call = make}), serialization = function() end}, {
  __call = make,
})
package_threads.Threads.serialization = package_threads.serialization
package.preload.threads = function()
  _G.__threadid = _G.__threadid or 1
  return package_threads
end
