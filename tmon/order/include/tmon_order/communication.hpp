// Communications: which records follow from which on other streams (Kimelman and Zernik 1993, section 2.1). A record is an end
// of a communication. A source, such as the beginning of a send, precedes each target, such as the end of a receive.
//
// The collective operations of section 2.1 are ends of the same shapes. In a multicast the beginning at the root precedes the
// end at each other member. In a combine or concatenate the beginning at each other member precedes the end at the receiver. In
// a prefix or shift the beginning at a member precedes the end at the next one: a message for each pair. In an exchange each
// partner's beginning precedes the other's end: two messages. In a barrier or all-to-all each beginning precedes each end.
// A barrier has one joint, with two edges a member, in place of the edges between all pairs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace tmon_order {

// A record: its stream, and its number in the stream from 0 without gaps.
struct RecordId {
    std::uint32_t stream = 0;
    std::uint64_t number = 0;

    friend bool operator==(const RecordId&, const RecordId&) = default;
};

// A record's cause on another stream.
struct Cause {
    RecordId id;
    std::int64_t raw_ns = 0;
    std::int64_t final_ns = 0;
};

// Streams of a group's members, by their rank.
using Group = std::vector<std::uint32_t>;

// Two numbers that its maker chooses.
struct Key {
    std::uint64_t where = 0, what = 0;

    friend bool operator==(const Key&, const Key&) = default;
};

enum class Role : std::uint8_t { Source, Target };

enum class Shape : std::uint8_t {
    Message,   // one source, one target
    Cast,      // one source, and targets whose number nobody knows: the source does not wait for them.
               // A target that cannot tell says Cast, and a source that says Message has that one target
    FromRoot,  // source: the root; targets: the other members
    ToRoot,    // sources: the other members; target: the root
    AllToAll,  // sources and targets: all members. A target waits for the other members' sources
};

// One record's end of a communication.
struct End {
    // Equal at all ends of one communication, and at no other end. Messages without a number may have equal keys: they are
    // joined first in, first out.
    Key key;
    Role role = Role::Source;
    Shape shape = Shape::Message;
    // Messages from one stream to another, or operations of one group. A stream begins those of one channel in the order of
    // their numbers. So when a later source is seen in a stream, an earlier one that is not there is lost.
    Key channel;
    // Without numbers a later one is told by its place: when a later message of the channel is joined.
    std::optional<std::uint64_t> number;
    // The record of the source may be made after that of the target, and after what follows from it. A cycle is then broken
    // here, and is no contradiction.
    bool source_may_be_late = false;
    // A target of a collective: as many sources come, its own among them, as a former sort has shown.
    std::optional<std::uint32_t> sources_that_come;
    bool source_may_be_unrecorded = false;  // collectives: a member need not have recorded each of its beginnings
    bool receives_in_order = true;          // false: targets of a channel may come in another order
    // Message: no end of other streams, or of another channel, ever has this key. Then the sorter needs no table of keys while
    // messages of a channel are received as they were sent.
    bool key_is_of_channel = false;
    std::uint32_t from = 0, to = 0;      // Message: streams of source and target; Cast: that of the source
    std::shared_ptr<const Group> group;  // other shapes
    std::uint32_t rank = 0, root = 0;    // ranks of this record's stream and of the root
};

}  // namespace tmon_order
