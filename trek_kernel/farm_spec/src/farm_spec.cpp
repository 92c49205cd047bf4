#include <farm_spec/farm_spec.hpp>

#include <algorithm>

namespace farm_spec {

const char* distribution_name(Distribution distribution) {
    switch (distribution) {
        case Distribution::FloodFilling:
            return "flood-filling";
        case Distribution::RoundRobin:
            return "round-robin";
        case Distribution::WorkStealing:
            return "work-stealing";
        case Distribution::Priorities:
            return "priorities";
    }
    return "";
}

std::optional<std::uint16_t> FarmSpec::parent(std::uint16_t node) const {
    if (node == 0) return std::nullopt;
    if (topology == TreeShape::Given) return parents[node];
    if (node == 1) return std::uint16_t{0};
    switch (topology) {
        case TreeShape::Chain:
            return static_cast<std::uint16_t>(node - 1);
        case TreeShape::Binary:
            return static_cast<std::uint16_t>(node / 2);
        case TreeShape::Ternary:
            return static_cast<std::uint16_t>((node + 1) / 3);
        case TreeShape::Given:
            break;
    }
    return std::nullopt;
}

std::vector<std::uint16_t> FarmSpec::children(std::uint16_t node) const {
    std::vector<std::uint16_t> result;
    if (topology == TreeShape::Given) {
        for (std::size_t child = 1; child < parents.size(); ++child) {
            if (parents[child] == node) result.push_back(static_cast<std::uint16_t>(child));
        }
        return result;
    }
    std::uint32_t first = 1;
    std::uint32_t count = 1;
    if (node > 0) {
        count = arity();
        if (topology == TreeShape::Chain) first = node + 1u;
        if (topology == TreeShape::Binary) first = 2u * node;
        if (topology == TreeShape::Ternary) first = 3u * node - 1;
    }
    for (std::uint32_t child = first; child < first + count && child < processors; ++child) {
        result.push_back(static_cast<std::uint16_t>(child));
    }
    return result;
}

unsigned FarmSpec::level(std::uint16_t worker) const {
    unsigned result = 0;
    for (auto above = parent(worker); above && *above != 0; above = parent(*above)) ++result;
    return result;
}

bool FarmSpec::may_pass_down(std::uint16_t worker) const {
    if (children(worker).empty()) return false;
    return is_processor_farm() || level(worker) < depth;
}

bool FarmSpec::possible_at(SubTaskId subtask, unsigned level) const {
    if (is_processor_farm()) return subtask == 0;
    if (level > depth) return false;
    SubTaskId rest = subtask;
    for (unsigned digit = 0; digit < 8; ++digit, rest >>= 4) {
        const SubTaskId value = rest & 0xF;
        const bool used = digit >= 1 && digit <= level;
        if (used ? value >= degree : value != 0) return false;
    }
    return true;
}

std::string FarmSpec::task_text(std::uint32_t first) const {
    const std::uint32_t last = std::min(first + granularity, std::max(tasks, first + 1)) - 1;
    return last == first ? std::to_string(first) : std::to_string(first) + "-" + std::to_string(last);
}

FarmTree::FarmTree(const FarmSpec& spec)
    : parents_(spec.processors, nobody),
      first_child_(spec.processors + 1u),
      levels_(spec.processors),
      passes_down_(spec.processors) {
    for (std::uint32_t node = 1; node < spec.processors; ++node) {
        const auto above = spec.parent(static_cast<std::uint16_t>(node));
        if (!above) continue;
        parents_[node] = *above;
        ++first_child_[*above + 1u];
    }
    for (std::size_t node = 0; node < spec.processors; ++node) first_child_[node + 1] += first_child_[node];
    children_.resize(first_child_.back());
    std::vector<std::uint32_t> next(first_child_.begin(), first_child_.end() - 1);
    for (std::uint32_t node = 1; node < spec.processors; ++node) {
        if (parents_[node] != nobody) children_[next[parents_[node]]++] = static_cast<std::uint16_t>(node);
    }
    order_.push_back(0);
    for (std::size_t i = 0; i < order_.size(); ++i) {
        const std::uint16_t node = order_[i];
        for (const std::uint16_t child : children(node)) {
            levels_[child] = node == 0 ? 0 : levels_[node] + 1;
            order_.push_back(child);
        }
        const bool splits_on = spec.is_processor_farm() || levels_[node] < spec.depth;
        passes_down_[node] = !children(node).empty() && splits_on;
    }
}

}  // namespace farm_spec
