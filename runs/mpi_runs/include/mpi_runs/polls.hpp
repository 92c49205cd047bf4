// Polls: calls that do not wait for one message, so time decides what they find. They are counted, and not compared with
// messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <tmon_replay/delivery_order.hpp>

namespace mpi_runs {

struct Poll {
    std::size_t rank = 0;
    tmon_replay::CallKind kind = tmon_replay::CallKind::Iprobe;
    std::int32_t found = 0, calls = 0;  // calls that found something; all
    // Some have found nothing, or chose among several requests: in another time others could. False: it is unknown.
    bool likely = false;
};
// Each kind of such calls that a rank has made, by rank and kind. Linear in the outcomes.
std::vector<Poll> polls_of(const std::vector<tmon_replay::RankOrder>& ranks);
const char* function_of(tmon_replay::CallKind kind);  // "MPI_Iprobe()"; of kinds with several, the first
// "rank 0: 2 of 991 calls of MPI_Iprobe() succeeded; likely others could have"
std::string text_of(const Poll& poll);

}  // namespace mpi_runs
