"""Files → their entries, each with the line it begins on. Knows JSON, JSONL, YAML and CSV, not what a tool is."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn

from toolcurator.errors import CatalogError
from toolcurator.sources.fault import Fault
from toolcurator.sources.json_values import as_array, as_object, in_words

SUFFIXES = (".json", ".jsonl", ".yaml", ".yml", ".csv")
MOST_BYTES = 256 * 2**20
_LISTS = ("tools", "functions", "functionDeclarations", "function_declarations")
_SPACE = re.compile(r"[ \t\r\n]*")


@dataclass(frozen=True)
class Document:
    """What a file holds, before anyone asks whether these are tools.

    Attributes:
        entries: The members of its list of tools, its lines, or its rows.
        header: What stands beside the list (``name``, ``language``, ``server``, ...).
        bare: The file is one object without such a list; ``entries`` holds that object.
        faults: Lines that cannot be read.
        locate: Works out the line of every entry.
    """

    entries: list[Any]
    locate: Callable[[], list[int]]
    header: dict[str, Any] = field(default_factory=dict[str, Any])
    bare: bool = False
    faults: tuple[Fault, ...] = ()

    @cached_property
    def _lines(self) -> list[int]:
        return self.locate()

    def line(self, index: int) -> int:
        """Line on which an entry begins, from 1; worked out when the first one is asked for."""
        return self._lines[index] if index < len(self._lines) else 0


class _RefusedError(Exception):
    """Why a file cannot be read, and the line."""

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.line = line


def read_document(path: Path, most_bytes: int = MOST_BYTES) -> Document:
    """Read one file of tools.

    Args:
        path: A file that ends in ``.json``, ``.jsonl``, ``.yaml``, ``.yml`` or ``.csv``, in UTF-8.
        most_bytes: A larger file is refused before it is read.

    Returns:
        Its entries. A file that cannot be read at all has none, and one fault.
    """
    try:
        suffix = path.suffix.lower()
        if suffix == ".jsonl":
            return _jsonl(str(path), _bytes(path, most_bytes))
        if suffix == ".csv":
            return _csv(str(path), _text(path, most_bytes))
        value, lines = _value(path, most_bytes)
        return document_of(value, lines)
    except _RefusedError as refused:
        return Document([], list, faults=(Fault(path=str(path), line=refused.line, message=str(refused)),))
    except CatalogError as error:
        return Document([], list, faults=(Fault(path=str(path), message=str(error)),))


def read_value(path: Path, most_bytes: int = MOST_BYTES) -> tuple[Any, Fault | None]:
    """Read one JSON or YAML file that need not hold tools.

    Args:
        path: The file.
        most_bytes: A larger file is refused before it is read.

    Returns:
        Its value, and None; or None, and what is wrong with the file.
    """
    try:
        return _value(path, most_bytes)[0], None
    except _RefusedError as refused:
        return None, Fault(path=str(path), line=refused.line, message=str(refused))


def document_of(value: Any, lines: Callable[[tuple[str, ...]], list[int]] = lambda _: []) -> Document:
    """Find the list of tools: the value itself, under ``tools``, or inside a JSON-RPC ``result``.

    Args:
        value: A JSON value.
        lines: Gives the lines of the members of the list at a path of keys.

    Raises:
        CatalogError: The value is empty, or holds something else where the list is due.
    """
    if value is None:
        raise CatalogError("the file is empty")
    path: tuple[str, ...] = ()
    header: dict[str, Any] = {}
    while (found := as_object(value)) is not None:
        header |= {key: each for key, each in found.items() if not isinstance(each, list) or key not in _LISTS}
        key = next((key for key in ("result", *_LISTS) if key in found), None)
        if key is None or (key == "result" and not isinstance(found[key], dict)):
            return Document([found], lambda: [1], header=header, bare=True)
        value, path = found[key], (*path, key)
    entries = as_array(value)
    if entries is None:
        where = f"'{path[-1]}'" if path else "the file"
        raise CatalogError(f"{where} must hold a list of tools, not {in_words(value)}")
    return Document(entries, lambda: lines(path), header=header)


def _bytes(path: Path, most_bytes: int) -> bytes:
    if path.suffix.lower() not in SUFFIXES:
        raise _RefusedError(f"not a kind of file that is read here: expected {', '.join(SUFFIXES)}")
    try:
        if (size := path.stat().st_size) > most_bytes:
            limit = f"the limit of {most_bytes / 2**20:,.0f} MiB"
            raise _RefusedError(f"{size / 2**20:,.0f} MiB is more than {limit}; split the file")
        return path.read_bytes()
    except OSError as error:
        raise _RefusedError(f"cannot be read: {error.strerror or error}") from None


def _text(path: Path, most_bytes: int) -> str:
    raw = _bytes(path, most_bytes)
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _RefusedError(_not_utf8(raw, error), raw.count(b"\n", 0, error.start) + 1) from None


def _value(path: Path, most_bytes: int) -> tuple[Any, Callable[[tuple[str, ...]], list[int]]]:
    """The value of a JSON or YAML file, and what finds the lines in it."""
    text = _text(path, most_bytes)
    if path.suffix.lower() in (".yaml", ".yml"):
        return _yaml(text)
    try:
        return _load_json(text), lambda where: _json_lines(text, where)
    except ValueError as error:
        raise _RefusedError(_json_message(error), getattr(error, "lineno", 0)) from None
    except RecursionError:
        raise _RefusedError("nested too deeply") from None


def _yaml(text: str) -> tuple[Any, Callable[[tuple[str, ...]], list[int]]]:
    import yaml

    from toolcurator.sources.yaml_text import YamlText

    try:
        document = YamlText(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "cannot be read"
        raise _RefusedError(f"not YAML: {problem}", mark.line + 1 if mark else 0) from None
    except (CatalogError, ValueError) as error:
        raise _RefusedError(str(error)) from None
    except RecursionError:
        raise _RefusedError("nested too deeply") from None
    return document.value, document.lines


def _jsonl(name: str, raw: bytes) -> Document:
    entries: list[Any] = []
    lines: list[int] = []
    faults: list[Fault] = []
    for number, line in enumerate(raw.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            entries.append(_load_json(line.decode("utf-8")))
            lines.append(number)
        except UnicodeDecodeError as error:
            faults.append(Fault(path=name, line=number, message=_not_utf8(line, error)))
        except ValueError as error:
            faults.append(Fault(path=name, line=number, message=_json_message(error)))
        except RecursionError:
            faults.append(Fault(path=name, line=number, message="nested too deeply"))
    return Document(entries, lambda: lines, faults=tuple(faults))


def _csv(name: str, text: str) -> Document:
    first = text.partition("\n")[0]
    delimiter = max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    entries: list[Any] = []
    lines: list[int] = []
    faults: list[Fault] = []
    columns: list[str] = []
    while True:
        line = reader.line_num + 1
        try:
            row = next(reader, None)
        except csv.Error as error:
            faults.append(Fault(path=name, line=line, message=f"not CSV: {error}"))
            continue
        if row is None:
            break
        if not any(cell.strip() for cell in row):
            continue
        if not columns:
            columns = [cell.strip().lower() for cell in row]
            if "name" not in columns:
                faults.append(Fault(path=name, line=line, message="no column 'name' in the first row"))
                break
        elif len(row) > len(columns):
            faults.append(Fault(path=name, line=line, message=f"{len(row)} cells, but {len(columns)} columns"))
        else:
            entries.append(dict(zip(columns, row, strict=False)))
            lines.append(line)
    return Document(entries, lambda: lines, faults=tuple(faults))


def _load_json(text: str) -> Any:
    value = _DECODER.decode(text)
    if "\\ud" in text or "\\uD" in text:  # half a surrogate pair cannot be written out again
        return json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
    return value


def _refuse_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a number in JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)


def _json_lines(text: str, path: tuple[str, ...]) -> list[int]:
    """The first line (from 1) of every member of the list at ``path``. The text is known to be JSON."""

    def skip(index: int) -> int:
        space = _SPACE.match(text, index)
        return space.end() if space else index

    index = skip(0)
    for part in path:
        found = index
        while text[index] != "}":
            index = skip(index + 1)  # past "{" or ","
            key, index = _DECODER.raw_decode(text, index)
            index = skip(skip(index) + 1)  # past ":"
            if key == part:  # of several, the last one counts, as it does for the value
                found = index
            index = skip(_DECODER.raw_decode(text, index)[1])
        index = found
    lines: list[int] = []
    line, counted = 1, 0
    while text[index] != "]":
        index = skip(index + 1)  # past "[" or ","
        if text[index] == "]":
            break
        line, counted = line + text.count("\n", counted, index), index
        lines.append(line)
        index = skip(_DECODER.raw_decode(text, index)[1])
    return lines


def _not_utf8(raw: bytes, error: UnicodeDecodeError) -> str:
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "the file is in UTF-16; save it as UTF-8"
    column = error.start - raw.rfind(b"\n", 0, error.start)
    return f"byte 0x{raw[error.start]:02X} in column {column} is not UTF-8; save the file as UTF-8"


def _json_message(error: ValueError) -> str:
    if not isinstance(error, json.JSONDecodeError):
        return f"not JSON: {error}"
    return f"not JSON: {error.msg[:1].lower()}{error.msg[1:]} (column {error.colno})"
