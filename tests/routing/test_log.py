"""The decision log and what is taken out of it (pitfall C20)."""

import io
import json
import time
from pathlib import Path

import pytest

from toolcurator.errors import SettingsError
from toolcurator.routing.log import DecisionLog, DecisionRecord, LoggedDecision, redact

CODE, PHONE = "37605030299", "+372 5123 4567"


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (
            "Minu isikukood on 37605030299 ja telefon 5123 4567.",
            "Minu isikukood on [identity code] ja telefon [phone].",
        ),
        ("isikukood 37605030298 on vale", "isikukood [number] on vale"),
        ("37605030299-ga seotud luba", "[identity code]-ga seotud luba"),
        ("3 7 6 0 5 0 3 0 2 9 9", "[identity code]"),
        ("Helista +372 512 3456 või kirjuta mari.maasikas@näide.ee", "Helista [phone] või kirjuta [e-mail]"),
        ("konto EE382200221020145685 ja ee38 2200 2210 2014 5685 palun", "konto [IBAN] ja [IBAN] palun"),
        ("ID-kaart AB1234567 kehtivus", "ID-kaart [number] kehtivus"),
        ("Мой номер 8 (912) 345-67-89, СНИЛС 112-233-445 95", "Мой номер [phone], СНИЛС [identity code]"),
        ("Карта 4111 1111 1111 1111 потеряна, почта имя@почта.рф", "Карта [card] потеряна, почта [e-mail]"),
        ("My phone: +44 20 7946 0958, card 4111-1111-1111-1111", "My phone: [phone], card [card]"),
        (
            "henkilötunnus 131052-308T, personas kods 161175-19997",
            "henkilötunnus [identity code], personas kods [identity code]",
        ),
        ("my account is 1234567890123", "my account is [number]"),
        ("٣٧٦٠٥٠٣٠٢٩٩", "[identity code]"),
        ("49001010093 needs the second row of weights", "[identity code] needs the second row of weights"),
    ],
)
def test_c20_what_identifies_somebody_is_taken_out(said: str, kept: str) -> None:
    assert redact(said) == kept


@pytest.mark.parametrize(
    "said",
    [
        "Palju saan 250 naela eest eurodes?",
        "Arve 2026-12-10 summas 1 250 000 eurot, tähtaeg 10.12.2026 kell 10:30",
        "täna kell 12.30 ja homme 14.45",
        "auto 123ABC, Veski 11, Tõrva 68606",
        "Сколько будет 1000 рублей в евро завтра в 15:00?",
        "tea with 1 sugar and coffee with 3",
        "EUR to THB",
        "",
    ],
)
def test_what_identifies_nobody_stays(said: str) -> None:
    assert redact(said) == said


def test_long_texts_take_no_long_time() -> None:
    start = time.perf_counter()
    for piece in ("a", "1", "1 ", "a@", "a1", "EE12", "(", "1-", "12.", "+"):
        redact(piece * (50_000 // len(piece)))
    assert time.perf_counter() - start < 5


def _record(**more: object) -> DecisionRecord:
    given = {
        "query": f"Minu kood on {CODE}, helista {PHONE}",
        "conversation": "c-1",
        "decision": "match",
        "tool": "id_certificate_validity",
        "outcome": "failed_before",
        "path": ("decide", "call"),
        "scores": {"id_certificate_validity": 0.61, "exchange_rate": 0.2},
        "gap": 0.41,
        "thresholds": {"high": 0.4},
        "slots": {"code": CODE, "amount": 12.5, "phone": PHONE, "extra": {"inner": [CODE]}, "city": "Tartu"},
        "timings_ms": {"decide": 1.4},
        "tokens": {"input": 10},
        "cost_usd": 0.001,
        "error": f"the service answered 422: {CODE} is unknown in Tartu",
    }
    return DecisionRecord.model_validate({**given, **more})


def test_c20_by_default_a_log_holds_no_values(tmp_path: Path) -> None:
    log = DecisionLog(tmp_path / "decisions.jsonl", key="k" * 32)
    log.write(_record())
    log.write(_record(query=f"minu  KOOD on {CODE}, helista {PHONE}"))
    content = (tmp_path / "decisions.jsonl").read_text("utf-8")
    for secret in (CODE, "5123", "4567", "Tartu", "12.5", "Minu", "helista", "c-1"):
        assert secret not in content
    first, second = map(json.loads, content.splitlines())
    assert first["slots"] == {
        "code": "[text]",
        "amount": "[number]",
        "phone": "[text]",
        "extra": "[object]",
        "city": "[text]",
    }
    assert (first["scores"], first["gap"], first["thresholds"]) == (_record().scores, 0.41, {"high": 0.4})
    assert (first["path"], first["timings_ms"], first["cost_usd"]) == (["decide", "call"], {"decide": 1.4}, 0.001)
    assert first["error"] == "the service answered 422: [value] is unknown in [value]"
    assert first["query_hash"] == second["query_hash"], "the same words are the same, however they are spaced"
    assert first["query_chars"] == len(_record().query)
    assert (tmp_path / "decisions.jsonl").stat().st_mode & 0o077 == 0, "nobody else reads it"


def test_c20_the_hash_of_a_text_depends_on_a_key() -> None:
    def hashed(key: str | None) -> str:
        DecisionLog(out := io.StringIO(), key=key).write(_record())
        return json.loads(out.getvalue())["query_hash"]

    assert hashed("a" * 32) == hashed("a" * 32) != hashed("b" * 32)
    assert hashed(None) != hashed(None)


def test_a_redacted_log_keeps_the_sentence() -> None:
    DecisionLog(out := io.StringIO(), log_text="redacted").write(_record())
    body = json.loads(out.getvalue())
    assert body["query"] == "Minu kood on [identity code], helista [phone]"
    assert body["slots"]["extra"] == {"inner": ["[identity code]"]}
    assert (body["slots"]["city"], body["slots"]["amount"]) == ("Tartu", 12.5)
    assert CODE not in out.getvalue()


def test_log_text_keeps_everything_and_is_read_again(tmp_path: Path) -> None:
    log = DecisionLog(path := tmp_path / "decisions.jsonl", log_text=True)
    log.write(_record())
    with path.open("a") as file:
        file.write('{"query": "cut o')
    (found,) = LoggedDecision.read(path)
    assert (found.query, found.slots, found.conversation) == (_record().query, _record().slots, "c-1")


def test_a_log_that_cannot_be_written_stops_no_turn(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "gone").mkdir()
    log = DecisionLog(tmp_path / "gone" / "decisions.jsonl")
    (tmp_path / "gone").rmdir()
    log.write(_record())
    log.write(_record())
    assert len(caplog.records) == 1
    with pytest.raises(SettingsError, match="folder does not exist"):
        DecisionLog(tmp_path / "gone" / "decisions.jsonl")
    DecisionLog(out := io.StringIO(), log_text=True).write(_record(query="half a \ud83d pair"))
    assert json.loads(out.getvalue())["query"] == "half a ? pair"
