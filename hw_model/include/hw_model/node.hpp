// Node: a transputer with its memory and its wired links.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <systemc>

#include <hw_model/arena.hpp>
#include <hw_model/event_channel.hpp>
#include <hw_model/link_end.hpp>
#include <hw_model/processor.hpp>
#include <vocabulary/ids.hpp>

namespace hw_model {

struct NodeConfig {
    vocabulary::NodeId id;
    std::uint64_t ram_bytes = 0;
    std::int64_t clock_hz = 20'000'000;
    std::array<bool, 4> wired{};
    SimTime least_byte;  // of its links; the host's adaptor may be slower than the link
};

class Node : public sc_core::sc_module {
public:
    Node(sc_core::sc_module_name name, const NodeConfig& config, const ProcessorTiming& processor_timing,
         const LinkTiming& link_timing, Timeline& timeline);

    Arena arena;  // before the rest, so that it outlives every Fiber
    Processor processor;
    EventChannel event;
    vocabulary::NodeId id() const { return id_; }
    LinkEnd* link(vocabulary::LinkNo number) { return links_[number.value()].get(); }  // nullptr when not wired
    const LinkEnd* link(vocabulary::LinkNo number) const { return links_[number.value()].get(); }
    bool links_idle() const;
    void crash();  // processor and links stop at once; memory keeps its content

    // Halts the processor at its next descheduling point (Processor::analyse). Memory stays readable; the links end the
    // messages they have begun.
    void analyse() { processor.analyse(); }
    // Starts anew from power-up, but the memory keeps its content and Error stays. Otherwise: Processor::reset(), links idle,
    // no event waits, HaltOnError off (t800 facts, f.2). No effect on a dead node.
    void reset();

    // Error sticks until clear_error(), and the pin shows it. With HaltOnError set, setting it halts the processor, and the
    // links end the messages they have begun (f.3).
    void set_error();
    void clear_error() { error_ = false; }
    bool error() const { return error_; }
    void set_halt_on_error(bool on) { halt_on_error_ = on; }

private:
    bool error_ = false, halt_on_error_ = false;
    vocabulary::NodeId id_;
    std::array<std::unique_ptr<LinkEnd>, 4> links_;
};

}  // namespace hw_model
