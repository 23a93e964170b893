"""``toolcurator review``."""

from pathlib import Path
from typing import Any

import yaml

from toolcurator.enrichment.profiles_file import write_profiles
from toolcurator.sources.profiles import read_profiles
from toolcurator.tool import Profile, Provenance


def test_review_writes_a_file_and_reads_it_back(run: Any, tmp_path: Path) -> None:
    catalog, profiles, file = tmp_path / "desk.yaml", tmp_path / "desk.profiles.jsonl", tmp_path / "desk.review.yaml"
    catalog.write_text(yaml.safe_dump([{"name": name, "description": f"Can {name}."} for name in ("lend", "renew")]))
    by = Provenance(model="m", prompt="expand-1", supported=True, judge="j")
    written = {
        "lend": Profile(function_description="Lends a book.", provenance={"function_description": by}),
        "renew": Profile(tags=("loan", "renew"), provenance={"tags": by}),
    }
    write_profiles(profiles, written)
    command = ("review", str(catalog), "--profiles", str(profiles))
    said = run(*command)
    assert said.code == 0
    assert "2 fields of 2 tools" in said.out
    again = run(*command)
    assert again.code == 2  # what somebody has edited is not written over
    assert "--force" in again.err
    value = yaml.safe_load(file.read_text())
    value["review"][0]["fields"]["function_description"]["verdict"] = "reject"
    file.write_text(yaml.safe_dump(value))
    found = run(*command, "--apply", str(file), "--json").json
    assert (found["rejected"], found["judged_by_both"], found["agreement"]) == (1, 1, 0.0)
    kept = {each.id: each.profile for each in read_profiles(profiles)}
    assert kept["lend"].function_description == ""
    assert kept["renew"] == written["renew"]
    file.write_text("review: [")
    wrong = run(*command, "--apply", str(file))
    assert wrong.code == 2
    assert "desk.review.yaml" in wrong.err
