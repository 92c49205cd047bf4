"""Cases for the campaigns `random` and `truth`: machines of every kind that contain a farm's tree, farms with every policy,
monitors, fault plans that strike the farm's own parts while it runs, and reconfigurations in mid-run. The number of a case
determines it."""
import json
import random
import re

import tool

ARITY = {"chain": 1, "binary": 2, "ternary": 3}
SECONDS = 60  # of wall time for one run; most take some hundredths
SHAPES = ["mesh:3x3", "mesh:4x5", "mesh:6x6", "ring:9", "ring:24", "torus:3x3", "torus:4x4", "torus:4x6", "hypercube:8", "hypercube:16", "debruijn:16", "complete:4"]


def call(arguments, folder):
    return tool.call(arguments, folder, SECONDS).stdout


def parent(tree, node):
    """Of the farm's tree: a word for a regular one, else the parents by node. None outside the farm."""
    if isinstance(tree, dict):
        return tree.get(node)
    return {"chain": node - 1, "binary": node // 2, "ternary": (node + 1) // 3}[tree] if node > 1 else 0


def farm_edges(tree, nodes):
    return [(parent(tree, node), node) for node in range(1, nodes) if parent(tree, node) is not None]


def tree_text(tree, nodes):
    if isinstance(tree, str):
        return f"nodes: {nodes}, tree: {tree}"
    children = {}
    for node, above in sorted(tree.items()):
        children.setdefault(above, []).append(node)
    return "tree: {" + ", ".join(f"n{above}: {below}" for above, below in sorted(children.items())) + "}"


def grow_tree(dice, wanted, neighbours, most=3):
    """The parents of some nodes around n0, each next to its parent."""
    tree = {}
    while len(tree) + 1 < wanted:
        open_edges = [(above, node) for above in {0, *tree} for node in sorted(neighbours.get(above, ()))
                      if node != 0 and node not in tree and sum(other == above for other in tree.values()) < most]
        if not open_edges:
            break
        above, node = dice.choice(sorted(open_edges))
        tree[node] = above
    return tree


def random_tree(dice, tree, farm_nodes):
    """The links that the farm needs, further nodes and links at random within four a node; perhaps through C004s."""
    count = farm_nodes + dice.choice([0, 0, dice.randint(1, 6)])
    edges = farm_edges(tree, farm_nodes)

    def room(node):
        return 4 - (node == 0) - sum(node in edge for edge in edges)

    for node in range(farm_nodes, count):
        if room(node - 1) <= 1:
            break
        edges.append((node - 1, node))
    count = max(max(edge) for edge in edges) + 1
    for _ in range(dice.randint(0, count)):
        a, b = dice.sample(range(count), 2)
        if room(a) > 0 and room(b) > 0 and (a, b) not in edges and (b, a) not in edges:
            edges.append((a, b))
    free = {node: list(range(4)) for node in range(count)}
    host = f"n0.{free[0].pop(0)}"
    links = [tuple(f"n{node}.{free[node].pop(0)}" for node in edge) for edge in edges]
    switched = dice.random() < 0.5
    direct = [link for link in links if not switched or dice.random() < 0.3]
    through = [link for link in links if link not in direct]
    ram = ", ".join(f"n{node}: {{ram: {dice.choice([1, 2, 4])}MiB}}" for node in range(count))
    lines = [f"version: 1\nname: random\nnodes:\n  count: {count}\n  ram: 4MiB\n  override: {{{ram}}}"]
    lines.append(f"link_speed: {dice.choice([5, 10, 20])}Mbit/s\nhost: {host}")
    lines += ["links: [" + ", ".join(f"{a} - {b}" for a, b in direct) + "]"] if direct else []
    lines += ["switches:"] if through else []
    for number in range(0, len(through), 16):
        part = list(enumerate(through[number : number + 16]))
        wires = ", ".join(f"{a} - {2 * i}, {b} - {2 * i + 1}" for i, (a, b) in part)
        lines.append(f"  x{number // 16}:\n    wires: [{wires}]\n    connect: [{', '.join(f'{2 * i} - {2 * i + 1}' for i, _ in part)}]")
    return "\n".join(lines) + "\n"


def end_node(end):
    return int(end[1:].split(".")[0]) if end[0] == "n" else None


def embed(dice, tree, wanted, neighbours):
    """Places for as many of the wanted nodes of the tree as are found within some steps: place[farm node] = node of the machine."""
    best = []
    for _ in range(30):
        place, free = [dice.choice(sorted(neighbours))], set(neighbours)
        free.discard(place[0])
        while len(place) < wanted:
            choices = sorted(free & neighbours[place[parent(tree, len(place))]])
            if not choices:
                break
            place.append(dice.choice(choices))
            free.discard(place[-1])
        best = max(best, place, key=len)
    return best


class Machine:
    """A machine file that lies in the folder, with what `describe` says of it."""

    def __init__(self, folder):
        self.folder = folder
        self.read()

    def read(self):
        found = json.loads(call(["describe", "machine.yaml", "--json"], self.folder))
        self.nodes = len(found["nodes"])
        self.paths = [path for path in found["paths"] if end_node(path["a"]) is not None and end_node(path["b"]) is not None]
        self.switches = {switch["name"]: switch for switch in found["switches"] if switch["connections"]}

    def neighbours(self):
        result = {}
        for path in self.paths:
            a, b = end_node(path["a"]), end_node(path["b"])
            result.setdefault(a, set()).add(b)
            result.setdefault(b, set()).add(a)
        return result

    def rename(self, place):
        """Gives the node place[i] the number i."""
        rest = [node for node in range(self.nodes) if node not in place]
        name = {old: new for new, old in enumerate(place + rest)}
        file = self.folder / "machine.yaml"
        file.write_text(re.sub(r"\bn(\d+)\b", lambda found: f"n{name[int(found[1])]}", file.read_text()))
        self.read()

    def farm_paths(self, tree, nodes):
        edges = {frozenset(edge) for edge in farm_edges(tree, nodes)}
        return [path for path in self.paths if frozenset((end_node(path["a"]), end_node(path["b"]))) in edges]

    def ways(self, paths):
        """The ways of switches at the ends of these paths: (switch, way)."""
        ends = {end for path in paths for end in (path["a"], path["b"])}
        return [(name, wire["way"]) for name, switch in self.switches.items() for wire in switch["wires"] if wire["end"] in ends]


def make_machine(dice, folder, small):
    """The machine's file, the farm's tree, how many nodes the farm has, and a word for the table."""
    kind = "tree" if dice.random() < 0.45 else "shape"
    tree = dice.choice(list(ARITY))
    wanted = dice.randint(2, 8) if small else dice.randint(2, 12 if tree == "chain" else 40)
    given = dice.random() < 0.3
    if kind == "tree":
        if given:
            everybody = {node: set(range(wanted)) for node in range(wanted)}
            tree = grow_tree(dice, wanted, everybody)
            wanted = max(tree) + 1
        (folder / "machine.yaml").write_text(random_tree(dice, tree, wanted))
        return Machine(folder), tree, wanted, "given tree" if given else "tree"
    shape = dice.choice(SHAPES + [f"random:{dice.randint(6, 24)}:{dice.randint(1, 999)}"] * 4)
    options = ["--gateway"] + (["--through-switches"] if dice.random() < 0.5 else []) + ["--ram", "1MiB"]
    (folder / "machine.yaml").write_text(call(["topology", "make", shape, *options], folder))
    machine = Machine(folder)
    if given:
        tree = grow_tree(dice, min(wanted, 24), machine.neighbours())
        nodes = max(tree) + 1
    else:
        place = embed(dice, tree, min(wanted, 24), machine.neighbours())
        machine.rename(place)
        nodes = len(place)
    word = shape.split(":")[0] + (" through switches" if "--through-switches" in options else "")
    if dice.random() < 0.2 and not small and machine.nodes <= 24:
        (folder / "wanted.yaml").write_text((folder / "machine.yaml").read_text())
        call(["topology", "solve", "wanted.yaml", "--out", "machine.yaml", "--force"], folder)
        machine.read()
        word = "solved onto 75 nodes"
    return machine, tree, nodes, word


def make_farm(dice, tree, nodes, tasks):
    """The section of the farm, and words for the table."""
    degree = 1
    if isinstance(tree, dict) or tree != "chain":
        degree = dice.choice([1, dice.randint(2, 4) if isinstance(tree, dict) else ARITY[tree]])
    policy = dice.choice(["flood-filling", "flood-filling", "round-robin", "work-stealing", "priorities"])
    granularity = dice.choice([1, 1, 1, 2, 3, 7])
    survives = dice.random() < 0.25
    text = f"{tree_text(tree, nodes)}, tasks: {tasks}, degree: {degree}, depth: 4"
    text += f", policy: {policy}" if policy != "flood-filling" else ""
    text += f", granularity: {granularity}" if granularity > 1 else ""
    text += ", survives: yes" if survives else ""
    return f"farm: {{{text}}}\n", [policy] + (["bundles"] if granularity > 1 else []) + (["survives"] if survives else [])


class Faults:
    """Draws faults. Most strike a node or a link that the farm uses, while it runs: span, in us."""

    def __init__(self, dice, machine, tree, nodes, tasks, span):
        self.dice, self.machine, self.nodes, self.tasks, self.span = dice, machine, nodes, tasks, span
        self.paths = machine.farm_paths(tree, nodes)

    def moment(self):
        kind = self.dice.random()
        begins, ends = self.span
        if kind < 0.6:
            first, last = self.dice.choice([(begins, ends), (begins, ends), (begins, (begins + ends) // 2), (ends - (ends - begins) // 5, ends), (0, begins)])
            return f"at: {self.dice.randint(first, last)}us"
        if kind < 0.9:
            step = self.dice.choice(["start", "finish", "send", "receive"])
            where = f", node: n{self.dice.randrange(self.nodes)}" if self.dice.random() < 0.15 else ""
            return f"on: {{task: {self.dice.randrange(self.tasks)}{where}, step: {step}}}"
        return f"rate: {round(1e6 / (begins + 1), 3)}"

    def draw(self):
        dice, when = self.dice, self.moment()
        near = dice.random() < 0.85
        node = f"n{dice.randrange(self.nodes if near else self.machine.nodes)}"
        path = dice.choice(self.paths if near else self.machine.paths)
        link = " - ".join([path["a"], path["b"]][:: dice.choice([1, -1])])
        ways = self.machine.ways([path]) or self.machine.ways(self.machine.paths)
        direction = ", direction: " + dice.choice(["both", "forward", "backward"])
        end = f", for: {dice.randint(1, 20000)}us" if dice.random() < 0.4 else ""
        verbs = ["die", "die", "die", "halt", "slow", "cut", "cut", "stick", "flip", "lose_acknowledge", "memory"]
        verb = dice.choice(verbs + (["switch_stuck", "switch_stuck", "miswire", "miswire"] if ways else []))
        way = dice.choice(ways) if ways else None
        per_byte = f"rate: {dice.choice(['1e-6', '1e-4', '1e-3', '1e-2'])}" if when.startswith("rate") or dice.random() < 0.5 else when
        per_byte += end if per_byte.startswith("rate") else ""
        return verb, {
            "die": f"die: {node}, {when}",
            "halt": f"halt: {node}, {when}",
            "slow": f"slow: {node}, factor: {dice.choice([3, 20, 1000])}, {when}{end}",
            "cut": f"cut: {link}{direction}, {when}{end}",
            "stick": f"stick: {link}{direction}, {when}",
            "flip": f"flip: {link}{direction}, {per_byte}",
            "lose_acknowledge": f"lose_acknowledge: {link}{direction}, {per_byte}",
            "memory": f"memory: {node}, size: {dice.choice([128, 256, 384, 512, 1024])}KiB",
            "switch_stuck": way and f"switch_stuck: {way[0]}.{way[1]}, {when}",
            "miswire": way and f"miswire: {way[0]}.{way[1]}, to: {dice.randrange(32)}, {when}",
        }[verb]

    def several(self, count):
        memories, result = set(), []
        for _ in range(count):
            verb, text = self.draw()
            node = text.split(",")[0]
            if verb == "memory" and node in memories:  # a node has one size
                continue
            memories.update([node] if verb == "memory" else [])
            result.append((verb, text))
        return result


def reconfigurations(dice, machine, paths, span):
    """Orders for the switch of a link that the farm uses: two connections change partners, one goes away; perhaps it comes back."""
    names = sorted({name for path in paths for name in path["through"]})
    if not names:
        return ""
    name = dice.choice(names)
    old = [list(pair) for pair in machine.switches[name]["connections"]]
    new = [list(pair) for pair in old]
    ends = {wire["way"]: wire["end"] for wire in machine.switches[name]["wires"]}
    between_nodes = [i for i, (a, b) in enumerate(old) if ends[a][0] == ends[b][0] == "n"]  # others are parts of longer paths
    if not between_nodes:
        return ""
    if len(between_nodes) > 1 and dice.random() < 0.6:
        one, other = dice.sample(between_nodes, 2)
        new[one][1], new[other][1] = new[other][1], new[one][1]
    else:
        new.pop(dice.choice(between_nodes))
    times = sorted(dice.randint(*span) for _ in range(2))
    orders = [(times[0], new)] + ([(times[1], old)] if dice.random() < 0.6 else [])
    return "reconfigure:\n" + "".join(
        f"  - {{at: {when}us, connect: {{{name}: [{', '.join(f'{a} - {b}' for a, b in setting)}]}}}}\n" for when, setting in orders)


def when_the_farm_runs(folder):
    """Without faults; the first and the last microsecond."""
    summary = json.loads(call(["run", "case.yaml", "--json", "--exit-zero"], folder))
    return summary["farm_began_us"], summary["farm_ended_us"]


def make_case(number, folder):
    """Writes the case; the scenario is case.yaml. Returns its verbs, and words for the tables."""
    dice = random.Random(number)
    small = dice.random() < 0.1  # and so at byte level
    machine, tree, nodes, word = make_machine(dice, folder, small)
    tasks = dice.randint(1, 15) if small else dice.randint(1, 120)
    farm, words = make_farm(dice, tree, nodes, tasks)
    size = dice.choice([4, 100, 1000] + ([] if small else [8000]))
    blocks = f"20 10 0 {dice.choice([100, 400, 3000])} 1000 0 10 10 0 100 10 0 100 10 0"
    lines = [f"0 {blocks}"]
    bug = dice.random() < 0.25
    if bug:
        struck = dice.randrange(tasks)
        fields = blocks.split()
        fields[2 + 3 * dice.choice([0, 1, 1, 1, 2, 3, 4])] = str(dice.randint(1, 5))
        lines = [f"{task} {text}" for task, text in [(0, blocks), (struck, " ".join(fields)), (struck + 1, blocks)] if task != 0 or text is not blocks or struck]
    unload = dice.choice(["[[1000s, 0, 0]]", "[[1000s, 8, 32]]", "[[1000s, 0, 200]]", "[[5ms, 8, 16], [1000s, 256, 256]]", "[[1000s, 0, 0]]", ""])
    text = (f"version: 1\nname: case\nmachine: machine.yaml\n{farm}"
            f"application: {{tasks: tasks.dat, task_bytes: {size}, result_bytes: {size}}}\n" + (f"monitor: {{unload: {unload}}}\n" if unload else "") +
            f"end: {{patience: 2s, limit: 100s}}\n")
    (folder / "case.yaml").write_text(text)
    (folder / "tasks.dat").write_text(f"0 {blocks}\n")
    span = when_the_farm_runs(folder)
    (folder / "tasks.dat").write_text("\n".join(lines) + "\n")
    draw = Faults(dice, machine, tree, nodes, tasks, span)
    faults = draw.several(dice.choice([0, 1] if bug else [0] + [1, 1, 2, 3] * 3))
    (folder / "plan.faults").write_text(f"version: 1\nseed: {number}\nfaults: [" + ",\n  ".join("{" + line + "}" for _, line in faults) + "]\n")
    orders = reconfigurations(dice, machine, draw.paths, span) if dice.random() < 0.3 else ""
    how = f"seed: {number}\n" + ("links: byte\n" if small else "")
    (folder / "case.yaml").write_text(text + how + "faults: plan.faults\n" + orders)
    verbs = [verb for verb, _ in faults] + (["bug"] if bug else []) + (["reconfigure"] if orders else [])
    return verbs, [word, "byte level" if small else "message level", *words]
