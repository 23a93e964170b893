"""A crowd of three hundred tools in which the rows of the pitfalls hide their own."""

from collections.abc import Callable

import pytest

from toolcurator import Curator, Tool

VERBS = ("list", "create", "update", "cancel", "export", "approve", "track", "print", "archive", "compare")
NOUNS = (
    ("order", "shop", "an order placed in the web shop"),
    ("parcel", "post", "a parcel that is on its way to a customer"),
    ("contract", "law", "a contract with a supplier"),
    ("shift", "staff", "a working shift of the staff"),
    ("payslip", "staff", "the monthly payslip of an employee"),
    ("sensor", "plant", "a temperature sensor in the factory"),
    ("recipe", "kitchen", "a recipe of the canteen"),
    ("lesson", "school", "a lesson in the training centre"),
    ("patient", "clinic", "the record of a patient"),
    ("flight", "travel", "a business flight"),
    ("survey", "research", "a survey among customers"),
    ("playlist", "radio", "a playlist of the house radio"),
    ("vehicle", "fleet", "a vehicle of the fleet"),
    ("license", "it", "a software license"),
    ("backup", "it", "a backup of the database"),
    ("ticket", "it", "a ticket of the help desk, with the account of who opened it"),
    ("budget", "finance", "the budget of a department and its accounts"),
    ("visitor", "house", "a visitor at the front desk"),
    ("banner", "marketing", "an advertising banner"),
    ("subscription", "shop", "a customer's subscription and account"),
    ("translation", "words", "the translation of a document"),
    ("warehouse", "stock", "a warehouse and what is in it"),
    ("invoice", "finance", "an invoice to a customer"),
    ("meeting", "house", "a meeting in the calendar"),
    ("photo", "media", "a photo in the picture library"),
    ("permit", "law", "a permit issued by the city"),
    ("alarm", "plant", "an alarm of the factory"),
)

SPECIAL = (
    Tool(name="get_accounts", server="ledgerly"),  # A18: says nothing but its name
    Tool(name="websearch", server="finder", description="Looks things up on the internet and gives the best results."),
    Tool(name="webpage", server="finder", description="Fetches one address and gives its text."),
    Tool(name="mcp__plugin_x__ask_codex", server="plugin_x", description="Puts a question to a programming assistant."),
    Tool(name="scrape", server="firecrawl", description="Turns a site into Markdown."),
    Tool(name="crawl", server="firecrawl", description="Follows the links of a site."),
    Tool(name="delete_flow", server="automation", description="Removes a flow, with all its runs, for good."),
    Tool(name="run_flow", server="automation", description="Starts a flow now."),
    Tool(name="add", server="maths", description="Sum of two numbers."),
    Tool(name="address_book_list", server="people", description="Everybody in the address book."),
    Tool(name="search", server="codehost", description="Find source code and issues in repositories."),
    Tool(name="search", server="filebox", description="Find documents by their name or their text."),
    Tool(name="pay_fee", server="till", description="Settles what is due."),
    Tool(name="cancel_bookings", server="till", description="Gives back what was reserved."),
    Tool(name="getAccountSummary", server="till", description="Balance and last movements."),
    Tool(name="github.create_issue", server="code", description="Opens a report about a fault."),
    Tool(name="list-open-PRs", server="code", description="Changes that wait for a review."),
    Tool(name="read:sensor/v2", server="lab", description="One value now."),
)


def crowd_tools() -> list[Tool]:
    """The crowd, without the special tools."""
    return [
        Tool(name=f"{verb}_{noun}", server=server, description=f"{verb.capitalize()}s {text}.")
        for noun, server, text in NOUNS
        for verb in VERBS
    ]


@pytest.fixture(scope="session")
def crowd(opened: Callable[..., Curator]) -> Curator:
    """The crowd and the special tools, with the packaged encoder: more than are candidates without being looked for."""
    curator = opened([*crowd_tools(), *SPECIAL])
    assert len(curator) > 256
    return curator


@pytest.fixture(scope="session")
def crowd_words(opened: Callable[..., Curator]) -> Curator:
    """The same by words alone."""
    return opened([*crowd_tools(), *SPECIAL], encoder="none")


@pytest.fixture(params=["meaning and words", "words alone"])
def either(request: pytest.FixtureRequest) -> Curator:
    """The crowd, with the packaged encoder and without any."""
    return request.getfixturevalue("crowd" if request.param == "meaning and words" else "crowd_words")
