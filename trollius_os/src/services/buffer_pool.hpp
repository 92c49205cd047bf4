// BufferPool: the packets that bufferd stores, oldest first, and the two limits of their space. Above the lower limit no packet
// of a user is accepted, above the upper one no packet at all. A packet takes its header, its tag and its body. Cost: linear in
// the packets.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <trollius_os/services/bufferd.hpp>

namespace trollius_os::services {

class BufferPool {
public:
    struct Stored {
        Message message;  // its body refers to `body` once taken
        std::vector<std::byte> body;
        EventNo wanted_at;  // the destination's event here, or the output of the link that it must leave by
        bool is_answer = false;
    };

    // `most_space`: the node's memory.
    BufferPool(const KernelCosts& costs, NodeId here, std::uint64_t most_space);

    // The classes of packets that still have room; 0: all.
    std::int32_t accepted() const;
    void store(const Message& packet);
    // For an answer of bufferd itself, which comes whatever the limits. False: those stored take their space, four packets.
    bool store_answer(const Message& packet);
    // The oldest packet for that event; for a packet of this node the types must meet, too.
    std::optional<Stored> take(EventNo event, std::int32_t type);
    void put_back(Stored packet);  // it is the oldest again
    const Message* oldest(EventNo event, std::int32_t type) const;

    // Neither may be less than one packet takes, nor the user's more than all, nor all more than the node's memory: false.
    bool set_space(std::uint32_t all, std::uint32_t of_users);
    std::uint32_t space() const { return space_; }
    std::uint32_t user_space() const { return user_space_; }
    std::uint32_t used() const { return used_; }
    std::uint32_t packets() const { return static_cast<std::uint32_t>(stored_.size()); }
    // Discards the packets that `unwanted` names; returns their number.
    std::uint32_t sweep(const std::function<bool(const Message&)>& unwanted);
    // The packets from number `first` on, at most as many as fit into one packet.
    std::vector<BufferedPacket> records(std::uint32_t first) const;
    const Message* look(std::uint32_t number) const;  // nullptr: no such packet

private:
    using Place = std::deque<Stored>::const_iterator;
    std::uint32_t charged(const Message& m) const {
        return costs_.datalink_header + (m.tag ? costs_.message_tag : 0) + m.length;
    }
    std::uint32_t least_space() const { return costs_.datalink_header + costs_.most_packet; }
    Place find(EventNo event, std::int32_t type) const;

    const KernelCosts& costs_;
    NodeId here_;
    std::uint64_t most_space_;
    std::uint32_t space_, user_space_, used_ = 0;
    std::deque<Stored> stored_;
};

}  // namespace trollius_os::services
