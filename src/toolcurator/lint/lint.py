"""A catalogue → what is wrong with its documents, and how good they are. No model is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from toolcurator.catalog import Catalog
from toolcurator.encoders import Encoder, Progress
from toolcurator.index.documents import dense_text
from toolcurator.lexical import Tokenizer, detect_language
from toolcurator.lint.credentials import is_secret_value, mask, secrets_in
from toolcurator.lint.documentation import descriptions, slots
from toolcurator.lint.effects import effects
from toolcurator.lint.encoded import comments, encoded_text
from toolcurator.lint.finding import Finding, Locate, excerpt, found
from toolcurator.lint.hidden import hidden_characters, lookalike_letters
from toolcurator.lint.instructions import instructions
from toolcurator.lint.length import Ruler, cut_off
from toolcurator.lint.likeness import Floats, confusable, pairs_of, unrelated, word_vectors
from toolcurator.lint.report import LintReport, ordered
from toolcurator.lint.rules import RULES, Choice
from toolcurator.lint.score import Score, score
from toolcurator.lint.shared_examples import shared_examples
from toolcurator.lint.stuffing import requesting_name, stuffed_texts
from toolcurator.lint.texts import Text, texts_in
from toolcurator.lint.wire import faults, wire_name
from toolcurator.settings import Settings
from toolcurator.tool import Tool

if TYPE_CHECKING:
    from toolcurator.retrieval import Curator

MOST_PAIRS = 100
"""Confusable pairs that are reported."""

_EVERY = 50  # tools between two calls of progress
_TEXT_RULES: tuple[tuple[tuple[str, ...], Callable[[str, Text], Iterator[Finding]]], ...] = (
    (("TC601",), hidden_characters),
    (("TC609",), lookalike_letters),
    (("TC602", "TC603", "TC604", "TC605", "TC606"), instructions),
    (("TC607",), comments),
    (("TC608",), encoded_text),
)


def lint(
    source: object,
    *,
    curator: Curator | None = None,
    encoder: Encoder | None = None,
    settings: Settings | None = None,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    most_pairs: int = MOST_PAIRS,
    locate: Locate | None = None,
    progress: Progress | None = None,
) -> LintReport:
    """Check the documents of a catalogue.

    Args:
        source: A catalogue, or whatever `Catalog.of` takes.
        curator: A curator that is open over the same catalogue: its vectors, encoder and settings are used.
        encoder: Without a curator, the encoder whose limit counts and whose vectors show which tools are alike; without
            either nothing is known of lengths, and words alone show which tools are alike.
        settings: Without a curator, what the dense document is made of.
        select: Rules, families (``TC6``) or names that are checked; none means all.
        ignore: Those that are not; ``TC604:context7/*`` drops a rule for tools whose id matches.
        most_pairs: Confusable pairs that are reported, the most alike ones.
        locate: Gives file and line of a tool by its id (`toolcurator.lint.places`).
        progress: Called with tools done and tools to do.

    Returns:
        Findings and scores. The same catalogue gives the same report.

    Raises:
        CatalogError: The source has no usable tool.
        SettingsError: A rule is unknown.
    """
    choice = Choice.of(select, ignore)
    catalog = Catalog.of(source)
    settings = curator.settings if curator is not None else settings or Settings.of()
    encoder = curator.encoder if curator is not None else encoder
    active = catalog.visible(None)
    documents = [dense_text(tool, settings.dense_parts) for tool in active]
    language = settings.language or catalog.language or detect_language(documents or [catalog.tools[0].name])
    tokenizer = Tokenizer(language)
    ruler = Ruler(encoder, settings.dense_parts) if encoder is not None else None
    findings: list[Finding] = list(faults(catalog))
    scores: list[Score] = []
    seen: set[tuple[str, str]] = set()
    for done, tool in enumerate(catalog.tools, 1):
        findings += _of_tool(tool, catalog, tokenizer, ruler, choice)
        findings += _of_texts(tool, choice, seen)
        scores.append(score(tool, tokenizer, ruler.reach(tool) if ruler is not None else None))
        if progress is not None and (done % _EVERY == 0 or done == len(catalog)):
            progress(done, len(catalog))
    findings += shared_examples(active, tokenizer)
    left_out = 0
    if choice.wants("TC401") and len(active) > 1:
        vectors = _vectors(active, documents, curator, encoder)
        base = unrelated(encoder) if vectors is not None and encoder is not None else 0.0
        pairs = pairs_of(
            active, documents, vectors if vectors is not None else word_vectors(documents, tokenizer), base, tokenizer
        )
        findings += confusable(active, pairs[:most_pairs])
        left_out = max(0, len(pairs) - most_pairs)
    return LintReport(
        findings=ordered([_placed(each, locate) for each in findings if _wanted(each, choice)]),
        scores=tuple(scores),
        encoder=encoder.id if encoder is not None else "",
        pairs_left_out=left_out,
    )


def _of_tool(
    tool: Tool, catalog: Catalog, tokenizer: Tokenizer, ruler: Ruler | None, choice: Choice
) -> Iterator[Finding]:
    yield from descriptions(tool, tokenizer)
    yield from slots(tool)
    if ruler is not None and choice.wants("TC301"):
        yield from cut_off(tool, ruler)
    yield from stuffed_texts(tool, tokenizer)
    yield from requesting_name(tool)
    yield from effects(tool)
    yield from wire_name(tool, catalog)


def _of_texts(tool: Tool, choice: Choice, seen: set[tuple[str, str]]) -> Iterator[Finding]:
    """What a text alone shows; a server's own description, which came with each of its tools, is read once."""
    rules = [rule for ids, rule in _TEXT_RULES if any(map(choice.wants, ids))]
    own: set[str] = set()  # what a provider's declaration repeats
    for text in texts_in(tool):
        if text.kind == "metadata":
            if text.value in own or (tool.server, text.value) in seen:
                continue
            seen.add((tool.server, text.value))
        own.add(text.value)
        for rule in rules:
            yield from rule(tool.id, text)
        yield from _secrets(tool.id, text)


def _secrets(tool: str, text: Text) -> Iterator[Finding]:
    """TC701: what looks like a real secret, masked."""
    for secret in secrets_in(text.value):
        message = f"{secret.kind} stands here; revoke it, and name where it is kept instead"
        yield found("TC701", tool, text.where, message, excerpt(text.value, secret.start, secret.end))
        return
    if text.kind == "value" and is_secret_value(text.where.rsplit(".", 2)[-2], text.value):
        message = "what looks like a real secret stands here; revoke it, and name where it is kept instead"
        yield found("TC701", tool, text.where, message, mask(text.value))


def _vectors(
    tools: Sequence[Tool], documents: Sequence[str], curator: Curator | None, encoder: Encoder | None
) -> Floats | None:
    """float32[n, d]: the vectors of an index where it holds the very documents; the others are encoded."""
    if encoder is None:
        return None
    if curator is None or not curator.index.encoder_id:
        return encoder.encode_documents(documents)
    index, parts = curator.index, curator.index.manifest.dense_parts
    places = [index.position(tool.id) for tool in tools]
    known = [
        place is not None and dense_text(index.tool(place), parts) == document
        for place, document in zip(places, documents, strict=True)
    ]
    vectors = np.zeros((len(tools), encoder.dimensions), np.float32)
    rows = [place for place, there in zip(places, known, strict=True) if there and place is not None]
    vectors[np.array(known)] = index.vectors(np.array(rows, np.intp))
    if not all(known):
        missing = [document for document, there in zip(documents, known, strict=True) if not there]
        vectors[~np.array(known)] = encoder.encode_documents(missing)
    return vectors


def _wanted(finding: Finding, choice: Choice) -> bool:
    return finding.rule in RULES and choice.wants(finding.rule) and not choice.ignores(finding.rule, finding.tool)


def _placed(finding: Finding, locate: Locate | None) -> Finding:
    if locate is None or finding.path or not finding.tool:
        return finding
    path, line = locate(finding.tool)
    return replace(finding, path=path, line=line)
