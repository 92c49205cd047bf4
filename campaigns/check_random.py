"""Makes a random machine, farm, monitor, fault plan and reconfigurations (random_cases.py), and runs them twice through the whole
tool. Nothing may crash, hang, differ between the two runs, get lost without a cause, or be certain and wrong.

  check_random.py NUMBER FOLDER

Prints JSON: words of the machine and farm, the verbs of the plan, and what came of it. Exit code 1, with the reasons, when
something is wrong. A machine with too little memory must be refused, and the refusal must name the plan."""
import json
import pathlib
import sys

sys.dont_write_bytecode = True  # no cache in the source tree
import cases
import judge
import random_cases
import tool


def differences(folder):
    """Names of files that are not the same in both runs."""
    one, two = ({path.name: path.read_bytes() for path in (folder / out).iterdir()} for out in ("one", "two"))
    return sorted(name for name in one.keys() | two.keys() if one.get(name) != two.get(name))


def problems_of(runs, folder, verbs):
    """What is wrong with this case, and a word for what came of it."""
    first = runs[0]
    if first.returncode == 3:
        if "too little" not in first.stderr or "memory" not in verbs:
            return [f"exit code 3: {first.stderr.strip()[-300:]}"], "failed"
        problems = [] if runs[1].stderr == first.stderr else ["another message the second time"]
        return problems + ([] if "plan.faults" in first.stderr else ["the plan is not named: " + first.stderr.strip()]), "too little memory"
    problems = [f"differs the second time: {name}" for name in differences(folder)]
    summary, oracle = json.loads(first.stdout), cases.read(folder / "one", "oracle")[0]
    account = oracle["conservation"]
    if account["completed"] + account["lost"] + account["waits"] != summary["tasks"]:
        problems.append(f"tasks do not add up: {account['completed']} completed of {summary['tasks']}")
    problems += [f"no cause: {line}" for line in account["unfinished"] if line["cause"] == "unexplained"][:1]
    if account["unfinished"] and not (summary["end"] or summary.get("diagnosis")):
        problems.append("hang without a diagnosis")
    done = ", all done" if not account["unfinished"] else ", some done" if account["completed"] else ", none done"
    if "verdict" not in summary:
        return problems, "not watched" + done
    verdict = summary["verdict"]["verdict"]
    if error := judge.certain_and_wrong(verdict, oracle):
        problems.append(f"certain and wrong: {error}: {verdict['sentence']}")
    return problems, verdict["kind"] + done


def main():
    number, folder = int(sys.argv[1]), pathlib.Path(sys.argv[2])
    verbs, words = random_cases.make_case(number, folder)
    runs = [tool.call(["run", "case.yaml", "--json", "--out", out], folder, random_cases.SECONDS, (0, 1, 3, 4)) for out in ("one", "two")]
    problems, outcome = problems_of(runs, folder, verbs)
    cases.end(problems, words=", ".join(words), verb_words=", ".join(sorted(set(verbs) or {"no fault"})), outcome=outcome)


if __name__ == "__main__":
    main()
