"""Predicts and runs a random farm (prediction_farms.py), and compares the predicted rate of the steady state with the measured one.

  check_random_prediction.py NUMBER FOLDER

Runs without a steady rate are compared by total time. Prints JSON: how it came out, the error in percent, that of farms whose
pilot was only a part of the run, and a line about the farm. Exit code 1 when it is off by more than 3 % and the prediction had no
caution, or when nothing was predicted and nothing refused."""
import json
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True  # no cache in the source tree
import cases
import prediction_farms

TOLERANCE = 3  # percent
REFUSALS = ("magicwire: a pilot run", "magicwire: the cost of a task", "magicwire: the formulas")


def main():
    number, folder = int(sys.argv[1]), pathlib.Path(sys.argv[2])
    scenario, what = prediction_farms.farm(number, folder)
    done = subprocess.run([cases.BINARY, "predict", scenario, "--run", "--json"], cwd=folder, capture_output=True, text=True, check=False)
    line = " ".join(f"{key}={value}" for key, value in what.items())
    if done.returncode != 0:
        told = (done.stderr.strip() or str(done.returncode))[-300:]
        problems = [] if done.stderr.startswith(REFUSALS) else [told]
        return cases.end(problems, outcome="refused", error=None, part_error=None, farm=f"{line}: {told}")
    found = json.loads(done.stdout)
    key = "tasks_per_second" if found["run"]["tasks_per_second"] else "total_s"
    if not found["run"][key]:
        return cases.end([], outcome="no run", error=None, part_error=None, farm=f"{line}: the run has neither a rate nor a total")
    error = 100 * (found[key] / found["run"][key] - 1)
    part = bool(found["pilot"]) and found["pilot"]["tasks"] < what["tasks"]
    far = abs(error) > TOLERANCE
    problems = [f"off by {error:+.2f} % without a caution: {line}"] if far and not found["caveats"] else []
    return cases.end(problems, outcome=("beyond 3 %" if far else "within 3 %") + (" with a caution" if found["caveats"] else ""), error=error,
                     part_error=abs(error) if part else None, farm=f"{line}: {'; '.join(found['caveats'])}")


if __name__ == "__main__":
    main()
