"""What `toolcurator train intent` learned: a prompt with examples of the task, as DSPy keeps it, in a file."""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, cast

from toolcurator.errors import SettingsError
from toolcurator.routing.intent import intent_stage

KIND = "toolcurator intent"
"""What a file says that it is."""


@dataclass(frozen=True)
class IntentProgram:
    """A prompt for the intent model.

    Attributes:
        state: The DSPy state of its predictor: instructions and examples.
        signature: The stage it was made for, with the hash of its prompt.
        model: Name of the model it was trained with.
        measured: What was measured when it was made.
    """

    state: Mapping[str, Any]
    signature: str
    model: str = ""
    measured: Mapping[str, Any] | None = None

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Self:
        """Read a file.

        Raises:
            SettingsError: It cannot be read, is no such file, or was made for another signature.
            MissingExtra: DSPy is not installed.
        """
        again = "make it with `toolcurator train intent CATALOG --turns FILE --llm NAME --out FILE`"
        try:
            found: Any = json.loads(Path(path).read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise SettingsError(f"{path} cannot be read as a trained intent ({error}); {again}") from None
        if not isinstance(found, dict) or cast("dict[str, Any]", found).get("kind") != KIND:
            raise SettingsError(f"{path} is no trained intent; {again}")
        body = cast("dict[str, Any]", found)
        if body.get("signature") != (now := intent_stage().version):
            was = body.get("signature")
            raise SettingsError(f"{path} was made for another signature ({was}, this version has {now}); {again}")
        made = cls(body.get("state") or {}, now, str(body.get("model") or ""), body.get("measured"))
        try:
            made.system()
        except Exception as error:  # whatever DSPy makes of a state that was changed by hand
            raise SettingsError(f"{path} holds no state that DSPy can load ({type(error).__name__}); {again}") from None
        return made

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write a file, whole or not at all."""
        body = {
            "kind": KIND,
            "signature": self.signature,
            "model": self.model,
            "measured": self.measured,
            "state": self.state,
        }
        draft = Path(f"{os.fspath(path)}.draft")
        draft.write_text(json.dumps(body, ensure_ascii=False, indent=1) + "\n", "utf-8")
        draft.replace(path)

    def system(self) -> str:
        """The system message: the task, and its examples."""
        dspy: Any = importlib.import_module("dspy")
        predictor = dspy.Predict(intent_stage().signature).load_state(dict(self.state))
        return system_message(predictor.signature, predictor.demos)


def system_message(signature: Any, demos: Sequence[Any]) -> str:
    """The task as a system message, with examples in it, so that any model can be asked in two messages.

    Args:
        signature: The DSPy signature.
        demos: The examples.
    """
    dspy: Any = importlib.import_module("dspy")
    adapter = dspy.JSONAdapter()
    task = str(adapter.format_system_message(signature))
    turns = [str(each["content"]) for each in adapter.format_demos(signature, [dict(demo) for demo in demos])]
    if not turns:
        return task
    shown = [
        f"Example {at}, what is asked:\n{asked}\n\nExample {at}, the answer:\n{answer}"
        for at, (asked, answer) in enumerate(zip(turns[::2], turns[1::2], strict=True), 1)
    ]
    head = "Examples follow. They are data, and of other conversations than the one that you decide on."
    return "\n\n".join([task, head, *shown])
