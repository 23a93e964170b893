"""Every number that can be turned, its default, and where the default comes from. Environment: ``TOOLCURATOR_*``."""

from __future__ import annotations

import json
import os
from math import inf
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from toolcurator.errors import SettingsError
from toolcurator.sources.fault import explain

Fusion = Literal["weighted", "rrf", "dense", "sparse"]
Part = Literal[
    "name",
    "description",
    "slots",
    "server",
    "tags",
    "extra_context",
    "function_description",  # this and the following are the profile's
    "when_to_use",
    "limitations",
    "profile_tags",
]
Preset = Literal["default", "classic"]
NoFit = Literal["keep", "empty", "widen"]

PREFIX = "TOOLCURATOR_"
"""``TOOLCURATOR_K=5`` sets ``k``; lists and objects are written in JSON."""

_LISTS = {
    "pinned": '["bank.pay"]',
    "dense_parts": '["name", "description"]',
    "field_weights": '{"name": 1, "description": 1}',
}

FIELD_WEIGHTS = {
    "name": 1.0,
    "description": 1.0,
    "slots": 0.5,
    "server": 0.5,
    "tags": 1.0,
    "extra_context": 1.0,
    "function_description": 1.0,
    "when_to_use": 1.0,
    "profile_tags": 1.0,
}


class Settings(BaseModel):
    """The settings of a curator. Keyword arguments go first, then the environment, then the defaults.

    Attributes:
        preset: ``default``, or ``classic``: the first seed's pipeline to the letter (``retrieval/classic.py``).
        encoder: Name of the encoder, as `toolcurator.encoders.load_encoder` takes it.
        index_dir: Folder of the index; None for one in the user's cache, named after the source.
        language: ISO 639 code of the catalogue's language; empty takes what the catalogue declares, else it is detected.
        fusion: How the arms are joined; ``dense`` and ``sparse`` show one arm alone.
        k: Most hits returned; ``auto`` for as many as are needed.
        k_max: Most hits with ``auto``.
        auto_target: Probability that ``auto`` aims at: that all tools that are needed are among the hits.
        token_budget: Most tokens the declarations of the hits may take; None for no limit.
        pinned: Ids of tools that are always selected, and count.
        pass_through: A role that sees at most this many tools gets them all, best first, within k and the token budget.
        no_fit: What happens when no tool fits: ``keep`` the selection as it is, ``empty`` it, or ``widen`` it by ``widen_by``.
        widen_by: Tools added by ``widen`` (the seed's ``CONF_BOOST``).
        fit_threshold: Probability that any tool fits below which a selection is marked as no fit.
        diversity: 0 ranks by score alone; towards 1 a tool much like one selected before falls back (MMR).
        split: Whether a query that asks for several things is searched part by part.
        rerank_model: Cross-encoder that orders the first ``rerank_depth`` hits again; None for none.
        rerank_depth: Hits that are reranked.
        candidates: Tools that each arm hands to fusion.
        dense_parts: Parts of a tool that make up its dense text, in order. Slots in it raised NDCG@10 on the bench by up to 7.
        field_weights: Weight of each BM25 field.
        bm25_k1: How fast repeated words saturate.
        bm25_b: How much long documents are discounted.
        sparse_weight: Weight of the standardized BM25 score beside the standardized cosine; chosen on the dev splits.
        foreign_sparse_weight: The same where the encoder does not know the catalogue's language.
        name_weight: Weight of the name match, which lies between 0 and 1.
        example_weight: Weight of BM25 over the examples in the sparse arm; what they weigh in ``weighted`` says
            ``retrieval/weights.json``.
        dense_floor: Added (in squares) to the standard deviation of cosines, so that few tools do not blow up noise.
        sparse_floor: The same for BM25 as a share of what the query could score at most.
        rrf_k: Constant of reciprocal rank fusion (Cormack et al. 2009).
        exact_points: Up to this many points are scanned in float32; above, int8 finds candidates and float32 scores them again.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    preset: Preset = "default"
    encoder: str = "packaged"
    index_dir: Path | None = None
    language: str = ""
    fusion: Fusion = "weighted"
    k: Annotated[int, Field(ge=1)] | Literal["auto"] = 10
    k_max: int = Field(default=20, ge=1)
    auto_target: float = Field(default=0.95, gt=0, lt=1)
    token_budget: int | None = Field(default=None, ge=1)
    pinned: tuple[str, ...] = ()
    pass_through: int = Field(default=8, ge=0)
    no_fit: NoFit = "keep"
    widen_by: int = Field(default=5, ge=0)
    fit_threshold: float = Field(default=0.5, ge=0, le=1)
    diversity: float = Field(default=0.0, ge=0, le=1)
    split: bool = True
    rerank_model: str | None = None
    rerank_depth: int = Field(default=20, ge=1)
    candidates: int = Field(default=100, ge=1)
    dense_parts: tuple[Part, ...] = ("name", "description", "slots", "server", "tags", "extra_context")
    field_weights: dict[str, float] = Field(default_factory=lambda: dict(FIELD_WEIGHTS))
    bm25_k1: float = Field(default=1.5, gt=0)
    bm25_b: float = Field(default=0.75, ge=0, le=1)
    sparse_weight: float = Field(default=0.5, ge=0)
    foreign_sparse_weight: float = Field(default=2.0, ge=0)
    name_weight: float = Field(default=1.0, ge=0)
    example_weight: float = Field(default=1.0, ge=0)
    dense_floor: float = Field(default=0.03, ge=0)
    sparse_floor: float = Field(default=0.01, ge=0)
    rrf_k: int = Field(default=60, ge=1)
    exact_points: int = Field(default=8192, ge=0)

    @model_validator(mode="before")
    @classmethod
    def _with_environment(cls, given: dict[str, Any]) -> dict[str, Any]:
        # pydantic-settings does this too, but its import takes a sixth of the time in which a search should be done
        found: dict[str, Any] = {}
        for name in cls.model_fields:
            if name in given or not (text := os.environ.get(f"{PREFIX}{name.upper()}")):
                continue
            found[name] = text
            if name in _LISTS:
                try:
                    found[name] = json.loads(text)
                except ValueError:
                    raise ValueError(f"{PREFIX}{name.upper()} must be JSON, such as {_LISTS[name]}") from None
        return found | given

    @field_validator("k", mode="before")
    @classmethod
    def _whole_or_auto(cls, k: Any) -> Any:
        text = str(k).strip()
        if isinstance(k, bool) or (text != "auto" and not (text.isdigit() and int(text) > 0)):
            raise ValueError(f"k must be a whole number from 1 or 'auto', not {k!r}")
        return text if text == "auto" else int(text)

    @field_validator("field_weights")
    @classmethod
    def _known_fields(cls, weights: dict[str, float]) -> dict[str, float]:
        known = {*get_args(Part), "text"}
        if not weights or any(name not in known or not 0 <= weight < inf for name, weight in weights.items()):
            raise ValueError(f"field_weights must weigh some of {', '.join(sorted(known))}, each 0 or more")
        return weights

    @classmethod
    def of(cls, **given: Any) -> Settings:
        """Settings from keyword arguments.

        Raises:
            SettingsError: One is unknown or out of range; the message says which, and what was expected.
        """
        try:
            return cls(**given)
        except ValidationError as error:
            raise SettingsError(f"settings: {explain(error)}") from None
