"""Judges a farm that survives: every task must come back once and with the right result, and no healthy node may be given up.

  judge_survival.py NUMBER FOLDER OUT

FOLDER is that of make_survival.py. Every tenth case runs a second time, and must have the same run hash. Prints how many tasks
were issued again. Exit code 1, with the reasons, when something does not hold."""
import json
import pathlib
import sys

sys.dont_write_bytecode = True  # no cache in the source tree
import cases
import survival_cases
import tool


def printed_results(summary):
    return sorted(line for line in summary["console"].splitlines() if line.startswith("segment"))


def below(tree, node):
    return [node] + [other for child, above in tree.items() if above == node for other in below(tree, child)]


def judge(case, summary, undisturbed):
    tasks = case.tasks()
    messages = -(-tasks // case.granularity)
    problems = [] if summary["finished"] and summary["end"] == "the program ended" else [f"not finished: {summary['end']}"]
    account = [summary[key] for key in ("issued", "completed", "unexpected_results")]
    if account not in ([tasks, tasks, 0], [messages, messages, 0]):
        problems.append(f"issued, completed, unexpected: {account} of {tasks}")
    if printed_results(summary) != printed_results(undisturbed):
        problems.append("other results than undisturbed")
    for line in summary["given_up"]:
        issued = [(task["task"], task["subtask"]) for task in line["issued_again"]]
        if len(issued) != len(set(issued)) or any(task >= tasks for task, _ in issued):
            problems.append(f"issued again: {issued}")
        if case.tree[line["node"]] != line["by"]:
            problems.append(f"n{line['node']} was given up by n{line['by']}, which is not its parent")
        # A slow node cannot listen to its children; and behind a cut life goes on, but nobody else is given up there.
        suspects = [node for victim in case.victims for node in (below(case.tree, victim) if case.event == "slow" else [victim])]
        if case.event != "bug" and line["node"] not in suspects:
            problems.append(f"n{line['node']} was given up, and nothing happened to it")
    return problems


def main():
    number, folder = int(sys.argv[1]), pathlib.Path(sys.argv[2])
    summary, good = cases.read(sys.argv[3], "summary") + cases.read(folder, "undisturbed")
    problems = judge(survival_cases.Case(number), summary, good)
    if number % 10 == 0:
        again = json.loads(tool.call(["run", "case.yaml", "--json"], folder, survival_cases.SECONDS).stdout)
        if again["run_hash"] != summary["run_hash"]:
            problems.append("another run hash the second time")
    cases.end(problems, issued_again=sum(len(line["issued_again"]) for line in summary["given_up"]))


if __name__ == "__main__":
    main()
