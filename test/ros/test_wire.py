"""Messages written and read as bytes, against rclpy's own serialisation."""

from __future__ import annotations

import struct
from array import array

import pytest

pytest.importorskip("rclpy", reason="the nodes need ROS 2")

from dynamics_nodes.wire import MessageWriter, array_reader, joint_state_reader, marks
from rclpy.serialization import deserialize_message, serialize_message
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray, MultiArrayDimension

FIELDS = ("position", "velocity", "effort")


def joint_state(names, sizes, frame=""):
    message = JointState(name=names)
    message.header.frame_id = frame
    message.header.stamp.sec, message.header.stamp.nanosec = 5, 77
    for k, (field, size) in enumerate(zip(FIELDS, sizes, strict=True)):
        setattr(message, field, array("d", [k + 0.5 * i for i in range(size)]))
    return message


@pytest.mark.parametrize("names", [[], ["a"], ["abc", "de", "fghij"], ["wheel"] * 7])
@pytest.mark.parametrize("frame", ["", "a", "base"])  # strings of any length modulo four
@pytest.mark.parametrize("sizes", [(3, 3, 3), (0, 0, 1), (1, 0, 0), (0, 2, 5), (0, 0, 0)])
def test_a_joint_state_is_read_as_it_was_sent(names, frame, sizes):
    sent, reader = joint_state(names, sizes, frame), joint_state_reader()
    for _ in range(2):  # learnt, then known
        read, stamp, arrays = reader.read(serialize_message(sent))
        assert list(read.name) == names
        assert read.header.frame_id == frame
        assert stamp == (5, 77)
        for field, values in zip(FIELDS, arrays, strict=True):
            assert values.tolist() == list(getattr(sent, field))


def test_layouts_of_several_publishers_are_told_apart_and_kept():
    reader = joint_state_reader()
    layouts = [joint_state(names, (1, 1, 1)) for names in (["a"], ["b"], ["a", "b"], ["ab"])]
    first = [reader.read(serialize_message(m))[0] for m in layouts]
    again = [reader.read(serialize_message(m))[0] for m in layouts]
    assert [list(m.name) for m in again] == [list(m.name) for m in layouts]
    assert all(a is b for a, b in zip(first, again, strict=True))


def test_gaps_between_strings_may_hold_anything():
    data = bytearray(serialize_message(joint_state(["a"], (1, 1, 1))))
    reader = joint_state_reader()
    known = reader.read(bytes(data))[0]
    # Behind the encapsulation and the stamp: a length of 1, the empty string's end, three gaps.
    assert data[12:17] == struct.pack("=I", 1) + b"\0"
    data[17:20] = b"\x7f\x80\xff"
    assert reader.read(bytes(data))[0] is known


def test_bytes_of_the_other_order_are_read():
    sent = joint_state([], (0, 0, 2))
    native = serialize_message(sent)
    order, other = (">", 0) if native[1] else ("<", 1)
    # Stamp, empty frame_id with its gap, no names, no positions, no velocities, two efforts.
    body = struct.pack(f"{order}iII4x4I2d", 5, 77, 1, 0, 0, 0, 2, 2.0, 2.5)
    _, stamp, (_, _, effort) = joint_state_reader().read(bytes([0, other, 0, 0]) + body)
    assert stamp == (5, 77)
    assert effort.tolist() == [2.0, 2.5]


def test_a_message_that_is_cut_off_is_refused():
    data = serialize_message(joint_state(["a"], (1, 1, 1)))
    reader = joint_state_reader()
    reader.read(data)
    with pytest.raises((ValueError, struct.error)):
        reader.read(data[:40])


def test_an_array_is_read_whatever_its_layout():
    message = Float64MultiArray(data=[1.0, 2.0, 3.0])
    reader = array_reader()
    assert reader.read(serialize_message(message))[2][0].tolist() == [1.0, 2.0, 3.0]
    message.layout.dim = [MultiArrayDimension(label="joints", size=3, stride=3)]
    message.layout.data_offset = 1
    read, _, (data,) = reader.read(serialize_message(message))
    assert read.layout == message.layout
    assert data.tolist() == [1.0, 2.0, 3.0]


def test_what_is_written_in_place_is_what_rclpy_reads():
    position, effort = marks(2), marks(3)
    writer = MessageWriter(JointState(name=["a", "b", "c"], position=position, effort=effort))
    places = writer.numbers(position), writer.numbers(effort)
    empty = deserialize_message(writer.data(), JointState)
    assert list(empty.position) + list(empty.effort) == [0.0] * 5
    places[0][:], places[1][:] = (1.0, 2.0), (3.0, 4.0, 5.0)
    writer.stamp(6, 7)
    read = deserialize_message(writer.data(), JointState)
    assert list(read.name) == ["a", "b", "c"]
    assert (list(read.position), list(read.effort)) == ([1.0, 2.0], [3.0, 4.0, 5.0])
    assert (read.header.stamp.sec, read.header.stamp.nanosec) == (6, 7)
