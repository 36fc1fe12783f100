"""What torch has for programs around networks: options of the command line, time, tests and files."""
