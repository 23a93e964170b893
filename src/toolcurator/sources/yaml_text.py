"""YAML read safely: YAML 1.2's plain scalars, JSON's key type, and a limit on what aliases expand to."""

from __future__ import annotations

import re
from collections.abc import Hashable
from typing import Any, cast

import yaml

from toolcurator.errors import CatalogError

ALIAS_NODES = 1_000_000
MOST_DEPTH = 100

# Each a part of what PyYAML's own resolver takes, so that whatever PyYAML writes without quotes is read back the same.
_SCALARS = {
    "bool": (r"^(?:true|True|TRUE|false|False|FALSE)$", [*"tTfF"]),
    "int": (r"^[-+]?(?:0|[1-9][0-9]*)$", [*"-+0123456789"]),
    "float": (r"^(?:[-+]?[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][-+][0-9]+)?$", [*"-+.0123456789"]),
    "null": (r"^(?:~|null|Null|NULL|)$", ["~", "n", "N", ""]),
    "merge": (r"^(?:<<)$", ["<"]),
}


_NOT_TEXT = frozenset(f"tag:yaml.org,2002:{name}" for name in ("bool", "int", "float", "null"))

# A PyYAML built without libyaml reads the same, only slower.
_Base: type[yaml.SafeLoader] = cast("type[yaml.SafeLoader]", getattr(yaml, "CSafeLoader", yaml.SafeLoader))


class _Loader(_Base):
    """Safe loader in which ``no``, ``12:30``, ``0777`` and dates stay text, as in YAML 1.2 and JSON."""

    yaml_implicit_resolvers: Any = {}  # noqa: RUF012 (PyYAML's name: empty, so that nothing is inherited)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        """Build a mapping whose keys are the text that stands in the file, as JSON has them."""
        pairs: list[tuple[yaml.Node, yaml.Node]] = node.value
        for key, _ in pairs:
            if isinstance(key, yaml.ScalarNode) and key.tag in _NOT_TEXT:
                key.tag = "tag:yaml.org,2002:str"
        return super().construct_mapping(node, deep=deep)


for _tag, (_pattern, _first) in _SCALARS.items():
    cast("Any", _Loader).add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(_pattern), _first)


class YamlText:
    """One YAML document: its value, and the line on which any part of it begins.

    Args:
        text: The document.

    Raises:
        CatalogError: The document is nested more than 100 deep, contains itself, or its aliases expand to more than a
            million nodes.
        yaml.YAMLError: A syntax error.
    """

    def __init__(self, text: str) -> None:
        loader: Any = _Loader(text)
        try:
            self._root: yaml.Node | None = loader.get_single_node()
            if self._root is not None:
                _measure(self._root, ALIAS_NODES + len(text))
            self.value: Any = None if self._root is None else loader.construct_document(self._root)
        finally:
            loader.dispose()

    def lines(self, path: tuple[str, ...]) -> list[int]:
        """The first line (from 1) of every member of the list at ``path``."""
        node = self._root
        for part in path:
            pairs: list[tuple[yaml.Node, yaml.Node]] = node.value if isinstance(node, yaml.MappingNode) else []
            node = next((value for key, value in reversed(pairs) if key.value == part), None)
        return [each.start_mark.line + 1 for each in node.value] if isinstance(node, yaml.SequenceNode) else []


def _measure(root: yaml.Node, most: int) -> None:
    """Refuse a document that is small as text and huge once its aliases are followed (a "YAML bomb").

    Without aliases a document has fewer nodes than characters, so ``most`` never refuses an honest one.
    """
    sizes: dict[int, int] = {}
    unfinished: set[int] = set()

    def size(node: yaml.Node, depth: int) -> int:
        key = id(node)
        if key in sizes:
            return sizes[key]
        line = node.start_mark.line + 1
        if key in unfinished:
            raise CatalogError(f"line {line}: an alias stands inside the node that it names")
        if depth > MOST_DEPTH:
            raise CatalogError(f"line {line}: nested more than {MOST_DEPTH} deep")
        unfinished.add(key)
        total = 1
        for part in _parts(node):
            total += 1 if isinstance(part, yaml.ScalarNode) else size(part, depth + 1)
        if total > most:
            raise CatalogError(f"line {line}: aliases expand to more than {most:,} nodes")
        unfinished.discard(key)
        sizes[key] = total
        return total

    size(root, 0)


def _parts(node: yaml.Node) -> list[yaml.Node]:
    if isinstance(node, yaml.MappingNode):
        pairs: list[tuple[yaml.Node, yaml.Node]] = node.value
        return [part for pair in pairs for part in pair]
    return node.value if isinstance(node, yaml.SequenceNode) else []
