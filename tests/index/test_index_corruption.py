"""Damaged, foreign, unreadable: the index is built again with one warning, and answers rightly."""

import itertools
import json
import logging
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from toolcurator import Curator, Tool
from toolcurator.errors import ToolCuratorError
from toolcurator.index.generations import Generations

TOOLS = [
    {"name": "pay_bill", "server": "bank", "description": "Pay a bill.", "roles": ["clerk"], "examples": ["settle it"]},
    {"name": "open_account", "server": "bank", "description": "Open an account."},
    {"name": "water_plants", "server": "house", "description": "Water the plants.", "roles": ["gardener"]},
]
QUERIES = (("pay the bill", None), ("open an account", "clerk"), ("water", "gardener"), ("pay the bill", "nobody"))


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "tools.json"
    path.write_text(json.dumps(TOOLS))
    return path


def _open(source: Path, folder: Path) -> Curator:
    return Curator.open(source, encoder="none", index_dir=folder)


def _answers(curator: Curator) -> list:
    found = [curator.select(query, role=role) for query, role in QUERIES]
    return [
        [(hit.id, round(hit.score, 4), hit.tool, wire) for hit, wire in zip(s, s.wire_names(), strict=True)]
        for s in found
    ]


def _files(folder: Path) -> list[str]:
    current = json.loads((folder / "CURRENT").read_text())["generation"]
    return sorted(str(path.relative_to(folder / current)) for path in (folder / current).rglob("*") if path.is_file())


def _damage(path: Path, how: str) -> None:
    content = path.read_bytes()
    if how == "truncated":
        path.write_bytes(content[: len(content) // 2])
    elif how == "cut by one byte":
        path.write_bytes(content[:-1])
    elif how == "flipped":
        middle = len(content) // 2
        path.write_bytes(content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :])
    elif how == "emptied":
        path.write_bytes(b"")
    else:
        path.unlink()


HOWS = ("truncated", "flipped", "removed", "cut by one byte", "emptied")


def test_any_single_damaged_file_is_noticed(source: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    folder = tmp_path / "index"
    _open(source, folder)
    current = folder / json.loads((folder / "CURRENT").read_text())["generation"]
    names = _files(folder)
    assert "manifest.json" in names
    assert len(names) > 15
    missed: list[str] = []
    for name in names:
        content = (current / name).read_bytes()
        for how in HOWS:
            caplog.clear()
            _damage(current / name, how)
            if Generations(folder).current() is not None or len(caplog.records) != 1:
                missed.append(f"{name} {how}: {len(caplog.records)} warnings")
            (current / name).write_bytes(content)
    assert missed == []
    assert Generations(folder).current() is not None


def test_any_single_damaged_file_leads_to_right_answers_and_one_warning(
    source: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "index"
    right = _answers(_open(source, folder))
    faults: list[str] = []
    for name, how in zip(_files(folder)[::2], itertools.cycle(HOWS)):
        current = folder / json.loads((folder / "CURRENT").read_text())["generation"]
        _damage(current / name, how)
        caplog.clear()
        if _answers(_open(source, folder)) != right:
            faults.append(f"{name} {how}: wrong answers")
        if (n := len(caplog.records)) != 1:
            faults.append(f"{name} {how}: {n} warnings")
        if (folder / json.loads((folder / "CURRENT").read_text())["generation"]) == current:
            faults.append(f"{name} {how}: not built again")
    assert faults == []


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("roles", ["clerk", "gardenes"]),
        ("roles", ["gardener", "clerk"]),
        ("language", "eo"),
        ("tokenizer", "tokenizer-1-plain"),
        ("encoder", "somebody else's"),
        ("dense_parts", ["name"]),
        ("files", {}),
    ],
    ids=str,
)
def test_a_manifest_that_was_tampered_with_never_changes_an_answer(
    source: Path, tmp_path: Path, field: str, wrong: object
) -> None:
    folder = tmp_path / "index"
    first = _open(source, folder)
    right = _answers(first)
    path = folder / json.loads((folder / "CURRENT").read_text())["generation"] / "manifest.json"
    content = json.loads(path.read_text())
    assert content[field] != wrong
    path.write_text(json.dumps({**content, field: wrong}, separators=(",", ":")))
    again = _open(source, folder)
    assert _answers(again) == right
    assert again.index.manifest.model_copy(update={"files": {}}) == first.index.manifest.model_copy(
        update={"files": {}}
    )


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"garbage",
        b"null",
        b"[]",
        b"{}",
        b'"g-1"',
        b'{"generation": "g-0000000000000000", "source": ""}',
        b'{"generation": "../..", "source": ""}',
        b'{"generation": "", "source": ""}',
        b'{"generation": null}',
        b'{"generation": 5, "source": 5}',
        b"\xff\xfe\x00",
        b'{"generation": "g-' + b"x" * 5000 + b'"}',
    ],
    ids=lambda content: repr(content[:24]),
)
def test_a_foreign_current_is_replaced(
    source: Path, tmp_path: Path, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "index"
    right = _answers(_open(source, folder))
    (folder / "CURRENT").write_bytes(content)
    assert _answers(_open(source, folder)) == right
    assert len(caplog.records) == 1
    assert str(folder) in caplog.text
    caplog.clear()
    assert _answers(_open(source, folder)) == right
    assert not caplog.records
    assert (tmp_path / "tools.json").exists()


def test_current_that_is_a_folder_is_an_error_or_replaced(source: Path, tmp_path: Path) -> None:
    folder = tmp_path / "index"
    (folder / "CURRENT").mkdir(parents=True)
    try:
        ids = [hit.id for hit in _open(source, folder).select("pay the bill", k=1)]
    except ToolCuratorError as error:
        ids = [str(error)]
    assert ids == ["bank/pay_bill"] or str(folder) in ids[0]


@pytest.mark.parametrize("version", [0, 2, 999])
def test_another_version_of_the_format_is_built_again(
    source: Path, tmp_path: Path, version: int, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "index"
    right = _answers(_open(source, folder))
    path = folder / json.loads((folder / "CURRENT").read_text())["generation"] / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "format": version}))
    assert _answers(_open(source, folder)) == right
    assert len(caplog.records) == 1


def test_a_field_of_a_later_version_is_built_again(
    source: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "index"
    right = _answers(_open(source, folder))
    path = folder / json.loads((folder / "CURRENT").read_text())["generation"] / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "shards": 4}))
    assert _answers(_open(source, folder)) == right
    assert len(caplog.records) == 1


def test_an_index_of_other_tools_is_not_taken_for_this_one(source: Path, tmp_path: Path) -> None:
    """A folder that a user copied from elsewhere: the key says it is not this catalogue's."""
    folder = tmp_path / "index"
    Curator.open([Tool(name="other")], encoder="none", index_dir=folder)
    assert _open(source, folder).index.ids == ["bank/open_account", "bank/pay_bill", "house/water_plants"]


def test_strangers_in_the_folder_are_left_alone(source: Path, tmp_path: Path) -> None:
    folder = tmp_path / "index"
    folder.mkdir()
    (folder / "notes.txt").write_text("mine")
    (folder / "photos").mkdir()
    (folder / "photos" / "cat.jpg").write_bytes(b"cat")
    _open(source, folder)
    Curator.open([Tool(name="other")], encoder="none", index_dir=folder)
    assert (folder / "notes.txt").read_text() == "mine"
    assert (folder / "photos" / "cat.jpg").read_bytes() == b"cat"


def test_vectors_that_are_damaged_are_made_again(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    tools = [Tool.model_validate(each) for each in TOOLS]
    folder = tmp_path / "index"

    def answers() -> list:
        return _answers(Curator.open(tools, index_dir=folder, exact_points=0))

    right = answers()
    for name in ("vectors.npy", "codes.npy", "digests.npy", "examples.npy"):
        caplog.clear()
        _damage(folder / json.loads((folder / "CURRENT").read_text())["generation"] / name, "flipped")
        assert answers() == right, name
        assert len(caplog.records) == 1, name


# ------------------------------------------------------------------------------------------------ folders that do not let us


@pytest.fixture
def unprivileged() -> Iterator[Path]:
    """A folder, and a user who is not root."""
    if os.name != "posix":
        pytest.skip("rights work otherwise here")
    with tempfile.TemporaryDirectory(prefix="toolcurator-rights-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        if os.geteuid() == 0:
            os.chown(folder, 65534, 65534)
            os.seteuid(65534)
            try:
                yield folder
            finally:
                os.seteuid(0)
        else:
            yield folder
        for path in (folder, *folder.rglob("*")):
            if path.is_dir():
                path.chmod(0o755)


def _read_only(folder: Path) -> None:
    for path in (*folder.rglob("*"), folder):
        path.chmod(stat.S_IRUSR | stat.S_IRGRP | stat.S_IROTH | (stat.S_IXUSR if path.is_dir() else 0))


def test_a_folder_that_cannot_be_written_is_a_clear_error(unprivileged: Path) -> None:
    folder = unprivileged / "index"
    folder.mkdir()
    folder.chmod(0o555)
    with pytest.raises(ToolCuratorError, match="index"):
        Curator.open([Tool(name="x")], encoder="none", index_dir=folder)


def test_a_folder_that_cannot_be_read_is_a_clear_error(unprivileged: Path) -> None:
    folder = unprivileged / "index"
    folder.mkdir()
    folder.chmod(0o000)
    with pytest.raises(ToolCuratorError, match="index"):
        Curator.open([Tool(name="x")], encoder="none", index_dir=folder)


@pytest.mark.parametrize("place", ["file", "file/below"])
def test_a_file_in_place_of_the_folder_is_a_clear_error(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(ToolCuratorError, match="file"):
        Curator.open([Tool(name="x")], encoder="none", index_dir=tmp_path / place)
    assert (tmp_path / "file").read_text() == "not a folder"


def test_an_index_in_a_read_only_image_is_used(unprivileged: Path) -> None:
    """Built when an image is made, read where nothing can be written: files and tools from code alike."""
    source, folder = unprivileged / "tools.json", unprivileged / "index"
    source.write_text(json.dumps(TOOLS))
    tools = [Tool.model_validate(each) for each in TOOLS]
    _open(source, folder)
    _read_only(folder)
    assert _open(source, folder).select("pay the bill")[0].id == "bank/pay_bill"
    assert Curator.open(tools, encoder="none", index_dir=folder).select("pay the bill")[0].id == "bank/pay_bill"


def test_a_cache_that_cannot_be_written_falls_back_to_a_temporary_one(
    unprivileged: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    cache = unprivileged / "cache"
    cache.mkdir()
    cache.chmod(0o555)
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    curator = Curator.open([Tool(name="pay_bill"), Tool(name="walk_dog")], encoder="none")
    assert curator.select("walk the dog")[0].id == "walk_dog"
    assert [record.levelno for record in caplog.records] == [logging.WARNING]
    assert str(cache) in caplog.text
