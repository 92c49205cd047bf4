// Names in an object file or a module, read with libelf. `nm` would load LLVM's linker plugin each time, which takes 0.1 s.
#pragma once

#include <string>
#include <vector>

namespace user_programs {

struct ElfSymbol {
    std::string name;
    bool defined = false;  // false: it is used here, and is elsewhere
};

enum class SymbolTable { Static, Dynamic };

// The global and weak symbols of the table; empty when the file cannot be read, is no ELF file, or has no such table.
std::vector<ElfSymbol> global_symbols(const std::string& path, SymbolTable table);

}  // namespace user_programs
