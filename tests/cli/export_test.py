#!/usr/bin/env python3
"""What magicwire export writes, read back by programs that share no code with it (export_readers.py). Debian has no reader of PICL; picl_reader.py is a
small one of our own.

    export_test.py --magicwire FILE --sample FILE --source DIR [--cases all|trace-tools] [NAME ...]

Habits and helpers are those of cli_cases.py.
"""
import collections
import csv
import io
import json
import subprocess
import sys

sys.dont_write_bytecode = True  # no cache in the source tree
import picl_reader
from cli_cases import case
from export_readers import FORMATS, Perfetto, export, main, output, read_csv, read_sqlite, read_vcd, refused, sample

KINDS = ["unknown", "send", "receive", "message-send", "message-receive", "receive-call", "process-start", "process-end", "node-usage", "synchronise",
         "user", "send-call", "partner", "member", "collective-begin", "collective-end"]
NS = 1000  # of a microsecond
BEHIND = {0: 0, 1: 40, 2: 0}  # of the sample: the clock of n1 is 40 us behind that of n0, as their records of the interrupt say


@case
def every_record_is_in_the_csv_with_its_values(box):
    told = sample(box, "mixed")
    rows = read_csv(export(box, "mixed.mwt", "csv"))
    assert [int(row["main_ns"]) for row in rows[:-1]] == sorted(int(row["main_ns"]) for row in rows[:-1])
    records = {(int(r["node"]), int(r["seq"])): r for r in rows if r["row"] == "record"}
    assert all(int(r["main_ns"]) == (int(r["node_us"]) + BEHIND[int(r["node"])]) * NS for r in records.values())
    assert len(records) == len(told["records"])
    for want in told["records"]:
        row = records[want["node"], want["seq"]]
        assert row["kind"] == KINDS[want["kind"]] and int(row["node_us"]) == want["time_us"], row
        if row["kind"] in ("send", "receive"):
            assert [int(row["task"]), int(row["subtask"], 16), int(row["peer"]), int(row["bytes"]), int(row["is_result"])] == [
                want["task"], want["subtask"], want["peer"], want["bytes"], want["is_result"]], row
        if row["kind"].startswith("message"):
            assert [int(row["number"]), int(row["process"]), int(row["peer"])] == [want["task"], want["subtask"], want["peer"]], row
        if row["kind"] == "user":
            assert int(row["number"]) == 3 and int(row["value"]) == 0x1DEADBEEF, row
        if row["kind"].startswith("process"):
            assert row["value"] == "worker" and int(row["process"]) == 7, row
    lost = [(int(r["node"]), int(r["seq"]), int(r["last_seq"]), r["cause"]) for r in rows if r["row"] == "lost"]
    assert sorted(lost) == [(0, 8, 9, "damaged"), (1, 3, 12, "buffer-full"), (2, 0, 3, "link-lost")], lost
    ends = {int(r["node"]): r["kind"] for r in rows if r["row"] == "end"}
    assert ends == {0: "finished", 1: "finished", 2: "open"}
    assert records[0, 1]["partner"] == "" and records[1, 1]["partner"] == "n0:1" and records[0, 7]["partner"] == "n1:13"
    assert rows[-1]["row"] == "trace" and rows[-1]["kind"] == "complete"


@case
def csv_has_as_many_fields_in_every_line_and_ends_lines_as_the_standard_says(box):
    sample(box, "mixed")
    data = export(box, "mixed.mwt", "csv").read_bytes()
    assert data.endswith(b"\r\n") and b"\n" not in data.replace(b"\r\n", b"")
    rows = list(csv.reader(io.StringIO(data.decode(), newline="")))
    assert {len(row) for row in rows} == {19}, collections.Counter(len(row) for row in rows)


@case
def the_sqlite3_program_imports_the_csv(box):
    sample(box, "mixed")
    path = export(box, "mixed.mwt", "csv")
    done = subprocess.run(["sqlite3", ":memory:"], input=f".import --csv {path} t\nSELECT count(*), sum(\"row\"='record'), sum(\"row\"='lost') FROM t;\n",
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=True)
    assert done.stderr == "", done.stderr
    records, lost = done.stdout.strip().split("|")[1:]
    assert (records, lost) == ("13", "3"), done.stdout


@case
def sqlite_holds_every_record_loss_and_message(box):
    told = sample(box, "mixed")
    database = read_sqlite(export(box, "mixed.mwt", "sqlite"))
    rows = {(row["node"], row["seq"]): row for row in database.execute("SELECT * FROM events")}
    assert len(rows) == len(told["records"])
    for want in told["records"]:
        row = rows[want["node"], want["seq"]]
        assert row["kind"] == KINDS[want["kind"]] and row["time_us"] == want["time_us"]
        assert row["time_ns"] == (want["time_us"] + BEHIND[want["node"]]) * NS
        if row["kind"] in ("send", "receive"):
            assert [row["task"], int(row["subtask"], 16), row["peer"], row["bytes"], row["is_result"]] == [
                want["task"], want["subtask"], want["peer"], want["bytes"], want["is_result"]]
    assert rows[0, 5]["value"] == 0x1DEADBEEF and rows[0, 5]["number"] == 3 and rows[0, 0]["name"] == "worker"
    assert sorted(map(tuple, database.execute("SELECT * FROM messages"))) == [(0, 1, 1, 1), (1, 13, 0, 7)]
    losses = sorted(map(tuple, database.execute("SELECT node, first_seq, last_seq, cause, classes, from_us, until_us, times_known FROM losses")))
    assert losses == [(0, 8, 9, "damaged", "all", 990, 990, 0), (1, 3, 12, "buffer-full", "task", 230, 390, 1),
                      (2, 0, 3, "link-lost", "all", 0, 0, 0)], losses
    assert [tuple(r) for r in database.execute("SELECT node, finished, records, lost FROM nodes ORDER BY node")] == [(0, 1, 8, 2), (1, 1, 5, 10), (2, 0, 0, 4)]
    assert tuple(database.execute("SELECT high_us, low_us, link0_percent, link3_percent, buffered FROM usage").fetchone()) == (3000, 5000, 10, 40, 6)
    assert [tuple(r) for r in database.execute("SELECT node, interrupt FROM sync ORDER BY node")] == [(0, 0), (1, 0)]
    assert sum(r[0] for r in database.execute("SELECT records FROM unloads")) == len(told["records"])
    manifest = dict(map(tuple, database.execute("SELECT * FROM manifest")))
    assert manifest["schema"] == "magicwire.sqlite/1" and manifest["status"] == "complete" and manifest["run_hash"] == "0123456789abcdef"
    assert database.execute("PRAGMA user_version").fetchone()[0] == 1


@case
def the_sqlite3_program_reads_the_database(box):
    sample(box, "mixed")
    path = export(box, "mixed.mwt", "sqlite")
    done = subprocess.run(["sqlite3", path, "PRAGMA integrity_check; SELECT count(*) FROM events"], stdout=subprocess.PIPE, text=True, check=True)
    assert done.stdout == "ok\n13\n", done.stdout


@case
def perfetto_has_a_process_a_node_and_an_event_a_record(box):
    told = sample(box, "mixed")
    trace = Perfetto(box, export(box, "mixed.mwt", "perfetto"))
    assert {t.process.process_name for t in trace.tracks.values() if t.HasField("process")} == {"n0", "n1", "n2"}
    by_id = {(where[0], notes["seq"]): (time, where, event, notes) for time, where, event, _, notes in trace.events if "seq" in notes}
    ends = 0
    for want in told["records"]:
        kind = KINDS[want["kind"]]
        if kind == "node-usage":
            continue  # counters
        if kind == "process-end":
            ends += 1  # the end of a slice
            continue
        time, where, event, notes = by_id[want["node"], want["seq"]]
        assert time == (want["time_us"] + BEHIND[want["node"]]) * NS and notes["node_us"] == want["time_us"]
        if kind in ("send", "receive"):
            assert where[1] == f"link to n{want['peer']}" and [notes["task"], notes["subtask"], notes["bytes"]] == [want["task"], want["subtask"], want["bytes"]]
            assert event.name == f"{kind} {'result' if want['is_result'] else 'task'} {want['task']} {want['subtask']:04x}"
    assert len(by_id) == len(told["records"]) - 1 - ends
    worker = [event for event in trace.events if event[1] == (0, "worker") and event[2].type in (1, 2)]
    assert [(time // NS, event.type) for time, _, event, _, _ in worker] == [(100, 1), (300, 1), (900, 2), (960, 2)], worker


@case
def perfetto_names_messages_so_that_a_person_can_read_them(box):
    sample(box, "messages")
    trace = Perfetto(box, export(box, "messages.mwt", "perfetto"))
    names = [event.name for _, _, event, _, _ in trace.of("message") if event.type != 2]
    assert names == ["message to n1: link 2", "waits for a message: link 1", "message from n1: link 1", "message to n1: loadd",
                     "message from a node that it does not say: reply to process 12", "message to n1: event 17"], names
    assert not any("peer" in notes for _, _, event, _, notes in trace.events if "does not say" in event.name)


@case
def messages_of_the_kernel_are_joined_by_the_names_in_their_records(box):
    sample(box, "named")
    records = {(int(r["node"]), int(r["seq"])): r for r in read_csv(export(box, "named.mwt", "csv")) if r["row"] == "record"}
    assert len(records) == 13
    assert {at: r["partner"] for at, r in records.items() if r["partner"]} == {(1, 2): "n0:0", (0, 2): "n1:4"}, "the send to a cast came second"
    call, partner = records[0, 2], records[1, 3]
    assert [call[column] for column in ("kind", "peer", "bytes", "process", "number", "value")] == ["send-call", "32768", "", "7", "18", "2"], call
    assert [partner[column] for column in ("kind", "peer", "process", "number", "value")] == ["partner", "0", "9", "", "2"], partner
    database = read_sqlite(export(box, "named.mwt", "sqlite"))
    assert sorted(map(tuple, database.execute("SELECT * FROM kernel_messages"))) == [(0, 0, 1, 2), (0, 2, 1, 4), (0, 2, 2, 1)]
    assert database.execute("SELECT count(*) FROM messages").fetchone()[0] == 0
    assert sorted(map(tuple, database.execute("SELECT peer, process, number, value FROM events WHERE kind = 'send-call'"))) == [
        (1, 7, 17, 1), (1, 7, 19, 3), (32768, 7, 18, 2)]
    assert sorted(map(tuple, database.execute("SELECT node, peer, process, value FROM events WHERE kind = 'partner'"))) == [
        (1, 0, 9, 1), (1, 0, 9, 2), (2, 0, 9, 2)]
    told = json.loads(output(box, "export", "named.mwt", "--to", "csv", "-o", "x.csv", "--json"))
    assert (told["messages"], told["unmatched"]) == (3, 1), "a message without a name is not counted"


@case
def perfetto_shows_sends_as_slices_with_an_arrow_to_the_receive(box):
    sample(box, "named")
    trace = Perfetto(box, export(box, "named.mwt", "perfetto"))
    sends = [(time // NS, event.type, event.name) for time, where, event, _, _ in trace.events if where == (0, "process 7")]
    assert sends == [(100, 1, "message to n1: event 17"), (200, 2, ""), (250, 1, "message to cast 32768: event 18"), (300, 2, ""),
                     (350, 1, "message to n1: event 19")], sends
    begins = {flow: (where[0], notes["seq"]) for _, where, event, _, notes in trace.of("message") for flow in event.flow_ids}
    ends = {flow: (where[0], notes["seq"]) for _, where, event, _, notes in trace.of("message") for flow in event.terminating_flow_ids}
    assert [(begins[flow], end) for flow, end in ends.items()] == [((0, 0), (1, 2))], (begins, ends)


@case
def perfetto_flows_join_each_send_with_its_receive(box):
    sample(box, "mixed")
    trace = Perfetto(box, export(box, "mixed.mwt", "perfetto"))
    ends = collections.defaultdict(list)
    for time, where, event, categories, notes in trace.of("task"):
        for flow in event.flow_ids:
            ends[flow].append(("begin", time, where[0], notes["seq"]))
        for flow in event.terminating_flow_ids:
            ends[flow].append(("end", time, where[0], notes["seq"]))
    joined = sorted(tuple(sorted((node, seq) for _, _, node, seq in sides)) for sides in ends.values() if len(sides) == 2)
    assert joined == [((0, 1), (1, 1)), ((0, 7), (1, 13))], ends
    for sides in ends.values():
        assert [side[0] for side in sides] == ["begin", "end"][:len(sides)] and sides == sorted(sides, key=lambda side: side[1])


@case
def perfetto_shows_losses_as_slices_and_buffers_as_counters(box):
    told = sample(box, "mixed")
    trace = Perfetto(box, export(box, "mixed.mwt", "perfetto"))
    losses = [(where, time, event, notes) for time, where, event, _, notes in trace.of("loss") if event.type == 1]
    assert sorted((where[0], notes["first_seq"], notes["last_seq"], notes["cause"]) for where, _, _, notes in losses) == [
        (0, 8, 9, "damaged"), (1, 3, 12, "buffer-full"), (2, 0, 3, "link-lost")]
    full = next(loss for loss in losses if loss[3]["cause"] == "buffer-full")
    assert full[0] == (1, "losses") and full[1] == 270 * NS and full[2].name == "lost 10 records: buffer-full"
    ends = [time for time, where, event, _, _ in trace.events if where == (1, "losses") and event.type == 2]
    assert ends == [430 * NS], ends
    assert [where for _, where, event, _, _ in trace.of("loss") if event.type == 3] == [(2, "losses")], "the open end of n2"
    fill = [(time // NS, event.counter_value) for time, where, event, _, _ in trace.events if where == (0, "records in the trace buffers")]
    assert fill == [(100, 1), (200, 2), (250, 3), (300, 4), (400, 0), (900, 1), (950, 2), (960, 3), (990, 4), (1000, 0)], fill
    assert [event.counter_value for _, where, event, _, _ in trace.events if where == (1, "link 2 sends")] == [30]
    assert trace.clocks[0][0] == (100 * NS, 100 * NS) and len(told["records"]) == 13


@case
def vcd_has_the_fill_and_the_losses_of_every_node(box):
    sample(box, "mixed")
    changes = read_vcd(box, export(box, "mixed.mwt", "vcd"))
    fill = [(time, value) for time, value in changes["n0", "fill"] if time > 0]
    assert fill == [(t * NS, v) for t, v in [(100, 1), (200, 2), (250, 3), (300, 4), (400, 0), (900, 1), (950, 2), (960, 3), (990, 4), (1000, 0)]], fill
    assert [value for _, value in changes["n1", "lost"]][-1] == 10 and (270 * NS, 10) in changes["n1", "lost"]
    assert changes["n2", "recording"][-1][1] is None and changes["n0", "recording"][-1] == (1000 * NS, 0)
    assert changes["n2", "fill"][-1][1] is None, "behind an open end nothing is known"


@case
def picl_tells_every_send_and_receive_in_the_order_of_time(box):
    told = sample(box, "mixed")
    for form, reader in (("picl", picl_reader.read_new), ("picl-old", picl_reader.read_old)):
        trace = reader((box.folder / export(box, "mixed.mwt", form)).read_text())
        assert trace.times == sorted(trace.times), form
        want_sends = sorted(
            (e["node"], e["time_us"] + BEHIND[e["node"]], e["peer"], e["task"] * 2 + e["is_result"], e["bytes"]) for e in told["records"] if e["kind"] == 1)
        want_receives = sorted(
            (e["node"], e["time_us"] + BEHIND[e["node"]], e["peer"], e["task"] * 2 + e["is_result"], e["bytes"]) for e in told["records"] if e["kind"] == 2)
        assert sorted(trace.sends) == want_sends, (form, trace.sends)
        assert sorted(trace.receives) == want_receives, (form, trace.receives)
        assert trace.starts == {0, 1, 2} and trace.exits == {0, 1}, (form, trace.starts, trace.exits)
        assert trace.clock_syncs == [(0, 250), (1, 250)], trace.clock_syncs
        assert any("lost 10 records, 3 to 12: buffer-full" in text for text in trace.texts), trace.texts
        assert any("ends open" in text for text in trace.texts)
        assert trace.idle_us == {1: 2000}, trace.idle_us


@case
def every_format_takes_an_empty_trace_one_node_and_1024_nodes(box):
    for kind, nodes, records in (("empty", 2, 0), ("nothing", 2, 0), ("one", 1, 2), ("many", 1024, 2048)):
        sample(box, kind)
        rows = read_csv(export(box, f"{kind}.mwt", "csv"))
        assert sum(row["row"] == "record" for row in rows) == records and sum(row["row"] == "end" for row in rows) == nodes
        assert {row["kind"] for row in rows if row["row"] == "end"} == {"open" if kind == "nothing" else "finished"}
        database = read_sqlite(export(box, f"{kind}.mwt", "sqlite"))
        assert database.execute("SELECT count(*) FROM events").fetchone()[0] == records
        assert database.execute("SELECT count(*) FROM nodes").fetchone()[0] == nodes
        assert database.execute("SELECT count(*) FROM messages").fetchone()[0] == records // 2
        trace = Perfetto(box, export(box, f"{kind}.mwt", "perfetto"))
        assert sum(t.HasField("process") for t in trace.tracks.values()) == nodes and len(trace.of("task")) == records
        changes = read_vcd(box, export(box, f"{kind}.mwt", "vcd"))
        assert len(changes) == 3 * nodes
        for form, reader in (("picl", picl_reader.read_new), ("picl-old", picl_reader.read_old)):
            picl = reader(export(box, f"{kind}.mwt", form).read_text())
            assert len(picl.sends) == len(picl.receives) == records // 2 and len(picl.starts) == nodes


@case
def every_format_says_that_a_trace_is_incomplete(box):
    sample(box, "cut")
    status = "incomplete after block 9"
    trace = "cut.mwt.incomplete"
    assert read_csv(export(box, trace, "csv"))[-1]["kind"] == status
    database = read_sqlite(export(box, trace, "sqlite"))
    assert database.execute("SELECT value FROM manifest WHERE key='status'").fetchone()[0] == status
    assert status in Perfetto(box, export(box, trace, "perfetto")).of("trace")[0][2].name
    for form in ("picl", "picl-old", "vcd"):
        assert status in export(box, trace, form).read_text(), form
    told = json.loads(output(box, "export", trace, "--to", "csv", "-o", "x.csv", "--json"))
    assert told["status"] == status and told["schema"] == "magicwire.export/1", told


@case
def every_format_says_that_a_trace_is_damaged(box):
    sample(box, "mixed")
    data = (box.folder / "mixed.mwt").read_bytes()
    second = data.index(b"MWBK", data.index(b"MWBK") + 4)
    for name, damaged, status in (("flipped", data[:second + 60] + b"?" + data[second + 61:], f"damaged after block 1 at byte {second}"),
                                  ("longer", data + b"more", f"damaged after block 10 at byte {len(data)}")):
        trace = f"{name}.mwt"
        (box.folder / trace).write_bytes(damaged)
        assert read_csv(export(box, trace, "csv"))[-1]["kind"] == status
        database = read_sqlite(export(box, trace, "sqlite"))
        assert database.execute("SELECT value FROM manifest WHERE key='status'").fetchone()[0] == status
        assert status in Perfetto(box, export(box, trace, "perfetto")).of("trace")[0][2].name
        for form in ("picl", "picl-old", "vcd"):
            assert status in export(box, trace, form).read_text(), form
        assert json.loads(output(box, "export", trace, "--to", "csv", "-o", "x.csv", "-f", "--json"))["status"] == status
        text = output(box, "trace", trace)
        assert text.startswith(f"{trace}: {status}\n  the file is damaged: the rest cannot be read; copy it again"), text
        told = json.loads(output(box, "trace", trace, "--json"))
        assert told["damaged"] and not told["complete"] and told["end_byte"] == int(status.split()[-1]), told


@case
def every_format_that_shows_messages_says_how_many_were_not_joined(box):
    sample(box, "lossy")
    told = json.loads(output(box, "export", "lossy.mwt", "--to", "csv", "-o", "x.csv", "--json"))
    assert (told["messages"], told["unmatched"]) == (4, 8), told
    said = "8 sends and receives were not joined"
    assert read_csv(export(box, "lossy.mwt", "csv"))[-1]["number"] == "8"
    database = read_sqlite(export(box, "lossy.mwt", "sqlite"))
    assert database.execute("SELECT value FROM manifest WHERE key='not_joined'").fetchone()[0] == "8"
    assert [r[0] for r in database.execute("SELECT receive_seq FROM messages ORDER BY 1")] == [6, 7, 8, 9]
    assert Perfetto(box, export(box, "lossy.mwt", "perfetto")).of("trace")[-1][2].name == said
    assert said in picl_reader.read_new(export(box, "lossy.mwt", "picl").read_text()).texts
    assert said in picl_reader.read_old(export(box, "lossy.mwt", "picl-old").read_text()).texts


@case
def a_cut_trace_exports_what_came_before_the_cut(box):
    sample(box, "mixed")
    whole = (box.folder / "mixed.mwt").read_bytes()
    all_rows = read_csv(export(box, "mixed.mwt", "csv"))
    ids = {(row["node"], row["seq"]) for row in all_rows if row["row"] == "record"}
    for size in range(64, len(whole), 97):
        (box.folder / "part.mwt").write_bytes(whole[:size])
        done = subprocess.run([box.magicwire, "export", "part.mwt", "--to", "csv", "-o", "-"], cwd=box.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              check=False)
        assert done.returncode in (0, 3), done
        if done.returncode == 3:
            continue
        rows = list(csv.DictReader(io.StringIO(done.stdout.decode(), newline="")))
        assert rows[-1]["kind"].startswith("incomplete after block"), rows[-1]
        assert {(row["node"], row["seq"]) for row in rows if row["row"] == "record"} <= ids


@case
def the_same_trace_gives_the_same_bytes(box):
    sample(box, "mixed")
    for form in FORMATS:
        first = export(box, "mixed.mwt", form).read_bytes()
        assert first == export(box, "mixed.mwt", form).read_bytes(), form


@case
def nothing_is_replaced_without_force(box):
    sample(box, "mixed")
    for form in FORMATS:
        (box.folder / "mine").write_text("precious")
        message = refused(box, "export", "mixed.mwt", "--to", form, "-o", "mine")
        assert message == "magicwire: mine: exists already and is not replaced; name another file, or replace it with -f\n", message
        assert (box.folder / "mine").read_text() == "precious" and not (box.folder / "mine.incomplete").exists()


@case
def wrong_use_is_told(box):
    sample(box, "mixed")
    assert refused(box, "export", "mixed.mwt", "--to", "perfeto", "-o", "x", code=2).startswith(
        "--to perfeto: no such format, did you mean 'perfetto'?; there are perfetto, sqlite, csv, picl, picl-old, vcd, ctf\n")
    assert refused(box, "export", "mixed.mwt", "--to", "sqlite", "-o", "-", code=2).startswith(
        "-o -: sqlite is no text and does not go to standard output; name a file\n")
    assert refused(box, "export", "mixed.mwt", "--to", "csv", "-o", "mixed.mwt", "-f") == (
        "magicwire: mixed.mwt: is the trace itself; name another file with -o\n")
    assert "no/x.csv: cannot be created: No such file or directory" in refused(box, "export", "mixed.mwt", "--to", "csv", "-o", "no/x.csv")
    assert "no/x.db" in refused(box, "export", "mixed.mwt", "--to", "sqlite", "-o", "no/x.db")
    (box.folder / "empty").mkdir()
    assert refused(box, "trace", "empty") == ("magicwire: empty: holds no trace (no data.mwt); give the folder of a run that was monitored, or a trace file\n")
    assert "cannot open: No such file or directory; check the name" in refused(box, "trace", "none.mwt")
    (box.folder / "gone.incomplete").mkdir()
    assert refused(box, "trace", "gone") == "magicwire: gone: is not there: the run did not finish; give gone.incomplete\n"
    assert refused(box, "export", "mixed.mwt", "--to", "csv", "-o", "x", "--oracle") == (
        "magicwire: oracle.json: cannot open: No such file or directory; give the oracle.json of the run\n")
    (box.folder / "oracle.json").write_text('{"schema": "magicwire.oracle/1", "nodes": []}')
    assert "says nothing of the nodes' clocks" in refused(box, "export", "mixed.mwt", "--to", "csv", "-o", "x", "--oracle")
    (box.folder / "oracle.json").write_text('{"schema": "magicwire.oracle/1", "nodes": [{"node": 0, "clock": {"offset_us": "0"}}]}')
    assert refused(box, "export", "mixed.mwt", "--to", "csv", "-o", "x", "--oracle") == (
        'magicwire: oracle.json: "clock" of entry 0 of "nodes" has no number "began_clock_us"; record the run again, or do without this file\n')
    (box.folder / "oracle.json").write_text("[]")
    assert "is no oracle.json of magicwire" in refused(box, "export", "mixed.mwt", "--to", "csv", "-o", "x", "--oracle")


@case
def true_time_comes_from_the_oracle(box):
    sample(box, "mixed")
    clocks = [{"node": n, "clock": {"began_ps": 0, "began_clock_us": 1000 * n, "offset_us": -500.0, "drift_ppm": 100}} for n in range(3)]
    (box.folder / "oracle.json").write_text(json.dumps({"schema": "magicwire.oracle/1", "nodes": clocks}))
    rows = read_csv(export(box, "mixed.mwt", "csv", "--oracle"))
    for row in rows:
        if row["row"] == "record":
            want = (int(row["node"]) * 1000 + int(row["node_us"]) + 500) / (1 + 100e-6) * 1000
            assert abs(int(row["main_ns"]) - want) <= 1, row
    trace = Perfetto(box, export(box, "mixed.mwt", "perfetto", "--oracle"))
    for main, own in trace.clocks[1]:
        assert abs(main - (1000 + own / 1000 + 500) / (1 + 100e-6) * 1000) <= 1, (main, own)


@case
def trace_says_what_is_there_and_what_is_missing(box):
    sample(box, "mixed")
    text = output(box, "trace", "mixed.mwt")
    for part in ("mixed.mwt: complete", "13 records", "2 sends", "run_hash           0123456789abcdef", "n1:3-12"):
        assert part in text, (part, text)
    told = json.loads(output(box, "trace", "mixed.mwt", "--json"))
    assert told["schema"] == "magicwire.trace/1" and told["complete"] and told["records"] == 13
    assert [(n["state"], n["records"], n["lost"]) for n in told["nodes"]] == [("finished", 8, 2), ("finished", 5, 10), ("open", 0, 4)]
    sample(box, "cut")
    text = output(box, "trace", "cut.mwt.incomplete")
    assert "incomplete after block 9" in text and "nothing concluded from it is certain" in text, text


if __name__ == "__main__":
    sys.exit(main(__doc__))
