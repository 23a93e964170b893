"""From an encoder's name to the encoder."""

from pathlib import Path

import pytest

from toolcurator.encoders.load import load_encoder
from toolcurator.errors import EncoderError


@pytest.mark.parametrize(
    "name", ["", "bogus", "openai", "openai:", "/no/such", "a/b/c", "../no_such_model_folder", "hub:x", "x y/z"]
)
def test_an_unknown_name_lists_the_forms(name: str) -> None:
    with pytest.raises(EncoderError, match=r"packaged|openai:MODEL@"):
        load_encoder(name)


def test_a_folder_without_a_model_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(EncoderError, match=r"no model\.onnx"):
        load_encoder(str(tmp_path))


def test_an_endpoint_s_id_has_model_and_address_and_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    encoder = load_encoder("openai:acme/m@v2@https://me:pass@example.test:8443/v1/?key=pass")
    assert encoder is not None
    assert encoder.id.startswith("openai:acme/m@v2@https://example.test:8443/v1")
    assert "pass" not in encoder.id
    assert "secret" not in encoder.id
    default = load_encoder("openai:text-embedding-3-small")
    assert default is not None
    assert default.id.startswith("openai:text-embedding-3-small@https://api.openai.com/v1:")


def test_a13_an_endpoint_s_id_changes_with_every_setting() -> None:
    names = ["openai:m", "openai:n", "openai:m@http://other.test/v1"]
    ids = [load_encoder(name).id for name in names]  # type: ignore[union-attr]
    for options in ({"query_prompt": "q "}, {"document_prompt": "q "}, {"max_tokens": 100}):
        ids.append(load_encoder("openai:m", **options).id)  # type: ignore[arg-type, union-attr]
    assert len(set(ids)) == len(ids)
