-- The package threads, in one thread: a job runs when it is added, and what ends it when the program waits for it. The
-- threads of a pool have global variables of their own, as long as a job runs; they see those of the program.
local border = ...
local getfenv, setfenv, setmetatable = getfenv, setfenv, setmetatable

local Threads = {}
Threads.__index = Threads

local function environment()
  local made = setmetatable({}, {__index = _G})
  made._G = made
  return made
end

-- Runs a job with the global variables of a pool.
local function run(self, job, ...)
  local before, around = getfenv(job), border.environment
  setfenv(job, self.environment)
  border.environment = self.environment
  local results = {xpcall(job, function(problem) return problem end, ...)}
  setfenv(job, before)
  border.environment = around
  if not results[1] then error(results[2], 0) end
  return unpack(results, 2, table.maxn(results))
end

local function make(_, count, ...)
  local made = setmetatable({N = count, waiting = {}, is_specific = false, environment = environment()}, Threads)
  local given, begun = {...}, {}
  for i = 1, #given do begun = {run(made, given[i], 1)} end -- once: all threads are this one
  local results = {}
  for thread = 1, count do results[thread] = begun end
  return made, results
end

local function add(self, job, ending, ...)
  local results = {n = 0}
  local function keep(...) results = {n = select('#', ...), ...} end
  keep(run(self, job, ...))
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

-- Whether jobs say which thread is to run them; a change waits for those before it.
function Threads:specific(value)
  if value == nil then return self.is_specific end
  self:synchronize()
  self.is_specific = value
  return self
end

function Threads:terminate() self:synchronize() end

local package_threads = setmetatable({Threads = setmetatable({}, {__call = make}), serialization = function() end}, {
  __call = make,
})
package_threads.Threads.serialization = package_threads.serialization
package.preload.threads = function()
  _G.__threadid = _G.__threadid or 1
  return package_threads
end
