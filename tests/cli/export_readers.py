"""What the tests of exports have in common: traces made for them, and readers of the formats that share no code with magicwire: Python's csv and sqlite3,
protobuf's Python for Perfetto (perfetto_part.proto), gtkwave's vcd2fst and fst2vcd for VCD. PICL: picl_reader.py."""
import argparse
import collections
import csv
import json
import re
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import cli_cases
from cli_cases import BAD_INPUT, DONE, equal

FORMATS = ["perfetto", "sqlite", "csv", "picl", "picl-old", "vcd"]
SAMPLE = []  # the program that writes traces


def main(document):
    """As cli_cases.main(), with --sample FILE."""
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--sample", required=True, type=lambda p: str(Path(p).resolve()))
    options, rest = parser.parse_known_args()
    SAMPLE.append(options.sample)
    sys.argv[1:] = rest
    return cli_cases.main(document)


def sample(box, kind):
    """A trace of that kind; what is in it."""
    done = subprocess.run([SAMPLE[0], kind, f"{kind}.mwt"], cwd=box.folder, stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def output(box, *arguments, code=DONE):
    """Standard output of a call that succeeds."""
    result = box.run(*arguments)
    equal(result.returncode, code, f"exit code (standard error: {result.stderr!r})")
    return result.stdout


def export(box, trace, form, *more):
    out = f"out.{form}"
    output(box, "export", trace, "--to", form, "-o", out, "-f", *more)
    return box.folder / out


def dc8(box):
    output(box, "run", box.source / "examples/thesis/dc8.yaml", "--out", "run", "-f", "--exit-zero")
    return "run"


def refused(box, *arguments, code=BAD_INPUT):
    result = box.run(*arguments)
    equal(result.returncode, code, f"exit code (standard error: {result.stderr!r})")
    equal(result.stdout, "", "standard output")
    return result.stderr


def read_csv(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file, strict=True))


def read_sqlite(path):
    database = sqlite3.connect(path)
    database.row_factory = sqlite3.Row
    assert database.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    return database


class Perfetto:
    """A trace by protobuf's own reader: tracks, events on them, clocks."""

    def __init__(self, box, path):
        box_python = box.folder / "python"
        if not (box_python / "perfetto_part_pb2.py").exists():
            box_python.mkdir(exist_ok=True)
            subprocess.run(["protoc", f"--proto_path={box.source / 'tests/cli'}", f"--python_out={box_python}", "perfetto_part.proto"], check=True)
            sys.path.insert(0, str(box_python))
        import perfetto_part_pb2
        self.trace = perfetto_part_pb2.Trace()
        self.trace.ParseFromString(path.read_bytes())
        self.tracks, self.events, self.clocks = {}, [], collections.defaultdict(list)
        names, categories = {}, {}
        for packet in self.trace.packet:
            assert packet.trusted_packet_sequence_id == 1
            assert not packet.UnknownFields() if hasattr(packet, "UnknownFields") else True
            for entry in packet.interned_data.debug_annotation_names:
                names[entry.iid] = entry.name
            for entry in packet.interned_data.event_categories:
                categories[entry.iid] = entry.name
            if packet.HasField("track_descriptor"):
                assert packet.track_descriptor.uuid not in self.tracks, "a track is described twice"
                self.tracks[packet.track_descriptor.uuid] = packet.track_descriptor
            if packet.HasField("clock_snapshot"):
                main, own = packet.clock_snapshot.clocks
                assert main.clock_id == 6 and own.clock_id >= 128
                self.clocks[own.clock_id - 128].append((main.timestamp, own.timestamp))
            if packet.HasField("track_event"):
                event = packet.track_event
                assert event.track_uuid in self.tracks, "an event before its track"
                notes = {names[a.name_iid]: a.string_value if a.HasField("string_value") else a.uint_value for a in event.debug_annotations}
                self.events.append((packet.timestamp, self.place(event.track_uuid), event, [categories[i] for i in event.category_iids], notes))

    def place(self, uuid):
        """(node or None, name of the track)"""
        track = self.tracks[uuid]
        if track.HasField("thread"):
            return track.thread.pid - 1, track.thread.thread_name
        if track.HasField("process"):
            return track.process.pid - 1, ""
        if track.parent_uuid:
            return self.tracks[track.parent_uuid].process.pid - 1, track.name
        return None, track.name

    def of(self, category):
        return [event for event in self.events if category in event[3]]


def read_vcd(box, path):
    """Changes of each signal after a round trip through gtkwave's programs: {(node, name): [(time, value), ...]}"""
    if shutil.which("vcd2fst"):
        subprocess.run(["vcd2fst", path, box.folder / "w.fst"], check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        text = subprocess.run(["fst2vcd", box.folder / "w.fst"], check=True, stdout=subprocess.PIPE, text=True).stdout
    else:
        print("        gtkwave is not installed: no foreign program has read the VCD")
        text = path.read_text()
    names, changes, scope, time = {}, collections.defaultdict(list), [], 0
    head, _, body = text.partition("$enddefinitions")
    for word, rest in re.findall(r"\$(scope|var|upscope)\s+(.*?)\s*\$end", head):
        parts = rest.split()
        if word == "scope":
            scope.append(parts[1])
        elif word == "upscope":
            scope.pop()
        else:
            names.setdefault(parts[2], []).append((scope[-1], parts[3]))
    tokens = iter(body.split())
    for token in tokens:
        if token[0] == "#":
            time = int(token[1:])
        elif token[0] in "bB":
            for name in names[next(tokens)]:
                changes[name].append((time, None if "x" in token else int(token[1:], 2)))
        elif token[0] in "01x" and token[1:] in names:
            for name in names[token[1:]]:
                changes[name].append((time, None if token[0] == "x" else int(token[0])))
    return changes
