#!/usr/bin/env python3
"""'magicwire sort': its orders, figures and files, what it says of losses and contradictions, and what it refuses.

    sort_test.py --magicwire FILE --source DIR [--cases all|trace-tools] [NAME ...]

Every case works in an empty folder of its own. A NAME picks the cases whose name contains it. A case that fails keeps its
folder and prints where it is; exit code 1.
"""
import csv
import json
import shutil
import sys

from cli_cases import USAGE, case, equal, is_json, main, refuses, simulation, succeeds

TASKS = "0  20 10 0  10000 1000 0  10 10 0  100 10 0  100 10 0\n"


def run(box, monitor, *settings):
    machine = (box.source / "topologies/machines/btree_8.yaml").read_text(encoding="utf-8") + "interrupts: {master: n0}\n"
    scenario = box.scenario(("tasks: 20", "tasks: 60"), TASKS, monitor, machine)
    done = box.run("run", scenario, "--out", "out", "--exit-zero", *settings)
    equal(done.returncode, 0, f"exit code of the run ({done.stderr!r})")


def piped(box, *words):
    """Standard output of a command whose figures go to standard error."""
    done = box.run(*words)
    equal(done.returncode, 0, f"exit code ({done.stderr!r})")
    return done.stdout


def lines_of(box, place="out", *words):
    return [json.loads(line) for line in piped(box, "sort", place, "--to", "jsonl", "-o", "-", *words).splitlines()]


def figures(box, *words):
    return is_json(succeeds(box.run("sort", "out", "--json", *words)), "magicwire.sort/1")


def sends_first(lines):
    """Joins sends and receives by what they say, and counts those that stand the wrong way round."""
    sent, wrong, joined = {}, 0, 0
    for line in lines:
        if line.get("kind") not in ("send", "receive"):
            continue
        ends = (line["node"], line["peer"]) if line["kind"] == "send" else (line["peer"], line["node"])
        key = (*ends, line["task"], line["subtask"], line["is_result"])
        if line["kind"] == "send":
            sent[key] = line
        elif key in sent:
            joined += 1
            equal(line["source"]["id"], sent[key]["id"], "the send of " + line["id"])
            assert line["final_us"] >= sent[key]["final_us"], (line, sent[key])
        else:
            wrong += 1
    return joined, wrong


@simulation
def no_receive_stands_before_its_send_and_times_never_run_backwards(box):
    run(box, "monitor: {unload: [[2ms, 4, 16]]}\n", "--set", "clock.offset_most=5000", "--set", "clock.drift_most=100")
    lines = lines_of(box)
    joined, wrong = sends_first(lines)
    assert joined > 100 and wrong == 0, (joined, wrong)
    times = [line["final_us"] for line in lines if line["what"] == "record"]
    equal(times, sorted(times), "final times")
    seen = [line["id"] for line in lines if line["what"] == "record"]
    equal(len(seen), len(set(seen)), "records, each once")
    told = figures(box)
    equal((told["records"], told["messages"], told["backwards"], told["contradictions"]), (len(seen), joined, 0, []), "figures")
    assert told["backwards_at_arrival"] > 0, told
    equal(figures(box, "--by", "arrival")["backwards"], told["backwards_at_arrival"], "messages that arrived backwards")
    assert told["window"]["mean"] >= 8, told["window"]


@simulation
def amortised_times_keep_every_order_and_spread_what_the_sort_adds(box):
    run(box, "monitor: {unload: [[2ms, 4, 16]]}\n", "--set", "clock.offset_most=5000", "--set", "clock.drift_most=100")
    plain, spread = lines_of(box), lines_of(box, "out", "--amortise", "--latency", "1000")
    joined, wrong = sends_first(spread)
    assert joined > 100 and wrong == 0, (joined, wrong)
    raw = {line["id"]: line["raw_us"] for line in plain if line["what"] == "record"}
    records = [line for line in spread if line["what"] == "record"]
    equal({line["id"]: line["raw_us"] for line in records}, raw, "raw times")
    times = [line["final_us"] for line in records]
    equal(times, sorted(times), "final times")
    for line in records:
        assert line["final_us"] >= line["raw_us"], line
        equal(line["forced_by"] is not None, line["final_us"] > line["raw_us"], "the record that forced " + line["id"])
        if line["source"]:
            assert line["final_us"] - line["source"]["final_us"] > 0.9999, line
            equal(line["source"]["raw_us"], raw[line["source"]["id"]], "raw time of the send of " + line["id"])
    told = figures(box, "--amortise")["amortised"]
    plain_mean = sum(line["final_us"] - line["raw_us"] for line in plain if line["what"] == "record") / len(raw)
    assert told["jumps"] > 0 and 0 < told["mean_us"] < plain_mean, (told, plain_mean)
    equal(figures(box)["amortised"], None, "without --amortise")
    done = box.run("sort", "out", "--amortise", "--by", "time")
    equal((done.returncode, done.stdout), (USAGE, ""), "by time")
    assert done.stderr.startswith("--amortise: it makes final times, which --by time does not have"), done.stderr


@simulation
def vector_times_tell_which_records_precede(box):
    run(box, "monitor: {unload: [[2ms, 4, 16]]}\n", "--set", "monitor.buffer=8", "--set", "monitor.when_full=drop-newest")
    records = [line for line in lines_of(box, "out", "--stamps") if line["what"] == "record"]
    newest, past = {}, {}  # by the definition: all records before it on its node, and all before its source
    for line in records:
        before = dict(newest.get(line["node"], {}))
        if line["source"]:
            for node, count in past[line["source"]["id"]].items():
                before[node] = max(count, before.get(node, 0))
        before[f"n{line['node']}"] = line["seq"] + 1
        past[line["id"]] = newest[line["node"]] = before
        equal(line["stamp"], before, "vector time of " + line["id"])
    assert any(len(stamp) == 8 for stamp in past.values()), "records that follow from all nodes"
    assert "stamp" not in lines_of(box)[0], "without --stamps"
    done = box.run("sort", "out", "--stamps")
    equal((done.returncode, done.stdout), (USAGE, ""), "without --to jsonl")


@simulation
def interrupts_tie_the_raw_times_unless_they_are_left_out(box):
    run(box, "monitor: {kind: tmon, unload: [[1000s, 8, 32]], interrupt: 5ms}\n", "--set", "clock.drift_most=100")
    assert "global interrupts tie 8 of 8" in figures(box)["clock"], figures(box)["clock"]
    told = figures(box, "--no-adjust")
    equal(told["clock"], "the nodes' own clocks, which drift", "clock")


@simulation
def what_was_lost_stands_at_its_place_and_what_it_caused_says_so(box):
    run(box, "monitor: {unload: [[1000s, 8, 32]]}\n", "--set", "monitor.buffer=8", "--set", "monitor.when_full=drop-newest")
    lines = lines_of(box)
    lost = [line for line in lines if line["what"] == "lost"]
    told = figures(box)
    assert lost and sum(line["last"] - line["first"] + 1 for line in lost) == told["lost_records"], (lost, told)
    alone = [line for line in lines if line.get("assumed")]
    assert alone and all(line["kind"] == "receive" and line["source"] is None for line in alone), alone
    equal(len(alone), sum(told["assumed"].values()), "records without their cause")
    next_seq = {}
    for line in lines:
        first = line["first"] if line["what"] == "lost" else line.get("seq")
        if first is None:
            continue
        equal(first, next_seq.get(line["node"], 0), f"number on n{line['node']}")
        next_seq[line["node"]] = (line["last"] if line["what"] == "lost" else first) + 1


@simulation
def a_sorted_trace_file_has_the_same_records_and_the_same_order_again(box):
    run(box, "monitor: {unload: [[2ms, 4, 16]]}\n")
    succeeds(box.run("sort", "out", "--to", "mwt", "-o", "sorted.mwt"))
    by_cause = [line["id"] for line in lines_of(box) if line["what"] == "record"]
    again = piped(box, "sort", "sorted.mwt", "--by", "arrival", "--to", "jsonl", "-o", "-")
    equal([json.loads(line).get("id") for line in again.splitlines() if '"record"' in line], by_cause, "order in the file")
    equal(is_json(succeeds(box.run("sort", "sorted.mwt", "--json")), "magicwire.sort/1")["backwards_at_arrival"], 0, "backwards")
    before, after = (succeeds(box.run("trace", place)) for place in ("out", "sorted.mwt"))
    equal([line for line in after.splitlines() if "records" in line][-1:], [line for line in before.splitlines() if "records" in line][-1:],
          "what the trace holds")
    refuses(box, ["sort", "out", "--to", "mwt", "-o", "sorted.mwt"], "sorted.mwt: exists already and is not replaced; name another file, or replace it with -f")
    refuses(box, ["sort", "sorted.mwt", "--to", "mwt", "-o", "sorted.mwt", "-f"], "sorted.mwt: is the trace itself; name another file with -o")


@simulation
def a_task_s_send_that_is_recorded_after_its_answer_is_no_contradiction(box):
    succeeds(box.run("run", box.source / "examples/tmon/farm.yaml", "--links", "byte", "--set", "monitor.events=task+message", "--out", "out"))
    told = figures(box)
    assert told["assumed"]["crossed"] > 0 and not told["contradictions"], told
    equal(told["backwards"], told["assumed"]["crossed"], "messages backwards")


@simulation
def the_order_of_the_blocks_does_not_matter(box):
    run(box, "monitor: {unload: [[2ms, 4, 16]]}\n", "--set", "monitor.buffer=8", "--set", "monitor.when_full=drop-newest")
    succeeds(box.run("sort", "out", "--to", "mwt", "-o", "sorted.mwt"))
    succeeds(box.run("sort", "out", "--by", "time", "--to", "mwt", "-o", "timed.mwt"))
    equal(lines_of(box, "sorted.mwt"), lines_of(box), "lines of the sorted file")
    equal(lines_of(box, "timed.mwt"), lines_of(box), "lines of the file by time")


@simulation
def csv_and_picl_have_causal_order_and_final_times(box):
    run(box, "monitor: {unload: [[2ms, 4, 16]]}\n", "--set", "clock.offset_most=5000")
    lines = [line for line in lines_of(box) if line["what"] == "record"]
    succeeds(box.run("sort", "out", "--to", "csv", "-o", "s.csv"))
    rows = [row for row in csv.DictReader(box.read("s.csv").splitlines()) if row["row"] == "record"]
    equal([f"n{row['node']}:{row['seq']}" for row in rows], [line["id"] for line in lines], "order")
    equal([float(row["main_ns"]) / 1000 for row in rows], [line["final_us"] for line in lines], "final times")
    equal({line["id"]: line["source"]["id"] for line in lines if line["source"]},
          {f"n{row['node']}:{row['seq']}": row["partner"] for row in rows if row["partner"]}, "sends, by the export's own matcher")
    picl = piped(box, "sort", "out", "--to", "picl", "-o", "-")
    assert len(picl.splitlines()) > len(lines), picl[:300]
    done = box.run("sort", "out", "--by", "arrival", "--to", "csv", "-o", "x.csv")
    assert done.returncode == 2 and "csv has causal order" in done.stderr, done.stderr


@simulation
def an_unfinished_trace_gives_what_is_whole(box):
    run(box, "monitor: {unload: [[2ms, 4, 16]]}\n")
    data = (box.folder / "out/data.mwt").read_bytes()
    shutil.rmtree(box.folder / "out")
    (box.folder / "cut.mwt.incomplete").write_bytes(data[:len(data) * 2 // 3])
    told = is_json(succeeds(box.run("sort", "cut.mwt.incomplete", "--json")), "magicwire.sort/1")
    assert told["status"].startswith("incomplete after block"), told["status"]
    assert told["records"] > 0 and told["backwards"] == 0, told


@simulation
def a_run_reports_its_records_in_causal_order_while_it_goes_on(box):
    (box.folder / "tasks.dat").write_text(TASKS, encoding="utf-8")
    scenario = box.scenario(("tasks: 20", "tasks: 60"), TASKS, "monitor: {unload: [[2ms, 4, 16]]}\n")
    without = is_json(succeeds(box.run("run", scenario, "--json", "--out", "out")), "magicwire.run/1")
    with_it = is_json(succeeds(box.run("run", scenario, "--json", "--sorted", "live.jsonl")), "magicwire.run/1")
    equal(with_it["run_hash"], without["run_hash"], "run hash")
    lines = [json.loads(line) for line in box.read("live.jsonl").splitlines()]
    joined, wrong = sends_first(lines)
    assert joined > 100 and wrong == 0, (joined, wrong)
    told = figures(box)
    equal(sum(line["what"] == "record" for line in lines), told["records"], "records")
    moments = [line["reported_us"] for line in lines]
    equal(moments, sorted(moments), "moments of the reports")
    assert len(set(moments)) > 5, "the records were not reported while the machine ran"
    # The final time is the same as in the sort of the stored trace.
    stored = {line["id"]: line["final_us"] for line in lines_of(box) if line["what"] == "record"}
    equal({line["id"]: line["final_us"] for line in lines if line["what"] == "record"}, stored, "final times")
    done = box.run("run", scenario, "--sorted", "-", "--exit-zero")
    equal(done.stdout, box.read("live.jsonl"), "the same on standard output")
    assert "run hash" in done.stderr, done.stderr
    refuses(box, ["run", scenario, "--sorted", scenario, "-f"], f"{scenario}: is an input of this run; name another file with --sorted")
    refuses(box, ["run", scenario, "--sorted", "x/s", "--out", "x"],
            "x/s: lies in the folder of --out, which the run makes; name a file elsewhere with --sorted")
    refuses(box, ["run", scenario, "--sorted", "live.jsonl"],
            "live.jsonl: exists already and is not replaced; name another file, or replace it with -f")


@case
def wrong_usage_says_what_to_do(box):
    refuses(box, ["sort", "none"], "none: cannot open: No such file or directory; check the name")
    done = box.run("sort", "none", "--to", "mwt")
    equal(done.returncode, 2, "exit code")
    assert "name one with -o" in done.stderr, done.stderr
    done = box.run("sort", "none", "--latency", "9223372036854775807")
    assert done.returncode in (2, 3), done.stderr
    done = box.run("sort", "none", "--to", "mwt", "-o", "-")
    assert done.returncode == 2 and "mwt is no text" in done.stderr, done.stderr


if __name__ == "__main__":
    sys.exit(main(__doc__))
