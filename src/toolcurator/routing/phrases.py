"""The sentences that we say ourselves, in the languages we speak."""

from __future__ import annotations

_SENTENCES: dict[str, tuple[str, str, str]] = {
    # key: English, Estonian, Russian
    "which": ("Which one do you mean?", "Kumba te silmas peate?", "Что вы имеете в виду?"),
    "confirm": ("Shall I do this: {what}?", "Kas teen seda: {what}?", "Выполнить: {what}?"),
    "yes": ("Yes", "Jah", "Да"),
    "no": ("No", "Ei", "Нет"),
    "cancelled": ("All right, I leave it.", "Hästi, jätan selle.", "Хорошо, не буду."),
    "done": ("Done.", "Tehtud.", "Готово."),
    "failed_before": (
        "The service could not be reached; nothing was done. Please try again later.",
        "Teenus ei vastanud; midagi ei tehtud. Palun proovige hiljem uuesti.",
        "Сервис недоступен; ничего не сделано. Попробуйте позже.",
    ),
    "failed_after": (
        "The service did not answer as it should; whether it was done is not known. Please check before you try again.",
        "Teenus ei vastanud nagu peab; pole teada, kas toiming tehti. Palun kontrollige enne uuesti proovimist.",
        "Сервис ответил с ошибкой; неизвестно, выполнено ли действие. Проверьте, прежде чем повторять.",
    ),
    "not_done": ("I have not gone on with: {what}.", "Tegemata jäi: {what}.", "Осталось невыполненным: {what}."),
    "gone": (
        "This is no longer available: {what}.",
        "See pole enam saadaval: {what}.",
        "Это больше недоступно: {what}.",
    ),
    "refused": (
        "This action is not valid any longer; please ask again.",
        "See toiming ei kehti enam; palun küsige uuesti.",
        "Это действие больше не действует; спросите ещё раз.",
    ),
    "decline": (
        "I cannot help with that. I can, for example: {what}.",
        "Sellega ma aidata ei oska. Oskan näiteks: {what}.",
        "С этим я помочь не могу. Могу, например: {what}.",
    ),
    "hello": ("Hello! How can I help?", "Tere! Kuidas saan aidata?", "Здравствуйте! Чем могу помочь?"),
    "thanks": ("You are welcome.", "Palun!", "Пожалуйста!"),
    "bye": ("Goodbye!", "Head aega!", "До свидания!"),
    "able": ("I can, for example: {what}.", "Oskan näiteks: {what}.", "Я могу, например: {what}."),
    "you_said": ("You said: “{what}”", "Te ütlesite: „{what}“", "Вы сказали: «{what}»"),
    "nothing_said": ("You have not said anything yet.", "Te pole veel midagi öelnud.", "Вы ещё ничего не сказали."),
}
_ORDER = ("en", "et", "ru")


def phrase(key: str, language: str, **what: str) -> str:
    """A sentence in a language; in English if we do not speak it."""
    at = _ORDER.index(language) if language in _ORDER else 0
    return _SENTENCES[key][at].format(**what)
