"""A curator that stays in step with live MCP servers: it searches what they offer now, and calls it."""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self, cast

from toolcurator.catalog import Catalog, CatalogDiff
from toolcurator.encoders import Progress
from toolcurator.index import open_index
from toolcurator.live_catalog import LiveCatalog
from toolcurator.retrieval import Curator, Selection
from toolcurator.retrieval.budget import estimate_tokens
from toolcurator.settings import Settings
from toolcurator.sources.mcp import CallResult
from toolcurator.sources.mcp.servers import TIMEOUT

_OF_CATALOG = ("synonyms", "extra_context", "profiles", "server")


class LiveCurator:
    """Finds and calls tools of live sources. Safe to use from several threads.

    Before each search the sources are brought into step where that is due (`LiveCatalog.current`). Where the catalogue
    has changed, the index is built again, which encodes only texts that are new, and the curator is replaced.

    Args:
        source: As for `LiveCatalog`.
        refresh_seconds: Every server is listed again after so long.
        patience: Seconds that a search waits for servers; one that is slower is served as it was.
        timeout: Seconds a server has to start, and to answer a call.
        settings: As for `Curator.open`.
        **how: Whatever else `Curator.open` takes: ``synonyms``, ``profiles``, ``progress``, ``k``, ``encoder``, ...

    Attributes:
        live: The catalogue and the servers.
        curator: The curator in use.

    Raises:
        CatalogError: No tool could be read, and no server listed one.
        MissingExtra: The MCP SDK is not installed.
    """

    def __init__(
        self,
        source: object,
        *,
        refresh_seconds: float = 60.0,
        patience: float = 5.0,
        timeout: float = TIMEOUT,
        settings: Settings | None = None,
        **how: Any,
    ) -> None:
        of_catalog = {key: how.pop(key) for key in _OF_CATALOG if key in how}
        fields = {key: value for key, value in how.items() if key in Settings.model_fields}
        given = settings.model_dump(include=settings.model_fields_set) if settings else {}
        chosen = Settings.of(**{**given, **fields})
        self._lock = threading.Lock()
        self.live = LiveCatalog(
            source,
            refresh_seconds=refresh_seconds,
            patience=patience,
            timeout=timeout,
            language=chosen.language or None,
            **of_catalog,
        )
        try:
            self._catalog = self.live.catalog
            how["index_dir"] = chosen.index_dir or _cache_folder(source, self._catalog, chosen)
            self.curator = Curator.open(self._catalog, settings=settings, **how)
        except BaseException:
            self.live.close()
            raise
        self._progress: Progress | None = how.get("progress")
        self._pinned = self.curator.settings.pinned
        self._count_tokens: Callable[[str], int] = how.get("count_tokens", estimate_tokens)

    @property
    def failures(self) -> Mapping[str, str]:
        """Server → why it could not be used the last time; its tools are those it listed before."""
        return self.live.failures

    @property
    def catalog(self) -> Catalog:
        """The catalogue that is searched."""
        return self._catalog

    def __len__(self) -> int:
        return len(self.curator)

    def select(self, query: str, **how: Any) -> Selection:
        """Find the tools that a query needs, among those that are offered now.

        Args:
            query: What is wanted, in words.
            **how: ``k``, ``role``, ``token_budget``, ... of `Curator.select`.

        Raises:
            QueryError: As for `Curator.select`.
            CatalogError: No tool is left.
        """
        return self.current().select(query, **how)

    def current(self) -> Curator:
        """The curator of the tools that are offered now; another object once something has changed.

        Raises:
            CatalogError: No tool is left.
        """
        return self._follow(self.live.current())

    def refresh(self) -> CatalogDiff:
        """Read all sources again, whether due or not; returns what has changed."""
        diff = self.live.refresh()
        self._follow(self.live.catalog)
        return diff

    def call(
        self,
        name: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        role: str | None = None,
        timeout: float | None = None,
    ) -> CallResult:
        """Call a tool, as `LiveCatalog.call` does: found, checked, then dispatched."""
        return self.live.call(name, arguments, role=role, timeout=timeout)

    async def acall(
        self,
        name: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        role: str | None = None,
        timeout: float | None = None,
    ) -> CallResult:
        """As ``call``, for callers in an event loop."""
        return await self.live.acall(name, arguments, role=role, timeout=timeout)

    def close(self) -> None:
        """End the connections that were opened here."""
        self.live.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _follow(self, catalog: Catalog) -> Curator:
        """The curator of a catalogue; encoder and reranker are those of the one before."""
        with self._lock:
            if catalog is not self._catalog:
                before = self.curator
                there = tuple(key for key in self._pinned if catalog.find(key) is not None)
                settings = before.settings.model_copy(update={"pinned": there})
                index = open_index(catalog, settings=settings, encoder=before.encoder, progress=self._progress)
                self.curator = Curator(
                    index,
                    encoder=before.encoder,
                    settings=settings,
                    reranker=before.reranker,
                    count_tokens=self._count_tokens,
                )
                self._catalog = catalog
            return self.curator


def _cache_folder(source: object, catalog: Catalog, settings: Settings) -> Path:
    """A folder for a live source that stays the same when its tools do not: named by its paths, else by its servers."""
    from platformdirs import user_cache_path

    members = cast("list[object]", source) if isinstance(source, list | tuple) else [source]
    named = [str(Path(cast("str", each)).resolve()) for each in members if isinstance(each, str | os.PathLike)]
    about = named or sorted({tool.server or tool.id for tool in catalog})
    mark = hashlib.sha256(json.dumps([about, settings.preset, settings.encoder]).encode("utf-8", "replace")).hexdigest()
    return user_cache_path("toolcurator", appauthor=False) / "indexes" / f"live-{mark[:16]}"
