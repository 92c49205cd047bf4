#include "mwo_text.hpp"

#include <fmt/format.h>

namespace tmon_replay {
namespace {

std::string list_of(const std::vector<std::int32_t>& numbers) {
    return fmt::format("{}", fmt::join(numbers, ","));
}

bool has_index(CallKind kind) {
    return kind == CallKind::Testany || kind == CallKind::Testsome || kind == CallKind::Waitany || kind == CallKind::Waitsome;
}

}  // namespace

std::string quoted(const std::string& text) {
    std::string result = "\"";
    for (const char letter : text) {
        const auto code = static_cast<unsigned char>(letter);
        if (letter == '"' || letter == '\\') {
            result += '\\';
            result += letter;
        } else if (code < 0x20 || code == 0x7f) {
            result += fmt::format("\\x{:02x}", code);
        } else {
            result += letter;
        }
    }
    return result + '"';
}

std::string header_text(const RunIdentity& run) {
    std::string text =
        fmt::format("magicwire-order 1\nprogram {:016x} {}\nnp {}\n", run.program_hash, quoted(run.program), run.ranks);
    for (const std::string& argument : run.arguments) text += "argument " + quoted(argument) + '\n';
    text += fmt::format("rule {}\nstamps {}\nsources {}\nmachine {}\nmap {}\nseed {}\n", run.rule, run.stamps,
                        run.all_sources ? "all" : "first", quoted(run.machine), run.map, run.seed);
    for (const std::string& setting : run.settings) text += "set " + quoted(setting) + '\n';
    if (!run.buffers) text += "buffering off\n";
    if (!run.checks) text += "checks off\n";
    for (const std::string& what : run.unseen) text += "unseen " + quoted(what) + '\n';
    return text + "begin\n";
}

std::string outcome_text(std::size_t rank, const CallOutcome& its) {
    std::string text = fmt::format("r{} {} {}", rank, call_names[static_cast<std::size_t>(its.kind)], its.first);
    if (its.last != its.first) text += fmt::format("..{}", its.last);
    if (its.kind == CallKind::Receive || its.kind == CallKind::Iprobe)
        text += its.cancelled ? " from none" : fmt::format(" from {}", its.source);
    if (!its.others.empty()) text += " or " + list_of(its.others);
    if (its.maybe) text += " maybe";
    if (has_index(its.kind)) text += fmt::format(" index {}", its.source);
    return text + '\n';
}

std::string clock_text(std::size_t rank, const std::vector<std::int32_t>& clock) {
    return fmt::format("r{} {} {}\n", rank, clock_word, fmt::join(clock, " "));
}

std::string counters_text(std::size_t rank, const char* word, const Counters& counters) {
    std::string text = fmt::format("r{} {}", rank, word);
    for (std::size_t kind = 0; kind < call_kinds; ++kind) {
        if (counters[kind] > 0) text += fmt::format(" {} {}", call_names[kind], counters[kind]);
    }
    return text + '\n';
}

}  // namespace tmon_replay
