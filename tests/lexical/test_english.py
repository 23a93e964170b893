"""Stems: Porter2, on one word or more for each of its rules."""

import pytest

from toolcurator.lexical.english import stem

# word, stem: as snowballstemmer 3.1 gives them
PAIRS = """
fees fee  bookings book  booked book  cancelled cancel  cancelling cancel  categories categori  ties tie  dies die
passes pass  status status  access access  gas gas  news news  skies sky  this this  bias bias
agreed agre  feed feed  succeed succeed  proceeding proceed  hopping hop  hoping hope  adding add  added add
created creat  create creat  enabled enabl  organizing organiz  evening evening  outing outing  dying die  string string
happy happi  say say  by by  cry cri
conditional condit  rational ration  frequency frequenc  usefully use  carelessly careless  analogously analog
digitizer digit  organization organiz  relational relat  calculator calcul  formality formal  hopefulness hope
activities activ  visibility visibl  geologist geolog  quickly quick  really realli
duplicate duplic  electrical electr  goodness good  creative creativ  negative negat
adjustment adjust  replacement replac  dependent depend  adoption adopt  million million  activate activ
rate rate  cease ceas  controller control  roll roll  university universiti  generate generat  general general
communities communiti  past past  paste paste  yyyy yyyi  yes yes  a a  is is
"""
WORDS = PAIRS.split()


@pytest.mark.parametrize(("word", "expected"), list(zip(WORDS[::2], WORDS[1::2], strict=True)))
def test_stem(word: str, expected: str):
    assert stem(word) == expected
