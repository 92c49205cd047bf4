"""Random farms for the campaign `predictions_random`. They vary trees, clocks (one or several a machine), link speeds,
switches, policies, bundles, divided tasks, long results, monitors with every kind of unload sequence, and costs on the
manager, in tables and in programs. The number of a farm determines it."""
import math
import random

PROGRAM = """#include <string.h>
#include <trek_kernel/trek.h>
void data_generator(void) {{
    const unsigned tasks = total_tasks();
    for (unsigned i = 0; i < tasks; ++i) {{
        unsigned char task[{task_bytes}];
        memset(task, 0, sizeof task);
        task[0] = (unsigned char)i;
        for (volatile int k = 0; k < {generate}; ++k) {{}}
        do_task(task, sizeof task);
    }}
}}
void compute_fn(const void* data, unsigned bytes) {{
    unsigned char result[{result_bytes}];
    (void)bytes;
    memset(result, *(const unsigned char*)data, sizeof result);
    for (volatile int k = 0; k < {compute}; ++k) {{}}
    return_result(result, sizeof result);
}}
void result_receiver(void) {{
    const unsigned tasks = total_tasks();
    for (unsigned i = 0; i < tasks; ++i) {{
        get_result(0);
        for (volatile int k = 0; k < {receive}; ++k) {{}}
    }}
}}
"""
FARM = """begin
Virtual_Machine
    type = PFVM;
Configuration
    topology = {topology};
    total_tasks = {tasks};
    total_processors = {nodes};
Programs
    data_generator = g.c;
    comp_function = g.c;
    result_receive = g.c;
    cost = estimated;
end
"""


def logarithmic(dice, least, most):
    return int(round(math.exp(dice.uniform(math.log(least), math.log(most)))))


def random_tree(dice, workers):
    """By node its parent; n0 has three links for children, since the fourth is the host's, and every other node three."""
    shape, parents, children = dice.choice(["chain", "bushy", "any", "any"]), {}, {}
    for node in range(1, workers + 1):
        free = [above for above in range(node) if children.get(above, 0) < 3]
        above = node - 1 if shape == "chain" else min(free) if shape == "bushy" else dice.choice(free)
        parents[node] = above
        children[above] = children.get(above, 0) + 1
    return parents


def machine(dice, parents):
    nodes, clock = len(parents) + 1, dice.choice([20, 20, 25, 30])
    lines = ["version: 1", "name: random", "nodes:", f"  count: {nodes}", "  ram: 1MiB", f"  clock: {clock}MHz"]
    if dice.random() < 0.2:
        others = dice.sample(range(nodes), dice.randint(1, nodes))
        lines += ["  override:"] + [f"    n{node}: {{clock: {dice.choice([10, 20, 25, 30])}MHz}}" for node in sorted(others)]
    lines += [f"link_speed: {dice.choice([5, 10, 20, 20])}Mbit/s", "host: n0.0", "interrupts: {master: n0}"]
    used, wires = {}, []
    for node, above in parents.items():
        used[above] = used.get(above, 0) + 1
        wires.append((f"n{above}.{used[above]}", f"n{node}.0"))
    if dice.random() < 0.25 and len(wires) <= 16:
        ends = ", ".join(f"{one} - {2 * i}, {other} - {2 * i + 1}" for i, (one, other) in enumerate(wires))
        connect = ", ".join(f"{2 * i} - {2 * i + 1}" for i in range(len(wires)))
        lines += ["switches:", "  x0:", f"    wires: [{ends}]", f"    connect: [{connect}]"]
    else:
        lines += ["links:"] + [f"  - {one} - {other}" for one, other in wires]
    return "\n".join(lines) + "\n"


def tree_text(parents):
    below = {}
    for node, above in sorted(parents.items()):
        below.setdefault(above, []).append(str(node))
    return "{" + ", ".join(f"n{above}: [{', '.join(nodes)}]" for above, nodes in sorted(below.items())) + "}"


def monitor(dice):
    if dice.random() > 0.4:
        return ""
    kind = dice.randrange(5)
    if kind == 0:
        unload = "[[1000s, 0, 0]]"
    elif kind == 1:
        unload = f"[[1000s, {dice.randint(0, 60)}, {dice.randint(60, 128)}]]"
    elif kind == 2:
        unload = f"[[{dice.randint(5, 300)}ms, 80, 128], [1000s, 0, 0]]"
    elif kind == 3:
        unload = "[[1000s, 256, 256]]"
    else:
        unload = "adaptive"
    full = dice.choice(["drop-newest", "drop-newest", "overwrite-oldest", "stop", "degrade"])
    events = dice.choice(["[task]", "[task]", "[task, message]"])
    of = "kind: tmon, interrupt: " + dice.choice(["2ms", "10ms", "50ms"]) if dice.random() < 0.2 else "kind: tmon-de"
    return f"monitor: {{{of}, unload: {unload}, events: {events}, when_full: {full}}}\n"


def table(dice, compute, tasks):
    generate = 0 if dice.random() < 0.6 else logarithmic(dice, 10, 2 * compute + 10)
    post = 0 if dice.random() < 0.6 else logarithmic(dice, 10, 2 * compute + 10)
    split = dice.choice([0, 20, 200])
    line = "{} {} 0 0 {} 0 0 {} 0 0 " + f"{split} 0 0 {split} 0 0\n"
    spread = dice.random()
    if spread < 0.6:
        return line.format(0, generate, compute, post)
    if spread < 0.85:  # each task is another one
        return "".join(line.format(i, generate, dice.randint(compute // 4, 2 * compute), post) for i in range(tasks))
    return "".join(line.format(i, generate, 1 + int(compute * (0.5 + i / tasks)), post) for i in range(tasks))  # they grow


def program_farm(dice, folder):
    """A .farm of a program that costs something on the manager, too."""
    of = {"task_bytes": logarithmic(dice, 4, 1000), "result_bytes": logarithmic(dice, 4, 2000), "compute": logarithmic(dice, 100, 20000),
          "generate": dice.choice([0, logarithmic(dice, 10, 20000)]), "receive": dice.choice([0, logarithmic(dice, 10, 20000)])}
    (folder / "g.c").write_text(PROGRAM.format(**of))
    tasks, nodes = logarithmic(dice, 100, 4000), dice.randint(3, 16)
    (folder / "g.farm").write_text(FARM.format(topology=dice.choice(["CHAIN", "BTREE", "TTREE"]), tasks=tasks, nodes=nodes))
    return "g.farm", {"kind": "program", "tasks": tasks, "nodes": nodes, **of}


def farm(number, folder):
    """Writes it. Gives the name of what is to be predicted, and what it is in short."""
    dice = random.Random(number)
    if dice.random() < 0.1:
        return program_farm(dice, folder)
    workers = dice.choice([1, 2, 3, 4, 5, 7, 9, 12, 15, 20])
    parents = random_tree(dice, workers)
    compute = logarithmic(dice, 50, 50000)
    tasks = logarithmic(dice, 200, 2500) if dice.random() < 0.7 else logarithmic(dice, 5000, 25000)
    settings = [f"tree: {tree_text(parents)}", f"tasks: {tasks}", f"buffers: {dice.randint(1, 4)}"]
    granularity = dice.choice([1, 1, 1, dice.randint(2, 10)])
    settings.append(f"granularity: {granularity}")
    settings.append(f"policy: {dice.choice(['flood-filling', 'flood-filling', 'round-robin', 'work-stealing', 'priorities'])}")
    if dice.random() < 0.15:
        settings += [f"degree: {dice.randint(2, 3)}", f"depth: {dice.randint(1, 3)}"]
    if dice.random() < 0.1:
        settings.append("survives: yes")
    task_bytes, result_bytes = logarithmic(dice, 4, 4096), logarithmic(dice, 4, 4096)
    watched = monitor(dice)
    (folder / "machine.yaml").write_text(machine(dice, parents))
    (folder / "tasks.dat").write_text(table(dice, compute, tasks))
    (folder / "farm.yaml").write_text(f"version: 1\nname: random_{number}\nmachine: machine.yaml\nfarm: {{{', '.join(settings)}}}\n"
                                      f"application: {{tasks: tasks.dat, task_bytes: {task_bytes}, result_bytes: {result_bytes}}}\n{watched}")
    return "farm.yaml", {"kind": "monitored" if watched else "plain", "tasks": tasks, "nodes": workers + 1, "granularity": granularity, "compute": compute}
