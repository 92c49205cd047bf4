"""Random sessions of each virtual machine in turn, for the campaign `virtual_machines`: processor farms (pfvm), divide and conquer
(dcvm) and halos. The number of a case determines it."""
import halo_cases
import verdict_cases

PLANTED = ["bug", "hardware", "both", "load", "nothing"]  # what both kinds of cases know


class Unhurried:
    """Machines in which the records of interrupts leave room for loading. Without that, nothing is sent until the session is given up."""

    def monitor(self):
        super().monitor()
        if self.count > 5:
            self.interrupt = "10ms"


class Pfvm(Unhurried, verdict_cases.Case):
    """No task is divided."""

    def farm(self):
        super().farm()
        self.degree = 1


class Dcvm(Unhurried, verdict_cases.Case):
    """Tasks are divided where a node has children."""

    def shape(self):
        super().shape()
        while not any(self.children(node) for node in self.parent):
            super().shape()

    def farm(self):
        super().farm()
        if self.degree == 1:
            self.degree = self.dice.randint(2, 3)


class Halo(Unhurried, halo_cases.Case):
    """As in the campaign `halo`."""


def Case(number, healthy=False, planted=None):  # pylint: disable=invalid-name  # stands for a class, as in the other modules
    return (Pfvm, Dcvm, Halo)[number % 3](number, healthy, planted)
