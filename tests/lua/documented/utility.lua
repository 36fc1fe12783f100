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
-- torch.class
do
   local Foo = torch.class('Foo')
   function Foo:__init()
      self.contents = 'this is some text'
   end
   function Foo:print()
      print(self.contents)
   end
   function Foo:bip()
      print('bip')
   end
end
foo = Foo()
foo:print() --> this is some text
do
   local Bar, parent = torch.class('torch.Bar', 'Foo')
   function Bar:__init(stuff)
      parent.__init(self)
      self.stuff = stuff
   end
   function Bar:boing()
      print('boing!')
   end
   function Bar:print()
      print(self.contents)
      print(self.stuff)
   end
end
bar = torch.Bar('ha ha!')
bar:print() --> this is some text ha ha!
bar:boing() --> boing!
bar:bip() --> bip
-- torch.isTypeOf
print(torch.isTypeOf(bar, 'Foo'), torch.isTypeOf(bar, 'torch%.B%a+$'), torch.isTypeOf(foo, 'torch.Bar')) --> true true false
print(torch.isTypeOf(torch.Timer(), 'torch%.T.-r$'), torch.isTypeOf(torch.MemoryFile(), 'torch.File'), torch.type(torch.CmdLine())) --> true true torch.CmdLine
