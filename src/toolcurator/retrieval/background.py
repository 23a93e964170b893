"""General messages that hardly any catalogue serves, and how near a query comes to them."""

from __future__ import annotations

import json
import logging
from collections.abc import Collection
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from toolcurator.encoders import Encoder, Progress
from toolcurator.index import LocalIndex

FILE = "background.npz"

log = logging.getLogger("toolcurator")


class General(NamedTuple):
    """A general message.

    Attributes:
        query: The message.
        lang: ISO 639 code.
        topic: What kind of message it is.
    """

    query: str
    lang: str
    topic: str


@cache
def general_queries() -> tuple[General, ...]:
    """The packaged messages: small talk, knowledge, writing, advice, errands and the like in English, Estonian and Russian."""
    text = files("toolcurator.retrieval").joinpath("out_of_scope.jsonl").read_text("utf-8")
    return tuple(General(**json.loads(line)) for line in text.splitlines())


def spoken(languages: Collection[str]) -> list[int]:
    """Which of `general_queries` are in some languages; all if none is.

    An example in Estonian against a message in English shows how languages differ, not whether a tool fits.
    """
    everything = general_queries()
    return [at for at, each in enumerate(everything) if each.lang in languages] or list(range(len(everything)))


def background_vectors(index: LocalIndex, encoder: Encoder, progress: Progress | None = None) -> NDArray[np.float32]:
    """float32[n, d], the vectors of `general_queries`; encoded once an index folder and encoder.

    Args:
        index: Beside it the vectors are kept, where its folder can be written.
        encoder: The encoder.
        progress: Called with texts encoded and texts to encode.
    """
    texts = [each.query for each in general_queries()]
    key = sha256("\n".join([encoder.id, *texts]).encode()).hexdigest()
    path = index.generation.folder.parent / FILE
    try:
        with np.load(path, allow_pickle=False) as kept:
            if str(kept["key"]) == key:
                return kept["vectors"]
    except (OSError, ValueError, KeyError):
        pass  # not there, or cut off: made again
    vectors = encoder.encode_queries(texts, progress=progress)
    try:
        draft = path.with_suffix(".new.npz")
        np.savez(draft, key=np.array(key), vectors=vectors)
        draft.replace(path)
    except OSError as error:
        log.info("%s cannot be written (%s): it is made again next time", path, type(error).__name__)
    return vectors
