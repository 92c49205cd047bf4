#include "module_output.hpp"

#include <algorithm>
#include <filesystem>

#include <user_programs/elf_symbols.hpp>
#include <user_programs/tools.hpp>

namespace node_programs {

namespace fs = std::filesystem;

bool has_main(const std::string& module) {
    const auto symbols = user_programs::global_symbols(module, user_programs::SymbolTable::Dynamic);
    return std::any_of(symbols.begin(), symbols.end(),
                       [](const user_programs::ElfSymbol& symbol) { return symbol.defined && symbol.name == "main"; });
}

void put_module(const std::string& module, const std::string& output) {
    std::error_code error;
    user_programs::write_content(fs::path(output).replace_extension(".blocks").string(),
                                 user_programs::content_of(module + ".blocks"));
    user_programs::write_content(output, user_programs::content_of(module));
    fs::permissions(output, fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec, fs::perm_options::add,
                    error);
}

user_programs::ModuleParts parts_of_trollius() {
    auto parts = user_programs::find_module_parts("trollius", "node_programs/support", "node_programs/include");
    parts.headers.push_back(parts.headers.front() + "/node_programs");  // so that <trollius.h> is found, too
    return parts;
}

}  // namespace node_programs
