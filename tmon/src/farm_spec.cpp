#include "tmon/farm_spec.hpp"

namespace tmon {

std::optional<std::uint16_t> FarmSpec::parent(std::uint16_t node) const {
    if (node == 0) return std::nullopt;
    if (node == 1) return std::uint16_t{0};
    switch (topology) {
        case TreeShape::Chain:
            return static_cast<std::uint16_t>(node - 1);
        case TreeShape::Binary:
            return static_cast<std::uint16_t>(node / 2);
        case TreeShape::Ternary:
            return static_cast<std::uint16_t>((node + 1) / 3);
    }
    return std::nullopt;
}

std::vector<std::uint16_t> FarmSpec::children(std::uint16_t node) const {
    std::uint32_t first = 1;
    std::uint32_t count = 1;
    if (node > 0) {
        count = arity();
        if (topology == TreeShape::Chain) first = node + 1u;
        if (topology == TreeShape::Binary) first = 2u * node;
        if (topology == TreeShape::Ternary) first = 3u * node - 1;
    }
    std::vector<std::uint16_t> result;
    for (std::uint32_t child = first; child < first + count && child < processors; ++child) {
        result.push_back(static_cast<std::uint16_t>(child));
    }
    return result;
}

unsigned FarmSpec::level(std::uint16_t worker) const {
    unsigned result = 0;
    for (std::uint16_t node = worker; node > 1; node = *parent(node)) ++result;
    return result;
}

bool FarmSpec::may_pass_down(std::uint16_t worker) const {
    if (children(worker).empty()) return false;
    return is_processor_farm() || level(worker) < depth;
}

bool FarmSpec::possible(SubTaskId subtask, std::uint16_t worker) const {
    if (is_processor_farm()) return subtask == 0;
    const unsigned splits = level(worker);
    if (splits > depth) return false;
    SubTaskId rest = subtask;
    for (unsigned digit = 0; digit < 8; ++digit, rest >>= 4) {
        const SubTaskId value = rest & 0xF;
        const bool used = digit >= 1 && digit <= splits;
        if (used ? value >= degree : value != 0) return false;
    }
    return true;
}

}  // namespace tmon
