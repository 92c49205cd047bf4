// Records of deliveries on their way between a run and tmon_replay.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include <lam_mpi/job.hpp>
#include <tmon_replay/delivery_order.hpp>

namespace mpi_runs {

struct Stamping {
    bool changes = false;      // only what has changed of a clock travels
    bool annai = false;        // the rule of Annai's tool; else the exact one
    bool all_sources = false;  // all messages that race with a receive are told
};

// A receive of any source that shall take, or has taken, the message of this rank.
struct Choice {
    std::size_t rank = 0;
    std::int32_t receive = 0;  // counter
    std::int32_t source = 0;
};

// The news of a rank: outcomes, and the counters up to which all is told.
tmon_replay::RankOrder order_of(const lam_mpi::Told& told);
// A complete order forces everything. Of one that was cut off calls behind its end are free.
std::vector<lam_mpi::Script> scripts_of(const tmon_replay::DeliveryOrder& order);

}  // namespace mpi_runs
