-- torch.maths.dok
x = torch.rand(100, 100)
k = torch.rand(10, 10)
res1 = torch.conv2(x, k)
res2 = torch.Tensor()
torch.conv2(res2, x, k)
res2:dist(res1) --> 0
for i = 1, 100 do
  torch.conv2(res2, x, k)
  end
res2:dist(res1) --> 0
-- torch.cat
torch.cat(torch.ones(3), torch.zeros(2)) --> 1 1 1 0 0 [torch.DoubleTensor of size 5]
torch.cat(torch.ones(3, 2), torch.zeros(2, 2), 1) --> 1 1 1 1 1 1 0 0 0 0 [torch.DoubleTensor of size 5x2]
torch.cat(torch.ones(2, 2), torch.zeros(2, 2), 1) --> 1 1 1 1 0 0 0 0 [torch.DoubleTensor of size 4x2]
torch.cat(torch.ones(2, 2), torch.zeros(2, 2), 2) --> 1 1 0 0 1 1 0 0 [torch.DoubleTensor of size 2x4]
r = torch.Tensor{{0.3227, 0.0493}, {0.9161, 0.1086}, {0.2206, 0.7449}}
torch.cat(torch.cat(torch.ones(2, 2), torch.zeros(2, 2), 1), r, 1)
--> 1.0000 1.0000 1.0000 1.0000 0.0000 0.0000 0.0000 0.0000 0.3227 0.0493 0.9161 0.1086 0.2206 0.7449
--> [torch.DoubleTensor of size 7x2]
torch.cat({torch.ones(2, 2), torch.zeros(2, 2), r}, 1)
--> 1.0000 1.0000 1.0000 1.0000 0.0000 0.0000 0.0000 0.0000 0.3227 0.0493 0.9161 0.1086 0.2206 0.7449
--> [torch.DoubleTensor of size 7x2]
torch.cat({torch.Tensor(), r}, 1) --> 0.3227 0.0493 0.9161 0.1086 0.2206 0.7449 [torch.DoubleTensor of size 3x2]
-- torch.bhistc
x = torch.Tensor(3, 6)
x[1] = torch.Tensor{ 2, 4, 2, 2, 5, 4 }
x[2] = torch.Tensor{ 3, 5, 1, 5, 3, 5 }
x[3] = torch.Tensor{ 3, 4, 2, 5, 5, 1 }
x --> 2 4 2 2 5 4 3 5 1 5 3 5 3 4 2 5 5 1 [torch.DoubleTensor of size 3x6]
torch.bhistc(x, 5, 1, 5) --> 0 3 0 2 1 1 0 2 0 3 1 1 1 1 2 [torch.DoubleTensor of size 3x5]
-- torch.multinomial
p = torch.Tensor{1, 1, 0.5, 0}
a = torch.multinomial(p, 10000, true)
#a --> 10000 [torch.LongStorage of size 1]
a:eq(4):sum() --> 0
probs = torch.Tensor{1, 1, 0.5, 0}
state = torch.multinomialAliasSetup(probs)
state --> { 1 : LongTensor - size: 4 2 : DoubleTensor - size: 4 }
state = {torch.LongTensor(), torch.DoubleTensor()}
probs = torch.DoubleTensor({0.2, 0.3, 0.5})
state = torch.multinomialAliasSetup(probs, state)
state --> { 1 : LongTensor - size: 3 2 : DoubleTensor - size: 3 }
-- torch.range
torch.range(2, 5) --> 2 3 4 5 [torch.DoubleTensor of size 4]
torch.range(2, 5, 1.2) --> 2.0000 3.2000 4.4000 [torch.DoubleTensor of size 3]
-- torch.equal
x = torch.Tensor{1,2,3}
y = torch.Tensor{1,2,3}
x:equal(y) --> true
y = torch.Tensor{1,2,4}
x:equal(y) --> false
-- torch.add
x = torch.Tensor(2, 2):fill(2)
y = torch.Tensor(4):fill(3)
x:add(y)
x --> 5 5 5 5 [torch.DoubleTensor of size 2x2]
x = torch.Tensor(2, 2):fill(2)
y = torch.Tensor(4):fill(3)
x:add(2, y)
x --> 8 8 8 8 [torch.DoubleTensor of size 2x2]
-- torch.csub
x = torch.Tensor(2, 2):fill(8)
y = torch.Tensor(4):fill(3)
x:csub(y)
x --> 5 5 5 5 [torch.DoubleTensor of size 2x2]
-- torch.cmul
x = torch.Tensor(2, 2):fill(2)
y = torch.Tensor(4):fill(3)
x:cmul(y)
x --> 6 6 6 6 [torch.DoubleTensor of size 2x2]
-- torch.cpow
x = torch.Tensor(2, 2):fill(2)
y = torch.Tensor(4):fill(3)
x:cpow(y)
x --> 8 8 8 8 [torch.DoubleTensor of size 2x2]
-- torch.addcmul
x = torch.Tensor(2, 2):fill(2)
y = torch.Tensor(4):fill(3)
z = torch.Tensor(2, 2):fill(5)
x:addcmul(2, y, z)
x --> 32 32 32 32 [torch.DoubleTensor of size 2x2]
-- torch.cdiv
x = torch.Tensor(2, 2):fill(1)
y = torch.range(1, 4)
x:cdiv(y)
x --> 1.0000 0.5000 0.3333 0.2500 [torch.DoubleTensor of size 2x2]
-- torch.clshift
x = torch.LongTensor(2, 2):fill(1)
y = torch.LongTensor(2, 2):range(1, 4)
x:clshift(y)
x --> 2 4 8 16 [torch.LongTensor of size 2x2]
-- torch.crshift
x = torch.LongTensor(2, 2):fill(32)
y = torch.LongTensor(2, 2):range(1, 4)
x:crshift(y)
x --> 16 8 4 2 [torch.LongTensor of size 2x2]
-- torch.addcdiv
x = torch.Tensor(2, 2):fill(1)
y = torch.range(1, 4)
z = torch.Tensor(2, 2):fill(5)
x:addcdiv(2, y, z)
x --> 1.4000 1.8000 2.2000 2.6000 [torch.DoubleTensor of size 2x2]
-- torch.fmod
x = torch.Tensor({-3, 3})
torch.fmod(x, 2) --> -1 1 [torch.DoubleTensor of size 2]
torch.fmod(x, -2) --> -1 1 [torch.DoubleTensor of size 2]
torch.remainder(x, 2) --> 1 1 [torch.DoubleTensor of size 2]
torch.remainder(x, -2) --> -1 -1 [torch.DoubleTensor of size 2]
-- torch.cfmod
x = torch.Tensor({{3, 3}, {-3, -3}})
y = torch.Tensor({{2, -2}, {2, -2}})
x:cfmod(y) --> 1 1 -1 -1 [torch.DoubleTensor of size 2x2]
-- torch.cremainder
x = torch.Tensor({{3, 3}, {-3, -3}})
y = torch.Tensor({{2, -2}, {2, -2}})
x:cfmod(y) --> 1 1 -1 -1 [torch.DoubleTensor of size 2x2]
-- torch.cbitand
x = torch.LongTensor(4):fill(6)
y = torch.LongTensor{1, 2, 4, 8}
x:cbitand(y)
x --> 0 2 4 0 [torch.LongTensor of size 4]
-- torch.cbitor
x = torch.LongTensor(4):fill(3)
y = torch.LongTensor{1, 2, 4, 8}
x:cbitor(y)
x --> 3 3 7 11 [torch.LongTensor of size 4]
-- torch.cbitxor
x = torch.LongTensor(4):fill(15)
y = torch.LongTensor{1, 2, 4, 8}
x:cbitxor(y)
x --> 14 13 11 7 [torch.LongTensor of size 4]
-- torch.dot
x = torch.Tensor(2, 2):fill(2)
y = torch.Tensor(4):fill(3)
x:dot(y) --> 24
-- torch.addmv
x = torch.Tensor(3):fill(0)
M = torch.Tensor(3, 2):fill(3)
y = torch.Tensor(2):fill(2)
x:addmv(M, y)
x --> 12 12 12 [torch.DoubleTensor of size 3]
-- torch.addr
x = torch.range(1, 3)
y = torch.range(1, 2)
M = torch.Tensor(3, 2):zero()
M:addr(x, y) --> 1 2 2 4 3 6 [torch.DoubleTensor of size 3x2]
M:addr(2, 1, x, y) --> 3 6 6 12 9 18 [torch.DoubleTensor of size 3x2]
A = torch.range(1, 6):resize(3, 2)
A --> 1 2 3 4 5 6 [torch.DoubleTensor of size 3x2]
M:addr(2, A, 1, x, y) --> 3 6 8 12 13 18 [torch.DoubleTensor of size 3x2]
-- torch.lerp
x = torch.Tensor(2, 2):fill(2)
y = torch.Tensor(4):fill(3)
x + y --> 5 5 5 5 [torch.DoubleTensor of size 2x2]
y - x --> 1 1 1 1 [torch.DoubleTensor of size 4]
x = torch.Tensor(2, 2):fill(2)
x + 3 --> 5 5 5 5 [torch.DoubleTensor of size 2x2]
x = torch.Tensor(2, 2):fill(2)
-x --> -2 -2 -2 -2 [torch.DoubleTensor of size 2x2]
M = torch.Tensor(2, 2):fill(2)
N = torch.Tensor(2, 4):fill(3)
x = torch.Tensor(2):fill(4)
y = torch.Tensor(2):fill(5)
x * y --> 40
M * x --> 16 16 [torch.DoubleTensor of size 2]
M * N --> 12 12 12 12 12 12 12 12 [torch.DoubleTensor of size 2x4]
x = torch.Tensor(2, 2):fill(2)
x/3 --> 0.6667 0.6667 0.6667 0.6667 [torch.DoubleTensor of size 2x2]
-- torch.cumprod
A = torch.range(1, 5)
A --> 1 2 3 4 5 [torch.DoubleTensor of size 5]
B = torch.cumprod(A)
B --> 1 2 6 24 120 [torch.DoubleTensor of size 5]
A = torch.LongTensor{{1, 4, 7}, {2, 5, 8}, {3, 6, 9}}
A --> 1 4 7 2 5 8 3 6 9 [torch.LongTensor of size 3x3]
B = torch.cumprod(A)
B --> 1 4 7 2 20 56 6 120 504 [torch.LongTensor of size 3x3]
B = torch.cumprod(A, 2)
B --> 1 4 28 2 10 80 3 18 162 [torch.LongTensor of size 3x3]
-- torch.max
x = torch.DoubleTensor{{1.1993977428735, -0.6290, 0.6888}, {-0.0038, -0.0908, -0.2075}, {0.3437, -0.9948, 0.1216}}
x --> 1.1994 -0.6290 0.6888 -0.0038 -0.0908 -0.2075 0.3437 -0.9948 0.1216 [torch.DoubleTensor of size 3x3]
torch.max(x) --> 1.1993977428735
torch.max(x, 1) --> 1.1994 -0.0908 0.6888 [torch.DoubleTensor of size 1x3] 1 2 1 [torch.LongTensor of size 1x3]
torch.max(x, 2) --> 1.1994 -0.0038 0.3437 [torch.DoubleTensor of size 3x1] 1 1 1 [torch.LongTensor of size 3x1]
-- torch.cmax
a = torch.Tensor{1, 2, 3}
b = torch.Tensor{3, 2, 1}
torch.cmax(a, b) --> 3 2 3 [torch.DoubleTensor of size 3]
a = torch.Tensor{1, 2, 3}
torch.cmax(a, 2) --> 2 2 3 [torch.DoubleTensor of size 3]
-- torch.cmin
a = torch.Tensor{1, 2, 3}
b = torch.Tensor{3, 2, 1}
torch.cmin(a, b) --> 1 2 1 [torch.DoubleTensor of size 3]
a = torch.Tensor{1, 2, 3}
torch.cmin(a, 2) --> 1 2 2 [torch.DoubleTensor of size 3]
-- torch.median
x = torch.DoubleTensor{{0.7860, 0.7687, -0.9362}, {0.0411, 0.5407, -0.3616}, {-0.0129, -0.2499, -0.5786}}
x --> 0.7860 0.7687 -0.9362 0.0411 0.5407 -0.3616 -0.0129 -0.2499 -0.5786 [torch.DoubleTensor of size 3x3]
y, i = torch.median(x)
y --> 0.7687 0.0411 -0.2499 [torch.DoubleTensor of size 3x1]
i --> 2 1 2 [torch.LongTensor of size 3x1]
y, i = torch.median(x, 1)
y --> 0.0411 0.5407 -0.5786 [torch.DoubleTensor of size 1x3]
i --> 2 2 3 [torch.LongTensor of size 1x3]
y, i = torch.median(x, 2)
y --> 0.7687 0.0411 -0.2499 [torch.DoubleTensor of size 3x1]
i --> 2 1 2 [torch.LongTensor of size 3x1]
-- torch.prod
a = torch.Tensor{{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}}
a --> (1,.,.) = 1 2 3 4 (2,.,.) = 5 6 7 8 [torch.DoubleTensor of size 2x2x2]
torch.prod(a, 1) --> (1,.,.) = 5 12 21 32 [torch.DoubleTensor of size 1x2x2]
torch.prod(a, 2) --> (1,.,.) = 3 8 (2,.,.) = 35 48 [torch.DoubleTensor of size 2x1x2]
torch.prod(a, 3) --> (1,.,.) = 2 12 (2,.,.) = 30 56 [torch.DoubleTensor of size 2x2x1]
-- torch.sort
x = torch.DoubleTensor{{-1.2470, -0.4288, -0.5337}, {0.8836, -0.1622, 0.9604}, {0.6297, 0.2397, 0.0746}}
x --> -1.2470 -0.4288 -0.5337 0.8836 -0.1622 0.9604 0.6297 0.2397 0.0746 [torch.DoubleTensor of size 3x3]
torch.sort(x)
--> -1.2470 -0.5337 -0.4288 -0.1622 0.8836 0.9604 0.0746 0.2397 0.6297 [torch.DoubleTensor of size 3x3] 1 3 2 2 1 3 3
--> 2 1 [torch.LongTensor of size 3x3]
-- torch.conv2
x = torch.rand(100, 100)
k = torch.rand(10, 10)
c = torch.conv2(x, k)
c:size() --> 91 91 [torch.LongStorage of size 2]
c = torch.conv2(x, k, 'F')
c:size() --> 109 109 [torch.LongStorage of size 2]
-- torch.conv3
x = torch.rand(100, 100, 100)
k = torch.rand(10, 10, 10)
c = torch.conv3(x, k)
c:size() --> 91 91 91 [torch.LongStorage of size 3]
c = torch.conv3(x, k, 'F')
c:size() --> 109 109 109 [torch.LongStorage of size 3]
-- torch.gesv
a = torch.Tensor({{6.80, -2.11,  5.66,  5.97,  8.23},
                  {-6.05, -3.30,  5.36, -4.44,  1.08},
                  {-0.45,  2.58, -2.70,  0.27,  9.04},
                  {8.32,  2.71,  4.35,  -7.17,  2.14},
                  {-9.67, -5.14, -7.26,  6.08, -6.87}}):t()
b = torch.Tensor({{4.02,  6.19, -8.22, -7.57, -3.03},
                  {-1.56,  4.00, -8.67,  1.75,  2.86},
                  {9.81, -4.09, -4.57, -8.61,  8.99}}):t()
b
--> 4.0200 -1.5600 9.8100 6.1900 4.0000 -4.0900 -8.2200 -8.6700 -4.5700 -7.5700 1.7500 -8.6100 -3.0300 2.8600 8.9900
--> [torch.DoubleTensor of size 5x3]
a
--> 6.8000 -6.0500 -0.4500 8.3200 -9.6700 -2.1100 -3.3000 2.5800 2.7100 -5.1400 5.6600 5.3600 -2.7000 4.3500 -7.2600
--> 5.9700 -4.4400 0.2700 -7.1700 6.0800 8.2300 1.0800 9.0400 2.1400 -6.8700 [torch.DoubleTensor of size 5x5]
x = torch.gesv(b, a)
x
--> -0.8007 -0.3896 0.9555 -0.6952 -0.5544 0.2207 0.5939 0.8422 1.9006 1.3217 -0.1038 5.3577 0.5658 0.1057 4.0406
--> [torch.DoubleTensor of size 5x3]
b:dist(a * x) --> 1.1682163181673e-14
-- torch.trtrs
a = torch.Tensor({{6.80, -2.11,  5.66,  5.97,  8.23},
                  {0, -3.30,  5.36, -4.44,  1.08},
                  {0,  0, -2.70,  0.27,  9.04},
                  {0,  0,  0,  -7.17,  2.14},
                  {0,  0,  0,  0, -6.87}})
b = torch.Tensor({{4.02,  6.19, -8.22, -7.57, -3.03},
                  {-1.56,  4.00, -8.67,  1.75,  2.86},
                  {9.81, -4.09, -4.57, -8.61,  8.99}}):t()
b
--> 4.0200 -1.5600 9.8100 6.1900 4.0000 -4.0900 -8.2200 -8.6700 -4.5700 -7.5700 1.7500 -8.6100 -3.0300 2.8600 8.9900
--> [torch.DoubleTensor of size 5x3]
a
--> 6.8000 -2.1100 5.6600 5.9700 8.2300 0.0000 -3.3000 5.3600 -4.4400 1.0800 0.0000 0.0000 -2.7000 0.2700 9.0400
--> 0.0000 0.0000 0.0000 -7.1700 2.1400 0.0000 0.0000 0.0000 0.0000 -6.8700 [torch.DoubleTensor of size 5x5]
x = torch.trtrs(b, a)
x
--> -3.5416 -0.2514 3.0847 4.2072 2.0391 -4.5146 4.6399 1.7804 -2.6077 1.1874 -0.3683 0.8103 0.4410 -0.4163 -1.3086
--> [torch.DoubleTensor of size 5x3]
b:dist(a*x) --> 4.1895292266754e-15
-- torch.potrf
A = torch.Tensor({
    {1.2705,  0.9971,  0.4948,  0.1389,  0.2381},
    {0.9971,  0.9966,  0.6752,  0.0686,  0.1196},
    {0.4948,  0.6752,  1.1434,  0.0314,  0.0582},
    {0.1389,  0.0686,  0.0314,  0.0270,  0.0526},
    {0.2381,  0.1196,  0.0582,  0.0526,  0.3957}})
chol = torch.potrf(A)
torch.potrf(chol, A, 'L')
-- torch.pstrf
A = torch.Tensor({
    {1.2705,  0.9971,  0.4948,  0.1389,  0.2381},
    {0.9971,  0.9966,  0.6752,  0.0686,  0.1196},
    {0.4948,  0.6752,  1.1434,  0.0314,  0.0582},
    {0.1389,  0.0686,  0.0314,  0.0270,  0.0526},
    {0.2381,  0.1196,  0.0582,  0.0526,  0.3957}})
U, piv = torch.pstrf(A)
U
--> 1.1272 0.4390 0.2112 0.8846 0.1232 0.0000 0.9750 -0.0354 0.2942 -0.0233 0.0000 0.0000 0.5915 -0.0961 0.0435 0.0000
--> 0.0000 0.0000 0.3439 -0.0854 0.0000 0.0000 0.0000 0.0000 0.0456 [torch.DoubleTensor of size 5x5]
piv --> 1 3 5 2 4 [torch.IntTensor of size 5]
Ap = U:t() * U
Ap
--> 1.2705 0.4948 0.2381 0.9971 0.1389 0.4948 1.1434 0.0582 0.6752 0.0314 0.2381 0.0582 0.3957 0.1196 0.0526 0.9971
--> 0.6752 0.1196 0.9966 0.0686 0.1389 0.0314 0.0526 0.0686 0.0270 [torch.DoubleTensor of size 5x5]
Ap:indexCopy(1, piv:long(), Ap:clone())
Ap:indexCopy(2, piv:long(), Ap:clone())
(Ap - A):norm() --> 1.5731560566382e-16
-- torch.potrs
A = torch.Tensor({
    {1.2705,  0.9971,  0.4948,  0.1389,  0.2381},
    {0.9971,  0.9966,  0.6752,  0.0686,  0.1196},
    {0.4948,  0.6752,  1.1434,  0.0314,  0.0582},
    {0.1389,  0.0686,  0.0314,  0.0270,  0.0526},
    {0.2381,  0.1196,  0.0582,  0.0526,  0.3957}})
B = torch.Tensor({
    {0.6219,  0.3439,  0.0431},
    {0.5642,  0.1756,  0.0153},
    {0.2334,  0.8594,  0.4103},
    {0.7556,  0.1966,  0.9637},
    {0.1420,  0.7185,  0.7476}})
chol = torch.potrf(A)
solve = torch.potrs(B, chol)
A*solve
--> 0.6219 0.3439 0.0431 0.5642 0.1756 0.0153 0.2334 0.8594 0.4103 0.7556 0.1966 0.9637 0.1420 0.7185 0.7476
--> [torch.DoubleTensor of size 5x3]
B:dist(A*solve) --> 4.6783066076306e-14
-- torch.potri
A = torch.Tensor({
    {1.2705,  0.9971,  0.4948,  0.1389,  0.2381},
    {0.9971,  0.9966,  0.6752,  0.0686,  0.1196},
    {0.4948,  0.6752,  1.1434,  0.0314,  0.0582},
    {0.1389,  0.0686,  0.0314,  0.0270,  0.0526},
    {0.2381,  0.1196,  0.0582,  0.0526,  0.3957}})
chol = torch.potrf(A)
inv = torch.potri(chol)
inv
--> 42.2781 -39.0824 8.3019 -133.4998 2.8980 -39.0824 38.1222 -8.7468 119.4247 -2.5944 8.3019 -8.7468 3.1104 -25.1405
--> 0.5327 -133.4998 119.4247 -25.1405 480.7511 -15.9747 2.8980 -2.5944 0.5327 -15.9747 3.6127 [torch.DoubleTensor of
--> size 5x5]
inv:dist(torch.inverse(A)) --> 2.8525852877633e-12
-- torch.gels
a = torch.Tensor({{ 1.44, -9.96, -7.55,  8.34,  7.08, -5.45},
                  {-7.84, -0.28,  3.24,  8.09,  2.52, -5.70},
                  {-4.39, -3.24,  6.27,  5.28,  0.74, -1.19},
                  {4.53,  3.83, -6.64,  2.06, -2.47,  4.70}}):t()
b = torch.Tensor({{8.58,  8.26,  8.48, -5.28,  5.72,  8.93},
                  {9.35, -4.43, -0.70, -0.26, -7.36, -2.52}}):t()
a
--> 1.4400 -7.8400 -4.3900 4.5300 -9.9600 -0.2800 -3.2400 3.8300 -7.5500 3.2400 6.2700 -6.6400 8.3400 8.0900 5.2800
--> 2.0600 7.0800 2.5200 0.7400 -2.4700 -5.4500 -5.7000 -1.1900 4.7000 [torch.DoubleTensor of size 6x4]
b
--> 8.5800 9.3500 8.2600 -4.4300 8.4800 -0.7000 -5.2800 -0.2600 5.7200 -7.3600 8.9300 -2.5200 [torch.DoubleTensor of
--> size 6x2]
x = torch.gels(b, a)
x
--> -0.4506 0.2497 -0.8492 -0.9020 0.7066 0.6323 0.1289 0.1351 13.1193 -7.4922 -4.8214 -7.1361 [torch.DoubleTensor of
--> size 6x2]
b:dist(a*x:narrow(1, 1, 4)) --> 17.390200628863
math.sqrt(x:narrow(1, 5, 2):pow(2):sum()) --> 17.390200628863
-- torch.symeig
a = torch.Tensor({{ 1.96,  0.00,  0.00,  0.00,  0.00},
                  {-6.49,  3.80,  0.00,  0.00,  0.00},
                  {-0.47, -6.39,  4.17,  0.00,  0.00},
                  {-7.20,  1.50, -1.51,  5.70,  0.00},
                  {-0.65, -6.34,  2.67,  1.80, -7.10}}):t()
a
--> 1.9600 -6.4900 -0.4700 -7.2000 -0.6500 0.0000 3.8000 -6.3900 1.5000 -6.3400 0.0000 0.0000 4.1700 -1.5100 2.6700
--> 0.0000 0.0000 0.0000 5.7000 1.8000 0.0000 0.0000 0.0000 0.0000 -7.1000 [torch.DoubleTensor of size 5x5]
e = torch.symeig(a)
e --> -11.0656 -6.2287 0.8640 8.8655 16.0948 [torch.DoubleTensor of size 5]
e, v = torch.symeig(a, 'V')
e --> -11.0656 -6.2287 0.8640 8.8655 16.0948 [torch.DoubleTensor of size 5]
v
--> -0.2981 -0.6075 0.4026 -0.3745 0.4896 -0.5078 -0.2880 -0.4066 -0.3572 -0.6053 -0.0816 -0.3843 -0.6600 0.5008
--> 0.3991 -0.0036 -0.4467 0.4553 0.6204 -0.4564 -0.8041 0.4480 0.1725 0.3108 0.1622 [torch.DoubleTensor of size 5x5]
v*torch.diag(e)*v:t()
--> 1.9600 -6.4900 -0.4700 -7.2000 -0.6500 -6.4900 3.8000 -6.3900 1.5000 -6.3400 -0.4700 -6.3900 4.1700 -1.5100 2.6700
--> -7.2000 1.5000 -1.5100 5.7000 1.8000 -0.6500 -6.3400 2.6700 1.8000 -7.1000 [torch.DoubleTensor of size 5x5]
a:dist(torch.triu(v*torch.diag(e)*v:t())) --> 1.0219480822443e-14
-- torch.eig
a = torch.Tensor({{ 1.96,  0.00,  0.00,  0.00,  0.00},
                  {-6.49,  3.80,  0.00,  0.00,  0.00},
                  {-0.47, -6.39,  4.17,  0.00,  0.00},
                  {-7.20,  1.50, -1.51,  5.70,  0.00},
                  {-0.65, -6.34,  2.67,  1.80, -7.10}}):t()
a
--> 1.9600 -6.4900 -0.4700 -7.2000 -0.6500 0.0000 3.8000 -6.3900 1.5000 -6.3400 0.0000 0.0000 4.1700 -1.5100 2.6700
--> 0.0000 0.0000 0.0000 5.7000 1.8000 0.0000 0.0000 0.0000 0.0000 -7.1000 [torch.DoubleTensor of size 5x5]
b = a + torch.triu(a, 1):t()
b
--> 1.9600 -6.4900 -0.4700 -7.2000 -0.6500 -6.4900 3.8000 -6.3900 1.5000 -6.3400 -0.4700 -6.3900 4.1700 -1.5100 2.6700
--> -7.2000 1.5000 -1.5100 5.7000 1.8000 -0.6500 -6.3400 2.6700 1.8000 -7.1000 [torch.DoubleTensor of size 5x5]
e = torch.eig(b)
e --> 16.0948 0.0000 -11.0656 0.0000 -6.2287 0.0000 0.8640 0.0000 8.8655 0.0000 [torch.DoubleTensor of size 5x2]
e, v = torch.eig(b, 'V')
e --> 16.0948 0.0000 -11.0656 0.0000 -6.2287 0.0000 0.8640 0.0000 8.8655 0.0000 [torch.DoubleTensor of size 5x2]
v
--> -0.4896 0.2981 -0.6075 -0.4026 -0.3745 0.6053 0.5078 -0.2880 0.4066 -0.3572 -0.3991 0.0816 -0.3843 0.6600 0.5008
--> 0.4564 0.0036 -0.4467 -0.4553 0.6204 -0.1622 0.8041 0.4480 -0.1725 0.3108 [torch.DoubleTensor of size 5x5]
v * torch.diag(e:select(2, 1))*v:t()
--> 1.9600 -6.4900 -0.4700 -7.2000 -0.6500 -6.4900 3.8000 -6.3900 1.5000 -6.3400 -0.4700 -6.3900 4.1700 -1.5100 2.6700
--> -7.2000 1.5000 -1.5100 5.7000 1.8000 -0.6500 -6.3400 2.6700 1.8000 -7.1000 [torch.DoubleTensor of size 5x5]
b:dist(v * torch.diag(e:select(2, 1)) * v:t()) --> 3.5423944346685e-14
-- torch.svd
a = torch.Tensor({{8.79,  6.11, -9.15,  9.57, -3.49,  9.84},
                  {9.93,  6.91, -7.93,  1.64,  4.02,  0.15},
                  {9.83,  5.04,  4.86,  8.83,  9.80, -8.99},
                  {5.45, -0.27,  4.85,  0.74, 10.00, -6.02},
                  {3.16,  7.98,  3.01,  5.80,  4.27, -5.31}}):t()
a
--> 8.7900 9.9300 9.8300 5.4500 3.1600 6.1100 6.9100 5.0400 -0.2700 7.9800 -9.1500 -7.9300 4.8600 4.8500 3.0100 9.5700
--> 1.6400 8.8300 0.7400 5.8000 -3.4900 4.0200 9.8000 10.0000 4.2700 9.8400 0.1500 -8.9900 -6.0200 -5.3100 [torch.DoubleTensor of size 6x5]
u, s, v = torch.svd(a)
u
--> -0.5911 0.2632 0.3554 0.3143 0.2299 -0.3976 0.2438 -0.2224 -0.7535 -0.3636 -0.0335 -0.6003 -0.4508 0.2334 -0.3055
--> -0.4297 0.2362 -0.6859 0.3319 0.1649 -0.4697 -0.3509 0.3874 0.1587 -0.5183 0.2934 0.5763 -0.0209 0.3791 -0.6526
--> [torch.DoubleTensor of size 6x5]
s --> 27.4687 22.6432 8.5584 5.9857 2.0149 [torch.DoubleTensor of size 5]
v
--> -0.2514 0.8148 -0.2606 0.3967 -0.2180 -0.3968 0.3587 0.7008 -0.4507 0.1402 -0.6922 -0.2489 -0.2208 0.2513 0.5891
--> -0.3662 -0.3686 0.3859 0.4342 -0.6265 -0.4076 -0.0980 -0.4933 -0.6227 -0.4396 [torch.DoubleTensor of size 5x5]
u * torch.diag(s) * v:t()
--> 8.7900 9.9300 9.8300 5.4500 3.1600 6.1100 6.9100 5.0400 -0.2700 7.9800 -9.1500 -7.9300 4.8600 4.8500 3.0100 9.5700
--> 1.6400 8.8300 0.7400 5.8000 -3.4900 4.0200 9.8000 10.0000 4.2700 9.8400 0.1500 -8.9900 -6.0200 -5.3100
--> [torch.DoubleTensor of size 6x5]
a:dist(u * torch.diag(s) * v:t()) --> 2.8923773593204e-14
-- torch.inverse
x = torch.rand(10, 10)
y = torch.inverse(x)
z = x * y
torch.max(torch.abs(z - torch.eye(10))) --> 2.3092638912203e-14
-- torch.qr
a = torch.Tensor{{12, -51, 4}, {6, 167, -68}, {-4, 24, -41}}
a --> 12 -51 4 6 167 -68 -4 24 -41 [torch.DoubleTensor of size 3x3]
q, r = torch.qr(a)
q --> -0.8571 0.3943 0.3314 -0.4286 -0.9029 -0.0343 0.2857 -0.1714 0.9429 [torch.DoubleTensor of size 3x3]
r --> -14.0000 -21.0000 14.0000 0.0000 -175.0000 70.0000 0.0000 0.0000 -35.0000 [torch.DoubleTensor of size 3x3]
(q * r):round() --> 12 -51 4 6 167 -68 -4 24 -41 [torch.DoubleTensor of size 3x3]
(q:t() * q):round() --> 1 0 0 0 1 0 0 0 1 [torch.DoubleTensor of size 3x3]
-- torch.any
a = torch.Tensor{0.5694, 0.5264, 0.3041, 0.4159, 0.1677, 0.7964, 0.0257, 0.2093, 0.6564, 0.0740}
b = torch.Tensor{0.2950, 0.4867, 0.9133, 0.1291, 0.1811, 0.3921, 0.7750, 0.3259, 0.2263, 0.1737}
a --> 0.5694 0.5264 0.3041 0.4159 0.1677 0.7964 0.0257 0.2093 0.6564 0.0740 [torch.DoubleTensor of size 10]
b --> 0.2950 0.4867 0.9133 0.1291 0.1811 0.3921 0.7750 0.3259 0.2263 0.1737 [torch.DoubleTensor of size 10]
torch.lt(a, b) --> 0 0 1 0 1 0 1 1 0 1 [torch.ByteTensor of size 10]
torch.eq(a, b) --> 0 0 0 0 0 0 0 0 0 0 [torch.ByteTensor of size 10]
torch.ne(a, b) --> 1 1 1 1 1 1 1 1 1 1 [torch.ByteTensor of size 10]
torch.gt(a, b) --> 1 1 0 1 0 1 0 0 1 0 [torch.ByteTensor of size 10]
a[torch.gt(a, b)] = 10
a --> 10.0000 10.0000 0.3041 10.0000 0.1677 10.0000 0.0257 0.2093 10.0000 0.0740 [torch.DoubleTensor of size 10]
a[torch.gt(a, 1)] = -1
a --> -1.0000 -1.0000 0.3041 -1.0000 0.1677 -1.0000 0.0257 0.2093 -1.0000 0.0740 [torch.DoubleTensor of size 10]
a = torch.ones(3):byte()
torch.all(a) --> true
a[2] = 0
torch.all(a) --> false
torch.any(a) --> true
a:zero()
torch.any(a) --> false
