"""Everyday words that schemas name in English, as people say them in Estonian, Russian and English (plain stems)."""

from __future__ import annotations

_TABLE = """
bus: buss автобус | train: rong elron поезд электричк railway | tram: tramm трамвай | ferry: praam laev паром boat
plane: lennuk самолет flight | flight: lend lennuk рейс plane
car: auto masin автомобил машин vehicle | taxi: takso такси
bike: ratas jalgratas велосипед bicycle | bicycle: ratas jalgratas велосипед | walking: jala jalgsi пешком foot
mother: ema emapuhkus naine мать мама mom | father: isa mees отец папа dad
child: laps ребенок kid | adult: taiskasvanu взрослый
male: mees meessoost мужчина man | female: naine naissoost женщина woman
tea: tee чай | coffee: kohv кофе | water: vesi вода | milk: piim молоко | sugar: suhkur suhkrut suhkruga сахар
small: vaike vaikene маленький | medium: keskmine средний | large: suur большой big
hot: kuum горячий | cold: kulm холодный
cheap: odav дешевый | expensive: kallis дорогой | red: punane красный | green: roheline зеленый | blue: sinine синий
black: must черный | white: valge белый | yellow: kollane желтый
open: avatud lahti открыт | closed: suletud kinni закрыт | new: uus новый | old: vana старый | used: kasutatud
lost: kaotasin kadunud kaotsi kadus потерял утерян | stolen: varastati varastatud украли украден
expired: aegunud aegub kehtivuse истек просрочен | broken: katki сломан
damaged: katki vigastatud поврежден viltu kaldu
tax: maks automaks налог | inspection: ulevaatus осмотр техосмотр
population: rahvaarv elanik население живет живут people
births: sund sundis sunnib рождаемост родилось born
deaths: surm suri surnud смертност умерло died | migration: ranne randas миграци
reserve: reserveeri broneeri забронир резерв book | renew: pikenda продлить extend
cancel: tuhista отмен | book: broneeri забронир
redundancy: koondamine koondati сократили сокращение | rod: ong spinning удочк | net: vork сеть
paper: paber papp бумага | plastic: plast plastik пластик | glass: klaas стекло
packaging: pakend упаковка | bio: bio biojaatmed
mixed: olmejaatmed olmeprugi смешанный | leak: leke lekib протечк течет | flickering: vilgub мигает
cash: sularaha наличны | card: kaart карта | day: paev день | week: nadal неделя | month: kuu месяц | year: aasta год
one: uks uhe один | two: kaks kahe два | three: kolm kolme три | morning: hommik утро
evening: ohtu вечер | night: oo ночь
urgent: kiire kiiresti срочно | high: korge высокий | low: madal низкий | yes: jah да | no: ei нет
breakfast: hommikusook завтрак | lunch: louna обед | dinner: ohtusook ужин | parking: parkimine parkla парковк
celsius: celsiuse kraadi цельси | fahrenheit: fahrenheiti | english: inglise английск
estonian: eesti эстонск | russian: vene русск
visa: viisa виз | free: ilma vaba tasuta без without | id: ид
6_months: pooleks_aastaks pool_aastat half_year полгода
round_trip: edasi-tagasi | adult: taiskasvanud | student: opilane tudeng студент
senior: pensionar пенсионер | wifi: wifi internet
"""


def _read() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for entry in _TABLE.replace("\n", "|").split("|"):
        name, colon, forms = entry.partition(":")
        if colon:
            found[name.strip()] = (*found.get(name.strip(), ()), *forms.split())
    return found


EVERYDAY = _read()
