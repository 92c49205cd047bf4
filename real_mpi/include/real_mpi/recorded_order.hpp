// The order of deliveries in a real MPI run, with its races, from the files of its ranks.
#pragma once

#include <cstddef>
#include <string>

#include <real_mpi/rank_files.hpp>
#include <tmon_replay/delivery_order.hpp>

namespace real_mpi {

struct RecordedOrder {
    tmon_replay::DeliveryOrder order;  // `end` is empty if the run was killed
    std::size_t messages = 0, receives = 0;
};

// `run`: program and arguments; the rest is set here. `killed`: the run was ended from outside.
//
// If all ranks have ended, a receive of any source is there only if it races. The rule is the exact one of the modelled
// machine, and the clocks are computed from the records (src/stamps.hpp). Else all of them are there: in a replay a rank may
// get farther, and send what had no time to race. Cost: linear in the records, times the ranks.
RecordedOrder order_of(const RankFiles& files, tmon_replay::RunIdentity run, bool killed);

}  // namespace real_mpi
