"""What torch has for programs around networks: command-line options, time, tests and files."""
