-- torch.CmdLine
function sorted_lines(name)
   local lines = {}
   for line in io.lines(name) do table.insert(lines, line) end
   table.sort(lines)
   return table.concat(lines, '\n')
end
function params_of(arg)
   cmd = torch.CmdLine()
   cmd:text()
   cmd:text()
   cmd:text('Training a simple network')
   cmd:text()
   cmd:text('Options')
   cmd:option('-seed',123,'initial random seed')
   cmd:option('-booloption',false,'boolean option')
   cmd:option('-stroption','mystring','string option')
   cmd:text()
   local params = cmd:parse(arg)
   params.rundir = cmd:string('experiment', params, {dir=true})
   paths.mkdir(params.rundir)
   cmd:silent()
   cmd:log(params.rundir .. '/log', params)
   return params
end
params = params_of{}
sorted_lines('experiment/log') --> [----------------------] [command line arguments] [program started on Tue Jan 10 15:33:49 2012] booloption false rundir experiment seed 123 stroption mystring
params = params_of{'-seed', '456', '-stroption', 'mycustomstring'}
sorted_lines('experiment,seed=456,stroption=mycustomstring/log') --> [----------------------] [command line arguments] [program started on Tue Jan 10 15:36:55 2012] booloption false rundir experiment,seed=456,stroption=mycustomstring seed 456 stroption mycustomstring
-- addTime
cmd = torch.CmdLine()
cmd:addTime('your project name','%F %T')
cmd:log('dated', {})
print('Your log message') --> [program started on ] [command line arguments] [----------------------] Your log message
io.open('dated'):read('*a'):match('%d+%-%d+%-%d+ %d+:%d+:%d+(%[[^%]]*%]: +Your log message)') --> [your project name]: Your log message
