"""Measurements: ``python -m benchmarks``. Needs ``pin``, ``mujoco``, ``example-robot-data``."""
