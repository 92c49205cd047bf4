// Random histories of communicating streams for the causal sorter. The edges between their records follow the definition of
// Kimelman and Zernik (1993, section 2.1): one for each pair of a source and a target.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include <tmon_order/collectives.hpp>
#include <tmon_order/communication.hpp>

namespace testing_support {

struct HistoryRecord {
    tmon_order::RecordId id;
    std::int64_t raw_ns = 0;
    std::vector<tmon_order::End> ends;
    std::vector<std::size_t> causes, effects;  // direct, as places in the history; neighbours on the stream, too
};

struct HistoryChoice {
    std::uint32_t seed = 1;
    std::uint32_t most_streams = 12;
    std::uint32_t most_operations = 25;
    bool numbered = true;             // the channels of messages
    std::uint32_t most_together = 1;  // ends of different operations in one record
    bool collectives = true;
};

// The records in an order that agrees with their edges.
struct History {
    std::uint32_t streams = 0;
    std::vector<HistoryRecord> records;
};

History random_history(const HistoryChoice& choice);

}  // namespace testing_support
