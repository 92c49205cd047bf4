"""Random MPI programs, and what each rank's memory holds and depends on while they run. Nothing of Magicwire is used.

All ranks execute the same lines; some are for one rank. Each line is a statement. Calls of MPI pass elements of the arrays a and b
on, one by one, so that the judge follows each element by itself.
"""
import random

MASK = 0xFFFFFFFF
OPERATIONS = {"MPI_SUM": lambda x, y: (x + y) & MASK, "MPI_MAX": lambda x, y: max(signed(x), signed(y)) & MASK,
              "MPI_BXOR": lambda x, y: x ^ y}
LENGTH = {"a": 12, "b": 16}


def signed(value):
    return value - (1 << 32) if value & 0x80000000 else value


class Ranks:
    def __init__(self, seed, mark=None):
        self.random = random.Random(seed)
        self.size = self.random.choice((2, 3, 4))
        self.turns = self.random.choice((1, 2, 2, 3))
        self.tags = 10
        self.steps = [self.make() for _ in range(self.random.randint(6, 16))]
        self.mark = mark  # (rank, line, execution, cell)
        self.lines = []
        self.visits = []  # (rank, line, execution, {cell: (value, line that gave it, executions)})
        self.influenced = set()
        self.collective = set()  # lines of collective calls: data may pass through any rank
        self.memory = [{(name, i): ((i * 3 + (name == "b")) & MASK, None, frozenset()) for name in LENGTH for i in range(LENGTH[name])}
                       for _ in range(self.size)]
        self.counts = {}

    # ---- The program ----

    def cell(self):
        return ("a", self.random.randrange(LENGTH["a"]))

    def row(self, count, avoid=()):
        """`count` neighbours of a that have none of `avoid`."""
        for _ in range(100):
            first = self.random.randrange(LENGTH["a"] - count + 1)
            if not set(range(first, first + count)) & set(avoid):
                return first
        return None

    def make(self):
        kind = self.random.choice(("set", "set", "set", "only", "if", "send", "send", "later", "shift", "replace", "column", "pack",
                                   "bcast", "reduce", "allreduce", "in_place", "gather", "scatter", "allgather", "alltoall",
                                   "scan", "exscan", "scatter_sums", "iallreduce"))
        count = self.random.choice((1, 1, 2, 3))
        one, other = self.random.sample(range(self.size), 2)
        first = self.row(count)
        second = self.row(count, range(first, first + count))
        if second is None:
            count, first, second = 1, 0, 5
        expression = (self.cell(), self.random.choice("+-*^&|"), self.cell())
        operation = self.random.choice(sorted(OPERATIONS))
        self.tags += 1
        return (kind, count, one, other, first, second, self.cell(), expression, operation, self.cell(), self.tags)

    @staticmethod
    def set_text(target, expression):
        (left, _, right) = expression
        return f"{target[0]}[{target[1]}] = {left[0]}[{left[1]}] {expression[1]} {right[0]}[{right[1]}];"

    def text(self):
        """Source; sets the lines of each step."""
        self.lines = []
        out = ["#include <mpi.h>", "#include <stdio.h>",
               "static int a[12] = {" + ", ".join(str(i * 3) for i in range(12)) + "};",
               "static int b[16] = {" + ", ".join(str(i * 3 + 1) for i in range(16)) + "};", "static char packed[64];",
               "int main(int argc, char** argv) {", "    int rank, size, turn, place;", "    MPI_Status status;",
               "    MPI_Request request;", "    MPI_Datatype column;", "    MPI_Init(&argc, &argv);",
               "    MPI_Comm_rank(MPI_COMM_WORLD, &rank);", "    MPI_Comm_size(MPI_COMM_WORLD, &size);",
               "    MPI_Type_vector(3, 1, 2, MPI_INT, &column);", "    MPI_Type_commit(&column);",
               f"    for (turn = 0; turn < {self.turns}; ++turn) {{"]
        for step in self.steps:
            self.lines.append(len(out) + 1)
            out += ["        " + each for each in self.source(*step)]
        out += ["    }", '    printf("%d %d\\n", a[0], b[0]);', "    MPI_Finalize();", "    return 0;", "}"]
        return "\n".join(out) + "\n"

    def source(self, kind, count, one, other, first, second, target, expression, operation, test, tag):
        world = "MPI_COMM_WORLD"
        assign = self.set_text(target, expression)
        send = f"MPI_Send(&a[{first}], {count}, MPI_INT, {other}, {tag}, {world});"
        simple = {
            "set": [assign],
            "only": [f"if (rank == {one})", "    " + assign],
            "if": [f"if ({test[0]}[{test[1]}] & 1)", "    " + assign],
            "send": [f"if (rank == {one})", "    " + send, f"if (rank == {other})",
                     f"    MPI_Recv(&a[{second}], {count}, MPI_INT, MPI_ANY_SOURCE, {tag}, {world}, &status);"],
            "later": [f"if (rank == {other})", f"    MPI_Irecv(&a[{second}], {count}, MPI_INT, {one}, 6, {world}, &request);",
                      f"if (rank == {one})", f"    MPI_Isend(&a[{first}], {count}, MPI_INT, {other}, 6, {world}, &request);",
                      f"if (rank == {one} || rank == {other})", "    MPI_Wait(&request, &status);"],
            "shift": [f"MPI_Sendrecv(&a[{first}], {count}, MPI_INT, (rank + 1) % size, 3, &a[{second}], {count}, MPI_INT, "
                      f"(rank + size - 1) % size, 3, {world}, &status);"],
            "replace": [f"MPI_Sendrecv_replace(&a[{first}], {count}, MPI_INT, (rank + 1) % size, 4, (rank + size - 1) % size, 4, "
                        f"{world}, &status);"],
            "column": [f"if (rank == {one})", f"    MPI_Ssend(&b[{first}], 1, column, {other}, 5, {world});",
                       f"if (rank == {other})", f"    MPI_Recv(&a[{second % 7}], 1, column, {one}, 5, {world}, &status);"],
            "pack": ["place = 0;", f"MPI_Pack(&a[{first}], {count}, MPI_INT, packed, 64, &place, {world});", "place = 0;",
                     f"MPI_Unpack(packed, 64, &place, &a[{second}], {count}, MPI_INT, {world});"],
            "bcast": [f"MPI_Bcast(&a[{first}], {count}, MPI_INT, {one}, {world});"],
            "reduce": [f"MPI_Reduce(&a[{first}], &a[{second}], {count}, MPI_INT, {operation}, {one}, {world});"],
            "allreduce": [f"MPI_Allreduce(&a[{first}], &a[{second}], {count}, MPI_INT, {operation}, {world});"],
            "in_place": [f"MPI_Allreduce(MPI_IN_PLACE, &a[{first}], {count}, MPI_INT, {operation}, {world});"],
            "gather": [f"MPI_Gather(&a[{first}], {count}, MPI_INT, b, {count}, MPI_INT, {one}, {world});"],
            "scatter": [f"MPI_Scatter(b, {count}, MPI_INT, &a[{first}], {count}, MPI_INT, {one}, {world});"],
            "allgather": [f"MPI_Allgather(&a[{first}], {count}, MPI_INT, b, {count}, MPI_INT, {world});"],
            "alltoall": [f"MPI_Alltoall(a, {count}, MPI_INT, b, {count}, MPI_INT, {world});"],
            "scan": [f"MPI_Scan(&a[{first}], &a[{second}], {count}, MPI_INT, {operation}, {world});"],
            "exscan": [f"MPI_Exscan(&a[{first}], &a[{second}], {count}, MPI_INT, {operation}, {world});"],
            "scatter_sums": [f"MPI_Reduce_scatter_block(b, &a[{first}], {count}, MPI_INT, {operation}, {world});"],
            "iallreduce": [f"MPI_Iallreduce(&a[{first}], &a[{second}], {count}, MPI_INT, {operation}, {world}, &request);",
                           "MPI_Wait(&request, &status);"],
        }
        return simple[kind]

    # ---- Its execution ----

    def run(self):
        self.text()
        for _ in range(self.turns):
            for line, step in zip(self.lines, self.steps):
                getattr(self, "do_" + step[0], self.do_collective)(line, *step)
        return self

    def note(self, rank, line):
        number = self.counts[(rank, line)] = self.counts.get((rank, line), 0) + 1
        memory = self.memory[rank]
        self.visits.append((rank, line, number, dict(memory)))
        if self.mark is not None and self.mark[:3] == (rank, line, number):
            value, writer, needs = memory[self.mark[3]]
            memory[self.mark[3]] = (value, writer, needs | {"mark"})
        return (rank, line, number)

    def touched(self, execution, needs):
        if "mark" in needs:
            self.influenced.add(execution)

    def put(self, rank, line, cell, value, needs):
        self.memory[rank][cell] = (value & MASK, line, frozenset(needs))

    def assign(self, rank, line, target, expression, control=frozenset()):
        execution = self.note(rank, line)
        (left, sign, right) = expression
        (x, _, x_needs), (y, _, y_needs) = self.memory[rank][left], self.memory[rank][right]
        value = {"+": x + y, "-": x - y, "*": x * y, "^": x ^ y, "&": x & y, "|": x | y}[sign]
        needs = {execution} | control | x_needs | y_needs
        self.touched(execution, needs)
        self.put(rank, line, target, value, needs)

    def guard(self, line):
        """The executions of a test of the rank, by rank."""
        return {rank: frozenset([self.note(rank, line)]) for rank in range(self.size)}

    def do_set(self, line, _kind, _count, _one, _other, _first, _second, target, expression, *_):
        for rank in range(self.size):
            self.assign(rank, line, target, expression)

    def do_only(self, line, _kind, _count, one, _other, _first, _second, target, expression, *_):
        control = self.guard(line)
        self.assign(one, line + 1, target, expression, control[one])

    def do_if(self, line, _kind, _count, _one, _other, _first, _second, target, expression, _operation, test, _tag):
        for rank in range(self.size):
            execution = self.note(rank, line)
            value, _, needs = self.memory[rank][test]
            needs = needs | {execution}
            self.touched(execution, needs)
            if value & 1:
                self.assign(rank, line + 1, target, expression, needs)

    def message(self, values, sender, receiver, pairs):
        """`values`: as they were sent. `sender`, `receiver`: (rank, execution, its control). Cells from, to."""
        both = {sender[1], receiver[1]} | sender[2] | receiver[2]
        for (value, _, needs), (_, target) in zip(values, pairs):
            self.touched(sender[1], needs)
            self.touched(receiver[1], needs)
            self.put(receiver[0], receiver[1][1], target, value, needs | both)

    def do_send(self, line, kind, count, one, other, first, second, *_):
        pairs = [(("a", first + i), ("a", second + i)) for i in range(count)]
        if kind == "column":
            pairs = [(("b", first + 2 * i), ("a", second % 7 + 2 * i)) for i in range(3)]
        out = self.guard(line)
        sent = self.note(one, line + 1)
        values = [self.memory[one][source] for source, _ in pairs]
        into = self.guard(line + 2)
        received = self.note(other, line + 3)
        self.message(values, (one, sent, out[one]), (other, received, into[other]), pairs)

    do_column = do_send

    def do_later(self, line, _kind, count, one, other, first, second, *_):
        pairs = [(("a", first + i), ("a", second + i)) for i in range(count)]
        into = self.guard(line)
        received = self.note(other, line + 1)
        out = self.guard(line + 2)
        sent = self.note(one, line + 3)
        values = [self.memory[one][source] for source, _ in pairs]
        for rank in range(self.size):
            self.counts[(rank, line + 4)] = self.counts.get((rank, line + 4), 0) + 1  # when the data come is not known
        self.message(values, (one, sent, out[one]), (other, received, into[other]), pairs)

    def do_shift(self, line, kind, count, _one, _other, first, second, *_):
        target = first if kind == "replace" else second
        calls = [self.note(rank, line) for rank in range(self.size)]
        old = [dict(memory) for memory in self.memory]
        for rank in range(self.size):
            left = (rank - 1) % self.size
            for i in range(count):
                value, _, needs = old[left][("a", first + i)]
                self.touched(calls[left], needs)
                self.touched(calls[rank], needs)
                self.put(rank, line, ("a", target + i), value, needs | {calls[left], calls[rank]})

    do_replace = do_shift

    def do_pack(self, line, _kind, count, _one, _other, first, second, *_):
        for rank in range(self.size):
            self.note(rank, line)
            packing = self.note(rank, line + 1)
            cells = [self.memory[rank][("a", first + i)] for i in range(count)]
            self.note(rank, line + 2)
            unpacking = self.note(rank, line + 3)
            own = {(rank, line, packing[2]), packing, (rank, line + 2, packing[2]), unpacking}
            for i, (value, _, needs) in enumerate(cells):
                self.touched(packing, needs)
                self.touched(unpacking, needs)
                self.put(rank, line + 3, ("a", second + i), value, needs | own)

    def ways(self, kind, count, one, first, second):
        """(rank, cell, the elements that are combined to it) of a collective call; ranks in order."""
        every = range(self.size)
        row = [("a", first + i) for i in range(count)]
        result = [("a", second + i) for i in range(count)]
        if kind == "bcast":
            return [(rank, cell, [(one, cell)]) for rank in every if rank != one for cell in row]
        if kind == "reduce":
            return [(one, result[i], [(r, row[i]) for r in every]) for i in range(count)]
        if kind in ("allreduce", "iallreduce"):
            return [(rank, result[i], [(r, row[i]) for r in every]) for rank in every for i in range(count)]
        if kind == "in_place":
            return [(rank, row[i], [(r, row[i]) for r in every]) for rank in every for i in range(count)]
        if kind == "gather":
            return [(one, ("b", r * count + i), [(r, row[i])]) for r in every for i in range(count)]
        if kind == "scatter":
            return [(rank, row[i], [(one, ("b", rank * count + i))]) for rank in every for i in range(count)]
        if kind == "allgather":
            return [(rank, ("b", r * count + i), [(r, row[i])]) for rank in every for r in every for i in range(count)]
        if kind == "alltoall":
            return [(rank, ("b", r * count + i), [(r, ("a", rank * count + i))]) for rank in every for r in every for i in range(count)]
        if kind == "scan":
            return [(rank, result[i], [(r, row[i]) for r in range(rank + 1)]) for rank in every for i in range(count)]
        if kind == "exscan":
            return [(rank, result[i], [(r, row[i]) for r in range(rank)]) for rank in every if rank > 0 for i in range(count)]
        return [(rank, row[i], [(r, ("b", rank * count + i)) for r in every]) for rank in every for i in range(count)]

    def do_collective(self, line, kind, count, one, _other, first, second, _target, _expression, operation, _test, _tag):
        self.collective.add(line)
        calls = [self.note(rank, line) for rank in range(self.size)]
        if kind == "iallreduce":
            for rank in range(self.size):
                self.counts[(rank, line + 1)] = self.counts.get((rank, line + 1), 0) + 1
        old = [dict(memory) for memory in self.memory]
        for rank, cell, sources in self.ways(kind, count, one, first, second):
            value, needs = None, {calls[rank]}
            for source, its in sources:
                element, _, its_needs = old[source][its]
                value = element if value is None else OPERATIONS[operation](value, element)
                needs |= its_needs | {calls[source]}
                self.touched(calls[source], its_needs)
                self.touched(calls[rank], its_needs)
            self.put(rank, line, cell, value, needs)
