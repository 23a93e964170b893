"""The curator: an index and its encoder, joined to answer queries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from toolcurator.encoders import Encoder, Progress, load_encoder
from toolcurator.errors import QueryError, UnknownTool
from toolcurator.index import Evidence, LocalIndex, Query, dense_text, open_index
from toolcurator.index.index import Floats, Ints
from toolcurator.lexical import Tokenizer
from toolcurator.retrieval import classic
from toolcurator.retrieval.background import background_vectors
from toolcurator.retrieval.budget import declaration_tokens, diversify, estimate_tokens, pick
from toolcurator.retrieval.confidence import packaged_confidence
from toolcurator.retrieval.cosine_scale import CosineScale, cosine_scale
from toolcurator.retrieval.fitted import FILE, FitReport, read_fitted, save_fitted
from toolcurator.retrieval.fusion import contributions, fuse
from toolcurator.retrieval.query import affirmed, clean
from toolcurator.retrieval.ranking import CONTEXT, Found, Ranking, rank
from toolcurator.retrieval.selection import Hit, HitEvidence, Selection
from toolcurator.retrieval.size import enough
from toolcurator.retrieval.together import Companions, raise_companions
from toolcurator.retrieval.weights import Weights, WeightTable
from toolcurator.settings import Fusion, NoFit, Settings
from toolcurator.tool import Tool

if TYPE_CHECKING:
    from toolcurator.evaluation.labels import LabelledQuery
    from toolcurator.retrieval.rerank import Reranker


class Curator:
    """Finds the few tools a query needs, and says when none fits.

    Args:
        index: The index.
        encoder: The encoder that made its vectors; None searches by words alone.
        settings: Settings.
        reranker: Orders the first hits again; None leaves them as they are.
        count_tokens: Tokens of a declaration's JSON, for token budgets; by default an estimate of four characters each.
    """

    def __init__(
        self,
        index: LocalIndex,
        *,
        encoder: Encoder | None,
        settings: Settings,
        reranker: Reranker | None = None,
        count_tokens: Callable[[str], int] = estimate_tokens,
    ) -> None:
        self.index = index
        self.encoder = encoder
        self.reranker = reranker
        self.settings = settings
        self._count_tokens = count_tokens
        self._tokenizer = Tokenizer(index.manifest.language)
        self._confidence = packaged_confidence()
        language = self._tokenizer.language
        knows = encoder is not None and ("*" in encoder.languages or language in encoder.languages)
        self._packaged = WeightTable.default(settings, foreign=not knows)
        self.use(self._packaged)
        self._companions: Companions = {}
        if (fitted := read_fitted(self._folder, index.encoder_id)) is not None:
            self._take(fitted)
        self._pinned = frozenset(self._position(name) for name in settings.pinned)

    @classmethod
    def open(
        cls,
        source: object,
        *,
        settings: Settings | None = None,
        progress: Progress | None = None,
        confirm: Callable[[str], bool] | None = None,
        count_tokens: Callable[[str], int] = estimate_tokens,
        synonyms: Any = None,
        extra_context: Any = None,
        profiles: Any = None,
        server: str | None = None,
        **overrides: Any,
    ) -> Curator:
        """Open a catalogue, building its index if it is not there or out of date.

        Args:
            source: A file or folder, several of them, a list of functions, tools or schemas, or a `Catalog`.
            settings: Settings; by default those of the environment.
            progress: Called with texts encoded and texts to encode.
            confirm: Asked before an encoder is downloaded; None means no.
            count_tokens: As for the class.
            synonyms: Paraphrases: a mapping, or a file in either form of ``domain_synonyms.json``.
            extra_context: ``{"tool": "extra words"}`` from code.
            profiles: Recorded profiles: a file of JSON Lines, or id → `Profile`.
            server: Server of the tools that name none.
            **overrides: Single settings, such as ``preset="classic"`` or ``k=5``.

        Raises:
            CatalogError: The source has no usable tool.
            EncoderError: The encoder cannot be loaded.
        """
        given = settings.model_dump(include=settings.model_fields_set) if settings else {}
        settings = Settings.of(**{**given, **overrides})
        if settings.preset == "classic":
            settings = classic.classic_settings(settings)
        encoder = load_encoder(settings.encoder, confirm=confirm)
        how: dict[str, Any] = {
            "synonyms": synonyms,
            "extra_context": extra_context,
            "profiles": profiles,
            "server": server,
        }
        index = open_index(source, settings=settings, encoder=encoder, progress=progress, **how)
        reranker = _reranker(settings.rerank_model, confirm)
        curator = cls(index, encoder=encoder, settings=settings, reranker=reranker, count_tokens=count_tokens)
        if encoder is not None and not curator._calibrated and settings.preset != "classic":
            background_vectors(index, encoder, progress)  # here, where their progress can be shown; they are kept
        return curator

    @property
    def _folder(self) -> Path:
        return self.index.generation.folder.parent

    @cached_property
    def cosine_scale(self) -> CosineScale | None:
        """How to read the cosines; None for the encoder that the packaged probabilities were fitted with.

        When an index is first opened with another one, three hundred general messages are encoded.
        """
        if self.encoder is None or self._calibrated:
            return None
        return cosine_scale(self.index, background_vectors(self.index, self.encoder))

    @property
    def _calibrated(self) -> bool:
        return self.encoder is None or self.encoder.id == self._confidence.encoder

    def fits(self, evidence: Evidence) -> float:
        """The probability that any tool fits, from the evidence of one search, by the packaged model."""
        return self._confidence.probability(evidence, self.cosine_scale if evidence.encoded else None)

    def use(self, weights: WeightTable) -> None:
        """Score with these weights from now on; nothing is stored."""
        self.weights = weights
        self._weights_at = lru_cache(maxsize=64)(weights.at)

    def _take(self, fitted: FitReport) -> None:
        self.use(fitted.table or self._packaged)
        self._companions = fitted.companions.at(self.index.ids) if fitted.companions is not None else {}

    def fit(
        self,
        queries: Sequence[LabelledQuery] | None = None,
        *,
        keep: bool = True,
        seed: int = 0,
        progress: Progress | None = None,
    ) -> FitReport:
        """Fit the weights of the score to labelled queries, and keep them beside the index if they are better beyond noise.

        From queries that need several tools it also learns which are needed together; that too is kept only if it helps.

        Args:
            queries: Labelled queries; None learns from the examples of tools that have four or more, each left out in its turn.
            keep: Whether better weights are used from now on, here and by whoever opens the index.
            seed: Seed of samples, folds and resampling.
            progress: Called with steps done and steps to do.

        Raises:
            TooFewLabels: There is too little to learn from.
        """
        from toolcurator.training.score import fit
        from toolcurator.training.together import fit_together

        report = fit(self, queries, seed=seed, progress=progress)
        if queries is not None:
            used = self.weights
            self.use(report.table or used)
            learned = fit_together(self, queries, seed=seed, progress=progress)
            report = report.model_copy(update={"together": learned})
            self.use(used)
        if keep and (report.table is not None or report.companions is not None):
            save_fitted(self._folder, report)
            self._take(report)
        return report

    def forget_fit(self) -> bool:
        """Go back to the packaged weights; returns whether there were others."""
        fitted = self._folder / FILE
        there = fitted.exists()
        fitted.unlink(missing_ok=True)
        self.use(self._packaged)
        self._companions = {}
        return there

    @property
    def faults(self) -> tuple[str, ...]:
        """What was wrong with the source, in words."""
        return self.index.generation.origin.faults

    def __len__(self) -> int:
        return len(self.index.ids)

    def select(
        self,
        query: str,
        *,
        k: int | Literal["auto"] | None = None,
        role: str | None = None,
        token_budget: int | None = None,
        fusion: Fusion | None = None,
        no_fit: NoFit | None = None,
    ) -> Selection:
        """Find the tools that a query needs.

        Args:
            query: What is wanted, in words.
            k: Most tools; ``auto`` for as many as hold the needed ones with the probability ``auto_target``; by default the
                setting.
            role: Persona; None is the operator, who sees every tool.
            token_budget: Most tokens that the declarations may take together.
            fusion: How the arms are joined; ``dense`` and ``sparse`` show one arm alone.
            no_fit: What happens when no tool fits: ``keep``, ``empty`` or ``widen``.

        Raises:
            QueryError: The query is empty or no text, a limit is below 1, or the role or a method is none.
        """
        text, notes = clean(query)
        _check(role, fusion, no_fit)
        settings = self.settings
        wanted = settings.k if k is None else k
        most = settings.k_max if wanted == "auto" else _at_least_one("k", wanted)
        budget = settings.token_budget if token_budget is None else _at_least_one("token_budget", token_budget)
        method = fusion or settings.fusion
        if wanted == "auto" and method != "weighted":
            raise QueryError(
                f"k='auto' reads probabilities off the weighted score, which {method} is not: give a number"
            )
        visible = self.index.visible(role)
        if not len(visible):
            return Selection(
                text, (), 0.0, True, settings.fit_threshold, notes=(*notes, "no tool is visible to this role")
            )

        if settings.preset == "classic" and method == "rrf":
            ranking = classic.rank(text, lambda texts: self._search(texts, role, method, most), self.index, role, most)
            fits, calibrated = classic.confidence(ranking.found), True
        else:
            ranking = self._rank(text, role, method, most)
            if self._companions and method == "weighted":
                ranking = raise_companions(ranking, self._companions)
            fits = max([self.fits(found.evidence) for found in ranking.found])
            calibrated = self._calibrated
        if wanted == "auto":
            most = enough(ranking, settings.auto_target, most)
        none_fits = fits < settings.fit_threshold
        policy = no_fit or settings.no_fit
        if none_fits and policy == "widen":
            most += settings.widen_by
        diverse = bool(settings.diversity) and self.encoder is not None
        all_ = diverse or budget is not None or self.reranker is not None or (none_fits and policy == "empty")
        ranked = self._complete(ranking, visible, None if all_ else most)
        if self.reranker is not None:
            from toolcurator.retrieval.rerank import rerank

            ranked = rerank(text, ranked, self._document, self.reranker, settings.rerank_depth)
        if none_fits and policy == "empty":
            ranked = [pair for pair in ranked if pair[0] in self._pinned]
        if diverse and len(ranked) > 1:
            ranked = self._diverse(ranked, most)
        picks, over = pick(
            ranked, k=most, pinned=self._pinned, tokens=self._tokens if budget else None, token_budget=budget
        )
        if over:
            notes = (*notes, f"{over} tools did not fit into the budget of {budget:,} tokens")
        ids, tool = self.index.ids, self.index.tool

        def evidence(position: int) -> HitEvidence:
            return self._evidence(position, ranking, method)

        hits = tuple([Hit(ids[p.tool], p.score, p.tokens, p.tool, tool, evidence) for p in picks])
        positions = [p.tool for p in picks]
        return Selection(
            query=text,
            hits=hits,
            fits=fits,
            calibrated=calibrated,
            threshold=settings.fit_threshold,
            parts=tuple(found.query.text for found in ranking.found[1:]),
            wire_names=lambda: tuple(self.index.wire_names[at] for at in positions),
            notes=notes,
        )

    def ranking(self, query: str, *, role: str | None = None) -> Ranking:
        """Every candidate in order, before companions and limits: for fitting and research."""
        return self._rank(clean(query)[0], role, self.settings.fusion, 1)

    def evidence(self, queries: Sequence[str], *, role: str | None = None) -> list[Evidence]:
        """What the index knows about the candidates of each query, before any score is made of it: for fitting and research."""
        return [
            evidence for _, evidence in self._search([clean(query)[0] for query in queries], role, self.settings.fusion)
        ]

    def tool(self, name: str, role: str | None = None) -> Tool:
        """The tool of an id, bare name or wire name, if the role may see it.

        Raises:
            UnknownTool: There is none; the message names the nearest.
        """
        if name in self.index.wire_names:
            name = self.index.ids[self.index.wire_names.index(name)]
        return self.index.catalog.require(name, role)

    def _search(
        self, texts: Sequence[str], role: str | None, method: Fusion, k: int = 1, context: float = 0.0
    ) -> list[tuple[Query, Evidence]]:
        """Search several texts; with ``context`` that share of the first one's vector is added to each of the others."""
        limit = max(self.settings.candidates, k)
        vectors: Sequence[Floats | None] = [None] * len(texts)
        if self.encoder is not None and method != "sparse":
            made = self.encoder.encode_queries(texts)
            if context and len(texts) > 1:
                made[1:] += np.float32(context) * made[0]
                made[1:] /= np.maximum(np.linalg.norm(made[1:], axis=1, keepdims=True), 1e-9)
            vectors = list(made)
        found: list[tuple[Query, Evidence]] = []
        searched = [self.index.words.knows, *([self.index.queries.knows] if self.index.has_examples else [])]
        for text, vector in zip(texts, vectors, strict=True):
            words, tokens, *asked = self._tokenizer.query(text, *searched)
            if (said := affirmed(text)) != text:
                words = self._tokenizer.telling(said)
            query = Query(text, tokens, words, vector, asked[0] if asked else ())
            found.append((query, self.index.search(query, role=role, limit=limit)))
        return found

    def _rank(self, text: str, role: str | None, method: Fusion, most: int) -> Ranking:
        context = 0.0 if self.settings.preset == "classic" else CONTEXT
        words = self._tokenizer.telling if self.settings.split else None
        return rank(text, lambda texts: self._search(texts, role, method, most, context), self._fuse(method), words)

    def _fuse(self, method: Fusion) -> Callable[[Evidence], Floats]:
        method = "sparse" if self.encoder is None and method == "dense" else method
        return lambda evidence: fuse(evidence, method, self.settings, self._weights_for(evidence))

    def _weights_for(self, evidence: Evidence) -> Weights:
        return self._weights_at(evidence.examples.share if evidence.examples is not None else 0.0)

    def _complete(self, ranking: Ranking, visible: Ints, most: int | None) -> list[tuple[int, float]]:
        """The ranking, with pinned tools and those of a catalogue small enough to be passed through; the first may do."""
        alone = not self._pinned and len(visible) > self.settings.pass_through
        first = most if alone else None
        ranked = list(zip(ranking.tools[:first].tolist(), ranking.scores[:first].tolist(), strict=True))
        if alone:
            return ranked
        wanted = set(self._pinned)
        seen = set(visible.tolist())
        if len(seen) <= self.settings.pass_through:
            wanted |= seen
        last = ranked[-1][1] if ranked else 0.0
        return ranked + [(tool, last) for tool in sorted((wanted & seen) - {tool for tool, _ in ranked})]

    def _diverse(self, ranked: list[tuple[int, float]], k: int) -> list[tuple[int, float]]:
        head, tail = ranked[: self.settings.candidates], ranked[self.settings.candidates :]
        tools = [tool for tool, _ in head]
        scores = np.array([score for _, score in head], np.float32)
        order = diversify(tools, scores, self.index.vectors(np.array(tools)), self.settings.diversity, k)
        score = dict(head)
        return [(tool, score[tool]) for tool in order] + tail

    def _document(self, position: int) -> str:
        return dense_text(self.index.tool(position), self.index.manifest.dense_parts)

    def _tokens(self, position: int) -> int:
        return declaration_tokens(self.index.tool(position), self.index.wire_names[position], self._count_tokens)

    def _evidence(self, position: int, ranking: Ranking, method: Fusion) -> HitEvidence:
        why = ranking.whys.get(position, "")
        part = int(why.removeprefix("part ")) if why.startswith("part ") else 0
        found = ranking.found[part]
        at = int(np.searchsorted(found.evidence.tools, position))
        if at == len(found.evidence.tools) or found.evidence.tools[at] != position:
            why = why or ("pinned" if position in self._pinned else "pass-through")
            return HitEvidence(0, 0.0, 0.0, "", 0, 0.0, 0.0, 0.0, {}, why)
        evidence, vector = found.evidence, found.query.vector
        best = self.index.point(self.index.nearest_point(position, vector)[0]).text if vector is not None else ""
        shares: dict[str, float] = {}
        if method == "weighted":
            made = contributions(evidence, self.settings, self._weights_for(evidence))
            shares = {name: float(each[at]) for name, each in made.items()}
            if position in ranking.raised:
                shares["together"] = ranking.raised[position]
        return HitEvidence(
            dense_rank=int(evidence.dense_rank[at]),
            cosine=float(evidence.document[at]),
            best_cosine=float(evidence.best[at]),
            best_point=best,
            sparse_rank=int(evidence.sparse_rank[at]),
            sparse=float(evidence.sparse[at]),
            name_match=float(evidence.name_match[at]),
            fused=float(found.scores[at]),
            shares=shares,
            why=why or ("pinned" if position in self._pinned else _strongest(found, at)),
        )

    def _position(self, name: str) -> int:
        at = self.index.position(name)
        if at is None:
            raise UnknownTool(f"pinned: no tool has the id {name!r}")
        return at


def _reranker(name: str | None, confirm: Callable[[str], bool] | None) -> Reranker | None:
    if name is None:
        return None
    from toolcurator.retrieval.rerank import load_reranker

    return load_reranker(name, confirm=confirm)


def _strongest(found: Found, at: int) -> str:
    evidence = found.evidence
    dense, sparse = int(evidence.dense_rank[at]), int(evidence.sparse_rank[at])
    if dense and sparse:
        return (
            "meaning and words"
            if abs(dense - sparse) <= max(dense, sparse) / 2
            else "meaning"
            if dense < sparse
            else "words"
        )
    return "meaning" if dense else "words" if sparse else "name" if evidence.name_precision[at] else "the rest"


def _check(role: Any, fusion: Any, no_fit: Any) -> None:
    if role is not None and not isinstance(role, str):
        raise QueryError(f"the role must be a string, not {type(role).__name__}")
    for name, value, kind in (("fusion", fusion, Fusion), ("no_fit", no_fit, NoFit)):
        if value is not None and value not in get_args(kind):
            raise QueryError(f"{name} must be one of {', '.join(get_args(kind))}, not {value!r}")


def _at_least_one(name: str, value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        auto = " or 'auto'" if name == "k" else ""
        raise QueryError(f"{name} must be a whole number from 1{auto}, not {value!r}")
    return value
