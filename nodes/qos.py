"""Quality of service of the topics; each can be overridden by parameters ``qos_overrides``."""

from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy

#: Joint states in: accepts reliable and best-effort publishers; only the newest counts.
SENSOR = QoSProfile(
    depth=1, reliability=ReliabilityPolicy.BEST_EFFORT, history=HistoryPolicy.KEEP_LAST
)

#: Commands, states and estimates out: serves reliable and best-effort subscribers.
LATEST = QoSProfile(
    depth=1, reliability=ReliabilityPolicy.RELIABLE, history=HistoryPolicy.KEEP_LAST
)

#: Messages of which none may be lost, such as trajectories and diagnostics.
QUEUE = QoSProfile(
    depth=10, reliability=ReliabilityPolicy.RELIABLE, history=HistoryPolicy.KEEP_LAST
)

#: What latecomers must hear, such as the robot's description.
LATCHED = QoSProfile(
    depth=1,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
    history=HistoryPolicy.KEEP_LAST,
)
