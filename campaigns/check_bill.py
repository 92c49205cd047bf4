"""Checks the bill of a point, FOLDER/bill.json: every table must sum to both spans and to their difference, in whole picoseconds.

  check_bill.py FOLDER [--free]

--free: the monitor's probes and looks are free and it never sends, so it must give the run hash and the span of the twin. Prints
the number of results that both runs have. Exit code 1, with all that does not hold, when something does not."""
import json
import pathlib
import sys


def faults_of(bill):
    """What does not hold of a bill."""
    spans = bill["monitored"]["span_ps"], bill["twin"]["span_ps"]
    if bill["compared_results"] == 0:
        return ["no result came back in both runs"]
    faults = []
    charged = set()
    for table, lines in bill["bill"].items():
        sums = tuple(sum(line[key] for line in lines) for key in ("monitored_ps", "twin_ps", "difference_ps"))
        if sums != (*spans, bill["difference_ps"]):
            faults.append(f"the table by {table} sums to {sums}")
        charged.add(sum(line["of_monitor_ps"] for line in lines))
    if len(charged) != 1 or bill["difference_ps"] - charged.pop() != bill["not_attributed_ps"]:
        faults.append("the tables charge the monitor with different sums")
    causes = {line["name"]: line for line in bill["bill"]["cause"]}
    for line in causes.values():
        if sum(line[f"{way}_ps"] for way in ("processor", "link", "memory", "waiting")) != line["monitored_ps"]:
            faults.append(f"the ways of {line['name']} do not sum to it")
    if causes["probe"]["twin_ps"] != 0:
        faults.append("the twin pays for probes")
    return faults


def faults_of_free(bill):
    faults = []
    if bill["monitored"]["run_hash"] != bill["twin"]["run_hash"]:
        faults.append("a monitor that costs nothing has another run hash than its twin")
    if bill["difference_ps"] != 0 or bill["changed_contents"] or bill["order"]["other_receives"]:
        faults.append("a monitor that costs nothing changes something")
    return faults


def main():
    bill = json.loads((pathlib.Path(sys.argv[1]) / "bill.json").read_text(encoding="utf-8"))
    faults = faults_of(bill) + (faults_of_free(bill) if "--free" in sys.argv else [])
    if faults:
        sys.exit("; ".join(faults))
    print(json.dumps({"results": bill["compared_results"], "changed": len(bill["changed_contents"])}))


if __name__ == "__main__":
    main()
