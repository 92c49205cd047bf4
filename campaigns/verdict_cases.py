"""Random sessions for the campaigns `verdicts` and `truth`: machines, farms, monitors, bugs and faults. The number of a case determines
it. Every file is made here, and no case needs an earlier run."""
import random

import cases

# The kinds of bugs, with the processes in which they have a meaning and the parameter that they take (docs/formats/bug_list.md).
EVERYWHERE = ["generate", "compute", "split", "join", "post-process"]
KINDS = {"early-end": "", "never-sent": "", "endless-loop": "", "node-crash": "", "out-of-memory": "", "duplicated": "", "unexpected": "identity?",
         "wrong-order": "", "wrong-identity": "identity", "wrong-size": "bytes", "never-started": "", "waits-for-ever": "", "slow": "factor",
         "wrong-result": "", "wild-write": ""}
NOT_OF_THE_RECEIVER = {"unexpected", "wrong-result"}
POLICIES = ["flood-filling"] * 4 + ["round-robin", "work-stealing", "work-stealing", "priorities"]
FULL = ["drop-newest", "overwrite-oldest", "stop", "degrade"]
PLANTED = ["bug", "bugs", "hardware", "both", "load", "flips", "nothing"]
ARITY = {"chain": 1, "binary": 2, "ternary": 3}


def began_us(nodes, speed):
    """About when a farm of so many nodes begins: booting and loading."""
    return {20: 80_000, 10: 155_000, 5: 290_000}[speed] * nodes + 10_000


class Case:
    MOST_OF_A_CHAIN, MOST = 9, 14  # nodes

    def __init__(self, number, healthy=False, planted=None):
        """`planted`: one of PLANTED, for every case; else each has its own."""
        self.number, self.dice = number, random.Random(f"{'healthy ' if healthy else ''}{number}")
        self.healthy = healthy
        self.plain = self.dice.random() < 0.4  # so that enough can be certain
        self.shape()
        self.farm()
        self.monitor()
        self.application()
        self.bugs, self.faults, self.words = [], [], []
        self.room()
        if not healthy:
            self.plant(planted)
        self.words += self.features()

    @property
    def virtual_machine(self):
        return "pfvm" if self.degree == 1 else "dcvm"

    # ---- the machine and its tree ----

    def shape(self):
        dice = self.dice
        self.tree = dice.choice(["chain", "chain", "binary", "binary", "ternary", "given"])
        small = dice.random() < 0.7
        self.count = dice.randint(2, 7) if small else dice.randint(5, self.MOST_OF_A_CHAIN if self.tree == "chain" else self.MOST)
        if self.tree == "given":
            self.parent = {}
            for node in range(1, self.count):
                free = [above for above in range(node) if sum(other == above for other in self.parent.values()) < 3]
                self.parent[node] = dice.choice(free)
        else:
            arity = ARITY[self.tree]
            self.parent = {node: 0 if node == 1 else (node - 2) // arity + 1 for node in range(1, self.count)}
        self.speed = dice.choice([20, 20, 20, 10, 5])
        self.wire()

    def wire(self):
        """The tree's links; perhaps one more, and perhaps all of them through crossbars."""
        dice, free = self.dice, {node: list(range(4)) for node in range(self.count)}
        free[0].pop(0)
        self.links = {node: (f"n{above}.{free[above].pop(0)}", f"n{node}.{free[node].pop(0)}") for node, above in sorted(self.parent.items())}
        self.more = []
        # Some trees are not the machine's: a branch that is no link goes over the network.
        self.virtual = random.Random(f"virtual {self.number}").random() < 0.1
        if self.virtual:
            self.links = {}
            free = {node: list(range(4)) for node in range(self.count)}
            free[0].pop(0)
            order = [0, *dice.sample(range(1, self.count), self.count - 1)]
            for above, node in zip(order, order[1:]):
                self.links[node] = (f"n{above}.{free[above].pop(0)}", f"n{node}.{free[node].pop(0)}")
        if dice.random() < 0.2:  # as in a ring or a mesh
            ends = [node for node in sorted(free) if free[node]]
            if len(ends) > 1:
                one, other = dice.sample(ends, 2)
                if self.parent.get(one) != other and self.parent.get(other) != one:
                    self.more.append((f"n{one}.{free[one].pop(0)}", f"n{other}.{free[other].pop(0)}"))
        self.switched = dice.random() < 0.08 and len(self.links) <= 16

    def children(self, node):
        return [child for child, above in self.parent.items() if above == node]

    def machine_text(self):
        pairs = [*self.links.values(), *self.more]
        text = f"version: 1\nname: m\nnodes: {{count: {self.count}, ram: {self.ram}}}\nlink_speed: {self.speed}Mbit/s\nhost: n0.0\n"
        if self.switched:
            part = list(enumerate(pairs[:16]))
            text += "switches:\n  x0:\n    wires: [" + ", ".join(f"{a} - {2 * i}, {b} - {2 * i + 1}" for i, (a, b) in part) + "]\n"
            text += "    connect: [" + ", ".join(f"{2 * i} - {2 * i + 1}" for i, _ in part) + "]\n"
            pairs = pairs[16:]
        if pairs:
            text += "links: [" + ", ".join(f"{a} - {b}" for a, b in pairs) + "]\n"
        return text + ("interrupts: {master: n0}\n" if self.kind == "tmon" else "")

    # ---- the farm ----

    def farm(self):
        dice = self.dice
        self.tasks = dice.choice([dice.randint(1, 12), dice.randint(8, 40), dice.randint(20, 80)])
        inner = [node for node in self.parent if self.children(node)]
        self.degree = dice.randint(2, 3) if inner and dice.random() < 0.4 else 1
        if self.degree > 1 and self.tree == "chain" and dice.random() < 0.5:
            self.degree = 1
        self.depth = dice.randint(1, 4)
        self.granularity = dice.choice([1, 1, 1, 1, 2, 3, 5])
        self.policy = dice.choice(POLICIES[:4] if self.plain else POLICIES)
        self.survives = dice.random() < 0.2 and not self.plain and not self.virtual
        self.buffers = dice.choice([1, 1, 1, 2, 4])
        self.managers = dice.choice(["high", "high", "high", "low"])

    def farm_text(self):
        if self.tree == "given":
            tree = "tree: {" + ", ".join(f"n{node}: {self.children(node)}" for node in sorted(set(self.parent.values()))) + "}"
        else:
            tree = f"nodes: {self.count}, tree: {self.tree}"
        return (f"farm: {{{tree}, tasks: {self.tasks}, degree: {self.degree}, depth: {self.depth}, granularity: {self.granularity}, policy: {self.policy}, "
                f"survives: {'yes' if self.survives else 'no'}, buffers: {self.buffers}, managers: {self.managers}}}\n")

    def application(self):
        dice = self.dice
        self.sizes = dice.choice([4, 64, 440, 1500]), dice.choice([4, 64, 440, 900])
        rows = sorted({0, *(dice.randrange(self.tasks) for _ in range(dice.choice([0, 0, 2, 5])))})
        times = [100, 400, 1000, 3000, 10000]
        self.dat = "".join(f"{row} {dice.choice([0, 20, 100])} 10 0 {dice.choice(times)} 1000 0 {dice.choice([0, 10])} 10 0 {dice.choice([0, 100])} 10 0 100 10 0\n"
                           for row in rows)

    def room(self):
        """In some cases results that are longer than tasks, and little memory for them. From dice of its own, so that everything else of a case stays."""
        dice = random.Random(f"room {self.number}")
        self.ram = dice.choice(["4MiB"] * 8 + ["1MiB", "2MiB"])
        if dice.random() < 0.15:
            self.sizes = self.sizes[0], dice.choice([1500, 3000, 9000])
            self.words.append("long results")
        if self.ram != "4MiB":
            self.words.append("little memory")

    # ---- the monitor ----

    def monitor(self):
        dice = self.dice
        self.kind = dice.choice(["tmon-de", "tmon-de", "tmon"])
        whole = ["[[1000s, 0, 0]]", "[[1000s, 0, 16]]", "[[1000s, 8, 32]]"]
        lossy = ["[[1000s, 0, 200]]", "[[1000s, 4, 12]]", f"[[{dice.randint(1, 40)}ms, 8, 16], [1000s, 256, 256]]", f"[[{dice.randint(1, 60)}ms, 256, 256], [1000s, 0, 8]]"]
        self.unload = dice.choice(whole if self.plain else whole + lossy + (["adaptive"] if self.kind == "tmon" else []))
        self.when_full = dice.choice(FULL)
        self.buffer = 128 if self.plain else dice.choice([128, 128, 32, 12, 6, 3])
        many = [["task", "message"], ["task", "process"], ["task", "user", "message", "process"]]
        self.classes = ["task"] if self.plain else dice.choice([["task"]] * 5 + many)
        if self.kind == "tmon":
            self.classes = self.classes + (["usage"] if dice.random() < 0.4 else [])
        self.interrupt = dice.choice(["1ms", "2ms", "10ms", "10ms"])

    def monitor_text(self):
        more = f", interrupt: {self.interrupt}" if self.kind == "tmon" else ""
        return f"monitor: {{kind: {self.kind}, unload: {self.unload}, events: [{', '.join(self.classes)}], when_full: {self.when_full}{more}}}\n"

    # ---- what goes wrong ----

    def plant(self, planted):
        dice = self.dice
        what = dice.choice(["bug"] * 4 + ["bugs", "bugs"] + ["hardware"] * 4 + ["both", "both", "load", "flips", "nothing"])
        what = planted or what
        if what in ("bug", "both"):
            self.bugs = [self.bug()]
        if what == "bugs":
            tasks = dice.sample(range(self.tasks), min(self.tasks, dice.randint(2, 4)))  # two bugs of one step may contradict each other
            self.bugs = [self.bug(task) for task in tasks]
        if what in ("hardware", "both"):
            self.faults = [self.fault() for _ in range(dice.choice([1, 1, 1, 2]))]
        if what == "load":
            self.faults = [self.fault(f"at: {dice.randint(1, began_us(self.count, self.speed))}us")]
            self.bugs = [self.bug()] if dice.random() < 0.3 else []
        if what == "flips":
            self.faults = [self.flips() for _ in range(dice.choice([1, 1, 2]))]
            self.bugs = [self.bug()] if dice.random() < 0.4 else []
        self.bugs, self.faults = [bug for bug in self.bugs if bug], [fault for fault in self.faults if fault]
        self.words.append(what)

    def bug(self, alone=None):
        """Of one task only when that is given."""
        dice = self.dice
        task = dice.randrange(self.tasks) if alone is None else alone
        kind = dice.choice([kind for kind in KINDS if alone is None or kind != "never-started"])
        divides = self.degree > 1 and self.policy is not None
        process = dice.choice([name for name in EVERYWHERE + ["compute", "compute"] if divides or name not in ("split", "join")])
        if process == "post-process" and kind in NOT_OF_THE_RECEIVER:
            process = "compute"
        entry = [f"kind: {kind}", f"process: {process}"]
        inner = process in ("split", "join")
        workers = [node for node in self.parent if self.children(node) or not inner] if inner or process == "compute" else []
        if kind == "never-started":
            entry += [f"node: n{dice.choice(workers)}"] if workers else []
        else:
            many = alone is None and (inner or dice.random() < 0.25)
            entry.append(f"task: {task}-{self.tasks - 1}" if many else f"task: {task}")
            if workers and dice.random() < 0.2:
                entry.append(f"node: n{dice.choice(workers)}")
            if many or dice.random() < 0.3:
                entry.append("occurrence: 1")
        parameter = KINDS[kind]
        if parameter and (not parameter.endswith("?") or dice.random() < 0.5):
            key = parameter.rstrip("?")
            entry.append(f"{key}: " + str({"identity": dice.choice([(task - 1) % self.tasks if self.tasks > 1 and alone is not None else self.tasks + 3, self.tasks + 3]), "bytes": dice.randint(0, 8),
                                           "factor": dice.choice([2, 20, 1000, 100000])}[key]))
        self.words.append(kind)
        return "{" + ", ".join(entry) + "}"

    def moment(self):
        dice = self.dice
        if dice.random() < 0.7:
            step = dice.choice(["start", "start", "finish", "send", "receive"])
            where = f", node: n{dice.randrange(self.count)}" if dice.random() < 0.3 else ""
            return f"on: {{task: {dice.randrange(self.tasks)}{where}, step: {step}}}"
        begins = began_us(self.count, self.speed)
        return f"at: {dice.randint(int(begins * 0.8), int(begins * 1.2))}us"

    def link(self):
        return " - ".join(self.dice.choice([*self.links.values()] * 3 + self.more))

    def fault(self, moment=None):
        dice = self.dice
        moment = moment or self.moment()
        node, link = f"n{dice.randrange(self.count)}" if dice.random() < 0.2 else f"n{dice.randrange(1, self.count)}", self.link()
        direction = dice.choice(["", "", ", direction: forward", ", direction: backward"])
        verb = dice.choice(["die"] * 4 + ["halt", "halt", "cut", "cut", "cut", "stick", "stick", "flip", "lose_acknowledge", "slow"] + (["switch"] if self.switched else []))
        self.words.append(verb)
        end = f", for: {dice.randint(1, 20000)}us" if dice.random() < 0.3 else ""
        way = dice.randrange(2 * min(16, len(self.links)))
        return "{" + {"die": f"die: {node}, {moment}", "halt": f"halt: {node}, {moment}", "cut": f"cut: {link}{direction}, {moment}{end}",
                      "stick": f"stick: {link}{direction}, {moment}", "flip": f"flip: {link}{direction}, {moment}",
                      "lose_acknowledge": f"lose_acknowledge: {link}{direction}, {moment}",
                      "slow": f"slow: {node}, factor: {dice.choice([3, 30, 1000])}, {moment}{end}",
                      "switch": dice.choice([f"switch_stuck: x0.{way}, {moment}", f"miswire: x0.{way}, to: {dice.randrange(32)}, {moment}"])}[verb] + "}"

    def flips(self):
        """Damaged messages, the monitor's among them."""
        dice = self.dice
        self.words.append("flips")
        start = dice.choice(["", f", at: {int(began_us(self.count, self.speed) * dice.uniform(0.3, 1.1))}us"])
        return f"{{{dice.choice(['flip', 'flip', 'lose_acknowledge'])}: {self.link()}, rate: {dice.choice(['3e-6', '1e-5', '1e-4', '1e-3'])}{start}}}"

    # ---- the files ----

    def features(self):
        words = [self.kind, self.when_full, self.policy, "divide and conquer" if self.degree > 1 else "processor farm"]
        words += ["bundles"] if self.granularity > 1 else []
        words += ["survives"] if self.survives else []
        words += ["branches over the network"] if self.virtual else []
        return words + (["small buffers"] if self.buffer < 128 else [])

    def write(self, folder):
        """Writes the files; the scenario is case.yaml."""
        bugs = ", bugs: b.bugs" if self.bugs else ""
        costs = "costs: costs.yaml\n" if self.buffer != 128 else ""
        text = (f"version: 1\nname: case\nmachine: m.yaml\n{costs}seed: {self.number}\n{self.farm_text()}"
                f"application: {{tasks: t.dat, task_bytes: {self.sizes[0]}, result_bytes: {self.sizes[1]}{bugs}}}\n{self.monitor_text()}"
                + ("faults: f.faults\n" if self.faults else "") + ("" if self.healthy else "end: {patience: 2s, limit: 60s}\n"))
        (folder / "case.yaml").write_text(text)
        (folder / "m.yaml").write_text(self.machine_text())
        (folder / "t.dat").write_text(self.dat)
        if self.bugs:
            (folder / "b.bugs").write_text("version: 1\nbugs:\n" + "".join(f"  - {bug}\n" for bug in self.bugs))
        if self.faults:
            (folder / "f.faults").write_text(f"version: 1\nseed: {self.number}\nfaults:\n" + "".join(f"  - {fault}\n" for fault in self.faults))
        if costs:
            cases.costs(folder, monitor_buffer=self.buffer)
