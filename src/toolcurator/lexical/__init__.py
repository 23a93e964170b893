"""Text to tokens to BM25: one Unicode tokenizer for documents, queries and names."""

from toolcurator.lexical.bm25 import Bm25, LexicalIndexError
from toolcurator.lexical.language import detect_language
from toolcurator.lexical.tokenizer import Tokenizer

__all__ = ["Bm25", "LexicalIndexError", "Tokenizer", "detect_language"]
