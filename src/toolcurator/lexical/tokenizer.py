"""Text to tokens: one tokenizer for documents, queries and names."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from toolcurator.lexical.characters import KINDS, fold, normalize
from toolcurator.lexical.english import STOP_WORDS, stem
from toolcurator.lexical.language import SPACELESS, uses_ngrams

VERSION = 1
MAX_CHARACTERS = 100_000
"""What lies behind this many characters of a text is not read."""
NGRAM = 4

_LONGEST_WORD = 64  # what is longer is encoded data, and cut
_SHORT_WORD = NGRAM + 1  # where n-grams are on, up to here words are indexed whole too
_LONGEST_PIECE = 40  # whose tokens are remembered

# Runs and their parts, said in kinds of characters (see `KINDS`).
_RUN = re.compile("[Ulsd][Ulsdm]*|c[cm]*")
_PART = re.compile(
    "U{2,}s(?![lsm])"  # PRs, URLs
    "|U[Ud]*(?=U[lsm])"  # HTTP before Server, EC2 before Instance
    "|U?[ls][lsmd]*"  # Server, account, oauth2
    "|U[Udm]*"  # SQL, EC2
    "|d+(?:[ls][lsm]*|U(?![lsm])|)"  # 2023, 3d, 3D
)
_SYMBOLIC = re.compile(r"(?<![A-Za-z0-9])(?:[A-Za-z]\+\+|[A-Za-z]#|\.(?i:net))(?![A-Za-z0-9#+])")
_APOSTROPHE = re.compile(r"(?<=\w)['\u2019\u02bc](?:(?:s|re|ve|ll|d|m)(?!\w)|(?=t(?!\w)))", re.IGNORECASE)
_HYPHENATED = re.compile(r"[^\W\d_]+-[^\W\d_]+")


class _Read(NamedTuple):
    """What a text without white space says.

    Attributes:
        words: Its plain words.
        tokens: Its tokens without those of stop words.
        stops: Its stop words.
        telling: Its words but for stop words, stemmed.
    """

    words: tuple[str, ...]
    tokens: tuple[str, ...]
    stops: tuple[str, ...]
    telling: tuple[str, ...]


_PARTICLES = frozenset({"in", "on", "up", "off", "out"})


class Tokenizer:
    """Splits a text into tokens.

    Words are cut at white space, punctuation, underscores and changes of case, and lower-cased; then come

    - English: stop words go, the rest is stemmed;
    - other languages with spaces: a word's character 4-grams without diacritics (Pärnu: ``~_par``, ``~parn``, ...), and
      if it is short the word itself;
    - scripts without spaces: pairs of characters;
    - beside a whole word its form without diacritics (naïve: naive), its letters (oauth2: oauth), and what two parts
      make together (GitHub, e-mail: github, email).

    Args:
        language: ISO 639-1 code of the catalogue's language; a region (``pt-BR``) is ignored.
        ngrams: Whether to add character n-grams; None leaves it to the language.

    Attributes:
        id: Version, language and n-grams; equal ids give equal tokens. Part of every cache key.
    """

    def __init__(self, language: str = "en", *, ngrams: bool | None = None) -> None:
        self.language = language.lower().replace("_", "-").split("-")[0]
        self.english = self.language == "en" or self.language in SPACELESS  # their Latin words are English
        self.ngrams = uses_ngrams(self.language) if ngrams is None else ngrams
        self.id = f"tokenizer-{VERSION}-{self.language}{f'-{NGRAM}grams' if self.ngrams else ''}"
        self._remembered = lru_cache(maxsize=16_384)(self._read)
        self._joined = lru_cache(maxsize=16_384)(self._join_words)
        self._cut = lru_cache(maxsize=16_384)(self._cut_word)

    def __call__(self, text: str, known: Callable[[str], bool] | None = None, *, stop_words: bool = False) -> list[str]:
        """Tokens of a text, in no promised order.

        Args:
            text: Any text; `MAX_CHARACTERS` of it are read.
            known: For queries, whether the catalogue has a token (`Bm25.knows`). A stop word that is known stays; neighbors whose
                joined form is known add it (web page: webpage); a word that is unknown but made of two known ones adds
                them (pitfall A20).
            stop_words: Keep English stop words: right for example queries, wrong for descriptions (measured).
        """
        return self._tokens(self._pieces(text), known, stop_words)

    def query(self, text: str, *known: Callable[[str], bool]) -> tuple[list[str], ...]:
        """A query's telling words, then its tokens for each index that is to be searched; the text is read once.

        Args:
            text: The query.
            known: For each index whether it has a token (`Bm25.knows`).
        """
        pieces = self._pieces(text)
        return self._telling(pieces), *[self._tokens(pieces, each, False) for each in known]

    def telling(self, text: str) -> list[str]:
        """Distinct stemmed words of a name or a query, in order; without stop words, unless there are no others."""
        return self._telling(self._pieces(text))

    def words(self, text: str) -> list[str]:
        """Plain words, lower case, in order, none added or left out; pairs of characters in scripts without spaces."""
        return [word for read in self._pieces(text) for word in read.words]

    def stem(self, word: str) -> str:
        """The form under which a plain word is indexed (English: ``bookings`` → ``book``)."""
        return stem(word) if self.english and word.isascii() else word

    def _pieces(self, text: str) -> list[_Read]:
        remembered = self._remembered
        return [
            remembered(piece) if len(piece) <= _LONGEST_PIECE else self._read(piece)
            for piece in normalize(text, MAX_CHARACTERS).split()
        ]

    def _telling(self, pieces: list[_Read]) -> list[str]:
        words = dict.fromkeys([word for read in pieces for word in read.telling])
        return list(words or dict.fromkeys(self.stem(word) for read in pieces for word in read.words))

    def _tokens(self, pieces: list[_Read], known: Callable[[str], bool] | None, stop_words: bool) -> list[str]:
        words = [word for read in pieces for word in read.words]
        tokens = [token for read in pieces for token in read.tokens]
        stops = [word for read in pieces for word in read.stops]
        if stops and not tokens:  # "who am I" may be the name of a tool
            tokens = [self.stem("".join(words))]
        if stop_words:
            tokens += stops
        elif known is not None:
            tokens += [stop for stop in stops if known(stop)]
        if known is not None and not self.ngrams:
            tokens += self._compounds(words, known)
        return tokens

    def _read(self, piece: str) -> _Read:
        if piece.isascii() and (piece.isdigit() or (piece.isalpha() and piece.islower())):
            words, joined = [piece[:_LONGEST_WORD]], []  # most words: a quarter of the time
        else:
            words, joined = self._parts(piece)
        dropped = STOP_WORDS if self.english else frozenset[str]()
        kept = [word for word in words if word not in dropped]
        return _Read(
            words=tuple(words),
            tokens=(*(form for word in kept for form in self._forms(word)), *map(self.stem, joined)),
            stops=tuple([word for word in words if word in dropped]),
            telling=tuple(map(self.stem, kept)),
        )

    @staticmethod
    def _parts(piece: str) -> tuple[list[str], list[str]]:
        """Words of a text without white space, and what some of them make together."""
        words: list[str] = []
        joined: list[str] = []
        if not piece.isalnum():
            words += [symbol.lower() for symbol in _SYMBOLIC.findall(piece)]  # C++, C#, .NET
            piece = _SYMBOLIC.sub(" ", piece)
        piece = _APOSTROPHE.sub("", piece)
        kinds = piece.translate(KINDS)
        for run in _RUN.finditer(kinds):
            start, end = run.span()
            if kinds[start] == "c":
                words += _pairs(piece[start:end], kinds[start:end])
                continue
            parts = [piece[part.start() : part.end()] for part in _PART.finditer(kinds, start, end)]
            if len(parts) > 1 and len(parts[0]) == 1:  # OAuth, iPhone, eBay
                parts[:2] = [parts[0] + parts[1]]
            parts = [unicodedata.normalize("NFC", part.casefold())[:_LONGEST_WORD] for part in parts]
            if len(parts) == 2 and kinds[start] == "U":  # GitHub
                joined.append("".join(parts))
            words += parts
        if len(words) == 2 and _HYPHENATED.fullmatch(piece):
            joined.append("".join(words))
        return words, joined

    def _forms(self, word: str) -> list[str]:
        plain = fold(word)
        forms = []
        if not self.ngrams or len(word) <= _SHORT_WORD:
            letters = word.rstrip("0123456789")
            forms = [self.stem(form) for form in dict.fromkeys((word, plain, letters)) if form == word or len(form) > 2]
        if self.ngrams:
            padded = f"_{plain}_"
            forms += [f"~{padded[i : i + NGRAM]}" for i in range(max(1, len(padded) - NGRAM + 1))]
        return forms

    def _compounds(self, words: list[str], known: Callable[[str], bool]) -> list[str]:
        join, cut = self._joined, self._cut
        added = [joined for first, second in pairwise(words) if (joined := join(first, second, known))]
        for word in words:
            if len(word) >= 5:
                added += cut(word, known)
        return added

    def _join_words(self, first: str, second: str, known: Callable[[str], bool]) -> str:
        """What two neighbors make together, if that is known, else nothing."""
        if first in STOP_WORDS or (second in STOP_WORDS and second not in _PARTICLES):
            return ""
        joined = self.stem(first + second)
        return joined if known(joined) else ""

    def _cut_word(self, word: str, known: Callable[[str], bool]) -> tuple[str, ...]:
        """The two known words that an unknown one is made of, if it is."""
        if known(self.stem(word)):
            return ()
        for cut in range(3, len(word) - 1):
            if not known(word[:cut]):
                continue
            rest = word[cut:]
            second = self.stem(rest)
            if rest in _PARTICLES or (len(rest) > 2 and known(second)):
                return (word[:cut], second) if known(second) else (word[:cut],)
        return ()


def _pairs(run: str, kinds: str) -> list[str]:
    """Pairs of neighboring letters, each with its combining marks; a letter on its own stays."""
    starts = [i for i, kind in enumerate(kinds) if kind == "c"]
    letters = [run[start:end] for start, end in pairwise([*starts, len(run)])]
    return [first + second for first, second in pairwise(letters)] or letters
