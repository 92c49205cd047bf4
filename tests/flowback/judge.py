"""A judge of flowback's answers about random programs (random_programs.py).

It executes the program's tree. For each cell of memory it keeps the value, the line that wrote it last, and all executions of
statements that it depends on. Nothing of Magicwire is used: it knows neither the logs nor the code that answers.
"""
from control_flow import Flow

MASK = 0xFFFFFFFF


class Return(Exception):
    pass


class Break(Exception):
    pass


NOTHING = frozenset()


class Judge:
    """Executes the program's compute_fn for each task, as one worker does. `mark`: (line, execution, name of a cell), whose value
    is followed forward from there."""

    def __init__(self, program, mark=None):
        self.program = program
        self.mark = mark
        # Cell: (value, line that wrote it; None: the initial value; what the statement read for it, None: not one assignment,
        # all statement executions that it depends on). An execution is (line, number), of a loop (line, 0).
        self.memory = {}
        self.reads = None
        self.needs = set()  # executions that the present statement's operands depend on
        for cell, value in {("g", 0): 0, ("g", 1): 7, ("g", 2): 0, ("g", 3): 9, **{("a", i): i + 1 for i in range(8)},
                            **{("s", k, m): 0 for k in range(3) for m in "ab"}}.items():
            self.memory[cell] = (value, None, None, NOTHING)
        self.pointer = ("g", 0)
        self.pointer_needs = NOTHING
        self.visits = []  # (line, execution, what a question there is told: cells as they are)
        self.counts = {}
        self.influenced = set()
        self.steps = 0
        self.results = []
        self.frames = 0
        self.flows = [Flow(function) for function in program.functions]
        self.decisions = 0
        self.decided = {}  # by frame: predicates, as (order, executions that they depend on)
        self.callers = {}  # by frame: its function, and the executions that its call depends on

    def run(self):
        last = len(self.program.functions) - 1
        for task in range(self.program.tasks):
            self.results.append(self.call(last, task + 3, ("g", 0), NOTHING, NOTHING, NOTHING)[0])
        return self

    def control(self, frame, node):
        """Executions that decided about this one."""
        function, called = self.callers[frame]
        executed = [self.decided[frame][each] for each in self.flows[function].deciders(node) if each in self.decided[frame]]
        return max(executed)[1] if executed else called

    def decide(self, frame, node, needs):
        self.decisions += 1
        self.decided[frame][node] = (self.decisions, frozenset(needs))

    def touched(self, execution, needs):
        if "mark" in needs:
            self.influenced.add(execution)

    def note(self, line, frame):
        self.steps += 1
        if self.steps > 3000:
            raise OverflowError
        number = self.counts[line] = self.counts.get(line, 0) + 1
        places = {f"g{k}": ("g", k) for k in range(4)}
        places.update({f"arr[{i}]": ("a", i) for i in range(8)})
        places.update({f"s[{k}].{m}": ("s", k, m) for k in range(3) for m in "ab"})
        places.update({f"v{v}": ("l", frame, v) for v in range(3)})
        places["*p"] = self.pointer
        self.visits.append((line, number, {name: self.memory[cell] for name, cell in places.items()}))
        if self.mark is not None and self.mark[:2] == (line, number):
            cell = places[self.mark[2]]
            self.memory[cell] = (*self.memory[cell][:3], self.memory[cell][3] | {"mark"})
        return (line, number)

    def cell(self, place, frame, x, q):
        kind = place[0]
        if kind == "a":
            return ("a", self.value(place[1], frame, x, q) & 7)
        if kind == "l":
            return ("l", frame, place[1])
        if kind == "p":
            self.needs |= self.pointer_needs
            return self.pointer
        if kind == "q":
            self.needs |= q[1]
            return q[0]
        return tuple(place)

    def value(self, expr, frame, x, q):
        kind = expr[0]
        if kind == "n":
            return expr[1]
        if kind == "x":
            self.note_read(f"x = {x[0]}")
            self.needs |= x[1]
            return x[0]
        if kind == "place":
            outer, self.reads = self.reads, None  # an index decides about the place, not about the value
            cell = self.cell(expr[1], frame, x, q)
            self.reads = outer
            self.note_read(f"{self.name(cell)} = {self.memory[cell][0]}")
            self.needs |= self.memory[cell][3]
            return self.memory[cell][0]
        a, b = self.value(expr[2], frame, x, q), self.value(expr[3], frame, x, q)
        result = {"+": a + b, "-": a - b, "*": a * b, "^": a ^ b, "&": a & b, "|": a | b}[expr[1]]
        return result & MASK

    def note_read(self, text):
        if self.reads is not None:
            self.reads.add(text)

    @staticmethod
    def name(cell):
        return {"g": "g{1}", "a": "arr[{1}]", "s": "s[{1}].{2}", "l": "v{2}"}[cell[0]].format(*cell, None)

    def call(self, k, x, q, x_needs, q_needs, called):
        """Value and its executions. `called`: executions that the call itself depends on, and those of both arguments."""
        function = self.program.functions[k]
        self.frames += 1
        frame = self.frames
        self.decided[frame], self.callers[frame] = {}, (k, frozenset(called))
        x, q = (x, frozenset(x_needs)), (q, frozenset(q_needs))
        for v in range(3):
            execution = (function[f"v{v}"], frame)
            self.memory[("l", frame, v)] = (v + 1, function[f"v{v}"], NOTHING, frozenset(called) | {execution})
            self.touched(execution, called)
        try:
            self.block(function["body"], frame, x, q)
        except Return as end:
            return end.args[0]
        return self.result(function["line"], (id(function), "result"), function["result"], frame, x, q)

    def result(self, line, node, expr, frame, x, q):
        execution = self.note(line, frame)
        self.needs = {execution} | self.control(frame, node)
        value = self.value(expr, frame, x, q)
        self.touched(execution, self.needs)
        return value, frozenset(self.needs)

    def block(self, block, frame, x, q):
        for each in block:
            self.statement(each, frame, x, q)

    def loop(self, each, frame, x, q):
        execution, first, test, step = (each[-1], 0), (id(each), ""), (id(each), "test"), (id(each), "step")
        counter = {execution} | self.control(frame, first)
        for round_number in range(each[1] + 1):
            needs = {execution} | counter | self.control(frame, test)
            self.touched(execution, needs)
            self.decide(frame, test, needs)
            if round_number == each[1]:
                break
            try:
                self.block(each[2], frame, x, q)
            except Break:
                break
            counter |= self.control(frame, step)
            self.touched(execution, counter)

    def statement(self, each, frame, x, q):
        kind, line, node = each[0], each[-1], (id(each), "")
        if kind == "for":
            return self.loop(each, frame, x, q)
        if kind == "nothing":
            return None
        if kind == "return":
            raise Return(self.result(line, node, each[1], frame, x, q))
        execution = self.note(line, frame)
        own = self.needs = {execution} | self.control(frame, node)
        if kind == "set":
            self.reads = set()
            value = self.value(each[2], frame, x, q)
            reads, self.reads = frozenset(self.reads), None
            cell = self.cell(each[1], frame, x, q)
            self.memory[cell] = (value, line, reads, frozenset(own))
        elif kind == "if":
            chosen = each[2] if self.value(each[1], frame, x, q) else each[3]
            self.touched(execution, own)
            self.decide(frame, node, own)
            self.block(chosen, frame, x, q)
        elif kind == "point":
            self.pointer = self.cell(each[1], frame, x, q)
            self.pointer_needs = frozenset(own)
        elif kind == "copy":
            for m in "ab":
                value, _, _, needs = self.memory[("s", each[2], m)]
                self.memory[("s", each[1], m)] = (value, line, None, frozenset(own | needs))
                self.touched(execution, needs)
        elif kind == "fill":
            for m in "ab":
                self.memory[("s", 1, m)] = (0, line, None, frozenset(own))
        elif kind == "break":
            raise Break
        else:
            called = frozenset(own)
            argument = self.value(each[3], frame, x, q)
            x_needs, self.needs = frozenset(self.needs), set(called)
            target = self.cell(each[4], frame, x, q)
            value, needs = self.call(each[2], argument, target, x_needs, self.needs, called)
            self.touched(execution, x_needs | needs)
            own = self.needs = set(called)
            cell = self.cell(each[1], frame, x, q)
            self.memory[cell] = (value, line, None, frozenset(own | needs))
        self.touched(execution, own)
        return None
