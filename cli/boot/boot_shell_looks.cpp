// The commands of `magicwire boot --shell` that look at a node, and change what it holds.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <vocabulary/errors.hpp>

#include "boot/boot_shell.hpp"
#include "boot/numbers.hpp"
#include "shell/shell_line.hpp"

namespace cli {

using vocabulary::RequestError;
using vocabulary::SimTime;

std::string BootShell::data_of(NodeId node, const char* stopped_at) const {
    const t800_core::Registers& r = live_.core(node)->registers();
    nlohmann::ordered_json json{{"node", fmt::format("n{}", node.value())},
                                {"running", r.running},
                                {"iptr", r.iptr},
                                {"wptr", r.wptr},
                                {"priority", r.priority},
                                {"a", r.a},
                                {"b", r.b},
                                {"c", r.c},
                                {"error", r.error},
                                {"halt_on_error", r.halt_on_error}};
    json["ahead_ps"] = live_.ahead(node).in_ps();
    if (*stopped_at != 0) json["stopped_at"] = stopped_at;
    return json.dump();
}

ShellAnswer BootShell::registers(Words& words) {
    const NodeId node = node_of(words);
    at_end_of(words, "registers [NODE]");
    return {.text = where(node) + "\n" + core_registers(core_of(node)), .data = data_of(node, "")};
}

ShellAnswer BootShell::memory(Words& words) {
    const NodeId node = node_of(words);
    if (words.empty()) throw RequestError("expected a place: memory [NODE] PLACE [WORDS]");
    const std::uint32_t address = labels_.address_of(taken(words));
    const std::size_t count = count_of(words, 8, 1U << 20U);
    needs_memory(node, address);
    at_end_of(words, "memory [NODE] PLACE [WORDS]");
    nlohmann::ordered_json json{
        {"node", fmt::format("n{}", node.value())}, {"address", address & ~3U}, {"words", nlohmann::ordered_json::array()}};
    for (std::size_t i = 0; i < count && core_of(node).is_memory((address & ~3U) + static_cast<std::uint32_t>(4 * i), 4); ++i)
        json["words"].push_back(core_of(node).word((address & ~3U) + static_cast<std::uint32_t>(4 * i)));
    return {.text = core_memory(core_of(node), address, count), .data = json.dump()};
}

ShellAnswer BootShell::code(Words& words) {
    const NodeId node = node_of(words);
    const std::size_t count = count_of(words, 8, 100'000);
    const std::uint32_t address = words.empty() ? core_of(node).registers().iptr : labels_.address_of(taken(words));
    at_end_of(words, "code [NODE] [PLACE] [COUNT]");
    needs_memory(node, address);
    return {.text = core_code(core_of(node), labels_, address, count)};
}

ShellAnswer BootShell::set(Words& words) {
    const NodeId node = node_of(words);
    if (words.size() != 2) throw RequestError("expected: set [NODE] A | B | C | PLACE NUMBER");
    t800_core::Core& core = core_of(node);
    const auto number = number_in<std::int64_t>(words[1]);
    if (number && (*number < -2147483648LL || *number > 4294967295LL))
        throw RequestError("'" + words[1] + "' has more than 32 bits");
    const std::uint32_t value = number ? static_cast<std::uint32_t>(*number) : labels_.address_of(words[1]);
    // A change of what lies in the future would come too late for the moment that the user sees.
    if (live_.ahead(node) > SimTime())
        throw RequestError(fmt::format("n{} has run {} ahead of this moment; stop it with 'break' or 'step' first",
                                       node.value(), time_word(live_.ahead(node))));
    t800_core::Registers r = core.registers();
    if (words[0].size() == 1 && !r.running)
        throw RequestError(fmt::format("no process runs on n{}, whose register could be set", node.value()));
    if (words[0] == "A" || words[0] == "B" || words[0] == "C") {
        (words[0] == "A" ? r.a : words[0] == "B" ? r.b : r.c) = value;
        core.set_registers(r);
        return {};
    }
    const std::uint32_t address = labels_.address_of(words[0]);
    needs_memory(node, address);
    core.set_word(address, value);
    return {};
}

ShellAnswer BootShell::processes(Words& words) {
    const NodeId node = node_of(words);
    at_end_of(words, "processes [NODE]");
    const bool runs = live_.state_of(node) == "runs";
    std::string text = runs ? core_processes(core_of(node), labels_) : "";
    for (const boot_runs::Wait& wait : live_.waits()) {
        if (wait.node == node && wait.text.starts_with("process")) text += "  " + wait.text + "\n";
    }
    return {.text = text.empty() ? fmt::format("n{} {}", node.value(), live_.state_of(node))
                                 : fmt::format("n{}\n", node.value()) + text};
}

ShellAnswer BootShell::waits(Words& words) {
    at_end_of(words, "waits");
    std::string text;
    nlohmann::ordered_json json{{"waits", nlohmann::ordered_json::array()}};
    for (const boot_runs::Wait& wait : live_.waits()) {
        text += fmt::format("n{} {}\n", wait.node.value(), wait.text);
        json["waits"].push_back({{"node", fmt::format("n{}", wait.node.value())}, {"text", wait.text}});
    }
    return {.text = text.empty() ? "nobody waits" : text, .data = json.dump()};
}

ShellAnswer BootShell::nodes(Words& words) {
    at_end_of(words, "nodes");
    std::string text;
    for (std::size_t i = 0; i < live_.node_count(); ++i) {
        const NodeId node(static_cast<NodeId::value_type>(i));
        if (live_.core(node) == nullptr) continue;
        text += fmt::format("{:12} instructions  {}\n", core_of(node).totals().instructions, where(node));
    }
    return {.text = text};
}

}  // namespace cli
