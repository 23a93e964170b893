"""Which language a catalogue is written in, as far as tokens need to know: English, spaceless, or with n-grams."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import islice

SPACELESS = frozenset({"zh", "ja", "ko", "th", "lo", "my", "km"})
"""Languages indexed by pairs of characters."""

_WORDS_READ = 20_000
TEXTS_READ = 2_000
_SHARE = 0.03  # of the words that must be function words of another language before a catalogue is not English
_FEWEST = 3

_SCRIPTS = {
    "zh": "\u4e00-\u9fff",
    "ja": "\u3040-\u30ff",
    "ko": "\uac00-\ud7a3",
    "th": "\u0e00-\u0e7f",
    "lo": "\u0e80-\u0eff",
    "my": "\u1000-\u109f",
    "km": "\u1780-\u17ff",
    "ru": "\u0400-\u04ff",
    "el": "\u0370-\u03ff",
    "ar": "\u0600-\u06ff",
    "he": "\u0590-\u05ff",
    "hi": "\u0900-\u097f",
    "bn": "\u0980-\u09ff",
    "ta": "\u0b80-\u0bff",
    "ka": "\u10a0-\u10ff",
    "hy": "\u0530-\u058f",
    "latin": "A-Za-z\u00c0-\u024f",
}
_LETTERS = {language: re.compile(f"[{letters}]") for language, letters in _SCRIPTS.items()}
_WITHIN_SCRIPT = {  # letters that only one of the languages of a script uses
    "ru": {"uk": "іїєґ", "kk": "әғқңөұүһ", "sr": "ђјљњћџ", "be": "ў"},
    "ar": {"fa": "پچژگ"},
}

# Frequent words that carry grammar, not content. Single letters count for English only: identifiers are full of them.
_FUNCTION_WORDS = {
    "en": "the of and to a in is for on with that by an be are this from or as at it your you all can using if i my do "
    "what how me has not get will which when",
    "et": "ja on ei see kas mis või ka kui oma kuidas selle mida palun kes kus saab mulle mul mu minu palju ning et ma",
    "fi": "ja on ei että se mikä mitä miten onko tai kun myös ovat voi minun tämä jos missä sekä olen ole",
    "lv": "un ir kas vai par ar no lai kā man es uz tiek kur šo nav savu tas ko cik",
    "lt": "ir yra ar kad iš su kaip man už mano kas ne tai šį koks kokia prie jau būti dėl mane",
    "pl": "na się nie do jest że co jak to czy dla po mnie mi od przez jakie są moje proszę gdzie",
    "cs": "je se na že do jak pro si za nebo co mi jsou kde mám prosím podle od ze který ve",
    "sk": "je sa na že do ako pre si za alebo čo mi sú kde mám prosím podľa od zo ktorý",
    "sl": "in je se na da za ali ki so kako pri kaj mi po iz moj kje sem",
    "hr": "je se na da za ili koji su kako što mi od sam moj gdje iz li",
    "hu": "az és egy hogy nem is van meg ez mi vagy ki kell milyen mennyi hol mikor nekem van-e",
    "ro": "și de la în cu este pe un care să pentru din mai nu sunt ce cum mi îmi sau",
    "tr": "ve bir bu için ile da de ne mi mı var nasıl olarak kadar bana benim hangi gibi veya olan daha",
    "de": "der die das und ist ein eine für von zu mit den nicht ich auf wie des im dem oder mir mein einen was bitte",
    "nl": "de het een en van voor is te op dat met niet ik naar wat mijn zijn deze ook hoe aan mij of er",
    "sv": "och att en är för som på med det av till den inte ett jag om har vad min kan mig från eller",
    "da": "og at en er for som på med det af til den ikke et jeg om har hvad min kan mig fra eller",
    "no": "og en er for som på med det av til den ikke et jeg om har hva min kan meg fra eller",
    "is": "og að er sem ekki það við en um fyrir til með mér af",
    "fr": "le la les de des et un une du est en pour que dans sur par au avec pas je qui ce mes mon ou quel vous",
    "es": "el la los las de un una en que es por para del con no mi se su al lo como qué más cuál",
    "pt": "os as de um uma em que por para do da com não meu se na no como qual mais ou ao",
    "it": "il lo la le gli di un una in che per del della con non mi si al sono come da nel quale mio",
    "ca": "el la els les de un una en que és per del amb no meu se al com als quin",
    "id": "yang dan di untuk dari dengan ini saya pada adalah ke apa tidak itu atau akan bagaimana tolong ada",
    "vi": "và của là có cho không các được một những tôi với này trong để khi người theo như",
}
_OWN_LETTERS = {
    "et": "õäöü",
    "fi": "äö",
    "lv": "āēīūģķļņšž",
    "lt": "ąčęėįšųūž",
    "pl": "ąćęłńóśźż",
    "cs": "áčďéěíňóřšťúůýž",
    "sk": "áäčďéíľĺňóôŕšťúýž",
    "sl": "čšž",
    "hr": "čćđšž",
    "hu": "áéíóöőúüű",
    "ro": "ăâîșțşţ",
    "tr": "çğıöşü",
    "de": "äöüß",
    "sv": "åäö",
    "da": "æøå",
    "no": "æøå",
    "is": "áðéíóúýþæö",
    "fr": "àâçéèêëîïôùûœ",
    "es": "áéíñóúü",
    "pt": "ãáàâçéêíóôõú",
    "it": "àèéìòù",
    "ca": "àçèéíïòóúü",
    "vi": "ăâđêôơưạảấầẩậắằặẹẻếềểệỉịọỏốồổộớờởợụủứừửựỳỵ",
}
_BY_LETTER: dict[str, list[str]] = {}
for _language, _letters in _OWN_LETTERS.items():
    for _letter in _letters:
        _BY_LETTER.setdefault(_letter, []).append(_language)
_BY_WORD: dict[str, list[str]] = {}
for _language, _words in _FUNCTION_WORDS.items():
    for _word in set(_words.split()):
        _BY_WORD.setdefault(_word, []).append(_language)
_WORD = re.compile(r"[^\W\d_]+")


def uses_ngrams(language: str) -> bool:
    """Whether words are indexed by their character n-grams: in every language but English and those without spaces.

    Measured in eleven languages: 4-grams find the right tool 1 to 27 points more often than whole words, and in all but
    one at least as often as the language's stemmer. In English they gain on some sets and lose on others.
    """
    return language != "en" and language not in SPACELESS


def detect_language(texts: Sequence[str]) -> str:
    """Language of a catalogue that does not declare one.

    A script that outweighs Latin decides by itself; within Latin it is the language whose function words and letters
    are most frequent. Names of functions hold hardly any, so that a catalogue without sentences counts as English.

    Args:
        texts: Descriptions, examples and names; a few thousand words are read.

    Returns:
        ISO 639-1 code; ``en`` if in doubt.
    """
    sample = " ".join(texts[:: 1 + len(texts) // TEXTS_READ])[: _WORDS_READ * 8]
    letters = {language: len(pattern.findall(sample)) for language, pattern in _LETTERS.items()}
    for language in SPACELESS:
        letters[language] *= 3  # their characters say as much as three letters
    if letters["ja"] * 10 > letters["zh"]:
        letters["ja"] += letters["zh"]
    script = max(letters, key=letters.__getitem__)
    if script != "latin":
        return _within_script(script, sample) if letters[script] else "en"
    words = [word.lower() for word in islice(_WORD.findall(sample), _WORDS_READ)]
    counts = Counter(language for word in words for language in _BY_WORD.get(word, ()))
    for word in words:
        if not word.isascii():
            counts.update({language for letter in word for language in _BY_LETTER.get(letter, ())})
    best = max(_FUNCTION_WORDS, key=lambda language: counts[language])  # the first one listed wins a tie: English
    return best if counts[best] >= max(_FEWEST, _SHARE * len(words)) else "en"


def _within_script(script: str, sample: str) -> str:
    lower = sample.lower()
    counts = {language: sum(map(lower.count, own)) for language, own in _WITHIN_SCRIPT.get(script, {}).items()}
    best = max(counts, key=counts.__getitem__, default=script)
    return best if counts.get(best, 0) > len(sample) / 200 else script
