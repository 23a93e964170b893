"""Routing: query and conversation → decision → outcome."""
