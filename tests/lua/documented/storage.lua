-- torch.Storage
torch.IntStorage({1,2,3,4}) --> 1 2 3 4 [torch.IntStorage of size 4]
x = torch.DoubleStorage(10)
y = torch.DoubleStorage(x, 3, 5)
x:fill(0)
y:fill(1)
print(x) --> 0 0 1 1 1 1 1 0 0 0 [torch.DoubleStorage of size 10]
-- __torch.StorageMap
local file = io.open('hello.txt', 'w'); file:write('Hello World\n'); file:close()
x = torch.CharStorage('hello.txt')
x --> 72 101 108 108 111 32 87 111 114 108 100 10 [torch.CharStorage of size 12]
x:string() --> Hello World
x:fill(42):string() --> ************
io.open('hello.txt'):read('*a') --> Hello World
x = torch.CharStorage('hello.txt', true)
x:string() --> Hello World
x:fill(42)
io.open('hello.txt'):read('*a') --> ************
-- torch.Storage.string
x = torch.CharStorage():string("blah blah")
print(x) --> 98 108 97 104 32 98 108 97 104 [torch.CharStorage of size 9]
x = torch.CharStorage():string("blah blah")
print(x:string()) --> blah blah
