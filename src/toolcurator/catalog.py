"""A catalogue of tools: by qualified id, by what a role may see, by wire name; compared, saved and loaded."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

from toolcurator.errors import CatalogError, UnknownTool
from toolcurator.sources.fault import Fault
from toolcurator.sources.gather import AnyPath, gather, unique
from toolcurator.sources.nearest import nearest_labels
from toolcurator.sources.profiles import ProfileSource, any_profiles, attach_profiles
from toolcurator.sources.synonyms import SynonymSource, any_synonyms
from toolcurator.sources.web import is_url
from toolcurator.sources.wire_names import wire_names
from toolcurator.tool import Tool

_NOT_CONTENT = frozenset({"id", "name", "server", "extra_context", "declaration"})


def may_see(tool: Tool, role: str | None) -> bool:
    """Whether a role may see a tool; every list, search, route and call asks this and nothing else.

    Args:
        tool: The tool.
        role: The persona; None is the operator, who sees every active tool.
    """
    return tool.state == "active" and (role is None or not tool.roles or role in tool.roles)


@dataclass(frozen=True)
class CatalogDiff:
    """What happened between two catalogues.

    Attributes:
        added: Ids only the newer one has.
        removed: Ids only the older one has.
        changed: Id → the fields that differ.
        renamed: Old id → new id of a tool whose content stayed the same.
    """

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    renamed: Mapping[str, str] = field(default_factory=dict[str, str])

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed or self.renamed)

    def __str__(self) -> str:
        lines = [f"+ {key}" for key in self.added]
        lines += [f"- {key}" for key in self.removed]
        lines += [f"~ {key}: {', '.join(fields)}" for key, fields in self.changed.items()]
        lines += [f"> {old} is now {new}" for old, new in self.renamed.items()]
        return "\n".join(lines) or "no difference"


class Catalog:
    """Tools that are searched together. It never changes once it is made.

    Args:
        tools: The tools. Of several with one id the first stays and each further one is a fault; the same bare name on
            different servers makes different ids, and all of them stay.
        name: Name of the catalogue.
        language: Language of its texts (``en``, ``et``, ...); empty means it is to be detected.
        synonyms: Paraphrases, or a mapping or file in either form of ``domain_synonyms.json``.
        extra_context: The same as a mapping from code; both go to ``extra_context`` of the tools.
        profiles: Recorded profiles: a file (`toolcurator.sources.profiles`), or id or bare name → profile.
        faults: What went wrong before, while the tools were read.
        files: The files that were read.
        live: Some of the tools came from running MCP servers.
        sources: Where the tools are read again by `toolcurator.sync`, as a catalogue file says it.

    Attributes:
        tools: The tools in the order they came.
        files: The files they came from, synonyms and profiles included; a change in one of them may change the catalogue.
        faults: Everything that is wrong with the catalogue, one fault for each entry.
        live: Whether the same source may hold other tools the next time although its files are the same.

    Raises:
        CatalogError: There is no tool at all, or the profiles cannot be read; the message says what was wrong.
    """

    def __init__(
        self,
        tools: Iterable[Tool],
        *,
        name: str = "",
        language: str = "",
        synonyms: SynonymSource | None = None,
        extra_context: Mapping[str, Any] | None = None,
        profiles: ProfileSource | None = None,
        faults: Iterable[Fault] = (),
        files: Iterable[str] = (),
        live: bool = False,
        sources: Iterable[Any] = (),
    ) -> None:
        kept, repeated = unique(tools)
        if not kept:
            raise CatalogError(_nothing([*faults]))
        doubts: list[Fault] = []
        read = {*files}
        for source in (synonyms, extra_context):
            words, wrong, path = any_synonyms(source)
            read |= {path} - {""}
            doubts += (*wrong, *words.check(kept, path))
            kept = words.applied(kept)
        recorded, path = any_profiles(profiles)
        folders = {Path(file).resolve().parent.name for file in read}
        kept, wrong = attach_profiles(recorded, kept, names={name, *folders}, path=path)
        doubts += wrong
        read |= {path} - {""}
        self.tools: tuple[Tool, ...] = kept
        self.faults: tuple[Fault, ...] = (*faults, *repeated, *doubts)
        self.files: tuple[str, ...] = tuple(sorted(read))
        self.name = name
        self.live = live
        self.sources: tuple[Any, ...] = tuple(sources)
        self.language = language
        self._by_id = {tool.id: tool for tool in self.tools}
        self._by_name: dict[str, list[Tool]] = {}
        for tool in self.tools:
            self._by_name.setdefault(tool.name, []).append(tool)

    @classmethod
    def load(
        cls,
        *paths: AnyPath,
        language: str | None = None,
        synonyms: SynonymSource | None = None,
        extra_context: Mapping[str, Any] | None = None,
        profiles: ProfileSource | None = None,
        server: str | None = None,
    ) -> Catalog:
        """Read files and folders.

        Args:
            *paths: Catalogue files, folders of them, or addresses (``http``, ``https``). A folder's
                ``domain_synonyms.json`` is applied.
            language: Language of the texts, instead of what the files say.
            synonyms: Further synonyms.
            extra_context: Further synonyms, from code.
            profiles: Recorded profiles, as for the class.
            server: Server of the tools that name none.

        Returns:
            The catalogue. What could not be read is in its ``faults``.

        Raises:
            CatalogError: A path does not exist, no tool could be read, or the profiles cannot be read.
        """
        return cls.of(
            [path if is_url(path) else Path(path) for path in paths],
            language=language,
            synonyms=synonyms,
            extra_context=extra_context,
            profiles=profiles,
            server=server,
        )

    @classmethod
    def of(
        cls,
        source: object,
        *,
        language: str | None = None,
        synonyms: SynonymSource | None = None,
        extra_context: Mapping[str, Any] | None = None,
        profiles: ProfileSource | None = None,
        server: str | None = None,
    ) -> Catalog:
        """Make a catalogue of whatever describes tools.

        Args:
            source: A catalogue, a path, an ``http`` or ``https`` address, a Python function, a ``Tool``, a mapping (a declaration
                of OpenAI, Anthropic, Gemini or MCP, our own form, a whole listing, or an OpenAPI document), or a list that
                mixes them.
            language: As for ``load``.
            synonyms: As for ``load``.
            extra_context: As for ``load``.
            profiles: As for ``load``.
            server: As for ``load``.

        Returns:
            The catalogue; the very one that was given, if nothing is added to it.

        Raises:
            CatalogError: As for ``load``, or the source is none of these.
        """
        if isinstance(source, Catalog):
            if not (language or synonyms or extra_context or profiles):
                return source
            return cls(
                source.tools,
                name=source.name,
                language=language or source.language,
                synonyms=synonyms,
                extra_context=extra_context,
                profiles=profiles,
                faults=source.faults,
                files=source.files,
                live=source.live,
                sources=source.sources,
            )
        found = gather(source, server=server or "")
        tools, faults = found.unique()
        if not tools and not found.faults:
            raise CatalogError(f"no tool in {_called(source)}")
        for path, words in found.synonyms:
            faults += words.check(tools, path)
            tools = words.applied(tools)
        return cls(
            tools,
            name=found.name,
            language=language or found.language,
            synonyms=synonyms,
            extra_context=extra_context,
            profiles=profiles,
            faults=(*found.faults, *faults),
            files=found.files,
            live=found.live,
            sources=found.sources,
        )

    def __len__(self) -> int:
        return len(self.tools)

    def __iter__(self) -> Iterator[Tool]:
        return iter(self.tools)

    def __contains__(self, key: object) -> bool:
        if isinstance(key, Tool):
            return self._by_id.get(key.id) == key
        return isinstance(key, str) and len(self._named(key)) == 1

    def __getitem__(self, key: str) -> Tool:
        found = self._named(key)
        if len(found) == 1:
            return found[0]
        raise self._unknown(key, found, None)

    def __repr__(self) -> str:
        return f"Catalog({self.name!r}, {len(self.tools)} tools, {len(self.faults)} faults)"

    def find(self, name: str, role: str | None = None) -> Tool | None:
        """The active tool of that id, bare name or wire name, if the role may see it and no other is meant as well."""
        found = self._named(name, lambda tool: may_see(tool, role))
        return found[0] if len(found) == 1 else None

    def require(self, name: str, role: str | None = None) -> Tool:
        """As ``find``, but it raises ``UnknownTool`` with the nearest tools the role may see (pitfall D6).

        A tool that is unknown and one that is forbidden give the same message (pitfall A27).
        """
        found = self._named(name, lambda tool: may_see(tool, role))
        if len(found) == 1:
            return found[0]
        raise self._unknown(name, found, role)

    def nearest(self, name: str, role: str | None = None, n: int = 3) -> tuple[str, ...]:
        """The names most like a name, among the tools a role may see; ids where a bare name is not unique.

        Args:
            name: What was asked for.
            role: The persona; None is the operator.
            n: At most so many.

        Returns:
            The nearest first; empty if none is like it.
        """
        seen = self.visible(role)
        count = Counter(tool.name for tool in seen)
        candidates = (
            (tool.name if count[tool.name] == 1 else tool.id, {tool.name, tool.leaf, tool.id}) for tool in seen
        )
        return nearest_labels(name, candidates, n)

    def visible(self, role: str | None = None) -> tuple[Tool, ...]:
        """The active tools a role may see; None is the operator, who sees them all."""
        return tuple(tool for tool in self.tools if may_see(tool, role))

    @cached_property
    def wire_names(self) -> Mapping[str, str]:
        """Id → the name under which a tool goes to a model (``^[A-Za-z_][A-Za-z0-9_-]{0,63}$``, no two the same)."""
        return MappingProxyType(wire_names(self.tools))

    def from_wire(self, name: str) -> Tool:
        """The tool that a wire name stands for.

        Raises:
            UnknownTool: No tool has that wire name.
        """
        if (key := self._ids_by_wire.get(name)) is not None:
            return self._by_id[key]
        raise self._unknown(name, [], None)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 (hex) of everything that may change an answer: all tools with all their fields, and the language.

        The order of the tools does not matter.
        """
        total = hashlib.sha256(self.language.encode())
        for digest in sorted(hashlib.sha256(_dump(tool)).digest() for tool in self.tools):
            total.update(digest)
        return total.hexdigest()

    def diff(self, newer: Catalog) -> CatalogDiff:
        """What happened from this catalogue to a newer one."""
        gone = {key: tool for key, tool in self._by_id.items() if key not in newer._by_id}
        come = {key: tool for key, tool in newer._by_id.items() if key not in self._by_id}
        renamed = _renamed(gone, come)
        changed = {
            key: fields
            for key, tool in self._by_id.items()
            if key in newer._by_id and (fields := _changed(tool, newer._by_id[key]))
        }
        return CatalogDiff(
            added=tuple(key for key in come if key not in renamed.values()),
            removed=tuple(key for key in gone if key not in renamed),
            changed=changed,
            renamed=renamed,
        )

    def save(self, path: AnyPath) -> None:
        """Write the catalogue; loading it gives equal tools. A reader sees the old file or the new one, never a part.

        Args:
            path: Ends in ``.json``, ``.yaml``, ``.yml``, or ``.jsonl`` (which keeps the tools alone).

        Raises:
            CatalogError: Another ending, or a tool holds a value that JSON cannot hold.
        """
        target = Path(path)
        suffix = target.suffix.lower()
        head = {
            key: value
            for key, value in (("name", self.name), ("language", self.language), ("sources", [*self.sources]))
            if value
        }
        if suffix == ".jsonl":
            text = "".join(f"{_dump(tool, exclude_defaults=True).decode()}\n" for tool in self.tools)
        elif suffix == ".json":
            tools = (_dump(tool, exclude_defaults=True, indent=1).decode().replace("\n", "\n  ") for tool in self.tools)
            first = json.dumps({**head, "tools": []}, ensure_ascii=False, indent=1).removesuffix("]\n}")
            text = first + "\n  " + ",\n  ".join(tools) + "\n ]\n}\n"
        elif suffix in (".yaml", ".yml"):
            import yaml

            tools = [json.loads(_dump(tool, exclude_defaults=True)) for tool in self.tools]
            dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
            text = yaml.dump({**head, "tools": tools}, Dumper=dumper, allow_unicode=True, sort_keys=False, width=120)
        else:
            raise CatalogError(f"cannot save to {target}: expected .json, .yaml or .jsonl")
        _write(target, text)

    @cached_property
    def _ids_by_wire(self) -> dict[str, str]:
        return {wire: key for key, wire in self.wire_names.items()}

    def _named(self, name: str, keep: Callable[[Tool], bool] = lambda _: True) -> list[Tool]:
        """The tools that a name may mean: by id, else by bare name, else by wire name. Others are not even counted."""
        by_id = self._by_id.get(name)
        if by_id is not None and keep(by_id):
            return [by_id]
        if found := [tool for tool in self._by_name.get(name, ()) if keep(tool)]:
            return found
        key = self._ids_by_wire.get(name)
        return [self._by_id[key]] if key is not None and keep(self._by_id[key]) else []

    def _unknown(self, name: str, found: list[Tool], role: str | None) -> UnknownTool:
        if found:
            return UnknownTool(f"'{name}' is the name of several tools, use an id: {', '.join(t.id for t in found)}")
        near = self.nearest(name, role)
        nearest = f"; the nearest: {', '.join(near)}" if near else ""
        return UnknownTool(f"no tool {name!r}{nearest}")


def _called(source: object) -> str:
    paths = cast(list[object], source) if isinstance(source, list) else [source]
    named = [str(cast(str, path)) for path in paths if isinstance(path, str | os.PathLike)]
    return ", ".join(named) or "what was given"


def _nothing(faults: list[Fault]) -> str:
    if not faults:
        return "no tool in the catalogue"
    more = f" (and {len(faults) - 3} more)" if len(faults) > 3 else ""
    return f"no tool could be read: {'; '.join(map(str, faults[:3]))}{more}"


def _dump(
    tool: Tool, *, exclude_defaults: bool = False, exclude: frozenset[str] = frozenset(), indent: int | None = None
) -> bytes:
    try:
        return tool.model_dump_json(exclude_defaults=exclude_defaults, exclude=set(exclude), indent=indent).encode()
    except ValueError as error:
        raise CatalogError(f"tool '{tool.id}' holds a value that JSON cannot hold: {error}") from None


def _changed(old: Tool, new: Tool) -> tuple[str, ...]:
    fields = tuple(name for name in Tool.model_fields if getattr(old, name) != getattr(new, name))
    return tuple(name for name in fields if name != "declaration") or fields  # it only repeats what the others say


def _renamed(gone: Mapping[str, Tool], come: Mapping[str, Tool]) -> dict[str, str]:
    """Pairs of tools that say the same under another id; a bare name that stayed decides between several."""
    old, new = _by_content(gone), _by_content(come)
    pairs: dict[str, str] = {}
    for content, olds in old.items():
        news = new.get(content, [])
        for tool in olds:
            same = [each for each in news if each.name == tool.name]
            if len(same) == 1:
                pairs[tool.id] = same[0].id
        left = [tool for tool in olds if tool.id not in pairs], [tool for tool in news if tool.id not in pairs.values()]
        if len(left[0]) == len(left[1]) == 1:
            pairs[left[0][0].id] = left[1][0].id
    return pairs


def _by_content(tools: Mapping[str, Tool]) -> dict[bytes, list[Tool]]:
    """Tools by what they say beside their names; those that say nothing cannot be recognised and are left out."""
    grouped: defaultdict[bytes, list[Tool]] = defaultdict(list)
    for tool in tools.values():
        if tool.description or tool.slots:
            grouped[_dump(tool, exclude=_NOT_CONTENT)].append(tool)
    return grouped


def _write(target: Path, text: str) -> None:
    """Write a file whole or not at all."""
    draft = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    try:
        with draft.open("w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(target)
    except OSError as error:
        raise CatalogError(f"cannot save to {target}: {error.strerror or error}") from None
    finally:
        draft.unlink(missing_ok=True)
