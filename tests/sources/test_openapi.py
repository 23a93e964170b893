"""OpenAPI documents: every operation is a tool or stands in the report (pitfalls D2, D3, D8)."""

import copy
import json
import random
import time
from pathlib import Path

import pytest

from toolcurator import Catalog
from toolcurator.errors import CatalogError
from toolcurator.sources.documents import read_value
from toolcurator.sources.openapi import read_openapi
from toolcurator.sources.openapi.document import METHODS

DATA = Path(__file__).parent.parent / "data" / "openapi"


def by_place(reading):
    return {f"{tool.endpoint.method} {tool.metadata['openapi']['path']}": tool for tool in reading.tools}


def document(paths, **more):
    return {
        "openapi": "3.0.3",
        "info": {"title": "T"},
        "servers": [{"url": "https://t.example"}],
        "paths": paths,
        **more,
    }


def one(operation, path="/x", method="post", **more):
    (tool,) = read_openapi(document({path: {method: operation}}, **more)).tools
    return tool


def body(schema, **more):
    return {"requestBody": {"content": {"application/json": {"schema": schema}}, **more}}


def test_d2_version_2_in_json():
    reading = read_openapi(DATA / "clinic_2.json")
    listed, booked, scanned = reading.tools
    assert (reading.title, reading.skipped, reading.faults) == ("Walk-in Clinic", (), ())
    assert [reading.line(i) for i in range(3)] == [19, 28, 39]
    assert (listed.id, listed.description) == ("walk_in_clinic/listVisits", "Visits of a day")
    assert listed.endpoint.model_dump() == {
        "kind": "http", "method": "GET", "url": "https://clinic.example/v2/visits", "auth": "badge"
    }  # fmt: skip
    assert [(slot.name, slot.type, slot.required) for slot in listed.slots] == [
        ("desk", "string", False), ("day", "string", True), ("rooms", "array", False)
    ]  # fmt: skip
    assert listed.metadata["openapi"]["arguments"]["rooms"] == {"in": "query", "collectionFormat": "csv"}
    assert listed.metadata["openapi"]["response"] == "200: The visits."
    assert booked.parameters["required"] == ["patient"], "what only comes back in answers is not asked for"
    assert booked.parameters["properties"]["weight"] == {"type": "number", "exclusiveMinimum": 0}
    assert booked.parameters["properties"]["patient"]["examples"] == ["P-17"]
    assert (booked.endpoint.auth, booked.side_effect, listed.side_effect) == ("login", True, False)
    assert scanned.name == "post_visits_by_visit_scan"
    assert scanned.metadata["openapi"]["content_type"] == "multipart/form-data"
    assert scanned.metadata["openapi"]["arguments"]["scan"] == {"in": "form"}
    assert scanned.parameters["properties"]["scan"] == {"type": "string", "format": "binary"}
    assert scanned.endpoint.auth == ""


def test_a_key_of_the_security_scheme_is_no_argument():
    listed, booked, _ = read_openapi(DATA / "clinic_2.json").tools
    assert "badge" not in listed.parameters["properties"]
    assert "badge" in booked.parameters["properties"], (
        "there the scheme is another one, so it is an argument like any other"
    )


def test_d2_version_3_0_in_yaml():
    reading = read_openapi(DATA / "garden_3.yaml")
    tools = by_place(reading)
    assert reading.skipped == ()
    beds = tools["GET /beds"]
    assert beds.description == "Beds of the garden", "what the path says, where the operation says nothing"
    assert {name: place["in"] for name, place in beds.metadata["openapi"]["arguments"].items()} == {
        "page": "query", "filter": "query", "session": "cookie"
    }  # fmt: skip
    assert beds.parameters["properties"]["filter"]["properties"] == {"soil": {"type": "string"}}
    added = tools["POST /beds"]
    assert added.description == "Lay out a bed. It must not overlap another."
    assert (added.tags, added.metadata["deprecated"], added.endpoint.auth) == (("beds", "Change"), True, "token")
    assert added.metadata["openapi"]["security"] == [{}, {"token": []}]
    assert added.parameters["required"] == ["width", "plants"]
    assert added.parameters["properties"]["soil"]["enum"] == ["clay", "sand", "peat", None]
    assert added.parameters["properties"]["title"] == {"type": ["string", "null"]}, "a property called title stays (D5)"
    photo = tools["PUT /photo"]
    assert photo.metadata["openapi"]["content_type"] == "image/png"
    assert "required" not in photo.parameters
    assert tools["DELETE /beds/{bed}"].endpoint.url == "https://other.example/beds/{bed}"
    assert "secret" not in json.dumps([tool.model_dump(mode="json") for tool in reading.tools])
    assert beds.endpoint.url == "https://garden.example/v1/beds"


def test_a_body_that_cannot_stand_beside_the_parameters_is_one_argument():
    tools = by_place(read_openapi(DATA / "garden_3.yaml"))
    clash = tools["PUT /beds/{bed}"]
    assert set(clash.parameters["properties"]) == {"bed", "body"}
    assert clash.metadata["openapi"]["arguments"]["body"] == {"in": "body", "whole": True}
    choice = tools["POST /search/plants"]
    assert [*choice.parameters["properties"]["body"]] == ["oneOf"]
    assert choice.side_effect is None, "a POST that searches may change nothing"


def test_d2_cyclic_references_are_kept_as_definitions():
    tools = by_place(read_openapi(DATA / "garden_3.yaml"))
    schema = tools["POST /beds"].parameters
    assert [*schema["$defs"]] == ["Plant"]
    assert schema["$defs"]["Plant"]["properties"]["neighbours"]["items"] == {"$ref": "#/$defs/Plant"}
    assert schema["$defs"]["Plant"]["properties"]["best"] == {"anyOf": [{"$ref": "#/$defs/Plant"}, {"type": "null"}]}
    assert tools["POST /beds"].slots[3].type == "array"


def test_d2_d8_duplicate_operation_ids_are_all_kept():
    reading = read_openapi(DATA / "garden_3.yaml")
    ids = [tool.id for tool in reading.tools if tool.name == "beds"]
    assert ids == ["garden_planner/beds", "garden_planner/beds__post_beds", "garden_planner/beds__put_beds_by_bed"]
    names = Catalog(reading.tools).wire_names
    assert len(set(names.values())) == len(reading.tools)


def test_names_that_come_out_the_same_are_all_kept():
    reading = read_openapi(document({"/a-b": {"get": {}}, "/a_b": {"get": {}}, "/a/b": {"get": {}}}))
    assert [tool.id for tool in reading.tools] == ["t/get_a_b", "t/get_a_b__get_a_b", "t/get_a_b__get_a_b_2"]


def test_d2_version_3_1_no_operation_id_no_servers_no_text():
    reading = read_openapi(DATA / "harbour_3_1.yaml")
    tools = by_place(reading)
    assert [tool.name for tool in reading.tools] == ["get_root", "get_berths_by_länge_frei", "freeBerths", "get_tides"]
    assert {tool.server for tool in reading.tools} == {"harbour_3_1"}, "without a title the file gives the name"
    assert tools["GET /"].description == ""
    assert tools["GET /berths"].endpoint.url == "/berths"
    assert tools["GET /"].metadata["server_description"] == "Berths and tides."
    assert tools["GET /berths/{länge}/frei"].parameters["required"] == ["länge"], "the path needs it, declared or not"
    assert tools["GET /tides"].parameters["properties"]["unit"] == {"type": ["string", "null"], "const": "metre"}
    messages = "\n".join(fault.message for fault in reading.faults)
    assert "no server with an address is named, so 4 of 4 tools know only their path" in messages
    assert "no tools under 'webhooks' (1)" in messages


def test_d2_references_to_files_beside_the_document():
    reading = read_openapi(DATA / "harbour_3_1.yaml")
    tools = by_place(reading)
    free = tools["GET /berths"]
    assert [(slot.name, slot.required) for slot in free.slots] == [("day", True), ("ship", False)]
    assert free.parameters["$defs"]["Ship"]["properties"]["towed_by"] == {"$ref": "#/$defs/Ship"}
    assert tools["GET /tides"].parameters["properties"]["harbour"] == {"type": "string", "minLength": 2}
    assert {Path(file).name for file in reading.files} == {"berths.yaml", "shared.yaml"}


def test_references_that_are_not_followed_are_reported():
    reading = read_openapi(DATA / "harbour_3_1.yaml")
    faults = {fault.message: fault for fault in reading.faults}
    network, outside, absent = (
        next(fault for message, fault in faults.items() if words in message)
        for words in ("over the network", "out of the document's folder", "#/components/schemas/Absent")
    )
    assert (network.entry, network.line, outside.line, absent.line) == ("GET /tides", 10, 10, 10)
    assert "s3cret" not in str(network)
    assert "library" not in json.dumps(reading.tools[-1].parameters)


def test_d2_d8_what_is_broken_stands_in_the_report_with_its_line():
    reading = read_openapi(DATA / "broken.yaml")
    assert [tool.name for tool in reading.tools] == ["good", "post_half"]
    assert [(fault.entry, fault.line) for fault in reading.skipped] == [
        ("/not-an-item", 6), ("/circle", 7), ("/nowhere", 9), ("GET /half", 12)
    ]  # fmt: skip
    assert [fault.message for fault in reading.skipped] == [
        "a path must hold an object, not a number",
        "$ref leads around in a circle",
        "$ref '#/paths/~1absent': there is no such part",
        "an operation must be an object, not a string",
    ]
    doubts = [(fault.entry, fault.line) for fault in reading.faults]
    assert doubts == [("GET /good", 5)] * 3 + [("POST /half", 13), ("", 0)]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.yaml", "openapi: 3.1.0\nwebhooks: {a: {}, b: {}}\n", "no operations, only 2 under 'webhooks'"),
        ("a.yaml", "openapi: 3.0.0\npaths: [a]\n", "'paths' must be an object, not a list"),
        ("a.yaml", "swagger: '1.2'\napis: []\n", "OpenAPI 1.2 is not read: expected 2.0, 3.0 or 3.1"),
        ("a.json", '{"openapi": "4.0.0", "paths": {}}', "OpenAPI 4.0.0 is not read"),
        ("a.json", '{"info": {}}', "OpenAPI without a version is not read"),
        ("a.json", '["openapi"]', "an OpenAPI document must be an object, not a list"),
        ("a.json", '{"openapi": "3.0.0", ', "not JSON: expecting property name"),
        ("a.yaml", "openapi: 3.0.0\npaths: &p {/x: *p}\n", "an alias stands inside the node that it names"),
    ],
)
def test_d8_a_document_that_cannot_be_read_is_one_fault(tmp_path, name, text, message):
    (path := tmp_path / name).write_text(text, "utf-8")
    reading = read_openapi(path)
    (fault,) = reading.faults
    assert (reading.tools, fault.path) == ((), str(path))
    assert message in fault.message


def test_d8_a_huge_document_is_refused_before_it_is_read(tmp_path):
    with (path := tmp_path / "huge.yaml").open("wb") as file:
        file.truncate(2 * 2**30)
    start = time.perf_counter()
    (fault,) = read_openapi(path).faults
    assert "more than the limit" in fault.message
    assert time.perf_counter() - start < 1


def test_a_source_of_another_kind():
    with pytest.raises(CatalogError, match="a file, an address or a mapping, not a list"):
        read_openapi([])


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        ({"tags": "CHANGE"}, ["POST /beds"]),
        ({"paths": "/beds/*"}, ["PUT /beds/{bed}", "DELETE /beds/{bed}"]),
        ({"paths": ["/beds", "/photo"], "methods": ["put", "POST"]}, ["POST /beds", "PUT /photo"]),
        ({"tags": ["beds"], "methods": "delete"}, []),
    ],
)
def test_filters(asked, names):
    reading = read_openapi(DATA / "garden_3.yaml", **asked)
    assert [*by_place(reading)] == names
    assert len(reading.tools) + len(reading.skipped) == 6
    assert all(fault.message.startswith("not asked for: the ") for fault in reading.skipped)


def test_a_server_of_ones_own():
    reading = read_openapi(DATA / "clinic_2.json", server="doctor")
    assert {tool.server for tool in reading.tools} == {"doctor"}
    assert reading.tools[0].id == "doctor/listVisits"


def test_d2_schemas_that_would_explode_are_bounded():
    """Thirty levels, each with two references to the next: a billion nodes if they were written out."""
    schemas = {
        f"L{i}": {"type": "object", "properties": {side: {"$ref": f"#/components/schemas/L{i + 1}"} for side in "ab"}}
        for i in range(30)
    } | {"L30": {"type": "string"}}
    knot = {f"K{i}": {"allOf": [{"$ref": f"#/components/schemas/K{(i + j) % 9}"} for j in range(9)]} for i in range(9)}
    start = time.perf_counter()
    tool = one(body({"$ref": "#/components/schemas/L0"}), components={"schemas": schemas | knot})
    tied = one(body({"$ref": "#/components/schemas/K0"}), components={"schemas": schemas | knot})
    assert time.perf_counter() - start < 2
    assert len(tool.parameters["$defs"]) == 29
    assert tied.parameters["properties"]["body"] == {"$ref": "#/$defs/K0"}


def test_d2_a_schema_that_is_too_large_is_left_open_below():
    long = {f"p{i}": {"type": "string", "description": "word " * 40} for i in range(200)}
    deep = {"type": "object", "properties": {"inner": {"type": "object", "description": "Inner.", "properties": long}}}
    wide = {"type": "object", "properties": {f"w{i}": {"$ref": f"#/components/schemas/W{i}"} for i in range(6)}}
    schemas = {f"W{i}": {"type": "object", "properties": long} for i in range(6)}
    reading = read_openapi(
        document(
            {
                "/deep": {"post": body({"type": "object", "properties": {"x": deep, "y": deep, "z": deep}})},
                "/wide": {"post": body(wide)},
            },
            components={"schemas": schemas},
        )
    )
    first, second = reading.tools
    assert first.parameters["properties"]["x"]["properties"]["inner"] == {"type": "object", "description": "Inner."}
    assert second.parameters["$defs"]["W0"]["properties"]["p0"]["type"] == "string", "what comes first stays whole"
    assert second.parameters["$defs"]["W5"] == {"type": "object"}
    assert all(len(json.dumps(tool.parameters)) < 70_000 for tool in reading.tools)
    assert [fault.message for fault in reading.faults] == [
        "the schema of its arguments is too large; what lies deepest is left open (and 1 more operations)"
    ]


def test_nested_too_deeply_is_cut():
    schema = {"type": "string"}
    for _ in range(500):
        schema = {"type": "object", "properties": {"x": schema}}
    tool = one(body(schema))
    assert len(json.dumps(tool.parameters)) < 5_000


def test_arguments_of_one_name_and_of_a_body_called_as_the_body():
    tool = one(
        {
            "parameters": [
                {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}},
                {"name": "id", "in": "query", "schema": {"type": "integer"}},
                {"name": "body", "in": "query", "schema": {"type": "string"}},
            ],
            **body({"type": "array", "items": {"type": "string"}, "description": "All of them"}),
        },
        path="/x/{id}",
    )
    assert tool.metadata["openapi"]["arguments"] == {
        "id": {"in": "path"},
        "query_id": {"in": "query", "name": "id"},
        "body": {"in": "query"},
        "request_body": {"in": "body", "whole": True},
    }


@pytest.mark.parametrize(
    ("more", "method", "required"),
    [({}, "post", ["a"]), ({"required": False}, "post", []), ({"required": True}, "get", ["a"]), ({}, "get", [])],
)
def test_whether_a_body_is_required(more, method, required):
    tool = one(body({"type": "object", "required": ["a"], "properties": {"a": {}, "b": {}}}, **more), method=method)
    assert tool.parameters.get("required", []) == required


def test_a_body_with_free_keys_and_one_that_may_hold_nothing():
    free = one(body({"type": "object", "properties": {"a": {}}, "additionalProperties": {"type": "string"}}))
    assert [*free.parameters["properties"]] == ["body"]
    nothing = one(body({"type": "object", "properties": {}, "additionalProperties": False}))
    assert nothing.parameters["properties"] == {}
    assert "content_type" not in nothing.metadata["openapi"]


def test_d2_all_of_it_is_json_and_survives_saving(tmp_path):
    catalog = Catalog.of([DATA / "clinic_2.json", DATA / "garden_3.yaml"])
    catalog.save(tmp_path / "saved.yaml")
    assert Catalog.load(tmp_path / "saved.yaml").tools == catalog.tools


def test_d3_long_and_foreign_names_get_wire_names():
    reading = read_openapi(document({f"/{'лошадь/' * 20}{i}": {"get": {}} for i in range(30)}))
    names = Catalog(reading.tools).wire_names.values()
    assert len({*names}) == 30
    assert all(name.isascii() and len(name) <= 64 for name in names)
    assert "лошадь" in reading.tools[0].name


ODD = [None, -1.5, True, "", [], {}, "x", ["a"], [[1]], {"enum": {}}, {"properties": [1]}, {"required": [{}]}]
ODD += [{"type": {"a": 1}}, {"type": ["string", None]}, {"nullable": True, "enum": 3}, {"allOf": [{"$ref": "#"}]}]
ODD += [{"$ref": each} for each in (5, "#", "#/paths/0", "http://[bad", "file:///etc/hosts")]


def places(value, path=()):
    yield path
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in members:
        yield from places(each, (*path, key))


@pytest.mark.parametrize("name", ["clinic_2.json", "garden_3.yaml", "harbour_3_1.yaml"])
def test_d8_any_part_may_be_anything(name):
    """Three parts of a good document replaced by nonsense: it still never raises, and no operation goes missing."""
    good, chance = read_value(DATA / name)[0], random.Random(0)
    for _ in range(150):
        damaged = copy.deepcopy(good)
        for _ in range(3):
            *above, last = chance.choice([place for place in places(damaged) if place])
            holder = damaged
            for key in above:
                holder = holder[key]
            holder[last] = copy.deepcopy(chance.choice(ODD))
        reading = read_openapi(damaged)
        json.dumps([tool.model_dump(mode="json") for tool in reading.tools])
        assert all(tool.slots is not None for tool in reading.tools)
        paths = damaged.get("paths")
        if (reading.tools or reading.skipped) and isinstance(paths, dict):
            items = [item for item in paths.values() if isinstance(item, dict) and "$ref" not in item]
            declared = sum(key in METHODS for item in items for key in item)
            assert len(reading.tools) + len(reading.skipped) >= declared
