"""Merges of time stamps beside the causal sort, on a ring whose nodes sum vectors (Kimelman and Zernik 1993, section 3).

  ring_orders.py NUMBER FOLDER [--set NAME=VALUE]...

Loads examples/trollius/vector_sum on a ring of nodes, as ring_window.py does, and asks the shell for `order`. The number chooses one of
CASES: a row of the table, or a point of a curve, in which one value differs from BASE. Prints JSON. Exit code 1 when a sum is wrong, a
message runs backwards in causal order, a record contradicts a heartbeat, or a merge that waits is not exact on one clock."""
import json
import pathlib
import re
import sys

sys.dont_write_bytecode = True  # no cache in the source tree
import ring_window
import tool

SECONDS, ROUNDS = 600, 20
BASE = {"nodes": 3, "records": 5, "blocks": 2, "numbers": 64, "flush": "2ms", "heartbeat": "2ms", "drift": 30, "speed": 20}
TABLE = [{"nodes": nodes, "blocks": blocks, "numbers": numbers, "flush": period, "heartbeat": period}
         for nodes, period in ((2, "2ms"), (3, "2ms"), (4, "2ms"), (8, "10ms"), (16, "40ms"))
         for blocks in (1, 2, 4) for numbers in (16, 64, 96, 128, 256)]
CURVES = {
    "records": (1, 2, 3, 5, 8, 12, 20, 40),
    "flush": ("0us", "500us", "1ms", "2ms", "4ms", "8ms", "16ms", "32ms"),
    "heartbeat": ("0us", "500us", "1ms", "2ms", "4ms", "8ms", "16ms", "32ms"),
    "drift": (0, 30, 100, 300, 1000, 3000),
    "speed": (20, 10, 5),
    "numbers": (16, 32, 64, 96, 128, 160, 192, 224, 256),
}
CASES = [("table", case) for case in TABLE] + [(name, {name: value}) for name, values in CURVES.items() for value in values]


def main():
    curve, changed = CASES[int(sys.argv[1]) - 1]
    case = {**BASE, **changed}
    nodes, records = case["nodes"], case["records"]
    folder, settings = pathlib.Path(sys.argv[2]), sys.argv[3:]
    machine = ring_window.ring(nodes).replace("20Mbit/s", f"{case['speed']}Mbit/s")
    (folder / "ring.yaml").write_text(machine)
    (folder / "tasks.dat").write_text("0  20 10 0  140 1000 0  10 10 0  100 10 0  100 10 0\n")
    (folder / "s.yaml").write_text(
        f"version: 1\nname: ring\nmachine: ring.yaml\nfarm: {{nodes: {nodes}, tree: chain, tasks: 1}}\napplication: {{tasks: tasks.dat}}\n"
        f"monitor: {{unload: [[1000s, {records - 1}, {records - 1}]], events: [message], flush: {case['flush']}, heartbeat: {case['heartbeat']}}}\n")
    program = tool.compiled(ring_window.SOURCE, "vector_sum", SECONDS) / "vector_sum"
    session = ring_window.SESSION.replace("save ring", "order").format(
        nodes=f"n0-{nodes - 1}", program=program, rounds=ROUNDS, blocks=case["blocks"], numbers=case["numbers"], seconds=1 + nodes // 2)
    told = tool.call(["shell", "s.yaml", "--json", "--set", f"monitor.buffer={records}", "--set", f"clock.drift_most={case['drift']}", *settings],
                     folder, SECONDS, typed=session).stdout
    sums = re.search(r"(\d+) wrong sums, (\d+) us a round", told)
    lines = [json.loads(line) for line in told.splitlines() if line.startswith("{")]
    found = next(line["data"] for line in lines if line["command"] == "order")
    orders = {order["name"].replace("wait+flush+heartbeat", "promise"): order for order in found["orders"]}
    share = {name: 100 * order["backwards"] / max(1, order["messages"]) for name, order in orders.items()}
    delivery = {name: 100 * order["backwards_on_one_clock"] / max(1, order["messages"]) for name, order in orders.items()}
    print(json.dumps({"curve": curve, **case, "round_us": int(sums[2]) if sums else None, "backwards": share, "by_delivery": delivery,
                      "by_clocks": {name: share[name] - delivery[name] for name in share},
                      "delay_us": {name: order["mean_delay_us"] for name, order in orders.items()},
                      "stalled_ms": {name: order["stalled_us"] / 1000 for name, order in orders.items()},
                      "messages": orders["cause"]["messages"], "lost": found["lost_records"], "truth": found["truth"],
                      "monitor": found["monitor"], "heartbeats": found["heartbeats"]}))
    whole = found["lost_records"] == 0  # behind a lost end of a message a merge has nothing to count
    exact = delivery["wait"] == delivery["promise"] == 0 or not whole
    wrong = sums is None or sums[1] != "0" or share["cause"] > 0 or found["against_heartbeats"] > 0 or not exact
    if wrong:
        print(told[-2000:], file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
