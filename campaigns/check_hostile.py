"""Types random commands into `magicwire shell` (odd numbers), or lets hostile processes send random messages to every service,
requests with any words and packets with any header (even numbers; tests/fuzz/messages).

  check_hostile.py NUMBER FOLDER [MESSAGES]

A shell must end with an answer or with an error that names the line, never with a defect, and must obey Ctrl-C. On a machine
nothing may crash, hang or touch a file outside of the allowed folder, and after mild messages every service must answer.
MESSAGES: the program of tests/fuzz/messages, by default that of the build folder of magicwire. Prints JSON: how the case came
out, and how many lines or messages it had. Exit code 1, with the reasons, when something is wrong."""
import pathlib
import random
import re
import signal
import subprocess
import sys

sys.dont_write_bytecode = True  # no cache in the source tree
import cases
import tool

SECONDS = 60  # of wall time, until a shell gets a Ctrl-C; most cases take some tenths
MESSAGES = 2000  # of one machine
MACHINES = ["btree_8", "chain_6", "pair"]
ENDS = {0: "ended", 1: "ended with a finding", 3: "ended with an error of its input", 4: "ended without an answer"}
SCENARIO = """version: 1
name: small
machine: machine.yaml
farm: {nodes: 8, tree: binary, tasks: 20}
application: {tasks: tasks.dat}
"""
MONITOR = "monitor: {unload: [[1000s, 8, 32]]}\n"
TASK = "0  20 10 0  140 1000 0  10 10 0  100 10 0  100 10 0\n"


class Words:
    """Random command lines: of the right form for the most part."""

    def __init__(self, dice):
        self.dice = dice

    def nodes(self):
        dice = self.dice
        good = ["n0", "n1", "n0-1", "N", "h", "o", "n0,1", "n0x1", f"n{dice.randrange(8)}", f"n{dice.randrange(4)}-{dice.randrange(8)}"]
        return dice.choice(good if dice.random() < 0.93 else ["n", "n8", "n-1", "n3-1", "n0-", "n,", "n0,,1", "n0xg", "n99999999999", "n0-4294967295", "C", "nN", "h1"])

    def processes(self):
        dice = self.dice
        if dice.random() < 0.5:
            return ""
        good = [f"%{dice.randrange(30)}", f"i{dice.randrange(30)}", "%1-5", f"p{4 * dice.randrange(100000) + 1}", "p263521", "i3-5"]
        return dice.choice(good if dice.random() < 0.93 else ["p", "%", "%x", "p-1", "i5-3", "p99999999999999", "%0x", "p1,,2"])

    def number(self, usual):
        dice = self.dice
        return str(dice.choice(usual) if dice.random() < 0.93 else dice.choice([-1, 10**6, 2**31, 2**32, 10**12, "x", "", "0x10", "1e3", "1.5"]))

    def text(self):
        return self.dice.choice(["data", "work", "work/file", "../up", ".", "..", "a b", "'a b'", "'", '"', "", "slave", "master", "ring", "snap", "\\", "-", "--", "\t", "ä", "%s%n"])

    def moment(self):
        return self.dice.choice(["1ms", "+5ms", "12.4ms", "+0.2ms", "500ms", "1s", "+1s", "0ps", "-1ms", "now", "1", "ms", "9999999999s"])

    def options(self, letters):
        return " ".join(f"-{letter}" for letter in letters if self.dice.random() < 0.3)

    def line(self):
        dice = self.dice
        number, nodes, text = self.number, self.nodes, self.text
        forms = [
            lambda: f"state {self.options('gtlk')} {nodes()} {self.processes()} {dice.choice(['', '', 'at now', 'at ' + self.moment()])}",
            lambda: f"doom {dice.choice(['', '-4', '-5', '-6', '-7', '-2', '-' + number([1])])} {nodes()} {self.processes()}",
            lambda: f"tping {self.options('v')} -c{number([1, 2, 3])} -d{number([0, 0.1])} -l {number([0, 1, 4096])} {nodes()}",
            lambda: f"bfstate {self.options('gpl')} {dice.choice(['', '-B ' + number([1, 5])])} {nodes()}",
            lambda: f"buffer {dice.choice(['-R', '-e ' + number([77]), '-s ' + number([50000, 262144]), '-u ' + number([20000])])} {nodes()}",
            lambda: f"sweep {nodes()}",
            lambda: f"cast {nodes()} {nodes()}",
            lambda: f"cstate {nodes()}",
            lambda: f"mstate {nodes()}",
            lambda: f"why {nodes()} {self.processes()}",
            lambda: f"fstate {self.options('a')} {dice.choice(['', '-F ' + number([1])])} {dice.choice(['h', nodes()])}",
            lambda: f"tfile {dice.choice(['', '-S', '-s ' + number([0, 3])])} h {dice.choice(['', text()])}",
            lambda: f"loadgo {self.options('vw')} {nodes()} {dice.choice(['./send', './send', 'slave', 'nodemon', text()])} {dice.choice(['', '-- ' + text(), '-- 1 2 3'])}",
            lambda: f"run {dice.choice(['for', 'until'])} {self.moment()}",
            lambda: f"fault {dice.choice(['die', 'cut', 'hang', 'slow', 'drop', 'flip'])} {nodes()} {dice.choice(['', 'at ' + self.moment()])}",
            lambda: dice.choice(["status", "snapshot", "snapshot one", "snapshots", "back", "back one", "help", "help state", "kill %", "summary", "seed " + number([2])]),
            lambda: f"set {dice.choice(['seed=2', 'monitor.unload=1s/0/2', 'end.quiet=1s', text() + '=' + text()])}",
            lambda: f"hostmon {nodes()} -e {text()} {dice.choice(['&', ''])}",
            lambda: f"monctrl {dice.choice(['-b', '-q', '-s', '-e task', '-e ' + text()])} {dice.choice(['', nodes(), '-n ' + number([6])])}",
            lambda: f"{dice.choice(['tvmfilter', 'detrek', 'detrek -c'])} -p {text()}",
            lambda: f"spread {dice.choice(['', '-Sc', '-vsc'])} {dice.choice(['', 'bnail', 'machine.yaml', text()])}",
        ]
        line = dice.choice(forms[:15] if dice.random() < 0.8 else forms)()
        return self.damaged(line) if dice.random() < 0.03 else line

    def damaged(self, line):
        dice = self.dice
        letters = list(line)
        for _ in range(1 + dice.randrange(3)):
            at = dice.randrange(len(letters) + 1)
            letters[at:at + dice.randrange(2)] = dice.choice(["", "-", "'", "\\", ",", " ", "0", "n", "%", "#", ";", "\x01", "é", "9" * 20, "&"])
        return "".join(letters).replace("\n", " ")


def prepare(dice, sources, folder):
    """The file to give the shell."""
    (folder / "work").mkdir()
    (folder / "work" / "file").write_text("text\n")
    for name in ("send", "send.blocks", "send.so"):
        if (sources / name).exists():
            (folder / name).symlink_to(sources / name)
    has_farm = dice.random() < 0.3
    machine = (cases.ROOT / "topologies" / "machines" / ("btree_8" if has_farm else dice.choice(MACHINES))).with_suffix(".yaml")
    (folder / "machine.yaml").write_text(machine.read_text(encoding="utf-8"))
    (folder / "bnail").write_text((cases.ROOT / "examples" / "thesis" / "bnail.btree_8").read_text(encoding="utf-8"))
    if not has_farm:
        return "machine.yaml"
    (folder / "tasks.dat").write_text(TASK)
    (folder / "s.yaml").write_text(SCENARIO + dice.choice(["", MONITOR]))
    return "s.yaml"


def typed(command, folder, lines):
    """A word for how the shell ended, its exit code, standard error, problems."""
    process = subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    word, problems = None, []
    try:
        _, err = process.communicate("\n".join(lines).encode() + b"\n", timeout=SECONDS)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
        word = "ended by Ctrl-C"
        try:
            _, err = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            _, err = process.communicate()
            problems.append("it does not obey Ctrl-C")
    err, code = err.decode("utf-8", "replace"), process.returncode
    if word is None and code not in ENDS:
        problems.append(f"exit code {code}: {err.strip()[-300:]}")
    if code == 3 and not re.search(r"standard input:\d+|^magicwire: \S+:\d+", err):
        problems.append(f"an error without a line: {err.strip()[:300]}")
    return word or ENDS.get(code, "failed"), code, err, problems


def shell(number, place):
    """A word for the table, lines obeyed or refused, problems. The first wrong line ends a shell; the next one is without it."""
    dice = random.Random(number)
    folder = place / "outer" / "inner"
    folder.mkdir(parents=True)
    sources = tool.compiled(cases.ROOT / "tests" / "cli" / "random_calls.c", "send", 10 * SECONDS)
    file = prepare(dice, sources, folder)
    words = Words(dice)
    lines = ([] if dice.random() < 0.1 else ["spread"]) + [words.line() for _ in range(5 + dice.randrange(20))]
    command = [cases.BINARY, "shell", file, "--files", "work", "--time-out", "50ms"] + (["--json"] if dice.random() < 0.5 else [])
    refused, problems = 0, []
    while True:
        word, code, err, new = typed(command, folder, lines)
        at = re.search(r"standard input:(\d+)", err)
        problems += [f"{problem} (after {refused} lines were refused)" for problem in new]
        if new or code != 3 or not at or not 0 < int(at[1]) <= len(lines):
            break
        del lines[int(at[1]) - 1]
        refused += 1
    strange = [path.name for path in folder.parent.iterdir() if path.name != "inner" and not path.name.startswith("up")]
    problems += [f"a file outside of the folder: {one}" for one in strange]
    return "shell " + word, len(lines) + refused, problems


def machine(number, program):
    done = subprocess.run([program, str(number // 2), str(MESSAGES)], capture_output=True, text=True, errors="replace", timeout=20 * SECONDS, check=False)
    told = re.match(r"(\w+), seed \d+: (\d+) messages", done.stdout)
    if done.returncode == 0 and told:
        return f"machine with {told[1]} messages", int(told[2]), []
    return "machine failed", 0, [f"exit code {done.returncode}: {line}" for line in done.stdout.splitlines()[1:] or [done.stderr.strip()[-300:]]]


def main():
    number, folder = int(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    program = sys.argv[3] if len(sys.argv) > 3 else pathlib.Path(cases.BINARY).resolve().parent / "tests" / "fuzz" / "messages" / "hostile_messages"
    word, count, problems = machine(number, program) if number % 2 == 0 else shell(number, folder)
    cases.end(problems, outcome=word, lines=count if number % 2 else 0, messages=0 if number % 2 else count)


if __name__ == "__main__":
    main()
