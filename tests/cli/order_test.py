#!/usr/bin/env python3
"""'magicwire order': the causal sort beside merges by time, on one run.

    order_test.py --magicwire FILE --source DIR [NAME ...]

Every case works in an empty folder of its own. A NAME picks the cases whose name contains it. A case that fails keeps its
folder and prints where it is; exit code 1.
"""
import csv
import json
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


RING = """spread
loadgo n0-3 nodemon
hostmon n0-3 -e data &
monctrl -b n0-3
loadgo n0-3 {program} -- 10 2 64
run for 1s
monctrl -q n0-3
run for 1s
order
order wait
order wat
"""


@simulation
def a_merge_that_waits_is_exact_on_one_clock(box):
    program = box.folder / "vector_sum"
    succeeds(box.run("cc", "-o", str(program), str(box.source / "examples/trollius/vector_sum/vector_sum.c"), "-w"))
    links = "".join(f"  - n{i}.1 - n{i + 1}.0\n" for i in range(3)) + "  - n3.1 - n0.3\n"
    (box.folder / "ring.yaml").write_text(
        f"version: 1\nname: ring\nnodes: {{count: 4, ram: 4MiB, clock: 20MHz}}\nlink_speed: 20Mbit/s\nhost: n0.2\nlinks:\n{links}")
    (box.folder / "t.dat").write_text("0  20 10 0  140 1000 0  10 10 0  100 10 0  100 10 0\n")
    (box.folder / "s.yaml").write_text(
        "version: 1\nname: ring\nmachine: ring.yaml\nfarm: {nodes: 4, tree: chain, tasks: 1}\napplication: {tasks: t.dat}\n"
        "monitor: {unload: [[1000s, 4, 4]], events: [message]}\n")
    done = box.run("shell", "s.yaml", "--json", "--set", "monitor.buffer=5", "--set", "monitor.heartbeat=4ms",
                   "--set", "monitor.flush=4ms", input=RING.format(program=program))
    told = [json.loads(line) for line in done.stdout.splitlines()]
    answers = [line["data"] for line in told if line["command"] in ("order", "order wait")]
    orders = {order["name"]: order for order in answers[0]["orders"]}
    equal(answers[0]["against_heartbeats"], 0, "records against a heartbeat")
    assert answers[0]["heartbeats"] > 100 and answers[0]["monitor"]["flushes"] > 0, answers[0]
    equal(answers[0]["truth"]["recorded_backwards"], 0, "messages recorded backwards")
    for name in ("wait", "wait+flush+heartbeat"):
        assert orders[name]["backwards"] > 0, "the clocks begin with the monitors, one after the other"
        equal(orders[name]["backwards_on_one_clock"], 0, f"{name} on one clock")
    assert orders["wait"]["stalled_us"] > 5 * orders["wait+flush+heartbeat"]["stalled_us"], orders
    equal(orders["oldest"]["backwards"], orders["oldest"]["backwards_on_one_clock"], "backwards by delivery")
    equal([order["name"] for order in answers[1]["orders"]], ["cause", "wait"], "the orders asked for")
    assert "there is no merge 'wat', did you mean 'wait'?" in done.stderr, done.stderr


@simulation
def heartbeats_reach_the_merge_that_needs_them(box):
    told, orders = figures(box, "--set", "monitor.heartbeat=2ms", "--set", "monitor.flush=2ms")
    assert told["heartbeats"] > 10 and told["monitor"]["heartbeats"] >= told["heartbeats"], told
    equal(told["against_heartbeats"], 0, "records against a heartbeat")
    assert orders["wait+flush+heartbeat"]["mean_delay_us"] <= orders["wait"]["mean_delay_us"], orders
    told, orders = figures(box)
    equal(told["heartbeats"], 0, "heartbeats without the setting")
    equal(orders["wait"]["backwards"], orders["wait+flush+heartbeat"]["backwards"], "backwards without heartbeats")
    told, orders = figures(box, "--merge", "oldest")
    equal(list(orders), ["cause", "oldest"], "orders")


@simulation
def a_sweep_has_the_figures_of_each_point(box):
    scenario = box.scenario(("tasks: 20", "tasks: 60"), TASKS, "monitor: {unload: [[2ms, 4, 16]]}\n")
    alone = is_json(succeeds(box.run("order", scenario, "--json", "--set", "monitor.buffer=8", "--set", "monitor.flush=2ms")), "magicwire.order/1")
    swept = ["order", scenario, "--sweep", "monitor.buffer=8,32", "--sweep", "monitor.flush=0us,2ms"]
    told = is_json(succeeds(box.run(*swept, "--json", "--csv", "t.csv")), "magicwire.order_sweep/1")
    equal([point["settings"] for point in told["points"]],
          [{"monitor.buffer": buffer, "monitor.flush": flush} for buffer in ("8", "32") for flush in ("0us", "2ms")], "points")
    equal(told["points"][1]["figures"], alone, "the second point")
    rows = list(csv.DictReader(box.read("t.csv").splitlines()))
    equal(len(rows), 4 * 5, "rows")
    equal({row["order"] for row in rows}, {order["name"] for order in alone["orders"]}, "orders")
    wait = next(row for row in rows if row["order"] == "wait" and row["monitor.buffer"] == "8" and row["monitor.flush"] == "2ms")
    equal(int(wait["backwards"]), next(order["backwards"] for order in alone["orders"] if order["name"] == "wait"), "backwards")
    text = succeeds(box.run(*swept, "--merge", "oldest"))
    equal(len([line for line in text.splitlines() if " oldest " in line]), 4, "lines of the text")
    done = box.run("order", scenario, "--sweep", "monitor.buffer=8,x")
    equal((done.returncode, "--set monitor.buffer=x" in done.stderr), (3, True), f"a wrong value ({done.stderr})")
    done = box.run("order", scenario, "--sweep", "monitor.buffer=8", "--set", "monitor.buffer=4")
    equal((done.returncode, "has a value by --set as well" in done.stderr), (2, True), "a setting that is given twice")
    succeeds(box.run("run", scenario, "--out", "out", "--exit-zero"))
    equal(box.run("order", "out", "--sweep", "monitor.buffer=8").returncode, 2, "a sweep of a stored trace")


@simulation
def streams_are_shown_as_they_stand(box):
    scenario = box.scenario(("tasks: 20", "tasks: 60"), TASKS, "monitor: {unload: [[2ms, 4, 16]]}\n")
    box.write("dies.faults", "version: 1\nfaults:\n  - {die: n5, when: {task: 30, step: start}}\n")
    words = ("--faults", "dies.faults", "--suspect-after", "20ms")
    told = is_json(succeeds(box.run("order", scenario, "--json", *words)), "magicwire.order/1")
    states = {stream["node"]: stream["standing"] for stream in told["streams"]}
    equal(states[5], "suspect", "a node that died, of which nobody has said anything")
    equal(states[0], "finished", "the manager's node")
    told = is_json(succeeds(box.run("order", scenario, "--json", *words, "--crashed", "n5")), "magicwire.order/1")
    equal((told["streams"][5]["standing"], told["streams"][5]["said_by"]), ("crashed", "person"), "the same, by a person's word")
    told = is_json(succeeds(box.run("order", scenario, "--json", *words, "--give-up-after", "5")), "magicwire.order/1")
    assert told["given_up"] > 0 and told["late"] == sum(stream["late"] for stream in told["streams"]) > 0, told
    done = box.run("run", scenario, *words, "--sorted", "s.jsonl", "--exit-zero")
    assert "suspect" in done.stdout and "n5    suspect" in done.stdout, done.stdout
    lines = [json.loads(line) for line in box.read("s.jsonl").splitlines()]
    assert all(line.get("assumed") != "given-up" for line in lines), "given up without a word"
    told = [(line["node"], line["standing"]) for line in lines if line["what"] == "stream"]
    assert (5, "suspect") in told and (0, "finished") in told, told
    moments = [line["reported_us"] for line in lines]
    equal(moments, sorted(moments), "moments of the lines, those of streams among them")
    told = is_json(succeeds(box.run("order", scenario, "--json", "--set", "monitor.heartbeat=2ms", "--crashed", "n3@100ms")), "magicwire.order/1")
    assert told["streams"][3]["late"] > 0, "records after the word that their node has crashed"
    done = box.run("run", scenario, *words[:2], "--set", "monitor.heartbeat=2ms", "--exit-zero")
    assert "the farm stood still" in done.stdout, f"heartbeats do not keep a farm going ({done.stdout})"


@simulation
def a_bad_oracle_beside_a_trace_costs_the_truth_alone(box):
    scenario = box.scenario(("tasks: 20", "tasks: 60"), TASKS, "monitor: {unload: [[2ms, 4, 16]]}\n")
    succeeds(box.run("run", scenario, "--out", "out"))
    good = is_json(succeeds(box.run("order", "out", "--json")), "magicwire.order/1")
    (box.folder / "out/oracle.json").write_text("{")
    told = box.run("order", "out", "--json")
    equal(told.returncode, 0, "exit code")
    bad = is_json(told.stdout, "magicwire.order/1")
    assert "out/oracle.json: is no oracle.json of magicwire" in told.stderr and "the orders are shown without the truth; move the file away" in told.stderr, told.stderr
    assert good["truth"] is not None and bad["truth"] is None, (good["truth"], bad["truth"])
    equal([order["backwards"] for order in bad["orders"]], [order["backwards"] for order in good["orders"]], "backwards")


@simulation
def a_stored_trace_comes_on_standard_input_with_progress(box):
    scenario = box.scenario(("tasks: 20", "tasks: 60"), TASKS, "monitor: {unload: [[2ms, 4, 16]]}\n")
    succeeds(box.run("run", scenario, "--out", "out"))
    (box.folder / "out/oracle.json").unlink()
    told = box.run("order", "out", "--progress", "always")
    assert "order " in told.stderr and " records" in told.stderr, told.stderr
    piped = box.shell("magicwire order - < out/data.mwt")
    equal((piped.returncode, piped.stdout), (0, told.stdout), "the figures")
    assert "clocks: 0 of 3 done" in box.run("clocks", "out", "--progress", "always").stderr, "progress of clocks"


@simulation
def traces_of_other_programs_are_for_sort(box):
    (box.folder / "t.picl").write_text("-3 -901 0.0 0 0 0\n")
    refuses(box, ("order", "t.picl"), "t.picl: is a trace of PICL or OTF2; 'magicwire sort --stats' compares it, by cause, by time and as it stands")


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
