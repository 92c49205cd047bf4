// Processes that send what no library would: any words to any service, and packets with any header over the links.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <vocabulary/split_mix.hpp>

#include "file_bench.hpp"

namespace hostile {

using test_support::NodeId;
using test_support::SimTime;
using trollius_os::Api;
using trollius_os::EventNo;
using trollius_os::Message;

// Mild traffic leaves out requests that harm others when a service obeys: routes, limits of pools, ends of clients. It leaves
// out messages without a receiver that hold a link or a call, too. After it every service must work. Wild traffic has
// everything; after it the simulator must still be whole.
enum class Mood { Mild, Wild };

class Dice {
public:
    explicit Dice(std::uint64_t seed) : seed_(seed) {}
    std::uint64_t any() { return vocabulary::split_mix(seed_, ++rolled_); }
    std::uint32_t up_to(std::uint32_t sides) { return static_cast<std::uint32_t>(any() % sides); }
    bool one_in(std::uint32_t sides) { return up_to(sides) == 0; }
    template <class Value, std::size_t count>
    Value of(const std::array<Value, count>& values) {
        return values[up_to(count)];
    }

private:
    std::uint64_t seed_, rolled_ = 0;
};

// A machine of three nodes and its host, all of whose processes of users are hostile.
class Traffic {
public:
    Traffic(std::uint64_t seed, Mood mood);

    // Sends that many messages, and looks whether all is in order. Returns what is not.
    std::vector<std::string> run(int messages);
    std::uint64_t dropped();  // messages that services have refused as damaged
    int sent() const { return sent_; }

private:
    void begin(std::uint16_t node);
    void begin_again(std::uint16_t node);
    void be_hostile(Api& api, std::uint64_t seed);
    void one_message(Api& api, Dice& dice);
    void one_packet(Api& api, Dice& dice);
    Message any_message(Api& api, Dice& dice);
    std::array<std::int32_t, 8> any_words(Api& api, Dice& dice, EventNo event);
    std::vector<std::byte> any_body(Dice& dice);
    bool harms(const Message& message) const;
    void ask_all(Api& api);
    void ask_node(Api& api, NodeId node);
    void tell_who_waits();

    file_test::FileBench bench_{3};
    const Mood mood_;
    const std::uint64_t seed_;
    int wanted_ = 0, sent_ = 0;
    std::uint64_t begun_ = 0;
    std::vector<vocabulary::ProcessId> blocked_;  // hostile processes that waited at the last look
    std::string asking_;                          // the service that is asked at the end
    std::vector<std::string> wrong_;
    std::string outside_;
};

}  // namespace hostile
