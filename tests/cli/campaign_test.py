#!/usr/bin/env python3
"""The studies of campaigns/ and their judges: each file is a whole study, each judge can fail, and the totals say so."""
import json
import os
import pathlib
import re
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


def liar(box, name, script):
    """A program that stands for magicwire and changes what it gives: `script` sees `arguments`, and calls real() for a run of the true one."""
    real = str(pathlib.Path(box.magicwire).resolve())
    box.write(name, f"#!{sys.executable}\nimport json, pathlib, subprocess, sys\narguments = sys.argv[1:]\n"
              f"def real():\n    return subprocess.run([{real!r}, *arguments], stdout=subprocess.PIPE, text=True)\n{script}")
    (box.folder / name).chmod(0o755)
    return str(box.folder / name)


def check(box, name, number, program):
    folder = box.folder / f"{name}-{number}-{pathlib.Path(program).name}"
    folder.mkdir()
    os.environ["MAGICWIRE"] = program
    return judge(box, f"check_{name}.py", str(number), str(folder))


@case
def a_random_session_is_judged_by_its_truth(box):
    made = judge(box, "make_verdict.py", "4", ".", "--healthy")
    equal(made.returncode, 0, made.stderr)
    assert "tmon" in json.loads(made.stdout)["words"], made.stdout
    succeeds(box.run("run", "case.yaml", "--out", "out", "--exit-zero"))
    good = judge(box, "judge_verdict.py", "out", "--healthy")
    equal((good.returncode, json.loads(good.stdout)["answer"]), (0, "none right"), "the answer")
    change(box.folder / "out/summary.json", lambda data: data["verdict"]["verdict"].update(kind="certain", task=0, places=[{"node": 1, "subtask": "0000"}], process="comp_fn()"))
    bad = judge(box, "judge_verdict.py", "out", "--healthy")
    assert bad.returncode == 1 and bad.stderr.startswith("certain and wrong: ") and "nothing is wrong, and the answer is: " in bad.stderr, bad.stderr


@case
def a_healthy_farm_that_loses_something_fails_its_point(box):
    equal(judge(box, "make_healthy.py", "3", ".").returncode, 0, "exit code")
    succeeds(box.run("run", "case.yaml", "--out", "out", "--exit-zero"))
    equal(json.loads(judge(box, "judge_healthy.py", "out").stdout)["kind"], "none", "the answer")
    change(box.folder / "out/oracle.json", lambda data: data["nodes"][1].update(recorded=data["nodes"][1]["recorded"] + 1))
    change(box.folder / "out/summary.json", lambda data: data.update(completed=data["completed"] - 1, end="it stands still"))
    told = judge(box, "judge_healthy.py", "out").stderr
    assert told.startswith("ended: it stands still; ") and " results; n" in told and " are told as lost" in told, told


@case
def a_task_that_comes_back_twice_fails_its_point(box):
    os.environ["MAGICWIRE"] = str(pathlib.Path(box.magicwire).resolve())
    number = "80"  # dies, and runs a second time
    made = judge(box, "make_survival.py", number, ".")
    equal((made.returncode, made.stderr), (0, ""), "making it")
    succeeds(box.run("run", "case.yaml", "--out", "out", "--exit-zero"))
    good = judge(box, "judge_survival.py", number, ".", "out")
    equal((good.returncode, good.stderr), (0, ""), "the judge")
    change(box.folder / "out/summary.json", lambda data: data.update(completed=data["completed"] + 1, run_hash="0"))
    told = judge(box, "judge_survival.py", number, ".", "out").stderr
    assert "issued, completed, unexpected: " in told and told.endswith("; another run hash the second time\n"), told


@case
def a_second_run_that_differs_fails_its_point(box):
    honest = str(pathlib.Path(box.magicwire).resolve())
    good = check(box, "random", 2, honest)
    equal((good.returncode, good.stderr), (0, ""), "the true program")
    assert "verb_words" in json.loads(good.stdout), good.stdout
    other = liar(box, "other", "done = real()\nif 'two' in arguments: pathlib.Path('two/data.tvm' if pathlib.Path('two/data.tvm').exists() else 'two/summary.json').write_text('x')\n"
                 "print(done.stdout, end='')\nsys.exit(done.returncode)\n")
    bad = check(box, "random", 2, other)
    assert bad.returncode == 1 and bad.stderr.startswith("differs the second time: "), bad.stderr
    slow = liar(box, "crashes", "sys.exit(70) if 'run' in arguments else None\ndone = real()\nprint(done.stdout, end='')\nsys.exit(done.returncode)\n")
    crashed = check(box, "random", 2, slow)
    assert crashed.returncode == 1 and "exit code 70" in crashed.stderr, crashed.stderr


@case
def an_observer_that_changes_something_fails_its_point(box):
    honest = str(pathlib.Path(box.magicwire).resolve())
    for number in (2, 8):  # 8 is streamed
        good = check(box, "truth", number, honest)
        equal((good.returncode, good.stderr), (0, ""), "the true program")
    assert "streamed" in json.loads(good.stdout)["words"], good.stdout
    other = liar(box, "other", "done = real()\nprint(done.stdout, end='')\nprint('one more line' if '--without-truth' in arguments else '', end='')\nsys.exit(done.returncode)\n")
    bad = check(box, "truth", 2, other)
    equal((bad.returncode, bad.stderr), (1, "differs: output\n"), "another output")


@case
def a_shell_that_crashes_fails_its_point(box):
    honest = str(pathlib.Path(box.magicwire).resolve())
    good = check(box, "hostile", 3, honest)
    equal((good.returncode, good.stderr, json.loads(good.stdout)["outcome"][:5]), (0, "", "shell"), "the true program")
    silent = liar(box, "silent", "sys.exit(139 if 'shell' in arguments else real().returncode)\n")
    equal(check(box, "hostile", 3, silent).stderr[:16], "exit code 139:  ("[:16], "a shell that crashes")
    equal(check(box, "program", 3, silent).returncode, 1, "and one that does not answer")


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
    demanded = subprocess.run([*run, "--part", "1/4", "--at-most", "kind=even:49.9"], cwd=box.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    equal((demanded.returncode, demanded.stdout.splitlines()[-1]), (1, "kind is even in 100 % of the points; at most 49.9 % may be"), "a demand that does not hold")
    held = subprocess.run([*run, "--part", "1/4", "--at-most", "kind=even:100", "--at-most", "exit_code=1:0"], cwd=box.folder, stdout=subprocess.PIPE, text=True, check=False)
    equal(held.returncode, 0, "demands that hold")
    unknown = subprocess.run([*run, "--part", "1/4", "--table", "kid:kind"], cwd=box.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    equal(unknown.stderr, "--table kid: there are kind, tasks\n", "no such measure")


@case
def words_are_counted_beside_answers(box):
    folder = box.folder / "tree"
    (folder / "campaigns").mkdir(parents=True)
    (folder / "scripts").mkdir()
    (folder / "scripts/campaign").write_text((box.source / "scripts/campaign").read_text(encoding="utf-8"), encoding="utf-8")
    (folder / "campaigns/look.py").write_text("import json, sys\nn = int(sys.argv[1])\nprint(json.dumps({'words': 'small, ' + ('odd' if n % 2 else 'even'), 'size': 'long' if n > 3 else 'short', 'answer': 'no' if n == 4 else 'yes'}))\n", encoding="utf-8")
    (folder / "campaigns/words.yaml").write_text("version: 1\nname: words\nscenario: none\naxes: {number: 1..5}\ncommands: {look: 'python3 look.py {number}'}\n"
                                                 "measures: {words: look.words, size: look.size, answer: look.answer}\n", encoding="utf-8")
    done = subprocess.run([sys.executable, folder / "scripts/campaign", "words", "--binary", box.magicwire, "--table", "words,size:answer"], cwd=box.folder, stdout=subprocess.PIPE, text=True, check=False)
    lines = [line.split() for line in done.stdout.splitlines()]
    equal((done.returncode, lines[1]), (0, ["words", "even", "2,", "odd", "3,", "small", "5"]), "words")
    equal(lines[4:], [["points", "no", "yes"], ["even", "2", "1", "1"], ["long", "2", "1", "1"], ["odd", "3", "0", "3"], ["short", "3", "0", "3"], ["small", "5", "1", "4"], ["all", "5", "1", "4"],
                      ["5", "points,", "0", "failed"]], "the table")


def imported(box, path, seen):
    """Modules of this project that a script imports, and those that they import."""
    for name in re.findall(r"^(?:import|from) (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE):
        for folder in ("campaigns", "scripts"):
            module = box.source / folder / f"{name}.py"
            if module.exists() and module not in seen:
                seen.add(module)
                imported(box, module, seen)
    return seen


@case
def a_study_names_all_that_its_commands_import(box):
    for study in sorted((box.source / "campaigns").glob("*.yaml")):
        text = study.read_text(encoding="utf-8")
        for run, files in re.findall(r'"python3 (\S+\.py)[^"]*"(?:, files: | ?}|\n  file: \S+\n  files: )(\[[^\]]*\])?', text):
            named = {(study.parent / name.strip()).resolve() for name in files.strip("[]").split(",") if name.strip()}
            missing = {path.resolve() for path in imported(box, study.parent / run, set())} - named
            assert not missing, f"{study.name}: {run} imports {', '.join(sorted(path.name for path in missing))}, which is not among its files"


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
