"""The PyPTO kernels, one per file, with what they alone need."""
