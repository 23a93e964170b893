"""Settings: keywords, then the environment, then the defaults."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolcurator import Settings
from toolcurator.errors import SettingsError


def test_keywords_go_before_the_environment_and_both_before_the_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOLCURATOR_K", "3")
    monkeypatch.setenv("TOOLCURATOR_SPLIT", "false")
    found = Settings.of(k=7)
    assert (found.k, found.split, found.rrf_k) == (7, False, 60)
    assert found.model_fields_set == {"k", "split"}  # a preset lays its own numbers under these only
    assert Settings().k == 3


def test_lists_and_objects_are_json(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOLCURATOR_PINNED", '["bank.pay", "bank.balance"]')
    monkeypatch.setenv("TOOLCURATOR_FIELD_WEIGHTS", '{"name": 2}')
    monkeypatch.setenv("TOOLCURATOR_INDEX_DIR", "somewhere")
    found = Settings.of()
    assert found.pinned == ("bank.pay", "bank.balance")
    assert found.field_weights == {"name": 2.0}
    assert found.index_dir == Path("somewhere")


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("PINNED", "bank.pay", r'TOOLCURATOR_PINNED must be JSON, such as \["bank.pay"\]'),
        ("K", "many", "k must be a whole number from 1 or 'auto', not 'many'"),
        ("K", "0", "k must be a whole number from 1 or 'auto', not '0'"),
        ("FUSION", "bogus", "fusion must be 'weighted'"),
    ],
)
def test_what_cannot_be_read_is_named(monkeypatch: pytest.MonkeyPatch, name: str, value: str, message: str) -> None:
    monkeypatch.setenv(f"TOOLCURATOR_{name}", value)
    with pytest.raises(SettingsError, match=message):
        Settings.of()


def test_an_empty_variable_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOLCURATOR_K", "")
    assert Settings.of().k == 10


def test_an_unknown_setting_is_refused() -> None:
    with pytest.raises(SettingsError, match="colour is not a field"):
        Settings.of(colour="red")
