"""Query → selection: parts, candidates, fusion, name match, confidence, rerank, budget."""

from toolcurator.retrieval.curator import Curator
from toolcurator.retrieval.selection import Hit, HitEvidence, Selection

__all__ = ["Curator", "Hit", "HitEvidence", "Selection"]
