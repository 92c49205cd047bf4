// Trollius: rendez-vous of each operation, and its cost. The cost is the processor time of all nodes and the time on the wires,
// added up as the layers of Trollius were measured. It is that of a sender's second message, when its route is known.
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <topologies/generators.hpp>
#include <trollius_hosted/multicomputer.hpp>
#include <trollius_os/circuits.hpp>

#include "group.hpp"

namespace validation {
namespace {

using topologies::Provenance;
using trollius_os::Api;
using trollius_os::EventNo;
using trollius_os::Message;
using vocabulary::LinkNo;
using vocabulary::NodeId;
using vocabulary::SimTime;

constexpr std::uint32_t buffered = 0, unbuffered = trollius_os::flags::no_buffer;

struct Spent {
    std::uint64_t rendezvous = 0;
    SimTime time;
};
Spent operator-(const Spent& a, const Spent& b) {
    return {a.rendezvous - b.rendezvous, a.time - b.time};
}

topologies::MachineDescription chain_of_4(std::int64_t clock_hz) {
    topologies::MachineDescription machine = topologies::chain(4);
    for (auto& node : machine.nodes) node.clock_hz = clock_hz;
    return machine;
}

class KernelBench {
public:
    explicit KernelBench(const topologies::CostTable& costs, std::int64_t clock_hz = t800_20_hz)
        : box_(chain_of_4(clock_hz), costs, 1, {}) {
        box_.start_at_once();
        run_for(SimTime::ms(50));  // until every process waits
    }

    // A message to a waiting receiver: the cost of the first and of the second one.
    std::vector<Spent> messages(std::uint16_t from, std::uint16_t to, std::uint32_t flags) {
        const EventNo event(++events_);
        user(to, [event, flags](Api& api) {
            while (true) {
                Message message{.event = event, .flags = flags};
                api.nrecv(message);
                api.settle();  // pays its half now, not with its next act
            }
        });
        return twice(from, [=](Api& api) {
            Message message{.node = NodeId(to), .event = event, .flags = flags};
            api.nsend(message);
        });
    }
    std::vector<Spent> local(std::uint32_t bytes) {
        const EventNo event(++events_);
        room_.resize(bytes);
        user(1, [this, event](Api& api) {
            while (true) {
                Message message{.event = event, .body = room_};
                api.krecv(message);
                api.settle();
            }
        });
        return twice(1, [this, event](Api& api) {
            Message message{.event = event, .length = static_cast<std::uint32_t>(room_.size()), .body = room_};
            api.ksend(message);
        });
    }
    // Time that a node takes for work that takes a T800-20 `stated`.
    SimTime computation(SimTime stated) {
        SimTime took;
        user(1, [&took, stated](Api& api) {
            const SimTime began = api.port().now();
            api.compute(stated);
            took = api.port().now() - began;
        });
        run_for(stated * 2);
        return took;
    }
    // Each to a process that answers.
    std::vector<Spent> send_receive() {
        const EventNo event(++events_), back(++events_);
        user(1, [event, back](Api& api) {
            while (true) {
                Message message{.event = event};
                api.krecv(message);
                message = {.event = back};
                api.ksend(message);
            }
        });
        return twice(1, [event, back](Api& api) {
            Message out{.event = event}, in{.event = back};
            api.ksr(out, in);
        });
    }
    std::vector<Spent> probe() {
        return twice(1, [event = EventNo(++events_)](Api& api) { api.nprobe(event, 0); });
    }
    std::vector<Spent> transport(std::uint16_t from, std::uint16_t to) {
        const EventNo event(++events_);
        user(to, [event](Api& api) {
            while (true) {
                Message message{.event = event};
                api.trecv(message);
            }
        });
        return twice(from, [=](Api& api) {
            Message message{.node = NodeId(to), .event = event};
            api.tsend(message);
        });
    }
    // The first message opens the circuit.
    std::vector<Spent> circuit(std::uint16_t from, std::uint16_t to) {
        const EventNo event(++events_);
        user(to, [event](Api& api) {
            const auto opened = trollius_os::precvopen(api.calls(), event, 0).get();
            std::array<std::byte, 4> room{};
            while (trollius_os::precv(api.calls(), opened.circuit, room).get().error == 0) {
            }
        });
        std::optional<trollius_os::CircuitName> name;
        return twice(from, [&name, to, event](Api& api) {
            if (!name) name = trollius_os::psendopen(api.calls(), NodeId(to), event, 0).get().circuit;
            const std::array<std::byte, 4> body{};
            trollius_os::psend(api.calls(), *name, body).get();
        });
    }
    std::vector<Spent> echo(std::uint16_t from, std::uint16_t to) {
        return twice(from, [to](Api& api) { trollius_os::echo(api, NodeId(to), 0); });
    }

private:
    void run_for(SimTime time) { box_.machine().run_until(until_ += time); }
    void user(std::uint16_t node, std::function<void(Api&)> code) {
        box_.kernel(NodeId(node)).create({.name = "measure", .stack_bytes = 0, .code = std::move(code)});
        run_for(SimTime::ms(20));
    }
    std::vector<Spent> twice(std::uint16_t from, const std::function<void(Api&)>& operation) {
        std::vector<Spent> spent;
        user(from, [&](Api& api) {
            for (int i = 0; i < 2; ++i) {
                const Spent before = so_far();
                operation(api);
                api.wait_until_clock(api.port().clock_us(trollius_os::Priority::Low) + 5'000);
                spent.push_back(so_far() - before);
            }
        });
        return spent;
    }
    Spent so_far() {
        Spent sum;
        for (std::size_t i = 0; i <= box_.node_count(); ++i) {
            const NodeId id(static_cast<NodeId::value_type>(i));
            const hw_model::ProcessorTotals totals = box_.machine().node(id).processor.totals();
            sum.rendezvous += box_.kernel(id).rendezvous_count();
            sum.time += totals.high_busy + totals.low_busy;
            for (std::uint8_t number = 0; number < topologies::links_per_node; ++number) {
                const hw_model::LinkEnd* link = box_.machine().node(id).link(LinkNo(number));
                if (link == nullptr) continue;
                sum.time += link->totals().all().busy;
            }
        }
        return sum;
    }

    std::vector<std::byte> room_;
    std::int32_t events_ = 1000;
    SimTime until_;
    trollius_hosted::Multicomputer box_;
};

constexpr std::uint32_t long_body = 40'000;

std::vector<double> measure(const topologies::CostTable& costs) {
    KernelBench bench(costs);
    const auto count = [](const Spent& spent) { return static_cast<double>(spent.rendezvous); };
    const auto us = [](const Spent& spent) { return spent.time.in_seconds() * 1e6; };
    const auto local = bench.local(0), copied = bench.local(long_body);
    const auto near = bench.messages(0, 1, unbuffered), far = bench.messages(0, 3, unbuffered);
    const auto stored = bench.messages(0, 1, buffered), two_hops = bench.messages(0, 2, buffered);
    return {count(local[1]),
            count(bench.messages(1, 1, unbuffered)[1]),
            count(bench.messages(1, 1, buffered)[1]),
            count(near[1]),
            count(far[1]),
            count(stored[1]),
            count(two_hops[1]) - count(stored[1]),
            count(bench.messages(1, 2, buffered)[0]) - count(stored[1]),
            count(bench.echo(0, 1)[1]),
            count(bench.send_receive()[1]),
            count(bench.probe()[1]),
            count(bench.transport(0, 1)[1]),
            count(bench.circuit(0, 3)[1]),
            us(local[1]),
            us(near[1]),
            us(stored[1]),
            long_body / (us(copied[1]) - us(local[1]))};
}

Figure counted(const char* name, const char* what, double published) {
    return {.name = fmt::format("kernel.{}", name),
            .what = fmt::format("rendez-vous of {}", what),
            .unit = "count",
            .least = published,
            .most = published,
            .tolerance_percent = 0,
            .reason = "a count",
            .provenance = Provenance::Derived,
            .source = "layers of LAM 7.1.4 and Trollius 2.2",
            .proof = Proof::Rule};
}

Figure timed(const char* name, const char* what, double least, double most) {
    return {.name = fmt::format("kernel.{}", name),
            .what = fmt::format("{}, processors and wire", what),
            .unit = "us",
            .least = least,
            .most = most,
            .tolerance_percent = 5,
            .reason = "process starts are not in the estimate",
            .provenance = Provenance::Assumed,
            .source = "estimate from 60 us a rendez-vous; none was measured",
            .proof = Proof::Charged};
}

}  // namespace

std::vector<double> kernel_speeds(const topologies::CostTable& costs, std::int64_t clock_hz) {
    KernelBench bench(costs, clock_hz);
    const SimTime with_body = bench.local(long_body)[1].time, without = bench.local(0)[1].time;
    constexpr SimTime stated = SimTime::ms(20);
    return {long_body / ((with_body - without).in_seconds() * 1e6),
            stated.in_seconds() / bench.computation(stated).in_seconds()};
}

void add_kernel_groups(std::vector<Group>& groups) {
    groups.push_back({.name = "kernel",
                      .figures = {counted("local", "ksend with krecv", 1),
                                  counted("local_unbuffered", "nsend to the same node, unbuffered", 1),
                                  counted("local_buffered", "nsend to the same node, buffered", 3),
                                  counted("unbuffered", "nsend unbuffered, 1 hop", 2),
                                  counted("unbuffered_3", "nsend unbuffered, 3 hops", 4),
                                  counted("buffered", "nsend buffered, 1 hop", 4),
                                  counted("further_hop", "each further hop, buffered", 2),
                                  counted("route", "a route asked for the first time", 2),
                                  counted("service", "a remote service, 1 hop: two nsends", 8),
                                  counted("send_receive", "ksr with an answer", 2),
                                  counted("probe", "nprobe and its answer", 2),
                                  counted("transport", "tsend, 1 hop: three buffered nsends", 12),
                                  counted("circuit", "psend on an open circuit, 3 hops", 0),
                                  timed("local_time", "ksend with krecv, no body", 60, 60),
                                  timed("unbuffered_time", "nsend unbuffered, 1 hop", 150, 200),
                                  timed("buffered_time", "nsend buffered, 1 hop", 270, 350),
                                  {.name = "kernel.copy",
                                   .what = "block move in external memory",
                                   .unit = "MB/s",
                                   .least = 13.3,
                                   .most = 13.3,
                                   .tolerance_percent = 1,
                                   .reason = "rounded to three digits",
                                   .provenance = Provenance::Seen,
                                   .source = "T800-20, external DRAM of 3 cycles",
                                   .proof = Proof::Charged}},
                      .measure = measure});
}

}  // namespace validation
