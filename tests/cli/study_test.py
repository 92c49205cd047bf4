#!/usr/bin/env python3
"""magicwire study: points, results, what goes on after an interruption, and what is refused before the first run."""
import csv
import io
import json
import re
import sqlite3
import sys

from cli_cases import DONE, FOUND, TASK, UNKNOWN, case, equal, main, refuses, succeeds

FARM = "version: 1\nname: f\nmachine: chain:3\nfarm: {nodes: 3, tree: chain, tasks: 5}\napplication: {tasks: t.dat}\n"
MEASURES = "measures:\n  us: execution_us\n  rate: = 1e6 / us\n  end: end\n"


def study(box, axes, more=MEASURES, name="s"):
    box.write("farm.yaml", FARM)
    box.write("t.dat", TASK)
    return box.write(f"{name}.yaml", f"version: 1\nname: s\nscenario: farm.yaml\naxes:\n{axes}{more}")


def rows(box, name):
    with sqlite3.connect(box.folder / name) as database:
        tables = [table for (table,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'times' ORDER BY name")]
        return {table: sorted(database.execute(f"SELECT * FROM {table}"), key=repr) for table in tables}


@case
def the_example_runs_and_shows_its_points(box):
    file = box.source / "examples/studies/buffers.yaml"
    dry = succeeds(box.run("study", file, "--dry-run"))
    assert re.match(r"study buffers: 45 points, \S+ s a point: about \S+ s with \d+ at once; about \S+ MB\n$", dry), dry
    equal(box.files(), [], "what a dry run leaves")
    out = succeeds(box.run("study", file, "--progress", "never"))
    assert out.startswith("study buffers: 45 of 45 points are in buffers.db\n"), out
    table = succeeds(box.run("study", "show", "buffers.db")).splitlines()
    equal(table[0].split(), ["point", "machine", "farm.tree", "farm.buffers", "seed", "us", "rate", "verdict"], "head")
    equal(len(table), 46, "lines")
    best = succeeds(box.run("study", "show", "buffers.db", "--best", "rate", "--most", "3")).splitlines()
    rates = [float(line.split()[6]) for line in best[1:]]
    equal(rates, sorted((float(line.split()[6]) for line in table[1:]), reverse=True)[:3], "best three")
    pivot = succeeds(box.run("study", "show", "buffers.db", "--where", "farm.tree=binary", "--pivot", "machine,farm.buffers,rate"))
    equal([line.split()[0] for line in pivot.splitlines()[1:] if line], ["tree:2:15", "ring:15", "mesh:3x5"], "rows of the pivot")
    listed = list(csv.DictReader(io.StringIO(succeeds(box.run("study", "show", "buffers.db", "--csv")))))
    equal(len(listed), 45, "rows of the CSV")
    data = json.loads(succeeds(box.run("study", "show", "buffers.db", "--json")))
    equal((data["schema"], data["points"], len(data["rows"])), ("magicwire.study/1", 45, 45), "JSON")
    # The line that repeats a point gives its measures.
    alone = json.loads(succeeds(box.shell(listed[7]["repeat"] + " --json")))
    equal(float(listed[7]["us"]), alone["execution_us"], "the point alone")


@case
def any_number_at_once_gives_the_same_rows(box):
    file = study(box, "  farm.tasks: [1, 20, 3]\n  seed: {from: 1, to: 9, step: 2}\n")
    succeeds(box.run("study", file, "-o", "one.db", "-j", "1", "--progress", "never"))
    succeeds(box.run("study", file, "-o", "eight.db", "-j", "8", "--progress", "never"))
    equal(rows(box, "eight.db"), rows(box, "one.db"), "rows")
    equal(succeeds(box.run("study", "compare", "one.db", "eight.db")), "0 values changed beyond their spread, 9 did not\n", "comparison")


@case
def parts_come_together_as_the_whole(box):
    file = study(box, "  farm.tasks: [1, 20, 3]\n  seed: {from: 1, to: 5}\n")
    succeeds(box.run("study", file, "-o", "whole.db", "--progress", "never"))
    for part in (3, 1):
        out = succeeds(box.run("study", file, "-o", "p.db", "--part", f"{part}/3", "--progress", "never"))
        assert out.startswith(f"study s: 5 of 5 points of part {part}/3 are in p.db.{part}-of-3\n"), out
    result = box.run("study", file, "-o", "p.db", "--collect", "p.db.1-of-3", "p.db.3-of-3")
    equal((result.returncode, result.stdout), (UNKNOWN, "  p.db.1-of-3: 5 points\n  p.db.3-of-3: 5 points\nstudy s: 10 of 15 points are in p.db\n"), "two parts")
    out = succeeds(box.run("study", file, "-o", "p.db", "--progress", "never"))
    assert out.startswith("study s: 15 of 15 points are in p.db, 10 of them from before\n"), out
    equal(rows(box, "p.db"), rows(box, "whole.db"), "rows")
    study(box, "  seed: [1]\n", name="other")
    refuses(box, ["study", file, "-o", "p.db", "--collect", "none.db"], "none.db: there is no such file; each part makes one with --part")


@case
def only_what_has_changed_runs_again(box):
    axes = "  farm.tasks: [1, 2]\n  application.tasks: [t.dat, other.dat]\n"
    box.write("other.dat", TASK)
    file = study(box, axes)
    succeeds(box.run("study", file, "--progress", "never"))
    again = succeeds(box.run("study", file, "--progress", "never"))
    equal(again, "study s: 4 of 4 points are in s.db, 4 of them from before\n", "nothing to do")
    before = rows(box, "s.db")
    box.write("other.dat", TASK.replace("1000", "3000"))
    out = succeeds(box.run("study", file, "--progress", "never"))
    assert out.startswith("study s: 4 of 4 points are in s.db, 2 of them from before\n  2 rows from before no longer held"), out
    after = rows(box, "s.db")
    equal([one == other for one, other in zip(before["points"], after["points"])], [True, False, True, False], "points as before")
    # A longer axis keeps what is there, under its new number.
    study(box, axes.replace("[1, 2]", "[7, 1, 2]"))
    out = succeeds(box.run("study", file, "--progress", "never"))
    assert out.startswith("study s: 6 of 6 points are in s.db, 4 of them from before\n"), out
    equal(rows(box, "s.db")["measures"][6:], [(point + 2, which, value) for point, which, value in after["measures"]], "measures")
    # The working folder does not matter.
    moved = box.run("study", f"../{box.folder.name}/s.yaml", "-o", "s.db", "--progress", "never")
    equal(succeeds(moved), "study s: 6 of 6 points are in s.db, 6 of them from before\n", "from another folder")
    # Another measure concerns every point.
    study(box, axes, MEASURES + "  tasks: tasks\n")
    out = succeeds(box.run("study", file, "--progress", "never"))
    assert "  6 rows from before no longer held" in out and "s.db.before has them" in out, out
    equal(len(rows(box, "s.db.before")["points"]), 6, "rows that are kept")


@case
def a_point_that_fails_is_a_row(box):
    long = "  farm.tasks: [5, 3000000]\n"
    file = study(box, long, MEASURES + "limits: {time: 1s}\n")
    result = box.run("study", file, "--progress", "never")
    equal(result.returncode, UNKNOWN, "exit code")
    assert "1 of them failed; 'magicwire study show s.db' tells why" in result.stdout, result.stdout
    text = succeeds(box.run("study", "show", "s.db"))
    assert "point 2 failed: took more than 1 s of processor time; raise limits.time\n    magicwire run farm.yaml --set farm.tasks=3000000\n" in text, text
    again = box.run("study", file, "--progress", "never")
    equal(again.returncode, UNKNOWN, "exit code: it has failed again")
    assert again.stdout.startswith("study s: 2 of 2 points are in s.db, 1 of them from before\n"), again.stdout
    study(box, long.replace("3000000", "30"), MEASURES + "limits: {time: 1s}\n")
    succeeds(box.run("study", file, "--progress", "never"))
    study(box, "  farm.tasks: [300000]\n", MEASURES + "limits: {memory: 16MiB}\n", "m")
    equal(box.run("study", "m.yaml", "--progress", "never").returncode, UNKNOWN, "exit code")
    text = succeeds(box.run("study", "show", "m.db"))
    assert "point 1 failed: needed more than 16 MiB of memory; raise limits.memory\n" in text, text


@case
def axes_make_points_in_each_way(box):
    def points(more, axes="  farm.tasks: [1, 2, 3, 4]\n  farm.buffers: [5, 6, 7, 8]\n"):
        file = study(box, axes, MEASURES + more, "p")
        (box.folder / "p.db").unlink(missing_ok=True)
        succeeds(box.run("study", file, "--progress", "never"))
        with sqlite3.connect(box.folder / "p.db") as database:
            return list(database.execute('SELECT "farm.tasks", "farm.buffers" FROM results ORDER BY point'))

    equal(points("combine: zip\n"), [("1", "5"), ("2", "6"), ("3", "7"), ("4", "8")], "zip")
    equal(len(points("")), 16, "product")
    equal(len(points("exclude:\n  - {farm.tasks: 1}\n  - {farm.tasks: 2, farm.buffers: 5}\n")), 11, "product without some")
    latin = points("combine: {latin: 8, seed: 3}\n")
    for axis in (0, 1):
        equal(sorted(point[axis] for point in latin), sorted(2 * [latin[i][axis] for i in range(8) if latin[i][axis] not in
                                                                  [other[axis] for other in latin[:i]]]), "each value twice")
    equal(points("combine: {latin: 8, seed: 3}\n"), latin, "the same draw")
    assert points("combine: {latin: 8, seed: 4}\n") != latin
    equal(len(points("combine: {random: 10}\n")), 10, "random")
    zipped = points("combine: zip\n", "  machine: [chain:2, chain:4]\n  farm.nodes: [2, 4]\n  farm.tasks: [1, 2]\n  farm.buffers: [1, 2]\n")
    equal(zipped, [("1", "1"), ("2", "2")], "values that need each other")
    equal(points("combine: zip\n", "  farm.tasks: [1, 2, 1]\n  farm.buffers: [5, 5, 6]\n"), [("1", "5"), ("2", "5"), ("1", "6")], "values that come again")


@case
def compare_tells_what_has_changed(box):
    file = study(box, "  farm.tasks: [4, 8]\n  seed: [1, 2]\n")
    succeeds(box.run("study", file, "-o", "before.db", "--progress", "never"))
    box.write("t.dat", TASK.replace("140 1000", "9000 1000"))
    succeeds(box.run("study", file, "-o", "after.db", "--progress", "never"))
    result = box.run("study", "compare", "before.db", "after.db")
    equal(result.returncode, FOUND, "exit code")
    box.write("t.dat", TASK)
    study(box, "  farm.tasks: [4, 8]\n  seed: [1]\n")
    succeeds(box.run("study", file, "-o", "fewer.db", "--progress", "never"))
    equal(box.run("study", "compare", "before.db", "fewer.db").returncode, DONE, "fewer seeds")
    study(box, "  farm.tasks: [4]\n  seed: [1]\n")
    succeeds(box.run("study", file, "-o", "one.db", "--progress", "never"))
    equal(box.run("study", "compare", "before.db", "one.db").returncode, FOUND, "points that are gone")
    assert re.search(r"^us +farm.tasks=4 .*\+\d+\.\d\d %$", result.stdout, re.M) and "4 values changed beyond their spread, 2 did not" in result.stdout, result.stdout


@case
def mistakes_are_told_before_the_first_run(box):
    def told(axes, more, message):
        refuses(box, ["study", study(box, axes, more)], message)

    one = "  farm.buffers: [1, 2]\n"
    told("  farm.bufers: [1]\n", MEASURES, "s.yaml:5:17: point 1, with 'farm.bufers: 1', is refused: --set farm.bufers=1: there is no setting or cost 'farm.bufers', "
         "did you mean 'farm.buffers'?")
    told("  farm.buffers: []\n", MEASURES, "s.yaml:5:17: the axis 'farm.buffers' has no value; give at least one")
    told("  farm.buffers: [1, 2, 1]\n", MEASURES, "s.yaml:5:24: 'farm.buffers' has the value '1' twice; leave one out")
    told("  seed: {from: 1, to: 100000}\n  farm.tasks: {from: 1, to: 10000}\n", MEASURES,
         "s.yaml:5:3: the axes make more than 1000000 points; leave out values, or draw some by 'combine: {latin: NUMBER}'")
    told(one, "measures: {us: execution_u}\n", "s.yaml:6:16: 'execution_u': there is no 'execution_u' in the JSON of a run, did you mean 'execution_us'?; "
         "there are schema, scenario, machine, seed, version, arguments, repeat, run_hash, end, modelled_us, farm_began_us, farm_ended_us, ...")
    told(one, "measures: {us: execution_us, no: = 1 / (us - us)}\n", "s.yaml:6:34: '1 / (us - us)' has no finite value for the first point: it divides by "
         "zero, or uses a text or a measure without a value; change it, as 'b != 0 ? a / b : 0'")
    told(one, "measures: {us: execution_us, no: = 1 / (su)}\n", "s.yaml:6:41: '1 / (su)' is no expression over the measures before it: Unexpected token "
         "\"su\", did you mean 'us'?")
    told(one, "measures: {Failure: end}\n", "s.yaml:6:12: 'Failure' is the name of a column of the results already; take another")
    told(one, MEASURES + "exclude: [{farm.tasks: 3}]\n", "s.yaml:10:24: 'farm.tasks' is no axis of this study")
    # The first point fails, so others show that the measure is not there.
    told("  farm.tasks: [3000000, 4]\n", "measures: {us: execution_u}\nlimits: {time: 1s}\n", "s.yaml:6:16: 'execution_u': there is no 'execution_u' in the JSON of a "
         "run, did you mean 'execution_us'?; there are schema, scenario, machine, seed, version, arguments, repeat, run_hash, end, modelled_us, farm_began_us, "
         "farm_ended_us, ...")
    box.write("s.db", "no database\n" * 100)
    result = box.run("study", study(box, one))
    assert re.fullmatch(r"magicwire: s\.db: .*it is no database; name another file\n", result.stderr), result.stderr
    refuses(box, ["study", "show", "none.db"], "none.db: there is no such file; 'magicwire study FILE.yaml' makes one")


if __name__ == "__main__":
    sys.exit(main(__doc__))
