// MonitorState: the state shared by the parts of one node's monitor: meter, buffer manager, backend and interface process. They
// run on the same node, one at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>

#include <instrumentation/act_script.hpp>
#include <instrumentation/monitor_costs.hpp>
#include <instrumentation/monitor_settings.hpp>
#include <instrumentation/overhead_ledger.hpp>
#include <instrumentation/trace_buffers.hpp>
#include <instrumentation/unload_policy.hpp>
#include <trollius_os/calls.hpp>

namespace instrumentation {

// Off: before the begin and after a stop; nothing is recorded. Ending: the buffers go to the host, then the end mark. Ended:
// nothing is recorded; later events are reported as lost, with another end mark.
enum class MonitorPhase : std::uint8_t { Off, On, Ending, Ended };

struct MonitorState {
    MonitorState(const MonitorCosts& its_costs, const MonitorSettings& its_settings, vocabulary::NodeId its_node,
                 vocabulary::NodeId its_host);

    MonitorCosts costs;
    MonitorSettings settings;
    vocabulary::NodeId node, host;
    TraceBuffers buffers;
    std::unique_ptr<UnloadPolicy> unloading;
    trace_record::ClassSet classes;  // classes recorded now
    MonitorPhase phase = MonitorPhase::Off;
    bool has_begun = false;                  // monitoring was switched on, and perhaps off again
    std::uint64_t began_us = 0;              // the node's clock at the begin
    trollius_os::Thread* manager = nullptr;  // set once it runs
    std::deque<trollius_os::Thread*> wait_for_begin, wait_for_room;
    std::uint32_t acts = 0;             // act_script.hpp
    std::shared_ptr<ActScript> script;  // null: nobody notes or follows one
    OverheadLedger ledger;

    // Takes effect now. The buffers, their content and a user's own policies stay.
    void change(const MonitorCosts& its_costs, const MonitorSettings& its_settings);

    bool is_tmon() const { return settings.kind == MonitorKind::Tmon; }
    // Since monitoring began; 0 before.
    std::uint64_t clock_us(trollius_os::Calls& calls) const {
        return has_begun ? calls.port().clock_us(trollius_os::Priority::High) - began_us : 0;
    }
    coroutines::Task<> wake_manager(trollius_os::Calls& calls) { co_await calls.wake(manager); }
};

}  // namespace instrumentation
