#include <hw_model/node_pins.hpp>

#include <hw_model/machine.hpp>

namespace hw_model {

NodePins::NodePins(sc_core::sc_module_name name, Node& node, Timeline& timeline)
    : sc_module(name),
      event_req("event_req"),
      reset("reset"),
      analyse("analyse"),
      event_ack("event_ack"),
      error("error"),
      node_(node),
      timeline_(timeline) {
    SC_HAS_PROCESS(NodePins);
    SC_METHOD(event_moved);
    sensitive << event_req;
    dont_initialize();
    SC_METHOD(reset_moved);
    sensitive << reset;
    dont_initialize();
    SC_METHOD(analyse_moved);
    sensitive << analyse;
    dont_initialize();
}

void NodePins::event_moved() {
    post(event_req.read() ? EventRose : EventFell);
}
void NodePins::reset_moved() {
    post(reset.read() ? ResetRose : ResetFell);
}
void NodePins::analyse_moved() {
    if (analyse.read()) post(AnalyseRose);  // a node that it halted stays halted until a reset
}

void NodePins::post(What what) {
    timeline_.post(Machine::systemc_time(), node_.id().value(), *this, what);
}

void NodePins::fire(std::uint32_t what) {
    switch (static_cast<What>(what)) {
        case EventFell:
        case EventRose:
            node_.event.drive(EventChannel::Source::Pin, what == EventRose);
            break;
        case ResetRose:  // held until it falls
            node_.reset();
            node_.processor.halt();
            break;
        case ResetFell:
            node_.reset();
            break;
        case AnalyseRose:
            node_.analyse();
            break;
    }
}

void NodePins::show() {
    event_ack.write(node_.event.acknowledge());
    error.write(node_.error());
}

}  // namespace hw_model
