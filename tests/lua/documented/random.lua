-- :torch.gen.dok
torch.manualSeed(0)
torch.random() --> 2357136044
gen = torch.Generator()
torch.manualSeed(gen, 0)
torch.random(gen) --> 2357136044
torch.random(gen) --> 2546248239
torch.random() --> 2546248239
-- :torch.seed.dok
torch.manualSeed(123)
torch.uniform() --> 0.69646918727085
torch.uniform() --> 0.71295532141812
torch.uniform() --> 0.28613933874294
torch.manualSeed(123)
torch.uniform() --> 0.69646918727085
torch.uniform() --> 0.71295532141812
torch.uniform() --> 0.28613933874294
torch.manualSeed(torch.initialSeed())
torch.uniform() --> 0.69646918727085
torch.uniform() --> 0.71295532141812
torch.uniform() --> 0.28613933874294
torch.manualSeed(123)
torch.uniform() --> 0.69646918727085
s = torch.getRNGState()
torch.uniform() --> 0.71295532141812
torch.uniform() --> 0.28613933874294
torch.setRNGState(s)
torch.uniform() --> 0.71295532141812
torch.uniform() --> 0.28613933874294
