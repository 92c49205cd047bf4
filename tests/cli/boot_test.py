#!/usr/bin/env python3
"""magicwire boot as a user runs it: the examples in T800 code, images that cannot boot, ends and exit codes, files, both levels of links.

    boot_test.py --magicwire FILE --source DIR [NAME ...]

Habits and helpers are those of cli_cases.py.
"""
import json
import os
import re
import sys

from cli_cases import BAD_INPUT, BUDGET, DONE, FOUND, USAGE, case, equal, main

START = "start: ajw 40\n stl 0\n stl 1\n stl 2\n"
# Asks the host (the packet at LABEL) and takes the reply to `reply`, which lies behind the code.
ASK = """ ldap {label}
 ldl 2
 adc -16
 ldc {label}_end - {label}
 out
 ldap reply
 ldl 2
 ldc 2
 in
 ldap reply + 2
 ldl 2
 ldap reply
 lb
 in
"""
EXIT = " ldap bye\n ldl 2\n adc -16\n ldc 8\n out\n stopp\nbye: .byte 6, 0, 35\n .word {status}\n .byte 0\n"


def example(box, name):
    return f"{box.source}/examples/t800/{name}.s"


def boot(box, image, *words, **options):
    return box.run("boot", image, *words, **options)


def report(box, image, *words):
    done = boot(box, image, "--json", *words)
    return json.loads(done.stdout), done


@case
def hello(box):
    done = boot(box, example(box, "hello"))
    equal((done.returncode, done.stdout, done.stderr), (DONE, "hello, world\n", ""), "the run")


@case
def a_program_of_each_kind_prints_the_same_at_both_levels(box):
    def steps(n):
        count = 0
        while n != 1:
            n, count = n // 2 if n % 2 == 0 else 3 * n + 1, count + 1
        return count
    total = f"sum {sum(steps(n) for n in range(1, 201))}\n"
    sums = "".join(f"{sum(range(k, k + 150, 3))}\n" for k in range(3))
    for name, machine, expected in [("farm", "chain:5", total), ("farm", "tree:2:7", total), ("farm", "chain:1", total),
                                    ("sieve", "chain:6", "2\n3\n5\n7\n11\n"), ("multiplexer", "chain:2", sums)]:
        times = {}
        for level in ("message", "byte"):
            result, done = report(box, example(box, name), "--machine", machine, "--links", level)
            equal((done.returncode, done.stderr), (DONE, expected), f"{name} on {machine}, {level}")
            times[level] = result["ended_s"]
        assert abs(times["message"] / times["byte"] - 1) < 0.01, f"{name} on {machine}: {times}"


CABLE = re.compile(r"(\d+)\.(\d) - (\d+)\.(\d)")


def cables_of(box, machine):
    text = box.run("describe", machine, "--json").stdout
    cables = set()
    for path in json.loads(text)["paths"]:
        ends = [path["a"], path["b"]]
        if all(end.startswith("n") for end in ends):
            cables.add(frozenset(ends))
    return cables


@case
def a_worm_finds_the_machine(box):
    """Its numbers are in the order of the boots: cables from n0 on tell which node each of them is."""
    for shape in ("chain:8", "tree:2:15", "mesh:4x4", "ring:5"):
        made = box.run("topology", "make", shape)
        equal(made.returncode, DONE, made.stderr)
        box.write("made.yaml", made.stdout)
        done = boot(box, example(box, "worm"), "--machine", "made.yaml")
        equal((done.returncode, done.stderr), (DONE, ""), shape)
        found = [tuple(map(int, match.groups())) for match in CABLE.finditer(done.stdout)]
        real = cables_of(box, "made.yaml")
        across = {}
        for cable in real:
            a, b = cable
            across[a], across[b] = b, a
        name = {0: "n0"}
        for a, link, b, far in found:
            there = across[f"{name[a]}.{link}"]
            equal(there.split(".")[1], str(far), f"{shape}: the link at the far end of {name[a]}.{link}")
            equal(name.setdefault(b, there.split(".")[0]), there.split(".")[0], f"{shape}: node {b}")
        equal({frozenset((f"{name[a]}.{link}", f"{name[b]}.{far}")) for a, link, b, far in found}, real, shape)
        equal(done.stdout.splitlines()[-1].split(), ["nodes", str(len(name))], shape)


@case
def the_same_run_has_the_same_bytes(box):
    first, again = (boot(box, example(box, "farm"), "--machine", "tree:2:7", "--json") for _ in range(2))
    equal((first.stdout, first.stderr), (again.stdout, again.stderr), "two runs")
    other, _ = report(box, example(box, "farm"), "--machine", "chain:7")
    assert other["run_hash"] != json.loads(first.stdout)["run_hash"], "another machine has another run hash"


@case
def commstime_is_near_the_measured_time(box):
    done = boot(box, example(box, "commstime"))
    took = int(re.fullmatch(r"round (\d+) ns\n", done.stdout).group(1))
    assert abs(took / 15049 - 1) < 0.05, done.stdout


@case
def the_exit_code_is_the_program_s(box):
    for status, code in ((7, 7), (999999999, 0), (-999999999, 1), (256 + 3, 3)):
        box.write("end.s", START + EXIT.format(status=status))
        equal(boot(box, "end.s").returncode, code, f"status {status}")


@case
def a_standstill_names_who_waits(box):
    box.write("wait.s", START + " ldlp 4\n ldc 0x80000014\n ldc 4\n in\n stopp\n")
    done = boot(box, "wait.s", "--machine", "chain:3")
    equal((done.returncode, done.stdout), (FOUND, ""), "the end")
    for text in ("standstill at", "n0 process #", "waits for input at link 1 (n1.0)", "n1 waits for its boot message", "n2 waits for its boot message"):
        assert text in done.stderr, done.stderr
    box.write("channel.s", START + " mint\n stl 10\n ldlp 4\n ldlp 10\n ldc 4\n in\n stopp\n")
    assert "waits for input at channel #" in boot(box, "channel.s").stderr, "a channel in memory"
    # A pointer to the workspace of a process that waits, as programs keep them, is no channel.
    box.write("pointers.s", START + " mint\n stl 10\n ldlp 0\n stl 20\n ldlp 0\n ldc 1\n or\n stl 21\n ldlp 0\n ldlp 10\n ldc 4\n in\n stopp\n")
    told = boot(box, "pointers.s").stderr
    equal(told.count("n0 process #"), 1, "one process waits: " + told)
    # An ALT is told once, with all its places.
    box.write("alt.s", START + " mint\n stl 10\n mint\n stl 11\n alt\n"
              " ldlp 10\n ldc 1\n enbc\n ldlp 11\n ldc 1\n enbc\n ldc 0x80000014\n ldc 1\n enbc\n altwt\n stopp\n")
    told = boot(box, "alt.s", "--machine", "chain:2").stderr
    equal(told.count("n0 process #"), 1, "one process waits: " + told)
    assert re.search(r"waits in an ALT at link 1 \(n1\.0\), channel #80000\w{3} and channel #80000\w{3}\n", told), told


@case
def images_that_cannot_boot_are_told(box):
    def image(name, data):
        (box.folder / name).write_bytes(bytes(data))
        return boot(box, name)
    for name, data, text in (("empty", [], "the image is empty"), ("cut", [200, 1, 2], "is cut, or its length byte is wrong: byte 0 says that 200 bytes"),
                             ("words", [0, 1, 2, 3, 4, 5, 6, 7, 8], "has no boot code")):
        done = image(name, data)
        equal(done.returncode, BAD_INPUT, name)
        assert name in done.stderr and text in done.stderr, done.stderr
    equal(boot(box, "none.btl").returncode, BAD_INPUT, "no such file")
    # Code that takes nothing of what follows: the rest of the image stays.
    done = image("long", [2, 0x21, 0xF5] + [9] * 50)  # stopp
    equal(done.returncode, FOUND, done.stderr)
    assert "the image has 53 bytes, and n0 took 3 of them" in done.stderr, done.stderr
    # An operation of a T414: ldinf.
    done = image("t414", [5, 0x27, 0xF1, 0x21, 0xF5, 0x20])
    assert "which a T800 does not have: the image may be for a T414" in done.stderr, done.stderr
    # Memory that is not there.
    box.write("large.s", START + " ldc 0\n ldc 0x80000000 + 0x40000000\n stnl 0\n stopp\n")
    done = boot(box, "large.s", "--ram", "64KiB")
    assert "n0 has no memory at #C0000000" in done.stderr, done.stderr
    # Bytes that are no packets.
    box.write("bytes.s", START + " ldl 2\n adc -16\n ldc 0x12345\n outword\n stopp\n")
    done = boot(box, "bytes.s")
    equal(done.returncode, BAD_INPUT, done.stderr)
    assert "--raw" in done.stderr, done.stderr


@case
def raw_bytes_go_through(box):
    box.write("echo.s", START + "again: ldlp 4\n ldl 2\n ldc 1\n in\n ldlp 4\n ldl 2\n adc -16\n ldc 1\n out\n j again\n")
    done = boot(box, "echo.s", "--raw", input="one two three")
    equal((done.returncode, done.stdout, done.stderr), (DONE, "one two three", ""), "echo")
    box.write("stray.s", START + " ldc 0\n ldc 0\n stnl 0\n stopp\n")
    done = boot(box, "stray.s", "--raw")
    assert "has followed a wrong pointer" in done.stderr, done.stderr


@case
def files_lie_below_the_root_and_nowhere_else(box):
    (box.folder / "root").mkdir()
    box.write("outside", "secret")
    os.symlink("../outside", box.folder / "root" / "link")

    def opens(name, mode, *words):
        packet = f"open: .byte {(len(name) + 5 + 1) // 2 * 2}, 0, 10\n .half {len(name)}\n .byte \"{name}\", 1, {mode}\n"
        packet += " .byte 0\n" if (len(name) + 5) % 2 else ""
        box.write("open.s", START + ASK.format(label="open") + " ldap reply + 2\n lb\n ldap bye\n adc 3\n sb\n" + EXIT.format(status=0) + packet +
                  "open_end: .align 4\nreply: .space 64\n")
        return boot(box, "open.s", *words).returncode
    equal(opens("made", 2, "--root", "root"), 0, "a new file")
    assert (box.folder / "root" / "made").exists(), "it was made"
    equal(opens("made", 1), 129, "without --root")
    for name in ("../outside", "link", "/etc/passwd", "/dev/null", "none"):
        equal(opens(name, 1, "--root", "root"), 129, name)
    equal((box.folder / "outside").read_text(), "secret", "the file outside")


@case
def arguments_and_time_reach_the_program(box):
    """The command line comes back over Write."""
    box.write("args.s", START + ASK.format(label="line") + """ ldap reply + 3
 lb
 stl 5
 ldl 5
 ldap answer + 7
 sb
 ldap reply + 5
 ldap answer + 9
 ldl 5
 move
 ldl 5
 adc 8
 ldc -2
 and
 ldap answer
 sb
 ldap answer
 ldl 2
 adc -16
 ldap answer
 lb
 adc 2
 out
 ldap reply
 ldl 2
 ldc 6
 in
""" + EXIT.format(status=0) + """line: .byte 6, 0, 40, 0, 0, 0, 0, 0
line_end: .align 4
reply: .space 128
answer: .byte 0, 0, 13
 .word 1
 .half 0
 .space 128
""")
    done = boot(box, "args.s", "--", "-n", "5", "file")
    equal((done.returncode, done.stdout, done.stderr), (DONE, "-n 5 file", ""), "arguments")


@case
def machines_and_limits(box):
    box.write("loop.s", START + "again: j again\n")
    done = boot(box, "loop.s", "--limit", "0.01")
    equal(done.returncode, BUDGET, done.stderr)
    assert "not over after 0.010000 s" in done.stderr, done.stderr
    box.write("mixed.yaml", "version: 1\nname: mixed\nnodes:\n  count: 2\n  ram: 1MiB\n  override:\n    n1: {core: t800}\nhost: n1.0\nlinks: [n1.1 - n0.0]\n")
    equal(boot(box, example(box, "hello"), "--machine", "mixed.yaml").stdout, "hello, world\n", "a machine that mixes")
    box.write("bad.yaml", "version: 1\nname: bad\nnodes: {count: 1, ram: 1MiB, core: t900}\nhost: n0.0\n")
    done = boot(box, example(box, "hello"), "--machine", "bad.yaml")
    equal(done.returncode, BAD_INPUT, "a core that is none")
    assert "bad.yaml:3:" in done.stderr, done.stderr
    equal(boot(box, example(box, "hello"), "--links", "bit").returncode, USAGE, "no such level")


@case
def a_trace_is_read_by_the_other_commands(box):
    farm = example(box, "farm")
    plain, _ = report(box, farm, "--machine", "tree:2:7")
    traced, done = report(box, farm, "--machine", "tree:2:7", "--trace", "farm.mwt")
    equal((done.returncode, traced["run_hash"]), (DONE, plain["run_hash"]), "the run that is traced")
    equal(boot(box, farm, "--machine", "tree:2:7", "--trace", "farm.mwt").returncode, BAD_INPUT, "a file that exists")
    equal(boot(box, farm, "--machine", "tree:2:7", "--trace", "farm.mwt", "-f").returncode, DONE, "-f")
    sorted_ = box.run("sort", "farm.mwt", "--json")
    equal(sorted_.returncode, DONE, sorted_.stderr)
    made = box.run("export", "farm.mwt", "--to", "csv", "-o", "farm.csv")
    equal(made.returncode, DONE, made.stderr)
    rows = (box.folder / "farm.csv").read_text().splitlines()
    head = rows[0].split(",")
    records = [dict(zip(head, row.split(","))) for row in rows[1:]]
    kinds = {record["kind"] for record in records}
    for kind in ("process-start", "send-call", "message-send", "receive-call", "message-receive"):
        assert kind in kinds, kinds
    # What a node sends to a node has its receive there: all but what went to the host.
    sent = sum(1 for record in records if record["kind"] == "message-send" and record["peer"] not in ("7", "host"))
    assert sent > 100, sent
    equal(box.run("export", "farm.mwt", "--to", "perfetto", "-o", "farm.pftrace").returncode, DONE, "perfetto")
    # With instructions: a record each.
    box.write("few.s", START + " ldc 5\n stl 4\n" + EXIT.format(status=0))
    few, done = report(box, "few.s", "--trace", "few.mwt", "--trace-instructions")
    equal(done.returncode, DONE, done.stderr)
    equal(box.run("export", "few.mwt", "--to", "csv", "-o", "few.csv").returncode, DONE, "csv")
    users = [row for row in (box.folder / "few.csv").read_text().splitlines() if ",user," in row]
    equal(len(users), few["nodes"][0]["instructions"], "instructions")
    equal(boot(box, "few.s", "--trace-instructions").returncode, USAGE, "without --trace")


@case
def a_profile_adds_up_and_names_labels(box):
    farm = example(box, "farm")
    plain, _ = report(box, farm, "--machine", "tree:2:7")
    done = boot(box, farm, "--machine", "tree:2:7", "--profile", "farm.json", "--json")
    result = json.loads(done.stdout)
    equal((done.returncode, result["run_hash"]), (DONE, plain["run_hash"]), "the run that is profiled")
    profile = json.loads((box.folder / "farm.json").read_text())
    for node, end in zip(profile["nodes"], result["nodes"]):
        equal(sum(row["executions"] for row in node["rows"]), end["instructions"], node["node"])
        equal(sum(row["cycles"] for row in node["rows"]) + node["switching"], node["cycles"], node["node"])
        busy = end["busy_s"] * 20e6
        assert abs(node["cycles"] - busy) < 5, (node["node"], node["cycles"], busy)
        cycles = [row["cycles"] for row in node["rows"]]
        equal(cycles, sorted(cycles, reverse=True), "order")
    labels = [label for label in profile["labels"] if label["label"]]
    named = sum(label["cycles"] for label in labels)
    assert named > 0.9 * (profile["cycles"] - sum(node["switching"] for node in profile["nodes"])), "code of all nodes has labels"
    equal(boot(box, farm, "--machine", "tree:2:7", "--profile", "farm.txt").returncode, DONE, "text")
    text = (box.folder / "farm.txt").read_text()
    assert labels[0]["label"] in text and "cycles each" in text, text
    equal(boot(box, farm, "--profile", "none/farm.txt").returncode, BAD_INPUT, "a folder that is not there")


@case
def waveforms_are_those_of_other_runs(box):
    farm = example(box, "farm")
    plain, _ = report(box, farm, "--machine", "chain:3")
    shown, done = report(box, farm, "--machine", "chain:3", "--vcd", "farm.vcd", "--watch", "n0.1,n1.busy,host.0")
    equal((done.returncode, shown["run_hash"], shown["ended_s"]), (DONE, plain["run_hash"], plain["ended_s"]), done.stderr)
    text = (box.folder / "farm.vcd").read_text()
    assert "$timescale" in text and "busy" in text and text.count("#") > 20, text[:400]
    equal(boot(box, farm, "--vcd", "farm.vcd").returncode, USAGE, "without --watch")
    equal(boot(box, farm, "--vcd", "farm.vcd", "--watch", "n9.busy").returncode, BAD_INPUT, "no such node")


@case
def fault_plans_strike_machine_code(box):
    box.write("loop.s", START + "again: j again\n")
    box.write("die.faults", "version: 1\nfaults:\n  - {die: n1, at: 2ms}\n  - {cut: n0.1 - n1.0, at: 4ms}\n  - {slow: n0, factor: 2, at: 90s}\n")
    result, done = report(box, "loop.s", "--machine", "chain:2", "--faults", "die.faults", "--limit", "0.01")
    equal(done.returncode, BUDGET, done.stderr)
    equal([(fault["verb"], fault["target"], fault["happened"]) for fault in result["faults"]],
          [("die", "n1", True), ("cut", "n0.1 - n1.0", True), ("slow", "n0", False)], "the faults")
    equal(result["faults"][0]["first_ps"], 2_000_000_000, "its moment")
    told = boot(box, "loop.s", "--machine", "chain:2", "--faults", "die.faults", "--limit", "0.01", "-v").stderr
    assert "die n1 (at 2ms): struck at" in told and "never happened" in told, told
    # A node that runs half as fast has half the instructions.
    box.write("slow.faults", "version: 1\nfaults:\n  - {slow: n0, factor: 2, at: 2ms}\n")
    fast, slow = (report(box, "loop.s", *words, "--limit", "0.022")[0]["nodes"][0]["instructions"]
                  for words in ((), ("--faults", "slow.faults")))
    assert abs(slow / fast - 0.545) < 0.01, (slow, fast)
    box.write("step.faults", "version: 1\nfaults:\n  - {die: n1, when: {task: 1, step: start}}\n")
    done = boot(box, "loop.s", "--machine", "chain:2", "--faults", "step.faults")
    equal(done.returncode, BAD_INPUT, done.stderr)
    assert "step.faults:3:" in done.stderr and "farm" in done.stderr, done.stderr


@case
def stoperr_is_told(box):
    box.write("stoperr.s", START + " seterr\n stoperr\n")
    done = boot(box, "stoperr.s")
    equal(done.returncode, FOUND, done.stderr)
    assert "has stopped at stoperr: Error was set" in done.stderr and "idle" not in done.stderr, done.stderr
    result, _ = report(box, "stoperr.s")
    assert "stoperr" in result["nodes"][0]["state"], result["nodes"][0]


if __name__ == "__main__":
    sys.exit(main(__doc__))
