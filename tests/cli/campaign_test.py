#!/usr/bin/env python3
"""The studies of campaigns/ and their judges: each file is a whole study, each judge can fail, and the totals say so."""
import json
import os
import pathlib
import subprocess
import sys

from cli_cases import case, equal, main, succeeds


def judge(box, name, *arguments):
    return subprocess.run([sys.executable, box.source / "campaigns" / name, *arguments], cwd=box.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)


def change(path, edit):
    data = json.loads(path.read_text(encoding="utf-8"))
    edit(data)
    path.write_text(json.dumps(data), encoding="utf-8")


@case
def a_verdict_that_is_wrong_fails_its_point(box):
    succeeds(box.run("run", box.source / "campaigns/farms/pfvm_binary.yaml", "--set", "bug=kind: early-end, process: generate, task: 17", "--out", "out", "--exit-zero"))
    good = judge(box, "judge_run.py", "out")
    equal((good.returncode, json.loads(good.stdout)["kind"], json.loads(good.stdout)["could_be"]), (0, "certain", "certain"), "the answer")
    summary = box.folder / "out/summary.json"
    kept = summary.read_text(encoding="utf-8")
    change(summary, lambda data: data["verdict"]["verdict"].update(task=18))
    bad = judge(box, "judge_run.py", "out")
    equal((bad.returncode, bad.stdout), (1, ""), "another task")
    assert bad.stderr.startswith("certain and wrong: "), bad.stderr
    summary.write_text(kept, encoding="utf-8")
    change(summary, lambda data: data["verdict"]["verdict"].update(places=[{**place, "node": 5} for place in data["verdict"]["verdict"]["places"]]))
    equal(judge(box, "judge_run.py", "out").returncode, 1, "another node")
    summary.write_text(kept, encoding="utf-8")
    change(box.folder / "out/oracle.json", lambda data: data["planted"][0].update(text="ends early in compute of task 17"))
    equal(judge(box, "judge_run.py", "out").stderr, "the bug early-end in comp_fn() struck in data_generator()\n", "another function")


@case
def a_bill_that_does_not_sum_fails_its_point(box):
    out = box.folder / "out"
    out.mkdir()
    bill = succeeds(box.run("overhead", box.source / "campaigns/farms/dc8.yaml", "--set", "monitor.unload=1000s/16/96", "--set", "farm.tasks=12", "--json"))
    (out / "bill.json").write_text(bill, encoding="utf-8")
    equal(json.loads(judge(box, "check_bill.py", "out").stdout)["results"], 12, "results")
    free = judge(box, "check_bill.py", "out", "--free")
    assert free.returncode == 1 and "a monitor that costs nothing changes something" in free.stderr, free.stderr
    change(out / "bill.json", lambda data: data["bill"]["cause"][0].update(monitored_ps=data["bill"]["cause"][0]["monitored_ps"] + 1))
    wrong = judge(box, "check_bill.py", "out")
    assert wrong.returncode == 1 and wrong.stderr.startswith("the table by cause sums to ("), wrong.stderr


@case
def a_rate_that_is_off_fails_its_point(box):
    arguments = [box.source / "campaigns/farms/predicted.yaml", "--set", "farm.tasks=1600"]
    os.environ["MAGICWIRE"] = str(pathlib.Path(box.magicwire).resolve())
    near = json.loads(judge(box, "check_prediction.py", *arguments).stdout)
    assert abs(near["error"]) < 1 and near["ran"] > 0, near
    # A program whose predictions are 4 % too high.
    box.write("too_high", f"#!{sys.executable}\nimport json, subprocess, sys\nfound = json.loads(subprocess.run([{os.environ['MAGICWIRE']!r}, *sys.argv[1:]], stdout=subprocess.PIPE).stdout)\n"
              "found['tasks_per_second'] *= 1.04\nprint(json.dumps(found))\n")
    (box.folder / "too_high").chmod(0o755)
    os.environ["MAGICWIRE"] = str(box.folder / "too_high")
    far = judge(box, "check_prediction.py", *arguments)
    assert far.returncode == 1 and far.stderr.startswith("the rate is off by +4"), far.stderr
    assert json.loads(judge(box, "check_prediction.py", "--any", *arguments).stdout)["error"] > 3, "the same, without a limit"


@case
def totals_name_each_point_that_failed(box):
    folder = box.folder / "tree"
    for name in ("campaigns/farms", "scripts", "topologies"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).symlink_to(box.source / name) if name != "scripts" else (folder / name).mkdir()
    (folder / "scripts/campaign").write_text((box.source / "scripts/campaign").read_text(encoding="utf-8"), encoding="utf-8")
    (folder / "campaigns/judge.py").write_text("import json, sys\nrun = json.load(open(sys.argv[1] + '/summary.json'))\nif run['tasks'] == 3: sys.exit('three')\nprint(json.dumps({'kind': 'even' if run['tasks'] % 2 == 0 else 'odd'}))\n", encoding="utf-8")
    (folder / "campaigns/small.yaml").write_text("version: 1\nname: small\nscenario: farms/pfvm_binary.yaml\naxes: {farm.tasks: 2..5, seed: [1, 2]}\ncommands: {judge: 'python3 judge.py {out}'}\nmeasures: {kind: judge.kind, tasks: tasks}\n",
                                                 encoding="utf-8")
    run = [sys.executable, folder / "scripts/campaign", "small", "--binary", box.magicwire]
    done = subprocess.run(run, cwd=box.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    lines = done.stdout.splitlines()
    equal((done.returncode, lines[:4]), (1, ["small: 6 points", "  kind            even 4, odd 2", "  tasks           least 2, mean 3.66667, most 5", "8 points, 2 failed"]), "totals")
    equal(lines[4], "point 3: the command 'judge' ended with exit code 1: three", "the point")
    assert lines[5].startswith("    magicwire run ") and "--set farm.tasks=3 --set seed=1" in lines[5], lines[5]
    part = subprocess.run([*run, "--part", "1/4", "--by", "seed"], cwd=box.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    equal((part.returncode, part.stdout.splitlines()[0], part.stdout.splitlines()[-1]), (0, "small, seed 1: 2 points", "2 points, 0 failed"), "a part")


@case
def every_kind_of_bug_is_in_a_campaign(box):
    text = "".join((box.source / "campaigns" / name).read_text(encoding="utf-8") for name in ("bugs.yaml", "bugs_never_started.yaml"))
    for kind in json.loads(succeeds(box.run("bugs", "--json")))["bugs"][1:]:
        assert kind["name"] in text, f"campaigns/bugs.yaml has no {kind['name']}"
    listed = (box.source / "campaigns/README.md").read_text(encoding="utf-8")
    for path in (box.source / "campaigns").glob("*.yaml"):
        assert f"`{path.stem}`" in listed, f"campaigns/README.md has no {path.stem}"


if __name__ == "__main__":
    sys.exit(main(__doc__))
