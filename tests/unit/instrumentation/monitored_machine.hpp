// A machine whose nodes have monitors, and a host that collects what they record. One a test case, as a TestMulticomputer.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include <instrumentation/hostmon.hpp>
#include <instrumentation/monctrl.hpp>

#include "test_multicomputer.hpp"

namespace instrumentation_test {

using trace_record::Event;
using vocabulary::NodeId;
using vocabulary::SimTime;

inline instrumentation::MonitorCosts monitor_prices(std::size_t buffer_records) {
    instrumentation::MonitorCosts costs{};
    costs.standard_probe = SimTime::us(6);
    costs.meter = SimTime::us(4);
    costs.policy = SimTime::us(3);
    costs.manager_check = SimTime::us(5);
    costs.manager_period = SimTime::ms(2);
    costs.pack_record = SimTime::us(1);
    costs.flush_check = SimTime::us(1);
    costs.make_heartbeat = SimTime::us(2);
    costs.record_bytes = 20;
    costs.buffer_records = buffer_records;
    return costs;
}

class MonitoredMachine : public test_support::TestMulticomputer, private instrumentation::TraceSink {
public:
    MonitoredMachine(const topologies::MachineDescription& machine, const topologies::CostTable& costs,
                     const instrumentation::MonitorSettings& settings, std::size_t buffer_records = 128)
        : TestMulticomputer(machine, costs),
          records(box.node_count()),
          lost_records(box.node_count()),
          ends_(box.node_count()) {
        box.start_at_once();
        run_for(SimTime::ms(20));
        for (std::size_t i = 0; i < box.node_count(); ++i) {
            nodes.emplace_back(static_cast<NodeId::value_type>(i));
            monitors.push_back(std::make_unique<instrumentation::NodeMonitor>(monitor_prices(buffer_records), settings,
                                                                              nodes.back(), box.host_id()));
            instrumentation::NodeMonitor& monitor = *monitors.back();
            box.kernel(nodes.back())
                .create({.name = "nodemon",
                         .priority = trollius_os::Priority::High,
                         .stack_bytes = 1024,
                         .code = [&monitor](trollius_os::Calls& calls) { return monitor.nodemon(calls); }});
        }
        on_host([this](trollius_os::Api& api) { instrumentation::hostmon(api, *this); });
        command(instrumentation::Control::Begin);
    }

    void on_host(std::function<void(trollius_os::Api&)> code) {
        box.host().create({"host", trollius_os::Priority::Low, 0, 4096, std::move(code)});
    }
    // Returns when all have obeyed.
    void command(instrumentation::Control what) {
        bool done = false;
        on_host([&](trollius_os::Api& api) {
            instrumentation::monctrl(api, what, nodes);
            done = true;
        });
        run_until([&] { return done; });
    }
    void switch_messages(bool on, const std::vector<NodeId>& of) {
        bool done = false;
        on_host([&](trollius_os::Api& api) {
            instrumentation::monctrl_classes(api, trace_record::ClassSet::of(trace_record::EventClass::Message), on, of);
            done = true;
        });
        run_until([&] { return done; });
    }
    // Ends the streams of all nodes. False: some have not come.
    bool quit() {
        command(instrumentation::Control::Quit);
        return run_until([this] { return std::all_of(ends_.begin(), ends_.end(), [](bool end) { return end; }); });
    }
    // True time of a record, when clocks do not drift.
    SimTime true_time(const Event& event) const {
        return monitors[event.node]->state().ledger.began + SimTime::us(static_cast<std::int64_t>(event.time_us));
    }

    std::vector<NodeId> nodes;
    std::vector<std::unique_ptr<instrumentation::NodeMonitor>> monitors;
    std::vector<std::map<std::uint32_t, Event>> records;  // by node and number
    std::vector<std::uint64_t> lost_records;
    struct Heartbeat {
        NodeId node;
        std::uint64_t before_us;
        std::uint32_t next;  // one more than the newest record of the node that has come
    };
    std::vector<Heartbeat> heartbeats;

private:
    void receive(NodeId node, std::span<const Event> events, std::uint64_t) override {
        for (const Event& event : events) records[node.value()].emplace(event.seq, event);
    }
    void lost(const trace_record::LossRange& range) override {
        lost_records[range.node] += range.last_seq - range.first_seq + 1;
    }
    void heartbeat(NodeId node, std::uint64_t before_us) override {
        const auto& its = records[node.value()];
        heartbeats.push_back({node, before_us, its.empty() ? 0 : its.rbegin()->first + 1});
    }
    void end(NodeId node, std::uint32_t, std::uint32_t) override { ends_[node.value()] = true; }

    std::vector<bool> ends_;
};

}  // namespace instrumentation_test
