"""Asks `magicwire flowback` about random programs, and compares each answer with the judge's (judge.py).

  judge_programs.py --magicwire PATH [--programs 20] [--first 0] [--questions 12] [--jobs 1] [--keep FOLDER]

Exit code 1 when an answer that claims to be certain or likely is wrong, or when one is unknown that should not be.
"""
import argparse
import concurrent.futures
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from judge import Judge  # noqa: E402
from random_programs import Program  # noqa: E402

SPEC = """begin
Virtual_Machine
    type = PFVM;
Interface
    input_stream = stdin;
Configuration
    topology = CHAIN;
    total_tasks = {tasks};
    total_processors = 2;
Programs
    data_generator = prog.c;
    comp_function = prog.c;
    result_receive = prog.c;
end
"""


def shown_value(title):
    return title.rsplit(" = ", 1)[1] if " = " in title else None


class Case:
    def __init__(self, magicwire, folder, seed, blocks):
        self.magicwire, self.folder, self.blocks = magicwire, folder, blocks
        self.program = Program(seed)
        self.judge = Judge(self.program).run()
        self.random = random.Random(seed * 7919 + 1)

    def call(self, *words):
        done = subprocess.run([self.magicwire, *words], cwd=self.folder, capture_output=True, text=True, timeout=120)
        return done.returncode, done.stdout, done.stderr

    def record(self):
        os.makedirs(self.folder)
        with open(f"{self.folder}/prog.c", "w", encoding="utf-8") as file:
            file.write(self.program.text())
        with open(f"{self.folder}/prog.farm", "w", encoding="utf-8") as file:
            file.write(SPEC.format(tasks=self.program.tasks))
        code, out, error = self.call("prepare", ".", "--e-blocks", self.blocks)
        if code == 0:
            code, out, error = self.call("farm", "run", ".", "--flowback", "--out", "out", "--exit-zero", "--progress", "never")
        return "" if code == 0 else f"exit code {code}: {out[-500:]}{error[-500:]}"

    def ask(self, question, depth=1):
        code, out, error = self.call("flowback", "out", "--why", question, "--json", "--depth", str(depth))
        if code not in (0, 4, 5):
            return code, {"root": error.strip()}
        return code, json.loads(out)

    def compare(self, visit):
        """An error text, or an empty one."""
        line, execution, cells = visit
        name = self.random.choice(sorted(cells))
        value, writer, reads, _ = cells[name]
        question = f"n1:compute_fn:{name}@{line}#{execution}"
        code, answer = self.ask(question, 2)
        if "answer" not in answer:
            return f"{question}: {answer['root']}"
        root = answer["answer"]
        if code == 5:
            return f"{question}: {answer['differences']}"
        if root["certainty"] != "certain":
            return f"{question}: {root['certainty']}, {root['notes']}"
        if int(shown_value(root["title"])) != value:
            return f"{question}: {root['title']}, and the judge has {value}"
        place = root["place"].split(":")[1] if root["place"] else ""
        initial = any("initial value" in note for note in root["notes"])
        if (writer is None) != initial or (writer is not None and int(place) != writer):
            return f"{question}: written at {root['place']} {root['notes']}, and the judge has line {writer}"
        told = {child["title"] for child in root["children"] if child["role"] == ""}
        if reads is not None and told != reads:
            return f"{question}: rests on {sorted(told)}, and the judge has {sorted(reads)}"
        return ""


    def lines_of(self, way, question):
        """Lines of the judge's functions in a slice, each with its executions; a text when there is no slice."""
        code, out, error = self.call("flowback", "out", way, question, "--json")
        if code != 0:
            return f"exit code {code}: {error.strip()}"
        answer = json.loads(out)
        if answer["certainty"] != "certain":
            return f"{answer['certainty']}, {answer['doubts']}"
        known = self.program.statement_lines()
        lines = {int(each["place"].split(":")[1]): each["executions"] for each in answer["lines"] if each["process"] == "n1.compute_fn"}
        return {line: count for line, count in lines.items() if line in known}

    def compare_slice(self, visit, way):
        line, execution, cells = visit
        name = self.random.choice(sorted(cells))
        question = f"n1:compute_fn:{name}@{line}#{execution}"
        if way == "--slice":
            expected = cells[name][3]
        else:
            expected = Judge(self.program, (line, execution, name)).run().influenced
        right = {}
        for at, _ in expected - {"mark"}:
            right[at] = right.get(at, 0) + 1
        told = self.lines_of(way, question)
        if isinstance(told, str):
            return f"{way} {question}: {told}"
        loops = self.program.loop_lines()
        if set(told) != set(right) or any(told[at] != right[at] for at in told if at not in loops):
            return f"{way} {question}: {sorted(told.items())}, and the judge has {sorted(right.items())}"
        return ""


def judged(options, seed, folder):
    case = Case(options.magicwire, folder, seed, ("all", "leaves", "auto", "roots")[seed % 4])
    problem = case.record()
    if problem:
        return [problem], 0
    visits = case.judge.visits
    if not visits:
        return [], 0
    ways = [case.compare] * options.questions
    for way in ("--slice", "--forward"):
        ways += [lambda visit, way=way: case.compare_slice(visit, way)] * options.slices
    return [text for text in (compare(case.random.choice(visits)) for compare in ways) if text], len(ways)


def one(options, seed):
    """Problems and number of questions; none at all for a program that the judge cannot run to its end."""
    with tempfile.TemporaryDirectory() as place:
        folder = f"{place}/p{seed}"
        try:
            problems, count = judged(options, seed, folder)
        except (OverflowError, RecursionError):
            return seed, [], 0
        if problems and options.keep:
            shutil.copytree(folder, f"{options.keep}/p{seed}", dirs_exist_ok=True)
        return seed, problems, count


def main():
    parser = argparse.ArgumentParser(description="flowback's answers about random programs, against a judge")
    parser.add_argument("--magicwire", required=True)
    parser.add_argument("--programs", type=int, default=20)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--questions", type=int, default=12)
    parser.add_argument("--slices", type=int, default=4, help="slices a program, of each direction")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep", help="folder for the programs that show a mistake")
    options = parser.parse_args()
    options.magicwire = os.path.abspath(options.magicwire)
    asked = wrong = made = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        seeds = range(options.first, options.first + options.programs)
        for seed, problems, count in pool.map(lambda seed: one(options, seed), seeds):
            made += count > 0
            asked += count
            wrong += len(problems)
            for text in problems:
                print(f"program {seed}: {text}", flush=True)
    print(f"{made} programs, {asked} questions, {wrong} answers that are wrong or missing")
    return 1 if wrong or made == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
