"""Random farm programs for flowback.

The program is made as a tree. C text is printed from it, and the judge (judge.py) executes the same tree.

One statement a line, so that a line stands for a statement. All values are unsigned of 32 bits; indices are masked.
"""
import random


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


def statements(block):
    for each in block:
        yield each
        for inner in {"if": each[2:4], "for": each[2:3]}.get(each[0], []):
            yield from statements(inner)


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

    def statement_lines(self):
        """Lines of statements in the functions that the judge executes."""
        lines = {function[key] for function in self.functions for key in ("line", "v0", "v1", "v2")}
        return lines | {each[-1] for function in self.functions for each in statements(function["body"])}

    def loop_lines(self):
        return {each[-1] for function in self.functions for each in statements(function["body"]) if each[0] == "for"}

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
