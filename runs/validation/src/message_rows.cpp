// Times of single messages between two T800-20 at 20 Mbit/s, from the sender's `out` to the next instruction of the receiver,
// which waits already. A time has the sender's set-up, the bytes, the start of the receiver's process and its completion. Low
// priority, on-chip data, nothing else on either processor. Set-up leaves out the 11 cycles of starting the next process, as in
// commstime: the modelled processor charges them when that process starts.
#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include <fmt/format.h>

#include "group.hpp"
#include "micro_machine.hpp"

namespace validation {
namespace {

using hw_model::Fiber;
using hw_model::Priority;
using topologies::LinkLevel;
using topologies::Provenance;
using vocabulary::LinkNo;
using vocabulary::SimTime;

constexpr std::array<std::uint32_t, 5> sizes = {1, 4, 32, 256, 4096};
constexpr SimTime gap = SimTime::ms(10);  // between two messages; longer than any of them takes

// In microseconds: each message, and the longest wake-up: from the last byte to the receiver's next instruction.
std::vector<double> measure_messages(const topologies::CostTable& costs, LinkLevel level, std::int64_t clock_hz = t800_20_hz) {
    MicroMachine box(pairs_of_nodes(20'000'000, std::array<std::size_t, 1>{0}, clock_hz), costs, level);
    std::vector<std::byte> content(sizes.back()), room(sizes.back());
    SimTime began;
    std::vector<double> times;
    double wake_up = 0;
    box.start(0, Priority::Low, [&](Fiber& me) {
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            box.sleep_until(me, 0, gap * static_cast<std::int64_t>(i + 1));
            began = box.now();
            box.out(me, *box.node(0).link(LinkNo(1)), std::span(content).first(sizes[i]));
        }
    });
    box.start(1, Priority::Low, [&](Fiber& me) {
        for (const std::uint32_t size : sizes) {
            box.in(me, *box.node(1).link(LinkNo(0)), std::span(room).first(size));
            times.push_back((box.now() - began).in_seconds() * 1e6);
            wake_up = std::max(wake_up, (box.now() - box.last_arrived()).in_seconds() * 1e6);
        }
    });
    box.run_until(gap * static_cast<std::int64_t>(sizes.size() + 1));
    times.push_back(wake_up);
    return times;
}

// Mean of the round trips after the first.
std::vector<double> measure_ping_pong(const topologies::CostTable& costs, LinkLevel level) {
    constexpr int rounds = 100;
    MicroMachine box(pairs_of_nodes(20'000'000, std::array<std::size_t, 1>{0}), costs, level);
    std::array<std::byte, 4> content{}, room{};
    SimTime first, last;
    box.start(0, Priority::Low, [&](Fiber& me) {
        for (int i = 0; i <= rounds; ++i) {
            if (i == 1) first = box.now();
            box.out(me, *box.node(0).link(LinkNo(1)), content);
            box.in(me, *box.node(0).link(LinkNo(1)), room);
        }
        last = box.now();
    });
    box.start(1, Priority::Low, [&](Fiber& me) {
        for (int i = 0; i <= rounds; ++i) {
            box.in(me, *box.node(1).link(LinkNo(0)), room);
            box.out(me, *box.node(1).link(LinkNo(0)), content);
        }
    });
    box.run_until(SimTime::ms(10));
    return {(last - first).in_seconds() * 1e6 / rounds};
}

// 1.0 to 1.25 us of set-up and 0.5 to 0.95 us until the receiver runs, and 0.575 us a byte.
Figure derived(const std::string& group, std::uint32_t bytes, LinkLevel level) {
    const double wire = 0.575 * bytes;
    return {.name = fmt::format("{}.{}", group, bytes),
            .what = fmt::format("message of {} byte{}{}", bytes, bytes == 1 ? "" : "s", remark(level)),
            .unit = "us",
            .least = 1.5 + wire,
            .most = 2.2 + wire,
            .tolerance_percent = 0,
            .reason = "the range derived",
            .provenance = Provenance::Derived,
            .source = "set-up 1.0-1.25 us, wake-up 0.5-0.95 us, 0.575 us a byte",
            .proof = Proof::Rule};
}

void add_messages(std::vector<Group>& groups, LinkLevel level) {
    Group messages{.name = group_name("message", level), .figures = {}, .measure = [level](const topologies::CostTable& costs) {
                       return measure_messages(costs, level);
                   }};
    for (const std::uint32_t bytes : sizes) messages.figures.push_back(derived(messages.name, bytes, level));
    Figure& measured = messages.figures[3];  // 256 bytes
    measured.least = 142;
    measured.most = 151;
    measured.reason = "the range measured";
    measured.provenance = Provenance::Seen;
    measured.source = "ispy, 256 bytes between T800-25, T425-20 and T400-20";
    measured.proof = Proof::Independent;
    messages.figures.push_back(
        {.name = messages.name + ".wake_up",
         .what = fmt::format("wake-up after a message{}", remark(level)),
         .unit = "us",
         .least = 0.5,
         .most = 0.95,
         .tolerance_percent = 37,
         .reason =
             "a process start of 16 cycles, which commstime needs, and link.completion of 10. A T800 pays 11 of the 16 when "
             "the last process waits, the model when the next one starts: 1.3 us less 0.55 is 0.75 us, and set-up is as "
             "much shorter; the sum is message.1",
         .provenance = Provenance::Derived,
         .source = "10 cycles as runp, 19 when it pre-empts (V)",
         .proof = Proof::Rule});
    groups.push_back(std::move(messages));
    const std::string name = group_name("ping_pong", level);
    groups.push_back({.name = name,
                      .figures = {{.name = name + ".4",
                                   .what = fmt::format("ping-pong of 4 bytes, round trip{}", remark(level)),
                                   .unit = "us",
                                   .least = 8,
                                   .most = 9,
                                   .tolerance_percent = 0,
                                   .reason = "the range derived",
                                   .provenance = Provenance::Derived,
                                   .source = "two messages of 4 bytes, low priority; no measured table was found",
                                   .proof = Proof::Rule}},
                      .measure = [level](const topologies::CostTable& costs) { return measure_ping_pong(costs, level); }});
}

}  // namespace

double message_us(const topologies::CostTable& costs, std::uint32_t bytes, std::int64_t clock_hz) {
    const auto times = measure_messages(costs, LinkLevel::Message, clock_hz);
    return times.at(static_cast<std::size_t>(std::find(sizes.begin(), sizes.end(), bytes) - sizes.begin()));
}

void add_message_groups(std::vector<Group>& groups) {
    add_messages(groups, LinkLevel::Message);
    add_messages(groups, LinkLevel::Byte);
}

}  // namespace validation
