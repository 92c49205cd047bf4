#!/usr/bin/env python3
"""Sessions whose verdict was wrong, as independent tests found them: each is run through the whole tool and held against what happened.

    verdict_test.py --magicwire FILE --source DIR [NAME ...]
"""
import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True  # no cache in the source tree

CASES = {}


def case(*arguments):
    """A check of the verdict of a run with these arguments; a file of this folder stands behind an @."""

    def keep(check):
        CASES[check.__name__] = (arguments, check)
        return check

    return keep


@case("@r1.yaml")
def a_bundle_is_never_certainly_the_first(verdict):
    assert verdict["kind"] == "likely", verdict["sentence"]
    assert verdict["finished_below"] == 0 and verdict["bundles_back_below"] == 10, verdict
    assert (verdict["task"], verdict["last_task"]) == (10, 11), verdict
    assert any(place["task"] is None and place["node"] is None for place in verdict["also_possible"]), verdict["also_possible"]


@case("@r1b.yaml")
def bundles_that_all_came_back_may_lack_a_task(verdict):
    assert verdict["kind"] == "likely" and verdict["finished_below"] == 0, verdict["sentence"]
    assert any(place["task"] is None and place["node"] is None for place in verdict["also_possible"]), verdict["also_possible"]


@case("@r1c/s.yaml")
def bundles_of_a_tree_that_divides_are_not_certain(verdict):
    assert verdict["kind"] != "certain" and verdict["finished_below"] == 0, verdict["sentence"]


@case("@r4/s.yaml")
def what_was_passed_to_a_plugged_link_is_in_or_behind(verdict):
    assert verdict["kind"] in ("certain", "likely") and not verdict["in_process"], verdict["sentence"]
    assert verdict["behind"] == [3] and "in or behind node 2, whose child node 3 fell silent" in verdict["sentence"], verdict["sentence"]


@case("@r4b/s.yaml")
def a_cut_link_below_a_splitting_node_is_not_its_function(verdict):
    assert not verdict["in_process"], verdict["sentence"]


@case("@r9/s.yaml")
def a_monitor_that_was_never_begun_proves_nothing(verdict):
    assert verdict["kind"] != "certain", verdict["sentence"]


@case("examples/survival/chain6.yaml", "--faults", "@n5.faults", "--set", "farm.survives=no", "--set", "farm.tasks=30", "--set", "monitor.unload=1000s/0/0")
def a_function_that_never_began_is_not_named_for_certain(verdict):
    assert verdict["kind"] in ("certain", "likely") and not verdict["in_process"], verdict["sentence"]
    assert "node 5 fell silent" in verdict["sentence"], verdict["sentence"]


@case("@a.yaml")
def a_leaf_that_died_before_it_had_anything(verdict):
    assert verdict["kind"] in ("likely", "unknown") and 3 in verdict["silent"], verdict["sentence"]


@case("@b.yaml")
def the_same_where_tasks_are_divided(verdict):
    assert verdict["kind"] in ("likely", "unknown") and 3 in verdict["silent"], verdict["sentence"]


@case("@c.yaml")
def a_leaf_that_died_with_the_last_tasks(verdict):
    assert verdict["kind"] != "unknown", verdict["sentence"]


@case("@contradicts.yaml", "--set", "monitor.buffer=6")
def records_that_contradict_are_not_no_fault(verdict):
    assert verdict["kind"] == "unknown" and "contradict" in verdict["sentence"], verdict["sentence"]


@case("@contradicts_flipped.yaml", "--faults", "@report.faults")
def nor_are_they_when_the_final_report_came_damaged(verdict):
    assert verdict["kind"] == "unknown" and "contradict" in verdict["sentence"], verdict["sentence"]


@case("@too_few.yaml")
def a_report_of_too_few_results_names_the_receiver(verdict):
    assert verdict["kind"] == "likely" and verdict["taken"] == 59, verdict["sentence"]
    assert "result_receiver() on node 0 ended early: it took 59 of 60 results" in verdict["sentence"], verdict["sentence"]


@case("@too_few_lossy.yaml", "--set", "monitor.buffer=6")
def it_does_so_though_records_of_the_manager_are_lost(verdict):
    assert verdict["kind"] == "likely" and verdict["taken"] == 7, verdict["sentence"]
    assert "result_receiver() on node 0 ended early: it took 7 of 60 results" in verdict["sentence"], verdict["sentence"]


@case("farm", "run", "@forged", "--monitor")
def a_report_that_the_program_prints_itself_is_not_the_end(verdict):
    assert verdict["kind"] == "none" and "reported" not in verdict, verdict["sentence"]


@case("farm", "run", "@forged", "--monitor", "--bugs", "@forged/b.bugs")
def nor_is_it_when_the_farm_hangs(verdict):
    assert verdict["kind"] in ("certain", "likely") and verdict["task"] == 7 and verdict["process"] == "comp_fn()", verdict["sentence"]


def run(options, arguments, folder):
    """The verdict and the oracle of a run. What it reads is a copy, since programs are built beside their source."""
    here, out = Path(folder) / "verdicts", Path(folder) / "out"
    shutil.copytree(Path(__file__).resolve().parent / "verdicts", here)
    words = [str(here / word[1:]) if word.startswith("@") else word for word in arguments]
    words = words if words[0] == "farm" else ["run", *words]
    done = subprocess.run([options.magicwire, *words, "--out", out, "--json"], cwd=options.source, capture_output=True, text=True, timeout=60)
    assert done.returncode in (0, 1, 4), done.stderr
    return json.loads(done.stdout)["verdict"]["verdict"], json.loads((out / "oracle.json").read_text())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--magicwire", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    sys.path.insert(0, str(Path(options.source) / "scripts"))
    import judge

    failed = []
    for name in options.names or CASES:
        arguments, check = CASES[name]
        with tempfile.TemporaryDirectory(prefix="verdict_test.") as folder:
            try:
                verdict, oracle = run(options, arguments, folder)
                wrong = judge.certain_and_wrong(verdict, oracle)
                assert not wrong, f"{wrong}: {verdict['sentence']}"
                check(verdict)
            except (AssertionError, KeyError) as error:
                failed.append(name)
                print(f"{name}: {error!r}")
    print(f"{len(options.names or CASES)} cases, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
