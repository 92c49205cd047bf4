// NodePins: a node's pins as SystemC signals, for foreign SystemC models. They are made on demand (Machine::pins), because
// signals cost memory and events. A Machine with pins runs in lockstep, so both sides see every edge at its exact time.
//
// A foreign model drives event_req, reset and analyse and reads event_ack and error. An input that it drives takes effect at
// SystemC's time, after the machine's own actions at that time. An output changes when the machine changes it.
#pragma once

#include <systemc>

#include <hw_model/node.hpp>
#include <hw_model/timeline.hpp>

namespace hw_model {

class NodePins final : public sc_core::sc_module, private Timeline::Handler {
public:
    sc_core::sc_signal<bool> event_req, reset, analyse;  // inputs of the node
    sc_core::sc_signal<bool> event_ack, error;           // outputs of the node

    NodePins(sc_core::sc_module_name name, Node& node, Timeline& timeline);

    void show();  // copies the node's outputs to the signals; the Machine calls it after each moment

private:
    enum What : std::uint32_t { EventFell, EventRose, ResetFell, ResetRose, AnalyseRose };

    void event_moved();
    void reset_moved();
    void analyse_moved();
    void post(What what);
    void fire(std::uint32_t what) override;

    Node& node_;
    Timeline& timeline_;
};

}  // namespace hw_model
