"""Recorded profiles: read, chosen by set, and attached to tools."""

import json
from pathlib import Path
from typing import Any

import pytest

from toolcurator import Catalog, Curator
from toolcurator.errors import CatalogError
from toolcurator.sources.profiles import RecordedProfile, any_profiles, attach_profiles, read_profiles
from toolcurator.tool import Profile, Tool

CAMPUS = Path(__file__).parent.parent / "data" / "profiles" / "campus.jsonl"
OWN = Profile(function_description="its own")
TOOLS = (
    Tool(name="boil", server="kettle"),
    Tool(name="bake", server="oven"),
    Tool(name="list", server="fridge", profile=OWN),
    Tool(name="list", server="pantry"),
)


def write(path: Path, *rows: Any) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    return path


def tagged(id: str, tag: str, set: str = "") -> RecordedProfile:
    return RecordedProfile(id, Profile(tags=(tag,)), set)


def attached(recorded: list[RecordedProfile], *names: str) -> tuple[dict[str, str], list[str]]:
    """Tool id → the first tag of its profile, and the faults."""
    tools, faults = attach_profiles(recorded, TOOLS, names=names, path="p.jsonl")
    assert [tool.id for tool in tools] == [tool.id for tool in TOOLS]
    tags = {tool.id: tool.profile.tags[0] for tool in tools if tool.profile and tool.profile.tags}
    return tags, [str(fault) for fault in faults]


def test_a_file_is_read() -> None:
    first, *_, last = read_profiles(CAMPUS)
    assert (first.id, first.set) == ("campus/get_attendance", "campus")
    assert first.profile.tags == ("presence", "missed lectures", "shortage")
    assert len(first.profile.example_queries) == 2
    assert (last.id, last.profile.grounded, last.profile.limitations) == ("get_cgpa", False, "")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"id": "x", "tags": "no list"}', "tags must be a list, not a string"),
        ('{"tags": ["a"]}', "id is missing"),
        ('{"id": " ", "tags": ["a"]}', "id is missing"),
        ('{"id": "x", "set": 3, "tags": ["a"]}', "set must be a string, not a number"),
        ('{"id": "x", "query": "a query, no profile"}', "no field of a profile in it: expected function_description"),
        ('["x"]', "a profile must be an object, not a list"),
        ('{"id": "x"', "not JSON"),
    ],
)
def test_what_is_no_profile_is_named_by_file_and_line(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "recorded.jsonl"
    path.write_text(f'{{"id": "a", "tags": ["b"]}}\n\n{line}\n', "utf-8")
    with pytest.raises(CatalogError) as error:
        read_profiles(path)
    assert str(error.value).startswith(f"{path}:3: ")
    assert message in str(error.value)


def test_a_file_that_is_not_there_and_a_mapping_of_something_else(tmp_path: Path) -> None:
    with pytest.raises(CatalogError, match=r"nowhere\.jsonl: cannot be read"):
        read_profiles(tmp_path / "nowhere.jsonl")
    with pytest.raises(CatalogError, match="profile of 'x': tags must be a list"):
        any_profiles({"x": {"tags": 3}})  # pyright: ignore[reportArgumentType]
    assert any_profiles({"x": OWN}) == ((RecordedProfile("x", OWN),), "")
    assert any_profiles(None) == ((), "")


def test_by_id_then_by_a_bare_name_that_one_tool_has() -> None:
    assert attached([tagged("bake", "cake"), tagged("kettle/boil", "tea")]) == (
        {"kettle/boil": "tea", "oven/bake": "cake"},
        [],
    )
    assert attached([tagged("list", "food")]) == (
        {},
        ["p.jsonl: 1 profile has the name of several tools (use an id): 'list'"],
    )


def test_the_recorded_profile_replaces_the_one_there_was() -> None:
    assert attached([tagged("fridge/list", "milk")])[0] == {"fridge/list": "milk"}
    tools, _ = attach_profiles([tagged("oven/bake", "cake")], TOOLS)
    assert tools[2].profile == OWN


def test_tools_that_are_not_there_make_one_fault() -> None:
    recorded = [tagged("kettle/boil", "tea"), *(tagged(f"x{at}", "?") for at in range(3))]
    assert attached(recorded) == (
        {"kettle/boil": "tea"},
        ["p.jsonl: 3 profiles name no tool of the catalogue, the first is 'x0'"],
    )


def test_one_that_is_not_grounded_is_left_out() -> None:
    false = RecordedProfile("fridge/list", Profile(tags=("lies",), grounded=False))
    tools, faults = attach_profiles([false], TOOLS)
    assert tools == TOOLS
    assert [str(fault) for fault in faults] == ["1 profile is not grounded and is left out: 'fridge/list'"]


def test_of_two_for_one_tool_the_one_with_its_id_stays() -> None:
    recorded = [tagged("bake", "by name"), tagged("oven/bake", "by id"), tagged("oven/bake", "again")]
    assert attached(recorded) == (
        {"oven/bake": "by id"},
        ["p.jsonl: 2 profiles come after others of the same tool, the first is 'oven/bake'"],
    )


def test_of_several_sets_the_one_the_catalogue_is_named_after_is_taken() -> None:
    recorded = [
        tagged("kettle/boil", "any"),
        tagged("oven/bake", "any"),
        tagged("oven/bake", "soil", "garden"),
        tagged("oven/bake", "cake", "kitchen"),
        tagged("gone", "?", "garden"),
    ]
    assert attached(recorded, "house", "kitchen") == ({"kettle/boil": "any", "oven/bake": "cake"}, [])
    tags, faults = attached(recorded, "house")
    assert tags == {"kettle/boil": "any"}
    assert faults == [
        "p.jsonl: 1 profile names no tool of the catalogue: 'gone'",
        "p.jsonl: 1 profile differs between sets (keep one set): 'oven/bake'",
    ]
    alike = [tagged("oven/bake", "cake", "kitchen"), tagged("oven/bake", "cake", "garden")]
    assert attached(alike) == ({"oven/bake": "cake"}, [])


@pytest.mark.parametrize("how", ["name", "folder"])
def test_a_catalogue_is_named_by_itself_or_by_its_folder(tmp_path: Path, how: str) -> None:
    folder = tmp_path / ("kitchen" if how == "folder" else "somewhere")
    folder.mkdir()
    head = {"name": "kitchen"} if how == "name" else {}
    write(folder / "tools.json", {**head, "tools": [{"name": "bake"}]})
    path = write(
        tmp_path / "p.jsonl",
        {"set": "garden", "id": "bake", "tags": ["soil"]},
        {"set": "kitchen", "id": "bake", "tags": ["cake"]},
    )
    for catalog in (Catalog.load(folder, profiles=path), Catalog.load(folder / "tools.json", profiles=str(path))):
        assert catalog["bake"].profile == Profile(tags=("cake",))
        assert catalog.faults == ()
        assert str(path) in catalog.files


def test_every_way_to_make_a_catalogue_takes_profiles(examples: Path, tmp_path: Path) -> None:
    loaded = Catalog.load(examples / "campus", profiles=CAMPUS)
    assert sum(tool.profile is not None for tool in loaded) == 3
    assert [str(fault) for fault in loaded.faults] == [
        f"{CAMPUS}: 1 profile is not grounded and is left out: 'get_cgpa'"
    ]
    bare = Catalog.load(examples / "campus")
    assert Catalog.of(bare, profiles=CAMPUS).tools == Catalog(bare.tools, profiles=CAMPUS).tools == loaded.tools
    assert Catalog.of(bare) is bare
    assert loaded.fingerprint != bare.fingerprint
    mapped = Catalog.of(bare, profiles={"get_cgpa": OWN})
    assert mapped["get_cgpa"].profile == OWN
    assert mapped.files == bare.files
    loaded.save(tmp_path / "kept.yaml")
    assert Catalog.load(tmp_path / "kept.yaml").tools == loaded.tools


def test_a13_a_file_of_profiles_is_compared_by_content(tmp_path: Path) -> None:
    tools = [{"name": name, "description": name} for name in ("alpha", "beta")]
    source, folder = write(tmp_path / "tools.jsonl", *tools), tmp_path / "index"
    for best in ("alpha", "beta", "alpha"):
        path = write(tmp_path / "p.jsonl", {"id": best, "tags": ["omega"]})
        curator = Curator.open(source, encoder="none", index_dir=folder, profiles=path)
        assert [tool.name for tool in map(curator.tool, ("alpha", "beta")) if tool.profile] == [best]
    current = (folder / "CURRENT").read_text()
    Curator.open(source, encoder="none", index_dir=folder, profiles=path)
    assert (folder / "CURRENT").read_text() == current
    curator = Curator.open(source, encoder="none", index_dir=folder, profiles={"beta": OWN})
    assert curator.tool("alpha").profile is None
    assert curator.tool("beta").profile == OWN
