#!/usr/bin/env python3
"""Holds what the commands print as JSON against schemas/outputs and the documents:

  - every object with a `schema`, in what any command prints or writes, passes the JSON Schema of that name;
  - each schema has a row in docs/formats/json_outputs.md whose page tells of it, and each name in the sources has a schema;
  - each schema is met by some output here, and no schema file is left over;
  - errors under --json are objects, too: every command is asked for something it cannot do.

    output_schema_test.py --magicwire FILE --source DIR [--cases all|trace-tools] [--collect FOLDER]

--collect FOLDER keeps the objects, a file a schema name. Ends with 1 when something does not hold.
"""
import argparse
import json
import re
import sqlite3
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

try:
    import jsonschema
except ImportError as missing:
    sys.exit(f"output_schema_test: {missing}; install python3-jsonschema (scripts/setup does)")

NAME = re.compile(r"magicwire\.[a-z_]+/\d+")
ROW = re.compile(r"^\| `(magicwire\.[a-z_]+/\d+)` \| [^|]+ \| `(schemas/[^`]+)` \| [^|]*\(([^)#]+)(?:#[^)]*)?\)", re.M)
PAGE = "docs/formats/json_outputs.md"
TASK = "0  20 10 0  140 1000 0  10 10 0  100 10 0  100 10 0\n"
TRACE = {
    "t.spf": "2 1 1 1 1\n",
    "t.tvm": "10 0 send 1 0 0000\n20 1 recv 0 0 0000\n30 1 send 0 0 0000\n40 0 recv 1 0 0000\n",
    "t.config": "magicwire-config 1\nsession program-ended\nnodes 2\nnode 0 finished 2 40\nnode 1 finished 2 30\n",
}
ALL = "0 10 0 send 1 0 0000 task 4\n0 20 1 recv 0 0 0000 task 4\n1 30 1 send 0 0 0000 result 4\n1 40 0 recv 1 0 0000 result 4\n"
FARM = "farm: {nodes: 4, tree: chain, tasks: 8}\napplication: {tasks: tasks.dat}\n"
MACHINE = "version: 1\nname: four\nnodes: {count: 4, ram: 4MiB}\nhost: n0.0\nlinks: [n0.1 - n1.0, n1.1 - n2.0, n2.1 - n3.0]\n"
PIPELINE = """format: magicwire.fault-model/1
name: pipeline
order: one by one
messages: [{name: item, way: down, label: Passing}]
places:
  - {at: root, steps: [{by: source_fn(), send: item, to: each child}]}
  - {at: worker, steps: [{receive: item, from: parent}, {by: stage_fn(), send: item, to: each child}]}
"""
FILES = {
    "machine.yaml": MACHINE,
    "star.yaml": MACHINE.replace("nodes: {count: 4", "unreachable: allowed\nnodes: {count: 2"),
    "tasks.dat": TASK,
    "plan.faults": "version: 1\nfaults:\n  - {die: n3, at: 60ms}\n",
    "task.faults": "version: 1\nfaults:\n  - {die: n3, at: 190ms}\n  - {flip: n0.1 - n1.0, rate: 0.001}\n",
    "some.bugs": "version: 1\nbugs: [{kind: early-end, task: 3, process: compute}]\n",
    "s.yaml": f"version: 1\nname: small\nmachine: machine.yaml\n{FARM}monitor: {{unload: [[1000s, 8, 32]]}}\n",
    "plain.yaml": f"version: 1\nname: plain\nmachine: machine.yaml\n{FARM}",
    **TRACE,
    "all.all": ALL,
    "pipeline.yaml": PIPELINE,
    "halo.spf": "2 1 2 1 1\nmodel halo\n", "halo.tvm": "10 0 send 1 0 0\n20 1 send 0 0 0\n", "halo.config": TRACE["t.config"].replace("finished 2", "finished 1"),
    "prog.c": "int main(int count, char** words) { return count - 1; }\n",
    "wait.s": "start: ldlp 4\n ldc 0x80000014\n ldc 4\n in\n",
    "wrong.c": "int main(void) { return wrong; }\n",
    "ring.c": "#include <mpi.h>\nint main(int count, char** words) {\n    int value = 0;\n    MPI_Init(&count, &words);\n"
              "    if (count == 2) MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);\n"
              "    int rank, size;\n    MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n    MPI_Comm_size(MPI_COMM_WORLD, &size);\n"
              "    if (count > 2 && rank > 0) MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);\n"
              "    for (int i = 1; count > 2 && rank == 0 && i < size; ++i)\n"
              "        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n    MPI_Finalize();\n    return 0;\n}\n",
    "mpi.yaml": "version: 1\nname: mpi\nmachine: machine.yaml\napplication: {mpi: ring, np: 2}\nmonitor: {unload: [[1000s, 8, 32]], events: [message]}\n",
    "recorded.yaml": "version: 1\nname: recorded\nmachine: machine.yaml\napplication: {mpi: ring, np: 2, args: [all, race]}\n",
    "all.config": TRACE["t.config"],
    "code.s": "start: ldc 1\n fpuabs\n j start\n ldinf\n",
}
ALWAYS = [
    "describe machine.yaml --json", "costs --json", "topology check machine.yaml --json",
    "describe SOURCE/topologies/machines/historic/b012.yaml --json", "topology solve chain:3 --onto machine.yaml --json",
    "topology solve ring:9 --onto mesh.yaml --steps 2000 --json", "topology solve random:75 --steps 2000 --json",
    "topology solve ring:9 --onto mesh.yaml --fewest-changes --json",
    "bugs --json", "models --json", "models pipeline.yaml --json", "faults --json", "faults plan.faults --machine machine.yaml --json", "tvmfilter -p all --json", "detrek -p t --json", "detrek -p halo --json", "detrek -p t --stamps --json",
    "trace mixed.mwt --json", "export mixed.mwt --to csv -o mixed.csv --json", "clocks mixed.mwt --json", "sort mixed.mwt --json",
    "asm code.s --json", "disasm code.t8 --json",
]
SIMULATED = [
    "settings --json",
    "bugs some.bugs --json", "bugs some.bugs --scenario plain.yaml --json", "run s.yaml --json --out out", "run plain.yaml --json --out plain",
    "run s.yaml --json --stream --out stream", "run s.yaml --json --faults plan.faults --exit-zero", "run s.yaml --json --predict",
    "run s.yaml --json --faults task.faults --set farm.survives=yes --out survived --exit-zero",
    "run s.yaml --json --bugs some.bugs --out bugs --exit-zero", "run s.yaml --report json --exit-zero",
    "run s.yaml --json --fork-at 170ms --what-if seed=2 --what-if seed=3", "detrek -p out/data --json", "detrek -vp bugs/data --json", "trace out --json",
    "clocks out --json", "sort out --json", "sort out --json --suspect-after 1us --give-up-after 5 --crashed n1", "order s.yaml --json", "order s.yaml --json --set monitor.heartbeat=1ms --merge wait --suspect-after 1ms --give-up-after 9ms --crashed n1@1ms",
    "order out --json", "order s.yaml --sweep farm.tasks=3,4 --sweep monitor.flush=0us,2ms --json", "export out --to sqlite -o out.db --json", "top s.yaml --json --exit-zero", "top s.yaml --by-records --json --exit-zero", "overhead s.yaml --json",
    "overhead plain.yaml --set farm.tasks=0 --set monitor.unload=1000s/0/0 --json", "overhead s.yaml --sweep farm.tasks=0,4 --json",
    "overhead s.yaml --sweep seed=1,2 --dry-run --json", "schedule s.yaml --max-overhead 50% --json", "schedule s.yaml --no-loss --json",
    "predict s.yaml --json", "predict plain.yaml --run --topologies chain,binary --json", "validate --only link_20 --json", "study show buffers.db --json",
    "score SOURCE/campaigns/bugs.yaml --part 5/713 -o scored.db --json --progress never",
    "compare plain.yaml --topologies ring:4,chain:3 --json --progress never",
    "run SOURCE/examples/phases/tree_then_ring.yaml --json --out phases", "run SOURCE/examples/halo/heat_bug.yaml --json --out halo --exit-zero", "cc prog.c --json", "boot SOURCE/examples/t800/hello.s --json", "boot SOURCE/examples/t800/farm.s --json --machine chain:2", "boot wait.s --json", "cc prog.c -Wextra --json", "mpirun -np 3 --json ./ring", "mpirun -np 2 --json --tasks --messages ./ring waits", "mpirun -np 3 --json --races --record race.mwo ./ring all race", "races race.mwo --json", "races race.mwo --json --flip all --explore", "mpirun -np 3 --json --replay race.mwo ./ring all race", "run mpi.yaml --json --out mpi --exit-zero", "record recorded.yaml --interval 50ms --out recorded", "evaluate recorded --json", "line recorded --causal P0=2 --json", "record --again recorded --json", "replay recorded --causal P0=2 --json", "farm run pi --compare --json --set farm.tasks=20", "run SOURCE/examples/tmon/all_events.yaml --json --out tmon", "clocks tmon --json",
    "farm run pi --monitor --tasks 20 --out pi_out --json", "isolate pi_out 3 --process compute --alone --dump --json",
    "prepare pi --json", "farm run pi --flowback --tasks 5 --out pi_flowback --json", "flowback pi_flowback --json", "flowback pi_flowback --why pi@pi.c:55 --depth 3 --json",
    "flowback pi_flowback --slice pi@pi.c:55 --json", "flowback pi_flowback --forward n0:data_generator:task@pi.c:26#2 --json", "flowback pi_flowback --state @pi.c:55 --json", "flowback pi_flowback --races --json", "flowback pi_flowback --deadlock --json",
    "story out 3 --json", "story bugs 3 --json", "why bugs 3 --json", "why bugs 7 --json",
]
SHELL = "status\nrun until 170ms\nverdict\nsnapshot\nstate\nwhat-if seed=2\nrun\nsummary\nverdict\nstory 3\nwhy 3\nnothing\n"
# A command that cannot do what it is asked: wrong usage, and what it cannot read.
WRONG_ALWAYS = [
    "describe none.yaml --json", "describe --json --no-such", "costs none.yaml --json", "topology check none.yaml --json",
    "topology solve chain:9 --onto machine.yaml --seed x --json", "bugs none.bugs --json", "faults none.faults --machine machine.yaml --json",
    "tvmfilter -p none --json", "detrek -p none --json", "models none.yaml --json", "trace none --json", "export none --to csv -o none.csv --json", "export mixed.mwt --to none -o n --json",
    "clocks none --json", "sort none --json", "story none 1 --json", "why none 1 --json", "graph none 1 -o none.dot --json", "asm none.s --json", "disasm none.t8 --json", "--json", "nothing --json",
]
WRONG_SIMULATED = [
    "settings x --json", "run none.yaml --json", "run s.yaml --json --seed -1", "run s.yaml --json --set farm.tasks=many", "run s.yaml --json --out out", "top none.yaml --json",
    "order plain.yaml --json", "order s.yaml --json --sweep farm.tasks=1,many", "order s.yaml --json --give-up-after x", "overhead plain.yaml --json", "overhead s.yaml --by none --json", "schedule plain.yaml --max-overhead 5% --json", "predict none.yaml --json",
    "validate --only none --json", "shell none.yaml --json", "farm run none --json", "boot none.btl --json", "cc none.c --json", "cc wrong.c --json", "mpirun -np 0 --json ./ring", "mpirun -np 2 --json ./none", "mpirun -np 2 --json --replay none.mwo ./ring", "races none.mwo --json", "evaluate none --json", "line none --causal P0=1 --json",
    "isolate none 1 --process compute --json",
]


def objects_in(value):
    """Every object with a name of ours."""
    if isinstance(value, dict):
        if isinstance(value.get("schema"), str) and NAME.fullmatch(value["schema"]):
            yield value
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from objects_in(item)


def documents(text):
    """The JSON documents of a text: one, or one a line."""
    try:
        return [json.loads(text)]
    except json.JSONDecodeError:
        return [json.loads(line) for line in text.splitlines() if line]


def database(path):
    """A database as an object: its tables, each a list of rows."""
    with sqlite3.connect(path) as base:
        base.row_factory = sqlite3.Row
        tables = [row["name"] for row in base.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        rows = {name: [dict(row) for row in base.execute(f'SELECT * FROM "{name}"')] for name in tables}
    return {"schema": rows["manifest"] and next(row["value"] for row in rows["manifest"] if row["key"] == "schema"), **rows}


class Test:
    def __init__(self, options, folder):
        self.magicwire, self.source, self.folder = options.magicwire.resolve(), options.source.resolve(), folder
        self.everything = options.cases == "all"
        self.schemas = {}
        for path in sorted((self.source / "schemas").rglob("*.schema.json")):
            schema = json.loads(path.read_text(encoding="utf-8"))
            jsonschema.Draft202012Validator.check_schema(schema)
            name = schema.get("properties", {}).get("schema", {}).get("const")
            if name:
                self.holds(name not in self.schemas, f"two schemas are of {name}")
                self.schemas[name] = (path.relative_to(self.source), jsonschema.Draft202012Validator(schema))
        self.seen = defaultdict(list)

    failures = []
    count = 0

    def holds(self, condition, message):
        Test.count += 1
        if not condition:
            Test.failures.append(message)
            print(f"FAILED  {message}")

    def run(self, line, **options):
        words = [word.replace("SOURCE", str(self.source)) for word in line.split()]
        return subprocess.run([self.magicwire, *words], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120, check=False,
                              **options)

    def take(self, where, document):
        found = list(objects_in(document))
        self.holds(found, f"{where}: no object has a schema")
        for value in found:
            name = value["schema"]
            self.seen[name].append(value)
            if name not in self.schemas:
                self.holds(False, f"{where}: {name} has no JSON Schema in schemas/")
                continue
            path, validator = self.schemas[name]
            for error in list(validator.iter_errors(value))[:3]:
                self.holds(False, f"{where}: not as {path} says: {list(error.absolute_path)}: {error.message[:300]}")
            Test.count += 1

    def good(self, line, **options):
        result = self.run(line, **options)
        proven = line.startswith("topology solve") and result.returncode == 3 and '"impossible": true' in result.stdout
        self.holds(proven or result.returncode in (0, 1, 4), f"magicwire {line} ends with {result.returncode}: {result.stderr}")
        for document in documents(result.stdout):
            self.take(f"magicwire {line}", document)

    def wrong(self, line, **options):
        result = self.run(line, **options)
        self.holds(result.returncode in (2, 3), f"magicwire {line} ends with {result.returncode}")
        self.holds(result.stdout == "", f"magicwire {line} prints a result: {result.stdout[:200]}")
        try:
            errors = documents(result.stderr)
        except json.JSONDecodeError:
            return self.holds(False, f"magicwire {line}: what it says is no JSON: {result.stderr[:200]!r}")
        self.holds(len(errors) == 1 and errors[0]["schema"] == "magicwire.error/1" and errors[0]["exit_code"] == result.returncode,
                   f"magicwire {line}: {errors}")
        for error in errors:
            self.take(f"magicwire {line}", error)

    def commands(self, sample):
        for name, text in FILES.items():
            (self.folder / name).write_text(text, encoding="utf-8")
        subprocess.run([sample, "mixed", "mixed.mwt"], cwd=self.folder, stdout=subprocess.DEVNULL, timeout=60, check=True)
        (self.folder / "mesh.yaml").write_text(self.run("topology make mesh:3x3").stdout, encoding="utf-8")
        for line in ALWAYS:
            self.good(line)
        for line in WRONG_ALWAYS:
            self.wrong(line)
        self.run("export mixed.mwt --to sqlite -o mixed.db")
        self.take("mixed.db", database(self.folder / "mixed.db"))
        if self.everything:
            self.simulated()

    def simulated(self):
        made = self.run("farm new pi")
        self.holds(made.returncode == 0, f"magicwire farm new pi: {made.stderr}")
        made = self.run("mpicc ring.c -o ring")
        self.holds(made.returncode == 0, f"magicwire mpicc ring.c: {made.stderr}")
        made = self.run("study SOURCE/examples/studies/buffers.yaml --progress never")
        self.holds(made.returncode == 0, f"magicwire study: {made.stderr}")
        for line in SIMULATED:
            self.good(line)
        result = self.run("shell s.yaml --json", input=SHELL)
        for line in result.stdout.splitlines() + result.stderr.splitlines():  # the last command is none, and an error
            self.holds(line.startswith("{"), f"magicwire shell prints no JSON: {line[:200]}")
            if line.startswith("{"):
                self.take("magicwire shell", json.loads(line))
        for line in WRONG_SIMULATED:
            self.wrong(line, input="")
        made = self.run("boot SOURCE/examples/t800/farm.s --machine chain:2 --profile profile.json")
        self.holds(made.returncode == 0, f"magicwire boot --profile: {made.stderr}")
        self.take("profile.json", json.loads((self.folder / "profile.json").read_text(encoding="utf-8")))
        for folder in ("out", "plain", "stream", "survived", "bugs", "tmon", "halo", "mpi"):
            for name in ("summary.json", "oracle.json"):
                self.take(f"{folder}/{name}", json.loads((self.folder / folder / name).read_text(encoding="utf-8")))

    def books(self):
        page = (self.source / PAGE).read_text(encoding="utf-8")
        rows = {name: (schema, document) for name, schema, document in ROW.findall(page)}
        for name, (path, _) in self.schemas.items():
            self.holds(name in rows, f"{name} of {path} has no row in {PAGE}")
        for name, (path, document) in rows.items():
            self.holds(name in self.schemas and str(self.schemas[name][0]) == path, f"{PAGE}: {name} is not in {path}")
            tells = ((self.source / PAGE).parent / document).resolve()
            self.holds(tells.is_file() and name in tells.read_text(encoding="utf-8"), f"{PAGE}: {document} does not tell of {name}")
        in_sources = set()
        for folder in ("tmon", "topologies", "farm_programs", "runs", "cli"):
            for path in (self.source / folder).rglob("*.?pp"):
                in_sources |= set(re.findall(f'"({NAME.pattern})"', path.read_text(encoding="utf-8")))
        for name in sorted(in_sources):
            self.holds(name in self.schemas, f"{name} is in the sources and has no JSON Schema in schemas/")
        if self.everything:
            for name in self.schemas:
                self.holds(name in self.seen, f"{name}: no output here has it; add a command that prints it")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--magicwire", type=Path, required=True)
    parser.add_argument("--sample", type=Path, required=True)
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--cases", choices=["all", "trace-tools"], default="all")
    parser.add_argument("--collect", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="magicwire_outputs.") as folder:
        test = Test(options, Path(folder))
        test.commands(options.sample.resolve())
        test.books()
    for name, values in test.seen.items() if options.collect else ():
        (options.collect / (name.split("/")[0].split(".")[1] + ".json")).write_text(json.dumps(values), encoding="utf-8")
    print(f"{Test.count - len(Test.failures)} of {Test.count} checks passed; {len(test.seen)} schemas met")
    return 1 if Test.failures else 0


if __name__ == "__main__":
    sys.exit(main())
