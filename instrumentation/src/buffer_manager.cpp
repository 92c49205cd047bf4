#include <instrumentation/buffer_manager.hpp>

#include <algorithm>
#include <functional>
#include <utility>

#include <instrumentation/accounts.hpp>
#include <instrumentation/message_seal.hpp>
#include <instrumentation/node_monitor.hpp>
#include <instrumentation/record_codec.hpp>
#include <instrumentation/report_codec.hpp>

namespace instrumentation {

using coroutines::Task;
using trollius_os::Calls;
using trollius_os::Message;
using trollius_os::Priority;
using vocabulary::SimTime;

BufferManager::BufferManager(MonitorState& state)
    : state_(state),
      stride_(std::max<std::size_t>(state.costs.record_bytes, record_bytes)),
      message_(state.costs.buffer_records * stride_) {}

void BufferManager::charge(Calls& calls, SimTime time) {
    state_.ledger.manager += time;
    calls.charge_for(accounts::manager, time);
}

bool BufferManager::nothing_to_do() const {
    // after a stop the records in the buffers go to the host
    if (state_.phase == MonitorPhase::Off) return state_.buffers.count() == 0;
    if (state_.phase == MonitorPhase::Ended) return !state_.buffers.has_losses();
    return state_.costs.probes_off && state_.phase == MonitorPhase::On;
}

Task<> BufferManager::run(Calls& calls) {
    state_.manager = &calls.port().self();
    calls.port().on_behalf_of(accounts::manager);
    while (true) {
        if (nothing_to_do()) {
            seen_ = false;
            co_await calls.wait();
            continue;
        }
        if (state_.phase == MonitorPhase::Ended) {
            // Several late events make one loss, though each wakes the manager.
            const std::uint64_t until = calls.port().clock_us(Priority::High) + period_us();
            while (calls.port().clock_us(Priority::High) < until) co_await calls.port().wait_until_clock(until);
        }
        charge_look(calls);
        co_await calls.settle();
        if (std::exchange(seen_, false) || must_unload(calls)) {
            co_await unload(calls);
        } else if (must_beat(calls)) {
            co_await beat(calls);
        } else if (state_.phase == MonitorPhase::Ended ||
                   (state_.phase == MonitorPhase::Ending && state_.wait_for_room.empty())) {
            co_await end(calls);  // the processes that waited for room have recorded by now
        } else {
            co_await sleep(calls);
        }
    }
}

// At least a tick of the clock it waits on; a wait of zero would never let time pass.
std::uint64_t BufferManager::period_us() const {
    SimTime period = state_.costs.manager_period;
    for (const SimTime often : {state_.settings.flush, state_.settings.heartbeat})
        if (often > SimTime()) period = std::min(period, often);
    return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(period.in_us()));
}

void BufferManager::charge_look(Calls& calls) {
    charge(calls, state_.costs.manager_check);
    if (state_.settings.flush > SimTime()) charge(calls, state_.costs.flush_check);
}

Task<> BufferManager::wait_a_period(Calls& calls) {
    return calls.port().wait_until_clock(calls.port().clock_us(Priority::High) + period_us());
}

// Waits until the next check. A check without cost interrupts no process either. It needs no processor; the manager gets one
// when there is something to unload.
Task<> BufferManager::sleep(Calls& calls) {
    const bool costs =
        state_.costs.manager_check > SimTime() || (state_.settings.flush > SimTime() && state_.costs.flush_check > SimTime());
    if (costs) co_return co_await wait_a_period(calls);
    const std::function<bool()> look = [&] { return (seen_ = must_unload(calls)) || must_beat(calls); };
    co_await calls.port().wait_for_look(period_us(), look);
}

// The manager's view of the node, with the loads since its last check.
BufferState BufferManager::look(Calls& calls) {
    trollius_os::NodePort& port = calls.port();
    BufferState seen{.records = state_.buffers.count(),
                     .room = state_.buffers.room(),
                     .clock_us = state_.clock_us(calls),
                     .processor_idle = port.processor_idle(),
                     .links_idle = port.links_idle()};
    const trollius_os::LinkTimes links = port.link_sending();
    const SimTime busy = port.busy(Priority::High) + port.busy(Priority::Low);
    if (const auto passed = static_cast<double>(seen.clock_us - looked_us_); passed > 0) {
        seen.processor_load = std::min(1.0, (busy - busy_).in_us() / passed);
        for (std::size_t i = 0; i < links.size(); ++i)
            seen.link_load = std::max(seen.link_load, std::min(1.0, (links[i] - links_[i]).in_us() / passed));
    }
    looked_us_ = seen.clock_us;
    links_ = links;
    busy_ = busy;
    return seen;
}

bool BufferManager::must_unload(Calls& calls) {
    const BufferState seen = look(calls);
    if (seen.records == 0) return false;
    if (state_.phase != MonitorPhase::On || !state_.wait_for_room.empty()) return true;
    const bool wanted = state_.unloading->unload(seen);
    flushes_ = !wanted && has_old_record(seen);
    return wanted || flushes_;
}

bool BufferManager::has_old_record(const BufferState& seen) const {
    const SimTime flush = state_.settings.flush;
    if (flush == SimTime()) return false;
    const std::uint64_t oldest_us = state_.buffers.oldest_us();
    return seen.clock_us - std::min(seen.clock_us, oldest_us) >= static_cast<std::uint64_t>(flush.in_us());
}

// A record that waits for room was made already.
bool BufferManager::must_beat(Calls& calls) const {
    const SimTime heartbeat = state_.settings.heartbeat;
    if (heartbeat == SimTime() || state_.phase != MonitorPhase::On) return false;
    if (state_.buffers.count() > 0 || !state_.wait_for_room.empty()) return false;
    return state_.clock_us(calls) - sent_us_ >= static_cast<std::uint64_t>(heartbeat.in_us());
}

// A record made while this is charged may be older than the message, so it is looked for again.
Task<> BufferManager::beat(Calls& calls) {
    charge(calls, state_.costs.make_heartbeat);
    co_await calls.settle();
    if (!must_beat(calls)) co_return;
    ++state_.ledger.heartbeats;
    co_await send(calls, heartbeat_report(calls.node(), state_.clock_us(calls)));
}

// Number of records in one message: as many as fit into a packet, with gaps that fit the record's field. Packets of several
// nodes interleave at the host, which could not reassemble longer messages.
static std::size_t one_message(std::span<const trace_record::Event> records, std::size_t most) {
    std::size_t count = 1;
    while (count < std::min(most, records.size()) && records[count].seq - records[count - 1].seq <= most_missing + 1) ++count;
    return count;
}

Task<> BufferManager::unload(Calls& calls) {
    const std::uint64_t began_us = state_.clock_us(calls);
    state_.ledger.flushes += std::exchange(flushes_, false) ? 1 : 0;
    std::span<const trace_record::Event> leaving = state_.buffers.start_leaving();
    charge(calls, state_.costs.pack_record * static_cast<std::int64_t>(leaving.size()));
    const std::size_t most = std::max<std::size_t>(1, calls.kernel().costs().most_packet / stride_);
    while (!leaving.empty()) {
        const std::size_t count = one_message(leaving, most);
        co_await send_records(calls, began_us, leaving.first(count));
        leaving = leaving.subspan(count);
    }
    state_.buffers.leave_done();
    if (!state_.wait_for_room.empty()) co_await calls.wake(state_.wait_for_room.front());
    if (state_.buffers.has_losses()) co_await report_losses(calls);
}

Task<> BufferManager::send_records(Calls& calls, std::uint64_t began_us, std::span<const trace_record::Event> records) {
    std::uint32_t next = records.front().seq;
    for (std::size_t i = 0; i < records.size(); ++i) {
        encode(records[i], std::span<std::byte, record_bytes>(message_.data() + i * stride_, record_bytes),
               static_cast<std::uint8_t>(records[i].seq - next));
        next = records[i].seq + 1;
    }
    co_await send(
        calls, trace_report(calls.node(), began_us, records.front().seq, records.back().seq,
                            static_cast<std::uint32_t>(records.size()), std::span(message_).first(records.size() * stride_)));
}

// A single loss needs no body; several share one.
Task<> BufferManager::report_losses(Calls& calls) {
    const std::vector<trace_record::LossRange> losses = state_.buffers.take_losses();
    if (losses.size() == 1) co_return co_await send(calls, loss_report(losses.front()));
    charge(calls, state_.costs.pack_record * static_cast<std::int64_t>(losses.size()));
    std::vector<std::byte> body(calls.kernel().costs().most_packet);
    const std::size_t most = body.size() / loss_bytes;
    for (std::size_t first = 0; first < losses.size(); first += most)
        co_await send(calls, losses_report(std::span(losses).subspan(first, std::min(most, losses.size() - first)), body));
}

Task<> BufferManager::send(Calls& calls, Message message) {
    message.node = state_.host;
    message.event = events::collector;
    message.flags = trollius_os::flags::of(accounts::trace_message);
    ++state_.ledger.trace_messages;
    state_.ledger.trace_bytes += message.length;
    seal(message);
    calls.port().on_behalf_of(accounts::trace_message);
    co_await calls.nsend(message);
    sent_us_ = state_.clock_us(calls);  // a pause follows, however long the way was closed
    calls.port().on_behalf_of(accounts::manager);
}

Task<> BufferManager::end(Calls& calls) {
    if (state_.buffers.has_losses()) co_await report_losses(calls);
    if (state_.buffers.count() > 0) co_return;  // a record came meanwhile
    state_.phase = MonitorPhase::Ended;
    end_sent_ = true;
    co_await send(calls, end_report(calls.node(), state_.buffers.next_seq(), calls.kernel().dropped_damaged()));
}

}  // namespace instrumentation
