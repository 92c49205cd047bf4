// The messages of a run: which send each receive got. Between two ranks, with one communicator and one tag, sends have an
// order. Receives take them in the order of their own beginning (MPI 3.1, section 3.5). So no stamp is needed to join them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include <real_mpi/rank_files.hpp>

namespace real_mpi {

inline constexpr std::uint32_t none = 0xFFFFFFFF;

struct Message {
    std::int32_t receiver = -1, tag = 0;  // receiver -1: it was cancelled, or goes nowhere
    std::uint32_t comm = 0;               // of Communicator
    std::uint32_t taken = none;           // the record of the receiver with which the receive began, or that of the probe
};

struct Communicator {
    std::vector<std::int32_t> members{};  // ranks of the world, by their ranks here
    bool inter = false;
};

// The message of a receive or probe.
struct Came {
    std::uint32_t number = none;  // of the message, from 0 among those of the sender
    std::uint32_t posted = none;  // the record with which it began
};

struct Channel {  // messages of one sender, receiver, communicator and tag, in the order of their sending
    std::vector<std::uint32_t> messages{};
    std::size_t next = 0;
};
using ChannelKey = std::tuple<std::uint32_t, std::int32_t, std::int32_t>;  // communicator, sender, tag

struct Messages {
    std::vector<Communicator> communicators{};
    std::vector<std::vector<std::uint32_t>> named{};        // by rank and the rank's name for it
    std::vector<std::vector<Message>> sent{};               // by sender
    std::vector<std::map<ChannelKey, Channel>> channels{};  // by receiver
    std::vector<std::vector<Came>> came{};                  // by rank and record; others have none
    bool freed =
        false;  // a receive was freed before its end, so its message is not known, and those behind it may be joined wrongly
};

// Cost: linear in the records, but for a search among channels.
Messages messages_of(const RankFiles& files);

}  // namespace real_mpi
