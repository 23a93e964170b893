"""Check the documents of tools: missing, too long, confusable, stuffed, or speaking to the model."""

from toolcurator.lint.finding import Finding
from toolcurator.lint.fix import Change, fixed
from toolcurator.lint.lint import lint
from toolcurator.lint.places import places
from toolcurator.lint.report import LintReport
from toolcurator.lint.rules import RULES, Rule, Severity
from toolcurator.lint.sarif import sarif
from toolcurator.lint.score import Score

__all__ = ["RULES", "Change", "Finding", "LintReport", "Rule", "Score", "Severity", "fixed", "lint", "places", "sarif"]
