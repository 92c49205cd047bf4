// How long an acknowledge holds up its wire, and when a connection set at a C004 takes effect.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "group.hpp"
#include "micro_machine.hpp"

namespace validation {
namespace {

using hw_model::Fiber;
using hw_model::LinkEnd;
using hw_model::Priority;
using topologies::LinkLevel;
using topologies::Provenance;
using vocabulary::LinkNo;
using vocabulary::SimTime;
using vocabulary::SwitchId;

constexpr double bit_us = 0.05;  // at 20 Mbit/s

// n0 sends a byte to n1, which acknowledges it. On the same wire n1 sends a byte of its own a little later, each time at
// another moment. In bits: the longest wait of that byte.
double held_up_by_an_acknowledge(const topologies::CostTable& costs) {
    constexpr int rounds = 200;
    constexpr SimTime round = SimTime::us(100), step = SimTime::ns(5);
    MicroMachine box(pairs_of_nodes(20'000'000, std::array<std::size_t, 1>{0}), costs, LinkLevel::Byte);
    LinkEnd &left = *box.node(0).link(LinkNo(1)), &right = *box.node(1).link(LinkNo(0));
    SimTime packet = SimTime::never(), longest;
    std::array<std::byte, 1> byte{}, room{}, other_room{};
    SimTime offered;
    const auto send = [&](Fiber& me, LinkEnd& link, SimTime& when) {
        hw_model::LinkMessage message;
        message.channel = hw_model::Channel::Circuit;
        message.body = byte;
        message.wire_bytes = 1;
        message.sender = &me;
        when = box.now();
        link.send(message);
        while (!message.sent) me.wait();
    };
    const auto receive = [&](Fiber& me, LinkEnd& link, std::span<std::byte> into) {
        hw_model::LinkReceive request{.body = into, .receiver = &me};
        link.receive(request, hw_model::Channel::Circuit);
        while (!request.received) me.wait();
        return request.arrived;
    };
    box.start(0, Priority::High, [&](Fiber& me) {
        SimTime ignored;
        for (int i = 1; i <= rounds; ++i) {
            box.sleep_until(me, 0, round * i);
            send(me, left, ignored);
        }
    });
    box.start(1, Priority::High, [&](Fiber& me) {
        while (true) receive(me, right, room);
    });
    // In the first rounds this byte leaves before the byte of n0 is seen, so that nothing holds it up.
    box.start(1, Priority::High, [&](Fiber& me) {
        for (int i = 1; i <= rounds; ++i) {
            box.sleep_until(me, 1, round * i + step * i);
            send(me, right, offered);
        }
    });
    box.start(0, Priority::High, [&](Fiber& me) {
        while (true) {
            const SimTime took = receive(me, left, other_room) - offered;
            packet = std::min(packet, took);
            longest = std::max(longest, took);
        }
    });
    box.run_until(round * (rounds + 1));
    return (longest - packet).in_seconds() * 1e6 / bit_us;
}

// Two nodes at a C004 without a connection; a message waits for it. Bytes come on the configuration link one every 0.575 us.
// In microseconds: from the last of them until the message is on its way.
double time_until_effect(const topologies::CostTable& costs) {
    topologies::MachineDescription machine = pairs_of_nodes(20'000'000, std::array<std::size_t, 1>{1});
    machine.switches.front().connections.clear();
    MicroMachine box(machine, costs);
    constexpr std::uint32_t bytes = 4;
    std::array<std::byte, bytes> content{}, room{};
    SimTime told, arrived;
    box.start(0, Priority::High, [&](Fiber& me) { box.out(me, *box.node(0).link(LinkNo(1)), content); });
    box.start(1, Priority::High, [&](Fiber& me) {
        box.in(me, *box.node(1).link(LinkNo(0)), room);
        arrived = box.last_arrived();
    });
    box.start(1, Priority::High, [&](Fiber& me) {
        SimTime when = SimTime::us(100);
        for (const std::uint8_t byte : {1, 0, 1, 3}) {  // connect ways 0 and 1; end of set-up
            box.sleep_until(me, 1, when);
            box.machine().link_switch(SwitchId(0)).configure(byte);
            told = box.now();
            when += SimTime::ns(575);
            if (box.now() > when) when = box.now();
        }
    });
    box.run_until(SimTime::ms(100));
    const SimTime on_wire = box.machine().link_timing().byte_one_way[1] * bytes;
    return (arrived - on_wire - told).in_seconds() * 1e6;
}

}  // namespace

void add_wire_groups(std::vector<Group>& groups) {
    groups.push_back(
        {.name = "acknowledge",
         .figures = {{.name = "acknowledge.holds_up",
                      .what = "data held up by an acknowledge, at most, bytes",
                      .unit = "bits",
                      .least = 2,
                      .most = 2,
                      .tolerance_percent = 5,
                      .reason = "the moments are 0.1 bit apart",
                      .provenance = Provenance::Seen,
                      .source = "an acknowledge is 2 bits long and has the wire to itself",
                      .proof = Proof::Charged}},
         .measure = [](const topologies::CostTable& costs) { return std::vector{held_up_by_an_acknowledge(costs)}; }});
    groups.push_back({.name = "switch",
                      .figures = {{.name = "switch.effect",
                                   .what = "C004: from the last byte to the connection",
                                   .unit = "us",
                                   .least = 0,
                                   .most = 1,
                                   .tolerance_percent = 0,
                                   .reason = "a bound, not a figure: the data sheet gives none",
                                   .provenance = Provenance::Assumed,
                                   .source = "below about 1 us; not published",
                                   .proof = Proof::Charged}},
                      .measure = [](const topologies::CostTable& costs) { return std::vector{time_until_effect(costs)}; }});
}

}  // namespace validation
