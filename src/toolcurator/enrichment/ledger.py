"""What a run has cost so far: calls, tokens, money and time, for each stage and model."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Spent:
    """What one stage has cost with one model.

    Attributes:
        stage: The stage.
        model: The model.
        calls: Answers, usable or not.
        tokens_in: Tokens of the questions, as the provider counts.
        tokens_out: Tokens of the answers.
        cost: US dollars of the calls whose price is known.
        unpriced: Calls whose price is not known.
        seconds: Time of all calls, one after the other.
    """

    stage: str
    model: str
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    unpriced: int = 0
    seconds: float = 0.0


class Ledger:
    """Adds up answers as they come."""

    def __init__(self) -> None:
        self._rows: dict[tuple[str, str], Spent] = {}

    def add(
        self,
        stage: str,
        model: str,
        *,
        tokens_in: int | None = None,
        tokens_out: int | None = None,
        cost: float | None = None,
        seconds: float = 0.0,
    ) -> None:
        """Add one call; None is what the provider does not say."""
        row = self._rows.get((stage, model)) or Spent(stage, model)
        self._rows[stage, model] = replace(
            row,
            calls=row.calls + 1,
            tokens_in=row.tokens_in + (tokens_in or 0),
            tokens_out=row.tokens_out + (tokens_out or 0),
            cost=row.cost + (cost or 0.0),
            unpriced=row.unpriced + (cost is None),
            seconds=row.seconds + seconds,
        )

    @property
    def rows(self) -> tuple[Spent, ...]:
        """A row for each stage and model, in the order of the stages."""
        order = {"expand": 0, "judge": 1, "refine": 2}
        return tuple(sorted(self._rows.values(), key=lambda row: (order.get(row.stage, 9), row.model)))

    @property
    def calls(self) -> int:
        """All calls."""
        return sum(row.calls for row in self._rows.values())

    @property
    def cost(self) -> float | None:
        """US dollars of all calls; None if no price is known."""
        rows = self._rows.values()
        return sum(row.cost for row in rows) if any(row.unpriced < row.calls for row in rows) else None
