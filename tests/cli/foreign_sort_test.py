#!/usr/bin/env python3
"""'magicwire sort' of traces of other programs, PICL and OTF2, and of standard input.

    foreign_sort_test.py --magicwire FILE --sample FILE --otf2 FILE|none --source DIR [--cases all|trace-tools] [NAME ...]

The judge joins messages by what otf2_sample says of them, and by the values in PICL files, read by picl_reader.py. Habits and helpers are those of
cli_cases.py.
"""
import collections
import json
import random
import subprocess
import sys

sys.dont_write_bytecode = True  # no cache in the source tree
import cli_cases
import picl_reader
from cli_cases import BAD_INPUT, DONE, UNKNOWN, USAGE, case, equal, is_json, refuses, succeeds

OTF2 = None
READERS = {"picl": picl_reader.read_new, "picl-old": picl_reader.read_old}


def piped(box, *words, code=DONE, **options):
    """Standard output of a sort whose figures go to standard error."""
    done = box.run("sort", *words, **options)
    equal(done.returncode, code, f"exit code ({done.stderr!r})")
    return done.stdout


def lines_of(box, *words, code=DONE):
    return [json.loads(line) for line in piped(box, *words, "--to", "jsonl", "-o", "-", code=code).splitlines()]


def skewed_picl(processors, messages, seed, kind, shift=20000):
    """A PICL file whose processors' clocks differ, in an order of the file that keeps that of each processor; and the number of its messages."""
    numbers, rows = random.Random(seed), []
    skew = [numbers.randrange(shift) for _ in range(processors)]
    now = [0] * processors
    for _ in range(messages):
        source, target = numbers.sample(range(processors), 2)
        tag, length = numbers.randrange(3), numbers.randrange(1000)
        now[source] += numbers.randrange(1, 500)
        sent = now[source] + skew[source]
        now[target] = max(now[target], now[source]) + numbers.randrange(1, 200)
        got = now[target] + skew[target]
        if kind == "picl":
            rows += [(source, f"-3 -21 {sent // 1000000}.{sent % 1000000:06} {source} -1 3 2 {length} {tag} {target}"),
                     (source, f"-4 -21 {sent // 1000000}.{sent % 1000000:06} {source} -1 0"),
                     (target, f"-3 -51 {got // 1000000}.{got % 1000000:06} {target} -1 2 2 {tag} {source}"),
                     (target, f"-4 -51 {got // 1000000}.{got % 1000000:06} {target} -1 3 2 {length} {tag} {source}")]
        else:
            rows += [(source, f"4 {sent // 1000000} {sent % 1000000} {source} {target} {tag} {length}"),
                     (target, f"6 {got // 1000000} {got % 1000000} {target} {source} {tag} {length}")]
    lines = collections.defaultdict(list)
    for node, line in rows:
        lines[node].append(line)
    mixed = []
    while any(lines.values()):
        mixed.append(lines[numbers.choice([node for node in lines if lines[node]])].pop(0))
    return "".join(line + "\n" for line in mixed)


def receives_before_sends(text, kind):
    """Of the order of a file: equal messages are joined first in, first out."""
    sends, receives, wrong, joined = collections.Counter(), collections.Counter(), 0, 0
    for line in text.splitlines():
        words = line.split()
        is_send = words[:2] == ["-3", "-21"] if kind == "picl" else words[0] == "4"
        is_receive = words[0] == "-4" and words[1] in ("-51", "-52") if kind == "picl" else words[0] in ("6", "8")
        if not is_send and not is_receive:
            continue
        node, other, tag = (words[3], words[9], words[8]) if kind == "picl" else (words[3], words[4], words[5])
        key = (node, other, tag) if is_send else (other, node, tag)
        if is_send:
            sends[key] += 1
        else:
            receives[key] += 1
            joined += 1
            wrong += receives[key] > sends[key]
    return wrong, joined


def times_of(text, kind):
    return READERS[kind](text).times


@case
def an_export_read_back_is_the_same_file(box):
    for sample in ("mixed", "lossy", "named", "messages"):
        box.sample(sample)
        for kind in ("picl", "picl-old"):
            succeeds(box.run("export", f"{sample}.mwt", "--to", kind, "-o", f"{sample}.{kind}"))
            equal(piped(box, f"{sample}.{kind}", "--by", "arrival", "--to", kind, "-o", "-"), box.read(f"{sample}.{kind}"),
                  f"{sample} as {kind}, read and written again")
            figures = is_json(box.run("sort", f"{sample}.{kind}", "--by", "arrival", "--json").stdout, "magicwire.sort/1")
            equal(figures["records"], len(box.read(f"{sample}.{kind}").splitlines()), "records")
    assert (box.folder / "mixed.picl").exists()


@case
def picl_with_skewed_clocks_comes_out_in_causal_order(box):
    for kind in ("picl", "picl-old"):
        text = skewed_picl(5, 400, 3, kind)
        box.write("a", text)
        wrong, joined = receives_before_sends(text, kind)
        assert wrong > 50 and joined == 400, (wrong, joined)
        by_time = piped(box, "a", "--by", "time", "--to", kind, "-o", "-")
        equal(times_of(by_time, kind), sorted(times_of(text, kind)), "times")
        assert receives_before_sends(by_time, kind)[0] > 20
        for to in (kind, "jsonl", "csv"):
            succeeds(box.run("sort", "a", "--to", to, "-o", f"b.{to}", "-f"))
        sorted_text = box.read(f"b.{kind}")
        equal(receives_before_sends(sorted_text, kind), (0, 400), "receives before their sends, and messages")
        equal(times_of(sorted_text, kind), sorted(times_of(sorted_text, kind)), "final times")
        figures = is_json(succeeds(box.run("sort", "a", "--json")), "magicwire.sort/1")
        equal((figures["messages"], figures["backwards"], figures["backwards_at_arrival"], figures["status"]), (400, 0, wrong, "whole"), "figures")
        lines = [json.loads(line) for line in box.read("b.jsonl").splitlines()]
        equal(sum(line["source"] is not None for line in lines), 400, "receives that name their send")
        for line in lines:
            if line["source"]:
                assert line["final_us"] >= line["source"]["final_us"] and line["kind"] == "receive", line
        equal(len(box.read("b.csv").splitlines()), len(lines) + 1, "lines of CSV")


@case
def the_order_of_the_file_does_not_matter(box):
    """Two mixtures of the same processors' lines have one causal order."""
    first = skewed_picl(4, 200, 5, "picl-old")
    by_node = collections.defaultdict(list)
    for line in first.splitlines():
        by_node[line.split()[3]].append(line)
    box.write("a", first)
    box.write("b", "".join(line + "\n" for node in sorted(by_node) for line in by_node[node]))
    equal(piped(box, "a", "--to", "picl-old", "-o", "-"), piped(box, "b", "--to", "picl-old", "-o", "-"), "order")


@case
def losses_and_ends_are_kept(box):
    box.write("a", '1 0 0 0 1 1 1\n6 0 100 0 1 5 8\n19 0 200 0 0\n16 0 50 1 "lost 3 records, 0 to 2: buffer-full"\n19 0 60 1 0\n6 0 9 2 1 7 8\n')
    figures = is_json(box.run("sort", "a", "--json").stdout, "magicwire.sort/1")
    equal((figures["lost_records"], figures["losses"], figures["receives_alone"], figures["assumed"]["lost"]), (3, 1, 2, 2), "losses")
    equal([stream["state"] for stream in figures["streams"]], ["finished", "finished", "open"], "ends")
    # Nothing was lost, and the sender has ended: it did not record its send, as tools may.
    box.write("b", "6 0 100 0 1 5 8\n19 0 60 1 0\n")
    figures = is_json(succeeds(box.run("sort", "b", "--json")), "magicwire.sort/1")
    equal((figures["assumed"]["stream-ended"], figures["contradictions"]), (1, []), "a send without a record")
    # Each receives before it sends, and what it gets was sent behind that: a cycle, as of sends that are recorded late.
    box.write("c", "6 0 9 0 1 2 3\n4 0 5 0 1 2 3\n6 0 9 1 0 2 3\n4 0 4 1 0 2 3\n")
    figures = is_json(succeeds(box.run("sort", "c", "--json")), "magicwire.sort/1")
    equal((figures["assumed"]["crossed"], figures["backwards"]), (1, 1), "a cycle")


@case
def damaged_picl_is_read_up_to_where_it_is_whole(box):
    text = skewed_picl(3, 30, 7, "picl")
    lines = text.splitlines(keepends=True)
    for at in (1, 17, len(lines) - 1):
        for damage, why in (("-4 -51 0.1 x\n", "'x' is no processor"), ("-3 -21 0.5 0 -1 3 2 1\n", "'' is no message type"), (lines[at].rstrip("\n"), "it has no end"),
                            ("-3 -21 zero 0 -1 0\n", "'zero' is no time in seconds")):
            box.write("a", "".join(lines[:at]) + damage)
            figures = is_json(box.run("sort", "a", "--json").stdout, "magicwire.sort/1")
            equal(figures["records"], at, "records")
            assert figures["status"].startswith(f"damaged at line {at + 1}: {why}"), figures["status"]
    box.write("a", "-3 -21 0.5 0 -1 3 2 1 1 1")
    refuses(box, ["sort", "a", "--stats"], "a:1: it has no end; give a file of PICL records")


@case
def standard_input_is_taken(box):
    box.sample("mixed")
    text = skewed_picl(3, 30, 7, "picl")
    box.write("a", text)
    for name in ("mixed.mwt", "a"):
        with open(box.folder / name, "rb") as file:
            got = piped(box, "-", "--to", "jsonl", "-o", "-", stdin=file)
        equal(got, piped(box, name, "--to", "jsonl", "-o", "-"), name)
        with open(box.folder / name, "rb") as file:
            equal(json.loads(box.run("sort", "-", "--json", stdin=file).stdout)["trace"], "-", "name of the trace")
    done = box.run("sort", "-", stdin=subprocess.DEVNULL)
    equal((done.returncode, done.stderr), (BAD_INPUT, "magicwire: -: standard input is empty; give a trace\n"), "nothing")
    with open(box.folder / "mixed.mwt", "rb") as file:
        half = file.read()[:700]
    (box.folder / "half").write_bytes(half)
    with open(box.folder / "half", "rb") as file:
        done = box.run("sort", "-", "--json", stdin=file)
    assert done.returncode in (DONE, BAD_INPUT) and "/proc" not in done.stdout + done.stderr, (done.stdout, done.stderr)


@case
def mistakes_are_named(box):
    box.write("a", skewed_picl(2, 3, 1, "picl"))
    box.write("b", skewed_picl(2, 3, 1, "picl-old"))
    refuses(box, ["sort", "a", "--to", "picl-old", "-o", "c"], "a: is PICL of 1992; give --to picl")
    refuses(box, ["sort", "b", "--to", "picl", "-o", "c"], "b: is PICL of 1990; give --to picl-old")
    equal(box.run("sort", "a", "--to", "mwt", "-o", "c").returncode, USAGE, "exit code")
    refuses(box, ["sort", "a", "--to", "picl", "-o", "a", "-f"], "a: is the trace itself; name another file with -o")
    box.write("c.otf2", "no archive\n")
    done = box.run("sort", "c.otf2")
    assert done.returncode == BAD_INPUT and done.stderr.startswith("magicwire: c.otf2: ") and done.stderr.count("\n") == 1, done.stderr


def archive(box, ranks, steps, seed, name="o"):
    """[(sender, event, receiver, event)], [(rank, event, [(rank, event)])] of an archive."""
    told = subprocess.run([OTF2, box.folder / name, str(ranks), str(steps), str(seed)], check=True, stdout=subprocess.PIPE, text=True).stdout
    rows = [line.split() for line in told.splitlines()]
    messages = [tuple(map(int, row)) for row in rows if row[0] != "barrier"]
    barriers = []
    for row in rows:
        if row[0] == "barrier":
            numbers = list(map(int, row[1:]))
            barriers.append(((numbers[0], numbers[1]), list(zip(numbers[2::2], numbers[3::2]))))
    return messages, barriers


def has_otf2():
    if OTF2 is None:
        print("  left out: this build has no OTF2")
    return OTF2 is not None


@case
def an_mpi_run_comes_out_in_causal_order(box):
    if not has_otf2():
        return
    for ranks, seed in ((2, 1), (4, 2), (9, 3)):
        messages, barriers = archive(box, ranks, 60, seed, f"o{seed}")
        lines = lines_of(box, f"o{seed}/traces.otf2")
        place = {(line["node"], line["seq"]): at for at, line in enumerate(lines)}
        by_id = {(line["node"], line["seq"]): line for line in lines}
        times = [line["final_us"] for line in lines]
        equal(times, sorted(times), "final times")
        raw = {(line["node"], line["seq"]): line["raw_us"] for line in lines}
        assert sum(raw[f, a] > raw[t, b] for f, a, t, b in messages) > 3, "the clocks are not skewed"
        for source, sent, target, received in messages:
            assert place[source, sent] < place[target, received], (source, sent, target, received)
            equal(by_id[target, received]["source"]["id"], f"n{source}:{sent}", f"send of n{target}:{received}")
            equal(by_id[target, received]["kind"], "receive", "kind")
        for end, beginnings in barriers:
            assert all(place[begin] < place[end] for begin in beginnings if begin[0] != end[0]), (end, beginnings)
        figures = is_json(succeeds(box.run("sort", f"o{seed}/traces.otf2", "--json")), "magicwire.sort/1")
        equal((figures["messages"], figures["backwards"], figures["left_out"], figures["status"]), (len(messages), 0, 0, "whole"), "figures")
        equal(lines_of(box, f"o{seed}"), lines, "lines by the name of the archive's folder")
        equal(lines[0]["stream"], f"rank {lines[0]['node']}", "name of the stream")


@case
def an_mpi_run_as_picl(box):
    if not has_otf2():
        return
    messages, _ = archive(box, 4, 40, 5)
    for kind in ("picl", "picl-old"):
        text = piped(box, "o/traces.otf2", "--to", kind, "-o", "-")
        trace = READERS[kind](text)
        equal((len(trace.sends), len(trace.receives)), (len(messages), len(messages)), "sends and receives")
        equal(receives_before_sends(text, kind), (0, len(messages)), "order")
        box.write("again", text)
        again = piped(box, "again", "--to", kind, "-o", "-")
        equal(receives_before_sends(again, kind), (0, len(messages)), "order of the file sorted again")
        equal(sorted(again.splitlines()) == sorted(text.splitlines()), True, "the same lines")


@case
def damaged_archives_end_without_a_crash(box):
    """Whatever the library of the format makes of them: a part that is whole, or a refusal."""
    if not has_otf2():
        return
    archive(box, 3, 10, 6)
    files = [path for path in (box.folder / "o").rglob("*") if path.is_file()]
    whole = {path: path.read_bytes() for path in files}
    numbers, seen = random.Random(8), collections.Counter()
    for _ in range(40):
        path = numbers.choice(files)
        data = bytearray(whole[path])
        if numbers.random() < 0.3 or path.suffix == ".otf2":  # the library may count to 2^64 in an anchor file with a wrong number
            data = data[:numbers.randrange(len(data))]
        else:
            for _ in range(numbers.choice([1, 2, 10])):
                data[numbers.randrange(len(data))] = numbers.randrange(256)
        path.write_bytes(bytes(data))
        done = box.run("sort", "o/traces.otf2", "--json")
        path.write_bytes(whole[path])
        assert done.returncode in (DONE, BAD_INPUT, UNKNOWN), (path, done.returncode, done.stderr)
        seen[done.returncode] += 1
        if done.returncode == BAD_INPUT:
            assert done.stderr.startswith("{") or done.stderr.startswith("magicwire: o/traces.otf2: "), done.stderr
        else:
            is_json(done.stdout, "magicwire.sort/1")
    print(f"  {dict(seen)}")


def take_otf2():
    """--otf2 FILE is of this test; the rest is of cli_cases."""
    global OTF2
    if "--otf2" in sys.argv:
        at = sys.argv.index("--otf2")
        OTF2 = sys.argv[at + 1] if sys.argv[at + 1] != "none" else None
        del sys.argv[at:at + 2]


if __name__ == "__main__":
    take_otf2()
    sys.exit(cli_cases.main(__doc__))
