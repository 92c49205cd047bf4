"""Scenarios for schema_test.py: texts that schema and program take, and texts that both refuse."""

SCENARIO = """version: 1
name: small
machine: ../../topologies/machines/btree_8_c004.yaml
farm: {nodes: 8, tree: binary, tasks: 4}
application: {tasks: dc8.dat}
"""

HALO = "version: 1\nname: h\nmachine: ../../topologies/machines/btree_8_c004.yaml\nhalo: {tree: binary, nodes: 8, steps: 4, cells: 2, step_us: 10, bugs: [{process: step_fn, node: n3, step: 2, kind: crash}]}\n"


def scenario(old, new):
    assert old in SCENARIO, old
    return SCENARIO.replace(old, new)


BAD_SCENARIOS = {
    "no version": scenario("version: 1\n", ""),
    "another version": scenario("version: 1", "version: 2"),
    "no name": scenario("name: small\n", ""),
    "an unknown key": SCENARIO + "link: byte\n",
    "an unknown key of the farm": scenario("tasks: 4", "tasks: 4, grain: 3"),
    "no such level of links": SCENARIO + "links: bit\n",
    "a list of folders": SCENARIO + "files: [a, b]\n",
    "a negative seed": SCENARIO + "seed: -1\n",
    "a tree that is none": scenario("binary", "fourfold"),
    "too many sub-tasks": scenario("tasks: 4", "tasks: 4, degree: 17"),
    "a priority that is none": scenario("tasks: 4", "tasks: 4, managers: medium"),
    "a short message": scenario("dc8.dat", "dc8.dat, task_bytes: 3"),
    "a grain without unit": scenario("dc8.dat", "dc8.dat, grain: 10"),
    "a time without unit": SCENARIO + "end: {quiet: 100}\n",
    "a monitor that is on": SCENARIO + "monitor: on\n",
    "a monitor that is none": SCENARIO + "monitor: {kind: tmon-dx, unload: adaptive}\n",
    "an unload command of two parts": SCENARIO + "monitor: {unload: [[1s, 8]]}\n",
    "a class that is none": SCENARIO + "monitor: {unload: adaptive, events: [tsk]}\n",
    "a load above 100": SCENARIO + "monitor: {unload: adaptive, link_percent: 101}\n",
    "a halo without a step": HALO.replace("steps: 4", "steps: 0"),
    "an unknown key of the halo": HALO.replace("cells: 2", "cell: 2"),
    "a bug of a halo in no process": HALO.replace("process: step_fn", "process: step"),
    "a bug of a halo on no node": HALO.replace("n3", "3"),
    "an order of two kinds": SCENARIO + "reconfigure: [{at: 1s, connect: {}, to: x.yaml}]\n",
}

GOOD_SCENARIOS = [
    SCENARIO,
    scenario("tasks: 4", "tasks: 4, depth: 7, buffers: 1000, survives: yes") + "links: byte\nfiles: .\nfault: slow n5 factor 2 at 1ms\n",
    scenario("tasks: 4", "tasks: 60") + "monitor: off\nend: {limit: 5s}\nfaults: ../../topologies/faults/slow.faults\nbugs: ../bugs/crash.bugs\n",
    SCENARIO + "bug: 'kind: slow, task: 1, process: compute, factor: 2'\n",
    SCENARIO + "bug: [{kind: slow, task: 1, process: compute, factor: 2}]\n",
    HALO + "monitor: {unload: [[1s, 8, 8]]}\n",
    HALO.replace("step_fn, node: n3, step: 2, kind: crash", "exchange, node: n3, step: 4, kind: lose, to: n1"),
    SCENARIO + "monitor: {unload: adaptive, processor_percent: 20, adaptive: {links: 0}, events: task+message}\n",
]
