"""Tool-DE (seed 2): profiles of tools written by a model from their documents, judged field by field, refined, recorded."""

from toolcurator.enrichment.calls import Answerer, GaveUp, Written
from toolcurator.enrichment.contract import Draft, broken_rules
from toolcurator.enrichment.expand import Expand
from toolcurator.enrichment.grounding import Grounding, Grounds
from toolcurator.enrichment.journal import Journal
from toolcurator.enrichment.judge import Judge, Verdict
from toolcurator.enrichment.ledger import Ledger, Spent
from toolcurator.enrichment.model import Ask, EnrichmentError, Model, Reply, open_model
from toolcurator.enrichment.patience import Patience, Stopped
from toolcurator.enrichment.pipeline import Outcome, Pipeline
from toolcurator.enrichment.profiles_file import write_profiles
from toolcurator.enrichment.refine import Refine
from toolcurator.enrichment.replay import Replay
from toolcurator.enrichment.rollback import keep_peoples, roll_back
from toolcurator.enrichment.run import Report, due, enrich, open_run, stale
from toolcurator.enrichment.source import PROFILE_FIELDS, Source, source_of, stale_fields

__all__ = [
    "PROFILE_FIELDS",
    "Answerer",
    "Ask",
    "Draft",
    "EnrichmentError",
    "Expand",
    "GaveUp",
    "Grounding",
    "Grounds",
    "Journal",
    "Judge",
    "Ledger",
    "Model",
    "Outcome",
    "Patience",
    "Pipeline",
    "Refine",
    "Replay",
    "Reply",
    "Report",
    "Source",
    "Spent",
    "Stopped",
    "Verdict",
    "Written",
    "broken_rules",
    "due",
    "enrich",
    "keep_peoples",
    "open_model",
    "open_run",
    "roll_back",
    "source_of",
    "stale",
    "stale_fields",
    "write_profiles",
]
