"""Lines typed into magicwire shell, and what its answers look like."""
import re

ROWS = re.compile(r"^(n\d+|h) +\[(\d+)\] +(\d+) +(\d+) (A|BR|BS) +\((-?\d+), ([0-9a-f]+)\) +(\S+)$", re.M)


def typed(box, file, lines, *options):
    return box.run("shell", file, *options, input="\n".join(lines) + "\n")


def machine(box, name):
    return box.source / "topologies/machines" / f"{name}.yaml"


def example(box, name):
    return box.source / "examples/thesis" / f"{name}.yaml"


def hash_of(text):
    return re.search(r"run hash +(\w+)", text)[1]
