"""Estonian places, and countries with their codes, as far as the words of a query need them."""

from __future__ import annotations

import re
from functools import cache

from toolcurator.routing.slots.text import flat

# Nominative, and where the genitive is not the same, a colon and the genitive. Towns, counties, municipalities, and the
# neighborhoods and villages that timetables are asked for.
_PLACES = (
    "Tallinn:Tallinna Tartu Narva Pärnu Kohtla-Järve Viljandi Rakvere Maardu Sillamäe Kuressaare Võru Valga Jõhvi "
    "Haapsalu Keila Paide Saue Elva Põlva Tapa Jõgeva Rapla Kiviõli Türi Põltsamaa Sindi Paldiski Kärdla Kunda Tõrva "
    "Narva-Jõesuu Kehra Loksa Otepää Räpina Tamsalu Kilingi-Nõmme Karksi-Nuia Võhma Antsla Lihula Mustvee Suure-Jaani "
    "Abja-Paluoja Püssi Mõisaküla Kallaste Saku Viimsi Rae Harku Kiili Jõelähtme Kose Kuusalu Raasiku Anija Märjamaa "
    "Kohila Kehtna Audru Tori Häädemeeste Vändra Paikuse Sauga Halliste Mulgi Rõuge Setomaa Kanepi Kambja Luunja Nõo "
    "Peipsiääre Kastre Haljala Vinni Väike-Maarja Kadrina Viru-Nigula Sõmeru Alutaguse Lüganuse Toila Hiiumaa "
    "Saaremaa Muhu Ruhnu Vormsi Kihnu Lääneranna Põhja-Sakala Põhja-Pärnumaa Järva Albu Roosna-Alliku Käsmu Võsu "
    "Virtsu Kuivastu Rohuküla Heltermaa Sviby Rõngu Puhja Ülenurme Tabivere Vara Kääpa Ahja Värska Obinitsa Misso "
    "Haanja Rannu Aegviidu Kohtla Harjumaa Hiiumaa Ida-Virumaa Jõgevamaa Järvamaa Läänemaa Lääne-Virumaa Põlvamaa "
    "Pärnumaa Raplamaa Saaremaa Tartumaa Valgamaa Viljandimaa Võrumaa Mustamäe Lasnamäe Õismäe Haabersti Kristiine "
    "Kadriorg:Kadrioru Pirita Nõmme Kopli Pelgulinn:Pelgulinna Kalamaja Ülemiste Tondi Annelinn:Annelinna Karlova "
    "Tammelinn:Tammelinna Eesti Liiva Laagri Tabasalu Peetri Jüri Haage Helsingi Stockholm:Stockholmi Riia Peterburi "
    "Moskva London:Londoni Berliin:Berliini Pariis:Pariisi Rooma Madrid:Madridi Viin:Viini Praha Varssavi "
    "Brüssel:Brüsseli Tokyo Tokio New_York:New_Yorgi Kopenhaagen:Kopenhaageni Oslo Vilnius:Vilniuse Kiiev:Kiievi "
    "Lissabon:Lissaboni Ateena Dublin:Dublini Amsterdam:Amsterdami München:Müncheni Hamburg:Hamburgi"
).split()
_OTHER_NAMES = (
    "Таллин:Tallinn Таллинн:Tallinn Тарту:Tartu Нарв:Narva Пярну:Pärnu Кохтла-Ярве:Kohtla-Järve Вильянди:Viljandi "
    "Раквере:Rakvere Силламяэ:Sillamäe Курессааре:Kuressaare Выру:Võru Валг:Valga Йыхви:Jõhvi Хаапсалу:Haapsalu "
    "Кейл:Keila Пайде:Paide Маарду:Maardu Эстони:Eesti Estonia:Eesti Рига:Riia Риг:Riia"
).split()
_COUNTRIES = (
    "US:ameerika,ameeriklane,usa,america,american,united_states,сша,американ "
    "UA:ukraina,ukrainlane,ukraine,ukrainian,украин RU:venemaa,venelane,russia,russian,росси "
    "MD:moldova,moldovlane,moldovan,молдав,молдов BY:valgevene,valgevenelane,belarus,belarusian,белорус "
    "GE:gruusia,grusiin,georgia,georgian,грузи,грузин LV:lati,latlane,latvia,latvian,латви,латыш "
    "LT:leedu,leedulane,lithuania,lithuanian,литв,литов FI:soome,soomlane,finland,finn,finnish,финлянд,фин "
    "SE:rootsi,rootslane,sweden,swede,swedish,швеци,швед NO:norra,norralane,norway,norwegian,норвеги,норвеж "
    "DK:taani,taanlane,denmark,danish,дани DE:saksamaa,sakslane,germany,german,германи,немец "
    "FR:prantsusmaa,prantslane,france,french,франци,француз "
    "GB:suurbritannia,inglismaa,inglane,britt,britain,british,england,великобритани,англи,британ "
    "IT:itaalia,itaallane,italy,italian,итали ES:hispaania,hispaanlane,spain,spanish,испани "
    "PL:poola,poolakas,poland,polish,польш,поляк CN:hiina,hiinlane,china,chinese,кита IN:india,indialane,indian,инди "
    "JP:jaapan,jaapanlane,japan,japanese,япони,японец TR:turgi,turklane,turkey,turkish,турци,турок US:usa "
    "KZ:kasahstan,kasahh,kazakhstan,kazakh,казах AM:armeenia,armeenlane,armenia,armenian,армени,армян "
    "AZ:aserbaidzaan,azerbaijan,азербайджан CA:kanada,kanadalane,canada,canadian,канад "
    "AU:austraalia,austraallane,australia,australian,австрали BR:brasiilia,brasiillane,brazil,brazilian,бразили "
    "IL:iisrael,iisraellane,israel,israeli,израил EE:eesti,eestlane,estonia,estonian,эстон"
).split()
CASES = re.compile(r"(?:s|st|sse|l|lt|le|ks|ni|na|ta|ga|t|d)?")
"""Endings that an Estonian genitive takes."""


@cache
def places() -> dict[str, str]:
    """Plain stem (nominative and genitive) → name."""
    found: dict[str, str] = {}
    for each in _PLACES:
        name, _, genitive = each.replace("_", " ").partition(":")
        found.setdefault(flat(name), name)
        found.setdefault(flat(genitive or name), name)
    return found


@cache
def other_names() -> dict[str, str]:
    """Plain stem in another language → Estonian name."""
    return {flat(stem): name for stem, _, name in (each.partition(":") for each in _OTHER_NAMES)}


def place_named(word: str) -> tuple[str, str]:
    """The Estonian place that a plain word names.

    Args:
        word: As in the query, without diacritics.

    Returns:
        Its name, and the ending it has here (``st``, ``sse``, ...); two empty texts if there is none.
    """
    known = places()
    if word in known:
        return known[word], ""
    for cut in range(1, 4):
        stem, ending = word[:-cut], word[-cut:]
        if len(stem) >= 3 and stem in known and CASES.fullmatch(ending):
            return known[stem], ending
    if word.endswith("saarde"):  # Kuressaarde
        return known.get(f"{word[:-3]}re", ""), "sse"
    if len(word) > 4 and word[-2] == word[-3]:  # Haapsallu, Narvva
        single = word[:-3] + word[-2:]
        if single in known:
            return known[single], "sse"
    if word.endswith("maal") and f"{word[:-1]}" in known:
        return known[word[:-1]], "l"
    for stem, name in other_names().items():
        if word.startswith(stem) and len(word) - len(stem) <= 3:
            return name, ""
    return "", ""


@cache
def _countries() -> tuple[tuple[str, str], ...]:
    return tuple(
        (flat(stem.replace("_", " ")), code)
        for each in _COUNTRIES
        for code, _, stems in (each.partition(":"),)
        for stem in stems.split(",")
    )


def country_named(word: str) -> str:
    """ISO 3166 code of the country or nationality that a plain word names in some form, empty if none."""
    best, longest = "", 0
    for stem, code in _countries():
        rest = word[len(stem) :] if word.startswith(stem) else None
        if (
            rest is not None and len(stem) > longest and (len(rest) <= 4 if len(stem) > 3 else CASES.fullmatch(rest))
        ) or (stem.endswith("lane") and word.startswith(stem[:-2]) and len(stem) > longest):
            best, longest = code, len(stem)
    return best
