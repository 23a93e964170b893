"""``toolcurator search``: one query."""

import json
from pathlib import Path
from typing import Any

import pytest


def test_plain_search_prints_a_line_a_tool(run, house: Path, words) -> None:
    ran = run("search", house, "turn the light off", "--k", 3, *words)
    assert ran.code == 0
    assert ran.err == ""
    assert ran.lines[0].split()[:2] == ["1", "home/turn_off_light"]
    assert "Switches a lamp off." in ran.lines[0]
    assert [line.split()[0] for line in ran.lines[:3]] == ["1", "2", "3"]
    assert "probability" in ran.lines[-1]


def test_explain_says_why(run, house: Path, words) -> None:
    ran = run("search", house, "turn the light off and also set a reminder", "--explain", *words)
    assert ran.code == 0
    for word in ("score", "cosine", "words", "why", "nearest text", "part 1", "part 2", "searched in parts"):
        assert word in ran.out, word


def test_json_is_json_and_complete(run, house: Path, words) -> None:
    found = run("search", house, "unlock the door", "--k", 2, "--json", *words).json
    assert found["query"] == "unlock the door"
    assert 0 <= found["fits"] <= 1
    assert found["no_fit"] is False
    assert found["hits"][0]["id"] == "home/unlock_door"
    assert len(found["hits"]) == 2
    first = found["hits"][0]
    assert (first["name"], first["wire_name"]) == ("unlock_door", "unlock_door")
    assert {"dense_rank", "sparse_rank", "best_point", "why", "fused", "name_match"} <= first["evidence"].keys()


@pytest.mark.parametrize(
    ("form", "name"),
    [
        ("openai", lambda out: out[0]["function"]["name"]),
        ("openai_responses", lambda out: out[0]["name"]),
        ("anthropic", lambda out: out[0]["name"]),
        ("mcp", lambda out: out[0]["name"]),
        ("gemini", lambda out: out[0]["functionDeclarations"][0]["name"]),
    ],
)
def test_declarations_for_any_api(run, house: Path, words, form: str, name) -> None:
    ran = run("search", house, "unlock the door", "--k", 1, "--as", form, *words)
    assert ran.code == 0
    assert name(ran.json) == "unlock_door"
    assert "front" in ran.out


@pytest.mark.parametrize("fusion", ["dense", "sparse", "rrf", "weighted"])
def test_each_fusion(run, house: Path, words, fusion: str) -> None:
    ran = run("search", house, "unlock the door", "--fusion", fusion, "--json", *words)
    assert ran.code == 0
    assert ran.json["hits"][0]["id"] == "home/unlock_door"


def test_each_fusion_with_the_packaged_encoder(run, house: Path, tmp_path: Path) -> None:
    for fusion in ("dense", "weighted"):
        ran = run(
            "search", house, "make it dark in here", "--fusion", fusion, "--json", "--index-dir", tmp_path / "index"
        )
        assert ran.json["hits"][0]["id"] == "home/turn_off_light"
        assert ran.json["hits"][0]["evidence"]["dense_rank"] == 1


def test_the_classic_preset(run, house: Path, words) -> None:
    ran = run("search", house, "please unlock that door", "--preset", "classic", "--json", *words)
    first = ran.json["hits"][0]
    assert first["id"] == "home/unlock_door"
    assert first["evidence"]["why"] == "anchor"


def test_a27_a_role_sees_its_tools_only(run, house: Path, words) -> None:
    for role, seen in (("guest", False), ("owner", True)):
        ids = [hit["id"] for hit in run("search", house, "unlock_door", "--role", role, "--json", *words).json["hits"]]
        assert ("home/unlock_door" in ids) is seen
    assert "home/unlock_door" in [hit["id"] for hit in run("search", house, "unlock", "--json", *words).json["hits"]]


def test_limits_policies_and_pins(run, house: Path, words) -> None:
    def ids(*options: Any, query: str = "zzz qqq") -> list[str]:
        ran = run("search", house, query, "--json", *options, *words)
        assert ran.code == 0, ran.err
        return [hit["id"] for hit in ran.json["hits"]]

    assert len(ids("--k", 2, query="filler")) == 2
    assert ids("--no-fit", "empty") == []
    assert ids("--no-fit", "empty", "--pin", "radio/play_music") == ["radio/play_music"]
    assert ids("--token-budget", 1, query="filler") == []
    assert len(ids("--diversity", 0.5, query="filler")) > 1


def test_several_catalogues_and_a_folder(run, house: Path, words, examples: Path) -> None:
    ran = run("search", house, examples / "listings", "find a recipe", "--k", 1, "--json", *words)
    assert ran.json["hits"][0]["name"] == "find_recipe"
    ran = run("search", house, examples / "listings", "turn off the light", "--k", 1, "--json", *words)
    assert ran.json["hits"][0]["id"] == "home/turn_off_light"


def test_synonyms_and_language(run, house: Path, words, tmp_path: Path) -> None:
    synonyms = tmp_path / "words.json"
    synonyms.write_text(json.dumps({"play_music": "zydeco"}))
    ran = run("search", house, "zydeco", "--k", 1, "--json", "--synonyms", synonyms, *words)
    assert ran.json["hits"][0]["id"] == "radio/play_music"
    assert run("search", house, "light", "--language", "et", "--json", *words).code == 0


def test_faults_of_a_catalogue_are_warnings_on_stderr(run, tmp_path: Path, words) -> None:
    path = tmp_path / "bad.json"
    path.write_text(json.dumps([{"name": "good", "description": "Works."}, {"description": "no name"}, {"name": 5}]))
    for _ in range(2):  # the second time from the cache
        ran = run("search", path, "good", "--json", *words)
        assert ran.code == 0
        assert [hit["id"] for hit in ran.json["hits"]] == ["good"]
        assert ran.err.count("warning: ") == 2
        assert f"{path}:1" in ran.err


MARKUP = ("[bold]", "[/x]", "[red]alarm[/red]", ":warning:", "[link=http://x]y[/link]", "\\[bold]", "[", "[/]")


@pytest.mark.parametrize("text", MARKUP)
@pytest.mark.parametrize("options", [(), ("--explain",)], ids=["plain", "explain"])
def test_markup_is_printed_as_it_is(run, tmp_path: Path, words, text: str, options: tuple) -> None:
    path = tmp_path / "markup.json"
    path.write_text(json.dumps([{"name": f"tool {text} end", "description": f"Does {text} things."}]))
    ran = run("search", path, f"tool {text}", *options, *words)
    assert ran.code == 0, ran.err
    assert f"tool {text} end" in ran.out
    if not options:
        assert f"Does {text} things." in ran.out


@pytest.mark.parametrize("query", ["[bold]", "[/x]", "50 % off; [red]"])
def test_markup_in_a_query_is_no_markup(run, house: Path, words, query: str) -> None:
    ran = run("search", house, f"light {query} and also music {query}", "--explain", *words)
    assert ran.code == 0, ran.err
    ran = run("search", house, query, *words)
    assert ran.code == 0, ran.err


def test_terminal_commands_in_a_description_do_not_reach_the_terminal(run, tmp_path: Path, words) -> None:
    path = tmp_path / "escape.json"
    path.write_text(json.dumps([{"name": "evil", "description": "A\u001b[2J\u001b]0;title\u0007B"}]))
    for command in (("search", path, "evil"), ("search", path, "evil", "--explain")):
        assert "\x1b" not in run(*command, *words).out


@pytest.mark.parametrize("query", ["õpe 法令 😀", "-1", "a\nb", 'quote " and \\', "\udcff broken bytes"], ids=repr)
def test_odd_queries_from_a_terminal(run, house: Path, words, query: str) -> None:
    for options in ((), ("--json",), ("--explain",)):
        ran = run("search", *options, *words, "--", house, query)
        assert ran.code == 0, ran.err
        assert "internal error" not in ran.err


# ------------------------------------------------------------------------------------------------ errors


def _is_one_line(ran, *parts: str) -> None:
    assert ran.code == 2
    assert ran.out == ""
    lines = ran.err.strip().splitlines()
    assert len(lines) == 1, ran.err
    assert lines[0].startswith("error: ")
    assert "internal error" not in lines[0]
    assert "Traceback" not in ran.err
    for part in parts:
        assert part in lines[0]


def test_a_missing_query_is_said(run, house: Path, words) -> None:
    _is_one_line(run("search", house, *words), "query")


@pytest.mark.parametrize("query", ["", "   ", "\t"])
def test_an_empty_query_is_said(run, house: Path, words, query: str) -> None:
    _is_one_line(run("search", house, query, *words), "empty")


def test_a_missing_catalogue_is_named(run, tmp_path: Path, words) -> None:
    _is_one_line(run("search", tmp_path / "nowhere.yaml", "query", *words), "nowhere.yaml")


@pytest.mark.parametrize("content", ["", "[]", "{}", "not json {", "\0\0", '{"tools": []}'], ids=repr)
def test_a_file_without_tools_is_named(run, tmp_path: Path, words, content: str) -> None:
    path = tmp_path / "empty.json"
    path.write_text(content)
    _is_one_line(run("search", path, "query", *words), "empty.json")


def test_an_empty_folder_is_named(run, tmp_path: Path, words) -> None:
    (tmp_path / "hollow").mkdir()
    _is_one_line(run("search", tmp_path / "hollow", "query", *words), "hollow")


def test_an_unknown_encoder_is_named(run, house: Path, tmp_path: Path) -> None:
    _is_one_line(run("search", house, "q", "--encoder", "nonsense", "--index-dir", tmp_path / "i"), "nonsense")


def test_an_unknown_pin_is_named(run, house: Path, words) -> None:
    _is_one_line(run("search", house, "q", "--pin", "nobody", *words), "nobody")


def test_an_index_folder_that_is_a_file_is_named(run, house: Path) -> None:
    _is_one_line(run("search", house, "q", "--encoder", "none", "--index-dir", house), "house.json")


def test_a_wrong_setting_of_the_environment_is_named(run, house: Path, words, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOLCURATOR_FUSION", "bogus")
    _is_one_line(run("search", house, "q", *words), "fusion")


@pytest.mark.parametrize(
    ("options", "part"),
    [
        (("--fusion", "bogus"), "fusion"),
        (("--preset", "bogus"), "preset"),
        (("--k", "0"), "--k"),
        (("--k", "many"), "--k"),
        (("--as", "xml"), "--as"),
        (("--no-fit", "panic"), "--no-fit"),
        (("--token-budget", "0"), "--token-budget"),
        (("--diversity", "3"), "--diversity"),
        (("--nonsense",), "--nonsense"),
        (("--queries", "nowhere.jsonl"), "nowhere.jsonl"),
        (("--synonyms", "nowhere.json"), "nowhere.json"),
    ],
    ids=str,
)
def test_a_bad_option_is_refused_without_a_traceback(run, house: Path, words, options: tuple, part: str) -> None:
    ran = run("search", house, "q", *options, *words)
    assert ran.code == 2
    assert ran.out == ""
    assert part in ran.err
    assert "Traceback" not in ran.err


def test_debug_shows_the_traceback(run, tmp_path: Path, words) -> None:
    from toolcurator.errors import CatalogError

    with pytest.raises(CatalogError):  # left to the interpreter, which prints it
        run("--debug", "search", tmp_path / "nowhere.yaml", "query", *words)
