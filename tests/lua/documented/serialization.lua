-- torch.load
obj = {mat = torch.randn(10,10), name = '10', test = {entry = 1}}
torch.save('test.dat', obj)
obj = torch.load('test.dat')
print(obj) --> { mat : DoubleTensor - size: 10x10 name : "10" test : { entry : 1 } }
str = torch.serialize(obj)
obj = torch.deserialize(str)
print(obj) --> { mat : DoubleTensor - size: 10x10 name : "10" test : { entry : 1 } }
