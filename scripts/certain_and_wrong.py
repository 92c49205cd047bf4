"""Holds a verdict against the oracle of the same run; for the campaigns.

A certain verdict says where the lowest unfinished task stopped: task, sub-tasks, nodes, process. Each must be in the list that follows from the
complete history, and the task must not be one that only waits for another. That a function failed, and not a node or a link, it may say only when
a planted bug did it. "No fault" is wrong when a task did not come back, unless it speaks of bundles only.

Of a bundle every task is meant."""
CANNOT_TELL = "no record tells"


def wrong(verdict, oracle):
    """What is wrong with it; empty when nothing is, or when it is not certain."""
    unfinished = {line["task"]: line["cause"] for line in oracle["conservation"]["unfinished"]}
    if verdict["kind"] == "none":
        if "every task of a bundle" in verdict["sentence"]:  # it speaks of bundles, and says that their tasks may be missing
            return ""
        return f"no fault, and {len(unfinished)} tasks are missing" if unfinished else ""
    if verdict["kind"] != "certain":
        return ""
    struck = oracle["struck"]
    if verdict["process"] == "result_receiver()" and verdict["task"] is None:
        return "" if any("result_receiver" in bug["process"] or bug["process"] == "post-process" for bug in struck) else "no receiver failed"
    task = verdict["task"]
    absent = [bug for bug in struck if bug["name"] == "never-started"]  # of a process of a node, whichever task it then should have had
    if any(bug["process"] in verdict["process"] and bug["node"] in {place["node"] for place in verdict["places"]} for bug in absent):
        return ""
    bundle = range(task, verdict.get("last_task", task) + 1)  # has one record, with the number of its first
    if not set(bundle) & unfinished.keys():
        return f"task {task} is finished"
    if struck and not any(fault["happened"] for fault in oracle["faults"]) and not set(bundle) & {bug["task"] for bug in struck}:
        return f"task {task} was not struck"
    if not struck and CANNOT_TELL not in verdict["sentence"]:
        return "no function failed"
    rows = {(row["task"], int(row["subtask"], 16), row["node"], row["process"]) for row in oracle["fault_list"]}
    if verdict["process"] == "data_generator()":  # it was never sent, so nothing is known of it but that
        return f"task {task} was sent" if any(row[0] == task for row in rows) else ""
    if {unfinished[each] for each in bundle if each in unfinished} == {"waiting"} and set(unfinished.values()) & {"struck", "lost on a link", "held by a node that failed"}:
        return f"task {task} only waits for another"
    failed = {fault["verb"] for fault in oracle["faults"] if fault["happened"]} & {"die", "halt", "cut", "stick", "switch_stuck"}
    if not struck and failed and failed <= {"die", "halt"} and "a node" not in verdict["sentence"]:
        return "a node failed"
    processes = {verdict["process"]} | (set() if verdict["arrival_seen"] else {"Distributing"})
    for place in verdict["places"]:
        # A silent node's result that a link lost on its way up: the sentence says that it may have been the link.
        lost_above = any(row[:2] == (task, int(place["subtask"], 16)) and row[3] == "Collecting" for row in rows)
        if lost_above and unfinished.get(task) == "lost on a link" and place["node"] in verdict["silent"] and "a link failed" in verdict["sentence"]:
            continue
        if not any((task, int(place["subtask"], 16), place["node"], process) in rows for process in processes):
            return f"task {task} did not stop in sub-task {place['subtask']} on node {place['node']} in {verdict['process']}"
    return ""
