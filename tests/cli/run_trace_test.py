#!/usr/bin/env python3
"""The trace of a run as the tools read it back: exported, killed, damaged, streamed.

    run_trace_test.py --magicwire FILE --sample FILE --source DIR [--cases all|trace-tools] [NAME ...]

Habits and helpers are those of cli_cases.py.
"""
import collections
import json
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True  # no cache in the source tree
from cli_cases import simulation
from export_readers import FORMATS, dc8, export, main, output, read_csv, read_sqlite, refused


@simulation
def a_run_is_exported_as_its_own_text_files_have_it(box):
    run = dc8(box)
    events = [line.split() for line in (box.folder / run / "data.tvm").read_text().splitlines()]
    database = read_sqlite(export(box, run, "sqlite"))
    count = database.execute("SELECT count(*) FROM events WHERE kind IN ('send', 'receive')").fetchone()[0]
    assert count == len(events), (count, len(events))
    sends = database.execute("SELECT count(*) FROM events WHERE kind = 'send'").fetchone()[0]
    assert sends == sum("send" in line for line in events)
    oracle = json.loads((box.folder / run / "oracle.json").read_text())
    received = {row[0]: row[1] for row in database.execute("SELECT node, records FROM nodes")}
    assert received == {node["node"]: node["received"] for node in oracle["nodes"]}
    for form in FORMATS:
        export(box, run, form)


@simulation
def a_run_that_was_killed_leaves_a_readable_folder(box):
    dc8(box)
    (box.folder / "gone.incomplete").mkdir()
    shutil.copy(box.folder / "run/data.spf", box.folder / "gone.incomplete/data.spf")
    data = (box.folder / "run/data.mwt").read_bytes()
    (box.folder / "gone.incomplete/data.mwt.incomplete").write_bytes(data[:len(data) * 2 // 3])
    told = json.loads(output(box, "trace", "gone.incomplete", "--json"))
    assert not told["complete"] and told["records"] > 0
    done = subprocess.run([box.magicwire, "detrek", "-p", "gone.incomplete/data"], cwd=box.folder, stdout=subprocess.PIPE, text=True, check=False)
    assert done.returncode in (1, 4), done
    assert done.stdout.startswith(f"The trace is {told['status']}: its writer did not finish: later records are missing.\n"), done.stdout
    assert "Certain" not in done.stdout, done.stdout
    verdict = json.loads(subprocess.run([box.magicwire, "detrek", "--json", "-p", "gone.incomplete/data"], cwd=box.folder, stdout=subprocess.PIPE,
                                        check=False).stdout)
    assert verdict["trace"] == {"complete": False, "damaged": False, "status": told["status"]} and verdict["session"] == "cut", verdict


@simulation
def a_verdict_says_that_its_trace_is_damaged(box):
    run = box.folder / dc8(box)
    (run / "data.tvm").unlink()
    data = bytearray((run / "data.mwt").read_bytes())
    data[len(data) // 2] ^= 1
    (run / "data.mwt").write_bytes(data)
    told = json.loads(output(box, "trace", "run", "--json"))
    assert told["damaged"] and not told["complete"] and told["status"] == f"damaged after block {told['blocks']} at byte {told['end_byte']}", told
    text = box.run("detrek", "-p", "run/data", "--exit-zero").stdout
    assert text.startswith(f"The trace is {told['status']}: the file is damaged: the rest cannot be read; copy it again"), text
    assert "Certain" not in text, text
    verdict = json.loads(box.run("detrek", "--json", "-p", "run/data").stdout)
    assert verdict["trace"] == {"complete": False, "damaged": True, "status": told["status"]} and verdict["session"] == "cut", verdict


@simulation
def of_a_farm_that_loses_records_no_message_is_joined_otherwise_than_with_all_in_memory(box):
    (box.folder / "t.dat").write_text("0  20 10 0  500 100 0  10 10 0  100 10 0  100 10 0\n")
    for when_full in ("drop-newest", "degrade"):
        box.write("s.yaml", f"""version: 1
name: lossy
machine: {box.source}/topologies/machines/btree_16.yaml
farm: {{nodes: 16, tree: binary, tasks: 3000, policy: work-stealing}}
application: {{tasks: t.dat}}
monitor: {{unload: [[10000s, 60, 200]], when_full: {when_full}}}
end: {{limit: 10000s}}
""")
        output(box, "run", "s.yaml", "--stream", "--out", "run", "-f", "--exit-zero", "--totals", "none")
        rows, waiting, joined, lost = read_csv(export(box, "run", "csv")), collections.defaultdict(collections.deque), 0, 0
        for row in rows:
            lost += row["row"] == "lost"
            if row["kind"] not in ("send", "receive"):
                continue
            here, there = (row["node"], row["peer"]) if row["kind"] == "send" else (row["peer"], row["node"])
            key = here, there, row["is_result"], row["task"], row["subtask"]
            if waiting[key] and waiting[key][0][0] != row["kind"]:
                assert row["partner"] == waiting[key].popleft()[1], row
                joined += 1
            else:
                assert row["partner"] == "", row
                waiting[key].append((row["kind"], f"n{row['node']}:{row['seq']}"))
        alone = sum(len(ids) for ids in waiting.values())
        assert lost > 10 and alone > 100 and joined > alone, (lost, alone, joined)
        assert int(rows[-1]["number"]) == alone, (rows[-1], alone)


@simulation
def a_streamed_run_has_the_records_the_hash_and_the_verdict_of_a_plain_one(box):
    dc8(box)
    text = output(box, "run", box.source / "examples/thesis/dc8.yaml", "--out", "streamed", "--stream", code=1)
    assert "Streamed: no farm report or oracle lists" in text and "\nCertain: task 49" in text, text
    files = sorted(path.name for path in (box.folder / "streamed").iterdir())
    assert files == ["console.txt", "data.config", "data.mwt", "data.spf", "oracle.json", "summary.json"], files
    plain, streamed = (json.loads((box.folder / name / "oracle.json").read_text()) for name in ("run", "streamed"))
    assert plain["run_hash"] == streamed["run_hash"] and plain["nodes"] == streamed["nodes"]
    assert streamed["left_out"] == ["planted", "conservation", "account", "running_at_the_end", "fault_list"] and "fault_list" not in streamed
    rows = [[row for row in read_csv(export(box, name, "csv"))] for name in ("run", "streamed")]
    assert rows[0] == rows[1]
    verdicts = [subprocess.run([box.magicwire, "detrek", "-p", f"{name}/data"], cwd=box.folder, stdout=subprocess.PIPE, text=True, check=False).stdout
                for name in ("run", "streamed")]
    assert verdicts[0] == verdicts[1] and verdicts[0].startswith("Certain") and text.endswith(verdicts[0]), verdicts
    stored = json.loads(output(box, "detrek", "-p", "streamed/data", "--json", code=1))
    assert json.loads((box.folder / "streamed/summary.json").read_text())["verdict"] == stored


@simulation
def a_streamed_run_needs_a_folder_and_a_monitor(box):
    scenario = box.source / "examples/thesis/dc8.yaml"
    assert refused(box, "run", scenario, "--stream", code=2).startswith("--stream: the records need a place; add --out FOLDER\n")
    assert refused(box, "run", scenario, "--stream", "--out", "x", "--set", "monitor=off") == (
        "magicwire: --stream: the scenario is not monitored, so there are no records; leave it out\n")
    assert not (box.folder / "x").exists() and not (box.folder / "x.incomplete").exists()


if __name__ == "__main__":
    sys.exit(main(__doc__))
