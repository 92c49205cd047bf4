// The sort of a stored trace: by cause, by time, or as it arrived, with the figures of the sort on the fly.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <tmon_order/trace_sorter.hpp>

namespace tmon_sorted {

enum class SortBy : std::uint8_t {
    Cause,    // one order for all arrivals: tmon_order/causal_merge.hpp
    Time,     // least raw time first: tmon_streams/trace_merge.hpp
    Arrival,  // as the blocks stand in the file
};

struct SortOptions {
    std::string trace{};  // file, finished or not
    SortBy by = SortBy::Cause;
    bool adjust = true;  // raw times on the common clock, when interrupts tie the clocks
    std::int64_t least_latency_ns = 0;
    // By cause: final times by tmon_clocks/controlled_clock.hpp, in place of the drift of each node.
    bool amortise = false;
    // By cause: each record with its vector time. Memory: that of tmon_order/order_stamps.hpp.
    bool stamps = false;
    // For the sort on the fly. A trace does not say when its blocks came, so the newest record's time is the clock.
    tmon_order::Patience patience{};
    // Called from time to time with the records of all passes so far and their total; false: stop there.
    std::function<bool(std::uint64_t done, std::uint64_t of)> progress{};
};

// One record that had to go before its cause.
struct Contradiction {
    tmon_order::RecordId event;
    std::optional<tmon_order::RecordId> other{};  // the cause; empty: it never began
};

struct StreamFigures {
    tmon_order::StreamEnding ending = tmon_order::StreamEnding::Open;
    std::uint64_t records = 0, lost = 0;
    std::int64_t drift_ns = 0;                        // at its end
    std::optional<tmon_order::RecordId> forced_by{};  // the record that made it so
};

// The controlled clock: how often it jumped, and how far final times are from raw ones.
struct SpreadFigures {
    std::uint64_t jumps = 0;
    std::int64_t most_ns = 0, mean_ns = 0;
};

struct SortResult {
    std::string trace{}, status{}, clock{};  // file, its end, name of the raw times' clock
    SortBy by = SortBy::Cause;
    std::uint64_t records = 0, lost = 0, losses = 0, left_out = 0;
    tmon_order::SorterCounts sorter{};                  // of the sort on the fly
    std::uint64_t receives_alone = 0, sends_alone = 0;  // whose other end is known not to come
    std::uint64_t contradicting = 0;
    std::vector<std::uint64_t> assumed{};         // by Assumed
    std::uint64_t messages = 0, backwards = 0;    // joined; received before they are sent, in the order given
    std::uint64_t backwards_at_arrival = 0;       // in the order of the file
    std::vector<Contradiction> contradictions{};  // the first hundred
    std::vector<StreamFigures> streams{};
    std::optional<SpreadFigures> spread{};                // of the controlled clock
    std::vector<tmon_order::StreamStanding> standings{};  // by node, after the last record
    // The sort on the fly: records that it released on the user's word; those whose place or receive was given away before.
    std::uint64_t given_up = 0, late = 0;
    bool interrupted = false;
};

// Gives the items of the trace in their order. By time and arrival they carry no cause and no final time of their own: both
// times are raw. Throws vocabulary::InputError when there is no trace. Cost: three passes over the records; memory
// as causal_merge.hpp. `amortise` costs another pass, and the memory of controlled_clock.hpp.
SortResult sort_trace(const SortOptions& options, tmon_order::SortedItems& items);

// At most 128 columns a line; ends with a new line.
std::string sort_text(const SortResult& result);
// {"schema": "magicwire.sort/1", ...}
nlohmann::ordered_json sort_json(const SortResult& result);

}  // namespace tmon_sorted
