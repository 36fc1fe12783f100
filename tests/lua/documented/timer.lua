-- torch.Timer
timer = torch.Timer()
x = 0
for i=1,1000 do
  x = x + math.sin(x)
end
print(type(timer:time().real)) --> number
