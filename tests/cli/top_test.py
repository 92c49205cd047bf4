#!/usr/bin/env python3
"""'magicwire top': its figures as JSON and as lines, and what it does to a terminal.

    top_test.py --magicwire FILE --source DIR [--cases all|trace-tools] [NAME ...]

Every case works in an empty folder of its own. A NAME picks the cases whose name contains it. A case that fails keeps its
folder and prints where it is; exit code 1.
"""
import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

from cli_cases import BAD_INPUT, FOUND, USAGE, equal, is_json, main, refuses, simulation, succeeds

ENTER, LEAVE, SHOW_CURSOR = "\x1b[?1049h", "\x1b[?1049l", "\x1b[?25h"
LONG = ("tasks: 20", "tasks: 2000000")  # runs until it is told to stop


def samples_of(text):
    lines = [is_json(line, "magicwire.top/1") for line in text.splitlines()]
    equal([line["kind"] for line in lines], ["sample"] * (len(lines) - 1) + ["total"], "kinds")
    return lines[:-1], lines[-1]


def rows(sample, table, *keys):
    return {tuple(row[key] for key in keys): row for row in sample[table]}


@simulation
def the_samples_add_up_to_the_total_and_the_total_is_the_summary(box):
    samples, total = samples_of(succeeds(box.run("top", box.scenario(), "--interval", "5ms", "--json")))
    assert len(samples) > 20, len(samples)
    equal([sample["from_us"] for sample in samples[1:]], [sample["until_us"] for sample in samples[:-1]], "beginnings")
    looks = [-(-sample["until_us"] // 5000) for sample in samples[:-1]]
    assert all(before < after for before, after in zip(looks, looks[1:])), "two samples of one interval"
    for key in ("results", "moved"):
        equal(sum(sample[key] for sample in samples), total[key], key)
    for table, names, figures in (("nodes", ["node"], ["busy_us", "idle_us", "overhead_us", "recorded", "lost"]),
                                  ("links", ["from"], ["busy_us", "monitor_busy_us", "bytes", "monitor_bytes", "lost_transfers"])):
        for key, row in rows(total, table, *names).items():
            for figure in figures:
                parts = [rows(sample, table, *names).get(key, {figure: 0})[figure] for sample in samples]
                equal(sum(parts), row[figure], f"{figure} of {key}")
    summary = total["summary"]
    equal(summary["schema"], "magicwire.run/1", "schema of the summary")
    equal((summary["modelled_us"], summary["results"]), (total["until_us"], total["results"]), "time and results")
    for node, row in rows(summary, "nodes", "node").items():
        mine, bill = rows(total, "nodes", "node")[node], row["overhead"]
        equal(mine["busy_us"], row["high_busy_us"] + row["low_busy_us"] + rounding(mine, row), f"busy_us of {node}")
        assert abs(mine["overhead_us"] - sum(bill[part] for part in ("probe_us", "meter_us", "manager_us", "policy_us", "backend_us", "kernel_us"))) <= 6, (mine, bill)
        equal((mine["recorded"], mine["lost"]), (bill["events"] + bill["dropped"], bill["dropped"]), f"records of {node}")
    for link, row in rows(summary, "links", "from", "to").items():
        if row["application_messages"] + row["system_messages"] + row["monitor_messages"] == 0:
            continue
        mine = rows(total, "links", "from", "to")[link]
        equal((mine["busy_us"], mine["monitor_bytes"], mine["lost_transfers"]), (row["busy_us"], row["monitor_bytes"], row["lost_transfers"]), str(link))


def rounding(mine, row):
    """Two times cut to microseconds are up to one less than their sum cut."""
    more = mine["busy_us"] - row["high_busy_us"] - row["low_busy_us"]
    return more if more in (0, 1) else 0


@simulation
def watching_changes_nothing_and_only_the_wall_speed_differs_between_two_runs(box):
    texts = [succeeds(box.run("top", box.scenario(), "--interval", interval, "--json")) for interval in ("20ms", "20ms", "7ms")]
    parts = [[{key: value for key, value in json.loads(line).items() if key != "wall_speed"} for line in text.splitlines()] for text in texts]
    equal(parts[0], parts[1], "two runs")
    run = is_json(succeeds(box.run("run", "s.yaml", "--json")), "magicwire.run/1")
    for part in parts:
        equal({**part[-1]["summary"], "arguments": []}, {**run, "arguments": []}, "the summary")


@simulation
def lines_are_what_a_pipe_gets_then_summary_verdict_and_the_exit_code_of_run(box):
    dc8 = box.source / "examples/thesis/dc8.yaml"
    text = succeeds(box.run("top", dc8, "--interval", "100ms"), FOUND)
    lines = [line for line in text.splitlines() if " ms " in line and "s/s" in line]
    for line in lines[:-1]:
        assert re.match(r" *\d+\.\d{3} ms (boot|load|run|quit|state) +\d+ of 100 tasks done, nodes [\d.]+ % busy, [\d.]+ % monitor, "
                        r"links [\d.]+ % busy, [\d.]+ % monitor, \d+ records, \d+ in buffers, \d+ lost(, \d+ stopped)?, "
                        r"(no stop so far|likely stop: .+), \S+ s/s$", line), line
    assert len(lines) >= 9 and " 4 stopped," in lines[-1] and "95 of 100 tasks done" in lines[-1], lines[-1]
    assert "Run of dc8" in text and "Certain: task 49" in text and "\x1b" not in text, text
    succeeds(box.run("top", dc8, "--lines", "--interval", "1s", "--exit-zero"))


@simulation
def by_records_shows_what_the_host_has_beside_the_truth(box):
    dc8 = box.source / "examples/thesis/dc8.yaml"
    samples, total = samples_of(succeeds(box.run("top", dc8, "--by-records", "--interval", "5ms", "--json"), FOUND))
    run = is_json(succeeds(box.run("run", dc8, "--json"), FOUND), "magicwire.run/1")
    equal(total["summary"]["run_hash"], run["run_hash"], "the run hash with the sort")
    seen = [sample["by_records"] for sample in samples]
    for one in seen:
        equal(one["came"], sum(stream["came"] for stream in one["streams"]), "the sum over the streams")
        equal(one["reported"] + one["unreported"] + one["held_back"], one["came"], "records that are reported, or wait")
        assert all(stream["came"] + stream["lost"] <= stream["made"] for stream in one["streams"]), one
        assert one["window"] >= one["unreported"], one
    assert any(one["tasks_under_way"] > 0 for one in seen) and any(one["unreported"] > 0 for one in seen), seen
    for before, after in zip(seen, seen[1:]):
        for old, new in zip(before["streams"], after["streams"]):
            news = new["came"] > old["came"]
            wanted = {"finished"} if old["state"] == "finished" else {"active", "finished"} if news else {"idle", "silent", "finished"}
            assert new["state"] in wanted, (old, new)
    end = total["by_records"]
    equal([stream["state"] == "finished" for stream in end["streams"]], [node < 4 for node in range(8)], "streams with an end mark")
    equal((end["sent"], end["back"], end["tasks_under_way"], end["held_back"]), (100, 95, 0, 0), "the end")
    line = succeeds(box.run("top", dc8, "--by-records", "--interval", "100ms", "--lines"), FOUND).splitlines()[-60:]
    text = "\n".join(line)
    assert re.search(r"ms state +truth: 95 of 100 tasks done, 1024 records made, 4 stopped; records: 95 back of 100 sent, 1024 came, 0 lost, "
                     r"0 under way, streams 0 active 4 idle 0 silent 4 finished, window 4, 0 wait, late \d+\.\d{3} ms, likely stop: task 49 on n4", text), text
    refuses(box, ["top", box.scenario(monitor=""), "--by-records"],
            "--by-records: wants records, and the scenario is not monitored; add a 'monitor:' to it")


@simulation
def a_farm_program_and_a_run_without_monitor_are_watched_too(box):
    succeeds(box.run("farm", "new", "pi"))
    _, total = samples_of(succeeds(box.run("top", "pi/pi.farm", "--json")))
    assert total["results"] == total["summary"]["results"] > 0, total
    equal({row["overhead_us"] + row["recorded"] + row["room"] for row in total["nodes"]}, {0}, "what is the monitor's")


@simulation
def what_top_cannot_do_is_refused(box):
    scenario = box.scenario()
    refuses(box, ["top", scenario, "--interval", "0ms"], "--interval 0ms: expected a time of at least 1us, for example --interval 10ms")
    result = box.run("top", scenario, "--interval", "10")
    equal((result.returncode, result.stdout), (BAD_INPUT, ""), "exit code and output")
    assert result.stderr.startswith("magicwire: --interval 10: "), result.stderr
    for wrong in (["--pace", "0"], ["--color", "some"]):
        equal(box.run("top", scenario, *wrong).returncode, USAGE, f"exit code of {wrong}")
    refuses(box, ["top", "no.yaml"], "no.yaml: cannot be read: No such file or directory; check the path")


class Terminal:
    """A terminal of 24 rows and 80 columns with the program on it."""

    def __init__(self, box, *arguments, **environment):
        self.master, slave = pty.openpty()
        self.slave, self.text = slave, ""
        self.size(24, 80)
        self.modes = termios.tcgetattr(slave)
        clean = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
        self.process = subprocess.Popen([box.magicwire, *map(str, arguments)], cwd=box.folder, stdin=slave, stdout=slave, stderr=slave,
                                        env={**clean, "TERM": "xterm-256color", **environment}, start_new_session=True,
                                        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))

    def size(self, rows, columns):
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def press(self, keys):
        os.write(self.master, keys.encode())

    def read(self, enough):
        """Until `enough` of the text since the last call, or nothing more can come; the text."""
        text, end = "", time.monotonic() + 30
        while not enough(text) and time.monotonic() < end:
            if select.select([self.master], [], [], 0.2)[0]:
                text += os.read(self.master, 65536).decode()
            elif self.process.poll() is not None:
                break
        self.text += text
        return text

    def ends(self, code):
        self.read(lambda text: False)
        equal(self.process.wait(30), code, f"exit code; the screen: {self.text[-1500:]!r}")
        equal(termios.tcgetattr(self.slave), self.modes, "the terminal's modes")
        assert self.text.rindex(LEAVE) > self.text.rindex(ENTER) and self.text.rindex(SHOW_CURSOR) > self.text.rindex(ENTER), self.text
        os.close(self.master)
        os.close(self.slave)
        return self.text[self.text.rindex(LEAVE):]


@simulation
def a_terminal_is_redrawn_in_place_and_left_as_it_was(box):
    screen = Terminal(box, "top", box.scenario(), "--pace", "0.5", "--interval", "2ms")
    after = screen.ends(0)
    assert "Run of small" in after and "No fault" in after, after
    drawn = screen.text[:screen.text.rindex(LEAVE)]
    equal(drawn.count(ENTER), 1, "entries into the other screen")
    assert drawn.count("\n") < 200 and len(re.findall(r"\x1b\[\d+;\d+H|\x1b\[\d+d|\x1b\[H", drawn)) > 50, "it moves about instead of scrolling"
    assert "n7" in drawn and "monitor" in drawn and "#" in drawn and "\x1b[38;5;74m" in drawn, drawn[:2000]


@simulation
def without_colour_the_signs_say_it_alone(box):
    for environment, options in (({"NO_COLOR": "1"}, []), ({}, ["--color", "never"])):
        screen = Terminal(box, "top", box.scenario(), *options, **environment)
        screen.ends(0)
        assert not re.search(r"\x1b\[(38;5;\d+|3[0-7])m", screen.text) and "#" in screen.text, screen.text[:2000]


@simulation
def q_and_an_interrupt_end_the_run_with_what_there_is(box):
    for key in ("q", "\x03"):
        screen = Terminal(box, "top", box.scenario(LONG), "--interval", "1ms")
        screen.read(lambda text: " run " in text)
        screen.press(key)
        assert "cut while nodes were still computing" in screen.ends(130)


@simulation
def p_pauses_and_a_smaller_window_is_filled_anew(box):
    screen = Terminal(box, "top", box.scenario(LONG), "--interval", "1ms")
    screen.read(lambda text: " run " in text)
    screen.press("p")
    screen.read(lambda text: "PAUSED" in text)
    screen.size(8, 50)
    screen.process.send_signal(signal.SIGWINCH)
    assert "more nodes" in screen.read(lambda text: "more nodes" in text)
    screen.press("\x1b[B")
    screen.press("p")
    screen.read(lambda text: "q: quit" in text)
    screen.press("q")
    screen.ends(130)


@simulation
def a_signal_that_ends_the_program_leaves_the_terminal_as_it_was(box):
    screen = Terminal(box, "top", box.scenario(LONG))
    screen.read(lambda text: " run " in text)
    screen.process.send_signal(signal.SIGHUP)
    screen.ends(-signal.SIGHUP)


@simulation
def sigterm_ends_the_run_with_what_there_is(box):
    screen = Terminal(box, "top", box.scenario(LONG))
    screen.read(lambda text: " run " in text)
    screen.process.terminate()
    screen.ends(130)
    assert "results came back to the manager" in screen.text, screen.text[-2000:]


@simulation
def a_terminal_that_cannot_be_drawn_on_gets_lines(box):
    for name in ("dumb", "no-such-terminal", ""):
        result = subprocess.run(["script", "-qec", f"TERM={name} '{box.magicwire}' top {box.scenario()} --interval 100ms", "/dev/null"], cwd=box.folder,
                                stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, timeout=60, check=True)
        assert "s/s" in result.stdout and ENTER not in result.stdout, result.stdout


if __name__ == "__main__":
    sys.exit(main(__doc__))
