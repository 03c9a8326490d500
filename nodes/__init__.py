"""ROS 2 nodes of urdf_dynamics, one a file.

Topics come in, ``dynamics_core`` computes, topics go out. Each node is a process of its own and a
lifecycle node; what they share is in ``base`` (lifecycle, description, loop, diagnostics),
``parameters`` (declaration and checking) and ``controller`` (what commands a robot).
"""
