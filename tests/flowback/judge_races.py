"""Asks `magicwire flowback --races` about random farm programs, and compares the races with those that brute force finds.

  judge_races.py --magicwire PATH [--programs 20] [--first 0] [--keep FOLDER]

The program prints who computed each task and in which place of its node's computations. From that the judge builds the graph of
all messages, and tries each pair of accesses by a search through it. It reads no log.
"""
import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

HEAD = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trek_kernel/trek.h>
struct message { int number, node, place; };
static int* a;
static int x, computed;
void init_master(void) { a = calloc(%d, sizeof *a); }
void compute_fn(const void* data, unsigned bytes) {
    struct message task;
    (void)bytes;
    memcpy(&task, data, sizeof task);
    task.node = (int)trek_node();
    task.place = computed++;
    work_us(task.number * 37 %% 11 * 400);
    return_result(&task, sizeof task);
}
"""
SEND = "    {{ struct message task = {{{}, 0, 0}}; do_task(&task, sizeof task); }}"
GET = """    { struct message got; char text[80]; memcpy(&got, get_result(0), sizeof got); snprintf(text, sizeof text, "got %d %d %d\\n", got.number, got.node, got.place); trek_print(text); }"""
SPEC = """begin
Virtual_Machine
    type = PFVM;
Interface
    input_stream = stdin;
Configuration
    topology = {topology};
    total_tasks = {tasks};
    total_processors = {nodes};
Programs
    data_generator = prog.c;
    comp_function = prog.c;
    result_receive = prog.c;
    init_master = prog.c;
end
"""


class Case:
    def __init__(self, magicwire, folder, seed):
        self.magicwire, self.folder = magicwire, folder
        self.random = random.Random(seed)
        self.tasks, self.cells = self.random.randrange(3, 12), self.random.randrange(2, 6)
        self.right = set()
        self.accesses = {"data_generator": [], "result_receiver": []}  # (line, cell, writes, edge)

    def write(self):
        lines = (HEAD % self.cells).splitlines()
        for name, message in (("data_generator", SEND), ("result_receiver", GET)):
            lines.append(f"void {name}(void) {{")
            for edge in range(self.tasks + 1):
                for _ in range(self.random.choice((0, 0, 1, 2))):
                    cell, writes = self.random.randrange(self.cells), self.random.random() < 0.5
                    lines.append(f"    a[{cell}] = {edge};" if writes else f"    x = a[{cell}];")
                    self.accesses[name].append((len(lines), cell, writes, edge))
                if edge < self.tasks:
                    lines.append(message.format(edge) if name == "data_generator" else message)
            lines.append("}")
        os.makedirs(self.folder)
        with open(f"{self.folder}/prog.c", "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        with open(f"{self.folder}/prog.farm", "w", encoding="utf-8") as file:
            file.write(SPEC.format(topology=self.random.choice(("CHAIN", "BTREE")), tasks=self.tasks, nodes=self.random.randrange(2, 7)))

    def call(self, *words):
        return subprocess.run([self.magicwire, *words], cwd=self.folder, capture_output=True, text=True, timeout=120)

    def graph(self, printed):
        """Successors of each message's event, from what the program printed."""
        after = {}
        def edge(one, other):
            after.setdefault(one, set()).add(other)
        got = [tuple(map(int, line.split()[1:])) for line in printed.splitlines() if line.startswith("got ")]
        assert len(got) == self.tasks, printed
        for i in range(self.tasks - 1):
            edge(("send", i), ("send", i + 1))
            edge(("get", i), ("get", i + 1))
        for i, (number, node, place) in enumerate(got):
            edge(("send", number), ("compute", node, place))
            edge(("compute", node, place), ("compute", node, place + 1))
            edge(("compute", node, place), ("get", i))
        return after

    def races(self, printed):
        after = self.graph(printed)
        def leads(one, other):
            seen, waiting = set(), [one]
            while waiting:
                node = waiting.pop()
                if node == other:
                    return True
                if node not in seen:
                    seen.add(node)
                    waiting += after.get(node, ())
            return False
        found = set()
        for line, cell, writes, edge in self.accesses["data_generator"]:
            for other, its_cell, its_writes, its_edge in self.accesses["result_receiver"]:
                if cell != its_cell or not (writes or its_writes):
                    continue
                ordered = edge < self.tasks and its_edge > 0 and leads(("send", edge), ("get", its_edge - 1))
                if not ordered:
                    found.add((line, other, writes, its_writes))
        return found

    def problem(self):
        self.write()
        done = self.call("farm", "run", ".", "--flowback", "--out", "out", "--exit-zero", "--progress", "never")
        if done.returncode != 0:
            return f"exit code {done.returncode}: {done.stdout[-300:]}{done.stderr[-300:]}"
        right = self.right = self.races(done.stdout)
        asked = self.call("flowback", "out", "--races", "--json")
        if asked.returncode != (1 if right else 0):
            return f"exit code {asked.returncode}: {asked.stdout[-300:]}{asked.stderr[-300:]}"
        told = set()
        for race in json.loads(asked.stdout)["races"]:
            if race["certainty"] != "certain" or race["occurrences"] != 1:
                return f"{race}"
            told.add((*(int(race[each]["place"].split(":")[1]) for each in ("first", "second")), race["first"]["writes"], race["second"]["writes"]))
        return "" if told == right else f"{sorted(told)}, and brute force has {sorted(right)}"


def main():
    parser = argparse.ArgumentParser(description="races that flowback finds, against brute force")
    parser.add_argument("--magicwire", required=True)
    parser.add_argument("--programs", type=int, default=20)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--keep", help="folder for the programs that show a mistake")
    options = parser.parse_args()
    options.magicwire = os.path.abspath(options.magicwire)
    wrong = races = 0
    for seed in range(options.first, options.first + options.programs):
        with tempfile.TemporaryDirectory() as place:
            case = Case(options.magicwire, f"{place}/p{seed}", seed)
            text = case.problem()
            races += len(case.right)
            if text:
                wrong += 1
                print(f"program {seed}: {text}", flush=True)
                if options.keep:
                    shutil.copytree(case.folder, f"{options.keep}/r{seed}", dirs_exist_ok=True)
    print(f"{options.programs} programs with {races} races, {wrong} with races that are wrong or missing")
    return 1 if wrong or races == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
