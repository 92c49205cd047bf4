"""Random sessions of halos for the campaign `halo`: machines, trees, monitors, bugs and faults. The number of a case determines it."""
import cases
import verdict_cases

PLANTED = ["bug", "bugs", "lose", "hardware", "both", "load", "nothing"]


class Case(verdict_cases.Case):
    """Machine, tree and monitor are made as for farms."""

    MOST_OF_A_CHAIN = MOST = 16
    virtual_machine = "halo"

    def farm(self):
        dice = self.dice
        self.steps = dice.choice([dice.randint(1, 8), dice.randint(5, 25), dice.randint(20, 60)])
        self.tasks = self.steps + 1  # of fault plans: exchanges
        self.cells = dice.choice([1, 8, 64, 300, 1000])
        self.step_us = dice.choice([50, 500, 2000, 10000])
        self.policy, self.degree, self.granularity, self.survives = None, 1, 1, False

    def monitor(self):
        super().monitor()
        if self.count > 9:  # the records of each interrupt would leave no room for loading
            self.interrupt = "10ms"

    def application(self):
        pass

    def room(self):
        self.ram = "4MiB"

    def plant(self, planted):
        dice = self.dice
        what = planted or dice.choice(["bug"] * 4 + ["bugs", "lose", "lose"] + ["hardware"] * 4 + ["both", "load", "nothing"])
        if what in ("bug", "both", "bugs"):
            self.bugs = [self.bug() for _ in range(dice.randint(2, 3) if what == "bugs" else 1)]
        if what == "lose":
            self.bugs = [self.lost_message()]
        if what in ("hardware", "both"):
            self.faults = [self.fault()]
        if what == "load":
            self.faults = [self.fault(f"at: {dice.randint(1, verdict_cases.began_us(self.count, self.speed))}us")]
        self.bugs = list(dict.fromkeys(self.bugs))
        self.words.append(what)

    def bug(self, alone=None):
        dice = self.dice
        process, node, kind = dice.choice(["initial_fn", "step_fn", "step_fn", "step_fn", "exchange"]), dice.randrange(self.count), dice.choice(["hang", "crash"])
        step = {"initial_fn": "", "step_fn": f", step: {dice.randrange(self.steps)}", "exchange": f", step: {dice.randint(0, self.steps)}"}[process]
        self.words.append(f"{kind} in {process}")
        return f"{{process: {process}, node: n{node}{step}, kind: {kind}}}"

    def lost_message(self):
        dice = self.dice
        child = dice.choice(sorted(self.parent))
        ends = dice.sample([child, self.parent[child]], 2)
        self.words.append("lost message")
        return f"{{process: exchange, node: n{ends[0]}, step: {dice.randint(0, self.steps)}, kind: lose, to: n{ends[1]}}}"

    def fault(self, moment=None):
        """Nodes and links that end for good. A message that a link loses ends its exchange, too."""
        dice = self.dice
        moment = moment or self.moment()
        node, link = f"n{dice.randrange(self.count)}" if dice.random() < 0.2 else f"n{dice.randrange(1, self.count)}", self.link()
        direction = dice.choice(["", "", ", direction: forward", ", direction: backward"])
        verb = dice.choice(["die", "die", "halt", "cut", "cut", "stick"])
        self.words.append(verb)
        return "{" + {"die": f"die: {node}, {moment}", "halt": f"halt: {node}, {moment}"}.get(verb, f"{verb}: {link}{direction}, {moment}") + "}"

    def features(self):
        return [self.kind, self.when_full] + (["branches over the network"] if self.virtual else []) + (["small buffers"] if self.buffer < 128 else [])

    def halo_text(self):
        if self.tree == "given":
            tree = "tree: {" + ", ".join(f"n{node}: {self.children(node)}" for node in sorted(set(self.parent.values()))) + "}"
        else:
            tree = f"tree: {self.tree}, nodes: {self.count}"
        return f"halo: {{{tree}, steps: {self.steps}, cells: {self.cells}, step_us: {self.step_us}, bugs: [{', '.join(self.bugs)}]}}\n"

    def write(self, folder):
        """Writes the files; the scenario is case.yaml."""
        costs = "costs: costs.yaml\n" if self.buffer != 128 else ""
        text = (f"version: 1\nname: case\nmachine: m.yaml\n{costs}seed: {self.number}\n{self.halo_text()}{self.monitor_text()}"
                + ("faults: f.faults\n" if self.faults else "") + ("" if self.healthy else "end: {patience: 2s, limit: 60s}\n"))
        (folder / "case.yaml").write_text(text)
        (folder / "m.yaml").write_text(self.machine_text())
        if self.faults:
            (folder / "f.faults").write_text(f"version: 1\nseed: {self.number}\nfaults:\n" + "".join(f"  - {fault}\n" for fault in self.faults))
        if costs:
            cases.costs(folder, monitor_buffer=self.buffer)
