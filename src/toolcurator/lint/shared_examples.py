"""Example queries that several tools claim (TC402; pitfall A25), or one tool twice (TC404)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from toolcurator.lexical import Tokenizer
from toolcurator.lint.finding import Finding, found
from toolcurator.tool import Tool

_NAMED = 5


def shared_examples(tools: Sequence[Tool], tokenizer: Tokenizer) -> Iterator[Finding]:
    """Examples that are the same once case, punctuation and endings are gone; those of profiles are indexed too and count."""
    claims: defaultdict[tuple[str, ...], dict[str, tuple[str, str]]] = defaultdict(dict)
    for tool in tools:
        seen: dict[tuple[str, ...], str] = {}
        for where, text in _examples(tool):
            key = tuple([tokenizer.stem(word) for word in tokenizer.words(text)])
            if not key:
                continue
            if key in seen:
                same = text.strip() == seen[key].strip()
                message = "stands there already" if same else f"the same query as {seen[key]!r}"
                yield found("TC404", tool.id, where, message, text, fixable=same and where.startswith("examples"))
                continue
            seen[key] = text
            claims[key][tool.id] = (where, text)
    for owners in claims.values():
        if len(owners) > 1:
            (first, (where, text)), *others = owners.items()
            more = f" and {len(others) - _NAMED} more" if len(others) > _NAMED else ""
            named = f"{', '.join(each for each, _ in others[:_NAMED])}{more}"
            message = f"also an example of {named}; a query like it cannot be told apart, so keep it where it is right"
            yield found("TC402", first, where, message, text, related=tuple(each for each, _ in others))


def _examples(tool: Tool) -> Iterator[tuple[str, str]]:
    for number, example in enumerate(tool.examples):
        yield f"examples[{number}]", example
    if tool.profile is not None:
        own = {example.strip() for example in tool.examples}
        for number, example in enumerate(tool.profile.example_queries):
            if example.strip() not in own:
                yield f"profile.example_queries[{number}]", example
