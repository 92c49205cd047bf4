#!/usr/bin/env python3
"""tping from the host to each of the 75 nodes of the machine of the thesis, against the cost table: the judge reads the machine file and the
table, counts the hops, and has a formula of its own. It uses nothing of the simulator."""
import collections
import re
import sys

from cli_cases import case, equal, main, succeeds

TOLERANCE = 0.02


def costs(box):
    """The rows of the cost table, by name."""
    text = (box.source / "topologies/costs/t800.yaml").read_text()
    return {name: float(value) for name, value in re.findall(r"^  ([a-z0-9_.]+): +\{value: ([-\d.e]+),", text, re.M)}


def links(text):
    """Which places of a machine file a wire joins through one crossbar: node and node, or node and host."""
    nodes, ends = collections.defaultdict(list), {}
    for crossbar, body in re.findall(r"^  (x\d+):\n((?:    .*\n)+)", text, re.M):
        wires, _, connect = body.partition("connect:")
        for place, port in re.findall(r"(\w+\.\d+) - (\d+)", wires):
            ends[crossbar, port] = place.split(".")[0]
        for host in re.findall(r"host: \[(.*)\]", text):
            for place in host.split(", "):
                ends[tuple(place.split("."))] = "host"
        for one, other in re.findall(r"(\d+) - (\d+)", connect):
            nodes[ends[crossbar, one]].append(ends[crossbar, other])
            nodes[ends[crossbar, other]].append(ends[crossbar, one])
    return nodes


def hops(nodes):
    """The least number of links from the host to each node."""
    far, front = {"host": 0}, ["host"]
    while front:
        place = front.pop(0)
        assert not place.startswith("x"), "a link through two crossbars: the formula has one"
        for other in nodes[place]:
            if other not in far:
                far[other] = far[place] + 1
                front.append(other)
    return far


def round_trip(cost, hops, length):
    """Microseconds that an echo of so many bytes takes over so many links, each 20 Mbit/s through one C004, when all routes are known.

    Each way crosses every link, header and body as two messages, and at each node on the way bufferd looks up the route. There are four rendez-vous for each link and its two
    directions: input of the link to bufferd, and bufferd to the next output, or to echod; the host's own are not among them. From echod the
    answer goes straight to the link. Sender and echod ask their buffers for what comes next before the link's process gets the processor: half
    a rendez-vous each. On the host three: program to link, link to bufferd, bufferd to program. Every one copies the body, and the second side
    of each starts twice."""
    cycle = 0.05
    bits = max(cost["link.data_packet"], cost["link.turn_round_20_acknowledge"] + cost["link.turn_round_20_data"] + 2 * cost["switch.pass"])
    wire = (cost["kernel.datalink_header"] + length) * bits / 20
    messages = 2 if length > 0 else 1
    ends = messages * 2 * (cost["link.setup"] + cost["link.completion"]) * cycle
    on_nodes, on_host, copy = 4 * hops - 1, 3, length / cost["kernel.copy"]
    return (2 * hops * (wire + ends + cost["kernel.route_look_up"]) + (on_nodes + 0.5) * cost["kernel.rendezvous"] +
            (on_host + 0.5) * cost["host.operation"] + (on_nodes + on_host) * (copy + 2 * cost["processor.start_process"] * cycle))


def measured(box, machine, length):
    """Microseconds of the second round to each node, and the number of bytes."""
    lines = ["spread"] + [f"tping -c2 -d0 -l {length} n{node}" for node in range(75)]
    out = succeeds(box.run("shell", machine, input="\n".join(lines) + "\n"))
    times = [1e6 * float(least) for least in re.findall(r"^roundtrip min/avg/max: ([\d.]+)/", out, re.M)]
    equal(len(times), 75, "nodes that answered")
    return times


def check(box, shape, deepest):
    succeeds(box.run("topology", "solve", shape, "--onto", box.source / "topologies/machines/ubc_75.yaml", "--out", "machine.yaml"))
    far, cost = hops(links(box.read("machine.yaml"))), costs(box)
    equal(sorted(far), sorted(["host"] + [f"n{node}" for node in range(75)]), "places that the host reaches")
    equal(max(far.values()), deepest, "hops to the farthest node")
    for length in (0, 1, 1024, 4096):
        worst = 0
        for node, time in enumerate(measured(box, "machine.yaml", length)):
            wanted = round_trip(cost, far[f"n{node}"], length)
            worst = max(worst, abs(time / wanted - 1))
            assert abs(time / wanted - 1) <= TOLERANCE, f"{length} bytes to n{node}, {far[f'n{node}']} hops: {time:.0f} us, and the cost table predicts {wanted:.0f}"
        print(f"{shape}, {length} bytes: within {100 * worst:.2f} %")


@case
def echoes_of_75_nodes_in_a_ring_take_what_the_cost_table_predicts(box):
    check(box, "ring:75", 38)


@case
def echoes_of_75_nodes_in_a_tree_take_what_the_cost_table_predicts(box):
    check(box, "tree:2:75", 8)


if __name__ == "__main__":
    sys.exit(main(__doc__))
