// Reconfigurer: the host re-programs switches in the middle of a run. At an order's time it sends configuration messages, only
// for differences, and reads the switches back. Then, like Trollius' trout, it sends a new route table to every reachable node,
// nearest first, as a message over the links. A node routes by its old table until the new one arrives; messages stored for a
// link still leave by that link. Transfers under way on a removed path are lost (hw_model, link_protocol.hpp) and recorded
// here. Nodes that never booted, or are no longer reachable, get no table.
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

    void start();  // call after booting; orders run in order of time, one by one
    bool started() const { return started_; }
    // One more order, due at `at`, which is not before now. It comes after all orders due by then. After start(). Returns its
    // place in orders().
    std::size_t order(topologies::Reconfiguration order);
    const std::vector<topologies::Reconfiguration>& orders() const { return orders_; }  // in order of time, as done()
    bool busy() const { return busy_; }                                                 // an order is being carried out
    bool pending() const { return done_.size() < orders_.size() || busy_; }
    const std::vector<Reconfigured>& done() const { return done_; }  // the last one may still be under way
    const std::vector<LostTransfer>& lost() const { return lost_; }
    // Links that are plugged now, the longest wait first.
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
    std::vector<bool> answered_;                 // indexed by node
    trollius_os::Thread* sender_ = nullptr;      // sender of tables, while it waits for answers
    trollius_os::Process* collector_ = nullptr;  // collector of answers; it stays, because an answer may be late
};

}  // namespace trollius_hosted
