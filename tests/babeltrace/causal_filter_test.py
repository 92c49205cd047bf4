#!/usr/bin/env python3
"""flt.magicwire.causal in graphs of babeltrace2: traces with skewed clocks, losses, inputs that are not ready, seeking, mistakes, and damaged traces.

    causal_filter_test.py --plugins FOLDER [--magicwire FILE --source DIR] [NAME ...]

Skewed traces are made by ctf_writer.py. A NAME picks the cases whose name contains it. Exit code 1 when one fails, 77 without babeltrace2's Python.
"""
import argparse
import csv
import json
import os
import random
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

sys.dont_write_bytecode = True
try:
    import bt2
except ImportError:
    print("there is no python3-bt2")
    sys.exit(77)
import ctf_writer
import graphs
import python_sources
from histories import backwards, check_messages, history
from python_sources import Slow, SlowSource

EVENTS = {"sched": [("number", "u64")], "net_send": [("conn", "string"), ("seq", "u64"), ("to", "u64")],
          "net_recv": [("conn", "string"), ("seq", "u64"), ("from", "u64")], "barrier_in": [("who", "array u64")], "barrier_out": [("who", "array u64")]}
JOIN = {"send": "net_send", "receive": "net_recv", "key": ["conn", "seq"]}
CASES = []


def case(function):
    CASES.append(function)
    return function


def write(box, name, rows, **options):
    return ctf_writer.write(box.folder / name, EVENTS, rows, **options)


@case
def no_receive_stands_before_its_send(box):
    """The source has receives with earlier times than their sends. With an input a stream, or one of all, or two traces."""
    rows, joins = history(6, 4000, 1)
    assert backwards(rows) > 100 and len(joins) > 500, (backwards(rows), len(joins))
    trace = write(box, "trace", rows)
    for muxed in (False, True):
        messages = graphs.run(box.plugins, [trace], JOIN, muxed=muxed).messages
        check_messages(messages, rows, joins)
        assert all(message.fields["magicwire_assumed"] == 0 for message in messages if message.kind == "event")
    print(f"  {backwards(rows)} of {len(joins)} receives ran backwards before")


@case
def one_order_whatever_the_way_in(box):
    """Of each stream and between joined events; and the final times are the same."""
    rows, _ = history(5, 3000, 2)
    trace = write(box, "trace", rows)
    times = []
    for muxed in (False, True):
        messages = graphs.run(box.plugins, [trace], JOIN, muxed=muxed).messages
        times.append({(m.stream, m.name, m.fields.get("seq", m.fields.get("number"))): m.time for m in messages if m.kind == "event"})
    assert times[0] == times[1]


@case
def final_times_are_the_least_that_do(box):
    """Beside the formula: raw time plus the drift of the stream, which grows where a cause is later."""
    rows, joins = history(4, 2000, 3)
    messages = graphs.run(box.plugins, [write(box, "trace", rows)], JOIN).messages
    cause = {received[1]: sent[1] for sent, received in joins}
    final, drift, todo = {}, {i: 0 for i in rows}, {i: list(of) for i, of in rows.items()}
    while any(todo.values()):
        for stream, of in todo.items():
            while of:
                time, name, values = of[0]
                if name == "net_recv":
                    if ("net_send", cause[values[1]]) not in final:
                        break
                    drift[stream] = max(drift[stream], final["net_send", cause[values[1]]] - time)
                final[name, values[1] if name != "sched" else values[0]] = time + drift[stream]
                of.pop(0)
    for m in messages:
        if m.kind == "event":
            assert m.time == final[m.name, m.fields.get("seq", m.fields.get("number"))], (m.time, m.fields)


@case
def other_clocks_keep_their_origin(box):
    rows, joins = history(3, 600, 4)
    trace = write(box, "trace", rows, frequency=10000000, offset=1700000000)
    check_messages(graphs.run(box.plugins, [trace], JOIN).messages, rows, joins, 10000000, 1700000000 * 1000000000)


@case
def two_traces_with_one_origin_are_sorted_together(box):
    """The even streams are in one trace, the odd ones in another, as of two machines. Without a common origin they are refused."""
    rows, joins = history(6, 1500, 12)
    halves = [{stream: of for stream, of in rows.items() if stream % 2 == half} for half in (0, 1)]
    for absolute in (True, False):
        traces = [write(box, f"half{half}{absolute}", part, absolute=absolute) for half, part in enumerate(halves)]
        if absolute:
            check_messages(graphs.run(box.plugins, traces, JOIN).messages, rows, joins)
            continue
        try:
            graphs.run(box.plugins, traces, JOIN)
        except bt2._Error as error:
            assert "two clocks need not begin at the same moment" in str(error), error
        else:
            raise AssertionError("clocks without a common origin were taken")


@case
def losses_are_passed_on_and_release_what_waits(box):
    rows, joins = history(5, 4000, 5, lost=0.1)
    trace = write(box, "trace", rows)
    number = {"channel": "conn", "number": "seq"}
    for params in (JOIN, {**JOIN, **number}):
        messages = graphs.run(box.plugins, [trace], params).messages
        check_messages(messages, rows, joins)
        told = sum(m.count for m in messages if m.kind == "lost")
        assert told == sum(row[1] for of in rows.values() for row in of if row[0] == "lost"), told
        joined = {received[1] for _, received in joins}
        for m in messages:
            if m.kind == "event":
                alone = m.name == "net_recv" and m.fields["seq"] not in joined
                assert (m.fields["magicwire_assumed"] != 0) == alone, m.fields
                assert not alone or m.fields["magicwire_assumed"] in (1, 3), m.fields


@case
def partners_and_equal_keys(box):
    """Without numbers: equal messages of a pair are joined first in, first out."""
    rows, joins = history(4, 2000, 6)
    trace = write(box, "trace", rows)
    params = {"send": "net_send", "receive": "net_recv", "key": "conn", "send-partner": "to", "receive-partner": "from"}
    check_messages(graphs.run(box.plugins, [trace], params).messages, rows, joins)


@case
def barriers_separate(box):
    """Every beginning stands before every end, though the clocks say otherwise."""
    numbers, rows = random.Random(7), {i: [] for i in range(5)}
    for turn in range(50):
        for i, of in rows.items():
            of.append((10000 * turn + 100 * i + 30000 * (i % 2) + 1000, "barrier_in", [[0, 1, 2, 3, 4]]))
            of.append((10000 * turn + 30000 * (i % 2) + 1600 + numbers.randrange(50), "barrier_out", [[0, 1, 2, 3, 4]]))
    trace = write(box, "trace", rows)
    for more in ({}, {"members": "who", "group": []}):
        params = {"barrier-begin": "barrier_in", "barrier-end": "barrier_out", **{k: v for k, v in more.items() if v}}
        messages = [m for m in graphs.run(box.plugins, [trace], params).messages if m.kind == "event"]
        begun = ended = 0
        for m in messages:
            begun += m.name == "barrier_in"
            ended += m.name == "barrier_out"
            assert ended == 0 or begun >= 5 * ((ended + 4) // 5), (begun, ended)
        assert begun == ended == 250


@case
def seeking_the_beginning_gives_the_same_again(box):
    rows, _ = history(4, 1000, 8)
    trace = write(box, "trace", rows)
    whole = graphs.run(box.plugins, [trace], JOIN).messages
    again = graphs.run(box.plugins, [trace], JOIN, seek_after=300)
    show = lambda messages: [(m.kind, m.time, m.stream, m.fields) for m in messages]
    assert show(again.first) == show(whole)[:300] and show(again.messages) == show(whole)


@case
def a_give_up_bounds_what_waits(box):
    """A send that is nowhere: without the parameter its receiver waits until the end."""
    rows = {0: [(1000 + i, "sched", [i]) for i in range(20000)],
            1: [(1000, "net_recv", ["x", 1, 0])] + [(1001 + i, "sched", [i]) for i in range(20000)]}
    trace = write(box, "trace", rows)
    for params, most in ((JOIN, None), ({**JOIN, "give-up-after": 1000}, 5000)):
        messages = [m for m in graphs.run(box.plugins, [trace], params).messages if m.kind == "event"]
        at = [i for i, m in enumerate(messages) if m.name == "net_recv"]
        assert len(at) == 1 and messages[at[0]].fields["magicwire_assumed"] == (3 if most is None else 4), messages[at[0]].fields
        assert (at[0] >= 20000) if most is None else (at[0] <= most), at


@case
def every_kind_of_field_is_copied(box):
    """In payload and contexts, with names, levels and environment."""
    told = []
    messages = graphs.run(box.plugins, [(python_sources.EveryKindSource, told)], {"send": "all", "receive": "all", "key": "key"}).messages
    events = [m for m in messages if m.kind == "event"]
    equal = lambda got, wanted: all(abs(got[k] - v) < 1e-6 if isinstance(v, float) else got[k] == v for k, v in wanted.items())
    assert len(events) == len(told) == 20
    for number, (m, (payload, specific, common)) in enumerate(zip(events, told)):
        assert equal(m.fields, payload) and m.specific == specific and m.common == common, (m.fields, payload)
        assert list(m.fields)[-2:] == ["magicwire_raw_ns", "magicwire_assumed"] and m.fields["magicwire_raw_ns"] == m.time == 100 * number
        assert (m.stream_name, m.level, m.environment) == ("the stream", bt2.EventClassLogLevel.WARNING, {"host": "h", "n": -3}), m.environment


@case
def inputs_that_are_not_ready(box):
    """AGAIN passes through, and inactivity lets the other stream's messages out and is passed on."""
    slow = [Slow(["begin", ("receive", 10, 1), "again", ("receive", 700, 2), "end"]),
            Slow(["again", "begin", ("idle", 300), "again", "again", ("send", 400, 1), ("idle", 500), ("send", 600, 2), "end"])]
    graph, result = bt2.Graph(), graphs.Result()
    params = {"send": "send", "receive": "receive", "key": "key"}
    causal = graph.add_component(graphs.filter_class(box.plugins), "causal", params)
    source = graph.add_component(SlowSource, "source", obj=slow)
    sink = graph.add_component(graphs.Collect, "sink", obj=result)
    for port in list(source.output_ports.values()):
        graph.connect_ports(port, list(causal.input_ports.values())[-1])
    graph.connect_ports(causal.output_ports["out"], sink.input_ports["in"])
    agains = 0
    while True:
        try:
            graph.run()
            break
        except bt2.TryAgain:
            agains += 1
            assert agains < 100
    seen = [(m.kind, m.name, m.time) for m in result.messages if m.kind in ("event", "inactive")]
    events = [one for one in seen if one[0] == "event"]
    assert events == [("event", "send", 400), ("event", "receive", 400), ("event", "send", 600), ("event", "receive", 1090)], events
    assert agains >= 1 and any(one[0] == "inactive" for one in seen), (agains, seen)
    assert [one[2] for one in seen] == sorted(one[2] for one in seen), seen


@case
def mistakes_are_named(box):
    rows, _ = history(2, 100, 9)
    trace = write(box, "trace", rows)
    wrong = [({}, "'send': it is missing"), ({"send": "net_send"}, "'receive': it is missing"), ({"send": "net_send", "receive": "net_recv"}, "'key'"),
             ({**JOIN, "chanel": "conn"}, "did you mean 'channel'?"), ({**JOIN, "key": 7}, "a string or an array"),
             ({**JOIN, "key": "sequence"}, "has no field 'sequence'; it has 'conn', 'seq'"), ({**JOIN, "send": "net_sent"}, "did you mean 'net_send'?"),
             ({**JOIN, "number": "seq"}, "'channel': it is missing"), ({**JOIN, "latency": -1}, "a whole number from 0"),
             ({**JOIN, "channel": "conn", "number": "conn"}, "no whole number"), ({"barrier-begin": "barrier_in"}, "'barrier-end'"),
             ({"barrier-begin": "barrier_in", "barrier-end": "barrier_out", "members": "wh"}, "has no field 'wh'"),
             ({**JOIN, "group": "conn"}, "'group': it has no effect, since no event is of a barrier"),
             ({**JOIN, "send-key": "conn", "receive-key": "conn"}, "'key': it has no effect, since both ends have their own"),
             ({"barrier-begin": "barrier_in", "barrier-end": "barrier_out", "kept-sends": 5}, "'kept-sends': it has no effect, since no event is a send")]
    big = write(box, "big", {0: [(100, "net_send", ["a", 1 << 62, 1])], 1: [(90, "net_recv", ["a", 1 << 62, 0])]})
    wrong.append(({**JOIN, "channel": "conn", "number": "seq"}, "is below 0, or 2^62 or more"))
    for params, text in wrong:
        if params.get("number") == "seq" and "channel" in params:
            trace = big
        if "members" in params:
            ctf_writer.write(box.folder / "b", EVENTS, {0: [(1, "barrier_in", [[0]])]})
            trace = box.folder / "b"
        try:
            graphs.run(box.plugins, [trace], params)
        except bt2._Error as error:
            assert text in str(error), (params, text, str(error))
        else:
            raise AssertionError(f"{params} was taken")


def exported(box):
    """A run whose clocks are off, as CTF and as a table; None without the program."""
    if box.magicwire is None:
        print("  left out: there is no magicwire")
        return None
    out, trace = box.folder / "run", box.folder / "ctf"
    words = [box.magicwire, "run", box.source / "examples/thesis/dc8.yaml", "--out", out, "--exit-zero", "--set", "clock.offset_most=5000",
             "--set", "clock.drift_most=100", "--set", "monitor.events=task+message+process"]
    quiet = {"check": True, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    subprocess.run(words, **quiet)
    subprocess.run([box.magicwire, "export", out, "--to", "ctf", "-o", trace], **quiet)
    return trace, list(csv.DictReader(subprocess.run([box.magicwire, "export", out, "--to", "csv", "-o", "-"], **quiet).stdout.splitlines()))


TASKS = {"send": "send", "receive": "receive", "key": ["from", "to", "task", "subtask", "is_result"]}
MESSAGES = {"send": "send-call", "receive": "message-receive", "key": ["from", "message"]}


@case
def the_export_has_every_record_and_loss(box):
    made = exported(box)
    if made is None:
        return
    trace, rows = made
    events = [message for message in graphs.run(box.plugins, [trace], TASKS).messages if message.kind == "event"]
    got = {(m.cpu, m.fields["seq"]): m for m in events}
    wanted = {(int(row["node"]), int(row["seq"])): row for row in rows if row["row"] == "record"}
    assert set(got) == set(wanted) and len(events) == len(wanted) > 1000, (len(got), len(events), len(wanted))
    first = min(0, *(int(row["main_ns"]) for row in rows if row["main_ns"]))
    for key, row in wanted.items():
        m = got[key]
        assert m.name.replace("-unnamed", "") == row["kind"] and m.fields["node_us"] == int(row["node_us"]), (m.name, m.fields, row)
        assert m.fields["magicwire_raw_ns"] == int(row["main_ns"]) - first, (m.fields, row)
        if row["kind"] in ("send", "receive"):
            values = [m.fields[name] for name in ("task", "subtask", "is_result", "peer", "bytes")]
            assert values == [int(row["task"]), int(row["subtask"], 16), int(row["is_result"]), int(row["peer"]), int(row["bytes"])], (m.fields, row)
    lost = sum(m.count for m in graphs.run(box.plugins, [trace], TASKS).messages if m.kind == "lost")
    assert lost == sum(int(row["last_seq"]) - int(row["seq"]) + 1 for row in rows if row["row"] == "lost"), lost


@case
def a_run_of_the_machine(box):
    """Its tasks, and the messages of its kernel, in the program babeltrace2."""
    made = exported(box)
    if made is None:
        return
    for params in (TASKS, MESSAGES):
        text = ",".join(f"{name}={json.dumps(value)}" for name, value in params.items())
        done = subprocess.run(["babeltrace2", "--plugin-path", box.plugins, made[0], "--component=causal:filter.magicwire.causal", f"--params={text}"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        assert done.returncode == 0, done.stderr
        sent, wrong, joined = set(), 0, 0
        for line in done.stdout.splitlines():
            name = line[:line.index(": {")].split()[-1]
            if name not in (params["send"], params["receive"]):
                continue
            values = dict(part.strip().split(" = ", 1) for part in line[line.rindex("{") + 1:line.rindex("}")].split(", "))
            key = tuple(values[field] for field in params["key"])
            if name == params["send"]:
                sent.add(key)
            else:
                joined += key in sent
                wrong += key not in sent and "nothing" in values["magicwire_assumed"]
        assert joined > 100 and wrong == 0, (params, joined, wrong)
        print(f"  {joined} messages, none received before it is sent")


def small_run(box, folder):
    script = ("import sys; sys.dont_write_bytecode = True; sys.path.insert(0, sys.argv[1]); import graphs, bt2\n"
              "try:\n    graphs.run(sys.argv[2], [sys.argv[3]], {'send': 'net_send', 'receive': 'net_recv', 'key': ['conn', 'seq'], 'channel': 'conn', 'number': 'seq'})\n"
              "except bt2._Error:\n    sys.exit(1)\n")
    return subprocess.run([sys.executable, "-c", script, Path(__file__).parent, box.plugins, folder], stderr=subprocess.PIPE, text=True, check=False, timeout=60)


@case
def damaged_traces_end_without_a_crash(box):
    """Bytes of streams are changed. The library refuses some traces; the filter must take the others, whatever their times and fields say."""
    rows, _ = history(3, 200, 10)
    whole = write(box, "whole", rows)
    numbers, ended = random.Random(11), {0: 0, 1: 0}
    for turn in range(box.damaged):
        folder = box.folder / f"damaged{turn}"
        folder.mkdir()
        for file in whole.iterdir():
            data = bytearray(file.read_bytes())
            if file.name != "metadata":
                for _ in range(numbers.choice([0, 1, 1, 3, 20])):
                    data[numbers.randrange(len(data))] = numbers.randrange(256)
                if numbers.random() < 0.2:
                    data = data[:numbers.randrange(len(data))]
            (folder / file.name).write_bytes(data)
        done = small_run(box, folder)
        assert done.returncode in ended, (folder, done.returncode, done.stderr)
        ended[done.returncode] += 1
    print(f"  {ended[0]} were sorted, {ended[1]} refused")


class Box:
    def __init__(self, options, folder):
        self.plugins, self.magicwire, self.source, self.folder, self.damaged = options.plugins, options.magicwire, options.source, folder, options.damaged


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plugins", type=Path, required=True)
    parser.add_argument("--magicwire", type=Path)
    parser.add_argument("--source", type=Path)
    parser.add_argument("--damaged", type=int, default=25, help="damaged traces (default: 25)")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    failed = 0
    for one in CASES:
        if options.names and not any(name in one.__name__ for name in options.names):
            continue
        with tempfile.TemporaryDirectory(prefix="causal_filter.") as folder:
            try:
                one(Box(options, Path(folder)))
                print(f"passed  {one.__name__}", flush=True)
            except Exception:
                failed += 1
                traceback.print_exc()
                print(f"failed  {one.__name__}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    os.environ.pop("BABELTRACE_PLUGIN_PATH", None)
    sys.exit(main())
