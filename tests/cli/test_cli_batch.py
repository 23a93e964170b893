"""``toolcurator search --queries``: many queries, a line each, bad ones among good ones."""

import json
from pathlib import Path
from typing import Any

import pytest


def _lines(text: str) -> list[dict]:
    return [json.loads(line) for line in text.splitlines()]


def _queries(tmp_path: Path, *lines: object, name: str = "queries.jsonl") -> Path:
    path = tmp_path / name
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines) + "\n", "utf-8")
    return path


def test_one_line_a_query_in_order(run, house: Path, words, tmp_path: Path) -> None:
    queries = _queries(
        tmp_path, {"id": "a", "query": "turn off the light"}, {"query": "play music"}, {"id": 7, "query": "door"}
    )
    out = tmp_path / "hits.jsonl"
    ran = run("search", house, "--queries", queries, "--k", 3, "--out", out, *words)
    assert ran.code == 0, ran.err
    assert ran.out == ""
    found = _lines(out.read_text("utf-8"))
    assert [line["id"] for line in found] == ["a", "2", "7"]
    assert [line["hits"][0]["id"] for line in found] == ["home/turn_off_light", "radio/play_music", "home/unlock_door"]
    for line in found:
        assert line.keys() == {"id", "hits", "fits", "ms"}
        assert len(line["hits"]) == 3
        assert all(hit.keys() == {"id", "score"} for hit in line["hits"])
        assert 0 <= line["fits"] <= 1
        assert line["ms"] > 0


def test_without_out_the_answers_go_to_stdout(run, house: Path, words, tmp_path: Path) -> None:
    ran = run("search", house, "--queries", _queries(tmp_path, {"id": "a", "query": "light"}), *words)
    assert [line["id"] for line in _lines(ran.out)] == ["a"]


def test_plain_text_is_a_query_a_line(run, house: Path, words, tmp_path: Path) -> None:
    ran = run(
        "search",
        house,
        "--queries",
        _queries(tmp_path, "turn off the light", "", '{"play music"', name="queries.txt"),
        *words,
    )
    assert ran.code == 0
    found = _lines(ran.out)
    assert [line["hits"][0]["id"] for line in found] == ["home/turn_off_light", "radio/play_music"]


def test_the_hits_are_those_of_a_single_search(run, house: Path, words, tmp_path: Path) -> None:
    texts = ("turn the light off and also play music", "unlock the door", "nothing of this kind")
    batch = _lines(run("search", house, "--queries", _queries(tmp_path, *({"query": t} for t in texts)), *words).out)
    for text, line in zip(texts, batch, strict=True):
        single = run("search", house, text, "--json", *words).json
        assert [hit["id"] for hit in line["hits"]] == [hit["id"] for hit in single["hits"]]
        assert line["fits"] == pytest.approx(single["fits"], abs=1e-4)


BAD = [
    ("not json", "JSON"),
    ("[1, 2]", "query"),
    ('"text"', "query"),
    ("null", "query"),
    ('{"id": "x"}', "query"),
    ('{"query": 5}', "string"),
    ('{"query": null}', "string"),
    ('{"query": ""}', "empty"),
    ('{"query": "  "}', "empty"),
]


@pytest.mark.parametrize(("bad", "part"), BAD, ids=[bad for bad, _ in BAD])
def test_a_bad_line_is_an_answer_of_its_own_and_the_rest_goes_on(
    run, house: Path, words, tmp_path: Path, bad: str, part: str
) -> None:
    queries = _queries(tmp_path, {"id": "first", "query": "light"}, bad, {"id": "last", "query": "music"})
    out = tmp_path / "hits.jsonl"
    ran = run("search", house, "--queries", queries, "--out", out, *words)
    assert ran.code == 1, "partly done"
    found = _lines(out.read_text("utf-8"))
    assert len(found) == 3
    assert found[0]["hits"]
    assert found[2]["hits"]
    assert part in found[1]["error"]
    assert "hits" not in found[1]
    assert "1 of 3" in ran.err
    assert "Traceback" not in ran.err


def test_an_error_names_the_line_of_the_file(run, house: Path, words, tmp_path: Path) -> None:
    queries = _queries(tmp_path, {"query": "light"}, "", "", "not json")
    found = _lines(run("search", house, "--queries", queries, *words).out)
    assert f"{queries}:4" in found[1]["error"]


def test_only_a_newline_ends_a_line(run, house: Path, words, tmp_path: Path) -> None:
    """JSON may hold U+2028, U+0085 and the like unescaped inside a string."""
    text = "light\u2028off\u0085now"
    queries = _queries(tmp_path, json.dumps({"id": "a", "query": text}, ensure_ascii=False))
    ran = run("search", house, "--queries", queries, *words)
    assert ran.code == 0, ran.out
    assert [line["id"] for line in _lines(ran.out)] == ["a"]


def test_windows_line_ends_and_a_byte_order_mark(run, house: Path, words, tmp_path: Path) -> None:
    path = tmp_path / "queries.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"id": "a", "query": "light"}\r\n\r\n{"id": "b", "query": "music"}')
    ran = run("search", house, "--queries", path, *words)
    assert ran.code == 0, ran.out
    assert [line["id"] for line in _lines(ran.out)] == ["a", "b"]


def test_a_file_that_is_no_text_is_one_clear_line(run, house: Path, words, tmp_path: Path) -> None:
    path = tmp_path / "queries.jsonl"
    path.write_bytes(b"\xff\xfe\x00\x01 not utf-8")
    ran = run("search", house, "--queries", path, *words)
    assert ran.code == 2
    assert len(ran.err.strip().splitlines()) == 1
    assert "queries.jsonl" in ran.err
    assert "internal error" not in ran.err


def test_an_empty_file_of_queries(run, house: Path, words, tmp_path: Path) -> None:
    path = tmp_path / "queries.jsonl"
    path.write_text("")
    out = tmp_path / "hits.jsonl"
    ran = run("search", house, "--queries", path, "--out", out, *words)
    assert ran.code == 0
    assert out.read_text() == ""


def test_a_place_for_answers_that_cannot_be_written_is_named(run, house: Path, words, tmp_path: Path) -> None:
    queries = _queries(tmp_path, {"query": "light"})
    ran = run("search", house, "--queries", queries, "--out", tmp_path / "no" / "where.jsonl", *words)
    assert ran.code == 2
    assert "where.jsonl" in ran.err
    assert len(ran.err.strip().splitlines()) == 1


def test_a27_roles_of_lines_and_of_the_command(run, house: Path, words, tmp_path: Path) -> None:
    queries = _queries(
        tmp_path,
        {"id": "guest", "query": "unlock the door", "role": "guest"},
        {"id": "owner", "query": "unlock the door", "role": "owner"},
        {"id": "operator", "query": "unlock the door"},
    )

    def seen(*options: Any) -> dict[str, bool]:
        found = _lines(run("search", house, "--queries", queries, *options, *words).out)
        return {line["id"]: "home/unlock_door" in {hit["id"] for hit in line["hits"]} for line in found}

    assert seen() == {"guest": False, "owner": True, "operator": True}
    assert seen("--role", "guest")["operator"] is False
    assert seen("--role", "guest")["owner"] is False, "a line cannot see more than the role the command was given"


def test_a_role_that_is_no_text_is_a_bad_line(run, house: Path, words, tmp_path: Path) -> None:
    queries = _queries(
        tmp_path, {"id": "a", "query": "unlock the door", "role": ["owner"]}, {"id": "b", "query": "light"}
    )
    ran = run("search", house, "--queries", queries, *words)
    found = _lines(ran.out)
    assert "role" in found[0]["error"]
    assert found[1]["hits"]


def test_unicode_goes_out_as_it_is(run, tmp_path: Path, words) -> None:
    path = tmp_path / "tools.json"
    path.write_text(json.dumps([{"name": "法令検索", "description": "õppetoetus"}], ensure_ascii=False), "utf-8")
    out = tmp_path / "hits.jsonl"
    run("search", path, "--queries", _queries(tmp_path, {"id": "é", "query": "法令"}), "--out", out, *words)
    text = out.read_text("utf-8")
    assert "法令検索" in text
    assert '"é"' in text


def test_half_a_surrogate_pair_does_not_stop_the_batch(run, house: Path, words, tmp_path: Path) -> None:
    queries = _queries(tmp_path, '{"id": "\\ud83d", "query": "light \\ud83d"}', {"id": "b", "query": "music"})
    out = tmp_path / "hits.jsonl"
    ran = run("search", house, "--queries", queries, "--out", out, *words)
    assert ran.code in (0, 1), ran.err
    assert "internal error" not in ran.err
    assert _lines(out.read_text("utf-8"))[-1]["hits"][0]["id"] == "radio/play_music"
