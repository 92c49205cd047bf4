"""Makes a farm that survives, with a worker that dies, halts, loses the link to its parent, or crashes under a task (bug 4); or two of
these follow each other; or a worker is so slow that it counts as dead and is not (survival_cases.py).

  make_survival.py NUMBER FOLDER

The moments lie within a first run of the farm, in which nothing happens; undisturbed.json has what it printed. Prints words
about the case."""
import json
import pathlib
import sys

sys.dont_write_bytecode = True  # no cache in the source tree
import survival_cases
import tool


def undisturbed(case, folder):
    """The farm without a fault: when it began and ended, and what it printed."""
    def run(*more):
        return json.loads(tool.call(["run", "case.yaml", "--json", *more], folder, survival_cases.SECONDS).stdout)

    case.write(folder, None)
    summary = run()
    if case.monitored:
        # The first task leaves while the monitor is begun on one node after the other; the farm runs after that.
        plain = run("--set", "monitor=off")
        summary["farm_began_us"] = summary["farm_ended_us"] - (plain["farm_ended_us"] - plain["farm_began_us"])
    if summary["given_up"] or not summary["finished"]:
        sys.exit("without any fault a node was given up, or the farm did not end")
    return summary


def main():
    number, folder = int(sys.argv[1]), pathlib.Path(sys.argv[2])
    case = survival_cases.Case(number)
    good = undisturbed(case, folder)
    (folder / "undisturbed.json").write_text(json.dumps(good), encoding="utf-8")
    case.write(folder, case.plan(good["farm_began_us"], good["farm_ended_us"]))
    kind = "program in C" if case.program else "divide and conquer" if case.divides else "processor farm"
    print(json.dumps({"farm": f"{case.name}, {kind}", "event": case.event, "victim_words": ", ".join(f"n{node}" for node in case.victims if case.event != "bug")}))


if __name__ == "__main__":
    main()
