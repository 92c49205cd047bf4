#include <instrumentation/buffer_manager.hpp>

#include <algorithm>
#include <utility>

#include <instrumentation/accounts.hpp>
#include <instrumentation/message_seal.hpp>
#include <instrumentation/node_monitor.hpp>
#include <instrumentation/record_codec.hpp>
#include <instrumentation/report_codec.hpp>

namespace instrumentation {

using trollius_os::Message;
using trollius_os::Priority;
using vocabulary::SimTime;

BufferManager::BufferManager(MonitorState& state)
    : state_(state),
      stride_(std::max<std::size_t>(state.costs.record_bytes, record_bytes)),
      message_(state.costs.buffer_records * stride_) {}

void BufferManager::charge(Api& api, SimTime time) {
    state_.ledger.manager += time;
    api.charge_for(accounts::manager, time);
}

bool BufferManager::nothing_to_do() const {
    // after a stop the records in the buffers go to the host
    if (state_.phase == MonitorPhase::Off) return state_.buffers.count() == 0;
    if (state_.phase == MonitorPhase::Ended) return !state_.buffers.has_losses();
    return state_.costs.probes_off && state_.phase == MonitorPhase::On;
}

void BufferManager::run(Api& api) {
    state_.manager = &api.port().self();
    api.port().on_behalf_of(accounts::manager);
    while (true) {
        if (nothing_to_do()) {
            seen_ = false;
            api.port().wait();
            continue;
        }
        if (state_.phase == MonitorPhase::Ended) {
            // Several late events make one loss, though each wakes the manager.
            const std::uint64_t until = api.port().clock_us(Priority::High) + period_us();
            while (api.port().clock_us(Priority::High) < until) api.port().wait_until_clock(until);
        }
        charge(api, state_.costs.manager_check);
        api.port().settle();
        if (std::exchange(seen_, false) || must_unload(api)) {
            unload(api);
        } else if (state_.phase == MonitorPhase::Ended ||
                   (state_.phase == MonitorPhase::Ending && state_.wait_for_room.empty())) {
            end(api);  // the processes that waited for room have recorded by now
        } else {
            sleep(api);
        }
    }
}

// At least a tick of the clock it waits on; a wait of zero would never let time pass.
std::uint64_t BufferManager::period_us() const {
    return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(state_.costs.manager_period.in_us()));
}

void BufferManager::wait_a_period(Api& api) {
    api.port().wait_until_clock(api.port().clock_us(Priority::High) + period_us());
}

// Waits until the next check. A check without cost interrupts no process either. It needs no processor; the manager gets one
// when there is something to unload.
void BufferManager::sleep(Api& api) {
    if (state_.costs.manager_check > SimTime()) return wait_a_period(api);
    api.port().wait_for_look(period_us(), [&] { return seen_ = must_unload(api); });
}

// The manager's view of the node, with the loads since its last check.
BufferState BufferManager::look(Api& api) {
    trollius_os::NodePort& port = api.port();
    BufferState seen{.records = state_.buffers.count(),
                     .room = state_.buffers.room(),
                     .clock_us = state_.clock_us(api),
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

bool BufferManager::must_unload(Api& api) {
    const BufferState seen = look(api);
    if (seen.records == 0) return false;
    if (state_.phase != MonitorPhase::On || !state_.wait_for_room.empty()) return true;
    return state_.unloading->unload(seen);
}

// Number of records in one message: as many as fit into a packet, with gaps that fit the record's field. Packets of several
// nodes interleave at the host, which could not reassemble longer messages.
static std::size_t one_message(std::span<const trace_record::Event> records, std::size_t most) {
    std::size_t count = 1;
    while (count < std::min(most, records.size()) && records[count].seq - records[count - 1].seq <= most_missing + 1) ++count;
    return count;
}

void BufferManager::unload(Api& api) {
    const std::uint64_t began_us = state_.clock_us(api);
    std::span<const trace_record::Event> leaving = state_.buffers.start_leaving();
    charge(api, state_.costs.pack_record * static_cast<std::int64_t>(leaving.size()));
    const std::size_t most = std::max<std::size_t>(1, api.kernel().costs().most_packet / stride_);
    while (!leaving.empty()) {
        const std::size_t count = one_message(leaving, most);
        send_records(api, began_us, leaving.first(count));
        leaving = leaving.subspan(count);
    }
    state_.buffers.leave_done();
    if (!state_.wait_for_room.empty()) api.port().wake(*state_.wait_for_room.front());
    if (state_.buffers.has_losses()) report_losses(api);
}

void BufferManager::send_records(Api& api, std::uint64_t began_us, std::span<const trace_record::Event> records) {
    std::uint32_t next = records.front().seq;
    for (std::size_t i = 0; i < records.size(); ++i) {
        encode(records[i], std::span<std::byte, record_bytes>(message_.data() + i * stride_, record_bytes),
               static_cast<std::uint8_t>(records[i].seq - next));
        next = records[i].seq + 1;
    }
    send(api, trace_report(api.node(), began_us, records.front().seq, records.back().seq,
                           static_cast<std::uint32_t>(records.size()), std::span(message_).first(records.size() * stride_)));
}

// A single loss needs no body; several share one.
void BufferManager::report_losses(Api& api) {
    const std::vector<trace_record::LossRange> losses = state_.buffers.take_losses();
    if (losses.size() == 1) return send(api, loss_report(losses.front()));
    charge(api, state_.costs.pack_record * static_cast<std::int64_t>(losses.size()));
    std::vector<std::byte> body(api.kernel().costs().most_packet);
    const std::size_t most = body.size() / loss_bytes;
    for (std::size_t first = 0; first < losses.size(); first += most)
        send(api, losses_report(std::span(losses).subspan(first, std::min(most, losses.size() - first)), body));
}

void BufferManager::send(Api& api, Message message) {
    message.node = state_.host;
    message.event = events::collector;
    message.flags = trollius_os::flags::of(accounts::trace_message);
    ++state_.ledger.trace_messages;
    state_.ledger.trace_bytes += message.length;
    seal(message);
    api.port().on_behalf_of(accounts::trace_message);
    api.nsend(message);
    api.port().on_behalf_of(accounts::manager);
}

void BufferManager::end(Api& api) {
    if (state_.buffers.has_losses()) report_losses(api);
    if (state_.buffers.count() > 0) return;  // a record came meanwhile
    state_.phase = MonitorPhase::Ended;
    end_sent_ = true;
    send(api, end_report(api.node(), state_.buffers.next_seq(), api.kernel().dropped_damaged()));
}

}  // namespace instrumentation
