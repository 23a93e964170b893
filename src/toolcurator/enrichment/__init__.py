"""Tool-DE (seed 2): profiles of tools written by a model from their documents, judged field by field, refined, recorded."""
