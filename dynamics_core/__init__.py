"""Rigid-body dynamics of robots from their URDF."""
