"""Random farm programs for flowback, and a judge of its answers.

The program is made as a tree. C text is printed from it, and Judge executes the same tree, keeping for each cell of memory its
value and the line that wrote it last. Nothing of Magicwire is used: it knows neither the logs nor the code that answers.

One statement a line, so that a line stands for a statement. All values are unsigned of 32 bits; indices are masked.
"""
import random

MASK = 0xFFFFFFFF


class Return(Exception):
    pass


class Break(Exception):
    pass


class Writer:
    """Prints C, and numbers the lines."""

    def __init__(self):
        self.lines = []

    def put(self, depth, text):
        self.lines.append("    " * depth + text)
        return len(self.lines)


# ---- lvalues: ("g", k)  ("a", index)  ("s", k, member)  ("l", k)  ("p",) what the global pointer points to  ("q",) the parameter


def c_of_place(place):
    kind = place[0]
    if kind == "g":
        return f"g{place[1]}"
    if kind == "a":
        return f"arr[({c_of(place[1])}) & 7]"
    if kind == "s":
        return f"s[{place[1]}].{place[2]}"
    if kind == "l":
        return f"v{place[1]}"
    if kind == "p":
        return "*p"
    return "*q"


def c_of(expr):
    kind = expr[0]
    if kind == "n":
        return f"{expr[1]}u"
    if kind == "x":
        return "x"
    if kind == "place":
        return c_of_place(expr[1])
    return f"({c_of(expr[2])} {expr[1]} {c_of(expr[3])})"


class Maker:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.functions = []
        self.leaves = self.random.random() < 0.5

    def place(self, k, pointers=True):
        choice = self.random.randrange(12 if pointers else 9)
        if choice < 3:
            return ("g", self.random.randrange(4))
        if choice < 5:
            return ("a", self.expr(k, 1))
        if choice < 7:
            return ("s", self.random.randrange(3), self.random.choice("ab"))
        if choice < 9:
            return ("l", self.random.randrange(3))
        return ("p",) if choice < 11 else ("q",)

    def expr(self, k, depth):
        choice = self.random.randrange(6)
        if depth == 0 or choice == 0:
            return ("n", self.random.randrange(100))
        if choice == 1:
            return ("x",)
        if choice < 4:
            return ("place", self.place(k) if depth > 1 else ("g", self.random.randrange(4)))
        return ("op", self.random.choice("+-*^&|"), self.expr(k, depth - 1), self.expr(k, depth - 1))

    def block(self, k, depth):
        return [self.statement(k, depth) for _ in range(self.random.randrange(1, 5))]

    def statement(self, k, depth):
        choice = self.random.randrange(20)
        if choice < 8 or depth == 0:
            return ["set", self.place(k), self.expr(k, 3)]
        if choice < 10:
            # A constant condition makes no code.
            condition = ("op", "^", ("place", ("g", self.random.randrange(4))), self.expr(k, 2))
            return ["if", condition, self.block(k, depth - 1), self.block(k, depth - 1) if choice == 9 else []]
        if choice < 12:
            return ["for", self.random.randrange(1, 4), self.block(k, depth - 1)]
        if choice < 13:
            return ["point", self.place(k, pointers=False)]
        if choice < 15:
            return ["copy", self.random.randrange(3), self.random.randrange(3)]
        if choice < 16:
            return ["fill"]
        if choice < 17:
            return ["break"] if depth < 2 else ["return", self.expr(k, 2)]
        if k == 0:
            return ["set", self.place(k), self.expr(k, 3)]
        return ["call", self.place(k, pointers=False), self.random.randrange(k), self.expr(k, 2), ("g", self.random.randrange(4))]

    def make(self):
        count = self.random.randrange(2, 5)
        self.functions = [{"body": self.block(k, 2), "result": self.expr(k, 2)} for k in range(count)]
        return self.functions


class Program:
    """The text of a program, with the line of each statement put into its tree."""

    def __init__(self, seed, tasks=2):
        self.tasks = tasks
        self.functions = Maker(seed).make()
        out = self.out = Writer()
        for line in ("#include <string.h>", "#include <trek_kernel/trek.h>", "struct pair { unsigned a, b; };", "unsigned g0, g1 = 7, g2, g3 = 9;",
                     "unsigned arr[8] = {1, 2, 3, 4, 5, 6, 7, 8};", "struct pair s[3];", "unsigned* p = &g0;"):
            out.put(0, line)
        for k, function in enumerate(self.functions):
            out.put(0, f"static unsigned f{k}(unsigned x, unsigned* q) {{")
            for v in range(3):
                function[f"v{v}"] = out.put(1, f"unsigned v{v} = {v + 1};")
            self.print_block(function["body"], 1, False)
            function["line"] = out.put(1, f"return {c_of(function['result'])};")
            out.put(0, "}")
        last = len(self.functions) - 1
        out.put(0, "void data_generator(void) {")
        out.put(1, f"for (unsigned i = 0; i < {tasks}; ++i) {{")
        self.task_line = out.put(2, "unsigned task = i + 3;")
        out.put(2, "do_task(&task, sizeof task);")
        out.put(1, "}")
        out.put(0, "}")
        out.put(0, "void compute_fn(const void* data, unsigned bytes) {")
        out.put(1, "unsigned task, result;")
        out.put(1, "(void)bytes;")
        self.copy_line = out.put(1, "memcpy(&task, data, sizeof task);")
        self.call_line = out.put(1, f"result = f{last}(task, &g0);")
        self.end_line = out.put(1, "return_result(&result, sizeof result);")
        out.put(0, "}")
        out.put(0, "void result_receiver(void) {")
        self.sum_line = out.put(1, "unsigned sum = 0;")
        out.put(1, f"for (int i = 0; i < {tasks}; ++i) {{")
        out.put(2, "unsigned result;")
        self.got_line = out.put(2, "memcpy(&result, get_result(0), sizeof result);")
        self.add_line = out.put(2, "sum += result;")
        out.put(1, "}")
        self.last_line = out.put(1, "trek_event(1, sum);")
        out.put(0, "}")

    def text(self):
        return "\n".join(self.out.lines) + "\n"

    def print_block(self, block, depth, loop):
        out = self.out
        for each in block:
            kind = each[0]
            if kind == "set":
                line = out.put(depth, f"{c_of_place(each[1])} = {c_of(each[2])};")
            elif kind == "if":
                line = out.put(depth, f"if ({c_of(each[1])}) {{")
                self.print_block(each[2], depth + 1, loop)
                if each[3]:
                    out.put(depth, "} else {")
                    self.print_block(each[3], depth + 1, loop)
                out.put(depth, "}")
            elif kind == "for":
                line = out.put(depth, f"for (int i{depth} = 0; i{depth} < {each[1]}; ++i{depth}) {{")
                self.print_block(each[2], depth + 1, True)
                out.put(depth, "}")
            elif kind == "point":
                # A local would be dangling when its function has returned; x decides for a global then.
                target = each[1] if each[1][0] != "l" else ("g", each[1][1])
                each[1] = target
                line = out.put(depth, f"p = &{c_of_place(target)};")
            elif kind == "copy":
                line = out.put(depth, f"memmove(&s[{each[1]}], &s[{each[2]}], sizeof s[0]);")
            elif kind == "fill":
                line = out.put(depth, "memset(&s[1], 0, sizeof s[1]);")
            elif kind == "break":
                each[0] = "break" if loop else "nothing"
                line = out.put(depth, "break;" if loop else ";")
            elif kind == "return":
                line = out.put(depth, f"return {c_of(each[1])};")
            else:
                line = out.put(depth, f"{c_of_place(each[1])} = f{each[2]}({c_of(each[3])}, &{c_of_place(each[4])});")
            each.append(line)


class Judge:
    """Executes the program's compute_fn for each task, as one worker does."""

    def __init__(self, program):
        self.program = program
        # Cell: (value, line that wrote it; None: the initial value; what the statement read for it, None: not one assignment)
        self.memory = {}
        self.reads = None
        for cell, value in {("g", 0): 0, ("g", 1): 7, ("g", 2): 0, ("g", 3): 9, **{("a", i): i + 1 for i in range(8)},
                            **{("s", k, m): 0 for k in range(3) for m in "ab"}}.items():
            self.memory[cell] = (value, None, None)
        self.pointer = ("g", 0)
        self.pointer_line = None
        self.visits = []  # (line, execution, what a question there is told: cells as they are)
        self.counts = {}
        self.steps = 0
        self.results = []
        self.frames = 0

    def run(self):
        last = len(self.program.functions) - 1
        for task in range(self.program.tasks):
            self.results.append(self.call(last, task + 3, ("g", 0), self.program.call_line))
        return self

    def note(self, line, frame):
        self.steps += 1
        if self.steps > 3000:
            raise OverflowError
        self.counts[line] = self.counts.get(line, 0) + 1
        cells = {f"g{k}": self.memory[("g", k)] for k in range(4)}
        cells.update({f"arr[{i}]": self.memory[("a", i)] for i in range(8)})
        cells.update({f"s[{k}].{m}": self.memory[("s", k, m)] for k in range(3) for m in "ab"})
        cells.update({f"v{v}": self.memory[("l", frame, v)] for v in range(3)})
        cells["*p"] = self.memory[self.pointer]
        self.visits.append((line, self.counts[line], cells))

    def cell(self, place, frame, x, q):
        kind = place[0]
        if kind == "a":
            return ("a", self.value(place[1], frame, x, q) & 7)
        if kind == "l":
            return ("l", frame, place[1])
        if kind == "p":
            return self.pointer
        if kind == "q":
            return q
        return tuple(place)

    def value(self, expr, frame, x, q):
        kind = expr[0]
        if kind == "n":
            return expr[1]
        if kind == "x":
            self.note_read(f"x = {x}")
            return x
        if kind == "place":
            outer, self.reads = self.reads, None  # an index decides about the place, not about the value
            cell = self.cell(expr[1], frame, x, q)
            self.reads = outer
            self.note_read(f"{self.name(cell)} = {self.memory[cell][0]}")
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

    def call(self, k, x, q, _line):
        function = self.program.functions[k]
        self.frames += 1
        frame = self.frames
        for v in range(3):
            self.memory[("l", frame, v)] = (v + 1, function[f"v{v}"], frozenset())
        try:
            self.block(function["body"], frame, x, q)
        except Return as end:
            return end.args[0]
        self.note(function["line"], frame)
        return self.value(function["result"], frame, x, q)

    def block(self, block, frame, x, q):
        for each in block:
            self.statement(each, frame, x, q)

    def statement(self, each, frame, x, q):
        kind, line = each[0], each[-1]
        if kind == "for":
            for _ in range(each[1]):
                try:
                    self.block(each[2], frame, x, q)
                except Break:
                    break
            return
        if kind == "nothing":
            return
        self.note(line, frame)
        if kind == "set":
            self.reads = set()
            value = self.value(each[2], frame, x, q)
            reads, self.reads = frozenset(self.reads), None
            self.memory[self.cell(each[1], frame, x, q)] = (value, line, reads)
        elif kind == "if":
            self.block(each[2] if self.value(each[1], frame, x, q) else each[3], frame, x, q)
        elif kind == "point":
            self.pointer = self.cell(each[1], frame, x, q)
        elif kind == "copy":
            for m in "ab":
                self.memory[("s", each[1], m)] = (self.memory[("s", each[2], m)][0], line, None)
        elif kind == "fill":
            for m in "ab":
                self.memory[("s", 1, m)] = (0, line, None)
        elif kind == "break":
            raise Break
        elif kind == "return":
            raise Return(self.value(each[1], frame, x, q))
        else:
            value = self.call(each[2], self.value(each[3], frame, x, q), self.cell(each[4], frame, x, q), line)
            self.memory[self.cell(each[1], frame, x, q)] = (value, line, None)
