"""Compares the clocks of a run with true time: they must be tied together, and half of the synchronised times must be off by at most
5 us.

  check_clocks.py OUT

Prints JSON, from `magicwire clocks`: interrupts that the nodes have read, the share of late ones, and the errors of all records
against the clock of the reference, with and without synchronisation. Exit code 1 when something does not hold."""
import json
import sys

sys.dont_write_bytecode = True  # no cache in the source tree
import cases
import tool

HALF_WITHIN_US = 5  # facts of Tmon: an interrupt is taken within some microseconds


def main():
    found = json.loads(tool.call(["clocks", sys.argv[1], "--json"], None, 600, (0, 1)).stdout)
    used = [node for node in found["nodes"] if node["node"] != found["reference"]]
    read, late = sum(node["interrupts"] for node in used), sum(node["late"] for node in used)
    with_, without = found["truth"]["synchronised"], found["truth"]["without"]
    problems = [] if found["synchronised"] else ["the clocks are not tied together"]
    if with_["half_us"] > HALF_WITHIN_US:
        problems.append(f"half of the times are off by more than {with_['half_us']} us")
    cases.end(problems, interrupts=read, late=100 * late / read, records=with_["records"],
              **{key: with_[key] for key in ("half_us", "most_90_us", "most_99_us", "worst_us")},
              **{f"without_{key}": without[key] for key in ("half_us", "most_99_us", "worst_us")})


if __name__ == "__main__":
    main()
