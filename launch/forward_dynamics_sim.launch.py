"""Start the simulated robot alone.

``ros2 launch urdf_dynamics forward_dynamics_sim.launch.py -s`` lists the arguments.
"""

from dynamics_nodes.launch_actions import launch_description

from launch import LaunchDescription


def generate_launch_description() -> LaunchDescription:
    """What to start."""
    return launch_description("forward_dynamics_sim")
