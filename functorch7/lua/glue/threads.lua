-- The package threads, in one thread: a job runs when it is added, and what ends it when the program waits for it; so is
-- its error raised. The threads of a pool have global variables of their own, as long as a job runs; they see those of
-- the program.
local border = ...
local getfenv, setfenv, setmetatable = getfenv, setfenv, setmetatable

local Threads = {}
Threads.__index = Threads

local function environment()
  local made = setmetatable({}, {__index = _G})
  made._G = made
  return made
end

-- Runs a job with the global variables of a pool: as pcall, with the lines that led to an error.
local function run(self, job, ...)
  local before, around = getfenv(job), border.environment
  setfenv(job, self.environment)
  border.environment = self.environment
  local results = {n = 0}
  local function keep(...) results = {n = select('#', ...), ...} end
  keep(xpcall(job, function(problem)
    return type(problem) == 'string' and debug.traceback('[thread 1 callback] ' .. problem, 2) or problem
  end, ...))
  setfenv(job, before)
  border.environment = around
  return unpack(results, 1, results.n)
end

local function checked(ok, ...)
  if not ok then error(..., 0) end
  return ...
end

local function make(_, count, ...)
  local made = setmetatable({N = count, waiting = {}, errors = 0, is_specific = false, environment = environment()}, Threads)
  local given, begun = {...}, {}
  for i = 1, #given do begun = {checked(run(made, given[i], 1))} end -- once: all threads are this one
  local results = {}
  for thread = 1, count do results[thread] = begun end
  return made, results
end

local function add(self, job, ending, ...)
  local is_done, results
  local function keep(ok, ...) is_done, results = ok, {n = select('#', ...), ...} end
  keep(run(self, job, ...))
  self.errors = self.errors + (is_done and 0 or 1)
  table.insert(self.waiting, function()
    self.errors = self.errors - (is_done and 0 or 1)
    if not is_done then error(results[1], 0) end
    if ending then ending(unpack(results, 1, results.n)) end
  end)
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
function Threads:haserror() return self.errors > 0 end

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

-- What keeps threads from each other, or wakes them, has nothing to do in one.
local shared = {}
local Shared = {}
Shared.__index = Shared
function Shared:id() return self.number end
for _, name in ipairs {'lock', 'unlock', 'signal', 'wait', 'free'} do Shared[name] = function() end end

local function make_shared(number)
  local found = shared[number or 0] or setmetatable({number = #shared + 1}, Shared)
  shared[found.number] = found
  return found
end
package_threads.Mutex, package_threads.Condition = make_shared, make_shared
function package_threads.safe(callback) return callback end

-- A thread of its own, which has run its code when it is there.
function package_threads.Thread(code)
  setfenv(assert(loadstring(code)), environment())()
  return setmetatable({number = 0}, Shared)
end
package_threads.Threads.serialization = package_threads.serialization
package.preload.threads = function()
  _G.__threadid = _G.__threadid or 1
  return package_threads
end
