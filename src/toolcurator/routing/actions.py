"""Signed actions: what a button or a yes may call, once, in its own conversation, for a while (pitfall C15)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import os
import secrets
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

from toolcurator.errors import SettingsError, ToolCuratorError
from toolcurator.routing.calls.result import Button

ACTION_KEY = "TOOLCURATOR_ACTION_KEY"
"""The variable that holds the key, at least 32 characters. Several processes of one service share it."""

_LEAST_KEY = 32
_LONGEST = 8192  # characters of a token; a longer one is not even looked at
_FORM = "a1"


class ActionRefused(ToolCuratorError):
    """A token that is not ours, was changed, is for another conversation, has expired, or was used."""


@dataclass(frozen=True)
class Action:
    """What a token allows.

    Attributes:
        tool: Id of the tool. Whether the role may see it is asked again when it is called.
        arguments: With which arguments, and no others.
        expires: Seconds since the epoch.
    """

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])
    expires: float = 0.0


class Actions:
    """Makes and takes tokens: HMAC-SHA256 over tool, arguments, conversation, expiry and a nonce.

    A token can be read by whoever holds it, and changed by nobody. Text that a user types is never one: the caller hands over
    only what comes from a button.

    Args:
        key: The key; None for `ACTION_KEY` of the environment, and without that a new one, which ends with the process.
        lifetime_s: Seconds until a token expires.
        claim: Marks a nonce as used until a time, and says whether it was unused: shared by several processes, it makes tokens
            of single use among all of them. By default each process remembers its own.
        clock: Seconds since the epoch.

    Raises:
        SettingsError: The key is too short.
    """

    def __init__(
        self,
        key: str | bytes | None = None,
        *,
        lifetime_s: float = 600.0,
        claim: Callable[[str, float], bool] | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        given = key if key is not None else os.environ.get(ACTION_KEY) or secrets.token_bytes(_LEAST_KEY)
        self._key = given.encode() if isinstance(given, str) else given
        if len(self._key) < _LEAST_KEY:
            raise SettingsError(f"the key of actions ({ACTION_KEY}) needs at least {_LEAST_KEY} characters")
        self._lifetime = lifetime_s
        self._clock = clock
        self._used: dict[str, float] = {}
        self._lock = threading.Lock()
        self._claim = claim or self._claimed

    def offer(self, tool: str, arguments: Mapping[str, Any], *, conversation: str) -> str:
        """Make a token.

        Args:
            tool: Id of the tool.
            arguments: JSON values.
            conversation: Id of the conversation it is offered in.

        Returns:
            The token: letters, digits, ``-``, ``_`` and ``.``.
        """
        expires = round(self._clock() + self._lifetime, 3)
        body = {"t": tool, "a": dict(arguments), "e": expires, "n": secrets.token_urlsafe(12)}
        payload = _text(json.dumps(body, separators=(",", ":")).encode())
        return f"{_FORM}.{payload}.{_text(self._sign(payload, conversation))}"

    def sign(self, buttons: Iterable[Button], *, conversation: str, known: Callable[[str], bool]) -> tuple[Button, ...]:
        """Give buttons that call a tool their tokens.

        Args:
            buttons: As a service gave them.
            conversation: Id of the conversation.
            known: Whether the user may call the tool of that id; a button for another one only says its text.
        """
        return tuple(
            replace(each, token=self.offer(each.tool, each.arguments, conversation=conversation))
            if each.tool and known(each.tool)
            else replace(each, tool="", arguments={}, token="")
            for each in buttons
        )

    def take(self, token: str, *, conversation: str) -> Action:
        """Take a token, once.

        Args:
            token: From a button or a confirmation.
            conversation: Id of the conversation it comes in.

        Returns:
            What it allows. It is used up, whatever becomes of the call.

        Raises:
            ActionRefused: It is not valid, or not any longer.
        """
        form, _, rest = token.partition(".")
        payload, _, mark = rest.partition(".")
        if len(token) > _LONGEST or form != _FORM or not token.isascii():
            raise ActionRefused("this is no action of ours")
        if not hmac.compare_digest(mark, _text(self._sign(payload, conversation))):
            raise ActionRefused("this action was changed, or belongs to another conversation or an earlier run")
        body = _body(payload)
        if self._clock() >= body["e"]:
            raise ActionRefused("this action has expired; ask again")
        if not self._claim(body["n"], body["e"]):
            raise ActionRefused("this action was used already")
        return Action(body["t"], body["a"], body["e"])

    def _sign(self, payload: str, conversation: str) -> bytes:
        # the length comes first, so that no other pair of payload and conversation makes the same text
        message = f"{_FORM}:{len(payload)}:{payload}{conversation}".encode("utf-8", "surrogatepass")
        return hmac.new(self._key, message, hashlib.sha256).digest()

    def _claimed(self, nonce: str, until: float) -> bool:
        now = self._clock()
        with self._lock:
            self._used = {each: end for each, end in self._used.items() if end > now}
            if nonce in self._used:
                return False
            self._used[nonce] = until
            return True

    def __repr__(self) -> str:
        return f"Actions(lifetime_s={self._lifetime:g})"


def _body(payload: str) -> dict[str, Any]:
    try:
        return cast("dict[str, Any]", json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4))))
    except (ValueError, binascii.Error):  # signed by us, so this is another version of ours
        raise ActionRefused("this action cannot be read") from None


def _text(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()
