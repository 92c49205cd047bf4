// Times of single messages between two T800-20 at 20 Mbit/s, from the sender's `out` to the next instruction of the receiver,
// which waits already: the sender's set-up, the bytes, the start of the receiver's process and its completion. Low priority,
// on-chip data, nothing else on either processor.
#include <array>
#include <cstddef>
#include <string>

#include <fmt/format.h>

#include "validate/group.hpp"
#include "validate/micro_machine.hpp"

namespace tmon_session {
namespace {

using hw_model::Fiber;
using hw_model::LinkLevel;
using hw_model::Priority;
using topologies::Provenance;
using vocabulary::LinkNo;
using vocabulary::SimTime;

constexpr std::array<std::uint32_t, 5> sizes = {1, 4, 32, 256, 4096};
constexpr SimTime gap = SimTime::ms(10);  // between two messages; longer than any of them takes

std::vector<double> measure_messages(const topologies::CostTable& costs, LinkLevel level) {
    MicroMachine box(pairs_of_nodes(20'000'000, std::array<std::size_t, 1>{0}), costs, level);
    std::vector<std::byte> content(sizes.back()), room(sizes.back());
    SimTime began;
    std::vector<double> times;
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
        }
    });
    box.run_until(gap * static_cast<std::int64_t>(sizes.size() + 1));
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
            .tolerance_percent = 5,
            .reason = "the start of the waiting process is taken from commstime: 0.3 us above the range",
            .provenance = Provenance::Derived,
            .source = "set-up 1.0-1.25 us, wake-up 0.5-0.95 us, 0.575 us a byte"};
}

void add_messages(std::vector<Group>& groups, LinkLevel level) {
    Group messages{.name = group_name("message", level), .figures = {}, .measure = [level](const topologies::CostTable& costs) {
                       return measure_messages(costs, level);
                   }};
    for (const std::uint32_t bytes : sizes) messages.figures.push_back(derived(messages.name, bytes, level));
    Figure& measured = messages.figures[3];  // 256 bytes
    measured.least = 142;
    measured.most = 151;
    measured.tolerance_percent = 0;
    measured.reason = "the range measured";
    measured.provenance = Provenance::Seen;
    measured.source = "ispy, 256 bytes between T800-25, T425-20 and T400-20";
    groups.push_back(std::move(messages));
    const std::string name = group_name("ping_pong", level);
    groups.push_back({.name = name,
                      .figures = {{.name = name + ".4",
                                   .what = fmt::format("ping-pong of 4 bytes, round trip{}", remark(level)),
                                   .unit = "us",
                                   .least = 8,
                                   .most = 9,
                                   .tolerance_percent = 5,
                                   .reason = "two messages; as for message.4",
                                   .provenance = Provenance::Derived,
                                   .source = "two messages of 4 bytes, low priority; no measured table was found"}},
                      .measure = [level](const topologies::CostTable& costs) { return measure_ping_pong(costs, level); }});
}

}  // namespace

void add_message_groups(std::vector<Group>& groups) {
    add_messages(groups, LinkLevel::Message);
    add_messages(groups, LinkLevel::Byte);
}

}  // namespace tmon_session
