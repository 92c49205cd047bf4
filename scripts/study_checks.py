"""What scripts/study_campaign and scripts/slurm_check have in common: a study, its rows, and commands that are killed."""
import os
import pathlib
import signal
import sqlite3
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BINARY = str(ROOT / "build" / "release" / "magicwire")
STUDY = """version: 1
name: killed
scenario: farm.yaml
axes:
  farm.tasks: {{from: 1, to: {tasks}}}
  farm.buffers: [1, 2]
  seed: [1, 2, 3, 4, 5]
measures:
  us: execution_us
  rate: '= us > 0 ? 1e6 / us : 0'
  end: end
"""
FARM = "version: 1\nname: f\nmachine: chain:3\nfarm: {nodes: 3, tree: chain, tasks: 1}\napplication: {tasks: t.dat}\n"
TASK = "0  20 10 0  400 100 0  10 10 0  100 10 0  100 10 0\n"
MPIRUN = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}


def write_study(folder, points):
    for file, text in (("study.yaml", STUDY.format(tasks=max(1, points // 10))), ("farm.yaml", FARM), ("t.dat", TASK)):
        (folder / file).write_text(text, encoding="utf-8")


def rows(path):
    """Every table but `times` and `attempts`, which are the host's."""
    with sqlite3.connect(path) as database:
        tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT IN ('times', 'attempts') ORDER BY name")]
        return {table: sorted(database.execute(f"SELECT * FROM {table}"), key=repr) for table in tables}


def differences(path, other):
    """One line for each table that differs."""
    one, two = rows(path), rows(other)
    return [f"{other.name}: table {table} has {len(two.get(table, []))} rows and differs from the {len(one[table])} of {path.name}"
            for table in one if one[table] != two.get(table)]


def figures(path):
    """Points, bytes of the file a point, seconds of processor time a point."""
    with sqlite3.connect(path) as database:
        count, own = database.execute("SELECT count(*), total(processor_seconds) FROM times").fetchone()
    return count, path.stat().st_size / max(1, count), own / max(1, count)


def children(process):
    try:
        return [int(word) for word in pathlib.Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii").split()]
    except OSError:
        return []


def descendants(process):
    found = children(process)
    for child in list(found):
        found += descendants(child)
    return found


def program_of(process):
    try:
        return pathlib.Path(f"/proc/{process}/exe").resolve().name
    except OSError:
        return ""


def kill(process):
    """True: it was there."""
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def finish(line, folder, environment=None, limit=600):
    """Runs a command to its end. Returns its standard output, and a problem or ''."""
    result = subprocess.run(line, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=limit, check=False)
    return result.stdout, "" if result.returncode == 0 else f"{' '.join(map(str, line))} ends with {result.returncode}: {result.stderr.strip()}"


class Timed:
    def __enter__(self):
        self.began = time.monotonic()
        return self

    def __exit__(self, *_):
        self.seconds = time.monotonic() - self.began


class KillRun:
    """One study that is killed again and again, and begun anew whenever it is complete. `targets(process)`: name -> processes to choose from."""

    def __init__(self, line, database, wanted, environment=None, alone=10.0):
        self.line, self.database, self.wanted, self.environment, self.alone = line, database, wanted, environment, alone
        self.killed, self.complete, self.problems = {}, 0, []

    def run(self, kills, dice, targets):
        missed = 0
        while sum(self.killed.values()) < kills and missed < 20 * kills:
            process = subprocess.Popen([*self.line, "--out", self.database.name], cwd=self.database.parent, env=self.environment, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True)
            time.sleep(dice.uniform(0.1, max(0.5, 0.6 * self.alone)))
            choices = {name: found for name, found in targets(process).items() if found}
            if process.poll() is None and choices:
                name = min(sorted(choices), key=lambda one: self.killed.get(one, 0))  # the kind that was killed least
                if kill(dice.choice(choices[name])):
                    self.killed[name] = self.killed.get(name, 0) + 1
            else:
                missed += 1
            if process.poll() is None and dice.random() < 0.5:  # half of them go on for a while
                time.sleep(dice.uniform(0.05, 0.5))
            self.end(process)
        self.go_on()

    def end(self, process):
        """Those that the kill has not ended are killed too, unless they are about to complete."""
        try:
            process.wait(timeout=0.2)
        except subprocess.TimeoutExpired:
            process.kill()
        said = process.communicate()[1]
        if process.returncode == 0:
            self.check()
        if "defect" in said or "contract" in said or "Traceback" in said:
            self.problems.append(f"{self.database.name}: a killed run says: {said.strip()}")

    def go_on(self):
        """Undisturbed to the end. Processes of a killed run may still hold the file for a moment."""
        for _ in range(20):
            problem = finish([*self.line, "--out", self.database.name], self.database.parent, self.environment)[1]
            if "another process works on it" not in problem and "at the moment" not in problem:
                break
            time.sleep(0.5)
        if problem:
            self.problems.append(problem)
        self.check()

    def check(self):
        self.problems += differences(self.wanted, self.database)
        self.complete += 1
        self.database.unlink()

    def text(self):
        return ", ".join(f"{count} x {name}" for name, count in sorted(self.killed.items()))


def local_targets(process):
    return {"collector": [process.pid], "point": children(process.pid)}


def mpi_targets(process):
    found = descendants(process.pid)
    bridges = [one for one in found if program_of(one) == "magicwire-mpi"]
    ranks = [one for one in children(process.pid) if program_of(one) == "magicwire"]
    points = [child for rank in ranks for child in children(rank) if program_of(child) == "magicwire"]
    return {"mpirun": [process.pid], "rank": ranks, "bridge to MPI": bridges, "point of a rank": points}
