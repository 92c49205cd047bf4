// A check of a block: can its records stand where the block says? Shared by the readers of trace files and the collector.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include <trace_record/event.hpp>

namespace trace_record {

// They carry the numbers first_seq, first_seq + 1, ..., and no time that no clock shows. False without a record. Cost: linear.
inline bool is_placed(std::uint32_t first_seq, std::span<const Event> records) {
    std::uint64_t seq = first_seq;
    const auto fits = [&seq](const Event& record) { return record.seq == seq++ && record.time_us <= most_time_us; };
    return !records.empty() && std::all_of(records.begin(), records.end(), fits);
}

}  // namespace trace_record
