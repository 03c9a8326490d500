"""XML text to elements that know their line, and nothing more.

The reader is made for text from strangers. Document type declarations are refused, so that there
are no entities to expand and no other file is ever opened; size, depth and the number of elements
are bounded; elements that dynamics has no use for are passed over without being kept.
"""

from __future__ import annotations

import re
import xml.parsers.expat
from collections.abc import Iterator
from dataclasses import dataclass, field

from ..errors import DescriptionError

#: A description beyond these is refused: no robot needs them, and they bound time and memory.
MAX_BYTES = 64 * 1024 * 1024
MAX_DEPTH = 10_000
MAX_ELEMENTS = 200_000
MAX_KEPT = 50_000

#: What is kept: child tags by tag. All else (visual, collision, gazebo, ...) is passed over.
KEPT: dict[str, frozenset[str]] = {
    "": frozenset({"robot"}),
    "robot": frozenset({"link", "joint"}),
    "link": frozenset({"inertial"}),
    "inertial": frozenset({"origin", "mass", "inertia"}),
    "joint": frozenset({"origin", "parent", "child", "axis", "limit", "dynamics", "mimic"}),
}


@dataclass(eq=False)
class Element:
    """A kept element."""

    tag: str
    attributes: dict[str, str]
    line: int
    source: str
    parent: Element | None = None
    children: list[Element] = field(default_factory=list)

    def all(self, tag: str) -> Iterator[Element]:
        """Children of a tag."""
        return (c for c in self.children if c.tag == tag)

    def only(self, tag: str) -> Element | None:
        """The one child of a tag; an error if there are two."""
        found = list(self.all(tag))
        if len(found) > 1:
            raise found[1].error("stands here a second time; keep one of them")
        return found[0] if found else None

    def path(self) -> str:
        """``<mass> in <inertial> in <link name="upper_arm">``."""
        name = self.attributes.get("name")
        own = f"<{self.tag} name={quoted(name)}>" if name is not None else f"<{self.tag}>"
        return own if self.parent is None else f"{own} in {self.parent.path()}"

    def where(self) -> str:
        """File, line and path."""
        return f"{self.source}:{self.line}: {self.path()}"

    def error(self, what: str) -> DescriptionError:
        """An error about this element: what is wrong, and what to do."""
        return DescriptionError(f"{self.where()}: {what}")


def quoted(text: str) -> str:
    """A name for a message: on one line, and short whatever the file holds."""
    shown = text if len(text) <= 80 else text[:77] + "..."
    return '"' + shown.encode("unicode_escape").decode("ascii") + '"'


def read_elements(text: bytes | str, source: str) -> Element:
    """The ``<robot>`` element of a description.

    Args:
        text: The file's bytes (the encoding is the one that they declare), or text.
        source: Name for messages.

    Raises:
        DescriptionError: Not well-formed, not a robot, an unexpanded xacro file, or hostile.
    """
    # A str has no encoding any more, whatever its first line says.
    encoding = "utf-8" if isinstance(text, str) else None
    try:
        data = text.lstrip("\ufeff \t\r\n").encode("utf-8") if isinstance(text, str) else text
    except UnicodeEncodeError as error:
        raise DescriptionError(f"{source}: holds a character that is none: {error}") from None
    if len(data) > MAX_BYTES:
        raise DescriptionError(f"{source}: {len(data)} bytes; more than {MAX_BYTES} are refused")
    if not data.strip():
        raise DescriptionError(f"{source}: the description is empty; expected a <robot> element")
    return _Reader(source, encoding).read(data)


class _Reader:
    def __init__(self, source: str, encoding: str | None) -> None:
        self.source = source
        self.parser = xml.parsers.expat.ParserCreate(encoding)
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.StartDoctypeDeclHandler = self.doctype
        self.open: list[Element | None] = []  # None: inside something that is passed over
        self.root: Element | None = None
        self.count = self.kept = 0

    def read(self, data: bytes) -> Element:
        try:
            self.parser.Parse(data, True)
        except xml.parsers.expat.ExpatError as error:
            raise DescriptionError(
                f"{self.source}:{error.lineno}: not well-formed XML: "
                f"{xml.parsers.expat.ErrorString(error.code)}; mend the file at this line"
            ) from None
        except DescriptionError:
            raise
        except (LookupError, ValueError) as error:
            raise DescriptionError(f"{self.source}: cannot be decoded: {error}") from None
        if self.root is None:
            raise DescriptionError(f"{self.source}: no <robot> element")
        if "xmlns:xacro" in self.root.attributes and not self.root.children:
            raise self.root.error(
                "the robot has no links and names the xacro language: this is an unexpanded xacro "
                "file; expand the file that it was made from"
            )
        return self.root

    def here(self, what: str) -> DescriptionError:
        return DescriptionError(f"{self.source}:{self.parser.CurrentLineNumber}: {what}")

    def doctype(self, *_: object) -> None:
        raise self.here(
            "a document type declaration (<!DOCTYPE ...>) is refused, since entities can read "
            "other files and grow without bound; remove it"
        )

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.count += 1
        if self.count > MAX_ELEMENTS:
            raise self.here(f"more than {MAX_ELEMENTS} elements are refused")
        if len(self.open) >= MAX_DEPTH:
            raise self.here(f"elements nested more than {MAX_DEPTH} deep are refused")
        if tag.startswith("xacro:"):
            raise self.here(
                f"<{_shown(tag)}>: this is an unexpanded xacro file; expand it first (`xacro "
                "file.xacro > file.urdf`), or ask for expansion with xacro=True"
            )
        if not self.open and tag != "robot":
            hint = "; SDF is another format" if tag == "sdf" else ""
            raise self.here(f"the outermost element is <{_shown(tag)}>, not <robot>{hint}")
        above = self.open[-1] if self.open else None
        inside = above.tag if above is not None else ""
        if (self.open and above is None) or tag not in KEPT.get(inside, frozenset()):
            self.open.append(None)
            return
        self.kept += 1
        if self.kept > MAX_KEPT:
            raise self.here(f"more than {MAX_KEPT} elements of links and joints are refused")
        element = Element(tag, attributes, self.parser.CurrentLineNumber, self.source, above)
        for key, value in attributes.items():
            if re.search(r"\$[({]", value):
                raise element.error(
                    f"{key}={quoted(value)} holds a xacro expression: this is an unexpanded xacro "
                    "file; expand it first, or ask for expansion with xacro=True"
                )
        if above is None:
            self.root = element
        else:
            above.children.append(element)
        self.open.append(element)

    def end(self, _: str) -> None:
        self.open.pop()


def _shown(tag: str) -> str:
    return quoted(tag)[1:-1]
