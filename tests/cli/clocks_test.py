#!/usr/bin/env python3
"""'magicwire clocks': what it says of a run's clocks, with an oracle and without, and what it refuses.

    clocks_test.py --magicwire FILE --source DIR [--cases all|trace-tools] [NAME ...]

Every case works in an empty folder of its own. A NAME picks the cases whose name contains it. A case that fails keeps its
folder and prints where it is; exit code 1.
"""
import json
import re
import shutil
import sys

from cli_cases import UNKNOWN, equal, is_json, main, refuses, simulation, succeeds

TMON = "monitor: {kind: tmon, unload: [[1000s, 8, 32]], interrupt: 5ms}\n"
TASKS = "0  20 10 0  10000 1000 0  10 10 0  100 10 0  100 10 0\n"


def tmon_run(box, *settings):
    machine = (box.source / "topologies/machines/btree_8.yaml").read_text(encoding="utf-8") + "interrupts: {master: n0}\n"
    scenario = box.scenario(("tasks: 20", "tasks: 100"), TASKS, TMON, machine)
    done = box.run("run", scenario, "--out", "out", *settings)
    equal(done.returncode, 0, f"exit code of the run ({done.stderr!r})")


@simulation
def tmon_ties_drifting_clocks_together(box):
    tmon_run(box, "--set", "clock.drift_most=100")
    data = is_json(succeeds(box.run("clocks", "out", "--json")), "magicwire.clocks/1")
    equal((data["synchronised"], data["reference"], len(data["nodes"])), (True, 0, 8), "reference")
    assert all(node["tied"] for node in data["nodes"]), data["nodes"]
    counts = {name: data["causality"][name]["worst_us"] for name in ("adjusted", "truth")}
    assert abs(counts["adjusted"] - counts["truth"]) < 10, counts
    oracle = json.loads(box.read("out/oracle.json"))["nodes"]
    for node in data["nodes"][1:]:
        true = oracle[node["node"]]["clock"]["drift_ppm"] - oracle[0]["clock"]["drift_ppm"]
        assert abs(node["drift_ppm"] - true) < 5 * node["drift_error_ppm"] + 0.1, (node, true)
    assert data["truth"]["synchronised"]["half_us"] < 5, data["truth"]["synchronised"]
    for name in ("sorted", "amortised"):  # final times push the clocks, if at all, forwards
        equal(data["truth"][name]["records"], data["truth"]["synchronised"]["records"], name)
        assert data["truth"][name]["mean_us"] >= data["truth"]["synchronised"]["mean_us"], data["truth"]
    assert data["truth"]["amortised"]["mean_us"] <= data["truth"]["sorted"]["mean_us"], data["truth"]
    assert data["truth"]["without"]["worst_us"] > 2 * data["truth"]["synchronised"]["half_us"], data["truth"]


# With hardly any room the records of interrupts are lost, or were late: a drift that is given must still be the true one.
@simulation
def no_drift_is_wrong_where_records_of_interrupts_are_lost(box):
    tied = 0
    for when_full in ("stop", "drop-newest", "overwrite-oldest", "degrade"):
        for records in (2, 8):
            tmon_run(box, "-f", "--exit-zero", "--set", f"monitor.buffer={records}", "--set", f"monitor.when_full={when_full}")
            done = box.run("clocks", "out", "--json")
            assert done.returncode in (0, UNKNOWN), done.stderr
            oracle = json.loads(box.read("out/oracle.json"))["nodes"]
            for node in json.loads(done.stdout)["nodes"][1:]:
                if node["drift_ppm"] is None:  # not tied, or by one reading only
                    continue
                tied += 1
                true = oracle[node["node"]]["clock"]["drift_ppm"] - oracle[0]["clock"]["drift_ppm"]
                assert abs(node["drift_ppm"] - true) < 2 * node["drift_error_ppm"] + 0.1, (when_full, records, node, true)
    assert tied > 20, tied


@simulation
def without_an_oracle_it_says_what_the_records_say(box):
    tmon_run(box)
    shutil.copy(box.folder / "out/data.mwt", box.folder / "alone.mwt")
    text = succeeds(box.run("clocks", "alone.mwt"))
    assert "Common clock: that of n0" in text and "oracle" not in text, text
    assert "Against true time, from the oracle" in succeeds(box.run("clocks", "alone.mwt", "--oracle", "out/oracle.json"))
    refuses(box, ["clocks", "alone.mwt", "--picture", "p.svg"],
            "p.svg: cannot be drawn without true time, which is in the run's oracle.json; name that file with --oracle")


@simulation
def tmon_de_has_nothing_that_ties_clocks_together(box):
    box.run("run", box.scenario(), "--out", "out", check=True)
    text = succeeds(box.run("clocks", "out"), UNKNOWN)
    assert "No clock is tied to another" in text and "without, set right once" in text, text
    assert "common clock" not in text and "errors are those against the clock of n0" in text, text
    if shutil.which("gnuplot"):
        equal(succeeds(box.run("clocks", "out", "--picture", "p.svg"), UNKNOWN), text, "what is told beside the picture")
        picture = box.read("p.svg")
        assert "No synchronisation" in picture and "error against the clock of n0" in picture and ">without<" in picture, picture[:2000]
        assert ">synchronised<" not in picture and "common clock" not in picture and "within 0.0 us" not in picture, picture[:2000]


@simulation
def a_run_that_did_not_finish_is_taken_as_far_as_it_goes(box):
    tmon_run(box)
    (box.folder / "killed.incomplete").mkdir()
    data = (box.folder / "out/data.mwt").read_bytes()
    (box.folder / "killed.incomplete/data.mwt.incomplete").write_bytes(data[:len(data) * 2 // 3])
    for place in ("killed.incomplete", "killed.incomplete/data.mwt.incomplete"):
        text = succeeds(box.run("clocks", place))
        assert re.match(r"The trace is incomplete after block \d+: its writer did not finish: later records are missing\.\n", text), text
        assert "Common clock: that of n0" in text, text
        trace = is_json(succeeds(box.run("clocks", place, "--json")), "magicwire.clocks/1")["trace"]
        equal(trace["complete"], False, "whether the trace is complete")
    refuses(box, ["clocks", "killed"], "killed: is not there: the run did not finish; give killed.incomplete")
    (box.folder / "empty").mkdir()
    refuses(box, ["clocks", "empty"], "empty: holds no trace (no data.mwt); give the folder of a run that was monitored, or a trace file")
    equal(is_json(succeeds(box.run("clocks", "out", "--json")), "magicwire.clocks/1")["trace"], {"complete": True, "damaged": False, "status": "complete"}, "trace")


@simulation
def what_is_no_oracle_is_refused(box):
    tmon_run(box)
    no_oracle = "is no oracle.json of magicwire; 'magicwire run SCENARIO --out FOLDER' writes one"
    of_entry = '"clock" of entry 0 of "nodes" has no {}; record the run again, or do without this file'
    for text, message in (
            ('{"schema": 1, "nodes": []}', no_oracle), ('{"schema": "magicwire.run/1", "nodes": []}', no_oracle),
            ('{"schema": "magicwire.oracle/1", "nodes": [{"node": 0, "clock": {"drift_ppm": 1}}]}', of_entry.format('number "began_clock_us"')),
            ('{"schema": "magicwire.oracle/1", "nodes": [{"node": 0, "clock": {"began_clock_us": 1e300}}]}',
             of_entry.format('possible number "began_clock_us"')),
            ('{"schema": "magicwire.oracle/1", "nodes": []}',
             "says nothing of the clock of n0, which the others are compared with; name the oracle.json of this run")):
        box.write("o.json", text)
        refuses(box, ["clocks", "out", "--oracle", "o.json"], f"o.json: {message}")


@simulation
def entries_of_the_oracle_are_of_the_nodes_that_they_name(box):
    tmon_run(box, "--set", "clock.drift_most=100")
    oracle = json.loads(box.read("out/oracle.json"))
    oracle["nodes"].reverse()
    box.write("o.json", json.dumps(oracle))
    equal(succeeds(box.run("clocks", "out", "--oracle", "o.json")), succeeds(box.run("clocks", "out")), "what is said with the entries reversed")


# Monitoring may never have begun on a node: then the oracle beside the trace has no clock of it.
@simulation
def an_oracle_beside_the_trace_that_knows_no_clock_is_left_alone(box):
    tmon_run(box)
    shutil.copy(box.folder / "out/oracle.json", box.folder / "o.json")
    oracle = json.loads(box.read("o.json"))
    for node in oracle["nodes"]:
        del node["clock"]
    box.write("out/oracle.json", json.dumps(oracle))
    text = succeeds(box.run("clocks", "out"))
    assert "Common clock: that of n0" in text and "oracle" not in text, text


@simulation
def the_picture_is_drawn_and_not_replaced(box):
    if shutil.which("gnuplot") is None:
        return
    tmon_run(box)
    succeeds(box.run("clocks", "out", "--picture", "p.svg"))
    first = box.read("p.svg")
    assert "without synchronisation" in first.lower(), "the picture has no key"
    equal(box.run("clocks", "out", "--picture", "p.svg").returncode, 3, "exit code with the picture there")
    succeeds(box.run("clocks", "out", "--picture", "p.svg", "--force"))
    equal(box.read("p.svg"), first, "the picture drawn again")


if __name__ == "__main__":
    sys.exit(main(__doc__))
