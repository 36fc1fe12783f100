-- torch.type
torch.type(torch.Tensor()) --> torch.DoubleTensor
torch.type({}) --> table
torch.type(7) --> number
-- torch.typename
torch.typename(torch.Tensor()) --> torch.DoubleTensor
torch.typename({}) --> nil
torch.typename(7) --> nil
-- torch.totable
print(torch.totable(torch.Tensor({1, 2, 3}))) --> { 1 : 1 2 : 2 3 : 3 }
