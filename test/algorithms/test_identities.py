"""The laws of ``identities`` on two hundred random trees each; on ten where each is compiled."""

from __future__ import annotations

import identities
import pytest
import random_trees
from hypothesis import given

TREES = random_trees.examples(200, compiled=10)


@pytest.mark.parametrize("name", identities.IDENTITIES)
def test_identity(name: str) -> None:
    """Fixed and floating trees of all joint types."""

    @TREES
    @given(random_trees.cases())
    def hold(case: random_trees.Case) -> None:
        identities.IDENTITIES[name](case)

    hold()


@pytest.mark.parametrize("name", identities.OF_FREE_ROBOTS)
def test_identity_of_free_robots(name: str) -> None:
    """Trees on a floating base."""

    @TREES
    @given(random_trees.cases(floating_root=True))
    def hold(case: random_trees.Case) -> None:
        identities.OF_FREE_ROBOTS[name](case)

    hold()
