"""Slots of a tool out of a query, without a model: dates, numbers, currencies, places, choices, codes, names."""

from toolcurator.routing.slots.coerce import checked, merged
from toolcurator.routing.slots.fill import fill, fill_calls, fill_each
from toolcurator.routing.slots.found import Mention, Slots
from toolcurator.routing.slots.reader import Reader

__all__ = ["Mention", "Reader", "Slots", "checked", "fill", "fill_calls", "fill_each", "merged"]
