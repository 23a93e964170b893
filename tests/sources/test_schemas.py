"""Declarations of the providers, in and out."""

import copy
import json

import pytest

from toolcurator.errors import CatalogError
from toolcurator.sources.schemas import (
    detect,
    to_anthropic,
    to_gemini,
    to_mcp,
    to_openai,
    to_openai_responses,
    tool_from_schema,
    tools_from_schema,
)
from toolcurator.tool import Tool

SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "required": ["city"],
    "properties": {
        "city": {"description": "Where", "type": "string"},
        "unit": {"enum": ["C", "F"], "type": "string"},
        "title": {"type": "string", "description": "A property that is really called title"},
        "description": {"type": "string"},
    },
    "type": "object",
    "additionalProperties": False,
}
GEMINI_SCHEMA = {
    "type": "OBJECT",
    "properties": {
        "city": {"type": "STRING", "nullable": True},
        "days": {"type": "ARRAY", "items": {"type": "INTEGER"}, "minItems": "1"},
    },
    "required": ["city"],
}
BODIES = {
    "openai": {
        "function": {"parameters": SCHEMA, "description": "The weather.", "name": "get-weather", "strict": True},
        "type": "function",
    },
    "openai_responses": {
        "type": "function", "parameters": SCHEMA, "name": "get-weather", "strict": False, "description": "The weather."
    },
    "anthropic": {
        "input_schema": SCHEMA, "name": "get-weather", "description": "The weather.",
        "cache_control": {"type": "ephemeral"},
    },
    "gemini": {"parameters": GEMINI_SCHEMA, "name": "get-weather", "description": "The weather."},
    "mcp": {
        "title": "Weather", "name": "get-weather", "inputSchema": SCHEMA, "description": "The weather.",
        "annotations": {"readOnlyHint": True}, "outputSchema": {"type": "object"}, "_meta": {"a": 1},
    },
}  # fmt: skip
OUT = {
    "openai": to_openai,
    "openai_responses": to_openai_responses,
    "anthropic": to_anthropic,
    "gemini": to_gemini,
    "mcp": to_mcp,
}
CYCLE = {
    "type": "object",
    "properties": {"root": {"$ref": "#/$defs/Node"}, "title": {"type": "string"}},
    "$defs": {
        "Node": {
            "type": "object",
            "description": "A node",
            "properties": {"label": {"type": "string"}, "next": {"$ref": "#/$defs/Node"}},
        }
    },
}


@pytest.mark.parametrize("format", BODIES)
def test_d1_what_came_in_goes_out_byte_for_byte(format):
    body = BODIES[format]
    tool = tool_from_schema(body)
    assert detect(body) == format == tool.declaration.format
    assert json.dumps(OUT[format](tool, "get-weather")) == json.dumps(body)


@pytest.mark.parametrize("format", BODIES)
def test_d1_another_wire_name_changes_nothing_but_the_name(format):
    body = BODIES[format]
    sent = OUT[format](tool_from_schema(body), "get_weather_2")
    assert json.dumps(sent) == json.dumps(body).replace('"get-weather"', '"get_weather_2"')


@pytest.mark.parametrize("format", BODIES)
def test_d1_the_tool_shares_nothing_with_the_caller(format):
    body = copy.deepcopy(BODIES[format])
    tool = tool_from_schema(body)
    body.clear()
    OUT[format](tool, "get-weather").clear()
    assert OUT[format](tool, "get-weather") == BODIES[format]


def test_d1_an_edited_tool_sends_what_it_says_now():
    tool = tool_from_schema(BODIES["openai"]).model_copy(update={"description": "New words."})
    sent = to_openai(tool, "get-weather")
    assert sent["function"]["description"] == "New words."
    assert sent["function"]["strict"] is True


def test_d1_a_bare_flat_declaration_goes_out_with_the_type_the_api_wants():
    body = {"name": "f", "description": "Does f.", "parameters": {"type": "object", "properties": {}}}
    tool = tool_from_schema(body)
    assert tool.declaration.body == body
    assert to_openai_responses(tool, "f") == {"type": "function", **body}


def test_d1_gemini_wrapper_holds_several_and_types_become_standard():
    body = {"functionDeclarations": [BODIES["gemini"], {"name": "ping"}]}
    weather, ping = tools_from_schema(body)
    assert weather.parameters["type"] == "object"
    assert weather.parameters["properties"]["city"]["type"] == ["string", "null"]
    assert weather.parameters["properties"]["days"] == {"type": "array", "items": {"type": "integer"}, "minItems": 1}
    assert ping.parameters == {"type": "object", "properties": {}}
    with pytest.raises(CatalogError, match="found 2"):
        tool_from_schema(body)
    parameters_json = {"name": "p", "description": "P.", "parametersJsonSchema": SCHEMA}
    assert to_gemini(tool_from_schema(parameters_json), "p") == parameters_json


@pytest.mark.parametrize("source", BODIES)
@pytest.mark.parametrize("target", BODIES)
def test_d1_every_format_converts_to_every_other(source, target):
    sent = OUT[target](tool_from_schema(BODIES[source]), "w")
    back = tool_from_schema(sent)
    assert back.name == "w"
    assert detect(sent) == target
    assert back.description == "The weather."
    assert "city" in [slot.name for slot in back.slots if slot.required]


def test_mcp_hints_and_fields_of_ours_are_read_and_ours_stay_home():
    body = {**BODIES["mcp"], "roles": ["admin"], "examples": ["will it rain"], "category": "sky"}
    tool = tool_from_schema(body, server="met")
    assert (tool.id, tool.side_effect, tool.roles) == ("met/get-weather", False, ("admin",))
    assert tool.metadata == {"title": "Weather", "category": "sky"}
    assert "roles" not in to_mcp(tool, "get-weather")
    destructive = tool_from_schema({"name": "rm", "inputSchema": {}, "annotations": {"destructiveHint": True}})
    assert destructive.side_effect is True
    assert to_mcp(Tool(name="a", side_effect=False), "a")["annotations"] == {"readOnlyHint": True}


def test_a_schema_no_api_would_take_is_repaired_and_not_sent_again():
    body = {"name": "mail", "inputSchema": {"to": {"type": "string"}, "cc": {"type": "str"}}, "required": ["to"]}
    tool = tool_from_schema(body)
    assert tool.declaration is None
    assert to_mcp(tool, "mail")["inputSchema"] == {
        "type": "object",
        "properties": {"to": {"type": "string"}, "cc": {"type": "string"}},
        "required": ["to"],
    }


def test_d5_properties_called_title_and_description_survive_every_conversion():
    tool = tool_from_schema(BODIES["mcp"])
    for format, convert in OUT.items():
        again = tool_from_schema(convert(tool, "w"))
        assert [slot.name for slot in again.slots] == ["city", "unit", "title", "description"], format
    defs = {"definitions": {"type": "string"}, "$defs": {"type": "integer"}, "$ref": {"type": "string"}}
    odd = Tool(name="odd", parameters={"type": "object", "properties": defs})
    assert list(to_gemini(odd, "odd")["parameters"]["properties"]) == list(defs)


def test_a29_a_cyclic_reference_is_cut_for_gemini_and_kept_elsewhere():
    tool = tool_from_schema({"name": "tree", "description": "T.", "inputSchema": CYCLE})
    assert [slot.name for slot in tool.slots] == ["root", "title"]
    assert to_anthropic(tool, "tree")["input_schema"]["$defs"] == CYCLE["$defs"]
    parameters = to_gemini(tool, "tree")["parameters"]
    assert "$ref" not in json.dumps(parameters)
    assert "$defs" not in parameters
    node = parameters["properties"]["root"]
    assert node["properties"]["label"] == {"type": "STRING"}
    assert node["properties"]["next"]["type"] == "OBJECT"


def test_a29_references_that_multiply_stay_bounded():
    levels = {
        f"L{i}": {"type": "object", "properties": {n: {"$ref": f"#/$defs/L{i + 1}"} for n in "abcdefgh"}}
        for i in range(12)
    }
    levels["L12"] = {"type": "string"}
    schema = {"type": "object", "properties": {"x": {"$ref": "#/$defs/L0"}}, "$defs": levels}
    tool = Tool(name="big", parameters=schema)
    assert len(json.dumps(to_gemini(tool, "big"))) < 2_000_000


def test_a29_a_self_reference_and_a_dangling_one_end():
    parameters = {
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/A"}, "b": {"$ref": "#/nowhere"}},
        "$defs": {"A": {"$ref": "#/$defs/A"}},
    }
    sent = to_gemini(Tool(name="x", parameters=parameters), "x")
    assert list(sent["parameters"]["properties"]) == ["a", "b"]
    assert "$ref" not in json.dumps(sent)


def test_a29_two_hundred_parameters_all_arrive():
    properties = {f"p{i}": {"type": "string", "description": f"Number {i}"} for i in range(200)}
    body = {"name": "wide", "description": "W.", "input_schema": {"type": "object", "properties": properties}}
    tool = tool_from_schema(body)
    assert len(tool.slots) == 200
    assert len(to_gemini(tool, "wide")["parameters"]["properties"]) == 200


def test_gemini_gets_only_what_gemini_knows():
    parameters = {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "maybe": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None, "description": "Perhaps"},
            "either": {"type": ["string", "number"], "description": "Either"},
            "level": {"type": "integer", "enum": [1, 2], "exclusiveMinimum": 0},
            "kind": {"const": "x"},
            "when": {"type": "string", "format": "date-time"},
            "mail": {"type": "string", "format": "email"},
            "list": {"type": "array"},
            "both": {
                "allOf": [{"properties": {"a": {"type": "string"}}, "required": ["a"]}, {"properties": {"b": {}}}]
            },
        },
    }
    sent = to_gemini(Tool(name="g", parameters=parameters), "g")
    properties = sent["parameters"]["properties"]
    assert sent["description"] == "g"
    assert properties["maybe"] == {"type": "INTEGER", "description": "Perhaps", "nullable": True}
    assert properties["either"] == {"description": "Either", "anyOf": [{"type": "STRING"}, {"type": "NUMBER"}]}
    assert properties["level"] == {"type": "INTEGER", "description": "One of: 1, 2."}
    assert properties["kind"] == {"type": "STRING", "enum": ["x"]}
    assert properties["when"]["format"] == "date-time"
    assert "format" not in properties["mail"]
    assert properties["list"] == {"type": "ARRAY", "items": {"type": "STRING"}}
    assert properties["both"]["required"] == ["a"]
    assert list(properties["both"]["properties"]) == ["a", "b"]
    assert "parameters" not in to_gemini(Tool(name="none"), "none")


def test_choices_at_the_top_are_laid_together():
    parameters = {
        "type": "object",
        "properties": {"x": {"type": "string"}},
        "anyOf": [
            {"properties": {"a": {"type": "string"}}, "required": ["a", "c"]},
            {"properties": {"b": {"type": "string"}}, "required": ["c"]},
        ],
    }
    sent = to_openai(Tool(name="t", parameters=parameters), "t")["function"]["parameters"]
    assert set(sent["properties"]) == {"x", "a", "b"}
    assert sent["required"] == ["c"]
    assert "anyOf" not in sent


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"type": "function", "function": {"description": "x"}}, "name is missing"),
        ({"name": 3, "inputSchema": {}}, "name must be a string, not a number"),
        ({"name": " ", "inputSchema": {}}, "name is empty"),
        ({"name": "x", "inputSchema": "city"}, "parameters must be an object, not a string"),
        ({"name": "x", "description": ["y"], "inputSchema": {}}, "description must be a string, not a list"),
        ({"functionDeclarations": {"name": "x"}}, "functionDeclarations must be a list, not an object"),
        ({"hello": "world"}, "not a tool"),
    ],
)
def test_d8_a_bad_declaration_says_what_is_wrong(body, message):
    with pytest.raises(CatalogError, match=message) as caught:
        tool_from_schema(body)
    assert "pydantic" not in str(caught.value)
    assert "\n" not in str(caught.value)
