"""Reading robot descriptions: text to elements, to checked records, to a tree, to a model."""

from .building import FLOATING_BASE, build_model
from .elements import Element, read_elements
from .source import read_source
from .tree import Description, read_description

__all__ = [
    "FLOATING_BASE",
    "Description",
    "Element",
    "build_model",
    "read_description",
    "read_elements",
    "read_source",
]
