"""A report as SARIF 2.1.0, which code hosts show beside the lines it is about."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from toolcurator.lint.finding import Finding
from toolcurator.lint.report import LintReport
from toolcurator.lint.rules import RULES
from toolcurator.version import __version__

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_INDEX = {rule: number for number, rule in enumerate(RULES)}


def sarif(report: LintReport, root: Path | None = None) -> dict[str, Any]:
    """The report as SARIF (OASIS, version 2.1.0): a run, its rules, a result for each finding.

    Args:
        report: The report.
        root: Files below it are named relative to it; by default the working directory.

    Returns:
        The document, as JSON takes it.
    """
    base = (root or Path.cwd()).resolve()
    rules = [
        {
            "id": rule.id,
            "name": "".join(word.capitalize() for word in rule.name.split("-")),
            "shortDescription": {"text": f"{rule.about}."},
            "defaultConfiguration": {"level": rule.severity},
        }
        for rule in RULES.values()
    ]
    driver = {"name": "toolcurator", "version": __version__, "rules": rules}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding, base) for finding in report.findings],
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _result(finding: Finding, base: Path) -> dict[str, Any]:
    shown = f" [{finding.evidence}]" if finding.evidence else ""
    field = f"{finding.tool}: {finding.where}: " if finding.tool else ""
    location: dict[str, Any] = {}
    if finding.tool:
        name = f"{finding.tool}#{finding.where}" if finding.where else finding.tool
        location["logicalLocations"] = [{"name": finding.tool, "fullyQualifiedName": name, "kind": "member"}]
    if finding.path:
        physical: dict[str, Any] = {"artifactLocation": {"uri": _uri(Path(finding.path), base)}}
        if finding.line:
            physical["region"] = {"startLine": finding.line}
        location["physicalLocation"] = physical
    key = "\0".join((finding.rule, finding.tool, finding.where, *finding.related))
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": _INDEX[finding.rule],
        "level": finding.severity,
        "message": {"text": f"{field}{finding.message}{shown}"},
        "partialFingerprints": {"toolcurator/v1": hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()[:32]},
    }
    if location:
        result["locations"] = [location]
    if finding.related:
        result["relatedLocations"] = [
            {"id": number, "logicalLocations": [{"name": tool, "kind": "member"}], "message": {"text": tool}}
            for number, tool in enumerate(finding.related, 1)
        ]
    return result


def _uri(path: Path, base: Path) -> str:
    """Relative to the base where the file lies below it, so that a code host finds it."""
    from urllib.parse import quote

    whole = path.resolve()
    return quote(whole.relative_to(base).as_posix()) if whole.is_relative_to(base) else whole.as_uri()
