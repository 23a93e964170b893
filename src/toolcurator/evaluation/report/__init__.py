"""Runs → a report for people: a table on the terminal, Markdown, JSON, and one self-contained page."""

from toolcurator.evaluation.report.report import Report, write_report

__all__ = ["Report", "write_report"]
