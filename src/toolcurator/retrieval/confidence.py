"""The probability that any tool fits, from what the best candidates have for themselves.

A logistic model over a few bounded features, fitted by ``benchmarks/fit_defaults.py`` on the train and dev splits of the
public sets, each set weighted alike. It is a start: calibration on a catalogue's own queries comes with routing.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from math import exp
from operator import mul

import numpy as np
from pydantic import BaseModel, ConfigDict

from toolcurator.index import Evidence
from toolcurator.retrieval.cosine_scale import CosineScale

FEATURES = ("cosine", "lead", "words", "agreement", "name")


class Confidence(BaseModel):
    """The fitted model.

    Attributes:
        encoder: Id of the encoder it was fitted with; for another one it is a guess.
        dense: Weight of each of `FEATURES`, and the intercept last.
        words: The same for an index of words alone.
        threshold: Probability below which no tool is held to fit.
        fitted_on: What it was checked with, for people.
    """

    model_config = ConfigDict(frozen=True)

    encoder: str
    dense: tuple[float, ...]
    words: tuple[float, ...]
    threshold: float
    fitted_on: dict[str, list[str]] = {}

    def probability(self, evidence: Evidence, scale: CosineScale | None = None) -> float:
        """Probability that any tool fits the query of that evidence; 0 if there is no candidate.

        Args:
            evidence: The evidence.
            scale: Of its cosines, if they are those of another encoder.
        """
        if not len(evidence.tools):
            return 0.0
        weights = self.dense if evidence.encoded else self.words
        cosine, lead, *rest = features(evidence)
        if scale is not None:
            cosine, lead = scale.of_tool(cosine), scale.factor * lead
        score = sum(map(mul, weights, (cosine, lead, *rest, 1.0)))
        return 1.0 / (1.0 + exp(-max(-50.0, min(50.0, score))))


@cache
def packaged_confidence() -> Confidence:
    """The model that comes with the package."""
    return Confidence.model_validate(
        json.loads(files("toolcurator.retrieval").joinpath("confidence.json").read_text("utf-8"))
    )


def features(evidence: Evidence) -> tuple[float, ...]:
    """The evidence as `FEATURES`, none of which depends on the number of tools or on the length of the query by itself.

    ``cosine``: highest cosine of any point. ``lead``: how far the best tool stands above the mean of all, in cosine.
    ``words``: share of the query's BM25 that the best document reaches. ``agreement``: the same share for the dense arm's
    best tool. ``name``: best name match.
    """
    best, dense, sparse, name = evidence.best, evidence.dense, evidence.words, evidence.name_match
    if evidence.examples is not None:
        sparse = np.maximum(sparse, evidence.examples.words)
    first = dense.argmax()
    return (  # x[x.argmax()] takes half the time of x.max()
        float(best[best.argmax()]),
        float(dense[first]) - evidence.dense_mean,
        float(sparse[sparse.argmax()]),
        float(sparse[first]) if evidence.encoded else 0.0,
        float(name[name.argmax()]),
    )
