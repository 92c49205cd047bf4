"""Judges the verdict on a halo (scripts/halo_judge.py): it may not be certain and wrong.

  judge_halo.py OUT [--healthy] [--oracle-alone]

Prints JSON: `answer`, the kind and what it is worth, `why`, `loss`, the share of records that were lost in words, and the measures that
`magicwire score` counts. --healthy: nothing went wrong, so no answer may claim a fault. --oracle-alone: looks at no verdict, only whether
the oracle agrees with itself."""
import sys

sys.dont_write_bytecode = True  # no cache in the source tree
import cases  # finds scripts/
import halo_judge
import scored
from judge_verdict import loss


def after_us(summary, oracle):
    first = min([*(strike["time_ps"] for strike in oracle["struck"]), *(fault.get("first_ps", scored.NEVER) for fault in oracle["faults"] if fault["happened"])],
                default=scored.NEVER)
    return None if first == scored.NEVER else summary["modelled_us"] - first / 1e6


def could_be(summary, truth):
    """The best verdict that messages alone allow: a node that computes for ever is not told from one that takes long."""
    if not truth.places:
        return "none"
    return "certain" if len(truth.places) == 1 and "stood still" in summary["end"] else "likely"


def main():
    summary, oracle = cases.read(sys.argv[1], "summary", "oracle")
    truth = halo_judge.HaloTruth(oracle)
    problems = [error] if (error := halo_judge.disagreement(oracle)) else []
    verdict = {"kind": "unknown", "sentence": "", "places": []} if "--oracle-alone" in sys.argv else summary["verdict"]["verdict"]
    if error := halo_judge.certain_and_wrong(verdict, oracle):
        problems.append(f"certain and wrong: {error}: {verdict['sentence']}")
    found = halo_judge.judge(verdict, oracle)
    if "--healthy" in sys.argv and (found.kind, found.outcome) not in (("none", "right"), ("unknown", "healthy")):
        problems.append(f"nothing is wrong, and the answer is: {verdict['sentence']}")
    made, lost = scored.records(oracle)
    share = lost / max(1, made)
    cases.end(problems, answer=f"{found.kind} {found.outcome}".strip(), kind=found.kind, outcome=found.outcome, why=found.why, loss=loss(share), lost_share=share,
              could_be=could_be(summary, truth), truth=truth.text(), places=", ".join(f"n{place['node']}" for place in verdict["places"]),
              sentence=verdict["sentence"], after_us=after_us(summary, oracle))


if __name__ == "__main__":
    main()
