"""What a newcomer imports, and how little of it is loaded before it is used."""

import json
import re
import subprocess
import sys

import pytest

import toolcurator


def _loaded_by(statement: str) -> set[str]:
    code = f"import json, sys; {statement}; print(json.dumps(sorted({{name.split('.')[0] for name in sys.modules}})))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout))


def test_importing_the_package_loads_nothing_heavy() -> None:
    heavy = {"numpy", "onnxruntime", "tokenizers", "torch", "simsimd", "rich", "typer", "httpx", "huggingface_hub"}
    assert not heavy & _loaded_by("import toolcurator")
    assert not heavy & _loaded_by("from toolcurator import Tool, tool, __version__")


def test_the_command_line_loads_no_model_before_it_needs_one() -> None:
    assert not {"numpy", "onnxruntime", "tokenizers", "torch"} & _loaded_by("import toolcurator.cli")


def test_every_name_of_the_face_is_there() -> None:
    for name in toolcurator.__all__:
        assert getattr(toolcurator, name) is not None, name
    assert {"Catalog", "Curator", "Selection", "Tool", "tool"} <= set(toolcurator.__all__)
    assert re.fullmatch(r"\d+\.\d+\.\d+\S*", toolcurator.__version__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="'curater'"):
        _ = toolcurator.curater


def test_tool_is_the_decorator_even_after_the_module_of_that_name_was_imported() -> None:
    import toolcurator.tool as module

    assert "toolcurator.tool" in sys.modules
    assert callable(toolcurator.tool)
    assert toolcurator.Tool(name="x") == sys.modules["toolcurator.tool"].Tool(name="x")
    assert module is toolcurator.tool  # the attribute, which is the decorator
