"""Methods written in Lua as part of traced programs: their instructions are carried out here, on traced tensors."""
