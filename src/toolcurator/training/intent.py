"""DSPy's optimizers, run on labelled turns: a prompt for the intent model with examples that it answers well."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import io
import json
import logging
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from toolcurator.encoders import Progress
from toolcurator.enrichment.model import Ask, EnrichmentError, Model, Reply, Unusable
from toolcurator.errors import MissingExtra
from toolcurator.routing.intent import IntentModel, Understood, conversation, intent_stage, offered
from toolcurator.routing.intent_program import IntentProgram, system_message
from toolcurator.routing.slots import Reader
from toolcurator.training.turns import LabelledTurn, held_out, pairs_of

Optimizer = Literal["bootstrap", "labeled", "random"]
AT_ONCE = 8
"""Questions that are asked at a time while measuring."""
EXAMPLES = 4
"""Most examples in the prompt; each takes as many tokens as a question."""
_PROGRAMS = 4  # that the random search tries


@dataclass(frozen=True)
class IntentFigures:
    """How well turns are understood.

    Attributes:
        turns: How many were asked.
        tool: Share of those with a tool for which it was chosen; None without any.
        none: Share of those without one for which none was chosen; None without any.
        right: Both together.
        slots_exact: Share of those with a tool for which it was chosen with exactly its slots.
        slots_f1: Over single slots; those of a wrong tool count as wrong.
        failed: Turns that the model gave no usable answer to.
    """

    turns: int
    tool: float | None
    none: float | None
    right: float
    slots_exact: float | None
    slots_f1: float | None
    failed: int


@dataclass(frozen=True)
class TrainedIntent:
    """What came of training.

    Attributes:
        program: The prompt that was made.
        kept: Whether it is not worse than the packaged one, neither in choosing nor in slots.
        before: The packaged prompt, on the turns that were held out.
        after: The new one, on the same.
        learned_from: Turns that the optimizer saw.
        examples: Examples in the prompt.
        calls: Questions that the model was asked, all together.
        tokens_in: Their tokens, as far as the provider says.
        tokens_out: Tokens of the answers.
        added: Turns for which the search had not found the tool that was meant.
    """

    program: IntentProgram
    kept: bool
    before: IntentFigures
    after: IntentFigures
    learned_from: int
    examples: int
    calls: int
    tokens_in: int
    tokens_out: int
    added: int

    def report(self) -> dict[str, Any]:
        """As JSON, without the prompt."""
        return {name: value for name, value in asdict(self).items() if name != "program"}


class _Counted:
    """A model that counts what it is asked."""

    def __init__(self, model: Model, done: Callable[[], None]) -> None:
        self._model, self._done = model, done
        self.calls = self.answers = self.tokens_in = self.tokens_out = 0
        self.error: EnrichmentError | None = None

    @property
    def name(self) -> str:
        return self._model.name

    async def ask(self, ask: Ask) -> Reply:
        self.calls += 1
        try:
            reply = await self._model.ask(ask)
        except EnrichmentError as error:
            if self.error is None or isinstance(error, Unusable):
                self.error = error
            raise
        finally:
            self._done()
        self.answers += 1
        self.tokens_in += reply.tokens_in or 0
        self.tokens_out += reply.tokens_out or 0
        return reply

    async def close(self) -> None:
        await self._model.close()

    def check(self) -> None:
        """Raise what makes going on pointless: no answer ever came, or none will."""
        if self.error is not None and (isinstance(self.error, Unusable) or not self.answers):
            raise self.error


async def train_intent(
    turns: Sequence[LabelledTurn],
    model: Model,
    *,
    optimizer: Optimizer = "bootstrap",
    share: float = 0.3,
    seed: int = 0,
    examples: int = EXAMPLES,
    language: str = "",
    progress: Progress | None = None,
) -> TrainedIntent:
    """Make a prompt for the intent model, and measure it.

    Args:
        turns: Labelled turns.
        model: Who is asked, in training and later. It is left open.
        optimizer: ``bootstrap`` keeps turns that the model answers rightly as examples (BootstrapFewShot), ``random`` tries
            several such sets (BootstrapFewShotWithRandomSearch), ``labeled`` takes labels as they are (LabeledFewShot).
        share: Of the turns, held out to measure on.
        seed: Of the split and the search.
        examples: Most of them in the prompt.
        language: Of the users, for slots.
        progress: Called with questions asked and questions expected.

    Raises:
        EnrichmentError: The model does not answer.
        MissingExtra: DSPy is not installed.
    """
    os.environ.setdefault("TQDM_DISABLE", "1")  # DSPy draws bars of its own; read when it is imported
    learn, measured = held_out(turns, share, seed)
    expected = 2 * len(measured) + len(learn) * {"bootstrap": 1, "labeled": 0, "random": 2 * _PROGRAMS}[optimizer]
    asked = 0

    def done() -> None:
        nonlocal asked
        asked += 1
        if progress is not None:
            progress(min(asked, expected), expected)

    counted, reader = _Counted(model, done), Reader(language)
    before = await _measured(IntentModel(counted, reader=reader), measured)
    counted.check()
    loop = asyncio.get_running_loop()

    def answer(ask: Ask) -> Understood:
        reply = asyncio.run_coroutine_threadsafe(counted.ask(ask), loop).result()
        return intent_stage().read(reply.text)

    judge = IntentModel(counted, reader=reader)
    state = await asyncio.to_thread(_optimized, learn, answer, judge, optimizer, examples, seed)
    counted.check()
    program = IntentProgram(state, intent_stage().version, model.name)
    after = await _measured(IntentModel(counted, reader=reader, program=program), measured)
    counted.check()
    figures = {"before": asdict(before), "after": asdict(after), "learned_from": len(learn), "optimizer": optimizer}
    worse = after.right < before.right or (after.slots_f1 or 0.0) < (before.slots_f1 or 0.0)
    return TrainedIntent(
        IntentProgram(state, program.signature, model.name, figures),
        not worse,
        before,
        after,
        len(learn),
        len(state["demos"]),
        counted.calls,
        counted.tokens_in,
        counted.tokens_out,
        sum(each.added for each in turns),
    )


async def _measured(intent: IntentModel, turns: Sequence[LabelledTurn]) -> IntentFigures:
    """Ask about each turn as the router does."""
    room = asyncio.Semaphore(AT_ONCE)

    async def asked(turn: LabelledTurn) -> tuple[str | None, Mapping[str, Any], bool]:
        async with room:
            found = await intent(turn.message, turn.candidates, history=turn.history)
        return found.tool, found.slots.values if found.slots else {}, found.by != "model"

    answers = await asyncio.gather(*map(asked, turns))
    right: dict[bool, list[bool]] = {True: [], False: []}
    exact: list[bool] = []
    same = given = wanted = 0
    for turn, (tool, slots, failed) in zip(turns, answers, strict=True):
        chosen = tool == turn.tool and not failed
        right[turn.tool is not None].append(chosen)
        if turn.tool is not None:
            said, meant = pairs_of(slots), pairs_of(turn.slots)
            exact.append(chosen and said == meant)
            same += len(said & meant) if chosen else 0
            given, wanted = given + len(said), wanted + len(meant)
    every = right[True] + right[False]
    return IntentFigures(
        len(turns),
        _mean(right[True]),
        _mean(right[False]),
        _mean(every) or 0.0,
        _mean(exact),
        round(2 * same / (given + wanted), 4) if given + wanted else None,
        sum(failed for *_, failed in answers),
    )


def _mean(values: Sequence[bool]) -> float | None:
    return round(sum(values) / len(values), 4) if values else None


def _optimized(
    turns: Sequence[LabelledTurn],
    answer: Callable[[Ask], Understood],
    judge: IntentModel,
    optimizer: Optimizer,
    examples: int,
    seed: int,
) -> dict[str, Any]:
    """The state of a predictor after DSPy has optimized it."""
    stage = intent_stage()
    signature = stage.signature
    try:
        dspy: Any = importlib.import_module("dspy")
        teleprompt: Any = importlib.import_module("dspy.teleprompt")
    except ImportError as error:
        raise MissingExtra("training of intents", "llm") from error

    class Through(dspy.JSONAdapter):
        """Asks our own client, with the messages that the router sends."""

        def __call__(self, lm: Any, lm_kwargs: Any, signature: Any, demos: Any, inputs: Any) -> list[dict[str, Any]]:
            user = str(self.format_user_message_content(signature, inputs, main_request=True))
            said = answer(Ask(stage.name, stage.name, system_message(signature, demos), user, stage.schema))
            return [{name: getattr(said, name) for name in Understood.model_fields}]

    trainset: list[Any] = []
    by_document: dict[str, LabelledTurn] = {}
    for turn in turns:
        document, candidates = conversation(turn.message, turn.history).fenced, offered(turn.candidates)
        by_document[document] = turn
        label = {
            "reasoning": f"The message asks for what {turn.tool} does." if turn.tool else "No candidate does this.",
            "tool": turn.tool or "none",
            "confidence": 1.0,
            "slots": [{"name": name, "value": value} for name, value in turn.slots.items()],
        }
        made = dspy.Example(document=document, candidates=candidates, **label)
        trainset.append(made.with_inputs("document", "candidates"))

    def good(example: Any, said: Any, trace: Any = None) -> float:
        turn = by_document[example.document]
        read = Understood.model_validate({name: getattr(said, name) for name in Understood.model_fields})
        found = judge.judged(read, turn.message, {each.id: each for each in turn.candidates}, None, judge.reader)
        chosen = found.tool == turn.tool and found.by == "model"
        exact = pairs_of(found.slots.values if found.slots else {}) == pairs_of(turn.slots)
        return float(chosen and exact) if trace is not None else 0.5 * chosen + 0.5 * (chosen and exact)

    few = {"max_bootstrapped_demos": examples, "max_labeled_demos": 0}
    student = dspy.Predict(signature)
    quiet = logging.getLogger("dspy")
    level = quiet.level
    quiet.setLevel(logging.CRITICAL)  # a turn without a usable answer is no example, and no error
    try:
        lm = dspy.BaseLM("toolcurator")  # DSPy wants one; every question goes through the adapter
        with dspy.context(lm=lm, adapter=Through()), contextlib.redirect_stdout(io.StringIO()):
            if optimizer == "labeled":
                best = teleprompt.LabeledFewShot(k=examples).compile(student, trainset=trainset)
            elif optimizer == "bootstrap":
                made = teleprompt.BootstrapFewShot(metric=good, max_errors=len(turns) + 1, **few)
                best = made.compile(student, trainset=trainset)
            else:
                half = max(len(trainset) // 2, 1)
                made = teleprompt.BootstrapFewShotWithRandomSearch(
                    metric=good, num_candidate_programs=_PROGRAMS, num_threads=1, max_errors=10 * len(turns), **few
                )
                best = made.compile(student, trainset=trainset[:half], valset=trainset[half:] or trainset)
    finally:
        quiet.setLevel(level)
    return json.loads(json.dumps(best.dump_state()))
