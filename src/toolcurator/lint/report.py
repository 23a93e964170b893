"""What a lint run found: findings, scores, and their sums."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from toolcurator.lint.finding import Finding
from toolcurator.lint.rules import RULES, SEVERITIES, Severity
from toolcurator.lint.score import Score

BINS = 10


@dataclass(frozen=True)
class LintReport:
    """The findings of a catalogue, and the score of each of its tools.

    Attributes:
        findings: The worst first; within a severity by rule, then by tool.
        scores: One a tool, in the catalogue's order.
        encoder: Id of the encoder that lengths and likeness are about; empty if there was none.
        pairs_left_out: Confusable pairs beyond those that are reported.
    """

    findings: tuple[Finding, ...]
    scores: tuple[Score, ...]
    encoder: str = ""
    pairs_left_out: int = 0

    @cached_property
    def mean(self) -> float:
        """Mean score of the tools, 0 to 100."""
        return sum(score.total for score in self.scores) / len(self.scores) if self.scores else 0.0

    @cached_property
    def histogram(self) -> tuple[int, ...]:
        """Number of tools in each tenth of the scale; 100 belongs to the last."""
        counted = Counter(min(BINS - 1, int(score.total * BINS / 100)) for score in self.scores)
        return tuple(counted[number] for number in range(BINS))

    @cached_property
    def counts(self) -> dict[Severity, int]:
        """Number of findings of each severity."""
        counted = Counter(finding.severity for finding in self.findings)
        return {severity: counted[severity] for severity in SEVERITIES}

    @cached_property
    def by_rule(self) -> dict[str, dict[Severity, int]]:
        """Rule → findings of each severity, for the rules that found anything."""
        counted = Counter((finding.rule, finding.severity) for finding in self.findings)
        return {
            rule: {severity: counted[rule, severity] for severity in SEVERITIES}
            for rule in RULES
            if any(counted[rule, severity] for severity in SEVERITIES)
        }

    def of(self, tool: str) -> tuple[Finding, ...]:
        """The findings about a tool, those included that name it as the other one."""
        return tuple(finding for finding in self.findings if tool == finding.tool or tool in finding.related)

    def worst(self, n: int = 10) -> tuple[Score, ...]:
        """The tools with the lowest scores."""
        return tuple(sorted(self.scores, key=lambda score: (score.total, score.tool))[:n])

    def at_least(self, severity: Severity) -> tuple[Finding, ...]:
        """The findings of a severity or worse."""
        bar = SEVERITIES.index(severity)
        return tuple(finding for finding in self.findings if SEVERITIES.index(finding.severity) <= bar)

    def as_json(self) -> dict[str, Any]:
        """Everything, as JSON takes it."""
        return {
            "tools": len(self.scores),
            "encoder": self.encoder,
            "counts": self.counts,
            "score": {"mean": round(self.mean, 1), "histogram": self.histogram},
            "by_rule": {rule: {"name": RULES[rule].name, **counts} for rule, counts in self.by_rule.items()},
            "pairs_left_out": self.pairs_left_out,
            "findings": [{"name": finding.name, **asdict(finding)} for finding in self.findings],
            "scores": {score.tool: round(score.total, 1) for score in self.scores},
        }


def ordered(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Findings in the order of a report; within a rule those that it put first stay first."""
    return tuple(sorted(findings, key=lambda finding: (SEVERITIES.index(finding.severity), finding.rule)))
