"""Makes a healthy farm with its monitor: no bug, no fault.

  make_healthy.py NUMBER FOLDER

The number draws machine (chain, binary and ternary tree of 3 to 75 nodes, links of 5 to 20 Mbit/s), farm (processor farm and
divide and conquer, bundles, policies, survival), application (sizes, grain), monitor (Tmon with interrupts from 1 ms, Tmon-de),
unload sequence, policy for full buffers, size of buffers and records, classes, `end.quiet`."""
import pathlib
import random
import sys

sys.dont_write_bytecode = True  # no cache in the source tree
import cases

DAT = "0  20 10 0  140 1000 0  10 10 0  100 10 0  100 10 0\n"
DEGREE = {"chain": 1, "binary": 2, "ternary": 3}


def machine(draw, tree, nodes):
    """The tree with n1 as root worker, and the wires of Tmon's interrupt."""
    degree = DEGREE[tree]
    used = [0] * nodes
    lines = ["links:", "  - n0.1 - n1.0"]
    for node in range(2, nodes):
        parent = node - 1 if degree == 1 else node // 2 if degree == 2 else (node + 1) // 3
        used[parent] += 1
        lines.append(f"  - n{parent}.{used[parent]} - n{node}.0")
    speed = draw.choice(["5Mbit/s", "10Mbit/s", "20Mbit/s"])
    return "\n".join(["version: 1", "name: m", f"nodes: {{count: {nodes}, ram: 4MiB, clock: 20MHz}}", f"link_speed: {speed}", "host: n0.0",
                      *lines, "interrupts: {master: n0}", ""])


def scenario(draw):
    tree = draw.choice(list(DEGREE))
    nodes = draw.choice([3, 4, 6, 8, 8, 8, 12, 16]) if draw.random() < 0.97 else 75
    divides = draw.random() < 0.25 and tree != "chain" and nodes >= 8
    farm = {"nodes": nodes, "tree": tree, "tasks": draw.randrange(20, 100)}
    if divides:
        farm |= {"degree": DEGREE[tree], "depth": draw.choice([1, 2, 5])}
    elif draw.random() < 0.2:
        farm["granularity"] = draw.choice([2, 3, 5])
    if draw.random() < 0.15:
        farm["survives"] = "yes"
    application = {"tasks": "t.dat", "task_bytes": draw.choice([16, 64, 440, 900]), "result_bytes": draw.choice([16, 64, 440, 900])}
    if draw.random() < 0.7:
        application["grain"] = draw.choice(["500us", "3ms", "10ms", "30ms", "90ms"])
    tmon = draw.random() < 0.5
    monitor = {"kind": "tmon" if tmon else "tmon-de",
               "unload": draw.choice(["1000s/0/0", "1000s/8/32", "1000s/20/60", "1000s/256/256", "10ms/0/0,1000s/8/64", "adaptive"]),
               "when_full": draw.choice(["stop", "drop-newest", "overwrite-oldest", "degrade"]),
               "events": draw.choice(["task", "task", "task+message", "task+message+process", "task+process"])}
    if tmon:
        monitor["interrupt"] = draw.choice(["1ms", "2ms", "5ms", "10ms", "50ms"])
        if draw.random() < 0.5:
            monitor["events"] += "+usage"
    end = {"quiet": draw.choice(["100ms", "100ms", "100ms", "20ms", "500ms"])}
    text = "version: 1\nname: healthy\nmachine: m.yaml\ncosts: costs.yaml\n" + f"seed: {draw.randrange(1000)}\n"
    for key, section in (("farm", farm), ("application", application), ("monitor", monitor), ("end", end)):
        text += f"{key}: {{" + ", ".join(f"{name}: '{value}'" if name == "unload" else f"{name}: {value}" for name, value in section.items()) + "}\n"
    costs = {"monitor_buffer": draw.choice([1, 2, 4, 16, 128, 128]), "monitor_record": draw.choice([20, 20, 80, 1000])}
    return machine(draw, tree, nodes), text, costs


def main():
    number, folder = int(sys.argv[1]), pathlib.Path(sys.argv[2])
    wires, text, costs = scenario(random.Random(number))
    (folder / "m.yaml").write_text(wires)
    (folder / "t.dat").write_text(DAT)
    (folder / "case.yaml").write_text(text)
    cases.costs(folder, **costs)


if __name__ == "__main__":
    main()
