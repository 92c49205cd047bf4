#!/usr/bin/env python3
"""magicwire score: a campaign is run and scored, or its database is; a judge that finds a certain and wrong verdict is heard."""
import json
import sys

from cli_cases import FOUND, TASK, UNKNOWN, USAGE, case, equal, main, refuses, succeeds

FARM = "version: 1\nname: f\nmachine: chain:3\nfarm: {nodes: 3, tree: chain, tasks: 5}\napplication: {tasks: t.dat}\nmonitor: {unload: [[1000s, 8, 32]]}\n"


def campaign(box, judge):
    box.write("farm.yaml", FARM)
    box.write("t.dat", TASK)
    box.write("judge.py", judge)
    return box.write("c.yaml", "version: 1\nname: c\nscenario: farm.yaml\naxes:\n  farm.tasks: [1, 2, 3]\ncommands:\n  judge: python3 judge.py {out}\n"
                     "measures:\n  kind: judge.kind\n  outcome: judge.outcome\n")


GOOD = "print('{\"kind\": \"none\", \"outcome\": \"right\"}')\n"
BAD = "import json, sys\nif json.load(open(sys.argv[1] + '/summary.json'))['tasks'] == 2:\n    sys.exit('certain and wrong: task 1 came back')\n" + GOOD


@case
def a_campaign_is_run_and_scored(box):
    out = succeeds(box.run("score", campaign(box, GOOD), "--by", "farm.tasks", "--progress", "never"))
    assert out.startswith("score of c: 3 points\n  right                     3   100.0 %   certain 0, likely 0, no fault 3\n"), out
    again = json.loads(succeeds(box.run("score", "c.db", "--by", "farm.tasks", "--json")))
    equal([(group["name"], group["none_right"]) for group in again["groups"]], [("1", 1), ("2", 1), ("3", 1)], "groups of the database")


@case
def a_verdict_that_is_certain_and_wrong_ends_with_1(box):
    result = box.run("score", campaign(box, BAD), "--by", "farm.tasks", "--progress", "never")
    equal((result.returncode, result.stderr), (FOUND, ""), "exit code and errors")
    assert "  certain and wrong         1    33.3 %\n" in result.stdout, result.stdout
    assert "certain and wrong: task 1 came back\n" in result.stdout and "--set farm.tasks=2" in result.stdout, result.stdout


@case
def a_point_that_nobody_could_judge_ends_with_4(box):
    result = box.run("score", campaign(box, BAD.replace("certain and wrong", "no account")), "--by", "farm.tasks", "--progress", "never")
    equal((result.returncode, result.stderr), (UNKNOWN, ""), "exit code and errors")
    assert "  not judged                1    33.3 %\n" in result.stdout, result.stdout


@case
def a_part_of_a_real_campaign_has_its_curves(box):
    out = succeeds(box.run("score", box.source / "campaigns/bugs.yaml", "--part", "3/233", "-o", "bugs.db", "--plot", "bugs.svg", "--by", "scenario", "--progress", "never"))
    assert "certain and wrong         0     0.0 %" in out and "recall" in out and "time to verdict" in out, out
    assert (box.folder / "bugs.svg").read_text(encoding="utf-8").startswith("<?xml"), "a picture"
    refuses(box, ["score", "bugs.db.3-of-233", "--plot", "bugs.svg"], "bugs.svg: exists already and is not replaced; name another file, or replace it with -f")


@case
def mistakes_are_told(box):
    refuses(box, ["score", "none.yaml"], "none.yaml: there is no such file; name a campaign (a study file whose judge compares verdicts with what happened), or its database")
    campaign(box, GOOD)
    box.write("c.yaml", "version: 1\nname: c\nscenario: farm.yaml\naxes: {farm.tasks: [1]}\nmeasures: {rate: farm.rate.overall_per_s}\n")
    refuses(box, ["score", "c.yaml", "--progress", "never"], "the study c measures no 'kind', so nothing judged its verdicts; a campaign has 'kind: judge.kind' and "
            "'outcome: judge.outcome' among its measures (campaigns/README.md)")
    # A curve with one group is refused before the first run.
    message = "a curve needs two groups, and all points have one value of 'farm.tasks'; choose another one with --by"
    refuses(box, ["score", campaign(box, GOOD), "--by", "farm.tasks", "--part", "1/3", "--plot", "c.svg", "--progress", "never"], message)
    equal([name for name in box.files() if name.startswith("c.db")], [], "databases")
    result = box.run("score", "c.yaml", "--engine", "mpi")
    equal(result.returncode, USAGE, "exit code")
    assert "then score its database" in result.stderr, result.stderr


if __name__ == "__main__":
    sys.exit(main(__doc__))
