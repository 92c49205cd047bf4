"""Runs a random session with and without the observer of the true events: nothing that a person beside the machine gets may depend
on it.

  check_truth.py NUMBER FOLDER

Even numbers are cases of verdict_cases.py, every eighth of them streamed; odd ones are cases of random_cases.py. Both runs
must have the same exit code, the same output and the same files, byte for byte. Three things come from the observer and are
left out: oracle.json, the run hash, and the parts of the summary that the oracle makes (ORACLE_KEYS, ORACLE_LINES). Prints
words about the case. Exit code 1, with what differs, when anything else does."""
import json
import pathlib
import re
import struct
import sys

sys.dont_write_bytecode = True  # no cache in the source tree
import cases
import random_cases
import verdict_cases
import tool

SECONDS = 120  # of wall time for one run; most take a hundredth
ORACLE_KEYS = {"run_hash", "farm", "given_up", "left_out", "load"}  # of summary.json; `left_out` says that `farm` is not there
ORACLE_LINES = re.compile(r"^  (run hash|given up|files) .*\n|^\n  planted bugs\n(  .*\n)*", re.MULTILINE)  # of the printed summary
BLOCK = struct.Struct("<4sBBHIIQQQQ")  # docs/formats/trace_file.md
HEADER, CLOSING = 32, 5


def make(number, folder):
    """Writes the case. Returns more arguments of `run`, and words for the table."""
    if number % 2:
        verbs, words = random_cases.make_case(number, folder)
        return [], [*words, *verbs]
    case = verdict_cases.Case(number)
    case.write(folder)
    return (["--stream"], [*case.words, "streamed"]) if number % 8 == 0 else ([], case.words)


def trace(content):
    """The trace file without the run hash, which stands in its closing block."""
    at = HEADER + (int.from_bytes(content[16:24], "little") + 7) // 8 * 8
    parts = [content[:at]]
    while at + BLOCK.size <= len(content):
        _, kind, *_, stored, _ = BLOCK.unpack_from(content, at)
        end = at + BLOCK.size + (stored + 7) // 8 * 8
        if kind == CLOSING:
            closing = json.loads(content[at + BLOCK.size:at + BLOCK.size + stored])
            closing.pop("run_hash", None)
            parts.append(json.dumps(closing))
        else:
            parts.append(content[at:end])
        at = end
    return [*parts, content[at:]]


def summary(content):
    return json.dumps({key: value for key, value in json.loads(content).items() if key not in ORACLE_KEYS})


def files(folder):
    """Every file of a run by its name, without what comes from the observer."""
    read = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    read.pop("oracle.json", None)
    special = {"summary.json": summary, "data.mwt": trace}
    return {name: special[name](content) if name in special else content for name, content in read.items()}


def run(arguments, folder, out, more):
    """Exit code, output, errors and files. Both runs write to the same place, since a summary names it."""
    done = tool.call(["run", "case.yaml", *arguments, "--out", "out", *more], folder, SECONDS, (0, 1, 3, 4))
    made = files(folder / "out") if (folder / "out").exists() else {}
    if made:
        (folder / "out").rename(folder / out)
    return {"exit code": done.returncode, "output": ORACLE_LINES.sub("", done.stdout), "errors": done.stderr, **made}


def main():
    number, folder = int(sys.argv[1]), pathlib.Path(sys.argv[2])
    arguments, words = make(number, folder)
    seen, unseen = (run(arguments, folder, out, more) for out, more in (("with", []), ("without", ["--without-truth"])))
    differ = [f"differs: {name}" for name in sorted(seen.keys() | unseen.keys()) if seen.get(name) != unseen.get(name)]
    cases.end(differ, words=", ".join([*dict.fromkeys(words), f"exit code {seen['exit code']}"]))


if __name__ == "__main__":
    main()
