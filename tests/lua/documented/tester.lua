-- torch.Tester
mytest = torch.TestSuite()
tester = torch.Tester()
function mytest.testA()
   local a = torch.Tensor{1, 2, 3}
   local b = torch.Tensor{1, 2, 4}
   tester:eq(a, b, "a and b should be equal")
end
function mytest.testB()
   local a = {2, torch.Tensor{1, 2, 2}}
   local b = {2, torch.Tensor{1, 2, 2.001}}
   tester:eq(a, b, 0.01, "a and b should be approximately equal")
end
function mytest.testC()
   local function myfunc()
      return "hello " .. world
   end
   tester:assertNoError(myfunc, "myfunc shouldn't give an error")
end
tester:add(mytest)
_, problem = pcall(tester.run, tester) --> Running 3 tests 1/3 testA ............................................................... [FAIL] 2/3 testB ............................................................... [PASS] 3/3 testC ............................................................... [FAIL] Completed 3 asserts in 3 tests with 2 failures and 0 errors
--> -------------------------------------------------------------------------------- testA a and b should be equal TensorEQ(==) violation: max diff=1, tolerance=0
--> -------------------------------------------------------------------------------- testC myfunc shouldn't give an error ERROR violation: err=stdin:3: attempt to concatenate global 'world' (a nil value)
--> --------------------------------------------------------------------------------
print(problem) --> stdin:1: An error was found while running tests!
-- disable
tester = torch.Tester()
tests = torch.TestSuite()
function tests.brokenTest()
end
_ = tester:add(tests):disable('brokenTest'):run() --> Running 1 test 1/1 brokenTest .......................................................... [SKIP] Completed 0 asserts in 1 test with 0 failures and 0 errors and 1 disabled
-- torch.TestSuite
test = torch.TestSuite()
function test.myTest()
end
_, problem = pcall(function() function test.myTest() end end)
print(problem) --> stdin:1: Test myTest is already defined.
-- torch.Tester.run, torch.Tester.assertErrorPattern
tester = torch.Tester()
tests = torch.TestSuite()
function tests.test1()
   tester:assertErrorPattern(function() error('size (3) is wrong') end, 'size %(%d%)')
end
function tests.test2()
end
tester:add(tests)
_ = tester:run('%a1$') --> Running 1 test 1/1 test1 ............................................................... [PASS] Completed 1 assert in 1 test with 0 failures and 0 errors
