-- torch.Tensor.dok
x = torch.Tensor(torch.LongStorage{4, 5, 6, 2, 7, 3})
x:nDimension() --> 6
x:size() --> 4 5 6 2 7 3 [torch.LongStorage of size 6]
x = torch.Tensor(4,5)
s = x:storage()
for i=1,s:size() do
  s[i] = i
end
x --> 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 [torch.DoubleTensor of size 4x5]
x = torch.Tensor(4,5)
i = 0
x:apply(function()
  i = i + 1
  return i
end)
x --> 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 [torch.DoubleTensor of size 4x5]
x:stride() --> 5 1 [torch.LongStorage of size 2]
x = torch.Tensor(5):zero()
x --> 0 0 0 0 0 [torch.DoubleTensor of size 5]
x:narrow(1, 2, 3):fill(1)
x --> 0 1 1 1 0 [torch.DoubleTensor of size 5]
-- torch.Tensor
x = torch.Tensor(2,5):fill(3.14)
x --> 3.1400 3.1400 3.1400 3.1400 3.1400 3.1400 3.1400 3.1400 3.1400 3.1400 [torch.DoubleTensor of size 2x5]
y = torch.Tensor(x)
y --> 3.1400 3.1400 3.1400 3.1400 3.1400 3.1400 3.1400 3.1400 3.1400 3.1400 [torch.DoubleTensor of size 2x5]
y:zero()
x --> 0 0 0 0 0 0 0 0 0 0 [torch.DoubleTensor of size 2x5]
x = torch.Tensor(torch.LongStorage({4}), torch.LongStorage({0})):zero()
x[1] = 1
x --> 1 1 1 1 [torch.DoubleTensor of size 4]
a = torch.LongStorage({1,2})
b = torch.FloatTensor(a)
b:size() --> 1 2 [torch.LongStorage of size 2]
c = torch.LongTensor(a)
c --> 1 2 [torch.LongTensor of size 2]
s = torch.Storage(10):fill(1)
x = torch.Tensor(s, 1, torch.LongStorage{2,5})
x --> 1 1 1 1 1 1 1 1 1 1 [torch.DoubleTensor of size 2x5]
x:zero()
s --> 0 0 0 0 0 0 0 0 0 0 [torch.DoubleStorage of size 10]
torch.Tensor({{1,2,3,4}, {5,6,7,8}}) --> 1 2 3 4 5 6 7 8 [torch.DoubleTensor of size 2x4]
-- torch.Tensor.clone
i = 0
x = torch.Tensor(5):apply(function(x)
  i = i + 1
  return i
end)
x --> 1 2 3 4 5 [torch.DoubleTensor of size 5]
y = x:clone()
y --> 1 2 3 4 5 [torch.DoubleTensor of size 5]
y:fill(1)
y --> 1 1 1 1 1 [torch.DoubleTensor of size 5]
x --> 1 2 3 4 5 [torch.DoubleTensor of size 5]
-- torch.Tensor.contiguous
x = torch.Tensor(2,3):fill(1)
x --> 1 1 1 1 1 1 [torch.DoubleTensor of size 2x3]
y = x:contiguous():fill(2)
y --> 2 2 2 2 2 2 [torch.DoubleTensor of size 2x3]
x --> 2 2 2 2 2 2 [torch.DoubleTensor of size 2x3]
z = x:t():contiguous():fill(3.14)
z --> 3.1400 3.1400 3.1400 3.1400 3.1400 3.1400 [torch.DoubleTensor of size 3x2]
x --> 2 2 2 2 2 2 [torch.DoubleTensor of size 2x3]
-- torch.type
torch.Tensor():type() --> torch.DoubleTensor
x = torch.Tensor(3):fill(3.14)
x --> 3.1400 3.1400 3.1400 [torch.DoubleTensor of size 3]
y = x:type('torch.DoubleTensor')
y --> 3.1400 3.1400 3.1400 [torch.DoubleTensor of size 3]
y:zero()
x --> 0 0 0 [torch.DoubleTensor of size 3]
x = torch.Tensor(3):fill(3.14)
x --> 3.1400 3.1400 3.1400 [torch.DoubleTensor of size 3]
y = x:type('torch.IntTensor')
y --> 3 3 3 [torch.IntTensor of size 3]
-- torch.isTensor
torch.isTensor(torch.randn(3,4)) --> true
torch.isTensor(torch.randn(3,4)[1]) --> true
torch.isTensor(torch.randn(3,4)[1][2]) --> false
-- torch.Tensor.float
x = torch.Tensor(3):fill(3.14)
x --> 3.1400 3.1400 3.1400 [torch.DoubleTensor of size 3]
x:type('torch.IntTensor') --> 3 3 3 [torch.IntTensor of size 3]
x:int() --> 3 3 3 [torch.IntTensor of size 3]
-- torch.nDimension
x = torch.Tensor(4,5)
x:nDimension() --> 2
-- torch.Tensor.size
x = torch.Tensor(4,5):zero()
x --> 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 [torch.DoubleTensor of size 4x5]
x:size(2) --> 5
x = torch.Tensor(4,5):zero()
x --> 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 [torch.DoubleTensor of size 4x5]
x:size() --> 4 5 [torch.LongStorage of size 2]
-- torch.Tensor.stride
x = torch.Tensor(4,5):zero()
x --> 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 [torch.DoubleTensor of size 4x5]
x:stride(2) --> 1
x:stride(1) --> 5
x = torch.Tensor(4,5):zero()
x --> 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 [torch.DoubleTensor of size 4x5]
x:stride() --> 5 1 [torch.LongStorage of size 2]
-- torch.storage
x = torch.Tensor(4,5)
s = x:storage()
for i=1,s:size() do
  s[i] = i
end
x --> 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 [torch.DoubleTensor of size 4x5]
-- torch.Tensor.isContiguous
x = torch.randn(4,5)
x:isContiguous() --> true
y = x:select(2, 3)
y:isContiguous() --> false
y:stride() --> 5 [torch.LongStorage of size 1]
-- torch.Tensor.isSize
x = torch.Tensor(4,5)
y = torch.LongStorage({4,5})
z = torch.LongStorage({5,4,1})
x:isSize(y) --> true
x:isSize(z) --> false
x:isSize(x:size()) --> true
-- torch.Tensor.isSameSizeAs
x = torch.Tensor(4,5)
y = torch.Tensor(4,5)
x:isSameSizeAs(y) --> true
y = torch.Tensor(4,6)
x:isSameSizeAs(y) --> false
-- torch.Tensor.nElement
x = torch.Tensor(4,5)
x:nElement() --> 20
-- torch.__index__
x = torch.Tensor(3,3)
i = 0; x:apply(function() i = i + 1; return i end)
x --> 1 2 3 4 5 6 7 8 9 [torch.DoubleTensor of size 3x3]
x[2] --> 4 5 6 [torch.DoubleTensor of size 3]
x[2][3] --> 6
x[{2,3}] --> 6
x[torch.LongStorage{2,3}] --> 6
x[torch.le(x,3)] --> 1 2 3 [torch.DoubleTensor of size 3]
-- torch.Tensor.set
x = torch.Tensor(2,5):fill(3.14)
x --> 3.1400 3.1400 3.1400 3.1400 3.1400 3.1400 3.1400 3.1400 3.1400 3.1400 [torch.DoubleTensor of size 2x5]
y = torch.Tensor():set(x)
y --> 3.1400 3.1400 3.1400 3.1400 3.1400 3.1400 3.1400 3.1400 3.1400 3.1400 [torch.DoubleTensor of size 2x5]
y:zero()
x --> 0 0 0 0 0 0 0 0 0 0 [torch.DoubleTensor of size 2x5]
-- torch.Tensor.isSetTo
x = torch.Tensor(2,5)
y = torch.Tensor()
y:isSetTo(x) --> false
y:set(x)
y:isSetTo(x) --> true
y:t():isSetTo(x) --> false
-- torch.Tensor.set
s = torch.Storage(10):fill(1)
sz = torch.LongStorage({2,5})
x = torch.Tensor()
x:set(s, 1, sz)
x --> 1 1 1 1 1 1 1 1 1 1 [torch.DoubleTensor of size 2x5]
x:zero()
s --> 0 0 0 0 0 0 0 0 0 0 [torch.DoubleStorage of size 10]
-- torch.Tensor.copy
x = torch.Tensor(4):fill(1)
y = torch.Tensor(2,2):copy(x)
x --> 1 1 1 1 [torch.DoubleTensor of size 4]
y --> 1 1 1 1 [torch.DoubleTensor of size 2x2]
-- torch.fill
torch.DoubleTensor(4):fill(3.14) --> 3.1400 3.1400 3.1400 3.1400 [torch.DoubleTensor of size 4]
-- torch.zero
torch.Tensor(4):zero() --> 0 0 0 0 [torch.DoubleTensor of size 4]
-- torch.Tensor.narrow
x = torch.Tensor(5, 6):zero()
x --> 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 [torch.DoubleTensor of size 5x6]
y = x:narrow(1, 2, 3)
y:fill(1)
y --> 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 [torch.DoubleTensor of size 3x6]
x --> 0 0 0 0 0 0 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 0 0 0 0 0 0 [torch.DoubleTensor of size 5x6]
-- torch.Tensor.sub
x = torch.Tensor(5, 6):zero()
x --> 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 [torch.DoubleTensor of size 5x6]
y = x:sub(2,4):fill(1)
y --> 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 [torch.DoubleTensor of size 3x6]
x --> 0 0 0 0 0 0 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 0 0 0 0 0 0 [torch.DoubleTensor of size 5x6]
z = x:sub(2,4,3,4):fill(2)
z --> 2 2 2 2 2 2 [torch.DoubleTensor of size 3x2]
x --> 0 0 0 0 0 0 1 1 2 2 1 1 1 1 2 2 1 1 1 1 2 2 1 1 0 0 0 0 0 0 [torch.DoubleTensor of size 5x6]
y --> 1 1 2 2 1 1 1 1 2 2 1 1 1 1 2 2 1 1 [torch.DoubleTensor of size 3x6]
y:sub(-1, -1, 3, 4) --> 2 2 [torch.DoubleTensor of size 1x2]
-- torch.Tensor.select
x = torch.Tensor(5,6):zero()
x --> 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 [torch.DoubleTensor of size 5x6]
y = x:select(1, 2):fill(2)
y --> 2 2 2 2 2 2 [torch.DoubleTensor of size 6]
x --> 0 0 0 0 0 0 2 2 2 2 2 2 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 [torch.DoubleTensor of size 5x6]
z = x:select(2,5):fill(5)
z --> 5 5 5 5 5 [torch.DoubleTensor of size 5]
x --> 0 0 0 0 5 0 2 2 2 2 5 2 0 0 0 0 5 0 0 0 0 0 5 0 0 0 0 0 5 0 [torch.DoubleTensor of size 5x6]
-- torch.Tensor.indexing
x = torch.Tensor(5, 6):zero()
x --> 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 [torch.DoubleTensor of size 5x6]
x[{ 1,3 }] = 1
x --> 0 0 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 [torch.DoubleTensor of size 5x6]
x[{ 2,{2,4} }] = 2
x --> 0 0 1 0 0 0 0 2 2 2 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 [torch.DoubleTensor of size 5x6]
x[{ {},4 }] = -1
x --> 0 0 1 -1 0 0 0 2 2 -1 0 0 0 0 0 -1 0 0 0 0 0 -1 0 0 0 0 0 -1 0 0 [torch.DoubleTensor of size 5x6]
x[{ {},2 }] = torch.range(1,5)
x --> 0 1 1 -1 0 0 0 2 2 -1 0 0 0 3 0 -1 0 0 0 4 0 -1 0 0 0 5 0 -1 0 0 [torch.DoubleTensor of size 5x6]
x[torch.lt(x,0)] = -2
x --> 0 1 1 -2 0 0 0 2 2 -2 0 0 0 3 0 -2 0 0 0 4 0 -2 0 0 0 5 0 -2 0 0 [torch.DoubleTensor of size 5x6]
-- torch.Tensor.index
x = torch.DoubleTensor{{0.8020, 0.7246, 0.1204, 0.3419, 0.4385}, {0.0369, 0.4158, 0.0985, 0.3024, 0.8186}, {0.2746,
  0.9362, 0.2546, 0.8586, 0.6674}, {0.7473, 0.9028, 0.1046, 0.9085, 0.6622}, {0.1412, 0.6784, 0.1624, 0.8113, 0.3949}}
x
--> 0.8020 0.7246 0.1204 0.3419 0.4385 0.0369 0.4158 0.0985 0.3024 0.8186 0.2746 0.9362 0.2546 0.8586 0.6674 0.7473
--> 0.9028 0.1046 0.9085 0.6622 0.1412 0.6784 0.1624 0.8113 0.3949 [torch.DoubleTensor of size 5x5]
y = x:index(1,torch.LongTensor{3,1})
y --> 0.2746 0.9362 0.2546 0.8586 0.6674 0.8020 0.7246 0.1204 0.3419 0.4385 [torch.DoubleTensor of size 2x5]
y:fill(1)
y --> 1 1 1 1 1 1 1 1 1 1 [torch.DoubleTensor of size 2x5]
x
--> 0.8020 0.7246 0.1204 0.3419 0.4385 0.0369 0.4158 0.0985 0.3024 0.8186 0.2746 0.9362 0.2546 0.8586 0.6674 0.7473
--> 0.9028 0.1046 0.9085 0.6622 0.1412 0.6784 0.1624 0.8113 0.3949 [torch.DoubleTensor of size 5x5]
x = torch.DoubleTensor{{0.8020, 0.7246, 0.1204, 0.3419, 0.4385}, {0.0369, 0.4158, 0.0985, 0.3024, 0.8186}, {0.2746,
  0.9362, 0.2546, 0.8586, 0.6674}, {0.7473, 0.9028, 0.1046, 0.9085, 0.6622}, {0.1412, 0.6784, 0.1624, 0.8113, 0.3949}}
x
--> 0.8020 0.7246 0.1204 0.3419 0.4385 0.0369 0.4158 0.0985 0.3024 0.8186 0.2746 0.9362 0.2546 0.8586 0.6674 0.7473
--> 0.9028 0.1046 0.9085 0.6622 0.1412 0.6784 0.1624 0.8113 0.3949 [torch.DoubleTensor of size 5x5]
y = torch.Tensor()
y:index(x,1,torch.LongTensor{3,1})
y --> 0.2746 0.9362 0.2546 0.8586 0.6674 0.8020 0.7246 0.1204 0.3419 0.4385 [torch.DoubleTensor of size 2x5]
-- torch.Tensor.indexCopy, of the last x
x
--> 0.8020 0.7246 0.1204 0.3419 0.4385 0.0369 0.4158 0.0985 0.3024 0.8186 0.2746 0.9362 0.2546 0.8586 0.6674 0.7473
--> 0.9028 0.1046 0.9085 0.6622 0.1412 0.6784 0.1624 0.8113 0.3949 [torch.DoubleTensor of size 5x5]
z=torch.Tensor(5,2)
z:select(2,1):fill(-1)
z:select(2,2):fill(-2)
z --> -1 -2 -1 -2 -1 -2 -1 -2 -1 -2 [torch.DoubleTensor of size 5x2]
x:indexCopy(2,torch.LongTensor{5,1},z)
x
--> -2.0000 0.7246 0.1204 0.3419 -1.0000 -2.0000 0.4158 0.0985 0.3024 -1.0000 -2.0000 0.9362 0.2546 0.8586 -1.0000
--> -2.0000 0.9028 0.1046 0.9085 -1.0000 -2.0000 0.6784 0.1624 0.8113 -1.0000 [torch.DoubleTensor of size 5x5]
-- torch.Tensor.indexAdd
x = torch.DoubleTensor{-2.1742, 0.5688, -1.0201, 0.1383, 1.0504, 0.0970, 0.2169, 0.1324, 0.9553, -1.9518, -0.7607, 0.8947,
  0.1658, -0.2181, -2.1237, -1.4099, 0.2342, 0.4549, 0.6316, -0.2608, 0.0349, 0.4713, 0.0050, 0.1677, 0.2103}:view(5, 5)
x
--> -2.1742 0.5688 -1.0201 0.1383 1.0504 0.0970 0.2169 0.1324 0.9553 -1.9518 -0.7607 0.8947 0.1658 -0.2181 -2.1237
--> -1.4099 0.2342 0.4549 0.6316 -0.2608 0.0349 0.4713 0.0050 0.1677 0.2103 [torch.DoubleTensor of size 5x5]
z=torch.Tensor(5, 2)
z:select(2,1):fill(-1)
z:select(2,2):fill(-2)
z --> -1 -2 -1 -2 -1 -2 -1 -2 -1 -2 [torch.DoubleTensor of size 5x2]
x:indexAdd(2,torch.LongTensor{5,1},z)
x
--> -4.1742 0.5688 -1.0201 0.1383 0.0504 -1.9030 0.2169 0.1324 0.9553 -2.9518 -2.7607 0.8947 0.1658 -0.2181 -3.1237
--> -3.4099 0.2342 0.4549 0.6316 -1.2608 -1.9651 0.4713 0.0050 0.1677 -0.7897 [torch.DoubleTensor of size 5x5]
a = torch.range(1, 5)
a --> 1 2 3 4 5 [torch.DoubleTensor of size 5]
a:indexAdd(1, torch.LongTensor{1, 1, 3, 3}, torch.range(1, 4))
a --> 4 2 10 4 5 [torch.DoubleTensor of size 5]
-- torch.Tensor.indexFill
x = torch.DoubleTensor{{0.8414, 0.4121, 0.3934, 0.5600, 0.5403}, {0.3029, 0.2040, 0.7893, 0.6079, 0.6334}, {0.3743,
  0.1389, 0.1573, 0.1357, 0.8460}, {0.2838, 0.9925, 0.0076, 0.7220, 0.5185}, {0.8739, 0.6887, 0.4271, 0.0385, 0.9116}}
x
--> 0.8414 0.4121 0.3934 0.5600 0.5403 0.3029 0.2040 0.7893 0.6079 0.6334 0.3743 0.1389 0.1573 0.1357 0.8460 0.2838
--> 0.9925 0.0076 0.7220 0.5185 0.8739 0.6887 0.4271 0.0385 0.9116 [torch.DoubleTensor of size 5x5]
x:indexFill(2,torch.LongTensor{4,2},-10)
x
--> 0.8414 -10.0000 0.3934 -10.0000 0.5403 0.3029 -10.0000 0.7893 -10.0000 0.6334 0.3743 -10.0000 0.1573 -10.0000
--> 0.8460 0.2838 -10.0000 0.0076 -10.0000 0.5185 0.8739 -10.0000 0.4271 -10.0000 0.9116 [torch.DoubleTensor of size
--> 5x5]
-- torch.Tensor.gather
x = torch.DoubleTensor{{0.7259, 0.5291, 0.4559, 0.4367, 0.4133}, {0.0513, 0.4404, 0.4741, 0.0658, 0.0653}, {0.3393,
  0.1735, 0.6439, 0.1011, 0.7923}, {0.7606, 0.5025, 0.5706, 0.7193, 0.1572}, {0.1720, 0.3546, 0.8354, 0.8339, 0.3025}}
x
--> 0.7259 0.5291 0.4559 0.4367 0.4133 0.0513 0.4404 0.4741 0.0658 0.0653 0.3393 0.1735 0.6439 0.1011 0.7923 0.7606
--> 0.5025 0.5706 0.7193 0.1572 0.1720 0.3546 0.8354 0.8339 0.3025 [torch.DoubleTensor of size 5x5]
y = x:gather(1, torch.LongTensor{{1, 2, 3, 4, 5}, {2, 3, 4, 5, 1}})
y --> 0.7259 0.4404 0.6439 0.7193 0.3025 0.0513 0.1735 0.5706 0.8339 0.4133 [torch.DoubleTensor of size 2x5]
z = x:gather(2, torch.LongTensor{{1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 1}})
z --> 0.7259 0.5291 0.4404 0.4741 0.6439 0.1011 0.7193 0.1572 0.3025 0.1720 [torch.DoubleTensor of size 5x2]
-- torch.Tensor.scatter
x = torch.DoubleTensor{{0.3227, 0.4294, 0.8476, 0.9414, 0.1159}, {0.7338, 0.5185, 0.2947, 0.0578, 0.1273}}
x --> 0.3227 0.4294 0.8476 0.9414 0.1159 0.7338 0.5185 0.2947 0.0578 0.1273 [torch.DoubleTensor of size 2x5]
y = torch.zeros(3, 5):scatter(1, torch.LongTensor{{1, 2, 3, 1, 1}, {3, 1, 1, 2, 3}}, x)
y
--> 0.3227 0.5185 0.2947 0.9414 0.1159 0.0000 0.4294 0.0000 0.0578 0.0000 0.7338 0.0000 0.8476 0.0000 0.1273
--> [torch.DoubleTensor of size 3x5]
z = torch.zeros(2, 4):scatter(2, torch.LongTensor{{3}, {4}}, 1.23)
z --> 0.0000 0.0000 1.2300 0.0000 0.0000 0.0000 0.0000 1.2300 [torch.DoubleTensor of size 2x4]
-- torch.Tensor.maskedSelect
x = torch.range(1,12):double():resize(3,4)
x --> 1 2 3 4 5 6 7 8 9 10 11 12 [torch.DoubleTensor of size 3x4]
mask = torch.ByteTensor{{1, 0, 1, 0, 0, 0}, {1, 1, 0, 0, 0, 1}}
mask --> 1 0 1 0 0 0 1 1 0 0 0 1 [torch.ByteTensor of size 2x6]
y = x:maskedSelect(mask)
y --> 1 3 7 8 12 [torch.DoubleTensor of size 5]
z = torch.DoubleTensor()
z:maskedSelect(x, mask)
z --> 1 3 7 8 12 [torch.DoubleTensor of size 5]
-- torch.Tensor.maskedCopy
x = torch.Tensor({0, 0, 0, 0})
mask = torch.ByteTensor({0, 1, 0, 1})
y = torch.Tensor({10, 20})
x:maskedCopy(mask,y)
print(x) --> 0 10 0 20 [torch.DoubleTensor of size 4]
x = torch.range(1,4):double():resize(2,2)
x --> 1 2 3 4 [torch.DoubleTensor of size 2x2]
mask = torch.ByteTensor{{0, 0, 1, 1, 1, 0, 1, 0}}
mask --> 0 0 1 1 1 0 1 0 [torch.ByteTensor of size 1x8]
y = torch.DoubleTensor(2,4):fill(-1)
y --> -1 -1 -1 -1 -1 -1 -1 -1 [torch.DoubleTensor of size 2x4]
y:maskedCopy(mask, x)
y --> -1 -1 1 2 3 -1 4 -1 [torch.DoubleTensor of size 2x4]
-- torch.Tensor.maskedFill
x = torch.range(1,4):double():resize(1,4)
x --> 1 2 3 4 [torch.DoubleTensor of size 1x4]
mask = torch.ByteTensor{{0, 0}, {1, 1}}
mask --> 0 0 1 1 [torch.ByteTensor of size 2x2]
x:maskedFill(mask, -1)
x --> 1 2 -1 -1 [torch.DoubleTensor of size 1x4]
-- torch.Tensor.nonzero
x = torch.IntTensor{{2, 0, 2, 0}, {0, 0, 1, 2}, {0, 2, 2, 1}, {2, 1, 2, 2}}
x --> 2 0 2 0 0 0 1 2 0 2 2 1 2 1 2 2 [torch.IntTensor of size 4x4]
torch.nonzero(x) --> 1 1 1 3 2 3 2 4 3 2 3 3 3 4 4 1 4 2 4 3 4 4 [torch.LongTensor of size 11x2]
x:nonzero() --> 1 1 1 3 2 3 2 4 3 2 3 3 3 4 4 1 4 2 4 3 4 4 [torch.LongTensor of size 11x2]
indices = torch.LongTensor()
x.nonzero(indices, x) --> 1 1 1 3 2 3 2 4 3 2 3 3 3 4 4 1 4 2 4 3 4 4 [torch.LongTensor of size 11x2]
x:eq(1):nonzero() --> 2 3 3 4 4 2 [torch.LongTensor of size 3x2]
-- torch.expand
x = torch.DoubleTensor{{0.3837}, {0.5966}, {0.0763}, {0.1896}, {0.4958}, {0.6841}, {0.4038}, {0.4068}, {0.1502},
  {0.2239}}
x --> 0.3837 0.5966 0.0763 0.1896 0.4958 0.6841 0.4038 0.4068 0.1502 0.2239 [torch.DoubleTensor of size 10x1]
y = torch.expand(x,10,2)
y
--> 0.3837 0.3837 0.5966 0.5966 0.0763 0.0763 0.1896 0.1896 0.4958 0.4958 0.6841 0.6841 0.4038 0.4038 0.4068 0.4068
--> 0.1502 0.1502 0.2239 0.2239 [torch.DoubleTensor of size 10x2]
y:fill(1)
y --> 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 [torch.DoubleTensor of size 10x2]
x --> 1 1 1 1 1 1 1 1 1 1 [torch.DoubleTensor of size 10x1]
i=0; y:apply(function() i=i+1;return i end)
y --> 2 2 4 4 6 6 8 8 10 10 12 12 14 14 16 16 18 18 20 20 [torch.DoubleTensor of size 10x2]
x --> 2 4 6 8 10 12 14 16 18 20 [torch.DoubleTensor of size 10x1]
-- torch.repeatTensor
x = torch.DoubleTensor{0.7160, 0.6514, 0.0704, 0.7856, 0.7452}
x --> 0.7160 0.6514 0.0704 0.7856 0.7452 [torch.DoubleTensor of size 5]
torch.repeatTensor(x,3,2)
--> 0.7160 0.6514 0.0704 0.7856 0.7452 0.7160 0.6514 0.0704 0.7856 0.7452 0.7160 0.6514 0.0704 0.7856 0.7452 0.7160
--> 0.6514 0.0704 0.7856 0.7452 0.7160 0.6514 0.0704 0.7856 0.7452 0.7160 0.6514 0.0704 0.7856 0.7452
--> [torch.DoubleTensor of size 3x10]
torch.repeatTensor(x,3,2,1)
--> (1,.,.) = 0.7160 0.6514 0.0704 0.7856 0.7452 0.7160 0.6514 0.0704 0.7856 0.7452 (2,.,.) = 0.7160 0.6514 0.0704
--> 0.7856 0.7452 0.7160 0.6514 0.0704 0.7856 0.7452 (3,.,.) = 0.7160 0.6514 0.0704 0.7856 0.7452 0.7160 0.6514 0.0704
--> 0.7856 0.7452 [torch.DoubleTensor of size 3x2x5]
-- torch.squeeze
x = torch.DoubleTensor{{0.6020, 0.8897}, {0.4713, 0.2645}, {0.4441, 0.9792}, {0.5467, 0.8648}}
x = x:view(2, 2, 2):transpose(1, 2):contiguous():view(2, 1, 2, 1, 2)
x
--> (1,1,1,.,.) = 0.6020 0.8897 (2,1,1,.,.) = 0.4713 0.2645 (1,1,2,.,.) = 0.4441 0.9792 (2,1,2,.,.) = 0.5467 0.8648
--> [torch.DoubleTensor of size 2x1x2x1x2]
torch.squeeze(x)
--> (1,.,.) = 0.6020 0.8897 0.4441 0.9792 (2,.,.) = 0.4713 0.2645 0.5467 0.8648 [torch.DoubleTensor of size 2x2x2]
torch.squeeze(x,2)
--> (1,1,.,.) = 0.6020 0.8897 (2,1,.,.) = 0.4713 0.2645 (1,2,.,.) = 0.4441 0.9792 (2,2,.,.) = 0.5467 0.8648
--> [torch.DoubleTensor of size 2x2x1x2]
-- torch.view
x = torch.zeros(4)
x:view(2,2) --> 0 0 0 0 [torch.DoubleTensor of size 2x2]
x:view(2,-1) --> 0 0 0 0 [torch.DoubleTensor of size 2x2]
x:view(torch.LongStorage{2,2}) --> 0 0 0 0 [torch.DoubleTensor of size 2x2]
x --> 0 0 0 0 [torch.DoubleTensor of size 4]
-- torch.viewAs
x = torch.zeros(4)
y = torch.Tensor(2,2)
x:viewAs(y) --> 0 0 0 0 [torch.DoubleTensor of size 2x2]
-- torch.Tensor.transpose
x = torch.Tensor(3,4):zero()
x:select(2,3):fill(7)
x --> 0 0 7 0 0 0 7 0 0 0 7 0 [torch.DoubleTensor of size 3x4]
y = x:transpose(1,2)
y --> 0 0 0 0 0 0 7 7 7 0 0 0 [torch.DoubleTensor of size 4x3]
y:select(2, 3):fill(8)
y --> 0 0 8 0 0 8 7 7 8 0 0 8 [torch.DoubleTensor of size 4x3]
x --> 0 0 7 0 0 0 7 0 8 8 8 8 [torch.DoubleTensor of size 3x4]
-- torch.Tensor.t
x = torch.Tensor(3,4):zero()
x:select(2,3):fill(7)
y = x:t()
y --> 0 0 0 0 0 0 7 7 7 0 0 0 [torch.DoubleTensor of size 4x3]
x --> 0 0 7 0 0 0 7 0 0 0 7 0 [torch.DoubleTensor of size 3x4]
-- torch.Tensor.permute
x = torch.Tensor(3,4,2,5)
x:size() --> 3 4 2 5 [torch.LongStorage of size 4]
y = x:permute(2,3,1,4)
y:size() --> 4 2 3 5 [torch.LongStorage of size 4]
-- torch.Tensor.unfold
x = torch.Tensor(7)
for i=1,7 do x[i] = i end
x --> 1 2 3 4 5 6 7 [torch.DoubleTensor of size 7]
x:unfold(1, 2, 1) --> 1 2 2 3 3 4 4 5 5 6 6 7 [torch.DoubleTensor of size 6x2]
x:unfold(1, 2, 2) --> 1 2 3 4 5 6 [torch.DoubleTensor of size 3x2]
-- torch.Tensor.apply
i = 0
z = torch.Tensor(3,3)
z:apply(function(x)
  i = i + 1
  return i
end)
z --> 1 2 3 4 5 6 7 8 9 [torch.DoubleTensor of size 3x3]
z:apply(math.sin)
z --> 0.8415 0.9093 0.1411 -0.7568 -0.9589 -0.2794 0.6570 0.9894 0.4121 [torch.DoubleTensor of size 3x3]
sum = 0
z:apply(function(x)
  sum = sum + x
end)
sum --> 1.9552094821074
z:sum() --> 1.9552094821074
-- torch.Tensor.map
x = torch.Tensor(3,3)
y = torch.Tensor(9)
i = 0
x:apply(function() i = i + 1; return i end)
i = 0
y:apply(function() i = i + 1; return i end)
x --> 1 2 3 4 5 6 7 8 9 [torch.DoubleTensor of size 3x3]
y --> 1 2 3 4 5 6 7 8 9 [torch.DoubleTensor of size 9]
x:map(y, function(xx, yy) return xx*yy end)
x --> 1 4 9 16 25 36 49 64 81 [torch.DoubleTensor of size 3x3]
-- torch.Tensor.map2
x = torch.Tensor(3,3)
y = torch.Tensor(9)
z = torch.Tensor(3,3)
i = 0; x:apply(function() i = i + 1; return math.cos(i)*math.cos(i) end)
i = 0; y:apply(function() i = i + 1; return i end)
i = 0; z:apply(function() i = i + 1; return i end)
x --> 0.2919 0.1732 0.9801 0.4272 0.0805 0.9219 0.5684 0.0212 0.8302 [torch.DoubleTensor of size 3x3]
y --> 1 2 3 4 5 6 7 8 9 [torch.DoubleTensor of size 9]
z --> 1 2 3 4 5 6 7 8 9 [torch.DoubleTensor of size 3x3]
x:map2(y, z, function(xx, yy, zz) return xx+yy*zz end)
x --> 1.2919 4.1732 9.9801 16.4272 25.0805 36.9219 49.5684 64.0212 81.8302 [torch.DoubleTensor of size 3x3]
-- torch.split
x = torch.randn(3,4,5)
x:split(2,1) --> { 1 : DoubleTensor - size: 2x4x5 2 : DoubleTensor - size: 1x4x5 }
x:split(3,2) --> { 1 : DoubleTensor - size: 3x3x5 2 : DoubleTensor - size: 3x1x5 }
x:split(2,3) --> { 1 : DoubleTensor - size: 3x4x2 2 : DoubleTensor - size: 3x4x2 3 : DoubleTensor - size: 3x4x1 }
-- torch.chunk
x = torch.randn(3,4,5)
x:chunk(2,1) --> { 1 : DoubleTensor - size: 2x4x5 2 : DoubleTensor - size: 1x4x5 }
x:chunk(2,2) --> { 1 : DoubleTensor - size: 3x2x5 2 : DoubleTensor - size: 3x2x5 }
x:chunk(2,3) --> { 1 : DoubleTensor - size: 3x4x3 2 : DoubleTensor - size: 3x4x2 }
-- torch.data
t = torch.DoubleTensor{{0.8008, -0.6103}, {0.6473, -0.1870}, {-0.0023, -0.4902}}
t --> 0.8008 -0.6103 0.6473 -0.1870 -0.0023 -0.4902 [torch.DoubleTensor of size 3x2]
t_data = torch.data(t)
for i = 0,t:nElement()-1 do t_data[i] = 0 end
t --> 0 0 0 0 0 0 [torch.DoubleTensor of size 3x2]
