#!/usr/bin/env python3
"""The table of what MPI's calls write (instrumentation/flowback_log/src/mpi_calls.cpp), against the prototypes of mpi.h.

Each output must be a pointer that the function may write through, with the bytes of its type. Each such pointer must be an
output, unless the library tells what it writes.
"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BYTES = {"int": 4, "MPI_Comm": 4, "MPI_Datatype": 4, "MPI_Errhandler": 4, "MPI_Group": 4, "MPI_Info": 4, "MPI_Message": 4, "MPI_Op": 4,
         "MPI_Request": 4, "MPI_Aint": 8, "MPI_Count": 8, "MPI_Status": 24, "char": 0, "int[3]": 12}
# The library tells these (lam_log_wrote()), or they are data of messages, or are not written.
TOLD = {"Wait": {0, 1}, "Waitall": {1, 2}, "Waitany": {1, 3}, "Waitsome": {1, 3, 4}, "Test": {0, 2}, "Testall": {1, 3}, "Testany": {1, 4},
        "Testsome": {1, 3, 4}, "Dims_create": {2}, "Cart_coords": {3}, "Cart_get": {2, 3, 4}, "Init": {0, 1}, "Init_thread": {0, 1},
        "Start": {0}, "Startall": {1}, "Cancel": {0}, "Type_commit": {0}, "Group_range_incl": {2}, "Group_range_excl": {2},
        "Type_struct": {1, 2, 3}, "Address": {0}, "Probe": {3}, "Iprobe": {4}, "Mprobe": {4}, "Improbe": {5},
        "Type_hindexed": {1, 2}}


def prototypes():
    text = re.sub(r"/\*.*?\*/", "", (ROOT / "trollius_os/lam/include/lam_mpi/mpi.h").read_text(encoding="utf-8"), flags=re.S)
    for name, arguments in re.findall(r"\b(?:int|double|MPI_Aint)\s+MPI_(\w+)\(([^;]*?)\);", text):
        yield name, [] if arguments.strip() == "void" else [argument.strip() for argument in arguments.split(",")]


def pointer(argument):
    """The type behind a pointer, and whether it is constant; none: it is no pointer, or one to any data."""
    constant = "const" in argument
    plain = argument.replace("const", "").strip()
    if plain.endswith("[][3]"):
        return "int[3]", constant
    kind = plain.split()[0].rstrip("*")
    if ("*" in plain or plain.endswith("[]")) and kind != "void" and "_function" not in kind:
        return kind, constant
    return None, constant


def main():
    known = dict(prototypes())
    rows = re.findall(r'\{"(\w+)", "([^"]*)"\}', (ROOT / "instrumentation/flowback_log/src/mpi_calls.cpp").read_text(encoding="utf-8"))
    wrong = []
    for name, accesses in rows:
        if name not in known:
            wrong.append(f"MPI_{name}: mpi.h has no such function")
            continue
        arguments, outputs = known[name], set()
        for sign, number, size, times, condition in re.findall(r"([<>])(\d+):(\$|\d+)(?:\*(\d+))?(?:\?(\d+))?", accesses):
            kind, constant = pointer(arguments[int(number)])
            wanted = 0 if size == "$" else int(size)
            if (kind is None and name == "Buffer_detach" and number == "0") or (name.endswith("ttr_get") or name.endswith("get_attr")) and number == "2":
                kind, wanted = "char", 0  # a pointer
            if kind is None or BYTES[kind] != wanted or (sign == ">" and constant):
                wrong.append(f"MPI_{name}: {sign}{number}:{size} does not fit '{arguments[int(number)]}'")
            if times and not arguments[int(times)].startswith("int "):
                wrong.append(f"MPI_{name}: argument {times} is no number")
            if condition and pointer(arguments[int(condition)])[0] != "int":
                wrong.append(f"MPI_{name}: argument {condition} is no flag")
            if sign == ">":
                outputs.add(int(number))
        for number, argument in enumerate(arguments):
            kind, constant = pointer(argument)
            if kind in BYTES and not constant and number not in outputs and number not in TOLD.get(name, ()):
                wrong.append(f"MPI_{name}: it may write through '{argument}'")
    for line in wrong:
        print(line)
    print(f"{len(rows)} functions, {len(wrong)} mistakes")
    return 1 if wrong or len(rows) < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
