"""Judges the verdict of a random session of any virtual machine: judge_halo.py for a halo, judge_verdict.py for a farm.

  judge_session.py OUT"""
import sys

sys.dont_write_bytecode = True  # no cache in the source tree
import cases
import judge_halo
import judge_verdict


def main():
    (summary,) = cases.read(sys.argv[1], "summary")
    (judge_halo if summary.get("model") == "halo" else judge_verdict).main()


if __name__ == "__main__":
    main()
