"""Rows into lanes and back: any number of columns and rows, any stride, nothing else touched."""

from __future__ import annotations

import numpy as np
import pytest
from mutations import Mutation, broken
from programs import compiled


def there_and_back(size: int) -> None:
    """Negate rows by way of a batch."""
    negation = compiled(size, size, lambda x: [-y for y in x])
    rng = np.random.default_rng(0)
    for rows in (1, 3, 7, 8, 9, 15, 16, 17, 40):
        for stride, offset in ((size, 0), (size + 3, 2)):
            x = rng.normal(size=(rows, stride))[:, offset : offset + size]
            memory = np.full((rows + 2, size), np.nan)
            assert negation.batch([x], [memory[1:-1]], np.zeros(0)) == -1
            np.testing.assert_array_equal(memory[1:-1], -x)
            assert np.isnan(memory[[0, -1]]).all()


@pytest.mark.parametrize("size", [*range(1, 19), 24, 25, 31])
def test_rows_go_there_and_back(size: int):
    there_and_back(size)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("icmp sge i64 {left}, {lane}", "icmp sgt i64 {left}, {lane}"),
        ("count - 4, 4)", "max(0, count - 5), 4)"),
        ("range(4, 8))", "range(4))"),
        ("block, first + k)", "block, k)"),
        ("_LEFT if k < 2 else _RIGHT", "_LEFT if k < 3 else _RIGHT"),
    ],
)
def test_rows_moved_wrongly_are_noticed(old: str, new: str):
    with broken(Mutation("compiler.rows", old, new)), pytest.raises(AssertionError):
        _ = [there_and_back(size) for size in (3, 7, 18)]
