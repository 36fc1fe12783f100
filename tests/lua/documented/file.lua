-- torch.File.serialization
object = {1, 'two', torch.Tensor{3}}
file = torch.MemoryFile()
file:writeObject(object)
file:seek(1)
objectClone = file:readObject()
print(objectClone) --> { 1 : 1 2 : "two" 3 : DoubleTensor - size: 1 }
-- torch.File.readObject
array = {}
x = torch.Tensor(1)
table.insert(array, x)
table.insert(array, x)
array[1][1] = 3.14
print(x[1], array[1][1], array[2][1]) --> 3.14 3.14 3.14
file = torch.DiskFile('foo.asc', 'w')
file:writeObject(array)
file:close()
file = torch.DiskFile('foo.asc', 'r')
arrayNew = file:readObject()
print(arrayNew[1][1], arrayNew[2][1]) --> 3.14 3.14
arrayNew[1][1] = 2.72
print(arrayNew[1][1], arrayNew[2][1]) --> 2.72 2.72
