"""Block-sparse attention on PyPTO: kernels, host wrappers, contracts and references."""
