// Machine: Nodes, LinkSwitches and the host, built and wired from a MachineDescription, and the Timeline that drives them from
// one SystemC process. SystemC's time advances only for events that something else in the simulation waits for. A program can
// have one Machine only, because SystemC elaborates once.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include <systemc>

#include <hw_model/control_line.hpp>
#include <hw_model/host_port.hpp>
#include <hw_model/link_switch.hpp>
#include <hw_model/link_tap.hpp>
#include <hw_model/node.hpp>
#include <hw_model/node_pins.hpp>
#include <hw_model/timeline.hpp>
#include <hw_model/timing.hpp>
#include <topologies/cost_table.hpp>
#include <topologies/machine_description.hpp>
#include <topologies/network.hpp>

namespace hw_model {

// Build options beside the machine's description.
struct MachineOptions {
    LinkLevel links = LinkLevel::Message;
    std::vector<std::size_t> tapped_wires{};  // indices into MachineDescription::wires: a LinkTap sits in each of them
    bool lockstep = false;                    // SystemC's time follows every event, so sc_trace sees each change
    bool byte_by_byte = false;                // at byte level: an event for each byte, as in lockstep. Only slower
};

// A transfer that a switch lost because its connection was changed.
struct LinkLoss {
    SimTime when;
    vocabulary::SwitchId which;
    vocabulary::WayNo input;                      // the way where its bytes entered the switch
    std::optional<topologies::WireEnd> from, to;  // the link ends; empty where a wire leads to none
    const LinkMessage* message = nullptr;         // valid during the call
};

class LossWitness {
public:
    virtual void on_loss(const LinkLoss& loss) = 0;

protected:
    ~LossWitness() = default;
};

class Machine : public sc_core::sc_module, private Timeline::Listener, private LinkSwitch::Witness {
public:
    // `seed` decides the clock offset and drift of each node and nothing else. The description must have passed its checks.
    Machine(sc_core::sc_module_name name, const topologies::MachineDescription& description, const topologies::CostTable& costs,
            std::uint64_t seed, const MachineOptions& options = {});
    ~Machine() override;

    // Gives the clocks the drifts of another seed from now on. No clock jumps. The same seed changes nothing.
    void redraw_clock_drifts(const topologies::CostTable& costs, std::uint64_t seed);

    // Advances modelled time to `horizon`; on return, everything due by then has happened.
    void run_until(SimTime horizon);
    // For code that an event runs: run_until() returns when everything due now has happened. It then was_stopped().
    void stop_soon();
    bool was_stopped() const { return stopped_; }

    Timeline& timeline() { return timeline_; }
    std::size_t node_count() const { return nodes_.size() - 1; }  // without the host
    Node& node(vocabulary::NodeId id) { return *nodes_[id.value()]; }
    const Node& node(vocabulary::NodeId id) const { return *nodes_[id.value()]; }
    vocabulary::NodeId host() const { return network_.host(); }
    const topologies::Network& network() const { return network_; }
    const LinkTiming& link_timing() const { return *default_timing_; }  // at the machine's own speed
    // At the speed of this link; the host counts as the node after the last.
    const LinkTiming& link_timing(vocabulary::NodeId node, vocabulary::LinkNo link) const;
    // SystemC's time; the Timeline's may lie ahead of it, except in lockstep.
    static SimTime systemc_time();

    // The node's pins as signals. The first call must come before the simulation starts; from then on the machine runs in
    // lockstep.
    NodePins& pins(vocabulary::NodeId id);

    // The line from the interrupt master to the event pins of all other nodes, the host excluded. All pins move at the same
    // time. It stays high until it is lowered; raising a high line does nothing. The contract: a master exists.
    std::optional<vocabulary::NodeId> interrupt_master() const { return interrupt_master_; }
    void raise_interrupt() { interrupt_line_.move(true); }
    void lower_interrupt() { interrupt_line_.move(false); }

    // Called after every moment with an event; in lockstep, at SystemC's time.
    class Witness {
    public:
        virtual void moment() = 0;

    protected:
        ~Witness() = default;
    };
    void set_witness(Witness* witness) { witness_ = witness; }
    bool lockstep() const { return lockstep_; }
    SimTime horizon() const { return horizon_; }  // horizon of the last run_until()

    // Switches start in reset state, all outputs low. Configuration messages program them (switch_program.hpp), or
    // connect_switches() sets them at once.
    LinkSwitch& link_switch(vocabulary::SwitchId id) { return *switches_[id.value()]; }
    std::size_t switch_count() const { return switches_.size(); }
    void connect_switches();
    // The host sends configuration bytes to a switch over its control connection (control_line.hpp).
    void configure(vocabulary::SwitchId id, std::vector<std::uint8_t> bytes, std::size_t replies, ControlLine::Done done);
    const topologies::MachineDescription& description() const { return description_; }
    // The link at the end of a way as the switches stand now; empty when it leads to none.
    std::optional<topologies::WireEnd> end_behind(topologies::SwitchWay way) const;
    void set_loss_witness(LossWitness* witness) { loss_witness_ = witness; }
    // Starts recording. Call it before the first activity starts, so it knows all of them.
    void attach(Chronicle& chronicle);
    LinkTap* tap(std::size_t wire);  // nullptr if the wire has no tap or leads nowhere

private:
    void on_lost(const LinkSwitch& where, vocabulary::WayNo input, const LinkMessage& message) override;
    void pump();
    static SimTime next_of_systemc();
    void run_in_lockstep();
    void notify_at(SimTime when);

    // The line moves by an event, so a process may call it: no processor runs inside another.
    class InterruptLine final : private Timeline::Handler {
    public:
        explicit InterruptLine(Machine& machine) : machine_(machine) {}
        void move(bool level);

    private:
        void fire(std::uint32_t level) override;
        Machine& machine_;
    };
    void earlier_event(SimTime when) override;
    const LinkTiming& timing_at(const topologies::CostTable& costs, std::int64_t bits_per_second, LinkLevel level);
    Node::LinkTimings timings_of(const topologies::CostTable& costs, vocabulary::NodeId node, LinkLevel level);
    void build_nodes(const topologies::MachineDescription& description, const topologies::CostTable& costs, std::uint64_t seed,
                     LinkLevel level);
    void build_switches(const topologies::CostTable& costs);
    void build_control(const topologies::CostTable& costs);
    void solder(const topologies::MachineDescription& description, const std::vector<std::size_t>& tapped);
    LinkOut& out_of(const topologies::WireEnd& end);
    LinkIn& in_of(const topologies::WireEnd& end);

    struct ControlPlace {
        ControlLine* line = nullptr;
        std::size_t position = 0;
    };

    Timeline timeline_;
    topologies::MachineDescription description_;
    topologies::Network network_;
    std::map<std::int64_t, LinkTiming> link_timings_;  // by bits a second
    const LinkTiming* default_timing_ = nullptr;
    std::vector<Node::LinkTimings> timings_;    // by node, the host last
    std::vector<std::unique_ptr<Node>> nodes_;  // the host is the last
    std::vector<std::unique_ptr<LinkSwitch>> switches_;
    std::map<vocabulary::NodeId, std::unique_ptr<NodePins>> pins_;
    std::optional<vocabulary::NodeId> interrupt_master_;
    InterruptLine interrupt_line_{*this};
    Witness* witness_ = nullptr;
    std::map<topologies::SwitchWay, topologies::WireEnd> cable_;  // the wire end that each way is soldered to
    std::vector<std::unique_ptr<ControlLine>> control_;
    std::vector<ControlPlace> control_places_;  // by switch
    LossWitness* loss_witness_ = nullptr;
    std::map<std::size_t, std::unique_ptr<LinkTap>> taps_;  // by wire
    sc_core::sc_event due_;
    SimTime horizon_;
    bool pumping_ = false, lockstep_ = false, stopped_ = false;
};

}  // namespace hw_model
