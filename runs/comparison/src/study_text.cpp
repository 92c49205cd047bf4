#include <set>

#include <fmt/format.h>

#include <comparison/comparison.hpp>

#include "kept_measures.hpp"

namespace comparison {
namespace {

// As a YAML scalar in double quotes.
std::string scalar(const std::string& text) {
    std::string result = "\"";
    for (const char c : text) {
        if (static_cast<unsigned char>(c) < ' ')
            result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
        else
            result += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    }
    return result + "\"";
}

template <class Values, class Text>
std::string list(const Values& values, const Text& text) {
    std::string all;
    for (const auto& value : values) all += (all.empty() ? "" : ", ") + text(value);
    return "[" + all + "]";
}

}  // namespace

std::string study_text(const Wanted& wanted) {
    std::string text =
        fmt::format("{}\nversion: 1\nname: {}\nscenario: {}\n", first_line, scalar(wanted.name), scalar(wanted.scenario));
    std::set<std::uint32_t> sizes;
    for (const Network& network : wanted.networks)
        if (network.nodes > 0) sizes.insert(network.nodes);
    if (!wanted.settings.empty() || sizes.size() == 1) text += "settings:\n";
    for (const auto& [name, value] : wanted.settings) text += fmt::format("  {}: {}\n", scalar(name), scalar(value));
    if (sizes.size() == 1) text += fmt::format("  farm.nodes: {}\n", *sizes.begin());
    text += "axes:\n  machine: " + list(wanted.networks, [](const Network& one) { return scalar(one.machine); }) + "\n";
    if (sizes.size() > 1)
        text += "  farm.nodes: " + list(sizes, [](std::uint32_t size) { return std::to_string(size); }) + "\n";
    if (wanted.seeds > 1) text += fmt::format("  seed: {{from: 1, to: {}}}\n", wanted.seeds);
    if (sizes.size() > 1) {
        text += "exclude:\n";
        for (const Network& network : wanted.networks)
            for (const std::uint32_t size : sizes)
                if (size != network.nodes)
                    text += fmt::format("  - {{machine: {}, farm.nodes: {}}}\n", scalar(network.machine), size);
    }
    text += "measures:\n";
    for (const KeptMeasure& measure : kept_measures()) text += fmt::format("  {}: {}\n", measure.name, measure.path);
    return text;
}

}  // namespace comparison
