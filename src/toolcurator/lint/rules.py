"""The rules of ``toolcurator lint``: id, name, severity and one line each. The guide shows a bad and a good example of each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal

from toolcurator.errors import SettingsError

Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
"""From the worst."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule.

    Attributes:
        id: ``TC101``; the first digit is the family.
        name: The same in words.
        severity: The worst it says; single findings may be milder.
        about: What it finds, in one line.
    """

    id: str
    name: str
    severity: Severity
    about: str


RULES: dict[str, Rule] = {
    rule.id: rule
    for rule in (
        Rule("TC101", "no-description", "error", "The tool has no description"),
        Rule("TC102", "tautological-description", "warning", "The description only repeats the name"),
        Rule("TC103", "placeholder-description", "warning", "The description is a placeholder"),
        Rule("TC104", "short-description", "note", "The description says little beyond the name"),
        Rule("TC201", "undocumented-slots", "warning", "Arguments have no description"),
        Rule("TC202", "untyped-slots", "note", "Arguments have neither a type nor allowed values"),
        Rule("TC301", "cut-off", "warning", "The encoder does not read all of the document or of an example"),
        Rule("TC401", "confusable-pair", "warning", "Two tools are hard to tell apart"),
        Rule("TC402", "shared-example", "warning", "One example query is indexed for several tools"),
        Rule("TC403", "synonym-collision", "warning", "Synonyms contradict each other or name no tool"),
        Rule("TC404", "repeated-example", "note", "A tool has the same example twice"),
        Rule("TC501", "stuffed-text", "warning", "A text repeats itself or lists keywords instead of describing"),
        Rule("TC502", "name-as-request", "warning", "The name is worded to match what users say or to be preferred"),
        Rule("TC601", "hidden-characters", "error", "A text holds characters that are not seen"),
        Rule("TC602", "overriding-instruction", "error", "A text tells the model to drop its instructions"),
        Rule("TC603", "secrecy-instruction", "error", "A text tells the model to keep something from the user"),
        Rule("TC604", "priority-claim", "warning", "A text claims the tool goes before all others"),
        Rule("TC605", "fake-markup", "error", "A text imitates the markup of a conversation or of a system prompt"),
        Rule("TC606", "data-grab", "error", "A text asks for files, secrets or the conversation"),
        Rule("TC607", "comment", "warning", "A text holds a comment that is not seen when it is rendered"),
        Rule("TC608", "encoded-text", "error", "A text holds encoded text"),
        Rule("TC609", "lookalike-letters", "warning", "A word mixes letters of scripts that look alike"),
        Rule("TC701", "secret", "error", "A text holds a key, a token or a password"),
        Rule(
            "TC801", "undeclared-effect", "note", "The name says that a call changes something, and nothing declares it"
        ),
        Rule("TC802", "contradicted-effect", "warning", "The declared side effect contradicts the name"),
        Rule(
            "TC901", "renamed-on-wire", "note", "The name is too long or not plain ASCII, so a model sees another one"
        ),
        Rule("TC902", "catalogue-fault", "error", "Something could not be read, or not as it stands"),
    )
}
"""Id → rule."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Which findings are wanted.

    Attributes:
        select: Rules that are checked, as ``TC6`` (a family), ``TC602`` or ``secret``; empty means all.
        ignore: Rules that are not, written alike, or with a pattern of tool ids: ``TC604:context7/*``.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()

    @classmethod
    def of(cls, select: Iterable[str] = (), ignore: Iterable[str] = ()) -> Choice:
        """A choice, checked.

        Raises:
            SettingsError: A rule is unknown.
        """
        chosen = cls(tuple(select), tuple(ignore))
        for each in (*chosen.select, *chosen.ignore):
            rule = each.partition(":")[0]
            if not any(_means(rule, known) for known in RULES.values()):
                raise SettingsError(
                    f"no rule is called {rule!r}; rules are TC101 to TC902, families TC1 to TC9, or names"
                )
        return chosen

    def wants(self, rule: str) -> bool:
        """Whether a rule is checked at all."""
        known = RULES[rule]
        dropped = any(":" not in each and _means(each, known) for each in self.ignore)
        return not dropped and (not self.select or any(_means(each, known) for each in self.select))

    def ignores(self, rule: str, tool: str) -> bool:
        """Whether a finding of a rule about a tool is dropped."""
        known = RULES[rule]
        pairs = [each.partition(":") for each in self.ignore if ":" in each]
        return any(_means(each, known) and fnmatchcase(tool, pattern) for each, _, pattern in pairs)


def _means(word: str, rule: Rule) -> bool:
    return word == rule.name or (word[:2].upper() == "TC" and len(word) > 2 and rule.id.startswith(word.upper()))
