"""``toolcurator calibrate``."""

import json

import pytest
import typer
from typer.testing import CliRunner

from toolcurator import Catalog
from toolcurator.cli.calibrate import calibrate


@pytest.fixture(scope="module")
def run(examples, tmp_path_factory):
    folder = tmp_path_factory.mktemp("calibrate")
    catalog = folder / "few.json"
    Catalog(Catalog.of(examples / "et_services").tools[:5], language="et").save(catalog)
    app = typer.Typer()
    app.command()(calibrate)

    def run_(*options):
        return CliRunner().invoke(
            app, [str(catalog), "--language", "et", "--index-dir", str(folder / "index"), *options]
        )

    return run_


def test_it_prints_the_trade_off_keeps_and_forgets(run, tmp_path):
    picture = tmp_path / "curve.svg"
    near = tmp_path / "near.txt"
    near.write_text("What is the best restaurant in Tallinn?\n", encoding="utf-8")
    done = run("--negatives", str(near), "--target", "false-route=0.02", "--plot", str(picture))
    assert done.exit_code == 0, done.output
    assert "near ones" in done.output
    assert "kept beside the index" in done.output
    assert "at most 2%" in done.output
    assert "probability that any tool fits" in picture.read_text("utf-8")
    assert "the packaged calibration is used" in run("--forget").output
    assert "nothing was calibrated here" in run("--forget").output


def test_json_and_dry_run_leave_nothing(run):
    done = run("--dry-run", "--json")
    body = json.loads(done.stdout)
    assert body["learned_from"] == "examples"
    assert body["figures"]["false_route"]["of"] == body["general"]
    assert "nothing was calibrated here" in run("--forget").output


@pytest.mark.parametrize("target", ["false-route=2", "false-route", "recall=0.5", "miss=x"])
def test_a_target_that_is_none_is_refused(run, target):
    done = run("--target", target)
    assert done.exit_code == 2
    assert "false-route=SHARE" in done.output
