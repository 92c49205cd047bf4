#include "subtask_numbers.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include <topologies/strict_yaml.hpp>

namespace scenario {
namespace {

using farm_spec::FarmSpec;
using vocabulary::NodeId;

bool splits(const FarmSpec& farm, NodeId node) {
    const std::size_t most = std::min<std::size_t>(farm.depth, farm_spec::most_depth);
    return farm.divides() && farm.level(node) < most && !farm.children(node).empty();
}

std::vector<NodeId> takers(const FarmSpec& farm, NodeId node, std::uint32_t branch) {
    std::vector<NodeId> children = farm.children(node);
    if (farm.survives || farm.policy == farm_spec::Policy::WorkStealing) return children;
    return {children[branch % children.size()]};
}

// `rest`: the digits that splits from here on have added.
void follow(const FarmSpec& farm, NodeId node, std::uint32_t rest, std::vector<SubtaskPlace>& places) {
    const bool split = splits(farm, node);
    if (rest == 0) places.push_back({node, split});
    const std::uint32_t branch = rest & 0xfU;
    if (!split || branch >= farm.degree) return;
    for (const NodeId child : takers(farm, node, branch)) follow(farm, child, rest >> 4U, places);
}

void collect(const FarmSpec& farm, NodeId node, std::uint32_t subtask, std::set<std::uint32_t>& numbers) {
    constexpr std::size_t enough = 4096;
    numbers.insert(subtask);
    if (!splits(farm, node) || numbers.size() > enough) return;
    const std::size_t shift = 4 * (farm.level(node) + 1);
    for (std::uint32_t branch = 0; branch < farm.degree; ++branch) {
        for (const NodeId child : takers(farm, node, branch)) collect(farm, child, subtask | (branch << shift), numbers);
    }
}

}  // namespace

std::vector<SubtaskPlace> places_of_subtask(const FarmSpec& farm, std::uint32_t subtask) {
    std::vector<SubtaskPlace> places;
    if ((subtask & 0xfU) != 0) return places;
    for (const NodeId node : farm.children(NodeId(0))) follow(farm, node, subtask >> 4U, places);
    return places;
}

std::string why_no_subtask(const FarmSpec& farm, std::uint32_t subtask, bool tree_known) {
    if (subtask == 0) return {};
    if (!farm.divides()) return "the farm divides no task, so there is only sub-task 0; leave out 'subtask'";
    if (!tree_known || !places_of_subtask(farm, subtask).empty()) return {};
    return fmt::format("sub-task {:04x} cannot occur in this farm; {} can, so write one of these", subtask,
                       subtasks_text(farm));
}

// Bugs and faults know the position of their entry, and not of each of its keys: only a message needs that.
vocabulary::SourcePosition subtask_key(const vocabulary::SourcePosition& entry, const std::string& list) {
    std::error_code failed;
    if (!std::filesystem::is_regular_file(entry.file, failed)) return entry;  // a pipe is read once
    try {
        const topologies::YamlValue root = topologies::YamlValue::read_file(entry.file);
        for (const topologies::YamlValue& one : root.at(list).items()) {
            if (one.where().line != entry.line || one.where().column != entry.column) continue;
            if (one.find("subtask")) return one.where_key("subtask");
            for (const char* step : {"when", "on"}) {
                if (const auto event = one.find(step); event && event->find("subtask")) return event->where_key("subtask");
            }
        }
    } catch (const vocabulary::InputError&) {  // it was written to since it was read
        return entry;
    }
    return entry;
}

std::string subtasks_text(const FarmSpec& farm) {
    constexpr std::size_t most_named = 8;
    std::set<std::uint32_t> numbers;
    for (const NodeId node : farm.children(NodeId(0))) collect(farm, node, 0, numbers);
    std::string text;
    auto number = numbers.begin();
    for (std::size_t i = 0; i < std::min(numbers.size(), most_named); ++i, ++number)
        fmt::format_to(std::back_inserter(text), "{}{:04x}", i == 0 ? "" : ", ", *number);
    if (numbers.size() > most_named) text += fmt::format(" and others up to {:04x}", *numbers.rbegin());
    return text;
}

}  // namespace scenario
