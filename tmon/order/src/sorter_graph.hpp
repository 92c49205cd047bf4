// The graph of the causal sorter: its nodes (figure 1 of Kimelman and Zernik 1993), ends that are alone, and the joints of
// collectives. Indices stay valid until release.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <tmon_order/causal_sorter.hpp>

#include "pool.hpp"

namespace tmon_order {

inline constexpr std::uint32_t none = 0xFFFF'FFFF;
inline constexpr std::int64_t no_time = std::numeric_limits<std::int64_t>::min();

// An entry of a list of nodes or joints.
struct Link {
    std::uint32_t what = none, rank = 0, next = none;
};

struct Node {
    RecordId id;
    std::uint64_t last = 0, payload = 0;
    std::int64_t raw_ns = no_time;
    std::int64_t final_ns = no_time;
    std::int64_t need_ns = no_time;  // the latest final time of the predecessors reported so far
    RecordId needed_by;
    Cause source;                  // has_source
    RecordId contradicted_by;      // contradicted
    std::uint64_t step = 0;        // insertion
    std::uint32_t waits = 0;       // predecessors that are not reported
    std::uint32_t awaits = 1;      // successors that have not come
    std::uint32_t next = none;     // the record after it on its stream
    std::uint32_t effects = none;  // list of the targets of its messages that wait for it
    std::uint32_t causes = none;   // list of the sources for which it waits
    std::uint32_t opened = none;   // list of the joints whose source it is
    std::uint32_t awaited = none;  // list of the joints for which it waits
    SortedRecord::Kind kind = SortedRecord::Kind::Record;
    Assumed assumed = Assumed::Nothing;
    StreamEnding ending = StreamEnding::Open;
    bool used = true, queued = false, reported = false, late = false, contradicted = false, has_source = false;
    bool detached = false;  // without a place in its stream
    bool loose = false;     // waits for a source whose record may be made later
};

// An end of a message whose other end has not come. Ends of one key are joined first in, first out.
struct Alone {
    Key key;
    std::uint64_t order = 0;                 // number of the message, else of the record
    std::uint32_t node = none, same = none;  // the next of the same key
    std::uint32_t last_same = none;          // of the first of a key: the last one
    std::uint32_t from = 0, to = 0;
    std::uint32_t channel = none, before = none, after = none;  // its place in a list of the channel
    Role role = Role::Source;
    bool used = false;
};

// The state of a member's end.
enum class EndState : std::uint8_t { Expected, Here, Told, Gone };

// A collective operation, or a cast: its ends meet here.
struct Joint {
    Key key;
    Shape shape = Shape::Cast;
    bool used = false, listed = false, kept = false;
    bool whole = true;                       // no end is gone
    bool may_skip = false;                   // a source that is gone need not be a contradiction
    std::uint32_t sources = 1, targets = 1;  // expected, without those that are gone
    std::uint32_t sources_here = 0, sources_reported = 0, targets_here = 0;
    Assumed assumed = Assumed::Nothing;                         // why a source is missing
    std::optional<Cause> latest, next_latest;                   // of the reported sources; of two streams
    RecordId first_source;                                      // that came
    std::uint32_t source_nodes = none;                          // list of sources that wait for targets
    std::uint32_t waiting = none;                               // list of targets that wait for sources
    std::uint32_t channel = none, before = none, after = none;  // its place among the open ones of the channel
    std::uint64_t order = 0;
    std::shared_ptr<const Group> group;  // of a collective
    std::uint32_t root = 0;
    std::vector<EndState> source_states, target_states;  // of a collective, by rank

    bool complete() const { return sources_reported == sources; }
    // True when a source has nothing more to wait for.
    bool all_targets() const { return shape == Shape::Cast || targets_here == targets; }
};

inline constexpr std::size_t sources_alone = 0, targets_alone = 1;
struct Channel {
    std::array<std::uint32_t, 2> first{none, none}, last{none, none};  // ends that are alone, by order
    std::array<std::size_t, 2> count{0, 0};
    bool forgot = false;                                // sends that were given up for want of room may still be received
    std::uint32_t first_open = none, last_open = none;  // collectives, by order
    // Ends of communications with lower numbers have come or are lost. Collectives: by rank.
    std::uint64_t next_source = 0, next_target = 0;
    std::vector<std::uint64_t> next_sources, next_targets;
};

}  // namespace tmon_order
