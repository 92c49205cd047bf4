// DebugInfo: functions, lines and variables of a program's file, as its compiler has written them (DWARF 2 to 5, read by
// elfutils' libdw). Addresses are those of the file: a copy of the module lies at LoadedProgram::addresses().load plus them.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rank_debugger {

struct Function {
    std::string name;                   // "relax", "Grid::norm"
    std::uintptr_t begin = 0, end = 0;  // a function may have several such parts
    std::uintptr_t entry = 0;           // of all of it
    Dwarf_Die die{}, unit{};
};
struct Line {
    std::uintptr_t address = 0;
    const char* file = "";  // with its folder
    unsigned line = 0;
    bool begins = false;  // a statement
    bool last = false;    // only the end of the code before
};
struct Variable {
    std::string name;  // "count", "grid::count"
    Dwarf_Die die{}, unit{};
};
struct Inlined {  // a function made part of another one, in one place
    std::string name;
    std::uintptr_t entry = 0;
};
struct Symbol {
    std::string name;
    std::uintptr_t begin = 0, end = 0;
};

class DebugInfo {
public:
    // Throws vocabulary::HostError when the file cannot be read. Cost: one pass over what the compiler has written.
    explicit DebugInfo(const std::string& path);
    ~DebugInfo();
    DebugInfo(const DebugInfo&) = delete;
    DebugInfo& operator=(const DebugInfo&) = delete;

    bool is_there() const { return !functions_.empty() || !variables_.empty(); }
    Dwarf_CFI* frames() const { return frames_; }  // null: it has none
    const Function* function_at(std::uintptr_t address) const;
    const Line* line_at(std::uintptr_t address) const;      // null: none is known
    const Symbol* symbol_at(std::uintptr_t address) const;  // code or data
    const Symbol* symbol(const std::string& name) const;    // of code
    const std::vector<Function>& functions() const { return functions_; }
    const std::vector<Inlined>& inlined() const { return inlined_; }
    const std::vector<Line>& lines() const { return lines_; }
    const std::vector<Variable>& variables() const { return variables_; }  // outside of functions
    // Blocks and functions made part of this one that have the address, the outermost first. The first is the function.
    static std::vector<Dwarf_Die> scopes_at(const Function& function, std::uintptr_t address);

private:
    void take_unit(Dwarf_Die unit);
    void take_children(Dwarf_Die of, Dwarf_Die unit, const std::string& prefix);
    void take_function(Dwarf_Die die, Dwarf_Die unit, const std::string& prefix);
    void take_inlined(Dwarf_Die of);
    void take_lines(Dwarf_Die unit);
    void take_symbols();

    int file_ = -1;
    Elf* elf_ = nullptr;
    Dwarf* dwarf_ = nullptr;
    Dwarf_CFI* frames_ = nullptr;
    std::vector<Function> functions_;  // by address
    std::vector<Inlined> inlined_;     // in the order of the file
    std::vector<Line> lines_;          // by address
    std::vector<Variable> variables_;  // in the order of the file
    std::vector<Symbol> symbols_;      // by address
};

std::string name_of(Dwarf_Die die);  // empty: it has none
std::optional<Dwarf_Die> type_of(Dwarf_Die die);
std::string file_name(const std::string& path);  // without its folder

}  // namespace rank_debugger
