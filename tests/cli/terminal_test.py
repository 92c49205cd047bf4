#!/usr/bin/env python3
"""magicwire shell at a terminal: prompt, history, errors, Ctrl-C.

    terminal_test.py --magicwire FILE --source DIR [NAME ...]

Habits and helpers are those of cli_cases.py.
"""
import os
import pty
import re
import select
import sys
import time

from cli_cases import DONE, equal, main
from cli_cases import simulation as case


# shell, at a terminal


class Terminal:
    def __init__(self, box, *arguments, file="s.yaml"):
        self.child, self.file = pty.fork()
        if self.child == 0:
            os.chdir(box.folder)
            os.environ["TERM"] = "xterm"
            os.execv(box.magicwire, [box.magicwire, "shell", str(file), "--progress", "never", *arguments])
        self.text = ""

    def until(self, pattern):
        deadline = time.monotonic() + 30
        while not re.search(pattern, self.text):
            ready, _, _ = select.select([self.file], [], [], max(0, deadline - time.monotonic()))
            assert ready, f"no {pattern!r} in {self.text!r}"
            self.text += os.read(self.file, 4096).decode("utf-8", "replace")
        text, self.text = self.text, ""
        return text

    def type(self, text):
        os.write(self.file, text.encode())

    def end(self):
        while True:
            try:
                if not os.read(self.file, 4096):
                    break
            except OSError:
                break
        return os.waitstatus_to_exitcode(os.waitpid(self.child, 0)[1])


@case
def a_terminal_has_a_prompt_a_history_and_goes_on_after_an_error(box):
    box.scenario()
    terminal = Terminal(box)
    terminal.until(r"magicwire 0ps> ")
    terminal.type("run until 1.5ms\n")
    terminal.until(r"at 1\.5ms(.|\n)*magicwire 1\.5ms> ")
    terminal.type("nonsense\n")
    assert "there is no command" in terminal.until(r"magicwire: (.|\n)*magicwire 1\.5ms> ")
    terminal.type("snapshot\n")
    terminal.until(r"snapshot '1' at 1\.5ms(.|\n)*> ")
    terminal.type("run for 1ms\n")
    terminal.until(r"at 2\.5ms(.|\n)*magicwire 2\.5ms> ")
    terminal.type("back\n")
    terminal.until(r"back at snapshot '1', 1\.5ms(.|\n)*magicwire 1\.5ms> ")
    terminal.type("\x1b[A\x1b[A\n")  # the run again: history outlives going back
    terminal.until(r"at 2\.5ms(.|\n)*magicwire 2\.5ms> ")
    terminal.type("quit\n")
    equal(terminal.end(), DONE, "exit code")


@case
def ctrl_c_stops_the_run_and_not_the_session(box):
    (box.folder / "tasks.dat").write_text("", encoding="utf-8")
    box.scenario(("tasks: 20", "tasks: 200000"))
    terminal = Terminal(box)
    terminal.until(r"> ")
    terminal.type("loadgo\n")
    terminal.until(r"are loaded and started(.|\n)*> ")
    terminal.type("run\n")
    time.sleep(0.3)
    terminal.type("\x03")
    terminal.until(r"stopped by Ctrl-C(.|\n)*magicwire [0-9.]+(ms|s)> ")
    terminal.type("status\n")
    assert "phase     run" in terminal.until(r"records(.|\n)*> ")
    terminal.type("quit\n")
    equal(terminal.end(), DONE, "exit code")


@case
def names_are_completed_at_a_terminal(box):
    box.scenario()
    (box.folder / "my_folder").mkdir()
    terminal = Terminal(box)
    terminal.until(r"magicwire 0ps> ")
    terminal.type("statu\t\n")
    terminal.until(r"phase(.|\n)*magicwire 0ps> ")
    terminal.type("snapsh\t\n")  # two commands begin so: as far as both go
    terminal.until(r"snapshot '1' at 0ps(.|\n)*magicwire 0ps> ")
    terminal.type("set see\t3\n")
    terminal.until(r"seed=3(.|\n)*magicwire 0ps> ")
    terminal.type("fault di\tn5\n")
    terminal.until(r"fault=die n5(.|\n)*magicwire 0ps> ")
    terminal.type("save my_fo\t\n")
    terminal.until(r"my_folder(.|\n)*magicwire 0ps> ")
    terminal.type("quit\n")
    equal(terminal.end(), DONE, "exit code")


@case
def a_plan_for_the_network_waits_for_a_yes(box):
    terminal = Terminal(box, file=box.source / "topologies/machines/ubc_btree_16.yaml")
    terminal.until(r"magicwire 0ps> ")
    terminal.type("spread\n")
    terminal.until(r"has booted(.|\n)*magicwire \d+(\.\d+)?ms> ")
    terminal.type("reconfigure ring:16\n")
    plan = terminal.until(r"Set the switches so\? \[y/N\] ")
    assert "15 connections made, 13 taken away" in plan, plan
    terminal.type("n\n")
    terminal.until(r"nothing has changed(.|\n)*magicwire \d+(\.\d+)?ms> ")
    terminal.type("links n0\n")
    assert "n15.2" not in terminal.until(r"LINK(.|\n)*magicwire \d+(\.\d+)?ms> ")
    terminal.type("reconfigure ring:16\n")
    terminal.until(r"Set the switches so\? \[y/N\] ")
    terminal.type("y\n")
    terminal.until(r"routes reached 16 nodes(.|\n)*magicwire \d+(\.\d+)?ms> ")
    terminal.type("quit\n")
    equal(terminal.end(), DONE, "exit code")


if __name__ == "__main__":
    sys.exit(main(__doc__))
