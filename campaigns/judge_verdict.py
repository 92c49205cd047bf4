"""Judges the verdict of a random session (scripts/judge.py): it may not be certain and wrong.

  judge_verdict.py OUT [--healthy]

Prints JSON: `answer`, the kind and what it is worth, `why`, `loss`, the share of records that were lost in words, and the
measures of scored.py.
--healthy: nothing went wrong, so no answer may claim a fault."""
import json
import sys

sys.dont_write_bytecode = True  # no cache in the source tree
import cases
import judge
import scored


def loss(share):
    return "loss 0" if share == 0 else "loss to 10 %" if share < 0.1 else "loss to 50 %" if share < 0.5 else "loss above"


def main():
    summary, oracle = cases.read(sys.argv[1], "summary", "oracle")
    verdict = summary["verdict"]["verdict"]
    problems = []
    if error := judge.certain_and_wrong(verdict, oracle):
        problems.append(f"certain and wrong: {error}: {verdict['sentence']}")
    found = judge.judge(verdict, oracle)
    if found.kind not in ("certain", "likely", "unknown", "none"):
        problems.append(f"not judged: {found.why}: {verdict['sentence']}")
    if "--healthy" in sys.argv and (found.kind, found.outcome) not in (("none", "right"), ("unknown", "healthy"), ("unknown", "fault")):
        problems.append(f"nothing is wrong, and the answer is: {verdict['sentence']}")
    measures = scored.measures(summary, oracle, found)
    cases.end(problems, answer=f"{found.kind} {found.outcome}".strip(), why=found.why, loss=loss(measures["lost_share"]), **measures)


if __name__ == "__main__":
    main()
