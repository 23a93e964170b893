"""Arguments in the forms found in the wild."""

import pytest

from toolcurator.errors import CatalogError
from toolcurator.sources.parameters import parameters_of, standard
from toolcurator.sources.type_words import type_words
from toolcurator.tool import Tool


def test_a_proper_schema_is_the_very_object_that_was_given():
    schema = {"type": "object", "properties": {"a": {"type": ["string", "null"]}}, "required": ["a"], "$defs": {}}
    assert parameters_of(schema) is schema


@pytest.mark.parametrize("value", [None, {}, {"type": "object"}, []])
def test_nothing_declared_is_an_object_without_properties(value):
    schema = parameters_of(value)
    assert schema["type"] == "object"
    assert not schema.get("properties")


def test_a_map_of_properties_one_of_them_called_type():
    schema = parameters_of(
        {"type": {"type": "str", "description": "Kind"}, "n": {"type": "int, optional"}, "k": "float"}
    )
    assert schema["properties"] == {
        "type": {"type": "string", "description": "Kind"},
        "n": {"type": "integer"},
        "k": {"type": "number"},
    }
    assert schema["required"] == ["type", "k"]


def test_a_map_with_a_list_beside_it_takes_the_list():
    assert parameters_of({"a": {"type": "string"}, "b": {"type": "string"}}, required=[]).get("required") is None
    assert parameters_of({"a": {"type": "string"}, "b": {"type": "string"}}, required=["b"])["required"] == ["b"]


def test_a_list_of_slots():
    schema = parameters_of([
        {"name": "from", "type": "string", "required": True, "enum": ["EUR", "USD"], "description": "Source"},
        {"name": "amount", "in": "query", "schema": {"type": "float", "default": None}, "description": "How much"},
        "note",
    ])  # fmt: skip
    assert schema == {
        "type": "object",
        "properties": {
            "from": {"type": "string", "enum": ["EUR", "USD"], "description": "Source"},
            "amount": {"type": "number", "description": "How much"},
            "note": {},
        },
        "required": ["from"],
    }


def test_a_slot_of_type_object_keeps_its_own_list_of_required():
    inner = {"type": "object", "properties": {"x": {"type": "string"}}, "required": ["x"]}
    assert parameters_of([{"name": "filter", **inner}])["properties"]["filter"] == inner


def test_a_python_signature():
    schema = parameters_of("(city: str, days: List[int] = [], *, unit: Literal['C', 'F'] = 'C')")
    assert schema["required"] == ["city"]
    assert schema["properties"]["days"] == {"type": "array", "items": {"type": "integer"}}
    assert schema["properties"]["unit"] == {"enum": ["C", "F"]}


def test_required_inside_a_property_goes_to_the_parent():
    schema = parameters_of(
        {
            "type": "object",
            "properties": {"a": {"type": "string", "required": True}, "b": {"type": "string", "required": False}},
        }
    )
    assert schema["required"] == ["a"]
    assert schema["properties"] == {"a": {"type": "string"}, "b": {"type": "string"}}


def test_d5_only_schema_positions_are_read():
    schema = {
        "type": "object",
        "properties": {
            "type": {"type": "STRING", "default": {"type": "STRING"}},
            "required": {"type": "BOOLEAN"},
            "nullable": {"type": "string", "nullable": True, "enum": ["a"]},
            "properties": {"type": "object", "properties": {"items": {"type": "INTEGER"}}},
        },
    }
    fixed = standard(schema)
    assert fixed["properties"]["type"] == {"type": "string", "default": {"type": "STRING"}}
    assert fixed["properties"]["required"] == {"type": "boolean"}
    assert fixed["properties"]["nullable"] == {"type": ["string", "null"], "enum": ["a", None]}
    assert fixed["properties"]["properties"]["properties"]["items"] == {"type": "integer"}
    assert schema["properties"]["required"] == {"type": "BOOLEAN"}, "the input was changed"
    assert standard(fixed) is fixed


def test_a_recursive_schema_behind_a_reference_has_slots():
    schema = parameters_of(
        {"$ref": "#/$defs/N", "$defs": {"N": {"type": "object", "properties": {"up": {"$ref": "#/$defs/N"}}}}}
    )
    assert [slot.name for slot in Tool(name="n", parameters=schema).slots] == ["up"]


@pytest.mark.parametrize(
    ("words", "schema", "optional"),
    [
        ("str", {"type": "string"}, False),
        ("str, optional, default='a, b'", {"type": "string", "default": "a, b"}, True),
        ("List[Union[int, float]]", {"type": "array", "items": {"type": ["integer", "number"]}}, False),
        ("Tuple[float, float]", {"type": "array", "items": {"type": "number"}}, False),
        ("Optional[dict]", {"type": ["object", "null"]}, False),
        ("str | None", {"type": ["string", "null"]}, False),
        ("Dict[str, int]", {"type": "object", "additionalProperties": {"type": "integer"}}, False),
        ("Callable[[float], float]", {}, False),
        ("an ISO date", {}, False),
        ("[" * 5000, {}, False),
    ],
)
def test_types_as_people_write_them(words, schema, optional):
    assert type_words(words) == (schema, optional)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("city", "parameters must be an object, not a string"),
        (7, "parameters must be an object, not a number"),
        ({"type": "string"}, "must be a schema of type object, not string"),
        ({"type": "object", "properties": ["a"]}, "parameters.properties must be an object, not a list"),
        ({"a": 3}, "'a' is a number"),
        ([{"type": "string"}], "slot 1 has no name"),
        ([3], "slot 1 must be an object, not a number"),
        ([{"name": "a"}, {"name": "a"}], "slot 'a' is declared twice"),
        ([{"name": "a", "enum": "x"}], "slot 'a': enum must be a list, not a string"),
    ],
)
def test_d8_bad_parameters_say_what_is_wrong(value, message):
    with pytest.raises(CatalogError, match=message):
        parameters_of(value)


def test_bounds_of_draft_4_become_numbers():
    assert standard(
        {"type": "number", "minimum": 0, "exclusiveMinimum": True, "maximum": 9, "exclusiveMaximum": False}
    ) == {
        "type": "number",
        "exclusiveMinimum": 0,
        "maximum": 9,
    }
