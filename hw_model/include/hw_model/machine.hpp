// Machine: Nodes, LinkSwitches and the host, built and wired from a MachineDescription, and the Timeline that drives them from
// one SystemC process (D2a). SystemC's time follows at every event for which anything else in the simulation waits. One Machine
// a process, because SystemC elaborates once.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <systemc>

#include <hw_model/host_port.hpp>
#include <hw_model/link_switch.hpp>
#include <hw_model/node.hpp>
#include <hw_model/timeline.hpp>
#include <hw_model/timing.hpp>
#include <topologies/cost_table.hpp>
#include <topologies/machine_description.hpp>
#include <topologies/network.hpp>

namespace hw_model {

// How the machine of a description is built, beside what the description says.
struct MachineOptions {
    LinkLevel links = LinkLevel::Message;
    std::vector<std::size_t> tapped_wires;  // indices into MachineDescription::wires: a LinkTap sits in each of them
    bool lockstep = false;                  // SystemC's clock follows at every event, so that sc_trace sees each change
};

class Machine : public sc_core::sc_module, private Timeline::Listener {
public:
    // `seed` decides the clock offset and drift of each node and nothing else. The description must have passed its checks.
    Machine(sc_core::sc_module_name name, const topologies::MachineDescription& description, const topologies::CostTable& costs,
            std::uint64_t seed, const MachineOptions& options = {});
    ~Machine() override;

    // Advances modelled time to `horizon`; everything due until then has happened when it returns.
    void run_until(SimTime horizon);

    Timeline& timeline() { return timeline_; }
    std::size_t node_count() const { return nodes_.size() - 1; }  // without the host
    Node& node(vocabulary::NodeId id) { return *nodes_[id.value()]; }
    const Node& node(vocabulary::NodeId id) const { return *nodes_[id.value()]; }
    vocabulary::NodeId host() const { return network_.host(); }
    const topologies::Network& network() const { return network_; }
    const LinkTiming& link_timing() const { return link_timing_; }
    LinkSwitch& link_switch(vocabulary::SwitchId id) { return *switches_[id.value()]; }

private:
    void pump();
    void notify_at(SimTime when);
    static SimTime systemc_time();
    void earlier_event(SimTime when) override;
    void build_nodes(const topologies::MachineDescription& description, const topologies::CostTable& costs, std::uint64_t seed);
    void build_switches(const topologies::MachineDescription& description);
    void solder(const topologies::MachineDescription& description);
    LinkOut& out_of(const topologies::WireEnd& end);
    LinkIn& in_of(const topologies::WireEnd& end);

    Timeline timeline_;
    topologies::Network network_;
    LinkTiming link_timing_;
    std::vector<std::unique_ptr<Node>> nodes_;  // the host is the last
    std::vector<std::unique_ptr<LinkSwitch>> switches_;
    sc_core::sc_event due_;
    SimTime horizon_;
    bool pumping_ = false;
};

}  // namespace hw_model
