// Slow-down of the processor by links: a computation of low priority while messages pass, against the same number of cycles
// alone. Set-up and completion of the few messages are 0.1 % of it and are not taken out.
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
using hw_model::Memory;
using hw_model::Priority;
using topologies::LinkLevel;
using topologies::Provenance;
using vocabulary::Cycles;
using vocabulary::LinkNo;
using vocabulary::NodeId;
using vocabulary::SimTime;

constexpr std::uint32_t message = 20'000;
constexpr std::int64_t cycles = 2'000'000;  // 100 ms: longer than the messages take

// n0's four links lead to a node each.
topologies::MachineDescription star() {
    topologies::MachineDescription machine = lone_nodes(5);
    for (std::uint8_t link = 0; link < 4; ++link) {
        machine.wires.push_back({topologies::NodeLink{NodeId(0), LinkNo(link)},
                                 topologies::NodeLink{NodeId(static_cast<NodeId::value_type>(link + 1)), LinkNo(0)}});
    }
    return machine;
}

// Per cent of the time in which messages pass: over all four links both ways, or out over one.
double slow_down(const topologies::CostTable& costs, LinkLevel level, bool all, Memory memory) {
    MicroMachine box(star(), costs, level);
    std::vector<std::byte> content(message), room(message);
    SimTime computed, passed;
    const auto transfer = [&](std::size_t sender, LinkNo out, std::size_t receiver, LinkNo in) {
        box.start(sender, Priority::High,
                  [&, sender, out](Fiber& me) { box.out(me, *box.node(sender).link(out), content, memory); });
        box.start(receiver, Priority::High, [&, receiver, in](Fiber& me) {
            box.in(me, *box.node(receiver).link(in), room, memory);
            passed = std::max(passed, box.now());
        });
    };
    for (std::uint8_t link = 0; link < (all ? std::uint8_t{4} : std::uint8_t{1}); ++link) {
        transfer(0, LinkNo(link), link + 1U, LinkNo(0));
        if (all) transfer(link + 1U, LinkNo(0), 0, LinkNo(link));
    }
    box.start(0, Priority::Low, [&](Fiber& me) {
        me.use(Cycles(cycles), true);
        computed = box.now();
    });
    box.run_until(SimTime::ms(300));
    const SimTime alone = box.node(0).processor.lasts(SimTime::ps(hw_model::stated_cycle_ps) * cycles);
    return 100 * (computed - alone).in_seconds() / passed.in_seconds();
}

// Speed-up of a computation that the table states for external memory of 3 cycles: the stated time over its time with another
// memory. The gain by on-chip memory is the slow-down by that of 3 cycles.
double speed_up(const topologies::CostTable& costs, std::int64_t access) {
    topologies::CostTable with_access = costs;
    with_access.set("memory.external_access", static_cast<double>(access), "validation");
    MicroMachine box(lone_nodes(1), with_access);
    SimTime ended;
    box.start(0, Priority::Low, [&](Fiber& me) {
        me.use(Cycles(cycles), true);
        ended = box.now();
    });
    box.run_until(SimTime::ms(300));
    return (box.node(0).processor.cycle() * cycles).in_seconds() / ended.in_seconds();
}

// A Machine a process: each of the three is a group of its own.
void add(std::vector<Group>& groups, LinkLevel level, const char* name, const char* what, double least, double most,
         const char* source, bool all, bool external) {
    const std::string group = group_name(fmt::format("memory_{}", name), level);
    groups.push_back({.name = group,
                      .figures = {{.name = group + ".slow_down",
                                   .what = fmt::format("slow-down by {}{}", what, remark(level)),
                                   .unit = "%",
                                   .least = least,
                                   .most = most,
                                   .tolerance_percent = 5,
                                   .reason = "set-up and switches of the messages are in it",
                                   .provenance = Provenance::Derived,
                                   .source = source,
                                   .proof = Proof::Rule}},
                      .measure = [level, all, external](const topologies::CostTable& costs) {
                          return std::vector{slow_down(costs, level, all, external ? Memory::External : Memory::OnChip)};
                      }});
}

// Between both programs of the data sheet, the excess for code and that for data off chip added.
void add_access(std::vector<Group>& groups, std::int64_t access, const char* what, double least, double most) {
    const std::string group = fmt::format("memory_{}", access);
    groups.push_back({.name = group,
                      .figures = {{.name = group + ".slow_down",
                                   .what = what,
                                   .unit = "ratio",
                                   .least = least,
                                   .most = most,
                                   .tolerance_percent = 0.1,
                                   .reason = "the start of the process is in it",
                                   .provenance = Provenance::Recalled,
                                   .source = "T800 data sheet, effect of external memory: programs 2 and 1",
                                   .proof = Proof::Charged}},
                      .measure = [access](const topologies::CostTable& costs) {
                          const double ratio = speed_up(costs, access == 3 ? 1 : access);
                          return std::vector{access == 3 ? ratio : 1 / ratio};
                      }});
}

}  // namespace

void add_memory_groups(std::vector<Group>& groups) {
    add_access(groups, 3, "code and data off chip, 3 cycles, over on chip", 1.3, 1.8);
    add_access(groups, 4, "code and data off chip, 4 cycles over 3", 1.23, 1.28);
    add_access(groups, 5, "code and data off chip, 5 cycles over 3", 1.38, 1.56);
    add_access(groups, 6, "code and data off chip, 6 cycles over 3", 1.54, 1.78);
    for (const LinkLevel level : {LinkLevel::Message, LinkLevel::Byte}) {
        add(groups, level, "one", "one channel, on chip", 1, 2.2,
            "INMOS: about 1 % a channel; one word access per 4 bytes: 2.2 %", false, false);
        add(groups, level, "all", "four links both ways, on chip", 8, 11.7,
            "INMOS: about 8 %; one word access per 4 bytes: 11.7 %", true, false);
        add(groups, level, "external", "four links both ways, external", 35.1, 35.1,
            "three times 11.7 %, for external memory of 3 cycles", true, true);
    }
}

}  // namespace validation
