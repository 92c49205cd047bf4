// The choices for the monitor of a run (scenario section `monitor`). Tmon is the original monitor (thesis, section 5.3.2): a
// master that raises the global interrupt, clock synchronisation, node usage, adaptive reporting. Tmon-de is the version for
// debugging (section 5.3.3): no interrupt, clocks that drift, unloading by a static sequence. They are the same code with other
// parts chosen.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include <instrumentation/unload_sequence.hpp>
#include <trace_record/event_class.hpp>
#include <vocabulary/ids.hpp>
#include <vocabulary/sim_time.hpp>

namespace instrumentation {

class BufferPolicy;
class Probe;
class UnloadPolicy;
class RecordWatch;

enum class MonitorKind : std::uint8_t { TmonDe, Tmon };

// The action when a new record finds both buffers of the node full.
enum class WhenFull : std::uint8_t { DropNewest, OverwriteOldest, Stop, Degrade };

// Unload when the node has little to do: both loads since the buffer manager's last check are at most these. A full buffer is
// unloaded whatever the load.
struct AdaptiveReporting {
    std::uint32_t processor_percent = 50;  // share of the processor's time; 0 to 100
    std::uint32_t link_percent = 50;       // share of the busiest outgoing link's time; 0 to 100
};

struct MonitorSettings {
    MonitorKind kind = MonitorKind::TmonDe;
    std::optional<UnloadSequence> unload;  // empty: adaptive reporting
    AdaptiveReporting adaptive;
    // Flush: a record leaves when it has been in the buffer for so long, whatever the policy says. Heartbeat: after so long
    // without a message a manager with empty buffers sends one that says so. 0: never. Both are noticed at a look of the
    // manager, which then looks at least that often.
    vocabulary::SimTime flush, heartbeat;
    // Classes recorded from the beginning.
    trace_record::ClassSet classes = trace_record::ClassSet::of(trace_record::EventClass::Task);
    WhenFull when_full = WhenFull::DropNewest;
    vocabulary::SimTime interrupt_period = vocabulary::SimTime::ms(10);  // Tmon: between two global interrupts
    // A user's own parts; their policies replace those chosen above. One object a node. They come from a program that links the
    // libraries, never from a file.
    std::function<std::unique_ptr<BufferPolicy>(vocabulary::NodeId)> buffer_policy{};
    std::function<std::unique_ptr<UnloadPolicy>(vocabulary::NodeId)> unload_policy{};
    bool probes_off = false;                                            // the twin of a monitored run: nothing is recorded
    RecordWatch* watch = nullptr;                                       // sees every record that is made; outlives the run
    std::function<std::unique_ptr<Probe>(vocabulary::NodeId)> probe{};  // beside the standard ones
};

}  // namespace instrumentation
