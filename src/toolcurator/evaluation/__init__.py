"""Labelled queries → figures: data sets, metrics, benchmark, significance, leakage, cost, report."""
