"""Commands of ``python -m dynamics_core``."""
