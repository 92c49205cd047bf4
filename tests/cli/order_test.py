#!/usr/bin/env python3
"""'magicwire order': the causal sort beside merges by time, on one run.

    order_test.py --magicwire FILE --source DIR [NAME ...]

Every case works in an empty folder of its own. A NAME picks the cases whose name contains it. A case that fails keeps its
folder and prints where it is; exit code 1.
"""
import csv
import sys

from cli_cases import equal, is_json, main, refuses, simulation, succeeds

TASKS = "0  20 10 0  10000 1000 0  10 10 0  100 10 0  100 10 0\n"


def figures(box, *settings):
    scenario = box.scenario(("tasks: 20", "tasks: 60"), TASKS, "monitor: {unload: [[2ms, 4, 16]]}\n")
    told = is_json(succeeds(box.run("order", scenario, "--json", *settings)), "magicwire.order/1")
    return told, {order["name"]: order for order in told["orders"]}


@simulation
def only_the_causal_order_has_no_message_that_runs_backwards(box):
    told, orders = figures(box, "--set", "clock.offset_most=5000", "--csv", "window.csv")
    equal(orders["cause"]["backwards"], 0, "backwards by cause")
    assert orders["arrival"]["backwards"] > 0 and orders["wait"]["backwards"] > 0, orders
    equal({order["messages"] for order in told["orders"]}, {orders["cause"]["messages"]}, "messages of each order")
    equal(orders["arrival"]["most_delay_us"], 0, "delay of the order of arrival")
    assert orders["wait"]["mean_delay_us"] > orders["cause"]["mean_delay_us"] > 0, orders
    rows = list(csv.DictReader(box.read("window.csv").splitlines()))
    equal(len(rows), told["records"], "rows")
    totals = [int(row["total"]) for row in rows]
    assert abs(sum(totals) / len(totals) - told["window"]["mean"]) < 1e-9 and max(totals) == told["window"]["most"], told["window"]


@simulation
def what_is_not_monitored_has_no_order(box):
    scenario = box.scenario(("", ""), TASKS, "")
    refuses(box, ["order", scenario], f"{scenario}: is not monitored, so there are no records; add a 'monitor:' to the scenario")
    scenario = box.scenario()
    (box.folder / "w.csv").write_text("mine", encoding="utf-8")
    refuses(box, ["order", scenario, "--csv", "w.csv"],
            "w.csv: exists already and is not replaced; name another file, or replace it with -f")
    equal(box.read("w.csv"), "mine", "the file")


if __name__ == "__main__":
    sys.exit(main(__doc__))
