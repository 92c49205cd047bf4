// BufferManager: the process that checks the trace buffers periodically, and whenever they exceed the unload policy's limit. It
// sends records to the collector as Trollius messages (thesis, section 5.3.2). If the settings say so, it also sends records
// that have waited for long, and heartbeats of empty buffers (Kimelman and Zernik 1993, section 3). High priority.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <instrumentation/monitor_state.hpp>
#include <trollius_os/api.hpp>

namespace instrumentation {

class BufferManager {
public:
    explicit BufferManager(MonitorState& state);

    coroutines::Task<> run(trollius_os::Calls& calls);  // the process; never returns
    bool ended() const { return end_sent_; }

private:
    using Calls = trollius_os::Calls;
    bool nothing_to_do() const;
    std::uint64_t period_us() const;
    coroutines::Task<> wait_a_period(Calls& calls);
    BufferState look(Calls& calls);
    bool must_unload(Calls& calls);
    bool has_old_record(const BufferState& seen) const;
    // Nothing is in the buffers, and nothing has been sent for the time between two heartbeats.
    bool must_beat(Calls& calls) const;
    void charge_look(Calls& calls);
    coroutines::Task<> beat(Calls& calls);
    coroutines::Task<> sleep(Calls& calls);
    coroutines::Task<> unload(Calls& calls);
    coroutines::Task<> send_records(Calls& calls, std::uint64_t began_us, std::span<const trace_record::Event> records);
    coroutines::Task<> report_losses(Calls& calls);
    coroutines::Task<> send(Calls& calls, trollius_os::Message message);
    void charge(Calls& calls, vocabulary::SimTime time);
    coroutines::Task<> end(Calls& calls);

    MonitorState& state_;
    std::size_t stride_;  // bytes a record takes in a message: monitor.record, but at least as many as its content needs
    std::vector<std::byte> message_;
    bool end_sent_ = false;
    bool seen_ = false;          // a free check has found that it must unload
    bool flushes_ = false;       // only the age of a record makes it unload
    std::uint64_t sent_us_ = 0;  // the last message
    // Values at the last check; the loads are computed since then.
    std::uint64_t looked_us_ = 0;
    trollius_os::LinkTimes links_{};
    vocabulary::SimTime busy_;
};

}  // namespace instrumentation
