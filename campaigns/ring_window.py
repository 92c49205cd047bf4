"""The window of the causal sort on a ring whose nodes sum vectors (Kimelman and Zernik 1993, section 3 and figure 3).

  ring_window.py NUMBER FOLDER [--set NAME=VALUE]...

Loads examples/trollius/vector_sum on a ring of nodes. Their monitors send their records when so many are in the buffer. A vector goes
around in so many blocks. What the host received goes to `magicwire order`. The number chooses one of CASES. Prints JSON. Exit code 1 when
a sum is wrong or a message runs backwards in causal order. FOLDER keeps `ring/`, the trace, and `window.csv`."""
import json
import pathlib
import re
import sys

sys.dont_write_bytecode = True  # no cache in the source tree
import tool

SECONDS = 600
ROUNDS, NUMBERS = 20, 16
CASES = [(nodes, records, blocks) for nodes in (2, 3, 4, 8, 16, 64) for records in (3, 5) for blocks in (1, 2, 4)]
SOURCE = pathlib.Path(__file__).resolve().parent.parent / "examples/trollius/vector_sum/vector_sum.c"
SESSION = """spread
loadgo {nodes} nodemon
hostmon {nodes} -e data &
monctrl -b {nodes}
loadgo {nodes} {program} -- {rounds} {blocks} {numbers}
run for {seconds}s
monctrl -q {nodes}
run for {seconds}s
save ring
"""


def ring(nodes):
    """A ring in the order of the numbers, since the program sends to the next number. The host hangs on node 0."""
    links = [f"n{node}.1 - n{node + 1}.0" for node in range(nodes - 1)]
    if nodes > 2:
        links.append(f"n{nodes - 1}.1 - n0.3")
    listed = "".join(f"  - {link}\n" for link in links)
    return f"version: 1\nname: ring\nnodes: {{count: {nodes}, ram: 4MiB, clock: 20MHz}}\nlink_speed: 20Mbit/s\nhost: n0.2\nlinks:\n{listed}"


def main():
    nodes, records, blocks = CASES[int(sys.argv[1]) - 1]
    folder, settings = pathlib.Path(sys.argv[2]), sys.argv[3:]
    (folder / "ring.yaml").write_text(ring(nodes))
    (folder / "tasks.dat").write_text("0  20 10 0  140 1000 0  10 10 0  100 10 0  100 10 0\n")
    (folder / "s.yaml").write_text(
        f"version: 1\nname: ring\nmachine: ring.yaml\nfarm: {{nodes: {nodes}, tree: chain, tasks: 1}}\napplication: {{tasks: tasks.dat}}\n"
        f"monitor: {{unload: [[1000s, {records - 1}, {records - 1}]], events: [message]}}\n")
    program = tool.compiled(SOURCE, "vector_sum", SECONDS) / "vector_sum"
    session = SESSION.format(nodes=f"n0-{nodes - 1}", program=program, rounds=ROUNDS, blocks=blocks, numbers=NUMBERS, seconds=1 + nodes // 8)
    told = tool.call(["shell", "s.yaml", "--set", f"monitor.buffer={records}", *settings], folder, SECONDS, typed=session).stdout
    sums = re.search(r"(\d+) wrong sums, (\d+) us a round", told)
    found = json.loads(tool.call(["order", "ring", "--csv", "window.csv", "-f", "--json"], folder, SECONDS).stdout)
    orders = {order["name"]: order for order in found["orders"]}
    found["backwards_percent"] = {name: order["backwards_percent"] for name, order in orders.items()}
    print(json.dumps({"nodes": nodes, "buffer": records, "blocks": blocks, **found}))
    wrong = sums is None or sums[1] != "0" or orders["cause"]["backwards"] > 0
    if wrong:
        print(told[-2000:], file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
