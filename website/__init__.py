"""What `make docs` adds to the pages of docs/: the reference and the table of names, made from the code."""
