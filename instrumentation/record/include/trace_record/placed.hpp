// A check of a block: its records must fit the block's position. The readers of trace files and the collector share it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include <trace_record/event.hpp>

namespace trace_record {

// True when the records have the numbers first_seq, first_seq + 1, ... and no impossible time. False without a record. Cost:
// linear.
inline bool is_placed(std::uint32_t first_seq, std::span<const Event> records) {
    std::uint64_t seq = first_seq;
    const auto fits = [&seq](const Event& record) { return record.seq == seq++ && record.time_us <= most_time_us; };
    return !records.empty() && std::all_of(records.begin(), records.end(), fits);
}

}  // namespace trace_record
