"""Which language a catalogue is written in; above all, English names are never taken for another language."""

import pytest

from toolcurator.lexical import Bm25, Tokenizer, detect_language

SENTENCES = {
    "en": ["Show the attendance of a student", "Pay the fees for this term", "What is my balance?"],
    "et": ["Kas homme sajab?", "Palun öelge, kui palju see maksab", "Kuidas ma saan toetust taotleda"],
    "fi": ["Mikä on tämän päivän sää?", "Näytä minun laskuni", "Miten voin hakea tukea ja milloin se maksetaan"],
    "lt": ["Koks šiandien oras?", "Parodyk mano sąskaitas", "Kaip man gauti išmoką už vaiką"],
    "lv": ["Kāds šodien ir laiks?", "Parādi manu kontu", "Kā es varu saņemt pabalstu"],
    "pl": ["Jaka jest dzisiaj pogoda?", "Pokaż moje faktury", "Jak mogę złożyć wniosek o zasiłek"],
    "hu": ["Milyen idő van ma?", "Mutasd a számláimat", "Hogyan kell támogatást kérni és mennyi az"],
    "tr": ["Bugün hava nasıl?", "Bana faturalarımı göster", "Bu ay için ne kadar ödedim"],
    "de": ["Wie ist das Wetter heute?", "Zeige mir die Rechnungen", "Ich möchte einen Antrag stellen"],
    "fr": ["Quel temps fait-il aujourd'hui ?", "Montre-moi les factures de ce mois", "Je veux faire une demande"],
    "es": ["¿Qué tiempo hace hoy?", "Muestra las facturas de este mes", "Quiero hacer una solicitud para el subsidio"],
    "ru": ["Какая сегодня погода?", "Покажи мои счета"],
    "uk": ["Яка сьогодні погода?", "Покажи мої рахунки, їх кілька"],
    "el": ["Τι καιρό κάνει σήμερα;"],
    "ar": ["ما هو الطقس اليوم؟"],
    "hi": ["मेरी उपस्थिति दिखाओ"],
    "zh": ["查询今天的天气", "支付学费 API"],
    "ja": ["今日の天気を調べる", "学費を払う"],
    "ko": ["오늘 날씨 알려 줘"],
    "th": ["วันนี้อากาศเป็นอย่างไร"],
}


@pytest.mark.parametrize(("language", "texts"), SENTENCES.items())
def test_sentences_tell_their_language(language: str, texts: list[str]):
    assert detect_language(texts) == language


@pytest.mark.parametrize(
    "texts",
    [
        [],
        ["", "  ", "123"],
        ["get_id", "set_x_y", "list_open_prs", "de_dup", "en_us_locale", "v_max", "z_index"],
        ["getUser", "createIssue", "deleteFlow", "listPods", "runSql", "toolSearch"],
        ["pay_fee", "get_balance", "move_to_trash", "on_off_switch", "is_prime", "no_op", "do_it"],
        ["Search Pokémon cards", "Book a café", "Convert €", "Get the résumé of an applicant"],
        ["Translate 你好 to English", "Search the web for news", "Get a user by name"],
    ],
    ids=["nothing", "no words", "snake", "camel", "particles", "loan words", "one foreign word"],
)
def test_a_catalogue_of_names_or_with_a_few_foreign_words_is_english(texts: list[str]):
    assert detect_language(texts) == "en"


def test_a_large_catalogue_is_judged_by_all_of_it():
    texts = SENTENCES["en"] * 1_000 + SENTENCES["et"] * 4_000
    assert detect_language(texts) == "et"
    assert detect_language(texts[::-1]) == "et"


SERVICES = {
    "weather": "Ilmaprognoos. Näitab valitud koha ilma. Milline ilm homme Tartus tuleb? kas parnus sajab",
    "rates": "Valuutakurss. Näitab valuuta tänast kurssi. palju 250 naela eurodes on",
    "benefit": "Õppetoetuse taotlus. Siin saab õppetoetust taotleda. millal toetus makstakse",
    "doctor": "Arsti vastuvõtt. Broneerib aja arsti juurde. Soovin perearsti aega",
}


@pytest.mark.parametrize(
    ("query", "service"),
    [
        ("ilmaprognoosi palun Pärnusse", "weather"),
        ("dollarikursid", "rates"),
        ("oppetoetused", "benefit"),
        ("arstiaeg", "doctor"),
    ],
)
def test_inflected_words_find_their_service_by_ngrams_and_not_without(query: str, service: str):
    tokenizer = Tokenizer(detect_language(list(SERVICES.values())))
    bm25 = Bm25.build({"text": [tokenizer(text) for text in SERVICES.values()]})
    scores = bm25.scores(tokenizer(query, bm25.knows), {"text": 1.0})
    assert list(SERVICES)[int(scores.argmax())] == service
    words = Tokenizer("et", ngrams=False)
    assert not set(words(query)) & set(words(SERVICES[service]))
