"""The kinds of file that have a schema, with good and bad texts (schema_test.py)."""
from dataclasses import dataclass, field

from scenario_texts import BAD_SCENARIOS, GOOD_SCENARIOS


@dataclass
class Kind:
    """One kind of file: SCHEMA and paths as seen from the repository's root, texts as YAML."""

    name: str
    document: str  # its ```yaml blocks are examples; those of OTHERS too
    command: list  # of the program, FILE stands for the file
    schema: str = ""  # none: the program alone decides
    others: list = field(default_factory=list)
    delivered: list = field(default_factory=list)  # globs
    made: list = field(default_factory=list)  # commands of the program that print such a file
    good: list = field(default_factory=list)
    bad: dict = field(default_factory=dict)  # what is wrong: text
    folder: str = "."  # where the texts are to lie, when they name other files ...
    needs: list = field(default_factory=list)  # ... which are these
    simulation: bool = False  # the command is only there with the simulator


STUDY = "version: 1\nname: t\nscenario: farm.yaml\n"
MACHINE = "version: 1\nname: t\nnodes: {count: 4, ram: 4MiB}\nunreachable: allowed\nhost: n0.0\n"
SWITCH = MACHINE + "switches: {x0: {wires: [n0.1 - 0, n1.0 - 1], connect: [0 - 1]}}\n"


def machine(old, new):
    """A machine with one thing changed."""
    assert old in SWITCH, old
    return SWITCH.replace(old, new)


MODEL = """format: magicwire.fault-model/1
name: m
order: one by one
messages: [{name: item, way: down, label: Passing}]
places: [{at: root, steps: [{by: f(), send: item, to: each child}]}]
"""


def model(old, new):
    """A fault model with one thing changed."""
    assert old in MODEL, old
    return MODEL.replace(old, new)


BAD_MODELS = {
    "another format": model("model/1", "model/2"),
    "no name": model("name: m\n", ""),
    "a name with a space": model("name: m", "name: m n"),
    "an unknown order": model("one by one", "two by two"),
    "no message": model("[{name: item, way: down, label: Passing}]", "[]"),
    "a message without way": model("way: down, ", ""),
    "an unknown way": model("way: down", "way: across"),
    "an unknown kind of send": model("label: Passing", "label: Passing, sends: later"),
    "an empty label": model("label: Passing", 'label: ""'),
    "no place": model("[{at: root, steps: [{by: f(), send: item, to: each child}]}]", "[]"),
    "an unknown node": model("at: root", "at: top"),
    "an unknown unit": model("at: root", "at: root, for: second"),
    "no step": model("[{by: f(), send: item, to: each child}]", "[]"),
    "an empty step": model("{by: f(), send: item, to: each child}", "{}"),
    "a send to nobody": model(", to: each child", ""),
    "an unknown receiver": model("each child", "some child"),
    "an unknown key of a step": model("by: f()", "be: f()"),
    "an unknown key": MODEL + "node: []\n",
    "an assumption that is no list": MODEL + "assumes: nothing fails\n",
}

SHAPES = ["chain:1", "ring:32", "tree:3:40", "mesh:6x8", "torus:4x5", "hypercube:16", "star:5", "complete:5", "debruijn:16", "random:24:7"]

BAD_MACHINES = {
    "no version": machine("version: 1\n", ""),
    "another version": machine("version: 1", "version: 2"),
    "no name": machine("name: t\n", ""),
    "a name with a space": machine("name: t", "name: a b"),
    "a name that begins with a digit": machine("name: t", "name: 8t"),
    "no nodes": machine("nodes: {count: 4, ram: 4MiB}\n", ""),
    "no count": machine("count: 4, ", ""),
    "no node": machine("count: 4", "count: 0"),
    "too many nodes": machine("count: 4", "count: 16385"),
    "a count in words": machine("count: 4", "count: four"),
    "no memory": machine(", ram: 4MiB", ""),
    "memory without measure": machine("ram: 4MiB", "ram: much"),
    "too little memory": machine("ram: 4MiB", "ram: 65535"),
    "memory in MB": machine("ram: 4MiB", "ram: 4MB"),
    "a clock without unit": machine("ram: 4MiB", "ram: 4MiB, clock: 20"),
    "an unknown key of nodes": machine("ram: 4MiB", "ram: 4MiB, rom: 1MiB"),
    "a core that is none": machine("ram: 4MiB", "ram: 4MiB, core: t414"),
    "an override of no node": machine("ram: 4MiB", "ram: 4MiB, override: {x0: {ram: 1MiB}}"),
    "an unknown key of an override": machine("ram: 4MiB", "ram: 4MiB, override: {n1: {count: 1}}"),
    "an unknown key": MACHINE + "link: []\n",
    "a link speed that a T800 lacks": MACHINE + "link_speed: 15Mbit/s\n",
    "a link speed of a node that a T800 lacks": machine("ram: 4MiB", "ram: 4MiB, link_speed: 15Mbit/s"),
    "speeds of three links": machine("ram: 4MiB", "ram: 4MiB, link_speed: [20Mbit/s, 20Mbit/s, 20Mbit/s]"),
    "a link speed of a switch that a T800 lacks": machine("x0: {", "x0: {link_speed: 1Mbit/s, "),
    "a processor that the model lacks": machine("ram: 4MiB", "ram: 4MiB, type: T414-20"),
    "a revision that a C004 lacks": machine("x0: {", "x0: {revision: C, "),
    "boards that are a list": SWITCH + "boards: [n0]\n",
    "a board with an unknown key": SWITCH + "boards: {b: {slot: [n0]}}\n",
    "a board with neither nodes nor switches": SWITCH + "boards: {b: {}}\n",
    "a board with a link in a slot": SWITCH + "boards: {b: {slots: [n0.1]}}\n",
    "a board whose name begins with a digit": SWITCH + "boards: {8b: {slots: [n0]}}\n",
    "no host": machine("host: n0.0\n", ""),
    "an empty host": machine("host: n0.0", "host:"),
    "a host at a fifth link": machine("host: n0.0", "host: n0.4"),
    "a host at a node": machine("host: n0.0", "host: n0"),
    "a host at a way above 31": machine("host: n0.0", "host: x0.32"),
    "a host at a host": machine("host: n0.0", "host: host.1"),
    "five connections of the host": machine("host: n0.0", "host: [n0.0, none, none, null, n0.2]"),
    "a map of connections of the host": machine("host: n0.0", "host: {0: n0.0}"),
    "a wire with one end": MACHINE + "links: [n0.1]\n",
    "a wire with three ends": MACHINE + "links: [n0.1 - n1.0 - n2.0]\n",
    "a wire to a fifth link": MACHINE + "links: [n0.1 - n1.4]\n",
    "a wire to a switch among the links": SWITCH + "links: [n0.2 - x0.3]\n",
    "a wire to the host among the links": MACHINE + "links: [n0.1 - host.1]\n",
    "links that are no list": MACHINE + "links: n0.1 - n1.0\n",
    "switches that are a list": MACHINE + "switches: [x0]\n",
    "a switch named like a node": machine("x0:", "n7:"),
    "a switch named host": machine("x0:", "host:"),
    "a switch that is empty": MACHINE + "switches: {x0: }\n",
    "an unknown key of a switch": machine("connect:", "connections:"),
    "a way above 31": machine("n0.1 - 0", "n0.1 - 32"),
    "a wire to a way with its switch": machine("n0.1 - 0", "n0.1 - x0.0"),
    "a fifth connection of the host": machine("n0.1 - 0", "host.4 - 0"),
    "a connection of three ways": machine("[0 - 1]", "[0 - 1 - 2]"),
    "a connection of a node": machine("[0 - 1]", "[0 - n1.0]"),
    "control without a list": SWITCH + "control: x0\n",
    "control without lists": SWITCH + "control: [x0]\n",
    "no control connection": SWITCH + "control: []\n",
    "an empty control connection": SWITCH + "control: [[x0], []]\n",
    "three control connections": machine("x0:", "x1: {}, x2: {}, x0:") + "control: [[x0], [x1], [x2]]\n",
    "a switch twice on a control connection": SWITCH + "control: [[x0, x0]]\n",
    "a node on a control connection": SWITCH + "control: [[n0]]\n",
    "interrupts without master": MACHINE + "interrupts: {}\n",
    "interrupts of a switch": SWITCH + "interrupts: {master: x0}\n",
    "an unknown key of interrupts": MACHINE + "interrupts: {master: n0, slaves: n1}\n",
    "a weight of 0": SWITCH + "weights: {n0.1 - n1.0: 0}\n",
    "a weight that is no whole number": SWITCH + "weights: {default: 1.5}\n",
    "a weight beyond the largest": SWITCH + "weights: {default: 65536}\n",
    "a weight of a way": SWITCH + "weights: {n0.1 - x0.0: 2}\n",
    "a weight of one end": SWITCH + "weights: {n0.1: 2}\n",
    "a node that does not compute, twice": MACHINE + "waste: [n1, n1]\n",
    "a host that does not compute": MACHINE + "waste: [host]\n",
    "a boot order with the host": MACHINE + "boot_order: [host, n0]\n",
    "a word that is none for asks": MACHINE + "asks: all\n",
    "something to ask for that there is not": MACHINE + "asks: [ram, disk]\n",
    "a word that is none for unreachable": machine("unreachable: allowed", "unreachable: yes"),
}

FAULTS = "version: 1\nfaults:\n  - {die: n5, at: 12ms}\n"


def fault(entry):
    return FAULTS.replace("die: n5, at: 12ms", entry)


BAD_FAULTS = {
    "no version": FAULTS.replace("version: 1\n", ""),
    "another version": FAULTS.replace("version: 1", "version: 2"),
    "no list": "version: 1\n",
    "a map of faults": "version: 1\nfaults: {die: n5, at: 12ms}\n",
    "an unknown key": FAULTS + "seeds: 1\n",
    "a negative seed": FAULTS + "seed: -1\n",
    "an unknown verb": fault("dye: n5, at: 12ms"),
    "no verb": fault("at: 12ms"),
    "two verbs": fault("die: n5, halt: n5, at: 12ms"),
    "no moment": fault("die: n5"),
    "two moments": fault("die: n5, at: 12ms, rate: 1"),
    "a time and a step": fault("flip: n0.1 - n1.0, at: 12ms, on: {task: 1, step: start}"),
    "a time without unit": fault("die: n5, at: 12"),
    "a node that is none": fault("die: x0, at: 12ms"),
    "a link with one end": fault("cut: n0.1, at: 12ms"),
    "a direction that is none": fault("cut: n0.1 - n1.0, direction: up, at: 12ms"),
    "a way above 31": fault("switch_stuck: x0.32, at: 12ms"),
    "a way of a node": fault("miswire: x0.5, to: 32, at: 12ms"),
    "an end of what has none": fault("die: n5, at: 12ms, for: 1ms"),
    "two ends": fault("cut: n0.1 - n1.0, at: 12ms, until: 14ms, for: 1ms"),
    "an end of one packet": fault("flip: n0.1 - n1.0, at: 12ms, for: 1ms"),
    "a step without task": fault("die: n5, on: {step: start}"),
    "a step that is none": fault("die: n5, on: {task: 1, step: run}"),
    "an unknown key of a step": fault("die: n5, on: {task: 1, step: start, process: join}"),
    "a rate of nothing": fault("die: n5, rate: 0"),
    "no factor": fault("slow: n5, at: 12ms"),
    "a factor below 1": fault("slow: n5, factor: 0.5, at: 12ms"),
    "no size": fault("memory: n5"),
    "a size in MB": fault("memory: n5, size: 1MB"),
    "memory at a time": fault("memory: n5, size: 512KiB, at: 12ms"),
}

BUGS = "version: 1\nbugs:\n  - {kind: early-end, task: 49, process: compute}\n"


def bug(entry):
    return BUGS.replace("kind: early-end, task: 49, process: compute", entry)


BAD_BUGS = {
    "no version": BUGS.replace("version: 1\n", ""),
    "another version": BUGS.replace("version: 1", "version: 2"),
    "no list": "version: 1\n",
    "a map of bugs": "version: 1\nbugs: {kind: early-end, task: 49, process: compute}\n",
    "an unknown key": BUGS + "seed: 1\n",
    "an unknown key of a bug": bug("kind: early-end, task: 49, process: compute, at: 12ms"),
    "an unknown kind": bug("kind: early-start, task: 49, process: compute"),
    "no bug": bug("kind: none, task: 49, process: compute"),
    "no kind": bug("task: 49, process: compute"),
    "no process": bug("kind: early-end, task: 49"),
    "no task": bug("kind: early-end, process: compute"),
    "an unknown process": bug("kind: early-end, task: 49, process: boot"),
    "a process without the kind": bug("kind: unexpected, task: 49, process: post-process"),
    "a process without output": bug("kind: wrong-result, task: 49, process: post-process"),
    "a task that is none": bug("kind: early-end, task: first, process: compute"),
    "a negative task": bug("kind: early-end, task: -1, process: compute"),
    "a range without end": bug("kind: early-end, task: 10-, process: compute"),
    "no task in the list": bug("kind: early-end, task: [], process: compute"),
    "any in a list": bug("kind: early-end, task: [any], process: compute"),
    "a sub-task that is none": bug("kind: early-end, task: 49, subtask: 01x0, process: compute"),
    "a node that is none": bug("kind: early-end, task: 49, process: compute, node: 5"),
    "no occurrence": bug("kind: early-end, task: 49, process: compute, occurrence: 0"),
    "no probability": bug("kind: early-end, task: 49, process: compute, probability: 0"),
    "a probability above 1": bug("kind: early-end, task: 49, process: compute, probability: 1.5"),
    "a task of a process that is not there": bug("kind: never-started, task: 49, process: compute"),
    "a probability of a process that is not there": bug("kind: never-started, process: compute, probability: 0.5"),
    "no factor": bug("kind: slow, task: 49, process: compute"),
    "a factor of 1": bug("kind: slow, task: 49, process: compute, factor: 1"),
    "a factor of another kind": bug("kind: early-end, task: 49, process: compute, factor: 2"),
    "no identity": bug("kind: wrong-identity, task: 49, process: compute"),
    "a negative identity": bug("kind: wrong-identity, task: 49, process: compute, identity: -1"),
    "no size": bug("kind: wrong-size, task: 49, process: compute"),
    "a size beyond every message": bug("kind: wrong-size, task: 49, process: compute, bytes: 1048577"),
    "no byte": bug("kind: wild-write, task: 49, process: compute, bytes: 0"),
}

KINDS = [
    Kind(
        name="machine",
        schema="schemas/machine.schema.json",
        document="docs/formats/machine_file.md",
        others=["topologies/README.md", "docs/guide/t800_boot.md"],
        delivered=["topologies/machines/*.yaml", "topologies/machines/historic/*.yaml"],
        command=["describe", "FILE"],
        made=[f"topology make {shape}" for shape in SHAPES] + ["topology make torus:4x5 --gateway --through-switches", "topology make ubc:75"],
        good=[
            MACHINE,
            SWITCH,
            machine("ram: 4MiB", "ram: 65536, clock: 17.5 MHz, override: {n3: {clock: 25MHz}, n1: {ram: 1.5MiB}}"),
            machine("host: n0.0\n", "").replace("[n0.1 - 0, ", "[host - 31, host.3 - 2, n0.1 - 0, "),
            machine("host: n0.0", "host: [null, n0.0, none, x0.30]"),
            machine("host: n0.0", "host: none") + "link_speed: 5 Mbit/s\n",
            SWITCH + "weights: {default: 2, n0.1 - n1.0: 65535, host-n0.0: 1}\nwaste: [n0, n3]\nboot_order: [n0, n1]\n",
            machine("ram: 4MiB", "ram: 4MiB, type: T800-30, link_speed: [20Mbit/s, 20 Mbit/s, 10Mbit/s, 5000 kbit/s]"),
            machine("ram: 4MiB", "ram: 4MiB, core: t800, override: {n1: {core: kernel}}"),
            machine("ram: 4MiB", "ram: 4MiB, type: T800-17, override: {n1: {type: T800-25, link_speed: 20Mbit/s}}"),
            machine("x0: {", "x0: {revision: A, link_speed: 20Mbit/s, "),
            SWITCH + "boards: {b-1: {slots: [n0, none, null, n1]}, B.2: {switches: [x0]}}\n",
            machine("x0:", "host2: {}, null_: {}, n3a: {wires: [x0.31 - 31]}, x0:"),
        ],
        bad=BAD_MACHINES,
    ),
    Kind(
        name="faults",
        schema="schemas/faults.schema.json",
        document="docs/formats/fault_file.md",
        delivered=["topologies/faults/*.faults"],
        command=["faults", "FILE", "--machine", "MACHINES/btree_8_c004.yaml"],
        good=[
            "version: 1\nfaults: []\n",
            FAULTS + "seed: 0\n",
            fault("cut: host - n0.0, at: 1.5 ms, until: 2s"),
            fault("flip: x0.3 - n2.0, direction: backward, rate: 1, on: {task: 0, subtask: 00f0, step: receive}, for: 1us"),
            fault("memory: n5, size: 65536"),
        ],
        bad=BAD_FAULTS,
    ),
    Kind(
        name="bugs",
        schema="schemas/bugs.schema.json",
        document="docs/formats/bug_list.md",
        delivered=["examples/bugs/*.bugs"],
        command=["bugs", "FILE"],
        good=[
            "version: 1\nbugs: []\n",
            bug("kind: unexpected, task: any, process: generate"),
            bug("kind: wrong-size, task: 0, process: join, bytes: 0, occurrence: 1, probability: 1"),
            bug("kind: slow, task: [1, 3-5], subtask: 00f0, process: split, node: n2, factor: 1.5"),
            bug("kind: never-started, process: post-process"),
            bug("kind: wild-write, task: 7-9, process: post-process"),
        ],
        bad=BAD_BUGS,
        simulation=True,
    ),
    Kind(
        name="models",
        schema="schemas/fault_model.schema.json",
        document="docs/formats/fault_model.md",
        delivered=["tmon/models/models/*.yaml", "examples/models/*.yaml"],
        command=["models", "FILE"],
        good=[
            model("label: Passing", "label: Passing, sends: buffered"),
            model("order: one by one", "unit: step\norder: one by one"),
            model("at: root", "at: every node, for: last"),
        ],
        bad=BAD_MODELS,
    ),
    Kind(
        name="study",
        schema="schemas/study.schema.json",
        document="docs/formats/study_file.md",
        delivered=["examples/studies/buffers.yaml"],
        command=["study", "FILE", "--dry-run"],
        good=[
            STUDY + "axes: {seed: [1, 2]}\nmeasures: {us: execution_us}\n",
            STUDY + "axes: {seed: [1, 2], farm.buffers: [1, 2]}\ncombine: zip\nmeasures: {us: execution_us}\n",
            STUDY + "axes: {seed: {from: 1, to: 9, step: 2}}\ncombine: {latin: 5, seed: 2}\nmeasures: {us: execution_us, half: = us / 2}\n",
            "version: 1\nname: t\naxes: {scenario: [farm.yaml]}\nmeasures: {end: end}\n",
            STUDY + "axes: {application.grain: {from: 1ms, to: 9ms, steps: 3, scale: log}, seed: 1..2}\nmeasures: {us: execution_us}\n",
            STUDY + "axes: {fault: {template: 'die {node} at {at}', places: {node: n1..n2, at: {from: 1ms, to: 2ms}}, draw: 3, seed: 2}}\nmeasures: {us: execution_us}\n",
            STUDY + "axes: {seed: [1]}\ncommands: {facts: 'cat {out}/oracle.json', same: {run: 'cat {out}/oracle.json', files: []}}\nmeasures: {hash: facts.schema, other: same.schema}\n",
            "version: 1\nname: t\nscenario: {command: \"sh -c 'echo $0; cp $1 $2 $3' {number} farm.yaml short.dat {folder}\", file: farm.yaml, files: [farm.yaml]}\n"
            "axes: {number: [1]}\nmeasures: {us: execution_us, made: made}\n",
            STUDY + "axes: {farms: {few: {farm.tasks: 9, farm.buffers: 1}, many: {farm.tasks: 20}}, seed: [1]}\nmeasures: {us: execution_us}\n",
            "version: 1\nname: t\nscenario: none\naxes: {number: 1..2}\ncommands: {same: 'echo {number}'}\nmeasures: {n: same}\n",
        ],
        bad={
            "no axis": STUDY + "axes: {}\nmeasures: {us: execution_us}\n",
            "an empty axis": STUDY + "axes: {seed: []}\nmeasures: {us: execution_us}\n",
            "a value twice": STUDY + "axes: {seed: [1, 1]}\nmeasures: {us: execution_us}\n",
            "no measure": STUDY + "axes: {seed: [1]}\n",
            "an unknown key": STUDY + "axes: {seed: [1]}\nmeasures: {us: execution_us}\nrepeats: 3\n",
            "a command without a run": STUDY + "axes: {seed: [1]}\ncommands: {facts: 'cat'}\nmeasures: {us: execution_us}\n",
            "a scenario made nowhere": "version: 1\nname: t\nscenario: {command: 'cat {number}'}\naxes: {number: [1]}\nmeasures: {us: execution_us}\n",
            "a scenario made by nobody": "version: 1\nname: t\nscenario: {file: farm.yaml}\naxes: {number: [1]}\nmeasures: {us: execution_us}\n",
            "a group of nothing": STUDY + "axes: {farms: {few: {}}}\nmeasures: {us: execution_us}\n",
            "a template without places": STUDY + "axes: {fault: {template: 'die n1 at 1ms'}}\nmeasures: {us: execution_us}\n",
            "a draw of none": STUDY + "axes: {fault: {template: 'die {n}', places: {n: n1..n2}, draw: 0}}\nmeasures: {us: execution_us}\n",
            "two draws": STUDY + "axes: {seed: [1]}\nmeasures: {us: execution_us}\ncombine: {latin: 1, random: 1}\n",
            "a name with a dot": STUDY + "axes: {seed: [1]}\nmeasures: {u.s: execution_us}\n",
        },
        folder="examples/studies",
        needs=["topologies", "examples/studies/farm.yaml", "examples/studies/short.dat"],
        simulation=True,
    ),
    Kind(
        name="scenario",
        schema="schemas/scenario.schema.json",
        document="docs/formats/scenario_file.md",
        command=["run", "FILE", "--exit-zero"],
        good=GOOD_SCENARIOS,
        bad=BAD_SCENARIOS,
        folder="examples/thesis",
        needs=["topologies", "examples/thesis/dc8.dat", "examples/bugs"],
        simulation=True,
    ),
]
