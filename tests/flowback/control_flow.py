"""Control dependences of a random program's function (random_programs.py), by post-dominators of its own control flow.

Ferrante, Ottenstein and Warren 1987: a node depends on a predicate when one way out of it always leads to the node, and another
need not. Nothing of Magicwire is used.
"""


class Flow:
    """`deciders(statement, part)`: names of predicates. A name is a statement's identity; a loop has the parts "test" and "step"."""

    def __init__(self, function):
        self.after = {"end": []}
        first = self.block(function["body"], (id(function), "result"), None)
        self.after[(id(function), "result")] = ["end"]
        self.reachable = self.reached(first)
        self.after = {node: [each for each in ways if each in self.reachable] for node, ways in self.after.items() if node in self.reachable}
        self.post = self.post_dominators()

    def block(self, block, follow, leave):
        """Its first node. `follow`: the node behind it; `leave`: that behind the loop around it."""
        for each in reversed(block):
            follow = self.statement(each, follow, leave)
        return follow

    def statement(self, each, follow, leave):
        kind, node = each[0], (id(each), "")
        if kind == "if":
            self.after[node] = [self.block(each[2], follow, leave), self.block(each[3], follow, leave)]
        elif kind == "for":
            test, step = (id(each), "test"), (id(each), "step")
            self.after[step] = [test]
            self.after[test] = [self.block(each[2], step, follow), follow]
            self.after[node] = [test]
        elif kind == "break":
            self.after[node] = [leave]
        elif kind == "return":
            self.after[node] = ["end"]
        elif kind == "nothing":
            return follow
        else:
            self.after[node] = [follow]
        return node

    def reached(self, first):
        seen, waiting = {"end"}, [first]
        while waiting:
            node = waiting.pop()
            if node not in seen:
                seen.add(node)
                waiting += self.after[node]
        return seen

    def post_dominators(self):
        post = {node: set(self.after) for node in self.after}
        post["end"] = {"end"}
        changed = True
        while changed:
            changed = False
            for node, ways in self.after.items():
                if node == "end":
                    continue
                new = {node} | set.intersection(*(post[way] for way in ways))
                changed = changed or new != post[node]
                post[node] = new
        return post

    def deciders(self, node):
        return [branch for branch, ways in self.after.items() if len(set(ways)) > 1 and
                any(node in self.post[way] for way in ways) and (node == branch or node not in self.post[branch])]
