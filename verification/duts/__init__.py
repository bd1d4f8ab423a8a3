"""The bindings: one module per DUT, the only place in ``verification`` that names a particular kernel."""
