"""From objects to compiled programs: plans, their functions, and calls of them."""
