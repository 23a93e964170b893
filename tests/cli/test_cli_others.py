"""``toolcurator index``, ``show``, ``convert``, and the program itself."""

import json
from pathlib import Path

import pytest
import yaml

# ------------------------------------------------------------------------------------------------ index


def test_index_builds_and_then_finds_it_there(run, house: Path, words, tmp_path: Path) -> None:
    first = run("index", house, *words)
    assert first.code == 0
    assert "12 tools" in first.out
    assert str(tmp_path / "index") in first.out
    current = (tmp_path / "index" / "CURRENT").read_text()
    facts = run("index", house, "--json", *words).json
    assert (tmp_path / "index" / "CURRENT").read_text() == current
    assert (facts["tools"], facts["encoder"], facts["language"], facts["roles"]) == (12, "none", "en", ["owner"])
    assert facts["folder"] == str(tmp_path / "index")
    assert facts["bytes"] > 1000
    assert facts["faults"] == []


def test_a_search_uses_what_index_built(run, house: Path, words, tmp_path: Path) -> None:
    run("index", house, *words)
    generations = sorted(tmp_path.glob("index/g-*"))
    run("search", house, "light", *words)
    assert sorted(tmp_path.glob("index/g-*")) == generations


def test_index_shows_progress_on_stderr_only(run, house: Path, tmp_path: Path) -> None:
    ran = run("index", house, "--json", "--index-dir", tmp_path / "index")
    assert ran.code == 0
    assert ran.json["points"] == 13
    assert "encoding" in ran.err
    assert run("index", house, "--json", "--index-dir", tmp_path / "index").err == ""


def test_index_of_the_classic_preset(run, house: Path, words) -> None:
    assert run("index", house, "--preset", "classic", *words).code == 0


# ------------------------------------------------------------------------------------------------ show


def test_show_lists_what_a_role_sees(run, house: Path) -> None:
    everything = run("show", house)
    assert everything.code == 0
    for name in ("home/turn_off_light", "home/unlock_door", "radio/play_music", "owner", "Switches a lamp off."):
        assert name in everything.out
    assert "old_alarm" not in everything.out
    assert "12 tools, 1 not shown" in everything.out
    guest = run("show", house, "--role", "guest").out
    assert "unlock_door" not in guest
    assert "11 tools" in guest


@pytest.mark.parametrize("name", ["home/unlock_door", "unlock_door"])
def test_show_one_tool(run, house: Path, name: str) -> None:
    ran = run("show", house, name)
    assert ran.code == 0
    for part in (
        "home/unlock_door",
        "Unlocks the front door.",
        "owner",
        "door (string, required)",
        "front, back",
        "Which door",
    ):
        assert part in ran.out
    as_json = run("show", house, name, "--json").json
    assert (as_json["id"], as_json["wire_name"]) == ("home/unlock_door", "unlock_door")


def test_show_all_as_json(run, house: Path) -> None:
    found = run("show", house, "--json").json
    assert len(found) == 12
    assert {"id", "name", "wire_name"} <= found[0].keys()


def test_a27_unknown_and_forbidden_look_the_same(run, house: Path) -> None:
    messages = []
    for name in ("unlock_door", "unlock_dooz"):
        ran = run("show", house, name, "--role", "guest")
        assert ran.code == 2
        assert len(ran.err.strip().splitlines()) == 1
        messages.append(ran.err.replace(name, "NAME"))
    assert messages[0] == messages[1]
    assert "nearest" in run("show", house, "unlock_dooz").err


@pytest.mark.parametrize("text", ["[bold]", "[/x]", ":warning:", "[red]alarm[/red]"])
def test_show_prints_markup_as_it_is(run, tmp_path: Path, text: str) -> None:
    path = tmp_path / "markup.json"
    path.write_text(json.dumps([{"name": f"t {text}", "description": f"Does {text} it.", "roles": [f"r {text}"]}]))
    for arguments in ((), (f"t {text}",)):
        ran = run("show", path, *arguments)
        assert ran.code == 0, ran.err
        for part in (f"t {text}", f"Does {text} it.", f"r {text}"):
            assert part in ran.out


def test_show_reports_faults(run, tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    path.write_text(json.dumps([{"name": "good"}, {"name": "good"}, *({"nom": i} for i in range(20))]))
    ran = run("show", path)
    assert ran.code == 0
    assert ran.err.count("warning: ") == 11
    assert "and 11 more" in ran.err


def test_show_a_missing_file(run, tmp_path: Path) -> None:
    ran = run("show", tmp_path / "nowhere.json")
    assert (ran.code, ran.out) == (2, "")
    assert "nowhere.json" in ran.err
    assert len(ran.err.strip().splitlines()) == 1


# ------------------------------------------------------------------------------------------------ convert


@pytest.mark.parametrize("form", ["openai", "openai_responses", "anthropic", "gemini", "mcp"])
def test_convert_to_a_provider_and_read_it_again(run, house: Path, tmp_path: Path, form: str) -> None:
    out = tmp_path / "out.json"
    ran = run("convert", house, "--to", form, "--out", out)
    assert (ran.code, ran.out) == (0, "")
    assert run("convert", house, "--to", form).json == json.loads(out.read_text("utf-8"))
    names = {each["name"] for each in run("show", out, "--json").json}
    assert names == {"turn_off_light", "set_reminder", "unlock_door", "play_music", *(f"filler_{i}" for i in range(8))}


@pytest.mark.parametrize("ending", ["yaml", "json", "jsonl", "yml"])
def test_convert_to_our_own_form_keeps_everything(run, house: Path, tmp_path: Path, ending: str) -> None:
    out = tmp_path / f"out.{ending}"
    assert run("convert", house, "--out", out).code == 0
    assert run("show", out, "--json").json == run("show", house, "--json").json
    kept = run("show", out, "unlock_door", "--json").json
    assert kept["roles"] == ["owner"]


def test_convert_to_stdout_is_yaml(run, house: Path) -> None:
    body = yaml.safe_load(run("convert", house).out)
    assert len(body["tools"]) == 13


def test_d1_what_came_in_goes_out_unchanged(run, examples: Path) -> None:
    for file, form in (("openai_tools.json", "openai"), ("anthropic_tools.json", "anthropic")):
        source = examples / "listings" / file
        assert run("convert", source, "--to", form).json == json.loads(source.read_text("utf-8"))


def test_a27_convert_for_a_role_leaves_the_others_out(run, house: Path) -> None:
    for form in ("catalog", "openai", "mcp"):
        assert "unlock_door" not in run("convert", house, "--to", form, "--role", "guest").out
        assert "unlock_door" in run("convert", house, "--to", form, "--role", "owner").out


def test_convert_refuses_what_it_cannot_write(run, house: Path, tmp_path: Path) -> None:
    for out in (tmp_path / "out.xml", tmp_path / "no" / "where.json"):
        ran = run("convert", house, "--out", out)
        assert ran.code == 2
        assert out.name in ran.err
        assert len(ran.err.strip().splitlines()) == 1
        assert not out.exists()


# ------------------------------------------------------------------------------------------------ the program


def test_help_names_every_command(run) -> None:
    for arguments in (("--help",), ("-h",), ()):
        ran = run(*arguments)
        for command in ("search", "index", "show", "convert", "--install-completion"):
            assert command in ran.out + ran.err, (arguments, command)
        assert "Traceback" not in ran.err


@pytest.mark.parametrize("command", ["search", "index", "show", "convert"])
def test_every_command_has_help(run, command: str) -> None:
    ran = run(command, "--help")
    assert ran.code == 0
    assert "Usage" in ran.out
    assert ran.out.isprintable() or "\x1b" not in ran.out


def test_version(run) -> None:
    from toolcurator import __version__

    assert run("--version").out == f"toolcurator {__version__}\n"


@pytest.mark.parametrize("arguments", [("dance",), ("search",), ("index",), ("show",), ("--nonsense",)], ids=str)
def test_a_wrong_call_ends_with_2_and_no_traceback(run, arguments: tuple) -> None:
    ran = run(*arguments)
    assert ran.code == 2
    assert "Traceback" not in ran.err
    assert ran.out == ""


def test_a_damaged_index_is_a_warning_and_an_answer(run, house: Path, words, tmp_path: Path, caplog) -> None:
    run("index", house, *words)
    (tmp_path / "index" / "CURRENT").write_text("garbage")
    ran = run("search", house, "turn off the light", "--k", 1, "--json", *words)
    assert ran.code == 0
    assert ran.json["hits"][0]["id"] == "home/turn_off_light"
    assert len(caplog.records) == 1
