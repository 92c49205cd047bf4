#!/usr/bin/env python3
"""Waveforms of 'magicwire run --vcd', read back by the rules of IEEE 1364.

    waveform_test.py --magicwire FILE --source DIR [--cases all|trace-tools] [NAME ...]

Every case works in an empty folder of its own. A NAME picks the cases whose name contains it. A case that fails keeps its
folder and prints where it is; exit code 1.
"""
import json
import shutil
import subprocess
import sys

from cli_cases import USAGE, equal, is_json, main, refuses, simulation, succeeds


class Vcd:
    """A value change dump, read by the rules of IEEE 1364 as far as a run needs them: names with scopes, and changes in order."""

    def __init__(self, text):
        head, body = text.split("$enddefinitions", 1)
        words, scopes, self.names = head.split(), [], {}
        self.timescale = head.split("$timescale", 1)[1].split("$end")[0].split()
        self.date = head.split("$date", 1)[1].split("$end")[0].split()
        while words:
            word = words.pop(0)
            if word == "$scope":
                scopes.append(words[1])
            elif word == "$upscope":
                scopes.pop()
            elif word == "$var":
                assert words[4] == "$end" or words[4].startswith("["), words[:6]
                self.names[words[2]] = ".".join([*scopes, words[3]])
        self.changes, self.end = {name: [] for name in self.names.values()}, 0
        for line in body.splitlines():
            if line.startswith("#"):
                assert int(line[1:]) >= self.end, "time goes back"
                self.end = int(line[1:])
            elif line and line[0] in "01":
                self.changes[self.names[line[1:]]].append((self.end, int(line[0])))
            elif line.startswith("b"):
                value, code = line[1:].split()
                self.changes[self.names[code]].append((self.end, int(value, 2)))

    def share(self, name, values):
        """Of the time of the dump, with one of these values."""
        changes = [*self.changes[name], (self.end, None)]
        return sum(after - at for (at, value), (after, _) in zip(changes, changes[1:]) if value in values) / self.end


@simulation
def waveforms_of_a_run_can_be_read_back(box):
    watch = "n0.1,n1.busy,n0.error,n3.event"
    data = is_json(succeeds(box.run("run", box.scenario(), "--vcd", "a.vcd", "--watch", watch, "--json")), "magicwire.run/1")
    vcd = Vcd(box.read("a.vcd"))
    equal(sorted(vcd.changes), [f"SystemC.{name}" for name in ("n0.error", "n0.link1_in", "n0.link1_out", "n1.busy", "n3.event")], "signals")
    equal(vcd.timescale, ["1", "ps"], "time unit")
    equal(vcd.date, [], "date")
    equal(vcd.changes["SystemC.n0.error"], [(0, 0)], "error pin")
    link = next(line for line in data["links"] if line["from"] == "n0.1")
    out = vcd.share("SystemC.n0.link1_out", (1, 2, 3)) * vcd.end
    assert abs(out - link["busy_us"] * 1e6) < 1e6, (out, link)
    assert {value for _, value in vcd.changes["SystemC.n1.busy"]} == {0, 1, 2}
    assert vcd.share("SystemC.n1.busy", (1,)) > vcd.share("SystemC.n1.busy", (2,)) > 0
    if shutil.which("vcd2fst"):  # of GTKWave: a reader that is not ours
        subprocess.run(["vcd2fst", "-v", "a.vcd", "-f", "a.fst"], cwd=box.folder, check=True, stdout=subprocess.DEVNULL)
        assert (box.folder / "a.fst").stat().st_size > 0


@simulation
def waveforms_change_nothing_and_have_the_same_bytes_twice(box):
    without = json.loads(succeeds(box.run("run", box.scenario(), "--json")))
    texts = []
    for name in ("a.vcd", "b.vcd"):
        data = json.loads(succeeds(box.run("run", "s.yaml", "--vcd", name, "--watch", "n0.1,n1.busy", "--json")))
        equal(data, without, "what the run tells")
        texts.append(box.read(name))
    equal(texts[0] == texts[1], True, "that both files have the same bytes")
    equal([name for name in box.files() if "part" in name], [], "what is left over")


@simulation
def a_watch_that_does_not_exist_is_refused_before_the_run(box):
    scenario = box.scenario()
    refuses(box, ["run", scenario, "--vcd", "a.vcd", "--watch", "n0.1,n1.buzy"],
            "--watch:1:6: this machine has no signal 'n1.buzy', did you mean 'n1.busy'?")
    refuses(box, ["run", scenario, "--vcd", "a.vcd", "--watch", "everything"],
            "--watch:1:1: this machine has no signal 'everything'; write a link (n0.1, host.0), an output of a switch (x0.5), or event, ack, "
            "error, halted or busy of a node (n0.busy)")
    refuses(box, ["run", scenario, "--vcd", "nowhere/a.vcd", "--watch", "n0.1"],
            "nowhere/a.vcd: cannot be created: No such file or directory; name another file")
    for alone in (["--vcd", "a.vcd"], ["--watch", "n0.1"]):
        equal(box.run("run", scenario, *alone).returncode, USAGE, f"exit code of {alone} alone")


if __name__ == "__main__":
    sys.exit(main(__doc__))
