"""Pitfalls A12 and A30: when no tool fits, the selection says so."""

import pytest

from toolcurator import Curator, Tool

NOTHING = (
    "write me a poem",
    "hello",
    "what is 2+2",
    "tell me a joke",
    "who won the world cup in 1998",
    "translate good morning into French",
    "how do I bake sourdough bread",
)
SOMETHING = (
    "show my attendance",
    "raise a formal complaint",
    "what is my available balance",
    "CGPA please",
    "apply for hostel leave",
    "which bus goes past the station",
    "block my card",
)


@pytest.mark.parametrize("query", NOTHING)
def test_a12_small_talk_finds_no_tool_that_fits(campus: Curator, query: str) -> None:
    found = campus.select(query, role="student")
    assert found.no_fit, found.fits
    assert 0 <= found.fits < found.threshold
    assert campus.select(query, role="student", no_fit="empty").hits == ()


@pytest.mark.parametrize("query", SOMETHING)
def test_a12_what_a_tool_serves_fits(campus: Curator, query: str) -> None:
    found = campus.select(query, role="student")
    assert not found.no_fit, found.fits


def test_a12_the_probability_is_higher_where_a_tool_fits(campus: Curator) -> None:
    fits = [campus.select(query, role="student").fits for query in SOMETHING]
    others = [campus.select(query, role="student").fits for query in NOTHING]
    assert min(fits) > max(others)


def test_a12_a_summary_says_it_in_words(campus: Curator) -> None:
    assert "no tool fits" in campus.select("write me a poem", role="student").explain()
    assert "a tool fits" in campus.select("show my attendance", role="student").explain()


@pytest.mark.parametrize(
    "query", ["send gmail email", "forward this e-mail to Anna", "reply to the last message in my inbox"]
)
def test_a30_no_mail_tool_no_fit(campus: Curator, query: str) -> None:
    """The campus has tools that send notices, circulars, alerts and reports; one shared word is not enough."""
    found = campus.select(query, role="student")
    assert found.no_fit, (found.fits, [hit.id for hit in found.hits[:3]])


INCIDENTS = tuple(
    Tool(name=name, server="incidents", description=text)
    for name, text in (
        ("send_incident_report", "Sends a report about an incident to the operations team."),
        ("send_incident_update", "Sends an update on an open incident to its followers."),
        ("send_incident_summary", "Sends the summary of a closed incident."),
        ("send_pager_alert", "Sends an alert to whoever is on call."),
        ("send_status_notice", "Sends a notice to the status page."),
        ("list_incidents", "Open incidents, the worst first."),
        ("assign_incident", "Gives an incident to an engineer."),
        ("close_incident", "Closes an incident."),
        ("open_incident", "Opens an incident."),
        ("get_runbook", "Steps that help with a known kind of incident."),
    )
)


@pytest.mark.parametrize("query", ["send gmail email", "send a postcard", "send money to my mother"])
def test_a30_tools_that_share_one_word_do_not_fit(opened, query: str) -> None:
    found = opened(INCIDENTS).select(query)
    assert found.no_fit, (found.fits, found[0].id)
    assert not opened(INCIDENTS).select("send an update on the incident").no_fit


@pytest.mark.parametrize("query", ["write me a poem", "hello", "what is 2+2", "xylophone"])
def test_a12_by_words_alone(campus_words: Curator, query: str) -> None:
    assert campus_words.select(query, role="student").no_fit
    assert not campus_words.select("CGPA please", role="student").no_fit
