// Sessions that several tests of verdicts begin with.
#pragma once

#include <cstdint>
#include <optional>

#include <gtest/gtest.h>

#include <tmon_detrek/verdict.hpp>
#include "farm_trace.hpp"

namespace testing_support {

using trace_record::LossCause;

inline const farm_spec::FarmSpec dc8{8, farm_spec::TreeKind::Binary, 100, 2, 5};
inline const farm_spec::FarmSpec chain6{6, farm_spec::TreeKind::Chain, 5, 1, 1};

// The first session of section 6.1: task 49 killed nodes 4 to 7.
inline FarmTrace crash_of_49() {
    FarmTrace farm(dc8);
    farm.finish_tasks(0, 48).down(49, 0, 1).split_to_leaves(49, 0, 1).down(50, 0, 1);
    farm.down(51, 0, 1).down(51, 0, 2).down(51, 0x10, 3).sent(52, 0, 1);
    return farm;
}
inline tmon_detrek::Verdict verdict_of(const tmon_streams::Trace& trace, const farm_spec::FarmSpec& spec) {
    return tmon_detrek::analyse(trace, spec).verdict;
}

// 0 has 1 and 2; below 1 are 3 and 4; below 2 is 5.
inline farm_spec::FarmSpec two_below_the_manager(farm_spec::Policy distribution = farm_spec::Policy::FloodFilling) {
    farm_spec::FarmSpec spec{6, farm_spec::TreeKind::Given, 10, 1, 1};
    spec.parents = {std::nullopt,          vocabulary::NodeId(0), vocabulary::NodeId(0),
                    vocabulary::NodeId(1), vocabulary::NodeId(1), vocabulary::NodeId(2)};
    spec.policy = distribution;
    return spec;
}
// All but one task, which is on its way down to a leaf.
inline FarmTrace one_is_left(const farm_spec::FarmSpec& spec, std::uint32_t left, std::uint16_t leaf) {
    FarmTrace farm(spec);
    for (std::uint32_t task = 0; task < spec.tasks; task += spec.granularity) {
        if (task != left) farm.down(task, 0, 2).up(task, 0, 2);
    }
    const std::uint16_t parent = spec.parent(vocabulary::NodeId(leaf))->value();
    return parent == 0 ? farm.down(left, 0, leaf) : farm.down(left, 0, parent).down(left, 0, leaf);
}

// Loses the records first ... last of a node, as the collector would report it.
inline void lose(tmon_streams::Trace& trace, std::uint16_t node, std::size_t first, std::size_t last, LossCause cause) {
    tmon_streams::Stream& stream = trace.streams[node];
    const auto all = stream.parts.at(0);
    ASSERT_LT(last, all.size());
    stream.parts = {all.first(first)};
    if (last + 1 < all.size()) stream.parts.push_back(all.subspan(last + 1));
    stream.losses = {{node, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last), cause}};
}

}  // namespace testing_support
