"""Judges a run: the verdict in FOLDER/summary.json against what happened, FOLDER/oracle.json (scripts/judge.py).

  judge_run.py FOLDER

Prints JSON: the measures of scored.py; `found` in a word or two; how many records were made, lost, and kept of task events; how
often planted bugs struck. Exit code 1, with the reason on standard error, when the answer is certain and wrong, a bug struck
elsewhere, or the farm stands still without a reason."""
import pathlib
import re
import sys

sys.dont_write_bytecode = True  # no cache in the source tree
import cases
import judge
import scored

PROCESS_NAMES = {"generate": "data_generator()", "compute": "comp_fn()", "split": "split_fn()", "join": "join_fn()", "post-process": "result_receiver()"}


def found_of(verdict, oracle, outcome):
    """"certain", "likely", "node": a likely answer that names a dead node but a wrong task or place, "wrong likely", "unknown" or "none"."""
    if verdict["kind"] != "likely" or outcome == "right":
        return verdict["kind"]
    dead = {node["node"] for node in oracle["nodes"] if node["crashed"]}
    named = {*verdict.get("fell_silent", []), *(place["node"] for place in verdict["places"])}
    return "node" if dead & named else "wrong likely"


def strikes_wrongly(oracle):
    """A planted bug that struck where its entry does not say."""
    for bug in oracle["planted"]:
        wanted = PROCESS_NAMES[re.search(rf" in ({'|'.join(PROCESS_NAMES)})\b", bug["text"])[1]]
        others = [strike["process"] for strike in bug["strikes"] if strike["process"] != wanted]
        if others:
            return f"the bug {bug['kind']} in {wanted} struck in {others[0]}"
    return ""


def stands_without_a_reason(summary, oracle):
    silent = any(node["crashed"] for node in oracle["nodes"])
    told = summary["finished"] or summary.get("standing") or silent or "diagnosis" in summary
    return "" if told else "it stands still without a reason"


def names_what_was_not_struck(verdict, oracle):
    """A certain answer about planted bugs must name a place where one of them struck."""
    strikes = scored.strikes(oracle)
    if verdict["kind"] != "certain" or not strikes or any(fault["happened"] for fault in oracle["faults"]):
        return ""
    nodes = {place["node"] for place in verdict["places"]}
    for strike in strikes:
        any_task = "task" not in strike or strike["process"] == "result_receiver()"
        if strike["process"] in verdict["process"] and strike["node"] in nodes and (any_task or strike["task"] == verdict["task"]):
            return ""
    return "what it names was not struck"


def main():
    folder = pathlib.Path(sys.argv[1])
    summary, oracle = cases.read(folder, "summary", "oracle")
    verdict = summary["verdict"]["verdict"]
    wrong = judge.certain_and_wrong(verdict, oracle) or names_what_was_not_struck(verdict, oracle)
    error = f"certain and wrong: {wrong}: {verdict['sentence']}" if wrong else strikes_wrongly(oracle) or stands_without_a_reason(summary, oracle)
    found = judge.judge(verdict, oracle)
    made, lost = scored.records(oracle)
    cases.end([error] if error else [],
              **scored.measures(summary, oracle, found),
              found=found_of(verdict, oracle, found.outcome), made=made, lost=lost,
              task_records=sum(1 for line in (folder / "data.tvm").read_text(encoding="utf-8").splitlines() if line.strip()),
              struck=sum(bug["struck"] for bug in oracle["planted"]))


if __name__ == "__main__":
    main()
