"""Base classes of the stateful interface's objects, one for each idea."""
