"""The ``sim`` backend: PyPTO's simulator, a warm parent per worker, a forked child per case."""

from verification.backends.sim.backend import SimBackend

__all__ = ["SimBackend"]
