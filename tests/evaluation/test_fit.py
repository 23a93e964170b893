"""Whether any tool fits: figures worked out by hand."""

import numpy as np
import pytest

from toolcurator.evaluation.fit import fit_curves, fit_figures

YES, NO = True, False


def test_figures() -> None:
    answerable = np.array([YES, YES, YES, NO, NO])
    fits = np.array([0.95, 0.85, 0.15, 0.55, 0.05])
    right = np.array([YES, NO, YES, NO, NO])
    figures = fit_figures(answerable, fits, right, 0.5)
    assert (figures.in_scope, figures.out_of_scope) == (3, 2)
    assert figures.auroc == pytest.approx(5 / 6)  # of six pairs only (0.15, 0.55) is the wrong way round
    assert (figures.recall, figures.false_routes) == (0.5, 0.5)
    assert figures.kept == pytest.approx(2 / 3)
    assert figures.accuracy == pytest.approx(2 / 3)
    assert figures.served == pytest.approx(1 / 3)
    # each query is alone in its bin: 0.05 + 0.15 + 0.85 + 0.55 + 0.05 over five
    assert figures.calibration_error == pytest.approx(1.65 / 5)
    # answered in the order 0.95 0.85 0.55 0.15 0.05: wrong so far 0 1 2 2 3
    assert figures.risk_area == pytest.approx((0 + 1 / 2 + 2 / 3 + 2 / 4 + 3 / 5) / 5)


def test_equal_probabilities_are_answered_together() -> None:
    answerable = np.array([YES, NO, YES, NO])
    fits = np.array([0.7, 0.7, 0.7, 0.7])
    one = fit_curves(answerable, fits, answerable)
    other = fit_curves(answerable[::-1], fits, answerable[::-1])
    assert one.risk.tolist() == other.risk.tolist() == [0.5] * 4
    assert one.coverage.tolist() == [1.0] * 4
    assert fit_figures(answerable, fits, answerable, 0.5).auroc == 0.5


def test_a_calibrated_probability_has_no_error() -> None:
    fits = np.repeat([0.25, 0.75], 4)
    answerable = np.array([YES, NO, NO, NO, YES, YES, YES, NO])
    figures = fit_figures(answerable, fits, answerable, 0.5)
    assert figures.calibration_error == pytest.approx(0)
    curves = fit_curves(answerable, fits, answerable)
    assert curves.predicted.tolist() == curves.observed.tolist() == [0.25, 0.75]
    assert curves.counts.tolist() == [4, 4]


def test_the_ends_of_the_range() -> None:
    figures = fit_figures(np.array([YES, NO]), np.array([1.0, 0.0]), np.array([YES, NO]), 0.5)
    assert (figures.auroc, figures.calibration_error, figures.risk_area) == (1.0, 0.0, 0.25)


@pytest.mark.parametrize("answerable", [[YES, YES], [NO, NO]])
def test_both_kinds_are_needed(answerable: list[bool]) -> None:
    with pytest.raises(ValueError, match="both"):
        fit_figures(np.array(answerable), np.array([0.1, 0.2]), np.array(answerable), 0.5)
