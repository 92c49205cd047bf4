// The graph of the causal sorter: its nodes (figure 1 of Kimelman and Zernik 1993), ends that are alone, and the joints of
// collectives. Indices stay valid until release.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <tmon_order/causal_sorter.hpp>

#include "member_progress.hpp"
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
    std::uint32_t shared = none;   // causes that it has in common with other targets
    std::uint32_t more = none;     // list of its other causes, where `source` is not all
    SortedRecord::Kind kind = SortedRecord::Kind::Record;
    Assumed assumed = Assumed::Nothing;
    StreamEnding ending = StreamEnding::Open;
    bool used = true, queued = false, reported = false, late = false, contradicted = false, has_source = false;
    bool detached = false;  // without a place in its stream
    bool loose = false;     // waits for a source whose record may be made later
};

// Causes of all targets of one joint.
struct SharedCauses {
    std::vector<Cause> list;
    std::uint64_t number = 0;
    std::uint32_t users = 1;
};

// A cause of one record that has several.
struct FurtherCause {
    Cause cause;
    std::uint32_t next = none;
};

// An end of a message whose other end has not come. Ends of one key are joined first in, first out.
struct Alone {
    Key key;
    std::uint64_t order = 0;                 // number of the message, else of the record
    std::uint32_t node = none, same = none;  // the next of the same key
    std::uint32_t last_same = none;          // of the first of a key: the last one
    std::uint32_t from = 0, to = 0;
    std::uint32_t channel = none, before = none, after = none;  // its place in a list of the channel
    std::uint32_t stream_before = none, stream_after = none;    // in the list of the stream whose end is missing
    Role role = Role::Source;
    bool used = false;
};

// The ends of one role at a joint. Each member that takes part has come, or may still come, or is known not to come.
struct JointSide {
    std::uint32_t here = 0;            // that have come
    bool decided = false;              // no further one may come
    bool irregular = false;            // some came out of order, so that the members' progress does not show them
    std::vector<std::uint32_t> ranks;  // of those that have come, in their order; not of a cast
    std::vector<bool> is_here;         // by rank, once it is irregular
};

// A collective operation, or a cast: its ends meet here.
struct Joint {
    Key key;
    Shape shape = Shape::Cast;
    bool used = false, kept = false;
    bool whole = true;               // no end is missing
    bool may_skip = false;           // a source that is missing need not be a contradiction
    bool given_up = false;           // by the user
    std::array<JointSide, 2> sides;  // by role
    std::uint32_t sources_reported = 0;
    Assumed assumed = Assumed::Nothing;               // why a source is missing
    std::uint32_t missing = 0, first_missing = none;  // sources, and the first one's rank
    std::uint32_t known_sources = none;               // so many come, by a former sort
    std::uint32_t last_target = none;                 // rank of the only target that may still come
    std::optional<Cause> latest, next_latest;         // of the reported sources; of two streams
    std::uint32_t causes = none;                      // the reported sources, where there are several
    RecordId first_source;                            // that came
    std::uint32_t source_nodes = none;                // list of sources that wait for targets
    std::uint32_t waiting = none;                     // list of targets that wait for sources
    std::uint32_t channel = none;
    std::uint64_t order = 0;
    std::uint64_t serial = 0;  // of all joints
    std::uint32_t root = 0;

    JointSide& side(Role role) { return sides[static_cast<std::size_t>(role)]; }
    const JointSide& side(Role role) const { return sides[static_cast<std::size_t>(role)]; }
    bool complete() const { return side(Role::Source).decided && sources_reported == side(Role::Source).here; }
    // True when a source has nothing more to wait for.
    bool all_targets() const { return shape == Shape::Cast || side(Role::Target).decided; }
};

// A joint that can be decided when the members have passed its order.
struct JointWait {
    std::uint64_t order, serial;
    std::uint32_t joint;
    friend bool operator<(const JointWait& a, const JointWait& b) {  // the least order is on top of a heap
        return a.order != b.order ? a.order > b.order : a.serial > b.serial;
    }
};
using JointWaits = std::vector<JointWait>;

// The members of a channel's group in one role.
struct MemberSide {
    explicit MemberSide(std::uint32_t members) : progress(members), newest(members, 0) {}

    MemberProgress progress;
    std::vector<std::uint64_t> newest;  // one more than the greatest number that has come, by rank
    // Joints that look again when all members have passed them, or all but one, or the root.
    JointWaits all, all_but_one;
    std::map<std::uint32_t, JointWaits> of_root;
};

struct Members {
    explicit Members(std::shared_ptr<const Group> of)
        : group(std::move(of)),
          size(static_cast<std::uint32_t>(group->size())),
          sides{MemberSide(size), MemberSide(size)},
          passed(size) {}

    MemberSide& side(Role role) { return sides[static_cast<std::size_t>(role)]; }

    struct Passed {
        std::uint64_t all = 0;     // sources below have come or are missing
        std::uint64_t surely = 0;  // likewise, and the stream had lost nothing
    };
    std::shared_ptr<const Group> group;
    std::uint32_t size;
    std::array<MemberSide, 2> sides;
    std::vector<Passed> passed;        // by rank, without the end of the stream
    std::vector<JointWait> irregular;  // joints with ends that came out of order
};

inline constexpr std::size_t sources_alone = 0, targets_alone = 1;
struct Channel {
    std::array<std::uint32_t, 2> first{none, none}, last{none, none};  // ends that are alone, by order
    std::array<std::size_t, 2> count{0, 0};
    bool forgot = false;  // sends that were given up for want of room may still be received
    // Ends of messages with lower numbers have come or are lost.
    std::uint64_t next_source = 0, next_target = 0;
    std::unique_ptr<Members> members;  // of collectives
};

}  // namespace tmon_order
