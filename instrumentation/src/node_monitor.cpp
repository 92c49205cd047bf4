#include <instrumentation/node_monitor.hpp>

#include <algorithm>
#include <utility>

#include <instrumentation/message_seal.hpp>
#include <instrumentation/record_codec.hpp>

namespace instrumentation {

using trollius_os::Message;
using trollius_os::Priority;
using vocabulary::Cycles;
using vocabulary::SimTime;

NodeMonitor::NodeMonitor(const MonitorCosts& costs, const UnloadSequence& sequence, vocabulary::NodeId host)
    : costs_(costs),
      sequence_(sequence),
      host_(host),
      buffers_(costs.buffer_records),
      stride_(std::max<std::size_t>(costs.record_bytes, record_bytes)),
      message_(costs.buffer_records * stride_) {}

void NodeMonitor::nodemon(Api& api) {
    if (std::exchange(loaded_, true)) return api.kernel().drop("nodemon", "a second monitor on the node");
    ledger_.memory_bytes = buffers_.room() * costs_.record_bytes + costs_.program_bytes;
    const bool room = api.port().take_memory(buffers_.room() * costs_.record_bytes);
    const trollius_os::Process* manager = api.kernel().create(
        {"nodemon.manager", Priority::High, 0, api.kernel().costs().service_stack, [this](Api& its) { manage(its); }});
    short_of_memory_ = !room || manager == nullptr;
    while (true) control(api);
}

void NodeMonitor::control(Api& api) {
    Message command{.event = events::nodemon};
    api.nrecv(command);
    const auto what = static_cast<Control>(command.data[0]);
    // A command that were taken for another could make the node say that its trace is whole when it has only begun.
    if (check_seal(command) != Seal::Whole || (what != Control::Begin && what != Control::Quit))
        return api.kernel().drop("nodemon", "a damaged command");
    if (what == Control::Begin) {
        begin(api);
        Message answer{.node = vocabulary::NodeId(static_cast<vocabulary::NodeId::value_type>(command.data[1])),
                       .event = vocabulary::EventNo(command.data[2]),
                       .flags = trollius_os::flags::monitor,
                       .data = {api.node().value()}};
        seal(answer);
        api.answer(answer);
    } else if (state_ != State::Ended) {
        state_ = State::Ending;
        if (manager_ != nullptr) api.port().wake(*manager_);
    }
}

void NodeMonitor::begin(Api& api) {
    if (state_ != State::Off) return;
    api.port().settle();
    state_ = State::On;
    ledger_.began = api.port().now();
    began_us_ = api.port().clock_us(Priority::High);  // the clock is reset, and drifts from now on
    for (trollius_os::Thread* thread : std::exchange(suspended_, {})) api.port().wake(*thread);
    if (manager_ != nullptr) api.port().wake(*manager_);
}

Cycles NodeMonitor::meter(const trek_kernel::TaskMoved& what, Api& api) {
    if (state_ == State::Off) {
        api.port().settle();
        const SimTime since = api.port().now();
        while (state_ == State::Off) {
            suspended_.push_back(&api.port().self());
            api.port().wait();
        }
        ledger_.suspended += api.port().now() - since;
    }
    if (state_ == State::Ended || costs_.probes_off) return {};
    const trace_record::Event event{.time_us = api.port().clock_us(Priority::High) - began_us_,
                                    .task = what.task,
                                    .subtask = what.subtask,
                                    .bytes = what.bytes,
                                    .node = what.node.value(),
                                    .peer = what.peer.value(),
                                    .kind = what.sent ? trace_record::EventKind::Send : trace_record::EventKind::Receive,
                                    .is_result = what.result ? std::uint8_t{1} : std::uint8_t{0}};
    ++ledger_.events;
    ledger_.probe += costs_.probe;
    ledger_.meter += costs_.meter;
    if (!buffers_.record(event)) ++ledger_.dropped;
    if (manager_ != nullptr && buffers_.count() > std::min<std::size_t>(sequence_.at(event.time_us).upper, buffers_.room())) {
        api.port().charge(api.port().cycles(costs_.probe + costs_.meter));
        api.port().wake(*manager_);
        return {};
    }
    return api.port().cycles(costs_.probe + costs_.meter);
}

void NodeMonitor::finish(Api& api) {
    if (state_ != State::On) return;
    state_ = State::Ending;
    if (manager_ != nullptr) api.port().wake(*manager_);
}

void NodeMonitor::charge_manager(Api& api, SimTime time) {
    ledger_.manager += time;
    api.charge(time);
}

bool NodeMonitor::must_unload(Api& api) {
    if (buffers_.count() == 0) return false;
    if (state_ == State::Ending) return true;
    const UnloadCommand& bounds = sequence_.at(api.port().clock_us(Priority::High) - began_us_);
    if (buffers_.count() > std::min<std::size_t>(bounds.upper, buffers_.room())) return true;
    return buffers_.count() > bounds.lower && api.port().processor_idle() && api.port().links_idle();
}

void NodeMonitor::manage(Api& api) {
    manager_ = &api.port().self();
    // At least a tick of the clock it waits on; a wait of none would never let time pass.
    const auto period = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(costs_.manager_period.in_us()));
    while (true) {
        const bool nothing_to_watch = costs_.probes_off && state_ == State::On;
        if (state_ == State::Off || state_ == State::Ended || nothing_to_watch) {
            api.port().wait();
            continue;
        }
        charge_manager(api, costs_.manager_check);
        api.port().settle();
        if (must_unload(api)) {
            unload(api);
        } else if (state_ == State::Ending) {
            end(api);
        } else {
            api.port().wait_until_clock(api.port().clock_us(Priority::High) + period);
        }
    }
}

void NodeMonitor::unload(Api& api) {
    const auto& leaving = buffers_.start_leaving();
    const std::size_t count = leaving.size();
    for (std::size_t i = 0; i < count; ++i)
        encode(leaving[i], std::span<std::byte, record_bytes>(message_.data() + i * stride_, record_bytes));
    charge_manager(api, costs_.pack_record * static_cast<std::int64_t>(count));
    // One packet a message: packets of several nodes interleave at the host, which could not put longer messages together.
    const std::size_t most = std::max<std::size_t>(1, api.kernel().costs().most_packet / stride_);
    for (std::size_t first = 0; first < count; first += most) {
        const std::size_t records = std::min(most, count - first);
        send(api, Report::Trace, static_cast<std::int32_t>(leaving[first].seq), static_cast<std::int32_t>(records),
             std::span(message_).subspan(first * stride_, records * stride_));
    }
    buffers_.leave_done();
    if (buffers_.has_dropped()) report_dropped(api);
}

void NodeMonitor::report_dropped(Api& api) {
    for (const DroppedRange& range : buffers_.take_dropped()) {
        send(api, Report::Dropped, static_cast<std::int32_t>(range.first_seq), static_cast<std::int32_t>(range.last_seq), {});
    }
}

void NodeMonitor::send(Api& api, Report what, std::int32_t a, std::int32_t b, std::span<std::byte> body) {
    Message message{.node = host_,
                    .event = events::collector,
                    .flags = trollius_os::flags::monitor,
                    .data = {static_cast<std::int32_t>(what), api.node().value(), a, b,
                             static_cast<std::int32_t>(api.kernel().dropped_damaged())},
                    .length = static_cast<std::uint32_t>(body.size()),
                    .body = body};
    ++ledger_.trace_messages;
    ledger_.trace_bytes += body.size();
    seal(message);
    api.nsend(message);
}

void NodeMonitor::end(Api& api) {
    if (buffers_.has_dropped()) report_dropped(api);
    if (buffers_.count() > 0) return;  // something came meanwhile
    state_ = State::Ended;
    end_sent_ = true;
    send(api, Report::End, static_cast<std::int32_t>(buffers_.next_seq()), 0, {});
}

}  // namespace instrumentation
