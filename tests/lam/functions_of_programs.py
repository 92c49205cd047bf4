#!/usr/bin/env python3
"""Each function that mpi.h declares is called by a program of the folder. Lists those that none calls, and ends with 1 then."""
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
HEADER = HERE.parents[1] / "trollius_os/lam/include/lam_mpi/mpi.h"
FUNCTIONS = 219


def main():
    header = re.sub(r"/\*.*?\*/", "", HEADER.read_text(encoding="utf-8"), flags=re.S)
    names = sorted(set(re.findall(r"\bMPI_(\w+)\(", header)) & set(re.findall(r"\bPMPI_(\w+)\(", header)))
    programs = "".join(file.read_text(encoding="utf-8") for file in sorted((HERE / "programs").glob("*.[ch]")))
    missing = [name for name in names if not re.search(rf"\bMPI_{name}\s*\(", programs)]
    if len(names) < FUNCTIONS:
        print(f"mpi.h declares {len(names)} functions with both names, not {FUNCTIONS}")
        return 1
    print(f"no program calls: {' '.join(missing)}" if missing else f"{len(names)} functions are called")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
