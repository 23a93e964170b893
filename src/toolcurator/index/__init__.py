"""What gets indexed (points), and where: local arrays on disk."""

from toolcurator.index.build import build_index, index_key
from toolcurator.index.documents import Point, dense_text, points_of, texts_of
from toolcurator.index.index import Evidence, Index, Query
from toolcurator.index.local import LocalIndex
from toolcurator.index.open import open_index

__all__ = [
    "Evidence",
    "Index",
    "LocalIndex",
    "Point",
    "Query",
    "build_index",
    "dense_text",
    "index_key",
    "open_index",
    "points_of",
    "texts_of",
]
