"""Asks `magicwire flowback` about random MPI programs, and compares each answer with an execution of its own (random_ranks.py).

  judge_ranks.py --magicwire PATH [--programs 10] [--first 0] [--questions 10] [--slices 4] [--jobs 1] [--keep FOLDER]

Exit code 1 when an answer is wrong, or is not certain.
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
from random_ranks import Ranks, signed  # noqa: E402


class Case:
    def __init__(self, magicwire, folder, seed):
        self.magicwire, self.folder, self.seed = magicwire, folder, seed
        self.program = Ranks(seed).run()
        self.random = random.Random(seed * 7919 + 1)

    def call(self, *words):
        done = subprocess.run([self.magicwire, *words], cwd=self.folder, capture_output=True, text=True, timeout=120)
        return done.returncode, done.stdout, done.stderr

    def record(self):
        os.makedirs(self.folder)
        with open(f"{self.folder}/prog.c", "w", encoding="utf-8") as file:
            file.write(self.program.text())
        code, out, error = self.call("prepare", "prog.c", "--e-blocks", ("all", "leaves", "auto", "roots")[self.seed % 4])
        if code == 0:
            store = ("host", "node", "free")[self.seed % 3]
            code, out, error = self.call("mpirun", "-np", str(self.program.size), "--flowback", "out", "--store", store, "./prog")
        return "" if code == 0 else f"exit code {code}: {out[-500:]}{error[-500:]}"

    def question(self):
        rank, line, number, memory = self.random.choice(self.program.visits)
        cell = self.random.choice(sorted(memory))
        return (rank, line, number, cell), memory[cell], f"rank{rank}:{cell[0]}[{cell[1]}]@{line}#{number}"

    def compare(self):
        _, (value, writer, _), text = self.question()
        code, out, error = self.call("flowback", "out", "--why", text, "--json", "--depth", "2")
        if code not in (0, 4):
            return f"{text}: exit code {code}: {error.strip()}"
        root = json.loads(out)["answer"]
        if code == 4 and root["title"].endswith(" = ?") and "the library combined" in out:
            return ""  # nothing read the value, and each of the values that it was made of was told
        unread = any("nothing read the value" in note for note in root["notes"])
        if root["certainty"] != "certain" and not (unread and root["certainty"] == "likely"):
            return f"{text}: {root['certainty']}, {root['notes']}"
        if int(root["title"].rsplit(" = ", 1)[1]) != signed(value):
            return f"{text}: {root['title']}, and the judge has {signed(value)}"
        place = int(root["place"].split(":")[1]) if root["place"] else 0
        initial = any("initial value" in note for note in root["notes"])
        if (writer is None) != initial or (writer is not None and place != writer):
            return f"{text}: written at {root['place']} {root['notes']}, and the judge has line {writer}"
        return ""

    def compare_slice(self, way):
        asked, (_, _, needs), text = self.question()
        right = needs if way == "--slice" else Ranks(self.seed, asked).run().influenced
        code, out, error = self.call("flowback", "out", way, text, "--json")
        if code != 0:
            return f"{way} {text}: exit code {code}: {error.strip()}"
        answer = json.loads(out)
        if answer["certainty"] != "certain":
            return f"{way} {text}: {answer['certainty']}, {answer['doubts']}"
        known = {line for _, line, _, _ in self.program.visits}
        told = {}
        for each in answer["lines"]:
            line = int(each["place"].split(":")[1])
            if line in known:
                told[(each["rank"], line)] = each["executions"]
        wanted = {}
        for rank, line, _ in right - {"mark"}:
            wanted[(rank, line)] = wanted.get((rank, line), 0) + 1
        # Data of a collective call may pass through any rank.
        wrong = {at for at in set(told) | set(wanted)
                 if told.get(at, 0) != wanted.get(at, 0) and not (at[1] in self.program.collective and told.get(at, 0) >= wanted.get(at, 0))}
        if wrong:
            return f"{way} {text}: {[(at, told.get(at, 0)) for at in sorted(wrong)]}, and the judge has {[(at, wanted.get(at, 0)) for at in sorted(wrong)]}"
        return ""


def judged(options, seed, folder):
    case = Case(options.magicwire, folder, seed)
    problem = case.record()
    if problem:
        return [problem], 0
    ways = [case.compare] * options.questions
    for way in ("--slice", "--forward"):
        ways += [lambda way=way: case.compare_slice(way)] * options.slices
    return [text for text in (compare() for compare in ways) if text], len(ways)


def one(options, seed):
    with tempfile.TemporaryDirectory() as place:
        folder = f"{place}/p{seed}"
        problems, count = judged(options, seed, folder)
        if problems and options.keep:
            shutil.copytree(folder, f"{options.keep}/p{seed}", dirs_exist_ok=True)
        return seed, problems, count


def main():
    parser = argparse.ArgumentParser(description="flowback's answers about random MPI programs, against a judge")
    parser.add_argument("--magicwire", required=True)
    parser.add_argument("--programs", type=int, default=10)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--questions", type=int, default=10)
    parser.add_argument("--slices", type=int, default=4, help="slices a program, of each direction")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep", help="folder for the programs that show a mistake")
    options = parser.parse_args()
    options.magicwire = os.path.abspath(options.magicwire)
    asked = wrong = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        seeds = range(options.first, options.first + options.programs)
        for seed, problems, count in pool.map(lambda seed: one(options, seed), seeds):
            asked += count
            wrong += len(problems)
            for text in problems:
                print(f"program {seed}: {text}", flush=True)
    print(f"{options.programs} programs, {asked} questions, {wrong} answers that are wrong or missing")
    return 1 if wrong or asked == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
