#include <instrumentation/kernel_probe.hpp>

#include <algorithm>
#include <array>
#include <cstring>

namespace instrumentation {

using trace_record::Event;
using trace_record::EventKind;
using trollius_os::KernelAct;
using trollius_os::KernelEvent;
using trollius_os::Process;

namespace {

static_assert(trace_record::first_cast == trollius_os::first_cast);
static_assert(static_cast<int>(trace_record::Collective::AllToAll) == trollius_os::all_to_all.value());

EventKind kind_of(KernelAct act) {
    switch (act) {
        case KernelAct::SendCall:
            return EventKind::SendCall;
        case KernelAct::MessageSend:
            return EventKind::MessageSend;
        case KernelAct::MessageReceive:
            return EventKind::MessageReceive;
        case KernelAct::ReceiveCall:
            return EventKind::ReceiveCall;
        case KernelAct::CollectiveBegin:
            return EventKind::CollectiveBegin;
        case KernelAct::CollectiveEnd:
            return EventKind::CollectiveEnd;
        case KernelAct::ProcessStart:
            return EventKind::ProcessStart;
        case KernelAct::ProcessEnd:
            break;
    }
    return EventKind::ProcessEnd;
}

// A record has room for the first twelve characters of a name.
void put_name(Event& event, const std::string& name) {
    std::array<unsigned char, 12> text{};
    std::memcpy(text.data(), name.data(), std::min(name.size(), text.size()));
    const auto word = [&text](std::size_t at) {
        return std::uint32_t{text[at]} | std::uint32_t{text[at + 1]} << 8 | std::uint32_t{text[at + 2]} << 16 |
               std::uint32_t{text[at + 3]} << 24;
    };
    event.task = word(0);
    event.subtask = word(4);
    event.bytes = word(8);
}

}  // namespace

Event event_of(const KernelEvent& what, const Process& process) {
    Event event{.kind = kind_of(what.act)};
    if (what.act == KernelAct::ProcessStart || what.act == KernelAct::ProcessEnd) {
        event.peer = static_cast<std::uint16_t>(process.pid().value());
        put_name(event, process.name());
        return event;
    }
    event.task = static_cast<std::uint32_t>(what.event.value());
    event.subtask = process.pid().value();
    if (what.act == KernelAct::ReceiveCall) return event;
    event.peer = what.peer ? what.peer->value() : trace_record::unknown_peer;
    event.bytes = what.act != KernelAct::SendCall ? what.bytes : what.tag ? what.tag->number : 0;
    return event;
}

Event partner_of(const trollius_os::MessageTag& tag, const Process& receiver) {
    return {.task = tag.number, .subtask = receiver.pid().value(), .peer = tag.sender.value(), .kind = EventKind::Partner};
}

bool KernelProbe::is_program(const Process& process) {
    const std::string& name = process.name();
    return process.kernel_priority() == 0 && !name.starts_with("nodemon") && !name.starts_with("monmaster");
}

// The table is the node's; it may change while a record waits for room.
coroutines::Task<> KernelProbe::record_group(vocabulary::NodeId cast, trollius_os::Calls& calls) {
    if (groups_.contains(cast)) co_return;
    for (std::uint32_t rank = 0;; ++rank) {
        const trollius_os::Kernel::CastUse* const use = calls.kernel().cast_use(cast);
        if (use == nullptr || rank >= use->nodes.size()) break;
        co_await meter_.record({.task = cast.value(),
                                .subtask = rank,
                                .bytes = static_cast<std::uint32_t>(use->nodes.size()),
                                .peer = use->nodes[rank].value(),
                                .kind = EventKind::Member},
                               calls);
    }
    // Another process that begins meanwhile records the members, too: they stand before its operation in any case.
    groups_.insert(cast);
}

coroutines::Task<> KernelProbe::on(const KernelEvent& what, trollius_os::Calls& calls) {
    if (!is_program(calls.process())) co_return;
    if (what.act == KernelAct::ProcessStart) co_await meter_.hold_until_begin(calls);
    if (what.act == KernelAct::CollectiveBegin && meter_.records_messages()) co_await record_group(*what.peer, calls);
    const Event event = event_of(what, calls.process());
    if (what.act == KernelAct::MessageReceive && what.tag) {
        co_await meter_.record(partner_of(*what.tag, calls.process()), event, calls);
    } else {
        co_await meter_.record(event, calls);
    }
    if (users_ == nullptr) co_return;
    trollius_os::Api api(calls);
    users_->on_kernel_event(what, api);
}

}  // namespace instrumentation
