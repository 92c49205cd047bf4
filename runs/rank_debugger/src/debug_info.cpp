#include "debug_info.hpp"

#include <cxxabi.h>
#include <dwarf.h>
#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include <vocabulary/errors.hpp>

namespace rank_debugger {
namespace {

// "Grid::norm(double) const" without its arguments; empty: it is no name of C++.
std::string demangled(const char* linkage_name) {
    int status = -1;
    char* const text = abi::__cxa_demangle(linkage_name, nullptr, nullptr, &status);
    std::string name = status == 0 && text != nullptr ? text : "";
    std::free(text);  // NOLINT(cppcoreguidelines-no-malloc): of the C++ library
    int depth = 0;
    for (std::size_t i = 0; i < name.size(); ++i) {
        if (name[i] == '<') ++depth;
        if (name[i] == '>') --depth;
        if (name[i] == '(' && depth == 0 && name.compare(i, 11, "(anonymous ") != 0) {
            name.resize(i);
            break;
        }
    }
    return name;
}

template <class Part>
const Part* part_at(const std::vector<Part>& parts, std::uintptr_t address) {
    const auto next = std::upper_bound(parts.begin(), parts.end(), address,
                                       [](std::uintptr_t at, const Part& part) { return at < part.begin; });
    if (next == parts.begin()) return nullptr;
    const Part& found = *std::prev(next);
    return address < found.end ? &found : nullptr;
}

}  // namespace

std::string name_of(Dwarf_Die die) {
    const char* const name = dwarf_diename(&die);
    return name == nullptr ? "" : name;
}

std::optional<Dwarf_Die> type_of(Dwarf_Die die) {
    Dwarf_Attribute attribute;
    Dwarf_Die type;
    if (dwarf_attr_integrate(&die, DW_AT_type, &attribute) == nullptr) return std::nullopt;
    if (dwarf_formref_die(&attribute, &type) == nullptr) return std::nullopt;
    return type;
}

std::string file_name(const std::string& path) {
    return path.substr(path.rfind('/') + 1);
}

DebugInfo::DebugInfo(const std::string& path) : file_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    elf_version(EV_CURRENT);
    if (file_ >= 0) elf_ = elf_begin(file_, ELF_C_READ, nullptr);
    if (elf_ == nullptr) {
        if (file_ >= 0) close(file_);
        throw vocabulary::HostError("the file of the program cannot be read again: " + path);
    }
    frames_ = dwarf_getcfi_elf(elf_);
    take_symbols();
    dwarf_ = dwarf_begin_elf(elf_, DWARF_C_READ, nullptr);
    if (dwarf_ == nullptr) return;
    Dwarf_CU* unit = nullptr;
    Dwarf_Die die;
    while (dwarf_get_units(dwarf_, unit, &unit, nullptr, nullptr, &die, nullptr) == 0) {
        if (dwarf_tag(&die) == DW_TAG_compile_unit) take_unit(die);
    }
    const auto by_begin = [](const auto& a, const auto& b) { return a.begin < b.begin; };
    std::stable_sort(functions_.begin(), functions_.end(), by_begin);
    // Code that the linker has left out lies at 0.
    std::erase_if(lines_, [this](const Line& line) { return !line.last && function_at(line.address) == nullptr; });
    std::stable_sort(lines_.begin(), lines_.end(), [](const Line& a, const Line& b) {
        return a.address != b.address ? a.address < b.address : a.last && !b.last;
    });
}

DebugInfo::~DebugInfo() {
    if (dwarf_ != nullptr) dwarf_end(dwarf_);
    if (frames_ != nullptr) dwarf_cfi_end(frames_);
    elf_end(elf_);
    close(file_);
}

void DebugInfo::take_unit(Dwarf_Die unit) {
    take_children(unit, unit, "");
    take_lines(unit);
}

void DebugInfo::take_children(Dwarf_Die of, Dwarf_Die unit, const std::string& prefix) {
    Dwarf_Die die;
    if (dwarf_child(&of, &die) != 0) return;
    do {
        const int tag = dwarf_tag(&die);
        if (tag == DW_TAG_subprogram) take_function(die, unit, prefix);
        if (tag == DW_TAG_namespace) {
            const std::string name = name_of(die);
            take_children(die, unit, name.empty() ? prefix : prefix + name + "::");
        }
        if (tag != DW_TAG_variable) continue;
        const std::string name = name_of(die);
        const bool is_here =
            dwarf_hasattr_integrate(&die, DW_AT_location) != 0 || dwarf_hasattr_integrate(&die, DW_AT_const_value) != 0;
        if (!name.empty() && is_here) variables_.push_back({prefix + name, die, unit});
    } while (dwarf_siblingof(&die, &die) == 0);
}

void DebugInfo::take_function(Dwarf_Die die, Dwarf_Die unit, const std::string& prefix) {
    std::string name = prefix + name_of(die);
    Dwarf_Attribute attribute;
    if (dwarf_attr_integrate(&die, DW_AT_linkage_name, &attribute) != nullptr) {
        const char* const linkage = dwarf_formstring(&attribute);
        const std::string full = linkage == nullptr ? "" : demangled(linkage);
        if (!full.empty()) name = full;
    }
    Dwarf_Addr base = 0, begin = 0, end = 0, entry = 0;
    bool first = true;
    take_inlined(die);
    for (std::ptrdiff_t at = 0; (at = dwarf_ranges(&die, at, &base, &begin, &end)) > 0;) {
        if (first) entry = begin;
        first = false;
        if (begin != 0 && begin < end) functions_.push_back({name, begin, end, entry, die, unit});
    }
}

void DebugInfo::take_inlined(Dwarf_Die of) {
    Dwarf_Die die;
    if (dwarf_child(&of, &die) != 0) return;
    do {
        const int tag = dwarf_tag(&die);
        if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_lexical_block) continue;
        Dwarf_Addr entry = 0, base = 0, end = 0;
        if (tag == DW_TAG_inlined_subroutine &&
            (dwarf_entrypc(&die, &entry) == 0 || dwarf_ranges(&die, 0, &base, &entry, &end) > 0) && entry != 0)
            inlined_.push_back({name_of(die), entry});
        take_inlined(die);
    } while (dwarf_siblingof(&die, &die) == 0);
}

void DebugInfo::take_lines(Dwarf_Die unit) {
    Dwarf_Lines* all = nullptr;
    std::size_t count = 0;
    if (dwarf_getsrclines(&unit, &all, &count) != 0) return;
    for (std::size_t i = 0; i < count; ++i) {
        Dwarf_Line* const from = dwarf_onesrcline(all, i);
        Dwarf_Addr address = 0;
        int line = 0;
        Line made;
        if (dwarf_lineaddr(from, &address) != 0 || address == 0 || dwarf_lineno(from, &line) != 0) continue;
        dwarf_linebeginstatement(from, &made.begins);
        dwarf_lineendsequence(from, &made.last);
        const char* const file = dwarf_linesrc(from, nullptr, nullptr);
        made.address = address;
        made.file = file == nullptr ? "" : file;
        made.line = static_cast<unsigned>(line);
        lines_.push_back(made);
    }
}

void DebugInfo::take_symbols() {
    for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf_, section)) != nullptr;) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) == nullptr || header.sh_type != SHT_SYMTAB || header.sh_entsize == 0) continue;
        Elf_Data* const data = elf_getdata(section, nullptr);
        for (std::size_t i = 0; data != nullptr && i < header.sh_size / header.sh_entsize; ++i) {
            GElf_Sym symbol;
            if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr || symbol.st_shndx == SHN_UNDEF ||
                symbol.st_size == 0)
                continue;
            const auto type = GELF_ST_TYPE(symbol.st_info);
            const char* const name = elf_strptr(elf_, header.sh_link, symbol.st_name);
            if ((type == STT_FUNC || type == STT_OBJECT) && name != nullptr)
                symbols_.push_back({name, symbol.st_value, symbol.st_value + symbol.st_size});
        }
    }
    std::stable_sort(symbols_.begin(), symbols_.end(), [](const Symbol& a, const Symbol& b) {
        return a.begin != b.begin ? a.begin < b.begin : a.name > b.name;  // of two names the first in the alphabet is found
    });
}

const Function* DebugInfo::function_at(std::uintptr_t address) const {
    return part_at(functions_, address);
}

const Symbol* DebugInfo::symbol_at(std::uintptr_t address) const {
    return part_at(symbols_, address);
}

const Symbol* DebugInfo::symbol(const std::string& name) const {
    const auto found = std::find_if(symbols_.begin(), symbols_.end(), [&](const Symbol& one) { return one.name == name; });
    return found == symbols_.end() ? nullptr : &*found;
}

const Line* DebugInfo::line_at(std::uintptr_t address) const {
    auto next = std::upper_bound(lines_.begin(), lines_.end(), address,
                                 [](std::uintptr_t at, const Line& line) { return at < line.address; });
    if (next == lines_.begin()) return nullptr;
    // The last of several at one address counts.
    const Line& found = *std::prev(next);
    return found.last || found.line == 0 ? nullptr : &found;
}

std::vector<Dwarf_Die> DebugInfo::scopes_at(const Function& function, std::uintptr_t address) {
    std::vector<Dwarf_Die> scopes{function.die};
    for (bool deeper = true; deeper;) {
        deeper = false;
        Dwarf_Die die;
        if (dwarf_child(&scopes.back(), &die) != 0) break;
        do {
            const int tag = dwarf_tag(&die);
            const bool is_scope = tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine || tag == DW_TAG_try_block ||
                                  tag == DW_TAG_catch_block;
            if (!is_scope || dwarf_haspc(&die, address) <= 0) continue;
            scopes.push_back(die);
            deeper = true;
            break;
        } while (dwarf_siblingof(&die, &die) == 0);
    }
    return scopes;
}

}  // namespace rank_debugger
