#include "places.hpp"

#include <dwarf.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include <vocabulary/nearest_name.hpp>
#include <vocabulary/source_position.hpp>

namespace rank_debugger {

using vocabulary::RequestError;

namespace {

bool is_file(const std::string& path, const std::string& wanted) {
    return path == wanted || path.ends_with("/" + wanted);
}

std::optional<unsigned> number_in(const std::string& text) {
    unsigned number = 0;
    const char* const end = text.data() + text.size();
    const bool is_number =
        !text.empty() && std::from_chars(text.data(), end, number) == std::from_chars_result{end, std::errc()};
    return is_number ? std::optional(number) : std::nullopt;
}

bool is_named(const std::string& name, const std::string& wanted) {
    return name == wanted || name.ends_with("::" + wanted);
}

std::vector<std::string> files_of(const DebugInfo& info) {
    std::set<std::string> files;
    for (const Line& line : info.lines()) files.insert(file_name(line.file));
    return {files.begin(), files.end()};
}

std::string place_text(const DebugInfo& info, std::uintptr_t address) {
    const Function* const function = info.function_at(address);
    const Line* const line = info.line_at(address);
    std::string text = function != nullptr ? function->name + "()" : "?";
    if (function != nullptr) {
        for (Dwarf_Die& scope : DebugInfo::scopes_at(*function, address)) {
            if (dwarf_tag(&scope) == DW_TAG_inlined_subroutine) text = name_of(scope) + "(), part of " + function->name + "(),";
        }
    }
    if (line != nullptr) text += fmt::format(" at {}:{}", file_name(line->file), line->line);
    return text;
}

CodePlace with_addresses(const DebugInfo& info, const std::set<std::uintptr_t>& addresses) {
    CodePlace place{.text = place_text(info, *addresses.begin()), .addresses = {addresses.begin(), addresses.end()}};
    if (addresses.size() > 1)
        place.text += fmt::format(", and {} more place{}", addresses.size() - 1, addresses.size() > 2 ? "s" : "");
    return place;
}

CodePlace line_place(const DebugInfo& info, const std::string& file, unsigned wanted) {
    unsigned best = 0;
    bool knows_file = false;
    for (const Line& line : info.lines()) {
        if (line.last || !is_file(line.file, file)) continue;
        knows_file = true;
        if (line.begins && line.line >= wanted && (best == 0 || line.line < best)) best = line.line;
    }
    if (!knows_file)
        throw RequestError(
            fmt::format("no code comes from a file '{}'{}", file, vocabulary::did_you_mean(file, files_of(info))));
    if (best == 0) throw RequestError(fmt::format("no code comes from line {} of {} or a later one", wanted, file));
    // The first address in each function, and in each place where a function was made part of another one.
    std::map<std::pair<const void*, std::uintptr_t>, std::uintptr_t> first;
    for (const Line& line : info.lines()) {
        if (!line.begins || line.last || line.line != best || !is_file(line.file, file)) continue;
        const Function* const function = info.function_at(line.address);
        if (function == nullptr) continue;
        const void* innermost = function->die.addr;
        for (Dwarf_Die& scope : DebugInfo::scopes_at(*function, line.address)) {
            if (dwarf_tag(&scope) == DW_TAG_inlined_subroutine) innermost = scope.addr;
        }
        const auto [found, is_new] = first.try_emplace({innermost, function->entry}, line.address);
        if (!is_new) found->second = std::min(found->second, line.address);
    }
    std::set<std::uintptr_t> addresses;
    for (const auto& [key, address] : first) {
        const Function* const function = info.function_at(address);
        addresses.insert(address == function->entry ? entry_of(info, *function) : address);
    }
    if (addresses.empty()) throw RequestError(fmt::format("no code comes from line {} of {}", wanted, file));
    CodePlace place = with_addresses(info, addresses);
    if (best != wanted) place.note = fmt::format("line {} has no code; the next one that has some is {}", wanted, best);
    return place;
}

}  // namespace

std::uintptr_t entry_of(const DebugInfo& info, const Function& function) {
    Dwarf_Die die = function.die;
    Dwarf_Addr* addresses = nullptr;
    const int count = dwarf_entry_breakpoints(&die, &addresses);
    std::uintptr_t found = function.entry;
    if (count > 0 && info.function_at(addresses[0]) != nullptr) found = addresses[0];
    if (count > 0) std::free(addresses);  // NOLINT(cppcoreguidelines-no-malloc): as libdw asks for
    return found;
}

CodePlace place_of(const DebugInfo& info, const std::string& words) {
    std::string name = words;
    if (name.ends_with("()")) name.resize(name.size() - 2);
    std::string file;
    if (const std::size_t colon = name.rfind(':'); colon != std::string::npos && colon > 0 && name[colon - 1] != ':') {
        file = name.substr(0, colon);
        name = name.substr(colon + 1);
        if (!info.is_there())
            throw RequestError(
                "the program has no debug information, so its lines are not known; compile it without -g0 and -s");
        if (const auto line = number_in(name)) return line_place(info, file, *line);
    }
    std::set<std::uintptr_t> addresses;
    std::vector<std::string> names;
    for (const Function& function : info.functions()) {
        names.push_back(function.name);
        if (!is_named(function.name, name)) continue;
        const Line* const line = info.line_at(function.entry);
        if (!file.empty() && (line == nullptr || !is_file(line->file, file))) continue;
        addresses.insert(entry_of(info, function));
    }
    for (const Inlined& one : info.inlined()) {
        names.push_back(one.name);
        if (is_named(one.name, name) && file.empty() && info.function_at(one.entry) != nullptr) addresses.insert(one.entry);
    }
    if (!addresses.empty()) return with_addresses(info, addresses);
    if (number_in(words))
        throw RequestError(fmt::format("expected FUNCTION or FILE:LINE, as 'main.c:{0}', and got '{0}'", words));
    const Symbol* const symbol = file.empty() ? info.symbol(name) : nullptr;
    if (symbol != nullptr)
        return {.text = symbol->name + "()", .note = "nothing is known of its lines", .addresses = {symbol->begin}};
    throw RequestError(fmt::format("the program has no function '{}'{}{}", name, file.empty() ? "" : " in " + file,
                                   vocabulary::did_you_mean(name, names)));
}

}  // namespace rank_debugger
