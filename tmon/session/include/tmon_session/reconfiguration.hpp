// Reconfiguration: the host re-programs switches in the middle of a run. At its time it sends the configuration messages, only
// where the setting differs, and reads the switches back. Then, like Trollius' trout, it sends a new route table to every node
// within its reach, nearest first. Each table is a message over the links. Until its table has come a node routes by the old
// one; messages that it has stored for a link leave by that link. Transfers under way on a path that is taken away are lost
// (hw_model, link_protocol.hpp) and noted here. Nodes that were never booted get no table, nor do those that can no longer be
// reached.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <hw_model/machine.hpp>
#include <hw_model/switch_program.hpp>
#include <tmon_session/multicomputer.hpp>
#include <tmon_session/scenario.hpp>
#include <trek_kernel/trek_node.hpp>
#include <vocabulary/sim_time.hpp>

namespace tmon_session {

// A link whose first message is not taken, so that all behind it wait too.
struct PluggedLink {
    std::string from, to;  // link ends; `to` is empty where the link leads nowhere
    vocabulary::SimTime since;
    std::uint32_t bytes = 0;  // of that message
    hw_model::Traffic traffic = hw_model::Traffic::System;
    std::optional<trek_kernel::TaskOnWire> task;  // when it is a task or a result
    std::size_t behind = 0;                       // messages that wait behind it
};

// The outcome of one order.
struct Reconfigured {
    vocabulary::SimTime at, began;
    std::optional<vocabulary::SimTime> switched,
        routed;                // the last switch has answered; the last node, or it is not waited for
    std::size_t switches = 0;  // that were changed
    std::uint64_t configuration_bytes = 0;
    std::vector<std::string> differences;  // between what was set and what was read back
    std::size_t told = 0, silent = 0;      // nodes that have their new route table; that did not answer
    std::vector<vocabulary::NodeId> silent_nodes;
    std::vector<PluggedLink> plugged;  // when the last of these had not answered
};

// A transfer that was under way when its path was taken away.
struct LostTransfer {
    vocabulary::SimTime when;
    std::string which;     // the switch
    std::string from, to;  // link ends: "n1.2", "host"
    std::uint32_t bytes = 0;
    hw_model::Traffic traffic = hw_model::Traffic::System;
    std::optional<trek_kernel::TaskOnWire> task;                               // when it was a task or a result
    std::optional<std::pair<vocabulary::NodeId, vocabulary::NodeId>> between;  // the neighbours, where both ends are nodes
    std::optional<vocabulary::SimTime> ordered;  // the reconfiguration that did it; none: a defect of the switch
};

class Reconfigurer final : private hw_model::Timeline::Handler, private hw_model::LossObserver {
public:
    Reconfigurer(Multicomputer& box, std::vector<Reconfiguration> orders);
    ~Reconfigurer();
    Reconfigurer(const Reconfigurer&) = delete;
    Reconfigurer& operator=(const Reconfigurer&) = delete;

    void start();  // call when the machine has booted; orders are carried out by time, one after the other
    bool pending() const { return done_.size() < orders_.size() || busy_; }
    const std::vector<Reconfigured>& done() const { return done_; }  // the last one may be under way
    const std::vector<LostTransfer>& lost() const { return lost_; }
    // Links that are plugged now, the one that waits longest first.
    std::vector<PluggedLink> plugged() const;

private:
    void fire(std::uint32_t what) override;
    void on_loss(const hw_model::LinkLoss& loss) override;
    void next();
    void switched(const hw_model::ProgrammedSwitches& result);
    void send_tables(trollius_os::Api& api);
    bool send_level(trollius_os::Api& api, std::size_t level);
    void take_answers(trollius_os::Api& api);

    Multicomputer& box_;
    hw_model::SwitchProgram program_;
    std::vector<Reconfiguration> orders_;
    std::vector<Reconfigured> done_;
    std::vector<LostTransfer> lost_;
    bool started_ = false, busy_ = false;
    std::vector<bool> answered_;                 // by node
    trollius_os::Thread* sender_ = nullptr;      // of tables, while it waits for answers
    trollius_os::Process* collector_ = nullptr;  // of answers; stays, since one may come late
};

}  // namespace tmon_session
