#!/usr/bin/env python3
"""Holds schemas, documents and program together. For each kind of file in KINDS:

  - its JSON Schema is a valid one and shows every key in an example;
  - what is delivered, what the program itself makes, every ```yaml block of its document and every good text pass the schema, and the program reads them;
  - every bad text is refused by the schema, and by the program with exit code 3.

    schema_test.py --magicwire FILE --source DIR [--cases all|trace-tools] [NAME ...]

A NAME picks kinds. Ends with 1 when something does not hold. Every ```yaml block of the repository must belong to a kind.
"""
import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import jsonschema
    import yaml
except ImportError as missing:
    sys.exit(f"schema_test: {missing}; install python3-jsonschema and python3-yaml (scripts/setup does)")

from schema_texts import KINDS

BAD_INPUT = 3
BLOCK = re.compile(r"^```yaml\n(.*?)^```$", re.M | re.S)


class Loader(yaml.SafeLoader):
    """YAML 1.2: `on`, `off`, `yes` and `no` are words."""


Loader.yaml_implicit_resolvers = {
    letter: [entry for entry in resolvers if entry[0] != "tag:yaml.org,2002:bool" or letter in "tTfF"]
    for letter, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


class Test:
    def __init__(self, magicwire, source, folder):
        self.magicwire, self.source, self.folder = magicwire, source, folder
        self.failures = []
        self.count = 0

    def holds(self, condition, message):
        self.count += 1
        if not condition:
            self.failures.append(message)
            print(f"FAILED  {message}")

    def program(self, kind, path):
        machines = str(self.source / "topologies" / "machines")
        return self.run([str(path) if word == "FILE" else word.replace("MACHINES", machines) for word in kind.command])

    def run(self, command):
        return subprocess.run([self.magicwire, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120, check=False)

    def program_on(self, kind, text):
        path = self.folder / kind.folder / "example.yaml"
        for place in [path, *(self.folder / need for need in kind.needs)]:
            place.parent.mkdir(parents=True, exist_ok=True)
        for need in kind.needs:
            if not (self.folder / need).exists():
                (self.folder / need).symlink_to(self.source / need)
        path.write_text(text, encoding="utf-8")
        return self.program(kind, path)

    def good(self, kind, validator, what, text, result):
        data = yaml.load(text, Loader=Loader)
        problems = [] if validator is None else [f"{list(error.path)}: {error.message}" for error in validator.iter_errors(data)]
        self.holds(not problems, f"{what} is refused by {kind.schema}: {problems}")
        self.holds(result.returncode == 0, f"{what} is refused by the program: {result.stderr}")
        return data

    def examples(self, kind):
        """(name, text) of each ```yaml block."""
        for document in [kind.document, *kind.others]:
            page = (self.source / document).read_text(encoding="utf-8")
            blocks = list(BLOCK.finditer(page))
            self.holds(blocks, f"{document} has no ```yaml block")
            for block in blocks:
                yield f"{document}:{page.count(chr(10), 0, block.start()) + 1}", block[1]

    def one_kind(self, kind):
        validator = None
        if kind.schema:
            schema = json.loads((self.source / kind.schema).read_text(encoding="utf-8"))
            jsonschema.Draft202012Validator.check_schema(schema)
            validator = jsonschema.Draft202012Validator(schema)
        seen = set()
        for pattern in kind.delivered:
            paths = sorted(self.source.glob(pattern))
            self.holds(paths, f"{pattern} matches no file")
            for path in paths:
                seen |= set(self.good(kind, validator, path.name, path.read_text(encoding="utf-8"), self.program(kind, path)))
        made = [(f"magicwire {line}", self.run(line.split())) for line in kind.made]
        for what, result in made:
            self.holds(result.returncode == 0, f"{what} ends with {result.returncode}: {result.stderr}")
        printed = [(what, result.stdout) for what, result in made]
        for what, text in [*self.examples(kind), *printed, *((f"{kind.name}, good text {i}", text) for i, text in enumerate(kind.good))]:
            seen |= set(self.good(kind, validator, what, text, self.program_on(kind, text)))
        for what, text in kind.bad.items():
            self.holds(not (validator and validator.is_valid(yaml.load(text, Loader=Loader))), f"{kind.name} with {what} passes {kind.schema}")
            result = self.program_on(kind, text)
            self.holds(result.returncode == BAD_INPUT, f"{kind.name} with {what} ends with {result.returncode}: {result.stderr}")
        if validator:
            self.holds(seen == set(schema["properties"]), f"keys without an example: {set(schema['properties']) - seen}")

    def every_block_has_a_kind(self):
        known = {document for kind in KINDS for document in [kind.document, *kind.others]}
        for path in sorted(self.source.rglob("*.md")):
            name = str(path.relative_to(self.source))
            if name.split("/")[0] in {"build", "out"} or name in known:
                continue
            self.holds(not BLOCK.search(path.read_text(encoding="utf-8")), f"{name} has a ```yaml block that no kind of schema_test.py tests")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--magicwire", type=Path, required=True)
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--cases", choices=["all", "trace-tools"], default="all")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="magicwire_schema.") as folder:
        test = Test(options.magicwire.resolve(), options.source.resolve(), Path(folder))
        for kind in KINDS:
            if kind.simulation and options.cases != "all":
                continue
            if not options.names or kind.name in options.names:
                test.one_kind(kind)
        test.every_block_has_a_kind()
    print(f"{test.count - len(test.failures)} of {test.count} checks passed")
    return 1 if test.failures else 0


if __name__ == "__main__":
    sys.exit(main())
