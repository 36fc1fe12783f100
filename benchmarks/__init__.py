"""The same computation in several ways, timed side by side: `python -m benchmarks stateful mlp lenet inception`."""
