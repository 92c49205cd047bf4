// Node: a transputer with its memory and its wired links. It runs a kernel (processes as Activities of the Processor) or has a
// T800 core, which runs machine code (CoreDriver).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include <systemc>

#include <hw_model/arena.hpp>
#include <hw_model/event_channel.hpp>
#include <hw_model/link_end.hpp>
#include <hw_model/processor.hpp>
#include <t800_core/settings.hpp>
#include <vocabulary/ids.hpp>

namespace hw_model {

class CoreDriver;

struct NodeConfig {
    vocabulary::NodeId id;
    std::uint64_t ram_bytes = 0;
    std::int64_t clock_hz = 20'000'000;
    std::array<bool, 4> wired{};
    SimTime least_byte;                       // least time of a byte; the host's adaptor may be slower than the link
    std::size_t places = Arena::most_places;  // for processes
    std::array<LinkUse, 4> uses{};            // of each link; all are LinkUse::Bytes for a core
    std::optional<t800_core::CoreSettings> core;
};

class Node : public sc_core::sc_module {
public:
    // The timing of each link, by number; those of links that are not wired are not looked at. They must outlive the node.
    using LinkTimings = std::array<const LinkTiming*, 4>;
    Node(sc_core::sc_module_name name, const NodeConfig& config, const ProcessorTiming& processor_timing,
         const LinkTimings& link_timings, Timeline& timeline);
    ~Node() override;

    Arena arena;  // declared first, so it outlives every Fiber
    Processor processor;
    EventChannel event;
    vocabulary::NodeId id() const { return id_; }
    LinkEnd* link(vocabulary::LinkNo number) { return links_[number.value()].get(); }  // nullptr when not wired
    const LinkEnd* link(vocabulary::LinkNo number) const { return links_[number.value()].get(); }
    CoreDriver* core() { return core_.get(); }  // nullptr: a kernel
    const CoreDriver* core() const { return core_.get(); }
    // Power is on: a core waits for its boot message. A kernel starts its processes by itself.
    void power_up();
    bool links_idle() const;
    void crash();  // processor and links stop at once; memory keeps its content

    // Halts the processor at its next descheduling point (Processor::analyse). Memory stays readable; the links finish messages
    // under way.
    void analyse();
    // Starts anew as from power-up, but memory and Error keep their values. Processor::reset(), links idle, no event pending,
    // HaltOnError off (docs/model/timing_model.md, Pins). No effect on a crashed node.
    void reset();

    // Error stays set until clear_error(), and the pin shows it. With HaltOnError it halts the processor; the links finish
    // messages under way (docs/model/timing_model.md, Pins).
    void set_error();
    void clear_error() { error_ = false; }
    bool error() const { return error_; }
    void set_halt_on_error(bool on) { halt_on_error_ = on; }

private:
    bool error_ = false, halt_on_error_ = false;
    vocabulary::NodeId id_;
    std::array<std::unique_ptr<LinkEnd>, 4> links_;
    std::unique_ptr<CoreDriver> core_;
};

}  // namespace hw_model
