// Reconfigurer: the host re-programs switches in the middle of a run. At its time it sends the configuration messages, only
// where the setting differs, and reads the switches back. Then, like Trollius' trout, it sends a new route table to every node
// within its reach, nearest first. Each table is a message over the links. Until its table has come a node routes by the old
// one; messages that it has stored for a link leave by that link. Transfers under way on a path that is taken away are lost
// (hw_model, link_protocol.hpp) and noted here. Nodes that were never booted get no table, nor do those that can no longer be
// reached.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <hw_model/machine.hpp>
#include <hw_model/switch_program.hpp>
#include <topologies/switch_setting.hpp>
#include <trollius_hosted/multicomputer.hpp>
#include <trollius_hosted/reconfiguration.hpp>

namespace trollius_hosted {

class Reconfigurer final : private hw_model::Timeline::Handler, private hw_model::LossWitness {
public:
    Reconfigurer(Multicomputer& box, std::vector<topologies::Reconfiguration> orders);
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
    std::vector<topologies::Reconfiguration> orders_;
    std::vector<Reconfigured> done_;
    std::vector<LostTransfer> lost_;
    bool started_ = false, busy_ = false;
    std::vector<bool> answered_;                 // by node
    trollius_os::Thread* sender_ = nullptr;      // of tables, while it waits for answers
    trollius_os::Process* collector_ = nullptr;  // of answers; stays, since one may come late
};

}  // namespace trollius_hosted
