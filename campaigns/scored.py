"""What `magicwire score` counts of a run, from its files and the judge (scripts/judge.py): the measures by which a campaign is
scored (runs/scoring/include/scoring/score.hpp), and what a person needs to look at one point."""
import sys

sys.dont_write_bytecode = True  # no cache in the source tree
import cases  # finds scripts/
import happened
import judge

NEVER = 10**30


def strikes(oracle):
    return [strike for bug in oracle["planted"] for strike in bug["strikes"]]


def could_be(oracle):
    """The best verdict that messages alone allow, of any planted bug that struck."""
    order = ["certain", "likely", "unknown", "none"]
    return min((strike["visible"]["verdict"] for strike in strikes(oracle)), key=order.index, default="not struck")


def records(oracle):
    """How many were made, and lost."""
    return (sum(node["recorded"] for node in oracle["nodes"]),
            sum(last - first + 1 for node in oracle["nodes"] for first, last in node["lost"]))


def after_us(summary, oracle):
    """From the first strike to the end of the session. None: nothing struck."""
    first = min([*(strike["time_ps"] for strike in strikes(oracle)), *(fault.get("first_ps", NEVER) for fault in oracle["faults"] if fault["happened"])],
                default=NEVER)
    return None if first == NEVER else summary["modelled_us"] - first / 1e6


def measures(summary, oracle, found):
    """`found`: the judgement."""
    verdict = summary["verdict"]["verdict"]
    made, lost = records(oracle)
    truth = "; ".join(judge.text_of(stop) for stop in happened.Happened(oracle).first_stops()[:3])
    places = ", ".join(f"{place['subtask']} on n{place['node']}" for place in verdict["places"])
    return {"kind": found.kind, "outcome": found.outcome, "could_be": could_be(oracle), "lost_share": lost / max(1, made), "truth": truth, "places": places,
            "sentence": verdict["sentence"], "after_us": after_us(summary, oracle)}
