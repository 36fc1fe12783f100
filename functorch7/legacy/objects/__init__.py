"""What every object of the stateful interface can do, a base class for each idea."""
