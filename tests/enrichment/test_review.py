"""What people say of profiles, in a file; and example queries that find another tool."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import yaml

from toolcurator import Curator, Tool
from toolcurator.enrichment.model import EnrichmentError
from toolcurator.enrichment.review import applied, cohens_kappa, exported, plan
from toolcurator.enrichment.rollback import keep_peoples
from toolcurator.enrichment.round_trip import astray, without_queries
from toolcurator.enrichment.source import source_of, stale_fields
from toolcurator.tool import Profile, Provenance


def tool(name: str, description: str = "Lends a book to a reader.", **fields: Any) -> Tool:
    """A tool with a profile; a field is a text, or a text and what is changed in its provenance."""
    bare = Tool(name=name, description=description)
    about = {"model": "m", "prompt": "expand-1", "source_hash": source_of(bare).hash, "supported": True, "judge": "j"}
    texts = {key: value[0] if isinstance(value, tuple) else value for key, value in fields.items()}
    provenance = {
        key: Provenance(**(about | (value[1] if isinstance(value, tuple) else {}))) for key, value in fields.items()
    }
    return bare.model_copy(update={"profile": Profile.model_validate({**texts, "provenance": provenance})})


def edited(tools: list[Tool], change: Callable[[dict[str, dict[str, Any]]], object], **how: Any) -> Any:
    """The review of some tools after somebody has edited the file."""
    value = yaml.safe_load(exported(tools, plan(tools, **how)))
    change({row["id"]: row["fields"] for row in value["review"]})
    return applied(tools, value, path="r.yaml")


TOOLS = [
    tool("lend", function_description="Lends a book.", limitations=("", {"supported": False, "reason": "invented"})),
    tool("renew", when_to_use=("When a loan ends.", {"prompt": "refine-1"}), tags=["loan", "renew", "book"]),
    tool("pay", when_to_use=("At the desk.", {"supported": None, "judge": ""})),
    tool("hours", function_description=("Says when we open.", {"source_hash": "of long ago"})),
    tool("own", function_description=("Mine.", {"model": "human", "judge": "human"})),
    Tool(name="bare", description="Has no profile."),
]


def test_all_that_is_doubtful_is_planned_and_a_sample_of_the_rest() -> None:
    assert {(item.tool, item.field, item.why) for item in plan(TOOLS, sample=0)} == {
        ("lend", "limitations", "dropped"),
        ("renew", "when_to_use", "refined"),
        ("pay", "when_to_use", "unjudged"),
        ("hours", "function_description", "stale"),
    }
    more = {(item.tool, item.field) for item in plan(TOOLS, sample=9) if item.why == "sample"}
    assert more == {("lend", "function_description"), ("renew", "tags")}
    assert plan(TOOLS, sample=1, seed=3) == plan(TOOLS, sample=1, seed=3)


def test_the_file_shows_the_source_the_verdict_and_queries_that_go_astray() -> None:
    tools = [tool("lend", example_queries=["lend me Hamlet", "what is open"])]
    text = exported(tools, plan(tools), {"lend": {"what is open": "hours"}})
    assert text.startswith("#")
    (row,) = yaml.safe_load(text)["review"]
    assert row["source"]["description"] == "Lends a book to a reader."
    about = row["fields"]["example_queries"]
    assert about["text"] == ["lend me Hamlet", "what is open"]
    assert about["judge"] == "j: supported"
    assert about["find another tool first"] == {"what is open": "hours"}
    assert about["verdict"] == ""


def test_approve_reject_and_edit() -> None:
    def change(fields: dict[str, dict[str, Any]]) -> None:
        fields["lend"]["function_description"]["verdict"] = "Approve"
        fields["lend"]["limitations"]["verdict"] = "approve"  # right that it is empty
        fields["renew"]["when_to_use"] |= {"verdict": "reject", "comment": "never at the end"}
        fields["renew"]["tags"]["text"] = ["loan", "extend", "due date"]

    found = edited(TOOLS, change, sample=9)
    assert (found.approved, found.rejected, found.edited) == (2, 1, 1)
    lend, renew = found.profiles["lend"], found.profiles["renew"]
    assert lend.function_description == "Lends a book."
    assert lend.provenance["function_description"].judge == "human"
    assert lend.provenance["function_description"].model == "m"
    assert renew.when_to_use == ""
    assert (renew.provenance["when_to_use"].supported, renew.provenance["when_to_use"].reason) == (
        False,
        "never at the end",
    )
    assert renew.tags == ("loan", "extend", "due date")
    assert (renew.provenance["tags"].model, renew.provenance["tags"].judge) == ("human", "human")
    assert found.profiles["pay"] == TOOLS[2].profile  # left alone
    assert found.judged == ((True, True), (False, False), (True, False), (True, False))
    reviewed = [each.model_copy(update={"profile": found.profiles.get(each.id)}) for each in TOOLS]
    assert {(item.tool, item.why) for item in plan(reviewed, sample=9)} == {("pay", "unjudged"), ("hours", "stale")}
    again = Profile(tags=("x", "y", "z"), when_to_use="again", provenance={"tags": Provenance(model="m")})
    assert keep_peoples(renew, again) is not None
    assert keep_peoples(renew, again).tags == renew.tags  # type: ignore[union-attr]


def test_an_edit_of_a_stale_field_makes_it_fresh() -> None:
    assert stale_fields(TOOLS[3], TOOLS[3].profile or Profile()) == ("function_description",)
    found = edited(
        TOOLS, lambda fields: fields["hours"]["function_description"].update(text="Says when the desk opens.")
    )
    assert not stale_fields(TOOLS[3], found.profiles["hours"])


def test_a_profile_of_which_nothing_is_left_is_not_grounded() -> None:
    one = [tool("lend", function_description="Lends money.")]
    found = edited(one, lambda fields: fields["lend"]["function_description"].update(verdict="reject"))
    assert not found.profiles["lend"].grounded


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"verdict": "maybe"}, "verdict must be approve or reject, not 'maybe'"),
        ({"verdict": "reject", "text": "Other."}, "the text was edited and rejected"),
        ({"text": ["a"]}, "text must be a text"),
    ],
)
def test_every_fault_is_named_and_nothing_is_taken_over(change: dict[str, Any], said: str) -> None:
    with pytest.raises(EnrichmentError, match=f"r.yaml: tool 'lend', function_description: {said}"):
        edited(TOOLS, lambda fields: fields["lend"]["function_description"].update(change), sample=9)
    with pytest.raises(EnrichmentError, match="expected a list under 'review'"):
        applied(TOOLS, {"tools": []})
    with pytest.raises(EnrichmentError, match="entry 1: no tool 'x' with a profile"):
        applied(TOOLS, {"review": [{"id": "x", "fields": {}}]})


def test_kappa() -> None:
    assert cohens_kappa([]) is None
    assert cohens_kappa([(True, True)] * 3) is None  # both always say yes: nothing to tell from chance
    assert cohens_kappa([(True, True), (False, False)]) == 1
    # the textbook example: 20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no
    pairs = [(True, True)] * 20 + [(True, False)] * 5 + [(False, True)] * 10 + [(False, False)] * 15
    assert cohens_kappa(pairs) == pytest.approx(0.4)


def test_queries_that_find_another_tool_go_astray(opened: Callable[..., Curator]) -> None:
    tools = [
        tool("lend_book", example_queries=["I want to borrow a book", "when are you open on Sunday"]),
        tool("opening_hours", "Says when the library is open.", example_queries=["when do you open"]),
        tool("pay_fine", "Pays the fine for a late book.", example_queries=["pay my fine"]),
    ]
    curator = opened(without_queries(tools))
    steps: list[tuple[int, int]] = []
    found = astray(curator, tools, progress=lambda done, total: steps.append((done, total)))
    assert found == {"lend_book": {"when are you open on Sunday": "opening_hours"}}
    assert steps[-1] == (4, 4)
