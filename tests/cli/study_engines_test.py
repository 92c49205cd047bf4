#!/usr/bin/env python3
"""magicwire study: the same rows from every engine, and what becomes of points whose process, job or disk fails.

Slurm is played by tests/support/stand_in_slurm.py; the real one is in scripts/slurm_check."""
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

from cli_cases import BAD_INPUT, DONE, HOST, PATIENCE, SANITIZED, TASK, UNKNOWN, USAGE, case, equal, main, succeeds

FARM = "version: 1\nname: f\nmachine: chain:3\nfarm: {nodes: 3, tree: chain, tasks: 5}\napplication: {tasks: t.dat}\n"
AXES = "  farm.tasks: {from: 1, to: 6}\n  seed: {from: 1, to: 5}\n"
MEASURES = "measures:\n  us: execution_us\n  rate: = 1e6 / us\n  end: end\n"
LONG = 3000000  # tasks: seconds


def study(box, axes=AXES, more=MEASURES, name="s"):
    box.write("farm.yaml", FARM)
    box.write("t.dat", TASK)
    return box.write(f"{name}.yaml", f"version: 1\nname: s\nscenario: farm.yaml\naxes:\n{axes}{more}")


def rows(box, name):
    with sqlite3.connect(box.folder / name) as database:
        tables = [table for (table,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT IN ('times', 'attempts') ORDER BY name")]
        return {table: sorted(database.execute(f"SELECT * FROM {table}"), key=repr) for table in tables}


def failures(box, name):
    with sqlite3.connect(box.folder / name) as database:
        return dict(database.execute("SELECT point, failure FROM points WHERE failure <> ''"))


def attempts(box, name):
    found = {}
    with sqlite3.connect(box.folder / name) as database:
        for point, how in database.execute("SELECT point, ended FROM attempts ORDER BY point, attempt"):
            found.setdefault(point, []).append(how)
    return found


def alone(box, file="s.yaml"):
    succeeds(box.run("study", file, "-o", "alone.db", "-j", "1", "--progress", "never"))
    return rows(box, "alone.db")


class StandIn:
    """Commands of this Slurm: run(box, ...) as box.run()."""

    def __init__(self, box, **rules):
        self.folder, commands = box.folder / "slurm", box.folder / "bin"
        self.folder.mkdir()
        commands.mkdir()
        for name in ("sbatch", "squeue"):
            (commands / name).write_text(f"#!/bin/sh\nexec {sys.executable} {box.source}/tests/support/stand_in_slurm.py {name} \"$@\"\n", encoding="utf-8")
            (commands / name).chmod(0o755)
        self.environment = {**os.environ, "PATH": f"{commands}:{os.environ['PATH']}", "STAND_IN_SLURM": str(self.folder)}
        self.rules(**rules)

    def rules(self, **rules):
        (self.folder / "rules.json").write_text(json.dumps(rules), encoding="utf-8")

    def run(self, box, file, *options):
        return box.run("study", file, "--engine", "slurm", "--progress", "never", *options, env=self.environment)

    def calls(self):
        return (self.folder / "sbatch.calls").read_text(encoding="utf-8").splitlines()

    def set_all(self, state):
        for path in self.folder.glob("*.state"):
            path.write_text(state, encoding="utf-8")


def mpirun(box, ranks, *arguments):
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}
    return subprocess.Popen(["mpirun", "-np", str(ranks), box.magicwire, "study", *arguments, "--engine", "mpi", "--progress", "never"], cwd=box.folder, env=environment,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def has_mpi(box):
    there = (box.magicwire.parent / "magicwire-mpi").exists() and shutil.which("mpirun") is not None
    if not there:
        print("        without MPI: not tried")
    return there and not SANITIZED


@case
def ranks_give_the_rows_of_one_process(box):
    if not has_mpi(box):
        return
    wanted = alone(box, study(box))
    for ranks in (1, 4):
        process = mpirun(box, ranks, "s.yaml", "-o", f"{ranks}.db")
        out, err = process.communicate(timeout=PATIENCE)
        equal(process.returncode, DONE, f"exit code ({err})")
        assert out.startswith(f"study s: 30 of 30 points are in {ranks}.db\n"), out
        equal(rows(box, f"{ranks}.db"), wanted, f"rows of {ranks} ranks")
    assert not (box.folder / "4.db.parts").exists()
    process = mpirun(box, 3, "s.yaml", "--dry-run")
    assert process.communicate(timeout=PATIENCE)[0].startswith("study s: 30 points, "), "dry run"
    box.write("bad.yaml", "version: 1\n")
    process = mpirun(box, 3, "bad.yaml")
    err = process.communicate(timeout=PATIENCE)[1]
    equal(process.returncode, BAD_INPUT, "exit code")
    equal(err.count("bad.yaml:1:1: key 'name' is missing"), 1, f"times that it is told in {err}")


@case
def a_rank_that_is_killed_costs_nothing(box):
    if not has_mpi(box):
        return
    wanted = alone(box, study(box, "  farm.tasks: {from: 1, to: 60}\n  seed: {from: 1, to: 5}\n"))
    process = mpirun(box, 3, "s.yaml", "-o", "k.db")
    parts = box.folder / "k.db.parts"
    for _ in range(1000):
        if len(list(parts.glob("*.db"))) == 2:
            break
        time.sleep(0.01)
    children = [int(word) for word in open(f"/proc/{process.pid}/task/{process.pid}/children", encoding="ascii").read().split()]
    os.kill(children[1], signal.SIGKILL)
    process.communicate(timeout=PATIENCE)
    assert process.returncode != DONE
    process = mpirun(box, 3, "s.yaml", "-o", "k.db")
    out, err = process.communicate(timeout=PATIENCE)
    equal(process.returncode, DONE, f"exit code ({err})")
    assert out.startswith("study s: 300 of 300 points are in k.db"), out
    equal(rows(box, "k.db"), wanted, "rows")


@case
def a_build_without_mpi_says_what_to_do(box):
    shutil.copy(box.magicwire, box.folder / "magicwire")
    result = subprocess.run([box.folder / "magicwire", "study", study(box), "--engine", "mpi"], cwd=box.folder, capture_output=True, text=True, timeout=PATIENCE, check=False)
    equal(result.returncode, HOST, "exit code")
    equal(result.stderr, f"magicwire: --engine mpi needs the program '{box.folder.resolve()}/magicwire-mpi', which this build does not have; install libopenmpi-dev "
          "('scripts/setup tests'), run cmake and build again, or take --engine local or slurm\n", "standard error")


@case
def jobs_give_the_rows_of_one_process(box):
    wanted = alone(box, study(box))
    slurm = StandIn(box)
    out = succeeds(slurm.run(box, "s.yaml", "-o", "j.db", "--chunk", "7", "--sbatch", "--partition=x --mem=2G", "--sbatch", "--comment='two words'"))
    assert out.startswith("study s: 30 of 30 points are in j.db\n"), out
    equal(rows(box, "j.db"), wanted, "rows")
    call = slurm.calls()
    equal(len(call), 1, "calls of sbatch")
    assert "--array=0-4 " in call[0] and "--partition=x --mem=2G --comment=two words " in call[0], call
    assert not (box.folder / "j.db.parts").exists()
    again = succeeds(slurm.run(box, "s.yaml", "-o", "j.db"))
    assert again.startswith("study s: 30 of 30 points are in j.db, 30 of them from before\n"), again
    slurm.rules(forget=True)
    succeeds(slurm.run(box, "s.yaml", "-o", "f.db", "--chunk", "10"))
    equal(rows(box, "f.db"), wanted, "rows when Slurm has forgotten the jobs")


@case
def jobs_are_collected_later(box):
    wanted = alone(box, study(box))
    slurm = StandIn(box, hold=True)
    out = succeeds(slurm.run(box, "s.yaml", "-o", "j.db", "--chunk", "10", "--no-wait"))
    equal(out, "0 of 30 points are in j.db; job 101 goes on: the same command collects it, 'scancel 101' ends it\n", "submitted")
    out = succeeds(slurm.run(box, "s.yaml", "-o", "j.db", "--chunk", "10", "--no-wait"))
    assert out.startswith("0 of 30 points are in j.db; job 101 goes on"), out
    equal(len(slurm.calls()), 1, "calls of sbatch")
    # Ctrl-C leaves the jobs.
    process = subprocess.Popen([box.magicwire, "study", "s.yaml", "-o", "j.db", "--engine", "slurm"], cwd=box.folder, env=slurm.environment, stdout=subprocess.PIPE, text=True)
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    out = process.communicate(timeout=PATIENCE)[0]
    equal((process.returncode, out), (130, "0 of 30 points are in j.db; job 101 goes on: the same command collects it, 'scancel 101' ends it\n"), "interrupted")
    # A changed study does not mix with the jobs of the old one.
    study(box, AXES.replace("to: 6", "to: 5"))
    result = slurm.run(box, "s.yaml", "-o", "j.db")
    equal(result.returncode, BAD_INPUT, "exit code")
    equal(result.stderr, "magicwire: jobs of this study as it was before are under way still, 101; wait for them, or give 'scancel 101', and then the same command again\n",
          "standard error")
    study(box)
    slurm.rules()
    succeeds(slurm.run(box, "s.yaml", "-o", "j.db"))
    equal((rows(box, "j.db"), len(slurm.calls())), (wanted, 1), "rows")


@case
def a_killed_job_costs_only_its_guilty_point(box):
    file = study(box, f"  farm.tasks: [1, 2, {LONG}, 3]\n  seed: [1, 2]\n")
    slurm = StandIn(box, seconds=0.8, state="OUT_OF_MEMORY")
    result = slurm.run(box, file, "-o", "j.db", "--chunk", "4", "--sbatch", "--mem=1G")
    equal(result.returncode, UNKNOWN, f"exit code ({result.stderr})")
    reason = "its job was killed 5 times while it ran, at last as OUT_OF_MEMORY; give jobs more memory or time, as --sbatch '--mem=4G'"
    equal(failures(box, "j.db"), {5: reason, 6: reason}, "failures")
    equal(len(rows(box, "j.db")["points"]), 8, "rows")
    assert "2 of them failed; 'magicwire study show j.db' tells why" in result.stdout, result.stdout
    told = attempts(box, "j.db")
    # Beside these five, a job may end before it comes to the second one.
    ran = re.compile(r"job \d+_\d+ ended as OUT_OF_MEMORY while the point ran")
    equal([len(list(filter(ran.fullmatch, told.get(point, [])))) for point in (5, 6)], [5, 5], "attempts at the guilty points")


@case
def a_node_that_is_gone_is_a_row_for_each_of_its_points(box):
    wanted = alone(box, study(box))
    slurm = StandIn(box, gone={"101": [1]})
    result = slurm.run(box, "s.yaml", "-o", "j.db", "--chunk", "10")
    equal((result.returncode, result.stderr), (0, "magicwire: job 101_1 ended as NODE_FAIL; 10 of its points have no row and run again\n"), "the study goes on")
    equal(rows(box, "j.db"), wanted, "rows")
    equal(attempts(box, "j.db"), {point: ["job 101_1 ended as NODE_FAIL before the point ran"] for point in range(11, 21)}, "attempts")
    assert "  jobs ended before 10 of their points had a row; the table 'attempts' tells which, and how\n" in result.stdout, result.stdout
    equal(len(slurm.calls()), 2, "calls of sbatch")
    # They stay when the study goes on.
    succeeds(slurm.run(box, "s.yaml", "-o", "j.db", "--chunk", "10"))
    equal(len(attempts(box, "j.db")), 10, "attempts afterwards")


@case
def what_slurm_refuses_is_told(box):
    file = study(box)
    result = box.run("study", file, "--no-wait")
    equal((result.returncode, "--no-wait: is for --engine slurm" in result.stderr), (USAGE, True), "an option of another engine")
    result = box.run("study", file, "--engine", "slurm", env={**os.environ, "PATH": "/nothing"})
    equal(result.returncode, HOST, "exit code")
    assert result.stderr.startswith("magicwire: there is no 'sbatch' here, and --engine slurm needs Slurm's commands;"), result.stderr
    slurm = StandIn(box, refuse="Batch job submission failed: Invalid partition name specified")
    result = slurm.run(box, file, "--sbatch=--partition=no")
    equal(result.returncode, BAD_INPUT, "exit code")
    assert result.stderr.startswith("magicwire: sbatch refuses the job: sbatch: error: Batch job submission failed: Invalid partition name specified;"), result.stderr
    # Jobs that cannot work: the node has no such program, or another folder.
    slurm.rules()
    (box.folder / "bin" / "sbatch").write_text("#!/bin/sh\nsed -i 's/^exec /exec no-/' s.db.parts/job.sh\n"
                                               f"exec {sys.executable} {box.source}/tests/support/stand_in_slurm.py sbatch \"$@\"\n", encoding="utf-8")
    result = slurm.run(box, file)
    equal(result.returncode, BAD_INPUT, "exit code")
    assert re.search(r"jobs end without a result; do all nodes have this folder and the program, and room on the disk\? The last job was 102_0 \(FAILED\)\n +.*not found",
                     result.stderr), result.stderr


@case
def cancelled_jobs_are_not_submitted_again(box):
    slurm = StandIn(box, hold=True)
    file = study(box)
    succeeds(slurm.run(box, file, "--no-wait", "--chunk", "10"))
    slurm.set_all("CANCELLED")
    result = slurm.run(box, file)
    equal((result.returncode, result.stdout), (UNKNOWN, "0 of 30 points are in s.db; jobs were cancelled, so no more are submitted; the same command does it\n"), "cancelled")
    equal(len(slurm.calls()), 1, "calls of sbatch")
    slurm.rules()


@case
def a_full_disk_loses_no_row(box):
    line = "magicwire study s.yaml -o d.db --progress never -j 2"
    study(box, "  farm.tasks: {from: 1, to: 30}\n  seed: {from: 1, to: 10}\n")
    succeeds(box.shell(line))
    room = (box.folder / "d.db").stat().st_size // 1024 + 20  # less than the other rows need
    wanted = alone(box, study(box, "  farm.tasks: {from: 1, to: 100}\n  seed: {from: 1, to: 10}\n"))
    result = box.shell(f"ulimit -f {room}; {line}")
    equal(result.returncode, HOST, f"exit code ({result.stderr})")
    assert re.fullmatch(r"magicwire: d\.db: cannot be used: .*; make room on the disk, or raise the limit on the size of files, and give the same command again: no row "
                        r"is lost\n", result.stderr), result.stderr
    there = len(rows(box, "d.db")["points"])
    assert there >= 300, there
    out = succeeds(box.shell(line))
    assert re.match(rf"study s: 1000 of 1000 points are in d.db, {there} of them from before\n", out), out
    equal(rows(box, "d.db"), wanted, "rows")


@case
def equal_values_keep_their_rows(box):
    axes = "  seed: [1, 2]\n  end.quiet: [1s, 2s]\n  link.stolen_cycles: [4, 5]\n"
    file = study(box, axes)
    succeeds(box.run("study", file, "--progress", "never"))
    study(box, "  end.quiet: [1000ms, 2s]\n  seed: [01, 2]\n  link.stolen_cycles: [4.0, 5]\n")
    out = succeeds(box.run("study", file, "--progress", "never"))
    equal(out, "study s: 8 of 8 points are in s.db, 8 of them from before\n", "other spellings and another order")
    with sqlite3.connect(box.folder / "s.db") as database:
        equal(database.execute('SELECT "end.quiet", seed, "link.stolen_cycles", repeat FROM results WHERE point = 1').fetchone()[:3], ("1s", "1", "4"), "values in their usual spelling")
    (box.folder / "s.db").rename(box.folder / "kept.db")
    succeeds(box.run("study", file, "--progress", "never"))
    equal(rows(box, "kept.db"), rows(box, "s.db"), "rows")


@case
def the_memory_limit_holds_for_twins_too(box):
    limit, axes = "limits: {memory: 60MiB}\n", "  farm.tasks: [100000]\n"
    file = study(box, axes, "measures: {us: execution_us}\n" + limit)
    box.write("farm.yaml", FARM + "monitor: {unload: [[1000s, 8, 32]]}\n")
    succeeds(box.run("study", file, "--progress", "never"))
    study(box, axes, "measures: {us: execution_us, bill: bill.schema}\n" + limit)
    box.write("farm.yaml", FARM + "monitor: {unload: [[1000s, 8, 32]]}\n")
    equal(box.run("study", file, "--progress", "never").returncode, UNKNOWN, "exit code")
    equal(failures(box, "s.db"), {1: "needed more than 60 MiB of memory; raise limits.memory"}, "failures")


if __name__ == "__main__":
    sys.exit(main(__doc__))
