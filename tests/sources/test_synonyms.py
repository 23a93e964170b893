"""Domain synonyms in both forms."""

import json

import pytest

from toolcurator.sources.synonyms import Synonyms, read_synonyms, synonyms_of
from toolcurator.tool import Tool

GRIEVANCE = Tool(name="submit_grievance", description="Hand in something that went wrong.")
STATUS = Tool(name="getStatus", description="How Grievances stand.", server="desk")
FEES = Tool(
    name="fees",
    parameters={
        "type": "object",
        "properties": {"box": {"type": "string", "description": "Bus categories", "enum": ["法令検索"]}},
    },
)
TOOLS = (GRIEVANCE, STATUS, FEES)


def added(synonyms, tools=TOOLS):
    return {tool.name: tool.extra_context for tool in synonyms.applied(tools) if tool.extra_context}


def test_both_forms_in_one_file(tmp_path):
    path = tmp_path / "domain_synonyms.json"
    path.write_text(
        json.dumps({"fees": "money  to pay", "desk/getStatus": ["progress"], "synonyms": {"grievance": ["complaint"]}})
    )
    synonyms, faults = read_synonyms(path)
    assert faults == ()
    assert synonyms.by_tool == {"fees": ("money to pay",), "desk/getStatus": ("progress",)}
    assert synonyms.by_word == {"grievance": ("complaint",)}
    assert added(synonyms) == {
        "fees": "money to pay",
        "getStatus": "complaint\nprogress",
        "submit_grievance": "complaint",
    }


@pytest.mark.parametrize(
    ("word", "names"),
    [
        ("GRIEVANCE", ["submit_grievance", "getStatus"]),
        ("grievances", ["submit_grievance", "getStatus"]),
        ("grieve", []),
        ("status", ["getStatus"]),
        ("get", ["getStatus"]),
        ("desk", ["getStatus"]),
        ("category", ["fees"]),
        ("bus", ["fees"]),
        ("boxes", ["fees"]),
        ("went wrong", ["submit_grievance"]),
        ("wrong went", []),
        ("検索", ["fees"]),
    ],
)
def test_a_word_is_matched_as_a_whole_token_with_a_light_plural(word, names):
    assert sorted(added(Synonyms(by_word={word: ("zzz",)}))) == sorted(names)


def test_the_authors_words_stay_first_and_nothing_comes_twice():
    tool = GRIEVANCE.model_copy(update={"extra_context": "mine\ncomplaint"})
    synonyms = Synonyms(by_word={"grievance": ("complaint", "b"), "submit": ("a",)})
    once = synonyms.applied([tool])
    assert once[0].extra_context == "mine\ncomplaint\na\nb"
    assert synonyms.applied(once) == once
    other = Synonyms(by_word={"submit": ("a",), "grievance": ("b", "complaint")})
    assert other.applied([tool]) == once
    assert once[0].description == tool.description


def test_chains_and_cycles_are_not_followed_and_are_reported():
    synonyms = Synonyms(by_word={"grievance": ("complaint",), "complaint": ("grievance", "gripe")})
    assert added(synonyms) == {"submit_grievance": "complaint", "getStatus": "complaint"}
    assert sum("is an entry itself" in fault.message for fault in synonyms.check(TOOLS)) == 2


def test_d8_unknown_tools_and_collisions_are_faults():
    synonyms = Synonyms(
        by_tool={"fees": ("Payments",), "nothing": ("x",)}, by_word={"bus": ("payment",), "wrong": ("y",)}
    )
    faults = synonyms.check(TOOLS, "s.json")
    assert sorted(map(str, faults)) == [
        "s.json: synonym 'payment' is claimed by several: 'bus', 'fees'",
        "s.json: tool 'nothing': synonyms for a tool that is not in the catalogue",
    ]


def test_d8_wrong_types_are_faults_and_the_rest_is_read(tmp_path):
    synonyms, faults = synonyms_of({"a": 3, "b": ["x", 4], "c": "ok", "synonyms": {"w": {}, "v": "fine"}})
    assert synonyms == Synonyms(by_tool={"c": ("ok",)}, by_word={"v": ("fine",)})
    assert len(faults) == 3
    assert "the tool 'a' must be a string or a list of strings, not a number" in faults[1].message
    assert "must be an object" in str(synonyms_of([1])[1][0])
    path = tmp_path / "s.json"
    path.write_text("{")
    empty, (fault,) = read_synonyms(path)
    assert not empty
    assert fault.line == 1
    assert "cannot be read" in read_synonyms(tmp_path / "absent.json")[1][0].message
