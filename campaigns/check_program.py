"""Runs random C programs on a random machine: they make random calls of trollius.h, right and wrong (tests/cli/random_calls.c). Each
process must end, or something must tell why not: a diagnosis with the line, or `why`. Nothing may crash, hang, or touch a file
outside of the allowed folder; every 20th case runs twice and must be the same.

  check_program.py NUMBER FOLDER

Prints JSON: how the processes came out, and the number of diagnoses. Exit code 1, with the reasons, when something is wrong."""
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import threading

sys.dont_write_bytecode = True  # no cache in the source tree
import cases
import tool

SECONDS = 120  # of wall time for one run; most take some tenths
SHAPES = ["chain:2", "chain:5", "ring:3", "ring:8", "mesh:2x3", "mesh:3x3", "hypercube:8"]
SOURCE = cases.ROOT / "tests" / "cli" / "random_calls.c"
ROW = re.compile(r"^(n\d+|h) +\[\d+\] +(\d+) +\d+ +(.*\S) +\./random_calls", re.M)
STARTED = re.compile(r"^\[\d+\] p(\d+) \S+ running on (n\d+)$", re.M)
DIAGNOSIS = re.compile(r"^(?:\S+:\d+: )?random_calls on (n\d+) (.*)$", re.M)


class Shell:
    """A shell that is asked line by line."""

    def __init__(self, folder):
        self.process = subprocess.Popen([cases.BINARY, "shell", "--json", "--files", "work", "--time-out", "200ms", "machine.yaml"], cwd=folder, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.patience = threading.Timer(SECONDS, self.process.kill)
        self.patience.start()
        self.answers = []

    def ask(self, line):
        """The text of the answer. Raises RuntimeError when there is none."""
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
            answer = json.loads(self.process.stdout.readline())
        except (OSError, ValueError):
            self.process.wait()
            raise RuntimeError(f"no answer to '{line}': exit code {self.process.returncode}: {self.process.stderr.read().strip()[-300:]}") from None
        self.answers.append(answer)
        return answer.get("text", "")

    def end(self):
        self.process.stdin.close()
        self.process.stdout.read()
        code = self.process.wait()
        self.patience.cancel()
        if code not in (0, 1):
            raise RuntimeError(f"exit code {code}: {self.process.stderr.read().strip()[-300:]}")


def session(folder, dice, nodes):
    """Words for the table, one a process that was started by hand; problems; all answers. Raises RuntimeError."""
    shell = Shell(folder)
    started = []
    try:
        shell.ask("spread")
        for _ in range(1 + dice.randrange(5)):
            text = shell.ask(f"loadgo -v n{dice.randrange(nodes)} ./random_calls -- {dice.randrange(10**9)} {dice.randrange(3)}")
            started += STARTED.findall(text)
        shell.ask("run for 10s")
        left = ROW.findall(shell.ask("state N at now"))
        told = {node for answer in shell.answers for node, what in DIAGNOSIS.findall(answer.get("text", "")) if "the node has stopped" in what}
        why = {}
        for node, pid, _ in left:
            lines = shell.ask(f"why {node} p{pid}").splitlines()[1:]
            why[pid, node] = lines[0].split(": ", 1)[1] if lines else ""
        shell.end()
    finally:
        shell.process.kill()
        shell.patience.cancel()
    problems = [f"{node} p{pid} goes on: {reason or 'no reason'}" for (pid, node), reason in why.items() if "comput" in reason or not reason]
    return [how_it_came_out(why.get(process), process[1] in told) for process in started], problems, shell.answers


def how_it_came_out(reason, node_told):
    if node_told or (reason is not None and "has stopped" in reason):
        return "ended or stopped on a node that crashed with a diagnosis"
    if reason is None:
        return "ended"
    for part, word in (("arrested", "arrested"), ("pauses", "paused"), ("waits for an answer", "waits for a service"), ("receives that", "sends in vain"),
                       ("none is offered", "receives in vain"), ("link", "waits for a link"), ("pool", "waits for a full pool"), ("does not receive", "sends in vain")):
        if part in reason:
            return word
    return "waits: " + reason


def files(folder):
    return {path.relative_to(folder) for path in folder.rglob("*") if "work" not in path.relative_to(folder).parts}


def prepare(number, program, folder):
    (folder / "work" / "below").mkdir(parents=True)
    dice = random.Random(number)
    shape = dice.choice(SHAPES)
    made = tool.call(["topology", "make", shape], folder, SECONDS).stdout
    (folder / "machine.yaml").write_text(made, encoding="utf-8")
    (folder / "work" / "one").write_text("the first\nfile\n" * 500, encoding="utf-8")
    (folder / "work" / "link").symlink_to("..")
    for name in ("random_calls", "random_calls.blocks"):
        os.symlink(program / name, folder / name)
    return dice, int(re.search(r"count: (\d+)", made)[1])


def once(number, program, folder):
    folder.mkdir()
    dice, nodes = prepare(number, program, folder)
    before = files(folder)
    words, problems, answers = session(folder, dice, nodes)
    if files(folder) != before:
        problems.append(f"files outside of the folder have changed: {files(folder) ^ before}")
    return words, problems, answers


def without_addresses(answers):
    """Globals lie elsewhere in each run (docs/decisions/0027)."""
    return re.sub(r"0x7[0-9a-f]{11}", "0x7...", json.dumps(answers))


def main():
    number, folder = int(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    program = tool.compiled(SOURCE, "random_calls", SECONDS)
    words, problems, answers = once(number, program, folder / "one")
    if number % 20 == 0 and not problems and without_addresses(once(number, program, folder / "two")[2]) != without_addresses(answers):
        problems = ["differs the second time"]
    cases.end(problems, processes=len(words), words=", ".join(words), diagnoses=sum(len(DIAGNOSIS.findall(answer.get("text", ""))) for answer in answers))


if __name__ == "__main__":
    main()
