"""Judges a healthy farm: it may not be given up, and no verdict may claim a fault.

  judge_healthy.py OUT

The program must have ended, every result must be there, and so must every record that is not told as lost: those made must be
those received and lost. Prints the kind of the answer; an unknown one is counted. Exit code 1, with the reasons, when something
does not hold."""
import sys

sys.dont_write_bytecode = True  # no cache in the source tree
import cases


def main():
    summary, oracle = cases.read(sys.argv[1], "summary", "oracle")
    verdict = summary["verdict"]["verdict"]
    problems = []
    if summary["end"] != "the program ended":
        problems.append("ended: " + summary["end"])
    if verdict["kind"] in ("certain", "likely"):
        problems.append(verdict["sentence"])
    if summary["completed"] != summary["tasks"]:
        problems.append(f"{summary['completed']} of {summary['tasks']} results")
    for node in oracle["nodes"]:
        lost = sum(last - first + 1 for first, last in node["lost"])
        if node["recorded"] != node["received"] + lost:
            problems.append(f"n{node['node']} made {node['recorded']} records, {node['received']} came, {lost} are told as lost")
    cases.end(problems, kind=verdict["kind"], sentence=verdict["sentence"])


if __name__ == "__main__":
    main()
