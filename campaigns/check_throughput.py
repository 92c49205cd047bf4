"""Compares a monitored farm with the formulas: the throughput must follow from the unmonitored farm and the prices of the monitor.

  check_throughput.py NUMBER FOLDER [--set NAME=VALUE]...

Nothing of a monitored farm is measured first. be and bf come from the rates of unmonitored chains of one and two workers.
The monitor's part comes from the cost table and from counts of probes, packets and hops (docs/model/overhead_formulas.md).
There are two kinds of monitor. "kept": buffers so large that no record leaves before the end. "unloaded": batches of 65 records
travel through the tree during the whole run. `predict_error` is that of `magicwire predict`: the same prices, differently measured
costs, and a term for farms that are short of tasks. Where `full` is 1 the formula does not hold: the trace takes more than 30 %
of the host's link, or fills a processor. The number chooses one of CASES. Prints JSON. Exit code 1 when a farm that is not full is
off by more than 3 %."""
import json
import pathlib
import sys

sys.dont_write_bytecode = True  # no cache in the source tree
import cases
import tool

TOLERANCE = 0.03
SECONDS = 600
BATCH_BOUND = 64  # unloaded when there are more
MOST_OF_LINK = 0.3  # of the host's link that the trace may take; above it packets pile up in the nodes and hold up tasks and results
BYTES = 100  # of a task and of a result
EXECUTED, FORWARDED = 2, 4  # records that a task makes on a node: in and out; in and out, and its result in and out
ARITY = {"chain": 1, "binary": 2, "ternary": 3}


class Table:
    """Prices in seconds and bytes, as `magicwire costs --json` has them."""

    def __init__(self, folder, settings):
        text = tool.call(["costs", "--json"], folder, SECONDS).stdout
        factor = {"us": 1e-6, "cycles": 50e-9}
        changed = dict(setting.split("=", 1) for setting in settings[1::2])
        self.value = {row["name"]: float(changed.get(row["name"], row["value"])) * factor.get(row["unit"], 1) for row in json.loads(text)["costs"]}

    def __getitem__(self, name):
        return self.value[name]


class Monitor:
    """What watching costs a node, from the table. Seconds a record, or a share of the processor's time."""

    def __init__(self, table, unloads):
        switch = table["processor.start_process"]
        cut = table["processor.preempt_latency"] + switch + table["processor.resume_preempted"]  # a high-priority process comes between
        self.probe = table["monitor.probe"] + table["monitor.meter"]
        look = table["monitor.manager_check"] + cut
        self.looking = look / (table["monitor.manager_period"] + table["monitor.manager_check"] + switch)
        self.own = self.relay = self.wire = 0.0
        if not unloads:
            return
        records = BATCH_BOUND + 1
        body = records * table["monitor.record"]
        packet = body + table["kernel.datalink_header"]
        copy = body / (table["kernel.copy"] * 1e6)
        stolen = packet / 4 * table["link.stolen_cycles"] * round(table["memory.external_access"] / 50e-9)
        # Its own node: look, pack, route, one rendez-vous with the link process, the link. A node on the way: two rendez-vous, from the link
        # to bufferd and from there to the next link, each with a copy of the body, a route, and a link at both sides.
        operation = table["kernel.rendezvous"] + copy
        self.own = (look + records * table["monitor.pack_record"] + table["kernel.route_look_up"] + operation + table["link.setup"] + stolen + 3 * switch) / records
        self.relay = (2 * operation + table["kernel.route_look_up"] + table["link.setup"] + table["link.completion"] + 2 * stolen + 4 * switch) / records
        self.wire = packet * 575e-9 / records


def tree_of(arity, workers):
    """Children by node; n0 has one child, n1, and the rest are filled level by level."""
    children = {0: [1]}
    for node in range(1, workers + 1):
        first = arity * (node - 1) + 2
        children[node] = [child for child in range(first, first + arity) if child <= workers]
    return children


def steady_state(children, te, be, bf, bm, monitor):
    """Tasks and records a second at the manager: facts of docs/model/overhead_formulas.md, and each record of a node below costs `relay`."""
    a = te + be + EXECUTED * (monitor.probe + monitor.own)
    b = bf + FORWARDED * (monitor.probe + monitor.own)
    left = 1 - monitor.looking
    full = False

    def rate(node):
        nonlocal full
        below = [rate(child) for child in children[node]]
        tasks, records = sum(t for t, _ in below), sum(r for _, r in below)
        if node == 0:
            share = min(1.0, left / (tasks * bm + records * monitor.relay))
            full = full or share < 1 or (records + 2 * tasks) * monitor.wire > MOST_OF_LINK
            return tasks * share, records * share
        load = tasks * b + records * monitor.relay
        share = min(1.0, left / load) if load > 0 else 1.0
        full = full or (share < 1 and monitor.relay > 0)
        computed = (left - share * load) / a
        return computed + share * tasks, share * records + EXECUTED * computed + FORWARDED * share * tasks

    return rate(0)[0], full


FARMS = [("chain", n) for n in (2, 4, 8, 16, 31)] + [("binary", n) for n in (3, 7, 15, 31)] + [("ternary", n) for n in (4, 13, 31)]
CASES = [(tree, n, te, monitor) for monitor in ("kept", "unloaded") for te in (2000, 10000, 50000) for tree, n in FARMS]


def found(folder, settings, tree, workers, te_us, monitor):
    # The formulas take for granted that no node is ever without a task: long chains of short tasks need buffers for that.
    buffers = 16 if tree == "chain" and workers > 8 else 4
    tasks = max(4000, (200 + 20 * buffers) * workers)
    room = 4 * tasks + 64
    shape = f"chain:{workers + 1}" if tree == "chain" else f"tree:{ARITY[tree]}:{workers + 1}"
    (folder / "machine.yaml").write_text(tool.call(["topology", "make", shape, "--gateway"], folder, SECONDS).stdout)
    (folder / "tasks.dat").write_text(f"0  0 0 0  {te_us} 0 0  0 0 0  0 0 0  0 0 0\n")
    (folder / "case.yaml").write_text(
        f"version: 1\nname: case\nmachine: machine.yaml\nfarm: {{nodes: {workers + 1}, tree: {tree}, tasks: {tasks}, buffers: {buffers}}}\n"
        f"application: {{tasks: tasks.dat, task_bytes: {BYTES}, result_bytes: {BYTES}}}\n")
    more = {"none": [], "kept": ["--set", f"monitor.unload=10000s/{room}/{room}", "--set", f"monitor.buffer={room}"],
            "unloaded": ["--set", f"monitor.unload=10000s/{BATCH_BOUND}/{BATCH_BOUND}"]}[monitor]
    return json.loads(tool.call(["predict", "case.yaml", "--run", "--json", *more, *settings], folder, SECONDS, (0,)).stdout)


def overheads(folder, settings, te_us):
    """be, bf and bm of the farm without the monitor (docs/model/overhead_formulas.md)."""
    one, two = (found(folder, settings, "chain", workers, te_us, "none") for workers in (1, 2))
    a = 1 / one["run"]["tasks_per_second"]
    r = two["run"]["tasks_per_second"] * a - 1
    return a - te_us * 1e-6, a * (1 - r), two["costs"]["manager_s"]


def main():
    number, folder, settings = int(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3:]
    tree, workers, te_us, monitor = CASES[number - 1]
    be, bf, bm = overheads(folder, settings, te_us)
    table = Table(folder, settings)
    price, nothing = Monitor(table, monitor == "unloaded"), Monitor(table, False)
    nothing.probe = nothing.looking = 0.0
    children = tree_of(ARITY[tree], workers)
    plain, _ = steady_state(children, te_us * 1e-6, be, bf, bm, nothing)
    rate, full = steady_state(children, te_us * 1e-6, be, bf, bm + 2 * price.probe, price)
    ran = found(folder, settings, tree, workers, te_us, monitor)
    measured = ran["run"]["tasks_per_second"]
    error = rate / measured - 1
    problems = [f"off by {error * 100:+.2f} %: {tree}, {workers} workers, {te_us} us, {monitor}"] if not full and abs(error) > TOLERANCE else []
    cases.end(problems, tree=tree, workers=workers, te_ms=te_us / 1000, monitor=monitor, without=plain, formula=rate, run=measured, full=full,
              error=None if full else 100 * error, full_error=100 * error if full else None, predict_error=100 * (ran["tasks_per_second"] / measured - 1))


if __name__ == "__main__":
    main()
