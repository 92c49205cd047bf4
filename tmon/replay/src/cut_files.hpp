// Files of runs that were cut off: each rank told what it knew from time to time, and the last times do not fit together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <tmon_replay/delivery_order.hpp>

namespace tmon_replay {

// A rank told everything up to here.
struct Told {
    std::size_t outcomes = 0;  // so many
    Counters known{};
    std::vector<std::int32_t> clock{};  // empty: it depends on nobody
};

// Takes back what ranks told last, until nothing that is left depends on something that is not. An event after the n-th time of
// a rank has a greater own entry in its clock than that time.
void keep_what_holds(DeliveryOrder& order, const std::vector<std::vector<Told>>& told);

}  // namespace tmon_replay
