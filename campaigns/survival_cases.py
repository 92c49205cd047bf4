"""Farms that survive, and what strikes their workers, for the campaign `survival`. The number of a case determines it."""
import collections
import random

ARITY = {"chain": 1, "binary": 2, "ternary": 3}
GIVEN = {1: 0, 2: 0, 3: 0, 4: 1, 5: 1, 6: 2, 7: 6, 8: 6, 9: 8}
FARMS = {"chain 6": ("chain", 6), "binary 15": ("binary", 15), "ternary 13": ("ternary", 13), "given 10": ("given", 10)}
POLICIES = ["flood-filling"] * 3 + ["round-robin", "work-stealing", "priorities"]
EVENTS = ["die", "die", "halt", "cut", "bug", "two", "slow"]
SECONDS = 60  # of wall time for one run; most take less than a tenth


def parents(shape, count):
    if shape == "given":
        return GIVEN
    arity = ARITY[shape]
    return {node: 0 if node == 1 else (node - 2) // arity + 1 for node in range(1, count)}


def links_of(tree):
    """By node: its link to its parent, both ends; n0.0 is the host's."""
    free = collections.defaultdict(lambda: iter(range(4)), {0: iter(range(1, 4))})
    return {node: f"n{above}.{next(free[above])} - n{node}.{next(free[node])}" for node, above in sorted(tree.items())}


class Case:
    def __init__(self, number):
        dice = random.Random(number)
        self.name = sorted(FARMS)[number % len(FARMS)]
        shape, count = FARMS[self.name]
        self.tree = parents(shape, count)
        self.workers = sorted(self.tree)
        self.program = dice.random() < 0.3
        self.divides = not self.program and dice.random() < 0.5
        self.policy = dice.choice(POLICIES)
        self.granularity = dice.choice([1, 1, 1, 3])
        self.buffers = dice.choice([1, 1, 4])
        self.monitored = not self.program and shape != "given" and dice.random() < 0.2
        self.event = dice.choice([event for event in EVENTS if event != "bug" or not self.program])
        self.victims = dice.sample(self.workers, 2 if self.event == "two" else 1)
        self.moments = sorted(dice.random() for _ in self.victims)
        self.task = dice.randrange(self.tasks())
        # A heartbeat then takes longer than the silence; or it does not, and the node is waited for.
        self.factor = dice.choice([20000, 1000000] if self.program else [1000, 20000, 1000000])
        self.slow_ms = dice.choice([150, 400, 10000])

    def tasks(self):
        return 40 if self.program else 120

    def farm(self):
        shape, count = FARMS[self.name]
        below = collections.defaultdict(list)
        for node, above in GIVEN.items():
            below[above].append(node)
        given = "{" + ", ".join(f"n{node}: {children}" for node, children in sorted(below.items())) + "}"
        tree = f"tree: {given}" if shape == "given" else f"nodes: {count}, tree: {shape}"
        dcvm = ", degree: 2, depth: 3" if self.divides else ""
        how = f"policy: {self.policy}, granularity: {self.granularity}, buffers: {self.buffers}"
        return f"{{{tree}, tasks: {self.tasks()}{dcvm}, {how}, survives: yes}}"

    def plan(self, began, ended):
        if self.event == "bug":
            return []
        verbs = {"two": "die", "slow": "slow"}
        faults = []
        for victim, moment in zip(self.victims, self.moments):
            what = f"cut: {links_of(self.tree)[victim]}" if self.event == "cut" else f"{verbs.get(self.event, self.event)}: n{victim}"
            more = f", factor: {self.factor}, for: {self.slow_ms}ms" if self.event == "slow" else ""
            faults.append(f"{{{what}{more}, at: {began + int(moment * (ended - began))}us}}")
        return faults

    def write(self, folder, plan):
        links = ", ".join(links_of(self.tree).values())
        (folder / "m.yaml").write_text(f"version: 1\nname: m\nnodes: {{count: {len(self.tree) + 1}, ram: 1MiB}}\nlink_speed: 20Mbit/s\nhost: n0.0\nlinks: [{links}]\n")
        bug = [(0, 0), (self.task, 4), (self.task + 1, 0)] if plan is not None and self.event == "bug" else [(0, 0)]
        rows = dict(bug)  # task 0 may be the one
        (folder / "t.dat").write_text("".join(f"{task} 20 10 0 3000 1000 {kind} 10 10 0 100 10 0 100 10 0\n" for task, kind in sorted(rows.items())))
        (folder / "p.faults").write_text(f"version: 1\nfaults: [{', '.join(plan or [])}]\n")
        application = "{program: image_group}" if self.program else "{tasks: t.dat, task_bytes: 200, result_bytes: 300}"
        monitor = "monitor: {unload: [[1000s, 0, 0]]}\n" if self.monitored else ""
        (folder / "case.yaml").write_text(
            f"version: 1\nname: case\nmachine: m.yaml\nfarm: {self.farm()}\napplication: {application}\nfaults: p.faults\n{monitor}")
