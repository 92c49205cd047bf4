"""Builds many small MPI programs as one, since the compiler and the linker take most of the time of a short test.

The joined program includes each source as it is. Its first argument says whose main() runs, and is taken away. What the sources
define outside functions gets a suffix, so that names may repeat. Files and lines of findings stay those of the sources.
"""
import re
import subprocess

# Definitions begin in the first column: variables and functions, then structures, and the constants of an enumeration.
DEFINED = re.compile(r"^(?!typedef|struct \w+ \{|enum|return|#|\}|/|\s)[\w\s*]*?\b(\w+)\s*(?:\(|=|;|\[|,)", re.M)
TYPED = re.compile(r"^(?:typedef\s.*?(\w+);|typedef [^;]*\}\s*(\w+);|struct (\w+) \{)", re.M)
ENUMERATED = re.compile(r"^(?:static )?enum[^{;]*\{([^}]*)\}", re.M)
MACRO = re.compile(r"^#\s*define (\w+)", re.M)
SYSTEM = re.compile(r"^#\s*include (<[^>]+>)", re.M)
OWN = re.compile(r'^#\s*include "([^"]+)"', re.M)
KEYWORDS = {"main", "static", "const", "int", "void", "double", "char", "unsigned", "long", "float", "sizeof", "if", "for", "while",
            "switch"}


def text_with_headers(source):
    text = source.read_text(encoding="utf-8")
    return text + "".join(text_with_headers(source.parent / name) for name in OWN.findall(text))


def names_of(text):
    names = set(DEFINED.findall(text)) | {name for row in TYPED.findall(text) for name in row if name}
    for inner in ENUMERATED.findall(text):
        names |= {part.split("=")[0].strip() for part in re.sub(r"/\*.*?\*/", "", inner, flags=re.S).split(",")}
    # One declaration may name several variables.
    for line in re.findall(r"^static [^(){}=]*;", text, re.M):
        names |= set(re.findall(r"\b(\w+)\s*(?:\[[^\]]*\])*\s*[,;]", line))
    for line in re.findall(r"^static [^(){}]*=[^(){}]*;", text, re.M):
        names |= set(re.findall(r"\b(\w+)\s*(?:\[[^\]]*\])*\s*[,;=]", line))
    return {name for name in names if name and not name[0].isdigit()} - KEYWORDS


def joined_text(sources):
    texts = [text_with_headers(source) for source in sources]
    headers = sorted({header for text in texts for header in SYSTEM.findall(text)} | {"<stdlib.h>"})
    lines = ["#define _GNU_SOURCE 1", *(f"#include {header}" for header in headers)]
    for number, (source, text) in enumerate(zip(sources, texts)):
        macros = set(MACRO.findall(text))
        names = sorted(names_of(text) - macros) + ["main"]
        lines += [f"#define {name} {name}_{number}" for name in names]
        lines.append(f'#include "{source}"')
        lines += [f"#undef {name}" for name in names + sorted(macros)]
    lines.append("int main(int argc, char** argv) {\n    const int which = atoi(argv[1]);\n    argv[1] = argv[0];\n    switch (which) {")
    lines += [f"        case {number}: return main_{number}(argc - 1, argv + 1);" for number in range(len(sources))]
    return "\n".join([*lines, "    }", "    return 99;", "}", ""])


def build(magicwire, sources, words, folder, apart=False):
    """The words that run each source: of the joined program, or of one of its own where that cannot be built."""
    joined = folder / "joined.c"
    joined.write_text(joined_text(sources), encoding="utf-8")
    # addr2line of binutils 2.40 takes the first file that is included for the whole, with DWARF 5.
    command = [magicwire, "mpicc", "-w", "-gdwarf-4", *words, "-o", folder / "joined", joined, "-lm"]
    if len(sources) > 1 and not apart and subprocess.run(command, capture_output=True).returncode == 0:
        return {source: [folder / "joined", str(number)] for number, source in enumerate(sources)}
    programs = {}
    for source in sources:
        program = folder / source.stem
        built = subprocess.run([magicwire, "mpicc", "-w", *words, "-o", program, source, "-lm"], capture_output=True, text=True)
        programs[source] = [program] if built.returncode == 0 else None
        if built.returncode != 0:
            print(f"{source.name}: not built: {built.stderr}")
    return programs
