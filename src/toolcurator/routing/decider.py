"""A curator and its calibration, joined to decide what a query is about; no LLM, and one search."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from toolcurator.lexical import Tokenizer
from toolcurator.retrieval import Curator
from toolcurator.retrieval.background import background_vectors
from toolcurator.retrieval.ranking import Found
from toolcurator.routing.calibration import KERNEL, Calibration, CalibrationError, folder_of, read_calibration
from toolcurator.routing.decide import CANDIDATES, CLASSIC, Candidate, Decision, Thresholds, decide
from toolcurator.routing.kernel_head import KernelHead, read_kernel_head
from toolcurator.routing.logistic import Logistic
from toolcurator.routing.packaged import Pair, packaged
from toolcurator.routing.signals import SIGNALS, Outlook, outlook, words_of


class Decider:
    """Decides what queries are about.

    Args:
        curator: Searches.
        calibration: ``own`` takes the calibration beside the index, and the packaged one where there is none; ``packaged`` never
            looks; ``classic`` compares cosines with the third seed's fixed limits. A `Calibration` is taken as it is.
        thresholds: Other limits than those of the calibration, on the same scale.
        kernel: The kernel head of the calibration, if it does not lie beside the index.

    Raises:
        CalibrationError: The calibration beside the index was made for another encoder or an older catalogue (pitfall C7).
    """

    def __init__(
        self,
        curator: Curator,
        calibration: Literal["own", "packaged", "classic"] | Calibration = "own",
        *,
        thresholds: Thresholds | None = None,
        kernel: KernelHead | None = None,
    ) -> None:
        self.curator = curator
        self.classic = calibration == "classic"
        found = read_calibration(curator.index) if calibration == "own" else None
        found = calibration if isinstance(calibration, Calibration) else found
        default = packaged().dense if curator.encoder is not None else packaged().words
        pair = default if found is None else Pair(fits=found.fits, right=found.right, thresholds=found.thresholds)
        self.calibrated = found is not None
        self.thresholds = thresholds or (CLASSIC if self.classic else pair.thresholds)
        self._fits, self._right = _picked(pair.fits), _picked(pair.right)
        self._words = lru_cache(maxsize=4096)(words_of(curator.index, Tokenizer(curator.index.manifest.language)))
        self._weight = found.kernel_weight if found is not None else 0.0
        self._kernel: KernelHead | None = None
        if found is not None and found.kernel_used:
            self._kernel = kernel or read_kernel_head(folder_of(curator.index))
            if self._kernel is None:
                path = folder_of(curator.index) / KERNEL
                raise CalibrationError(f"{path} cannot be read: run `toolcurator calibrate CATALOG` again")
        dense = curator.encoder is not None and not self.classic
        self._scale = curator.cosine_scale if dense else None
        self._background = background_vectors(curator.index, curator.encoder) if dense and curator.encoder else None

    def decide(self, query: str, *, role: str | None = None) -> Decision:
        """Decide what a query is about.

        Args:
            query: The query.
            role: Persona; tools that it may not see do not exist for it.

        Returns:
            The decision. Where the query asks for several things, ``parts`` holds the decision of each.

        Raises:
            QueryError: The query is empty or no text.
        """
        ranking = self.curator.ranking(query, role=role)
        whole, *parts = ranking.found
        return self._decide(whole, tuple(self._decide(part) for part in parts))

    def outlook(self, found: Found) -> Outlook | None:
        """The tools of one search in the order that is decided on, and the signals of the first; None without a candidate."""
        vector = found.query.vector
        kernel = self._kernel.scores(vector) if self._kernel is not None and vector is not None else None
        near = 0.0
        if self._background is not None and vector is not None:
            near = float((self._background @ vector).max(initial=0.0))
        return outlook(
            found,
            self.curator.index,
            self._words,
            kernel=kernel,
            weight=self._weight,
            background=near,
            scale=self._scale,
        )

    def _decide(self, found: Found, parts: tuple[Decision, ...] = ()) -> Decision:
        ids, tools, best = self.curator.index.ids, found.evidence.tools, found.evidence.best
        text = found.query.text
        if self.classic:
            order = (-best).argsort(kind="stable")[:CANDIDATES]
            first = [Candidate(ids[tools[at]], float(best[at]), float(best[at])) for at in order]
            cosine = first[0].cosine if first else 0.0
            return decide(first, self.thresholds, fits=cosine, right=cosine, parts=parts, query=text)
        seen = self.outlook(found)
        if seen is None:
            calibrated = self.calibrated
            return decide((), self.thresholds, fits=0.0, right=0.0, calibrated=calibrated, parts=parts, query=text)
        first = [
            Candidate(ids[tools[at]], float(score), float(best[at]))
            for at, score in zip(seen.order[:CANDIDATES], seen.scores[:CANDIDATES], strict=True)
        ]
        signals = seen.signals
        fits, right = (
            model.probability([signals[at] for at in columns]) for model, columns in (self._fits, self._right)
        )
        return decide(
            first,
            self.thresholds,
            fits=fits,
            right=min(right, fits),
            calibrated=self.calibrated,
            parts=parts,
            query=text,
        )


def _picked(model: Logistic) -> tuple[Logistic, list[int]]:
    """A model, and where its signals stand."""
    return model, [SIGNALS.index(name) for name in model.names]
