"""Packaging of urdf_dynamics for ament_python (colcon) and for pip."""

from pathlib import Path

from setuptools import find_packages, setup

PACKAGE = "urdf_dynamics"
HERE = Path(__file__).resolve().parent


def shared(folder):
    """The files of a folder and its subfolders, as data_files entries below share/."""
    entries = {}
    for path in sorted(Path(folder).rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            entries.setdefault(f"share/{PACKAGE}/{path.parent}", []).append(str(path))
    return list(entries.items())


setup(
    name=PACKAGE,
    version="0.1.0",
    description="Rigid-body dynamics of robots from their URDF, and ROS 2 nodes that use it",
    long_description=(HERE / "README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    license="Apache-2.0",
    maintainer="urdf_dynamics maintainers",
    maintainer_email="maintainers@users.noreply.github.com",
    python_requires=">=3.10",
    packages=[
        *find_packages(include=["dynamics_core", "dynamics_core.*"]),
        "dynamics_nodes",
        "dynamics_nodes.demo",
    ],
    # `dynamics_core` lies where its name says; naming it here would break symlink installs.
    package_dir={"dynamics_nodes": "nodes"},
    package_data={"dynamics_core": ["py.typed"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{PACKAGE}"]),
        (f"share/{PACKAGE}", ["package.xml"]),
        *shared("launch"),
        *shared("config"),
        *shared("urdf"),
    ],
    install_requires=["setuptools", "numpy>=1.24", "urdfdom-py", "scipy", "PyYAML"],
    extras_require={
        "compiled": ["llvmlite>=0.41"],
        "xacro": ["xacro"],
        "check": ["rich", "matplotlib"],
        "demo": ["rich", "matplotlib", "Jinja2", "xacro"],
        "dataset": ["pyarrow", "tqdm"],
        "gymnasium": ["gymnasium"],
        "recording": ["mcap", "mcap-ros2-support"],
    },
    zip_safe=False,
    entry_points={
        "console_scripts": [
            "external_wrench_estimator = dynamics_nodes.start:external_wrench_estimator",
            "forward_dynamics_sim = dynamics_nodes.start:forward_dynamics_sim",
            "gravity_compensation = dynamics_nodes.start:gravity_compensation",
            "inverse_dynamics_feedforward = dynamics_nodes.start:inverse_dynamics_feedforward",
        ],
    },
)
