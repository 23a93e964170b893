"""When the index is built, what of it is used again, and that it is never used for anything else (pitfalls A4, A13, A14)."""

import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import numpy as np
import pytest

from toolcurator import Curator, Tool
from toolcurator.encoders import load_encoder
from toolcurator.index import LocalIndex, index_key
from toolcurator.index.generations import Generations
from toolcurator.lexical import Tokenizer
from toolcurator.settings import Settings

TOOLS = (
    Tool(name="pay_bill", description="Pay a bill.", examples=("settle what I owe",)),
    Tool(name="open_account", description="Open a new account at the bank."),
    Tool(name="close_account", description="Close an account for good."),
)


def _key(tools=TOOLS, *, encoder=None, tokenizer=None, **settings) -> str:
    return index_key(tools, encoder=encoder, tokenizer=tokenizer or Tokenizer("en"), settings=Settings(**settings))


def _generation(folder: Path) -> str:
    return json.loads((folder / "CURRENT").read_text())["generation"]


def _ranking(curator: Curator, *queries: str) -> list:
    asked = queries or ("pay my bill", "I want an account", "close it", "zebra")
    return [[(hit.id, round(hit.score, 4)) for hit in curator.select(query, k=50)] for query in asked]


@pytest.fixture
def another_encoder(tmp_path: Path) -> Callable[..., Path]:
    """The packaged model in a folder of its own, used in another way: other vectors, the same dimensions."""
    from toolcurator.encoders.load import PACKAGED

    def make(place: str, *, prompt: str = "", **about: object) -> Path:
        folder = tmp_path / place
        folder.mkdir()
        for file in ("model.onnx", "tokenizer.json"):
            try:
                os.symlink(PACKAGED / file, folder / file)
            except OSError:
                shutil.copyfile(PACKAGED / file, folder / file)
        described = json.loads((PACKAGED / "encoder.json").read_text())
        (folder / "encoder.json").write_text(json.dumps({**described, **about}))
        if prompt:
            (folder / "config_sentence_transformers.json").write_text(json.dumps({"prompts": {"query": prompt}}))
        return folder

    return make


# ------------------------------------------------------------------------------------------------ A13: what the key covers


@pytest.mark.parametrize(
    "change",
    [
        {"name": "pay_bills"},
        {"description": "Pay a bill now."},
        {"server": "bank"},
        {"examples": ("settle what I owe", "pay up")},
        {"roles": ("student",)},
        {"tags": ("money",)},
        {"extra_context": "invoice"},
        {"parameters": {"type": "object", "properties": {"bill": {"type": "string"}}}},
        {"side_effect": True},
        {"metadata": {"title": "Pay"}},
        {"id": "bank/pay_bill"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_a13_the_key_covers_every_field_of_a_tool(change: dict) -> None:
    changed = Tool.model_validate(TOOLS[0].model_dump() | change)
    assert _key((changed, *TOOLS[1:])) != _key()


@pytest.mark.parametrize(
    "settings",
    [
        {"dense_parts": ("name", "description")},
        {"dense_parts": ("description", "name", "slots", "server", "tags", "extra_context")},
        {"bm25_k1": 1.2},
        {"bm25_b": 0.5},
        {"field_weights": {"name": 1.0, "description": 1.0}},
        {"exact_points": 0},
    ],
    ids=str,
)
def test_a13_the_key_covers_every_setting_that_changes_what_is_stored(settings: dict) -> None:
    assert _key(**settings) != _key()


def test_a13_the_key_leaves_out_what_only_the_search_uses() -> None:
    same = {"k": 3, "sparse_weight": 0.1, "fit_threshold": 0.9, "no_fit": "empty", "diversity": 0.3, "pass_through": 0}
    assert _key(**same) == _key()


def test_a13_the_key_covers_tokenizer_and_encoder() -> None:
    keys = [_key(), _key(tokenizer=Tokenizer("et")), _key(tokenizer=Tokenizer("en", ngrams=True))]
    keys += [_key(encoder=load_encoder("packaged")), _key(encoder=load_encoder("packaged", query_prompt="query: "))]
    keys += [_key(encoder=load_encoder("packaged", max_tokens=64))]
    assert len(set(keys)) == len(keys)


def test_a13_a_model_of_the_same_dimensions_gives_its_own_answers(tmp_path: Path, another_encoder) -> None:
    folder = tmp_path / "index"
    whole = Curator.open(TOOLS, index_dir=folder)
    short = Curator.open(TOOLS, index_dir=folder, encoder=str(another_encoder("other", name="other", max_tokens=4)))
    assert whole.index.manifest.dimensions == short.index.manifest.dimensions
    assert whole.index.encoder_id != short.index.encoder_id
    everything = np.arange(len(TOOLS))
    assert not np.allclose(whole.index.vectors(everything), short.index.vectors(everything), atol=0.05)
    own = short.select("pay a bill", fusion="dense")
    fresh = Curator.open(TOOLS, index_dir=tmp_path / "fresh", encoder=str(tmp_path / "other"))
    assert [(hit.id, hit.score) for hit in own] == [
        (hit.id, hit.score) for hit in fresh.select("pay a bill", fusion="dense")
    ]


def test_a13_a_prompt_makes_another_encoder(tmp_path: Path, another_encoder) -> None:
    folder = tmp_path / "index"
    Curator.open(TOOLS, index_dir=folder, encoder=str(another_encoder("plain", name="same")))
    first = _generation(folder)
    Curator.open(TOOLS, index_dir=folder, encoder=str(another_encoder("asked", name="same", prompt="find: ")))
    assert _generation(folder) != first


@pytest.mark.parametrize(("one", "other"), [("en", "zh"), ("de", "et"), ("en", "et"), ("ja", "en")])
def test_a13_a_language_that_was_asked_for_is_the_language_used(tmp_path: Path, one: str, other: str) -> None:
    for language in (one, other, one):
        curator = Curator.open(TOOLS, encoder="none", index_dir=tmp_path, language=language)
        assert curator.index.manifest.language == language


def test_a13_settings_of_the_environment_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = _ranking(Curator.open(TOOLS, encoder="none", index_dir=tmp_path))
    monkeypatch.setenv("TOOLCURATOR_BM25_B", "0.0")
    assert _ranking(Curator.open(TOOLS, encoder="none", index_dir=tmp_path)) != plain


def _write(path: Path, tools: object) -> Path:
    path.write_text(json.dumps(tools), encoding="utf-8")
    return path


AB = [{"name": "alpha", "description": "first"}, {"name": "beta", "description": "second"}]


def test_a13_an_edited_file_is_seen_and_an_untouched_one_is_not_read_again(tmp_path: Path) -> None:
    file, folder = _write(tmp_path / "tools.json", AB), tmp_path / "index"
    assert len(Curator.open(file, encoder="none", index_dir=folder)) == 2
    first = _generation(folder)
    assert len(Curator.open(file, encoder="none", index_dir=folder)) == 2
    assert _generation(folder) == first
    _write(file, [*AB, {"name": "gamma", "description": "third"}])
    assert len(Curator.open(file, encoder="none", index_dir=folder)) == 3
    stat = file.stat()
    _write(file, [*AB, {"name": "delta", "description": "third"}])
    os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))  # as long as before and as old as before
    assert Curator.open(file, encoder="none", index_dir=folder).select("delta")[0].id == "delta"


def test_a13_a_folder_is_compared_file_by_file(tmp_path: Path) -> None:
    source, folder = tmp_path / "catalog", tmp_path / "index"
    source.mkdir()
    _write(source / "one.json", AB)

    def ids() -> list[str]:
        return Curator.open(source, encoder="none", index_dir=folder).index.ids

    assert ids() == ["alpha", "beta"]
    _write(source / "two.json", [{"name": "gamma", "description": "third"}])
    assert ids() == ["alpha", "beta", "gamma"]
    (source / "one.json").unlink()
    assert ids() == ["gamma"]


def test_a13_synonyms_of_a_folder_are_compared(tmp_path: Path) -> None:
    source, folder = tmp_path / "catalog", tmp_path / "index"
    source.mkdir()
    _write(source / "tools.json", AB)
    for best in ("alpha", "beta", "alpha"):
        _write(source / "domain_synonyms.json", {best: "omega"})
        assert Curator.open(source, encoder="none", index_dir=folder).select("omega")[0].id == best


def test_a13_a_synonyms_file_given_beside_the_catalogue_is_compared_by_content(tmp_path: Path) -> None:
    file, folder = _write(tmp_path / "tools.json", AB), tmp_path / "index"
    for best in ("alpha", "beta", "alpha"):
        words = _write(tmp_path / "words.json", {best: "omega"})
        assert Curator.open(file, encoder="none", index_dir=folder, synonyms=words).select("omega")[0].id == best


def test_a13_a_synonyms_file_that_the_catalogue_names_is_compared(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    file = _write(tmp_path / "tools.json", {"synonyms": "words.json", "tools": AB})
    for best in ("alpha", "beta", "alpha"):
        _write(tmp_path / "words.json", {best: "omega"})
        assert Curator.open(file, encoder="none", index_dir=folder).select("omega")[0].id == best


def test_a13_extra_context_from_code_is_compared(tmp_path: Path) -> None:
    file, folder = _write(tmp_path / "tools.json", AB), tmp_path / "index"
    for best in ("alpha", "beta", "alpha"):
        curator = Curator.open(file, encoder="none", index_dir=folder, extra_context={best: "omega"})
        assert curator.select("omega")[0].id == best


def test_faults_are_those_of_the_file_as_it_is_now(tmp_path: Path) -> None:
    file, folder = tmp_path / "tools.json", tmp_path / "index"
    for faulty in (True, False, True):
        _write(file, [*AB, {"name": 3}] if faulty else AB)  # the same tools either way
        assert bool(Curator.open(file, encoder="none", index_dir=folder).faults) is faulty


def test_a_tool_that_leaves_service_is_gone(tmp_path: Path) -> None:
    def ids(state: str) -> list[str]:
        tools = [Tool(name="alpha"), Tool.model_validate({"name": "beta", "state": state})]
        return Curator.open(tools, encoder="none", index_dir=tmp_path).index.ids

    assert ids("active") == ["alpha", "beta"]
    assert ids("inactive") == ["alpha"]
    assert ids("draft") == ["alpha"]


def test_a_catalogue_without_an_active_tool_is_an_error(tmp_path: Path) -> None:
    from toolcurator.errors import CatalogError

    with pytest.raises(CatalogError, match="active"):
        Curator.open([Tool(name="x", state="draft")], encoder="none", index_dir=tmp_path)


def test_two_presets_keep_their_indexes_apart_in_the_users_cache() -> None:
    tools = [Tool(name="only_in_this_test", description="x")]
    folders = [
        Curator.open(tools, encoder="none", preset=preset).index.generation.folder
        for preset in ("default", "classic", "default", "classic")
    ]
    assert folders[0] == folders[2] != folders[1] == folders[3]
    assert str(folders[0]).startswith(os.environ["XDG_CACHE_HOME"]) or os.name != "posix"


# ------------------------------------------------------------------------------------------------ A14: what is encoded again


class Counter:
    """Remembers what a progress callback was told."""

    def __init__(self) -> None:
        self.calls: list[tuple[int, int]] = []

    def __call__(self, done: int, total: int) -> None:
        self.calls.append((done, total))

    @property
    def total(self) -> int:
        return self.calls[-1][1] if self.calls else 0


def _many(n: int) -> list[Tool]:
    things = ("bill", "room", "window", "plant", "letter", "fax", "ledger", "visitor")
    return [
        Tool(
            name=f"{'open' if i % 2 else 'close'}_{things[i % 8]}_{i}",
            description=f"Handles the {things[i % 8]} number {i} of the house.",
            examples=(f"do something about {things[i % 8]} {i}",) if i % 3 == 0 else (),
        )
        for i in range(n)
    ]


def test_a14_one_edited_text_is_encoded_again_and_no_other(tmp_path: Path) -> None:
    tools, first = _many(40), Counter()
    Curator.open(tools, index_dir=tmp_path, progress=first)
    points = 40 + 14
    assert first.total == points
    assert first.calls[-1] == (points, points)
    assert [done for done, _ in first.calls] == sorted(done for done, _ in first.calls)

    untouched = Counter()
    Curator.open(tools, index_dir=tmp_path, progress=untouched)
    assert untouched.calls == []

    edited = Counter()
    tools[17] = tools[17].model_copy(update={"description": "Something else entirely."})
    curator = Curator.open(tools, index_dir=tmp_path, progress=edited)
    assert edited.total == 1
    fresh = Curator.open(tools, index_dir=tmp_path / "fresh")
    everything = np.arange(40)
    assert np.allclose(curator.index.vectors(everything), fresh.index.vectors(everything), atol=2e-2)
    assert curator.select("something else entirely")[0].id == tools[17].id

    example = Counter()
    tools[3] = tools[3].model_copy(update={"examples": ("do something about plant 3", "a second example")})
    assert Curator.open(tools, index_dir=tmp_path, progress=example).select("a second example")[0].id == tools[3].id
    assert example.total == 1

    moved = Counter()
    Curator.open([*tools[20:], *tools[:20]], index_dir=tmp_path, progress=moved)
    Curator.open([tool for tool in tools if tool is not tools[5]], index_dir=tmp_path, progress=moved)
    assert moved.calls == []  # neither order nor a tool that goes encodes anything


def test_a14_only_words_change_when_roles_or_constants_do(tmp_path: Path) -> None:
    tools = _many(6)
    Curator.open(tools, index_dir=tmp_path)
    count = Counter()
    tools[0] = tools[0].model_copy(update={"roles": ("admin",)})
    Curator.open(tools, index_dir=tmp_path, progress=count)
    Curator.open(tools, index_dir=tmp_path, progress=count, bm25_k1=1.2)
    Curator.open(tools, index_dir=tmp_path, progress=count, exact_points=0)
    assert count.calls == []


def test_equal_texts_are_encoded_once(tmp_path: Path) -> None:
    tools = [Tool(name="search", server=f"s{i}", description="Find things.", examples=("find it",)) for i in range(5)]
    count = Counter()
    Curator.open(tools, index_dir=tmp_path, progress=count, dense_parts=("name", "description"))
    assert count.total == 2


# ------------------------------------------------------------------------------------------------ A4: order


def test_a4_the_order_of_tools_changes_neither_key_nor_answers(tmp_path: Path) -> None:
    tools = [*TOOLS, *(Tool(name=f"twin_{i}", description="The same text.") for i in range(12))]
    curators = [
        Curator.open(order, encoder="none", index_dir=tmp_path / str(number), pass_through=0)
        for number, order in enumerate((tools, tools[::-1], [*tools[5:], *tools[:5]]))
    ]
    assert len({curator.index.manifest.key for curator in curators}) == 1
    rankings = [_ranking(curator, "the same text", "pay", "twin") for curator in curators]
    assert rankings[0] == rankings[1] == rankings[2]
    tied = [id for id, _ in rankings[0][0][:12]]
    assert tied == sorted(tied), "ties stand in order of their id"


# ------------------------------------------------------------------------------------------------ what is on the disk


def test_nothing_on_the_disk_is_a_pickle(tmp_path: Path) -> None:
    Curator.open(TOOLS, index_dir=tmp_path, exact_points=0)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) > 10
    for path in files:
        assert path.suffix in (".npy", ".json", ".jsonl", ".lock", ""), path
        if path.suffix == ".npy":
            np.load(path, allow_pickle=False)  # raises if there is an object in it
        assert path.read_bytes()[:2] not in (b"\x80\x03", b"\x80\x04", b"\x80\x05"), path


def test_old_generations_are_removed(tmp_path: Path) -> None:
    for number in range(4):
        Curator.open([*TOOLS, Tool(name=f"more_{number}")], encoder="none", index_dir=tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"CURRENT", "build.lock", _generation(tmp_path)}


def test_a_generation_can_be_opened_by_hand(tmp_path: Path) -> None:
    Curator.open(TOOLS, encoder="none", index_dir=tmp_path)
    current = Generations(tmp_path).current()
    assert current is not None
    index = LocalIndex(current, Settings())
    assert index.ids == ["close_account", "open_account", "pay_bill"]
    assert [index.position(id) for id in (*index.ids, "nothing", "")] == [0, 1, 2, None, None]
    assert [index.tool(i) for i in range(3)] == sorted(TOOLS, key=lambda tool: tool.id)
    assert len(index.catalog) == 3


class _EditsTheFile(Mapping[str, str]):
    """Extra context from code, whose reading takes so long that somebody edits the catalogue meanwhile."""

    def __init__(self, edit: Callable[[], object]) -> None:
        self.edit = edit

    def __getitem__(self, key: str) -> str:
        return {"alpha": "omega"}[key]

    def __iter__(self) -> Iterator[str]:
        self.edit()
        return iter(("alpha",))

    def __len__(self) -> int:
        return 1

    def __repr__(self) -> str:
        return "extra context"


def test_a_file_edited_while_it_is_indexed_is_read_again(tmp_path: Path) -> None:
    """The digest must be that of the bytes that were parsed, not of those that stand there later."""
    file, folder = _write(tmp_path / "tools.json", AB), tmp_path / "index"
    later = [*AB, {"name": "gamma", "description": "third"}]
    slow = _EditsTheFile(lambda: _write(file, later))
    Curator.open(file, encoder="none", index_dir=folder, extra_context=slow)
    quick = _EditsTheFile(lambda: None)
    assert len(Curator.open(file, encoder="none", index_dir=folder, extra_context=quick)) == 3


# ------------------------------------------------------------------------------------------------ words kept from before


def _edits(tools: list[Tool]) -> list[list[Tool]]:
    """One catalogue after another, each a small step from the one before."""
    changed = tools[4].model_copy(update={"description": "An aardvark, an aardvark and a zebra."})
    twin = Tool(name="twin", description=tools[7].description, examples=tools[7].examples)
    steps = [[*tools[:4], changed, *tools[5:]], [*tools, twin], tools[:7] + tools[8:], [tools[3]], tools, tools[::-1]]
    steps.append([tool.model_copy(update={"roles": ("admin",), "examples": ()}) for tool in tools])
    steps.append([tool.model_copy(update={"id": f"z/{tool.id}" if i % 2 else tool.id}) for i, tool in enumerate(tools)])
    return steps


@pytest.mark.parametrize(
    "how", [{"bm25_k1": 0.4}, {"language": "et"}, {"field_weights": {"name": 2.0, "description": 0.5}}], ids=str
)
def test_a13_words_kept_from_an_older_index_give_the_answers_of_a_new_one(tmp_path: Path, how: dict) -> None:
    tools = _many(14)
    Curator.open(tools, encoder="none", index_dir=tmp_path / "kept", pass_through=0)
    for number, step in enumerate(_edits(tools)):
        options = how if number % 3 == 2 else {}
        kept = Curator.open(step, encoder="none", index_dir=tmp_path / "kept", pass_through=0, **options)
        new = Curator.open(step, encoder="none", index_dir=tmp_path / str(number), pass_through=0, **options)
        queries = (
            "aardvark",
            "the plant number 4 of the house",
            "handles bill",
            "do something about room 9",
            "open fax",
        )
        assert _ranking(kept, *queries) == _ranking(new, *queries), number
        for word in ("aardvark", "bill", "hous", "number", "zebra"):
            assert kept.index.words.idf(word) == new.index.words.idf(word), (number, word)


def test_a14_an_index_that_was_carried_over_is_byte_for_byte_a_new_one(tmp_path: Path) -> None:
    tools = _many(14)
    Curator.open(tools, index_dir=tmp_path / "kept", exact_points=0)
    for number, step in enumerate(_edits(tools)):
        kept = Curator.open(step, index_dir=tmp_path / "kept", exact_points=0).index.generation.folder
        new = Curator.open(step, index_dir=tmp_path / str(number), exact_points=0).index.generation.folder
        files = {path.relative_to(new) for path in new.rglob("*") if path.is_file()}
        assert files == {path.relative_to(kept) for path in kept.rglob("*") if path.is_file()}
        for file in files - {Path("manifest.json"), Path("vectors.npy"), Path("codes.npy")}:
            assert (kept / file).read_bytes() == (new / file).read_bytes(), (number, file)
        # a text's vector depends a little on what it was encoded with
        assert np.allclose(np.load(kept / "vectors.npy"), np.load(new / "vectors.npy"), atol=2e-2), number
