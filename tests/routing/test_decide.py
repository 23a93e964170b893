"""Pitfalls C1, C2, C3, C6: what is decided, and about which tool."""

import numpy as np
import pytest

from toolcurator import Tool
from toolcurator.routing.decide import CLASSIC, Candidate, Thresholds, decide
from toolcurator.routing.decider import Decider
from toolcurator.routing.signals import SIGNALS

LIMITS = Thresholds(0.3, 0.6, 0.1)


def candidates(*scores: float) -> list[Candidate]:
    return [Candidate(f"tool{at}", score, score) for at, score in enumerate(scores)]


class FewVectors:
    """An encoder whose vectors are written down, so that cosines are known."""

    id, dimensions, max_tokens, languages = "test:few", 3, 99, ("*",)

    def __init__(self, cosines):
        self.cosines = cosines  # text → cosine with every query

    def encode_documents(self, texts, *, progress=None):
        cosines = np.array([self.cosines.get(text, 0.0) for text in texts])
        return np.stack((cosines, np.sqrt(1 - cosines**2), 0 * cosines), axis=1).astype(np.float32)

    def encode_queries(self, texts, *, progress=None):
        return np.tile(np.array([1, 0, 0], np.float32), (len(texts), 1))

    def count_tokens(self, text):
        return len(text.split())


def curator_of(tools, cosines, tmp_path):
    from toolcurator import Catalog, Curator, Settings
    from toolcurator.index import LocalIndex, build_index
    from toolcurator.lexical import Tokenizer

    encoder, settings = FewVectors(cosines), Settings()
    generation = build_index(
        Catalog(tools, language="en"), tmp_path / "g", encoder=encoder, tokenizer=Tokenizer("en"), settings=settings
    )
    return Curator(LocalIndex(generation, settings), encoder=encoder, settings=settings)


def test_c1_the_gap_is_between_two_different_tools(tmp_path):
    examples = tuple(f"first {word}" for word in "one two three four five six seven eight".split())
    cosines = {text: 0.56 - 0.01 * at for at, text in enumerate(examples)} | {"second one": 0.535}
    tools = [
        Tool(id="a", name="a", description="", examples=examples),
        Tool(id="b", name="b", description="", examples=("second one",)),
    ]
    decision = Decider(curator_of(tools, cosines, tmp_path), "classic").decide("anything at all")
    assert [each.tool for each in decision.candidates] == ["a", "b"]
    assert decision.gap == pytest.approx(0.025, abs=1e-4)
    assert decision.kind == "ambiguous"
    assert "gap" in decision.why


def test_c2_one_tool_has_no_gap_and_it_is_not_asked_for(tmp_path):
    tools = [Tool(id="a", name="a", description="", examples=("the one",))]
    decider = Decider(curator_of(tools, {"the one": 0.41}, tmp_path), "classic")
    decision = decider.decide("anything at all")
    assert decision.gap is None
    assert decision.kind == "match"  # on its own score; a gap of 0.41 had no part in it
    assert decide(candidates(0.39), CLASSIC, fits=0.39, right=0.39).kind == "ambiguous"
    found = decider.curator.ranking("anything at all").found[0]
    seen = decider.outlook(found)
    assert seen is not None
    assert seen.signals[SIGNALS.index("gap")] == 0


def test_c3_the_tool_decided_on_is_the_tool_scored(tmp_path):
    """The dense arm's first is one tool, the first by words and cosine together another."""
    tools = [
        Tool(id="a", name="alpha", description="", examples=("alpha text",)),
        Tool(id="b", name="invoice refund", description="refund an invoice", examples=("refund my invoice please",)),
    ]
    curator = curator_of(tools, {"alpha text": 0.585, "refund my invoice please": 0.58}, tmp_path)
    found = curator.ranking("refund my invoice").found[0]
    assert found.evidence.best.argmax() == 0  # a is first in the dense arm
    for preset, first, cosine in (("packaged", "b", 0.58), ("classic", "a", 0.585)):
        decision = Decider(curator, preset).decide("refund my invoice")
        assert decision.candidates[0].tool == first
        assert decision.candidates[0].cosine == pytest.approx(cosine, abs=1e-4)
        assert decision.tool in (None, first)
    seen = Decider(curator, "packaged").outlook(found)
    assert seen is not None
    scale = curator.cosine_scale  # of an encoder that is not the packaged one
    assert scale is not None
    assert seen.signals[SIGNALS.index("cosine")] == pytest.approx(scale.of_tool(0.58), abs=1e-3)


@pytest.mark.parametrize(
    ("fits", "right", "gap", "kind"),
    [
        (0.3, 0.6, 0.1, "match"),
        (0.2999, 0.6, 0.1, "none"),
        (0.3, 0.5999, 0.1, "ambiguous"),
        (0.3, 0.6, 0.0999, "ambiguous"),
        (0.9, 0.9, 0.9, "match"),
    ],
)
def test_c6_a_score_at_a_limit_passes_it(fits, right, gap, kind):
    assert decide(candidates(1.0, 1.0 - gap), LIMITS, fits=fits, right=right).kind == kind


def test_c6_rounding_does_not_move_the_limits_of_the_seed():
    at_limits = candidates(0.45, 0.40)  # 0.45 - 0.40 is a little less than 0.05
    assert 0.45 - 0.40 < 0.05
    assert decide(at_limits, CLASSIC, fits=0.45, right=0.45).kind == "match"
    assert decide(candidates(0.40, 0.2), CLASSIC, fits=0.40, right=0.40).kind == "match"
    assert decide(candidates(0.38, 0.2), CLASSIC, fits=0.38, right=0.38).kind == "ambiguous"
    assert decide(candidates(0.3799, 0.2), CLASSIC, fits=0.3799, right=0.3799).kind == "none"


def test_no_candidate_is_none_and_three_at_most_are_kept():
    assert decide((), LIMITS, fits=0.9, right=0.9).kind == "none"
    decision = decide(candidates(0.9, 0.8, 0.7, 0.6), LIMITS, fits=0.9, right=0.9)
    assert len(decision.candidates) == 3
    assert decision.tool == "tool0"


def test_a_decision_tells_small_talk_from_a_request(campus):
    decider = Decider(campus, "packaged")
    asked, chat = decider.decide("show my attendance this semester"), decider.decide("write a poem about a lazy heron")
    assert asked.fits > 0.5 > chat.fits
    assert chat.kind == "none"
    assert chat.tool is None
    assert not chat.calibrated


def test_a_role_does_not_see_the_tools_of_others(campus):
    hidden = [tool.id for tool in campus.index.catalog if tool.roles and "student" not in tool.roles]
    assert hidden
    for id in hidden[:3]:
        tool = campus.tool(id)
        seen = Decider(campus, "packaged").decide(tool.description, role="student")
        assert id not in [each.tool for each in seen.candidates]


def test_words_alone_decide_too(campus_words):
    decider = Decider(campus_words, "packaged")
    assert decider.decide("show my attendance").fits > decider.decide("blue seven zebra hammock").fits


def test_a_query_for_two_things_says_what_each_part_is_about(campus):
    decision = Decider(campus, "packaged").decide("show my attendance and also raise a grievance")
    assert len(decision.parts) == 2
    assert decision.parts[0].candidates[0].tool != decision.parts[1].candidates[0].tool
